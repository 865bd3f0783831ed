"""Which cell of a submission is which cell of the master: by grade id, then by the names it defines, then by text.

Nothing of a submission decides what is tested or what it is worth: tests, given cells and points are the
master's. Matching decides which text runs as the student's, and after which cell each test is run. Metadata
and tags that steer an executor are never read.
"""

import ast
import difflib
import re
from dataclasses import dataclass, field
from functools import lru_cache

from .assignment import ANSWER, GIVEN, OTHER, TEST, Assignment, Cell

EXTRA, TEXT = "extra", "text"
ALIKE = 0.75  # similarity from which a text counts as an edited copy
MAX_COMPARED = 20_000  # characters; longer cells are compared by their names only
SOLUTION = re.compile(r"^([ \t]*)### BEGIN SOLUTION.*?### END SOLUTION[^\n]*", re.MULTILINE | re.DOTALL)
MAGIC = re.compile(r"^\s*(?:%|!|\?)|\?\s*$")


@dataclass
class Step:
    """One cell of the notebook as it is graded. kind: text, given, answer, extra, other or test.

    submitted: its place in the submission, None when it was missing there. master: its cell there.
    """

    kind: str
    source: str
    cell_type: str
    submitted: int | None = None
    master: Cell | None = None
    metadata: dict = field(default_factory=dict)


@dataclass
class Plan:
    """steps in the order in which they are run. again: grade ids of tests to repeat at the end when they fail."""

    steps: list[Step]
    notes: list[str]
    again: set[str]


@lru_cache(maxsize=2000)
def names_defined(source: str) -> frozenset[str]:
    """The names that a cell's top level binds; a best guess when it does not parse."""
    text = "\n".join("" if MAGIC.search(line) else line for line in source.split("\n"))
    try:
        if len(text) > MAX_COMPARED:
            raise ValueError("too long to parse")
        return frozenset(_bound(ast.parse(text).body))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return frozenset(re.findall(r"^(?:async )?(?:def|class) +(\w+)", text, re.M) + re.findall(r"^(\w+) *=[^=]", text, re.M))


def _bound(body: list[ast.stmt]) -> set[str]:
    """One pass: a chain of a thousand `elif` is a thousand levels deep."""
    names: set[str] = set()
    pending: list[ast.AST] = list(body)
    while pending:
        node = pending.pop()
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            names.add(node.name)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            names |= {(alias.asname or alias.name).split(".")[0] for alias in node.names}
        else:
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                names.add(node.id)
            pending.extend(ast.iter_child_nodes(node))
    return names


def stub(source: str) -> str:
    """What nbgrader leaves of a solution cell in the student's copy."""
    return SOLUTION.sub(r"\1# YOUR CODE HERE\n\1raise NotImplementedError()", source)


class _Master:
    """What matching needs of a master; computed once."""

    def __init__(self, assignment: Assignment):
        cells = [cell for cell in assignment.cells if cell.cell_type == "code"]
        self.cells = cells
        self.by_id = {cell.grade_id: cell for cell in assignment.cells if cell.grade_id}
        given = set().union(*(names_defined(c.source) for c in cells if c.kind == GIVEN))
        self.wanted = {c.index: names_defined(stub(c.source)) - given for c in cells if c.kind == ANSWER}
        self.shown = {c.index: _squeezed(stub(c.source) if c.kind in (ANSWER, OTHER) else c.visible_source) for c in cells}
        self.by_text = {}
        for cell in cells:
            if cell.kind in (TEST, GIVEN):
                self.by_text.setdefault(self.shown[cell.index], cell)
        self.by_name = {}
        for cell in cells:
            for name in self.wanted.get(cell.index, ()):
                self.by_name.setdefault(name, cell)


_masters: dict[str, _Master] = {}


def _master(assignment: Assignment) -> _Master:
    key = assignment.fingerprint
    if key not in _masters:
        if len(_masters) > 50:
            _masters.clear()
        _masters[key] = _Master(assignment)
    return _masters[key]


def match(assignment: Assignment, notebook: dict) -> Plan:
    """Plan the grading of a submission (an nbformat 4 dict whose cells have text sources)."""
    return _Matcher(assignment, notebook).plan()


def _squeezed(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.strip().split("\n"))


class _Likeness:
    """Similarity of texts, within a budget: comparing takes time that grows with the product of the lengths."""

    def __init__(self):
        self.budget = 20_000_000

    def __call__(self, a: str, b: str) -> float:
        if not a or not b or len(a) > MAX_COMPARED or len(b) > MAX_COMPARED:
            return 0.0
        return max(self._ratio(a.split("\n"), b.split("\n")), self._ratio(a, b) if len(a) + len(b) < 4000 else 0.0)

    def _ratio(self, a, b) -> float:
        if 2 * min(len(a), len(b)) < ALIKE * (len(a) + len(b)):
            return 0.0
        matcher = difflib.SequenceMatcher(None, a, b, autojunk=False)
        if matcher.quick_ratio() < ALIKE:
            return 0.0
        self.budget -= len(a) * len(b)
        return matcher.ratio() if self.budget > 0 else 0.0


class _Matcher:
    def __init__(self, assignment: Assignment, notebook: dict):
        self.assignment, self.master = assignment, _master(assignment)
        self.cells = notebook["cells"]
        self.notes: list[str] = []
        self.irregular: set[str] = set()  # exercises whose answer is not simply where it was released
        self.found: dict[int, list[int]] = {}  # master index -> places in the submission
        self.kinds: list[tuple[str, Cell | None]] = []
        self.alike = _Likeness()

    def plan(self) -> Plan:
        for place, cell in enumerate(self.cells):
            self.kinds.append(self._classify(place, cell))
        self._note_differences()
        return Plan(self._order(), self.notes, self._again())

    # --- which is which ---

    def _classify(self, place: int, cell: dict) -> tuple[str, Cell | None]:
        source = cell["source"]
        label = self._label(cell)
        if cell["cell_type"] != "code":
            if label is not None and label.cell_type == "code":
                if label.kind in (TEST, GIVEN):
                    self._take(label, place)
                    self.notes.append(f"{label.grade_id}: was no code cell; the original was used")
                    return label.kind, label
                if label.kind == ANSWER and self.master.wanted[label.index] & names_defined(source):
                    self._take(label, place)
                    self.notes.append(f"{label.grade_id}: was no code cell; it was run as one")
                    return ANSWER, label
            return TEXT, label if label is not None and label.cell_type != "code" else None
        found = names_defined(source)
        if label is not None:
            kind = self._by_label(label, place, source, found)
            if kind is not None:
                return kind
        return self._by_content(place, source, found)

    def _label(self, cell: dict) -> Cell | None:
        about = cell["metadata"].get("nbgrader")
        grade_id = about.get("grade_id") if isinstance(about, dict) else None
        return self.master.by_id.get(grade_id) if isinstance(grade_id, str) else None

    def _by_label(self, label: Cell, place: int, source: str, found: set[str]):
        if label.kind in (TEST, GIVEN):
            if source != label.visible_source and _squeezed(source) not in (self.master.shown[label.index], _squeezed(label.source)):
                if any(name in self.master.by_name for name in found):  # an answer under the label of a test must not be lost
                    return None
                self.notes.append(f"{label.grade_id}: was edited; the original was used")
            elif label.index in self.found:
                self.notes.append(f"{label.grade_id}: is there twice")
            self._take(label, place)
            return label.kind, label
        if label.kind == ANSWER:
            others = {self.master.by_name[n].index for n in found if n in self.master.by_name}
            if others and label.index not in others:
                return None  # it answers another question than its label says
            self._take(label, place)
            return ANSWER, label
        if label.cell_type == "code":
            self._take(label, place)
            return OTHER, label
        return None

    def _by_content(self, place: int, source: str, found: set[str]):
        text = _squeezed(source)
        exact = self.master.by_text.get(text)
        if exact is not None:
            self._take(exact, place)
            return exact.kind, exact
        for name in found:
            cell = self.master.by_name.get(name)
            if cell is not None:
                self._take(cell, place)
                return ANSWER, cell
        best = max(
            ((self.alike(text, self.master.shown[c.index]), -c.index, c) for c in self.master.cells if c.index not in self.found and c.kind != OTHER),
            default=(0.0, 0, None),
        )
        if best[0] >= ALIKE:
            cell = best[2]
            self._take(cell, place)
            if cell.kind != ANSWER:
                self.notes.append(f"{cell.grade_id or 'a given cell'}: was edited; the original was used")
            return cell.kind, cell
        return EXTRA, None

    def _take(self, cell: Cell, place: int) -> None:
        self.found.setdefault(cell.index, []).append(place)

    def _note_differences(self) -> None:
        unlabelled = 0
        for place, (kind, cell) in enumerate(self.kinds):
            if cell is not None and kind != TEXT and cell.grade_id and self._label(self.cells[place]) is not cell:
                unlabelled += 1
                if kind == ANSWER:
                    self.irregular.add(cell.exercise)
        if unlabelled:
            self.notes.append(f"{unlabelled} cells had lost their nbgrader labels, or had wrong ones; they were matched by content")
        for cell in self.master.cells:
            places = self.found.get(cell.index, [])
            if cell.kind == ANSWER and len(places) > 1:
                self.irregular.add(cell.exercise)
                self.notes.append(f"{cell.grade_id}: is there {len(places)} times; all were run, in order")
            if not places and cell.kind == TEST:
                self.notes.append(f"{cell.grade_id}: was missing; the original was used")
            if not places and cell.kind == ANSWER:
                self.notes.append(f"{cell.grade_id}: no answer cell was found")

    def _again(self) -> set[str]:
        return {cell.grade_id for cell in self.assignment.tests if cell.exercise in self.irregular}

    # --- in which order ---

    def _order(self) -> list[Step]:
        """The student's order, with each given cell before what needs it and each test after what it tests."""
        end = len(self.cells)
        at: dict[int, list[Step]] = {}  # steps to put after that place; -1 is the beginning
        first_answer = min((c.index for c in self.master.cells if c.kind == ANSWER), default=0)
        taken: set[int] = set()  # places whose step is put elsewhere
        steps: dict[int, Step] = {}
        previous = -1
        for cell in self.master.cells:
            places = self.found.get(cell.index, [])
            if cell.kind == GIVEN:
                answers = self._places_of_answers(cell.exercise)
                wanted = places[0] if places else previous
                if cell.index < first_answer:
                    after = -1 if not places or self._any_run_before(places[0]) else None
                elif not places or (answers and answers[0] < places[0]):
                    after = min([wanted, *(p - 1 for p in answers)])
                else:
                    after = None
            elif cell.kind == TEST:
                ready = self._ready(cell)
                if places and places[0] >= ready:
                    after = None
                else:
                    after = max(ready, previous if not places else places[0])
            else:
                previous = max([previous, *places[:1]])
                continue
            source = cell.source if cell.kind == TEST else cell.visible_source  # it runs where student code can see it
            step = Step(cell.kind, source, "code", places[0] if places else None, cell)
            taken.update(places)
            if after is None:
                steps[places[0]] = step
                previous = max(previous, places[0])
            else:
                at.setdefault(min(after, end - 1), []).append(step)
                previous = max(previous, after)
        ordered = list(at.get(-1, []))
        used: set[int] = set()
        for place in range(end):
            if place in steps:
                ordered.append(steps[place])
            elif place not in taken:
                ordered.append(self._step(place, used))
            ordered += at.get(place, [])
        return ordered

    def _step(self, place: int, used: set[int]) -> Step:
        kind, cell = self.kinds[place]
        submitted = self.cells[place]
        if cell is not None and cell.index in used:
            cell_of_label = None  # nbgrader wants each label once
        else:
            cell_of_label = cell
            if cell is not None:
                used.add(cell.index)
        cell_type = "code" if kind != TEXT else submitted["cell_type"]
        return Step(kind, submitted["source"], cell_type, place, cell_of_label)

    def _places_of_answers(self, exercise: str) -> list[int]:
        return sorted(p for c in self.master.cells if c.kind == ANSWER and c.exercise == exercise for p in self.found.get(c.index, []))

    def _any_run_before(self, place: int) -> bool:
        return any(kind in (ANSWER, EXTRA, OTHER) for kind, _ in self.kinds[:place])

    def _ready(self, test: Cell) -> int:
        """The first place after which all answers of the test's exercise are defined, as far as they are there."""
        ready = -1
        for cell in self.master.cells:
            if cell.kind != ANSWER or cell.exercise != test.exercise or cell.index > test.index:
                continue
            missing = set(self.master.wanted[cell.index])
            for place in self.found.get(cell.index, []):
                ready = max(ready, place)
                missing -= names_defined(self.cells[place]["source"])
                if not missing:
                    break
        return ready
