"""FP8 training as one program: a checkpoint whose linear layers are converted, compiled and trained by Trainer."""

import sys
from contextlib import redirect_stdout
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.append(str(Path(__file__).parent.parent / "_shared"))
import torch
from _tiny_texts import save_checkpoint
from fp8_training import to_fp8
from transformers import AutoModelForCausalLM

# isort: split
# --8<-- [start:train]
from transformers import (
    AutoTokenizer,
    DataCollatorForSeq2Seq,
    Trainer,
    TrainingArguments,
)
from transformers.modeling_layers import GradientCheckpointingLayer


def train(checkpoint, texts, output_dir, **more):
    tokenizer = AutoTokenizer.from_pretrained(checkpoint)
    tokenizer.pad_token = tokenizer.pad_token or tokenizer.eos_token
    samples = []
    for text in texts:
        # At most 2,048 tokens; shorter texts end with the end token.
        tokens = tokenizer(text + tokenizer.eos_token)["input_ids"][:2048]
        samples.append({"input_ids": tokens, "labels": tokens})

    model = AutoModelForCausalLM.from_pretrained(
        checkpoint, dtype=torch.float32
    )
    model = to_fp8(model)
    for module in model.modules():
        # The class of a decoder layer, in whichever model.
        if isinstance(module, GradientCheckpointingLayer):
            module.compile()
    settings = {"bf16": True, "learning_rate": 1e-5}
    args = TrainingArguments(output_dir, **settings | more)
    # The kernels need a number of tokens that is divisible by 16.
    collate = DataCollatorForSeq2Seq(tokenizer, pad_to_multiple_of=16)
    trainer = Trainer(
        model, args, train_dataset=samples, data_collator=collate
    )
    trainer.train()
    trainer.save_model()
    return trainer
# --8<-- [end:train]


# One to fifteen letters and the end token, so that neither a batch nor its samples have a multiple of 16 tokens.
TEXTS = ["Rounded to FP8."[:length] for length in range(1, 16)]


def train_tiny(folder: str) -> Trainer:
    """Ten epochs on a tiny model; on a CPU the graphs run as they are, since inductor takes half a minute there."""
    on_cpu = not torch.accelerator.is_available()
    more = {"num_train_epochs": 10, "learning_rate": 1e-2, "logging_steps": 1, "use_cpu": on_cpu, "report_to": "none"}
    torch.compiler.reset()
    stance = torch.compiler.set_stance("default", force_backend="aot_eager" if on_cpu else "inductor")
    with stance, redirect_stdout(sys.stderr):
        return train(save_checkpoint(Path(folder, "checkpoint")), TEXTS, f"{folder}/out", **more)


def main() -> None:
    torch.set_num_threads(1)  # These products are too small to share.
    with TemporaryDirectory() as folder:
        trainer = train_tiny(folder)
        saved = AutoModelForCausalLM.from_pretrained(f"{folder}/out", dtype="auto")
    losses = [entry["loss"] for entry in trainer.state.log_history if "loss" in entry]
    converted = sum(type(module).__name__ == "Float8Linear" for module in trainer.model.modules())
    print(f"{converted} layers in FP8: first loss {losses[0]:.3f}, last {losses[-1]:.3f}")
    print(f"Saved: {saved.num_parameters():,} weights in {saved.dtype}")


if __name__ == "__main__":
    main()
