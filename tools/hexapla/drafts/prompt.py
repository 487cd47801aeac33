"""A section's request as a chat, and the model's answer read back: JSON both ways, so that nothing is guessed."""

import json
import re
from importlib.resources import files
from typing import Any

from hexapla.drafts.placeholders import UntrustedAnswer
from hexapla.drafts.requests import ModelAnswer, Revision, SectionRequest, describe_message

THOUGHT = re.compile(r"<think(?:ing)?>.*?</think(?:ing)?>", re.S)
SYSTEM = files(__package__).joinpath("translate.txt").read_text("utf-8")
REVISE = "This was found in your translation. Correct it and answer with the whole JSON object again:\n"


def build_chat(
    request: SectionRequest, source: str, target: str, instructions: str, revision: Revision | None
) -> list[dict[str, str]]:
    """The messages of a chat; `source` and `target` name the languages, `instructions` are the project's own."""
    system = SYSTEM.format(source=source, target=target)
    if instructions:
        system += f"\nThe project's instructions for {target}:\n\n{instructions.strip()}\n"
    asked = {
        "page": request.page, "section": request.title, "terms": dict(request.terms),
        "around": [each._asdict() for each in request.around], "present": request.present,
        "messages": {str(number): describe_message(each) for number, each in enumerate(request.messages, 1)},
    }
    shown = json.dumps({name: value for name, value in asked.items() if value}, ensure_ascii=False, indent=1)
    turns = [{"role": "system", "content": system}, {"role": "user", "content": shown}]
    if revision:
        faults = "\n".join(f"- {fault}" for fault in revision.faults)
        turns += [{"role": "assistant", "content": revision.answer}, {"role": "user", "content": REVISE + faults}]
    return turns


def read_translations(text: str, wanted: int) -> ModelAnswer:
    """The translations in a model's answer, in order. Raises UntrustedAnswer."""
    found = read_answers(text, wanted)
    if not all(isinstance(value, str) for value in found):
        raise UntrustedAnswer("the model's JSON object does not have one text for each message", text)
    return ModelAnswer(tuple(found), text)


def read_answers(text: str, wanted: int) -> list[Any]:
    """What a model's JSON object has for each number up to `wanted`, in order. Raises UntrustedAnswer."""
    body = THOUGHT.sub("", text)
    try:
        found = json.loads(body[max(body.find("{"), 0) : body.rfind("}") + 1 or None], strict=False,
                           object_pairs_hook=without_repetition)
    except (ValueError, RecursionError) as error:
        raise UntrustedAnswer(f"the model did not answer with one JSON object ({error})"[:200], text) from error
    numbers = [str(number) for number in range(1, wanted + 1)]
    if not isinstance(found, dict) or sorted(found) != sorted(numbers):
        raise UntrustedAnswer(f"the model's JSON object does not answer about each of the {wanted} texts", text)
    return [found[number] for number in numbers]


def without_repetition(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A JSON object whose names stand there once. Raises ValueError for one that contradicts itself."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("it says two things of one text")
    return found
