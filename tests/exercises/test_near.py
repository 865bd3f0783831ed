"""The comparison that all tests of the exercises rest on, against its definition, place by place."""

import itertools
import math
import runpy

import numpy as np
import pytest

from autograder.assignment import SOLUTIONS

near = runpy.run_path(str(SOLUTIONS / "checking.py"))["near"]
ODD = [0.0, -0.0, 1.0, 1 + 5e-10, 1 + 5e-9, -1.0, 1e9, 1e9 + 0.5, 1e9 + 5, 1e-10, 1e-8, math.inf, -math.inf, math.nan]


def agree(got, want, rtol=1e-9, atol=1e-9):
    if math.isinf(want) or math.isinf(got):
        return got == want
    return abs(got - want) <= atol + rtol * abs(want)


@pytest.mark.parametrize("size", [1, 24, 25], ids=["one number", "few", "many"])  # plain Python, and NumPy
def test_near_is_its_definition(size):
    for got, want in itertools.product(ODD, ODD):
        a, b = np.ones(size), np.ones(size)
        a[size // 2], b[size // 2] = got, want
        assert near(a, b) == agree(got, want), (got, want)


def test_near_wants_the_same_shape():
    assert not near([1.0, 1.0], [[1.0, 1.0]])
    assert not near(1.0, [1.0])
    assert near([], [])
