"""Time is linear: no rule, reader or export takes more than three times the CPU for a page twice as long.

A run of lines or things is paired in all ways, one of letters and marks in one, the next in the next; `make test-kinds`
pairs each in all, and exports all of them.
"""

import contextlib
import os
import subprocess
from functools import lru_cache, partial
from pathlib import Path

import pytest
from hexapla import glossary
from hexapla.cache import Cache
from hexapla.checks.context import Document, RuleContext
from hexapla.checks.engine import suppressions, tree_check
from hexapla.checks.engine.checker import Checker
from hexapla.checks.engine.page_store import ids_of
from hexapla.checks.rules.evidence import undescribed_pictures
from hexapla.checks.rules.registry import PAGE_RULES
from hexapla.checks.rules.tables import rows_of_tables
from hexapla.checks.rules.text import mojibake
from hexapla.checks.rules.text.invisible import unseen
from hexapla.config.discovery import layout_of_options
from hexapla.convert.conversion_records import LinkIndex
from hexapla.convert.headings import former_ids, give_ids
from hexapla.convert.prose import find_written
from hexapla.convert.source_formats import DIALECTS
from hexapla.git import Repository
from hexapla.mojibake import garbled
from hexapla.pages import Block, Code, Heading, Link, Page, parse, spans
from hexapla.pages.blocks import is_written
from hexapla.pages.dialects import make_dialect
from hexapla.pages.evidence_references import evidence_references
from hexapla.pages.lines import closes_longer, closes_same
from hexapla.pages.reader import read
from hexapla.site.search.search_words import index_words
from hexapla.site.serve.site_in_memory import plain_title
from hexapla.site.texts.strings import say_sentence
from hexapla.translation import tracking as service_of_translations
from hexapla.translation import translation_tree
from hexapla.translation.exchange import exchange_files, po, xliff
from hexapla.translation.history.changes import SourceHistory
from hexapla.translation.memory.store import TranslationMemory
from hexapla.translation.sections import sections, segments
from hexapla.translation.status import section_states
from hexapla.translation.word_diff import changed_words, inline_diff

from tests.growth import growth
from tests.growth.growth import superlinear
from tests.growth.runs import LINES, PROSE, RUNS, THINGS, Run
from tests.site.project import write

GLOSSARY = Path(__file__).parents[2] / "docs/glossary.yml"
TERMS = {"gradient", "memory", "GPU memory", "learning rate", "batch", "model", "Accelerate", "step"}
FULL = "EVERY_KIND" in os.environ
READ = 8_000      # characters of the longer page where it is rendered
WRITTEN = 12_000  # and where its text is looked at as it is
SOURCE, PLACES = "docs/en/page.md", {code: f"docs/{code}/page.md" for code in ("zh", "ja", "de", "ru")}
CHECKS = {rule.function: rule for rule in PAGE_RULES}
MARKDOWN = make_dialect("python-markdown", None)


def items(run: Run, characters: int) -> int:
    """How many items of a run make a text of about so many characters."""
    return max(characters * 20 // len(run.text(20)), 1)


@lru_cache(maxsize=8)
def rendered(text: str) -> Page:
    """A page as its readers see it."""
    return read(text, MARKDOWN)


def written(text: str) -> Page:
    """A page that holds a text in each of its parts at full length, whatever a renderer would make of it."""
    return Page(
        text, {}, (Heading(2, text, None, 1, 1, text),), (), (), (), (),
        tuple(text.splitlines(keepends=True)) or ("",), True,
        (Link(text, text, False, 1, 1), Link(text, "", True, 1, 1)), (),
        (Block("h2", text, 1, 1), Block("p", text, 1, 1)), (Code(text, 1, 1),),
    )


def fresh(page: Page) -> Page:
    """The same page in records of its own, so that nothing is known of it."""
    return Page(*((*list(field),) if isinstance(field, tuple) else field for field in page))


def gate(text: str) -> str | None:
    """A cheap gate for mojibake."""
    return "a step" if "\ufffd" in text else None


@pytest.fixture(scope="module")
def checker(tmp_path_factory):
    """What checks a tree of one page in several languages; mojibake's gate is measured as a reader."""
    root = tmp_path_factory.mktemp("tree")
    for path in (SOURCE, *PLACES.values()):
        (root / path).parent.mkdir(parents=True)
        (root / path).write_text("# Page\n")
    terms = tuple(term for term in glossary.parse(GLOSSARY.read_text("utf-8")) if term.term in TERMS)
    tree = tree_check.tree_of(layout_of_options(root, "docs/{lang}/{page}.md"), terms)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(mojibake, "garbled", gate)
        yield Checker(tree, Cache(None))


def case(checker: Checker, language: str, target: Page, source: Page | None) -> RuleContext:
    """Two pages beside each other, in the place of those of the tree."""
    target, source = fresh(target), fresh(source) if source else None
    path = PLACES[language] if source else SOURCE
    checker.index.known_ids = {place: ids_of(page, "") for place, page in ((path, target), (SOURCE, source)) if page}
    original = Document("page", "en", SOURCE, source) if source else None
    return RuleContext(Document("page", language if source else "en", path, target), original, checker.index,
                       checker.settings._replace(figure=no_figure, picture=lambda program: True))


def no_figure(reference: str, language: str) -> str:
    """The figures of a tree without evidence."""
    raise ValueError(reference)


PAIRINGS = {  # of a page of a run, the same without some items, and an ordinary page: language, translation, source
    "alone": lambda whole, shortened, prose: ("zh", whole, None),
    "beside itself": lambda whole, shortened, prose: ("de", whole, whole),
    "without some items": lambda whole, shortened, prose: ("zh", shortened, whole),
    "with more items": lambda whole, shortened, prose: ("ja", whole, shortened),
    "beside prose": lambda whole, shortened, prose: ("zh", whole, prose),
    "translated as prose": lambda whole, shortened, prose: ("ru", prose, whole),
}


def slow_rules(checker: Checker, run: Run, characters: int, page, pairings):
    """What each rule that is not linear takes, for one run; all rules together are measured first."""
    half = max(items(run, characters) // 2, 1)
    texts = lru_cache(lambda count: (run.text(count), run.shortened(count), PROSE.text(100)))
    for name in pairings:
        wanted = [rule for rule in CHECKS.values() if name != "alone" or rule.scope != "translation"]

        def every(count: int, wanted=tuple(wanted), name=name):
            language, target, source = PAIRINGS[name](*texts(count))
            context = case(checker, language, page(target), page(source) if source is not None else None)
            return lambda: [list(rule.check(context)) for rule in wanted]

        for rule in wanted if superlinear(every, half) else ():
            if found := superlinear(lambda count, rule=rule: every(count, (rule,)), half):
                yield f"{rule.function}, {name}: {found}"


@pytest.mark.parametrize("name", RUNS)
def test_rules(checker, name):
    every = FULL or name in LINES | THINGS
    pairings = tuple(PAIRINGS) if every else tuple(PAIRINGS)[tuple(RUNS).index(name) % 6 :: 6]
    found = [*slow_rules(checker, RUNS[name], READ, rendered, pairings),
             *slow_rules(checker, RUNS[name], WRITTEN, written, ("beside prose",))]
    assert not found, f"{name}: " + "; ".join(found)


@pytest.mark.parametrize("comment", ["<!-- a -->\n\n", "<!-- a\n"])
def test_comments_of_a_page_with_a_character_that_nobody_sees(checker, comment):
    def prepare(count):
        context = case(checker, "en", parse("a\u200b\n\n" + comment * count), None)
        return lambda: list(unseen(context))

    assert not superlinear(prepare, 10_000)


def test_pictures_of_many_blocks():
    def prepare(count):
        page = parse("".join(f'```python\n--8<-- "a/b{i}.py"\n```\n\n' for i in range(count)))
        return lambda: list(undescribed_pictures(page, "page.md", lambda program: True))

    assert not superlinear(prepare, 2000)


def test_rows_of_many_tables():
    def prepare(count):
        page = rendered(THINGS["tables"].text(count))
        return lambda: rows_of_tables(fresh(page))

    assert not superlinear(prepare, 4000)


def no_file(path: str) -> str:
    """The reader of a tree without files to include."""
    raise FileNotFoundError(path)


def no_output(path: str) -> str:
    """The recorded outputs of a tree without any."""
    return ""


def there_and_back(text: str) -> str:
    """A page of doc-builder's converted, and taken back."""
    dialect = DIALECTS["doc-builder"]
    headings = dialect.read_headings(text)
    ids = give_ids(headings, None)
    now, was = former_ids(headings, ids)
    index = LinkIndex(frozenset({"page", "training"}), {"page": now}, {"page": was})
    find_written(dialect.ours, text)
    return dialect.from_site(dialect.to_site(text, "page", index, headings, ids, lambda *note: None), "page", index)


COMPONENTS = (
    "<Tip>\n", "</Tip>\n", "<Tip>\n\n</Tip>\n\n", '<hfoptions id="a">\n', "<pt>\n", "[`A`] ", "[`~A.b`]\n", "[`A.",
    "[`", "[[autodoc]] A\n", "[[autodoc]] A\n\t- all\n", "\t- all\n",
    "> [!TIP]\n", "> [!TIP]\n> a\n\n", "## A[[a]]\n\n",
    "[a](#a) ", "[a](./training#b) ", "](", "<iframe\n", "<a onclick='", "<a onclick=b>", "[a](javascript:b) ",
    '<Youtube id="a"/>\n', '<div class="flex">\n\n', "<!-- kept: ", "!!! tip component\n\n", '=== "a"\n',
    "{.api}", "&#106;",
)
RUNS_OF_COMPONENTS = {f"components {text!r}": Run(text) for text in COMPONENTS} | {
    "components that nest": Run("<Tip>\n", close="</Tip>\n"),
    "call-outs that nest": Run(lambda i: f"{'    ' * (i % 12)}!!! tip\n"),
}


def test_convert():
    slow = []
    for kind, run in (RUNS | RUNS_OF_COMPONENTS).items():
        half = max(items(run, WRITTEN) // 2, 1)
        if found := superlinear(lambda count, run=run: partial(there_and_back, run.text(count)), half):
            slow.append(f"{kind}: {found}")
    assert not slow, "; ".join(slow)


def words_of(text):
    """The words of a text, each other of them a word that the text has once."""
    return [word if at % 2 else f"{word}{at}" for at, word in enumerate(text.split())]


# Rendering, whose time is the libraries' own, is measured in tests/pages/test_growth.py.
READERS = {
    "pages.parse": (WRITTEN, lambda text: parse(text, closes_longer)),
    "pages.spans": (WRITTEN, spans),
    "sections.cut": (WRITTEN, sections.cut_sections),
    "sections.source_sections": (WRITTEN, lambda text: sections.source_sections(text, no_file, lambda path: "")),
    "segments.units": (WRITTEN, segments.find_units),
    "evidence_references": (WRITTEN, lambda text: list(evidence_references(text))),
    "mojibake.garbled": (READ, garbled),
    "blocks.is_written": (WRITTEN, is_written),
    "site_in_memory.plain_title": (WRITTEN, lambda text: plain_title(text, text, True)),
    "word_diff.changed_words": (WRITTEN, lambda text: changed_words(words_of(text), words_of(text)[::-1])),
    "word_diff.inline_diff": (WRITTEN, lambda text: list(inline_diff(text, f"{text[::2]} {text[1::2]}"))),
    "search_words.index_words": (WRITTEN, lambda text: list(index_words(text))),
    "suppressions": (WRITTEN, lambda text: list(suppressions.suppressions(text, closes_same))),
}


def swallow_and_go_on():
    """Work as numba's compiler is: a callback out of C loses what a signal handler raises, and something else fails."""
    with contextlib.suppress(growth.TooLongError):
        while True:
            pass
    raise RuntimeError("no compiled object yet")


def test_what_fails_after_it_was_cut_off_took_too_long(monkeypatch):
    monkeypatch.setattr(growth, "LIMIT", 0.05)
    assert growth.seconds(swallow_and_go_on) == 0.05
    with pytest.raises(ZeroDivisionError):
        growth.seconds(lambda: 1 // 0)


@pytest.mark.parametrize("name", READERS)
def test_readers(name):
    size, work = READERS[name]
    work("Ã©" * 200)  # what is compiled or loaded once (for mojibake: this text needs it) takes no page's time
    slow = []
    for kind, run in RUNS.items():
        if found := superlinear(lambda count, run=run: partial(work, run.text(count)), max(items(run, size) // 2, 1)):
            slow.append(f"{kind}: {found}")
    assert not slow, f"{name}: " + "; ".join(slow)


def exported(root: Path, formats):
    """The status of a page in one language, and its catalog in the bytes of a file of each format."""
    tree = translation_tree.read_tree(layout_of_options(root, "docs/{lang}/{page}.md"), no_file, lambda path: "")
    memory = TranslationMemory(tree, "zh", SourceHistory(Repository(root)))
    catalogs = [exchange_files.page_catalog(tree, page, memory) for page in section_states.find_statuses(tree)]
    return [format.dump(catalog) for format in formats for catalog in catalogs]


def test_status_and_export(tmp_path):
    slow = []
    for kind, run in (RUNS if FULL else LINES | THINGS).items():
        def prepare(count: int, run=run, formats=(po, xliff)):
            for language, text in (("en", run.text(count)), ("zh", run.shortened(count))):
                (tmp_path / f"docs/{language}").mkdir(parents=True, exist_ok=True)
                (tmp_path / f"docs/{language}/page.md").write_bytes(text.encode("utf-8", "surrogatepass"))
            return lambda: exported(tmp_path, formats)

        half = max(items(run, WRITTEN) // 2, 1)
        if found := superlinear(prepare, half):
            alone = {which.SUFFIX: superlinear(partial(prepare, formats=(which,)), half) for which in (po, xliff)}
            slow.append(f"{kind}: {found} {alone}")
    assert not slow, "; ".join(slow)


SECTIONS = {  # pages of many sections: the kinds of a status that look other sections up
    "as they were": (lambda i: f"## Part {i} {{#p{i}}}\n\nText {i}.\n\n",) * 2,
    "with other ids": (lambda i: f"## Part {i} {{#p{i}}}\n\nText {i}.\n\n",
                       lambda i: f"## Part {i} {{#q{i}}}\n\nText {i}.\n\n"),
    "with other words": (lambda i: f"## Part {i} {{#p{i}}}\n\nText {i}.\n\n",
                         lambda i: f"## Part {i} {{#p{i}}}\n\nWords {i}.\n\n"),
    "with one text": (lambda i: f"## Part {{#p{i}}}\n\nText.\n\n", lambda i: f"## Part {{#q{i}}}\n\nText.\n\n"),
}


@pytest.mark.parametrize("name", SECTIONS)
@pytest.mark.parametrize("recorded", [True, False], ids=["recorded", "as git has it"])
def test_status_by_sections(name, recorded, tmp_path):
    before, after = SECTIONS[name]

    def prepare(count):
        root = tmp_path / str(count)

        def read():
            return translation_tree.read_tree(layout_of_options(root, "docs/{lang}/{page}.md"), no_file, no_output)

        if not root.exists():
            text = "".join(map(before, range(count)))
            write(root, {"docs/en/page.md": text, "docs/zh/page.md": text})
            for command in ("init -q", "add docs", "-c user.name=a -c user.email=a@b.c commit -qm a"):
                subprocess.run(["git", *command.split()], cwd=root, check=True)
            if recorded:
                wanted = service_of_translations.Sync(["page"], language="zh", write=True)
                service_of_translations.sync_tree(read(), wanted)
            write(root, {"docs/en/page.md": "".join(map(after, range(count)))})
        return lambda: service_of_translations.whole_report(read(), "text", partial(say_sentence, "en"), False, {})

    assert not superlinear(prepare, 500)
