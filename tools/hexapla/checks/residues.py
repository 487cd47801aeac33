"""What translation machines say about themselves: a row a habit, each phrase one that no documentation says of itself.

A row's phrases are tried on pages that hold one of its `words`, in lower case; without one of them none can match.
"""

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Row:
    """`what` names the habit in a message."""

    what: str
    words: tuple[str, ...]
    pattern: re.Pattern[str]


def row(what: str, words: str, *phrases: str) -> Row:
    """A row of the table; words have commas between."""
    return Row(what, tuple(words.split(",")), re.compile("|".join(phrases), re.I | re.M))


ROWS = (
    row(
        "an answer to a prompt", "sure,certainly,of course,absolutely,translat",
        r"^(?:sure|certainly|of course|absolutely)\b[,!.]?\s.{0,60}\b(?:translat\w+|version|text|document|content)",
        r"^(?:sure|certainly|of course)[!,] (?:here (?:is|are)|here's|i)\b",
        r"\bhere(?:'s|’s| is| are) (?:the|your|a|my) (?:\w+ ){0,4}translat(?:ion|ed)\b",
        r"\b(?:the|your) translat(?:ion|ed (?:text|document|content|page)) (?:is )?(?:as follows|below|above)\b",
        r"\bi(?:'ve|’ve| have) translated the\b|\bi hope this translation\b",
        r"\blet me know if you\b.{0,60}\b(?:translat\w+|adjust\w*)\b",
        r"\bnote:? (?:i|this) (?:have )?(?:translat\w+|is an? (?:machine|automatic|ai)\b)",
        r"\bplease (?:provide|send|share|paste)\b.{0,40}\b(?:text|content|markdown)\b.{0,30}\btranslat",
    ),
    row(
        "a machine's word about itself",
        "as an ai,as a ai,as an artificial,i'm ,i’m ,i am ,my knowledge,my training,translated",
        r"\b(?:machine|automatically|ai)[- ]translated\b",
        r"\bas an? (?:ai|artificial intelligence)(?: (?:language )?model| assistant)?,? i\b",
        r"\bi(?:'m|’m| am) (?:sorry|unable)\b.{0,40}\b(?:translat|assist|cannot|can't|can’t|help with)",
        r"\bmy (?:knowledge cutoff|training data)\b",
        r"\btranslated (?:automatically )?(?:by|with|using) (?:chatgpt|gpt-?\d|gemini|claude|deepl|google|an? ai)\b",
    ),
    row(
        "a prompt", "translat,preserve,keep ",
        r"\btranslate the following\b|\byou are an? (?:\w+ ){0,3}translator\b",
        r"^(?:please )?translate\b.{0,40}\b(?:in)?to (?:simplified|traditional|chinese|japanese|korean|german)\b",
        r"^(?:please )?translate\b.{0,40}\b(?:in)?to (?:french|spanish|russian|portuguese|ukrainian|turkish|hindi)\b",
        r"\b(?:do not|don't|don’t) translate (?:the )?code\b",
        r"\b(?:keep|preserve) (?:the|all) (?:original )?(?:markdown|formatting|code)\b.{0,40}\b(?:intact|unchanged)",
    ),
    row(
        "a mark of a prompt", "<|,inst],sys>>,translat,source,target,original,continue,truncated",
        r"<\|(?:im_start|im_end|endoftext|assistant|user|system)\|>|\[/?INST\]|<</?SYS>>",
        r"^(?:source|target|original|translated|translation) ?(?:text|language)?:$",
        r"\[(?:translation|translated text|insert translation|continued?|truncated)\]",
        r"^#{3,} ?(?:translation|translated text|end of translation)\b",
    ),
    row(
        "a machine's word about its translation", "翻,译,譯,抱歉,对不起,對不起,遗憾,遺憾,随时,隨時,作为,作為",
        r"以(?:上|下)(?:就?是|为|為)?.{0,14}(?:翻译|翻譯|译文|譯文)",
        r"(?:翻译|翻譯|译文|譯文)(?:结果|結果|内容|內容|版本)?(?:如下|如上|完毕|完畢|到此结束|仅供参考|僅供參考)",
        r"(?:这|這|此)(?:里|裡|裏)?(?:就?是|为|為).{0,4}(?:译文|譯文|.{0,8}(?:翻译|翻譯)(?:结果|結果|版本|内容|內容|后的|後的))",
        r"(?:翻译|翻譯)(?:结果|結果).{0,8}(?:仅供|僅供|供)(?:参考|參考)",
        r"(?:由|通过|經|经)(?:机器|機器|人工智能|ai|chatgpt|deepl|谷歌|google)\s?(?:自动|自動)?(?:翻译|翻譯)",
        r"作为(?:一个|一个大型|一名|一款)?.{0,4}(?:ai|人工智能|语言模型).{0,8}我",
        r"作為(?:一個)?.{0,4}(?:ai|人工智慧|語言模型).{0,8}我",
        r"(?:好的|当然|當然|没问题|沒問題)[,，!！。].{0,24}(?:翻译|翻譯|译文|譯文)",
        r"(?:希望|如果).{0,16}(?:翻译|翻譯|译文|譯文).{0,16}(?:帮助|幫助|满意|滿意|有用|告诉我|告訴我|调整|調整)",
        r"(?:我|你|您)是(?:一名|一位|一个|一個)?.{0,8}(?:翻译|翻譯)(?:专家|專家|助手|员|員|官|家|。|，|$)",
        r"(?:请|請)(?:将|把|將).{0,16}(?:翻译|翻譯)(?:成|为|為|到)",
        r"(?:请|請)(?:提供|发送|發送).{0,16}(?:翻译|翻譯)",
        r"(?:请|請)(?:注意|留意)[,，:：]?.{0,20}(?:翻译|翻譯|译文|譯文).{0,20}(?:保留|可能|仅供|僅供)",
        r"(?:抱歉|对不起|對不起|很遗憾|很遺憾)[,，].{0,12}(?:无法|無法|不能)",
        r"如(?:果)?(?:有|需).{0,14}(?:请|請)?(?:随时|隨時)(?:告诉|告訴|联系|聯繫|告知)我",
    ),
    row(
        "a machine's word about its translation", "訳,申し訳,言語モデル,aiアシスタント",
        r"(?:以下|上記|以上|こちら)[がはに].{0,20}(?:翻訳|訳文|日本語訳|和訳)(?:です|に?なります|した|を|結果)",
        r"(?:翻訳|訳文|日本語訳)(?:結果)?(?:は|を)?(?:以下|次)の(?:通り|とおり)",
        r"(?:翻訳|訳文)(?:結果)?は.{0,6}参考|(?:機械|自動|ai\s?)翻訳(?:による|された|です|結果)",
        r"(?:ai|言語モデル|aiアシスタント)として[,、](?:私|わたし)?は?.{0,24}(?:できません|お答え)",
        r"(?:はい|もちろん|承知しました|かしこまりました|了解しました)[、。!！].{0,24}訳",
        r"(?:以下|次)の(?:文章|テキスト|文|内容|英文|ドキュメント)を.{0,10}訳し(?:て|ます)",
        r"あなたは.{0,12}翻訳(?:者|家|の専門家|アシスタント)",
        r"申し訳(?:ありません|ございません)が.{0,30}(?:翻訳|できません|できかねます)",
        r"翻訳(?:が|に|の).{0,14}(?:お役に立て|ご不明|ご質問|修正が必要)|翻訳(?:する|したい)(?:文章|テキスト).{0,8}(?:提供|送|入力)",
    ),
    row(
        "a machine's word about its translation", "번역,죄송,언어 모델,인공지능",
        r"(?:다음|아래|이상|위)(?:은|는)\s.{0,24}번역\s?(?:입니다|본|문|한|결과|내용)",
        r"번역(?:\s?결과)?(?:는|은)?\s?(?:다음|아래)과\s같|(?:번역\s?결과|번역문)(?:는|은|이)?.{0,10}참고",
        r"(?:기계|자동|ai)\s?번역(?:되|된|입니다|을\s통해|으로)",
        r"(?:ai|인공지능)(?:\s?언어\s?모델)?(?:로서|으로서)[,\s].{0,24}(?:수\s?없|못)",
        r"(?:네|물론)(?:입니다|이죠)?[,.!].{0,24}번역",
        r"(?:다음|아래)(?:의)?\s(?:텍스트|문장|내용|글|문서)(?:를|을).{0,20}번역|당신은.{0,12}번역(?:가|사|\s?전문가)",
        r"죄송(?:합니다|하지만).{0,30}(?:번역|수\s?없)|번역(?:이|에).{0,20}(?:도움이|알려\s?주)",
    ),
    row(
        "a machine's word about its translation",
        "übersetz,sprachmodell,ki-modell,tradu,en tant qu,modelo de lenguaje,una ia,modelo de linguagem",
        r"\bhier ist die .{0,20}übersetzung|\bals (?:ki|ai)-?(?:sprach)?modell\b|\bübersetze (?:den|die|das) folgende",
        r"\bvoici (?:la|une|le) .{0,20}tradu(?:ction|it)|\ben tant qu['’](?:ia|intelligence artificielle|modèle)",
        r"\btradui(?:s|sez) le texte suivant|\baquí (?:tienes|está) la .{0,20}traducción|\btraduce el siguiente",
        r"\bcomo (?:modelo de lenguaje|una ia)\b.{0,30}\bno puedo|\baqui está a .{0,20}tradução",
        r"\bcomo (?:um )?modelo de linguagem\b|\btraduza o (?:seguinte )?texto",
    ),
    row(
        "a machine's word about its translation", "перев,модель,перекл,çevir,yapay zeka",
        r"вот (?:ваш )?перевод|как (?:языковая модель|ии-модель)|переведите следующ",
        r"ось (?:ваш )?переклад|як мовна модель|перекладіть наступн",
        r"işte çeviri|yapay zeka (?:dil )?modeli olarak|aşağıdaki metni .{0,12}çevir",
    ),
)
# Tags around the parts of a prompt: a browser shows nothing of them.
TAGS = re.compile(r"</?(?:think|thinking|translation|translated_text|source_text|target_text)>", re.I)
