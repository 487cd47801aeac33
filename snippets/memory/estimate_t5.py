"""Memory of T5 by formulas: at the peak of a training step, and of reading a text and writing one as long."""

# --8<-- [start:shape]
from dataclasses import dataclass

from estimate import highest, state_of

BUCKETS = 32  # of distances between tokens, each with a bias per head


@dataclass(frozen=True)
class EncoderDecoder:
    vocabulary: int
    hidden: int
    intermediate: int
    layers: int  # of the encoder
    decoder_layers: int
    heads: int
    head_size: int
    gated: bool = False  # as in T5 1.1 and Flan-T5
    tied: bool = True  # one matrix for embedding and output layer

    def stacks(self):
        return self.layers, self.decoder_layers

    # Rows and columns of the linear layers of the MLP.
    def mlp(self):
        up = (self.intermediate, self.hidden)
        return [up] * (2 if self.gated else 1) + [up[::-1]]

    # Of one layer: an encoder layer has one attention, a decoder layer two.
    def linear(self, attentions):
        width = self.heads * self.head_size
        attention = [(width, self.hidden)] * 3 + [(self.hidden, width)]
        return attention * attentions + self.mlp()

    # Embedding and output layer.
    def tables(self):
        return [(self.vocabulary, self.hidden)] * (1 if self.tied else 2)


# A layer: its linear layers, and a norm before each attention and MLP.
def in_layer(shape, attentions):
    norms = (attentions + 1) * shape.hidden
    return sum(r * c for r, c in shape.linear(attentions)) + norms


# The first layer of each stack has a table of position biases.
def parameters_of_t5(shape):
    tables = sum(r * c for r, c in shape.tables())
    rest = 2 * (BUCKETS * shape.heads + shape.hidden) + tables
    encoder = shape.layers * in_layer(shape, 1)
    return encoder + shape.decoder_layers * in_layer(shape, 2) + rest
# --8<-- [end:shape]


# --8<-- [start:optimizer]
def optimizer_bytes_of_t5(shape, optimizer, size):
    def state(matrices):
        return sum(state_of(optimizer, r, c, size) for r, c in matrices)

    norm, biases = (shape.hidden, 1), (BUCKETS, shape.heads)
    found = state(shape.tables()) + 2 * state([norm, biases])
    for attentions, layers in enumerate(shape.stacks(), start=1):
        norms = [norm] * (attentions + 1)
        found += layers * state([*shape.linear(attentions), *norms])
    if optimizer == "adamw-8bit":  # Trainer: embeddings in fp32
        for rows, columns in (shape.tables()[0], biases, biases):
            found += 8 * rows * columns - state([(rows, columns)])
    return found
# --8<-- [end:optimizer]


# --8<-- [start:activations]
# Bytes that the backward pass needs of an attention and of the MLP, each
# with its norm. Dropout keeps a byte per number.
def kept_of_t5(shape, tokens, precision):
    hidden, width = shape.hidden, shape.heads * shape.head_size
    size = 4 if precision == "fp32" else 2
    norm = {"fp32": 12, "bf16": 10, "mixed": 8}[precision] * hidden + 4
    attention = 4 * size * width + 4 * shape.heads + hidden
    # GELU of the gated MLP consists of several operations.
    inner = (7 if shape.gated else 2) * size + 1
    mlp = inner * shape.intermediate + hidden
    if precision == "mixed":  # each linear layer casts its own input
        attention += 3 * 2 * hidden
        mlp += (2 if shape.gated else 1) * 2 * hidden
    return tokens * (norm + attention), tokens * (norm + mlp)
# --8<-- [end:activations]


# --8<-- [start:instants]
# What exists at an instant: gradients, activations, workspace.
def instants_of_t5(
    shape, batch, length, precision, checkpointing, accumulation
):
    tokens, hidden, inner = batch * length, shape.hidden, shape.intermediate
    width, mixed = shape.heads * shape.head_size, precision == "mixed"
    weight = 2 if precision == "bf16" else 4
    size = 4 if precision == "fp32" else 2
    table = weight * shape.vocabulary * hidden
    stream = weight * tokens * hidden
    logits = tokens * shape.vocabulary
    # Of a self-attention: one bias per head and pair of positions.
    biases = shape.heads * length**2

    # What is kept of a layer, and of what comes before and after a stack.
    attention, mlp = kept_of_t5(shape, tokens, precision)
    linear = [sum(r * c for r, c in shape.linear(n)) for n in (1, 2)]
    copies = [2 * number if mixed else 0 for number in linear]
    encoder = attention + mlp + size * biases + copies[0]
    decoder = 2 * attention + mlp + size * biases + copies[1] + length**2
    kept = (stream, stream) if checkpointing else (encoder, decoder)
    again = 0 if not checkpointing else decoder - stream
    first = weight * biases if checkpointing else 8 * length**2
    first += tokens * hidden
    zeros = size * biases  # the bias of the cross-attentions
    end = {"fp32": 13, "bf16": 11, "mixed": 9}[precision] * hidden + 4
    end *= tokens
    below = shape.layers * kept[0] + first
    read = below + end + (stream if mixed and checkpointing else 0)
    everything = read + shape.decoder_layers * kept[1] + first + zeros
    head_copy = table // 2 if mixed else 0
    if mixed:  # the output layer's input and weights in 16 bits
        end += 2 * tokens * hidden + head_copy

    # Gradients: in one layer; above each stack; of the tied embedding.
    layers = [weight * in_layer(shape, n) for n in (1, 2)]
    gradient = weight * parameters_of_t5(shape)
    head, shared = (0, table) if shape.tied else (table, 0)
    decoded = head + shape.decoder_layers * layers[1]

    # The highest instant in the backward pass of a layer.
    def backward(attentions, done, held, workspace):
        layer = (encoder, decoder)[attentions - 1]
        matrix = weight * hidden * width
        down = weight * hidden * inner  # its gradient comes first
        in_mlp = weight * sum(r * c for r, c in shape.mlp())
        # In the MLP.
        numbers = 2 * size - 1 if shape.gated else size
        passing = tokens * (4 if mixed else numbers) * inner
        passing += (1 if shape.gated else 2) * stream
        passing += down if accumulation else 0
        passing -= down // 2 if mixed else 0
        # In an attention: the gradient of the biases, of every sequence.
        inside = size * (batch * biases + 4 * tokens * width) + stream
        normed = layer - mlp - (in_mlp // 2 if mixed else 0)
        found = [
            (down, layer, passing),
            (in_mlp, normed, 24 * tokens * hidden),
            (
                layers[attentions - 1] - 3 * matrix,
                attention + size * biases,
                inside,
            ),
        ]
        if checkpointing and mixed:  # the forward pass again
            forward = tokens * (4 * inner + 5 * hidden) + stream
            found.append((0, layer, forward))
        if checkpointing and attentions == 2:  # cross-attention
            both = 2 * attention + size * biases
            found.append((in_mlp + matrix, both, inside))
        return max(
            (
                (
                    gradient if accumulation else done + more,
                    held + own,
                    workspace + work,
                )
                for more, own, work in found
            ),
            key=sum,
        )

    # With checkpointing the first layer of a stack computes biases again.
    bias = weight * biases + 8 * length**2 if checkpointing else 0
    summed = weight * biases  # gradients of the biases, of all layers
    ahead = tokens * (4 * inner + 2 * hidden) if mixed else 0
    ahead += weight * biases + (0 if checkpointing else stream)
    between = [
        backward(
            2, decoded - layers[1], read + first + zeros + bias,
            shared + stream + summed,
        ),
        (
            gradient if accumulation else decoded + table - shared,
            read,
            2 * stream + 3 * shared + (head if accumulation else 0),
        ),
        backward(1, decoded, below - kept[0], table),
    ]
    output = max(head_copy, size * logits)
    norm = 24 * tokens * hidden
    found = {
        "loss": (0, everything + end, 3 * weight * logits),
        "output layer": (
            head,
            everything + end - head_copy,
            output + shared,
        ),
        "last norm": (head, everything, norm + shared),
        "layer forward": (0, everything + again, ahead),
        "last layer": backward(2, head, everything - kept[1], shared),
        "between": max(between, key=sum),
        "first layer": backward(
            1, gradient - table - layers[0], first + bias, table + summed
        ),
        "embedding": (gradient, 0, stream + 2 * table),
        "optimizer": (gradient, 0, 0),
    }
    if mixed:
        more = 0
        if checkpointing:
            pairs = zip(shape.stacks(), copies, strict=True)
            more = sum(layers * copy for layers, copy in pairs)
        more += (2 if checkpointing else 3) * stream
        found["forward"] = (0, everything + end + more, 10 * logits)
    if accumulation:  # gradients of the piece before are there
        more = {"embedding": table, "output layer": head}
        found = {
            name: (gradient, kept, workspace + more.get(name, 0))
            for name, (_, kept, workspace) in found.items()
        }
    return found
# --8<-- [end:instants]


# --8<-- [start:training]
# Source and target have the same length.
def training_of_t5(
    shape,
    batch,
    length,
    precision="fp32",
    checkpointing=False,
    accumulation=False,
    optimizer="adamw",
):
    weight = 2 if precision == "bf16" else 4
    gradient = weight * parameters_of_t5(shape)
    table = shape.vocabulary * shape.hidden
    step = (batch, length, precision, checkpointing, accumulation)
    found = instants_of_t5(shape, *step)
    if optimizer == "adafactor":  # the update of a matrix, in fp32
        floats = 4 if precision == "bf16" else 2
        largest = max(r * c for r, c in shape.linear(1))
        update = 4 * max(floats * table, (floats + 1) * largest)
        found["optimizer"] = (gradient, 0, update)
    return highest({
        name: {
            "weights": gradient,
            "gradients": gradients,
            "optimizer": optimizer_bytes_of_t5(shape, optimizer, weight),
            "activations": activations + 16 * batch * length,
            "workspace": workspace,
        }
        for name, (gradients, activations, workspace) in found.items()
    })
# --8<-- [end:training]


# --8<-- [start:inference]
# In bf16: the encoder reads a text, the decoder writes one as long.
def inference_of_t5(shape, batch, length):
    tokens, hidden, inner = batch * length, shape.hidden, shape.intermediate
    width, square = shape.heads * shape.head_size, length**2
    biases = 2 * shape.heads * square
    mlp = (8 if shape.gated else 4) * inner + 8 * hidden
    # The buckets of all distances are computed in 64-bit integers.
    buckets = tokens * (6 * width + 4 * hidden) + 49 * square
    reading = max(
        buckets,
        tokens * (8 * width + 6 * hidden) + 2 * biases,
        tokens * max(mlp, 14 * hidden) + biases,
    )
    weights = 2 * parameters_of_t5(shape)
    # Keys and values of the answer, and of the text.
    cache = 2 * shape.decoder_layers * 2 * 2 * width * tokens
    # The encoder's output, and keys that are copied to a longer tensor.
    writing = 2 * tokens * (hidden + width)
    parts = {"encoder": (0, reading), "last token": (cache, writing)}
    return highest({
        name: {
            "weights": weights,
            "cache": cached,
            "workspace": workspace + 8 * tokens,
        }
        for name, (cached, workspace) in parts.items()
    })
# --8<-- [end:inference]


def flan(hidden: int, intermediate: int, layers: int, heads: int) -> EncoderDecoder:
    return EncoderDecoder(32_128, hidden, intermediate, layers, layers, heads, 64, gated=True, tied=False)


T5 = {
    "t5-small": EncoderDecoder(32_128, 512, 2048, 6, 6, 8, 64),
    "t5-base": EncoderDecoder(32_128, 768, 3072, 12, 12, 12, 64),
    "t5-large": EncoderDecoder(32_128, 1024, 4096, 24, 24, 16, 64),
    "t5-3b": EncoderDecoder(32_128, 1024, 16_384, 24, 24, 32, 128),
    "t5-11b": EncoderDecoder(32_128, 1024, 65_536, 24, 24, 128, 128),
    "flan-t5-base": flan(768, 2048, 12, 12),
    "flan-t5-large": flan(1024, 2816, 24, 16),
    "flan-t5-xl": flan(2048, 5120, 24, 32),
    "flan-t5-xxl": flan(4096, 10_240, 24, 64),
}


def main() -> None:
    print("GB at the peak: training with AdamW, bf16 autocast and checkpointing, 4 x 512; inference in bf16, 4 x 512")
    for name, shape in T5.items():
        instant, trained = training_of_t5(shape, 4, 512, "mixed", checkpointing=True)
        served = inference_of_t5(shape, 4, 512)[1]
        totals = [sum(held.values()) / 1e9 for held in (trained, served)]
        print(f"  {name:14}{parameters_of_t5(shape):>16,} parameters {totals[0]:>9.2f} ({instant}) {totals[1]:>8.2f}")


if __name__ == "__main__":
    main()
