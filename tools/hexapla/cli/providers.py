"""What other rooms give to the checks: the glossary's terms, the mojibake gate, Traditional Chinese."""

from pathlib import Path
from typing import TYPE_CHECKING

from hexapla.parsed import Parsed, anew

if TYPE_CHECKING:
    from hexapla.glossary import Term


def own_terms(root: Path | None, parsed: Parsed = anew) -> "tuple[Term, ...]":
    """The glossary of the project at `root`, or of the one that we stand in; a tree that is not ours has none."""
    from hexapla import config, glossary

    try:
        file = config.find(root, parsed).glossary
        return glossary.parse(file.read_text(encoding="utf-8"), parsed) if file.is_file() else ()
    except config.ConfigError:
        return ()
    except (glossary.GlossaryError, UnicodeDecodeError) as error:
        raise config.ConfigError(f"{file}: {error}") from error


def garbled(text: str) -> str | None:
    """How a text came to be garbled, None where it is not."""
    from hexapla.mojibake import detect

    return detect.garbled(text)


def traditional(text: str) -> str:
    """A text in Traditional Chinese; the dictionaries are loaded when a page asks for them."""
    from hexapla.hanzi import Converter

    return Converter({})(text)
