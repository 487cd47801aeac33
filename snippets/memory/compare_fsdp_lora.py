"""The estimate of LoRA on several GPUs beside the simulation: one rank of FSDP2 on fake tensors, in mixed types."""

from functools import partial

import torch
from compare import OPTIMIZERS, adapted, decoder, kernel_of_a_gpu, nothing_packed, show
from compare_fsdp import fake_ranks
from estimate import MODELS, Shape
from estimate_fsdp_lora import training_of_fsdp_lora
from finetune_8b import materialize
from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard
from train_70b import ResizedMemory, local

from peak import FakeTensorMode


@nothing_packed()
def simulated_fsdp_lora(shape: Shape, batch: int, length: int, rank: int = 16, checkpointing: bool = False,
                        accumulation: bool = False, optimizer: str = "adamw", ranks: int = 8) -> dict[str, int]:
    """Bytes by kind at the peak of the step of one rank that `training_of_fsdp_lora` estimates."""
    memory, model = ResizedMemory(), adapted(partial(decoder, shape), rank, False, checkpointing)
    # In the types that Accelerate gives FSDP2 for mixed precision.
    policy = MixedPrecisionPolicy(**dict.fromkeys(("param_dtype", "reduce_dtype", "output_dtype"), torch.bfloat16))
    with kernel_of_a_gpu(shape, "bf16"), fake_ranks(ranks) as mesh, FakeTensorMode(allow_non_fake_inputs=True):
        materialize(model).train()
        for unit in (*model.get_base_model().model.layers, model):
            fully_shard(unit, mesh=mesh, mp_policy=policy)
        trained = [each for each in model.parameters() if each.requires_grad]
        steps = OPTIMIZERS[optimizer](trained)
        for each in trained:
            each.grad = torch.zeros_like(each)
        steps.step()
        steps.zero_grad()
        memory.label("weights", local(model.parameters()))
        state = (each for one in steps.state.values() for each in one.values() if each.dim() > 0)
        memory.label("optimizer", local(state))
        with memory:
            for _ in range(2 if accumulation else 1):
                tokens = torch.zeros(batch, length, dtype=torch.long)
                with torch.autocast("cpu", torch.bfloat16):
                    loss = model(input_ids=tokens, labels=tokens, use_cache=False).loss
                loss.backward()
                del loss
            steps.step()
        memory.label("gradients", local(each.grad for each in trained))
    return memory.peak()


def main() -> None:
    print(f"{'GB at the peak, LoRA on one of 8 ranks':48}{'simulated':>10}{'estimated':>10}{'percent':>10}")
    for name in ("Qwen3 0.6B", "Llama 3.2 3B"):
        for checkpointing in (True, False):
            step = {"batch": 4, "length": 512, "checkpointing": checkpointing}
            method = f"{name}, {'checkpointing' if checkpointing else 'no checkpointing'}"
            show(method, simulated_fsdp_lora(MODELS[name], **step), training_of_fsdp_lora(MODELS[name], **step)[1])


if __name__ == "__main__":
    main()
