"""Codecs that text gets garbled through, and what each does with a byte.

Python's codec names. The Windows code pages leave some bytes undefined; Python raises an error, other programs drop
them, replace them or map them to the C1 control of the same number (WHATWG Encoding, "index single-byte").
"""

from functools import cache

SINGLE_BYTE = (
    "latin-1", "cp1252", "cp1254", "cp1250", "cp1251", "cp1253", "cp1255", "cp1256", "cp1257", "cp1258", "cp874",
    "iso8859-2", "iso8859-3", "iso8859-4", "iso8859-5", "iso8859-6", "iso8859-7", "iso8859-8", "iso8859-9",
    "iso8859-10", "iso8859-11", "iso8859-13", "iso8859-14", "iso8859-15", "iso8859-16",
    "mac-roman", "koi8-r", "koi8-u", "cp437", "cp850", "cp866",
)
MULTI_BYTE = ("gbk", "gb18030", "big5", "cp932", "shift_jis", "euc-jp", "euc-kr", "cp949")
# What a text may have been written in, when it was not UTF-8. gb18030 holds gbk, cp949 holds euc-kr.
LEGACY = ("gb18030", "big5", "cp932", "euc-jp", "cp949", "cp1251", "koi8-r", "cp866", "iso8859-5", "cp1253", "cp1250",
          "cp1254", "cp1252", "mac-roman")


@cache
def byte_map(codec: str) -> tuple[str, ...]:
    """The character each of the 256 bytes stands for in a single-byte codec; '' for an undefined one."""
    characters = bytes(range(256)).decode(codec, "replace")
    return tuple("" if character == "\ufffd" else character for character in characters)
