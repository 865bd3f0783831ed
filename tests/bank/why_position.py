# ruff: noqa: F821, F841 - the bodies are what students type; they are run, not called
from bank import right, wrong

# ---------------------------------------------------------------- attention by hand


@right("attention by hand")
def fractions():
    weights = [[1 / 4, 3 / 4], [1 / 2, 1 / 2]]
    output = [[1 / 2, 3], [1, 2]]
    output_swapped = [[1, 2], [1 / 2, 3]]


@right("attention by hand")
def arrays():
    weights = np.array([[0.25, 0.75], [0.5, 0.5]])
    output = np.array([[0.5, 3.0], [1.0, 2.0]])
    output_swapped = output[::-1]


@right("attention by hand")
def computed():
    S = np.array([[0, np.log(3)], [0, 0]])
    V = np.array([[2, 0], [0, 4]])

    def attend(s, v):
        e = np.exp(s)
        return (e / e.sum(axis=1, keepdims=True)) @ v

    weights = np.exp(S) / np.exp(S).sum(axis=1, keepdims=True)
    output = attend(S, V)
    output_swapped = attend(S[::-1, ::-1], V[::-1])


@right("attention by hand")
def exact_fractions():
    from fractions import Fraction

    weights = [[Fraction(1, 4), Fraction(3, 4)], [Fraction(1, 2), Fraction(1, 2)]]
    output = [[Fraction(1, 2), 3], [1, 2]]
    output_swapped = [output[1], output[0]]


@right("attention by hand")
def rounded_logarithm():
    import math

    e = math.exp(1.0986)
    weights = ((1 / (1 + e), e / (1 + e)), (0.5, 0.5))
    output = tuple((2 * a, 4 * b) for a, b in weights)
    output_swapped = (output[1], output[0])


@right("attention by hand")
def strings():
    weights = [["0.25", "0.75"], ["0.5", "0.5"]]
    output = [["0.5", "3"], ["1", "2"]]
    output_swapped = [["1", "2"], ["0.5", "3"]]


@right("attention by hand")
def single_precision():
    weights = np.float32([[0.25, 0.75], [0.5, 0.5]])
    output = [list(row) for row in np.float32([[0.5, 3], [1, 2]])]
    output_swapped = [[np.int64(1), np.int8(2)], [np.float16(0.5), True + 2]]


ATTENTION_BY_HAND = ["attention-by-hand-weights", "attention-by-hand-output", "attention-by-hand-swapped"]


@wrong("attention by hand", loses=ATTENTION_BY_HAND, says="each should give 1")
def softmax_of_columns():
    weights = [[0.5, 0.75], [0.5, 0.25]]
    output = [[1, 3], [1, 1]]
    output_swapped = [[1, 1], [1, 3]]


@wrong("attention by hand", loses=ATTENTION_BY_HAND, says="add up to")
def never_normalised():
    weights = [[1, 3], [1, 1]]
    output = [[2, 12], [2, 4]]
    output_swapped = [[2, 4], [2, 12]]


@wrong("attention by hand", loses=ATTENTION_BY_HAND, says="scaled once more")
def scaled_again():
    a = 3 ** (1 / 2**0.5)
    weights = [[1 / (1 + a), a / (1 + a)], [0.5, 0.5]]
    output = [[2 / (1 + a), 4 * a / (1 + a)], [1, 2]]
    output_swapped = [[1, 2], [2 / (1 + a), 4 * a / (1 + a)]]


@wrong("attention by hand", loses=ATTENTION_BY_HAND, says="without the exponential")
def scores_over_their_sum():
    weights = [[0, 1], [0.5, 0.5]]
    output = [[0, 4], [1, 2]]
    output_swapped = [[1, 2], [0, 4]]


@wrong("attention by hand", loses=ATTENTION_BY_HAND, says="larger weight")
def larger_score_smaller_weight():
    weights = [[0.75, 0.25], [0.5, 0.5]]
    output = [[1.5, 1], [1, 2]]
    output_swapped = [[1, 2], [1.5, 1]]


@wrong("attention by hand", loses=["attention-by-hand-swapped"], says="equivariant, not invariant")
def invariant():
    weights = [[0.25, 0.75], [0.5, 0.5]]
    output = [[0.5, 3], [1, 2]]
    output_swapped = [[0.5, 3], [1, 2]]


@wrong("attention by hand", loses=["attention-by-hand-swapped"], says="lies between")
def columns_swapped():
    weights = [[0.25, 0.75], [0.5, 0.5]]
    output = [[0.5, 3], [1, 2]]
    output_swapped = [[3, 0.5], [2, 1]]


@wrong("attention by hand", loses=["attention-by-hand-swapped"], says="rows and columns of the scores swap")
def only_values_swapped():
    weights = [[0.25, 0.75], [0.5, 0.5]]
    output = [[0.5, 3], [1, 2]]
    output_swapped = [[1.5, 1], [1, 2]]


@wrong("attention by hand", loses=["attention-by-hand-swapped"], says="not its columns")
def only_queries_swapped():
    weights = [[0.25, 0.75], [0.5, 0.5]]
    output = [[0.5, 3], [1, 2]]
    output_swapped = [[1, 2], [1.5, 1]]


@wrong("attention by hand", loses=["attention-by-hand-output", "attention-by-hand-swapped"], says="weights of a column")
def weights_transposed_in_the_output():
    weights = [[0.25, 0.75], [0.5, 0.5]]
    output = [[0.5, 2], [1.5, 2]]
    output_swapped = [[1.5, 2], [0.5, 2]]


@wrong("attention by hand", loses=["attention-by-hand-output", "attention-by-hand-swapped"], says="mixes both")
def only_its_own_value():
    weights = [[0.25, 0.75], [0.5, 0.5]]
    output = [[0.5, 0], [0, 2]]
    output_swapped = [[0, 2], [0.5, 0]]


@wrong("attention by hand", loses=["attention-by-hand-weights"], says="2 by 2")
def flat_list():
    weights = [0.25, 0.75, 0.5, 0.5]
    output = [[0.5, 3], [1, 2]]
    output_swapped = [[1, 2], [0.5, 3]]


@wrong("attention by hand", loses=["attention-by-hand-weights", "attention-by-hand-output"], says="add up to")
def one_decimal():
    weights = [[0.3, 0.8], [0.5, 0.5]]
    output = [[0.6, 3.2], [1, 2]]
    output_swapped = [[1, 2], [0.5, 3]]


@wrong("attention by hand", loses=["attention-by-hand-output", "attention-by-hand-swapped"], says="still empty")
def only_the_weights():
    weights = [[0.25, 0.75], [0.5, 0.5]]
    output = ...
    output_swapped = None


# ---------------------------------------------------------------- stable softmax


@right("stable softmax")
def maximum_first():
    def softmax(scores):
        scores = np.asarray(scores)
        e = np.exp(scores - np.max(scores, axis=-1, keepdims=True))
        return e / np.sum(e, axis=-1, keepdims=True)


@right("stable softmax")
def row_by_row():
    def softmax(scores):
        scores = np.array(scores, dtype=float)
        if scores.ndim > 1:
            return np.array([softmax(row) for row in scores])
        m = max(scores)
        e = np.array([np.exp(s - m) for s in scores])
        return e / sum(e)


@right("stable softmax")
def through_the_logarithm():
    def softmax(scores):
        scores = np.array(scores, dtype=np.float64)
        return np.exp(scores - np.logaddexp.reduce(scores, axis=-1, keepdims=True))


@right("stable softmax")
def nested_lists():
    import math

    def softmax(scores):
        if isinstance(scores[0], (list, tuple, np.ndarray)):
            return [softmax(row) for row in scores]
        top = max(float(s) for s in scores)
        e = [math.exp(float(s) - top) for s in scores]
        return [x / math.fsum(e) for x in e]


@right("stable softmax")
def pairwise_differences():
    def softmax(scores):
        # w_j = 1 / sum_k exp(s_k - s_j): overflows quietly to a weight of 0
        s = np.asarray(scores, dtype=float)
        with np.errstate(all="ignore"):
            w = 1 / np.exp(s[..., None, :] - s[..., :, None]).sum(-1)
        return np.where(np.isneginf(s), 0, w)


@right("stable softmax")
def flattened_and_back():
    import warnings

    def softmax(scores):
        warnings.warn("careful")
        print("softmax of", np.shape(scores))
        flat = np.reshape(scores, (-1, np.shape(scores)[-1])).astype(float)
        flat = np.exp((flat.T - flat.max(1)).T)
        return (flat.T / flat.sum(1)).T.reshape(np.shape(scores))


@right("stable softmax")
def along_a_moved_axis():
    def softmax(scores):
        s = np.moveaxis(np.array(scores, float), -1, 0)
        s -= s.max(0)
        np.exp(s, out=s)
        s /= s.sum(0)
        return np.moveaxis(s, 0, -1)


@wrong("stable softmax", loses=["softmax-large"], says="overflow")
def overflows():
    def softmax(scores):
        e = np.exp(np.asarray(scores, dtype=float))
        return e / e.sum(-1, keepdims=True)


@wrong("stable softmax", loses=["softmax-large"], says="every row safe")
def one_maximum_for_all():
    def softmax(scores):
        scores = np.asarray(scores, dtype=float)
        e = np.exp(scores - scores.max())
        return e / e.sum(-1, keepdims=True)


@wrong("stable softmax", loses=["softmax-large"], says="every row safe")
def clipped():
    def softmax(scores):
        e = np.exp(np.clip(np.asarray(scores, dtype=float), -np.inf, 100))
        return e / e.sum(-1, keepdims=True)


@wrong("stable softmax", loses=["softmax-numbers"], says="normalised by itself")
def first_axis():
    def softmax(scores):
        scores = np.asarray(scores, dtype=float)
        if scores.ndim == 2 and np.abs(scores).max() < 100:
            e = np.exp(scores - scores.max(0))
            return e / e.sum(0)
        e = np.exp(scores - scores.max(-1, keepdims=True))
        return e / e.sum(-1, keepdims=True)


@wrong("stable softmax", loses=["softmax-numbers", "softmax-large", "softmax-masked"], says="softmax([[0, ln 3], [5, 5]])")
def axis_zero():
    def softmax(scores):
        scores = np.asarray(scores, dtype=float)
        e = np.exp(scores - scores.max(axis=0))
        return e / e.sum(axis=0)


@wrong("stable softmax", loses=["softmax-numbers", "softmax-large", "softmax-masked"], says="Each row is normalised")
def all_entries_together():
    def softmax(scores):
        scores = np.asarray(scores, dtype=float)
        e = np.exp(scores - scores.max())
        return e / e.sum()


@wrong("stable softmax", loses=["softmax-numbers"], says="axis 1")
def axis_one():
    def softmax(scores):
        scores = np.asarray(scores, dtype=float)
        axis = 1 if scores.ndim == 3 and scores.shape[1] > 1 else -1
        e = np.exp(scores - scores.max(axis, keepdims=True))
        return e / e.sum(axis, keepdims=True)


@wrong("stable softmax", loses=["softmax-numbers", "softmax-large"], says="base is 2")
def base_two():
    def softmax(scores):
        scores = np.asarray(scores, dtype=float)
        e = 2 ** (scores - scores.max(-1, keepdims=True))
        return e / e.sum(-1, keepdims=True)


@wrong("stable softmax", loses=["softmax-numbers", "softmax-large", "softmax-masked"], says="logarithm")
def log_weights():
    def softmax(scores):
        scores = np.asarray(scores, dtype=float)
        s = scores - scores.max(-1, keepdims=True)
        return s - np.log(np.exp(s).sum(-1, keepdims=True))


@wrong("stable softmax", loses=["softmax-numbers", "softmax-large", "softmax-masked"], says="divide them by their sum")
def not_divided():
    def softmax(scores):
        scores = np.asarray(scores, dtype=float)
        return np.exp(scores - scores.max(-1, keepdims=True))


@wrong("stable softmax", loses=["softmax-masked"], says="softmax([-inf, 0, 0])")
def mean_subtracted():
    # Safe for scores that are large, but the mean of a row with -inf is -inf.
    def softmax(scores):
        scores = np.asarray(scores, dtype=float)
        centred = scores - scores.mean(-1, keepdims=True)
        e = np.exp(centred - np.max(centred, axis=-1, keepdims=True))
        return e / e.sum(-1, keepdims=True)


@wrong("stable softmax", loses=["softmax-large", "softmax-masked"], says="NaN")
def largest_magnitude_subtracted():
    def softmax(scores):
        scores = np.asarray(scores, dtype=float)
        e = np.exp(scores - np.abs(scores).max(-1, keepdims=True))
        return e / e.sum(-1, keepdims=True)


@wrong("stable softmax", loses=["softmax-numbers", "softmax-large", "softmax-masked"], says="in place")
def changes_its_input():
    def softmax(scores):
        scores = np.asarray(scores)
        if scores.dtype == int:
            scores = scores.astype(float)
        scores -= scores.max(-1, keepdims=True)
        e = np.exp(scores)
        return e / e.sum(-1, keepdims=True)


@wrong("stable softmax", loses=["softmax-numbers", "softmax-large", "softmax-masked"], says="close")
def small_number_in_the_denominator():
    def softmax(scores):
        scores = np.asarray(scores, dtype=float)
        e = np.exp(scores - scores.max(-1, keepdims=True))
        return e / (e.sum(-1, keepdims=True) + 1e-6)


@wrong("stable softmax", loses=["softmax-masked"], says="softmax([-inf, 0, 0])")
def masked_entries_replaced():
    def softmax(scores):
        scores = np.asarray(scores, dtype=float)
        scores = np.where(np.isinf(scores), -10.0, scores)
        e = np.exp(scores - scores.max(-1, keepdims=True))
        return e / e.sum(-1, keepdims=True)


@wrong("stable softmax", loses=["softmax-numbers"], says="raised")
def keepdims_forgotten():
    def softmax(scores):
        scores = np.asarray(scores, dtype=float)
        e = np.exp(scores - scores.max(-1, keepdims=True))
        if scores.ndim == 1 or scores.shape[0] != scores.shape[1] and scores.ndim == 2 and scores.shape != (4, 1) and scores.shape != (1, 6):
            return e / e.sum(-1, keepdims=True)
        return e / e.sum(-1) if scores.max() < 500 and scores.ndim == 3 and len(scores) == 2 else e / e.sum(-1, keepdims=True)


@wrong("stable softmax", loses=["softmax-numbers", "softmax-large", "softmax-masked"], says="returned None")
def forgot_to_return():
    def softmax(scores):
        scores = np.asarray(scores, dtype=float)
        e = np.exp(scores - scores.max(-1, keepdims=True))
        e / e.sum(-1, keepdims=True)


@wrong("stable softmax", loses=["softmax-numbers", "softmax-large", "softmax-masked"], says="not defined")
def another_name():
    def soft_max(scores):
        e = np.exp(scores - scores.max(-1, keepdims=True))
        return e / e.sum(-1, keepdims=True)


@wrong("stable softmax", loses=["softmax-numbers", "softmax-large", "softmax-masked"], says="softmax")
def visible_example_only():
    def softmax(scores):
        if np.shape(scores) == (2,):
            return [0.25, 0.75] if scores[0] == 0 else [0.5, 0.5]
        return [[0.25, 0.75], [0.5, 0.5]] if np.shape(scores) == (2, 2) else [0, 0.5, 0.5]


# ---------------------------------------------------------------- self-attention


@right("self-attention")
def matrices():
    def self_attention(x, w_q, w_k, w_v, causal=False):
        q, k, v = x @ w_q, x @ w_k, x @ w_v
        s = q @ k.T / np.sqrt(q.shape[1])
        if causal:
            s[np.triu_indices(len(x), 1)] = -np.inf
        return row_softmax(s) @ v


@right("self-attention")
def loops():
    import math

    def self_attention(x, w_q, w_k, w_v, causal=False):
        n = len(x)
        q, k, v = np.dot(x, w_q), np.dot(x, w_k), np.dot(x, w_v)
        out = []
        for i in range(n):
            keys = range(i + 1) if causal else range(n)
            s = [sum(a * b for a, b in zip(q[i], k[j])) / math.sqrt(len(k[j])) for j in keys]
            top = max(s)
            w = [math.exp(value - top) for value in s]
            out.append([sum(w[j] * v[j][c] for j in keys) / sum(w) for c in range(len(v[0]))])
        return out


@right("self-attention")
def einsum():
    def self_attention(x, w_q, w_k, w_v, causal=False):
        q, k, v = (np.einsum("nm,md->nd", x, w) for w in (w_q, w_k, w_v))
        s = np.einsum("id,jd->ij", q, k) * w_k.shape[-1] ** -0.5
        s = s + np.where(np.arange(len(x)) > np.arange(len(x))[:, None], -1e9, 0) * bool(causal)
        e = np.exp(s - s.max(1)[:, None])
        return np.einsum("ij,jd->id", e / e.sum(1)[:, None], v)


@right("self-attention")
def masked_weights_renormalised():
    def self_attention(x, w_q, w_k, w_v, causal=False):
        e = np.exp((x @ w_q) @ (x @ w_k).T / np.sqrt(w_q.shape[1]))
        if causal:
            e = np.tril(e)
        return e @ (x @ w_v) / e.sum(axis=1, keepdims=True)


@right("self-attention")
def one_query_at_a_time():
    def self_attention(x, w_q, w_k, w_v, causal=False):
        x = np.asarray(x)
        result = np.zeros((x.shape[0], np.shape(w_v)[1]))
        for i, token in enumerate(x):
            past = x[: i + 1] if causal else x
            weights = row_softmax((token @ w_q) @ (past @ w_k).T / len(w_q[0]) ** 0.5)
            result[i] = weights @ (past @ w_v)
        return result


@right("self-attention")
def scaled_queries_and_transposed():
    class Head:
        def __init__(self, q, k, v):
            self.q, self.k, self.v = q / k.shape[1] ** 0.25, k / k.shape[1] ** 0.25, v

        def __call__(self, mask):
            scores = self.k @ self.q.T  # keys are the rows here
            scores = np.ma.array(scores, mask=mask.T).filled(-np.inf)
            weights = np.exp(scores - scores.max(axis=0))
            return (self.v.T @ (weights / weights.sum(axis=0))).T

    def self_attention(x, w_q, w_k, w_v, causal=False):
        n = len(x)
        mask = ~np.tri(n, dtype=bool) if causal else np.zeros((n, n), dtype=bool)
        print("a head with", n, "tokens")
        return Head(x @ w_q, x @ w_k, x @ w_v)(mask)


@wrong("self-attention", loses=["self-attention-scores"], says="square root of d_k")
def not_scaled():
    def self_attention(x, w_q, w_k, w_v, causal=False):
        s = (x @ w_q) @ (x @ w_k).T
        if causal:
            s = np.where(np.tri(len(x), dtype=bool), s, -np.inf)
        return row_softmax(s) @ (x @ w_v)


@wrong("self-attention", loses=["self-attention-scores"], says="divided by d_k")
def divided_by_d_k():
    def self_attention(x, w_q, w_k, w_v, causal=False):
        d = w_k.shape[1]
        s = (x @ w_q) @ (x @ w_k).T / (d if d != 2 else np.sqrt(2))
        if causal:
            s = np.where(np.tri(len(x), dtype=bool), s, -np.inf)
        return row_softmax(s) @ (x @ w_v)


@wrong("self-attention", loses=["self-attention-scores"], says="d_model")
def scaled_by_d_model():
    def self_attention(x, w_q, w_k, w_v, causal=False):
        s = (x @ w_q) @ (x @ w_k).T / np.sqrt(x.shape[1])
        if causal:
            s = np.where(np.tri(len(x), dtype=bool), s, -np.inf)
        return row_softmax(s) @ (x @ w_v)


@wrong("self-attention", loses=["self-attention-scores"], says="d_v")
def scaled_by_d_v():
    def self_attention(x, w_q, w_k, w_v, causal=False):
        s = (x @ w_q) @ (x @ w_k).T / np.sqrt(w_v.shape[1])
        if causal:
            s = np.where(np.tri(len(x), dtype=bool), s, -np.inf)
        return row_softmax(s) @ (x @ w_v)


@wrong("self-attention", loses=["self-attention-scores", "self-attention-causal"], says="number of tokens")
def scaled_by_n():
    def self_attention(x, w_q, w_k, w_v, causal=False):
        s = (x @ w_q) @ (x @ w_k).T / np.sqrt(len(x))
        if causal:
            s[~np.tri(len(x), dtype=bool)] = -np.inf
        return row_softmax(s) @ (x @ w_v)


@wrong("self-attention", loses=["self-attention-scores"], says="query i owns row i")
def queries_and_keys_exchanged():
    def self_attention(x, w_q, w_k, w_v, causal=False):
        q, k, v = x @ w_k, x @ w_q, x @ w_v
        s = q @ k.T / np.sqrt(k.shape[1])
        if causal:
            s = np.where(np.tri(len(x), dtype=bool), s, -np.inf)
        return row_softmax(s) @ v


@wrong("self-attention", loses=["self-attention-scores", "self-attention-causal"], says="query i owns row i")
def softmax_over_the_queries():
    def self_attention(x, w_q, w_k, w_v, causal=False):
        s = (x @ w_q) @ (x @ w_k).T / np.sqrt(w_k.shape[1])
        if causal:
            s = np.where(np.tri(len(x), dtype=bool), s, -np.inf)
        e = np.exp(s - s.max())
        return e / e.sum(0, keepdims=True) @ (x @ w_v)


@wrong("self-attention", loses=["self-attention-causal"], says="nothing is masked")
def causal_ignored():
    def self_attention(x, w_q, w_k, w_v, causal=False):
        s = (x @ w_q) @ (x @ w_k).T / np.sqrt(w_k.shape[1])
        return row_softmax(s) @ (x @ w_v)


@wrong("self-attention", loses=["self-attention-average", "self-attention-scores"], says="row 0")
def always_causal():
    def self_attention(x, w_q, w_k, w_v, causal=True):
        s = (x @ w_q) @ (x @ w_k).T / np.sqrt(w_k.shape[1])
        if causal:
            s = np.where(np.tri(len(x), dtype=bool), s, -np.inf)
        return row_softmax(s) @ (x @ w_v)


@wrong("self-attention", loses=["self-attention-causal"], says="past is masked")
def mask_upside_down():
    def self_attention(x, w_q, w_k, w_v, causal=False):
        s = (x @ w_q) @ (x @ w_k).T / np.sqrt(w_k.shape[1])
        if causal:
            s = np.where(np.tri(len(x), dtype=bool).T, s, -np.inf)
        return row_softmax(s) @ (x @ w_v)


@wrong("self-attention", loses=["self-attention-causal"], says="nothing is masked")
def masked_with_zero_scores():
    def self_attention(x, w_q, w_k, w_v, causal=False):
        s = (x @ w_q) @ (x @ w_k).T / np.sqrt(w_k.shape[1])
        if causal:
            s = np.tril(s)
        return row_softmax(s) @ (x @ w_v)


@wrong("self-attention", loses=["self-attention-causal"], says="real scores can reach")
def masked_with_minus_100():
    def self_attention(x, w_q, w_k, w_v, causal=False):
        s = (x @ w_q) @ (x @ w_k).T / np.sqrt(w_k.shape[1])
        if causal:
            s = np.where(np.tri(len(x), dtype=bool), s, -100.0)
        return row_softmax(s) @ (x @ w_v)


@wrong("self-attention", loses=["self-attention-causal"], says="after the softmax")
def masked_after_the_softmax():
    def self_attention(x, w_q, w_k, w_v, causal=False):
        w = row_softmax((x @ w_q) @ (x @ w_k).T / np.sqrt(w_k.shape[1]))
        if causal:
            w = np.tril(w)
        return w @ (x @ w_v)


@wrong("self-attention", loses=["self-attention-causal"], says="NaN")
def token_hidden_from_itself():
    def self_attention(x, w_q, w_k, w_v, causal=False):
        s = (x @ w_q) @ (x @ w_k).T / np.sqrt(w_k.shape[1])
        if causal:
            s = np.where(np.tri(len(x), k=-1, dtype=bool), s, -np.inf)
        return row_softmax(s) @ (x @ w_v)


@wrong("self-attention", loses=["self-attention-causal"], says="Query 0 sees key 0 only")
def mask_of_minus_ten():
    def self_attention(x, w_q, w_k, w_v, causal=False):
        s = (x @ w_q) @ (x @ w_k).T / np.sqrt(w_k.shape[1])
        if causal:
            s = s + np.triu(np.full(s.shape, -10.0), 1)
        return row_softmax(s) @ (x @ w_v)


@wrong("self-attention", loses=["self-attention-causal"], says="one key of the future")
def one_token_too_many():
    def self_attention(x, w_q, w_k, w_v, causal=False):
        s = (x @ w_q) @ (x @ w_k).T / np.sqrt(w_k.shape[1])
        if causal:
            s = np.where(np.tri(len(x), k=1, dtype=bool), s, -np.inf)
        return row_softmax(s) @ (x @ w_v)


@wrong("self-attention", loses=["self-attention-average", "self-attention-scores", "self-attention-causal"], says="shape")
def weights_returned():
    def self_attention(x, w_q, w_k, w_v, causal=False):
        s = (x @ w_q) @ (x @ w_k).T / np.sqrt(w_k.shape[1])
        if causal:
            s = np.where(np.tri(len(x), dtype=bool), s, -np.inf)
        return row_softmax(s)


@wrong("self-attention", loses=["self-attention-average", "self-attention-scores", "self-attention-causal"], says="shape")
def inputs_instead_of_values():
    def self_attention(x, w_q, w_k, w_v, causal=False):
        s = (x @ w_q) @ (x @ w_k).T / np.sqrt(w_k.shape[1])
        if causal:
            s = np.where(np.tri(len(x), dtype=bool), s, -np.inf)
        return row_softmax(s) @ x


@wrong("self-attention", loses=["self-attention-average", "self-attention-scores", "self-attention-causal"], says="raised ValueError")
def weights_transposed():
    def self_attention(x, w_q, w_k, w_v, causal=False):
        q, k, v = x @ w_q.T, x @ w_k.T, x @ w_v.T
        s = q @ k.T / np.sqrt(k.shape[1])
        if causal:
            s = np.where(np.tri(len(x), dtype=bool), s, -np.inf)
        return row_softmax(s) @ v


@wrong("self-attention", loses=["self-attention-average", "self-attention-scores", "self-attention-causal"], says="in place")
def input_centred_in_place():
    def self_attention(x, w_q, w_k, w_v, causal=False):
        q, k, v = x @ w_q, x @ w_k, x @ w_v
        s = q @ k.T / np.sqrt(k.shape[1])
        if causal:
            s = np.where(np.tri(len(x), dtype=bool), s, -np.inf)
        x -= x.mean()
        return row_softmax(s) @ v


@wrong("self-attention", loses=["self-attention-average"], says="plain average")
def sum_instead_of_average():
    def self_attention(x, w_q, w_k, w_v, causal=False):
        s = (x @ w_q) @ (x @ w_k).T / np.sqrt(w_k.shape[1])
        if causal:
            s = np.where(np.tri(len(x), dtype=bool), s, -np.inf)
        if not causal and not s.any():
            return np.ones_like(s) @ (x @ w_v)
        return row_softmax(s) @ (x @ w_v)


# ---------------------------------------------------------------- equivariance


@right("equivariance")
def allclose():
    def is_permutation_equivariant(layer, n, d, rng, trials=20):
        x = rng.normal(size=(n, d))
        for _ in range(trials):
            p = rng.permutation(n)
            if not np.allclose(layer(x[p]), layer(x)[p]):
                return False
        return True


@right("equivariance")
def fresh_input_each_time():
    def is_permutation_equivariant(layer, n, d, rng, trials=20):
        def holds():
            x, order = rng.standard_normal((n, d)), np.argsort(rng.random(n))
            return np.max(np.abs(np.asarray(layer(x[order])) - np.asarray(layer(x))[order])) < 1e-8

        return all(holds() for _ in range(trials))


@right("equivariance")
def undone_by_the_inverse():
    def is_permutation_equivariant(layer, n, d, rng, trials=20):
        x = rng.uniform(-1, 1, (n, d))
        ok = True
        for _ in range(trials):
            order = rng.permutation(n)
            back = np.empty(n, dtype=int)
            back[order] = np.arange(n)
            ok &= np.allclose(np.asarray(layer(x[order]))[back], layer(x), atol=1e-8)
        return np.bool_(ok)


@right("equivariance")
def permutation_matrices():
    def is_permutation_equivariant(layer, n, d, rng, trials=20):
        x = rng.normal(size=(n, d))
        y = layer(x)
        worst = 0.0
        for _ in range(trials):
            P = rng.permutation(np.eye(n))
            worst = max(worst, float(np.linalg.norm(layer(P @ x) - P @ y)))
        print("worst difference", worst)
        return worst < 1e-7


@right("equivariance")
def shuffled_lists_and_rows():
    def is_permutation_equivariant(layer, n, d, rng, trials=20):
        x = rng.normal(size=(n, d)) * 3 + 1
        y = [np.array(row) for row in layer(x)]
        failures = 0
        for t in range(trials):
            order = list(range(n))
            rng.shuffle(order)
            shuffled = layer(np.stack([x[i] for i in order]))
            for place, i in enumerate(order):
                if not np.allclose(shuffled[place], y[i], rtol=1e-7):
                    failures += 1
        return failures == 0


@right("equivariance")
def every_swap_as_well():
    def is_permutation_equivariant(layer, n, d, rng, trials=20):
        x = rng.normal(size=(n, d))
        y = layer(x)
        orders = [rng.permutation(n) for _ in range(trials)]
        for i in range(n - 1):
            swap = np.arange(n)
            swap[[i, i + 1]] = i + 1, i
            orders.append(swap)
        return np.array([np.isclose(layer(x[o]), y[o], atol=1e-8).all() for o in orders]).all()


EQUIVARIANCE = ["equivariance-simple", "equivariance-attention", "equivariance-subtle"]


@wrong("equivariance", loses=["equivariance-simple", "equivariance-attention", "equivariance-subtle"], says="x + row number")
def always_true():
    def is_permutation_equivariant(layer, n, d, rng, trials=20):
        return True


@wrong("equivariance", loses=EQUIVARIANCE, says="should return True")
def always_false():
    def is_permutation_equivariant(layer, n, d, rng, trials=20):
        return False


@wrong("equivariance", loses=EQUIVARIANCE, says="should return True")
def invariance_instead():
    def is_permutation_equivariant(layer, n, d, rng, trials=20):
        x = rng.normal(size=(n, d))
        return all(np.allclose(layer(x[rng.permutation(n)]), layer(x)) for _ in range(trials))


@wrong("equivariance", loses=["equivariance-subtle"], says="reversal")
def only_a_reversal():
    def is_permutation_equivariant(layer, n, d, rng, trials=20):
        x = rng.normal(size=(n, d))
        return bool(np.allclose(layer(x[::-1]), np.asarray(layer(x))[::-1]))


@wrong("equivariance", loses=["equivariance-subtle"], says="A rotation")
def only_rotations():
    def is_permutation_equivariant(layer, n, d, rng, trials=20):
        x = rng.normal(size=(n, d))
        return all(np.allclose(layer(np.roll(x, k, axis=0)), np.roll(layer(x), k, axis=0)) for k in range(n))


@wrong("equivariance", loses=["equivariance-subtle"], says="treats row")
def only_the_first_two_rows():
    def is_permutation_equivariant(layer, n, d, rng, trials=20):
        x = rng.normal(size=(n, d))
        order = np.arange(n)
        order[:2] = 1, 0
        return bool(np.allclose(layer(x[order]), np.asarray(layer(x))[order]))


@wrong("equivariance", loses=["equivariance-subtle"], says="enough permutations")
def one_permutation():
    def is_permutation_equivariant(layer, n, d, rng, trials=20):
        x, order = rng.normal(size=(n, d)), rng.permutation(n)
        return bool(np.allclose(layer(x[order]), np.asarray(layer(x))[order]))


@wrong("equivariance", loses=["equivariance-subtle"], says="after all of them")
def last_permutation_decides():
    def is_permutation_equivariant(layer, n, d, rng, trials=20):
        x = rng.normal(size=(n, d))
        for _ in range(trials):
            order = rng.permutation(n)
            result = bool(np.allclose(layer(x[order]), np.asarray(layer(x))[order]))
        return result


@wrong("equivariance", loses=EQUIVARIANCE, says="x + row number")
def one_good_permutation_is_enough():
    def is_permutation_equivariant(layer, n, d, rng, trials=20):
        x = rng.normal(size=(n, d))
        orders = [np.arange(n)] + [rng.permutation(n) for _ in range(trials)]
        return any(np.allclose(layer(x[order]), np.asarray(layer(x))[order]) for order in orders)


@wrong("equivariance", loses=EQUIVARIANCE, says="x + row number")
def all_rows_the_same():
    def is_permutation_equivariant(layer, n, d, rng, trials=20):
        x = np.ones((n, d))
        y = np.asarray(layer(x))
        return all(np.allclose(np.sort(layer(x[rng.permutation(n)]), axis=0), np.sort(y, axis=0)) for _ in range(trials))


@wrong("equivariance", loses=["equivariance-simple", "equivariance-attention"], says="rounding")
def exact_equality():
    def is_permutation_equivariant(layer, n, d, rng, trials=20):
        x = rng.normal(size=(n, d))
        for _ in range(trials):
            order = rng.permutation(n)
            if not np.array_equal(layer(x[order]), np.asarray(layer(x))[order]):
                return False
        return True


@wrong("equivariance", loses=["equivariance-subtle"], says="every output row")
def first_row_only():
    def is_permutation_equivariant(layer, n, d, rng, trials=20):
        x = rng.normal(size=(n, d))
        for _ in range(trials):
            order = rng.permutation(n)
            if not np.allclose(layer(x[order])[0], np.asarray(layer(x))[order][0]):
                return False
        return True


@wrong("equivariance", loses=["equivariance-simple"], says="small position table")
def generous_tolerance():
    def is_permutation_equivariant(layer, n, d, rng, trials=20):
        x = rng.normal(size=(n, d))
        for _ in range(trials):
            order = rng.permutation(n)
            if not np.allclose(layer(x[order]), np.asarray(layer(x))[order], atol=0.05):
                return False
        return True


@wrong("equivariance", loses=["equivariance-attention"], says="attention without a mask")
def columns_permuted():
    def is_permutation_equivariant(layer, n, d, rng, trials=20):
        x = rng.normal(size=(n, d))
        for _ in range(trials):
            order = rng.permutation(n)
            y = np.asarray(layer(x))
            if not np.allclose(layer(x[order]), y[order]):
                return False
            columns = rng.permutation(d)
            if y.shape == x.shape and n == 4 and not np.allclose(layer(x[:, columns]), y[:, columns]):
                return False
        return True


@wrong("equivariance", loses=EQUIVARIANCE, says="should return True")
def inverse_on_the_wrong_side():
    def is_permutation_equivariant(layer, n, d, rng, trials=20):
        x = rng.normal(size=(n, d))
        for _ in range(trials):
            order = rng.permutation(n)
            if not np.allclose(np.asarray(layer(x[order]))[order], layer(x)):
                return False
        return True


@wrong("equivariance", loses=["equivariance-simple", "equivariance-subtle"], says="x + row number")
def column_sums_compared():
    def is_permutation_equivariant(layer, n, d, rng, trials=20):
        x = rng.normal(size=(n, d))
        return all(np.allclose(np.sum(layer(x[rng.permutation(n)]), axis=0), np.sum(layer(x), axis=0)) for _ in range(trials))


@wrong("equivariance", loses=["equivariance-simple"], says="raised ValueError")
def same_width_assumed():
    def is_permutation_equivariant(layer, n, d, rng, trials=20):
        x = rng.normal(size=(n, d))
        for _ in range(trials):
            order = rng.permutation(n)
            expected = np.zeros((n, d))
            try:
                expected[:] = np.asarray(layer(x))[order]
            except ValueError:
                if n == 9:
                    return bool(np.allclose(layer(x[order]), np.asarray(layer(x))[order]))
                raise
            if not np.allclose(layer(x[order]), np.asarray(layer(x))[order]):
                return False
        return True


@wrong("equivariance", loses=EQUIVARIANCE, says="True or False")
def returns_the_difference():
    def is_permutation_equivariant(layer, n, d, rng, trials=20):
        x, order = rng.normal(size=(n, d)), rng.permutation(n)
        return np.abs(layer(x[order]) - layer(x)[order]).max()


# ---------------------------------------------------------------- what order does to a model


@right("what order does to a model")
def plain_dict():
    claims = {
        "attention_is_equivariant": True,
        "attention_is_invariant": False,
        "causal_decoder_can_recover_order": True,
        "masked_lm_encoder_can_recover_order": False,
    }


@right("what order does to a model")
def keywords():
    claims = dict(attention_is_invariant=False, attention_is_equivariant=True,
                  masked_lm_encoder_can_recover_order=False, causal_decoder_can_recover_order=True)


@right("what order does to a model")
def numpy_bools():
    names = ["attention_is_equivariant", "attention_is_invariant", "causal_decoder_can_recover_order", "masked_lm_encoder_can_recover_order"]
    claims = dict(zip(names, np.array([1, 0, 1, 0], dtype=bool)))


@right("what order does to a model")
def one_by_one():
    claims = {}
    claims["attention_is_equivariant"] = True
    claims["attention_is_invariant"] = not claims["attention_is_equivariant"]
    claims["causal_decoder_can_recover_order"] = 1 == 1
    claims["masked_lm_encoder_can_recover_order"] = bool(0)


@right("what order does to a model")
def with_a_remark():
    import collections

    claims = collections.OrderedDict(
        attention_is_equivariant=True,
        attention_is_invariant=False,
        causal_decoder_can_recover_order=True,
        masked_lm_encoder_can_recover_order=False,
        remark="a further key does no harm",
    )
    print(claims)


CLAIMS = ["claims-equivariant", "claims-invariant", "claims-causal", "claims-masked-lm"]


@wrong("what order does to a model", loses=["claims-invariant"], says="rows of the output moved")
def a_bag_of_words():
    claims = {"attention_is_equivariant": True, "attention_is_invariant": True,
              "causal_decoder_can_recover_order": True, "masked_lm_encoder_can_recover_order": False}


@wrong("what order does to a model", loses=["claims-causal"], says="i + 1 keys")
def decoders_need_positions():
    claims = {"attention_is_equivariant": True, "attention_is_invariant": False,
              "causal_decoder_can_recover_order": False, "masked_lm_encoder_can_recover_order": False}


@wrong("what order does to a model", loses=["claims-masked-lm"], says="same set of keys")
def encoders_learn_it_too():
    claims = {"attention_is_equivariant": True, "attention_is_invariant": False,
              "causal_decoder_can_recover_order": True, "masked_lm_encoder_can_recover_order": True}


@wrong("what order does to a model", loses=["claims-equivariant"], says="follow one row")
def attention_knows_order():
    claims = {"attention_is_equivariant": False, "attention_is_invariant": False,
              "causal_decoder_can_recover_order": True, "masked_lm_encoder_can_recover_order": False}


@wrong("what order does to a model", loses=["claims-equivariant", "claims-invariant"], says="follow one row")
def words_exchanged():
    claims = {"attention_is_equivariant": False, "attention_is_invariant": True,
              "causal_decoder_can_recover_order": True, "masked_lm_encoder_can_recover_order": False}


@wrong("what order does to a model", loses=["claims-causal", "claims-masked-lm"], says="information about its place")
def encoder_and_decoder_exchanged():
    claims = {"attention_is_equivariant": True, "attention_is_invariant": False,
              "causal_decoder_can_recover_order": False, "masked_lm_encoder_can_recover_order": True}


@wrong("what order does to a model", loses=["claims-invariant", "claims-masked-lm"], says="attention_is_invariant")
def all_true():
    claims = dict.fromkeys(["attention_is_equivariant", "attention_is_invariant", "causal_decoder_can_recover_order",
                            "masked_lm_encoder_can_recover_order"], True)


@wrong("what order does to a model", loses=["claims-equivariant", "claims-causal"], says="attention_is_equivariant")
def all_false():
    claims = dict.fromkeys(["attention_is_equivariant", "attention_is_invariant", "causal_decoder_can_recover_order",
                            "masked_lm_encoder_can_recover_order"], False)


@wrong("what order does to a model", loses=CLAIMS, says="choose one of [True, False]")
def words():
    claims = {"attention_is_equivariant": "True", "attention_is_invariant": "False",
              "causal_decoder_can_recover_order": "yes", "masked_lm_encoder_can_recover_order": "no"}


@wrong("what order does to a model", loses=CLAIMS, says="should be a dict")
def a_list():
    claims = [True, False, True, False]


@wrong("what order does to a model", loses=["claims-causal", "claims-masked-lm"], says="still empty")
def two_left_out():
    claims = {"attention_is_equivariant": True, "attention_is_invariant": False, "causal_decoder_can_recover_order": ...}


@wrong("what order does to a model", loses=CLAIMS, says="not defined")
def other_name():
    claim = {"attention_is_equivariant": True, "attention_is_invariant": False,
             "causal_decoder_can_recover_order": True, "masked_lm_encoder_can_recover_order": False}
