"""The texts beside the pages: listed, translated in their files, exported and imported."""

import polib
import pytest
import yaml
from hexapla.cli import main
from hexapla.config.project import load_project
from hexapla.site.texts.site_texts import ProjectTexts, untranslated_texts
from hexapla.translation.site_text import TextKind

from tests.site.project import SNIPPET, lay

GLOSSARY = "# Terms.\n- term: Adam\n  treatment: keep\n- {term: batch, zh: 批次}\n- term: rank  # of many\n"
FILES = {
    "docs/glossary.yml": GLOSSARY,
    "snippets/comments.yml": '# Comments.\n"Add the numbers.":\n  zh: 把数相加。\n',
}


@pytest.fixture
def root(tmp_path):
    project = lay(tmp_path, FILES)
    settings = project / "mkdocs.yml"
    text = settings.read_text(encoding="utf-8").replace(
        "{locale: zh, name: 简体中文}", "{locale: zh, name: 简体中文}\n        - {locale: ko, name: 한국어}")
    settings.write_text(text + "nav: [{Start here: [index.md]}]  # all\n", encoding="utf-8")
    return project


def texts(root):
    return ProjectTexts(load_project(root))


def put(root, kind, name, language, translation):
    files = texts(root)
    text = next(each for each in files.read() if (each.kind, each.name) == (kind, name))
    assert not files.problem(text, language, translation)
    files.put(text, language, translation)
    return next(each for each in files.read() if (each.kind, each.name) == (kind, name)).translations[language]


@pytest.mark.parametrize(("kind", "name", "path", "line"), [
    (TextKind.NAVIGATION, "Start here", "mkdocs.yml",
     "        - {locale: ko, name: 한국어, nav_translations: {Start here: '한: 국'}}"),
    (TextKind.COMMENTS, "Add the numbers.", "snippets/comments.yml", "  ko: '한: 국'"),
    (TextKind.GLOSSARY, "batch", "docs/glossary.yml", "- {term: batch, zh: 批次, ko: '한: 국'}"),
    (TextKind.GLOSSARY, "rank", "docs/glossary.yml", "  ko: '한: 국'"),
    (TextKind.SENTENCES, "output", "translations/strings-ko.yml", "output: '한: 국'"),
])
def test_a_translation_goes_into_its_file_and_nothing_else_changes(root, kind, name, path, line):
    file = root / path
    before = file.read_text(encoding="utf-8").splitlines() if file.is_file() else []
    assert put(root, kind, name, "ko", "한: 국") == "한: 국"
    after = file.read_text(encoding="utf-8").splitlines()
    assert line in after
    assert len(set(after) - set(before)) == 1
    assert put(root, kind, name, "ko", "또 {한} 국" if kind != TextKind.SENTENCES else "또") != "한: 국"


def test_windows_line_ends_stay(root):
    file = root / "snippets/comments.yml"
    file.write_bytes(file.read_bytes().replace(b"\n", b"\r\n"))
    put(root, TextKind.COMMENTS, "Add the numbers.", "ko", "더한다.")
    assert file.read_bytes().decode() == '# Comments.\r\n"Add the numbers.":\r\n  zh: 把数相加。\r\n  ko: 더한다.\r\n'


def test_a_comment_that_changed_is_told_and_its_translation_is_offered(root):
    put(root, TextKind.COMMENTS, "Add the numbers.", "ko", "더한다.")
    (root / "snippets/demo/add.py").write_text(SNIPPET.replace("Add the numbers", "Add the three numbers"))
    told = untranslated_texts(texts(root))
    line = ("snippets/demo/add.py:2: the comment 'Add the three numbers.', translated as 'Add the numbers.': "
            "`hexapla translate` offers that")
    assert line in told["zh"] and line in told["ko"]
    comment = next(each for each in texts(root).read() if each.name == "Add the three numbers.")
    assert comment.previous == "Add the numbers." and comment.earlier == {"zh": "把数相加。", "ko": "더한다."}
    put(root, TextKind.COMMENTS, "Add the three numbers.", "zh", "把三个数相加。")
    table = yaml.safe_load((root / "snippets/comments.yml").read_text(encoding="utf-8"))
    assert table == {"Add the numbers.": {"ko": "더한다."}, "Add the three numbers.": {"zh": "把三个数相加。"}}
    put(root, TextKind.COMMENTS, "Add the three numbers.", "ko", "세 수를 더한다.")
    table = yaml.safe_load((root / "snippets/comments.yml").read_text(encoding="utf-8"))
    assert table == {"Add the three numbers.": {"zh": "把三个数相加。", "ko": "세 수를 더한다."}}


def test_a_comment_that_is_shown_and_in_no_table_is_listed(root):
    (root / "snippets/comments.yml").unlink()
    (root / "snippets/demo/add.py").write_text(f"{SNIPPET}# Not shown.\n")
    comments = [line for line in untranslated_texts(texts(root))["ko"] if "comment" in line]
    assert comments == ["snippets/demo/add.py:2: the comment 'Add the numbers.'"]
    put(root, TextKind.COMMENTS, "Add the numbers.", "ko", "더한다.")
    assert "comment" not in "".join(untranslated_texts(texts(root))["ko"])


@pytest.mark.parametrize(("name", "translation", "says"), [
    ("failed-briefly", "에서", "does not have the values in braces"),
    ("failed-briefly", "{hardware}\n에서", "is not one line"),
])
def test_what_cannot_be_shown_is_told(root, name, translation, says):
    files = texts(root)
    text = next(each for each in files.read() if each.name == name)
    assert says in files.problem(text, "ko", translation)


@pytest.mark.parametrize("format", ["po", "xliff"])
def test_texts_go_out_and_come_back(root, format, capsys, tmp_path_factory):
    out = tmp_path_factory.mktemp("out")
    say = ["--root", str(root)]
    assert main(["export", "--format", format, "--language", "ko", "--output", str(out), *say]) == 0
    if format == "po":
        file = polib.pofile(out / "ko/site-texts/comments.po")
        file.find("Add the numbers.").msgstr = "더한다."
        file.save()
        file = polib.pofile(out / "ko/site-texts/sentences.po")
        file.find("Failed on {hardware}").msgstr = "에서"
        file.save()
        assert main(["import", str(out), "--write", *say]) == 1
        said = capsys.readouterr().out
        assert "site-texts/comments: 1 text written" in said
        assert "does not have the values in braces" in said
        assert "에서" in (out / "ko/site-texts/sentences.refused.po").read_text(encoding="utf-8")
    else:
        file = out / "ko/site-texts/comments.xlf"
        text = file.read_text(encoding="utf-8")
        source = '<source xml:space="preserve">Add the numbers.</source>'
        assert source in text
        file.write_text(text.replace(source, f"{source}<target>더한다.</target>"), encoding="utf-8")
        assert main(["import", str(out), "--write", *say]) == 0
    table = yaml.safe_load((root / "snippets/comments.yml").read_text(encoding="utf-8"))
    assert table["Add the numbers."] == {"zh": "把数相加。", "ko": "더한다."}
    assert "the comment" not in "".join(untranslated_texts(texts(root))["ko"])
