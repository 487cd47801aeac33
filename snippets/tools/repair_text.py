"""Repair a garbled sentence from Python, and replay the steps that did it."""

# --8<-- [start:repair]
from pathlib import Path

from hexapla.mojibake import Corpus, Repair, repair, replay


def repaired(garbled: str, folder: Path) -> Repair:
    pages = folder.rglob("*.md")  # clean ones, in the same language
    corpus = Corpus(page.read_text("utf-8") for page in pages)
    result = repair(garbled, corpus)
    assert replay(garbled, result.steps) == result.text
    return result


# --8<-- [end:repair]
PAGES = Path(__file__).parents[2] / "docs" / "zh"
# "Gradient accumulation adds up the gradients of several small batches", UTF-8 read as cp1254, what is undefined lost.
CLEAN = "梯度累积把几个小批次的梯度加在一起，优化器再更新一次。\n"
GARBLED = CLEAN.encode("utf-8").decode("cp1254", errors="ignore")


def main() -> None:
    result = repaired(GARBLED, PAGES)
    print(f"garbled:   {GARBLED.strip()[:24]}...")
    print(f"repaired:  {result.text.strip()}")
    print(f"uncertain: {', '.join(item.text for item in result.uncertain) or 'nothing'}")


if __name__ == "__main__":
    main()
