"""What a reader does in live mode: edit, run, stop, reset, reload; and what happens when something breaks."""

import json
import re
import time

import pytest

from website.conftest import ROOT, Tab
from website.serve import Server, pyodide_folder

pytestmark = [pytest.mark.site, pytest.mark.browser]

CHAPTER = "chapters/why_position.html"
ASSIGNMENT = "release/why_position/why_position.html"


def first_editor(page):
    return page.locator(".cm-content").first


def type_code(page, text, editor=None):
    (editor or first_editor(page)).click()
    page.keyboard.press("Control+a")
    page.keyboard.insert_text(text)


def first_output(page):
    return page.locator(".cell.live .live-output").first


@pytest.fixture(scope="module")
def live(pyodide, chromium, server):
    """One live chapter for the tests of this file; each leaves it as it was."""
    tab = Tab(chromium, server.url)
    tab.goto(CHAPTER).start()
    yield tab
    tab.close()


@pytest.fixture
def page(live):
    live.page.evaluate("() => { for (const cell of livePage.cells) cell.set(cell.source); livePage.save(); }")
    yield live.page
    assert live.complaints == []


def test_nothing_of_live_mode_is_fetched_before_the_button(tab):
    opened = tab(CHAPTER).settled()
    assert [url for url in opened.requests if not url.startswith(opened.url)] == []
    live_files = {url.rpartition("/")[2].partition("?")[0] for url in opened.requests if "/live/" in url or "_live" in url}
    assert live_files == {"boot.mjs", "live.css"}
    opened.press_start()
    opened.page.wait_for_selector(".cm-content")
    assert any("codemirror" in url for url in opened.requests)


def test_run_a_cell_by_keyboard_and_see_its_last_value(page, live):
    type_code(page, "import numpy as np\nprint('to the stream')\nnp.arange(3) / 2")
    page.keyboard.press("Control+Enter")
    live.wait_status("Done")
    assert first_output(page).locator("pre").all_text_contents() == ["to the stream\n", "array([0. , 0.5, 1. ])"]


def test_shift_enter_goes_on_to_the_next_cell(page, live):
    type_code(page, "1 + 1")
    page.keyboard.press("Shift+Enter")
    live.wait_status("Done")
    assert page.evaluate("() => document.activeElement.getAttribute('aria-label')") == "Code of cell 2"


def test_tab_indents_undo_undoes_and_escape_tab_leaves(page):
    type_code(page, "if True:")
    page.keyboard.press("End")
    page.keyboard.press("Enter")
    assert page.evaluate("() => livePage.cells[0].text") == "if True:\n    "
    page.keyboard.press("Tab")
    assert page.evaluate("() => livePage.cells[0].text") == "if True:\n        "
    for _ in range(4):
        page.keyboard.press("Control+z")
    assert page.evaluate("() => livePage.cells[0].text") != "if True:\n        "
    page.keyboard.press("Escape")
    page.keyboard.press("Tab")
    assert page.evaluate("() => document.activeElement.textContent") == "Run"


def test_errors_show_the_readers_lines_only(page, live):
    type_code(page, "def inner(x):\n    return 1 / x\n\ninner(0)")
    page.keyboard.press("Control+Enter")
    live.wait_status("Cell 1 ended with ZeroDivisionError")
    assert first_output(page).locator(".live-error pre").text_content() == (
        "Cell 1, line 4\n    inner(0)\nCell 1, line 2, in inner\n    return 1 / x\nZeroDivisionError: division by zero")


def test_a_syntax_error_points_at_its_place(page, live):
    type_code(page, "x = (1,\ny = 2")
    page.keyboard.press("Control+Enter")
    live.wait_status("Cell 1 ended with SyntaxError")
    assert "SyntaxError" in first_output(page).locator(".live-error pre").text_content()


def test_a_cell_that_needs_the_cells_above_runs_them(page, live):
    page.evaluate("() => livePage.resetAll()")
    page.get_by_label("Run cell 3", exact=True).click()
    live.wait_status("All cells have run|Done", 90)
    assert page.locator(".live-error").count() == 0


def test_a_figure_keeps_its_alt_text_and_caption(page, live):
    page.evaluate("() => livePage.resetAll()")
    number = page.evaluate("() => livePage.cells.find((cell) => cell.alts.length).number")
    box = page.locator(f"#cell-{page.evaluate('() => livePage.cells.find((cell) => cell.alts.length).index')}")
    recorded = box.locator("img").get_attribute("alt"), box.locator("figcaption").inner_text()
    page.get_by_label(f"Run all cells up to cell {number}", exact=True).click()
    live.wait_status("All cells have run", 90)
    assert box.locator("img").get_attribute("src").startswith("data:image/png;base64,")
    assert (box.locator("img").get_attribute("alt"), box.locator("figcaption").inner_text()) == recorded
    page.evaluate("() => livePage.resetAll()")
    assert not box.locator("img").get_attribute("src").startswith("data:")


def test_reset_brings_back_code_and_recorded_output(page, live):
    original = page.evaluate("() => livePage.cells[1].source")
    editor = page.locator(".cm-content").nth(1)
    type_code(page, "print('mine')", editor)
    page.keyboard.press("Control+Enter")
    live.wait_status("Done")
    page.get_by_label("Reset cell 2 to the original code").click()
    assert page.evaluate("() => livePage.cells[1].text") == original
    assert page.evaluate("() => livePage.cells[1].element.querySelector('.live-output')") is None


def test_an_endless_loop_is_stopped_and_python_goes_on(page, live):
    type_code(page, "while True:\n    pass")
    page.keyboard.press("Control+Enter")
    live.wait_status("Running cell 1")
    time.sleep(0.5)
    page.get_by_text("Stop", exact=True).click()
    live.wait_status("Python was restarted")
    type_code(page, "print(6 * 7)")
    page.keyboard.press("Control+Enter")
    live.wait_status("Done")
    assert first_output(page).inner_text().strip() == "42"


def test_endless_printing_is_cut_and_can_be_stopped(page, live):
    type_code(page, "while True:\n    print('again and again')")
    page.keyboard.press("Control+Enter")
    page.wait_for_function("() => /more output is not shown/.test(document.querySelector('.live-output')?.textContent)")
    page.get_by_text("Stop", exact=True).click()
    live.wait_status("Python was restarted")
    assert len(first_output(page).inner_text()) < 300_000


def test_edits_survive_a_reload_and_are_discarded_on_request(pyodide, tab):
    opened = tab(CHAPTER)
    opened.press_start()
    opened.page.wait_for_selector(".cm-content")
    type_code(opened.page, "print('kept')")
    opened.goto(CHAPTER)
    opened.press_start()
    opened.page.wait_for_selector(".cm-content")
    assert first_editor(opened.page).inner_text() == "print('kept')"
    opened.page.on("dialog", lambda dialog: dialog.accept())
    opened.page.get_by_text("Reset page").click()
    assert opened.page.evaluate("() => Object.keys(localStorage).filter((key) => key.startsWith('live:'))") == []
    assert first_editor(opened.page).inner_text().startswith("import numpy as np")


def test_edits_of_another_version_are_offered_not_imposed(tab):
    opened = tab(CHAPTER)
    opened.page.evaluate("() => localStorage.setItem(`live:${location.pathname}`, JSON.stringify({version: 'older', cells: {'code-0': 'print(1)'}}))")
    opened.press_start()
    opened.page.wait_for_selector(".live-note")
    assert first_editor(opened.page).inner_text().startswith("import numpy as np")
    opened.page.get_by_text("Use them").click()
    assert first_editor(opened.page).inner_text() == "print(1)"


def test_where_memory_may_be_shared_stop_keeps_the_variables(pyodide, chromium, site):
    if not pyodide_folder():
        pytest.skip("needs Pyodide from the same host")
    with Server(site, pyodide_folder(), isolated=True) as server:
        tab = Tab(chromium, server.url).goto(CHAPTER).start()
        page = tab.page
        type_code(page, "kept = 5\nwhile True:\n    pass")
        page.keyboard.press("Control+Enter")
        tab.wait_status("Running cell 1")
        time.sleep(0.5)
        page.get_by_text("Stop", exact=True).click()
        tab.wait_status("ended with KeyboardInterrupt|Stopped")
        type_code(page, "print(kept)")
        page.keyboard.press("Control+Enter")
        tab.wait_status("Done")
        assert first_output(page).inner_text().strip() == "5"
        tab.close()


@pytest.mark.parametrize("path, name", [(CHAPTER, "why_position"), (ASSIGNMENT, "why_position")])
def test_when_python_cannot_be_loaded_the_page_says_what_to_do(chromium, site, path, name):
    with Server(site, pyodide_folder() or site, broken=("pyodide.asm.wasm",)) as server:
        tab = Tab(chromium, server.url).goto(path)
        tab.press_start()
        tab.page.wait_for_selector(".live-trouble")
        assert "could not be loaded" in tab.status
        assert "try again" in tab.page.text_content(".live-trouble")
        with tab.page.expect_download() as download:
            tab.page.click(".live-trouble a")
        assert download.value.suggested_filename == f"{name}.ipynb"
        tab.close()


def test_when_the_editor_cannot_be_loaded_the_button_can_be_pressed_again(chromium, site):
    with Server(site, broken=("codemirror.mjs",)) as server:
        tab = Tab(chromium, server.url).goto(CHAPTER)
        tab.press_start()
        tab.wait_status("could not be loaded")
        assert tab.page.is_enabled(".live-start")
        tab.close()


def test_another_version_of_pyodide_is_refused(chromium, site, tmp_path):
    folder = pyodide_folder()
    if not folder:
        pytest.skip("needs a local Pyodide to damage")
    for file in folder.iterdir():
        (tmp_path / file.name).symlink_to(file)
    data = bytearray((folder / "python_stdlib.zip").read_bytes())
    data[1000] ^= 1
    (tmp_path / "python_stdlib.zip").unlink()
    (tmp_path / "python_stdlib.zip").write_bytes(data)
    with Server(site, tmp_path) as server:
        tab = Tab(chromium, server.url).goto(CHAPTER)
        tab.press_start()
        tab.page.wait_for_selector(".live-trouble")
        assert "is not the pinned version" in tab.status
        tab.close()


def test_notebook_of_a_chapter_can_be_downloaded_and_runs_on_its_own(site):
    notebook = json.loads((site / "_live/chapters/why_position.ipynb").read_text())
    assert any("Path('plotting.py').write_text" in "".join(cell["source"]) for cell in notebook["cells"])


def test_upload_continues_a_notebook(pyodide, tab, tmp_path):
    opened = tab(ASSIGNMENT)
    opened.press_start()
    page = opened.page
    page.wait_for_selector(".live-score")
    type_code(page, "weights = [[0.25, 0.75], [0.5, 0.5]]\noutput = 1\noutput_swapped = 2\n")
    with page.expect_download() as download:
        page.get_by_text("Download notebook").click()
    file = tmp_path / download.value.suggested_filename
    download.value.save_as(file)
    assert "0.25, 0.75" in file.read_text()
    page.on("dialog", lambda dialog: dialog.accept())
    page.get_by_text("Reset page").click()
    assert "0.25" not in first_editor(page).inner_text()
    page.set_input_files("input[type=file]", file)
    opened.wait_status("answer cells read from")
    assert "0.25, 0.75" in first_editor(page).inner_text()
    other = tmp_path / "other.ipynb"
    other.write_text(json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": []}))
    page.set_input_files("input[type=file]", other)
    opened.wait_status("holds no answers of this assignment")


def test_check_shows_the_message_of_a_failed_test_and_the_points(pyodide, tab):
    opened = tab(ASSIGNMENT).start()
    page = opened.page
    type_code(page, "weights = [[0.5, 0.75], [0.5, 0.5]]\noutput = ...\noutput_swapped = [[1, 2], [0.5, 3]]\n")
    page.get_by_label("Check: Attention by hand").and_(page.locator("button")).click()
    opened.wait_status("not all visible tests pass")
    panel = page.locator(".live-check").first
    assert panel.get_attribute("data-state") == "failed"
    text = panel.inner_text()
    assert "add up to" in text and "still empty" in text and re.search(r"Test 3 of 3 .*: passed", text)
    assert re.search(r"0 of \d+ exercises, 0\.5 of", page.text_content(".live-score"))
    type_code(page, "weights = 0")
    assert "Changed since the last check" in panel.inner_text()
    assert page.locator(".live-test .cm-content").count() == 0      # tests are locked
    assert ROOT.joinpath("release/why_position/why_position.ipynb").is_file()
