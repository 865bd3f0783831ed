# ruff: noqa: F821, F841 - the bodies are what students type; they are run, not called
from bank import right, wrong

# ---------------------------------------------------------------- relative by hand


@right("relative by hand")
def three_decimals():
    q_0 = (1, 0)
    k_2 = (-0.416, 0.909)
    dot_0_2 = -0.416
    q_3 = [-0.990, 0.141]
    k_5 = [0.284, -0.959]
    dot_3_5 = -0.416


@right("relative by hand")
def computed_with_numpy():
    def turn(p):
        return np.array([np.cos(p), np.sin(p)])

    q_0, k_2, q_3, k_5 = turn(0), turn(2), turn(3), turn(5)
    dot_0_2 = q_0 @ k_2
    dot_3_5 = q_3 @ k_5


@right("relative by hand")
def fractions_and_decimals():
    from decimal import Decimal
    from fractions import Fraction

    q_0 = [Fraction(1), Fraction(0)]
    k_2 = [Fraction(-4161, 10000), Fraction(9093, 10000)]
    dot_0_2 = Fraction(-4161, 10000)
    q_3 = (Decimal("-0.9900"), Decimal("0.1411"))
    k_5 = (Decimal("0.2837"), Decimal("-0.9589"))
    dot_3_5 = Decimal("-0.4162")


@right("relative by hand")
def float32_and_zero_dimensional():
    q_0 = np.array([1, 0], dtype=np.float32)
    k_2 = np.float32([-0.4161, 0.9093])
    dot_0_2 = np.array(-0.4161, dtype=np.float32)
    q_3 = [np.float32(-0.99), np.float32(0.1411)]
    k_5 = np.array([0.2837, -0.9589])
    dot_3_5 = np.float64(-0.4161)


@right("relative by hand")
def with_math_and_prints():
    import math

    R = lambda a: [[math.cos(a), -math.sin(a)], [math.sin(a), math.cos(a)]]
    rotate = lambda a, v: tuple(sum(r * x for r, x in zip(row, v)) for row in R(a))
    q = k = (1, 0)
    q_0, k_2 = rotate(0, q), rotate(2, k)
    q_3, k_5 = rotate(3, q), rotate(5, k)
    dot_0_2 = sum(a * b for a, b in zip(q_0, k_2))
    dot_3_5 = math.fsum([q_3[0] * k_5[0], q_3[1] * k_5[1]])
    print(q_0, k_2, dot_0_2, q_3, k_5, dot_3_5)


@right("relative by hand")
def texts_that_are_numbers():
    q_0 = ["1", "0"]
    k_2 = ["-0.4161", "0.9093"]
    dot_0_2 = "-0.4161"
    q_3 = ["-0.9900", "0.1411"]
    k_5 = ["0.2837", "-0.9589"]
    dot_3_5 = "-0.4162"


@wrong("relative by hand", loses=["hand-0-2", "hand-3-5", "hand-dots"], says="degrees")
def degrees():
    q_0 = (1, 0)
    k_2 = (0.9994, 0.0349)
    dot_0_2 = 0.9994
    q_3 = (0.9986, 0.0523)
    k_5 = (0.9962, 0.0872)
    dot_3_5 = 0.9994


@wrong("relative by hand", loses=["hand-0-2", "hand-3-5"], says="other way round")
def clockwise():
    q_0 = (1, 0)
    k_2 = (-0.4161, -0.9093)
    dot_0_2 = -0.4161
    q_3 = (-0.9900, -0.1411)
    k_5 = (0.2837, 0.9589)
    dot_3_5 = -0.4161


@wrong("relative by hand", loses=["hand-0-2", "hand-3-5"], says="swapped")
def sine_first():
    q_0 = (0, 1)
    k_2 = (0.9093, -0.4161)
    dot_0_2 = -0.4161
    q_3 = (0.1411, -0.9900)
    k_5 = (-0.9589, 0.2837)
    dot_3_5 = -0.4161


@wrong("relative by hand", loses=["hand-dots"], says="sign is lost")
def sign_lost():
    q_0, k_2, dot_0_2 = (1, 0), (-0.4161, 0.9093), 0.4161
    q_3, k_5, dot_3_5 = (-0.9900, 0.1411), (0.2837, -0.9589), 0.4161


@wrong("relative by hand", loses=["hand-dots"], says="same offset should give the same score")
def products_subtracted():
    q_0, k_2, dot_0_2 = (1, 0), (-0.4161, 0.9093), -0.4161
    q_3, k_5, dot_3_5 = (-0.9900, 0.1411), (0.2837, -0.9589), -0.9900 * 0.2837 - 0.1411 * -0.9589


@wrong("relative by hand", loses=["hand-3-5", "hand-dots"], says="not rotated yet")
def only_the_key_turns():
    q_0, k_2, dot_0_2 = (1, 0), (-0.4161, 0.9093), -0.4161
    q_3, k_5, dot_3_5 = (1, 0), (0.2837, -0.9589), 0.2837


@wrong("relative by hand", loses=["hand-3-5"], says="turns by its own position")
def offset_instead_of_position():
    q_0, k_2, dot_0_2 = (1, 0), (-0.4161, 0.9093), -0.4161
    q_3, k_5, dot_3_5 = (1, 0), (-0.4161, 0.9093), -0.4161
    q_3 = (-0.9900, 0.1411)


@wrong("relative by hand", loses=["hand-0-2", "hand-3-5"], says="position 1")
def positions_from_one():
    q_0, k_2, dot_0_2 = (0.5403, 0.8415), (-0.9900, 0.1411), -0.4161
    q_3, k_5, dot_3_5 = (-0.6536, -0.7568), (0.9602, -0.2794), -0.4161


@wrong("relative by hand", loses=["hand-dots"], says="still empty")
def dots_left_out():
    q_0, k_2, dot_0_2 = (1, 0), (-0.4161, 0.9093), ...
    q_3, k_5, dot_3_5 = (-0.9900, 0.1411), (0.2837, -0.9589), ...


@wrong("relative by hand", loses=["hand-dots"], says="should hold one number")
def products_not_added():
    q_0, k_2, dot_0_2 = (1, 0), (-0.4161, 0.9093), (-0.4161, 0)
    q_3, k_5, dot_3_5 = (-0.9900, 0.1411), (0.2837, -0.9589), (-0.2809, -0.1353)


@wrong("relative by hand", loses=["hand-0-2"], says="not rotated yet")
def key_not_rotated():
    q_0, k_2, dot_0_2 = (1, 0), (1, 0), -0.4161
    q_3, k_5, dot_3_5 = (-0.9900, 0.1411), (0.2837, -0.9589), -0.4161


@wrong("relative by hand", loses=["hand-0-2", "hand-3-5"], says="length 1")
def one_decimal():
    q_0, k_2, dot_0_2 = (1, 0), (-0.4, 0.9), -0.416
    q_3, k_5, dot_3_5 = (-1.0, 0.1), (0.3, -1.0), -0.416


@wrong("relative by hand", loses=["hand-3-5"], says="not defined")
def name_misspelt():
    q_0, k_2, dot_0_2 = (1, 0), (-0.4161, 0.9093), -0.4161
    q3, k5, dot_3_5 = (-0.9900, 0.1411), (0.2837, -0.9589), -0.4161


# ---------------------------------------------------------------- rotate one vector


@right("rotate one vector")
def slices():
    def rope(x, position, base=10000.0):
        x = np.array(x, dtype=float)
        d = x.shape[-1]
        if d % 2 == 1:
            raise ValueError(f"odd d: {d}")
        theta = base ** (-np.arange(0, d, 2) / d)
        c, s = np.cos(position * theta), np.sin(position * theta)
        out = np.zeros_like(x)
        out[..., ::2] = x[..., ::2] * c - x[..., 1::2] * s
        out[..., 1::2] = x[..., ::2] * s + x[..., 1::2] * c
        return out


@right("rotate one vector")
def complex_numbers():
    def rope(x, position, base=10000.0):
        x = np.asarray(x)
        *lead, d = x.shape
        if d % 2:
            raise ValueError("the number of dimensions is odd: " + str(d))
        if x.dtype != np.float32:
            x = x.astype(np.float64)
        z = np.ascontiguousarray(x).view(np.complex64 if x.dtype == np.float32 else np.complex128)
        angles = position / base ** (2 * np.arange(d // 2) / d)
        return (z * np.exp(1j * angles).astype(z.dtype)).view(x.dtype).reshape(*lead, d)


@right("rotate one vector")
def plain_loops_over_lists():
    import math

    def rope(x, position, base=10000.0):
        if isinstance(x, np.ndarray):
            x = x.tolist()
        if isinstance(x[0], (list, tuple)):
            return [rope(row, position, base) for row in x]
        d = len(x)
        if d % 2 != 0:
            raise ValueError("cannot form pairs of %d dimensions" % d)
        result = []
        for i in range(d // 2):
            phi = position * math.pow(base, -2 * i / d)
            a, b = x[2 * i], x[2 * i + 1]
            result += [a * math.cos(phi) - b * math.sin(phi), a * math.sin(phi) + b * math.cos(phi)]
        return result


@right("rotate one vector")
def block_diagonal_matrix():
    def rotation(d, position, base):
        R = np.zeros((d, d))
        for i in range(d // 2):
            phi = position * np.exp(-2 * i / d * np.log(base))
            R[2 * i : 2 * i + 2, 2 * i : 2 * i + 2] = [[np.cos(phi), -np.sin(phi)], [np.sin(phi), np.cos(phi)]]
        return R

    def rope(x, position, base=10000.0):
        """x @ R transposed"""
        x = np.asarray(x, dtype=np.float64)
        d = x.shape[-1]
        if d & 1:
            raise ValueError(d)
        return np.einsum("ij,...j->...i", rotation(d, position, base), x)


@right("rotate one vector")
def rotate_every_two_with_warnings():
    import warnings

    def rotate_every_two(x):
        return np.stack((-x[..., 1::2], x[..., ::2]), axis=-1).reshape(x.shape)

    def rope(x, position, base=10000.0):
        warnings.warn("not the fastest way")
        x = np.asarray(x) * 1.0
        d = np.shape(x)[-1]
        if d // 2 * 2 != d:
            raise ValueError(f"d = {d} is odd")
        phi = np.repeat(position * np.power(float(base), -np.arange(0, d, 2) / d), 2)
        print("angles", phi[:4])
        return x * np.cos(phi) + rotate_every_two(x) * np.sin(phi)


@right("rotate one vector")
def pairs_as_an_axis():
    def rope(v, pos, base=10_000):
        v = np.asarray(v)
        n_dims = v.shape[-1]
        if n_dims % 2:
            raise ValueError(f"need an even number of dimensions, not {n_dims}")
        pairs = v.reshape(*v.shape[:-1], n_dims // 2, 2)
        angle = pos * (1.0 / base) ** (np.linspace(0, 1, n_dims // 2, endpoint=False))
        matrices = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
        turned = np.einsum("abp,...pb->...pa", matrices, pairs)
        return turned.reshape(v.shape)


@wrong("rotate one vector", loses=["rope-numbers"], says="half-split")
def half_split_pairs():
    def rope(x, position, base=10000.0):
        x = np.asarray(x, dtype=float)
        d = x.shape[-1]
        if d % 2:
            raise ValueError(f"odd d {d}")
        phi = position * base ** (-np.arange(0, d, 2) / d)
        a, b = x[..., : d // 2], x[..., d // 2 :]
        return np.concatenate([a * np.cos(phi) - b * np.sin(phi), a * np.sin(phi) + b * np.cos(phi)], axis=-1)


@wrong("rotate one vector", loses=["rope-numbers", "rope-rotation"], says="concatenated")
def halves_concatenated():
    # vllm-metal PR 44: the right numbers in the wrong places
    def rope(x, position, base=10000.0):
        x = np.asarray(x, dtype=float)
        d = x.shape[-1]
        if d % 2:
            raise ValueError(f"odd d {d}")
        phi = position * base ** (-np.arange(0, d, 2) / d)
        a, b = x[..., 0::2], x[..., 1::2]
        return np.concatenate([a * np.cos(phi) - b * np.sin(phi), a * np.sin(phi) + b * np.cos(phi)], axis=-1)


@wrong("rotate one vector", loses=["rope-numbers", "rope-rotation"], says="interleaved angles meet the half-split rotation")
def layouts_mixed():
    # baidu/ERNIE-Image 6
    def rope(x, position, base=10000.0):
        x = np.asarray(x, dtype=float)
        d = x.shape[-1]
        if d % 2:
            raise ValueError(f"odd d {d}")
        phi = np.repeat(position * base ** (-np.arange(0, d, 2) / d), 2)
        return x * np.cos(phi) + np.concatenate([-x[..., d // 2 :], x[..., : d // 2]], axis=-1) * np.sin(phi)


@wrong("rotate one vector", loses=["rope-numbers"], says="exponent doubled")
def exponent_doubled():
    def rope(x, position, base=10000.0):
        x = np.asarray(x, dtype=float)
        d = x.shape[-1]
        if d % 2:
            raise ValueError(f"odd d {d}")
        phi = position * base ** (-2 * np.arange(0, d, 2) / d)
        out = np.empty_like(x)
        out[..., 0::2] = x[..., 0::2] * np.cos(phi) - x[..., 1::2] * np.sin(phi)
        out[..., 1::2] = x[..., 0::2] * np.sin(phi) + x[..., 1::2] * np.cos(phi)
        return out


@wrong("rotate one vector", loses=["rope-numbers"], says="exponent is halved")
def exponent_halved():
    def rope(x, position, base=10000.0):
        x = np.asarray(x, dtype=float)
        d = x.shape[-1]
        if d % 2:
            raise ValueError(f"odd d {d}")
        phi = position * base ** (-np.arange(d // 2) / d)
        out = np.empty_like(x)
        out[..., 0::2] = x[..., 0::2] * np.cos(phi) - x[..., 1::2] * np.sin(phi)
        out[..., 1::2] = x[..., 0::2] * np.sin(phi) + x[..., 1::2] * np.cos(phi)
        return out


@wrong("rotate one vector", loses=["rope-numbers"], says="other way round")
def clockwise_rotation():
    def rope(x, position, base=10000.0):
        x = np.asarray(x, dtype=float)
        d = x.shape[-1]
        if d % 2:
            raise ValueError(f"odd d {d}")
        phi = position * base ** (-np.arange(0, d, 2) / d)
        out = np.empty_like(x)
        out[..., 0::2] = x[..., 0::2] * np.cos(phi) + x[..., 1::2] * np.sin(phi)
        out[..., 1::2] = -x[..., 0::2] * np.sin(phi) + x[..., 1::2] * np.cos(phi)
        return out


@wrong("rotate one vector", loses=["rope-numbers"], says="degrees")
def angles_in_degrees():
    def rope(x, position, base=10000.0):
        x = np.asarray(x, dtype=float)
        d = x.shape[-1]
        if d % 2:
            raise ValueError(f"odd d {d}")
        phi = np.deg2rad(position * base ** (-np.arange(0, d, 2) / d))
        out = np.empty_like(x)
        out[..., 0::2] = x[..., 0::2] * np.cos(phi) - x[..., 1::2] * np.sin(phi)
        out[..., 1::2] = x[..., 0::2] * np.sin(phi) + x[..., 1::2] * np.cos(phi)
        return out


@wrong("rotate one vector", loses=["rope-numbers"], says="base is ignored")
def base_ignored():
    def rope(x, position, base=10000.0):
        x = np.asarray(x, dtype=float)
        d = x.shape[-1]
        if d % 2:
            raise ValueError(f"odd d {d}")
        phi = position * 10000.0 ** (-np.arange(0, d, 2) / d)
        out = np.empty_like(x)
        out[..., 0::2] = x[..., 0::2] * np.cos(phi) - x[..., 1::2] * np.sin(phi)
        out[..., 1::2] = x[..., 0::2] * np.sin(phi) + x[..., 1::2] * np.cos(phi)
        return out


@wrong("rotate one vector", loses=["rope-numbers"], says="double precision")
def single_precision_angles():
    # transformers PR 29285
    def rope(x, position, base=10000.0):
        x = np.asarray(x, dtype=float)
        d = x.shape[-1]
        if d % 2:
            raise ValueError(f"odd d {d}")
        phi = np.float32(position) * (1 / base ** (np.arange(0, d, 2) / d)).astype(np.float32)
        c, s = np.cos(phi.astype(float)), np.sin(phi.astype(float))
        out = np.empty_like(x)
        out[..., 0::2] = x[..., 0::2] * c - x[..., 1::2] * s
        out[..., 1::2] = x[..., 0::2] * s + x[..., 1::2] * c
        return out


@wrong("rotate one vector", loses=["rope-numbers"], says="d - 2")
def last_frequency_is_one_over_base():
    # the exponents run from 0 to 1, both included
    def rope(x, position, base=10000.0):
        x = np.asarray(x, dtype=float)
        d = x.shape[-1]
        if d % 2:
            raise ValueError(f"odd d {d}")
        phi = position * base ** -np.linspace(0, 1, d // 2)
        out = np.empty_like(x)
        out[..., 0::2] = x[..., 0::2] * np.cos(phi) - x[..., 1::2] * np.sin(phi)
        out[..., 1::2] = x[..., 0::2] * np.sin(phi) + x[..., 1::2] * np.cos(phi)
        return out


@wrong("rotate one vector", loses=["rope-numbers"], says="gave")
def frequencies_off_by_one():
    # cs336 4: θ_0 should be 1
    def rope(x, position, base=10000.0):
        x = np.asarray(x, dtype=float)
        d = x.shape[-1]
        if d % 2:
            raise ValueError(f"odd d {d}")
        phi = position * base ** (-np.arange(2, d + 1, 2) / d)
        out = np.empty_like(x)
        out[..., 0::2] = x[..., 0::2] * np.cos(phi) - x[..., 1::2] * np.sin(phi)
        out[..., 1::2] = x[..., 0::2] * np.sin(phi) + x[..., 1::2] * np.cos(phi)
        return out


@wrong("rotate one vector", loses=["rope-numbers", "rope-rotation"], says="Compare each pair with the rotation by hand")
def a_sign_missing():
    def rope(x, position, base=10000.0):
        x = np.asarray(x, dtype=float)
        d = x.shape[-1]
        if d % 2:
            raise ValueError(f"odd d {d}")
        phi = position * base ** (-np.arange(0, d, 2) / d)
        out = np.empty_like(x)
        out[..., 0::2] = x[..., 0::2] * np.cos(phi) + x[..., 1::2] * np.sin(phi)
        out[..., 1::2] = x[..., 0::2] * np.sin(phi) + x[..., 1::2] * np.cos(phi)
        return out


@wrong("rotate one vector", loses=["rope-inputs"], says="cut to whole numbers")
def integers_truncated():
    # np.empty_like keeps the type of whole numbers
    def rope(x, position, base=10000.0):
        x = np.asarray(x)
        d = x.shape[-1]
        if d % 2:
            raise ValueError(f"odd d {d}")
        phi = position * base ** (-np.arange(0, d, 2) / d)
        out = np.empty_like(x)
        out[..., 0::2] = x[..., 0::2] * np.cos(phi) - x[..., 1::2] * np.sin(phi)
        out[..., 1::2] = x[..., 0::2] * np.sin(phi) + x[..., 1::2] * np.cos(phi)
        return out


@wrong("rotate one vector", loses=["rope-inputs"], says="raised AttributeError")
def lists_refused():
    def rope(x, position, base=10000.0):
        d = x.shape[-1]
        if d % 2:
            raise ValueError(f"odd d {d}")
        phi = position * base ** (-np.arange(0, d, 2) / d)
        out = np.empty(x.shape)
        out[..., 0::2] = x[..., 0::2] * np.cos(phi) - x[..., 1::2] * np.sin(phi)
        out[..., 1::2] = x[..., 0::2] * np.sin(phi) + x[..., 1::2] * np.cos(phi)
        return out


@wrong("rotate one vector", loses=["rope-inputs"], says="changed its argument in place")
def written_into_the_argument():
    def rope(x, position, base=10000.0):
        x = np.asarray(x)
        d = x.shape[-1]
        if d % 2:
            raise ValueError(f"odd d {d}")
        if x.dtype.kind != "f":
            x = x.astype(float)
        phi = position * base ** (-np.arange(0, d, 2) / d)
        first, second = x[..., 0::2].copy(), x[..., 1::2].copy()
        x[..., 0::2] = first * np.cos(phi) - second * np.sin(phi)
        x[..., 1::2] = first * np.sin(phi) + second * np.cos(phi)
        return x


@wrong("rotate one vector", loses=["rope-inputs"], says="rope(array of shape")
def one_vector_only():
    def rope(x, position, base=10000.0):
        x = np.asarray(x, dtype=float)
        d = x.shape[-1]
        if d % 2:
            raise ValueError(f"odd d {d}")
        phi = position * base ** (-np.arange(0, d, 2) / d)
        out = np.empty_like(x)
        out[0::2] = x[0::2] * np.cos(phi) - x[1::2] * np.sin(phi)
        out[1::2] = x[0::2] * np.sin(phi) + x[1::2] * np.cos(phi)
        return out


@wrong("rotate one vector", loses=["rope-errors"], says="should raise ValueError, but it returned a result")
def odd_d_accepted():
    def rope(x, position, base=10000.0):
        x = np.asarray(x, dtype=float)
        d = x.shape[-1]
        out = x.copy()
        for i in range(d // 2):
            phi = position * base ** (-2 * i / d)
            out[..., 2 * i] = x[..., 2 * i] * np.cos(phi) - x[..., 2 * i + 1] * np.sin(phi)
            out[..., 2 * i + 1] = x[..., 2 * i] * np.sin(phi) + x[..., 2 * i + 1] * np.cos(phi)
        return out


@wrong("rotate one vector", loses=["rope-errors"], says="does not contain 5")
def error_without_the_number():
    def rope(x, position, base=10000.0):
        x = np.asarray(x, dtype=float)
        d = x.shape[-1]
        if d % 2:
            raise ValueError("d must be even")
        z = (x[..., 0::2] + 1j * x[..., 1::2]) * np.exp(1j * position * base ** (-np.arange(0, d, 2) / d))
        return np.stack([z.real, z.imag], axis=-1).reshape(x.shape)


@wrong("rotate one vector", loses=["rope-errors"], says="AssertionError")
def assertion_for_odd_d():
    def rope(x, position, base=10000.0):
        x = np.asarray(x, dtype=float)
        d = x.shape[-1]
        assert d % 2 == 0, f"d is odd: {d}"
        z = (x[..., 0::2] + 1j * x[..., 1::2]) * np.exp(1j * position * base ** (-np.arange(0, d, 2) / d))
        return np.stack([z.real, z.imag], axis=-1).reshape(x.shape)


@wrong("rotate one vector", loses=["rope-numbers", "rope-rotation", "rope-inputs", "rope-errors"], says="raised ValueError")
def every_d_refused():
    # d / 2 is a float, also for an even d
    def rope(x, position, base=10000.0):
        x = np.asarray(x, dtype=float)
        d = x.shape[-1]
        if not isinstance(d / 2, int):
            raise ValueError(f"odd d {d}")
        z = (x[..., 0::2] + 1j * x[..., 1::2]) * np.exp(1j * position * base ** (-np.arange(0, d, 2) / d))
        return np.stack([z.real, z.imag], axis=-1).reshape(x.shape)


@wrong("rotate one vector", loses=["rope-numbers", "rope-rotation", "rope-inputs", "rope-errors"], says="returned None")
def no_return():
    def rope(x, position, base=10000.0):
        x = np.asarray(x, dtype=float)
        d = x.shape[-1]
        z = x[..., :d // 2 * 2:2] + 1j * x[..., 1::2]
        print(z * np.exp(1j * position))


@wrong("rotate one vector", loses=["rope-numbers", "rope-rotation", "rope-inputs", "rope-errors"], says="should hold real numbers")
def complex_result():
    def rope(x, position, base=10000.0):
        x = np.asarray(x, dtype=float)
        d = x.shape[-1]
        if d % 2:
            raise ValueError(f"odd d {d}")
        return (x[..., 0::2] + 1j * x[..., 1::2]) * np.exp(1j * position * base ** (-np.arange(0, d, 2) / d))


@wrong("rotate one vector", loses=["rope-numbers", "rope-rotation", "rope-inputs", "rope-errors"], says="has shape (4,)")
def visible_example_only():
    def rope(x, position, base=10000.0):
        return np.array([np.cos(1), np.sin(1), np.cos(0.01), np.sin(0.01)])


@wrong("rotate one vector", loses=["rope-numbers", "rope-rotation", "rope-inputs"], says="gave")
def unrotated():
    def rope(x, position, base=10000.0):
        if np.shape(x)[-1] % 2:
            raise ValueError(f"odd d {np.shape(x)[-1]}")
        return np.array(x, dtype=float)


@wrong("rotate one vector", loses=["rope-numbers", "rope-rotation", "rope-inputs"], says="gave")
def all_zeros():
    def rope(x, position, base=10000.0):
        if np.shape(x)[-1] % 2:
            raise ValueError(f"odd d {np.shape(x)[-1]}")
        return np.zeros(np.shape(x))


@wrong("rotate one vector", loses=["rope-numbers", "rope-rotation", "rope-inputs", "rope-errors"], says="gave")
def ones_of_the_shape():
    def rope(x, position, base=10000.0):
        return np.ones(np.shape(x))


@wrong("rotate one vector", loses=["rope-numbers", "rope-rotation", "rope-inputs", "rope-errors"], says="gave")
def minus_the_input():
    def rope(x, position, base=10000.0):
        return -np.asarray(x)


@wrong("rotate one vector", loses=["rope-numbers", "rope-rotation", "rope-inputs", "rope-errors"], says="gave")
def twice_the_input():
    def rope(x, position, base=10000.0):
        return 2.0 * np.asarray(x)


@wrong("rotate one vector", loses=["rope-inputs"], says="has shape (2, 3, 6)")
def axes_of_length_one_dropped():
    def rope(x, position, base=10000.0):
        x = np.squeeze(np.asarray(x, dtype=float))
        d = x.shape[-1]
        if d % 2:
            raise ValueError(f"odd d {d}")
        z = (x[..., 0::2] + 1j * x[..., 1::2]) * np.exp(1j * position * base ** (-np.arange(0, d, 2) / d))
        return np.stack([z.real, z.imag], axis=-1).reshape(x.shape)


# ---------------------------------------------------------------- prove it is relative


@right("prove it is relative")
def small_offsets_and_large_ones():
    def rope(x, position):
        x = np.asarray(x, dtype=float)
        z = (x[0::2] + 1j * x[1::2]) * np.exp(1j * position * 10000.0 ** (-np.arange(0, len(x), 2) / len(x)))
        return np.stack([z.real, z.imag], axis=-1).reshape(x.shape)

    def score(q, k, p_q, p_k):
        return rope(q, p_q) @ rope(k, p_k)

    def is_relative(score, d, rng):
        for offset in list(range(0, 16)) + [100, 500]:
            q, k = rng.normal(size=(2, d))
            values = [score(q, k, p, p + offset) for p in (0, 3, 77)]
            if not np.allclose(values, values[0]):
                return False
        return True


@right("prove it is relative")
def brute_force_on_a_grid():
    def rotate(x, angle):
        c, s = np.cos(angle), np.sin(angle)
        return np.ravel(np.column_stack([x[0::2] * c - x[1::2] * s, x[0::2] * s + x[1::2] * c]))

    def score(q, k, p_q, p_k):
        q, k = np.asarray(q), np.asarray(k)
        theta = 1 / 10000.0 ** (np.arange(0, q.size, 2) / q.size)
        return np.inner(rotate(q, p_q * theta), rotate(k, p_k * theta))

    def is_relative(score, d, rng):
        q, k = rng.standard_normal(d), rng.standard_normal(d)
        table = {}
        ok = True
        for p_q in range(0, 9):
            for p_k in range(0, 9):
                s = float(score(q, k, p_q, p_k))
                first = table.setdefault(p_k - p_q, s)
                ok &= abs(s - first) < 1e-6
        return np.bool_(ok)


@right("prove it is relative")
def many_random_trials_of_every_size():
    def score(q, k, p_q, p_k):
        total = 0.0
        d = len(q)
        for i in range(0, d, 2):
            a = (p_k - p_q) * 10000 ** (-i / d)
            # the rotation by the offset alone, which is the same number
            total += (q[i] * k[i] + q[i + 1] * k[i + 1]) * np.cos(a) + (q[i + 1] * k[i] - q[i] * k[i + 1]) * np.sin(a)
        return total

    def is_relative(score, d, rng):
        for largest in (1, 2, 3, 5, 8, 300):
            for _ in range(12):
                q = rng.uniform(-1, 1, size=d).tolist()
                k = rng.uniform(-1, 1, size=d).tolist()
                offset = int(rng.integers(0, largest + 1))
                p, r = rng.integers(0, 1001 - offset, size=2)
                if abs(score(q, k, p, p + offset) - score(q, k, r, r + offset)) > 1e-5:
                    return False
        return True


@right("prove it is relative")
def prints_and_whole_floats():
    def score(query, key, p_q, p_k):
        d = len(query)
        theta = 10000.0 ** (-2 * np.arange(d // 2) / d)
        a = np.asarray(query)[::2] + 1j * np.asarray(query)[1::2]
        b = np.asarray(key)[::2] + 1j * np.asarray(key)[1::2]
        return np.array(np.real(np.vdot(a * np.exp(1j * p_q * theta), b * np.exp(1j * p_k * theta))))

    def is_relative(f, d, rng):
        worst = 0.0
        q, k = rng.normal(size=d), rng.normal(size=d)
        for offset in (0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 30.0):
            worst = max(worst, abs(f(q, k, 0.0, offset) - f(q, k, 900.0, 900.0 + offset)))
            worst = max(worst, abs(f(q, k, offset, 0.0) - f(q, k, 901.0 + offset, 901.0)))
        print("largest difference", worst)
        return worst < 1e-4


@right("prove it is relative")
def builds_on_a_wrong_rope():
    # half-split: a mistake in rope, and none in what is asked here
    def rope(x, position, base=10000.0):
        x = np.asarray(x, dtype=float)
        h = x.shape[-1] // 2
        phi = position * base ** (-np.arange(h) / h)
        a, b = x[..., :h], x[..., h:]
        return np.concatenate([a * np.cos(phi) - b * np.sin(phi), a * np.sin(phi) + b * np.cos(phi)], axis=-1)

    def score(q, k, p_q, p_k):
        return float(np.sum(rope(q, p_q) * rope(k, p_k)))

    def is_relative(score, d, rng):
        shifts = rng.integers(1, 400, size=2)
        pairs = [(0, b) for b in range(8)] + [(0, 500), (500, 0)]
        vectors = rng.normal(size=(2, 2, d)).astype(np.float32)
        return all(
            np.isclose(score(q, k, a, b), score(q, k, a + s, b + s), rtol=1e-4, atol=1e-4)
            for q, k in vectors for a, b in pairs for s in shifts.tolist()
        )


@right("prove it is relative")
def one_step_at_a_time():
    def score(q, k, p_q, p_k):
        d = len(q)
        M = np.zeros((d, d))
        for i in range(0, d, 2):
            a = (p_k - p_q) / 10000 ** (i / d)
            M[i : i + 2, i : i + 2] = [[np.cos(a), -np.sin(a)], [np.sin(a), np.cos(a)]]
        return np.array(q) @ M @ np.array(k)

    def is_relative(score, d, rng):
        q, k = rng.normal(size=d) * 10, rng.normal(size=d) * 10
        p = 0
        while p < 8:
            for r in range(8):
                if abs(score(q, k, p, r) - score(q, k, p + 1, r + 1)) > 1e-3:
                    return False
            p += 1
        return True


@wrong("prove it is relative", loses=["relative-accepts", "relative-rejects", "relative-offsets"], says="grows with p_q")
def always_true():
    def score(q, k, p_q, p_k):
        z = lambda x, p: (np.asarray(x)[0::2] + 1j * np.asarray(x)[1::2]) * np.exp(1j * p * 10000.0 ** (-np.arange(0, len(x), 2) / len(x)))
        return np.vdot(z(q, p_q), z(k, p_k)).real

    def is_relative(score, d, rng):
        return True


@wrong("prove it is relative", loses=["relative-accepts", "relative-rejects", "relative-offsets"], says="ignores the positions")
def always_false():
    def score(q, k, p_q, p_k):
        z = lambda x, p: (np.asarray(x)[0::2] + 1j * np.asarray(x)[1::2]) * np.exp(1j * p * 10000.0 ** (-np.arange(0, len(x), 2) / len(x)))
        return np.vdot(z(q, p_q), z(k, p_k)).real

    def is_relative(score, d, rng):
        return False


@wrong("prove it is relative", loses=["score-numbers", "relative-accepts", "relative-rejects", "relative-offsets"], says="score")
def zeros_with_a_rope_of_zeros():
    def rope(x, position, base=10000.0):
        return np.zeros(np.shape(x))

    def score(q, k, p_q, p_k):
        return float(np.dot(q, k)) if p_q == p_k == 0 else 0.0

    def is_relative(score, d, rng):
        return True


@wrong("prove it is relative", loses=["relative-offsets"], says="larger offsets")
def one_offset_only():
    def score(q, k, p_q, p_k):
        z = lambda x, p: (np.asarray(x)[0::2] + 1j * np.asarray(x)[1::2]) * np.exp(1j * p * 10000.0 ** (-np.arange(0, len(x), 2) / len(x)))
        return np.vdot(z(q, p_q), z(k, p_k)).real

    def is_relative(score, d, rng):
        q, k = rng.normal(size=d), rng.normal(size=d)
        s_a, s_b, s_c = score(q, k, 0, 4), score(q, k, 3, 7), score(q, k, 10, 14)
        return bool(np.isclose(s_a, s_b) and np.isclose(s_a, s_c))


@wrong("prove it is relative", loses=["relative-offsets"], says="small offsets")
def only_large_random_offsets():
    def score(q, k, p_q, p_k):
        z = lambda x, p: (np.asarray(x)[0::2] + 1j * np.asarray(x)[1::2]) * np.exp(1j * p * 10000.0 ** (-np.arange(0, len(x), 2) / len(x)))
        return np.vdot(z(q, p_q), z(k, p_k)).real

    def is_relative(score, d, rng):
        q, k = rng.normal(size=d), rng.normal(size=d)
        for _ in range(20):
            p, offset = int(rng.integers(0, 400)), int(rng.integers(5, 400))
            if abs(score(q, k, p, p + offset) - score(q, k, p + 200, p + 200 + offset)) > 1e-6:
                return False
        return True


@wrong("prove it is relative", loses=["relative-accepts"], says="compare with a tolerance")
def exact_comparison():
    def score(q, k, p_q, p_k):
        z = lambda x, p: (np.asarray(x)[0::2] + 1j * np.asarray(x)[1::2]) * np.exp(1j * p * 10000.0 ** (-np.arange(0, len(x), 2) / len(x)))
        return np.vdot(z(q, p_q), z(k, p_k)).real

    def is_relative(score, d, rng):
        q, k = np.round(rng.normal(size=(2, d)) * 8)  # small whole numbers: their dot products are exact
        return all(score(q, k, 0, o) == score(q, k, s, s + o) for o in range(10) for s in (1, 5, 50))


@wrong("prove it is relative", loses=["relative-accepts"], says="ignores the positions")
def wants_different_offsets_to_differ():
    def score(q, k, p_q, p_k):
        z = lambda x, p: (np.asarray(x)[0::2] + 1j * np.asarray(x)[1::2]) * np.exp(1j * p * 10000.0 ** (-np.arange(0, len(x), 2) / len(x)))
        return np.vdot(z(q, p_q), z(k, p_k)).real

    def is_relative(score, d, rng):
        q, k = rng.normal(size=d), rng.normal(size=d)
        for offset in range(10):
            values = [score(q, k, p, p + offset) for p in (0, 1, 9, 200)]
            if not np.allclose(values, values[0]):
                return False
        return not np.isclose(score(q, k, 0, 4), score(q, k, 0, 5))


@wrong("prove it is relative", loses=["relative-accepts"], says="+5 and -5")
def wants_a_symmetric_score():
    def score(q, k, p_q, p_k):
        z = lambda x, p: (np.asarray(x)[0::2] + 1j * np.asarray(x)[1::2]) * np.exp(1j * p * 10000.0 ** (-np.arange(0, len(x), 2) / len(x)))
        return np.vdot(z(q, p_q), z(k, p_k)).real

    def is_relative(score, d, rng):
        q, k = rng.normal(size=d), rng.normal(size=d)
        return bool(np.allclose([score(q, k, p, p + o) for p in (0, 9, 70) for o in range(9)], [score(q, k, p + o, p) for p in (0, 5, 40) for o in range(9)]))


@wrong("prove it is relative", loses=["relative-accepts", "relative-rejects", "relative-offsets"], says="grows with p_q")
def one_place_only():
    def score(q, k, p_q, p_k):
        z = lambda x, p: (np.asarray(x)[0::2] + 1j * np.asarray(x)[1::2]) * np.exp(1j * p * 10000.0 ** (-np.arange(0, len(x), 2) / len(x)))
        return np.vdot(z(q, p_q), z(k, p_k)).real

    def is_relative(score, d, rng):
        q, k = rng.normal(size=d), rng.normal(size=d)
        return all(bool(np.isclose(score(q, k, 0, o), score(q, k, 0, o))) for o in range(20))


@wrong("prove it is relative", loses=["relative-accepts", "relative-rejects", "relative-offsets"], says="should be True or False")
def returns_the_difference():
    def score(q, k, p_q, p_k):
        z = lambda x, p: (np.asarray(x)[0::2] + 1j * np.asarray(x)[1::2]) * np.exp(1j * p * 10000.0 ** (-np.arange(0, len(x), 2) / len(x)))
        return np.vdot(z(q, p_q), z(k, p_k)).real

    def is_relative(score, d, rng):
        q, k = rng.normal(size=d), rng.normal(size=d)
        return max(abs(score(q, k, 0, o) - score(q, k, 50, 50 + o)) for o in range(20))


@wrong("prove it is relative", loses=["relative-accepts", "relative-rejects", "relative-offsets"], says="returned None")
def asserts_instead_of_returning():
    def score(q, k, p_q, p_k):
        z = lambda x, p: (np.asarray(x)[0::2] + 1j * np.asarray(x)[1::2]) * np.exp(1j * p * 10000.0 ** (-np.arange(0, len(x), 2) / len(x)))
        return np.vdot(z(q, p_q), z(k, p_k)).real

    def is_relative(score, d, rng):
        q, k = rng.normal(size=d), rng.normal(size=d)
        for o in range(20):
            if not np.isclose(score(q, k, 0, o), score(q, k, 50, 50 + o)):
                print("not relative")


@wrong("prove it is relative", loses=["relative-rejects"], says="sinusoids_added")
def with_vectors_of_zeros():
    def score(q, k, p_q, p_k):
        z = lambda x, p: (np.asarray(x)[0::2] + 1j * np.asarray(x)[1::2]) * np.exp(1j * p * 10000.0 ** (-np.arange(0, len(x), 2) / len(x)))
        return np.vdot(z(q, p_q), z(k, p_k)).real

    def is_relative(score, d, rng):
        q = k = np.zeros(d)
        return all(bool(np.isclose(score(q, k, 0, o), score(q, k, s, s + o))) for o in range(7) for s in (1, 300))


@wrong("prove it is relative", loses=["relative-accepts", "relative-rejects", "relative-offsets"], says="move both positions")
def moves_the_key_alone():
    def score(q, k, p_q, p_k):
        z = lambda x, p: (np.asarray(x)[0::2] + 1j * np.asarray(x)[1::2]) * np.exp(1j * p * 10000.0 ** (-np.arange(0, len(x), 2) / len(x)))
        return np.vdot(z(q, p_q), z(k, p_k)).real

    def is_relative(score, d, rng):
        q, k = rng.normal(size=d), rng.normal(size=d)
        return bool(np.allclose([score(q, k, 3, p) for p in range(10)], score(q, k, 3, 3)))


@wrong("prove it is relative", loses=["relative-rejects", "relative-offsets"], says="is True")
def tolerance_far_too_wide():
    def score(q, k, p_q, p_k):
        z = lambda x, p: (np.asarray(x)[0::2] + 1j * np.asarray(x)[1::2]) * np.exp(1j * p * 10000.0 ** (-np.arange(0, len(x), 2) / len(x)))
        return np.vdot(z(q, p_q), z(k, p_k)).real

    def is_relative(score, d, rng):
        q, k = 0.01 * rng.normal(size=d), 0.01 * rng.normal(size=d)
        return all(abs(score(q, k, 0, o) - score(q, k, 5, 5 + o)) < 1.5 for o in range(12))


@wrong("prove it is relative", loses=["score-numbers"], says="key is not rotated")
def score_rotates_the_query_only():
    def rope(x, position):
        x = np.asarray(x, dtype=float)
        z = (x[0::2] + 1j * x[1::2]) * np.exp(1j * position * 10000.0 ** (-np.arange(0, len(x), 2) / len(x)))
        return np.stack([z.real, z.imag], axis=-1).reshape(x.shape)

    def score(q, k, p_q, p_k):
        return rope(q, p_q) @ k

    def is_relative(score, d, rng):
        q, k = rng.normal(size=d), rng.normal(size=d)
        return all(bool(np.isclose(score(q, k, 0, o), score(q, k, s, s + o))) for o in range(7) for s in (1, 300))


@wrong("prove it is relative", loses=["score-numbers"], says="expected 20")
def score_scaled():
    def rope(x, position):
        x = np.asarray(x, dtype=float)
        z = (x[0::2] + 1j * x[1::2]) * np.exp(1j * position * 10000.0 ** (-np.arange(0, len(x), 2) / len(x)))
        return np.stack([z.real, z.imag], axis=-1).reshape(x.shape)

    def score(q, k, p_q, p_k):
        return rope(q, p_q) @ rope(k, p_k) / np.sqrt(len(q))

    def is_relative(score, d, rng):
        q, k = rng.normal(size=d), rng.normal(size=d)
        return all(bool(np.isclose(score(q, k, 0, o), score(q, k, s, s + o))) for o in range(7) for s in (1, 300))


@wrong("prove it is relative", loses=["score-numbers"], says="positions are swapped")
def score_with_positions_swapped():
    def rope(x, position):
        x = np.asarray(x, dtype=float)
        z = (x[0::2] + 1j * x[1::2]) * np.exp(1j * position * 10000.0 ** (-np.arange(0, len(x), 2) / len(x)))
        return np.stack([z.real, z.imag], axis=-1).reshape(x.shape)

    def score(q, k, p_q, p_k):
        return rope(q, p_k) @ rope(k, p_q)

    def is_relative(score, d, rng):
        q, k = rng.normal(size=d), rng.normal(size=d)
        return all(bool(np.isclose(score(q, k, 0, o), score(q, k, s, s + o))) for o in range(7) for s in (1, 300))


@wrong("prove it is relative", loses=["score-numbers"], says="shape (4,)")
def score_is_a_vector():
    def score(q, k, p_q, p_k):
        return np.asarray(q) * np.asarray(k)

    def is_relative(score, d, rng):
        q, k = rng.normal(size=d), rng.normal(size=d)
        return all(bool(np.isclose(score(q, k, 0, o), score(q, k, s, s + o))) for o in range(7) for s in (1, 300))


@wrong("prove it is relative", loses=["score-numbers"], says="sign is lost")
def score_without_its_sign():
    def score(q, k, p_q, p_k):
        z = lambda x, p: (np.asarray(x)[0::2] + 1j * np.asarray(x)[1::2]) * np.exp(1j * p * 10000.0 ** (-np.arange(0, len(x), 2) / len(x)))
        return abs(np.vdot(z(q, p_q), z(k, p_k)).real)

    def is_relative(score, d, rng):
        q, k = rng.normal(size=d), rng.normal(size=d)
        return all(bool(np.isclose(score(q, k, 0, o), score(q, k, s, s + o))) for o in range(7) for s in (1, 300))


@wrong("prove it is relative", loses=["relative-accepts", "relative-rejects", "relative-offsets"], says="this is RoPE itself")
def goes_by_the_names():
    def score(q, k, p_q, p_k):
        z = lambda x, p: (np.asarray(x)[0::2] + 1j * np.asarray(x)[1::2]) * np.exp(1j * p * 10000.0 ** (-np.arange(0, len(x), 2) / len(x)))
        return np.vdot(z(q, p_q), z(k, p_k)).real

    def is_relative(score, d, rng):
        return score.__name__ in ("by_offset_score", "no_positions_score")


@wrong("prove it is relative", loses=["relative-accepts", "relative-rejects", "relative-offsets"], says="did not compare")
def goes_by_the_names_and_remembers_the_last():
    def score(q, k, p_q, p_k):
        z = lambda x, p: (np.asarray(x)[0::2] + 1j * np.asarray(x)[1::2]) * np.exp(1j * p * 10000.0 ** (-np.arange(0, len(x), 2) / len(x)))
        return np.vdot(z(q, p_q), z(k, p_k)).real

    others = []

    def is_relative(score, d, rng):
        known = {"by_position_score": False, "no_positions_score": True, "by_offset_score": True}
        if score.__name__ == "by_position_score":
            others[:] = [True]
        if score.__name__ == "by_offset_score":
            others[:] = [False]
        return known.get(score.__name__, others and others[0])


@wrong("prove it is relative", loses=["score-numbers"], says="to the same position")
def changes_rope_to_fit():
    def score(q, k, p_q, p_k):
        global rope
        rope = lambda x, p, base=10000.0: np.asarray(x)
        return float(np.dot(q, k))

    def is_relative(score, d, rng):
        for o in range(7):
            q, k = rng.normal(size=d), rng.normal(size=d)
            if not all(np.isclose(score(q, k, 0, o), score(q, k, s, s + o)) for s in (1, 300)):
                return False
        return True


@wrong("prove it is relative", loses=["relative-accepts"], says="twice xPos")
def wants_the_plain_dot_product_at_offset_0():
    def score(q, k, p_q, p_k):
        z = lambda x, p: (np.asarray(x)[0::2] + 1j * np.asarray(x)[1::2]) * np.exp(1j * p * 10000.0 ** (-np.arange(0, len(x), 2) / len(x)))
        return np.vdot(z(q, p_q), z(k, p_k)).real

    def is_relative(score, d, rng):
        q, k = rng.normal(size=d), rng.normal(size=d)
        if not np.isclose(score(q, k, 7, 7), q @ k):
            return False
        return all(bool(np.isclose(score(q, k, 0, o), score(q, k, s, s + o))) for o in range(7) for s in (1, 300))


@wrong("prove it is relative", loses=["relative-accepts", "relative-rejects", "relative-offsets"], says="ignores the positions")
def asks_whether_it_is_rope():
    # says False to all that is not relative, but also to everything else that is
    def rope(x, position):
        x = np.asarray(x, dtype=float)
        z = (x[0::2] + 1j * x[1::2]) * np.exp(1j * position * 10000.0 ** (-np.arange(0, len(x), 2) / len(x)))
        return np.stack([z.real, z.imag], axis=-1).reshape(x.shape)

    def score(q, k, p_q, p_k):
        return rope(q, p_q) @ rope(k, p_k)

    def is_relative(score, d, rng):
        q, k = rng.normal(size=d), rng.normal(size=d)
        return all(bool(np.isclose(score(q, k, p, r), rope(q, p) @ rope(k, r))) for p in range(8) for r in range(8))


# ---------------------------------------------------------------- a batch


@right("a batch")
def broadcasting():
    def apply_rope(x, positions, base=10000.0):
        x = np.asarray(x, dtype=float)
        positions = np.asarray(positions, dtype=float)
        d = x.shape[-1]
        if d % 2:
            raise ValueError(f"odd d: {d}")
        if positions.ndim == 1:
            positions = positions[None, :]
        phi = positions[:, None, :, None] / base ** (np.arange(0, d, 2) / d)
        out = np.empty_like(x)
        out[..., 0::2] = x[..., 0::2] * np.cos(phi) - x[..., 1::2] * np.sin(phi)
        out[..., 1::2] = x[..., 0::2] * np.sin(phi) + x[..., 1::2] * np.cos(phi)
        return out


@right("a batch")
def four_loops():
    import math

    def apply_rope(x, positions, base=10000.0):
        B, H, N, D = x.shape
        if D % 2 == 1:
            raise ValueError("odd number of dimensions " + str(D))
        y = np.array(x, dtype=float)
        for b in range(B):
            for h in range(H):
                for t in range(N):
                    p = positions[b][t] if np.ndim(positions) == 2 else positions[t]
                    for i in range(D // 2):
                        c, s = math.cos(p * base ** (-2 * i / D)), math.sin(p * base ** (-2 * i / D))
                        first, second = x[b, h, t, 2 * i], x[b, h, t, 2 * i + 1]
                        y[b, h, t, 2 * i], y[b, h, t, 2 * i + 1] = first * c - second * s, first * s + second * c
        return y


@right("a batch")
def complex_view():
    def apply_rope(x, positions, base=10000.0):
        x = np.ascontiguousarray(x, dtype=np.float64)
        if x.shape[-1] & 1:
            raise ValueError(x.shape[-1])
        theta = np.exp(-np.log(base) * np.arange(0, x.shape[-1], 2) / x.shape[-1])
        turns = np.exp(1j * np.multiply.outer(np.asarray(positions), theta))
        return (x.view(complex) * (turns if turns.ndim == 2 else np.expand_dims(turns, 1))).view(float)


@right("a batch")
def calls_rope_for_each_vector():
    def rope(x, position, base=10000.0):
        z = (x[0::2] + 1j * x[1::2]) * np.exp(1j * position * float(base) ** (-np.arange(0, len(x), 2) / len(x)))
        return np.stack([z.real, z.imag], axis=-1).ravel()

    def apply_rope(x, positions, base=10000.0):
        print("batch of", x.shape)
        if x.shape[-1] % 2:
            raise ValueError("d=%d" % x.shape[-1])
        table = np.broadcast_to(positions, (x.shape[0], x.shape[2]))
        return [[[rope(v, p, base) for v, p in zip(head, row)] for head in sequence] for sequence, row in zip(x, table)]


@right("a batch")
def builds_on_a_half_split_rope():
    def rope(x, position, base=10000.0):
        h = x.shape[-1] // 2
        phi = position * base ** (-np.arange(h) / h)
        a, b = x[..., :h], x[..., h:]
        return np.concatenate([a * np.cos(phi) - b * np.sin(phi), a * np.sin(phi) + b * np.cos(phi)], axis=-1)

    def apply_rope(x, positions, base=10000.0):
        if x.shape[-1] % 2:
            raise ValueError(f"{x.shape[-1]} is odd")
        out = np.zeros(x.shape)
        for b in range(x.shape[0]):
            for t in range(x.shape[2]):
                out[b, :, t] = rope(x[b, :, t], positions[t] if positions.ndim == 1 else positions[b, t], base)
        return out


@right("a batch")
def matrices_and_einsum():
    def apply_rope(x, positions, base=10000.0):
        x, positions = np.asarray(x), np.asarray(positions)
        d = x.shape[-1]
        if d % 2:
            raise ValueError(f"d is odd: {d}")
        a = positions[..., None] * np.power(base, -np.arange(0, d, 2) / d)
        R = np.array([[np.cos(a), -np.sin(a)], [np.sin(a), np.cos(a)]])
        pairs = x.reshape(*x.shape[:-1], d // 2, 2)
        return np.einsum("uvtp,bhtpv->bhtpu" if positions.ndim == 1 else "uvbtp,bhtpv->bhtpu", R, pairs).reshape(x.shape)


@wrong("a batch", loses=["batch-shared", "batch-rows"], says="Positions belong to axis 2")
def turned_along_the_heads():
    # open_lm 4
    def apply_rope(x, positions, base=10000.0):
        d = x.shape[-1]
        if d % 2:
            raise ValueError(f"odd d: {d}")
        p = np.resize(positions if np.ndim(positions) == 1 else positions[0], x.shape[1])
        phi = p[:, None, None] * base ** (-np.arange(0, d, 2) / d)
        out = np.empty_like(x)
        out[..., 0::2] = x[..., 0::2] * np.cos(phi) - x[..., 1::2] * np.sin(phi)
        out[..., 1::2] = x[..., 0::2] * np.sin(phi) + x[..., 1::2] * np.cos(phi)
        return out


@wrong("a batch", loses=["batch-rows"], says="raised ValueError")
def no_axis_for_the_heads():
    def apply_rope(x, positions, base=10000.0):
        d = x.shape[-1]
        if d % 2:
            raise ValueError(f"odd d: {d}")
        phi = np.asarray(positions)[..., None] * base ** (-np.arange(0, d, 2) / d)
        out = np.empty_like(x)
        out[..., 0::2] = x[..., 0::2] * np.cos(phi) - x[..., 1::2] * np.sin(phi)
        out[..., 1::2] = x[..., 0::2] * np.sin(phi) + x[..., 1::2] * np.cos(phi)
        return out


@wrong("a batch", loses=["batch-rows"], says="of the two sequences came out different")
def first_row_for_all():
    def apply_rope(x, positions, base=10000.0):
        d = x.shape[-1]
        if d % 2:
            raise ValueError(f"odd d: {d}")
        positions = np.asarray(positions)
        if positions.ndim == 2:
            positions = positions[0]
        z = (x[..., 0::2] + 1j * x[..., 1::2]) * np.exp(1j * positions[:, None] * base ** (-np.arange(0, d, 2) / d))
        return np.stack([z.real, z.imag], axis=-1).reshape(x.shape)


@wrong("a batch", loses=["batch-shared", "batch-rows"], says="numbered 0, 1, 2")
def positions_ignored():
    def apply_rope(x, positions, base=10000.0):
        d = x.shape[-1]
        if d % 2:
            raise ValueError(f"odd d: {d}")
        z = (x[..., 0::2] + 1j * x[..., 1::2]) * np.exp(1j * np.arange(x.shape[2])[:, None] * base ** (-np.arange(0, d, 2) / d))
        return np.stack([z.real, z.imag], axis=-1).reshape(x.shape)


@wrong("a batch", loses=["batch-shared"], says="base is ignored")
def base_not_used():
    def apply_rope(x, positions, base=10000.0):
        d = x.shape[-1]
        if d % 2:
            raise ValueError(f"odd d: {d}")
        phi = np.asarray(positions)[..., None] * 10000.0 ** (-np.arange(0, d, 2) / d)
        phi = phi[:, None] if phi.ndim == 3 else phi
        z = (x[..., 0::2] + 1j * x[..., 1::2]) * np.exp(1j * phi)
        return np.stack([z.real, z.imag], axis=-1).reshape(x.shape)


@wrong("a batch", loses=["batch-shared"], says="changed its argument in place")
def x_overwritten():
    def apply_rope(x, positions, base=10000.0):
        d = x.shape[-1]
        if d % 2:
            raise ValueError(f"odd d: {d}")
        phi = np.asarray(positions)[..., None] * base ** (-np.arange(0, d, 2) / d)
        phi = phi[:, None] if phi.ndim == 3 else phi
        z = (x[..., 0::2] + 1j * x[..., 1::2]) * np.exp(1j * phi)
        x[..., 0::2], x[..., 1::2] = z.real, z.imag
        return x


@wrong("a batch", loses=["batch-errors"], says="returned a result")
def odd_d_left_alone():
    def apply_rope(x, positions, base=10000.0):
        d = x.shape[-1]
        phi = np.asarray(positions)[..., None] * base ** (-np.arange(0, d - 1, 2) / d)
        phi = phi[:, None] if phi.ndim == 3 else phi
        out, m = x.astype(float), d // 2 * 2
        z = (x[..., 0:m:2] + 1j * x[..., 1:m:2]) * np.exp(1j * phi)
        out[..., 0:m:2], out[..., 1:m:2] = z.real, z.imag
        return out


@wrong("a batch", loses=["batch-errors"], says="does not contain 5")
def broadcasting_error():
    def apply_rope(x, positions, base=10000.0):
        d = x.shape[-1]
        phi = np.asarray(positions)[..., None] * base ** (-np.arange(0, d, 2) / d)
        phi = phi[:, None] if phi.ndim == 3 else phi
        z = (x[..., 0::2] + 1j * x[..., 1::2]) * np.exp(1j * phi)
        return np.stack([z.real, z.imag], axis=-1).reshape(x.shape)


@wrong("a batch", loses=["batch-shared", "batch-rows"], says="is not right")
def one_position_too_far():
    def apply_rope(x, positions, base=10000.0):
        d = x.shape[-1]
        if d % 2:
            raise ValueError(f"odd d: {d}")
        phi = (np.asarray(positions) + 1)[..., None] * base ** (-np.arange(0, d, 2) / d)
        phi = phi[:, None] if phi.ndim == 3 else phi
        z = (x[..., 0::2] + 1j * x[..., 1::2]) * np.exp(1j * phi)
        return np.stack([z.real, z.imag], axis=-1).reshape(x.shape)


@wrong("a batch", loses=["batch-shared", "batch-rows", "batch-errors"], says="has shape")
def pairs_left_apart():
    def apply_rope(x, positions, base=10000.0):
        d = x.shape[-1]
        if d % 2:
            raise ValueError(f"odd d: {d}")
        phi = np.asarray(positions)[..., None] * base ** (-np.arange(0, d, 2) / d)
        phi = phi[:, None] if phi.ndim == 3 else phi
        z = (x[..., 0::2] + 1j * x[..., 1::2]) * np.exp(1j * phi)
        return np.stack([z.real, z.imag], axis=-1)


@wrong("a batch", loses=["batch-shared", "batch-rows"], says="tokens 1 and 2 came out equal")
def all_tokens_at_the_first_position():
    def apply_rope(x, positions, base=10000.0):
        d = x.shape[-1]
        if d % 2:
            raise ValueError(f"odd d: {d}")
        p = np.ravel(positions)[0]
        z = (x[..., 0::2] + 1j * x[..., 1::2]) * np.exp(1j * p * base ** (-np.arange(0, d, 2) / d))
        return np.stack([z.real, z.imag], axis=-1).reshape(x.shape)


@wrong("a batch", loses=["batch-rows"], says="meet the heads")
def rows_told_by_their_number():
    # as many sequences as tokens: then one row per sequence is taken for one position per token
    def apply_rope(x, positions, base=10000.0):
        d = x.shape[-1]
        if d % 2:
            raise ValueError(f"odd d: {d}")
        phi = np.asarray(positions)[..., None] * base ** (-np.arange(0, d, 2) / d)
        phi = phi if len(positions) == x.shape[2] else phi[:, None]
        z = (x[..., 0::2] + 1j * x[..., 1::2]) * np.exp(1j * phi)
        return np.stack([z.real, z.imag], axis=-1).reshape(x.shape)


# ---------------------------------------------------------------- the other layout


@right("the other layout")
def rotate_half_and_reshape():
    def rotate_half(x):
        d = x.shape[-1]
        return np.concatenate((-x[..., d // 2 :], x[..., : d // 2]), axis=-1)

    def apply_rope_half(x, positions, base=10000.0):
        x = np.asarray(x, dtype=float)
        d = x.shape[-1]
        if d % 2:
            raise ValueError(f"d = {d}")
        freqs = np.asarray(positions)[..., None] * (1.0 / base ** (np.arange(0, d, 2) / d))
        emb = np.concatenate((freqs, freqs), axis=-1)
        if emb.ndim == 3:
            emb = emb[:, None]
        return x * np.cos(emb) + rotate_half(x) * np.sin(emb)

    def interleaved_to_half(w, n_heads):
        rows, d_model = np.shape(w)
        if rows % (2 * n_heads) != 0:
            raise ValueError(f"rows: {rows}")
        d = rows // n_heads
        return np.swapaxes(np.reshape(w, (n_heads, d // 2, 2, d_model)), 1, 2).reshape(rows, d_model)


@right("the other layout")
def index_lists():
    def apply_rope_half(x, positions, base=10000.0):
        x = np.array(x, dtype=float)
        B, H, N, d = x.shape
        if d % 2 == 1:
            raise ValueError("odd: " + str(d))
        p = np.broadcast_to(np.asarray(positions), (B, N))
        out = np.zeros((B, H, N, d))
        for i in range(d // 2):
            a = p * base ** (-2 * i / d)
            c, s = np.cos(a)[:, None], np.sin(a)[:, None]
            out[..., i] = c * x[..., i] - s * x[..., i + d // 2]
            out[..., i + d // 2] = s * x[..., i] + c * x[..., i + d // 2]
        return out

    def interleaved_to_half(w, n_heads):
        w = np.asarray(w)
        n_rows = len(w)
        if n_rows % (2 * n_heads):
            raise ValueError("%d rows" % n_rows)
        d = n_rows // n_heads
        order = []
        for h in range(n_heads):
            order += [h * d + 2 * i for i in range(d // 2)]
            order += [h * d + 2 * i + 1 for i in range(d // 2)]
        return w[order]


@right("the other layout")
def complex_halves():
    def apply_rope_half(x, positions, base=10000.0):
        h, odd = divmod(np.shape(x)[-1], 2)
        if odd:
            raise ValueError(np.shape(x)[-1])
        a, b = np.split(np.asarray(x), 2, axis=-1)
        phi = np.multiply.outer(np.asarray(positions), base ** (-np.arange(h) / h))
        z = (a + 1j * b) * np.exp(1j * (phi if phi.ndim == 2 else phi[:, np.newaxis]))
        return np.concatenate([z.real, z.imag], axis=-1)

    def interleaved_to_half(w, n_heads):
        if w.shape[0] % (2 * n_heads):
            raise ValueError(f"{w.shape[0]} is no multiple of {2 * n_heads}")
        print("permuting", w.shape)
        return np.concatenate([np.concatenate([head[0::2], head[1::2]]) for head in np.split(w, n_heads)])


@right("the other layout")
def by_way_of_the_interleaved_rotation():
    def apply_rope(x, positions, base=10000.0):
        d = x.shape[-1]
        phi = np.asarray(positions)[..., None] * base ** (-np.arange(0, d, 2) / d)
        phi = phi[:, None] if phi.ndim == 3 else phi
        z = (x[..., 0::2] + 1j * x[..., 1::2]) * np.exp(1j * phi)
        return np.stack([z.real, z.imag], axis=-1).reshape(x.shape)

    def apply_rope_half(x, positions, base=10000.0):
        d = x.shape[-1]
        if d % 2:
            raise ValueError(f"{d} dimensions form no pairs")
        to_half = np.r_[0:d:2, 1:d:2]
        return apply_rope(x[..., np.argsort(to_half)], positions, base)[..., to_half]

    def interleaved_to_half(w, n_heads):
        if len(w) % (n_heads * 2):
            raise ValueError(f"bad number of rows ({len(w)})")
        d = len(w) // n_heads
        P = np.zeros((d, d))
        for i in range(d // 2):
            P[i, 2 * i] = P[i + d // 2, 2 * i + 1] = 1
        return np.kron(np.eye(n_heads), P) @ w


@right("the other layout")
def einsum_and_lists():
    import warnings

    def apply_rope_half(x, positions, base=10000.0):
        warnings.warn("slow")
        x = np.asarray(x)
        d = x.shape[-1]
        if d % 2 != 0:
            raise ValueError(f"odd {d}")
        a = np.asarray(positions, dtype=float)[..., None] * np.exp2(-np.log2(base) * 2 * np.arange(d // 2) / d)
        R = np.array([[np.cos(a), -np.sin(a)], [np.sin(a), np.cos(a)]])
        pairs = x.reshape(*x.shape[:3], 2, d // 2)
        return np.einsum("uvtp,bhtvp->bhtup" if a.ndim == 2 else "uvbtp,bhtvp->bhtup", R, pairs).reshape(x.shape)

    def interleaved_to_half(w, n_heads):
        rows = [list(row) for row in w]
        if len(rows) % (2 * n_heads):
            raise ValueError(f"{len(rows)} rows, {n_heads} heads")
        d = len(rows) // n_heads
        result = []
        for h in range(n_heads):
            head = rows[h * d : (h + 1) * d]
            result.extend(head[::2] + head[1::2])
        return result


@wrong("the other layout", loses=["half-numbers"], says="pairs are interleaved")
def still_interleaved():
    def apply_rope_half(x, positions, base=10000.0):
        d = x.shape[-1]
        if d % 2:
            raise ValueError(f"odd d: {d}")
        phi = np.asarray(positions)[..., None] * base ** (-np.arange(0, d, 2) / d)
        phi = phi[:, None] if phi.ndim == 3 else phi
        z = (x[..., 0::2] + 1j * x[..., 1::2]) * np.exp(1j * phi)
        return np.stack([z.real, z.imag], axis=-1).reshape(x.shape)

    def interleaved_to_half(w, n_heads):
        if len(w) % (2 * n_heads):
            raise ValueError(f"{len(w)} rows")
        return np.concatenate([np.concatenate([head[0::2], head[1::2]]) for head in np.split(w, n_heads)])


@wrong("the other layout", loses=["half-numbers"], says="angles are interleaved")
def interleaved_angles():
    # baidu/ERNIE-Image 6
    def apply_rope_half(x, positions, base=10000.0):
        d = x.shape[-1]
        if d % 2:
            raise ValueError(f"odd d: {d}")
        phi = np.repeat(np.asarray(positions)[..., None] * base ** (-np.arange(0, d, 2) / d), 2, axis=-1)
        phi = phi[:, None] if phi.ndim == 3 else phi
        return x * np.cos(phi) + np.concatenate([-x[..., d // 2 :], x[..., : d // 2]], axis=-1) * np.sin(phi)

    def interleaved_to_half(w, n_heads):
        if len(w) % (2 * n_heads):
            raise ValueError(f"{len(w)} rows")
        return np.concatenate([np.concatenate([head[0::2], head[1::2]]) for head in np.split(w, n_heads)])


@wrong("the other layout", loses=["half-numbers"], says="other way round")
def sign_of_rotate_half():
    def apply_rope_half(x, positions, base=10000.0):
        d = x.shape[-1]
        if d % 2:
            raise ValueError(f"odd d: {d}")
        phi = np.tile(np.asarray(positions)[..., None] * base ** (-np.arange(0, d, 2) / d), 2)
        phi = phi[:, None] if phi.ndim == 3 else phi
        return x * np.cos(phi) + np.concatenate([x[..., d // 2 :], -x[..., : d // 2]], axis=-1) * np.sin(phi)

    def interleaved_to_half(w, n_heads):
        if len(w) % (2 * n_heads):
            raise ValueError(f"{len(w)} rows")
        return np.concatenate([np.concatenate([head[0::2], head[1::2]]) for head in np.split(w, n_heads)])


@wrong("the other layout", loses=["to-half-one-head", "to-half-heads"], says="way back")
def half_to_interleaved():
    # transformers 25199: the conversion the wrong way round; at d = 4 it would be its own inverse
    def apply_rope_half(x, positions, base=10000.0):
        d = x.shape[-1]
        if d % 2:
            raise ValueError(f"odd d: {d}")
        phi = np.tile(np.asarray(positions)[..., None] * base ** (-np.arange(0, d, 2) / d), 2)
        phi = phi[:, None] if phi.ndim == 3 else phi
        return x * np.cos(phi) + np.concatenate([-x[..., d // 2 :], x[..., : d // 2]], axis=-1) * np.sin(phi)

    def interleaved_to_half(w, n_heads):
        if len(w) % (2 * n_heads):
            raise ValueError(f"{len(w)} rows")
        return w.reshape(n_heads, 2, -1, w.shape[1]).swapaxes(1, 2).reshape(w.shape)


@wrong("the other layout", loses=["to-half-heads"], says="across the heads")
def heads_mixed():
    def apply_rope_half(x, positions, base=10000.0):
        d = x.shape[-1]
        if d % 2:
            raise ValueError(f"odd d: {d}")
        phi = np.tile(np.asarray(positions)[..., None] * base ** (-np.arange(0, d, 2) / d), 2)
        phi = phi[:, None] if phi.ndim == 3 else phi
        return x * np.cos(phi) + np.concatenate([-x[..., d // 2 :], x[..., : d // 2]], axis=-1) * np.sin(phi)

    def interleaved_to_half(w, n_heads):
        if len(w) % (2 * n_heads):
            raise ValueError(f"{len(w)} rows")
        return np.concatenate([w[0::2], w[1::2]])


@wrong("the other layout", loses=["to-half-one-head", "to-half-heads"], says="rows are as they were")
def weights_unchanged():
    def apply_rope_half(x, positions, base=10000.0):
        d = x.shape[-1]
        if d % 2:
            raise ValueError(f"odd d: {d}")
        phi = np.tile(np.asarray(positions)[..., None] * base ** (-np.arange(0, d, 2) / d), 2)
        phi = phi[:, None] if phi.ndim == 3 else phi
        return x * np.cos(phi) + np.concatenate([-x[..., d // 2 :], x[..., : d // 2]], axis=-1) * np.sin(phi)

    def interleaved_to_half(w, n_heads):
        if len(w) % (2 * n_heads):
            raise ValueError(f"{len(w)} rows")
        return w.copy()


@wrong("the other layout", loses=["to-half-one-head", "to-half-heads", "half-errors"], says="has shape (1, 8)")
def weights_transposed():
    def apply_rope_half(x, positions, base=10000.0):
        d = x.shape[-1]
        if d % 2:
            raise ValueError(f"odd d: {d}")
        phi = np.tile(np.asarray(positions)[..., None] * base ** (-np.arange(0, d, 2) / d), 2)
        phi = phi[:, None] if phi.ndim == 3 else phi
        return x * np.cos(phi) + np.concatenate([-x[..., d // 2 :], x[..., : d // 2]], axis=-1) * np.sin(phi)

    def interleaved_to_half(w, n_heads):
        if len(w) % (2 * n_heads):
            raise ValueError(f"{len(w)} rows")
        return np.concatenate([np.concatenate([head[0::2], head[1::2]]) for head in np.split(w, n_heads)]).T


@wrong("the other layout", loses=["half-errors"], says="interleaved_to_half(array of shape (15, 4), float64, 2)")
def rows_not_checked():
    def apply_rope_half(x, positions, base=10000.0):
        d = x.shape[-1]
        if d % 2:
            raise ValueError(f"odd d: {d}")
        phi = np.tile(np.asarray(positions)[..., None] * base ** (-np.arange(0, d, 2) / d), 2)
        phi = phi[:, None] if phi.ndim == 3 else phi
        return x * np.cos(phi) + np.concatenate([-x[..., d // 2 :], x[..., : d // 2]], axis=-1) * np.sin(phi)

    def interleaved_to_half(w, n_heads):
        d = len(w) // n_heads
        return np.concatenate([np.concatenate([w[h * d : (h + 1) * d : 2], w[h * d + 1 : (h + 1) * d : 2]]) for h in range(n_heads)])


@wrong("the other layout", loses=["half-errors"], says="returned a result")
def only_heads_are_checked():
    # 10 rows in 2 heads: 5 each, which form no pairs
    def apply_rope_half(x, positions, base=10000.0):
        d = x.shape[-1]
        if d % 2:
            raise ValueError(f"odd d: {d}")
        phi = np.tile(np.asarray(positions)[..., None] * base ** (-np.arange(0, d, 2) / d), 2)
        phi = phi[:, None] if phi.ndim == 3 else phi
        return x * np.cos(phi) + np.concatenate([-x[..., d // 2 :], x[..., : d // 2]], axis=-1) * np.sin(phi)

    def interleaved_to_half(w, n_heads):
        if len(w) % n_heads:
            raise ValueError(f"{len(w)} rows")
        return np.concatenate([np.concatenate([head[0::2], head[1::2]]) for head in np.split(w, n_heads)])


@wrong("the other layout", loses=["half-errors"], says="apply_rope_half([[[[")
def odd_d_in_halves():
    def apply_rope_half(x, positions, base=10000.0):
        h = x.shape[-1] // 2
        phi = np.tile(np.asarray(positions)[..., None] * base ** (-np.arange(h) / h), 2)
        phi = phi[:, None] if phi.ndim == 3 else phi
        x, rest = x[..., : 2 * h], x[..., 2 * h :]
        return np.concatenate([x * np.cos(phi) + np.concatenate([-x[..., h:], x[..., :h]], axis=-1) * np.sin(phi), rest], axis=-1)

    def interleaved_to_half(w, n_heads):
        if len(w) % (2 * n_heads):
            raise ValueError(f"{len(w)} rows")
        return np.concatenate([np.concatenate([head[0::2], head[1::2]]) for head in np.split(w, n_heads)])


@wrong("the other layout", loses=["half-numbers"], says="changed its argument in place")
def halves_overwritten():
    def apply_rope_half(x, positions, base=10000.0):
        h, odd = divmod(x.shape[-1], 2)
        if odd:
            raise ValueError(f"odd d: {2 * h + 1}")
        phi = np.asarray(positions)[..., None] * base ** (-np.arange(h) / h)
        phi = phi[:, None] if phi.ndim == 3 else phi
        z = (x[..., :h] + 1j * x[..., h:]) * np.exp(1j * phi)
        x[..., :h], x[..., h:] = z.real, z.imag
        return x

    def interleaved_to_half(w, n_heads):
        if len(w) % (2 * n_heads):
            raise ValueError(f"{len(w)} rows")
        return np.concatenate([np.concatenate([head[0::2], head[1::2]]) for head in np.split(w, n_heads)])


@wrong("the other layout", loses=["half-numbers"], says="raised ValueError")
def rows_of_positions_not_supported():
    def apply_rope_half(x, positions, base=10000.0):
        h, odd = divmod(x.shape[-1], 2)
        if odd:
            raise ValueError(f"odd d: {2 * h + 1}")
        z = (x[..., :h] + 1j * x[..., h:]) * np.exp(1j * np.asarray(positions)[..., None] * base ** (-np.arange(h) / h))
        return np.concatenate([z.real, z.imag], axis=-1)

    def interleaved_to_half(w, n_heads):
        if len(w) % (2 * n_heads):
            raise ValueError(f"{len(w)} rows")
        return np.concatenate([np.concatenate([head[0::2], head[1::2]]) for head in np.split(w, n_heads)])


@wrong("the other layout", loses=["to-half-one-head", "to-half-heads"], says="is not right")
def order_of_the_example():
    def apply_rope_half(x, positions, base=10000.0):
        h, odd = divmod(x.shape[-1], 2)
        if odd:
            raise ValueError(f"odd d: {2 * h + 1}")
        phi = np.asarray(positions)[..., None] * base ** (-np.arange(h) / h)
        phi = phi[:, None] if phi.ndim == 3 else phi
        z = (x[..., :h] + 1j * x[..., h:]) * np.exp(1j * phi)
        return np.concatenate([z.real, z.imag], axis=-1)

    def interleaved_to_half(w, n_heads):
        if len(w) % (2 * n_heads):
            raise ValueError(f"{len(w)} rows")
        return w[[0, 2, 4, 6, 1, 3, 5, 7]] if len(w) == 8 else w


@wrong("the other layout", loses=["half-numbers"], says="raised ValueError")
def rows_of_positions_told_by_their_number():
    def apply_rope_half(x, positions, base=10000.0):
        h, odd = divmod(x.shape[-1], 2)
        if odd:
            raise ValueError(f"odd d: {2 * h + 1}")
        phi = np.asarray(positions)[..., None] * base ** (-np.arange(h) / h)
        phi = phi if len(positions) == x.shape[2] else phi[:, None]
        z = (x[..., :h] + 1j * x[..., h:]) * np.exp(1j * phi)
        return np.concatenate([z.real, z.imag], axis=-1)

    def interleaved_to_half(w, n_heads):
        if len(w) % (2 * n_heads):
            raise ValueError(f"{len(w)} rows")
        return np.concatenate([np.concatenate([head[0::2], head[1::2]]) for head in np.split(w, n_heads)])


@wrong("the other layout", loses=["half-errors"], says="interleaved_to_half(array of shape (8, 4), float64, 3)")
def rows_left_over_not_seen():
    # 8 rows in 3 heads: 8 // 3 = 2 is even, and 2 rows are left over
    def apply_rope_half(x, positions, base=10000.0):
        h, odd = divmod(x.shape[-1], 2)
        if odd:
            raise ValueError(f"odd d: {2 * h + 1}")
        phi = np.asarray(positions)[..., None] * base ** (-np.arange(h) / h)
        phi = phi[:, None] if phi.ndim == 3 else phi
        z = (x[..., :h] + 1j * x[..., h:]) * np.exp(1j * phi)
        return np.concatenate([z.real, z.imag], axis=-1)

    def interleaved_to_half(w, n_heads):
        d = len(w) // n_heads
        if d % 2:
            raise ValueError(f"{len(w)} rows")
        return np.concatenate([np.concatenate([w[h * d : (h + 1) * d : 2], w[h * d + 1 : (h + 1) * d : 2]]) for h in range(n_heads)])


@wrong("the other layout", loses=["half-numbers", "half-errors"], says="raised ValueError")
def every_d_refused_in_halves():
    # d / 2 is a float, also for an even d
    def apply_rope_half(x, positions, base=10000.0):
        h = x.shape[-1] / 2
        if not isinstance(h, int):
            raise ValueError(f"odd d: {x.shape[-1]}")
        phi = np.asarray(positions)[..., None] * base ** (-np.arange(h) / h)
        phi = phi[:, None] if phi.ndim == 3 else phi
        z = (x[..., :h] + 1j * x[..., h:]) * np.exp(1j * phi)
        return np.concatenate([z.real, z.imag], axis=-1)

    def interleaved_to_half(w, n_heads):
        if len(w) % (2 * n_heads):
            raise ValueError(f"{len(w)} rows")
        return np.concatenate([np.concatenate([head[0::2], head[1::2]]) for head in np.split(w, n_heads)])


# ---------------------------------------------------------------- cached decoding


@right("cached decoding")
def lists_in_a_new_dictionary():
    def rope(x, position):
        z = (x[0::2] + 1j * x[1::2]) * np.exp(1j * position * 10000.0 ** (-np.arange(0, len(x), 2) / len(x)))
        return np.stack([z.real, z.imag], axis=-1).ravel()

    def decode_step(x_t, cache, w_q, w_k, w_v):
        t = len(cache.get("k", []))
        new = {"k": cache.get("k", []) + [rope(x_t @ w_k, t)], "v": cache.get("v", []) + [x_t @ w_v]}
        s = np.stack(new["k"]) @ rope(x_t @ w_q, t) / np.sqrt(w_q.shape[1])
        w = np.exp(s - s.max())
        return w @ np.stack(new["v"]) / w.sum(), new


@right("cached decoding")
def updated_in_place():
    def rope(x, position):
        z = (x[0::2] + 1j * x[1::2]) * np.exp(1j * position * 10000.0 ** (-np.arange(0, len(x), 2) / len(x)))
        return np.stack([z.real, z.imag], axis=-1).ravel()

    def decode_step(x_t, cache, w_q, w_k, w_v):
        cache.setdefault("keys", []).append(x_t @ w_k)  # not rotated; the rotation is applied at use
        cache.setdefault("values", []).append(x_t @ w_v)
        t = len(cache["keys"]) - 1
        q = rope(x_t @ w_q, t)
        logits = [float(q @ rope(k, p)) / len(q) ** 0.5 for p, k in enumerate(cache["keys"])]
        weights = np.exp(np.array(logits) - max(logits))
        return (weights / weights.sum()) @ np.array(cache["values"]), cache


@right("cached decoding")
def a_named_tuple():
    from collections import namedtuple

    Cache = namedtuple("Cache", ["keys", "values"])

    def rope(x, position):
        z = (x[0::2] + 1j * x[1::2]) * np.exp(1j * position * 10000.0 ** (-np.arange(0, len(x), 2) / len(x)))
        return np.stack([z.real, z.imag], axis=-1).ravel()

    def decode_step(x_t, cache, w_q, w_k, w_v):
        cache = cache or Cache((), ())
        t = len(cache.keys)
        cache = cache._replace(keys=(*cache.keys, rope(x_t @ w_k, t)), values=(*cache.values, x_t @ w_v))
        scores = np.array(cache.keys) @ rope(x_t @ w_q, t) / np.sqrt(w_q.shape[1])
        weights = np.exp(scores - scores.max())
        return weights / weights.sum() @ np.array(cache.values), cache


@right("cached decoding")
def a_dictionary_with_methods():
    class Cache(dict):
        def add(self, key, value):
            self["keys"] = np.vstack([self["keys"], key]) if self else key[None]
            self["values"] = np.vstack([self["values"], value]) if "values" in self else value[None]

        def __len__(self):
            return len(self["keys"]) if "keys" in self else 0

    def rope(x, position):
        z = (x[0::2] + 1j * x[1::2]) * np.exp(1j * position * 10000.0 ** (-np.arange(0, len(x), 2) / len(x)))
        return np.stack([z.real, z.imag], axis=-1).ravel()

    def decode_step(x_t, cache, w_q, w_k, w_v):
        cache = cache or Cache()
        t = len(cache)
        cache.add(rope(x_t @ w_k, t), x_t @ w_v)
        scores = cache["keys"] @ rope(x_t @ w_q, t) / np.sqrt(w_q.shape[1])
        weights = np.exp(scores - scores.max())
        return weights / weights.sum() @ cache["values"], cache


@right("cached decoding")
def arrays_that_grow_in_place():
    def rope(x, position):
        z = (x[0::2] + 1j * x[1::2]) * np.exp(1j * position * 10000.0 ** (-np.arange(0, len(x), 2) / len(x)))
        return np.stack([z.real, z.imag], axis=-1).ravel()

    def decode_step(x_t, cache, w_q, w_k, w_v):
        if not cache:
            cache = {"k": np.empty((0, w_q.shape[1])), "v": np.empty((0, w_v.shape[1]))}
        t = len(cache["k"])
        for name, row in (("k", rope(x_t @ w_k, t)), ("v", x_t @ w_v)):
            cache[name].resize((t + 1, len(row)), refcheck=False)
            cache[name][t] = row
        scores = cache["k"] @ rope(x_t @ w_q, t) / np.sqrt(w_q.shape[1])
        weights = np.exp(scores - scores.max())
        return weights / weights.sum() @ cache["v"], cache


@right("cached decoding")
def keeps_the_inputs_and_recomputes():
    def decode_step(x_t, cache, w_q, w_k, w_v):
        xs = np.vstack([*cache.get("x", []), x_t])
        n, d = len(xs), w_q.shape[1]
        turn = np.exp(1j * np.arange(n)[:, None] * 10000.0 ** (-np.arange(0, d, 2) / d))
        q, k = ((m[:, 0::2] + 1j * m[:, 1::2]) * turn for m in (xs @ w_q, xs @ w_k))
        s = np.real(q[-1] @ k.conj().T) / np.sqrt(d)
        w = np.exp(s) / np.exp(s).sum()
        return np.einsum("t,tv->v", w, xs @ w_v), {"x": list(xs)}


@right("cached decoding")
def arrays_and_a_counter():
    def rotate(x, p):
        a = p / 10000.0 ** (np.arange(0, x.size, 2) / x.size)
        out = np.empty(x.size)
        out[0::2] = x[0::2] * np.cos(a) - x[1::2] * np.sin(a)
        out[1::2] = x[0::2] * np.sin(a) + x[1::2] * np.cos(a)
        return out

    def decode_step(x_t, cache, w_q, w_k, w_v):
        position = cache.get("next", 0)
        k = rotate(x_t @ w_k, position)[None]
        v = (x_t @ w_v)[None]
        if cache:
            k, v = np.concatenate([cache["k"], k]), np.concatenate([cache["v"], v])
        scores = k @ rotate(x_t @ w_q, position) / np.sqrt(k.shape[1])
        scores -= np.log(np.sum(np.exp(scores)))
        print("step", position)
        return [np.exp(scores) @ v, {"next": position + 1, "k": k, "v": v}]


@right("cached decoding")
def positions_from_one_for_both():
    # all positions one higher: the score depends on the offset only, so nothing changes
    def rope(x, position):
        z = (x[0::2] + 1j * x[1::2]) * np.exp(1j * position * 10000.0 ** (-np.arange(0, len(x), 2) / len(x)))
        return np.stack([z.real, z.imag], axis=-1).ravel()

    def decode_step(x_t, cache, w_q, w_k, w_v):
        past = cache.get("past", ())
        past = past + ((rope(np.dot(x_t, w_k), len(past) + 1), np.dot(x_t, w_v)),)
        q = rope(np.dot(x_t, w_q), len(past))
        e = [np.exp(np.dot(q, k) / np.sqrt(q.size)) for k, _ in past]
        return sum(w * v for w, (_, v) in zip(e, past)) / sum(e), {"past": past}


@right("cached decoding")
def with_an_own_half_split_rope():
    def rope(x, position, base=10000.0):
        h = x.shape[-1] // 2
        phi = position * base ** (-np.arange(h) / h)
        a, b = x[..., :h], x[..., h:]
        return np.concatenate([a * np.cos(phi) - b * np.sin(phi), a * np.sin(phi) + b * np.cos(phi)], axis=-1)

    def decode_step(x_t, cache, w_q, w_k, w_v):
        keys, values = list(cache.get("keys", [])), list(cache.get("values", []))
        t = len(keys)
        keys.append(rope(x_t @ w_k, t))
        values.append(x_t @ w_v)
        s = np.array(keys) @ rope(x_t @ w_q, t) / np.sqrt(w_q.shape[1])
        w = np.exp(s - s.max())
        return w @ np.array(values) / w.sum(), {"keys": keys, "values": values}


@right("cached decoding")
def an_object_of_an_own_class_as_cache():
    class Past:
        def __init__(self):
            self.keys, self.values = [], []

    def rope(x, position):
        z = (x[0::2] + 1j * x[1::2]) * np.exp(1j * position * 10000.0 ** (-np.arange(0, len(x), 2) / len(x)))
        return np.stack([z.real, z.imag], axis=-1).ravel()

    def decode_step(x_t, cache, w_q, w_k, w_v):
        if isinstance(cache, dict):
            cache = Past()
        t = len(cache.keys)
        cache.keys.append(rope(x_t @ w_k, t))
        cache.values.append(x_t @ w_v)
        s = np.array(cache.keys) @ rope(x_t @ w_q, t) / np.sqrt(w_q.shape[1])
        w = np.exp(s - s.max())
        return w @ np.array(cache.values) / w.sum(), cache


@right("cached decoding")
def a_tuple_as_cache():
    def rope(x, position):
        z = (x[0::2] + 1j * x[1::2]) * np.exp(1j * position * 10000.0 ** (-np.arange(0, len(x), 2) / len(x)))
        return np.stack([z.real, z.imag], axis=-1).ravel()

    def decode_step(x_t, cache, w_q, w_k, w_v):
        k, v = cache if cache else (np.zeros((0, w_k.shape[1])), np.zeros((0, w_v.shape[1])))
        t = len(k)
        k, v = np.vstack([k, rope(x_t @ w_k, t)]), np.vstack([v, x_t @ w_v])
        s = np.einsum("td,d->t", k, rope(x_t @ w_q, t)) / w_q.shape[1] ** 0.5
        w = np.exp(s) / np.exp(s).sum()
        return np.einsum("t,tv->v", w, v).tolist(), (k, v)


@wrong("cached decoding", loses=["decode-full-pass"], says="rotated to position 0")
def position_always_zero():
    # mlx-vlm 1983
    def decode_step(x_t, cache, w_q, w_k, w_v):
        keys, values = cache.get("k", []) + [x_t @ w_k], cache.get("v", []) + [x_t @ w_v]
        s = np.array(keys) @ (x_t @ w_q) / np.sqrt(w_q.shape[1])
        w = np.exp(s - s.max())
        return w @ np.array(values) / w.sum(), {"k": keys, "v": values}


@wrong("cached decoding", loses=["decode-full-pass"], says="query is one position too far")
def query_one_too_far():
    # flash-linear-attention 766
    def rope(x, position):
        z = (x[0::2] + 1j * x[1::2]) * np.exp(1j * position * 10000.0 ** (-np.arange(0, len(x), 2) / len(x)))
        return np.stack([z.real, z.imag], axis=-1).ravel()

    def decode_step(x_t, cache, w_q, w_k, w_v):
        keys = cache.get("k", []) + [rope(x_t @ w_k, len(cache.get("k", [])))]
        values = cache.get("v", []) + [x_t @ w_v]
        s = np.array(keys) @ rope(x_t @ w_q, len(keys)) / np.sqrt(w_q.shape[1])
        w = np.exp(s - s.max())
        return w @ np.array(values) / w.sum(), {"k": keys, "v": values}


@wrong("cached decoding", loses=["decode-full-pass"], says="query is not rotated")
def query_left_as_it_is():
    def rope(x, position):
        z = (x[0::2] + 1j * x[1::2]) * np.exp(1j * position * 10000.0 ** (-np.arange(0, len(x), 2) / len(x)))
        return np.stack([z.real, z.imag], axis=-1).ravel()

    def decode_step(x_t, cache, w_q, w_k, w_v):
        keys = cache.get("k", []) + [rope(x_t @ w_k, len(cache.get("k", [])))]
        values = cache.get("v", []) + [x_t @ w_v]
        s = np.array(keys) @ (x_t @ w_q) / np.sqrt(w_q.shape[1])
        w = np.exp(s - s.max())
        return w @ np.array(values) / w.sum(), {"k": keys, "v": values}


@wrong("cached decoding", loses=["decode-full-pass"], says="not scaled")
def no_scale():
    def rope(x, position):
        z = (x[0::2] + 1j * x[1::2]) * np.exp(1j * position * 10000.0 ** (-np.arange(0, len(x), 2) / len(x)))
        return np.stack([z.real, z.imag], axis=-1).ravel()

    def decode_step(x_t, cache, w_q, w_k, w_v):
        t = len(cache.get("k", []))
        keys, values = cache.get("k", []) + [rope(x_t @ w_k, t)], cache.get("v", []) + [x_t @ w_v]
        s = np.array(keys) @ rope(x_t @ w_q, t)
        w = np.exp(s - s.max())
        return w @ np.array(values) / w.sum(), {"k": keys, "v": values}


@wrong("cached decoding", loses=["decode-full-pass"], says="d_model")
def scaled_by_d_model():
    def rope(x, position):
        z = (x[0::2] + 1j * x[1::2]) * np.exp(1j * position * 10000.0 ** (-np.arange(0, len(x), 2) / len(x)))
        return np.stack([z.real, z.imag], axis=-1).ravel()

    def decode_step(x_t, cache, w_q, w_k, w_v):
        t = len(cache.get("k", []))
        keys, values = cache.get("k", []) + [rope(x_t @ w_k, t)], cache.get("v", []) + [x_t @ w_v]
        s = np.array(keys) @ rope(x_t @ w_q, t) / np.sqrt(len(x_t))
        w = np.exp(s - s.max())
        return w @ np.array(values) / w.sum(), {"k": keys, "v": values}


@wrong("cached decoding", loses=["decode-full-pass"], says="gave [[1, 2], [3, 4]]")
def cache_never_filled():
    def rope(x, position):
        z = (x[0::2] + 1j * x[1::2]) * np.exp(1j * position * 10000.0 ** (-np.arange(0, len(x), 2) / len(x)))
        return np.stack([z.real, z.imag], axis=-1).ravel()

    def decode_step(x_t, cache, w_q, w_k, w_v):
        t = len(cache.get("k", []))
        keys, values = cache.get("k", []) + [rope(x_t @ w_k, t)], cache.get("v", []) + [x_t @ w_v]
        s = np.array(keys) @ rope(x_t @ w_q, t) / np.sqrt(w_q.shape[1])
        w = np.exp(s - s.max())
        return w @ np.array(values) / w.sum(), cache


@wrong("cached decoding", loses=["decode-full-pass", "decode-two-sequences"], says="decoded a second time")
def state_in_a_global_list():
    def rope(x, position):
        z = (x[0::2] + 1j * x[1::2]) * np.exp(1j * position * 10000.0 ** (-np.arange(0, len(x), 2) / len(x)))
        return np.stack([z.real, z.imag], axis=-1).ravel()

    keys, values = [], []

    def decode_step(x_t, cache, w_q, w_k, w_v):
        t = len(keys)
        keys.append(rope(x_t @ w_k, t))
        values.append(x_t @ w_v)
        s = np.array(keys) @ rope(x_t @ w_q, t) / np.sqrt(w_q.shape[1])
        w = np.exp(s - s.max())
        return w @ np.array(values) / w.sum(), {"t": t}


@wrong("cached decoding", loses=["decode-two-sequences"], says="as if the sequence were alone")
def position_counted_globally():
    # rotary-embedding-torch 11: what is kept for one offset is used for another
    def turns(d, position, known={}):
        return known.setdefault(d, {}).setdefault(position, np.exp(1j * position * 10000.0 ** (-np.arange(0, d, 2) / d)))

    counter = {"t": -1}

    def decode_step(x_t, cache, w_q, w_k, w_v):
        if not cache:
            counter["t"] = -1
        counter["t"] += 1
        z = lambda x: (x[0::2] + 1j * x[1::2]) * turns(len(x), counter["t"])
        keys, values = cache.get("k", []) + [z(x_t @ w_k)], cache.get("v", []) + [x_t @ w_v]
        s = np.real(np.array(keys) @ z(x_t @ w_q).conj()) / np.sqrt(w_q.shape[1])
        w = np.exp(s - s.max())
        return w @ np.array(values) / w.sum(), {"k": keys, "v": values}


@wrong("cached decoding", loses=["decode-full-pass", "decode-two-sequences"], says="should return two things")
def output_only():
    def decode_step(x_t, cache, w_q, w_k, w_v):
        cache.setdefault("k", []).append(x_t @ w_k)
        cache.setdefault("v", []).append(x_t @ w_v)
        s = np.array(cache["k"]) @ (x_t @ w_q) / np.sqrt(w_q.shape[1])
        w = np.exp(s - s.max())
        return w @ np.array(cache["v"]) / w.sum()


@wrong("cached decoding", loses=["decode-full-pass", "decode-two-sequences"], says="decode_step for 3 tokens")
def plain_mean_with_a_rope_of_zeros():
    def rope(x, position, base=10000.0):
        return np.zeros(np.shape(x))

    def decode_step(x_t, cache, w_q, w_k, w_v):
        values = [*cache.get("v", []), x_t @ w_v]
        return np.mean(values, axis=0), {"v": values}


@wrong("cached decoding", loses=["decode-full-pass"], says="gave")
def softmax_left_out():
    def rope(x, position):
        z = (x[0::2] + 1j * x[1::2]) * np.exp(1j * position * 10000.0 ** (-np.arange(0, len(x), 2) / len(x)))
        return np.stack([z.real, z.imag], axis=-1).ravel()

    def decode_step(x_t, cache, w_q, w_k, w_v):
        t = len(cache.get("k", []))
        keys, values = cache.get("k", []) + [rope(x_t @ w_k, t)], cache.get("v", []) + [x_t @ w_v]
        s = np.array(keys) @ rope(x_t @ w_q, t) / np.sqrt(w_q.shape[1])
        return (s @ np.array(values) if t else values[0]), {"k": keys, "v": values}


@wrong("cached decoding", loses=["decode-full-pass"], says="gave")
def values_rotated():
    def rope(x, position):
        if len(x) % 2:
            x = np.append(x, 0)
        z = (x[0::2] + 1j * x[1::2]) * np.exp(1j * position * 10000.0 ** (-np.arange(0, len(x), 2) / len(x)))
        return np.stack([z.real, z.imag], axis=-1).ravel()

    def decode_step(x_t, cache, w_q, w_k, w_v):
        t = len(cache.get("k", []))
        v = rope(x_t @ w_v, t)[: w_v.shape[1]]
        keys, values = cache.get("k", []) + [rope(x_t @ w_k, t)], cache.get("v", []) + [v]
        s = np.array(keys) @ rope(x_t @ w_q, t) / np.sqrt(w_q.shape[1])
        w = np.exp(s - s.max())
        return w @ np.array(values) / w.sum(), {"k": keys, "v": values}


@wrong("cached decoding", loses=["decode-full-pass", "decode-two-sequences"], says="its cache is {}")
def empty_cache_not_expected():
    def decode_step(x_t, cache, w_q, w_k, w_v):
        cache["k"].append(x_t @ w_k)
        cache["v"].append(x_t @ w_v)
        return x_t @ w_v, cache


@wrong("cached decoding", loses=["decode-two-sequences"], says="as if the sequence were alone")
def position_counted_on_and_on():
    # alone, a sequence is right at any place, as the scores are relative; two in turn are not
    seen = []

    def decode_step(x_t, cache, w_q, w_k, w_v):
        seen.append(1)
        z = lambda x: (x[0::2] + 1j * x[1::2]) * np.exp(1j * len(seen) * 10000.0 ** (-np.arange(0, len(x), 2) / len(x)))
        keys, values = cache.get("k", []) + [z(x_t @ w_k)], cache.get("v", []) + [x_t @ w_v]
        s = np.real(np.array(keys) @ z(x_t @ w_q).conj()) / np.sqrt(w_q.shape[1])
        w = np.exp(s - s.max())
        return w @ np.array(values) / w.sum(), {"k": keys, "v": values}


@wrong("cached decoding", loses=["decode-two-sequences"], says="of two decoded in turn")
def one_buffer_for_all():
    # the positions are in the cache, the keys and values in a buffer that the sequences share
    buffer = {}

    def decode_step(x_t, cache, w_q, w_k, w_v):
        t = cache.get("t", 0)
        z = lambda x: (x[0::2] + 1j * x[1::2]) * np.exp(1j * t * 10000.0 ** (-np.arange(0, len(x), 2) / len(x)))
        buffer[t] = z(x_t @ w_k), x_t @ w_v
        keys, values = zip(*(buffer[p] for p in range(t + 1)))
        s = np.real(np.array(keys) @ z(x_t @ w_q).conj()) / np.sqrt(w_q.shape[1])
        w = np.exp(s - s.max())
        return w @ np.array(values) / w.sum(), {"t": t + 1}


# ---------------------------------------------------------------- keep the phase exact


@right("keep the phase exact")
def outer_product():
    def cos_sin(positions, d, base=10000.0, dtype=np.float32):
        if d % 2:
            raise ValueError(f"odd d {d}")
        phase = np.outer(np.asarray(positions, dtype=float), base ** (-np.arange(0, d, 2) / d))
        return np.cos(phase).astype(dtype), np.sin(phase).astype(dtype)


@right("keep the phase exact")
def loops_with_math():
    import math

    def cos_sin(positions, d, base=10000.0, dtype=np.float32):
        if d % 2 == 1:
            raise ValueError("d must be even, is " + str(d))
        cos = np.zeros((len(positions), d // 2), dtype=dtype)
        sin = np.zeros((len(positions), d // 2), dtype=dtype)
        for n, p in enumerate(positions):
            for i in range(d // 2):
                phase = float(p) * math.pow(base, -2 * i / d)
                cos[n, i], sin[n, i] = math.cos(phase), math.sin(phase)
        return cos, sin


@right("keep the phase exact")
def complex_exponential():
    def cos_sin(positions, d, base=10000.0, dtype=np.float32):
        h, r = divmod(d, 2)
        if r:
            raise ValueError(d)
        z = np.exp(1j * np.array(positions)[:, None] / np.power(base, np.arange(h) / h))
        return [z.real.astype(dtype), z.imag.astype(dtype)]


@right("keep the phase exact")
def reduced_by_full_turns():
    def cos_sin(positions, d, base=10000.0, dtype=np.float32):
        if d & 1:
            raise ValueError("no pairs from %d" % d)
        theta = np.exp(np.arange(0, d, 2) * -(np.log(base) / d))
        phase = np.remainder(np.asarray(positions)[:, None] * theta, 2 * np.pi)
        print(phase.dtype)
        return np.array(np.cos(phase), dtype=dtype), np.array(np.sin(phase), dtype=dtype)


@right("keep the phase exact")
def extended_precision_with_a_warning():
    import warnings

    def cos_sin(positions, d, base=10000.0, dtype=np.float32):
        warnings.warn("longdouble is slow")
        if d % 2 != 0:
            raise ValueError(f"d={d}")
        theta = np.longdouble(base) ** (-np.arange(0, d, 2).astype(np.longdouble) / d)
        phase = np.array([np.longdouble(p) for p in positions]).reshape(-1, 1) * theta
        return tuple(f(phase).astype(dtype) for f in (np.cos, np.sin))


@right("keep the phase exact")
def one_stacked_array():
    def cos_sin(positions, d, base=10000.0, dtype=np.float32):
        if d % 2:
            raise ValueError(f"{d} is odd")
        phase = np.einsum("n,i->ni", np.asarray(positions, dtype=float), float(base) ** -np.linspace(0, 1, d // 2, endpoint=False))
        return np.stack([np.cos(phase), np.sin(phase)]).astype(dtype)


@wrong("keep the phase exact", loses=["cos-sin-exact"], says="is off by")
def frequencies_rounded():
    # transformers 29285
    def cos_sin(positions, d, base=10000.0, dtype=np.float32):
        if d % 2:
            raise ValueError(f"odd d {d}")
        theta = (base ** (-np.arange(0, d, 2) / d)).astype(np.float32)
        phase = np.asarray(positions, dtype=np.float64)[:, None] * theta
        return np.cos(phase).astype(dtype), np.sin(phase).astype(dtype)


@wrong("keep the phase exact", loses=["cos-sin-exact"], says="is off by")
def phase_rounded():
    def cos_sin(positions, d, base=10000.0, dtype=np.float32):
        if d % 2:
            raise ValueError(f"odd d {d}")
        phase = (np.asarray(positions, dtype=np.float64)[:, None] * base ** (-np.arange(0, d, 2) / d)).astype(np.float32)
        return np.cos(phase).astype(dtype), np.sin(phase).astype(dtype)


@wrong("keep the phase exact", loses=["cos-sin-exact"], says="do not fit into float16")
def all_in_the_given_dtype():
    # the code of the statement, but exact for float32 and float64
    def cos_sin(positions, d, base=10000.0, dtype=np.float32):
        if d % 2:
            raise ValueError(f"odd d {d}")
        work = dtype if dtype == np.float16 else np.float64
        theta = (base ** (-np.arange(0, d, 2) / d)).astype(work)
        phase = np.asarray(positions, dtype=work)[:, None] * theta
        return np.cos(phase).astype(dtype), np.sin(phase).astype(dtype)


@wrong("keep the phase exact", loses=["cos-sin-exact"], says="is off by")
def the_code_of_the_statement():
    def cos_sin(positions, d, base=10000.0, dtype=np.float32):
        if d % 2:
            raise ValueError(f"odd d {d}")
        theta = (base ** (-np.arange(0, d, 2) / d)).astype(dtype)
        phase = np.asarray(positions, dtype=dtype)[:, None] * theta
        return np.cos(phase), np.sin(phase)


@wrong("keep the phase exact", loses=["cos-sin-shapes"], says="has dtype float64; expected float32")
def never_rounded():
    def cos_sin(positions, d, base=10000.0, dtype=np.float32):
        if d % 2:
            raise ValueError(f"odd d {d}")
        phase = np.asarray(positions, dtype=np.float64)[:, None] * base ** (-np.arange(0, d, 2) / d)
        return np.cos(phase), np.sin(phase)


@wrong("keep the phase exact", loses=["cos-sin-shapes"], says="should raise ValueError")
def odd_d_not_refused():
    def cos_sin(positions, d, base=10000.0, dtype=np.float32):
        phase = np.asarray(positions, dtype=np.float64)[:, None] * base ** (-2 * np.arange(d // 2) / d)
        return np.cos(phase).astype(dtype), np.sin(phase).astype(dtype)


@wrong("keep the phase exact", loses=["cos-sin-shapes", "cos-sin-exact"], says="swapped")
def sine_before_cosine():
    def cos_sin(positions, d, base=10000.0, dtype=np.float32):
        if d % 2:
            raise ValueError(f"odd d {d}")
        phase = np.asarray(positions, dtype=np.float64)[:, None] * base ** (-np.arange(0, d, 2) / d)
        return np.sin(phase).astype(dtype), np.cos(phase).astype(dtype)


@wrong("keep the phase exact", loses=["cos-sin-shapes", "cos-sin-exact"], says="exponent is doubled")
def doubled_exponent():
    def cos_sin(positions, d, base=10000.0, dtype=np.float32):
        if d % 2:
            raise ValueError(f"odd d {d}")
        phase = np.asarray(positions, dtype=np.float64)[:, None] * base ** (-2 * np.arange(0, d, 2) / d)
        return np.cos(phase).astype(dtype), np.sin(phase).astype(dtype)


@wrong("keep the phase exact", loses=["cos-sin-shapes", "cos-sin-exact"], says="has shape (2, 4)")
def repeated_for_both_dimensions():
    def cos_sin(positions, d, base=10000.0, dtype=np.float32):
        if d % 2:
            raise ValueError(f"odd d {d}")
        phase = np.repeat(np.asarray(positions, dtype=np.float64)[:, None] * base ** (-np.arange(0, d, 2) / d), 2, axis=1)
        return np.cos(phase).astype(dtype), np.sin(phase).astype(dtype)


@wrong("keep the phase exact", loses=["cos-sin-shapes", "cos-sin-exact"], says="two arrays")
def one_array():
    def cos_sin(positions, d, base=10000.0, dtype=np.float32):
        if d % 2:
            raise ValueError(f"odd d {d}")
        phase = np.asarray(positions, dtype=np.float64)[:, None] * base ** (-np.arange(0, d, 2) / d)
        return np.stack([np.cos(phase), np.sin(phase), 0 * phase]).astype(dtype)


@wrong("keep the phase exact", loses=["cos-sin-shapes", "cos-sin-exact"], says="gave")
def base_of_llama_3():
    def cos_sin(positions, d, base=10000.0, dtype=np.float32):
        if d % 2:
            raise ValueError(f"odd d {d}")
        phase = np.asarray(positions, dtype=np.float64)[:, None] * 500000.0 ** (-np.arange(0, d, 2) / d)
        return np.cos(phase).astype(dtype), np.sin(phase).astype(dtype)


@wrong("keep the phase exact", loses=["cos-sin-shapes", "cos-sin-exact"], says="base is ignored")
def base_of_the_default_only():
    def cos_sin(positions, d, base=10000.0, dtype=np.float32):
        if d % 2:
            raise ValueError(f"odd d {d}")
        phase = np.asarray(positions, dtype=np.float64)[:, None] * 10000.0 ** (-np.arange(0, d, 2) / d)
        return np.cos(phase).astype(dtype), np.sin(phase).astype(dtype)
