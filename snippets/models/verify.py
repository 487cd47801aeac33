"""Verify a method on a model of your own: its logits, gradients and tokens beside those of the plain path."""

from _building import Subject, batch, build

# isort: split
# --8<-- [start:compare]
import torch
from transformers import PreTrainedModel

Tensors = dict[str, torch.Tensor]


# The size of the difference, relative to the plain result.
def distance(ours: torch.Tensor, plain: torch.Tensor) -> float:
    ours, plain = ours.float(), plain.float()
    return ((ours - plain).norm() / plain.norm()).item()


# Without those of padding, which are arbitrary.
@torch.no_grad()
def logits(model: PreTrainedModel, inputs: Tensors) -> torch.Tensor:
    return model.eval()(**inputs).logits[inputs["attention_mask"] == 1]


# All gradients as one vector; set dropout to 0 before.
def gradients(model: PreTrainedModel, inputs: Tensors) -> torch.Tensor:
    model.train().zero_grad()
    model(**inputs, labels=inputs["input_ids"]).loss.backward()
    found = [weight.grad for weight in model.parameters()]
    return torch.cat([each.flatten() for each in found if each is not None])


# The share of tokens that differ; one answer may end before the other.
def tokens_that_differ(ours: torch.Tensor, plain: torch.Tensor) -> float:
    shorter, longer = sorted([ours.shape[1], plain.shape[1]])
    same = (ours[:, :shorter] == plain[:, :shorter]).sum().item()
    return 1 - same / (len(plain) * longer)


# --8<-- [end:compare]
# --8<-- [start:use]
# A method of each sort beside the plain path.
def compare(model: PreTrainedModel, inputs: Tensors) -> dict[str, float]:
    found = {}
    model.set_attn_implementation("eager")  # The plain path.
    plain = logits(model, inputs)
    model.set_attn_implementation("sdpa")  # The method.
    found["SDPA, logits"] = distance(logits(model, inputs), plain)

    plain = gradients(model, inputs)
    model.activation_checkpointing_enable()
    ours = gradients(model, inputs)
    model.activation_checkpointing_disable()
    found["checkpointing, gradients"] = distance(ours, plain)

    model.eval()
    options = {"max_new_tokens": 32, "do_sample": False}
    plain = model.generate(**inputs, **options)
    options["cache_implementation"] = "static"
    ours = model.generate(**inputs, **options)
    found["static cache, tokens"] = tokens_that_differ(ours, plain)
    return found


# --8<-- [end:use]
def padded(subject: Subject) -> Tensors:
    """A batch whose first row is a shorter text, padded on the left as for `generate`."""
    inputs = batch(subject)
    mask = torch.ones_like(inputs["input_ids"])
    mask[0, :4] = 0
    return inputs | {"attention_mask": mask}


def without_the_cap() -> float:
    """What a method that is wrong for a model looks like: Gemma 2's logits from the output layer alone, uncapped."""
    subject = build("gemma2")
    model, inputs = subject.model, padded(subject)
    with torch.no_grad():
        hidden = model.model(**inputs).last_hidden_state
        uncapped = model.lm_head(hidden[inputs["attention_mask"] == 1])
    return distance(uncapped, logits(model, inputs))


def main() -> None:
    subject = build("llama")
    for what, difference in compare(subject.model, padded(subject)).items():
        print(f"{what:28}{difference:.1e}")
    print(f"{'logits without their cap':28}{without_the_cap():.1e}")


if __name__ == "__main__":
    main()
