"""What nobody writes: a text that holds it is garbled, though no misreading may explain how."""

import re

from hexapla.mojibake.codec_evidence import LEAST

CONTROLS = tuple(chr(code) for code in range(0x80, 0xA0) if code != 0x85)     # 0x85 is a line end to some
# Signs that stand alone or at a word's edge. In Russian that lost its lead bytes whole words are left as such signs.
_SIGNS = re.compile("(?:[\xa1-\xbf][?\ufffd]?){3,}")
WORDS = 8       # different such words; a table of a code page's signs has fewer


def beyond(text: str) -> str:
    """Why a text is garbled though no misreading explains it: it holds what nobody writes; empty otherwise."""
    held = [control for control in CONTROLS if control in text]
    if held and sum(map(text.count, held)) >= LEAST:
        return _unexplained(f"control characters ({', '.join(f'U+{ord(control):04X}' for control in held[:3])})")
    words = {word for word in _SIGNS.findall(text) if len(set(word) - {"?", "\ufffd"}) >= LEAST}
    return _unexplained("words of signs alone") if len(words) >= WORDS else ""


def _unexplained(what: str) -> str:
    return f"it holds {what}: it is garbled, but too little is left to tell how; find another copy of the text"
