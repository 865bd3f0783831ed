"""The isolated engine: `run` grades one submission. Tests stay here; student code runs in a child."""

import base64
import re
import signal
import time

from .. import results
from ..assignment import ANSWER, GIVEN, TEST, Assignment, Cell
from ..matching import TEXT, Plan, Step, match
from ..results import CellResult, SubmissionResult
from .engine import Engine, NotIsolated, start
from .guard import grading
from .limits import DEFAULT, Limits
from .protocol import KEEP, TELL
from .proxies import Stopped, Student
from .tests import Outcome, stopped_outcome, tests_of

__all__ = ["DEFAULT", "Engine", "Limits", "NotIsolated", "run", "start"]

MAX_NOTES = 40
MAX_FLAGS = 100  # of what the child noticed


def run(assignment: Assignment, notebook: dict, limits: Limits | None = None, engine: Engine | None = None) -> SubmissionResult:
    """Grade a notebook (nbformat 4 with text sources, as `reading` gives it).

    Raises NotIsolated when this machine can't keep student code in and limits.trust_students is not set, and
    EngineError when no child can be started. A submission itself never raises. Not for several threads at once.
    """
    if engine is None:
        engine = start(any("matplotlib" in c["source"] or "pylab" in c["source"] for c in notebook["cells"]))
    return _Run(assignment, notebook, limits or DEFAULT, engine).result()


class _Run:
    def __init__(self, assignment: Assignment, notebook: dict, limits: Limits, engine: Engine):
        self.assignment, self.notebook, self.limits, self.engine = assignment, notebook, limits, engine
        self.tests = tests_of(assignment)
        self.plan: Plan = match(assignment, notebook)
        self.student: Student | None = None
        self.done: list[tuple[tuple[str, str], float]] = []  # what to execute again after a restart
        self.stopped: dict[str, str] = {}  # exercise -> why a cell of it was stopped, or the error that ended it
        self.end = time.monotonic() + limits.total
        self.outcomes: dict[str, Outcome] = {}
        self.outputs: dict[int, list[dict]] = {}
        self.notes = list(self.plan.notes)
        self.flags: set[tuple[str, str]] = set()
        self.authors: list[str] = []
        self.room = limits.output

    def result(self) -> SubmissionResult:
        try:
            with grading():
                self._run()
        finally:
            self.engine.end_child()
        cells = []
        for cell in self.assignment.tests:
            outcome = self.outcomes.get(cell.grade_id, Outcome(0.0, results.NOT_RUN, "there was no time left to run this test"))
            cells.append(CellResult(cell.grade_id, cell.exercise, outcome.points, cell.points, outcome.status, outcome.message))
        notes = [*_remarks(self.flags), *self.notes]
        if len(notes) > MAX_NOTES:
            notes[MAX_NOTES:] = [f"and {len(notes) - MAX_NOTES} more remarks"]
        result = SubmissionResult("", self.assignment.name, cells, notes=notes)
        if self.authors:
            result.status, result.reason = results.NEEDS_PERSON, "; ".join(self.authors)
        result.notebook = self._executed()
        return result

    def _run(self) -> None:
        self.student = self.engine.fork(self.limits, self.tests.common)
        ran, waiting = 0, []  # given cells wait for the cell after them: one message runs them all
        for number, step in enumerate(self.plan.steps):
            if step.kind == TEST:
                self._cells(waiting)
                waiting = []
                self._test(step)
            elif step.kind != TEXT and step.source.strip():
                ran += 1
                if ran > self.limits.cells:
                    if ran == self.limits.cells + 1:
                        self.notes.append(f"only the first {self.limits.cells} code cells were run")
                    continue
                waiting.append((number, step))
                if step.kind != GIVEN:
                    self._cells(waiting)
                    waiting = []
        self._cells(waiting)
        for step in self.plan.steps:
            if step.kind == TEST and step.master.grade_id in self.plan.again:
                before = self.outcomes.get(step.master.grade_id)
                if before is not None and before.status == results.FAILED:
                    self._test(step)
                    if self.outcomes[step.master.grade_id].points < before.points:
                        self.outcomes[step.master.grade_id] = before

    # --- the student's cells ---

    def _seconds(self, cell: Cell | None) -> float:
        """The time limit of a cell: `timeout` in the master's metadata, or the general one."""
        metadata = self.assignment.notebook["cells"][cell.index]["metadata"] if cell is not None else {}
        seconds = metadata.get("timeout")
        return float(seconds) if isinstance(seconds, (int, float)) and seconds > 0 else self.limits.seconds

    def _limit(self, seconds: float) -> None:
        self.student.limit(min(time.monotonic() + seconds, self.end))

    def _cells(self, numbered: list[tuple[int, Step]]) -> None:
        """Run these cells, of which all but the last are given ones: what stops them is the last one's doing."""
        if not numbered:
            return
        steps = [step for _, step in numbered]
        cells = tuple((step.source, TELL if step.kind != GIVEN else KEEP if step.source in self.tests.pure else "") for step in steps)
        last, seconds = steps[-1], self._seconds(steps[-1].master)
        if time.monotonic() >= self.end:
            outputs = [[_error("TimeoutError", "not run: the time for this notebook was used up")]] * len(steps)
        else:
            try:
                outputs = self._execute(cells, seconds)
            except Stopped as stopped:
                name = (last.master.grade_id if last.master else "") or f"code cell {(last.submitted or 0) + 1}"
                self._note_stop(name, stopped, seconds)
                if last.master is not None:
                    self.stopped[last.master.exercise] = _stop_text(stopped, seconds)[1]
                self.done += [(cell, seconds) for cell in cells[:-1]]
                self._restart()
                outputs = [*([] for _ in steps[:-1]), [_error(*_stop_text(stopped, seconds))]]
            else:
                self.done += [(cell, seconds) for cell in cells]
                if last.kind == ANSWER and last.master is not None and (error := _first_error(outputs[-1])):
                    self.stopped[last.master.exercise] = error
        for (number, _), shown in zip(numbered, outputs):
            self.outputs[number] = self._kept(shown)

    def _kept(self, outputs: list[dict]) -> list[dict]:
        """The outputs for which there is room: what all cells together print must fit into the grader's memory."""
        kept = []
        for output in outputs if self.room >= 0 else []:
            self.room -= len(str(output))
            if self.room < 0:
                self.notes.append("printed and drew too much: the rest of its outputs was left out")
                break
            kept.append(output)
        return kept

    def _execute(self, cells: tuple[tuple[str, str], ...], seconds: float) -> list[list[dict]]:
        """The outputs of each of the cells, (source, role): what becomes of the functions that it defines, see `protocol`."""
        self._limit(seconds)
        try:
            replies = self.student.request("run_all", cells)
        except Exception as error:  # an error is no answer to `run_all`: student code made it up
            raise Stopped("violation", f"a cell that gave no outputs ({type(error).__name__})") from None
        if type(replies) is not tuple or len(replies) != len(cells) or not all(_is_reply(reply) for reply in replies):
            raise Stopped("violation", "not the outputs of a cell")
        for (source, role), (_, fine, flags) in zip(cells, replies):
            if role == KEEP and fine is True:
                self.student.pure |= self.tests.pure[source]
            seen = {f for f in flags[:20] if type(f) is tuple and len(f) == 2 and all(type(part) is str and len(part) <= 200 for part in f)}
            self.flags |= seen if len(self.flags) < MAX_FLAGS else set()
        return [clean_outputs(outputs, self.limits) for outputs, _, _ in replies]

    def _restart(self) -> None:
        """A new child that has run the same cells; one that now fails to come back is left out from then on."""
        sources = list(self.done)
        while True:
            self.student = self.engine.fork(self.limits, self.tests.common)
            survived = []
            for cell, seconds in sources:
                if time.monotonic() >= self.end:
                    return
                try:
                    self._execute((cell,), seconds)
                except Stopped:
                    break
                survived.append((cell, seconds))
            else:
                self.done = sources
                return
            sources = survived + sources[len(survived) + 1 :]

    # --- the tests ---

    def _test(self, step: Step) -> None:
        cell = step.master
        if time.monotonic() >= self.end:
            return
        if self.student.stopped:
            self._restart()
        seconds = self._seconds(cell)
        self._limit(seconds)
        try:
            outcome = self.tests.run(cell, self.student)
        except Stopped as stopped:
            outcome = stopped_outcome(stopped, seconds)
            self._note_stop(cell.grade_id, stopped, seconds)
            self._restart()
        if outcome.status == results.FAILED and cell.exercise in self.stopped:
            outcome.message += f" ({self.stopped[cell.exercise]})"
        if outcome.author and outcome.author not in self.authors:
            self.authors.append(outcome.author)
        self.outcomes[cell.grade_id] = outcome

    def _note_stop(self, name: str, stopped: Stopped, seconds: float) -> None:
        ended = self.engine.end_child(wait=stopped.kind == "gone")
        if stopped.kind == "late":
            self.notes.append(f"{name}: stopped after {seconds:g} seconds; the cells after it were still run")
        elif stopped.kind == "gone":
            self.notes.append(f"{name}: ended the process in which it ran{_ending(ended)}; the cells after it were still run")
        else:
            self.notes.append(f"{name}: suspicious: {stopped.detail or 'broke the protocol of the grader'}")

    # --- the executed notebook ---

    def _executed(self) -> dict:
        """The notebook as nbgrader keeps it: the student's answers, the master's tests and labels, what came out."""
        cells, ids = [], set()
        for number, step in enumerate(self.plan.steps):
            original = self.notebook["cells"][step.submitted] if step.submitted is not None else {}
            identity = original.get("id") or f"step-{number}"
            if identity in ids:
                identity = f"step-{number}"
            ids.add(identity)
            metadata = {}
            if step.master is not None:
                about = self.assignment.notebook["cells"][step.master.index]["metadata"].get("nbgrader")
                metadata = {"nbgrader": {**about}} if about else {}
            code = step.cell_type == "code"
            source = step.source if code else self._prose(step)
            cell = {"cell_type": "code" if code else "markdown", "id": identity, "metadata": metadata, "source": source}
            if code:
                outputs = self.outputs.get(number, [])
                if step.kind == TEST:
                    outputs = _test_outputs(self.outcomes.get(step.master.grade_id))
                cell |= {"execution_count": None, "outputs": outputs}
            cells.append(cell)
        language = {"name": "python"}
        kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
        return {"cells": cells, "metadata": {"kernelspec": kernel, "language_info": language}, "nbformat": 4, "nbformat_minor": 5}

    def _prose(self, step: Step) -> str:
        """The master's own text, or the student's as plain text: nbgrader's pages run what Markdown may hold."""
        if step.master is not None:
            about = self.assignment.notebook["cells"][step.master.index]["metadata"].get("nbgrader", {})
            if about.get("locked"):
                return step.master.source
        fence = "~" * (1 + max(map(len, re.findall("~+", step.source)), default=2))
        return f"{fence}\n{step.source}\n{fence}" if step.source.strip() else ""


def _is_reply(reply) -> bool:
    return type(reply) is tuple and len(reply) == 3 and type(reply[0]) is list and type(reply[2]) is tuple


def _ending(ended) -> str:
    if isinstance(ended, int) and ended < 0:
        try:
            return f" ({signal.Signals(-ended).name})"
        except ValueError:
            return ""
    return f" (exit status {ended})" if isinstance(ended, int) else ""


def _remarks(flags: set[tuple[str, str]]) -> list[str]:
    """What the child noticed, in our words."""
    texts = {
        "network": "noticed: tried to use the network", "process": "noticed: tried to start a program",
        "signal": "noticed: tried to signal another process",
    }  # fmt: skip
    remarks = [texts[what] for what, _ in sorted(flags) if what in texts]
    paths = sorted(detail for what, detail in flags if what == "opened")[:5]
    if paths:
        remarks.append("noticed: tried to open " + ", ".join(ascii(path[:100]) for path in paths))
    return list(dict.fromkeys(remarks))


def _stop_text(stopped: Stopped, seconds: float) -> tuple[str, str]:
    if stopped.kind == "late":
        return "TimeoutError", f"the cell did not finish within {seconds:g} seconds and was stopped"
    if stopped.kind == "gone":
        return "ProcessEnded", "the cell ended the process in which it ran"
    return "ProcessEnded", "the cell disturbed the grader and was stopped"


def _first_error(outputs: list[dict]) -> str:
    """Why an answer cell ended early, for the messages of its tests: '`f` is not defined' alone hides a SyntaxError."""
    for output in outputs:
        if output["output_type"] == "error" and output["ename"] != "NotImplementedError":
            text = re.sub(r"<ipython-input[^>]*>, ", "", f"{output['ename']}: {output['evalue']}")
            return "the answer cell ended with " + " ".join(text.split())[:200]
    return ""


def _error(name: str, value: str, lines: list[str] | None = None) -> dict:
    return {"output_type": "error", "ename": name, "evalue": value, "traceback": lines or [f"{name}: {value}"]}


def _test_outputs(outcome: Outcome | None) -> list[dict]:
    if outcome is None:
        return [_error("NotRun", "there was no time left to run this test")]
    outputs = [{"output_type": "stream", "name": "stdout", "text": outcome.printed}] if outcome.printed else []
    if outcome.status in (results.FAILED, results.TIMED_OUT):
        outputs.append(_error("AssertionError" if outcome.status == results.FAILED else "TimeoutError", outcome.message))
    return outputs


def clean_outputs(outputs: list, limits: Limits) -> list[dict]:
    """Outputs that a child claims, rebuilt from plain text and pictures within the limits."""
    cleaned: list[dict] = []
    left, pictures = limits.text + 200, limits.images
    for output in outputs[:1000]:
        if type(output) is not dict:
            continue
        kind = output.get("output_type")
        if kind == "stream":
            parts = output.get("text")
            text = "".join(p for p in parts if type(p) is str)[:left] if type(parts) is list else ""
            left -= len(text)
            if text:
                cleaned.append({"output_type": "stream", "name": "stderr" if output.get("name") == "stderr" else "stdout", "text": text})
        elif kind == "error":
            lines = output.get("traceback")
            lines = [line[:2000] for line in lines[:40] if type(line) is str] if type(lines) is list else []
            cleaned.append(_error(_text(output.get("ename"), 200), _text(output.get("evalue"), 2000), lines))
        elif kind in ("execute_result", "display_data") and type(output.get("data")) is dict:
            data = {}
            for mime, magic in (("image/png", b"\x89PNG"), ("image/jpeg", b"\xff\xd8\xff")):
                picture = output["data"].get(mime)
                if type(picture) is str and pictures > 0 and len(picture) <= limits.image_size and _is_picture(picture, magic):
                    data[mime] = picture
                    pictures -= 1
            text = _text(output["data"].get("text/plain"), left)
            left -= len(text)
            if text:
                data["text/plain"] = text
            if data:
                item = {"output_type": kind, "data": data, "metadata": {}}
                if kind == "execute_result":
                    item["execution_count"] = None
                cleaned.append(item)
    return cleaned


def _text(value, limit: int) -> str:
    return value[: max(0, limit)] if type(value) is str else ""


def _is_picture(text: str, magic: bytes) -> bool:
    try:
        return base64.b64decode(text, validate=True).startswith(magic)
    except ValueError:
        return False

