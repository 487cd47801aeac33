"""The lookup of kinds of models in real Chromium: it says what the table says of what is typed, or of a config.json."""

import json
import re
import sys
from collections import Counter
from itertools import chain
from pathlib import Path

import pytest
import yaml

from benchmarks.pages import open_slowly
from tests.cases import cases

ROOT = Path(__file__).parents[2]
TABLE = ROOT / "docs/assets/models.json"
pytestmark = pytest.mark.skipif(not TABLE.is_file(), reason="snippets/models/table.py --write has not made its data")
PAGES = {"en": "/models/", "zh": "/zh/models/", "zh-Hant": "/zh-Hant/models/", "ja": "/ja/models/"}
LETTERS = {"w": "works", "d": "differs", "r": "raises", "-": "not-applicable", "?": "not-tried"}

sys.path.append(str(ROOT / "snippets/models"))  # where its programs import one another from
from _texts import condition, divided_settings  # noqa: E402
from _traits import TRAITS, decide_traits, number_divided  # noqa: E402


@pytest.fixture(scope="module")
def table():
    return json.loads(TABLE.read_text(encoding="utf-8"))


def said(page):
    return page.locator(".lookup__said").inner_text()


def ask(page, text):
    page.locator("#lookup-kind").fill(text)


def unfold(page):
    page.locator(".lookup details").evaluate_all("all => all.forEach(each => { each.open = true })")


def group(page, key):
    """The items of a group of the answer, which may be folded."""
    unfold(page)
    items = page.locator(f".lookup__group--{key} + * li").all_inner_texts()
    return [" ".join(item.split()) for item in items]


def found_kinds(page, table, names):
    find = "([table, names]) => names.map(name => hexaplaLookup.findKinds(table, name).kind)"
    return page.evaluate(find, [table, names])


def open_config(page, text):
    page.locator("#lookup-file").set_input_files(
        {"name": "config.json", "mimeType": "application/json", "buffer": text.encode()}
    )


def test_the_traits_that_settings_show_are_those_of_the_program(visit):
    page = visit(PAGES["en"])
    assert page.evaluate("hexaplaLookup.SHOWN") == [trait.name for trait in TRAITS if not trait.of_model]
    configs = [case.values[0]["settings"] for case in cases("site/configs")]
    found = page.evaluate("configs => configs.map(hexaplaLookup.decideTraits)", configs)
    assert found == [decide_traits(settings) for settings in configs]
    shown = set(page.evaluate("hexaplaLookup.SHOWN"))
    for held in (True, False):
        assert {name for each in found for name in each if each[name] is held} == shown


@pytest.mark.parametrize("language", PAGES)
def test_what_fails_for_a_trait_that_the_configuration_lacks_has_not_been_tried(visit, table, language):
    page = visit(f"{PAGES[language]}?kind=mistral")
    title = table["texts"][language]["methods"]["quantized-cache"]
    page.wait_for_selector(".lookup__group--raises")
    assert any(item.startswith(title) for item in group(page, "raises"))
    open_config(page, json.dumps({"model_type": "mistral", "sliding_window": None}))
    page.wait_for_selector(".lookup__group--gone")
    assert len(group(page, "gone")) == 1
    assert any(item.startswith(title) for item in group(page, "not-tried"))


def test_what_ranks_must_divide_is_the_number_of_the_program(visit, table):
    page = visit(PAGES["en"])
    configs = [case.values[0]["settings"] for case in cases("site/configs")]
    ask_each = """([table, configs]) => configs.map(settings => hexaplaLookup.lookUp(
        table, "", {}, hexaplaLookup.languageSettings(settings)).results.map(each => [each.method, each.count]))"""
    found = [dict(each) for each in page.evaluate(ask_each, [table, configs])]
    methods = table["methods"]
    assert found == [{method: number_divided(settings, divided_settings(method)) for method in methods}
                     for settings in configs]
    assert {each["tensor-parallelism"] for each in found} >= {0, 1, 2}


@pytest.mark.parametrize("language", PAGES)
@pytest.mark.parametrize(("heads", "key"), [(1, "doubt"), (4, "works")])
def test_a_configuration_says_what_ranks_must_divide(visit, table, language, heads, key):
    page = visit(PAGES[language])
    page.wait_for_selector(".lookup--ready")
    open_config(page, json.dumps({"model_type": "gemma3_text", "num_attention_heads": 8, "num_key_value_heads": heads}))
    page.wait_for_selector(f".lookup__group--{key}")
    title = table["texts"][language]["methods"]["tensor-parallelism"]
    item = next(item for item in group(page, key) if item.startswith(title))
    assert item == f"{title} {condition('tensor-parallelism', heads, language)}"


def test_each_kind_has_the_results_of_the_table(visit, table):
    page = visit(PAGES["en"])
    found = page.evaluate("table => Object.keys(table.kinds).map(kind => hexaplaLookup.lookUp(table, kind))", table)
    for (_, traits, letters), answer in zip(table["kinds"].values(), found, strict=True):
        assert answer["own"] == [table["traits"][index] for index in traits]
        if letters:
            results = [each["result"] for each in answer["results"]]
            assert results == [LETTERS[letter] for letter in letters]


@pytest.mark.parametrize("language", PAGES)
def test_the_numbers_come_first_and_what_holds_for_several_methods_is_said_once(visit, table, language):
    page = visit(PAGES[language] + "?kind=mixtral")
    page.wait_for_selector(".lookup__group")
    counts = Counter(LETTERS[letter] for letter in table["kinds"]["mixtral"][2])
    works, *less = (counts[key] for key in ("works", "differs", "raises"))
    for text, numbers in ((said(page).splitlines()[0], [works, works + sum(less)]),
                          (page.locator(".lookup__counts").inner_text(), [works, *filter(None, less)])):
        assert sorted(map(int, re.findall("[0-9]+", text))) == sorted(numbers)
    notes = page.locator(".lookup__group--differs + ul > li > div").all_inner_texts()
    assert len(notes) == len(set(notes)) < counts["differs"]


def test_a_verdict_has_its_sign_and_a_colour_that_can_be_read(visit):
    page = visit(PAGES["en"] + "?kind=gemma2")
    page.wait_for_selector(".lookup__group")
    for scheme, painted in (("light", "default"), ("dark", "slate")):
        page.emulate_media(color_scheme=scheme)
        page.wait_for_selector(f"body[data-md-color-scheme={painted}]")
        colours = {}
        for key, sign in (("works", "✓"), ("differs", "≠"), ("raises", "✗")):
            colour, paper, content = page.locator(f".lookup__count--{key}").evaluate("""each => [
                getComputedStyle(each).color, getComputedStyle(each.closest("p")).backgroundColor,
                getComputedStyle(each, "::before").content]""")
            assert sign in content and contrast(colour, paper) >= 4.5, (scheme, key)
            colours[key] = colour
            if key != "works":  # its list is folded
                head = page.locator(f".lookup__group--{key}")
                assert head.evaluate("each => getComputedStyle(each, '::before').color") == colour
                assert head.evaluate("each => getComputedStyle(each, '::before').content") == content
        assert colours["works"] != colours["differs"]


def contrast(one, other):
    """The contrast of two colours, rgb(1, 2, 3), by WCAG 2.1."""
    def luminance(colour):
        parts = [int(part) / 255 for part in re.findall(r"\d+", colour)[:3]]
        red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    dark, light = sorted(map(luminance, (one, other)))
    return (light + 0.05) / (dark + 0.05)


def test_what_works_is_a_list_for_each_thing_that_a_reader_does_remarks_first(visit, table):
    page = visit(PAGES["en"] + "?kind=qwen3")
    page.wait_for_selector(".lookup__group")
    methods = [name for name, letter in zip(table["methods"], table["kinds"]["qwen3"][2], strict=True) if letter == "w"]
    assert said(page).splitlines()[:1] == [f"qwen3: all {len(methods)} tried methods work"]
    assert not page.locator(".lookup__areas").is_visible()
    unfold(page)
    areas = page.locator(".lookup__group--works + .lookup__areas > div")
    lists = [area.locator("li > a").all_inner_texts() for area in areas.all()]
    assert areas.locator(":scope > p").all_inner_texts() == [
        "Train", "Save memory", "Load and save", "Generate and serve", "Use several GPUs"]
    assert sorted(chain.from_iterable(lists)) == sorted(table["texts"]["en"]["methods"][name] for name in methods)
    page.locator("#lookup-kind").fill('{"model_type": "qwen3", "num_attention_heads": 32, "num_key_value_heads": 8}')
    page.wait_for_selector(".lookup__areas div div", state="attached")
    unfold(page)
    remarks = areas.locator("ul").evaluate_all(
        "lists => lists.map(list => [...list.children].map(item => item.childElementCount > 1))")
    assert any(map(any, remarks)) and all(each == sorted(each, reverse=True) for each in remarks)


@pytest.mark.parametrize("language", PAGES)
def test_a_kind_in_the_address_is_answered_in_the_readers_language(visit, table, language):
    page = visit(PAGES[language] + "?kind=gemma2")
    page.wait_for_selector(".lookup__group")
    name, traits, letters = table["kinds"]["gemma2"]
    counts = Counter(letters)
    head, below = said(page).splitlines()[0], page.locator(".lookup__said small").inner_text()
    assert {str(counts["w"]), str(sum(counts[letter] for letter in "wdr"))} <= set(re.findall(r"\d+", head))
    assert name in below and "CPU" in below
    texts = table["texts"][language]
    named = page.locator(".lookup__group--traits + ul strong").all_inner_texts()
    assert named == [texts["traits"][table["traits"][each]][0] for each in traits]
    for key in ("differs", "raises"):
        methods = [method for method, letter in zip(table["methods"], letters, strict=True) if LETTERS[letter] == key]
        links = page.locator(f".lookup__group--{key} + ul a").all_inner_texts()
        assert sorted(links) == sorted(texts["methods"][method] for method in methods)
    unfold(page)
    link = page.locator(".lookup__group--works + .lookup__areas a").first
    link.click()
    assert page.url.split("#")[0] != page.url


def test_typing_is_answered_kept_in_the_address_and_carried_to_other_languages(visit):
    page = visit(PAGES["en"])
    page.locator("#lookup-kind").focus()
    page.keyboard.type("gemma-2")
    assert said(page).startswith("gemma2: ")
    assert page.url.endswith("?kind=gemma2")
    assert page.locator(".md-select__link[hreflang=ja]").evaluate("link => link.search") == "?kind=gemma2"
    ask(page, "")
    assert "?" not in page.url and said(page).startswith("qwen3: ")
    page.keyboard.press("Tab")
    assert page.locator("#lookup-kind").input_value() == "Qwen3 8B" and "?" not in page.url


@pytest.mark.parametrize("own", ["keys", "mouse"])
def test_what_is_typed_takes_the_place_of_the_example_and_changes_what_was_typed(visit, own):
    page = visit(PAGES["en"])
    page.wait_for_selector(".lookup__group")
    field = page.locator("#lookup-kind")
    field.click() if own == "mouse" else field.focus()
    page.keyboard.type("gemma-2")
    assert field.input_value() == "gemma-2"
    page.keyboard.press("Tab")
    field.click() if own == "mouse" else field.focus()
    page.keyboard.press("End")
    page.keyboard.type("b")
    assert field.input_value() == "gemma-2b"


@pytest.mark.parametrize("language", PAGES)
def test_until_a_reader_chooses_the_answer_is_that_of_the_first_example_and_says_so(visit, language):
    page = visit(PAGES[language])
    page.wait_for_selector(".lookup__group")
    assert "?" not in page.url and page.locator("#lookup-kind").input_value() == "Qwen3 8B"
    assert "?" not in page.locator(".md-select__link[hreflang=ja]").get_attribute("href")
    example = said(page).splitlines()
    assert "?model=Qwen3+8B#" in page.locator(".lookup a.md-button").get_attribute("href")
    page.locator(".lookup__examples button").first.click()
    chosen = said(page).splitlines()
    assert [line for line in example if line not in chosen] == example[1:2]
    assert [line for line in chosen if line not in example] == []


@pytest.mark.parametrize("width", [1280, 390])
def test_the_example_moves_nothing_while_the_page_loads(site_url, browser, width):
    assert open_slowly(browser, f"{site_url}/models/", width, slowdown=8)[1] < 0.01


def test_a_kind_that_was_not_tried_asks_for_its_configuration_and_shows_those_of_its_traits(visit, table):
    kind = next(kind for kind, (_, _, letters) in table["kinds"].items() if not letters)
    page = visit(f"{PAGES['en']}?kind={kind}")
    page.wait_for_function("document.querySelector('.lookup__said')?.textContent")
    assert said(page).startswith(f"{kind} has not been tried.\nOpen its config.json")
    assert page.locator(".lookup__group").count() == 0
    open_config(page, json.dumps({"model_type": kind, "tie_word_embeddings": True}))
    page.wait_for_selector(".lookup__group")
    tied = table["traits"].index("tied-head")
    alike = [letters for _, traits, letters in table["kinds"].values() if letters and tied in traits]
    at = list(table["methods"]).index("packing")
    results = [letters[at] for letters in alike if letters[at] in "wdr"]
    name = table["texts"]["en"]["methods"]["packing"]
    item = next(item for item in group(page, "not-tried") if item.startswith(name))
    assert f"works for {results.count('w')} of {len(results)}" in item


def test_names_of_checkpoints_are_read_as_by_the_program(visit, table):
    names = yaml.safe_load((ROOT / "tests/cases/models/names.yml").read_text(encoding="utf-8"))
    page = visit(PAGES["en"])
    assert found_kinds(page, table, [each["name"] for each in names]) == [each["kind"] or "" for each in names]


def test_each_model_of_the_calculator_and_the_examples_are_found(visit, table):
    page = visit("/will_it_fit/")
    page.wait_for_selector("#fit-model")
    names = page.evaluate("() => [...document.querySelectorAll('#fit-model option')].map(option => option.value)")
    names.remove("own")
    assert table["names"]["models"] == names
    page = visit(PAGES["en"])
    found = page.evaluate("([table, names]) => names.map(name => hexaplaLookup.findModel(table, name))", [table, names])
    assert found == names
    page.wait_for_selector(".lookup--ready")
    examples = page.locator(".lookup__examples button")
    for name in examples.all_inner_texts():
        page.get_by_role("button", name=name).click()
        assert page.locator("#lookup-kind").input_value() == name and page.locator(".lookup a.md-button").is_visible()
        names.append(name)
    found = found_kinds(page, table, names)
    assert len(names) > 20 and [name for name, kind in zip(names, found, strict=True) if not kind] == []


@pytest.mark.parametrize("language", PAGES)
def test_a_kind_that_a_name_tells_is_shown_and_said_to_be_read(visit, language):
    page = visit(PAGES[language])
    ask(page, "Qwen/Qwen2.5-7B-Instruct")
    assert said(page).startswith("qwen2") and "config.json" in said(page)
    assert page.locator(".lookup__group--works").is_visible()
    ask(page, "qwen2")
    assert said(page).startswith("qwen2") and "config.json" not in said(page)


def test_similar_names_are_offered_where_nothing_tells_the_kind(visit):
    page = visit(PAGES["en"])
    ask(page, "Qwen9")
    assert "no kind “Qwen9”" in said(page) and not page.locator(".lookup__group").count()
    assert not page.locator("article a.md-button").is_visible()  # the calculator does not know it either
    offered = page.locator(".lookup__said button").first
    assert offered.inner_text().startswith("qwen")
    offered.press("Enter")
    assert page.locator(".lookup__group--works").is_visible()


def test_a_name_that_every_object_has_is_no_kind(visit):
    page = visit(PAGES["en"])
    ask(page, "constructor")
    assert "no kind “constructor”" in said(page)


@pytest.mark.parametrize("case", cases("site/configs"))
def test_a_configuration_is_read_as_far_as_it_can_be(visit, case):
    page = visit(PAGES["en"])
    page.wait_for_selector(".lookup--ready")
    open_config(page, case.get("text") or json.dumps(case["settings"]))
    page.wait_for_function("document.querySelector('.lookup__said').textContent")
    assert case["says"] in said(page)
    assert page.locator(".lookup__group").count() == 0 or "fault" not in case


def test_a_trait_that_only_the_configuration_has_is_a_doubt(visit, table):
    page = visit(PAGES["en"])
    limited = {method: about["because"] for method, about in table["methods"].items()}
    method = next(method for method, because in limited.items() if "logit-soft-cap" in because)
    page.wait_for_selector(".lookup--ready")
    open_config(page, json.dumps({"model_type": "llama", "final_logit_softcapping": 30.0}))
    page.wait_for_selector(".lookup__group--doubt")
    assert any(item.startswith(table["texts"]["en"]["methods"][method]) for item in group(page, "doubt"))
    assert page.locator(".lookup__group--more + ul > li").count() == 1


def test_it_fits_a_phone_and_axe_finds_nothing_serious(visit):
    from axe_playwright_python.sync_playwright import Axe

    page = visit(PAGES["ja"] + "?kind=gemma2", width=390)
    page.wait_for_selector(".lookup__group")
    box = page.locator(".lookup").bounding_box()
    assert box["x"] >= 0 and box["x"] + box["width"] <= 390
    found = Axe().run(page, {"include": [[".lookup"]]}).response["violations"]
    assert not [each["id"] for each in found if each["impact"] in {"serious", "critical"}]


def test_without_javascript_a_sentence_leads_to_the_tables(built_site):
    html = (built_site / "models/index.html").read_text(encoding="utf-8")
    assert '<div class="lookup"' in html and 'href="#methods"' in html.split('class="lookup"')[1][:400]


@pytest.mark.parametrize(("name", "model"), [
    ("Qwen/Qwen3-8B", "Qwen3 8B"), ("meta-llama/Llama-3.1-8B-Instruct", "Llama 3.1 8B"), ("mixtral", "Mixtral 8x7B"),
    ("unsloth/Meta-Llama-3.1-8B-Instruct-bnb-4bit", "Llama 3.1 8B"), ("Qwen/Qwen3-8B-Base", "Qwen3 8B"),
    ("google-bert/bert-large-uncased", "BERT large"), ("google-t5/t5-base", "t5-base"),
    ("gemma3:12b-it-qat", "Gemma 3 12B"),
])
def test_the_calculator_opens_with_the_model_that_was_looked_up(visit, name, model):
    page = visit(PAGES["ja"])
    page.wait_for_selector(".lookup--ready")
    ask(page, name)
    page.locator(".lookup a.md-button").click()
    page.wait_for_selector("#fit-model")
    assert page.locator("#fit-model").input_value() == model


@pytest.mark.parametrize("language", PAGES)
def test_the_calculators_choices_are_kept_on_the_way_to_the_lookup_and_back(visit, language):
    choices = "task=qlora&gpu=NVIDIA+L4&length=4k&batch=2"
    page = visit(f"{PAGES[language].replace('models', 'will_it_fit')}?{choices}&model=Qwen3+8B")
    shown = "all => all.map(each => each.value)"
    fields = "#fit-task, #fit-model, #fit-gpu, #fit-memory, #fit-length, #fit-batch"
    before = page.locator(fields).evaluate_all(shown)
    for name, model in (("", "Qwen3 8B"), ("meta-llama/Llama-3.1-70B", "Llama 3.1 70B")):
        page.locator("article p > a[href$='#lookup']").press("Enter")
        page.wait_for_selector(".lookup__group")
        assert said(page).startswith("qwen3")
        if name:
            ask(page, name)
        page.locator(".lookup a.md-button").press("Enter")
        page.wait_for_selector("#fit-model")
        assert page.locator(fields).evaluate_all(shown) == [model if each == "Qwen3 8B" else each for each in before]


def test_the_calculator_says_that_a_model_is_not_in_its_list(visit):
    page = visit(PAGES["en"])
    page.wait_for_selector(".lookup--ready")
    ask(page, "microsoft/Phi-3-mini-4k-instruct")
    page.locator(".lookup a.md-button").click()
    page.wait_for_selector("#fit-model")
    assert "phi-3-mini" in page.locator("#fit-model-note").inner_text().lower()
    assert "open" in page.locator("#fit-model-note").inner_text()
    assert not page.locator(".fit__bar").is_visible() and page.locator("#fit-config").is_visible()
    page.locator("#fit-model").select_option("Llama 3.1 70B")
    assert page.locator(".fit__bar").is_visible() and not page.locator("#fit-model-note").inner_text()


def test_the_calculator_reads_the_configuration_that_was_looked_up(visit):
    page = visit(PAGES["en"], own=True)
    page.wait_for_selector(".lookup--ready")
    sizes = {"hidden_size": 512, "intermediate_size": 1024, "num_hidden_layers": 3, "num_attention_heads": 8}
    open_config(page, json.dumps({"model_type": "llama", "vocab_size": 1000, "_name_or_path": "owner/small", **sizes}))
    page.wait_for_selector(".lookup__group")
    assert said(page).startswith("owner/small · llama: ")
    page.locator(".lookup a.md-button").click()
    page.wait_for_selector("#fit-model")
    assert page.locator("#fit-model option:checked").inner_text().startswith("owner/small · ")
    assert page.locator("#fit-layers").input_value() == "3"
    page.goto(page.url.split("?")[0])
    page.wait_for_selector("#fit-model")
    assert page.locator("#fit-model").input_value() == "Llama 3.1 8B"
