"""solutions/NAME.md -> release/NAME/NAME.ipynb, the student's notebook, made by nbgrader.

A release that is not right never leaves: the reference solution must score every point, the untouched
notebook none, and no solution or hidden test may be left in the student's text.
"""

import hashlib
import shutil
import tempfile
from pathlib import Path

from .assignment import ROOT, Assignment, from_notebook, load_master
from .course import Course
from .engines import Engine
from .errors import BadInput
from .files import notebook_text, replace_folder, write_atomically
from .results import GRADED

RELEASE = ROOT / "release"
STAMP = ".made-from"
MARKS = ("BEGIN SOLUTION", "END SOLUTION", "BEGIN HIDDEN TESTS", "END HIDDEN TESTS")


def release(names: list[str], engine: Engine, target: Path = RELEASE, progress=lambda: None) -> int:
    """Make the student's notebooks of these assignments; those that are current already cost nothing.

    engine: grades the reference and the untouched notebook. Returns how many were made. Raises BadInput, leaving
    the old release of that assignment in place, when either has the wrong score.
    """
    made = 0
    with tempfile.TemporaryDirectory(prefix="release-") as temporary:
        course = Course(Path(temporary))  # one for all, since nbgrader takes seconds to make a gradebook
        for name in names:
            master = load_master(name)
            if not _is_current(master, target / name):
                _make(master, course, engine, target / name)
                made += 1
            progress()
    return made


def _is_current(master: Assignment, folder: Path) -> bool:
    stamp = folder / STAMP
    return stamp.exists() and stamp.read_text() == _version(master) and (folder / f"{master.name}.ipynb").exists()


def _make(master: Assignment, course: Course, engine: Engine, folder: Path) -> None:
    course.prepare([master])
    student = from_notebook(master.name, course.released(master.name)).notebook
    verify(master, student, engine)
    folder.parent.mkdir(parents=True, exist_ok=True)
    new = Path(tempfile.mkdtemp(dir=folder.parent, prefix=f".{master.name}."))
    try:
        new.chmod(0o755)
        write_atomically(new / f"{master.name}.ipynb", notebook_text(student))
        write_atomically(new / STAMP, _version(master))
        replace_folder(new, folder)
    finally:
        shutil.rmtree(new, ignore_errors=True)


def _version(master: Assignment) -> str:
    """What the release is made from: the master's text and metadata, and the code that makes it."""
    digest = hashlib.sha256(notebook_text(master.notebook).encode())
    for module in ("release", "assignment", "course", "template"):
        digest.update((Path(__file__).parent / f"{module}.py").read_bytes())
    return digest.hexdigest()


def verify(master: Assignment, student: dict, engine: Engine) -> None:
    """Raise BadInput unless reference and untouched notebook score as they must and nothing leaks."""
    ids = [cell.grade_id for cell in master.cells if cell.grade_id]
    if doubled := {grade_id for grade_id in ids if ids.count(grade_id) > 1}:
        raise BadInput(f"solutions/{master.name}.md: grade_id used twice: {', '.join(sorted(doubled))}")
    if not master.tests:
        raise BadInput(f"solutions/{master.name}.md: has no test cell (nbgrader metadata with grade: true and points)")
    text = "\n".join(cell["source"] for cell in student["cells"])
    for mark in MARKS:
        if mark in text:
            raise BadInput(f"solutions/{master.name}.md: the student's notebook still holds '{mark}'; check the markers")
    reference = engine(master, _plain(master.notebook))
    if reference.status != GRADED:
        raise BadInput(f"solutions/{master.name}.md: the reference solution could not be graded: {reference.reason}")
    for cell in reference.cells:
        if cell.points != cell.max_points:
            raise BadInput(
                f"solutions/{master.name}.md: the reference solution gets {cell.points:g} of {cell.max_points:g} points "
                f"in {cell.grade_id}: {cell.message or cell.status}"
            )
    untouched = engine(master, _plain(student))
    for cell in untouched.cells:
        if cell.points:
            raise BadInput(
                f"solutions/{master.name}.md: the untouched notebook gets {cell.points:g} points in {cell.grade_id}"
            )


def _plain(notebook: dict) -> dict:
    import json

    return json.loads(json.dumps(notebook))
