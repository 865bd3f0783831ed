"""Reading and running the pages of the book, for the tests in this folder.

A chapter is a MyST notebook. `run` executes its code cells in order in one namespace, as the website's
build does, and keeps what each cell printed, returned, drew and glued.
"""

import ast
import contextlib
import io
import sys
import time
import warnings
from dataclasses import dataclass, field
from pathlib import Path
from unittest import mock

import jupytext
import yaml

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "chapters"
TOC = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf8"))


def pages_of(part):
    """Names of the pages in a part of _toc.yml."""
    files = [entry["file"] for entry in next(p for p in TOC["parts"] if p["caption"] == part)["chapters"] if "file" in entry]
    return [Path(file).name for file in files if file.startswith("chapters/")]


CHAPTERS = pages_of("Chapters")
PAGES = [Path(TOC["root"]).name, *CHAPTERS, *pages_of("Reference")]


def source(name):
    """The text of chapters/NAME.md."""
    return (FOLDER / f"{name}.md").read_text(encoding="utf8")


def notebook(name):
    """The page's cells, as jupytext reads them."""
    return jupytext.reads(source(name), fmt="md:myst")


@dataclass
class Output:
    """What one code cell did."""
    index: int                 # of the cell in the notebook
    source: str
    metadata: dict
    stdout: str = ""
    result: object = None      # the value of its last expression, unless a semicolon hides it
    figures: list = field(default_factory=list)
    warnings: list = field(default_factory=list)
    error: BaseException | None = None

    @property
    def tags(self):
        return self.metadata.get("tags", [])

    @property
    def figure_options(self):
        """The `mystnb` metadata that name, caption and describe the figure of the cell."""
        options = self.metadata.get("mystnb", {})
        return options.get("figure", {}), options.get("image", {})


@dataclass
class Chapter:
    """An executed chapter: chapter["rope"] is the object that its cells call `rope`."""
    name: str
    namespace: dict
    glued: dict
    outputs: list
    seconds: float  # of processor time: other work on the machine does not count

    def __getitem__(self, key):
        return self.namespace[key]


def run_cell(output, namespace):
    """Execute the cell's code; keep the value of a last expression as a notebook would."""
    code = output.source
    tree = ast.parse(code)
    last = None
    if tree.body and isinstance(tree.body[-1], ast.Expr) and not code.rstrip().endswith(";"):
        last = ast.Expression(tree.body.pop().value)
    name = f"<cell {output.index}>"
    exec(compile(tree, name, "exec"), namespace)
    if last is not None:
        output.result = eval(compile(last, name, "eval"), namespace)


def run(name):
    """Execute a chapter with cwd = chapters/. A cell that fails raises, unless it is tagged raises-exception."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    import myst_nb

    glued, outputs, namespace = {}, [], {"__name__": "__main__"}

    def glue(key, value, display=True):
        assert key not in glued, f"{name}: {key!r} is glued twice"
        glued[key] = value

    plt.close("all")
    start = time.process_time()
    with contextlib.chdir(FOLDER), mock.patch.object(myst_nb, "glue", glue), mock.patch.object(plt, "show", lambda *a, **k: None), \
            mock.patch.object(sys, "path", [str(FOLDER), *sys.path]):
        for index, cell in enumerate(notebook(name).cells):
            if cell.cell_type != "code":
                continue
            output = Output(index, cell.source, dict(cell.metadata))
            outputs.append(output)
            if "skip-execution" in output.tags:
                continue
            text = io.StringIO()
            with contextlib.redirect_stdout(text), warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("default")
                try:
                    run_cell(output, namespace)
                except Exception as error:
                    if "raises-exception" not in output.tags:
                        error.add_note(f"in {name}.md, cell {index}:\n{cell.source}")
                        raise
                    output.error = error
            output.stdout = text.getvalue()
            output.warnings = [str(w.message) for w in caught if not issubclass(w.category, (DeprecationWarning, PendingDeprecationWarning))]
            output.figures = [plt.figure(number) for number in plt.get_fignums()]
            plt.close("all")  # as the notebook's inline backend does after each cell
    return Chapter(name, namespace, glued, outputs, time.process_time() - start)
