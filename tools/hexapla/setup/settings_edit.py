"""Edits of a mkdocs.yml as text: its comments, tags and layout stay."""

from collections.abc import Sequence

import yaml

from hexapla.config.yaml_edit import child_node, child_nodes, with_entry
from hexapla.errors import ConfigError
from hexapla.setup import read_template
from hexapla.translation.new_language import i18n_settings, language_entry
from hexapla.yaml_text import compose_yaml

EXTENSIONS = ("attr_list", "pymdownx.highlight", "pymdownx.superfences")  # ids of headings; blocks that show snippets


def with_theme(text: str) -> str:
    """The settings with the theme that pages are made with. Raises ConfigError where they name another."""
    theme = child_node(compose_yaml(text), "theme")
    name = theme.value if isinstance(theme, yaml.ScalarNode) else getattr(child_node(theme, "name"), "value", "")
    if name == "material":
        return text
    if theme is not None:
        raise ConfigError(
            f"mkdocs.yml:{theme.start_mark.line + 1}: the theme is {name or 'no name'}, and Hexapla builds "
            "with Material; set `theme: {name: material}` first, or use `hexapla check` and `status` as it is"
        )
    return with_key(text, read_template("templates/theme.yml"))


def with_plugins(text: str, source: str, codes: Sequence[str], options: str) -> str:
    """The settings with the plugins i18n and hexapla; `options` are those of hexapla, "" for none."""
    names = listed_names(text, "plugins")
    if "i18n" in names:
        text = with_folders(text)
    else:
        languages = [f"{{{language_entry(source)}, default: true}}", *(f"{{{language_entry(code)}}}" for code in codes)]
        text = with_listed(text, "plugins", "i18n:" + i18n_options(languages, is_flow(text, "plugins")), ("search",))
    if "hexapla" not in names:
        text = with_listed(text, "plugins", f"hexapla: {options}" if options else "hexapla", ("search",))
    if not listed_names(text, "plugins") >= {"i18n", "hexapla"}:
        raise ConfigError("mkdocs.yml: its plugins are written in a way that cannot be added to; add i18n and hexapla "
                          "by hand")
    return text


def with_extensions(text: str) -> str:
    """The settings with the Markdown extensions that Hexapla's pages need."""
    for name in EXTENSIONS:
        if name not in listed_names(text, "markdown_extensions"):
            text = with_listed(text, "markdown_extensions", name)
    return text


def i18n_options(languages: Sequence[str], flow: bool) -> str:
    options = ["docs_structure: folder", "fallback_to_default: true", "reconfigure_search: false"]
    if flow:
        return f" {{{', '.join(options)}, languages: [{', '.join(languages)}]}}"
    return "".join(f"\n  {line}" for line in [*options, "languages:", *(f"  - {each}" for each in languages)])


def is_flow(text: str, key: str) -> bool:
    """Whether the list, or the mapping, of a key stands on one line, in brackets, or is empty."""
    listed = child_node(compose_yaml(text), key)
    return isinstance(listed, yaml.CollectionNode) and bool(listed.flow_style or not listed.value)


def with_folders(text: str) -> str:
    """The settings with a folder for each language where the i18n plugin had suffixes."""
    options = i18n_settings(compose_yaml(text))
    structure = child_node(options, "docs_structure")
    if structure is not None:
        return text[: structure.start_mark.index] + "folder" + text[structure.end_mark.index :]
    key = options.value[0][0]
    joint = ", " if options.flow_style else "\n" + " " * key.start_mark.column
    return f"{text[: key.start_mark.index]}docs_structure: folder{joint}{text[key.start_mark.index :]}"


def with_listed(text: str, key: str, entry: str, first: Sequence[str] = ()) -> str:
    """The settings with `entry` at the end of the list, or the mapping, `key`; a new list begins with `first`."""
    listed = child_node(compose_yaml(text), key)
    if isinstance(listed, yaml.MappingNode) and listed.tag == "tag:yaml.org,2002:map":
        return with_entry(text, listed, entry if ":" in entry else f"{entry}: {{}}")
    if isinstance(listed, yaml.SequenceNode) and listed.tag == "tag:yaml.org,2002:seq":
        return with_entry(text, listed, f"{{{entry}}}" if is_flow(text, key) and ": " in entry else entry)
    if listed is not None:
        problem = ("is empty; take the line away" if listed.tag == "tag:yaml.org,2002:null"
                   else "is neither a list nor a mapping; write it as a list")
        raise ConfigError(f"mkdocs.yml:{listed.start_mark.line + 1}: `{key}` {problem}")
    entries = (*first, entry.replace("\n", "\n    "))
    return with_key(text, "".join([f"{key}:\n", *(f"  - {each}\n" for each in entries)]))


def with_key(text: str, lines: str) -> str:
    """The settings with a key more at their end. Raises ConfigError."""
    if getattr(compose_yaml(text), "flow_style", False):
        raise ConfigError("mkdocs.yml:1: all of its settings stand in one pair of braces; write them one a line")
    return f"{text.rstrip()}\n\n{lines}"


def listed_names(text: str, key: str) -> set[str]:
    """The names of the plugins or extensions in the list, or the mapping, `key`."""
    listed = child_node(compose_yaml(text), key)
    entries = listed.value if isinstance(listed, yaml.SequenceNode) else [listed]
    return {str(name) for each in entries for name in dict(child_nodes(each)) or [getattr(each, "value", "")]}
