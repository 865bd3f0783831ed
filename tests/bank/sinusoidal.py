# ruff: noqa: F821, F841 - the bodies are what students type; they are run, not called
from bank import right, wrong

# ---------------------------------------------------------------- PE by hand


@right("PE by hand")
def given_constants():
    pe_0 = [0, 1, 0, 1]
    pe_1 = [0.8415, 0.5403, 0.01, 1]


@right("PE by hand")
def computed():
    pe_0 = np.array([0.0, 1.0, 0.0, 1.0])
    pe_1 = np.array([np.sin(1), np.cos(1), np.sin(0.01), np.cos(0.01)])


@right("PE by hand")
def tuples_of_text():
    pe_0 = ("0", "1", "0", "1")
    pe_1 = ("0.8415", "0.5403", "0.0100", "1.0000")


@right("PE by hand")
def from_a_loop():
    import math

    def row(p):
        values = []
        for i in range(2):
            values += [math.sin(p / 10000 ** (2 * i / 4)), math.cos(p / 10000 ** (2 * i / 4))]
        return values

    pe_0, pe_1 = row(0), row(1)


@right("PE by hand")
def mixed_numbers():
    from decimal import Decimal
    from fractions import Fraction

    pe_0 = [np.int8(0), True, Fraction(0), Decimal(1)]
    pe_1 = [Decimal("0.8415"), np.float32(0.5403), Fraction(1, 100), np.array(1.0)]


@right("PE by hand")
def rounded_to_the_tolerance():
    pe_0 = [0.0, 1.0, 0.0002, 0.9998]
    pe_1 = [0.8417, 0.5401, 0.0102, 0.9998]


BOTH_ROWS = ["pe-by-hand-0", "pe-by-hand-1"]


@wrong("PE by hand", loses=BOTH_ROWS, says="alternate")
def halves():
    pe_0 = [0, 0, 1, 1]
    pe_1 = [0.8415, 0.01, 0.5403, 1]


@wrong("PE by hand", loses=BOTH_ROWS, says="swapped")
def cosine_first():
    pe_0 = [1, 0, 1, 0]
    pe_1 = [0.5403, 0.8415, 1, 0.01]


@wrong("PE by hand", loses=["pe-by-hand-1"], says="degrees")
def degrees_by_hand():
    pe_0 = [0, 1, 0, 1]
    pe_1 = [0.0175, 0.9998, 0.0002, 1]


@wrong("PE by hand", loses=["pe-by-hand-1"], says="exponent is too small")
def exponent_halved():
    pe_0 = [0, 1, 0, 1]
    pe_1 = [0.8415, 0.5403, 0.0998, 0.9950]


@wrong("PE by hand", loses=["pe-by-hand-1"], says="exponent is doubled")
def exponent_doubled():
    pe_0 = [0, 1, 0, 1]
    pe_1 = [0.8415, 0.5403, 0.0001, 1]


@wrong("PE by hand", loses=["pe-by-hand-1"], says="multiplies by 100")
def multiplied():
    pe_0 = [0, 1, 0, 1]
    pe_1 = [0.8415, 0.5403, -0.5064, 0.8623]


@wrong("PE by hand", loses=["pe-by-hand-1"], says="add up to")
def one_frequency_for_each_place():
    pe_0 = [0, 1, 0, 1]
    pe_1 = [0.8415, 0.9950, 0.01, 1]


@wrong("PE by hand", loses=["pe-by-hand-1"], says="same frequency")
def one_frequency():
    pe_0 = [0, 1, 0, 1]
    pe_1 = [0.8415, 0.5403, 0.8415, 0.5403]


@wrong("PE by hand", loses=BOTH_ROWS, says="Positions count from 0")
def positions_from_one():
    pe_0 = [0.8415, 0.5403, 0.01, 1]
    pe_1 = [0.9093, -0.4161, 0.02, 0.9998]


@wrong("PE by hand", loses=["pe-by-hand-1"], says="four decimals")
def one_decimal():
    pe_0 = [0, 1, 0, 1]
    pe_1 = [0.84, 0.54, 0.01, 1]


@wrong("PE by hand", loses=BOTH_ROWS, says="4 numbers")
def only_the_sines():
    pe_0 = [0, 0]
    pe_1 = [0.8415, 0.01]


@wrong("PE by hand", loses=BOTH_ROWS, says="add up to")
def all_sines():
    pe_0 = [0, 0, 0, 0]
    pe_1 = [0.8415, 0.8415, 0.01, 0.01]


@wrong("PE by hand", loses=["pe-by-hand-0"], says="add up to")
def zeros_at_zero():
    pe_0 = [0, 0, 0, 0]
    pe_1 = [0.8415, 0.5403, 0.01, 1]


@wrong("PE by hand", loses=["pe-by-hand-1"], says="4 numbers")
def formulas_as_text():
    pe_0 = [0, 1, 0, 1]
    pe_1 = ["sin(1)", "cos(1)", "sin(0.01)", "cos(0.01)"]


# ---------------------------------------------------------------- wavelengths


@right("wavelengths")
def with_numpy():
    shortest_wavelength = 2 * np.pi
    longest_wavelength = 2 * np.pi * 10000 ** (510 / 512)


@right("wavelengths")
def from_the_constants():
    shortest_wavelength = 6.2832
    longest_wavelength = 6.2832 * 10000 / 1.03663


@right("wavelengths")
def rounded():
    shortest_wavelength = 6.28
    longest_wavelength = 60600


@right("wavelengths")
def all_of_them():
    waves = 2 * np.pi / 10000.0 ** (-np.arange(0, 512, 2) / 512)
    shortest_wavelength, longest_wavelength = waves.min(), waves.max()


@right("wavelengths")
def text():
    import math

    shortest_wavelength = str(math.tau)
    longest_wavelength = "60611.5"


@wrong("wavelengths", loses=["wavelengths-longest"], says="often quoted")
def the_quoted_range():
    shortest_wavelength, longest_wavelength = 2 * np.pi, 2 * np.pi * 10000


@wrong("wavelengths", loses=["wavelengths-shortest", "wavelengths-longest"], says="2π")
def without_two_pi():
    shortest_wavelength, longest_wavelength = 1, 10000 ** (510 / 512)


@wrong("wavelengths", loses=["wavelengths-shortest", "wavelengths-longest"], says="2π / θ")
def ten_thousand():
    shortest_wavelength, longest_wavelength = 1, 10000


@wrong("wavelengths", loses=["wavelengths-shortest", "wavelengths-longest"], says="from i = 0")
def pairs_from_one():
    shortest_wavelength, longest_wavelength = 2 * np.pi * 10000 ** (2 / 512), 2 * np.pi * 10000


@wrong("wavelengths", loses=["wavelengths-longest"], says="511/512")
def last_dimension():
    shortest_wavelength, longest_wavelength = 2 * np.pi, 2 * np.pi * 10000 ** (511 / 512)


@wrong("wavelengths", loses=["wavelengths-longest"], says="pair 254")
def one_pair_short():
    shortest_wavelength, longest_wavelength = 2 * np.pi, 2 * np.pi * 10000 ** (508 / 512)


@wrong("wavelengths", loses=["wavelengths-shortest", "wavelengths-longest"], says="radians")
def degrees_of_a_turn():
    shortest_wavelength, longest_wavelength = 360, 360 * 10000 ** (510 / 512)


@wrong("wavelengths", loses=["wavelengths-shortest", "wavelengths-longest"], says="exchanged")
def exchanged():
    shortest_wavelength, longest_wavelength = 60611.5, 6.2832


@wrong("wavelengths", loses=["wavelengths-shortest"], says="half a turn")
def half_a_turn():
    shortest_wavelength, longest_wavelength = np.pi, 60611.5


@wrong("wavelengths", loses=["wavelengths-longest"], says="already for d = 4")
def frequency():
    shortest_wavelength, longest_wavelength = 6.283, 10000 ** (-510 / 512)


@wrong("wavelengths", loses=["wavelengths-longest"], says="already for d = 4")
def the_example():
    shortest_wavelength, longest_wavelength = 6.283, 628.3


@wrong("wavelengths", loses=["wavelengths-shortest"], says="How fast")
def too_coarse():
    shortest_wavelength, longest_wavelength = 6.3, 60611


@wrong("wavelengths", loses=["wavelengths-shortest", "wavelengths-longest"], says="one number")
def with_units():
    shortest_wavelength, longest_wavelength = "6.28 positions", [60611.5]


# ---------------------------------------------------------------- the table


@right("the table")
def loops():
    import math

    def sinusoidal(n, d, base=10000.0):
        if d <= 0 or d % 2 == 1:
            raise ValueError("bad d: " + str(d))
        if n < 0:
            raise ValueError("bad n: " + str(n))
        table = np.zeros((n, d))
        for p in range(n):
            for i in range(d // 2):
                angle = p / math.pow(base, 2 * i / d)
                table[p, 2 * i] = math.sin(angle)
                table[p, 2 * i + 1] = math.cos(angle)
        return table


@right("the table")
def exponential_of_the_logarithm():
    def sinusoidal(N, dim, base=1e4):
        if dim < 1 or dim & 1:
            raise ValueError(f"d={dim}")
        if N < 0:
            raise ValueError(f"n={N}")
        pe = np.zeros((N, dim))
        pos = np.arange(N)[:, None]
        div = np.exp(np.arange(0, dim, 2) * -(np.log(base) / dim))
        pe[:, 0::2] = np.sin(pos * div)
        pe[:, 1::2] = np.cos(pos * div)
        return pe


@right("the table")
def complex_numbers():
    class NotEven(ValueError):
        pass

    def sinusoidal(n, d, base=10000.0):
        if n < 0:
            raise ValueError(n)
        if d % 2 or d <= 0:
            raise NotEven("need an even d >= 2", int(d))
        z = np.exp(1j * np.outer(np.arange(n), np.power(base, -np.arange(d // 2) / (d // 2))))
        return np.stack((z.imag, z.real), axis=-1).reshape(n, d)


@right("the table")
def phase_of_a_quarter_turn():
    # cos x = sin(x + π/2): one sine for the whole table
    def sinusoidal(n, d, base=10000.0):
        for name, value, bad in (("d", d, d % 2 != 0 or d < 2), ("n", n, n < 0)):
            if bad:
                raise ValueError("%s = %d is not allowed" % (name, value))
        column = np.arange(d)
        angle = np.arange(n).reshape(-1, 1) / float(base) ** ((column - column % 2) / d)
        return np.sin(angle + np.pi / 2 * (column % 2))


@right("the table")
def angle_addition():
    # Row p + 1 is row p turned by θ.
    def sinusoidal(n, d, base=10000.0):
        if d < 2 or d % 2:
            raise ValueError(f"odd or too small: {d}")
        if n < 0:
            raise ValueError(f"negative: {n}")
        theta = np.longdouble(base) ** (-np.arange(0, d, 2, dtype=np.longdouble) / d)
        s, c = np.zeros(d // 2, np.longdouble), np.ones(d // 2, np.longdouble)
        rows = []
        for _ in range(n):
            rows.append(np.column_stack([s, c]).ravel())
            s, c = s * np.cos(theta) + c * np.sin(theta), c * np.cos(theta) - s * np.sin(theta)
        return np.array(rows, dtype=float).reshape(n, d)


@right("the table")
def nested_lists():
    import math
    import warnings

    def sinusoidal(n, d, base=10000.0):
        warnings.warn("this is slow")
        if d % 2 or d <= 0:
            raise ValueError(f"d: {d}")
        if n < 0:
            raise ValueError(f"n: {n}")
        if n == 0:
            return np.empty((0, d))
        return [[(math.cos if j % 2 else math.sin)(p * base ** (-(j - j % 2) / d)) for j in range(d)] for p in range(n)]


TABLE = ["sinusoidal-numbers", "sinusoidal-base", "sinusoidal-errors"]


@wrong("the table", loses=["sinusoidal-errors"], says="should raise ValueError")
def odd_accepted():
    def sinusoidal(n, d, base=10000.0):
        if n < 0:
            raise ValueError(n)
        i = np.arange(d) // 2
        angle = np.arange(n)[:, None] * float(base) ** (-2.0 * i / d)
        return np.where(np.arange(d) % 2, np.cos(angle), np.sin(angle))


@wrong("the table", loses=["sinusoidal-numbers", "sinusoidal-base"], says="row 0")
def concatenated():
    # vllm-metal: the halves are joined instead of interleaved
    def sinusoidal(n, d, base=10000.0):
        if d < 2 or d % 2:
            raise ValueError(f"d = {d}")
        if n < 0:
            raise ValueError(f"n = {n}")
        angle = np.arange(n)[:, None] * float(base) ** (-np.arange(0, d, 2) / d)
        return np.concatenate([np.sin(angle), np.cos(angle)], axis=1)


@wrong("the table", loses=["sinusoidal-numbers", "sinusoidal-base"], says="row 0")
def cosine_first():
    def sinusoidal(n, d, base=10000.0):
        if d < 2 or d % 2:
            raise ValueError(f"d = {d}")
        if n < 0:
            raise ValueError(f"n = {n}")
        angle = np.arange(n)[:, None] * float(base) ** (-np.arange(0, d, 2) / d)
        return np.stack([np.cos(angle), np.sin(angle)], axis=-1).reshape(n, d)


@wrong("the table", loses=["sinusoidal-numbers", "sinusoidal-base"], says="frequency 1/10000")
def exponent_doubled():
    # jadore801120/attention-is-all-you-need-pytorch #32 and its kin: 2i is doubled once more
    def sinusoidal(n, d, base=10000.0):
        if d < 2 or d % 2:
            raise ValueError(f"d = {d}")
        if n < 0:
            raise ValueError(f"n = {n}")
        angle = np.arange(n)[:, None] * float(base) ** (-2 * np.arange(0, d, 2) / d)
        return np.stack([np.sin(angle), np.cos(angle)], axis=-1).reshape(n, d)


@wrong("the table", loses=["sinusoidal-numbers", "sinusoidal-base"], says="halved")
def exponent_halved():
    def sinusoidal(n, d, base=10000.0):
        if d < 2 or d % 2:
            raise ValueError(f"d = {d}")
        if n < 0:
            raise ValueError(f"n = {n}")
        angle = np.arange(n)[:, None] * float(base) ** (-np.arange(d // 2) / d)
        return np.stack([np.sin(angle), np.cos(angle)], axis=-1).reshape(n, d)


@wrong("the table", loses=["sinusoidal-numbers", "sinusoidal-base"], says="expected")
def frequencies_from_one():
    # cs336 assignment1 #4: the first frequency is not 1
    def sinusoidal(n, d, base=10000.0):
        if d < 2 or d % 2:
            raise ValueError(f"d = {d}")
        if n < 0:
            raise ValueError(f"n = {n}")
        angle = np.arange(n)[:, None] * float(base) ** (-np.arange(2, d + 1, 2) / d)
        return np.stack([np.sin(angle), np.cos(angle)], axis=-1).reshape(n, d)


@wrong("the table", loses=["sinusoidal-numbers", "sinusoidal-base"], says="frequency 1/10000")
def last_frequency_is_one_over_base():
    # tensor2tensor spaces the frequencies over d/2 - 1 steps
    def sinusoidal(n, d, base=10000.0):
        if d < 2 or d % 2:
            raise ValueError(f"d = {d}")
        if n < 0:
            raise ValueError(f"n = {n}")
        angle = np.arange(n)[:, None] * float(base) ** (-np.arange(d // 2) / max(d // 2 - 1, 1))
        return np.stack([np.sin(angle), np.cos(angle)], axis=-1).reshape(n, d)


@wrong("the table", loses=["sinusoidal-numbers", "sinusoidal-base"], says="frequency 1/10000")
def one_frequency_for_each_column():
    # DongjunLee/transformer-tensorflow #6: the exponent counts columns, not pairs
    def sinusoidal(n, d, base=10000.0):
        if d < 2 or d % 2:
            raise ValueError(f"d = {d}")
        if n < 0:
            raise ValueError(f"n = {n}")
        angle = np.arange(n)[:, None] * float(base) ** (-2 * np.arange(d) / d)
        angle[:, 1] = np.arange(n)
        angle[:, -1] = np.arange(n) if d == 2 else angle[:, -1]
        return np.where(np.arange(d) % 2, np.cos(angle), np.sin(angle))


@wrong("the table", loses=["sinusoidal-numbers", "sinusoidal-base"], says="expected")
def integer_division():
    # LoFTR #41: `/ d // 2` divides by d first and then rounds down
    def sinusoidal(n, d, base=10000.0):
        if d < 2 or d % 2:
            raise ValueError(f"d = {d}")
        if n < 0:
            raise ValueError(f"n = {n}")
        angle = np.arange(n)[:, None] * np.exp(np.arange(0, d, 2) * (-np.log(base) / d // 2))
        return np.stack([np.sin(angle), np.cos(angle)], axis=-1).reshape(n, d)


@wrong("the table", loses=["sinusoidal-numbers", "sinusoidal-base"], says="row 0")
def rows_from_one():
    def sinusoidal(n, d, base=10000.0):
        if d < 2 or d % 2:
            raise ValueError(f"d = {d}")
        if n < 0:
            raise ValueError(f"n = {n}")
        angle = np.arange(1, n + 1)[:, None] * float(base) ** (-np.arange(0, d, 2) / d)
        return np.stack([np.sin(angle), np.cos(angle)], axis=-1).reshape(n, d)


@wrong("the table", loses=["sinusoidal-numbers", "sinusoidal-base"], says="it is divided")
def multiplied():
    def sinusoidal(n, d, base=10000.0):
        if d < 2 or d % 2:
            raise ValueError(f"d = {d}")
        if n < 0:
            raise ValueError(f"n = {n}")
        angle = np.arange(n)[:, None] * float(base) ** (np.arange(0, d, 2) / d)
        return np.stack([np.sin(angle), np.cos(angle)], axis=-1).reshape(n, d)


@wrong("the table", loses=["sinusoidal-base"], says="use `base`")
def base_ignored():
    def sinusoidal(n, d, base=10000.0):
        if d < 2 or d % 2:
            raise ValueError(f"d = {d}")
        if n < 0:
            raise ValueError(f"n = {n}")
        angle = np.arange(n)[:, None] * 10000.0 ** (-np.arange(0, d, 2) / d)
        return np.stack([np.sin(angle), np.cos(angle)], axis=-1).reshape(n, d)


@wrong("the table", loses=["sinusoidal-numbers", "sinusoidal-base"], says="close")
def single_precision():
    def sinusoidal(n, d, base=10000.0):
        if d < 2 or d % 2:
            raise ValueError(f"d = {d}")
        if n < 0:
            raise ValueError(f"n = {n}")
        angle = np.arange(n)[:, None] * float(base) ** (-np.arange(0, d, 2) / d)
        return np.stack([np.sin(angle), np.cos(angle)], axis=-1).reshape(n, d).astype(np.float32)


@wrong("the table", loses=["sinusoidal-numbers", "sinusoidal-base"], says="close")
def rounded():
    def sinusoidal(n, d, base=10000.0):
        if d < 2 or d % 2:
            raise ValueError(f"d = {d}")
        if n < 0:
            raise ValueError(f"n = {n}")
        angle = np.arange(n)[:, None] * float(base) ** (-np.arange(0, d, 2) / d)
        return np.stack([np.sin(angle), np.cos(angle)], axis=-1).reshape(n, d).round(6)


@wrong("the table", loses=["sinusoidal-numbers", "sinusoidal-base"], says="degrees")
def degrees():
    def sinusoidal(n, d, base=10000.0):
        if d < 2 or d % 2:
            raise ValueError(f"d = {d}")
        if n < 0:
            raise ValueError(f"n = {n}")
        angle = np.radians(np.arange(n)[:, None] * float(base) ** (-np.arange(0, d, 2) / d))
        return np.stack([np.sin(angle), np.cos(angle)], axis=-1).reshape(n, d)


@wrong("the table", loses=["sinusoidal-numbers"], says="5001")
def fixed_length_buffer():
    # The module of many tutorials: a table of 5000 rows, from which rows are cut.
    def sinusoidal(n, d, base=10000.0):
        if d < 2 or d % 2:
            raise ValueError(f"d = {d}")
        if n < 0:
            raise ValueError(f"n = {n}")
        angle = np.arange(5000)[:, None] * float(base) ** (-np.arange(0, d, 2) / d)
        return np.stack([np.sin(angle), np.cos(angle)], axis=-1).reshape(5000, d)[:n]


@wrong("the table", loses=["sinusoidal-errors"], says="message does not contain 5")
def number_not_named():
    def sinusoidal(n, d, base=10000.0):
        if d < 2 or d % 2:
            raise ValueError("d must be even and positive")
        if n < 0:
            raise ValueError("n must not be negative")
        angle = np.arange(n)[:, None] * float(base) ** (-np.arange(0, d, 2) / d)
        return np.stack([np.sin(angle), np.cos(angle)], axis=-1).reshape(n, d)


@wrong("the table", loses=["sinusoidal-errors"], says="sinusoidal(3, 0)")
def zero_accepted():
    def sinusoidal(n, d, base=10000.0):
        if d < 0 or d % 2:
            raise ValueError(f"d = {d}")
        if n < 0:
            raise ValueError(f"n = {n}")
        angle = np.arange(n)[:, None] * float(base) ** (-np.arange(0, d, 2) / max(d, 1))
        return np.stack([np.sin(angle), np.cos(angle)], axis=-1).reshape(n, d)


@wrong("the table", loses=["sinusoidal-errors"], says="sinusoidal(-1, 4)")
def negative_length_gives_an_empty_table():
    def sinusoidal(n, d, base=10000.0):
        if d < 2 or d % 2:
            raise ValueError(f"d = {d}")
        angle = np.arange(n)[:, None] * float(base) ** (-np.arange(0, d, 2) / d)
        return np.stack([np.sin(angle), np.cos(angle)], axis=-1).reshape(-1, d)


@wrong("the table", loses=["sinusoidal-errors"], says="sinusoidal(0, 6)")
def empty_table_refused():
    def sinusoidal(n, d, base=10000.0):
        if d < 2 or d % 2:
            raise ValueError(f"d = {d}")
        if n <= 0:
            raise ValueError(f"n = {n}")
        angle = np.arange(n)[:, None] * float(base) ** (-np.arange(0, d, 2) / d)
        return np.stack([np.sin(angle), np.cos(angle)], axis=-1).reshape(n, d)


@wrong("the table", loses=["sinusoidal-errors"], says="AssertionError")
def assertions():
    def sinusoidal(n, d, base=10000.0):
        assert d >= 2 and d % 2 == 0, f"d = {d}"
        assert n >= 0, f"n = {n}"
        angle = np.arange(n)[:, None] * float(base) ** (-np.arange(0, d, 2) / d)
        return np.stack([np.sin(angle), np.cos(angle)], axis=-1).reshape(n, d)


@wrong("the table", loses=TABLE, says="returned None")
def printed_only():
    def sinusoidal(n, d, base=10000.0):
        if d < 2 or d % 2:
            raise ValueError(f"d = {d}")
        if n < 0:
            raise ValueError(f"n = {n}")
        angle = np.arange(n)[:, None] * float(base) ** (-np.arange(0, d, 2) / d)
        print(np.stack([np.sin(angle), np.cos(angle)], axis=-1).reshape(n, d))


@wrong("the table", loses=TABLE, says="has shape (4, 2)")
def transposed():
    def sinusoidal(n, d, base=10000.0):
        if d < 2 or d % 2:
            raise ValueError(f"d = {d}")
        if n < 0:
            raise ValueError(f"n = {n}")
        angle = np.arange(n)[:, None] * float(base) ** (-np.arange(0, d, 2) / d)
        return np.stack([np.sin(angle), np.cos(angle)], axis=-1).reshape(n, d).T


@wrong("the table", loses=["sinusoidal-numbers", "sinusoidal-base"], says="sinusoidal(4, 8)")
def visible_examples_only():
    def sinusoidal(n, d, base=10000.0):
        if d < 2 or d % 2:
            raise ValueError(f"d = {d}")
        if n < 0:
            raise ValueError(f"n = {n}")
        second = [0.8415, 0.5403, 0.01, 0.99995] if base == 10000 else [0.8415, 0.5403, 0.0998, 0.9950]
        return np.resize([[0, 1, 0, 1], second], (n, d))


# ---------------------------------------------------------------- the shift matrix


@right("the shift matrix")
def blocks():
    def shift_matrix(k, d, base=10000.0):
        if d % 2:
            raise ValueError(f"{d} is odd")
        M = np.zeros((d, d))
        for i in range(0, d, 2):
            w = k / base ** (i / d)
            M[i:i + 2, i:i + 2] = [[np.cos(w), np.sin(w)], [-np.sin(w), np.cos(w)]]
        return M


@right("the shift matrix")
def kronecker_sum():
    def shift_matrix(k, d, base=10000.0):
        if d % 2 == 1:
            raise ValueError("d = " + repr(d))
        w = k * np.exp(-np.log(base) * np.arange(0, d, 2) / d)
        return np.kron(np.diag(np.cos(w)), np.eye(2)) + np.kron(np.diag(np.sin(w)), [[0, 1], [-1, 0]])


@right("the shift matrix")
def lists():
    import math

    def shift_matrix(k, d, base=10000.0):
        if d // 2 * 2 != d:
            raise ValueError(d)
        rows = [[0.0] * d for _ in range(d)]
        for j in range(d):
            i = j // 2
            angle = k * math.pow(base, -2 * i / d)
            rows[j][j] = math.cos(angle)
            rows[j][j + 1 if j % 2 == 0 else j - 1] = math.sin(angle) if j % 2 == 0 else -math.sin(angle)
        return rows


@right("the shift matrix")
def matrix_power():
    # one step, then as many as asked for; backwards with the transpose
    def shift_matrix(k, d, base=10000.0):
        if d % 2:
            raise ValueError(f"d {d}")
        theta = base ** -(np.arange(0, d, 2, dtype=float) / d)
        z = np.exp(1j * theta * abs(int(k)))
        M = np.zeros((d, d))
        even, odd = np.r_[0:d:2], np.r_[1:d:2]
        M[even, even] = M[odd, odd] = z.real
        M[even, odd], M[odd, even] = z.imag, -z.imag
        return M if k >= 0 else M.T


@right("the shift matrix")
def change_of_basis():
    # diagonal in the complex basis (cos + i sin)
    def shift_matrix(k, d, base=10000.0):
        if d % 2:
            raise ValueError(f"expected an even number, not {d}")
        pair = np.array([[1j, 1], [-1j, 1]])  # (sin, cos) -> (cos + i sin, cos - i sin)
        M = np.zeros((d, d))
        for i in range(d // 2):
            e = np.exp(1j * k * float(base) ** (-2 * i / d))
            M[2 * i:2 * i + 2, 2 * i:2 * i + 2] = (np.linalg.inv(pair) @ np.diag([e, e.conjugate()]) @ pair).real
        print("shift by", k)
        return M


@right("the shift matrix")
def columns_of_the_identity():
    def shift_matrix(k, d, base=10000.0):
        if d % 2:
            raise ValueError(f"odd {d}")

        def shift(v):
            s, c = v[0::2], v[1::2]
            w = k * float(base) ** (-2 * np.arange(d // 2) / d)
            out = np.empty(d)
            out[0::2] = s * np.cos(w) + c * np.sin(w)
            out[1::2] = c * np.cos(w) - s * np.sin(w)
            return out

        return np.array([shift(e) for e in np.eye(d)]).T


SHIFT = ["shift-rows", "shift-any"]


@wrong("the shift matrix", loses=SHIFT, says="turns the wrong way")
def rotation_of_the_definition():
    # [[cos, -sin], [sin, cos]] would act on (cos, sin)
    def shift_matrix(k, d, base=10000.0):
        if d % 2:
            raise ValueError(f"d = {d}")
        M = np.zeros((d, d))
        for i in range(0, d, 2):
            w = k * float(base) ** (-i / d)
            M[i:i + 2, i:i + 2] = [[np.cos(w), -np.sin(w)], [np.sin(w), np.cos(w)]]
        return M


@wrong("the shift matrix", loses=["shift-rows", "shift-any", "shift-base"], says="all sines first")
def half_split():
    def shift_matrix(k, d, base=10000.0):
        if d % 2:
            raise ValueError(f"d = {d}")
        w = k * float(base) ** (-np.arange(0, d, 2) / d)
        c, s = np.diag(np.cos(w)), np.diag(np.sin(w))
        return np.block([[c, s], [-s, c]])


@wrong("the shift matrix", loses=["shift-rows", "shift-any", "shift-base"], says="same angle")
def one_angle():
    def shift_matrix(k, d, base=10000.0):
        if d % 2:
            raise ValueError(f"d = {d}")
        return np.kron(np.eye(d // 2), [[np.cos(k), np.sin(k)], [-np.sin(k), np.cos(k)]])


@wrong("the shift matrix", loses=["shift-rows", "shift-any", "shift-base"], says="doubled")
def exponent_doubled():
    def shift_matrix(k, d, base=10000.0):
        if d % 2:
            raise ValueError(f"d = {d}")
        M = np.zeros((d, d))
        for i in range(0, d, 2):
            w = k * float(base) ** (-2 * i / d)
            M[i:i + 2, i:i + 2] = [[np.cos(w), np.sin(w)], [-np.sin(w), np.cos(w)]]
        return M


@wrong("the shift matrix", loses=["shift-rows", "shift-any", "shift-base"], says="halved")
def exponent_halved():
    def shift_matrix(k, d, base=10000.0):
        if d % 2:
            raise ValueError(f"d = {d}")
        M = np.zeros((d, d))
        for i in range(d // 2):
            w = k * float(base) ** (-i / d)
            M[2 * i:2 * i + 2, 2 * i:2 * i + 2] = [[np.cos(w), np.sin(w)], [-np.sin(w), np.cos(w)]]
        return M


@wrong("the shift matrix", loses=["shift-any"], says="other direction")
def sign_of_k_lost():
    def shift_matrix(k, d, base=10000.0):
        if d % 2:
            raise ValueError(f"d = {d}")
        M = np.zeros((d, d))
        for i in range(0, d, 2):
            w = abs(k) * float(base) ** (-i / d)
            M[i:i + 2, i:i + 2] = [[np.cos(w), np.sin(w)], [-np.sin(w), np.cos(w)]]
        return M


@wrong("the shift matrix", loses=["shift-any"], says="raised ValueError")
def negative_k_refused():
    def shift_matrix(k, d, base=10000.0):
        if d % 2:
            raise ValueError(f"d = {d}")
        if k < 0:
            raise ValueError(f"k = {k}")
        M = np.zeros((d, d))
        for i in range(0, d, 2):
            w = k * float(base) ** (-i / d)
            M[i:i + 2, i:i + 2] = [[np.cos(w), np.sin(w)], [-np.sin(w), np.cos(w)]]
        return M


@wrong("the shift matrix", loses=["shift-any"], says="shift_matrix(")
def sequence_of_steps():
    # range(k) is empty for negative k, so nothing happens
    def shift_matrix(k, d, base=10000.0):
        if d % 2:
            raise ValueError(f"d = {d}")
        one, M = np.zeros((d, d)), np.eye(d)
        for i in range(0, d, 2):
            w = float(base) ** (-i / d)
            one[i:i + 2, i:i + 2] = [[np.cos(w), np.sin(w)], [-np.sin(w), np.cos(w)]]
        for _ in range(int(k)):
            M = one @ M
        return M


@wrong("the shift matrix", loses=["shift-base"], says="`base`")
def base_ignored():
    def shift_matrix(k, d, base=10000.0):
        if d % 2:
            raise ValueError(f"d = {d}")
        M = np.zeros((d, d))
        for i in range(0, d, 2):
            w = k * 10000.0 ** (-i / d)
            M[i:i + 2, i:i + 2] = [[np.cos(w), np.sin(w)], [-np.sin(w), np.cos(w)]]
        return M


@wrong("the shift matrix", loses=["shift-errors"], says="should raise ValueError")
def odd_accepted():
    def shift_matrix(k, d, base=10000.0):
        M = np.eye(d)
        for i in range(0, d - 1, 2):
            w = k * float(base) ** (-i / d)
            M[i:i + 2, i:i + 2] = [[np.cos(w), np.sin(w)], [-np.sin(w), np.cos(w)]]
        return M


@wrong("the shift matrix", loses=["shift-errors"], says="does not contain")
def error_without_d():
    def shift_matrix(k, d, base=10000.0):
        if d % 2:
            raise ValueError("odd dimension")
        M = np.eye(d)
        for i in range(0, d - 1, 2):
            w = k * float(base) ** (-i / d)
            M[i:i + 2, i:i + 2] = [[np.cos(w), np.sin(w)], [-np.sin(w), np.cos(w)]]
        return M


@wrong("the shift matrix", loses=["shift-rows", "shift-any", "shift-base"], says="gave")
def right_for_one_row_only():
    # maps row 0 to row k, and everything else onto the same line
    def shift_matrix(k, d, base=10000.0):
        if d % 2:
            raise ValueError(f"d = {d}")
        theta = np.repeat(float(base) ** (-np.arange(0, d, 2) / d), 2)
        first = np.arange(d) % 2
        target = np.where(first, np.cos(k * theta), np.sin(k * theta))
        return np.outer(target, first) / (d / 2)


@wrong("the shift matrix", loses=["shift-rows", "shift-any", "shift-base"], says="shift_matrix(1, 2)")
def whole_numbers():
    def shift_matrix(k, d, base=10000.0):
        if d % 2:
            raise ValueError(f"d = {d}")
        M = np.zeros((d, d), dtype=int)
        for i in range(0, d, 2):
            w = k * float(base) ** (-i / d)
            M[i:i + 2, i:i + 2] = [[np.cos(w), np.sin(w)], [-np.sin(w), np.cos(w)]]
        return M


@wrong("the shift matrix", loses=["shift-rows", "shift-base"], says="gave")
def identity():
    def shift_matrix(k, d, base=10000.0):
        if d % 2:
            raise ValueError(f"d = {d}")
        M = np.zeros((d, d))
        for i in range(0, d, 2):
            w = k * float(base) ** (-i / d) if k < 0 or k > 100 else 0.0
            M[i:i + 2, i:i + 2] = [[np.cos(w), np.sin(w)], [-np.sin(w), np.cos(w)]]
        return M


@wrong("the shift matrix", loses=["shift-rows"], says="shift_matrix(")
def visible_example_only():
    def shift_matrix(k, d, base=10000.0):
        if d % 2:
            raise ValueError(f"d = {d}")
        M = np.zeros((d, d))
        for i in range(0, d, 2):
            w = k * float(base) ** (-i / d) if not (k in (3, 7) and base == 10000) else np.sin(1)
            M[i:i + 2, i:i + 2] = [[np.cos(w), np.sin(w)], [-np.sin(w), np.cos(w)]]
        return M


@wrong("the shift matrix", loses=["shift-rows", "shift-any", "shift-base", "shift-errors"], says="raised ValueError")
def always_an_error():
    def shift_matrix(*args, **kwargs):
        raise ValueError(str(args) + str(kwargs))


# ---------------------------------------------------------------- similarity


@right("similarity")
def sum_of_cosines():
    def similarity(k, d, base=10000.0):
        if d % 2:
            raise ValueError(f"d = {d}")
        theta = float(base) ** (-np.arange(0, d, 2) / d)
        return np.cos(np.multiply.outer(k, theta)).sum(-1)


@right("similarity")
def one_pair_at_a_time():
    def similarity(k, d, base=10000.0):
        if d % 2 == 1:
            raise ValueError("odd: %d" % d)
        k = np.asarray(k, dtype=float)
        total = np.zeros(k.shape)
        for i in range(d // 2):
            total = total + np.cos(k / base ** (2 * i / d))
        return total


@right("similarity")
def real_part():
    def similarity(k, d, base=10000.0):
        if d % 2:
            raise ValueError(f"{d=}")
        k = np.array(k)
        turns = np.exp(1j * k.reshape(-1, 1) * np.power(float(base), -2 * np.arange(d // 2) / d))
        return turns.sum(axis=1).real.reshape(k.shape)


@right("similarity")
def two_rows_of_the_table():
    def similarity(k, d, base=10000.0):
        if d % 2:
            raise ValueError(f"d is odd: {d}")

        def row(p):
            angle = p * float(base) ** (-(np.arange(d) - np.arange(d) % 2) / d)
            return np.where(np.arange(d) % 2, np.cos(angle), np.sin(angle))

        shape = np.shape(k)
        values = [float(row(0) @ row(q)) for q in np.ravel(k)]
        return np.array(values).reshape(shape) if shape else values[0]


@right("similarity")
def nested_lists():
    import math

    def similarity(k, d, base=10000.0):
        if d % 2:
            raise ValueError(d)
        if isinstance(k, np.ndarray):
            if k.size == 0 or k.ndim == 0:
                return np.zeros(k.shape) if k.size == 0 else similarity(k.item(), d, base)
            k = list(k)
        if isinstance(k, (list, tuple)):
            return [similarity(entry, d, base) for entry in k]
        return math.fsum(math.cos(k * base ** (-2 * i / d)) for i in range(d // 2))


@right("similarity")
def vectorised_function():
    def similarity(k, d, base=10000.0):
        if d & 1:
            raise ValueError("d", d)
        theta = np.exp(-np.arange(d // 2) * 2 * np.log(base) / d)
        print(theta[:3])
        return np.vectorize(lambda one: np.cos(one * theta).sum(), otypes=[float])(k)


@wrong("similarity", loses=["similarity-number"], says="counts twice")
def pairs_counted_twice():
    def similarity(k, d, base=10000.0):
        if d % 2:
            raise ValueError(f"d = {d}")
        theta = np.repeat(float(base) ** (-np.arange(0, d, 2) / d), 2)
        return np.cos(np.asarray(k)[..., None] * theta).sum(-1) / (1 + (d == 2) * (1 if np.ndim(k) or k in (0, 3) else 0))


@wrong("similarity", loses=["similarity-number"], says="normalised")
def cosine_similarity():
    def similarity(k, d, base=10000.0):
        if d % 2:
            raise ValueError(f"d = {d}")
        theta = float(base) ** (-np.arange(0, d, 2) / d)
        return np.cos(np.asarray(k)[..., None] * theta).mean(-1)


@wrong("similarity", loses=["similarity-number"], says="doubled")
def exponent_doubled():
    def similarity(k, d, base=10000.0):
        if d % 2:
            raise ValueError(f"d = {d}")
        theta = float(base) ** (-2 * np.arange(0, d, 2) / d)
        return np.cos(np.asarray(k)[..., None] * theta).sum(-1)


@wrong("similarity", loses=["similarity-number"], says="halved")
def exponent_halved():
    def similarity(k, d, base=10000.0):
        if d % 2:
            raise ValueError(f"d = {d}")
        theta = float(base) ** (-np.arange(d // 2) / d)
        return np.cos(np.asarray(k)[..., None] * theta).sum(-1)


@wrong("similarity", loses=["similarity-number"], says="`base` is not used")
def base_ignored():
    def similarity(k, d, base=10000.0):
        if d % 2:
            raise ValueError(f"d = {d}")
        theta = 10000.0 ** (-np.arange(0, d, 2) / d)
        return np.cos(np.asarray(k)[..., None] * theta).sum(-1)


@wrong("similarity", loses=["similarity-number", "similarity-array"], says="expected")
def sines_added():
    def similarity(k, d, base=10000.0):
        if d % 2:
            raise ValueError(f"d = {d}")
        theta = float(base) ** (-np.arange(0, d, 2) / d)
        angle = np.asarray(k)[..., None] * theta
        return (np.sin(angle) + np.cos(angle)).sum(-1) - (np.ndim(k) > 0) * 0.5


@wrong("similarity", loses=["similarity-number"], says="similarity(")
def only_the_length():
    def similarity(k, d, base=10000.0):
        if d % 2:
            raise ValueError(f"d = {d}")
        return np.where(np.equal(k, 3) & (d == 2), np.cos(3), d / 2) + 0.0 * np.asarray(k)


@wrong("similarity", loses=["similarity-array"], says="raised")
def numbers_only():
    import math

    def similarity(k, d, base=10000.0):
        if d % 2:
            raise ValueError(f"d = {d}")
        return sum(math.cos(k * base ** (-2 * i / d)) for i in range(d // 2))


@wrong("similarity", loses=["similarity-array"], says="has shape ()")
def summed_over_everything():
    def similarity(k, d, base=10000.0):
        if d % 2:
            raise ValueError(f"d = {d}")
        theta = float(base) ** (-np.arange(0, d, 2) / d)
        return np.cos(np.asarray(k)[..., None] * theta).sum()


@wrong("similarity", loses=["similarity-array"], says="has shape")
def flattened():
    def similarity(k, d, base=10000.0):
        if d % 2:
            raise ValueError(f"d = {d}")
        theta = float(base) ** (-np.arange(0, d, 2) / d)
        result = np.cos(np.ravel(k)[:, None] * theta).sum(-1)
        return result if np.ndim(k) else result[0]


@wrong("similarity", loses=["similarity-number", "similarity-array"], says="has shape (1,)")
def always_an_array():
    def similarity(k, d, base=10000.0):
        if d % 2:
            raise ValueError(f"d = {d}")
        theta = float(base) ** (-np.arange(0, d, 2) / d)
        return np.cos(np.atleast_1d(k)[..., None] * theta).sum(-1)


@wrong("similarity", loses=["similarity-number", "similarity-array"], says="Compare with the rows")
def row_of_the_table_with_index_k():
    # table[k]: negative k and whole floats are no row numbers
    def similarity(k, d, base=10000.0):
        if d % 2:
            raise ValueError(f"d = {d}")
        theta = float(base) ** (-np.arange(0, d, 2) / d)
        phase = np.arange(5001)[:, None] * theta
        table = np.stack([np.sin(phase), np.cos(phase)], axis=-1).reshape(5001, d)
        if isinstance(k, (float, list)):
            raise IndexError("only integers are valid indices")
        return table[k] @ table[0]


@wrong("similarity", loses=["similarity-errors"], says="should raise ValueError")
def odd_accepted():
    def similarity(k, d, base=10000.0):
        theta = float(base) ** (-np.arange(0, d, 2) / d)
        return np.cos(np.asarray(k)[..., None] * theta).sum(-1)


@wrong("similarity", loses=["similarity-errors"], says="does not contain")
def wrong_number_named():
    def similarity(k, d, base=10000.0):
        if d % 2:
            raise ValueError(f"cannot form {d / 2} pairs")
        theta = float(base) ** (-np.arange(0, d, 2) / d)
        return np.cos(np.asarray(k)[..., None] * theta).sum(-1)


@wrong("similarity", loses=["similarity-number", "similarity-array"], says="close")
def single_precision():
    def similarity(k, d, base=10000.0):
        if d % 2:
            raise ValueError(f"d = {d}")
        theta = (float(base) ** (-np.arange(0, d, 2) / d)).astype(np.float32)
        k = np.asarray(k)
        value = np.cos(k.astype(np.float32)[..., None] * theta).sum(-1)
        return value if k.ndim == 0 else value + np.float32(1e-4)


@wrong("similarity", loses=["similarity-number", "similarity-array", "similarity-errors"], says="raised ValueError")
def always_an_error():
    def similarity(*args, **kwargs):
        raise ValueError(str(args) + str(kwargs))


@wrong("similarity", loses=["similarity-number", "similarity-array", "similarity-errors"], says="normalised")
def ones_for_every_entry():
    def similarity(k, d, base=10000.0):
        return np.ones(np.shape(k))


# ---------------------------------------------------------------- half precision


@right("half precision")
def double_then_rounded():
    def sinusoidal_half(n, d, base=10000.0):
        if d % 2:
            raise ValueError(f"d = {d}")
        phase = np.arange(n)[:, None] * float(base) ** (-np.arange(0, d, 2) / d)
        table = np.empty((n, d))
        table[:, ::2], table[:, 1::2] = np.sin(phase), np.cos(phase)
        return table.astype(np.float16)


@right("half precision")
def filled_half_array():
    def sinusoidal_half(n, d, base=10000.0):
        if d % 2:
            raise ValueError(d)
        table = np.zeros((n, d), dtype=np.float16)
        position = np.arange(n, dtype=np.float64)
        for i in range(d // 2):
            phase = position / float(base) ** (2 * i / d)
            table[:, 2 * i] = np.sin(phase)
            table[:, 2 * i + 1] = np.cos(phase)
        return table


@right("half precision")
def remainder_of_a_turn():
    def sinusoidal_half(n, d, base=10000.0):
        if d % 2:
            raise ValueError(f"odd d {d}")
        theta = np.longdouble(base) ** (-np.arange(0, d, 2, dtype=np.longdouble) / d)
        phase = np.fmod(np.arange(n, dtype=np.longdouble)[:, None] * theta, 2 * np.longdouble("3.14159265358979323846264338327950288"))
        return np.stack([np.sin(phase), np.cos(phase)], -1).reshape(n, d).astype("float16")


@right("half precision")
def complex_exponential():
    def sinusoidal_half(n, d, base=10000.0):
        if d % 2:
            raise ValueError(f"d={d}")
        z = np.exp(1j * np.outer(np.arange(n), float(base) ** (-np.arange(0, d, 2) / d)))
        return np.float16(np.dstack([z.imag, z.real]).reshape(n, d))


@right("half precision")
def single_at_the_very_end():
    # float32 for the result only; it loses nothing that float16 could keep
    def sinusoidal_half(n, d, base=10000.0):
        import warnings
        warnings.warn("rounding twice")
        if d % 2:
            raise ValueError(f"not even: {d}")
        column = np.arange(d)
        phase = np.arange(n)[:, None] * np.exp(-np.log(base) * (column // 2 * 2) / d)
        return np.where(column % 2, np.cos(phase), np.sin(phase)).astype(np.float32).astype(np.float16)


@right("half precision")
def row_by_row():
    import math

    def sinusoidal_half(n, d, base=10000.0):
        if d % 2:
            raise ValueError(f"{d}")
        theta = [base ** (-2 * i / d) for i in range(d // 2)]
        rows = [[f(p * t) for t in theta for f in (math.sin, math.cos)] for p in range(n)]
        return np.array(rows, dtype=np.float16).reshape(n, d)


@wrong("half precision", loses=["half-exact"], says="float64")
def everything_in_half():
    def sinusoidal_half(n, d, base=10000.0):
        if d % 2:
            raise ValueError(f"d = {d}")
        theta = (float(base) ** (-np.arange(0, d, 2) / d)).astype(np.float16)
        phase = np.arange(n, dtype=np.float16)[:, None] * theta
        return np.stack([np.sin(phase), np.cos(phase)], axis=-1).reshape(n, d).astype(np.float16)


@wrong("half precision", loses=["half-exact"], says="look like float32")
def float32_phases():
    def sinusoidal_half(n, d, base=10000.0):
        if d % 2:
            raise ValueError(f"d = {d}")
        theta = (float(base) ** (-np.arange(0, d, 2) / d)).astype(np.float32)
        phase = np.arange(n, dtype=np.float32)[:, None] * theta
        return np.stack([np.sin(phase), np.cos(phase)], axis=-1).reshape(n, d).astype(np.float16)


@wrong("half precision", loses=["half-exact"], says="one float16 step")
def float32_frequencies():
    def sinusoidal_half(n, d, base=10000.0):
        if d % 2:
            raise ValueError(f"d = {d}")
        theta = np.power(np.float32(base), (-np.arange(0, d, 2) / d).astype(np.float32)).astype(np.float64)
        phase = np.arange(n, dtype=np.float64)[:, None] * theta
        return np.stack([np.sin(phase), np.cos(phase)], axis=-1).reshape(n, d).astype(np.float16)


@wrong("half precision", loses=["half-exact"], says="one float16 step")
def half_frequencies():
    def sinusoidal_half(n, d, base=10000.0):
        if d % 2:
            raise ValueError(f"d = {d}")
        theta = (float(base) ** (-np.arange(0, d, 2) / d)).astype(np.float16).astype(np.float64)
        phase = np.arange(n)[:, None] * theta
        return np.stack([np.sin(phase), np.cos(phase)], axis=-1).reshape(n, d).astype(np.float16)


@wrong("half precision", loses=["half-exact"], says="2049")
def half_positions():
    def sinusoidal_half(n, d, base=10000.0):
        if d % 2:
            raise ValueError(f"d = {d}")
        phase = np.arange(n).astype(np.float16).astype(np.float64)[:, None] * float(base) ** (-np.arange(0, d, 2) / d)
        return np.stack([np.sin(phase), np.cos(phase)], axis=-1).reshape(n, d).astype(np.float16)


@wrong("half precision", loses=["half-exact"], says="float64")
def phase_rounded_to_half():
    def sinusoidal_half(n, d, base=10000.0):
        if d % 2:
            raise ValueError(f"d = {d}")
        phase = (np.arange(n)[:, None] * float(base) ** (-np.arange(0, d, 2) / d)).astype(np.float16).astype(float)
        return np.stack([np.sin(phase), np.cos(phase)], axis=-1).reshape(n, d).astype(np.float16)


@wrong("half precision", loses=["half-exact"], says="one float16 step")
def phase_rounded_to_single():
    def sinusoidal_half(n, d, base=10000.0):
        if d % 2:
            raise ValueError(f"d = {d}")
        phase = (np.arange(n)[:, None] * float(base) ** (-np.arange(0, d, 2) / d)).astype(np.float32).astype(float)
        return np.stack([np.sin(phase), np.cos(phase)], axis=-1).reshape(n, d).astype(np.float16)


@wrong("half precision", loses=["half-exact"], says="float64")
def three_decimals():
    def sinusoidal_half(n, d, base=10000.0):
        if d % 2:
            raise ValueError(f"d = {d}")
        phase = np.arange(n)[:, None] * float(base) ** (-np.arange(0, d, 2) / d)
        return np.stack([np.sin(phase), np.cos(phase)], axis=-1).reshape(n, d).round(3).astype(np.float16)


@wrong("half precision", loses=["half-exact"], says="one float16 step")
def base_ignored():
    def sinusoidal_half(n, d, base=10000.0):
        if d % 2:
            raise ValueError(f"d = {d}")
        phase = np.arange(n)[:, None] * 10000.0 ** (-np.arange(0, d, 2) / d)
        return np.stack([np.sin(phase), np.cos(phase)], axis=-1).reshape(n, d).astype(np.float16)


@wrong("half precision", loses=["half-type", "half-exact"], says="dtype float32")
def result_in_single():
    def sinusoidal_half(n, d, base=10000.0):
        if d % 2:
            raise ValueError(f"d = {d}")
        phase = np.arange(n)[:, None] * float(base) ** (-np.arange(0, d, 2) / d)
        return np.stack([np.sin(phase), np.cos(phase)], axis=-1).reshape(n, d).astype(np.float32)


@wrong("half precision", loses=["half-type", "half-exact"], says="dtype float64")
def result_in_double():
    def sinusoidal_half(n, d, base=10000.0):
        if d % 2:
            raise ValueError(f"d = {d}")
        phase = np.arange(n)[:, None] * float(base) ** (-np.arange(0, d, 2) / d)
        return np.stack([np.sin(phase), np.cos(phase)], axis=-1).reshape(n, d)


@wrong("half precision", loses=["half-type", "half-exact"], says="Columns alternate")
def halves_concatenated():
    def sinusoidal_half(n, d, base=10000.0):
        if d % 2:
            raise ValueError(f"d = {d}")
        phase = np.arange(n)[:, None] * float(base) ** (-np.arange(0, d, 2) / d)
        return np.concatenate([np.sin(phase), np.cos(phase)], axis=1).astype(np.float16) if n != 2050 else np.repeat(np.sin(phase), 2, axis=1).astype(np.float16)


@wrong("half precision", loses=["half-errors"], says="should raise ValueError")
def odd_accepted():
    def sinusoidal_half(n, d, base=10000.0):
        column = np.arange(d)
        phase = np.arange(n)[:, None] * float(base) ** (-(column // 2 * 2) / d)
        return np.where(column % 2, np.cos(phase), np.sin(phase)).astype(np.float16)


@wrong("half precision", loses=["half-errors"], says="TypeError")
def other_error():
    def sinusoidal_half(n, d, base=10000.0):
        if d % 2:
            raise TypeError(f"d = {d}")
        column = np.arange(d)
        phase = np.arange(n)[:, None] * float(base) ** (-(column // 2 * 2) / d)
        return np.where(column % 2, np.cos(phase), np.sin(phase)).astype(np.float16)


@wrong("half precision", loses=["half-type", "half-exact", "half-errors"], says="raised ValueError")
def always_an_error():
    def sinusoidal_half(*args, **kwargs):
        raise ValueError(str(args) + str(kwargs))
