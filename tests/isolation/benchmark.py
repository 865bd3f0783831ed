"""How fast the grader is, as ratios from one run on one machine.

    python tests/isolation/benchmark.py [--submissions 200] [--nbgrader 6] [--many 2000]

1  throughput of `grade` (reading, executing, gradebook, notebooks, feedback, CSV) against `nbgrader autograde`
2  latency of one notebook against the same cells in one process, and in a bare fork-and-exec
3  `check`, start to end
4  memory and time of the grading process as the number of submissions grows (executing replaced by a stub)
5  where the time of a notebook goes
"""

import argparse
import contextlib
import io
import json
import os
import pickle
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from concurrent.futures import Future
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]
os.environ["PATH"] = str(Path(sys.executable).parent) + os.pathsep + os.environ["PATH"]  # nbgrader runs alembic

import numpy  # noqa: E402, F401 - in the parent, so that forks share it

import bank  # noqa: E402
from autograder import grading  # noqa: E402
from autograder.assignment import load_master  # noqa: E402
from autograder.course import Course  # noqa: E402
from autograder.files import notebook_text, write_atomically  # noqa: E402
from autograder.intake import find  # noqa: E402
from autograder.isolation import proxies, runner  # noqa: E402

NAME = "rope"


def submissions(count: int) -> list[dict]:
    """A class: every student with other answers from the bank, three of four of them right."""
    master = load_master(NAME)
    exercises = list(dict.fromkeys(cell.exercise.lower() for cell in master.cells if cell.kind == "answer"))
    right = {e: [x.source for x in bank.entries(NAME) if x.exercise == e and not x.loses] for e in exercises}
    wrong = {e: [x.source for x in bank.entries(NAME) if x.exercise == e and x.loses] for e in exercises}
    made = []
    for student in range(count):
        notebook, seen = json.loads(json.dumps(master.notebook)), set()
        for cell, original in zip(notebook["cells"], master.cells, strict=True):
            if original.kind == "test":
                cell["source"] = original.visible_source
            if original.kind == "answer":
                exercise = original.exercise.lower()
                number = exercises.index(exercise)
                choice = (wrong if (student + number) % 4 == 3 else right)[exercise] or [original.source]
                cell["source"] = choice[(student * 7 + number) % len(choice)] if exercise not in seen else ""
                seen.add(exercise)
        made.append(notebook)
    return made


def write(notebooks: list[dict], folder: Path) -> None:
    for student, notebook in enumerate(notebooks):
        write_atomically(folder / f"student{student:05}" / NAME / f"{NAME}.ipynb", notebook_text(notebook))


def seconds_of(command: list[str], **options) -> float:
    began = time.perf_counter()
    done = subprocess.run(command, capture_output=True, text=True, **options)
    if done.returncode not in (0, 1):
        raise SystemExit(f"{' '.join(command)}: {done.stderr[-2000:]}")
    return time.perf_counter() - began


def throughput(notebooks: list[dict], sample: int, scratch: Path) -> tuple[float, float]:
    """Seconds per notebook, start and end included: of grade, before nbgrader and after it; of nbgrader, from a sample that is spread over the class."""
    write(notebooks, scratch / "handed-in")
    grade = [sys.executable, "-m", "autograder", "grade", str(scratch / "handed-in"), "--quiet", "--class"]
    before = seconds_of([*grade, str(scratch / "before")], cwd=ROOT)
    course = Course(scratch / "nbgrader")
    course.prepare([load_master(NAME)])
    config = course.directory / "nbgrader_config.py"
    config.write_text("from pathlib import Path\nc = get_config()\nc.CourseDirectory.root = str(Path(__file__).parent)\n")  # its own engine
    write(notebooks[:: max(1, len(notebooks) // (sample + 1))][: sample + 1], course.directory / "submitted")
    began = time.time()
    seconds_of([sys.executable, "-m", "nbgrader", "autograde", NAME], cwd=course.directory)
    ended = sorted(path.stat().st_mtime for path in (course.directory / "autograded").glob(f"*/{NAME}/{NAME}.ipynb"))
    each = (ended[-1] - ended[0]) / (len(ended) - 1)
    start = max(0.0, ended[0] - began - each)
    after = seconds_of([*grade, str(scratch / "after")], cwd=ROOT)
    return (before + after) / 2 / len(notebooks), each + start / len(notebooks)


def bare(notebook: dict) -> tuple[float, float]:
    """(seconds of fork, exec of student and test cells, and exit; seconds of the cells alone)."""
    tests = {c.grade_id: c.source for c in load_cached().tests}
    sources = []
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            sources.append(tests.get(cell["metadata"].get("nbgrader", {}).get("grade_id"), cell["source"]))
    read, write_end = os.pipe()
    began = time.perf_counter()
    pid = os.fork()
    if pid == 0:
        names = {"__name__": "__main__"}
        start = time.perf_counter()
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            for source in sources:
                with contextlib.suppress(BaseException):
                    exec(compile(source, "<cell>", "exec"), names)
        os.write(write_end, repr(time.perf_counter() - start).encode())
        os._exit(0)
    os.waitpid(pid, 0)
    total = time.perf_counter() - began
    own = float(os.read(read, 100))
    os.close(read), os.close(write_end)
    return total, own


_master = []


def load_cached():
    if not _master:
        _master.append(load_master(NAME))
    return _master[0]


def latency(notebooks: list[dict]) -> tuple[float, float, float]:
    """Median seconds per notebook: isolated, bare, and the cells alone; taken in turns."""
    isolated, forked, alone = [], [], []
    runner.run(load_cached(), notebooks[0])
    for notebook in notebooks:
        began = time.perf_counter()
        runner.run(load_cached(), notebook)
        isolated.append(time.perf_counter() - began)
        total, own = bare(notebook)
        forked.append(total)
        alone.append(own)
    return statistics.median(isolated), statistics.median(forked), statistics.median(alone)


def where(notebooks: list[dict]) -> dict[str, float]:
    """Milliseconds per notebook by part."""
    spent: dict[str, float] = defaultdict(float)

    def timed(owner, name, part):
        original = getattr(owner, name)

        def wrapper(*arguments, **keywords):
            began = time.perf_counter()
            try:
                return original(*arguments, **keywords)
            finally:
                spent[part] += time.perf_counter() - began

        setattr(owner, name, wrapper)
        return lambda: setattr(owner, name, original)

    undo = [
        timed(runner, "match", "matching cells"), timed(runner.Engine, "fork", "starting the child"), timed(runner.Engine, "end_child", "ending the child"),
        timed(runner._Run, "_cells", "student's cells"), timed(runner._Run, "_test", "tests"), timed(runner._Run, "_executed", "executed notebook"),
        timed(proxies.Student, "_receive", "waiting for the child (in cells and tests)"), timed(proxies.Student, "_call_back", "functions that students call back (in tests)"),
    ]  # fmt: skip
    for notebook in notebooks:
        runner.run(load_cached(), notebook)
    for restore in undo:
        restore()
    return {part: 1000 * total / len(notebooks) for part, total in spent.items()}


class Inline:
    """An executor that returns the same result for every submission, as it comes from a worker."""

    def __init__(self, result: bytes):
        self.result = result

    def submit(self, function, engine, master, notebook):
        future = Future()
        future.set_result(pickle.loads(self.result))
        return future

    def shutdown(self, **_):
        pass


def grow(count: int) -> None:
    """For a process of its own: grade `count` submissions with a stub; prints seconds and peak memory in MB."""
    notebook = submissions(1)[0]
    work = grading.Work("a student", notebook_text(notebook).encode(), "")
    result = pickle.dumps(grading.execute(runner.run, pickle.dumps(load_cached()), work))
    runner.start(False).close()
    with tempfile.TemporaryDirectory() as folder:
        handed_in = Path(folder) / "handed-in"
        for student in range(count):
            target = handed_in / f"student{student:05}" / NAME / f"{NAME}.ipynb"
            target.parent.mkdir(parents=True)
            target.write_text(notebook_text(notebook) if student == 0 else (handed_in / f"student00000/{NAME}/{NAME}.ipynb").read_text())
        course = Course(Path(folder) / "class")
        course.prepare([load_cached()])
        began = time.perf_counter()
        found = list(find(handed_in, {NAME: load_cached().title}))
        grading.grade(course, {NAME: load_cached()}, found, lambda: Inline(result), "stub", 4)
        peak = re.search(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text())  # of this program; getrusage counts its parent's too
        print(json.dumps([time.perf_counter() - began, int(peak[1]) / 1024]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--submissions", type=int, default=200)
    parser.add_argument("--nbgrader", type=int, default=6, help="how many of them nbgrader grades")
    parser.add_argument("--many", type=int, default=2000, help="the greater number for memory and time")
    parser.add_argument("--grow", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.grow:
        return grow(options.grow)
    notebooks = submissions(options.submissions)
    with tempfile.TemporaryDirectory() as folder:
        ours, theirs = throughput(notebooks, options.nbgrader, Path(folder))
    print(f"1  grade: {1000 * ours:.0f} ms per notebook, nbgrader autograde: {1000 * theirs:.0f} ms: {theirs / ours:.1f} times the throughput ({os.cpu_count()} processors, {len(notebooks)} notebooks)")
    some = notebooks[:40]
    isolated, forked, alone = latency(some)
    print(f"2  one notebook: {1000 * isolated:.0f} ms; bare fork-and-exec {1000 * forked:.0f} ms ({isolated / forked:.1f} times); beyond the cells' own {1000 * alone:.0f} ms: {1000 * (isolated - alone):.0f} ms")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"{NAME}.ipynb"
        path.write_text(notebook_text(notebooks[0]))
        times = [seconds_of([sys.executable, "-m", "autograder", "check", str(path)], cwd=ROOT) for _ in range(3)]
    print(f"3  check: {min(times):.2f} s")
    sizes = (200, options.many)
    grown = [json.loads(subprocess.run([sys.executable, __file__, "--grow", str(n)], capture_output=True, text=True, check=True).stdout) for n in sizes]
    print(f"4  recording {sizes[0]} and {sizes[1]} submissions: peak {grown[0][1]:.0f} and {grown[1][1]:.0f} MB; {1000 * grown[0][0] / sizes[0]:.1f} and {1000 * grown[1][0] / sizes[1]:.1f} ms each")
    print("5  where a notebook's time goes, in ms (parts in parentheses are in others):")
    for part, milliseconds in sorted(where(some).items(), key=lambda item: -item[1]):
        print(f"   {milliseconds:7.1f}  {part}")


if __name__ == "__main__":
    main()
