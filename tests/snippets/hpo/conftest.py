"""Searches that log little and do not wait for the garbage collector."""

import gc
from collections.abc import Iterator

import optuna
import pytest


@pytest.fixture(scope="module")
def quiet_and_quick() -> Iterator[None]:
    """Trainer collects garbage three times a trial, a second each unless it passes the imported modules by."""
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    gc.freeze()
    yield
    gc.unfreeze()
