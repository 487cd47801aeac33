"""Who is asked to review a change of a language's pages and of their records, and which label it gets, as lines."""

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from hexapla.config.layout import RECORDS, Layout
from hexapla.config.owners import Owners
from hexapla.errors import ConfigError
from hexapla.files import read_text

# Where each host looks for the file, in its order: the first that is there is the only one read, a new one comes first.
OWNER_FILES = {"github": (".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS"),
               "gitlab": ("CODEOWNERS", "docs/CODEOWNERS", ".gitlab/CODEOWNERS")}
LABEL_FILES = {"github": (".github/labeler.yml",)}
SAFE_FOLDER = re.compile(r"[\w./@+-]+")  # means itself in a shell, in YAML and in CODEOWNERS
FIELD = re.compile(r"\{(?:lang|page)\}")


def owned_paths(layout: Layout, folder: str, owners: Owners) -> dict[str, list[str]]:
    """The paths of each language with an owner; `folder` is the tree's in its repository. Raises ConfigError."""
    if unknown := [code for code in owners.of if code not in layout.languages]:
        known = ", ".join(layout.languages) or "none"
        raise ConfigError(f"{owners.place} names {unknown[0]!r}, which is no language that is translated here; "
                          f"there are: {known}")
    if not SAFE_FOLDER.fullmatch(FIELD.sub("", layout.pattern)):
        raise ConfigError(f"{layout.pattern!r}: cannot be named in CODEOWNERS; give its folders names of letters, "
                          "digits and any of . _ @ + -, and run this again")
    start = f"/{folder}/" if folder else "/"
    records = ("{}/", "review/{}/", "{}.*")  # of its sections, of what was doubted, and its own files
    return {code: [f"{start}{path}" for path in (*page_paths(layout, code),
                                                 *(f"{RECORDS}/{each.format(code)}" for each in records))]
            for code in owners.of}


def owner_lines(owned: Mapping[str, Sequence[str]], owners: Owners) -> list[str]:
    """The lines of a CODEOWNERS file."""
    return [f"{path} {' '.join(owners.of[code])}" for code, paths in owned.items() for path in paths]


def label_lines(owned: Mapping[str, Sequence[str]]) -> list[str]:
    """The lines of a labeler.yml: a label for each language, with the patterns of its files.

    >>> label_lines({"ja": ["/docs/ja/", "/translations/ja.*"]})
    ['"ja": [{changed-files: [{any-glob-to-any-file: ["docs/ja/**", "translations/ja.*", "translations/ja.*/**"]}]}]']
    """
    def list_globs(path: str) -> tuple[str, ...]:  # what ends in a star may be a folder, too
        return (f"{path[1:]}**",) if path.endswith("/") else (path[1:], f"{path[1:]}/**")[: 1 + path.endswith("*")]

    listed = {code: json.dumps([each for path in paths for each in list_globs(path)], ensure_ascii=False)
              for code, paths in owned.items()}
    return [f'"{code}": [{{changed-files: [{{any-glob-to-any-file: {each}}}]}}]' for code, each in listed.items()]


def page_paths(layout: Layout, language: str) -> tuple[str, ...]:
    """Where the pages of a language lie as CODEOWNERS has it: its folder, else what its files are called.

    >>> here = Path(".")
    >>> page_paths(Layout(here, "docs/{lang}/docs/{page}.md", "", "en", ("ja",)), "ja")
    ('docs/ja/',)
    >>> page_paths(Layout(here, "docs/{page}.{lang}.md", "", "en", ("ja",)), "ja")
    ('docs/**/*.ja.md',)
    """
    before, named, after = layout.pattern.partition("{lang}")
    if not named or "{page}" in before:
        return tuple(f"{layout.folder(language)}**/*{suffix}" for suffix in layout.suffixes(language))
    rest, paged, _ = after.partition("/")[0].partition("{page}")
    return (f"{before}{language}{rest}{'*' if paged else '/'}",)


def lacking_lines(top: Path, places: Sequence[str], lines: Sequence[str]) -> tuple[str, list[str]]:
    """The CODEOWNERS file of a repository, and the lines that it lacks. Raises OSError.

    The last line that fits a path counts: one that another's may outdo has no effect, and is lacking too.
    """
    path = next((each for each in places if (top / each).is_file()), places[0])
    text = read_text(top, path, errors="replace") if (top / path).is_file() else ""
    there = [line.partition("#")[0].split() for line in text.splitlines()]
    ours = [line.split() for line in lines]
    last = {" ".join(each): number for number, each in enumerate(there)}
    others = [(number, each[0]) for number, each in enumerate(there) if each and each not in ours]
    return path, [line for line in lines if line not in last or any(
        number > last[line] and may_cover(pattern, line.split()[0]) for number, pattern in others)]


def may_cover(pattern: str, path: str) -> bool:
    """Whether a pattern of CODEOWNERS may fit what lies below a path of ours.

    >>> [may_cover(pattern, "/docs/ja/") for pattern in ("*", "/docs/", "docs/**/*.md", "/docs/zh/", "/tools/")]
    [True, True, True, False, False]
    """
    return path.startswith(f"/{pattern.lstrip('/').partition('*')[0]}")
