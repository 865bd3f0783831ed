"""Trusted side: bounds for test code that a student's values, or calls of a test's own functions, could blow up.

A student may call a function of the test's with huge arguments. Memory is bounded by a soft limit on this
process while a test runs; time by an alarm, where this is the main thread (elsewhere the deadline of the next
answer from the child holds), and by the kernel, which ends a worker that does not hear the alarm.
"""

import contextlib
import resource
import signal
import threading
import time

from .proxies import Stopped, Student

MEMORY = 3 << 29  # 1.5 GB beyond what this process maps at a submission's first test
PATIENCE = 1.0  # seconds after the deadline until the alarm
LAST = 15.0  # seconds of processor time after that until the kernel ends this process: one NumPy call hears no alarm


@contextlib.contextmanager
def guarded(student: Student):
    """While it holds, test code runs out of memory before the machine does, and is interrupted when late."""
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    if student.memory is None:
        student.memory = _mapped() + MEMORY
    limit = student.memory
    bounded = soft == resource.RLIM_INFINITY or limit < soft
    alarmed = threading.current_thread() is threading.main_thread() and signal.getsignal(signal.SIGALRM) in (signal.SIG_DFL, None)
    if bounded:
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_AS, (limit, hard))
    if alarmed:

        def late(*_):
            student.stopped = student.stopped or Stopped("late")
            raise student.stopped

        signal.signal(signal.SIGALRM, late)
        left = max(0.01, student.deadline - time.monotonic()) + PATIENCE
        signal.setitimer(signal.ITIMER_REAL, left, 1.0)
        if signal.getsignal(signal.SIGVTALRM) == signal.SIG_DFL:
            signal.setitimer(signal.ITIMER_VIRTUAL, left + LAST)
    try:
        yield
    finally:
        if alarmed:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, signal.SIG_DFL)
        if bounded:
            resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def _mapped() -> int:
    try:
        with open("/proc/self/statm") as file:
            return int(file.read().split()[0]) * resource.getpagesize()
    except (OSError, ValueError):
        return 4 << 30
