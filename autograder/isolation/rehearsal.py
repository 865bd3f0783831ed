"""In the zygote: what every child will do, some times over, so that children find Python's code ready for it.

Python rewrites the code of a function while it runs the first few times. Done here it is done once, and in memory that children share.
"""

import numpy as np

from . import protocol, wire
from .child import Child
from .limits import DEFAULT
from .shell import forget

TIMES = 10  # the interpreter has settled after eight or so
# What many answers use of NumPy, as far as NumPy has it in Python.
DEFINITION = """import numpy as np
def f(x, y, g=None):
    table = np.outer(x, y)
    parts = [np.sum(x), np.mean(table, axis=-1, keepdims=True), np.max(table, axis=1), np.prod(x), x.sum(), x.mean(), table.max(), table.std()]
    parts += [np.stack([x, y], axis=-1).reshape(-1), np.concatenate([x, y]), np.repeat(x, 2), np.tile(x, 2), np.transpose(table), np.broadcast_to(x, table.shape)]
    parts += [np.isclose(x, y), np.allclose(x, y), np.array_equal(x, y), np.linalg.norm(x), np.einsum("i,i", x, y), np.where(x > y, x, y), np.round(x), np.zeros_like(x)]
    return [*parts, g(x, 1) if g else 1.0]
"""


class _Nowhere:
    """A channel whose messages are written beforehand, and a watch that sees nothing."""

    def __init__(self):
        self.waiting: list[bytes] = []

    def send(self, message):
        pass

    def receive(self):
        return self.waiting.pop(0)

    def take(self):
        return ()


def rehearse(shell) -> None:
    """Run cells and answer requests in this process; then forget it all."""
    child, channel = Child(shell, DEFAULT), _Nowhere()
    child.attach(channel, channel)

    def tell(kind, *parts, handle=None):
        encoder = wire.Encoder(lambda _: handle, begin=protocol.HEADER.pack(kind, 0))
        for part in parts:
            encoder.put(part)
        channel.waiting.append(bytes(encoder.out))

    def ask(operation, *parts, handle=None):
        tell(protocol.KINDS[operation], *parts, handle=handle)
        if handle is callback:
            tell(protocol.RETURNED, 1.0)
        child.perform(*child.read())

    theirs, callback, rng = wire.Handle(wire.YOURS, 0), wire.Handle(wire.MINE, 0, (), "g"), np.random.default_rng(0)
    function = object()  # stands for a handle
    ask("run", DEFINITION)
    for number in range(TIMES):
        x = np.arange(4.0) + number
        ask("run_all", ((f"u = {number}.5\nv = [u, u]", protocol.TELL), ("f", "")))
        ask("get", "f")
        ask("call", function, (x, x + 1), (), handle=theirs)
        ask("call_all", function, ((x, [1.0, 2.0, 3.0, 4.0]), (x, 2 * x), (x, None)), (), handle=theirs)
        ask("call", function, (x, rng), (), handle=theirs)  # an error, and so is the last of the calls before
        ask("call", function, (x,), (("y", x),), handle=callback)
    child.actions.clear()  # they hold the child, which would stay
    forget(shell)
