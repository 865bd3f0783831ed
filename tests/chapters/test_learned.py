"""The chapter on learned position embeddings, against values that it did not compute."""

import math
import re

import numpy as np
import pytest


@pytest.fixture(scope="module")
def learned(chapter):
    return chapter("learned")


def logits_by_definition(model, tokens, positions=None, real=None):
    """The chapter's model, one sequence and one query at a time."""
    out = []
    for b, sequence in enumerate(tokens):
        where = range(len(sequence)) if positions is None else positions
        x = [model["E"][t] + model["P"][p] for t, p in zip(sequence, where, strict=True)]
        keys, values = [row @ model["Wk"] for row in x], np.array([row @ model["Wv"] for row in x])
        for row in x:
            score = np.array([np.dot(row @ model["Wq"], key) for key in keys]) / math.sqrt(len(keys[0]))
            weight = np.exp(score - score.max()) * (1 if real is None else real[b])
            out.append(weight @ values / weight.sum())
    return np.array(out).reshape(*np.shape(tokens), -1)


def hits(model, tokens, topics, positions=None, real=None):
    """Share of right answers at each place, by einsum instead of matrix products."""
    x = model["E"][tokens] + model["P"][np.arange(tokens.shape[1]) if positions is None else positions]
    bilinear = model["Wq"] @ model["Wk"].T / math.sqrt(model["Wq"].shape[1])
    weight = np.exp(np.einsum("bic,cd,bjd->bij", x, bilinear, x, optimize=True))
    if real is not None:
        weight = weight * real[:, None, :]
    votes = np.einsum("bij,bjc,ct->bit", weight, x, model["Wv"], optimize=True)
    return (votes.argmax(-1) == topics).mean(axis=0)


def best_possible_accuracy(tokens, topics, stay, honest, n_topics=4):
    """Of any method that knows the source of the texts: forward and backward passes of a hidden Markov chain."""
    move = np.full((n_topics, n_topics), (1 - stay) / n_topics) + stay * np.eye(n_topics)
    emit = np.full((n_topics, n_topics), (1 - honest) / n_topics) + honest * np.eye(n_topics)
    seen = emit.T[tokens]                                     # (batch, n, topic)
    ahead, back = [seen[:, 0]], [np.ones_like(seen[:, 0])]
    for p in range(1, tokens.shape[1]):
        step = (ahead[-1] @ move) * seen[:, p]
        ahead.append(step / step.sum(axis=1, keepdims=True))
    for p in range(tokens.shape[1] - 1, 0, -1):
        step = (back[-1] * seen[:, p]) @ move.T
        back.append(step / step.sum(axis=1, keepdims=True))
    belief = np.stack(ahead, axis=1) * np.stack(back[::-1], axis=1)
    return (belief.argmax(-1) == topics).mean()


# ---- the table

def test_embedding_adds_the_row_of_the_place(learned):
    rng = np.random.default_rng(10)
    words, places = rng.normal(size=(7, 3)), rng.normal(size=(9, 3))
    ids = rng.integers(7, size=(2, 5))
    got = learned["embed"](ids, words, places)
    assert got.shape == (2, 5, 3)
    assert all(np.array_equal(got[b, p], words[ids[b, p]] + places[p]) for b in range(2) for p in range(5))


def test_looking_up_is_multiplying(learned):
    table = np.arange(12.0).reshape(4, 3)
    assert np.array_equal(learned["one_hot"](np.array([2, 0]), 4) @ table, table[[2, 0]])
    assert "indexing:    True" in learned.outputs[2].stdout and "[T S] [E; P] equals indexing: True" in learned.outputs[2].stdout


def test_gradient_of_the_table_sums_over_the_batch(learned):
    g = np.random.default_rng(11).normal(size=(3, 4, 2))
    got = learned["position_gradient"](g, 6)
    for p in range(6):
        assert np.allclose(got[p], sum(g[b, p] for b in range(3)) if p < 4 else 0)


def test_parameter_counts_are_those_of_the_released_models(learned):
    assert learned.glued["learned_bert"] == "393,216"
    assert learned.glued["learned_gpt2"] == "786,432"
    assert learned.glued["learned_vit"] == "151,296"
    counts = {m[0].strip(): m[1] for o in learned.outputs for m in re.findall(r"^(\S.*?) +\d+ x 768 = .* of +([\d,]+):", o.stdout, re.M)}
    assert counts == {"BERT-base": "109,482,240", "GPT-2 small": "124,439,808", "ViT-B/16": "86,567,656"}
    assert learned.glued["learned_max_share"] == pytest.approx(100 * 786432 / 124439808)
    assert learned.glued["learned_long_table"] == pytest.approx(2**17 * 2**12 / 1e6)


# ---- the model and its training

def test_text_has_the_stated_probabilities(learned):
    tokens, topics = learned["sample_text"](np.random.default_rng(12), batch=4000, n=30)
    assert (tokens == topics).mean() == pytest.approx(0.45 + 0.55 / 4, abs=0.005)
    assert (topics[:, 1:] == topics[:, :-1]).mean() == pytest.approx(0.93 + 0.07 / 4, abs=0.003)
    assert set(np.unique(tokens)) == {0, 1, 2, 3}


@pytest.mark.parametrize("masked", [False, True])
def test_forward_pass_is_attention(learned, masked):
    rng = np.random.default_rng(13)
    model = learned["new_model"](rng, 9)
    model = {name: array + rng.normal(size=array.shape) for name, array in model.items()}
    tokens = rng.integers(4, size=(2, 6))
    positions, real = (np.array([0, 0, 1, 2, 3, 4]), np.array([[0, 1, 1, 1, 1, 1], [0, 0, 1, 1, 1, 1]], bool)) if masked else (None, None)
    got, _ = learned["forward"](model, tokens, positions, real)
    assert np.allclose(got, logits_by_definition(model, tokens, positions, real), atol=1e-12)


def test_all_gradients_are_slopes_of_the_loss(learned):
    rng = np.random.default_rng(14)
    model = {name: 3 * array for name, array in learned["new_model"](rng, 8, d=6).items()}
    tokens, topics = learned["sample_text"](rng, batch=3, n=5)

    def loss(model):
        z = logits_by_definition(model, tokens)
        return np.mean(np.log(np.exp(z).sum(-1)) - np.take_along_axis(z, topics[..., None], -1)[..., 0])

    value, gradients = learned["loss_and_gradients"](model, tokens, topics)
    assert value == pytest.approx(loss(model), abs=1e-12)
    assert set(gradients) == set(model)
    for name, array in model.items():
        for index in [tuple(rng.integers(array.shape)) for _ in range(6)]:
            up, down = array.copy(), array.copy()
            up[index] += 1e-5
            down[index] -= 1e-5
            slope = (loss({**model, name: up}) - loss({**model, name: down})) / 2e-5
            assert gradients[name][index] == pytest.approx(slope, abs=1e-8), (name, index)
    assert not gradients["P"][5:].any()


def test_printed_slopes_agree(learned):
    shown = re.findall(r"formula (\S+), measured (\S+)", "".join(o.stdout for o in learned.outputs))
    assert len(shown) == 4
    assert all(float(a) == pytest.approx(float(b), rel=2e-3, abs=1e-9) for a, b in shown)
    assert float(shown[-1][0]) == 0


def test_accuracies_are_measured_and_near_the_best_possible(learned):
    tokens, topics = learned["test_tokens"], learned["test_topics"]
    expected = {
        "learned_acc_token": (tokens == topics).mean(),
        "learned_acc_none": hits(learned["none"], tokens, topics).mean(),
        "learned_acc_fixed": hits(learned["fixed"], tokens, topics).mean(),
        "learned_acc_learned": hits(learned["learned"], tokens, topics).mean(),
    }
    for name, value in expected.items():
        assert learned.glued[name] == pytest.approx(100 * value, abs=0.02), name
    assert not learned["none"]["P"].any()
    best = best_possible_accuracy(tokens, topics, 0.93, 0.45)
    assert expected["learned_acc_token"] + 0.1 < expected["learned_acc_none"] < expected["learned_acc_learned"] - 0.05
    assert best - 0.03 < expected["learned_acc_learned"] < best + 0.005
    assert learned.glued["learned_best"] == pytest.approx(100 * best, abs=0.05)


def test_fixed_table_is_the_sinusoid(learned):
    table = learned["fixed"]["P"]
    for p, i in [(0, 0), (1, 0), (31, 3), (47, 7)]:
        angle = p / 10000 ** (2 * i / 16)
        assert table[p, 2 * i : 2 * i + 2] == pytest.approx([math.sin(angle), math.cos(angle)], abs=1e-12)


# ---- what it has learned

def test_similarity_is_the_cosine_of_rows_without_their_mean(learned):
    table = np.random.default_rng(15).normal(size=(5, 4)) + 10
    got = learned["similarity_matrix"](table)
    rows = [[value - column.mean() for value, column in zip(row, table.T, strict=True)] for row in table]
    for a in range(5):
        for b in range(5):
            cosine = math.sumprod(rows[a], rows[b]) / math.hypot(*rows[a]) / math.hypot(*rows[b]) if hasattr(math, "sumprod") \
                else sum(x * y for x, y in zip(rows[a], rows[b], strict=True)) / math.hypot(*rows[a]) / math.hypot(*rows[b])
            assert got[a, b] == pytest.approx(cosine)


def test_neighbouring_rows_become_similar_and_distant_ones_do_not(learned):
    before, after = learned["before"], learned["after"]
    assert abs(np.diag(before, 1).mean()) < 0.15
    means = [np.diag(after, offset).mean() for offset in range(1, 9)]
    assert means[0] > 0.8 and means == sorted(means, reverse=True) and means[-1] < 0.2


def test_components_are_slow_waves(learned):
    table = learned["learned"]["P"][:32]
    variances = np.linalg.eigvalsh(np.cov(table.T, bias=True))[::-1]
    assert learned.glued["learned_share3"] == pytest.approx(100 * variances[:3].sum() / variances.sum())
    places = (np.arange(32) + 0.5) / 32
    cosines = np.stack([np.cos(np.pi * k * places) for k in range(1, 4)], axis=1) / 4   # unit length
    inside = np.linalg.norm(cosines.T @ learned["components"][:, :3]) ** 2 / 3
    assert inside > 0.8          # the three components lie almost in the span of three slow cosines
    crossings = [int((np.diff(np.sign(np.convolve(c, np.ones(5) / 5, "valid"))) != 0).sum()) for c in learned["components"].T[:3]]
    assert crossings == [1, 2, 2] or crossings == [1, 2, 3]


def test_four_terms_add_up_to_the_score(learned):
    model, terms, tokens = learned["learned"], learned["terms"], learned["test_tokens"][0]
    x = model["E"][tokens] + model["P"][:32]
    score = (x @ model["Wq"]) @ (x @ model["Wk"]).T / 4
    total = terms["content-content"][np.ix_(tokens, tokens)] + terms["content-position"][tokens] \
        + terms["position-content"][:, tokens] + terms["position-position"]
    assert np.allclose(total, score, atol=1e-10)
    spread = learned["spread"]
    assert spread["position-position"] > 5 * max(value for name, value in spread.items() if name != "position-position")


# ---- the limit

def test_past_the_trained_rows_accuracy_is_lost(learned):
    tokens, topics = learned["long_tokens"], learned["long_topics"]
    table, sinusoid, nothing = (hits(learned[name], tokens, topics) for name in ("learned", "fixed", "none"))
    for name, value in {"learned_in": table[:32], "learned_out": table[32:], "fixed_out": sinusoid[32:], "none_out": nothing[32:]}.items():
        assert learned.glued[name] == pytest.approx(100 * value.mean(), abs=0.05), name
    assert table[32:].mean() < nothing[32:].mean() < sinusoid[32:].mean() < table[:32].mean()
    assert table[32:].mean() == pytest.approx((tokens == topics).mean(), abs=0.04)  # about what a token says by itself


def test_attention_of_the_sinusoidal_model_strays(learned):
    model, tokens = learned["fixed"], learned["long_tokens"][:100]
    x = model["E"][tokens] + model["P"]
    score = np.einsum("bd,bjd->bj", x[:, 24] @ model["Wq"], x @ model["Wk"]) / 4
    share = [sum(math.exp(s) for s in row[32:]) / sum(math.exp(s) for s in row) for row in score]
    assert learned.glued["fixed_stray"] == pytest.approx(100 * np.mean(share), abs=0.01)
    inside = hits(model, learned["long_tokens"], learned["long_topics"])
    assert inside[20:28].min() < inside[:16].max() - 0.05


def test_errors_are_those_of_the_page(learned):
    text = "".join(o.stdout for o in learned.outputs)
    assert "IndexError: index 48 is out of bounds for axis 0 with size 48" in text
    assert re.search(r"ValueError: .*\(1,60,16\) \(48,16\)", text)
    assert "P[-1] is P[47]: True" in text


def test_interpolation_beats_random_rows_and_copies_do_not(learned):
    tokens, topics = learned["long_tokens"], learned["long_topics"]
    score = {name: hits(dict(learned["learned"], P=table), tokens, topics).mean() for name, table in learned["longer"].items()}
    assert score["copied"] < score["random"] < score["interpolated"] - 0.03
    assert np.array_equal(learned["longer"]["copied"][32:], learned["learned"]["P"][:16])


# ---- grids

@pytest.mark.parametrize(("old", "new"), [(2, 4), (3, 5), (14, 24), (24, 14), (5, 1), (1, 3)])
def test_weights_interpolate_between_clamped_half_pixel_centres(learned, old, new):
    weights = learned["interpolation_weights"](old, new)
    values = np.random.default_rng(16).normal(size=old)
    centres = [min(max((r + 0.5) * old / new - 0.5, 0), old - 1) for r in range(new)]
    assert np.allclose(weights @ values, np.interp(centres, range(old), values))
    assert np.allclose(weights.sum(axis=1), 1)


def test_unchanged_size_is_the_identity(learned):
    assert all(np.array_equal(learned["interpolation_weights"](n, n), np.eye(n)) for n in (1, 2, 14, 37))


def test_resizing_a_grid_is_bilinear(learned):
    table = np.random.default_rng(17).normal(size=(6, 2))       # 3 rows of 2 cells
    got = learned["resize_grid"](table, (3, 2), (5, 4)).reshape(5, 4, 2)
    picture = table.reshape(3, 2, 2)
    for r in range(5):
        for c in range(4):
            u, v = min(max((r + 0.5) * 3 / 5 - 0.5, 0), 2), min(max((c + 0.5) * 2 / 4 - 0.5, 0), 1)
            a, b = min(int(u), 1), 0
            expected = sum(
                wu * wv * picture[i, j]
                for i, wu in ((a, 1 - (u - a)), (a + 1, u - a)) for j, wv in ((b, 1 - (v - b)), (b + 1, v - b))
            )
            assert np.allclose(got[r, c], expected)


def test_the_learned_plane_and_its_resizing(learned):
    fine, regions = learned["fine"], learned["fine_regions"]
    tables = learned["candidates"]
    score = {name: hits(dict(learned["vit"], P=table), fine, regions).mean() for name, table in tables.items()}
    nothing = hits(dict(learned["vit_none"], P=np.zeros((144, 16))), fine, regions).mean()
    assert learned.glued["vit_2d"] == pytest.approx(100 * score["resized in two dimensions"], abs=0.05)
    assert learned.glued["vit_flat"] == pytest.approx(100 * score["stretched as a flat list"], abs=0.05)
    assert learned.glued["vit_none"] == pytest.approx(100 * nothing, abs=0.05)
    assert score["resized in two dimensions"] > nothing + 0.1
    assert score["stretched as a flat list"] < nothing + 0.02
    grid = learned["grid"]
    assert min(grid[4, 3, 4, 4], grid[4, 3, 5, 3]) > 0.5 > 0 > grid[4, 7, 5, 0]


def test_sizes_lost_to_a_scale_factor_are_the_published_ones(learned):
    shown = re.findall(r"(\d+) patches to (\d+): scaled size is (\d+)", "".join(o.stdout for o in learned.outputs))
    assert [(int(a), int(b)) for a, b, _ in shown] == [  # dinov2 pull request 378
        (14, 61), (14, 115), (14, 122), (37, 39), (37, 43), (37, 78), (37, 86), (37, 115), (37, 123)]
    assert all(int(c) == int(b) - 1 for _, b, c in shown)


# ---- padding

def test_padding_needs_the_ids_of_the_real_tokens(learned):
    padded, topics, real = learned["padded"], learned["short_topics"], learned["real"]
    assert padded.shape == real.shape == (1000, 48) and real.sum(axis=1).tolist() == [20] * 1000
    by_column = hits(learned["learned"], padded[:, 0:], np.pad(topics, ((0, 0), (28, 0))), real=real)[28:].mean()
    alone = hits(learned["learned"], padded[:, 28:], topics).mean()
    assert learned.glued["pad_wrong"] == pytest.approx(100 * by_column, abs=0.05)
    assert learned.glued["pad_right"] == pytest.approx(100 * alone, abs=0.05)
    assert by_column < alone - 0.03
    ids = np.array([0] * 28 + list(range(20)))
    got, _ = learned["forward"](learned["learned"], padded[:5], ids, real[:5])
    assert np.allclose(got[:, 28:], logits_by_definition(learned["learned"], padded[:5, 28:]), atol=1e-10)


def test_another_seed_tells_the_same_story(learned):
    model = learned["train"](learned["texts"], max_len=48, steps=400, seed=1)
    curve = hits(model, learned["long_tokens"], learned["long_topics"])
    assert curve[:32].mean() > 0.78 and curve[32:].mean() < 0.66
    similarity = np.corrcoef(model["P"][:32] - model["P"][:32].mean(axis=0))
    assert np.diag(similarity, 1).mean() > 0.75 and np.diag(similarity, 8).mean() < 0.3
