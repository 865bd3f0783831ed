"""What grading a submission yields; the seam between executing and recording."""

from dataclasses import asdict, dataclass, field

GRADED = "graded"
NEEDS_PERSON = "needs a person"

# How a test cell can end.
PASSED, FAILED, PARTIAL, TIMED_OUT, NOT_RUN = "passed", "failed", "partial", "timed out", "not run"


@dataclass
class CellResult:
    """One test cell: the points that it gave and, when not all, the message that says why."""

    grade_id: str
    exercise: str
    points: float
    max_points: float
    status: str
    message: str = ""


@dataclass
class SubmissionResult:
    """One submission: its test cells, and `notebook`, the executed notebook (nbformat 4 as a dict).

    status is GRADED or NEEDS_PERSON; reason says why a person is needed. notes are remarks for the
    instructor and the student, such as an edited test cell that was replaced. executed and page are the texts of
    the .ipynb file and of the feedback page, once they are made.
    """

    student: str
    assignment: str
    cells: list[CellResult] = field(default_factory=list)
    status: str = GRADED
    reason: str = ""
    notes: list[str] = field(default_factory=list)
    notebook: dict | None = None
    executed: str = ""
    page: str = ""

    @property
    def points(self) -> float:
        return sum(cell.points for cell in self.cells)

    @property
    def max_points(self) -> float:
        return sum(cell.max_points for cell in self.cells)

    def by_exercise(self) -> dict[str, tuple[float, float]]:
        """Exercise name -> (points, points possible), in the order of the notebook."""
        totals: dict[str, tuple[float, float]] = {}
        for cell in self.cells:
            got, out_of = totals.get(cell.exercise, (0.0, 0.0))
            totals[cell.exercise] = (got + cell.points, out_of + cell.max_points)
        return totals

    def to_dict(self) -> dict:
        return asdict(self)

    @classmethod
    def from_dict(cls, data: dict) -> "SubmissionResult":
        return cls(**{**data, "cells": [CellResult(**cell) for cell in data["cells"]]})
