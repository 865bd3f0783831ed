"""Runs `python -m tests.isolation.as_user MODULE…` as an ordinary user, from root.

The interpreter or this folder may lie where only root can go (such as /root). A private mount namespace then
shows the closed folder as an empty one that holds nothing but what is needed.
"""

import ctypes
import os
import shutil
import sys
import sysconfig
import tempfile
from pathlib import Path

NOBODY = 65534
ROOT = Path(__file__).resolve().parents[2]
libc = ctypes.CDLL(None, use_errno=True)


def main() -> None:
    needed = {Path(sys.base_prefix), Path(sys.prefix), Path(sysconfig.get_path("purelib")), ROOT}
    closed = {top for path in needed if (top := _closed(path))}
    if closed:
        _check(libc.unshare(0x20000))
        _mount(None, "/", None, 0x44000)
        for top in closed:
            inside = [p for p in needed if p.is_relative_to(top)]
            aside = {p: tempfile.mkdtemp() for p in inside}
            for path, place in aside.items():
                _mount(str(path), place, None, 0x5000)
            _mount("tmpfs", str(top), "tmpfs", 0)
            os.chmod(top, 0o755)
            for path, place in aside.items():
                path.mkdir(parents=True, exist_ok=True)
                _mount(place, str(path), None, 0x5000)
    home = tempfile.mkdtemp(prefix="nobody-")
    os.chmod(home, 0o777)
    try:
        pid = os.fork()
        if pid == 0:
            os.setgroups([])
            os.setresgid(NOBODY, NOBODY, NOBODY)
            os.setresuid(NOBODY, NOBODY, NOBODY)
            environment = {"HOME": home, "PATH": os.defpath, "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1", "LANG": "C.UTF-8"}
            os.chdir(home)
            os.execve(sys.executable, [sys.executable, *sys.argv[1:]], environment)
        _, status = os.waitpid(pid, 0)
    finally:
        shutil.rmtree(home, ignore_errors=True)
    sys.exit(os.waitstatus_to_exitcode(status))


def _closed(path: Path) -> Path | None:
    """The topmost folder on the way that others may not enter."""
    return next((p for p in [*reversed(path.parents), path] if not p.stat().st_mode & 0o001), None)


def _mount(source, target, kind, flags) -> None:
    text = [t.encode() if t else None for t in (source, target, kind)]
    _check(libc.mount(*text, ctypes.c_ulong(flags), None))


def _check(result) -> None:
    if result:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


if __name__ == "__main__":
    main()
