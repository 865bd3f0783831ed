"""The engine itself: what it does when something beneath it dies, and what it promises to tests."""

import copy
import json
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from dataclasses import replace
from pathlib import Path

import nbformat
import numpy as np
import pytest

from autograder.assignment import Assignment
from autograder.isolation import engine as engines
from autograder.isolation import guard, protocol, runner, wire
from autograder.isolation.engine import Engine, EngineError, NotIsolated, missing_isolation
from autograder.isolation.limits import DEFAULT, Limits
from autograder.isolation.proxies import Handle, Namespace, Stopped, student_error
from autograder.isolation.tests import score

from . import synthetic

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def engine():
    with Engine() as engine:
        yield engine


@pytest.fixture
def student(engine):
    student = engine.fork()
    student.limit(time.monotonic() + 20)
    yield student
    engine.end_child()


def define(student, source):
    """Run a cell; the namespace of a test cell that sees what it defined."""
    outputs, fine, _ = student.request("run", textwrap.dedent(source))
    assert fine, outputs
    return Namespace(student, frozenset())


def full_marks(engine):
    return runner.run(synthetic.master(), synthetic.submission(), None, engine).points == 7


# --- proxies ---


def test_values_arrive_as_exact_types(student):
    names = define(student, "import numpy as np\na = [1, (2.5, 'x'), {'k': np.float32(3)}, None, True, b'b', {1}, 1j]\nb = np.arange(4).reshape(2, 2)")
    assert names["a"] == [1, (2.5, "x"), {"k": np.float32(3)}, None, True, b"b", {1}, 1j]
    assert type(names["a"][2]["k"]) is np.float32
    assert names["b"].tolist() == [[0, 1], [2, 3]]


def test_a_value_read_once_stays(student):
    names = define(student, "a = [1]")
    first = names["a"]
    student.request("run", "a.append(2); a = 5")
    assert names["a"] is first and first == [1]


def test_missing_names_are_name_errors(student):
    names = define(student, "a = 1")
    assert "zz" not in names and names.get("zz", 3) == 3
    with pytest.raises(NameError):
        exec("zz", names)
    for name in ("In", "Out", "get_ipython"):
        assert name not in names


def test_trusted_names_and_builtins_are_never_asked_for(student):
    names = Namespace(student, frozenset({"np"}))
    student.request("run", "np = 1\nabs = 2\n__name__ = 3")
    with pytest.raises(KeyError):
        names["np"]
    assert names["abs"] is abs and names["__name__"] == "__main__"


def test_functions_are_told_and_stay_true(student):
    """What a cell defines needs no question; what a call rebinds or deletes is known at once."""
    define(student, """
        def f(): return 1
        def g(): return 2
        def rebind(): global f, g; f = lambda: 3; g = 4
        def delete(): global f; del f
        class Callable:
            def __call__(self): return 5
        h = Callable()
    """)  # fmt: skip
    assert {"f", "g", "rebind", "delete"} <= set(student.names) and "h" not in student.names
    names = Namespace(student, frozenset())
    assert (names["f"](), names["g"](), names["h"]()) == (1, 2, 5)
    names["rebind"]()
    later = Namespace(student, frozenset())
    assert later["f"]() == 3 and later["g"] == 4
    assert names["f"]() == 1  # what was read once stays as it was
    names["delete"]()
    with pytest.raises(KeyError):
        Namespace(student, frozenset())["f"]
    student.request("run", "def f(): return 6")
    assert Namespace(student, frozenset())["f"]() == 6


def test_pure_given_functions_are_called_where_student_code_runs(student):
    given = "import os\ndef where(x): return os.getpid() + x"
    names = define(student, "def apply(f, x): return f(x), f")
    student.request("run", given, protocol.KEEP)
    student.request("run", "def where(x): return -1")  # a student's function of that name is another one
    trusted = {}
    exec(compile(given, "<given>", "exec"), trusted)
    mine = trusted["where"]
    number, same = names["apply"](mine, 0)
    assert number == os.getpid() and same is mine  # called back, as any function of a test's
    student.pure = {mine.__code__: "where"}
    number, same = names["apply"](mine, 0)
    assert number not in (os.getpid(), -1) and same is mine


def test_a_student_may_have_other_names_for_a_pure_function(student):
    student.request("run", "def where(x): return x + 1", protocol.KEEP)
    names = define(student, "other = where\ndef make(): return where")
    assert names["other"](1) == 2 and names["make"]()(1) == 2


def test_several_calls_at_once(student):
    names = define(student, """
        seen = []
        def f(x, *, by=1):
            seen.append(x)
            if x < 0: raise ValueError(f"{x} is negative")
            return x / by
        def leaves(x): raise SystemExit
        def changes(a): a[0] += 1; return a
        import numpy as np
        buffer = np.zeros(3)
        def reuses(x): buffer[:] = x; return buffer[:2]
    """)  # fmt: skip
    got = names["f"]._call_all([((4,), {"by": 2}), ((-1,), {}), ((1,), {"by": 0}), ((9,), {})])
    assert [fine for fine, _ in got] == [True, False, False, True]
    assert (got[0][1], got[3][1]) == (2, 9)
    assert isinstance(got[1][1], ValueError) and str(got[1][1]) == "-1 is negative"
    assert isinstance(got[2][1], ZeroDivisionError)
    assert names["seen"] == [4, -1, 1, 9]
    assert type(names["leaves"]._call_all([((1,), {})])[0][1]).__name__ == "SystemExit"
    a = np.zeros(2)
    (_, first), (_, second) = names["changes"]._call_all([((a,), {}), ((a,), {})])
    assert a[0] == 2 and first is a and second is a
    (_, first), (_, second) = names["reuses"]._call_all([((1,), {}), ((2,), {})])
    assert first.tolist() == [1, 1] and second.tolist() == [2, 2]


def test_in_place_changes_are_copied_back(student):
    names = define(
        student,
        """
        def change(a, l, d, s, view):
            a[0] = 9; l.append(a); d['new'] = l; s.add(5); view[:] = 1
            return l, d
        """,
    )
    a, items, table, some, base = np.zeros(2), [1], {"old": 2}, {4}, np.zeros((3, 2))
    got, other = names["change"](a, items, table, some, base[:, 0])
    assert a.tolist() == [9, 0] and got is items and other is table
    assert items[1] is a and table["new"] is items and some == {4, 5} and base.tolist() == [[1, 0]] * 3


def test_in_place_changes_before_an_exception(student):
    names = define(student, "def change(l):\n    l.clear()\n    raise KeyError('gone')")
    items = [1, 2]
    with pytest.raises(KeyError) as caught:
        names["change"](items)
    assert items == [] and str(caught.value) == "'gone'"


def test_unchanged_arguments_stay_the_objects_that_they_were(student):
    names = define(student, "def same(a, b): return a is b, b")
    a = np.ones(3)
    identical, back = names["same"](a, a)
    assert identical is True and back is a


def test_a_random_generator_moves_on(student):
    names = define(student, "def draw(rng): return rng.normal()")
    here, there = np.random.default_rng(3), np.random.default_rng(3)
    assert names["draw"](there) == here.normal() and there.normal() == here.normal()


def test_exceptions_have_their_class_and_message(student):
    names = define(
        student,
        """
        import numpy as np
        class Mine(ValueError): pass
        def fail(n):
            if n == 0: raise Mine('odd 7')
            if n == 1: return 1 / 0
            if n == 2: return [][3]
            if n == 3: raise Exception
            if n == 4: np.linalg.inv(np.zeros((2, 2)))
            if n == 5: raise NotImplementedError
            if n == 6: raise SystemExit(3)
        """,
    )
    for n, kind in enumerate([ValueError, ZeroDivisionError, IndexError, Exception, np.linalg.LinAlgError, NotImplementedError, Exception]):
        with pytest.raises(kind) as caught:
            names["fail"](n)
    assert type(caught.value).__name__ == "SystemExit" and not isinstance(caught.value, SystemExit)
    with pytest.raises(ValueError, match="odd 7") as caught:
        names["fail"](0)
    assert type(caught.value).__name__ == "Mine"


@pytest.mark.parametrize("reply", ["8", "(b'', ())", "(b'\\1\\1', (1,))", "(b'\\1\\1\\1', (1, 2, 3))", "([1, 1], (1, 2))", "(b'\\1\\1', [1, 2])", "(b'\\1\\0', (1, 2))", "(b'\\0\\0', ((1, 2), (3, 4)))", "(b'\\0\\1', (((), '', 3), 1))", "(b'\\1\\1', (1, 2), 3)"])  # fmt: skip
def test_a_malformed_reply_to_several_calls_is_no_result(student, reply):
    names = define(student, f"import gc\nchild = next(o for o in gc.get_objects() if type(o).__name__ == 'Child')\nchild.do_call_all = child.actions[4] = lambda *parts: {reply}\ndef f(x): return x")
    with pytest.raises(TypeError, match="not the results of several calls"):
        names["f"]._call_all([((1,), {}), ((2,), {})])


def test_functions_of_the_test_are_called_back(student):
    names = define(student, "def apply(f, x, **k): return [f(x), f(x + 1, **k)], f")
    seen = []

    def f(x, scale=1):
        seen.append((x, scale))
        return x * scale

    values, back = names["apply"](f, 3, scale=10)
    assert values == [3, 40] and seen == [(3, 1), (4, 10)] and back is f


def test_errors_in_a_callback_reach_the_student_and_come_back(student):
    names = define(student, "def guard(f):\n    try:\n        f(1)\n    except ValueError as e:\n        return 'caught ' + str(e)\n    return 'no'\ndef let(f): return f(1)")

    def bad(x):
        raise ValueError("from the test")

    assert names["guard"](bad) == "caught from the test"
    with pytest.raises(ValueError, match="from the test"):
        names["let"](bad)


def test_functions_call_each_other_across_the_boundary(student):
    names = define(student, "def down(n, f):\n    return 0 if n == 0 else 1 + f(n - 1)")
    down = names["down"]
    assert down(5, lambda n: down(n, lambda m: down(m, None) if m == 0 else 100)) == 102


def test_a_callback_says_nothing_of_itself(student):
    names = define(student, "def look(f): return f.__name__, f.__doc__, sorted(vars(f))")
    looked = names["look"](lambda x: x)
    assert "lambda" not in str(looked)


def test_objects_with_attributes_and_methods(student):
    names = define(
        student,
        """
        class Cache:
            size = 3
            def __init__(self): self.items = {}
            def put(self, k, v):
                self.items[k] = v
                return self
            def __len__(self): return len(self.items)
            def __getitem__(self, k): return self.items[k]
            def __contains__(self, k): return k in self.items
            def __iter__(self): return iter(self.items)
        cache = Cache()
        def same(x): return x is cache
        """,
    )
    cache = names["cache"]
    assert cache.put("a", 2).put("b", 3) is cache
    assert cache.size == 3 and cache.items == {"a": 2, "b": 3} and len(cache) == 2 and cache["b"] == 3
    assert "a" in cache and list(cache) == ["a", "b"] and names["same"](cache) is True
    with pytest.raises(AttributeError):
        cache.nothing
    with pytest.raises(TypeError):
        bool(cache)
    assert cache != names["same"]


OWN_CLASSES = """
from collections import OrderedDict, defaultdict, namedtuple
import numpy as np
Pair = namedtuple("Pair", "left right")
class Table(dict):
    __getattr__ = dict.__getitem__  # careless: it raises KeyError, for any name
class Rows(list):
    def __init__(self, first): self.append(first)
    def last(self): return self[-1]
class Named(dict):
    def __init__(self, **content):
        super().__init__(**content)
        self.name = "x"
class Many(tuple):
    def __new__(cls, *items): return super().__new__(cls, items)
class Refuses(list):
    def append(self, item): raise RuntimeError
    extend = __setitem__ = append
def make(name): return {"Pair": Pair(np.zeros(2), [1]), "Table": Table(a=1), "Rows": Rows(1), "Many": Many(1, 2), "OrderedDict": OrderedDict(x=1), "Refuses": Refuses([1]),
                        "named": Named(a=1), "defaultdict": defaultdict(list)}[name]
def kind(value): return type(value).__name__
def second(rows, table, pair):
    rows.append(2); table["b"] = table.a + 1; pair.left[0] = 5; pair.right.append(3)
    return rows.last(), rows
def same(a, b): return a is b
"""


@pytest.mark.parametrize("name, plain, kind", [
    ("Table", {"a": 1}, "Table"), ("Rows", [1], "Rows"), ("Many", (1, 2), "Many"), ("OrderedDict", {"x": 1}, "OrderedDict"), ("Refuses", [1], "Refuses"),
    ("named", {"a": 1}, "dict"), ("defaultdict", {}, "dict"),  # hold more than their content, which would be lost
])  # fmt: skip
def test_a_tuple_list_or_dict_of_another_class_is_plain_here_and_of_that_class_there(student, name, plain, kind):
    names = define(student, OWN_CLASSES)
    value = names["make"](name)
    assert value == plain and isinstance(value, type(plain)) and not hasattr(value, "last") and not hasattr(value, "move_to_end")
    assert names["kind"](value) == names["kind"](copy.deepcopy(value)) == kind


def test_what_happens_to_such_objects_is_as_with_plain_ones(student):
    names = define(student, OWN_CLASSES)
    rows, table, pair = names["make"]("Rows"), names["make"]("Table"), names["make"]("Pair")
    kept = copy.deepcopy((rows, table))
    table["a"] = 7
    last, again = names["second"](rows, table, pair)
    assert (last, rows, table) == (2, [1, 2], {"a": 7, "b": 8}) and pair[0].tolist() == [5, 0] and pair[1] == [1, 3]
    assert again is rows and kept == ([1], {"a": 1})
    assert names["same"](rows, rows) is True and names["same"](rows, copy.copy(rows)) is False
    assert names["kind"](type(pair)(pair)) == "tuple"  # what the test itself makes


def test_such_objects_take_no_more_room_than_plain_ones(student):
    names = define(student, OWN_CLASSES + "\ndef deep(n): return Pair(deep(n - 1), n) if n else 0\ndef many(): return [Pair(i, i) for i in range(20_000)]\ndef big(): return Pair(np.zeros(1_000_000), 1)")
    value, depth = names["deep"](55), 0
    while value:
        value, depth = value[0], depth + 1
    assert depth == 55
    assert names["many"]() == [(i, i) for i in range(20_000)]
    for _ in range(3):
        student.limit(time.monotonic() + 20)
        for _ in range(25):
            assert names["big"]()[1] == 1
    assert names["kind"](names["make"]("Pair")) == "Pair"


def test_such_objects_of_a_process_that_has_ended_are_no_values(engine):
    student = engine.fork()
    student.limit(time.monotonic() + 20)
    value = define(student, OWN_CLASSES)["make"]("Many")
    other = engine.fork()
    other.limit(time.monotonic() + 20)
    with pytest.raises(TypeError, match="restarted"):
        define(other, "def f(x): return 1")["f"](value)
    engine.end_child()


def test_arrays_of_any_kind_survive_the_way_back(student):
    names = define(student, """
        import numpy as np
        def first(): return {"table": np.zeros(2, "f8,i4"), "rows": np.empty((2, 2), object), "k": np.ones((1, 2))}
        def second(c):
            c["table"]["f0"] += 1
            c["rows"][0, 0] = np.ones(3)
            c["k"].resize((2, 2), refcheck=False)
            c["k"][1] = 5
            return c, c["k"]
        def third(c): return c["table"]["f0"].tolist(), c["rows"][0, 0].tolist(), c["k"].tolist()
    """)  # fmt: skip
    cache = names["first"]()
    cache, k = names["second"](cache)
    assert k.tolist() == [[1, 1], [5, 5]]
    assert names["third"](cache) == ([1, 1], [1, 1, 1], [[1, 1], [5, 5]])


def test_handles_have_only_the_abilities_of_their_object(student):
    names = define(student, "f = lambda: 1\nclass P: pass\np = P()\nfrom fractions import Fraction\nq = Fraction(1, 4)")
    assert callable(names["f"]) and not callable(names["p"]) and not hasattr(type(names["p"]), "__len__")
    assert float(names["q"]) == 0.25
    with pytest.raises(TypeError):
        float(names["p"])
    assert isinstance(names["f"], Handle)


def test_handles_of_an_ended_process_are_refused(engine):
    student = engine.fork()
    student.limit(time.monotonic() + 20)
    old = define(student, "def f(x): return x")["f"]
    student = engine.fork()
    student.limit(time.monotonic() + 20)
    new = define(student, "def g(x): return x")["g"]
    with pytest.raises(TypeError):
        new(old)
    with pytest.raises(Stopped):
        old(1)


def test_student_errors_can_not_end_loops():
    assert not isinstance(student_error(("StopIteration", "Exception"), ""), StopIteration)
    assert not isinstance(student_error(("GeneratorExit", "BaseException"), ""), GeneratorExit)
    assert type(student_error(("not a name!",), "x")).__name__ == "StudentError"


# --- scores ---


@pytest.mark.parametrize(
    ("value", "points"),
    [(None, 3), (True, 3), (False, 3), ("2.0", 3), ([1], 3), (0, 0), (1.5, 1.5), (3, 3), (np.float64(2), 2), (np.int64(3), 3)],
)
def test_last_value(value, points):
    outcome = score(_cell(3), value)
    assert outcome.points == points and not outcome.author


@pytest.mark.parametrize("value", [5, -1, float("nan"), float("inf"), np.float32(3.1), 10**400], ids=range(6))
def test_last_value_that_is_no_score(value):
    outcome = score(_cell(3), value)
    assert outcome.points == 0 and "no score" in outcome.author


def _cell(points):
    return replace(synthetic.master().tests[0], points=points)


def _with_test(source, **metadata):
    notebook = nbformat.from_dict(json.loads(json.dumps(synthetic.master().notebook)))
    cell = synthetic.cell(notebook, "last-value")
    cell["source"] = source
    cell["metadata"].update(metadata)
    return Assignment("synthetic", notebook)


def test_an_authors_error_needs_a_person(engine):
    result = runner.run(_with_test("call('last', [1])\n17"), synthetic.submission(), None, engine)
    assert result.status == "needs a person" and "last-value" in result.reason and result.points == 6


def test_a_test_with_a_syntax_error(engine):
    result = runner.run(_with_test("assert ="), synthetic.submission(), None, engine)
    assert result.points == 6 and "tell your instructor" in result.cells[-1].message and result.status == "needs a person"


def test_partial_credit(engine):
    result = runner.run(_with_test("0.25"), synthetic.submission(), None, engine)
    assert result.points == 6.25 and result.cells[-1].status == "partial"


def test_bare_asserts_show_only_visible_lines(engine):
    source = "assert last([1, 2]) == 99\n### BEGIN HIDDEN TESTS\nassert last([1]) == 5\n### END HIDDEN TESTS"
    result = runner.run(_with_test(source), synthetic.submission(), None, engine)
    assert result.cells[-1].message == "this does not hold: assert last([1, 2]) == 99"
    result = runner.run(_with_test(source.replace("99", "2")), synthetic.submission(), None, engine)
    assert result.cells[-1].message == "a hidden test failed"


def test_time_limit_of_a_cell_from_the_masters_metadata(engine):
    slow = synthetic.submission(last="import time\ndef last(v):\n    time.sleep(1.5)\n    return v[-1]")
    limits = Limits(seconds=0.5)
    assert runner.run(_with_test(synthetic.LAST_TEST), slow, limits, engine).points == 6
    assert runner.run(_with_test(synthetic.LAST_TEST, timeout=8), slow, limits, engine).points == 7


def test_work_of_a_test_is_bounded(engine):
    """A student's huge argument makes a function of the test's run out of its own memory or time, not the machine's."""
    source = "def pairs(x):\n    return np.exp(x @ x.T).sum()\n\n\nassert last(pairs) == 7"
    for size in (60_000, 1_000_000):
        answers = synthetic.submission(last=f"def last(f):\n    return f(np.ones(({size}, 1)))")
        result = runner.run(_with_test(source), answers, Limits(seconds=2.0), engine)
        assert result.points == 6
    loop = "def forever(x):\n    while True:\n        x += 1\n\n\nassert last(forever) == 7"
    result = runner.run(_with_test(loop), synthetic.submission(last="def last(f):\n    return f(1)"), Limits(seconds=0.5), engine)
    assert result.cells[-1].status == "timed out" and result.points == 6


def test_the_executed_notebook_is_one_that_nbgrader_reads(engine):
    result = runner.run(synthetic.master(), synthetic.added("1 / 0", "print(3)"), None, engine)
    notebook = nbformat.from_dict(result.notebook)
    nbformat.validate(notebook)
    labels = [c.metadata.nbgrader.grade_id for c in notebook.cells if "nbgrader" in c.metadata]
    assert labels == [c.grade_id for c in synthetic.master().cells if c.grade_id]


def test_what_is_kept_of_a_child_stays_small(student):
    """It tells which functions names stand for, and may make these names up."""
    define(student, """
        import gc
        child = next(o for o in gc.get_objects() if type(o).__name__ == "Child")
        child.news = lambda: (("short", None), ("x" * 1_000_000, None))
    """)  # fmt: skip
    assert "short" in student.names and max(map(len, student.names)) <= 200


@pytest.mark.parametrize("names", ["('A' * 1000, 'ValueError')", "('A',) * 1000"])
def test_an_exception_with_long_or_many_names_is_a_breach(student, names):
    define(student, f"import sys\nsys.modules['autograder.isolation.child']._describe = lambda error: ({names}, '')\ndef f(): raise ValueError")
    with pytest.raises(Stopped, match="not an exception"):
        Namespace(student, frozenset())["f"]()


def test_what_a_child_says_that_it_noticed_is_bounded(engine):
    watch = "import gc\nclass W:\n    n = 0\n    def take(self):\n        W.n += 1\n        return tuple((f'{W.n} {i}', 'x' * size) for i in range(20) for size in (10, 1000))\nnext(o for o in gc.get_objects() if type(o).__name__ == 'Child').watch = W()"
    run = runner._Run(synthetic.master(), synthetic.submission(), runner.DEFAULT, engine)
    run.student = engine.fork()
    run._execute(((watch, ""),), 10)
    for _ in range(30):
        run._execute((("1", ""),), 10)
    engine.end_child()
    assert 50 <= len(run.flags) <= 120 and all(len(text) <= 200 for flag in run.flags for text in flag)


def test_many_names_with_new_values_are_no_breach(student):
    for value in (0.5, 1.5):
        namespace = define(student, f"globals().update({{f'name{{i}}': {value} + i for i in range(9_000)}})")
        assert namespace["name0"] == value and namespace["name8999"] == value + 8999
    namespace = define(student, "globals().update({f'other{i}': 7 for i in range(9_000)})")
    assert namespace["other8999"] == 7 and len(student.names) <= 10_000


def test_what_a_name_stands_for_is_known_at_each_turn(student):
    """Also in a function of the test's while the student's function runs, and after a change of an argument that is refused."""
    namespace = define(student, """
        half = 0.1
        def go(f):
            global half
            half = 0.5
            return f()
        def spoil(v):
            global half
            half = 0.7
            v[:] = [v, v]
    """)  # fmt: skip
    go, spoil = namespace["go"], namespace["spoil"]
    assert go(lambda: Namespace(student, frozenset())["half"]) == 0.5
    with pytest.raises(TypeError, match="changed into"):
        spoil([1, 2])
    assert Namespace(student, frozenset())["half"] == 0.7


def test_given_cells_are_made_anew_for_each_test(engine):
    """A test may hand over what a given cell made: what a student does to it must not reach the next test."""
    notebook = nbformat.from_dict(json.loads(json.dumps(synthetic.master().notebook)))
    synthetic.cell(notebook, "setup")["source"] += "\nTABLE = [3, 1, 2]"
    synthetic.cell(notebook, "double-number")["source"] = "double(TABLE)\nassert TABLE == [0]"
    synthetic.cell(notebook, "double-array")["source"] = "assert TABLE == [3, 1, 2]"
    result = runner.run(Assignment("synthetic", notebook), synthetic.submission(double="def double(x):\n    x[:] = [0]"), None, engine)
    assert [(cell.grade_id, cell.status) for cell in result.cells[:2]] == [("double-number", "passed"), ("double-array", "passed")]


def test_no_alarm_is_left_behind_a_test(engine):
    with guard.grading():
        for _ in range(2):
            with guard.guarded(engine.fork()):
                assert signal.getitimer(signal.ITIMER_REAL)[0] and signal.getitimer(signal.ITIMER_VIRTUAL)[0]
            assert signal.getitimer(signal.ITIMER_REAL)[0] == signal.getitimer(signal.ITIMER_VIRTUAL)[0] == 0


# --- what happens when something dies ---


@pytest.mark.parametrize("moment", ["idle", "between"])
def test_a_killed_zygote_is_replaced(moment):
    with Engine() as engine:
        assert full_marks(engine)
        if moment == "between":
            engine.fork()
        os.kill(engine._zygote.process.pid, signal.SIGKILL)
        time.sleep(0.2)
        assert full_marks(engine)


def test_a_child_that_was_long_in_reserve_is_used(engine):
    assert full_marks(engine)
    engine._spare.deadline = time.monotonic() - 1
    zygote = engine._zygote.process.pid
    assert full_marks(engine) and engine._zygote.process.pid == zygote


def test_a_child_that_died_in_reserve_costs_nobody_anything():
    with Engine(matplotlib=False) as engine:
        assert full_marks(engine)
        message = wire.Encoder(None, begin=protocol.HEADER.pack(protocol.KINDS["run"], 1))
        message.put("import os; os._exit(1)")
        engine._spare.channel.send(message.out, time.monotonic() + 10)
        until = time.monotonic() + 10
        while not engine._spare.channel.closed:
            assert time.monotonic() < until
            time.sleep(0.01)
        allowed = os.sched_getaffinity(0)
        os.sched_setaffinity(0, {min(allowed)})  # as workers are, which ask the child nothing before its first cell
        try:
            assert full_marks(engine)
        finally:
            os.sched_setaffinity(0, allowed)


def test_no_descriptor_is_lost_when_there_are_no_more(monkeypatch):
    with Engine(matplotlib=False) as engine:
        engine.fork()
        pipe, made, before = os.pipe, [], len(os.listdir("/proc/self/fd"))

        def second_fails():
            made.append(1)
            if len(made) % 2 == 0:
                raise OSError(24, "Too many open files")
            return pipe()

        monkeypatch.setattr(os, "pipe", second_fails)
        with pytest.raises(EngineError, match="Too many open files"):
            engine._ask(runner.DEFAULT)
        assert len(os.listdir("/proc/self/fd")) == before


def test_the_grader_gets_its_processors_back():
    before = os.sched_getaffinity(0)
    with Engine() as engine:
        engine.fork()
    assert os.sched_getaffinity(0) == before


def test_a_zygote_killed_while_a_student_works():
    with Engine() as engine:
        assert full_marks(engine)
        pid = engine._zygote.process.pid
        threading.Timer(0.7, lambda: os.kill(pid, signal.SIGKILL)).start()
        slow = synthetic.submission(double="import time\ntime.sleep(1.5)\n" + synthetic.RIGHT["double"])
        result = runner.run(synthetic.master(), slow, None, engine)
        assert result.points == 4 and full_marks(engine)


def test_a_killed_child_costs_its_cell(engine):
    def kill():
        for path in Path("/proc").glob("[0-9]*/cmdline"):
            try:
                if "isolation/zygote.py" in path.read_text() and f'"parent": {os.getpid()}}}' in path.read_text() and _burns(path.parent):
                    os.kill(int(path.parent.name), signal.SIGKILL)
            except OSError:
                pass

    threading.Timer(1.0, kill).start()
    result = runner.run(synthetic.master(), synthetic.submission(last="while True: pass"), Limits(seconds=15), engine)
    assert result.points == 6 and any("ended the process" in note for note in result.notes)


def _burns(path):
    return int((path / "stat").read_text().rsplit(")", 1)[1].split()[11]) > 30  # ticks of user time


def test_everything_goes_with_the_grader():
    script = """
        import os, time
        from autograder.isolation.engine import Engine
        engine = Engine()
        student = engine.fork()
        student.limit(time.monotonic() + 9)
        print(os.getpid(), flush=True)
        student.request("run", "while True: pass")
    """
    process = subprocess.Popen([sys.executable, "-c", textwrap.dedent(script)], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    pid = int(process.stdout.readline())
    time.sleep(0.5)
    assert _started_by(pid)
    process.kill()
    process.wait()
    for _ in range(100):
        if not _started_by(pid):
            return
        time.sleep(0.1)
    raise AssertionError(_started_by(pid))


def _started_by(pid):
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if f'"parent": {pid}}}' in path.read_text():
                found.append(path.parent.name)
        except OSError:
            pass
    return found


def test_a_forked_copy_of_the_grader_has_its_own_zygote(engine):
    assert full_marks(engine)
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            fine = engine not in engines._engines and runner.run(synthetic.master(), synthetic.submission()).points == 7
            os.write(write, b"y" if fine else b"n")
        finally:
            engines.close_all()
            os._exit(0)
    os.waitpid(pid, 0)
    assert os.read(read, 1) == b"y"
    assert full_marks(engine)


def test_a_zygote_that_does_not_start(monkeypatch):
    monkeypatch.setattr(sys, "executable", "/bin/false")
    with Engine() as engine, pytest.raises(EngineError, match="ended"):
        engine.fork()


def test_refuses_without_isolation(engine, monkeypatch):
    monkeypatch.setitem(engine.about["walls"], "seccomp", "no")
    monkeypatch.setitem(engine.about["walls"], "network namespace", "no")
    with pytest.raises(NotIsolated, match="network"):
        engine.fork()
    engine.fork(replace(DEFAULT, trust_students=True))


def test_what_counts_as_isolated():
    walls = {"landlock": True, "seccomp": True}
    assert missing_isolation(walls) == ""
    assert "files" in missing_isolation({**walls, "landlock": "old kernel"})
    assert missing_isolation({"own root folder": True, "network namespace": True}) == ""
    assert "files and network" in missing_isolation({})


def test_the_zygote_holds_nothing_secret(engine):
    """It is started afresh: no master, no test, no answer was ever in its memory, and it has one thread."""
    assert engine.about["threads"] == 1
    student = engine.fork()
    student.limit(time.monotonic() + 20)
    outputs, fine, _ = student.request("run", "import sys\nprint([m for m in sys.modules if m.startswith(('autograder', 'jupytext', 'nbgrader'))])")
    modules = outputs[0]["text"][0]
    for secret in ("assignment", "runner", "tests", "grading", "jupytext", "nbgrader"):
        assert secret not in modules


def test_many_submissions_leave_nothing_in_the_parent(engine):
    def files():
        return len(os.listdir("/proc/self/fd"))

    full_marks(engine)
    before = files()
    for _ in range(30):
        full_marks(engine)
    assert files() == before


def test_text_of_students_is_shown_as_text_by_nbconvert():
    """nbgrader's pages are made by nbconvert, which hands on the HTML of Markdown and raw cells."""
    from nbconvert.exporters import HTMLExporter

    evil = [
        "<script>alert(1)</script>", "a <img src=x onerror=alert(1)>", "[x](javascript:alert(1))", "~~~~\n<script>alert(1)</script>\n~~~~",
        "$$\n~~~\n<script>alert(1)</script>$$", "\\begin{a}<script>alert(1)</script>\\end{a}", "~~~\r~~~\x0b~~~\x85~~~\u2028~~~\x0c<script>alert(1)</script>",
    ]  # fmt: skip
    notebook = synthetic.submission()
    about = {"nbgrader": {"grade_id": "double-text"}}
    notebook["cells"] += [{"cell_type": kind, "id": f"{kind}-{i}", "metadata": {}, "source": s} for kind in ("markdown", "raw") for i, s in enumerate(evil)]
    notebook["cells"] += [{"cell_type": "raw", "id": "x", "metadata": about, "source": evil[0]}]
    with Engine() as engine:
        result = runner.run(synthetic.master(), notebook, Limits(), engine)
    executed = nbformat.from_dict(result.notebook)
    nbformat.validate(executed)
    html = HTMLExporter().from_notebook_node(executed)[0].partition("<main")[2]
    assert html.count("&lt;script&gt;") >= 8 and "<script" not in html and "<img" not in html and 'href="javascript' not in html


def test_one_numpy_call_that_takes_an_hour_ends_with_its_worker():
    """`grading` then tries that submission once more, and leaves it to a person."""
    program = """
        import time
        import numpy as np
        from autograder.isolation import guard
        from autograder.isolation.proxies import Stopped
        guard.PATIENCE = guard.LAST = 0.2

        class Student:
            deadline, stopped, memory = time.monotonic() + 0.2, None, None

        with guard.grading(), guard.guarded(Student):
            np.dot(np.ones((30_000, 800), np.int8), np.ones((800, 30_000), np.int8))
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(program)], cwd=ROOT, timeout=50)
    assert done.returncode == -signal.SIGVTALRM
