"""Texts that readers see beside the pages: titles of the navigation, the site's sentences, comments in code, terms."""

from collections.abc import Mapping
from enum import StrEnum
from typing import NamedTuple, Protocol

FOLDER = "site-texts"  # their names as pages, in the editor and in exports: `site-texts/comments`


class TextKind(StrEnum):
    """What a text is; its value names the page that holds all texts of the kind."""

    NAVIGATION = f"{FOLDER}/navigation"
    SENTENCES = f"{FOLDER}/sentences"
    COMMENTS = f"{FOLDER}/comments"
    GLOSSARY = f"{FOLDER}/glossary"


class SiteText(NamedTuple):
    """A text in the source's language with its translations by language, and those `earlier` of what it was before.

    `name` tells it apart from others of its kind; `path` and `line` are where it is written, 0 for no certain line.
    """

    kind: TextKind
    name: str
    text: str
    path: str
    line: int
    translations: Mapping[str, str]
    previous: str = ""
    earlier: Mapping[str, str] = {}


class SiteTextFiles(Protocol):
    """The files of a project that hold such texts."""

    @property
    def languages(self) -> tuple[str, ...]:
        """The languages that people translate into."""

    def read(self) -> tuple[SiteText, ...]:
        """All texts as they are on disk now. Raises ConfigError."""

    def problem(self, text: SiteText, language: str, translation: str) -> str:
        """Why a translation cannot be used, "" for no reason."""

    def put(self, text: SiteText, language: str, translation: str) -> None:
        """Write a translation. Raises ConfigError and OSError."""
