/* The formulas of snippets/memory/estimate_t5.py. */
const hexaplaFitT5 = ({sum, area, tables, statesOf, largest, highest}) => {
  const BUCKETS = 32;  // of distances between tokens, each with a bias per head
  const width = shape => shape.heads * shape.head_size;
  const stacks = shape => [shape.layers, shape.decoder_layers];
  const mlpOf = ({hidden, intermediate, gated}) =>
    [...Array(gated ? 2 : 1).fill([intermediate, hidden]), [hidden, intermediate]];
  const linear = (shape, attentions) => [
    ...Array(attentions).fill([...Array(3).fill([width(shape), shape.hidden]), [shape.hidden, width(shape)]]).flat(),
    ...mlpOf(shape)];
  const inLayer = (shape, attentions) => area(linear(shape, attentions)) + (attentions + 1) * shape.hidden;
  const parameters = shape => shape.layers * inLayer(shape, 1) + shape.decoder_layers * inLayer(shape, 2)
    + area(tables(shape)) + 2 * (BUCKETS * shape.heads + shape.hidden);

  function optimizerBytes(shape, optimizer, size) {
    const state = statesOf(optimizer, size);
    const norm = [shape.hidden, 1], biases = [BUCKETS, shape.heads];
    const ofLayers = stacks(shape).map((layers, index) =>
      layers * state([...linear(shape, index + 1), ...Array(index + 2).fill(norm)]));
    const embeddings = optimizer === "adamw-8bit" ? [tables(shape)[0], biases, biases] : [];
    return sum(ofLayers) + state(tables(shape)) + 2 * state([norm, biases]) + 8 * area(embeddings) - state(embeddings);
  }

  function keptOf(shape, tokens, precision) {
    const {hidden, gated} = shape, mixed = precision === "mixed", size = precision === "fp32" ? 4 : 2;
    const norm = {fp32: 12, bf16: 10, mixed: 8}[precision] * hidden + 4;
    const attention = 4 * size * width(shape) + 4 * shape.heads + hidden + (mixed ? 6 * hidden : 0);
    const mlp = ((gated ? 7 : 2) * size + 1) * shape.intermediate + hidden + (mixed ? (gated ? 4 : 2) * hidden : 0);
    return [tokens * (norm + attention), tokens * (norm + mlp)];
  }

  function instants(shape, {batch, length, precision, checkpointing, accumulation}) {
    const {hidden, intermediate: inner, gated} = shape, tokens = batch * length, square = length ** 2;
    const mixed = precision === "mixed", weight = precision === "bf16" ? 2 : 4, size = precision === "fp32" ? 4 : 2;
    const table = weight * shape.vocabulary * hidden, stream = weight * tokens * hidden, logits = tokens * shape.vocabulary;
    const biases = shape.heads * square, norm = 24 * tokens * hidden;
    const [attention, mlp] = keptOf(shape, tokens, precision);
    const copies = [1, 2].map(attentions => mixed ? 2 * area(linear(shape, attentions)) : 0);
    const encoder = attention + mlp + size * biases + copies[0];
    const decoder = 2 * attention + mlp + size * biases + copies[1] + square;
    const kept = checkpointing ? [stream, stream] : [encoder, decoder], again = checkpointing ? decoder - stream : 0;
    const first = (checkpointing ? weight * biases : 8 * square) + tokens * hidden, zeros = size * biases;
    const out = tokens * ({fp32: 13, bf16: 11, mixed: 9}[precision] * hidden + 4), headCopy = mixed ? table / 2 : 0;
    const below = shape.layers * kept[0] + first, read = below + out + (mixed && checkpointing ? stream : 0);
    const everything = read + shape.decoder_layers * kept[1] + first + zeros;
    const end = out + (mixed ? 2 * tokens * hidden : 0) + headCopy;
    const layers = [1, 2].map(attentions => weight * inLayer(shape, attentions));
    const gradient = weight * parameters(shape), head = shape.tied ? 0 : table, shared = table - head;
    const decoded = head + shape.decoder_layers * layers[1];

    function backward(attentions, done, held, workspace) {
      const layer = [encoder, decoder][attentions - 1], matrix = weight * hidden * width(shape);
      const down = weight * hidden * inner, inMLP = weight * area(mlpOf(shape));
      const passing = tokens * (mixed ? 4 : gated ? 2 * size - 1 : size) * inner + (gated ? 1 : 2) * stream
        + (accumulation ? down : 0) - (mixed ? down / 2 : 0);
      const inside = size * (batch * biases + 4 * tokens * width(shape)) + stream;
      const found = [
        [down, layer, passing],
        [inMLP, layer - mlp - (mixed ? inMLP / 2 : 0), norm],
        [layers[attentions - 1] - 3 * matrix, attention + size * biases, inside],
      ];
      if (checkpointing && mixed) found.push([0, layer, tokens * (4 * inner + 5 * hidden) + stream]);
      if (checkpointing && attentions === 2) found.push([inMLP + matrix, 2 * attention + size * biases, inside]);
      return largest(found.map(([more, own, work]) => [accumulation ? gradient : done + more, held + own, workspace + work]));
    }

    const bias = checkpointing ? weight * biases + 8 * square : 0, summed = weight * biases;
    const ahead = (mixed ? tokens * (4 * inner + 2 * hidden) : 0) + weight * biases + (checkpointing ? 0 : stream);
    const found = {
      "loss": [0, everything + end, 3 * weight * logits],
      "output layer": [head, everything + end - headCopy, Math.max(headCopy, size * logits) + shared],
      "last norm": [head, everything, norm + shared],
      "layer forward": [0, everything + again, ahead],
      "last layer": backward(2, head, everything - kept[1], shared),
      "between": largest([
        backward(2, decoded - layers[1], read + first + zeros + bias, shared + stream + summed),
        [accumulation ? gradient : decoded + table - shared, read, 2 * stream + 3 * shared + (accumulation ? head : 0)],
        backward(1, decoded, below - kept[0], table),
      ]),
      "first layer": backward(1, gradient - table - layers[0], first + bias, table + summed),
      "embedding": [gradient, 0, stream + 2 * table],
      "optimizer": [gradient, 0, 0],
    };
    if (mixed) {
      const copied = checkpointing ? sum(stacks(shape).map((layers, index) => layers * copies[index])) : 0;
      found.forward = [0, everything + end + copied + (checkpointing ? 2 : 3) * stream, 10 * logits];
    }
    if (!accumulation) return found;
    const more = {"embedding": table, "output layer": head};
    return Object.fromEntries(Object.entries(found).map(([name, [, activations, workspace]]) =>
      [name, [gradient, activations, workspace + (more[name] ?? 0)]]));
  }

  function training(shape, options) {
    const {batch, length, precision, optimizer} = options, weight = precision === "bf16" ? 2 : 4;
    const weights = weight * parameters(shape), state = optimizerBytes(shape, optimizer, weight);
    const exist = instants(shape, options);
    if (optimizer === "adafactor") {
      const floats = precision === "bf16" ? 4 : 2;
      const most = Math.max(...linear(shape, 1).map(([rows, columns]) => rows * columns));
      exist.optimizer = [weights, 0, 4 * Math.max(floats * shape.vocabulary * shape.hidden, (floats + 1) * most)];
    }
    return highest(exist, (instant, gradients, activations, workspace) =>
      ({weights, gradients, optimizer: state, activations: activations + 16 * batch * length, workspace}));
  }

  function inference(shape, {batch, length}) {
    const {hidden, intermediate, gated} = shape, tokens = batch * length, square = length ** 2, query = width(shape);
    const biases = 2 * shape.heads * square, mlp = (gated ? 8 : 4) * intermediate + 8 * hidden;
    const reading = Math.max(tokens * (6 * query + 4 * hidden) + 49 * square,
                             tokens * (8 * query + 6 * hidden) + 2 * biases,
                             tokens * Math.max(mlp, 14 * hidden) + biases);
    const exist = {"encoder": [0, reading],
                   "last token": [8 * shape.decoder_layers * query * tokens, 2 * tokens * (hidden + query)]};
    return highest(exist, (instant, cache, workspace) =>
      ({weights: 2 * parameters(shape), cache, workspace: workspace + 8 * tokens}));
  }

  const named = (hidden, intermediate, layers, heads, head_size, flan = false) =>
    ({vocabulary: 32128, hidden, intermediate, layers, decoder_layers: layers, heads, head_size,
      gated: flan, tied: !flan});
  const MODELS = {
    "t5-small": named(512, 2048, 6, 8, 64),
    "t5-base": named(768, 3072, 12, 12, 64),
    "t5-large": named(1024, 4096, 24, 16, 64),
    "t5-3b": named(1024, 16384, 24, 32, 128),
    "t5-11b": named(1024, 65536, 24, 128, 128),
    "flan-t5-base": named(768, 2048, 12, 12, 64, true),
    "flan-t5-large": named(1024, 2816, 24, 16, 64, true),
    "flan-t5-xl": named(2048, 5120, 24, 32, 64, true),
    "flan-t5-xxl": named(4096, 10240, 24, 64, 64, true),
  };

  const NAMES = {vocabulary: "vocab_size", hidden: "d_model", intermediate: "d_ff", layers: "num_layers",
                 heads: "num_heads", head_size: "d_kv"};
  const shapeOf = (config, sizes) => ({
    ...sizes,
    decoder_layers: config.num_decoder_layers ?? sizes.layers,
    gated: config.is_gated_act ?? String(config.feed_forward_proj ?? "relu").startsWith("gated"),
    // transformers 5 writes that all are tied, and beside it which are not
    tied: (config.tie_word_embeddings ?? true) && config.scale_decoder_outputs !== false,
  });

  return {training, inference, parameters, shapeOf, MODELS, NAMES};
};
