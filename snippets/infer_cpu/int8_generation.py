"""A checkpoint is loaded, quantized to 8-bit weights and compiled, and answers with a static cache."""

import sys
from contextlib import chdir, redirect_stdout
from functools import partial
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

sys.path.append(str(Path(__file__).parent.parent / "recipes"))
from _tiny_chat import make_checkpoint

# isort: split
# --8<-- [start:program]
import torch
import torch._inductor.config as inductor
from torchao.quantization import Int8WeightOnlyConfig, quantize_
from transformers import AutoModelForCausalLM, AutoTokenizer

inductor.freezing = True  # Weights are constants: packed once.


def load(checkpoint):
    model = AutoModelForCausalLM.from_pretrained(
        checkpoint, dtype=torch.bfloat16
    )
    quantize_(model, Int8WeightOnlyConfig())
    return model, AutoTokenizer.from_pretrained(checkpoint)


def answer(model, tokenizer, question, tokens=256):
    inputs = tokenizer.apply_chat_template(
        [{"role": "user", "content": question}],
        add_generation_prompt=True,
        return_dict=True,
        return_tensors="pt",
    )
    output = model.generate(
        **inputs,
        max_new_tokens=tokens,
        cache_implementation="static",
        max_cache_len=1024,  # tokens of prompt and answer, at most
    )
    new = output[0, inputs["input_ids"].shape[1] :]
    return tokenizer.decode(new, skip_special_tokens=True)


# --8<-- [end:program]
def main() -> None:
    said = StringIO()
    # The same graphs as for inductor, which takes minutes for them: torchao_quantization.py measures its speed.
    graphs_alone = patch.object(torch, "compile", partial(torch.compile, backend="aot_eager"))
    with TemporaryDirectory() as folder, chdir(folder), redirect_stdout(said), graphs_alone:
        make_checkpoint(Path("Qwen/Qwen2.5-0.5B-Instruct"))  # A folder of this name comes before the hub.
        # --8<-- [start:ask]
        model, tokenizer = load("Qwen/Qwen2.5-0.5B-Instruct")
        model.forward = torch.compile(model.forward)
        print(answer(model, tokenizer, "Why is the sky blue?"))
        # --8<-- [end:ask]
    graphs = torch._dynamo.utils.counters["stats"]["unique_graphs"]
    print(f"{graphs} graphs, one for the prompt and one for a token; an answer: {bool(said.getvalue().strip())}")


if __name__ == "__main__":
    main()
