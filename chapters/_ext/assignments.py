"""The pages of the assignments: student notebooks made before they are read, each with its download.

Thereby `jupyter-book build .` works as such on a fresh clone, without a command before it.
"""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

DOWNLOAD = """<div class="admonition tip"><p class="admonition-title">Your copy</p>
<p><a href="{link}" download="{name}.ipynb">Download this notebook ({name}.ipynb)</a>, solve it in Jupyter, and check
it with <code>python -m autograder check {name}.ipynb</code>.</p></div>
"""


def release_notebooks():
    """Make the student notebooks whose instructor notebook is newer; those that are current cost nothing."""
    sys.path.insert(0, str(ROOT))
    from autograder.assignment import names
    from autograder.engines import Engine
    from autograder.release import release

    release(names(), Engine(trust_students=True))  # the cells are the instructor's own


def offer_download(app, pagename, templatename, context, doctree):
    """On the page of an assignment, a box with its notebook below the title."""
    parts = pagename.split("/")
    if parts[0] != "release" or "body" not in context:
        return
    link = context["pathto"](f"_sources/{pagename}.ipynb", resource=True)
    before, end, after = context["body"].partition("</h1>")
    context["body"] = before + end + DOWNLOAD.format(link=link, name=parts[-1]) + after


def setup(app):
    release_notebooks()  # before anything reads _toc.yml, which lists them
    app.connect("html-page-context", offer_download)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
