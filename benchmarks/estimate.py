"""The calculator's formulas beside the simulation, on random models and methods: `python -m benchmarks.estimate [N]`.

Prints how far the estimated peak is from the simulated one, by share of the cases, and each case that is off by more
than three percent.
"""

import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT / "snippets/memory")]  # where its programs import one another from

import torch  # noqa: E402
from compare import simulated_inference, simulated_training  # noqa: E402
from estimate import Shape, inference, training  # noqa: E402

from benchmarks.random_decoders import draw  # noqa: E402


def error(estimated: dict[str, float], simulated: dict[str, int]) -> float:
    return sum(estimated.values()) / sum(simulated.values()) - 1


def show(name: str, errors: dict[str, float]) -> None:
    sizes = sorted(map(abs, errors.values()))
    shares = {share: sizes[min(int(share * len(sizes)), len(sizes) - 1)] for share in (0.5, 0.9, 0.95, 0.99, 1.0)}
    within = ", ".join(f"{share:.0%} within {100 * size:.3f} %" for share, size in shares.items())
    print(f"{name}: {len(sizes)} cases, {within}")
    for case, each in errors.items():
        if abs(each) > 0.03:
            print(f"  off by {100 * each:+.2f} %: {case}")


def main() -> None:
    number = int(sys.argv[1]) if len(sys.argv) > 1 else 240
    torch.set_num_threads(1)
    trained, served = {}, {}
    for sizes, step in draw(number, seed=0):
        shape = Shape(**sizes)
        trained[f"{shape} {step}"] = error(training(shape, **step)[1], simulated_training(shape, **step))
    for sizes, step in draw(number // 4, seed=3):
        case = Shape(**sizes), step["batch"], step["length"]
        served[str(case)] = error(inference(*case), simulated_inference(*case))
    show("training", trained)
    show("inference", served)


if __name__ == "__main__":
    main()
