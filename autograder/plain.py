"""nbgrader's own autograder as an engine: one kernel for the student's code and the tests, no isolation.

Kept for comparison and for classes that trust their students. Each submission is graded in a temporary
course of its own, so that executing stays apart from recording.
"""

import shutil
import tempfile
from pathlib import Path

import nbformat

from .assignment import Assignment
from .course import COURSE_ID, Course, run_converter
from .errors import BadInput
from .files import notebook_text, write_atomically
from .results import FAILED, NEEDS_PERSON, NOT_RUN, PARTIAL, PASSED, CellResult, SubmissionResult

STUDENT = "student"


def run(assignment: Assignment, notebook: dict, seconds: float | None = None) -> SubmissionResult:
    """Grade one notebook with `nbgrader autograde`. seconds: time limit per cell (nbgrader's default: 30)."""
    from nbgrader.converters import Autograde

    with tempfile.TemporaryDirectory(prefix="nbgrader-") as folder:
        course = Course(Path(folder), isolated=False)
        _course_with(assignment, course)
        if seconds is not None:
            with (course.directory / "nbgrader_config.py").open("a") as config:
                config.write(f"c.Execute.timeout = {seconds!r}\n")
        write_atomically(course.submitted(STUDENT, assignment.name), notebook_text(notebook))
        result = SubmissionResult(student="", assignment=assignment.name)
        try:
            run_converter(Autograde, course.directory, assignment.name, STUDENT)
        except BadInput as error:
            result.status, result.reason = NEEDS_PERSON, str(error)
            result.cells = [_cell(cell, 0.0, NOT_RUN, "") for cell in assignment.tests]
            return result
        executed = nbformat.read(course.autograded(STUDENT, assignment.name), as_version=4)
        result.notebook = executed
        messages = {
            cell.metadata.nbgrader.grade_id: _message(cell)
            for cell in executed.cells
            if cell.metadata.get("nbgrader", {}).get("grade")
        }
        scores = _scores(course, assignment.name)
        for cell in assignment.tests:
            points = scores.get(cell.grade_id) or 0.0
            status = PASSED if points == cell.points else PARTIAL if points > 0 else FAILED
            result.cells.append(_cell(cell, points, status, "" if status == PASSED else messages.get(cell.grade_id, "")))
        return result


_courses: dict[str, str] = {}


def _course_with(assignment: Assignment, course: Course) -> None:
    """A fresh course that holds the assignment; made once per master, then copied."""
    if assignment.fingerprint not in _courses:
        template = Course(Path(tempfile.mkdtemp(prefix="nbgrader-template-")), isolated=False)
        template.prepare([assignment])
        _courses[assignment.fingerprint] = str(template.directory)
    shutil.copytree(_courses[assignment.fingerprint], course.directory, dirs_exist_ok=True)


def _cell(cell, points, status, message) -> CellResult:
    return CellResult(cell.grade_id, cell.exercise, points, cell.points, status, message)


def _scores(course: Course, name: str) -> dict[str, float | None]:
    from nbgrader.api import Gradebook

    with Gradebook(course.gradebook_url, COURSE_ID) as gradebook:
        submission = gradebook.find_submission_notebook(name, name, STUDENT)
        return {grade.name: grade.auto_score for grade in submission.grades}


def _message(cell) -> str:
    for output in cell.outputs:
        if output.output_type == "error":
            return output.evalue if output.ename == "AssertionError" else f"{output.ename}: {output.evalue}"
    return ""
