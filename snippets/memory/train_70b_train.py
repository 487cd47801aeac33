"""Training all weights of 70 billion parameters on eight GPUs, from a file of texts to a checkpoint."""

import sys
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

sys.path.append(str(Path(__file__).parent.parent / "fsdp2"))
from _fsdp2 import VOCABULARY, on_ranks, tiny_model
from train_70b import ShardedAdamW8bit

# isort: split
# --8<-- [start:data]
import json
from pathlib import Path

import torch
import torch.distributed as dist
from transformers import AutoModelForCausalLM, AutoTokenizer
from transformers.distributed import DistributedConfig


# A line is {"text": "..."}. The texts are cut into sequences of one length.
def read_sequences(file, tokenizer, length=4096):
    tokens = []
    with Path(file).open(encoding="utf-8") as lines:
        for line in lines:
            text = json.loads(line)["text"]
            tokens += [*tokenizer(text).input_ids, tokenizer.eos_token_id]
    rows = len(tokens) // length
    return torch.tensor(tokens[: rows * length]).view(rows, length)


# --8<-- [end:data]
# --8<-- [start:load]
def load(checkpoint, ranks):
    model = AutoModelForCausalLM.from_pretrained(
        checkpoint,
        dtype=torch.bfloat16,
        # Each rank reads its part. Computed in bf16, averaged in fp32.
        distributed_config=DistributedConfig(
            fsdp_size=ranks, fsdp_mixed_precision=True
        ),
    )
    model.activation_checkpointing_enable()
    return model.train()


# --8<-- [end:load]
# --8<-- [start:train]
def train(model, sequences, rank, ranks, lr=1e-5, epochs=1):
    optimizer = ShardedAdamW8bit(
        model.parameters(), lr=lr, bf16_stochastic_round=True
    )
    # All ranks take as many steps as the others, each its own sequences.
    steps = len(sequences) // ranks
    for step in range(epochs * steps):
        row = step % steps * ranks + rank
        tokens = sequences[row : row + 1].to(model.device)
        loss = model(tokens, labels=tokens, use_cache=False).loss
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
        if rank == 0:
            print(f"step {step}, loss {loss.item():.3f}", flush=True)


def run(checkpoint, file, folder):
    dist.init_process_group()
    rank, ranks = dist.get_rank(), dist.get_world_size()
    tokenizer = AutoTokenizer.from_pretrained(checkpoint)
    model = load(checkpoint, ranks)
    train(model, read_sequences(file, tokenizer), rank, ranks)
    model.save_pretrained(folder)  # on all ranks
    if rank == 0:
        tokenizer.save_pretrained(folder)
    if torch.cuda.is_available():
        peak = torch.cuda.max_memory_allocated() / 1e9
        print(f"rank {rank}: at most {peak:.1f} GB", flush=True)
    dist.destroy_process_group()


# --8<-- [end:train]

PROCESSES, STEPS = 2, 6


def on_rank() -> dict[str, object]:
    """What a rank sees of a few steps on a tiny model, uncompiled, and of the checkpoint that is written."""
    from _checkpoint import tiny_checkpoint

    rank, log = dist.get_rank(), StringIO()
    rows = torch.randint(1, VOCABULARY, (PROCESSES, 64), generator=torch.Generator().manual_seed(0))
    with tiny_checkpoint(tiny_model(torch.bfloat16)) as checkpoint, torch.compiler.set_stance("force_eager"):
        model = load(checkpoint, PROCESSES)
        held = sum(weight.to_local().nbytes for weight in model.parameters())
        torch.manual_seed(rank)
        with redirect_stdout(log):
            train(model, rows, rank, PROCESSES, lr=1e-3, epochs=STEPS)
        model.save_pretrained(checkpoint)
        dist.barrier()
        saved = AutoModelForCausalLM.from_pretrained(checkpoint)
        same = all(
            torch.equal(mine.full_tensor().cpu(), other.cpu())
            for mine, other in zip(model.parameters(), saved.parameters(), strict=True)
        )
    losses = [float(line.split()[-1]) for line in log.getvalue().splitlines()]
    return {"losses": losses, "same": same, "bytes": held / saved.num_parameters()}


def main() -> None:
    if len(sys.argv) == 4:
        run(*sys.argv[1:])
        return
    seen = on_ranks(on_rank, PROCESSES)[0]
    losses = seen["losses"]
    print(f"Bytes of weights per parameter on each of {PROCESSES} ranks: {seen['bytes']:.2f}")
    print(f"The loss falls in {len(losses)} steps: {losses[-1] < losses[0]}")
    print(f"The checkpoint has the weights of the ranks: {seen['same']}")


if __name__ == "__main__":
    main()
