"""The class folder is an ordinary nbgrader course."""

import json
import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
import sample_class

from autograder.__main__ import main
from autograder.course import COURSE_ID


@pytest.fixture(scope="module")
def course(tmp_path_factory, release):
    folder = tmp_path_factory.mktemp("course")
    text = sample_class.notebook_text(sample_class.notebook("sinusoidal", sample_class.Work()))
    sample_class.write_atomically(folder / "in/ann/sinusoidal/sinusoidal.ipynb", text)
    assert main(["grade", str(folder / "in"), "--class", str(folder / "class"), "--quiet"]) == 0
    return folder / "class"


def nbgrader(course, *arguments):
    program = Path(sys.executable).with_name("nbgrader")
    return subprocess.run([program, *arguments], cwd=course, capture_output=True, text=True, env={**os.environ, "HOME": str(course)})


def test_nbgrader_lists_the_course(course):
    done = nbgrader(course, "list")
    assert done.returncode == 0, done.stderr


def scores(course) -> dict:
    with sqlite3.connect(course / "gradebook.db") as db:
        return dict(db.execute("SELECT base_cell.name, auto_score FROM grade JOIN base_cell ON base_cell.id = cell_id"))


def test_nbgrader_autograde_is_isolated_and_gives_the_same_scores(course):
    """The submission tries to leave a file behind; nbgrader's own execution would let it."""
    before = scores(course)
    path = course / "submitted/ann/sinusoidal/sinusoidal.ipynb"
    notebook = json.loads(path.read_text())
    trace = course / "escaped"
    code = f"open({str(trace)!r}, 'w').write('x')"
    notebook["cells"].append({"cell_type": "code", "id": "extra", "metadata": {}, "source": code, "outputs": [], "execution_count": None})
    path.write_text(json.dumps(notebook))
    done = nbgrader(course, "autograde", "sinusoidal", "--student", "ann", "--force")
    assert done.returncode == 0, done.stderr
    assert scores(course) == before
    assert not trace.exists()


def test_formgraders_view_of_the_class(course):
    """What formgrader shows comes from this API."""
    from nbgrader.api import Gradebook

    with Gradebook(f"sqlite:///{course / 'gradebook.db'}", COURSE_ID) as gradebook:
        (submission,) = [found.to_dict() for found in gradebook.find_assignment("sinusoidal").submissions]
    assert submission["student"] == "ann"
    assert submission["score"] == submission["max_score"] == sample_class.load_master("sinusoidal").points
    assert not submission["needs_manual_grade"]
