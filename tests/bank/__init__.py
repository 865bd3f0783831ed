"""Right and wrong answers to every exercise: what the graders are proven with.

One module per assignment, one function per answer. The body of the function is what a student typed into the
answer cell; it is never called, only read, and then run in place of that cell (see tests/exercises/runner.py).

    @right("rotate one vector")
    def complex_numbers():
        def rope(x, position, base=10000.0):
            ...

    @wrong("rotate one vector", loses=["rope-numbers"], says="half-split")
    def half_split_pairs():
        def rope(x, position, base=10000.0):
            ...

`loses` names exactly the test cells that must fail, `says` is a part of the message that the first of them gives.
"""
import ast
import importlib
import inspect
import textwrap
from dataclasses import dataclass
from pathlib import Path

ASSIGNMENTS = ["why_position", "sinusoidal", "learned", "alibi", "rope", "context_extension", "choosing"]


@dataclass(frozen=True)
class Entry:
    assignment: str
    exercise: str  # the heading of the exercise, in lower case
    name: str
    source: str
    loses: tuple = ()  # grade ids of the test cells that must fail; empty for a right answer
    says: str = ""

    @property
    def id(self):
        return f"{self.assignment}-{self.exercise.replace(' ', '_')}-{self.name}"


_entries = {}


def right(exercise):
    """Mark a function whose body is a correct answer to `exercise`."""
    return lambda function: _add(exercise, function, (), "")


def wrong(exercise, loses, says):
    """Mark a function whose body is a wrong answer: it fails the cells `loses`, with a message that contains `says`."""
    if not loses or isinstance(loses, str):
        raise ValueError("loses is a list of at least one grade id")
    return lambda function: _add(exercise, function, tuple(loses), says)


def entries(assignment):
    """The entries of one assignment, in the order of its module; none when the module does not exist."""
    if not (Path(__file__).parent / f"{assignment}.py").exists():
        return []
    importlib.import_module(f"bank.{assignment}")
    return list(_entries[assignment].values())


def body_of(function):
    """The source text below the `def` line of a function, dedented."""
    text = textwrap.dedent(inspect.getsource(function))
    header = ast.parse(text).body[0].lineno  # the line of `def`, which is one line here
    return textwrap.dedent("\n".join(text.splitlines()[header:])) + "\n"


def _add(exercise, function, loses, says):
    assignment = function.__module__.rpartition(".")[2]
    known = _entries.setdefault(assignment, {})
    entry = Entry(assignment, exercise.lower(), function.__name__, body_of(function), loses, says)
    if (entry.exercise, entry.name) in known:
        raise ValueError(f"bank/{assignment}.py has two entries {entry.name!r} for {entry.exercise!r}")
    known[entry.exercise, entry.name] = entry
    return function
