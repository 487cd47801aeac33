"""The estimate beside the simulation: the same models and methods by formulas, and step by step on fake tensors."""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from unittest.mock import patch

import bitsandbytes as bnb
import torch
import torch.nn.functional as F
from estimate import (
    ENCODERS,
    MODELS,
    Encoder,
    Shape,
    fused,
    inference,
    inference_of_encoder,
    training,
    training_of_adapters,
    training_of_encoder,
)
from finetune_8b import materialize
from peft import LoraConfig, PeftModel, get_peft_model, prepare_model_for_kbit_training
from torch import nn
from torch.nn.attention import SDPBackend, sdpa_kernel
from transformers import (
    AutoModelForCausalLM,
    AutoModelForMaskedLM,
    BertConfig,
    BitsAndBytesConfig,
    Gemma2Config,
    Gemma3TextConfig,
    LlamaConfig,
    PreTrainedModel,
    Qwen2Config,
    Qwen3Config,
    masking_utils,
)
from transformers.integrations import replace_with_bnb_linear

from peak import FakeTensorMode, PeakMemory, fused_adamw, optimizer_state, simulate, unset_fake_temporarily
from techniques import adafactor, checkpointed

OPTIMIZERS = {
    "adamw": fused_adamw,
    "adamw-8bit": bnb.optim.AdamW8bit,
    "adafactor": adafactor,
    "sgd": torch.optim.SGD,
}


def decoder(shape: Shape, dtype: torch.dtype) -> PreTrainedModel:
    """A model of this shape; its family follows from what the shape says of biases and norms."""
    family = Qwen3Config if shape.qk_norm else Qwen2Config if shape.qkv_bias else LlamaConfig
    windows = {}
    if shape.post_norms:
        family = Gemma2Config if shape.softcap else Gemma3TextConfig
        kinds = ["sliding_attention"] * shape.windowed + ["full_attention"] * (shape.layers - shape.windowed)
        windows = {"sliding_window": shape.window or None, "layer_types": kinds}
    config = family(
        vocab_size=shape.vocabulary,
        hidden_size=shape.hidden,
        intermediate_size=shape.intermediate,
        num_hidden_layers=shape.layers,
        num_attention_heads=shape.heads,
        num_key_value_heads=shape.kv_heads,
        head_dim=shape.head_size,
        tie_word_embeddings=shape.tied,
        **windows,
    )
    return AutoModelForCausalLM.from_config(config, dtype=dtype)


def nothing_packed() -> AbstractContextManager[object]:
    """Within it no sequences are packed: fake tensors cannot show that, and transformers would make a mask per row."""
    return patch.object(masking_utils, "find_packed_sequence_indices", lambda position_ids: None)


def kernel_of_a_gpu(shape: Shape, precision: str) -> AbstractContextManager[object]:
    """Within it attention takes the math kernel if a GPU has no other for it; a CPU would have one."""
    return nullcontext() if fused(shape, precision) else sdpa_kernel(SDPBackend.MATH)


def embeddings_in_fp32(model: PreTrainedModel) -> None:
    """Make 8-bit optimizers keep the embedding's state in fp32, as `Trainer` does."""
    manager = bnb.optim.GlobalOptimManager.get_instance()
    manager.initialize()  # What was set for models that are gone would apply to others, by address.
    for module in model.modules():
        if isinstance(module, nn.Embedding):
            manager.register_module_override(module, "weight", {"optim_bits": 32})


def simulated_step(make: Callable[[torch.dtype], PreTrainedModel], batch: int, length: int, precision: str = "fp32",
                   checkpointing: bool = False, accumulation: bool = False,
                   optimizer: str = "adamw") -> dict[str, int]:
    """Bytes by kind at the peak of the simulated step of a model that `make` makes in a type."""
    def build() -> PreTrainedModel:
        model = make(torch.bfloat16 if precision == "bf16" else torch.float32)
        embeddings_in_fp32(model)
        return model

    pieces = 2 if accumulation else 1
    return simulate(
        checkpointed(build) if checkpointing else build,
        optimizer_for=OPTIMIZERS[optimizer],
        rows=batch * pieces,
        length=length,
        pieces=pieces,
        precision=torch.bfloat16 if precision == "mixed" else torch.float32,
    ).peak()


@nothing_packed()
def simulated_training(shape: Shape, batch: int, length: int, precision: str = "fp32",
                       **step: object) -> dict[str, int]:
    """Bytes by kind at the peak of the simulated step that `training` estimates."""
    with kernel_of_a_gpu(shape, precision):
        return simulated_step(partial(decoder, shape), batch, length, precision, **step)


def adapted(make: Callable[[torch.dtype], PreTrainedModel], rank: int, quantized: bool,
            checkpointing: bool) -> PeftModel:
    """The model on the meta device, with LoRA on all linear layers; quantized, as the guide prepares it for QLoRA."""
    with torch.device("meta"):
        model = make(torch.bfloat16)
    if quantized:
        bnb.functional.quantize_blockwise(torch.zeros(1))  # Makes the table that bitsandbytes keeps, of real numbers.
        types = {"bnb_4bit_quant_type": "nf4", "bnb_4bit_compute_dtype": torch.bfloat16}
        nf4 = BitsAndBytesConfig(load_in_4bit=True, bnb_4bit_use_double_quant=True, **types)
        model = replace_with_bnb_linear(model, ["lm_head"], nf4)
        model.is_loaded_in_4bit = True
        model = prepare_model_for_kbit_training(model, checkpointing, {"use_reentrant": False})
    elif checkpointing:
        model.activation_checkpointing_enable()
    lora = LoraConfig(r=rank, target_modules="all-linear", task_type="CAUSAL_LM")
    return get_peft_model(model, lora, low_cpu_mem_usage=True)


def simulated_adapted_step(make: Callable[[torch.dtype], PreTrainedModel], batch: int, length: int, rank: int = 16,
                           quantized: bool = False, checkpointing: bool = False, accumulation: bool = False,
                           optimizer: str = "adamw") -> dict[str, int]:
    """Bytes by kind at the peak of the simulated step of adapters on a model that `make` makes in a type."""
    memory, model = PeakMemory(), adapted(make, rank, quantized, checkpointing)
    with FakeTensorMode(allow_non_fake_inputs=True), memory:
        materialize(model).train()
        memory.kinds.update(dict.fromkeys(memory.numbers.values(), "weights"))
        trained = [each for each in model.parameters() if each.requires_grad]
        with unset_fake_temporarily():
            steps = OPTIMIZERS[optimizer](trained)
        for each in trained:
            each.grad = torch.zeros_like(each)
        steps.step()
        steps.zero_grad()
        for _ in range(2 if accumulation else 1):
            tokens = torch.zeros(batch, length, dtype=torch.long)
            with torch.autocast("cpu", torch.bfloat16):
                loss = model(input_ids=tokens, labels=tokens).loss
            loss.backward()
            del loss
        steps.step()
        memory.label("gradients", (each.grad for each in trained))
        memory.label("optimizer", optimizer_state(steps))
    return memory.peak()


@nothing_packed()
def simulated_adapters(shape: Shape, batch: int, length: int, **step: object) -> dict[str, int]:
    """Bytes by kind at the peak of the simulated step that `training_of_adapters` estimates."""
    with kernel_of_a_gpu(shape, "bf16"):
        return simulated_adapted_step(partial(decoder, shape), batch, length, **step)


@nothing_packed()
def simulated_inference(shape: Shape, batch: int, length: int) -> dict[str, int]:
    """Bytes by kind at the peak of a prompt and one more token, in bf16."""
    memory = PeakMemory()
    with FakeTensorMode(), torch.no_grad():
        model = decoder(shape, torch.bfloat16).eval()
        memory.label("weights", model.parameters())
        with memory:
            tokens = torch.zeros(batch, length, dtype=torch.long)
            first = model(tokens, use_cache=True, logits_to_keep=1)
            second = model(tokens[:, :1], past_key_values=first.past_key_values, logits_to_keep=1)
            layers = second.past_key_values.layers
            memory.label("cache", (each for layer in layers for each in (layer.keys, layer.values)))
    return memory.peak()


def encoder(shape: Encoder, dtype: torch.dtype) -> PreTrainedModel:
    """BERT of this shape. A kernel of a GPU draws the attention's dropout again, so it keeps nothing for it."""
    config = BertConfig(
        vocab_size=shape.vocabulary,
        hidden_size=shape.hidden,
        intermediate_size=shape.intermediate,
        num_hidden_layers=shape.layers,
        num_attention_heads=shape.heads,
        max_position_embeddings=shape.positions,
        attention_probs_dropout_prob=0.0,
    )
    return AutoModelForMaskedLM.from_config(config, dtype=dtype)


def dropout_of_a_gpu(numbers: torch.Tensor, p: float, training: bool, inplace: bool) -> torch.Tensor:
    """Dropout that keeps a mask of bytes; a CPU keeps the factors, in the type of the numbers."""
    return torch.native_dropout(numbers, p, True)[0] if training else numbers


def simulated_encoder_training(shape: Encoder, batch: int, length: int, **step: object) -> dict[str, int]:
    """Bytes by kind at the peak of the simulated step that `training_of_encoder` estimates."""
    with patch.object(F, "dropout", dropout_of_a_gpu):
        return simulated_step(partial(encoder, shape), batch, length, **step)


def simulated_encoder_inference(shape: Encoder, batch: int, length: int) -> dict[str, int]:
    """Bytes by kind at the peak of a forward pass in bf16."""
    memory = PeakMemory()
    with FakeTensorMode(), torch.no_grad():
        model = encoder(shape, torch.bfloat16).eval()
        memory.label("weights", model.parameters())
        with memory:
            model(torch.zeros(batch, length, dtype=torch.long))
    return memory.peak()


# --8<-- [start:compare]
TRAINED = {
    "fp32": {},
    "bf16 autocast": {"precision": "mixed"},
    "checkpointing": {"checkpointing": True},
    "autocast, checkpointing, 8-bit": {
        "precision": "mixed",
        "checkpointing": True,
        "optimizer": "adamw-8bit",
    },
    "bf16 weights, Adafactor": {
        "precision": "bf16",
        "optimizer": "adafactor",
    },
}


# --8<-- [end:compare]


def relative_error(estimated: dict[str, float], simulated: dict[str, int]) -> float:
    return sum(estimated.values()) / sum(simulated.values()) - 1


def show(name: str, simulated: dict[str, int], estimated: dict[str, float]) -> None:
    theirs, ours = sum(simulated.values()), sum(estimated.values())
    print(f"{name:48}{theirs / 1e9:10.2f}{ours / 1e9:10.2f}{100 * relative_error(estimated, simulated):+10.2f}")


ADAPTED = {
    "LoRA": {"checkpointing": True},
    "QLoRA": {"checkpointing": True, "quantized": True},
}


def main() -> None:
    print(f"{'GB at the peak':48}{'simulated':>10}{'estimated':>10}{'percent':>10}")
    for name in ("Qwen3 0.6B", "Llama 3.2 3B"):
        for method, options in TRAINED.items():
            step = (MODELS[name], 4, 512)
            show(f"{name}, {method}", simulated_training(*step, **options), training(*step, **options)[1])
    step = (MODELS["Qwen3 0.6B"], 4, 512)
    for method, options in ADAPTED.items():
        adapted = training_of_adapters(*step, **options)[1]
        show(f"Qwen3 0.6B, {method}", simulated_adapters(*step, **options), adapted)
    for method in ("fp32", "bf16 autocast", "checkpointing"):
        step = (ENCODERS["BERT base"], 4, 512)
        trained = training_of_encoder(*step, **TRAINED[method])[1]
        show(f"BERT base, {method}", simulated_encoder_training(*step, **TRAINED[method]), trained)
    for name in ("Qwen3 0.6B", "Llama 3.2 3B", "Llama 3.1 8B"):
        show(f"{name}, inference", simulated_inference(MODELS[name], 4, 2048), inference(MODELS[name], 4, 2048))
    served = (ENCODERS["BERT base"], 4, 512)
    show("BERT base, inference", simulated_encoder_inference(*served), inference_of_encoder(*served))


if __name__ == "__main__":
    main()
