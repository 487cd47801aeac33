"""Packing: samples of different lengths in one row without padding, each attending to itself alone."""

from _long_sequences import LENGTHS, device, relative_difference, samples, tiny_model

# isort: split
# --8<-- [start:pack]
import torch
from transformers import DataCollatorWithFlattening, PreTrainedModel

# One sequence with all samples; positions restart at 0 for each.
collate = DataCollatorWithFlattening()


def packed_loss(
    model: PreTrainedModel, samples: list[dict]
) -> torch.Tensor:
    batch = {
        k: v.to(model.device) if torch.is_tensor(v) else v
        for k, v in collate(samples).items()
    }
    # Either a mask or a cache would switch the detection off.
    return model(**batch, use_cache=False).loss
# --8<-- [end:pack]


# --8<-- [start:verify]
@torch.inference_mode()
def packing_error(
    model: PreTrainedModel, samples: list[dict], rows: int = 1, **options
) -> float:
    # `rows`: as many sequences per batch as in training.
    batch = collate(samples)
    packed = model(
        input_ids=batch["input_ids"].repeat(rows, 1).to(model.device),
        position_ids=batch["position_ids"].repeat(rows, 1).to(model.device),
        **options,
    ).logits[0]
    inputs = [torch.tensor([s["input_ids"]]) for s in samples]
    alone = torch.cat(
        [model(input_ids=ids.to(model.device)).logits[0] for ids in inputs]
    )
    return ((packed - alone).norm() / alone.norm()).item()
# --8<-- [end:verify]


def mean_loss(model: PreTrainedModel) -> torch.Tensor:
    """The loss of each sample on its own, averaged over all tokens that are predicted."""
    rows = [torch.tensor([sample["input_ids"]]).to(device()) for sample in samples()]
    losses = [model(input_ids=row, labels=row).loss * (row.shape[1] - 1) for row in rows]
    return torch.stack(losses).sum() / sum(row.shape[1] - 1 for row in rows)


def main() -> None:
    tokens, padded = sum(LENGTHS), len(LENGTHS) * max(LENGTHS)
    print(f"Tokens computed: {tokens} packed, {padded} padded")
    model = tiny_model().eval()
    ones = torch.ones(1, tokens, dtype=torch.long, device=device())
    ways = {
        "position_ids, no cache": {"use_cache": False},
        "position_ids, with a cache": {"use_cache": True},
        "position_ids, a mask of ones": {"use_cache": False, "attention_mask": ones},
    }
    for name, options in ways.items():
        print(f"{name + ':':<30} logits differ by {packing_error(model, samples(), **options):.4f}")
    difference = relative_difference(packed_loss(model, samples()), mean_loss(model))
    print(f"The packed loss differs from that of the samples alone by {difference:.4f}")


if __name__ == "__main__":
    main()
