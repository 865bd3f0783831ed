"""A student's process: runs cells and answers the grader's requests about what they defined.

Student code can change everything here. Nothing depends on it: the grader believes only the values that it
decodes, and they are worth what the student's own code could have returned.
"""

import builtins
import gc
import operator
import os
import signal
import sys
import threading
import types
from collections import defaultdict
from itertools import repeat

import numpy as np

from . import wire
from .channel import Channel
from .outputs import Collector, Stream
from .protocol import CALLBACK, DONE, FAILED, HEADER, KEEP, RAISED, REQUESTS, RETURNED, TELL, is_told
from .shell import publish_figures
from .watch import Watch

# Special methods that the grader may call on an object that stays here; the position is the name on the wire.
ABILITIES = ("__call__", "__iter__", "__next__", "__len__", "__getitem__", "__contains__", "__float__", "__int__", "__index__",
             "__complex__", "__array__")  # fmt: skip
OPERATIONS = {
    "__iter__": iter,
    "__next__": next,
    "__len__": len,
    "__getitem__": operator.getitem,
    "__contains__": operator.contains,
    "__float__": float,
    "__int__": int,
    "__index__": operator.index,
    "__complex__": complex,
    "__array__": lambda value, *_: np.array(value.__array__()),
}
MAX_HANDLES = 10_000


def abilities_of(kind):
    return tuple(i for i, name in enumerate(ABILITIES) if any(vars(k).get(name) is not None for k in kind.__mro__))


FUNCTION = abilities_of(types.FunctionType)


class Child:
    """Made before the fork, where that is quicker; `begin` makes it the one of this process. Until then it holds no cycle, which would stay."""

    def __init__(self, shell, limits):
        self.shell, self.limits = shell, limits
        self.collector = shell.collector = Collector(limits)
        self.objects, self.numbers = [], {}
        self.nonce = 0
        self.pure: dict[str, types.FunctionType] = {}  # given functions that the grader may name instead of passing its own
        self.lent: set[str] = set()  # those that it has named; the grader does not look for others
        self.told: dict = {}  # what the grader knows these names to stand for

    def attach(self, channel, watch):
        """What it speaks over, and what notices attempts at what is refused."""
        self.channel, self.watch, self.thread = channel, watch, threading.get_ident()
        self.actions = [getattr(self, f"do_{name}") for name in REQUESTS]

    def begin(self, channel):
        """In its own process, for good."""
        self.attach(channel, Watch())
        sys.stdout = sys.__stdout__ = Stream(self.collector, "stdout")
        sys.stderr = sys.__stderr__ = Stream(self.collector, "stderr")

    # --- objects that stay here ---

    def export(self, value):
        if isinstance(value, Callback):
            return wire.Handle(wire.YOURS, value.number)
        if type(value) is types.FunctionType and value.__name__ in self.lent and self.pure.get(value.__name__) is value:
            return wire.Handle(wire.GIVEN, 0, (), value.__name__)
        number = self.number(value)
        abilities = FUNCTION if type(value) is types.FunctionType else abilities_of(type(value))
        name = getattr(value, "__name__", None)
        return wire.Handle(wire.MINE, number, abilities, name if isinstance(name, str) else type(value).__name__)

    def number(self, value):
        """By which the grader can name what stays here. Raises WireError when there is too much."""
        number = self.numbers.get(wire.identity(value))
        if number is None:
            if len(self.objects) >= MAX_HANDLES:
                raise wire.WireError("too many objects were handed over")
            number = self.numbers[wire.identity(value)] = len(self.objects)
            self.objects.append(value)
        return number

    def number_of_class(self, value):
        """For the class of a tuple, list or dict; None where its content is not all that an object of the class holds."""
        kind = type(value)
        if isinstance(value, defaultdict) or any(vars(k).get("__slots__") for k in kind.__mro__):
            return None
        try:
            if object.__getattribute__(value, "__dict__"):
                return None
        except AttributeError:
            pass
        try:
            return self.number(kind)
        except wire.WireError:
            return None

    def resolve(self, owner, number, abilities, name):
        if owner == wire.GIVEN:
            self.lent.add(name)
            return self.pure[name]
        return self.objects[number] if owner == wire.YOURS else Callback(self, number, name)

    # --- requests ---

    def serve(self):
        while True:
            self.perform(*self.read())

    def read(self):
        data = self.channel.receive()
        kind, nonce = HEADER.unpack_from(data)
        decoder = wire.Decoder(data, self.resolve, max_items=10 * wire.MAX_ITEMS, start=HEADER.size)
        return kind, nonce, decoder.rest(), decoder.mutables

    def perform(self, kind, nonce, parts, mutables):
        """Do one request and send the reply, with the arguments that were changed in place."""
        outer, self.nonce = self.nonce, nonce
        snapshots = [_snapshot(m) for m in mutables]
        try:
            try:
                kind, reply = DONE, (self.actions[kind](*parts),)
            except BaseException as error:
                kind, reply = FAILED, _describe(error)
            self.reply(nonce, kind, reply, mutables, snapshots)
        finally:
            self.nonce = outer

    def reply(self, nonce, kind, parts, mutables=(), snapshots=()):
        news = self.news()
        try:
            # An array that has another form now can't be changed on the other side: it travels anew, where it is returned or held.
            reshaped = [m for m, s in zip(mutables, snapshots) if isinstance(m, np.ndarray) and (m.shape != s[0] or m.dtype is not s[1])]
            changed = [(i, m) for i, (m, s) in enumerate(zip(mutables, snapshots)) if _changed(m, s) or (reshaped and _holds(m, reshaped))]
            same = {wire.identity(m): i for i, m in enumerate(mutables)}
            for array in reshaped:
                del same[wire.identity(array)]
            data = self.encode(nonce, kind, parts, news, same, changed)
        except wire.WireError as error:
            data = self.encode(nonce, FAILED, (("TypeError",), str(error)), news)
        except BaseException as error:
            data = self.encode(nonce, FAILED, (("TypeError",), f"the value could not be handed over: {type(error).__name__}"), news)
        self.channel.send(data)

    def encode(self, nonce, kind, parts, news, references=None, changes=()):
        encoder = wire.Encoder(self.export, references or {}, HEADER.pack(kind, nonce), self.number_of_class)
        for part in parts:
            encoder.put(part)
        if news or changes:
            encoder.put(news)
            encoder.put(len(changes))
            for index, mutable in changes:
                encoder.put(index)
                encoder.put_content(mutable)
        return encoder.out

    def news(self):
        """(name, what it stands for, or None) for the names that no longer stand for what the grader was told."""
        namespace, news = self.shell.user_ns, []
        for name, value in self.told.items():
            if namespace.get(name) is not value:
                news.append((name, namespace.get(name)))
        for index, (name, value) in enumerate(news):
            if type(value) is types.FunctionType or is_told(value):
                self.told[name] = value
            else:
                del self.told[name]
                news[index] = name, None
        return tuple(news)

    def do_run(self, source, role=TELL):
        """role: TELL, KEEP or "" says what becomes of what the cell defines."""
        before = dict(self.shell.user_ns) if role else {}
        self.collector.start()
        failed, result = None, None
        try:
            result = self.shell.run_cell(source, store_history=True)
            publish_figures(self.collector)
        except BaseException as error:
            failed = error
            self.collector.error(type(error).__name__, _text(error), [])
        outputs = self.collector.stop()
        for name, value in list(self.shell.user_ns.items()) if role else ():  # a thread may define more meanwhile
            if before.get(name) is value or type(name) is not str:
                continue
            if role == KEEP:
                if type(value) is types.FunctionType:
                    self.pure[name] = value
            elif type(value) is types.FunctionType or (is_told(value) and not name.startswith("_")):  # as IPython's own do
                self.told.setdefault(name, None)
        if result is not None:
            failed = result.error_before_exec or result.error_in_exec
        return outputs, failed is None, self.watch.take()

    def do_run_all(self, cells):
        return tuple(self.do_run(*cell) for cell in cells)

    def do_get(self, name):
        namespace, hidden = self.shell.user_ns, self.shell.user_ns_hidden
        if name not in namespace or (name in hidden and namespace[name] is hidden[name]):
            raise NameError(f"name '{name}' is not defined")
        return namespace[name]

    def do_call(self, function, arguments, keywords):
        return function(*arguments, **dict(keywords))

    def do_call_all(self, function, cases, keywords):
        """Which of the calls returned, as bytes 1 and 0, and what came out. keywords: none, or those of each case."""
        fine, results = bytearray(), []
        for arguments, named in zip(cases, keywords or repeat(())):
            try:
                results.append(_as_it_is(function(*arguments, **dict(named)), arguments))
                fine.append(1)
            except BaseException as error:
                results.append(_describe(error))
                fine.append(0)
        return bytes(fine), tuple(results)

    def do_operate(self, name, value, arguments):
        return OPERATIONS[name](value, *arguments)

    def do_attribute(self, value, name):
        return getattr(value, name)

    def do_stay(self, processor):
        """Run on one processor, see Engine._share_a_processor."""
        os.sched_setaffinity(0, {processor})


def _as_it_is(result, arguments):
    """The result, with copies of its own arrays, for the next call may write into them."""
    if type(result) is np.ndarray:
        return result if any(result is argument for argument in arguments) else result.copy()
    return tuple(_as_it_is(part, arguments) for part in result) if type(result) is tuple else result


class Callback:
    """A function of the test's, as student code sees it."""

    def __init__(self, child, number, name):
        self._child, self.number = child, number
        self.__name__ = self.__qualname__ = name or "function"

    def __call__(self, *arguments, **keywords):
        child = self._child
        if threading.get_ident() != child.thread:
            raise RuntimeError("a function that a test passes in can be called from the main thread only")
        encoder = wire.Encoder(child.export, {}, HEADER.pack(CALLBACK, child.nonce), child.number_of_class)
        encoder.put(self.number)
        encoder.put(arguments)
        if (news := child.news()) or keywords:
            encoder.put(tuple(keywords.items()))
            encoder.put(news)
        child.channel.send(encoder.out)
        while True:
            kind, nonce, parts, mutables = child.read()
            if kind == RETURNED:
                return parts[0]
            if kind == RAISED:
                raise getattr(builtins, parts[0], RuntimeError)(parts[1])
            child.perform(kind, nonce, parts, mutables)  # the test calls us from inside its function


wire.WRITERS[Callback] = wire.put_handle


def _snapshot(value):
    if isinstance(value, np.ndarray):
        return value.shape, value.dtype, value.ravel().tolist() if value.dtype.hasobject else value.tobytes()
    if isinstance(value, dict):
        return list(dict.items(value))
    if isinstance(value, np.random.Generator):
        return value.bit_generator.state
    return list(list.__iter__(value) if isinstance(value, list) else value)


def _changed(value, before):
    now = _snapshot(value)
    if isinstance(value, np.ndarray):
        same_form = now[:2] == before[:2]  # a changed shape can't be handed back into the test's array
        return same_form and (not _same(now[2], before[2]) if value.dtype.hasobject else now[2] != before[2])
    if isinstance(value, dict):
        return len(now) != len(before) or any(k is not l or v is not w for (k, v), (l, w) in zip(now, before))
    if isinstance(value, np.random.Generator):
        return now != before
    return not _same(now, before)


def _same(now, before):
    return len(now) == len(before) and all(a is b for a, b in zip(now, before))


def _holds(value, arrays):
    """Whether a container holds one of the arrays, itself or within tuples."""
    items = dict.values(value) if isinstance(value, dict) else value if isinstance(value, (list, tuple)) else ()
    return any(any(item is array for array in arrays) or (isinstance(item, tuple) and _holds(item, arrays)) for item in items)


def _text(error):
    try:
        return str(error)[:10_000]
    except BaseException:
        return "(its message could not be made)"


def _describe(error):
    """Names of the class and its bases, and the message: enough to raise its like on the other side."""
    names = tuple(str(c.__name__)[:100] for c in type(error).__mro__[:20])
    return names, _text(error)


def main(handles, child):
    """Run the child, which reads requests from one handle and writes to the other: never returns."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    builtins.input = _no_input
    channel = Channel(*handles, patient=True)
    child.begin(channel)
    pyplot = sys.modules.get("matplotlib.pyplot")
    if pyplot is not None:
        pyplot.show = lambda *args, **kwargs: publish_figures(child.collector)
    gc.enable()
    gc.set_threshold(10_000)  # the conversation makes many short-lived objects, and no cycles
    try:
        channel.send(b"ready")
        child.serve()
    except BaseException:
        pass  # the grader is gone, or student code broke this process
    os._exit(0)


def _no_input(prompt=""):
    raise EOFError("input() gets no answer in the grader: a notebook must run without a person")
