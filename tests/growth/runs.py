"""Texts that grow: every kind of run that a page may hold, by name.

A run is one item, repeated: `item` is a text, or a function of the item's number from 0. `close` is written as often
after the last item, for runs that nest; `before` stands once above them. To cover one more kind, add a line to RUNS.
"""

from collections.abc import Callable
from typing import NamedTuple

EVERY = 7  # a page that lost items lost each seventh one


class Run(NamedTuple):
    """An item that is repeated, what closes it, and what stands once before the first."""

    item: str | Callable[[int], str]
    close: str = ""
    before: str = ""

    def items(self, count: int) -> list[str]:
        """The first `count` items."""
        return [self.item] * count if isinstance(self.item, str) else [self.item(number) for number in range(count)]

    def text(self, count: int) -> str:
        """A page of `count` items."""
        return f"{self.before}{''.join(self.items(count))}{self.close * count}\n"

    def shortened(self, count: int) -> str:
        """The same page without each seventh item."""
        kept = [item for number, item in enumerate(self.items(count)) if number % EVERY != EVERY // 2]
        return f"{self.before}{''.join(kept)}{self.close * len(kept)}\n"


def growing(mark: str, end: str = "a ") -> Run:
    """Marks in runs of one, of two, of three and so on, none of which another one closes, 32 characters an item."""
    made = end.join(mark * (length + 1) for length in range(600))
    return Run(lambda i: made[32 * i : 32 * i + 32])


PROSE = Run(lambda i: f"The model of step {i} reads memory. It is fast.\n\n" if i % 9 else f"## Part {i}\n\n")


def row(i: int) -> str:
    """A row of a table, or of what would be one if a line of dashes stood above it."""
    return "".join(f"|a{i * 50 + cell}" for cell in range(50)) + "|\n"


BRACKETS = {
    f"{name} {mark}": Run(mark)
    for name, marks in {
        "opening": "([{<（［【「『《〈“«", "closing": ")]}>）］】」』》〉”»",
    }.items() for mark in marks
}
BRACKETS |= {f"balanced {pair}": Run(pair[0], pair[1]) for pair in ("()", "[]", "{}", "<>", "（）", "「」", "“”")}
BRACKETS |= {f"pairs {pair}": Run(pair) for pair in (
    "()", "[]", "{}", "[](", "![", "][", "](", "[[", "[a]", "[a](b", "[1, 2) ", "a) ", "a)", "(1, 2] ", "(a ", "[^a]",
    "[a](b c) ", "[a](/b ", "【a】(", "]（a）", "{#", "{# a", "{#a}", "{: .a}", "[a][b] ", ":) ", "〈a〉",
)}
MARKS = {f"mark {mark!r}": Run(mark) for mark in (
    "|", "| ", "*", "_", "~", "=", "^", "+", "`", '"', "'", "’", "«", "\\", "/", "-", "#", "!",
    "?", ":", ";", ".", ",",
    "&", "&amp;", "&#", "$", "%", "@", " ", "\t", "* ", "*a ", "*a* ", "**a** ", "**a ", "_a ", "__a", "~~a ", "`a ",
    "` `` ", "\"a ", "'a ", "““", "\\*", "\\(", "$$", "...", "……", "、", "。", "，", "；", "·", "—",
    "<!--", "<!-- a -->",
    "<a", "<div>", "</div>", "<a href='", "<a href=b>", "<b>a</b>", "&lt;", "{{", "{{ a }}", "}}", "{%", "${", "{*",
    "**{",
    "`a` ", "``", "= ", "~ ", "=a=", "^a^", "++a++", "==a", "?" * 5 + " ", "‽", "＊", "｜", "｀", "＊＊a", "［a］（",
)}
NUMBERS = {f"numbers {text!r}": Run(text) for text in (
    "1", "1 ", "1,", "1.", "1%", "1 %", "12,345,", "123 ", "123 000 ", "0.", "1e", "1e5 ", "1-", "-1 ", "1:", "12:00 ",
    "1万", "1亿", "百", "一", "十", "一万", "三、", "１", "１％", "1/", "1 to ", "1～", "two ", "million ",
    "1 million ",
    "1k ", "K3s ", "①", "1'", "v1.2.3 ", "5 pm ", "一百", "万亿", "٣", "[1]", "2つ", "3割", "更1成", "负1",
)}
NUMBERS |= {"numbers each": Run(lambda i: f"{i} "), "numbers with commas": Run(lambda i: f"{i * 997:,} "),
            "numbers a line": Run(lambda i: f"- {i} of {i * 3}\n"),
    "numbers of a paragraph": Run(lambda i: f"{i} is {i}.5%\n")}
LETTERS = {f"letters {text!r}": Run(text) for text in (
    "a", "A", "a'", "a’", "a-", "a_", "a.", "a ", "A ", "I ", "the ", "of the model, ", "a@b.c ", "word-",
    "x" * 40 + " ",
    "的", "模型", "的。", "的a", "か", "カ", "ー", "ヴ", "한", "한국 ", "Привет ", "п", "аa", "é", "aé ", "ß",
    "Ã©", "Ã", "â€™",
    "锟斤拷", "\ufffd", "à\ufffd", "\u0301", "a\u0301", "\u200b", "a\u200b", "\u200d", "\ufeff", "\u00ad", "\u202e",
    "\U000e0061", "\x7f", "\u0085", "\u2028", "😀", "👩\u200d💻", "ａ", "Ａ", "ｶ", "שלום", "अ", "ไทย", "ﬁ", "\u3000",
    "\u00a0",
    "\xa1", "\xbf\xa1\xa2 ", "Рџ", "ÐŸ", "鏂", "中文", "learning rate ", "GPU memory ", "gradient-", "http://",
    "https://a.b/c ",
    "www.", "://", "a.b.", "http", "mailto:a ", "1a", "learning ", "translate ", "As an AI ",
    "機械翻訳", "let's ", "’s ",
)}
LINES = {f"lines {text!r}": Run(text) for text in (
    "\n", "a\n", "a\n\n", "\\\n", "a  \n", "> a\n", ">", "> ", "- ", "- a\n", "- a\n\n", "* * ", "1. a\n", "1) ",
    "   a\n\n",
    "    a\n", "\ta\n", "# a\n", "## a\n\n", "###### ", "a\n=\n", "a\n-\n", "---\n", "***\n", "```\n", "~~~\n",
    "```a\n",
    "````\n", "```\n\n", "    ```\n", "a | b\n", "| a | b |\n", "|-|-|\n", "| a\n|-\n", "|\n", ": a\n", "a\n: b\n",
    "[a]: b\n",
    "[^1]: a\n", "[^1] a\n", "*[a]: b\n", "!!! note\n", "??? a\n    b\n", "=== \"a\"\n    b\n", "/// note\n",
    "/// note\n///\n",
    "::: a\n", ":::\n", "::: note\na\n:::\n", "<div>\n", "<div>\na\n</div>\n", "<p>\n\n",
    "<!-- a\n", "<!--\n", "-->\n",
    "<!-- hexapla: ignore residue: quoted -->\n", "--8<-- \"a\"\n", "--8<--\n", "{* a *}\n",
    "{! a !}\n", "{% raw %}\n",
    "$$\n", "$$\na\n$$\n", "%%\n", "[[a]]\n", "<script>a</script>\n", "<img onload=a>\n", "&nbsp;\n", "> - ",
    "> [!NOTE]\n> a\n\n",
    "a: b\n", "---\na: b\n---\n", "<<<<<<< a\n", "=======\n", "的\n", "模型\n\n", "a.\n",
    "the model is not of this\n",
    "- [ ] a\n", "- a\n  - b\n", "-\n", "+ a\n", "<details>\n", "<td>", "<br>", "<summary>a</summary>\n",
    "<a id='b'></a>\n",
    "aliases:\n- a\n", "```python\nx = 1\n```\n\n", "`a\n", "[a\n", "(a\n", "a (\n\n", "a )\n\n", "第一 。\n\n",
    "# 标题\n\n",
    "- **a**: `b`\n", "<!-- hexapla: ignore -->", "The same words again and again here.\n\n", "x = 1\n",
)}
THINGS = {
    "headings": Run(lambda i: f"## Heading {i}\n\n"),
    "headings with ids": Run(lambda i: f"## 标题 {i} {{#h{i}}}\n\n"),
    "headings of all levels": Run(lambda i: f"{'#' * (i % 6 + 1)} Of level {i}\n\na\n\n"),
    "headings underlined": Run(lambda i: f"Heading {i}\n---\n\n"),
    "headings with text": Run(lambda i: f"## The part {i}\n\nIt says {i} words of `c{i}`.\n\n"),
    "columns": Run(lambda i: f"第 {i} 列，行和列，按列 "),
    "figures": Run(lambda i: f"{i} GB, {i},000.5 倍[^{i}] 1 to {i}% "),
    "figures in tables": Run(lambda i: f"| a |\n|---|\n| {i} ms |\n\n"),
    "references to evidence": Run(lambda i: f"`{{evidence}} a/b > c{i} as 0.0 GB` "),
    "references never closed": Run("`{evidence} "),
    "links": Run(lambda i: f"[a{i}](b{i}.md) "), "links to one page": Run("[a](b.md) "),
    "links with one text": Run(lambda i: f"[a](b{i}.md)\n"),
    "links a paragraph": Run(lambda i: f"See [a{i}](b{i}.md).\n\n"),
    "links to headings": Run(lambda i: f"[a](#h{i}) ", before="## H {#h1}\n\n"),
    "links to their headings": Run(lambda i: f"## H{i} {{#h{i}}}\n\n[H{i}](#h{i})\n\n"),
    "links to sites": Run(lambda i: f"[a](https://b{i}.com/c) "),
    "links to other ids": Run(lambda i: f"## a{i}\n\n[b](#b{i}a)\n"),
    "links of two kinds": Run(lambda i: f"[a](b{i % 2}.md) "),
    "links of some kinds": Run(lambda i: f"[a](b{i * i % 11}.md) "),
    "images": Run(lambda i: f"![a](b{i}.png) "), "images of one file": Run("![a](b.png)\n"),
    "link definitions": Run(lambda i: f"[a{i}]: b{i}.md\n"),
    "links by label": Run(lambda i: f"[a{i}][]\n\n[a{i}]: b{i}.md\n"),
    "anchors": Run(lambda i: f'<a id="a{i}"></a>\n'), "footnotes": Run(lambda i: f"a[^{i}]\n\n[^{i}]: b\n\n"),
    "fences": Run(lambda i: f"```python\nx = {i}\n```\n\n"),
    "fences of two kinds": Run(lambda i: f"```python\nx = {i % 2}\n```\n\n"),
    "fence of lines": Run(lambda i: f"x{i} = {i}\n", before="```python\n"), "fence of one line": Run("x = 1\n",
    before="```python\n"),
    "fence of comments": Run(lambda i: f"x = {i}  # number {i}\n", before="```python\n"),
    "fence of a string": Run("a b ", before='```python\nx = "'), "fence of brackets": Run("(", before="```python\n"),
    "fence of words": Run(lambda i: f"word{i} of {i}\n", before="```text\n"), "fence of blanks": Run("  ",
    before="```python\n"),
    "fence of an item": Run("  ", ":", "```python\nx = 1\n\n- a"),
    "fence of commands": Run(lambda i: f"$ pip install a{i}\n", before="```console\n"),
    "fence of nesting": Run(lambda i: f"{' ' * (i % 40)}if x:\n", before="```python\n"),
    "fences that nothing closes": Run(lambda i: f"```a{i}\nb\n"), "code": Run(lambda i: f"`x{i}` "),
    "code a line": Run(lambda i: f"- `x{i}`\n"),
    "indented code": Run(lambda i: f"a\n\n    x{i}\n\n"), "rows, no table": Run(row),
    "rows of a table": Run(row, before=f"{'|a' * 50}|\n{'|-' * 50}|\n"),
    "rows of two cells": Run(lambda i: f"| a{i} | {i} |\n", before="| a | b |\n|---|---|\n"),
    "tables": Run(lambda i: f"| a{i} | b |\n|---|---|\n| 1 | {i} |\n\n"),
    "list": Run(lambda i: f"- item {i}\n"), "list that nests": Run(lambda i: f"{'    ' * (i % 12)}- item {i}\n"),
    "lists": Run(lambda i: f"Paragraph {i}\n\n- a\n- b\n\n"),
    "quotes that nest": Run(lambda i: f"{'> ' * (i % 12 + 1)}a {i}\n\n"),
    "paragraphs": Run(lambda i: f"This is the paragraph {i} of a page that has many of them.\n\n"),
    "paragraphs and code": Run(lambda i: f"The `x{i}` of {i}.\n\n```\nx{i}\n```\n\n"),
    "sentences": Run(lambda i: f"The sentence {i} is one of many that are here. "),
    "词句": Run(lambda i: f"这是第{i}个句子。"),
    "terms": Run(lambda i: ("gradient ", "memory ", "batch ", "learning rate ", "GPU memory ")[i % 5]),
    "terms a section": Run(lambda i: f"## Part {i}\n\nThe gradient and GPU memory of a batch.\n\n"),
    "admonitions": Run(lambda i: f'!!! note "A {i}"\n    b\n\n'),
    "admonitions of all kinds": Run(lambda i: f"!!! {('note', 'tip', 'warning')[i * i % 3]}\n    b\n\n"),
    "call-outs": Run(lambda i: f"/// note | A {i}\nb\n///\n\n"), "tabs": Run(lambda i: f'=== "A {i}"\n    b\n\n'),
    "fence of a long line behind another": Run("a", before="```\nx\n```\n\n```\n"),
    "comments": Run(lambda i: f"<!-- {i} -->\n\na\n\n"), "tags": Run(lambda i: f"<div>{i}</div>\n\n"),
    "includes": Run(lambda i: f'--8<-- "a{i}.py"\n'), "inclusions": Run(lambda i: f"{{* a{i}.py *}}\n\n"),
    "front matter": Run(lambda i: f"a{i}: b\n", before="---\n"), "abbreviations": Run(lambda i: f"*[A{i}]: b\n"),
    "excuses": Run(lambda i: f"<!-- hexapla: ignore link-extra: {i} -->\n\n"),
    "machine": Run(lambda i: f"Here is the translation of part {i}:\n\n"), "prose": PROSE,
}
FLOODS = {
    **{f"growing {mark!r}": growing(mark) for mark in "`*_~$:"},
    "growing '`' a line": growing("`", "\n"), "growing '`' a paragraph": growing("`", "\n\n"),
    "growing '`' in a row": growing("`")._replace(before="|a|\n|-|\n|"),
    **{f"after a heading {text!r}": Run(text, before="# a") for text in (" ", "{", "[[", " [", "]]", " #", "{#a} ")},
    **{f"of a row {text!r}": Run(text, before="|a|\n|-|\n|") for text in ("`|", "\\|", "a ", " |")},
    **{f"of a delimiter {text!r}": Run(text, before="|a|\n|") for text in ("-|", "- ", ":-", "|    ")},
    **{f"of the front matter {text!r}": Run(text, before="---\na:\n") for text in ("- a\n", "title: a\n", "  ")},
    "title of the front matter": Run("a ", before="---\ntitle: "),
    "headings with one text": Run("## A\n\n"), "headings with one id": Run("## A {#a}\n\n"),
    "fences of all lengths": Run(lambda i: f"{'`' * (3 + i % 40)}\n"), "fences of two marks": Run("~~~\n```\n"),
    "columns of a table": Run("|a", before="|a|\n|-|\n"),
    "components": Run("<Tabs>\n<Tab value={a}>\n\nx\n\n</Tab>\n</Tabs>\n\n"),
    **{f"flood of {text!r}": Run(text) for text in (
        "<Tabs a={", "{a ", "import a from 'b'\n", "export const a = {\n", "$a", "$$a ", "\\(a", "\\[a ", "a{: #b",
        "](a(", "](a(b)", "][a", "[a]:", "](\n", "](   ", "<a:", "<aaaa+", "</a", "{ ", "{: .", "[^a", "<!-- a ",
        "a <!-- b\n", "--8<-- \"a.py:b\"\n", "a-", "ab.", "a_b", "a的", "> > ", "=== ", "!!! ", "!!! a \"b", "/// ",
        "::: a {", "[!NOTE", "_ * ", "1. ", "- [ ] ", "<details><summary>", "![a](b", "&#x", "a\\",
    )},
}
RUNS: dict[str, Run] = {**BRACKETS, **MARKS, **NUMBERS, **LETTERS, **LINES, **THINGS, **FLOODS}
