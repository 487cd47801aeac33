"""The fixes of findings: proposed through the door for edits, shown as a difference, written whole or not at all."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from difflib import unified_diff
from pathlib import Path
from typing import NamedTuple

from hexapla.checks.finding import Finding, subtract_findings
from hexapla.files import ChangedError, join_inside, read_file, replace_if_unchanged
from hexapla.pages import Page
from hexapla.pages.edits import HEADING_ID, LINK_TARGET, PageEdit, apply_edits, moved_back
from hexapla.pages.lines import split_lines

BOM = b"\xef\xbb\xbf"
CHANGED = "the file was changed while it was checked; run this again"
MORE = "there would be more findings than before"
Blamed = Callable[[Finding], bool]


class FileFixes(NamedTuple):
    """A file as it was read and as it is with its fixes, the findings fixed, and those left with the reason."""

    path: str
    before: bytes
    after: bytes
    made: tuple[Finding, ...] = ()
    left: tuple[tuple[Finding, str], ...] = ()

    def without(self, blamed: Blamed, reason: str) -> "FileFixes":
        """These fixes with those that are blamed among what is left; the file is not made again."""
        dropped = tuple((each, reason) for each in self.made if blamed(each))
        return self._replace(made=tuple(each for each in self.made if not blamed(each)), left=(*self.left, *dropped))


def propose_fixes(
    root: Path, findings: Iterable[Finding], read: Callable[[str], Page], was_checked: Callable[[str, bytes], bool]
) -> list[FileFixes]:
    """What the fixes of findings make of each file; nothing is written. `was_checked`: a file's bytes as they are now.
    """
    by_path: dict[str, list[Finding]] = defaultdict(list)
    for finding in findings:
        if finding.fix is not None:
            by_path[finding.path].append(finding)
    made = []
    for path, group in sorted(by_path.items()):
        data = read_file(root, path)
        made.append(fix_file(path, data, group, read) if was_checked(path, data) else FileFixes(
            path, data, data, left=tuple((each, CHANGED) for each in group)))
    return made


def fix_file(path: str, data: bytes, findings: Iterable[Finding], read: Callable[[str], Page]) -> FileFixes:
    by_edit: dict[PageEdit, Finding] = {}
    for finding in findings:
        if finding.fix is not None:
            by_edit.setdefault(finding.fix, finding)
    edited = apply_edits(data.decode("utf-8-sig"), by_edit, read)
    start = BOM if data.startswith(BOM) else b""
    return FileFixes(
        path, data, start + edited.text.encode() if edited.made else data, tuple(by_edit[edit] for edit in edited.made),
        tuple((by_edit[edit], reason) for edit, reason in edited.left),
    )


def without_new_findings(
    root: Path, fixes: Sequence[FileFixes], before: Sequence[Finding],
    check: Callable[[Mapping[str, bytes]], Sequence[Finding]], read: Callable[[str], Page],
) -> list[FileFixes]:
    """The fixes after which no page has more findings than before; `check` gives those of files as they would be.

    Links to an id that is given another name follow it. Of the fixes those that new findings come of are left out, as
    `CAUSES` has it: a check each, so that what it costs does not grow with their number.
    """
    known = Counter(finding.path for finding in before)

    def found() -> Sequence[Finding]:
        files = {each.path: each.after for each in fixes if each.made}
        return check(files) if files else ()

    after = found()
    if links := [each for each in subtract_findings(after, before) if each.fix and each.fix.kind == LINK_TARGET]:
        fixes = follow_ids(root, fixes, links, read)
        after = found()
    for blame in CAUSES:
        counts = Counter(finding.path for finding in after)
        new = [each for each in subtract_findings(after, before) if counts[each.path] > known[each.path]]
        blamed = blame(new)
        if new and any(map(blamed, (finding for each in fixes for finding in each.made))):
            fixes = [leave_out(each, blamed, read) for each in fixes]
            after = found()
    return list(fixes)


def on_lines(new: Iterable[Finding]) -> Blamed:
    """Blame what is fixed on a line that a new finding names, in its page or its source, and an id that it misses."""
    places = {place for each in new for place in ((each.path, each.line), (each.source_path, each.source_line))}
    ids = {each.subject.rpartition("#")[2] for each in new if "#" in each.subject}
    return lambda made: (made.path, made.line) in places or (is_of_id(made) and made.subject in ids)


def in_pages(new: Iterable[Finding]) -> Blamed:
    """Blame all that is fixed in a page with new findings or in its source, and the ids that they miss."""
    paths, by_line = {path for each in new for path in (each.path, each.source_path)}, on_lines(new)
    return lambda made: made.path in paths or by_line(made)


def is_of_id(finding: Finding) -> bool:
    return finding.fix is not None and finding.fix.kind == HEADING_ID


# What is left out for new findings, one after the other until there are none.
CAUSES: Sequence[Callable[[Iterable[Finding]], Blamed]] = (
    on_lines, on_lines, on_lines, in_pages, in_pages, lambda _: is_of_id, lambda _: bool,
)


def leave_out(fixes: FileFixes, blamed: Blamed, read: Callable[[str], Page]) -> FileFixes:
    """The fixes of a file without those that are blamed."""
    kept = fixes.without(blamed, MORE)
    if kept.made == fixes.made:
        return fixes
    again = fix_file(fixes.path, fixes.before, kept.made, read)
    return again._replace(left=(*kept.left, *again.left))


def follow_ids(
    root: Path, fixes: Sequence[FileFixes], links: Iterable[Finding], read: Callable[[str], Page]
) -> list[FileFixes]:
    """The fixes with those of links, found in pages as they are after the fixes."""
    made = {each.path: each for each in fixes}
    by_path: dict[str, list[Finding]] = defaultdict(list)
    for link in links:
        by_path[link.path].append(link)
    for path, group in by_path.items():
        first = made.get(path) or FileFixes(path, data := read_file(root, path), data)
        edits = [each.fix for each in first.made if each.fix]
        text = first.before.decode("utf-8-sig")
        moved = [link._replace(fix=fix) for link in group if link.fix and (fix := moved_back(link.fix, text, edits))]
        then = fix_file(path, first.before, (*first.made, *moved), read)
        made[path] = then._replace(left=(*first.left, *then.left))
    return list(made.values())


def write_fixes(root: Path, fixes: Iterable[FileFixes]) -> list[FileFixes]:
    """Write each file that still is as it was read; of the others everything is left. Raises OSError."""
    written = []
    for each in fixes:
        try:
            if each.made:
                replace_if_unchanged(join_inside(root, each.path), each.before, each.after)
        except ChangedError:
            each = each.without(bool, CHANGED)._replace(after=each.before)
        written.append(each)
    return written


def is_left(fixes: Iterable[FileFixes]) -> bool:
    """Whether a file was left because somebody changed it meanwhile."""
    return any(reason == CHANGED for each in fixes for _, reason in each.left)


def fix_difference(fixes: Iterable[FileFixes]) -> Iterator[str]:
    """The lines of a unified difference of all files, without their ends."""
    for each in fixes:
        if each.after != each.before:
            old, new = (split_lines(data.decode("utf-8-sig")) for data in (each.before, each.after))
            for line in unified_diff(old, new, f"a/{each.path}", f"b/{each.path}"):
                yield line.rstrip("\r\n")


def describe_fixes(fixes: Iterable[FileFixes], written: bool) -> Iterator[str]:
    """One line for each thing that was changed, or would be, and for each that is left."""
    for each in fixes:
        for finding in each.made:
            done = "changed" if written else "would change"
            yield f"{each.path}:{finding.line}: {done} {describe_fix(finding)}"
        for finding, reason in each.left:
            yield f"{each.path}:{finding.line}: left {describe_fix(finding)}: {reason}"


def describe_fix(finding: Finding) -> str:
    """What the fix of a finding changes, and the rule that asks for it."""
    return f"the {finding.fix.kind if finding.fix else 'page'} ({finding.rule})"
