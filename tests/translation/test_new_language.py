"""`hexapla add-language`: what it writes, and that it writes it once."""

import json

import pytest
import yaml
from hexapla.cli import main
from hexapla.config.project import load_project
from hexapla.errors import ConfigError
from hexapla.site.texts.strings import register_sentences, say_sentence, shipped_sentences
from hexapla.translation import new_language

from tests.site.project import build, lay

pytestmark = pytest.mark.slow

GLOSSARY = """\
# Terms.
- term: Adam
  treatment: keep
  zh: Adam
- term: batch
  zh: 批次
  forbidden: {zh: [束]}   # never
- {term: flow, zh: 流}
"""


def add(root, code="ko", name=None):
    texts = shipped_sentences()
    return new_language.new_files(load_project(root), code, name, texts["en"], code in texts)


@pytest.fixture
def root(tmp_path):
    return lay(tmp_path, {"docs/glossary.yml": GLOSSARY})


def test_everything_is_written_once(root):
    before = (root / "mkdocs.yml").read_text(encoding="utf-8")
    new = add(root)
    new_language.write_files(root, new)
    assert [str(file.relative_to(root)) for file in new] == [
        "mkdocs.yml", "docs/glossary.yml", "translations/ko.txt", "translations/strings-ko.yml"]
    after = (root / "mkdocs.yml").read_text(encoding="utf-8")
    assert [line for line in after.splitlines() if line not in before.splitlines()] == [
        "        - {locale: ko, name: 한국어}"]
    assert [language.code for language in load_project(root).languages] == ["en", "zh", "zh-Hant", "ko"]
    assert (root / "docs/glossary.yml").read_text(encoding="utf-8") == GLOSSARY.replace(
        "  zh: Adam\n", "  zh: Adam\n  ko: Adam\n").replace("  zh: 批次\n", "  zh: 批次\n  ko:\n")
    assert set(yaml.safe_load((root / "translations/strings-ko.yml").read_text())) == set(shipped_sentences()["en"])
    assert not add(root)


def test_the_site_is_built_in_the_new_language(root):
    new_language.write_files(root, add(root))
    file = root / "translations/strings-ko.yml"
    file.write_text(file.read_text().replace('state-missing: ""', 'state-missing: "번역 안 됨"'))
    built = build(root, "--strict")
    assert built.status == 0, built.said
    assert "번역 안 됨" in built.page("translations/ko/index.html")


def test_windows_line_ends_and_a_list_on_one_line_stay(root):
    (root / "mkdocs.yml").write_bytes(
        b"plugins:\r\n  - i18n: {languages: [{locale: en, name: English, default: true}]}\r\n# end\r\n")
    new_language.write_files(root, add(root, "pt-BR"))
    assert (root / "mkdocs.yml").read_bytes().decode() == (
        "plugins:\r\n  - i18n: {languages: [{locale: en, name: English, default: true}, "
        "{locale: pt-BR, name: português (Brasil)}]}\r\n# end\r\n")


@pytest.mark.parametrize("listed", ["\n      - {locale: en}\n      - *ja\n", " [{locale: en}, *ja]\n"])
def test_a_list_that_ends_with_an_alias_is_left_to_a_person(listed):
    settings = f"extra:\n  last: &ja {{locale: ja}}\nplugins:\n- i18n:\n    languages:{listed}"
    with pytest.raises(ConfigError, match="the last entry is an alias"):
        new_language.with_language(settings, "ko", None)


@pytest.mark.parametrize(("code", "says"), [
    ("../x", "is no code of a language"), ("korean", "is no code of a language"),
    ("aa-XY", "add-language aa-XY --name"), ("cn", "write the language's: zh"),
])
def test_what_is_no_language_is_one_sentence(root, code, says):
    with pytest.raises(ConfigError, match=says):
        add(root, code)


def test_a_write_that_fails_leaves_everything_as_it_was(root, monkeypatch):
    new = add(root)
    before = (root / "mkdocs.yml").read_bytes()
    monkeypatch.setattr(new_language, "replace_if_unchanged", fails_at(3))
    with pytest.raises(OSError, match="disk"):
        new_language.write_files(root, new)
    assert (root / "mkdocs.yml").read_bytes() == before
    assert not (root / "translations/ko.txt").exists()


def fails_at(number):
    """The real function that writes a file, which fails once."""
    real, calls = new_language.replace_if_unchanged, []

    def replace_if_unchanged(path, *data):
        calls.append(path)
        if len(calls) == number:
            raise OSError("disk full")
        real(path, *data)

    return replace_if_unchanged


@pytest.mark.parametrize(("text", "says"), [
    ("a: [", "is not YAML"), ("- a", "is no list of names"), ("other: x", "that the site does not say"),
    ('not-run: "{hardware} {secret}"', "has values in braces"),
    ('not-run: "{hardware.__class__}"', "has values in braces"),
])
def test_sentences_that_cannot_be_used_are_named(text, says):
    assert says in register_sentences("xx", text)
    assert say_sentence("xx", "output") == "Output"


def test_status_lists_what_is_not_translated_beside_the_pages(root, capsys):
    settings = root / "mkdocs.yml"
    settings.write_text(settings.read_text() + "nav: [{Start: [index.md, {More: index.md}]}]\n")
    (root / "docs/glossary.yml").write_text("- term: batch\n  zh: 批次\n")
    (root / "snippets/comments.yml").write_text('"Add the numbers.":\n  zh: 把数相加。\n')
    new_language.write_files(root, add(root))
    strings = root / "translations/strings-ko.yml"
    strings.write_text(strings.read_text().replace('fallback-title: ""', 'fallback-title: "번역되지 않음"'))
    main(["status", "--format", "json", "--root", str(root)])
    told = json.loads(capsys.readouterr().out)["beside"]
    assert told["ko"][:2] == ["mkdocs.yml: the navigation's title 'Start'", "mkdocs.yml: the navigation's title 'More'"]
    assert "translations/strings-ko.yml: the site's sentence 'fallback'" in told["ko"]
    assert "translations/strings-ko.yml: the site's sentence 'fallback-title'" not in told["ko"]
    assert told["ko"][-2:] == [
        "snippets/comments.yml:1: the comment 'Add the numbers.'", "docs/glossary.yml:1: the term 'batch'",
    ]
    assert told["zh"] == told["ko"][:2]
    main(["status", "--root", str(root)])
    said = capsys.readouterr().out
    assert "  not translated beside the pages: 2 texts\n    mkdocs.yml: the navigation's title 'Start'" in said
