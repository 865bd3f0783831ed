# ruff: noqa: F821, F841 - the bodies are what students type; they are run, not called
from bank import right, wrong

# ---------------------------------------------------------------- pairs that never turn


@right("pairs that never turn")
def typed_numbers():
    never_turn_llama2 = 18
    never_turn_llama3 = 29


@right("pairs that never turn")
def counted_with_numpy():
    i = np.arange(64)
    never_turn_llama2 = np.sum(2 * np.pi * 10000.0 ** (2 * i / 128) > 4096)
    never_turn_llama3 = np.count_nonzero(2 * np.pi / 500000.0 ** (-2 * i / 128) > 8192)


@right("pairs that never turn")
def whole_floats():
    never_turn_llama2 = 18.0
    never_turn_llama3 = np.float32(29)


@right("pairs that never turn")
def from_the_bound():
    import math

    never_turn_llama2 = 63 - math.floor(64 * 6.480 / 9.210)
    never_turn_llama3 = 63 - math.floor(64 * 7.173 / 13.122)
    print(never_turn_llama2, never_turn_llama3)


@right("pairs that never turn")
def a_loop():
    def count(base, length, d=128):
        pairs = 0
        for i in range(d // 2):
            wavelength = 2 * 3.14159 * base ** (2 * i / d)
            if wavelength > length:
                pairs += 1
        return pairs

    never_turn_llama2, never_turn_llama3 = count(10_000, 4096), count(500_000, 8192)


@right("pairs that never turn")
def lengths_of_lists():
    from fractions import Fraction

    never_turn_llama2 = np.array(len([i for i in range(64) if i > 45.03]))
    never_turn_llama3 = Fraction(len(range(35, 64)))


@wrong("pairs that never turn", loses=["never-turn-llama2", "never-turn-llama3"], says="do complete a turn")
def the_others_counted():
    never_turn_llama2 = 46
    never_turn_llama3 = 35


@wrong("pairs that never turn", loses=["never-turn-llama2", "never-turn-llama3"], says="bound for the index")
def the_bound_itself():
    never_turn_llama2 = 45
    never_turn_llama3 = 34


@wrong("pairs that never turn", loses=["never-turn-llama2", "never-turn-llama3"], says="number of dimensions")
def dimensions():
    never_turn_llama2 = 36
    never_turn_llama3 = 58


@wrong("pairs that never turn", loses=["never-turn-llama2", "never-turn-llama3"], says="2π is left out")
def without_two_pi():
    never_turn_llama2 = 6
    never_turn_llama3 = 20


@wrong("pairs that never turn", loses=["never-turn-llama2", "never-turn-llama3"], says="one too many")
def one_too_many():
    never_turn_llama2 = 19
    never_turn_llama3 = 30


@wrong("pairs that never turn", loses=["never-turn-llama2", "never-turn-llama3"], says="one too few")
def one_too_few():
    never_turn_llama2 = 17
    never_turn_llama3 = 28


@wrong("pairs that never turn", loses=["never-turn-llama3"], says="Llama 3 has base 500 000")
def base_of_llama_2_twice():
    never_turn_llama2 = 18
    never_turn_llama3 = 14


@wrong("pairs that never turn", loses=["never-turn-llama2"], says="length 2048")
def number_of_the_example():
    never_turn_llama2 = 23
    never_turn_llama3 = 29


@wrong("pairs that never turn", loses=["never-turn-llama3"], says="trained at 8192")
def length_of_llama_2_twice():
    never_turn_llama2 = 18
    never_turn_llama3 = 32


@wrong("pairs that never turn", loses=["never-turn-llama2", "never-turn-llama3"], says="between 0 and 64")
def all_dimensions_counted():
    never_turn_llama2 = 82
    never_turn_llama3 = 93


@wrong("pairs that never turn", loses=["never-turn-llama2", "never-turn-llama3"], says="should hold one number")
def lists_of_pairs():
    never_turn_llama2 = list(range(46, 64))
    never_turn_llama3 = list(range(35, 64))


@wrong("pairs that never turn", loses=["never-turn-llama3"], says="still empty")
def second_left_out():
    never_turn_llama2 = 18
    never_turn_llama3 = ...


@wrong("pairs that never turn", loses=["never-turn-llama2", "never-turn-llama3"], says="whole number of pairs")
def not_rounded():
    never_turn_llama2 = 64 - 45.03
    never_turn_llama3 = 64 - 34.98


# ---------------------------------------------------------------- position interpolation


@right("position interpolation")
def one_ratio():
    def interpolate_positions(positions, train_len, target_len):
        ratio = train_len / target_len if target_len > train_len else 1
        return np.asarray(positions) * ratio


@right("position interpolation")
def divided_by_the_scale():
    def interpolate_positions(positions, train_len, target_len):
        return np.asarray(positions, dtype=float) / max(1.0, target_len / train_len)


@right("position interpolation")
def lists_of_numbers():
    def interpolate_positions(positions, train_len, target_len):
        if isinstance(positions, (list, tuple, np.ndarray)) and np.ndim(positions):
            return [interpolate_positions(p, train_len, target_len) for p in positions]
        if target_len <= train_len:
            return float(positions)
        return float(positions) * train_len / target_len


@right("position interpolation")
def with_interp():
    def interpolate_positions(positions, train_len, target_len):
        print("ratio", train_len / target_len)
        if target_len <= train_len:
            return np.array(positions) + 0.0
        return np.interp(positions, [0, target_len], [0, train_len])


@right("position interpolation")
def early_return_and_warning():
    import warnings

    def interpolate_positions(positions, train_len, target_len):
        """p L / L'"""
        if not target_len > train_len:
            return positions
        warnings.warn("squeezing")
        return np.true_divide(np.multiply(positions, float(train_len)), target_len)


@wrong("position interpolation", loses=["positions-longer"], says="stretched")
def ratio_turned_round():
    def interpolate_positions(positions, train_len, target_len):
        return np.asarray(positions) * max(1, target_len / train_len)


@wrong("position interpolation", loses=["positions-longer"], says="cut to whole numbers")
def whole_numbers():
    def interpolate_positions(positions, train_len, target_len):
        if target_len <= train_len:
            return np.asarray(positions)
        return np.asarray(positions) * train_len // target_len


@wrong("position interpolation", loses=["positions-longer"], says="came back unchanged")
def wrapped_around():
    def interpolate_positions(positions, train_len, target_len):
        return np.asarray(positions) % train_len


@wrong("position interpolation", loses=["positions-longer"], says="came back unchanged")
def clipped():
    def interpolate_positions(positions, train_len, target_len):
        return np.minimum(np.asarray(positions), train_len - 1)


@wrong("position interpolation", loses=["positions-longer"], says="(target_len - 1)")
def last_positions_matched():
    def interpolate_positions(positions, train_len, target_len):
        if target_len <= train_len:
            return np.asarray(positions)
        return np.asarray(positions) * (train_len - 1) / (target_len - 1)


@wrong("position interpolation", loses=["positions-longer", "positions-shorter"], says="cut to whole numbers")
def cast_to_int():
    def interpolate_positions(positions, train_len, target_len):
        return (np.asarray(positions) * train_len / target_len).astype(int)


@wrong("position interpolation", loses=["positions-shorter"], says="stretched")
def short_texts_stretched():
    def interpolate_positions(positions, train_len, target_len):
        return np.asarray(positions) * train_len / target_len


@wrong("position interpolation", loses=["positions-shorter"], says="raised ValueError")
def short_texts_refused():
    def interpolate_positions(positions, train_len, target_len):
        if target_len < train_len:
            raise ValueError(f"target_len {target_len} is too short")
        return np.asarray(positions) * train_len / target_len


@wrong("position interpolation", loses=["positions-longer"], says="changed its argument in place")
def squeezed_in_place():
    def interpolate_positions(positions, train_len, target_len):
        squeezed = np.asarray(positions) * min(1.0, train_len / target_len)
        if isinstance(positions, np.ndarray):
            positions[:] = squeezed
        return squeezed


@wrong("position interpolation", loses=["positions-longer"], says="raised TypeError")
def lists_not_converted():
    def interpolate_positions(positions, train_len, target_len):
        if target_len <= train_len:
            return positions
        return positions * (train_len / target_len)


@wrong("position interpolation", loses=["positions-shorter"], says="returned None")
def nothing_for_short_texts():
    def interpolate_positions(positions, train_len, target_len):
        if target_len > train_len:
            return np.asarray(positions) * train_len / target_len


@wrong("position interpolation", loses=["positions-longer", "positions-shorter"], says="has shape")
def new_positions_made():
    def interpolate_positions(positions, train_len, target_len):
        return np.arange(target_len) * min(1, train_len / target_len)


@wrong("position interpolation", loses=["positions-longer", "positions-shorter"], says="came back unchanged")
def never_squeezed():
    def interpolate_positions(positions, train_len, target_len):
        return positions


@wrong("position interpolation", loses=["positions-longer", "positions-shorter"], says="raised ValueError")
def always_an_error():
    def interpolate_positions(*args, **kwargs):
        raise ValueError(str(args) + str(kwargs))


# ---------------------------------------------------------------- NTK-aware base


@right("NTK-aware base")
def one_line_each():
    def ntk_base(base, scale, d):
        return base * max(1, scale) ** (d / (d - 2))

    def dynamic_ntk_base(base, seq_len, train_len, d, factor=1.0):
        return base * (factor * max(seq_len, train_len) / train_len - (factor - 1)) ** (d / (d - 2))


@right("NTK-aware base")
def by_logarithms():
    import math

    def ntk_base(base, scale, d):
        if scale <= 1:
            return base
        return math.exp(math.log(base) + d / (d - 2) * math.log(scale))

    def dynamic_ntk_base(base, seq_len, train_len, d, factor=1.0):
        if seq_len <= train_len:
            return base
        return ntk_base(base, 1 + factor * (seq_len - train_len) / train_len, d)


@right("NTK-aware base")
def from_the_last_pair():
    # the base whose last pair is slower by the scale
    def ntk_base(base, scale, d):
        scale = np.maximum(scale, 1.0)
        last = float(base) ** (-(d - 2) / d) / scale
        return last ** (-d / (d - 2))

    def dynamic_ntk_base(base, seq_len, train_len, d, factor=1.0):
        length = np.max([seq_len, train_len])
        print("length", length)
        return ntk_base(base, factor * length / train_len - (factor - 1), d)


@right("NTK-aware base")
def maximum_at_the_end():
    def ntk_base(base, scale, d):
        return np.array(max(base, base * np.power(float(scale), d / (d - 2))))

    def dynamic_ntk_base(base, seq_len, train_len, d, factor=1.0):
        scale = factor * seq_len / train_len - (factor - 1)
        if scale < 1:
            scale = 1
        return np.float64(base) * scale ** (d / (d - 2))


@right("NTK-aware base")
def two_factors_with_a_warning():
    import warnings

    def ntk_base(base, scale, d):
        """scale * scale^(2/(d-2))"""
        warnings.warn("untested")
        s = scale if scale > 1 else 1.0
        return base * s * s ** (2 / (d - 2))

    def dynamic_ntk_base(base, seq_len, train_len, d, factor=1.0):
        s = 1 + factor * max(0, seq_len / train_len - 1)
        return base * s * s ** (2 / (d - 2))


@wrong("NTK-aware base", loses=["ntk-numbers"], says="exponent d/(d - 2) is missing")
def exponent_missing():
    def ntk_base(base, scale, d):
        return base * max(1, scale)

    def dynamic_ntk_base(base, seq_len, train_len, d, factor=1.0):
        return base * (factor * max(seq_len, train_len) / train_len - (factor - 1)) ** (d / (d - 2))


@wrong("NTK-aware base", loses=["ntk-numbers"], says="turned round")
def exponent_turned_round():
    def ntk_base(base, scale, d):
        return base * max(1, scale) ** ((d - 2) / d)

    def dynamic_ntk_base(base, seq_len, train_len, d, factor=1.0):
        return base * (factor * max(seq_len, train_len) / train_len - (factor - 1)) ** (d / (d - 2))


@wrong("NTK-aware base", loses=["ntk-numbers", "dynamic-numbers"], says="d/(d - 1)")
def off_by_one_exponent():
    def ntk_base(base, scale, d):
        return base * max(1, scale) ** (d / (d - 1))

    def dynamic_ntk_base(base, seq_len, train_len, d, factor=1.0):
        return base * (factor * max(seq_len, train_len) / train_len - (factor - 1)) ** (d / (d - 1))


@wrong("NTK-aware base", loses=["ntk-numbers", "ntk-floor"], says="only the scale is raised")
def precedence():
    def ntk_base(base, scale, d):
        return (base * max(1, scale)) ** (d / (d - 2))

    def dynamic_ntk_base(base, seq_len, train_len, d, factor=1.0):
        return base * (factor * max(seq_len, train_len) / train_len - (factor - 1)) ** (d / (d - 2))


@wrong("NTK-aware base", loses=["ntk-floor"], says="never falls below")
def no_lower_bound():
    def ntk_base(base, scale, d):
        return base * scale ** (d / (d - 2))

    def dynamic_ntk_base(base, seq_len, train_len, d, factor=1.0):
        return base * (factor * max(seq_len, train_len) / train_len - (factor - 1)) ** (d / (d - 2))


@wrong("NTK-aware base", loses=["dynamic-numbers"], says="factor is ignored")
def factor_ignored():
    def ntk_base(base, scale, d):
        return base * max(1, scale) ** (d / (d - 2))

    def dynamic_ntk_base(base, seq_len, train_len, d, factor=1.0):
        return base * (max(seq_len, train_len) / train_len) ** (d / (d - 2))


@wrong("NTK-aware base", loses=["dynamic-numbers", "dynamic-short"], says="is not subtracted")
def factor_not_subtracted():
    def ntk_base(base, scale, d):
        return base * max(1, scale) ** (d / (d - 2))

    def dynamic_ntk_base(base, seq_len, train_len, d, factor=1.0):
        return base * (factor * max(seq_len, train_len) / train_len) ** (d / (d - 2))


@wrong("NTK-aware base", loses=["dynamic-numbers", "dynamic-short"], says="it is subtracted")
def factor_added():
    def ntk_base(base, scale, d):
        return base * max(1, scale) ** (d / (d - 2))

    def dynamic_ntk_base(base, seq_len, train_len, d, factor=1.0):
        return base * (factor * max(seq_len, train_len) / train_len + (factor - 1)) ** (d / (d - 2))


@wrong("NTK-aware base", loses=["dynamic-short"], says="ℓ in the formula is train_len")
def base_falls_for_short_texts():
    def ntk_base(base, scale, d):
        return base * max(1, scale) ** (d / (d - 2))

    def dynamic_ntk_base(base, seq_len, train_len, d, factor=1.0):
        s = factor * seq_len / train_len - (factor - 1)
        return base * abs(s) ** (d / (d - 2))


@wrong("NTK-aware base", loses=["dynamic-numbers"], says="ratio is turned round")
def ratio_upside_down():
    def ntk_base(base, scale, d):
        return base * max(1, scale) ** (d / (d - 2))

    def dynamic_ntk_base(base, seq_len, train_len, d, factor=1.0):
        return base * abs(factor * train_len / max(seq_len, train_len) - (factor - 1)) ** (d / (d - 2))


@wrong("NTK-aware base", loses=["dynamic-numbers", "dynamic-short"], says="ratio is turned round")
def ratio_upside_down_and_never_below_one():
    # for every length the base itself
    def ntk_base(base, scale, d):
        return base * max(1, scale) ** (d / (d - 2))

    def dynamic_ntk_base(base, seq_len, train_len, d, factor=1.0):
        return base * max(1, factor * train_len / seq_len - (factor - 1)) ** (d / (d - 2)) if seq_len > train_len else base


@wrong("NTK-aware base", loses=["dynamic-numbers"], says="whole number of training lengths")
def whole_training_lengths():
    def ntk_base(base, scale, d):
        return base * max(1, scale) ** (d / (d - 2))

    def dynamic_ntk_base(base, seq_len, train_len, d, factor=1.0):
        return base * (factor * (max(seq_len, train_len) // train_len) - (factor - 1)) ** (d / (d - 2))


@wrong("NTK-aware base", loses=["dynamic-numbers", "dynamic-short"], says="is not right")
def state_is_never_reset():
    # transformers PR 27227: the base of the longest text so far stays
    def ntk_base(base, scale, d):
        return base * max(1, scale) ** (d / (d - 2))

    longest = {"length": 0}

    def dynamic_ntk_base(base, seq_len, train_len, d, factor=1.0):
        longest["length"] = max(longest["length"], seq_len, train_len)
        return base * (factor * longest["length"] / train_len - (factor - 1)) ** (d / (d - 2))


@wrong("NTK-aware base", loses=["dynamic-numbers", "dynamic-short"], says="not defined")
def second_function_misnamed():
    def ntk_base(base, scale, d):
        return base * max(1, scale) ** (d / (d - 2))

    def dynamic_base(base, seq_len, train_len, d, factor=1.0):
        return base * (factor * max(seq_len, train_len) / train_len - (factor - 1)) ** (d / (d - 2))


NTK = ["ntk-numbers", "ntk-floor", "dynamic-numbers", "dynamic-short"]


@wrong("NTK-aware base", loses=NTK, says="ntk_base(10000, 2, 128) gave 10000")
def base_never_changes():
    def ntk_base(base, scale, d):
        return base

    def dynamic_ntk_base(base, seq_len, train_len, d, factor=1.0):
        return base


@wrong("NTK-aware base", loses=NTK, says="has shape (64,)")
def frequencies_instead_of_the_base():
    def ntk_base(base, scale, d):
        return (base * max(1, scale) ** (d / (d - 2))) ** (-np.arange(0, d, 2) / d)

    def dynamic_ntk_base(base, seq_len, train_len, d, factor=1.0):
        return ntk_base(base, factor * max(seq_len, train_len) / train_len - (factor - 1), d)


# ---------------------------------------------------------------- YaRN


@right("YaRN")
def as_released():
    import math

    def find_correction_dim(num_rotations, dim, base, max_position_embeddings):
        return (dim * math.log(max_position_embeddings / (num_rotations * 2 * math.pi))) / (2 * math.log(base))

    def yarn_inv_freq(d, base, scale, train_len, beta_fast=32.0, beta_slow=1.0):
        low = max(math.floor(find_correction_dim(beta_fast, d, base, train_len)), 0)
        high = min(math.ceil(find_correction_dim(beta_slow, d, base, train_len)), d - 1)
        pos_freqs = base ** (np.arange(0, d, 2) / d)
        extrapolation, interpolation = 1.0 / pos_freqs, 1.0 / (scale * pos_freqs)
        mask = 1 - np.clip((np.arange(d // 2) - low) / (high - low), 0, 1)
        return interpolation * (1 - mask) + extrapolation * mask

    def yarn_attention_factor(scale):
        if scale <= 1:
            return 1.0
        return 0.1 * math.log(scale) + 1.0


@right("YaRN")
def pair_by_pair():
    import math

    def yarn_inv_freq(d, base, scale, train_len, beta_fast=32.0, beta_slow=1.0):
        index = lambda turns: d / 2 * math.log(train_len / 2 / math.pi / turns, base)
        low, high = math.floor(index(beta_fast)), math.ceil(index(beta_slow))
        if low < 0:
            low = 0
        if high > d - 1:
            high = d - 1
        result = []
        for i in range(d // 2):
            theta = base ** (-2 * i / d)
            if i <= low:
                result.append(theta)
            elif i >= high:
                result.append(theta / scale)
            else:
                e = (high - i) / (high - low)
                result.append(e * theta + (1 - e) * theta / scale)
        return result

    def yarn_attention_factor(scale):
        return 1 + 0.1 * math.log(max(scale, 1))


@right("YaRN")
def a_factor_on_theta():
    def yarn_inv_freq(d, base, scale, train_len, beta_fast=32.0, beta_slow=1.0):
        dim = np.log(train_len / (2 * np.pi * np.array([beta_fast, beta_slow]))) * d / np.log(float(base) ** 2)
        low, high = np.maximum(np.floor(dim[0]), 0), np.minimum(np.ceil(dim[1]), d - 1)
        divided = np.interp(np.arange(d // 2), [low, high], [0.0, 1.0])
        print(low, high)
        return np.exp(-np.log(base) * np.arange(0, d, 2) / d) * (1 + divided * (1 / scale - 1))

    def yarn_attention_factor(scale):
        return np.where(np.asarray(scale) > 1, 0.1 * np.log(scale) + 1, 1.0)


@right("YaRN")
def piecewise():
    import warnings

    def yarn_inv_freq(d, base, scale, train_len, beta_fast=32.0, beta_slow=1.0):
        warnings.warn("ramp of the released code")
        theta = np.array([1 / base ** (2 * i / d) for i in range(d // 2)])
        def edge(turns, rounding):
            return int(rounding(d * (np.log(train_len) - np.log(2 * np.pi * turns)) / (2 * np.log(base))))
        low, high = max(edge(beta_fast, np.floor), 0), min(edge(beta_slow, np.ceil), d - 1)
        i = np.arange(d // 2)
        return np.piecewise(i.astype(float), [i <= low, (i > low) & (i < high), i >= high],
                            [theta[i <= low], theta[(i > low) & (i < high)] * (1 - (1 - 1 / scale) * (i[(i > low) & (i < high)] - low) / (high - low)), theta[i >= high] / scale])

    def yarn_attention_factor(scale):
        if scale > 1:
            return np.log(scale) / 10 + 1
        return 1


@right("YaRN")
def matrix_of_two_rows():
    def yarn_inv_freq(d, base, scale, train_len, beta_fast=32.0, beta_slow=1.0):
        i = np.arange(d // 2)
        theta = np.power(float(base), -2.0 * i / d)
        low = np.floor(d * np.log(train_len / (beta_fast * 2 * np.pi)) / (2 * np.log(base)))
        high = np.ceil(d * np.log(train_len / (beta_slow * 2 * np.pi)) / (2 * np.log(base)))
        low, high = np.clip([low, high], 0, d - 1)
        g = ((i - low) / (high - low)).clip(0, 1)
        return np.einsum("ri,ri->i", np.stack([1 - g, g]), np.stack([theta, theta / scale]))

    def yarn_attention_factor(scale):
        factor = 0.1 * np.log(scale) + 1.0
        return factor if scale > 1 else np.float32(1)


@wrong("YaRN", loses=["yarn-ramp", "yarn-clamp", "yarn-betas"], says="ramp of the paper")
def ramp_of_the_paper():
    # yarn 60
    def yarn_inv_freq(d, base, scale, train_len, beta_fast=32.0, beta_slow=1.0):
        theta = base ** (-np.arange(0, d, 2) / d)
        turns = train_len * theta / (2 * np.pi)
        gamma = np.clip((turns - beta_slow) / (beta_fast - beta_slow), 0, 1)
        return (1 - gamma) * theta / scale + gamma * theta

    def yarn_attention_factor(scale):
        return 0.1 * np.log(scale) + 1 if scale > 1 else 1.0


@wrong("YaRN", loses=["yarn-ramp", "yarn-clamp", "yarn-betas"], says="not rounded")
def no_rounding():
    def yarn_inv_freq(d, base, scale, train_len, beta_fast=32.0, beta_slow=1.0):
        dim = lambda n: d * np.log(train_len / (2 * np.pi * n)) / (2 * np.log(base))
        low, high = max(dim(beta_fast), 0), min(dim(beta_slow), d - 1)
        theta = base ** (-np.arange(0, d, 2) / d)
        e = 1 - np.clip((np.arange(d // 2) - low) / (high - low), 0, 1)
        return (1 - e) * theta / scale + e * theta

    def yarn_attention_factor(scale):
        return 0.1 * np.log(scale) + 1 if scale > 1 else 1.0


@wrong("YaRN", loses=["yarn-ramp", "yarn-clamp", "yarn-betas"], says="high is rounded down")
def both_rounded_down():
    def yarn_inv_freq(d, base, scale, train_len, beta_fast=32.0, beta_slow=1.0):
        dim = lambda n: d * np.log(train_len / (2 * np.pi * n)) / (2 * np.log(base))
        low, high = max(int(np.floor(dim(beta_fast))), 0), min(int(dim(beta_slow)), d - 1)
        theta = base ** (-np.arange(0, d, 2) / d)
        e = 1 - np.clip((np.arange(d // 2) - low) / (high - low), 0, 1)
        return (1 - e) * theta / scale + e * theta

    def yarn_attention_factor(scale):
        return 0.1 * np.log(scale) + 1 if scale > 1 else 1.0


@wrong("YaRN", loses=["yarn-ends", "yarn-ramp", "yarn-clamp", "yarn-betas"], says="ramp is turned round")
def ramp_turned_round():
    def yarn_inv_freq(d, base, scale, train_len, beta_fast=32.0, beta_slow=1.0):
        dim = lambda n: d * np.log(train_len / (2 * np.pi * n)) / (2 * np.log(base))
        low, high = max(np.floor(dim(beta_fast)), 0), min(np.ceil(dim(beta_slow)), d - 1)
        theta = base ** (-np.arange(0, d, 2) / d)
        e = np.clip((np.arange(d // 2) - low) / (high - low), 0, 1)
        return (1 - e) * theta / scale + e * theta

    def yarn_attention_factor(scale):
        return 0.1 * np.log(scale) + 1 if scale > 1 else 1.0


@wrong("YaRN", loses=["yarn-clamp"], says="high is lowered to d/2 - 1")
def limited_to_the_pairs():
    # keras-hub PR 2981
    def yarn_inv_freq(d, base, scale, train_len, beta_fast=32.0, beta_slow=1.0):
        dim = lambda n: d * np.log(train_len / (2 * np.pi * n)) / (2 * np.log(base))
        low, high = max(np.floor(dim(beta_fast)), 0), min(np.ceil(dim(beta_slow)), d // 2 - 1)
        theta = base ** (-np.arange(0, d, 2) / d)
        e = 1 - np.clip((np.arange(d // 2) - low) / (high - low), 0, 1)
        return (1 - e) * theta / scale + e * theta

    def yarn_attention_factor(scale):
        return 0.1 * np.log(scale) + 1 if scale > 1 else 1.0


@wrong("YaRN", loses=["yarn-clamp"], says="lower it to d - 1")
def high_not_limited():
    def yarn_inv_freq(d, base, scale, train_len, beta_fast=32.0, beta_slow=1.0):
        dim = lambda n: d * np.log(train_len / (2 * np.pi * n)) / (2 * np.log(base))
        low, high = max(np.floor(dim(beta_fast)), 0), np.ceil(dim(beta_slow))
        theta = base ** (-np.arange(0, d, 2) / d)
        e = 1 - np.clip((np.arange(d // 2) - low) / (high - low), 0, 1)
        return (1 - e) * theta / scale + e * theta

    def yarn_attention_factor(scale):
        return 0.1 * np.log(scale) + 1 if scale > 1 else 1.0


@wrong("YaRN", loses=["yarn-clamp"], says="low is 0")
def low_not_limited():
    def yarn_inv_freq(d, base, scale, train_len, beta_fast=32.0, beta_slow=1.0):
        dim = lambda n: d * np.log(train_len / (2 * np.pi * n)) / (2 * np.log(base))
        low, high = np.floor(dim(beta_fast)), min(np.ceil(dim(beta_slow)), d - 1)
        theta = base ** (-np.arange(0, d, 2) / d)
        e = 1 - np.clip((np.arange(d // 2) - low) / (high - low), 0, 1)
        return (1 - e) * theta / scale + e * theta

    def yarn_attention_factor(scale):
        return 0.1 * np.log(scale) + 1 if scale > 1 else 1.0


@wrong("YaRN", loses=["yarn-ends", "yarn-ramp", "yarn-clamp", "yarn-betas"], says="pairs 0 and 63")
def ramp_over_the_dimensions():
    # dim(n) counted in dimensions instead of pairs
    def yarn_inv_freq(d, base, scale, train_len, beta_fast=32.0, beta_slow=1.0):
        dim = lambda n: d * np.log(train_len / (2 * np.pi * n)) / np.log(base)
        low, high = max(np.floor(dim(beta_fast)), 0), min(np.ceil(dim(beta_slow)), d - 1)
        theta = base ** (-np.arange(0, d, 2) / d)
        e = 1 - np.clip((np.arange(d // 2) - low) / (high - low), 0, 1)
        return (1 - e) * theta / scale + e * theta

    def yarn_attention_factor(scale):
        return 0.1 * np.log(scale) + 1 if scale > 1 else 1.0


@wrong("YaRN", loses=["yarn-ends", "yarn-ramp", "yarn-clamp", "yarn-betas"], says="as in position interpolation")
def all_divided():
    def yarn_inv_freq(d, base, scale, train_len, beta_fast=32.0, beta_slow=1.0):
        return base ** (-np.arange(0, d, 2) / d) / scale

    def yarn_attention_factor(scale):
        return 0.1 * np.log(scale) + 1 if scale > 1 else 1.0


@wrong("YaRN", loses=["yarn-ends", "yarn-ramp", "yarn-clamp", "yarn-betas"], says="nothing is divided")
def scale_ignored():
    # transformers 38224: the factor had no effect
    def yarn_inv_freq(d, base, scale, train_len, beta_fast=32.0, beta_slow=1.0):
        return base ** (-np.arange(0, d, 2) / d)

    def yarn_attention_factor(scale):
        return 0.1 * np.log(scale) + 1 if scale > 1 else 1.0


@wrong("YaRN", loses=["yarn-betas"], says="Is beta_slow used?")
def betas_ignored():
    def yarn_inv_freq(d, base, scale, train_len, beta_fast=32.0, beta_slow=1.0):
        dim = lambda n: d * np.log(train_len / (2 * np.pi * n)) / (2 * np.log(base))
        low, high = max(np.floor(dim(32)), 0), min(np.ceil(dim(1)), d - 1)
        theta = base ** (-np.arange(0, d, 2) / d)
        e = 1 - np.clip((np.arange(d // 2) - low) / (high - low), 0, 1)
        return (1 - e) * theta / scale + e * theta

    def yarn_attention_factor(scale):
        return 0.1 * np.log(scale) + 1 if scale > 1 else 1.0


@wrong("YaRN", loses=["yarn-ends", "yarn-ramp", "yarn-clamp", "yarn-betas"], says="pairs 0 and 63")
def betas_exchanged():
    def yarn_inv_freq(d, base, scale, train_len, beta_fast=32.0, beta_slow=1.0):
        dim = lambda n: d * np.log(train_len / (2 * np.pi * n)) / (2 * np.log(base))
        low, high = max(np.floor(dim(beta_slow)), 0), min(np.ceil(dim(beta_fast)), d - 1)
        theta = base ** (-np.arange(0, d, 2) / d)
        e = 1 - np.clip((np.arange(d // 2) - low) / (high - low), 0, 1)
        return (1 - e) * theta / scale + e * theta

    def yarn_attention_factor(scale):
        return 0.1 * np.log(scale) + 1 if scale > 1 else 1.0


@wrong("YaRN", loses=["yarn-ramp", "yarn-clamp", "yarn-betas"], says="blended geometrically")
def blended_in_the_exponent():
    def yarn_inv_freq(d, base, scale, train_len, beta_fast=32.0, beta_slow=1.0):
        dim = lambda n: d * np.log(train_len / (2 * np.pi * n)) / (2 * np.log(base))
        low, high = max(np.floor(dim(beta_fast)), 0), min(np.ceil(dim(beta_slow)), d - 1)
        e = 1 - np.clip((np.arange(d // 2) - low) / (high - low), 0, 1)
        return base ** (-np.arange(0, d, 2) / d) * scale ** (e - 1)

    def yarn_attention_factor(scale):
        return 0.1 * np.log(scale) + 1 if scale > 1 else 1.0


@wrong("YaRN", loses=["yarn-attention"], says="this is the square")
def factor_of_the_scores():
    def yarn_inv_freq(d, base, scale, train_len, beta_fast=32.0, beta_slow=1.0):
        dim = lambda n: d * np.log(train_len / (2 * np.pi * n)) / (2 * np.log(base))
        low, high = max(np.floor(dim(beta_fast)), 0), min(np.ceil(dim(beta_slow)), d - 1)
        theta = base ** (-np.arange(0, d, 2) / d)
        e = 1 - np.clip((np.arange(d // 2) - low) / (high - low), 0, 1)
        return (1 - e) * theta / scale + e * theta

    def yarn_attention_factor(scale):
        return (0.1 * np.log(scale) + 1) ** 2 if scale > 1 else 1.0


@wrong("YaRN", loses=["yarn-attention"], says="base 10")
def decimal_logarithm():
    def yarn_inv_freq(d, base, scale, train_len, beta_fast=32.0, beta_slow=1.0):
        dim = lambda n: d * np.log10(train_len / (2 * np.pi * n)) / (2 * np.log10(base))
        low, high = max(np.floor(dim(beta_fast)), 0), min(np.ceil(dim(beta_slow)), d - 1)
        theta = base ** (-np.arange(0, d, 2) / d)
        e = 1 - np.clip((np.arange(d // 2) - low) / (high - low), 0, 1)
        return (1 - e) * theta / scale + e * theta

    def yarn_attention_factor(scale):
        return 0.1 * np.log10(scale) + 1 if scale > 1 else 1.0


@wrong("YaRN", loses=["yarn-attention"], says="Scales up to 1 change nothing")
def factor_below_one():
    def yarn_inv_freq(d, base, scale, train_len, beta_fast=32.0, beta_slow=1.0):
        dim = lambda n: d * np.log(train_len / (2 * np.pi * n)) / (2 * np.log(base))
        low, high = max(np.floor(dim(beta_fast)), 0), min(np.ceil(dim(beta_slow)), d - 1)
        theta = base ** (-np.arange(0, d, 2) / d)
        e = 1 - np.clip((np.arange(d // 2) - low) / (high - low), 0, 1)
        return (1 - e) * theta / scale + e * theta

    def yarn_attention_factor(scale):
        return 0.1 * np.log(scale) + 1


# ---------------------------------------------------------------- Llama 3


@right("Llama 3")
def clipped_blend():
    def llama3_inv_freq(d, base=500000.0, factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0, train_len=8192):
        theta = base ** (-np.arange(0, d, 2) / d)
        t = np.clip((train_len * theta / 2 / np.pi - low_freq_factor) / (high_freq_factor - low_freq_factor), 0, 1)
        return theta * (t + (1 - t) / factor)


@right("Llama 3")
def as_published_loop():
    import math

    def llama3_inv_freq(d, base=500000.0, factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0, train_len=8192):
        low_freq_wavelen, high_freq_wavelen = train_len / low_freq_factor, train_len / high_freq_factor
        new_freqs = []
        for i in range(d // 2):
            freq = 1.0 / base ** (2 * i / d)
            wavelen = 2 * math.pi / freq
            if wavelen < high_freq_wavelen:
                new_freqs.append(freq)
            elif wavelen > low_freq_wavelen:
                new_freqs.append(freq / factor)
            else:
                smooth = (train_len / wavelen - low_freq_factor) / (high_freq_factor - low_freq_factor)
                new_freqs.append((1 - smooth) * freq / factor + smooth * freq)
        return new_freqs


@right("Llama 3")
def nested_where():
    def llama3_inv_freq(d, base=500000.0, factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0, train_len=8192):
        theta = np.exp(-np.log(base) * np.arange(0, d, 2) / d)
        wave = 2 * np.pi / theta
        t = (train_len / wave - low_freq_factor) / (high_freq_factor - low_freq_factor)
        blend = (1 - t) * theta / factor + t * theta
        print((wave < train_len / high_freq_factor).sum(), "kept")
        return np.where(wave < train_len / high_freq_factor, theta, np.where(wave > train_len / low_freq_factor, theta / factor, blend))


@right("Llama 3")
def interpolated_in_turns():
    import warnings

    def llama3_inv_freq(d, base=500000.0, factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0, train_len=8192):
        warnings.warn("np.interp holds the ends")
        theta = np.power(float(base), -np.linspace(0, 1, d // 2, endpoint=False))
        turns = train_len / (2 * np.pi / theta)
        return theta * np.interp(turns, [low_freq_factor, high_freq_factor], [1 / factor, 1])


@right("Llama 3")
def groups_by_mask():
    def blend(t, theta, factor):
        return (1 - t) * theta / factor + t * theta

    def llama3_inv_freq(d, base=500000.0, factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0, train_len=8192):
        theta = np.array([base ** (-2 * i / d) for i in range(d // 2)])
        out = theta.copy()
        wave = 2 * np.pi / theta
        slow = wave > train_len / low_freq_factor
        middle = ~slow & ~(wave < train_len / high_freq_factor)
        out[slow] /= factor
        out[middle] = blend((train_len / wave[middle] - low_freq_factor) / (high_freq_factor - low_freq_factor), theta[middle], factor)
        return tuple(out)


@wrong("Llama 3", loses=["llama3-ends", "llama3-smooth", "llama3-settings"], says="groups are exchanged")
def groups_exchanged():
    def llama3_inv_freq(d, base=500000.0, factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0, train_len=8192):
        theta = base ** (-np.arange(0, d, 2) / d)
        t = 1 - np.clip((train_len * theta / 2 / np.pi - low_freq_factor) / (high_freq_factor - low_freq_factor), 0, 1)
        return theta * (t + (1 - t) / factor)


@wrong("Llama 3", loses=["llama3-smooth", "llama3-settings"], says="t and 1 - t are exchanged")
def blend_exchanged():
    def llama3_inv_freq(d, base=500000.0, factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0, train_len=8192):
        theta = base ** (-np.arange(0, d, 2) / d)
        wave = 2 * np.pi / theta
        t = (train_len / wave - low_freq_factor) / (high_freq_factor - low_freq_factor)
        blend = t * theta / factor + (1 - t) * theta
        return np.where(wave < train_len / high_freq_factor, theta, np.where(wave > train_len / low_freq_factor, theta / factor, blend))


@wrong("Llama 3", loses=["llama3-smooth", "llama3-settings"], says="the pair is kept")
def two_groups_only():
    def llama3_inv_freq(d, base=500000.0, factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0, train_len=8192):
        theta = base ** (-np.arange(0, d, 2) / d)
        return np.where(2 * np.pi / theta > train_len / low_freq_factor, theta / factor, theta)


@wrong("Llama 3", loses=["llama3-ends", "llama3-smooth", "llama3-settings"], says="all pairs are divided")
def divided_throughout():
    def llama3_inv_freq(d, base=500000.0, factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0, train_len=8192):
        return base ** (-np.arange(0, d, 2) / d) / factor


@wrong("Llama 3", loses=["llama3-ends", "llama3-smooth", "llama3-settings"], says="Does the wavelength have its 2π?")
def wavelength_without_two_pi():
    def llama3_inv_freq(d, base=500000.0, factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0, train_len=8192):
        theta = base ** (-np.arange(0, d, 2) / d)
        t = np.clip((train_len * theta - low_freq_factor) / (high_freq_factor - low_freq_factor), 0, 1)
        return theta * (t + (1 - t) / factor)


@wrong("Llama 3", loses=["llama3-smooth", "llama3-settings"], says="as in YaRN's code")
def ramp_of_yarn():
    # linear in the index, as YaRN's code
    def llama3_inv_freq(d, base=500000.0, factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0, train_len=8192):
        theta = base ** (-np.arange(0, d, 2) / d)
        dim = lambda n: d * np.log(train_len / (2 * np.pi * n)) / (2 * np.log(base))
        low, high = np.floor(dim(high_freq_factor)), np.ceil(dim(low_freq_factor))
        e = 1 - np.clip((np.arange(d // 2) - low) / (high - low), 0, 1)
        return (1 - e) * theta / factor + e * theta


@wrong("Llama 3", loses=["llama3-smooth", "llama3-settings"], says="linear in the wavelength")
def linear_in_the_wavelength():
    def llama3_inv_freq(d, base=500000.0, factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0, train_len=8192):
        theta = base ** (-np.arange(0, d, 2) / d)
        t = np.interp(2 * np.pi / theta, [train_len / high_freq_factor, train_len / low_freq_factor], [1, 0])
        return theta * (t + (1 - t) / factor)


@wrong("Llama 3", loses=["llama3-settings"], says="divided by the factor")
def factor_fixed():
    def llama3_inv_freq(d, base=500000.0, factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0, train_len=8192):
        theta = base ** (-np.arange(0, d, 2) / d)
        t = np.clip((train_len * theta / 2 / np.pi - low_freq_factor) / (high_freq_factor - low_freq_factor), 0, 1)
        return theta * (t + (1 - t) / 8)


@wrong("Llama 3", loses=["llama3-settings"], says="all six arguments")
def train_len_fixed():
    def llama3_inv_freq(d, base=500000.0, factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0, train_len=8192):
        theta = base ** (-np.arange(0, d, 2) / d)
        t = np.clip((8192 * theta / 2 / np.pi - low_freq_factor) / (high_freq_factor - low_freq_factor), 0, 1)
        return theta * (t + (1 - t) / factor)


@wrong("Llama 3", loses=["llama3-settings"], says="all six arguments")
def three_for_the_difference():
    def llama3_inv_freq(d, base=500000.0, factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0, train_len=8192):
        theta = base ** (-np.arange(0, d, 2) / d)
        t = np.clip((train_len * theta / 2 / np.pi - 1) / 3, 0, 1)
        return theta * (t + (1 - t) / factor)


@wrong("Llama 3", loses=["llama3-ends", "llama3-smooth", "llama3-settings"], says="base is 10000")
def base_of_llama_2():
    def llama3_inv_freq(d, base=500000.0, factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0, train_len=8192):
        theta = 10000.0 ** (-np.arange(0, d, 2) / d)
        t = np.clip((train_len * theta / 2 / np.pi - low_freq_factor) / (high_freq_factor - low_freq_factor), 0, 1)
        return theta * (t + (1 - t) / factor)


@wrong("Llama 3", loses=["llama3-ends", "llama3-settings"], says="t is used outside")
def not_clipped():
    def llama3_inv_freq(d, base=500000.0, factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0, train_len=8192):
        theta = base ** (-np.arange(0, d, 2) / d)
        t = (train_len * theta / 2 / np.pi - low_freq_factor) / (high_freq_factor - low_freq_factor)
        return theta * (t + (1 - t) / factor)


@wrong("Llama 3", loses=["llama3-ends", "llama3-smooth", "llama3-settings"], says="has shape (128,)")
def one_per_dimension():
    def llama3_inv_freq(d, base=500000.0, factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0, train_len=8192):
        theta = np.repeat(base ** (-np.arange(0, d, 2) / d), 2)
        t = np.clip((train_len * theta / 2 / np.pi - low_freq_factor) / (high_freq_factor - low_freq_factor), 0, 1)
        return theta * (t + (1 - t) / factor)


# ---------------------------------------------------------------- rotated keys in a cache


@right("rotated keys in a cache")
def rotated_one_by_one():
    def rope(x, position, base):
        d = len(x)
        angles = position * base ** (-np.arange(0, d, 2) / d)
        out = np.empty(d)
        out[0::2] = x[0::2] * np.cos(angles) - x[1::2] * np.sin(angles)
        out[1::2] = x[0::2] * np.sin(angles) + x[1::2] * np.cos(angles)
        return out

    def newest_scores(q_t, keys, train_len, base=10000.0):
        t, d = keys.shape
        b = base * max(1, t / train_len) ** (d / (d - 2))
        q = rope(q_t, t - 1, b)
        return np.array([q @ rope(k, j, b) / np.sqrt(d) for j, k in enumerate(keys)])


@right("rotated keys in a cache")
def complex_numbers():
    def newest_scores(q_t, keys, train_len, base=10000.0):
        t, d = np.shape(keys)
        if t > train_len:
            base = base * (t / train_len) ** (d / (d - 2))
        theta = base ** (-np.arange(0, d, 2) / d)
        z = np.ascontiguousarray(keys, dtype=float).view(complex) * np.exp(1j * np.outer(np.arange(t), theta))
        w = np.ascontiguousarray(q_t, dtype=float).view(complex) * np.exp(1j * (t - 1) * theta)
        return (z @ w.conj()).real * d**-0.5


@right("rotated keys in a cache")
def loops_by_offset():
    import math

    def newest_scores(q_t, keys, train_len, base=10000.0):
        t, d = len(keys), len(q_t)
        current = base * max(1.0, t / train_len) ** (d / (d - 2))
        scores = []
        for j in range(t):
            s = 0.0
            for i in range(d // 2):
                a = (t - 1 - j) * current ** (-2 * i / d)
                q0, q1, k0, k1 = q_t[2 * i], q_t[2 * i + 1], keys[j][2 * i], keys[j][2 * i + 1]
                s += (q0 * k0 + q1 * k1) * math.cos(a) + (q0 * k1 - q1 * k0) * math.sin(a)
            scores.append(s / math.sqrt(d))
        return scores


@right("rotated keys in a cache")
def matrices():
    import warnings

    def newest_scores(q_t, keys, train_len, base=10000.0):
        warnings.warn("einsum")
        t, d = keys.shape
        b = float(base) * np.maximum(1, t / train_len) ** (d / (d - 2))
        a = -np.arange(t - 1, -1, -1)[:, None] / b ** (np.arange(0, d, 2) / d)
        R = np.stack([np.cos(a), -np.sin(a), np.sin(a), np.cos(a)], axis=-1).reshape(t, d // 2, 2, 2)
        print(R.shape)
        return np.einsum("pa,tpab,tpb->t", q_t.reshape(-1, 2), R, keys.reshape(t, -1, 2)) / np.sqrt(d)


@right("rotated keys in a cache")
def own_base_and_batch():
    def dynamic_ntk_base(base, seq_len, train_len, d, factor=1.0):
        return base * (factor * max(seq_len, train_len) / train_len - (factor - 1)) ** (d / (d - 2))

    def turn(x, positions, base):
        d = x.shape[-1]
        phi = np.repeat(positions[:, None] * base ** (-np.arange(0, d, 2) / d), 2, axis=1)
        other = np.stack((-x[:, 1::2], x[:, 0::2]), axis=-1).reshape(x.shape)
        return x * np.cos(phi) + other * np.sin(phi)

    def newest_scores(q_t, keys, train_len, base=10000.0):
        t, d = keys.shape
        both = turn(np.vstack([keys, q_t]), np.r_[0:t, t - 1], dynamic_ntk_base(base, t, train_len, d))
        return both[:t] @ both[t] / d**0.5


@right("rotated keys in a cache")
def builds_on_a_wrong_base():
    # the own dynamic_ntk_base lacks its exponent, which costs points there and not here
    def dynamic_ntk_base(base, seq_len, train_len, d, factor=1.0):
        return base * (factor * max(seq_len, train_len) / train_len - (factor - 1))

    def newest_scores(q_t, keys, train_len, base=10000.0):
        t, d = keys.shape
        theta = dynamic_ntk_base(base, t, train_len, d) ** (-np.arange(0, d, 2) / d)
        turns = np.exp(1j * np.outer(np.arange(t), theta))
        z = (keys[:, 0::2] + 1j * keys[:, 1::2]) * turns
        return np.real(z @ np.conj((q_t[0::2] + 1j * q_t[1::2]) * turns[-1])) / np.sqrt(d)


@wrong("rotated keys in a cache", loses=["newest-long"], says="step in which it arrived")
def old_rotations_kept():
    # transformers 25104
    def newest_scores(q_t, keys, train_len, base=10000.0):
        t, d = keys.shape
        scores = []
        z = lambda x, p, b: (x[0::2] + 1j * x[1::2]) * np.exp(1j * p * b ** (-np.arange(0, d, 2) / d))
        at = lambda n: base * max(1, n / train_len) ** (d / (d - 2))
        for j in range(t):
            scores.append(np.sum(z(keys[j], j, at(j + 1)) * z(q_t, t - 1, at(t)).conj()).real / np.sqrt(d))
        return np.array(scores)


@wrong("rotated keys in a cache", loses=["newest-long"], says="this is plain RoPE")
def plain_rope():
    def newest_scores(q_t, keys, train_len, base=10000.0):
        t, d = keys.shape
        turns = np.exp(1j * np.outer(np.arange(t), base ** (-np.arange(0, d, 2) / d)))
        z = (keys[:, 0::2] + 1j * keys[:, 1::2]) * turns
        return np.real(z @ np.conj((q_t[0::2] + 1j * q_t[1::2]) * turns[-1])) / np.sqrt(d)


@wrong("rotated keys in a cache", loses=["newest-long"], says="only the query is rotated with the new base")
def new_base_for_the_query_only():
    def newest_scores(q_t, keys, train_len, base=10000.0):
        t, d = keys.shape
        new = base * max(1, t / train_len) ** (d / (d - 2))
        z = (keys[:, 0::2] + 1j * keys[:, 1::2]) * np.exp(1j * np.outer(np.arange(t), base ** (-np.arange(0, d, 2) / d)))
        q = (q_t[0::2] + 1j * q_t[1::2]) * np.exp(1j * (t - 1) * new ** (-np.arange(0, d, 2) / d))
        return np.real(z @ np.conj(q)) / np.sqrt(d)


@wrong("rotated keys in a cache", loses=["newest-long"], says="exponent d/(d - 2)")
def exponent_left_out():
    def newest_scores(q_t, keys, train_len, base=10000.0):
        t, d = keys.shape
        turns = np.exp(1j * np.outer(np.arange(t), (base * max(1, t / train_len)) ** (-np.arange(0, d, 2) / d)))
        z = (keys[:, 0::2] + 1j * keys[:, 1::2]) * turns
        return np.real(z @ np.conj((q_t[0::2] + 1j * q_t[1::2]) * turns[-1])) / np.sqrt(d)


@wrong("rotated keys in a cache", loses=["newest-long"], says="base of t - 1")
def length_without_the_newest():
    def newest_scores(q_t, keys, train_len, base=10000.0):
        t, d = keys.shape
        b = base * max(1, (t - 1) / train_len) ** (d / (d - 2))
        turns = np.exp(1j * np.outer(np.arange(t), b ** (-np.arange(0, d, 2) / d)))
        z = (keys[:, 0::2] + 1j * keys[:, 1::2]) * turns
        return np.real(z @ np.conj((q_t[0::2] + 1j * q_t[1::2]) * turns[-1])) / np.sqrt(d)


@wrong("rotated keys in a cache", loses=["newest-short"], says="base falls for short texts")
def base_falls_in_short_texts():
    def newest_scores(q_t, keys, train_len, base=10000.0):
        t, d = keys.shape
        b = base * (t / train_len) ** (d / (d - 2))
        turns = np.exp(1j * np.outer(np.arange(t), b ** (-np.arange(0, d, 2) / d)))
        z = (keys[:, 0::2] + 1j * keys[:, 1::2]) * turns
        return np.real(z @ np.conj((q_t[0::2] + 1j * q_t[1::2]) * turns[-1])) / np.sqrt(d)


@wrong("rotated keys in a cache", loses=["newest-short", "newest-long"], says="not scaled")
def unscaled():
    def newest_scores(q_t, keys, train_len, base=10000.0):
        t, d = keys.shape
        b = base * max(1, t / train_len) ** (d / (d - 2))
        turns = np.exp(1j * np.outer(np.arange(t), b ** (-np.arange(0, d, 2) / d)))
        z = (keys[:, 0::2] + 1j * keys[:, 1::2]) * turns
        return np.real(z @ np.conj((q_t[0::2] + 1j * q_t[1::2]) * turns[-1]))


@wrong("rotated keys in a cache", loses=["newest-short", "newest-long"], says="gave")
def query_at_t():
    def newest_scores(q_t, keys, train_len, base=10000.0):
        t, d = keys.shape
        b = base * max(1, t / train_len) ** (d / (d - 2))
        theta = b ** (-np.arange(0, d, 2) / d)
        z = (keys[:, 0::2] + 1j * keys[:, 1::2]) * np.exp(1j * np.outer(np.arange(t), theta))
        return np.real(z @ np.conj((q_t[0::2] + 1j * q_t[1::2]) * np.exp(1j * t * theta))) / np.sqrt(d)


@wrong("rotated keys in a cache", loses=["newest-short", "newest-long"], says="query is not rotated")
def query_not_rotated():
    def newest_scores(q_t, keys, train_len, base=10000.0):
        t, d = keys.shape
        b = base * max(1, t / train_len) ** (d / (d - 2))
        z = (keys[:, 0::2] + 1j * keys[:, 1::2]) * np.exp(1j * np.outer(np.arange(t), b ** (-np.arange(0, d, 2) / d)))
        return np.real(z @ np.conj(q_t[0::2] + 1j * q_t[1::2])) / np.sqrt(d)


@wrong("rotated keys in a cache", loses=["newest-short", "newest-long"], says="half-split")
def half_split():
    def newest_scores(q_t, keys, train_len, base=10000.0):
        t, d = keys.shape
        h = d // 2
        b = base * max(1, t / train_len) ** (d / (d - 2))
        turns = np.exp(1j * np.outer(np.arange(t), b ** (-np.arange(0, d, 2) / d)))
        z = (keys[:, :h] + 1j * keys[:, h:]) * turns
        return np.real(z @ np.conj((q_t[:h] + 1j * q_t[h:]) * turns[-1])) / np.sqrt(d)


@wrong("rotated keys in a cache", loses=["newest-short"], says="after a longer one")
def base_never_reset():
    # transformers PR 27227
    state = {"scale": 1.0}

    def newest_scores(q_t, keys, train_len, base=10000.0):
        t, d = keys.shape
        if t > train_len:
            state["scale"] = t / train_len
        b = base * state["scale"] ** (d / (d - 2))
        turns = np.exp(1j * np.outer(np.arange(t), b ** (-np.arange(0, d, 2) / d)))
        z = (keys[:, 0::2] + 1j * keys[:, 1::2]) * turns
        return np.real(z @ np.conj((q_t[0::2] + 1j * q_t[1::2]) * turns[-1])) / np.sqrt(d)


@wrong("rotated keys in a cache", loses=["newest-short"], says="changed its argument in place")
def keys_rotated_in_place():
    def newest_scores(q_t, keys, train_len, base=10000.0):
        t, d = keys.shape
        b = base * max(1, t / train_len) ** (d / (d - 2))
        turns = np.exp(1j * np.outer(np.arange(t), b ** (-np.arange(0, d, 2) / d)))
        z = (keys[:, 0::2] + 1j * keys[:, 1::2]) * turns
        keys[:, 0::2], keys[:, 1::2] = z.real / np.sqrt(d), z.imag / np.sqrt(d)
        return np.real(z @ np.conj((q_t[0::2] + 1j * q_t[1::2]) * turns[-1])) / np.sqrt(d)


@wrong("rotated keys in a cache", loses=["newest-short", "newest-long"], says="has shape ()")
def one_score_only():
    def newest_scores(q_t, keys, train_len, base=10000.0):
        return float(q_t @ keys[-1]) / np.sqrt(len(q_t))
