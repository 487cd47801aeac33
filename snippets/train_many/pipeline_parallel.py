"""Pipeline parallelism: every process has some of the layers, and works on one part of the batch after another."""

from dataclasses import dataclass
from itertools import accumulate

from _train_many import (
    device,
    gradients,
    on_ranks,
    ragged,
    relative_difference,
    single_process_gradients,
    tiny_checkpoint,
    tiny_model,
)
from torch.distributed.pipelining import ScheduleGPipe
from transformers import LlamaForCausalLM

# isort: split
# --8<-- [start:stage]
import json
import os
import sys
from functools import partial
from pathlib import Path

import torch
import torch.distributed as dist
from accelerate import init_empty_weights
from safetensors import safe_open
from safetensors.torch import save_file
from torch import nn
from torch.distributed.pipelining import PipelineStage, Schedule1F1B
from torch.distributed.pipelining.schedules import PipelineScheduleSingle
from torch.nn.functional import cross_entropy
from torch.nn.utils import clip_grads_with_norm_, get_total_norm
from transformers import (
    AutoConfig,
    AutoModelForCausalLM,
    AutoTokenizer,
    PreTrainedTokenizerBase,
)

# Here, the gradients are those of one process. Others may change the
# embeddings or logits outside the layers, or name the last norm otherwise.
COMPARED = {"llama", "mistral", "qwen2", "qwen3"}


class Skipped(nn.Module):
    def forward(self, hidden: torch.Tensor, **options) -> torch.Tensor:
        return hidden


class Stage(nn.Module):
    def __init__(self, checkpoint: str, stage: int, stages: int) -> None:
        super().__init__()
        self.first, self.last = stage == 0, stage == stages - 1
        # Shapes without weights, so that no rank ever has the whole model.
        config = AutoConfig.from_pretrained(checkpoint)
        if config.model_type not in COMPARED:
            raise ValueError(f"{config.model_type} was not compared")
        # The first stage would have it too, with a gradient of its own.
        if config.tie_word_embeddings:
            raise ValueError("the output layer is tied to the embedding")
        with init_empty_weights():
            whole = AutoModelForCausalLM.from_config(
                config, dtype=torch.float32
            )
        self.model = whole.model
        # The layers of other stages are left out, the names of these stay.
        layers = self.model.layers
        start = len(layers) * stage // stages
        end = len(layers) * (stage + 1) // stages
        for number in range(len(layers)):
            if not start <= number < end:
                layers[number] = Skipped()
        # Embeddings are on the first stage, norm and head on the last.
        if not self.first:
            self.model.embed_tokens = None
        if not self.last:
            self.model.norm = nn.Identity()
        self.lm_head = whole.lm_head if self.last else nn.Identity()
        # Of the checkpoint, only the weights of this stage are read.
        index = Path(checkpoint, "model.safetensors.index.json")
        files = None  # Large models are in several, which an index lists.
        if index.exists():
            files = json.loads(index.read_text("utf-8"))["weight_map"]
        own = {}
        for name in self.state_dict():
            file = files[name] if files else "model.safetensors"
            with safe_open(Path(checkpoint, file), "pt") as weights:
                own[name] = weights.get_tensor(name).float()
        self.load_state_dict(own, assign=True)

    # The first stage takes tokens, the others what the one before sent.
    def forward(
        self, received: torch.Tensor, attention_mask: torch.Tensor
    ) -> torch.Tensor:
        kind = "input_ids" if self.first else "inputs_embeds"
        # On a GPU in bf16; weights and their gradients stay in fp32.
        with torch.autocast("cuda", torch.bfloat16, received.is_cuda):
            hidden = self.model(
                **{kind: received},
                attention_mask=attention_mask,
                use_cache=False,
            ).last_hidden_state
            return self.lm_head(hidden)

    def own_layers(self) -> list[nn.Module]:
        layers = self.model.layers
        return [each for each in layers if not isinstance(each, Skipped)]


def make_stage(checkpoint: str, device: torch.device) -> PipelineStage:
    rank, stages = dist.get_rank(), dist.get_world_size()
    module = Stage(checkpoint, rank, stages).to(device)
    return PipelineStage(module, rank, stages, device=device)


# --8<-- [end:stage]
# --8<-- [start:schedule]
# The sum over a microbatch, divided by the tokens of the whole batch.
def loss_of(
    logits: torch.Tensor, labels: torch.Tensor, predicted: int
) -> torch.Tensor:
    logits, labels = logits[:, :-1].float(), labels[:, 1:]
    total = cross_entropy(
        logits.flatten(0, 1), labels.flatten(), reduction="sum"
    )
    return total / max(predicted, 1)


def make_schedule(stage: PipelineStage, kind: type = Schedule1F1B):
    # Once: its first step runs one more microbatch to learn the shapes.
    return kind(
        stage,
        n_microbatches=8,
        loss_fn=loss_of,
        scale_grads=False,  # The loss is divided already.
    )


def train_step(
    schedule: PipelineScheduleSingle,
    stage: PipelineStage,
    ids: torch.Tensor,
    mask: torch.Tensor,
    labels: torch.Tensor,
) -> float:
    # Stages expect microbatches of one size: DataLoader(drop_last=True).
    if len(ids) % 8:
        raise ValueError(f"{len(ids)} rows do not make 8 microbatches")
    predicted = int((labels[:, 1:] != -100).sum())
    losses = []  # of the microbatches; only the last stage has them
    step = partial(
        schedule.step,
        losses=losses,
        # Otherwise the last stage keeps the logits of all microbatches.
        return_outputs=False,
        loss_kwargs={"predicted": predicted},
    )
    # The first stage has the tokens, the last compares with the labels.
    if stage.is_first:
        step(ids, attention_mask=mask)
    elif stage.is_last:
        step(target=labels, attention_mask=mask)
    else:
        step(attention_mask=mask)
    return sum(loss.item() for loss in losses)


# --8<-- [end:schedule]
# --8<-- [start:clip]
def clip(stage: PipelineStage, limit: float = 1.0) -> torch.Tensor:
    own = [p for p in stage.submod.parameters() if p.grad is not None]
    square = get_total_norm([p.grad for p in own]).square()
    dist.all_reduce(square)  # The sum of all stages.
    clip_grads_with_norm_(own, limit, square.sqrt())
    return square.sqrt()


# --8<-- [end:clip]
# --8<-- [start:train]
# The texts are joined, then cut into batches of 8 samples of one length.
def batches_of(
    texts: list[str], tokenizer: PreTrainedTokenizerBase, length: int = 2048
) -> list[dict[str, torch.Tensor]]:
    tokens = []
    for text in texts:
        tokens += [*tokenizer(text)["input_ids"], tokenizer.eos_token_id]
    batches = len(tokens) // (8 * length)
    ids = torch.tensor(tokens[: batches * 8 * length])
    return [
        {"input_ids": b, "attention_mask": torch.ones_like(b), "labels": b}
        for b in ids.view(batches, 8, length)
    ]


def train(
    checkpoint: str,
    batches: list[dict[str, torch.Tensor]],
    folder: str,
    device: torch.device,
    lr: float = 1e-5,
) -> None:
    stage = make_stage(checkpoint, device)
    schedule = make_schedule(stage)
    optimizer = torch.optim.AdamW(stage.submod.parameters(), lr=lr)
    for batch in batches:  # the same on every rank, padded to one length
        ids, mask, labels = (
            batch[name].to(device)
            for name in ("input_ids", "attention_mask", "labels")
        )
        loss = train_step(schedule, stage, ids, mask, labels)
        clip(stage)
        optimizer.step()
        optimizer.zero_grad()
        if stage.is_last:
            print(f"loss {loss:.3f}", flush=True)

    # Each rank writes its stage, rank 0 an index for from_pretrained.
    weights = stage.submod.state_dict()
    Path(folder).mkdir(exist_ok=True, parents=True)
    file = f"stage-{dist.get_rank()}.safetensors"
    save_file(weights, Path(folder, file), {"format": "pt"})
    parts = [{}] * dist.get_world_size()
    dist.all_gather_object(parts, dict.fromkeys(weights, file))
    if stage.is_first:
        files = {name: part[name] for part in parts for name in part}
        index = json.dumps({"metadata": {}, "weight_map": files})
        Path(folder, "model.safetensors.index.json").write_text(index)
        AutoConfig.from_pretrained(checkpoint).save_pretrained(folder)


# --8<-- [end:train]
PROCESSES = 4
MICROBATCHES = 8
LAYERS = 6
LIMIT = 0.5


@dataclass(frozen=True)
class Step:
    """What one rank saw of a step; `order` has an F for each forward pass and a B for each backward pass."""

    schedule: str
    layers: int
    parameters: list[str]
    order: str
    forward_passes: list[int]  # of the stage's module, in the first step and in the second
    difference: float
    outputs_kept: int
    norm: float
    clipped: float  # the relative difference from the clipped gradients of one process

    @property
    def most_at_once(self) -> int:
        """Microbatches whose activations the rank held at the worst moment."""
        return max(accumulate(1 if letter == "F" else -1 for letter in self.order))


def deep_model() -> LlamaForCausalLM:
    """A model whose layers do not divide by the stages."""
    return tiny_model(num_hidden_layers=LAYERS)


def watch(stage: PipelineStage) -> list[str]:
    """The letters of the passes that a stage makes from now on; a live list."""
    order: list[str] = []
    forward, backward = stage.forward_one_chunk, stage.backward_one_chunk
    stage.forward_one_chunk = lambda *args, **options: (order.append("F"), forward(*args, **options))[1]
    stage.backward_one_chunk = lambda *args, **options: (order.append("B"), backward(*args, **options))[1]
    return order


def step(kind: type[PipelineScheduleSingle]) -> Step:
    """One rank's part of a step on eight rows of other lengths, the second step of its schedule."""
    ids, mask, labels = ragged()
    with tiny_checkpoint(deep_model().bfloat16()) as checkpoint:
        stage = make_stage(checkpoint, device())
    passes: list[None] = []
    stage.submod.register_forward_pre_hook(lambda *_: passes.append(None))
    schedule = make_schedule(stage, kind)
    fewer = labels.clone()
    fewer[:, ::2] = -100  # another number of tokens than in the step that is compared
    train_step(schedule, stage, ids, mask, fewer)
    first = len(passes)
    stage.submod.zero_grad()
    order = watch(stage)
    train_step(schedule, stage, ids, mask, labels)
    ours = gradients(stage.submod)
    model = deep_model().bfloat16().float()
    expected = single_process_gradients(ids, labels, model)
    norm = clip(stage, LIMIT)
    nn.utils.clip_grad_norm_(model.parameters(), LIMIT)
    clipped = gradients(model)
    return Step(
        schedule=kind.__name__,
        layers=len(stage.submod.own_layers()),
        parameters=list(ours),
        order="".join(order),
        forward_passes=[first, len(passes) - first],
        difference=relative_difference(ours, {name: expected[name] for name in ours}),
        outputs_kept=len(stage.output_chunks),
        norm=norm.item(),
        clipped=relative_difference(gradients(stage.submod), {name: clipped[name] for name in ours}),
    )


def steps() -> list[Step]:
    """One rank's part of the step, by each schedule."""
    return [step(ScheduleGPipe), step(Schedule1F1B)]


def main() -> None:
    if len(sys.argv) > 1:
        # --8<-- [start:run]
        checkpoint, file, folder = sys.argv[1:]
        device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
        torch.cuda.set_device(device)
        dist.init_process_group()
        texts = Path(file).read_text("utf-8").splitlines()
        tokenizer = AutoTokenizer.from_pretrained(checkpoint)
        train(checkpoint, batches_of(texts, tokenizer), folder, device)
        if dist.get_rank() == 0:
            tokenizer.save_pretrained(folder)
        # --8<-- [end:run]
        return
    for schedule in zip(*on_ranks(steps, PROCESSES), strict=True):
        print(f"{schedule[0].schedule}, {MICROBATCHES} microbatches:")
        for rank, seen in enumerate(schedule):
            print(f"  rank {rank}, {seen.layers} of {LAYERS} layers: {seen.order}, {seen.most_at_once} held at once")
        print(f"  difference from the gradients of one process: {max(seen.difference for seen in schedule):.4f}")
        print(f"  clipped, with a norm of {schedule[0].norm:.3f}: {max(seen.clipped for seen in schedule):.4f}")


if __name__ == "__main__":
    main()
