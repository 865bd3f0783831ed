"""What is kept, or made in a shorter way, is what nbgrader, jupytext and json make."""

import json
import shutil
import sqlite3
from contextlib import closing

import pytest
import sample_class

from autograder import assignment, gradebook, template
from autograder.assignment import load_master, names, titles
from autograder.course import COURSE_ID, Course
from autograder.files import notebook_text

NAME = "sinusoidal"


def tables(path) -> dict[str, str]:
    with closing(sqlite3.connect(path)) as db:
        return {name: " ".join(sql.split()) for name, sql in db.execute("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL")}


def rows(path) -> dict[str, list]:
    """The rows of each table, with ids replaced by what they name: nbgrader's ids are random."""
    with closing(sqlite3.connect(path)) as db:
        found = {name: db.execute(f"SELECT * FROM {name}").fetchall() for name in tables(path)}
    called = {row[0]: row[1] for name in ("assignment", "notebook", "base_cell") for row in found[name]}
    source_ids = {row[0]: f"source of {row[1]}" for row in found["source_cell"]}
    return {name: sorted(repr([(called | source_ids).get(value, value) for value in row]) for row in of) for name, of in found.items()}


@pytest.fixture(scope="module")
def by_nbgrader(tmp_path_factory):
    """A class folder that nbgrader filled, from its own empty gradebook."""
    from nbgrader.api import Gradebook

    course = Course(tmp_path_factory.mktemp("nbgrader"))
    course.make()
    master = load_master(NAME)
    sample_class.write_atomically(course.source(NAME), notebook_text(master.notebook))
    Gradebook(course.gradebook_url, COURSE_ID).close()
    course._generate(master)
    return course


def test_an_empty_gradebook_is_nbgraders(tmp_path, by_nbgrader):
    course = Course(tmp_path)
    gradebook.make(course)
    assert tables(tmp_path / "gradebook.db") == tables(by_nbgrader.directory / "gradebook.db")
    assert rows(tmp_path / "gradebook.db")["alembic_version"] == rows(by_nbgrader.directory / "gradebook.db")["alembic_version"]


@pytest.mark.parametrize("kept", [False, True])
def test_a_copied_class_is_nbgraders(tmp_path, monkeypatch, by_nbgrader, kept):
    monkeypatch.setattr(template, "CACHE", tmp_path / "cache")
    if kept:
        Course(tmp_path / "before").prepare([load_master(NAME)])
        monkeypatch.setattr(Course, "_generate", None)  # must not be needed
    course = Course(tmp_path / "class")
    course.prepare([load_master(NAME)])
    assert course.stale([load_master(NAME)]) == []
    ours, theirs = course.directory / "gradebook.db", by_nbgrader.directory / "gradebook.db"
    assert tables(ours) == tables(theirs)
    assert rows(ours) == rows(theirs)
    released = [json.loads(of.released(NAME).read_text()) for of in (course, by_nbgrader)]
    assert released[0] == released[1]


def test_a_second_assignment_joins_the_first(tmp_path, release):
    course = Course(tmp_path)
    first, second = names()[:2]
    course.prepare([load_master(first)])
    course.prepare([load_master(second)])
    with closing(sqlite3.connect(tmp_path / "gradebook.db")) as db:
        assert {name for (name,) in db.execute("SELECT name FROM notebook")} == {first, second}
        assert db.execute("PRAGMA foreign_key_check").fetchall() == []


def test_a_class_with_a_configuration_of_its_own_is_made_by_nbgrader(tmp_path):
    course = Course(tmp_path)
    course.make()
    with (tmp_path / "nbgrader_config.py").open("a") as config:
        config.write('c.ClearSolutions.code_stub = {"python": "# here"}\n')
    course.prepare([load_master(NAME)])
    assert "# here" in course.released(NAME).read_text()


def test_a_changed_text_is_read_again(tmp_path):
    for file in (assignment.SOLUTIONS / f"{NAME}.md", assignment.SOLUTIONS / "checking.py"):
        shutil.copy(file, tmp_path)
    first = load_master(NAME, tmp_path)
    assert load_master(NAME, tmp_path) == first
    for file in (tmp_path / f"{NAME}.md", tmp_path / "checking.py"):
        file.write_text(file.read_text() + "\n# more\n")
        changed = load_master(NAME, tmp_path)
        assert changed.fingerprint != first.fingerprint
        first = changed
    for kept in (tmp_path / "__pycache__").iterdir():
        kept.write_text("[]")
    assert load_master(NAME, tmp_path) == first


def test_titles_are_those_of_the_notebooks():
    assert titles() == {name: load_master(name).title for name in names()}


def test_the_text_of_a_notebook_is_that_of_json():
    odd = {"a": [], "b": {}, "c": [1, 2.5, float("nan"), True, None, 'x\udc80é"\\\n\u2028'], "d": (1,), "e": 1e300, "f": -0.0, "g": {"x": [["y"], {"z": False}]}}
    notebook = sample_class.notebook(NAME, sample_class.Work()) | {"metadata": odd}
    notebook["cells"][0]["source"] = ""
    split = notebook | {"cells": [cell | {"source": cell["source"].splitlines(True)} for cell in notebook["cells"]]}
    assert notebook_text(notebook) == json.dumps(split, indent=1, sort_keys=True, ensure_ascii=False) + "\n"
