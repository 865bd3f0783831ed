"""In the child: notices attempts at what the sandbox refuses, so that a person can be told.

Advice only. Student code can switch it off; the walls do not depend on it.
"""

import socket
import sys

OPENED, NETWORK, PROCESS, SIGNAL = "opened", "network", "process", "signal"
_EVENTS = {
    "subprocess.Popen": PROCESS, "os.system": PROCESS, "os.fork": PROCESS, "os.forkpty": PROCESS, "os.exec": PROCESS,
    "os.posix_spawn": PROCESS, "os.spawn": PROCESS, "os.kill": SIGNAL, "os.killpg": SIGNAL, "socket.getaddrinfo": NETWORK,
    "socket.connect": NETWORK, "socket.bind": NETWORK, "socket.gethostbyname": NETWORK,
}  # fmt: skip
_allowed: tuple[str, ...] = ()


class Watch:
    """Collects (what, detail) pairs; at most a few."""

    def __init__(self):
        self.seen = set()
        sys.addaudithook(self._notice)

    def take(self):
        return tuple(sorted(self.seen))

    def _notice(self, event, args):
        if event == "open":
            path = args[0]
            if isinstance(path, str) and path.startswith(("/", "..")) and not path.startswith(_allowed) and "__pycache__" not in path:
                self._add(OPENED, path[:200])
        elif event in _EVENTS:
            self._add(_EVENTS[event], "")
        elif event == "socket.__new__" and args[1] != socket.AF_UNIX:
            self._add(NETWORK, "")

    def _add(self, what, detail):
        if len(self.seen) < 20:
            self.seen.add((what, detail))


def allow(folders):
    """Folders that student code may open without remark."""
    global _allowed
    _allowed = (*folders, "/scratch", "/dev/null", "/dev/urandom", "/dev/zero")
