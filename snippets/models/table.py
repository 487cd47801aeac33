"""The tables of the page on kinds of models, in each language, and the data of its lookup.

    python snippets/models/table.py            # print the table of methods in English
    python snippets/models/table.py --write    # write the files that pages include, and models.json
"""

import argparse
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

sys.path.append(str(Path(__file__).parent))
from _cells import DIFFERS, RAISES, WORKS, Table, read_table
from _explanations import Count, count_works, explaining_traits, unexplained_cells
from _lookup_data import dump_lookup
from _texts import FOLDER, LANGUAGES, label, read_texts, reason, remedies, title, traditional, untried_methods
from _traits import TRAITS

ASSETS = FOLDER.parents[1] / "docs" / "assets"
# By language: the heads of the table of methods, and those of the table of kinds.
HEADS = {
    "en": (("Method", "Works", "Result differs", "Raises", "Does not work for most models with"),
           ("Kind", "Result differs", "Raises")),
    "zh": (("方法", "可用", "结果不同", "报错", "对多数具有这些特征的模型不可用"),
           ("模型种类", "结果不同", "报错")),
    "ja": (("手法", "動作", "結果が異なる", "エラー", "次の特徴を持つモデルの多くで動作しない"),
           ("モデルの種類", "結果が異なる", "エラー")),
}
# By language: with how many decoder-only kinds a method works, all or some of them, and which are exceptions.
LINES = {
    "en": ("works unchanged with all {tried} kinds of decoder-only models that were tried.",
           "works unchanged with [{works} of {tried} kinds of decoder-only models](models.md#methods){others}: "
           "[look yours up](models.md#lookup).",
           ". Most models with {traits} are exceptions"),
    "zh": ("试过的 {tried} 种仅解码器模型全部可以照此使用。",
           "[{tried} 种仅解码器模型中有 {works} 种](models.md#methods)可以照此使用{others}。"
           "[查一查自己的模型](models.md#lookup)。",
           "。有以下特征的模型大多是例外：{traits}"),
    "ja": ("試したデコーダー専用モデル{tried}種類のすべてで、そのまま使えます。",
           "[デコーダー専用モデル{tried}種類のうち{works}種類](models.md#methods)で、そのまま使えます{others}。"
           "[自分のモデルを調べてみましょう](models.md#lookup)。",
           "。次の特徴を持つモデルの多くは例外です：{traits}"),
}
OR = {"en": " or ", "zh": "、", "ja": "、"}
COMMA = {"en": ", ", "zh": "、", "ja": "、"}
KINDS_WITH = {"en": "{count} of {all} kinds.", "zh": "{all} 种模型中有 {count} 种。", "ja": "{all}種類中{count}種類。"}
# By language: what the mark of a result says that no trait explains.
MARK, MARKED = "†", {
    "en": "† not explained by a trait: {count:,} of {all:,} results.",
    "zh": "† 尚无特征能够解释：{all:,} 个结果中有 {count:,} 个。",
    "ja": "† まだどの特徴でも説明できない結果：{all:,}件中{count:,}件。",
}
COLON = {"en": ": ", "zh": "：", "ja": ": "}
MOST, FEW = 4, 2  # traits of a row, of a line


def methods_of(table: Table) -> list[str]:
    """The methods of the table in the order of the guide."""
    order = list(read_texts("methods"))
    return sorted(table.methods, key=order.index)


def count_results(table: Table, method: str, result: str) -> int:
    """For how many kinds a method has a result."""
    return sum(record.cells[method].result == result for record in table.types.values() if method in record.cells)


def row(cells: list[str]) -> str:
    """A row of a Markdown table."""
    return f"| {' | '.join(cells)} |"


def trait_link(trait: str, language: str) -> str:
    """A trait's name with a link to its paragraph."""
    return f"[{label(trait, language)}](models.md#trait-{trait})"


def method_link(method: str, section: str, language: str) -> str:
    """A method's name with a link to its section."""
    page, anchor = section.split("#")
    return f"[{title(method, language)}]({page}.md#{anchor})"


def render_methods(table: Table, language: str = "en") -> Iterator[str]:
    """One row a method, with a link to its section and the traits that limit it."""
    yield row(list(HEADS[language][0]))
    yield "|---|---:|---:|---:|---|"
    for method in methods_of(table):
        works, differs, raises = (count_results(table, method, each) for each in (WORKS, DIFFERS, RAISES))
        traits = COMMA[language].join(f"{trait_link(trait, language)} {count.works}/{count.tried}"
                                       for trait, count in explaining_traits(table, method)[:MOST])
        shares = f"{works}/{works + differs + raises}" if works + differs + raises else "–"
        link = method_link(method, table.methods[method]["section"], language)
        yield row([link, shares, str(differs), str(raises), traits])


def decoders_of(table: Table) -> Table:
    """The table of the kinds that the guide's code is written for, and of what is nearest to them."""
    return replace(table, types={name: record for name, record in table.types.items() if record.kind == "decoder"})


def render_line(table: Table, method: str, language: str = "en") -> str:
    """What was tried, with how many kinds it works, what the others have, and the lookup, for the end of a method."""
    works, tried = count_works(table, method)
    whole, part, without = LINES[language]
    name = f"{title(method, language)}{COLON[language]}"
    if works == tried:
        return name + whole.format(tried=tried)
    limits = [trait_link(trait, language) for trait, _ in explaining_traits(table, method)[:FEW]]
    others = without.format(traits=OR[language].join(limits)) if limits else ""
    return name + part.format(works=works, tried=tried, others=others)


def render_lines(table: Table, language: str = "en") -> Iterator[str]:
    """The sentence of each method, as a section that a page includes: a reader has a decoder-only model."""
    decoders = decoders_of(table)
    for method in methods_of(table):
        yield f"<!-- --8<-- [start:{method}] -->"
        yield render_line(decoders, method, language)
        yield f"<!-- --8<-- [end:{method}] -->"


def render_traits(table: Table, language: str = "en") -> Iterator[str]:
    """Each trait that a kind has, as a paragraph with an anchor: why it matters, and for which methods what to do."""
    sections = {name: about["section"] for name, about in table.methods.items()} | untried_methods()
    comma = COMMA[language]
    built = [record for record in table.types.values() if record.date and not record.failure]
    for trait in TRAITS:
        kinds = Count(sum(trait.name in record.traits for record in built), len(built))
        if not kinds.works:
            continue
        count = KINDS_WITH[language].format(count=kinds.works, all=kinds.tried)
        space = " " if language == "en" else ""
        yield (f"**{label(trait.name, language)}** (`{trait.name}`){COLON[language]}"
               f"{reason(trait.name, language)}{space}{count}")
        yield f"{{: #trait-{trait.name} }}\n"
        for methods, texts in remedies(trait.name):
            links = comma.join(method_link(method, sections[method], language) for method in methods)
            yield f"- {links}{COLON[language]}{texts[language]}"
        yield ""


def render_kinds(table: Table, language: str = "en") -> Iterator[str]:
    """One row a kind for which a method does not work, with those methods, and a mark where no trait tells why."""
    unexplained = set(unexplained_cells(table))
    yield row(list(HEADS[language][1]))
    yield "|---|---|---|"
    comma, order, count = COMMA[language], methods_of(table), 0
    for name, record in table.types.items():
        failing = {result: [method for method in order
                            if method in record.cells and record.cells[method].result == result]
                   for result in (DIFFERS, RAISES)}
        count += sum(map(len, failing.values()))
        names = [comma.join(title(method, language) + MARK * ((name, method) in unexplained) for method in methods)
                 for methods in failing.values()]
        if record.date and not record.failure and any(names):
            yield row([f"`{name}`", *names])
    yield ""
    yield MARKED[language].format(count=len(unexplained), all=count)


RENDERERS = {"table": render_methods, "lines": render_lines, "traits": render_traits, "kinds": render_kinds}


def files(table: Table) -> Iterator[tuple[Path, str]]:
    """Each file that pages include, and its text; Traditional Chinese is derived."""
    for name, render in RENDERERS.items():
        texts = {language: "\n".join(render(table, language)).rstrip("\n") + "\n" for language in HEADS}
        texts["zh-Hant"] = traditional()(texts["zh"])
        for language in LANGUAGES:
            yield FOLDER / (f"{name}.md" if language == "en" else f"{name}.{language}.md"), texts[language]
    yield ASSETS / "models.json", dump_lookup(table, methods_of(table))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help="write the files that pages include")
    options = parser.parse_args()
    table = read_table()
    if not options.write:
        print("\n".join(render_methods(table)))
        return
    for file, text in files(table):
        file.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
