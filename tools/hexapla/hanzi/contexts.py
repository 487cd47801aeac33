"""Words that are decided by what stands beside them and by their sentence, before the conversion.

The mainland's row 行 and column 列 of a table or a matrix are Taiwan's 列 and 欄; both mean much else too (執行, a
line of code; 序列, a list). A 类 by itself is a class, 類別; 类型 and 类似 are other words. A 函数 is 函數 in
mathematics and 函式 in a program.
"""

import re

from hexapla.hanzi.tables import CODE, COLUMN, FUNCTION, ROW

DECIDED = {ROW: "列", COLUMN: "欄", FUNCTION: "函式"}
COUNTED = "0-9一两二三四五六七八九十几多各每某整单双逐这那哪此该$"
BEFORE = rf"(?:(?<=[{COUNTED}的按沿])|(?<=[{COUNTED}] )|(?<=所有|其他|其余|任意|任一))"
# None of 列表 (list), 列出 (to list), 列为, 列车; of 行为, 行业, 行列式, a line of code or of text.
ALONE = "(?<=[（(]){}(?=[）)])"
COLUMNS = re.compile(
    rf"{BEFORE}列(?![出表举入车队为席宁火])|(?<=行[和与或、及])列(?![出表举入为式])|{ALONE.format('列')}|(?<=[，、；中])列(?=对应)"
)
ROWS = re.compile(
    rf"{BEFORE}行(?![业为动星走进程驶政列代语文输注命字缩])|行(?=[和与或、及](?:{COLUMN}|栏))|{ALONE.format('行')}|(?<=[，、；中])行(?=对应)"
)
TABLE = re.compile(
    rf"{COLUMN}|矩阵|张量|表格|数据框|数据表|DataFrame|行向量|列向量|轴|[{COUNTED}] ?栏|栏[和与或、及]|行[和与或、及]栏"
    r"|\$ ?的(?:每|第|任|各)|(?<![语词汇代发图列])表[的中里]|[上下本此]表|单元格|批[次量]|填充|[逐按]行量化"
)
FUNCTIONS = re.compile("(?:(?<=[该此个些的以用下，、：；(（])|^)函数(?![值式类族图像论空名签体参对定声内装])")
PROGRAM = re.compile(f"[`{CODE}]|代码|调用|返回|传入|接口|API|Python|模块|框架")
MATHEMATICS = re.compile(
    r"\$|[导概率凸核]|数学|积分|微分|可微|单调|线性|激活|损失|目标|梯度|拟合|近似|公式|最[小大]化|期望|密度|代价|作为[^，；]*的函数"
)
CLASS = re.compile("(?:(?<=个类)|(?<=[大小新旧]的类))(?![型似别目比推人])")
SENTENCE = re.compile(r"[^。！？\n]+")


def decide_contexts(text: str) -> str:
    """A Simplified text with columns marked, rows and functions too where the sentence is on a table or a program."""
    text = COLUMNS.sub(COLUMN, CLASS.sub("别", text))
    return SENTENCE.sub(by_subject, text) if "行" in text or "函数" in text else text


def by_subject(sentence: re.Match[str]) -> str:
    """A sentence with the words marked that its subject decides."""
    said = sentence[0]
    if "行" in said and TABLE.search(said):
        said = ROWS.sub(ROW, said)
    if "函数" in said and PROGRAM.search(said) and not MATHEMATICS.search(said):
        said = FUNCTIONS.sub(FUNCTION, said)
    return said
