"""Prefill in chunks drops the encoder's mask, so padded texts change what an encoder-decoder generates."""

import pytest
import torch
from transformers import T5Config, T5ForConditionalGeneration


@pytest.mark.claim("serve_8b#prefill", "transformers/generation/utils.py::GenerationMixin._prefill")
def test_chunks_lose_the_encoder_mask() -> None:
    torch.manual_seed(0)
    sizes = {"vocab_size": 256, "d_model": 64, "d_kv": 8, "d_ff": 128, "num_layers": 2, "num_heads": 8}
    special = {"pad_token_id": 0, "eos_token_id": None, "decoder_start_token_id": 0, "initializer_factor": 4.0}
    model = T5ForConditionalGeneration(T5Config(**sizes, **special)).eval()
    ids = torch.randint(1, 256, (2, 21))
    mask = torch.ones_like(ids)
    mask[1, :9] = 0

    def logits(mask: torch.Tensor, **options: int) -> torch.Tensor:
        output = model.generate(
            input_ids=ids, attention_mask=mask, max_new_tokens=1, do_sample=False, return_dict_in_generate=True,
            output_logits=True, **options,
        )
        return output.logits[0]

    whole = torch.ones_like(mask)
    torch.testing.assert_close(logits(whole, prefill_chunk_size=5), logits(whole))
    assert not torch.allclose(logits(mask, prefill_chunk_size=5), logits(mask), atol=1e-2)
