"""Searches that log little."""

import optuna
import pytest


@pytest.fixture(scope="module")
def quiet() -> None:
    """Optuna's warnings alone."""
    optuna.logging.set_verbosity(optuna.logging.WARNING)
