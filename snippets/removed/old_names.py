"""Old names: what transformers answers to an argument that an older page tells you to pass."""

import copy
from tempfile import TemporaryDirectory

from transformers import AutoModelForCausalLM, LlamaConfig, LlamaForCausalLM, TrainingArguments

# isort: split
# --8<-- [start:arguments]
import logging
import warnings
from collections.abc import Callable

TRAINING_ARGUMENTS = [
    {"no_cuda": True},
    {"evaluation_strategy": "no"},
    {"use_ipex": True},
    {"sharded_ddp": "simple"},
    {"xpu_backend": "ccl"},
    {"torchdynamo": "inductor"},
    {"jit_mode_eval": True},
    {"half_precision_backend": "auto"},
    {"per_gpu_train_batch_size": 1},
    {"group_by_length": True},
    {"warmup_ratio": 0.1},
    {"overwrite_output_dir": True},
    {"save_safetensors": False},
    {"optim": "adamw_hf"},
    {"optim": "adamw_apex_fused"},
    {"gradient_checkpointing": True},
    {"fsdp": "full_shard auto_wrap"},
    {"fsdp": "hybrid_shard"},
    {"fsdp": True, "fsdp_config": {"version": 1}},
]
# --8<-- [end:arguments]

# --8<-- [start:from_pretrained]
FROM_PRETRAINED = [
    {"load_in_8bit": True},
    {"use_flash_attention_2": True},
    {"use_auth_token": "token"},
    {"torch_dtype": "float32"},
    {"tp_plan": "auto"},
    {"low_cpu_mem_usage": True},
    {"from_tf": True},
]
SAVE_PRETRAINED = [{"safe_serialization": False}]
# --8<-- [end:from_pretrained]
Arguments = dict[str, object]


# --8<-- [start:answer]
class Listener(logging.Handler):
    """Counts warnings that are logged, not raised as Python warnings."""

    heard = 0

    def emit(self, record: logging.LogRecord) -> None:
        self.heard += 1


def answer(call: Callable[[], object]) -> str:
    listener = Listener(logging.WARNING)
    logger = logging.getLogger("transformers")
    logger.addHandler(listener)
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            call()
    except (TypeError, ValueError):  # the name, or its value
        return "refused"
    finally:
        logger.removeHandler(listener)
    return "warns" if caught or listener.heard else "taken"


# --8<-- [end:answer]
def shown(arguments: Arguments) -> str:
    return ", ".join(f"{name}={value!r}" for name, value in arguments.items())


def answers() -> dict[str, str]:
    """For every old argument, as it is written in a call, what it gets."""
    found = {}
    with TemporaryDirectory() as folder:
        for old in copy.deepcopy(TRAINING_ARGUMENTS):  # TrainingArguments writes into fsdp_config.
            found[f"TrainingArguments({shown(old)})"] = answer(lambda old=old: TrainingArguments(folder, **old))
        sizes = {"hidden_size": 16, "intermediate_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2}
        LlamaForCausalLM(LlamaConfig(vocab_size=64, **sizes)).save_pretrained(folder)
        load = AutoModelForCausalLM.from_pretrained
        for old in FROM_PRETRAINED:
            found[f"from_pretrained({shown(old)})"] = answer(lambda old=old: load(folder, **old))
        model = load(folder)
        for old in SAVE_PRETRAINED:
            found[f"save_pretrained({shown(old)})"] = answer(lambda old=old: model.save_pretrained(folder, **old))
    return found


def main() -> None:
    for call, got in answers().items():
        print(f"{got:9}{call}")
    print(f"model.to_bettertransformer: {'there' if hasattr(LlamaForCausalLM, 'to_bettertransformer') else 'gone'}")


if __name__ == "__main__":
    main()
