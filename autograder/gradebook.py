"""Results -> nbgrader's gradebook, in one transaction per assignment, in the tables that nbgrader itself uses.

Automatic scores are replaced, never merged, so that nothing of an earlier submission survives. Manual scores,
extra credit and comments of the instructor stay; a cell that has a manual score is marked for review, as
nbgrader does.
"""

import os
import sqlite3
from collections.abc import Iterable
from contextlib import closing

from .assignment import ANSWER, Assignment, without_uri_grammars
from .course import COURSE_ID, Course
from .errors import BadInput
from .results import NEEDS_PERSON, SubmissionResult

NEW_ID = "lower(hex(randomblob(16)))"  # like nbgrader's uuid4().hex


def record(course: Course, assignment: str, results: Iterable[SubmissionResult]) -> int:
    """Write the results of one assignment: all of them or none. Returns how many were written.

    Plain SQL: nbgrader's own API takes a second to load, and reads and writes each score by itself.
    """
    written = 0
    with closing(sqlite3.connect(course.directory / "gradebook.db", timeout=60)) as db, db:
        query = """SELECT notebook.id, assignment.id FROM notebook JOIN assignment ON assignment.id = assignment_id
            WHERE notebook.name = ?1 AND assignment.name = ?1"""
        notebook, identity = db.execute(query, (assignment,)).fetchone()
        cells = "SELECT base_cell.name, id FROM base_cell JOIN {} USING (id) WHERE notebook_id = ?"
        graded = db.execute(cells.format("grade_cells"), (notebook,)).fetchall()
        answered = db.execute(cells.format("solution_cells"), (notebook,)).fetchall()
        for result in results:
            submitted = _submitted(db, result.student, identity, notebook)
            person = result.status == NEEDS_PERSON
            points = {cell.grade_id: cell.points for cell in result.cells}
            db.executemany(
                f"INSERT INTO grade (id, notebook_id, cell_id, auto_score, needs_manual_grade) VALUES ({NEW_ID}, ?, ?, ?, ?) "
                "ON CONFLICT (cell_id, notebook_id) DO UPDATE SET auto_score = excluded.auto_score, "
                "needs_manual_grade = excluded.needs_manual_grade OR manual_score IS NOT NULL",
                [(submitted, cell, None if person else points.get(name, 0.0), person) for name, cell in graded],
            )
            # nbgrader expects a comment row for each answer cell, to hold what the instructor writes.
            db.executemany(
                f"INSERT INTO comment (id, notebook_id, cell_id) VALUES ({NEW_ID}, ?, ?) ON CONFLICT DO NOTHING",
                [(submitted, cell) for _, cell in answered],
            )
            written += 1
    return written


def _submitted(db: sqlite3.Connection, student: str, assignment: str, notebook: str) -> str:
    """The id of the student's submitted notebook, after making the rows that it stands on."""
    db.execute("INSERT INTO student (id) VALUES (?) ON CONFLICT DO NOTHING", (student,))
    db.execute(
        f"INSERT INTO submitted_assignment (id, assignment_id, student_id) VALUES ({NEW_ID}, ?, ?) ON CONFLICT DO NOTHING",
        (assignment, student),
    )
    query = "SELECT id FROM submitted_assignment WHERE assignment_id = ? AND student_id = ?"
    (submission,) = db.execute(query, (assignment, student)).fetchone()
    db.execute(
        "INSERT INTO submitted_notebook (id, assignment_id, notebook_id, flagged) "
        f"VALUES ({NEW_ID}, ?, ?, 0) ON CONFLICT DO NOTHING",
        (submission, notebook),
    )
    query = "SELECT id FROM submitted_notebook WHERE assignment_id = ? AND notebook_id = ?"
    (submitted,) = db.execute(query, (submission, notebook)).fetchone()
    return submitted


def count(course: Course, assignment: str) -> int:
    """How many submissions of the assignment the gradebook holds."""
    with closing(sqlite3.connect(course.directory / "gradebook.db")) as db:
        query = "SELECT count(*) FROM submitted_notebook JOIN notebook ON notebook.id = notebook_id WHERE notebook.name = ?"
        return db.execute(query, (assignment,)).fetchone()[0]


def make(course: Course) -> None:
    """An empty gradebook as nbgrader makes it, which starts the program `alembic` to learn the version of its own tables."""
    without_uri_grammars()
    from alembic.script import ScriptDirectory
    from nbgrader.api import Base
    from nbgrader.dbutil import ALEMBIC_DIR
    from sqlalchemy import create_engine, text

    path = course.directory / "gradebook.db"
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    beside.unlink(missing_ok=True)
    engine = create_engine(f"sqlite:///{beside}")
    Base.metadata.create_all(engine)
    with engine.begin() as db:
        db.execute(text("CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL)"))
        db.execute(text("INSERT INTO alembic_version VALUES (:version)"), {"version": ScriptDirectory(ALEMBIC_DIR).get_heads()[0]})
    engine.dispose()
    beside.replace(path)


def align_cells(course: Course, assignment: Assignment) -> None:
    """Give the gradebook the cells of a changed master, which nbgrader refuses once there are submissions.

    A cell that is gone takes its automatic scores with it. Raises BadInput when it has manual scores or comments.
    """
    from nbgrader.api import Comment, Grade, Gradebook, MissingEntry

    if not (course.directory / "gradebook.db").exists():
        return
    with Gradebook(course.gradebook_url, COURSE_ID) as gradebook:
        try:
            notebook = gradebook.find_notebook(assignment.name, assignment.name)
        except MissingEntry:
            return
        if not notebook.submissions:
            return  # nbgrader makes it anew
        db, name = gradebook.db, assignment.name
        tests = {cell.grade_id: cell.points for cell in assignment.tests}
        answers = {cell.grade_id for cell in assignment.cells if cell.kind == ANSWER}
        labelled = {cell.grade_id: cell.cell_type for cell in assignment.cells if cell.grade_id}
        for old, wanted in ((notebook.grade_cells, tests), (notebook.solution_cells, answers), (notebook.source_cells, labelled)):
            for cell in old:
                if cell.name in wanted:
                    continue
                kept = db.query(Grade).filter(Grade.cell_id == cell.id, Grade.manual_score.isnot(None)).count()
                kept += db.query(Comment).filter(Comment.cell_id == cell.id, Comment.manual_comment.isnot(None)).count()
                if kept:
                    raise BadInput(
                        f"{name}: the cell {cell.name} is gone from the master, but {kept} manual scores or comments belong to it; "
                        "put it back, or remove those in formgrader"
                    )
                db.query(Grade).filter(Grade.cell_id == cell.id).delete()
                db.query(Comment).filter(Comment.cell_id == cell.id).delete()
                db.delete(cell)
        db.commit()
        for grade_id in tests.keys() - {cell.name for cell in notebook.grade_cells}:
            gradebook.add_grade_cell(grade_id, name, name, max_score=tests[grade_id], cell_type="code")
        for grade_id in answers - {cell.name for cell in notebook.solution_cells}:
            gradebook.add_solution_cell(grade_id, name, name)
        for grade_id in labelled.keys() - {cell.name for cell in notebook.source_cells}:
            gradebook.add_source_cell(grade_id, name, name, cell_type=labelled[grade_id])
