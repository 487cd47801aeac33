"""A checkpoint in bf16 on the GPU, a question as the inputs of `generate`, and the text of its answer."""

import sys
from contextlib import chdir, redirect_stdout
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.append(str(Path(__file__).parent.parent / "recipes"))
from _tiny_chat import make_checkpoint

# isort: split
# --8<-- [start:load]
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer


def prepare(checkpoint, question):
    model = AutoModelForCausalLM.from_pretrained(
        checkpoint, dtype=torch.bfloat16, device_map="auto"
    )
    tokenizer = AutoTokenizer.from_pretrained(checkpoint)
    inputs = tokenizer.apply_chat_template(
        [{"role": "user", "content": question}],
        add_generation_prompt=True,
        return_dict=True,
        return_tensors="pt",
    )
    return model, tokenizer, inputs.to(model.device)


# --8<-- [end:load]
# --8<-- [start:answer]
def answer(model, tokenizer, inputs, tokens=256):
    output = model.generate(
        **inputs, max_new_tokens=tokens, cache_implementation="static"
    )
    new = output[0, inputs["input_ids"].shape[1] :]
    return tokenizer.decode(new, skip_special_tokens=True)


# --8<-- [end:answer]


def main() -> None:
    said = StringIO()
    with TemporaryDirectory() as folder, chdir(folder), redirect_stdout(said):
        make_checkpoint(Path("Qwen/Qwen2.5-7B-Instruct"))  # A folder of this name comes before the hub.
        # --8<-- [start:ask]
        model, tokenizer, inputs = prepare(
            "Qwen/Qwen2.5-7B-Instruct", "Why is the sky blue?"
        )
        print(answer(model, tokenizer, inputs))
        # --8<-- [end:ask]
    print(f"Weights in {model.dtype}, a prompt of {inputs['input_ids'].shape[1]} tokens")
    print(f"An answer: {bool(said.getvalue().strip())}")


if __name__ == "__main__":
    main()
