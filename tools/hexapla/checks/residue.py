"""What a translation machine said about itself, and prompts that were left in."""

import re
from collections.abc import Iterator

from hexapla.checks.context import Case, Found
from hexapla.checks.prose import readable
from hexapla.pages.lines import Block, read

# One row a habit, each as a sentence that no documentation says of its own subject.
PHRASES = {
    "an answer to a prompt": r"""
        ^(?:sure|certainly|of\ course|absolutely)\b[,!.]?\s.{0,60}\b(?:translat\w+|version|text|document|markdown|content)
        |^(?:sure|certainly|of\ course)[!,]\s+(?:here\ (?:is|are)|here's|i)\b
        |\bhere(?:'s|’s|\ is|\ are)\ (?:the|your|a|my)\ (?:\w+\ ){0,4}translat(?:ion|ed)\b
        |\b(?:the|your)\ translat(?:ion|ed\ (?:text|document|content|version|page))\ (?:is\ )?(?:as\ follows|below|above)\b
        |\bi(?:'ve|’ve|\ have)\ (?:translated|kept|preserved)\ the\b
        |\blet\ me\ know\ if\ you(?:'d|’d|\ would|\ need|\ want|\ have)?\b.{0,60}\b(?:translat\w+|adjust\w*|changes?|further)\b
        |\bi\ hope\ this\ (?:translation|helps)\b
        |\b(?:note|n\.b\.):?\ (?:i|this)\ (?:have\ )?(?:translat\w+|is\ (?:a|an)\ (?:machine|automatic|ai))
        |\bplease\ (?:provide|send|share|paste)\b.{0,40}\b(?:text|content|markdown)\b.{0,30}\btranslat
        """,
    "a machine's word about itself": r"""
        \bas\ an?\ (?:ai|artificial\ intelligence)(?:\ (?:language\ )?model|\ assistant)?,?\ i\b
        |\bi(?:'m|’m|\ am)\ (?:sorry|unable)\b.{0,40}\b(?:translat|assist|cannot|can't|can’t|help\ with)
        |\bmy\ (?:knowledge\ cutoff|training\ data)\b
        |\btranslated\ (?:automatically\ )?(?:by|with|using)\ (?:chatgpt|gpt-?\d|gemini|claude|deepl|google\ translate|an?\ ai)\b
        """,
    "a prompt": r"""
        \btranslate\ the\ following\b
        |\byou\ are\ an?\ (?:\w+\ ){0,3}translator\b
        |^(?:please\ )?translate\b.{0,40}\b(?:in)?to\ (?:simplified|traditional|chinese|japanese|korean|german|french|
            spanish|russian|portuguese|ukrainian|turkish|hindi|english)\b
        |\b(?:do\ not|don't|don’t)\ translate\ (?:the\ )?code\b
        |\b(?:keep|preserve)\ (?:the|all)\ (?:original\ )?(?:markdown|formatting|code\ blocks?)\b.{0,40}\b(?:intact|unchanged|as[ -]is)
        """,
    "marks of a prompt": r"""
        <\|(?:im_start|im_end|endoftext|assistant|user|system)\|>|\[/?INST\]|<</?SYS>>
        |^(?:source|target|original|translated|translation|output|input)\ ?(?:text|language)?:$
        |\[(?:translation|translated\ text|insert\ translation|continued?|truncated)\]
        |^\#{3,}\ ?(?:translation|translated\ text|end\ of\ translation)\b
        """,
    "a machine's word about its translation": r"""
        以(?:上|下)(?:就?是|为|為)?.{0,14}(?:翻译|翻譯|译文|譯文)
        |(?:翻译|翻譯|译文|譯文)(?:结果|結果|内容|內容|版本)?(?:如下|如上|完毕|完畢|完成|到此结束|仅供参考|僅供參考)
        |(?:这|這|此)(?:里|裡|裏)?(?:就?是|为|為).{0,12}(?:翻译|翻譯|译文|譯文)(?:结果|結果|版本|内容|內容|后的|後的)
        |(?:翻译|翻譯)(?:结果|結果).{0,8}(?:仅供|僅供|供)(?:参考|參考)
        |(?:由|通过|經|经)(?:机器|機器|人工智能|ai|chatgpt|deepl|谷歌|google)\s?(?:自动|自動)?(?:翻译|翻譯)
        |作为(?:一个|一个大型|一名|一款)?.{0,4}(?:ai|人工智能|语言模型).{0,8}我|作為(?:一個)?.{0,4}(?:ai|人工智慧|語言模型).{0,8}我
        |(?:好的|当然|當然|没问题|沒問題)[,，!！。].{0,24}(?:翻译|翻譯|译文|譯文|以下是|这是|這是)
        |(?:希望|如果).{0,16}(?:这个|這個|以上|此)?(?:翻译|翻譯|译文|譯文).{0,16}(?:帮助|幫助|满意|滿意|有用|告诉我|告訴我|调整|調整|修改)
        |(?:我|你|您)是(?:一名|一位|一个|一個)?.{0,8}(?:翻译|翻譯)(?:专家|專家|助手|员|員|官|家)
        |(?:请|請)(?:将|把|將).{0,16}(?:翻译|翻譯)(?:成|为|為|到)|(?:请|請)(?:提供|发送|發送).{0,16}(?:需要|要)?(?:翻译|翻譯)的?
        |(?:请|請)(?:注意|留意)[,，:：]?.{0,20}(?:翻译|翻譯|译文|譯文).{0,20}(?:保留|可能|仅供|僅供|准确|準確)
        |(?:抱歉|对不起|對不起|很遗憾|很遺憾)[,，].{0,12}(?:无法|無法|不能)
        |如(?:果)?(?:有|需).{0,14}(?:请|請)?(?:随时|隨時)(?:告诉|告訴|联系|聯繫|告知)我
        |(?:以下|上記|以上|こちら)[がはに].{0,20}(?:翻訳|訳文|日本語訳|和訳)(?:です|に?なります|した|を|結果)
        |(?:翻訳|訳文|日本語訳)(?:結果)?(?:は|を)?(?:以下|次)の(?:通り|とおり)
        |(?:翻訳|訳文)(?:結果)?は.{0,6}参考|(?:機械|自動|ai\s?)翻訳(?:による|された|です|結果)
        |(?:ai|言語モデル|aiアシスタント)として[,、]?(?:私|わたし)?は?.{0,20}(?:できません|お答え|です)
        |(?:はい|もちろん|承知しました|かしこまりました|了解しました)[、。!！].{0,24}(?:翻訳|訳|以下)
        |(?:以下|次)の(?:文章|テキスト|文|内容|英文|ドキュメント)を.{0,10}(?:翻訳|訳)し(?:て|ます)
        |あなたは.{0,12}翻訳(?:者|家|の専門家|アシスタント)|申し訳(?:ありません|ございません)が.{0,30}(?:翻訳|できません|できかねます)
        |翻訳(?:が|に|の).{0,14}(?:お役に立て|ご不明|ご質問|修正が必要)|翻訳(?:する|したい)(?:文章|テキスト).{0,8}(?:提供|送|入力)
        |(?:다음|아래|이상|위)(?:은|는)\s.{0,24}번역\s?(?:입니다|본|문|한|결과|내용)|번역(?:\s?결과)?(?:는|은)?\s?(?:다음|아래)과\s같
        |(?:번역\s?결과|번역문)(?:는|은|이)?.{0,10}참고|(?:기계|자동|ai)\s?번역(?:되|된|입니다|을\s통해|으로)
        |(?:ai|인공지능|언어\s?모델)(?:로서|으로서|이기).{0,30}|(?:네|물론)(?:입니다|이죠)?[,.!].{0,24}번역
        |(?:다음|아래)(?:의)?\s(?:텍스트|문장|내용|글|문서)(?:를|을).{0,20}번역|당신은.{0,12}번역(?:가|사|\s?전문가)
        |죄송(?:합니다|하지만).{0,30}(?:번역|수\s?없)|번역(?:이|에).{0,20}(?:도움이|알려\s?주)
        """,
    "another machine's word about its translation": r"""
        \bhier\ ist\ die\ .{0,20}übersetzung|\bals\ (?:ki|ai)-?(?:sprach)?modell\b|\bübersetze\ (?:den|die|das)\ folgende
        |\bvoici\ (?:la|une|le)\ .{0,20}tradu(?:ction|it)|\ben\ tant\ qu['’](?:ia|intelligence\ artificielle|modèle)
        |\btradui(?:s|sez)\ le\ texte\ suivant|\baquí\ (?:tienes|está)\ la\ .{0,20}traducción|\bcomo\ (?:modelo|una?\ ia)\b.{0,30}\bno\ puedo
        |\btraduce\ el\ siguiente|\baqui\ está\ a\ .{0,20}tradução|\bcomo\ (?:um\ )?modelo\ de\ linguagem\b|\btraduza\ o\ (?:seguinte\ )?texto
        |вот\ (?:ваш\ )?перевод|как\ (?:языковая\ модель|ии)|переведите\ следующ|ось\ (?:ваш\ )?переклад|як\ мовна\ модель|перекладіть\ наступн
        |işte\ çeviri|yapay\ zeka\ (?:dil\ )?modeli\ olarak|aşağıdaki\ metni\ .{0,12}çevir
        """,
}
PATTERNS = {what: re.compile(pattern, re.X | re.I | re.M) for what, pattern in PHRASES.items()}
# A row is tried on pages that hold one of these, in lower case; without them none of its phrases can match.
WORDS = {
    "an answer to a prompt": ("sure", "certainly", "of course", "absolutely", "translat"),
    "a machine's word about itself": ("as an ai", "as a ai", "as an artificial", "i'm ", "i’m ", "i am ", "my knowledge",
                                      "my training", "translated "),
    "a prompt": ("translat", "preserve", "keep "),
    "marks of a prompt": ("<|", "inst]", "sys>>", "translat", "source", "target", "original", "output", "input",
                          "continue", "truncated"),
    "a machine's word about its translation": ("翻", "译", "譯", "抱歉", "对不起", "對不起", "遗憾", "遺憾", "随时", "隨時",
                                               "作为", "作為", "訳", "申し訳", "として", "번역", "죄송", "ai", "인공", "언어"),
    "another machine's word about its translation": ("übersetz", "modell", "tradu", "en tant", "modelo", "como una",
                                                     "перев", "модель", "перекл", "çevir", "metni", "modeli"),
}


# Tags of prompts: a browser shows nothing of them, so they are looked for in the page's own text.
TAGS = re.compile(r"</?(?:think|thinking|translation|translated_text|source_text|target_text)>", re.I)


def residue(case: Case) -> Iterator[Found]:
    """Sentences of a machine in the page that its source does not have too."""
    yield from tags(case)
    blocks = readable(case.page.blocks)
    whole = "\n".join(block.text for block in blocks)
    lower = whole.lower()
    for what, pattern in PATTERNS.items():
        if not any(word in lower for word in WORDS[what]) or not pattern.search(whole):
            continue
        if case.source is not None and any(pattern.search(block.text) for block in case.original.blocks):
            continue  # a page about translation
        for block in blocks:
            if match := pattern.search(block.text):
                yield Found("residue", f"{match.group().strip()[:60]!r} is {what}, not the page's text", "take it out",
                            block.line, block.column)


def tags(case: Case) -> Iterator[Found]:
    """Tags that a prompt's parts stand in, outside code."""
    if not TAGS.search(case.page.text) or (case.source is not None and TAGS.search(case.original.text)):
        return
    for line in read(case.page.text):
        bare = re.sub(r"`+[^`]*`+", lambda code: " " * len(code[0]), line.text)
        if line.block is Block.PROSE and (match := TAGS.search(bare)):
            yield Found("residue", f"{match.group()!r} is a mark of a prompt, not the page's text", "take it out",
                        line.number, match.start() + 1)
