"""Every cell of every chapter runs in the browser, without error, and says what the page has recorded."""

import pytest

from website.conftest import CHAPTERS, Tab, in_parallel

pytestmark = [pytest.mark.site, pytest.mark.browser]

# What a cell has recorded in the page, and what it shows after the run: text without standard error, and figures.
READ = """() => livePage.cells.map((cell) => {
    const box = cell.element?.querySelector('.cell_output');
    const texts = box ? [...box.querySelectorAll('.output:not(.stderr) pre')].map((pre) => pre.textContent.replace(/\\n+/g, '\\n').trim()) : [];
    return {
        label: cell.label,
        text: texts.filter(Boolean).join('\\n'),
        figures: box ? box.querySelectorAll('img').length : 0,
        alts: box ? [...box.querySelectorAll('img')].map((image) => image.alt) : [],
        error: box?.querySelector('.live-error')?.textContent ?? null,
    };
})"""
RUN = """() => {
    window.hidden = [];
    const run = livePage.session.run.bind(livePage.session);
    livePage.session.run = (job) => run({...job, onOutput: (output) => {
        if (output.kind === 'error') window.hidden.push(output.traceback);
        job.onOutput(output);
    }});
    livePage.runMany(livePage.cells).then(() => { window.finished = true; });
}"""


def visit(chromium, server, name):
    tab = Tab(chromium, server.url)
    try:
        tab.goto(f"chapters/{name}.html")
        tab.press_start()
        while not tab.page.evaluate("() => /is ready/.test(document.querySelector('.live-status').textContent) || !!document.querySelector('.live-trouble')"):
            yield
        tab.ready(1)
        recorded = tab.page.evaluate(READ)
        tab.page.evaluate(RUN)
        while not tab.page.evaluate("() => window.finished === true"):
            yield
        return {"recorded": recorded, "live": tab.page.evaluate(READ), "status": tab.status,
                "errors": tab.page.evaluate("() => window.hidden"), "complaints": tab.complaints}
    finally:
        tab.close()


@pytest.fixture(scope="session")
def runs(pyodide, chromium, server):
    return in_parallel({name: visit(chromium, server, name) for name in CHAPTERS})


@pytest.mark.parametrize("name", CHAPTERS)
def test_chapter_runs_live(runs, name):
    run = runs[name]
    if isinstance(run, Exception):
        raise run
    assert run["errors"] == []
    assert run["status"] == "All cells have run."
    assert run["complaints"] == []
    for recorded, live in zip(run["recorded"], run["live"], strict=True):
        assert live["text"] == recorded["text"], recorded["label"]
        assert live["figures"] == recorded["figures"], recorded["label"]
        assert live["alts"] == recorded["alts"], recorded["label"]
