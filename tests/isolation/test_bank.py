"""The same verdicts as in one process: every right and wrong answer of the bank loses exactly its cells here too."""

import json

import bank
import pytest

from autograder.assignment import SOLUTIONS, load_master
from autograder.isolation import runner
from autograder.matching import stub

ASSIGNMENTS = [name for name in bank.ASSIGNMENTS if (SOLUTIONS / f"{name}.md").exists()]
ENTRIES = {entry.id: entry for name in ASSIGNMENTS for entry in bank.entries(name)}
_masters = {}


def master(name):
    if name not in _masters:
        _masters[name] = load_master(name)
    return _masters[name]


def submission(assignment, answer):
    """answer: (cell, first of its exercise) -> source."""
    notebook = json.loads(json.dumps(assignment.notebook))
    seen = set()
    for submitted, cell in zip(notebook["cells"], assignment.cells, strict=True):
        if cell.kind == "answer":
            submitted["source"] = answer(cell, cell.exercise not in seen)
            seen.add(cell.exercise)
        elif cell.kind == "test":
            submitted["source"] = cell.visible_source
    return notebook


def lost(result, exercise=None):
    return sorted(c.grade_id for c in result.cells if c.points < c.max_points and exercise in (None, c.exercise.lower()))


@pytest.mark.parametrize("key", ENTRIES)
def test_entry(key):
    entry = ENTRIES[key]
    assignment = master(entry.assignment)

    def answer(cell, first):
        if cell.exercise.lower() != entry.exercise:
            return stub(cell.source)
        return entry.source if first else ""

    result = runner.run(assignment, submission(assignment, answer))
    messages = {c.grade_id: c.message for c in result.cells if c.exercise.lower() == entry.exercise}
    assert lost(result, entry.exercise) == sorted(entry.loses), messages


@pytest.mark.parametrize("name", ASSIGNMENTS)
def test_reference_and_untouched(name):
    assignment = master(name)
    reference = runner.run(assignment, submission(assignment, lambda cell, first: cell.source))
    assert lost(reference) == [], {c.grade_id: c.message for c in reference.cells if c.points < c.max_points}
    assert reference.notes == []
    untouched = runner.run(assignment, submission(assignment, lambda cell, first: stub(cell.source)))
    assert untouched.points == 0
    assert untouched.notes == []
