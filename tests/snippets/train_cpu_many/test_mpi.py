"""The processes that mpirun starts find each other and train as one; without mpirun the snippet says so."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from _train_cpu_many import single_process_norm, tiny_model

from snippets.train_cpu_many import mpi as snippet

pytestmark = pytest.mark.needs(devices=2)


def socket_of(core: int) -> str:
    return Path(f"/sys/devices/system/cpu/cpu{core}/topology/physical_package_id").read_text()


@pytest.mark.needs("mpi")
def test_the_processes_of_mpirun_train_as_one() -> None:
    ranks = snippet.by_mpirun()
    assert [(step.rank, step.processes, step.backend) for step in ranks] == [(0, 2, "gloo"), (1, 2, "gloo")]
    norm = single_process_norm(tiny_model())
    for step in ranks:
        assert step.gradient_norm == pytest.approx(norm, rel=1e-2)  # bf16 has three digits.
        # Open MPI alone would give each of two processes one core.
        of_its_socket = [core for core in os.sched_getaffinity(0) if socket_of(core) == socket_of(step.cores[0])]
        assert step.cores == sorted(of_its_socket)


def test_without_mpirun_the_snippet_says_that_it_cannot_run(tmp_path: Path) -> None:
    variables = os.environ | {"PATH": str(tmp_path)}
    answer = subprocess.run([sys.executable, snippet.__file__], env=variables, capture_output=True, text=True)
    assert answer.returncode == snippet.CANNOT_RUN
    assert answer.stdout == "needs mpirun, and there is none on the path\n"
