"""The calculator's formulas beside the simulation, on random models and methods: `python -m benchmarks.estimate [N]`.

Prints how far the estimated peak is from the simulated one, by share of the cases, and each case that is off by more
than three percent.
"""

import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT / "snippets/memory")]  # where its programs import one another from

import torch  # noqa: E402
from compare import (  # noqa: E402
    relative_error,
    simulated_adapters,
    simulated_encoder_inference,
    simulated_encoder_training,
    simulated_inference,
    simulated_training,
)
from compare_experts import simulated_mixture_inference, simulated_mixture_training  # noqa: E402
from compare_t5 import simulated_t5_inference, simulated_t5_training  # noqa: E402
from estimate import (  # noqa: E402
    Encoder,
    Shape,
    inference,
    inference_of_encoder,
    training,
    training_of_adapters,
    training_of_encoder,
)
from estimate_experts import Mixture, inference_of_mixture, training_of_mixture  # noqa: E402
from estimate_t5 import EncoderDecoder, inference_of_t5, training_of_t5  # noqa: E402

from benchmarks.random_decoders import (  # noqa: E402
    draw,
    draw_adapters,
    draw_encoder_decoders,
    draw_encoders,
    draw_mixtures,
)


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
    trained, served, encoded, read = {}, {}, {}, {}
    translated: dict[str, dict[str, float]] = {"training": {}, "inference": {}}
    adapted: dict[bool, dict[str, float]] = {False: {}, True: {}}
    for sizes, step in draw(number, seed=0):
        shape = Shape(**sizes)
        trained[f"{shape} {step}"] = relative_error(training(shape, **step)[1], simulated_training(shape, **step))
    for sizes, step in draw(number // 4, seed=3):
        case = Shape(**sizes), step["batch"], step["length"]
        served[str(case)] = relative_error(inference(*case), simulated_inference(*case))
    for sizes, step in draw_adapters(number // 2, seed=5, layers=4):
        shape = Shape(**sizes)
        found = relative_error(training_of_adapters(shape, **step)[1], simulated_adapters(shape, **step))
        adapted[step["quantized"]][f"{shape} {step}"] = found
    for sizes, step in draw_encoders(number // 2, seed=6):
        encoder = Encoder(**sizes)
        estimated = training_of_encoder(encoder, **step)[1]
        encoded[f"{encoder} {step}"] = relative_error(estimated, simulated_encoder_training(encoder, **step))
    for sizes, step in draw_encoders(number // 4, seed=9):
        case = Encoder(**sizes), step["batch"], step["length"]
        read[str(case)] = relative_error(inference_of_encoder(*case), simulated_encoder_inference(*case))
    for sizes, step in draw_encoder_decoders(number // 2, seed=15):
        t5 = EncoderDecoder(**sizes)
        estimated = training_of_t5(t5, **step)[1]
        translated["training"][f"{t5} {step}"] = relative_error(estimated, simulated_t5_training(t5, **step))
    for sizes, step in draw_encoder_decoders(number // 4, seed=16):
        case = EncoderDecoder(**sizes), step["batch"], step["length"]
        translated["inference"][str(case)] = relative_error(inference_of_t5(*case)[1], simulated_t5_inference(*case))
    mixed: dict[str, dict[str, float]] = {"training": {}, "inference": {}}
    for sizes, step in draw_mixtures(number // 4, seed=17, kinds=("mixtral", "qwen3_moe")):
        mixture = Mixture(**sizes)
        estimated = training_of_mixture(mixture, **step)[1]
        mixed["training"][f"{mixture} {step}"] = relative_error(estimated, simulated_mixture_training(mixture, **step))
    for sizes, step in draw_mixtures(number // 4, 18, ("mixtral", "qwen3_moe", "deepseek_v3", "gpt_oss")):
        case = Mixture(**sizes), step["batch"], step["length"]
        estimated = inference_of_mixture(*case, flash=not sizes["biases"])
        mixed["inference"][str(case)] = relative_error(estimated, simulated_mixture_inference(*case))
    show("training", trained)
    show("LoRA", adapted[False])
    show("QLoRA", adapted[True])
    show("inference", served)
    show("BERT, training", encoded)
    show("BERT, inference", read)
    for task, errors in mixed.items():
        show(f"mixtures of experts, {task}", errors)
    for task, errors in translated.items():
        show(f"T5, {task}", errors)


if __name__ == "__main__":
    main()
