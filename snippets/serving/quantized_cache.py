"""A KV cache in FP8: half the bytes of bf16, and a rounding error in every key and value."""

from _serving import prompts, tiny_model

# isort: split
# --8<-- [start:generate]
from transformers import PreTrainedModel
from transformers.generation import GenerateDecoderOnlyOutput


def generate_with_fp8_cache(
    model: PreTrainedModel, inputs: dict, new_tokens: int
) -> GenerateDecoderOnlyOutput:
    return model.generate(
        **inputs,
        max_new_tokens=new_tokens,
        do_sample=False,
        cache_implementation="quantized",
        cache_config={"backend": "fp8"},  # others: "hqq", "quanto"
        return_dict_in_generate=True,
        output_logits=True,
    )
# --8<-- [end:generate]


def generate(model: PreTrainedModel, inputs: dict, new_tokens: int) -> GenerateDecoderOnlyOutput:
    """The same with the default cache."""
    options = {"return_dict_in_generate": True, "output_logits": True}
    return model.generate(**inputs, max_new_tokens=new_tokens, do_sample=False, **options)


def cache_bytes(output: GenerateDecoderOnlyOutput) -> int:
    """Bytes of all keys and values, quantized or not."""
    found = 0
    for layer in output.past_key_values.layers:
        quantized = hasattr(layer, "_quantized_keys")
        tensors = (layer._quantized_keys[0], layer._quantized_values[0]) if quantized else (layer.keys, layer.values)
        found += sum(tensor.nbytes for tensor in tensors)
    return found


def main() -> None:
    inputs = prompts(64, 40)
    model = tiny_model()
    plain, quantized = generate(model, inputs, 32), generate_with_fp8_cache(model, inputs, 32)
    print(f"Bytes of the cache: {cache_bytes(plain):,} in bf16, {cache_bytes(quantized):,} in FP8")
    first = [output.logits[1].float() for output in (plain, quantized)]
    print(f"Logits after the first token: relative difference {((first[1] - first[0]).norm() / first[0].norm()):.4f}")
    same = (plain.sequences == quantized.sequences)[:, 64:]
    print(f"Tokens that are the same: {int(same.sum())} of {same.numel()}")


if __name__ == "__main__":
    main()
