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
    post_norms: bool = False  # four norms a layer, as in Gemma
    window: int = 0  # tokens that the windowed layers attend to
    windowed: int = 0  # layers with a sliding window
    softcap: bool = False  # scores are capped, as in Gemma 2

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
        norms += [self.hidden] * (4 if self.post_norms else 2)
        return [*norms, *biases]

    # Embedding and output layer.
    def tables(self):
        return [(self.vocabulary, self.hidden)] * (1 if self.tied else 2)


def parameters_of_layer(shape):
    return sum(r * c for r, c in shape.linear()) + sum(shape.vectors())


def parameters(shape):
    tables = sum(r * c for r, c in shape.tables())
    return shape.layers * parameters_of_layer(shape) + tables + shape.hidden
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
    if shape.softcap:
        return False
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
        norms = 4 + 4
        if precision != "fp32" and not shape.post_norms:
            norms = 4 + 2
        attention += norms * (query + key)
        attention += 4 * (shape.heads + shape.kv_heads)
    mlp = size * 4 * shape.intermediate
    if shape.post_norms:  # two more, and each normalized in fp32
        mlp += (20 if precision == "bf16" else 16) * shape.hidden
    return (2 * norm + casts) * shape.hidden + attention + mlp + 2 * 4


# Bytes per token of the last norm, and of the output layer's input.
def activations_of_end(shape, precision):
    norm = {"fp32": 12, "bf16": 8, "mixed": 10}[precision]
    return norm * shape.hidden + 4
# --8<-- [end:activations]


# --8<-- [start:layer]
# While one layer goes backward: how many numbers of its gradients exist,
# bytes of its activations that are freed, bytes of workspace.
def backward_of_layer(shape, tokens, length, precision, fused):
    mixed, weight = precision == "mixed", 2 if precision == "bf16" else 4
    size = 4 if precision == "fp32" else 2
    query, key = shape.widths()
    stream = tokens * shape.hidden * weight
    down = shape.hidden * shape.intermediate  # its gradient comes first
    mlp = tokens * 2 * size * shape.intermediate
    # In the attention, after the activations of the MLP are freed.
    made = 3 * down + shape.hidden * query
    freed = 2 * mlp + 2 * made * mixed  # the copies for autocast, too
    rotation = {"fp32": 8 * (query + key), "bf16": 4 * (query + key)}
    passing = rotation.get(precision, 10 * query)
    if not fused:  # two more matrices
        norm = activations_of_end(shape, precision)
        freed += tokens * (size * query + norm)
        passing = 8 * shape.heads * length
    found = [
        (down, 2 * down * mixed, mlp + stream),
        (made, freed, tokens * passing + stream),
    ]
    if shape.qk_norm and fused:  # five tensors in fp32: of keys, of queries
        freed += tokens * (2 * size * (query + key) + 4 * shape.heads)
        passing = tokens * (20 * key + weight * query) + stream
        found.append((made, freed, passing))
        freed += tokens * (6 * key + 4 * shape.kv_heads)
        found.append((made, freed, tokens * 20 * query + stream))
    return found
# --8<-- [end:layer]


# --8<-- [start:instants]
# What exists at an instant: gradients, activations, workspace.
def instants(
    shape, batch, length, precision, checkpointing, accumulation, fused
):
    tokens, vocabulary = batch * length, shape.vocabulary
    weight = 2 if precision == "bf16" else 4
    size = 4 if precision == "fp32" else 2
    table = vocabulary * shape.hidden
    linear = sum(r * c for r, c in shape.linear())
    in_layer = parameters_of_layer(shape)
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
    query, key = shape.widths()
    stages = backward_of_layer(shape, tokens, length, precision, fused)
    made = weight
    if accumulation:  # they exist; a gradient comes a second time, alone
        down, freed, _ = stages[0]
        second = tokens * size * shape.intermediate + weight * down + freed
        stages.append((0, freed, second + stream))
        made = 0

    def inside(gradients, activations):
        return max(
            (
                (gradients + made * own, activations - freed, work + shared)
                for own, freed, work in stages
            ),
            key=sum,
        )

    # In fp32 whatever the precision.
    last_norm = 6 * 4 * tokens * shape.hidden
    output = size * logits
    if precision == "mixed":
        output = max(2 * table, output)

    kept_all = shape.layers * kept
    # The layer that runs again; its input is kept already.
    again = layer - (0 if precision == "bf16" else stream)
    recomputed = again if checkpointing else 0
    below = gradient - weight * (table + in_layer)
    found = {
        "loss": (0, kept_all + end + head_copy, 12 * logits),
        "output layer": (head, kept_all + end, output + shared),
        "last norm": (head, kept_all, last_norm + shared),
        "last layer": inside(head, kept_all + recomputed),
        "first layer": inside(below, layer),
        "embedding": (gradient, 0, stream + 2 * shared),
        "optimizer": (gradient, 0, 0),
    }
    if precision == "mixed":
        # Without checkpointing a cache of keys and values, in fp32.
        more = copies if checkpointing or not fused else 8 * key * tokens
        held = kept_all + shape.layers * more + end + head_copy
        found["forward"] = (0, held, 10 * logits)
    if not fused:  # queries, keys, values and two matrices, in fp32
        matrices = size * (query + 2 * key) + 20 * query
        matrices += 8 * shape.heads * length
        norm = activations_of_end(shape, precision)
        attention = tokens * (norm + matrices)
        found["layer forward"] = (0, kept_all - kept + attention, 0)
        if checkpointing:  # of the first layer, when it runs again
            found["layer forward"] = (below, attention, stream + shared)
    return found
# --8<-- [end:instants]


# --8<-- [start:fsdp]
# FSDP: gradients of which a rank holds its share, activations, and whole
# tensors: gathered, or gradients that are not reduced yet. Of each layer:
# how many numbers are gathered and have gradients, what it keeps until it
# goes backward, its activations, and the stages of that.
def instants_of_fsdp(
    shape, layers, size, gathered_size, alone, ranks, accumulation
):
    sizes = [gathered for gathered, *_ in layers]
    table = shape.vocabulary * shape.hidden
    rest = len(shape.tables()) * table + shape.hidden
    made = 0 if accumulation else size / ranks
    head = rest + table  # with the gradient of the output layer
    if shape.tied:
        head = rest  # `instants` has it in the workspace
    whole = {
        "loss": rest + sizes[-1],
        "output layer": head + sizes[-1],
        "last norm": head + sizes[-1],
    }
    found = {
        name: (0, alone[name][1], alone[name][2] + gathered_size * numbers)
        for name, numbers in whole.items()
    }
    found["gather"] = (0, 0, gathered_size * 2 * (rest + sizes[0]))

    shared = gathered_size * table if shape.tied else 0
    stream = alone["embedding"][2] - 2 * shared
    norm = stream + alone["last norm"][2]
    most, below = [], 0
    for place, layer in enumerate(layers):
        gathered, numbers, kept, activations, stages = layer
        lower = sizes[place - 1] if place else 0  # gathered into one buffer
        upper = sum(sizes[place + 1 : place + 2])  # reduced from one
        gradients = made * sum(sizes[place + 1 :])
        inside = gathered_size * (head + lower + gathered + upper)
        if upper:  # the buffer that gathered it is still there
            flat = inside + gathered_size * (gathered - lower)
            most.append((gradients, below + kept, flat + stream + shared))
        for own, freed, work in stages:
            held = inside + gathered_size * own + work + shared
            most.append((gradients, below + activations - freed, held))
        ended = inside + gathered_size * numbers + norm
        most.append((gradients, below, ended))
        below += kept
    found["layer"] = max(most, key=sum)
    # At last: the tables, with their gradients; the buffer that reduces
    # these, with what a rank has of them, before it is cast or added.
    everything = made * (sum(sizes) + rest)
    share = gathered_size * (size != gathered_size) + size * accumulation
    found["embedding"] = max(
        (
            made * sum(sizes),
            0,
            alone["embedding"][2] + gathered_size * (2 * rest + sizes[0]),
        ),
        (everything, 0, gathered_size * head + share * rest / ranks),
        key=sum,
    )
    found["optimizer"] = (everything, 0, 0)
    return {
        name: (gradients * ranks, activations, work)
        for name, (gradients, activations, work) in found.items()
    }
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
    kind = "bf16" if cast else precision
    fast, size = fused(shape, precision, flash), 2 if cast else weight
    step = (batch, length, kind, checkpointing, accumulation and ranks == 1)
    found = instants(shape, *step, fast)
    if ranks > 1:
        tokens, numbers = batch * length, parameters_of_layer(shape)
        kept = tokens * activations_of_layer(shape, kind, length, fast)
        stages = backward_of_layer(shape, tokens, length, kind, fast)
        stream = size * tokens * shape.hidden
        until = stream if checkpointing else kept
        layers = [(numbers, numbers, until, kept, stages)] * shape.layers
        found = instants_of_fsdp(
            shape, layers, weight, size, found, ranks, accumulation
        )
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
    return highest(parts)


# The instant with the largest sum, and the bytes of each part then.
def highest(parts):
    return max(parts.items(), key=lambda each: sum(each[1].values()))
# --8<-- [end:training]


# --8<-- [start:adapters]
# LoRA on every linear layer of the decoder: A has `rank` rows, B columns.
def adapter(shape, rank):
    return [m for r, c in shape.linear() for m in ((rank, c), (r, rank))]


# Bytes of a matrix in NF4 with double quantization: half a byte per weight,
# an 8-bit scale per 64 weights, a 32-bit scale per 256 of those.
def nf4(rows, columns):
    blocks = -(-rows * columns // 64)
    return -(-rows * columns // 2) + blocks + 4 * -(-blocks // 256)


# Frozen weights: all in bf16; or linear layers in NF4, the rest in fp32.
def frozen(shape, quantized):
    if not quantized:
        return 2 * parameters(shape)
    linear = sum(r * c for r, c in shape.linear())
    rest = parameters(shape) - shape.layers * linear
    layer = sum(nf4(r, c) for r, c in shape.linear())
    return shape.layers * layer + 4 * rest


# Bytes per token that the backward pass of one layer needs.
# Frozen layers keep no input; A keeps a copy of it in bf16.
def activations_of_adapted(shape, rank, length, quantized, fused):
    query, key = shape.widths()
    attention = 2 * (2 * query + 2 * key) + 4 * shape.heads
    if not fused:
        attention = 2 * query + 4 * (3 * query + shape.heads * length)
    if shape.qk_norm:
        attention += 4 * (query + key + shape.heads + shape.kv_heads)
    inputs = 2 * (5 * shape.hidden + query)
    # Of the MLP: gate, up and the activation, and the input of the last A.
    mlp = (3 * (4 if quantized else 2) + 2) * shape.intermediate
    norms = (4 if shape.post_norms else 2) * (4 * shape.hidden + 4)
    return norms + attention + inputs + mlp + 2 * 7 * rank


# What exists at an instant: gradients, activations, workspace.
def instants_of_adapters(
    shape, batch, length, rank, quantized, checkpointing, fused
):
    tokens, hidden, inner = batch * length, shape.hidden, shape.intermediate
    logits = tokens * shape.vocabulary
    adapters = sum(r * c for r, c in adapter(shape, rank))
    # Autocast keeps copies of the adapters in 16 bits.
    kept = activations_of_adapted(shape, rank, length, quantized, fused)
    layer = tokens * kept + 2 * adapters
    stream = tokens * hidden * (4 if quantized else 2)
    kept_all = shape.layers * (stream if checkpointing else layer)
    again = layer - (stream if quantized else 0) if checkpointing else 0
    caches = 0
    if not checkpointing and quantized:  # of keys and values, in fp32
        caches = shape.layers * 8 * shape.widths()[1] * tokens
    if not checkpointing:  # the first norm needs no gradient
        kept_all -= 4 * tokens * hidden
    end = tokens * (4 * hidden + 4)
    # With checkpointing a layer keeps no copies, but autocast still does.
    copies = 2 * shape.layers * adapters if checkpointing else 0
    # The output layer is in fp32, and autocast copies it.
    head = 2 * shape.vocabulary * hidden if quantized else 0
    forward = tokens * (6 * inner + 10 * hidden)
    backward = tokens * 4 * inner
    if quantized:  # one dequantized matrix at a time, and its scales
        matrix = 2 * hidden * inner * (1 + 1 / 32)
        forward = tokens * (4 * inner + 8 * hidden)
        forward += max(tokens * 8 * hidden, matrix)
        backward = max(tokens * 10 * inner, tokens * 4 * inner + matrix)
    if not checkpointing:  # the embedding, and what the layer begins with
        forward += tokens * 4 * hidden
    gradient = 4 * shape.layers * adapters
    first = 4 * rank * (hidden + inner)  # of the MLP's last layer
    return {
        "loss": (0, kept_all + end + head, 12 * logits),
        "logits": (0, kept_all + end + head + caches + copies, 10 * logits),
        "layer forward": (0, kept_all + again + caches, forward),
        "last layer": (first, kept_all + again, backward + stream),
        "first layer": (
            gradient - 4 * adapters,
            layer,
            max(backward, forward if checkpointing else 0) + stream,
        ),
        "optimizer": (gradient, 0, 0),
    }


def training_of_adapters(
    shape,
    batch,
    length,
    rank=16,
    quantized=False,
    checkpointing=False,
    accumulation=False,
    optimizer="adamw",
    flash=True,
):
    fast = fused(shape, "bf16", flash)
    step = (batch, length, rank, quantized, checkpointing, fast)
    found = instants_of_adapters(shape, *step)
    matrices = adapter(shape, rank)
    number = shape.layers * sum(r * c for r, c in matrices)
    state = sum(state_of(optimizer, r, c, 4) for r, c in matrices)
    if optimizer == "adafactor":
        update = 4 * 3 * max(r * c for r, c in matrices)
        found["optimizer"] = (4 * number, 0, update)
    fixed = 2 * length * shape.head_size * (4 if quantized else 2)
    return highest({
        name: {
            "weights": frozen(shape, quantized) + 4 * number,
            "gradients": 4 * number if accumulation else gradients,
            "optimizer": shape.layers * state,
            "activations": activations + fixed + 16 * batch * length,
            "workspace": workspace,
        }
        for name, (gradients, activations, workspace) in found.items()
    })
# --8<-- [end:adapters]


# --8<-- [start:encoder]
# BERT with the head of a masked language model, which has no pooler.
@dataclass(frozen=True)
class Encoder:
    vocabulary: int
    hidden: int
    intermediate: int
    layers: int
    heads: int
    positions: int = 512

    # Rows and columns of the linear layers of one layer; all have biases.
    def linear(self):
        inner = [
            (self.intermediate, self.hidden),
            (self.hidden, self.intermediate),
        ]
        return [(self.hidden, self.hidden)] * 4 + inner

    # Sizes of the vectors of one layer: biases, and two norms.
    def vectors(self):
        return [self.hidden] * 5 + [self.intermediate] + [self.hidden] * 4

    # Embeddings: words (the output layer too), positions, segments.
    def tables(self):
        rows = (self.vocabulary, self.positions, 2)
        return [(number, self.hidden) for number in rows]

    # The head: a linear layer; its bias, its norm, and the output's bias.
    def head(self):
        vectors = [(self.hidden, 1)] * 3 + [(self.vocabulary, 1)]
        return [(self.hidden, self.hidden), *vectors]


def encoder_parameters(shape):
    layer = sum(r * c for r, c in shape.linear()) + sum(shape.vectors())
    rest = sum(r * c for r, c in (*shape.tables(), *shape.head()))
    return shape.layers * layer + rest + 2 * shape.hidden


def encoder_optimizer_bytes(shape, optimizer, size):
    layer = [*shape.linear(), *((n, 1) for n in shape.vectors())]
    rest = [*shape.head(), *[(shape.hidden, 1)] * 2, *shape.tables()]
    state = shape.layers * sum(
        state_of(optimizer, r, c, size) for r, c in layer
    ) + sum(state_of(optimizer, r, c, size) for r, c in rest)
    if optimizer == "adamw-8bit":  # Trainer: embeddings in fp32
        state += sum(
            8 * r * c - state_of(optimizer, r, c, size)
            for r, c in shape.tables()
        )
    return state


# Dropout keeps one byte per number.
# Each head has its own keys: a GPU has a fused kernel in every type.
def instants_of_encoder(shape, batch, length, precision, checkpointing):
    tokens, hidden = batch * length, shape.hidden
    mixed = precision == "mixed"
    weight = 2 if precision == "bf16" else 4
    size = 4 if precision == "fp32" else 2
    linear = sum(r * c for r, c in shape.linear())
    in_layer = linear + sum(shape.vectors())
    copies = 2 * linear if mixed else 0
    table = weight * shape.vocabulary * hidden
    embeddings = sum(r * c for r, c in shape.tables()) + 2 * hidden
    logits = tokens * shape.vocabulary

    # Bytes per token and hidden size: two norms, queries, keys and values,
    # the attention's output, and two masks of dropout.
    per_token = {"fp32": 34, "bf16": 18, "mixed": 26}[precision] * hidden
    per_token += 2 * size * shape.intermediate + 4 * shape.heads + 16
    layer = tokens * per_token + copies
    stream = tokens * hidden * weight
    kept = shape.layers * (stream if checkpointing else layer)
    # Of the embeddings: the input of their norm, a mask, their output.
    below = {"fp32": 9, "bf16": 5, "mixed": 9}[precision] * tokens * hidden
    if checkpointing != mixed:  # a layer's input or its cast is counted
        below -= stream
    end = {"fp32": 12, "bf16": 6, "mixed": 8}[precision] * hidden + 16
    end *= tokens
    if checkpointing and not mixed:
        end += stream
    head_copies = 2 * hidden**2 + table // 2 if mixed else 0

    gradient = weight * encoder_parameters(shape)
    of_head = weight * sum(r * c for r, c in shape.head())
    down = weight * hidden * shape.intermediate
    again = layer - (0 if mixed else stream) if checkpointing else 0
    passing = tokens * size * shape.intermediate + stream + table
    passing -= down // 2 if mixed else 0
    output = max(table // 2, size * logits) if mixed else size * logits
    first = gradient - weight * (embeddings + in_layer) + down
    found = {
        "loss": (0, kept + below + end + head_copies, 3 * weight * logits),
        "output layer": (0, kept + below + end, output + table),
        "last layer": (of_head + down, kept + below + again, passing),
        "first layer": (first, layer + below, passing),
        "embedding": (gradient, 0, stream + 2 * table),
        "optimizer": (gradient, 0, 0),
    }
    if mixed:
        more = shape.layers * copies if checkpointing else 0
        held = kept + below + more + end + head_copies
        found["forward"] = (0, held, 10 * logits)
    return found


def training_of_encoder(
    shape,
    batch,
    length,
    precision="fp32",
    checkpointing=False,
    accumulation=False,
    optimizer="adamw",
):
    weight = 2 if precision == "bf16" else 4
    gradient = weight * encoder_parameters(shape)
    words = shape.vocabulary * shape.hidden
    step = (batch, length, precision, checkpointing)
    found = instants_of_encoder(shape, *step)
    if optimizer == "adafactor":  # a bias stands between two matrices
        floats = 4 if precision == "bf16" else 2
        largest = max(r * c for r, c in shape.linear())
        found["optimizer"] = (gradient, 0, 4 * floats * max(words, largest))
    parts = {}
    for name, (gradients, activations, workspace) in found.items():
        if accumulation and name == "embedding":
            workspace += weight * words
        parts[name] = {
            "weights": gradient,
            "gradients": gradient if accumulation else gradients,
            "optimizer": encoder_optimizer_bytes(shape, optimizer, weight),
            "activations": activations + 16 * batch * length,
            "workspace": workspace,
        }
    return highest(parts)


# One forward pass in bf16, with a logit per token and word.
def inference_of_encoder(shape, batch, length):
    inner = 4 * shape.intermediate + 6 * shape.hidden
    norm = 2 * shape.intermediate + 12 * shape.hidden
    logits = 2 * shape.vocabulary + 4 * shape.hidden
    return {
        "weights": 2 * encoder_parameters(shape),
        "workspace": batch * length * (max(inner, norm, logits) + 8),
    }
# --8<-- [end:encoder]


# --8<-- [start:inference]
# Tokens in the caches of all layers, for one sequence.
def cached_tokens(shape, length):
    full = shape.layers - shape.windowed
    return full * length + shape.windowed * min(length, shape.window - 1)


# Bytes of a linear layer's weights, with the scales of bitsandbytes.
def stored(rows, columns, bits):
    scales = {16: 0, 8: 4 * rows, 4: rows * columns / 64 * 4}[bits]
    return rows * columns * bits / 8 + scales


# Bytes per token while queries rotate, then keys beside both queries; or
# in the queries' norm. What is cached of this layer does not exist yet.
def rotating(shape, query, key, cache_bits):
    most = max(8 * query + 4 * key, 4 * query + 10 * key)
    if shape.qk_norm:
        most = max(most, 10 * query)
    return most - key * cache_bits // 4


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
    rotation = rotating(shape, query, key, cache_bits)
    if not fused(shape, "bf16", flash):  # three matrices, in fp32
        matrices = 9 if shape.softcap else 12
        rotation = 16 * query + matrices * shape.heads * length
    rotation += 6 * shape.hidden
    mlp = 6 * shape.intermediate + 8 * shape.hidden
    norm = 18 * shape.hidden
    fixed = 4 * length * shape.head_size + 8 * tokens
    cached = batch * cached_tokens(shape, length) * 2 * key
    return {
        "weights": shape.layers * layer + 2 * (tables + shape.hidden),
        "cache": cached * cache_bits / 8,
        "workspace": max(
            tokens * max(rotation, mlp, norm) + fixed,
            4 * batch * shape.vocabulary,  # logits of two steps
        ),
    }
# --8<-- [end:inference]


# --8<-- [start:ranks]
# Tensor parallelism: a key-value head is the least that a rank holds.
# The norms, a few kilobytes per layer, are in fact not split.
def split(held, shape, ranks):
    return {
        **held,
        "weights": held["weights"] / ranks,
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
    "Gemma 3 12B": Shape(262_208, 3840, 15_360, 48, 16, 8, 256, True, False, True, True, 1024, 40),
    "Gemma 3 27B": Shape(262_208, 5376, 21_504, 62, 32, 16, 128, True, False, True, True, 1024, 52),
    "Mistral Small 24B": Shape(131_072, 5120, 32_768, 40, 32, 8, 128),
    "Phi-4": Shape(100_352, 5120, 17_920, 40, 40, 10, 128),
    "SmolLM3 3B": Shape(128_256, 2048, 11_008, 36, 16, 4, 128, tied=True),
}

ENCODERS = {
    "BERT base": Encoder(30_522, 768, 3072, 12, 12),
    "BERT large": Encoder(30_522, 1024, 4096, 24, 16),
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
