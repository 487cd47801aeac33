"""Every rank holds a half of each matrix of a layer; together they give one process's logits and gradients."""

from collections.abc import Callable

import pytest
import torch
import torch.distributed as dist
from _train_many import device, gradients, on_ranks, tiny_model, tokens, whole
from torch import nn
from torch.distributed.tensor import DTensor
from transformers import (
    ApertusConfig,
    AutoModelForCausalLM,
    Gemma3nTextConfig,
    Gemma3TextConfig,
    HunYuanDenseV1Config,
    MixtralConfig,
    Olmo2Config,
    PreTrainedConfig,
    PreTrainedModel,
    Qwen2Config,
    Qwen3Config,
    SeedOssConfig,
)
from transformers.models.gemma3n.modeling_gemma3n import Gemma3nTextMLP

from snippets.train_many import tensor_parallel as snippet
from snippets.train_many.tensor_parallel import Step

pytestmark = pytest.mark.needs(devices=2)

# fp32 sums in another order; the values agree to six digits or so.
SAME = 1e-5
LAYERS = 4
BY_TRANSFORMERS, BY_TORCH = range(2)


@pytest.fixture(scope="module")
def ranks() -> list[list[Step]]:
    return on_ranks(snippet.steps, snippet.PROCESSES)


@pytest.mark.parametrize("way", [BY_TRANSFORMERS, BY_TORCH])
def test_logits_and_gradients_are_those_of_one_process(ranks: list[list[Step]], way: int) -> None:
    for steps in ranks:
        assert steps[way].logits_difference < SAME
        assert steps[way].gradients_difference < SAME


def refusals() -> list[str]:
    """What `clip_grad_norm_` and the steps of AdamW say to a model with split and with plain weights."""
    model = snippet.by_torch()
    rows = tokens(rows=8)
    model(input_ids=rows, labels=rows).loss.backward()
    tried: list[Callable[[], object]] = [lambda: nn.utils.clip_grad_norm_(model.parameters(), 1.0)]
    for options in ({"foreach": True}, {"fused": True}, {"foreach": False}):
        tried.append(torch.optim.AdamW(model.parameters(), **options).step)
    return list(map(error_of, tried))


def error_of(run: Callable[[], object]) -> str:
    """What a call says when it fails, "" if it does not."""
    try:
        run()
    except RuntimeError as error:
        return str(error)
    return ""


@pytest.mark.claim("parallelism#tensor-parallelism", "torch/nn/utils/clip_grad.py::clip_grad_norm_")
def test_one_call_for_split_and_plain_tensors_is_an_error() -> None:
    for *errors, one_by_one in on_ranks(refusals, snippet.PROCESSES):
        assert all("got mixed torch.Tensor and DTensor" in error for error in errors)
        assert one_by_one == ""


@pytest.mark.parametrize("way", [BY_TRANSFORMERS, BY_TORCH])
def test_a_rank_holds_a_half_of_each_matrix_of_a_layer(ranks: list[list[Step]], way: int) -> None:
    whole = {name: list(p.shape) for name, p in tiny_model().named_parameters() if "layers" in name and p.dim() == 2}
    for steps in ranks:
        for name, (rows, columns) in whole.items():
            cut_inputs = "o_proj" in name or "down_proj" in name
            half = (rows, columns // 2) if cut_inputs else (rows // 2, columns)
            assert steps[way].local_shapes[name] == half


def test_transformers_cuts_the_vocabulary_too(ranks: list[list[Step]]) -> None:
    for steps in ranks:
        for name in ("model.embed_tokens.weight", "lm_head.weight"):
            assert steps[BY_TRANSFORMERS].local_shapes[name] == (128, 64)
            assert steps[BY_TORCH].local_shapes[name] == (256, 64)


def test_a_layer_is_summed_twice_forward(ranks: list[list[Step]]) -> None:
    for steps in ranks:
        assert steps[BY_TORCH].forward_sums == 2 * LAYERS
        assert steps[BY_TRANSFORMERS].forward_sums == 2 * LAYERS + 1  # The embeddings are cut as well.


def test_backward_the_plan_here_sums_twice_a_layer_and_the_model_s_plan_once_a_matrix(ranks: list[list[Step]]) -> None:
    for steps in ranks:
        assert steps[BY_TORCH].backward_sums == 2 * LAYERS
        assert steps[BY_TRANSFORMERS].backward_sums == 5 * LAYERS + 1  # q, k, v, gate, up; and the head.


@pytest.mark.claim(
    "parallelism#tensor-parallelism",
    "transformers/distributed/tensor_parallel.py::get_kv_heads_per_rank",
)
def test_too_few_kv_heads_are_an_error_in_the_forward_pass_and_none_while_loading() -> None:
    for found in on_ranks(snippet.failures, snippet.PROCESSES):
        assert found["loading"] == "nothing"
        assert found["forward"].startswith("RuntimeError: shape")
        assert found["cut"] == "ValueError: 2 ranks cannot share the KV heads"


# Without norms of queries and keys; with one for each head; with one over all heads.
KINDS: list[Callable[..., PreTrainedConfig]] = [Qwen2Config, Qwen3Config, Gemma3TextConfig, Olmo2Config]


def with_norms(kind: Callable[..., PreTrainedConfig]) -> PreTrainedModel:
    torch.manual_seed(0)
    sizes = {"vocab_size": 256, "hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 2, "head_dim": 16}
    heads = {"num_attention_heads": 8, "num_key_value_heads": 4, "pad_token_id": 0}
    config = kind(**(sizes if kind is not Olmo2Config else sizes | {"head_dim": 8}), **heads)
    return AutoModelForCausalLM.from_config(config, dtype=torch.float32).to(device())


def norms_of_a_rank() -> dict[str, tuple[float, float]]:
    """The worst tensor of each model: its gradients' relative difference, its weights' difference after two steps."""
    rows, seen = tokens(), {}
    for kind in KINDS:
        ours, theirs = with_norms(kind), with_norms(kind)
        snippet.cut(ours)
        for model in (ours, theirs):
            model(input_ids=rows, labels=rows).loss.backward()
        whole_gradients, expected = gradients(ours), gradients(theirs)
        worst = max(((whole_gradients[n] - g).norm() / g.norm()).item() for n, g in expected.items())
        for model in (ours, theirs):
            optimizer = torch.optim.AdamW(model.parameters(), lr=0.01, eps=1e-3)
            optimizer.step()
            model(input_ids=rows, labels=rows).loss.backward()
            optimizer.step()
        pairs = zip(ours.parameters(), theirs.parameters(), strict=True)
        seen[kind.__name__] = worst, max((whole(a) - b).abs().max().item() for a, b in pairs)
    return seen


@pytest.mark.claim("parallelism#tensor-parallelism", "torch/distributed/tensor/parallel/style.py")
def test_norms_of_queries_and_keys_get_the_gradients_of_all_heads() -> None:
    for seen in on_ranks(norms_of_a_rank, snippet.PROCESSES):
        for kind in KINDS:
            difference, drift = seen[kind.__name__]
            assert difference < SAME, kind
            assert drift < SAME, kind


def steps_of_adamw() -> list[str]:
    """The error of AdamW's first step, "" for none: all parameters in one call, one by one, and by groups."""
    model = tiny_model()
    snippet.cut(model)
    rows = tokens()
    model(input_ids=rows, labels=rows).loss.backward()
    split = [parameter for parameter in model.parameters() if isinstance(parameter, DTensor)]
    others = [parameter for parameter in model.parameters() if not isinstance(parameter, DTensor)]
    return [error_of(torch.optim.AdamW(parameters, foreach=foreach).step) for parameters, foreach in (
        ([*split, *others], True), ([*split, *others], False), ([{"params": split}, {"params": others}], True))]


@pytest.mark.claim("parallelism#tensor-parallelism", "torch/optim/adam.py")
def test_one_call_cannot_step_split_and_whole_parameters() -> None:
    for one, single, groups in on_ranks(steps_of_adamw, snippet.PROCESSES):
        assert "got mixed torch.Tensor and DTensor" in one
        assert not single and not groups


@pytest.mark.parametrize("kind", [HunYuanDenseV1Config, ApertusConfig, MixtralConfig])
def test_a_weight_of_a_block_that_the_plan_does_not_name_is_an_error(kind: Callable[..., PreTrainedConfig]) -> None:
    with pytest.raises(ValueError, match=r"the plan has no rule for (self_attn|mlp)\."):
        snippet.plan_of(with_norms(kind).model.layers[0])


@pytest.mark.claim(
    "parallelism#tensor-parallelism", "transformers/models/gemma3n/modeling_gemma3n.py::Gemma3nTextMLP"
)
def test_an_activation_whose_threshold_is_of_all_features_is_an_error() -> None:
    """Half of the features give another threshold, so half of the outputs is not what a rank with all would have."""
    torch.manual_seed(0)
    sizes = {"hidden_size": 32, "intermediate_size": [64], "num_hidden_layers": 1, "vocab_size": 256}
    config = Gemma3nTextConfig(**sizes, vocab_size_per_layer_input=256, activation_sparsity_pattern=[0.5])
    mlp = Gemma3nTextMLP(config)
    rows = torch.randn(4, 64) + torch.arange(64)
    assert not torch.allclose(mlp._gaussian_topk(rows)[:, :32], mlp._gaussian_topk(rows[:, :32]))
    layer = nn.Module()
    layer.mlp = mlp
    with pytest.raises(ValueError, match="sparse activation"):
        snippet.plan_of(layer)


@pytest.mark.claim(
    "parallelism#tensor-parallelism", "transformers/models/apertus/configuration_apertus.py::ApertusConfig"
)
def test_the_plan_of_apertus_leaves_out_the_weights_of_its_activation() -> None:
    names = {name for name, _ in with_norms(ApertusConfig).model.layers[0].named_parameters()}
    assert {"mlp.act_fn.alpha_p", "mlp.act_fn.alpha_n"} < names
    assert any("q_norm" in rule for rule in ApertusConfig.base_model_tp_plan)
    assert not any("act_fn" in rule for rule in ApertusConfig.base_model_tp_plan)


def gradients_with_dropout() -> list[float]:
    """How far the last norm's gradient on this rank is from the first rank's: with one seed, with one for each."""
    seen = []
    for seed in (0, dist.get_rank()):
        config = SeedOssConfig(
            vocab_size=256, hidden_size=64, intermediate_size=128, num_hidden_layers=2, num_attention_heads=8,
            num_key_value_heads=4, head_dim=8, residual_dropout=0.3, pad_token_id=0,
        )  # fmt: skip
        torch.manual_seed(0)
        model = AutoModelForCausalLM.from_config(config, dtype=torch.float32).to(device()).train()
        snippet.cut(model)
        torch.manual_seed(seed)
        model(input_ids=tokens(), labels=tokens()).loss.backward()
        own = model.model.norm.weight.grad
        first = own.clone()
        dist.broadcast(first, src=0)
        seen.append(((own - first).norm() / first.norm()).item())
    return seen


@pytest.mark.claim("parallelism#tensor-parallelism", "torch/distributed/tensor/parallel/style.py")
def test_ranks_with_other_seeds_drop_other_numbers() -> None:
    same, other = on_ranks(gradients_with_dropout, snippet.PROCESSES)[1]
    assert same < SAME
    assert other > 0.1
