"""Which letters a language is written with, and which words give English away."""

import re
from functools import cache

HAN = "\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f"
KANA = "\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fd-\u30ff\u31f0-\u31ff"

# The letters of the languages that are not written in Latin; by the first part of the language's code.
SCRIPTS: dict[str, str] = {
    "zh": HAN, "yue": HAN, "ja": HAN + KANA, "ko": "\uac00-\ud7a3\u1100-\u11ff\u3131-\u318e",
    **dict.fromkeys(("ru", "uk", "be", "bg", "sr", "mk", "kk", "ky", "mn"), "\u0400-\u052f"),
    **dict.fromkeys(("hi", "mr", "ne"), "\u0900-\u097f"),
    "bn": "\u0980-\u09ff", "pa": "\u0a00-\u0a7f", "gu": "\u0a80-\u0aff", "ta": "\u0b80-\u0bff",
    "te": "\u0c00-\u0c7f", "kn": "\u0c80-\u0cff", "ml": "\u0d00-\u0d7f", "si": "\u0d80-\u0dff",
    "th": "\u0e00-\u0e7f", "lo": "\u0e80-\u0eff", "my": "\u1000-\u109f", "ka": "\u10a0-\u10ff", "km": "\u1780-\u17ff",
    **dict.fromkeys(("ar", "fa", "ur"), "\u0600-\u06ff\u0750-\u077f"),
    "he": "\u0590-\u05ff", "el": "\u0370-\u03ff\u1f00-\u1fff", "hy": "\u0530-\u058f", "am": "\u1200-\u137f",
}

# Words that no other language of a documentation has in common with English.
FUNCTION_WORDS = frozenset({
    "the", "of", "and", "to", "is", "are", "was", "were", "be", "been", "this", "that", "these", "those", "with",
    "for", "from", "you", "your", "we", "our", "they", "their", "it", "its", "which", "when", "where", "how",
    "what", "why", "who", "will", "would", "can", "could", "should", "must", "have", "has", "had", "does", "not",
    "if", "then", "than", "because", "while", "but", "there", "here", "into", "about", "after", "before", "between",
    "each", "every", "other", "such", "only", "also", "just", "by", "as", "at", "an", "or", "on", "in", "do",
    "let's", "don't", "it's", "you're", "we're", "i'm", "isn't", "can't",
})

# What headings of documentation say, in lower case: a heading of such a word is no name.
_OF_HEADINGS = """
about abstract access accuracy acknowledgements acknowledgments adding additional advanced advantages after
agreement alternatives analysis answers api-reference appendix applications approach architecture arguments
attributes authentication authors available background basic basics before benchmark benchmarks benefits best better
beyond bugs build building calling caveats challenges changelog changes checking checklist choosing citation cleanup
code collecting combining command common community comparison compatibility computing concepts conclusion
conclusions configuration configure configuring considerations contents context contributing contributors
conventions conversion creating credits custom customization customizing data dataset datasets debugging default
defaults definition definitions dependencies deploying deployment deprecated deprecations description design details
development differences directives disadvantages discussion documentation download downloading drawbacks editing
enabling environment error errors evaluating evaluation event events example examples exceptions exercise exercises
experiments explanation exporting extending faq features feedback file files fine-tuning first flags formats full
functions further future general getting glossary goals going guide guides handling hardware help highlights hints
history how importing improvements inference inputs inspecting install installation installing instructions
integration integrations intro introduction issues key language languages learn learning license licensing
limitations links loading local logging main maintenance managing measuring memory metadata methods metrics
migrating migration models modes monitoring more motivation multiple naming new next notes notice objectives
objects observability operations optimization optimizations options other outline output outputs overview page
parameters pattern patterns performance pitfalls place policy post-processing preparation preparing preprocessing
prerequisites privacy problem problems processing production project properties publishing purpose putting questions
quick quickstart quiz rationale reading recap recipes recommendations recommended reference references related
release releases removing report reporting requirements resources results returns review roadmap rule rules running
sample samples saving scaling scope security see selecting server setting settings setup sharing simple solution
solutions source speed standard start started starting status step steps strategies structure styles subtitles
summary support supported syntax table tables task tasks techniques terminology terms testing tests theory things
throughput tips todo tools topics training troubleshooting try tutorial tutorials types understanding updates
updating upgrade upgrading usage use user users using utilities validation values variables verification version
versions video videos view warning warnings welcome what when where why workflow working writing
"""
HEADING_WORDS = frozenset(_OF_HEADINGS.split())


@cache
def own_letters(language: str) -> re.Pattern[str] | None:
    """One letter of the language's own script; None for a language written in Latin."""
    letters = SCRIPTS.get(re.split("[-_]", language.lower())[0])
    return re.compile(f"[{letters}]") if letters else None


@cache
def is_chinese(language: str) -> bool:
    """Whether the code is one of Chinese, in either script."""
    return re.split("[-_]", language.lower())[0] in {"zh", "yue"}


@cache
def is_traditional(language: str) -> bool:
    """Whether the code is one of Chinese in Traditional characters: zh-Hant, zh-TW, zh-HK, zh-MO."""
    parts = re.split("[-_]", language.lower())
    return parts[0] == "yue" or (parts[0] == "zh" and not {"hant", "tw", "hk", "mo"}.isdisjoint(parts[1:]))
