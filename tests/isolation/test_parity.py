"""nbgrader's own execution, one kernel for answers and tests, gives every cell the score that the isolated engine gives.

The whole bank of right and wrong answers is packed into few notebooks: the i-th holds the i-th answer of each
exercise. `nbgrader autograde` grades them in a class folder that has nbgrader's own execution.
"""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import bank
import pytest
from nbgrader.api import Gradebook

from autograder.assignment import load_master
from autograder.course import COURSE_ID, Course
from autograder.files import notebook_text, write_atomically
from autograder.isolation import runner
from autograder.isolation.engine import Engine

from .test_bank import submission

AT_ONCE = min(4, os.cpu_count() or 1)  # commands; each runs one kernel after the other


def packed(name) -> dict[str, tuple[dict, dict]]:
    """student -> (notebook, exercise -> the bank's answer that it holds); no answer of the bank is left out."""
    master = load_master(name)
    answers: dict[str, list] = {}
    for entry in bank.entries(name):
        answers.setdefault(entry.exercise, []).append(entry)

    def filled(number):
        held = {exercise: found[number % len(found)] for exercise, found in answers.items()}
        return submission(master, lambda cell, first: held[cell.exercise.lower()].source if first else ""), held

    return {f"s{number:03}": filled(number) for number in range(max(map(len, answers.values())))}


def handed_in(name, folder) -> Course:
    """A class folder with nbgrader's own execution in which every packed notebook is handed in."""
    course = Course(folder, isolated=False)
    course.prepare([load_master(name)])
    for student, (notebook, _) in packed(name).items():
        write_atomically(course.submitted(student, name), notebook_text(notebook))
    return course


def autograde(name, course, home) -> dict[str, dict[str, float]]:
    """student -> grade id -> the automatic score in the gradebook, after `nbgrader autograde`."""
    command = [sys.executable, "-m", "nbgrader", "autograde", name]
    environment = {**os.environ, "HOME": str(home), "OPENBLAS_NUM_THREADS": "1"}
    for _ in range(2):  # kernels that start side by side can take each other's TCP ports: then it grades what is missing
        done = subprocess.run(command, cwd=course.directory, env=environment, capture_output=True, text=True)
        if done.returncode == 0:
            break
    assert done.returncode == 0, done.stderr[-3000:]
    with Gradebook(course.gradebook_url, COURSE_ID) as gradebook:
        submissions = gradebook.find_assignment(name).submissions
        return {s.student_id: {grade.name: grade.auto_score for grade in s.notebooks[0].grades} for s in submissions}


@pytest.fixture(scope="module")
def nbgrader_scores(tmp_path_factory):
    """assignment -> what `autograde` will give; the commands run side by side, from the start on."""
    home = tmp_path_factory.mktemp("home")
    courses = {name: handed_in(name, tmp_path_factory.mktemp(name)) for name in bank.ASSIGNMENTS}
    with ThreadPoolExecutor(AT_ONCE) as pool:
        yield {name: pool.submit(autograde, name, course, home) for name, course in courses.items()}
        pool.shutdown(cancel_futures=True)


@pytest.mark.parametrize("name", bank.ASSIGNMENTS)
def test_every_cell_scores_the_same(name, nbgrader_scores):
    master = load_master(name)
    students = packed(name)
    assert {entry.id for _, held in students.values() for entry in held.values()} == {entry.id for entry in bank.entries(name)}
    with Engine() as engine:
        isolated = {student: runner.run(master, notebook, engine=engine) for student, (notebook, _) in students.items()}
    theirs = nbgrader_scores[name].result()
    differences = [
        f"{cell.grade_id}: {held[cell.exercise.lower()].name}: nbgrader {theirs[student].get(cell.grade_id)}, isolated {cell.points}, {cell.message}"
        for student, (_, held) in students.items()
        for cell in isolated[student].cells
        if theirs[student].get(cell.grade_id) != cell.points
    ]
    assert not differences, "\n".join(differences)
    assert all(set(scores) == {cell.grade_id for cell in master.tests} for scores in theirs.values())
