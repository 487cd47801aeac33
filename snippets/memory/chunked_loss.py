"""A loss in chunks: never all logits at once, and the loss and the gradients are those of the model."""

from collections.abc import Callable

from transformers import AutoModelForCausalLM, LlamaConfig

# isort: split
# --8<-- [start:liger-imports]
from transformers import TrainingArguments

# --8<-- [end:liger-imports]
# isort: split
# --8<-- [start:loss]
import torch
import torch.nn.functional as F
from torch import nn
from transformers import Trainer


# `batch` is what the collator returns, with its attention mask.
# `tokens` is the number of labels in all batches of the step.
def chunked_loss(model, batch, tokens=None, dtype=torch.bfloat16):
    if hasattr(model, "get_base_model"):
        model = model.get_base_model()  # With its adapters.
    inputs = dict(batch)
    labels = inputs.pop("labels")[:, 1:].flatten()  # The next tokens.
    hidden = model.model(**inputs, use_cache=False).last_hidden_state
    losses = F.linear_cross_entropy(
        hidden[:, :-1].flatten(0, 1).to(dtype),
        model.lm_head.weight.to(dtype),
        labels,  # -100 is left out.
        reduction="none",  # Else the mean is rounded to bf16.
        options=nn.LinearCrossEntropyOptions(),
    )
    if tokens is None:
        tokens = (labels != -100).sum()
    # Without labels, 0 / 0 would turn all trained weights into NaN.
    return losses.float().sum() / torch.as_tensor(tokens).clamp(min=1)


class ChunkedLossTrainer(Trainer):
    def compute_loss(
        self,
        model,
        inputs,
        return_outputs=False,
        num_items_in_batch=None,
    ):
        # `bf16=True` puts autocast around `model.forward` alone.
        with self.accelerator.autocast():
            loss = chunked_loss(model, inputs, num_items_in_batch)
        return (loss, {}) if return_outputs else loss


# --8<-- [end:loss]


# --8<-- [start:check]
# The loss above is right only for logits that the head alone computes.
# The head must receive the last hidden states unchanged.
# No values are compared, so fake tensors are enough.
def check_head(model, tokens):
    head, seen = model.lm_head, []
    with (
        model.model.register_forward_hook(
            lambda body, inputs, output: seen.append(output[0])
        ),
        head.register_forward_hook(
            lambda head, inputs, output: seen.extend((*inputs, output))
        ),
    ):
        found = model(input_ids=tokens)
    hidden, taken, output = seen
    if taken is not hidden and taken._base is not hidden:
        raise ValueError("This model changes the input of the head.")
    # The version of a tensor counts the changes in place.
    if output is not found.logits or output._version > 0:
        raise ValueError("This model changes the logits after the head.")
    if not isinstance(head, nn.Linear) or head.bias is not None:
        raise ValueError("The head of this model is more than a matrix.")
    if getattr(found, "aux_loss", None) is not None:
        raise ValueError("This model adds a loss to that of the tokens.")


# --8<-- [end:check]


def liger_arguments() -> TrainingArguments:
    # --8<-- [start:liger]
    args = TrainingArguments("checkpoints", use_liger_kernel=True)
    # --8<-- [end:liger]
    return args


def tiny_model() -> nn.Module:
    """A Llama of random weights with grouped-query attention."""
    torch.manual_seed(0)
    sizes = {"vocab_size": 256, "hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 2}
    config = LlamaConfig(num_attention_heads=4, num_key_value_heads=2, **sizes)
    return AutoModelForCausalLM.from_config(config, dtype=torch.float32)


def padded_batch(lengths: tuple[int, ...] = (24, 9, 17), prompt: int = 4) -> dict[str, torch.Tensor]:
    """Samples of unequal lengths, whose prompts and padding have no labels."""
    shape, lengths_ = (len(lengths), max(lengths)), torch.tensor(lengths)[:, None]
    tokens = torch.randint(1, 256, shape, generator=torch.Generator().manual_seed(0))
    places = torch.arange(max(lengths))
    mask = places < lengths_
    labels = tokens.where(mask & (places >= prompt), -100)
    return {"input_ids": tokens.where(mask, 0), "attention_mask": mask.long(), "labels": labels}


def plain_loss(model: nn.Module, batch: dict[str, torch.Tensor]) -> torch.Tensor:
    return model(**batch, use_cache=False).loss


def gradients_of(loss_of: Callable[..., torch.Tensor], batches: list[dict[str, torch.Tensor]]) -> torch.Tensor:
    """The gradients of all weights after a backward pass for each batch."""
    model = tiny_model()
    for batch in batches:
        loss_of(model, batch).backward()
    return torch.cat([weight.grad.flatten() for weight in model.parameters()])


def relative_difference(ours: torch.Tensor, theirs: torch.Tensor) -> float:
    return ((ours - theirs).norm() / theirs.norm()).item()


def main() -> None:
    batch = padded_batch()
    plain = gradients_of(plain_loss, [batch])
    print("Gradients, relative to those of the plain loss of the padded batch")
    for dtype in (torch.float32, torch.bfloat16):
        chunked = gradients_of(lambda model, part, dtype=dtype: chunked_loss(model, part, dtype=dtype), [batch])
        print(f"{str(dtype)[6:]}: differ by {relative_difference(chunked, plain):.3f}")
    tokens = (batch["labels"][:, 1:] != -100).sum()
    parts = [{name: value[row : row + 1] for name, value in batch.items()} for row in range(len(batch["labels"]))]
    divided = gradients_of(lambda model, part: chunked_loss(model, part, tokens, torch.float32), parts)
    print(f"In {len(parts)} batches, divided by the tokens of all: differ by {relative_difference(divided, plain):.3f}")
    each = gradients_of(lambda model, part: chunked_loss(model, part, dtype=torch.float32) / len(parts), parts)
    print(f"Divided by the tokens of each: differ by {relative_difference(each, plain):.3f}")


if __name__ == "__main__":
    main()
