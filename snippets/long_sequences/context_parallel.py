"""Context parallelism in a Trainer: each sample is split over the GPUs by its length."""

import sys
from contextlib import redirect_stdout
from functools import partial
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.append(str(Path(__file__).parent.parent / "_shared"))
from _long_sequences import LENGTHS, tiny_model
from _ranks import on_ranks
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import WhitespaceSplit
from transformers import PreTrainedTokenizerFast

# isort: split
# --8<-- [start:train]
import torch
from accelerate import ParallelismConfig
from torch.distributed.fsdp import MixedPrecisionPolicy
from transformers import (
    AutoModelForCausalLM,
    AutoTokenizer,
    DataCollatorForSeq2Seq,
    Trainer,
    TrainingArguments,
)


def train(checkpoint, texts, output_dir, gpus=8, length=131072, **more):
    tokenizer = AutoTokenizer.from_pretrained(checkpoint)
    tokenizer.pad_token = tokenizer.pad_token or tokenizer.eos_token
    samples = []
    for text in texts:
        ids = tokenizer(text)["input_ids"] + [tokenizer.eos_token_id]
        samples.append({"input_ids": ids[:length], "labels": ids[:length]})

    model = AutoModelForCausalLM.from_pretrained(
        checkpoint, dtype=torch.float32, attn_implementation="sdpa"
    )
    settings = {
        "per_device_train_batch_size": 1,
        "learning_rate": 1e-5,
        "bf16": True,
        "fsdp": True,
        "fsdp_config": {"activation_checkpointing": True},
        "parallelism_config": ParallelismConfig(cp_size=gpus),
    }
    args = TrainingArguments(output_dir, **settings | more)
    # Gathers and computes in bf16; a rank holds and averages fp32.
    args.fsdp_plugin_args["mixed_precision_policy"] = MixedPrecisionPolicy(
        param_dtype=torch.bfloat16, reduce_dtype=torch.float32
    )
    # Every GPU takes two parts of each sample, all of the same length.
    collate = DataCollatorForSeq2Seq(
        tokenizer, pad_to_multiple_of=2 * gpus
    )
    trainer = Trainer(
        model, args, train_dataset=samples, data_collator=collate
    )
    trainer.train()
    trainer.save_model()  # one whole checkpoint, for from_pretrained
    return trainer


# --8<-- [end:train]


def train_rank(folder: str) -> list[tuple[int, int]]:
    """The tokens and the labels of this rank's batches, on CPUs, to which Accelerate splits no sample."""
    texts = ["word " * (length - 1) for length in LENGTHS]  # and the end token
    with redirect_stdout(StringIO()):  # The log has timings.
        trainer = train(f"{folder}/checkpoint", texts, f"{folder}/out", gpus=1, use_cpu=True, max_steps=1)
    return [
        (batch["labels"].numel(), int((batch["labels"] != -100).sum())) for batch in trainer.get_train_dataloader()
    ]


def train_on_ranks() -> list[tuple[int, int]]:
    """The batches of two ranks."""
    with TemporaryDirectory() as folder:
        tiny_model().save_pretrained(f"{folder}/checkpoint")
        words = Tokenizer(WordLevel({"<end>": 0, "word": 1}, unk_token="<end>"))
        words.pre_tokenizer = WhitespaceSplit()
        PreTrainedTokenizerFast(tokenizer_object=words, eos_token="<end>").save_pretrained(f"{folder}/checkpoint")
        return [batch for rank in on_ranks(partial(train_rank, folder), 2) for batch in rank]


def main() -> None:
    for padded, labels in sorted({*train_on_ranks()}):
        print(f"A sample of {labels} tokens is padded to {padded}, in two equal parts")


if __name__ == "__main__":
    main()
