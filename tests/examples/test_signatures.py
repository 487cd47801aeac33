"""A file of evidence is signed by somebody whom the project names, or by nobody."""

import shutil

import pytest
from hexapla.config.project import load_project
from hexapla.examples.evidence_store import read_all
from hexapla.examples.signatures import SignatureError, find_signer, signature_of
from hexapla.examples.snippet_runs import RunOptions, run_snippets

from benchmarks.evidence.tree import SIGNER, attack, lay_project

FILE = "cpu-amd-epyc.json"


@pytest.fixture
def folder(tmp_path):
    lay_project(tmp_path / "kit")
    attack(tmp_path / "kit", {"sign": [FILE]})
    return tmp_path / "kit/snippets/evidence"


def test_the_signer_of_a_file_is_known_and_that_of_another_is_nobody(folder):
    assert find_signer(folder / FILE) == SIGNER
    assert find_signer(folder / "cpu-intel-xeon.json") == ""
    assert {each.name: each.signer for each in read_all(folder)} == {
        "cpu-amd-epyc": SIGNER, "cpu-intel-xeon": "", "gpu-nvidia-h100": "",
    }


def test_without_ssh_keygen_a_signature_is_not_believed(folder, monkeypatch):
    monkeypatch.setenv("PATH", "")
    with pytest.raises(SignatureError, match="ssh-keygen, which verifies that, cannot be run"):
        find_signer(folder / FILE)


def test_what_is_recorded_anew_is_not_signed_any_more(tmp_path):
    root = tmp_path / "kit"
    lay_project(root)
    shutil.rmtree(root / "snippets/evidence")

    def record():
        said = []
        run_snippets(RunOptions(("demo/add",), record=True), load_project(root), said.append)
        [written] = [line.partition(": ")[2] for line in said if line.startswith("evidence: ")]
        return root / written

    file = record()
    attack(root, {"sign": [file.name]})
    assert find_signer(file) == SIGNER
    assert record() == file
    assert not signature_of(file).exists()
