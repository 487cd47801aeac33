"""No way of writing a page lets in a character that nobody sees: the editor, an import, a model's draft."""

import pytest
from hexapla.drafts.placeholders import UntrustedAnswer, protect_all, restore_kept
from hexapla.pages.invisible import HIDDEN
from hexapla.section_judge import hidden_characters
from hexapla.translation.exchange.catalog_import import find_objection
from hexapla.translation.memory.catalog import Message
from hexapla.translation.sections.segments import find_units

UNSEEN = ["\0", "\x08", "\x0b", "\x0c", "\x0e", "\x1f", "\x7f", "\x85", "\x9f", "\u202a", "\u202e", "\u2066", "\u2069",
          "\ud800", "\udfff", "\ufffe", "\uffff"]
SEEN = ["\t", "\n", "\r", " ", "~", "\xa0", "\u200d", "\u3000", "批", "\ufffd", "\U0001f600"]
by_name = {"ids": lambda character: f"U+{ord(character):04X}"}


@pytest.mark.parametrize("character", UNSEEN, **by_name)
def test_what_nobody_sees_is_refused_everywhere(character):
    text = f"批{character}次"
    found = hidden_characters(f"批\n{text}", "zh", "page.md")
    assert [(each.line, each.column, each.severity) for each in found] == [(2, 2, "error")]
    with pytest.raises(UntrustedAnswer):
        restore_kept(protect_all("A batch.", {}), text)
    message = Message("batch", "A batch.", 1, text, 7)
    assert f"U+{ord(character):04X}" in find_objection(message, {message.key})


@pytest.mark.parametrize("character", UNSEEN, **by_name)
def test_a_message_that_holds_one_is_not_sent_out(character):
    assert [unit.text for unit in find_units(f"# One\n\nTwo {character}.\n\nThree.\n")] == ["One", "Three."]


@pytest.mark.parametrize("character", SEEN, **by_name)
def test_what_a_page_may_have_passes(character):
    assert not HIDDEN.search(character)
    assert not hidden_characters(f"批{character}次", "zh", "page.md")
