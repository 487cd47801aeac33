"""DoRA adds one trained length per row of a weight, costs a pass over each weight, and merging takes that away."""

import torch
from _peft import logits, relative_difference, tiny_model

from snippets.peft import dora as snippet


def test_one_length_per_row_starts_as_the_row_has_it() -> None:
    model = snippet.add_dora(tiny_model(torch.float32))
    lora = snippet.add_dora(tiny_model(torch.float32), use_dora=False)
    rows = 4 * (2 * 64 + 2 * 32 + 2 * 128 + 64)
    assert model.get_nb_trainable_parameters()[0] - lora.get_nb_trainable_parameters()[0] == rows
    layer = model.get_base_model().model.layers[0].self_attn.k_proj
    lengths = layer.lora_magnitude_vector["default"].weight
    torch.testing.assert_close(lengths, layer.base_layer.weight.norm(dim=1))


def test_before_training_the_logits_are_the_same_but_for_rounding() -> None:
    fp32 = logits(snippet.add_dora(tiny_model(torch.float32)))
    assert relative_difference(fp32, logits(tiny_model(torch.float32))) < 1e-5
    bf16 = logits(snippet.add_dora(tiny_model()))
    assert 0 < relative_difference(bf16, logits(tiny_model())) < 0.03


def test_a_pass_costs_more_than_with_lora_until_merged() -> None:
    base = snippet.forward_flops(tiny_model())
    lora, dora = (snippet.add_dora(tiny_model(), use_dora) for use_dora in (False, True))
    assert base < snippet.forward_flops(lora) < snippet.forward_flops(dora)
    assert snippet.forward_flops(dora.merge_and_unload()) == base
