"""A search from a checkpoint and a file of texts: trials by Optuna, then a run with the best settings."""

import sys
from contextlib import chdir, redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.append(str(Path(__file__).parent.parent / "recipes"))
from _tiny_chat import make_checkpoint

# isort: split
# --8<-- [start:program]
import sys
from pathlib import Path

import optuna
import torch
from transformers import (
    AutoModelForCausalLM,
    AutoTokenizer,
    DataCollatorForLanguageModeling,
    Trainer,
    TrainingArguments,
)


def make_trainer(checkpoint, file, epochs=1, **settings):
    tokenizer = AutoTokenizer.from_pretrained(checkpoint)
    tokenizer.pad_token = tokenizer.pad_token or tokenizer.eos_token
    lines = Path(file).read_text("utf-8").splitlines()
    texts = tokenizer(lines, truncation=True, max_length=1024)
    samples = [{"input_ids": ids} for ids in texts["input_ids"] if ids]
    held_out = len(samples) // 10 + 1
    return Trainer(
        # A function: every trial starts from the checkpoint.
        model_init=lambda: AutoModelForCausalLM.from_pretrained(
            checkpoint, dtype=torch.float32
        ),
        args=TrainingArguments(
            output_dir="search",
            bf16=torch.cuda.is_available(),
            per_device_train_batch_size=4,  # the most that fits
            num_train_epochs=epochs,
            save_strategy="no",
            report_to="none",
            **settings,
        ),
        data_collator=DataCollatorForLanguageModeling(tokenizer, mlm=False),
        train_dataset=samples[held_out:],
        eval_dataset=samples[:held_out],
    )


def space(trial):
    return {
        "learning_rate": trial.suggest_float(
            "learning_rate", 1e-6, 1e-3, log=True
        ),
        "gradient_accumulation_steps": trial.suggest_categorical(
            "gradient_accumulation_steps", [1, 2, 4, 8]
        ),
    }


def search(trainer, name, trials=16):
    study = {
        "study_name": name,
        "storage": "sqlite:///search.db",
        "direction": "minimize",  # the loss on eval_dataset
        "load_if_exists": True,  # A search that was killed goes on.
    }
    tried = optuna.create_study(**study).trials
    finished = sum(trial.state.is_finished() for trial in tried)
    return trainer.hyperparameter_search(
        backend="optuna",
        hp_space=space,
        n_trials=max(trials - finished, 0),
        **study,
    )


def run(checkpoint, file):
    name = f"{checkpoint} on {file}"
    best = search(make_trainer(checkpoint, file), name)
    print(best.objective, best.hyperparameters)
    trainer = make_trainer(checkpoint, file, **best.hyperparameters)
    trainer.train()
    trainer.save_model("best")
    return trainer, best


# --8<-- [end:program]
def main() -> None:
    with TemporaryDirectory() as folder, chdir(folder), redirect_stdout(StringIO()), redirect_stderr(StringIO()):
        make_checkpoint(Path("tiny"))
        Path("texts.txt").write_text("".join(f"{n} and {n} are {2 * n}.\n" for n in range(8)))
        trainer, best = run("tiny", "texts.txt")
        (study,) = optuna.get_all_study_summaries("sqlite:///search.db")
        loss = trainer.evaluate()["eval_loss"]
        saved = Path("best", "model.safetensors").exists()
    same = abs(loss - best.objective) < 1e-3
    print(f"{study.n_trials} trials; the new Trainer has the loss of the best: {same}; its model is saved: {saved}")


# --8<-- [start:run]
if __name__ == "__main__" and sys.argv[1:]:
    run(*sys.argv[1:])
# --8<-- [end:run]
elif __name__ == "__main__":
    main()
