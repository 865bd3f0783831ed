"""Fixtures of the website's tests: the built site on a port of this machine, and a real browser.

The site is what `make site` built. Live pages need Pyodide: from $PYODIDE_DIR, from ../shared/pyodide beside the
repository, or from its public address; without any of them those tests are skipped.
"""

import re
import shutil
import time
import urllib.error
import urllib.request

import pytest
from playwright.sync_api import sync_playwright

from website.serve import ROOT, Server, pyodide_folder

# PyTorch does not exist in the browser; a page that needs it says so by having no live mode.
CHAPTERS = sorted(path.stem for path in (ROOT / "chapters").glob("*.md") if "{code-cell}" in (text := path.read_text()) and "import torch" not in text)
ASSIGNMENTS = sorted(path.stem for path in (ROOT / "solutions").glob("*.md"))
OPTIONS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"]


@pytest.fixture(scope="session")
def chromium():
    path = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if path is None:
        pytest.skip("no Chromium: apt-get install chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=OPTIONS)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def server(site):
    with Server(site, pyodide_folder()) as running:
        yield running


@pytest.fixture(scope="session")
def pyodide(site):
    """Skips when Pyodide is neither here nor to be had from its address."""
    if pyodide_folder():
        return
    source = (site / "_static/live/source.json").read_text()
    address = re.search(r'"core": "([^"]+)"', source)[1]
    try:
        urllib.request.urlopen(urllib.request.Request(address + "pyodide.mjs", method="HEAD"), timeout=10)
    except (OSError, ValueError) as error:
        pytest.skip(f"no Pyodide: set PYODIDE_DIR to a folder of its files ({address}: {error})")


class Tab:
    """A page of the site, with what it asked for and what it complained about."""

    def __init__(self, browser, url, **settings):
        self.context = browser.new_context(**({"viewport": {"width": 1200, "height": 900}} | settings))
        self.page = self.context.new_page()
        self.url = url
        self.complaints, self.requests, self.bytes = [], [], {}
        self.page.on("console", lambda message: message.type in ("error", "warning") and self.complaints.append(message.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("response", lambda response: self.bytes.update({response.url: int(response.headers.get("content-length", 0))}))

    def goto(self, path):
        self.page.goto(f"{self.url}/{path}", wait_until="networkidle")
        return self

    def settled(self):
        """Wait until formulas are drawn and nothing more is on its way."""
        self.page.evaluate("() => window.MathJax?.startup?.promise")
        self.page.evaluate("() => document.fonts.ready.then(() => true)")
        self.page.wait_for_load_state("networkidle")
        return self

    def press_start(self):
        self.page.click(".live-start")

    def ready(self, seconds=90):
        self.page.wait_for_function(
            "() => /is ready/.test(document.querySelector('.live-status').textContent) || document.querySelector('.live-trouble')",
            timeout=seconds * 1000,
        )
        assert not self.page.query_selector(".live-trouble"), self.status
        return self

    def start(self):
        self.press_start()
        return self.ready()

    @property
    def status(self):
        return self.page.text_content(".live-status")

    def wait_status(self, pattern, seconds=60):
        self.page.wait_for_function("pattern => new RegExp(pattern).test(document.querySelector('.live-status').textContent)",
                                    arg=pattern, timeout=seconds * 1000)

    def close(self):
        self.context.close()


@pytest.fixture
def tab(chromium, server):
    """tab(path, **context settings) opens a page of the site."""
    opened = []

    def open_tab(path, url=None, **settings):
        opened.append(Tab(chromium, url or server.url, **settings))
        return opened[-1].goto(path)

    yield open_tab
    for each in opened:
        each.close()


def in_parallel(jobs, at_once=2, seconds=240):
    """Run generators that yield while they wait for their page, a few at a time; {name: result}."""
    waiting, running, results = list(jobs.items()), {}, {}
    while waiting or running:
        while waiting and len(running) < at_once:
            name, job = waiting.pop(0)
            running[name] = (job, time.monotonic())
        for name, (job, since) in list(running.items()):
            try:
                next(job)
                if time.monotonic() - since > seconds:
                    raise TimeoutError(f"{name}: not done after {seconds} s")
            except StopIteration as end:
                results[name] = end.value
                del running[name]
            except Exception as error:  # one page that fails leaves the others their results
                results[name] = error
                del running[name]
        time.sleep(0.05)
    return results
