"""Drafts change how many passes the model takes, and none of its tokens."""

from _infer_one import count_passes, tiny_model

from snippets.infer_one import assisted_decoding as snippet

TOKENS = 48


def test_an_assistant_saves_passes_and_changes_no_token() -> None:
    model = tiny_model()
    assistant = snippet.distilled(model)
    plain = snippet.assisted(model, None)
    passes, drafts = count_passes(model), count_passes(assistant)
    assert snippet.assisted(model, assistant) == plain
    assert len(passes) < TOKENS < len(drafts) + len(passes)
    assert max(passes[1:]) > 1  # Several drafts are checked in one pass.


def test_an_assistant_that_knows_nothing_changes_no_token() -> None:
    model = tiny_model()
    assert snippet.assisted(model, tiny_model(seed=1, num_hidden_layers=1)) == snippet.assisted(model, None)


def test_without_drafts_every_token_is_a_pass() -> None:
    model = tiny_model()
    passes = count_passes(model)
    snippet.assisted(model, None)
    assert len(passes) == TOKENS
    assert set(passes[1:]) == {1}


def test_prompt_lookup_saves_passes_and_changes_no_token() -> None:
    model = tiny_model()
    plain = snippet.assisted(model, None)
    passes = count_passes(model)
    assert snippet.prompt_lookup(model) == plain
    assert len(passes) < TOKENS
    assert max(passes[1:]) > 1
