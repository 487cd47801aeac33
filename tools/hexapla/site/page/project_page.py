"""A page that an engine without plugins renders, such as Zensical: which page of the project it is, and what it reads.

Zensical says which page it renders by a preprocessor of its own (zensical/extensions/context.py of 0.0.73).
"""

import os
import re
import sys
from collections.abc import Iterable, Mapping
from contextlib import suppress
from functools import lru_cache, partial
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from posixpath import dirname, join, normpath, relpath
from typing import Any, Protocol, cast

from markdown import Markdown

from hexapla.config.layout import RECORDS
from hexapla.config.mkdocs_yaml import CONFIGURATIONS
from hexapla.config.project import Project, load_project, read_project_settings
from hexapla.errors import ConfigError
from hexapla.examples.provenance import LOCKS
from hexapla.pages import parse
from hexapla.pages.tags import edit_tags
from hexapla.site.last_change import report_address
from hexapla.site.page.page_additions import PageIdentity
from hexapla.site.page.page_extension import RenderingPage
from hexapla.site.page.page_inputs import PageInputs, SiteInputs
from hexapla.site.page.project_files import ProjectFiles
from hexapla.site.page.snippet_pages import colab_root
from hexapla.site.page.translation_status import read_status
from hexapla.site.sources import read_sources
from hexapla.site.texts.strings import register_project_strings

TESTED = "0.0.73"  # of Zensical
ENGINE = "rendering_context"  # the name of its preprocessor
STYLES = "assets/hexapla/hexapla.css"
RULE = re.compile(r"^(?=\S)[^\n@/{}]*\.hx-[^{}]*\{[^{}]*\}", re.M)  # of a style sheet on every screen, for what is ours
SRCSET = re.compile(r'(?<=\ssrcset=")(?![a-z]+:|/)')  # in a tag
ABOVE = re.compile(r'(?<=\s)(?P<name>src|href|srcset)="(?P<address>(?:\.\./)[^"]*)"')  # the same


class EnginePage(Protocol):
    """A page as an engine has it: its path below the folder of pages, and its front matter."""

    path: str
    meta: Mapping[str, object]


class Engine(Protocol):
    """What an engine says of the page that it renders; `config` is its configuration."""

    page: EnginePage
    config: Mapping[str, Any]


def find_page(md: Markdown, project: str, language: str) -> RenderingPage | None:
    """The page that an engine converts, None for a text that no engine calls a page.

    `project` is the folder of the project whose pages were staged, "" where the engine's configuration is its own.
    `language` is that of the pages' readers, "" for the project's first. Raises ConfigError for what is wrong in the
    page.
    """
    found = next((each for each in md.preprocessors if getattr(each, "name", "") == ENGINE), None)
    if found is None and "zensical" in sys.modules:
        raise ConfigError(
            f"zensical {version('zensical')} does not say which page it renders, as {TESTED} does, which was tested; "
            "install that"
        )
    if found is None:
        return None
    engine = cast(Engine, found)
    if not hasattr(engine.page, ENGINE):  # what is converted for the page meanwhile is no page
        setattr(engine.page, ENGINE, describe_page(engine.page, engine.config, project, language))
    return cast(RenderingPage, getattr(engine.page, ENGINE))


def describe_page(page: EnginePage, config: Mapping[str, Any], project: str, language: str) -> RenderingPage:
    """What is known of a page."""
    root, path = Path(project or config["root_dir"]), page.path
    file = Path(config["root_dir"], config["docs_dir"], path)
    text = file.read_bytes().decode("utf-8-sig")
    directory_urls = config.get("use_directory_urls", True)
    inputs, settings = open_project(root, language, directory_urls)
    source = inputs.sources.project.source.code
    reader = language or source
    written = source if project and reader not in inputs.sources.available(path) else reader
    if wrong := inputs.sources.text_violations(parse(text), path, written):
        named = relpath(file, config["root_dir"])
        raise ConfigError("\n".join(str(each.as_error(named, written)) for each in wrong))
    repository = (config.get("repo_url") or "") if project else ""
    extra, name = config.get("extra") or {}, path.removesuffix(".md")
    identity = PageIdentity(
        f"{reader}/{path}" if project and reader != source else path, name, written, reader,
        f"{reader}/{path}" in inputs.sources.derived, str(page.meta.get("hardware") or ""),
        colab_root(repository, settings.get("remote_branch") or "gh-pages"),
        report_address(repository, name, written, str(extra.get("release") or "")), bool(project),
        extra.get("provenance") is True,
    )
    styled = any(str(each) == STYLES for each in config.get("extra_css") or ())
    place = partial(edit_tags, edit=partial(ABOVE.sub, partial(lift_link, dirname(path)))) if project else str
    finish = partial(finish_html, path=path, directory_urls=directory_urls, styled=styled)
    return RenderingPage(identity, PageInputs(inputs), text, place, finish)


def open_project(root: Path, language: str, directory_urls: bool) -> tuple[SiteInputs, Mapping[str, Any]]:
    """What is read of a project for the pages of a language, with its settings; read again once a file has changed."""
    configuration = read_stamps(root / name for name in (*CONFIGURATIONS, "hexapla.toml", "pyproject.toml"))
    project = read_configuration(root, configuration)
    folders = [project.snippets, project.docs, root / "tests" / "snippets", root / RECORDS]
    below = (Path(name, file) for folder in folders for name, _, files in os.walk(folder) for file in files
             if "__pycache__" not in name)
    locks = (root / name for name in LOCKS)
    stamps = (*configuration, *read_stamps([*locks, *below]))
    if not read_project(root, language, directory_urls, stamps)[0].sources.snippets.is_current():
        read_project.cache_clear()
    return read_project(root, language, directory_urls, stamps)


FileStamps = tuple[tuple[str, int, int], ...]


def read_stamps(files: Iterable[Path]) -> FileStamps:
    """The path, the time of the last change and the size of each file that is there."""
    found = {}
    for file in files:
        with suppress(OSError):
            found[str(file)] = file.stat()
    return tuple((name, state.st_mtime_ns, state.st_size) for name, state in sorted(found.items()))


@lru_cache(maxsize=2)
def read_configuration(root: Path, stamps: FileStamps) -> Project:
    """The project at `root`, as long as the files of its configuration are as they were."""
    return load_project(root)


@lru_cache(maxsize=2)
def read_project(
    root: Path, language: str, directory_urls: bool, stamps: FileStamps
) -> tuple[SiteInputs, Mapping[str, Any]]:
    """What `open_project` returns, as long as the files that it reads are as they were."""
    project, settings = load_project(root), read_project_settings(root)
    register_project_strings(project)
    sources = read_sources(project)
    pages = ProjectFiles(sources, language or project.source.code, directory_urls)
    return SiteInputs(sources, read_status(sources, settings), pages), settings


def finish_html(html: str, *, path: str, directory_urls: bool, styled: bool) -> str:
    """A page whose links lead from its file as the engine expects, with the look of its notes.

    Zensical makes links of files links of pages, but for `srcset`.
    """
    if directory_urls and path.rpartition("/")[2] not in {"index.md", "README.md"}:
        html = edit_tags(html, partial(SRCSET.sub, "../"))
    if styled or 'class="hx-' not in html:
        return html
    styles = files("hexapla.site").joinpath("theme", STYLES).read_text(encoding="utf-8")
    return f"{html}\n<style>{' '.join(RULE.findall(styles))}</style>"


def lift_link(folder: str, link: re.Match[str]) -> str:
    """A link out of a language's folder as it is in a staged tree, where the pages lie beside the other files.

    >>> [ABOVE.sub(partial(lift_link, folder), ' src="../../a.svg"') for folder in ("", "tools", "tools/more")]
    [' src="../a.svg"', ' src="../a.svg"', ' src="../../a.svg"']
    """
    leads_out = normpath(join(folder, link["address"])).startswith("../")
    return f'{link["name"]}="{link["address"][3:]}"' if leads_out else link[0]
