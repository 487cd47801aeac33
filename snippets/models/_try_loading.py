"""The tries of ways to save, load, offload, quantize and export a model."""

from tempfile import TemporaryDirectory

import torch
from _building import Subject, batch, random_tokens
from _comparison import NoEffect, logits, matrices, relative_difference, reload
from torch import nn


def try_checkpoint_dtype(subject: Subject) -> float:
    """A checkpoint saved in bf16 loads in bf16 by default, and computes as the model that was saved."""
    model, inputs = subject.model.to(torch.bfloat16), batch(subject)
    inputs = {name: each.bfloat16() if each.is_floating_point() else each for name, each in inputs.items()}
    plain = logits(model, inputs)
    with TemporaryDirectory() as folder:
        model.save_pretrained(folder)
        loaded = reload(subject, folder)
    if loaded.dtype != torch.bfloat16:
        raise NoEffect(f"the weights are loaded in {loaded.dtype}")
    return relative_difference(logits(loaded, inputs), plain)


def try_save_and_load(subject: Subject) -> float:
    inputs = batch(subject)
    plain = logits(subject.model, inputs)
    with TemporaryDirectory() as folder:
        subject.model.save_pretrained(folder)
        return relative_difference(logits(reload(subject, folder), inputs), plain)


def try_meta_device(subject: Subject) -> float:
    """An empty model, and the tensors of the checkpoint assigned to it by name."""
    from accelerate import init_empty_weights
    from safetensors.torch import load_file

    inputs = batch(subject)
    plain = logits(subject.model, inputs)
    with TemporaryDirectory() as folder:
        subject.model.save_pretrained(folder)
        weights = load_file(f"{folder}/model.safetensors")
    with init_empty_weights():
        model = type(subject.model)(subject.config)
    found = model.load_state_dict(weights, assign=True, strict=False)
    model.tie_weights()
    empty = [name for name, weight in model.named_parameters() if weight.is_meta]
    if empty:
        raise ValueError(f"the checkpoint has no weights for {empty[0]} and {len(empty) - 1} others")
    if found.unexpected_keys:
        raise ValueError(f"the model has no place for {found.unexpected_keys[0]}")
    return relative_difference(logits(model.eval(), inputs), plain)


def try_disk_offload(subject: Subject) -> float:
    inputs = batch(subject)
    plain = logits(subject.model, inputs)
    whole = sum(weight.nbytes for weight in subject.model.parameters())
    with TemporaryDirectory() as folder:
        subject.model.save_pretrained(f"{folder}/checkpoint")
        loaded = reload(subject, f"{folder}/checkpoint", device_map="auto", max_memory={"cpu": whole // 2},
                        offload_folder=f"{folder}/offload")
        if not any(weight.is_meta for weight in loaded.parameters()):
            raise NoEffect("all weights are in memory")
        return relative_difference(logits(loaded, inputs), plain)


def try_int8_weights(subject: Subject) -> float:
    """8-bit weights by torchao: the share of the weights in matrices that are not quantized."""
    from torchao.quantization import Int8WeightOnlyConfig, quantize_

    inputs = batch(subject)
    plain = logits(subject.model, inputs)
    whole = {name: weight.numel() for name, weight in matrices(subject.model)}
    quantize_(subject.model, Int8WeightOnlyConfig())
    if (difference := relative_difference(logits(subject.model, inputs), plain)) > 0.5:
        raise NoEffect(f"the logits differ by {difference:.2g}")
    left = sum(whole[name] for name, weight in subject.model.named_parameters()
               if name in whole and type(weight.data) is torch.Tensor and type(weight) is nn.Parameter)
    return left / max(sum(whole.values()), 1)


def try_four_bits(subject: Subject) -> float:
    """4-bit weights by bitsandbytes: the share of the weights in matrices that are not quantized."""
    from bitsandbytes.nn import Params4bit
    from transformers import BitsAndBytesConfig

    inputs = batch(subject)
    whole = {name: weight.numel() for name, weight in matrices(subject.model)}
    with TemporaryDirectory() as folder:
        subject.model.save_pretrained(folder)
        settings = BitsAndBytesConfig(load_in_4bit=True, bnb_4bit_quant_type="nf4",
                                      bnb_4bit_compute_dtype=torch.float32)
        loaded = reload(subject, folder, quantization_config=settings)
    found = logits(loaded, {name: each.to(loaded.dtype) if each.is_floating_point() else each
                            for name, each in inputs.items()})
    if not found.isfinite().all():
        raise NoEffect("the logits are not finite")
    left = sum(whole[name] for name, weight in loaded.named_parameters()
               if name in whole and not isinstance(weight, Params4bit))
    return left / max(sum(whole.values()), 1)


def try_eight_bits(subject: Subject) -> float:
    """8-bit weights by bitsandbytes: the share of the weights in matrices that are not quantized."""
    from bitsandbytes.nn import Int8Params
    from transformers import BitsAndBytesConfig

    inputs = batch(subject)
    plain = logits(subject.model, inputs)
    whole = {name: weight.numel() for name, weight in matrices(subject.model)}
    with TemporaryDirectory() as folder:
        subject.model.save_pretrained(folder)
        loaded = reload(subject, folder, quantization_config=BitsAndBytesConfig(load_in_8bit=True))
    found = logits(loaded, {name: each.to(loaded.dtype) if each.is_floating_point() else each
                            for name, each in inputs.items()})
    if not (difference := relative_difference(found, plain)) < 0.5:
        raise NoEffect(f"the logits differ by {difference:.2g}")
    left = sum(whole[name] for name, weight in loaded.named_parameters()
               if name in whole and not isinstance(weight, Int8Params))
    return left / max(sum(whole.values()), 1)


def try_onnx(subject: Subject) -> float:
    """The logits of ONNX Runtime, with another number of samples and tokens than the export had, one of them padded."""
    from transformers.exporters.exporter_onnx import OnnxConfig, OnnxExporter

    rows = random_tokens(2, 16)
    exported = OnnxExporter().export(
        subject.model, {"input_ids": rows, "attention_mask": torch.ones_like(rows), "use_cache": False},
        config=OnnxConfig(dynamic=True))
    other = random_tokens(3, 24, seed=3)
    mask = torch.ones_like(other)
    mask[1, -5:] = 0
    plain = logits(subject.model, {"input_ids": other, "attention_mask": mask})
    found = exported(input_ids=other, attention_mask=mask).logits
    return relative_difference(found[mask.bool()], plain[mask.bool()])
