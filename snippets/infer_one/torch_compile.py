"""torch.compile while generating: one graph for every step, and for every answer that fits into the cache."""

from _infer_one import device, prompt, tiny_model

# isort: split
# --8<-- [start:settings]
import torch
from transformers import CompileConfig, PreTrainedModel

SETTINGS = CompileConfig(
    fullgraph=True,  # A break in the graph is an error.
    mode="reduce-overhead",  # This is the default.
)


# --8<-- [end:settings]
# --8<-- [start:generate]
def generate(
    model: PreTrainedModel,
    inputs: dict[str, torch.Tensor],
    tokens: int,
    longest: int | None = None,
    config: CompileConfig | None = SETTINGS,
) -> list[int]:
    output = model.generate(
        **inputs,
        max_new_tokens=tokens,
        do_sample=False,
        cache_implementation="static",
        # The most tokens that a prompt and its answer will have together.
        max_cache_len=longest,
        compile_config=config,
    )
    return output[0].tolist()


# --8<-- [end:generate]
# Tokens of the question and of the answer.
ANSWERS = ((8, 8), (16, 16), (24, 32))


def settings() -> CompileConfig:
    """SETTINGS, or on a CPU what captures the same graphs there."""
    config = SETTINGS
    if device().type == "cpu":  # Inductor would take minutes, and generate compiles on accelerators only.
        config = CompileConfig(fullgraph=True, mode="default", backend="aot_eager")
        config._compile_all_devices = True
    return config


def answer(
    model: PreTrainedModel, length: int, tokens: int, longest: int | None = None, config: CompileConfig | None = None
) -> list[int]:
    """The tokens of a question of `length` tokens and its answer, from a cache for `longest` tokens."""
    return generate(model, prompt(length), tokens, longest, config)


def graphs() -> int:
    """How many graphs torch.compile has captured so far."""
    return torch._dynamo.utils.counters["stats"]["unique_graphs"]


def captured(longest: int | None) -> tuple[list[int], bool]:
    """The number of graphs after each answer, and whether all tokens are those of the model that is not compiled."""
    torch._dynamo.reset()
    model, plain, config = tiny_model(num_hidden_layers=2), tiny_model(num_hidden_layers=2), settings()
    before, counts, same = graphs(), [], True
    for length, tokens in ANSWERS:
        same &= answer(model, length, tokens, longest, config) == plain_answer(plain, length, tokens)
        counts.append(graphs() - before)
    return counts, same


def plain_answer(model: PreTrainedModel, length: int, tokens: int) -> list[int]:
    """The same without any compiling, from the cache that grows."""
    return model.generate(**prompt(length), max_new_tokens=tokens, do_sample=False)[0].tolist()


def main() -> None:
    for name, longest in (("as long as each answer", None), ("for 64 tokens", 64)):
        counts, same = captured(longest)
        print(f"A cache {name}: {counts} graphs after {len(counts)} answers, the same tokens: {same}")


if __name__ == "__main__":
    main()
