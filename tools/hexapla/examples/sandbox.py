"""The sandbox of a run, entered before the interpreter that runs a snippet starts: namespaces and Landlock of Linux.

    python -I -S sandbox.py '{"writable": ["/tmp/run"], "network": false, "namespaces": true}' PROGRAM ARGUMENT...

As a program it confines itself and becomes PROGRAM, so that nothing of PROGRAM's own packages runs before; with
namespaces PROGRAM is the first of its processes, with which all others end. Only the standard library is imported.
Call numbers and structures: https://docs.kernel.org/userspace-api/landlock.html, linux/landlock.h, linux/mount.h, and
user_namespaces(7), pid_namespaces(7), mount_namespaces(7), capabilities(7).
"""

import contextlib
import ctypes
import functools
import json
import os
import signal
import socket
import struct
import subprocess
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446  # the same on every architecture, as all since number 424
MOUNT_SETATTR = 442
ASK_VERSION = 1
PATH_BENEATH = 1
NO_NEW_PRIVILEGES, DROP_CAPABILITY = 38, 24  # prctl; without the first only root may restrict itself
PARENT_DEATH_SIGNAL = 1
WRITE_FILE, TRUNCATE = 1 << 1, 1 << 14
# Removing and making of files and folders of every kind (bits 4 to 12), and moving between folders (13).
WRITE = WRITE_FILE | TRUNCATE | sum(1 << bit for bit in range(4, 14))
WRITES, SCOPES = 3, 6  # the interfaces that know TRUNCATE (Linux 6.2), and scopes (6.12)
SCOPED = 1 | 2  # abstract sockets and signals go to processes of this sandbox alone
MOUNTS, USERS, PROCESSES, IPC, NETWORK = 0x00020000, 0x10000000, 0x20000000, 0x08000000, 0x40000000  # unshare
BIND, RECURSIVE, PRIVATE = 1 << 12, 1 << 14, 1 << 18  # mount
NO_SETUID, NO_DEVICES, NO_PROGRAMS = 1 << 1, 1 << 2, 1 << 3
READ_ONLY, BELOW = 1, 0x8000  # mount_setattr: the attribute, and all mounts below
AT_WORKING_FOLDER = -100
SHARED_MEMORY = Path("/dev/shm")
# Devices that are written to; no disk, no terminal, no memory of the machine.
DEVICES = ("null", "zero", "full", "random", "urandom", "nvidia*", "nvidia-caps/*", "dri/*", "kfd", "accel*", "vfio/*",
           "infiniband/*")
# What in /proc is the machine's and not a process's, for those that may write in /proc.
MACHINE = ("/proc/sys", "/proc/sysrq-trigger", "/proc/irq", "/proc/bus", "/proc/fs", "/proc/scsi")


class Confinement(NamedTuple):
    """What a process may do: write below folders, use the network; `namespaces` is whether the system grants them."""

    writable: tuple[str, ...]
    network: bool
    namespaces: bool


class Held(NamedTuple):
    """What this system can hold a process to: Landlock's version, 0 without it, and whether it grants namespaces."""

    landlock: int
    namespaces: bool


@functools.cache
def find_confinement() -> Held:
    """What this system can hold a process to, tried once, in a process of its own."""
    if not sys.platform.startswith("linux"):
        return Held(0, False)
    tried = subprocess.run(wrap_command(Confinement((), False, True), ["true"]), capture_output=True, check=False)
    return Held(landlock_version(), tried.returncode == 0)


def wrap_command(confinement: Confinement, program: Sequence[str]) -> list[str]:
    """The command that becomes `program` once it is confined."""
    return [sys.executable, "-I", "-S", __file__, json.dumps(confinement._asdict()), *program]


def main(confinement: Confinement, program: list[str]) -> None:
    """Confine this process, all of it or not at all, and become the program."""
    try:
        with contextlib.suppress(OSError):  # when memory runs out, the kernel is to end what runs here before others
            Path("/proc/self/oom_score_adj").write_text("1000", encoding="ascii")
        if confinement.namespaces:
            enter_namespaces(confinement)
        drop_capabilities()
        confine_writes(confinement.writable)
        os.execvp(program[0], program)
    except OSError as error:
        os.write(1, json.dumps({"problem": f"{error.filename or program[0]}: {error.strerror}"}).encode() + b"\n")
        os._exit(1)


def enter_namespaces(confinement: Confinement) -> None:
    """Leave this machine's network, processes, shared memory and sockets, and see all but some folders read-only.

    Raises OSError where the system does not grant that.
    """
    user, group = os.geteuid(), os.getegid()
    sockets = foreign_sockets()
    call_libc("unshare", USERS | MOUNTS | PROCESSES | IPC | (0 if confinement.network else NETWORK))
    for name, text in (("setgroups", "deny"), ("uid_map", f"{user} {user} 1"), ("gid_map", f"{group} {group} 1")):
        Path("/proc/self", name).write_text(text, encoding="ascii")
    if process := os.fork():  # the other one is the first process that does not see those outside
        end_as(process)
    call_libc("prctl", PARENT_DEATH_SIGNAL, signal.SIGKILL, 0, 0, 0)
    mount_path("", "/", RECURSIVE | PRIVATE)
    mount_path("proc", "/proc", NO_SETUID | NO_DEVICES | NO_PROGRAMS, "proc")
    Path("/proc/sys/user/max_user_namespaces").write_text("0", encoding="ascii")  # in which memory would not be seen
    mount_path("tmpfs", SHARED_MEMORY, NO_SETUID | NO_DEVICES, "tmpfs", "mode=1777")
    for path in sockets:
        with contextlib.suppress(OSError):  # it is in a folder that this user cannot enter
            mount_path("/dev/null", path, BIND)
    writable = [name for name in confinement.writable if Path(name).is_dir()]
    for name in [*writable, *(name for name in MACHINE if "/proc" in writable and Path(name).exists())]:
        mount_path(name, name, BIND | RECURSIVE)
    set_read_only("/", BELOW, READ_ONLY, 0)
    for name in [*writable, str(SHARED_MEMORY)]:
        set_read_only(name, 0, 0, READ_ONLY)
    if not confinement.network:
        import fcntl

        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as handle:  # a new network's loopback is down
            fcntl.ioctl(handle, 0x8914, struct.pack("16sh14x", b"lo", 0x41))  # SIOCSIFFLAGS: up, running


def end_as(process: int) -> NoReturn:
    code = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
    if code < 0:
        os.kill(os.getpid(), -code)
    os._exit(code)


def foreign_sockets() -> list[str]:
    """The paths of the sockets that processes of this machine listen on: an agent of keys, a container engine."""
    try:
        lines = Path("/proc/net/unix").read_text(encoding="utf-8", errors="surrogateescape").splitlines()
    except OSError:
        return []
    named = {fields[7] for line in lines if len(fields := line.split(maxsplit=7)) == 8}
    return sorted(path for path in named if path.startswith("/"))


def mount_path(source: str | Path, target: str | Path, flags: int, kind: str = "", options: str = "") -> None:
    """Mount, as mount(2) does. Raises OSError."""
    texts = [os.fsencode(source), os.fsencode(target), kind.encode()]
    call_libc("mount", *texts, ctypes.c_ulong(flags), options.encode(), path=target)


def set_read_only(path: str, flags: int, added: int, removed: int) -> None:
    """Set or clear that a mount is read-only. Raises OSError."""
    attributes = struct.pack("=QQQQ", added, removed, 0, 0)
    arguments = (ctypes.c_size_t(len(attributes)),)
    call_libc("syscall", MOUNT_SETATTR, AT_WORKING_FOLDER, os.fsencode(path), flags, attributes, *arguments, path=path)


def drop_capabilities() -> None:
    """Leave root no more than a user has, from the next program on."""
    if sys.platform.startswith("linux"):
        number = 0
        while ctypes.CDLL(None).prctl(DROP_CAPABILITY, number, 0, 0, 0) == 0:
            number += 1


def landlock_version() -> int:
    """The version of Landlock, 0 where there is none."""
    if not sys.platform.startswith("linux"):
        return 0
    answer: int = ctypes.CDLL(None).syscall(CREATE_RULESET, None, ctypes.c_size_t(0), ASK_VERSION)
    return max(answer, 0)


def confine_writes(folders: Iterable[str | Path]) -> None:
    """From now on refuse every write outside `folders` and some devices, and every signal to others, as far as held."""
    version = landlock_version()
    if version < WRITES:
        return
    rights = struct.pack("=QQQ", WRITE, 0, SCOPED)[:24 if version >= SCOPES else 8]
    ruleset = call_libc("syscall", CREATE_RULESET, rights, ctypes.c_size_t(len(rights)), 0)
    allowed = [(device, WRITE_FILE) for name in DEVICES for device in Path("/dev").glob(name) if not device.is_dir()]
    allowed += [(folder, WRITE) for folder in map(Path, [SHARED_MEMORY, *folders]) if folder.is_dir()]
    for path, granted in allowed:
        handle = os.open(path, os.O_PATH | os.O_CLOEXEC)
        call_libc("syscall", ADD_RULE, ruleset, PATH_BENEATH, struct.pack("=Qi", granted, handle), 0)
        os.close(handle)
    call_libc("prctl", NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    call_libc("syscall", RESTRICT_SELF, ruleset, 0)
    os.close(ruleset)


def call_libc(name: str, *arguments: Any, path: str | Path | None = None) -> int:
    """Call a function of the system's library. Raises OSError for an error."""
    answer: int = getattr(ctypes.CDLL(None, use_errno=True), name)(*arguments)
    if answer < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), str(path or name))
    return answer


if __name__ == "__main__":
    main(Confinement(**json.loads(sys.argv[1])), sys.argv[2:])
