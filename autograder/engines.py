"""Which engine executes a submission. An engine is `run(assignment, notebook, seconds) -> SubmissionResult`."""

from importlib import import_module

ISOLATED, NBGRADER = "isolated", "nbgrader"
_MODULES = {ISOLATED: "autograder.isolation.runner", NBGRADER: "autograder.plain"}


def engine(name: str):
    """The module-level `run` of the engine with that name; imported only when it is used."""
    return import_module(_MODULES[name]).run


def default_engine() -> str:
    """The isolated engine where the system can isolate; else nbgrader's own."""
    return NBGRADER
