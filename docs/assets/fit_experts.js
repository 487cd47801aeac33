/* The formulas of snippets/memory/estimate_experts.py. */
const hexaplaFitExperts = ({sum, area, tables, statesOf, largest, isFused, activationsOfEnd, cachedTokens, rotating, trainingOf, adapted}) => {
  function widths(shape) {
    const query = shape.heads * shape.head_size;
    if (shape.kv_rank) return {query, key: query, value: shape.heads * shape.value_size};
    const key = shape.kv_heads * shape.head_size;
    return {query, key, value: key};
  }
  function attention(shape) {
    const {query, key, value} = widths(shape), {hidden, q_rank, kv_rank, rope_size} = shape;
    if (!kv_rank) return [[query, hidden], [key, hidden], [key, hidden], [hidden, query]];
    return [...(q_rank ? [[q_rank, hidden], [query, q_rank]] : [[query, hidden]]), [kv_rank + rope_size, hidden],
            [shape.heads * (shape.head_size - rope_size) + value, kv_rank], [hidden, value]];
  }
  function vectors(shape) {
    const {query, key} = widths(shape), {hidden} = shape, norms = [hidden, hidden];
    if (shape.kv_rank) return [...norms, shape.kv_rank, ...(shape.q_rank ? [shape.q_rank] : [])];
    if (shape.qk_norm) norms.push(shape.head_size, shape.head_size);
    if (shape.biases) return [...norms, query, key, key, hidden, shape.heads];
    return shape.qkv_bias ? [...norms, query, key, key] : norms;
  }
  const stacks = ({experts, expert_size, hidden}) => [[experts * 2 * expert_size, hidden], [experts * hidden, expert_size]];
  function mlp(shape, dense) {
    const {hidden} = shape, size = dense ? shape.intermediate : shape.shared;
    return [...(dense ? [] : [[shape.experts, hidden]]), ...(size ? [[size, hidden], [size, hidden], [hidden, size]] : [])];
  }
  const expertBiases = ({biases, experts, expert_size, hidden}) => biases ? [experts, experts * 2 * expert_size, experts * hidden] : [];
  const asColumns = numbers => numbers.map(number => [number, 1]);
  const layer = (shape, dense) => [...attention(shape), ...asColumns(vectors(shape)), ...mlp(shape, dense),
                                   ...(dense ? [] : [...stacks(shape), ...asColumns(expertBiases(shape))])];
  const overLayers = (shape, number) => shape.dense * number(true) + (shape.layers - shape.dense) * number(false);
  const parameters = shape => overLayers(shape, dense => area(layer(shape, dense))) + area(tables(shape)) + shape.hidden;

  function keptByAttention(shape, precision, length, fast) {
    const {query, key, value} = widths(shape), {hidden, heads} = shape, size = precision === "fp32" ? 4 : 2;
    if (shape.kv_rank) {
      const perRank = precision === "fp32" ? 12 : 8, plain = query - heads * shape.rope_size;
      return {fp32: 24, bf16: 16, mixed: 20}[precision] * hidden + 16 + perRank * (shape.q_rank + shape.kv_rank) + 4 * heads
        + size * (2 * query + plain + 2 * value);
    }
    if (shape.biases) {
      const scores = {fp32: 4, bf16: 2, mixed: 6}[precision] * length + {fp32: 4, bf16: 2, mixed: 4}[precision] + 8;
      return {fp32: 24, bf16: 20, mixed: 18}[precision] * hidden + 8 + size * 4 * query + heads * scores;
    }
    const perHidden = {fp32: 24, bf16: 16, mixed: 22}[precision];
    let kept = perHidden * shape.hidden + 8;
    kept += fast ? size * (2 * query + 2 * key) + 4 * shape.heads : size * query + 4 * (3 * query + shape.heads * length);
    if (shape.qk_norm) kept += {fp32: 8, bf16: 6, mixed: 6}[precision] * (query + key) + 4 * (shape.heads + shape.kv_heads);
    return kept;
  }
  function keptByMlp(shape, precision, dense) {
    const size = precision === "fp32" ? 4 : 2, mixed = precision === "mixed" ? 2 * shape.hidden : 0;
    if (dense) return size * 4 * shape.intermediate + 2 * mixed;
    const pair = (precision === "bf16" ? 2 : 4) * (2 * shape.hidden + (shape.biases ? 7 : 4) * shape.expert_size) + 40;
    const exact = shape.kv_rank && precision === "bf16" ? 4 * shape.hidden : 0;
    return shape.active * pair + (shape.biases ? 0 : 4 * shape.experts) + exact + mixed + (shape.shared ? size * 4 * shape.shared + 2 * mixed : 0);
  }

  const activationsOf = (shape, precision, length, fast, dense) =>
    keptByAttention(shape, precision, length, fast) + keptByMlp(shape, precision, dense);
  function copiesOf(shape, precision, dense) {
    if (precision === "mixed") return 2 * area([...attention(shape), ...mlp(shape, dense)]);
    return shape.kv_rank && precision === "bf16" && !dense ? 4 * shape.experts * shape.hidden : 0;
  }

  function backwardOf(shape, tokens, length, precision, fast, dense) {
    const {hidden, shared, biases, expert_size: inner} = shape, {query, key} = widths(shape), mixed = precision === "mixed";
    const weight = precision === "bf16" ? 2 : 4, size = precision === "fp32" ? 4 : 2, stream = tokens * hidden * weight;
    let rotation = {fp32: 8 * (query + key), bf16: 4 * (query + key), mixed: 10 * query}[precision];
    if (shape.qk_norm) rotation = Math.max(rotation, 11 * query - 4 * key);
    const ofMatrix = biases && !mixed ? size : 4;
    if (!fast) rotation = Math.max(rotation, 2 * ofMatrix * shape.heads * length - size * query);
    const belowMlp = Math.max(20 * tokens * hidden, tokens * rotation + stream);
    const ofMlp = tokens * keptByMlp(shape, precision, dense);
    if (dense) {
      const down = hidden * shape.intermediate, copy = mixed ? 2 * down : 0;
      return [[down, copy, tokens * 2 * size * shape.intermediate + stream], [3 * down, ofMlp + 2 * copy, belowMlp]];
    }
    const first = 3 * hidden * shared, freed = tokens * size * 4 * shared, streams = shared ? 2 * stream : stream;
    const [up, down] = stacks(shape).map(([rows, columns]) => rows * columns), pairs = tokens * shape.active;
    const exact = shape.qk_norm || biases ? weight : 4;
    const weighing = Math.max((3 * exact + (exact > weight ? weight : 0)) * hidden, biases ? 4 * weight * inner : 0);
    const kept = (biases ? 7 : 4) * inner + hidden, gate = weight * Math.max(inner, 2 * inner - hidden);
    return [
      ...(shared ? [[hidden * shared, 0, tokens * 2 * size * shared + stream]] : []),
      [first, freed, pairs * weighing + streams],
      [first + down, freed, pairs * gate + streams],
      [first + down + up, freed + pairs * weight * kept, pairs * weight * (hidden + 2 * inner) + streams],
      [first + down + up, ofMlp, belowMlp],
    ];
  }

  function instants(shape, {batch, length, precision, checkpointing, accumulation, chunked}, fast) {
    const {hidden, vocabulary} = shape, tokens = batch * length, mixed = precision === "mixed";
    const weight = precision === "bf16" ? 2 : 4, size = precision === "fp32" ? 4 : 2, table = vocabulary * hidden;
    const copies = dense => copiesOf(shape, precision, dense);
    const ofLayer = dense => tokens * activationsOf(shape, precision, length, fast, dense) + copies(dense);
    const stream = tokens * hidden * (precision === "bf16" ? 2 : 4);
    const kept = checkpointing ? shape.layers * stream : overLayers(shape, ofLayer);
    const end = tokens * activationsOfEnd(shape, precision), logits = chunked ? 0 : tokens * vocabulary, gradient = weight * parameters(shape);
    const head = shape.tied ? 0 : weight * table, shared = shape.tied ? weight * table : 0, headCopy = mixed ? 2 * table : 0;
    const output = mixed ? Math.max(2 * table, size * logits) : size * logits;

    const {key} = widths(shape), recomputed = checkpointing ? ofLayer(false) - (precision === "bf16" ? 0 : stream) : 0;
    const made = accumulation ? 0 : weight;
    function inside(gradients, activations, dense) {
      const stages = backwardOf(shape, tokens, length, precision, fast, dense);
      if (accumulation && !dense) {
        const [, freed, work] = stages.at(-2);
        stages.push([0, freed, work + weight * area(stacks(shape).slice(0, 1))]);
      }
      return largest(stages.map(([own, freed, work]) => [gradients + made * own, activations - freed, work + shared]));
    }
    const first = shape.dense > 0, below = gradient - weight * (table + area(layer(shape, first)));
    const found = {
      "loss": [0, kept + end + headCopy, 12 * logits],
      "output layer": [head, kept + end, output + shared],
      "last norm": [head, kept, 24 * tokens * hidden + shared],
      "last layer": inside(head, kept + recomputed, false),
      "first layer": inside(below, ofLayer(first), first),
      "embedding": [gradient, 0, stream + 2 * shared],
      "optimizer": [gradient, 0, 0],
    };
    if (mixed) {
      const more = checkpointing || !fast || shape.kv_rank ? overLayers(shape, copies) : 8 * key * tokens * shape.layers;
      found.forward = [0, kept + more + end + headCopy, 10 * logits];
    }
    return found;
  }

  function optimizerBytes(shape, optimizer, size) {
    const state = statesOf(optimizer, size), table = tables(shape).slice(0, 1);
    const more = dense => optimizer === "adafactor" && !dense ? 4 * (shape.experts - 1) * (shape.hidden + shape.expert_size) : 0;
    return overLayers(shape, dense => state(layer(shape, dense)) + more(dense)) + state([...tables(shape), [shape.hidden, 1]])
      + (optimizer === "adamw-8bit" ? 8 * area(table) - state(table) : 0);
  }
  const padded = (shape, gpus) => ({...shape, experts: Math.ceil(shape.experts / gpus) * gpus});
  function layersOf(shape, {batch, length, checkpointing, gpus}, precision, fast) {
    const tokens = batch * length, stream = tokens * shape.hidden * (precision === "bf16" ? 2 : 4);
    const each = dense => {
      const held = tokens * activationsOf(shape, precision, length, fast, dense) + copiesOf(shape, precision, dense);
      return [area(layer(padded(shape, gpus), dense)), area(layer(shape, dense)), checkpointing ? stream : held, held,
              backwardOf(shape, tokens, length, precision, fast, dense)];
    };
    return [...Array(shape.dense).fill(each(true)), ...Array(shape.layers - shape.dense).fill(each(false))];
  }
  const training = (shape, options) => trainingOf(shape, padded(shape, options.gpus ?? 1), options,
    isFused(shape, options.precision, options.flash ?? true) && !shape.biases, {
      instants, layersOf, parameters, optimizerBytes,
      updated: floats => [floats * shape.experts * 2 * shape.expert_size * shape.hidden,
        ...[...attention(shape), ...mlp(shape, shape.dense > 0)].map(([rows, columns]) => (floats + 1) * rows * columns)]});

  const adapter = (shape, rank) => attention(shape).flatMap(([rows, columns]) => [[rank, columns], [rows, rank]]);
  function keptByAdapted(shape, rank, length, fast, dense) {
    const {query, key} = widths(shape), {hidden, heads} = shape;
    let kept = 2 * (4 * hidden + 4) + 2 * (3 * hidden + query) + 8 * rank;
    kept += fast ? 2 * (2 * query + 2 * key) + 4 * heads : 2 * query + 4 * (3 * query + heads * length);
    if (shape.qk_norm) kept += 4 * (query + key + heads + shape.kv_heads);
    if (dense) return kept + 6 * shape.intermediate;
    return kept + shape.active * (2 * hidden + 6 * shape.expert_size + 40) + 4 * shape.experts;
  }
  function instantsOfAdapters(shape, {batch, length, rank, checkpointing, chunked}, fast) {
    const {hidden, expert_size: inner, layers} = shape, tokens = batch * length, pairs = tokens * shape.active;
    const logits = chunked ? 0 : tokens * shape.vocabulary, adapters = area(adapter(shape, rank)), stream = 2 * tokens * hidden;
    const ofLayer = dense => tokens * keptByAdapted(shape, rank, length, fast, dense) + 2 * adapters;
    const exact = shape.qk_norm ? 2 : 4, cast = exact === 4 ? 2 : 0, said = (2 + exact) * hidden;
    const gate = 2 * Math.max(inner, 3 * inner - hidden), inExperts = 2 * hidden + 2 * inner;
    const backward = pairs * Math.max((3 * exact + cast) * hidden, gate) + stream;
    let kept, forward, again = 0, copies = 0;
    if (checkpointing) {
      forward = pairs * ((shape.active > 1 ? exact * hidden : 0) + Math.max(inExperts, said)) + 3 * stream;
      kept = layers * stream;
      again = ofLayer(false);
      copies = 2 * layers * adapters;
    } else {
      const added = pairs * said + tokens * (exact + cast) * hidden;
      forward = Math.max(pairs * Math.max(inExperts, said + exact * hidden), added) + 4 * stream;
      kept = overLayers(shape, ofLayer) - 4 * tokens * hidden;
    }
    const end = tokens * (4 * hidden + 4), gradient = 4 * layers * adapters;
    const first = shape.dense ? tokens * (4 * shape.intermediate + 8 * hidden) : Math.max(backward, checkpointing ? forward : 0);
    return {
      "loss": [0, kept + end, 12 * logits],
      "logits": [0, kept + end + copies, 10 * logits],
      "last norm": [0, kept, 24 * tokens * hidden],
      "layer forward": [0, kept + again, forward],
      "last layer": [0, kept + again, backward],
      "first layer": [gradient - 4 * adapters, ofLayer(shape.dense > 0), first],
      "optimizer": [gradient, 0, 0],
    };
  }
  const trainingOfAdapters = (shape, options) => adapted(shape, options,
    instantsOfAdapters(shape, options, isFused(shape, "bf16", options.flash ?? true)), adapter(shape, options.rank), 2 * parameters(shape));

  const cached = shape => shape.kv_rank ? shape.kv_rank + shape.rope_size : 2 * widths(shape).key;
  function workspaceOf(shape, length, cacheBits, fast) {
    const {hidden, biases, shared, expert_size: size} = shape, {query, key, value} = widths(shape);
    let inAttention = rotating(shape, query, key, cacheBits), masks = 0;
    if (shape.kv_rank) inAttention = 6 * query + 2 * key + 4 * value + 2 * hidden;
    if (!fast && biases) {
      const matrix = shape.heads * (length + 1);
      inAttention = 2 * query + 4 * length + 6 * matrix + (shape.kv_heads < shape.heads ? 4 * query : 0);
      masks = 4 * length + 2 * matrix;
    } else if (!fast) inAttention = 16 * query + 12 * shape.heads * length;
    const exact = shape.qk_norm || biases ? 2 : 4, said = 4 * hidden + (biases ? 2 * hidden : 0);
    const pairs = shape.all_experts ? shape.experts : shape.active, pair = 2 * hidden + (biases ? 18 : 8) * size;
    const summed = pairs * (said + exact * hidden) + exact * hidden + (exact === 2 ? 0 : 2 * hidden);
    let inMlp = Math.max(pairs * Math.max(pair, said + 2 * exact * hidden), summed) + pairs * 64 + 8 * hidden + masks;
    if (shared) inMlp = Math.max(inMlp, 6 * shared + 10 * hidden);
    if (shape.dense) {
      const uncached = (shape.layers - shape.dense) * cached(shape) * cacheBits / 8;
      inMlp = Math.max(inMlp, 6 * shape.intermediate + (shape.dense > 1 ? 8 : 6) * hidden - uncached);
    }
    return Math.max(inAttention + 6 * hidden, inMlp, 18 * hidden);
  }
  function inference(shape, {batch, length, weight_bits, cache_bits, gpus = 1, flash = true}) {
    const tokens = batch * length, bytesEach = {16: 2, 8: 1, 4: 1 / 2 + 4 / 64}[weight_bits];
    const inLayer = dense => {
      const plain = sum(vectors(shape)) + (dense ? 0 : shape.experts * shape.hidden + sum(expertBiases(shape)));
      return bytesEach * (area(layer(shape, dense)) - plain) + 2 * plain;
    };
    const fast = shape.biases ? flash : isFused(shape, "bf16", flash);
    const held = {
      weights: (overLayers(shape, inLayer) + 2 * (area(tables(shape)) + shape.hidden)) / gpus,
      cache: batch * cachedTokens(shape, length) * cached(shape) * cache_bits / 8 / (shape.kv_rank ? 1 : Math.min(gpus, shape.kv_heads)),
      workspace: Math.max(tokens * workspaceOf(shape, length, cache_bits, fast) + 4 * length * (shape.rope_size || shape.head_size)
                          + 8 * tokens, 4 * batch * shape.vocabulary),
    };
    return {instant: "prompt", held};
  }

  const named = (vocabulary, hidden, intermediate, layers, heads, kv_heads, head_size, experts, active, expert_size, more = {}) =>
    ({vocabulary, hidden, intermediate, layers, heads, kv_heads, head_size, experts, active, expert_size, shared: 0, dense: 0,
      q_rank: 0, kv_rank: 0, rope_size: 0, value_size: 0, tied: false, qkv_bias: false, qk_norm: false, biases: false, all_experts: false, window: 0, windowed: 0, ...more});
  const MODELS = {
    "Mixtral 8x7B": named(32000, 4096, 14336, 32, 32, 8, 128, 8, 2, 14336),
    "Qwen3 30B-A3B": named(151936, 2048, 6144, 48, 32, 4, 128, 128, 8, 768, {qk_norm: true}),
    "Qwen3 235B-A22B": named(151936, 4096, 12288, 94, 64, 4, 128, 128, 8, 1536, {qk_norm: true}),
    "DeepSeek V3": named(129280, 7168, 18432, 61, 128, 128, 192, 256, 8, 2048,
                         {shared: 2048, dense: 3, q_rank: 1536, kv_rank: 512, rope_size: 64, value_size: 128}),
    "gpt-oss 20B": named(201088, 2880, 2880, 24, 64, 8, 64, 32, 4, 2880, {biases: true, window: 128, windowed: 12}),
    "gpt-oss 120B": named(201088, 2880, 2880, 36, 64, 8, 64, 128, 4, 2880, {biases: true, window: 128, windowed: 18}),
  };
  const otherWeights = shape => overLayers(shape, dense => area([...attention(shape), ...mlp(shape, dense)]));
  return {MODELS, parameters, training, trainingOfAdapters, inference, cached, widths, stacks, otherWeights};
};
