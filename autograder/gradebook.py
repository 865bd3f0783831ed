"""Results -> nbgrader's gradebook, in one transaction per assignment, in the tables that nbgrader itself uses.

Automatic scores are replaced, never merged, so that nothing of an earlier submission survives. Manual scores,
extra credit and comments of the instructor stay; a cell that has a manual score is marked for review, as
nbgrader does.
"""

import sqlite3
import uuid
from collections.abc import Iterable, Iterator
from contextlib import closing
from itertools import islice

from .assignment import ANSWER, Assignment
from .course import COURSE_ID, Course
from .errors import BadInput
from .results import NEEDS_PERSON, SubmissionResult

BATCH = 200  # submissions whose rows are held in memory at once; 200 x 20 cells stay below SQLite's variable limit


def record(course: Course, assignment: str, results: Iterable[SubmissionResult]) -> int:
    """Write the results of one assignment: all of them or none. Returns how many were written."""
    from nbgrader.api import Gradebook

    with Gradebook(course.gradebook_url, COURSE_ID) as gradebook:
        notebook = gradebook.find_notebook(assignment, assignment)
        ids = (notebook.assignment.id, notebook.id)
        graded = {cell.name: cell.id for cell in notebook.grade_cells}
        answered = {cell.name: cell.id for cell in notebook.solution_cells}
        gradebook.db.rollback()
        written = 0
        try:
            for batch in _batches(results):
                _write(gradebook.db, ids, graded, answered, batch)
                written += len(batch)
            gradebook.db.commit()
        except BaseException:
            gradebook.db.rollback()
            raise
    return written


def count(course: Course, assignment: str) -> int:
    """How many submissions of the assignment the gradebook holds."""
    with closing(sqlite3.connect(course.directory / "gradebook.db")) as db:
        query = "SELECT count(*) FROM submitted_notebook JOIN notebook ON notebook.id = notebook_id WHERE notebook.name = ?"
        return db.execute(query, (assignment,)).fetchone()[0]


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


def _batches(results: Iterable[SubmissionResult]) -> Iterator[list[SubmissionResult]]:
    iterator = iter(results)
    while batch := list(islice(iterator, BATCH)):
        yield batch


def _write(db, ids, graded, answered, batch: list[SubmissionResult]) -> None:
    from nbgrader.api import Comment, Grade, Student, SubmittedAssignment, SubmittedNotebook

    assignment_id, notebook_id = ids
    students = [result.student for result in batch]
    _ensure(db, Student, Student.id, students, lambda student: {"id": student})
    submissions = _ensure(
        db, SubmittedAssignment, SubmittedAssignment.student_id, students,
        lambda student: {"student_id": student, "assignment_id": assignment_id},
        SubmittedAssignment.assignment_id == assignment_id,
    )
    notebooks = _ensure(
        db, SubmittedNotebook, SubmittedNotebook.assignment_id, list(submissions.values()),
        lambda submission: {"assignment_id": submission, "notebook_id": notebook_id, "late_submission_penalty": None},
        SubmittedNotebook.notebook_id == notebook_id,
    )
    of_student = {student: notebooks[submissions[student]] for student in students}
    _replace_scores(db, Grade, graded, of_student, batch)
    _ensure_comments(db, Comment, answered, of_student)


def _ensure(db, model, column, values, row, *conditions) -> dict[str, str]:
    """Value of `column` -> id, after adding a row for each value that has none."""
    from sqlalchemy import insert, select

    def existing():
        found = db.execute(select(column, model.id).where(column.in_(values), *conditions))
        return {value: identity for value, identity in found}

    have = existing()
    missing = [value for value in dict.fromkeys(values) if value not in have]
    if missing:
        table = model.__table__
        db.execute(insert(table), [{"id": uuid.uuid4().hex, **row(value)} for value in missing])
        have = existing()
    return have


def _replace_scores(db, Grade, graded, of_student, batch) -> None:
    from sqlalchemy import bindparam, insert, select, update

    table = Grade.__table__
    columns = select(table.c.id, table.c.notebook_id, table.c.cell_id, table.c.manual_score)
    have = {
        (notebook, cell): (grade, manual)
        for grade, notebook, cell, manual in db.execute(columns.where(table.c.notebook_id.in_(of_student.values())))
    }
    new, changed = [], []
    for result in batch:
        notebook = of_student[result.student]
        points = {cell.grade_id: cell.points for cell in result.cells}
        person = result.status == NEEDS_PERSON
        for name, cell in graded.items():
            grade, manual = have.get((notebook, cell), (None, None))
            score = None if person else points.get(name, 0.0)
            row = {"auto_score": score, "needs_manual_grade": person or manual is not None}
            if grade is None:
                new.append({"id": uuid.uuid4().hex, "notebook_id": notebook, "cell_id": cell, **row})
            else:
                changed.append({"grade_id": grade, **row})
    if new:
        db.execute(insert(table), new)
    if changed:
        statement = update(table).where(table.c.id == bindparam("grade_id")).values(
            auto_score=bindparam("auto_score"), needs_manual_grade=bindparam("needs_manual_grade")
        )
        db.connection().execute(statement, changed)


def _ensure_comments(db, Comment, answered, of_student) -> None:
    """nbgrader expects a comment row for each answer cell, to hold what the instructor writes."""
    from sqlalchemy import insert, select

    table = Comment.__table__
    pairs = select(table.c.notebook_id, table.c.cell_id).where(table.c.notebook_id.in_(of_student.values()))
    have = {(notebook, cell) for notebook, cell in db.execute(pairs)}
    new = [
        {"id": uuid.uuid4().hex, "notebook_id": notebook, "cell_id": cell}
        for notebook in of_student.values()
        for cell in answered.values()
        if (notebook, cell) not in have
    ]
    if new:
        db.execute(insert(table), new)
