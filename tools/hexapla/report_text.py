"""What reports of commands share: JSON that a terminal may show, counted nouns, annotations and Markdown of GitHub."""

import json
import re

# What a terminal acts upon, line feeds, tabs and line ends of Windows excepted, but embeddings and overrides of the
# direction of writing.
CONTROL = re.compile(r"[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]|\r(?!\n)")
# GitHub's rules for workflow commands: in a value `%`, CR and LF, in a property also `:` and `,`.
VALUE = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A"})
PROPERTY = VALUE | str.maketrans({":": "%3A", ",": "%2C"})

LONGEST = 300  # characters of words in code


def as_json(**fields: object) -> str:
    """A report as JSON of our schema."""
    return json_text({"schema": 1, **fields})


def json_text(data: object) -> str:
    """Data as JSON, what a terminal acts upon as JSON's own escapes."""
    made = json.dumps(data, ensure_ascii=False, indent=1)
    return CONTROL.sub(lambda found: f"\\u{ord(found[0]):04x}", made)


def plural(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"


def annotate_file(level: str, message: str, **properties: object) -> str:
    """A workflow command that annotates a file: `::error file=a.md,line=3::message`."""
    listed = ",".join(f"{name}={str(value).translate(PROPERTY)}" for name, value in properties.items())
    return f"::{level} {listed}::{message.translate(VALUE)}"


def code_text(text: str) -> str:
    """A text as code in one line, where no character of it means anything."""
    seen = "".join(character if character.isprintable() else " " for character in text)
    words = " ".join(seen.replace("`", "'").replace("|", "¦").split())
    return f"`{words if len(words) <= LONGEST else words[: LONGEST - 1] + '…'}`"
