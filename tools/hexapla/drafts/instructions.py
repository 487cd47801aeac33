"""What a project tells a model about its language: `translations/instructions/CODE.md`, if there is one."""

from pathlib import Path

from hexapla.config.layout import RECORDS
from hexapla.errors import ConfigError
from hexapla.files import OutsideError, read_text


def read_instructions(root: Path, language: str) -> str:
    """The instructions for a language, "" for none. Raises ConfigError for a file that cannot be read."""
    path = f"{RECORDS}/instructions/{language}.md"
    try:
        return read_text(root, path)
    except FileNotFoundError:
        return ""
    except (OSError, UnicodeDecodeError, OutsideError) as error:
        raise ConfigError(f"{path}: cannot be read ({error}); it has to be a UTF-8 text inside the project") from error
