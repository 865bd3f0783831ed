"""The system calls that a student's process may make: a short list; everything else is an error, not a crash.

A classic BPF program, installed with prctl, that inherits to threads and can't be removed.
"""

import ctypes
import errno
import struct
from functools import lru_cache

from . import syscalls as sc

ALLOW, KILL, ERRNO = 0x7FFF0000, 0x80000000, 0x00050000
LD, JEQ, JGE, JSET, RET = 0x20, 0x15, 0x35, 0x45, 0x06
NUMBER, ARCH = 0, 4  # offsets in struct seccomp_data

# Questions about a terminal or a pipe; never TIOCSTI or a device's own.
IOCTLS = (0x5401, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451, 0x802C542A)
PRCTLS = (sc.PR_GET_DUMPABLE, sc.PR_SET_NAME, sc.PR_GET_NAME)


def _argument(index: int, high: bool = False) -> int:
    return 16 + 8 * index + (4 if high else 0)


# Without a root folder of its own a process sees all paths, and landlock does not cover these.
ON_PATHS = ("truncate", "chmod", "fchmod", "fchmodat", "utimensat", "utimes", "utime")
NEW = 335  # the calls from here on are newer than the list
NAMESPACES = 0x7E020000  # flags of clone that make one


def _search(edges: list[tuple[int, int]]) -> list[tuple[int, int, int, int]]:
    """By halves, since the kernel goes through the program once for each call there is when a process installs it."""
    if len(edges) == 1:
        return [(RET, 0, 0, edges[0][1])]
    half = len(edges) // 2
    below = _search(edges[:half])
    return [(JGE, len(below), 0, edges[half][0]), *below, *_search(edges[half:])]


@lru_cache
def program(pid: int, own_root: bool = True) -> bytes:
    """The filter for the process `pid`, which may signal itself only."""
    code: list[tuple[int, int, int, int]] = []

    def emit(operation, value, if_true=0, if_false=0):
        code.append((operation, if_true, if_false, value & 0xFFFFFFFF))

    def answer(name, body):
        """body: instructions that end in a return; skipped when the call is another."""
        if name in sc.CHECKED:
            emit(JEQ, sc.CHECKED[name], 0, len(body))
            for instruction in body:
                emit(*instruction)

    def one_of(argument, values, otherwise):
        body = [(LD, _argument(argument))]
        for value in values:
            body += [(JEQ, value, 0, 1), (RET, ALLOW)]
        return [*body, (RET, ERRNO | otherwise)]

    emit(LD, ARCH)
    emit(JEQ, sc.audit_arch(), 1, 0)
    emit(RET, KILL)
    emit(LD, NUMBER)
    # Threads, but no processes. clone3 hides its flags from the filter: libc falls back to clone.
    answer("clone", [
        (LD, _argument(0)), (JSET, NAMESPACES, 2, 0), (JSET, sc.CLONE_THREAD, 0, 1), (RET, ALLOW), (RET, ERRNO | errno.EPERM),
    ])  # fmt: skip
    answer("clone3", [(RET, ERRNO | errno.ENOSYS)])
    answer("socketpair", one_of(0, (1,), errno.EPERM))  # AF_UNIX: event loops need a pair; it has no name
    answer("sched_setaffinity", one_of(0, (0,), errno.EPERM))  # its own processors, see Engine._share_a_processor
    answer("kill", one_of(0, (pid,), errno.EPERM))
    answer("tgkill", one_of(0, (pid,), errno.EPERM))
    answer("prctl", one_of(0, PRCTLS, errno.EPERM))
    answer("ioctl", one_of(1, IOCTLS, errno.ENOTTY))
    answer("prlimit64", [  # asking, not setting
        (LD, _argument(2)), (JEQ, 0, 0, 2), (LD, _argument(2, high=True)), (JEQ, 0, 1, 0), (RET, ERRNO | errno.EPERM), (RET, ALLOW),
    ])  # fmt: skip
    allowed = {number for name, number in sc.ALLOWED.items() if own_root or name not in ON_PATHS}
    edges = []  # (a number, what becomes of the calls from there to the next edge)
    for number in sorted({0, NEW} | allowed | {number + 1 for number in allowed}):
        verdict = ALLOW if number in allowed else ERRNO | (errno.ENOSYS if number >= NEW else errno.EPERM)  # so that libc uses an older call
        if not edges or edges[-1][1] != verdict:
            edges.append((number, verdict))
    code += _search(edges)
    return b"".join(struct.pack("<HBBI", *instruction) for instruction in code)


def install(libc, pid: int, own_root: bool = True) -> None:
    """Bind this process; needs no_new_privs. Raises OSError."""
    if sc.audit_arch() is None:
        raise OSError(errno.ENOSYS, "seccomp: unknown machine")
    data = program(pid, own_root)
    buffer = ctypes.create_string_buffer(data, len(data))
    filter_ = struct.pack("<HxxxxxxQ", len(data) // 8, ctypes.addressof(buffer))
    pointer = ctypes.create_string_buffer(filter_, len(filter_))
    if libc.prctl(sc.PR_SET_SECCOMP, ctypes.c_ulong(2), pointer, ctypes.c_ulong(0), ctypes.c_ulong(0)):
        raise OSError(ctypes.get_errno(), "seccomp")
