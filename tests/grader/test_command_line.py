"""Bad input gets one line that says what and where, exit status 2, and leaves nothing half-written."""

import json
import os
import subprocess
import sys
import zipfile

import nbformat
import pytest
import sample_class

from autograder import intake
from autograder.__main__ import main
from autograder.errors import BadInput
from autograder.files import notebook_text, write_atomically
from autograder.reading import parse_notebook


@pytest.fixture
def bad(tmp_path, release):
    """A folder with one example of each kind of bad input."""
    (tmp_path / "empty").mkdir()
    (tmp_path / "text.ipynb").write_text("this is not JSON")
    (tmp_path / "list.ipynb").write_text("[1, 2]")
    (tmp_path / "nothing.ipynb").write_text("")
    (tmp_path / "folder.ipynb").mkdir()
    (tmp_path / "deep.ipynb").write_text("[" * 100_000)
    other = {"cells": [{"cell_type": "markdown", "metadata": {}, "source": "# Another course"}], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    (tmp_path / "other.ipynb").write_text(json.dumps(other))
    unknown = tmp_path / "unknown" / "ann" / "homework9"
    unknown.mkdir(parents=True)
    (unknown / "homework9.ipynb").write_text(json.dumps(other))
    damaged = tmp_path / "damaged" / "ann" / "sinusoidal"
    damaged.mkdir(parents=True)
    (damaged / "sinusoidal.ipynb").write_text('{"cells": [')
    (tmp_path / "half.zip").write_bytes(b"PK\x03\x04 and then nothing")
    with zipfile.ZipFile(tmp_path / "bomb.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("ann/sinusoidal/sinusoidal.ipynb", b"0" * 60_000_000)
    return tmp_path


CASES = [
    (["check", "missing.ipynb"], "missing.ipynb: no such file"),
    (["check", "text.ipynb"], "text.ipynb: is damaged JSON"),
    (["check", "list.ipynb"], "list.ipynb: is JSON but not a notebook"),
    (["check", "nothing.ipynb"], "nothing.ipynb: is empty"),
    (["check", "folder.ipynb"], "folder.ipynb: is a folder"),
    (["check", "deep.ipynb"], "deep.ipynb: is nested too deeply"),
    (["check", "other.ipynb"], "other.ipynb: no such assignment"),
    (["check", "other.ipynb", "--seconds", "-1"], "--seconds -1"),
    (["grade", "missing"], "missing: no such folder"),
    (["grade", "empty"], "empty: holds no submission"),
    (["grade", "text.ipynb"], "text.ipynb: is not a folder of submissions"),
    (["grade", "unknown"], "'homework9' is no assignment"),
    (["grade", "half.zip"], "half.zip: is not a folder of submissions"),
    (["grade", "bomb.zip"], "zip bomb"),
    (["grade", "damaged"], "ann/sinusoidal/sinusoidal.ipynb: is damaged JSON"),
    (["grade", "damaged", "--jobs", "0"], "--jobs 0"),
    (["release", "no_such_chapter"], "no_such_chapter: no such assignment"),
    (["table", "empty"], "empty: nothing was graded there"),
]


@pytest.mark.parametrize("arguments, message", CASES, ids=[" ".join(arguments) for arguments, _ in CASES])
def test_bad_input_is_one_line_and_status_2(bad, monkeypatch, capsys, arguments, message):
    monkeypatch.chdir(bad)
    assert main(arguments) == 2
    lines = [line for line in capsys.readouterr().err.splitlines() if line.startswith("autograder: ")]
    assert len(lines) == 1 and message in lines[0]
    if arguments[0] != "grade" or arguments[1:] != ["damaged"]:  # that one is recorded: a person must look at it
        assert not (bad / "class").exists()


def test_every_command_has_a_line_of_help():
    text = subprocess.run([sys.executable, "-m", "autograder", "--help"], capture_output=True, text=True, check=True).stdout
    for command in ("release", "check", "grade", "table", "doctor"):
        assert any(line.split()[:1] == [command] and len(line.split()) > 3 for line in text.splitlines()), command


def test_check_passes_a_right_notebook_and_fails_an_untouched_one(tmp_path, release, capsys):
    right, untouched = tmp_path / "right.ipynb", tmp_path / "untouched.ipynb"
    write_atomically(right, notebook_text(sample_class.notebook("sinusoidal", sample_class.Work())))
    write_atomically(untouched, notebook_text(sample_class.notebook("sinusoidal", sample_class.Work(untouched=True))))
    assert main(["check", str(right)]) == 0
    assert "FAILED" not in capsys.readouterr().out
    assert main(["check", str(untouched)]) == 1
    lines = capsys.readouterr().out.splitlines()
    exercises = sample_class.load_master("sinusoidal").exercises
    assert [line.split("  ")[1] for line in lines if line.startswith("FAILED")] == [e.name for e in exercises]


def test_one_bad_submission_does_not_stop_the_others(tmp_path, release):
    sample_class.write_atomically(tmp_path / "in/ann/sinusoidal/sinusoidal.ipynb", '{"cells":')
    right = notebook_text(sample_class.notebook("sinusoidal", sample_class.Work()))
    sample_class.write_atomically(tmp_path / "in/bob/sinusoidal/sinusoidal.ipynb", right)
    (tmp_path / "in/cid/sinusoidal").mkdir(parents=True)
    os.symlink(tmp_path / "in/bob/sinusoidal/sinusoidal.ipynb", tmp_path / "in/cid/sinusoidal/sinusoidal.ipynb")
    (tmp_path / "in/dan/sinusoidal").mkdir(parents=True)
    os.mkfifo(tmp_path / "in/dan/sinusoidal/sinusoidal.ipynb")
    assert main(["grade", str(tmp_path / "in"), "--class", str(tmp_path / "class"), "--quiet"]) == 2
    text = (tmp_path / "class/grades.csv").read_text()
    assert [line.split(",")[0] for line in text.splitlines() if "needs a person" in line] == ["ann", "cid", "dan"]
    full = sum(float(line.split(",")[3]) for line in text.splitlines() if line.startswith("bob,"))
    assert full == sample_class.load_master("sinusoidal").points


def test_a_machine_without_walls_grades_only_who_is_trusted(tmp_path, release, monkeypatch, capsys):
    monkeypatch.setattr("autograder.isolation.engine.missing_isolation", lambda walls: "this machine can't keep student code away from files")
    right = notebook_text(sample_class.notebook("sinusoidal", sample_class.Work()))
    sample_class.write_atomically(tmp_path / "in/ann/sinusoidal/sinusoidal.ipynb", right)
    arguments = ["grade", str(tmp_path / "in"), "--class", str(tmp_path / "class"), "--quiet"]
    assert main(arguments) == 2
    assert capsys.readouterr().err.startswith("autograder: this machine can't keep student code away from files (or --trust-students")
    assert not (tmp_path / "class/grades.csv").exists() and not (tmp_path / "class/autograded").exists()
    assert main([*arguments, "--trust-students"]) == 0
    captured = capsys.readouterr()
    assert captured.err.startswith("student code is not isolated, students are trusted: this machine") and "1 graded, 0 unchanged" in captured.out


def test_names_cannot_become_formulas_or_markup(tmp_path, release):
    name = "=cmd|' /C calc'!A0 <img src=x onerror=alert(1)>"
    right = notebook_text(sample_class.notebook("sinusoidal", sample_class.Work(untouched=True)))
    sample_class.write_atomically(tmp_path / "in" / name.replace("/", "") / "sinusoidal" / "sinusoidal.ipynb", right)
    assert main(["grade", str(tmp_path / "in"), "--class", str(tmp_path / "class"), "--quiet"]) == 0
    assert "\n'=cmd" in (tmp_path / "class/grades.csv").read_text()
    assert "<img" not in (tmp_path / "class/report.html").read_text()


def test_names_that_grow_when_they_are_made_readable(tmp_path, release):
    """Each control character becomes four letters, so that the readable name may no longer name a folder."""
    text = notebook_text(sample_class.notebook("sinusoidal", sample_class.Work(untouched=True)))
    for name in ("\x01" * 100, "\x01" * 99 + "\x02", "ann"):
        sample_class.write_atomically(tmp_path / "in" / name / "sinusoidal" / "sinusoidal.ipynb", text)
    assert main(["grade", str(tmp_path / "in"), "--class", str(tmp_path / "class"), "--quiet"]) == 0
    assert len(list((tmp_path / "class/feedback").iterdir())) == 3


def test_a_damaged_member_of_an_archive_is_told_and_stops_nobody(tmp_path, release, capsys):
    text = notebook_text(sample_class.notebook("sinusoidal", sample_class.Work(untouched=True))).encode()
    for method in (zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA):
        with zipfile.ZipFile(tmp_path / "one.zip", "w", method) as archive:
            archive.writestr("eve/sinusoidal/sinusoidal.ipynb", text)
        damaged = bytearray((tmp_path / "one.zip").read_bytes())
        damaged[70:400] = bytes(330)
        with zipfile.ZipFile(tmp_path / "all.zip", "w") as archive:
            archive.writestr("ann/sinusoidal/sinusoidal.ipynb", text)
            archive.writestr("eve/work.zip", damaged)
        assert main(["grade", str(tmp_path / "all.zip"), "--class", str(tmp_path / "class"), "--quiet"]) == 2
        assert "work.zip" in capsys.readouterr().err
        assert "ann,sinusoidal" in (tmp_path / "class/grades.csv").read_text()


def test_an_archive_of_names_that_are_no_text(tmp_path):
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("é.ipynb", b"{}")
    (tmp_path / "a.zip").write_bytes((tmp_path / "a.zip").read_bytes().replace("é".encode(), b"\xff\xff"))
    with pytest.raises(BadInput, match="damaged archive"):
        intake.unpack(tmp_path / "a.zip", tmp_path / "out")


def test_an_archive_in_an_archive_has_less_room(tmp_path):
    with zipfile.ZipFile(tmp_path / "inner.zip", "w") as archive:
        for number in range(intake.MAX_INNER_MEMBERS + 1):
            archive.writestr(f"{number}.ipynb", b"{}")
    with zipfile.ZipFile(tmp_path / "all.zip", "w") as archive:
        archive.write(tmp_path / "inner.zip", "ann/inner.zip")
    assert "the limit is 2000" in intake.unpack(tmp_path / "all.zip", tmp_path / "out")[0]


def test_a_notebook_of_version_3():
    cells = [
        {"cell_type": "heading", "level": 2, "source": ["Title"]}, {"cell_type": "markdown", "source": ["a\n", "b"]}, 7,
        {"cell_type": "code", "input": ["x = 1\n", "y = 2"], "prompt_number": 3, "outputs": [{}]}, {"cell_type": ["code"], "input": "z"},
    ]  # fmt: skip
    data = json.dumps({"nbformat": 3, "metadata": {"much": [{}] * 1000}, "worksheets": [{"cells": cells}, None, {"cells": 3}]}).encode()
    notebook = parse_notebook(data, "old.ipynb")
    assert [(c["cell_type"], c["source"]) for c in notebook["cells"]] == [("markdown", "## Title"), ("markdown", "a\nb"), ("code", "x = 1\ny = 2")]
    nbformat.validate(nbformat.from_dict(notebook))
    with pytest.raises(BadInput, match="has no cells"):
        parse_notebook(b'{"nbformat": 3, "worksheets": {}}', "old.ipynb")


def test_a_notebook_carries_nothing_that_grading_does_not_need():
    about = {"grade_id": "a", "grade": True, "points": 2, "checksum": [{}] * 9, "more": [{}] * 9, "cell_type": "x" * 1000}
    cells = [{"cell_type": "code", "id": '"><script>', "metadata": {"nbgrader": about, "tags": [{}]}, "source": "x"}, {"cell_type": "code", "id": "cell-0", "metadata": 3}]
    notebook = parse_notebook(json.dumps({"nbformat": 4, "metadata": {"a": [{}]}, "cells": cells}).encode(), "a.ipynb")
    assert notebook["cells"][0]["metadata"] == {"nbgrader": {"grade_id": "a", "grade": True, "points": 2}}
    assert len(json.dumps(notebook)) < 1000
    nbformat.validate(nbformat.from_dict(notebook))


def test_check_shows_no_control_characters(tmp_path, release, capsys):
    work = sample_class.notebook("sinusoidal", sample_class.Work(untouched=True))
    for cell in work["cells"]:
        if "def " in cell["source"] and cell["metadata"].get("nbgrader", {}).get("solution"):
            cell["source"] = cell["source"].replace("raise NotImplementedError()", "raise ValueError('\\x1b[2J')")
    write_atomically(tmp_path / "sinusoidal.ipynb", notebook_text(work))
    assert main(["check", str(tmp_path / "sinusoidal.ipynb")]) == 1
    out = capsys.readouterr().out
    assert "\x1b" not in out and "\N{REPLACEMENT CHARACTER}[2J" in out


def test_students_with_different_names_stay_apart():
    names = ["ann", " ann", "ann ", "ann  b", "ann b", "a\x01", "a\\x01", "a\\x5cx01", "\u202eann", "x" * 300, "x" * 301, "\udcff" * 80, "\udcff" * 81]
    assert len({intake.student_name(name) for name in names}) == len(names)
    assert all(len(intake.student_name(name).encode()) <= 255 for name in names)
    assert intake.student_name("Ann-Zoé O'Neil") == "Ann-Zoé O'Neil"
