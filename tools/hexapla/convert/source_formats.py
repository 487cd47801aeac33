"""The table of dialects: what each brings to a conversion, beside what the table of frameworks says of it."""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

from hexapla.config.checks_config import own_settings
from hexapla.convert import docusaurus, hugo, plain_page
from hexapla.convert.conversion_records import LinkIndex, Take
from hexapla.convert.doc_builder import page
from hexapla.convert.fences import restore_info, write_info
from hexapla.convert.headings import SourceHeading, restore_ids, write_ids
from hexapla.convert.inert_markup import make_inert, restore_markup
from hexapla.convert.lists import BELOW, separate_lists
from hexapla.convert.source_tree import language_folders
from hexapla.frameworks.registry import BY_KEY

CODE_PART = re.compile(r"(?<=-)(?:[a-z]{2}|[a-z]{4})$")  # a region or a script, which we write as zh-CN and zh-Hant
Headings = Sequence[SourceHeading]


class SourceDialect(NamedTuple):
    """A dialect of Markdown documentation, as functions of text; its `framework` says how it is told, and its layout.

    `content` is the folder of pages, `signs` are files that tell it too, `lowers` says that folders have codes in lower
    case. `ours` is the form of what only a page of ours has, `index_page` a page that stands for its folder, `toctree`
    a language's navigation, `alone` what a folder with pages of one language has.
    """

    framework: str
    read_headings: Callable[[str], list[SourceHeading]]
    ours: re.Pattern[str]
    write_page: Callable[[str, str, LinkIndex, Take], str]
    restore_page: Callable[[str, str, LinkIndex], str]
    content: str = ""
    signs: tuple[str, ...] = ()
    lowers: bool = True
    index_page: str = "index"
    toctree: str = ""
    alone: str = "_toctree.yml"

    def to_site(self, text: str, page: str, index: LinkIndex, headings: Headings, ids: list[str], note: Take) -> str:
        """A page as it is written here; `headings` and `ids` are those of this very text."""
        text = write_ids(text, headings, ids)  # first: the headings' places are those of the page as it came
        text = make_inert(write_info(text, note), note)
        return separate_lists(self.write_page(text, page, index, note))

    def from_site(self, text: str, page: str, index: LinkIndex) -> str:
        """The page as it was before `to_site`: each step undoes exactly one other."""
        return restore_ids(restore_info(restore_markup(self.restore_page(BELOW.sub("", text), page, index))))

    def marks(self, root: Path) -> bool:
        """Whether a tree has one of the files that tell this dialect."""
        return any(any(root.glob(mark)) for mark in (*self.signs, *BY_KEY[self.framework].marks))

    def folder(self, code: str, source: str) -> str:
        """The folder of a language's pages below the root; `code` may be `{lang}`."""
        translated, own = BY_KEY[self.framework].layouts[0]
        pattern = own if own and code == source else translated
        named = pattern.replace("{content}", self.content).replace("{lang}", code.lower() if self.lowers else code)
        return named.removesuffix("{page}").strip("/")

    def folders(self, root: Path, source: str) -> dict[str, Path]:
        """The folder of each language below a root."""
        before, _, after = self.folder("{lang}", source).partition("{lang}")
        found = {code: folder for code, each in language_folders(root / before).items()
                 if (folder := each / after.strip("/")).is_dir()}
        if self.lowers:
            found = {CODE_PART.sub(lambda part: part[0].upper() if len(part[0]) == 2 else part[0].title(), code): each
                     for code, each in found.items()}
        if BY_KEY[self.framework].layouts[0][1]:
            return {source: root / self.folder(source, source), **found}
        return {source: root / before} if source not in found and (root / before / self.alone).exists() else found


def plain_dialect(framework: str, rules: plain_page.PageRules, content: str) -> SourceDialect:
    """A dialect that `rules` describe."""
    return SourceDialect(framework, plain_page.headings_of, plain_page.OURS, partial(plain_page.write_page, rules),
                         partial(plain_page.restore_page, rules), content, lowers=False)


DIALECTS: Mapping[str, SourceDialect] = {
    "doc-builder": SourceDialect("hugging-face", page.headings_of, page.OURS, page.write_page, page.restore_page,
                                 signs=("_toctree.yml", "en/_toctree.yml"), lowers=False, toctree="_toctree.yml"),
    "docusaurus": plain_dialect("docusaurus", docusaurus.RULES, "docs/"),
    "hugo": plain_dialect("hugo", hugo.RULES, "content/")._replace(
        signs=("config.toml", "config.yaml", "content"), lowers=True, index_page="_index", alone=""),
}


def dialect_of(root: Path) -> str:
    """The dialect that the settings of a tree name or its files tell, doc-builder where nothing does."""
    named = own_settings(root)[1].get("framework")
    told = (name for name, dialect in DIALECTS.items()
            if dialect.framework == named or (not named and dialect.marks(root)))
    return next(told, "doc-builder")
