"""A zygote that several workers share: each works in a copy of it."""

import contextlib
import multiprocessing
import os
import signal
import time
from pathlib import Path

import pytest

from autograder.isolation import engine as engines
from autograder.isolation import proxies, runner, spawn
from isolation import synthetic

pytestmark = pytest.mark.skipif(os.getuid() != 0, reason="an ordinary user's workers share no zygote: run this as root")
CONTEXT = multiprocessing.get_context("fork")


@pytest.fixture
def shared():
    spawn.end_shared()  # other tests may have left some
    engines.close_all()
    wait_for_processes(0)
    spawn.share()
    yield spawn._first.process
    spawn.end_shared()


@contextlib.contextmanager
def worker():
    """A forked process that grades one submission for each message; answers with points, whether its zygote is a copy, and the child's user."""
    ours, theirs = CONTEXT.Pipe()
    process = CONTEXT.Process(target=_work, args=(theirs,))
    process.start()
    theirs.close()

    def ask():
        ours.send("grade")
        assert ours.poll(60), "no answer"
        return ours.recv()

    try:
        yield ask
    finally:
        ours.send("")
        process.join(20)
        assert process.exitcode == 0


def _work(pipe):
    while pipe.recv():
        engine = engines.start(False)
        points = runner.run(synthetic.master(), synthetic.submission(), engine=engine).points
        student = engine.fork()
        student.limit(time.monotonic() + 20)
        student.request("run", "import os\nuser = os.getuid()")
        pipe.send((points, engine._zygote.process is None, student.request("get", "user")))
    engines.close_all()


def processes():
    """Those that began as this process's shared zygote."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if f'"parent": {os.getpid()}}}' in path.read_text():
                found.append(path.parent)
        except OSError:
            pass
    return found


def wait_for_processes(at_most):
    for _ in range(100):
        if len(processes()) <= at_most:
            return
        time.sleep(0.1)
    raise AssertionError(processes())


def test_workers_share_a_zygote_and_nothing_else(shared):
    with worker() as first, worker() as second:
        one, other = first(), second()
        assert one[:2] == other[:2] == (7, True)
        assert one[2] != other[2] and 0 not in (one[2], other[2])
        networks = set()
        for path in processes():
            with contextlib.suppress(OSError):  # one that has just ended
                networks.add(os.readlink(path / "ns" / "net"))
        assert len(networks - {os.readlink("/proc/self/ns/net")}) == 3  # the original, and two copies with their children


def test_workers_that_lost_the_shared_zygote_start_their_own(shared):
    with worker() as ask:
        assert ask()[:2] == (7, True)
        shared.send_signal(signal.SIGKILL)
        shared.wait()
        wait_for_processes(0)
        assert ask()[:2] == (7, False)
    with worker() as ask:
        assert ask()[:2] == (7, False)


def test_a_worker_that_ends_takes_its_copy_along(shared):
    with worker() as ask:
        ask()
    with worker() as ask:
        assert ask()[:2] == (7, True)
        wait_for_processes(5)  # the original and who waits for it, one copy, its two children


def test_a_killed_copy_takes_its_children_along(shared):
    ours, theirs = CONTEXT.Pipe()
    process = CONTEXT.Process(target=_spin, args=(theirs,))
    process.start()
    assert ours.poll(60) and ours.recv() == "begins"
    for _ in range(100):
        if burning := [path for path in processes() if int(_stat(path)[11]) > 20]:
            break
        time.sleep(0.1)
    [child] = burning
    os.kill(int(_stat(child)[1]), signal.SIGKILL)  # its parent, the copy
    process.join(20)
    assert process.exitcode == 0 and _stat(child)[0] in "XZ"  # gone, or dead until the original looks after it


def _stat(path):
    """From the state on: state, parent, …; the twelfth is the user time in ticks."""
    try:
        return (path / "stat").read_text().rsplit(")", 1)[1].split()
    except OSError:
        return ["X"] + ["0"] * 20


def _spin(pipe):
    engine = engines.start(False)
    student = engine.fork()
    student.limit(time.monotonic() + 15)
    pipe.send("begins")
    with contextlib.suppress(proxies.Stopped):
        student.request("run", "while True: pass")
    engines.close_all()


def test_nothing_is_left_of_a_zygote_that_was_not_used(shared):
    assert shared.poll() is None
    spawn.end_shared()
    assert shared.poll() is not None
    wait_for_processes(0)
