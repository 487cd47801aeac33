"""Defects of text."""

import re
from itertools import product

from hexapla.glossary import Term

from benchmarks.mutation.spots import Run, Seed, Seeder, Spot, at, atx, choose, closed, outside, replaced, runs, twins

NUMBER = re.compile(r"(?<![\w.\-/#])\d+(?:[.,]\d+)*(?![\w.\-/]*[/_\-])")


def numbers(spot: Spot) -> list[tuple[Run, re.Match[str]]]:
    """Numbers in digits in the page's prose."""
    return [(run, match) for run in runs(spot.page) for match in NUMBER.finditer(run.text)
            if outside(run.text, *match.span())]


def digit(spot: Spot) -> Seed | None:
    """One digit of a number changed."""
    chosen = choose(spot, numbers(spot))
    if chosen is None:
        return None
    run, match = chosen
    place = spot.rng.choice([k for k in range(*match.span()) if run.text[k].isdigit()])
    other = spot.rng.choice([c for c in "123456789" if c != run.text[place]])
    return replaced(spot, run, run.text[:place] + other + run.text[place + 1 :], "digit changed")


def zero(spot: Spot) -> Seed | None:
    """A number ten times as large."""
    chosen = choose(spot, [(run, match) for run, match in numbers(spot) if match[0].isdigit()])
    return None if chosen is None else replaced(
        spot, chosen[0], chosen[0].text[: chosen[1].end()] + "0" + chosen[0].text[chosen[1].end() :], "zero added")


def number_lost(spot: Spot) -> Seed | None:
    """A number of two digits or more left out."""
    chosen = choose(spot, [(run, match) for run, match in numbers(spot) if len(match[0]) > 1])
    return None if chosen is None else replaced(
        spot, chosen[0], chosen[0].text[: chosen[1].start()] + chosen[0].text[chosen[1].end() :], "number lost")


SCALES = {
    "万": "亿", "亿": "万", "萬": "億", "億": "万", "만": "억", "억": "만", "million": "billion", "billion": "million",
    "%": "", "％": "", "百万": "千万",
}


def scale(spot: Spot) -> Seed | None:
    """The scale or the percent sign behind a number changed."""
    found = []
    for run, match in numbers(spot):
        for written, other in SCALES.items():
            behind = re.compile(rf"\s?{re.escape(written)}").match(run.text, match.end())
            if behind:
                found.append((run, behind, other))
    chosen = choose(spot, found)
    return None if chosen is None else replaced(
        spot, chosen[0], chosen[0].text[: chosen[1].start()] + chosen[2] + chosen[0].text[chosen[1].end() :],
        "scale changed")


def unbound(spot: Spot) -> Seed | None:
    """A measured figure put into a paragraph that has no link and no footnote."""
    chosen = choose(spot, [run for run in runs(spot.page) if "](" not in run.text and "[^" not in run.text])
    if chosen is None:
        return None
    figure = f"{spot.rng.randrange(2, 99)} {spot.rng.choice(('GB', '%', '倍', 'ms'))}"
    return replaced(spot, chosen, f"{chosen.text} {figure}", "figure added")


def letters(text: str) -> list[str]:
    """A text's words, lower case."""
    return re.findall(r"[^\W_]+", text.lower())


def heading_back(spot: Spot) -> Seed | None:
    """A heading that was translated, back in the source's words."""
    found = [(mine, other) for mine, other in atx(spot) if letters(mine.text) != letters(other.text)]
    chosen = choose(spot, found)
    if chosen is None:
        return None
    mine, other = chosen
    line = spot.lines[mine.line - 1]
    return at(spot, mine.line, line.replace(mine.text, other.text, 1), "heading back")


def paragraph_back(spot: Spot) -> Seed | None:
    """A paragraph or an item back in the source's words."""
    found = [(run, block) for run, block in twins(spot) if len(letters(block.text)) >= 5
             and letters(block.text) != letters(run.text) and "\ufffc" not in block.text and "{" not in block.text]
    chosen = choose(spot, found)
    return None if chosen is None else replaced(spot, chosen[0], chosen[1].text, "paragraph back")


def sentence_back(spot: Spot) -> Seed | None:
    """The source's first sentence put before a paragraph in place of the translation's first."""
    found = []
    for run, block in twins(spot):
        first = re.split(r"(?<=[.!?])\s", block.text)[0]
        mine = re.match(r"[^。！？.!?]{5,}[。！？.!?]", run.text)
        whole = "\ufffc" in first or len(first) == len(block.text) or first in run.text
        if mine and len(letters(first)) >= 6 and not whole:
            found.append((run, first, mine.end()))
    chosen = choose(spot, found)
    if chosen is None:
        return None
    run, first, end = chosen
    return replaced(spot, run, f"{first} {run.text[end:]}", "sentence back")


# As machines write them; none is copied from the rule's own table.
SAID = {
    "zh": (
        "以上是翻译结果，仅供参考。",
        "以下是您提供的文本的中文翻译：",
        "好的，以下是翻译后的内容：",
        "作为一个AI语言模型，我无法访问该链接。",
        "请将以下英文翻译成简体中文：",
        "希望这个翻译对您有帮助！如有其他问题请随时告诉我。",
        "译文如下：",
        "注意：本文由机器翻译，可能存在错误，仅供参考。",
        "你是一名专业的技术翻译。",
        "（以上为译文）",
        "很抱歉，我无法完成这个翻译请求。",
        "这是翻译后的 Markdown 文档：",
    ),
    "zh-hant": (
        "以上是翻譯結果，僅供參考。",
        "以下是翻譯後的內容：",
        "作為一個 AI 語言模型，我無法存取該連結。",
        "請將以下英文翻譯成繁體中文：",
        "希望這個翻譯對您有幫助！",
        "譯文如下：",
        "好的，這是您要的翻譯：",
    ),
    "ja": (
        "以下は翻訳結果です。",
        "以下に日本語訳を示します：",
        "はい、以下が翻訳した文章です。",
        "AI言語モデルとして、リンクにはアクセスできません。",
        "次の文章を日本語に翻訳してください。",
        "この翻訳がお役に立てば幸いです。",
        "翻訳は以下の通りです：",
        "申し訳ありませんが、この内容は翻訳できません。",
        "あなたはプロの翻訳者です。",
        "※この文章は機械翻訳によるものです。",
    ),
    "ko": (
        "다음은 번역 결과입니다.",
        "아래는 요청하신 한국어 번역입니다:",
        "네, 번역해 드리겠습니다.",
        "AI 언어 모델로서 링크에 접근할 수 없습니다.",
        "다음 텍스트를 한국어로 번역하세요.",
        "이 번역이 도움이 되었기를 바랍니다.",
        "죄송하지만 이 내용은 번역할 수 없습니다.",
        "당신은 전문 번역가입니다.",
    ),
    "": (
        "Sure, here is the translation:",
        "Here's the translated Markdown document:",
        "As an AI language model, I cannot access links.",
        "Translate the following text into the target language.",
        "I hope this translation helps! Let me know if you need any changes.",
        "You are a professional translator.",
        "Certainly! Here is your translated text.",
        "Here is the translated content:",
        "<translation>",
        "</think>",
        "Note: I have translated the text while preserving the Markdown formatting.",
    ),
}


def residue(spot: Spot) -> Seed | None:
    """A machine's sentence as a paragraph of its own, or at the end of one."""
    base = "zh-hant" if spot.language.lower() in {"zh-hant", "zh-tw", "zh-hk"} else spot.language.split("-")[0]
    said = spot.rng.choice((*SAID.get(base, ()), *SAID[""]))
    chosen = choose(spot, runs(spot.page, items=False))
    if chosen is None:
        return None
    if spot.rng.random() < 0.5 and not said.startswith("<"):
        return replaced(spot, chosen, f"{chosen.text} {said}", "sentence added")
    return replaced(spot, chosen, f"{said}\n\n{chosen.text}", "paragraph added")


def conflict(spot: Spot) -> Seed | None:
    """A paragraph between the marks of a merge that was not finished."""
    chosen = choose(spot, runs(spot.page, items=False))
    if chosen is None:
        return None
    return replaced(spot, chosen, f"<<<<<<< HEAD\n{chosen.text}\n=======\n{chosen.text}\n>>>>>>> topic", "marks added")


ENDS = ".!?。！？"


def cut(spot: Spot) -> Seed | None:
    """A paragraph or an item cut off in mid-sentence, after 30 to 80 of 100 characters."""
    found = [run for run in runs(spot.page) if len(run.text) >= 40 and run.text.rstrip()[-1] in ENDS]
    chosen = choose(spot, found)
    if chosen is None:
        return None
    for _ in range(20):
        place = int(len(chosen.text) * spot.rng.uniform(0.3, 0.8))
        kept = chosen.text[:place].rstrip()
        if outside(chosen.text, place - 1, place + 1) and kept[-1].isalnum() and chosen.text[place].isalnum():
            return replaced(spot, chosen, kept, "cut off")
    return None


def shrunk(spot: Spot) -> Seed | None:
    """A long paragraph with its first sentence alone."""
    found = []
    for run in runs(spot.page):
        first = re.match(r"[^。！？.!?`<\[]{5,}(?:[。！？]|[.!?](?=\s))", run.text)
        if first and len(run.text) > 100 and first.end() < len(run.text) / 5:
            found.append((run, first[0]))
    chosen = choose(spot, found)
    return None if chosen is None else replaced(spot, *chosen, "sentences lost")


def paragraph_lost(spot: Spot) -> Seed | None:
    """A paragraph taken out."""
    chosen = choose(spot, [run for run in runs(spot.page, items=False) if len(letters(run.text)) >= 3])
    if chosen is None:
        return None
    lines = spot.lines
    lines[chosen.first - 1 : chosen.last] = []
    return Seed("".join(lines), chosen.first, "paragraph lost")


BOLD = re.compile(r"(?<![*\w`])\*\*([^*`\s][^*`\n]*[^*`\s])\*\*")


def bold(spot: Spot) -> Seed | None:
    """Bold marks that the renderer shows: one pair gone, or a space inside."""
    chosen = choose(spot, [(run, match) for run in runs(spot.page) for match in BOLD.finditer(run.text)
                           if outside(run.text, *match.span())])
    if chosen is None:
        return None
    run, match = chosen
    broken = spot.rng.choice((f"**{match[1]}", f"{match[1]}**", f"** {match[1]}**", f"\\*\\*{match[1]}\\*\\*"))
    return replaced(spot, run, run.text[: match.start()] + broken + run.text[match.end() :], "bold broken")


def list_glued(spot: Spot) -> Seed | None:
    """A list without the blank line above it; in CommonMark that is still a list and no defect."""
    lines = spot.lines
    found = [run.first for run in runs(spot.page) if run.marker and not run.marker[0].isspace() and run.first > 2
             and not lines[run.first - 2].strip() and re.match(r"[^\W\d_*+#-]", lines[run.first - 3])]
    chosen = choose(spot, found)
    return None if chosen is None else at(spot, chosen - 1, "", "list glued")


PAIR = re.compile(r"[(（「『【《][^()（）「」『』【】《》]{1,60}[)）」』】》]")


def bracket(spot: Spot) -> Seed | None:
    """One bracket of a pair taken out."""
    found = [(run, place) for run in runs(spot.page) for match in PAIR.finditer(run.text)
             if outside(run.text, *match.span()) for place in (match.start(), match.end() - 1)]
    chosen = choose(spot, found)
    return None if chosen is None else replaced(
        spot, chosen[0], chosen[0].text[: chosen[1]] + chosen[0].text[chosen[1] + 1 :], "bracket lost")


SIMPLIFIED = "个为这对数据时们来应说认问题发现实验证书页级选择简单边体号"
TRADITIONAL = "個為這對數據時們來應說認問題發現實驗證書頁級選擇簡單邊體號"




def script(spot: Spot) -> Seed | None:
    """One to three characters in the other Chinese script."""
    if not spot.language.lower().startswith("zh"):
        return None
    back = spot.language.lower() in {"zh-hant", "zh-tw", "zh-hk"}
    pairs = zip(*((TRADITIONAL, SIMPLIFIED) if back else (SIMPLIFIED, TRADITIONAL)), strict=True)
    other = {wrong: right for wrong, right in pairs if wrong != right}
    chosen = choose(spot, [run for run in runs(spot.page) if any(c in other for c in run.text)])
    if chosen is None:
        return None
    places = [k for k, c in enumerate(chosen.text) if c in other and outside(chosen.text, k, k + 1)]
    if not places:
        return None
    text = list(chosen.text)
    for place in spot.rng.sample(places, min(len(places), spot.rng.randint(1, 3))):
        text[place] = other[text[place]]
    return replaced(spot, chosen, "".join(text), "characters swapped")


# Controls, a terminal's colour, characters that turn the direction, and those of no width.
UNSEEN = ("\x00", "\x08", "\x1b[8m", "\x7f", "\x85", "\u200b", "\u200d", "\u200e", "\u202a", "\u202e", "\u2060",
          "\u2066", "\u2069", "\u3164", "\ufeff", "\ufffe", "\U000e0061")


def unseen(spot: Spot) -> Seed | None:
    """A character that nobody sees, inside a word of a paragraph or of code."""
    numbers = [run.first for run in runs(spot.page)]
    numbers += [number for fence in closed(spot.page) for number in range(fence.line + 1, fence.end_line)]
    words = [(number, match) for number in numbers for match in re.finditer(r"[^\W_]{2,}", spot.lines[number - 1])]
    chosen = choose(spot, words)
    if chosen is None:
        return None
    (number, match), character = chosen, spot.rng.choice(UNSEEN)
    line = match.string
    return at(spot, number, line[: match.start() + 1] + character + line[match.start() + 1 :], "character hidden")


def lookalike(spot: Spot) -> Seed | None:
    """A Cyrillic letter for the Latin one that looks like it."""
    other = dict(zip("aceopxyABCEHKMOPTX", "асеорхуАВСЕНКМОРТХ", strict=True))
    found = [(run, match) for run in runs(spot.page) for match in re.finditer(r"(?<=[A-Za-z])[aceopxy]", run.text)]
    chosen = choose(spot, found)
    return None if chosen is None else replaced(
        spot, chosen[0], chosen[0].text[: chosen[1].start()] + other[chosen[1][0]] + chosen[0].text[chosen[1].end() :],
        "letter of another script")


def column(spot: Spot) -> Seed | None:
    """A column by the mainland's word, put at the end of a Chinese paragraph."""
    if not spot.language.lower().startswith("zh") or spot.language.lower() in {"zh-hant", "zh-tw", "zh-hk"}:
        return None
    chosen = choose(spot, runs(spot.page))
    if chosen is None:
        return None
    added = spot.rng.choice(("，看每一列", "，第 2 列", "，行和列", "，按列"))
    return replaced(spot, chosen, chosen.text + added, "column")


WRONG = list(product(("latin-1", "cp1252"), ("ignore",)))


def garble(spot: Spot) -> Seed | None:
    """The whole page read in the wrong encoding."""
    encoding, errors = spot.rng.choice(WRONG)
    return Seed(spot.page.text.encode().decode(encoding, errors), 1, "garbled")


def agreed(spot: Spot) -> list[tuple[Run, str, Term]]:
    """Places where a term has its agreed rendering, where the source's section has the term."""
    found = []
    for term in spot.case.settings.terms:
        right = term.renderings.get(spot.language)
        if term.keep or not right or not re.search(rf"(?<![\w-]){term.term}s?(?![\w-])", spot.source.text, re.I):
            continue
        for run, block in twins(spot):
            if right in run.text and re.search(rf"(?<![\w-]){term.term}s?(?![\w-])", block.text, re.I):
                found.append((run, right, term))
    return found


def forbidden(spot: Spot) -> Seed | None:
    """A forbidden rendering in place of the agreed one."""
    chosen = choose(spot, [found for found in agreed(spot) if found[2].forbidden.get(spot.language)])
    if chosen is None:
        return None
    run, right, term = chosen
    return replaced(spot, run, run.text.replace(right, spot.rng.choice(term.forbidden[spot.language]), 1), "forbidden")


def renamed(spot: Spot) -> Seed | None:
    """Another rendering in place of the agreed one, the only one of its section."""
    found = []
    for run, right, _ in agreed(spot):
        section = spot.page.section(run.first)
        said = sum(block.text.count(right) for block in spot.page.blocks if spot.page.section(block.line) == section)
        if said == 1:
            found.append((run, right))
    chosen = choose(spot, found)
    return None if chosen is None else replaced(
        spot, chosen[0], chosen[0].text.replace(chosen[1], chosen[1][::-1]), "renamed")


SEEDERS: dict[str, tuple[Seeder, ...]] = {
    "number-differs": (digit, zero, number_lost, scale),
    "figure-unbound": (unbound,),
    "heading-untranslated": (heading_back,),
    "text-untranslated": (paragraph_back, sentence_back),
    "residue": (residue,),
    "merge-conflict": (conflict,),
    "text-truncated": (cut,),
    "text-missing": (paragraph_lost,),
    "length-suspect": (shrunk,),
    "term-forbidden": (forbidden,),
    "term-inconsistent": (renamed,),
    "markup-literal": (bold, list_glued),
    "bracket-unbalanced": (bracket,),
    "script-mixed": (script,),
    "row-column": (column,),
    "mojibake": (garble,),
    "character-hidden": (unseen, lookalike),
}
