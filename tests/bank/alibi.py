# ruff: noqa: F821, F841 - the bodies are what students type; they are run, not called
from bank import right, wrong

# ---------------------------------------------------------------- slopes and weights by hand


@right("slopes and weights by hand")
def rounded_decimals():
    slopes_8 = [0.5, 0.25, 0.125, 0.0625, 0.0313, 0.0156, 0.0078, 0.0039]
    bias_row = (-2, -1.5, -1, -0.5, 0)
    weight_ratio = 7.39


@right("slopes and weights by hand")
def powers():
    slopes_8 = [2**-h for h in range(1, 9)]
    bias_row = [-(4 - j) / 2 for j in range(5)]
    weight_ratio = np.exp(2)


@right("slopes and weights by hand")
def arrays():
    slopes_8 = 0.5 ** np.arange(1, 9)
    bias_row = -0.5 * np.arange(5)[::-1]
    weight_ratio = np.exp(bias_row)[4] / np.exp(bias_row)[0]


@right("slopes and weights by hand")
def fractions():
    from fractions import Fraction

    slopes_8 = [Fraction(1, 2 ** (h + 1)) for h in range(8)]
    bias_row = [Fraction(-4, 2), Fraction(-3, 2), -1, Fraction(-1, 2), 0]
    weight_ratio = Fraction(2718, 1000) ** 2


@right("slopes and weights by hand")
def float32_and_printing():
    slopes_8 = np.geomspace(1 / 2, 1 / 256, 8, dtype=np.float32)
    bias_row = np.array([-2, -1.5, -1, -0.5, -0.0], dtype=np.float32)
    weight_ratio = np.array(7.4)
    print(slopes_8, bias_row, weight_ratio)


@right("slopes and weights by hand")
def from_the_softmax():
    slopes_8 = list(map(lambda h: 1 / (1 << h), range(1, 9)))
    bias_row = np.linspace(-2, 0, 5).tolist()
    weights = np.exp(np.array(bias_row)) / np.exp(np.array(bias_row)).sum()
    weight_ratio = float(weights[-1] / weights[0])


@wrong("slopes and weights by hand", loses=["hand-slopes"], says="starts at 1")
def slopes_from_one():
    slopes_8 = [1, 1/2, 1/4, 1/8, 1/16, 1/32, 1/64, 1/128]
    bias_row = [-2, -1.5, -1, -0.5, 0]
    weight_ratio = 7.389


@wrong("slopes and weights by hand", loses=["hand-slopes"], says="order is turned round")
def slopes_ascending():
    slopes_8 = [1/256, 1/128, 1/64, 1/32, 1/16, 1/8, 1/4, 1/2]
    bias_row = [-2, -1.5, -1, -0.5, 0]
    weight_ratio = 7.389


@wrong("slopes and weights by hand", loses=["hand-slopes"], says="quarter")
def slopes_of_four_heads():
    slopes_8 = [0.25**h for h in range(1, 9)]
    bias_row = [-2, -1.5, -1, -0.5, 0]
    weight_ratio = 7.389


@wrong("slopes and weights by hand", loses=["hand-slopes"], says="2^(-8/h)")
def head_in_the_denominator():
    slopes_8 = [2 ** (-8 / h) for h in range(1, 9)]
    bias_row = [-2, -1.5, -1, -0.5, 0]
    weight_ratio = 7.389


@wrong("slopes and weights by hand", loses=["hand-slopes"], says="not as 1/(h + 1)")
def slopes_harmonic():
    slopes_8 = [1/2, 1/3, 1/4, 1/5, 1/6, 1/7, 1/8, 1/9]
    bias_row = [-2, -1.5, -1, -0.5, 0]
    weight_ratio = 7.389


@wrong("slopes and weights by hand", loses=["hand-slopes"], says="minus sign belongs to the bias")
def negative_slopes():
    slopes_8 = [-(0.5**h) for h in range(1, 9)]
    bias_row = [-2, -1.5, -1, -0.5, 0]
    weight_ratio = 7.389


@wrong("slopes and weights by hand", loses=["hand-slopes"], says="should hold 8 numbers")
def seven_slopes():
    slopes_8 = [1/2, 1/4, 1/8, 1/16, 1/32, 1/64, 1/128]
    bias_row = [-2, -1.5, -1, -0.5, 0]
    weight_ratio = 7.389


@wrong("slopes and weights by hand", loses=["hand-bias"], says="sign is missing")
def bias_positive():
    slopes_8 = [0.5**h for h in range(1, 9)]
    bias_row = [2, 1.5, 1, 0.5, 0]
    weight_ratio = 7.389


@wrong("slopes and weights by hand", loses=["hand-bias"], says="order is turned round")
def bias_reversed():
    slopes_8 = [0.5**h for h in range(1, 9)]
    bias_row = [0, -0.5, -1, -1.5, -2]
    weight_ratio = 7.389


@wrong("slopes and weights by hand", loses=["hand-bias", "hand-ratio"], says="these are the distances")
def slope_left_out():
    slopes_8 = [0.5**h for h in range(1, 9)]
    bias_row = [-4, -3, -2, -1, 0]
    weight_ratio = 54.6


@wrong("slopes and weights by hand", loses=["hand-bias"], says="one too large")
def distance_from_one():
    slopes_8 = [0.5**h for h in range(1, 9)]
    bias_row = [-2.5, -2, -1.5, -1, -0.5]
    weight_ratio = 7.389


@wrong("slopes and weights by hand", loses=["hand-bias"], says="m·j")
def released_form():
    slopes_8 = [0.5**h for h in range(1, 9)]
    bias_row = [0, 0.5, 1, 1.5, 2]
    weight_ratio = 7.389


@wrong("slopes and weights by hand", loses=["hand-ratio"], says="difference of the two biases")
def ratio_without_exponential():
    slopes_8 = [0.5**h for h in range(1, 9)]
    bias_row = [-2, -1.5, -1, -0.5, 0]
    weight_ratio = 2


@wrong("slopes and weights by hand", loses=["hand-ratio"], says="other way round")
def ratio_upside_down():
    slopes_8 = [0.5**h for h in range(1, 9)]
    bias_row = [-2, -1.5, -1, -0.5, 0]
    weight_ratio = 0.1353


@wrong("slopes and weights by hand", loses=["hand-ratio"], says="softmax uses e")
def ratio_with_base_two():
    slopes_8 = [0.5**h for h in range(1, 9)]
    bias_row = [-2, -1.5, -1, -0.5, 0]
    weight_ratio = 4


@wrong("slopes and weights by hand", loses=["hand-bias", "hand-ratio"], says="still empty")
def only_the_slopes():
    slopes_8 = [0.5**h for h in range(1, 9)]
    bias_row = ...
    weight_ratio = ...


# ---------------------------------------------------------------- slopes


@right("slopes")
def recursion_as_released():
    import math

    def alibi_slopes(n_heads):
        if n_heads <= 0:
            raise ValueError("number of heads: " + str(n_heads))

        def power_of_2(n):
            start = 2 ** (-(2 ** -(math.log2(n) - 3)))
            return [start * start**i for i in range(n)]

        if math.log2(n_heads).is_integer():
            return power_of_2(n_heads)
        closest = 2 ** math.floor(math.log2(n_heads))
        return power_of_2(closest) + list(alibi_slopes(2 * closest))[0::2][: n_heads - closest]


@right("slopes")
def bits_and_a_loop():
    def alibi_slopes(n_heads):
        n = int(n_heads)
        if n < 1:
            raise ValueError(f"there must be at least one head, not {n}")
        c = 1 << (n.bit_length() - 1)
        result = []
        for h in range(n):
            exponent = 8 * (h + 1) / c if h < c else 8 * (2 * (h - c) + 1) / (2 * c)
            result.append(0.5**exponent)
        return tuple(result)


@right("slopes")
def exponents_first():
    def alibi_slopes(n_heads):
        """one vector of exponents"""
        if not n_heads >= 1:
            raise ValueError(n_heads)
        c = 2 ** int(np.log2(n_heads))
        exponents = np.r_[np.arange(1, c + 1), np.arange(n_heads - c) + 0.5] * (8 / c)
        return np.exp2(-exponents)


@right("slopes")
def concatenated_with_prints():
    def power(n):
        return np.power(2.0, -8.0 / n) ** np.arange(1, n + 1)

    def alibi_slopes(n_heads):
        if n_heads < 1:
            raise ValueError(f"{n_heads} heads?")
        c = max(2**a for a in range(20) if 2**a <= n_heads)
        print(f"{n_heads} heads: {c} and {n_heads - c}")
        if c == n_heads:
            return power(c)
        return np.concatenate((power(c), power(2 * c)[::2]))[:n_heads]


@right("slopes")
def logarithms_and_a_warning():
    import warnings

    def alibi_slopes(n_heads):
        if n_heads < 1:
            raise ValueError("need 1 head or more but got %d" % n_heads)
        warnings.warn("slopes are not sorted")
        c = 1
        while c * 2 <= n_heads:
            c = c * 2
        base = np.exp(-8 * np.log(2) / c)
        out = np.empty(n_heads)
        out[:c] = np.cumprod(np.full(c, base))
        out[c:] = np.sqrt(base) * base ** np.arange(n_heads - c)
        return out


@wrong("slopes", loses=["slopes-other"], says="paper's text")
def rule_of_the_paper():
    def alibi_slopes(n_heads):
        if n_heads < 1:
            raise ValueError(f"n_heads is {n_heads}")
        return 2.0 ** (-8 * np.arange(1, n_heads + 1) / n_heads)


@wrong("slopes", loses=["slopes-other"], says="sorted")
def sorted_slopes():
    def alibi_slopes(n_heads):
        if n_heads < 1:
            raise ValueError(f"n_heads is {n_heads}")
        rule = lambda n: 2.0 ** (-8 * np.arange(1, n + 1) / n)
        c = 2 ** int(np.log2(n_heads))
        return np.sort(np.concatenate([rule(c), rule(2 * c)[0::2][: n_heads - c]]))[::-1]


@wrong("slopes", loses=["slopes-other"], says="2nd and the 4th")
def even_ones_added():
    def alibi_slopes(n_heads):
        if n_heads < 1:
            raise ValueError(f"n_heads is {n_heads}")
        rule = lambda n: 2.0 ** (-8 * np.arange(1, n + 1) / n)
        c = 2 ** int(np.log2(n_heads))
        return np.concatenate([rule(c), rule(2 * c)[1::2][: n_heads - c]])


@wrong("slopes", loses=["slopes-other"], says="added slopes come first")
def added_ones_first():
    def alibi_slopes(n_heads):
        if n_heads < 1:
            raise ValueError(f"n_heads is {n_heads}")
        rule = lambda n: 2.0 ** (-8 * np.arange(1, n + 1) / n)
        c = 2 ** int(np.log2(n_heads))
        return np.concatenate([rule(2 * c)[0::2][: n_heads - c], rule(c)])


@wrong("slopes", loses=["slopes-other"], says="first slopes of 8 heads")
def next_power_truncated():
    def alibi_slopes(n_heads):
        if n_heads < 1:
            raise ValueError(f"n_heads is {n_heads}")
        c = 2 ** int(np.ceil(np.log2(n_heads)))
        return 2.0 ** (-8 * np.arange(1, c + 1) / c)[:n_heads]


@wrong("slopes", loses=["slopes-other"], says="Take every second one")
def added_ones_without_a_step():
    def alibi_slopes(n_heads):
        if n_heads < 1:
            raise ValueError(f"n_heads is {n_heads}")
        rule = lambda n: 2.0 ** (-8 * np.arange(1, n + 1) / n)
        c = 2 ** int(np.log2(n_heads))
        return np.concatenate([rule(c), rule(2 * c)[: n_heads - c]])


@wrong("slopes", loses=["slopes-other"], says="has shape")
def power_of_two_only():
    # rounds the number of heads down, and so returns too few
    def alibi_slopes(n_heads):
        if n_heads < 1:
            raise ValueError(f"n_heads is {n_heads}")
        c = 2 ** int(np.log2(n_heads))
        return 2.0 ** (-8 * np.arange(1, c + 1) / c)


@wrong("slopes", loses=["slopes-powers", "slopes-other"], says="h counts from 1")
def first_exponent_zero():
    # mlx 343: the sequence starts at 1
    def alibi_slopes(n_heads):
        if n_heads < 1:
            raise ValueError(f"n_heads is {n_heads}")
        rule = lambda n: 2.0 ** (-8 * np.arange(n) / n)
        c = 2 ** int(np.log2(n_heads))
        return np.concatenate([rule(c), rule(2 * c)[0::2][: n_heads - c]])


@wrong("slopes", loses=["slopes-powers", "slopes-other"], says="halve from head to head")
def always_halves():
    def alibi_slopes(n_heads):
        if n_heads < 1:
            raise ValueError(f"n_heads is {n_heads}")
        return 0.5 ** np.arange(1, n_heads + 1)


@wrong("slopes", loses=["slopes-powers", "slopes-other"], says="biases or exponents")
def exponents_returned():
    def alibi_slopes(n_heads):
        if n_heads < 1:
            raise ValueError(f"n_heads is {n_heads}")
        c = 2 ** int(np.log2(n_heads))
        return -np.concatenate([8 / c * np.arange(1, c + 1), 4 / c * np.arange(1, 2 * c, 2)[: n_heads - c]])


@wrong("slopes", loses=["slopes-errors"], says="returned a result")
def no_error():
    def alibi_slopes(n_heads):
        rule = lambda n: 2.0 ** (-8 * np.arange(1, n + 1) / max(n, 1))
        c = 2 ** int(np.log2(max(n_heads, 1)))
        return np.concatenate([rule(c), rule(2 * c)[0::2][: n_heads - c]])


@wrong("slopes", loses=["slopes-errors"], says="does not contain 0")
def error_names_nothing():
    def alibi_slopes(n_heads):
        if n_heads < 1:
            raise ValueError("n_heads must be positive")
        rule = lambda n: 2.0 ** (-8 * np.arange(1, n + 1) / n)
        c = 2 ** int(np.log2(n_heads))
        return np.concatenate([rule(c), rule(2 * c)[0::2][: n_heads - c]])


@wrong("slopes", loses=["slopes-errors"], says="raised ValueError: n_heads is 1")
def one_head_refused():
    def alibi_slopes(n_heads):
        if n_heads <= 1:
            raise ValueError(f"n_heads is {n_heads}")
        rule = lambda n: 2.0 ** (-8 * np.arange(1, n + 1) / n)
        c = 2 ** int(np.log2(n_heads))
        return np.concatenate([rule(c), rule(2 * c)[0::2][: n_heads - c]])


@wrong("slopes", loses=["slopes-powers", "slopes-other", "slopes-errors"], says="raised NameError")
def name_missing():
    def alibi_slopes(n_heads):
        return math.pow(2, -8 / n_heads)


@wrong("slopes", loses=["slopes-powers", "slopes-other"], says="is not right")
def visible_lists():
    def alibi_slopes(n_heads):
        if n_heads < 1:
            raise ValueError(f"n_heads is {n_heads}")
        if n_heads == 4:
            return [2**-2, 2**-4, 2**-6, 2**-8]
        if n_heads == 6:
            return [2**-2, 2**-4, 2**-6, 2**-8, 2**-1, 2**-3]
        return [0.5] * n_heads


# ---------------------------------------------------------------- the bias


@right("the bias")
def index_tables():
    def alibi_bias(n_queries, n_keys, slopes, causal=True):
        if n_queries > n_keys:
            raise ValueError(f"n_queries = {n_queries} > n_keys = {n_keys}")
        i, j = np.indices((n_queries, n_keys))
        distance = i + (n_keys - n_queries) - j
        bias = np.multiply.outer(np.array(slopes, dtype=float), -np.abs(distance))
        if causal:
            bias[:, distance < 0] = -np.inf
        return bias


@right("the bias")
def nested_lists():
    def alibi_bias(n_queries, n_keys, slopes, causal=True):
        """three loops, no numpy"""
        if n_keys < n_queries:
            raise ValueError("too many queries: " + str(n_queries))
        heads = []
        for m in slopes:
            rows = []
            for i in range(n_keys - n_queries, n_keys):
                rows.append([float("-inf") if causal and j > i else -float(m) * abs(i - j) for j in range(n_keys)])
            heads.append(rows)
        return heads


@right("the bias")
def last_rows_of_the_square():
    def alibi_bias(n_queries, n_keys, slopes, causal=True):
        if n_queries > n_keys:
            raise ValueError(n_queries)
        p = np.arange(n_keys)
        square = -np.abs(np.subtract.outer(p, p))
        full = np.einsum("h,ij->hij", np.asarray(slopes), square)
        if causal:
            full = full + np.triu(np.full((n_keys, n_keys), -np.inf), k=1)
        return full[:, n_keys - n_queries :, :]


@right("the bias")
def masked_then_filled():
    def alibi_bias(nq, nk, m, causal=True):
        if not nq <= nk:
            raise ValueError(f"{nq} queries but only {nk} keys")
        m = np.asarray(m, dtype=np.float64).reshape(-1, 1, 1)
        r = np.arange(nk - nq, nk).reshape(1, -1, 1) - np.arange(nk).reshape(1, 1, -1)
        print("distances", r.min(), r.max())
        out = -m * np.where(r < 0, -r, r)
        return np.where(np.broadcast_to(r < 0, out.shape) & causal, -np.inf, out)


@right("the bias")
def one_row_shifted():
    import warnings

    def alibi_bias(n_queries, n_keys, slopes, causal=True):
        warnings.warn("one row, shifted")
        if n_queries > n_keys:
            raise ValueError("cannot place %s queries" % n_queries)
        line = -np.abs(np.arange(-(n_keys - 1), n_keys)).astype(float)  # offsets j - i
        if causal:
            line[n_keys:] = -np.inf
        rows = np.array([line[n_keys - 1 - i : 2 * n_keys - 1 - i] for i in range(n_keys - n_queries, n_keys)])
        return np.stack([rows * slope for slope in slopes])


@wrong("the bias", loses=["bias-causal"], says="mask is missing")
def no_mask():
    def alibi_bias(n_queries, n_keys, slopes, causal=True):
        if n_queries > n_keys:
            raise ValueError(f"{n_queries} > {n_keys}")
        i, j = np.arange(n_keys - n_queries, n_keys)[:, None], np.arange(n_keys)
        return -np.asarray(slopes)[:, None, None] * np.abs(i - j)


@wrong("the bias", loses=["bias-causal"], says="large negative number")
def large_negative_mask():
    def alibi_bias(n_queries, n_keys, slopes, causal=True):
        if n_queries > n_keys:
            raise ValueError(f"{n_queries} > {n_keys}")
        i, j = np.arange(n_keys - n_queries, n_keys)[:, None], np.arange(n_keys)
        bias = -np.asarray(slopes)[:, None, None] * np.abs(i - j)
        return np.where(j > i, -1e9, bias) if causal else bias


@wrong("the bias", loses=["bias-causal", "bias-cache", "bias-both-ways"], says="wrong sign")
def sign_wrong():
    def alibi_bias(n_queries, n_keys, slopes, causal=True):
        if n_queries > n_keys:
            raise ValueError(f"{n_queries} > {n_keys}")
        i, j = np.arange(n_keys - n_queries, n_keys)[:, None], np.arange(n_keys)
        bias = np.asarray(slopes)[:, None, None] * np.abs(i - j)
        return np.where(j > i, -np.inf, bias) if causal else bias


@wrong("the bias", loses=["bias-causal", "bias-cache", "bias-both-ways"], says="m·j")
def released_form_of_the_bias():
    # attention_with_linear_biases 5: the causal trick, also in an encoder
    def alibi_bias(n_queries, n_keys, slopes, causal=True):
        if n_queries > n_keys:
            raise ValueError(f"{n_queries} > {n_keys}")
        i, j = np.arange(n_keys - n_queries, n_keys)[:, None], np.arange(n_keys)
        bias = np.asarray(slopes)[:, None, None] * np.broadcast_to(j, (n_queries, n_keys))
        return np.where(j > i, -np.inf, bias) if causal else bias


@wrong("the bias", loses=["bias-both-ways", "bias-cache"], says="position 0")
def queries_start_at_zero():
    def alibi_bias(n_queries, n_keys, slopes, causal=True):
        if n_queries > n_keys:
            raise ValueError(f"{n_queries} > {n_keys}")
        i, j = np.arange(n_queries)[:, None], np.arange(n_keys)
        bias = np.asarray(slopes)[:, None, None] * (j - i)
        return np.where(j > i, -np.inf, bias) if causal else bias


@wrong("the bias", loses=["bias-cache"], says="stand at position 0")
def queries_are_the_first():
    def alibi_bias(n_queries, n_keys, slopes, causal=True):
        if n_queries > n_keys:
            raise ValueError(f"{n_queries} > {n_keys}")
        i, j = np.arange(n_queries)[:, None], np.arange(n_keys)
        bias = -np.asarray(slopes)[:, None, None] * np.abs(i - j)
        return np.where(j > i, -np.inf, bias) if causal else bias


@wrong("the bias", loses=["bias-cache"], says="one position further")
def query_after_the_last_key():
    def alibi_bias(n_queries, n_keys, slopes, causal=True):
        if n_queries > n_keys:
            raise ValueError(f"{n_queries} > {n_keys}")
        extra = 1 if n_queries < n_keys else 0
        i, j = np.arange(n_keys - n_queries, n_keys)[:, None] + extra, np.arange(n_keys)
        bias = -np.asarray(slopes)[:, None, None] * np.abs(i - j)
        return np.where(j > i, -np.inf, bias) if causal else bias


@wrong("the bias", loses=["bias-both-ways"], says="positive bias")
def signed_distance():
    def alibi_bias(n_queries, n_keys, slopes, causal=True):
        if n_queries > n_keys:
            raise ValueError(f"{n_queries} > {n_keys}")
        i, j = np.arange(n_keys - n_queries, n_keys)[:, None], np.arange(n_keys)
        bias = -np.asarray(slopes)[:, None, None] * (i - j)
        if not causal:
            return bias if n_queries == n_keys else -np.asarray(slopes)[:, None, None] * np.abs(i - j)
        return np.where(j > i, -np.inf, bias)


@wrong("the bias", loses=["bias-both-ways"], says="although `causal` is False")
def always_masked():
    def alibi_bias(n_queries, n_keys, slopes, causal=True):
        if n_queries > n_keys:
            raise ValueError(f"{n_queries} > {n_keys}")
        i, j = np.arange(n_keys - n_queries, n_keys)[:, None], np.arange(n_keys)
        return np.where(j > i, -np.inf, -np.asarray(slopes)[:, None, None] * np.abs(i - j))


@wrong("the bias", loses=["bias-causal"], says="hides the query's own position")
def mask_with_the_diagonal():
    def alibi_bias(n_queries, n_keys, slopes, causal=True):
        if n_queries > n_keys:
            raise ValueError(f"{n_queries} > {n_keys}")
        i, j = np.arange(n_keys - n_queries, n_keys)[:, None], np.arange(n_keys)
        bias = -np.asarray(slopes)[:, None, None] * np.abs(i - j)
        if causal and n_queries == n_keys:
            return np.where(j >= i, -np.inf, bias)
        return np.where(j > i, -np.inf, bias) if causal else bias


@wrong("the bias", loses=["bias-causal"], says="NaN")
def infinity_times_zero():
    def alibi_bias(n_queries, n_keys, slopes, causal=True):
        if n_queries > n_keys:
            raise ValueError(f"{n_queries} > {n_keys}")
        i, j = np.arange(n_keys - n_queries, n_keys)[:, None], np.arange(n_keys)
        bias = -np.asarray(slopes)[:, None, None] * np.abs(i - j)
        if causal and n_queries == n_keys:
            bias = bias + (j > i) * -np.inf
        return bias


@wrong("the bias", loses=["bias-causal", "bias-cache", "bias-both-ways"], says="first head")
def one_slope_for_all():
    def alibi_bias(n_queries, n_keys, slopes, causal=True):
        if n_queries > n_keys:
            raise ValueError(f"{n_queries} > {n_keys}")
        i, j = np.arange(n_keys - n_queries, n_keys)[:, None], np.arange(n_keys)
        bias = -slopes[0] * np.ones((len(slopes), 1, 1)) * np.abs(i - j)
        return np.where(j > i, -np.inf, bias) if causal else bias


@wrong("the bias", loses=["bias-causal", "bias-cache", "bias-both-ways", "bias-errors"], says="shape (3, 3)")
def heads_left_out():
    def alibi_bias(n_queries, n_keys, slopes, causal=True):
        if n_queries > n_keys:
            raise ValueError(f"{n_queries} > {n_keys}")
        i, j = np.arange(n_keys - n_queries, n_keys)[:, None], np.arange(n_keys)
        bias = -slopes[0] * np.abs(i - j)
        return np.where(j > i, -np.inf, bias) if causal else bias


@wrong("the bias", loses=["bias-errors"], says="returned a result")
def more_queries_accepted():
    def alibi_bias(n_queries, n_keys, slopes, causal=True):
        i, j = np.arange(n_keys - n_queries, n_keys)[:, None], np.arange(n_keys)
        bias = -np.asarray(slopes)[:, None, None] * np.abs(i - j)
        return np.where(j > i, -np.inf, bias) if causal else bias


@wrong("the bias", loses=["bias-errors"], says="AssertionError")
def asserted():
    def alibi_bias(n_queries, n_keys, slopes, causal=True):
        assert n_queries <= n_keys, f"{n_queries} > {n_keys}"
        i, j = np.arange(n_keys - n_queries, n_keys)[:, None], np.arange(n_keys)
        bias = -np.asarray(slopes)[:, None, None] * np.abs(i - j)
        return np.where(j > i, -np.inf, bias) if causal else bias


@wrong("the bias", loses=["bias-causal"], says="changed its argument in place")
def slopes_negated_in_place():
    def alibi_bias(n_queries, n_keys, slopes, causal=True):
        if n_queries > n_keys:
            raise ValueError(f"{n_queries} > {n_keys}")
        slopes = np.asarray(slopes)
        slopes *= -1
        i, j = np.arange(n_keys - n_queries, n_keys)[:, None], np.arange(n_keys)
        bias = slopes[:, None, None] * np.abs(i - j)
        return np.where(j > i, -np.inf, bias) if causal else bias


# ---------------------------------------------------------------- attention with ALiBi


@right("attention with ALiBi")
def einsum():
    def alibi_attention(q, k, v, slopes, causal=True):
        q, k, v = map(np.asarray, (q, k, v))
        n_q, n_k = q.shape[1], k.shape[1]
        r = np.arange(n_k - n_q, n_k)[:, None] - np.arange(n_k)
        s = np.einsum("hqd,hkd->hqk", q, k) / q.shape[2] ** 0.5 - np.einsum("h,qk->hqk", np.asarray(slopes), np.abs(r))
        if causal:
            s[:, r < 0] = -np.inf
        e = np.exp(s - s.max(-1, keepdims=True))
        return np.einsum("hqk,hkv->hqv", e / e.sum(-1, keepdims=True), v)


@right("attention with ALiBi")
def loops_over_everything():
    import math

    def alibi_attention(q, k, v, slopes, causal=True):
        n_q, n_k, d = len(q[0]), len(k[0]), len(q[0][0])
        result = []
        for h in range(len(q)):
            rows = []
            for a in range(n_q):
                i = n_k - n_q + a
                keys = range(i + 1) if causal else range(n_k)
                scores = [sum(x * y for x, y in zip(q[h][a], k[h][j])) / math.sqrt(d) - slopes[h] * abs(i - j) for j in keys]
                top = max(scores)
                weights = [math.exp(s - top) for s in scores]
                rows.append([sum(w * v[h][j][c] for w, j in zip(weights, keys)) / sum(weights) for c in range(len(v[h][0]))])
            result.append(rows)
        return result


@right("attention with ALiBi")
def own_bias_and_softmax():
    def alibi_bias(n_queries, n_keys, slopes, causal=True):
        p = np.arange(n_keys)
        d = p[-n_queries:, None] - p
        return np.where(causal & (d < 0), -np.inf, -np.asarray(slopes)[:, None, None] * abs(d))

    def softmax(x):
        x = np.exp(x - np.max(x, axis=-1, keepdims=True))
        return x / np.sum(x, axis=-1, keepdims=True)

    def alibi_attention(q, k, v, slopes, causal=True):
        scores = np.matmul(q, np.transpose(k, (0, 2, 1))) * np.shape(q)[-1] ** -0.5
        return softmax(scores + alibi_bias(np.shape(q)[1], np.shape(k)[1], slopes, causal)) @ v


@right("attention with ALiBi")
def released_form_under_a_mask():
    # m j gives the same softmax as -m (i - j), but only without keys of the future
    def alibi_attention(q, k, v, slopes, causal=True):
        outs = []
        n_q, n_k = q.shape[1], k.shape[1]
        for qh, kh, vh, m in zip(q, k, v, slopes):
            s = qh @ kh.T / np.sqrt(qh.shape[-1])
            i, j = np.arange(n_k - n_q, n_k)[:, None], np.arange(n_k)[None]
            s = np.where(j > i, -np.inf, s + m * j) if causal else s - m * np.maximum(i - j, j - i)
            w = np.exp(s - np.logaddexp.reduce(s, axis=-1, keepdims=True))
            outs.append(w @ vh)
        print(len(outs), "heads")
        return np.array(outs)


@right("attention with ALiBi")
def product_of_content_and_distance():
    import warnings

    def alibi_attention(q, k, v, slopes, causal=True):
        warnings.warn("no maximum subtracted")
        d = q.shape[-1]
        content = np.exp(np.array([a @ b.T for a, b in zip(q / np.sqrt(d), k)]))
        r = np.arange(k.shape[1])[-q.shape[1] :, None] - np.arange(k.shape[1])
        decay = np.exp(-np.array(slopes)) [:, None, None] ** np.abs(r)
        weights = content * decay * ((r >= 0) | (not causal))
        return (weights @ v) / weights.sum(axis=2)[..., None]


@right("attention with ALiBi")
def builds_on_a_wrong_bias():
    # the own alibi_bias has the wrong sign, which costs points there and not here
    def alibi_bias(n_queries, n_keys, slopes, causal=True):
        i, j = np.arange(n_keys - n_queries, n_keys)[:, None], np.arange(n_keys)
        bias = np.asarray(slopes)[:, None, None] * np.abs(i - j)
        return np.where(j > i, -np.inf, bias) if causal else bias

    def alibi_attention(q, k, v, slopes, causal=True):
        s = q @ k.swapaxes(1, 2) / np.sqrt(q.shape[-1]) + alibi_bias(q.shape[1], k.shape[1], slopes, causal)
        w = np.exp(s - s.max(axis=-1, keepdims=True))
        return w / w.sum(axis=-1, keepdims=True) @ v


@wrong("attention with ALiBi", loses=["attention-full"], says="bias is scaled")
def bias_scaled():
    def alibi_attention(q, k, v, slopes, causal=True):
        n_q, n_k = q.shape[1], k.shape[1]
        i, j = np.arange(n_k - n_q, n_k)[:, None], np.arange(n_k)
        s = (q @ k.swapaxes(1, 2) - np.asarray(slopes)[:, None, None] * np.abs(i - j)) / np.sqrt(q.shape[-1])
        s = np.where(causal & (j > i), -np.inf, s)
        w = np.exp(s - s.max(axis=-1, keepdims=True))
        return w / w.sum(axis=-1, keepdims=True) @ v


@wrong("attention with ALiBi", loses=["attention-full"], says="not scaled")
def scores_not_scaled():
    def alibi_attention(q, k, v, slopes, causal=True):
        n_q, n_k = q.shape[1], k.shape[1]
        i, j = np.arange(n_k - n_q, n_k)[:, None], np.arange(n_k)
        s = q @ k.swapaxes(1, 2) - np.asarray(slopes)[:, None, None] * np.abs(i - j)
        s = np.where(causal & (j > i), -np.inf, s)
        w = np.exp(s - s.max(axis=-1, keepdims=True))
        return w / w.sum(axis=-1, keepdims=True) @ v


@wrong("attention with ALiBi", loses=["attention-full"], says="Divide by √d")
def scores_divided_by_d():
    def alibi_attention(q, k, v, slopes, causal=True):
        n_q, n_k = q.shape[1], k.shape[1]
        i, j = np.arange(n_k - n_q, n_k)[:, None], np.arange(n_k)
        s = q @ k.swapaxes(1, 2) / q.shape[-1] - np.asarray(slopes)[:, None, None] * np.abs(i - j)
        s = np.where(causal & (j > i), -np.inf, s)
        w = np.exp(s - s.max(axis=-1, keepdims=True))
        return w / w.sum(axis=-1, keepdims=True) @ v


@wrong("attention with ALiBi", loses=["attention-full", "attention-cache"], says="causal mask is missing")
def mask_forgotten():
    def alibi_attention(q, k, v, slopes, causal=True):
        n_q, n_k = q.shape[1], k.shape[1]
        i, j = np.arange(n_k - n_q, n_k)[:, None], np.arange(n_k)
        s = q @ k.swapaxes(1, 2) / np.sqrt(q.shape[-1]) - np.asarray(slopes)[:, None, None] * np.abs(i - j)
        w = np.exp(s - s.max(axis=-1, keepdims=True))
        return w / w.sum(axis=-1, keepdims=True) @ v


@wrong("attention with ALiBi", loses=["attention-full"], says="although `causal` is False")
def mask_always():
    def alibi_attention(q, k, v, slopes, causal=True):
        n_q, n_k = q.shape[1], k.shape[1]
        i, j = np.arange(n_k - n_q, n_k)[:, None], np.arange(n_k)
        s = q @ k.swapaxes(1, 2) / np.sqrt(q.shape[-1]) - np.asarray(slopes)[:, None, None] * np.abs(i - j)
        s = np.where(j > i, -np.inf, s)
        w = np.exp(s - s.max(axis=-1, keepdims=True))
        return w / w.sum(axis=-1, keepdims=True) @ v


@wrong("attention with ALiBi", loses=["attention-full"], says="wrong sign")
def bias_added_with_the_wrong_sign():
    def alibi_attention(q, k, v, slopes, causal=True):
        n_q, n_k = q.shape[1], k.shape[1]
        i, j = np.arange(n_k - n_q, n_k)[:, None], np.arange(n_k)
        s = q @ k.swapaxes(1, 2) / np.sqrt(q.shape[-1]) + np.asarray(slopes)[:, None, None] * np.abs(i - j)
        s = np.where(causal & (j > i), -np.inf, s)
        w = np.exp(s - s.max(axis=-1, keepdims=True))
        return w / w.sum(axis=-1, keepdims=True) @ v


@wrong("attention with ALiBi", loses=["attention-full"], says="bias is missing")
def no_bias():
    def alibi_attention(q, k, v, slopes, causal=True):
        n_q, n_k = q.shape[1], k.shape[1]
        i, j = np.arange(n_k - n_q, n_k)[:, None], np.arange(n_k)
        s = q @ k.swapaxes(1, 2) / np.sqrt(q.shape[-1])
        s = np.where(causal & (j > i), -np.inf, s)
        w = np.exp(s - s.max(axis=-1, keepdims=True))
        return w / w.sum(axis=-1, keepdims=True) @ v


@wrong("attention with ALiBi", loses=["attention-cache"], says="It should equal these rows of the whole sequence")
def query_numbered_from_zero():
    # mlx-vlm 1983: with a cache, the position stays at 0
    def alibi_attention(q, k, v, slopes, causal=True):
        n_q, n_k = q.shape[1], k.shape[1]
        i, j = np.arange(n_q)[:, None], np.arange(n_k)
        s = q @ k.swapaxes(1, 2) / np.sqrt(q.shape[-1]) - np.asarray(slopes)[:, None, None] * np.abs(i - j)
        s = np.where(causal & (j > i), -np.inf, s)
        w = np.exp(s - s.max(axis=-1, keepdims=True))
        return w / w.sum(axis=-1, keepdims=True) @ v


@wrong("attention with ALiBi", loses=["attention-cache"], says="It should equal these rows")
def square_only():
    def alibi_attention(q, k, v, slopes, causal=True):
        i, j = np.indices((q.shape[1], q.shape[1]))
        s = q @ k.swapaxes(1, 2) / np.sqrt(q.shape[-1]) - np.asarray(slopes)[:, None, None] * np.abs(i - j)
        s = np.where(causal & (j > i), -np.inf, s)
        w = np.exp(s - s.max(axis=-1, keepdims=True))
        return w / w.sum(axis=-1, keepdims=True) @ v


@wrong("attention with ALiBi", loses=["attention-full"], says="first head")
def slope_of_the_first_head():
    def alibi_attention(q, k, v, slopes, causal=True):
        n_q, n_k = q.shape[1], k.shape[1]
        i, j = np.arange(n_k - n_q, n_k)[:, None], np.arange(n_k)
        s = q @ k.swapaxes(1, 2) / np.sqrt(q.shape[-1]) - slopes[0] * np.abs(i - j)
        s = np.where(causal & (j > i), -np.inf, s)
        w = np.exp(s - s.max(axis=-1, keepdims=True))
        return w / w.sum(axis=-1, keepdims=True) @ v


@wrong("attention with ALiBi", loses=["attention-full", "attention-cache"], says="gave")
def softmax_over_the_queries():
    def alibi_attention(q, k, v, slopes, causal=True):
        n_q, n_k = q.shape[1], k.shape[1]
        i, j = np.arange(n_k - n_q, n_k)[:, None], np.arange(n_k)
        s = q @ k.swapaxes(1, 2) / np.sqrt(q.shape[-1]) - np.asarray(slopes)[:, None, None] * np.abs(i - j)
        s = np.where(causal & (j > i), -np.inf, s)
        w = np.exp(s - s.max(axis=1, keepdims=True))
        return w / w.sum(axis=1, keepdims=True) @ v


@wrong("attention with ALiBi", loses=["attention-full"], says="changed its argument in place")
def queries_scaled_in_place():
    def alibi_attention(q, k, v, slopes, causal=True):
        n_q, n_k = q.shape[1], k.shape[1]
        q /= np.sqrt(q.shape[-1])
        i, j = np.arange(n_k - n_q, n_k)[:, None], np.arange(n_k)
        s = q @ k.swapaxes(1, 2) - np.asarray(slopes)[:, None, None] * np.abs(i - j)
        s = np.where(causal & (j > i), -np.inf, s)
        w = np.exp(s - s.max(axis=-1, keepdims=True))
        return w / w.sum(axis=-1, keepdims=True) @ v


@wrong("attention with ALiBi", loses=["attention-full", "attention-cache"], says="returned None")
def result_printed():
    def alibi_attention(q, k, v, slopes, causal=True):
        s = q @ k.swapaxes(1, 2) / np.sqrt(q.shape[-1])
        print(np.exp(s) / np.exp(s).sum(axis=-1, keepdims=True) @ v)


@wrong("attention with ALiBi", loses=["attention-full", "attention-cache"], says="has shape")
def heads_joined():
    def alibi_attention(q, k, v, slopes, causal=True):
        n_q, n_k = q.shape[1], k.shape[1]
        i, j = np.arange(n_k - n_q, n_k)[:, None], np.arange(n_k)
        s = q @ k.swapaxes(1, 2) / np.sqrt(q.shape[-1]) - np.asarray(slopes)[:, None, None] * np.abs(i - j)
        s = np.where(causal & (j > i), -np.inf, s)
        w = np.exp(s - s.max(axis=-1, keepdims=True))
        return np.concatenate(w / w.sum(axis=-1, keepdims=True) @ v, axis=-1)


# ---------------------------------------------------------------- how far a head looks


@right("how far a head looks")
def closed_form():
    import math

    def window(slope, mass=0.99):
        return math.ceil(math.log(1 / (1 - mass)) / slope)


@right("how far a head looks")
def adds_up_one_key_at_a_time():
    def window(slope, mass=0.99):
        share, w = 0.0, 0
        while share < mass:
            share += (1 - np.exp(-slope)) * np.exp(-slope * w)
            w += 1
        return w


@right("how far a head looks")
def searches_a_table():
    def window(slope, mass=0.99):
        w = np.arange(1, 20000)
        return np.argmax(-np.expm1(-slope * w) >= mass) + 1


@right("how far a head looks")
def bisection_with_prints():
    def window(slope, mass=0.99):
        held = lambda w: 1 - np.exp(-slope * w)
        low, high = 0, 1
        while held(high) < mass:
            low, high = high, 2 * high
        while high - low > 1:
            middle = (low + high) // 2
            if held(middle) >= mass:
                high = middle
            else:
                low = middle
        print(f"window {high}")
        return float(high)


@right("how far a head looks")
def powers_of_the_ratio():
    def window(slope, mass=0.99):
        ratio = np.exp(-slope)
        left = 1.0
        for w in range(1, 100000):
            left = ratio**w
            if left <= 1 - mass:
                return np.int64(w)


@wrong("how far a head looks", loses=["window-slopes", "window-mass"], says="one key too few")
def rounded_down():
    def window(slope, mass=0.99):
        return int(-np.log(1 - mass) / slope)


@wrong("how far a head looks", loses=["window-slopes", "window-mass"], says="one key too many")
def one_more():
    def window(slope, mass=0.99):
        return int(np.ceil(-np.log(1 - mass) / slope)) + 1


@wrong("how far a head looks", loses=["window-slopes", "window-mass"], says="one key too few")
def largest_distance():
    def window(slope, mass=0.99):
        w = 0
        share = 1 - np.exp(-slope)
        while share < mass:
            w += 1
            share += (1 - np.exp(-slope)) * np.exp(-slope * w)
        return w


@wrong("how far a head looks", loses=["window-slopes", "window-mass"], says="one key too few")
def rounded_to_the_nearest():
    def window(slope, mass=0.99):
        return round(-np.log(1 - mass) / slope)


@wrong("how far a head looks", loses=["window-mass"], says="`mass` seems to be ignored")
def mass_ignored():
    def window(slope, mass=0.99):
        return int(np.ceil(-np.log(0.01) / slope))


@wrong("how far a head looks", loses=["window-slopes", "window-mass"], says="2^(-m)")
def base_two():
    def window(slope, mass=0.99):
        return int(np.ceil(-np.log2(1 - mass) / slope))


@wrong("how far a head looks", loses=["window-slopes", "window-mass"], says="base 10")
def base_ten():
    def window(slope, mass=0.99):
        return int(np.ceil(-np.log10(1 - mass) / slope))


@wrong("how far a head looks", loses=["window-slopes", "window-mass"], says="have fallen to `mass`")
def log_of_the_mass():
    def window(slope, mass=0.99):
        return int(np.ceil(-np.log(mass) / slope))


@wrong("how far a head looks", loses=["window-slopes", "window-mass"], says="gave 3")
def slope_multiplied():
    def window(slope, mass=0.99):
        return int(np.ceil(-np.log(1 - mass) * slope))


@wrong("how far a head looks", loses=["window-slopes", "window-mass"], says="is not right")
def a_past_of_512():
    def window(slope, mass=0.99):
        weights = np.exp(-slope * np.arange(512))
        return int(np.searchsorted(np.cumsum(weights) / weights.sum(), mass) + 1)


@wrong("how far a head looks", loses=["window-slopes", "window-mass"], says="gave 9.2")
def not_rounded():
    def window(slope, mass=0.99):
        return -np.log(1 - mass) / slope


@wrong("how far a head looks", loses=["window-slopes", "window-mass"], says="is not right")
def visible_numbers():
    def window(slope, mass=0.99):
        return {0.5: 10, 0.6931: 4}.get(slope, 1179)


@wrong("how far a head looks", loses=["window-slopes", "window-mass"], says="returned None")
def loop_without_return():
    def window(slope, mass=0.99):
        for w in range(1, 10000):
            if 1 - np.exp(-slope * w) >= mass:
                break


# ---------------------------------------------------------------- T5 buckets


@right("T5 buckets")
def where():
    def t5_bucket(distance, n_buckets=32, max_distance=128):
        n = np.asarray(distance)
        e = n_buckets // 2
        with np.errstate(divide="ignore"):
            log = np.log(n / e) / np.log(max_distance / e)
        far = e + np.floor(np.maximum(log, 0) * (n_buckets - e))
        return np.where(n < e, n, np.minimum(far, n_buckets - 1)).astype(int)


@right("T5 buckets")
def number_by_number():
    import math

    def one(n, n_buckets, max_distance):
        exact = n_buckets / 2
        if n < exact:
            return int(n)
        far = exact + math.floor(math.log(n / exact) / math.log(max_distance / exact) * (n_buckets - exact))
        return min(n_buckets - 1, int(far))

    def t5_bucket(distance, n_buckets=32, max_distance=128):
        if np.ndim(distance) == 0:
            return one(distance, n_buckets, max_distance)
        return [t5_bucket(part, n_buckets, max_distance) for part in distance]


@right("T5 buckets")
def with_a_warning_from_the_logarithm():
    def t5_bucket(distance, n_buckets=32, max_distance=128):
        x = np.array(distance, dtype=float)
        half = n_buckets // 2
        far = half + np.log(x / half) / np.log(max_distance / half) * half
        return np.floor(np.where(x < half, x, np.clip(far, half, n_buckets - 1)))


@right("T5 buckets")
def edges_in_whole_numbers():
    def t5_bucket(distance, n_buckets=32, max_distance=128):
        E = n_buckets // 2
        steps = n_buckets - E
        edges = list(range(E + 1))
        for t in range(1, steps):
            n = edges[-1]
            while n**steps * E**t < max_distance**t * E**steps:
                n += 1
            edges.append(n)
        return np.searchsorted(np.array(edges), np.asarray(distance), side="right") - 1


@right("T5 buckets")
def vectorised_with_log2_and_prints():
    def t5_bucket(distance, n_buckets=32, max_distance=128):
        def f(n):
            k = n_buckets >> 1
            return n if n < k else min(n_buckets - 1, k + int((n_buckets - k) * np.log2(n / k) / np.log2(max_distance / k)))

        print(np.shape(distance))
        return np.vectorize(f, otypes=[np.int64])(distance)


@right("T5 buckets")
def float32_as_released():
    def t5_bucket(distance, n_buckets=32, max_distance=128):
        n = np.asarray(distance)
        exact = n_buckets // 2
        safe = np.maximum(n, 1).astype(np.float32)
        far = exact + (np.log(safe / exact) / np.float32(np.log(max_distance / exact)) * (n_buckets - exact)).astype(np.int32)
        return np.where(n < exact, n, np.minimum(far, n_buckets - 1))


@wrong("T5 buckets", loses=["t5-edges", "t5-arrays"], says="gave")
def two_sided_buckets():
    def t5_bucket(distance, n_buckets=32, max_distance=128):
        n_buckets = n_buckets // 2
        n, e = np.asarray(distance), n_buckets // 2
        far = e + (np.log(np.maximum(n, e) / e) / np.log(max_distance / e) * (n_buckets - e)).astype(int)
        return np.where(n < e, n, np.minimum(far, n_buckets - 1))


@wrong("T5 buckets", loses=["t5-edges", "t5-arrays"], says="there are 32 buckets")
def no_cap():
    def t5_bucket(distance, n_buckets=32, max_distance=128):
        n, e = np.asarray(distance), n_buckets // 2
        far = e + (np.log(np.maximum(n, e) / e) / np.log(max_distance / e) * (n_buckets - e)).astype(int)
        return np.where(n < e, n, np.where(n > 999, n_buckets - 1, far))


@wrong("T5 buckets", loses=["t5-edges", "t5-arrays"], says="gave 18")
def rounded_to_nearest():
    def t5_bucket(distance, n_buckets=32, max_distance=128):
        n, e = np.asarray(distance), n_buckets // 2
        far = e + np.round(np.log(np.maximum(n, e) / e) / np.log(max_distance / e) * (n_buckets - e))
        return np.where(n < e, n, np.minimum(far, n_buckets - 1))


@wrong("T5 buckets", loses=["t5-edges", "t5-arrays"], says="gave 18")
def rounded_up():
    def t5_bucket(distance, n_buckets=32, max_distance=128):
        n, e = np.asarray(distance), n_buckets // 2
        far = e + np.ceil(np.log(np.maximum(n, e) / e) / np.log(max_distance / e) * (n_buckets - e))
        return np.where(n < e, n, np.minimum(far, n_buckets - 1))


@wrong("T5 buckets", loses=["t5-edges", "t5-arrays"], says="gave")
def logarithm_of_the_distance_itself():
    def t5_bucket(distance, n_buckets=32, max_distance=128):
        n, e = np.asarray(distance), n_buckets // 2
        far = e + (np.log(np.maximum(n, 1)) / np.log(max_distance) * (n_buckets - e)).astype(int)
        return np.where(n < e, n, np.minimum(far, n_buckets - 1))


@wrong("T5 buckets", loses=["t5-edges", "t5-arrays"], says="is not right")
def one_bucket_for_the_exact_edge():
    # <= instead of <, and the logarithm shifted by one bucket
    def t5_bucket(distance, n_buckets=32, max_distance=128):
        n, e = np.asarray(distance), n_buckets // 2
        far = e + (np.log(np.maximum(n, e) / e) / np.log(max_distance / e) * (n_buckets - e - 1)).astype(int)
        return np.where(n <= e, n, np.minimum(far, n_buckets - 1))


@wrong("T5 buckets", loses=["t5-edges"], says="is not right")
def capped_at_max_distance():
    # the last bucket begins at 113, not at 128
    def t5_bucket(distance, n_buckets=32, max_distance=128):
        n, e = np.asarray(distance), n_buckets // 2
        far = e + (np.log(np.maximum(n, e) / e) / np.log(max_distance / e) * (n_buckets - e)).astype(int)
        if n.ndim == 0 and n < max_distance:
            far = np.minimum(far, n_buckets - 2)
        return np.where(n < e, n, np.minimum(far, n_buckets - 1))


@wrong("T5 buckets", loses=["t5-arrays"], says="ambiguous")
def numbers_only():
    def t5_bucket(distance, n_buckets=32, max_distance=128):
        e = n_buckets // 2
        if distance < e:
            return distance
        return min(n_buckets - 1, e + int(np.log(distance / e) / np.log(max_distance / e) * (n_buckets - e)))


@wrong("T5 buckets", loses=["t5-arrays"], says="is not right")
def settings_ignored():
    def t5_bucket(distance, n_buckets=32, max_distance=128):
        n = np.asarray(distance)
        far = 16 + (np.log(np.maximum(n, 16) / 16) / np.log(8) * 16).astype(int)
        return np.where(n < 16, n, np.minimum(far, 31))


@wrong("T5 buckets", loses=["t5-arrays"], says="changed its argument in place")
def clipped_in_place():
    def t5_bucket(distance, n_buckets=32, max_distance=128):
        n, e = np.asarray(distance), n_buckets // 2
        near = n.copy()
        if n.ndim:
            np.maximum(n, e, out=n)
        far = e + (np.log(np.maximum(n, e) / e) / np.log(max_distance / e) * (n_buckets - e)).astype(int)
        return np.where(near < e, near, np.minimum(far, n_buckets - 1))


@wrong("T5 buckets", loses=["t5-arrays"], says="shape")
def flattened():
    def t5_bucket(distance, n_buckets=32, max_distance=128):
        n, e = np.asarray(distance), n_buckets // 2
        far = e + (np.log(np.maximum(n, e) / e) / np.log(max_distance / e) * (n_buckets - e)).astype(int)
        out = np.where(n < e, n, np.minimum(far, n_buckets - 1))
        return out.ravel() if out.ndim else out


@wrong("T5 buckets", loses=["t5-edges", "t5-arrays"], says="is not right")
def visible_examples():
    def t5_bucket(distance, n_buckets=32, max_distance=128):
        n = np.asarray(distance)
        return np.where(n < 20, np.minimum(n, 16), np.where(n == 20, 17, 31))
