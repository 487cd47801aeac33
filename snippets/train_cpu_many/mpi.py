"""An MPI launch: mpirun starts the processes, Accelerate reads their numbers, and gloo carries the gradients."""

import json
import os
import shutil
import socket
import subprocess
import sys
from dataclasses import asdict

from _train_cpu_many import single_process_norm
from gloo import PROCESSES, Step, step

CANNOT_RUN = 75


def free_port() -> int:
    """A port of this machine that nobody listens on."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def by_mpirun() -> list[Step]:
    """What the processes say, in the order of their ranks. Raises CalledProcessError."""
    # --8<-- [start:launch]
    # mpirun numbers the processes; where rank 0 listens is ours to say.
    command = ["mpirun", "-np", "2", "--oversubscribe"]
    command += ["-x", "MASTER_ADDR=127.0.0.1"]
    command += ["-x", f"MASTER_PORT={free_port()}"]
    command += ["-x", "OMP_NUM_THREADS=1"]
    command += [sys.executable, __file__]
    # --8<-- [end:launch]
    root = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}  # as in a container
    answer = subprocess.run(command, env=os.environ | root, stdout=subprocess.PIPE, text=True, check=True)
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
    print(f"One process with all {4 * PROCESSES} rows, in fp32: norm {single_process_norm():.2f}")


if __name__ == "__main__":
    main()
