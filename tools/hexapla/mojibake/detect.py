"""Detect suspect text: the cheap test that lets clean pages pass without a diagnosis."""

from hexapla.mojibake.codec_evidence import fitting_codecs
from hexapla.mojibake.impossible_text import find_impossible
from hexapla.mojibake.plausibility import CLEAN, share_common


def is_suspect(text: str) -> bool:
    """Whether a text may be garbled. Cheap and without a language model; a suspect text may still be clean."""
    return not text.isascii() and (
        "\ufffd" in text or bool(fitting_codecs(text)) or share_common(text) < CLEAN or bool(find_impossible(text)))
