"""A checkpoint is loaded, quantized to 8-bit weights and compiled, and generates with a static cache."""

import tempfile

from _infer_cpu import tiny_model, tokens

# isort: split
# --8<-- [start:program]
import torch
import torch._inductor.config as inductor
from torchao.quantization import Int8WeightOnlyConfig, quantize_
from transformers import AutoModelForCausalLM, PreTrainedModel

inductor.freezing = True  # Weights are constants: packed once.


def load(path: str) -> PreTrainedModel:
    model = AutoModelForCausalLM.from_pretrained(
        path, dtype=torch.bfloat16
    )
    quantize_(model, Int8WeightOnlyConfig())
    return model


def compile_steps(
    model: PreTrainedModel, backend: str = "inductor"
) -> None:
    model.forward = torch.compile(model.forward, backend=backend)


def generate(model: PreTrainedModel, ids: torch.Tensor) -> torch.Tensor:
    return model.generate(
        ids,
        max_new_tokens=16,
        do_sample=False,
        cache_implementation="static",
    )


# --8<-- [end:program]
def main() -> None:
    with tempfile.TemporaryDirectory() as path:
        tiny_model(num_hidden_layers=1).save_pretrained(path)
        model = load(path)
    plain = generate(model, tokens(1))
    # The same graphs as for inductor, which takes a minute for them: torchao_quantization.py measures its speed.
    compile_steps(model, backend="aot_eager")
    same = torch.equal(generate(model, tokens(1)), plain)
    graphs = torch._dynamo.utils.counters["stats"]["unique_graphs"]
    print(f"{graphs} graphs, one for the prompt and one for a token; the same tokens: {same}")


if __name__ == "__main__":
    main()
