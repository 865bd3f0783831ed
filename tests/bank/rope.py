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


@wrong("prove it is relative", loses=["relative-accepts", "relative-rejects", "relative-offsets"], says="only in p_q - p_k")
def always_false():
    def score(q, k, p_q, p_k):
        z = lambda x, p: (np.asarray(x)[0::2] + 1j * np.asarray(x)[1::2]) * np.exp(1j * p * 10000.0 ** (-np.arange(0, len(x), 2) / len(x)))
        return np.vdot(z(q, p_q), z(k, p_k)).real

    def is_relative(score, d, rng):
        return False


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


@wrong("prove it is relative", loses=["relative-accepts"], says="is False")
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
