"""Edits of a served tree with a section that moved: its old address follows the title and the place of the new one.

    python -m tests.site.live.redirects

Exit status 1 where a page that is served is not the page of the clean build, or a row that leads nowhere is served.
"""

import logging
import sys
import tempfile
from pathlib import Path

from tests.site.compiled_templates import keep_compiled_templates
from tests.site.live.edits import TREE
from tests.site.live.live_project import LiveProject, clean_build, differences
from tests.site.project import write

HOME = TREE["docs/en/index.md"]
MOVED = "---\nredirects: {{old: {}}}\n---\n" + HOME.replace("{", "{{").replace("}", "}}")
PAGE = TREE["docs/en/a.md"]
# What is written where, and whether a clean build takes it.
EDITS = [
    ("docs/en/index.md", MOVED.format("a.md#part"), True),
    ("docs/zh/a.md", TREE["docs/zh/a.md"].replace("## 部分", "## 软件"), True),
    ("docs/en/a.md", PAGE.replace("## Part", "## Piece"), True),
    ("docs/en/a.md", PAGE.replace("{#part}", "{#parts}"), False),
    ("docs/en/index.md", MOVED.format("a.md#parts"), True),
    ("docs/en/index.md", HOME, True),
]


def main():
    """Edit and compare; returns the exit status."""
    logging.getLogger("mkdocs").setLevel(logging.CRITICAL)
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as compiled:
        keep_compiled_templates(compiled)
        root = write(Path(folder), TREE)
        project = LiveProject(root)
        try:
            for number, (path, text, good) in enumerate(EDITS):
                write(root, {path: text})
                project.changed(path)
                pages = clean_build(root)
                if (pages is not None) is not good or (pages and differences(project, pages)):
                    print(f"edit {number}, {path}")
                    return 1
        finally:
            project.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
