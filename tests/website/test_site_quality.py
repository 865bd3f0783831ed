"""Every page of the site: accessible, fits a phone, light, complete in its head, silent in the console."""

import re
import runpy

import pytest
from axe_playwright_python.sync_playwright import Axe

from website.conftest import CHAPTERS, ROOT

pytestmark = [pytest.mark.site, pytest.mark.browser]

PAGES = ["index.html", "search.html", "genindex.html", "404.html",
         *(f"chapters/{path.stem}.html" for path in sorted((ROOT / "chapters").glob("*.md"))),
         *(f"release/{path.stem}/{path.stem}.html" for path in sorted((ROOT / "solutions").glob("*.md")))]
# axe rules that the theme breaks by itself, with the reason why that is left alone. Serious and critical ones only.
THEME = {
    "aria-required-children": "sphinxcontrib-bibtex gives the bibliography the role of a list, with back links among its items",
}
# MathJax draws each formula with hundreds of elements, and carries its own hidden MathML for screen readers.
FOR_AXE = {"exclude": [["mjx-container"]]}


def violations(page, *rules):
    """What axe finds serious or critical; rules: only these."""
    options = {"resultTypes": ["violations"]} | ({"runOnly": list(rules)} if rules else {})
    found = Axe().run(page, context=FOR_AXE, options=options).response["violations"]
    return [f"{item['id']}: {item['nodes'][0]['html'][:200]} {item['nodes'][0]['failureSummary'][:300]}"
            for item in found if item["impact"] in ("serious", "critical") and item["id"] not in THEME]


@pytest.mark.parametrize("path", PAGES)
def test_page(tab, path):
    opened = tab(path, reduced_motion="reduce").settled()
    page = opened.page
    assert opened.complaints == []
    assert [url for url in opened.requests if not url.startswith((opened.url, "data:"))] == [], "asks another host"
    assert violations(page) == []
    page.evaluate("() => { document.documentElement.dataset.theme = 'dark'; document.documentElement.dataset.mode = 'dark'; }")
    assert violations(page, "color-contrast") == [], "in the dark theme"
    page.set_viewport_size({"width": 375, "height": 800})
    assert page.evaluate("() => document.documentElement.scrollWidth") <= 375


@pytest.mark.parametrize("name", CHAPTERS)
def test_chapter_is_light(tab, name):
    opened = tab(f"chapters/{name}.html").settled()
    total = sum(opened.bytes.values())
    print(f"{name}: {total / 1000:.0f} KB in {len(opened.requests)} requests")
    assert total < 900_000
    assert len(opened.requests) < 40


def test_heads_are_complete_and_descriptions_differ(site):
    descriptions = {}
    for path in PAGES:
        text = (site / path).read_text()
        if path in ("index.html", "404.html"):
            continue
        assert re.search(r"<title>[^<]+</title>", text), path
        assert 'property="og:title"' in text and 'property="og:description"' in text, path
        assert 'rel="icon"' in text, path
        if path.startswith(("chapters/", "release/")):
            description = re.search(r'<meta name="description" content="([^"]*)"', text)[1]
            assert len(description) > 50, path
            descriptions.setdefault(description, []).append(path)
    assert [paths for paths in descriptions.values() if len(paths) > 1] == []


def test_page_not_found_leads_home(tab):
    opened = tab("no/such/page.html")
    assert opened.page.title().startswith("Page not found")
    opened.page.get_by_role("link").click()
    opened.page.wait_for_url("**/chapters/index.html")


def test_code_can_be_copied(tab):
    page = tab(f"chapters/{CHAPTERS[0]}.html").page
    assert page.locator("button.copybtn").count() > 3


def test_sitemap_lists_every_page():
    text = runpy.run_path(str(ROOT / "chapters/_ext/pages.py"))["sitemap"]("https://example.org/course/", [("chapters/rope.html", "2026-11-30"), ("a&b.html", "")])
    assert "<loc>https://example.org/course/chapters/rope.html</loc><lastmod>2026-11-30</lastmod>" in text
    assert "<loc>https://example.org/course/a&amp;b.html</loc>" in text


def test_live_mode_is_accessible(pyodide, tab):
    for path in ("chapters/why_position.html", "release/why_position/why_position.html"):
        opened = tab(path, reduced_motion="reduce", viewport={"width": 375, "height": 800}).start()
        assert violations(opened.page) == [], path
        assert opened.page.evaluate("() => document.documentElement.scrollWidth") <= 375
        opened.page.evaluate("() => { document.documentElement.dataset.theme = 'dark'; }")
        assert violations(opened.page, "color-contrast") == [], f"{path} in the dark theme"


def test_print_shows_neither_bar_nor_controls(tab):
    page = tab("chapters/rope.html").page
    page.emulate_media(media="print")
    assert not page.locator(".live-bar").is_visible()
    assert not page.locator(".bd-sidebar-primary").is_visible()


def test_first_numpy_result_is_nearly_as_fast_as_bare_pyodide(pyodide, chromium, server):
    """Within 1.5 times of a page that does nothing but load Pyodide in a worker and import NumPy."""
    from website.conftest import Tab

    bare = """async () => {
        const {core} = await (await fetch('/_static/live/source.json')).json();
        const base = new URL(core, new URL('/_static/live/', location.href)).href;
        const {lock} = await (await fetch('/_static/live/pyodide.json')).json();
        for (const item of Object.values(lock.packages)) item.file_name = base + item.file_name;
        const lockFile = URL.createObjectURL(new Blob([JSON.stringify(lock)]));
        const source = `onmessage = async () => { const {loadPyodide} = await import('${base}pyodide.mjs');
            const python = await loadPyodide({indexURL: '${base}', lockFileURL: '${lockFile}'}); await python.loadPackage('numpy');
            postMessage(python.runPython('import numpy; int(numpy.arange(3).sum())')); };`;
        const worker = new Worker(URL.createObjectURL(new Blob([source], {type: 'text/javascript'})), {type: 'module'});
        const start = performance.now();
        await new Promise((resolve) => { worker.onmessage = resolve; worker.postMessage(0); });
        worker.terminate();
        return performance.now() - start;
    }"""
    live = """async () => {
        const start = performance.now();
        document.querySelector('.live-start').click();
        while (!globalThis.livePage?.stopButton) await new Promise((next) => setTimeout(next, 5));
        const cell = livePage.cells[0];
        cell.text = 'import numpy; int(numpy.arange(3).sum())';
        await livePage.runOne(cell);
        return performance.now() - start;
    }"""
    times = {"bare": [], "live": []}
    for _ in range(3):
        for name, script in (("bare", bare), ("live", live)):
            tab = Tab(chromium, server.url).goto("chapters/why_position.html")
            tab.page.evaluate(f"() => {{ window.took = 0; ({script})().then((ms) => {{ window.took = ms; }}); }}")
            tab.page.wait_for_function("() => window.took", timeout=60_000)
            times[name].append(tab.page.evaluate("() => window.took"))
            tab.close()
    ratio = min(times["live"]) / min(times["bare"])
    print(f"first NumPy result: live {min(times['live']):.0f} ms, bare {min(times['bare']):.0f} ms, ratio {ratio:.2f}")
    assert ratio < 1.5
