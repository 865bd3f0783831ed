"""Live pages: code cells that run in the reader's browser, and figures that answer to the reader.

For every page made from a notebook this Sphinx extension
- gives its code cells ids (`cell-3`), and puts the bar with "Run this page live" below the title;
- writes `_live/PAGE.json` (cell sources, alt texts, helper files; for an assignment the released notebook) and
  `_live/PAGE.ipynb`, a notebook to download; both are fetched only when the reader asks for them.

The directive `{interactive} NAME` places a figure of `_static/figures/NAME.mjs`; its static picture is `NAME.svg`
beside it, and its content is the caption.

Python in the browser is Pyodide, from its public CDN. With the environment variable PYODIDE (or `live_pyodide` in
_config.yml) naming a folder of Pyodide's files, those are copied into the site and nothing comes from elsewhere.
"""

import ast
import hashlib
import html
import json
import os
import re
import shutil
import sys
from pathlib import Path

import nbformat
from docutils import nodes
from docutils.parsers.rst import directives
from myst_nb.core.read import create_nb_reader
from sphinx.errors import ExtensionError
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

logger = logging.getLogger(__name__)

CORE = "https://cdn.jsdelivr.net/npm/pyodide@{version}/"
PACKAGES = "https://cdn.jsdelivr.net/pyodide/v{version}/full/"
HIDDEN = {"remove-cell", "remove_cell", "remove-input", "remove_input"}


def read_notebook(app, page):
    """The notebook that a page is made from (sources, no outputs), or None for a page without code cells."""
    path = app.env.doc2path(page)
    if not path.endswith((".md", ".ipynb")):
        return None
    text = Path(path).read_text(encoding="utf-8")
    reader = create_nb_reader(path, app.env.myst_config, app.env.mystnb_config, text)
    notebook = reader.read(text) if reader else None
    return notebook if notebook and any(cell.cell_type == "code" for cell in notebook.cells) else None


def is_assignment(notebook):
    return any(cell.metadata.get("nbgrader", {}).get("grade") for cell in notebook.cells)


def statements(source):
    """Whether a test cell has statements, so something to check: what is left of a cell of hidden tests has none."""
    try:
        return bool(ast.parse(source).body)
    except SyntaxError:
        return True


def alt_texts(cell):
    """The alt texts of a cell's figures, as its metadata gives them."""
    image = cell.metadata.get("mystnb", {}).get("image", {})
    return [" ".join(image["alt"].split())] if "alt" in image else []


def describe(notebook):
    """What the browser needs of each code cell, in order."""
    cells, exercise = [], None
    for index, cell in enumerate(notebook.cells):
        if cell.cell_type == "markdown":
            for heading in re.findall(r"^## +(.+?) *$", cell.source, re.MULTILINE):
                exercise = heading
        if cell.cell_type != "code":
            continue
        tags = list(cell.metadata.get("tags", []))
        item = {
            "index": index,
            "key": f"code-{len(cells)}",
            "source": cell.source,
            "tags": tags,
            "alts": alt_texts(cell),
            "visible": not HIDDEN & set(tags) or bool({"remove-input", "remove_input"} & set(tags)),
            "role": "code",
            "locked": False,
        }
        grading = cell.metadata.get("nbgrader")
        if is_assignment(notebook):
            role = "given" if not grading or not (grading["solution"] or grading["grade"]) else "answer" if grading["solution"] else "test"
            item |= {"role": role, "locked": role != "answer", "exercise": exercise if role != "given" else exercise}
            if grading:
                item |= {"key": grading["grade_id"], "grade_id": grading["grade_id"]}
            if role == "test":
                item |= {"points": grading.get("points", 0), "counts": statements(cell.source)}
        cells.append(item)
    return cells


def helper_files(source_folder, cells):
    """Modules beside a page that its cells import, with what those import: name -> text."""
    files, todo = {}, [cell["source"] for cell in cells]
    while todo:
        for name in re.findall(r"^\s*(?:import|from)\s+(\w+)", todo.pop(), re.MULTILINE):
            path = source_folder / f"{name}.py"
            if path.is_file() and path.name not in files:
                files[path.name] = path.read_text(encoding="utf-8")
                todo.append(files[path.name])
    return files


def missing_modules(app, data):
    """Modules that the cells or their helpers import and the browser does not have (PyTorch, for one)."""
    lock = json.loads((Path(__file__).parents[1] / "_static/live/pyodide.json").read_text())["lock"]
    known = set(sys.stdlib_module_names) | {"myst_nb", "IPython"} | {Path(name).stem for name in data["files"]}
    known |= {module.split(".")[0] for item in lock["packages"].values() for module in item["imports"]}
    texts = [*data["files"].values(), *(cell["source"] for cell in data["cells"])]
    wanted = {name for text in texts for name in re.findall(r"^\s*(?:import|from)\s+(\w+)", text, re.MULTILINE)}
    return sorted(wanted - known)


def page_data(app, page, notebook):
    """The content of `_live/PAGE.json`."""
    cells = describe(notebook)
    data = {
        "kind": "assignment" if is_assignment(notebook) else "chapter",
        "name": page.rpartition("/")[2],
        "notebook": page.rpartition("/")[2] + ".ipynb",
        "version": hashlib.sha256(json.dumps([cell["source"] for cell in cells]).encode()).hexdigest()[:12],
        "cells": cells,
        "files": helper_files(Path(app.env.doc2path(page)).parent, cells),
    }
    if data["kind"] == "assignment":
        data["document"] = json.loads(Path(app.env.doc2path(page)).read_text(encoding="utf-8"))
    return data


def download(notebook, data):
    """A notebook of the page that runs on its own: helper modules are written by its first cell."""
    copy = nbformat.from_dict(notebook.copy())
    if data["files"]:
        lines = ["# Helper files of the course, written here so that this notebook runs on its own.", "from pathlib import Path", ""]
        lines += [f"Path({name!r}).write_text({text!r})" for name, text in data["files"].items()]
        copy.cells.insert(0, nbformat.v4.new_code_cell("\n".join(lines), id="helpers"))
    return nbformat.writes(copy, version=4)


def bar(page, data):
    """The bar below the title: one button, and the place where live mode says what it does."""
    up = "../" * page.count("/")
    if data["kind"] == "assignment":
        label = "Solve this page live"
        text = "Write your answers here and check them at once. Python then runs in your browser; nothing is sent anywhere."
    else:
        label = "Run this page live"
        text = "Run and change the code on this page. Python then runs in your browser; nothing has to be installed."
    notebook = html.escape(f"{up}_live/{page}.ipynb")
    link = "" if data["kind"] == "assignment" else f' <a href="{notebook}" download="{data["name"]}.ipynb">Or download the notebook.</a>'
    return nodes.raw("", f"""
<div class="live-bar" data-live="{html.escape(up)}_live/{html.escape(page)}.json" role="region" aria-label="Live mode">
<button type="button" class="live-button live-primary live-start" title="Downloads about 30 MB once">{label}</button>
<p class="live-status" role="status" aria-live="polite">{text}{link}</p>
</div>""", format="html")


def mark_cells(app, doctree, page):
    """Give code cells their ids, and put the bar below the title."""
    notebook = read_notebook(app, page) if app.builder.format == "html" else None
    if not notebook:
        return
    data = page_data(app, page, notebook)
    if missing := missing_modules(app, data):
        logger.info("%s is not live: no %s in the browser", page, ", ".join(missing))
        return
    roles = {cell["index"]: cell["role"] for cell in data["cells"]}
    for node in doctree.findall(nodes.container):
        if node.get("nb_element") == "cell_code":
            node["ids"].append(f"cell-{node['cell_index']}")
            node["classes"].append(f"live-{roles[node['cell_index']]}")
    title = next(iter(doctree.findall(nodes.title)), None)
    if title is not None:
        title.parent.insert(title.parent.index(title) + 1, bar(page, data))
    target = Path(app.outdir) / "_live" / f"{page}.json"
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(json.dumps(data, ensure_ascii=False), encoding="utf-8")
    if data["kind"] == "assignment":
        shutil.copyfile(app.env.doc2path(page), target.with_suffix(".ipynb"))
    else:
        target.with_suffix(".ipynb").write_text(download(notebook, data), encoding="utf-8")


def add_scripts(app, page, template, context, doctree):
    """The small scripts that wait for a press of the button, or for a figure to come into view."""
    if doctree is None:
        return
    app.add_css_file("live/live.css")
    if any("live-bar" in node.astext() for node in doctree.findall(nodes.raw)):
        app.add_js_file("live/boot.mjs", type="module")
    if any("interactive" in node.get("classes", ()) for node in doctree.findall(nodes.figure)):
        app.add_css_file("figures/figures.css")
        app.add_js_file("figures/boot.mjs", type="module")


class Interactive(SphinxDirective):
    """`{interactive} NAME` with `:alt:` and optionally `:name:`; the content is the caption."""

    required_arguments = 1
    has_content = True
    option_spec = {"alt": directives.unchanged_required, "name": directives.unchanged}

    def run(self):
        name = self.arguments[0]
        folder = Path(self.env.app.confdir) / "chapters/_static/figures"
        for file in (folder / f"{name}.mjs", folder / f"{name}.svg"):
            if not file.is_file():
                raise self.error(f"no interactive figure {name}: {file.name} is missing")
            self.env.note_dependency(str(file))
        alt = self.options.get("alt")
        if not alt:
            raise self.error("an interactive figure needs :alt:, a text that says what is seen")
        up = "../" * self.env.docname.count("/")
        figure = nodes.figure("", classes=["interactive"])
        figure += nodes.raw("", f'<div class="interactive-body" data-figure="{name}">'
                            f'<img class="dark-light" src="{up}_static/figures/{name}.svg" alt="{html.escape(" ".join(alt.split()))}" loading="lazy"></div>', format="html")
        caption = nodes.caption()
        paragraph, messages = self.state.inline_text(" ".join(self.content), self.lineno)
        caption += paragraph
        figure += caption
        self.add_name(figure)
        self.set_source_info(figure)
        return [figure, *messages]


def place_pyodide(app, exception):
    """Say where Pyodide comes from (`_static/live/source.json`), and copy it when it is a local folder."""
    if exception or app.builder.format != "html":
        return
    static = Path(app.outdir) / "_static"
    manifest = json.loads((static / "live/pyodide.json").read_text())
    version, folder = manifest["version"], os.environ.get("PYODIDE") or app.config.live_pyodide
    source = {"core": CORE.format(version=version), "packages": PACKAGES.format(version=version)}
    if folder:
        target = static / "pyodide" / version
        copy_pyodide(Path(app.confdir) / folder, target, manifest)
        source = dict.fromkeys(source, f"../pyodide/{version}/")
    (static / "live/source.json").write_text(json.dumps(source))


def copy_pyodide(folder, target, manifest):
    """Copy the pinned files; a file that is missing or another version's ends the build."""
    wanted = manifest["core"] | {item["file_name"]: item for item in manifest["lock"]["packages"].values()}
    target.mkdir(parents=True, exist_ok=True)
    for name, file in wanted.items():
        path = folder / name
        if not path.is_file() or hashlib.sha256(path.read_bytes()).hexdigest() != file["sha256"]:
            raise ExtensionError(f"{folder} lacks {name} of Pyodide {manifest['version']} (see _static/live/pyodide.json)")
        if not (target / name).is_file() or (target / name).stat().st_size != file["bytes"]:
            shutil.copyfile(path, target / name)


def setup(app):
    app.add_config_value("live_pyodide", "", "html")
    app.add_directive("interactive", Interactive)
    app.connect("doctree-resolved", mark_cells)
    app.connect("html-page-context", add_scripts)
    app.connect("build-finished", place_pyodide)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
