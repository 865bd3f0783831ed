"""The wire format: what goes in comes out, and whatever bytes arrive, the decoder answers or raises WireError."""

import math
import struct
import tracemalloc

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from autograder.isolation import wire
from autograder.isolation.wire import Decoder, Encoder, Handle, WireError

BUDGET = settings(max_examples=300, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck))


class Opaque:
    """What the tests' `resolve` gives for a handle."""

    def __init__(self, *about):
        self.about = about


def export(value):
    return Handle(wire.MINE, id(value) % 2**32, (0, 3), type(value).__name__)


class Careless(Encoder):
    def keys(self, keys):
        pass


def encode(value, encoder=Encoder):
    encoder = encoder(export)
    encoder.put(value)
    return bytes(encoder.out)


def decode(data):
    return Decoder(data, Opaque).get()


def same(a, b):
    """Equal in value and exact type, NaN included."""
    if type(a) is not type(b):
        return False
    if isinstance(a, np.ndarray):
        return a.dtype == b.dtype and a.shape == b.shape and all(map(same, a.ravel().tolist(), b.ravel().tolist()))
    if isinstance(a, (list, tuple)):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, dict):
        return same(list(a.items()), list(b.items()))
    if isinstance(a, complex):
        return same([a.real, a.imag], [b.real, b.imag])
    if isinstance(a, (float, np.floating)):
        return (math.isnan(a) and math.isnan(b)) or (a == b and math.copysign(1, a) == math.copysign(1, b))
    if isinstance(a, np.complexfloating):
        return same(complex(a), complex(b))
    return a == b


DTYPES = st.one_of(
    hnp.boolean_dtypes(), hnp.integer_dtypes(endianness="?"), hnp.unsigned_integer_dtypes(endianness="?"),
    hnp.floating_dtypes(endianness="?"), hnp.complex_number_dtypes(endianness="?"), hnp.unicode_string_dtypes(endianness="?"), hnp.byte_string_dtypes(endianness="?"),
)  # fmt: skip
ARRAYS = hnp.arrays(DTYPES, hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=4))
KEYS = st.one_of(st.none(), st.booleans(), st.integers(), st.text(max_size=5), st.binary(max_size=5), st.tuples(st.integers()))
ATOMS = st.one_of(
    st.none(), st.booleans(), st.integers(), st.integers(-(2**2000), 2**2000), st.floats(), st.complex_numbers(),
    st.text(alphabet=st.characters(exclude_categories=["Cs"])), st.binary(), ARRAYS, st.just(Ellipsis),
    st.builds(slice, st.integers(), st.none(), st.integers()), st.sampled_from([np.float32(1.5), np.int64(-3), np.bool_(True), np.float64, np.dtype("<i4"), int]),
)  # fmt: skip
VALUES = st.recursive(
    ATOMS,
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.lists(inner, max_size=4).map(tuple), st.dictionaries(KEYS, inner, max_size=4), st.sets(KEYS, max_size=4), st.frozensets(KEYS, max_size=4)),
    max_leaves=12,
)


@BUDGET
@given(VALUES)
def test_round_trip(value):
    assert same(decode(encode(value)), value)


@BUDGET
@given(st.binary(max_size=200))
def test_any_bytes(data):
    _decodes_or_refuses(data)


TAGS = bytes(wire._READERS)
PIECES = st.one_of(
    st.sampled_from([bytes([t]) for t in TAGS]), st.integers(0, 2**32 - 1).map(struct.Struct("<I").pack), st.integers(0, 4).map(struct.Struct("<I").pack),
    st.integers(0, 2**64 - 1).map(struct.Struct("<Q").pack), st.sampled_from([b"\x03\0\0\0<f8", b"\x03\0\0\0|b1", b"\x01\0\0\0O", b"\x04\0\0\0<U99", b"\x06\0\0\0PCG64\0"]), st.binary(max_size=9),
)  # fmt: skip


@BUDGET
@given(st.lists(PIECES, max_size=30).map(b"".join))
def test_well_formed_pieces_in_any_order(data):
    _decodes_or_refuses(data)


@BUDGET
@given(VALUES, st.data())
def test_damaged_messages(value, data):
    message = bytearray(encode(value))
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(message) - 1))
        message[at] = data.draw(st.integers(0, 255))
    _decodes_or_refuses(bytes(message))
    _decodes_or_refuses(bytes(message[: len(message) // 2]))


def _decodes_or_refuses(data):
    tracemalloc.start()
    try:
        decode(data)
    except WireError:
        pass
    finally:
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert peak < 1_000_000 + 200 * len(data)


@BUDGET
@given(st.binary(max_size=100), st.sampled_from([np.zeros(3), [1, 2], {"a": 1}, {1}, np.random.default_rng(0)]))
def test_any_bytes_as_a_change(data, mutable):
    try:
        Decoder(data, Opaque).content_for(mutable)
    except WireError:
        pass


def form(dtype, *shape):
    """How an array begins, before its content."""
    return b"a" + bytes((len(shape), len(dtype))) + struct.pack(f"<{len(shape)}Q", *shape) + dtype


@pytest.mark.parametrize(
    "claim",
    [
        b"l\xff\xff\xff\xff", b"t\xff\xff\xff\x7fN", b"m\xff\xff\xff\xff", b"s\xff\xff\xff\xffabc", b"b\xff\xff\xff\xff", b"I\xff\xff\xff\xff",
        form(b"<f8", 2**64 - 1), form(b"<f8", 2**20, 2**20), b"a\x21\3" + b"\1" * 300, b"a\x21", b"a", form(b"<f8", 3) + b"\0" * 23,
        form(b"<f8", 0, 2**60), form(b"O", 2**24), form(b"<U9999999"), form(b"V8"), form(b"<M8[s]", 1) + b"\0" * 8, form(b"", 1), b"g\x03\0\0\0<f8\x04\0\0\0abcd",
        b"g\x02\0\0\0V8\x08\0\0\0abcdefgh", b"D\x01\0\0\0O", b"Y\x06\0\0\0object", b"R" + b"N", b"r\x05\0\0\0", b"h\x07" + b"\0" * 8, b"t\x01\0\0\0" * 100 + b"N", b"", b"NN", b"\0", b"R" * 100_000, b"L" * 100_000,
        b"n" * 100_000, b"n", b"ns", b"nN",
    ],
)  # fmt: skip
def test_claims_that_are_no_message(claim):
    with pytest.raises(WireError):
        Decoder(claim, Opaque, referred=[]).get()


class Float(float):
    def __eq__(self, other):
        return True

    __hash__ = float.__hash__


class List(list):
    def __iter__(self):
        return iter([7])


@pytest.mark.parametrize(
    ("value", "plain"),
    [
        (Float(2.5), 2.5), (List([1, 2]), [1, 2]), (np.float64(2), np.float64(2)), (np.str_("a"), "a"), (np.bytes_(b"a"), b"a"), (bytearray(b"x"), b"x"),
        (np.asmatrix([[1, 2]]), np.array([[1, 2]])), (np.array([1.0], ">f8"), np.array([1.0], ">f8")), (np.array([[1, "a"]], object), np.array([[1, "a"]], object)),
        (np.array([1, 2, 3])[::-1], np.array([3, 2, 1])), (np.array(3.0), np.array(3.0)), ("\ud800", "\ufffd\ufffd\ufffd"),
    ],
)  # fmt: skip
def test_subclasses_become_plain(value, plain):
    assert same(decode(encode(value)), plain)


def test_masked_arrays_keep_their_mask():
    got = decode(encode(np.ma.array([1.0, 2.0], mask=[True, False])))
    assert type(got) is np.ma.MaskedArray and got.mask.tolist() == [True, False]


def test_booleans_are_zero_or_one():
    got = decode(form(b"|b1", 3) + b"\x00\x01\x77")
    assert got.view(np.uint8).tolist() == [0, 1, 1]
    assert decode(b"g\x03\0\0\0|b1\x01\0\0\0\x05").view(np.uint8) == 1


@pytest.mark.parametrize("kind", sorted(wire.GENERATORS))
def test_generators_continue_where_they_were(kind):
    original = np.random.Generator(wire.GENERATORS[kind](5))
    original.normal(size=3)
    original.integers(0, 10, dtype=np.uint32)
    copy = decode(encode(original))
    assert copy.normal(size=5).tolist() == original.normal(size=5).tolist()


def test_what_is_the_same_stays_the_same():
    inner = [1]
    got = decode(encode((inner, inner, {"a": inner})))
    assert got[0] is got[1] is got[2]["a"]
    cycle = []
    cycle.append(cycle)
    got = decode(encode(cycle))
    assert got[0] is got


TOO_MUCH = {
    "list": lambda: [0] * 400_000, "text": lambda: "x" * 40_000_000, "int": lambda: 10**5000, "dict": lambda: {i: 0 for i in range(5000)},
    "array": lambda: np.zeros(5_000_000), "dimensions": lambda: np.zeros((1,) * 40),
}  # fmt: skip


@pytest.mark.parametrize("name", TOO_MUCH)
def test_too_large_or_no_plain_kind(name):
    with pytest.raises(WireError):
        encode(TOO_MUCH[name]())


def test_handles():
    got = decode(encode(print))
    assert got.about[0] == wire.MINE and got.about[2:] == ((0, 3), "builtin_function_or_method")


@pytest.mark.parametrize("array", [np.datetime64("2020"), np.zeros(2, "f8,i4")[0], np.zeros(2, "f8,i4"), np.zeros(2, "M8[s]"), np.ma.zeros(2, "f8,i4"), np.zeros(2, "f8,i4").view(np.recarray)])
def test_arrays_and_scalars_of_no_plain_kind_are_handles(array):
    assert decode(encode([array, 1]))[0].about[2:] == ((0, 3), type(array).__name__)


@pytest.mark.parametrize("dtype", [b"|S0", b"<U0"])
def test_texts_of_no_length_take_no_bytes_and_are_refused(dtype):
    data = form(dtype, wire.MAX_BYTES)
    with pytest.raises(wire.WireError):
        wire.Decoder(data, None).get()


@pytest.mark.parametrize("make", [dict.fromkeys, set, frozenset])
def test_keys_whose_hashes_collide_are_few(make):
    """What a comparison of two keys costs grows with their parts, and the hashes of tuples of numbers can be made equal."""
    prime = 2**61 - 1  # numbers that differ by it have the same hash
    long, short = ((1000,) * 27, (1000,)) if make is not dict.fromkeys else ((1000,) * 27, ())
    keys = make([(*long, number * prime) for number in range(1000)])
    with pytest.raises(WireError, match="too large"):
        encode(keys)
    with pytest.raises(WireError, match="too many keys"):
        decode(encode(keys, Careless))
    assert len(decode(encode(make([(*short, number) for number in range(1000)])))) == 1000


@pytest.mark.parametrize("place, value", [(-21, 254), (-5, 2)], ids=["even increment", "two halves kept"])
def test_a_state_that_numpy_would_search_for_ever_with_is_refused(place, value):
    message = bytearray(encode(np.random.default_rng(1)))
    assert decode(bytes(message)).random() == np.random.default_rng(1).random()
    message[place] = value
    with pytest.raises(WireError, match="generator"):
        decode(bytes(message))


def test_keys_of_all_dicts_together_are_bounded_on_both_sides():
    few, many = [dict.fromkeys(range(2000)) for _ in range(20)], [dict.fromkeys(range(2000)) for _ in range(21)]
    assert decode(encode(few)) == few
    with pytest.raises(WireError, match="too large"):
        encode(many)
    with pytest.raises(WireError, match="too many keys"):
        decode(encode(many, Careless))


@pytest.mark.parametrize("content", [b"", b"i" + bytes(8), b"r" + bytes(4), b"o" + bytes(8) + b"t" + bytes(4), b"N", b"e" + bytes(4), b"t\xff\xff\xff\x7f"])
def test_a_class_is_said_of_content_that_follows(content):
    with pytest.raises(WireError):
        decode(b"o" + bytes(8) + content)
    got = decode(b"o" + bytes(8) + b"t" + bytes(4))
    assert got == () and got.kind.about[:2] == (wire.MINE, 0)


def test_the_grader_makes_no_objects_of_classes():
    data = b"u" + bytes(8) + b"t" + bytes(4)
    assert wire.Decoder(data, lambda *_: Tuple).get() == Tuple() and type(wire.Decoder(data, lambda *_: Tuple).get()) is Tuple
    with pytest.raises(WireError, match="not for this side"):
        wire.Decoder(data, lambda *_: Tuple, referred=[]).get()


class Tuple(tuple):
    pass
