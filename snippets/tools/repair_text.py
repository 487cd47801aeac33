"""Repair a garbled sentence from Python, and replay the steps that did it."""

from pathlib import Path

from hexapla.mojibake import Corpus, Repair, repair, replay

PAGES = Path(__file__).parents[2] / "docs" / "zh"
# "Gradient accumulation adds up the gradients of several small batches", UTF-8 read as cp1254, what is undefined lost.
CLEAN = "梯度累积把几个小批次的梯度加在一起，优化器再更新一次。\n"
GARBLED = CLEAN.encode("utf-8").decode("cp1254", errors="ignore")


def repaired(garbled: str) -> Repair:
    """What `garbled` was, by a model of the guide's own Chinese pages."""
    pages = PAGES.rglob("*.md")
    # --8<-- [start:repair]
    corpus = Corpus(page.read_text("utf-8") for page in pages)
    result = repair(garbled, corpus)
    assert replay(garbled, result.steps) == result.text
    # --8<-- [end:repair]
    return result


def main() -> None:
    result = repaired(GARBLED)
    print(f"garbled:   {GARBLED.strip()[:24]}...")
    print(f"repaired:  {result.text.strip()}")
    print(f"uncertain: {', '.join(item.text for item in result.uncertain) or 'nothing'}")


if __name__ == "__main__":
    main()
