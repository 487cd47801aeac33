/* The formulas of snippets/memory/estimate.py. The words are in the page's tables. */
const hexaplaFit = (() => {
  const sum = numbers => numbers.reduce((total, each) => total + each, 0);
  const area = matrices => sum(matrices.map(([rows, columns]) => rows * columns));

  const width = shape => ({query: shape.heads * shape.head_size, key: shape.kv_heads * shape.head_size});
  function linear(shape) {
    const {hidden, intermediate} = shape, {query, key} = width(shape);
    return [[query, hidden], [key, hidden], [key, hidden], [hidden, query], [intermediate, hidden], [intermediate, hidden],
            [hidden, intermediate]];
  }
  function vectors(shape) {
    const {query, key} = width(shape);
    return [...Array(shape.post_norms ? 4 : 2).fill(shape.hidden), ...(shape.qkv_bias ? [query, key, key] : []),
            ...(shape.qk_norm ? [shape.head_size, shape.head_size] : [])];
  }
  const tables = shape => Array(shape.tied ? 1 : 2).fill([shape.vocabulary, shape.hidden]);
  const ofLayer = shape => area(linear(shape)) + sum(vectors(shape));
  const parameters = shape => shape.layers * ofLayer(shape) + area(tables(shape)) + shape.hidden;

  function stateOf(optimizer, rows, columns, size) {
    const number = rows * columns;
    if (optimizer === "adamw") return 2 * size * number;
    if (optimizer === "adamw-8bit") return number >= 4096 ? 2 * number + 8 * Math.ceil(number / 256) : 8 * number;
    if (optimizer === "adafactor") return columns === 1 ? 4 * number : 4 * (rows + columns);
    return 0;
  }
  const statesOf = (optimizer, size) => matrices => sum(matrices.map(matrix => stateOf(optimizer, ...matrix, size)));
  function optimizerBytes(shape, optimizer, size) {
    const all = statesOf(optimizer, size), table = tables(shape).slice(0, 1);
    const more = optimizer === "adamw-8bit" ? 8 * area(table) - all(table) : 0;
    return shape.layers * all([...linear(shape), ...vectors(shape).map(number => [number, 1])])
      + all([...tables(shape), [shape.hidden, 1]]) + more;
  }

  const isFused = (shape, precision, flash) => !shape.softcap && (shape.kv_heads === shape.heads || (flash && precision !== "fp32"));

  function activationsOfLayer(shape, precision, length, fused) {
    const {query, key} = width(shape);
    const norm = {fp32: 12, bf16: 8, mixed: 8}[precision];
    const size = precision === "fp32" ? 4 : 2;
    const casts = precision === "mixed" ? 10 : 0;
    let attention = fused ? size * (2 * query + 2 * key) + 4 * shape.heads
      : size * query + 4 * (3 * query + shape.heads * length);
    if (shape.qk_norm) {
      attention += (precision !== "fp32" && !shape.post_norms ? 6 : 8) * (query + key) + 4 * (shape.heads + shape.kv_heads);
    }
    if (shape.post_norms) attention += (precision === "bf16" ? 20 : 16) * shape.hidden;
    return (2 * norm + casts) * shape.hidden + attention + size * 4 * shape.intermediate + 8;
  }
  const activationsOfEnd = (shape, precision) => ({fp32: 12, bf16: 8, mixed: 10}[precision] * shape.hidden + 4);

  function backwardOfLayer(shape, tokens, length, precision, fused) {
    const {hidden, intermediate, heads} = shape, {query, key} = width(shape), mixed = precision === "mixed";
    const weight = precision === "bf16" ? 2 : 4, size = precision === "fp32" ? 4 : 2, stream = tokens * hidden * weight;
    const down = hidden * intermediate, mlp = tokens * 2 * size * intermediate, made = 3 * down + hidden * query;
    let freed = 2 * mlp + (mixed ? 2 * made : 0);
    let passing = {fp32: 8 * (query + key), bf16: 4 * (query + key), mixed: 10 * query}[precision];
    if (!fused) {
      freed += tokens * (size * query + activationsOfEnd(shape, precision));
      passing = 8 * heads * length;
    }
    const found = [[down, mixed ? 2 * down : 0, mlp + stream], [made, freed, tokens * passing + stream]];
    if (shape.qk_norm && fused) {
      freed += tokens * (2 * size * (query + key) + 4 * heads);
      found.push([made, freed, tokens * (20 * key + weight * query) + stream]);
      freed += tokens * (6 * key + 4 * shape.kv_heads);
      found.push([made, freed, tokens * 20 * query + stream]);
    }
    return found;
  }

  const largest = found => found.reduce((most, each) => sum(each) > sum(most) ? each : most);

  function instants(shape, {batch, length, precision, checkpointing, accumulation, chunked}, fused) {
    const {vocabulary, hidden, intermediate, layers} = shape, tokens = batch * length;
    const mixed = precision === "mixed", weight = precision === "bf16" ? 2 : 4, size = precision === "fp32" ? 4 : 2;
    const table = vocabulary * hidden, inLayer = ofLayer(shape);
    const copies = mixed ? 2 * area(linear(shape)) : 0, headCopy = mixed ? 2 * table : 0;
    const layer = tokens * activationsOfLayer(shape, precision, length, fused) + copies;
    const stream = tokens * hidden * (precision === "bf16" ? 2 : 4), kept = checkpointing ? stream : layer;
    const end = tokens * activationsOfEnd(shape, precision), logits = chunked ? 0 : tokens * vocabulary;
    const gradient = weight * parameters(shape);
    const head = shape.tied ? 0 : weight * table, shared = shape.tied ? weight * table : 0;
    const {query, key} = width(shape), stages = backwardOfLayer(shape, tokens, length, precision, fused);
    const made = accumulation ? 0 : weight, [[down, freed]] = stages;
    if (accumulation) stages.push([0, freed, tokens * size * intermediate + weight * down + freed + stream]);
    const inside = (gradients, activations) =>
      largest(stages.map(([own, freed, work]) => [gradients + made * own, activations - freed, work + shared]));
    const output = mixed ? Math.max(2 * table, size * logits) : size * logits;
    const keptAll = layers * kept, again = layer - (precision === "bf16" ? 0 : stream);
    const below = gradient - weight * (table + inLayer);
    const found = {
      "loss": [0, keptAll + end + headCopy, 12 * logits],
      "output layer": [head, keptAll + end, output + shared],
      "last norm": [head, keptAll, 24 * tokens * hidden + shared],
      "last layer": inside(head, keptAll + (checkpointing ? again : 0)),
      "first layer": inside(below, layer),
      "embedding": [gradient, 0, stream + 2 * shared],
      "optimizer": [gradient, 0, 0],
    };
    if (mixed) {
      const more = checkpointing || !fused ? copies : 8 * key * tokens;
      found.forward = [0, keptAll + layers * more + end + headCopy, 10 * logits];
    }
    if (!fused) {
      const matrices = size * (query + 2 * key) + 20 * query + 8 * shape.heads * length;
      const attention = tokens * (activationsOfEnd(shape, precision) + matrices);
      found["layer forward"] = checkpointing ? [below, attention, stream + shared] : [0, keptAll - kept + attention, 0];
    }
    return found;
  }

  function instantsOfFSDP(shape, layersOf, size, gatheredSize, alone, {gpus, accumulation}) {
    const sizes = layersOf.map(([gathered]) => gathered), table = shape.vocabulary * shape.hidden;
    const rest = area(tables(shape)) + shape.hidden, head = shape.tied ? rest : rest + table;
    const made = accumulation ? 0 : size / gpus, top = sizes.at(-1);
    const whole = {"loss": rest + top, "output layer": head + top, "last norm": head + top};
    const found = Object.fromEntries(Object.entries(whole).map(([name, numbers]) =>
      [name, [0, alone[name][1], alone[name][2] + gatheredSize * numbers]]));
    found.gather = [0, 0, gatheredSize * 2 * (rest + sizes[0])];
    const shared = shape.tied ? gatheredSize * table : 0, stream = alone.embedding[2] - 2 * shared;
    const norm = stream + alone["last norm"][2], most = [];
    let below = 0;
    layersOf.forEach(([gathered, numbers, kept, activations, stages], place) => {
      const lower = place ? sizes[place - 1] : 0, upper = sizes[place + 1] ?? 0;
      const gradients = made * sum(sizes.slice(place + 1)), inside = gatheredSize * (head + lower + gathered + upper);
      if (upper) {
        most.push([gradients, below + kept, inside + gatheredSize * (gathered - lower) + stream + shared]);
      }
      for (const [own, freed, work] of stages) {
        most.push([gradients, below + activations - freed, inside + gatheredSize * own + work + shared]);
      }
      most.push([gradients, below, inside + gatheredSize * numbers + norm]);
      below += kept;
    });
    found.layer = largest(most);
    const everything = made * (sum(sizes) + rest);
    const share = (size === gatheredSize ? 0 : gatheredSize) + (accumulation ? size : 0);
    found.embedding = largest([
      [made * sum(sizes), 0, alone.embedding[2] + gatheredSize * (2 * rest + sizes[0])],
      [everything, 0, gatheredSize * head + share * rest / gpus],
    ]);
    found.optimizer = [everything, 0, 0];
    return Object.fromEntries(Object.entries(found).map(([name, [gradients, activations, work]]) =>
      [name, [gradients * gpus, activations, work]]));
  }

  function trainingOf(shape, whole, options, fused, {instants, layersOf, parameters, optimizerBytes, updated}) {
    const {batch, length, precision, accumulation, optimizer, gpus = 1} = options;
    const weight = precision === "bf16" ? 2 : 4, gradient = weight * parameters(whole);
    const state = optimizerBytes(whole, optimizer, weight), table = shape.vocabulary * shape.hidden;
    const cast = precision === "mixed" && gpus > 1, kind = cast ? "bf16" : precision;
    let exist = instants(shape, {...options, precision: kind, accumulation: accumulation && gpus === 1}, fused);
    if (gpus > 1) exist = instantsOfFSDP(shape, layersOf(shape, options, kind, fused), weight, cast ? 2 : weight, exist, options);
    if (optimizer === "adafactor") {
      const floats = precision === "bf16" ? 4 : 2;
      exist.optimizer = [gradient, 0, 4 * Math.max(floats * table, ...updated(floats)) / gpus];
    }
    const fixed = 2 * length * shape.head_size * weight + 16 * batch * length;
    const extra = {"embedding": weight * table, "output layer": shape.tied ? 0 : weight * table};
    return highest(exist, (instant, gradients, activations, workspace) => ({
      weights: gradient / gpus,
      gradients: (accumulation ? gradient : gradients) / gpus,
      optimizer: state / gpus,
      activations: activations + fixed,
      workspace: workspace + (accumulation && gpus === 1 ? extra[instant] ?? 0 : 0),
    }));
  }

  function layersOf(shape, {batch, length, checkpointing}, kind, fused) {
    const tokens = batch * length, kept = tokens * activationsOfLayer(shape, kind, length, fused), number = ofLayer(shape);
    const until = checkpointing ? (kind === "bf16" ? 2 : 4) * tokens * shape.hidden : kept;
    return Array(shape.layers).fill([number, number, until, kept, backwardOfLayer(shape, tokens, length, kind, fused)]);
  }
  const training = (shape, options) => trainingOf(shape, shape, options, isFused(shape, options.precision, options.flash ?? true), {
    instants, layersOf, parameters, optimizerBytes,
    updated: floats => linear(shape).map(([rows, columns]) => (floats + 1) * rows * columns)});

  function highest(exist, parts) {
    let found = {bytes: -1};
    for (const [instant, there] of Object.entries(exist)) {
      const held = parts(instant, ...there), bytes = sum(Object.values(held));
      if (bytes > found.bytes) found = {instant, bytes, held};
    }
    return found;
  }

  const adapter = (shape, rank) => linear(shape).flatMap(([rows, columns]) => [[rank, columns], [rows, rank]]);
  function nf4(rows, columns) {
    const number = rows * columns, blocks = Math.ceil(number / 64);
    return Math.ceil(number / 2) + blocks + 4 * Math.ceil(blocks / 256);
  }
  function frozen(shape, quantized) {
    if (!quantized) return 2 * parametersOf(shape);
    const rest = parameters(shape) - linearParameters(shape);
    return shape.layers * sum(linear(shape).map(matrix => nf4(...matrix))) + 4 * rest;
  }
  function activationsOfAdapted(shape, {rank, length, quantized}, fused) {
    const {query, key} = width(shape), {hidden, intermediate, heads, kv_heads} = shape;
    let attention = fused ? 2 * (2 * query + 2 * key) + 4 * heads : 2 * query + 4 * (3 * query + heads * length);
    if (shape.qk_norm) attention += 4 * (query + key + heads + kv_heads);
    const inputs = 2 * (5 * hidden + query), mlp = (3 * (quantized ? 4 : 2) + 2) * intermediate;
    return (shape.post_norms ? 4 : 2) * (4 * hidden + 4) + attention + inputs + mlp + 14 * rank;
  }
  function instantsOfAdapters(shape, options, fused) {
    const {batch, length, rank, quantized, checkpointing, chunked} = options, {hidden, intermediate: inner, layers} = shape;
    const tokens = batch * length, logits = chunked ? 0 : tokens * shape.vocabulary, adapters = area(adapter(shape, rank));
    const layer = tokens * activationsOfAdapted(shape, options, fused) + 2 * adapters;
    const stream = tokens * hidden * (quantized ? 4 : 2);
    const keptAll = layers * (checkpointing ? stream : layer) - (checkpointing ? 0 : 4 * tokens * hidden);
    const again = checkpointing ? layer - (quantized ? stream : 0) : 0;
    const caches = !checkpointing && quantized ? layers * 8 * width(shape).key * tokens : 0;
    const end = tokens * (4 * hidden + 4), head = quantized ? 2 * shape.vocabulary * hidden : 0;
    const copies = checkpointing ? 2 * layers * adapters : 0;
    let forward = tokens * (6 * inner + 10 * hidden), backward = tokens * 4 * inner;
    if (quantized) {
      const matrix = 2 * hidden * inner * (1 + 1 / 32);
      forward = tokens * (4 * inner + 8 * hidden) + Math.max(tokens * 8 * hidden, matrix);
      backward = Math.max(tokens * 10 * inner, tokens * 4 * inner + matrix);
    }
    if (!checkpointing) forward += tokens * 4 * hidden;
    const gradient = 4 * layers * adapters, first = 4 * rank * (hidden + inner);
    return {
      "loss": [0, keptAll + end + head, 12 * logits],
      "logits": [0, keptAll + end + head + caches + copies, 10 * logits],
      "layer forward": [0, keptAll + again + caches, forward],
      "last layer": [first, keptAll + again, backward + stream],
      "first layer": [gradient - 4 * adapters, layer, Math.max(backward, checkpointing ? forward : 0) + stream],
      "optimizer": [gradient, 0, 0],
    };
  }
  /* LoRA with FSDP: snippets/memory/estimate_fsdp_lora.py. */
  function instantsOfShardedLoRA(shape, options, fused) {
    const {batch, length, rank, checkpointing} = options, {hidden, layers} = shape, tokens = batch * length, stream = 2 * tokens * hidden;
    const layer = tokens * (activationsOfAdapted(shape, options, fused) - 6 * hidden - 2 * width(shape).query);
    const kept = checkpointing ? layers * stream : layers * layer - 2 * stream, again = checkpointing ? layer : 0;
    const below = checkpointing ? kept : kept - layer + 2 * stream, adapters = area(adapter(shape, rank));
    const whole = 2 * (ofLayer(shape) + adapters), rest = 2 * (area(tables(shape)) + hidden), top = rest + whole;
    return {
      "gather": [0, 0, 2 * top],
      "loss": [0, kept + tokens * (4 * hidden + 4), (options.chunked ? 0 : 12 * tokens * shape.vocabulary) + top],
      "last norm": [0, kept, 24 * tokens * hidden + top],
      "layer": [0, below, top + 2 * whole],
      "last layer": largest(backwardOfLayer(shape, tokens, length, "bf16", fused).map(([, freed, work]) =>
        [0, kept + again - freed, work + top + whole])),
      "optimizer": [4 * layers * adapters, 0, rest],
    };
  }
  function trainingOfAdapters(shape, options) {
    const {quantized, flash = true} = options, ranks = quantized ? 1 : options.gpus ?? 1;
    const exist = (ranks > 1 ? instantsOfShardedLoRA : instantsOfAdapters)(shape, options, isFused(shape, "bf16", flash));
    return adapted(shape, options, exist, adapter(shape, options.rank), frozen(shape, quantized), ranks);
  }
  function adapted(shape, {batch, length, quantized, accumulation, optimizer}, exist, matrices, frozen, ranks = 1) {
    const gradient = 4 * shape.layers * area(matrices);
    const state = shape.layers * statesOf(optimizer, 4)(matrices);
    if (optimizer === "adafactor" && ranks === 1) {
      exist.optimizer = [gradient, 0, 12 * Math.max(...matrices.map(([rows, columns]) => rows * columns))];
    }
    const fixed = 2 * length * shape.head_size * (quantized ? 4 : 2) + 16 * batch * length;
    return highest(exist, (instant, gradients, activations, workspace) => ({
      weights: (frozen + gradient) / ranks,
      gradients: (accumulation ? gradient : gradients) / ranks,
      optimizer: state / ranks,
      activations: activations + fixed,
      workspace,
    }));
  }

  const linearOfEncoder = ({hidden, intermediate}) =>
    [...Array(4).fill([hidden, hidden]), [intermediate, hidden], [hidden, intermediate]];
  const vectorsOfEncoder = ({hidden, intermediate}) => [...Array(9).fill([hidden, 1]), [intermediate, 1]];
  const tablesOfEncoder = ({vocabulary, positions, hidden}) => [vocabulary, positions, 2].map(rows => [rows, hidden]);
  const headOfEncoder = ({vocabulary, hidden}) => [[hidden, hidden], ...Array(3).fill([hidden, 1]), [vocabulary, 1]];
  const linearParameters = shape => shape.layers * area(linear(shape));
  const ofEncoderLayer = shape => area([...linearOfEncoder(shape), ...vectorsOfEncoder(shape)]);
  const parametersOfEncoder = shape => shape.layers * ofEncoderLayer(shape)
    + area([...tablesOfEncoder(shape), ...headOfEncoder(shape)]) + 2 * shape.hidden;
  function optimizerBytesOfEncoder(shape, optimizer, size) {
    const all = statesOf(optimizer, size), tables = tablesOfEncoder(shape), norm = Array(2).fill([shape.hidden, 1]);
    return shape.layers * all([...linearOfEncoder(shape), ...vectorsOfEncoder(shape)])
      + all([...headOfEncoder(shape), ...norm]) + (optimizer === "adamw-8bit" ? 8 * area(tables) : all(tables));
  }
  function instantsOfEncoder(shape, {batch, length, precision, checkpointing}) {
    const {vocabulary, hidden, intermediate, layers} = shape, tokens = batch * length, logits = tokens * vocabulary;
    const mixed = precision === "mixed", weight = precision === "bf16" ? 2 : 4, size = precision === "fp32" ? 4 : 2;
    const copies = mixed ? 2 * area(linearOfEncoder(shape)) : 0, table = weight * vocabulary * hidden;
    const embeddings = area(tablesOfEncoder(shape)) + 2 * hidden;
    const perToken = {fp32: 34, bf16: 18, mixed: 26}[precision] * hidden + 2 * size * intermediate + 4 * shape.heads + 16;
    const layer = tokens * perToken + copies, stream = tokens * hidden * weight;
    const kept = layers * (checkpointing ? stream : layer);
    const below = {fp32: 9, bf16: 5, mixed: 9}[precision] * tokens * hidden - (checkpointing !== mixed ? stream : 0);
    const end = tokens * ({fp32: 12, bf16: 6, mixed: 8}[precision] * hidden + 16) + (checkpointing && !mixed ? stream : 0);
    const headCopies = mixed ? 2 * hidden ** 2 + table / 2 : 0;
    const gradient = weight * parametersOfEncoder(shape), ofHead = weight * area(headOfEncoder(shape));
    const down = weight * hidden * intermediate, again = checkpointing ? layer - (mixed ? 0 : stream) : 0;
    const passing = tokens * size * intermediate + stream + table - (mixed ? down / 2 : 0);
    const output = mixed ? Math.max(table / 2, size * logits) : size * logits;
    const found = {
      "loss": [0, kept + below + end + headCopies, 3 * weight * logits],
      "output layer": [0, kept + below + end, output + table],
      "last layer": [ofHead + down, kept + below + again, passing],
      "first layer": [gradient - weight * (embeddings + ofEncoderLayer(shape)) + down, layer + below, passing],
      "embedding": [gradient, 0, stream + 2 * table],
      "optimizer": [gradient, 0, 0],
    };
    if (mixed) {
      const more = checkpointing ? layers * copies : 0;
      found.forward = [0, kept + below + more + end + headCopies, 10 * logits];
    }
    return found;
  }
  function trainingOfEncoder(shape, options) {
    const {batch, length, precision, accumulation, optimizer} = options, weight = precision === "bf16" ? 2 : 4;
    const gradient = weight * parametersOfEncoder(shape), words = shape.vocabulary * shape.hidden;
    const exist = instantsOfEncoder(shape, options), state = optimizerBytesOfEncoder(shape, optimizer, weight);
    if (optimizer === "adafactor") {
      const floats = precision === "bf16" ? 4 : 2, most = shape.hidden * Math.max(shape.hidden, shape.intermediate);
      exist.optimizer = [gradient, 0, 4 * floats * Math.max(words, most)];
    }
    return highest(exist, (instant, gradients, activations, workspace) => ({
      weights: gradient,
      gradients: accumulation ? gradient : gradients,
      optimizer: state,
      activations: activations + 16 * batch * length,
      workspace: workspace + (accumulation && instant === "embedding" ? weight * words : 0),
    }));
  }
  function inferenceOfEncoder(shape, {batch, length}) {
    const {hidden, intermediate, vocabulary} = shape;
    const most = Math.max(4 * intermediate + 6 * hidden, 2 * intermediate + 12 * hidden, 2 * vocabulary + 4 * hidden);
    return {instant: "pass", held: {weights: 2 * parametersOfEncoder(shape), workspace: batch * length * (most + 8)}};
  }

  const cachedTokens = ({layers, windowed = 0, window = 0}, length) =>
    (layers - windowed) * length + windowed * Math.min(length, window - 1);
  function stored(rows, columns, bits) {
    return rows * columns * bits / 8 + {16: 0, 8: 4 * rows, 4: rows * columns / 64 * 4}[bits];
  }
  function rotating(shape, query, key, cacheBits) {
    const most = Math.max(8 * query + 4 * key, 4 * query + 10 * key, shape.qk_norm ? 10 * query : 0);
    return most - Math.floor(key * cacheBits / 4);
  }
  function inference(shape, {batch, length, weight_bits, cache_bits, gpus = 1, flash = true}) {
    const tokens = batch * length, {query, key} = width(shape);
    const layer = sum(linear(shape).map(([rows, columns]) => stored(rows, columns, weight_bits))) + 2 * sum(vectors(shape));
    const rotation = 6 * shape.hidden
      + (isFused(shape, "bf16", flash) ? rotating(shape, query, key, cache_bits) : 16 * query + (shape.softcap ? 9 : 12) * shape.heads * length);
    const mlp = 6 * shape.intermediate + 8 * shape.hidden, norm = 18 * shape.hidden;
    const held = {
      weights: (shape.layers * layer + 2 * (area(tables(shape)) + shape.hidden)) / gpus,
      cache: batch * cachedTokens(shape, length) * 2 * key * cache_bits / 8 / Math.min(gpus, shape.kv_heads),
      workspace: Math.max(tokens * Math.max(rotation, mlp, norm) + 4 * length * shape.head_size + 8 * tokens,
                          4 * batch * shape.vocabulary),
    };
    return {instant: "prompt", held};
  }

  const T5 = hexaplaFitT5({sum, area, tables, statesOf, largest, highest});
  const EXPERTS = hexaplaFitExperts({sum, area, tables, statesOf, largest, isFused, activationsOfEnd, cachedTokens, rotating, trainingOf, adapted});
  const familyOf = shape => shape.positions !== undefined ? "encoder" : shape.experts !== undefined ? "experts"
    : shape.decoder_layers !== undefined ? "encoder-decoder" : "decoder";
  const TASKS = {
    decoder: {train: training, lora: trainingOfAdapters, infer: inference,
              qlora: (shape, options) => trainingOfAdapters(shape, {...options, quantized: true})},
    experts: {train: EXPERTS.training, lora: EXPERTS.trainingOfAdapters, infer: EXPERTS.inference},
    encoder: {train: trainingOfEncoder, infer: inferenceOfEncoder},
    "encoder-decoder": {train: T5.training, infer: T5.inference},
  };
  const estimate = (shape, options) => TASKS[familyOf(shape)][options.task](shape, options);

  const named = (vocabulary, hidden, intermediate, layers, heads, kv_heads, head_size, flags = {}) =>
    ({vocabulary, hidden, intermediate, layers, heads, kv_heads, head_size, tied: false, qkv_bias: false, qk_norm: false,
      post_norms: false, softcap: false, window: 0, windowed: 0, ...flags});
  const GEMMA_3 = {tied: true, qk_norm: true, post_norms: true, window: 1024};
  const MODELS = {
    "Llama 3.2 1B": named(128256, 2048, 8192, 16, 32, 8, 64, {tied: true}),
    "Llama 3.2 3B": named(128256, 3072, 8192, 28, 24, 8, 128, {tied: true}),
    "Llama 3.1 8B": named(128256, 4096, 14336, 32, 32, 8, 128),
    "Llama 3.1 70B": named(128256, 8192, 28672, 80, 64, 8, 128),
    "Llama 3.1 405B": named(128256, 16384, 53248, 126, 128, 8, 128),
    "Llama 3.3 70B": named(128256, 8192, 28672, 80, 64, 8, 128),
    "Llama 2 13B": named(32000, 5120, 13824, 40, 40, 40, 128),
    "TinyLlama 1.1B": named(32000, 2048, 5632, 22, 32, 4, 64),
    "Mistral 7B v0.3": named(32768, 4096, 14336, 32, 32, 8, 128),
    "Mistral Small 24B": named(131072, 5120, 32768, 40, 32, 8, 128),
    "Qwen2.5 0.5B": named(151936, 896, 4864, 24, 14, 2, 64, {tied: true, qkv_bias: true}),
    "Qwen2.5 1.5B": named(151936, 1536, 8960, 28, 12, 2, 128, {tied: true, qkv_bias: true}),
    "Qwen2.5 3B": named(151936, 2048, 11008, 36, 16, 2, 128, {tied: true, qkv_bias: true}),
    "Qwen2.5 7B": named(152064, 3584, 18944, 28, 28, 4, 128, {qkv_bias: true}),
    "Qwen2.5 14B": named(152064, 5120, 13824, 48, 40, 8, 128, {qkv_bias: true}),
    "Qwen2.5 32B": named(152064, 5120, 27648, 64, 40, 8, 128, {qkv_bias: true}),
    "Qwen2.5 72B": named(152064, 8192, 29568, 80, 64, 8, 128, {qkv_bias: true}),
    "Qwen3 0.6B": named(151936, 1024, 3072, 28, 16, 8, 128, {tied: true, qk_norm: true}),
    "Qwen3 1.7B": named(151936, 2048, 6144, 28, 16, 8, 128, {tied: true, qk_norm: true}),
    "Qwen3 4B": named(151936, 2560, 9728, 36, 32, 8, 128, {tied: true, qk_norm: true}),
    "Qwen3 8B": named(151936, 4096, 12288, 36, 32, 8, 128, {qk_norm: true}),
    "Qwen3 14B": named(151936, 5120, 17408, 40, 40, 8, 128, {qk_norm: true}),
    "Qwen3 32B": named(151936, 5120, 25600, 64, 64, 8, 128, {qk_norm: true}),
    "Gemma 3 1B": named(262144, 1152, 6912, 26, 4, 1, 256, {...GEMMA_3, window: 512, windowed: 22}),
    "Gemma 3 4B": named(262208, 2560, 10240, 34, 8, 4, 256, {...GEMMA_3, windowed: 29}),
    "Gemma 3 12B": named(262208, 3840, 15360, 48, 16, 8, 256, {...GEMMA_3, windowed: 40}),
    "Gemma 3 27B": named(262208, 5376, 21504, 62, 32, 16, 128, {...GEMMA_3, windowed: 52}),
    "Phi-4": named(100352, 5120, 17920, 40, 40, 10, 128),
    "SmolLM2 1.7B": named(49152, 2048, 8192, 24, 32, 32, 64, {tied: true}),
    "SmolLM3 3B": named(128256, 2048, 11008, 36, 16, 4, 128, {tied: true}),
  };

  const ENCODERS = {
    "BERT base": {vocabulary: 30522, hidden: 768, intermediate: 3072, layers: 12, heads: 12, positions: 512},
    "BERT large": {vocabulary: 30522, hidden: 1024, intermediate: 4096, layers: 24, heads: 16, positions: 512},
  };

  /* What cannot be read is an error, whose message is a key of the page. */
  const fault = (key, values = {}) => Object.assign(new Error(key), {key, values});
  const NAMES = {vocabulary: "vocab_size", hidden: "hidden_size", intermediate: "intermediate_size",
                 layers: "num_hidden_layers", heads: "num_attention_heads"};
  const IN_MIXTURE = {...NAMES, experts: "num_local_experts", active: "num_experts_per_tok", expert_size: "moe_intermediate_size"};
  /* What a kind adds to a shape, and what its files leave to transformers (`given`). */
  const KINDS = {
    llama: {}, mistral: {window: true}, smollm3: {given: {tie_word_embeddings: true}}, phi3: {window: true}, qwen2: {flags: {qkv_bias: true}}, qwen3: {flags: {qk_norm: true}},
    gemma2: {flags: {post_norms: true, softcap: true}, every: 2, given: {tie_word_embeddings: true, sliding_window: 4096}},
    gemma3_text: {flags: {post_norms: true, qk_norm: true}, every: 6, given: {tie_word_embeddings: true, sliding_window: 4096,
      vocab_size: 262208, num_attention_heads: 8, num_key_value_heads: 4, head_dim: 256}},
    mixtral: {names: {...IN_MIXTURE, expert_size: "intermediate_size"}, window: true},
    qwen3_moe: {names: IN_MIXTURE, flags: {qk_norm: true}},
    deepseek_v3: {names: {...IN_MIXTURE, kv_rank: "kv_lora_rank", rope_size: "qk_rope_head_dim", value_size: "v_head_dim"}},
    gpt_oss: {names: {...IN_MIXTURE, expert_size: "intermediate_size"}, flags: {biases: true}, every: 2, given: {sliding_window: 128}},
    llama4_text: {names: {...IN_MIXTURE, intermediate: "intermediate_size_mlp", expert_size: "intermediate_size"},
                  flags: {all_experts: true}, every: 4, given: {attention_chunk_size: 8192}},
    bert: {}, t5: {},
  };
  const LANGUAGE_MODEL_IN = ["gemma3", "mistral3", "llama4"];  // beside an image encoder, which is not counted
  /* Activation functions of which their input alone is kept, as in the formulas. */
  const ACTIVATIONS = ["silu", "swish", "gelu", "gelu_pytorch_tanh", "mish"];
  function shapeOf(text) {
    let config;
    try { config = JSON.parse(text); } catch (error) { throw fault("not-json", {why: error.message}); }
    if (typeof config !== "object" || config === null) config = {};
    if (LANGUAGE_MODEL_IN.includes(config.model_type) && config.text_config) {
      config = {tie_word_embeddings: config.tie_word_embeddings, ...config.text_config};
      config.model_type ??= "mistral";
    }
    const type = String(config.model_type ?? "?"), kind = Object.hasOwn(KINDS, type) ? KINDS[type] : null;
    if (config.model_type && !kind) throw fault("unknown-type", {type});
    config = {...kind?.given, ...Object.fromEntries(Object.entries(config).filter(([, value]) => value !== undefined))};
    config.num_local_experts ??= config.num_experts ?? config.n_routed_experts;
    const shape = {}, names = type === "t5" ? T5.NAMES : kind?.names ?? NAMES;
    const missing = Object.values(names).filter(name => config[name] === undefined);
    if (missing.length) throw fault("not-config", {names: missing.join(", ")});
    for (const [name, theirs] of Object.entries(names)) shape[name] = config[theirs];
    if (!kind) throw fault("unknown-type", {type});
    if (type === "t5") return T5.shapeOf(config, shape);
    const activation = config.hidden_activation ?? config.hidden_act ?? ACTIVATIONS[0];
    if (!ACTIVATIONS.includes(activation)) throw fault("activation", {name: activation});
    if (type === "bert") return {...shape, positions: config.max_position_embeddings ?? 512};
    shape.kv_heads = config.num_key_value_heads ?? shape.heads;
    shape.head_size = shape.kv_rank ? config.qk_nope_head_dim + shape.rope_size : config.head_dim ?? shape.hidden / shape.heads;
    const biased = type === "qwen2" || Boolean(config.attention_bias);
    const read = {...shape, ...windowOf(config, kind, shape.layers), tied: Boolean(config.tie_word_embeddings),
                  qkv_bias: biased, qk_norm: false, ...kind.flags};
    return kind.names ? mixtureOf(config, type, read) : {post_norms: false, softcap: false, ...read};
  }

  function windowOf(config, {window, every}, layers) {
    const size = config.sliding_window ?? config.attention_chunk_size ?? 0, listed = config.layer_types;
    if (!size || !(window || every)) return {window: 0, windowed: 0};
    const each = config.sliding_window_pattern ?? every;
    const windowed = Array.isArray(listed) ? listed.filter(name => /sliding|chunked/.test(name)).length : each ? layers - Math.floor(layers / each) : layers;
    return {window: size, windowed};
  }
  function mixtureOf(config, type, read) {
    const dense = {deepseek_v3: config.first_k_dense_replace ?? 3, qwen3_moe: config.mlp_only_layers?.length ?? 0,
                   llama4_text: read.layers - (config.moe_layers?.length ?? Math.floor(read.layers / (config.interleave_moe_layer_step ?? 1)))};
    const shared = {deepseek_v3: (config.n_shared_experts ?? 1) * read.expert_size, llama4_text: read.expert_size};
    return {q_rank: config.q_lora_rank ?? 0, kv_rank: 0, rope_size: 0, value_size: 0, biases: false, all_experts: false,
            dense: dense[type] ?? 0, shared: shared[type] ?? 0, ...read};
  }

  const COUNTED = {decoder: parameters, encoder: parametersOfEncoder, "encoder-decoder": T5.parameters, experts: EXPERTS.parameters};
  const parametersOf = shape => COUNTED[familyOf(shape)](shape);
  return {sum, area, linear, width, estimate, parameters, parametersOf, linearParameters, frozen, familyOf, shapeOf, MODELS, ENCODERS, T5: T5.MODELS, EXPERTS, LANGUAGE_MODEL_IN};
})();

{
  const {sum, estimate, parameters, parametersOf, linearParameters, frozen, familyOf, shapeOf, LANGUAGE_MODEL_IN} = hexaplaFit;
  const MODELS = {...hexaplaFit.MODELS, ...hexaplaFit.EXPERTS.MODELS, ...hexaplaFit.ENCODERS, ...hexaplaFit.T5};
  /* GB; TFLOPS in bf16 (fp16 on a T4), dense, sums in fp32; GB/s of memory; GB/s to another GPU in one direction (MI: one of
     seven links, half of 128 GB/s, of an MI355X half of 153.6); the maker's sheet; where else it was read, 2026-11-27, 28. */
  const NVIDIA = "https://www.nvidia.com/en-us/data-center/", AMD = "https://www.amd.com/en/products/accelerators/instinct/";
  const WHITE_PAPERS = "https://images.nvidia.com/aem-dam/Solutions/geforce/";
  const QUOTED = "https://github.com/PrimeIntellect-ai/prime/blob/48e985fd00e45cc70551a75580447648130790b3/tests/test_flops_promised.py";
  const GPUS = {
    "NVIDIA T4": [16, 65, 320, 16, `${NVIDIA}tesla-t4/`],
    "NVIDIA L4": [24, 121, 300, 32, `${NVIDIA}l4/`],
    "NVIDIA A10": [24, 125, 600, 32, `${NVIDIA}products/a10-gpu/`],
    "NVIDIA L40S": [48, 362, 864, 32, `${NVIDIA}l40s/`],
    "NVIDIA A100 40 GB": [40, 312, 1555, 300, `${NVIDIA}a100/`],
    "NVIDIA A100 80 GB": [80, 312, 2039, 300, `${NVIDIA}a100/`],
    "NVIDIA A800 80 GB": [80, 312, 2039, 200, "", "https://aiwiki.ai/wiki/nvidia_a800"],
    "NVIDIA H20": [96, 148, 4000, 450, "", "https://willitrunai.com/es/gpus/h20-96gb"],
    "NVIDIA H100": [80, 989.4, 3350, 450, "https://resources.nvidia.com/en-us-hopper-architecture/nvidia-tensor-core-gpu-datasheet"],
    "NVIDIA H200": [141, 989.4, 4800, 450, `${NVIDIA}h200/`],
    "NVIDIA B200": [180, 2250, 8000, 900, `${NVIDIA}dgx-b200/`, "https://brent-newsom-nvidia.github.io/AIPS-Boom/wiki/NVIDIA-DGX-B200",
                    "https://glennklockwood.com/garden/processors/B200"],
    "NVIDIA GeForce RTX 3090": [24, 71, 936, 32, "https://www.nvidia.com/content/PDF/nvidia-ampere-ga-102-gpu-architecture-whitepaper-v2.pdf",
                                QUOTED, "https://holynerdvana.blogspot.com/2022/10/nvidia-geforce-rtx-3090-specifications.html"],
    "NVIDIA GeForce RTX 4090": [24, 165.2, 1008, 32, `${WHITE_PAPERS}ada/nvidia-ada-gpu-architecture.pdf`,
                                QUOTED, "https://hmc-tech.com/gpus/nvidia-geforce-rtx-4090-vs-nvidia-rtx-pro-5000-blackwell"],
    "NVIDIA GeForce RTX 4090 D": [24, 147.1, 1008, 32, "", "https://hmc-tech.com/gpu/nvidia-geforce-rtx-4090-d"],
    "NVIDIA GeForce RTX 5090": [32, 209.5, 1792, 64, `${WHITE_PAPERS}blackwell/nvidia-rtx-blackwell-gpu-architecture.pdf`,
                                QUOTED, "https://www.spheron.network/blog/nvidia-rtx-5090-specs/"],
    "NVIDIA RTX PRO 6000 Blackwell": [96, 503.8, 1792, 64, "https://www.nvidia.com/en-us/products/workstations/professional-desktop-gpus/rtx-pro-6000/",
                                      "https://hmc-tech.com/gpu/nvidia-rtx-pro-6000-blackwell-vs-amd-radeon-pro-duo-polaris"],
    "AMD Instinct MI300X": [192, 1307, 5300, 448, `${AMD}mi300/mi300x.html`],
    "AMD Instinct MI325X": [256, 1307, 6000, 448, `${AMD}mi300/mi325x.html`],
    "AMD Instinct MI355X": [288, 2500, 8000, 537.6, `${AMD}mi350/mi355x.html`],
  };
  const OF_GPU = ["memory", "flops", "bandwidth", "link"], SPEED = [...OF_GPU.slice(1), "network"];
  const dataSheet = name => Object.fromEntries(OF_GPU.map((each, index) => [each, GPUS[name][index]]));
  const BEFORE_AMPERE = ["NVIDIA T4"];  // without a flash kernel, and without bf16
  const inBf16 = ({task, precision}) => task === "train" ? precision !== "fp32" : task !== "infer";
  const ALL_SIZES = ["vocabulary", "hidden", "intermediate", "layers", "heads"];
  const OF_DECODER = [...ALL_SIZES, "kv_heads", "head_size"], WINDOW = ["window", "windowed"];
  const MAY_BE_NONE = [...WINDOW, "shared", "dense", "q_rank", "kv_rank", "rope_size", "value_size"];
  const SIZES = {decoder: [...OF_DECODER, ...WINDOW], experts: [...OF_DECODER, "experts", "active", "expert_size", ...MAY_BE_NONE],
                 encoder: [...ALL_SIZES, "positions"], "encoder-decoder": [...ALL_SIZES, "decoder_layers", "head_size"]};
  const FLAGS = {decoder: ["tied", "qkv_bias", "qk_norm", "post_norms", "softcap"], encoder: [], "encoder-decoder": ["tied", "gated"],
                 experts: ["tied", "qkv_bias", "qk_norm", "biases", "all_experts"]};
  const IN_SHAPE = [...new Set(Object.values(SIZES).flat()), ...new Set(Object.values(FLAGS).flat())];
  const LENGTH = {units: {k: 1024, m: 1024 ** 2}};
  /* The first value, the choices; of a number what its units stand for, and the most it may be. */
  const FIELDS = {
    task: ["train", ["train", "lora", "qlora", "infer"]],
    model: ["Llama 3.1 8B", [...Object.keys(MODELS), "own"]],
    family: ["decoder", Object.keys(SIZES)],
    ...Object.fromEntries(SIZES.decoder.map(name => [name, MODELS["Llama 3.1 8B"][name]])),
    positions: [512, null, LENGTH], decoder_layers: [12], experts: [8], active: [2], expert_size: [14336],
    ...Object.fromEntries(MAY_BE_NONE.map(name => [name, 0])), window: [0, null, LENGTH],
    ...Object.fromEntries(Object.values(FLAGS).flat().map(name => [name, false])),
    rank: [16],
    precision: ["mixed", ["fp32", "mixed", "bf16"]],
    optimizer: ["adamw", ["adamw", "adamw-8bit", "adafactor", "sgd"]],
    checkpointing: [true], accumulation: [false],
    weight_bits: ["16", ["16", "8", "4"]], cache_bits: ["16", ["16", "8", "4"]],
    batch: [1], length: [2048, null, LENGTH], gpus: [1, null, {most: 1e5}],
    gpu: ["NVIDIA H100", [...Object.keys(GPUS), "own"]], ...Object.fromEntries(Object.entries(dataSheet("NVIDIA H100")).map(([name, value]) => [name, [value]])),
    tokens: [1, null, {units: {m: 1e-3, b: 1, t: 1e3}}], prompt: [1024, null, LENGTH], answer: [256, null, LENGTH], latency: [50], price: [2], network: [50],
  };
  for (const [name, field] of Object.entries(FIELDS)) if (!Array.isArray(field)) FIELDS[name] = [field];
  const TRAINED = ["optimizer", "checkpointing", "accumulation"];
  const ONLY = {
    decoder: {train: ["precision", ...TRAINED, "gpus"], lora: ["rank", ...TRAINED, "gpus"], qlora: ["rank", ...TRAINED],
              infer: ["weight_bits", "cache_bits", "gpus"]},
    experts: {train: ["precision", ...TRAINED, "gpus"], lora: ["rank", ...TRAINED], qlora: [], infer: ["weight_bits", "cache_bits", "gpus"]},
    encoder: {train: ["precision", ...TRAINED], lora: [], qlora: [], infer: []},
    "encoder-decoder": {train: ["precision", ...TRAINED], lora: [], qlora: [], infer: []},
  };
  const OF_TIME = {train: ["tokens", "price"], lora: ["tokens", "price"], qlora: ["tokens", "price"], infer: ["prompt", "answer", "latency", "price"]};
  const DECIMAL = ["memory", "flops", "bandwidth", "link", "network", "tokens", "latency", "price"];
  const PARTS = ["weights", "gradients", "optimizer", "activations", "cache", "workspace"];

  const make = (tag, properties = {}, ...children) => {
    const element = Object.assign(document.createElement(tag), properties);
    element.append(...children);
    return element;
  };

  /* All that the small one shows. */
  const FIRST = ["task", "model", "gpu"];
  const SPARE = 0.1;  // of a GPU, at least, for what is not counted

  function start(place, page = document, whole = null) {
    const rows = [...page.querySelectorAll("article td:first-child > code:only-child")];
    const words = Object.fromEntries(rows.map(code => [code.textContent, code.parentElement.nextElementSibling]));
    const say = (key, values = {}) =>
      (words[key]?.textContent ?? key).replace(/\} (?=GB|ms)/g, "}\u00a0").replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
    const language = document.documentElement.lang;
    const linked = (key, values) => {
      const textContent = say(key, values), link = words[key]?.nextElementSibling?.querySelector("a");
      return link ? make("a", {href: new URL(link.getAttribute("href"), whole ?? location), textContent}) : textContent;
    };
    const number = (value, digits = 0) =>
      value.toLocaleString(language, {minimumFractionDigits: digits, maximumFractionDigits: digits});
    const short = value => number(value, value % 1 ? 1 : 0);
    const gigabytes = bytes => bytes > 0 && bytes < 5e7 ? `< ${number(0.1, 1)}` : number(bytes / 1e9, 1);

    const labelOf = name => name in GPUS ? name.replace(/^(NVIDIA|AMD) (GeForce |Instinct )?| Blackwell$/g, "") + (/GB$/.test(name) ? "" : ` (${GPUS[name][0]} GB)`)
      : name in MODELS && !/\dB\b/.test(name) ? `${name} (${number(parametersOf(MODELS[name]) / 1e9, 1)}B)` : name;

    const controls = {}, notes = {};
    function field(name) {
      const [value, all] = FIELDS[name], id = `fit-${name}`;
      const choices = whole ? all?.filter(each => each !== "own") : all;  // the small one has no fields for one's own
      const control = choices ? make("select", {id}, ...choices.map(each =>
        make("option", {value: each, textContent: words[`${name}=${each}`] ? say(`${name}=${each}`) : labelOf(each)})))
        : make("input", typeof value === "boolean" ? {id, type: "checkbox", checked: value}
          : {id, type: "text", inputMode: "numeric", autocomplete: "off"});
      if (typeof value !== "boolean") control.value = value;
      controls[name] = control;
      notes[name] = make("span", {id: `${id}-note`, className: "fit__fault"});
      control.setAttribute("aria-describedby", notes[name].id);
      const label = make("label", {htmlFor: id, textContent: say(name)});
      const box = make("div", {className: `fit__field${typeof value === "boolean" ? " fit__field--box" : ""}`});
      box.dataset.field = name;
      box.append(...(typeof value === "boolean" ? [control, label] : [label, control]), notes[name]);
      return box;
    }

    const file = make("input", {type: "file", id: "fit-file", accept: ".json,application/json"});
    const pasted = make("textarea", {id: "fit-config", rows: 1, spellcheck: false, placeholder: '{"model_type": "llama", …'});
    const configNote = make("p", {className: "fit__fault", id: "fit-config-note", role: "status"});
    pasted.setAttribute("aria-describedby", configNote.id);
    const speed = make("details", {className: "fit__speed"}, make("summary", {textContent: say("speed")}),
      make("div", {className: "fit__grid"}, ...SPEED.map(field)), make("p", {className: "fit__when"}));
    const shape = make("details", {className: "fit__shape"}, make("summary", {textContent: say("shape")}),
      make("label", {className: "md-button", htmlFor: "fit-file", textContent: say("config-file")}), file, make("label", {htmlFor: "fit-config", textContent: say("config-text")}), pasted, configNote,
      make("div", {className: "fit__grid"}, ...["family", ...IN_SHAPE].map(field)));
    const form = make("form", {className: "fit__form", noValidate: true},
      make("div", {className: "fit__grid"}, ...FIRST.map(field)), shape,
      make("div", {className: "fit__grid"}, ...["precision", "rank", "optimizer", "weight_bits", "cache_bits", "batch", "length",
        "gpus", "memory", "tokens", "prompt", "answer", "latency", "price", "checkpointing", "accumulation"].map(field)), speed);
    const verdict = make("p", {className: "fit__verdict", role: "status"}), bar = make("div", {className: "fit__bar", role: "img"});
    const table = make("table", {className: "fit__parts"});
    const when = make("p", {className: "fit__when"}), kernel = make("p", {className: "fit__when fit__kernel"});
    const remedies = make("div", {id: "fit-remedies", className: "fit__remedies"}), time = make("div", {className: "fit__time"});
    remedies.hidden = true;
    const assumed = make("span", {className: "fit__assumed"});
    if (whole) {
      form.replaceChildren(form.firstChild);
      whole.previousSibling.replaceWith(assumed);
    }
    place.replaceChildren(form, make("div", {className: "fit__answer"}, make("div", {className: "fit__result"}, verdict, bar),
      ...(whole ? [table, when, remedies, whole.parentElement] : [remedies, table, when, kernel, time])));
    place.classList.add("fit--ready");

    const typed = name => controls[name].type === "checkbox" ? controls[name].checked : controls[name].value.trim();
    const fill = (name, value) => {
      if (controls[name].type === "checkbox") controls[name].checked = value === true || value === "1";
      else controls[name].value = value;
    };
    const fillShape = found => {
      fill("family", familyOf(found));
      for (const name of IN_SHAPE) if (name in found) fill(name, found[name]);
    };
    const inShape = () => [...SIZES[typed("family")], ...FLAGS[typed("family")]];
    const timed = () => ["decoder", "experts"].includes(typed("family")) && typeof hexaplaTime !== "undefined";
    const ofTask = () => [...ONLY[typed("family")][typed("task")], "batch", "length"];

    /* A length that the page chose, or for another model. */
    const shorten = () => {
      if (typed("family") === "encoder" && read("length")[0] > read("positions")[0]) fill("length", typed("positions"));
    };

    function readAddress() {
      const given = new URLSearchParams(whole ? "" : location.search);
      if (MODELS[given.get("model")]) fillShape(MODELS[given.get("model")]);
      for (const [name, value] of given) {
        if (!controls[name] || (given.get("model") !== "own" && ["family", ...IN_SHAPE].includes(name))) continue;
        const choices = FIELDS[name][1];
        if (!choices || choices.includes(value)) fill(name, value);
        else complain(name, "not-a-choice", {typed: value});
      }
      if (GPUS[typed("gpu")]) for (const [name, value] of Object.entries(dataSheet(typed("gpu")))) if (!given.has(name)) fill(name, value);
      if (!given.has("length")) shorten();
      shape.open = typed("model") === "own";
      return given.get("config");
    }

    function writeAddress() {
      const beside = new URLSearchParams(location.search).get("with");  // the language in the second column
      const state = new URLSearchParams(beside && !whole ? {with: beside} : {}), used = ["task", "model", ...ofTask(), "gpu"];
      if (typed("model") === "own") used.push("family", ...inShape());
      const sheet = GPUS[typed("gpu")] ? dataSheet(typed("gpu")) : {};
      used.push(...["memory", ...SPEED].filter(name => typed(name) !== String(sheet[name] ?? FIELDS[name][0])));
      if (timed()) used.push(...OF_TIME[typed("task")].filter(name => typed(name) !== String(FIELDS[name][0])));
      for (const name of used) {
        const value = typed(name);
        state.set(name, typeof value === "boolean" ? Number(value) : value);
      }
      if (whole) {
        whole.search = state;
        return;
      }
      history.replaceState(history.state, "", `?${state}${location.hash}`);
      for (const link of document.querySelectorAll(".md-select__link[hreflang]")) link.search = location.search;
      if (typed("model") === "own") state.set("kind", ownKind);
      else { state.delete("model"); state.set("kind", typed("model")); }
      for (const link of document.querySelectorAll('article p > a[href$="#lookup"]')) link.search = state;
    }

    function complain(name, key, values) {
      notes[name].textContent = key ? say(key, values) : "";
      controls[name].ariaInvalid = key ? "true" : null;
      notes[name].classList.toggle("fit__fault--none", !key);
      return Boolean(key);
    }

    /* What a number is, and the unit behind it. */
    function read(name) {
      const [, digits, unit] = /^(.*?)([a-z]?)$/.exec(typed(name).normalize("NFKC").replace(/[,\s_]/g, "").toLowerCase());
      return [digits ? digits * (unit ? FIELDS[name][2]?.units?.[unit] : 1) : NaN, unit];
    }
    function numbers(names) {
      const found = {};
      let wrong = complain("task");
      for (const name of names) {
        const [value, unit] = read(name), {most = 1e9} = FIELDS[name][2] ?? {};
        const least = MAY_BE_NONE.includes(name) ? 0 : 1;
        const whole = DECIMAL.includes(name) ? value > 0 : Number.isInteger(value) && value >= least;
        const key = !whole ? "not-a-number" : value > most ? "too-large-a-number" : "";
        wrong = complain(name, key, {typed: typed(name)}) || wrong;
        if (unit && !key) notes[name].textContent = `= ${value.toLocaleString(language)}`;
        found[name] = value;
      }
      const task = typed("task"), family = typed("family"), mixture = family === "experts";
      for (const [name, key, holds] of [
        ["kv_heads", "heads-differ", found.heads % found.kv_heads],
        ["gpus", "gpus-uneven", task === "infer" && found.heads % found.gpus],
        ["heads", "heads-uneven", family === "encoder" && found.hidden % found.heads],
        ["length", "too-long", found.length > found.positions],
        ["task", "no-training", task !== "infer" && (family === "decoder" && typed("softcap") || mixture && typed("all_experts"))],
        ["task", "no-adapters", ["lora", "qlora"].includes(task) && family !== "decoder"
          && !(mixture && task === "lora" && !found.kv_rank && !typed("biases"))],
      ]) if (holds && !wrong) wrong = complain(name, key, found);
      return wrong ? null : found;
    }

    function formula(part, {instant, held}, of, options) {
      const times = (...factors) => factors.map(each => typeof each === "number" ? number(each) : each).join(" × ");
      const tokens = options.batch * options.length, weight = options.precision === "bf16" ? 2 : 4;
      const ranks = options.gpus > 1 ? ` ÷ ${number(options.gpus)}` : "", size = options.rank ? 4 : weight;
      const trained = options.rank ? (held.weights * options.gpus - frozen(of, options.task === "qlora")) / 4
        : options.task === "train" ? Math.round(held.weights * options.gpus / weight) : parametersOf(of);
      const decoder = ["decoder", "experts"].includes(familyOf(of));
      if (part === "cache" && (of.windowed || of.kv_rank)) return "";
      if (part === "cache") {
        if (!decoder) return times(2, 2, of.decoder_layers, of.heads, of.head_size, tokens, "2 B");
        const ways = Math.min(options.gpus, of.kv_heads);
        return times(2, of.layers, of.kv_heads, of.head_size, tokens, `${options.cache_bits / 8} B`)
          + (ways > 1 ? ` ÷ ${number(ways)}` : "");
      }
      if (part === "weights") {
        if (options.rank) {
          if (options.task === "lora") {
            const both = `${times(parametersOf(of), "2 B")} + ${times(trained, "4 B")}`;
            return ranks ? `(${both})${ranks}` : both;
          }
          const inLinear = linearParameters(of), rest = parameters(of) - inLinear;
          const whole = [times(inLinear, `${number((held.weights - 4 * trained - 4 * rest) / inLinear, 3)} B`), times(rest, "4 B")];
          return [...whole, times(trained, "4 B")].join(" + ");
        }
        if (!decoder) return times(parametersOf(of), `${options.task === "train" ? weight : 2} B`);
        if (options.task === "train") return times(trained, `${weight} B`) + ranks;
        if (options.weight_bits !== 16) return "";
        return times(trained, "2 B") + ranks;
      }
      if (part === "gradients") {
        const whole = Math.abs(held.gradients * options.gpus - size * trained) < 1;
        return whole ? times(trained, `${size} B`) + ranks : "";
      }
      if (part === "optimizer" && options.optimizer === "adamw") return times(trained, `2 × ${size} B`) + ranks;
      if (part === "activations" && ["loss", "last norm", "output layer", "forward", "logits"].includes(instant)) {
        const perToken = Math.round(held.activations / tokens);
        return times(tokens, `${number(perToken)} B`);
      }
      if (part === "workspace" && instant === "loss" && options.gpus === 1) return times(decoder ? 12 : 3 * weight, tokens, of.vocabulary, "1 B");
      return "";
    }

    const bytesOf = (of, options) => sum(Object.values(estimate(of, options).held));

    function showNothing() {
      verdict.textContent = say("look-above");
      delete verdict.dataset.verdict;
      for (const each of [bar, table, when, kernel, remedies, time]) each.hidden = true;
    }

    function show() {
      const task = typed("task"), sizes = SIZES[typed("family")];
      const shown = new Set([...FIRST, "family", ...ofTask(), ...inShape(), "memory", ...SPEED, ...(timed() ? OF_TIME[task] : [])]);
      for (const name in controls) controls[name].closest(".fit__field").hidden = !shown.has(name);
      speed.hidden = !timed();
      writeAddress();
      const alone = controls.gpus.disabled = !shown.has("gpus");
      if (alone) controls.gpus.closest(".fit__field").hidden = !complain("gpus", typed("gpus") !== "1" && "one-gpu");
      const lacking = BEFORE_AMPERE.includes(typed("gpu")) && inBf16({task, precision: typed("precision")});
      if (lacking || notes.gpu.textContent === say("no-bf16")) complain("gpu", lacking && "no-bf16");
      const found = numbers([...sizes, "batch", "length", "memory", ...["gpus", "rank"].filter(name => shown.has(name))]);
      if (!found) {
        if (sizes.some(name => controls[name].ariaInvalid)) shape.open = true;
        showNothing();
        return;
      }
      const of = {...Object.fromEntries(sizes.map(name => [name, found[name]])),
                  ...Object.fromEntries(FLAGS[typed("family")].map(name => [name, typed(name)]))};
      const options = {task, batch: found.batch, length: found.length, gpus: found.gpus ?? 1, rank: found.rank, precision: typed("precision"),
                       optimizer: typed("optimizer"), checkpointing: typed("checkpointing"),
                       accumulation: typed("accumulation"), weight_bits: Number(typed("weight_bits")),
                       cache_bits: Number(typed("cache_bits")), flash: !BEFORE_AMPERE.includes(typed("gpu"))};
      const answer = estimate(of, options), {held} = answer, parts = PARTS.filter(part => part in held);
      const needed = sum(parts.map(part => held[part])), memory = found.memory * 1e9;
      const values = {needed: gigabytes(needed), memory: short(found.memory),
                      weights: gigabytes(held.weights), left: gigabytes(memory - needed), over: gigabytes(needed - memory)};
      const key = needed > memory ? held.weights > memory ? "weights-too-large" : "does-not-fit"
        : memory - needed < SPARE * memory ? "tight" : "fits";
      verdict.textContent = say(key, values);
      verdict.dataset.verdict = key;
      for (const each of [bar, table, when]) each.hidden = false;

      const end = Math.max(needed, memory), title = part => `${say(`part=${part}`)} ${gigabytes(held[part])} GB`;
      bar.ariaLabel = `${parts.map(title).join(", ")}; ${say("memory")} ${values.memory} GB`;
      bar.replaceChildren(...parts.map(part => {
        const piece = make("span", {className: `fit__piece fit__piece--${part}`, title: title(part)});
        piece.style.width = `${100 * held[part] / end}%`;
        return piece;
      }), make("span", {className: "fit__line"}, make("span", {textContent: `${values.memory} GB`})));
      bar.style.setProperty("--fit-mark", `${100 * memory / end}%`);

      const row = part => make("tr", {}, make("th", {scope: "row"}, make("span", {className: `fit__key fit__piece--${part}`}), linked(`part=${part}`)),
        make("td", {textContent: `${gigabytes(held[part])} GB`}),
        make("td", {className: "fit__formula", textContent: formula(part, answer, of, options).replace(/ (?=[B\d])/g, "\u00a0")}));
      table.replaceChildren(make("tbody", {}, ...parts.map(row)),
        make("tfoot", {}, make("tr", {}, make("th", {scope: "row", textContent: say("sum")}),
          make("td", {textContent: `${values.needed} GB`}))));
      when.textContent = say(`peak=${answer.instant}`);

      const without = bytesOf(of, {...options, flash: false});
      kernel.hidden = typed("gpu") !== "own" || without <= needed;
      kernel.textContent = say("kernel", {needed: gigabytes(without)});
      const late = showTime(of, options, memory, needed <= memory);
      if (late && needed <= memory) {
        verdict.textContent = say("too-slow", {...values, ...late});
        verdict.dataset.verdict = "too-slow";
        remedies.hidden = true;
      } else if (needed > memory) {
        const changes = makeRemedies(of, options, memory), logits = 12 * found.batch * found.length * of.vocabulary;
        const chunked = task !== "infer" && logits > needed / 5 && bytesOf(of, {...options, chunked: true}) <= (1 - SPARE) * memory;
        const part = parts.reduce((most, each) => held[each] > held[most] ? each : most);
        showRemedies("remedies", changes, chunked ? linked("chunked", {logits: gigabytes(logits)})
          : changes.length || key === "weights-too-large" ? "" : say("no-remedy", {part: say(`part=${part}`), needed: gigabytes(held[part])}));
      } else showRemedies("smaller", smallerGpus(of, options, memory));
      if (whole) showAssumed();
      else if (!remedies.hidden) verdict.replaceChildren(make("a", {href: `#${remedies.id}`, textContent: verdict.textContent}));
    }

    function showAssumed() {
      const items = ofTask().map(name => [name, typed(name)]).filter(([, value]) => value).map(([name, value]) => {
        if (String(value) === String(FIELDS[name][0])) return make("span", {textContent: brief([name, value])});
        const button = make("button", {type: "button", textContent: `${named([name, value])} ✕`});
        button.addEventListener("click", () => { fill(name, FIELDS[name][0]); show(); });
        return button;
      });
      assumed.replaceChildren(...items);
    }

    /* Returns what is too slow for one sequence. */
    function showTime(of, options, memory, fits) {
      time.hidden = !timed();
      if (time.hidden) { time.replaceChildren(); return; }
      const named = [...OF_TIME[options.task], ...SPEED], typedNow = numbers(named);
      if (typedNow?.prompt + typedNow?.answer > options.length) complain("prompt", "over-length", {length: number(options.length)});
      const [sheet] = speed.querySelectorAll("p"), [source, ...read] = GPUS[typed("gpu")]?.slice(OF_GPU.length) ?? [];
      sheet.replaceChildren(...(source ? [make("a", {href: source, textContent: say("source")}), " "] : []), ...(read.length ? [say("read-elsewhere")] : []),
        ...read.flatMap(each => [" ", make("a", {href: each, textContent: new URL(each).hostname})]));
      if (!typedNow) {
        if (SPEED.some(name => notes[name].textContent)) speed.open = true;
        time.replaceChildren(make("p", {className: "fit__when", textContent: say("look-above")}));
        return;
      }
      const {tokens, prompt, answer, latency, price, flops, bandwidth, link, network} = typedNow, {batch, length, gpus} = options;
      const model = hexaplaTime.modelOf(of, hexaplaFit);
      const device = {flops: flops * 1e12, bandwidth: bandwidth * 1e9, link: hexaplaTime.ring(gpus, link, network) * 1e9};
      if (options.task === "lora") device.link *= 2;  // without gradients of the weights, FSDP sends half as much
      const rows = options.task === "infer" ? timeOfInference(of, model, device, {...options, prompt, answer, latency, price, memory})
        : timeOfTraining(model, device, {gpu: typed("gpu"), batch, length, gpus, tokens: tokens * 1e9, price, task: options.task, checkpointing: options.checkpointing});
      const cells = ([name, law, band, shown]) => make("tr", {}, make("th", {scope: "row", textContent: say(name, {latency: short(latency ?? 0)})}),
        make("td", {textContent: shown(law)}), make("td", {textContent: range(...band.map(shown))}));
      time.replaceChildren(make("table", {className: "fit__parts"},
        make("thead", {}, make("tr", {}, ...[fits ? "time" : "time-once", "by-law", "in-practice"].map(key => make("th", {scope: "col", textContent: say(key)})))), make("tbody", {}, ...rows.map(cells))),
      make("p", {className: "fit__when", textContent: say("band")}),
      ...(gpus > 8 ? [make("p", {className: "fit__when", textContent: say("machines", {network: short(network)})})] : []));
      return rows.alone > latency / 1000 ? {time: inTime(rows.alone), latency: short(latency)} : null;
    }
    const within = (of, band) => [of(1), band.map(of).sort((one, other) => one - other)];
    const rounded = value => value < 1e6 ? number(value, value < 10 ? 2 : value < 100 ? 1 : 0)
      : value.toLocaleString(language, {notation: "compact", maximumSignificantDigits: 3});
    const range = (low, high) => low === high ? low : `${low.replace(/ \D+$/, unit => high.endsWith(unit) ? "" : unit)}–${high}`;
    const inTime = seconds => seconds >= 1 ? `${rounded(seconds)} s` : `${rounded(1000 * seconds)} ms`;

    function timeOfTraining(model, device, {gpu, batch, length, gpus, tokens, price, task, checkpointing}) {
      const passes = (task === "train" ? 3 : 2) + (checkpointing ? 1 : 0), band = hexaplaTime.trainingBand(gpu);
      const step = share => hexaplaTime.trainingStep(model, device, {batch, length, passes, gpus, share});
      const rate = share => batch * length * gpus / step(share), days = share => tokens / rate(share) / 86400;
      const cost = share => 24 * days(share) * gpus * price;
      return [["step-time", step, inTime], ["tokens-per-second", rate, rounded], ["days", days, rounded], ["cost", cost, rounded]]
        .map(([name, of, shown]) => [name, ...within(of, band), shown]);
    }
    function timeOfInference(of, model, device, options) {
      const {batch, length, gpus, latency, price, memory} = options, {BANDS, token, firstToken, largestBatch} = hexaplaTime;
      const all = {...options, context: length, weight: options.weight_bits / 8, cache: options.cache_bits / 8};
      /* What decoding and reading prompts reach. */
      const band = BANDS.decode[options.weight_bits].map((share, which) => [share, BANDS.first[which]]);
      const shares = given => given === 1 ? [1, 1] : given;
      const first = given => firstToken(model, device, {...all, share: shares(given)[1]});
      const each = given => token(model, device, {...all, shares: shares(given)});
      const rate = given => batch / each(given), cost = given => 1e6 / rate(given) / 3600 * gpus * price;
      const held = estimate(of, {...options, batch: 1}).held, room = memory - held.weights - held.workspace;
      const most = Math.max(0, Math.floor(room / held.cache)), whole = value => number(Math.floor(value));
      const at = given => largestBatch(latency / 1000, most, model, device, {...all, shares: shares(given)});
      const alone = given => token(model, device, {...all, batch: 1, shares: shares(given)});
      const rows = [["first-token", first, inTime], ["per-token", each, inTime], ["throughput", rate, rounded], ["at-latency", at, whole],
              ["room", () => most, whole], ["cost-per-million", cost, rounded]]
        .map(([name, of, shown]) => [name, ...within(of, band), shown]);
      return Object.assign(rows, {alone: within(alone, band)[1][0]});
    }

    /* What makes it fit, each alone, the cheapest first; else the first two that do together. */
    function makeRemedies(of, options, memory) {
      const fields = {...options, weight_bits: String(options.weight_bits), cache_bits: String(options.cache_bits)};
      const halves = name => options[name] > 1 ? [[name, Math.floor(options[name] / 2)], [name, 1]] : [];
      const changes = [["checkpointing", true], ["optimizer", "adamw-8bit"], ["precision", "bf16"], ["optimizer", "adafactor"],
        ["cache_bits", "8"], ["weight_bits", "8"], ["weight_bits", "4"], ["cache_bits", "4"], ...halves("batch"), ["task", "lora"],
        ["task", "qlora"], ["length", Math.floor(options.length / 2)], ...[2, 4, 8, 16, 32].map(each => ["gpus", each])];
      const known = [...ofTask(), ...(familyOf(of) === "decoder" && options.task !== "infer" ? ["task"] : [])];
      const may = changes.filter(([name, value]) => known.includes(name) && value !== fields[name]
        && !(name === "gpus" && (value <= options.gpus || options.task === "infer" && of.heads % value)));
      const helps = (...both) => bytesOf(of, {...options, rank: options.rank ?? FIELDS.rank[0],
        ...Object.fromEntries(both.map(([name, value]) => [name, Number(value) || value]))}) <= memory;
      const seen = new Set();
      const alone = may.filter(each => helps(each)).filter(([name]) => name === "task" || name === "optimizer" || !seen.has(name) && seen.add(name)).slice(0, 5);
      if (alone.length) return alone.map(each => [each]);
      for (const [index, one] of may.entries()) {
        const other = may.slice(0, index).find(([name, value]) => name !== one[0] && !(name === "optimizer" && one[0] === "gpus") && helps([name, value], one));
        if (other) return [[other, one]];
      }
      return [];
    }

    function smallerGpus(of, options, memory) {
      const room = name => GPUS[name][0] * 1e9, holds = name => bytesOf(of, {...options, flash: !BEFORE_AMPERE.includes(name)}) <= (1 - SPARE) * room(name);
      return Object.keys(GPUS).filter(name => room(name) < memory && !(inBf16(options) && BEFORE_AMPERE.includes(name)) && holds(name)).sort((one, other) => room(one) - room(other))
        .slice(0, 3).map(name => [["gpu", name]]);
    }

    const colon = /^(zh|ja)/.test(language) ? "：" : ": ";
    const named = ([name, value]) => `${say(name)}${colon}${value === true ? "✓" : words[`${name}=${value}`] ? say(`${name}=${value}`) : number(Number(value))}`;
    /* Without brackets, a check mark, and a name that its value tells. */
    const brief = change => named(change).replace(/\s?[(（].*[)）]|[:：] ?✓|^[^:：(（]+[:：] ?(?=[^\d✓ ])/g, "");
    function showRemedies(head, changes, more = "") {
      remedies.hidden = !changes.length && !more;
      const line = text => text ? [make("p", {}, text)] : [];
      remedies.replaceChildren(...line(changes.length ? say(head) : ""), ...changes.map(both => {
        const button = make("button", {type: "button", textContent: both.map(([name, value]) => name === "gpu" ? labelOf(value) : named([name, value])).join(" + ")});
        button.addEventListener("click", () => {
          for (const change of both) { fill(...change); settle(change[0]); }
          verdict.scrollIntoView({block: "nearest"});
        });
        return button;
      }), ...line(more));
    }

    /* Name and kind of the configuration that the shape is of. */
    let ownKind = "";
    const nameOwn = (name, kind) => {
      ownKind = kind;
      for (const own of controls.model.querySelectorAll("[value=own]")) own.textContent = (name && `${name} · `) + say("model=own");
    };
    function take(text, name) {
      configNote.textContent = "";
      pasted.ariaInvalid = null;
      try {
        fillShape(shapeOf(text));
        fill("model", "own");
        shorten();
        complain("model");
        const {model_type: type, text_config: inner, _name_or_path: path} = JSON.parse(text);
        nameOwn(name !== "config.json" && name || path || type, type);
        configNote.textContent = say(inner && LANGUAGE_MODEL_IN.includes(type) ? "config-read-text" : "config-read");
      } catch (error) {
        if (!error.key) throw error;
        configNote.textContent = say(error.key, error.values);
        pasted.ariaInvalid = "true";
      }
      configNote.classList.toggle("fit__fault--none", !pasted.ariaInvalid);
      if (pasted.ariaInvalid) { shape.open = true; showNothing(); }
      else show();
    }
    const takeFile = async chosen => {
      if (!chosen) return;
      pasted.value = chosen.size > 1e6 ? "" : await chosen.text();
      take(chosen.size > 1e6 ? "[]" : pasted.value, chosen.name);
    };

    function settle(name) {
      place.classList.add("fit--used");
      const ofShape = name === "family" || IN_SHAPE.includes(name);
      if (ofShape || name === "model") nameOwn("", "");
      if (name === "model") {
        const chosen = MODELS[typed("model")];
        if (chosen) fillShape(chosen);
        else shape.open = true;
        shorten();
      }
      if (name === "family") shorten();
      if (ofShape) fill("model", "own");
      if (name === "gpu" && GPUS[typed("gpu")]) for (const each of Object.entries(dataSheet(typed("gpu")))) fill(...each);
      complain(name);
      show();
    }

    form.addEventListener("submit", event => event.preventDefault());
    form.addEventListener("input", event => {
      const name = event.target.id.replace("fit-", "");
      if (name === "config") { if (pasted.value.trim()) take(pasted.value); return; }
      if (!controls[name]) return;
      settle(name);
    });
    file.addEventListener("change", () => takeFile(file.files[0]));
    place.addEventListener("dragover", event => event.preventDefault());
    place.addEventListener("drop", event => { event.preventDefault(); takeFile(event.dataTransfer.files[0]); });

    const lookedUp = readAddress();
    show();
    /* No other model is shown for the one that was asked for. */
    if (notes.model.textContent) { shape.open = true; showNothing(); }
    let kept = "";
    try { kept = lookedUp && sessionStorage.getItem("hexapla config"); } catch { /* a reader who keeps nothing */ }
    if (kept) take(kept, lookedUp);
  }

  const place = document.querySelector(".fit");
  const whole = place?.querySelector(".fit__whole");
  /* Only when it is nearly seen: its words are in a larger page. */
  if (whole) new IntersectionObserver(([seen], watcher) => {
    if (!seen.isIntersecting) return;
    watcher.disconnect();
    fetch(whole.href).then(answer => answer.ok ? answer.text() : Promise.reject(answer))
      .then(text => start(place, new DOMParser().parseFromString(text, "text/html"), whole)).catch(() => {});
  }, {rootMargin: "900px"}).observe(place);
  else if (place) start(place);
}
