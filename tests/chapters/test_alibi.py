"""The chapter on relative biases and ALiBi, against values that it did not compute."""

import json
import math
import re
from bisect import bisect_left, bisect_right

import numpy as np
import pytest
from chapter_pages import ROOT

REFERENCE = json.loads((ROOT / "tests/reference_values.json").read_text(encoding="utf8"))


@pytest.fixture(scope="module")
def alibi(chapter):
    return chapter("alibi")


def printed(page):
    return "".join(o.stdout for o in page.outputs)


def attention_by_loops(q, k, v, slopes, causal):
    """ALiBi from its formula, with Python numbers; the queries are the last of the keys."""
    heads, n_q, d = q.shape
    n_k = k.shape[1]
    out = np.zeros((heads, n_q, v.shape[2]))
    for h in range(heads):
        for row in range(n_q):
            i = n_k - n_q + row
            keys = range(i + 1) if causal else range(n_k)
            weight = [math.exp(sum(a * b for a, b in zip(q[h, row], k[h, j], strict=True)) / math.sqrt(d) - slopes[h] * abs(i - j)) for j in keys]
            out[h, row] = sum(w * v[h, j] for w, j in zip(weight, keys, strict=True)) / sum(weight)
    return out


# ---- the family

def test_distances_number_the_queries_from_the_end(alibi):
    got = alibi["distances"](2, 5)
    assert got.tolist() == [[3, 2, 1, 0, -1], [4, 3, 2, 1, 0]]


def test_shaw_scores_follow_the_definition(alibi):
    rng = np.random.default_rng(20)
    q, k, w = rng.normal(size=(7, 3)), rng.normal(size=(7, 3)), rng.normal(size=(5, 3))
    got = alibi["shaw_scores"](q, k, w)
    for i in range(7):
        for j in range(7):
            assert got[i, j] == pytest.approx(q[i] @ (k[j] + w[max(-2, min(2, j - i)) + 2]) / math.sqrt(3))


def test_t5_edges_are_those_of_the_released_code(alibi):
    assert alibi["t5_edges"]().tolist() == REFERENCE["t5_causal_first_distance"]
    assert alibi["t5_edges"](16).tolist() == REFERENCE["t5_bidir_first_distance_half"]
    assert alibi.glued["t5_last_causal"] == REFERENCE["t5_causal_first_distance"][-1]
    assert alibi.glued["t5_last_encoder"] == REFERENCE["t5_bidir_first_distance_half"][-1]


def test_t5_buckets_count_the_edges_passed(alibi):
    edges = REFERENCE["t5_causal_first_distance"]
    n = np.arange(400)
    assert alibi["t5_bucket"](n).tolist() == [bisect_right(edges, x) - 1 for x in n]
    half = REFERENCE["t5_bidir_first_distance_half"]
    for offset in (-400, -91, -90, -8, -1, 0, 1, 7, 8, 12, 46, 90, 91, 400):
        assert alibi["t5_bucket_two_sided"](np.array(offset)) == bisect_right(half, abs(offset)) - 1 + 16 * (offset > 0)


def test_t5_formula_agrees_away_from_its_edges(alibi):
    for n in (17, 20, 30, 50, 70, 100, 112, 114, 127, 129, 1000):
        formula = min(31, 16 + math.floor(math.log(n / 16) / math.log(8) * 16))
        assert alibi["t5_bucket"](np.array(n)) == formula


def test_costs_are_counted_right(alibi):
    text = printed(alibi)
    assert "learned table, 512 positions: 393216" in text
    assert f"vectors per layer: {12 * 33 * 64}" in text and "layers share: 384" in text


# ---- the bias

def test_the_worked_example(alibi):
    assert np.array_equal(alibi["one_head_bias"](5, 0.5), [
        [0, -0.5, -1, -1.5, -2], [-0.5, 0, -0.5, -1, -1.5], [-1, -0.5, 0, -0.5, -1], [-1.5, -1, -0.5, 0, -0.5], [-2, -1.5, -1, -0.5, 0]])
    assert f"weight at distance 0 over distance 4: {math.e**2:.3f}" in printed(alibi)


@pytest.mark.parametrize("causal", [True, False])
def test_bias_entry_by_entry(alibi, causal):
    got = alibi["alibi_bias"](3, 5, [0.5, 0.3], causal)
    assert got.shape == (2, 3, 5)
    for h, m in enumerate((0.5, 0.3)):
        for row in range(3):
            for j in range(5):
                i = row + 2
                assert got[h, row, j] == (-math.inf if causal and j > i else pytest.approx(-m * abs(i - j)))


@pytest.mark.parametrize("causal", [True, False])
@pytest.mark.parametrize("n_queries", [6, 2])
def test_attention_is_what_its_formula_says(alibi, causal, n_queries):
    rng = np.random.default_rng(21)
    q, k, v = rng.normal(size=(3, n_queries, 4)), rng.normal(size=(3, 6, 4)), rng.normal(size=(3, 6, 5))
    slopes = [0.5, 0.1, 1 / 256]
    assert np.allclose(alibi["alibi_attention"](q, k, v, slopes, causal), attention_by_loops(q, k, v, slopes, causal), atol=1e-12)


def test_token_by_token_equals_one_pass(alibi):
    rng = np.random.default_rng(22)
    q, k, v = rng.normal(size=(3, 4, 9, 6))
    full = attention_by_loops(q, k, v, [0.5, 0.25, 0.125, 0.01], True)
    for t in range(9):
        step = alibi["alibi_attention"](q[:, t : t + 1], k[:, : t + 1], v[:, : t + 1], [0.5, 0.25, 0.125, 0.01])
        assert np.allclose(step[:, 0], full[:, t], atol=1e-12)
    assert printed(alibi).count("equals one pass: True") == 1 and "equal one pass: True" in printed(alibi)


# ---- slopes and windows

def test_slopes_are_those_of_the_released_code(alibi):
    for n, logs in REFERENCE["alibi_log2_slopes"].items():
        assert np.allclose(np.log2(alibi["alibi_slopes"](int(n))), logs, atol=1e-9), n


def test_slopes_follow_the_recursion_for_every_number_of_heads(alibi):
    def slopes(n):
        if n & (n - 1) == 0:
            return [2 ** (-8 * h / n) for h in range(1, n + 1)]
        lower = max(2**a for a in range(10) if 2**a <= n)
        return slopes(lower) + slopes(2 * lower)[::2][: n - lower]

    assert all(np.allclose(alibi["alibi_slopes"](n), slopes(n), rtol=1e-12) for n in range(1, 130))
    assert "both rules agree: 1 2 4 8 16 32\n" in printed(alibi)
    assert not any(a == pytest.approx(2 ** (-8 * h / 12)) for h, a in enumerate(slopes(12), 1))  # caption: no head has the same slope


@pytest.mark.parametrize(("slope", "mass"), [(1 / 2, 0.99), (1 / 256, 0.99), (1 / 256, 0.5), (1 / 16, 0.5), (0.3, 0.9), (2.0, 0.5)])
def test_window_is_the_smallest_that_holds_the_mass(alibi, slope, mass):
    total, width = 0.0, 0
    while total < mass:
        total += (1 - math.exp(-slope)) * math.exp(-slope * width)
        width += 1
    assert alibi["window"](slope, mass) == width


def test_numbers_in_the_text_about_windows(alibi):
    assert alibi.glued["alibi_half"] == 178
    assert alibi.glued["alibi_99"] == 1179
    assert alibi.glued["alibi_99_steep"] == 10
    assert alibi.glued["alibi_beyond"] == pytest.approx(100 / math.e**2)
    assert alibi.glued["alibi_beyond_2"] == pytest.approx(100 / math.e**4)
    assert alibi.glued["alibi_cost_1000"] == pytest.approx(3.90625)


def test_no_slope_puts_more_than_a_quarter_on_the_previous_token(alibi):
    assert "previous token: 0.2500 at slope 0.69" in printed(alibi)
    assert all((1 - x) * x <= 0.25 for x in np.linspace(0, 1, 1001))


# ---- the causal trick

def test_m_times_j_is_the_same_under_a_mask_only(alibi):
    rng = np.random.default_rng(23)
    q, k, v = rng.normal(size=(3, 2, 7, 4))
    slopes = np.array([0.5, 0.02])
    score = np.einsum("hid,hjd->hij", q, k) / 2 + slopes[:, None, None] * np.arange(7)
    causal = np.where(np.tri(7, dtype=bool), np.exp(score), 0)
    assert np.allclose(causal / causal.sum(-1, keepdims=True) @ v, attention_by_loops(q, k, v, slopes, True))
    both = np.exp(score)
    assert not np.allclose(both / both.sum(-1, keepdims=True) @ v, attention_by_loops(q, k, v, slopes, False), atol=0.1)
    assert "causal:  largest difference 0.000000\n" in printed(alibi)
    assert float(re.search(r"no mask: largest difference (\S+)", printed(alibi))[1]) > 0.5


def test_a_symmetric_bias_cannot_tell_left_from_right(alibi):
    rng = np.random.default_rng(24)
    q, k, v = rng.normal(size=(3, 2, 5, 4))
    for causal in (False, True):
        forwards = attention_by_loops(q, k, v, [0.5, 0.1], causal)
        reverse = attention_by_loops(q[:, ::-1], k[:, ::-1], v[:, ::-1], [0.5, 0.1], causal)
        assert np.allclose(forwards, reverse[:, ::-1]) is not causal
        assert f"causal = {causal}: reversed text gives reversed output: {not causal}" in printed(alibi)


def test_half_precision_loses_the_steps_of_m_times_j(alibi):
    assert np.spacing(np.float16(0.5 * 19990)) == 8
    steps = re.search(r"steps of m j: +\[([^\]]+)\]", printed(alibi))[1].split()
    assert {float(s) for s in steps} == {0.0, 8.0}
    assert re.search(r"steps of -m \(i - j\): \[(0\.5 ?){9}\]", printed(alibi))


def test_a_query_numbered_from_zero_looks_the_wrong_way(alibi):
    q, k = alibi["q"][0, -1], alibi["k"][0]
    for sign, label in ((1, "right"), (-1, "wrong")):
        weight = [math.exp(q @ k[j] / 4 + sign * 0.5 * j) for j in range(12)]
        assert f"{label} {sum(weight[-4:]) / sum(weight):.3f}" in printed(alibi)


def test_dropped_keys_had_the_predicted_weight(alibi):
    rows = re.findall(r"^1/(\d+) +(\d\.\d{4}) +(\d\.\d{4})$", printed(alibi), re.M)
    assert [int(r[0]) for r in rows] == [32, 64, 128, 256]
    for slope, lost, predicted in rows:
        assert float(predicted) == pytest.approx(math.exp(-512 / int(slope)), abs=5e-5)
        assert float(lost) == pytest.approx(float(predicted), rel=0.3, abs=2e-4)


# ---- length

def test_share_of_recent_tokens_in_closed_form(alibi):
    x = math.exp(-1 / 16)
    for n, none, flat, falling in zip(alibi["lengths"], *alibi["shares"].values(), strict=True):
        n = int(n)
        assert none == pytest.approx(64 / n)
        assert falling == pytest.approx((1 - x**64) / (1 - x**n))
        head = sum(x**r for r in range(min(n, 113)))
        assert flat == pytest.approx((1 - x**64) / (1 - x) / (head + max(n - 113, 0) * x**113))
    last = {name: share[-1] / share[0] for name, share in alibi["shares"].items()}
    assert last["no bias"] < 0.01 < 0.1 < last["flat beyond 113"] < 0.3 < 0.95 < last["ALiBi, m = 1/16"]


def test_perplexity_of_the_remembering_model_by_counting(alibi):
    documents = alibi["documents"]
    assert documents.shape == (40, 6144)
    places = [[np.flatnonzero(document == word).tolist() for word in range(64)] for document in documents]

    def perplexity(context_of):
        total = 0.0
        for document, where in zip(documents.tolist(), places, strict=True):
            for t in range(3072, 6144):
                used = min(context_of(t), 512)
                spots = where[document[t]]
                count = bisect_left(spots, t) - bisect_left(spots, t - used)
                total -= math.log((count + 0.2) / (used + 64 * 0.2))
        return math.exp(total / (40 * 3072))

    assert alibi.glued["eval_non_512"] == pytest.approx(perplexity(lambda t: 1 + t % 512), rel=1e-9)
    assert alibi.glued["eval_non_3072"] == pytest.approx(perplexity(lambda t: 1 + t % 3072), rel=1e-9)
    full = perplexity(lambda t: 512)
    assert alibi.glued["eval_slide_512"] == pytest.approx(full, rel=1e-9)
    assert alibi.glued["eval_slide_3072"] == pytest.approx(full, rel=1e-9)


def test_pieces_improve_and_the_sliding_window_is_flat(alibi):
    pieces, sliding, limits = alibi["pieces"], alibi["sliding"], alibi["limits"]
    assert pieces == sorted(pieces, reverse=True) and all(a > b for a, b in zip(pieces, sliding, strict=True))
    beyond = [p for limit, p in zip(limits, sliding, strict=True) if limit >= 512]
    assert max(beyond) - min(beyond) < 1e-12 and sliding[0] > sliding[2] > beyond[0]


def test_published_numbers_of_the_figure(alibi):
    assert alibi["useful"] == {"sinusoidal": (20, 50), "rotary": (200, 100), "T5 bias": (600, 800)}  # Press et al., section 2.2


def test_content_overrides_distance(alibi):
    for slope, m in (("2  ", 1 / 2), ("256", 1 / 256)):
        total = math.exp(8 - 100 * m) + sum(math.exp(-m * r) for r in range(100))
        assert f"slope 1/{slope}: weight of the match {math.exp(8 - 100 * m) / total:.3f}, of the present token {1 / total:.3f}" in printed(alibi)
