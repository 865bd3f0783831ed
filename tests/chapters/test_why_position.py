"""The chapter on why position matters, against values that it did not compute."""

import math
import re
from fractions import Fraction

import numpy as np
import pytest
from chapter_pages import FOLDER, source
from pybtex.database import parse_file


@pytest.fixture(scope="module")
def why(chapter):
    return chapter("why_position")


def attention_by_loops(x, w_q, w_k, w_v, causal=False):
    """One head from its definition, with Python numbers."""
    def project(w):
        return [[sum(row[a] * w[a][b] for a in range(len(row))) for b in range(len(w[0]))] for row in x]

    q, k, v = project(w_q), project(w_k), project(w_v)
    out = []
    for i, query in enumerate(q):
        seen = range(i + 1) if causal else range(len(x))
        e = [math.exp(sum(a * b for a, b in zip(query, k[j], strict=True)) / math.sqrt(len(query))) for j in seen]
        out.append([sum(weight * v[j][c] for weight, j in zip(e, seen, strict=True)) / sum(e) for c in range(len(v[0]))])
    return np.array(out)


def rounded(value, bits):
    """A positive fraction, rounded half to even to this many significant bits."""
    shift = bits - 1 - math.floor(math.log2(value))
    scaled = value * Fraction(2) ** shift
    return Fraction(round(scaled)) / Fraction(2) ** shift


def test_softmax_of_logarithms_is_their_proportions(why):
    weights = why["softmax"](np.log([[1.0, 3.0], [2.0, 2.0]]) + 700)
    assert np.allclose(weights, [[0.25, 0.75], [0.5, 0.5]], atol=1e-12)
    assert np.allclose(why["softmax"](np.array([0.0, -np.inf])), [1, 0])


@pytest.mark.parametrize("causal", [False, True])
def test_attention_is_what_its_formula_says(why, causal):
    rng = np.random.default_rng(100)
    x, w_q, w_k, w_v = rng.normal(size=(5, 6)), *rng.normal(size=(2, 6, 3)), rng.normal(size=(6, 4))
    expected = attention_by_loops(x.tolist(), w_q.tolist(), w_k.tolist(), w_v.tolist(), causal)
    assert np.allclose(why["self_attention"](x, w_q, w_k, w_v, causal), expected, atol=1e-12)


def test_scaled_scores_have_unit_spread_at_every_width(why):
    rows = re.findall(r"^ *(\d+) +([\d.]+) +([\d.]+) +([\d.]+) +([\d.]+)$", why.outputs[2].stdout, re.M)
    assert [int(r[0]) for r in rows] == [4, 16, 64, 256]
    for d_k, raw, scaled, largest_raw, largest_scaled in rows:
        assert float(raw) == pytest.approx(math.sqrt(int(d_k)), rel=0.07)
        assert float(scaled) == pytest.approx(1, rel=0.07)
        assert float(largest_scaled) < float(largest_raw)
    assert float(rows[-1][3]) > 0.85  # a wide head without the factor is almost one-hot


def test_the_two_sentences_give_the_same_vectors(why):
    by_word = [dict(zip(s.split(), y, strict=True)) for s, y in ((why["first"], why["y_first"]), (why["second"], why["y_second"]))]
    assert by_word[0].keys() == by_word[1].keys()
    for word in by_word[0]:
        assert np.allclose(by_word[0][word], by_word[1][word], atol=1e-12)
    assert np.allclose(why["y_first"][0], why["y_first"][4], atol=1e-12)  # the twins


def test_encoders_are_equivariant_and_decoders_are_not(why):
    assert why["error_encoder"] < 1e-12
    assert why["error_decoder"] > 0.1
    # every permutation of a short sequence, not only random ones
    from itertools import permutations
    rng = np.random.default_rng(101)
    x = rng.normal(size=(4, 8))
    layers = [why["random_layer"](8, 2, rng) for _ in range(2)]
    for order in map(list, permutations(range(4))):
        assert np.allclose(why["transformer"](x[order], layers), why["transformer"](x, layers)[order], atol=1e-12)


def test_a_masked_model_sees_the_multiset(why):
    at = why["at_mask"]
    assert np.allclose(at("on the [MASK] sat the cat"), at("the cat sat on the [MASK]"), atol=1e-12)
    assert abs(at("cat cat sat on the [MASK]") - at("the cat sat on the [MASK]")).max() > 0.01
    assert abs(at("cat sat on the [MASK]") - at("the cat sat on the [MASK]")).max() > 0.01
    assert why["multiset_difference"] > 0.01


def test_one_causal_layer_sees_a_bag_and_two_see_order(why):
    assert why["last_row_change"][0] < 1e-12
    assert min(why["last_row_change"][1:]) > 0.01


def test_the_construction_counts(why):
    assert np.allclose(why["counted"], range(20), atol=1e-9)
    for n in (2, 7, 100):
        x = np.random.default_rng(n).normal(size=(n, 3))
        x[:, 1] = np.arange(n) == 0
        inverse = why["count_from_the_left"](x, flag=1)
        assert np.allclose(inverse, [1 / (i + 1) for i in range(n)], atol=1e-12)
        assert np.allclose(why["invert_up_to"](n)(inverse), range(n), atol=1e-7)
    beyond = why["invert_up_to"](10)(np.array([1 / 50, 1 / 500]))
    assert np.allclose(beyond, 9)  # stands still past the last knot


def test_the_second_layer_is_alibi(why):
    """A causal softmax over -m (i - j) is a geometric series cut after i + 1 terms."""
    assert why["alibi_difference"] < 1e-12
    r = math.exp(-0.5)
    for i in range(8):
        for j in range(i + 1):
            assert why["own"][i, j] == pytest.approx(r ** (i - j) * (1 - r) / (1 - r ** (i + 1)), abs=1e-9)


def test_equal_tokens_cannot_be_counted_without_a_first_one(why):
    assert why["spread_without"] < 1e-12
    assert why["spread_with"] > 0.1


@pytest.mark.parametrize("name, bits", [("float16", 11), ("bfloat16", 8)])
def test_where_neighbouring_counts_merge(why, name, bits):
    first = next(i for i in range(5000) if rounded(Fraction(1, i + 1), bits) == rounded(Fraction(1, i + 2), bits))
    assert why.glued[{"float16": "why-merged-float16", "bfloat16": "why-merged-bfloat16"}[name]] == first


def test_bfloat16_rounds_to_the_nearest(why):
    values = np.random.default_rng(102).uniform(0.001, 1000, size=200).astype(np.float32)
    assert why["bfloat16"](values).tolist() == [float(rounded(Fraction(float(v)), 8)) for v in values]


def test_equal_tokens_share_the_weight(why):
    assert 0.45 < why["largest_weight"] <= 0.5 + 1e-12
    assert why["largest_gap"] < 1e-12


def test_any_distinct_rows_break_the_symmetry(why):
    assert why["cat_difference"] > 0.01


def test_relative_and_rotary_scores_depend_on_the_offset_only(why):
    assert why["spread"]["absolute"] > 0.1
    assert why["spread"]["relative"] < 1e-12
    assert why["spread"]["rotary"] < 1e-9
    # the rotary scores again, by rotation matrices
    q, k, d = why["x_same"] @ why["u_q"], why["x_same"] @ why["u_k"], 16
    for i, j in ((0, 0), (3, 17), (39, 1)):
        score = 0.0
        for pair in range(d // 2):
            theta = 10000 ** (-2 * pair / d)

            def turn(v, p, t=theta, a=2 * pair):
                c, s = math.cos(p * t), math.sin(p * t)
                return v[a] * c - v[a + 1] * s, v[a] * s + v[a + 1] * c

            (q0, q1), (k0, k1) = turn(q, i), turn(k, j)
            score += q0 * k0 + q1 * k1
        assert why["scores_rotary"][i, j] == pytest.approx(score / math.sqrt(d), abs=1e-9)


def test_dates_on_the_map_are_those_of_the_preprints(why):
    """An arXiv id begins with the year and month of the first version. YaRN appeared on the last day of the month before."""
    months = ["January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"]
    entries = parse_file(str(FOLDER / "references.bib")).entries
    dated = re.findall(rf"({'|'.join(months)}) (\d{{4}}) {{cite:p}}`(\w+)`", source("why_position"))
    assert len(dated) >= 14
    for month, year, key in dated:
        number = entries[key].fields["eprint"]
        expected = "2308" if number == "2309.00071" else number[:4]
        assert f"{int(year) % 100:02d}{months.index(month) + 1:02d}" == expected, key
    # and the figure says what the table says
    drawn = {name: (year, month) for _, events in why["history"].values() for year, month, name in events}
    for name, key in (("learned", "gehring2017"), ("sinusoidal", "vaswani2017"), ("BERT", "devlin2019"), ("ViT", "dosovitskiy2021"), ("Shaw", "shaw2018"),
                      ("Transformer-XL", "dai2019"), ("T5", "raffel2020"), ("ALiBi", "press2022"), ("RoFormer", "su2021"), ("xPos", "sun2022"),
                      ("interpolation", "chen2023"), ("LongRoPE", "ding2024"), ("Irie", "irie2019"), ("Haviv", "haviv2022"), ("Kazemnejad", "kazemnejad2023")):
        year, month = drawn[name]
        assert f"{year % 100:02d}{month:02d}" == entries[key].fields["eprint"][:4], name
