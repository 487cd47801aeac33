"""An MPI launch: mpirun starts the processes, Accelerate reads their numbers, and gloo carries the gradients."""

import json
import os
import shutil
import subprocess
from dataclasses import asdict

from _train_cpu_many import single_process_norm, tiny_model
from gloo import PROCESSES, Step, step

# isort: split
# --8<-- [start:launch]
import socket
import sys


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


# mpirun numbers the processes; where rank 0 listens is ours to say.
def command(script: str, cores: int) -> list[str]:
    words = ["mpirun", "-np", "2"]
    words += ["--map-by", "socket", "--bind-to", "socket"]
    words += ["-x", "MASTER_ADDR=127.0.0.1"]
    words += ["-x", f"MASTER_PORT={free_port()}"]
    words += ["-x", f"OMP_NUM_THREADS={cores}"]
    return [*words, sys.executable, script]


# --8<-- [end:launch]
CANNOT_RUN = 75


def by_mpirun() -> list[Step]:
    """What the processes say, in the order of their ranks. Raises CalledProcessError."""
    root = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}  # as in a container
    answer = subprocess.run(command(__file__, 1), env=os.environ | root, stdout=subprocess.PIPE, text=True, check=True)
    steps = [Step(**json.loads(line)) for line in answer.stdout.splitlines() if line.startswith("{")]
    return sorted(steps, key=lambda seen: seen.rank)


def main() -> None:
    if "OMPI_COMM_WORLD_RANK" in os.environ:  # mpirun has started this process.
        # The line and its end at once, so that no other process's line comes between.
        sys.stdout.write(json.dumps(asdict(step())) + "\n")
        return
    if shutil.which("mpirun") is None:
        print("needs mpirun, and there is none on the path")
        sys.exit(CANNOT_RUN)
    for seen in by_mpirun():
        print(f"Rank {seen.rank} of {seen.processes}: {seen.backend}, {seen.wrapped}", end=", ")
        print(f"norm of the gradients {seen.gradient_norm:.2f}")
    print(f"One process with all {4 * PROCESSES} rows, in fp32: norm {single_process_norm(tiny_model()):.2f}")


if __name__ == "__main__":
    main()
