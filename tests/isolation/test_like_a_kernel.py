"""What a student sees of their own cells in the sandbox is what Jupyter's kernel shows.

Each sequence is run by both, cell after cell in one session; outputs are compared as text. Where the sandbox differs by
design, the cell is not here: shell commands, input(), HTML (shown as the text that it is), warnings of the compiler
(the kernel shows each three times), a figure as the last value (drawn at the end of its cell).
"""

import re

import nbclient
import nbformat
import pytest

from autograder.isolation import runner
from autograder.isolation.engine import Engine

from . import synthetic

SEQUENCES = {
    "last value": [
        "1+1", "_ + 1", "_;", "3; 4", "3\n4;", "x = 5", "x", "None", "'a';  # c", "(1,\n 2)", "_, __, ___", "Out[len(In) - 2]", "list(Out) == [n for n in range(len(In)) if f'_{n}' in globals()]", "In[-2:]", "[In[n] for n in Out][-2:]", "_i",
        "'''doc'''\ny = 1", "__doc__", "'only a text'", "__name__", "globals() is locals()", "", "   ", "# a comment", "\n\n1\n\n", "\t1",
        "x=1\r\nx", "if True:\n    5", "for i in range(2): i", "a = b = 2\na", "c: int", "a += 1", "x = 5 if True else 6; x", "x;", '"""abc""";',
        "print('no newline', end='')", "'é€'", "lambda: 0", "import numpy as np\nnp.arange(5)", "np.float64(2.5)", "del a\nb", "exec('w = 1')\nw",
        "import sys\nsys.displayhook(5)", "sys.stdout.write('q\\n')", "print('e', file=sys.stderr)", "get_ipython().run_cell('z = 3\\nz').success", "z",
    ],
    "last line": [
        "def f(**k): return k\nf(\nx=2)", "f(\nx=2,\n)", "[y\nfor y in range(3)]", "(1\nif True\nelse 2)", "'''text\ny = 3'''", "f(a='''\ndef g''')",
        '"""\nimport this\n"""', "1 + \\\n2", "x = [\n1]", "x = [\n1\n]", "x == 3", "x, y = 1, 2", "x = y = 5", "x=(\n3)", "x\\\n= 3", "f(\n  a=1\n)", "f(b=\n[1])",
        "if True: 5", "a = 1; a", "try: 1/1\nfinally: 3", "def g(): pass\ng()", "for i in range(3): i\nelse: 7", "importlib = 3\nimportlib", "iffy = 1\niffy",
        "@staticmethod\ndef q(): pass", "x = 1 # c\n# d", "x = '('\nx", "x = '('\nf(\ny=x)", "with open('/dev/null') as g: 3",
    ],
    "annotations": [
        "def f(x: int): return 1", "from __future__ import annotations", "def f(x: nowhere) -> nope: return 1\nf(1), f.__annotations__",
        "class A:\n    y: zzz = 3\nA.__annotations__", "k: qqq = 3\n__annotations__",
    ],
    "annotations in the same cell": ["import sys\nfrom __future__ import annotations\nprint(1)", "def h(a: rr): return 2\nprint(h.__annotations__)"],
    "errors": [
        "1/0", "def f():\n    return g()\ndef g():\n    raise ValueError('bad')\nf()", "f(", "  x = 1", "return 3", "print('before')\nreturn 3", "yield 1",
        "x = 1\nbreak", "try:\n    1/0\nexcept Exception as e:\n    raise KeyError('k') from e", "print('a'); undefined; print('b')", "import nosuch",
        "assert 1 == 2, 'why'", "raise KeyboardInterrupt", "raise BaseException('base')", "raise", "raise 3", "exit()", "print('after')",
        "import sys\nsys.exit(3)", "quit()", "print(1)\nraise SystemExit", "1 if", "print(1)\n%who_ls\nprint(2)",
    ],
    "warnings": [
        "import warnings\ndef f(): warnings.warn('careful')\nf(); f()", "f()", "f()\nfor i in range(3): warnings.warn('loop')",
        "import numpy as np\nnp.log(0), np.array([1])/0", "np.log(0)", "warnings.simplefilter('always')\nf(); f()", "import logging\nlogging.warning('careful')",
    ],
    "displays": [
        "display(1, 'a')", "class R:\n    def _repr_markdown_(self): return '# t'\n    def __repr__(self): return 'R!'\nR()", "class Q:\n    def __repr__(self): return 'line\\nline'\nQ()",
        "class D:\n    def _ipython_display_(self): print('shown')\nD()", "[D, R()][1:]", "{'b': 1, 'a': list(range(40))}", "print(repr(R()))",
        "import matplotlib.pyplot as plt\nplt.plot([1, 2])", "plt.plot([1]);", "plt.show()", "fig, ax = plt.subplots()", "plt.figure(); plt.close()", "%precision 3", "3.14159265",
        "%pprint", "list(range(5))", "%%capture c\nprint('x')", "c.stdout", "import asyncio\nawait asyncio.sleep(0)\nprint('w')", "async def f(): return 5\nawait f()", "[await f() for _ in range(2)]",
    ],
    "the shell": [
        "def hook(r): print(r.result, r.success, get_ipython().execution_count - r.execution_count, r.info.raw_cell[:3])\nget_ipython().events.register('post_run_cell', hook)",
        "7*6", "1/0", "a =", "get_ipython().events.unregister('post_run_cell', hook)", "get_ipython().events.register('pre_execute', lambda: print('pre'))", "2",
        "from IPython.core.interactiveshell import InteractiveShell\nInteractiveShell.ast_node_interactivity = 'all'", "1\n2\n3",
        "InteractiveShell.ast_node_interactivity = 'last_expr_or_assign'", "y = 4", "InteractiveShell.ast_node_interactivity = 'last_expr'",
        "import ast\nclass T(ast.NodeTransformer):\n    def visit_Constant(self, node): return ast.Constant(8) if node.value == 7 else node\nget_ipython().ast_transformers.append(T())",
        "7", "get_ipython().ast_transformers.clear()", "7",
    ],
}  # fmt: skip
FILE = re.compile(r"/tmp/ipykernel_\d+/\d+\.py|<ipython-input-[^>]*>")
PLACE = re.compile(r"\([^()]*, line")  # in the message of a SyntaxError
ADDRESS = re.compile(r"0x[0-9a-f]+")


def by_kernel(cells):
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in cells])
    nbclient.NotebookClient(notebook, timeout=60, allow_errors=True, kernel_name="python3").execute()
    return [cell.outputs for cell in notebook.cells]


def by_sandbox(cells, engine):
    notebook = synthetic.added(*cells)
    ids = [cell["id"] for cell in notebook["cells"] if cell["id"].startswith("added")]
    executed = runner.run(synthetic.master(), notebook, engine=engine).notebook
    outputs = {cell["id"]: cell.get("outputs") for cell in executed["cells"]}
    return [outputs[identity] for identity in ids]


def plain(outputs):
    """What can be compared: addresses and names of files go."""
    shown = []
    for output in outputs:
        kind = output["output_type"]
        if kind == "stream":
            text = ADDRESS.sub("0x", FILE.sub("FILE", output["text"]))
            before = shown.pop()[2] if shown and shown[-1][:2] == ["stream", output["name"]] else ""
            shown.append(["stream", output["name"], before + text])
        elif kind == "error":
            shown.append(["error", output["ename"], PLACE.sub("(line", output["evalue"])])
        else:
            data = output["data"]
            shown.append([kind, ADDRESS.sub("0x", data.get("text/plain", "")), "image/png" in data])
    return shown


@pytest.fixture(scope="module")
def engine():
    with Engine() as engine:
        yield engine


@pytest.mark.parametrize("name", SEQUENCES)
def test_outputs_of_cells(name, engine):
    cells = SEQUENCES[name]
    for source, theirs, ours in zip(cells, by_kernel(cells), by_sandbox(cells, engine), strict=True):
        assert plain(ours) == plain(theirs), source
