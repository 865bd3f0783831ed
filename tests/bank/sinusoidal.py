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


@wrong("PE by hand", loses=["pe-by-hand-0", "pe-by-hand-1"], says="alternate")
def halves_by_hand():
    pe_0 = [0, 0, 1, 1]
    pe_1 = [0.8415, 0.01, 0.5403, 1]


@wrong("PE by hand", loses=["pe-by-hand-1"], says="degrees")
def degrees_by_hand():
    pe_0 = [0, 1, 0, 1]
    pe_1 = [0.0175, 0.9998, 0.0002, 1]


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


@wrong("the table", loses=["sinusoidal-errors"], says="should raise ValueError")
def odd_accepted():
    def sinusoidal(n, d, base=10000.0):
        if n < 0:
            raise ValueError(n)
        i = np.arange(d) // 2
        angle = np.arange(n)[:, None] * base ** (-2.0 * i / d)
        return np.where(np.arange(d) % 2, np.cos(angle), np.sin(angle))
