"""A checkpoint in bf16 on the GPU, and a question as the inputs of `generate`."""

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.append(str(Path(__file__).parent.parent / "recipes"))
from _infer_one import device
from _tiny_chat import make_checkpoint

# isort: split
# --8<-- [start:load]
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer


def load(checkpoint, question, device_map="cuda"):
    model = AutoModelForCausalLM.from_pretrained(
        checkpoint, dtype=torch.bfloat16, device_map=device_map
    )
    inputs = AutoTokenizer.from_pretrained(checkpoint).apply_chat_template(
        [{"role": "user", "content": question}],
        add_generation_prompt=True,
        return_dict=True,
        return_tensors="pt",
    )
    return model, inputs.to(model.device)


# --8<-- [end:load]


def main() -> None:
    with TemporaryDirectory() as folder:
        model, inputs = load(make_checkpoint(Path(folder)), "Capital of Japan?", device().type)
    print(f"Weights in {model.dtype}, a prompt of {inputs['input_ids'].shape[1]} tokens")


if __name__ == "__main__":
    main()
