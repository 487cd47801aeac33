"""Text that was left in the source's language, and headings with it."""

import re
from collections.abc import Iterator

from hexapla.checks import align
from hexapla.checks.context import Case, Found
from hexapla.checks.letters import FUNCTION_WORDS, own_letters
from hexapla.checks.memo import remembered
from hexapla.checks.prose import RUNNING, readable, sentences, shortened, squeezed
from hexapla.pages import Block

WORD = re.compile(r"(?<![\w\ufffc])[A-Za-z][A-Za-z'\u2019-]*")
LOWER = re.compile(r"(?<![\w-])[a-z]{2,}")
CODELIKE = re.compile(r"[{}=@]|\(\)|->|\w_\w")
PLAIN_WORD = re.compile(r"[A-Z]?[a-z]+(?:['\u2019-][a-z]+)*$")
QUOTES = frozenset("\"'“‘「『《«„")
LATIN_RUN = re.compile(r"(?:[A-Za-z'\u2019,:;()\ufffc-]+ ){2}[A-Za-z'\u2019]+")
# What a heading's own text is not: code, targets, tags, and names with points or underscores in them.
CODE = re.compile(r"`+[^`]+`+|\]\([^)\s]*\)|<[^<>]*>|\[\[[^\[\]]*\]\]|\w+(?:[._]\w+)+")
# Words of headings that the text below may never say in lower case.
HEADING_WORDS = frozenset({
    "about", "advanced", "and", "appendix", "architecture", "background", "basics", "benchmarks", "changelog",
    "choose", "choosing", "community", "compare", "comparison", "conclusion", "concepts", "configuration",
    "configure", "considerations", "contents", "contributing", "conventions", "create", "creating", "customization",
    "customizing", "debugging", "definition", "dependencies", "deployment", "design", "details", "development",
    "differences", "documentation", "environment", "errors", "evaluation", "example", "examples", "exercise",
    "exercises", "experiments", "faq", "feature", "features", "final", "first", "further", "getting", "glossary",
    "goals", "guide", "guides", "help", "history", "how", "improve", "improvements", "inference", "install",
    "installation", "installing", "integration", "introduction", "key", "learn", "learning", "license",
    "limitations", "links", "listing", "loading", "main", "methods", "migrate", "migration", "more", "motivation",
    "next", "note", "notes", "optimization", "options", "other", "overview", "parameters", "performance",
    "prerequisites", "preparing", "project", "questions", "quick", "quickstart", "quiz", "reading", "recap",
    "recommendations", "reference", "references", "related", "release", "requirements", "resources", "results",
    "roadmap", "run", "running", "sample", "saving", "security", "see", "setup", "sharing", "solution", "step",
    "steps", "structure", "summary", "support", "supported", "take", "terminology", "testing", "tips", "training",
    "troubleshooting", "tutorial", "tutorials", "understanding", "update", "upgrade", "usage", "use", "using",
    "what", "where", "why", "with", "work", "working", "workflow", "writing",
})


def heading_untranslated(case: Case) -> Iterator[Found]:
    """Headings that still say what the source's say, in its language."""
    own = own_letters(case.document.language)
    for source, target in align.headings(case.original.headings, case.page.headings):
        if source is None or target is None or (own is not None and own.search(target.text)):
            continue
        ordinary, used = vocabulary(case.original.blocks), used_words(case.page.blocks, own)
        if left_in_english(source.text, target.text, own is None, ordinary, used):
            yield Found("heading-untranslated", f"the heading {target.text!r} is in the source's language",
                        "translate it, or name the term in the glossary with `treatment: keep`",
                        target.line, target.column, source.line)


def left_in_english(source: str, target: str, latin: bool, ordinary: frozenset[str], used: frozenset[str]) -> bool:
    """Whether a heading was not translated: into a language written in Latin, it must say just what the source's does.

    `ordinary` are lower-case words of the source, `used` the words of the translation's sentences: those are names to
    it, and so are words in capitals or with digits in them.
    """
    target = CODE.sub(" ", target)
    words = [word.lower() for word in WORD.findall(target) if PLAIN_WORD.match(word)]
    left = [word for word in words if is_ordinary(word, ordinary) and word not in used]
    if not latin:
        return len(left) > 1 or any(word not in FUNCTION_WORDS for word in left)
    same = WORD.findall(CODE.sub(" ", source).lower()) == WORD.findall(target.lower())
    return same and (len(left) > 1 or any(word in FUNCTION_WORDS for word in left))


def is_ordinary(word: str, known: frozenset[str]) -> bool:
    """Whether a lower-case word is one of the language, not a name."""
    return word in FUNCTION_WORDS or word in HEADING_WORDS or word in known


@remembered
def vocabulary(blocks: tuple[Block, ...]) -> frozenset[str]:
    """The lower-case words in the running text of a page in the source's language."""
    return frozenset(
        word for block in blocks if block.kind in RUNNING for word in LOWER.findall(block.text)
    )


@remembered
def used_words(blocks: tuple[Block, ...], own: re.Pattern[str] | None) -> frozenset[str]:
    """The Latin words, in lower case, in those running texts of a translation that are in its own letters."""
    return frozenset(
        word.lower() for block in blocks if block.kind in RUNNING and (own is None or own.search(block.text))
        for word in WORD.findall(block.text)
    )


def text_untranslated(case: Case) -> Iterator[Found]:
    """Paragraphs, items, cells and sentences that are still in the source's language."""
    language = case.document.language
    own = own_letters(language)
    source = english_sentences(readable(case.original.blocks))
    for block in readable(case.page.blocks):
        if block.kind not in RUNNING or not LATIN_RUN.search(block.text):
            continue
        whole = squeezed(block.text) in source and untranslated(block.text, own, True, 3)
        left = block.text if whole else next(
            (piece for piece in sentences(block.text) if untranslated(piece, own, squeezed(piece) in source, 4)), None
        )
        if left is not None:
            yield Found("text-untranslated", f"{shortened(left)!r} is in the source's language", "translate it",
                        block.line, block.column, source.get(squeezed(left)))


@remembered
def english_sentences(blocks: tuple[Block, ...]) -> dict[str, int]:
    """The source's blocks and sentences, squeezed, with their lines."""
    found: dict[str, int] = {}
    for block in blocks:
        for piece in (block.text, *sentences(block.text)):
            found.setdefault(squeezed(piece), block.line)
    return found


def untranslated(sentence: str, own: re.Pattern[str] | None, verbatim: bool, least: int) -> bool:
    """Whether a sentence is the source's own (`verbatim`), or English where the language has letters of its own.

    Names, quotations and code are no text: `least` words must be plain ones, and a third of those in lower case.
    """
    words = WORD.findall(sentence)
    plain = [word for word in words if PLAIN_WORD.match(word)]
    small = [word for word in plain if word.islower()]
    if len(plain) < least or len(small) * 3 < len(plain) or CODELIKE.search(sentence) or sentence[0] in QUOTES:
        return False
    function = sum(word.lower() in FUNCTION_WORDS for word in plain)
    if own is None:
        return verbatim and len(small) >= 3 and function >= 2
    letters = len(own.findall(sentence))
    if verbatim and not letters:
        return len(small) >= 2 and (function >= 1 or len(small) >= 3)
    return letters * 8 < sum(map(len, words)) and len(small) >= 4 and function >= 2
