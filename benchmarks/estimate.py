"""The calculator's formulas beside the simulation: `python -m benchmarks.estimate [N] [--seed SEED]`.

Draws N models and ways to train or serve them, one in ten of a published model, by the shares of `KINDS`. Each is
simulated on fake tensors, and its peak is computed by the formulas of `snippets/memory` and, where Node.js is
installed, by the calculator's JavaScript. What was simulated is kept in `build/estimate.jsonl`, so that a run that was
cut off goes on, a larger N simulates only what is new, and a changed formula simulates nothing; a change of the
simulation or of its libraries starts anew.

Prints how far the estimated peak is from the simulated one, by kind, the ten worst cases and each that is off by more
than three percent.
"""

import argparse
import dataclasses
import hashlib
import importlib.metadata
import json
import random
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
MEMORY = ROOT / "snippets/memory"
sys.path[:0] = [str(MEMORY)]  # where its programs import one another from

import torch  # noqa: E402
from compare import (  # noqa: E402
    simulated_adapters,
    simulated_encoder_inference,
    simulated_encoder_training,
    simulated_inference,
    simulated_training,
)
from compare_experts import (  # noqa: E402
    simulated_mixture_fsdp,
    simulated_mixture_inference,
    simulated_mixture_training,
)
from compare_fsdp import simulated_fsdp  # noqa: E402
from compare_t5 import simulated_t5_inference, simulated_t5_training  # noqa: E402
from estimate import (  # noqa: E402
    ENCODERS,
    MODELS,
    Encoder,
    Shape,
    inference,
    inference_of_encoder,
    training,
    training_of_adapters,
    training_of_encoder,
)
from estimate_experts import MIXTURES, Mixture, inference_of_mixture, training_of_mixture  # noqa: E402
from estimate_t5 import T5, EncoderDecoder, inference_of_t5, training_of_t5  # noqa: E402

from benchmarks import random_decoders  # noqa: E402

KEPT = ROOT / "build/estimate.jsonl"
SIMULATION = ("compare.py", "peak.py")  # of every kind
LIBRARIES = ("torch", "transformers", "peft", "bitsandbytes")
SERVED = ("batch", "length")
IN_NODE = """
const {readFileSync} = require("fs"), [, ...files] = process.argv;
const asked = JSON.parse(readFileSync(0)), source = files.map(file => readFileSync(file, "utf8")).join("\\n");
const {estimate} = require("vm").runInNewContext(source + "; hexaplaFit", {document: {querySelector: () => null}});
const bytes = held => Object.values(held).reduce((total, each) => total + each, 0);
console.log(JSON.stringify(asked.map(([shape, options]) => bytes(estimate(shape, options).held))));
"""


@dataclasses.dataclass(frozen=True, slots=True)
class Kind:
    """Models of a kind and what is done with them: how both are drawn, estimated and simulated."""

    name: str
    share: float  # of all cases
    draw: Callable[[int, str], Iterator[tuple[dict[str, Any], dict[str, Any]]]]
    shape: type
    published: Mapping[str, Any]
    task: str  # the calculator's
    estimate: Callable[..., dict[str, float]]
    simulate: Callable[..., dict[str, int]]

    def draw_cases(self, number: int, seed: int) -> Iterator[tuple[Any, dict[str, Any]]]:
        """Shapes, and the options of a step: the same first ones whatever the number."""
        chance = random.Random(f"{self.name} {seed}")
        for sizes, step in self.draw(number, f"{self.name} {seed}"):
            shape = self.shape(**sizes)
            if self.published and chance.random() < 0.1:
                shape = chance.choice(list(self.published.values()))
            yield shape, {name: step[name] for name in SERVED} if self.task == "infer" else step


def served_mixture(shape: Mixture, batch: int, length: int) -> dict[str, float]:
    """Attention sinks have no fused kernel in the simulation."""
    return inference_of_mixture(shape, batch, length, flash=not shape.biases)


def at_peak(formulas: Callable[..., tuple[str, dict[str, float]]]) -> Callable[..., dict[str, float]]:
    """The bytes alone of formulas that name the instant as well."""
    return lambda *case, **step: formulas(*case, **step)[1]


def mixtures_of(*families: str) -> dict[str, Mixture]:
    """Published mixtures of experts of these families."""
    return {name: shape for name, shape in MIXTURES.items() if name.startswith(families)}


EXPERTS = (partial(random_decoders.draw_mixtures, kinds=("mixtral", "qwen3_moe"), layers=4), Mixture,
           mixtures_of("Mixtral", "Qwen3"))
OTHER_ATTENTION = (partial(random_decoders.draw_mixtures, kinds=("deepseek_v3", "gpt_oss"), layers=4), Mixture,
                   mixtures_of("DeepSeek", "gpt-oss"))
DECODERS = (partial(random_decoders.draw, layers=4), Shape, MODELS)
BERT = (partial(random_decoders.draw_encoders, layers=4), Encoder, ENCODERS)
T5S = (partial(random_decoders.draw_encoder_decoders, layers=4), EncoderDecoder, T5)
KINDS = (
    Kind("training", 0.18, *DECODERS, "train", at_peak(training), simulated_training),
    Kind("FSDP", 0.1, random_decoders.draw_sharded, Shape, MODELS, "train", at_peak(training), simulated_fsdp),
    Kind("LoRA and QLoRA", 0.12, partial(random_decoders.draw_adapters, layers=4), Shape, MODELS, "lora",
         at_peak(training_of_adapters), simulated_adapters),
    Kind("inference", 0.1, *DECODERS, "infer", inference, simulated_inference),
    Kind("mixtures, training", 0.1, *EXPERTS, "train", at_peak(training_of_mixture), simulated_mixture_training),
    Kind("mixtures, FSDP", 0.06, random_decoders.draw_sharded_mixtures, Mixture, EXPERTS[2], "train",
         at_peak(training_of_mixture), simulated_mixture_fsdp),
    Kind("mixtures, inference", 0.06, *EXPERTS, "infer", served_mixture, simulated_mixture_inference),
    Kind("MLA and sinks, training", 0.06, *OTHER_ATTENTION, "train", at_peak(training_of_mixture),
         simulated_mixture_training),
    Kind("MLA and sinks, inference", 0.06, *OTHER_ATTENTION, "infer", served_mixture, simulated_mixture_inference),
    Kind("BERT, training", 0.05, *BERT, "train", at_peak(training_of_encoder), simulated_encoder_training),
    Kind("BERT, inference", 0.03, *BERT, "infer", inference_of_encoder, simulated_encoder_inference),
    Kind("T5, training", 0.05, *T5S, "train", at_peak(training_of_t5), simulated_t5_training),
    Kind("T5, inference", 0.03, *T5S, "infer", at_peak(inference_of_t5), simulated_t5_inference),
)


def digest_simulation(kind: Kind) -> str:
    """What a simulated peak is a function of, beside the case."""
    versions = [importlib.metadata.version(name) for name in LIBRARIES]
    sources = [(MEMORY / name).read_bytes() for name in (*SIMULATION, f"{kind.simulate.__module__}.py")]
    return hashlib.sha256(repr((versions, sources)).encode()).hexdigest()[:16]


def read_kept() -> dict[str, int]:
    """Simulated bytes by case. A row that was cut off is left out."""
    found = {}
    for line in KEPT.read_text("utf-8").splitlines() if KEPT.exists() else ():
        try:
            case, simulated = json.loads(line)
        except ValueError:
            continue
        found[case] = simulated
    return found


def simulate_cases(cases: list[tuple[Kind, Any, dict[str, Any]]]) -> list[int]:
    """Bytes at each case's peak, which are kept as they come."""
    kept, simulations = read_kept(), {kind.name: digest_simulation(kind) for kind in KINDS}
    KEPT.parent.mkdir(exist_ok=True)
    found = []
    with KEPT.open("a", encoding="utf-8") as rows:
        for number, (kind, shape, step) in enumerate(cases, 1):
            case = f"{simulations[kind.name]} {kind.name}: {shape} {step}"
            if case not in kept:
                kept[case] = sum(kind.simulate(shape, **step).values())
                rows.write(f"\n{json.dumps([case, kept[case]])}")
                rows.flush()
                print(f"{number} of {len(cases)}", file=sys.stderr, flush=True)
            found.append(kept[case])
    return found


def estimate_in_node(cases: list[tuple[Kind, Any, dict[str, Any]]]) -> list[float]:
    """Bytes by the calculator's JavaScript; none without Node.js."""
    if not (node := shutil.which("node")):
        return []
    asked = []
    for kind, shape, step in cases:
        options = {"weight_bits": 16, "cache_bits": 16, "gpus": step.get("ranks", 1), **step}
        if kind.task == "infer":
            options["flash"] = not getattr(shape, "biases", False)
        asked.append([dataclasses.asdict(shape), {**options, "task": "qlora" if step.get("quantized") else kind.task}])
    scripts = [str(ROOT / "docs/assets" / name) for name in ("fit_t5.js", "fit_experts.js", "fit.js")]
    command = [node, "-e", IN_NODE, *scripts]
    answer = subprocess.run(command, input=json.dumps(asked), capture_output=True, text=True, check=True)
    numbers: list[float] = json.loads(answer.stdout)
    return numbers


def report(cases: list[tuple[Kind, Any, dict[str, Any]]], simulated: list[int]) -> Iterator[str]:
    """How far off the estimates are: of all, of each kind, and the worst cases."""
    estimated = [sum(kind.estimate(shape, **step).values()) for kind, shape, step in cases]
    errors = [ours / theirs - 1 for ours, theirs in zip(estimated, simulated, strict=True)]
    by_kind: dict[str, list[float]] = {}
    for (kind, _, _), error in zip(cases, errors, strict=True):
        by_kind.setdefault(kind.name, []).append(abs(error))
    for name, found in {"all": list(map(abs, errors)), **by_kind}.items():
        sizes = sorted(found)
        shares = {share: sizes[min(int(share * len(sizes)), len(sizes) - 1)] for share in (0.5, 0.9, 0.99, 1.0)}
        within = ", ".join(f"{share:.0%} within {100 * size:.3f} %" for share, size in shares.items())
        yield f"{name}: {sum(size <= 0.03 for size in sizes)} of {len(sizes)} within 3 %; {within}"
    if in_node := estimate_in_node(cases):
        apart = max(abs(ours / theirs - 1) for ours, theirs in zip(in_node, estimated, strict=True))
        yield f"the calculator's JavaScript differs from the formulas by at most {apart:.0e} in {len(in_node)} cases"
    else:
        yield "the calculator's JavaScript was not run: Node.js is not installed"
    worst = sorted(range(len(cases)), key=lambda place: -abs(errors[place]))
    yield "the ten worst, and all that are off by more than 3 %:"
    for rank, place in enumerate(worst):
        if rank < 10 or abs(errors[place]) > 0.03:
            kind, shape, step = cases[place]
            yield f"  {100 * errors[place]:+.2f} % of {simulated[place] / 1e9:.3f} GB, {kind.name}: {shape} {step}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("number", nargs="?", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    torch.set_num_threads(1)
    cases = [(kind, shape, step) for kind in KINDS
             for shape, step in kind.draw_cases(round(kind.share * given.number), given.seed)]
    for line in report(cases, simulate_cases(cases)):
        print(line)


if __name__ == "__main__":
    main()
