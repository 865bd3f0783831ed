"""A run may be killed at any moment: what was kept is not graded again, and nothing is lost or stale."""

import multiprocessing
import os
import signal
import sqlite3
import subprocess
import sys
import time
from concurrent.futures import ProcessPoolExecutor

import pytest
import sample_class

from autograder import course as courses
from autograder import gradebook, grading
from autograder.__main__ import main
from autograder.assignment import Assignment, load_master
from autograder.errors import BadInput
from autograder.isolation.proxies import Stopped

NAME = "sinusoidal"


def hand_in(folder, students, work=sample_class.Work()):
    text = sample_class.notebook_text(sample_class.notebook(NAME, work))
    for student in students:
        sample_class.write_atomically(folder / student / NAME / f"{NAME}.ipynb", text)


def scores(folder) -> dict[str, float]:
    """student -> sum of automatic scores."""
    query = """SELECT student_id, sum(auto_score) FROM grade
        JOIN submitted_notebook ON submitted_notebook.id = grade.notebook_id
        JOIN submitted_assignment ON submitted_assignment.id = submitted_notebook.assignment_id GROUP BY 1"""
    with sqlite3.connect(folder / "gradebook.db") as db:
        return dict(db.execute(query))


def kept(folder) -> int:
    try:
        with sqlite3.connect(folder / "results.sqlite") as db:
            return db.execute("SELECT count(*) FROM results").fetchone()[0]
    except sqlite3.OperationalError:
        return 0


@pytest.mark.parametrize("kill", [os.killpg, os.kill], ids=["with its workers", "alone"])
def test_a_killed_run_goes_on_where_it_was(tmp_path, release, root, capsys, kill):
    students = [f"s{number:03d}" for number in range(120)]
    hand_in(tmp_path / "in", students)
    command = [sys.executable, "-m", "autograder", "grade", str(tmp_path / "in"), "--class", str(tmp_path / "class"), "--quiet"]
    run = subprocess.Popen(command, cwd=root, start_new_session=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while kept(tmp_path / "class") == 0 and run.poll() is None:
        time.sleep(0.02)
    kill(run.pid, signal.SIGKILL)
    run.wait()
    done = kept(tmp_path / "class")
    assert 0 < done
    assert main(command[3:]) == 0
    assert f"{len(students) - done} graded, {done} unchanged" in capsys.readouterr().out
    assert scores(tmp_path / "class") == dict.fromkeys(students, load_master(NAME).points)


class Dying:
    """An engine whose worker is killed by one student's notebook, the first time or each time."""

    def __init__(self, marker, always):
        self.marker, self.always = marker, always

    def __call__(self, master, notebook):
        text = "".join(cell["source"] for cell in notebook["cells"])
        if "# kills" in text and (self.always or not self.marker.exists()):
            self.marker.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return grading.unreadable("", master, "graded")

    def __repr__(self):
        return f"Dying({self.always})"


@pytest.mark.parametrize("always", [False, True])
def test_a_worker_that_is_killed_costs_only_the_one_who_did_it(tmp_path, release, always):
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    master = load_master(NAME)
    notebook = sample_class.notebook(NAME, sample_class.Work())
    workers = grading.Workers(lambda: ProcessPoolExecutor(2, get_context("fork")), Dying(tmp_path / "marker", always), {NAME: master})
    for number in range(6):
        mine = {**notebook, "cells": notebook["cells"] + [{"cell_type": "code", "source": "# kills"}] * (number == 2)}
        workers.start(number, master, mine)
    reasons = {tag: result.reason for tag, result in workers.finished(0)}
    workers.close()
    assert reasons == {number: "the process that graded it was killed, twice" if always and number == 2 else "graded" for number in range(6)}


def test_two_runs_do_not_share_a_class(tmp_path, release):
    course = courses.Course(tmp_path)
    with grading.only_one(course):
        with pytest.raises(BadInput, match="another run"):
            with grading.only_one(course):
                pass


def test_a_full_disk_is_one_line_and_loses_nothing(tmp_path, release, monkeypatch, capsys):
    hand_in(tmp_path / "in", ["ann", "bob"])
    arguments = ["grade", str(tmp_path / "in"), "--class", str(tmp_path / "class"), "--quiet"]

    def full(path, text):
        raise OSError(28, "No space left on device", str(path))

    with monkeypatch.context() as patched:
        patched.setattr(grading, "write_atomically", full)
        assert main(arguments) == 2
    assert "No space left on device" in capsys.readouterr().err
    assert main(arguments) == 0
    assert set(scores(tmp_path / "class").values()) == {load_master(NAME).points}


def test_a_gradebook_that_was_lost_is_filled_again(tmp_path, release):
    hand_in(tmp_path / "in", ["ann"])
    arguments = ["grade", str(tmp_path / "in"), "--class", str(tmp_path / "class"), "--quiet"]
    assert main(arguments) == 0
    (tmp_path / "class/gradebook.db").unlink()
    assert main(arguments) == 0
    assert scores(tmp_path / "class") == {"ann": load_master(NAME).points}


def test_an_edited_master_grades_again_and_keeps_manual_scores(tmp_path, release):
    """nbgrader refuses to add or remove a test once there are submissions; here the gradebook follows the master."""
    hand_in(tmp_path / "in", ["ann"])
    assert main(["grade", str(tmp_path / "in"), "--class", str(tmp_path / "class"), "--quiet"]) == 0
    master = load_master(NAME)
    first, *others = master.tests
    with sqlite3.connect(tmp_path / "class/gradebook.db") as db:
        db.execute("UPDATE grade SET manual_score = 0.25 WHERE cell_id IN (SELECT id FROM base_cell WHERE name = ?)", (first.grade_id,))
    fewer = Assignment(NAME, load_master(NAME).notebook)
    del fewer.notebook["cells"][others[-1].index]
    course = courses.Course(tmp_path / "class")
    course.prepare([fewer])
    with sqlite3.connect(tmp_path / "class/gradebook.db") as db:
        names = {name for (name,) in db.execute("SELECT name FROM base_cell WHERE type = 'GradeCell'")}
        assert names == {cell.grade_id for cell in master.tests} - {others[-1].grade_id}
        assert db.execute("SELECT count(*) FROM grade WHERE manual_score = 0.25").fetchone() == (1,)
    course.prepare([load_master(NAME)])
    assert gradebook.count(course, NAME) == 1
    without = Assignment(NAME, load_master(NAME).notebook)
    del without.notebook["cells"][first.index]
    with pytest.raises(BadInput, match="manual scores"):
        course.prepare([without])


class Breaks:
    """An engine that raises, or gives what can't be handed over."""

    def __init__(self, error):
        self.error = error

    def __call__(self, master, notebook):
        if self.error is not None:
            raise self.error
        return lambda: None


@pytest.mark.parametrize("error", [None, Stopped("late"), MemoryError("x")])
def test_an_engine_that_breaks_needs_a_person_and_stops_nobody(error):
    master = load_master(NAME)
    workers = grading.Workers(lambda: ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("fork")), Breaks(error), {NAME: master})
    for tag in "ab":
        workers.start(tag, master, {"cells": []})
    results = dict(workers.finished(0))
    workers.close()
    assert set(results) == {"a", "b"} and all("the grader failed" in result.reason for result in results.values())
