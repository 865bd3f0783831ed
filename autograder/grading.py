"""Grading a folder of submissions: read, execute, keep, record - each step apart from the others.

Workers only execute: they hold no gradebook and write nothing. One writer (this process) keeps results in the
durable store as they come, and records them in nbgrader's gradebook at the end, in one transaction.
"""

import gc
import hashlib
import os
import pickle
import signal
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, Executor, Future
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from queue import SimpleQueue

from . import feedback, gradebook, report
from .assignment import Assignment
from .course import Course
from .engines import Engine
from .errors import BadInput
from .files import notebook_text, write_atomically
from .intake import Submission
from .reading import parse_notebook
from .results import NEEDS_PERSON, NOT_RUN, CellResult, SubmissionResult
from .store import Store, key_of

LEAVING = 3.0  # seconds: the workers of a run that was killed hold its folder until they have noticed
COMMIT_EVERY = 0.5  # seconds: what a killed run may have to repeat


@dataclass
class Outcome:
    """What a run did: submissions graded now, taken from the store, and those that need a person."""

    graded: int = 0
    unchanged: int = 0
    problems: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Work:
    """A submission on its way to a worker, which parses it: the bytes of the file, and how messages name it."""

    student: str
    data: bytes
    where: str


def execute(engine: Engine, packed_master: bytes, work: Work | dict) -> SubmissionResult:
    """What a worker does with one notebook: never raises, for one submission must not stop the others.

    The texts of the files that are made of the result travel back in place of the executed notebook.
    """
    master = _unpacked(packed_master)
    try:
        if isinstance(work, dict):
            return engine(master, work)
        try:
            notebook = parse_notebook(work.data, work.where)
        except BadInput as error:
            return unreadable(work.student, master, str(error))
        result = engine(master, notebook)
        result.student = work.student
        _make_texts(master, result)
        result.notebook = None
        return result
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:  # the engine's own fault: a person must look, nobody loses points for it
        return unreadable("", master, f"the grader failed ({type(error).__name__}: {error})")


# Masters travel to the workers as bytes, packed once by this process and unpacked once by each worker.
_unpacked = lru_cache(maxsize=32)(pickle.loads)


def unreadable(student: str, master: Assignment, reason: str) -> SubmissionResult:
    """The result of a submission that could not be graded: no points, and a reason."""
    cells = [CellResult(c.grade_id, c.exercise, 0.0, c.points, NOT_RUN) for c in master.tests]
    return SubmissionResult(student, master.name, cells, NEEDS_PERSON, reason)


def grade(
    course: Course,
    masters: dict[str, Assignment],
    submissions: list[Submission],
    make_executor: Callable[[], Executor],
    engine: Engine,
    width: int = 4,
    progress: Callable[[], None] = lambda: None,
) -> Outcome:
    """Grade the submissions into the class folder; a second call with the same input changes nothing.

    make_executor: yields the workers; called when the first is needed, and again when a worker was killed. width: how
    many submissions are under way at once, which bounds the memory of this process.
    """
    outcome = Outcome()
    course.make()
    with only_one(course), preparing(course, masters) as prepared, Store(course.directory / "results.sqlite") as store:
        workers = Workers(make_executor, engine, masters)
        committed = time.monotonic()

        def keep(key: str, student: str, result: SubmissionResult) -> None:
            nonlocal committed
            result.student = student
            _write_files(course, masters[result.assignment], result)
            store.add(key, result)
            store.make_current(student, result.assignment, key)
            if time.monotonic() - committed >= COMMIT_EVERY:
                store.commit()
                committed = time.monotonic()
            outcome.graded += 1
            if result.status == NEEDS_PERSON:
                outcome.problems.append(f"{student}/{result.assignment}: {result.reason}")
            progress()
            if prepared.done():
                prepared.result()  # raises what went wrong: better now than after the last submission

        try:
            for submission in submissions:
                master = masters.get(submission.assignment)
                if master is None:
                    outcome.problems.append(submission.problem)
                    progress()
                    continue
                student = submission.student
                data, digest, problem = _read(course, submission)
                key = key_of(student, master.name, digest, master.fingerprint, repr(engine))
                if store.has(key):
                    store.make_current(student, master.name, key)
                    outcome.unchanged += 1
                    known = store.get(key)
                    if known.status == NEEDS_PERSON:
                        outcome.problems.append(f"{student}/{master.name}: {known.reason}")
                    progress()
                elif problem:
                    keep(key, student, unreadable(student, master, problem))
                else:
                    for (done, author), result in workers.finished(width - 1):
                        keep(done, author, result)
                    workers.start((key, student), master, Work(student, data, submission.where))
            for (done, author), result in workers.finished(0):
                keep(done, author, result)
        finally:
            store.commit()
            workers.close()
        prepared.result()
        for name in masters:
            if gradebook.count(course, name) < store.count(name):  # a gradebook that was made anew
                store.forget_recorded(name)
            if store.unrecorded(name):
                gradebook.record(course, name, store.to_record(name))
                store.mark_recorded(name)
        report.write_csv(course.directory / "grades.csv", store.current())
        report.write_report(course.directory / "report.html", store.current())
    return outcome


@contextmanager
def preparing(course: Course, masters: dict[str, Assignment]):
    """Bring the class folder up to date in a process of its own, since nbgrader takes a while; yields a Future of it."""
    stale = course.stale(masters.values())
    if not stale:
        nothing = Future()
        nothing.set_result(None)
        yield nothing
        return
    with local_executor(1) as executor:
        yield executor.submit(course.prepare, stale)


def local_executor(jobs: int, initializer: Callable | None = None, *arguments) -> Executor:
    """Processes of this machine, each of which first calls initializer(*arguments)."""
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor

    if sys.platform != "linux":
        return ProcessPoolExecutor(jobs, multiprocessing.get_context("spawn"), initializer, arguments)
    context = multiprocessing.get_context("fork")
    processors = sorted(os.sched_getaffinity(0))
    if jobs < len(processors):
        processors = []  # the system knows better which of them are idle
    return ProcessPoolExecutor(jobs, context, _begin, (os.getpid(), processors, context.Value("i", 0), initializer, *arguments))


def _begin(parent: int, processors: list[int], number, initializer: Callable | None, *arguments) -> None:
    """The first thing that a worker does.

    It must not outlive a killed parent: it would wait for ever, and hold the class folder. With its sandboxed
    processes it keeps to one processor, since they take turns: see isolation.engine.Engine._share_a_processor.
    """
    import ctypes

    ctypes.CDLL(None).prctl(1, ctypes.c_ulong(signal.SIGKILL), 0, 0, 0)  # PR_SET_PDEATHSIG
    if os.getppid() != parent:
        os._exit(1)
    if processors:
        with number.get_lock():
            mine = processors[number.value % len(processors)]
            number.value += 1
        os.sched_setaffinity(0, {mine})
    if initializer is not None:
        initializer(*arguments)
    gc.freeze()  # what is loaded stays: it need not be searched for garbage again and again
    gc.set_threshold(50_000)


class Workers:
    """Submissions under way in an executor. A worker that is killed costs no submission but the one that killed it."""

    def __init__(self, make_executor: Callable[[], Executor], engine: Engine, masters: dict[str, Assignment]):
        self.make_executor, self.engine = make_executor, engine
        self.packed = {name: pickle.dumps(master) for name, master in masters.items()}
        self.masters = masters
        self.executor: Executor | None = None
        self.pending: dict = {}  # future -> (tag, assignment, notebook)
        self.done: SimpleQueue = SimpleQueue()  # futures, as they are done

    def start(self, tag, master: Assignment, notebook: Work | dict) -> None:
        future = self._submit(master.name, notebook)
        self.pending[future] = (tag, master.name, notebook)
        future.add_done_callback(self.done.put)

    def _submit(self, name: str, notebook: dict):
        if self.executor is None:
            self.executor = self.make_executor()
        return self.executor.submit(execute, self.engine, self.packed[name], notebook)

    def finished(self, down_to: int) -> Iterator[tuple]:
        """(tag, result) as they come, until at most `down_to` submissions are under way."""
        while len(self.pending) > down_to:
            future = self.done.get()
            if future not in self.pending:  # of workers that were given up
                continue
            tag, name, notebook = self.pending.pop(future)
            try:
                yield tag, future.result()
            except BrokenExecutor:
                self.close()
                lost = [(tag, name, notebook), *self.pending.values()]
                self.pending = {}
                for each in lost:
                    yield each[0], self._alone(*each[1:])
            except Exception as error:  # a result that could not be handed over
                yield tag, unreadable("", self.masters[name], f"the grader failed ({type(error).__name__}: {error})")

    def _alone(self, name: str, notebook: dict) -> SubmissionResult:
        """Once more, by itself: whoever breaks a worker a second time is the one."""
        try:
            return self._submit(name, notebook).result()
        except BrokenExecutor:
            self.close()
            return unreadable("", self.masters[name], "the process that graded it was killed, twice")

    def close(self) -> None:
        for future in self.pending:
            future.cancel()
        if self.executor is not None:
            self.executor.shutdown()  # dask's takes no cancel_futures
            self.executor = None


@contextmanager
def only_one(course: Course):
    """Hold the class folder: two runs that write to one class would mix their results."""
    try:
        import fcntl
    except ImportError:  # Windows: nothing to hold it with
        yield
        return
    with (course.directory / ".lock").open("w") as file:
        until = time.monotonic() + LEAVING
        while True:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except OSError:
                if time.monotonic() > until:
                    raise BadInput(f"{course.directory}: another run is grading into this class; wait for it, then run again") from None
                time.sleep(0.05)
        yield


def current_results(course: Course) -> Iterator[SubmissionResult]:
    """The results that count in a class, by assignment and student."""
    with Store(course.directory / "results.sqlite") as store:
        yield from store.current()


def _read(course: Course, submission: Submission) -> tuple[bytes, str, str]:
    """(bytes, hash, problem) of a submission; a readable file is copied to the class's submitted/."""
    try:
        data = submission.read()
    except BadInput as error:
        return b"", f"unreadable: {error}", str(error)
    target = course.submitted(submission.student, submission.assignment)
    try:
        same = target.stat().st_size == len(data) and target.read_bytes() == data
    except OSError:
        same = False
    if not same:
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)
    return data, hashlib.sha256(data).hexdigest(), ""


def _make_texts(master: Assignment, result: SubmissionResult) -> None:
    if result.notebook is not None and not result.executed:
        result.executed = notebook_text(result.notebook)
    result.page = result.page or feedback.page(master, result)


def _write_files(course: Course, master: Assignment, result: SubmissionResult) -> None:
    """The autograded notebook (nbgrader's place and form) and the feedback page."""
    _make_texts(master, result)
    autograded = course.autograded(result.student, master.name)
    if result.executed:
        write_atomically(autograded, result.executed)
    else:
        autograded.unlink(missing_ok=True)  # nothing of an earlier submission survives
    write_atomically(course.feedback(result.student, master.name), result.page)
