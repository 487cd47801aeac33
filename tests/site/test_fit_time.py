"""Time and cost in the calculator are the program's, and the configurations of other kinds are read."""

import json
import re
import sys
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import parse_qs, urlsplit

import pytest

from benchmarks.random_decoders import draw, draw_mixtures

ROOT = Path(__file__).parents[2]
for area in ("memory", "roofline"):  # where its programs import one another from
    sys.path.append(str(ROOT / "snippets" / area))
from snippets.memory.estimate import MODELS, Shape  # noqa: E402
from snippets.memory.estimate_experts import Mixture  # noqa: E402

PAGES = {"en": "/will_it_fit/", "zh": "/zh/will_it_fit/", "zh-Hant": "/zh-Hant/will_it_fit/", "ja": "/ja/will_it_fit/"}
TIMES = """cases => cases.map(([shape, device, o]) => {
    const model = hexaplaTime.modelOf(shape, hexaplaFit)
    return [...["trainingStep", "token", "firstToken"].map(each => hexaplaTime[each](model, device, o)),
            hexaplaTime.largestBatch(o.limit, 300, model, device, o),
            hexaplaTime.ring(2 * o.gpus, device.link, o.network)]
})"""
SMALL = {"vocab_size": 1000, "hidden_size": 64, "intermediate_size": 96, "num_hidden_layers": 6,
         "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 16}
EXPERTS = {"num_experts_per_tok": 2, "moe_intermediate_size": 32}
LATENT = {"n_routed_experts": 8, "n_shared_experts": 2, "first_k_dense_replace": 2, "n_group": 1, "topk_group": 1,
          "kv_lora_rank": 16, "q_lora_rank": 24, "qk_rope_head_dim": 8, "qk_nope_head_dim": 16, "v_head_dim": 24,
          "num_key_value_heads": 4}
CONFIGS = {
    "llama": {}, "mistral": {}, "qwen2": {}, "qwen3": {}, "phi3": {"pad_token_id": 0}, "gemma2": {}, "gemma3_text": {},
    "smollm3": {"pad_token_id": 0, "tie_word_embeddings": True},
    "mixtral": {"num_local_experts": 8, "num_experts_per_tok": 2},
    "qwen3_moe": {**EXPERTS, "num_experts": 8, "mlp_only_layers": [0]},
    "deepseek_v3": {**EXPERTS, **LATENT},
    "gpt_oss": {"num_local_experts": 8, "num_experts_per_tok": 2},
    "llama4_text": {"num_local_experts": 4, "intermediate_size_mlp": 128, "interleave_moe_layer_step": 2},
}


@pytest.fixture(scope="module")
def law():
    """The program that the calculator is held to, imported here: its shapes are transformers', which takes seconds."""
    named = {name: import_module(f"snippets.roofline.{name}") for name in ("forecast", "published")}
    return SimpleNamespace(**named, Link=import_module("snippets.roofline.communication").Link,
                           Device=import_module("snippets.roofline.law").Device)


def choose(page, name, value):
    page.locator(f"#fit-{name}").fill(value)


def rows(page):
    """The times by their names; a short name has a space that does not break."""
    found = page.locator(".fit__time tbody tr").evaluate_all(
        "all => all.map(row => [...row.cells].map(cell => cell.textContent))")
    return {name.replace("\u00a0", " "): cells for name, *cells in found}


def test_times_in_javascript_are_those_of_the_program(visit, law):
    forecast = law.forecast
    cases = []
    drawn = [(Shape, draw(250, 41, layers=80)), (Mixture, draw_mixtures(
        250, 42, ("mixtral", "qwen3_moe", "deepseek_v3", "gpt_oss"), layers=80))]
    none = {"shared": 0, "dense": 0, "q_rank": 0, "kv_rank": 0, "rope_size": 0, "value_size": 0}
    for kind, shapes in drawn:
        for number, (shape, step) in enumerate(shapes):
            given = (none if kind is Mixture else {}) | shape | {"window": 64, "windowed": number % 3}
            device = {"flops": 1e12 * (1 + number), "bandwidth": 1e11 * (1 + number % 70),
                      "link": 1e10 * (1 + number % 45)}
            length = step["length"]
            options = {"batch": step["batch"], "length": length, "context": length, "prompt": length,
                       "passes": 2 + number % 3, "gpus": 1 + number % 8, "weight": (2, 1, 0.5)[number % 3],
                       "cache": (0.5, 2, 1)[number % 3], "limit": 0.001 * (1 + number % 50),
                       "share": (1, 0.62, 0.32)[number % 3], "answer": 1 + number % 300,
                       "shares": [(1, 0.78, 0.32)[number % 3], (1, 0.38)[number % 2]],
                       "network": 1e9 * (1 + number % 60)}
            cases.append((kind, given, device, options))
    found = visit(PAGES["en"]).evaluate(TIMES, [case[1:] for case in cases])
    for (kind, shape, rates, o), theirs in zip(cases, found, strict=True):
        model, device = forecast.model_of(kind(**shape)), law.Device(rates["flops"], rates["bandwidth"])
        many, link = o["gpus"], law.Link(rates["link"])
        decoded = (o["weight"], o["cache"], many, link, o["shares"], o["prompt"], o["answer"])
        assert theirs[:3] == pytest.approx([
            forecast.training_step(model, device, o["batch"], o["length"], o["passes"], many, link, o["share"]),
            forecast.token(model, device, o["batch"], o["length"], *decoded),
            forecast.first_token(model, device, o["length"], o["weight"], many, link, o["share"])], rel=1e-9)
        assert theirs[3] == forecast.largest_batch(o["limit"], 300, model, device, o["length"], *decoded)
        assert theirs[4] == forecast.ring(2 * many, link, law.Link(o["network"])).bandwidth


def test_communication_takes_as_long_whatever_the_products_reach_and_the_network_is_named(visit, law):
    forecast = law.forecast
    page = visit(PAGES["en"] + "?gpus=16&length=256&network=6.25")
    model, h100 = forecast.model_of(MODELS["Llama 3.1 8B"]), law.Device(989.4e12, 3.35e12)
    step = forecast.training_step(model, h100, 1, 256, 4, 16, law.Link(50e9))
    assert rows(page)["One step"] == [f"{step:.2f} s"] * 2
    assert "6.3 GB/s" in " ".join(page.locator(".fit__time").inner_text().split())
    choose(page, "gpus", "8")
    assert "machines" not in page.locator(".fit__time").inner_text()


def test_the_gpus_of_the_table_on_serving_have_the_calculators_rates(visit, law):
    page = visit(PAGES["en"])
    for name, (memory, device) in law.forecast.GPUS.items():
        label = {"RTX 4090": "GeForce RTX 4090", "A100": "A100 80 GB"}.get(name, name)
        page.locator("#fit-gpu").select_option(f"NVIDIA {label}")
        found = [float(page.locator(f"#fit-{each}").input_value()) for each in ("memory", "flops", "bandwidth")]
        assert found == [memory, device.flops / 1e12, device.bandwidth / 1e9]


def test_the_bands_and_the_rates_are_those_of_the_published_runs(visit, law):
    page = visit(PAGES["en"])
    assert page.evaluate("hexaplaTime.BANDS") == law.published.DATA["bands"]
    for name, device in (("NVIDIA A100 80 GB", "A100"), ("NVIDIA H100", "H100")):
        page.locator("#fit-gpu").select_option(name)
        rates = [float(page.locator(f"#fit-{each}").input_value()) for each in ("flops", "bandwidth")]
        expected = law.published.DATA["devices"][device]
        assert rates == [expected["flops"] / 1e12, expected["bandwidth"] / 1e9]


def test_a_run_shows_its_time_and_cost_and_the_address_keeps_what_is_typed(visit, site_url, law):
    forecast = law.forecast
    page = visit(PAGES["en"])
    for name, typed in (("gpus", "8"), ("tokens", "2.5"), ("price", "3")):
        choose(page, name, typed)
    shown = rows(page)
    model = forecast.model_of(MODELS["Llama 3.1 8B"])
    step = forecast.training_step(model, law.Device(989.4e12, 3.35e12), 1, 2048, 4, 8, law.Link(450e9))
    assert shown["One step"][0] == f"{1000 * step:.0f} ms"
    assert re.fullmatch(r"\d+–\d+ ms", shown["One step"][1])  # the unit is written once
    days = forecast.days(2.5e9, step, 8 * 2048)
    assert shown["Days for all tokens"][0] == f"{days:.2f}"
    assert shown["Cost, in the price's currency"][0] == f"{forecast.cost(days, 8, 3):.0f}"
    state = parse_qs(urlsplit(page.url).query)
    assert (state["tokens"], state["price"]) == (["2.5"], ["3"]) and "flops" not in state
    assert rows(visit(page.url.removeprefix(site_url))) == shown


@pytest.mark.parametrize("language", PAGES)
def test_an_answer_shows_its_latency_and_what_is_wrong_takes_the_times_away(visit, language):
    page = visit(PAGES[language] + "?task=infer&batch=8")
    assert len(rows(page)) == 6 and "ms" in next(iter(rows(page).values()))[0]
    choose(page, "latency", "soon")
    assert not rows(page) and page.locator("#fit-latency-note").inner_text()
    assert page.locator(".fit__verdict").get_attribute("data-verdict")
    choose(page, "latency", "20")
    assert len(rows(page)) == 6


@pytest.mark.parametrize("language", PAGES)
def test_what_does_not_fit_has_times_for_when_it_does(visit, language):
    page = visit(PAGES[language])
    head, heads = page.locator(".fit__time thead th").first, {}
    for memory in ("80", "180"):
        choose(page, "memory", memory)
        heads[page.locator(".fit__verdict").get_attribute("data-verdict")] = head.inner_text()
    assert heads["fits"].replace("\xa0", " ") in page.locator("h2#time").inner_text()
    assert heads["does-not-fit"] not in ("time-once", heads["fits"])


@pytest.mark.parametrize("language", PAGES)
def test_what_fits_but_is_too_slow_for_one_sequence_is_not_said_to_fit(visit, language, law):
    page = visit(PAGES[language] + "?task=infer&length=1024&gpu=NVIDIA+L4&model=Llama+3.1+8B")
    model, l4 = law.forecast.model_of(MODELS["Llama 3.1 8B"]), law.Device(121e12, 300e9)
    fastest = law.published.DATA["bands"]["decode"]["16"][1], law.published.DATA["bands"]["first"][1]
    alone = 1000 * law.forecast.token(model, l4, 1, 1024, shares=fastest, prompt=1024, answer=256)
    said, at_latency = page.locator(".fit__verdict"), page.locator(".fit__time tbody tr:nth-child(4) td:last-child")
    for allowed, verdict in ((alone - 1, "too-slow"), (alone + 1, "fits")):
        choose(page, "latency", f"{allowed:.0f}")
        assert said.get_attribute("data-verdict") == verdict
        assert (f"{alone:.1f} ms" in said.inner_text()) is (verdict == "too-slow")
        assert at_latency.inner_text().endswith("0") is (verdict == "too-slow")


def test_sequences_in_time_are_those_of_all_gpus(visit):
    page = visit(PAGES["en"] + "?task=infer&model=Llama+3.1+70B&gpus=8&length=65536")
    in_time, room = (rows(page)[name] for name in ("Sequences at 50 ms per token", "Sequences that fit in memory"))
    assert in_time[0] == room[0] and 0 < int(room[0]) < 100


def test_each_gpu_has_its_rates_and_a_source(visit):
    page = visit(PAGES["en"])
    names = page.locator("#fit-gpu option").evaluate_all("all => all.map(each => each.value)")
    for name in set(names) - {"own"}:
        page.locator("#fit-gpu").select_option(name)
        assert rows(page), name
        assert page.locator(".fit__speed a").count(), name


def test_a_sheet_that_could_not_be_opened_is_said_and_where_the_numbers_were_read(visit):
    page = visit(PAGES["en"] + "?gpu=NVIDIA+GeForce+RTX+3090")
    page.locator(".fit__speed summary").press("Enter")
    said = page.locator(".fit__speed > p").inner_text()
    assert "No sheet of the maker could be opened" in said and "github.com" in said
    page.locator("#fit-gpu").select_option("NVIDIA H100")
    assert "could be opened" not in page.locator(".fit__speed > p").inner_text()


def test_an_encoder_has_no_times(visit):
    page = visit(PAGES["en"] + "?model=BERT+base")
    assert not page.locator(".fit__time").is_visible() and not page.locator("#fit-price").is_visible()


@pytest.mark.parametrize("kind", CONFIGS)
def test_the_config_of_a_kind_is_read_with_the_parameters_of_its_model(visit, kind):
    import torch
    from transformers import AutoConfig, AutoModelForCausalLM

    config = AutoConfig.for_model(kind, **SMALL | CONFIGS[kind])
    with torch.device("meta"):
        model = AutoModelForCausalLM.from_config(config)
    text = json.dumps(config.to_dict())
    page = visit(PAGES["en"])
    shape = page.evaluate("text => hexaplaFit.shapeOf(text)", text)
    counted = page.evaluate("text => hexaplaFit.parametersOf(hexaplaFit.shapeOf(text))", text)
    assert counted == sum(each.numel() for each in model.parameters())
    kinds = getattr(config, "layer_types", None) or []
    if kinds and shape["window"]:
        assert shape["windowed"] == sum("full" not in each for each in kinds)


def test_the_language_model_of_one_that_sees_is_read_and_that_is_said(visit):
    from transformers import AutoConfig

    page = visit(PAGES["en"] + "?task=infer")
    inner = AutoConfig.for_model("gemma3_text", **SMALL).to_dict()
    page.locator(".fit summary").first.press("Enter")
    page.locator("#fit-config").fill(json.dumps({"model_type": "gemma3", "vision_config": {}, "text_config": inner}))
    assert "image encoder is not counted" in page.locator("#fit-config-note").inner_text()
    assert page.locator("#fit-post_norms").is_checked() and page.locator("#fit-layers").input_value() == "6"


@pytest.mark.parametrize("model", ["DeepSeek V3", "gpt-oss 20B"])
def test_training_with_mla_and_with_attention_sinks_is_estimated(visit, model):
    page = visit(PAGES["en"])
    page.locator("#fit-model").select_option(model)
    assert page.locator(".fit__bar").is_visible() and not page.locator("#fit-task-note").inner_text()


@pytest.mark.parametrize("shape", ["family=experts&all_experts=1", "family=decoder&softcap=1"])
def test_training_that_is_not_estimated_is_said_and_leaves_no_result(visit, shape):
    page = visit(f"{PAGES['en']}?model=own&{shape}")
    assert "Training is not estimated" in page.locator("#fit-task-note").inner_text()
    assert not page.locator(".fit__bar").is_visible() and not page.locator(".fit__time").is_visible()
    page.locator("#fit-task").select_option("infer")
    assert page.locator(".fit__bar").is_visible() and rows(page)
