"""What drafting a language would send and receive, before anything is sent: counted, not asked of anybody."""

from collections.abc import Sequence
from typing import NamedTuple

from hexapla.drafts.draft_run import Drafting, PageDraft
from hexapla.drafts.requests import DraftMessage, SectionRequest
from hexapla.drafts.token_counts import Tokens
from hexapla.report_text import plural

FAULTS = 80  # tokens that tell a model what was found in its answer


class Estimate(NamedTuple):
    """What drafting would take; of `sections` those `remembered` and `answered` earlier need no request.

    `corrected` has one correction each; `saved` by the memory are these sections and `texts`; `within` fit the budget.
    """

    sections: int
    pages: int
    requests: int = 0
    tokens: Tokens = Tokens()
    corrected: Tokens = Tokens()
    remembered: int = 0
    answered: int = 0
    texts: int = 0
    saved: int = 0
    within: int = 0


def estimate_drafting(drafting: Drafting) -> Estimate:
    """What a drafting would take; it draws on the memory and on earlier answers, and asks nobody."""
    open_pages: list[PageDraft] = []
    asked = [section.request for section in drafting.sections_to_ask(open_pages)]
    requests = [section.request for page in open_pages for section in page.sections if section.begun]
    made = Estimate(
        len(requests), len(open_pages), len(asked), remembered=sum(not each.messages for each in requests),
        answered=sum(bool(each.messages) for each in requests) - len(asked),
        texts=sum(len(each.remembered) for each in requests if each.messages),
        saved=sum(tokens_saved(drafting, each) for each in requests), within=len(requests) - len(asked),
    )
    budget = drafting.drafter.spending.budget
    for request in asked:
        once = drafting.drafter.estimate_tokens(request, None)
        again = Tokens(once.sent + once.received + FAULTS, once.received) if drafting.drafter.revises else Tokens()
        made = made._replace(tokens=made.tokens.plus(once), corrected=made.corrected.plus(once).plus(again))
        if budget is None or made.tokens.total <= budget:
            made = made._replace(within=made.within + 1)
    return made


def tokens_saved(drafting: Drafting, request: SectionRequest) -> int:
    """The tokens that a section would cost more without the memory."""
    if not request.remembered:
        return 0
    without = request._replace(messages=(*map(DraftMessage, request.remembered), *request.messages))
    now = drafting.drafter.estimate_tokens(request, None).total if request.messages else 0
    return max(0, drafting.drafter.estimate_tokens(without, None).total - now)


def estimate_lines(made: Estimate, language: str, budget: int | None) -> Sequence[str]:
    """The lines that tell an estimate."""
    lines = [f"{language}: {plural(made.sections, 'section')} to draft on {plural(made.pages, 'page')}"]
    lines += [f"  {plural(made.remembered, 'section')} in the translation memory, which need no request"
              ] if made.remembered else []
    lines += [f"  {plural(made.answered, 'section')} answered in an earlier run, which are not paid for again"
              ] if made.answered else []
    if made.requests:
        lines.append(f"  {plural(made.requests, 'request')}: about {made.tokens.sent} tokens sent and "
                     f"{made.tokens.received} received, {made.tokens.total} together")
    if made.corrected.total > made.tokens.total:
        lines.append(f"  about {made.corrected.total} together if every answer has to be corrected once")
    if made.saved:
        lines.append(f"  the translation memory saves about {made.saved} tokens: {plural(made.remembered, 'section')} "
                     f"and {plural(made.texts, 'text')} of others")
    if budget is not None and made.within < made.sections:
        lines.append(f"  --budget {budget} is enough for about {made.within} of these sections, corrections left out")
    return lines
