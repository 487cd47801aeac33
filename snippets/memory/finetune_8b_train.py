"""QLoRA on packed samples with a chunked loss: the program that fine-tunes 8 billion parameters on 24 GB."""

import sys
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.append(str(Path(__file__).parent.parent / "peft"))
from _peft import device, tiny_model

# isort: split
# --8<-- [start:train]
import json
from pathlib import Path

import torch
from chunked_loss import ChunkedLossTrainer
from qlora import load_for_qlora
from transformers import (
    AutoTokenizer,
    DataCollatorWithFlattening,
    TrainingArguments,
)


# A line is {"messages": [...]}; only the last message is learned.
def read_samples(file, tokenizer, longest=1024):
    samples = []
    with Path(file).open(encoding="utf-8") as lines:
        for line in lines:
            messages = json.loads(line)["messages"]
            prompt = tokenizer.apply_chat_template(
                messages[:-1], add_generation_prompt=True, return_dict=False
            )
            tokens = tokenizer.apply_chat_template(
                messages, return_dict=False
            )
            labels = [-100] * len(prompt) + tokens[len(prompt) :]
            samples.append(
                {"input_ids": tokens[:longest], "labels": labels[:longest]}
            )
    return samples


def fine_tune(checkpoint, samples, output_dir, device_map="auto"):
    args = TrainingArguments(
        output_dir=output_dir,
        per_device_train_batch_size=8,
        gradient_accumulation_steps=2,
        learning_rate=2e-4,
        num_train_epochs=3,
        bf16=True,
        optim="paged_adamw_8bit",
        logging_steps=1,
        # Without an accelerator, bf16=True fails unless this is set.
        use_cpu=not torch.accelerator.is_available(),
    )
    model = load_for_qlora(checkpoint, device_map)
    trainer = ChunkedLossTrainer(
        model,
        args,
        train_dataset=samples,
        data_collator=DataCollatorWithFlattening(),
    )
    trainer.train()
    trainer.save_model(output_dir)  # Saves only the adapter.
    return trainer


def run(checkpoint, file, output_dir):
    tokenizer = AutoTokenizer.from_pretrained(checkpoint)
    fine_tune(checkpoint, read_samples(file, tokenizer), output_dir)
    if torch.cuda.is_available():
        print(f"Peak: {torch.cuda.max_memory_allocated() / 1e9:.1f} GB")


# --8<-- [end:train]


# --8<-- [start:check]
# The chunked loss is right only for logits that the head alone computes.
def check_logits(model, input_ids):
    # On a CPU, a pass in eval mode would make later gradients wrong.
    causal = model.train().get_base_model()
    tokens = torch.tensor([input_ids], device=causal.device)
    with torch.no_grad():
        output = causal(
            input_ids=tokens, use_cache=False, output_hidden_states=True
        )
        hidden, logits = output.hidden_states[-1], output.logits.float()
        expected = (hidden @ causal.lm_head.weight.T).float()
    equal = torch.allclose(logits, expected, rtol=1e-3, atol=1e-3)
    # An untrained adapter on the head changes no logits yet.
    if hasattr(causal.lm_head, "base_layer") or not equal:
        raise ValueError("The head has an adapter or changes its logits.")


# --8<-- [end:check]


def instructions(count: int = 16) -> list[dict[str, list[int]]]:
    """Samples of unequal lengths, of which the first quarter is a question that is not learned."""
    generator = torch.Generator().manual_seed(0)
    samples = []
    for length in torch.randint(8, 32, (count,), generator=generator).tolist():
        tokens = torch.randint(1, 16, (length,), generator=generator).tolist()
        samples.append({"input_ids": tokens, "labels": [-100] * (length // 4) + tokens[length // 4 :]})
    return samples


def main() -> None:
    if len(sys.argv) == 4:
        run(*sys.argv[1:])
        return
    torch.set_num_threads(1)
    with TemporaryDirectory() as folder:
        checkpoint, output_dir = str(Path(folder, "checkpoint")), str(Path(folder, "adapter"))
        tiny_model().save_pretrained(checkpoint)
        with redirect_stdout(StringIO()):  # The log has timings.
            trainer = fine_tune(checkpoint, instructions(), output_dir, device().type)
        losses = [entry["loss"] for entry in trainer.state.log_history if "loss" in entry]
        files = sorted(file.name for file in Path(output_dir).glob("adapter*"))
    trained, total = trainer.model.get_nb_trainable_parameters()
    print(f"Trained: {trained:,} of {total:,} parameters")
    print(f"The loss falls: {losses[-1] < losses[0]}")
    print(f"Saved: {', '.join(files)}")


if __name__ == "__main__":
    main()
