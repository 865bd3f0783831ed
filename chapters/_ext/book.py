"""The book's Sphinx extension: what the website needs beyond Jupyter Book.

- `local_mathjax` copies MathJax from its Python package into the site, so that formulas need no network.
- `label_targets` lets `[text](rope.md#rope-layouts)` point at a label, `(rope-layouts)=`, and not only at a heading's slug.
"""

import shutil
from importlib.resources import files
from pathlib import Path


def copy_mathjax(app, exception):
    """Put MathJax (one script and its fonts) below _static/mathjax, where `mathjax_path` points."""
    if exception or app.builder.format != "html":
        return
    source = Path(str(files("mathjax"))) / "static/mathjax/es5"
    target = Path(app.outdir) / "_static/mathjax"
    target.mkdir(parents=True, exist_ok=True)
    shutil.copy2(source / "tex-chtml.js", target)
    shutil.copy2(source.parent / "LICENSE", target)
    shutil.copytree(source / "output", target / "output", dirs_exist_ok=True)


def label_targets(app, env):
    """Let links of the form page.md#label find labels: MyST looks only among the slugs of headings."""
    for label, (page, target) in env.domaindata["std"]["anonlabels"].items():
        env.metadata[page].setdefault("myst_slugs", {}).setdefault(label, (0, target, label))


def setup(app):
    app.connect("env-updated", label_targets)
    app.connect("build-finished", copy_mathjax)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
