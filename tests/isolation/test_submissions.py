"""Every submission of the table gets its exact score, and leaves nothing behind."""

import json
import os
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pytest

from autograder.isolation import runner
from autograder.isolation.engine import Engine
from autograder.isolation.limits import Limits

from . import synthetic, table

ROWS = table.load()
SECONDS = 5.0


def grade(row, engine) -> dict:
    """One row's result, as plain data."""
    limits = Limits(**{"seconds": SECONDS, "total": 30.0, **row.limits})
    result = runner.run(synthetic.master(), row.build(), limits, engine)
    return {
        "points": {name: got for name, (got, _) in result.by_exercise().items()},
        "notes": result.notes,
        "status": result.status,
        "text": synthetic.text_of(result),
        "size": len(json.dumps(result.notebook)),
    }


def check(row, got) -> None:
    assert got["points"] == row.points, got["notes"]
    assert got["status"] == "graded"
    for text in row.notes:
        assert any(text in note for note in got["notes"]), got["notes"]
    for text in row.prints:
        assert text in got["text"]
    for text in (*row.never, synthetic.MARKER):
        assert text not in got["text"]
    assert got["size"] < 2_000_000
    assert "\\ud8" not in got["text"]


@pytest.fixture(scope="module")
def engine():
    with Engine() as engine:
        yield engine


@pytest.fixture(scope="module", autouse=True)
def nothing_left_behind(tmp_path_factory):
    """A class folder beside the grader stays as it is, and no process of ours remains."""
    folder = tmp_path_factory.mktemp("class")
    for name in ("gradebook.db", "submitted/bob/rope.ipynb", "source/rope.ipynb"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(synthetic.MARKER)
        (folder / name).chmod(0o666)
    before = _tree(folder)
    yield
    assert _tree(folder) == before
    assert not _processes()


def _tree(folder: Path) -> dict:
    return {str(p): (p.stat().st_mtime_ns, p.stat().st_mode, p.read_bytes() if p.is_file() else b"") for p in sorted(folder.rglob("*"))}


def _processes() -> list[str]:
    """Zygotes and children that this test process started: their command line names it."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            line = path.read_bytes().decode(errors="replace")
        except OSError:
            continue
        if "isolation/zygote.py" in line and f'"parent": {os.getpid()}}}' in line:
            found.append(line)
    return found


@pytest.mark.parametrize("name", ROWS)
def test_submission(name, engine):
    check(ROWS[name], grade(ROWS[name], engine))


def test_there_are_enough():
    assert len(ROWS) >= 120


@pytest.mark.skipif(os.getuid() != 0, reason="the tests above ran as an ordinary user already")
def test_as_an_ordinary_user():
    """The same table once more in a process of the user `nobody`."""
    command = [sys.executable, "-m", "tests.isolation.as_user", "-m", "tests.isolation.test_submissions"]
    root = Path(__file__).resolve().parents[2]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr[-3000:]
    results = json.loads(done.stdout)
    assert set(results) == set(ROWS)
    for name, got in results.items():
        check(ROWS[name], got)


def test_where_no_namespace_can_be_made():
    """Landlock, seccomp and limits alone, as in most containers, hold as well; as an ordinary user."""
    as_user = ["-m", "tests.isolation.as_user"] if os.getuid() == 0 else []
    command = [sys.executable, *as_user, "-m", "tests.isolation.lower_tier"]
    root = Path(__file__).resolve().parents[2]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-3000:]
    answer = json.loads(done.stdout)
    assert answer["walls"]["mount namespace"] is not True and "own root folder" not in answer["walls"]
    for name, got in answer["rows"].items():
        check(ROWS[name], got)


def _share(names) -> dict:
    with Engine() as engine:
        return {name: grade(ROWS[name], engine) for name in names}


def main() -> None:
    """All rows, for another user: prints name -> result. Rows that wait for a time limit do so side by side."""
    assert os.getuid() != 0
    waiting = [name for name, row in ROWS.items() if row.waits]
    shares = [waiting[::2], waiting[1::2], [name for name in ROWS if name not in waiting]]
    with ProcessPoolExecutor(len(shares)) as pool:
        print(json.dumps({name: result for share in pool.map(_share, shares) for name, result in share.items()}))


if __name__ == "__main__":
    main()
