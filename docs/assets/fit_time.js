/* How long a run takes and what it costs. The formulas are those of snippets/roofline/forecast.py, which a test holds
   beside these: T = max(compute, memory, communication). Rates are in operations and bytes per second. */
const hexaplaTime = (() => {
  /* The shares of the law's rate between which the published runs lie, as in snippets/roofline/published.yml. */
  const BANDS = {train: [0.33, 0.62], decode: [0.32, 0.78], first: [0.38, 0.67]};

  const attended = ({layers, windowed, window}, context) => (layers - windowed) * context + windowed * Math.min(context, window);
  const flops = (model, context) =>
    2 * (model.weights + model.share * model.experts) + 4 * model.width * attended(model, context);
  /* In a ring each rank sends all parts but one. */
  const gather = (size, ranks, link) => (ranks - 1) * size / ranks / link;

  /* In more than one machine of 8 GPUs, a ring passes through the network cards of all 8. */
  const ring = (gpus, link, network) => gpus <= 8 ? link : Math.min(link, 8 * network);

  /* `share` is what the products reach of the peak; links reach all of it. */
  function trainingStep(model, device, {batch, length, passes, gpus = 1, share = 1}) {
    const compute = passes * batch * length * flops(model, length / 2) / device.flops / share;
    if (gpus === 1) return compute;
    return Math.max(compute, 2 * gather(2 * (model.weights + model.experts), gpus, device.link)
      + gather(4 * (model.weights + model.experts), gpus, device.link));
  }
  const summed = (model, tokens, gpus, link) =>
    gpus === 1 ? 0 : 2 * model.layers * 2 * gather(2 * tokens * model.hidden, gpus, link);
  function token(model, device, {batch, context, weight, cache, gpus = 1, share = 1}) {
    const met = 1 - (1 - model.share) ** batch;
    const read = weight * (model.weights + met * model.experts) + batch * cache * model.cache * attended(model, context);
    const alone = Math.max(batch * flops(model, context) / device.flops, read / device.bandwidth);
    return alone / share / gpus + summed(model, batch, gpus, device.link);
  }
  function firstToken(model, device, {prompt, weight, gpus = 1, share = 1}) {
    const read = weight * (model.weights + model.experts);
    const operations = prompt * flops(model, prompt / 2) - 2 * model.head * (prompt - 1);
    const alone = Math.max(operations / device.flops, read / device.bandwidth);
    return alone / share / gpus + summed(model, prompt, gpus, device.link);
  }
  function largestBatch(limit, most, model, device, options) {
    let low = 0, high = most;
    while (low < high) {
      const batch = Math.floor((low + high + 1) / 2);
      if (token(model, device, {...options, batch}) <= limit) low = batch;
      else high = batch - 1;
    }
    return low;
  }

  /* What the law needs of a shape of fit.js. */
  function modelOf(shape, {area, linear, width, EXPERTS}) {
    const {layers, hidden, window = 0, windowed = 0} = shape, head = shape.vocabulary * hidden;
    const common = {layers, hidden, window, windowed, head};
    if (shape.experts === undefined) {
      const {query, key} = width(shape);
      return {...common, weights: layers * area(linear(shape)) + head, width: query, cache: 2 * key, experts: 0, share: 1};
    }
    const {query, value} = EXPERTS.widths(shape);
    return {...common, weights: EXPERTS.otherWeights(shape) + head, width: shape.kv_rank ? (query + value) / 2 : query,
            cache: EXPERTS.cached(shape), experts: (layers - shape.dense) * area(EXPERTS.stacks(shape)),
            share: shape.active / shape.experts};
  }
  return {BANDS, ring, trainingStep, token, firstToken, largestBatch, modelOf};
})();
