"""Two processes with half of the experts, heads and matrices each generate the tokens of one process."""

import pytest
import torch
from _infer_many import on_ranks, prompt, tiny_checkpoint
from transformers import AutoModelForCausalLM, MixtralConfig, PreTrainedConfig, Qwen3MoeConfig
from transformers.distributed import DistributedConfig

from snippets.infer_many.tensor_parallel import Collectives

pytestmark = pytest.mark.needs(devices=2)

LAYERS, EXPERTS, PROCESSES = 2, 4, 2


def configs() -> dict[str, PreTrainedConfig]:
    sizes = {"vocab_size": 256, "hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": LAYERS}
    sizes |= {"num_attention_heads": 8, "num_key_value_heads": 4, "num_experts_per_tok": 2}
    sizes |= {"bos_token_id": None, "eos_token_id": None, "pad_token_id": 0}
    return {
        "mixtral": MixtralConfig(**sizes, num_local_experts=EXPERTS),
        "qwen3_moe": Qwen3MoeConfig(**sizes, num_experts=EXPERTS, moe_intermediate_size=96, head_dim=8),
    }


def generated() -> dict[str, tuple[set[int], dict[str, int], set[str]]]:
    """By model: the experts that a rank holds, the collectives of its first token, and where its tokens are right."""
    one = prompt(12)
    rows = {name: torch.cat([tensor, tensor.flip(1)]) for name, tensor in one.items()}
    rows["input_ids"][1, :5] = rows["attention_mask"][1, :5] = 0
    cases = {
        "one row": (one, {}),
        "padded": (rows, {}),
        "static cache": (one, {"cache_implementation": "static"}),
        "drafts": (one, {"prompt_lookup_num_tokens": 3}),
        "chunks": (one, {"prefill_chunk_size": 5}),
    }
    options = {"max_new_tokens": 8, "do_sample": False}
    seen = {}
    for name, config in configs().items():
        torch.manual_seed(0)
        whole = AutoModelForCausalLM.from_config(config).eval()
        with tiny_checkpoint(whole) as checkpoint:
            both = DistributedConfig(tp_size=PROCESSES, ep_size=PROCESSES)
            part = AutoModelForCausalLM.from_pretrained(checkpoint, distributed_config=both)
            with pytest.raises(ValueError, match="has no `tp_plan`"):
                alone = DistributedConfig(tp_size=PROCESSES, ep_size=PROCESSES, tp_plan={})
                AutoModelForCausalLM.from_pretrained(checkpoint, distributed_config=alone)
        experts = {len(weight.to_local()) for path, weight in part.named_parameters() if "experts" in path}
        with Collectives() as collectives:
            part.generate(**one, max_new_tokens=1, do_sample=False)
        right = {
            case
            for case, (inputs, more) in cases.items()
            if torch.equal(part.generate(**inputs, **options, **more), whole.generate(**inputs, **options, **more))
        }
        seen[name] = experts, dict(collectives.counts), right
    return seen


@pytest.mark.claim(
    "perf_infer_gpu_many#experts",
    "transformers/distributed/expert_parallel.py::AutoEP",
    "transformers/distributed/mixin.py::DistributedMixin._resolve_parallel_plans",
)
def test_ranks_that_share_the_experts_generate_the_tokens_of_one_process() -> None:
    right = {"one row", "padded", "static cache", "drafts", "chunks"}
    sums = {"all-reduce": 2 * LAYERS + 1, "all-gather": 1}
    for seen in on_ranks(generated, PROCESSES):
        assert seen == dict.fromkeys(configs(), ({EXPERTS // PROCESSES}, sums, right))
