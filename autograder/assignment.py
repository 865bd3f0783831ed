"""An assignment as the instructor wrote it: its cells, exercises and points, read from solutions/NAME.md.

The notebook is the only place that lists exercises and points. An exercise is a `##` heading and all cells
until the next one; its points are those of its test cells.
"""

import hashlib
import json
import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from .errors import BadInput

ROOT = Path(__file__).resolve().parent.parent
SOLUTIONS = ROOT / "solutions"

# The line of a setup cell that stands for the text of solutions/checking.py.
INCLUDE = "from checking import *"
HIDDEN = re.compile(r"^### BEGIN HIDDEN TESTS.*?^### END HIDDEN TESTS[^\n]*\n?", re.MULTILINE | re.DOTALL)

TEXT, GIVEN, ANSWER, TEST, OTHER = "text", "given", "answer", "test", "other"


@dataclass(frozen=True)
class Cell:
    """One cell of the master. kind: text, given (locked code), answer, test, or other (free code)."""

    index: int
    cell_type: str
    source: str
    kind: str
    grade_id: str = ""
    points: float = 0.0
    exercise: str = ""

    @property
    def visible_source(self) -> str:
        """The source without the hidden tests: what the student's copy shows."""
        return HIDDEN.sub("", self.source).rstrip()


@dataclass(frozen=True)
class Exercise:
    name: str
    cells: tuple[Cell, ...]

    @property
    def answers(self) -> tuple[Cell, ...]:
        return tuple(cell for cell in self.cells if cell.kind == ANSWER)

    @property
    def tests(self) -> tuple[Cell, ...]:
        return tuple(cell for cell in self.cells if cell.kind == TEST)

    @property
    def points(self) -> float:
        return sum(cell.points for cell in self.tests)


@dataclass(frozen=True)
class Assignment:
    """name: the stem of its file; notebook: the instructor's notebook (nbformat 4)."""

    name: str
    notebook: dict

    @cached_property
    def cells(self) -> tuple[Cell, ...]:
        cells, exercise = [], ""
        for index, cell in enumerate(self.notebook["cells"]):
            if cell["cell_type"] == "markdown" and (heading := re.search(r"^## +(.+?)\s*$", cell["source"], re.MULTILINE)):
                exercise = heading[1]
            about = cell["metadata"].get("nbgrader", {})
            cells.append(
                Cell(
                    index=index,
                    cell_type=cell["cell_type"],
                    source=cell["source"],
                    kind=_kind(cell["cell_type"], about),
                    grade_id=about.get("grade_id", ""),
                    points=float(about.get("points", 0) or 0) if about.get("grade") else 0.0,
                    exercise=exercise,
                )
            )
        return tuple(cells)

    @cached_property
    def exercises(self) -> tuple[Exercise, ...]:
        """The headings that have a test; in order."""
        names = dict.fromkeys(cell.exercise for cell in self.tests)
        return tuple(Exercise(name, tuple(c for c in self.cells if c.exercise == name)) for name in names)

    @property
    def tests(self) -> tuple[Cell, ...]:
        return tuple(cell for cell in self.cells if cell.kind == TEST)

    @property
    def points(self) -> float:
        return sum(cell.points for cell in self.tests)

    @cached_property
    def title(self) -> str:
        for cell in self.notebook["cells"]:
            if cell["cell_type"] == "markdown" and (heading := re.search(r"^# +(.+?)\s*$", cell["source"], re.MULTILINE)):
                return heading[1]
        return self.name

    @cached_property
    def fingerprint(self) -> str:
        """Changes when any cell does; results carry it, so that an edited test re-grades what it touches."""
        text = json.dumps([(c.kind, c.source, c.grade_id, c.points) for c in self.cells])
        return hashlib.sha256(text.encode()).hexdigest()


def _kind(cell_type: str, about: dict) -> str:
    if cell_type != "code":
        return TEXT
    if about.get("grade"):
        return TEST
    if about.get("solution"):
        return ANSWER
    return GIVEN if about.get("locked") else OTHER


def names(solutions: Path = SOLUTIONS) -> list[str]:
    """The assignments that have an instructor notebook, in the order in which the book lists their chapters."""
    found = sorted(path.stem for path in solutions.glob("*.md"))
    toc = solutions.parent / "_toc.yml"
    order = re.findall(r"file: chapters/(\w+)", toc.read_text(encoding="utf-8")) if toc.exists() else []
    return sorted(found, key=lambda name: (order.index(name) if name in order else len(order), name))


def load_master(name: str, solutions: Path = SOLUTIONS) -> Assignment:
    """Read solutions/NAME.md (MyST text), with checking.py put in place of its import.

    Raises BadInput when there is no such assignment.
    """
    path = solutions / f"{name}.md"
    if not path.is_file():
        raise BadInput(f"{name}: no such assignment; there are {', '.join(names(solutions)) or 'none'}")
    import jupytext  # takes longer to load than most commands run

    notebook = jupytext.reads(path.read_text(encoding="utf-8"), fmt="md:myst")
    notebook.metadata.pop("jupytext", None)
    helpers = (solutions / "checking.py").read_text(encoding="utf-8").rstrip()
    for index, cell in enumerate(notebook.cells):
        about = cell.metadata.get("nbgrader", {})
        # Ids that follow from the text, so that the same text always gives the same notebook.
        cell.id = re.sub(r"[^A-Za-z0-9_-]", "-", about.get("grade_id") or f"cell-{index}")[:64]
        if cell.cell_type == "code" and INCLUDE in cell.source.splitlines():
            cell.source = "\n".join(helpers if line == INCLUDE else line for line in cell.source.splitlines())
    return Assignment(name, notebook)


def from_notebook(name: str, path: Path) -> Assignment:
    """Read an instructor notebook that nbgrader keeps, such as source/NAME/NAME.ipynb of a class."""
    notebook = json.loads(path.read_text(encoding="utf-8"))
    for cell in notebook["cells"]:
        cell["source"] = "".join(cell["source"])
    return Assignment(name, notebook)
