"""Words of tables that turn round between mainland China and Taiwan: 列 is a column in one and a row in the other."""

import re
from collections.abc import Iterator

from hexapla.checks.context import RuleContext, Violation
from hexapla.languages import is_chinese, is_traditional

COUNTED = "[一二两三四五六七八九十几多各每某整首末第同单双隔逐按0-9$]"
# 列 of a table, and none of 列表 (list), 列出 (to list), 行列式 (determinant) and the like.
COLUMN = re.compile(rf"{COUNTED} ?列(?![出表举入车队为席])|[行与和、]列(?![出表举入为式])|列(?=[数名宽头]|标题|向量)")


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
