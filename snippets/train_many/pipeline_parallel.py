"""Pipeline parallelism: every process has some of the layers, and works on one part of the batch after another."""

from dataclasses import dataclass
from itertools import accumulate

import torch.distributed as dist
from _stages import Stage, loss_of
from _train_many import gradients, on_ranks, relative_difference, single_process_gradients, tiny_model, tokens
from torch.distributed.pipelining import PipelineStage, Schedule1F1B, ScheduleGPipe
from torch.distributed.pipelining.schedules import PipelineScheduleSingle

PROCESSES = 4
MICROBATCHES = 8


@dataclass(frozen=True)
class Step:
    """What one rank saw of a step; `order` has an F for each forward pass and a B for each backward pass."""

    schedule: str
    parameters: list[str]
    order: str
    difference: float

    @property
    def most_at_once(self) -> int:
        """Microbatches whose activations the rank held at the worst moment."""
        return max(accumulate(1 if letter == "F" else -1 for letter in self.order))


def watch(stage: PipelineStage) -> list[str]:
    """The letters of the passes that a stage makes from now on; a live list."""
    order: list[str] = []
    forward, backward = stage.forward_one_chunk, stage.backward_one_chunk
    stage.forward_one_chunk = lambda *args, **options: (order.append("F"), forward(*args, **options))[1]
    stage.backward_one_chunk = lambda *args, **options: (order.append("B"), backward(*args, **options))[1]
    return order


def step(kind: type[PipelineScheduleSingle]) -> Step:
    """One rank's part of a step on eight rows."""
    rows = tokens(rows=8)
    model = tiny_model()
    rank, stages = dist.get_rank(), dist.get_world_size()
    # --8<-- [start:stage]
    module = Stage(model, rank, stages)
    stage = PipelineStage(module, rank, stages, device=model.device)
    # --8<-- [end:stage]
    order = watch(stage)
    # --8<-- [start:schedule]
    # ScheduleGPipe or Schedule1F1B
    schedule = kind(stage, n_microbatches=8, loss_fn=loss_of)

    # The first stage has the tokens, the last compares with them.
    if rank == 0:
        schedule.step(rows)
    elif rank == stages - 1:
        schedule.step(target=rows)
    else:
        schedule.step()
    # --8<-- [end:schedule]
    ours = {module.own_name(name, rank): gradient for name, gradient in gradients(module).items()}
    expected = single_process_gradients(rows)
    return Step(
        schedule=kind.__name__,
        parameters=list(ours),
        order="".join(order),
        difference=relative_difference(ours, {name: expected[name] for name in ours}),
    )


def steps() -> list[Step]:
    """One rank's part of the step, by each schedule."""
    return [step(ScheduleGPipe), step(Schedule1F1B)]


def main() -> None:
    for schedule in zip(*on_ranks(steps, PROCESSES), strict=True):
        print(f"{schedule[0].schedule}, {MICROBATCHES} microbatches:")
        for rank, seen in enumerate(schedule):
            print(f"  rank {rank}: {seen.order}, {seen.most_at_once} held at once")
        print(f"  difference from the gradients of one process: {max(seen.difference for seen in schedule):.4f}")


if __name__ == "__main__":
    main()
