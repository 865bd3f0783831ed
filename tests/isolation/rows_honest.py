"""Honest submissions in every shape that real ones have: right answers get full marks."""

import random

from .synthetic import RIGHT, added, cell, code, place, released, submission
from .table import row


@row()
def right():
    return submission()


@row(double=0, half=0, compose=0, last=0)
def untouched():
    return released()


@row(double=0, half=0, compose=0, last=0)
def no_cells():
    return {"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}


@row(double=0, half=0, compose=0, last=0)
def prose_only():
    notebook = submission()
    for c in notebook["cells"]:
        c["cell_type"] = "markdown"
        c["source"] = "I did not have time."
    return notebook


# --- text on the side ---


@row()
def warns():
    return submission(double="import warnings\ndef double(x):\n    warnings.warn('slow')\n    return 2 * np.asarray(x)")


@row(prints="on the way")
def prints():
    return submission(double="print('on the way')\ndef double(x):\n    print('called', x)\n    return 2 * np.asarray(x)")


@row()
def writes_to_stderr():
    return submission(double="import sys\ndef double(x):\n    sys.stderr.write('hm')\n    return 2 * np.asarray(x)")


@row()
def thread_that_writes_to_stderr():
    return submission(
        double="""
import sys, threading, time
def chatter():
    while True:
        sys.stderr.write('still here\\n')
        time.sleep(0.005)
threading.Thread(target=chatter, daemon=True).start()
def double(x):
    return 2 * np.asarray(x)
"""
    )


@row()
def writes_bytes():
    return submission(half="import sys, os\nsys.stdout.buffer.write(b'raw')\nos.write(1, b'rawer')\nhalf = 0.5")


@row(prints="value of x")
def logging_configured():
    return submission(half="import logging\nlogging.basicConfig(level=10)\nlogging.warning('value of x')\nhalf = 0.5")


@row()
def floating_point_errors_raise():
    return submission(half="np.seterr(all='raise')\nhalf = 0.5")


# --- cells in other places ---


@row(notes="2 times")
def answer_cell_duplicated():
    notebook = submission()
    at = place(notebook, "double")
    notebook["cells"].insert(at + 1, {**notebook["cells"][at], "id": "again"})
    return notebook


@row(notes="2 times")
def duplicated_below_the_tests():
    notebook = submission()
    notebook["cells"].append({**cell(notebook, "double"), "id": "again"})
    return notebook


@row()
def stub_left_and_answer_in_a_new_cell():
    notebook = submission(double=cell(released(), "double")["source"])
    notebook["cells"].insert(place(notebook, "double") + 1, code(RIGHT["double"]))
    return notebook


@row()
def stub_left_and_answer_at_the_end():
    notebook = submission(double=cell(released(), "double")["source"])
    notebook["cells"].append(code(RIGHT["double"]))
    return notebook


@row()
def split_in_two():
    notebook = submission(double="def twice(x):\n    return 2 * np.asarray(x)")
    notebook["cells"].insert(place(notebook, "double") + 1, code("def double(x):\n    return twice(x)"))
    return notebook


@row()
def split_with_the_label_on_both():
    notebook = submission(double="def twice(x):\n    return 2 * np.asarray(x)")
    other = code("def double(x):\n    return twice(x)")
    other["metadata"] = cell(notebook, "double")["metadata"]
    notebook["cells"].insert(place(notebook, "double") + 1, other)
    return notebook


@row()
def split_with_the_second_half_below_the_tests():
    notebook = submission(double="def twice(x):\n    return 2 * np.asarray(x)")
    notebook["cells"].append(code("def double(x):\n    return twice(x)"))
    return notebook


@row()
def answer_moved_to_the_end():
    notebook = submission()
    notebook["cells"].append(notebook["cells"].pop(place(notebook, "double")))
    return notebook


@row()
def answers_moved_before_everything():
    notebook = submission()
    cells = notebook["cells"]
    notebook["cells"] = [c for c in cells if c["id"] in RIGHT] + [c for c in cells if c["id"] not in RIGHT]
    return notebook


@row()
def all_cells_reversed():
    notebook = submission()
    notebook["cells"].reverse()
    return notebook


@row()
def cells_shuffled():
    notebook = submission()
    random.Random(3).shuffle(notebook["cells"])
    return notebook


@row()
def tests_moved_to_the_top():
    notebook = submission()
    notebook["cells"].sort(key=lambda c: not c["metadata"].get("nbgrader", {}).get("grade"))
    return notebook


@row()
def all_answers_in_one_cell():
    notebook = submission(half="", compose="", last="", double="\n".join(RIGHT.values()))
    return notebook


@row()
def all_answers_in_one_cell_without_a_label():
    notebook = submission(half="", compose="", last="", double="")
    notebook["cells"].insert(2, code("\n".join(RIGHT.values())))
    return notebook


# --- labels lost or wrong ---


@row(notes="matched by content")
def all_metadata_stripped():
    notebook = submission()
    for c in notebook["cells"]:
        c["metadata"] = {}
        c["id"] = "x" + c["id"]
    return notebook


@row(notes="matched by content")
def metadata_stripped_and_shuffled_to_the_end():
    notebook = submission()
    for c in notebook["cells"]:
        c["metadata"] = {}
    notebook["cells"].append(notebook["cells"].pop(place(notebook, "compose")))
    return notebook


@row()
def colab_metadata():
    notebook = submission()
    for c in notebook["cells"]:
        c["metadata"] = {"id": "a" * 12, "colab": {"base_uri": "https://localhost:8080/"}, "outputId": "b"}
    return notebook


@row()
def labels_of_two_answers_exchanged():
    notebook = submission()
    a, b = cell(notebook, "double"), cell(notebook, "last")
    a["metadata"], b["metadata"] = b["metadata"], a["metadata"]
    return notebook


@row()
def answer_labelled_as_a_test():
    notebook = submission()
    cell(notebook, "double")["metadata"] = cell(notebook, "double-array")["metadata"]
    return notebook


@row()
def unknown_labels():
    notebook = submission()
    for c in notebook["cells"]:
        c["metadata"] = {"nbgrader": {"grade_id": "cell-" + c["id"], "grade": True, "points": 99, "locked": False}}
    return notebook


@row()
def labels_of_the_wrong_type():
    notebook = submission()
    values = [None, 3, ["double"], {"grade_id": {}}, {"grade_id": 7}, "double", {"grade_id": None}]
    for i, c in enumerate(notebook["cells"]):
        c["metadata"] = {"nbgrader": values[i % len(values)]}
    return notebook


@row(notes="was edited")
def test_cell_edited():
    notebook = submission()
    cell(notebook, "double-number")["source"] = "assert True"
    return notebook


@row(notes="was edited", double=0)
def test_cell_edited_and_answer_wrong():
    notebook = submission(double="def double(x):\n    return x")
    cell(notebook, "double-number")["source"] = "1"
    cell(notebook, "double-array")["source"] = "2.0"
    return notebook


@row(notes="was missing")
def test_cell_deleted():
    notebook = submission()
    notebook["cells"].pop(place(notebook, "double-array"))
    return notebook


@row(notes="was missing", double=1)
def test_cell_deleted_and_answer_half_right():
    notebook = submission(double="def double(x):\n    return 6")
    notebook["cells"].pop(place(notebook, "double-array"))
    return notebook


@row(notes="was missing")
def all_test_cells_deleted():
    notebook = submission()
    notebook["cells"] = [c for c in notebook["cells"] if not c["metadata"].get("nbgrader", {}).get("grade")]
    return notebook


@row(notes="no code cell")
def test_cell_turned_into_markdown():
    notebook = submission()
    cell(notebook, "double-array")["cell_type"] = "markdown"
    return notebook


@row(notes="no code cell")
def test_cell_turned_into_raw():
    notebook = submission()
    cell(notebook, "half-value")["cell_type"] = "raw"
    return notebook


@row(notes="no code cell")
def answer_turned_into_markdown():
    notebook = submission()
    cell(notebook, "double")["cell_type"] = "markdown"
    return notebook


@row()
def setup_deleted():
    notebook = submission()
    notebook["cells"].pop(place(notebook, "setup"))
    return notebook


@row(notes="was edited")
def setup_emptied():
    notebook = submission()
    cell(notebook, "setup")["source"] = "import numpy as np"
    return notebook


@row()
def setup_moved_to_the_end():
    notebook = submission(half="half = float(np.float64(0.5))")
    notebook["cells"].append(notebook["cells"].pop(place(notebook, "setup")))
    return notebook


@row()
def duplicate_cell_ids():
    notebook = submission()
    for c in notebook["cells"]:
        c["id"] = "same"
    return notebook


# --- other code around ---


@row()
def later_cell_redefines_an_earlier_function():
    return added("def double(x):\n    return 'something else'")


@row()
def later_cell_breaks_numpy():
    return added("np.asarray = None\nnp.multiply = None\nnp.ndarray.__mul__ = None")


@row(double=3, half=0)
def redefined_before_its_test():
    return added("half = 'none'", after="half")


@row()
def helper_cells():
    return added("SCALE = 2", after="double-text", double="def double(x):\n    return SCALE * np.asarray(x)")


@row()
def many_cells():
    return added(*["x = 1"] * 150)


@row(prints="image/png")
def inline_plot():
    return added("%matplotlib inline\nimport matplotlib.pyplot as plt\nplt.plot([1, 2])\nplt.show()")


@row(prints="CPU times")
def time_magic():
    return submission(double="%%time\ndef double(x):\n    return 2 * np.asarray(x)")


@row(prints="shell commands do not run")
def shell_command_before_the_answer():
    return submission(double="!pip list\n%pip install numpy\ndef double(x):\n    return 2 * np.asarray(x)")


@row(prints="shell commands do not run")
def shell_command_captured():
    return submission(half="files = !ls\nhalf = 0.5 + len(files)")


@row()
def bash_cell():
    return added("%%bash\nls", "%%sh\nrm -rf ~", "%run nothing.py", "%load_ext autoreload", "%env A=1", "%cd ..")


@row()
def unknown_magic():
    return added("%frobnicate", "%%frobnicate\n1", "?print", "print??")


@row()
def writes_a_file_of_its_own():
    return submission(half="np.save('half.npy', 0.5)\nopen('a.txt', 'w').write('x')\nhalf = np.load('half.npy')")


@row()
def written_module():
    return added("%%writefile helper.py\nTWO = 2", after="double-text", double="from helper import TWO\ndef double(x):\n    return TWO * np.asarray(x)")


@row()
def uses_the_standard_library():
    return submission(
        half="import math, fractions, decimal, itertools, collections, json, re, datetime, dataclasses, typing, statistics, csv, asyncio\n"
        "half = fractions.Fraction(1, 2)"
    )


@row()
def awaits():
    return submission(half="import asyncio\nawait asyncio.sleep(0.01)\nhalf = 0.5")


@row()
def last_expression():
    return submission(half="half = 0.5\nhalf")


@row(last=0, prints="SystemExit")
def exits():
    return submission(last="import sys\nsys.exit()\ndef last(values):\n    return values[-1]")


@row(last=0)
def quits():
    return submission(last="raise SystemExit(3)")


@row(last=0, prints="EOFError")
def asks_for_input():
    return submission(last="index = int(input('Which? '))\ndef last(values):\n    return values[index]")


@row(compose=0, prints="ZeroDivisionError")
def error_in_question_three():
    return submission(compose="1 / 0")


@row(half=0, prints="(the answer cell ended with SyntaxError: invalid syntax (line 1))")
def syntax_error():
    return submission(half="half = = 0.5")


@row(half=0)
def null_byte_in_the_source():
    return submission(half="half = 0.5\0")


@row()
def unicode_everywhere():
    return submission(half="größe = 'π ≈ 3 𝛼 🙂'\nprint(größe)\nhalf = 0.5")


@row(half=0)
def lone_surrogate_in_the_source():
    return submission(half="half = '\ud800'")


@row()
def lone_surrogate_printed():
    return submission(half="print('\\ud800')\nhalf = 0.5\n'\\udfff'")


# --- values of many kinds ---


def _double(expression, **expected):
    def build():
        return submission(double=f"def double(x):\n    y = 2 * np.asarray(x, dtype=float)\n    return {expression}")

    return build, expected


for _name, (_build, _expected) in {
    "a_list": _double("y.tolist()"),
    "a_tuple": _double("tuple(y.tolist()) if y.ndim else (float(y))"),
    "float32": _double("(2 * np.asarray(x, dtype=np.float32)).astype(np.float32)", double=1),
    "long_double": _double("y.astype(np.longdouble)"),
    "numpy_scalar": _double("np.float64(y) if y.ndim == 0 else y"),
    "an_int": _double("int(y) if y.ndim == 0 else y"),
    "zero_d_array": _double("np.array(y)"),
    "other_byte_order": _double("y.astype('>f8')"),
    "fortran_order": _double("np.array(y, order='F')"),
    "a_view": _double("np.broadcast_to(y, (2, *y.shape))[0]"),
    "negative_strides": _double("y[..., ::-1][..., ::-1] if y.ndim else y"),
    "read_only": _double("(y.setflags(write=False), y)[1]"),
    "matrix": _double("np.asmatrix(y) if y.ndim == 2 else y"),
    "recarray_subclass": _double("y.view(type('Mine', (np.ndarray,), {}))"),
    "masked_without_masked_places": _double("np.ma.array(y)"),
    "fully_masked": _double("np.ma.array(y, mask=True)", double=0),
    "one_place_masked": _double("np.ma.array(y, mask=np.arange(y.size).reshape(y.shape) == 0)", double=0),
    "empty": _double("np.array([])", double=0),
    "an_object_array": _double("np.array(y, dtype=object)", double=0),
    "complex_numbers": _double("y.astype(complex)", double=0),
    "text": _double("str(y)", double=0),
    "text_of_a_number": _double("'6'", double=0),
    "array_of_text": _double("y.astype(str)", double=0),
    "wrong_shape": _double("y[None]", double=0),
    "not_a_number": _double("y * np.nan", double=0),
    "infinite": _double("y + np.inf", double=0),
    "none": _double("None", double=0),
    "ellipsis": _double("...", double=0),
    "not_implemented": _double("NotImplemented", double=0),
    "a_dict": _double("dict(enumerate(y.ravel()))", double=0),
    "a_set": _double("set(y.ravel())", double=0),
    "a_range": _double("range(6)", double=0),
    "a_generator": _double("(v for v in y.ravel())", double=0),
    "a_class": _double("float", double=0),
    "a_module": _double("np", double=0),
    "a_function": _double("(lambda: y)", double=0),
    "structured_array": _double("np.zeros(3, dtype=[('a', float)])", double=0),
    "datetimes": _double("y.astype('datetime64[s]')", double=0),
}.items():
    row(**_expected)(_build, name=f"returns_{_name}")


@row()
def object_with_an_array_method():
    return submission(
        double="""
class Wrapped:
    def __init__(self, a): self.a = a
    def __array__(self, dtype=None, copy=None): return self.a
def double(x):
    return Wrapped(2 * np.asarray(x))
"""
    )


@row()
def answer_is_a_lambda():
    return submission(double="double = lambda x: 2 * np.asarray(x)")


@row()
def answer_is_a_partial():
    return submission(double="import functools\ndouble = functools.partial(np.multiply, 2)")


@row()
def answer_is_a_ufunc():
    return submission(double="double = np.frompyfunc(lambda a: 2 * a, 1, 1)\n_o = double\ndouble = lambda x: np.asarray(_o(x), dtype=float)")


@row()
def answer_is_a_bound_method():
    return submission(double="class D:\n    def of(self, x):\n        return 2 * np.asarray(x)\ndouble = D().of")


@row()
def answer_is_an_object_that_can_be_called():
    return submission(compose="class compose:\n    def __init__(self, f, n): self.f, self.n = f, n\n    def __call__(self, x):\n        for _ in range(self.n): x = self.f(x)\n        return x")


@row()
def memo_between_calls():
    return submission(last="import functools\nseen = []\ndef last(values):\n    seen.append(values)\n    return seen[-1][-1]")


@row()
def half_as_fraction_and_decimal():
    return submission(half="from decimal import Decimal\nhalf = Decimal('0.5')")


@row()
def half_as_numpy_string_is_a_number_to_float():
    return submission(half="half = np.array(0.5)")


@row()
def big_int():
    return submission(last="def last(values):\n    return values[-1] + 10**300 - 10**300")


@row(last=0)
def argument_changed_in_place():
    return submission(last="def last(values):\n    values[0] = 5\n    return values[-1]")


@row(double=1)
def array_changed_in_place():
    return submission(double="def double(x):\n    if isinstance(x, np.ndarray):\n        x *= 2\n        return x\n    return 2 * np.asarray(x)")


@row()
def callback_results_change_nothing_else():
    return submission(compose="def compose(f, n):\n    return lambda x: x if n == 0 else compose(f, n - 1)(f(x))")


@row(compose=0, prints="TypeError")
def callback_called_wrongly():
    return submission(compose="def compose(f, n):\n    return lambda x: f()")
