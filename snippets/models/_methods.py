"""The methods of the guide that are tried on each kind of model, one row each, and the functions that try them.

Each function gets a tiny model in evaluation mode, which it may change, and returns by how much the method's result
differs from the plain path's, relative to it. It raises what the method raises.
"""

import hashlib
import inspect
import os
import re
import signal
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import torch
from _building import CAUSAL, GENERATES, Subject, batch, random_tokens
from torch import nn
from transformers import PreTrainedModel

Tensors = dict[str, torch.Tensor]
PROMPT, NEW_TOKENS = 12, 12


class NotApplicable(Exception):
    """The method is not for this kind of model; the message says why."""


class NoEffect(Exception):
    """The method ran without an error and did not do what it is for; the message says what it left out."""


@dataclass(frozen=True)
class Method:
    """A method of the guide: its section, the function that tries it, and by how much its result may differ.

    `kinds` are those of the models that it is for, all if empty; a later `turn` is tried once the
    others were tried on all kinds.
    """

    name: str
    section: str
    attempt: Callable[[Subject], float]
    tolerance: float
    measure: str
    kinds: frozenset[str] = frozenset()
    turn: int = 0

    @cached_property
    def source(self) -> str:
        """The hash of the function, so that its cells are tried again once it has changed."""
        return hashlib.sha256(inspect.getsource(self.attempt).encode()).hexdigest()[:8]


# What is compared.


def relative_difference(ours: torch.Tensor, theirs: torch.Tensor) -> float:
    """The norm of the difference, relative to the norm of the second."""
    ours, theirs = ours.double(), theirs.double()
    return ((ours - theirs).norm() / theirs.norm().clamp(min=1e-30)).item()


def difference_of(ours: Tensors, theirs: Tensors) -> float:
    """The largest relative difference of a tensor; one that only one side has counts as 1."""
    largest = max((tensor.norm().item() for tensor in theirs.values()), default=0.0)
    differences = [1.0 for name in ours.keys() ^ theirs.keys()]
    for name in ours.keys() & theirs.keys():
        if theirs[name].norm() > 1e-4 * largest or ours[name].norm() > 1e-4 * largest:  # The others are rounding alone.
            differences.append(relative_difference(ours[name], theirs[name]))
    return max(differences, default=0.0)


@torch.no_grad()
def logits(model: nn.Module, inputs: Tensors) -> torch.Tensor:
    """The logits of a forward pass; for a model without any, its first output."""
    output = model(**inputs)
    found = output.logits if getattr(output, "logits", None) is not None else output[0]
    return found.clone()


def gradients(model: nn.Module) -> Tensors:
    """A copy of each gradient."""
    return {name: weight.grad.clone() for name, weight in model.named_parameters() if weight.grad is not None}


def labelled(subject: Subject, rows: int = 2) -> Tensors:
    """Inputs with labels; the second sample has fewer of them than the first, as real samples do."""
    inputs = batch(subject, rows)
    if subject.kind == "image":
        return inputs | {"labels": torch.arange(rows)}
    if subject.kind == "audio":
        raise NotApplicable("the loss of speech recognition by CTC has no tokens to count")
    tokens = inputs["decoder_input_ids" if subject.config.is_encoder_decoder else "input_ids"]
    labels = random_tokens(rows, tokens.shape[1], seed=5) if subject.kind != "decoder" else tokens.clone()
    labels[1:, 3:] = -100
    inputs.pop("decoder_input_ids", None)
    return inputs | {"labels": labels}


def loss_of(subject: Subject, inputs: Tensors, **options: Any) -> torch.Tensor:
    """The loss that the model returns."""
    loss = subject.model(**inputs, **options).loss
    if loss is None:
        raise NotApplicable("the model returns no loss")
    return loss


def row(inputs: Tensors, number: int) -> Tensors:
    """One sample of a batch, as a batch."""
    return {name: tensor[number : number + 1] for name, tensor in inputs.items()}


def prompt_of(subject: Subject) -> Tensors:
    """The inputs from which `generate` goes on; a prompt repeats itself, so that there is something to look up."""
    inputs = batch(subject, rows=1, length=PROMPT)
    inputs.pop("decoder_input_ids", None)
    if "input_ids" in inputs:
        half = inputs["input_ids"][:, : PROMPT // 2]
        tokens = torch.cat([half, half], dim=1)
        inputs = {"input_ids": tokens, "attention_mask": torch.ones_like(tokens)}
    return inputs


def generate(subject: Subject, inputs: Tensors, tokens: int = NEW_TOKENS, **options: Any) -> Any:
    """Greedy generation, with the logits of each new token and the cache."""
    settings = {"do_sample": False, "return_dict_in_generate": True, "output_logits": True}
    return subject.model.generate(**inputs, max_new_tokens=tokens, **settings, **options)


def generation_difference(ours: Any, theirs: Any) -> float:
    """By how much the logits of the new tokens differ; 1 if the tokens do."""
    if not torch.equal(ours.sequences, theirs.sequences):
        return 1.0
    first, second = (torch.stack(each.logits).float() for each in (ours, theirs))
    finite = second.isfinite()  # Some models forbid a token.
    return relative_difference(first[finite], second[finite])


def matrices(model: PreTrainedModel) -> Iterator[tuple[str, nn.Parameter]]:
    """The weights of more than one dimension in layers, which are numbered, by name."""
    tables = {id(module.weight) for module in model.modules() if isinstance(module, nn.Embedding)}
    for name, weight in model.named_parameters():
        if weight.ndim >= 2 and min(weight.shape) > 1 and id(weight) not in tables and re.search(r"\.\d+\.", name):
            yield name, weight


def reload(subject: Subject, folder: str, **options: Any) -> PreTrainedModel:
    """The model from its checkpoint."""
    return type(subject.model).from_pretrained(folder, **options).eval()


# The tries, in the order of the guide.


def try_sdpa(subject: Subject) -> float:
    inputs = batch(subject)
    if "input_ids" in inputs and not subject.config.is_encoder_decoder:
        mask = torch.ones_like(inputs["input_ids"])
        mask[1, -4:] = 0
        inputs["attention_mask"] = mask
    subject.model.set_attn_implementation("eager")
    plain = logits(subject.model, inputs)
    subject.model.set_attn_implementation("sdpa")
    if not isinstance(subject.config._attn_implementation, str) or subject.config._attn_implementation != "sdpa":
        raise NoEffect(f"attention stays {subject.config._attn_implementation}")
    ours = logits(subject.model, inputs)
    return max(relative_difference(ours[0], plain[0]), relative_difference(ours[1, :-4], plain[1, :-4])
               if "attention_mask" in inputs else relative_difference(ours[1], plain[1]))


def try_accumulation(subject: Subject) -> float:
    """Two batches of a sample each, their losses summed as `Trainer` does, beside one batch of two samples."""
    from transformers.loss.loss_utils import LOSS_MAPPING, ForCausalLMLoss

    model, inputs = subject.model, labelled(subject)
    loss_of(subject, inputs).backward()
    plain = gradients(model)
    model.zero_grad()
    forward = inspect.signature(model.forward).parameters.values()
    keywords = any(each.kind == inspect.Parameter.VAR_KEYWORD for each in forward)
    reads = getattr(model, "accepts_loss_kwargs", keywords)
    shifts = LOSS_MAPPING.get(getattr(model, "loss_type", None)) is ForCausalLMLoss
    labels = inputs["labels"]
    if shifts and not subject.config.is_encoder_decoder:
        labels = labels[..., 1:]
    count = (labels != -100).sum()
    for number in range(2):
        options = {"num_items_in_batch": count} if reads else {}
        loss = loss_of(subject, row(inputs, number), **options)
        (loss if reads else loss / 2).backward()
    return difference_of(gradients(model), plain)


def try_accumulation_loop(subject: Subject) -> float:
    """The guide's loop, which weights the mean of each batch by its labels."""
    if subject.kind == "image":
        raise NotApplicable("the labels have one dimension: divide each loss by the number of batches")
    model, inputs = subject.model, labelled(subject)
    loss_of(subject, inputs).backward()
    plain = gradients(model)
    model.zero_grad()
    first = 0 if model.config.is_encoder_decoder else 1
    counts = [(inputs["labels"][number, first:] != -100).sum() for number in range(2)]
    for number, count in enumerate(counts):
        (loss_of(subject, row(inputs, number)) * count / sum(counts)).backward()
    return difference_of(gradients(model), plain)


def saved_bytes(model: nn.Module, run: Callable[[], torch.Tensor]) -> tuple[int, torch.Tensor]:
    """Bytes that a forward pass keeps for the backward pass beside the weights, and its loss."""
    own = {weight.untyped_storage().data_ptr() for weight in model.parameters()}
    kept: dict[int, int] = {}

    def pack(tensor: torch.Tensor) -> torch.Tensor:
        storage = tensor.untyped_storage()
        if storage.data_ptr() not in own:
            kept[storage.data_ptr()] = storage.nbytes()
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
        loss = run()
    return sum(kept.values()), loss


def try_checkpointing(subject: Subject) -> float:
    model, inputs = subject.model.train(), labelled(subject)
    options = {"use_cache": False} if subject.kind != "image" and hasattr(model.config, "use_cache") else {}
    whole, loss = saved_bytes(model, lambda: loss_of(subject, inputs, **options))
    loss.backward()
    plain = gradients(model)
    model.zero_grad()
    model.gradient_checkpointing_enable()
    kept, loss = saved_bytes(model, lambda: loss_of(subject, inputs, **options))
    loss.backward()
    if kept > 0.95 * whole:
        raise NoEffect(f"{kept / whole:.0%} of the activations are still kept")
    return difference_of(gradients(model), plain)


def try_packing(subject: Subject) -> float:
    lengths = (5, 9, 4)
    samples = [random_tokens(1, length, seed=length) for length in lengths]
    plain = torch.cat([logits(subject.model, {"input_ids": sample})[0] for sample in samples])
    positions = torch.cat([torch.arange(length) for length in lengths])[None]
    packed = subject.model(input_ids=torch.cat(samples, dim=1), position_ids=positions, use_cache=False).logits[0]
    return relative_difference(packed, plain)


def try_chunked_loss(subject: Subject) -> float:
    """Logits that the head alone computes from the last hidden state, which a loss in chunks relies on."""
    model, inputs = subject.model, batch(subject)
    hidden = model.model(**inputs, use_cache=False).last_hidden_state
    return relative_difference(model.lm_head(hidden), logits(model, inputs))


def try_autocast(subject: Subject) -> float:
    inputs = batch(subject)
    plain = logits(subject.model, inputs)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        return relative_difference(logits(subject.model, inputs), plain)


def try_adafactor(subject: Subject) -> float:
    """Steps make the loss smaller, and the state has a mean for each row and column: by how much its bytes differ."""
    from transformers import Adafactor

    model, inputs = subject.model, labelled(subject)
    optimizer = Adafactor(model.parameters(), lr=1e-3, scale_parameter=False, relative_step=False)
    losses = []
    for _ in range(4):
        loss = loss_of(subject, inputs)
        loss.backward()
        losses.append(loss.item())
        optimizer.step()
        optimizer.zero_grad()
    if not losses[-1] < losses[0]:
        raise NoEffect(f"the loss went from {losses[0]:.3g} to {losses[-1]:.3g} in three steps")
    expected = measured = 0
    for weight, state in optimizer.state.items():
        shape = weight.shape
        expected += shape[:-2].numel() * sum(shape[-2:]) if len(shape) >= 2 else shape.numel()
        measured += sum(each.numel() for each in state.values() if torch.is_tensor(each) and each.ndim)
    return abs(measured - expected) / expected


def try_lora(subject: Subject) -> float:
    """An adapter on all linear layers changes the logits, and merging it keeps them."""
    from peft import LoraConfig, get_peft_model

    inputs = batch(subject)
    plain = logits(subject.model, inputs)
    adapted = get_peft_model(subject.model, LoraConfig(r=4, lora_alpha=8, target_modules="all-linear")).eval()
    with torch.no_grad():
        for name, weight in adapted.named_parameters():
            if "lora_B" in name:
                weight.normal_(std=0.05)
    ours = logits(adapted, inputs)
    if relative_difference(ours, plain) < 1e-6:
        raise NoEffect("the adapter does not change the logits")
    return relative_difference(logits(adapted.merge_and_unload(), inputs), ours)


def try_lora_coverage(subject: Subject) -> float:
    """The share of the weights in the matrices of layers that get no adapter."""
    from peft import LoraConfig, get_peft_model

    whole = {name: weight.numel() for name, weight in matrices(subject.model)}
    adapted = get_peft_model(subject.model, LoraConfig(r=4, target_modules="all-linear"))
    layers = {name.removeprefix("base_model.model.") for name, module in adapted.named_modules()
              if hasattr(module, "lora_A")}
    without = sum(count for name, count in whole.items() if name.rpartition(".")[0] not in layers)
    return without / max(sum(whole.values()), 1)


def try_checkpoint_dtype(subject: Subject) -> float:
    """A checkpoint saved in bf16 loads in bf16 by default, and computes as the model that was saved."""
    model, inputs = subject.model.to(torch.bfloat16), batch(subject)
    inputs = {name: each.bfloat16() if each.is_floating_point() else each for name, each in inputs.items()}
    plain = logits(model, inputs)
    with TemporaryDirectory() as folder:
        model.save_pretrained(folder)
        loaded = reload(subject, folder)
    if loaded.dtype != torch.bfloat16:
        raise NoEffect(f"the weights are loaded in {loaded.dtype}")
    return relative_difference(logits(loaded, inputs), plain)


def try_save_and_load(subject: Subject) -> float:
    inputs = batch(subject)
    plain = logits(subject.model, inputs)
    with TemporaryDirectory() as folder:
        subject.model.save_pretrained(folder)
        return relative_difference(logits(reload(subject, folder), inputs), plain)


def try_meta_device(subject: Subject) -> float:
    """An empty model, and the tensors of the checkpoint assigned to it by name."""
    from accelerate import init_empty_weights
    from safetensors.torch import load_file

    inputs = batch(subject)
    plain = logits(subject.model, inputs)
    with TemporaryDirectory() as folder:
        subject.model.save_pretrained(folder)
        weights = load_file(f"{folder}/model.safetensors")
    with init_empty_weights():
        model = type(subject.model)(subject.config)
    found = model.load_state_dict(weights, assign=True, strict=False)
    model.tie_weights()
    empty = [name for name, weight in model.named_parameters() if weight.is_meta]
    if empty:
        raise ValueError(f"the checkpoint has no weights for {empty[0]} and {len(empty) - 1} others")
    if found.unexpected_keys:
        raise ValueError(f"the model has no place for {found.unexpected_keys[0]}")
    return relative_difference(logits(model.eval(), inputs), plain)


def try_disk_offload(subject: Subject) -> float:
    inputs = batch(subject)
    plain = logits(subject.model, inputs)
    whole = sum(weight.nbytes for weight in subject.model.parameters())
    with TemporaryDirectory() as folder:
        subject.model.save_pretrained(f"{folder}/checkpoint")
        loaded = reload(subject, f"{folder}/checkpoint", device_map="auto", max_memory={"cpu": whole // 2},
                        offload_folder=f"{folder}/offload")
        if not any(weight.is_meta for weight in loaded.parameters()):
            raise NoEffect("all weights are in memory")
        return relative_difference(logits(loaded, inputs), plain)


def try_int8_weights(subject: Subject) -> float:
    """8-bit weights by torchao: the share of the weights in matrices that are not quantized."""
    from torchao.quantization import Int8WeightOnlyConfig, quantize_

    inputs = batch(subject)
    plain = logits(subject.model, inputs)
    whole = {name: weight.numel() for name, weight in matrices(subject.model)}
    quantize_(subject.model, Int8WeightOnlyConfig())
    if (difference := relative_difference(logits(subject.model, inputs), plain)) > 0.5:
        raise NoEffect(f"the logits differ by {difference:.2g}")
    left = sum(whole[name] for name, weight in subject.model.named_parameters()
               if name in whole and type(weight.data) is torch.Tensor and type(weight) is nn.Parameter)
    return left / max(sum(whole.values()), 1)


def try_four_bits(subject: Subject) -> float:
    """4-bit weights by bitsandbytes: the share of the weights in matrices that are not quantized."""
    from bitsandbytes.nn import Params4bit
    from transformers import BitsAndBytesConfig

    inputs = batch(subject)
    whole = {name: weight.numel() for name, weight in matrices(subject.model)}
    with TemporaryDirectory() as folder:
        subject.model.save_pretrained(folder)
        settings = BitsAndBytesConfig(load_in_4bit=True, bnb_4bit_quant_type="nf4",
                                      bnb_4bit_compute_dtype=torch.float32)
        loaded = reload(subject, folder, quantization_config=settings)
    found = logits(loaded, {name: each.to(loaded.dtype) if each.is_floating_point() else each
                            for name, each in inputs.items()})
    if not found.isfinite().all():
        raise NoEffect("the logits are not finite")
    left = sum(whole[name] for name, weight in loaded.named_parameters()
               if name in whole and not isinstance(weight, Params4bit))
    return left / max(sum(whole.values()), 1)


def try_static_cache(subject: Subject) -> float:
    from transformers import EncoderDecoderCache, StaticCache

    inputs = prompt_of(subject)
    plain = generate(subject, inputs)
    found = generate(subject, inputs, cache_implementation="static")
    cache = getattr(found, "past_key_values", None)
    if isinstance(cache, EncoderDecoderCache):
        cache = cache.self_attention_cache
    if not isinstance(cache, StaticCache):
        raise NoEffect(f"the cache is a {type(cache).__name__}")
    return generation_difference(found, plain)


def try_quantized_cache(subject: Subject) -> float:
    """The logits after the first token that reads the quantized keys."""
    inputs = prompt_of(subject)
    plain = generate(subject, inputs, tokens=2).logits[1]
    found = generate(subject, inputs, tokens=2, cache_implementation="quantized", cache_config={"backend": "fp8"})
    layers = getattr(found.past_key_values, "layers", [])
    if not any(hasattr(layer, "_quantized_keys") for layer in layers):
        raise NoEffect("no layer of the cache is quantized")
    return relative_difference(found.logits[1], plain)


def try_prompt_lookup(subject: Subject) -> float:
    inputs = prompt_of(subject)
    plain = generate(subject, inputs)
    return generation_difference(generate(subject, inputs, prompt_lookup_num_tokens=4), plain)


def try_assisted_decoding(subject: Subject) -> float:
    """The draft model is the model itself with some noise on its weights, so that some of its drafts are accepted."""
    import copy

    inputs = prompt_of(subject)
    plain = generate(subject, inputs)
    draft = copy.deepcopy(subject.model)
    generator = torch.Generator().manual_seed(1)
    with torch.no_grad():
        for weight in draft.parameters():
            if weight.is_floating_point():
                noise = torch.randn(weight.shape, generator=generator)
                weight.add_(noise * 0.05 * weight.std(correction=0))
    return generation_difference(generate(subject, inputs, assistant_model=draft), plain)


def try_padded_batch(subject: Subject) -> float:
    """The next logits of a prompt, padded on the left beside a longer one, and alone."""
    long, short = random_tokens(1, 20, seed=1), random_tokens(1, 7, seed=2)
    plain = logits(subject.model, {"input_ids": short})[0, -1]
    tokens = torch.cat([long, torch.cat([torch.zeros(1, 13, dtype=torch.long), short], dim=1)])
    mask = torch.ones_like(tokens)
    mask[1, :13] = 0
    padded = generate(subject, {"input_ids": tokens, "attention_mask": mask}, tokens=1).logits[0][1]
    return relative_difference(padded, plain)


def try_continuous_batching(subject: Subject) -> float:
    from transformers import ContinuousBatchingConfig, GenerationConfig

    model = subject.model
    if not model.is_backend_compatible():
        raise NotApplicable("its attention does not go through transformers' interface")
    prompts = [random_tokens(1, length, seed=length) for length in (4, 20, 7)]
    plain = [generate(subject, {"input_ids": each, "attention_mask": torch.ones_like(each)}).sequences[0, -NEW_TOKENS:]
             for each in prompts]
    if all(len(set(each.tolist())) < 3 for each in plain):
        raise NotApplicable("the tiny model repeats itself, so its tokens show nothing")
    found = model.generate_batch(
        [each[0].tolist() for each in prompts],
        generation_config=GenerationConfig(do_sample=False, max_new_tokens=NEW_TOKENS, eos_token_id=None),
        continuous_batching_config=ContinuousBatchingConfig(num_blocks=4, max_batch_tokens=32),
        progress_bar=False,
    )
    errors = [each.error for each in found.values() if each.error]
    if errors or len(found) < len(prompts):
        raise RuntimeError(errors[0] if errors else f"{len(found)} of {len(prompts)} requests were answered")
    ours = [each.generated_tokens for each in found.values()]
    return sum((torch.tensor(a) != b).float().mean().item() for a, b in zip(ours, plain, strict=True)) / len(plain)


def rules_of(model: PreTrainedModel, name: str, what: str) -> dict[str, Any]:
    """A plan that the model carries."""
    plan = getattr(model, name, None)
    if not plan:
        raise NotApplicable(f"transformers has no plan for {what} of this kind of model")
    return dict(plan)


def unmatched(plan: dict[str, Any], names: list[str]) -> list[str]:
    """The names that no rule of a plan is for; `*` in a rule is a number."""
    patterns = [re.compile(re.escape(rule).replace(r"\*", r"\d+")) for rule in plan]
    return [name for name in names
            if not any(each.fullmatch(name) or each.fullmatch(name.rpartition(".")[0]) for each in patterns)]


class RankFailure(Exception):
    """What a rank raised."""


def run_ranks(work: Callable[[int], None], folder: str, ranks: int = 2) -> None:
    """Run some work on ranks, each a fork with gloo between them. Raises RankFailure with the first one's message."""
    processes = {}
    for rank in range(ranks):
        if process := os.fork():
            processes[process] = rank
            continue
        code = 1
        try:
            os.environ |= {"RANK": str(rank), "LOCAL_RANK": str(rank), "WORLD_SIZE": str(ranks)}
            store = f"file://{folder}/store"
            torch.distributed.init_process_group("gloo", init_method=store, rank=rank, world_size=ranks)
            work(rank)
            code = 0
        except BaseException as error:
            lines = str(error).strip().splitlines() or [""]
            Path(folder, "failure").write_text(f"{type(error).__name__}: {lines[0]}", encoding="utf-8")
        os._exit(code)
    while processes:
        process, status = os.wait()
        del processes[process]
        if status:
            for other in processes:
                os.kill(other, signal.SIGKILL)
            failure = Path(folder, "failure")
            raise RankFailure(failure.read_text(encoding="utf-8") if failure.exists() else f"status {status}")


def try_tensor_parallel(subject: Subject) -> float:
    """The logits and the norm of each gradient on two ranks, by the plan of transformers."""
    from torch.distributed.tensor import DTensor
    from transformers.distributed import DistributedConfig

    rules_of(subject.model, "_tp_plan", "tensor parallelism")
    inputs = labelled(subject)

    def whole(tensor: torch.Tensor) -> torch.Tensor:
        return tensor.full_tensor() if isinstance(tensor, DTensor) else tensor

    def step(rank: int) -> None:
        model = reload(subject, folder, dtype=torch.float32, distributed_config=DistributedConfig(tp_size=2))
        output = model(**inputs)
        output.loss.backward()
        norms = {name: whole(weight.grad).norm() for name, weight in model.named_parameters()
                 if weight.grad is not None}
        if rank == 0:
            torch.save((whole(output.logits.detach()), norms), f"{folder}/step.pt")

    with TemporaryDirectory() as folder:
        subject.model.save_pretrained(folder)
        run_ranks(step, folder)
        ours, norms = torch.load(f"{folder}/step.pt")
    output = subject.model(**inputs)
    output.loss.backward()
    plain = {name: gradient.norm() for name, gradient in gradients(subject.model).items()}
    return max(relative_difference(ours, output.logits.detach()), difference_of(norms, plain))


def try_expert_parallel_plan(subject: Subject) -> float:
    """The share of the weights of stacked experts that no rule of the plan is for."""
    sizes = {name: weight.numel() for name, weight in matrices(subject.model)
             if weight.ndim == 3 and re.search("expert|moe", name)}
    if not sizes:
        raise NotApplicable("the model has no stacked experts")
    plan = rules_of(subject.model, "_ep_plan", "expert parallelism")
    return sum(sizes[name] for name in unmatched(plan, list(sizes))) / max(sum(sizes.values()), 1)


class Skipped(nn.Module):
    """In place of a layer that another stage has."""

    def forward(self, hidden: torch.Tensor, **options: Any) -> torch.Tensor:
        return hidden


def try_pipeline_stages(subject: Subject) -> float:
    """Two stages as the guide cuts them, embeddings on the first, norm and head on the last, one after another."""
    import copy

    inputs = batch(subject)
    plain = logits(subject.model, inputs)
    head = subject.model.lm_head
    first, second = subject.model.model, copy.deepcopy(subject.model.model)
    first.layers[-1], second.layers[0] = Skipped(), Skipped()
    for number in range(1, len(first.layers) - 1):
        second.layers[number] = Skipped()
    first.norm, second.embed_tokens = nn.Identity(), None
    mask = torch.ones_like(inputs["input_ids"])
    sent = first(**inputs, attention_mask=mask, use_cache=False).last_hidden_state
    hidden = second(inputs_embeds=sent, attention_mask=mask, use_cache=False).last_hidden_state
    return relative_difference(head(hidden), plain)


def try_compile(subject: Subject) -> float:
    inputs = batch(subject)
    plain = logits(subject.model, inputs)
    compiled = torch.compile(subject.model, backend="aot_eager", dynamic=False)
    return relative_difference(logits(compiled, inputs), plain)


ROUNDING, GRADIENTS, PASSES = 1e-4, 1e-3, 1e-3  # A pass of other shapes rounds in another way.
METHODS = (
    Method("sdpa", "train_speed#attention", try_sdpa, ROUNDING, "logits"),
    Method("accumulation-in-trainer", "train_memory#gradient-accumulation", try_accumulation, GRADIENTS, "gradients"),
    Method("accumulation-in-a-loop", "train_memory#gradient-accumulation", try_accumulation_loop, GRADIENTS,
           "gradients"),
    Method("checkpointing", "train_memory#gradient-checkpointing", try_checkpointing, GRADIENTS, "gradients"),
    Method("packing", "long_sequences#packing", try_packing, ROUNDING, "logits", frozenset(CAUSAL)),
    Method("chunked-loss", "finetune_8b#chunked-loss", try_chunked_loss, ROUNDING, "logits", frozenset(CAUSAL)),
    Method("bf16-autocast", "low_precision#bf16", try_autocast, 0.3, "logits"),
    Method("adafactor", "train_optimizers#adafactor", try_adafactor, 0.01, "bytes of state"),
    Method("lora-merge", "peft#merge", try_lora, ROUNDING, "logits"),
    Method("lora-coverage", "peft#lora", try_lora_coverage, 0.1, "share of the weights without an adapter"),
    Method("saved-dtype", "perf_infer_gpu_one#choosing", try_checkpoint_dtype, 0.3, "logits"),
    Method("save-and-load", "big_models#choosing", try_save_and_load, ROUNDING, "logits"),
    Method("meta-device", "big_models#meta-device", try_meta_device, ROUNDING, "logits"),
    Method("disk-offload", "big_models#offload", try_disk_offload, ROUNDING, "logits"),
    Method("int8-weights", "perf_infer_cpu#quantization", try_int8_weights, 0.1, "share of the weights in 16 bits"),
    Method("nf4-weights", "perf_infer_gpu_one#quantization", try_four_bits, 0.1, "share of the weights in 16 bits"),
    Method("static-cache", "perf_infer_gpu_one#static-cache", try_static_cache, PASSES, "logits", frozenset(GENERATES)),
    Method("quantized-cache", "serving#cache", try_quantized_cache, 0.3, "logits", frozenset(GENERATES)),
    Method("prompt-lookup", "perf_infer_gpu_one#prompt-lookup", try_prompt_lookup, PASSES, "logits",
           frozenset(GENERATES)),
    Method("assisted-decoding", "perf_infer_gpu_one#assisted-decoding", try_assisted_decoding, PASSES, "logits",
           frozenset(GENERATES)),
    Method("padded-batch", "perf_infer_gpu_one#continuous-batching", try_padded_batch, 1e-3, "logits",
           frozenset(CAUSAL)),
    Method("continuous-batching", "perf_infer_gpu_one#continuous-batching", try_continuous_batching, 0.0, "tokens",
           frozenset(CAUSAL)),
    Method("tensor-parallelism", "perf_train_gpu_many#tensor-parallelism", try_tensor_parallel, GRADIENTS,
           "logits and norms of gradients", turn=1),
    Method("expert-parallel-plan", "perf_train_gpu_many#expert-parallelism", try_expert_parallel_plan, 0.0,
           "share of the experts' weights not split"),
    Method("pipeline-stages", "perf_train_gpu_many#pipeline-parallelism", try_pipeline_stages, ROUNDING, "logits",
           frozenset(CAUSAL)),
    Method("compile", "train_speed#torch-compile", try_compile, ROUNDING, "logits", turn=2),
)
BY_NAME = {method.name: method for method in METHODS}
