"""The class folder: an ordinary nbgrader course, made from solutions/ by nbgrader's own generate_assignment.

    source/A/A.ipynb  release/A/A.ipynb  submitted/  autograded/  feedback/  gradebook.db  nbgrader_config.py
"""

import re
import sqlite3
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path

from .assignment import ROOT, Assignment, from_notebook, without_uri_grammars
from .errors import BadInput
from .files import notebook_text, write_atomically

COURSE_ID = "positional-encodings"

CONFIG = f'''"""nbgrader's configuration for this class. Written once: change it as you like."""

import sys
from pathlib import Path

c = get_config()  # noqa: F821  (nbgrader provides it)

here = Path(__file__).parent
c.CourseDirectory.root = str(here)
c.CourseDirectory.course_id = "{COURSE_ID}"
c.Exchange.root = str(here / "exchange")

# Student code runs in a sandbox, apart from the tests, in `nbgrader autograde` and formgrader too.
# False: nbgrader's own execution, which runs student code as you.
isolated = True
if isolated:
    sys.path.insert(0, {str(ROOT)!r})
    c.Autograde.sanitize_preprocessors = ["autograder.nbgrader_plugin.IsolatedGrading"]
    c.Autograde.autograde_preprocessors = [
        f"nbgrader.preprocessors.{{name}}" for name in ("LimitOutput", "SaveAutoGrades", "AssignLatePenalties", "CheckCellMetadata")
    ]
    c.IsolatedGrading.source = str(here / "source")
else:
    # A warning that an answer causes costs no points, as in the sandbox.
    c.IgnorePattern.enabled = True
    c.IgnorePattern.pattern = "^"
'''


class Course:
    """One class folder. Nothing is written before `prepare`.

    isolated: whether nbgrader's own commands in it run student code in the sandbox.
    """

    def __init__(self, directory: Path, isolated: bool = True):
        self.directory = Path(directory).resolve()
        self.isolated = isolated

    @property
    def gradebook_url(self) -> str:
        return f"sqlite:///{self.directory / 'gradebook.db'}"

    def source(self, name: str) -> Path:
        return self.directory / "source" / name / f"{name}.ipynb"

    def released(self, name: str) -> Path:
        return self.directory / "release" / name / f"{name}.ipynb"

    def submitted(self, student: str, name: str) -> Path:
        return self.directory / "submitted" / student / name / f"{name}.ipynb"

    def autograded(self, student: str, name: str) -> Path:
        return self.directory / "autograded" / student / name / f"{name}.ipynb"

    def feedback(self, student: str, name: str) -> Path:
        return self.directory / "feedback" / student / name / f"{name}.html"

    def prepare(self, assignments: Iterable[Assignment]) -> None:
        """Make the folder, and the source and release of each assignment whose master changed."""
        self.make()
        for assignment in self.stale(assignments):
            self.generate(assignment)

    def make(self) -> None:
        """Make the folder and its configuration, without any assignment."""
        if self.directory.exists() and not self.directory.is_dir():
            raise BadInput(f"{self.directory}: is not a folder; give --class a folder or a new name")
        (self.directory / "exchange").mkdir(parents=True, exist_ok=True)
        if not self._config.exists():
            write_atomically(self._config, self._default_config())

    def stale(self, assignments: Iterable[Assignment]) -> list[Assignment]:
        """Those that the folder does not hold as they are now."""
        return [assignment for assignment in assignments if not self._is_current(assignment)]

    def _is_current(self, assignment: Assignment) -> bool:
        source, gradebook = self.source(assignment.name), self.directory / "gradebook.db"
        if not (source.exists() and self.released(assignment.name).exists() and gradebook.exists()):
            return False
        try:
            with closing(sqlite3.connect(gradebook, timeout=60)) as db:
                if not db.execute("SELECT 1 FROM notebook WHERE name = ?", (assignment.name,)).fetchone():
                    return False
        except sqlite3.OperationalError:  # an empty file
            return False
        return from_notebook(assignment.name, source).fingerprint == assignment.fingerprint

    def generate(self, assignment: Assignment) -> None:
        """What nbgrader's generate_assignment makes: the student's notebook and the gradebook's entries."""
        from . import template

        released = self.released(assignment.name)
        released.unlink(missing_ok=True)  # it is made last: without it, the assignment is not current
        write_atomically(self.source(assignment.name), notebook_text(assignment.notebook))
        if self._config.read_text(encoding="utf-8") == self._default_config():
            student = template.copy(assignment, self.directory / "gradebook.db", lambda folder: _made(assignment, folder))
            if student is not None:
                write_atomically(released, student)
                return
        self._generate(assignment)

    def _generate(self, assignment: Assignment) -> None:
        """By nbgrader, with the configuration of this folder."""
        without_uri_grammars()
        from nbgrader.converters import GenerateAssignment

        from . import gradebook

        if (self.directory / "gradebook.db").exists():
            gradebook.align_cells(self, assignment)
        else:
            gradebook.make(self)
        run_converter(GenerateAssignment, self.directory, assignment.name)

    @property
    def _config(self) -> Path:
        return self.directory / "nbgrader_config.py"

    def _default_config(self) -> str:
        return CONFIG if self.isolated else CONFIG.replace("isolated = True", "isolated = False")


def _made(assignment: Assignment, folder: Path) -> tuple[Path, str]:
    """A gradebook with this assignment only, and the student's notebook, made by nbgrader in the empty folder."""
    course = Course(folder)
    course.make()
    write_atomically(course.source(assignment.name), notebook_text(assignment.notebook))
    without_uri_grammars()
    from sqlalchemy import Engine, event

    def hurry(connection, _):  # nbgrader commits each cell by itself; what a crash leaves of this folder is thrown away
        connection.execute("PRAGMA synchronous = OFF")

    event.listen(Engine, "connect", hurry)
    try:
        course._generate(assignment)
    finally:
        event.remove(Engine, "connect", hurry)
    return course.directory / "gradebook.db", course.released(assignment.name).read_text(encoding="utf-8")


def run_converter(converter, directory: Path, assignment: str, student: str | None = None) -> None:
    """Run one of nbgrader's converters on the course in `directory`, with that folder's configuration.

    Raises BadInput with the converter's last words when it fails.
    """
    import io
    import logging
    import warnings

    without_uri_grammars()
    from nbgrader.coursedir import CourseDirectory
    from sqlalchemy.exc import SAWarning
    from traitlets.config import Config, PyFileConfigLoader

    config = Config()
    if (directory / "nbgrader_config.py").exists():
        config = PyFileConfigLoader("nbgrader_config.py", path=str(directory)).load_config()
    config.CourseDirectory.root = str(directory)
    config.CourseDirectory.assignment_id = assignment
    if student is not None:
        config.CourseDirectory.student_id = student
    words = io.StringIO()
    handler = logging.StreamHandler(words)
    runner = converter(coursedir=CourseDirectory(config=config), config=config)
    runner.log = logging.Logger("nbgrader", logging.WARNING)  # a logger of its own: nothing reaches the screen
    runner.log.addHandler(handler)
    runner.coursedir.log = runner.log
    runner.force = True
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", category=SAWarning)  # nbgrader's own queries cause them
            runner.start()
    except (Exception, SystemExit) as error:
        said = [line.strip() for line in words.getvalue().splitlines() if line.strip()]
        # nbgrader logs a traceback and then a general remark: the exception's own line says what is wrong.
        errors = [line for line in said if re.match(r"[\w.]*(Error|Exception|Missing\w*|Invalid\w*)\b.*:", line)]
        last = (errors or said or [str(error)])[-1]
        raise BadInput(f"{assignment}: nbgrader's {converter.__name__} failed: {last}") from error
