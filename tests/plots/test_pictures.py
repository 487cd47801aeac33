"""Pictures of bits, collectives, sharding and decoding say what their snippets printed, in the reader's words."""

import re
from collections import Counter

import pytest

pytest.importorskip("matplotlib", reason="needs matplotlib, which draws the plots: make venv")

from benchmarks.plots import bits, collectives, decoding, draw, evidence, sharding
from benchmarks.plots.__main__ import LOOKS as ALL
from benchmarks.plots.__main__ import PLOTS, ROOT, named, words
from benchmarks.plots.svg import BLUE, GREEN, NOTHING, ORANGE, PINK, SKY, cell

JA = words("ja").__getitem__
LOOKS = [draw.Look("ja", "light", form) for form in (draw.WIDE, draw.NARROW)]
BITS = """3.14 in every format
fp16      0 10000 1001001000 3.140625 65504
bf16      0 10000000 1001001 3.140625 3.38953e+38"""
COLLECTIVES = """all-reduce
  rank 0: 1 2 -> 11 22
  rank 1: 10 20 -> 11 22
all-gather
  rank 0: 1 -> 1 10
  rank 1: 10 -> 1 10"""
ORDER = "gather rest\ngather layer 1\nforward layer 1\nfree layer 1\nforward rest\ngather layer 1\nbackward rest\n" + (
    "backward layer 1\nfree layer 1\nscatter layer 1\nfree rest\nscatter rest"
)
STEPS = "Keys, growing  2 3 4\nKeys, static   2 4 4\nPasses, drafts: 3 2\n      accepted: 1 2"
IMAGE = re.compile(
    r"!\[(?P<alt>[^\]]*)\]\([^)\s]*/plots/(?P<name>[^)\s]+)-en-(?P<scheme>light|dark)\.svg#only-(?P=scheme)\)"
)


@pytest.mark.parametrize("read", [bits.read, collectives.read, sharding.read, decoding.read])
def test_an_output_of_another_snippet_is_named(read) -> None:
    with pytest.raises(evidence.TableError, match="again"):
        read("title\n  other 1 2 3\n")


@pytest.mark.parametrize("look", LOOKS)
def test_a_format_has_its_bits_its_value_and_its_largest_number(look: draw.Look) -> None:
    formats = bits.read(BITS)
    assert formats[1] == ("bf16", ("0", "10000000", "1001001"), "3.140625", "3.39e38")
    svg = bits.picture(formats, JA, look)
    digits = Counter(re.findall(r">([01])</text>", svg))
    assert digits == Counter("".join("".join(each.parts) for each in formats))
    assert all(f">{said}</text>" in svg for said in ("65504", "3.39e38", "仮数"))


def test_parts_have_the_colour_of_the_rank_that_they_come_from() -> None:
    assert [collectives.fill(number) for number in (3, 30, 300, 3000, 33, 1111)] == [
        BLUE, ORANGE, GREEN, PINK, SKY, SKY
    ]


@pytest.mark.parametrize("look", LOOKS)
def test_a_rank_has_its_parts_before_and_after(look: draw.Look) -> None:
    reduced, gathered = collectives.read(COLLECTIVES)
    assert (reduced.after, gathered.before) == ([[11, 22], [11, 22]], [[1], [10]])
    svg = collectives.picture([reduced, gathered], JA, look)
    assert [svg.count(f">{number}</text>") for number in (1, 10, 11, 22)] == [4, 4, 2, 2]
    assert svg.count(">ランク1</text>") == 2


def test_a_unit_is_held_from_its_gather_until_it_is_freed() -> None:
    slots = sharding.schedule(sharding.read(ORDER))
    assert sharding.held(slots) == [("layer 1", 1, 3), ("layer 1", 3, 8), ("rest", 0, 8)]


def test_a_unit_is_gathered_while_another_is_computed_and_scattered_after_its_backward_pass() -> None:
    events = "gather layer 1\nforward layer 1\ngather layer 2\nforward layer 2\nbackward layer 2\nscatter layer 2"
    times = {(action, unit): (begin, end) for action, unit, begin, end in sharding.schedule(sharding.read(events))}
    assert times["forward", "layer 1"] == times["gather", "layer 2"] == (1, 2)
    assert times["backward", "layer 2"] == (3, 5) and times["scatter", "layer 2"] == (5, 6)


@pytest.mark.parametrize("look", LOOKS)
def test_a_step_has_a_letter_for_each_event(look: draw.Look) -> None:
    svg = sharding.picture(sharding.read(ORDER), JA, look)
    assert Counter(re.findall(r">([GFBS]1?)</text>", svg)) == Counter(G=1, F=1, B=1, S=1, G1=2, F1=1, B1=1, S1=1)
    assert ">層1</text>" in svg and ">残り</text>" in svg


@pytest.mark.parametrize("look", LOOKS)
def test_caches_have_a_bar_for_each_step_and_what_is_reserved(look: draw.Look) -> None:
    steps = decoding.read(STEPS)
    assert steps == ([2, 3, 4], [2, 4, 4], [3, 2], [1, 2])
    svg = decoding.caches(steps, JA, look)
    assert svg.count(f'fill="{BLUE}"') == 2 * 3 + 1
    assert svg.count("fill-opacity") == 3 + 1


@pytest.mark.parametrize("look", LOOKS)
def test_a_pass_accepts_drafts_and_gives_a_token_of_its_own(look: draw.Look) -> None:
    svg = decoding.drafts(decoding.read(STEPS), JA, look)
    assert (svg.count(">✓</text>"), svg.count(">×</text>"), svg.count(f'fill="{BLUE}"')) == (3, 2, 2 + 1)
    assert JA("drafts").format(tokens=5, passes=2) in svg


def test_ink_is_read_on_its_colour() -> None:
    inks = [re.search(r'fill="([^"]+)">7<', cell(0, 0, 9, 9, "7", 8, fill))[1] for fill in (BLUE, SKY, NOTHING)]
    assert inks == ["#ffffff", "#000000", "currentColor"]


def test_every_picture_of_a_page_is_there_for_every_reader_and_is_described() -> None:
    missing, described = [], Counter()
    for page in ROOT.glob("docs/*/*.md"):
        for image in IMAGE.finditer(page.read_text("utf-8")):
            looks = [look for look in ALL if look.scheme == image["scheme"]]
            files = [named(image["name"], look) for look in looks]
            missing += [file for file in files if not (ROOT / file).is_file()]
            assert len(image["alt"]) >= 20, f"{page.name}: {image['name']} has no description"
            described[page.name, page.parent.name, image["name"], image["alt"]] += 1
    assert not missing
    assert set(described.values()) == {2}, "light and dark have one description"
    shown = {name for _, _, name, _ in described}
    drawn = {re.sub(r"-en-light\.svg", "", path.name) for path in (ROOT / PLOTS).glob("*-en-light.svg")}
    assert shown == drawn
