"""Pages that a language lacks or has lost, pages whose source is gone, and records that a merge left in conflict."""

import contextlib
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

from hexapla.cache import key_of
from hexapla.checks.finding import Finding
from hexapla.checks.nearest import nearest_name
from hexapla.checks.site_index import SiteIndex
from hexapla.config.layout import RECORDS, misnamed_pages, recorded_sections
from hexapla.files import OutsideError, is_own_file, read_file, walk_files

MARK = re.compile(rb"^<{7}(?: |$)", re.MULTILINE)


def coverage(tree: SiteIndex) -> Iterator[Finding]:
    """`page-missing` for each page of the source that a language lacks, `page-orphan` for each without a source.

    A page that is not there, but has records, was translated once: `page-lost`. One whose name a terminal would act
    upon is `page-unreadable`.
    """
    layout = tree.layout
    for language in (layout.source, *layout.languages):
        for path in misnamed_pages(layout, language):
            message = "the name of this page holds a line break or another control character, so nothing reads it"
            yield Finding(path=path.encode("unicode_escape").decode(), line=1, column=1, rule="page-unreadable",
                          message=message, hint="rename it", language=language)
    source = tree.pages[layout.source]
    for language in layout.languages:
        pages = tree.pages[language]
        if language not in layout.derived:
            for name in sorted(source.keys() - pages.keys()):
                path, shown = layout.path(language, name), layout.shown(language)
                instead = f"readers get {shown[1]}" if len(shown) > 1 else "the site does not have it"
                yield Finding(
                    path=path, line=1, column=1, rule="page-lost", message="this page was translated and is gone",
                    hint=f"bring it back, or translate it again; until then {instead}", language=language,
                    severity="warning",
                    source_path=source[name], source_line=1,
                ) if recorded_sections(layout.root, language, name) else Finding(
                    path=path, line=1, column=1, rule="page-missing", message="this page is not translated",
                    hint=f"translate it; until then {instead}", language=language, severity="note",
                    source_path=source[name], source_line=1,
                )
        for name in sorted(pages.keys() - source.keys()):
            near = nearest_name(name, source.keys() - pages.keys(), 0.9)
            hint = f"move it to {layout.path(language, near)}, or delete it" if near else "delete it, or add its source"
            yield Finding(path=pages[name], line=1, column=1, rule="page-orphan",
                          message="this page has no source page", hint=hint, language=language, severity="warning")


def record_conflict(tree: SiteIndex) -> Iterator[Finding]:
    """`record-conflict` for each file of records that a merge left with its marks; they are kept by the files' bytes.
    """
    root = tree.layout.root
    for language in tree.layout.languages:
        folder, files = f"{RECORDS}/{language}", dict[str, str]()
        with contextlib.suppress(OutsideError):  # a folder that a link puts outside of the tree has none of its files
            files = {file: tree.files.digest(root, file) for file in walk_files(root, folder) if file.endswith(".txt")}
        key = key_of("conflicts of records", files)
        kept = tree.files.cache.get(key)
        if kept is None:
            kept = [(file, line) for file in files if (line := first_conflict(root, file))]
            tree.files.cache.put(key, kept)
        for file, line in kept:
            page = file.removeprefix(f"{folder}/").removesuffix(".txt")
            yield Finding(
                path=file, line=line, column=1, rule="record-conflict", language=language,
                message="a merge left both sides of a conflict here",
                hint=f"put them together: hexapla sync {shlex.quote(page)} --language {language} --write",
            )


def first_conflict(root: Path, file: str) -> int:
    """The line of the first mark of a merge in a file, 0 for none."""
    data = read_file(root, file) if is_own_file(root, file) else b""
    found = MARK.search(data)
    return data.count(b"\n", 0, found.start()) + 1 if found else 0
