"""The chapter on context extension against the published frequencies and values that it did not compute."""

import json
import math
import re
from pathlib import Path

import numpy as np
import pytest

REFERENCE = json.loads((Path(__file__).parents[1] / "reference_values.json").read_text(encoding="utf8"))["hf_inv_freq"]


@pytest.fixture(scope="module")
def page(chapter):
    return chapter("context_extension")


def printed(page, marker):
    found = [o.stdout for o in page.outputs if marker in o.source]
    assert len(found) == 1, marker
    return found[0]


def numbers(text):
    return [float(n) for n in re.findall(r"-?\d+\.\d+(?:e-?\d+)?", text)]


def ladder(d, base):
    return np.array([math.exp(-2 * i / d * math.log(base)) for i in range(d // 2)])


def ours(page, parameters):
    """(frequencies, factor) of the chapter's function for a published configuration."""
    p = parameters
    theta, length = ladder(p["head_dim"], p["theta"]), p.get("original_max_position_embeddings", p["max_pos"])
    kind = p["rope_type"]
    if kind == "linear":
        return page["position_interpolation"](theta, p["factor"], length)
    if kind == "dynamic":
        return page["dynamic_ntk"](theta, p["factor"], p["max_pos"], p["seq_len"])
    if kind == "llama3":
        return page["llama3"](theta, p["factor"], length, p["low_freq_factor"], p["high_freq_factor"])
    assert kind == "yarn"
    return page["yarn"](theta, p["factor"], length, p.get("beta_fast", 32), p.get("beta_slow", 1), truncate=p.get("truncate", True),
                        mscale=p.get("mscale", 1.0), mscale_all_dim=p.get("mscale_all_dim", 0.0))


@pytest.mark.parametrize("name", REFERENCE)
def test_published_configurations(page, name):
    """All pairs of all eight configurations, as transformers computes them, to a relative 1e-6."""
    theta, factor = ours(page, REFERENCE[name]["params"])
    np.testing.assert_allclose(theta, REFERENCE[name]["inv_freq"], rtol=1e-6, atol=0)
    assert factor == pytest.approx(REFERENCE[name]["attention_factor"], rel=1e-6)


def test_the_numbers_typed_into_the_chapter_are_the_published_ones(page):
    typed = [(pair, frequency, factor) for _, pair, frequency, factor in page["published"].values()]
    assert len(typed) == len(REFERENCE) == 8
    for (pair, frequency, factor), published in zip(typed, REFERENCE.values(), strict=True):
        assert frequency == pytest.approx(published["inv_freq"][pair], rel=1e-8)
        assert factor == pytest.approx(published["attention_factor"], rel=1e-8)
    assert printed(page, "published = {").count("True") == 8


def test_never_turning_pairs(page):
    for base, length, d, want in ((1e4, 2048, 128, 23), (1e4, 4096, 128, 18), (5e5, 8192, 128, 29), (1e4, 10, 8, 3)):
        assert page["never_turn"](base, length, d) == want
    assert "40.21" in printed(page, "def never_turn") and "23 of 64" in printed(page, "def never_turn")


def test_bases(page):
    """facts of the papers: base * scale^(d/(d-2)); dynamic with f = 1 and 2 at twice the training length."""
    text = printed(page, "def ntk_aware")
    assert all(number in text for number in ("20221.26", "40889.94", "82684.62"))
    theta = ladder(128, 1e4)
    for scale in (1, 2, 4, 8):
        new, factor = page["ntk_aware"](theta, scale, None)
        np.testing.assert_allclose(new, ladder(128, 1e4 * scale ** (128 / 126)), rtol=1e-12)
        assert new[0] == 1 and new[-1] == pytest.approx(theta[-1] / scale) and factor == 1
    for f, length, base in ((1, 4096, 20221.26), (2, 4096, 30527.74), (1, 1000, 10000), (2, 2048, 10000)):
        assert page["base_of"](page["dynamic_ntk"](theta, f, 2048, length)[0]) == pytest.approx(base, abs=0.005)
    assert "30527.74" in printed(page, "def dynamic_ntk")


def test_which_pairs_leave_their_arc(page):
    """A slow pair stays on its arc if it is divided by the scale or more."""
    assert [int(n) for n in re.findall(r"\d+$", printed(page, "def outside_arc"), re.M)] == [23, 23, 0, 22]
    assert printed(page, "def ntk_by_parts").strip().endswith(" 0")


def test_by_parts_one_pair_at_a_time(page):
    for alpha, beta, scale, length, base in ((1, 32, 4, 2048, 1e4), (1, 4, 8, 8192, 5e5)):
        want = []
        for value in ladder(128, base):
            turns = length * value / (2 * math.pi)
            gamma = min(max((turns - alpha) / (beta - alpha), 0), 1)
            want.append((1 - gamma) * value / scale + gamma * value)
        np.testing.assert_allclose(page["ntk_by_parts"](ladder(128, base), scale, length, alpha, beta)[0], want, rtol=1e-12)


def test_llama_3_is_by_parts(page):
    theta = ladder(128, 5e5)
    new = page["llama3"](theta, 8, 8192)[0]
    np.testing.assert_allclose(new[:29], theta[:29], rtol=1e-12)
    np.testing.assert_allclose(new[35:], theta[35:] / 8, rtol=1e-12)
    smooth = (new[29:35] / theta[29:35] - 1 / 8) / (1 - 1 / 8)
    np.testing.assert_allclose(smooth, [0.8036, 0.5928, 0.4212, 0.2813, 0.1673, 0.0745], atol=5e-5)
    small = page["llama3"](ladder(64, 5e5), 32, 8192)[0] / ladder(64, 5e5)
    assert (np.isclose(small, 1).sum(), np.isclose(small, 1 / 32).sum()) == (15, 14)
    assert printed(page, "def llama3").split() == (
        "kept: pairs 0 to 28 divided by 8: pairs 35 to 63 equal to by-parts with alpha = 1, beta = 4: True".split())


def test_edges_of_the_released_ramp(page):
    """low and high of Llama 2 are 20 and 46, of base 1e6 and L = 32768 23 and 40; the clamp is d - 1 and 0."""
    for base, length, low, high in ((1e4, 4096, 20, 46), (1e6, 32768, 23, 40)):
        theta = ladder(128, base)
        keep = (page["yarn"](theta, 4, length)[0] / theta - 1 / 4) / (1 - 1 / 4)
        want = 1 - np.clip((np.arange(64) - low) / (high - low), 0, 1)
        np.testing.assert_allclose(keep, want, atol=1e-9)
    for length in (128, 131072):  # d = 64: the lower and the upper limit matter
        theta = ladder(64, 1e4)
        edges = [64 * math.log(length / (2 * math.pi * n)) / (2 * math.log(1e4)) for n in (32, 1)]
        low, high = max(math.floor(edges[0]), 0), min(math.ceil(edges[1]), 63)
        want = 1 - np.clip((np.arange(32) - low) / (high - low), 0, 1)
        np.testing.assert_allclose((page["yarn"](theta, 4, length)[0] / theta - 1 / 4) * 4 / 3, want, atol=1e-9)


def test_the_temperature_is_squared(page):
    for scale, want in ((8, 1.20794), (16, 1.27726), (32, 1.34657), (40, 1.36889), (1, 1.0), (0.5, 1.0)):
        assert page["temperature"](scale) == pytest.approx(want, abs=5e-6)
    a, squared, measured = numbers(printed(page, "a squared ="))
    assert squared == measured == pytest.approx(1.63139, abs=5e-6) and a == pytest.approx(1.27726, abs=5e-6)
    plain, inside, after = (numbers(line) for line in printed(page, "def softmax").splitlines())
    assert sum(after[:3]) == pytest.approx(1.27726, abs=2e-3)
    e = [math.exp(1.63139 * s) for s in (2, 1, 0)]
    assert inside == pytest.approx([v / sum(e) for v in e], abs=6e-4)


def test_keys_in_use(page):
    """For n normal scores of standard deviation sigma, the entropy of the softmax is about ln n - sigma^2 / 2."""
    for power, row in enumerate(page["in_use"]):
        for n, got in zip(page["lengths"], row, strict=True):
            sigma = 1.5 * (1 + 0.1 * math.log(n / 4096)) ** power
            assert got == pytest.approx(n * math.exp(-sigma**2 / 2), rel=0.12)


def test_longrope_and_proportional(page):
    theta = ladder(128, 1e4)
    new, factor = page["longrope"](theta, 32, 4096, np.arange(1, 65))
    np.testing.assert_allclose(new, theta / np.arange(1, 65))
    assert factor == pytest.approx(1.19024, abs=5e-6)
    new, factor = page["proportional"](ladder(512, 1e6), 1, None)  # the global layers of Gemma 4
    np.testing.assert_allclose(new[:64], [1e6 ** (-2 * i / 512) for i in range(64)])
    assert factor == 1 and not new[64:].any() and len(new) == 256


def test_rotation_with_given_frequencies(page):
    x = np.random.default_rng(0).normal(size=(2, 4))
    got = page["rotate"](x, [3, 5], np.array([0.2, 0.01]), 1.5)
    z = x.view(complex) * 1.5 * np.exp(1j * np.outer([3, 5], [0.2, 0.01]))
    np.testing.assert_allclose(got, z.view(float))


def test_paper_and_code_of_yarn(page):
    text = printed(page, "def yarn_paper")
    assert [float(n) for n in re.findall(r"\d\.\d\d", text)] == [0.97, 3.04, 1.71] and "pair 38" in text
    theta = ladder(128, 1e4)
    assert page["code_over_paper"](theta, 8, 2048).max() == pytest.approx(2.34, abs=0.005)
    assert page["code_over_paper"](theta, 32, 4096).argmax() == 40


def fitted(distance):
    """The fitted head again: least squares with the ridge as extra rows, by another solver."""
    theta = ladder(128, 1e4)
    seen = np.arange(2048)
    basis = np.concatenate([np.cos(np.outer(seen, theta)), np.sin(np.outer(seen, theta))], axis=1)
    rows = np.concatenate([basis, math.sqrt(1e-3) * np.eye(128)])
    amplitude = np.linalg.lstsq(rows, np.concatenate([seen < 512, np.zeros(128)]), rcond=None)[0]
    return np.concatenate([np.cos(np.outer(distance, theta)), np.sin(np.outer(distance, theta))], axis=1) @ amplitude


def stale_scores(t=1024, length=256, aim=100):
    """Scores of equal vectors, every key rotated with the base of its arrival, pair by pair as cosines."""
    def base(n):
        return 1e4 * (max(n, length) / length) ** (128 / 126)
    now = ladder(128, base(t))
    return np.array([np.mean(np.cos(p * ladder(128, base(p + 1)) - (t - 1 - aim) * now)) for p in range(t)])


def test_glued_numbers(page):
    stale = stale_scores()
    want = {
        "ctx_seen": abs(fitted(np.arange(2048))).max(),
        "ctx_beyond": abs(fitted(np.arange(2048, 8192))).max(),
        "ctx_interpolated": abs(fitted(np.arange(8192) / 4)).max(),
        "ctx_yarn_ratio": 3.04,
        "ctx_yarn_pair": 38,
        "ctx_yarn_ratio32": 3.96,
        "ctx_deepseek": 1.87385,
        "ctx_stale_peak": 1023 - stale.argmax(),
        "ctx_stale_max": stale.max(),
        "ctx_stale_100": stale[923],
    }
    tolerance = {"ctx_yarn_ratio": 0.005, "ctx_yarn_ratio32": 0.005, "ctx_deepseek": 5e-6, "ctx_beyond": 0.01}
    assert page.glued.keys() == want.keys()
    for key, value in want.items():
        assert page.glued[key] == pytest.approx(value, abs=tolerance.get(key, 1e-4)), key


def test_claims(page):
    turns = printed(page, "turns within 4096 tokens")
    assert f"{4096 / (2 * math.pi):.0f}" in turns and f"{4096 * 1e4 ** (-126 / 128) / (2 * math.pi):.3f}" in turns
    rows = [numbers(line) for line in printed(page, "divisor of  ").splitlines()[1:]]
    assert rows == [[16.0, 16.0], [1.0, 16.0], [1.0, 16.0]]
    ratios = [float(n) for n in re.findall(r"a ratio of (\d+)", printed(page, "a ratio of"))]
    assert ratios == pytest.approx([b ** (126 / 128) for b in (1e4, 5e5, 1e6)], abs=0.5)
    slower = numbers(printed(page, '"Code Llama", 1e6'))
    assert slower == pytest.approx([100 ** (126 / 128), 50 ** (126 / 128)], abs=0.05)
    np.testing.assert_allclose(page["stale"], stale_scores(), atol=1e-9)
    assert 1023 - page["fresh"].argmax() == 100 and page["fresh"].max() == pytest.approx(1)
