"""The files of a new language: its entry in mkdocs.yml, the glossary's column, the site's sentences, the records."""

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from hexapla.cldr import native_name
from hexapla.config.project import Project
from hexapla.config.yaml_edit import child_node, end_of_line, with_entry
from hexapla.errors import ConfigError
from hexapla.files import join_inside, read_file, replace_if_unchanged
from hexapla.languages import COUNTRIES, is_code
from hexapla.translation.records import records
from hexapla.yaml_text import compose_yaml, locate_mistake

LISTED = re.compile(r"[a-z]{2}(?:-[A-Za-z]{4})?(?:-[A-Z]{2})?|[a-z]{2}_[A-Z]{2}")  # as the i18n plugin takes them
Sentences = Mapping[str, str]  # what the site says in English, by name


class FileEdit(NamedTuple):
    """A file's bytes as they were read, None for one that is not there, and as they will be."""

    before: bytes | None
    after: bytes


Edits = Mapping[Path, FileEdit]


def strings_path(language: str) -> str:
    """Where a project keeps the site's sentences in a language that hexapla does not bring."""
    return f"{records.FOLDER}/strings-{language}.yml"


def new_files(project: Project, code: str, name: str | None, sentences: Sentences, known: bool) -> Edits:
    """The files to write, only those that change; `known` says that hexapla has its sentences. Raises ConfigError."""
    check_code(code)
    settings = project.root / "mkdocs.yml"
    made = {settings: edited_file(settings, lambda text: with_language(text, code, name))}
    if project.glossary.is_file():
        made[project.glossary] = edited_file(project.glossary, lambda text: with_column(text, code, project))
    made |= language_files(project.root, code, sentences, known)
    return effective_edits(made)


def check_code(code: str) -> None:
    """See that a code is one of a language, and not of a country. Raises ConfigError."""
    if code.lower() in COUNTRIES:
        raise ConfigError(f"{code!r} is the code of a country; write the language's: {COUNTRIES[code.lower()]}")
    if not is_code(code) or not LISTED.fullmatch(code):
        raise ConfigError(f"{code!r} is no code of a language; write it as ko or pt-BR")


def effective_edits(edits: Edits) -> Edits:
    return {file: each for file, each in edits.items() if each.before != each.after}


def language_files(root: Path, code: str, sentences: Sentences, known: bool) -> dict[Path, FileEdit]:
    """The records of a language, and the site's sentences if hexapla does not bring them."""
    begun = {} if (root / records.FOLDER / code).is_dir() else {root / records.path(code): records.BEGUN}
    made = begun | (
        {} if known else {root / strings_path(code): blank_sentences(code, sentences)})
    return {file: FileEdit(None, text.encode()) for file, text in made.items() if not file.is_file()}


def edited_file(file: Path, change: Callable[[str], str], new: str | None = None) -> FileEdit:
    """An edit of a file, its line ends kept; `new` is what one that is not there begins with. Raises ConfigError."""
    try:
        before = read_file(file.parent, file) if new is None or file.is_file() else None
        text = (new or "") if before is None else before.decode("utf-8")
        end = "\r\n" if "\r\n" in text else "\n"
        return FileEdit(before, change(text.replace("\r\n", "\n")).replace("\n", end).encode())
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{file}: cannot be read ({error}); correct that first") from error
    except yaml.YAMLError as error:
        line, column, problem = locate_mistake(error)
        raise ConfigError(f"{file}:{line}:{column}: is not YAML ({problem}); correct it") from error


def with_language(text: str, code: str, name: str | None) -> str:
    """A mkdocs.yml with a language more in the i18n plugin's list; its comments and layout stay. Raises ConfigError."""
    listed = child_node(i18n_settings(compose_yaml(text)), "languages")
    if not isinstance(listed, yaml.SequenceNode) or not listed.value:
        raise ConfigError("mkdocs.yml: the i18n plugin lists no languages; add it with the first two by hand")
    codes = [child_text(entry, "locale") for entry in listed.value]
    if code in codes:
        return text
    return with_entry(text, listed, f"{{{language_entry(code, name)}}}")


def language_entry(code: str, name: str | None = None) -> str:
    """What the i18n plugin's list says of a language, inside braces. Raises ConfigError."""
    try:
        shown = name or native_name(code)
    except ValueError as error:
        raise ConfigError(
            f"{code!r} has no name that is known here; give it by `hexapla add-language {code} --name NAME`"
        ) from error
    return f"locale: {code}, name: {yaml.safe_dump([shown], allow_unicode=True, default_flow_style=True)[1:-2]}"


def i18n_settings(root: Any) -> Any:
    """The options of the i18n plugin in a mkdocs.yml, whose plugins are a list or a mapping; None without them."""
    plugins = child_node(root, "plugins")
    listed = plugins.value if isinstance(plugins, yaml.SequenceNode) else [plugins]
    return next((found for each in listed if (found := child_node(each, "i18n")) is not None), None)


def child_text(node: Any, key: str) -> str:
    found = child_node(node, key)
    return str(found.value) if found is not None else ""


def with_column(text: str, code: str, project: Project) -> str:
    """A glossary with a line for the language in each entry: the term itself where it is kept, else left to fill in."""
    root = compose_yaml(text)
    codes = {language.code for language in project.languages}
    insertions: list[tuple[int, str]] = []
    for entry in root.value if isinstance(root, yaml.SequenceNode) else []:
        pairs = entry.value if isinstance(entry, yaml.MappingNode) else []
        if not pairs or child_node(entry, code) is not None or entry.flow_style:
            continue
        renderings = [pair for pair in pairs if pair[0].value in codes]
        key, after = (renderings or [pair for pair in pairs if pair[0].value in {"term", "treatment"}] or pairs)[-1]
        end = end_of_line(text, len(text[: max(after.end_mark.index, key.end_mark.index)].rstrip()))
        word = child_text(entry, "term") if child_text(entry, "treatment") == "keep" else ""
        rendering = yaml.safe_dump(word, allow_unicode=True).splitlines()[0] if word else ""
        line = f"\n{' ' * key.start_mark.column}{code}: {rendering}".rstrip()
        insertions.append((end, line))
    for offset, line in reversed(insertions):
        text = text[:offset] + line + text[offset:]
    return text


def blank_sentences(code: str, sentences: Sentences) -> str:
    """The site's sentences to fill in."""
    lines = [f"# What the site says in {code}. What is left empty is shown in English; keep what is in braces."]
    for name, sentence in sentences.items():
        lines += [*(f"# {line}" for line in sentence.split("\n")), f'{name}: ""']
    return "\n".join(lines) + "\n"


def write_files(root: Path, edits: Edits) -> None:
    """Write all files, or none: if one cannot be written or was changed meanwhile, those before it are put back."""
    edits = {join_inside(root, file): edit for file, edit in edits.items()}
    done: list[Path] = []
    try:
        for file, edit in edits.items():
            replace_if_unchanged(file, edit.before, edit.after)
            done.append(file)
    except (ConfigError, OSError):
        for file in reversed(done):
            replace_if_unchanged(file, edits[file].after, edits[file].before)
        raise
