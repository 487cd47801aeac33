"""What the page says of training a mixture of experts: the balancing loss, the precision, the tokens of each expert."""

from pathlib import Path

import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode
from transformers import (
    DeepseekV3Config,
    DeepseekV3ForCausalLM,
    Llama4ForCausalLM,
    Llama4TextConfig,
    MixtralConfig,
    MixtralForCausalLM,
    Qwen3VLMoeConfig,
    Qwen3VLMoeForConditionalGeneration,
    Trainer,
    TrainingArguments,
)

from snippets.train_one.gradient_accumulation import accumulate

from _tiny import device, tiny_batch


def mixture_model() -> MixtralForCausalLM:
    """A Mixtral of two layers with eight experts, two of them for each token, and the balancing loss."""
    torch.manual_seed(0)
    sizes = {"hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 2, "num_attention_heads": 4}
    experts = {"num_local_experts": 8, "num_experts_per_tok": 2, "output_router_logits": True}
    config = MixtralConfig(vocab_size=256, num_key_value_heads=2, **sizes, **experts)
    return MixtralForCausalLM(config).to(device())


def test_the_scores_of_the_router_count_the_tokens_of_each_expert() -> None:
    model, batch = mixture_model(), tiny_batch()
    chosen = []
    for layer in model.model.layers:
        layer.mlp.experts.register_forward_pre_hook(lambda experts, inputs: chosen.append(inputs[1]))
    scores = model(**batch).router_logits
    counts = [layer.topk(2).indices.flatten().bincount(minlength=8) for layer in scores]
    assert [each.tolist() for each in counts] == [each.flatten().bincount(minlength=8).tolist() for each in chosen]
    assert [int(each.sum()) for each in counts] == [2 * batch["input_ids"].numel()] * 2


@pytest.mark.claim("models#mixture-of-experts", "transformers/models/mixtral/configuration_mixtral.py")
def test_the_balancing_loss_is_off_by_default_and_counts_in_the_snippet() -> None:
    model, batch = mixture_model(), tiny_batch()
    default = MixtralConfig()
    assert (default.output_router_logits, default.router_aux_loss_coef) == (False, 0.001)
    output = model(**batch)
    assert output.aux_loss > 0
    without = model(**batch, output_router_logits=False)
    assert without.aux_loss is None
    assert output.loss.item() == pytest.approx(without.loss.item() + 0.001 * output.aux_loss.item(), rel=1e-6)


class ExpertTypes(TorchDispatchMode):
    """The types of the weights that matrix products with an expert's width read."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.width, self.types = width, set[torch.dtype]()

    def __torch_dispatch__(self, op, types, args=(), kwargs=None):  # type: ignore[no-untyped-def]
        given = [each for each in args if isinstance(each, torch.Tensor)]
        if "mm" in str(op) and any(self.width in each.shape for each in given):
            self.types.add(given[0].dtype)
        return op(*args, **(kwargs or {}))


@pytest.mark.claim("models#mixture-of-experts", "transformers/integrations/moe.py::_grouped_mm")
@pytest.mark.parametrize(("implementation", "computed"), [
    (None, torch.float32), ("grouped_mm", torch.float32), ("batched_mm", torch.bfloat16), ("eager", torch.bfloat16),
])
def test_under_autocast_the_default_computes_experts_in_the_type_of_their_weights(implementation, computed):  # type: ignore[no-untyped-def]
    config = mixture_model().config
    config.intermediate_size = 112  # a width that nothing else has
    model = MixtralForCausalLM._from_config(config, experts_implementation=implementation)
    assert model.dtype == torch.float32
    batch = {key: value.cpu() for key, value in tiny_batch().items()}
    with ExpertTypes(config.intermediate_size) as seen, torch.autocast("cpu", torch.bfloat16):
        model(**batch)
    assert seen.types == {computed}


@pytest.mark.claim("models#mixture-of-experts", "transformers/trainer.py::Trainer.training_step")
@pytest.mark.parametrize("loop", [True, False], ids=["the loop", "Trainer"])
def test_accumulation_multiplies_the_balancing_loss_by_its_steps_in_trainer_alone(
    loop: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(torch.nn.utils, "clip_grad_norm_", lambda *_, **__: None)  # it would hide the sizes
    row = tiny_batch()["input_ids"][0].cpu()
    dataset = [{"input_ids": row, "labels": row}] * 8

    def router_gradient(coefficient: float, steps: int) -> torch.Tensor:
        model = mixture_model()
        model.router_aux_loss_coef = coefficient
        router = model.model.layers[-1].mlp.gate.weight
        seen = []
        optimizer = torch.optim.SGD(model.parameters(), lr=0.0)
        optimizer.register_step_pre_hook(lambda *_: seen.append(router.grad.clone()))
        if loop:
            accumulate(model, optimizer, dataset, accumulation_steps=steps)
        else:
            args = TrainingArguments(
                str(tmp_path), max_steps=1, per_device_train_batch_size=1, gradient_accumulation_steps=steps,
                max_grad_norm=0, report_to="none", save_strategy="no", disable_tqdm=True,
            )  # fmt: skip
            Trainer(model, args, train_dataset=dataset, optimizers=(optimizer, None)).train()
        return seen[0]

    cross_entropy = {steps: router_gradient(0.0, steps) for steps in (1, 8)}
    balancing = {steps: router_gradient(1.0, steps) - cross_entropy[steps] for steps in (1, 8)}
    torch.testing.assert_close(cross_entropy[8], cross_entropy[1], rtol=1e-3, atol=1e-6)
    torch.testing.assert_close(balancing[8], (1 if loop else 8) * balancing[1], rtol=1e-3, atol=1e-6)


@pytest.mark.claim("models#mixture-of-experts", "transformers/models/mixtral/modeling_mixtral.py")
def test_the_loss_of_an_evaluation_includes_the_balancing_loss(tmp_path: Path) -> None:
    model, batch = mixture_model(), tiny_batch()
    model.router_aux_loss_coef = 1.0
    rows = [{name: tensor[i].cpu() for name, tensor in batch.items()} for i in range(len(batch["input_ids"]))]
    args = TrainingArguments(str(tmp_path), report_to="none", disable_tqdm=True)
    evaluated = Trainer(model, args, eval_dataset=rows).evaluate()["eval_loss"]
    with torch.no_grad():
        cross_entropy = model(**batch, output_router_logits=False).loss.item()
    assert evaluated > cross_entropy + 1


SIZES = {
    "vocab_size": 256, "hidden_size": 32, "intermediate_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2,
    "router_aux_loss_coef": 1000.0,
}  # fmt: skip
VISION = {"depth": 1, "hidden_size": 32, "intermediate_size": 32, "num_heads": 2, "out_hidden_size": 32,
          "deepstack_visual_indexes": [0]}


def qwen3_vl(text: bool) -> Qwen3VLMoeForConditionalGeneration:
    """A multimodal model with the balancing loss set in the text's configuration, or above it."""
    experts = {"moe_intermediate_size": 32, "num_experts": 4, "num_experts_per_tok": 2, "head_dim": 16}
    heads = {"num_key_value_heads": 1, "output_router_logits": text}
    config = Qwen3VLMoeConfig(text_config=SIZES | experts | heads, vision_config=VISION)
    config.output_router_logits = True
    torch.manual_seed(0)
    return Qwen3VLMoeForConditionalGeneration(config)


def deepseek_v3() -> DeepseekV3ForCausalLM:
    return DeepseekV3ForCausalLM(DeepseekV3Config(
        **SIZES, moe_intermediate_size=32, n_routed_experts=4, num_experts_per_tok=2, n_group=2, topk_group=1,
        q_lora_rank=16, kv_lora_rank=16, qk_rope_head_dim=8, qk_nope_head_dim=8, v_head_dim=16, first_k_dense_replace=0,
        num_key_value_heads=2, output_router_logits=True,
    ))


def llama_4() -> Llama4ForCausalLM:
    return Llama4ForCausalLM(Llama4TextConfig(
        **SIZES, intermediate_size_mlp=32, num_key_value_heads=1, head_dim=16, num_local_experts=4,
        interleave_moe_layer_step=1, output_router_logits=True,
    ))


@pytest.mark.claim("models#mixture-of-experts",
                   "transformers/models/qwen3_vl_moe/modeling_qwen3_vl_moe.py::Qwen3VLMoeForConditionalGeneration",
                   "transformers/models/deepseek_v3/modeling_deepseek_v3.py::DeepseekV3ForCausalLM",
                   "transformers/models/llama4/modeling_llama4.py::Llama4ForCausalLM")
@pytest.mark.parametrize(("make", "counts"), [
    (lambda: qwen3_vl(text=True), True), (lambda: qwen3_vl(text=False), False), (deepseek_v3, False), (llama_4, False),
], ids=["text_config", "above it", "DeepSeek V3", "Llama 4"])  # fmt: skip
def test_where_the_setting_of_the_balancing_loss_has_an_effect(make, counts) -> None:  # type: ignore[no-untyped-def]
    tokens = torch.arange(3, 43).reshape(2, 20)
    assert (make()(input_ids=tokens, labels=tokens).loss > 1000) == counts


@pytest.mark.claim("models#mixture-of-experts",
                   "transformers/models/qwen3_vl_moe/modeling_qwen3_vl_moe.py::Qwen3VLMoeForConditionalGeneration",
                   "transformers/trainer.py::Trainer.training_step")
def test_trainer_divides_the_balancing_loss_of_a_model_that_takes_no_count(tmp_path: Path) -> None:
    def logged_loss(model: torch.nn.Module, steps: int) -> float:
        row = torch.arange(3, 23)
        args = TrainingArguments(
            str(tmp_path), max_steps=1, per_device_train_batch_size=4 // steps, gradient_accumulation_steps=steps,
            logging_steps=1, report_to="none", save_strategy="no", disable_tqdm=True, use_cpu=True,
        )
        trainer = Trainer(model, args, train_dataset=[{"input_ids": row, "labels": row}] * 4)
        trainer.train()
        return next(entry["loss"] for entry in trainer.state.log_history if "loss" in entry)

    def mixtral() -> MixtralForCausalLM:
        torch.manual_seed(0)
        return MixtralForCausalLM(MixtralConfig(
            **SIZES, num_key_value_heads=1, num_local_experts=4, output_router_logits=True
        ))

    assert logged_loss(qwen3_vl(text=True), 4) == pytest.approx(logged_loss(qwen3_vl(text=True), 1), rel=0.01)
    assert logged_loss(mixtral(), 4) == pytest.approx(4 * logged_loss(mixtral(), 1), rel=0.01)
