"""Two people's records merge with git, whatever the order; what cannot merge is named and mended."""

import random
import subprocess
from concurrent.futures import ThreadPoolExecutor

import pytest
from hexapla.cli import main
from hexapla.translation import tracking

from tests.translation.test_state import git, tree, write

pytestmark = pytest.mark.slow

NAMES = [f"s{number}" for number in range(8)]
ORDERS = 100


def page(names, words, version=""):
    """A page in both languages with a section for each name."""
    source = "".join(f"## {name.title()} {{#{name}}}\n\nWords {words.get(name, 'one')} here.\n\n" for name in names)
    translation = "".join(f"## 节 {{#{name}}}\n\n译文 {words.get(name, 'one')}{version}。\n\n" for name in names)
    return source, translation


def put(root, name, names, words, version=""):
    """Write a page."""
    source, translation = page(names, words, version)
    write(root, {f"docs/en/{name}.md": source, f"docs/zh/{name}.md": translation})


def record(root, *given, reviewer="A", **options):
    """Record what is named."""
    return tracking.sync_tree(tree(root, cached=False), tracking.Sync(given, write=True, reviewer=reviewer, **options))


def commit(root, message):
    """Commit everything."""
    git(root, "add", "-A")
    git(root, "commit", "-qm", message)


def merge(root, branch):
    """The paths that a merge leaves in conflict."""
    subprocess.run(["git", "-C", str(root), "merge", "-q", "-m", "merge", branch], capture_output=True, check=False)
    listed = subprocess.run(["git", "-C", str(root), "diff", "--name-only", "--diff-filter=U"],
                            capture_output=True, text=True, check=True)
    return listed.stdout.splitlines()


@pytest.fixture
def root(tmp_path):
    """A tree in git with three pages; some sections of two of them are recorded."""
    for name in ("a", "b", "c"):
        put(tmp_path, name, NAMES, {})
    record(tmp_path, *(f"{name}#{section}" for name in ("a", "b") for section in NAMES[::2]))
    git(tmp_path, "init", "-q", "-b", "main")
    git(tmp_path, "config", "user.name", "A")
    git(tmp_path, "config", "user.email", "a@example.org")
    commit(tmp_path, "all")
    return tmp_path


def edit(root, chosen, person, sections):
    """One person's edits, in a random order: sections read, reworded, added to the source, a page moved."""
    names = {"a": list(NAMES), "b": list(NAMES)}
    words = {"a": {}, "b": {}}
    for kind, page_name, section in sections:
        if kind == "read":
            record(root, f"{page_name}#{section}", reviewer=person)
            continue
        if kind == "new":
            names[page_name].insert(names[page_name].index(section) + 1, f"new-{section}")
            section = f"new-{section}"
        words[page_name][section] = person
        put(root, page_name, names[page_name], words[page_name])
        record(root, f"{page_name}#{section}", reviewer=person)
    if person == "A" and chosen.random() < 0.5:
        write(root, {f"docs/{code}/b.md -> docs/{code}/moved.md": "" for code in ("en", "zh")})
        for section in [place for _, name, place in sections if name == "b"][:1]:  # what the other one does not edit
            record(root, f"moved#{section}", reviewer=person)
    commit(root, person)


@pytest.mark.parametrize("part", range(10))
def test_edits_of_different_sections_merge_in_any_order(root, part):
    base = subprocess.run(["git", "-C", str(root), "rev-parse", "HEAD"], capture_output=True, text=True).stdout.strip()
    for seed in range(part * ORDERS // 10, (part + 1) * ORDERS // 10):
        chosen = random.Random(seed)
        places = [(name, section) for name in ("a", "b") for section in NAMES]
        chosen.shuffle(places)
        mine, theirs = places[:4], places[4:8]
        git(root, "checkout", "-qf", "-B", "one", base)
        edit(root, chosen, "A", [(chosen.choice(["read", "reword", "new"]), *place) for place in mine])
        git(root, "checkout", "-qf", "-B", "two", base)
        edit(root, chosen, "B", [(chosen.choice(["read", "reword", "new"]), *place) for place in theirs])
        conflicts = merge(root, "one")
        assert not [path for path in conflicts if path.startswith("translations/")], (seed, conflicts)
        git(root, "reset", "-q", "--hard")
        git(root, "clean", "-qfd")


def test_both_began_the_same_page_and_the_command_that_check_names_mends_it(root, capsys):
    git(root, "checkout", "-q", "-b", "one")
    record(root, "c#s0", "c#s3", reviewer="A")
    commit(root, "one")
    git(root, "checkout", "-q", "main")
    record(root, "c#s1", "c#s3", "c#s5", reviewer="B")
    commit(root, "two")
    assert merge(root, "one") == ["translations/zh/c.txt"]
    layout = ["--layout", "docs/{lang}/{page}.md"]
    assert main(["check", "--root", str(root), *layout, "--select", "record-conflict", "--no-cache"]) == 1
    said = capsys.readouterr().out
    assert "translations/zh/c.txt" in said
    assert "hexapla sync c --language zh --write" in said
    main(["sync", "c", "--language", "zh", "--write", "--root", str(root), *layout])
    text = (root / "translations/zh/c.txt").read_text()
    assert "<<<<" not in text
    records = tree(root, cached=False).records["zh"]
    assert [name for (where, name) in records.of if where == "c"] == ["s0", "s1", "s3", "s5"]
    assert {len(found) for found in records.of.values()} == {1}


def test_of_two_records_neither_of_which_is_todays_none_counts(root):
    git(root, "checkout", "-q", "-b", "one")
    put(root, "a", NAMES, {"s0": "two"})
    record(root, "a#s0", reviewer="A")
    commit(root, "one")
    git(root, "checkout", "-q", "main")
    put(root, "a", NAMES, {"s0": "three"})
    record(root, "a#s0", reviewer="B")
    commit(root, "two")
    assert "translations/zh/a.txt" in merge(root, "one")
    put(root, "a", NAMES, {"s0": "four"})
    record(root, "a")
    (found,) = tree(root, cached=False).records["zh"].of["a", "s0"]
    assert (found.review, found.reviewer) == (tracking.MERGED, "")


def test_two_that_record_at_once_lose_nothing(root):
    trees = [(tree(root, cached=False), name) for name in NAMES]
    for each, _ in trees:
        assert each.records["zh"].of  # read before the others write
    with ThreadPoolExecutor(len(NAMES)) as pool:
        list(pool.map(lambda one: tracking.sync_tree(one[0], tracking.Sync([f"c#{one[1]}"], write=True)), trees))
    assert {name for (where, name) in tree(root, cached=False).records["zh"].of if where == "c"} == set(NAMES)


def test_drafts_become_current_only_when_somebody_says_that_they_were_read(root):
    file = root / "translations/zh/a.txt"
    file.write_text(file.read_text().replace(" reviewed by A", " draft", 1))
    wanted = tracking.Sync(["docs/zh"], write=True)
    said = tracking.sync_text(tracking.sync_tree(tree(root, cached=False), wanted), wanted)
    assert "1 draft that nobody has reviewed stays one; when you have read it: " in said
    assert "hexapla sync 'a#s0' --language zh --reviewed --write" in said
    assert " draft\n" in file.read_text()
    record(root, "a#s0", reviewed=True, reviewer="B")
    assert "draft" not in file.read_text()
    assert "reviewed by B" in file.read_text()
