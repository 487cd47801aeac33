"""The network test: every process of a job meets all others, before a training run finds out that one does not."""

import os
import subprocess
import sys
from datetime import timedelta

import torch
import torch.distributed as dist

PROCESSES = torch.cuda.device_count() or 2


def check(timeout: float = 60) -> str:
    """Run by every process; raises DistError where one is missing for `timeout` seconds."""
    # --8<-- [start:check]
    backend = "nccl" if torch.cuda.is_available() else "gloo"
    dist.init_process_group(backend, timeout=timedelta(seconds=timeout))
    rank, processes = dist.get_rank(), dist.get_world_size()
    if backend == "nccl":
        torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))

    number = torch.tensor(1 << rank)
    if backend == "nccl":
        number = number.cuda()
    dist.all_reduce(number)  # Adds one bit of each process.
    dist.barrier()
    dist.destroy_process_group()
    # --8<-- [end:check]
    met = [other for other in range(processes) if number.item() >> other & 1]
    return f"rank {rank} of {processes} met {met} by {backend}"


def launch(processes: int) -> list[str]:
    """What the processes say, in the order of their ranks. Raises CalledProcessError."""
    # --8<-- [start:launch]
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone"]
    command += ["--nproc-per-node", str(processes), __file__]
    # --8<-- [end:launch]
    answer = subprocess.run(command, capture_output=True, text=True, check=True)
    return sorted(answer.stdout.splitlines())


def main() -> None:
    if "RANK" in os.environ:  # torchrun has started this process.
        # The line and its end at once, so that no other process's line comes between.
        sys.stdout.write(check(float(os.environ.get("TIMEOUT", "60"))) + "\n")
    else:
        print("\n".join(launch(PROCESSES)))


if __name__ == "__main__":
    main()
