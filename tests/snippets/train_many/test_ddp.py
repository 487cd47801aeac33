"""Every rank ends a step with the gradients of all rows, having seen its share of them."""

import os
import subprocess
import sys
from tempfile import TemporaryDirectory

import pytest
import torch
import torch.distributed as dist
from _train_many import on_ranks, tiny_model, tokens
from torch.nn.parallel import DistributedDataParallel
from transformers import (
    MixtralConfig,
    MixtralForCausalLM,
    T5Config,
    T5ForConditionalGeneration,
    Trainer,
    TrainingArguments,
)

from snippets.train_many import ddp as snippet
from snippets.train_many.ddp import Seen

pytestmark = pytest.mark.needs(devices=2)

# fp32 sums in another order; the gradients agree to six digits or so.
SAME = 1e-5
ROWS = 8
MIXTURE = {"vocab_size": 256, "hidden_size": 32, "intermediate_size": 32, "num_hidden_layers": 1,
           "num_attention_heads": 4, "num_key_value_heads": 2, "num_local_experts": 4, "num_experts_per_tok": 2}


@pytest.fixture(scope="module")
def ranks() -> list[Seen]:
    return on_ranks(snippet.everything, snippet.PROCESSES)


def test_the_ranks_share_the_rows(ranks: list[Seen]) -> None:
    assert len(ranks) == snippet.PROCESSES
    assert sorted(row for seen in ranks for row in seen.step.rows) == list(range(ROWS))


def test_every_rank_has_the_gradients_of_all_rows(ranks: list[Seen]) -> None:
    for step in (seen.step for seen in ranks):
        assert step.difference_from_all_rows < SAME
        assert step.difference_from_its_rows > 0.1


def test_every_gradient_is_sent_once(ranks: list[Seen]) -> None:
    for step in (seen.step for seen in ranks):
        assert step.bytes_reduced == step.bytes_of_gradients > 0


def test_accumulating_sends_the_gradients_with_the_last_batch_alone(ranks: list[Seen]) -> None:
    for accumulation in (seen.accumulation for seen in ranks):
        assert accumulation.averages_after_first == 0
        assert accumulation.averages > 0
        assert accumulation.difference_from_all_rows < SAME


def test_rows_of_other_lengths_are_averaged_by_token_and_not_by_rank(ranks: list[Seen]) -> None:
    for seen in ranks:
        assert seen.unequal.by_token < SAME
        assert seen.unequal.by_rank > 0.1


def test_every_epoch_has_an_order_of_its_own_and_all_rows(ranks: list[Seen]) -> None:
    first, second = ([row for seen in ranks for row in seen.epochs[epoch]] for epoch in (0, 1))
    assert sorted(set(first)) == sorted(set(second)) == list(range(9))
    assert first != second
    assert len(first) == 10  # The sampler repeats a row, so that all ranks have as many.


def test_torchrun_prints_what_the_snippet_prints_alone() -> None:
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node"]
    command += [str(snippet.PROCESSES), snippet.__file__]
    variables = os.environ | {"OMP_NUM_THREADS": "1"}
    answer = subprocess.run(command, env=variables, capture_output=True, text=True, timeout=120)
    assert answer.returncode == 0, answer.stderr
    assert answer.stdout.count("with all 8 rows: 0.0000") == snippet.PROCESSES


def gradients_of_masked_rows() -> list[float]:
    """The sums of the gradients of rows whose labels are all masked."""
    model = DistributedDataParallel(tiny_model())
    rows = tokens(rows=2)
    masked = torch.full_like(rows, -100)
    snippet.backward_by_tokens(model, rows, masked, snippet.labels_per_rank(masked))
    return [parameter.grad.abs().sum().item() for parameter in model.parameters()]


def test_masked_rows_have_no_gradients() -> None:
    (sums,) = on_ranks(gradients_of_masked_rows, 1)
    assert set(sums) == {0.0}


def balancing_gradients() -> list[torch.Tensor]:
    """The router's gradients of the balancing loss on all ranks: by the snippet, and of a loss times the ranks."""
    rows, found = tokens(rows=2), []
    for times_the_ranks in (False, True):
        by_coefficient = []
        for coefficient in (0.0, 10.0):
            torch.manual_seed(0)
            config = MixtralConfig(**MIXTURE, output_router_logits=True, router_aux_loss_coef=coefficient)
            ddp = DistributedDataParallel(MixtralForCausalLM(config).to(rows.device))
            if times_the_ranks:
                count = torch.tensor(rows[:, 1:].numel() * dist.get_world_size())
                loss = ddp(input_ids=rows, labels=rows, num_items_in_batch=count).loss
                (loss * dist.get_world_size()).backward()
            else:
                snippet.backward_by_tokens(ddp, rows, rows, snippet.labels_per_rank(rows))
            by_coefficient.append(ddp.module.model.layers[0].mlp.gate.weight.grad)
        found.append((by_coefficient[1] - by_coefficient[0]).cpu())
    return found


@pytest.mark.claim(
    "train_speed#mixture-of-experts", "transformers/models/mixtral/modeling_mixtral.py::MixtralForCausalLM.forward"
)
def test_the_number_of_ranks_does_not_change_the_weight_of_the_balancing_loss() -> None:
    ((one, _),) = on_ranks(balancing_gradients, 1)
    for ours, multiplied in on_ranks(balancing_gradients, 2):
        torch.testing.assert_close(ours, one, rtol=1e-3, atol=1e-5)
        torch.testing.assert_close(multiplied, 2 * one, rtol=1e-3, atol=1e-5)


def logged_losses() -> list[float]:
    """The losses that Trainer logs for eight rows on all ranks: of T5 as it is, and of one that it is told of."""
    rows = tokens(rows=ROWS)
    found = []
    for told in (False, True):
        torch.manual_seed(0)
        sizes = {"vocab_size": 256, "d_model": 32, "d_kv": 16, "d_ff": 64, "num_layers": 1, "num_heads": 2}
        model = T5ForConditionalGeneration(T5Config(**sizes, dropout_rate=0.0, decoder_start_token_id=0))
        if told:
            model.accepts_loss_kwargs = False
        with TemporaryDirectory() as folder:
            args = TrainingArguments(
                folder, per_device_train_batch_size=ROWS // snippet.PROCESSES, max_steps=1, logging_steps=1,
                use_cpu=True, report_to=[], save_strategy="no", disable_tqdm=True,
            )
            trainer = Trainer(model, args, train_dataset=[{"input_ids": row, "labels": row} for row in rows])
            trainer.train()
        found.append(trainer.state.log_history[0]["loss"])
    return found


@pytest.mark.claim("fsdp2#data-parallelism", "transformers/trainer.py::Trainer.compute_loss")
def test_trainer_multiplies_a_loss_that_ignores_the_count_by_the_ranks_unless_told() -> None:
    for plain, told in on_ranks(logged_losses, snippet.PROCESSES):
        assert plain == pytest.approx(snippet.PROCESSES * told, rel=0.01)


def types_in_training() -> tuple[set[torch.dtype], set[torch.dtype]]:
    """The types of the logits while the loop trains, and of the weights after it."""
    model, products = tiny_model(), set()
    model.lm_head.register_forward_hook(lambda module, inputs, logits: products.add(logits.dtype))
    snippet.train_with_ddp(model, tokens(), epochs=1)
    return products, {parameter.dtype for parameter in model.parameters()}


def test_the_loop_multiplies_in_bf16_and_keeps_weights_in_fp32() -> None:
    assert on_ranks(types_in_training, 2) == [({torch.bfloat16}, {torch.float32})] * 2
