"""Assisted decoding: a small model drafts tokens, the large one checks all of them in one pass."""

from _infer_one import count_passes, prompt, tiny_model
from tokenizers import Tokenizer, decoders, models, pre_tokenizers

# isort: split
# --8<-- [start:assisted]
import torch
from transformers import PreTrainedModel, PreTrainedTokenizerFast

Inputs = dict[str, torch.Tensor]  # as a tokenizer returns them


def assisted(
    model: PreTrainedModel,
    inputs: Inputs,
    assistant: PreTrainedModel | None,
    tokens: int = 48,
) -> list[int]:
    output = model.generate(
        **inputs,
        max_new_tokens=tokens,
        do_sample=False,
        assistant_model=assistant,
    )
    return output[0].tolist()


# --8<-- [end:assisted]
# --8<-- [start:other_tokenizer]
def assisted_by_another_family(
    model: PreTrainedModel,
    inputs: Inputs,
    assistant: PreTrainedModel,
    tokenizer: PreTrainedTokenizerFast,
    assistant_tokenizer: PreTrainedTokenizerFast,
    tokens: int = 48,
) -> list[int]:
    output = model.generate(
        **inputs,
        max_new_tokens=tokens,
        do_sample=False,
        assistant_model=assistant,
        # Drafts are decoded to text and encoded again.
        tokenizer=tokenizer,
        assistant_tokenizer=assistant_tokenizer,
    )
    return output[0].tolist()


# --8<-- [end:other_tokenizer]
# --8<-- [start:prompt_lookup]
def prompt_lookup(
    model: PreTrainedModel, inputs: Inputs, tokens: int = 48
) -> list[int]:
    output = model.generate(
        **inputs,
        max_new_tokens=tokens,
        do_sample=False,
        prompt_lookup_num_tokens=5,
    )
    return output[0].tolist()


# --8<-- [end:prompt_lookup]
LETTERS = "".join(map(chr, range(0x4E00, 0x4E00 + 255)))


def letters(alphabet: str) -> PreTrainedTokenizerFast:
    """A tokenizer that has a token for each letter of `alphabet`."""
    tokenizer = Tokenizer(models.WordLevel({letter: i for i, letter in enumerate(["<pad>", *alphabet])}, "<pad>"))
    tokenizer.pre_tokenizer = pre_tokenizers.Split("", "isolated")
    tokenizer.decoder = decoders.Fuse()
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, pad_token="<pad>")


def another_family(layers: int = 2) -> tuple[PreTrainedModel, PreTrainedTokenizerFast]:
    """A small model with other tokens than the large one: the same letters in another order, and three more."""
    assistant = tiny_model(seed=1, vocab_size=259, num_hidden_layers=layers, bos_token_id=0)
    return assistant, letters(LETTERS[::-1] + "xyz")


def distilled(model: PreTrainedModel) -> PreTrainedModel:
    """An assistant that often agrees: the model without its last two layers."""
    assistant = tiny_model(num_hidden_layers=2)
    assistant.load_state_dict(model.state_dict(), strict=False)
    return assistant


def main() -> None:
    model, inputs = tiny_model(), prompt()
    assistant = distilled(model)
    passes = count_passes(model)
    plain = assisted(model, inputs, None)
    print(f"{'Plain':17}{len(passes):3} passes of the model")
    other, tokenizer = another_family()
    for name, run in (
        ("Assisted", lambda: assisted(model, inputs, assistant)),
        ("Other tokenizer", lambda: assisted_by_another_family(model, inputs, other, letters(LETTERS), tokenizer)),
        ("Prompt lookup", lambda: prompt_lookup(model, inputs)),
    ):
        passes.clear()
        same = run() == plain
        print(f"{name:17}{len(passes):3} passes of the model, the same tokens: {same}")


if __name__ == "__main__":
    main()
