"""Whatever was edited, in whatever order, what is served is what a clean build gives."""

import os
import random

import pytest

from tests.site.live.edits import TREE, Editor
from tests.site.live.live_project import LiveProject, clean_build, differences
from tests.site.project import write

EDITS = int(os.environ.get("HEXAPLA_EDITS", "12"))  # of each seed; 1,000 were tried by hand


@pytest.mark.parametrize("seed", [1, 2])
def test_what_is_served_is_what_a_clean_build_gives(seed, tmp_path):
    root = write(tmp_path, TREE)
    project = LiveProject(root)
    editor = Editor(root, random.Random(seed))
    try:
        compared = 0
        for number in range(EDITS):
            touched = editor.edit()
            if touched:
                project.changed(*touched)
            pages = clean_build(root)
            if pages is not None:
                assert not differences(project, pages), (seed, number, touched)
                compared += 1
        assert compared > EDITS / 2
    finally:
        project.close()
