"""Pages and sections that are elsewhere in the source, or have another name there, since they were recorded."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from hexapla.translation.kept import name_of
from hexapla.translation.records import Key, Record, Records, orphans
from hexapla.translation.sections import Section
from hexapla.translation.translation_tree import Tree


@dataclass
class Moves:
    """Records whose section the source does not have under that name any more: pages and sections that moved.

    Finding them takes a look at all pages of the source; it is taken when one is asked for, and `asked` is set then.
    """

    tree: Tree
    found: Records
    asked: bool = False

    @cached_property
    def lost(self) -> Mapping[Key, tuple[Record, ...]]:
        """Those records by their old names."""
        return orphans(self.found, self.tree.keys) if self.found.of else {}

    @cached_property
    def by_content(self) -> Mapping[tuple[str, str, str], tuple[Key, ...]]:
        """The old names by what was translated."""
        made: dict[tuple[str, str, str], tuple[Key, ...]] = {}
        for key in sorted(self.lost):
            for record in self.lost[key]:
                content = (record.title, record.text, record.code)
                made[content] = (*made.get(content, ()), key)
        return made

    @cached_property
    def renamed(self) -> Mapping[str, str]:
        """The names that records have of pages, by their names today: that of the most sections that stand there."""
        votes: dict[str, dict[str, int]] = {}
        known = {page for page, _ in self.found.of}
        for name, sections in self.tree.source.items() if self.lost else ():
            for section in sections if name not in known else ():
                for page, _ in self.by_content.get((section.title, section.text, section.code), ()):
                    if page not in self.tree.source and (section.text or section.code):
                        count = votes.setdefault(name, {})
                        count[page] = count.get(page, 0) + 1
        return {name: max(count, key=lambda page: (count[page], page)) for name, count in votes.items()}

    @cached_property
    def name(self) -> str:
        """What changes when anything here does."""
        return name_of(repr((sorted(self.lost.items()), sorted(self.renamed.items()))).encode("utf-8", "surrogatepass"))

    def today(self, once: str) -> str | None:
        """The name today of a page that was renamed."""
        self.asked = True
        return {old: name for name, old in self.renamed.items()}.get(once)

    def record(self, name: str, section: Section, here: str) -> Record | None:
        """The record of a section that was elsewhere, or had another id, when it was translated.

        `here` is its id in the translation.
        """
        self.asked = True
        old = self.renamed.get(name)
        if old and (old, section.span.id) in self.lost:
            return self.lost[old, section.span.id][0]
        keys = self.by_content.get((section.title, section.text, section.code), ())
        if not (section.text or section.code):  # a title alone says little: it counts on its own page
            keys = tuple(key for key in keys if key[0] == name)
        key = keys[0] if keys else (name, here)
        return self.lost[key][0] if key in self.lost else None
