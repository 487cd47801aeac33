"""Muon keeps one momentum, brings singular values together, and takes AdamW's learning rate where it is told to."""

import math

import pytest
import torch
from transformers import (
    BertConfig,
    BertForMaskedLM,
    GPT2Config,
    GPT2LMHeadModel,
    GptOssConfig,
    GptOssForCausalLM,
    MambaConfig,
    MambaForCausalLM,
    MixtralConfig,
    MixtralForCausalLM,
    PretrainedConfig,
    PreTrainedModel,
    T5Config,
    T5ForConditionalGeneration,
    Trainer,
    TrainingArguments,
)

from snippets.train_one import muon as snippet

from _tiny import state_bytes_per_parameter, tiny_batch, tiny_dataset, tiny_model


def test_muon_has_the_matrices_of_the_layers_and_adamw_the_rest() -> None:
    model = tiny_model()
    names = {id(parameter): name for name, parameter in model.named_parameters()}
    muon, adamw = ([names[id(p)] for group in each.param_groups for p in group["params"]]
                   for each in snippet.optimizers_for(model, 1e-3))
    assert sorted(muon + adamw) == sorted(names.values())
    assert len(muon) == 4 * 7
    assert {"model.embed_tokens.weight", "lm_head.weight", "model.norm.weight"} <= set(adamw)
    assert all("proj" in name for name in muon)


def test_every_weight_is_trained_and_the_gradients_are_cleared() -> None:
    model, before = tiny_model(), tiny_model()
    loss = model(**tiny_batch()).loss.item()
    snippet.train(model, [tiny_batch()] * 5)
    assert model(**tiny_batch()).loss.item() < 0.9 * loss
    for (name, ours), theirs in zip(model.named_parameters(), before.parameters(), strict=True):
        assert not torch.equal(ours, theirs), name
        assert ours.grad is None, name


@pytest.mark.claim("train_optimizers#muon", "torch/optim/_muon.py::_zeropower_via_newtonschulz")
def test_a_step_is_as_long_in_all_directions() -> None:
    for shape in ((128, 512), (512, 128)):
        gradient, update, optimizer, _ = snippet.one_step(*shape)
        assert snippet.spread(gradient) > 20
        assert snippet.spread(update) < 2
        assert state_bytes_per_parameter(optimizer) == 4


@pytest.mark.claim("train_optimizers#muon", "torch/optim/_muon.py::_adjust_lr")
def test_the_length_of_a_step_follows_adamw_only_where_it_is_told_to() -> None:
    for width in (64, 256):  # square matrices
        _, matched, _, _ = snippet.one_step(width, width, adjust_lr_fn="match_rms_adamw")
        assert snippet.rms(matched) == pytest.approx(0.2, rel=0.3)
        _, default, _, _ = snippet.one_step(width, width)
        assert snippet.rms(default) == pytest.approx(1 / math.sqrt(width), rel=0.3)


def test_the_optimizers_are_told_to_follow_adamw() -> None:
    muon, adamw = snippet.optimizers_for(tiny_model(), 3e-3)
    assert muon.defaults["adjust_lr_fn"] == "match_rms_adamw"
    assert (muon.defaults["lr"], muon.defaults["weight_decay"]) == (3e-3, 0.01)
    assert (adamw.defaults["lr"], adamw.defaults["weight_decay"]) == (3e-3, 0.01)
    assert torch.optim.Muon([torch.nn.Parameter(torch.ones(2, 2))]).defaults["weight_decay"] == 0.1


def test_gradients_are_clipped(monkeypatch: pytest.MonkeyPatch) -> None:
    norms: list[float] = []
    monkeypatch.setattr(torch.nn.utils, "clip_grad_norm_", lambda _, max_norm: norms.append(max_norm))
    snippet.train(tiny_model(), [tiny_batch()] * 2)
    assert norms == [1.0, 1.0]


def test_the_operations_are_those_of_five_times_three_products() -> None:
    assert snippet.one_step(128, 128)[3] == 5 * 3 * 2 * 128**3
    assert snippet.share_of_a_step(4096, 4096) == pytest.approx(5)
    assert snippet.share_of_a_step(4096, 524_288) == pytest.approx(5 * 4096 / 524_288)


@pytest.mark.claim("train_optimizers#muon", "torch/optim/_muon.py::Muon.__init__")
def test_experts_that_are_stacked_are_no_matrices_and_raise() -> None:
    sizes = {"hidden_size": 32, "intermediate_size": 32, "num_hidden_layers": 1, "num_local_experts": 2}
    model = MixtralForCausalLM(MixtralConfig(vocab_size=64, num_attention_heads=4, num_key_value_heads=2, **sizes))
    experts = [p for name, p in model.named_parameters() if ".experts." in name]
    assert {parameter.dim() for parameter in experts} == {3}
    for wrong in (experts, [model.model.norm.weight]):
        with pytest.raises(ValueError, match="only supports 2D parameters"):
            torch.optim.Muon(wrong)
    torch.optim.Muon([model.lm_head.weight])  # no error, although this one is AdamW's


LAYER = {"num_hidden_layers": 1, "num_attention_heads": 4, "hidden_size": 64, "intermediate_size": 64}


@pytest.mark.claim("train_optimizers#muon", "transformers/models/t5/modeling_t5.py::T5Attention.__init__")
@pytest.mark.parametrize(("kind", "config", "part", "embeddings"), [
    (BertForMaskedLM, BertConfig(**LAYER), ".layer.", set()),
    (GPT2LMHeadModel, GPT2Config(n_layer=1, n_embd=64, n_head=4), ".h.", set()),
    (T5ForConditionalGeneration, T5Config(num_layers=1, d_model=64, num_heads=4), ".block.",
     {"relative_attention_bias"}),
], ids=["bert", "gpt2", "t5"])
def test_of_the_names_that_other_models_give_their_layers_t5_has_embeddings_among_them(
    kind: type[PreTrainedModel], config: PretrainedConfig, part: str, embeddings: set[str]
) -> None:
    model = kind(config)
    assert any(part in name for name, parameter in model.named_parameters() if parameter.dim() == 2)
    tables = {name.rpartition(".")[2] for name, module in model.named_modules()
              if part in name and isinstance(module, torch.nn.Embedding)}
    assert tables == embeddings


@pytest.mark.claim("train_optimizers#muon", "transformers/training_args.py::OptimizerNames")
def test_trainer_has_no_name_for_it(tmp_path: object) -> None:
    with pytest.raises(ValueError, match="muon"):
        TrainingArguments(output_dir=str(tmp_path), optim="muon")


class BothOptimizers(torch.optim.Optimizer):
    """One optimizer for `Trainer` that steps Muon and AdamW, as the page describes it."""

    def __init__(self, model, lr):
        self.parts = snippet.optimizers_for(model, lr)
        super().__init__([group for part in self.parts for group in part.param_groups], {})
        self.share_groups()

    def share_groups(self):
        self.param_groups = [group for part in self.parts for group in part.param_groups]

    def step(self, closure=None):
        for part in self.parts:
            part.step()

    def state_dict(self):
        return {"parts": [part.state_dict() for part in self.parts]}

    def load_state_dict(self, state):
        for part, saved in zip(self.parts, state["parts"], strict=True):
            part.load_state_dict(saved)
        self.share_groups()


@pytest.mark.claim("train_optimizers#muon", "transformers/trainer.py::Trainer.create_optimizer",
                   "transformers/trainer_optimizer.py::is_optimizer_factory",
                   "accelerate/optimizer.py::AcceleratedOptimizer.__init__")
@pytest.mark.parametrize("factory", [True, False])
def test_trainer_takes_a_class_that_steps_both(tmp_path: object, factory: bool) -> None:
    model, before = tiny_model(), tiny_model()
    args = TrainingArguments(str(tmp_path), max_steps=3, learning_rate=1e-3, report_to=[], save_strategy="no")
    given = ({"optimizer_cls_and_kwargs": (lambda: BothOptimizers, {"lr": 1e-3})} if factory
             else {"optimizers": (BothOptimizers(model, 1e-3), None)})
    trainer = Trainer(model, args, train_dataset=tiny_dataset(rows=2), **given)
    trainer.train()
    both = trainer.optimizer.optimizer
    assert [group["lr"] for part in both.parts for group in part.param_groups] == [0.0, 0.0]  # The schedule's end.
    for (name, ours), theirs in zip(model.named_parameters(), before.parameters(), strict=True):
        assert not torch.equal(ours.cpu(), theirs.cpu()), name


@pytest.mark.claim("train_optimizers#muon", "transformers/models/gpt_oss/modeling_gpt_oss.py::GptOssExperts.__init__",
                   "transformers/models/mamba/modeling_mamba.py::MambaMixer.__init__")
def test_muon_gets_no_experts_no_stacked_biases_and_no_state_matrix() -> None:
    sizes = {"hidden_size": 32, "intermediate_size": 32, "num_hidden_layers": 1, "num_local_experts": 2,
             "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 8, "vocab_size": 64}
    mamba = MambaConfig(hidden_size=32, num_hidden_layers=1, state_size=4, vocab_size=64)
    matrices = set()
    for model in (MixtralForCausalLM(MixtralConfig(**sizes)), GptOssForCausalLM(GptOssConfig(**sizes)),
                  MambaForCausalLM(mamba)):
        muon, _ = ({id(p) for p in each.param_groups[0]["params"]} for each in snippet.optimizers_for(model, 1e-3))
        left = {name for name, p in model.named_parameters() if ".layers." in name and id(p) not in muon}
        linear = {f"{name}.weight" for name, module in model.named_modules() if isinstance(module, torch.nn.Linear)}
        assert muon
        assert not left & linear
        matrices |= {name.rpartition(".")[2] for name, p in model.named_parameters() if name in left and p.dim() == 2}
    assert {"gate_up_proj_bias", "down_proj_bias", "A_log"} <= matrices
