"""What machines talk about when they talk about their own work: words by language and subject.

A word is looked for in a text of lower case whose punctuation is spaces, so a space in a word is the border of a word.
Chinese is written in Simplified characters here; the rule looks for its Traditional forms too.
"""

import re

TRANSLATION, MACHINE, SELF, REPLY, KEPT, SOURCE, POINTER, ACT, FORMAT, TEXT, LANGUAGE, REST, ASKER = (
    "translation", "machine", "self", "reply", "kept", "source", "pointer", "act", "format", "text", "language",
    "rest", "asker",
)
# How much a subject says: what documentation hardly ever speaks of weighs two, what it often speaks of one.
WEIGHTS = {
    TRANSLATION: 4, MACHINE: 3, SELF: 2, REPLY: 2, KEPT: 2, SOURCE: 2,
    POINTER: 1, ACT: 1, FORMAT: 1, TEXT: 1, LANGUAGE: 1, REST: 1, ASKER: 1,
}

LEXICON: dict[str, dict[str, str]] = {
    "en": {
        TRANSLATION: " translat| rendition| localized version| localised version| untranslated",
        MACHINE: " as an ai | chatgpt| deepl | machine translat| ai translat| automatically translat"
                 "| by an ai | knowledge cutoff| as a language model| as a large language"
                 "| ai language model",
        SELF: " i | my | me ",
        REPLY: " here goes | as requested | as instructed | you provided | you ve given | you gave "
               "| provided text| provided markdown| you requested | let me know | feel free to ask "
               "| hope this | hope it | sorry | apologi| next message | next response | length limit"
               "| got it | happy to | could you send | the user wants| anything else | your needs "
               "| assistance | meet your | revised version| corrected version| version of the document"
               "| version of your| tn | my response| your response| say continue",
        KEPT: " unchanged| untouched| preserv| kept | retain| left as | left in | as is | intact "
              "| unmodified| remains as | omitted | do not translate| unaltered| maintain| as they are ",
        SOURCE: " the original | source text| the source | original text| original document"
                "| original meaning",
        POINTER: " sure | certainly | of course | absolutely | here is | here s | here are the | below is "
                 "| find below| below you| okay | alright | follows | would you like | tell me "
                 "| please provide | you are a ",
        FORMAT: " markdown | formatting| code block| inline code| placeholder| headings | urls | links "
                "| structure | terminolog| technical term| specialised term| glossary | tone | style "
                "| wording ",
        TEXT: " text | document| page | content | passage| paragraph| section| article| file | files "
              "| sentence| word | chapter",
        LANGUAGE: " english | chinese | japanese | korean | russian | german | french | spanish "
                  "| portuguese | target language | requested language ",
        REST: " the rest | rest of | remain| continu| truncated | cut off | brevity | next part "
              "| next section ",
        ASKER: " you | your ",
    },
    "zh": {
        TRANSLATION: "翻译|译文|译稿|译成|译为|中译|未译|已译|译法|不译|译出|译完|译好| 译 ",
        MACHINE: "ai助手|人工智能助手|作为ai|作为一个ai|作为一名ai|作为一款ai|机器翻译|机翻|chatgpt|deepl"
                 "|ai翻译|ai自动|由ai|由 ai|作为 ai|作为一个 ai|ai 翻译|ai 自动|ai 助手|语言模型 我"
                 "|作为语言|作为一个语言|作为大语言|作为一个大|作为大型",
        SELF: "我",
        REPLY: "当然可以|没问题 |明白了 |您提供|您要的|您的要求|你的要求|您的指示|按照要求|遵照|告诉我|抱歉"
               "|对不起|谢谢您|下一条|下一则|下条消息|篇幅|长度限制|字数限制|长度上限|请提供|发给我"
               "|发送给我|你是一名|您是一名|你是一位|用户希望|用户要求|使用者要|还有什么|需要我|您看|您觉得"
               "|请过目|欢迎继续|乐意|请见下| 好的 | 希望对| 希望这|这是您要|这是您的|则讯息|对您有帮助"
               "|对你有帮助|哪种语言|便于理解|方便理解|译注|译者"
               "|严格遵守|所有规则|我会| 输出语言 ",
        KEPT: "保留|原样|未作改动|未做改动|未作修改|未做任何修改|没有修改|维持|不变|未变更|未改动|未翻译"
              "|省略|沿用|从略|未动|照旧|不更动|保持一致|附了英文|附上英文|附英文|附上了英文|与原文相同"
              "|与原文一致|和原文一致|和原文相同",
        SOURCE: "原文|原稿|源文本|原意",
        POINTER: "如下 |以下是|以下为|下面是|以上是|以上为|以上就是|了解 |请将|你提供|当然 |这是你|请把"
                 "|仅供参考|您好|收到 |请查阅|随时|有所帮助|感谢您|很遗憾|只输出|仅输出|无需|无须|不要添加",
        FORMAT: "markdown|格式|代码块|代码部分|代码示例|程式码|连结|占位符|标题|链接|术语|词汇表|语气|润色"
                "|标记|语法|专有名词|变量名|函数名|变数名|函式名|函数和|行数|文风|修润|错字|拼写错误|通顺"
                "|不顺|用语",
        TEXT: "文本|文档|文件|档案|内容|全文|正文|本页|页面|段落|这段|一段|这篇|章节|文字|部分|结果|版本"
              "|说明书",
        LANGUAGE: "中文|英文|英语|简体|繁体|双语",
        REST: "剩余|剩下|其余|余下|后文|未完|待续|下一部分|下一章|接下来|接着|继续|后续|截断|中断|超出"
              "|下一节|续上|结束|完毕|略 |后半|以上",
        ASKER: "您|你|请问",
    },
    "ja": {
        TRANSLATION: "翻訳|訳文|和訳|日本語訳|訳し|訳は |訳 |訳を|訳に|訳語|定訳|意訳|訳が|訳の|訳せ|訳で",
        MACHINE: "aiアシスタント|ai アシスタント|aiとして|ai として|機械翻訳|自動翻訳|chatgpt|deepl|ai翻訳"
                 "|ai による|aiによる|言語モデルとして",
        SELF: "私は|いたします|いたしました|しておきました|てあります|ております|おりません|心がけ|てみます",
        REPLY: "承知|かしこまり|はい |ご依頼|ご提供|ご提示|ご指示|ご指定|ご要望|いただいた|いただき|お送り"
               "|お知らせ|お気軽|お役に|幸いです|申し訳|すみません|ご確認ください|返信|次の回答"
               "|次のメッセージ|文字数|よろしいでしょうか|しましょうか|お手伝い|ご不明|のみ出力|だけを出力"
               "|嬉しいです|どの言語|添えました|理解しやすい|訳注|訳者|お力になれ"
               "|できることはありますか|を出力します|意味を理解する必要| 出力言語 ",
        KEPT: "維持|保持|変更なし|変更せず|残し|保った|省略|手を加え|同じです|損なわ|訳してい|後略|未翻訳"
              "|翻訳不要|対象外|原文と同じ|触って|統一|英語を添え|英語を併記|英語表記|はそのまま|英語のまま"
              "|原文のまま|のままとし|そのまま残|そのままに|変更していま|変更しており",
        SOURCE: "原文|原著|原典|英文|原意",
        POINTER: "とおりです|これで|ご覧ください|以下は|以下に|以下が|ユーザーは|次のとおり|通りです|参考"
                 "|もちろん|あなたは|こちらが|こちらは|以上が|以上です|わかりました|了解|しますか|長さの"
                 "|下記を",
        ACT: "しました|ました |不要です|必要があります|しますか",
        FORMAT: "markdown|マークダウン|書式|フォーマット|コードブロック|コードは|コードや|プレースホルダ"
                "|見出し|リンク|用語|文体|表現|ニュアンス|固有名詞|変数名|関数名|行数|誤字|です ます|推敲"
                "|言葉遊び|不自然|自然な",
        TEXT: "文章|文書|ドキュメント|本文|全文|ページ|段落|この部分|セクション|テキスト|箇所|ファイル|内容"
              "|結果|の表|表は|版 ",
        LANGUAGE: "日本語|英語|併記",
        REST: "残り|続き|続いて|次のセクション|以下省略|以下略|途切れ|ここまで|上限|以下 原文|前回|終わり"
              "|続けて|完了|開始|始めます",
        ASKER: "あなた|お客様|ください|ましょうか|いただけますか",
    },
    "ko": {
        TRANSLATION: "번역|한국어로 옮|의역|우리말",
        MACHINE: "ai로서|인공지능|기계 번역|자동 번역|chatgpt|deepl|ai 번역|ai가|ai 모델|자동으로 번역"
                 "|모델로서|모델이므로",
        SELF: "드렸습니다|두었습니다|볼게요|저는|드릴|드려|바로잡았|적었습니다",
        REPLY: " 알겠습니다| 좋아요 |이상으로|제공하신|요청하신|지시하신|보내 주|감사합니다|말씀해|알려 주"
               "|죄송|미안|다음 답변|다음 메시지|분량 제한|길이 제한|글자 수|괜찮으실|도와드릴|입력해 주"
               "|확인 부탁|주시겠어요|주신|해 달라|드릴까요|궁금한|만 출력"
               "|수정된 버전|수정본|어떤 언어|이 있을까요|라고 하시면|역주|옮긴이|원문의 뜻|의미를 이해해야"
               "| 출력 언어 ",
        KEPT: "그대로|유지|변경 없|변경하지|수정하지|보존|생략|남겨|손대지|원문과 동일|두었|동일합|후략"
              "|살리|통일|번역이 필요|병기|영어를 함께|영어로 표기|번역하지 않",
        SOURCE: "원문|원본 문서|원본 텍스트",
        POINTER: "다음과 같|다음은|아래는| 물론|사용자가|참고하세요|도움이 되|바랍니다|할까요|당신은| 네 ",
        ACT: "했습니다|겠습니다|않았습니다|제가|됩니다 |필요하지 않|이해해야|이해를 돕",
        FORMAT: "마크다운|markdown|서식|형식|코드 블록|코드와|자리표시자|자리 표시자|제목|링크|용어|어투"
                "|존댓말|고유 명사|변수명|함수명|함수 이름|변수 이름|줄 수|오타|말장난|자연스러|어색|다듬"
                "|위 코드|코드는 번역|코드는 그대로|코드는 유지|코드는 수정하지",
        TEXT: "문서|본문|내용|텍스트|페이지|문단|이 부분|섹션|파일|문장|글 |글을|버전|결과|표는|구조|전문 ",
        LANGUAGE: "한국어|영어|병기",
        REST: "나머지|이어서|계속|남은 부분|이하 |다음 섹션|끊긴|여기까지| 끝 |마칩니다|시작|완료",
        ASKER: "당신|고객님|하시|세요",
    },
    "ru": {
        TRANSLATION: " перевод | перевода | переводу | переводе | переводом | перевед| перевожу| переводил"
                     "| перевел| перевести| переводит| переводчик",
        MACHINE: " chatgpt| deepl| переведена автоматически| переведено автоматически"
                 "| переведен автоматически| автоматический перевод| машинный перевод| машинного перевода"
                 "| как языков| как большая языков",
        SELF: " я | мне | мной | перевожу | приступаю | продолжаю | надеюсь | могу | постарал| перевел "
              "| начну | пришлю",
        REPLY: " разумеется | понял | спасибо за | с удовольствием | извините| дайте знать| пришлите"
               "| присылайте| присланн| вашего текста| вашим указан| вашего глоссария| предоставленн"
               "| пользователь просит| пользователь хочет| следующем сообщении| превышен| устраивает ли"
               "| надеюсь | чем еще | если есть вопросы| язык вывода| выведи| вы профессиональный"
               "| далее по тексту| смотрите ниже| пригодится"
               "| исправленная версия| на какой язык| только перевод| перев | смысл оригинала"
               "| еще могу помочь| чем могу",
        KEPT: " без изменений| не изменен| сохранен| сохранил| сохраню| как есть| оставлен| опущен"
              "| не тронут| не трогал| не переведен| не переводил| не переводит| не менял| остается без"
              "| прежними| теряется| английский вариант| английским оригиналом| соответствует оригиналу"
              "| соответствуют оригиналу",
        SOURCE: " оригинал| исходный текст| исходного текста| исходнике| исходном тексте| исходником",
        POINTER: " ниже | вот | результат | ограничени| поможет|похоже| хорошо | конечно |напишите"
                 "| к сожалению | готово | если нужно ",
        FORMAT: " markdown| разметк| форматировани| блоки кода| блоков кода| блок кода| код не | код выше"
                "| ссылки| подстановки| плейсхолдер| заголовк| термин| глоссари| стиль | опечатк"
                "| имена функций| имена собственные| имена переменных| число строк| звучат| естественн"
                "| игра слов| структуру",
        TEXT: " текст| документ| страниц| фрагмент| абзац| раздел| файл| статьи | статью | части | место "
              "| места | слово| таблица | вариант | содержани| версия | оставшуюся часть| глав",
        LANGUAGE: " русск| английск",
        REST: " остальн| остаток| оставшу| продолжени| продолжаю| далее | обрывается| закончен| конец "
              "| завершен| следующего раздела",
        ASKER: " вам | вас | вами | вашего | ваш | ваша | вы ",
    },
    "fr": {
        TRANSLATION: " tradu",
        MACHINE: " en tant qu ia | traduction automatique| traduit automatiquement| chatgpt| deepl"
                 "| en tant que modèle| comme modèle de langage",
        SELF: " je | j ai | me | moi | j espère | m envoyer | mes ",
        REPLY: " désolé| n hésitez pas| faites moi savoir| l utilisateur souhaite| vous avez fourni"
               "| puis je | limite de longueur| langue de sortie| vous êtes un | serais ravi"
               "| vous conviendra| version corrigée| version révisée| n d t ",
        KEPT: " inchangé| conservé| tel quel| tels quels| gardant | laissés| laissé | omis| respecté"
              "| identiques| correspond à l original| se perd | restent ",
        SOURCE: " l original| texte source| texte original| texte d origine| forme d origine",
        POINTER: " vous souhaitez| ci dessous| voici | votre page | pouvez vous| bien sûr | certainement "
                 "| d accord | malheureusement| autre chose| souhaitez vous",
        FORMAT: " markdown| mise en forme| balisage| bloc de code| blocs de code| le code | liens | titres "
                "| terme| terminologie| glossaire| ton | noms de fonctions| noms de variables| jeu de mots"
                "| titre ",
        TEXT: " texte | document | page | passage| paragraphe| section| article| fichier| version | mot ",
        LANGUAGE: " français| anglais",
        REST: " le reste | suite | je poursuis| tronqué| fin de | section suivante| m arrête ",
        ASKER: " vous | votre ",
    },
    "es": {
        TRANSLATION: " tradu",
        MACHINE: " como una ia | traducción automática| traducido automáticamente| chatgpt| deepl"
                 "| como modelo de lenguaje| como un modelo de lenguaje",
        SELF: " he conservado| he traducido| he seguido| he mantenido| voy a | puedo | me | mi | espero "
              "| empiezo | continúo| traduzco | he tratado",
        REPLY: " lo siento| avísame| hazme saber| el usuario quiere| me proporcionaste| límite de longitud"
               "| idioma de salida| eres un | con mucho gusto| te sea útil"
               "| versión corregida| versión revisada| n del t | dime si| si necesitas",
        KEPT: " sin cambios| conserva| mantenido| permanece| sin tocar| dejado | se deja| omite| respetado"
              "| idénticos| coincide con el original| siguen igual| se pierde",
        SOURCE: " el original| original se | texto original| formato original| texto fuente",
        POINTER: " aquí | podrías| a continuación| por supuesto| proporcionado| de acuerdo | prefieres"
                 "| claro | quieres que| lamentablemente| algo más",
        FORMAT: " markdown| formato| marcado| bloque de código| bloques de código| el código | enlaces "
                "| títulos | término| terminología| glosario| tono | nombres de las funciones"
                "| nombres de variables| juego de palabras| título ",
        TEXT: " texto | documento | página | fragmento| párrafo| sección| artículo| archivo| versión "
              "| palabra ",
        LANGUAGE: " español| inglés| castellano",
        REST: " el resto| lo que sigue| continuación de| continúo | cortado| fin de | siguiente sección"
              "| me detengo ",
        ASKER: " usted | te | tu | quieres | tienes ",
    },
    "de": {
        TRANSLATION: "übersetz",
        MACHINE: " als ki | maschinell übersetzt| automatisch übersetzt| ki modell| chatgpt| deepl"
                 "| als sprachmodell| als großes sprachmodell",
        SELF: " ich | mir | mich ",
        REPLY: " in ordnung | unten finden| sagen sie| lassen sie mich| bescheid| der nutzer möchte"
               "| sonst noch| längenbegrenzung| ausgabesprache| sie sind ein| kann ich ihnen"
               "| überarbeitete version| korrigierte version| d übers ",
        KEPT: " unverändert| beibehalten| belassen| ausgelassen| übernommen| gleich geblieben| bleibt "
              "| bleiben| entspricht dem original| nicht übersetzt| gehalten | geht verloren| verloren "
              "| blieb erhalten",
        SOURCE: " original| ausgangstext| ursprüngliche formatierung| ursprünglichen text",
        POINTER: " soll ich| bereitgestellt| natürlich | hier ist | hier sind | könnten sie| gerne "
                 "| leider | hoffe | selbstverständlich ",
        FORMAT: " markdown| formatierung| markup | codeblock| codeblöcke| den code | der code | links "
                "| titel | begriff| fachbegriff| glossar| ton | funktionsnamen| variablennamen| wortspiel"
                "| gesiezt",
        TEXT: " text | dokument| seite | abschnitt| absatz | artikel| datei| fassung | version | wort ",
        LANGUAGE: " deutsch| englisch",
        REST: " rest | der übrige| fortsetzung| fahre mit| abgeschnitten| ende der| nächsten abschnitt"
              "| höre ich",
        ASKER: " sie | ihnen | ihre | ihrer ",
    },
    "pt": {
        TRANSLATION: " tradu",
        MACHINE: " como uma ia | tradução automática| traduzido automaticamente| chatgpt| deepl"
                 "| como modelo de linguagem| como um modelo de linguagem",
        SELF: " eu | vou | meu | mantive | segui | traduzi | espero | posso | consigo | paro | começo "
              "| continuo | me ",
        REPLY: " segue a | desculpe| avise| o usuário quer| você enviou| você forneceu| você pode me"
               "| limite de tamanho| idioma de saída| você é um | será um prazer| seja útil"
               "| versão corrigida| versão revisada| n do t ",
        KEPT: " permanece| mantid| mantive | sem alterações| sem mexer| deixados| omitid| respeitad"
              "| preservad| idênticos| corresponde ao original| não foi traduzido| se perde",
        SOURCE: " o original| texto original| formatação original| ao original",
        POINTER: " abaixo | aqui está| claro | você encontra| certo | com certeza| infelizmente| quer que"
                 "| algo mais",
        FORMAT: " markdown| formatação| marcação| bloco de código| blocos de código| o código | links "
                "| títulos | termo | terminologia| glossário| tom | nomes das funções| nomes de variáveis"
                "| trocadilho| título ",
        TEXT: " texto | documento | página | trecho| parágrafo| seção| artigo| arquivo| versão | palavra ",
        LANGUAGE: " português| inglês",
        REST: " restante| o resto| continuação| continuo | cortado| fim da | próxima seção| paro por aqui",
        ASKER: " você | sua | seu ",
    },
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
# What a source says, in English, where its translation speaks of a subject in other words.
LICENCES = {
    TRANSLATION: (" locali", " interpret", " convert", " language", " i18n ", " compil", " token", " a fallback",
                  " transpil", " transform"),
    MACHINE: (" ai ", " llm"),
    SELF: (" we ", " let s ", " us "),
    REPLY: (" following", " above", " see ", " please ", " yes ", " thank", " help", " unfortunately", " welcome"),
    KEPT: (" keep", " same ", " leave", " remain", " omit", " unaffected", " stay", " not change", " doesn t change",
           " identical", " consistent", " without", " save", " hold", " reserve", " skip", " not modif", " static ",
           " persist"),
    SOURCE: (" original", " source", " upstream"),
}
