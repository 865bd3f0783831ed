"""The class folder: an ordinary nbgrader course, made from solutions/ by nbgrader's own generate_assignment.

    source/A/A.ipynb  release/A/A.ipynb  submitted/  autograded/  feedback/  gradebook.db  nbgrader_config.py
"""

import io
import logging
import re
import warnings
from pathlib import Path

from .assignment import ROOT, Assignment, from_notebook
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

    def prepare(self, assignments: list[Assignment]) -> None:
        """Make the folder, and the source and release of each assignment whose master changed."""
        if self.directory.exists() and not self.directory.is_dir():
            raise BadInput(f"{self.directory}: is not a folder; give --class a folder or a new name")
        self.directory.mkdir(parents=True, exist_ok=True)
        (self.directory / "exchange").mkdir(exist_ok=True)
        config = self.directory / "nbgrader_config.py"
        if not config.exists():
            write_atomically(config, CONFIG if self.isolated else CONFIG.replace("isolated = True", "isolated = False"))
        for assignment in assignments:
            if self._is_current(assignment):
                continue
            write_atomically(self.source(assignment.name), notebook_text(assignment.notebook))
            self.generate(assignment.name)

    def _is_current(self, assignment: Assignment) -> bool:
        source, released = self.source(assignment.name), self.released(assignment.name)
        if not (source.exists() and released.exists() and (self.directory / "gradebook.db").exists()):
            return False
        return from_notebook(assignment.name, source).fingerprint == assignment.fingerprint

    def generate(self, name: str) -> None:
        """Run nbgrader's generate_assignment: the student's notebook and the gradebook's entries."""
        from nbgrader.converters import GenerateAssignment

        from . import gradebook

        gradebook.align_cells(self, from_notebook(name, self.source(name)))
        run_converter(GenerateAssignment, self.directory, name)


def run_converter(converter, directory: Path, assignment: str, student: str | None = None) -> None:
    """Run one of nbgrader's converters on the course in `directory`, with that folder's configuration.

    Raises BadInput with the converter's last words when it fails.
    """
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
