"""chapters/choosing.md against closed forms, other implementations and the published numbers."""

import math

import numpy as np
import pytest


@pytest.fixture(scope="module")
def page(chapter):
    return chapter("choosing")


# ---- glued numbers, recomputed by hand

@pytest.mark.parametrize("name, expected", [
    ("choosing_gpt2_blocks", 1024 / (12 * 768)),
    ("choosing_long_blocks", 131072 / (12 * 4096)),
    ("choosing_rotary_share", 100 * 6 / (24 * 4096 + 4 * 4096)),             # n and d_model cancel at n = d_model = 4096
    ("choosing_bias_share", 100 * 32 / (4096 * (24 + 4))),
    ("choosing_bias_limit", 100 / 512),
    ("choosing_kv_gib", 64),                                                 # 2 * 32 layers * 2^17 tokens * 2^12 * 2 bytes = 2^36
    ("choosing_bias_tib", 1),                                                # 2^5 heads * 2^34 * 2 bytes = 2^40
    ("choosing_tables_mib", 64),                                             # 2^17 * 2^7 * 4 = 2^26
    ("choosing_cross", 8192),
    ("choosing_cache_per_token_kib", 512),
    ("choosing_bleu_gap", 100 * (25.8 - 25.7) / 25.8),
    ("choosing_roformer_gap", 100 * (27.5 - 27.3) / 27.5),
    ("choosing_loss_gap", 100 * math.log(18.67 / 17.60) / math.log(17.60)),
    ("choosing_ppl_gap", 100 * (18.67 / 17.60 - 1)),
    ("choosing_vit_gap", 100 * (1 - 0.64001 / 0.64206)),
    ("choosing_vit_none", 100 * (1 - 0.61382 / 0.64206)),
    ("choosing_seed_loss", 100 * math.log(18.91 / 18.67) / math.log(18.67)),
    ("choosing_alibi_change", math.log(19.73 / 18.40)),
    ("choosing_pi_change", math.log(8.07 / 3.34)),
    ("choosing_yarn_change", math.log(6.04 / 3.35)),
    ("choosing_t5_last", 39),
])
def test_glued_values(page, name, expected):
    assert page.glued[name] == pytest.approx(expected, rel=1e-9)


def test_counts_are_the_formulas(page):
    """Each step's counted operations equal the formula's, also for other sizes than the page's."""
    count, counted, rotate = page["count"], page["counted"], page["rotate"]
    for n, heads, d in [(10, 3, 8), (7, 1, 4)]:
        width = heads * d
        assert count(lambda: counted(n, width) @ counted(width, 5)) == 2 * n * width * 5
        assert count(lambda: [rotate(counted(heads, n, d), counted(n, d // 2), counted(n, d // 2)) for _ in "qk"]) == 6 * n * width
        assert count(lambda: counted(heads, n, n) + counted(heads, n, n)) == heads * n * n
    assert all(count(step) == formula for step, formula in page["steps"].values())


def test_the_counted_rotation_is_a_rotation(page):
    rng = np.random.default_rng(1)
    x, angle = rng.normal(size=(5, 8)), rng.normal(size=(5, 4))
    z = (x[:, :4] + 1j * x[:, 4:]) * np.exp(1j * angle)
    np.testing.assert_allclose(page["rotate"](x, np.cos(angle), np.sin(angle)), np.hstack([z.real, z.imag]))


def test_bias_share_never_exceeds_its_limit(page):
    for n in (10, 1000, 10**6, 10**9):
        assert page["shares"](n, 4096, 32)["bias"] < page.glued["choosing_bias_limit"]


def test_memory_of_one_small_model(page):
    size = page["memory"](np.array([10]), d_model=8, heads=2, layers=3)
    assert {name: int(value[0]) for name, value in size.items()} == {
        "KV cache": 2 * 3 * 10 * 8 * 2, "bias written out": 2 * 100 * 2, "learned table": 160, "cos and sin tables": 10 * 2 * 2 * 2 * 2 // 2 * 2,
        "bias row of one token": 40, "slopes": 8}


# ---- the experiment

def test_targets_are_distributions_over_the_past(page):
    for pattern in page["PATTERNS"]:
        wanted = page["target"](pattern)
        assert np.allclose(wanted.sum(axis=1)[np.nonzero(wanted.sum(axis=1))], 1)
        assert np.all(wanted[np.triu_indices(256, 1)] == 0)
    assert page["target"]("3 back")[10, 7] == 1 and page["target"]("40 back")[2].sum() == 0 and page["target"]("first")[9, 0] == 1
    assert page["target"]("recent")[5, 4] / page["target"]("recent")[5, 5] == pytest.approx(0.8)


@pytest.mark.parametrize("name", ["none", "learned", "sinusoidal", "ALiBi", "T5", "rotary"])
def test_gradients_by_finite_differences(page, name):
    """The gradient that training uses, against differences of the loss that it is the gradient of."""
    L, head, wanted = page["L"], page["make_heads"](3)[name], page["target"]("recent")[:64, :64]
    rng = np.random.default_rng(4)
    for p in head.parameters:
        p += 0.1 * rng.random(p.shape)

    def loss():
        return -(wanted * np.log(np.maximum(page["attention"](head.scores(L)), 1e-300))).sum() / L

    actual = page["attention"](head.scores(L))
    for p, gradient in zip(head.parameters, head.gradient((actual - wanted) / L), strict=True):
        for place in rng.integers(p.size, size=5):
            index = np.unravel_index(place, p.shape)
            old, step = p[index], 1e-5
            p[index] = old + step
            up = loss()
            p[index] = old - step
            down = loss()
            p[index] = old
            assert gradient[index] == pytest.approx((up - down) / (2 * step), abs=1e-7)


def test_features_of_the_rotary_head_are_its_scores(page):
    """For any q and k, q' R(-r) k is a weighted sum of the head's features, with the weights that the page states."""
    rng = np.random.default_rng(5)
    q, k = rng.normal(size=16), rng.normal(size=16)
    theta = 10000.0 ** (-2 * np.arange(8) / 16)
    zq, zk = q[0::2] + 1j * q[1::2], k[0::2] + 1j * k[1::2]
    a, b = q[0::2] * k[0::2] + q[1::2] * k[1::2], q[0::2] * k[1::2] - q[1::2] * k[0::2]
    head = page["make_heads"](0)["rotary"]
    head.parameters[0][:] = np.concatenate([a, b])
    scores = head.scores(50)
    for i, j in [(0, 0), (7, 3), (49, 1)]:   # q at i, k at j: the key is turned by theta (j - i) against the query
        expected = (np.conj(zq * np.exp(1j * theta * i)) * (zk * np.exp(1j * theta * j))).real.sum()
        assert scores[i, j] == pytest.approx(expected)


def test_t5_buckets_by_the_formula(page):
    expected = [r if r < 8 else min(8 + int(math.log(r / 8) / math.log(48 / 8) * 8), 15) for r in range(256)]
    assert page["t5_buckets"]().tolist() == expected


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_what_survives_beyond_the_training_length(page, seed):
    """The findings of the page, for three seeds of the learned and the sinusoidal head."""
    found = {}
    for pattern in page["PATTERNS"]:
        for name, head in page["make_heads"](seed).items():
            if seed and name not in ("learned", "sinusoidal"):
                continue
            curve = page["excess"](page["train"](head, page["target"](pattern)), page["target"](pattern))
            found[pattern, name] = curve[48:64].mean(), curve[128:].mean()
    for pattern in page["PATTERNS"]:
        assert found[pattern, "learned"][0] < 0.05 and found[pattern, "learned"][1] > 2
        assert found[pattern, "sinusoidal"][0] < 0.05
    assert min(found[p, "sinusoidal"][1] for p in ("3 back", "recent", "40 back")) > 1
    assert found["first", "sinusoidal"][1] < 0.05
    if not seed:
        assert max(found[p, "rotary"][1] for p in ("3 back", "recent", "40 back")) < 0.5 and found["first", "rotary"][1] > 5
        assert max(found["recent", "ALiBi"]) < 1e-3 and found["3 back", "ALiBi"] == pytest.approx([2.25, 2.25], abs=0.01)
        assert max(found["3 back", "T5"]) < 0.05 and min(found["40 back", "T5"]) > 2
        glued = {"choosing_rotary_near": ("3 back", "rotary"), "choosing_rotary_far": ("40 back", "rotary"), "choosing_rotary_first": ("first", "rotary"),
                 "choosing_sin_near": ("3 back", "sinusoidal"), "choosing_sin_first": ("first", "sinusoidal"), "choosing_learned_near": ("3 back", "learned"),
                 "choosing_alibi_near": ("3 back", "ALiBi"), "choosing_alibi_recent": ("recent", "ALiBi"),
                 "choosing_t5_far": ("40 back", "T5"), "choosing_t5_near": ("3 back", "T5")}
        for name, key in glued.items():
            assert page.glued[name] == pytest.approx(abs(found[key][1]), abs=1e-3)


def test_alibi_at_3_back_is_as_good_as_a_slope_can_be(page):
    """The best weight at distance 3 of e^(-m r) over an endless past has m = log(4/3): excess log(256/27)."""
    assert page.glued["choosing_alibi_near"] == pytest.approx(math.log(256 / 27), abs=0.01)


def test_untrained_uniform_attention_has_the_entropy_of_the_positions(page):
    curve = page["results"]["3 back"]["none"]
    np.testing.assert_allclose(curve[3:], np.log(np.arange(4, 257)), atol=1e-9)


# ---- state space models

def test_recurrence_is_the_sum_over_the_past(page):
    rng = np.random.default_rng(6)
    x, a = rng.normal(size=(9, 2)), 0.7
    expected = np.array([sum(a ** (t - j) * x[j] for j in range(t + 1)) for t in range(9)])
    np.testing.assert_allclose(page["recurrence"](x, a), expected)
    assert page["difference"] < 1e-12


def test_rotary_and_slope_together_are_one_complex_factor(page):
    r = np.arange(61)
    kernel = page["recurrence"](page["impulse"], np.exp(-1 / 8 + 0.5j)).real[:, 0]
    np.testing.assert_allclose(kernel, np.exp(-r / 8) * np.cos(0.5 * r), atol=1e-12)


# ---- the section of wrong claims prints what the text says

def test_counter_examples(page):
    printed = "\n".join(o.stdout for o in page.outputs)
    assert "one base: Llama 2, Llama 3.1\n2 of 7" in printed
    assert "perplexity            6.1 % outside" in printed and "loss                  2.1 % within" in printed
    assert "131072 / 4096 = 32" in printed
    assert "with the bias against without: 1.0002" in printed and "3072 against 512 tokens: 1.38" in printed
    assert "['learned 1-D', 'relative', 'learned 2-D', 'none']" in printed
