"""A picture in the reader's language where there is one: pages link the source's, such as `memory-en-light.svg`."""

import re
from collections.abc import Collection

IMAGE = re.compile(r'(<img\b[^<>]*?\bsrc="[^"]*?)([^"/#]+)(?=[#"])')


def localize(html: str, names: Collection[str], source: str, language: str) -> str:
    """Rendered HTML whose images `...-{source}-...` are `...-{language}-...`, code in lower case, if in `names`."""

    def own(match: re.Match[str]) -> str:
        name = match[2].replace(f"-{source}-", f"-{language.lower()}-", 1)
        return match[1] + (name if name in names else match[2])

    return IMAGE.sub(own, html)
