"""Simplified Chinese becomes Traditional as Taiwan or Hong Kong writes it, or the reverse, in prose only."""

import json
import re
import tempfile
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

import opencc

from hexapla.hanzi.contexts import DECIDED, decide_contexts
from hexapla.hanzi.tables import BOUNDARY, CODE, EDGE, VERBATIM, read_boundaries, tables_digest, taiwan_words
from hexapla.languages import is_traditional

# Taiwan's quotation marks; OpenCC leaves punctuation alone.
QUOTES = str.maketrans("“”‘’", "「」『』")
SIMPLIFIED_QUOTES = str.maketrans("「」『』", "“”‘’")
# What is common in Taiwan today, where OpenCC has the form of the dictionaries; the marks of boundaries are taken away.
FORMS = str.maketrans({"臺": "台", BOUNDARY: "", EDGE: "", **DECIDED})
NO_MARKS = str.maketrans("", "", BOUNDARY + EDGE)
SPACED = re.compile(f"(?<=[\u4e00-\u9fff]){EDGE}|{EDGE}(?=[\u4e00-\u9fff])")
# A rendering that begins with the word before it: GPU 的显存 is GPU 的記憶體 where 显存 is GPU 記憶體.
REPEATED = re.compile(f"(?<![A-Za-z])([A-Za-z]+)( ?的|) ?{EDGE}\\1 ")
PIECES = re.compile(f"[{CODE}{VERBATIM}]")
NO_PIECES = str.maketrans("", "", "".join((CODE, VERBATIM, *DECIDED)))
TAIWAN, HONG_KONG = "s2twp", "s2hk"  # names of OpenCC's configurations
FROM_TAIWAN, FROM_HONG_KONG = "tw2sp", "hk2sp"
DATA = Path(opencc.__file__).parent / "clib/share/opencc"


def find_standard(code: str, origin: str = "zh") -> str:
    """OpenCC's standard for a language; to Simplified Chinese, the reverse of the one that the origin is written in."""
    traditional = is_traditional(code)
    regions = re.split("[-_]", (code if traditional else origin).lower())
    taiwan, hong_kong = (TAIWAN, HONG_KONG) if traditional else (FROM_TAIWAN, FROM_HONG_KONG)
    return taiwan if {"hk", "mo"}.isdisjoint(regions) else hong_kong


open_standard = lru_cache(maxsize=2)(opencc.OpenCC)


def to_traditional(text: str, name: str = TAIWAN) -> str:
    """Convert a text by one of OpenCC's own conversions, without a project's terms."""
    converted: str = open_standard(name).convert(text)
    return converted


def dictionary_entries(terms: Mapping[str, str], name: str) -> dict[str, str]:
    """What OpenCC's first step makes of the project's terms and of phrases whose words it would cut.

    The tables have Taiwan's words; for Hong Kong the words between boundaries are converted one by one.
    """
    if name not in {TAIWAN, HONG_KONG}:
        return {term: mark_rendering(term, word) for term, word in terms.items()}
    terms = {**taiwan_words(), **terms} if name == TAIWAN else terms
    known = {term: mark_rendering(term, word) for term, word in terms.items()}
    longer: dict[str, list[str]] = {}  # terms by what they begin with: 为|数据 is no end of 为|数据库
    for term in terms:
        for end in range(2, len(term)):
            longer.setdefault(term[:end], []).append(term)
    phrases = {}
    for words, converted in read_boundaries():
        others = converted if name == TAIWAN else [mark_rendering(word, to_traditional(word, name)) for word in words]
        right = [known.get(word, other) for word, other in zip(words, others, strict=True)]
        phrases["".join(words)] = BOUNDARY.join(right)
        for term in longer.get(words[-1], ()):
            phrases["".join((*words[:-1], term))] = BOUNDARY.join((*right[:-1], known[term]))
    # Renderings that cannot stand in Simplified text: 參數 cannot, 行程 is a journey there.
    already = {word: mark_rendering(word, word) for word in terms.values()
               if word.encode("gb2312", "ignore").decode("gb2312") != word}
    return phrases | already | known


def mark_rendering(term: str, word: str) -> str:
    """A term's rendering so that OpenCC's second step leaves it as it is."""
    before, after = ("" if term.isascii() or not end.isascii() else EDGE for end in (word[:1], word[-1:]))
    return before + BOUNDARY.join(word) + after


def add_words(place: dict[str, Any], words: Mapping[str, str]) -> None:
    """Put words beside those of the first group of OpenCC's dictionaries at a place; the longest of both is found."""
    while place["type"] == "group" and place["dicts"][0]["type"] == "group":
        place = place["dicts"][0]
    known = {**place}
    place.clear()
    place.update(type="group", match_policy="union", dicts=[{"type": "inline", "entries": words}, known])


@lru_cache(maxsize=8)
def load_converter(terms: tuple[tuple[str, str], ...], name: str) -> Callable[[str], str]:
    """OpenCC with terms and phrases as words of its longest match. Loading takes a fifth of a second."""
    config = json.loads(  # the files that it names are beside OpenCC's own configurations
        (DATA / f"{name}.json").read_text(encoding="utf-8"),
        object_hook=lambda node: node | {"file": str(DATA / node["file"])} if "file" in node else node)
    words = dictionary_entries(dict(terms), name)
    add_words(config["conversion_chain"][0]["dict"], words)
    add_words(config["segmentation"]["dict"], dict.fromkeys(words, "-"))  # where a word ends; what it becomes is above
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "hexapla.json")
        file.write_text(json.dumps(config, ensure_ascii=False), encoding="utf-8")
        convert: Callable[[str], str] = opencc.OpenCC(str(file)).convert
    return convert


@lru_cache(maxsize=1)
def simplified_characters() -> dict[str, str]:
    """The Simplified form of every Traditional character, one by one."""
    characters = [chr(code) for code in range(0x4E00, 0xA000)]
    converted = to_traditional("\n".join(characters), "t2s").split("\n")
    return {one: other for one, other in zip(characters, converted, strict=True) if one != other}


class Converter:
    """A conversion from `origin` to the language `code` with a project's own terms.

    `terms` gives the Traditional rendering of a Simplified term where OpenCC's phrase table is wrong for the subject
    (its 参数 is 引數, the argument of a function, also where a model's parameters are meant). Terms are words of
    OpenCC's own segmentation: the longest word wins, so 库 is no part of 数据库. A rendering in the text is left.
    """

    def __init__(self, terms: Mapping[str, str], code: str = "zh-Hant", origin: str = "zh") -> None:
        self.terms = tuple(sorted(terms.items()))
        self.standard = find_standard(code, origin)

    @property
    def version(self) -> str:
        """A text that is another wherever the conversion may give something else."""
        return repr((opencc.__version__, tables_digest(), self.terms, self.standard))

    def __call__(self, text: str) -> str:
        quotes, forms = (QUOTES, FORMS) if self.standard in {TAIWAN, HONG_KONG} else (SIMPLIFIED_QUOTES, NO_MARKS)
        said = decide_contexts(text) if self.standard == TAIWAN else text
        converted = load_converter(self.terms, self.standard)(said.translate(quotes))
        once = REPEATED.sub(lambda found: found[1] + (found[2] or " "), converted.replace(BOUNDARY, ""))
        return SPACED.sub(" ", once).translate(forms)

    def page(self, pieces: Iterable[tuple[str, bool]]) -> str:
        """Convert the prose of a page in pieces as one text: a word knows whether inline code stands beside it."""
        kept, said = list[str](), list[str]()
        for text, prose in pieces:
            said.append(text.translate(NO_PIECES) if prose else CODE if text.startswith("`") else VERBATIM)
            kept += () if prose else (text,)
        texts = PIECES.split(self("".join(said)))
        return "".join(text + piece for text, piece in zip(texts, [*kept, ""], strict=True))
