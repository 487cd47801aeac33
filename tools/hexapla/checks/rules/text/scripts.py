"""Characters of one Chinese script in text of the other, letters of East Asia in text of another language, and words
that turn round between mainland China and Taiwan: 列 is a column in one and a row in the other.
"""

import re
from collections.abc import Iterator
from functools import cache

from hexapla.checks.context import RuleContext, Violation
from hexapla.hanzi.converter import to_traditional
from hexapla.languages import HAN, KANA, base, foreign_letters, is_chinese, is_ideograph, is_traditional
from hexapla.pages import Page
from hexapla.text_language import is_in_charset

HAN_RUN, KANA_LETTER = f"[{HAN}，、。]{{6,}}", f"[{KANA}]"
# Names of languages and scripts are written in the script they name.
SCRIPT_NAMES = ("简体中文", "繁體中文", "简体", "繁體", "正體中文", "正體", "日本語", "한국어", "中文")
COUNTED = "[一二两三四五六七八九十几多各每某整首末第同单双隔逐按0-9$]"
# 列 of a table, and none of 列表 (list), 列出 (to list), 行列式 (determinant), and 列号, which the conversion knows.
COLUMN = re.compile(rf"{COUNTED} ?列(?![出表举入车队为席])|[行与和、]列(?![出表举入为式号])|列(?=[数名宽头]|标题|向量)")


def script_mixed(context: RuleContext) -> Iterator[Violation]:
    """Blocks with characters that the page's script does not write."""
    if context.source is not None:
        yield from foreign_letter_blocks(context, context.original)
    language = context.document.language
    if not is_chinese(language):
        return
    wanted = "Traditional" if is_traditional(language) else "Simplified"
    is_foreign = is_simplified_only if is_traditional(language) else is_traditional_only
    foreign = {one for one in frozenset().union(*(block.text for block in context.page.blocks)) if is_foreign(one)}
    for block in context.page.blocks:
        if foreign.isdisjoint(block.text):
            continue
        if found := [one for one in without_names(block.text) if one in foreign]:
            characters = "".join(found[:8])
            yield Violation("script-mixed", characters, f"{characters!r} is not written in {wanted} Chinese",
                            f"write it in {wanted} characters", block.line, block.column)


def foreign_letter_blocks(context: RuleContext, original: Page) -> Iterator[Violation]:
    """Blocks with letters of another language, which the source does not show."""
    strange = foreign_letters(context.document.language)
    japanese = base(context.document.language) == "ja"
    for block in context.page.blocks:
        if block.text.isascii():
            continue
        if not japanese and not strange.search(block.text):
            continue
        text = without_names(block.text)
        runs = [run for run in strange.findall(text) if run not in original.text]
        if japanese and not runs and not re.search(KANA_LETTER, text):
            han = "".join(run for run in re.findall(HAN_RUN, text) if run not in original.text)
            chinese = [one for one in han if not is_in_charset(one, "cp932") and is_in_charset(one, "gb2312")]
            runs = chinese if len(chinese) > 1 else []
        if runs:
            letters = "".join(runs)[:8]
            yield Violation("script-mixed", letters, f"{letters!r} is written in another language",
                            "translate it", block.line, block.column)


def without_names(text: str) -> str:
    for name in SCRIPT_NAMES:
        text = text.replace(name, "")
    return text


def is_traditional_only(character: str) -> bool:
    """Whether only Traditional Chinese writes a character: in no GB 2312, and what a Simplified one converts to."""
    return is_ideograph(character) and not is_in_charset(character, "gb2312") and character in converted_characters()


def is_simplified_only(character: str) -> bool:
    """Whether only Simplified Chinese writes a character: in GB 2312, in no Big5, and converted to another."""
    return (is_ideograph(character) and not is_in_charset(character, "big5") and is_in_charset(character, "gb2312")
            and to_traditional(character) != character)


@cache
def converted_characters() -> frozenset[str]:
    """What the characters of GB 2312 become where they change."""
    rows = range(0xB0, 0xF8)
    simplified = [bytes((row, cell)).decode("gb2312", "ignore") for row in rows for cell in range(0xA1, 0xFF)]
    return frozenset(other for one in simplified if one and (other := to_traditional(one)) != one and len(other) == 1)


def row_column(context: RuleContext) -> Iterator[Violation]:
    """Blocks of a Simplified page that call a column 列, which a converted page would show as a row."""
    language = context.document.language
    if not is_chinese(language) or is_traditional(language):
        return
    for block in context.page.blocks:
        for found in COLUMN.finditer(block.text):
            word = found[0]
            yield Violation("row-column", word, f"{word!r} names a column, and reads as a row in Taiwan",
                            f"write {word.replace('列', '栏')!r}", block.line, block.column)
