"""chapters/torch_encodings.py against NumPy that is written here, from the formulas and not from the module."""

import json
import math

import numpy as np
import pytest
from chapter_pages import ROOT

torch = pytest.importorskip("torch", reason="PyTorch is optional: `pip install -r requirements-torch.txt` enables these tests")
import torch_encodings as te  # noqa: E402  (needs torch)

pytestmark = pytest.mark.torch
REFERENCE = json.loads((ROOT / "tests/reference_values.json").read_text())


def to_numpy(tensor):
    return tensor.detach().double().numpy()


def random(*shape, dtype=torch.float32, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64).to(dtype)


def turned(x, positions, base=10000.0, layout="interleaved"):
    """RoPE by complex numbers. x (..., n, d), positions broadcastable to (..., n)."""
    d = x.shape[-1]
    z = x[..., 0::2] + 1j * x[..., 1::2] if layout == "interleaved" else x[..., : d // 2] + 1j * x[..., d // 2:]
    z = z * np.exp(1j * np.multiply.outer(positions, base ** (-2 * np.arange(d // 2) / d)))
    if layout == "half-split":
        return np.concatenate([z.real, z.imag], axis=-1)
    out = np.empty(z.shape[:-1] + (d,))
    out[..., 0::2], out[..., 1::2] = z.real, z.imag
    return out


def softmax(s):
    e = np.exp(s - s.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


# ---- sinusoidal

@pytest.mark.parametrize("d, base", [(2, 10000.0), (8, 10000.0), (64, 500.0)])
def test_sinusoidal_is_the_formula(d, base):
    module = te.SinusoidalPositionalEncoding(d, max_len=300, base=base).eval()
    x = random(2, 300, d)
    p, i = np.arange(300)[:, None], np.arange(d)[None, :]
    angle = p / base ** (2 * (i // 2) / d)
    expected = to_numpy(x) + np.where(i % 2 == 0, np.sin(angle), np.cos(angle))
    np.testing.assert_allclose(to_numpy(module(x)), expected, atol=1e-6)


def test_sinusoidal_first_rows_for_width_4():
    module = te.SinusoidalPositionalEncoding(4).eval()
    rows = to_numpy(module(torch.zeros(1, 2, 4)))[0]
    np.testing.assert_allclose(rows, [[0, 1, 0, 1], [.84147098, .54030231, .00999983, .99995]], atol=1e-6)


def test_sinusoidal_continues_at_start_and_refuses_what_does_not_fit():
    module = te.SinusoidalPositionalEncoding(8, max_len=10).eval()
    x = random(1, 10, 8)
    assert torch.equal(module(x)[:, 6:], module(x[:, 6:], start=6))
    with pytest.raises(ValueError, match="position 10 .*of 10"):
        module(x, start=1)
    for d in (5, 0):
        with pytest.raises(ValueError, match=str(d)):
            te.SinusoidalPositionalEncoding(d)


# ---- learned

def test_learned_adds_the_row_of_each_position():
    module = te.LearnedPositionalEncoding(6, max_len=12).eval()
    table, x = to_numpy(module.embedding.weight), random(2, 5, 6)
    np.testing.assert_allclose(to_numpy(module(x)), to_numpy(x) + table[:5], atol=1e-6)
    positions = torch.tensor([[0, 1, 2, 3, 4], [0, 0, 0, 1, 2]])  # the second sequence is padded on the left
    np.testing.assert_allclose(to_numpy(module(x, positions)), to_numpy(x) + table[positions.numpy()], atol=1e-6)


def test_learned_gradient_is_the_sum_over_the_batch_and_zero_for_unused_rows():
    module = te.LearnedPositionalEncoding(6, max_len=12, dropout=0.0)
    weights = random(3, 5, 6, seed=1)
    (module(random(3, 5, 6)) * weights).sum().backward()
    expected = np.zeros((12, 6))
    expected[:5] = to_numpy(weights).sum(axis=0)
    np.testing.assert_allclose(to_numpy(module.embedding.weight.grad), expected, atol=1e-5)


def test_learned_refuses_longer_input_and_has_small_initial_values():
    module = te.LearnedPositionalEncoding(64, max_len=512)
    assert 0.019 < module.embedding.weight.std().item() < 0.021
    with pytest.raises(ValueError, match="513 tokens.*512"):
        module(torch.zeros(1, 513, 64))


# ---- rotary

@pytest.mark.parametrize("layout", ["interleaved", "half-split"])
@pytest.mark.parametrize("base", [10000.0, 500000.0])
def test_rotary_is_multiplication_by_complex_numbers(layout, base):
    rotary = te.RotaryEmbedding(16, max_len=64, base=base, layout=layout)
    x = random(2, 3, 40, 16, dtype=torch.float64)
    np.testing.assert_allclose(to_numpy(rotary(x)), turned(x.numpy(), np.arange(40), base, layout), atol=1e-6)
    positions = torch.tensor([5, 0, 63])
    np.testing.assert_allclose(to_numpy(rotary(x[:, :, :3], positions)), turned(x[:, :, :3].numpy(), positions.numpy(), base, layout), atol=1e-6)


@pytest.mark.parametrize("layout", ["interleaved", "half-split"])
def test_rotary_takes_a_row_of_positions_for_each_sequence(layout):
    rotary = te.RotaryEmbedding(8, layout=layout)
    x = random(2, 3, 4, 8, dtype=torch.float64)
    positions = np.array([[0, 1, 2, 3], [0, 0, 7, 9]])
    expected = np.stack([turned(x[b].numpy(), positions[b], layout=layout) for b in range(2)])
    np.testing.assert_allclose(to_numpy(rotary(x, torch.tensor(positions))), expected, atol=1e-6)


@pytest.mark.parametrize("layout", ["interleaved", "half-split"])
def test_rotary_scores_depend_on_the_offset_and_norms_stay(layout):
    rotary = te.RotaryEmbedding(8, layout=layout)
    q, k = random(1, 1, 1, 8, dtype=torch.float64, seed=1), random(1, 1, 1, 8, dtype=torch.float64, seed=2)
    scores = [(rotary(q, torch.tensor([p])) * rotary(k, torch.tensor([p + 4]))).sum().item() for p in (0, 3, 10, 2000)]
    np.testing.assert_allclose(scores, scores[0], atol=1e-6)
    assert rotary(q, torch.tensor([1999])).norm().item() == pytest.approx(q.norm().item(), abs=1e-6)


@pytest.mark.parametrize("name", ["llama3.1", "llama3.2_1B_d64"])
def test_first_frequencies_are_those_of_a_published_model(name):
    """Llama 3 keeps its fast pairs as they are: base 500 000 without scaling."""
    values = REFERENCE["hf_inv_freq"][name]
    kept = 15 if "1B" in name else 29
    ours = te.frequencies(values["params"]["head_dim"], values["params"]["theta"]).numpy()
    np.testing.assert_allclose(ours[:kept], values["inv_freq"][:kept], rtol=1e-6)


def test_layouts_agree_after_the_rows_of_the_weights_are_reordered():
    heads, d, width = 2, 8, 12
    w_q, w_k, x = random(heads * d, width, seed=3), random(heads * d, width, seed=4), random(1, 6, width, seed=5)

    def logits(w_q, w_k, layout):
        rotary = te.RotaryEmbedding(d, layout=layout)
        q, k = ((x @ w.T).unflatten(-1, (heads, d)).transpose(1, 2) for w in (w_q, w_k))
        return rotary(q) @ rotary(k).transpose(-1, -2)

    expected = logits(w_q, w_k, "interleaved")
    moved = [te.interleaved_to_half_split(w, heads) for w in (w_q, w_k)]
    torch.testing.assert_close(logits(*moved, "half-split"), expected, atol=1e-4, rtol=1e-4)
    assert not torch.allclose(logits(w_q, w_k, "half-split"), expected, atol=1e-2)
    order = te.interleaved_to_half_split(torch.arange(16.0)[:, None], heads)[:, 0].int().tolist()
    assert order == [0, 2, 4, 6, 1, 3, 5, 7, 8, 10, 12, 14, 9, 11, 13, 15]
    with pytest.raises(ValueError, match="14 rows"):
        te.interleaved_to_half_split(torch.zeros(14, 3), 2)


def test_rotary_refuses_wrong_arguments():
    with pytest.raises(ValueError, match="7"):
        te.RotaryEmbedding(7)
    with pytest.raises(ValueError, match="'neox'"):
        te.RotaryEmbedding(8, layout="neox")
    with pytest.raises(ValueError, match="9 tokens.*8"):
        te.RotaryEmbedding(4, max_len=8)(torch.zeros(1, 1, 9, 4))
    with pytest.raises(IndexError):
        te.RotaryEmbedding(4, max_len=8)(torch.zeros(1, 1, 1, 4), torch.tensor([8]))


# ---- ALiBi

@pytest.mark.parametrize("n", sorted(map(int, REFERENCE["alibi_log2_slopes"])))
def test_slopes_are_those_of_the_released_code(n):
    np.testing.assert_allclose(np.log2(te.alibi_slopes(n).numpy()), REFERENCE["alibi_log2_slopes"][str(n)], atol=1e-12)


@pytest.mark.parametrize("causal", [True, False])
def test_alibi_bias_by_loops(causal):
    heads, n_queries, n_keys = 3, 4, 7
    bias = to_numpy(te.ALiBi(heads, causal)(n_queries, n_keys))
    slopes = 2.0 ** np.array(REFERENCE["alibi_log2_slopes"]["3"])
    for h in range(heads):
        for row in range(n_queries):
            for j in range(n_keys):
                i = n_keys - n_queries + row
                expected = -np.inf if causal and j > i else -slopes[h] * abs(i - j)
                assert bias[h, row, j] == pytest.approx(expected)


def test_alibi_refuses_wrong_arguments():
    with pytest.raises(ValueError, match="0"):
        te.ALiBi(0)
    with pytest.raises(ValueError, match="3 queries.*2"):
        te.ALiBi(2)(3, 2)


# ---- dtypes, devices, dropout, state

MODULES = {
    "sinusoidal": lambda: (te.SinusoidalPositionalEncoding(8, max_len=5000, dropout=0.0), random(1, 6, 8)),
    "learned": lambda: (te.LearnedPositionalEncoding(8, max_len=5000, dropout=0.0), random(1, 6, 8)),
    "interleaved": lambda: (te.RotaryEmbedding(8, max_len=5000), random(1, 2, 6, 8)),
    "half-split": lambda: (te.RotaryEmbedding(8, max_len=5000, layout="half-split"), random(1, 2, 6, 8)),
}


@pytest.mark.parametrize("name", MODULES)
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.bfloat16, torch.float16])
def test_output_has_the_dtype_of_the_input(name, dtype):
    module, x = MODULES[name]()
    exact = module(x.double())
    for module_dtype in (torch.float32, dtype):  # mixed precision, then a model cast as a whole
        got = module.to(module_dtype)(x.to(dtype))
        assert got.dtype == dtype
        assert (got.double() - exact).abs().max() < 8 * torch.finfo(dtype).eps + 1e-6


@pytest.mark.parametrize("name", MODULES)
def test_modules_move_to_another_device(name):
    """The meta device has no data: any tensor that stayed on the CPU would raise."""
    module, x = MODULES[name]()
    assert module.to("meta")(x.to("meta")).device.type == "meta"


def test_alibi_moves_and_gives_the_dtype_that_is_asked_for():
    assert te.ALiBi(4).to("meta")(3, 5).device.type == "meta"
    assert te.ALiBi(4)(3, 5, torch.bfloat16).dtype == torch.bfloat16
    # The slopes of 8 heads are powers of two: a cast to bfloat16 loses nothing. Those of 12 lose at most half a unit in the last place.
    assert torch.equal(te.ALiBi(8).bfloat16()(9, 9), te.ALiBi(8)(9, 9))
    slopes = te.ALiBi(12).slopes
    assert 1e-4 < ((slopes.bfloat16().float() - slopes) / slopes).abs().max() <= 2 ** -8


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
@pytest.mark.parametrize("position", [257, 4095])
def test_a_model_in_half_precision_keeps_its_phases(dtype, position):
    rotary = te.RotaryEmbedding(64, max_len=4096).to(dtype)
    exact = position * 10000.0 ** (-2 * np.arange(32) / 64)
    assert np.abs(to_numpy(rotary.cos[position]) - np.cos(exact)).max() <= torch.finfo(dtype).eps
    naive = to_numpy((torch.tensor(position, dtype=dtype) * te.frequencies(64).to(dtype)).cos())
    assert np.abs(naive - np.cos(exact)).max() > 10 * torch.finfo(dtype).eps  # the public bug: half-precision phases


def test_dropout_acts_in_training_only():
    for module in (te.SinusoidalPositionalEncoding(8, dropout=0.5), te.LearnedPositionalEncoding(8, dropout=0.5)):
        x = torch.ones(4, 64, 8)
        torch.manual_seed(0)
        trained = module.train()(x)
        dropped = trained == 0
        assert 0.4 < dropped.float().mean() < 0.6
        torch.testing.assert_close(trained[~dropped], 2 * module.eval()(x)[~dropped])


def test_only_the_learned_table_is_trained_and_stored():
    fixed = [te.SinusoidalPositionalEncoding(8), te.RotaryEmbedding(8), te.ALiBi(8)]
    assert [list(m.parameters()) for m in fixed] == [[], [], []]
    assert [dict(m.state_dict()) for m in fixed] == [{}, {}, {}]
    assert list(te.LearnedPositionalEncoding(8).state_dict()) == ["embedding.weight"]


def test_inputs_stay_unchanged():
    for module, x in (make() for make in MODULES.values()):
        before = x.clone()
        module(x)
        assert torch.equal(x, before)


# ---- inside attention

@pytest.mark.parametrize("position, layout", [("rotary", "interleaved"), ("rotary", "half-split"), ("alibi", None), (None, None)])
def test_attention_equals_numpy_and_decoding_equals_the_full_pass(position, layout):
    torch.manual_seed(0)
    batch, n, width, heads = 2, 9, 24, 3
    layer = te.CausalSelfAttention(width, heads, position=position, **({"layout": layout} if layout else {})).double()
    x = random(batch, n, width, dtype=torch.float64, seed=6)
    full, _ = layer(x)

    d = width // heads
    q, k, v = (
        (x.numpy() @ w.weight.detach().numpy().T).reshape(batch, n, heads, d).transpose(0, 2, 1, 3) for w in (layer.query, layer.key, layer.value)
    )
    if position == "rotary":
        q, k = turned(q, np.arange(n), layout=layout), turned(k, np.arange(n), layout=layout)
    scores = q @ k.swapaxes(-1, -2) / math.sqrt(d)
    i, j = np.arange(n)[:, None], np.arange(n)[None, :]
    if position == "alibi":
        scores = scores - 2.0 ** np.array(REFERENCE["alibi_log2_slopes"]["3"])[:, None, None] * (i - j)
    scores = np.where(j > i, -np.inf, scores)
    expected = (softmax(scores) @ v).transpose(0, 2, 1, 3).reshape(batch, n, width) @ layer.out.weight.detach().numpy().T
    np.testing.assert_allclose(to_numpy(full), expected, atol=1e-6)

    cache, steps = None, []
    for t in range(0, n, 2):  # two tokens at a time, the last one alone
        y, cache = layer(x[:, t:t + 2], cache)
        steps.append(y)
    np.testing.assert_allclose(to_numpy(torch.cat(steps, dim=1)), to_numpy(full), atol=1e-6)


def test_attention_without_position_cannot_tell_the_order_of_the_past():
    """The last output of one causal layer without positions is the same for any order of the tokens before it."""
    torch.manual_seed(0)
    x = random(1, 7, 16, dtype=torch.float64)
    shuffled = x[:, [3, 1, 5, 0, 2, 4, 6]]
    for position, same in [(None, True), ("rotary", False), ("alibi", False)]:
        layer = te.CausalSelfAttention(16, 2, position=position).double()
        assert torch.allclose(layer(x)[0][:, -1], layer(shuffled)[0][:, -1], atol=1e-9) == same


def test_attention_refuses_wrong_arguments():
    with pytest.raises(ValueError, match="10.*3"):
        te.CausalSelfAttention(10, 3)
    with pytest.raises(ValueError, match="'rope'"):
        te.CausalSelfAttention(8, 2, position="rope")


# ---- the chapters' own functions

@pytest.mark.parametrize("name, function, module", [
    ("sinusoidal", "sinusoidal", lambda x: te.SinusoidalPositionalEncoding(x.shape[-1], dropout=0.0)(torch.zeros(1, *x.shape))[0]),
    ("rope", "rope", lambda x: te.RotaryEmbedding(x.shape[-1])(x[None, None])[0, 0]),
    ("alibi", "alibi_slopes", lambda x: te.alibi_slopes(12)),
])
def test_modules_equal_the_functions_of_the_chapters(chapter, name, function, module):
    page = chapter(name)
    x = random(20, 8, dtype=torch.float64)
    ours = {"sinusoidal": lambda f: f(20, 8), "alibi_slopes": lambda f: f(12),
            "rope": lambda f: np.stack([f(row, p) for p, row in enumerate(x.numpy())])}[function](page[function])
    np.testing.assert_allclose(to_numpy(module(x)), ours, atol=1e-6)
