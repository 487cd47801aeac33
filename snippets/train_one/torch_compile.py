"""torch.compile: the same results from compiled code, and the backends that there are today."""

from tempfile import TemporaryDirectory

import torch
from transformers import Trainer, TrainingArguments

from _tiny import device, run, tiny_batch, tiny_dataset, tiny_model


def training_arguments(output_dir: str) -> TrainingArguments:
    # --8<-- [start:trainer]
    args = TrainingArguments(
        output_dir=output_dir,
        per_device_train_batch_size=4,
        torch_compile=True,
        torch_compile_backend="inductor",  # This is the default.
    )
    # --8<-- [end:trainer]
    return args


# --8<-- [start:model]
def compile_model(model, backend="inductor"):
    return torch.compile(model, backend=backend)


# --8<-- [end:model]


def backends() -> tuple[list[str], list[str]]:
    """The names of the backends for everyday use, and of all backends, those for debugging included."""
    # --8<-- [start:backends]
    everyday = torch.compiler.list_backends()
    every = torch.compiler.list_backends(exclude_tags=())
    # --8<-- [end:backends]
    return everyday, every


def largest_difference(backend: str) -> float:
    """The largest difference of the compiled model's logits from the eager model's."""
    model, batch = tiny_model(num_hidden_layers=2).eval(), tiny_batch()
    with torch.no_grad():
        difference = compile_model(model, backend)(**batch).logits - model(**batch).logits
    return difference.abs().max().item()


def compiled_graphs() -> int:
    """How many graphs torch.compile has captured so far."""
    return torch._dynamo.utils.counters["stats"]["unique_graphs"]


def main() -> None:
    # inductor takes half a minute on a CPU; aot_eager captures the same graphs and runs them as they are.
    backend = "inductor" if torch.accelerator.is_available() else "aot_eager"
    print(f"{backend} on {device().type}: largest difference of the logits {largest_difference(backend):.4f}, ", end="")
    print(f"{compiled_graphs()} graph")
    with TemporaryDirectory() as output_dir:
        args = training_arguments(output_dir)
        args.torch_compile_backend = backend
        run(Trainer(tiny_model(num_hidden_layers=2), args, train_dataset=tiny_dataset()))
    print(f"After two steps of Trainer: {compiled_graphs()} graphs")
    everyday, every = backends()
    print(f"Backends: {', '.join(everyday)}")
    print(f"For debugging: {', '.join(name for name in ('eager', 'aot_eager') if name in every)} and others")


if __name__ == "__main__":
    main()
