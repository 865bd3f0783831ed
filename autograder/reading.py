"""Reading notebooks that strangers wrote: every limit is checked before anything is trusted.

`read_notebook` returns an nbformat 4 notebook as plain dicts, or raises BadInput with one line that says
what is wrong. Only the standard library is involved; nothing is executed.
"""

import json
import os
import re
import stat
from pathlib import Path

from .errors import BadInput

MAX_BYTES = 20_000_000   # a notebook with many figures has 2 MB
MAX_CELLS = 2_000
MAX_DEPTH = 60           # of nested JSON; a notebook with rich outputs has about 10
IDENTITY = re.compile(r"[A-Za-z0-9_-]{1,64}")  # of a cell, as nbformat wants it
LABELS = ("grade_id", "grade", "solution", "locked", "task", "points", "schema_version", "cell_type", "checksum")


def read_bytes(path: Path, limit: int = MAX_BYTES, where: str | None = None) -> bytes:
    """The content of a regular file; links, pipes, devices and files over the limit are refused, unread.

    where: how messages name the file (default: its path).
    """
    where = where or str(path)
    try:
        # O_NONBLOCK: opening a named pipe must not wait for a writer.
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    except FileNotFoundError:
        raise BadInput(f"{where}: no such file") from None
    except OSError as error:
        if path.is_symlink():
            raise BadInput(f"{where}: is a link, which is not followed; submit the file itself") from None
        raise BadInput(f"{where}: can't be read ({error.strerror})") from None
    about = os.fstat(descriptor)
    if not stat.S_ISREG(about.st_mode):
        os.close(descriptor)
        kind = "a folder" if stat.S_ISDIR(about.st_mode) else "a pipe or a device"
        raise BadInput(f"{where}: is {kind}, not a notebook")
    with open(descriptor, "rb") as file:
        if about.st_size > limit:
            raise BadInput(f"{where}: has {about.st_size / 1e6:.0f} MB; the limit is {limit / 1e6:.0f} MB")
        return file.read(limit + 1)


def read_notebook(path: Path) -> dict:
    """Read and parse one notebook file."""
    return parse_notebook(read_bytes(path), str(path))


def parse_notebook(data: bytes, where: str) -> dict:
    """Parse the bytes of an .ipynb file into a nbformat 4 notebook of plain dicts, repaired where harmless.

    Accepts a byte order mark, CRLF, nbformat 3, missing ids and metadata. `where` starts the message of BadInput.
    """
    if not data.strip():
        raise BadInput(f"{where}: is empty")
    try:
        text = data.decode("utf-8-sig")
        notebook = json.loads(text)
    except UnicodeDecodeError:
        raise BadInput(f"{where}: is not a notebook (not UTF-8 text)") from None
    except RecursionError:
        raise BadInput(f"{where}: is nested too deeply to be a notebook") from None
    except ValueError as error:
        raise BadInput(f"{where}: is damaged JSON ({_one_line(error)}); download or save the notebook again") from None
    if not isinstance(notebook, dict) or not isinstance(notebook.get("nbformat"), int):
        raise BadInput(f"{where}: is JSON but not a notebook")
    if _too_deep(notebook):
        raise BadInput(f"{where}: is nested too deeply to be a notebook")
    try:
        if notebook["nbformat"] < 4:
            notebook = _upgrade(notebook)
        return _repair(notebook)
    except BadInput as error:
        raise BadInput(f"{where}: {error}") from None
    except Exception as error:
        raise BadInput(f"{where}: is not a valid notebook ({_one_line(error)})") from None


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())[:120]


def _too_deep(value) -> bool:
    level = [value]
    for _ in range(MAX_DEPTH):
        level = [
            child
            for item in level
            for child in (item.values() if isinstance(item, dict) else item)
            if isinstance(child, (dict, list))
        ]
        if not level:
            return False
    return True


def _upgrade(notebook: dict) -> dict:
    """The cells of a notebook of version 2 or 3 (2011 to 2015), which kept them in worksheets.

    nbformat's own upgrade takes many times the memory of what it is given.
    """
    sheets = notebook.get("worksheets")
    if not isinstance(sheets, list):
        raise BadInput("has no cells")
    cells = []
    for sheet in sheets:
        for cell in _list(sheet.get("cells") if isinstance(sheet, dict) else None):
            if isinstance(cell, dict):
                kind = cell.get("cell_type")
                source = cell.get("input" if kind == "code" else "source", "")
                if kind == "heading":
                    level = cell.get("level")
                    source = f"{'#' * (level if isinstance(level, int) and 0 < level < 7 else 1)} {_text(source)}"
                kind = {"html": "markdown", "heading": "markdown"}.get(kind, kind) if isinstance(kind, str) else None
                cells.append({**cell, "cell_type": kind, "source": source})
    return {**notebook, "cells": cells}


def _list(value) -> list:
    return value if isinstance(value, list) else []


def _metadata(value) -> dict:
    """The part of a cell's metadata that grading may look at, so that a notebook can't carry millions of objects along."""
    about = value.get("nbgrader") if isinstance(value, dict) else None
    if not isinstance(about, dict):
        return {}
    plain = {name: about[name] for name in LABELS if isinstance(about.get(name), (str, int, float, bool)) and len(str(about[name])) < 500}
    return {"nbgrader": plain}


def _repair(notebook: dict) -> dict:
    """Plain cells with text sources and unique ids; what is not understood is dropped, never guessed."""
    if not isinstance(notebook.get("cells"), list):
        raise BadInput("has no cells")
    if len(notebook["cells"]) > MAX_CELLS:
        raise BadInput(f"has {len(notebook['cells'])} cells; the limit is {MAX_CELLS}")
    cells, ids = [], set()
    for index, cell in enumerate(notebook["cells"]):
        if not isinstance(cell, dict):
            continue
        kind = cell.get("cell_type")
        if kind not in ("code", "markdown", "raw"):
            continue
        identity = cell.get("id")
        if not isinstance(identity, str) or not IDENTITY.fullmatch(identity) or identity in ids:
            identity = f"cell-{index}"
            while identity in ids:
                identity += "-"
        ids.add(identity)
        fixed = {
            "cell_type": kind,
            "id": identity,
            "metadata": _metadata(cell.get("metadata")),
            "source": _text(cell.get("source", "")),
        }
        if kind == "code":
            fixed |= {"execution_count": None, "outputs": []}  # recorded outputs are never believed
        cells.append(fixed)
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    return {
        "cells": cells,
        "metadata": {"kernelspec": kernel, "language_info": {"name": "python"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }


def _text(source) -> str:
    """A cell's source as text; newlines are \\n and lone surrogates are made visible."""
    if isinstance(source, list):
        source = "".join(part for part in source if isinstance(part, str))
    if not isinstance(source, str):
        return ""
    if "\r" in source:
        source = source.replace("\r\n", "\n").replace("\r", "\n")
    try:
        source.encode("utf-8")
    except UnicodeEncodeError:
        return source.encode("utf-8", "backslashreplace").decode("utf-8")
    return source
