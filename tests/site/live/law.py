"""Random edits of a served tree, each compared with a clean build.

    python -m tests.site.live.law SEED EDITS

Exit status 1 where a page that is served is not the page of the clean build.
"""

import logging
import random
import sys
import tempfile
from pathlib import Path

from tests.site.compiled_templates import keep_compiled_templates
from tests.site.live.edits import TREE, Editor
from tests.site.live.live_project import LiveProject, clean_build, differences
from tests.site.project import write


def main(seed, edits):
    """Edit and compare; returns the exit status."""
    logging.getLogger("mkdocs").setLevel(logging.CRITICAL)
    chosen = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as compiled:
        keep_compiled_templates(compiled)
        root = write(Path(folder), TREE)
        project = LiveProject(root)
        editor = Editor(root, chosen)
        compared = 0
        try:
            for number in range(edits):
                touched = editor.edit()
                if touched:
                    project.changed(*touched)
                pages = clean_build(root)
                if pages is None:
                    continue
                compared += 1
                if compared % 50 == 0:
                    print(f"{compared} clean builds compared", flush=True)
                if wrong := differences(project, pages):
                    print(f"seed {seed}, edit {number}, {', '.join(touched)}: {', '.join(wrong)}")
                    return 1
        finally:
            project.close()
    print(f"{edits} edits, {compared} clean builds, all pages the same")
    return int(compared < edits * 0.8)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), int(sys.argv[2])))
