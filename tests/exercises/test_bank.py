"""The graders are fair: reference 100 %, untouched 0 %, every right answer of the bank 100 %, and every wrong answer
loses exactly the cells of its idea, with a message that names it; for the seed of the course and for 20 others."""
import ast
import re

import bank
import pytest
from exercises import runner

ASSIGNMENTS = [name for name in bank.ASSIGNMENTS if (runner.SOLUTIONS / f"{name}.md").exists()]
GIVE_VALUES = {"answer", "typed", "chosen", "call", "called", "as_array", "truth", "near", "show"}
CHAPTERS = runner.SOLUTIONS.parent / "chapters"
ENTRIES = [entry for name in ASSIGNMENTS for entry in bank.entries(name)]
BY_ID = {entry.id: entry for entry in ENTRIES}


@pytest.fixture(scope="session")
def farm(request):
    """Runs what the selected tests need: the first of them starts it, a few forks at a time."""
    keys = [item.callspec.params["key"] for item in request.session.items if "farm" in getattr(item, "fixturenames", ())]
    return runner.Farm({key: _job(key) for key in keys})


def _job(key):
    what, name = key
    if what == "entry":
        entry = BY_ID[name]
        return lambda: (runner.program(runner.load(entry.assignment), entry.exercise, entry.source), runner.SEEDS)
    untouched = runner.UNTOUCHED if what == "untouched" else None
    return lambda: (runner.program(runner.load(name), answer=untouched), runner.SEEDS[:1] if untouched else runner.SEEDS)


def report(cells):
    return "\n".join(f"  {grade_id}: {message}" for grade_id, message in cells.items() if message is not None)


@pytest.mark.parametrize("key", [("reference", name) for name in ASSIGNMENTS], ids=ASSIGNMENTS)
def test_reference_gets_everything(key, farm):
    outcome = farm.result(key)
    for seed, failed in zip(runner.SEEDS, outcome.lost, strict=True):
        assert not failed, f"seed {seed}:\n{report(outcome.cells[runner.SEEDS.index(seed)])}"


@pytest.mark.parametrize("key", [("untouched", name) for name in ASSIGNMENTS], ids=ASSIGNMENTS)
def test_untouched_gets_nothing(key, farm):
    outcome = farm.result(key)
    assert outcome.lost[0] == [cell.grade_id for cell in runner.load(key[1]).tests]
    assert not outcome.foreign, f"no sentence, but a traceback: {outcome.foreign}"
    for grade_id, message in outcome.cells[0].items():
        assert "not implemented yet" in message or "still empty" in message or "not defined" in message, (grade_id, message)


@pytest.mark.parametrize("key", [("entry", entry.id) for entry in ENTRIES], ids=BY_ID)
def test_entry(key, farm):
    entry, outcome = BY_ID[key[1]], farm.result(key)
    for seed, ids in zip(runner.SEEDS, outcome.lost):
        assert sorted(ids) == sorted(entry.loses), (
            f"seed {seed}: loses {ids}, should lose {list(entry.loses)}\n{report(outcome.cells[runner.SEEDS.index(seed)])}"
        )
    if entry.loses:
        assert not outcome.foreign, f"no sentence, but a traceback: {outcome.foreign}"
        first = next(message for message in outcome.cells[0].values() if message is not None)
        assert entry.says in first, f"the message does not contain {entry.says!r}: {first}"


@pytest.mark.parametrize("name", ASSIGNMENTS)
def test_entries_name_exercises_and_cells_that_exist(name):
    exercises = {exercise.name.lower(): exercise for exercise in runner.load(name).exercises}
    for entry in bank.entries(name):
        assert entry.exercise in exercises, f"{entry.id}: no such exercise; there are {sorted(exercises)}"
        ids = {cell.grade_id for cell in exercises[entry.exercise].tests}
        assert set(entry.loses) <= ids, f"{entry.id}: no such cells: {set(entry.loses) - ids}"


@pytest.mark.parametrize("name", ASSIGNMENTS)
def test_every_exercise_has_enough_entries(name):
    kinds = [(entry.exercise, bool(entry.loses)) for entry in bank.entries(name)]
    for exercise in runner.load(name).exercises:
        right, wrong = kinds.count((exercise.name.lower(), False)), kinds.count((exercise.name.lower(), True))
        assert right >= 5 and wrong >= 10, f"{exercise.name}: {right} right and {wrong} wrong answers; at least 5 and 10"


@pytest.mark.parametrize("name", ASSIGNMENTS)
def test_form_of_the_cells(name):
    for exercise in runner.load(name).exercises:
        text = "".join(cell.source for cell in exercise.cells if cell.kind == "text")
        assert f"chapters/{name}.md" in text, f"{exercise.name}: no link to the chapter"
        if exercise.points >= 3:
            assert "<details>" in text, f"{exercise.name}: {exercise.points:g} points and no hint"
        for cell in exercise.tests:
            for source in (cell.source, cell.visible_source):  # a last value could be taken for partial credit
                last = ast.parse(source).body[-1]
                value = last.value if isinstance(last, ast.Expr) else None
                name_called = getattr(getattr(value, "func", None), "id", "")
                assert value is None or name_called and name_called not in GIVE_VALUES, f"{cell.grade_id} ends in a value"
            for node in ast.walk(ast.parse(_hidden(cell))):
                if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "expect":
                    assert any(k.arg == "hidden" for k in node.keywords), f"{cell.grade_id}, hidden part, line {node.lineno}: expect without hidden=True"


@pytest.mark.parametrize("name", ASSIGNMENTS)
def test_links_lead_to_a_section(name):
    for exercise in runner.load(name).exercises:
        text = "".join(cell.source for cell in exercise.cells if cell.kind == "text")
        links = re.findall(r"\]\(\.\./\.\./chapters/(\w+)\.md(?:#([\w-]+))?\)", text)
        assert any(label for _, label in links), f"{exercise.name}: no link to a section of the chapter"
        for chapter, label in links:
            source = (CHAPTERS / f"{chapter}.md").read_text(encoding="utf-8")
            assert not label or f"({label})=\n" in source, f"{exercise.name}: chapters/{chapter}.md has no label {label}"


@pytest.mark.parametrize("name", ASSIGNMENTS)
def test_test_cells_leave_other_names_alone(name):
    """In plain Jupyter test cells share the student's names: they must not overwrite an answer or a helper."""
    assignment = runner.load(name)
    given = {bound for cell in assignment.cells if cell.kind == "given" for bound in _binds(cell.source)} - {"np"}
    asked = {text for cell in assignment.tests for text in re.findall(r"\b(?:answer|call|typed|chosen)\(\"(\w+)\"", cell.source)}
    for cell in assignment.tests:
        taken = set(_binds(cell.source)) & (given | asked)
        assert not taken, f"{cell.grade_id} assigns {sorted(taken)}"


def _binds(source):
    """The names that a cell binds at its top level."""
    def visit(node):
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            yield node.name
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif not isinstance(node, (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)):
            for child in ast.iter_child_nodes(node):
                yield from visit(child)

    return list(visit(ast.parse(source)))


def _hidden(cell):
    """The hidden part, with the visible lines blank."""
    lines, inside = [], False
    for line in cell.source.splitlines():
        inside = inside or line.startswith("### BEGIN HIDDEN")
        lines.append(line if inside else "")
        inside = inside and not line.startswith("### END HIDDEN")
    return "\n".join(lines)
