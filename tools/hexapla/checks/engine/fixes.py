"""The fixes of findings: proposed through the door for edits, shown as a difference, written whole or not at all."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from difflib import unified_diff
from pathlib import Path
from typing import NamedTuple

from hexapla.checks.finding import Finding
from hexapla.files import ChangedError, inside, read_file, replace_if_unchanged
from hexapla.pages import Page
from hexapla.pages.edits import HEADING_ID, LINK_TARGET, PageEdit, apply_edits
from hexapla.pages.lines import split_lines

BOM = b"\xef\xbb\xbf"
CHANGED = "the file was changed while it was checked; run this again"
MORE = "there would be more findings than before"


class FileFixes(NamedTuple):
    """A file as it was read and as it is with its fixes, the findings fixed, and those left with the reason."""

    path: str
    before: bytes
    after: bytes
    made: tuple[Finding, ...] = ()
    left: tuple[tuple[Finding, str], ...] = ()

    def without(
        self, kinds: frozenset[str] | None, reason: str
    ) -> tuple[list[Finding], tuple[tuple[Finding, str], ...]]:
        """The findings to fix without those whose edits are of some kinds (None: of any), and all that are left."""
        dropped = [each for each in self.made if each.fix and (kinds is None or each.fix.kind in kinds)]
        return [each for each in self.made if each not in dropped], (*self.left, *((each, reason) for each in dropped))


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
    """What the fixes of one file's findings make of it."""
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

    Links to an id that is given another name follow it. The fixes of a page that would have more findings are left
    out; where no such page has fixes, those of ids are.
    """
    fixes, counts = list(fixes), Counter(finding.path for finding in before)
    twice: set[str] = set()  # pages whose links follow ids that were fixed there too
    followed = False
    while any(each.made for each in fixes):
        found = check({each.path: each.after for each in fixes if each.made})
        worse = {path for path, count in Counter(finding.path for finding in found).items() if count > counts[path]}
        if not worse:
            break
        if not followed:
            links = [each for each in found if each.path in worse and each.fix and each.fix.kind == LINK_TARGET]
            twice = {each.path for each in fixes if each.made} & {each.path for each in links}
            fixes, followed = follow_ids(root, fixes, links, read), True
            continue
        here = [each for each in fixes if each.made and each.path in worse]
        naming = [each for each in fixes if any(item.fix and item.fix.kind == HEADING_ID for item in each.made)]
        kinds = frozenset({HEADING_ID}) if naming and not here else None
        for each in here or naming or [each for each in fixes if each.made]:
            kept, left = each.without(None if each.path in twice else kinds, MORE)
            again = fix_file(each.path, each.before, kept, read)
            fixes[fixes.index(each)] = again._replace(left=(*left, *again.left))
    return fixes


def follow_ids(
    root: Path, fixes: Sequence[FileFixes], links: Iterable[Finding], read: Callable[[str], Page]
) -> list[FileFixes]:
    """The fixes with those of links, found in pages as they are after the fixes."""
    made = {each.path: each for each in fixes}
    by_path: dict[str, list[Finding]] = defaultdict(list)
    for link in links:
        by_path[link.path].append(link)
    for path, group in by_path.items():
        data = read_file(root, path)
        first = made.get(path, FileFixes(path, data, data))
        then = fix_file(path, first.after, group, read)
        made[path] = FileFixes(path, first.before, then.after, first.made + then.made, first.left + then.left)
    return list(made.values())


def write_fixes(root: Path, fixes: Iterable[FileFixes]) -> list[FileFixes]:
    """Write each file that still is as it was read; of the others everything is left. Raises OSError."""
    written = []
    for each in fixes:
        try:
            if each.made:
                replace_if_unchanged(inside(root, each.path), each.before, each.after)
        except ChangedError:
            each = each._replace(after=each.before, made=(), left=each.without(None, CHANGED)[1])
        written.append(each)
    return written


def is_left(fixes: Iterable[FileFixes]) -> bool:
    """Whether a file was left because somebody changed it meanwhile."""
    return any(reason == CHANGED for each in fixes for _, reason in each.left)


def difference(fixes: Iterable[FileFixes]) -> Iterator[str]:
    """The lines of a unified difference of all files, without their ends."""
    for each in fixes:
        if each.after != each.before:
            old, new = (split_lines(data.decode("utf-8-sig")) for data in (each.before, each.after))
            for line in unified_diff(old, new, f"a/{each.path}", f"b/{each.path}"):
                yield line.rstrip("\r\n")


def described(fixes: Iterable[FileFixes], written: bool) -> Iterator[str]:
    """One line for each thing that was changed, or would be, and for each that is left."""
    for each in fixes:
        for finding in each.made:
            done = "changed" if written else "would change"
            yield f"{each.path}:{finding.line}: {done} {named(finding)}"
        for finding, reason in each.left:
            yield f"{each.path}:{finding.line}: left {named(finding)}: {reason}"


def named(finding: Finding) -> str:
    """What the fix of a finding changes, and the rule that asks for it."""
    return f"the {finding.fix.kind if finding.fix else 'page'} ({finding.rule})"
