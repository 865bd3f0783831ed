"""The sample class is graded as its script says, by the command line, and a second run changes nothing."""

import csv
import sqlite3

import pytest
import sample_class

from autograder.__main__ import main


@pytest.fixture(scope="module")
def graded(tmp_path_factory, release):
    """(class folder, exit status) after grading the sample class."""
    folder = tmp_path_factory.mktemp("class")
    sample_class.write(folder / "handed_in")
    return folder, main(["grade", str(folder / "handed_in"), "--class", str(folder), "--quiet"])


def works():
    return [(student, name, work) for student, of in sample_class.CLASS.items() for name, work in of.items()]


def gradebook_scores(folder) -> dict[tuple[str, str], dict[str, float | None]]:
    """(student, assignment) -> grade id -> automatic score, read with SQL and not through the code under test."""
    query = """
        SELECT student_id, notebook.name, base_cell.name, auto_score FROM grade
        JOIN base_cell ON base_cell.id = grade.cell_id
        JOIN submitted_notebook ON submitted_notebook.id = grade.notebook_id
        JOIN submitted_assignment ON submitted_assignment.id = submitted_notebook.assignment_id
        JOIN notebook ON notebook.id = submitted_notebook.notebook_id"""
    scores: dict = {}
    with sqlite3.connect(folder / "gradebook.db") as db:
        for student, assignment, cell, score in db.execute(query):
            scores.setdefault((student, assignment), {})[cell] = score
    return scores


def test_there_are_enough_kinds_of_submission():
    assert len(works()) >= 8


@pytest.mark.parametrize("student, name, work", works(), ids=lambda value: value if isinstance(value, str) else "")
def test_scores_per_exercise(graded, student, name, work):
    folder, _ = graded
    rows = [row for row in csv.DictReader((folder / "grades.csv").open()) if (row["student"], row["assignment"]) == (student, name)]
    expected = sample_class.expected(name, work)
    if expected is None:
        assert [row["status"] for row in rows] == ["needs a person"] and "damaged JSON" in rows[0]["reason"]
    else:
        assert {row["exercise"]: float(row["points"]) for row in rows} == expected


@pytest.mark.parametrize("student, name, work", works(), ids=lambda value: value if isinstance(value, str) else "")
def test_gradebook_holds_the_same_scores(graded, student, name, work):
    folder, _ = graded
    scores = gradebook_scores(folder)[student, name]
    expected = sample_class.expected(name, work)
    if expected is None:
        assert set(scores.values()) == {None}
    else:
        assert sum(scores.values()) == sum(expected.values())


def test_a_damaged_file_is_reported_by_the_exit_status(graded):
    assert graded[1] == 2


def test_every_student_gets_feedback_and_an_autograded_notebook(graded):
    folder, _ = graded
    for student, name, work in works():
        page = (folder / "feedback" / student / name / f"{name}.html").read_text()
        assert "<script" not in page and "Content-Security-Policy" in page
        assert (folder / "autograded" / student / name / f"{name}.ipynb").exists() == (work.change != "half a file")


def test_feedback_names_the_misconception(graded):
    folder, _ = graded
    assert "half-split" in (folder / "feedback" / "wrong-layout" / "rope" / "rope.html").read_text()


def test_a_second_run_grades_nothing_and_changes_nothing(graded, capsys):
    folder, _ = graded
    before = gradebook_scores(folder)
    files = {path: path.stat().st_mtime_ns for path in folder.glob("autograded/*/*/*.ipynb")}
    assert main(["grade", str(folder / "handed_in"), "--class", str(folder), "--quiet"]) == 2
    captured = capsys.readouterr()
    assert f"0 graded, {len(works())} unchanged" in captured.out
    assert [line for line in captured.err.splitlines() if line.startswith("autograder: damaged-file/rope: ")]
    assert gradebook_scores(folder) == before
    assert {path: path.stat().st_mtime_ns for path in files} == files


def test_a_poorer_resubmission_replaces_the_score(graded, tmp_path):
    """nbgrader keeps the old score of an answer that is gone; here nothing stale survives, manual scores do."""
    folder, _ = graded
    name = "sinusoidal"
    with sqlite3.connect(folder / "gradebook.db") as db:
        db.execute("""UPDATE grade SET manual_score = 1.5 WHERE id = (
            SELECT grade.id FROM grade JOIN submitted_notebook ON submitted_notebook.id = grade.notebook_id
            JOIN submitted_assignment ON submitted_assignment.id = submitted_notebook.assignment_id
            JOIN notebook ON notebook.id = submitted_notebook.notebook_id
            WHERE student_id = 'other-style' AND notebook.name = 'sinusoidal' LIMIT 1)""")
    poorer = sample_class.notebook(name, sample_class.Work(untouched=True))
    path = tmp_path / "other-style" / name / f"{name}.ipynb"
    sample_class.write_atomically(path, sample_class.notebook_text(poorer))
    assert main(["grade", str(tmp_path), "--class", str(folder), "--quiet"]) == 0
    assert set(gradebook_scores(folder)["other-style", name].values()) == {0.0}
    with sqlite3.connect(folder / "gradebook.db") as db:
        assert db.execute("SELECT count(*) FROM grade WHERE manual_score = 1.5").fetchone() == (1,)
