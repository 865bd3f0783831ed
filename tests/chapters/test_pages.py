"""What holds for every page of the book."""

import hashlib
import io
import re
import unicodedata
from functools import cache

import pytest
from chapter_pages import CHAPTERS, FOLDER, PAGES, ROOT, notebook, source
from prose import blocks, loose_numbers, words

START = "import numpy as np\nimport matplotlib.pyplot as plt\nimport plotting"


def every(names):
    return pytest.mark.parametrize("name", names)


def reading_time(text):
    """The minutes that a page states: "Reading time: about 30 minutes" or "About 30 minutes of reading"."""
    stated = re.search(r"reading time\W+(?:about\s+)?(\d+)\s*min|(\d+) minutes of reading", text, re.I)
    return int(stated[1] or stated[2]) if stated else None


def markdown(name):
    """The text cells of a page, joined."""
    return "\n\n".join(cell.source for cell in notebook(name).cells if cell.cell_type == "markdown")


def headings(name):
    return [(len(m[1]), m[2].strip()) for m in re.finditer(r"^(#+)\s+(.*)$", re.sub(r"^(```|:::).*?^\1", "", markdown(name), flags=re.S | re.M), re.M)]


# ---- code

@every(CHAPTERS)
def test_chapter_runs_quickly_and_without_warnings(chapter, name):
    page = chapter(name)
    assert page.seconds < 15
    assert [(o.index, o.warnings) for o in page.outputs if o.warnings] == []


def test_cells_of_the_pytorch_page_print_what_its_text_says(chapter):
    """Runs without PyTorch. The order of rows is the published one; the errors are those of rounding by half a unit, or of whole radians."""
    page = chapter("pytorch")
    errors, rows = (o.stdout for o in page.outputs)
    assert rows.split("[")[1].split("]")[0].split() == "0 2 4 6 1 3 5 7 8 10 12 14 9 11 13 15".split()
    cosines, frequencies, phases = (float(line.split()[-1]) for line in errors.splitlines())
    assert cosines <= 2 ** -12 and frequencies > 0.1 and phases > 0.1


@every(CHAPTERS)
def test_first_cell_sets_the_style(chapter, name):
    first = chapter(name).outputs[0].source
    assert first.startswith(START), f"{name} must start with\n{START}"


@every(CHAPTERS)
def test_every_glued_value_is_used_and_every_used_value_glued(chapter, name):
    text = source(name)
    used = set(re.findall(r"\{glue:(?:text|math|md)?\}`([\w-]+)", text)) | set(re.findall(r"\{glue(?::figure|:math)?\}\s+([\w-]+)", text))
    assert used == set(chapter(name).glued)


@every(CHAPTERS)
def test_glued_values_are_plain(chapter, name):
    """A NumPy scalar prints as np.float64(...), which the page's {glue:text} cannot format: glue float(x)."""
    assert {key: type(value) for key, value in chapter(name).glued.items() if type(value) not in (int, float, str)} == {}


@every(CHAPTERS)
def test_every_glued_value_is_checked_by_a_test(chapter, name):
    """tests/chapters/test_NAME.py compares each glued value with one that the chapter did not compute."""
    if not chapter(name).glued:
        return
    file = ROOT / "tests/chapters" / f"test_{name}.py"
    text = file.read_text(encoding="utf8") if file.exists() else ""
    assert [key for key in chapter(name).glued if not re.search(rf"""["'\b]{key}["'\b]|\b{key}=""", text)] == []


# ---- figures

def figure_texts(figure):
    from matplotlib.text import Text

    figure.canvas.draw()
    return [t for t in figure.findobj(Text) if t.get_visible() and t.get_text().strip()]


@every(CHAPTERS)
def test_four_figures_at_least_each_alone_in_its_cell(chapter, name):
    drawn = [len(o.figures) for o in chapter(name).outputs if o.figures]
    assert len(drawn) >= 4
    assert set(drawn) == {1}


@every(CHAPTERS)
def test_every_figure_has_a_name_a_caption_and_alt_text(chapter, name):
    for o in chapter(name).outputs:
        if not o.figures:
            continue
        figure, image = o.figure_options
        where = f"{name}, cell {o.index}"
        assert re.fullmatch(r"fig-[a-z0-9_-]+", figure.get("name", "")), f"{where}: figure name"
        caption, alt = figure.get("caption", ""), image.get("alt", "")
        assert len(caption.split()) >= 10, f"{where}: the caption states the finding"
        assert len(alt.split()) >= 8 and not re.search(r"\.(png|svg)", alt), f"{where}: alt text says what is seen"
        assert alt.strip() != caption.strip(), f"{where}: alt text is not the caption again"
        assert "dark-light" in image.get("classes", ""), f"{where}: without the class dark-light the dark theme shifts the colours"


def test_no_two_figures_of_the_book_are_the_same_or_share_a_name(chapter):
    names, pictures = {}, {}
    for name in CHAPTERS:
        for o in chapter(name).outputs:
            for figure in o.figures:
                label = o.figure_options[0].get("name")
                assert label not in names, f"{label} is in {name} and {names[label]}"
                names[label] = name
                file = io.BytesIO()
                figure.savefig(file, format="raw", dpi=50)
                key = hashlib.sha256(file.getvalue()).hexdigest()
                assert key not in pictures, f"{label} and {pictures[key]} look the same"
                pictures[key] = label


@every(CHAPTERS)
def test_text_in_figures_stays_readable_on_a_phone(chapter, name):
    """At least 9 points when the figure is 6.4 inches wide: about 5 pixels of height per letter at 375 px, the least that is legible."""
    for o in chapter(name).outputs:
        for figure in o.figures:
            scale = 6.4 / figure.get_size_inches()[0]
            small = [(t.get_text(), t.get_fontsize()) for t in figure_texts(figure) if t.get_fontsize() * scale < 8.99]
            assert small == [], f"{name}, cell {o.index}"


@every(CHAPTERS)
def test_axes_are_labelled(chapter, name):
    """Axes with numbers say what the numbers are (axes side by side, once); names as tick labels need no label."""
    for o in chapter(name).outputs:
        for figure in o.figures:
            axes = [a for a in figure.axes if a.axison and a.get_visible()]
            for which in "xy":
                ticks = [a for a in axes if any(t.get_text() for t in getattr(a, f"get_{which}ticklabels")())]
                labels = [a for a in axes if getattr(a, f"get_{which}label")()] or getattr(figure, f"_sup{which}label", None)
                assert labels or all(re.search(r"[A-Za-z]|^$", t.get_text()) for a in ticks for t in getattr(a, f"get_{which}ticklabels")()), \
                    f"{name}, cell {o.index}: no {which} label"


@every(CHAPTERS)
def test_numbers_in_captions_come_from_the_code(chapter, name):
    """A caption cannot hold glue: each number in it stands in the chapter's code or in what the code printed."""
    page = chapter(name)
    known = " ".join(o.source.replace("_", "") + " " + o.stdout for o in page.outputs) + " " + " ".join(map(str, page.glued.values()))
    for o in page.outputs:
        caption = o.figure_options[0].get("caption", "")
        loose = [n for _, n, sentence in loose_numbers(caption) if n.replace(",", "").replace("\u202f", "") not in re.findall(r"\d+(?:\.\d+)?", known)]
        assert loose == [], f"{name}, cell {o.index}: {loose} in the caption"


# ---- frame

@every(CHAPTERS)
def test_chapter_has_its_frame(name):
    text = markdown(name)
    frame = ("What you will be able to do", "What you need", "Often said, exactly true", "Main take-away", "Further reading")
    found = [re.search(rf"^(#+ |\*\*|[:`]{{3,}}\{{\w+\}} ){part}", text, re.M) for part in frame]
    assert all(found), f"{name} lacks {[part for part, match in zip(frame, found, strict=True) if not match]}"
    assert [m.start() for m in found] == sorted(m.start() for m in found)
    assert reading_time(text), f"{name} lacks 'Reading time: about N minutes'"
    assert f"release/{name}/{name}.ipynb" in text, f"{name} lacks the link to its exercises"


@every(CHAPTERS)
def test_reading_time_fits_the_length(name):
    """150 words and 12 lines of visible code a minute, half a minute for a displayed formula or a figure, give or take a third."""
    cells = notebook(name).cells
    hidden = {"remove-cell", "hide-input", "remove-input", "hide-cell"}
    code = sum(len(c.source.splitlines()) for c in cells if c.cell_type == "code" and not hidden & set(c.metadata.get("tags", [])))
    shown = markdown(name).count("$$") / 2 + sum("figure" in c.metadata.get("mystnb", {}) for c in cells)
    expected = words(markdown(name)) / 150 + code / 12 + shown / 2
    stated = reading_time(markdown(name))
    assert expected / 1.35 <= stated <= expected * 1.35, f"{name} says {stated} minutes, its length says {expected:.0f}"


@every(CHAPTERS)
def test_wrong_claims_are_answered_by_code_and_a_source(name):
    """The section 'Often said, exactly true' runs something and cites something."""
    cells = notebook(name).cells
    start = next(i for i, c in enumerate(cells) if c.cell_type == "markdown" and "Often said, exactly true" in c.source)
    end = next(i for i, c in enumerate(cells) if i >= start and c.cell_type == "markdown" and "Main take-away" in c.source)
    assert any(c.cell_type == "code" for c in cells[start:end])
    assert re.search(r"\{cite", "\n".join(c.source for c in cells[start:end + 1]))


# ---- words, links, sources

@every(PAGES)
def test_numbers_in_prose_are_glued_or_cited(name):
    """A number typed into the text may be wrong, or become wrong: a cell produces it, or a source backs it.

    Exempt are:
    - math, code (inline and blocks), comments, link targets, headings, the markers of ordered lists;
    - what a role produces: {glue:text} above all;
    - sentences that carry a {cite}, a link to a web page, a DOI or an arXiv id;
    - tables of which a cell, or the paragraph before or after, does;
    - years (1950 to 2039), and numbers that are part of a name: joined to a letter or by a hyphen to one (T5, GPT-2,
      2-D, float16, 7B), after a word that numbers something (Section 3.2, Table 5, Equations 16 and 17) or after the
      name of a model family, language or library (Llama 3.1, Python 3.11);
    - 0 and 1, and in tables all whole numbers of one digit: the small worked examples;
    - the line that states the reading time.
    Numbers that the text defines or derives ("let d = 8") stand in math. Alt texts are not checked.
    """
    assert loose_numbers(markdown(name)) == []


@every(PAGES)
def test_terms_are_in_the_glossary(name):
    defined = glossary_terms()
    used = [m[1] for m in re.finditer(r"\{term\}`(?:[^`<]*<)?([^`<>]+?)>?`", source(name))]
    assert [t for t in used if t.strip().lower() not in defined] == []


@cache
def glossary_terms():
    terms = set()
    for body in re.findall(r"^```\{glossary\}\n(.*?)^```", source("glossary"), re.S | re.M):
        terms |= {line.strip().lower() for line in body.splitlines() if line.strip() and not line.startswith(" ")}
    return terms


def slug(heading):
    """The anchor of a heading, as GitHub and MyST make it."""
    heading = re.sub(r"\{[^}]*\}`([^`<]*)(?:<[^`]*)?`|[`*$]", r"\1", heading.lower())
    return re.sub(r"[^\w\- ]", "", heading).strip().replace(" ", "-")


def anchors(path):
    """The labels and heading anchors of a page."""
    text = path.read_text(encoding="utf8")
    return set(re.findall(r"^\(([\w-]+)\)=", text, re.M)) | {slug(h) for h in re.findall(r"^#+\s+(.*)$", text, re.M)} | \
        set(re.findall(r"name:\s*(fig-[\w-]+)", text))


@every(PAGES)
def test_internal_links_lead_somewhere(name):
    text = re.sub(r"^```(?!\{).*?^```", "", source(name), flags=re.S | re.M)
    for target in re.findall(r"\]\((?!https?:|mailto:)([^)\s]+)\)", text):
        file, _, anchor = target.partition("#")
        path = (FOLDER / file).resolve() if file else FOLDER / f"{name}.md"
        if path.is_relative_to(ROOT / "release"):  # made by `make release`; the website's tests follow these
            assert (ROOT / "solutions" / f"{path.stem}.md").exists(), f"{name}: {target}"
            continue
        assert path.exists(), f"{name}: {target}"
        if anchor and path.suffix == ".md":
            assert anchor in anchors(path), f"{name}: {target}"


@every(PAGES)
def test_citations_are_in_the_bibliography(name):
    keys = {k.strip() for m in re.finditer(r"\{cite(?::\w+)?\}`([^`]+)`", source(name)) for k in m[1].split(",")}
    assert keys <= set(bibliography())


@cache
def bibliography():
    from pybtex.database import parse_file
    return parse_file(str(FOLDER / "references.bib")).entries


def test_every_source_can_be_looked_up():
    """Author, year, title, and a DOI or an arXiv id; the key is the first author's name and the year."""
    for key, entry in bibliography().items():
        fields = entry.fields
        assert entry.persons.get("author"), f"{key}: no author"
        assert re.fullmatch(r"\d{4}", fields.get("year", "")), f"{key}: no year"
        assert fields.get("title"), f"{key}: no title"
        doi, eprint = fields.get("doi", ""), fields.get("eprint", "")
        assert re.fullmatch(r"10\.\d{4,9}/\S+", doi) or re.fullmatch(r"\d{4}\.\d{4,5}|[a-z-]+/\d{7}", eprint), f"{key}: no DOI or arXiv id"
        if eprint and re.match(r"\d{4}\.", eprint):  # an arXiv id starts with the year and month of the first version
            assert 2000 + int(eprint[:2]) <= int(fields["year"]), f"{key}: published before its preprint"
        letters = re.sub(r"\\\W|[{}]", "", " ".join(entry.persons["author"][0].last_names)).lower()  # LaTeX accents away
        surname = re.sub(r"[^a-z]", "", unicodedata.normalize("NFKD", letters))
        person = bool(entry.persons["author"][0].first_names)  # an organisation may have a short name of its own
        assert re.fullmatch((surname if person else "[a-z]+") + fields["year"] + "[a-z]*", key), f"{key}: should be {surname}{fields['year']}"


def test_every_source_is_cited():
    text = "\n".join(path.read_text(encoding="utf8") for path in [*FOLDER.glob("*.md"), *(ROOT / "solutions").glob("*.md")])
    cited = {k.strip() for m in re.finditer(r"\{cite(?::\w+)?\}`([^`]+)`", text) for k in m[1].split(",")}
    assert sorted(set(bibliography()) - cited) == []


def test_every_term_of_the_glossary_is_linked():
    text = "\n".join(map(source, PAGES))
    used = {m[1].strip().lower() for m in re.finditer(r"\{term\}`(?:[^`<]*<)?([^`<>]+?)>?`", text)}
    assert sorted(glossary_terms() - used) == []


@every(PAGES)
def test_every_page_has_one_title_and_no_skipped_level(name):
    levels = [level for level, _ in headings(name)]
    assert levels[0] == 1 and levels.count(1) == 1
    assert all(b <= a + 1 for a, b in zip(levels, levels[1:], strict=False))


@every(PAGES)
def test_the_prose_is_not_cut(name):
    """Fences are closed: a page whose last fence is open would lose its end."""
    text = source(name)
    assert len(re.findall(r"^```+", text, re.M)) % 2 == 0
    assert blocks(markdown(name))
