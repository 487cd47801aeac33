"""The tiny model, the tiny data and the short training run that the searches of this folder share."""

from collections.abc import Callable

import torch
from transformers import (
    EvalPrediction,
    LlamaConfig,
    LlamaForCausalLM,
    PrinterCallback,
    Trainer,
    TrainingArguments,
)

VOCABULARY = 64


def tiny_model(trial: object = None) -> LlamaForCausalLM:
    """A Llama of about 60 000 random weights, the same for every trial; nothing is downloaded."""
    torch.manual_seed(0)
    sizes = {"hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 1}
    heads = {"num_attention_heads": 4, "num_key_value_heads": 2}
    return LlamaForCausalLM(LlamaConfig(vocab_size=VOCABULARY, **sizes, **heads))


def tiny_dataset(rows: int = 16, length: int = 16) -> list[dict[str, torch.Tensor]]:
    """Rows that count upwards from a random token, so that there is something to learn."""
    starts = torch.randint(VOCABULARY, (rows, 1), generator=torch.Generator().manual_seed(0))
    tokens = (starts + torch.arange(length)) % VOCABULARY
    return [{"input_ids": row, "labels": row} for row in tokens]


def token_accuracy(prediction: EvalPrediction) -> dict[str, float]:
    """The share of tokens that are predicted right, and a second metric, as most evaluations have several."""
    logits = prediction.predictions[0] if isinstance(prediction.predictions, tuple) else prediction.predictions
    right = (logits.argmax(-1)[:, :-1] == prediction.label_ids[:, 1:]).mean()
    return {"accuracy": float(right), "error": float(1 - right)}


def quiet_arguments(output_dir: str) -> dict[str, object]:
    """The arguments of every training run here, before a search has proposed any."""
    quiet = {"save_strategy": "no", "report_to": "none", "disable_tqdm": True}
    return {"output_dir": output_dir, "num_train_epochs": 2, "seed": 0} | quiet


def tiny_trainer(
    output_dir: str, compute_metrics: Callable[[EvalPrediction], dict[str, float]] | None = None, **settings: object
) -> Trainer:
    """A Trainer that makes its model anew for every trial, as a search needs it."""
    args = TrainingArguments(**(quiet_arguments(output_dir) | settings))
    dataset = tiny_dataset()
    # --8<-- [start:trainer]
    trainer = Trainer(
        model_init=tiny_model,  # a function: every trial starts anew
        args=args,
        train_dataset=dataset,
        eval_dataset=dataset,
        compute_metrics=compute_metrics,
    )
    # --8<-- [end:trainer]
    trainer.remove_callback(PrinterCallback)
    return trainer
