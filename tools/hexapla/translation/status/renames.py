"""Pages and sections that have another name in the source, or are on another page, since they were recorded."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from hexapla.translation.records.records import Key, Record, Records, orphaned_records
from hexapla.translation.sections.sections import Section
from hexapla.translation.translation_tree import TranslationTree


@dataclass
class Renames:
    """The records of a language whose section the source does not have under that name any more.

    Finding them takes all pages of the source: that is done on first use, and `used` is set then.
    """

    tree: TranslationTree
    records: Records
    used: bool = False

    @cached_property
    def orphans(self) -> Mapping[Key, tuple[Record, ...]]:
        """Those records by their old names."""
        return orphaned_records(self.records, self.tree.section_keys) if self.records.of else {}

    @cached_property
    def by_content(self) -> Mapping[tuple[str, str, str], tuple[Key, ...]]:
        """The old names by the hashes of what was translated."""
        made: dict[tuple[str, str, str], list[Key]] = {}
        for key in sorted(self.orphans):
            for record in self.orphans[key]:
                content = (record.title, record.text, record.code)
                made.setdefault(content, []).append(key)
        return {content: tuple(keys) for content, keys in made.items()}

    @cached_property
    def old_pages(self) -> Mapping[str, str]:
        """The old names of pages by their names today: the page that most of its sections were recorded on."""
        votes: dict[str, dict[str, int]] = {}
        known = {page for page, _ in self.records.of}
        for name, source in self.tree.source.items() if self.orphans else ():
            for section in source.sections if name not in known else ():
                for page, _ in self.by_content.get((section.title, section.text, section.code), ()):
                    if page not in self.tree.source and (section.text or section.code):
                        count = votes.setdefault(name, {})
                        count[page] = count.get(page, 0) + 1
        return {name: max(count, key=lambda page: (count[page], page)) for name, count in votes.items()}

    @cached_property
    def state(self) -> tuple[object, ...]:
        """All that an answer given here depends on."""
        return sorted(self.orphans.items()), sorted(self.old_pages.items())

    def page_today(self, old: str) -> str | None:
        """The name today of a page that was renamed."""
        self.used = True
        return {once: name for name, once in self.old_pages.items()}.get(old)

    def record(self, name: str, section: Section, here: str) -> Record | None:
        """The record of a section that was on another page, or had another id, when it was translated.

        `here` is its id in the translation.
        """
        self.used = True
        old = self.old_pages.get(name)
        if old and (old, section.span.id) in self.orphans:
            return self.orphans[old, section.span.id][0]
        keys = self.by_content.get((section.title, section.text, section.code), ())
        if not (section.text or section.code):  # a title alone says little: it counts on its own page
            keys = tuple(key for key in keys if key[0] == name)
        key = keys[0] if keys else (name, here)
        return self.orphans[key][0] if key in self.orphans else None
