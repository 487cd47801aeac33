"""Pages and sentences in another language than the page's."""

import re
from collections.abc import Iterator

from hexapla.checks.context import RuleContext, Violation
from hexapla.checks.rules.sentences.splitting import cut_sentences
from hexapla.checks.rules.text.prose import RUNNING, find_readable, shortened
from hexapla.checks.rules.text.scripts import without_names
from hexapla.languages import base
from hexapla.text_language import language_of_texts, other_language

FOREIGN = re.compile(r"[^\x00-\x7f]{6,}")  # of a source that quotes another language


def language_wrong(context: RuleContext) -> Iterator[Violation]:
    """A page that is in another language for the most part, else its sentences that are."""
    language, source = context.document.language, context.source.language if context.source else ""
    quoted = FOREIGN.findall(context.original.text)
    said = [
        (block, sentence) for block in find_readable(context.page.blocks)
        if block.kind in RUNNING or block.kind[0] == "h"
        for sentence in cut_sentences(without_names(block.text), language)
    ]
    told = source if base(source) == "en" else ""  # by text-untranslated, which knows English alone
    if found := language_of_texts((sentence for _, sentence in said), language, told):
        block = next(block for block, sentence in said if other_language(sentence, language) == found)
        yield Violation("language-wrong", found, f"the text is in the language {found.rstrip('?')!r}, not in "
                        f"{language!r}", "translate it, or move it to its language", block.line, block.column)
        return
    for block, sentence in said:
        other = other_language(sentence, language)
        if other and base(other) != base(source) and not any(run in sentence for run in quoted):
            yield Violation("language-mixed", shortened(sentence), f"{shortened(sentence, 30)!r} is in the language "
                            f"{other.rstrip('?')!r}", "translate it", block.line, block.column)
