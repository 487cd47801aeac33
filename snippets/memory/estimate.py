"""Memory by formulas: what a decoder holds at the peak of a training step or of generation, from its shape alone."""

# --8<-- [start:shape]
from dataclasses import dataclass


@dataclass(frozen=True)
class Shape:
    vocabulary: int
    hidden: int
    intermediate: int
    layers: int
    heads: int
    kv_heads: int
    head_size: int
    tied: bool = False  # one matrix for embedding and output layer
    qkv_bias: bool = False  # as in Qwen2
    qk_norm: bool = False  # as in Qwen3

    # Sizes of all queries of a token, and of all its keys.
    def widths(self):
        return self.heads * self.head_size, self.kv_heads * self.head_size

    # Rows and columns of the linear layers of one decoder layer.
    def linear(self):
        query, key = self.widths()
        return [
            (query, self.hidden),
            (key, self.hidden),
            (key, self.hidden),
            (self.hidden, query),
            (self.intermediate, self.hidden),
            (self.intermediate, self.hidden),
            (self.hidden, self.intermediate),
        ]

    # Sizes of the vectors of one decoder layer.
    def vectors(self):
        query, key = self.widths()
        biases = [query, key, key] if self.qkv_bias else []
        norms = [self.head_size] * 2 if self.qk_norm else []
        return [self.hidden, self.hidden, *biases, *norms]

    # Embedding and output layer.
    def tables(self):
        return [(self.vocabulary, self.hidden)] * (1 if self.tied else 2)


def parameters(shape):
    layer = sum(r * c for r, c in shape.linear()) + sum(shape.vectors())
    tables = sum(r * c for r, c in shape.tables())
    return shape.layers * layer + tables + shape.hidden
# --8<-- [end:shape]


# --8<-- [start:optimizer]
# Bytes of state; a parameter is a matrix (rows, columns) or a vector.
def state_of(optimizer, rows, columns, size):
    number = rows * columns
    if optimizer == "adamw":
        return 2 * size * number
    if optimizer == "adamw-8bit":  # two scales for a block of 256
        blocks = -(-number // 256)
        return 2 * number + 8 * blocks if number >= 4096 else 8 * number
    if optimizer == "adafactor":
        return 4 * number if columns == 1 else 4 * (rows + columns)
    return 0  # SGD without momentum


def optimizer_bytes(shape, optimizer, size):
    layer = [*shape.linear(), *((n, 1) for n in shape.vectors())]
    rest = [*shape.tables(), (shape.hidden, 1)]
    state = shape.layers * sum(
        state_of(optimizer, r, c, size) for r, c in layer
    ) + sum(state_of(optimizer, r, c, size) for r, c in rest)
    if optimizer == "adamw-8bit":  # Trainer: embeddings in fp32
        table = shape.tables()[0]
        state += 8 * table[0] * table[1] - state_of(optimizer, *table, size)
    return state
# --8<-- [end:optimizer]


# --8<-- [start:attention]
# With grouped key-value heads a GPU needs the flash kernel, for which it
# has to be Ampere or newer, and which takes 16-bit numbers alone.
# The math kernel remains, which stores a matrix of length x length.
def fused(shape, precision, flash=True):
    grouped = shape.kv_heads < shape.heads
    return not grouped or (flash and precision != "fp32")
# --8<-- [end:attention]


# --8<-- [start:activations]
# Bytes per token that the backward pass of one decoder layer needs.
def activations_of_layer(shape, precision, length, fused=True):
    query, key = shape.widths()
    # Input of a norm, its normalized form, its output.
    norm = {"fp32": 4 + 4 + 4, "bf16": 4 + 2 + 2, "mixed": 4 + 4}[precision]
    size = 4 if precision == "fp32" else 2
    # With autocast each linear layer casts its own input.
    casts = 5 * 2 if precision == "mixed" else 0
    attention = size * (2 * query + 2 * key) + 4 * shape.heads
    if not fused:  # in fp32, with keys and values for every head
        attention = size * query + 4 * (3 * query + shape.heads * length)
    if shape.qk_norm:
        norms = {"fp32": 4 + 4, "bf16": 4 + 2, "mixed": 4 + 2}[precision]
        attention += norms * (query + key)
        attention += 4 * (shape.heads + shape.kv_heads)
    mlp = size * 4 * shape.intermediate
    return (2 * norm + casts) * shape.hidden + attention + mlp + 2 * 4


# Bytes per token of the last norm, and of the output layer's input.
def activations_of_end(shape, precision):
    norm = {"fp32": 12, "bf16": 8, "mixed": 10}[precision]
    return norm * shape.hidden + 4
# --8<-- [end:activations]


# --8<-- [start:instants]
# What exists at an instant: gradients, activations, workspace.
def instants(shape, batch, length, precision, checkpointing, fused):
    tokens, vocabulary = batch * length, shape.vocabulary
    weight = 2 if precision == "bf16" else 4
    size = 4 if precision == "fp32" else 2
    table = vocabulary * shape.hidden
    linear = sum(r * c for r, c in shape.linear())
    in_layer = linear + sum(shape.vectors())
    # Copies of the weights in 16 bits, for autocast.
    copies = 2 * linear if precision == "mixed" else 0
    head_copy = 2 * table if precision == "mixed" else 0

    per_token = activations_of_layer(shape, precision, length, fused)
    layer = tokens * per_token + copies
    stream = tokens * shape.hidden * (2 if precision == "bf16" else 4)
    kept = stream if checkpointing else layer
    end = tokens * activations_of_end(shape, precision)
    logits = tokens * vocabulary
    gradient = weight * parameters(shape)
    head = 0 if shape.tied else weight * table
    # Of a matrix with two uses each gradient is held until they are added.
    shared = weight * table if shape.tied else 0
    down = shape.hidden * shape.intermediate  # its gradient comes first
    # Gradients inside the layer that goes backward.
    mlp = 2 * size * shape.intermediate
    # In the attention, after the activations of the MLP are freed.
    query, key = shape.widths()
    rotation = {"fp32": 8 * (query + key), "bf16": 4 * (query + key)}
    attention = rotation.get(precision, 10 * query) - 2 * mlp
    if not fused:  # two more matrices
        freed = size * query + activations_of_end(shape, precision)
        attention = 8 * shape.heads * length - 2 * mlp - freed
    passing = tokens * max(mlp, attention) + stream
    passing -= 2 * down if precision == "mixed" else 0
    # In fp32 whatever the precision.
    last_norm = 6 * 4 * tokens * shape.hidden
    output = size * logits
    if precision == "mixed":
        output = max(2 * table, output)

    kept_all = shape.layers * kept
    # The layer that runs again; its input is kept already.
    again = layer - (0 if precision == "bf16" else stream)
    found = {
        "loss": (0, kept_all + end + head_copy, 12 * logits),
        "output layer": (head, kept_all + end, output + shared),
        "last norm": (head, kept_all, last_norm + shared),
        "last layer": (
            head + weight * down,
            kept_all + (again if checkpointing else 0),
            passing + shared,
        ),
        "first layer": (
            gradient - weight * (table + in_layer - down),
            layer,
            passing + shared,
        ),
        "embedding": (gradient, 0, stream + 2 * shared),
        "optimizer": (gradient, 0, 0),
    }
    if precision == "mixed":
        # Without checkpointing a cache of keys and values, in fp32.
        more = copies if checkpointing or not fused else 8 * key * tokens
        held = kept_all + shape.layers * more + end + head_copy
        found["forward"] = (0, held, 10 * logits)
    return found
# --8<-- [end:instants]


# --8<-- [start:fsdp]
# FSDP: gradients of which a rank holds its share, activations, and whole
# tensors: gathered, or gradients that are not reduced yet.
def instants_of_fsdp(shape, size, gathered_size, alone, ranks):
    layer = sum(r * c for r, c in shape.linear()) + sum(shape.vectors())
    table = shape.vocabulary * shape.hidden
    rest = len(shape.tables()) * table + shape.hidden
    down = shape.hidden * shape.intermediate
    # A layer's copy, the flat buffer that gathers the next one, its
    # gradients, and the flat buffer that reduces those of the last one.
    most = min(shape.layers + 1, 4) * layer
    head = rest + table  # with the gradient of the output layer
    if shape.tied:
        head = rest  # `instants` has it in the workspace
    whole = {
        "loss": (0, rest + layer),
        "output layer": (0, head + layer),
        "last norm": (0, head + layer),
        "last layer": (0, head + 2 * layer + down),
        "embedding": (shape.layers, 2 * rest + layer),
    }
    found = {
        name: (
            size * max(reduced, 0) * layer,
            alone[name][1],
            alone[name][2] + gathered_size * numbers,
        )
        for name, (reduced, numbers) in whole.items()
    }
    found["gather"] = (0, 0, gathered_size * 2 * (rest + layer))

    # The layer where all these exist: the second, or the last but one.
    kept = alone["last norm"][1] / shape.layers
    early = kept < size * layer / ranks
    below = min(1, shape.layers - 1) if early else max(shape.layers - 2, 0)
    gradients = size * (shape.layers - 1 - below) * layer
    _, activations, passing = alone["first layer"]
    stream = alone["embedding"][2]
    if shape.tied:  # the second gradient comes at the end
        stream -= gathered_size * table
    inside = gathered_size * (head + most)
    missing = gathered_size * (layer - down)  # gradients, at first
    found["layer"] = max(
        (gradients, below * kept + activations, inside - missing + passing),
        (gradients, below * kept, inside + stream),
        key=sum,
    )
    found["optimizer"] = (size * parameters(shape), 0, 0)
    return found
# --8<-- [end:fsdp]


# --8<-- [start:training]
def training(
    shape,
    batch,
    length,
    precision="fp32",
    checkpointing=False,
    accumulation=False,
    optimizer="adamw",
    ranks=1,
    flash=True,
):
    weight = 2 if precision == "bf16" else 4
    everything = parameters(shape)
    gradient = weight * everything
    state = optimizer_bytes(shape, optimizer, weight)
    table = shape.vocabulary * shape.hidden
    # FSDP casts what it gathers, so all is computed in 16-bit numbers.
    cast = precision == "mixed" and ranks > 1
    found = instants(
        shape,
        batch,
        length,
        "bf16" if cast else precision,
        checkpointing,
        fused(shape, precision, flash),
    )
    if ranks > 1:
        size = 2 if cast else weight
        found = instants_of_fsdp(shape, weight, size, found, ranks)
    if optimizer == "adafactor":  # the update of a matrix, in fp32
        floats = 4 if precision == "bf16" else 2
        largest = max(r * c for r, c in shape.linear())
        update = 4 * max(floats * table, (floats + 1) * largest) / ranks
        found["optimizer"] = (gradient, 0, update)

    # Cosines and sines, token ids and positions.
    fixed = 2 * length * shape.head_size * weight + 16 * batch * length
    extra = {"embedding": weight * table}
    if not shape.tied:
        extra["output layer"] = weight * table
    parts = {}
    for name, (gradients, activations, workspace) in found.items():
        if accumulation:  # gradients of the piece before are there
            gradients = gradient
            workspace += extra.get(name, 0) if ranks == 1 else 0
        parts[name] = {
            "weights": gradient / ranks,
            "gradients": gradients / ranks,
            "optimizer": state / ranks,
            "activations": activations + fixed,
            "workspace": workspace,
        }
    return max(parts.items(), key=lambda each: sum(each[1].values()))
# --8<-- [end:training]


# --8<-- [start:inference]
# Bytes of a linear layer's weights, with the scales of bitsandbytes.
def stored(rows, columns, bits):
    scales = {16: 0, 8: 4 * rows, 4: rows * columns / 64 * 4}[bits]
    return rows * columns * bits / 8 + scales


# The prompt fills the context and is read in one forward pass.
def inference(
    shape, batch, length, weight_bits=16, cache_bits=16, flash=True
):
    tokens = batch * length
    linear = sum(stored(r, c, weight_bits) for r, c in shape.linear())
    layer = linear + 2 * sum(shape.vectors())
    tables = sum(r * c for r, c in shape.tables())
    query, key = shape.widths()
    # While the last layer runs: in its attention, and in its MLP.
    rotation = 8 * query
    if shape.qk_norm:  # the keys of the last layer are not cached yet
        rotation = 10 * query - key * cache_bits // 4
    if not fused(shape, "bf16", flash):  # three matrices, in fp32
        rotation = 16 * query + 12 * shape.heads * length
    rotation += 6 * shape.hidden
    mlp = 6 * shape.intermediate + 8 * shape.hidden
    norm = 18 * shape.hidden
    fixed = 4 * length * shape.head_size + 8 * tokens
    return {
        "weights": shape.layers * layer + 2 * (tables + shape.hidden),
        "cache": 2 * shape.layers * key * tokens * cache_bits / 8,
        "workspace": max(
            tokens * max(rotation, mlp, norm) + fixed,
            4 * batch * shape.vocabulary,  # logits of two steps
        ),
    }
# --8<-- [end:inference]


# --8<-- [start:ranks]
# Tensor parallelism: a key-value head is the least that a rank holds.
# The embedding is not split.
def split(held, shape, ranks):
    table = 2 * shape.vocabulary * shape.hidden
    return {
        **held,
        "weights": (held["weights"] - table) / ranks + table,
        "cache": held["cache"] / min(ranks, shape.kv_heads),
    }
# --8<-- [end:ranks]


MODELS = {
    "Llama 3.2 1B": Shape(128_256, 2048, 8192, 16, 32, 8, 64, tied=True),
    "Llama 3.2 3B": Shape(128_256, 3072, 8192, 28, 24, 8, 128, tied=True),
    "Llama 3.1 8B": Shape(128_256, 4096, 14_336, 32, 32, 8, 128),
    "Llama 3.1 70B": Shape(128_256, 8192, 28_672, 80, 64, 8, 128),
    "Mistral 7B v0.3": Shape(32_768, 4096, 14_336, 32, 32, 8, 128),
    "Qwen2.5 7B": Shape(152_064, 3584, 18_944, 28, 28, 4, 128, qkv_bias=True),
    "Qwen3 0.6B": Shape(151_936, 1024, 3072, 28, 16, 8, 128, tied=True, qk_norm=True),
    "Qwen3 8B": Shape(151_936, 4096, 12_288, 36, 32, 8, 128, qk_norm=True),
    "Qwen3 32B": Shape(151_936, 5120, 25_600, 64, 64, 8, 128, qk_norm=True),
}


def main() -> None:
    print("GB at the peak: training with AdamW, bf16 autocast and checkpointing, 1 x 2048; inference in bf16, 1 x 8192")
    for name, shape in MODELS.items():
        instant, trained = training(shape, 1, 2048, "mixed", checkpointing=True)
        served = inference(shape, 1, 8192)
        totals = [sum(held.values()) / 1e9 for held in (trained, served)]
        print(f"  {name:18}{parameters(shape):>16,} parameters {totals[0]:>9.2f} ({instant}) {totals[1]:>8.2f}")


if __name__ == "__main__":
    main()
