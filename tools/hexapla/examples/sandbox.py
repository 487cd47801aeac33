"""A sandbox: this process and its children may write below some folders only, by Linux's Landlock.

Structures, rights and call numbers: https://docs.kernel.org/userspace-api/landlock.html and linux/landlock.h.
"""

import ctypes
import os
import struct
import sys
from collections.abc import Iterable
from pathlib import Path

CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446  # the same on every architecture
ASK_VERSION = 1
PATH_BENEATH = 1
NO_NEW_PRIVILEGES = 38  # prctl; without it only root may restrict itself
WRITE_FILE, TRUNCATE = 1 << 1, 1 << 14
# Removing and making of files and folders of every kind (bits 4 to 12), and moving between folders (13).
WRITE = WRITE_FILE | TRUNCATE | sum(1 << bit for bit in range(4, 14))
OLDEST = 3  # the interface that knows TRUNCATE: Linux 6.2


def available() -> bool:
    """Whether this system can confine a process."""
    if not sys.platform.startswith("linux"):
        return False
    answer: int = ctypes.CDLL(None).syscall(CREATE_RULESET, None, ctypes.c_size_t(0), ASK_VERSION)
    return answer >= OLDEST


def confine(folders: Iterable[str | Path]) -> bool:
    """Refuse every write outside `folders` and devices from now on; False if the system does not support it."""
    if not available():
        return False
    system = ctypes.CDLL(None, use_errno=True)
    rights = struct.pack("=Q", WRITE)
    ruleset = check_call(system.syscall(CREATE_RULESET, rights, ctypes.c_size_t(len(rights)), 0))
    allowed = [(Path("/dev"), WRITE_FILE | TRUNCATE), (Path("/dev/shm"), WRITE)]
    allowed += [(Path(folder), WRITE) for folder in folders]
    for folder, granted in allowed:
        if not folder.is_dir():
            continue
        handle = os.open(folder, os.O_PATH | os.O_CLOEXEC)
        check_call(system.syscall(ADD_RULE, ruleset, PATH_BENEATH, struct.pack("=Qi", granted, handle), 0))
        os.close(handle)
    check_call(system.prctl(NO_NEW_PRIVILEGES, 1, 0, 0, 0))
    check_call(system.syscall(RESTRICT_SELF, ruleset, 0))
    os.close(ruleset)
    return True


def check_call(answer: int) -> int:
    """Return a system call's result. Raises OSError for an error."""
    if answer < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return answer
