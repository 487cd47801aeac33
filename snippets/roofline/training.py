"""A training step, measured, beside its operations at the rate of a matrix product: the share is the MFU."""

from _roofline import GPU, measured_device, name, print_row, seconds_of_call

# isort: split
# --8<-- [start:step]
import torch
from rates import device
from transformers import LlamaConfig, LlamaForCausalLM


def training_step(config: LlamaConfig, batch: int, length: int):
    with device():
        model = LlamaForCausalLM(config)
        tokens = torch.randint(config.vocab_size, (batch, length))
    optimizer = torch.optim.AdamW(model.parameters(), fused=True)

    def step():
        with torch.autocast(
            device().type, torch.bfloat16, enabled=device().type != "cpu"
        ):
            loss = model(tokens, labels=tokens, use_cache=False).loss
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()

    step()  # Allocates the optimizer's state.
    return step
# --8<-- [end:step]


def main() -> None:
    from law import training

    at = measured_device()
    hidden, layers, vocabulary, length = (2048, 16, 32_000, 2048) if GPU else (512, 4, 4096, 256)
    config = LlamaConfig(
        vocab_size=vocabulary,
        hidden_size=hidden,
        intermediate_size=4 * hidden,
        num_hidden_layers=layers,
        num_attention_heads=hidden // 64,
        num_key_value_heads=hidden // 256,
    )
    print(f"Training {layers} layers of {hidden} features on {name()}, sequences of {length:,} tokens:")
    for batch in (1, 4, 8) if GPU else (1, 2):
        law = training(config, batch, length) / at.flops
        measured = seconds_of_call(training_step(config, batch, length), calls=2)
        print_row(f"batch of {batch}", measured, law)
        print(f"    share of the rate (MFU): {law / measured:.0%}")


if __name__ == "__main__":
    main()
