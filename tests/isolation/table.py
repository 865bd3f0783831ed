"""The table of submissions: each row builds a notebook and says what it must score."""

from dataclasses import dataclass, field
from typing import Callable

from .synthetic import POINTS

ROWS: dict[str, "Row"] = {}


@dataclass
class Row:
    """points per exercise; prints/never: text that a student must/may not read; notes: text of a note."""

    name: str
    build: Callable[[], dict]
    points: dict[str, float]
    notes: tuple[str, ...] = ()
    prints: tuple[str, ...] = ()
    never: tuple[str, ...] = ()
    limits: dict = field(default_factory=dict)

    @property
    def waits(self) -> bool:
        return "seconds" in self.limits


def row(notes=(), prints=(), never=(), limits=None, **points):
    """Register a submission; exercises that are not named get full marks."""

    def register(build, name=None):
        key = name or build.__name__
        assert key not in ROWS and set(points) <= set(POINTS), key
        as_tuple = lambda x: (x,) if isinstance(x, str) else tuple(x)  # noqa: E731
        ROWS[key] = Row(key, build, {**POINTS, **points}, as_tuple(notes), as_tuple(prints), as_tuple(never), limits or {})
        return build

    return register


def load() -> dict[str, Row]:
    from . import rows_honest, rows_hostile, rows_runaway  # noqa: F401

    return ROWS
