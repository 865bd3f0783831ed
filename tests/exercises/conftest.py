"""After the tests of the bank: a table with one line per assignment."""
import bank
from exercises import runner


def pytest_terminal_summary(terminalreporter):
    if runner.Farm.last is None:
        return
    done = runner.Farm.last.done
    rows = [("assignment", "exercises", "points", "right", "wrong", "false rejects", "false accepts", "seconds")]
    for name in bank.ASSIGNMENTS:
        found = [(entry, done["entry", entry.id]) for entry in bank.entries(name) if ("entry", entry.id) in done]
        if not found:
            continue
        right = [outcome for entry, outcome in found if not entry.loses]
        rejects = sum(any(outcome.lost) for outcome in right)
        accepts = sum(any(not set(entry.loses) <= set(ids) for ids in outcome.lost) for entry, outcome in found)
        assignment, seconds = runner.load(name), sum(outcome.seconds for _, outcome in found)
        rows.append((name, len(assignment.exercises), f"{assignment.points:g}", len(right), len(found) - len(right), rejects, accepts, f"{seconds:.1f}"))
    total = ("all", *(f"{sum(float(row[k]) for row in rows[1:]):g}" for k in range(1, len(rows[0]))))
    terminalreporter.section("bank of answers")
    for row in [*rows, total]:
        terminalreporter.write_line(f"{row[0]:18}" + "".join(f"{value!s:>15}" for value in row[1:]))
    terminalreporter.write_line(f"Each answer ran with {len(runner.SEEDS)} seeds of the hidden data; the seconds are processor time.")
