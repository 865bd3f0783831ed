"""What the instructor reads after grading: a table on the screen, grades.csv, and report.html."""

import csv
import html
import tempfile
from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path
from typing import IO
from urllib.parse import quote

from .files import atomic_writer
from .results import GRADED, SubmissionResult

MAX_ROWS = 60  # of the table on the screen; the files hold all


def cell_text(value: str) -> str:
    """Text that a spreadsheet does not take for a formula (a name may start with = + - @)."""
    value = " ".join(str(value).split())
    return "'" + value if value.startswith(("=", "+", "-", "@")) else value


def write_csv(path: Path, results: Iterable[SubmissionResult]) -> None:
    """One line per submission and exercise: long form, which every spreadsheet can turn into a table."""
    with atomic_writer(path) as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["student", "assignment", "exercise", "points", "out_of", "status", "reason"])
        for result in results:
            student, reason = cell_text(result.student), cell_text(result.reason)
            if result.status != GRADED:
                writer.writerow([student, result.assignment, "", "", f"{result.max_points:g}", result.status, reason])
                continue
            for exercise, (got, out_of) in result.by_exercise().items():
                writer.writerow([student, result.assignment, exercise, f"{got:g}", f"{out_of:g}", result.status, ""])


def table(results: Iterable[SubmissionResult]) -> str:
    """Student, assignment, points and a remark, as text in columns."""
    header = ("student", "assignment", "points", "remark")
    rows, more = [], 0
    for result in results:
        if len(rows) == MAX_ROWS:
            more += 1
            continue
        points = f"{result.points:g} / {result.max_points:g}" if result.status == GRADED else f"- / {result.max_points:g}"
        remark = f"{result.status}: {result.reason}" if result.status != GRADED else "; ".join(result.notes)
        rows.append((_short(result.student, 30), result.assignment, points, _short(remark, 70)))
    widths = [max(len(row[i]) for row in [header, *rows]) for i in range(3)]

    def line(row):
        return f"{row[0]:<{widths[0]}}  {row[1]:<{widths[1]}}  {row[2]:>{widths[2]}}  {row[3]}".rstrip()

    lines = [line(header), *map(line, rows)]
    if more:
        lines.append(f"… and {more} more (all are in grades.csv and report.html)")
    return "\n".join(lines)


def _short(text: str, width: int) -> str:
    text = "".join(c if c.isprintable() else "?" for c in " ".join(str(text).split()))
    return text if len(text) <= width else text[: width - 1] + "…"


HEAD = """<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1"><title>Report of the class</title>
<style>
:root { color-scheme: light dark; --line: #8884; --bad: #b3400a; }
@media (prefers-color-scheme: dark) { :root { --bad: #ff9a5c; } }
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 76rem; margin: 0 auto; padding: 1rem; }
.wide { overflow-x: auto; } table { border-collapse: collapse; margin-bottom: 1rem; }
th, td { padding: .3rem .6rem; border-bottom: 1px solid var(--line); text-align: right; vertical-align: top; }
thead th { vertical-align: bottom; }
th:first-child, td:first-child, th.notes, td.notes { text-align: left; } td:first-child { white-space: nowrap; } td.notes { color: var(--bad); }
meter { width: 8rem; }
</style></head><body><h1>Report of the class</h1>
"""


def write_report(path: Path, results: Iterable[SubmissionResult]) -> None:
    """report.html: per assignment, students by exercises, and how hard each exercise was.

    results: ordered by assignment; they are read once and not kept. Names are text, never markup.
    """
    with atomic_writer(path) as file:
        file.write(HEAD)
        for name, of_assignment in groupby(results, key=lambda result: result.assignment):
            file.writelines(_section(name, of_assignment))
        file.write("</body></html>\n")


def _section(name: str, results: Iterable[SubmissionResult]) -> Iterator[str]:
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="backslashreplace") as rows:  # a class can have more than memory should hold
        yield from _table(name, results, rows)


def _table(name: str, results: Iterable[SubmissionResult], rows: IO[str]) -> Iterator[str]:
    totals: dict[str, list[float]] = {}
    submissions, graded = 0, 0
    for result in results:
        submissions += 1
        scores = result.by_exercise()
        for exercise in scores:
            totals.setdefault(exercise, [0.0, 0.0])
        if result.status == GRADED:
            graded += 1
            for exercise, (got, out_of) in scores.items():
                totals[exercise][0] += got
                totals[exercise][1] += out_of
        rows.write(_row(name, result, scores) + "\n")
    rows.seek(0)
    head = "".join(f'<th scope="col">{html.escape(exercise)}</th>' for exercise in totals)
    yield f"<h2>{html.escape(name)}</h2><p>{submissions} submissions, {graded} graded.</p>"
    yield f'<div class="wide" tabindex="0" role="region" aria-label="Scores of {html.escape(name)}"><table>'
    yield f'<thead><tr><th scope="col">Student</th>{head}<th scope="col">Points</th><th scope="col" class="notes">Notes</th></tr></thead>'
    yield "<tbody>"
    yield from rows
    yield "</tbody></table></div><h3>Share of points by exercise</h3><table><tbody>"
    for exercise, (got, out_of) in totals.items():
        share = got / out_of if out_of else 0.0
        label = f"{html.escape(exercise)}: {share:.0%}"
        yield f"<tr><td>{html.escape(exercise)}</td><td>{share:.0%}</td>"
        yield f'<td><meter value="{share:.3f}" aria-label="{label}">{share:.0%}</meter></td></tr>'
    yield "</tbody></table>"


def _row(name: str, result: SubmissionResult, scores: dict[str, tuple[float, float]]) -> str:
    student = html.escape(_short(result.student, 60))
    link = "/".join(quote(part) for part in ("feedback", result.student, name, f"{name}.html"))
    if result.status == GRADED:
        cells = "".join(f"<td>{got:g}</td>" for got, _ in scores.values()) + f"<td>{result.points:g} / {result.max_points:g}</td>"
        notes = "; ".join(result.notes)
    else:
        cells = "<td>–</td>" * (len(scores) + 1)
        notes = f"{result.status}: {result.reason}"
    return f'<tr><td><a href="{html.escape(link)}">{student}</a></td>{cells}<td class="notes">{html.escape(notes)}</td></tr>'
