"""What leaves for the students: made by nbgrader, complete, and without a word of solutions or hidden tests."""

import json
import re

import nbformat
import pytest

from autograder import release as releasing
from autograder.assignment import ANSWER, HIDDEN, GIVEN, Assignment, load_master, names
from autograder.course import Course
from autograder.engines import Engine
from autograder.errors import BadInput

SOLUTION = re.compile(r"### BEGIN SOLUTION(.*?)### END SOLUTION", re.DOTALL)


@pytest.fixture(scope="module", params=names())
def pair(request, release):
    """(master, student's notebook) of each assignment."""
    path = release / request.param / f"{request.param}.ipynb"
    return load_master(request.param), nbformat.read(path, as_version=4)


def test_reference_scores_everything_and_untouched_nothing(pair):
    master, student = pair
    engine = Engine()
    reference = engine(master, json.loads(json.dumps(master.notebook)))
    assert [(cell.grade_id, cell.points) for cell in reference.cells] == [(cell.grade_id, cell.points) for cell in master.tests]
    untouched = engine(master, json.loads(json.dumps(student)))
    assert {cell.points for cell in untouched.cells} == {0.0}


def test_the_students_notebook_has_the_same_cells_and_points(pair):
    master, student = pair
    ids = [cell.metadata.get("nbgrader", {}).get("grade_id", "") for cell in student.cells]
    assert ids == [cell.grade_id for cell in master.cells]
    points = {c.metadata.nbgrader.grade_id: c.metadata.nbgrader.points for c in student.cells if c.metadata.get("nbgrader", {}).get("grade")}
    assert points == {cell.grade_id: cell.points for cell in master.tests}


def test_it_is_a_valid_notebook(pair):
    nbformat.validate(pair[1])


def test_locked_cells_are_locked_and_answers_are_empty(pair):
    master, student = pair
    for cell, copy in zip(master.cells, student.cells, strict=True):
        if cell.kind in (GIVEN,):
            assert copy.source == cell.source and copy.metadata.nbgrader.locked
        if cell.kind == ANSWER:
            assert "NotImplementedError" in copy.source


def test_it_needs_numpy_and_matplotlib_only(pair):
    for cell in pair[1].cells:
        if cell.cell_type == "code":
            imported = set(re.findall(r"^\s*(?:import|from)\s+(\w+)", cell.source, re.MULTILINE))
            assert imported <= {"numpy", "matplotlib", "copy", "math"}, cell.source


def test_a_reference_that_fails_is_refused(tmp_path):
    master = load_master("sinusoidal")
    broken = nbformat.from_dict(json.loads(json.dumps(master.notebook)))
    answer = next(cell for cell in master.cells if cell.kind == ANSWER)
    broken.cells[answer.index].source = "raise ValueError('broken')"
    course = Course(tmp_path)
    course.prepare([master])
    student = nbformat.read(course.released("sinusoidal"), as_version=4)
    with pytest.raises(BadInput, match="the reference solution gets 0 of"):
        releasing.verify(Assignment("sinusoidal", broken), student, Engine())


def test_an_untouched_notebook_that_scores_is_refused(tmp_path):
    master = load_master("sinusoidal")
    course = Course(tmp_path)
    course.prepare([master])
    with pytest.raises(BadInput, match="the untouched notebook gets|still holds"):
        releasing.verify(master, master.notebook, Engine())


def test_masters_hold_something_to_hide():
    """The leak tests below would prove nothing otherwise."""
    for name in names():
        text = "\n".join(cell.source for cell in load_master(name).cells)
        assert SOLUTION.search(text) and HIDDEN.search(text), name
