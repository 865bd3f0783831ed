"""The prose of a page: what a reader reads as text, cut into sentences and table rows, for the tests."""

import re
from dataclasses import dataclass

# Directives whose body is read as text. All others hold code, math or settings.
TEXT_DIRECTIVES = {
    "admonition", "attention", "caution", "danger", "dropdown", "epigraph", "figure", "glossary", "glue:figure", "grid", "grid-item",
    "grid-item-card", "card", "hint", "important", "list-table", "margin", "note", "prf:proof", "proof", "seealso", "sidebar", "tab-item",
    "tab-set", "table", "tip", "topic", "warning",
}
TABLE_DIRECTIVES = {"list-table", "table"}
FENCE = re.compile(r"^\s*(`{3,}|~{3,}|:{3,})\s*(?:\{([^}]+)\})?(.*)$")


@dataclass
class Block:
    """A paragraph, heading, list item or table row. `table` numbers the table it belongs to."""
    text: str
    kind: str = "text"       # text, heading, row
    table: int | None = None
    line: int = 0


def blocks(text):
    """The blocks of a MyST text, without code, math directives, comments and settings."""
    text = re.sub(r"<!--.*?-->", lambda m: "\n" * m.group().count("\n"), text, flags=re.S)
    found, paragraph, stack, tables = [], [], [], 0
    in_pipe_table = in_math = False

    def close():
        if paragraph:
            found.append(Block(" ".join(p for _, p in paragraph), line=paragraph[0][0]))
            paragraph.clear()

    for number, line in enumerate(text.split("\n"), 1):
        stripped = line.strip()
        fence = FENCE.match(line)
        if stack and stack[-1][2] == "skip":  # inside code: only its closing fence matters
            if fence and fence[1].startswith(stack[-1][0]) and not fence[2] and not fence[3].strip():
                stack.pop()
            continue
        if in_math:
            in_math = "$$" not in stripped  # the closing line may carry a label, $$ (label)
            continue
        if stripped.startswith("$$"):
            close()
            in_math = "$$" not in stripped[2:]
            continue
        if fence:
            close()
            mark, name, argument = fence.groups()
            if stack and mark.startswith(stack[-1][0]) and not name and not argument.strip():
                stack.pop()
                continue
            if name in TABLE_DIRECTIVES:
                tables += 1
            stack.append((mark, name, "text" if name in TEXT_DIRECTIVES else "skip", tables if name in TABLE_DIRECTIVES else None))
            if name in TEXT_DIRECTIVES - {"figure", "glue:figure"} and argument.strip():
                found.append(Block(argument.strip(), line=number))
            continue
        table = next((t for *_, t in reversed(stack) if t), None)
        if stack and re.match(r"^:[\w-]+:", stripped):  # an option of the directive
            continue
        if stripped.startswith("|"):
            close()
            if not in_pipe_table:
                tables += 1
            in_pipe_table = True
            if not re.fullmatch(r"[|:\-\s]+", stripped):
                found.append(Block(stripped, "row", tables, number))
            continue
        in_pipe_table = False
        if not stripped or re.match(r"^\([\w-]+\)=$", stripped) or stripped.startswith("+++"):
            close()
        elif stripped.startswith("#"):
            close()
            found.append(Block(stripped.lstrip("# "), "heading", line=number))
        elif table:
            if re.match(r"^(\*|-)\s", stripped):
                close()
            paragraph.append((number, stripped))
            if paragraph and stripped:
                found.append(Block(" ".join(p for _, p in paragraph), "row", table, paragraph[0][0]))
                paragraph.clear()
        else:
            if re.match(r"^([-*+]|\d+[.)])\s", stripped):
                close()
                stripped = re.sub(r"^([-*+]|\d+[.)])\s+", "", stripped)
            paragraph.append((number, stripped))
    close()
    return found


def plain(text):
    """The text without math, code, roles, link targets and markup: only the words that are typed as words."""
    text = re.sub(r"\{[\w:+.-]+\}`[^`]*`", " ", text)              # roles: glue, cite, term, doc, math, ...
    text = re.sub(r"(`+).*?\1", " ", text)                         # inline code
    text = without_math(text)
    text = re.sub(r"\]\([^)]*\)|<https?:[^>]*>|https?:\S+", " ", text)
    return re.sub(r"\{[^{}]*\}|[*_]{1,2}(?=\S)|(?<=\S)[*_]{1,2}", " ", text)


def without_math(text):
    return re.sub(r"\$\$.*?\$\$|(?<!\\)\$[^$]*\$", " ", text)


def sentences(text):
    """Cut a block at ends of sentences; abbreviations and decimal points are none."""
    protected = re.sub(r"\b(e\.g|i\.e|et al|cf|vs|Eq|Eqs|Sec|Fig|Tab|App|approx|resp)\.\s", lambda m: m.group().rstrip() + "\0", text)
    return [part.replace("\0", " ") for part in re.split(r"(?<=[.!?;])[\"')\]*_]*\s+(?=\S)", protected)]


def words(text):
    """Number of words that a reader reads on a page."""
    return sum(len(re.findall(r"[A-Za-z][\w'’-]*", plain(b.text))) for b in blocks(text))


NAMED = (
    r"(?:Sections?|Sec\.|§+|Tables?|Figures?|Fig\.|Eqs?\.|Equations?|Appendix|Theorems?|Propositions?|Prop\.|Lemmas?|Corollary|Corollaries|Chapters?|"
    r"Exercises?|Steps?|Parts?|Algorithms?|Footnotes?|pages?|Versions?|Version|version|versions|issues?|"
    r"Llama|Llama-|Gemma|Qwen|Mistral|GPT|Phi|OLMo|Baichuan|Falcon|Pythia|DeepSeek|Code Llama|NumPy|Python|PyTorch|Pyodide|Creative Commons|CC BY|BY)"
)
NUMBER = re.compile(r"(?<![\w#/.\-])[-−+±~≈]?(\d+(?:[.,\u202f]\d+)*)(?![\w]|-[A-Za-z])")
CITED = re.compile(r"\{cite(?::\w+)?\}`|https?://|doi\.org|arXiv:")


def loose_numbers(text):
    """Numbers in the prose of a page that no cell produced and no source backs: (line, number, sentence).

    The rule is stated in test_pages.test_numbers_in_prose_are_glued_or_cited.
    """
    found = []
    all_blocks = blocks(text)
    for place, block in enumerate(all_blocks):
        if block.kind == "heading" or re.match(r"^\W*(reading time|about \d+ minutes of reading)", block.text, re.I):
            continue
        if block.kind == "row":
            rows = [i for i, b in enumerate(all_blocks) if b.table == block.table]
            around = all_blocks[max(rows[0] - 1, 0):rows[-1] + 2]
            if any(CITED.search(b.text) for b in around):
                continue
        for sentence in sentences(without_math(block.text)):
            if CITED.search(sentence):
                continue
            bare = re.sub(NAMED + r"\s+(?:[A-Z]\.?)?\d+(?:[.–-]\d+)*(?:(?:,| and| or| to)\s+(?:[A-Z]\.?)?\d+(?:\.\d+)*)*", " ", plain(sentence))
            for match in NUMBER.finditer(bare):
                exempt = r"(19[5-9]|20[0-3])\d|[01]" if block.kind == "text" else r"(19[5-9]|20[0-3])\d|\d"
                if not re.fullmatch(exempt, match[1]):
                    found.append((block.line, match[1], sentence.strip()))
    return found
