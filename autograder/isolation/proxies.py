"""Trusted side: what tests see of a student's process.

`Student` speaks with the child under deadlines. Plain values arrive as copies; functions and other objects as
`Handle`s whose calls, items and attributes are asked for one by one. A handle never answers a comparison and has
no truth value, so that an object of the student's can't decide a test.
"""

import builtins
import os
import re
import struct
import time
from types import FunctionType

import numpy as np

from . import wire
from .channel import Channel, Closed, Late, Violation
from .protocol import CALLBACK, DONE, FAILED, HEADER, KINDS, RAISED, RETURNED, is_told

BYTES_PER_CELL = 256 << 20  # what one cell may receive in all
NAMED = re.compile(r"\b[\w.<>]+\(\)")  # a function in Python's own messages
MAX_NAMES = 10_000
MAX_NESTING = 20  # functions of the test and of the student that call each other


class Stopped(BaseException):
    """The student's process can't go on: too late, gone, or it broke the protocol.

    Not an Exception, so that no test swallows it. kind: "late", "gone" or "violation".
    """

    def __init__(self, kind: str, detail: str = ""):
        super().__init__(detail or kind)
        self.kind, self.detail = kind, detail


_errors: dict[tuple[str, type], type] = {}
_bases = {name: kind for name, kind in vars(builtins).items() if isinstance(kind, type) and issubclass(kind, Exception)}
_bases |= {"LinAlgError": np.linalg.LinAlgError}
# Their constructors want more than a message, or they steer loops, so that `map` would end early: tests see the
# class that they derive from.
for _name in ("StopIteration", "StopAsyncIteration", "UnicodeDecodeError", "UnicodeEncodeError", "UnicodeTranslateError", "ExceptionGroup", "BaseExceptionGroup"):
    _bases.pop(_name, None)


def student_error(names: tuple, message: str) -> Exception:
    """An exception with the name of the student's class; caught as the built-in class that it derives from."""
    name = names[0] if names and names[0].isidentifier() else "StudentError"
    base = next((_bases[n] for n in names if n in _bases), Exception)
    kind = _errors.get((name, base))
    if kind is None:
        kind = type(name, (base,), {"__str__": lambda self: self.args[0], "__module__": "student"})
        if len(_errors) < 1000:
            _errors[name, base] = kind
    return kind(message)


def _described(names=None, text=None) -> tuple[tuple, str]:
    """How a child describes an exception; WireError for anything else."""
    if type(names) is not tuple or type(text) is not str or len(names) > 20 or not all(type(n) is str and len(n) <= 100 for n in names):
        raise wire.WireError("not an exception")
    return names, text[:10_000]


class Handle:
    """An object that stays in the student's process."""

    __slots__ = ("_student", "_number", "__name__", "__weakref__")

    def __init__(self, student, number, name):
        self._student, self._number, self.__name__ = student, number, name

    def __repr__(self):
        return f"<{self.__name__}>"

    def __bool__(self):
        raise TypeError(f"{self!r} is an object, not True or False")

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self

    def __reduce__(self):
        raise TypeError("objects of the student's stay in the student's process")

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return self._student.request("attribute", self, name)


def _call(self, *arguments, **keywords):
    return self._student.request("call", self, arguments, tuple(keywords.items()))


def _call_all(self, cases):
    """What the function gives for each (arguments, keywords): (True, value) or (False, exception), asked for at once."""
    named = tuple(tuple(keywords.items()) for _, keywords in cases)
    reply = self._student.request("call_all", self, tuple(tuple(arguments) for arguments, _ in cases), named if any(named) else ())
    if type(reply) is not tuple or [type(part) for part in reply] != [bytes, tuple] or not len(reply[0]) == len(reply[1]) == len(cases):
        raise TypeError("not the results of several calls")
    try:
        return [(True, result) if fine else (False, student_error(*_described(*(result if type(result) is tuple else ())))) for fine, result in zip(*reply)]
    except (wire.WireError, TypeError):
        raise TypeError("not the results of several calls") from None


def _array(self, dtype=None, copy=None):
    array = self._student.request("operate", "__array__", self, ())
    if type(array) is not np.ndarray:
        raise TypeError("__array__ did not give an array")
    return array if dtype is None else array.astype(dtype)


def _iter(self):
    # A plain generator on this side: what the student's __iter__ gives is asked for item by item.
    iterator = self._student.request("operate", "__iter__", self, ())
    if not isinstance(iterator, Handle):
        yield from iterator
        return
    while True:
        try:
            item = self._student.request("operate", "__next__", iterator, ())
        except Exception as error:
            if type(error).__name__ == "StopIteration":
                return
            raise
        yield item


def _next(self):
    try:
        return self._student.request("operate", "__next__", self, ())
    except Exception as error:
        if type(error).__name__ == "StopIteration":
            raise StopIteration from None
        raise


def _operation(name, kinds):
    def method(self, *arguments):
        value = self._student.request("operate", name, self, arguments)
        if kinds and type(value) not in kinds:
            raise TypeError(f"{name} gave {type(value).__name__}")
        return value

    return method


def _nonces():
    """Numbers that the child can't foresee, drawn many at once."""
    while True:
        yield from struct.unpack("<64Q", os.urandom(512))


# The same order as in child.py: a number on the wire names the method.
ABILITIES = (
    ("__call__", _call), ("__iter__", _iter), ("__next__", _next), ("__len__", _operation("__len__", (int,))),
    ("__getitem__", _operation("__getitem__", ())), ("__contains__", _operation("__contains__", (bool,))),
    ("__float__", _operation("__float__", (float,))), ("__int__", _operation("__int__", (int,))),
    ("__index__", _operation("__index__", (int,))), ("__complex__", _operation("__complex__", (complex,))), ("__array__", _array),
)  # fmt: skip
_kinds: dict[frozenset, type] = {}


def _kind(abilities: tuple) -> type:
    wanted = frozenset(a for a in abilities if type(a) is int and 0 <= a < len(ABILITIES))
    if wanted not in _kinds:
        methods = {ABILITIES[a][0]: ABILITIES[a][1] for a in wanted}
        if "__call__" in methods:
            methods["_call_all"] = _call_all
        kind = _kinds[wanted] = type("Handle", (Handle,), {"__slots__": (), **methods})
        wire.WRITERS[kind] = wire.put_handle
    return _kinds[wanted]


class Student:
    """The conversation with one child. All requests of a cell share `deadline`, set by `limit`."""

    def __init__(self, channel: Channel):
        self.channel = channel
        self.deadline = time.monotonic() + 10
        self.stopped: Stopped | None = None
        self.memory: int | None = None  # what this process may map while tests run, see `guard`
        self._left = BYTES_PER_CELL
        self.names: dict = {}  # what names stand for, as far as the child tells without being asked: functions and plain values
        self._handles: dict[int, Handle] = {}
        self.pure: dict = {}  # code of given functions that the child has kept -> their names, see `Tests`
        self._named: dict = {}  # those that a test has passed
        self._callbacks: list = []
        self._numbers: dict[int, int] = {}
        self._nesting = 0
        self._nonces = _nonces()

    def greet(self, seconds: float) -> None:
        """Wait until the child stands within its walls; before that no student code runs. Raises Stopped."""
        self.deadline = time.monotonic() + seconds  # it may have been in reserve for long
        try:
            greeting = bytes(self.channel.receive(self.deadline))
        except (Closed, Late, Violation) as error:
            raise Stopped("gone", f"the process for student code did not start: {type(error).__name__}") from None
        if greeting != b"ready":
            raise Stopped("gone", f"the process for student code did not start: {greeting.decode(errors='replace')}")
        if self.channel.closed:
            raise Stopped("gone", "the process for student code ended while it waited")

    def limit(self, deadline: float) -> None:
        """A new cell: its deadline and its share of data; functions of earlier tests are forgotten."""
        self.deadline, self._left = deadline, BYTES_PER_CELL
        self._callbacks, self._numbers, self._nesting = [], {}, 0

    def request(self, operation: str, *parts):
        """Ask the child; its answer as a value, its exception raised. Raises Stopped when it can't be asked."""
        if self.stopped:
            raise self.stopped
        if self._nesting >= MAX_NESTING:
            raise RecursionError("the test's and the student's functions call each other too deeply")
        nonce = next(self._nonces)
        encoder = wire.Encoder(self._export, begin=HEADER.pack(KINDS[operation], nonce))
        try:
            for part in parts:
                encoder.put(part)
        except wire.WireError as error:
            raise TypeError(str(error)) from None
        self._nesting += 1
        try:
            self._send(encoder.out)
            while True:
                kind, decoder = self._receive(nonce, encoder.mutables)
                if kind != CALLBACK:
                    return self._result(kind, decoder, encoder.mutables)
                self._call_back(nonce, decoder)
        except wire.WireError as error:
            self._stop("violation", f"a malformed message ({error})")
        finally:
            self._nesting -= 1

    def _result(self, kind, decoder, mutables):
        if kind not in (DONE, FAILED):
            raise wire.WireError("not an answer to the question")
        value, *text = decoder.parts(1 if kind == DONE else 2)
        changes = ()
        if decoder.more():
            news, count = decoder.parts(2)
            changes = self._changes(decoder, count, mutables)
            decoder.end()
            self._learn(news)
        if decoder.shared and changes:
            try:
                if wire.expanded([value, *(mutable for mutable, _ in changes)], changes) > wire.MAX_ITEMS:
                    raise wire.WireError("a container that holds another one too often")
            except (wire.WireError, RecursionError) as error:
                raise TypeError(f"the arguments were changed into {error}") from None
        # Only now, when all is read and well formed, the arguments change on this side.
        for mutable, content in changes:
            _apply(mutable, content)
        if kind == DONE:
            return value
        raise student_error(*_described(value, *text))

    def _learn(self, news):
        """What names stand for by now: functions and plain values, or None where the child has to be asked."""
        if type(news) is not tuple:
            raise wire.WireError("not the news of names")
        for item in news:
            if type(item) is not tuple or len(item) != 2 or type(item[0]) is not str or not (item[1] is None or isinstance(item[1], Handle) or is_told(item[1])):
                raise wire.WireError("not the news of a name")
            # What is kept must not grow with what is sent. For a name that is not kept, the child is asked.
            if item[0] in self.names or (len(item[0]) <= wire.MAX_NAME and len(self.names) < MAX_NAMES):
                self.names[item[0]] = item[1]

    def _changes(self, decoder, count, mutables):
        """The arguments that the student changed in place, with their new content, checked for form."""
        if type(count) is not int or not 0 <= count <= len(mutables):
            raise wire.WireError("too many changes")
        changes = []
        for _ in range(count):
            index = decoder.part()
            if type(index) is not int or not 0 <= index < len(mutables):
                raise wire.WireError("a change of nothing")
            changes.append((mutables[index], decoder.content_for(mutables[index])))
        return changes

    def _call_back(self, nonce, decoder):
        """The student called a function that the test had passed in."""
        number, arguments = decoder.parts(2)
        if type(number) is not int or type(arguments) is not tuple or not 0 <= number < len(self._callbacks):
            raise wire.WireError("a call of nothing")
        keywords = ()
        if decoder.more():
            keywords, news = decoder.parts(2)
            decoder.end()
            if type(keywords) is not tuple or not all(type(k) is tuple and len(k) == 2 and type(k[0]) is str for k in keywords):
                raise wire.WireError("malformed keywords")
            self._learn(news)
        try:
            kind, reply = RETURNED, (self._callbacks[number](*arguments, **dict(keywords)),)
        except Exception as error:
            text = NAMED.sub("the function", str(error))  # as in _export: the name may tell what the test expects
            kind, reply = RAISED, (next((c.__name__ for c in type(error).__mro__ if c.__name__ in _bases), "Exception"), text)
        try:
            self._send(self._encoded(kind, nonce, reply))
        except wire.WireError as error:
            self._send(self._encoded(RAISED, nonce, ("TypeError", str(error))))

    def _encoded(self, kind, nonce, parts):
        encoder = wire.Encoder(self._export, begin=HEADER.pack(kind, nonce))
        for part in parts:
            encoder.put(part)
        return encoder.out

    # --- the channel ---

    def _send(self, data) -> None:
        try:
            self.channel.send(data, self.deadline)
        except Closed:
            self._stop("gone")
        except Late:
            self._stop("late")
        except Violation as error:
            raise TypeError(str(error)) from None

    def _receive(self, nonce, mutables) -> tuple[int, wire.Decoder]:
        """The kind of the next message, and what reads its content."""
        try:
            data = self.channel.receive(self.deadline)
        except Closed:
            self._stop("gone")
        except Late:
            self._stop("late")
        except Violation as error:
            self._stop("violation", str(error))
        self._left -= len(data)
        if self._left < 0:
            self._stop("violation", "more data than one cell may hand over")
        kind, number = HEADER.unpack_from(data) if len(data) >= HEADER.size else (None, None)
        if number != nonce:
            raise wire.WireError("not an answer to the question")
        return kind, wire.Decoder(data, self._resolve, mutables, start=HEADER.size)

    def _stop(self, kind, detail=""):
        self.stopped = Stopped(kind, detail)
        raise self.stopped

    # --- objects ---

    def _export(self, value):
        if isinstance(value, Handle) and value._student is self:
            return wire.Handle(wire.YOURS, value._number)
        if isinstance(value, Handle):
            raise wire.WireError("an object of a process that was restarted")
        if not callable(value):
            raise wire.WireError(f"a {type(value).__name__} can't be handed to the student's code")
        if type(value) is FunctionType and (name := self.pure.get(value.__code__)) and value.__closure__ is None:
            self._named[name] = value
            return wire.Handle(wire.GIVEN, 0, (), name)
        number = self._numbers.get(id(value))
        if number is None:
            number = self._numbers[id(value)] = len(self._callbacks)
            self._callbacks.append(value)
        return wire.Handle(wire.MINE, number)  # its name stays here: it may say what the test expects of it

    def _resolve(self, owner, number, abilities, name):
        if owner == wire.GIVEN:
            if name not in self._named:
                raise wire.WireError("a handle of nothing")
            return self._named[name]
        if owner == wire.YOURS:
            if number >= len(self._callbacks):
                raise wire.WireError("a handle of nothing")
            return self._callbacks[number]
        handle = self._handles.get(number)
        if handle is None or type(handle) is not _kind(abilities):
            if len(self._handles) >= 10_000:
                raise wire.WireError("too many objects")
            handle = self._handles[number] = _kind(abilities)(self, number, name)
        return handle


def _apply(mutable, content) -> None:
    if isinstance(mutable, np.ndarray):
        if mutable.flags.writeable:
            np.copyto(mutable, content)
    elif isinstance(mutable, np.random.Generator):
        wire.set_state(mutable, content)
    elif isinstance(mutable, dict):
        mutable.clear()
        mutable.update(content)
    elif isinstance(mutable, set):
        mutable.clear()
        mutable.update(content)
    else:
        mutable[:] = content


# In every namespace, so that no name of the student's stands for a built-in, and because they are looked up often.
_builtins = {name: value for name, value in vars(builtins).items() if not name.startswith("_")}


class Namespace(dict):
    """The globals of one test cell: the trusted definitions; other names are asked of the student.

    trusted: names that the master's own cells define. They are never asked for, even when their cell failed.
    """

    def __init__(self, student: Student, trusted: frozenset):
        super().__init__(_builtins, __name__="__main__", __builtins__=builtins)
        self._student, self._trusted = student, trusted

    def __missing__(self, name):
        if type(name) is not str or name in self._trusted or name.startswith("__"):
            raise KeyError(name)
        value = self._student.names.get(name)
        if value is None:
            try:
                value = self._student.request("get", name)
            except NameError:
                raise KeyError(name) from None
        self[name] = value  # what was read once stays as it was
        return value

    def __contains__(self, name):
        try:
            self[name]
        except KeyError:
            return False
        return True

    def get(self, name, default=None):
        try:
            return self[name]
        except KeyError:
            return default
