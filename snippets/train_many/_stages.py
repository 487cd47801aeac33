"""A stage of the tiny model: some of its layers, with what goes before the first and after the last."""

import torch
from torch import nn
from torch.nn.functional import cross_entropy
from transformers import LlamaForCausalLM


class Stage(nn.Module):
    """The part of a model that one process of a pipeline has."""

    def __init__(self, whole: LlamaForCausalLM, stage: int, stages: int) -> None:
        super().__init__()
        self.first, self.last = stage == 0, stage == stages - 1
        # --8<-- [start:split]
        share = len(whole.model.layers) // stages
        self.model = whole.model
        self.model.layers = self.model.layers[stage * share :][:share]
        self.model.config.num_hidden_layers = share
        # The embeddings belong to the first stage, norm and head to the last.
        if not self.first:
            self.model.embed_tokens = None
        if not self.last:
            self.model.norm = nn.Identity()
        self.lm_head = whole.lm_head if self.last else nn.Identity()
        # --8<-- [end:split]

    def forward(self, received: torch.Tensor) -> torch.Tensor:
        """Tokens to hidden states, hidden states to hidden states, or hidden states to logits."""
        # --8<-- [start:forward]
        # The first stage takes tokens, the others what the one before sent.
        kind = "input_ids" if self.first else "inputs_embeds"
        hidden = self.model(**{kind: received}).last_hidden_state
        return self.lm_head(hidden)
        # --8<-- [end:forward]

    def own_name(self, name: str, stage: int) -> str:
        """The name that a parameter of this stage has in the whole model."""
        parts = name.split(".")
        if parts[:2] == ["model", "layers"]:
            parts[2] = str(int(parts[2]) + stage * len(self.model.layers))
        return ".".join(parts)


def loss_of(logits: torch.Tensor, tokens: torch.Tensor) -> torch.Tensor:
    """The mean loss of predicting each token from those before it."""
    return cross_entropy(logits[:, :-1].flatten(0, 1), tokens[:, 1:].flatten())
