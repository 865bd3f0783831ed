"""The sample class: submissions as students hand them in, made from the released notebooks.

    python tests/sample_class.py FOLDER      writes FOLDER/STUDENT/ASSIGNMENT/NOTEBOOK.ipynb

Answers come from the instructor's notebooks and from the bank of right and wrong answers, so none is written twice;
the points that each student must get follow from the bank's own word on what an answer loses.
"""

import json
import shutil
import sys
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

import bank  # noqa: E402
from autograder.assignment import Assignment, load_master  # noqa: E402
from autograder.files import notebook_text, write_atomically  # noqa: E402


@dataclass
class Work:
    """What one student did: exercises left alone, and answers taken from the bank; all else as the reference."""

    left_alone: tuple[str, ...] = ()
    answers: dict[str, str] = field(default_factory=dict)  # exercise -> name of an entry in the bank
    file_name: str = ""  # default: ASSIGNMENT.ipynb
    change: str = ""  # what happened to the file on its way
    untouched: bool = False


CLASS: dict[str, dict[str, Work]] = {
    "all-right": {"why_position": Work(), "sinusoidal": Work(), "rope": Work()},
    "untouched": {"sinusoidal": Work(untouched=True), "rope": Work(untouched=True)},
    "half-done": {"sinusoidal": Work(left_alone=("The table",)), "rope": Work(left_alone=("Prove it is relative",))},
    "wrong-by-hand": {
        "sinusoidal": Work(answers={"PE by hand": "degrees_by_hand"}),
        "rope": Work(answers={"Relative by hand": "clockwise"}),
    },
    "wrong-layout": {"rope": Work(answers={"Rotate one vector": "half_split_pairs"})},
    "wrong-softmax": {"why_position": Work(answers={"Stable softmax": "overflows"})},
    "other-style": {
        "rope": Work(answers={"Rotate one vector": "rotate_every_two_with_warnings"}),
        "sinusoidal": Work(answers={"The table": "loops"}),
    },
    "renamed-file": {"rope": Work(file_name="rope (1).ipynb")},
    "other-editor": {"rope": Work(change="no metadata")},
    "damaged-file": {"rope": Work(change="half a file")},
}


def notebook(name: str, work: Work) -> dict:
    """The student's notebook: the released one with this work filled in."""
    released = json.loads((ROOT / "release" / name / f"{name}.ipynb").read_text(encoding="utf-8"))
    answers = {} if work.untouched else _answers(load_master(name), work)
    for cell in released["cells"]:
        cell["source"] = "".join(cell["source"])
        grade_id = cell["metadata"].get("nbgrader", {}).get("grade_id")
        if grade_id in answers:
            cell["source"] = answers[grade_id]
        if work.change == "no metadata":
            cell["metadata"] = {}
            cell.pop("id", None)
    return released


def _answers(master: Assignment, work: Work) -> dict[str, str]:
    """grade_id of an answer cell -> what the student typed; cells left alone are not in it."""
    typed = {}
    for exercise in master.exercises:
        if exercise.name in work.left_alone:
            continue
        for number, cell in enumerate(exercise.answers):
            typed[cell.grade_id] = cell.source
            if entry := work.answers.get(exercise.name):
                typed[cell.grade_id] = "" if number else _entry(master.name, exercise.name, entry).source
    return typed


def _entry(assignment: str, exercise: str, name: str):
    found = [e for e in bank.entries(assignment) if e.exercise == exercise.lower() and e.name == name]
    if not found:
        raise LookupError(f"tests/bank/{assignment}.py has no entry {name!r} for {exercise!r}")
    return found[0]


def expected(name: str, work: Work) -> dict[str, float] | None:
    """Exercise -> points that this work must get; None when the file can't be graded."""
    if work.change == "half a file":
        return None
    points = {}
    for exercise in load_master(name).exercises:
        lost = set()
        if work.untouched or exercise.name in work.left_alone:
            lost = {cell.grade_id for cell in exercise.tests}
        elif entry := work.answers.get(exercise.name):
            lost = set(_entry(name, exercise.name, entry).loses)
        points[exercise.name] = sum(cell.points for cell in exercise.tests if cell.grade_id not in lost)
    return points


def write(folder: Path) -> None:
    """Write the whole class below `folder`, which is made anew."""
    shutil.rmtree(folder, ignore_errors=True)
    for student, assignments in CLASS.items():
        for name, work in assignments.items():
            text = notebook_text(notebook(name, work))
            if work.change == "half a file":
                text = text[: len(text) // 2]
            write_atomically(folder / student / name / (work.file_name or f"{name}.ipynb"), text)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    write(Path(sys.argv[1]))
