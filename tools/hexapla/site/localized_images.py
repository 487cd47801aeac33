"""Images in the reader's language: pages link the source's, such as `memory-en-light.svg`."""

import re
from collections.abc import Callable

IMAGE = re.compile(r'(<img\b[^<>]*?\bsrc="[^"]*?)([^"/#]+)(?=[#"])')


def localize_images(html: str, exists: Callable[[str], bool], source: str, language: str) -> str:
    """Rendered HTML whose images `...-{source}-...` are `...-{language}-...`, in lower case, where that exists."""

    def localize(match: re.Match[str]) -> str:
        name = match[2].replace(f"-{source}-", f"-{language.lower()}-", 1)
        return match[1] + (name if name != match[2] and exists(name) else match[2])

    return IMAGE.sub(localize, html)
