"""The cases of a room: one YAML file, one situation."""

import os
from pathlib import Path

import pytest
from hexapla.yaml_text import load_yaml

FOLDER = Path(__file__).parent


def cases(room):
    """Every case below tests/cases/<room>, named by its file, for `pytest.mark.parametrize`."""
    files = sorted((FOLDER / room).rglob("*.yml"))
    assert files, f"no cases in {FOLDER / room}"
    return [
        pytest.param(load_yaml(file.read_text(encoding="utf-8")), id=file.relative_to(FOLDER / room).stem)
        for file in files
    ]


def cases_to_move(room, findings):
    """The cases that find something, and one in eight of those that find nothing: all of them by `make test-kinds`."""
    every = cases(room)
    quiet = [case for case in every if not case.values[0][findings]]
    taken = quiet if "EVERY_KIND" in os.environ else quiet[::8]
    return [case for case in every if case.values[0][findings]] + taken
