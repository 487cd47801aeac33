"""Training 70 billion parameters on eight GPUs: what one of them holds, by the simulated step of one rank of eight."""

# --8<-- [start:imports]
import weakref

import torch
import torch.distributed as dist
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard
from torch.testing._internal.distributed.fake_pg import FakeStore
from transformers import AutoModelForCausalLM, LlamaConfig

# --8<-- [end:imports]
# isort: split
# --8<-- [start:peak]
from peak import PeakMemory

# --8<-- [end:peak]
# isort: split
# --8<-- [start:adamw]
from torchao.optim import AdamW8bit


# torchao 0.18 fails if a sharded state is declared as bf16. The moments
# are in 8 bits either way, so nothing is lost by declaring fp32.
class ShardedAdamW8bit(AdamW8bit):
    @staticmethod
    def _subclass_zeros(p, signed, block_size):
        zeros = AdamW8bit._subclass_zeros(p.float(), signed, block_size)
        if not signed:
            # The step is divided by the root of the second moment, so a
            # small one must not be rounded to 0.
            zeros.qmap[0] = zeros.qmap[1]
        return zeros


# --8<-- [end:adamw]
LLAMA_70B = LlamaConfig(
    vocab_size=128_256,
    hidden_size=8192,
    intermediate_size=28_672,
    num_hidden_layers=80,
    num_attention_heads=64,
    num_key_value_heads=8,
)


# --8<-- [start:resized]
# FSDP frees what it gathered by giving the storage the size 0.
class ResizedMemory(PeakMemory):
    def __init__(self):
        super().__init__()
        self.sizes = {}  # the number of a storage: its bytes now

    def number(self, tensor):
        storage = tensor.untyped_storage()
        if storage not in self.numbers:
            number = len(self.timeline)
            self.numbers[storage] = number
            self.resize(number, storage.nbytes())
            weakref.finalize(storage, self.resize, number, 0)
        return self.numbers[storage]

    def resize(self, number, size):
        change = size - self.sizes.get(number, 0)
        self.timeline.append((number, change))
        self.sizes[number] = size

    def __enter__(self):
        self.original = torch.UntypedStorage.resize_

        def resize_(storage, size):
            if storage in self.numbers:
                self.resize(self.numbers[storage], size)
            return self.original(storage, size)

        torch.UntypedStorage.resize_ = resize_
        return super().__enter__()

    def __exit__(self, *error):
        torch.UntypedStorage.resize_ = self.original
        return super().__exit__(*error)


# --8<-- [end:resized]


# --8<-- [start:shard]
# Layers are gathered and computed in bf16, gradients are summed in fp32.
MIXED = MixedPrecisionPolicy(
    param_dtype=torch.bfloat16, reduce_dtype=torch.float32
)


def sharded(config, mesh):
    model = AutoModelForCausalLM.from_config(config, dtype=torch.bfloat16)
    model.activation_checkpointing_enable()
    for unit in (model.model.embed_tokens, *model.model.layers):
        fully_shard(unit, mesh=mesh, mp_policy=MIXED)
    # Its backward pass comes right after its forward pass.
    fully_shard(
        model.lm_head,
        mesh=mesh,
        mp_policy=MIXED,
        reshard_after_forward=False,
    )
    return fully_shard(model, mesh=mesh, mp_policy=MIXED)


# --8<-- [end:shard]


# --8<-- [start:simulate]
def local(tensors):
    return [tensor.to_local() for tensor in tensors if tensor is not None]


# Forward and backward pass of one rank; an optimizer's state would come
# on top, because it is there all the time.
def passes(memory, model, length):
    memory.label("weights", local(model.parameters()))
    tokens = torch.zeros(1, length, dtype=torch.long)
    with memory:
        model.train()
        loss = model(tokens, labels=tokens, use_cache=False).loss
        loss.backward()
    memory.label("gradients", local(p.grad for p in model.parameters()))


# Gradients and passes (activations, gathered layers and their gradients)
# in bytes, when both together need most. The first grow while the other
# shrinks. Here they are in bf16; other formats are in proportion.
def highest(memory, gradient_size=2):
    held = {"weights": 0, "gradients": 0, "passes": 0}
    most = (0, 0)
    for number, size in memory.timeline:
        held[memory.kinds.get(number, "passes")] += size
        now = (held["gradients"] * gradient_size / 2, held["passes"])
        most = max(most, now, key=sum)
    return most


# The backend "fake" is one rank of many. Its collectives return at once.
def simulate(config, length, ranks=8):
    memory = ResizedMemory()
    dist.init_process_group(
        "fake", rank=0, world_size=ranks, store=FakeStore()
    )
    mesh = dist.init_device_mesh("cpu", (ranks,))
    with FakeTensorMode(allow_non_fake_inputs=True):
        passes(memory, sharded(config, mesh), length)
    dist.destroy_process_group()
    return memory


# --8<-- [end:simulate]


# --8<-- [start:methods]
# Bytes per parameter: weights, gradients, optimizer state. 8-bit AdamW
# has two numbers in 8 bits, and a scale in fp32 for 256 of them.
METHODS = {
    "AdamW in fp32": (4, 4, 8),
    "AdamW in bf16": (2, 2, 4),
    "8-bit AdamW": (2, 2, 2 * (1 + 4 / 256)),
    "LoRA": (2, 0, 0),
    "CPU offload": (0, 0, 0),
}


# What a rank holds at the peak: weights, gradients, state, passes.
def at_peak(memory, parameters, ranks=8):
    for name, (weights, gradients, state) in METHODS.items():
        reduced, passes = highest(memory, gradients)
        shard = parameters / ranks
        yield name, [weights * shard, reduced, state * shard, passes]


# --8<-- [end:methods]


def main() -> None:
    length = 4096
    with torch.device("meta"):
        parameters = AutoModelForCausalLM.from_config(LLAMA_70B).num_parameters()
    memory = simulate(LLAMA_70B, length)
    print(f"Llama 3.1 70B, {parameters:,} parameters on 8 ranks, GB on each with a sequence of {length:,} tokens")
    print(" " * 18, *(f"{kind:>11}" for kind in ("weights", "gradients", "optimizer", "passes", "sum")))
    for name, sizes in at_peak(memory, parameters):
        print(f"{name:18}", *(f"{size / 1e9:11.2f}" for size in (*sizes, sum(sizes))))


if __name__ == "__main__":
    main()
