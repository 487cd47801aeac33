"""What the code of the page starts from: a checkpoint in bf16, loaded in fp32 to train, and a few short sequences."""

from contextlib import chdir
from tempfile import TemporaryDirectory

# --8<-- [start:imports]
import torch
from torch.utils.data import DataLoader
from transformers import (
    AutoModelForCausalLM,
    LlamaConfig,
    LlamaForCausalLM,
    Trainer,
    TrainingArguments,
)

# --8<-- [end:imports]


def build() -> tuple[Trainer, list[dict[str, torch.Tensor]]]:
    """Trainer on the model, and the batches of a loop; writes into the current folder."""
    # --8<-- [start:setup]
    checkpoint, output_dir = "tiny-llama", "out"
    torch.manual_seed(0)

    # In place of your model. Most checkpoints are in bf16.
    config = LlamaConfig(
        vocab_size=256,
        hidden_size=64,
        intermediate_size=128,
        num_hidden_layers=4,
        num_attention_heads=4,
        num_key_value_heads=2,
    )
    model = LlamaForCausalLM(config).to(torch.bfloat16)
    model.save_pretrained(checkpoint)

    # In place of your data: ten samples of 16 tokens.
    tokens = torch.randint(config.vocab_size, (10, 16))
    dataset = [{"input_ids": row, "labels": row} for row in tokens]
    # --8<-- [end:setup]

    # --8<-- [start:load]
    device = torch.device("cpu")
    if torch.accelerator.is_available():
        device = torch.accelerator.current_accelerator()

    # Without dtype=, the weights would have the checkpoint's type: bf16.
    model = AutoModelForCausalLM.from_pretrained(
        checkpoint, dtype=torch.float32
    ).to(device)

    batches = [
        {key: value.to(device) for key, value in batch.items()}
        for batch in DataLoader(dataset, batch_size=4)
    ]
    batch = batches[0]
    # --8<-- [end:load]

    # --8<-- [start:optimizer]
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    # --8<-- [end:optimizer]
    assert optimizer.param_groups[0]["params"] == [*model.parameters()]
    assert batch is batches[0]
    args = TrainingArguments(output_dir=output_dir)
    return Trainer(model, args, train_dataset=dataset), batches


def main() -> None:
    with TemporaryDirectory() as folder, chdir(folder):
        trainer, batches = build()
        saved = AutoModelForCausalLM.from_pretrained("tiny-llama").dtype
    print(f"The checkpoint: {saved}; loaded with dtype=torch.float32: {trainer.model.dtype}")
    print(f"Samples in each batch: {', '.join(str(len(batch['input_ids'])) for batch in batches)}")


if __name__ == "__main__":
    main()
