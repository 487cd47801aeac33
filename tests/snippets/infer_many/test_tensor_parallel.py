"""Two processes with half of the weights and half of the cache each generate one process's tokens."""

import pytest
from _infer_many import on_ranks, prompt, tiny_model

from snippets.infer_many import tensor_parallel as snippet
from snippets.infer_many.tensor_parallel import Generated

pytestmark = pytest.mark.needs(devices=2)

HEADS, LAYERS, NORM = 4, 4, 64


@pytest.fixture(scope="module")
def ranks() -> list[Generated]:
    return on_ranks(snippet.step, snippet.PROCESSES)


def test_every_rank_has_one_process_s_tokens(ranks: list[Generated]) -> None:
    inputs = prompt()
    expected = tiny_model().generate(**inputs, max_new_tokens=snippet.NEW_TOKENS, do_sample=False)[0].tolist()
    assert len(expected) == inputs["input_ids"].shape[1] + snippet.NEW_TOKENS
    assert [generated.tokens for generated in ranks] == [expected] * snippet.PROCESSES


def test_a_rank_caches_half_of_the_heads(ranks: list[Generated]) -> None:
    for generated in ranks:
        rows, heads, tokens, numbers = generated.whole_cache
        assert heads == HEADS
        assert generated.cache == (rows, HEADS // 2, tokens, numbers)


def test_a_rank_holds_half_of_all_weights_but_the_norms(ranks: list[Generated]) -> None:
    norms = 4 * NORM * (2 * LAYERS + 1)
    for generated in ranks:
        assert generated.weights == (generated.whole_weights - norms) // 2 + norms


def test_a_token_is_two_sums_a_layer_one_for_the_embeddings_and_one_gather_of_the_logits(
    ranks: list[Generated],
) -> None:
    for generated in ranks:
        assert generated.collectives == {
            "all-reduce": (2 * LAYERS + 1) * snippet.NEW_TOKENS,
            "all-gather": snippet.NEW_TOKENS,
        }


def test_too_few_kv_heads_are_an_error_in_the_forward_pass_and_none_while_loading() -> None:
    for loading, generating in on_ranks(snippet.with_one_kv_head, snippet.PROCESSES):
        assert loading == "loaded"
        assert generating.startswith("RuntimeError: shape")
