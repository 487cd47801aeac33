"""torchao's moments take the bits that their format says, by Trainer in blocks of 256, and the model still learns."""

import functools
from collections.abc import Callable, Iterator
from pathlib import Path

import bitsandbytes as bnb
import pytest
import torch
from torchao.optim import AdamW4bit, AdamW8bit
from torchao.optim.subclass_4bit import OptimState4bit
from torchao.optim.subclass_8bit import OptimState8bit
from transformers import Trainer

from snippets.memory.train_70b import ShardedAdamW8bit
from snippets.train_one import torchao_adamw as snippet
from tests.snippets.small_gradients import measure_llama, measure_steps

from _tiny import VOCABULARY, run, tiny_batch, tiny_dataset, tiny_model

SIDE = 1024


@pytest.fixture(autouse=True)
def eager() -> Iterator[None]:
    """The step's numbers are the same without the compiler, which takes its time."""
    with torch.compiler.set_stance("force_eager"):
        yield


@pytest.mark.parametrize(
    ("bits", "held"),
    [
        (8, 2 * (1 + 4 / 256) + 2 * 256 * 4 / SIDE**2),
        (4, 2 * (1 / 2 + 4 / 256) + 2 * 16 * 4 / SIDE**2),
    ],
)
def test_a_matrix_takes_its_bits_a_scale_a_block_and_two_tables(bits: int, held: float) -> None:
    assert snippet.matrix_state(bits, SIDE, SIDE) == held


@pytest.mark.parametrize("bits", [8, 4])
def test_a_small_matrix_stays_in_fp32(bits: int) -> None:
    assert snippet.matrix_state(bits, 32, 32) == 8


@pytest.mark.claim("train_optimizers#torchao-adam", "transformers/trainer_optimizer.py", "torchao/optim/adam.py")
@pytest.mark.parametrize(
    ("optim", "kind"), [("adamw_torch_4bit", OptimState4bit), ("adamw_torch_8bit", OptimState8bit)]
)
def test_trainer_quantizes_in_blocks_of_256(optim: str, kind: type[torch.Tensor], tmp_path: Path) -> None:
    model, args = tiny_model(), snippet.training_arguments(str(tmp_path))
    assert args.optim == "adamw_torch_4bit"
    args.optim = optim
    trainer = run(Trainer(model, args, train_dataset=tiny_dataset()))
    for moment in ("exp_avg", "exp_avg_sq"):
        state = trainer.optimizer.optimizer.state[model.lm_head.weight][moment]
        assert type(state) is kind
        assert state.block_size == 256


@pytest.mark.parametrize("bits", [8, 4])
def test_the_loss_falls_about_as_far_as_with_32_bits(bits: int) -> None:
    def last_loss(low_bits: bool) -> float:
        model, batch = tiny_model(), tiny_batch()
        optimizer = snippet.optimizers(model)[bits] if low_bits else torch.optim.AdamW(model.parameters(), lr=1e-3)
        for _ in range(10):
            optimizer.zero_grad()
            loss = model(**batch).loss
            loss.backward()
            optimizer.step()
        return loss.item()

    plain = last_loss(low_bits=False)
    assert plain < 5.3
    assert last_loss(low_bits=True) == pytest.approx(plain, rel=0.05)


@pytest.mark.claim("train_optimizers#torchao-adam", "torchao/optim/adam.py", "torchao/optim/quant_utils.py")
@pytest.mark.parametrize(("bits", "least", "most"), [(8, 10, float("inf")), (4, 0, 2)])
def test_values_of_rare_tokens_move_too_far_in_8_bits_alone(bits: int, least: float, most: float) -> None:
    """As a multiple of the learning rate times the steps, about the farthest that AdamW moves a value."""
    generator, steps = torch.Generator().manual_seed(1), 20
    shares = 1 / torch.arange(1, VOCABULARY + 1)  # A few tokens are in every batch, most of them rarely.
    model = tiny_model()
    weight = model.model.embed_tokens.weight
    before, optimizer = weight.detach().clone(), snippet.optimizers(model)[bits]
    for _ in range(steps):
        tokens = torch.multinomial(shares, 64, replacement=True, generator=generator).view(4, 16).to(weight.device)
        optimizer.zero_grad()
        model(input_ids=tokens, labels=tokens).loss.backward()
        optimizer.step()
    farthest = (weight.detach() - before).abs().max().item() / (1e-3 * steps)
    assert least < farthest < most


ADAM, TORCHAO_8 = torch.optim.AdamW, functools.partial(AdamW8bit, block_size=256)
TORCHAO_4 = functools.partial(AdamW4bit, block_size=256)
BITSANDBYTES = functools.partial(bnb.optim.AdamW8bit, min_8bit_size=0)


@pytest.mark.claim("train_optimizers#torchao-adam", "torchao/optim/adam.py::single_param_adam",
                   "torchao/optim/quant_utils.py::create_dynamic_map",
                   "torchao/optim/subclass_4bit.py::get_qmap_unsigned")
@pytest.mark.parametrize(
    ("kind", "ratio", "farthest", "mean"),
    [
        (ADAM, 1e-3, (1, 1.5), (0.19, 0.21)),
        (TORCHAO_8, 1e-2, (1, 3), (0.1, 0.3)),
        (TORCHAO_8, 1e-3, (1000, float("inf")), (0.1, float("inf"))),
        (TORCHAO_4, 1e-2, (0, 2), (0, 0.019)),
        (TORCHAO_4, 1e-3, (0, 2), (1 / 200, 1.2 / 200)),  # One learning rate in the first of 200 steps, then none.
        (BITSANDBYTES, 1e-2, (1, 3), (0.1, 0.3)),
        (BITSANDBYTES, 1e-3, (1, 3), (0.02, 0.3)),
    ],
    ids=["AdamW", "8 bits, hundredth", "8 bits", "4 bits, hundredth", "4 bits", "bnb, hundredth", "bnb"],
)
def test_small_gradients_beside_a_large_one_move_values_too_far_in_8_bits_and_hardly_in_4(
    kind: Callable[..., torch.optim.Optimizer], ratio: float, farthest: tuple[float, float], mean: tuple[float, float]
) -> None:
    """In learning rates, of values whose gradients are a hundredth or a thousandth of the largest in their block."""
    found = measure_steps(kind, ratio)
    assert all(least < value < most for value, (least, most) in zip(found, (farthest, mean), strict=True))


@pytest.mark.claim("train_optimizers#torchao-adam", "torchao/optim/adam.py::single_param_adam",
                   "torchao/optim/quant_utils.py::create_dynamic_map",
                   "torchao/optim/subclass_4bit.py::get_qmap_unsigned")
@pytest.mark.parametrize(
    ("kind", "farthest", "mean"),
    [
        (ADAM, (0.9, 1.5), (0.2, 0.4)),
        (TORCHAO_8, (100, float("inf")), (0.2, float("inf"))),
        (TORCHAO_4, (0.9, 2), (0, 0.1)),
        (BITSANDBYTES, (0.9, 2), (0.2, 0.4)),
        (ShardedAdamW8bit, (0.9, 2), (0.2, 0.4)),
    ],
    ids=["AdamW", "8 bits", "4 bits", "bnb", "subclass"],
)
def test_one_large_feature_moves_queries_and_keys_of_a_llama_too_far_in_8_bits_and_hardly_in_4(
    kind: Callable[..., torch.optim.Optimizer], farthest: tuple[float, float], mean: tuple[float, float]
) -> None:
    found = measure_llama(kind)
    assert all(least < value < most for value, (least, most) in zip(found, (farthest, mean), strict=True))
