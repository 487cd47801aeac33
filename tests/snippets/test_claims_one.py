"""What the pages on one GPU, on debugging and on CPUs say of defaults and of when memory is taken, on grouped heads."""

import gc
import math
import os
import weakref
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch
from torch.distributed.run import config_from_args, get_args_parser
from torch.utils._python_dispatch import TorchDispatchMode
from transformers import AutoModelForCausalLM, LlamaForCausalLM, Trainer, TrainerCallback, TrainingArguments
from transformers.utils import generic

from _tiny import run, tiny_batch, tiny_checkpoint, tiny_dataset
from gradient_checkpointing import saved_bytes
from peak import PeakMemory


@pytest.fixture
def model() -> Iterator[LlamaForCausalLM]:
    """As a reader loads it: from a checkpoint in bf16, in fp32, with the configuration's own cache."""
    with tiny_checkpoint() as folder:
        loaded = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32)
    assert loaded.config.num_key_value_heads < loaded.config.num_attention_heads
    assert loaded.config.use_cache
    yield loaded.to(tiny_batch()["input_ids"].device)


def test_a_loaded_model_is_in_evaluation_mode_and_trainer_trains_it(
    model: LlamaForCausalLM, tmp_path: Path
) -> None:
    assert not model.training
    modes = []
    model.register_forward_pre_hook(lambda module, inputs: modes.append(module.training))
    args = TrainingArguments(output_dir=str(tmp_path), activation_checkpointing=True)
    run(Trainer(model, args, train_dataset=tiny_dataset()), steps=1)
    assert modes == [True]


def test_checkpointing_saves_nothing_in_evaluation_mode(model: LlamaForCausalLM) -> None:
    batch = tiny_batch(rows=4, length=64)
    plain = saved_bytes(model, batch)
    model.activation_checkpointing_enable()
    assert saved_bytes(model, batch) == plain
    assert saved_bytes(model.train(), batch) < plain / 3


@pytest.mark.claim("train_memory#gradient-checkpointing", "transformers/utils/generic.py")
def test_a_checkpointed_model_warns_and_keeps_no_cache(
    model: LlamaForCausalLM, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []
    monkeypatch.setattr(generic.logger, "warning_once", said.append)
    batch = tiny_batch()
    loss = model.train()(**batch).loss.item()
    model.activation_checkpointing_enable()
    output = model(**batch)
    assert said and all("`use_cache=True` is incompatible with gradient checkpointing" in message for message in said)
    assert output.past_key_values is None or output.past_key_values.get_seq_length() == 0
    assert output.loss.item() == pytest.approx(loss, rel=1e-6)
    said.clear()
    model(**batch, use_cache=False)
    assert said == []


@pytest.mark.claim(
    "packing#packing",
    "transformers/training_args.py::TrainingArguments.use_cache",
)
def test_trainer_switches_the_cache_off_but_not_for_generate(model: LlamaForCausalLM, tmp_path: Path) -> None:
    Trainer(model, TrainingArguments(output_dir=str(tmp_path)), train_dataset=tiny_dataset())
    assert model.config.use_cache is False
    output = model.generate(tiny_batch(rows=1)["input_ids"], max_new_tokens=2, return_dict_in_generate=True)
    assert output.past_key_values is not None


@pytest.mark.claim("debugging#out-of-memory", "torch/optim/adamw.py")
def test_adamws_state_does_not_exist_before_the_first_step(model: LlamaForCausalLM) -> None:
    optimizer = torch.optim.AdamW(model.parameters())
    loss = model(**tiny_batch()).loss
    assert not optimizer.state
    loss.backward()
    assert not optimizer.state
    optimizer.step()
    moments = [state[name] for state in optimizer.state.values() for name in ("exp_avg", "exp_avg_sq")]
    assert sum(moment.nbytes for moment in moments) == 8 * sum(p.numel() for p in model.parameters())


def test_a_kept_loss_keeps_its_activations_until_backward_has_run(model: LlamaForCausalLM) -> None:
    alive: weakref.WeakSet[object] = weakref.WeakSet()

    class Saved:
        def __init__(self, tensor: torch.Tensor) -> None:
            self.tensor = tensor
            alive.add(self)

    with torch.autograd.graph.saved_tensors_hooks(Saved, lambda saved: saved.tensor):
        losses = [model(**tiny_batch()).loss for _ in range(2)]
    both = len(alive)
    losses[0].backward()
    gc.collect()
    assert 0 < len(alive) <= both / 2
    assert losses[1].requires_grad


def test_the_forward_pass_of_the_first_step_needs_activations_beside_the_weights(model: LlamaForCausalLM) -> None:
    with PeakMemory() as memory:
        memory.label("weights", model.state_dict().values())
        loss = model(**tiny_batch(rows=8, length=64)).loss
        in_forward = memory.peak()
        loss.backward()
    memory.label("gradients", (parameter.grad for parameter in model.parameters()))
    assert in_forward["activations"] > 5 * in_forward["weights"]
    assert memory.peak()["gradients"] == 0  # The peak came before the first gradient.


def test_the_defaults_that_the_pages_name(tmp_path: Path) -> None:
    args = TrainingArguments(output_dir=str(tmp_path))
    assert args.optim == "adamw_torch_fused"
    assert (args.dataloader_num_workers, args.dataloader_pin_memory) == (0, True)
    assert args.ddp_timeout == 1800
    assert args.use_cache is False
    assert (args.bf16, args.fp16, args.tf32) == (False, False, None)
    assert "~20% slower training" in TrainingArguments.__doc__


@pytest.mark.claim("perf_train_cpu#threads", "torch/distributed/run.py::config_from_args")
def test_torchrun_gives_each_of_several_processes_one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "")
    monkeypatch.delenv("OMP_NUM_THREADS")
    parsed = get_args_parser().parse_args(["--standalone", "--nproc-per-node", "2", "train.py"])
    config_from_args(parsed)
    assert os.environ["OMP_NUM_THREADS"] == "1"


def test_tf32_leaves_the_matrix_products_of_mixed_precision_alone(model: LlamaForCausalLM) -> None:
    """They are in bf16 under autocast, the attention too; TF32 is about products in fp32."""
    class Products(TorchDispatchMode):
        def __init__(self) -> None:
            super().__init__()
            self.dtypes: dict[torch.dtype, int] = {}

        def __torch_dispatch__(self, operator, types, args=(), kwargs=None):
            name = operator.overloadpacket.__name__
            if name in {"mm", "addmm", "bmm"} or "scaled_dot_product" in name:
                tensor = next(arg for arg in args if torch.is_tensor(arg))
                self.dtypes[tensor.dtype] = self.dtypes.get(tensor.dtype, 0) + tensor.numel()
            return operator(*args, **(kwargs or {}))

    with Products() as products, torch.autocast(model.device.type, torch.bfloat16):
        loss = model.train()(**tiny_batch(rows=8, length=64)).loss
        loss.backward()
    # What is left in fp32 are the angles of the rotary embedding.
    assert products.dtypes.get(torch.float32, 0) < 0.01 * products.dtypes[torch.bfloat16]


@pytest.mark.parametrize(("hidden", "logged"), [(True, 0.0), (False, math.nan)])
@pytest.mark.claim("debugging#nan-and-overflow", "transformers/trainer.py#L1911-L1917")
def test_trainer_logs_0_instead_of_nan_unless_the_filter_is_off(
    model: LlamaForCausalLM, hidden: bool, logged: float, tmp_path: Path
) -> None:
    class Spoil(TrainerCallback):
        def on_step_end(self, args, state, control, **kwargs):
            if state.global_step == 2:
                model.lm_head.weight.data.fill_(math.nan)

    assert TrainingArguments.__dataclass_fields__["logging_nan_inf_filter"].default is True
    args = TrainingArguments(
        output_dir=str(tmp_path), logging_steps=2, logging_nan_inf_filter=hidden, per_device_train_batch_size=4
    )
    trainer = Trainer(model, args, train_dataset=tiny_dataset(), callbacks=[Spoil()])
    run(trainer, steps=4)
    first, last = (entry for entry in trainer.state.log_history if "loss" in entry)
    assert first["loss"] > 1
    assert last["loss"] == pytest.approx(logged, nan_ok=True)
    assert math.isnan(last["grad_norm"])
    assert math.isfinite(trainer.state.log_history[-1]["train_loss"]) == hidden
    # In evaluation a loss is left out beside others alone.
    assert math.isnan(trainer.evaluate(tiny_dataset())["eval_loss"])


def test_gradients_of_a_model_in_fp16_cannot_be_unscaled(model: LlamaForCausalLM) -> None:
    model.half()
    optimizer = torch.optim.SGD(model.parameters())
    scaler = torch.amp.GradScaler(model.device.type)
    scaler.scale(model(**tiny_batch()).loss).backward()
    with pytest.raises(ValueError, match="Attempting to unscale FP16 gradients"):
        scaler.unscale_(optimizer)


@pytest.mark.claim("serving#cache", "transformers/cache_utils.py::Fp8QuantizedLayer")
def test_the_first_chunk_of_a_prompt_limits_the_keys_of_an_fp8_cache(model: LlamaForCausalLM) -> None:
    tokens = torch.cat([torch.full((1, 16), 7), torch.arange(1, 65)[None]], dim=1).to(model.device)
    options = {"cache_implementation": "quantized", "cache_config": {"backend": "fp8"}, "max_new_tokens": 2}
    limits, largest = [], []
    for chunk in (16, None):  # The first 16 tokens are the same one, whose keys are smaller than the largest.
        output = model.generate(tokens, prefill_chunk_size=chunk, return_dict_in_generate=True, **options)
        numbers, scale = output.past_key_values.layers[0]._quantized_keys
        limits.append(scale.item() * torch.finfo(numbers.dtype).max)
        largest.append((numbers.float().abs().amax() * scale).item())
    assert limits[0] < 0.9 * limits[1]
    assert largest == pytest.approx(limits)  # Not NaN, which the cast of PyTorch before 2.13 gives.
