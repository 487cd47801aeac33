"""The marks of a merge in a file of records, with the command that puts both sides together."""

import re
import shlex
from collections.abc import Iterator

from hexapla.checks.finding import Finding
from hexapla.checks.site_index import SiteIndex
from hexapla.config.layout import RECORDS
from hexapla.files import is_own_file, read_file

MARK = re.compile(rb"^<{7}(?: |$)", re.MULTILINE)


def record_conflict(tree: SiteIndex) -> Iterator[Finding]:
    """`record-conflict` for each file of records that a merge left with its marks."""
    layout = tree.layout
    for language in layout.languages:
        folder = layout.root / RECORDS / language
        for file in (folder.with_name(f"{language}.txt"), *sorted(folder.rglob("*.txt"))):
            if is_own_file(layout.root, file) and (found := MARK.search(data := read_file(layout.root, file))):
                line = data.count(b"\n", 0, found.start()) + 1
                page = file.relative_to(folder).with_suffix("").as_posix() if folder in file.parents else language
                yield Finding(
                    path=file.relative_to(layout.root).as_posix(), line=line, column=1, rule="record-conflict",
                    message="a merge left both sides of a conflict here", language=language,
                    hint=f"put them together: hexapla sync {shlex.quote(page)} --language {language} --write",
                )
