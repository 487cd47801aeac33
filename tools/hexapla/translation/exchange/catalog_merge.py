"""Merge an export into the file that is there already, as msgmerge does: what a translator did in it stays."""

from hexapla.cache import digest
from hexapla.translation.memory.catalog import SIMILAR, Catalog, Message, measure_similarity

MARK = 8  # digits of what was exported


def mark_of(target: str) -> str:
    """What tells whether a translation was edited since it was exported, "" for none."""
    return digest(target)[:MARK] if target else ""


def has_own_translation(message: Message) -> bool:
    """Whether a message of a file has a translation that is not the one that was exported."""
    return bool(message.target) and mark_of(message.target) != message.exported


def merge_catalogs(new: Catalog, old: Catalog) -> Catalog:
    """The catalog of today with the work in an older file of it, as msgmerge merges them.

    Edited translations and remarks stay. One whose message has changed is fuzzy, beside its old text; what fits no
    message of today is obsolete.
    """
    known = {each.key: each for each in (*old.obsolete, *old.messages)}
    keys = {each.key for each in new.messages}
    gone = {key: each for key, each in known.items() if key not in keys and each.target}
    messages = []
    for each in new.messages:
        earlier = known.get(each.key)
        if earlier is None and (not each.target or each.fuzzy):
            earlier = find_closest(each, gone)
            if earlier is not None:
                del gone[earlier.key]
        messages.append(keep_translators_work(each, earlier) if earlier else each)
    kept = tuple(each._replace(line=0) for each in gone.values() if has_own_translation(each) or each in old.obsolete)
    return new._replace(messages=tuple(messages), obsolete=kept, meta=old.meta)


def find_closest(message: Message, gone: dict[tuple[str, str, int], Message]) -> Message | None:
    """The message of the older file that became this one: with the same text, else one that says much the same."""
    same = next((each for each in gone.values() if each.text == message.text), None)
    if same is not None:
        return same
    best = max(gone.values(), key=lambda each: measure_similarity(each.text, message.text), default=None)
    return best if best is not None and measure_similarity(best.text, message.text) >= SIMILAR else None


def keep_translators_work(message: Message, earlier: Message) -> Message:
    """A message with what a translator did to it, or to the one that it was."""
    if earlier.text != message.text:
        if message.target and not has_own_translation(earlier):
            return message
        return message._replace(
            target=earlier.target, fuzzy=True, previous=earlier.text, remark=earlier.remark, made="")
    if has_own_translation(earlier) or (earlier.target == message.target and not earlier.fuzzy):
        return message._replace(
            target=earlier.target, fuzzy=earlier.fuzzy, previous=earlier.previous, remark=earlier.remark,
            made=message.made if earlier.target == message.target else "",  # who made another one is not known
        )
    return message._replace(remark=earlier.remark)
