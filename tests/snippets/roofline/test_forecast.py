"""The forecast is the law's for a model by its configuration, and published runs are within the stated bands of it."""

import pytest

from snippets.memory.estimate import MODELS
from snippets.memory.estimate_experts import MIXTURES
from snippets.roofline import exercises, law, published, token_time
from snippets.roofline import forecast as snippet
from snippets.roofline.communication import Link, Step, fsdp
from snippets.serving import bounds

LLAMA = snippet.model_of(MODELS["Llama 3.1 8B"])


def test_it_is_the_law_of_the_roofline() -> None:
    config, h100 = law.LLAMA_8B, law.H100
    assert snippet.training_step(LLAMA, h100, 2, 8192) == pytest.approx(law.training(config, 2, 8192) / h100.flops)
    for batch, weight, cache in ((1, 2, 2), (60, 0.5, 1), (4096, 2, 2)):
        by_law = token_time.token(config, h100, batch, 100, weight, cache)
        assert snippet.token(LLAMA, h100, batch, 100, weight, cache) == pytest.approx(by_law)


@pytest.mark.parametrize("prompt", [1, 1024, 8192])
def test_the_first_token_takes_as_long_as_on_the_page_on_serving(prompt: int) -> None:
    served = bounds.first_token(bounds.shape_of(law.LLAMA_8B), law.H100, prompt)
    assert snippet.first_token(LLAMA, law.H100, prompt) == pytest.approx(served, rel=1e-3)
    if prompt == 8192:
        assert exercises.answers()["prefill, 8192 tokens"][0] == pytest.approx(1000 * served, rel=1e-3)


@pytest.mark.parametrize("name", published.DATA["runs"])
def test_a_published_run_is_within_the_band(name: str) -> None:
    run = published.DATA["runs"][name]
    sizes, device = published.DATA["models"][run["model"]], law.Device(**published.DATA["devices"][run["device"]])
    model = snippet.Model(
        sizes["weights"], sizes["layers"], sizes["width"], sizes["width"], sizes["cache"], head=sizes.get("head", 0)
    )
    batch, tokens, (least, most) = run.get("batch", 1), run["tokens"], band_of(run)
    if run["kind"] == "train":
        share = run["published"] * snippet.training_step(model, device, 1, tokens, run.get("passes", 3)) / tokens
    elif run["kind"] == "first":
        share = 1000 * snippet.first_token(model, device, tokens, run.get("weight", 2)) / run["published"]
    else:
        seconds = snippet.token(model, device, batch, tokens, run["weight"], run.get("cache", 2))
        share = run["published"] * seconds / batch
    assert least <= share <= most
    assert share == pytest.approx(published.share(run), rel=1e-6)


def band_of(run: published.Record) -> tuple[float, float]:
    """The narrowest band of a run: in training that of its GPU, in decoding that of its weights' bits."""
    bands = published.DATA["bands"][run["kind"]]
    if run["kind"] == "train":
        return bands[run["device"]]
    return bands[f"{8 * run['weight']:.0f}"] if run["kind"] == "decode" else bands


def test_each_band_is_no_wider_than_its_runs() -> None:
    runs = published.DATA["runs"].values()
    for kind, bands in published.DATA["bands"].items():
        alike = [run for run in runs if run["kind"] == kind]
        named = bands if kind != "first" else {"all": bands}
        for name, (least, most) in named.items():
            shares = [published.share(run) for run in alike if name in ("all", "other") or band_of(run) == bands[name]]
            assert len(shares) >= 2, (kind, name)
            assert least <= min(shares) < least + 0.011 and most - 0.01 < max(shares) <= most, (kind, name)


def test_communication_counts_where_it_is_slower() -> None:
    slow, step = Link(1e9), snippet.training_step
    assert step(LLAMA, law.H100, 1, 8192, 3, 8, snippet.NVLINK) == step(LLAMA, law.H100, 1, 8192)
    bytes_sent = 8 * LLAMA.weights * 7 / 8
    assert step(LLAMA, law.H100, 1, 8192, 3, 8, slow) == pytest.approx(bytes_sent / 1e9)
    alone = fsdp(Step(LLAMA.weights, 1, law.H100.flops), 8, slow)
    assert step(LLAMA, law.H100, 1, 1, 3, 8, slow) == pytest.approx(alone)


def test_only_computing_and_reading_fall_short_of_the_peak() -> None:
    slow, step, h100 = Link(1e9), snippet.training_step, law.H100
    assert step(LLAMA, h100, 1, 8192, share=0.5) == pytest.approx(2 * step(LLAMA, h100, 1, 8192))
    assert step(LLAMA, h100, 1, 1, 3, 8, slow, 0.5) == step(LLAMA, h100, 1, 1, 3, 8, slow)
    for time, options, half in ((snippet.token, (4, 100, 2, 2), (0.5, 1)), (snippet.first_token, (1024, 2), 0.5)):
        alone = time(LLAMA, h100, *options, 8)
        sums = time(LLAMA, h100, *options, 8, slow) - alone
        assert time(LLAMA, h100, *options, 8, slow, half) == pytest.approx(2 * alone + sums)


@pytest.mark.parametrize(("batch", "answer"), [(1, 512), (58, 256), (400, 64)])
def test_a_token_of_a_server_takes_as_long_as_on_the_page_on_serving(batch: int, answer: int) -> None:
    served = bounds.next_token(bounds.shape_of(law.LLAMA_8B), law.H100, 8192, batch, 2, 8192 - answer, answer)
    more = ((1, 1), 8192 - answer, answer)
    assert snippet.token(LLAMA, law.H100, batch, 8192, 2, 2, 1, None, *more) == pytest.approx(served, rel=1e-3)


def test_the_prompts_of_new_requests_take_their_first_tokens_less_the_weights_that_are_read_anyway() -> None:
    """58 requests with answers of 256 tokens: each step has 58/256 of a prompt in it."""
    alone = snippet.token(LLAMA, law.H100, 58, 8192)
    served = snippet.token(LLAMA, law.H100, 58, 8192, 2, 2, 1, None, (1, 1), 7936, 256)
    first = snippet.first_token(LLAMA, law.H100, 7936)
    weights = 2 * LLAMA.weights / law.H100.bandwidth
    products = 58 * 2 * LLAMA.weights / law.H100.flops
    assert served == pytest.approx(alone - weights + products + 58 / 256 * first, rel=1e-3)
    slower = snippet.token(LLAMA, law.H100, 58, 8192, 2, 2, 1, None, (0.5, 0.25), 7936, 256)
    assert slower == pytest.approx(2 * alone + 4 * (served - alone))


def test_between_machines_a_ring_has_the_network_cards_of_eight_gpus() -> None:
    for gpus, network, expected in ((8, 1e9, 450e9), (16, 1e12, 450e9), (16, 1e9, 8e9)):
        assert snippet.ring(gpus, snippet.NVLINK, Link(network)).bandwidth == expected


def test_as_many_are_served_as_fit_and_are_fast_enough() -> None:
    shape, h100 = MODELS["Llama 3.1 8B"], law.H100
    assert snippet.sequences(shape, 10, h100, 8192, 1) == 0
    assert snippet.sequences(shape, 24, h100, 8192, 1) == 6
    slow = snippet.sequences(shape, 80, h100, 8192, 0.05, (0.32, 1))
    assert slow == snippet.largest_batch(0.016, 100, LLAMA, h100, 8192)
    prompts = [snippet.sequences(shape, 80, h100, 8192, 0.05, (0.7, 0.5), 8192 - answer, answer)
               for answer in (128, 256, 1024)]
    assert sorted(prompts) == prompts and prompts[0] < prompts[1] < prompts[2]


def test_a_batch_meets_more_experts_than_a_token() -> None:
    model = snippet.model_of(MIXTURES["Mixtral 8x7B"])
    one, many = (snippet.token(model, law.H100, batch, 1) for batch in (1, 64))
    met = (model.weights + model.experts) / (model.weights + model.experts / 4)
    assert many / one == pytest.approx(met, rel=1e-3)


def test_a_window_shortens_what_is_read() -> None:
    model = snippet.model_of(MODELS["Gemma 3 12B"])
    assert snippet.attended(model, 512) == 48 * 512 and snippet.attended(model, 4096) == 8 * 4096 + 40 * 1024


def test_the_largest_batch_is_the_last_within_the_limit() -> None:
    most = snippet.largest_batch(0.02, 10_000, LLAMA, law.H100, 2048)
    assert snippet.token(LLAMA, law.H100, most, 2048) <= 0.02 < snippet.token(LLAMA, law.H100, most + 1, 2048)
    assert snippet.largest_batch(0.02, 10, LLAMA, law.H100, 2048) == 10
    assert snippet.largest_batch(0.001, 10, LLAMA, law.H100, 2048) == 0


def test_a_run_of_a_day_costs_the_day_of_each_gpu() -> None:
    assert snippet.days(86_400 * 1000, 2, 2000) == 1
    assert snippet.cost(2, 8, 1.5) == 2 * 24 * 8 * 1.5
