"""Keys grow by a token a step or have one length; the accepted drafts and the model's own tokens are the text."""

from snippets.infer_one import decoding_steps as snippet


def test_a_growing_cache_grows_by_a_token_and_a_static_one_never() -> None:
    growing, static = snippet.key_lengths(None), snippet.key_lengths("static")
    assert growing == list(range(16, 48))
    assert static == [16] + [47] * 31


def test_passes_give_all_tokens_and_each_gives_one_of_its_own() -> None:
    passes = snippet.drafts()
    assert sum(accepted + 1 for _, accepted in passes) == snippet.TOKENS
    assert all(accepted <= drafted <= snippet.DRAFTS for drafted, accepted in passes)
    accepted = [accepted for _, accepted in passes]
    assert 0 in accepted and max(accepted) == snippet.DRAFTS and len(passes) < snippet.TOKENS / 2
