"""The record of a documentation framework: what the rest of the program asks about one."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Literal, NamedTuple

Patterns = tuple[str, str]  # of the translations and of the source, without ending; "" for one pattern of both
# What a relative target is seen from: the page's file, the file where the target names one, the page's address, the
# folder of all pages where it does not start with a dot, the folder above its own where the page stands for that, as
# an index does and, with "folder", one of the folder's name; with "root" the site's root.
Origin = Literal["file", "named file", "address", "content", "folder", "root"]
# Whether an id can be written on a heading: by Python-Markdown's attr_list, where a page of the source shows one.
Pinning = Literal["always", "attr_list", "shown", "never"]


def fills_nothing(root: Path, content: str) -> tuple[str, ...]:
    """The folders of a framework whose pages all lie in its content folder: none."""
    return ()


def no_permalinks(root: Path) -> tuple[tuple[str, str], ...]:
    """The folders of a site whose settings give pages other addresses: none."""
    return ()


class Framework(NamedTuple):
    """A documentation framework.

    It is recognised by `marks`, globs of files of which one is there (`{lang}` is a language's code) and holds what
    `sign` matches, and by `folder`, which has to be there too.
    `content` are the folders that pages may lie in; `content_key` finds that folder in a file of `marks`, `source_key`
    the code of the source language, `id_keys` are patterns, each with the rule of ids where it is found, in
    package.json too; `lenient_key` says, there too, that a page which is no MDX is Markdown; `markdown_key`, that MDX
    has an ending of its own. `layouts` are patterns with `{content}`, and `{folder}` for its last name, tried in order;
    a `*` in `content` stands for versions, of which the newest is read where the folders before it have one language.

    `endings` are those of pages, `mdx` those of pages that are MDX. `ids` names the rule that makes ids of headings
    (`hexapla.pages.dialects`), `pin` are the marks around one that is written on a heading. `links` says what a
    relative target is seen from, in order; an absolute one stays in the page's language where the framework `localizes`
    it, and starts with `base`; `section_key` names the part of a query that is the section, where the path may follow
    `#/`. `overlay` begins the layouts whose pages take the place of the source's, which has each. `falls_back` says
    that the site shows the source's page where a language lacks one. `keys` are those of the front matter that give a
    page another address, which files beside the pages have too where the framework `collects` them from folders of any
    name, `permalinks` finds those that the settings give the pages of a folder, `order` is the number before the name
    of a file that its address lacks; `slugs` says that an address is the slug of each of its names. `labels` matches a
    target that is no path and names a place on any page or an object of a program; `titles` says that a link without
    words has its target's title. `routes` finds site paths in a file of `marks`, or of redirects, that lead somewhere.
    `static` are folders whose files are served from the site's root, `{content}` that of all languages; `fill` finds
    folders below those of a language that something else fills with pages. `includes` are the marks of directives that
    show files (`Inclusion.mark`). `scripts` matches a script of a page that brings components of the tree's own and
    does nothing else. `plugins` are names in package.json with the ids that each adds to every page. `contents` is the
    page that lists those that are built, where a link without a target is a chapter to come. `moved` is the file of
    settings with `redirect_maps`, "" where the site's host redirects. `catalogs` matches the paths of PO files with the
    translations, their language as `lang`, seen from the folder of a file of `marks`. `lacks` says what is not read,
    for the documentation's table.
    """

    name: str
    marks: tuple[str, ...] = ()
    layouts: tuple[Patterns, ...] = ()
    content: tuple[str, ...] = ("docs", "")
    sign: str = ""
    folder: str = ""
    content_key: str = ""
    source_key: str = ""
    id_keys: tuple[tuple[str, str], ...] = ()
    lenient_key: str = ""
    markdown_key: str = ""
    endings: tuple[str, ...] = (".md",)
    mdx: tuple[str, ...] = ()
    ids: str = "github"
    pin: tuple[str, str] = (" {#", "}")
    pinning: Pinning = "shown"
    links: tuple[Origin, ...] = ("file", "address")
    localizes: bool = True
    falls_back: bool = True
    base: str = ""
    section_key: str = ""
    overlay: str = ""
    keys: tuple[str, ...] = ("aliases",)
    permalinks: Callable[[Path], tuple[tuple[str, str], ...]] = no_permalinks
    collects: bool = False
    order: str = ""
    slugs: bool = False
    labels: str = ""
    titles: bool = False
    routes: str = ""
    static: tuple[str, ...] = ("static", "public")
    fill: Callable[[Path, str], tuple[str, ...]] = fills_nothing
    contents: str = ""
    includes: str = ""
    scripts: str = ""
    plugins: tuple[tuple[str, tuple[str, ...]], ...] = ()
    moved: str = ""
    catalogs: str = ""
    lacks: str = ""

    @property
    def key(self) -> str:
        """The name as `--framework` takes it: `nuxt-content`."""
        return re.sub(r"[^a-z0-9]+", "-", self.name.lower()).strip("-")
