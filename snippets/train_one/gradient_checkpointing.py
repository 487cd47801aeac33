"""Gradient checkpointing: fewer activations are kept for the backward pass, and the gradients stay the same."""

from tempfile import TemporaryDirectory

import torch
from transformers import LlamaForCausalLM, Trainer, TrainingArguments

from _tiny import gradients, relative_difference, run, tiny_batch, tiny_dataset, tiny_model


def training_arguments(output_dir: str) -> TrainingArguments:
    # --8<-- [start:trainer]
    args = TrainingArguments(
        output_dir=output_dir,
        per_device_train_batch_size=4,
        # Before transformers 5.23 the name was `gradient_checkpointing`.
        activation_checkpointing=True,
    )
    # --8<-- [end:trainer]
    return args


def checkpointed_model() -> LlamaForCausalLM:
    model = tiny_model()
    # --8<-- [start:model]
    model.activation_checkpointing_enable()
    model.train()  # In evaluation mode nothing is checkpointed.
    # --8<-- [end:model]
    return model


# --8<-- [start:saved_bytes]
# Bytes that a step keeps for its backward pass, without the weights.
def saved_bytes(model, batch):
    weights = {p.untyped_storage().data_ptr() for p in model.parameters()}
    saved = {}

    def pack(tensor):
        storage = tensor.untyped_storage()
        if storage.data_ptr() not in weights:
            saved[storage.data_ptr()] = storage.nbytes()
        return tensor

    # PyTorch calls `pack` for every tensor that it keeps.
    hooks = torch.autograd.graph.saved_tensors_hooks
    with hooks(pack, lambda tensor: tensor):
        loss = model(**batch).loss
    loss.backward()
    return sum(saved.values())


# --8<-- [end:saved_bytes]


def main() -> None:
    batch = tiny_batch(rows=8, length=64)
    plain, checkpointed = tiny_model().train(), checkpointed_model()
    print(f"Kept for the backward pass, plain:         {saved_bytes(plain, batch):>10,} bytes")
    print(f"Kept for the backward pass, checkpointed:  {saved_bytes(checkpointed, batch):>10,} bytes")
    difference = relative_difference(gradients(checkpointed), gradients(plain))
    print(f"Relative difference of the gradients:      {difference:.6f}")
    with TemporaryDirectory() as output_dir:
        trainer = run(Trainer(tiny_model(), training_arguments(output_dir), train_dataset=tiny_dataset()))
    print(f"Trainer's model is checkpointed:           {trainer.model.is_activation_checkpointing}")


if __name__ == "__main__":
    main()
