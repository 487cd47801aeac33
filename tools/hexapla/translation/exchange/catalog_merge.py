"""Merge an export into the file that is there already, as msgmerge does: what a translator did in it stays."""

from operator import attrgetter

from hexapla.cache import digest
from hexapla.translation.memory.catalog import Catalog, Message, find_similar

MARK = 8  # digits of what was exported


def mark_of(target: str) -> str:
    """What tells whether a translation was edited since it was exported, "" for none."""
    return digest(target)[:MARK] if target else ""


def has_own_translation(message: Message) -> bool:
    """Whether a message of a file has a translation that is not the one that was exported."""
    return bool(message.target) and mark_of(message.target) != message.exported


def merge_catalogs(new: Catalog, old: Catalog) -> Catalog:
    """The catalog of today with the work in an older file of it, as msgmerge merges them: edits and remarks stay."""
    known = {each.key: each for each in (*old.obsolete, *old.messages)}
    keys = {each.key for each in new.messages}
    gone = {key: each for key, each in known.items() if key not in keys and each.target}
    messages = []
    for each in new.messages:
        earlier = known.get(each.key)
        if earlier is None and (not each.target or each.fuzzy):
            earlier = find_similar(each.text, gone.values(), attrgetter("text"))
            if earlier is not None:
                del gone[earlier.key]
        messages.append(keep_translators_work(each, earlier) if earlier else each)
    kept = tuple(each._replace(line=0) for each in gone.values() if has_own_translation(each) or each in old.obsolete)
    return new._replace(messages=tuple(messages), obsolete=kept, meta=old.meta)


def keep_translators_work(message: Message, earlier: Message) -> Message:
    """A message with what a translator did to it, or to the one that it was."""
    theirs = message._replace(target=earlier.target, remark=earlier.remark, made="")
    if earlier.text != message.text:
        if message.target and not has_own_translation(earlier):
            return message
        return theirs._replace(fuzzy=True, previous=earlier.text)
    same = earlier.target == message.target  # who made another one is not known
    if has_own_translation(earlier) or (same and not earlier.fuzzy):
        return theirs._replace(fuzzy=earlier.fuzzy, previous=earlier.previous, made=message.made if same else "")
    return message._replace(remark=earlier.remark)
