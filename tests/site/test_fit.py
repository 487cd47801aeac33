"""The calculator of GPU memory in real Chromium: its formulas are the program's, its form works without a mouse."""

import json
import re
import sys
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from benchmarks.random_decoders import (
    draw,
    draw_adapters,
    draw_encoder_decoders,
    draw_encoders,
    draw_mixtures,
    shard_drawn,
)
from snippets.memory.estimate import (
    ENCODERS,
    MODELS,
    Encoder,
    Shape,
    encoder_parameters,
    inference,
    inference_of_encoder,
    parameters,
    split,
    training,
    training_of_adapters,
    training_of_encoder,
)

sys.path.append(str(Path(__file__).parents[2] / "snippets/memory"))  # where its programs import one another from
from snippets.memory.estimate_experts import (
    MIXTURES,
    Mixture,
    inference_of_mixture,
    parameters_of_mixture,
    split_mixture,
    training_of_adapted_mixture,
    training_of_mixture,
)
from snippets.memory.estimate_fsdp_lora import training_of_fsdp_lora
from snippets.memory.estimate_t5 import (
    T5,
    EncoderDecoder,
    inference_of_t5,
    parameters_of_t5,
    training_of_t5,
)

# Of the list alone: no recorded program counts it. The parameters are those of its published checkpoint.
# Of the calculator alone; the number of parameters is that of each checkpoint.
TIED, BIASED, NORMED = {"tied": True}, {"qkv_bias": True}, {"qk_norm": True}
GEMMA_3 = {**TIED, **NORMED, "post_norms": True}
ONLY_LISTED, LISTED_PARAMETERS = ({name: row[at] for name, row in {
    "Llama 2 13B": (Shape(32_000, 5120, 13_824, 40, 40, 40, 128), 13_015_864_320),
    "Llama 3.1 405B": (Shape(128_256, 16_384, 53_248, 126, 128, 8, 128), 405_853_388_800),
    "Llama 3.3 70B": (Shape(128_256, 8192, 28_672, 80, 64, 8, 128), 70_553_706_496),
    "TinyLlama 1.1B": (Shape(32_000, 2048, 5632, 22, 32, 4, 64), 1_100_048_384),
    "Qwen2.5 0.5B": (Shape(151_936, 896, 4864, 24, 14, 2, 64, **TIED, **BIASED), 494_032_768),
    "Qwen2.5 1.5B": (Shape(151_936, 1536, 8960, 28, 12, 2, 128, **TIED, **BIASED), 1_543_714_304),
    "Qwen2.5 3B": (Shape(151_936, 2048, 11_008, 36, 16, 2, 128, **TIED, **BIASED), 3_085_938_688),
    "Qwen2.5 14B": (Shape(152_064, 5120, 13_824, 48, 40, 8, 128, **BIASED), 14_770_033_664),
    "Qwen2.5 32B": (Shape(152_064, 5120, 27_648, 64, 40, 8, 128, **BIASED), 32_763_876_352),
    "Qwen2.5 72B": (Shape(152_064, 8192, 29_568, 80, 64, 8, 128, **BIASED), 72_706_203_648),
    "Qwen3 1.7B": (Shape(151_936, 2048, 6144, 28, 16, 8, 128, **TIED, **NORMED), 1_720_574_976),
    "Qwen3 4B": (Shape(151_936, 2560, 9728, 36, 32, 8, 128, **TIED, **NORMED), 4_022_468_096),
    "Qwen3 14B": (Shape(151_936, 5120, 17_408, 40, 40, 8, 128, **NORMED), 14_768_307_200),
    "Gemma 3 1B": (Shape(262_144, 1152, 6912, 26, 4, 1, 256, window=512, windowed=22, **GEMMA_3), 999_885_952),
    "Gemma 3 4B": (Shape(262_208, 2560, 10_240, 34, 8, 4, 256, window=1024, windowed=29, **GEMMA_3), 3_880_263_168),
    "SmolLM2 1.7B": (Shape(49_152, 2048, 8192, 24, 32, 32, 64, **TIED), 1_711_376_384),
}.items()} for at in (0, 1))
PAGES = {"en": "/will_it_fit/", "zh": "/zh/will_it_fit/", "zh-Hant": "/zh-Hant/will_it_fit/", "ja": "/ja/will_it_fit/"}
LLAMA = {"model_type": "llama", "vocab_size": 32000, "hidden_size": 2048, "intermediate_size": 5632,
         "num_hidden_layers": 22, "num_attention_heads": 32, "num_key_value_heads": 4, "tie_word_embeddings": False}
BERT = {"model_type": "bert", "vocab_size": 21128, "hidden_size": 512, "intermediate_size": 2048,
        "num_hidden_layers": 8, "num_attention_heads": 8, "max_position_embeddings": 512}
FLAN = {"model_type": "t5", "vocab_size": 32128, "d_model": 512, "d_ff": 1024, "d_kv": 64, "num_layers": 8,
        "num_decoder_layers": 6, "num_heads": 6, "feed_forward_proj": "gated-gelu", "tie_word_embeddings": False}
INSTANTS = ("loss", "forward", "output layer", "last norm", "last layer", "first layer", "embedding", "optimizer",
            "gather", "layer", "prompt", "logits", "layer forward", "pass",
            "between", "encoder", "last token")
NONE_OF_MIXTURE = {**dict.fromkeys(("shared", "dense", "q_rank", "kv_rank", "rope_size", "value_size"), 0),
                   "qkv_bias": False, "qk_norm": False}
ESTIMATE = "cases => cases.map(([shape, options]) => hexaplaFit.estimate(shape, options))"


def test_the_calculator_is_loaded_by_its_own_pages_alone(built_site):
    loading = {page.relative_to(built_site).parent.as_posix() for page in built_site.rglob("index.html")
               if "assets/fit.js" in page.read_text("utf-8")}
    fronts = {path.removesuffix("will_it_fit/").strip("/") or "." for path in PAGES.values()}
    assert loading == {path.strip("/") for path in PAGES.values()} | fronts


def verdict(page):
    return page.locator(".fit__verdict").inner_text().replace("\xa0", " ")


def parts(page):
    """GB by part, as the table below the bar has them."""
    return page.locator(".fit__answer > .fit__parts td:nth-child(2)").all_inner_texts()


def choose(page, name, value):
    """Type into a field, or choose in it, by keyboard."""
    page.locator(f"#fit-{name}").focus()
    if page.locator(f"#fit-{name}").evaluate("control => control.tagName") == "SELECT":
        page.locator(f"#fit-{name}").select_option(value)
    else:
        page.keyboard.press("Control+A")
        page.keyboard.type(value)


def fault(page, name):
    return page.locator(f"#fit-{name}-note").inner_text()


def test_training_in_javascript_is_that_of_the_program(read_page):
    cases = [(shape, {**step, "gpus": 1 + number % 4, "flash": number % 5 > 0})
             for number, (shape, step) in enumerate(draw(300, seed=7, layers=80))]
    found = read_page(PAGES["en"]).evaluate(ESTIMATE, [[shape, {"task": "train", **step}] for shape, step in cases])
    for (shape, step), theirs in zip(cases, found, strict=True):
        ranks = step.pop("gpus")
        instant, held = training(Shape(**shape), **step, ranks=ranks)
        assert theirs["instant"] == instant
        assert theirs["held"] == pytest.approx(held, rel=1e-12)


def test_inference_in_javascript_is_that_of_the_program(read_page):
    cases = [(shape, step["batch"], step["length"], (16, 8, 4)[number % 3], (4, 16, 8)[number % 3], number % 5 > 0,
              1 + number % 4)
             for number, (shape, step) in enumerate(draw(200, seed=8, layers=80))]
    names = ("batch", "length", "weight_bits", "cache_bits", "flash", "gpus")
    asked = [[shape, {"task": "infer", **dict(zip(names, rest, strict=True))}] for shape, *rest in cases]
    windowed = {"post_norms": True, "qk_norm": True, "window": 100, "windowed": 1}
    gemma = ({}, windowed, {"post_norms": True, "softcap": True})
    for number, (shape, *_) in enumerate(cases):
        shape |= gemma[number % 3]
    for (shape, *rest, ranks), theirs in zip(cases, read_page(PAGES["en"]).evaluate(ESTIMATE, asked), strict=True):
        held = inference(Shape(**shape), *rest)
        assert theirs["held"] == pytest.approx(split(held, Shape(**shape), ranks), rel=1e-12)


def test_adapters_in_javascript_are_those_of_the_program(read_page):
    cases = [(shape, {**step, "flash": number % 5 > 0})
             for number, (shape, step) in enumerate(draw_adapters(300, seed=10, layers=80))]
    asked = [[shape, {**step, "task": "qlora" if step["quantized"] else "lora"}] for shape, step in cases]
    for (shape, step), theirs in zip(cases, read_page(PAGES["en"]).evaluate(ESTIMATE, asked), strict=True):
        instant, held = training_of_adapters(Shape(**shape), **step)
        assert theirs["instant"] == instant
        assert theirs["held"] == pytest.approx(held, rel=1e-12)


def test_sharded_lora_in_javascript_is_that_of_the_program(read_page):
    cases = [(shape, {**step, "flash": number % 5 > 0})
             for number, (shape, step) in enumerate(shard_drawn(draw_adapters(300, seed=11), seed=11))]
    for _, step in cases:
        del step["quantized"]
    asked = [[shape, {**step, "gpus": step["ranks"], "task": "lora"}] for shape, step in cases]
    for (shape, step), theirs in zip(cases, read_page(PAGES["en"]).evaluate(ESTIMATE, asked), strict=True):
        instant, held = training_of_fsdp_lora(Shape(**shape), **step)
        assert theirs["instant"] == instant
        assert theirs["held"] == pytest.approx(held, rel=1e-12)


def test_encoders_in_javascript_are_those_of_the_program(read_page):
    cases = list(draw_encoders(300, seed=12, layers=48))
    page = read_page(PAGES["en"])
    trained = page.evaluate(ESTIMATE, [[shape, {"task": "train", **step}] for shape, step in cases])
    served = page.evaluate(ESTIMATE, [[shape, {"task": "infer", **step}] for shape, step in cases])
    for (shape, step), theirs, read in zip(cases, trained, served, strict=True):
        instant, held = training_of_encoder(Encoder(**shape), **step)
        assert theirs["instant"] == instant
        assert theirs["held"] == pytest.approx(held, rel=1e-12)
        assert read["held"] == inference_of_encoder(Encoder(**shape), step["batch"], step["length"])


def test_encoder_decoders_in_javascript_are_those_of_the_program(read_page):
    cases = list(draw_encoder_decoders(400, seed=22, layers=48))
    page = read_page(PAGES["en"])
    trained = page.evaluate(ESTIMATE, [[shape, {"task": "train", **step}] for shape, step in cases])
    served = page.evaluate(ESTIMATE, [[shape, {"task": "infer", **step}] for shape, step in cases])
    for (shape, step), theirs, read in zip(cases, trained, served, strict=True):
        instant, held = training_of_t5(EncoderDecoder(**shape), **step)
        assert theirs["instant"] == instant
        assert theirs["held"] == pytest.approx(held, rel=1e-12)
        case = EncoderDecoder(**shape), step["batch"], step["length"]
        assert (read["instant"], read["held"]) == inference_of_t5(*case)


def test_mixtures_in_javascript_are_those_of_the_program(read_page):
    page = read_page(PAGES["en"])
    kinds = ("mixtral", "qwen3_moe", "deepseek_v3", "gpt_oss")
    cases = list(draw_mixtures(300, 31, kinds, layers=80))
    cases = [(NONE_OF_MIXTURE | shape, step, 1 + number % 4) for number, (shape, step) in enumerate(cases)]
    trained = page.evaluate(ESTIMATE, [[shape, {"task": "train", "gpus": gpus, **step}] for shape, step, gpus in cases])
    for (shape, step, gpus), theirs in zip(cases, trained, strict=True):
        instant, held = training_of_mixture(Mixture(**shape), **step, ranks=gpus)
        assert theirs["instant"] == instant
        assert theirs["held"] == pytest.approx(held, rel=1e-12)
    adapted = [(NONE_OF_MIXTURE | shape, {**step, "rank": 2 ** (number % 7)})
               for number, (shape, step) in enumerate(draw_mixtures(300, 33, kinds[:2], layers=80))]
    asked = [[shape, {"task": "lora", **step}] for shape, step in adapted]
    for (shape, step), theirs in zip(adapted, page.evaluate(ESTIMATE, asked), strict=True):
        del step["precision"]
        instant, held = training_of_adapted_mixture(Mixture(**shape), **step)
        assert theirs["instant"] == instant
        assert theirs["held"] == pytest.approx(held, rel=1e-12)
    cases = [(NONE_OF_MIXTURE | shape | {"window": 100, "windowed": number % 3, "all_experts": number % 7 == 0},
              (step["batch"], step["length"], (16, 8, 4)[number % 3], (4, 16, 8)[number % 3], number % 5 > 0),
              1 + number % 4)
             for number, (shape, step) in enumerate(draw_mixtures(300, 32, kinds, layers=80))]
    names = ("batch", "length", "weight_bits", "cache_bits", "flash")
    asked = [[shape, {"task": "infer", "gpus": gpus, **dict(zip(names, rest, strict=True))}]
             for shape, rest, gpus in cases]
    for (shape, rest, gpus), theirs in zip(cases, page.evaluate(ESTIMATE, asked), strict=True):
        mixture = Mixture(**shape)
        expected = split_mixture(inference_of_mixture(mixture, *rest), mixture, gpus)
        assert theirs["held"] == pytest.approx(expected, rel=1e-12)


def test_the_models_are_those_of_the_program(read_page):
    page = read_page(PAGES["en"])
    assert {name: Mixture(**shape) for name, shape in page.evaluate("hexaplaFit.EXPERTS.MODELS").items()} == MIXTURES
    counted = page.evaluate("Object.values(hexaplaFit.EXPERTS.MODELS).map(hexaplaFit.parametersOf)")
    assert counted == [parameters_of_mixture(shape) for shape in MIXTURES.values()]
    shapes = {name: Shape(**shape) for name, shape in page.evaluate("hexaplaFit.MODELS").items()}
    assert shapes == MODELS | ONLY_LISTED
    counted = page.evaluate("Object.values(hexaplaFit.MODELS).map(hexaplaFit.parameters)")
    assert counted == [parameters(shape) for shape in shapes.values()]
    assert {name: parameters(shape) for name, shape in ONLY_LISTED.items()} == LISTED_PARAMETERS
    encoders = page.evaluate("hexaplaFit.ENCODERS")
    assert {name: Encoder(**shape) for name, shape in encoders.items()} == ENCODERS
    counted = page.evaluate("Object.values(hexaplaFit.ENCODERS).map(hexaplaFit.parametersOf)")
    assert counted == [encoder_parameters(shape) for shape in ENCODERS.values()]
    assert {name: EncoderDecoder(**shape) for name, shape in page.evaluate("hexaplaFit.T5").items()} == T5
    counted = page.evaluate("Object.values(hexaplaFit.T5).map(hexaplaFit.parametersOf)")
    assert counted == [parameters_of_t5(shape) for shape in T5.values()]


@pytest.mark.parametrize("language", PAGES)
def test_every_word_of_the_form_is_on_the_page(read_page, language):
    """A word that is missing would be shown as its key."""
    page = read_page(PAGES[language])
    labels = page.locator(".fit label, .fit summary").all_inner_texts()
    options = page.locator(".fit select:not(#fit-model, #fit-gpu) option").all_inner_texts()
    assert len(labels) > 20
    assert not [each for each in labels + options if re.fullmatch(r"[a-z]+([_=-][a-z0-9-]+)*", each) and each != "fp32"]
    said = page.evaluate("""() => [...document.querySelectorAll("article td:first-child > code:only-child")]
        .map(code => code.textContent)""")
    assert {f"peak={each}" for each in INSTANTS} <= set(said)
    if language != "en":
        assert re.search("[\u3040-\u30ff\u4e00-\u9fff]", verdict(page))


def test_it_works_by_keyboard_and_the_address_keeps_all(visit, site_url):
    page = visit(PAGES["en"])
    page.locator("#fit-task").focus()
    page.keyboard.press("i")  # a select takes the first letter of its choice
    choose(page, "model", "Qwen3 8B")
    choose(page, "weight_bits", "4")
    choose(page, "batch", "4")
    choose(page, "length", "8192")
    choose(page, "gpu", "NVIDIA L4")
    state = {name: value for name, (value,) in parse_qs(urlsplit(page.url).query).items()}
    assert state == {"task": "infer", "model": "Qwen3 8B", "weight_bits": "4", "cache_bits": "16", "batch": "4",
                     "length": "8192", "gpus": "1", "gpu": "NVIDIA L4"}
    expected = sum(inference(MODELS["Qwen3 8B"], 4, 8192, 4).values()) / 1e9
    assert f"{expected:.1f} GB" in verdict(page)

    again = visit(page.url.removeprefix(site_url))
    assert (verdict(again), parts(again)) == (verdict(page), parts(page))
    assert not again.locator("#fit-optimizer").is_visible()
    language = again.locator('.md-select__link[hreflang="ja"]').get_attribute("href")
    assert urlsplit(language).query == urlsplit(page.url).query


@pytest.mark.parametrize("task", ["lora", "qlora"])
def test_adapters_are_chosen_by_keyboard_and_kept_in_the_address(visit, site_url, task):
    page = visit(PAGES["en"])
    choose(page, "task", task)
    choose(page, "rank", "64")
    choose(page, "optimizer", "adamw-8bit")
    choose(page, "gpu", "NVIDIA L4")
    state = {name: value for name, (value,) in parse_qs(urlsplit(page.url).query).items()}
    assert state == {"task": task, "model": "Llama 3.1 8B", "rank": "64", "optimizer": "adamw-8bit",
                     "checkpointing": "1", "accumulation": "0", "batch": "1", "length": "2048", "gpu": "NVIDIA L4",
                     **({"gpus": "1"} if task == "lora" else {})}
    assert not page.locator("#fit-precision").is_visible()
    assert page.locator("#fit-gpus").is_visible() is (task == "lora")
    step = {"rank": 64, "quantized": task == "qlora", "checkpointing": True, "optimizer": "adamw-8bit"}
    expected = sum(training_of_adapters(MODELS["Llama 3.1 8B"], 1, 2048, **step)[1].values()) / 1e9
    assert f"{expected:.1f} GB" in verdict(page)
    again = visit(page.url.removeprefix(site_url))
    assert (verdict(again), parts(again)) == (verdict(page), parts(page))
    choose(page, "rank", "0")
    assert "is not a number above 0" in fault(page, "rank") and not page.locator(".fit__bar").is_visible()


def test_lora_on_eight_gpus_is_sharded_and_no_other_adapter_is(visit):
    page = visit(PAGES["en"] + "?task=lora&model=Llama+3.1+70B&gpus=8")
    for task in ("lora", "qlora"):
        choose(page, "task", task)
        split = training_of_fsdp_lora(MODELS["Llama 3.1 70B"], 1, 2048, checkpointing=True, ranks=8)[1]
        whole = training_of_adapters(MODELS["Llama 3.1 70B"], 1, 2048, quantized=True, checkpointing=True)[1]
        assert f"{sum((split if task == 'lora' else whole).values()) / 1e9:.1f} GB" in verdict(page)
    choose(page, "task", "lora")
    formulas = page.locator(".fit__formula").all_inner_texts()
    assert formulas[0].replace("\xa0", " ") == "(70,553,706,496 × 2 B + 207,093,760 × 4 B) ÷ 8"


def test_an_encoder_has_its_own_fields_and_says_what_it_cannot(visit, site_url):
    page = visit(PAGES["en"])
    choose(page, "model", "BERT large")
    assert page.locator("#fit-length").input_value() == "512"  # it has no more positions
    page.locator(".fit summary").first.press("Enter")
    shown = page.locator(".fit__shape :is(input, select):not([type=file])").evaluate_all(
        "all => all.filter(each => each.offsetParent).map(each => each.id.slice(4))")
    assert shown == ["family", "vocabulary", "hidden", "intermediate", "layers", "heads", "positions"]
    expected = training_of_encoder(ENCODERS["BERT large"], 1, 512, "mixed", True)[1]
    assert f"{sum(expected.values()) / 1e9:.1f} GB" in verdict(page)
    for name, typed, said in (("length", "513", "512 positions"), ("heads", "15", "15 attention heads"),
                              ("positions", "0", "is not a number above 0")):
        before = page.locator(f"#fit-{name}").input_value()
        choose(page, name, typed)
        assert said in fault(page, name) and not page.locator(".fit__bar").is_visible()
        choose(page, name, before)
        assert not fault(page, name) and page.locator(".fit__bar").is_visible()
    assert parse_qs(urlsplit(page.url).query)["family"] == ["encoder"]
    again = visit(page.url.removeprefix(site_url))
    assert again.locator("#fit-model").input_value() == "own" and parts(again) == parts(page)
    choose(page, "task", "qlora")
    assert "decoders without experts" in fault(page, "task") and page.locator("#fit-task").input_value() == "qlora"
    choose(page, "model", "Qwen3 8B")
    assert not fault(page, "task") and page.locator(".fit__bar").is_visible()
    choose(page, "model", "BERT base")
    choose(page, "task", "infer")
    expected = inference_of_encoder(ENCODERS["BERT base"], 1, 512)
    assert f"{sum(expected.values()) / 1e9:.1f} GB" in verdict(page)


def test_the_config_of_an_encoder_is_read(visit):
    page = visit(PAGES["en"] + "?length=512")
    page.locator(".fit summary").first.press("Enter")
    page.locator("#fit-config").fill(json.dumps(BERT))
    assert page.locator("#fit-family").input_value() == "encoder"
    expected = training_of_encoder(Encoder(21128, 512, 2048, 8, 8), 1, 512, "mixed", True)[1]
    assert f"{sum(expected.values()) / 1e9:.1f} GB" in verdict(page)
    page.locator("#fit-config").fill(json.dumps(LLAMA))
    assert page.locator("#fit-family").input_value() == "decoder" and page.locator("#fit-kv_heads").is_visible()


def test_an_encoder_decoder_has_its_own_fields_and_says_what_it_cannot(visit, site_url):
    page = visit(PAGES["en"] + "?length=512")
    choose(page, "model", "flan-t5-xl")
    page.locator(".fit summary").first.press("Enter")
    shown = page.locator(".fit__shape :is(input, select):not([type=file])").evaluate_all(
        "all => all.filter(each => each.offsetParent).map(each => each.id.slice(4))")
    assert set(shown) == {"family", "vocabulary", "hidden", "intermediate", "layers", "decoder_layers", "heads",
                          "head_size", "gated", "tied"}
    expected = training_of_t5(T5["flan-t5-xl"], 1, 512, "mixed", True)[1]
    assert f"{sum(expected.values()) / 1e9:.1f} GB" in verdict(page)
    assert not page.locator("#fit-gpus").is_visible()
    choose(page, "decoder_layers", "0")
    assert "is not a number above 0" in fault(page, "decoder_layers") and not page.locator(".fit__bar").is_visible()
    choose(page, "decoder_layers", "12")
    assert page.locator("#fit-model").input_value() == "own"
    again = visit(page.url.removeprefix(site_url))
    assert again.locator("#fit-gated").is_checked() and parts(again) == parts(page)
    choose(page, "task", "lora")
    assert "decoders without experts" in fault(page, "task")
    choose(page, "model", "t5-3b")
    assert "decoders without experts" in fault(page, "task") and not page.locator(".fit__bar").is_visible()
    choose(page, "task", "infer")
    assert not fault(page, "task")
    expected = inference_of_t5(T5["t5-3b"], 1, 512)[1]
    assert f"{sum(expected.values()) / 1e9:.1f} GB" in verdict(page)


def test_the_config_of_an_encoder_decoder_is_read(visit):
    page = visit(PAGES["en"] + "?length=512")
    page.locator(".fit summary").first.press("Enter")
    for config, flags in ((FLAN, {"gated": True, "tied": False}),
                          ({name: FLAN[name] for name in FLAN if name not in {"feed_forward_proj",
                           "tie_word_embeddings"}}, {"gated": False, "tied": True}),
                          # What transformers 5 saves of it.
                          (FLAN | {"tie_word_embeddings": True, "scale_decoder_outputs": False},
                           {"gated": True, "tied": False})):
        page.locator("#fit-config").fill(json.dumps(config))
        assert page.locator("#fit-family").input_value() == "encoder-decoder"
        expected = training_of_t5(EncoderDecoder(32128, 512, 1024, 8, 6, 6, 64, **flags), 1, 512, "mixed", True)[1]
        assert f"{sum(expected.values()) / 1e9:.1f} GB" in verdict(page)


def test_a_gpu_before_ampere_has_no_flash_kernel(visit):
    """With grouped key-value heads its attention stores a matrix of length x length."""
    page = visit(PAGES["en"] + "?task=infer&model=Llama+3.2+1B&length=8192&gpu=NVIDIA+T4")
    for flash, gpu in ((False, "NVIDIA T4"), (True, "NVIDIA L4")):
        choose(page, "gpu", gpu)
        expected = sum(inference(MODELS["Llama 3.2 1B"], 1, 8192, flash=flash).values()) / 1e9
        assert f"{expected:.1f} GB" in verdict(page)


def test_a_gpu_keeps_its_kernel_when_its_memory_is_changed(visit, site_url):
    page = visit(PAGES["en"] + "?task=infer&weight_bits=4&length=8192&gpu=NVIDIA+T4")
    before = parts(page)
    assert "memory" not in parse_qs(urlsplit(page.url).query)
    choose(page, "memory", "15")
    assert page.locator("#fit-gpu").input_value() == "NVIDIA T4"
    assert parts(page) == before and "15 GB" in verdict(page)
    again = visit(page.url.removeprefix(site_url))
    assert (verdict(again), parts(again)) == (verdict(page), parts(page))
    choose(again, "gpu", "NVIDIA L4")
    assert again.locator("#fit-memory").input_value() == "24" and "memory" not in parse_qs(urlsplit(again.url).query)


def test_another_gpu_is_said_to_have_the_flash_kernel_where_that_matters(visit):
    page = visit(PAGES["en"] + "?task=infer&length=8192&gpu=own&memory=32")
    note = page.locator(".fit__kernel")
    llama = MODELS["Llama 3.1 8B"]
    has, lacks = (sum(inference(llama, 1, 8192, flash=flash).values()) / 1e9 for flash in (True, False))
    assert f"{has:.1f} GB" in verdict(page)
    assert "flash kernel" in note.inner_text() and f"{lacks:.1f}\xa0GB" in note.inner_text()
    for name, value, other in (("gpu", "NVIDIA L4", "own"), ("model", "BERT base", "Llama 3.1 8B"),
                               ("batch", "0", "1")):
        choose(page, name, value)
        assert not note.is_visible()
        choose(page, name, other)
        assert note.is_visible()
    choose(page, "task", "train")
    assert not note.is_visible()  # a BERT's 512 tokens are few beside the weights
    choose(page, "length", "8192")
    assert note.is_visible()
    choose(page, "precision", "fp32")  # which the kernel does not take on any GPU
    assert not note.is_visible()


def test_a_shape_of_ones_own_is_in_the_address_too(visit, site_url):
    page = visit(PAGES["ja"])
    page.locator(".fit summary").first.press("Enter")
    choose(page, "hidden", "5,120")
    page.locator("#fit-tied").press("Space")
    assert page.locator("#fit-model").input_value() == "own"
    again = visit(page.url.removeprefix(site_url))
    assert again.locator("#fit-tied").is_checked() and again.locator("#fit-hidden").input_value() == "5,120"
    assert parts(again) == parts(page)


def test_a_config_can_be_pasted_opened_and_dropped(visit):
    page = visit(PAGES["en"])
    page.locator(".fit summary").first.press("Enter")
    page.locator("#fit-config").fill(json.dumps(LLAMA))
    pasted = parts(page)
    assert page.locator("#fit-layers").input_value() == "22" and page.locator("#fit-head_size").input_value() == "64"
    choose(page, "model", "Llama 3.1 8B")
    page.locator("#fit-file").set_input_files({"name": "config.json", "mimeType": "application/json",
                                               "buffer": json.dumps(LLAMA).encode()})
    page.wait_for_function("document.querySelector('#fit-layers').value === '22'")
    assert parts(page) == pasted
    choose(page, "model", "Llama 3.1 8B")
    page.evaluate("""text => {
        const carried = new DataTransfer()
        carried.items.add(new File([text], "config.json"))
        document.querySelector(".fit").dispatchEvent(new DragEvent("drop", {dataTransfer: carried, bubbles: true,
                                                                            cancelable: true}))
    }""", json.dumps(LLAMA))
    page.wait_for_function("document.querySelector('#fit-layers').value === '22'")
    assert parts(page) == pasted


@pytest.mark.parametrize(("file", "path", "name"), [
    ("llama-900m.json", "owner/other", "llama-900m.json"), ("config.json", "owner/other", "owner/other"),
    ("config.json", None, "llama"),
])
def test_the_name_of_a_config_is_shown_until_its_shape_is_changed(visit, file, path, name):
    page = visit(PAGES["en"])
    config = LLAMA | ({"_name_or_path": path} if path else {})
    page.locator("#fit-file").set_input_files({"name": file, "mimeType": "application/json",
                                               "buffer": json.dumps(config).encode()})
    page.wait_for_function("document.querySelector('#fit-layers').value === '22'")
    chosen = page.locator("#fit-model option:checked")
    named, _, shown = chosen.inner_text().partition(" · ")
    assert named == name
    page.locator(".fit summary").first.press("Enter")
    choose(page, "layers", "21")
    assert chosen.inner_text() == shown


NO_CONFIGS = [
    ("{not json", "not JSON"),
    ("[1, 2]", "not the config.json of a decoder"),
    ('{"hidden_size": 64}', "lacks vocab_size, intermediate_size"),
    ('{"model_type": "mixtral", "hidden_size": 64}', "num_local_experts"),
    (json.dumps(LLAMA | {"model_type": "gpt2"}), "model type gpt2"),
    (json.dumps(LLAMA | {"hidden_act": "gelu_new"}), "activation function gelu_new"),
    # What holds a language model and an image encoder is not read as the language model alone.
    (json.dumps({"model_type": "internvl", "vision_config": {}, "text_config": LLAMA}), "model type internvl"),
    ('{"model_type": "t5", "d_model": 512, "vocab_size": 32128}', "lacks d_ff, num_layers, num_heads, d_kv"),
    (json.dumps(FLAN | {"model_type": "mt5"}), "model type mt5"),
]


def test_a_file_that_is_no_config_is_said_and_kept(visit):
    page = visit(PAGES["en"])
    page.locator(".fit summary").first.press("Enter")
    before = parts(page)
    for text, said in NO_CONFIGS:
        page.locator("#fit-config").fill(text)
        assert said in page.locator("#fit-config-note").inner_text()
        assert page.locator("#fit-config").input_value() == text
        assert page.locator("#fit-model").input_value() == "Llama 3.1 8B"
        # What was said of the model before is not true of this file.
        assert "GB" not in verdict(page) and not page.locator(".fit__bar").is_visible()
        choose(page, "model", "Llama 3.1 8B")
        assert parts(page) == before and "GB" in verdict(page)


def test_layers_that_are_no_list_are_as_if_none_were_listed(read_page):
    gemma = LLAMA | {"model_type": "gemma2"}
    read = [read_page(PAGES["en"]).evaluate("text => hexaplaFit.shapeOf(text).windowed", json.dumps(gemma | listed))
            for listed in ({}, {"layer_types": None}, {"layer_types": "full"}, {"layer_types": {}})]
    assert read == [11] * 4


def test_the_config_of_an_encoder_is_not_refused_for_a_length_that_the_page_chose(visit):
    page = visit(PAGES["en"])
    page.locator(".fit summary").first.press("Enter")
    page.locator("#fit-config").fill(json.dumps(BERT))
    assert page.locator("#fit-length").input_value() == "512" and not fault(page, "length")
    assert "GB" in verdict(page)


def test_gpus_among_which_heads_cannot_be_divided_are_said_and_not_offered(visit):
    page = visit(PAGES["en"] + "?task=infer&model=Qwen2.5+7B&gpus=4&length=32768&batch=64")
    assert not re.search("GPUs: (8|16|32)", page.locator(".fit__remedies").inner_text())
    choose(page, "gpus", "8")
    assert "28 attention heads" in fault(page, "gpus")
    for shown in page.locator(".fit__bar, .fit__parts, .fit__when, .fit__remedies, .fit__time").all():
        assert not shown.is_visible()  # of the case before
    choose(page, "task", "train")
    assert not fault(page, "gpus") and page.locator(".fit__bar").is_visible()


def test_logits_that_a_chunked_loss_avoids_are_said_where_it_then_fits(visit):
    """As in the recipe, which trains 8 sequences of 1,024 tokens with QLoRA on 24 GB."""
    page = visit(PAGES["en"] + "?task=qlora&gpu=NVIDIA+L4&batch=8&length=1024")
    said = page.locator(".fit__remedies > p").last
    assert f"{12 * 8 * 1024 * 128_256 / 1e9:.1f}\xa0GB of it are logits" in said.inner_text()
    assert said.locator("a").get_attribute("href").endswith("/logits/")
    without = page.evaluate("""hexaplaFit.estimate(hexaplaFit.MODELS["Llama 3.1 8B"], {task: "qlora", rank: 16,
        batch: 8, length: 1024, optimizer: "adamw-8bit", checkpointing: true, chunked: true}).held""")
    recorded = Path(__file__).parents[2] / "snippets/evidence/cpu-intel-xeon.json"
    runs = json.loads(recorded.read_text("utf-8"))["runs"]
    simulated = re.search(r"^longest batch .* ([\d.]+)$", runs["memory/finetune_8b.py"]["output"], re.MULTILINE)
    assert sum(without.values()) / 1e9 == pytest.approx(float(simulated[1]), rel=0.03)
    for name, value, other in (("memory", "17", "24"), ("length", "8192", "1024"), ("task", "infer", "qlora")):
        choose(page, name, value)
        assert not page.locator(".fit__remedies a:visible").count()
        choose(page, name, other)
        assert page.locator(".fit__remedies a:visible").count()


@pytest.mark.parametrize(("task", "model", "gpus", "precision"), [
    ("train", "Llama 3.2 1B", 1, "mixed"), ("train", "Llama 3.1 8B", 8, "bf16"), ("lora", "Llama 3.1 8B", 1, "mixed"),
    ("lora", "Llama 3.1 8B", 4, "mixed"), ("qlora", "Llama 3.1 8B", 1, "mixed"), ("train", "Qwen3 30B-A3B", 1, "bf16"),
    ("lora", "Qwen3 30B-A3B", 1, "mixed"),
])
def test_without_logits_less_is_needed_by_at_most_what_they_take(read_page, task, model, gpus, precision):
    options = {"task": task, "batch": 32, "length": 4096, "gpus": gpus, "rank": 16, "precision": precision,
               "optimizer": "adamw", "checkpointing": True, "accumulation": False}
    shape, whole, chunked = read_page(PAGES["en"]).evaluate("""([name, options]) => {
        const shape = {...hexaplaFit.MODELS, ...hexaplaFit.EXPERTS.MODELS}[name]
        return [shape, ...[false, true].map(chunked => hexaplaFit.estimate(shape, {...options, chunked}))]
    }""", [model, options])
    saved = sum(whole["held"].values()) - sum(chunked["held"].values())
    assert whole["instant"] in {"loss", "forward", "logits"}
    assert 0 < saved <= 12 * 32 * 4096 * shape["vocabulary"]
    assert chunked["held"]["weights"] == whole["held"]["weights"]


def test_a_gpu_without_bf16_is_not_offered_for_it_and_says_so(visit):
    page = visit(PAGES["en"] + "?task=qlora&gpu=NVIDIA+L4")
    assert page.locator(".fit__verdict").get_attribute("data-verdict") == "fits"
    assert "T4" not in page.locator(".fit__answer").inner_text()
    choose(page, "gpu", "NVIDIA T4")
    assert "no bf16" in fault(page, "gpu") and page.locator(".fit__bar").is_visible()
    choose(page, "model", "SmolLM2 1.7B")
    for task, precision, lacks in (("train", "bf16", True), ("train", "fp32", False), ("lora", None, True),
                                   ("infer", None, False)):
        choose(page, "task", task)
        if precision:
            choose(page, "precision", precision)
        assert bool(fault(page, "gpu")) is lacks, (task, precision)
        choose(page, "gpu", "NVIDIA L4")
        assert not fault(page, "gpu")
        assert ("T4" in page.locator(".fit__remedies").inner_text()) is (task == "infer")
        choose(page, "gpu", "NVIDIA T4")


def test_two_changes_are_offered_where_none_is_enough_and_else_the_largest_part(visit):
    page = visit(PAGES["en"] + "?task=qlora&batch=4&length=8192&gpu=NVIDIA+GeForce+RTX+4090")
    pair = page.locator(".fit__remedies button")
    assert pair.count() == 1 and " + " in pair.inner_text()
    pair.click()
    assert page.locator(".fit__verdict").get_attribute("data-verdict") in {"fits", "tight"}
    for name, value in (("batch", "64"), ("length", "32768")):
        choose(page, name, value)
    assert not pair.count()
    assert "The largest part: Logits and workspace, 3,227.7\xa0GB" in page.locator(".fit__remedies").inner_text()


def test_gpus_that_are_not_counted_are_shown_and_said(visit):
    page = visit(PAGES["en"] + "?gpus=8")
    choose(page, "task", "qlora")
    assert page.locator("#fit-gpus").is_disabled() and "one GPU" in fault(page, "gpus")
    assert page.locator("#fit-gpus").is_visible()
    choose(page, "task", "lora")
    assert page.locator("#fit-gpus").is_enabled() and not fault(page, "gpus")


def test_more_gpus_than_there_are_and_a_prompt_longer_than_the_sequence_are_said(visit):
    page = visit(PAGES["en"] + "?gpus=100001")
    page.set_viewport_size({"width": 390, "height": 844})
    assert "too large" in fault(page, "gpus") and not page.locator(".fit__bar").is_visible()
    choose(page, "gpus", "100000")
    assert not fault(page, "gpus") and page.locator(".fit__bar").is_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.set_viewport_size({"width": 1280, "height": 900})
    choose(page, "gpus", "1")
    choose(page, "task", "infer")
    choose(page, "prompt", "1793")  # and 256 of the answer
    assert "2,048 tokens" in fault(page, "prompt")
    choose(page, "prompt", "1792")
    assert not fault(page, "prompt")


def test_less_than_a_tenth_left_is_tight(visit):
    page = visit(PAGES["en"])  # 128.5 GB
    for memory, told in (("129", "tight"), ("143", "fits"), ("128", "does-not-fit")):
        choose(page, "memory", memory)
        assert page.locator(".fit__verdict").get_attribute("data-verdict") == told


def test_each_remedy_makes_it_fit_by_one_click(visit, site_url):
    page = visit(PAGES["en"])
    remedies = page.locator(".fit__remedies button")
    assert 1 < remedies.count() <= 5
    for number in range(remedies.count()):
        page.goto(site_url + PAGES["en"])
        page.locator(".fit__remedies button").nth(number).press("Enter")
        assert page.locator(".fit__verdict").get_attribute("data-verdict") in {"fits", "tight"}
        left = page.locator(".fit__remedies")
        assert not left.is_visible() or left.inner_text().startswith("Smaller GPUs")


def test_smaller_gpus_that_hold_it_are_chosen_by_one_click(visit):
    page = visit(PAGES["en"] + "?task=lora&gpu=NVIDIA+H200")
    smaller = page.locator(".fit__remedies button")
    assert "L4" in smaller.first.inner_text()
    smaller.first.click()
    assert page.locator("#fit-gpu").input_value() == "NVIDIA L4" and page.locator("#fit-memory").input_value() == "24"
    assert page.locator(".fit__verdict").get_attribute("data-verdict") == "fits"


def test_the_result_is_beside_the_form_and_on_a_phone_its_verdict_stays_in_view(visit):
    page = visit(PAGES["en"])
    for width in (820, 1440):
        page.set_viewport_size({"width": width, "height": 900})
        page.evaluate("scrollTo(0, 0)")
        form, answer = (page.locator(each).bounding_box() for each in (".fit__form", ".fit__verdict"))
        assert answer["x"] >= form["x"] + form["width"] and answer["y"] < form["y"] + 100
        page.locator("#fit-price").evaluate("each => scrollBy(0, each.getBoundingClientRect().top - 300)")
        top, bottom = page.locator(".fit__result").evaluate("""each => [
            document.querySelector(".md-header").getBoundingClientRect().bottom - each.getBoundingClientRect().top,
            each.lastChild.getBoundingClientRect().bottom]""")
        assert abs(top) < 2 and bottom < 300  # below the header
    page.set_viewport_size({"width": 390, "height": 844})
    page.locator("#fit-model").scroll_into_view_if_needed()
    assert page.locator(".fit__verdict").evaluate("each => each.getBoundingClientRect().bottom <= innerHeight")


@pytest.mark.parametrize("path", ["/", PAGES["en"]])
def test_what_lies_beyond_the_memory_is_hatched_from_the_mark_on(visit, path):
    bar = visit(path).locator(".fit__bar")
    hatched, marked, whole, image = bar.evaluate("""bar => {
        const {width, backgroundImage} = getComputedStyle(bar, "::before")
        return [parseFloat(width), bar.lastChild.offsetLeft, bar.clientWidth, backgroundImage] }""")
    assert image.startswith("repeating-linear-gradient")
    assert 0.2 * whole < hatched == pytest.approx(whole - marked, abs=1)


@pytest.mark.parametrize("language", PAGES)
def test_what_is_chosen_is_not_cut_and_no_number_is_parted_from_its_unit(read_page, language):
    page = read_page(PAGES[language])
    needs = page.locator("#fit-precision").evaluate("""select => {
        const text = document.createElement("canvas").getContext("2d")
        const {fontSize, fontFamily} = getComputedStyle(select)
        text.font = `${fontSize} ${fontFamily}`
        return text.measureText(select.selectedOptions[0].textContent).width
    }""")
    assert needs < page.locator("#fit-precision").bounding_box()["width"] - 40  # the arrow and what is around the text
    beside = page.locator(".fit__form > .fit__grid:last-of-type > .fit__field:visible").evaluate_all("""all => all
        .map(each => [each.getBoundingClientRect().bottom, each.matches(".fit__field--box")])""")
    boxed, named = ([round(bottom) for bottom, box in beside if box is kind] for kind in (True, False))
    assert len(boxed) == len({*boxed}) == 2 and not {*boxed} & {*named}, "a checkbox stands beside another field"
    said = page.locator(".fit__verdict").inner_text()
    assert len(re.findall("\\d\xa0GB", said)) == said.count("GB") == 3


def test_a_config_with_a_size_that_is_none_is_said_beside_the_field(visit):
    page = visit(PAGES["en"])
    page.locator(".fit summary").first.press("Enter")
    for hidden in (0, -4, "many", 2.5, None):
        page.locator("#fit-config").fill(json.dumps(LLAMA | {"hidden_size": hidden, "head_dim": 64}))
        assert "is not a number above 0" in fault(page, "hidden"), hidden
        assert page.locator("#fit-hidden").get_attribute("aria-invalid") == "true"
        assert not page.locator(".fit__bar").is_visible()
        page.locator("#fit-config").fill(json.dumps(LLAMA))
        assert not fault(page, "hidden") and page.locator(".fit__bar").is_visible()


@pytest.mark.parametrize("width", [390, 1280])
def test_what_is_wrong_in_a_field_does_not_move_the_one_beside_it(visit, width):
    page = visit(PAGES["ja"], width=width)

    def tops():
        return [page.locator(f"#fit-{name}").evaluate("each => each.getBoundingClientRect().top + scrollY")
                for name in ("length", "batch")]

    before = tops()
    assert before[0] == before[1]  # their names have not the same number of lines
    choose(page, "batch", "abc")  # which a page may scroll to
    assert fault(page, "batch")
    assert tops() == before


@pytest.mark.parametrize("language", PAGES)
def test_what_is_typed_is_kept_and_what_is_wrong_is_said(visit, language):
    page = visit(PAGES[language])
    page.locator(".fit summary").first.press("Enter")
    for name, typed in (("layers", "0"), ("batch", "-1"), ("length", "long"), ("gpus", ""), ("memory", "0"),
                        ("batch", "1e300"), ("heads", "3")):
        before = page.locator(f"#fit-{name}").input_value()
        choose(page, name, typed)
        if not typed:
            page.keyboard.press("Delete")
        place = "kv_heads" if name == "heads" else name
        assert fault(page, place) and page.locator(f"#fit-{name}").input_value() == typed
        assert not page.locator(".fit__bar").is_visible()
        assert language == "en" or re.search("[\u3040-\u30ff\u4e00-\u9fff]", fault(page, place))
        choose(page, name, before)
        assert not fault(page, place) and page.locator(".fit__bar").is_visible()


@pytest.mark.parametrize(("typed", "tokens"), [
    ("8k", 8192), ("128K", 131_072), ("1M", 1_048_576), ("1.5k", 1536), ("８１９２", 8192), ("８Ｋ", 8192),
])
def test_a_length_may_be_typed_in_units_of_1024_and_is_read_from_the_address(visit, site_url, typed, tokens):
    page = visit(PAGES["ja"] + "?task=infer&model=Qwen3+8B&gpu=NVIDIA+H200")
    choose(page, "length", f"{tokens}")
    expected = parts(page)
    assert not fault(page, "length")
    choose(page, "length", typed)
    assert parts(page) == expected and fault(page, "length") == (f"= {tokens:,}" if typed[-1] in "kKMＫ" else "")
    assert not page.locator("#fit-length").get_attribute("aria-invalid")
    again = visit(page.url.removeprefix(site_url))
    assert again.locator("#fit-length").input_value() == typed and parts(again) == expected


def test_a_unit_stands_behind_a_number_of_tokens_alone(visit):
    page = visit(PAGES["en"] + "?task=infer&length=32k&prompt=24k&answer=8k")
    assert [fault(page, name) for name in ("length", "prompt", "answer")] == ["= 32,768", "= 24,576", "= 8,192"]
    for name, typed in (("length", "8q"), ("length", "k"), ("length", "8kk"), ("batch", "2k"), ("memory", "80k")):
        before = page.locator(f"#fit-{name}").input_value()
        choose(page, name, typed)
        assert "is not a number above 0" in fault(page, name) and not page.locator(".fit__bar").is_visible(), typed
        choose(page, name, before)
    choose(page, "task", "train")
    choose(page, "tokens", "15T")  # its field is in billions
    assert fault(page, "tokens") == "= 15,000"
    choose(page, "model", "BERT base")
    assert page.locator("#fit-length").input_value() == "512"


def test_a_gpu_that_is_too_small_for_anything_is_said(visit):
    page = visit(PAGES["en"] + "?model=Llama+3.1+70B")
    choose(page, "memory", "0.5")
    assert "too small for the weights alone" in verdict(page)
    assert page.locator(".fit__bar").is_visible()


def test_an_address_with_a_choice_that_is_none_is_said(visit):
    page = visit(PAGES["en"] + "?precision=fp7&batch=x&model=Nothing")
    assert "fp7" in fault(page, "precision") and "Nothing" in fault(page, "model")
    assert fault(page, "batch") and page.locator("#fit-batch").input_value() == "x"


@pytest.mark.parametrize("language", PAGES)
def test_it_fits_a_phone(read_page, language):
    page = read_page(PAGES[language])
    page.set_viewport_size({"width": 390, "height": 844})
    page.locator(".fit details").evaluate_all("all => all.forEach(each => { each.open = true })")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    wide = page.locator(".fit :is(input, select, textarea, table, .fit__bar)").evaluate_all(
        "all => all.filter(each => each.getBoundingClientRect().right > 390).map(each => each.outerHTML)")
    page.set_viewport_size({"width": 1280, "height": 900})
    assert not wide


@pytest.mark.parametrize("language", PAGES)
def test_axe_finds_nothing_serious_in_the_calculator(read_page, language):
    from axe_playwright_python.sync_playwright import Axe

    page = read_page(PAGES[language])
    page.locator(".fit details").evaluate_all("all => all.forEach(each => { each.open = true })")
    for scheme, painted, batch in (("dark", "slate", "0"), ("light", "default", "1")):
        choose(page, "batch", batch)
        page.emulate_media(color_scheme=scheme)
        page.wait_for_selector(f"body[data-md-color-scheme={painted}]")
        found = Axe().run(page, context=".fit").response["violations"]
        serious = [f"{each['id']}: {node['html'][:200]}" for each in found if each["impact"] in {"serious", "critical"}
                   for node in each["nodes"]]
        assert not serious, scheme
