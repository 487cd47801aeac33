"""Published addresses are promises: each answers, or `hexapla check` names it."""

import os
import random

import pytest
from hexapla.api import check_tree
from hexapla.checks.rules.address_ledger import FILE, add_to_ledger, parse_ledger
from hexapla.cli import make_parser
from hexapla.cli.addresses import addresses
from hexapla.errors import ConfigError
from hypothesis import given
from hypothesis import strategies as st

from tests.cases import cases
from tests.checks.test_command import lay

CONFIG = """\
plugins:
  - i18n: {{docs_structure: folder, languages: [{languages}]}}
  - hexapla: {{redirect_maps: {{{maps}}}}}
markdown_extensions: [attr_list]
"""
LANGUAGES = ("en", "zh", "ja", "ko")


def configuration(maps=""):
    names = [f"{{locale: {code}, name: {code}, default: {str(code == 'en').lower()}}}" for code in LANGUAGES]
    return CONFIG.format(languages=", ".join(names), maps=maps)


def record(root, *options):
    return addresses(make_parser("addresses").parse_args(["addresses", "--root", str(root), *options]))


@pytest.mark.parametrize("case", cases("addresses"))
def test_what_is_lost_is_named_with_the_likeliest_place(case, tmp_path):
    ours = not case.get("foreign")
    lay(tmp_path, {"mkdocs.yml": configuration()} if ours else {})
    lay(tmp_path, case["before"])
    record(tmp_path, "--release", "1.0", "--write")
    for path in case.get("delete", ()):
        (tmp_path / path).unlink()
    lay(tmp_path, case.get("after", {}))
    lay(tmp_path, {"mkdocs.yml": configuration(case.get("redirect_maps", ""))} if ours else {})
    if "ledger" in case:  # as somebody left it
        (tmp_path / FILE).write_text(case["ledger"], encoding=case.get("encoding", "utf-8"))
    found = check_tree(tmp_path, select=["address-lost"], cached=False).findings
    assert [f"{each.subject}: {each.hint}" for each in found if each.subject] == case.get("lost", [])
    problems = [f"{each.path}:{each.line}: {each.message}; {each.hint}" for each in found if not each.subject]
    assert problems == case.get("problem", [])
    if problems:  # which nobody adds to
        with pytest.raises(ConfigError) as refused:
            record(tmp_path, "--write")
        assert [str(refused.value)] == problems


MOVED = ("old.md: new.md, 'old.md#a': other.md#b, gone.md: 'deep/index.md#x', out.md: 'https://example.org/x', "
         "new.md: b.md")
MAPPED = {
    "netlify": ["/docs/gone/ /docs/deep/#x 301", "/docs/out/ https://example.org/x 301",
                "/docs/zh/gone/ /docs/zh/deep/#x 301"],
    "cloudflare": ["/docs/gone/ /docs/deep/#x 301", "/docs/zh/out/ https://example.org/x 301"],
    "nginx": ['location = "/docs/zh/gone/" { return 301 "/docs/zh/deep/$is_args$args#x"; }'],
    "zensical": ['        "en/old.md": "en/new.md"', '        "en/old.md#a": "en/other.md#b"',
                 '        "ko/gone.md": "ko/deep/index.md#x"', '        "en/out.md": "https://example.org/x"'],
}


@pytest.mark.parametrize("host", MAPPED)
def test_a_host_gets_the_redirects_of_pages_and_is_told_what_no_server_can_do(tmp_path, capsys, host):
    pages = {f"docs/en/{name}.md": "# A {#a}\n" for name in ("new", "other", "deep/index")}
    lay(tmp_path, {"mkdocs.yml": f"site_url: https://example.org/docs\n{configuration(MOVED)}"} | pages)
    assert record(tmp_path, "--map", host) == 0
    printed = capsys.readouterr().out.splitlines()
    assert set(MAPPED[host]) <= set(printed)
    assert not [line for line in printed if "new/ " in line.partition(" ")[0]]  # the page is still there
    left = [line.partition(": its sections went")[0] for line in printed if line.startswith("#")]
    assert left == ([] if host == "zensical" else ["# /docs/old/", *(f"# /docs/{code}/old/" for code in LANGUAGES[1:])])


ODD = r"""'a" ; $b.md': 'c" ; $d\.md', "e\nf.md": "g\nh.md#i\nj", 'k*.md': 文.md"""
ESCAPED = {
    "netlify": ["/a%22%20;%20%24b/ /c%22%20;%20%24d%5C/ 301", "/e%0Af/ /g%0Ah/#i%0Aj 301", "/k%2A/ /%E6%96%87/ 301"],
    "nginx": ["# /a%22%20;%20%24b/: no location is written for such a name; redirect it by hand",
              "# /e%0Af/: no location is written for such a name; redirect it by hand",
              'location = "/k*/" { return 301 "/%E6%96%87/$is_args$args"; }'],
    "zensical": [r'        "en/a\" ; $b.md": "en/c\" ; $d\\.md"', r'        "en/e\nf.md": "en/g\nh.md#i\nj"',
                 '        "en/k*.md": "en/文.md"'],
}


@pytest.mark.parametrize("host", ESCAPED)
def test_a_name_is_no_directive_of_a_host(tmp_path, capsys, host):
    lay(tmp_path, {"mkdocs.yml": f"docs_dir: docs/\n{configuration(ODD)}", "docs/en/x.md": "# A {#a}\n"})
    record(tmp_path, "--map", host)
    printed = capsys.readouterr().out.splitlines()
    assert len(printed) == 3 * len(LANGUAGES) + (3 if host == "zensical" else 0)
    assert set(ESCAPED[host]) <= set(printed)


@pytest.mark.parametrize(("folders", "row"), [
    ("false", "/a/old.html /a/new.html 301"), ("true", "/a/old/ /a/new/ 301"),
])
def test_addresses_are_those_of_mkdocs(tmp_path, capsys, folders, row):
    settings = f"use_directory_urls: {folders}\n{configuration('a/old.md: a/new.md')}"
    lay(tmp_path, {"mkdocs.yml": settings, "docs/en/a/new.md": "# A {#a}\n"})
    record(tmp_path, "--map", "netlify")
    assert row in capsys.readouterr().out.splitlines()


def test_a_release_is_compared_with_today(tmp_path, capsys):
    lay(tmp_path, {"mkdocs.yml": configuration(), "docs/en/a.md": "# A {#a}\n\n## B {#b}\n\n## C {#c}\n",
                   "docs/en/d.md": "# D {#d}\n", "docs/en/e.md": "# E {#e}\n", "docs/zh/d.md": "# D\n"})
    record(tmp_path, "--release", "1.0", "--write")
    for name in ("en/e", "zh/d"):
        (tmp_path / f"docs/{name}.md").unlink()
    lay(tmp_path, {"docs/en/e/index.md": "# E {#e}\n"})  # the same address
    lay(tmp_path, {"docs/en/later.md": "# Later {#later}\n"})
    record(tmp_path, "--release", "2.0", "--write")
    (tmp_path / "docs/en/later.md").unlink()
    lay(tmp_path, {"docs/en/a.md": "---\nredirects:\n  b: d.md#b\n---\n# A {#a}\n",
                   "docs/en/d.md": "# D {#d}\n\n## B {#b}\n"})
    capsys.readouterr()
    assert record(tmp_path, "--since", "1.0") == 1
    assert capsys.readouterr().out.splitlines() == [
        "docs/en/a.md#b -> docs/en/d.md#b", "docs/en/a.md#c -> nowhere", "docs/zh/d.md -> docs/en/d.md",
        "of what 1.0 had, 2 lead elsewhere and 1 nowhere"]
    with pytest.raises(ConfigError, match=r"--since 3.0: addresses.txt has no such release; there are 1.0, 2.0"):
        record(tmp_path, "--since", "3.0")


def test_nothing_is_written_without_write_and_a_second_run_changes_nothing(tmp_path, capsys):
    lay(tmp_path, {"mkdocs.yml": configuration(), "docs/en/a.md": "# A {#a}\n"})
    record(tmp_path)
    assert not (tmp_path / FILE).exists() and "nothing was written" in capsys.readouterr().out
    record(tmp_path, "--release", "1.0", "--write")
    before = (tmp_path / FILE).read_bytes()
    assert before.decode().endswith("\n[1.0]\ndocs/en/a.md\tA\ndocs/en/a.md#a\tA\n")
    record(tmp_path, "--release", "2.0", "--write")
    assert (tmp_path / FILE).read_bytes() == before


@pytest.mark.parametrize("release", ["", "a]b", "a\nb"])
def test_a_release_that_the_ledger_could_not_hold_is_refused(tmp_path, release):
    lay(tmp_path, {"mkdocs.yml": configuration(), "docs/en/a.md": "# A {#a}\n"})
    with pytest.raises(ConfigError, match="is no name of a release"):
        record(tmp_path, "--release", release, "--write")


NAMES = st.text("abc/", min_size=1, max_size=4)
ROWS = st.lists(st.tuples(NAMES, NAMES, NAMES), max_size=6)


@given(st.lists(st.tuples(st.sampled_from(["1.0", "1.1", "2.0"]), ROWS), max_size=4))
def test_what_is_added_is_read_again_and_what_was_there_stays(additions):
    text, expected = "", []
    for release, rows in additions:
        new = parse_ledger("".join(f"{path}#{anchor}\t{title}\n" for path, anchor, title in rows)).addresses
        text = add_to_ledger(text, release, new)
        expected += [each.written for each in new]
        assert sorted(each.written for each in parse_ledger(text).addresses) == sorted(expected)


STEPS = 60


@pytest.mark.parametrize("seed", range(17 if "EVERY_KIND" in os.environ else 1))  # 1,020 steps
def test_after_any_renames_moves_splits_and_deletions_an_address_answers_or_is_named(tmp_path, seed):
    """A model of the tree says which addresses and redirects lead nowhere; the check names these and no others."""
    chance = random.Random(seed)
    pages = {f"p{number}": [f"s{number}{part}" for part in "abc"] for number in range(6)}
    maps, rows, fresh = {}, {name: {} for name in pages}, iter(range(2 * STEPS))
    promised, fallbacks = set(), set()

    def write():
        for code in LANGUAGES:
            for file in (tmp_path / "docs" / code).glob("*.md"):
                file.unlink()
            for name in pages.keys() - {name for other, name in fallbacks if other == code}:
                redirects = "".join(f"  {old}: {page}.md#{new}\n" for old, (page, new) in rows[name].items())
                front = f"---\nredirects:\n{redirects}---\n" if redirects and code == "en" else ""
                body = "".join(f"\n## {anchor} {{#{anchor}}}\n\nText.\n" for anchor in pages[name])
                lay(tmp_path, {f"docs/{code}/{name}.md": f"{front}# {name} {{#{name}}}\n{body}"})
        lay(tmp_path, {"mkdocs.yml": configuration(", ".join(f"{old}.md: {new}.md" for old, new in maps.items()))})

    def stands(name, anchor):
        return name in pages and anchor in ("", name, *pages[name])

    def publish(release):
        record(tmp_path, "--release", release, "--write")
        promised.update((name, anchor) for name, ids in pages.items() for anchor in ("", name, *ids, *rows[name]))

    write()
    publish("0")
    for step in range(STEPS):
        name, told = chance.choice(sorted(pages)), chance.random() < 0.6
        act = chance.choice(["rename id", "move section", "rename page", "split page", "delete section", "delete page",
                             "take a translation out"])
        other = chance.choice(sorted(pages.keys() - {name}))
        if act == "rename id" and pages[name]:
            old, new = pages[name].pop(0), f"n{next(fresh)}"
            pages[name].append(new)
            rows[name] |= {old: (name, new)} if told else {}
        elif act == "move section" and pages[name]:
            moved = pages[name].pop()
            pages[other].append(moved)
            rows[other].pop(moved, None)
            rows[name] |= {moved: (other, moved)} if told else {}
        elif act == "rename page":
            new = f"q{next(fresh)}"
            pages[new], rows[new] = pages.pop(name), rows.pop(name)
            maps |= {name: new} if told else {}
        elif act == "split page":
            new, half = f"q{next(fresh)}", len(pages[name]) // 2
            pages[name], pages[new], rows[new] = pages[name][:half], [*pages[name][half:], f"n{next(fresh)}"], {}
            rows[name] |= {moved: (new, moved) for moved in pages[new][:-1]} if told else {}
        elif act == "delete section" and pages[name]:
            pages[name].pop()
        elif act == "delete page" and len(pages) > 4:
            del pages[name], rows[name]
        elif act == "take a translation out":
            fallbacks.add((chance.choice(LANGUAGES[1:]), name))
        write()
        dead = {(name, old) for name in pages for old, (page, new) in rows[name].items() if not stands(page, new)}
        lost = set()
        for page, anchor in sorted(promised):
            now = page if page in pages else maps.get(page)
            answers = now in pages and (stands(now, anchor) or anchor in rows[now])
            if not answers and (page in pages or (page, "") not in lost):
                lost.add((page, anchor))
        found = check_tree(tmp_path, select=["address-lost", "anchor-redirect"], cached=False).findings
        assert {each.subject for each in found if each.rule == "address-lost"} == {
            f"docs/en/{page}.md#{anchor}".rstrip("#") for page, anchor in lost}
        assert {(each.path, each.subject) for each in found if each.rule == "anchor-redirect"} == {
            (f"docs/en/{page}.md", old) for page, old in dead}
        if step % 20 == 19:
            publish(str(step))
