"""The kind of a model by the name of its checkpoint, from the patterns of `names.yml`.

    >>> find_kind("meta-llama/Llama-3.1-8B-Instruct", {"llama", "phi3"})
    'llama'
"""

import re
from collections.abc import Collection

from _texts import read_texts


def plain(text: str) -> str:
    """The letters and digits of a name, in lower case."""
    return re.sub(r"[^a-z0-9]", "", text.lower())


def read_patterns() -> tuple[str, str, dict[str, str | None]]:
    """The words of a name that tell a size, those that tell a variant, and for each pattern its kind."""
    names = read_texts("names")
    return names["sizes"].replace(" ", ""), names["variants"].replace(" ", ""), names["kinds"]


def find_kind(name: str, kinds: Collection[str]) -> str | None:
    """The kind that a checkpoint's name stands for; None if nothing tells it."""
    by_name = {plain(kind): kind for kind in kinds}
    wanted = re.sub(r"[\s_:]+", "-", name.strip().rpartition("/")[2].lower())
    if plain(wanted) in by_name:
        return by_name[plain(wanted)]
    sizes, variants, families = read_patterns()
    for pattern, kind in families.items():
        if re.match(f"(?:{pattern})(?=-|$)", wanted):
            return kind if kind in kinds else None
    words = [word for word in wanted.split("-") if not re.fullmatch(f"{sizes}|{variants}", word)]
    return by_name.get(plain("".join(words)))
