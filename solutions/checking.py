# Helpers of the tests below. Nothing here needs to be read or changed: the tests use them to say in a
# sentence what was called, what came back and what to look at. Where they take a text (`what`) or wrong results
# (`known`), a function that makes them will do: it is called only when a check fails.
import copy

import numpy as np

SEED = 20170612  # hidden tests draw their data from generators seeded with SEED + a number


def show(value, limit=120, digits=6):
    """A short text for a value: small ones in full, large arrays by shape and type."""
    if isinstance(value, np.ndarray):
        if value.size > 12:
            return f"array of shape {value.shape}, {value.dtype}"
        value = value.tolist()
    if isinstance(value, float):
        return f"{value:.{digits}g}"
    if isinstance(value, (list, tuple)) and len(value) <= 12:
        text = ", ".join(show(v, limit, digits) for v in value)
        return f"[{text}]" if isinstance(value, list) else f"({text})"
    if callable(value):
        return getattr(value, "__name__", type(value).__name__)
    if isinstance(value, np.random.Generator):
        return "rng"
    text = " ".join(repr(value).split())
    return text if len(text) <= limit else text[: limit - 1] + "…"


def answer(name):
    """The student's object of that name, or an AssertionError that says that it is missing."""
    try:
        value = globals()[name]
    except KeyError:
        raise AssertionError(f"`{name}` is not defined. Run the cell that defines it, and keep its name.") from None
    if value is None or value is Ellipsis:
        raise AssertionError(f"`{name}` is still empty: replace the placeholder by your answer.")
    return value


def typed(name, shape=()):
    """The numbers that the student typed under that name, as an array of that shape; float() must take each."""
    def floats(value, depth):
        if depth and isinstance(value, str):
            raise ValueError
        return [floats(v, depth - 1) for v in value] if depth else float(value)

    value = answer(name)
    wanted = " by ".join(map(str, shape)) + " numbers" if shape else "one number"
    try:
        array = np.array(floats(value, len(shape)))
    except Exception:
        raise AssertionError(f"`{name}` should hold {wanted}, but it is {show(value)}.") from None
    if array.shape != tuple(shape):
        raise AssertionError(f"`{name}` should hold {wanted}, but it has shape {array.shape}.")
    return array


def chosen(name, key, options):
    """What the student chose for `key` in the dict of that name: one of `options`."""
    value = answer(name)
    if not isinstance(value, dict):
        raise AssertionError(f"`{name}` should be a dict, but it is {show(value)}.")
    if value.get(key) is None or value[key] is Ellipsis:
        raise AssertionError(f"`{name}` is still empty at {key!r}: put in one of {show(options)}.")
    got = bool(value[key]) if isinstance(value[key], np.bool_) else value[key]
    if not any(isinstance(got, type(option)) and got == option for option in options):
        raise AssertionError(f"`{name}` has {show(got)} at {key!r}; choose one of {show(options)}.")
    return got


def call(name, *args, **kwargs):
    """Call the student's function on copies of the arguments; failures become readable AssertionErrors.

    name: the function's name, or a callable that an earlier call returned. Fails when the function is
    missing, raises, returns None or changes an argument in place.
    """
    return _call(name, args, kwargs, in_place=False)


def result_of(name, *args, **kwargs):
    """Like `call`, but lets a change in place pass: for cells whose idea is another one, and for caches."""
    return _call(name, args, kwargs, in_place=True)


def calls(name, cases, in_place=False, refused=None, **options):
    """Yield call(name, *case, **options) for each case: what fails raises when its turn comes, the calls are made before.

    refused: number -> arguments of a call that must raise a ValueError which mentions the number; checked first.
    Where student code runs in a process of its own, as in the grader, one message asks for all of them.
    """
    function, refused = _function(name), refused or {}
    given = [([_copied(a) for a in case], {k: _copied(v) for k, v in options.items()}) for case in [*refused.values(), *cases]]
    at_once = getattr(function, "_call_all", None)
    outcomes = at_once(given) if at_once else [_as_it_is(_outcome(function, *each), each[0]) for each in given]
    for (number, case), outcome in zip(refused.items(), outcomes):
        _check_error(outcome, ValueError, number, lambda: called(name, *case, **options))
    for case, each, outcome in zip(cases, given[len(refused) :], outcomes[len(refused) :]):
        yield _result(outcome, name, case, options, *each, in_place)


def _as_it_is(outcome, args):
    """The outcome, with copies of arrays that the next call may write into."""
    def copied(value):
        if type(value) is np.ndarray:
            return value if any(value is a for a in args) else value.copy()
        return tuple(map(copied, value)) if type(value) is tuple else value

    return outcome[0], copied(outcome[1])


def _call(name, args, kwargs, in_place):
    function = _function(name)
    given, given_kw = [_copied(a) for a in args], {k: _copied(v) for k, v in kwargs.items()}
    return _result(_outcome(function, given, given_kw), name, args, kwargs, given, given_kw, in_place)


def _function(name):
    function = answer(name) if isinstance(name, str) else name
    if not callable(function):
        raise AssertionError(f"`{name}` should be a function, but it is {show(function)}.")
    return function


def _outcome(function, args, kwargs):
    try:
        return True, function(*args, **kwargs)
    except (Exception, SystemExit) as error:
        return False, error


def _result(outcome, name, args, kwargs, given, given_kw, in_place):
    """The value of a call, or the AssertionError that says what was wrong with it."""
    fine, result = outcome
    text = lambda: called(name, *args, **kwargs)
    if isinstance(result, NotImplementedError) and not fine:
        raise AssertionError(f"{text()} is not implemented yet.") from None
    if not fine:
        raise AssertionError(f"{text()} raised {type(result).__name__}: {result}") from None
    if result is None:
        raise AssertionError(f"{text()} returned None. Does every path of the function end in `return`?")
    if not in_place and not (_same(list(args), given) and _same(kwargs, given_kw)):
        raise AssertionError(f"{text()} changed its argument in place. Work on a copy.")
    return result


def _copied(value):
    """A deep copy of what a function must not change; quick for arrays and numbers, the usual arguments."""
    if isinstance(value, np.ndarray) and value.dtype != object:
        return value.copy(order="K")
    as_it_is = isinstance(value, (int, float, str, np.generic, np.random.Generator)) or callable(value)
    return value if as_it_is else copy.deepcopy(value)


def _same(before, after):
    """Whether arrays, also those inside lists, tuples and dicts, are still what they were."""
    if isinstance(before, np.ndarray):
        if isinstance(after, np.ndarray) and after.dtype == before.dtype != object and after.shape == before.shape and after.tobytes() == before.tobytes():
            return True
        return np.shape(after) == before.shape and np.array_equal(before, after, equal_nan=before.dtype.kind in "fc")
    if isinstance(before, dict):
        return list(before) == list(after) and _same(list(before.values()), list(after.values()))
    if isinstance(before, (list, tuple)):
        return len(before) == len(after) and all(_same(b, a) for b, a in zip(before, after))
    return before == after if isinstance(before, (int, float, str)) else True


def with_count_of_calls(function):
    """The same function, with the number of its calls as `calls`: what student code says of it counts only if it has called it."""
    def counting(*args, **kwargs):
        counting.calls += 1
        return function(*args, **kwargs)

    counting.calls = 0
    return counting


def called(name, *args, **kwargs):
    """The text of a call, for messages: rope(array([1., 0.]), 3)."""
    label = name if isinstance(name, str) else getattr(name, "__name__", "the function")
    parts = [show(a, 60) for a in args] + [f"{k}={show(v, 60)}" for k, v in kwargs.items()]
    return f"{label}({', '.join(parts)})"


def _text(what):
    return what() if callable(what) else what


def as_array(got, what="the result", shape=None, dtype=None):
    """`got` as a float array (or of `dtype`), after checks that it holds real numbers and has `shape`."""
    if np.ma.isMaskedArray(got) and np.ma.getmaskarray(got).any():
        raise AssertionError(f"{_text(what)} has masked places: every place needs a number.")
    try:
        array = np.asarray(got)
    except Exception:
        raise AssertionError(f"{_text(what)} should be an array of numbers, but it is {show(got)}.") from None
    if array.dtype.kind not in "biuf":
        raise AssertionError(f"{_text(what)} should hold real numbers, but it is {show(got)}.")
    if shape is not None and array.shape != tuple(shape):
        raise AssertionError(f"{_text(what)} has shape {array.shape}; expected {tuple(shape) if shape else 'a single number'}.")
    if dtype is not None and array.dtype != np.dtype(dtype):
        raise AssertionError(f"{_text(what)} has dtype {array.dtype}; expected {np.dtype(dtype)}.")
    return array if dtype is not None else array.astype(np.float64)


def truth(got, what="the result"):
    """`got` as a bool, after a check that it is one (Python's or NumPy's)."""
    if isinstance(got, (bool, np.bool_)) or (isinstance(got, np.ndarray) and got.shape == () and got.dtype == bool):
        return bool(got)
    raise AssertionError(f"{_text(what)} should be True or False, but it is {show(got)}.")


def near(got, want, rtol=1e-9, atol=1e-9):
    """Whether all numbers agree: |got - want| <= atol + rtol |want|; infinities must match, NaN never does."""
    got, want = np.asarray(got, dtype=np.float64), np.asarray(want, dtype=np.float64)
    if got.shape != want.shape:
        return False
    few = got.size <= 24  # for which plain Python is quicker
    if few and all(abs(g - w) - rtol * abs(w) <= atol for g, w in zip(got.ravel().tolist(), want.ravel().tolist())):
        return True
    with np.errstate(invalid="ignore"):
        difference = np.abs(got - want)
        if (difference - rtol * np.abs(want) <= atol).all():  # False wherever there is an infinity
            return True
        return bool(np.all((got == want) | (difference <= atol + rtol * np.where(np.isinf(want), 0, np.abs(want)))))


def expect(got, want, what, hint="", known=None, rtol=1e-9, atol=1e-9, shape=None, dtype=None, hidden=False):
    """Compare a result with the expected numbers, or raise an AssertionError that helps.

    what: the text of the call (see `called`). known: message -> the array that this misconception gives;
    the first that matches is named. Both may be functions that return it. hidden: do not print the expected numbers.
    """
    want = np.asarray(want)
    array = as_array(got, what, want.shape if shape is None else shape, dtype)
    if near(array, want, rtol, atol):
        return
    what, known = _text(what), known() if callable(known) else known or {}
    for message, wrong in known.items():
        wrong = np.asarray(wrong)
        if wrong.shape == array.shape and near(array, wrong, max(rtol, 1e-6), max(atol, 1e-6)):
            raise AssertionError(f"{what}: {message}")
    text, close = f"{what} is not right", near(array, want, 1e-5, 1e-5)
    if not hidden and want.size <= 12:
        digits = 12 if close else 6
        text = f"{what} gave {show(array, digits=digits)}; expected {show(want, digits=digits)}"
    if not np.all(np.isfinite(array) | (array == want)):
        text += ": it holds NaN or an infinity where a number should be"
    elif close:
        text += ". That is close, but not equal: is anything rounded, in float32, or changed by a small number?"
    raise AssertionError(f"{text}{'' if text.endswith('?') else '.'} {hint}".strip())


def expect_error(error, name, *args, mentions=None, **kwargs):
    """The call must raise `error` with a message that contains str(mentions)."""
    outcome = _outcome(_function(name), [_copied(a) for a in args], {k: _copied(v) for k, v in kwargs.items()})
    _check_error(outcome, error, mentions, lambda: called(name, *args, **kwargs))


def _check_error(outcome, error, mentions, text):
    fine, raised = outcome
    if fine:
        raise AssertionError(f"{text()} should raise {error.__name__}, but it returned a result.")
    if isinstance(raised, NotImplementedError):
        raise AssertionError(f"{text()} is not implemented yet.")
    if not isinstance(raised, error):
        raise AssertionError(f"{text()} should raise {error.__name__}, but it raised {type(raised).__name__}: {raised}")
    if mentions is not None and str(mentions) not in str(raised):
        raise AssertionError(
            f"{text()} raised {error.__name__} as it should, but its message does not contain {mentions}: it is {show(str(raised))}."
        )
