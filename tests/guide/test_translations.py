"""The guide's own translations stand for today's English."""

from pathlib import Path

from hexapla.config import discovery
from hexapla.config.mkdocs_yaml import read_settings
from hexapla.config.project import load_project
from hexapla.examples.evidence_store import recorded_outputs
from hexapla.translation import tracking
from hexapla.translation.status.status import TranslationState
from hexapla.translation.translation_tree import read_tree

ROOT = Path(__file__).parents[2]


def test_every_section_is_current():
    project = load_project(ROOT)
    place = discovery.layout_of_project(project, read_settings(ROOT / "mkdocs.yml"))

    def snippet(path):
        return (project.snippets / path).read_text(encoding="utf-8")

    tree = read_tree(place, snippet, recorded_outputs(project))
    left = [
        f"{page.path or page.page}: {section.id} is {section.state} ({section.change or 'not recorded'})"
        for page in tracking.statuses(tree)
        for section in page.sections if section.state is not TranslationState.CURRENT
    ]
    assert not left, "read them against the English, then `hexapla sync PAGE --write`:\n" + "\n".join(left)
