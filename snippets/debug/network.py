"""The network test: every process of a job meets all others, before a training run finds out that one does not."""

# --8<-- [start:imports]
import os
import subprocess
import sys
from datetime import timedelta

import torch
import torch.distributed as dist

# --8<-- [end:imports]


# --8<-- [start:check]
def check(timeout=60):
    device = "cpu"
    if torch.cuda.is_available():
        device = f"cuda:{os.environ['LOCAL_RANK']}"
        torch.cuda.set_device(device)
    backend = "gloo" if device == "cpu" else "nccl"
    dist.init_process_group(backend, timeout=timedelta(seconds=timeout))
    rank, processes = dist.get_rank(), dist.get_world_size()

    # A place for each process, in which that one adds 1.
    met = torch.zeros(processes, dtype=torch.int64, device=device)
    met[rank] = 1
    dist.all_reduce(met)
    dist.barrier()
    dist.destroy_process_group()

    counts = enumerate(met.tolist())
    missing = [other for other, count in counts if count != 1]
    if missing:
        raise RuntimeError(f"rank {rank} did not hear from {missing}")
    return f"rank {rank} met all {processes} processes by {backend}"


# --8<-- [end:check]


# --8<-- [start:launch]
def launch(processes):
    command = [sys.executable, "-m", "torch.distributed.run"]
    command += ["--standalone", "--nproc-per-node", str(processes)]
    lines = subprocess.check_output([*command, __file__], text=True)
    return sorted(lines.splitlines())


# --8<-- [end:launch]


# --8<-- [start:main]
PROCESSES = torch.cuda.device_count() or 2


def main():
    if "RANK" in os.environ:  # torchrun has started this process.
        # In one call, so that no other process's line comes between.
        sys.stdout.write(check() + "\n")
    else:
        print("\n".join(launch(PROCESSES)))


if __name__ == "__main__":
    main()
# --8<-- [end:main]
