"""Mixtures of experts by formulas: what a decoder whose layers choose experts for each token holds at its peak."""

from estimate import activations_of_end, cached_tokens, fused, highest, state_of

# isort: split
# --8<-- [start:shape]
from dataclasses import dataclass


@dataclass(frozen=True)
class Mixture:
    vocabulary: int
    hidden: int
    intermediate: int  # of the layers without experts
    layers: int
    heads: int
    kv_heads: int
    head_size: int
    experts: int
    active: int  # experts for each token
    expert_size: int
    shared: int = 0  # size of the MLP that every token uses as well
    dense: int = 0  # layers without experts: the first ones
    q_rank: int = 0  # MLA, as in DeepSeek V3: ranks of the projections
    kv_rank: int = 0
    rope_size: int = 0  # the part of head_size that is rotated
    value_size: int = 0
    tied: bool = False
    qkv_bias: bool = False
    qk_norm: bool = False  # as in Qwen3
    biases: bool = False  # as in gpt-oss, which has attention sinks too
    all_experts: bool = False  # each computes every token, as in Llama 4
    window: int = 0  # tokens that the windowed layers attend to
    windowed: int = 0  # layers with a sliding window
    softcap = False  # of no mixture

    # Sizes of all queries of a token, of its keys, and of its values.
    def widths(self):
        query = self.heads * self.head_size
        if self.kv_rank:
            return query, query, self.heads * self.value_size
        key = self.kv_heads * self.head_size
        return query, key, key

    # Rows and columns of the linear layers of the attention.
    def attention(self):
        query, key, value = self.widths()
        hidden = self.hidden
        if not self.kv_rank:
            keys = [(key, hidden), (key, hidden)]
            return [(query, hidden), *keys, (hidden, query)]
        rank = self.kv_rank
        plain = self.heads * (self.head_size - self.rope_size)
        first = [(self.q_rank, hidden), (query, self.q_rank)]
        return [
            *(first if self.q_rank else [(query, hidden)]),
            (rank + self.rope_size, hidden),
            (plain + value, rank),
            (hidden, value),
        ]

    # Sizes of the vectors of one layer outside its MLP.
    def vectors(self):
        query, key, _ = self.widths()
        norms = [self.hidden, self.hidden]
        if self.kv_rank:
            ranks = (self.kv_rank, self.q_rank)
            return [*norms, *(rank for rank in ranks if rank)]
        if self.qk_norm:
            norms += [self.head_size] * 2
        if self.biases:
            return [*norms, query, key, key, self.hidden, self.heads]
        return [*norms, query, key, key] if self.qkv_bias else norms

    # All experts of a layer, stacked in two tensors.
    def stacks(self):
        up = (self.experts * 2 * self.expert_size, self.hidden)
        return [up, (self.experts * self.hidden, self.expert_size)]

    # Rows and columns of the other matrices of a layer's MLP.
    def mlp(self, dense):
        size = self.intermediate if dense else self.shared
        hidden = self.hidden
        three = [(size, hidden), (size, hidden), (hidden, size)]
        router = [] if dense else [(self.experts, hidden)]
        return router + three * (size > 0)

    def expert_biases(self):
        sizes = (1, 2 * self.expert_size, self.hidden)
        return [self.experts * size for size in sizes] * self.biases

    def tables(self):
        return [(self.vocabulary, self.hidden)] * (1 if self.tied else 2)

    # Every tensor of a layer, as rows and columns.
    def layer(self, dense):
        matrices = [*self.attention(), *self.mlp(dense)]
        vectors = self.vectors()
        if not dense:
            matrices += self.stacks()
            vectors = [*vectors, *self.expert_biases()]
        return [*matrices, *((n, 1) for n in vectors)]

    # A number for each kind of layer, over all layers.
    def over_layers(self, number):
        with_experts = self.layers - self.dense
        return self.dense * number(True) + with_experts * number(False)


def numbers(matrices):
    return sum(rows * columns for rows, columns in matrices)


def parameters_of_mixture(shape):
    layers = shape.over_layers(lambda dense: numbers(shape.layer(dense)))
    return layers + numbers(shape.tables()) + shape.hidden


# Parameters that a token is multiplied with: not the embedding.
def active_parameters(shape):
    idle = (shape.experts - shape.active) / shape.experts
    unused = (shape.layers - shape.dense) * numbers(shape.stacks()) * idle
    unused += 0 if shape.tied else shape.vocabulary * shape.hidden
    return parameters_of_mixture(shape) - round(unused)
# --8<-- [end:shape]


# --8<-- [start:activations]
# Bytes per token that the backward pass of a layer needs, outside its MLP.
def activations_of_attention(shape, precision, length, fast):
    query, key, value = shape.widths()
    norm = {"fp32": 12, "bf16": 8, "mixed": 8}[precision]
    size = 4 if precision == "fp32" else 2
    casts = 3 * 2 if precision == "mixed" else 0
    if shape.kv_rank:  # two norms more, and values inside a larger tensor
        kept = (2 * norm + casts * 2 // 3) * shape.hidden + 16
        kept += norm * (shape.q_rank + shape.kv_rank) + 4 * shape.heads
        plain = query - shape.heads * shape.rope_size
        return kept + size * (2 * query + plain + 2 * value)
    if shape.biases:  # norms in fp32; scores with a column for the sink
        kept = {"fp32": 24, "bf16": 20, "mixed": 18}[precision] * shape.hidden
        scores = {"fp32": 4, "bf16": 2, "mixed": 6}[precision] * length
        scores += {"fp32": 4, "bf16": 2, "mixed": 4}[precision] + 8
        return kept + 8 + size * 4 * query + shape.heads * scores
    kept = (2 * norm + casts) * shape.hidden + 8
    if fast:
        kept += size * (2 * query + 2 * key) + 4 * shape.heads
    else:
        kept += size * query + 4 * (3 * query + shape.heads * length)
    if shape.qk_norm:
        norms = {"fp32": 8, "bf16": 6, "mixed": 6}[precision]
        kept += norms * (query + key) + 4 * (shape.heads + shape.kv_heads)
    return kept


# Bytes per token of a layer's MLP: one, or experts and what is shared.
def activations_of_mlp(shape, precision, dense):
    size = 4 if precision == "fp32" else 2
    mixed = 2 * shape.hidden if precision == "mixed" else 0
    if dense:
        return size * 4 * shape.intermediate + 2 * mixed
    # No autocast for grouped products: the experts compute in fp32.
    exact = 2 if precision == "bf16" else 4
    inner = (7 if shape.biases else 4) * shape.expert_size
    pair = exact * (2 * shape.hidden + inner) + 40
    router = 4 * shape.experts * (not shape.biases) + mixed
    if shape.kv_rank and precision == "bf16":  # computes in fp32
        router += 4 * shape.hidden
    shared = (size * 4 * shape.shared + 2 * mixed) * (shape.shared > 0)
    return shape.active * pair + router + shared
# --8<-- [end:activations]


# --8<-- [start:instants]
# What exists at an instant: gradients, activations, workspace.
def instants_of_mixture(
    shape, batch, length, precision, checkpointing, accumulation, fast
):
    tokens = batch * length
    weight = 2 if precision == "bf16" else 4
    size = 4 if precision == "fp32" else 2
    table = shape.vocabulary * shape.hidden
    mixed = precision == "mixed"

    def copies(dense):  # of weights in 16 bits; DeepSeek's router in 32
        if mixed:
            return 2 * numbers([*shape.attention(), *shape.mlp(dense)])
        exact = shape.kv_rank and precision == "bf16" and not dense
        return 4 * shape.experts * shape.hidden if exact else 0

    attention = activations_of_attention(shape, precision, length, fast)

    def layer(dense):
        mlp = activations_of_mlp(shape, precision, dense)
        return tokens * (attention + mlp) + copies(dense)

    stream = tokens * shape.hidden * (2 if precision == "bf16" else 4)
    kept = shape.layers * stream if checkpointing else shape.over_layers(layer)
    end = tokens * activations_of_end(shape, precision)
    logits = tokens * shape.vocabulary
    gradient = weight * parameters_of_mixture(shape)
    head = 0 if shape.tied else weight * table
    shared = weight * table if shape.tied else 0
    head_copy = 2 * table * mixed
    output = size * logits
    if mixed:
        output = max(2 * table, output)

    # Inside a layer of experts: before its gradients exist, and after.
    stacks = numbers(shape.stacks())
    pairs = tokens * shape.active
    # Mixtral weighs what the experts say in fp32.
    exact = weight if shape.qk_norm else 4
    before = max(3 * exact * shape.hidden, 4 * weight * shape.expert_size)
    before = pairs * before + 2 * stream
    after = weight * pairs * (shape.hidden + 2 * shape.expert_size) + stream
    # Then in the norm, which computes in fp32, and in the attention.
    query, key, _ = shape.widths()
    rotation = {"fp32": 8 * (query + key), "bf16": 4 * (query + key)}
    rotation = rotation.get(precision, 10 * query)
    if shape.qk_norm:
        rotation = max(rotation, 11 * query - 4 * key)
    if not fast:  # two more matrices of length x length
        exact = size if shape.biases and not mixed else 4
        matrices = 2 * exact * shape.heads * length
        rotation = max(rotation, matrices - size * query)
    below_mlp = max(20 * tokens * shape.hidden, tokens * rotation + stream)
    of_mlp = tokens * activations_of_mlp(shape, precision, False)
    recomputed = layer(False) - (0 if precision == "bf16" else stream)
    recomputed *= checkpointing

    # With accumulation they exist already; the larger comes a second time.
    made = 0 if accumulation else weight * stacks
    twice = weight * numbers(shape.stacks()[:1]) if accumulation else 0
    later = max(after + twice, below_mlp)

    def inside(gradients, activations, dense):
        if dense:
            down = weight * shape.hidden * shape.intermediate
            mlp = tokens * 2 * size * shape.intermediate + stream
            return gradients + down, activations, mlp + shared
        return max(
            (gradients, activations, before + shared),
            (gradients + made, activations - of_mlp, later + shared),
            key=sum,
        )

    first = shape.dense > 0
    below = gradient - weight * (table + numbers(shape.layer(first)))
    found = {
        "loss": (0, kept + end + head_copy, 12 * logits),
        "output layer": (head, kept + end, output + shared),
        "last norm": (head, kept, 24 * tokens * shape.hidden + shared),
        "last layer": inside(head, kept + recomputed, False),
        "first layer": inside(below, layer(first), first),
        "embedding": (gradient, 0, stream + 2 * shared),
        "optimizer": (gradient, 0, 0),
    }
    if mixed:
        more = 8 * key * tokens * shape.layers
        if checkpointing or not fast or shape.kv_rank:
            more = shape.over_layers(copies)
        found["forward"] = (0, kept + more + end + head_copy, 10 * logits)
    return found
# --8<-- [end:instants]


# --8<-- [start:training]
def state_of_mixture(shape, optimizer, size):
    def state(matrices):
        return sum(state_of(optimizer, r, c, size) for r, c in matrices)

    def layer(dense):
        held = state(shape.layer(dense))
        if optimizer == "adafactor" and not dense:  # rows and columns of each
            columns = [(shape.hidden, 1), (shape.expert_size, 1)]
            held += 4 * (shape.experts - 1) * numbers(columns)
        return held

    rest = state([*shape.tables(), (shape.hidden, 1)])
    if optimizer == "adamw-8bit":  # Trainer: embeddings in fp32
        table = shape.tables()[0]
        rest += 8 * table[0] * table[1] - state_of(optimizer, *table, size)
    return shape.over_layers(layer) + rest


def training_of_mixture(
    shape,
    batch,
    length,
    precision="fp32",
    checkpointing=False,
    accumulation=False,
    optimizer="adamw",
    flash=True,
):
    weight = 2 if precision == "bf16" else 4
    gradient = weight * parameters_of_mixture(shape)
    table = shape.vocabulary * shape.hidden
    fast = fused(shape, precision, flash) and not shape.biases
    step = (batch, length, precision, checkpointing, accumulation, fast)
    found = instants_of_mixture(shape, *step)
    largest = shape.experts * 2 * shape.expert_size * shape.hidden
    if optimizer == "adafactor":
        floats = 4 if precision == "bf16" else 2
        others = [*shape.attention(), *shape.mlp(shape.dense > 0)]
        linear = (floats + 1) * max(r * c for r, c in others)
        update = 4 * max(floats * table, floats * largest, linear)
        found["optimizer"] = (gradient, 0, update)
    fixed = 2 * length * shape.head_size * weight + 16 * batch * length
    parts = {}
    extra = {"embedding": weight * table}
    if not shape.tied:
        extra["output layer"] = weight * table
    for name, (gradients, activations, workspace) in found.items():
        if accumulation:
            workspace += extra.get(name, 0)
        parts[name] = {
            "weights": gradient,
            "gradients": gradient if accumulation else gradients,
            "optimizer": state_of_mixture(shape, optimizer, weight),
            "activations": activations + fixed,
            "workspace": workspace,
        }
    return highest(parts)
# --8<-- [end:training]


# --8<-- [start:inference]
# Numbers in the cache per token and layer.
def cached_by_mixture(shape):
    if shape.kv_rank:  # compressed, for all heads together
        return shape.kv_rank + shape.rope_size
    return 2 * shape.widths()[1]


# Of a prompt, bytes per token: in the attention, and in the experts.
def workspace_of_mixture(shape, length, fast):
    hidden, size = shape.hidden, shape.expert_size
    query, key, value = shape.widths()
    attention = 10 * query - key * 4 if shape.qk_norm else 8 * query
    if shape.kv_rank:
        attention = 6 * query + 4 * key + 4 * value
    if not fast:  # three matrices of length x length, in fp32
        attention = 16 * query + 12 * shape.heads * length
        if shape.biases:  # in 16 bits
            attention = 7 * query + 4 * hidden + 6 * shape.heads * length
    gate = 18 * size if shape.biases else 8 * size
    # Qwen3 weighs in 16 bits, Mixtral and DeepSeek in fp32; gpt-oss has biases.
    weighed = (8 if shape.qk_norm else 13 if shape.biases else 12) * hidden
    pair = max(2 * hidden + gate, weighed)
    pairs = shape.experts if shape.all_experts else shape.active
    mlp = pairs * (pair + 64) + 8 * hidden
    mlp = max(mlp, 6 * max(shape.intermediate * (shape.dense > 0), shape.shared))
    return max(attention + 6 * hidden, mlp, 18 * hidden)


def inference_of_mixture(
    shape, batch, length, weight_bits=16, cache_bits=16, flash=True
):
    tokens = batch * length

    bytes_each = {16: 2, 8: 1, 4: 1 / 2 + 4 / 64}[weight_bits]

    def layer(dense):  # the router and vectors stay in 16 bits
        plain = sum(shape.vectors())
        if not dense:
            plain += shape.experts * shape.hidden + sum(shape.expert_biases())
        return bytes_each * (numbers(shape.layer(dense)) - plain) + 2 * plain

    fast = flash if shape.biases else fused(shape, "bf16", flash)
    workspace = workspace_of_mixture(shape, length, fast)
    cached = batch * cached_tokens(shape, length) * cached_by_mixture(shape)
    return {
        "weights": shape.over_layers(layer)
        + 2 * (numbers(shape.tables()) + shape.hidden),
        "cache": cached * cache_bits / 8,
        "workspace": max(tokens * workspace, 4 * batch * shape.vocabulary),
    }
# --8<-- [end:inference]


# Tensor parallelism: MLA's compressed cache is whole on each rank.
def split_mixture(held, shape, ranks):
    parts = 1 if shape.kv_rank else min(ranks, shape.kv_heads)
    return {
        **held,
        "weights": held["weights"] / ranks,
        "cache": held["cache"] / parts,
    }


MIXTURES = {
    "Mixtral 8x7B": Mixture(32_000, 4096, 14_336, 32, 32, 8, 128, 8, 2, 14_336),
    "Qwen3 30B-A3B": Mixture(151_936, 2048, 6144, 48, 32, 4, 128, 128, 8, 768, qk_norm=True),
    "Qwen3 235B-A22B": Mixture(151_936, 4096, 12_288, 94, 64, 4, 128, 128, 8, 1536, qk_norm=True),
    "DeepSeek V3": Mixture(
        129_280, 7168, 18_432, 61, 128, 128, 192, 256, 8, 2048,
        shared=2048, dense=3, q_rank=1536, kv_rank=512, rope_size=64, value_size=128,
    ),
    "gpt-oss 20B": Mixture(201_088, 2880, 2880, 24, 64, 8, 64, 32, 4, 2880, biases=True, window=128, windowed=12),
    "gpt-oss 120B": Mixture(201_088, 2880, 2880, 36, 64, 8, 64, 128, 4, 2880, biases=True, window=128, windowed=18),
}


def main() -> None:
    print("Billions of parameters, of all experts and of those that a token uses; GB of the cache for 8,192 tokens:")
    for name, shape in MIXTURES.items():
        counts = (parameters_of_mixture(shape), active_parameters(shape))
        cache = inference_of_mixture(shape, 1, 8192)["cache"]
        print(f"  {name:16}" + "".join(f"{count / 1e9:>9.2f}" for count in counts) + f"{cache / 1e9:>8.2f}")


if __name__ == "__main__":
    main()
