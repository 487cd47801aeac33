"""What the tests of other checkers hold true is held true here too: no fewer situations than they have.

Each situation is a case of tests/cases/checks/peers, told anew and run by test_cases. Where a peer holds something
else true (a degree sign is no number here, letter case counts in an id), the case says what is right.
"""

import pytest

from tests.cases import cases

# lychee: fixtures/fragments and fixtures/resolve_paths; MkDocs: the tests of links and anchors in page_tests;
# remark-validate-links: test/index.js and its fixtures; Translate Toolkit: the tests of numbers.
SITUATIONS = {"lychee": 25, "mkdocs": 38, "remark": 38, "translate_toolkit": 41}


@pytest.mark.parametrize("peer", SITUATIONS)
def test_a_peer_s_situations_are_all_there(peer):
    assert len(cases(f"checks/peers/{peer}")) >= SITUATIONS[peer]
