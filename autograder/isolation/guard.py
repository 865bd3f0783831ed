"""Trusted side: bounds for test code that a student's values, or calls of a test's own functions, could blow up.

A student may call a function of the test's with huge arguments. Memory is bounded by a soft limit on this
process while a test runs; time by an alarm, where this is the main thread (elsewhere the deadline of the next
answer from the child holds), and by the kernel, which ends a worker that does not hear the alarm.
"""

import contextlib
import io
import resource
import signal
import sys
import threading
import time
import warnings

from .proxies import Stopped, Student

MEMORY = 3 << 29  # 1.5 GB beyond what this process maps at a submission's first test
PATIENCE = 1.0  # seconds after the deadline until the alarm
LAST = 15.0  # seconds of processor time after that until the kernel ends this process: one NumPy call hears no alarm


_watched: Student | None = None  # whose test runs now
_armed = False


@contextlib.contextmanager
def grading():
    """For a submission: tests warn no one, and alarms that `guarded` sets are heard, where this is the main thread and no one else does."""
    with warnings.catch_warnings(), _alarms():
        warnings.simplefilter("ignore")
        yield


@contextlib.contextmanager
def _alarms():
    global _armed
    ours = threading.current_thread() is threading.main_thread() and signal.getsignal(signal.SIGALRM) in (signal.SIG_DFL, None)
    if ours:
        signal.signal(signal.SIGALRM, _late)
        _armed = True
    try:
        yield
    finally:
        if ours:
            _armed = False
            signal.signal(signal.SIGALRM, signal.SIG_DFL)


def _late(*_):
    if _watched is not None:
        _watched.stopped = _watched.stopped or Stopped("late")
        raise _watched.stopped


@contextlib.contextmanager
def guarded(student: Student):
    """While it holds, test code runs out of memory before the machine does, and within `grading` is interrupted when late.

    Yields a text file that receives what test code prints.
    """
    global _watched
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    if student.memory is None:
        student.memory = _mapped() + MEMORY
    bounded = soft == resource.RLIM_INFINITY or student.memory < soft
    output, errors = sys.stdout, sys.stderr
    try:
        if bounded:
            with contextlib.suppress(ValueError, OSError):
                resource.setrlimit(resource.RLIMIT_AS, (student.memory, hard))
        if _armed:
            left = max(0.01, student.deadline - time.monotonic()) + PATIENCE
            signal.setitimer(signal.ITIMER_REAL, left, 1.0)
            signal.setitimer(signal.ITIMER_VIRTUAL, left + LAST)
        sys.stdout = sys.stderr = printed = io.StringIO()
        _watched = student
        yield printed
    finally:
        _watched = None  # first: an alarm that comes now must not end this block early
        if _armed:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
            signal.setitimer(signal.ITIMER_REAL, 0)
        sys.stdout, sys.stderr = output, errors
        if bounded:
            resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def _mapped() -> int:
    try:
        with open("/proc/self/statm") as file:
            return int(file.read().split()[0]) * resource.getpagesize()
    except (OSError, ValueError):
        return 4 << 30
