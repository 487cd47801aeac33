"""What machines talk about when they talk about their own work: words by language and subject, out of a table."""

import re
from functools import cache

from hexapla.yaml_text import load_table

TRANSLATION, SELF, REPLY, KEPT, SOURCE, POINTER, FORMAT, ASKER = (
    "translation", "self", "reply", "kept", "source", "pointer", "format", "asker")
# How much a subject says: what documentation hardly ever speaks of weighs two, what it often speaks of one.
WEIGHTS = {
    TRANSLATION: 4, "machine": 3, SELF: 2, REPLY: 2, KEPT: 2, SOURCE: 2,
    POINTER: 1, "act": 1, FORMAT: 1, "text": 1, "language": 1, "rest": 1, ASKER: 1,
}

# Each word of Chinese stands in the lexicon in Simplified characters; this makes its Traditional form.
TRADITIONAL = str.maketrans(
    "译为个机动语当没问题诉对谢条则长数请发给户还么觉过欢继续输乐见这讯帮简体订种于注严规会样维变从旧与了将仅参阅随时遗无须码块连结占标链术词汇气润记专风修错写误顺档内页节说书双余后来着断毕",
    "譯為個機動語當沒問題訴對謝條則長數請發給戶還麼覺過歡繼續輸樂見這訊幫簡體訂種於註嚴規會樣維變從舊與瞭將僅參閱隨時遺無須碼塊連結佔標鏈術詞彙氣潤記專風脩錯寫誤順檔內頁節說書雙餘後來著斷畢",
)
# Words that hold one of the lexicon's and say something else: "we" in Chinese, a breakdown in Japanese.
IGNORED = re.compile(
    "我们|我們|自我|编译|编譯|編译|編譯|转译|转譯|轉译|轉譯|译码|译碼|譯码|譯碼|为您提供|为你提供|為您提供|為你提供"
    "|内訳|言い訳|可省略|省略可|省略記法"
    r"|유지 ?(?:관리|보수)"
    r"| перевод(?:а|у|ом|е)? строк\w*| se tradui\w+ par"
)

Words = tuple[tuple[str, tuple[str, ...]], ...]  # of each subject


@cache
def lexicon(language: str) -> Words:
    """The words of a language by subject; "licences" are what a source says where its translation speaks of one."""
    found = []
    for subject, text in read_table().get(language, {}).items():
        words = [word.strip().replace("_", " ").replace("ё", "е") for word in text.split("|")]
        words += [word.translate(TRADITIONAL) for word in words] if language == "zh" else []
        found.append((subject, tuple(dict.fromkeys(words))))
    return tuple(found)


@cache
def read_table() -> dict[str, dict[str, str]]:
    """The words as they are written."""
    return load_table(__package__, "machine_lexicon.yml")
