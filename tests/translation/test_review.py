"""What `hexapla review` doubts, what becomes of a doubt, and what a model is asked and may answer."""

import json
import os
import threading
from collections import Counter
from itertools import permutations

import pytest
import yaml
from hexapla import cli
from hexapla.config.discovery import TreeOptions
from hexapla.drafts.endpoint import Endpoint
from hexapla.drafts.meaning_judge import TOGETHER, MeaningJudge, read_decisions
from hexapla.drafts.placeholders import UntrustedAnswer
from hexapla.opened_tree import open_tree
from hexapla.review import lexicon
from hexapla.review.calibration import EACH, calibrate_rules, model_questions
from hexapla.review.doubts import Languages
from hexapla.review.habits import Habits
from hexapla.review.lengths import Lengths
from hexapla.review.lexicon import measure_gain, words_of
from hexapla.review.said_pairs import read_texts
from hexapla.review.sentence_alignment import Alignment
from hexapla.review.tree_review import (
    ReviewedSection,
    habits_without,
    review_section,
    section_habits,
    shaped_pairs,
)
from hexapla.translation.sections.section_problems import reason_of
from hexapla.translation.sections.segments import all_segments
from hexapla.translation.tracking import tree_status
from hexapla.translation.verdicts import (
    Doubt,
    Verdict,
    doubt_key,
    dump_verdicts,
    name_of,
    parse_verdicts,
    verdict_files,
    write_verdicts,
)
from hypothesis import example, given
from hypothesis import strategies as st

from benchmarks.review.__main__ import measured, opened
from tests.cases import FOLDER
from tests.drafts.server import completion, failing, material, saying, serving
from tests.reports.test_pull_request import git

CASES = yaml.safe_load((FOLDER / "review/doubts.yml").read_text(encoding="utf-8"))
ANSWERS = yaml.safe_load((FOLDER / "review/answers.yml").read_text(encoding="utf-8"))
RECORDED = yaml.safe_load((FOLDER / "review/recorded.yml").read_text(encoding="utf-8"))
ORDERS = yaml.safe_load((FOLDER / "review/orders.yml").read_text(encoding="utf-8"))
ZH = Languages("en", "zh")
NEVER = {"source": "The cache never reads the model.", "target": "缓存总是读取模型。"}


def section(source, target):
    """A section by its Markdown in both languages."""
    return ReviewedSection("page", "id", "id", "docs/zh/page.md", read_texts(all_segments(source), "en"),
                           read_texts(all_segments(target), "zh"))


def sentences():
    """The sentences that the words make, in both languages."""
    nouns, verbs = CASES["words"]["nouns"], CASES["words"]["verbs"]
    for place, (one, other) in enumerate(permutations(nouns, 2)):
        verb = [*verbs][place % len(verbs)]
        yield f"The {one} {verb} the {other}.", f"{nouns[one]}{verbs[verb]}{nouns[other]}。"


@pytest.fixture(scope="module")
def habits():
    """The habits of a small language."""
    return section_habits([section(one, other) for one, other in sentences()])


@pytest.mark.parametrize("case", CASES["sections"])
def test_doubts_of_a_section(habits, case):
    case = CASES["sections"][case]
    found = review_section(section(case["source"], case["target"]), habits, ZH)
    assert [doubt.kind for doubt in found] == case["doubts"], [doubt.message for doubt in found]


def test_a_paragraph_of_very_many_sentences_is_looked_at(habits):
    long = section("The cache reads the model. The kernel splits the batch.", "是的。" * 900)
    assert not review_section(long, habits, ZH)


def test_a_section_of_any_length_is_looked_at(habits):
    long = section("The cache reads 1 model.\n\n" * 400 + "The cache. " * 5000, "缓存读取 2 个模型。" * 5000)
    assert review_section(long, habits, ZH)


def test_words_are_not_learned_from_texts_that_are_too_long(monkeypatch):
    calls = Counter()
    for size in (250, 500):
        monkeypatch.setattr(
            lexicon, "measure_gain", lambda *four, size=size: calls.update([size]) or measure_gain(*four))
        words = [" ".join(f"{letter}{number}" for number in range(size)) for letter in "st"]
        section_habits([section(*words)] * 3 + [section("The cache reads.", "缓存读取。")] * 3)
    assert 0 < calls[500] <= 2 * calls[250]


def test_nothing_is_learned_from_translations_without_words():
    assert not section_habits([section("The cache reads.", "……")] * 3).forth.words


def test_a_sentence_of_one_letter_is_read():
    [text] = read_texts(all_segments("缓存读取模型。例："), "zh")
    assert text.sentences == ("缓存读取模型。", "例：")


@pytest.mark.parametrize(("source", "target"), [
    ("The cache reads the model. ", "缓存读取模型。"), ("The cache, ", "缓存，"),
    ("`a b`. C d (e) ", "`a b`。丙丁（戊）"),
])
def test_a_text_twice_as_long_takes_twice_the_steps(habits, monkeypatch, source, target):
    steps = Counter()

    def counted(own, one, other, weigh=Lengths.weigh):
        steps[size] += 1
        return weigh(own, one, other)

    monkeypatch.setattr(Lengths, "weigh", counted)
    for size in (100, 200):
        review_section(section(source * size, target * size), habits, ZH)
    assert 0 < steps[200] <= 3 * steps[100]


PIECES = ["The cache. ", "It has 2 of them, ", "Use `a b` (or its). ", "- ", "\n\n", "GPU "]


@given(st.lists(st.sampled_from(PIECES)))
def test_a_section_that_says_the_same_in_both_languages_is_not_doubted(pieces):
    text = "".join(pieces)
    known = section_habits([section(text, text)])
    for each in (Habits(), known, known.without(shaped_pairs(section(text, text)))):
        assert not review_section(section(text, text), each, ZH)


@pytest.mark.parametrize("place", [0, 5])
def test_a_section_is_judged_by_all_others(place):
    known = list(sentences())[:40]
    sections = [section(*both) for both in known]
    whole, others = (section_habits(each) for each in (sections, sections[:place] + sections[place + 1 :]))
    held = habits_without(whole, sections[place])
    for word in words_of(known[place][0]):
        if theirs := others.forth.evidence(word):
            assert held.forth.evidence(word)[:3] == theirs[:3], word


def test_the_sentence_that_is_not_there_is_found_by_lengths_alone():
    known = Habits(lengths=Lengths(0.5, 0.5))
    source, target = [[letter * length for letter, length in zip("abcd", sizes, strict=False)]
                      for sizes in ([40, 120, 30, 90], [20, 60, 45])]
    alignment = Alignment(source, [text.upper().translate(str.maketrans("ABC", "EFG")) for text in target], known)
    fits = [alignment.weigh_absence(place, place + 1) for place in range(4)]
    assert max(fits) == fits[2] > 0


def test_a_doubt_tells_all_that_is_doubted_of_its_kind(habits):
    first, kept, last = [list(sentences())[place] for place in (34, 145, 216)]
    dropped = first, last
    [found] = review_section(section(" ".join(one for one, _ in (first, kept, last)), kept[1]),
                             habits, ZH)
    assert all(one in found.message for one, _ in dropped), found.message


@pytest.fixture
def root(tmp_path):
    """A tree whose second page lacks a sentence, turns a negation, and would like to act upon a terminal."""
    pairs = list(sentences())
    pages = {"learn": "\n\n".join(one for one, _ in pairs), "page": (
        f"{pairs[0][0]} {pairs[40][0]} {pairs[60][0]}\n\n{NEVER['source']}\n\nThe batch takes \x1b[2J 20 ms.")}
    theirs = {"learn": "\n\n".join(other for _, other in pairs),
              "page": f"{pairs[0][1]}{pairs[60][1]}\n\n{NEVER['target']}\n\n批次需要 \x1b[2J 20 秒。"}
    for code, texts in (("en", pages), ("zh", theirs)):
        for name, text in texts.items():
            file = tmp_path / f"docs/{code}/{name}.md"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(f"# T {{#t}}\n\n{text}\n", encoding="utf-8")
    return tmp_path


def review(root, capsys, *more):
    """Run the command; its exit status and what it says."""
    status = cli.main(["review", "--root", str(root), "--layout", "docs/{lang}/{page}.md", *more])
    said = capsys.readouterr()
    return status, said.out + said.err


def doubts(root, capsys):
    """The doubts by kind, from the JSON."""
    status, said = review(root, capsys, "--format", "json")
    assert status == 0
    return {each["kind"]: each for each in json.loads(said)["doubts"]}


def read_verdicts(root, language, page):
    return parse_verdicts(verdict_files(root, language).get(page))[0]


def files(root):
    return sorted(file.relative_to(root).as_posix() for file in root.rglob("*.txt"))


def test_doubts_are_told_at_their_line_and_nothing_is_written(root, capsys):
    status, said = review(root, capsys)
    assert status == 0
    assert "docs/zh/page.md:3: missing: 'The gradient" in said
    assert "2 doubts in 2 sections" in said
    assert "\x1b" not in said
    assert not files(root)
    said = review(root, capsys, "docs/zh/learn.md")[1].splitlines()
    assert said[0] == "0 doubts in 1 section, 0 dismissed"


def test_a_dismissal_holds_until_a_text_changes(root, capsys):
    known = doubts(root, capsys)
    options = ("--dismiss", known["missing"]["id"], "--reason", "the caption: says it", "--by", "Ada")
    assert "nothing was written" in review(root, capsys, *options)[1]
    assert not files(root)
    assert "recorded" in review(root, capsys, *options, "--write")[1]
    assert files(root) == ["translations/review/zh/page.txt"]
    assert "dismissed by Ada: the caption: says it" in (root / files(root)[0]).read_text(encoding="utf-8")
    assert doubts(root, capsys).keys() == {"unit"}
    again = review(root, capsys, *options, "--write")
    assert again == (0, "docs/zh/page.md:3: missing: already dismissed in translations/review/zh/page.txt\n")
    page = root / "docs/zh/page.md"
    page.write_text(page.read_text(encoding="utf-8").replace("缓存读取模型。", "缓存读模型。", 1), encoding="utf-8")
    assert doubts(root, capsys).keys() == {"unit", "missing"}


def test_a_section_that_git_calls_behind_is_left_out(root, capsys):
    git(root, "init", "-q")
    page = root / "docs/en/page.md"
    for text in (page.read_text(encoding="utf-8"), page.read_text(encoding="utf-8").replace("20 ms", "about 20 ms")):
        page.write_text(text, encoding="utf-8")
        git(root, "add", "-A")
        git(root, "-c", "user.name=A", "-c", "user.email=a@example.org", "commit", "-qm", "words")
    assert "0 doubts in 1 section," in review(root, capsys)[1]


@pytest.mark.parametrize(("options", "says"), [
    (("--dismiss", "00000000"), "--reason"), (("--reason", "so"), "--dismiss"),
    (("--dismiss", "00000000", "--reason", "so", "--by", "Ada"), "is the id of no doubt"),
    (("--dismiss", "00000000", "--reason", " \u200b"), "--reason"), (("--model", "m"), "--endpoint"),
])
def test_what_is_lacking_is_said_in_one_sentence(root, capsys, options, says):
    status, said = review(root, capsys, *options, "--write")
    assert (status, said.count("\n"), says in said) == (2, 1, True), said


def answering(decision, quote):
    return saying(json.dumps({"1": {"decision": decision, "quote": quote, "reason": "turned" if quote else ""}}))


def test_a_model_is_asked_once_and_only_to_write(root, capsys):
    with serving(answering("reversed", "总是")) as server:
        asked = ("--endpoint", server.address, "--model", "m")
        assert "nothing was sent" in review(root, capsys, *asked)[1]
        assert not server.asked
        assert 'reversed: "总是": turned' in review(root, capsys, *asked, "--write")[1]
        assert 'reversed: "总是": turned' in review(root, capsys, *asked, "--write")[1]
        assert len(server.asked) == 1
    dismissed = ("--dismiss", doubts(root, capsys)["reversed"]["id"], "--reason", "meant so", "--by", "Ada", "--write")
    assert "recorded" in review(root, capsys, *dismissed)[1]
    assert "reversed" not in doubts(root, capsys)


def test_what_rules_a_person_and_each_model_decide_of_the_same_texts_is_kept_apart(root, capsys):
    write_verdicts(root, "zh", {"page": {(*doubt().key[:2], "missing"): Verdict("dismissed", "Ada", "the caption")}})
    with serving(answering("missing", "never"), answering("sound", "")) as server:
        for model in "mn":
            assert 'missing: "never": turned' in review(root, capsys, "--endpoint", server.address, "--model", model,
                                                        "--write")[1]
        assert len(server.asked) == 2
    found = [each for each in json.loads(review(root, capsys, "--format", "json")[1])["doubts"] if each["judge"]]
    assert [(each["kind"], each["judge"]) for each in found] == [("missing", "m, question 1")]
    options = ("--dismiss", found[0]["id"], "--reason", "meant so", "--by", "Ada", "--write")
    assert "recorded" in review(root, capsys, *options)[1]
    assert "never" not in review(root, capsys)[1]
    assert Counter(each.decision for each in read_verdicts(root, "zh", "page").values()) == {
        "doubted": 2, "dismissed": 2, "missing": 1, "sound": 1}


def test_the_answers_of_a_request_are_written_at_once_and_before_the_next(root, capsys, monkeypatch):
    written = []
    for code, never in (("en", NEVER["source"]), ("zh", NEVER["target"])):
        page = root / f"docs/{code}/page.md"
        page.write_text(page.read_text(encoding="utf-8") + "".join(
            f"\n{never[:-1]} {number}{never[-1]}\n" for number in range(TOGETHER)), encoding="utf-8")
    monkeypatch.setattr("hexapla.drafts.endpoint.TRIES", 1)
    monkeypatch.setattr("hexapla.cli.review.write_verdicts", lambda *new: written.append(new) or write_verdicts(*new))
    sound = saying(json.dumps({str(number): {"decision": "sound"} for number in range(1, TOGETHER + 1)}))
    with serving(sound, failing(500)) as server:
        review(root, capsys, "--endpoint", server.address, "--model", "org::m", "--write")
    assert len(written) == 1
    assert [each.by for each in read_verdicts(root, "zh", "page").values()] == ["org :m, question 1"] * TOGETHER


def test_what_only_a_model_can_tell_may_be_dismissed(root, capsys):
    write_verdicts(root, "zh", {"page": {doubt().key: Verdict("dismissed", "Ada", "meant so")}})
    said = review(root, capsys)[1]
    assert "2 doubts in 2 sections, 1 dismissed" in said
    assert "meant so" not in said
    assert "only a model" not in said


@pytest.mark.parametrize("reply", [
    saying("It is fine."), saying('{"1": {"decision": "sound"}, "1": {"decision": "reversed"}}'),
    saying("x" * 10_000_000), failing(400, "too long"),
], ids=["prose", "contradiction", "10 MB", "refused"])
def test_an_answer_of_no_use_is_told_in_one_sentence_and_decides_nothing(root, capsys, reply):
    with serving(reply) as server:
        status, said = review(root, capsys, "--endpoint", server.address, "--model", "m", "--write")
    assert status == 0
    assert said.count("not decided: ") == 1
    assert "1 text to ask m about" in said
    assert {each.decision for each in read_verdicts(root, "zh", "page").values()} == {"doubted"}


def test_a_server_that_is_not_there_is_told_in_one_sentence(root, capsys, monkeypatch):
    monkeypatch.setattr("hexapla.drafts.endpoint.TRIES", 1)
    with serving(saying("")) as server:
        address = server.address
    status, said = review(root, capsys, "--endpoint", address, "--model", "m", "--write")
    assert (status, said.count("\n")) == (2, 1)
    assert not files(root)


def doubt(source=NEVER["source"], target=NEVER["target"]):
    key = doubt_key("meaning", (source, target))
    return Doubt("zh", "page", "id", "docs/zh/page.md", 1, 1, "meaning", "", source, target, key)


@pytest.mark.parametrize("case", ANSWERS, ids=lambda case: case["answer"][:40])
def test_answers_are_read_strictly(case):
    both = [doubt(), doubt()]
    if "refused" in case:
        with pytest.raises(UntrustedAnswer, match=case["refused"]):
            read_decisions(case["answer"], both, "m")
        return
    found = read_decisions(case["answer"], both, "m")
    for answer, wanted in zip(found, case["decided"], strict=True):
        assert answer.verdict.decision == wanted if answer.verdict else wanted in answer.failure


def test_one_json_object_is_asked_for():
    [system, _] = MeaningJudge(Endpoint("http://localhost:1/v1", "m", "en", "zh", environment={})).build_chat([doubt()])
    assert "\n\nAnswer with one JSON object that has for each number an object with\n" in system["content"]


@pytest.mark.parametrize("order", ORDERS)
def test_what_a_page_says_is_data(order):
    judge = MeaningJudge(Endpoint("http://localhost:1/v1", "m", "en", "zh", environment={}))
    plain, asked = judge.build_chat([doubt()]), judge.build_chat([doubt(order, order)])
    assert asked[0] == plain[0]
    assert [turn["role"] for turn in asked] == ["system", "user"]
    assert json.loads(asked[1]["content"]) == {"1": {"source": order, "translation": order}}


def test_rules_are_calibrated_on_the_tree_itself(root, capsys):
    said = review(root, capsys, "--calibrate", "--language", "zh")[1].splitlines()
    assert said[0] == "zh: without a model"
    assert said[-1].startswith("  doubted as they are: 1 of 2 sections")
    assert not files(root)
    for more in (["docs/zh/page.md"], ["--format", "json"], ["--dismiss", "a", "--reason", "b"]):
        status, said = review(root, capsys, "--calibrate", *more)
        assert (status, said.count("\n")) == (2, 1)
        assert "--calibrate prints a table of whole languages: leave out" in said


def test_errors_that_are_seeded_are_found_and_sound_sections_are_not():
    known = list(sentences())
    sections = [section(*map(" ".join, zip(*known[place::80], strict=True))) for place in range(80)]
    found = calibrate_rules(sections, ZH)
    assert found.sound == 80 and not found.alarms
    assert found.made["sentence dropped"] == found.made["sentence added"] == EACH
    assert found.caught["sentence dropped"] > EACH / 2 < found.caught["sentence added"]
    lacking = [section(" ".join(one for one, _ in known[place::80]), known[place][1]) for place in range(3)]
    found = calibrate_rules([*lacking, *sections[3:40]], ZH)
    assert found.alarms
    assert {*found.made.values()} == {EACH}
    asked = [doubt for kind, doubt in model_questions(sections, ZH) if not kind]
    assert EACH < len(asked) == len({*asked})
    mixed = [each._replace(section=str(number), page="ab"[number % 2])
             for number, each in enumerate([*lacking, *sections[3:40]])]
    asked = [doubt for _, doubt in model_questions(mixed, ZH)]
    assert not {"0", "1", "2"} & {each.section for each in asked}  # what is doubted as it is
    assert [each.page for each in asked] == sorted(each.page for each in asked)


def test_the_tokens_that_are_announced_are_those_of_all_requests():
    judge = MeaningJudge(Endpoint("http://localhost:1/v1", "m", "en", "zh", environment={}))
    asked = [doubt()._replace(page=f"page{number}") for number in range(9)]
    assert judge.estimate_tokens(asked).total == sum(judge.estimate_tokens([each]).total for each in asked)


def test_the_benchmark_counts_what_is_found_in_a_tree(root):
    for page in root.glob("docs/*/learn.md"):
        page.write_text(page.read_text(encoding="utf-8") + "\n```python\nx = 1\n```\n", encoding="utf-8")
    tree = opened({"root": root.name, "layout": "docs/{lang}/{page}.md"}, root.parent)
    caught, made, doubted, looked = measured(tree, "zh", 3, [])
    assert (len(doubted), looked, made.total()) == (1, 2, 3)
    assert caught <= made


def test_a_model_is_calibrated_by_errors_and_by_texts_as_they_are(root, capsys):
    """One that calls each second text wrong: the errors, which stand before the texts that they were put into."""
    def answer(handler, asked):
        pairs = material(asked)
        handler.send(200, completion(json.dumps({number: {"decision": "sound"} if int(number) % 2 == 0 else {
            "decision": "added", "quote": each["translation"][:2], "reason": "so"} for number, each in pairs.items()})))

    with serving(answer) as server:
        asked = ("--calibrate", "--endpoint", server.address, "--model", "m")
        assert "nothing was sent" in review(root, capsys, *asked)[1]
        assert not server.asked
        said = review(root, capsys, *asked, "--write")[1].splitlines()
    assert said[0] == "zh: by m"
    assert all(line.endswith("100%") for line in said[1:-1])
    assert said[-1].startswith("  doubted as they are: 0 of ")


def test_verdicts_of_two_commands_at_once_and_of_a_merge_are_all_kept(tmp_path):
    keys = [(f"{number:012x}", "-", "missing") for number in range(12)]
    threads = [threading.Thread(target=write_verdicts, args=(
        tmp_path, "zh", {"a/page": {key: Verdict("dismissed", "Ada: L", "a\nb \x1b")}})) for key in keys]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert read_verdicts(tmp_path, "zh", "a/page") == {(key, ""): Verdict("dismissed", "Ada L", "a b") for key in keys}
    file = tmp_path / "translations/review/zh/a/page.txt"
    lines = file.read_text(encoding="utf-8").splitlines()
    file.write_text("\n".join(["<<<<<<< a", *lines[:6], "=======", *lines[6:], ">>>>>>> b", "a line of nobody", ""]))
    write_verdicts(tmp_path, "zh", {"a/page": {}})
    assert read_verdicts(tmp_path, "zh", "a/page").keys() == {(key, "") for key in keys}
    assert file.read_text(encoding="utf-8").splitlines() == ["a line of nobody", *lines]


@given(st.text(st.sampled_from("m :\n\ud800") | st.characters()), st.text(st.sampled_from("m :") | st.characters()))
@example("org::m", "")
@example(":", "m: m")
@example(": :a:", ":")
def test_whoever_decided_a_verdict_is_read_back(name, reason):
    verdict = Verdict("sound", name_of(name), reason_of([reason]))
    known = {(doubt().key, verdict.judge): verdict}
    assert parse_verdicts(dump_verdicts(known).encode("utf-8", "surrogateescape")) == (known, [])


def test_an_empty_file_is_written_to(tmp_path):
    file = tmp_path / "translations/review/zh/page.txt"
    file.parent.mkdir(parents=True)
    file.touch()
    write_verdicts(tmp_path, "zh", {"page": {doubt().key: Verdict("sound", "qwen3:8b")}})
    assert read_verdicts(tmp_path, "zh", "page") == {(doubt().key, "qwen3:8b"): Verdict("sound", "qwen3:8b")}


def test_a_file_of_a_later_version_is_left_alone(root, capsys):
    file = root / "translations/review/zh/page.txt"
    file.parent.mkdir(parents=True)
    file.write_text("# schema: 2\n")
    status, said = review(root, capsys)
    assert (status, "install a later hexapla" in said) == (2, True)
    assert not recorded(root)
    assert cli.main(["status", "--root", str(root), "--layout", "docs/{lang}/{page}.md"]) == 0
    assert "translations/review/zh/page.txt:1: has schema 2" in capsys.readouterr().out


@pytest.mark.parametrize("make", [
    lambda file, out: file.symlink_to(out / "page.txt"), lambda file, out: os.mkfifo(file),
    lambda file, out: (file.parent.rmdir(), file.parent.symlink_to(out)),
], ids=["a link out of the tree", "a pipe", "a folder's link"])
def test_what_is_no_file_of_verdicts_is_told_in_one_sentence(root, tmp_path_factory, capsys, make):
    file, out = root / "translations/review/zh/page.txt", tmp_path_factory.mktemp("out")
    file.parent.mkdir(parents=True)
    (out / "page.txt").touch()
    make(file, out)
    status = cli.main(["status", "--root", str(root), "--layout", "docs/{lang}/{page}.md"])
    said = capsys.readouterr().err
    assert (status, said.count("\n")) == (2, 1), said
    assert "it has to be a file that can be read, or not to be there" in said


def test_what_a_file_of_verdicts_says_is_shown_whatever_its_bytes(root, capsys):
    review(root, capsys, "--write")
    file = root / "translations/review/zh/page.txt"
    file.write_bytes(file.read_bytes().replace(b"'", b"\xe9\x1b"))
    told = [each.as_data()["message"] for each in recorded(root)]
    assert any("<U+DCE9><U+001B>" in each for each in told)
    assert not any("\x1b" in each or "\udce9" in each for each in told)


def test_a_doubt_that_is_shown_and_no_more_found_may_be_dismissed(root, capsys):
    key = doubt_key("number", tuple(NEVER.values()))
    write_verdicts(root, "zh", {"page": {key: Verdict("doubted", "hexapla", "once")}})
    [shown] = recorded(root)
    assert "once" not in review(root, capsys)[1]
    options = ("--dismiss", shown.id, "--reason", "so", "--by", "Ada", "--write")
    assert "recorded" in review(root, capsys, *options)[1]
    assert not recorded(root)


def recorded(root, code="zh"):
    """What is shown of a tree's doubts, nothing reviewed again."""
    tree = open_tree(TreeOptions(root, "docs/{lang}/{page}.md"))
    return [doubt for page in tree_status(tree, language=code) for each in page.sections for doubt in each.doubts]


def edit(file, old, new):
    """In a file one text for another."""
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new, 1), encoding="utf-8")


@pytest.mark.parametrize("case", RECORDED)
def test_a_recorded_doubt_is_shown_while_both_texts_are_as_they_were(root, capsys, case):
    assert review(root, capsys)[0] == 0 and not recorded(root)
    assert "what was recorded" in review(root, capsys, "--write")[1]
    case = RECORDED[case]
    for file, (old, new) in case["edits"].items():
        edit(root / file, old, new)
    assert {doubt.kind: doubt.line for doubt in recorded(root)} == case["shown"]


def test_the_page_of_the_status_has_the_recorded_doubts_of_current_sections_too(root, capsys):
    tree = ("--root", str(root), "--layout", "docs/{lang}/{page}.md")
    edit(root / "docs/zh/page.md", "\x1b[2J 20 秒", "20 毫秒")
    edit(root / "docs/en/page.md", "\x1b[2J ", "")
    cli.main(["sync", "zh", *tree, "--reviewed", "--write"])

    def page():
        capsys.readouterr()
        assert cli.main(["status", *tree, "--format", "html"]) == 0
        return capsys.readouterr().out

    assert "<p>Nothing is open.</p>" in page()
    key = doubt_key("number", tuple(NEVER.values()))
    write_verdicts(root, "zh", {"page": {key: Verdict("doubted", "hexapla", "<b>once")}})
    file = root / "translations/review/zh/page.txt"
    file.write_bytes(file.read_bytes().replace(b"once", b"\xe9\x1b"))
    [shown] = recorded(root)
    assert f"<br>{shown.path}:5: number: &lt;b&gt;&lt;U+DCE9&gt;&lt;U+001B&gt; (source line 5) [{shown.id}]" in page()


def test_no_doubt_of_any_kind_is_shown_once_either_side_has_changed(root, capsys):
    """Of what one side lacks, or has in the place of another text, all of its section is a side."""
    for code, side in (("en", "source"), ("zh", "target")):
        (root / f"docs/{code}/cases.md").write_text("".join(
            f"## T {{#c{number}}}\n\n{case[side]}\n\n" for number, case in enumerate(CASES["sections"].values())),
            encoding="utf-8")
    review(root, capsys, "--write")
    every = recorded(root)
    assert {doubt.kind for doubt in every} == {"missing", "added", "twice", "number", "unit", "name", "swapped"}
    assert {bool(doubt.source) + bool(doubt.target) for doubt in every} == {1, 2}
    for doubt in every:
        for code, text, line in (("en", doubt.source, doubt.source_line), ("zh", doubt.target, doubt.line)):
            file = root / f"docs/{code}/{doubt.page}.md"
            before = file.read_text(encoding="utf-8")
            lines = before.split("\n")
            places = [lines.index(f"## T {{#{doubt.section}}}")] if not text or doubt.kind == "swapped" else []
            for place, start in [(each, "T") for each in places] + ([(line - 1, text[:2])] if text else []):
                assert start in lines[place]
                new = lines[place].replace(start, f"{start[0]}x{start[1:]}", 1)
                file.write_text("\n".join([*lines[:place], new, *lines[place + 1 :]]), encoding="utf-8")
                assert doubt.id not in {each.id for each in recorded(root)}, (doubt, code)
            file.write_text(before, encoding="utf-8")
    assert recorded(root) == every


def test_recorded_doubts_are_shown_where_people_work(root, capsys):
    options = ("--root", str(root), "--layout", "docs/{lang}/{page}.md")

    def said(*words):
        assert cli.main([*words, *options]) == 0
        return capsys.readouterr().out

    for code in ("en", "zh"):
        edit(root / f"docs/{code}/page.md", "\x1b[2J ", "")
    assert "doubts:" not in said("status")  # and that answer is kept
    review(root, capsys, "--write")
    told = said("status")
    assert "words to look at: 0; doubts: 2\n" in told
    assert "t: translated, but nobody has recorded from what (2 doubts)\n" in told
    data = json.loads(said("status", "--format", "json"))
    assert data["languages"]["zh"]["doubts"] == 2
    assert {page["page"]: [each.get("doubts") for each in page["sections"]] for page in data["pages"]} == {
        "learn": [None], "page": [2]}
    said("sync", "zh", "--reviewed", "--write")
    told = said("status")
    assert "t: current (2 doubts)\n" in told and "docs/zh/learn.md" not in told
    assert told.splitlines()[-1].startswith("next: hexapla review page --language zh")
    place = ("next", "page#t", "--language", "zh")
    [missing, unit] = json.loads(said(*place, "--format", "json"))["section"]["doubts"]
    assert (missing["kind"], missing["line"], unit["kind"], unit["line"]) == ("missing", 3, "unit", 7)
    assert f"line 7: {unit['kind']}: {unit['message']} (source line 7) [{unit['id']}]" in said(*place)
    review(root, capsys, "--dismiss", unit["id"], "--reason", "so", "--by", "Ada", "--write")
    assert "(1 doubt)" in said("status")
    assert [each["kind"] for each in json.loads(said(*place, "--format", "json"))["section"]["doubts"]] == ["missing"]


def test_what_a_model_doubts_is_shown_and_what_it_finds_sound_is_not(root, capsys):
    with serving(answering("reversed", "总是"), answering("sound", "")) as server:
        for model in "mn":
            review(root, capsys, "--endpoint", server.address, "--model", model, "--write")
    assert [(each.kind, each.judge, each.line) for each in recorded(root)] == [
        ("missing", "", 3), ("reversed", "m, question 1", 5), ("unit", "", 7)]
    [_, doubted, _] = recorded(root)
    review(root, capsys, "--dismiss", doubted.id, "--reason", "so", "--by", "Ada", "--write")
    assert {each.kind for each in recorded(root)} == {"missing", "unit"}


def test_a_review_takes_back_what_it_does_not_doubt_any_more_and_of_what_it_looked_at_alone(root, capsys):
    file = root / "translations/review/zh/page.txt"
    review(root, capsys, "--write")
    first = file.read_bytes()
    assert first.count(b" doubted by hexapla: ") == 2
    for pages in ([], ["docs/zh/learn.md"]):
        review(root, capsys, *pages, "--write")
        assert file.read_bytes() == first
    assert files(root) == ["translations/review/zh/page.txt"]
    edit(root / "docs/zh/page.md", "20 秒", "20 毫秒")
    review(root, capsys, "--write")
    assert file.read_bytes().count(b"\n") == 1
    write_verdicts(root, "zh", {"page": {}}, reviewed=True)
    assert not files(root)


@pytest.mark.parametrize("order", [*permutations(("doubted", "dismissed", "doubted"))])
def test_what_was_dismissed_is_not_doubted_by_a_review_or_a_merge(tmp_path, order):
    key = ("0" * 12, "1" * 12, "unit")
    for decision in order:
        write_verdicts(tmp_path, "zh", {"page": {key: Verdict(decision, "Ada")}}, reviewed=decision == "doubted")
    assert [each.decision for each in read_verdicts(tmp_path, "zh", "page").values()] == ["dismissed"]
    lines = "".join(dump_verdicts({(key, ""): Verdict(decision, "Ada")}) for decision in order)
    assert [each.decision for each in parse_verdicts(lines.encode())[0].values()] == ["dismissed"]
