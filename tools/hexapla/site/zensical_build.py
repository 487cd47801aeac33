"""Zensical builds the tree of each language, and the languages become one site."""

import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from html import escape
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File

from hexapla.errors import ConfigError
from hexapla.site.alternate_links import localized
from hexapla.site.language_site import LanguageSite
from hexapla.site.page_content import below_title, typeset
from hexapla.site.page_inputs import PageInputs
from hexapla.site.staged_tree import SHARED, StagedSite, static_path
from hexapla.site.strings import say

TESTED = "0.0.73"
CONTENT = re.compile(r"(?<=<!-- hexapla: content -->)(.*)(?=<!-- /hexapla: content -->)", re.S)
ADDRESS = re.compile(r"<url>.*?</url>", re.S)


def check_installed() -> None:
    """Raise ConfigError where there is no Zensical."""
    try:
        version("zensical")
    except PackageNotFoundError as error:
        raise ConfigError(
            f"zensical is not installed beside hexapla; pip install zensical=={TESTED}, or leave --build out"
        ) from error


def build(folder: Path, staged: StagedSite) -> Path:
    """Build each language's tree in a folder and join them; returns the site. Raises ConfigError."""
    for site in staged.sites:
        build_language(folder / site.language)
    joined = folder / ".site-new"
    shutil.rmtree(joined, ignore_errors=True)
    shutil.copytree(folder / SHARED, joined)
    source = staged.sites[0].language
    for site in staged.sites:
        built = folder / site.language / "site"
        typeset_pages(site, built, staged)
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


def typeset_pages(site: LanguageSite, built: Path, staged: StagedSite) -> None:
    """Do to the pages of a language what is done to HTML. Raises ConfigError where a page has lost its content."""
    plugin = staged.plugin
    inputs, source = PageInputs(plugin.inputs[site.language]), plugin.sources.project.source.code
    for file in site.pages:
        written, page = localized(file).locale, built / static_path(file, site.language)
        beside = beside_note(file, site.language, plugin)

        def complete(match: re.Match[str], written: str = written, beside: str = beside) -> str:
            return below_title(typeset(match[0], inputs, source, written), beside)

        html, found = CONTENT.subn(complete, page.read_text(encoding="utf-8"))
        if found != 1:
            raise ConfigError(
                f"{page}: zensical {version('zensical')} left out the comments around the content; {TESTED} was tested"
            )
        page.write_text(html, encoding="utf-8")


def beside_note(file: File, language: str, plugin: Any) -> str:
    """The line below a page's title that shows another language beside it, "" where there is none."""
    _, available = plugin.alternates(file)
    others = {code: name for code, name in plugin.languages.items() if code in available and code != language}
    if not others or language not in available:
        return ""
    buttons = "".join(
        f'<button type="button" lang="{code}" aria-pressed="false">{escape(name)}</button>\n'
        for code, name in others.items()
    )
    return f'<p class="hx-beside" data-search-exclude>{escape(say(language, "beside"))}\n{buttons}</p>'


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
