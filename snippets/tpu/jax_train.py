"""JAX on a TPU, or on whatever is there: rows of the batch on all devices, one program of XLA for all of them."""

# --8<-- [start:simulate]
import os

# Without a TPU: eight devices made of one CPU. Before jax is imported.
os.environ.setdefault(
    "XLA_FLAGS", "--xla_force_host_platform_device_count=8"
)
import jax
from jax.sharding import NamedSharding, PartitionSpec

# --8<-- [end:simulate]


# --8<-- [start:network]
Parameters = dict[str, jax.Array]


def parameters(hidden: int = 16, inner: int = 64) -> Parameters:
    up, down = jax.random.split(jax.random.key(0))
    return {
        "up": jax.random.normal(up, (hidden, inner)) / hidden**0.5,
        "down": jax.random.normal(down, (inner, 1)) / inner**0.5,
    }


def batch(rows: int = 32, hidden: int = 16) -> tuple[jax.Array, jax.Array]:
    # The mean of a row is what is to be learnt.
    inputs = jax.random.normal(jax.random.key(1), (rows, hidden))
    return inputs, inputs.mean(axis=1, keepdims=True)


# --8<-- [end:network]
# --8<-- [start:step]
def loss(weights: Parameters, inputs: jax.Array, targets: jax.Array):
    outputs = jax.nn.gelu(inputs @ weights["up"]) @ weights["down"]
    return ((outputs - targets) ** 2).mean()


@jax.jit
def step(weights: Parameters, inputs: jax.Array, targets: jax.Array):
    value, gradients = jax.value_and_grad(loss)(weights, inputs, targets)
    weights = jax.tree.map(lambda w, g: w - 0.1 * g, weights, gradients)
    return weights, value


# --8<-- [end:step]
# --8<-- [start:shard]
def shard() -> tuple[Parameters, jax.Array, jax.Array]:
    mesh = jax.make_mesh((jax.device_count(),), ("data",))
    everywhere = NamedSharding(mesh, PartitionSpec())
    by_rows = NamedSharding(mesh, PartitionSpec("data"))

    weights = jax.device_put(parameters(), everywhere)
    inputs, targets = jax.device_put(batch(), by_rows)
    return weights, inputs, targets


# --8<-- [end:shard]
def collectives(weights: Parameters, inputs: jax.Array, targets: jax.Array) -> int:
    """How often the compiled step sums over the devices."""
    return step.lower(weights, inputs, targets).compile().as_text().count(" all-reduce(")


def main() -> None:
    print(f"JAX {jax.__version__}: {jax.device_count()} devices of the kind {jax.devices()[0].platform}")
    weights, inputs, targets = shard()
    print(f"Rows on a device: {inputs.addressable_shards[0].data.shape[0]} of {inputs.shape[0]}")
    print(f"Sums over the devices in a step: {collectives(weights, inputs, targets)}")
    first = last = None
    for _ in range(20):
        weights, last = step(weights, inputs, targets)
        first = last if first is None else first
    print(f"Loss of the first step {first:.3f}, of the last one {last:.3f}")


if __name__ == "__main__":
    main()
