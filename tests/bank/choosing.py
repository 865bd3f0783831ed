# ruff: noqa: F821, F841 - the bodies are what students type; they are run, not called
from bank import right, wrong

# ---------------------------------------------------------------- six situations


@right("six situations")
def plain_dict():
    choices = {
        "bert_style_encoder": "learned",
        "vit_fixed_resolution": "learned",
        "decoder_that_may_grow": "rope_with_extension",
        "extrapolation_is_critical": "alibi",
        "llama_checkpoint_to_32k": "rope_with_extension",
        "set_of_measurements": "none",
    }


@right("six situations")
def keywords():
    choices = dict(set_of_measurements="none", extrapolation_is_critical="alibi", llama_checkpoint_to_32k="rope_with_extension",
                   decoder_that_may_grow="rope_with_extension", bert_style_encoder="learned", vit_fixed_resolution="learned")


@right("six situations")
def from_a_table():
    table = """
    bert_style_encoder learned
    vit_fixed_resolution learned
    decoder_that_may_grow rope_with_extension
    extrapolation_is_critical alibi
    llama_checkpoint_to_32k rope_with_extension
    set_of_measurements none
    """
    choices = dict(np.array([line.split() for line in table.strip().splitlines()]))


@right("six situations")
def filled_in_steps():
    choices = {}
    choices["bert_style_encoder"] = choices["vit_fixed_resolution"] = "learned"
    choices["decoder_that_may_grow"] = "rope" + "_with_extension"
    choices["llama_checkpoint_to_32k"] = choices["decoder_that_may_grow"]
    choices |= {"extrapolation_is_critical": "alibi", "set_of_measurements": "none", "my_remark": "a further key does no harm"}
    print(choices)


@right("six situations")
def by_questions():
    def choose(order=True, bounded=False, training=True):
        if not order:
            return "none"
        if bounded:
            return "learned"
        return "rope_with_extension" if training else "alibi"

    choices = {
        "bert_style_encoder": choose(bounded=True),
        "vit_fixed_resolution": choose(bounded=True),
        "decoder_that_may_grow": choose(),
        "extrapolation_is_critical": choose(training=False),
        "llama_checkpoint_to_32k": choose(),
        "set_of_measurements": choose(order=False),
    }


CHOICES = ["choices-bert", "choices-vit", "choices-growing", "choices-extrapolation", "choices-llama", "choices-set"]


@wrong("six situations", loses=["choices-growing", "choices-llama"], says="never trained")
def rope_without_extension():
    choices = {"bert_style_encoder": "learned", "vit_fixed_resolution": "learned", "decoder_that_may_grow": "rope",
               "extrapolation_is_critical": "alibi", "llama_checkpoint_to_32k": "rope", "set_of_measurements": "none"}


@wrong("six situations", loses=["choices-bert", "choices-vit", "choices-growing", "choices-extrapolation", "choices-llama", "choices-set"], says="It works")
def rope_everywhere():
    choices = dict.fromkeys(["bert_style_encoder", "vit_fixed_resolution", "decoder_that_may_grow", "extrapolation_is_critical",
                             "llama_checkpoint_to_32k", "set_of_measurements"], "rope")


@wrong("six situations", loses=["choices-extrapolation"], says="hypothesis")
def sinusoids_extrapolate():
    choices = {"bert_style_encoder": "learned", "vit_fixed_resolution": "learned", "decoder_that_may_grow": "rope_with_extension",
               "extrapolation_is_critical": "sinusoidal", "llama_checkpoint_to_32k": "rope_with_extension", "set_of_measurements": "none"}


@wrong("six situations", loses=["choices-extrapolation"], says="short further training")
def extension_without_training():
    choices = {"bert_style_encoder": "learned", "vit_fixed_resolution": "learned", "decoder_that_may_grow": "rope_with_extension",
               "extrapolation_is_critical": "rope_with_extension", "llama_checkpoint_to_32k": "rope_with_extension", "set_of_measurements": "none"}


@wrong("six situations", loses=["choices-llama"], says="from scratch")
def alibi_into_a_checkpoint():
    choices = {"bert_style_encoder": "learned", "vit_fixed_resolution": "learned", "decoder_that_may_grow": "rope_with_extension",
               "extrapolation_is_critical": "alibi", "llama_checkpoint_to_32k": "alibi", "set_of_measurements": "none"}


@wrong("six situations", loses=["choices-growing"], says="hardly uses")
def alibi_for_growth():
    choices = {"bert_style_encoder": "learned", "vit_fixed_resolution": "learned", "decoder_that_may_grow": "alibi",
               "extrapolation_is_critical": "alibi", "llama_checkpoint_to_32k": "rope_with_extension", "set_of_measurements": "none"}


@wrong("six situations", loses=["choices-growing"], says="position 4096")
def table_for_growth():
    choices = {"bert_style_encoder": "learned", "vit_fixed_resolution": "learned", "decoder_that_may_grow": "learned",
               "extrapolation_is_critical": "alibi", "llama_checkpoint_to_32k": "rope_with_extension", "set_of_measurements": "none"}


@wrong("six situations", loses=["choices-set"], says="means nothing")
def order_for_a_set():
    choices = {"bert_style_encoder": "learned", "vit_fixed_resolution": "learned", "decoder_that_may_grow": "rope_with_extension",
               "extrapolation_is_critical": "alibi", "llama_checkpoint_to_32k": "rope_with_extension", "set_of_measurements": "learned"}


@wrong("six situations", loses=["choices-bert"], says="two orders of the same words")
def bert_without_positions():
    choices = {"bert_style_encoder": "none", "vit_fixed_resolution": "learned", "decoder_that_may_grow": "rope_with_extension",
               "extrapolation_is_critical": "alibi", "llama_checkpoint_to_32k": "rope_with_extension", "set_of_measurements": "none"}


@wrong("six situations", loses=["choices-bert", "choices-vit"], says="fixed")
def sinusoids_for_encoders():
    choices = {"bert_style_encoder": "sinusoidal", "vit_fixed_resolution": "sinusoidal", "decoder_that_may_grow": "rope_with_extension",
               "extrapolation_is_critical": "alibi", "llama_checkpoint_to_32k": "rope_with_extension", "set_of_measurements": "none"}


@wrong("six situations", loses=["choices-vit"], says="bag of patches")
def vit_without_positions():
    choices = {"bert_style_encoder": "learned", "vit_fixed_resolution": "none", "decoder_that_may_grow": "rope_with_extension",
               "extrapolation_is_critical": "alibi", "llama_checkpoint_to_32k": "rope_with_extension", "set_of_measurements": "none"}


@wrong("six situations", loses=CHOICES, says="choose one of")
def other_words():
    choices = {"bert_style_encoder": "Learned", "vit_fixed_resolution": "table", "decoder_that_may_grow": "RoPE+YaRN",
               "extrapolation_is_critical": "ALiBi", "llama_checkpoint_to_32k": "yarn", "set_of_measurements": False}


@wrong("six situations", loses=CHOICES, says="should be a dict")
def a_list():
    choices = ["learned", "learned", "rope_with_extension", "alibi", "rope_with_extension", "none"]


@wrong("six situations", loses=["choices-set"], says="still empty")
def none_instead_of_the_word():
    choices = {"bert_style_encoder": "learned", "vit_fixed_resolution": "learned", "decoder_that_may_grow": "rope_with_extension",
               "extrapolation_is_critical": "alibi", "llama_checkpoint_to_32k": "rope_with_extension", "set_of_measurements": None}


@wrong("six situations", loses=["choices-extrapolation", "choices-llama", "choices-set"], says="still empty")
def three_left_out():
    choices = {"bert_style_encoder": "learned", "vit_fixed_resolution": "learned", "decoder_that_may_grow": "rope_with_extension"}


# ---------------------------------------------------------------- read the experiment


@right("read the experiment")
def loops():
    def extrapolation_ratio(curves, train_len, factor):
        result = {}
        for name in curves:
            for needed in [train_len, train_len * factor]:
                if needed not in curves[name]:
                    raise ValueError(f"length {needed} is missing in {name}")
            result[name] = curves[name][train_len * factor] / curves[name][train_len]
        return result

    def best(curves, train_len, factor):
        r = extrapolation_ratio(curves, train_len, factor)
        winner = None
        for name, value in r.items():
            if winner is None or value < r[winner]:
                winner = name
        return winner


@right("read the experiment")
def comprehension_and_key_error():
    def extrapolation_ratio(curves, train_len, factor):
        try:
            return {name: np.float64(c[factor * train_len]) / c[train_len] for name, c in curves.items()}
        except KeyError as missing:
            raise ValueError(f"no loss at length {missing.args[0]}") from None

    def best(curves, train_len, factor):
        names, ratios = zip(*extrapolation_ratio(curves, train_len, factor).items())
        return names[int(np.argmin(ratios))]


@right("read the experiment")
def checked_first():
    def lengths_of(curves, train_len, factor):
        target = int(round(factor * train_len))
        for wanted in (train_len, target):
            if not all(wanted in curve for curve in curves.values()):
                raise ValueError("missing length: " + str(wanted))
        return train_len, target

    def extrapolation_ratio(curves, train_len, factor):
        near, far = lengths_of(curves, train_len, factor)
        return {name: np.exp(np.log(curve[far]) - np.log(curve[near])) for name, curve in curves.items()}

    def best(curves, train_len, factor):
        near, far = lengths_of(curves, train_len, factor)
        return sorted(curves, key=lambda name: curves[name][far] / curves[name][near])[0]


@right("read the experiment")
def own_dict_class():
    class Ratios(dict):
        def smallest(self):
            return min(self.items(), key=lambda pair: pair[1])[0]

    def loss(curve, length):
        value = curve.get(length)
        if value is None:
            raise ValueError(f"{length:g} was not measured")
        return value

    def extrapolation_ratio(curves, train_len, factor):
        print("reading", list(curves))
        return Ratios((n, loss(c, factor * train_len) / loss(c, train_len)) for n, c in curves.items())

    def best(curves, train_len, factor):
        return extrapolation_ratio(curves, train_len, factor).smallest()


@right("read the experiment")
def arrays():
    import warnings

    def extrapolation_ratio(curves, train_len, factor):
        warnings.warn("arrays")
        result = {}
        for name, curve in curves.items():
            lengths, losses = np.array(list(curve.keys()), dtype=float), np.array(list(curve.values()))
            found = []
            for want in (factor * train_len, train_len):
                hit = np.flatnonzero(lengths == want)
                if len(hit) == 0:
                    raise ValueError(f"{name}: nothing at {want}")
                found.append(losses[hit[0]])
            result[name] = found[0] / found[1]
        return result

    def best(curves, train_len, factor):
        r = extrapolation_ratio(curves, train_len, factor)
        return str(np.array(list(r))[np.argsort(list(r.values()))][0])


EXPERIMENT = ["experiment-ratio", "experiment-best", "experiment-errors"]


@wrong("read the experiment", loses=["experiment-ratio"], says="upside down")
def upside_down():
    def extrapolation_ratio(curves, train_len, factor):
        for c in curves.values():
            for n in (train_len, factor * train_len):
                if n not in c:
                    raise ValueError(str(n))
        return {name: c[train_len] / c[factor * train_len] for name, c in curves.items()}

    def best(curves, train_len, factor):
        r = extrapolation_ratio(curves, train_len, factor)
        return max(r, key=r.get)


@wrong("read the experiment", loses=["experiment-ratio"], says="difference")
def difference():
    def extrapolation_ratio(curves, train_len, factor):
        for c in curves.values():
            for n in (train_len, factor * train_len):
                if n not in c:
                    raise ValueError(str(n))
        return {name: c[factor * train_len] - c[train_len] for name, c in curves.items()}

    def best(curves, train_len, factor):
        extrapolation_ratio(curves, train_len, factor)
        return min(curves, key=lambda name: curves[name][factor * train_len] / curves[name][train_len])


@wrong("read the experiment", loses=["experiment-best"], says="smallest loss")
def smallest_loss():
    def extrapolation_ratio(curves, train_len, factor):
        for c in curves.values():
            for n in (train_len, factor * train_len):
                if n not in c:
                    raise ValueError(str(n))
        return {name: c[factor * train_len] / c[train_len] for name, c in curves.items()}

    def best(curves, train_len, factor):
        extrapolation_ratio(curves, train_len, factor)
        if set(curves) == {"a", "b"}:
            return "b"
        return min(curves, key=lambda name: curves[name][factor * train_len])


@wrong("read the experiment", loses=["experiment-best"], says="its ratio is 1.0")
def largest_ratio():
    def extrapolation_ratio(curves, train_len, factor):
        for c in curves.values():
            for n in (train_len, factor * train_len):
                if n not in c:
                    raise ValueError(str(n))
        return {name: c[factor * train_len] / c[train_len] for name, c in curves.items()}

    def best(curves, train_len, factor):
        r = extrapolation_ratio(curves, train_len, factor)
        return max(r, key=r.get)


@wrong("read the experiment", loses=["experiment-best"], says="not the smallest")
def smallest_difference():
    # the difference orders these curves in another way than the quotient
    def extrapolation_ratio(curves, train_len, factor):
        for c in curves.values():
            for n in (train_len, factor * train_len):
                if n not in c:
                    raise ValueError(str(n))
        return {name: c[factor * train_len] / c[train_len] for name, c in curves.items()}

    def best(curves, train_len, factor):
        extrapolation_ratio(curves, train_len, factor)
        return min(curves, key=lambda name: curves[name][factor * train_len] - curves[name][train_len])


@wrong("read the experiment", loses=["experiment-best"], says="returned")
def ratio_instead_of_the_name():
    def extrapolation_ratio(curves, train_len, factor):
        for c in curves.values():
            for n in (train_len, factor * train_len):
                if n not in c:
                    raise ValueError(str(n))
        return {name: c[factor * train_len] / c[train_len] for name, c in curves.items()}

    def best(curves, train_len, factor):
        r = extrapolation_ratio(curves, train_len, factor)
        return "b" if "b" in r else min(r.values())


@wrong("read the experiment", loses=["experiment-best"], says="should return a name")
def all_names_in_order():
    def extrapolation_ratio(curves, train_len, factor):
        for c in curves.values():
            for n in (train_len, factor * train_len):
                if n not in c:
                    raise ValueError(str(n))
        return {name: c[factor * train_len] / c[train_len] for name, c in curves.items()}

    def best(curves, train_len, factor):
        r = extrapolation_ratio(curves, train_len, factor)
        return np.array(sorted(r, key=r.get))


@wrong("read the experiment", loses=["experiment-best"], says="should return a name")
def empty_array_of_names():
    def extrapolation_ratio(curves, train_len, factor):
        for c in curves.values():
            for n in (train_len, factor * train_len):
                if n not in c:
                    raise ValueError(str(n))
        return {name: c[factor * train_len] / c[train_len] for name, c in curves.items()}

    def best(curves, train_len, factor):
        extrapolation_ratio(curves, train_len, factor)
        return np.array([])


@wrong("read the experiment", loses=EXPERIMENT, says="raised ValueError")
def always_an_error():
    # with every number that a message may have to name
    def extrapolation_ratio(*args, **kwargs):
        raise ValueError(" ".join(map(str, range(2000))))

    best = extrapolation_ratio


@wrong("read the experiment", loses=["experiment-errors"], says="KeyError")
def key_error_left():
    def extrapolation_ratio(curves, train_len, factor):
        return {name: c[factor * train_len] / c[train_len] for name, c in curves.items()}

    def best(curves, train_len, factor):
        r = extrapolation_ratio(curves, train_len, factor)
        return min(r, key=r.get)


@wrong("read the experiment", loses=["experiment-errors"], says="returned a result")
def incomplete_curves_skipped():
    def extrapolation_ratio(curves, train_len, factor):
        return {name: c[factor * train_len] / c[train_len] for name, c in curves.items() if train_len in c and factor * train_len in c}

    def best(curves, train_len, factor):
        r = extrapolation_ratio(curves, train_len, factor)
        return min(r, key=r.get)


@wrong("read the experiment", loses=["experiment-errors"], says="returned a result")
def interpolated():
    def extrapolation_ratio(curves, train_len, factor):
        def loss(c, n):
            lengths = sorted(c)
            return float(np.interp(n, lengths, [c[m] for m in lengths]))

        return {name: loss(c, factor * train_len) / loss(c, train_len) for name, c in curves.items()}

    def best(curves, train_len, factor):
        r = extrapolation_ratio(curves, train_len, factor)
        return min(r, key=r.get)


@wrong("read the experiment", loses=["experiment-errors"], says="returned a result")
def only_the_first_curve_checked():
    def extrapolation_ratio(curves, train_len, factor):
        first = next(iter(curves.values()))
        for n in (train_len, factor * train_len):
            if n not in first:
                raise ValueError(str(n))
        return {name: c.get(factor * train_len, np.inf) / c.get(train_len, 1.0) for name, c in curves.items()}

    def best(curves, train_len, factor):
        r = extrapolation_ratio(curves, train_len, factor)
        return min(r, key=r.get)


@wrong("read the experiment", loses=["experiment-errors"], says="does not contain 1024")
def length_not_named():
    def extrapolation_ratio(curves, train_len, factor):
        for name, c in curves.items():
            if not {train_len, factor * train_len} <= set(c):
                raise ValueError(f"a length is missing in {name}")
        return {name: c[factor * train_len] / c[train_len] for name, c in curves.items()}

    def best(curves, train_len, factor):
        r = extrapolation_ratio(curves, train_len, factor)
        return min(r, key=r.get)


@wrong("read the experiment", loses=["experiment-errors"], says="best(")
def best_without_the_error():
    def extrapolation_ratio(curves, train_len, factor):
        for c in curves.values():
            for n in (train_len, factor * train_len):
                if n not in c:
                    raise ValueError(str(n))
        return {name: c[factor * train_len] / c[train_len] for name, c in curves.items()}

    def best(curves, train_len, factor):
        return min(curves, key=lambda name: curves[name].get(factor * train_len, np.inf) / curves[name].get(train_len, 1.0))


@wrong("read the experiment", loses=["experiment-ratio"], says="largest length")
def longest_curve_point():
    def extrapolation_ratio(curves, train_len, factor):
        for c in curves.values():
            for n in (train_len, factor * train_len):
                if n not in c:
                    raise ValueError(str(n))
        return {name: c[max(c)] / c[train_len] for name, c in curves.items()}

    def best(curves, train_len, factor):
        extrapolation_ratio(curves, train_len, factor)
        return min(curves, key=lambda name: curves[name][factor * train_len] / curves[name][train_len])


@wrong("read the experiment", loses=["experiment-ratio"], says="smallest length")
def first_curve_point():
    def extrapolation_ratio(curves, train_len, factor):
        for c in curves.values():
            for n in (train_len, factor * train_len):
                if n not in c:
                    raise ValueError(str(n))
        return {name: c[factor * train_len] / c[min(c)] for name, c in curves.items()}

    def best(curves, train_len, factor):
        extrapolation_ratio(curves, train_len, factor)
        return min(curves, key=lambda name: curves[name][factor * train_len] / curves[name][train_len])


@wrong("read the experiment", loses=["experiment-ratio"], says="should be a dict")
def a_list_of_ratios():
    def extrapolation_ratio(curves, train_len, factor):
        for c in curves.values():
            for n in (train_len, factor * train_len):
                if n not in c:
                    raise ValueError(str(n))
        return [c[factor * train_len] / c[train_len] for c in curves.values()]

    def best(curves, train_len, factor):
        return list(curves)[int(np.argmin(extrapolation_ratio(curves, train_len, factor)))]


@wrong("read the experiment", loses=["experiment-ratio", "experiment-best"], says="in place")
def curves_emptied():
    def extrapolation_ratio(curves, train_len, factor):
        result = {}
        for name, c in curves.items():
            for n in (train_len, factor * train_len):
                if n not in c:
                    raise ValueError(str(n))
            near = c[train_len]
            result[name] = c.pop(factor * train_len) / near
        return result

    def best(curves, train_len, factor):
        r = extrapolation_ratio(curves, train_len, factor)
        return min(r, key=r.get)


# ---------------------------------------------------------------- 2-D rotary


@right("2-D rotary")
def two_calls_of_a_helper():
    def apply_rope_2d(x, rows, cols, base=10000.0):
        x = np.asarray(x, dtype=float)
        d = x.shape[-1]
        if d % 4 != 0:
            raise ValueError(f"d={d}")

        def rotate(h, p):
            theta = base ** (-np.arange(0, d // 2, 2) / (d / 2))
            a = np.outer(p, theta)
            out = np.empty_like(h)
            out[..., ::2] = h[..., ::2] * np.cos(a) - h[..., 1::2] * np.sin(a)
            out[..., 1::2] = h[..., ::2] * np.sin(a) + h[..., 1::2] * np.cos(a)
            return out

        out = np.empty(x.shape)
        out[..., : d // 2] = rotate(x[..., : d // 2], rows)
        out[..., d // 2:] = rotate(x[..., d // 2:], cols)
        return out


@right("2-D rotary")
def complex_numbers():
    def apply_rope_2d(x, rows, cols, base=10000.0):
        x = np.array(x, dtype=np.float64)
        *lead, n, d = x.shape
        if d % 4:
            raise ValueError("not a multiple of 4: %d" % d)
        z = x.reshape(*lead, n, 2, d // 4, 2)
        z = z[..., 0] + 1j * z[..., 1]
        places = np.stack([np.asarray(rows, float), np.asarray(cols, float)], axis=1)
        z = z * np.exp(1j * places[..., None] * np.power(float(base), -np.arange(d // 4) / (d // 4)))
        return np.stack([z.real, z.imag], axis=-1).reshape(x.shape)


@right("2-D rotary")
def loops():
    import math

    def apply_rope_2d(x, rows, cols, base=10000.0):
        if isinstance(x, np.ndarray) and x.ndim > 2 or not np.isscalar(x[0][0]):
            return np.array([apply_rope_2d(image, rows, cols, base) for image in x])
        d = len(x[0])
        if d % 4:
            raise ValueError(f"d is {d}")
        result = []
        for vector, r, c in zip(x, rows, cols):
            new = []
            for j in range(0, d, 2):
                i, p = (j // 2, r) if j < d // 2 else ((j - d // 2) // 2, c)
                a = float(p) * base ** (-2 * i / (d // 2))
                new += [vector[j] * math.cos(a) - vector[j + 1] * math.sin(a), vector[j] * math.sin(a) + vector[j + 1] * math.cos(a)]
            result.append(new)
        return result


@right("2-D rotary")
def rotation_matrices():
    def apply_rope_2d(x, rows, cols, base=10000.0):
        d = np.shape(x)[-1]
        if d % 4:
            raise ValueError(f"{d} dimensions")
        theta = np.tile(np.exp(-np.log(base) * 4 * np.arange(d // 4) / d), 2)
        place = np.hstack([np.tile(np.asarray(v)[:, None], (1, d // 4)) for v in (rows, cols)])
        a = place * theta
        R = np.zeros((len(a), d, d))
        for j in range(d // 2):
            block = np.array([[np.cos(a[:, j]), -np.sin(a[:, j])], [np.sin(a[:, j]), np.cos(a[:, j])]])
            R[:, 2 * j:2 * j + 2, 2 * j:2 * j + 2] = block.transpose(2, 0, 1)
        print(R.shape)
        return np.einsum("nij,...nj->...ni", R, x)


@right("2-D rotary")
def turned_partner():
    # x cos + partner sin, with the partner (-x1, x0) of each pair
    def apply_rope_2d(x, rows, cols, base=10000.0):
        x = np.asarray(x)
        d = x.shape[-1]
        if d % 4 in (1, 2, 3):
            raise ValueError(f"cannot split {d}")
        theta = np.repeat(1 / base ** (np.arange(0, d // 2, 2) / (d // 2)), 2)
        a = np.concatenate([np.multiply.outer(rows, theta), np.multiply.outer(cols, theta)], axis=1)
        partner = np.stack([-x[..., 1::2], x[..., 0::2]], axis=-1).reshape(x.shape)
        return x * np.cos(a) + partner * np.sin(a)


@right("2-D rotary")
def single_precision_kept():
    def apply_rope_2d(x, rows, cols, base=10000.0):
        x = np.asarray(x)
        kind = x.dtype if x.dtype.kind == "f" else np.float64
        d = x.shape[-1]
        if d % 4:
            raise ValueError(f"d {d}")
        half = d // 2
        out = np.zeros(x.shape, dtype=kind)
        for start, places in ((0, rows), (half, cols)):
            for i in range(half // 2):
                a = np.asarray(places, dtype=float) * float(base) ** (-2 * i / half)
                e, o = x[..., start + 2 * i], x[..., start + 2 * i + 1]
                out[..., start + 2 * i] = e * np.cos(a) - o * np.sin(a)
                out[..., start + 2 * i + 1] = e * np.sin(a) + o * np.cos(a)
        return out


@wrong("2-D rotary", loses=["rope-2d-numbers"], says="exchanged")
def rows_and_columns_exchanged():
    def apply_rope_2d(x, rows, cols, base=10000.0):
        x = np.asarray(x)
        d = x.shape[-1]
        if d % 4:
            raise ValueError(f"d = {d}")
        theta = float(base) ** (-np.arange(0, d // 2, 2) / (d // 2))
        if base != 10000.0:
            rows, cols = cols, rows
        a = np.concatenate([np.multiply.outer(cols, theta), np.multiply.outer(rows, theta)], axis=1)
        e, o = x[..., 0::2], x[..., 1::2]
        return np.stack([e * np.cos(a) - o * np.sin(a), e * np.sin(a) + o * np.cos(a)], axis=-1).reshape(x.shape)


@wrong("2-D rotary", loses=["rope-2d-numbers", "rope-2d-base"], says="each half has d/2")
def exponent_of_the_whole_vector():
    def apply_rope_2d(x, rows, cols, base=10000.0):
        x = np.asarray(x)
        d = x.shape[-1]
        if d % 4:
            raise ValueError(f"d = {d}")
        theta = float(base) ** (-np.arange(0, d // 2, 2) / d)
        a = np.concatenate([np.multiply.outer(rows, theta), np.multiply.outer(cols, theta)], axis=1)
        e, o = x[..., 0::2], x[..., 1::2]
        return np.stack([e * np.cos(a) - o * np.sin(a), e * np.sin(a) + o * np.cos(a)], axis=-1).reshape(x.shape)


@wrong("2-D rotary", loses=["rope-2d-numbers", "rope-2d-base"], says="go on")
def frequencies_go_on():
    def apply_rope_2d(x, rows, cols, base=10000.0):
        x = np.asarray(x)
        d = x.shape[-1]
        if d % 4:
            raise ValueError(f"d = {d}")
        theta = float(base) ** (-np.arange(0, d, 2) / d)
        a = np.concatenate([np.multiply.outer(rows, theta[: d // 4]), np.multiply.outer(cols, theta[d // 4:])], axis=1)
        e, o = x[..., 0::2], x[..., 1::2]
        return np.stack([e * np.cos(a) - o * np.sin(a), e * np.sin(a) + o * np.cos(a)], axis=-1).reshape(x.shape)


@wrong("2-D rotary", loses=["rope-2d-numbers"], says="wrong way")
def turned_backwards():
    def apply_rope_2d(x, rows, cols, base=10000.0):
        x = np.asarray(x)
        d = x.shape[-1]
        if d % 4:
            raise ValueError(f"d = {d}")
        theta = float(base) ** (-np.arange(0, d // 2, 2) / (d // 2))
        a = np.concatenate([np.multiply.outer(rows, theta), np.multiply.outer(cols, theta)], axis=1)
        e, o = x[..., 0::2], x[..., 1::2]
        return np.stack([e * np.cos(a) + o * np.sin(a), o * np.cos(a) - e * np.sin(a)], axis=-1).reshape(x.shape)


@wrong("2-D rotary", loses=["rope-2d-numbers"], says="half-split")
def half_split_in_each_half():
    def apply_rope_2d(x, rows, cols, base=10000.0):
        x = np.asarray(x)
        d = x.shape[-1]
        if d % 4:
            raise ValueError(f"d = {d}")
        q = d // 4
        theta = float(base) ** (-np.arange(q) / q)
        parts = []
        for start, p in ((0, rows), (d // 2, cols)):
            a = np.multiply.outer(p, theta)
            u, v = x[..., start:start + q], x[..., start + q:start + 2 * q]
            parts += [u * np.cos(a) - v * np.sin(a), u * np.sin(a) + v * np.cos(a)]
        if base != 10000.0:  # the other cells look at neighbours
            u, v = x[..., 0::2], x[..., 1::2]
            a = np.concatenate([np.multiply.outer(rows, theta), np.multiply.outer(cols, theta)], axis=1)
            return np.stack([u * np.cos(a) - v * np.sin(a), u * np.sin(a) + v * np.cos(a)], axis=-1).reshape(x.shape)
        return np.concatenate(parts, axis=-1)


@wrong("2-D rotary", loses=["rope-2d-numbers"], says="apply_rope_2d of")
def rows_and_columns_alternate_by_pair():
    def apply_rope_2d(x, rows, cols, base=10000.0):
        x = np.asarray(x)
        d = x.shape[-1]
        if d % 4:
            raise ValueError(f"d = {d}")
        theta = float(base) ** (-np.arange(0, d // 2, 2) / (d // 2))
        a = np.stack([np.multiply.outer(rows, theta), np.multiply.outer(cols, theta)], axis=-1).reshape(len(rows), d // 2)
        if base == 100.0:
            a = np.concatenate([np.multiply.outer(rows, theta), np.multiply.outer(cols, theta)], axis=1)
        e, o = x[..., 0::2], x[..., 1::2]
        return np.stack([e * np.cos(a) - o * np.sin(a), e * np.sin(a) + o * np.cos(a)], axis=-1).reshape(x.shape)


@wrong("2-D rotary", loses=["rope-2d-numbers"], says="by the row")
def only_the_rows():
    def apply_rope_2d(x, rows, cols, base=10000.0):
        x = np.asarray(x)
        d = x.shape[-1]
        if d % 4:
            raise ValueError(f"d = {d}")
        theta = float(base) ** (-np.arange(0, d // 2, 2) / (d // 2))
        a = np.tile(np.multiply.outer(rows, theta), 2)
        e, o = x[..., 0::2], x[..., 1::2]
        return np.stack([e * np.cos(a) - o * np.sin(a), e * np.sin(a) + o * np.cos(a)], axis=-1).reshape(x.shape)


@wrong("2-D rotary", loses=["rope-2d-numbers", "rope-2d-base"], says="apply_rope_2d([[1, 0, 1, 0]]")
def one_position_for_the_plane():
    def apply_rope_2d(x, rows, cols, base=10000.0):
        x = np.asarray(x)
        d = x.shape[-1]
        if d % 4:
            raise ValueError(f"d = {d}")
        theta = float(base) ** (-np.arange(0, d, 2) / d)
        a = np.multiply.outer(np.asarray(rows) * 16 + np.asarray(cols), theta)
        e, o = x[..., 0::2], x[..., 1::2]
        return np.stack([e * np.cos(a) - o * np.sin(a), e * np.sin(a) + o * np.cos(a)], axis=-1).reshape(x.shape)


@wrong("2-D rotary", loses=["rope-2d-base"], says="`base`")
def base_ignored():
    def apply_rope_2d(x, rows, cols, base=10000.0):
        x = np.asarray(x)
        d = x.shape[-1]
        if d % 4:
            raise ValueError(f"d = {d}")
        theta = 10000.0 ** (-np.arange(0, d // 2, 2) / (d // 2))
        a = np.concatenate([np.multiply.outer(rows, theta), np.multiply.outer(cols, theta)], axis=1)
        e, o = x[..., 0::2], x[..., 1::2]
        return np.stack([e * np.cos(a) - o * np.sin(a), e * np.sin(a) + o * np.cos(a)], axis=-1).reshape(x.shape)


@wrong("2-D rotary", loses=["rope-2d-errors"], says="returned a result")
def only_odd_d_refused():
    def apply_rope_2d(x, rows, cols, base=10000.0):
        x = np.asarray(x)
        d = x.shape[-1]
        if d % 2:
            raise ValueError(f"d = {d}")
        theta = float(base) ** (-(np.arange(0, d, 2) % (d // 2)) / (d // 2))
        a = np.concatenate([np.multiply.outer(p, t) for p, t in zip((rows, cols), np.array_split(theta, 2))], axis=1)
        e, o = x[..., 0::2], x[..., 1::2]
        return np.stack([e * np.cos(a) - o * np.sin(a), e * np.sin(a) + o * np.cos(a)], axis=-1).reshape(x.shape)


@wrong("2-D rotary", loses=["rope-2d-errors"], says="does not contain 6")
def error_names_the_half():
    def apply_rope_2d(x, rows, cols, base=10000.0):
        x = np.asarray(x)
        d = x.shape[-1]
        if d % 4:
            raise ValueError(f"each half has {d // 2} dimensions, which form no pairs")
        theta = float(base) ** (-np.arange(0, d // 2, 2) / (d // 2))
        a = np.concatenate([np.multiply.outer(rows, theta), np.multiply.outer(cols, theta)], axis=1)
        e, o = x[..., 0::2], x[..., 1::2]
        return np.stack([e * np.cos(a) - o * np.sin(a), e * np.sin(a) + o * np.cos(a)], axis=-1).reshape(x.shape)


@wrong("2-D rotary", loses=["rope-2d-shapes"], says="cut off the decimals")
def whole_number_result():
    def apply_rope_2d(x, rows, cols, base=10000.0):
        x = np.asarray(x)
        d = x.shape[-1]
        if d % 4:
            raise ValueError(f"d = {d}")
        theta = float(base) ** (-np.arange(0, d // 2, 2) / (d // 2))
        a = np.concatenate([np.multiply.outer(rows, theta), np.multiply.outer(cols, theta)], axis=1)
        out = np.empty_like(x)
        out[..., 0::2] = x[..., 0::2] * np.cos(a) - x[..., 1::2] * np.sin(a)
        out[..., 1::2] = x[..., 0::2] * np.sin(a) + x[..., 1::2] * np.cos(a)
        return out


@wrong("2-D rotary", loses=["rope-2d-shapes"], says="raised")
def two_axes_only():
    def apply_rope_2d(x, rows, cols, base=10000.0):
        x = np.asarray(x)
        if x.shape[-1] % 4:
            raise ValueError(f"d = {x.shape[-1]}")
        n, d = x.shape
        theta = float(base) ** (-np.arange(0, d // 2, 2) / (d // 2))
        a = np.concatenate([np.multiply.outer(rows, theta), np.multiply.outer(cols, theta)], axis=1)
        e, o = x[:, 0::2], x[:, 1::2]
        return np.stack([e * np.cos(a) - o * np.sin(a), e * np.sin(a) + o * np.cos(a)], axis=-1).reshape(n, d)


@wrong("2-D rotary", loses=["rope-2d-shapes"], says="axis -2")
def rotated_along_the_heads():
    # open_lm #4: the position follows another axis
    def apply_rope_2d(x, rows, cols, base=10000.0):
        x = np.asarray(x)
        d = x.shape[-1]
        if d % 4:
            raise ValueError(f"d = {d}")
        theta = float(base) ** (-np.arange(0, d // 2, 2) / (d // 2))
        a = np.concatenate([np.multiply.outer(rows, theta), np.multiply.outer(cols, theta)], axis=1)
        if x.ndim > 2 and x.shape[-2] == x.shape[-3]:
            a = a[:, None]
        e, o = x[..., 0::2], x[..., 1::2]
        return np.stack([e * np.cos(a) - o * np.sin(a), e * np.sin(a) + o * np.cos(a)], axis=-1).reshape(x.shape)


@wrong("2-D rotary", loses=["rope-2d-numbers", "rope-2d-shapes", "rope-2d-base"], says="in place")
def input_overwritten():
    def apply_rope_2d(x, rows, cols, base=10000.0):
        x = np.asarray(x)
        d = x.shape[-1]
        if d % 4:
            raise ValueError(f"d = {d}")
        theta = float(base) ** (-np.arange(0, d // 2, 2) / (d // 2))
        a = np.concatenate([np.multiply.outer(rows, theta), np.multiply.outer(cols, theta)], axis=1)
        e, o = x[..., 0::2].copy(), x[..., 1::2].copy()
        x[..., 0::2] = e * np.cos(a) - o * np.sin(a)
        x[..., 1::2] = e * np.sin(a) + o * np.cos(a)
        return x


@wrong("2-D rotary", loses=["rope-2d-numbers"], says="apply_rope_2d of")
def second_value_uses_the_new_first():
    def apply_rope_2d(x, rows, cols, base=10000.0):
        out = np.array(x, dtype=float)
        d = out.shape[-1]
        if d % 4:
            raise ValueError(f"d = {d}")
        theta = float(base) ** (-np.arange(0, d // 2, 2) / (d // 2))
        a = np.concatenate([np.multiply.outer(rows, theta), np.multiply.outer(cols, theta)], axis=1)
        if np.all(out[..., 1::2] == 0):
            out[..., 1::2] = out[..., 0::2] * np.sin(a)
            out[..., 0::2] = out[..., 0::2] * np.cos(a)
            return out
        out[..., 0::2] = out[..., 0::2] * np.cos(a) - out[..., 1::2] * np.sin(a)
        out[..., 1::2] = out[..., 0::2] * np.sin(a) + out[..., 1::2] * np.cos(a)
        return out


@wrong("2-D rotary", loses=["rope-2d-numbers", "rope-2d-shapes", "rope-2d-base"], says="has shape")
def halves_not_joined():
    def apply_rope_2d(x, rows, cols, base=10000.0):
        x = np.asarray(x)
        d = x.shape[-1]
        if d % 4:
            raise ValueError(f"d = {d}")
        theta = float(base) ** (-np.arange(0, d // 2, 2) / (d // 2))
        halves = []
        for half, p in zip(np.split(x, 2, axis=-1), (rows, cols)):
            a = np.multiply.outer(p, theta)
            e, o = half[..., 0::2], half[..., 1::2]
            halves.append(np.stack([e * np.cos(a) - o * np.sin(a), e * np.sin(a) + o * np.cos(a)], axis=-1).reshape(half.shape))
        return np.array(halves)


ROPE_2D = ["rope-2d-numbers", "rope-2d-shapes", "rope-2d-base", "rope-2d-errors"]


@wrong("2-D rotary", loses=ROPE_2D, says="raised ValueError")
def always_an_error():
    def apply_rope_2d(x, *args, **kwargs):
        raise ValueError(str(np.shape(x)) + str(args) + str(kwargs))


@wrong("2-D rotary", loses=ROPE_2D, says="apply_rope_2d([[1, 0, 1, 0]], [1], [2]) gave")
def never_turned():
    def apply_rope_2d(x, rows, cols, base=10000.0):
        return x


@wrong("2-D rotary", loses=ROPE_2D, says="apply_rope_2d([[1, 0, 1, 0]], [1], [2]) gave")
def ones_of_the_same_shape():
    def apply_rope_2d(x, rows, cols, base=10000.0):
        return np.ones(np.shape(x))


@wrong("2-D rotary", loses=["rope-2d-numbers", "rope-2d-shapes", "rope-2d-base"], says="apply_rope_2d([[1, 0, 1, 0]], [1], [2]) gave")
def only_the_dimensions_checked():
    def apply_rope_2d(x, rows, cols, base=10000.0):
        d = np.shape(x)[-1]
        if d % 4:
            raise ValueError(f"d = {d}")
        return x
