"""The texts beside the pages of a project: read from their files, and translated in them."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import partial
from pathlib import Path

from hexapla.config.mkdocs_yaml import plugin_options, read_settings
from hexapla.config.project import Project, find_terms
from hexapla.config.yaml_edit import child_node, child_nodes, with_value, without_key
from hexapla.errors import ConfigError
from hexapla.examples import comments
from hexapla.examples.snippet import Snippets
from hexapla.files import OutsideError, is_own_file, join_inside, pages_under, read_text
from hexapla.pages import SectionError, excerpt
from hexapla.site.texts import strings
from hexapla.translation.new_language import edited_file, strings_path, write_files
from hexapla.translation.site_text import SiteText, TextKind
from hexapla.yaml_text import compose_yaml

# The parts of Python files that a page includes, and perhaps more: what is no file or section shows nothing.
INCLUDED = re.compile(r"""8<-+[ \t]+["'](?P<path>[^"'\n:]+\.py)(?::(?P<section>[A-Za-z][-\w]*))?""")
ALIKE = 0.6  # of a comment has to be the same in another one for that to be what has become of it
CALLED = {
    TextKind.NAVIGATION: "the navigation's title", TextKind.SENTENCES: "the site's sentence",
    TextKind.COMMENTS: "the comment", TextKind.GLOSSARY: "the term",
}


@dataclass(frozen=True)
class ProjectTexts:
    """The texts beside the pages of a project."""

    project: Project

    @property
    def languages(self) -> tuple[str, ...]:
        """The languages that people translate into: none that is derived."""
        return tuple(each.code for each in self.project.languages[1:] if not each.derived_from)

    def read(self) -> tuple[SiteText, ...]:
        """All texts as they are on disk now. Raises ConfigError."""
        strings.register_project_strings(self.project)
        found = (navigation_titles, site_sentences, shown_comments, glossary_terms)
        return tuple(text for texts in found for text in texts(self.project, self.languages))

    def problem(self, text: SiteText, language: str, translation: str) -> str:
        """Why a translation cannot be used, "" for no reason."""
        if not comments.is_one_line(translation):
            return "is not one line; write it on one"
        placeholders = strings.find_placeholders
        if text.kind is TextKind.SENTENCES and placeholders(translation) != placeholders(text.text):
            return f"does not have the values in braces that the source has; keep those of {text.text!r}"
        return ""

    def put(self, text: SiteText, language: str, translation: str) -> None:
        """Write a translation. Raises ConfigError and OSError."""
        root = self.project.root
        file, change = {
            TextKind.NAVIGATION: (root / "mkdocs.yml", with_title),
            TextKind.SENTENCES: (root / strings_path(language), with_sentence),
            TextKind.COMMENTS: (self.project.comments, with_comment),
            TextKind.GLOSSARY: (self.project.glossary, with_term),
        }[text.kind]
        edit = edited_file(file, partial(change, text, language, translation), "")
        write_files(self.project.root, {file: edit})


def untranslated_texts(files: ProjectTexts) -> dict[str, list[str]]:
    """The texts that each language lacks, as `file: what` lines. Raises ConfigError."""
    texts = files.read()
    return {
        code: [line_of(text, code) for text in texts if code not in text.translations] for code in files.languages
    }


def line_of(text: SiteText, language: str) -> str:
    """A line on a text that a language lacks."""
    path = strings_path(language) if text.kind is TextKind.SENTENCES else text.path
    place = f"{path}:{text.line}" if text.line else path
    behind = language in text.earlier and language not in text.translations
    change = f", translated as {text.previous!r}: `hexapla translate` offers that" if behind else ""
    return f"{place}: {CALLED[text.kind]} {text.name!r}{change}"


def navigation_titles(project: Project, languages: tuple[str, ...]) -> Iterator[SiteText]:
    """The titles in the navigation, each once."""
    settings = read_settings(project.root / "mkdocs.yml")
    listed = (plugin_options(settings, "i18n") or {}).get("languages") or ()
    known = {entry.get("locale"): entry.get("nav_translations") or {} for entry in listed}

    def walk_titles(entry: object) -> Iterator[str]:
        for each in entry if isinstance(entry, list) else ():
            for title, below in each.items() if isinstance(each, dict) else ():
                yield str(title)
                yield from walk_titles(below)

    for title in dict.fromkeys(walk_titles(settings.get("nav"))):
        found = {code: str(known[code][title]) for code in languages if title in known.get(code, {})}
        yield SiteText(TextKind.NAVIGATION, title, title, "mkdocs.yml", 0, found)


def site_sentences(project: Project, languages: tuple[str, ...]) -> Iterator[SiteText]:
    """What the site says of itself; nothing where Hexapla brings it in all languages."""
    if strings.shipped_sentences().keys() >= set(languages):
        return
    known = {code: strings.sentences_of(code) for code in languages}
    for name, text in strings.shipped_sentences()["en"].items():
        found = {code: known[code][name] for code in languages if name in known[code]}
        yield SiteText(TextKind.SENTENCES, name, text, "", 0, found)


def shown_comments(project: Project, languages: tuple[str, ...]) -> Iterator[SiteText]:
    """The comments that are translated, and those that pages show and are not.

    A translated one that no snippet has any more is offered for the one that it has become, and is told by the build.
    """
    file, codes = project.comments, [each.code for each in project.languages]
    table, _ = comments.parse_comments(read_text(file.parent, file) if file.is_file() else "", codes)
    path = file.relative_to(project.root).as_posix()
    here = used_comments(project)
    known = {comment: {code: word for code, word in words.items() if code in languages}
             for comment, words in table.translations.items()}
    gone = [each for each in known if each not in here]
    shown = {each: (path, table.lines[each]) for each in known if each in here}
    for comment, place in (shown | untranslated_comments(project, known)).items():
        there = known.get(comment, {})
        lacking = any(code not in there for code in languages)
        was = next(iter(get_close_matches(comment, gone, 1, ALIKE)), "") if lacking else ""
        yield SiteText(TextKind.COMMENTS, comment, comment, *place, there, was, known.get(was, {}))


def used_comments(project: Project) -> set[str]:
    """The comments of all snippets, helpers too."""
    files = project.snippets.glob("*/*.py")
    return {each for file in files if is_own_file(project.root, file)
            for each in comments.comments_in(read_text(project.root, file, errors="replace"))}


def untranslated_comments(project: Project, known: Mapping[str, object]) -> dict[str, tuple[str, int]]:
    """The comments in code that pages of the source show and that are not `known`, with the file and line of each."""
    included: dict[tuple[str, str], None] = {}
    for file in pages_under(project.docs / project.source.code):
        if not is_own_file(project.root, file):
            continue
        text = read_text(project.root, file, errors="replace")
        included |= {(each["path"], each["section"] or ""): None for each in INCLUDED.finditer(text)}
    found: dict[str, tuple[str, int]] = {}
    names = Snippets(project.snippets, project.included)
    for path, section in included:
        try:
            snippet = join_inside(project.snippets, names.name(path))
            part = excerpt(read_text(project.snippets, snippet, errors="replace"), section)
        except (OSError, OutsideError, SectionError):
            continue  # the page that includes it says so
        place = relative_path(snippet, project.root)
        new = {each: (place, part.first + line - 1) for each, line in comments.comments_in(part.text).items() if each}
        found |= {each: where for each, where in new.items() if each not in known and each not in found}
    return found


def relative_path(file: Path, root: Path) -> str:
    """A file's path from the root, where it is below that."""
    return file.relative_to(root.resolve()).as_posix() if file.is_relative_to(root.resolve()) else file.name


def glossary_terms(project: Project, languages: tuple[str, ...]) -> Iterator[SiteText]:
    """The terms of the glossary that are translated."""
    path = relative_path(project.glossary.resolve(), project.root)
    for term in find_terms(project.root):
        if not term.keep:
            found = {code: term.renderings[code] for code in languages if term.renderings.get(code)}
            yield SiteText(TextKind.GLOSSARY, term.term, term.term, path, term.line, found)


def with_title(text: SiteText, language: str, translation: str, settings: str) -> str:
    """A mkdocs.yml with a title's translation. Raises ConfigError."""
    plugins = child_node(compose_yaml(settings), "plugins")
    named = [((), plugins), *(((key,), entry) for key, entry in child_nodes(plugins))]  # a mapping, or a list of them
    path, i18n = next(((key, found) for key, entry in named if (found := child_node(entry, "i18n"))), ((), None))
    for number, entry in child_nodes(child_node(i18n, "languages")):
        locale = child_node(entry, "locale")
        if locale is not None and locale.value == language:
            place = ("plugins", *path, "i18n", "languages", number, "nav_translations", text.text)
            return with_value(settings, place, translation)
    raise ConfigError(f"mkdocs.yml: the i18n plugin has no language {language!r}; add it with `hexapla add-language`")


def with_sentence(text: SiteText, language: str, translation: str, table: str) -> str:
    """A file of the site's sentences with one more. Raises ConfigError."""
    return with_value(table, (text.name,), translation)


def with_comment(text: SiteText, language: str, translation: str, table: str) -> str:
    """The table of comments with a translation; that of what the comment was before goes. Raises ConfigError."""
    made = with_value(table, (text.text, language), translation)
    if language in text.earlier:
        left = child_node(compose_yaml(made), text.previous)
        made = without_key(made, (text.previous, language) if len(child_nodes(left)) > 1 else (text.previous,))
    return made


def with_term(text: SiteText, language: str, translation: str, glossary: str) -> str:
    """A glossary with a rendering of a term. Raises ConfigError."""
    for number, entry in child_nodes(compose_yaml(glossary)):
        term = child_node(entry, "term")
        if term is not None and term.value == text.text:
            return with_value(glossary, (number, language), translation)
    raise ConfigError(f"the glossary has no term {text.text!r} any more; open the page again")
