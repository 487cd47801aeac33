"""The program that serves 8 billion parameters on 16 GB: 4-bit weights, prompts read in pieces, an FP8 cache."""

import sys
from contextlib import chdir, redirect_stdout
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.append(str(Path(__file__).parent.parent / "peft"))
from _peft import device, tiny_model
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast

# isort: split
# --8<-- [start:load]
import torch
from transformers import (
    AutoModelForCausalLM,
    AutoTokenizer,
    BitsAndBytesConfig,
)


def load(checkpoint, device_map="auto"):
    quantization = BitsAndBytesConfig(
        load_in_4bit=True,
        bnb_4bit_quant_type="nf4",
        bnb_4bit_use_double_quant=True,
        bnb_4bit_compute_dtype=torch.bfloat16,  # the default is fp32
    )
    return AutoModelForCausalLM.from_pretrained(
        checkpoint,
        dtype=torch.bfloat16,
        quantization_config=quantization,
        device_map=device_map,
    )


# --8<-- [end:load]


# --8<-- [start:generate]
def answer(model, inputs, new_tokens, chunk=1024):
    return model.generate(
        **inputs,
        max_new_tokens=new_tokens,
        prefill_chunk_size=chunk,
        cache_implementation="quantized",
        cache_config={"backend": "fp8"},
        return_dict_in_generate=True,
    )


# --8<-- [end:generate]


# --8<-- [start:ask]
def ask(model, checkpoint, questions, new_tokens=256):
    tokenizer = AutoTokenizer.from_pretrained(
        checkpoint, padding_side="left"
    )
    tokenizer.pad_token = tokenizer.pad_token or tokenizer.eos_token
    chats = [[{"role": "user", "content": each}] for each in questions]
    inputs = tokenizer.apply_chat_template(
        chats,
        add_generation_prompt=True,
        padding=True,
        return_dict=True,
        return_tensors="pt",
    )
    output = answer(model, inputs.to(model.device), new_tokens)
    tokens = output.sequences[:, inputs["input_ids"].shape[1] :]
    return tokenizer.batch_decode(tokens, skip_special_tokens=True)


# --8<-- [end:ask]


def prompts(*lengths: int) -> dict[str, torch.Tensor]:
    """Rows of random tokens, padded on the left, with their mask."""
    longest = max(lengths)
    tokens = torch.randint(1, 256, (len(lengths), longest), generator=torch.Generator().manual_seed(0))
    mask = (torch.arange(longest) >= longest - torch.tensor(lengths)[:, None]).long()
    return {"input_ids": (tokens * mask).to(device()), "attention_mask": mask.to(device())}


ANSWER = chr(0x4E00 + 255)


def tiny_tokenizer() -> PreTrainedTokenizerFast:
    """A tokenizer that has a token for each of 255 letters, the last of which begins an answer, and one for padding."""
    letters = {chr(0x4E00 + number): number for number in range(1, 256)}
    tokenizer = Tokenizer(models.WordLevel({"<pad>": 0, **letters}, "<pad>"))
    tokenizer.pre_tokenizer = pre_tokenizers.Split("", "isolated")
    tokenizer.decoder = decoders.Fuse()
    fast = PreTrainedTokenizerFast(tokenizer_object=tokenizer, pad_token="<pad>")
    fast.chat_template = f"{{{{ messages[0].content }}}}{{% if add_generation_prompt %}}{ANSWER}{{% endif %}}"
    return fast


QUESTIONS = ["".join(map(chr, range(0x4E01, 0x4E01 + length))) for length in (48, 31, 20)]


def main() -> None:
    torch.set_num_threads(1)
    said = StringIO()
    with TemporaryDirectory() as folder, chdir(folder), redirect_stdout(said):
        local = "meta-llama/Llama-3.1-8B-Instruct"  # A folder of this name comes before the hub.
        tiny_model().save_pretrained(local)
        tiny_tokenizer().save_pretrained(local)
        # --8<-- [start:use]
        name = "meta-llama/Llama-3.1-8B-Instruct"
        model = load(name)
        print(ask(model, name, ["Why is the sky blue?"]))
        # --8<-- [end:use]
        answers = ask(model, name, QUESTIONS, 8)
    print(f"An answer: {bool(said.getvalue().strip())}")
    print(f"Letters of the answers: {', '.join(str(len(each)) for each in answers)}")
    output = answer(model, prompts(48, 31, 20), new_tokens=8, chunk=16)
    layers = output.past_key_values.layers
    print(f"Answers: {len(output.sequences)} of {output.sequences.shape[1] - 48} tokens")
    cached = [part[0].nbytes for layer in layers for part in (layer._quantized_keys, layer._quantized_values)]
    print(f"Cache: {sum(cached):,} bytes")
    kept = {str(parameter.dtype).removeprefix("torch.") for parameter in model.parameters()}
    print(f"Weights: {', '.join(sorted(kept))}")


if __name__ == "__main__":
    main()
