"""Decoding step by step: how long the keys of both kinds of cache are, and which draft tokens a model accepts."""

from itertools import takewhile

from _infer_one import prompt, tiny_model
from assisted_decoding import assisted
from static_cache import lengths_read
from torch import nn

TOKENS, DRAFTS = 24, 4


def key_lengths(cache: str | None) -> list[int]:
    """How long the keys are that the first layer reads at each step, the prompt's step the first."""
    model = tiny_model()
    return lengths_read(model, cache)[:: model.config.num_hidden_layers]


def rounded() -> nn.Module:
    """A draft model that often agrees: the model with each row of its matrices rounded to 15 values, as in 4 bits."""
    model = tiny_model()
    for matrix in (each.data for each in model.parameters() if each.dim() > 1):
        scale = matrix.abs().amax(-1, keepdim=True) / 7
        matrix.copy_((matrix / scale).round() * scale)
    return model


def drafts() -> list[tuple[int, int]]:
    """For each pass of the model the number of drafts that it checks, and how many of them it accepts."""
    model, inputs = tiny_model(), prompt()
    start = inputs["input_ids"].shape[1]
    passes: list[list[int]] = []
    model.get_input_embeddings().register_forward_hook(lambda _, given, output: passes.append(given[0][0].tolist()))
    assistant = rounded()
    # Always four drafts, however unsure the assistant is: random weights make it so.
    limits = {"num_assistant_tokens": DRAFTS, "num_assistant_tokens_schedule": "constant"}
    assistant.generation_config.update(assistant_confidence_threshold=0.0, **limits)
    text = assisted(model, inputs, assistant, TOKENS)
    found, done = [], start
    for number, tokens in enumerate(passes):
        drafted = tokens[start if number == 0 else 1 :]
        pairs = zip(drafted, text[done:], strict=False)
        accepted = len(list(takewhile(lambda pair: pair[0] == pair[1], pairs)))
        found.append((len(drafted), accepted))
        done += accepted + 1  # and the token that the model gives after them
    return found


def main() -> None:
    passes = drafts()
    for name, cache in (("growing", None), ("static", "static")):
        print(f"Keys, {name:8}", *key_lengths(cache))
    print("Passes, drafts:", *(drafted for drafted, _ in passes))
    print("      accepted:", *(accepted for _, accepted in passes))


if __name__ == "__main__":
    main()
