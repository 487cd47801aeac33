"""Edits that change the title of a translation by its original, each compared with a clean build; one changes none.

    python -m tests.site.live.titles
"""

import logging
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.hang_limit import HANG
from tests.site.compiled_templates import keep_compiled_templates
from tests.site.live.edits import TREE
from tests.site.live.live_project import LiveProject, clean_build, differences
from tests.site.project import SNIPPET, write

# The translation lacks the original's first section, so its title is the original's.
BEGUN = {"docs/en/index.md": "# Home {#home}\n\nWords.\n\n## End {#end}\n\nThe end.\n",
         "docs/zh/index.md": "# 结束 {#end}\n\n完。\n"}
EDITS = [
    {"docs/en/index.md": "# Another `title` {#home}\n\nWords.\n\n## End {#end}\n\nThe end.\n"},
    {"docs/en/index.md": "# Plain {#home}\n\nWords.\n\n## End {#end}\n\nThe end.\n"},
    {"docs/en/index.md": "# End {#end}\n\nThe end.\n"},  # now the sections are the same
    {"docs/zh/index.md": "# 另一个 {#other}\n\n文。\n"},
]


def translations_first(pages):
    """The pages in an order of asking that leaves no time to render what their navigation shows."""
    return {path: pages[path] for path in sorted(pages, key=lambda path: (not path.startswith("zh/a/"), path))}


def main():
    """Edit and compare; returns the exit status."""
    logging.getLogger("mkdocs").setLevel(logging.CRITICAL)
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as compiled:
        keep_compiled_templates(compiled)
        root = write(Path(folder), TREE | BEGUN)
        command = [sys.executable, "-m", "hexapla", "sync", "docs/zh/index.md", "--write"]
        subprocess.run(command, cwd=root, capture_output=True, check=False, timeout=HANG)
        project = LiveProject(root)
        try:
            project.get("zh/a/")
            if project.server.site.unseen != {0, 2}:
                print(f"languages not looked at, once a page of the second was: {project.server.site.unseen}")
                return 1
            for number, files in enumerate([{}, *EDITS]):
                write(root, files)
                if files:
                    project.changed(*files)
                if wrong := differences(project, translations_first(clean_build(root))):
                    print(f"edit {number}: {', '.join(wrong)}")
                    return 1
            write(root, {"snippets/demo/add.py": SNIPPET.replace("1 + 2", "2 + 1")})
            project.changed("snippets/demo/add.py")
            if asked := project.server.site.untitled - project.server.site.unguessed:
                print(f"a snippet's edit has these pages looked at for their titles: {sorted(asked)}")
                return 1
        finally:
            project.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
