"""Which files a process may touch: landlock, without privileges, for this process and what it starts."""

import ctypes
import os
import struct

from . import syscalls as sc

# Rights of the file system in the order in which kernels learnt them.
EXECUTE, WRITE_FILE, READ_FILE, READ_DIR, REMOVE_DIR, REMOVE_FILE, MAKE_CHAR, MAKE_DIR, MAKE_REG = (1 << n for n in range(9))
TRUNCATE = 1 << 14
READ = READ_FILE | READ_DIR
WRITE = READ | WRITE_FILE | REMOVE_DIR | REMOVE_FILE | MAKE_DIR | MAKE_REG | TRUNCATE
OF_FILES = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE
_RIGHTS = {1: 13, 2: 14, 3: 15, 4: 15}  # version -> number of rights; 16 from version 5 on


def version(libc) -> int:
    """The landlock version of this kernel; 0 without."""
    if not sc.SETUP:
        return 0
    return max(0, libc.syscall(sc.SETUP["landlock_create_ruleset"], None, ctypes.c_size_t(0), ctypes.c_uint(1)))


def restrict(libc, readable: list[str], writable: list[str], devices: list[str]) -> int:
    """Deny all else, TCP, and from version 6 on abstract sockets and signals to outside. Needs no_new_privs.

    Returns the version in force; raises OSError.
    """
    abi = version(libc)
    if abi == 0:
        raise OSError(38, "landlock is not available")
    handled = (1 << _RIGHTS.get(abi, 16)) - 1
    attributes = struct.pack("<QQQ", handled, 3, 3)[: 8 if abi < 4 else 16 if abi < 6 else 24]
    ruleset = libc.syscall(sc.SETUP["landlock_create_ruleset"], attributes, ctypes.c_size_t(len(attributes)), ctypes.c_uint(0))
    if ruleset < 0:
        raise OSError(ctypes.get_errno(), "landlock_create_ruleset")
    try:
        for paths, rights in ((readable, READ), (writable, WRITE), (devices, READ_FILE | WRITE_FILE)):
            for path in paths:
                _allow(libc, ruleset, path, rights & handled)
        if libc.syscall(sc.SETUP["landlock_restrict_self"], ctypes.c_int(ruleset), ctypes.c_uint(0)):
            raise OSError(ctypes.get_errno(), "landlock_restrict_self")
    finally:
        os.close(ruleset)
    return abi


def _allow(libc, ruleset: int, path: str, rights: int) -> None:
    try:
        handle = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return  # what does not exist needs no permission
    try:
        if not os.path.isdir(path):
            rights &= OF_FILES
        rule = struct.pack("<Qi", rights, handle)
        if libc.syscall(sc.SETUP["landlock_add_rule"], ctypes.c_int(ruleset), ctypes.c_int(1), rule, ctypes.c_uint(0)):
            raise OSError(ctypes.get_errno(), f"landlock_add_rule {path}")
    finally:
        os.close(handle)
