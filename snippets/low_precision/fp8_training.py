"""FP8 training by torchao: products in 8 bits, weights and optimizer state as they were."""

# isort: split
# --8<-- [start:convert]
import torch
from torch import nn
from torchao.float8 import Float8LinearConfig, convert_to_float8_training
from transformers import AutoModelForCausalLM, LlamaConfig, PreTrainedModel


def suitable(module: nn.Module, name: str) -> bool:
    # Other models call the head `score`, `classifier` or `proj_out`.
    head = "lm_head" in name.split(".")
    # Kernels need sizes divisible by 16.
    sizes = (module.in_features, module.out_features)
    return not head and all(size % 16 == 0 for size in sizes)


def to_fp8(
    model: PreTrainedModel, recipe: str = "tensorwise"
) -> PreTrainedModel:
    config = Float8LinearConfig.from_recipe_name(recipe)
    return convert_to_float8_training(
        model, config=config, module_filter_fn=suitable
    )
# --8<-- [end:convert]


def device() -> torch.device:
    """The accelerator of this machine, or the CPU where there is none."""
    return torch.accelerator.current_accelerator(check_available=True) or torch.device("cpu")


def tiny_model(dtype: torch.dtype = torch.bfloat16) -> PreTrainedModel:
    """A Llama of random weights with grouped key-value heads and a vocabulary that 16 does not divide."""
    torch.manual_seed(0)
    sizes = {"hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 2, "vocab_size": 251}
    config = LlamaConfig(**sizes, num_attention_heads=4, num_key_value_heads=2, use_cache=False)
    return AutoModelForCausalLM.from_config(config, dtype=dtype).to(device()).train()


def losses(model: PreTrainedModel, steps: int = 20) -> list[float]:
    """The loss of the same batch at each of a few steps."""
    rows = torch.randint(1, 251, (4, 16), generator=torch.Generator().manual_seed(0)).to(device())
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    found = []
    for _ in range(steps):
        loss = model(input_ids=rows, labels=rows).loss
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        found.append(loss.item())
    return found


def main() -> None:
    torch.set_num_threads(1)  # These products are too small to share.
    plain = losses(tiny_model())
    print(f"bf16:                first loss {plain[0]:.3f}, last {plain[-1]:.3f}")
    for recipe in ("tensorwise", "rowwise", "rowwise_with_gw_hp"):
        model = to_fp8(tiny_model(), recipe)
        found = losses(model)
        print(f"{recipe + ':':<20} first loss {found[0]:.3f}, last {found[-1]:.3f}")
    layers = [module for module in model.modules() if isinstance(module, nn.Linear)]
    converted = sum(type(layer).__name__ == "Float8Linear" for layer in layers)
    print(f"{converted} of {len(layers)} linear layers are in FP8; weights are {layers[0].weight.dtype}")


if __name__ == "__main__":
    main()
