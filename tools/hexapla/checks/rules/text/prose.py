"""The blocks of a page that are text, and the words in them."""

import re
from functools import lru_cache

from hexapla.checks.memo import memoized
from hexapla.pages import Block

# What a site generator fills in before Markdown is read, what a fence leaves where it opens none, and formulas.
TEMPLATE = re.compile(
    r"\{\*[^{}]*\*\}|\{%[^{}]*%\}|\{\{[^{}]*\}\}|\{\{[<%][^{}]*[>%]\}\}|\$\$[^$]*\$\$|\\\((?:[^\n\\]|\\(?!\())*?\\\)|(?<!-)-++8<-+.*"
    r"|\[\[(?:autodoc|open-in-colab)\]\]\S*|\{[#/:@][^{}]*\}"
)
MARKS = re.compile(r"\{|\$\$|\\\(|8<|\[\[")
NOT_SEEN = "Your browser does not support"  # inside <audio> and <video>, for browsers that nobody has any more
RUNNING = frozenset({"p", "li", "dd", "td", "summary", "figcaption", "attribute"})
NO_WORD = re.compile(r"[\W_]+")


@memoized
def find_readable(blocks: tuple[Block, ...]) -> tuple[Block, ...]:
    """The blocks a reader reads as text, templates and formulas taken out of them."""
    found = []
    for block in blocks:
        text = block.text
        if "```" in text or "~~~" in text or "={" in text or text.startswith(NOT_SEEN):
            continue  # a fence that opened none, a component's attributes
        if MARKS.search(text):
            text = " ".join(TEMPLATE.sub(" ", text).split())
            if not text:
                continue
            block = Block(block.kind, text, block.line, block.column, block.depth)
        found.append(block)
    return tuple(found)


@lru_cache(maxsize=4096)
def squeeze_text(text: str) -> str:
    """Letters and digits in lower case, one space between words: what two spellings of a text have in common."""
    return NO_WORD.sub(" ", text.lower()).strip()


def shortened(text: str, length: int = 60) -> str:
    return text if len(text) <= length else text[: length - 1] + "…"
