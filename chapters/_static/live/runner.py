"""Runs a page's cells in the browser, the way Jupyter shows them. Loaded into Pyodide by worker.mjs.

`emit(kind, **data)` sends an output to the page: stream, result, image, html, error.
"""

import ast
import base64
import builtins
import io
import linecache
import logging
import os
import sys
import time
import traceback
import types
import warnings

LIMIT = 200_000        # characters of text that one cell may print
os.environ["MPLBACKEND"] = "module://live_backend"
emit = None            # set by worker.mjs
namespaces = {}


class Stream(io.TextIOBase):
    """sys.stdout or sys.stderr: sends text in pieces, and stops a cell from printing without end."""

    def __init__(self, name):
        self.name, self.pieces, self.sent, self.last = name, [], 0, 0.0

    def writable(self):
        return True

    def write(self, text):
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        if self.sent <= LIMIT:
            self.pieces.append(text)
            self.sent += len(text)
            if self.sent > LIMIT:
                self.pieces.append("\n… more output is not shown\n")
            if self.sent > LIMIT or time.monotonic() - self.last > 0.1:
                self.flush()
        return len(text)

    def flush(self):
        if self.pieces:
            emit("stream", name=self.name, text="".join(self.pieces))
            self.pieces, self.last = [], time.monotonic()


def flush():
    sys.stdout.flush()
    sys.stderr.flush()


def pretty(value):
    """The text that Jupyter shows for a cell's last value: repr, long containers one item a line."""
    text = repr(value)
    if len(text) <= 79 or type(value) not in (list, tuple, dict, set) or "\n" in text:
        return text
    opening, closing = text[0], text[-1]
    if type(value) is dict:
        items = [f"{k!r}: {pretty(v)}" for k, v in value.items()]
    else:
        items = [pretty(v) for v in value]
    return opening + ",\n ".join(item.replace("\n", "\n ") for item in items) + closing


def display(*values):
    """Show values, as IPython's display does."""
    for value in values:
        flush()
        html = getattr(value, "_repr_html_", None)
        if "matplotlib" in sys.modules and isinstance(value, sys.modules["matplotlib"].figure.Figure):
            show_figure(value)
        elif html and not isinstance(value, type):
            emit("html", html=html())
        else:
            emit("result", text=pretty(value))


def show_figure(figure):
    """Send a figure as PNG, at one and a half times the size it is shown in."""
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=1.5 * figure.dpi, bbox_inches="tight", facecolor=figure.get_facecolor())
    data = buffer.getvalue()
    width = int.from_bytes(data[16:20], "big")
    emit("image", png=base64.b64encode(data).decode(), width=round(width / 1.5))


def show_figures():
    """Send all open figures and close them."""
    pyplot = sys.modules.get("matplotlib.pyplot")
    if pyplot:
        try:
            for number in pyplot.get_fignums():
                flush()
                show_figure(pyplot.figure(number))
        finally:
            pyplot.close("all")


def report(error, sources):
    """Send an error with its traceback, cut down to the lines that the reader wrote."""
    lines = []
    for frame in traceback.extract_tb(error.__traceback__):
        if frame.filename in sources:
            where = f"{frame.filename[1:-1].capitalize()}, line {frame.lineno}"
            where += f", in {frame.name}" if frame.name != "<module>" else ""
            lines += [where, f"    {frame.line}"]
    if isinstance(error, SyntaxError) and error.filename in sources:
        lines += [f"{error.filename[1:-1].capitalize()}, line {error.lineno}", f"    {(error.text or '').rstrip()}"]
        if error.offset and error.text:
            lines.append("    " + " " * (error.offset - 1) + "^")
    name = type(error).__name__
    message = error.msg if isinstance(error, SyntaxError) else str(error)
    emit("error", name=name, message=message, traceback="\n".join([*lines, f"{name}: {message}" if message else name]))


def forget(namespace):
    """Drop a namespace, so that its next cell starts from nothing."""
    namespaces.pop(namespace, None)


def run(source, label, namespace="page"):
    """Run one cell; True when it raised nothing. label: what tracebacks call it, such as "cell 3"."""
    if namespace not in namespaces:
        main = types.ModuleType("__main__")
        main.__dict__.update(__builtins__=builtins, display=display)
        namespaces[namespace] = main
    main = namespaces[namespace]
    sys.modules["__main__"] = main
    filename = f"<{label}>"
    sources = main.__dict__.setdefault("__sources__", set())
    sources.add(filename)
    # %matplotlib inline and its like say what is the case here anyway
    source = "\n".join("" if line.startswith("%matplotlib") else line for line in source.splitlines())
    linecache.cache[filename] = (len(source), None, source.splitlines(keepends=True), filename)
    streams = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = Stream("stdout"), Stream("stderr")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("default")
            tree = ast.parse(source, filename)
            last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
            if last is not None and source.rstrip().endswith(";"):
                tree.body.append(last)
                last = None
            exec(compile(tree, filename, "exec"), main.__dict__)
            if last is not None:
                value = eval(compile(ast.Expression(last.value), filename, "eval"), main.__dict__)
                if value is not None:
                    builtins._ = value
                    display(value)
            show_figures()
        return True
    except BaseException as error:  # SystemExit and KeyboardInterrupt as well: they end the cell, not the page
        flush()
        report(error, sources)
        if "matplotlib.pyplot" in sys.modules:
            sys.modules["matplotlib.pyplot"].close("all")
        return False
    finally:
        flush()
        sys.stdout, sys.stderr = streams


def module(name, **contents):
    """Make a small stand-in for a module that the browser has no need of."""
    made = types.ModuleType(name)
    made.__dict__.update(contents)
    sys.modules[name] = made
    parent, _, child = name.rpartition(".")
    if parent:
        setattr(sys.modules[parent], child, made)
    return made


def glue(name, variable, display=True):
    """Stand-in for myst_nb.glue: the book's text holds recorded numbers, so only the display is left to do."""
    if display:
        globals()["display"](variable)


class HTML:
    """Stand-in for IPython.display.HTML."""

    def __init__(self, data):
        self.data = data

    def _repr_html_(self):
        return self.data


module("myst_nb", glue=glue)
module("IPython", get_ipython=lambda: None)
module("IPython.display", display=display, HTML=HTML)

# The Matplotlib backend: Agg, and show() sends the figures to the page. A file, since Matplotlib imports it by name.
with open("live_backend.py", "w") as file:
    file.write(
        "from matplotlib.backend_bases import FigureManagerBase as FigureManager\n"
        "from matplotlib.backends.backend_agg import FigureCanvasAgg as FigureCanvas\n"
        "from live_runner import show_figures\n"
        "def show(*args, **kwargs):\n    show_figures()\n"
    )
logging.getLogger("matplotlib.font_manager").setLevel(logging.ERROR)  # it says that it builds its cache
