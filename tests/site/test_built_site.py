"""The built website: links, alternative texts, no network, and nothing of a solution or a hidden test."""

import json
import re
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from autograder.assignment import HIDDEN, load_master, names

SOLUTION = re.compile(r"### BEGIN SOLUTION(.*?)### END SOLUTION", re.DOTALL)


class Page(HTMLParser):
    """What a page links to, loads, shows and names."""

    def __init__(self, path: Path):
        super().__init__()
        self.links, self.loads, self.images, self.ids = [], [], [], set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        if "id" in given:
            self.ids.add(given["id"])
        if tag == "a" and given.get("name"):
            self.ids.add(given["name"])
        if tag == "a" and given.get("href"):
            self.links.append(given["href"])
        if tag == "img":
            self.images.append(given)
            self.loads.append(given.get("src", ""))
        if tag in ("script", "iframe", "source", "video", "audio") and given.get("src"):
            self.loads.append(given["src"])
        if tag == "link" and given.get("rel") not in ("canonical", "next", "prev", "index", "search", "author", "alternate") and given.get("href"):
            self.loads.append(given["href"])


@pytest.fixture(scope="module")
def pages(site) -> dict[Path, Page]:
    return {path: Page(path) for path in site.rglob("*.html") if "_static" not in path.parts}


def test_every_chapter_and_assignment_has_a_page(site, root):
    for path in re.findall(r"file: (\S+)", (root / "_toc.yml").read_text()):
        assert (site / f"{path}.html").exists(), path
    for name in names():
        assert (site / "release" / name / f"{name}.html").exists(), name
        assert (site / "chapters" / f"{name}.html").exists(), name


def test_no_broken_internal_link(pages, site):
    broken = []
    for path, page in pages.items():
        for link in page.links + page.loads:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc or link.startswith(("#top", "javascript:")):
                continue
            base = site if parts.path.startswith("/") else path.parent  # 404.html is served from any place
            target = (base / unquote(parts.path).lstrip("/")).resolve() if parts.path else path
            if target.is_dir():
                target = target / "index.html"
            if not target.exists():
                broken.append(f"{path.relative_to(site)}: {link}")
            elif parts.fragment and target in pages and unquote(parts.fragment) not in pages[target].ids:
                broken.append(f"{path.relative_to(site)}: {link} (no such place on that page)")
    assert not broken


def test_every_image_has_a_real_alternative_text(pages, site):
    for path, page in pages.items():
        for image in page.images:
            alt = image.get("alt")
            where = f"{path.relative_to(site)}: {image.get('src')}"
            assert alt is not None, where
            if image.get("role") == "presentation" or alt == "":  # decoration, said to be so
                continue
            assert not re.search(r"\.(png|svg|jpe?g)$|^_images|/_images/", alt), f"{where}: the file name is no alternative text"
            assert len(alt) > 3, where


def test_nothing_is_loaded_from_another_host(pages, site):
    """Math, fonts, search and figures work with the network cut."""
    for path, page in pages.items():
        for link in page.loads:
            assert not urlsplit(link).netloc, f"{path.relative_to(site)} loads {link}"
    for style in site.rglob("*.css"):
        for address in re.findall(r"url\(['\"]?(https?:)?//[^)]*\)", style.read_text(encoding="utf-8", errors="replace")):
            pytest.fail(f"{style.relative_to(site)} loads {address}")


def test_each_assignment_page_offers_the_released_notebook(pages, site, root):
    for name in names():
        path = site / "release" / name / f"{name}.html"
        links = [link for link in pages[path].links if link.endswith(f"{name}.ipynb")]
        assert links, name
        served = json.loads((path.parent / links[0]).resolve().read_text())
        assert served == json.loads((root / "release" / name / f"{name}.ipynb").read_text())


def test_no_repository_button_without_a_repository(pages, site, root):
    if re.search(r'^\s+url: ""', (root / "_config.yml").read_text(), re.MULTILINE):
        for path in pages:
            text = path.read_text(encoding="utf-8")
            assert not re.search(r"launch-buttons|btn-source-edit|btn-source-issues|/edit/main/", text), path.relative_to(site)


def secrets(root: Path) -> dict[str, str]:
    """Telling lines of solutions and hidden tests -> the assignment. Lines that a chapter or a visible cell shows
    anyway are no secret."""
    shown = "\n".join(path.read_text(encoding="utf-8") for path in (root / "chapters").rglob("*") if path.suffix in (".md", ".py"))
    found = {}
    for name in names():
        master = load_master(name)
        for cell in master.cells:
            shown += "\n" + SOLUTION.sub("", cell.visible_source)
    for name in names():
        for cell in load_master(name).cells:
            for text in [*SOLUTION.findall(cell.source), *HIDDEN.findall(cell.source)]:
                for line in map(str.strip, text.splitlines()):
                    if len(line) > 24 and not line.startswith("###") and line not in shown:
                        found[line] = name
    return found


def readable(text: str) -> str:
    """The text with the escapes of JSON and HTML undone, so that a secret can't hide behind them."""
    import html

    return html.unescape(re.sub(r"<[^>]+>", "", text)) + "\n" + text.replace('\\"', '"').replace("\\n", "\n")


def test_no_solution_and_no_hidden_test_leaves(site, release, root):
    hidden = secrets(root)
    assert len(hidden) > 20 * len(names()), "there is too little to look for"
    leaks = []
    for folder in (site, release):
        for path in folder.rglob("*"):
            if path.suffix not in (".html", ".js", ".json", ".ipynb", ".md", ".txt", ".mjs", ".py", ".xml", ".inv", ".map"):
                continue
            text = readable(path.read_text(encoding="utf-8", errors="replace"))
            leaks += [f"{path}: {name}: {line}" for line, name in hidden.items() if line in text]
            assert "BEGIN SOLUTION" not in text and "BEGIN HIDDEN" not in text, path
    assert not leaks, leaks[:5]


def test_the_leak_test_would_find_a_leak(root):
    line = next(iter(secrets(root)))
    assert line in readable(json.dumps({"source": f"x\n{line}\n"}))
    import html

    assert line in readable("<pre><span>" + html.escape(line) + "</span></pre>")
