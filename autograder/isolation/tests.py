"""Trusted side: runs one test cell of the master against a student's process and scores it."""

import ast
import contextlib
import math
import numbers
import re
import traceback
from dataclasses import dataclass
from types import CodeType

from ..assignment import GIVEN, HIDDEN, Assignment, Cell
from ..matching import names_defined
from ..results import FAILED, PARTIAL, PASSED, TIMED_OUT
from .guard import guarded
from .proxies import Namespace, Stopped, Student

FILE = "<test {}>"
# A tag of given cells whose functions depend on their arguments alone. Where a test passes such a function to student code,
# the student's own process has it already, and a call of it needs no message.
PURE = "pure"
AUTHOR = "the test cell itself has an error; tell your instructor"


@dataclass
class Outcome:
    """What one test cell gave. author: what its author must correct, if anything."""

    points: float
    status: str
    message: str = ""
    author: str = ""
    printed: str = ""


class Tests:
    """The test cells of one assignment, compiled once; `run` gives each a fresh namespace."""

    def __init__(self, assignment: Assignment):
        self.cells = {cell.grade_id: cell for cell in assignment.tests}
        given = [cell for cell in assignment.cells if cell.kind == GIVEN]
        self.trusted = frozenset().union(*(names_defined(cell.source) for cell in given))
        self.common = tuple(cell.visible_source for cell in given)  # what every submission holds, and its author may see
        used = _names_used(assignment)
        self.given = [(cell.index, _compile_given(cell, used)) for cell in given]
        self.pure = {
            cell.visible_source: {c: c.co_name for c in code.co_consts if isinstance(c, CodeType) and c.co_name in names_defined(cell.source)}
            for cell, (_, code) in zip(given, self.given)
            if PURE in assignment.notebook["cells"][cell.index]["metadata"].get("tags", ())
        }
        self.code = {cell.grade_id: _compile_test(cell) for cell in assignment.tests}

    def run(self, cell: Cell, student: Student) -> Outcome:
        """Raises Stopped when the student's process can't go on."""
        with guarded(student) as printed:
            namespace = Namespace(student, self.trusted)
            for index, code in self.given:  # each time: what they define must not be what an earlier test has left
                if index < cell.index:
                    with contextlib.suppress(Exception):
                        exec(code, namespace)
            try:
                code = self.code[cell.grade_id]
                if isinstance(code, str):
                    return Outcome(0.0, FAILED, AUTHOR, author=code)
                body, last = code
                exec(body, namespace)
                value = eval(last, namespace) if last else None
            except Stopped:
                raise
            except BaseException as error:
                if student.stopped:  # a test that swallowed it
                    raise student.stopped from None
                outcome = Outcome(0.0, FAILED, self._message(cell, error))
            else:
                if student.stopped:
                    raise student.stopped
                outcome = score(cell, value)
        outcome.printed = printed.getvalue()[:20_000]
        return outcome

    def _message(self, cell: Cell, error: BaseException) -> str:
        """What a student may read: never the source of a hidden test."""
        try:
            text = str(error)
        except Exception:
            text = ""
        if not isinstance(error, AssertionError):
            return f"{type(error).__name__}: {text}"[:2000]
        if text:
            return text[:2000]
        lines = [f.lineno for f in traceback.extract_tb(error.__traceback__) if f.filename == FILE.format(cell.grade_id)]
        source = cell.source.split("\n")
        if lines and not any(_line_of(cell.source, m.start()) <= lines[-1] <= _line_of(cell.source, m.end()) for m in HIDDEN.finditer(cell.source)):
            return f"this does not hold: {source[lines[-1] - 1].strip()}"[:2000]
        return "a hidden test failed"


def score(cell: Cell, value) -> Outcome:
    """The points of a test cell that raised nothing, by its last value."""
    kind = type(value)
    if isinstance(value, numbers.Real) and kind is not bool and kind.__module__ in ("builtins", "numpy"):
        try:
            number = float(value)
        except OverflowError:
            number = math.inf
        if math.isfinite(number) and 0 <= number <= cell.points:
            status = PASSED if number == cell.points else PARTIAL if number else FAILED
            return Outcome(number, status, "" if number == cell.points else f"{number:g} of {cell.points:g} points")
        about = f"{cell.grade_id} ends with the number {number:g}, which is no score between 0 and {cell.points:g}"
        return Outcome(0.0, FAILED, AUTHOR, author=about)
    return Outcome(cell.points, PASSED)


def stopped_outcome(stopped: Stopped, seconds: float) -> Outcome:
    if stopped.kind == "late":
        return Outcome(0.0, TIMED_OUT, f"your code did not finish within {seconds:g} seconds")
    if stopped.kind == "gone":
        return Outcome(0.0, FAILED, "your code ended the process in which it ran")
    return Outcome(0.0, FAILED, "your code disturbed the connection to the tests")


def _line_of(text: str, position: int) -> int:
    return text.count("\n", 0, position) + 1


def _without_magics(source: str) -> str:
    return "\n".join("pass" if re.match(r"[%!]", line) else line for line in source.split("\n"))


def _names_used(assignment: Assignment) -> set[str]:
    """All names that tests and given cells read."""
    names: set[str] = set()
    for cell in assignment.cells:
        if cell.cell_type == "code" and cell.kind != "answer":
            with contextlib.suppress(SyntaxError):
                names |= {n.id for n in ast.walk(ast.parse(_without_magics(cell.source))) if isinstance(n, ast.Name)}
    return names


def _compile_given(cell: Cell, used: set[str]):
    """A given cell's code; imports that nothing uses here (plotting) are left out, for they cost time."""
    try:
        tree = ast.parse(_without_magics(cell.source))
    except SyntaxError:
        return compile("", "<given>", "exec")
    tree.body = [
        node for node in tree.body
        if not (isinstance(node, ast.Import) and not {(a.asname or a.name).split(".")[0] for a in node.names} & used)
    ]  # fmt: skip
    return compile(tree, "<given>", "exec")


def _compile_test(cell: Cell):
    name = FILE.format(cell.grade_id)
    try:
        tree = ast.parse(_without_magics(cell.source))
        last = None
        if tree.body and isinstance(tree.body[-1], ast.Expr):
            last = compile(ast.Expression(tree.body.pop().value), name, "eval")
        return compile(tree, name, "exec"), last
    except SyntaxError as error:
        return f"{cell.grade_id}: the test cell has a syntax error in line {error.lineno}"


_cache: dict[str, Tests] = {}


def tests_of(assignment: Assignment) -> Tests:
    key = assignment.fingerprint
    if key not in _cache:
        if len(_cache) > 50:
            _cache.clear()
        _cache[key] = Tests(assignment)
    return _cache[key]

