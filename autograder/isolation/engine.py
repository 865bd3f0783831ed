"""Trusted side: starts the zygote, asks it for children and ends them."""

import atexit
import contextlib
import ctypes
import json
import os
import select
import socket
import sys
from dataclasses import asdict

from .channel import Channel
from .limits import DEFAULT, Limits
from .proxies import Stopped, Student
from .spawn import Zygote

libc = ctypes.CDLL(None) if sys.platform == "linux" else None
MAX_REQUEST = 60_000  # bytes of a message to the zygote
START, ANSWER = 60.0, 10.0  # seconds that the zygote may take


class NotIsolated(Exception):
    """This machine can't keep student code in; the message says what is missing and what to do."""


class EngineError(Exception):
    """The zygote did not start or stopped answering."""


class Engine:
    """One zygote, one child at a time and one in reserve. Use as a context manager, or close it.

    The zygote answers requests in order. Answers that nobody waits for are read before the next that is needed.
    """

    def __init__(self, matplotlib: bool = True):
        self._matplotlib = matplotlib
        self._zygote: Zygote | None = None
        self._about = None
        self._child: Student | None = None
        self._spare: Student | None = None  # asked for in advance, so that a submission need not wait for a fork
        self._next = 0  # names children
        self._unread = 0  # answers of the zygote that are still to come
        self._prepared: set[str] = set()  # sources that the zygote was told
        self._allowed: set[int] | None = None  # this thread's processors, while it shares one with a child
        _engines.append(self)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def start(self) -> None:
        """Start the zygote without waiting for it; the first fork does that."""
        if self._zygote is not None and self._zygote.alive:
            return
        self.close()
        self._prepared = set()
        self._zygote = Zygote(self._matplotlib)

    @property
    def about(self) -> dict:
        """What the zygote says of itself: its walls (name -> True or a reason)."""
        self.start()
        if self._about is None:
            self._about = self._hear(START)
        return self._about

    def fork(self, limits: Limits = DEFAULT, common: tuple[str, ...] = ()) -> Student:
        """A new child; the one before it is ended. Raises NotIsolated or EngineError.

        common: sources of cells that many notebooks hold, which later children find compiled.
        """
        self.end_child()
        for last in (False, True):
            try:
                walls = self.about["walls"]
                if not limits.trust_students and (missing := missing_isolation(walls)):
                    raise NotIsolated(missing)
                self._drain()
                if self._spare is not None and self._spare.limits != limits:
                    self._kill(self._spare)
                    self._spare = None
                self._prepare(common)
                self._child = self._spare or self._ask(limits)
                self._spare = self._ask(limits)
                self._child.greet(ANSWER)
                self._share_a_processor()
                return self._child
            except (EngineError, Stopped) as error:
                self.close()
                if last:
                    raise EngineError(str(error)) from None
        raise AssertionError

    def _prepare(self, sources: tuple[str, ...]) -> None:
        for source in sources:
            if source in self._prepared:
                continue
            self._prepared.add(source)
            if self._unread > 50:  # before the answers fill the socket, and both sides wait
                self._drain()
            message = json.dumps({"do": "prepare", "source": source}).encode()
            if len(message) > MAX_REQUEST:
                continue
            try:
                self._zygote.control.send(message)
            except OSError as error:
                raise EngineError(f"the zygote is gone ({error})") from None
            self._unread += 1

    def _share_a_processor(self) -> None:
        """Keep this thread and the child on the processor that this thread is on, until `end_child`.

        They never work at the same time, and to wake a process on another processor takes longer than most
        answers. A worker that is bound to one processor has handed that down to its zygote and children.
        """
        allowed = os.sched_getaffinity(0)
        processor = libc.sched_getcpu()
        if len(allowed) == 1 or processor not in allowed:
            return
        with contextlib.suppress(OSError):
            self._child.request("stay", processor)
            os.sched_setaffinity(0, {processor})
            self._allowed = allowed

    def _free_processors(self) -> None:
        if self._allowed:
            os.sched_setaffinity(0, self._allowed)
            self._allowed = None

    def _ask(self, limits: Limits) -> Student:
        """Ask the zygote for a child. Its channel can be used at once: what is sent waits until the child is there."""
        handles: list[int] = []
        try:
            handles += os.pipe()
            handles += os.pipe()
        except OSError as error:
            for handle in handles:
                os.close(handle)
            raise EngineError(f"no connection to a new process for student code ({error})") from None
        their_reads, writes, reads, their_writes = handles
        channel = Channel(reads, writes)
        try:
            request = json.dumps({"do": "fork", "limits": asdict(limits), "name": self._next}).encode()
            socket.send_fds(self._zygote.control, [request], [their_reads, their_writes])
        except OSError as error:
            channel.close()
            raise EngineError(f"the zygote is gone ({error})") from None
        finally:
            os.close(their_reads)
            os.close(their_writes)
        self._unread += 1
        student = Student(channel)
        student.name, student.limits = self._next, limits
        self._next += 1
        return student

    def end_child(self, wait: bool = False) -> str | int | None:
        """Kill the child with all that it started. With `wait`, returns when it is gone, and how it ended."""
        self._free_processors()
        if self._child is None:
            return None
        student, self._child = self._child, None
        try:
            self._kill(student, patient=wait)
            return self._drain().get("ended") if wait else None
        except EngineError:
            self.close()  # ends the zygote and with it the child
            return None

    def _kill(self, student: Student, patient: bool = False) -> None:
        student.channel.close()
        try:
            self._zygote.control.send(json.dumps({"do": "kill", "name": student.name, "patient": patient}).encode())
        except OSError as error:
            raise EngineError(f"the zygote is gone ({error})") from None
        self._unread += 1

    def _drain(self) -> dict:
        """Read the answers that are still to come; the last one. Raises EngineError when a fork failed."""
        reply = {}
        while self._unread:
            reply = self._hear(ANSWER)
            self._unread -= 1
            if "error" in reply:
                raise EngineError(f"the process that student code is forked from: {reply['error']}")
        return reply

    def _hear(self, seconds: float) -> dict:
        poll = select.poll()
        control = self._zygote.control
        poll.register(control, select.POLLIN)
        try:
            data = control.recv(1 << 20) if poll.poll(seconds * 1000) else None
        except OSError:  # killed with our request unread
            data = b""
        if not data:
            why = "took too long" if data is None else "ended"
            raise EngineError(f"the process that student code is forked from {why}: {self._zygote.last_words()}")
        return json.loads(data)

    def close(self) -> None:
        """End the zygote and everything that came from it."""
        self._free_processors()
        if self._zygote is None:
            return
        for student in (self._child, self._spare):
            if student is not None:
                student.channel.close()
        self._zygote.close()
        self._zygote = self._about = self._child = self._spare = None
        self._unread = 0

    @property
    def closed(self) -> bool:
        return self not in _engines

    def forget(self) -> None:
        """In a forked copy of this process: the zygote belongs to the original."""
        self._free_processors()
        if self._zygote is not None:
            self._zygote.control.close()
        for student in (self._child, self._spare):
            if student is not None:
                student.channel.close()
        self._zygote = self._about = self._child = self._spare = None
        self._unread = 0


def missing_isolation(walls: dict) -> str:
    """Empty when files and network are out of reach; else what is missing."""
    missing = []
    if walls.get("landlock") is not True and walls.get("own root folder") is not True:
        missing.append("files")
    if walls.get("seccomp") is not True and walls.get("network namespace") is not True:
        missing.append("network")
    if not missing:
        return ""
    return f"this machine can't keep student code away from {' and '.join(missing)}: see `python -m autograder doctor`"


_engines: list[Engine] = []  # all that are open
_shared: dict[bool, Engine] = {}  # by whether matplotlib is loaded


def start(matplotlib: bool = False) -> Engine:
    """An engine of this process; its zygote starts in the background. Call early to hide that time."""
    engine = _shared.get(matplotlib)
    if engine is None or engine.closed:
        engine = _shared[matplotlib] = Engine(matplotlib)
    engine.start()
    return engine


@atexit.register
def close_all() -> None:
    while _engines:
        with contextlib.suppress(Exception):
            _engines.pop().close()


def _forget_all() -> None:
    while _engines:
        _engines.pop().forget()


os.register_at_fork(after_in_child=_forget_all)
