"""A small assignment for the engine's tests, and submissions of it.

double 3 points (1 visible, 2 hidden), half 1 (typed), compose 2 (callbacks and returned functions), last 1.
"""

import copy
import json
from functools import cache
from pathlib import Path

import nbformat

from autograder.assignment import SOLUTIONS, Assignment

MARKER = "TOP-" + "SECRET-" + "7141"  # in hidden tests and solutions only: must reach no student

GIVEN = """import numpy as np
from checking import *"""

DOUBLE = """def double(x):
    '''Twice x: a number, a list or an array.'''
    ### BEGIN SOLUTION
    # {marker}
    return 2 * np.asarray(x)
    ### END SOLUTION""".replace("{marker}", MARKER)

DOUBLE_NUMBER = """expect(call("double", 3), 6, called("double", 3))"""

DOUBLE_ARRAY = """expect(call("double", [1.0, 2.5]), [2, 5], called("double", [1.0, 2.5]))
### BEGIN HIDDEN TESTS
# {marker}
x = np.random.default_rng(SEED + 1).normal(size=(3, 4))
expect(call("double", x), x + x, "double of random numbers", hidden=True)
assert np.all(np.isclose(call("double", x), 2 * x)), "not twice the argument"
### END HIDDEN TESTS""".replace("{marker}", MARKER)

HALF = """half = ...
### BEGIN SOLUTION
half = 0.5
### END SOLUTION"""

HALF_TEST = """assert abs(float(answer("half")) - 0.5) < 1e-9, "one divided by two\""""

COMPOSE = """def compose(f, n):
    '''The function that applies f n times.'''
    ### BEGIN SOLUTION
    def composed(x):
        for _ in range(n):
            x = f(x)
        return x

    return composed
    ### END SOLUTION"""

COMPOSE_TEST = """def increase(x):
    return x + 1


g = call("compose", increase, 3)
assert g(4) == 7, "three steps from 4 end at 7"
### BEGIN HIDDEN TESTS
h = call("compose", lambda a: a * np.arange(1, 4), 2)
expect(h(np.ones(3)), [1, 4, 9], "compose with an array", hidden=True)
### END HIDDEN TESTS"""

LAST = """def last(values):
    '''The last of some values.'''
    ### BEGIN SOLUTION
    return values[-1]
    ### END SOLUTION"""

LAST_TEST = """assert call("last", [1, 2, 7]) == 7"""

POINTS = {"double": 3.0, "half": 1.0, "compose": 2.0, "last": 1.0}


def _code(source, grade_id, *, grade=False, solution=False, points=0):
    about = {"schema_version": 3, "grade": grade, "solution": solution, "locked": not solution, "task": False, "grade_id": grade_id}
    if grade:
        about["points"] = points
    return nbformat.v4.new_code_cell(source, metadata={"nbgrader": about}, id=grade_id)


def _heading(name):
    about = {"schema_version": 3, "grade": False, "solution": False, "locked": True, "task": False, "grade_id": f"{name}-text"}
    return nbformat.v4.new_markdown_cell(f"## {name}", metadata={"nbgrader": about}, id=f"{name}-text")


@cache
def master() -> Assignment:
    helpers = (SOLUTIONS / "checking.py").read_text()
    cells = [
        nbformat.v4.new_markdown_cell("# Synthetic", id="title"),
        _code(GIVEN.replace("from checking import *", helpers), "setup"),
        _heading("double"),
        _code(DOUBLE, "double", solution=True),
        _code(DOUBLE_NUMBER, "double-number", grade=True, points=1),
        _code(DOUBLE_ARRAY, "double-array", grade=True, points=2),
        _heading("half"),
        _code(HALF, "half", solution=True),
        _code(HALF_TEST, "half-value", grade=True, points=1),
        _heading("compose"),
        _code(COMPOSE, "compose", solution=True),
        _code(COMPOSE_TEST, "compose-steps", grade=True, points=2),
        _heading("last"),
        _code(LAST, "last", solution=True),
        _code(LAST_TEST, "last-value", grade=True, points=1),
    ]
    return Assignment("synthetic", nbformat.v4.new_notebook(cells=cells))


RIGHT = {
    "double": "def double(x):\n    return 2 * np.asarray(x)",
    "half": "half = 0.5",
    "compose": "def compose(f, n):\n    def g(x):\n        for _ in range(n):\n            x = f(x)\n        return x\n    return g",
    "last": "def last(values):\n    return values[-1]",
}


def submission(**answers: str) -> dict:
    """The student's notebook with right answers but for those given."""
    notebook = released()
    for cell in notebook["cells"]:
        if cell["id"] in RIGHT:
            cell["source"] = answers.pop(cell["id"], RIGHT[cell["id"]])
    assert not answers, answers
    return notebook


def released() -> dict:
    return copy.deepcopy(_released())


@cache
def _released() -> dict:
    from autograder.matching import stub

    notebook = json.loads(json.dumps(master().notebook))
    for cell, original in zip(notebook["cells"], master().cells, strict=True):
        cell["source"] = stub(original.source) if original.kind == "answer" else original.visible_source
    return notebook


def cell(notebook: dict, identity: str) -> dict:
    return next(c for c in notebook["cells"] if c["id"] == identity)


def place(notebook: dict, identity: str) -> int:
    return next(i for i, c in enumerate(notebook["cells"]) if c["id"] == identity)


def code(source: str, **metadata) -> dict:
    """A cell that the student added."""
    code.count += 1
    return {"cell_type": "code", "id": f"added-{code.count}", "metadata": metadata, "source": source, "outputs": [], "execution_count": None}


code.count = 0


def added(*sources: str, after: str = "last-value", **answers: str) -> dict:
    """Right answers and more code cells after the cell of that id."""
    notebook = submission(**answers)
    at = place(notebook, after) + 1
    notebook["cells"][at:at] = [code(source) for source in sources]
    return notebook


def text_of(result) -> str:
    """All that a student could read: outputs of their cells, messages and notes; not the sources of test cells."""
    parts = [*result.notes, result.reason, *(c.message for c in result.cells)]
    for c in result.notebook["cells"]:
        parts.append(json.dumps(c.get("outputs", []), ensure_ascii=False))
    return "\n".join(parts)


assert Path
