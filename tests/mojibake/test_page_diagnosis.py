"""What the checks ask of a page: whether it is garbled, and how; it needs no package of the extra `repair`."""

import subprocess
import sys

import pytest
from hexapla.mojibake import garbled, repair

LOSSY = "梯度累积把几个小批次的梯度加在一起。".encode().decode("cp1252", "ignore") * 3
WITHOUT = """
import sys
sys.modules.update(dict.fromkeys(("numpy", "numba", "wordfreq")))  # an import of these raises
from hexapla.mojibake import garbled
print(garbled(sys.stdin.buffer.read().decode()))
"""


@pytest.mark.parametrize("text", [LOSSY, "été, été, été".encode().decode("latin-1")], ids=["lossy", "lossless"])
def test_a_page_is_diagnosed_as_its_repair_says(text: str) -> None:
    assert garbled(text) == "; ".join(repair(text).diagnosis.steps) != ""


def test_a_clean_page_has_no_diagnosis(page: str) -> None:
    assert garbled(page) is None


def test_a_garbled_page_is_diagnosed_where_the_extra_is_not_installed() -> None:
    ended = subprocess.run([sys.executable, "-c", WITHOUT], input=LOSSY.encode(), capture_output=True, check=False)
    assert ended.stdout.decode().startswith("utf-8 -> cp125"), ended.stderr.decode()
