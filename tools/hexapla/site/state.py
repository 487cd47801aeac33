"""What a build of a site knows, as records that are passed to functions and returned changed."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File
from mkdocs.structure.nav import Navigation
from mkdocs.structure.pages import Page

from hexapla.site.page.card_contents import Card, card_path, find_icon, make_card
from hexapla.site.page.page_extension import RenderingPage
from hexapla.site.page.page_inputs import SiteInputs
from hexapla.site.page.page_renderer import PageState
from hexapla.site.page.site_files import alternate_urls, as_localized_file
from hexapla.site.page.translation_status import TranslationStatus
from hexapla.site.search.search_index import INDEX
from hexapla.site.sources import SiteSources


@dataclass(frozen=True)
class BuildState:
    """What a build knows of its site.

    `settings` are those of `config_file`, the project's mkdocs.yml. `languages` are the names of the languages that are
    built, the source first. The new site is built in `folder` and then takes the place of `site`. `inputs` has what the
    pages of each language can read; a language is added when MkDocs has made its files. `has_cards` is whether a card
    is drawn for each page.
    """

    config_file: Path
    settings: Mapping[str, object]
    sources: SiteSources
    status: TranslationStatus
    languages: Mapping[str, str]
    site: Path
    folder: Path
    inputs: Mapping[str, SiteInputs] = field(default_factory=dict)
    has_cards: bool = False

    @property
    def source(self) -> str:
        """The language of the originals."""
        return self.sources.project.source.code

    @property
    def language_names(self) -> dict[str, str]:
        """The names of all languages of the project, those that are not built too."""
        return {language.code: language.name for language in self.sources.project.languages}

    def index_path(self, language: str) -> str:
        """The address of a language's search index, from the site's root."""
        return INDEX if language == self.source else f"{language}/{INDEX}"

    def make_cards(self, pages: Iterable[Page], language: str, config: MkDocsConfig) -> dict[str, Card]:
        """The cards of a language's pages by their address from the site's root; none where none are drawn."""
        if not self.has_cards:
            return {}
        made, icon = {}, find_icon(config, self.sources.project.root)
        for page in pages:
            file = as_localized_file(page.file)
            having = {code: self.languages[code] for code in self.sources.available(file.norm_src_uri)
                      if code in self.languages}
            card = make_card(page, file.locale, having, config.site_name, icon)
            made[card_path(file.norm_src_uri, language)] = card
        return made

    def alternates(self, file: File) -> tuple[dict[str, str], Sequence[str]]:
        """The addresses of a page in every language, and the languages that have it."""
        return alternate_urls(file), self.sources.available(as_localized_file(file).norm_src_uri)

    def front_sections(self, page: Page, nav: Navigation, language: str) -> dict[str, str]:
        """The ids of the front page's sections that the parts of a page's path lead to, by their titles."""
        if not (front := nav.homepage):
            return {}
        ids = cast(Mapping[str, str], self.inputs[language].value(("section_ids", front.file.src_uri)))
        titles = [str(part.title) for part in (front, *page.ancestors)]
        return {title: ids[title] for title in titles if title in ids}


class CurrentBuild:
    """The records that MkDocs' events share: MkDocs gives and takes its own objects alone, so they stand here.

    `state` is set by the first event of a build, `page` by the first one of each page.
    """

    state: BuildState
    page: PageState

    def __repr__(self) -> str:  # it stands in the configuration, whose text is in the key of a page that is kept
        return "CurrentBuild()"

    @property
    def rendering(self) -> RenderingPage | None:
        """The page that is rendered, None before the first one."""
        return self.page.rendering if hasattr(self, "page") else None

    @property
    def started(self) -> bool:
        """Whether a build has read its sources."""
        return hasattr(self, "state")
