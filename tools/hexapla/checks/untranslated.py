"""Text that was left in the source's language, and headings with it."""

import re
from collections.abc import Iterator
from functools import lru_cache

from hexapla.checks import align
from hexapla.checks.context import Case, Found
from hexapla.checks.letters import FUNCTION_WORDS, own_letters
from hexapla.pages import Block

WORD = re.compile(r"[A-Za-z][A-Za-z'\u2019-]*")
PLAIN_WORD = re.compile(r"[A-Z]?[a-z]+(?:['\u2019-][a-z]+)*$")
SENTENCE = re.compile(r"[^.!?\u3002\uff01\uff1f\uff1b]+(?:[.!?]+(?=\S)[^.!?\u3002\uff01\uff1f\uff1b]*)*[.!?\u3002\uff01\uff1f\uff1b]*")
CODE = re.compile(r"(`+)(?:(?!\1).)+\1|\]\([^)\s]*\)|<[^<>]*>")
# Words of headings that the text below may never say in lower case.
HEADING_WORDS = frozenset(
    ["about", "advanced", "and", "appendix", "architecture", "background", "basics", "benchmarks", "changelog", "choose", "choosing", "community", "compare", "comparison", "conclusion", "concepts", "configuration", "configure", "considerations", "contents", "contributing", "conventions", "create", "creating", "customization", "customizing", "debugging", "definition", "dependencies", "deployment", "design", "details", "development", "differences", "documentation", "environment", "errors", "evaluation", "example", "examples", "exercise", "exercises", "experiments", "faq", "feature", "features", "final", "first", "further", "getting", "glossary", "goals", "guide", "guides", "help", "history", "how", "improve", "improvements", "inference", "install", "installation", "installing", "integration", "introduction", "key", "learn", "learning", "license", "limitations", "links", "listing", "loading", "main", "methods", "migrate", "migration", "more", "motivation", "next", "note", "notes", "optimization", "options", "other", "overview", "parameters", "performance", "prerequisites", "preparing", "project", "questions", "quick", "quickstart", "quiz", "reading", "recap", "recommendations", "reference", "references", "related", "release", "requirements", "resources", "results", "roadmap", "run", "running", "sample", "saving", "security", "see", "setup", "sharing", "solution", "step", "steps", "structure", "summary", "support", "supported", "take", "terminology", "testing", "tips", "training", "troubleshooting", "tutorial", "tutorials", "understanding", "update", "upgrade", "usage", "use", "using", "what", "where", "why", "with", "work", "working", "workflow", "writing"]
)


def heading_untranslated(case: Case) -> Iterator[Found]:
    """Headings that still say what the source's say, in its language."""
    ordinary, used = vocabulary(case.original.blocks), vocabulary(case.page.blocks)
    for source, target in align.headings(case.original.headings, case.page.headings):
        if source is None or target is None:
            continue
        if left_in_english(source.text, target.text, case.document.language, ordinary, used):
            yield Found("heading-untranslated", f"the heading {target.text!r} is in the source's language",
                        "translate it, or name the term in the glossary with `treatment: keep`",
                        target.line, target.column, source.line)


def left_in_english(source: str, target: str, language: str, ordinary: frozenset[str], used: frozenset[str]) -> bool:
    """Whether a heading was not translated. `ordinary` are lower-case words of the source, `used` of the translation.

    A word that the translation's own sentences use is a name to it, and so is one in capitals or with digits in it.
    """
    own, target = own_letters(language), CODE.sub(" ", target)
    if own is not None and own.search(target):
        return False
    words = [word for word in WORD.findall(target) if PLAIN_WORD.match(word)]
    left = [word.lower() for word in words if is_ordinary(word.lower(), ordinary) and word.lower() not in used]
    if own is not None:
        return bool(left)
    same = " ".join(WORD.findall(CODE.sub(" ", source))).lower() == " ".join(WORD.findall(target)).lower()
    return same and (len(left) > 1 or any(word in FUNCTION_WORDS for word in left))


def is_ordinary(word: str, known: frozenset[str]) -> bool:
    """Whether a lower-case word is one of the language, not a name."""
    return word in FUNCTION_WORDS or word in HEADING_WORDS or word in known


@lru_cache(maxsize=16)
def vocabulary(blocks: tuple[Block, ...]) -> frozenset[str]:
    """The lower-case words in the running text of a page, headings left out."""
    return frozenset(
        word for block in blocks if block.kind in RUNNING for word in re.findall(r"(?<![\w-])[a-z]{2,}(?![\w-])", block.text)
    )


RUNNING = frozenset({"p", "li", "dd", "td", "summary"})


def text_untranslated(case: Case) -> Iterator[Found]:
    """Paragraphs, items, cells and sentences that are still in the source's language."""
    own, language = own_letters(case.document.language), case.document.language
    sentences = english_sentences(case.original.blocks)
    for block in case.page.blocks:
        if block.kind not in RUNNING:
            continue
        if own is not None and not has_english(block.text):
            continue
        left = next((piece for piece in pieces(block.text) if untranslated(piece, language, sentences)), None)
        if left is not None:
            yield Found("text-untranslated", f"{shortened(left)!r} is in the source's language", "translate it",
                        block.line, block.column, sentences.get(squeezed(left)))


def pieces(text: str) -> list[str]:
    """A block's text in sentences."""
    return [found.strip() for found in SENTENCE.findall(text) if found.strip()]


@lru_cache(maxsize=16)
def english_sentences(blocks: tuple[Block, ...]) -> dict[str, int]:
    """The source's sentences, squeezed, with their lines."""
    found: dict[str, int] = {}
    for block in blocks:
        for piece in (block.text, *pieces(block.text)):
            found.setdefault(squeezed(piece), block.line)
    return found


def squeezed(text: str) -> str:
    """Letters and digits alone, in lower case."""
    return re.sub(r"[\W_]+", " ", text.lower()).strip()


def has_english(text: str) -> bool:
    """Whether a text holds a run of Latin words long enough to be one of English."""
    return LATIN_RUN.search(text) is not None


LATIN_RUN = re.compile(r"(?:[A-Za-z'\u2019,:;()\ufffc-]+[ ]){2}[A-Za-z'\u2019]+")


def untranslated(sentence: str, language: str, source: dict[str, int]) -> bool:
    """Whether a sentence is the source's own, or English where the language has letters of its own."""
    own = own_letters(language)
    words = WORD.findall(sentence)
    plain = [word for word in words if PLAIN_WORD.match(word)]
    small = [word for word in plain if word.islower()]
    function = sum(word.lower() in FUNCTION_WORDS for word in plain)
    verbatim = squeezed(sentence) in source
    if own is None:
        return verbatim and len(small) >= 3 and function >= 2
    letters = len(own.findall(sentence))
    if verbatim and not letters:
        return len(small) >= 2 and (function >= 1 or len(small) >= 3)
    return letters * 8 < sum(map(len, words)) and len(small) >= 4 and function >= 2


def shortened(text: str, length: int = 60) -> str:
    """The beginning of a text."""
    return text if len(text) <= length else text[: length - 1] + "…"

