"""An assignment as the instructor wrote it: its cells, exercises and points, read from solutions/NAME.md.

The notebook is the only place that lists exercises and points. An exercise is a `##` heading and all cells
until the next one; its points are those of its test cells.
"""

import contextlib
import hashlib
import json
import re
import sys
from dataclasses import dataclass
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path

from .errors import BadInput
from .files import write_atomically

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

    @cached_property
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

    @cached_property
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


def titles(solutions: Path = SOLUTIONS) -> dict[str, str]:
    """Name -> title of every assignment, from the texts alone: reading a title must not cost reading a notebook."""
    found = {}
    for name in names(solutions):
        text = re.sub(r"\A---\n.*?\n---\n", "", (solutions / f"{name}.md").read_text(encoding="utf-8"), flags=re.DOTALL)
        heading = re.search(r"^# +(.+?)\s*$", text, re.MULTILINE)
        found[name] = heading[1] if heading else name
    return found


def load_master(name: str, solutions: Path = SOLUTIONS) -> Assignment:
    """Read solutions/NAME.md (MyST text), with checking.py put in place of its import.

    Raises BadInput when there is no such assignment.
    """
    path = solutions / f"{name}.md"
    if not path.is_file():
        raise BadInput(f"{name}: no such assignment; there are {', '.join(names(solutions)) or 'none'}")
    text, helpers = (file.read_text(encoding="utf-8") for file in (path, solutions / "checking.py"))
    # As Python keeps compiled modules: the parser takes longer to load than most commands run.
    kept = solutions / "__pycache__" / f"{name}.master.json"
    made_from = hashlib.sha256(json.dumps([text, helpers, _parser()]).encode()).hexdigest()
    with contextlib.suppress(OSError, ValueError, LookupError, TypeError):
        found = json.loads(kept.read_text(encoding="utf-8"))
        if found["made from"] == made_from:
            return Assignment(name, found["notebook"])
    notebook = _parsed(text, helpers.rstrip())
    with contextlib.suppress(OSError):
        write_atomically(kept, json.dumps({"made from": made_from, "notebook": notebook}))
    return Assignment(name, notebook)


def _parser() -> list[str]:
    """What turns the text into a notebook, in its present version."""
    texts = [sys.version, Path(__file__).read_text(encoding="utf-8")]
    for module, file in (("jupytext", "version.py"), ("markdown_it", "__init__.py")):
        texts.append(Path(find_spec(module).origin).with_name(file).read_text(encoding="utf-8"))
    return texts


def _parsed(text: str, helpers: str) -> dict:
    without_uri_grammars()
    import jupytext

    notebook = jupytext.reads(text, fmt="md:myst")
    notebook.metadata.pop("jupytext", None)
    for index, cell in enumerate(notebook.cells):
        about = cell.metadata.get("nbgrader", {})
        # Ids that follow from the text, so that the same text always gives the same notebook.
        cell.id = re.sub(r"[^A-Za-z0-9_-]", "-", about.get("grade_id") or f"cell-{index}")[:64]
        if cell.cell_type == "code" and INCLUDE in cell.source.splitlines():
            cell.source = "\n".join(helpers if line == INCLUDE else line for line in cell.source.splitlines())
    return json.loads(json.dumps(notebook))


def without_uri_grammars() -> None:
    """Call before the first import of nbformat, jupytext or nbgrader in a process.

    They import jsonschema, which imports rfc3987_syntax where it is installed, which compiles 38 grammars, for a
    second. It is an optional part of jsonschema, for checks of the format "iri" that nobody here asks for: notebooks
    are checked without format checks. None makes its import fail, which jsonschema expects.
    """
    sys.modules.setdefault("rfc3987_syntax", None)


def from_notebook(name: str, path: Path) -> Assignment:
    """Read an instructor notebook that nbgrader keeps, such as source/NAME/NAME.ipynb of a class."""
    notebook = json.loads(path.read_text(encoding="utf-8"))
    for cell in notebook["cells"]:
        cell["source"] = "".join(cell["source"])
    return Assignment(name, notebook)
