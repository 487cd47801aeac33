"""JAX's jit: a function is traced once for each shape and becomes one program of XLA, with operations fused."""

# --8<-- [start:function]
import jax
import jax.numpy as jnp

Parameters = dict[str, jax.Array]


def feed_forward(weights: Parameters, hidden: jax.Array) -> jax.Array:
    return jax.nn.gelu(hidden @ weights["up"]) @ weights["down"]


compiled = jax.jit(feed_forward)


# --8<-- [end:function]
# --8<-- [start:lower]
def lower(weights: Parameters, hidden: jax.Array) -> tuple[str, str]:
    lowered = compiled.lower(weights, hidden)
    return lowered.as_text(), lowered.compile().as_text()


# --8<-- [end:lower]
def parameters(hidden: int = 64, inner: int = 256) -> Parameters:
    """Random weights of a feed-forward network, the same at every call."""
    up, down = jax.random.split(jax.random.key(0))
    return {
        "up": jax.random.normal(up, (hidden, inner)) / hidden**0.5,
        "down": jax.random.normal(down, (inner, hidden)) / inner**0.5,
    }


def operations(hidden: jax.Array) -> tuple[int, int]:
    """How many operations the function has as it was traced, and how many the compiled program runs."""
    text, program = lower(parameters(), hidden)
    traced = text.count(" = stablehlo.")
    entry = program[program.index("ENTRY") :]
    ran = [line for line in entry.splitlines() if " = " in line and " parameter(" not in line]
    return traced, len(ran)


def main() -> None:
    hidden = jnp.linspace(-1, 1, 4 * 64).reshape(4, 64)
    difference = jnp.abs(compiled(parameters(), hidden) - feed_forward(parameters(), hidden)).max()
    print(f"JAX {jax.__version__} on {jax.devices()[0].platform}: largest difference {difference:.4f}")
    traced, ran = operations(hidden)
    print(f"Operations: {traced} as traced, {ran} in the compiled program")
    compiled(parameters(), hidden[:2])
    compiled(parameters(), hidden[2:])
    print(f"Programs for the shapes 4 x 64 and 2 x 64: {compiled._cache_size()}")


if __name__ == "__main__":
    main()
