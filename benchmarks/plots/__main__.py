"""Draw the guide's plots from the evidence: `python -m benchmarks.plots`; with `--check`, only compare."""

import argparse
import sys
from collections.abc import Iterator
from functools import cache
from itertools import product
from pathlib import Path

import yaml
from hexapla import glossary
from hexapla.examples.evidence import Hardware, Status, parse_evidence
from hexapla.hanzi.converter import Converter

from benchmarks.plots import (
    bits,
    cache_blocks,
    collectives,
    decoder_layer,
    decoding,
    draw,
    evidence,
    layer_splits,
    optimizers,
    over_time,
    ring,
    roofline,
    schedule,
    schedulers,
    serving,
    sharding,
    step_timeline,
)

ROOT = Path(__file__).parents[2]
PLOTS = Path("docs/assets/plots")
LANGUAGES = ("en", "zh", "ja", "zh-Hant")
LOOKS = [draw.Look(*each) for each in product(LANGUAGES, draw.INK, (draw.WIDE, draw.NARROW))]
METHODS = "memory/techniques_llama_3b.py"
FINETUNE, LIMIT, NEAR = "memory/finetune_8b.py", 24, 5  # GB; the steps with an adapter are the last five
SERVE, SERVE_LIMIT = "memory/serve_8b.py", 16.8  # GB, which are 15.61 GiB
SHARDED, SHARDED_LIMIT = "memory/train_70b.py", 80  # GB


@cache
def words(language: str) -> dict[str, str]:
    """What is written in the plots, in a language."""
    table = yaml.safe_load((Path(__file__).parent / "words.yml").read_text("utf-8"))
    if language == "zh-Hant":
        terms = glossary.parse((ROOT / "docs/glossary.yml").read_text("utf-8"))
        convert = Converter(glossary.conversions(terms, "zh", "zh-Hant"))
        return {word: convert(renderings["zh"]) for word, renderings in table.items()}
    return {word: renderings[language] for word, renderings in table.items()}


def outputs(root: Path) -> Iterator[tuple[Hardware, str, str]]:
    """For every run in the evidence: the hardware, the snippet, what it printed."""
    for path in sorted((root / "snippets/evidence").glob("*.json")):
        found = parse_evidence(path.read_text("utf-8"))
        for snippet, run in found.runs.items():
            if run.status is Status.RAN:
                yield found.hardware, snippet, run.output


def files(root: Path) -> Iterator[tuple[Path, str]]:
    """Every plot: its path below the root, and its text. Raises TableError."""
    printed = list(outputs(root))
    methods = evidence.memory(first(printed, METHODS))
    finetune = evidence.memory(first(printed, FINETUNE))
    serve = evidence.memory(first(printed, SERVE), evidence.SERVED)
    sharded = evidence.memory(first(printed, SHARDED), evidence.SHARDED)
    held = evidence.timeline(first(printed, "memory/out_of_memory.py"))
    steps = over_time.read(first(printed, over_time.SNIPPET))
    formats = bits.read(first(printed, bits.SNIPPET))
    exchanged = collectives.read(first(printed, collectives.SNIPPET))
    printed_serving = first(printed, serving.SNIPPET)
    served, parts = serving.read(printed_serving), serving.read_parts(printed_serving)
    units = sharding.read(first(printed, sharding.SNIPPET))
    decoded = decoding.read(first(printed, decoding.SNIPPET))
    gpu, output = on_gpu(printed, roofline.PRODUCTS)
    products, tokens = roofline.read_products(output), roofline.read_tokens(on_gpu(printed, roofline.DECODING)[1])
    layer = decoder_layer.read(first(printed, decoder_layer.SNIPPET))
    scaled = roofline.read_scaling(first(printed, roofline.SCALING))
    derived = first(printed, layer_splits.SNIPPET)
    blocks, shares = layer_splits.read_blocks(derived), layer_splits.read_shares(derived)
    timed = step_timeline.read(first(printed, step_timeline.SNIPPET))
    rings = roofline.read_collectives(first(printed, roofline.TIMES))
    scheduled = schedulers.read(first(printed, schedulers.SNIPPET))
    losses = optimizers.read(first(printed, optimizers.SNIPPET))
    phases = evidence.phases(first(printed, "profiling/slow_training.py"))
    for look in LOOKS:
        said = words(look.language)
        title = said["memory"].format(model="llama-3.2-3b")
        yield named("memory-llama-3.2-3b", look), draw.memory(methods, title, said.__getitem__, look)
        title = said["memory"].format(model="Llama 3.1 8B")
        yield named("finetune-8b", look), draw.budget(finetune, title, said.__getitem__, look, LIMIT, NEAR)
        title = said["served"].format(model="Llama 3.1 8B")
        yield named("serve-8b", look), draw.memory(serve, title, said.__getitem__, look, SERVE_LIMIT)
        title = said["sharded"].format(model="Llama 3.1 70B")
        yield named("train-70b", look), draw.memory(sharded, title, said.__getitem__, look, SHARDED_LIMIT)
        yield named("slow-training", look), draw.memory(phases, said["phases"], said.__getitem__, look, decimals=0)
        yield named("out-of-memory", look), draw.timeline(held, said["timeline"], said.__getitem__, look)
        yield named("step-over-time", look), over_time.step(steps, said["step over time"], said.__getitem__, look)
        for picture in over_time.PAIRS:
            yield named(picture, look), over_time.pair(steps, picture, said.__getitem__, look)
        yield named("format-bits", look), bits.picture(formats, said.__getitem__, look)
        yield named("collectives", look), collectives.picture(exchanged, said.__getitem__, look)
        yield named("fsdp-step", look), sharding.picture(units, said.__getitem__, look)
        yield named("caches", look), decoding.caches(decoded, said.__getitem__, look)
        yield named("speculative-decoding", look), decoding.drafts(decoded, said.__getitem__, look)
        title = said["roofline"].format(hardware=gpu)
        yield named("roofline", look), roofline.roofline(products, title, said.__getitem__, look)
        yield named("decoder-layer", look), decoder_layer.picture(layer, said.__getitem__, look)
        title = said["tokens"].format(hardware=gpu)
        yield named("tokens", look), roofline.tokens(tokens, title, said.__getitem__, look)
        yield named("scaling", look), roofline.scaling(scaled, said["scaling"], said.__getitem__, look)
        title = said["collective times"]
        yield named("collective-times", look), roofline.collectives(rings, title, said.__getitem__, look)
        yield named("layer-splits", look), layer_splits.picture(blocks, said.__getitem__, look)
        yield named("rank-grid", look), layer_splits.grid(said.__getitem__, look)
        yield named("tokens-per-split", look), layer_splits.shares(shares, said["shares"], said.__getitem__, look)
        title = said["token time"]
        yield named("token-time", look), serving.token_time(parts, title, said.__getitem__, look)
        title = said["throughput"]
        yield named("throughput", look), serving.picture(served, title, said.__getitem__, look)
        yield named("ring", look), ring.picture(said.__getitem__, look)
        yield named("step-timeline", look), step_timeline.picture(timed, said.__getitem__, look)
        yield named("optimizer-losses", look), optimizers.picture(losses, said["losses"], said.__getitem__, look)
        yield named("schedulers", look), schedulers.picture(scheduled, said.__getitem__, look)
        yield named("cache-blocks", look), cache_blocks.picture(said.__getitem__, look)
        yield named("pipeline-schedules", look), schedule.picture(said.__getitem__, look)


def first(printed: list[tuple[Hardware, str, str]], wanted: str) -> str:
    """What a snippet printed on the first hardware that ran it: the memory is the same on all. Raises TableError."""
    for _, snippet, output in printed:
        if snippet == wanted:
            return output
    raise evidence.TableError(f"{wanted} has no evidence; run `hexapla run {wanted} --record`")


def on_gpu(printed: list[tuple[Hardware, str, str]], wanted: str) -> tuple[str, str]:
    """The first GPU that a snippet ran on, without its maker, and what it printed there. Raises TableError."""
    for hardware, snippet, output in printed:
        if snippet == wanted and "on cuda" in output:
            return " ".join(hardware.name.split()[1:2]), output
    raise evidence.TableError(f"{wanted} has no evidence of a GPU; run `make gpu-evidence` on one")


def named(plot: str, look: draw.Look) -> Path:
    """The file of a plot; the site shows the narrow one in the place of the other where it is there."""
    return PLOTS / f"{plot}-{look.language.lower()}-{look.scheme}{'-narrow' * (look.form is draw.NARROW)}.svg"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 where a file is not what is drawn")
    check = parser.parse_args().check
    changed = [(path, text) for path, text in files(ROOT) if read(ROOT / path) != text]
    for path, text in changed:
        print(path)
        if not check:
            (ROOT / path).parent.mkdir(parents=True, exist_ok=True)
            (ROOT / path).write_text(text, "utf-8")
    if check and changed:
        print("these are not drawn from today's evidence; run `make plots`", file=sys.stderr)
    return 1 if check and changed else 0


def read(path: Path) -> str | None:
    return path.read_text("utf-8") if path.exists() else None


if __name__ == "__main__":
    sys.exit(main())
