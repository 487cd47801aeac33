"""A small project with evidence of three machines, and what an attack, or time, does to it."""

import json
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hexapla.examples.evidence import Evidence, Hardware, Run, Status, digest_run, dump_evidence, file_name
from hexapla.examples.provenance import hash_files, lock_hash, read_pins, test_files
from hexapla.examples.signatures import NAMESPACE
from hexapla.examples.snippet import Snippets

SIGNER = "ci@example.org"
ADD = "from _numbers import two\n\n\ndef add(a, b):\n    return a + b\n\n\nprint(f'sum: {add(1, two)}')\n"
SPEED = "from pathlib import Path\n\nprint(Path(__file__).with_name('speed.json').read_text())\n"
PAGE = '# Kit {#kit}\n\nThe sum is `{evidence} demo/add > sum`.\n\n```python\n--8<-- "demo/add.py"\n```\n'
MEASURING = "import pytest\n\npytestmark = pytest.mark.measures\n\n\ndef test_it():\n    pass\n"
FILES = {
    "mkdocs.yml": "site_name: Kit\nplugins:\n- hexapla:\n    hardware: {cpu: CPU, gpu: GPU}\n"
    "- i18n:\n    docs_structure: folder\n    languages: [{locale: en, name: English, default: true}]\n"
    "markdown_extensions: [pymdownx.snippets]\n",
    "pyproject.toml": '[project]\nname = "kit"\nversion = "1"\ndependencies = ["torch>=2.13"]\n'
    '[tool.hexapla.runners]\ncpu = {}\ngpu = {device = "gpu"}\n',
    "constraints.txt": "torch==2.13.0\nmkdocs==1.6.1\n",
    "docs/en/index.md": PAGE,
    "snippets/demo/add.py": ADD,
    "snippets/demo/_numbers.py": "two = 2\n",
    "snippets/demo/speed.py": SPEED,
    "snippets/demo/speed.json": "[1, 2]\n",
    "src/kit.py": "VERSION = 1\n",
    "tests/snippets/conftest.py": "import pytest\n",
    "tests/snippets/demo/test_add.py": "def test_sum():\n    assert sum([1, 2]) == 3\n",
    "tests/snippets/demo/test_speed.py": MEASURING,
}
# What the run of each snippet imports beside what it needs, and what it printed.
RUNS = {"demo/add.py": (["src/kit.py"], "sum: 3"), "demo/speed.py": ([], "speed: 57 ms")}
MACHINES = {
    "amd": (Hardware("cpu", "AMD EPYC", 2, 24 << 30), {"torch": "2.13.0+cpu"}, "", 0),
    "intel": (Hardware("cpu", "Intel Xeon", 2, 24 << 30), {"torch": "2.13.0+cpu"}, "", 0),
    "h100": (
        Hardware("gpu", "NVIDIA H100", 1, 80 << 30),
        {"torch": "2.13.0+cu130", "cuda": "13.0", "device": "NVIDIA H100", "memory_bytes": str(79 << 30),
         "capability": "9.0"},
        "NVIDIA 580.1", 1 << 20,
    ),
}


def lay_project(root: Path) -> None:
    """Write the project, its runs as they would be recorded; nothing is run."""
    write_files(root, FILES)
    snippets = Snippets(root / "snippets")
    for hardware, runtime, driver, allocated in MACHINES.values():
        runs = {}
        for path, (imported, output) in RUNS.items():
            test = f"tests/snippets/demo/test_{Path(path).name}"
            versions = {"python": "3.11.7", "torch": runtime["torch"]}
            own = {f"snippets/{each}" for each in snippets.files(path)}
            files = hash_files(root, {*own, *imported, *test_files(test)})
            runs[path] = Run(
                Status.RAN, snippets.hash(path), "2026-01-02", 0.1, 1 << 20, versions, output, "", hardware.kind,
                hardware.name, driver, ("test_it",), 0.1, allocated, {}, files,
                lock_hash(read_pins(root, snippets.root, "core"), versions, {}), runtime, hardware.cores, "avx2",
            )
        write_files(root, {f"snippets/evidence/{file_name(hardware)}": dump_evidence(Evidence(hardware, runs))})


def write_files(root: Path, files: Mapping[str, str]) -> None:
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")


def attack(root: Path, steps: Mapping[str, Any]) -> None:
    """Do to the project what an attack says, in this order: sign, edit, write, copy, remove, evidence."""
    if "sign" in steps:
        sign(root, steps["sign"])
    for path, (old, new) in steps.get("edit", {}).items():
        text = (root / path).read_text(encoding="utf-8")
        assert old in text, (path, old)
        write_files(root, {path: text.replace(old, new)})
    write_files(root, steps.get("write", {}))
    for path, copied in steps.get("copy", {}).items():
        shutil.copy(root / path, root / copied)
    for path in steps.get("remove", ()):
        (root / path).unlink()
    for path, changes in steps.get("evidence", {}).items():
        change_evidence(root / "snippets/evidence" / path, changes)


def change_evidence(file: Path, changes: Mapping[str, Any]) -> None:
    """Change a file of evidence: its hardware, which runs it has, their fields; digests are made again, or kept."""
    data = json.loads(file.read_text(encoding="utf-8"))
    data["hardware"] |= changes.get("hardware", {})
    for path in changes.get("drop", ()):
        del data["runs"][path]
    for path, fields in changes.get("runs", {}).items():
        for run in data["runs"].values() if path == "*" else [data["runs"][path]]:
            run.update(fields)
            for name in [name for name, value in fields.items() if value is None]:
                del run[name]
            if changes.get("digest") != "kept":
                run["digest"] = digest_run(run)
    file.write_text(json.dumps(data, indent=2, ensure_ascii=False, sort_keys=True) + "\n", encoding="utf-8")


def sign(root: Path, files: list[str]) -> None:
    """Sign files of evidence with a new key, which the project names."""
    folder, key = root / "snippets/evidence", root.parent / f"{root.name}.key"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", SIGNER, "-f", str(key)], check=True)
    kind, public, *_ = key.with_suffix(".key.pub").read_text().split()
    write_files(folder, {"allowed_signers": f'{SIGNER} namespaces="{NAMESPACE}" {kind} {public}\n'})
    for name in files:
        command = ["ssh-keygen", "-q", "-Y", "sign", "-f", str(key), "-n", NAMESPACE, str(folder / name)]
        subprocess.run(command, check=True, capture_output=True)
