"""Traits: what a model has that decides which methods work with it, read from its configuration and its modules.

A trait is decided from facts, never from a name. What a configuration alone does not show is left open without the
model's code.
"""

import inspect
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
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
    """A trait and how it is decided: from the settings alone or, with `of_model`, from the modules.

    `traits.yml` says why it matters, and what to do.
    """

    name: str
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
    shared = number(facts.settings, "num_key_value_heads", "num_kv_heads", "n_head_kv")
    heads = ("num_attention_heads", "n_head", "n_heads", "num_heads")
    is_shared = bool(shared) and shared < number(facts.settings, *heads)
    return is_shared or bool(facts.settings.get("multi_query"))


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


def lacks(name: str) -> Callable[[Facts], bool]:
    """Whether the library declares nothing, or that it does not hold, of this class."""
    return lambda facts: not getattr(facts.model, name, None)


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
    from transformers.conversion_mapping import get_model_conversion_mapping

    return bool(get_model_conversion_mapping(facts.model, add_legacy=False))


def counts_first_label(facts: Facts) -> bool:
    """The label of a row's first token counts: the loss is that of the token at a label's own position."""
    import torch

    if facts.model.config.is_encoder_decoder or facts.model.main_input_name != "input_ids":
        return False
    if "labels" not in facts.arguments():
        return False
    tokens = torch.arange(3, 15).repeat(2, 1)
    labels = torch.full_like(tokens, -100)
    labels[:, 0] = 3
    try:
        with torch.no_grad():
            loss = facts.model(input_ids=tokens, labels=labels).loss
    except ValueError:  # The loss takes no label a token.
        return False
    return bool(loss.isfinite() and loss != 0)  # Without a label that counts it is 0 / 0.


def library_classes(facts: Facts) -> Iterator[tuple[Any, str]]:
    """A module of each class of the library's models, and the source of its methods but the first."""
    seen = set()
    for module in facts.model.modules():
        kind = type(module)
        if kind in seen or not kind.__module__.startswith("transformers.models"):
            continue
        seen.add(kind)
        yield module, "".join(inspect.getsource(each) for name, each in vars(kind).items()
                              if inspect.isfunction(each) and "init" not in name)


READ = re.compile(r"self\.(\w+)\.weight\b(?!\.(?:dtype|device|data_ptr|shape|size|is_))")
CHECKED = re.compile(r"(isinstance|hasattr)\([^)]*\)")


def reads_weights(facts: Facts) -> bool:
    """A module computes with the weight of a linear layer inside it instead of calling that layer."""
    return any("Linear" in {base.__name__ for base in type(getattr(module, name, None)).__mro__}
               for module, source in library_classes(facts) for name in READ.findall(CHECKED.sub("", source)))


def output_layer(facts: Facts) -> Any:
    """The layer that computes the logits, if the library knows it."""
    try:
        return facts.model.get_output_embeddings()
    except (AttributeError, NotImplementedError):
        return None


def any_model(pattern: str) -> Callable[[Facts], bool]:
    """Whether the name of the model's own class matches."""
    return lambda facts: re.search(pattern, type(facts.model).__name__) is not None


def has_own_generate(facts: Facts) -> bool:
    generate = getattr(type(facts.model), "generate", None)
    return generate is not None and not generate.__module__.startswith("transformers.generation")


def has_own_linear(facts: Facts) -> bool:
    """A class of linear layers computes in another way than `nn.Linear`."""
    kinds = {type(module) for module in facts.model.modules()}
    return any(kind.__module__.startswith("transformers.") and "forward" in vars(kind)
               and any(base.__name__ == "Linear" for base in kind.__mro__) for kind in kinds)


LAYERS = re.compile(r"Linear|Embedding|Conv|Norm|Expert|MoE|Moe|Mixer|Mamba|SSM|Bilinear|LSTM|Quantizer")


def has_bare_matrices(facts: Facts) -> bool:
    """Some numbered module, that is no layer of the kinds above, has a matrix of its own."""
    for name, module in facts.model.named_modules():
        own = any(weight.ndim >= 2 and min(weight.shape) > 1 for weight in module.parameters(recurse=False))
        bases = {base.__name__ for base in type(module).__mro__}
        layer = LAYERS.search(type(module).__name__) and "Linear" not in type(module).__name__
        if own and re.search(r"\.\d+\.", name) and not layer and not bases & {"Linear", "Conv1D"}:
            return True
    return False


MASK = re.compile(r"mask_kwargs\s*=\s*\{(.*?)\}|create_\w*mask\w*\((.*?)\)", re.DOTALL)


def masks_without_positions(facts: Facts) -> bool:
    """The masks are made by the library's functions, and these do not get the positions."""
    made = []
    for kind in {type(module) for module in facts.model.modules()}:
        if kind.__module__.startswith("transformers.") and "forward" in vars(kind):
            made += ["".join(found) for found in MASK.findall(inspect.getsource(kind.forward))]
    settings = [text for text in made if text.strip() and not text.strip().startswith("**")]
    return bool(settings) and not any("position_ids" in text for text in settings)


def is_decoder_off(facts: Facts) -> bool:
    """The setting says no, and not only because the decoder stands beside an encoder."""
    return facts.settings.get("is_decoder") is False and facts.settings.get("is_encoder_decoder") is not True


LIBRARY_MASK = re.compile(r"create_(?:causal_mask|sliding_|chunked_|masks_for_generate)")
OWN_MASK = re.compile(r"key_length - query_length|input_shape\[-1\] > 1")


def makes_causal_mask(facts: Facts) -> bool:
    """The modules read the length of the cache, and not the library's functions make the mask of every step."""
    source = "".join(source for _, source in library_classes(facts))
    return "get_seq_length" in source and (LIBRARY_MASK.search(source) is None or OWN_MASK.search(source) is not None)


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


def has_scaled_embeddings(facts: Facts) -> bool:
    factors = ("embedding_multiplier", "scale_emb", "mup_enabled")
    return scales(facts.settings, *factors) or facts.settings.get("scale_embedding") is True


def has_mamba_layers(facts: Facts) -> bool:
    return any_class(*MAMBA)(facts) or any_weight(r"\bmamba\.")(facts)


def has_convolutions(facts: Facts) -> bool:
    """A tenth or more of the weights in numbered layers are those of convolutions."""
    whole = convolved = 0
    for name, module in facts.model.named_modules():
        if re.search(r"\.\d+\.", f"{name}."):
            count = sum(weight.numel() for weight in module.parameters(recurse=False))
            whole += count
            convolved += count * bool(re.search(r"Conv[123]d$", type(module).__name__))
    return convolved >= max(whole, 1) / 10


def nests_layers(facts: Facts) -> bool:
    """A list of layers holds lists of layers, as stages of a vision model do."""
    lists = (module for module in facts.model.modules() if type(module).__name__ == "ModuleList")
    return any(type(child).__name__ == "ModuleList" for each in lists for child in each)


def counts_rows_of_positions(facts: Facts) -> bool:
    return any(hasattr(module, "get_rope_index") for module in facts.model.modules())


def sees_later_tokens(facts: Facts) -> bool:
    """The first token's logits change with the last token, in a model that reads text and has no decoder of its own."""
    import torch

    if facts.model.config.is_encoder_decoder or facts.model.main_input_name != "input_ids":
        return False
    tokens = torch.arange(3, 15).repeat(2, 1)
    tokens[1, -1] += 1
    with torch.no_grad():
        first, second = facts.model(input_ids=tokens)[0][:, 0]
    return bool((first - second).norm() > 1e-5 * first.norm())


def keeps_no_cache(facts: Facts) -> bool:
    return hasattr(facts.model, "generate") and not {"past_key_values", "cache_params"} & facts.arguments()


def of_model(name: str, holds: Callable[[Facts], bool]) -> Trait:
    """A trait that the modules show, and a configuration alone does not."""
    return Trait(name, holds, of_model=True)


MAMBA = ("Mamba", "SSM", "Ssm")
STATE = (*MAMBA, "DeltaNet", "DeltaRule", "Rwkv", "RWKV", "Recurrent", "LightningAttention", "mLSTM",
         "XLSTM", "xLSTM", "KimiDelta", "Mixer", "LinearAttention", "ShortConv", "Kda", "KDA")
LOGIT_FACTORS = ("logit_scale", "logits_scaling", "lm_head_multiplier", "logits_to_scale", "dim_model_base")
SIZES_BY_LAYER = ("global_head_dim", "num_global_key_value_heads", "per_layer_config")
TRAITS = (
    Trait("grouped-heads", has_grouped_heads),
    Trait("latent-attention", lambda facts: number(facts.settings, "kv_lora_rank") > 0),
    Trait("attention-soft-cap", lambda facts: bool(first_of(facts.settings, "attn_logit_softcapping"))),
    Trait("logit-soft-cap", lambda facts: bool(first_of(facts.settings, "final_logit_softcapping"))),
    Trait("scaled-logits", lambda facts: scales(facts.settings, *LOGIT_FACTORS)),
    Trait("scaled-embeddings", has_scaled_embeddings),
    Trait("sliding-window", has_window),
    Trait("chunked-attention", lambda facts: "chunked_attention" in (facts.settings.get("layer_types") or ())),
    Trait("selected-tokens", selects_tokens),
    Trait("sizes-by-layer", lambda facts: bool(first_of(facts.settings, *SIZES_BY_LAYER))),
    Trait("encoder-decoder", lambda facts: facts.settings.get("is_encoder_decoder") is True),
    Trait("decoder-off", is_decoder_off),
    Trait("cache-off", lambda facts: facts.settings.get("use_cache") is False),
    Trait("length-dependent-rope", lambda facts: bool(rope_types(facts.settings) & {"longrope", "dynamic"})),
    Trait("tied-head", ties_head),
    of_model("state-layers", any_class(*STATE)),
    of_model("mamba-layers", has_mamba_layers),
    of_model("stacked-experts", stacks_experts),
    of_model("expert-layers", any_weight(r"experts\.(expert_)?\d+\.")),
    of_model("query-key-norms", any_weight(r"(\b|_)(q|k|query|key)_?(norm|layernorm|ln)\b")),
    of_model("attention-sinks", any_weight(r"sinks?(_|\b)")),
    of_model("trained-activation", any_weight(r"act(_fn)?\.\w+$")),
    of_model("fused-projections", any_weight(r"(qkv|query_key_value|c_attn|Wqkv|in_proj_weight|qkv_proj)")),
    of_model("conv1d-projections", any_class(r"^Conv1D$")),
    of_model("convolutions", has_convolutions),
    of_model("nested-layers", nests_layers),
    of_model("batch-norm", any_class("BatchNorm")),
    of_model("shared-layers", shares_weights),
    of_model("side-inputs", any_weight(r"altup|laurel|per_layer|ple_")),
    of_model("both-directions", sees_later_tokens),
    of_model("own-causal-mask", makes_causal_mask),
    of_model("mask-without-positions", masks_without_positions),
    of_model("no-position-ids", lambda facts: "position_ids" not in facts.arguments()),
    of_model("rows-of-positions", counts_rows_of_positions),
    of_model("token-types", lambda facts: bool({"token_type_ids", "mm_token_type_ids"} & facts.arguments())),
    of_model("other-module-names", lambda facts: not has_names_of_llama(facts)),
    of_model("no-model-and-head", lambda facts: not all(hasattr(facts.model, name) for name in ("model", "lm_head"))),
    of_model("head-bias", lambda facts: getattr(output_layer(facts), "bias", None) is not None),
    of_model("new-head", any_model(r"For(Sequence|Token|Image)Classification$")),
    of_model("vision-tower", any_weight(r"(^|\.)(vision|visual)\w*\.")),
    of_model("loss-refuses-count", lambda facts: getattr(facts.model, "accepts_loss_kwargs", None) is False),
    of_model("loss-ignores-count", loss_without_count),
    of_model("unnamed-loss", lambda facts: getattr(facts.model, "loss_type", None) is None),
    of_model("unshifted-loss", counts_first_label),
    of_model("own-generate", has_own_generate),
    of_model("no-kv-cache", keeps_no_cache),
    of_model("weights-read-directly", reads_weights),
    of_model("own-linear-layers", has_own_linear),
    of_model("bare-matrices", has_bare_matrices),
    of_model("no-sdpa", lacks("_supports_sdpa")),
    of_model("own-attention", lacks("_supports_attention_backend")),
    of_model("no-full-graph", lacks("_can_compile_fullgraph")),
    of_model("no-checkpointing", lacks("supports_gradient_checkpointing")),
    of_model("stateful", lambda facts: not lacks("_is_stateful")(facts)),
    of_model("parts-in-fp32", lambda facts: not (lacks("_keep_in_fp32_modules")(facts)
                                                 and lacks("_keep_in_fp32_modules_strict")(facts))),
    of_model("converted-checkpoint", converts_checkpoint),
    of_model("no-tensor-parallel-plan", lacks("_tp_plan")),
)
BY_NAME = {trait.name: trait for trait in TRAITS}


def language_settings(settings: Mapping[str, Any]) -> dict[str, Any]:
    """The settings of the language model inside those of a multimodal one, else the settings themselves."""
    for name in ("text_config", "language_config", "llm_config", "decoder", "thinker_config"):
        inner = settings.get(name)
        if isinstance(inner, dict) and inner:
            both = {"is_encoder_decoder": True} if settings.get("is_encoder_decoder") is True else {}
            return {**settings, **language_settings(inner), **both}  # The decoder's own settings know no encoder.
    return dict(settings)


def number_divided(settings: Mapping[str, Any], names: Sequence[str]) -> float:
    """The number that ranks must divide: the first of some settings of the language model that is set, else 0."""
    return number(language_settings(settings), *names)


class ReadSettings(dict[str, Any]):
    """Settings that remember whether one that is given, be it null, was asked for."""

    asked = False

    def get(self, name: str, default: Any = None) -> Any:
        self.asked |= name in self
        return super().get(name, default)


def decide_traits(settings: Mapping[str, Any]) -> dict[str, bool]:
    """Whether each trait holds that settings decide; those of settings that are not given are left out.

    >>> decide_traits({"sliding_window": None})
    {'sliding-window': False}
    """
    decided = {}
    for trait in TRAITS:
        if not trait.of_model:
            given = ReadSettings(language_settings(settings))
            holds = trait.holds(Facts(given))
            if holds or given.asked:
                decided[trait.name] = holds
    return decided


def traits_of(settings: Mapping[str, Any], model: Any) -> tuple[str, ...]:
    """The traits of a model, in the order of the table."""
    facts = Facts(language_settings(settings), model)
    return tuple(each.name for each in TRAITS if each.holds(facts))
