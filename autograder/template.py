"""What nbgrader's generate_assignment makes of a master, kept in one file: gradebook entries and the student's notebook.

nbgrader takes seconds to load and to make them, and they follow from the master alone. So a class in which
nothing was changed gets a copy of them, with the very ids.
"""

import contextlib
import hashlib
import json
import os
import sqlite3
import sys
import tempfile
from collections.abc import Callable
from contextlib import closing
from importlib.util import find_spec
from pathlib import Path

from .assignment import SOLUTIONS, Assignment
from .files import notebook_text

CACHE = SOLUTIONS / "__pycache__"  # as secret as what it is made from, and as derived as Python's own files there
TABLES = ("assignment", "notebook", "base_cell", "grade_cells", "solution_cells", "task_cells", "source_cell")


def copy(assignment: Assignment, gradebook: Path, make: Callable[[Path], tuple[Path, str]]) -> str | None:
    """Put the entries of the assignment into the gradebook, which is made when it is not there; the student's notebook.

    make: called with an empty folder when nothing is kept; returns a gradebook with this assignment only, and the
    student's notebook. None, and nothing is changed, when the gradebook has the assignment or is of another version.
    """
    made_from = _version(assignment)
    kept = CACHE / f"{assignment.name}.class.sqlite"
    student = _student(kept, made_from)
    if student is not None:
        return student if _copy_rows(kept, gradebook, assignment.name) else None
    with tempfile.TemporaryDirectory(prefix="template-") as folder:
        made, student = make(Path(folder))
        with closing(sqlite3.connect(made)) as db, db:
            db.execute("CREATE TABLE template (made_from TEXT, student TEXT)")
            db.execute("INSERT INTO template VALUES (?, ?)", (made_from, student))
        with contextlib.suppress(OSError):  # a folder that can't be written
            CACHE.mkdir(exist_ok=True)
            beside = kept.with_name(f".{kept.name}.{os.getpid()}")
            beside.write_bytes(made.read_bytes())
            beside.replace(kept)
        return student if _copy_rows(made, gradebook, assignment.name) else None


def _version(assignment: Assignment) -> str:
    texts = [sys.version, notebook_text(assignment.notebook)]
    texts += [(Path(__file__).parent / f"{module}.py").read_text(encoding="utf-8") for module in ("template", "course")]
    texts.append(Path(find_spec("nbgrader").origin).with_name("_version.py").read_text(encoding="utf-8"))
    return hashlib.sha256(json.dumps(texts).encode()).hexdigest()


def _student(kept: Path, made_from: str) -> str | None:
    try:
        with closing(sqlite3.connect(f"file:{kept}?mode=ro&immutable=1", uri=True)) as db:
            found = db.execute("SELECT student FROM template WHERE made_from = ?", (made_from,)).fetchone()
            return found[0] if found else None
    except sqlite3.Error:
        return None


def _copy_rows(template: Path, gradebook: Path, name: str) -> bool:
    """In one transaction."""
    with closing(sqlite3.connect(gradebook, timeout=60, isolation_level=None)) as db:
        db.execute("ATTACH ? AS template", (str(template),))
        db.execute("BEGIN IMMEDIATE")
        tables = "SELECT sql FROM {}.sqlite_master WHERE sql IS NOT NULL AND name != 'template' ORDER BY rowid"
        if not db.execute(tables.format("main")).fetchone():
            for (statement,) in db.execute(tables.format("template")).fetchall():
                db.execute(statement)
            db.execute("INSERT INTO alembic_version SELECT * FROM template.alembic_version")
        ours, theirs = (db.execute(f"SELECT * FROM {of}.alembic_version").fetchall() for of in ("main", "template"))
        if ours != theirs or db.execute("SELECT 1 FROM main.assignment WHERE name = ?", (name,)).fetchone():
            db.execute("ROLLBACK")
            return False
        db.execute("INSERT OR IGNORE INTO main.course SELECT * FROM template.course")
        for table in TABLES:
            db.execute(f"INSERT INTO main.{table} SELECT * FROM template.{table}")
        db.execute("COMMIT")
    return True
