"""What the page "Translating" shows is what the commands print today."""

import pytest

from benchmarks import translating

pytestmark = pytest.mark.slow


def test_the_recorded_runs_are_todays(tmp_path):
    translating.lay(tmp_path)
    files = (translating.ROOT / "snippets" / "tools").glob("translating_*.txt")
    recorded = {file.stem.removeprefix("translating_"): file.read_text("utf-8") for file in files}
    assert translating.runs(tmp_path) == recorded
