"""Generators of other projects' sites: the files that tell each, and where its pages lie."""

import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from hexapla.config.layout import NO_PAGES, matching

ENDINGS = (".md", ".mdx")
WORKSPACES = ("packages", "apps", "sites")  # folders of a repository with several packages


class SiteGenerator(NamedTuple):
    """A generator: globs of files of which one is there, a folder that has to be there too, and layouts to try.

    A layout has the patterns of translations and of the source without their ending, "" for one pattern of both.
    """

    name: str
    marks: tuple[str, ...]
    layouts: tuple[tuple[str, str], ...]
    folder: str = ""


def folders_of_languages(*folders: str) -> tuple[tuple[str, str], ...]:
    """The layouts of pages in folders: a folder for each language, or the translations' below the source's."""
    patterns = [f"{folder}/".removeprefix("./") for folder in folders]
    return tuple(each for start in patterns for each in (
        (f"{start}{{lang}}/{{page}}", ""), (f"{start}{{lang}}/{{page}}", f"{start}{{page}}")))


DOCUSAURUS = ("i18n/{lang}/docusaurus-plugin-content-docs/current/{page}", "docs/{page}")
GENERATORS = (
    SiteGenerator("Starlight", ("astro.config.*",), folders_of_languages("src/content/docs"), "src/content/docs"),
    SiteGenerator("Astro", ("astro.config.*",), folders_of_languages("src/content", "src/pages", "docs", ".")),
    SiteGenerator("Docusaurus", ("docusaurus.config.*",), (DOCUSAURUS, *folders_of_languages("docs", "."))),
    SiteGenerator("VitePress", (".vitepress/config", ".vitepress/config.*"), folders_of_languages("docs", "src", ".")),
    SiteGenerator("VuePress", (".vuepress/config.*", "docs/.vuepress/config.*"), folders_of_languages("docs", ".")),
    SiteGenerator("Rspress", ("rspress.config.*",), folders_of_languages("docs", ".")),
    SiteGenerator("Nuxt", ("nuxt.config.*",), folders_of_languages("content", "docs", ".")),
    SiteGenerator("Fumadocs", ("source.config.*",), folders_of_languages("content/docs", "content")),
    SiteGenerator("Next.js", ("next.config.*",),
                  folders_of_languages("src/content", "content", "pages", "docs", "src", ".")),
    SiteGenerator("Gatsby", ("gatsby-config.*",), folders_of_languages("content", "src/pages", "docs", ".")),
    SiteGenerator("Hugo", ("hugo.toml", "hugo.yaml", "hugo.json", "config/_default/hugo.*", "config/_default/config.*"),
                  folders_of_languages("content")),
    SiteGenerator("mdBook", ("book.toml",), folders_of_languages("src", ".")),
    SiteGenerator("Sphinx", ("conf.py", "docs/source/conf.py"),
                  folders_of_languages("docs/source", "source", "docs", ".")),
    SiteGenerator("Mintlify", ("mint.json", "docs.json"), folders_of_languages(".")),
    SiteGenerator("Jekyll", ("_config.yml",), folders_of_languages("_docs", "docs", ".")),
    SiteGenerator("Eleventy", (".eleventy.js", "eleventy.config.*"),
                  folders_of_languages("src", "content", "docs", ".")),
    SiteGenerator("GitBook", (".gitbook.yaml",), folders_of_languages("docs", ".")),
    SiteGenerator("DocFX", ("docfx.json",), folders_of_languages("docs", ".")),
    SiteGenerator("Zensical", ("zensical.toml",), folders_of_languages("docs")),
)


class GeneratedSite(NamedTuple):
    """A site of another generator: its name, its folder, and the options that name its pages, () for none found."""

    generator: str
    folder: Path
    options: tuple[str, ...]

    @property
    def command(self) -> str:
        """The command that checks it, "" where no page of the source was found."""
        return f"hexapla check --root {shlex.quote(str(self.folder))} {shlex.join(self.options)}" * bool(self.options)


def find_generated_site(root: Path, source: str) -> GeneratedSite | None:
    """The site of another generator in a folder, in one of the folders in it, or in a package of a workspace there."""
    packages = [each for name in WORKSPACES if (root / name).is_dir() for each in inner_folders(root / name)]
    for folder in (root, *inner_folders(root), *packages):
        for each in GENERATORS:
            if (folder / each.folder).is_dir() and any(any(folder.glob(mark)) for mark in each.marks):
                options = layout_options(folder, each, source)
                if options or folder == root:
                    return GeneratedSite(each.name, folder, options)
                if folder not in packages:  # its pages may lie beside it
                    return GeneratedSite(each.name, root, layout_options(root, each, source))
    return None


def inner_folders(root: Path) -> Iterator[Path]:
    """The folders in a folder that a site may lie in."""
    return (each for each in sorted(root.iterdir())
            if each.is_dir() and not each.is_symlink() and not each.name.startswith(".") and each.name not in NO_PAGES)


def layout_options(root: Path, generator: SiteGenerator, source: str) -> tuple[str, ...]:
    """The options of the first layout that has pages of the source, with the ending that most of them have."""
    for pattern, source_pattern in generator.layouts:
        counts = {end: sum(1 for _ in matching(root, (source_pattern or pattern) + end, source)) for end in ENDINGS}
        ending = max(ENDINGS, key=lambda end: counts[end])
        if counts[ending]:
            apart = ("--source-layout", source_pattern + ending) if source_pattern else ()
            told = () if source == "en" else ("--source", source)
            return "--layout", pattern + ending, *apart, *told
    return ()
