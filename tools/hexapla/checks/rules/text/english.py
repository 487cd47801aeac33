"""Words that give English away in a page of another language."""

from hexapla.languages import base

# Words that no other language of a documentation has in common with English.
FUNCTION_WORDS = frozenset({
    "the", "of", "and", "to", "is", "are", "was", "were", "be", "been", "this", "that", "these", "those", "with",
    "for", "from", "you", "your", "we", "our", "they", "their", "it", "its", "which", "when", "where", "how",
    "what", "why", "who", "will", "would", "can", "could", "should", "must", "have", "has", "had", "does", "not",
    "if", "then", "than", "because", "while", "but", "there", "here", "into", "about", "after", "before", "between",
    "each", "every", "other", "such", "only", "also", "just", "by", "as", "at", "an", "or", "on", "in", "do",
    "let's", "don't", "it's", "you're", "we're", "i'm", "isn't", "can't",
})

# Of these, the ones that no other language written in Latin letters has.
ENGLISH_WORDS = frozenset({
    "the", "of", "and", "to", "are", "were", "this", "that", "these", "those", "with", "for", "from", "you", "your",
    "our", "they", "their", "which", "when", "where", "what", "because", "would", "could", "should",
})

# What headings of documentation say, in lower case: a heading of such a word is no name.
_OF_HEADINGS = """
about abstract access accuracy acknowledgements acknowledgments add adding additional advanced advantages after
agreement alternatives analysis answers api-reference appendix applications approach architecture arguments attributes
authenticate authentication authors available background bad basic basics become before benchmark benchmarks benefits
best better beyond bugs build building bundle bypass call calling caveats challenges change changelog changes check
checking checklist choose choosing citation cleanup code collecting combine combining command common community compare
comparison compatibility computing concepts conclusion conclusions conditional configuration configure configuring
considerations contents context contributing contributors conventions conversion create creating credits current
custom customization customizing data dataset datasets debugging declare default defaults define definition
definitions delete dependencies deploy deploying deployment deprecated deprecations description design details
development diagnosis differences directives disable disadvantages discussion documentation download downloading
drawbacks ecosystem editing enable enabling environment error errors evaluating evaluation event events example
examples exceptions excluded exercise exercises experiments explanation explore exporting extend extending faq
features feedback file files find fine-tuning first fix flags formats full function functions further future general
get getting glossary goals going good guide guides handling hardware help highlights hints history how implementation
import importing improvements inference inputs inspect inspecting install installation installing instance
instructions integration integrations intro introduction issues join key language languages learn learning license
licensing limitations links load loading local logging main maintenance make managing measuring memory merging
metadata methods metrics migrate migrating migration models modes modifier modify monitoring more motivation move
multiple naming new next notes notice objectives objects observability official open operations optimization
optimizations optimize options other outline output outputs override overview page parameters pass pattern patterns
performance pitfalls place plug-in plugin policy post-processing preamble preparation prepare preparing preprocessing
prerequisites privacy problem problems processing production project properties provider publish publishing purpose
putting questions quick quickstart quiz rationale read reading recap recipes recommendations recommended reference
references register related relationship release releases remove removing rename rendering replace report reporting
request requirements resources response restriction results return returns review roadmap rule rules run running
sample samples save saving scaling scope security see selecting send serve server setting settings setup share sharing
show simple solution solutions source special speed spelling sponsor standard start started starting status step steps
stop store strategies structure styles submit subtitles summary support supported synchronize syntax table tables
takeaway task tasks techniques terminology terms test testing tests text theory things throughput tips todo tools
top-level topics trade-offs train training translate triage trigger troubleshoot troubleshooting try tutorial
tutorials types understand understanding uninstall update updates updating upgrade upgrading upload usage use user
users using utilities validate validation values variables verification verify version versions video videos view wait
warning warnings welcome what when where why without workflow working write writing
"""
HEADING_WORDS = frozenset(_OF_HEADINGS.split())
# Of these, those that no language written in Latin has taken over, and where it does not write -tion.
_ENGLISH_ALONE = frozenset({
    "about", "acknowledgments", "answers", "background", "example", "examples", "goals", "help", "history", "learn",
    "overview", "prerequisites", "recap", "requirements", "resources", "settings", "steps", "summary", "welcome",
})
_OTHER_THAN_TION = frozenset({"ca", "es", "it", "nl", "pl", "pt", "ro", "tr"})


def is_english(word: str, language: str) -> bool:
    """Whether a heading's word, in lower case, is certainly no word of a language written in Latin."""
    if word in _ENGLISH_ALONE or word.endswith("ization"):
        return True
    return word.endswith(("tion", "tions")) and base(language) in _OTHER_THAN_TION
