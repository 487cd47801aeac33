"""Assisted decoding: a small model drafts tokens, the large one checks all of them in one pass."""

from _infer_one import count_passes, prompt, tiny_model
from transformers import LlamaForCausalLM, PreTrainedModel


def distilled(model: LlamaForCausalLM) -> LlamaForCausalLM:
    """An assistant that often agrees: the model without its last two layers."""
    assistant = tiny_model(num_hidden_layers=2)
    assistant.load_state_dict(model.state_dict(), strict=False)
    return assistant


def assisted(model: PreTrainedModel, assistant: PreTrainedModel | None, tokens: int = 48) -> list[int]:
    inputs = prompt()
    # --8<-- [start:assisted]
    output = model.generate(
        **inputs,
        max_new_tokens=tokens,
        do_sample=False,
        assistant_model=assistant,
    )
    # --8<-- [end:assisted]
    return output[0].tolist()


def prompt_lookup(model: PreTrainedModel, tokens: int = 48) -> list[int]:
    """The drafts are what followed the same tokens earlier in the text."""
    inputs = prompt()
    # --8<-- [start:prompt_lookup]
    output = model.generate(
        **inputs,
        max_new_tokens=tokens,
        do_sample=False,
        prompt_lookup_num_tokens=5,
    )
    # --8<-- [end:prompt_lookup]
    return output[0].tolist()


def main() -> None:
    model = tiny_model()
    assistant = distilled(model)
    passes = count_passes(model)
    plain = assisted(model, None)
    print(f"{'Plain':16}{len(passes):3} passes of the model")
    for name, run in (
        ("Assisted", lambda: assisted(model, assistant)),
        ("Prompt lookup", lambda: prompt_lookup(model)),
    ):
        passes.clear()
        same = run() == plain
        print(f"{name:16}{len(passes):3} passes of the model, the same tokens: {same}")


if __name__ == "__main__":
    main()
