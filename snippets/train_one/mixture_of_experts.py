"""Mixture of experts: many weights, of which every token uses a few."""

# --8<-- [start:imports]
import torch
from transformers import MixtralConfig, MixtralForCausalLM

# --8<-- [end:imports]
from _tiny import device, tiny_batch


def mixture_model() -> MixtralForCausalLM:
    torch.manual_seed(0)
    # --8<-- [start:model]
    config = MixtralConfig(
        vocab_size=256,
        hidden_size=64,
        intermediate_size=128,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        num_local_experts=8,  # Feed-forward networks in each layer.
        num_experts_per_tok=2,  # How many of them a token passes through.
        output_router_logits=True,  # Adds the loss that balances the load.
    )
    model = MixtralForCausalLM(config)
    # --8<-- [end:model]
    return model.to(device())


def routing(model: MixtralForCausalLM, batch: dict[str, torch.Tensor]) -> list[torch.Tensor]:
    """For every layer, how many tokens each expert gets."""
    # --8<-- [start:routing]
    counts = []

    def count(experts, inputs):
        # The hidden states, the experts of every token, and their weights.
        _, chosen, _ = inputs
        visits = chosen.flatten()
        counts.append(torch.bincount(visits, minlength=experts.num_experts))

    handles = [
        layer.mlp.experts.register_forward_pre_hook(count)
        for layer in model.model.layers
    ]
    model(**batch)
    for handle in handles:
        handle.remove()
    # --8<-- [end:routing]
    return counts


def parameter_counts(model: MixtralForCausalLM) -> tuple[int, int]:
    """All parameters, and those that one token uses."""
    config = model.config
    # --8<-- [start:active]
    total = sum(p.numel() for p in model.parameters())
    experts = [layer.mlp.experts for layer in model.model.layers]
    in_experts = sum(p.numel() for each in experts for p in each.parameters())
    used = in_experts * config.num_experts_per_tok // config.num_local_experts
    active = total - in_experts + used
    # --8<-- [end:active]
    return total, active


def main() -> None:
    model, batch = mixture_model(), tiny_batch()
    total, active = parameter_counts(model)
    print(f"{total:,} parameters, of which a token uses {active:,} ({active / total:.0%})")
    tokens = batch["input_ids"].numel()
    for layer, counts in enumerate(routing(model, batch)):
        print(f"Layer {layer}: {tokens} tokens, {sum(counts)} visits to experts: {counts.tolist()}")


if __name__ == "__main__":
    main()
