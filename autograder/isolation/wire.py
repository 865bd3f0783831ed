"""The format in which values cross between the grader and a student's process.

A value is a tag byte and its content. Only plain data of exact types exists here: None, bool, int, float,
complex, str, bytes, list, tuple, dict, set, frozenset, slice, Ellipsis, NumPy arrays, scalars, dtypes and
random generators. Of a tuple, list or dict of another class of the student's, the content goes with the number of
the class: plain for the grader, it becomes one of the class when it comes back. Everything else is a handle: a
number that only the side that gave it can resolve. Nothing is unpickled, evaluated or imported. The decoder reads
what a hostile process wrote: each claim of a length is checked against the bytes that are there before anything is
allocated, and count and depth are bounded.
"""

import math
import re
import struct
import types
from collections import OrderedDict

import numpy as np

MAX_BYTES = 32 << 20  # one message
MAX_ITEMS = 300_000  # values in one message
MAX_ENTRIES = 2_000  # keys of one dict or set, which bounds what colliding hashes can cost
MAX_ALL_ENTRIES = 40_000  # keys of all dicts and sets of one message
MAX_PARTS = 10_000  # of all their keys that have parts: where hashes collide, each comparison goes through them
MAX_DEPTH = 60
MAX_INT = 1024  # bytes of one int
MAX_NAME = 200  # characters of names that come with a handle

# Plain dtypes: kind, item size and byte order. Object arrays travel item by item, others as handles.
DTYPE = re.compile(r"[<>|=](?:b1|[iu][1248]|f(?:2|4|8|16)|c(?:8|16|32)|[SU]\d{1,6})")
UNUSUAL = "VMm"  # kinds of dtypes: structured, dates and times
SCALAR_TYPES = {
    t.__name__: t
    for t in (
        np.bool_, np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64,
        np.float16, np.float32, np.float64, np.longdouble, np.complex64, np.complex128, np.ndarray,
        bool, int, float, complex, str, bytes, list, tuple, dict, set,
    )
}  # fmt: skip
# Their state is a few ints, which NumPy checks. Others hold indexes into buffers that it would believe.
GENERATORS = {t.__name__: t for t in (np.random.PCG64, np.random.PCG64DXSM)}
_generators = list(GENERATORS)  # on the wire, the position stands for the name
_state = struct.Struct("<B16s16sBI")  # which generator; state and increment; whether half of a number is kept, and that half

identity = object.__hash__  # as unique as id(), which is an audited event, so that each call would run the child's hook
INT, FLOAT, TEXT = b"ids"
MINE, YOURS, GIVEN = 0, 1, 2  # whose object a handle names, seen from the sender; GIVEN: a function that both have, by its name

_u16, _u32, _u64, _i64 = (struct.Struct(f) for f in ("<H", "<I", "<Q", "<q"))
_f64, _c128 = struct.Struct("<d"), struct.Struct("<dd")
_tagged_u32, _tagged_u64, _tagged_i64, _tagged_f64 = (struct.Struct(f"<c{f}") for f in "IQqd")
_shapes = [struct.Struct(f"<{n}Q") for n in range(33)]
OBJECTS = np.dtype(object)
MAX_FORMS = 1000
_written: dict[tuple, bytes] = {}  # (dtype, shape) of an array -> how both are written
_read: dict[bytes, tuple] = {}  # and the other way round, with the bytes that the content takes
_dtypes: dict[bytes, np.dtype] = {}  # by their text on the wire


class WireError(Exception):
    """A value that can't cross (encoding) or bytes that are no message (decoding)."""


class Handle:
    """What the encoder needs to write an object that stays where it is."""

    __slots__ = ("owner", "number", "abilities", "name")

    def __init__(self, owner, number, abilities=(), name=""):
        self.owner, self.number, self.abilities, self.name = owner, number, abilities, name


class Encoder:
    """Writes one message.

    export: object -> Handle, for what is not plain. mutables: lists, dicts, sets, arrays and generators in the
    order in which they were written; a second mention of one is written as a reference, so identity survives.
    number_of_class: a tuple, list or dict of another class -> the number of that class, or None: see `OfClass`.
    """

    __slots__ = ("out", "export", "number_of_class", "mutables", "references", "_numbers", "_count", "_entries", "_parts")

    def __init__(self, export, references=None, begin=b"", number_of_class=None):
        self.out = bytearray(begin)
        self.export = export
        self.number_of_class = number_of_class
        self.mutables = []
        self.references = references  # identity(object) -> number, to refer to the other side's mutables
        self._numbers = {}
        self._count = self._entries = self._parts = 0

    def put(self, value, depth=0):
        WRITERS.get(type(value), Encoder._put_other)(self, value, depth)

    def several(self, count, depth):
        """Before that many values are written into one: nesting and number are bounded here, bytes where texts and arrays are."""
        self._count += count
        if depth > MAX_DEPTH or self._count > MAX_ITEMS or len(self.out) > MAX_BYTES:
            raise WireError("the value is too large or too deeply nested to hand over")

    def keys(self, keys):
        """Before a dict or a set with these keys is written: what the decoder will allow."""
        self._entries += len(keys)
        self._parts += sum(_size(key) for key in keys if isinstance(key, (tuple, frozenset)))
        if len(keys) > MAX_ENTRIES or self._entries > MAX_ALL_ENTRIES or self._parts > MAX_PARTS:
            raise WireError("the dicts and sets are too large to hand over")

    def _put_other(self, value, depth):
        """Subclasses are written as their plain base, tuples, lists and dicts with their class; what has no plain base becomes a handle."""
        if self.number_of_class is not None and isinstance(value, (tuple, list, dict)) and (number := self.number_of_class(value)) is not None:
            self.put_of_class(b"o", number, value, depth)
        elif isinstance(value, np.generic) and not isinstance(value, np.character):
            self._put_scalar(value, depth)
        elif isinstance(value, np.ma.MaskedArray):
            self._put_masked(value, depth)
        elif isinstance(value, np.ndarray):
            _put_array(self, np.asarray(value), depth, value)
        elif isinstance(value, int) and not isinstance(value, bool):
            _put_int(self, int.__int__(value), depth)
        elif isinstance(value, float):
            _put_float(self, float.__float__(value), depth)
        elif isinstance(value, complex):
            _put_complex(self, complex(value.real, value.imag), depth)
        elif isinstance(value, str):
            _put_str(self, str.__str__(value), depth)
        elif isinstance(value, bytes):
            _put_bytes(self, bytes.__getitem__(value, slice(None)), depth)
        elif isinstance(value, bytearray):
            _put_bytes(self, bytes(value), depth)
        elif isinstance(value, tuple):
            _put_tuple(self, tuple.__getitem__(value, slice(None)), depth)
        elif isinstance(value, list):
            _put_list(self, value, depth)
        elif isinstance(value, dict):
            _put_dict(self, value, depth)
        elif isinstance(value, (set, frozenset)):
            _put_set(self, value, depth)
        elif isinstance(value, np.random.Generator):
            self._put_generator(value, depth)
        elif isinstance(value, np.dtype) and DTYPE.fullmatch(value.str):
            self.out += b"D"
            _raw(self, value.str.encode())
        elif isinstance(value, type) and SCALAR_TYPES.get(value.__name__) is value:
            self.out += b"Y"
            _raw(self, value.__name__.encode())
        elif value is Ellipsis:
            self.out += b"."
        elif isinstance(value, slice):
            self.several(3, depth)
            self.out += b"L"
            for part in (value.start, value.stop, value.step):
                self.put(part, depth + 1)
        else:
            put_handle(self, value, depth)

    def put_of_class(self, tag, number, value, depth):
        """The number of its class, then the content as plain. tag: "o" from the side that has the class, "u" from the other."""
        if isinstance(value, tuple):
            self.out += _tagged_u64.pack(tag, number)
            _put_tuple(self, value, depth)
        elif not self.seen(value):
            self.out += _tagged_u64.pack(tag, number)
            (_put_pairs if isinstance(value, dict) else _put_list_items)(self, value, depth)

    def seen(self, value):
        """Register a mutable; True when it was written as a reference."""
        key = identity(value)
        if self.references is not None:
            number = self.references.get(key)
            if number is None:
                return False
        else:
            number = self._numbers.get(key)
            if number is None:
                self._numbers[key] = len(self.mutables)
                self.mutables.append(value)
                return False
        self.out += b"r" + _u32.pack(number)
        return True

    def _put_scalar(self, value, depth):
        name = value.dtype.str
        if not DTYPE.fullmatch(name):
            put_handle(self, value, depth)
            return
        self.out += b"g"
        _raw(self, name.encode())
        _raw(self, np.generic.tobytes(value))

    def _put_masked(self, value, depth):
        plain = np.ma.asarray(value)
        if plain.dtype.kind in UNUSUAL:
            put_handle(self, value, depth)
            return
        self.out += b"k"
        for part in (np.asarray(plain.data), np.ma.getmaskarray(plain)):
            self._put_array_content(part, depth + 1)

    def _put_generator(self, value, depth):
        if self.seen(value):
            return
        state = value.bit_generator.state
        if GENERATORS.get(state.get("bit_generator")) is None:
            raise WireError("a random generator of this kind can't be handed over")
        self.out += b"R"
        self._put_state(state)

    def _put_state(self, state):
        name, numbers = state["bit_generator"], (state["state"][key].to_bytes(16, "little") for key in ("state", "inc"))
        self.out += _state.pack(_generators.index(name), *numbers, state["has_uint32"], state["uinteger"])

    def _put_array_content(self, value, depth):
        dtype, shape = value.dtype, value.shape
        form = _written.get((dtype, shape))
        if form is None:
            if len(shape) > 32:
                raise WireError("the array has too many dimensions to hand over")
            if dtype != OBJECTS and not DTYPE.fullmatch(dtype.str):
                raise WireError(f"an array of dtype {dtype} can't be handed over")
            name = b"O" if dtype == OBJECTS else dtype.str.encode()
            form = bytes((len(shape), len(name))) + _shapes[len(shape)].pack(*shape) + name
            if len(_written) < MAX_FORMS:
                _written[dtype, shape] = form
        self.out += form
        if dtype.hasobject:
            self.several(value.size, depth)
            for item in value.ravel().tolist():
                self.put(item, depth + 1)
            return
        if value.nbytes + len(self.out) > MAX_BYTES:
            raise WireError("the array is too large to hand over")
        self.out += value.tobytes()

    def put_content(self, value):
        """A mutable's present content, without the reference that `put` would write for it."""
        if isinstance(value, np.ndarray):
            self.out += b"a"
            self._put_array_content(np.asarray(value), 0)
        elif isinstance(value, np.random.Generator):
            self._put_state(value.bit_generator.state)
        elif isinstance(value, dict):
            self.put(tuple(dict.items(value)))
        else:
            self.put(tuple(list.__iter__(value) if isinstance(value, list) else value))


def _raw(encoder, data):
    encoder.out += _u32.pack(len(data))
    encoder.out += data


def put_handle(encoder, value, depth):
    handle = encoder.export(value)
    if handle.owner == YOURS:
        encoder.out += _tagged_u64.pack(b"y", handle.number)
        return
    if handle.owner == GIVEN:
        encoder.out += b"n"
        _put_str(encoder, handle.name, depth)
        return
    encoder.out += _tagged_u64.pack(b"h", handle.number)
    encoder.put(tuple(handle.abilities), depth + 1)
    encoder.put(handle.name[:MAX_NAME], depth + 1)


def _put_none(encoder, value, depth):
    encoder.out += b"N"


def _put_bool(encoder, value, depth):
    encoder.out += b"T" if value else b"F"


def _put_int(encoder, value, depth):
    if -(1 << 63) <= value < 1 << 63:
        encoder.out += _tagged_i64.pack(b"i", value)
        return
    length = value.bit_length() // 8 + 1
    if length > MAX_INT:
        raise WireError("the int is too large to hand over")
    encoder.out += b"I"
    _raw(encoder, value.to_bytes(length, "little", signed=True))


def _put_float(encoder, value, depth):
    encoder.out += _tagged_f64.pack(b"d", value)


def _put_complex(encoder, value, depth):
    encoder.out += b"c" + _c128.pack(value.real, value.imag)


def _put_str(encoder, value, depth):
    data = value.encode("utf-8", "surrogatepass")
    if len(data) + len(encoder.out) > MAX_BYTES:
        raise WireError("the text is too large to hand over")
    encoder.out += _tagged_u32.pack(b"s", len(data)) + data


def _put_bytes(encoder, value, depth):
    if len(value) + len(encoder.out) > MAX_BYTES:
        raise WireError("the bytes are too large to hand over")
    encoder.out += b"b"
    _raw(encoder, value)


def _put_items(encoder, tag, items, depth):
    encoder.several(len(items), depth)
    encoder.out += _tagged_u32.pack(tag, len(items))
    depth += 1
    for item in items:
        WRITERS.get(type(item), Encoder._put_other)(encoder, item, depth)


def _put_tuple(encoder, value, depth):
    _put_items(encoder, b"t", value, depth)


def _put_list(encoder, value, depth):
    if not encoder.seen(value):
        _put_list_items(encoder, value, depth)


def _put_list_items(encoder, value, depth):
    _put_items(encoder, b"l", list.__getitem__(value, slice(None)), depth)


def _put_dict(encoder, value, depth):
    if not encoder.seen(value):
        _put_pairs(encoder, value, depth)


def _put_pairs(encoder, value, depth):
    pairs = list(dict.items(value))
    encoder.keys([key for key, _ in pairs])
    encoder.several(2 * len(pairs), depth)
    encoder.out += b"m" + _u32.pack(len(pairs))
    for key, item in pairs:
        encoder.put(key, depth + 1)
        encoder.put(item, depth + 1)


def _put_set(encoder, value, depth):
    if isinstance(value, frozenset) or not encoder.seen(value):
        items = list(value)
        encoder.keys(items)
        _put_items(encoder, b"z" if isinstance(value, frozenset) else b"e", items, depth)


def _put_array(encoder, value, depth, itself=None):
    """itself: what the array is a plain view of, when it is not what was met."""
    if value.dtype.kind in UNUSUAL:
        put_handle(encoder, value if itself is None else itself, depth)
    elif not encoder.seen(value if itself is None else itself):
        encoder.out += b"a"
        encoder._put_array_content(value, depth)


def _put_float64(encoder, value, depth):
    encoder.out += _FLOAT64 + _f64.pack(value)


def _put_int64(encoder, value, depth):
    encoder.out += _INT64 + _i64.pack(value)


# How the most frequent NumPy scalars begin: tag, dtype and length.
_FLOAT64, _INT64 = (b"g" + _u32.pack(3) + name + _u32.pack(8) for name in (b"<f8", b"<i8"))

WRITERS = {
    type(None): _put_none, bool: _put_bool, int: _put_int, float: _put_float, complex: _put_complex, str: _put_str,
    np.float64: _put_float64, np.int64: _put_int64, bytes: _put_bytes, tuple: _put_tuple, list: _put_list, dict: _put_dict, set: _put_set, frozenset: _put_set,
    np.ndarray: _put_array, types.FunctionType: put_handle,
}  # fmt: skip


class OfClass:
    """A tuple, list or dict that is of another class in the student's process, where it becomes one again. Here it is plain.

    kind: the handle of that class.
    """

    kind = None


COPIES = {kind: type(f"{kind.__name__.title()}OfClass", (OfClass, kind), {}) for kind in (tuple, list, dict)}


def _put_copy(encoder, value, depth):
    if value.kind is None:  # made by a test, by type(value)(…)
        Encoder._put_other(encoder, value, depth)
    else:
        encoder.put_of_class(b"u", encoder.export(value.kind).number, value, depth)


WRITERS |= dict.fromkeys(COPIES.values(), _put_copy)
_BASES = (OrderedDict, dict, list, tuple)  # which make their objects by themselves; the first that a class derives from


def _again(kind, plain):
    """An object of a class of the student's from its plain content; the content itself where the class refuses."""
    try:
        base = next(b for b in _BASES if issubclass(kind, b))
        if base is tuple:
            return tuple.__new__(kind, plain)
        value = base.__new__(kind)
        if base is list:
            list.extend(value, plain)
        else:
            for key, item in plain.items():
                base.__setitem__(value, key, item)
        return value
    except Exception:
        return plain


class Decoder:
    """Reads one message. resolve: (owner, number, abilities, name) -> object, for handles.

    mutables: what the other side's `Encoder.mutables` lists, in the same order. referred: the objects that
    references point to; None where the message's own mutables are meant.
    """

    __slots__ = ("data", "length", "at", "resolve", "mutables", "referred", "shared", "_left", "_entries_left", "_parts_left")

    def __init__(self, data, resolve, referred=None, max_items=MAX_ITEMS, start=0):
        self.data = data  # bytes
        self.length = len(data)
        self.at = start
        self.resolve = resolve
        self.mutables = []
        self.referred = referred
        self.shared = False  # whether a reference to a container was read
        self._left = max_items
        self._entries_left, self._parts_left = MAX_ALL_ENTRIES, MAX_PARTS

    def get(self):
        """The message's only value; WireError for anything else."""
        value = self.part()
        self.end()
        return value

    def part(self):
        """The next value of a message that holds several."""
        return self._guarded(self._get, 0)

    def parts(self, count):
        """The next few."""
        return self._guarded(self._parts, count)

    def _parts(self, count):
        return [self._get(0) for _ in range(count)]

    def rest(self):
        """All values until the end."""
        return self._guarded(self._rest, 0)

    def _rest(self, depth):
        values = []
        while self.at < self.length:
            values.append(self._get(depth))
        return values

    def more(self):
        """Whether there is another value."""
        return self.at != self.length

    def end(self):
        if self.at != self.length:
            raise WireError("bytes after the value")

    def content_for(self, mutable):
        """What `Encoder.put_content` wrote, in the form that fits `mutable`: array, state, dict, set or list."""
        return self._guarded(self._content_for, mutable)

    def _content_for(self, mutable):
        if isinstance(mutable, np.ndarray):
            if self._take(1) != b"a":
                raise WireError("not an array")
            array = self._array_content(0)
            if array.shape != mutable.shape or array.dtype != mutable.dtype:
                raise WireError("an array of another form")
            return array
        if isinstance(mutable, np.random.Generator):
            return self.state()
        items = self._get(0)
        if type(items) is not tuple:
            raise WireError("not the content of a container")
        if not isinstance(mutable, list):
            self._spend(len(items))
            for item in items:
                self._compound(item[0] if isinstance(mutable, dict) else item)
        return dict(items) if isinstance(mutable, dict) else set(items) if isinstance(mutable, set) else list(items)

    def _guarded(self, read, argument):
        try:
            return read(argument)
        except WireError:
            raise
        except (ValueError, TypeError, KeyError, IndexError, OverflowError, struct.error, UnicodeError) as error:
            raise WireError(f"malformed: {type(error).__name__}") from None

    def _take(self, count):
        at = self.at
        self.at = end = at + count
        if end > self.length:
            raise WireError("the message ends too early")
        return self.data[at:end]

    def _number(self):
        """An unsigned number of four bytes."""
        at = self.at
        self.at = at + 4
        return _u32.unpack_from(self.data, at)[0]

    def _raw(self):
        return self._take(self._number())

    def _get(self, depth):
        """The next value. The most frequent kinds are read here, without another call."""
        at, data = self.at, self.data
        tag = data[at]  # IndexError: the message ends too early
        if tag == INT:
            self.at = at + 9
            return _i64.unpack_from(data, at + 1)[0]
        if tag == FLOAT:
            self.at = at + 9
            return _f64.unpack_from(data, at + 1)[0]
        self.at = at + 1
        reader = _READERS.get(tag)
        if reader is None:
            raise WireError("unknown tag")
        return reader(self, depth)

    def _several(self, count, depth):
        """Before that many values are read: each takes a byte at least."""
        self._left -= count
        if depth > MAX_DEPTH or self._left < 0 or count > self.length - self.at:
            raise WireError("too many values, too deep, or more claimed than bytes are there")

    def _fixed(self, form):
        at = self.at
        self.at = at + form.size
        return form.unpack_from(self.data, at)[0]

    def _items(self, depth):
        at = self.at
        count = _u32.unpack_from(self.data, at)[0]
        self.at = at + 4
        self._several(count, depth)
        get, depth = self._get, depth + 1
        return [get(depth) for _ in range(count)]

    def _tuple(self, depth):
        return tuple(self._items(depth))

    def _list(self, depth):
        value = []
        self.mutables.append(value)
        value += self._items(depth)
        return value

    def _dict(self, depth):
        value = {}
        self.mutables.append(value)
        count = self._number()
        self._several(2 * count, depth)
        self._spend(count)
        for _ in range(count):
            key = self._get(depth + 1)
            self._compound(key)
            value[key] = self._get(depth + 1)
        return value

    def _set(self, depth):
        value = set()
        self.mutables.append(value)
        items = self._items(depth)
        self._spend(len(items))
        for item in items:
            self._compound(item)
        value.update(items)
        return value

    def _frozenset(self, depth):
        items = self._items(depth)
        self._spend(len(items))
        for item in items:
            self._compound(item)
        return frozenset(items)

    def _spend(self, entries):
        self._entries_left -= entries
        if entries > MAX_ENTRIES or self._entries_left < 0:
            raise WireError("too many keys")

    def _compound(self, key):
        if isinstance(key, (tuple, frozenset)):
            self._parts_left -= _size(key)
            if self._parts_left < 0:
                raise WireError("too many keys")

    def _int(self, depth):
        data = self._raw()
        if len(data) > MAX_INT:
            raise WireError("the int is too large")
        return int.from_bytes(data, "little", signed=True)

    def _str(self, depth=0):
        at = self.at + 4
        self.at = end = at + _u32.unpack_from(self.data, at - 4)[0]
        if end > self.length:
            raise WireError("the message ends too early")
        return str(self.data[at:end], "utf-8", "replace")  # lone surrogates would break every file that the text reaches

    def _dtype(self, name):
        dtype = _dtypes.get(name)
        if dtype is None:
            if not DTYPE.fullmatch(str(name, "ascii")):
                raise WireError("not a plain dtype")
            dtype = np.dtype(str(name, "ascii"))
            if len(_dtypes) < 100:
                _dtypes[name] = dtype
        return dtype

    def _form(self, text):
        """(shape, dtype, bytes of the content) of an array, whose bounds are checked before anything is allocated."""
        ndim = text[0]
        if ndim > 32:
            raise WireError("too many dimensions")
        shape = _shapes[ndim].unpack_from(text, 2)
        size = math.prod(shape)
        if size > MAX_BYTES or (not size and math.prod(n for n in shape if n) > MAX_BYTES):
            raise WireError("the shape is too large")
        name = text[2 + 8 * ndim :]
        dtype = OBJECTS if name == b"O" else self._dtype(name)
        if size and not dtype.itemsize:
            raise WireError("texts of no length, whose number nothing bounds")
        form = shape, dtype, size * (0 if dtype is OBJECTS else dtype.itemsize)
        if len(_read) < MAX_FORMS:
            _read[text] = form
        return form

    def _array_content(self, depth):
        data, at = self.data, self.at
        start = at + 2 + 8 * data[at] + data[at + 1]
        text = data[at:start]
        shape, dtype, count = _read.get(text) or self._form(text)
        self.at = end = start + count
        if end > self.length:
            raise WireError("the message ends too early")
        kind = dtype.kind
        if count and kind in "fiuc":
            return np.ndarray(shape, dtype, data, start).copy()
        if kind == "O":
            return self._objects(shape, depth)
        if kind == "b":
            return (np.frombuffer(data, np.uint8, count, start) != 0).reshape(shape)
        if not count:
            return np.zeros(shape, dtype)
        if kind == "U" and np.any(np.frombuffer(data[start:end], dtype.byteorder.replace("|", "=") + "u4") > 0x10FFFF):
            raise WireError("not text")
        return np.ndarray(shape, dtype, data, start).copy()

    def _objects(self, shape, depth):
        size = math.prod(shape)
        self._several(size, depth)
        array = np.empty(size, dtype=object)
        for index in range(size):
            array[index] = self._get(depth + 1)
        return array.reshape(shape)

    def _array(self, depth):
        index = len(self.mutables)
        self.mutables.append(None)
        self.mutables[index] = array = self._array_content(depth)
        return array

    def _masked(self, depth):
        data, mask = self._array_content(depth), self._array_content(depth)
        if mask.dtype != bool or mask.shape != data.shape:
            raise WireError("the mask does not fit")
        return np.ma.MaskedArray(data, mask)

    def _scalar(self, depth):
        at = self.at
        if self.data.startswith(_FLOAT64, at - 1):
            self.at = at + 19
            return np.float64(_f64.unpack_from(self.data, at + 11)[0])
        dtype, data = self._dtype(self._raw()), self._raw()
        if len(data) != dtype.itemsize:
            raise WireError("wrong size of a scalar")
        if dtype.kind == "b":
            return np.bool_(data[0] != 0)
        if dtype.kind == "U":
            raise WireError("not a number")
        return np.frombuffer(data, dtype)[0] if dtype.itemsize else np.zeros((), dtype)[()]

    def state(self):
        """A generator's state."""
        number, *state, kept, half = _state.unpack(self._take(_state.size))
        state, increment = (int.from_bytes(data, "little") for data in state)
        if not increment & 1 or kept > 1:  # NumPy would believe it, and could search for ever
            raise WireError("not the state of a generator")
        return {"bit_generator": _generators[number], "state": {"state": state, "inc": increment}, "has_uint32": kept, "uinteger": half}

    def _generator(self, depth):
        self._several(12, depth)  # it takes the memory of some dozen values
        state = self.state()
        generator = np.random.Generator(GENERATORS[state["bit_generator"]](np.random.SeedSequence(0)))
        set_state(generator, state)
        self.mutables.append(generator)
        return generator

    def _reference(self, depth):
        number = self._number()
        table = self.mutables if self.referred is None else self.referred
        if number >= len(table):
            raise WireError("a reference to nothing")
        value = table[number]
        self.shared = self.shared or isinstance(value, (list, dict)) or (isinstance(value, np.ndarray) and value.dtype.hasobject)
        return value

    def _slice(self, depth):
        self._several(3, depth)
        return slice(self._get(depth + 1), self._get(depth + 1), self._get(depth + 1))

    def _copy(self, depth):
        """A tuple, list or dict that is of another class on the other side."""
        number, index, plain = self._fixed(_u64), len(self.mutables), self._content()(self, depth)
        value = COPIES[type(plain)](plain)
        value.kind = self.resolve(MINE, number, (), "class")
        return self._instead(index, value)

    def _object(self, depth):
        """One that becomes an object of its class, on the student's side."""
        if self.referred is not None:
            raise WireError("a class that is not for this side to make objects of")
        number, index, plain = self._fixed(_u64), len(self.mutables), self._content()(self, depth)
        return self._instead(index, _again(self.resolve(YOURS, number, (), ""), plain))

    def _content(self):
        """The reader of a tuple, list or dict, which is next."""
        reader = _READERS.get(self.data[self.at])
        if reader not in (Decoder._tuple, Decoder._list, Decoder._dict):
            raise WireError("a class without content")
        self.at += 1
        return reader

    def _instead(self, index, value):
        if not isinstance(value, tuple):
            self.mutables[index] = value
        return value

    def _theirs(self, depth):
        self._several(2, depth)
        number = self._fixed(_u64)
        abilities, name = self._get(depth + 1), self._get(depth + 1)
        if type(abilities) is not tuple or type(name) is not str:
            raise WireError("a malformed handle")
        return self.resolve(MINE, number, abilities, name[:MAX_NAME])

    def _given(self, depth):
        if self.data[self.at] != TEXT:
            raise WireError("a malformed handle")
        self.at += 1
        return self.resolve(GIVEN, 0, (), self._str())

    def _ours(self, depth):
        return self.resolve(YOURS, self._fixed(_u64), (), "")


def _size(key):
    return sum(_size(part) if isinstance(part, (tuple, frozenset)) else 1 for part in key)


def expanded(values, changes):
    """How many values these hold when what is shared counts each time it occurs; WireError for what holds itself.

    changes: (mutable, its coming content) pairs. NumPy would walk through all of it, without a look at any clock.
    """
    coming, sizes = {id(mutable): content for mutable, content in changes}, {}

    def size(value):
        key = id(value)
        value = coming.get(key, value)
        if isinstance(value, dict):
            items = value.values()
        elif isinstance(value, np.ndarray) and value.dtype.hasobject:
            items = value.ravel().tolist()
        elif isinstance(value, (list, tuple)):
            items = value
        else:
            return 1
        if key not in sizes:
            sizes[key] = None
            sizes[key] = 1 + sum(size(item) for item in items)
        if sizes[key] is None:
            raise WireError("a container that holds itself")
        return sizes[key]

    return sum(size(value) for value in values)


def set_state(generator, state):
    """Put a decoded state into a random generator of the same kind; WireError when it is none."""
    name = type(generator.bit_generator).__name__
    if name not in GENERATORS or state.get("bit_generator") != name:
        raise WireError("the state of another generator")
    try:
        generator.bit_generator.state = state
    except Exception:
        raise WireError("not the state of a generator") from None


_READERS = {
    ord("N"): lambda d, _: None,
    ord("T"): lambda d, _: True,
    ord("F"): lambda d, _: False,
    ord("I"): Decoder._int,
    ord("c"): lambda d, _: complex(*_c128.unpack(d._take(16))),
    ord("s"): Decoder._str,
    ord("b"): lambda d, _: d._raw(),
    ord("l"): Decoder._list,
    ord("t"): Decoder._tuple,
    ord("m"): Decoder._dict,
    ord("e"): Decoder._set,
    ord("z"): Decoder._frozenset,
    ord("a"): Decoder._array,
    ord("k"): Decoder._masked,
    ord("g"): Decoder._scalar,
    ord("R"): Decoder._generator,
    ord("D"): lambda d, _: d._dtype(d._raw()),
    ord("Y"): lambda d, _: SCALAR_TYPES[str(d._raw(), "ascii")],
    ord("L"): Decoder._slice,
    ord("."): lambda d, _: Ellipsis,
    ord("r"): Decoder._reference,
    ord("o"): Decoder._copy,
    ord("u"): Decoder._object,
    ord("h"): Decoder._theirs,
    ord("y"): Decoder._ours,
    ord("n"): Decoder._given,
}
