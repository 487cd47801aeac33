"""A stage of a model: some of its layers, with what goes before the first and after the last."""

# --8<-- [start:split]
import json
from pathlib import Path

import torch
from accelerate import init_empty_weights
from safetensors import safe_open
from torch import nn
from torch.nn.functional import cross_entropy
from transformers import AutoConfig, AutoModelForCausalLM

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


# --8<-- [end:split]
# --8<-- [start:loss]
# The sum over a microbatch, divided by the tokens of the whole batch.
def loss_of(
    logits: torch.Tensor, labels: torch.Tensor, predicted: int
) -> torch.Tensor:
    logits, labels = logits[:, :-1].float(), labels[:, 1:]
    total = cross_entropy(
        logits.flatten(0, 1), labels.flatten(), reduction="sum"
    )
    return total / max(predicted, 1)


# --8<-- [end:loss]
