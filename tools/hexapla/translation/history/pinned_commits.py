"""The commit of its source that a page names in its front matter, as OpenTelemetry's pages do.

    ---
    default_lang_commit: c1e141558ab36cc1ab9f864728e4665e272ac131
    drifted_from_default: true
    ---

The other line says that the source has changed since. Who names a new commit takes it out, with what is said of the old
one behind it (`# patched`).
"""

import re

from hexapla.pages.lines import front_matter_end

PIN = re.compile(r"(default_lang_commit:[ \t]*)([0-9a-f]{7,40})\b[^\r]*")
DRIFT = re.compile("drifted_from_default:")


def pinned_commit(text: str) -> str:
    """The commit that a page names, as it is written there, "" for none."""
    lines = text.split("\n")
    found = (PIN.match(line) for line in lines[: front_matter_end(lines)])
    return next((match[2] for match in found if match), "")


def pin_commit(text: str, commit: str) -> str:
    r"""The text of a page that names a commit, with another one in its place.

    >>> pin_commit("---\ndefault_lang_commit: 0c1d2e3 # patched\ndrifted_from_default: true\n---\n# A\n", "83baae6")
    '---\ndefault_lang_commit: 83baae6\n---\n# A\n'
    """
    lines = text.split("\n")
    end = front_matter_end(lines)
    front = [PIN.sub(rf"\g<1>{commit}", line, count=1) for line in lines[:end] if not DRIFT.match(line)]
    return "\n".join((*front, *lines[end:]))
