"""Which engine executes a submission. An engine is called `run(assignment, notebook) -> SubmissionResult`."""

import contextlib
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from .assignment import Assignment, without_uri_grammars
from .errors import BadInput
from .results import SubmissionResult

ISOLATED, NBGRADER = "isolated", "nbgrader"


@dataclass(frozen=True)
class Engine:
    """How to execute: travels to workers, and is part of what a result is kept under.

    name: ISOLATED runs student code in a sandbox of its own; NBGRADER uses nbgrader's autograder, unprotected.
    seconds: time limit per cell, None for the engine's default. trust_students: run without isolation if need be.
    """

    name: str = ISOLATED
    seconds: float | None = None
    trust_students: bool = False

    def __call__(self, assignment: Assignment, notebook: dict) -> SubmissionResult:
        return self._load()(assignment, notebook)

    # What follows does early what takes a while. What goes wrong is told when an engine is needed.

    def share(self) -> None:
        """The first thing of a process that will fork workers."""
        if self.name == ISOLATED and sys.platform == "linux":
            from .isolation import spawn

            with contextlib.suppress(Exception):
                spawn.share()

    def load(self, masters: Iterable[Assignment]) -> None:
        """What workers need to know of these: before they are forked, so that it is found out once."""
        if self.name == ISOLATED and sys.platform == "linux":
            with contextlib.suppress(Exception):
                import numpy.random  # noqa: F401 - tests use it, and NumPy itself loads it late

                from .isolation.tests import tests_of
                from .matching import match

                for master in masters:
                    tests_of(master)
                    match(master, master.notebook)

    def prepare(self, matplotlib: bool = False) -> None:
        """In a process that will execute soon: start the engine in the background. matplotlib: whether notebooks will use it."""
        if self.name == ISOLATED and sys.platform == "linux":
            from .isolation import engine

            with contextlib.suppress(Exception):
                engine.start(matplotlib)

    def _load(self) -> Callable[[Assignment, dict], SubmissionResult]:
        if self.name == NBGRADER:
            without_uri_grammars()
            from . import plain

            return lambda assignment, notebook: plain.run(assignment, notebook, self.seconds)
        from .isolation import runner

        limits = replace(runner.DEFAULT, trust_students=self.trust_students)
        if self.seconds is not None:
            limits = replace(limits, seconds=self.seconds)
        return lambda assignment, notebook: runner.run(assignment, notebook, limits)

    def tier(self, matplotlib: bool = False) -> str:
        """One line on what protects this machine from student code; to be asked where it will run.

        Raises BadInput when nothing does and no one said so.
        """
        if self.name == NBGRADER:
            return "nbgrader's own autograder: student code runs as you, unprotected"
        from .isolation import engine

        try:
            walls = engine.start(matplotlib).about["walls"]
        except engine.EngineError as error:
            raise BadInput(f"student code can't be isolated ({error}): see `python -m autograder doctor`") from None
        missing = engine.missing_isolation(walls)
        if missing and not self.trust_students:
            raise BadInput(f"{missing} (or --trust-students, for a class that you trust)")
        if missing:
            return f"not isolated, students are trusted: {missing}"
        return "isolated: " + ", ".join(name for name, given in walls.items() if given is True)
