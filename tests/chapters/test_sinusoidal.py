"""The chapter on sinusoidal encodings, against values that it did not compute."""

import cmath
import math
from fractions import Fraction

import numpy as np
import pytest

PI = Fraction("3.14159265358979323846264338327950288419716939937510")


@pytest.fixture(scope="module")
def sin(chapter):
    return chapter("sinusoidal")


def theta(i, d, base=10000.0):
    return math.exp(-math.log(base) * 2 * i / d)


def cosines(k, d):
    """S(k) from its definition."""
    return math.fsum(math.cos(k * theta(i, d)) for i in range(d // 2))


def rounded(value, bits):
    """A positive fraction, rounded half to even to this many significant bits."""
    if value == 0:
        return Fraction(0)
    shift = bits - 1 - math.floor(math.log2(value))
    return Fraction(round(value * Fraction(2) ** shift)) / Fraction(2) ** shift


# ---- the table

def test_known_rows(sin):
    assert np.allclose(sin["sinusoidal"](2, 4), [[0, 1, 0, 1], [0.84147098, 0.54030231, 0.00999983, 0.99995]], atol=5e-9)
    assert np.allclose(sin["sinusoidal"](2, 8)[1], [0.8415, 0.5403, 0.0998, 0.9950, 0.0100, 0.99995, 0.0010, 1.0], atol=5e-5)


@pytest.mark.parametrize("n, d, base", [(7, 2, 10000.0), (50, 10, 10000.0), (20, 64, 500000.0)])
def test_every_entry(sin, n, d, base):
    expected = [[(math.sin, math.cos)[c % 2](p * theta(c // 2, d, base)) for c in range(d)] for p in range(n)]
    assert np.allclose(sin["sinusoidal"](n, d, base), expected, atol=1e-12)


def test_bad_sizes_are_refused(sin):
    for function, arguments, number in (("sinusoidal", (4, 7), "7"), ("sinusoidal", (4, 0), "0"), ("sinusoidal", (-3, 8), "-3"),
                                        ("shift_matrix", (1, 5), "5"), ("similarity", (1, 9), "9")):
        with pytest.raises(ValueError, match=number):
            sin[function](*arguments)
    assert sin["sinusoidal"](0, 8).shape == (0, 8)


def test_both_layouts_hold_the_same_numbers(sin):
    half = sin["to_half_split"](sin["sinusoidal"](5, 6))
    assert np.allclose(half[3], [math.sin(3 * theta(i, 6)) for i in range(3)] + [math.cos(3 * theta(i, 6)) for i in range(3)])
    assert sin["same_products"]


def test_the_table_fills_few_directions(sin):
    """Its squared singular values are the eigenvalues of the matrix of all dot products, S(i - j)."""
    s = np.array([cosines(k, 512) for k in range(512)])
    values = np.linalg.eigvalsh(s[abs(np.arange(512)[:, None] - np.arange(512))])[::-1]
    share = np.cumsum(values) / (512 * 256)  # their sum is the sum of all squared norms
    assert sin.glued["sin-directions"] == int(np.flatnonzero(share > 0.99)[0]) + 1


def test_counting(sin):
    assert [int("".join(map(str, row[::-1])), 2) for row in sin["binary"](16, 4)] == list(range(16))
    assert sin["step"].tolist() == [bin(p ^ (p + 1)).count("1") for p in range(15)]


# ---- wavelengths

def test_longest_wavelengths(sin):
    """2 pi b^((d-2)/d), to the digits of the list of verified facts."""
    for d, expected in ((4, 628.32), (64, 47117.2), (128, 54410.1), (512, 60611.5)):
        assert sin["longest"][d] == pytest.approx(expected, rel=3e-6)
    assert sin.glued["sin-longest-512"] == "60611.5"
    assert sin.glued["sin-longest-4"] == "628.3"
    assert sin["longest_as_released"] == pytest.approx(62831.85, rel=1e-6)
    for key, base in (("sin-longest-64-base-100", 100), ("sin-longest-64", 10000), ("sin-longest-64-base-500000", 500000)):
        assert int(sin.glued[key]) == round(2 * math.pi * base ** (31 / 32))


def test_ratio_and_slow_pairs(sin):
    assert float(sin.glued["sin-ratio-512"]) == round(math.exp(math.log(10000) / 256), 3)
    # 2 pi b^(2i/d) > L  <=>  i > (d/2) ln(L / 2 pi) / ln b
    for key, d, length in (("sin-slow-pairs", 512, 512), ("sin-slow-64", 64, 128)):
        assert sin.glued[key] == d // 2 - 1 - math.floor(d / 2 * math.log(length / (2 * math.pi)) / math.log(10000))


def test_released_spacing_is_another_table(sin):
    worst = max(abs(math.sin(p * 10000 ** (-i / 256)) - math.sin(p * 10000 ** (-i / 255))) for p in range(512) for i in range(256))
    assert float(sin.glued["sin-mismatch"]) == round(worst, 2)


# ---- norm, shift, dot products

def test_norms(sin):
    assert np.allclose(sin["squared_norms"], 32, atol=1e-9)


@pytest.mark.parametrize("k", [0, 1, 13, -4, 1000])
def test_shift_matrix_turns_each_pair(sin, k):
    """As complex numbers cos + i sin the pairs are multiplied by e^(i k theta)."""
    d = 12
    m = sin["shift_matrix"](k, d)
    for p in (0, 5, 77):
        before = [f(p * theta(i, d)) for i in range(d // 2) for f in (math.sin, math.cos)]
        after = m @ before
        for i in range(d // 2):
            turned = cmath.exp(1j * p * theta(i, d)) * cmath.exp(1j * k * theta(i, d))
            assert complex(after[2 * i + 1], after[2 * i]) == pytest.approx(turned, abs=1e-12)
    assert np.allclose(m @ m.T, np.eye(d), atol=1e-12)


def test_sines_alone_do_not_shift(sin):
    assert sin["error_both"] < 1e-9
    assert sin["error_sines"] > 0.1


def test_similarity_is_a_sum_of_cosines(sin):
    k = np.array([[0, 1, -1], [17, 250, 9999]])
    assert sin["similarity"](k, 32) == pytest.approx(np.array([[cosines(x, 32) for x in row] for row in k]), abs=1e-9)
    assert sin["similarity"](0, 32) == 16


def test_where_similarity_rises(sin):
    s = [cosines(k, 512) for k in range(1, 1002)]
    rising = [b > a for a, b in zip(s, s[1:], strict=False)]
    assert sin.glued["sin-first-rise"] == rising.index(True) + 1
    assert sin.glued["sin-rises"] == f"{100 * sum(rising) / 1000:.0f} %"
    first = sin.glued["sin-first-negative"]
    assert cosines(first, 512) < 0 < min(cosines(k, 512) for k in range(first - 200, first))
    assert s[0] > s[9] > s[99] > s[999]  # the trend
    assert float(sin.glued["sin-s8-44"]) == round(cosines(44, 8) / 4, 2)
    assert float(sin.glued["sin-s8-2"]) == round(cosines(2, 8) / 4, 2)


def test_similarity_follows_the_logarithm(sin):
    assert sin["line_error"] < 0.06
    for k in (20, 100, 500):
        assert cosines(k, 4096) / 2048 == pytest.approx(1 - (math.log(k) + 0.5772156649) / math.log(10000), abs=0.012)


def test_projections_lose_the_offset(sin):
    assert sin["spread"]["identity"] < 1e-9
    assert sin["spread"]["scaled rotations"] < 1e-9
    assert sin["spread"]["random"] > 1
    u, m = sin["u_rotations"], sin["shift_matrix"](9, 128)
    assert np.allclose(u @ m, m @ u)


# ---- uniqueness

def test_closest_positions(sin):
    assert float(sin.glued["sin-nearest-512"]) == 3.71
    assert sin.glued["sin-nearest-offset-512"] == 1
    distance, offset = sin["nearest"][2]
    assert offset == 103993  # pi = 103993 / 33102 - 5.8e-10, the next convergent after 355 / 113
    assert distance == pytest.approx(float(abs(offset - 33102 * PI)), rel=1e-3)
    for d in (8, 64):
        distance, offset = sin["nearest"][d]
        assert distance == pytest.approx(math.sqrt(d - 2 * cosines(offset, d)), rel=1e-6)
        k = np.arange(1, 200_000)
        direct = sum(np.cos(k * theta(i, d)) for i in range(d // 2))
        assert int(k[direct.argmax()]) == offset


def test_one_pair_nearly_repeats(sin):
    assert float(sin.glued["sin-one-pair"]) == round(float(2 * abs(Fraction(355) - 113 * PI)), 6)


def test_positions_can_be_read_back(sin):
    for p in (0, 1, 6, 7, 4095, 46000):
        vector = [f(p * theta(i, 64)) for i in range(32) for f in (math.sin, math.cos)]
        assert sin["read_position"](np.array(vector)) % 47117.2 == pytest.approx(p, abs=1e-6)


# ---- the trained heads

def scores_of_query(u, i, window=128):
    d = len(u)
    row = [[f(p * theta(c, d)) for c in range(d // 2) for f in (math.sin, math.cos)] for p in range(max(0, i - window + 1), i + 1)]
    return np.array(row) @ (np.array(row[-1]) @ u) / math.sqrt(d)


def previous_weight(u, i, window=128):
    scores = scores_of_query(u, i, window)
    return math.exp(scores[-2]) / sum(map(math.exp, scores))


def test_trained_heads(sin):
    heads = sin["heads"]
    mean = lambda name, positions: sum(previous_weight(heads[name], i) for i in positions) / len(positions)  # noqa: E731
    assert float(sin.glued["sin-inside"]) == pytest.approx(mean("trained from 0", range(1, 128)), abs=0.0051)
    assert float(sin.glued["sin-outside"]) == pytest.approx(mean("trained from 0", range(128, 512)), abs=0.0051)
    assert float(sin.glued["sin-anywhere-far"]) == pytest.approx(mean("trained anywhere", range(1151, 1536)), abs=0.0051)
    assert float(sin.glued["sin-outside"]) < 0.5 * float(sin.glued["sin-anywhere-far"])
    for i in (128, 500, 1000):
        assert previous_weight(heads["trained anywhere"], i) > 0.45
        assert previous_weight(heads["shift matrix"], i) > 0.45
        for name in ("trained anywhere", "shift matrix"):  # not undecided: the previous token has the largest score
            assert scores_of_query(heads[name], i).argmax() == min(i, 127) - 1


def test_the_gradient_of_the_head_is_right(sin):
    """One step from zero moves each entry by the rate, against the sign of a finite difference of the loss."""
    pe = sin["sinusoidal"](12, 4)
    rate, u = 0.5, np.zeros((4, 4))
    moved = sin["train_head"](pe, last_start=0, window=12, steps=1, rate=rate)

    def loss(u):
        return -np.mean([math.log(previous_weight(u, i)) for i in range(1, 12)])

    for a in range(4):
        for b in range(4):
            bump = np.zeros((4, 4))
            bump[a, b] = 1e-5
            slope = (loss(u + bump) - loss(u - bump)) / 2e-5
            if abs(slope) > 1e-6:
                assert moved[a, b] == pytest.approx(-rate * np.sign(slope), rel=1e-2)


def test_later_positions_leave_the_trained_directions(sin):
    assert max(sin["outside"][:128]) < 0.02
    assert min(sin["outside"][160:]) > 0.4


# ---- precision

def test_bfloat16_rounds_to_the_nearest(sin):
    values = np.random.default_rng(0).uniform(0.001, 70000, size=300).astype(np.float32)
    assert sin["bfloat16"](values).tolist() == [float(rounded(Fraction(float(v)), 8)) for v in values]
    assert sin["bfloat16"]([257, 15962]).tolist() == [256, 15936]


@pytest.mark.parametrize("name, bits", [("bfloat16", 8), ("float16", 11)])
def test_where_angles_in_few_bits_go_wrong(sin, name, bits):
    def error(p):
        worst = 0.0
        for i in range(32):
            exact = p * theta(i, 64)
            angle = float(rounded(rounded(Fraction(int(p)), bits) * rounded(Fraction(theta(i, 64)), bits), bits))
            worst = max(worst, abs(math.sin(angle) - math.sin(exact)), abs(math.cos(angle) - math.cos(exact)))
        return worst

    assert sin["bad_from"][name] == next(int(p) for p in sin["checked"] if error(p) > 0.1)
    assert sin["bad_from"]["float32"] is None


def test_rounding_the_result_is_harmless(sin):
    assert 2 ** -13 < sin["rounding_only"] <= 2 ** -12
    assert 0.005 < sin["error_million"] < 0.12
