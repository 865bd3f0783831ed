"""Which files a process may touch: landlock, without privileges, for this process and what it starts."""

import ctypes
import fcntl
import os
import struct

from . import syscalls as sc

# Rights of the file system in the order in which kernels learnt them.
EXECUTE, WRITE_FILE, READ_FILE, READ_DIR, REMOVE_DIR, REMOVE_FILE, MAKE_CHAR, MAKE_DIR, MAKE_REG = (1 << n for n in range(9))
TRUNCATE = 1 << 14
READ = READ_FILE | READ_DIR
WRITE = READ | WRITE_FILE | REMOVE_DIR | REMOVE_FILE | MAKE_DIR | MAKE_REG | TRUNCATE
OF_FILES = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE
HIGH = 100  # of descriptors
_form = struct.Struct("=Qi")  # struct landlock_path_beneath_attr: rights, descriptor
_RIGHTS = {1: 13, 2: 14, 3: 15, 4: 15}  # version -> number of rights; 16 from version 5 on


def version(libc) -> int:
    """The landlock version of this kernel; 0 without."""
    if not sc.SETUP:
        return 0
    return max(0, libc.syscall(sc.SETUP["landlock_create_ruleset"], None, ctypes.c_size_t(0), ctypes.c_uint(1)))


def rules(readable: list[str], devices: list[str]) -> list[bytes]:
    """Permissions that many processes will share. Their parent opens the files, which stay open under high numbers."""
    made = []
    for paths, rights in ((readable, READ), (devices, READ_FILE | WRITE_FILE)):
        for path in paths:
            if os.path.exists(path):
                handle = os.open(path, os.O_PATH | os.O_CLOEXEC)
                made.append(_rule(path, rights, fcntl.fcntl(handle, fcntl.F_DUPFD_CLOEXEC, HIGH)))
                os.close(handle)
    return made


def restrict(libc, shared: list[bytes], writable: list[str]) -> int:
    """Deny all but what the shared rules and the writable folders allow, TCP, and from version 6 on abstract sockets and signals to
    outside. Needs no_new_privs; what it opens is for the caller to close.

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
        own = [_rule(path, WRITE, os.open(path, os.O_PATH | os.O_CLOEXEC)) for path in writable]
        for rule in (*shared, *own):
            rights, handle = _form.unpack(rule)
            if libc.syscall(sc.SETUP["landlock_add_rule"], ctypes.c_int(ruleset), ctypes.c_int(1), _form.pack(rights & handled, handle), ctypes.c_uint(0)):
                raise OSError(ctypes.get_errno(), f"landlock_add_rule {handle}")
        if libc.syscall(sc.SETUP["landlock_restrict_self"], ctypes.c_int(ruleset), ctypes.c_uint(0)):
            raise OSError(ctypes.get_errno(), "landlock_restrict_self")
    finally:
        os.close(ruleset)
    return abi


def _rule(path: str, rights: int, handle: int) -> bytes:
    return _form.pack(rights if os.path.isdir(path) else rights & OF_FILES, handle)
