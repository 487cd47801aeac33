"""Traits: what a model has that decides which methods work with it, read from its configuration and its modules.

A trait is decided from facts, never from a name. What a configuration alone does not show is left open without the
model's code.
"""

import inspect
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Facts:
    """The settings of the language model inside a configuration, and the model itself if its code is at hand."""

    settings: Mapping[str, Any]
    model: Any = None

    def classes(self) -> Iterator[str]:
        """The class name of each module."""
        return (type(module).__name__ for module in self.model.modules())

    def weights(self) -> Iterator[tuple[str, Any]]:
        """Each weight by name."""
        return self.model.named_parameters()

    def arguments(self) -> set[str]:
        """What the forward pass takes."""
        return set(inspect.signature(type(self.model).forward).parameters)


@dataclass(frozen=True)
class Trait:
    """A trait, why it matters, and how it is decided: from the settings alone or, with `of_model`, from the modules."""

    name: str
    matters: str
    holds: Callable[[Facts], bool]
    of_model: bool = False


def first_of(settings: Mapping[str, Any], *names: str) -> Any:
    """The first of some settings that is set."""
    return next((settings[name] for name in names if settings.get(name) is not None), None)


def number(settings: Mapping[str, Any], *names: str) -> float:
    """The first of some settings that is a number, else 0."""
    value = first_of(settings, *names)
    return value if isinstance(value, int | float) else 0


def has_grouped_heads(facts: Facts) -> bool:
    heads = number(facts.settings, "num_attention_heads", "n_head", "n_heads", "num_heads")
    shared = number(facts.settings, "num_key_value_heads", "num_kv_heads", "n_head_kv")
    return 0 < shared < heads or bool(facts.settings.get("multi_query"))


def rope_types(settings: Mapping[str, Any]) -> set[str]:
    """The kinds of position scaling, of all kinds of layers."""
    found: set[str] = set()
    for name in ("rope_parameters", "rope_scaling"):
        value = settings.get(name)
        if isinstance(value, dict):
            tables = [value, *(each for each in value.values() if isinstance(each, dict))]
            found |= {str(first_of(each, "rope_type", "type")) for each in tables}
    return found


def has_window(facts: Facts) -> bool:
    settings = facts.settings
    kinds = settings.get("layer_types")
    if isinstance(kinds, list):
        return any("sliding" in str(each) or "chunked" in str(each) for each in kinds)
    window = first_of(settings, "sliding_window", "attention_window_size", "local_attention", "window_size")
    return isinstance(window, int) and window > 0 and settings.get("use_sliding_window", True) is not False


def scales(settings: Mapping[str, Any], *names: str) -> bool:
    """Whether one of some factors is set, and not to 1."""
    return any(settings.get(name) not in (None, 1, 1.0) and not isinstance(settings.get(name), bool) for name in names)


def any_class(*parts: str) -> Callable[[Facts], bool]:
    """Whether a module's class has one of these parts in its name."""
    pattern = re.compile("|".join(parts))
    return lambda facts: any(pattern.search(name) for name in facts.classes())


def any_weight(pattern: str) -> Callable[[Facts], bool]:
    """Whether a weight's name matches."""
    found = re.compile(pattern)
    return lambda facts: any(found.search(name) for name, _ in facts.weights())


def flag(name: str, default: bool = False) -> Callable[[Facts], bool]:
    """Whether the library declares something of this class."""
    return lambda facts: bool(getattr(facts.model, name, default))


def shares_weights(facts: Facts) -> bool:
    embeddings = {id(module.weight) for module in facts.model.modules() if hasattr(module, "num_embeddings")}
    seen: set[int] = set()
    for _, module in facts.model.named_modules():
        for weight in module.parameters(recurse=False):
            if id(weight) in seen and id(weight) not in embeddings and weight.ndim > 1:
                return True
            seen.add(id(weight))
    return False


def ties_head(facts: Facts) -> bool:
    return facts.settings.get("tie_word_embeddings") is True


def has_names_of_llama(facts: Facts) -> bool:
    inner = getattr(facts.model, "model", None)
    return all(hasattr(inner, name) for name in ("layers", "norm", "embed_tokens")) and hasattr(facts.model, "lm_head")


def loss_without_count(facts: Facts) -> bool:
    """The loss is computed in the forward pass itself, or without the keywords that bring the number of tokens."""
    forward = inspect.getsource(type(facts.model).forward)
    return re.search(r"loss_function\((?:[^()]|\([^()]*\))*\*\*", forward) is None


def converts_checkpoint(facts: Facts) -> bool:
    from transformers.conversion_mapping import get_checkpoint_conversion_mapping

    kinds = {facts.settings.get("model_type"), getattr(facts.model.config, "model_type", None)}
    return any(get_checkpoint_conversion_mapping(kind) for kind in kinds if kind)


MASK = re.compile(r"mask_kwargs\s*=\s*\{(.*?)\}|create_\w*mask\w*\((.*?)\)", re.DOTALL)


def masks_without_positions(facts: Facts) -> bool:
    """The masks are made by the library's functions, and these do not get the positions."""
    made = []
    for kind in {type(module) for module in facts.model.modules()}:
        if kind.__module__.startswith("transformers.") and "forward" in vars(kind):
            made += ["".join(found) for found in MASK.findall(inspect.getsource(kind.forward))]
    settings = [text for text in made if text.strip() and not text.strip().startswith("**")]
    return bool(settings) and not any("position_ids" in text for text in settings)


def selects_tokens(facts: Facts) -> bool:
    settings = facts.settings
    kinds = settings.get("layer_types")
    named = isinstance(kinds, list) and any("indexed" in str(kind) or "compressed" in str(kind) for kind in kinds)
    return named or number(settings, "index_topk", "keep_window_size") > 0


def stacks_experts(facts: Facts) -> bool:
    """Some weights that are not a convolution's have three dimensions, in a module or under a name of experts."""
    for name, module in facts.model.named_modules():
        where = f"{name} {type(module).__name__}".lower()
        stacked = any(weight.ndim == 3 for weight in module.parameters(recurse=False))
        if stacked and "conv" not in where and ("expert" in where or "moe" in where):
            return True
    return False


def has_plan(name: str) -> Callable[[Facts], bool]:
    return lambda facts: bool(getattr(facts.model, name, None))


MAMBA = ("Mamba", "SSM", "Ssm")
STATE = (*MAMBA, "DeltaNet", "DeltaRule", "Rwkv", "RWKV", "Recurrent", "LightningAttention", "mLSTM",
         "XLSTM", "xLSTM", "KimiDelta", "Mixer", "LinearAttention", "ShortConv", "Kda", "KDA")
TRAITS = (
    Trait("grouped-heads", "Fewer key-value heads than query heads limit the number of ranks of tensor parallelism, "
          "and choose the attention kernel.", has_grouped_heads),
    Trait("latent-attention", "Keys and values are kept as one small vector a token, so the formula for the cache's "
          "size is another one.", lambda facts: number(facts.settings, "kv_lora_rank") > 0),
    Trait("attention-soft-cap", "Attention scores are capped, which the fused kernels of SDPA leave out.",
          lambda facts: bool(first_of(facts.settings, "attn_logit_softcapping"))),
    Trait("logit-soft-cap", "Logits are capped after the head, which a loss from the head's weights leaves out.",
          lambda facts: bool(first_of(facts.settings, "final_logit_softcapping"))),
    Trait("scaled-logits", "Logits are multiplied after the head, which a loss from the head's weights leaves out.",
          lambda facts: scales(facts.settings, "logit_scale", "logits_scaling", "lm_head_multiplier",
                               "logits_to_scale", "dim_model_base")),
    Trait("scaled-embeddings", "Embeddings are multiplied by a factor outside the layers, which a stage that gets "
          "hidden states would do once more.",
          lambda facts: scales(facts.settings, "embedding_multiplier", "scale_emb", "mup_enabled")
          or facts.settings.get("scale_embedding") is True),
    Trait("sliding-window", "Some layers see only the last tokens, so they keep less and need a mask on long texts.",
          has_window),
    Trait("selected-tokens", "Attention reads a selection or a compression of the tokens, so what is in the cache "
          "beside them can change the choice.", selects_tokens),
    Trait("sizes-by-layer", "Heads differ in size or number from layer to layer, so one number does not describe the "
          "cache.", lambda facts: bool(first_of(facts.settings, "global_head_dim", "num_global_key_value_heads"))),
    Trait("decoder-off", "`is_decoder` is false, so each token sees those after it, and no cache is kept.",
          lambda facts: facts.settings.get("is_decoder") is False),
    Trait("length-dependent-rope", "Positions are scaled by the length of the longest text in a pass, so texts "
          "computed together change each other.", lambda facts: bool(rope_types(facts.settings)
                                                                     & {"longrope", "dynamic"})),
    Trait("tied-head", "The head is the table of embeddings, so what changes one changes the other.", ties_head),
    Trait("state-layers", "Layers carry a state from token to token instead of keys and values, so nothing can be "
          "taken back, cut out or packed without telling them.", any_class(*STATE), of_model=True),
    Trait("mamba-layers", "Their kernels read the weights of the projections directly, which PEFT refuses to adapt.",
          any_class(*MAMBA), of_model=True),
    Trait("stacked-experts", "The experts are one tensor of three dimensions and no linear layers, so what looks for "
          "linear layers leaves them out.",
          stacks_experts, of_model=True),
    Trait("expert-layers", "Each expert is a layer of its own, and only a few of them see a token.",
          any_weight(r"experts\.(expert_)?\d+\."), of_model=True),
    Trait("query-key-norms", "Queries and keys are normalized, and with tensor parallelism each rank normalizes its "
          "own heads only.", any_weight(r"(\b|_)(q|k|query|key)_?(norm|layernorm|ln)\b"), of_model=True),
    Trait("attention-sinks", "A trained number a head takes part in the softmax, for which not every kernel has an "
          "argument.", any_weight(r"sinks?(_|\b)"), of_model=True),
    Trait("trained-activation", "The activation has weights of its own, which a plan for the matrices leaves out.",
          any_weight(r"act(_fn)?\.\w+$"), of_model=True),
    Trait("fused-projections", "Queries, keys and values are one matrix, which cannot be cut by heads as it is.",
          any_weight(r"(qkv|query_key_value|c_attn|Wqkv|in_proj_weight|qkv_proj)"), of_model=True),
    Trait("conv1d-projections", "Projections are stored the other way round, as in GPT-2.", any_class(r"^Conv1D$"),
          of_model=True),
    Trait("convolutions", "Some layers are convolutions, which what looks for linear layers leaves out.",
          any_class(r"Conv[123]d$"), of_model=True),
    Trait("batch-norm", "Samples of a batch change each other in training.", any_class("BatchNorm"), of_model=True),
    Trait("shared-layers", "Several layers have the same weights, so what is merged into one changes the others.",
          shares_weights, of_model=True),
    Trait("side-inputs", "Layers get inputs of their own beside the hidden states, which a stage would have to send.",
          any_weight(r"altup|laurel|per_layer|ple_"), of_model=True),
    Trait("mask-without-positions", "The masks do not get the positions, so packed samples see each other.",
          masks_without_positions, of_model=True),
    Trait("no-position-ids", "The forward pass takes no positions, so packed samples cannot be told apart.",
          lambda facts: "position_ids" not in facts.arguments(), of_model=True),
    Trait("token-types", "The forward pass takes types of tokens, by which a prompt may be read in both directions.",
          lambda facts: bool({"token_type_ids", "mm_token_type_ids"} & facts.arguments()), of_model=True),
    Trait("other-module-names", "The parts do not have Llama's names, `model.layers`, `model.norm` and `lm_head`, by "
          "which code takes a model apart.", lambda facts: not has_names_of_llama(facts), of_model=True),
    Trait("loss-refuses-count", "The class says `accepts_loss_kwargs = False`, so `Trainer` divides by the number of "
          "batches and not by the tokens.",
          lambda facts: getattr(facts.model, "accepts_loss_kwargs", None) is False, of_model=True),
    Trait("loss-ignores-count", "The loss does not read the number of tokens that `Trainer` passes, so each batch "
          "returns its own mean.", loss_without_count, of_model=True),
    Trait("unnamed-loss", "The class's name does not say which loss it has, so `Trainer` counts the first token of "
          "each row, which is not predicted.",
          lambda facts: getattr(facts.model, "loss_type", None) is None, of_model=True),
    Trait("no-sdpa", "The library does not support SDPA for this class, which runs eager attention.",
          lambda facts: not flag("_supports_sdpa")(facts), of_model=True),
    Trait("own-attention", "Attention does not go through the library's interface, so a paged cache is never read.",
          lambda facts: not flag("_supports_attention_backend")(facts), of_model=True),
    Trait("no-full-graph", "The library does not declare that one graph can hold a decoding step, so a static cache "
          "may be wrong.", lambda facts: not flag("_can_compile_fullgraph")(facts), of_model=True),
    Trait("no-checkpointing", "The class does not support gradient checkpointing.",
          lambda facts: not flag("supports_gradient_checkpointing")(facts), of_model=True),
    Trait("stateful", "The cache cannot be rolled back, so drafts cannot be taken back.", flag("_is_stateful"),
          of_model=True),
    Trait("parts-in-fp32", "The library keeps some weights in fp32 whatever type is asked for.",
          lambda facts: bool(getattr(facts.model, "_keep_in_fp32_modules", None)
                             or getattr(facts.model, "_keep_in_fp32_modules_strict", None)), of_model=True),
    Trait("converted-checkpoint", "Weights have other names or shapes in a checkpoint than in the model, so a file "
          "cannot be assigned by name.", converts_checkpoint, of_model=True),
    Trait("no-tensor-parallel-plan", "The library has no plan by which `tp_plan=\"auto\"` would split it.",
          lambda facts: not has_plan("_tp_plan")(facts), of_model=True),
)
BY_NAME = {trait.name: trait for trait in TRAITS}


def language_settings(settings: Mapping[str, Any]) -> dict[str, Any]:
    """The settings of the language model inside those of a multimodal one, else the settings themselves."""
    for name in ("text_config", "language_config", "llm_config", "decoder", "thinker_config"):
        inner = settings.get(name)
        if isinstance(inner, dict) and inner:
            return {**settings, **language_settings(inner)}
    return dict(settings)


def traits_of(settings: Mapping[str, Any], model: Any = None) -> tuple[str, ...]:
    """The traits that hold, in the order of the table; without a model those that the settings alone show."""
    facts = Facts(language_settings(settings), model)
    return tuple(each.name for each in TRAITS if (model is not None or not each.of_model) and each.holds(facts))
