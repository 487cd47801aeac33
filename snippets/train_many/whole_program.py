"""Tensor parallelism, alone or with FSDP or expert parallelism: one program from texts to a checkpoint."""

import sys
from collections.abc import Callable
from contextlib import redirect_stdout
from functools import partial
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.append(str(Path(__file__).parent.parent / "_shared"))
from _ranks import on_ranks
from _tiny_texts import TEXTS, save_checkpoint
from transformers import MixtralConfig

# isort: split
# --8<-- [start:train]
import sys
from collections import defaultdict
from pathlib import Path

import torch
import torch.distributed as dist
from torch.distributed.tensor import DTensor
from torch.nn.utils import clip_grads_with_norm_, get_total_norm
from transformers import AutoModelForCausalLM, AutoTokenizer
from transformers.distributed import DistributedConfig


# The texts are joined, then cut into samples of one length.
def samples_of(texts, tokenizer, length):
    tokens = []
    for text in texts:
        tokens += [*tokenizer(text)["input_ids"], tokenizer.eos_token_id]
    rows = len(tokens) // length
    return torch.tensor(tokens[: rows * length]).view(rows, length)


# One norm of all gradients, which are split in different ways or whole.
def clip(model, limit=1.0):
    groups = defaultdict(list)
    for parameter in model.parameters():
        if parameter.grad is not None:
            mesh = getattr(parameter, "device_mesh", None)
            groups[mesh].append(parameter)
    norms = []
    for group in groups.values():
        norm = get_total_norm([parameter.grad for parameter in group])
        split = isinstance(norm, DTensor)
        norms.append(norm.full_tensor() if split else norm)
    total = torch.stack(norms).norm()
    for group in groups.values():
        clip_grads_with_norm_(group, limit, total)
    return total


def train(
    checkpoint,
    texts,
    output_dir,
    *,
    tp_size=1,
    fsdp_size=1,
    ep_size=1,
    length=2048,
    batch_size=8,
    learning_rate=1e-5,
):
    tokenizer = AutoTokenizer.from_pretrained(checkpoint)
    # Each rank reads only what it holds.
    model = AutoModelForCausalLM.from_pretrained(
        checkpoint,
        dtype=torch.float32,
        distributed_config=DistributedConfig(
            tp_size=tp_size,
            fsdp_size=fsdp_size,
            ep_size=ep_size,
            fsdp_mixed_precision=fsdp_size > 1,
        ),
    )
    model.activation_checkpointing_enable()
    model.train()
    torch.manual_seed(0)  # the same dropout on every rank
    # One call cannot update tensors that are split in different ways.
    optimizer = torch.optim.AdamW(
        model.parameters(), lr=learning_rate, foreach=False
    )

    # Ranks that share a matrix take the same samples, others their own.
    first = dist.get_rank() // tp_size
    samples = samples_of(texts, tokenizer, length)
    samples = samples[: len(samples) // fsdp_size * fsdp_size]
    for step, batch in enumerate(samples.split(batch_size * fsdp_size)):
        batch = batch[first::fsdp_size].to(model.device)
        # Multiplies in bf16; weights and their gradients stay in fp32.
        with torch.autocast(model.device.type, torch.bfloat16):
            loss = model(batch, labels=batch, use_cache=False).loss
        loss.backward()
        clip(model)
        optimizer.step()
        optimizer.zero_grad()
        if dist.get_rank() == 0:
            print(f"step {step}, loss {loss.item():.3f}", flush=True)

    model.save_pretrained(output_dir)  # on all ranks
    if dist.get_rank() == 0:
        tokenizer.save_pretrained(output_dir)
    return model


# --8<-- [end:train]


def save_mixtral(folder: Path) -> str:
    """Save a tiny Mixtral with four experts, two of them for each token, and the tokenizer of bytes."""
    save_checkpoint(folder)
    torch.manual_seed(0)
    sizes = {"hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 2, "num_attention_heads": 4}
    sizes |= {"num_key_value_heads": 2, "num_local_experts": 4, "num_experts_per_tok": 2}
    config = MixtralConfig(vocab_size=len(AutoTokenizer.from_pretrained(folder)), **sizes)
    AutoModelForCausalLM.from_config(config, dtype=torch.bfloat16).save_pretrained(folder)
    return str(folder)


SETUPS = {
    "tensor parallelism": (save_checkpoint, {"tp_size": 2}),
    "with FSDP": (save_checkpoint, {"tp_size": 2, "fsdp_size": 2}),
    "expert parallelism": (save_mixtral, {"fsdp_size": 2, "ep_size": 2}),
}


def train_on_rank(folder: str, **options: int) -> tuple[list[float], float]:
    """The losses that this rank prints, and the share of the parameters that it holds."""
    log = StringIO()
    with redirect_stdout(log):
        model = train(f"{folder}/checkpoint", TEXTS, f"{folder}/out", length=32, learning_rate=1e-3, **options)
    losses = [float(line.split()[-1]) for line in log.getvalue().splitlines() if line.startswith("step")]
    parameters = [*model.parameters()]
    held = sum((p.to_local() if isinstance(p, DTensor) else p).numel() for p in parameters)
    return losses, held / sum(p.numel() for p in parameters)


def run(folder: Path, save: Callable[[Path], str], **options: int) -> list[tuple[list[float], float]]:
    """What each rank has of the program on a tiny checkpoint, which is saved in this folder first."""
    save(folder / "checkpoint")
    ranks = options.get("tp_size", 1) * options.get("fsdp_size", 1)
    return on_ranks(partial(train_on_rank, str(folder), **options), ranks)


def main() -> None:
    if len(sys.argv) > 1:
        # --8<-- [start:run]
        checkpoint, file, output_dir, *pairs = sys.argv[1:]
        sizes = [pair.split("=") for pair in pairs]
        texts = Path(file).read_text("utf-8").splitlines()
        options = {name: int(size) for name, size in sizes}
        train(checkpoint, texts, output_dir, **options)
        # --8<-- [end:run]
        return
    for name, (save, sizes) in SETUPS.items():
        with TemporaryDirectory() as folder:
            seen = run(Path(folder), save, **sizes)
            saved = AutoModelForCausalLM.from_pretrained(f"{folder}/out")
        losses, held = seen[0]
        print(f"{name[0].upper()}{name[1:]} on {len(seen)} ranks: each holds {held:.2f} of the parameters")
        print(f"  loss {losses[0]:.1f} in the first step, {losses[-1]:.1f} in the last")
        print(f"  saved: {saved.num_parameters():,} parameters, {saved.dtype}")


if __name__ == "__main__":
    main()
