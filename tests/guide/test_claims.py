"""Claims about libraries: each rests on source that is there, is recorded, and is told when it changes."""

import json

import pytest
from hexapla.checks.rules.id_redirects import redirects_of
from hexapla.pages import parse

from tests.guide import claims
from tests.guide.claims import RECORD, ROOT, Claim, every_claim, installed, marked, named, record, to_look_at

MODULE = "LIMIT: int = 3\n\n\nclass A:\n    size = 1\n\n    def f(self):\n        return {}\n\n\ndef g():\n    pass\n"


@pytest.fixture
def library(tmp_path, monkeypatch):
    """A package whose module can be written anew, as a new version has it."""
    (tmp_path / "madeup").mkdir()
    (tmp_path / "madeup/__init__.py").touch()
    monkeypatch.syspath_prepend(tmp_path)

    def write(value, version):
        (tmp_path / "madeup/core.py").write_text(MODULE.format(value))
        monkeypatch.setattr(claims.importlib.metadata, "version", lambda name: version)

    write(1, "1.0")
    return write


CLAIMS = [Claim("t.py:1", "p#a", "madeup/core.py::A.f"), Claim("t.py:9", "p#b", "madeup/core.py::g"),
          Claim("p.md:2", "link", "madeup/core.py#L7-L8", "1.0"), Claim("p.md:3", "link", "madeup/core.py", "0.9")]


def test_a_claim_is_told_when_its_source_changes_and_not_when_something_else_does(library):
    recorded = record(CLAIMS)
    assert list(recorded) == ["madeup/core.py#L7-L8", "madeup/core.py::A.f", "madeup/core.py::g"]
    assert not [*to_look_at(CLAIMS, recorded)]
    library(2, "1.1")
    assert [*to_look_at(CLAIMS, recorded)] == [
        "t.py:1: p#a: madeup/core.py::A.f changed between 1.0 and 1.1",
        "p.md:2: link: madeup/core.py#L7-L8 changed between 1.0 and 1.1",
    ]


def test_a_source_that_is_gone_or_was_never_looked_at_is_told(library):
    gone = Claim("t.py:1", "p#a", "madeup/core.py::A.h")
    assert [*to_look_at([gone], {"madeup/core.py::A.h": ["0.9", "x"]})] == [
        "t.py:1: p#a: madeup/core.py::A.h is gone from 1.0; it was in 0.9"]
    assert "was never recorded" in next(to_look_at(CLAIMS[:1], {}))
    assert not [*to_look_at([Claim("t.py:1", "p#a", "nowhere_installed/core.py")], {})]


def test_names_are_found():
    assert named(MODULE, "A.size") == "size = 1"
    assert named(MODULE, "LIMIT") == "LIMIT: int = 3"
    assert named(MODULE, "g") == "def g():\n    pass"
    assert named(MODULE, "A.g") is None


def test_the_guide_s_claims_are_recorded_and_name_a_section():
    asserted = [*marked(ROOT)]
    assert len(asserted) > 3
    for claim in asserted:
        page, _, anchor = claim.about.partition("#")
        read = parse((ROOT / f"docs/en/{page}.md").read_text("utf-8"))
        moved = redirects_of(read, f"{page}.md")
        assert anchor in {*(heading.id for heading in read.headings), *(each.old for each in moved)}, (
            f"{claim.place} names {claim.about}")
    recorded = json.loads(RECORD.read_text("utf-8"))
    for claim in every_claim(ROOT):
        here = installed(claim.source)
        if here and claim.version in {"", here[0]}:
            assert claim.source in recorded, f"{claim.place}: run `python -m tests.guide.claims --record`"
