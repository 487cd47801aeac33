"""How tensor parallelism cuts the matrices of a layer."""

# --8<-- [start:plan]
from torch import nn
from torch.distributed.tensor import Replicate
from torch.distributed.tensor.parallel import (
    ColwiseParallel,
    PrepareModuleInput,
    RowwiseParallel,
    SequenceParallel,
)

SAME = Replicate()
PLAN = {
    # Its gradient is summed once, not once for each matrix.
    "self_attn": PrepareModuleInput(
        input_kwarg_layouts={"hidden_states": SAME},
        desired_input_kwarg_layouts={"hidden_states": SAME},
    ),
    "mlp": PrepareModuleInput(
        input_layouts=SAME, desired_input_layouts=SAME
    ),
    # Each rank computes some of the outputs: whole heads, here.
    "self_attn.q_proj": ColwiseParallel(),
    "self_attn.k_proj": ColwiseParallel(),
    "self_attn.v_proj": ColwiseParallel(),
    # Each rank takes some of the inputs, and the outputs are summed.
    "self_attn.o_proj": RowwiseParallel(),
    "mlp.gate_proj": ColwiseParallel(),
    "mlp.up_proj": ColwiseParallel(),
    "mlp.down_proj": RowwiseParallel(),
}
# Norms of queries and keys see some of the heads: sums their gradients.
HEAD_NORM = SequenceParallel(sequence_dim=2, use_local_output=True)


def plan_of(layer: nn.Module) -> dict:
    attention = getattr(layer, "self_attn", None)
    norms = [n for n in ("q_norm", "k_norm") if hasattr(attention, n)]
    plan = PLAN | {f"self_attn.{name}": HEAD_NORM for name in norms}
    # Each rank would train other weights of a block on its own slice.
    for name, _ in layer.named_parameters():
        block = name.split(".")[0]
        module = name.rpartition(".")[0]
        if block in PLAN and (module == block or module not in plan):
            raise ValueError(f"the plan has no rule for {name}")
    # Its threshold is of all features, of which each rank has some.
    if getattr(getattr(layer, "mlp", None), "activation_sparsity", 0):
        raise ValueError("the plan cannot cut a sparse activation")
    return plan
# --8<-- [end:plan]
