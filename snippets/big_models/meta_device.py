"""The meta device: a model of any size in an instant, and weights that come in without a second copy."""

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from _big_models import tiny_model, tokens

sys.path.append(str(Path(__file__).parent.parent / "_shared"))
from _llama import LLAMA_405B

# isort: split
# --8<-- [start:empty]
import pathlib

from accelerate import init_empty_weights
from safetensors.torch import load_file
from transformers import (
    AutoModelForCausalLM,
    GenerationConfig,
    LlamaConfig,
    PreTrainedModel,
)


def empty(config: LlamaConfig) -> PreTrainedModel:
    # The weights go to the device "meta"; buffers, which no checkpoint has,
    # are computed. `with torch.device("meta")` would take both.
    with init_empty_weights():
        return AutoModelForCausalLM.from_config(config)


# --8<-- [end:empty]
# --8<-- [start:fill]
def fill(model: PreTrainedModel, checkpoint: str) -> None:
    weights = load_file(f"{checkpoint}/model.safetensors")
    # `assign` takes the tensors; a copy to "meta" would do nothing.
    found = model.load_state_dict(weights, assign=True, strict=False)
    model.tie_weights()  # A tied weight is in the file only once.
    empty = [k for k, p in model.named_parameters() if p.is_meta]
    if empty:
        raise ValueError(f"the checkpoint has no weights for {empty}")
    if more := found.unexpected_keys:
        raise ValueError(f"the model has no place for {more}")
    model.eval()  # A new model is in training mode, with dropout.
    if pathlib.Path(checkpoint, "generation_config.json").exists():
        # How to generate, for instance which tokens end an answer.
        settings = GenerationConfig.from_pretrained(checkpoint)
        model.generation_config = settings


# --8<-- [end:fill]
def main() -> None:
    model = empty(LLAMA_405B)
    parameters = sum(parameter.numel() for parameter in model.parameters())
    print(f"Llama 3.1's largest shape: {parameters:,} parameters, on {model.device}")

    tiny = tiny_model()
    with TemporaryDirectory() as folder:
        tiny.save_pretrained(folder)
        filled = empty(tiny.config)
        fill(filled, folder)
    same = filled(tokens()).logits.equal(tiny(tokens()).logits)
    print(f"Tiny model, filled from its checkpoint: the logits are the same: {same}")


if __name__ == "__main__":
    main()
