"""The cases of a room: one YAML file, one situation."""

from pathlib import Path

import pytest
import yaml

FOLDER = Path(__file__).parent


def cases(room):
    """Every case below tests/cases/<room>, named by its file, for `pytest.mark.parametrize`."""
    files = sorted((FOLDER / room).rglob("*.yml"))
    assert files, f"no cases in {FOLDER / room}"
    return [
        pytest.param(yaml.safe_load(file.read_text(encoding="utf-8")), id=file.relative_to(FOLDER / room).stem)
        for file in files
    ]
