"""Trusted side: starts a zygote, the process that student processes are forked from, or has one copied.

Light, so that a command can start the first zygote before it loads anything else.
"""

import atexit
import json
import os
import socket
import subprocess
import sys
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[2]


class Zygote:
    """control: the socket over which it is told what to do. process: None for a copy, which ends with its socket."""

    def __init__(self, matplotlib: bool):
        self.control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.process, self._errors = None, None
        try:
            if matplotlib or not _copied(theirs):
                self._start(matplotlib, theirs.fileno())
        except BaseException:
            self.control.close()
            raise
        finally:
            theirs.close()

    def _start(self, matplotlib: bool, handle: int) -> None:
        environment = {k: os.environ[k] for k in ("HOME", "MPLCONFIGDIR", "XDG_CACHE_HOME", "XDG_CONFIG_HOME") if k in os.environ}
        environment |= {"PATH": os.defpath, "LANG": "C.UTF-8", "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1",
                        "PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": "1", "MALLOC_ARENA_MAX": "2", "MPLBACKEND": "Agg"}  # fmt: skip
        options = {"package": str(PACKAGE), "matplotlib": matplotlib, "parent": os.getpid()}  # the last for whoever looks at the list of processes
        self._errors = open(os.memfd_create("errors"), "w+b")
        self.process = subprocess.Popen(
            [sys.executable, "-s", "-P", str(Path(__file__).with_name("zygote.py")), str(handle), json.dumps(options)],
            pass_fds=[handle], env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=self._errors, start_new_session=True, cwd="/",
        )  # fmt: skip

    @property
    def alive(self) -> bool:
        return self.process is None or self.process.poll() is None

    def last_words(self) -> str:
        """The last line that it wrote to its standard error."""
        if self._errors is None:
            return "no message"
        self._errors.seek(0)
        lines = self._errors.read().decode(errors="replace").strip().splitlines()
        return lines[-1] if lines else "no message"

    def close(self, at_once: bool = False) -> None:
        """End it and everything that came from it; at_once: also while it still loads."""
        self.control.close()
        if self.process is None:
            return
        try:
            if at_once:
                self.process.kill()
            self.process.wait(2)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self._errors.close()


_first: Zygote | None = None  # started by `share`
_origin: socket.socket | None = None  # in a process that was forked later: the way to ask that one for a copy


def share() -> None:
    """Start a zygote now. Processes that are forked from this one get copies of it, sooner than they could start their own.

    For root only: all children of an ordinary user's zygote share a limit of threads, which must not hold for several workers.
    """
    global _first
    if _first is None and os.getuid() == 0:
        _first = Zygote(matplotlib=False)


def _copied(theirs: socket.socket) -> bool:
    """Ask for a copy that obeys over `theirs`. Only once: whoever has to ask again has lost the first."""
    global _origin
    origin, _origin = _origin, None
    if origin is None:
        return False
    request = {"do": "copy", "processors": sorted(os.sched_getaffinity(0))}
    with origin:
        try:
            socket.send_fds(origin, [json.dumps(request).encode()], [theirs.fileno()])
        except OSError:
            return False
    return True


def _forked() -> None:
    global _first, _origin
    if _first is not None:
        _first, _origin = None, _first.control


@atexit.register
def end_shared() -> None:
    global _first
    if _first is not None:
        _first.close(at_once=True)
        _first = None


os.register_at_fork(after_in_child=_forked)
