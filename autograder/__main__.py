"""The command line: `python -m autograder COMMAND`. Exit status 0: done; 1: a test failed; 2: bad input."""

import argparse
import contextlib
import os
import sqlite3
import sys
from concurrent.futures import BrokenExecutor
from pathlib import Path

from . import __version__
from .errors import BadInput

MAX_LEFT_OUT = 50  # lines about files of an archive that were left out


def main(arguments: list[str] | None = None) -> int:
    options = _parser().parse_args(arguments)
    # nbgrader starts `alembic` by its name, which is beside this Python also when its environment is not activated.
    os.environ["PATH"] = os.pathsep.join((os.path.dirname(sys.executable), os.environ.get("PATH", "")))
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before NumPy is loaded: as many threads as workers would only disturb
    try:
        return options.run(options)
    except BadInput as error:
        print(f"autograder: {error}", file=sys.stderr)
        return 2
    except BrokenExecutor:
        print("autograder: a process of the grader was killed; nothing is lost: run the command again", file=sys.stderr)
        return 2
    except sqlite3.Error as error:
        print(f"autograder: the class's database can't be used ({error}); nothing is lost: run the command again", file=sys.stderr)
        return 2
    except BrokenPipeError:  # the reader of the output has gone (… | head)
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        print(f"autograder: {where}{error.strerror or error}; results so far are kept: run the command again", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("autograder: stopped; the results so far are kept, and the same command goes on from there", file=sys.stderr)
        return 130


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m autograder", description="Release, check and grade the notebooks of the course.")
    parser.add_argument("--version", action="version", version=__version__)
    commands = parser.add_subparsers(metavar="COMMAND", required=True)

    def command(name, run, text):
        sub = commands.add_parser(name, help=text, description=text)
        sub.set_defaults(run=run)
        return sub

    sub = command("release", _release, "make the student notebooks from solutions/, after checking reference and blank")
    sub.add_argument("names", nargs="*", metavar="ASSIGNMENT", help="default: all")
    _engine_options(sub)

    sub = command("check", _check, "run the visible tests of a student's notebook, one line per exercise")
    sub.add_argument("notebook", type=Path)
    _engine_options(sub)

    sub = command("grade", _grade, "grade a folder or zip of submissions into a class folder")
    sub.add_argument("path", type=Path, help="STUDENT/ASSIGNMENT/NOTEBOOK.ipynb, or a Canvas or Moodle zip")
    sub.add_argument("--class", dest="directory", type=Path, default=Path("class"), metavar="DIR", help="default: class/")
    sub.add_argument("--jobs", type=int, default=_processors(), metavar="N", help="default: one per processor")
    sub.add_argument("--quiet", action="store_true", help="no table")
    sub.add_argument("--scheduler", metavar="ADDRESS", help="a dask.distributed scheduler, instead of local processes")
    _engine_options(sub)

    sub = command("table", _table, "print the scores of a class that was graded")
    sub.add_argument("directory", type=Path, nargs="?", default=Path("class"), metavar="DIR", help="default: class/")

    command("doctor", _doctor, "say what this machine can do to keep student code in, and what that protects")
    return parser


def _processors() -> int:
    """How many this process may use, which can be fewer than there are."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _engine_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--engine", choices=("isolated", "nbgrader"), default="isolated",
                        help="nbgrader runs student code as you, unprotected (default: %(default)s)")
    parser.add_argument("--seconds", type=float, metavar="S", help="time limit per cell (default: 10)")
    parser.add_argument("--trust-students", action="store_true", help="run even where this machine can't isolate")


def _engine(options):
    from .engines import Engine

    if options.seconds is not None and not options.seconds > 0:
        raise BadInput(f"--seconds {options.seconds:g}: must be more than 0")
    return Engine(options.engine, options.seconds, options.trust_students)


def _progress(total: int, text: str):
    if not sys.stderr.isatty():
        return contextlib.nullcontext(_NoBar)
    from tqdm import tqdm

    tqdm.monitor_interval = 0  # no thread in a process that will fork
    return tqdm(total=total, desc=text, unit="", leave=False)


class _NoBar:
    @staticmethod
    def update() -> None:
        pass


def _release(options) -> int:
    from .assignment import names
    from .release import release

    wanted = options.names or names()
    if not wanted:
        raise BadInput("solutions/: holds no instructor notebook (NAME.md)")
    with _progress(len(wanted), "releasing") as bar:
        made = release(wanted, _engine(options), progress=bar.update)
    print(f"release/: {made} made, {len(wanted) - made} unchanged")
    return 0


def _check(options) -> int:
    from .reading import read_bytes

    engine = _engine(options)
    engine.prepare(b"matplotlib" in read_bytes(options.notebook))
    from .checking import check

    return check(options.notebook, engine)


def _grade(options) -> int:
    if options.jobs < 1:
        raise BadInput(f"--jobs {options.jobs}: at least 1")
    engine = _engine(options)
    if not options.scheduler:
        engine.share()
    from . import grading, intake
    from .assignment import load_master, titles
    from .course import Course
    from .report import table

    with intake.opened(options.path) as (folder, left_out):
        known = titles()
        found = list(intake.find(folder, known))
        if not found:
            raise BadInput(f"{options.path}: holds no submission (expected STUDENT/ASSIGNMENT/NOTEBOOK.ipynb)")
        used = {name: load_master(name) for name in known if any(s.assignment == name for s in found)}
        if not used:
            raise BadInput(found[0].problem)
        course = Course(options.directory)
        workers = _Workers(options, engine, min(options.jobs, len(found)), list(used.values()))
        with _progress(len(found), "grading") as bar:
            outcome = grading.grade(course, used, found, workers, engine, 2 * options.jobs, bar.update)
    if not options.quiet:
        print(table(grading.current_results(course)) + "\n")
    print(f"{outcome.graded} graded, {outcome.unchanged} unchanged; all results: {course.directory / 'report.html'}")
    problems = outcome.problems + left_out[:MAX_LEFT_OUT]
    if len(left_out) > MAX_LEFT_OUT:
        problems.append(f"{options.path}: {len(left_out) - MAX_LEFT_OUT} more files were left out")
    for problem in problems:
        print(f"autograder: {problem}", file=sys.stderr)
    return 2 if problems else 0


def _doctor(options) -> int:
    from .doctor import report

    text, safe = report()
    print(text)
    return 0 if safe else 1


def _table(options) -> int:
    from . import grading
    from .course import Course
    from .report import table

    if not (options.directory / "results.sqlite").exists():
        raise BadInput(f"{options.directory}: nothing was graded there yet (python -m autograder grade PATH --class DIR)")
    print(table(grading.current_results(Course(options.directory))))
    return 0


class _Workers:
    """Called, it yields workers; the first time it says what protects their machine from student code, or refuses."""

    def __init__(self, options, engine, jobs: int, masters: list):
        self.options, self.engine, self.jobs, self.masters = options, engine, jobs, masters
        self.matplotlib = any("matplotlib" in cell.source for master in masters for cell in master.cells)
        self.asked = False

    def __call__(self):
        executor = self._executor()
        try:
            if not self.asked:
                print(f"student code is {executor.submit(self.engine.tier, self.matplotlib).result()}", file=sys.stderr)
                self.asked = True
        except BaseException as error:
            executor.shutdown(wait=not isinstance(error, KeyboardInterrupt))
            raise
        return executor

    def _executor(self):
        if not self.options.scheduler:
            from .grading import local_executor

            self.engine.load(self.masters)
            return local_executor(self.jobs, self.engine.prepare, self.matplotlib)
        try:
            from distributed import Client
        except ImportError:
            raise BadInput("--scheduler needs dask.distributed: pip install distributed") from None
        try:
            return Client(self.options.scheduler).get_executor(pure=False)
        except (OSError, ValueError) as error:
            raise BadInput(f"--scheduler {self.options.scheduler}: {error}") from None


if __name__ == "__main__":
    sys.exit(main())
