"""Runs that others have published, each beside the best that the law allows on that hardware."""

from pathlib import Path
from typing import Any

import yaml
from law import Device, Work, seconds

Record = dict[str, Any]
DATA: Record = yaml.safe_load(Path(__file__).with_suffix(".yml").read_text("utf-8"))


def attention(model: Record, context: float) -> float:
    """The operations of attention for one token."""
    return 4 * model["layers"] * model["width"] * context


def least_seconds(run: Record) -> float:
    """What the law says of one token's training, of one decoding step, or of a prompt."""
    model, tokens = DATA["models"][run["model"]], run["tokens"]
    device = Device(**DATA["devices"][run["device"]])
    forward = 2 * model["weights"] + attention(model, tokens / 2)
    if run["kind"] == "train":
        return run.get("passes", 3) * forward / device.flops
    if run["kind"] == "first":
        return (tokens * forward - 2 * model["head"] * (tokens - 1)) / device.flops
    batch = run.get("batch", 1)
    cache = run.get("cache", 2) * model["layers"] * model["cache"] * tokens
    products = Work(batch * 2 * model["weights"], run["weight"] * model["weights"])
    return seconds(products, device) + seconds(Work(batch * attention(model, tokens), batch * cache), device)


def best(run: Record) -> float:
    """The law's bound in the unit of what was published: milliseconds of a prompt, else tokens per second."""
    least = least_seconds(run)
    return 1000 * least if run["kind"] == "first" else run.get("batch", 1) / least


def share(run: Record) -> float:
    """How much of the law's rate the published run reaches."""
    return best(run) / run["published"] if run["kind"] == "first" else run["published"] / best(run)


def main() -> None:
    print(f"Published runs as read on {DATA['read']}, and the law:")
    for name, run in DATA["runs"].items():
        unit = "ms" if run["kind"] == "first" else "per second"
        print(f"  {name}: published {run['published']:,g} {unit}, law {best(run):,.1f} {unit}, share {share(run):.4f}")


if __name__ == "__main__":
    main()
