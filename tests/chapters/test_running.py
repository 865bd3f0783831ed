"""The tools of this folder: running a chapter does what the build does."""

import chapter_pages
import pytest


@pytest.fixture
def page(tmp_path, monkeypatch):
    """Write a page and run it."""
    def run(*cells):
        text = "---\njupytext:\n  text_representation:\n    extension: .md\n    format_name: myst\nkernelspec:\n  display_name: Python 3\n  language: python\n  name: python3\n---\n\n# Title\n"
        text += "".join(f"\n```{{code-cell}} ipython3\n{cell}\n```\n" for cell in cells)
        (tmp_path / "page.md").write_text(text, encoding="utf8")
        return chapter_pages.run("page")

    monkeypatch.setattr(chapter_pages, "FOLDER", tmp_path)
    return run


def test_cells_share_a_namespace_and_outputs_are_kept(page):
    got = page("x = 3\nprint('three')", ":tags: [hide-input]\n\nx + 1", "x + 2;")
    assert got["x"] == 3
    assert [o.stdout for o in got.outputs] == ["three\n", "", ""]
    assert [o.result for o in got.outputs] == [None, 4, None]
    assert got.outputs[1].tags == ["hide-input"]


def test_glue_is_captured_and_a_second_glue_of_a_name_refused(page):
    assert page("from myst_nb import glue\nglue('answer', 42, display=False)").glued == {"answer": 42}
    with pytest.raises(AssertionError, match="glued twice"):
        page("from myst_nb import glue\nglue('answer', 1)\nglue('answer', 2)")


def test_a_failing_cell_raises_unless_it_is_meant_to(page):
    with pytest.raises(ZeroDivisionError):
        page("1 / 0")
    assert isinstance(page(":tags: [raises-exception]\n\n1 / 0", "2").outputs[0].error, ZeroDivisionError)


def test_figures_belong_to_the_cell_that_drew_them(page):
    got = page("import matplotlib.pyplot as plt\nplt.plot([1, 2])\nplt.show()", "import warnings\nwarnings.warn('careful')")
    assert [len(o.figures) for o in got.outputs] == [1, 0]
    assert [o.warnings for o in got.outputs] == [[], ["careful"]]


def test_every_page_of_the_contents_exists():
    assert len(chapter_pages.CHAPTERS) == 7
    for name in chapter_pages.PAGES:
        assert chapter_pages.source(name)
