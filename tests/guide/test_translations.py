"""The guide's own translations stand for today's English."""

import pytest
from hexapla.translation.status.section_states import TranslationState

from tests.guide.guide import page_statuses


@pytest.mark.release
def test_every_section_is_current():
    left = [
        f"{page.path or page.page}: {section.id} is {section.state} ({section.change or 'not recorded'})"
        for page in page_statuses()
        for section in page.sections if section.state is not TranslationState.CURRENT
    ]
    assert not left, "read them against the English, then `hexapla sync PAGE --write`:\n" + "\n".join(left)
