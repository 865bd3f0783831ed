"""Assignments in the browser: right answers pass every visible test, untouched ones none, and what is downloaded
is graded like a notebook filled in by hand."""

import csv
import json
import re
import subprocess
import sys

import pytest

from autograder.assignment import ANSWER, load_master
from website.conftest import ASSIGNMENTS, ROOT, Tab, in_parallel

pytestmark = [pytest.mark.site, pytest.mark.browser]

CHECK = "() => { window.finished = false; livePage.check().then(() => { window.finished = true; }); }"
STATES = """() => ({
    states: livePage.exercises.map((exercise) => [exercise.name, exercise.state, exercise.scored, exercise.points]),
    messages: [...document.querySelectorAll('.live-fail p')].map((p) => p.textContent),
    score: document.querySelector('.live-score').textContent,
})"""


def reference(name):
    """The instructor's answers: grade_id -> source without the markers."""
    cells = (cell for cell in load_master(name).cells if cell.kind == ANSWER)
    return {cell.grade_id: re.sub(r"^ *### (BEGIN|END) SOLUTION\n?", "", cell.source, flags=re.MULTILINE) for cell in cells}


def visit(chromium, server, name):
    tab = Tab(chromium, server.url)
    page = tab.page

    def check():
        page.evaluate(CHECK)
        while not page.evaluate("() => window.finished"):
            yield
        return page.evaluate(STATES)

    try:
        tab.goto(f"release/{name}/{name}.html")
        tab.press_start()
        while not page.evaluate("() => /is ready/.test(document.querySelector('.live-status').textContent) || !!document.querySelector('.live-trouble')"):
            yield
        tab.ready(1)
        page.evaluate("() => livePage.resetAll()")
        untouched = yield from check()
        answers = reference(name)
        every_second = dict(list(answers.items())[::2])
        page.evaluate("answers => livePage.put(answers)", every_second)
        half = page.evaluate("async () => (await import('/_static/live/notebook.mjs')).fill(livePage.data.document, livePage.answers())")
        page.evaluate("answers => livePage.put(answers)", answers)
        right = yield from check()
        return {"untouched": untouched, "right": right, "half": half, "answers": every_second, "complaints": tab.complaints}
    finally:
        tab.close()


@pytest.fixture(scope="session")
def visits(pyodide, chromium, server):
    return in_parallel({name: visit(chromium, server, name) for name in ASSIGNMENTS})


@pytest.fixture
def visited(visits, request):
    result = visits[request.node.callspec.params["name"]]
    if isinstance(result, Exception):
        raise result
    return result


@pytest.mark.parametrize("name", ASSIGNMENTS)
def test_right_answers_pass_every_visible_test(visited, name):
    assert visited["right"]["messages"] == []
    assert all(state == "passed" and scored == points for _, state, scored, points in visited["right"]["states"])
    assert [exercise for exercise, *_ in visited["right"]["states"]] == [exercise.name for exercise in load_master(name).exercises]
    assert visited["complaints"] == []


@pytest.mark.parametrize("name", ASSIGNMENTS)
def test_untouched_passes_no_test(visited, name):
    assert all(state == "failed" and scored == 0 for _, state, scored, _ in visited["untouched"]["states"])
    assert "Hidden tests" in visited["untouched"]["score"]
    assert all(message.strip() for message in visited["untouched"]["messages"])


@pytest.mark.parametrize("name", ASSIGNMENTS)
def test_download_is_the_released_notebook_but_for_the_answers(visited, name):
    released = json.loads((ROOT / "release" / name / f"{name}.ipynb").read_text())
    assert filled_by_hand(released, visited["answers"]) == filled_by_hand(visited["half"], {})


def filled_by_hand(notebook, answers):
    """A notebook with these answers typed in, sources as text."""
    copy = json.loads(json.dumps(notebook))
    for cell in copy["cells"]:
        cell["source"] = "".join(cell["source"])
        grade_id = cell["metadata"].get("nbgrader", {}).get("grade_id")
        if grade_id in answers:
            cell["source"] = answers[grade_id]
    return copy


def test_download_is_graded_like_a_notebook_filled_in_by_hand(visits, tmp_path):
    for name, visit_ in visits.items():
        released = json.loads((ROOT / "release" / name / f"{name}.ipynb").read_text())
        for student, notebook in (("from-the-page", visit_["half"]), ("by-hand", filled_by_hand(released, visit_["answers"]))):
            folder = tmp_path / "handed_in" / student / name
            folder.mkdir(parents=True)
            (folder / f"{name}.ipynb").write_text(json.dumps(notebook))
    subprocess.run([sys.executable, "-m", "autograder", "grade", str(tmp_path / "handed_in"), "--class", str(tmp_path / "class"), "--quiet", "--trust-students"],
                   cwd=ROOT, check=True, timeout=240)
    with open(tmp_path / "class/grades.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    scores = {}
    for row in rows:
        assert row["status"] == "graded", row
        scores.setdefault((row["student"], row["assignment"]), {})[row["exercise"]] = float(row["points"])
    assert len(scores) == 2 * len(ASSIGNMENTS)
    for name in ASSIGNMENTS:
        assert scores["from-the-page", name] == scores["by-hand", name]
        assert 0 < sum(scores["from-the-page", name].values()) < load_master(name).points


def test_pages_hold_no_solution_and_no_hidden_test(site):
    """Nothing that the site serves has a line that only the instructor's notebook has."""
    served = {path: path.read_text(errors="replace") for path in site.rglob("*") if path.suffix in {".html", ".js", ".json", ".ipynb", ".md", ".txt"} and "mathjax" not in str(path)}
    chapters = "\n".join(path.read_text() for path in (ROOT / "chapters").glob("*.md"))
    for name in ASSIGNMENTS:
        master = load_master(name)
        released = (ROOT / "release" / name / f"{name}.ipynb").read_text()
        visible = "\n".join("".join(cell["source"]) for cell in json.loads(released)["cells"])
        for cell in master.cells:
            for secret in re.findall(r"### BEGIN (?:SOLUTION|HIDDEN TESTS)\n(.*?)### END", cell.source, re.DOTALL):
                for line in filter(lambda line: len(line.strip()) > 30, secret.splitlines()):
                    if line.strip() in visible or line.strip() in chapters:
                        continue    # also said in the open, so no secret
                    for path, text in served.items():
                        for form in (line.strip(), json.dumps(line.strip())[1:-1]):
                            assert form not in text, f"{path.relative_to(site)} shows a line of {cell.grade_id}: {line.strip()}"
    for path, text in served.items():
        assert "BEGIN HIDDEN TESTS" not in text and "### BEGIN SOLUTION" not in text or "teaching" in path.name or path.name == "searchindex.js", path
