"""What a reader of a language still reads in the source's beside the pages: titles, sentences, comments, terms."""

from collections.abc import Iterator, Mapping
from typing import Any

from hexapla.config.mkdocs_yaml import plugin_options, read_settings
from hexapla.config.project import Project, find_terms
from hexapla.examples import comments
from hexapla.site.strings import lacking_sentences, register_project_strings
from hexapla.translation.new_language import strings_path


def untranslated_texts(project: Project) -> dict[str, list[str]]:
    """The texts that each language lacks, as `file: what` lines. Raises ConfigError."""
    register_project_strings(project)
    settings = read_settings(project.root / "mkdocs.yml")
    written = project.comments.read_text(encoding="utf-8") if project.comments.is_file() else ""
    codes = [language.code for language in project.languages]
    shown, _ = comments.parse(written, codes)
    terms = find_terms(project.root)
    found: dict[str, list[str]] = {}
    for language in project.languages[1:]:
        code = language.code
        if language.derived_from:
            continue
        lines = [f"mkdocs.yml: the navigation's title {title!r}" for title in lacking_titles(settings, code)]
        lines += [
            f"{strings_path(code)}: the site's sentence {name!r}" for name in lacking_sentences(code)
        ]
        lines += [
            f"{project.comments.relative_to(project.root)}:{shown.lines[comment]}: the comment {comment!r}"
            for comment, renderings in shown.translations.items() if code not in renderings
        ]
        lines += [
            f"{project.glossary.relative_to(project.root)}:{term.line}: the term {term.term!r}" for term in terms
            if not term.keep and not term.renderings.get(code)
        ]
        found[code] = lines
    return found


def lacking_titles(settings: Mapping[str, Any], code: str) -> Iterator[str]:
    """The titles of the navigation without a translation into a language."""
    listed = (plugin_options(settings, "i18n") or {}).get("languages") or ()
    known = next((entry.get("nav_translations") or {} for entry in listed if entry.get("locale") == code), {})

    def titles(entry: object) -> Iterator[str]:
        for each in entry if isinstance(entry, list) else ():
            for title, below in each.items() if isinstance(each, dict) else ():
                yield str(title)
                yield from titles(below)

    yield from (title for title in dict.fromkeys(titles(settings.get("nav"))) if title not in known)
