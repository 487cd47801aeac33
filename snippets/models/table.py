"""The tables of the page on kinds of models: one row a method, one row a kind, in each language of the guide.

    python snippets/models/table.py            # print the first one in English
    python snippets/models/table.py --write    # write the files that pages include
"""

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

sys.path.append(str(Path(__file__).parent))
from _cells import DIFFERS, RAISES, WORKS, Table, read_table
from _explanations import count_works, explaining_traits
from _texts import label, traditional
from _traits import TRAITS

FOLDER = Path(__file__).parent
# By language: the heads of the table of methods, and those of the table of kinds.
HEADS = {
    "": (("Method", "Works", "Differs silently", "Raises", "Traits with which it mostly does not work"),
         ("Kind", "Differs silently", "Raises")),
    "zh": (("方法", "可用", "结果不同而不报错", "报错", "多半不可用的特征"), ("模型种类", "结果不同而不报错", "报错")),
    "zh-Hant": (("方法", "可用", "結果不同而不報錯", "報錯", "多半不可用的特徵"),
                ("模型種類", "結果不同而不報錯", "報錯")),
    "ja": (("手法", "動作", "エラーなしで結果が異なる", "エラー", "ほとんど動作しない特徴"),
           ("モデルの種類", "エラーなしで結果が異なる", "エラー")),
}
# By language: how many kinds a method works for, all or some of them, and with which traits it does not.
LINES = {
    "": ("Works as shown for all {tried} kinds of models that were tried.",
         "Works as shown for [{works} of {tried} kinds of models](models.md#methods){differs}.",
         "; differs for models with {traits}", ", "),
    "zh": ("试过的 {tried} 种模型全部可以照此使用。",
           "[{tried} 种模型中有 {works} 种](models.md#methods)可以照此使用{differs}。",
           "；例外是有这些特征的模型：{traits}", "、"),
    "ja": ("試した{tried}種類のモデルすべてで、このとおりに動作します。",
           "[{tried}種類のモデルのうち{works}種類](models.md#methods)で、このとおりに動作します{differs}。",
           "。次の特徴を持つモデルは例外です: {traits}", "、"),
}
MOST = 4  # traits of a row
NAMED = 3  # traits of a line


def count_results(table: Table, method: str, result: str) -> int:
    """For how many kinds a method has a result."""
    return sum(record.cells[method].result == result for record in table.types.values() if method in record.cells)


def row(cells: list[str]) -> str:
    """A row of a Markdown table."""
    return f"| {' | '.join(cells)} |"


def render_methods(table: Table, language: str = "") -> Iterator[str]:
    """One row a method, with a link to its section and the traits that limit it."""
    heads = HEADS[language][0]
    yield row(list(heads))
    yield "|---|---:|---:|---:|---|"
    for method, about in table.methods.items():
        page, anchor = about["section"].split("#")
        works, differs, raises = (count_results(table, method, each) for each in (WORKS, DIFFERS, RAISES))
        traits = ", ".join(f"`{trait}` {count.works}/{count.tried}" 
                           for trait, count in explaining_traits(table, method)[:MOST])
        shares = f"{works}/{works + differs + raises}" if works + differs + raises else "–"
        yield row([f"[{method}]({page}.md#{anchor})", shares, str(differs), str(raises), traits or "–"])


def render_line(table: Table, method: str, language: str = "") -> str:
    """One sentence for below a method's heading: with how many kinds it works, and the traits of the others."""
    works, tried = count_works(table, method)
    whole, part, differs, comma = LINES["zh" if language == "zh-Hant" else language]
    spoken = "zh" if language == "zh-Hant" else language or "en"
    traits = comma.join(f"[{label(trait, spoken)}](models.md#trait-{trait})"
                        for trait, _ in explaining_traits(table, method)[:NAMED])
    said = (whole if works == tried else part).format(
        works=works, tried=tried, differs=differs.format(traits=traits) if traits else "")
    return traditional()(said) if language == "zh-Hant" else said


def render_lines(table: Table, language: str = "") -> Iterator[str]:
    """The sentence of each method, as a section that a page includes."""
    for method in table.methods:
        yield f"<!-- --8<-- [start:{method}] -->"
        yield render_line(table, method, language)
        yield f"<!-- --8<-- [end:{method}] -->"


def render_traits(language: str = "") -> Iterator[str]:
    """Each trait as a paragraph with an anchor."""
    for trait in TRAITS:
        yield f"**{label(trait.name, language or 'en')}** (`{trait.name}`): {trait.matters}"
        yield f"{{: #trait-{trait.name} }}\n"


def render_kinds(table: Table, language: str = "") -> Iterator[str]:
    """One row a kind for which a method does not work, with those methods."""
    heads = HEADS[language][1]
    yield row(list(heads))
    yield "|---|---|---|"
    for name, record in table.types.items():
        names = [", ".join(f"`{method}`" for method, cell in record.cells.items() if cell.result == result) or "–"
                 for result in (DIFFERS, RAISES)]
        if record.date and not record.failure and names != ["–", "–"]:
            yield row([f"`{name}`", *names])


def files(table: Table) -> Iterator[tuple[Path, str]]:
    """Each file that pages include, and its text."""
    for language in HEADS:
        suffix = f".{language}.md" if language else ".md"
        yield FOLDER / f"table{suffix}", "\n".join(render_methods(table, language)) + "\n"
        yield FOLDER / f"lines{suffix}", "\n".join(render_lines(table, language)) + "\n"
        yield FOLDER / f"traits{suffix}", "\n".join(render_traits(language))
        yield FOLDER / f"kinds{suffix}", "\n".join(render_kinds(table, language)) + "\n"


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
