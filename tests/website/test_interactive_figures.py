"""The interactive figures compute what NumPy computes, work by keyboard, and have a static picture that is current."""

import numpy as np
import pytest

from website.serve import ROOT

pytestmark = [pytest.mark.site, pytest.mark.browser]

FIGURES = {"why_position": "why_position", "sinusoidal": "sinusoidal", "alibi": "alibi", "rope": "rope", "context_extension": "context_extension"}
FOLDER = ROOT / "chapters/_static/figures"


@pytest.fixture(scope="module")
def compute(chromium, server):
    """compute(figure, expression): the value of a JavaScript expression in which `f` is the figure's module."""
    page = chromium.new_page()
    page.goto(f"{server.url}/404.html")

    def run(figure, expression):
        return page.evaluate(f"async () => {{ const f = await import('/_static/figures/{figure}.mjs'); return {expression}; }}")

    yield run
    page.close()


def close(got, want):
    np.testing.assert_allclose(np.array(got, dtype=float), want, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("position, d, base", [(0, 4, 10000), (12, 16, 10000), (200, 24, 10), (77, 6, 1e6)])
def test_sinusoidal_row(compute, position, d, base):
    theta = base ** (-np.arange(0, d, 2) / d)
    row = np.stack([np.sin(position * theta), np.cos(position * theta)], axis=1).ravel()
    close(compute("sinusoidal", f"f.row({position}, {d}, {base})"), row)
    following = np.stack([np.sin((position + 1) * theta), np.cos((position + 1) * theta)], axis=1).ravel()
    moved = np.linalg.norm((following - row).reshape(-1, 2), axis=1)
    close(compute("sinusoidal", f"f.steps({d}, {base})"), moved)
    assert compute("sinusoidal", f"f.tellsApart({d}, {base}, 0.1)") == [bool(m >= 0.1) for m in moved]


def rotated(x, position, layout):
    d = len(x)
    angle = position * 10000.0 ** (-np.arange(0, d, 2) / d)
    a, b = (np.arange(0, d, 2), np.arange(1, d, 2)) if layout == "interleaved" else (np.arange(d // 2), np.arange(d // 2, d))
    out = np.empty(d)
    out[a] = x[a] * np.cos(angle) - x[b] * np.sin(angle)
    out[b] = x[a] * np.sin(angle) + x[b] * np.cos(angle)
    return out


@pytest.mark.parametrize("layout", ["interleaved", "half"])
def test_rotary_score(compute, layout):
    q, k = np.array(compute("rope", "f.query")), np.array(compute("rope", "f.key"))
    for m, n in ((0, 0), (12, 7), (100, 3), (7, 12)):
        close(compute("rope", f"f.rotate(f.query, {m}, '{layout}')"), rotated(q, m, layout))
        close(compute("rope", f"f.score({m}, {n}, '{layout}')"), rotated(q, m, layout) @ rotated(k, n, layout))
    close(compute("rope", f"f.score(62, 57, '{layout}') - f.score(12, 7, '{layout}')"), 0)


def test_rotary_positions_move_together(compute):
    assert compute("rope", "f.change({m: 20, n: 7, together: true}, 'm', {m: 12, n: 7})") == {"m": 20, "n": 15, "together": True}
    assert compute("rope", "f.change({m: 0, n: 7, together: true}, 'm', {m: 12, n: 7})") == {"m": 5, "n": 0, "together": True}
    assert compute("rope", "f.change({m: 20, n: 7, together: false}, 'm', {m: 12, n: 7})")["n"] == 7


def test_alibi(compute):
    for n in (4, 8, 16):
        close(compute("alibi", f"f.slopes({n})"), 2.0 ** (-8 * np.arange(1, n + 1) / n))
    close(np.log2(compute("alibi", "f.slopes(6)")), [-2, -4, -6, -8, -1, -3])
    close(np.log2(compute("alibi", "f.slopes(12)")), [-1, -2, -3, -4, -5, -6, -7, -8, -0.5, -1.5, -2.5, -3.5])
    for query, slope in ((0, 0.5), (48, 1 / 8), (127, 1 / 256)):
        raw = np.exp(-slope * (query - np.arange(query + 1)))
        close(compute("alibi", f"f.weights({query}, {slope})"), raw / raw.sum())
    assert compute("alibi", "[f.windowOf(1 / 256), f.windowOf(1 / 256, 0.5), f.windowOf(0.5), f.windowOf(1 / 8)]") == [1179, 178, 10, 37]


def extended(method, s, length):
    theta = 10000.0 ** (-np.arange(64) / 64)
    turns = length * theta / (2 * np.pi)
    if method == "pi":
        return theta / s
    if method == "ntk":
        return (10000.0 * s ** (128 / 126)) ** (-np.arange(64) / 64)
    if method == "yarn":
        low, high = (128 * np.log(length / (2 * np.pi * beta)) / (2 * np.log(10000)) for beta in (32, 1))
        low, high = max(np.floor(low), 0), min(np.ceil(high), 127)
        ramp = np.clip((np.arange(64) - low) / (high - low), 0, 1)
        return ramp * theta / s + (1 - ramp) * theta
    if method == "llama3":
        smooth = np.clip((turns - 1) / 3, 0, 1)
        return (1 - smooth) * theta / s + smooth * theta
    return theta


@pytest.mark.parametrize("method", ["none", "pi", "ntk", "yarn", "llama3"])
def test_context_extension(compute, method):
    theta = 10000.0 ** (-np.arange(64) / 64)
    for s, length in ((1, 4096), (2, 2048), (8, 4096), (32, 8192)):
        new = theta if s == 1 else extended(method, s, length)
        got = compute("context_extension", f"f.inverseFrequencies('{method}', {s}, {length})")
        np.testing.assert_allclose(got, new, rtol=1e-9)
        never = 2 * np.pi / theta > length
        outside = never & (s * new > theta * (1 + 1e-9))
        assert compute("context_extension", f"f.outside('{method}', {s}, {length})") == outside.tolist()


@pytest.mark.parametrize("causal", [False, True])
def test_shuffled_attention(compute, causal):
    words = "the cat sat on the mat".split()
    ids = np.array([["the", "cat", "sat", "on", "mat"].index(word) for word in words])
    x = np.cos(np.outer(ids + 1, [1, 2, 3, 4]))

    def attention(x):
        scores = 2 * x @ x.T / np.sqrt(4)
        if causal:
            scores = np.where(np.tri(6, dtype=bool), scores, -np.inf)
        weights = np.exp(scores - scores.max(axis=1, keepdims=True))
        return weights / weights.sum(axis=1, keepdims=True)

    flag = str(causal).lower()
    close(compute("why_position", f"f.attention(f.sentence, {flag})"), attention(x))
    close(compute("why_position", f"f.output(f.sentence, {flag})"), attention(x) @ x)
    for times in (1, 2, 3):
        order = compute("why_position", f"f.shuffled({times})")
        assert sorted(order) == list(range(6))
        change = abs(attention(x[order]) @ x[order] - (attention(x) @ x)[order]).max()
        close(compute("why_position", f"f.largestChange(f.shuffled({times}), {flag})"), change)
        assert (change < 1e-12) != causal


@pytest.mark.parametrize("figure", FIGURES)
def test_static_picture_is_the_first_state(compute, figure):
    assert (FOLDER / f"{figure}.svg").read_text() == compute(figure, "f.draw(f.initial, 480)")


@pytest.mark.parametrize("figure, chapter", FIGURES.items())
def test_figure_on_its_page(tab, figure, chapter):
    page = tab(f"chapters/{chapter}.html", viewport={"width": 375, "height": 800}, reduced_motion="reduce").page
    body = page.locator(f".interactive-body[data-figure={figure}]")
    body.scroll_into_view_if_needed()
    body.locator("svg").wait_for()
    words = body.locator(".interactive-words")
    first, drawing = words.text_content(), body.locator("svg").inner_html()
    control = body.locator("input[type=range], .button button").first
    control.focus()
    page.keyboard.press("ArrowRight" if control.get_attribute("type") == "range" else "Enter")
    assert body.locator("svg").inner_html() != drawing
    assert first.split(":")[0] in body.locator("svg").get_attribute("aria-label") or words.text_content() in body.locator("svg").get_attribute("aria-label")
    for box in body.locator("input[type=checkbox]").all():
        box.check()
    for choice in body.locator("select").all():
        choice.select_option(index=1)
    assert words.text_content() != first
    body.get_by_text("Reset").click()
    assert words.text_content() == first
    assert body.locator("svg").inner_html() == drawing
    assert body.evaluate("node => node.scrollWidth <= node.clientWidth + 1")
    figure_element = page.locator("figure.interactive")
    assert len(figure_element.locator("figcaption").inner_text()) > 60


@pytest.mark.parametrize("figure, chapter", FIGURES.items())
def test_without_scripts_there_is_a_picture(tab, figure, chapter):
    page = tab(f"chapters/{chapter}.html", java_script_enabled=False).page
    image = page.locator(f".interactive-body[data-figure={figure}] img")
    assert len(image.get_attribute("alt")) > 60
    assert image.get_attribute("src").endswith(f"{figure}.svg")
