"""The tries of methods that split a model, on two processes with gloo between them."""

import os
import re
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import torch
from _building import Subject, batch
from _comparison import (
    NotApplicable,
    difference_of,
    gradients,
    labelled,
    logits,
    loss_of,
    matrices,
    relative_difference,
    reload,
)
from torch import nn
from transformers import PreTrainedModel


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


def step_on_ranks(subject: Subject, work: Callable[[], torch.Tensor]) -> float:
    """By how much the gradients after some work on two ranks differ from those of one process; it returns logits."""
    from torch.distributed.tensor import DTensor

    inputs = labelled(subject)

    def step(rank: int) -> None:
        ours = work()
        found = {name: weight.grad.full_tensor() if isinstance(weight.grad, DTensor) else weight.grad
                 for name, weight in subject.model.named_parameters() if weight.grad is not None}
        if rank == 0:
            torch.save((ours, found), f"{folder}/step.pt")

    with TemporaryDirectory() as folder:
        run_ranks(step, folder)
        ours, found = torch.load(f"{folder}/step.pt")
    output = subject.model(**inputs)
    output.loss.backward()
    plain = output.logits[:, : ours.shape[1]].detach()
    return max(relative_difference(ours, plain), difference_of(found, gradients(subject.model)))


def try_fsdp2(subject: Subject) -> float:
    """The logits and gradients of two ranks that hold a half of each weight."""
    from torch.distributed.fsdp import fully_shard

    inputs = labelled(subject)

    def work() -> torch.Tensor:
        lists = [module for module in subject.model.modules() if isinstance(module, nn.ModuleList)]
        inner = {id(module) for each in lists for layer in each for module in layer.modules()}
        for each in lists:
            if id(each) not in inner:  # The lists of layers, and none of those inside a layer.
                for layer in each:
                    fully_shard(layer)
        fully_shard(subject.model)
        output = subject.model(**inputs)
        output.loss.backward()
        return output.logits.detach()

    loss_of(subject, inputs)  # Models without one are not for it.
    return step_on_ranks(subject, work)


def try_sequence_parallel(subject: Subject) -> float:
    """The logits and gradients of two ranks with half the tokens each, by the guide's code for Ulysses."""
    sys.path += [str(Path(__file__).parents[1] / folder) for folder in ("train_many", "_shared")]
    from sequence_parallel import backward, check_layers

    inputs = labelled(subject)

    def work() -> torch.Tensor:
        check_layers(subject.model)
        subject.model.set_attn_implementation("ulysses")
        ours = backward(subject.model, inputs["input_ids"], inputs["labels"])
        parts = [torch.empty_like(ours) for _ in range(torch.distributed.get_world_size())]
        torch.distributed.all_gather(parts, ours.detach().contiguous())
        return torch.cat(parts, dim=1)

    if not subject.model.is_backend_compatible():
        raise NotApplicable("its attention does not go through transformers' interface")
    return step_on_ranks(subject, work)
