"""Text that was left in the source's language, and headings with it."""

import re
from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import NamedTuple
from unicodedata import name

from hexapla.checks import alignment
from hexapla.checks.context import RuleContext, Violation
from hexapla.checks.memo import memoized
from hexapla.checks.rules.sentences.splitting import cut_sentences
from hexapla.checks.rules.text.english import ENGLISH_WORDS, FUNCTION_WORDS, HEADING_WORDS, is_english
from hexapla.checks.rules.text.prose import RUNNING, find_readable, shortened, squeeze_text
from hexapla.languages import base, foreign_letters, own_letters
from hexapla.pages import Block, Code

WHOLE = 20  # passages in the source's language from which on a page is not one with some of them
WRITTEN = 10  # East Asian letters of another language that are no name any more
WORD = re.compile(r"(?<![\w\ufffc])[A-Za-z][A-Za-z'\u2019-]*")
SMALL = re.compile(r"(?<![\w-])[a-z]{2,}")
CODELIKE = re.compile(r"[{}=@]|\(\)|->|\w_\w|^import \w+ from\b")
PLAIN_WORD = re.compile(r"[A-Z]?[a-z]+(?:['\u2019-][a-z]+)*$")
ADDRESS = re.compile(r"https?://\S+")
GLOSSED = frozenset("\"'“‘「『《«„(（")  # before what a translation repeats in the source's language
QUOTATION = re.compile(r"(?<!\w)(?:'[^'\n]*'?|[\"“‘「『《«„][^\"”’」』》»\n]*[\"”’」』》»]?)")
# What somebody said, with more than one sentence.
SPOKEN = re.compile(r"“[^“”\n]*”|「[^「」\n]*」|『[^『』\n]*』|«[^«»\n]*»|„[^„“\n]*“")
CITATION = re.compile(r"\[[JMCD]\]\. |\bet al\.|\barXiv\b|\bdoi\.org/|\beprint\b|\bin [A-Z]{6,} (?:19|20)\d\d\b")
# The first letters of an example, or of what a program says, in a sentence: not in bold, which is a label.
START = 12
MENTIONED = re.compile(rf"(?<![*_\w])[*_](?=([^\s*_].{{{START - 1}}}))")
VALUE = re.compile(r"(?s)[a-z].*(?<![.!?:;,])")  # `string or list`, the name of a value, a label
VALUED = {"td": 1000, "li": 3}  # where one stands alone, and of how many words it may be
# A line that a program prints.
PRINTED = re.compile(r"\[?(?:ERROR|FATAL|WARN(?:ING)?|INFO|DEBUG)\]?[: ]|[A-Z]\w*(?:Error|Exception): ")
RAISED = re.compile(r"\w\.[A-Z]\w*(?:Error|Exception): ")
SAME_SCRIPT = {"HIRAGANA": "CJK", "KATAKANA": "CJK", "HALFWIDTH": "CJK", "KATAKANA-HIRAGANA": "CJK"}  # Japanese has all
QUOTED = re.compile(r"[ \t]*>[ \t]*(?P<callout>\[!)?")
ENGLISH_RUN = re.compile(
    r"(?<![A-Za-z'\u2019-])['\u2019-]*+"  # from the start of a word on, else a long one would be tried from each letter
    r"(?P<run>[A-Za-z][A-Za-z'\u2019-]*+(?:[,;:]? \(?[A-Za-z][A-Za-z'\u2019-]*+\)?){4,})"
)
# Three words in a row, code standing for one: fewer are a label, or a parameter with its type.
LATIN_RUN = re.compile(r"[A-Za-z\ufffc][,;]?(?: [A-Za-z\ufffc][\w'\u2019\ufffc-]*[,;]?){2}")
# What a heading's own text is not: code, targets, tags, and names with points or underscores in them.
CODE = re.compile(
    r"(?<!`)`++[^`]++`++|\]\([^)\s]{0,500}\)|<[^<>]*>|\[\[[^\[\]]*\]\]|\{\{[^{}]*\}\}"
    r"|(?<!\w)(?:\w++(?:\.\w++)++|\w[^\W_]*+_\w++|\w++\(\))|[$@]\w+"  # a word is tried once, from its start
)
# A heading that is one name: `v-html`, `computed`, `--layout`; headings of English open with a capital.
IDENTIFIER = re.compile(r"[\W_]*[a-z][a-z0-9]*(?:[-_:][A-Za-z0-9]+)*[\W_]*")
# Words that stand between names too: The Hugging Face Hub, Angular and React, Ruby on Rails.
JOINING = frozenset({"the", "a", "an", "of", "and", "or", "on", "to", "vs"})
NOUN = re.compile(r"[a-z]{3,}(?:tion|sion|ment|ness|ity)s?")
GERUND = re.compile(r"[a-z]{4,}ing")  # where it opens a heading
POSSESSIVE = re.compile(r"\w['\u2019]s$")


def heading_untranslated(context: RuleContext) -> Iterator[Violation]:
    """Headings that still say what the source's say, in its language."""
    own = own_letters(context.document.language)
    for source, target in alignment.headings(context.original.headings, context.page.headings):
        if source is None or target is None or (own is not None and own.search(target.text)):
            continue
        if is_name(target.text, context.original.codes):
            continue
        page, translation = words_of(context.original.blocks, None), words_of(context.page.blocks, own)
        if left_in_english(source.text, target.text, context.document.language, page, translation):
            yield Violation("heading-untranslated", target.text,
                            f"the heading {target.text!r} is in the source's language",
                            "translate it, or name the term in the glossary with `treatment: keep`",
                            target.line, target.column, source.line)


def is_name(heading: str, codes: tuple[Code, ...]) -> bool:
    """Whether a heading is a name: `computed`, `v-html`, List beside `List` in code."""
    text = " ".join(CODE.sub(" ", heading).split())
    if IDENTIFIER.fullmatch(text):
        return text not in FUNCTION_WORDS or "`" not in heading  # not so: `v-if` with `v-for`
    return text.lower() not in HEADING_WORDS and text in names_of(codes)


@memoized
def names_of(codes: tuple[Code, ...]) -> frozenset[str]:
    """The names in a page's inline code."""
    return frozenset(name for code in codes for name in re.findall(r"\w+", code.text))


class Words(NamedTuple):
    """The Latin words of a page's sentences: all in lower case, those written small, and the sentences, squeezed."""

    used: frozenset[str]
    small: frozenset[str]
    text: str


@memoized
def words_of(blocks: tuple[Block, ...], own: re.Pattern[str] | None) -> Words:
    """The words of running texts, where `own` is given only of those with a letter of the language's own."""
    texts = [block.text for block in blocks if block.kind in RUNNING and (own is None or own.search(block.text))]
    text = "\n".join(texts)
    return Words(
        frozenset(map(str.lower, WORD.findall(text))), frozenset(SMALL.findall(text)), squeeze_text(text),
    )


def left_in_english(source: str, target: str, language: str, page: Words, translation: Words) -> bool:
    """Whether a heading was not translated: into a language written in Latin, it must say just what the source's does.

    Words that the translation's sentences use are names to it, and so are those that the source never writes small,
    unless headings often hold them; words in capitals, and words with digits in them.
    """
    opening = WORD.match(target.lstrip("*_~[("))
    target = CODE.sub(" ", target)
    every = WORD.findall(target)
    words = [word for word in every if PLAIN_WORD.match(word)]
    fresh = [word.lower() for word in words if word.lower() not in translation.used]
    left = [word for word in fresh if word in FUNCTION_WORDS or word in JOINING or is_common_word(word, page)]
    if any(word.islower() and word not in JOINING for word in every[1 if opening else 0 :] if word in words) and (
        phrase := squeeze_text(target)
    ) not in translation.text:
        left += [phrase]
    if own_letters(language) is None:
        same = WORD.findall(CODE.sub(" ", source).lower()) == WORD.findall(target.lower())
        sure = any(is_english(word, language) or (word in FUNCTION_WORDS and len(word) > 2) for word in fresh)
        return same and (sure or (len(words) > 1 and (len(left) > 1 or any(word in FUNCTION_WORDS for word in left))))
    if every and all(word.lower() in FUNCTION_WORDS | JOINING for word in every):
        return True  # `a` or `b`: what is joined is code
    if any(word not in JOINING for word in left):
        return True
    if any(NOUN.fullmatch(word) or POSSESSIVE.search(word) for word in fresh):
        return True
    return bool(opening and GERUND.fullmatch(opening[0].lower()) and opening[0].lower() in fresh)


def is_common_word(word: str, page: Words) -> bool:
    """Whether a word, in either number, is one of English: the source writes it small, or headings often hold it."""
    return any(form in page.small or form in HEADING_WORDS for form in (word, word.removesuffix("s"), f"{word}s"))


def text_untranslated(context: RuleContext) -> Iterator[Violation]:
    """Passages that are still in the source's language; one finding for a page that is so as a whole."""
    found = list(untranslated_passages(context))
    own = own_letters(context.document.language)
    running = sum(block.kind in RUNNING and bool(LATIN_RUN.search(block.text) or (own and own.search(block.text)))
                  for block in context.page.blocks)
    if len(found) < WHOLE or len(found) * 2 < running:
        yield from found
        return
    yield found[0]._replace(subject="", message=f"{len(found)} passages of this page are in the source's language",
                            hint="translate the page, or take it away: readers get the source's then")


def untranslated_passages(context: RuleContext) -> Iterator[Violation]:
    """Paragraphs, items, cells and sentences that are still in the source's language."""
    language = context.document.language
    own, foreign = own_letters(language), foreign_letters(language)
    there = context.source.language if context.source else "en"
    source = source_sentences(find_readable(context.original.blocks), there)
    # A page of another site is named as it calls itself.
    titles = frozenset(link.text for link in context.page.links if "://" in link.target)
    mentioned = frozenset(MENTIONED.findall(context.page.text))
    names = titles | {code.text for code in context.page.codes}
    mixed = {block.kind for block in find_readable(context.original.blocks)
             if own and base(there) == "en" and len(own.findall(block.text)) >= WRITTEN}
    for block in find_readable(context.page.blocks):
        if block.kind not in RUNNING or block.text in names or is_value(block):
            continue
        if PRINTED.match(block.text) or RAISED.search(block.text):
            continue
        verbatim = squeeze_text(block.text) in source
        if verbatim and (block.kind in mixed or is_quotation(context.page.lines, block.line)
                         or (block.kind in {"li", "p"} and CITATION.search(block.text))):
            continue  # a source with such passages of the page's language has each as its author wrote it
        whole = verbatim and sum(map(len, foreign.findall(block.text))) >= WRITTEN and not names_languages(block.text)
        if not whole and (base(there) != "en" or not LATIN_RUN.search(block.text)):
            continue
        whole = whole or (verbatim and is_untranslated(block.text, own, True, 3))
        said = SPOKEN.sub(" ", block.text)
        left = block.text if whole else next((
            piece for piece in cut_sentences(said, language)
            if is_untranslated(piece, own, squeeze_text(piece) in source, 4)), None)
        if left is None and own is not None and not CODELIKE.search(block.text):
            page = words_of(context.original.blocks, None).text
            left = next((run["run"] for run in ENGLISH_RUN.finditer(said) if half_translated(run, page)), None)
            left = None if left and any(left in title for title in titles) else left
        if left is not None and left.rstrip(".。") not in titles and (
            left == block.text or left[:START] not in mentioned
        ):
            yield Violation("text-untranslated", shortened(left), f"{shortened(left)!r} is in the source's language",
                            "translate it", block.line, block.column, source.get(squeeze_text(left)))


def is_value(block: Block) -> bool:
    """Whether a cell or an item is a value's name, or a label."""
    most = VALUED.get(block.kind, 0)
    return VALUE.fullmatch(block.text) is not None and len(block.text.split()) <= most


def names_languages(text: str) -> bool:
    """Whether a text has words of three scripts, as a line with the names of languages does.

    >>> names_languages("English | 日本語 | Русский"), names_languages("JAX の使い方")
    (True, False)
    """
    return len({SAME_SCRIPT.get(script, script) for script in (name(each, "").split(" ")[0] for each in text
                                                               if each.isalpha())}) > 2


def is_quotation(lines: Sequence[str], number: int) -> bool:
    """Whether a line is one of somebody's own words, or of what a program says: of a run of `>` that is no call-out."""
    run = list(takewhile(bool, map(QUOTED.match, reversed(lines[:number]))))
    return bool(run) and not (run[-1] and run[-1]["callout"])


def half_translated(run: re.Match[str], source: str) -> bool:
    """Whether a run of words inside another language's sentence is a part of one of the source's, and no name."""
    words = run["run"].split()
    small, function = sum(map(str.islower, words)), sum(word.lower() in FUNCTION_WORDS for word in words)
    quoted = run.string[run.start("run") - 1 : run.start("run")] in GLOSSED
    printed = PRINTED.search(run.string[: run.start("run")])
    return small >= 4 and function >= 2 and not (quoted or printed) and squeeze_text(run["run"]) in source


@memoized
def source_sentences(blocks: tuple[Block, ...], language: str) -> dict[str, int]:
    """The source's blocks and sentences, squeezed, with their lines."""
    found: dict[str, int] = {}
    for block in blocks:
        for piece in {block.text, *cut_sentences(block.text, language)}:
            found.setdefault(squeeze_text(piece), block.line)
    return found


def is_untranslated(sentence: str, own: re.Pattern[str] | None, verbatim: bool, least: int) -> bool:
    """Whether a sentence is the source's own (`verbatim`), or English where the language has letters of its own.

    Names, quotations, addresses and code are no text: `least` words must be plain ones, a third of those in lower case.
    """
    sentence = QUOTATION.sub(" ", ADDRESS.sub(" ", sentence))
    words = WORD.findall(sentence)
    plain = [word for word in words if PLAIN_WORD.match(word)]
    small = [word for word in plain if word.islower()]
    if len(plain) < least or len(small) * 3 < len(plain) or CODELIKE.search(sentence):
        return False
    function = sum(word.lower() in FUNCTION_WORDS for word in plain)
    if own is None:
        certain = sum(word.lower() in ENGLISH_WORDS for word in plain)
        return (verbatim and len(small) >= 3 and function >= 2) or (certain >= 4 and certain * 3 > len(plain) >= 8)
    letters = len(own.findall(sentence))
    if verbatim and not letters:
        return len(small) >= 2 and (function >= 1 or len(small) >= 3)
    return letters * 8 < sum(map(len, words)) and len(small) >= 4 and function >= 2
