/* Mixtures of experts for the calculator of GPU memory. The formulas are those of snippets/memory/estimate_experts.py,
   which a test holds beside these; the functions that it shares with the other models are in fit.js. */
const hexaplaFitExperts = ({sum, area, stateOf, highest, isFused, activationsOfEnd, cachedTokens}) => {
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
  const tables = shape => Array(shape.tied ? 1 : 2).fill([shape.vocabulary, shape.hidden]);
  const asColumns = numbers => numbers.map(number => [number, 1]);
  const layer = (shape, dense) => [...attention(shape), ...asColumns(vectors(shape)), ...mlp(shape, dense),
                                   ...(dense ? [] : [...stacks(shape), ...asColumns(expertBiases(shape))])];
  const overLayers = (shape, number) => shape.dense * number(true) + (shape.layers - shape.dense) * number(false);
  const parameters = shape => overLayers(shape, dense => area(layer(shape, dense))) + area(tables(shape)) + shape.hidden;

  function keptByAttention(shape, precision, length, fast) {
    const {query, key, value} = widths(shape), {hidden, heads} = shape, size = precision === "fp32" ? 4 : 2;
    if (shape.kv_rank) {  // two norms more, and values inside a larger tensor
      const perRank = precision === "fp32" ? 12 : 8, plain = query - heads * shape.rope_size;
      return {fp32: 24, bf16: 16, mixed: 20}[precision] * hidden + 16 + perRank * (shape.q_rank + shape.kv_rank) + 4 * heads
        + size * (2 * query + plain + 2 * value);
    }
    if (shape.biases) {  // norms in fp32; scores with a column for the sink
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
    /* No autocast for grouped products: the experts compute in fp32. */
    const pair = (precision === "bf16" ? 2 : 4) * (2 * shape.hidden + (shape.biases ? 7 : 4) * shape.expert_size) + 40;
    const exact = shape.kv_rank && precision === "bf16" ? 4 * shape.hidden : 0;  // DeepSeek's router computes in fp32
    return shape.active * pair + (shape.biases ? 0 : 4 * shape.experts) + exact + mixed + (shape.shared ? size * 4 * shape.shared + 2 * mixed : 0);
  }

  /* What exists at an instant: gradients, activations, workspace. */
  function instants(shape, {batch, length, precision, checkpointing, accumulation}, fast) {
    const {hidden, vocabulary} = shape, tokens = batch * length, mixed = precision === "mixed";
    const weight = precision === "bf16" ? 2 : 4, size = precision === "fp32" ? 4 : 2, table = vocabulary * hidden;
    const router = dense => shape.kv_rank && precision === "bf16" && !dense ? 4 * shape.experts * hidden : 0;
    const copies = dense => mixed ? 2 * area([...attention(shape), ...mlp(shape, dense)]) : router(dense);
    const ofAttention = keptByAttention(shape, precision, length, fast);
    const ofLayer = dense => tokens * (ofAttention + keptByMlp(shape, precision, dense)) + copies(dense);
    const stream = tokens * hidden * (precision === "bf16" ? 2 : 4);
    const kept = checkpointing ? shape.layers * stream : overLayers(shape, ofLayer);
    const end = tokens * activationsOfEnd(shape, precision), logits = tokens * vocabulary, gradient = weight * parameters(shape);
    const head = shape.tied ? 0 : weight * table, shared = shape.tied ? weight * table : 0, headCopy = mixed ? 2 * table : 0;
    const output = mixed ? Math.max(2 * table, size * logits) : size * logits;

    const experts = area(stacks(shape)), pairs = tokens * shape.active, exact = shape.qk_norm ? weight : 4;
    const before = pairs * Math.max(3 * exact * hidden, 4 * weight * shape.expert_size) + 2 * stream;
    const after = weight * pairs * (hidden + 2 * shape.expert_size) + stream;
    const {query, key} = widths(shape);
    let rotation = {fp32: 8 * (query + key), bf16: 4 * (query + key), mixed: 10 * query}[precision];
    if (shape.qk_norm) rotation = Math.max(rotation, 11 * query - 4 * key);
    const ofMatrix = shape.biases && !mixed ? size : 4;
    if (!fast) rotation = Math.max(rotation, 2 * ofMatrix * shape.heads * length - size * query);
    const belowMlp = Math.max(20 * tokens * hidden, tokens * rotation + stream);
    const ofMlp = tokens * keptByMlp(shape, precision, false);
    const recomputed = checkpointing ? ofLayer(false) - (precision === "bf16" ? 0 : stream) : 0;
    /* With accumulation they exist already; the larger comes a second time. */
    const made = accumulation ? 0 : weight * experts, twice = accumulation ? weight * area(stacks(shape).slice(0, 1)) : 0;
    function inside(gradients, activations, dense) {
      if (dense) {
        return [gradients + weight * hidden * shape.intermediate, activations,
                tokens * 2 * size * shape.intermediate + stream + shared];
      }
      const start = [gradients, activations, before + shared];
      const later = [gradients + made, activations - ofMlp, Math.max(after + twice, belowMlp) + shared];
      return sum(start) >= sum(later) ? start : later;
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
    const state = matrices => sum(matrices.map(matrix => stateOf(optimizer, ...matrix, size))), table = tables(shape)[0];
    const more = dense => optimizer === "adafactor" && !dense ? 4 * (shape.experts - 1) * (shape.hidden + shape.expert_size) : 0;
    return overLayers(shape, dense => state(layer(shape, dense)) + more(dense)) + state([...tables(shape), [shape.hidden, 1]])
      + (optimizer === "adamw-8bit" ? 8 * area([table]) - state([table]) : 0);
  }
  function training(shape, options) {
    const {batch, length, precision, accumulation, optimizer, flash = true} = options;
    const weight = precision === "bf16" ? 2 : 4, gradient = weight * parameters(shape), table = shape.vocabulary * shape.hidden;
    const exist = instants(shape, options, isFused(shape, precision, flash) && !shape.biases);
    const largest = shape.experts * 2 * shape.expert_size * shape.hidden;
    if (optimizer === "adafactor") {
      const floats = precision === "bf16" ? 4 : 2;
      const linear = (floats + 1) * Math.max(...[...attention(shape), ...mlp(shape, shape.dense > 0)].map(([r, c]) => r * c));
      exist.optimizer = [gradient, 0, 4 * Math.max(floats * table, floats * largest, linear)];
    }
    const extra = {"embedding": weight * table, "output layer": shape.tied ? 0 : weight * table};
    return highest(exist, (instant, gradients, activations, workspace) => ({
      weights: gradient,
      gradients: accumulation ? gradient : gradients,
      optimizer: optimizerBytes(shape, optimizer, weight),
      activations: activations + 2 * length * shape.head_size * weight + 16 * batch * length,
      workspace: workspace + (accumulation ? extra[instant] ?? 0 : 0),
    }));
  }

  /* Numbers in the cache per token and layer: with MLA compressed, for all heads together. */
  const cached = shape => shape.kv_rank ? shape.kv_rank + shape.rope_size : 2 * widths(shape).key;
  function workspaceOf(shape, length, fast) {
    const {hidden, expert_size: size} = shape, {query, key, value} = widths(shape);
    let inAttention = shape.qk_norm ? 10 * query - 4 * key : 8 * query;
    if (shape.kv_rank) inAttention = 6 * query + 4 * key + 4 * value;
    const matrix = shape.heads * length;
    if (!fast) inAttention = shape.biases ? 7 * query + 4 * hidden + 6 * matrix : 16 * query + 12 * matrix;
    const pair = Math.max(2 * hidden + (shape.biases ? 18 : 8) * size, (shape.qk_norm ? 8 : shape.biases ? 13 : 12) * hidden);
    const pairs = shape.all_experts ? shape.experts : shape.active;
    const inMlp = Math.max(pairs * (pair + 64) + 8 * hidden, 6 * Math.max(shape.dense ? shape.intermediate : 0, shape.shared));
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
      /* The compressed cache of MLA is whole on each rank. */
      cache: batch * cachedTokens(shape, length) * cached(shape) * cache_bits / 8 / (shape.kv_rank ? 1 : Math.min(gpus, shape.kv_heads)),
      workspace: Math.max(tokens * workspaceOf(shape, length, fast), 4 * batch * shape.vocabulary),
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
  return {MODELS, parameters, training, inference, cached, widths, stacks, otherWeights};
};
