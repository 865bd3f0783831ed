"""`chapter(name)`: a chapter of the book, executed once in a session."""

from functools import cache

import pytest

import chapter_pages


@pytest.fixture(scope="session")
def chapter():
    """chapter("rope") runs chapters/rope.md once and returns it: namespace, glued values, outputs.

    chapter("rope")["rope"] is the function of that name; .glued["name"] a glued value; .outputs one entry
    per code cell (source, tags, stdout, result, figures, warnings, error).
    """
    return cache(chapter_pages.run)
