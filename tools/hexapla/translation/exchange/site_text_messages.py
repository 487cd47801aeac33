"""The texts beside the pages as catalogs, one a kind, and such catalogs back into the project's files."""

from collections.abc import Iterator, Sequence

from hexapla.translation.exchange.imports import CHANGED, Plan, Refusal, objection, refused_message
from hexapla.translation.exchange.merging import has_own_translation, mark_of
from hexapla.translation.memory.catalog import Catalog, Message
from hexapla.translation.sections.segments import MessageKey
from hexapla.translation.site_text import SiteText, SiteTextFiles, TextKind


def text_catalogs(files: SiteTextFiles, source: str, languages: Sequence[str]) -> Iterator[Catalog]:
    """The texts of each kind in each language. Raises ConfigError."""
    texts = files.read()
    for language in (code for code in languages if code in files.languages):
        for kind in TextKind:
            found = tuple(message_of(text, language) for text in by_key(texts, kind).values())
            yield Catalog(str(kind), language, source, str(kind), "", found)


def by_key(texts: Sequence[SiteText], kind: str) -> dict[MessageKey, SiteText]:
    """The texts of a kind by the key of their message: a sentence of the site has its name as its section."""
    return {
        (text.name if text.kind is TextKind.SENTENCES else "", text.text, 1): text
        for text in texts if text.kind == kind
    }


def message_of(text: SiteText, language: str) -> Message:
    """The message of a text; what it was before is offered as fuzzy."""
    section = text.name if text.kind is TextKind.SENTENCES else ""
    earlier = "" if language in text.translations else text.earlier.get(language, "")
    target = text.translations.get(language, earlier)
    place = f"{text.path}:{text.line}" if text.line else text.path
    return Message(section, text.text, 1, target, 0, bool(earlier), text.previous if earlier else "", place)


def text_plan(files: SiteTextFiles, catalog: Catalog, language: str, file: str) -> Plan:
    """What to write of one catalog. `file` is what it is called in refusals."""
    known = by_key(files.read(), catalog.page)
    refusals, refused, puts = [], [], []
    for each in catalog.messages:
        text = known.get(each.key)
        here = text.translations.get(language, "") if text else ""
        if not each.problem and (not each.target or each.target == here or not has_own_translation(each)):
            continue
        changed = bool(here) and bool(each.exported) and mark_of(here) != each.exported
        reason = objection(each, known) or (CHANGED if changed else "")
        if text and not reason:
            reason = files.problem(text, language, each.target)
        if text and not reason:
            puts.append((text, each.target))
        else:
            refusals.append(Refusal(file, each.line, reason))
            refused.append(refused_message(each, reason))
    return Plan(language, catalog.page, catalog.page, None, {}, tuple(refusals), (), len(catalog.messages),
                tuple(refused), tuple(puts))
