"""How tests call a student's function several times, where student code runs in the same process (Jupyter, nbgrader)."""

import runpy

import numpy as np
import pytest

from autograder.assignment import SOLUTIONS


@pytest.fixture
def checking():
    return runpy.run_path(str(SOLUTIONS / "checking.py"))


def test_a_result_is_what_the_call_returned_whatever_the_next_one_writes(checking):
    buffer = np.zeros(3)

    def f(x):
        buffer[:] = x
        return buffer[:2]

    first, second = checking["calls"](f, [(1,), (2,)])
    assert first.tolist() == [1, 1] and second.tolist() == [2, 2]


def test_an_argument_that_is_returned_stays_itself_and_its_change_is_seen(checking):
    def f(x):
        x += 1
        return x

    [got] = checking["calls"](f, [(np.zeros(2),)], in_place=True)
    assert got.tolist() == [1, 1]
    with pytest.raises(AssertionError, match="changed its argument in place"):
        list(checking["calls"](f, [(np.zeros(2),)]))


def test_what_fails_raises_when_its_turn_comes_and_refusals_come_first(checking):
    seen = []

    def f(x):
        seen.append(x)
        if x % 2:
            raise ValueError(f"{x} is odd")
        return x

    results = checking["calls"](f, [(2,), (3,)], refused={5: (5,)})
    assert next(results) == 2 and seen == [5, 2, 3]
    with pytest.raises(AssertionError, match="f.3. raised ValueError: 3 is odd"):
        next(results)
    with pytest.raises(AssertionError, match="should raise ValueError"):
        next(checking["calls"](f, [(2,)], refused={4: (4,)}))
