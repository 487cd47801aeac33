"""Supervised fine-tuning from a file of conversations to a merged model: one command, and again after it was killed."""

import sys
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path += [str(Path(__file__).parent.parent / folder) for folder in ("memory", "peft", "resume", "roofline")]
from _tiny_chat import DATA, make_checkpoint
from chunked_loss import ChunkedLossTrainer, chunked_loss
from finetune_8b import lora as meta_lora
from finetune_8b import packed, simulate
from finetune_8b import qlora as meta_qlora
from finetune_8b_train import check_logits
from law import LLAMA_8B, training
from lora import add_lora
from preemption import SaveOnSignal
from qlora import load_for_qlora, merge_as_trained
from whole_checkpoint import ListFiles, last_checkpoint

# isort: split
# --8<-- [start:imports]
import argparse
import gc
import hashlib
import json
import shutil
from functools import partial
from pathlib import Path

import torch
from peft import PeftModel
from transformers import (
    AutoConfig,
    AutoModelForCausalLM,
    AutoTokenizer,
    DataCollatorWithFlattening,
    TrainingArguments,
    set_seed,
)

# --8<-- [end:imports]


# --8<-- [start:read]
ROLES = {"system", "user", "assistant", "tool"}


# One conversation in a line: {"messages": [{"role": ..., "content": ...}]}
def read_messages(line):
    messages = json.loads(line)["messages"]
    for message in messages:
        role, content = message["role"], message["content"]
        if role not in ROLES:
            raise ValueError(f"unknown role {role!r}")
        if not str(content or message.get("tool_calls") or "").strip():
            raise ValueError(f"{role} without content")
    if not messages or role != "assistant":
        raise ValueError("the last message is no answer")
    return messages


def read_conversations(file):
    try:
        lines = Path(file).read_bytes().splitlines()
    except OSError as error:
        raise SystemExit(f"--data {file}: {error.strerror}") from None
    conversations, broken = [], []
    for number, line in enumerate(lines, 1):
        place = f"{file}:{number}"
        try:
            if line.strip():
                conversations.append((place, read_messages(line)))
        except KeyError as error:
            broken.append(f"{place} (no {error})")
        except (ValueError, TypeError) as error:
            broken.append(f"{place} ({error})")
    if broken:
        named = ", ".join(broken[:5] + ["..."] * (len(broken) > 5))
        share = f"{len(broken)} of {len(lines)} lines"
        raise SystemExit(f"No conversation in {share}: {named}")
    return conversations
# --8<-- [end:read]


# --8<-- [start:tokenize]
# Only the last answer is learned; -100 masks all tokens before it.
def tokenize(conversations, tokenizer, window, skip_long=False):
    if not tokenizer.chat_template:
        raise SystemExit(
            "The tokenizer has no chat template: take the instruct version"
            " of the model, or pass --chat-template FILE"
        )
    samples = []
    for place, messages in conversations:
        prompt = tokenizer.apply_chat_template(
            messages[:-1], add_generation_prompt=True, return_dict=False
        )
        tokens = tokenizer.apply_chat_template(messages, return_dict=False)
        if tokens[: len(prompt)] != prompt:
            raise SystemExit(f"{place}: the template changes the prompt")
        if len(tokens) <= window:
            labels = [-100] * len(prompt) + tokens[len(prompt) :]
            samples.append({"input_ids": tokens, "labels": labels})
        elif not skip_long:
            raise SystemExit(
                f"{place}: {len(tokens):,} tokens, and --window is"
                f" {window:,}: raise it, or pass --skip-long"
            )
    return samples
# --8<-- [end:tokenize]


# --8<-- [start:samples]
# Trainer resumes by the number of the step, whatever the samples are,
# and takes the learning rate from the checkpoint.
def check_start(samples, options):
    digest = hashlib.sha256()
    for sample in samples:
        digest.update(json.dumps(sample).encode())
    now = {"samples": digest.hexdigest()}
    for name in ("model", "method", "batch", "epochs", "lr", "seed"):
        now[name] = getattr(options, name)
    output = Path(options.output)
    file = output / "start.json"
    if not any(output.glob("checkpoint-*")):
        output.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(now))
    elif file.exists() and (start := json.loads(file.read_text())) != now:
        if start.pop("samples") != now["samples"]:
            raise SystemExit(
                f"{output} has checkpoints of other samples: pass the same"
                " --data, --window and template, or another folder"
            )
        flags = [f"--{k} {v!r}" for k, v in start.items() if v != now[k]]
        raise SystemExit(
            f"{output} was started with {' '.join(flags)}: pass the same,"
            " or another folder"
        )
# --8<-- [end:samples]


# --8<-- [start:train]
def load_model(checkpoint, method, device_map):
    if method == "qlora":
        return load_for_qlora(checkpoint, device_map)
    model = AutoModelForCausalLM.from_pretrained(
        checkpoint, dtype=torch.bfloat16, device_map=device_map
    )
    model.activation_checkpointing_enable()
    return add_lora(model)


# Ends for a model whose logits are not those of the head alone.
def load_checked(checkpoint, sample, options):
    device_map = "auto" if torch.accelerator.is_available() else "cpu"
    model = load_model(checkpoint, options.method, device_map)
    try:
        check_logits(model, sample["input_ids"][:16])
    except ValueError as error:
        raise SystemExit(f"--model {checkpoint}: {error}") from None
    if options.flash:
        model.get_base_model().set_attn_implementation("flash_attention_2")
    return model


# Losses of the conversations held out, before training and after it.
def train(checkpoint, samples, options):
    gpu = torch.accelerator.is_available()
    set_seed(options.seed)  # for the adapter, which is made before Trainer
    args = TrainingArguments(
        output_dir=options.output,
        seed=options.seed,
        per_device_train_batch_size=options.batch,
        per_device_eval_batch_size=options.batch,
        gradient_accumulation_steps=2,
        learning_rate=options.lr,
        num_train_epochs=options.epochs,
        bf16=True,
        optim="paged_adamw_8bit" if gpu else "adamw_torch",
        use_cpu=not gpu,
        save_steps=options.save_steps,
        save_total_limit=2,
        logging_steps=10,
        eval_on_start=True,
        report_to="none",
    )
    trainer = ChunkedLossTrainer(
        load_checked(checkpoint, samples[0], options),
        args,
        train_dataset=[s for n, s in enumerate(samples) if n % 10],
        eval_dataset=samples[::10],  # every tenth is not learned
        data_collator=DataCollatorWithFlattening(
            # Without the lengths, every layer waits for the GPU.
            return_flash_attn_kwargs=options.flash
        ),
        callbacks=[SaveOnSignal(), ListFiles()],
    )
    trainer.train(resume_from_checkpoint=last_checkpoint(options.output))
    if trainer.state.global_step < trainer.state.max_steps:
        raise SystemExit("Saved at SIGTERM: run the same command again")
    trainer.save_model(f"{options.output}/adapter")
    trainer.evaluate()
    logged = trainer.state.log_history
    losses = [entry["eval_loss"] for entry in logged if "eval_loss" in entry]
    return losses[0], losses[-1]
# --8<-- [end:train]


# --8<-- [start:merge]
# The folder has its name only once all files are in it.
def merge(checkpoint, tokenizer, options):
    gc.collect()  # The trainer and its model refer to each other.
    torch.cuda.empty_cache()
    adapter, device_map = f"{options.output}/adapter", "auto"
    if not torch.accelerator.is_available():
        device_map = "cpu"
    if options.method == "qlora":
        model = merge_as_trained(checkpoint, adapter, device_map)
    else:
        base = AutoModelForCausalLM.from_pretrained(
            checkpoint, dtype=torch.bfloat16, device_map=device_map
        )
        model = PeftModel.from_pretrained(base, adapter).merge_and_unload()
    part, merged = f"{options.output}/merging", f"{options.output}/merged"
    model.save_pretrained(part)
    tokenizer.save_pretrained(part)
    shutil.rmtree(merged, ignore_errors=True)
    Path(part).rename(merged)
# --8<-- [end:merge]


# --8<-- [start:expect]
# From the configuration alone; a step is two batches of full windows.
def expect(config, options):
    if not hasattr(config, "head_dim"):  # Qwen2 leaves it to be computed.
        config.head_dim = config.hidden_size // config.num_attention_heads
    model = {"qlora": meta_qlora, "lora": meta_lora}[options.method](config)
    batch = partial(packed, lengths=[options.window] * options.batch)
    peak = simulate(model, batch=batch, loss_of=chunked_loss)
    for kind in ("weights", "gradients", "optimizer", "activations"):
        print(f"  {kind:<11} {peak[kind] / 1e9:>8.3f} GB")
    print(f"  {'peak':<11} {peak.total() / 1e9:>8.3f} GB")
    flops = 2 * training(config, options.batch, options.window)
    print(f"  a step needs {flops / 1e12:,.3f} TFLOP at most")
    return peak.total(), flops
# --8<-- [end:expect]


# --8<-- [start:options]
def read_options(arguments):
    gpu = torch.accelerator.is_available()
    parser = argparse.ArgumentParser(description=__doc__)
    add = parser.add_argument
    add("output", help="folder for checkpoints, adapter and merged model")
    add("--model", default="", help="name or folder; else a tiny one")
    add("--data", default=DATA, help="a conversation in each line")
    add("--chat-template", help="file with the template, in Jinja")
    add("--method", choices=["qlora", "lora"])
    add("--window", type=int, default=1024, help="most tokens of a sample")
    add("--skip-long", action="store_true", help="skip longer samples")
    add("--batch", type=int, default=8, help="samples packed into one row")
    add("--flash", action="store_true", help="FlashAttention, by `kernels`")
    add("--epochs", type=float, default=3)
    add("--lr", type=float, default=2e-4)
    add("--seed", type=int, default=42)
    add("--save-steps", type=int, default=10)
    add("--expect", action="store_true", help="memory and time, no training")
    options = parser.parse_args(arguments)
    options.method = options.method or ("qlora" if gpu else "lora")
    return options
# --8<-- [end:options]


# --8<-- [start:run]
def run(options):
    checkpoint = options.model
    if not checkpoint:
        checkpoint = make_checkpoint(Path(options.output, "base"))
    try:
        if options.expect:
            return expect(AutoConfig.from_pretrained(checkpoint), options)
        tokenizer = AutoTokenizer.from_pretrained(checkpoint)
    except OSError as error:
        reason = str(error).splitlines()[0]
        raise SystemExit(f"--model {checkpoint}: {reason}") from None
    if options.chat_template:
        template = Path(options.chat_template).read_text(encoding="utf-8")
        tokenizer.chat_template = template
    conversations = read_conversations(options.data)
    samples = tokenize(
        conversations, tokenizer, options.window, options.skip_long
    )
    if len(samples) < 2:
        raise SystemExit(f"--data {options.data}: fewer than two samples")
    print(f"{len(samples)} samples of {len(conversations)} conversations")
    check_start(samples, options)
    before, after = train(checkpoint, samples, options)
    print(f"Loss of the held-out samples: {before:.4f}, then {after:.4f}")
    if torch.cuda.is_available():
        print(f"Peak: {torch.cuda.max_memory_allocated() / 1e9:.1f} GB")
    merge(checkpoint, tokenizer, options)
    return before, after
# --8<-- [end:run]


def main() -> None:
    if len(sys.argv) > 1:
        run(read_options(sys.argv[1:]))
        return
    torch.set_num_threads(1)
    with TemporaryDirectory() as folder:
        options = read_options([folder, "--epochs", "1", "--lr", "1e-2", "--method", "lora"])
        with redirect_stdout(StringIO()):  # The log has timings.
            peak, _ = expect(AutoConfig.from_pretrained(make_checkpoint(Path(folder, "base"))), options)
            lora, _ = expect(LLAMA_8B, options)
            before, after = run(options)
        files = sorted(path.relative_to(folder).as_posix() for path in Path(folder).glob("*/*.safetensors"))
    print(f"Expected peak with the tiny model: {peak / 1e6:.0f} MB")
    print(f"Expected peak of LoRA with Llama 3.1 8B: {lora / 1e9:.2f} GB")
    print(f"A step of Llama 3.1 8B: {2 * training(LLAMA_8B, 8, 1024) / 1e12:.0f} TFLOP")
    print(f"Loss of the held-out samples falls: {after < before}")
    print(f"Saved: {', '.join(files)}")


if __name__ == "__main__":
    main()
