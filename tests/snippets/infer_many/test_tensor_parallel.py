"""Two processes with half of the weights and half of the cache each generate one process's tokens."""

from collections import Counter
from functools import partial
from pathlib import Path

import pytest
import torch
import torch.distributed as dist
from _infer_many import on_ranks, prompt, tiny_checkpoint, tiny_model
from torch.distributed.tensor import DTensor
from transformers import AutoModelForCausalLM, DeepseekV3Config, GptOssConfig, GptOssForCausalLM, PhiConfig
from transformers.distributed import DistributedConfig

from snippets.infer_many import tensor_parallel as snippet
from snippets.infer_many.tensor_parallel import Generated
from snippets.memory.estimate import Shape, inference, split

pytestmark = pytest.mark.needs(devices=2)

HEADS, LAYERS, NORM = 4, 4, 64


@pytest.fixture(scope="module")
def ranks() -> list[Generated]:
    return on_ranks(snippet.step, snippet.PROCESSES)


def test_every_rank_has_one_process_s_tokens(ranks: list[Generated]) -> None:
    inputs = prompt()
    expected = tiny_model().generate(**inputs, max_new_tokens=snippet.NEW_TOKENS, do_sample=False)[0].tolist()
    assert len(expected) == inputs["input_ids"].shape[1] + snippet.NEW_TOKENS
    assert [generated.tokens for generated in ranks] == [expected] * snippet.PROCESSES


def test_a_rank_caches_half_of_the_heads(ranks: list[Generated]) -> None:
    for generated in ranks:
        rows, heads, tokens, numbers = generated.whole_cache
        assert heads == HEADS
        assert generated.cache == (rows, HEADS // 2, tokens, numbers)


def test_a_rank_holds_half_of_all_weights_but_the_norms(ranks: list[Generated]) -> None:
    norms = 4 * NORM * (2 * LAYERS + 1)
    for generated in ranks:
        assert generated.weights == (generated.whole_weights - norms) // 2 + norms


def test_both_processes_give_the_answer_of_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    checkpoint = snippet.make_checkpoint(tmp_path)
    answers = on_ranks(partial(snippet.answer, checkpoint, "2 + 2?", 8), snippet.PROCESSES)
    whole = AutoModelForCausalLM.from_pretrained(checkpoint)
    monkeypatch.setattr(snippet, "load", lambda _: whole)
    assert answers == [snippet.answer(checkpoint, "2 + 2?", 8)] * snippet.PROCESSES


def numbers_held() -> list[int]:
    """How many weights a rank holds without and with an output layer that shares the embedding's."""
    held = []
    for tied in (False, True):
        with tiny_checkpoint(tiny_model(tie_word_embeddings=tied)) as checkpoint:
            model = snippet.load(checkpoint)
        held.append(sum(each.to_local().numel() if isinstance(each, DTensor) else each.numel()
                        for each in model.parameters()))
    return held


@pytest.mark.claim("will_it_fit#formulas", "transformers/distributed/mixin.py::DistributedMixin.init_parallel_plans")
def test_the_calculator_divides_what_the_ranks_divide_and_the_norms() -> None:
    shapes = [Shape(256, NORM, 128, LAYERS, 8, HEADS, 8, tied=tied) for tied in (False, True)]
    bits_16 = [split(inference(shape, 1, 1), shape, 2)["weights"] for shape in shapes]
    halves = NORM * (2 * LAYERS + 1) / 2  # of the norms, which a rank holds whole
    for held in on_ranks(numbers_held, 2):
        assert held == [weights / 2 + halves for weights in bits_16]


def test_a_token_is_two_sums_a_layer_one_for_the_embeddings_and_one_gather_of_the_logits(
    ranks: list[Generated],
) -> None:
    for generated in ranks:
        assert generated.collectives == {
            "all-reduce": (2 * LAYERS + 1) * snippet.NEW_TOKENS,
            "all-gather": snippet.NEW_TOKENS,
        }


@pytest.mark.claim(
    "perf_infer_gpu_many#tensor-parallelism",
    "transformers/models/gpt_oss/configuration_gpt_oss.py::GptOssConfig",
    "transformers/models/gpt_oss/modeling_gpt_oss.py::GptOssForCausalLM",
    "transformers/models/deepseek_v3/configuration_deepseek_v3.py::DeepseekV3Config",
)
def test_two_plans_leave_out_what_is_held_whole() -> None:
    assert not GptOssConfig.base_model_tp_plan
    assert list(GptOssForCausalLM._tp_plan) == ["lm_head"]
    assert not [name for name in DeepseekV3Config.base_model_tp_plan if "attn" in name]


def test_too_few_kv_heads_are_an_error_in_the_forward_pass_and_none_while_loading() -> None:
    for loading, generating in on_ranks(snippet.with_one_kv_head, snippet.PROCESSES):
        assert loading == "loaded"
        assert generating.startswith("RuntimeError: shape")


def other_ways() -> dict[str, list[int]]:
    """A rank's tokens with a static cache, with prompt lookup, and when sampling with one seed and with its own."""
    with tiny_checkpoint(tiny_model()) as checkpoint:
        model = snippet.load(checkpoint)

    def tokens(seed: int, **options: object) -> list[int]:
        torch.manual_seed(seed)
        return model.generate(**prompt(), max_new_tokens=8, **options)[0].tolist()

    return {
        "greedy": tokens(0, do_sample=False),
        "static": tokens(0, do_sample=False, cache_implementation="static"),
        "lookup": tokens(0, do_sample=False, prompt_lookup_num_tokens=3),
        "one seed": tokens(0, do_sample=True, top_k=0),
        "own seed": tokens(dist.get_rank(), do_sample=True, top_k=0),
    }


def test_a_static_cache_and_drafts_change_no_token_and_each_rank_samples_by_its_seed() -> None:
    first, second = on_ranks(other_ways, snippet.PROCESSES)
    assert first["greedy"] == first["static"] == first["lookup"]
    assert {way for way in first if first[way] != second[way]} == {"own seed"}


def in_stages() -> tuple[list[int], Counter[tuple[str, tuple[int, ...]]]]:
    """A rank's tokens with half of the layers, and what it sends and receives for them."""
    with tiny_checkpoint(tiny_model()) as checkpoint:
        model = AutoModelForCausalLM.from_pretrained(checkpoint, distributed_config=DistributedConfig(pp_size=2))
    sent: Counter[tuple[str, tuple[int, ...]]] = Counter()
    broadcast, exchange = dist.broadcast, dist.batch_isend_irecv
    dist.broadcast = lambda each, **options: (
        sent.update([("broadcast", tuple(each.shape))]), broadcast(each, **options)
    )[1]
    dist.batch_isend_irecv = lambda each: (sent.update([("exchange", (len(each),))]), exchange(each))[1]
    return model.generate(**prompt(), max_new_tokens=5, do_sample=False)[0].tolist(), sent


@pytest.mark.claim("perf_infer_gpu_many#pipeline", "transformers/distributed/pipeline_parallel.py::PipelineStage")
def test_stages_exchange_hidden_states_and_broadcast_the_logits_for_every_token() -> None:
    expected = tiny_model().generate(**prompt(), max_new_tokens=5, do_sample=False)[0].tolist()
    for tokens, sent in on_ranks(in_stages, 2):
        assert tokens == expected
        assert sent == {("exchange", (1,)): 5, ("broadcast", (3,)): 5, ("broadcast", (1, 1, 256)): 5}


def unlike_one_process_in_stages() -> dict[str, bool]:
    """The inputs and options for which a rank with half of the layers generates other tokens than one process."""
    with tiny_checkpoint(tiny_model()) as checkpoint:
        stage = AutoModelForCausalLM.from_pretrained(checkpoint, distributed_config=DistributedConfig(pp_size=2))
    one = {name: tensor.repeat(1, 3) for name, tensor in prompt(12).items()}
    rows = {name: torch.cat([tensor, tensor.flip(1)]) for name, tensor in one.items()}
    padded = {"input_ids": rows["input_ids"].clone(), "attention_mask": rows["attention_mask"].clone()}
    padded["input_ids"][1, :9] = padded["attention_mask"][1, :9] = 0
    cases = {
        "one row": (one, {}),
        "rows of one length": (rows, {}),
        "padded": (padded, {}),
        "static cache": (one, {"cache_implementation": "static"}),
        "drafts": (one, {"prompt_lookup_num_tokens": 3}),
        "chunks": (one, {"prefill_chunk_size": 5}),
    }
    options = {"max_new_tokens": 8, "do_sample": False}
    return {
        name: not torch.equal(
            stage.generate(**inputs, **options, **more), tiny_model().generate(**inputs, **options, **more)
        )
        for name, (inputs, more) in cases.items()
    }


@pytest.mark.claim(
    "perf_infer_gpu_many#pipeline",
    "transformers/cache_utils.py::Cache.get_seq_length",
    "transformers/distributed/pipeline_parallel.py::apply_pipeline_parallelism",
)
def test_stages_generate_other_tokens_where_a_mask_depends_on_the_length_of_the_cache() -> None:
    for unlike in on_ranks(unlike_one_process_in_stages, 2):
        assert {name for name, differs in unlike.items() if differs} == {"padded", "static cache", "drafts", "chunks"}


def phi_in_stages() -> bool:
    """Whether a rank with half of a Phi's layers generates the tokens of one process, for an input of one row."""
    torch.manual_seed(0)
    sizes = {"vocab_size": 256, "hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 4}
    special = {"num_attention_heads": 4, "bos_token_id": None, "eos_token_id": None, "pad_token_id": 0}
    whole = AutoModelForCausalLM.from_config(PhiConfig(**sizes, **special)).eval()
    with tiny_checkpoint(whole) as checkpoint:
        stage = AutoModelForCausalLM.from_pretrained(checkpoint, distributed_config=DistributedConfig(pp_size=2))
    logits = [model(prompt(12)["input_ids"]).logits for model in (stage, whole)]
    return torch.allclose(*logits, atol=1e-4)


@pytest.mark.claim(
    "perf_infer_gpu_many#pipeline",
    "transformers/distributed/pipeline_parallel.py::apply_pipeline_parallelism",
    "transformers/models/phi/modeling_phi.py::PhiModel.forward",
)
def test_stages_repeat_the_last_norm_of_a_model_that_names_it_otherwise() -> None:
    assert on_ranks(phi_in_stages, 2) == [False, False]


def loading_stages_of_halves() -> str:
    """The error of a rank that is to load half of each matrix of half of the layers."""
    with tiny_checkpoint(tiny_model()) as checkpoint, pytest.raises(KeyError) as error:
        config = DistributedConfig(pp_size=2, tp_size=2)
        AutoModelForCausalLM.from_pretrained(checkpoint, distributed_config=config)
    return str(error.value)


@pytest.mark.claim(
    "perf_infer_gpu_many#pipeline", "transformers/distributed/mixin.py::DistributedMixin.maybe_distribute_model"
)
def test_stages_together_with_tensor_parallelism_are_an_error_while_loading() -> None:
    assert all(error.endswith(".weight'") for error in on_ranks(loading_stages_of_halves, 4))


@pytest.mark.claim(
    "perf_infer_gpu_many#what-goes-wrong", "transformers/distributed/utils.py::_ensure_torch_distributed"
)
def test_without_torchrun_only_the_automatic_plan_loads_the_whole_model(tmp_path: Path) -> None:
    tiny_model().save_pretrained(tmp_path)
    with pytest.raises(OSError, match=r"We tried to initialize torch\.distributed"):
        AutoModelForCausalLM.from_pretrained(tmp_path, distributed_config=DistributedConfig(tp_size=2))
    config = DistributedConfig(tp_plan="auto")
    whole = AutoModelForCausalLM.from_pretrained(tmp_path, distributed_config=config)
    assert whole.num_parameters() == tiny_model().num_parameters()
