"""Mixtures of experts by formulas: what a decoder whose layers choose experts for each token holds at its peak."""

from estimate import (
    activations_of_end,
    cached_tokens,
    fused,
    highest,
    instants_of_fsdp,
    rotating,
    state_of,
)

# isort: split
# --8<-- [start:shape]
from dataclasses import dataclass, replace


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


def activations_of_mixture(shape, precision, length, fast, dense):
    attention = activations_of_attention(shape, precision, length, fast)
    return attention + activations_of_mlp(shape, precision, dense)
# --8<-- [end:activations]


# --8<-- [start:layer]
# While one layer goes backward: how many numbers of its gradients exist,
# bytes of its activations that are freed, bytes of workspace.
def backward_of_mixture(shape, tokens, length, precision, fast, dense):
    mixed, weight = precision == "mixed", 2 if precision == "bf16" else 4
    size, hidden = 4 if precision == "fp32" else 2, shape.hidden
    stream = tokens * hidden * weight
    query, key, _ = shape.widths()
    # At last in the norm, which computes in fp32, and in the attention.
    rotation = {"fp32": 8 * (query + key), "bf16": 4 * (query + key)}
    rotation = rotation.get(precision, 10 * query)
    if shape.qk_norm:
        rotation = max(rotation, 11 * query - 4 * key)
    if not fast:  # two more matrices of length x length
        exact = size if shape.biases and not mixed else 4
        matrices = 2 * exact * shape.heads * length
        rotation = max(rotation, matrices - size * query)
    below_mlp = max(20 * tokens * hidden, tokens * rotation + stream)
    of_mlp = tokens * activations_of_mlp(shape, precision, dense)
    if dense:
        down = hidden * shape.intermediate
        mlp = tokens * 2 * size * shape.intermediate + stream
        copy = 2 * down * mixed  # of the last a gradient remains, in 16 bits
        return [(down, copy, mlp), (3 * down, of_mlp + 2 * copy, below_mlp)]

    # The MLP that every token uses comes first.
    first, freed, streams = 0, 0, stream
    found = []
    if shape.shared:
        first = hidden * shape.shared
        passing = tokens * 2 * size * shape.shared + stream
        found.append((first, 0, passing))
        freed = tokens * size * 4 * shape.shared
        first, streams = 3 * first, 2 * stream
    up, down = (rows * columns for rows, columns in shape.stacks())
    pairs, inner = tokens * shape.active, shape.expert_size
    # Mixtral and DeepSeek weigh what the experts say in fp32.
    exact = weight if shape.qk_norm or shape.biases else 4
    weighing = (3 * exact + (weight if exact > weight else 0)) * hidden
    if shape.biases:
        weighing = max(weighing, 4 * weight * inner)
    kept = (7 if shape.biases else 4) * inner + hidden
    gate = weight * max(inner, 2 * inner - hidden)
    after = weight * (hidden + 2 * inner)
    return [
        *found,
        (first, freed, pairs * weighing + streams),
        (first + down, freed, pairs * gate + streams),
        (
            first + down + up,
            freed + pairs * weight * kept,
            pairs * after + streams,
        ),
        (first + down + up, of_mlp, below_mlp),
    ]
# --8<-- [end:layer]


# --8<-- [start:instants]
# Copies of a layer's weights for autocast; of DeepSeek's router in fp32.
def copies_of_layer(shape, precision, dense):
    if precision == "mixed":
        return 2 * numbers([*shape.attention(), *shape.mlp(dense)])
    exact = shape.kv_rank and precision == "bf16" and not dense
    return 4 * shape.experts * shape.hidden if exact else 0


# What exists at an instant: gradients, activations, workspace.
def instants_of_mixture(
    shape, batch, length, precision, checkpointing, accumulation, fast
):
    tokens = batch * length
    weight = 2 if precision == "bf16" else 4
    size = 4 if precision == "fp32" else 2
    table = shape.vocabulary * shape.hidden
    mixed = precision == "mixed"

    def layer(dense):
        held = activations_of_mixture(shape, precision, length, fast, dense)
        return tokens * held + copies_of_layer(shape, precision, dense)

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

    recomputed = layer(False) - (0 if precision == "bf16" else stream)
    recomputed *= checkpointing
    made = 0 if accumulation else weight  # they exist already

    def inside(gradients, activations, dense):
        stages = backward_of_mixture(
            shape, tokens, length, precision, fast, dense
        )
        if accumulation and not dense:  # the larger comes a second time
            _, freed, work = stages[-2]
            up = weight * numbers(shape.stacks()[:1])
            stages.append((0, freed, work + up))
        return max(
            (
                (gradients + made * own, activations - freed, work + shared)
                for own, freed, work in stages
            ),
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
        more = 8 * shape.widths()[1] * tokens * shape.layers
        if checkpointing or not fast or shape.kv_rank:
            more = shape.over_layers(
                lambda dense: copies_of_layer(shape, precision, dense)
            )
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


# What FSDP has to know of each layer. It splits stacked experts between
# them, as if there were a multiple of the ranks.
def padded(shape, ranks):
    return replace(shape, experts=-(-shape.experts // ranks) * ranks)


def layers_of_mixture(
    shape, batch, length, precision, checkpointing, fast, ranks
):
    tokens = batch * length
    stream = tokens * shape.hidden * (2 if precision == "bf16" else 4)

    def layer(dense):
        held = activations_of_mixture(shape, precision, length, fast, dense)
        held = tokens * held + copies_of_layer(shape, precision, dense)
        stages = backward_of_mixture(
            shape, tokens, length, precision, fast, dense
        )
        whole = numbers(padded(shape, ranks).layer(dense))
        kept = stream if checkpointing else held
        return whole, numbers(shape.layer(dense)), kept, held, stages

    experts = shape.layers - shape.dense
    return [layer(True)] * shape.dense + [layer(False)] * experts


def training_of_mixture(
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
    held = padded(shape, ranks)
    gradient = weight * parameters_of_mixture(held)
    table = shape.vocabulary * shape.hidden
    fast = fused(shape, precision, flash) and not shape.biases
    # FSDP casts what it gathers, so all is computed in 16-bit numbers.
    cast = precision == "mixed" and ranks > 1
    kind, size = "bf16" if cast else precision, 2 if cast else weight
    step = (batch, length, kind, checkpointing, accumulation and ranks == 1)
    found = instants_of_mixture(shape, *step, fast)
    if ranks > 1:
        layers = layers_of_mixture(shape, *step[:4], fast, ranks)
        found = instants_of_fsdp(
            shape, layers, weight, size, found, ranks, accumulation
        )
    largest = shape.experts * 2 * shape.expert_size * shape.hidden
    if optimizer == "adafactor":
        floats = 4 if precision == "bf16" else 2
        others = [*shape.attention(), *shape.mlp(shape.dense > 0)]
        linear = (floats + 1) * max(r * c for r, c in others)
        update = 4 * max(floats * table, floats * largest, linear) / ranks
        found["optimizer"] = (gradient, 0, update)
    fixed = 2 * length * shape.head_size * weight + 16 * batch * length
    parts = {}
    extra = {"embedding": weight * table}
    if not shape.tied:
        extra["output layer"] = weight * table
    for name, (gradients, activations, workspace) in found.items():
        if accumulation and ranks == 1:
            workspace += extra.get(name, 0)
        parts[name] = {
            "weights": gradient / ranks,
            "gradients": (gradient if accumulation else gradients) / ranks,
            "optimizer": state_of_mixture(held, optimizer, weight) / ranks,
            "activations": activations + fixed,
            "workspace": workspace,
        }
    return highest(parts)
# --8<-- [end:training]


# --8<-- [start:adapters]
# LoRA on the attention's linear layers: A has `rank` rows, B columns.
def adapter_of_mixture(shape, rank):
    return [m for r, c in shape.attention() for m in ((rank, c), (r, rank))]


# Bytes per token that the backward pass of one layer needs.
# Frozen experts keep no input; A keeps a copy of it in bf16.
def activations_of_adapted_mixture(shape, rank, length, fast, dense):
    query, key, _ = shape.widths()
    hidden = shape.hidden
    kept = 2 * (4 * hidden + 4) + 2 * (3 * hidden + query) + 8 * rank
    if fast:
        kept += 2 * (2 * query + 2 * key) + 4 * shape.heads
    else:
        kept += 2 * query + 4 * (3 * query + shape.heads * length)
    if shape.qk_norm:
        kept += 4 * (query + key + shape.heads + shape.kv_heads)
    if dense:
        return kept + 6 * shape.intermediate
    pair = 2 * hidden + 6 * shape.expert_size + 40
    return kept + shape.active * pair + 4 * shape.experts


# What exists at an instant: gradients, activations, workspace.
def instants_of_adapted_mixture(
    shape, batch, length, rank, checkpointing, fast
):
    tokens, hidden, inner = batch * length, shape.hidden, shape.expert_size
    logits, pairs = tokens * shape.vocabulary, tokens * shape.active
    adapters = numbers(adapter_of_mixture(shape, rank))
    stream = 2 * tokens * hidden

    def layer(dense):  # autocast keeps copies of the adapters in 16 bits
        held = activations_of_adapted_mixture(
            shape, rank, length, fast, dense
        )
        return tokens * held + 2 * adapters

    # Qwen3 weighs what the experts say in 16 bits, Mixtral in fp32.
    exact = 2 if shape.qk_norm else 4
    cast = 2 if exact == 4 else 0
    weighing = (3 * exact + cast) * hidden
    gate = 2 * max(inner, 3 * inner - hidden)
    backward = pairs * max(weighing, gate) + stream
    said = (2 + exact) * hidden
    if checkpointing:  # beside the gradient, for each expert of a token
        copied = exact * hidden * (shape.active > 1)
        beside = max(2 * hidden + 2 * inner, said)
        forward = pairs * (copied + beside) + 3 * stream
        kept, again = shape.layers * stream, layer(False)
        copies = 2 * shape.layers * adapters
    else:  # the first norm needs no gradient
        added = pairs * said + tokens * (exact + cast) * hidden
        forward = pairs * max(2 * hidden + 2 * inner, said + exact * hidden)
        forward = max(forward, added) + 4 * stream
        kept = shape.over_layers(layer) - 4 * tokens * hidden
        again = copies = 0
    end = tokens * (4 * hidden + 4)
    gradient = 4 * shape.layers * adapters
    first = max(backward, forward * checkpointing)
    if shape.dense:
        first = tokens * (4 * shape.intermediate + 8 * hidden)
    return {
        "loss": (0, kept + end, 12 * logits),
        "logits": (0, kept + end + copies, 10 * logits),
        "last norm": (0, kept, 24 * tokens * hidden),
        "layer forward": (0, kept + again, forward),
        "last layer": (0, kept + again, backward),
        "first layer": (
            gradient - 4 * adapters,
            layer(shape.dense > 0),
            first,
        ),
        "optimizer": (gradient, 0, 0),
    }


def training_of_adapted_mixture(
    shape,
    batch,
    length,
    rank=16,
    checkpointing=False,
    accumulation=False,
    optimizer="adamw",
    flash=True,
):
    fast = fused(shape, "bf16", flash)
    step = (batch, length, rank, checkpointing, fast)
    found = instants_of_adapted_mixture(shape, *step)
    matrices = adapter_of_mixture(shape, rank)
    number = shape.layers * numbers(matrices)
    state = sum(state_of(optimizer, r, c, 4) for r, c in matrices)
    if optimizer == "adafactor":
        update = 4 * 3 * max(r * c for r, c in matrices)
        found["optimizer"] = (4 * number, 0, update)
    fixed = 4 * length * shape.head_size + 16 * batch * length
    return highest({
        name: {
            "weights": 2 * parameters_of_mixture(shape) + 4 * number,
            "gradients": 4 * number if accumulation else gradients,
            "optimizer": shape.layers * state,
            "activations": activations + fixed,
            "workspace": workspace,
        }
        for name, (gradients, activations, workspace) in found.items()
    })
# --8<-- [end:adapters]


# --8<-- [start:inference]
# Numbers in the cache per token and layer.
def cached_by_mixture(shape):
    if shape.kv_rank:  # compressed, for all heads together
        return shape.kv_rank + shape.rope_size
    return 2 * shape.widths()[1]


# Of a prompt, bytes per token: in the attention, in the experts, and in the
# last layer without experts, above which no layer is cached yet.
def workspace_of_mixture(shape, length, cache_bits, fast):
    hidden, size = shape.hidden, shape.expert_size
    query, key, value = shape.widths()
    attention = rotating(shape, query, key, cache_bits)
    masks = 0
    if shape.kv_rank:  # when the output of the attention is projected
        attention = 6 * query + 2 * key + 4 * value + 2 * hidden
    if not fast and shape.biases:  # in 16 bits; two masks, with a window
        masks = 4 * length
        attention = 2 * query + masks + 6 * shape.heads * (length + 1)
        if shape.kv_heads < shape.heads:  # keys and values for every head
            attention += 4 * query
        masks += 2 * shape.heads * (length + 1)  # the scores are kept
    elif not fast:  # three matrices of length x length, in fp32
        attention = 16 * query + 12 * shape.heads * length
    # Qwen3 and gpt-oss weigh in 16 bits, Mixtral and DeepSeek in fp32.
    exact = 2 if shape.qk_norm or shape.biases else 4
    said = 4 * hidden + 2 * hidden * shape.biases
    pairs = shape.experts if shape.all_experts else shape.active
    pair = 2 * hidden + (18 if shape.biases else 8) * size
    mlp = pairs * max(pair, said + 2 * exact * hidden)
    added = 0 if exact == 2 else 2 * hidden  # the sum, cast to 16 bits
    mlp = max(mlp, pairs * (said + exact * hidden) + exact * hidden + added)
    mlp += pairs * 64 + 8 * hidden + masks
    mlp = max(mlp, (6 * shape.shared + 10 * hidden) * (shape.shared > 0))
    if shape.dense:
        above = shape.layers - shape.dense
        uncached = above * cached_by_mixture(shape) * cache_bits / 8
        dense = 6 * shape.intermediate + (8 if shape.dense > 1 else 6) * hidden
        mlp = max(mlp, dense - uncached)
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
    workspace = workspace_of_mixture(shape, length, cache_bits, fast)
    rotated = shape.rope_size or shape.head_size
    fixed = 4 * length * rotated + 8 * tokens
    cached = batch * cached_tokens(shape, length) * cached_by_mixture(shape)
    return {
        "weights": shape.over_layers(layer)
        + 2 * (numbers(shape.tables()) + shape.hidden),
        "cache": cached * cache_bits / 8,
        "workspace": max(
            tokens * workspace + fixed,
            4 * batch * shape.vocabulary,  # logits of two steps
        ),
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
