"""The visible tests of a student's notebook, as a student runs them before handing in."""

from pathlib import Path

from .assignment import HIDDEN, Assignment, from_notebook, load_master, names
from .engines import Engine
from .errors import BadInput
from .intake import named
from .reading import read_notebook
from .release import RELEASE
from .results import GRADED, PASSED


def check(path: Path, engine: Engine) -> int:
    """Print one line per exercise; returns 0 only when all visible tests pass."""
    notebook = read_notebook(path)
    master = visible(_assignment_of(path, notebook))
    result = engine(master, notebook)
    for note in result.notes:
        print(f"note: {note}")
    if result.status != GRADED:
        raise BadInput(f"{path}: {result.reason}")
    for exercise in master.exercises:
        failed = [cell for cell in result.cells if cell.exercise == exercise.name and cell.status != PASSED]
        print(f"{'passed' if not failed else 'FAILED'}  {exercise.name}")
        for cell in failed:
            print("        " + _shown(cell.message or cell.status).replace("\n", "\n        "))
    done = sum(all(c.status == PASSED for c in result.cells if c.exercise == e.name) for e in master.exercises)
    print(f"{done} of {len(master.exercises)} exercises pass their visible tests; hidden tests run when you hand in")
    return 0 if done == len(master.exercises) else 1


def _shown(text: str) -> str:
    """Without the control characters that a terminal would obey."""
    return "".join(c if c.isprintable() or c == "\n" else "\N{REPLACEMENT CHARACTER}" for c in text)


def visible(master: Assignment) -> Assignment:
    """The same assignment without hidden tests."""
    cells = [{**cell, "source": HIDDEN.sub("", cell["source"])} for cell in master.notebook["cells"]]
    return Assignment(master.name, {**master.notebook, "cells": cells})


def _assignment_of(path: Path, notebook: dict) -> Assignment:
    """The assignment that the notebook answers: by its metadata, its title, or its file's or folder's name."""
    first = next((cell["source"] for cell in notebook["cells"] if cell["cell_type"] == "markdown"), "")
    for name in names():
        master = _student_version(name)
        if first.strip().partition("\n")[0].lstrip("# ").strip() == master.title:
            return master
    name = named([path.name, path.absolute().parent.name], names())
    if name is None:
        raise BadInput(f"{path}: no such assignment; there are {', '.join(names())}")
    return _student_version(name)


def _student_version(name: str) -> Assignment:
    released = RELEASE / name / f"{name}.ipynb"
    return from_notebook(name, released) if released.exists() else load_master(name)
