"""Which page of the published reference documents which object, as `[[autodoc]]` says."""

import re
from collections.abc import Mapping

AUTODOC = re.compile(r"^[ \t]*\[\[autodoc\]\][ \t]+(?P<name>[A-Za-z_][\w.]*)[ \t]*$", re.M)


def documented_objects(texts: Mapping[str, str], package: str) -> dict[str, str]:
    """The page of each object, by its name without the package's; the first page that documents it counts."""
    found: dict[str, str] = {}
    for page, text in texts.items():
        if "[[autodoc]]" in text:
            for match in AUTODOC.finditer(text):
                found.setdefault(match["name"].removeprefix(f"{package}."), page)
    return found
