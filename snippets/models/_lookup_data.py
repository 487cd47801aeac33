"""The data of the page's lookup: the table without messages and differences, and what readers are told, by language.

    {"schema": 1, "date": "2026-11-27", "versions": {"transformers": "5.23.0", "torch": "2.13.0+cpu"},
     "traits": ["grouped-heads", ...],
     "names": {"sizes": "...", "variants": "...", "kinds": [["deepseek-r1", "deepseek_v3"], ...],
               "models": ["Llama 3.2 1B", ...]},
     "methods": {"packing": {"section": "packing#packing", "works": 108, "tried": 148,
                             "because": ["state-layers"]},
                 "tensor-parallelism": {..., "divide": ["num_key_value_heads", ...]}},
     "kinds": {"gemma2": ["Gemma2ForCausalLM", [0, 2, 5], "wwdr-?w"]},
     "texts": {"en": {"traits": {"grouped-heads": ["grouped-query attention (GQA)", "..."]}, "methods": {...},
                      "advice": {"packing": "...", "packing state-layers": "..."},
                      "conditions": {"tensor-parallelism": "... {count} ..."}}}}

A kind has the indices of its traits, and a letter for each method: works, differs, raises, not applicable (-), not
tried (?). One that could not be built has none.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from _cells import DIFFERS, NOT_APPLICABLE, NOT_TRIED, RAISES, WORKS, Table, TypeRecord
from _explanations import count_works, explaining_traits
from _names import read_patterns
from _texts import LANGUAGES, condition, divided_settings, label, read_texts, reason, remedy, title
from _traits import TRAITS

SCHEMA = 1
LETTERS = {WORKS: "w", DIFFERS: "d", RAISES: "r", NOT_APPLICABLE: "-", NOT_TRIED: "?"}


def method_data(table: Table, method: str) -> dict[str, Any]:
    """Where a method stands, with how many kinds it works, and the traits that explain the others."""
    count = count_works(table, method)
    because = [trait for trait, _ in explaining_traits(table, method)]
    data = {"section": table.methods[method]["section"], "works": count.works, "tried": count.tried, "because": because}
    return data | ({"divide": names} if (names := divided_settings(method)) else {})


def kind_data(record: TypeRecord, methods: Sequence[str], names: Sequence[str]) -> list[Any]:
    """The class of a kind, its traits and its results."""
    if record.failure or not record.date:
        return [record.architecture, [], ""]
    letters = "".join(LETTERS[record.cells[method].result] for method in methods)
    return [record.architecture, [names.index(trait) for trait in record.traits if trait in names], letters]


def name_data() -> dict[str, Any]:
    """How names of checkpoints are read."""
    sizes, variants, kinds = read_patterns()
    return {"sizes": sizes, "variants": variants, "kinds": list(kinds.items()), "models": read_texts("names")["models"]}


def text_data(methods: Mapping[str, Any], language: str) -> dict[str, dict[str, Any]]:
    """What readers are told in a language."""
    advice = {}
    for method, about in methods.items():
        pairs = {method: remedy(method, language=language)}
        pairs |= {f"{method} {trait}": remedy(method, trait, language) for trait in about["because"]}
        advice |= {key: text for key, text in pairs.items() if text}
    return {"traits": {trait.name: [label(trait.name, language), reason(trait.name, language)] for trait in TRAITS},
            "methods": {method: title(method, language) for method in methods}, "advice": advice,
            "conditions": {name: condition(name, "{count}", language) for name in methods if divided_settings(name)}}


def dump_lookup(table: Table, order: Sequence[str]) -> str:
    """The file's text, one kind, trait or method a line, so that a review shows what changed."""
    names = [trait.name for trait in TRAITS]
    methods = {method: method_data(table, method) for method in order}
    kinds = {name: kind_data(record, order, names) for name, record in sorted(table.types.items())}
    dates = [record.date for record in table.types.values() if record.date]
    data = {
        "schema": SCHEMA, "date": max(dates, default=""),
        "versions": {name: table.versions[name] for name in ("transformers", "torch") if name in table.versions},
        "traits": names, "names": name_data(), "methods": methods, "kinds": kinds,
        "texts": {language: text_data(methods, language) for language in LANGUAGES},
    }
    return "\n".join(spread(data, deep=("methods", "kinds", "texts", *LANGUAGES, "traits", "advice"))) + "\n"


def spread(data: Mapping[str, Any], deep: Sequence[str]) -> Iterator[str]:
    """JSON with each entry on a line of its own, also those of the objects named."""
    last = len(data) - 1
    yield "{"
    for number, (name, value) in enumerate(data.items()):
        comma = "," if number < last else ""
        if name in deep and isinstance(value, dict):
            lines = list(spread(value, deep))
            yield f"{compact(name)}:{lines[0]}"
            yield from lines[1:-1]
            yield lines[-1] + comma
        else:
            yield f"{compact(name)}:{compact(value)}{comma}"
    yield "}"


def compact(value: Any) -> str:
    """JSON without spaces."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
