"""Zensical builds the tree of each language, and the languages become one site."""

import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from html import escape
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from mkdocs.structure.files import File

from hexapla.errors import ConfigError
from hexapla.site.language_site import LanguageSite
from hexapla.site.page.page_additions import insert_below_title
from hexapla.site.page.project_page import TESTED
from hexapla.site.search import search_index
from hexapla.site.search.search_sections import make_entry, read_sections
from hexapla.site.state import BuildState
from hexapla.site.texts.strings import say_sentence
from hexapla.site.zensical.staged_tree import SHARED, OpenedProject, page_path, static_path

CONTENT = re.compile(r"<!-- /?hexapla: content -->")
ADDRESS = re.compile(r"<url>.*?</url>", re.S)


def check_installed() -> None:
    """Raise ConfigError where there is no Zensical."""
    try:
        version("zensical")
    except PackageNotFoundError as error:
        raise ConfigError(
            f"zensical is not installed beside hexapla; pip install zensical=={TESTED}, or leave --build out"
        ) from error


def build_tree(folder: Path, staged: OpenedProject) -> Path:
    """Build each language's tree in a folder and join them; returns the site. Raises ConfigError."""
    for site in staged.sites:
        build_language(folder / site.language)
    joined = folder / ".site-new"
    shutil.rmtree(joined, ignore_errors=True)
    shutil.copytree(folder / SHARED, joined)
    source = staged.sites[0].language
    for site in staged.sites:
        built = folder / site.language / "site"
        finish_pages(site, built, staged)
        shutil.copytree(built, joined if site.language == source else joined / site.language, dirs_exist_ok=True)
    join_sitemaps(joined, [site.language for site in staged.sites[1:]])
    return joined


def build_language(folder: Path) -> None:
    """Build a language's tree. Raises ConfigError with what Zensical said last."""
    command = [sys.executable, "-m", "zensical", "build", "--clean", "--config-file", "mkdocs.yml"]
    ended = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if ended.returncode:
        said = (ended.stderr or ended.stdout).strip().splitlines() or ["nothing"]
        raise ConfigError(
            f"{folder}: zensical {version('zensical')} does not build it ({said[-1].strip()}); {TESTED} was tested"
        )


def finish_pages(site: LanguageSite, built: Path, staged: OpenedProject) -> None:
    """Do to the pages of a language what is done to HTML, and give the search box our worker and index."""
    state, index = staged.current.state, f"{search_index.INDEX}&box=zensical"
    own, entries = "" if site.language == state.source else f"{site.language}/", []
    for file in site.pages:
        page = built / static_path(file, site.language)
        before, content, after = split_content(page)
        settings = (file.page.meta.get("search") if file.page else None) or {}
        if not settings.get("exclude"):
            name, title = page_path(file).removesuffix(".md"), read_sections(content)[0].heading or file.name
            entries.append(make_entry(file.url.removeprefix(own), title, content, name, settings))
        content = insert_below_title(content, make_beside_note(file, site.language, state))
        page.write_text(search_index.use_worker(f"{before}{content}{after}", index), encoding="utf-8")
    missing = built / "404.html"
    missing.write_text(search_index.use_worker(missing.read_text(encoding="utf-8"), index), encoding="utf-8")
    language = search_index.make_search_language(site.language, state.sources.search, state.sources.terms)
    for name, text in search_index.index_files(entries, language).items():
        target = built / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")


def split_content(page: Path) -> tuple[str, str, str]:
    """What a page has before its content, its content, and what it has after it. Raises ConfigError."""
    parts = CONTENT.split(page.read_text(encoding="utf-8") if page.is_file() else "")
    if len(parts) != 3:
        raise ConfigError(
            f"{page}: zensical {version('zensical')} did not write it with its content between two comments, "
            f"as {TESTED} does, which was tested; install that"
        )
    return parts[0], parts[1], parts[2]


def make_beside_note(file: File, language: str, state: BuildState) -> str:
    """The line below a page's title that shows another language beside it, "" where there is none."""
    urls, available = state.alternates(file)
    others = [code for code in urls if code in available and code in state.languages and code != language]
    if not others or language not in available:
        return ""
    buttons = "".join(
        f'<button type="button" lang="{code}" aria-pressed="false">{escape(state.languages[code])}</button>\n'
        for code in others
    )
    return f'<p class="hx-beside" data-search-exclude>{escape(say_sentence(language, "beside"))}\n{buttons}</p>'


def join_sitemaps(joined: Path, languages: Sequence[str]) -> None:
    """Put the addresses of all languages into the site's own sitemap, and remove theirs."""
    whole = joined / "sitemap.xml"
    parts = [joined / language / "sitemap.xml" for language in languages]
    if not whole.is_file():
        return
    found = "".join(f"\n{each}" for part in parts for each in ADDRESS.findall(part.read_text(encoding="utf-8")))
    before, end, after = whole.read_text(encoding="utf-8").rpartition("</urlset>")
    whole.write_text(f"{before.rstrip()}{found}\n{end}{after}", encoding="utf-8")
    for part in parts:
        part.unlink()
