"""The stages together have every layer once and one process's gradients; 1F1B holds fewer microbatches than GPipe."""

from contextlib import redirect_stdout
from functools import partial
from io import StringIO
from pathlib import Path

import pytest
import torch
from _tiny_texts import TEXTS, save_checkpoint
from _train_many import device, on_ranks, ragged, relative_difference, tiny_checkpoint, tiny_model
from torch import distributed as dist
from transformers import AutoModelForCausalLM, AutoTokenizer, PhiConfig, PhiForCausalLM

from snippets.train_many import pipeline_parallel as snippet
from snippets.train_many.pipeline_parallel import Stage, Step, loss_of

pytestmark = pytest.mark.needs(devices=2)

# fp32 sums in another order; the gradients agree to six digits or so. On a GPU, bf16 has three digits.
SAME = 2e-2 if torch.cuda.is_available() else 1e-5
GPIPE, ONE_FORWARD_ONE_BACKWARD = range(2)


@pytest.fixture(scope="module")
def ranks() -> list[list[Step]]:
    return on_ranks(snippet.steps, snippet.PROCESSES)


@pytest.mark.parametrize("schedule", [GPIPE, ONE_FORWARD_ONE_BACKWARD])
def test_the_gradients_are_those_of_one_process(ranks: list[list[Step]], schedule: int) -> None:
    for steps in ranks:
        assert steps[schedule].difference < SAME


def test_gradients_are_clipped_by_the_norm_of_all_stages(ranks: list[list[Step]]) -> None:
    """A rank's own norm would scale each stage by another factor."""
    for steps in ranks:
        assert steps[GPIPE].clipped < SAME
        assert steps[GPIPE].norm == pytest.approx(ranks[0][GPIPE].norm)
        assert steps[GPIPE].norm > snippet.LIMIT


def test_every_parameter_is_on_one_rank(ranks: list[list[Step]]) -> None:
    parameters = [name for steps in ranks for name in steps[GPIPE].parameters]
    assert sorted(parameters) == sorted(name for name, _ in snippet.deep_model().named_parameters())


def test_every_layer_is_on_one_rank_also_where_they_do_not_divide(ranks: list[list[Step]]) -> None:
    layers = [steps[GPIPE].layers for steps in ranks]
    assert sum(layers) == snippet.LAYERS
    assert max(layers) - min(layers) == 1


@pytest.mark.parametrize("stage", [0, 1])
def test_a_checkpoint_in_several_files_is_read_by_its_index(tmp_path: Path, stage: int) -> None:
    model = tiny_model().bfloat16()
    model.save_pretrained(tmp_path, max_shard_size="100KB")
    assert len([*tmp_path.glob("model-*.safetensors")]) > 1
    expected = model.state_dict()
    for name, weight in Stage(str(tmp_path), stage, 2).state_dict().items():
        assert torch.equal(weight, expected[name].float().cpu()), name


@pytest.mark.parametrize("stage", [0, 1])
def test_an_output_layer_that_is_tied_to_the_embedding_is_an_error_on_every_rank(tmp_path: Path, stage: int) -> None:
    tiny_model(tie_word_embeddings=True).save_pretrained(tmp_path)
    with pytest.raises(ValueError, match="tied to the embedding"):
        Stage(str(tmp_path), stage, 2)


@pytest.mark.claim("parallelism#pipeline-parallelism", "transformers/models/phi/modeling_phi.py::PhiModel")
def test_an_architecture_that_was_not_compared_is_an_error(tmp_path: Path) -> None:
    """Phi's last norm has another name, so that every stage would apply it."""
    sizes = {"hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 2, "num_attention_heads": 4}
    model = PhiForCausalLM(PhiConfig(vocab_size=256, **sizes))
    assert not hasattr(model.model, "norm")
    model.save_pretrained(tmp_path)
    with pytest.raises(ValueError, match="phi was not compared"):
        Stage(str(tmp_path), 0, 2)


def test_a_microbatch_without_labels_has_no_loss() -> None:
    labels = torch.full((2, 5), -100)
    assert loss_of(torch.randn(2, 5, 7), labels, predicted=0).item() == 0


@pytest.mark.parametrize("rows", [5, 9, 12])
def test_a_batch_that_does_not_divide_by_the_microbatches_is_an_error_before_anything_is_sent(rows: int) -> None:
    ids = torch.zeros(rows, 4, dtype=torch.long)
    with pytest.raises(ValueError, match=f"{rows} rows do not make 8 microbatches"):
        snippet.train_step(None, None, ids, torch.ones_like(ids), ids)


def test_gpipe_makes_all_forward_passes_first(ranks: list[list[Step]]) -> None:
    for steps in ranks:
        assert steps[GPIPE].order == "F" * snippet.MICROBATCHES + "B" * snippet.MICROBATCHES
        assert steps[GPIPE].most_at_once == snippet.MICROBATCHES


@pytest.mark.claim(
    "parallelism#pipeline-parallelism", "torch/distributed/pipelining/schedules.py::PipelineScheduleSingle.step"
)
@pytest.mark.parametrize("schedule", [GPIPE, ONE_FORWARD_ONE_BACKWARD])
def test_no_rank_keeps_the_logits_of_the_microbatches(ranks: list[list[Step]], schedule: int) -> None:
    assert [steps[schedule].outputs_kept for steps in ranks] == [0] * snippet.PROCESSES


@pytest.mark.claim(
    "parallelism#pipeline-parallelism",
    "torch/distributed/pipelining/schedules.py::PipelineScheduleSingle._initialize_stage",
)
@pytest.mark.parametrize("schedule", [GPIPE, ONE_FORWARD_ONE_BACKWARD])
def test_only_the_first_step_of_a_schedule_runs_one_microbatch_more(ranks: list[list[Step]], schedule: int) -> None:
    for steps in ranks:
        assert steps[schedule].forward_passes == [snippet.MICROBATCHES + 1, snippet.MICROBATCHES]


def test_1f1b_holds_a_microbatch_for_each_stage_that_follows(ranks: list[list[Step]]) -> None:
    held = [steps[ONE_FORWARD_ONE_BACKWARD].most_at_once for steps in ranks]
    assert held == list(range(snippet.PROCESSES, 0, -1))
    orders = [steps[ONE_FORWARD_ONE_BACKWARD].order for steps in ranks]
    assert orders[-1] == "FB" * snippet.MICROBATCHES


def test_texts_become_batches_of_8_samples_of_one_length(tmp_path: Path) -> None:
    tokenizer = AutoTokenizer.from_pretrained(save_checkpoint(tmp_path))
    batches = snippet.batches_of(TEXTS, tokenizer, length=32)
    tokens = [token for text in TEXTS for token in [*tokenizer(text)["input_ids"], tokenizer.eos_token_id]]
    assert len(batches) == len(tokens) // (8 * 32) > 1
    assert torch.cat([batch["input_ids"].flatten() for batch in batches]).tolist() == tokens[: len(batches) * 8 * 32]
    for batch in batches:
        assert [each.shape for each in batch.values()] == [(8, 32)] * 3
        assert batch["attention_mask"].all() and torch.equal(batch["labels"], batch["input_ids"])


def trained(folder: str) -> tuple[float, list[float], list[float]]:
    """How far the checkpoint of two steps is from one process's, for each weight that moved; the losses of both."""
    ids, mask, labels = ragged()
    batch = {"input_ids": ids, "attention_mask": mask, "labels": labels}
    with tiny_checkpoint(snippet.deep_model()) as checkpoint, redirect_stdout(StringIO()) as output:
        snippet.train(checkpoint, [batch] * 2, folder, device(), lr=1e-3)
    printed = [float(line.removeprefix("loss ")) for line in output.getvalue().splitlines()]
    losses = []
    dist.barrier()
    saved = AutoModelForCausalLM.from_pretrained(folder).to(device())
    one = snippet.deep_model()
    optimizer = torch.optim.AdamW(one.parameters(), lr=1e-3)
    for _ in range(2):
        loss = one(**batch).loss
        losses.append(loss.item())
        loss.backward()
        torch.nn.utils.clip_grad_norm_(one.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
    ours, theirs, before = (dict(each.named_parameters()) for each in (saved, one, snippet.deep_model()))
    return relative_difference(ours, theirs) / relative_difference(before, theirs), printed, losses


def test_the_stages_write_the_weights_and_the_last_prints_the_losses_of_one_process(tmp_path: Path) -> None:
    (first, nothing, _), (last, printed, losses) = on_ranks(partial(trained, str(tmp_path)), 2)
    assert max(first, last) < SAME * 100
    assert nothing == []
    assert printed == pytest.approx(losses, abs=0.02 if torch.cuda.is_available() else 0.001)
