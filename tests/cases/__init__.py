"""The cases of a room: one YAML file, one situation."""

import os
from pathlib import Path

import pytest
import yaml
from hexapla.yaml_text import LOADER

FOLDER = Path(__file__).parent


def read_case(file):
    """What a file of YAML holds."""
    text = file.read_text(encoding="utf-8")
    try:
        return yaml.load(text, LOADER)
    except yaml.YAMLError:
        return yaml.safe_load(text)  # half of a pair of surrogates, which libyaml does not take


def cases(room):
    """Every case below tests/cases/<room>, named by its file, for `pytest.mark.parametrize`."""
    files = sorted((FOLDER / room).rglob("*.yml"))
    assert files, f"no cases in {FOLDER / room}"
    return [pytest.param(read_case(file), id=file.relative_to(FOLDER / room).stem) for file in files]


def cases_to_move(room, findings):
    """The cases that find something, and one in eight of those that find nothing: all of them by `make test-kinds`."""
    every = cases(room)
    quiet = [case for case in every if not case.values[0][findings]]
    taken = quiet if "EVERY_KIND" in os.environ else quiet[::8]
    return [case for case in every if case.values[0][findings]] + taken
