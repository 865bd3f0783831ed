"""The reference answers against numbers that were computed elsewhere: published slopes, T5's edges, and the inverse
frequencies that `transformers` computes for released models (float32, hence the tolerance)."""
import json
from pathlib import Path

import numpy as np
import pytest
from exercises import runner

VALUES = json.loads((Path(__file__).parents[1] / "reference_values.json").read_text(encoding="utf-8"))
FREQUENCIES = VALUES["hf_inv_freq"]


def answers(name):
    """The names that the reference answers of an assignment define."""
    namespace = {"np": np}
    for cell in runner.load(name).cells:
        if cell.kind == "answer":
            exec(cell.source, namespace)
    return namespace


@pytest.mark.parametrize("n_heads", [int(n) for n in VALUES["alibi_log2_slopes"]])
def test_slopes(n_heads):
    np.testing.assert_allclose(np.log2(answers("alibi")["alibi_slopes"](n_heads)), VALUES["alibi_log2_slopes"][str(n_heads)], rtol=1e-12)


def test_first_distance_of_each_bucket():
    buckets = answers("alibi")["t5_bucket"](np.arange(200))
    assert [int(np.argmax(buckets == b)) for b in range(32)] == VALUES["t5_causal_first_distance"]


@pytest.mark.parametrize("model", ["yarn_llama2_s16", "yarn_qwen25_s4", "yarn_deepseekv3_d64"])
def test_yarn(model):
    published, given = FREQUENCIES[model], FREQUENCIES[model]["params"]
    answer = answers("context_extension")
    ours = answer["yarn_inv_freq"](given["head_dim"], given["theta"], given["factor"], given["original_max_position_embeddings"])
    np.testing.assert_allclose(ours, published["inv_freq"], rtol=2e-6)
    if "mscale" not in given:
        assert answer["yarn_attention_factor"](given["factor"]) == pytest.approx(published["attention_factor"], rel=1e-12)


@pytest.mark.parametrize("model", ["llama3.1", "llama3.2_1B_d64"])
def test_llama3(model):
    given = FREQUENCIES[model]["params"]
    ours = answers("context_extension")["llama3_inv_freq"](
        given["head_dim"], given["theta"], given["factor"], given["low_freq_factor"], given["high_freq_factor"], given["original_max_position_embeddings"])
    np.testing.assert_allclose(ours, FREQUENCIES[model]["inv_freq"], rtol=2e-6)


def test_dynamic_ntk():
    given = FREQUENCIES["dynamic_d128_L2048_f2_seq4096"]["params"]
    base = answers("context_extension")["dynamic_ntk_base"](given["theta"], given["seq_len"], given["max_pos"], given["head_dim"], given["factor"])
    ours = base ** (-np.arange(0, given["head_dim"], 2) / given["head_dim"])
    np.testing.assert_allclose(ours, FREQUENCIES["dynamic_d128_L2048_f2_seq4096"]["inv_freq"], rtol=2e-6)


def test_position_interpolation():
    published, given = FREQUENCIES["linear_d128_s4"], FREQUENCIES["linear_d128_s4"]["params"]
    at_one = answers("context_extension")["interpolate_positions"]([1], given["max_pos"] / given["factor"], given["max_pos"])[0]
    theta = given["theta"] ** (-np.arange(0, given["head_dim"], 2) / given["head_dim"])
    np.testing.assert_allclose(at_one * theta, published["inv_freq"], rtol=2e-6)
