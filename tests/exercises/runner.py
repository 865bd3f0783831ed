"""Runs answers against the test cells of an assignment, fast: every run is a fork of this process, without a kernel.

A run executes, in one namespace as a notebook does, the setup cell, the given cells, the answer and the test cells.
"""
import contextlib
import functools
import io
import os
import pickle
import re
import selectors
import signal
import sys
import time
import traceback
from dataclasses import dataclass, field

import numpy, numpy.fft, numpy.linalg, numpy.random  # noqa: E401, F401 - once here, so that no fork imports them again

from autograder.assignment import SOLUTIONS, load_master  # noqa: F401

SEED = 20170612
SEEDS = [SEED] + [1000 + 37 * k for k in range(20)]
SECONDS_PER_CELL = 5
SECONDS_PER_RUN = 90

UNTOUCHED = object()  # as `answers`: the stubs that students get
_REGION = re.compile(r"^([ \t]*)### BEGIN SOLUTION.*?### END SOLUTION[^\n]*$", re.DOTALL | re.MULTILINE)


@dataclass
class Outcome:
    """What one run gave: for each seed a dict grade_id -> message, None for a passed cell."""
    cells: list = field(default_factory=list)
    foreign: dict = field(default_factory=dict)  # grade_id -> traceback, when something else than an assertion ended it
    seconds: float = 0.0  # of processor time
    crashed: str = ""

    @property
    def lost(self):
        """For each seed the cells that failed."""
        assert not self.crashed, self.crashed
        return [[grade_id for grade_id, message in cells.items() if message is not None] for cells in self.cells]


@functools.cache
def load(name):
    """The instructor notebook, checking.py inlined."""
    return load_master(name)


def stub(source):
    """The answer cell as released: the solution regions replaced by nbgrader's stub."""
    return _REGION.sub(r"\1# YOUR CODE HERE\n\1raise NotImplementedError()", source)


def program(assignment, exercise=None, answer=None):
    """The cells to run, as (kind, grade_id, code): all of an assignment, or those of one exercise around `answer`."""
    cells, placed = [], False
    for cell in assignment.cells:
        if cell.kind == "text":
            continue
        source = cell.source
        if cell.kind == "answer":
            if exercise is not None and cell.exercise.lower() != exercise:
                continue
            if answer is UNTOUCHED:
                source = stub(source)
            elif answer is not None:
                source, placed = ("" if placed else answer), True
        elif cell.kind == "test" and exercise is not None and cell.exercise.lower() != exercise:
            continue
        cells.append((cell.kind, cell.grade_id, _compile(source, cell.grade_id)))
    return cells


@functools.cache
def _compile(source, name):
    try:
        return compile(source, f"<{name}>", "exec")
    except SyntaxError as error:
        return error


class Overtime(BaseException):
    """A cell ran too long. Not an Exception, so that `except Exception` in an answer does not swallow it."""


def _overtime(*_):
    raise Overtime


def execute(cells, seed):
    """One run in this process: ({grade_id: message or None}, {grade_id: traceback}, whether a cell ran too long)."""
    namespace, messages, foreign, slow = {"__name__": "__main__"}, {}, {}, False
    for kind, grade_id, code in cells:
        signal.setitimer(signal.ITIMER_REAL, SECONDS_PER_CELL)
        message = None
        try:
            if isinstance(code, SyntaxError):
                raise code
            exec(code, namespace)
        except Overtime:
            message, slow = f"took longer than {SECONDS_PER_CELL} seconds", True
        except AssertionError as error:
            message = str(error)
        except BaseException as error:
            message = f"{type(error).__name__}: {error}"
            if kind == "test":
                foreign[grade_id] = traceback.format_exc(limit=-3)
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
        if kind == "test":
            messages[grade_id] = message
        elif kind == "given":
            if message is not None:
                raise RuntimeError(f"given cell {grade_id}: {message}")
            namespace["SEED"] = seed
    return messages, foreign, slow


def _child(cells, seeds, pipe):
    """The forked process: run the cells once per seed and send the outcome up the pipe."""
    outcome, start = Outcome(), time.process_time()
    signal.signal(signal.SIGALRM, _overtime)
    null = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(null, number)
    try:
        for seed in seeds:
            with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
                messages, foreign, slow = execute(cells, seed)
            outcome.cells.append(messages)
            outcome.foreign.update(foreign)
            if slow:  # once is enough to know
                break
    except BaseException:
        outcome.crashed = traceback.format_exc()
    outcome.seconds = time.process_time() - start
    with os.fdopen(pipe, "wb") as file:
        pickle.dump(outcome, file)


class Farm:
    """Runs jobs in forked processes, a few at a time; `result(key)` waits for one of them.

    jobs: key -> function without arguments that returns (cells, seeds).
    """

    last = None  # the newest one, for the summary

    def __init__(self, jobs, workers=None):
        Farm.last = self
        self.waiting, self.jobs = list(jobs), jobs
        self.workers = workers or min(4, os.cpu_count() or 1)
        self.running, self.done = {}, {}
        self.selector = selectors.DefaultSelector()

    def result(self, key):
        while key not in self.done:
            if key in self.waiting and len(self.running) < self.workers:
                self.waiting.remove(key)  # the one asked for goes first
                self.waiting.insert(0, key)
            self._fill()
            self._collect()
        self._fill()
        return self.done[key]

    def _fill(self):
        while self.waiting and len(self.running) < self.workers:
            key = self.waiting.pop(0)
            cells, seeds = self.jobs[key]()
            reader, writer = os.pipe()
            sys.stdout.flush(), sys.stderr.flush()
            pid = os.fork()
            if pid == 0:
                try:
                    os.close(reader)
                    os.setpgid(0, 0)
                    _child(cells, seeds, writer)
                finally:
                    os._exit(0)
            os.close(writer)
            self.running[reader] = [key, pid, time.monotonic(), b""]
            self.selector.register(reader, selectors.EVENT_READ)

    def _collect(self):
        for event, _ in self.selector.select(timeout=0.5):
            data = os.read(event.fd, 1 << 20)
            self.running[event.fd][3] += data
            if not data:
                self._finish(event.fd)
        for reader, (_, pid, start, _) in list(self.running.items()):
            if time.monotonic() - start > SECONDS_PER_RUN:
                self._finish(reader)

    def _finish(self, reader):
        key, pid, start, data = self.running.pop(reader)
        self.selector.unregister(reader)
        os.close(reader)
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        try:
            self.done[key] = pickle.loads(data)
        except Exception:
            self.done[key] = Outcome(seconds=time.monotonic() - start, crashed="the process ended without a result")
