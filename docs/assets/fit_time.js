/* The formulas of snippets/roofline/forecast.py (a test compares). Rates are per second. */
const hexaplaTime = (() => {
  /* As in snippets/roofline/published.yml: shares of the law's rate, by GPU, in decoding by bits of the weights. */
  const BANDS = {train: {A100: [0.48, 0.7], H100: [0.33, 0.58], other: [0.33, 0.7]},
                 decode: {16: [0.68, 0.78], 8: [0.5, 0.74], 4: [0.32, 0.43]}, first: [0.38, 0.67]};
  const trainingBand = gpu => BANDS.train[Object.keys(BANDS.train).find(name => gpu.includes(name)) ?? "other"];

  const attended = ({layers, windowed, window}, context) => (layers - windowed) * context + windowed * Math.min(context, window);
  const flops = (model, context) =>
    2 * (model.weights + model.share * model.experts) + 4 * model.width * attended(model, context);
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
  const longer = (operations, bytes, device) => Math.max(operations / device.flops, bytes / device.bandwidth);
  /* One token of each sequence, and `read` tokens of prompts. */
  function mixedBatch(model, device, {batch, context, prompt, weight, cache}, read) {
    const active = model.weights + model.share * model.experts, met = 1 - (1 - model.share) ** (batch + read);
    const cached = batch * attended(model, context), inside = read * attended(model, prompt / 2);
    return longer(2 * (active * batch + (active - model.head) * read), weight * (model.weights + met * model.experts), device)
      + longer(4 * model.width * cached, cache * model.cache * cached, device) + 4 * model.width * inside / device.flops;
  }
  /* After `answer` tokens the next request's prompt is read in the same batches. `shares` are what decoding and what the
     prompts add reach of the peak. */
  function token(model, device, {gpus = 1, shares = [1, 1], prompt = 0, answer = 1, ...o}) {
    const read = o.batch * prompt / answer, decoding = mixedBatch(model, device, {...o, prompt}, 0);
    const added = mixedBatch(model, device, {...o, prompt}, read) - decoding;
    return (decoding / shares[0] + added / shares[1]) / gpus + summed(model, o.batch + read, gpus, device.link);
  }
  function firstToken(model, device, {prompt, weight, gpus = 1, share = 1}) {
    const read = weight * (model.weights + model.experts);
    const operations = prompt * flops(model, prompt / 2) - 2 * model.head * (prompt - 1);
    return longer(operations, read, device) / share / gpus + summed(model, prompt, gpus, device.link);
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
  return {BANDS, trainingBand, ring, trainingStep, token, firstToken, largestBatch, modelOf};
})();
