"""Review of uncertain characters: a person decides them one by one, and the same context is decided alike."""

import json
from collections.abc import Callable, Iterable, Mapping

from hexapla.installation import StateFolder
from hexapla.mojibake.encodings.steps import Edit, Rewrite, apply_edits
from hexapla.mojibake.filling import Uncertain
from hexapla.mojibake.repairer import Repair

CHOICES = "repair-choices.json"
AROUND = 4      # characters on either side that make two places the same

Ask = Callable[[str], str]


def context_of(text: str, item: Uncertain) -> str:
    """The key of a decision: the characters around it and the candidates."""
    before = text[max(0, item.start - AROUND):item.start]
    after = text[item.start + 1:item.start + 1 + AROUND]
    return "\x1f".join((before, after, item.text, *item.alternatives))


def put_decided(repair: Repair, decided: Mapping[int, str]) -> Repair:
    """Put decided characters into a repair; `decided` maps the index in `uncertain` to the character."""
    chosen = [(item, decided[number]) for number, item in enumerate(repair.uncertain) if number in decided]
    if not chosen:
        return repair
    edits = tuple(Edit(item.start, item.start + len(item.shown), character) for item, character in chosen)
    left = tuple(item for number, item in enumerate(repair.uncertain) if number not in decided)
    return repair._replace(text=apply_edits(repair.text, edits), steps=(*repair.steps, Rewrite(edits)), uncertain=left)


def recall_decisions(repair: Repair, memory: Mapping[str, str]) -> Repair:
    """Put in what was decided before in the same context."""
    known = {number: memory.get(context_of(repair.text, item), "") for number, item in enumerate(repair.uncertain)}
    return put_decided(repair, {number: character for number, character in known.items() if character})


def review_repair(repair: Repair, name: str, ask: Ask) -> tuple[Repair, dict[str, str]]:
    """Ask about every uncertain character in turn. Returns the repair and what was decided, by context.

    An answer is a number of the list, a character, nothing for the first choice, "-" to leave it, "q" to stop.
    """
    decided: dict[int, str] = {}
    for number, item in enumerate(repair.uncertain):
        choices = [choice for choice in (item.text, *item.alternatives) if choice]
        answer = ask(_ask_about(repair, name, item, choices)).strip()
        if answer == "q":
            break
        if answer == "-" or (not answer and not choices):
            continue
        if not answer:
            decided[number] = choices[0]
        elif answer.isdigit() and 0 < int(answer) <= len(choices):
            decided[number] = choices[int(answer) - 1]
        elif len(answer) == 1:
            decided[number] = answer
    contexts = {context_of(repair.text, repair.uncertain[number]): choice for number, choice in decided.items()}
    return put_decided(repair, decided), contexts


def _ask_about(repair: Repair, name: str, item: Uncertain, choices: Iterable[str]) -> str:
    text = repair.text
    low, high = text.rfind("\n", 0, item.start) + 1, text.find("\n", item.start)
    line = text[low:high if high >= 0 else len(text)]
    at = item.start - low
    shown = f"{line[max(0, at - 30):at]}[{line[at:at + len(item.shown)]}]{line[at + len(item.shown):at + 30]}"
    listed = "  ".join(f"{number} {choice}" for number, choice in enumerate(choices, 1))
    help_line = "(Enter: the first; a character; - leave; q stop)"
    return f"{name}:{item.line}:{item.column}\n  {shown}\n  {listed}   {help_line} "


def load_memory(state: StateFolder) -> dict[str, str]:
    """Read earlier decisions, by context; none from a file that is missing, damaged or not made here."""
    try:
        held = json.loads(state.read(CHOICES))
    except (OSError, ValueError):
        return {}
    return {key: value for key, value in held.items() if isinstance(value, str)} if isinstance(held, dict) else {}


def save_memory(state: StateFolder, memory: Mapping[str, str]) -> None:
    state.write(CHOICES, json.dumps(dict(sorted(memory.items())), ensure_ascii=False, indent=1).encode("utf-8"))
