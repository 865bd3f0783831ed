"""Make the sample class: submissions as students hand them in, from the released notebooks.

    python tests/sample_class.py FOLDER      writes FOLDER/STUDENT/ASSIGNMENT/NOTEBOOK.ipynb

EXPECTED says which points each student must get per exercise; the tests assert it. Answers come from the
instructor's notebooks and from the bank of right and wrong answers (tests/bank), so no answer is written twice.
"""

import json
import shutil
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from autograder.assignment import ANSWER, load_master, names  # noqa: E402
from autograder.files import notebook_text  # noqa: E402

ALL = "all"


def released(name: str) -> dict:
    return json.loads((ROOT / "release" / name / f"{name}.ipynb").read_text(encoding="utf-8"))
