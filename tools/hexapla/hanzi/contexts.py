"""Words that are decided by what stands beside them and by their sentence, before the conversion.

The mainland's row 行 and column 列 of a table or a matrix are Taiwan's 列 and 欄; both mean much else too (執行, a
line of code; 序列, a list). A 类 by itself is a class, 類別; 类型 and 类似 are other words.
"""

import re

ROW, COLUMN = "\ufdd4", "\ufdd5"  # stand for 列 and 欄 until all is converted
AXES = {ROW: "列", COLUMN: "欄"}
COUNTED = "0-9一两二三四五六七八九十几多各每某整单双逐这那哪此该$"
BEFORE = rf"(?:(?<=[{COUNTED}的按沿])|(?<=[{COUNTED}] )|(?<=所有|其他|其余|任意|任一))"
# None of 列表 (list), 列出 (to list), 列为, 列车; of 行为, 行业, 行列式, a line of code or of text.
ALONE = "(?<=[（(]){}(?=[）)])"
COLUMNS = re.compile(
    rf"{BEFORE}列(?![出表举入车队为席宁火])|(?<=行[和与或、及])列(?![出表举入为式])|{ALONE.format('列')}"
)
ROWS = re.compile(
    rf"{BEFORE}行(?![业为动星走进程驶政列代语文输注命字缩])|行(?=[和与或、及]{COLUMN})|{ALONE.format('行')}"
)
TABLE = re.compile(
    rf"{COLUMN}|矩阵|张量|表格|数据框|数据表|DataFrame|行向量|列向量|轴|[{COUNTED}] ?栏|栏[和与]|\$ ?的(?:每|第|任|各)"
)
CLASS = re.compile("(?<=个类)(?![型似别目比推人])")
SENTENCE = re.compile(r"[^。！？\n]+")


def decided(text: str) -> str:
    """A Simplified text with its columns and rows marked and its classes said in full.

    A row is marked only in a sentence that speaks of a table.
    """
    text = COLUMNS.sub(COLUMN, CLASS.sub("别", text))
    return SENTENCE.sub(rows_turned, text) if "行" in text else text


def rows_turned(sentence: re.Match[str]) -> str:
    """A sentence with its rows marked."""
    said = sentence[0]
    return ROWS.sub(ROW, said) if "行" in said and TABLE.search(said) else said
