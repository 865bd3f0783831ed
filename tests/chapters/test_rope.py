"""The chapter on RoPE: its functions, numbers and claims against values that it did not compute.

The yardstick is written with Python's math and cmath, one number at a time.
"""

import cmath
import math
import re

import numpy as np
import pytest


@pytest.fixture(scope="module")
def rope_chapter(chapter):
    return chapter("rope")


def theta(i, d, base=10000.0):
    return math.exp(-2 * i / d * math.log(base))


def turned(vector, position, pairs, base=10000.0):
    """The vector with pair (a, b) = pairs[i] turned by position * theta_i, through complex numbers."""
    result = [float(value) for value in vector]
    for i, (a, b) in enumerate(pairs):
        z = complex(vector[a], vector[b]) * cmath.exp(1j * position * theta(i, 2 * len(pairs), base))
        result[a], result[b] = z.real, z.imag
    return result


def interleaved(d):
    return [(2 * i, 2 * i + 1) for i in range(d // 2)]


def half_split(d):
    return [(i, i + d // 2) for i in range(d // 2)]


def dot(a, b):
    return math.fsum(x * y for x, y in zip(a, b, strict=True))


def printed(page, marker):
    """What the one cell that contains `marker` printed."""
    found = [o.stdout for o in page.outputs if marker in o.source]
    assert len(found) == 1, marker
    return found[0]


def numbers(text):
    return [float(n) for n in re.findall(r"-?\d+\.\d+", text)]


# ---- the functions

@pytest.mark.parametrize("d", [2, 4, 6, 8, 64])
@pytest.mark.parametrize("position", [0, 1, 2.5, -3, 4095])
@pytest.mark.parametrize("base", [10000.0, 500000.0, 7.0])
def test_rope_turns_neighbours(rope_chapter, d, position, base):
    x = np.random.default_rng(d).normal(size=(3, d))
    want = [turned(row, position, interleaved(d), base) for row in x]
    np.testing.assert_allclose(rope_chapter["rope"](x, position, base), want, rtol=0, atol=1e-9)
    if base == 10000.0:
        for form in ("rope_complex", "rope_products"):
            np.testing.assert_allclose(rope_chapter[form](x, position), want, rtol=0, atol=1e-9)
        np.testing.assert_allclose(x @ rope_chapter["rotation_matrix"](position, d).T, want, rtol=0, atol=1e-9)


def test_rope_on_the_worked_examples(rope_chapter):
    rope = rope_chapter["rope"]
    np.testing.assert_allclose(rope([1, 0], 2), [math.cos(2), math.sin(2)], atol=1e-12)  # integers are not cut down
    np.testing.assert_allclose(rope([0, 2, 0, 0], math.pi / 3)[:2], [-math.sqrt(3), 1], atol=1e-12)
    q, k = [math.cos(math.pi / 6), 0.5], [-2, 0]
    assert dot(q, k) == pytest.approx(-math.sqrt(3)) and dot([1, 0], [-math.sqrt(3), 1]) == pytest.approx(-math.sqrt(3))


@pytest.mark.parametrize("d", [0, -2, 3, 127])
def test_odd_widths_are_refused(rope_chapter, d):
    with pytest.raises(ValueError, match=re.escape(str(d))):
        rope_chapter["frequencies"](d)


@pytest.mark.parametrize(("name", "pairs"), [("apply_rope", interleaved), ("apply_rope_half", half_split)])
def test_batches(rope_chapter, name, pairs):
    rng = np.random.default_rng(1)
    x = rng.normal(size=(2, 3, 5, 8))
    for positions in (np.array([0, 1, 2, 9, 4]), np.array([[0, 1, 2, 3, 4], [7, 8, 9, 100, 11]])):
        got = rope_chapter[name](x, positions)
        per_batch = np.broadcast_to(positions, (2, 5))
        want = [[[turned(x[b, h, t], per_batch[b, t], pairs(8)) for t in range(5)] for h in range(3)] for b in range(2)]
        np.testing.assert_allclose(got, want, rtol=0, atol=1e-9)


def test_waves_are_the_score(rope_chapter):
    q, k = np.random.default_rng(2).normal(size=(2, 10))
    for offset in (-40, -1, 0, 3, 1000):
        want = dot(q, turned(k, offset, interleaved(10)))
        assert float(rope_chapter["score_waves"](q, k, offset)) == pytest.approx(want, abs=1e-9)
        assert rope_chapter["score"](q, k, 50, 50 + offset) == pytest.approx(want, abs=1e-9)


def test_conversion_is_that_of_transformers(rope_chapter):
    """convert_llama_weights_to_hf.py: view(heads, d/2, 2, in), transpose(1, 2), reshape."""
    for heads, d in ((2, 8), (3, 6), (1, 128)):
        rows = np.arange(heads * d)
        want = rows.reshape(heads, d // 2, 2, 1).swapaxes(1, 2).reshape(-1)
        order = rope_chapter["half_split_order"](d)
        np.testing.assert_array_equal(np.concatenate([h * d + order for h in range(heads)]), want)
    assert "[ 0  2  4  6  1  3  5  7  8 10 12 14  9 11 13 15]" in printed(rope_chapter, "def logits")


def test_the_mixture_is_no_rotation(rope_chapter):
    x = np.random.default_rng(3).normal(size=8)
    mixed = [rope_chapter["apply_mixture"](x[None], [p])[0] for p in (0, 5, 12)]
    np.testing.assert_allclose(mixed[0], x)
    assert abs(np.linalg.norm(mixed[1]) - np.linalg.norm(x)) > 0.01
    lines = printed(rope_chapter, "def apply_mixture").splitlines()
    assert [line.count("True") for line in lines] == [3, 3, 1] and "at 0: True" in lines[2].replace("  ", " ")


def test_partial_and_two_dimensional(rope_chapter):
    x = np.random.default_rng(4).normal(size=16)
    want = turned(x[:4], 7, interleaved(4)) + list(x[4:])  # exponents over the rotated width, not over 16
    np.testing.assert_allclose(rope_chapter["partial_rope"](x, 7, 0.25), want, atol=1e-12)
    got = rope_chapter["apply_rope_2d"](np.tile(x, (3, 1)), np.array([0, 2, 5]), np.array([1, 0, 9]))
    want = [turned(x[:8], r, interleaved(8)) + turned(x[8:], c, interleaved(8)) for r, c in ((0, 1), (2, 0), (5, 9))]
    np.testing.assert_allclose(got, want, atol=1e-12)


def test_decoding_equals_the_full_pass(rope_chapter):
    rng = np.random.default_rng(5)
    x, (w_q, w_k, w_v) = rng.normal(size=(6, 10)), rng.normal(size=(3, 10, 4))
    want = []
    for t in range(6):
        q = turned(x[t] @ w_q, t, interleaved(4))
        s = [dot(q, turned(x[j] @ w_k, j, interleaved(4))) / 2 for j in range(t + 1)]
        e = [math.exp(value - max(s)) for value in s]
        want.append(sum(w / sum(e) * (x[j] @ w_v) for j, w in enumerate(e)))
    np.testing.assert_allclose(rope_chapter["decode"](x, w_q, w_k, w_v), want, atol=1e-9)
    np.testing.assert_allclose(rope_chapter["causal_attention"](x, np.arange(6), w_q, w_k, w_v), want, atol=1e-9)
    errors = numbers(printed(rope_chapter, "def decode"))
    assert errors[0] == errors[2] == 0 and min(errors[1], errors[3]) > 0.05


def to_eight_bits(x):
    """Round to 8 significant bits, ties to even, with integers."""
    if x == 0:
        return 0.0
    mantissa, exponent = math.frexp(x)
    return math.ldexp(round(mantissa * 256), exponent - 8)


def test_bfloat16(rope_chapter):
    values = np.concatenate([np.arange(0, 3000), [15962, 131071, 1e-3, -257.0, 0.7, 3.14159]]).astype(np.float32)
    np.testing.assert_array_equal(rope_chapter["to_bfloat16"](values), [to_eight_bits(float(v)) for v in values])
    assert [to_eight_bits(257), to_eight_bits(15962)] == [256, 15936]


# ---- claims

def test_any_orthogonal_matrix_is_a_list_of_turning_planes(rope_chapter):
    rotation, u, angles = (rope_chapter[name] for name in ("rotation", "u", "angles"))
    np.testing.assert_allclose(rotation @ rotation.T, np.eye(6), atol=1e-12)
    np.testing.assert_allclose(u.T @ u, np.eye(6), atol=1e-9)
    blocks = np.zeros((6, 6))
    for i, a in enumerate(angles):
        blocks[2 * i:2 * i + 2, 2 * i:2 * i + 2] = [[math.cos(a), -math.sin(a)], [math.sin(a), math.cos(a)]]
    np.testing.assert_allclose(u.T @ rotation @ u, blocks, atol=1e-9)
    scores = np.array(numbers(printed(rope_chapter, "def power_score"))).reshape(3, 2)
    assert np.ptp(scores[:, 0]) == 0 and np.ptp(scores[:, 1]) > 0.1


def test_the_check_on_arrays(rope_chapter):
    rng = np.random.default_rng(0)
    q, k = rng.normal(size=8), rng.normal(size=8)
    want = [dot(turned(q, a, interleaved(8)), turned(k, b, interleaved(8))) for a, b in ((0, 0), (0, 5), (3, 8), (10, 15))]
    got = numbers(printed(rope_chapter, "[(0, 0), (0, 5), (3, 8), (10, 15)]"))
    assert got == pytest.approx(want, abs=5e-5)
    assert got[1] == got[2] == got[3] != got[0]


def test_moving_the_text_changes_nothing_unless_values_turn(rope_chapter):
    kept, turned_values = numbers(printed(rope_chapter, "turn_values in"))
    assert kept == 0 and turned_values > 1


def test_scores_without_conversion_are_right_at_offset_zero_only(rope_chapter):
    errors = numbers(printed(rope_chapter, "def logits"))
    assert errors[0] == 0 and min(errors[1:]) > 0.1
    np.testing.assert_allclose(rope_chapter["converted"], rope_chapter["original"], atol=1e-12)


def mean_cosine(r, d=128, base=10000.0):
    return math.fsum(math.cos(r * theta(i, d, base)) for i in range(d // 2)) / (d // 2)


def test_decay_of_equal_vectors(rope_chapter):
    for r in (0, 1, 8, 128, 1707, 4096):
        assert float(rope_chapter["mean_cosine"](r)) == pytest.approx(mean_cosine(r), abs=1e-12)
    for line in printed(rope_chapter, "def approximation").splitlines():
        r, exact, approximate, larger = (float(n) for n in re.findall(r"-?\d+\.\d+|\d+(?=:|,)", line.replace("500000", "")))
        assert exact == pytest.approx(mean_cosine(r), abs=0.005)
        assert larger == pytest.approx(mean_cosine(r, base=5e5), abs=0.005) and larger > exact
        assert approximate == pytest.approx(1 - (math.log(r) + 0.5772156649) / math.log(10000), abs=0.005)
        assert abs(approximate - exact) < 0.09


def test_random_vectors_do_not_decay_and_any_distance_can_win(rope_chapter):
    assert rope_chapter["random_scores"].std(axis=1) == pytest.approx(np.full(len(rope_chapter["distances"]), math.sqrt(128)), rel=0.06)
    aimed = rope_chapter["aimed"]
    assert aimed.argmax() == 200
    for r in (1, 199, 200, 201, 4000):  # R(-200) 1 . R(-r) 1 = sum of cos((200 - r) theta)
        assert aimed[r] == pytest.approx(mean_cosine(200 - r), abs=1e-9)
    far = numbers(printed(rope_chapter, "made for distance 3000"))
    assert far == pytest.approx([mean_cosine(3000 - r) for r in (1, 10, 100, 3000)], abs=0.005)


def test_the_grid_treats_rows_and_columns_alike(rope_chapter):
    right, line_right, down, line_down = numbers(printed(rope_chapter, "def apply_rope_2d"))
    step = (1 + mean_cosine(1, 32)) / 2  # half of the width does not move
    assert right == pytest.approx(step, abs=0.005) == down
    assert line_right == pytest.approx(mean_cosine(1, 64), abs=0.005) and line_down == pytest.approx(mean_cosine(17, 64), abs=0.005)
    grid = rope_chapter["grid_scores"]
    np.testing.assert_allclose(grid, grid.T, atol=1e-12)
    np.testing.assert_allclose(grid, grid[::-1, ::-1], atol=1e-12)


def test_precision_of_the_phase(rope_chapter):
    errors = rope_chapter["errors"]
    octaves = rope_chapter["octaves"]
    assert all(e > 1 for e, o in zip(errors["bfloat16"], octaves, strict=True) if o >= 256)
    assert np.nanmax(errors["float32"]) < 0.3 and errors["float32"][-2] > 0.01   # 524288 to 1048575
    assert errors["float32"][5] < 1e-4
    for e, o in zip(errors["float32"], octaves, strict=True):
        assert e <= 2 * o * 2**-23 * 1.01   # frequency and product are each off by half a unit in the last place
    stale = numbers(printed(rope_chapter, "offset 3, exact"))
    assert stale[1] == stale[0] and abs(stale[3] - stale[0]) > 0.5 and abs(stale[4] - stale[0]) > 0.5


def test_slowest_pair(rope_chapter):
    want = [math.degrees(n * theta(63, 128)) for n in (512, 2048, 8192)]
    assert numbers(printed(rope_chapter, "slowest pair turns")) == pytest.approx(want, abs=0.05)


def test_glued_numbers(rope_chapter):
    rng = np.random.default_rng(4)
    q, k = rng.normal(size=(2, 16))
    place = [[math.sin(p * theta(j // 2, 16)) if j % 2 == 0 else math.cos(p * theta(j // 2, 16)) for j in range(16)] for p in range(40)]
    added = [[dot(q + np.array(place[m]), k + np.array(place[n])) for n in range(40)] for m in range(40)]
    spread = max(max(added[m][m + r] for m in range(40) if 0 <= m + r < 40) - min(added[m][m + r] for m in range(40) if 0 <= m + r < 40)
                 for r in range(-39, 40))
    million = max(abs(math.cos(float(np.float32(1e6) * np.float32(theta(i, 128)))) - math.cos(1e6 * theta(i, 128))) for i in range(64))
    want = {
        "rope_longest_wavelength": 54410.1,           # 2 pi 10000^(126/128)
        "rope_spread_added": spread,
        "rope_ones_8": mean_cosine(8),
        "rope_ones_128": mean_cosine(128),
        "rope_ones_4096": mean_cosine(4096),
        "rope_random_std": math.sqrt(128),
        "rope_first_negative": next(r for r in range(5000) if mean_cosine(r) < 0),
        "rope_float32_million": million,
        "rope_bf16_rounding": 2**-9,                  # half a unit in the last of 8 bits, just below 1
    }
    tolerance = {"rope_longest_wavelength": 0.05, "rope_random_std": 0.1, "rope_bf16_rounding": 5e-5, "rope_float32_million": 1e-6}
    assert rope_chapter.glued.keys() == want.keys()
    for key, value in want.items():
        assert rope_chapter.glued[key] == pytest.approx(value, abs=tolerance.get(key, 1e-9)), key
