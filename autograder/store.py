"""The log of results: append-only, and as durable as SQLite's transactions.

A result is keyed by student, assignment, hash of the submission, hash of the master and the grader's version.
A run that is killed has kept every result it committed; the next run finds them and grades what is missing.
"""

import hashlib
import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path

from . import __version__
from .results import SubmissionResult

SCHEMA = """
CREATE TABLE IF NOT EXISTS results (
    key TEXT PRIMARY KEY, student TEXT NOT NULL, assignment TEXT NOT NULL, graded_at TEXT DEFAULT CURRENT_TIMESTAMP,
    result TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS current (
    student TEXT NOT NULL, assignment TEXT NOT NULL, key TEXT NOT NULL, recorded INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (student, assignment)
);
"""


def key_of(student: str, assignment: str, submission_hash: str, master_hash: str, engine: str) -> str:
    """The identity of a result: equal keys mean that grading again would give the same."""
    parts = json.dumps([student, assignment, submission_hash, master_hash, engine, __version__])
    return hashlib.sha256(parts.encode("utf-8", "backslashreplace")).hexdigest()


class Store:
    """The results of one class, in results.sqlite. Use as a context manager; one writer at a time."""

    def __init__(self, path: Path):
        self.db = sqlite3.connect(path, timeout=60)
        self.db.execute("PRAGMA journal_mode=WAL")
        self.db.execute("PRAGMA synchronous=FULL")
        self.db.executescript(SCHEMA)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.db.close()

    def has(self, key: str) -> bool:
        return self.db.execute("SELECT 1 FROM results WHERE key = ?", (key,)).fetchone() is not None

    def get(self, key: str) -> SubmissionResult:
        (text,) = self.db.execute("SELECT result FROM results WHERE key = ?", (key,)).fetchone()
        return SubmissionResult.from_dict(json.loads(text))

    def add(self, key: str, result: SubmissionResult) -> None:
        """Append a result. It is safe on disk after the next `commit`."""
        # The executed notebook and the page are kept as files.
        data = vars(result) | {"cells": [vars(cell) for cell in result.cells], "notebook": None, "executed": "", "page": ""}
        self.db.execute(
            "INSERT OR IGNORE INTO results (key, student, assignment, result) VALUES (?, ?, ?, ?)",
            (key, result.student, result.assignment, json.dumps(data)),
        )

    def make_current(self, student: str, assignment: str, key: str) -> None:
        """Say that `key` is the result that counts for the student's assignment."""
        self.db.execute(
            "INSERT INTO current (student, assignment, key) VALUES (?, ?, ?) ON CONFLICT (student, assignment) "
            "DO UPDATE SET recorded = 0, key = excluded.key WHERE key != excluded.key",
            (student, assignment, key),
        )

    def commit(self) -> None:
        self.db.commit()

    def to_record(self, assignment: str) -> Iterator[SubmissionResult]:
        """The current results that the gradebook does not have yet."""
        rows = self.db.execute(
            "SELECT result FROM current JOIN results USING (key) WHERE current.assignment = ? AND NOT recorded "
            "ORDER BY current.student",
            (assignment,),
        )
        for (text,) in rows:
            yield SubmissionResult.from_dict(json.loads(text))

    def unrecorded(self, assignment: str) -> int:
        """How many current results the gradebook does not have yet."""
        return self._count("assignment = ? AND NOT recorded", assignment)

    def count(self, assignment: str) -> int:
        """How many students have a current result."""
        return self._count("assignment = ?", assignment)

    def _count(self, condition: str, assignment: str) -> int:
        return self.db.execute(f"SELECT count(*) FROM current WHERE {condition}", (assignment,)).fetchone()[0]

    def mark_recorded(self, assignment: str) -> None:
        self.db.execute("UPDATE current SET recorded = 1 WHERE assignment = ?", (assignment,))
        self.db.commit()

    def forget_recorded(self, assignment: str) -> None:
        self.db.execute("UPDATE current SET recorded = 0 WHERE assignment = ?", (assignment,))

    def current(self) -> Iterator[SubmissionResult]:
        """The results that count, by assignment and student."""
        rows = self.db.execute(
            "SELECT result FROM current JOIN results USING (key) ORDER BY current.assignment, current.student"
        )
        for (text,) in rows:
            yield SubmissionResult.from_dict(json.loads(text))
