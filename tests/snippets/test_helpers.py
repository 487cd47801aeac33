"""All folders of snippets are on one path in a test run, so no two of their helpers may have one name."""

from collections import Counter
from pathlib import Path

SNIPPETS = Path(__file__).parents[2] / "snippets"


def test_every_helper_has_a_name_of_its_own() -> None:
    names = Counter(path.name for path in SNIPPETS.glob("*/_*.py"))
    assert names
    assert [name for name, count in names.items() if count > 1] == []
