"""Load a translation model from disk with transformers; nothing is downloaded, no code of a model is run."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from hexapla.drafts.placeholders import ProtectedText, protect_all
from hexapla.drafts.requests import ModelAnswer, Revision, SectionRequest
from hexapla.drafts.token_counts import Spending, Tokens, text_tokens, translation_tokens
from hexapla.errors import ConfigError

Translate = Callable[[Sequence[str]], Sequence[str]]  # messages -> their translations, as many
BATCH = 8  # messages at a time
NEW_TOKENS = 512
# How models name languages: NLLB by FLORES-200's codes; M2M100 and MBart by their own, made below.
FLORES = {
    "de": "deu_Latn", "en": "eng_Latn", "es": "spa_Latn", "fr": "fra_Latn", "it": "ita_Latn", "ja": "jpn_Jpan",
    "ko": "kor_Hang", "pt": "por_Latn", "ru": "rus_Cyrl", "vi": "vie_Latn", "zh": "zho_Hans", "zh-Hant": "zho_Hant",
}
PROMPT = (
    "Translate the text below from {source} to {target}. Keep each [[number]] exactly as it is, where it belongs. "
    "Answer with the translation and nothing else.\n\n{text}"
)


def require_model(path: Path) -> None:
    """Raise ConfigError for a folder that holds no model."""
    if not (path / "config.json").is_file():
        raise ConfigError(f"--model {path}: holds no config.json; name the folder of a model that is on this disk")


def load_model(path: Path, source: str, target: str) -> Translate:
    """Load a folder's model as a function from messages to translations, by its chat template if it chats.

    Raises ConfigError if it cannot be used.
    """
    from transformers import AutoConfig, AutoModelForCausalLM, AutoModelForSeq2SeqLM, AutoTokenizer

    local = {"local_files_only": True, "trust_remote_code": False}
    try:
        config = AutoConfig.from_pretrained(path, **local)
        tokenizer = AutoTokenizer.from_pretrained(path, **local)
        kind = AutoModelForSeq2SeqLM if config.is_encoder_decoder else AutoModelForCausalLM
        model = kind.from_pretrained(path, use_safetensors=True, **local).eval()
    except (OSError, ValueError, KeyError, ImportError) as error:
        why = " ".join(str(error).split())
        raise ConfigError(f"--model {path}: cannot be loaded ({why}); name one that transformers reads") from error
    if not config.is_encoder_decoder and not tokenizer.chat_template:
        raise ConfigError(f"--model {path}: neither translates nor chats; name a seq2seq model or one with a template")
    return TranslationModel(model, tokenizer, config.is_encoder_decoder, source, target)


class LocalDrafter:
    """A model on this disk, which sees one message at a time: terms and numbers are put away before."""

    jobs, revises = 1, False

    def __init__(
        self, translate: Translate, terms: Mapping[str, str], source: str, target: str, budget: int | None = None,
        model: str = "",
    ) -> None:
        self.translate, self.terms, self.source, self.target, self.model = translate, terms, source, target, model
        self.spending = Spending(budget)

    def estimate_tokens(self, request: SectionRequest, revision: Revision | None) -> Tokens:
        """About what a section takes, the instructions of the prompt left out."""
        texts = self.shown_texts(request)
        return Tokens(sum(map(text_tokens, texts)), translation_tokens(texts, self.source, self.target))

    def shown_texts(self, request: SectionRequest) -> list[str]:
        """What the model is shown of a section."""
        return [self.protect_message(each.unit.text).text for each in request.messages]

    def answer_inputs(self, request: SectionRequest) -> tuple[object, ...]:
        """Nothing: its answers are not kept."""
        return ()

    def protect_message(self, text: str) -> ProtectedText:
        """A message with placeholders for code, links, tags, numbers and terms."""
        return protect_all(text, self.terms)

    def translate_section(self, request: SectionRequest, revision: Revision | None) -> ModelAnswer:
        made = ModelAnswer(tuple(self.translate(self.shown_texts(request))))
        self.spending.spend_tokens(None, self.estimate_tokens(request, revision))
        return made


class TranslationModel:
    """A loaded model; greedy, so that the same text is drafted the same way twice."""

    def __init__(self, model: Any, tokenizer: Any, translates: bool, source: str, target: str) -> None:
        self.model, self.tokenizer, self.translates = model, tokenizer, translates
        self.source, self.target = source, target

    def __call__(self, messages: Sequence[str]) -> list[str]:
        found: list[str] = []
        for first in range(0, len(messages), BATCH):
            found += self.translate_batch(messages[first : first + BATCH])
        return found

    def translate_batch(self, messages: Sequence[str]) -> list[str]:
        tokenizer, model = self.tokenizer, self.model
        options: dict[str, int] = {}
        if self.translates:
            options = target_language_option(tokenizer, self.source, self.target)
            given = tokenizer(list(messages), return_tensors="pt", padding=True, truncation=True)
        else:
            prompts = [PROMPT.format(source=self.source, target=self.target, text=text) for text in messages]
            chats = [[{"role": "user", "content": text}] for text in prompts]
            tokenizer.padding_side = "left"
            given = tokenizer.apply_chat_template(
                chats, add_generation_prompt=True, return_tensors="pt", return_dict=True, padding=True
            )
        made = model.generate(**given, do_sample=False, num_beams=1, max_new_tokens=NEW_TOKENS, **options)
        if not self.translates:
            made = made[:, given["input_ids"].shape[1] :]
        return list(tokenizer.batch_decode(made, skip_special_tokens=True))

def target_language_option(tokenizer: Any, source: str, target: str) -> dict[str, int]:
    """The option of `generate` that selects the target of a multilingual model; empty for a model of one pair."""
    unknown = tokenizer.unk_token_id
    for name in (str, FLORES.get, "__{}__".format, "{0}_XX".format):
        code = name(target)
        if code and code != target and (number := tokenizer.convert_tokens_to_ids(code)) not in {None, unknown}:
            tokenizer.src_lang = name(source)
            return {"forced_bos_token_id": int(number)}
    return {}
