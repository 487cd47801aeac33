"""What translation machines say about themselves: a row a habit, each phrase one that no documentation says of itself.

A row's phrases are tried on pages that hold one of its `words`, in lower case; without one of them none can match.
"""

import re
from functools import cache
from typing import NamedTuple


class Row(NamedTuple):
    """`what` names the habit in a message."""

    what: str
    words: tuple[str, ...]
    phrases: str

    @property
    def pattern(self) -> re.Pattern[str]:
        """The phrases; most pages hold none of the words, so most rows are never compiled."""
        return compiled(self.phrases)


@cache
def compiled(phrases: str) -> re.Pattern[str]:
    """The pattern of a row."""
    return re.compile(phrases, re.I | re.M)


def row(what: str, words: str, *phrases: str) -> Row:
    """A row of the table; words have commas between."""
    return Row(what, tuple(words.split(",")), "|".join(phrases))


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
        r"\btranslat\w+\b.{0,40}\b(?:as (?:you )?requested|per your (?:request|instructions)|you provided)\b",
    ),
    row(
        "an answer to a prompt", "let me know,further assistance,anything else,as requested,instruct,i have followed",
        r"\banything else (?:you(?:'d|’d| would) like|i can)\b.{0,30}\b(?:translat|help|do)",
        r"\b(?:kept|left|remain\w*) (?:unchanged|untouched|as[- ]is|untranslated)\b.{0,30}"
        r"\b(?:instructions?|requested)\b",
        r"\b(?:please )?let me know if (?:you (?:need|have|want|would like)|there(?:'s|’s| is))\b.{0,40}"
        r"\b(?:assistance|changes|questions|adjust\w*|clarif\w*|else)\b.{0,30}$",
        r"\bi have followed (?:all )?(?:the|your) (?:rules|instructions|guidelines)\b",
    ),
    row(
        "a machine's word about itself",
        "as an ai,as a ai,as an artificial,i'm ,i’m ,i am ,my knowledge,my training,translated,co-op translator",
        r"\bco-op translator\b",
        r"\b(?:machine|automatically|ai)[- ]translated\b",
        r"\bas an? (?:ai|artificial intelligence)(?: (?:language )?model| assistant)?,? i\b",
        r"\bi(?:'m|’m| am) (?:sorry|unable)\b.{0,40}\b(?:translat|assist|cannot|can't|can’t|help with)",
        r"\bmy (?:knowledge cutoff|training data)\b",
        r"\btranslated (?:automatically )?(?:by|with|using) (?:chatgpt|gpt-?\d|gemini|claude|deepl|google|an? ai)\b",
    ),
    row(
        "a prompt", "translat,preserve,keep ",
        r"\b(?:output|return|provide|reply with|respond with) only the translat\w+",
        r"^\[?todo:? (?:please )?translate\b|\btodo\b.{0,8}\bneeds? translat\w+|\[your translation\b",
        r"\btranslate the following\b|\byou are an? (?:\w+ ){0,3}translator\b",
        r"^(?:please )?translate\b.{0,40}\b(?:in)?to (?:simplified|traditional|chinese|japanese|korean|german)\b",
        r"^(?:please )?translate\b.{0,40}\b(?:in)?to (?:french|spanish|russian|portuguese|ukrainian|turkish|hindi)\b",
        r"\b(?:do not|don't|don’t) translate (?:the )?code\b",
        r"\b(?:keep|preserve) (?:the|all) (?:original )?(?:markdown|formatting|code)\b.{0,40}\b(?:intact|unchanged)",
    ),
    row(
        "a mark of a prompt",
        "<|,inst],sys>>,translat,source,target,original,continue,truncated,inline_code,code_block,code_span,placeholder"
        ",⟦",
        r"⟦\d+⟧|\[translation continues?[.…]*\]",
        r"(?<![A-Za-z0-9])(?:__|\[\[)?(?:INLINE_CODE|CODE_BLOCK|CODE_SPAN|PLACEHOLDER)_\d+"
        r"(?:__|\]\])?(?![A-Za-z0-9])",
        r"<\|(?:im_start|im_end|endoftext|assistant|user|system)\|>|\[/?INST\]|<</?SYS>>",
        r"^(?:source|target|original|translated|translation) ?(?:text|language)?:$",
        r"\[(?:translation|translated text|insert translation|continued?|truncated)\]",
        r"^#{3,} ?(?:translation|translated text|end of translation)\b",
    ),
    row(
        "a machine's word about its translation", "翻,译,譯,抱歉,对不起,對不起,遗憾,遺憾,随时,隨時,作为,作為"
        ",要求,指示,以下是,以下为,以下為,篇幅,未完待续,未完待續",
        r"(?:篇幅|字数|字數|长度|長度)(?:限制|有限|原因).{0,24}(?:继续|繼續|下一|回复|回覆|省略)|未完待[续續]",
        r"我(?:已|已经|已經)?(?:将|將|把).{0,16}(?:翻译|翻譯)(?:成|为|為)|^(?:翻译|翻譯)(?:说明|說明)[:：]",
        r"^[\[【](?:翻译|翻譯|译文|譯文)(?:结果|結果|开始|開始|结束|結束)?[\]】]$",
        r"以(?:上|下)(?:就?是|为|為|即为)?.{0,14}(?:译文|譯文)",
        r"以(?:上|下)(?:就?是|为|為|即为)?.{0,14}(?:翻译|翻譯)(?:后|後|结果|結果|内容|內容|版本|文本|[:：。，,（(]|$)",
        r"以下(?:就?是|为|為).{0,20}(?:的)?(?:翻译|翻譯|中文版|简体中文版本?|繁體中文版本?)[:：]?$",
        r"(?:翻译|翻譯|译文|譯文)(?:结果|結果|内容|內容|版本)?(?:如下|如上|完毕|完畢|到此结束|仅供参考|僅供參考)",
        r"(?:这|這|此)(?:里|裡|裏)?(?:就?是|为|為).{0,4}(?:译文|譯文|.{0,8}(?:翻译|翻譯)(?:结果|結果|版本|内容|內容|后的|後的))",
        r"(?:翻译|翻譯)(?:结果|結果).{0,8}(?:仅供|僅供|供)(?:参考|參考)",
        r"(?:由|通过|經|经)(?:机器|機器|人工智能|ai|chatgpt|deepl|谷歌|google)\s?(?:自动|自動)?(?:翻译|翻譯)",
        r"作为(?:一个|一个大型|一名|一款)?.{0,4}(?:ai|人工智能|语言模型).{0,8}我",
        r"作為(?:一個)?.{0,4}(?:ai|人工智慧|語言模型).{0,8}我",
        r"(?:好的|当然|當然|没问题|沒問題|明白了|收到)[,，!！。].{0,24}(?:翻译|翻譯|译文|譯文|按照您|遵照您|依照您)",
        r"(?:按照|遵照|根据|根據|依照)(?:您|你)的(?:要求|指示|说明|說明|规则|規則).{0,20}(?:翻译|翻譯|译文|譯文)",
        r"(?:已|我将|我會|我会)(?:经)?.{0,12}(?:按照|遵循|保留).{0,12}(?:翻译|翻譯)(?:要求|规则|規則|完成|为|為|成)",
        r"(?:未提供|没有提供|沒有提供).{0,12}(?:原文|内容|內容|文本).{0,12}(?:翻译|翻譯)",
        r"(?:希望|如果).{0,16}(?:翻译|翻譯|译文|譯文).{0,16}(?:帮助|幫助|满意|滿意|有用|告诉我|告訴我|调整|調整)",
        r"(?:我|你|您)是(?:一名|一位|一个|一個)?.{0,8}(?:翻译|翻譯)(?:专家|專家|助手|员|員|官|家|。|，|$)",
        r"(?:请|請)(?:将|把|將).{0,16}(?:翻译|翻譯)(?:成|为|為|到)",
        r"(?:请|請)(?:提供|发送|發送|给出|給出|贴上|貼上).{0,16}(?:翻译|翻譯)",
        r"(?:只|仅|僅)(?:输出|輸出|返回|回覆)(?:译文|譯文|翻译|翻譯)|(?:不要|请勿|請勿|无需|無需)(?:翻译|翻譯)(?:代码|代碼|程式碼)",
        r"(?:请|請)(?:注意|留意)[,，:：]?.{0,20}(?:翻译|翻譯|译文|譯文).{0,20}(?:保留|可能|仅供|僅供)",
        r"(?:抱歉|对不起|對不起|很遗憾|很遺憾)[,，].{0,12}(?:无法|無法|不能)",
        r"(?:由|经|經|使用|通过|透過).{0,10}(?:ai|大模型|人工智能|gpt).{0,6}(?:翻译|翻譯)(?:而成|生成|，|。|$)",
        r"如(?:果)?(?:有|需).{0,14}(?:请|請)?(?:随时|隨時)(?:告诉|告訴|联系|聯繫|告知)我",
    ),
    row(
        "a machine's word about its translation",
        "訳,申し訳,言語モデル,aiアシスタント,ご指示,お知らせ,お申し付け,続き,残り,お応え",
        r"翻訳(?:いた)?しました[。!！]|(?:形式|書式|フォーマット)を(?:維持|保持|保).{0,6}翻訳",
        r"(?:続き|残り)は次(?:の|回の)(?:返信|回答|メッセージ)",
        r"(?:リクエスト|ご要望|ご依頼)には?お応えでき",
        r"(?:以下|上記|以上|こちら)[がはに].{0,20}(?:翻訳|訳文|日本語訳|和訳)(?:です|に?なります|した|を|結果)",
        r"(?:翻訳|訳文|日本語訳)(?:結果)?(?:は|を)?(?:以下|次)の(?:通り|とおり)",
        r"^(?:以下(?:は|が|に)?.{0,20})?(?:日本語(?:への|に)?)?(?:翻訳|訳文|日本語訳|和訳)(?:です|になります|でございます)[。:：]?$",
        r"(?:ご|御)(?:依頼|指示|要望|要求)(?:の|に|いただいた).{0,20}(?:訳|翻訳)|(?:ご|御)指示(?:の|に)(?:通り|従)",
        r"(?:翻訳|訳文)のみ(?:を)?(?:出力|返|提供)|コード(?:ブロック)?は翻訳(?:しないで|せず)|原文の(?:書式|フォーマット)を(?:維持|保)",
        r"(?:他|ほか)に(?:ご質問|ご不明|必要).{0,20}(?:お知らせ|お申し付け)",
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
        r"번역된\s?(?:내용|텍스트|문서|결과).{0,6}(?:다음|아래)|요청하신.{0,12}번역",
        r"(?:다음|아래|이상|위)(?:은|는)\s.{0,24}번역\s?(?:입니다|본|문|한|결과|내용)",
        r"^(?:.{0,20}\s)?(?:번역|번역문|번역본)입니다[.:]?$|(?:요청|지시)하신\s?(?:대로|번역)|번역만\s(?:출력|제공)",
        r"코드(?:\s?블록)?(?:는|은)\s번역하지|번역할\s(?:텍스트|내용|문장).{0,12}(?:제공|입력|보내)",
        r"번역(?:\s?결과)?(?:는|은)?\s?(?:다음|아래)과\s같|(?:번역\s?결과|번역문)(?:는|은|이)?.{0,10}참고",
        r"(?:기계|자동|ai)\s?번역(?:되|된|입니다|을\s통해|으로)",
        r"(?:ai|인공지능)(?:\s?언어\s?모델)?(?:로서|으로서)[,\s].{0,24}(?:수\s?없|못)",
        r"(?:네|물론)(?:입니다|이죠)?[,.!].{0,24}번역",
        r"(?:다음|아래)(?:의)?\s(?:텍스트|문장|내용|글|문서)(?:를|을).{0,20}번역|당신은.{0,12}번역(?:가|사|\s?전문가)",
        r"죄송(?:합니다|하지만).{0,30}(?:번역|수\s?없)|번역(?:이|에).{0,20}(?:도움이|알려\s?주)",
    ),
    row(
        "a machine's word about its translation", "übersetz,sprachmodell,ki-modell,als ki,co-op,beibehalten",
        r"\b(?:markdown|formatierung)\b.{0,30}\bbeibehalten\b",
        r"\bhier (?:ist|finden sie|sind|kommt) (?:die|der|ihre?|eine|das) .{0,30}\b(?:übersetzung|übersetzte\w*)\b",
        r"\b(?:folgende|untenstehende) übersetzung\b|\bübersetzung:$",
        r"\bich habe (?:den|das|die) .{0,30}\bübersetzt\b|\bsie sind (?:ein )?(?:professionelle[rs]? )?übersetzer",
        r"\bals (?:ki|ai)(?:-?(?:sprach)?modell)?\b.{0,20}\bich\b|\bals (?:ki|ai)-?(?:sprach)?modell\b",
        r"\bübersetze(?:n sie)? (?:bitte )?(?:den|die|das) folgende",
        r"\b(?:mit|durch|von) (?:hilfe (?:von )?)?(?:einer )?(?:ki|chatgpt|deepl|google)\b.{0,24}\bübersetzt\b",
        r"\bmaschinell übersetzt\b|\bich hoffe,? (?:diese|die) übersetzung\b",
    ),
    row(
        "a machine's word about its translation", "tradu,en tant qu,j'ai,j’ai",
        r"\bj['’]ai (?:conservé|gardé|préservé|respecté) .{0,40}\b(?:markdown|mise en forme)\b",
        r"\bvoici (?:la|une|le|votre) (?:\w+ ){0,2}tradu(?:ction|it)|\btraduction (?:est la suivante|ci-dessous)\b",
        r"\ben tant qu(?:['’](?:ia|intelligence artificielle)|e modèle de langage)\b|\bj['’]ai traduit le\b",
        r"\btradui(?:s|sez) le texte suivant|\btraduit (?:automatiquement|par (?:ia|une ia|chatgpt|deepl|google))\b",
        r"\bvous êtes (?:un )?traducteur\b|\bj['’]espère que cette traduction\b|^traduction ?:$",
    ),
    row(
        "a machine's word about its translation", "tradu,modelo de lenguaje,una ia,modelo de linguagem,formato",
        r"\b(?:he|se ha) (?:mantenido|conservado|respetado) (?:el |todo el )?formato\b|\bmantive (?:o|a) format",
        r"\b(?:he )?aquí (?:tienes?|está|va|tiene usted) (?:la|el|una|tu|su) .{0,30}\btradu(?:cción|cido)\b",
        r"\bla traducción (?:es la siguiente|a continuación)\b|\btradu(?:ce|zca|cir) el siguiente|^traducción:$",
        r"\bcomo (?:modelo de lenguaje|una ia)\b.{0,30}\b(?:no puedo|yo)\b",
        r"\bhe traducido el (?:texto|documento|contenido)\b",
        r"\btraducido (?:automáticamente|por (?:ia|una ia|chatgpt|deepl|google))\b|\bespero que esta traducción\b",
        r"\beres un traductor\b|\bservicio de traducción (?:automática|por ia)\b",
        r"\baqui está (?:a|o|uma|sua) .{0,30}\btradu(?:ção|zido)\b|\bsegue (?:a|abaixo a) tradução\b|^tradução:$",
        r"\bcomo (?:um )?modelo de linguagem\b|\btraduza o (?:seguinte )?texto|\bvou traduzir o\b",
        r"\btraduzido (?:automaticamente|por (?:ia|uma ia|chatgpt|deepl|google))\b|\bespero que (?:esta|a) tradução\b",
    ),
    row(
        "a machine's word about its translation", "перев,модель,перекл,çevir,yapay zeka",
        r"(?:вот|ниже) (?:ваш |приведён |приведен |представлен )?перевод\b|перевод (?:выглядит следующим|текста):",
        r"как (?:языковая модель|ии-модель)|переведите следующ|я перев[её]л (?:текст|документ)",
        r"надеюсь, (?:этот|данный) перевод|вы (?:—|-|являетесь) (?:профессиональн\w+ )?переводчик",
        r"перевед[её]н\w* (?:автоматически|с помощью (?:ии|chatgpt))",
        r"(?:ось|нижче) (?:ваш |наведено )?переклад\b|як мовна модель|перекладіть наступн|я переклав",
        r"перекладено (?:автоматично|за допомогою (?:ші|chatgpt))",
        r"işte (?:metnin )?(?:türkçe )?çeviri|yapay zeka (?:dil )?modeli olarak|aşağıdaki metni .{0,12}çevir",
        r"\bçeviri aşağıda",
    ),
)
# Tags around the parts of a prompt: a browser shows nothing of them.
TAGS = re.compile(r"</?(?:think|thinking|translation|translated_text|source_text|target_text)>", re.I)
