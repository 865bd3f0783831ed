"""One HTML page per submission: points per exercise, the message of each failed test, the student's code and output.

Never test source, never expected values beyond what a message says. Everything that comes from the student is
shown as text; the page has no script and a policy that forbids any, for it is opened in the instructor's browser.
"""

import base64
import binascii
import html
import re

from .assignment import ANSWER, OTHER, Assignment
from .results import FAILED, GRADED, PARTIAL, PASSED, TIMED_OUT, SubmissionResult

MAX_SOURCE = 20_000
MAX_TEXT = 5_000
MAX_IMAGE = 1_500_000  # base64 characters

PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
:root {{ color-scheme: light dark; --line: #8884; --good: #00704f; --bad: #b3400a; --soft: #8881; }}
@media (prefers-color-scheme: dark) {{ :root {{ --good: #4cc79f; --bad: #ff9a5c; }} }}
body {{ font: 1rem/1.55 system-ui, sans-serif; max-width: 52rem; margin: 0 auto; padding: 1rem; overflow-wrap: anywhere; }}
h1 {{ font-size: 1.5rem; }} h2 {{ font-size: 1.15rem; margin: 2rem 0 .4rem; border-top: 1px solid var(--line); padding-top: 1rem; }}
table {{ border-collapse: collapse; width: 100%; }} th, td {{ text-align: left; padding: .3rem .6rem; border-bottom: 1px solid var(--line); }}
td.number, th.number {{ text-align: right; font-variant-numeric: tabular-nums; }}
pre {{ background: var(--soft); padding: .7rem; overflow-x: auto; border-radius: .3rem; white-space: pre-wrap; }}
.good {{ color: var(--good); }} .bad {{ color: var(--bad); }} ul {{ padding-left: 1.2rem; }} img {{ max-width: 100%; background: #fff; }}
</style></head><body>
{body}
</body></html>
"""


def page(assignment: Assignment, result: SubmissionResult) -> str:
    """The feedback page of one result, as HTML text."""
    parts = [
        f"<h1>{_text(assignment.title)}</h1>",
        f"<p>{_text(result.student)}: <strong>{result.points:g} of {result.max_points:g} points</strong></p>",
    ]
    if result.status != GRADED:
        parts.append(f'<p class="bad">Not graded automatically, a person will look at it: {_text(result.reason)}</p>')
    if result.notes:
        parts.append("<ul>" + "".join(f"<li>{_text(note)}</li>" for note in result.notes) + "</ul>")
    parts.append(_table(result))
    code = _student_cells(assignment, result.notebook)
    for exercise in result.by_exercise():
        parts.append(_exercise(exercise, result, code.get(exercise, [])))
    return PAGE.format(title=_text(f"{assignment.title}: {result.student}"), body="\n".join(parts))


def _text(value: str, limit: int = MAX_TEXT) -> str:
    value = str(value).encode("utf-8", "backslashreplace").decode("utf-8")
    if len(value) > limit:
        value = value[:limit] + f"\n… ({len(value) - limit} more characters)"
    # Control and direction-changing characters could make a text look like another.
    value = re.sub(r"[\x00-\x08\x0b-\x1f\x7f\u200e\u200f\u202a-\u202e\u2066-\u2069]", "\N{REPLACEMENT CHARACTER}", value)
    return html.escape(value)


def _table(result: SubmissionResult) -> str:
    rows = "".join(
        f'<tr><td>{_text(name)}</td><td class="number">{got:g}</td><td class="number">{out_of:g}</td></tr>'
        for name, (got, out_of) in result.by_exercise().items()
    )
    return (
        '<table><thead><tr><th scope="col">Exercise</th><th scope="col" class="number">Points</th>'
        f'<th scope="col" class="number">of</th></tr></thead><tbody>{rows}</tbody></table>'
    )


def _exercise(name: str, result: SubmissionResult, cells: list[dict]) -> str:
    got, out_of = result.by_exercise()[name]
    items = []
    for cell in (cell for cell in result.cells if cell.exercise == name):
        mark, word = ("good", "Passed") if cell.status == PASSED else ("bad", _WORDS.get(cell.status, "Not run"))
        message = f": {_text(cell.message)}" if cell.message and cell.status != PASSED else ""
        items.append(
            f'<li><span class="{mark}">{word}</span> ({cell.points:g} of {cell.max_points:g}){message}</li>'
        )
    shown = "".join(_cell(cell) for cell in cells)
    return f"<h2>{_text(name)}: {got:g} of {out_of:g}</h2><ul>{''.join(items)}</ul>{shown}"


_WORDS = {FAILED: "Failed", PARTIAL: "Partly right", TIMED_OUT: "Stopped by the time limit"}


def _student_cells(assignment: Assignment, notebook: dict | None) -> dict[str, list[dict]]:
    """Exercise -> the student's own cells of it in the executed notebook."""
    own = {cell.grade_id: cell.exercise for cell in assignment.cells if cell.kind in (ANSWER, OTHER) and cell.grade_id}
    locked = {cell.grade_id: cell.exercise for cell in assignment.cells if cell.grade_id and cell.grade_id not in own}
    cells: dict[str, list[dict]] = {}
    exercise = ""
    for cell in (notebook or {}).get("cells", []):
        grade_id = cell.get("metadata", {}).get("nbgrader", {}).get("grade_id", "")
        if grade_id in locked:
            exercise = locked[grade_id]
            continue
        exercise = own.get(grade_id, exercise)
        if cell["cell_type"] == "code" and cell["source"].strip():
            cells.setdefault(exercise, []).append(cell)
    return cells


def _cell(cell: dict) -> str:
    parts = [f"<pre><code>{_text(cell['source'], MAX_SOURCE)}</code></pre>"]
    for output in cell.get("outputs", [])[:20]:
        kind = output.get("output_type")
        if kind == "stream":
            parts.append(f"<pre>{_text(_joined(output.get('text', '')))}</pre>")
        elif kind == "error":
            parts.append(f'<pre class="bad">{_text(output.get("ename", ""))}: {_text(_joined(output.get("evalue", "")))}</pre>')
        elif kind in ("execute_result", "display_data"):
            data = output.get("data", {})
            if image := _png(data.get("image/png")):
                parts.append(f'<img alt="figure of the student\'s code" src="data:image/png;base64,{image}">')
            elif "text/plain" in data:
                parts.append(f"<pre>{_text(_joined(data['text/plain']))}</pre>")
    return "".join(parts)


def _joined(text) -> str:
    return "".join(map(str, text)) if isinstance(text, list) else str(text)


def _png(data) -> str:
    """The base64 text, if it really is a PNG of a size worth showing; else the empty string."""
    if not isinstance(data, (str, list)):
        return ""
    text = "".join(_joined(data).split())
    try:
        if len(text) <= MAX_IMAGE and base64.b64decode(text, validate=True).startswith(b"\x89PNG\r\n\x1a\n"):
            return text
    except (ValueError, binascii.Error):
        pass
    return ""
