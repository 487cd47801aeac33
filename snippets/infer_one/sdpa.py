"""SDPA: PyTorch picks a kernel for the question and for every token; a profile tells which."""

from _infer_one import prompt, tiny_model

# isort: split
# --8<-- [start:choose]
import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from transformers import PreTrainedModel


def choose(model: PreTrainedModel, implementation: str) -> PreTrainedModel:
    # "sdpa" is the default, "eager" keeps the attention weights.
    model.set_attn_implementation(implementation)
    return model


# --8<-- [end:choose]
def padded() -> dict[str, torch.Tensor]:
    """Two rows, the second shorter by four tokens: padded on the left, as `generate` wants it."""
    row = prompt()["input_ids"]
    rows, mask = row.repeat(2, 1), torch.ones_like(row).repeat(2, 1)
    rows[1, :4] = mask[1, :4] = 0
    return {"input_ids": rows, "attention_mask": mask}


# --8<-- [start:see]
def kernels(
    model: PreTrainedModel, inputs: dict[str, torch.Tensor]
) -> set[str]:
    with torch.profiler.profile() as profile:
        model.generate(**inputs, max_new_tokens=4, do_sample=False)
    names = {event.key for event in profile.key_averages()}
    prefix = "aten::_scaled_dot_product_"
    return {name.removeprefix(prefix) for name in names if prefix in name}


# --8<-- [end:see]
# --8<-- [start:only]
def only(
    model: PreTrainedModel,
    kernel: SDPBackend,
    inputs: dict[str, torch.Tensor],
) -> set[str]:
    # SDPBackend.FLASH_ATTENTION, say: no other kernel may run.
    with sdpa_kernel(kernel):
        return kernels(model, inputs)


# --8<-- [end:only]
def refused(model: PreTrainedModel, kernel: SDPBackend, inputs: dict[str, torch.Tensor]) -> bool:
    """Whether a kernel cannot run for these inputs."""
    try:
        only(model, kernel, inputs)
    except RuntimeError:
        return True
    return False


def logits(model: PreTrainedModel, inputs: dict[str, torch.Tensor]) -> torch.Tensor:
    with torch.inference_mode():
        return model(**inputs).logits


def main() -> None:
    model = tiny_model()
    difference = logits(model, prompt()) - logits(choose(tiny_model(), "eager"), prompt())
    print(f"Default: {model.config._attn_implementation}, largest difference of the logits from eager", end=" ")
    print(f"{difference.abs().max():.4f}")
    model = model.bfloat16()  # On a GPU, the flash kernel takes fp16 and bf16 only.
    print(f"A row alone:     {', '.join(sorted(kernels(model, prompt())))}")
    print(f"A padded batch:  {', '.join(sorted(kernels(model, padded())))}")
    print(f"Flash forbidden: {', '.join(sorted(only(model, SDPBackend.MATH, prompt())))}")
    for name, inputs in (("a row alone", prompt()), ("a padded batch", padded())):
        print(f"The flash kernel refuses {name}: {refused(model, SDPBackend.FLASH_ATTENTION, inputs)}")


if __name__ == "__main__":
    main()
