"""Writing files so that a reader never sees half of one, whatever kills the writer."""

import contextlib
import json
import os
import shutil
import tempfile
from pathlib import Path


@contextlib.contextmanager
def atomic_writer(path: Path):
    """Yield a text file (UTF-8) beside `path` that takes its place when the block ends well; parents are made."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with open(handle, "w", encoding="utf-8", errors="backslashreplace", newline="\n") as file:
            yield file
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise


def write_atomically(path: Path, text: str) -> None:
    """Write the whole text, or nothing."""
    with atomic_writer(path) as file:
        file.write(text)


def notebook_text(notebook: dict) -> str:
    """The text of an .ipynb file, as nbformat writes it (indent 1, sorted keys) but without its validation."""
    return json.dumps(split_lines(notebook), indent=1, sort_keys=True, ensure_ascii=False) + "\n"


def split_lines(notebook: dict) -> dict:
    """A copy with cell sources as lists of lines: smaller diffs, and what Jupyter itself writes."""
    cells = [{**cell, "source": cell["source"].splitlines(True)} for cell in notebook["cells"]]
    return {**notebook, "cells": cells}


def replace_folder(new: Path, old: Path) -> None:
    """Put the folder `new` where `old` is; `old` is there in full until the moment it is replaced."""
    old.parent.mkdir(parents=True, exist_ok=True)
    aside = old.with_name(f".{old.name}.old")
    shutil.rmtree(aside, ignore_errors=True)
    if old.exists():
        old.rename(aside)
    new.rename(old)
    shutil.rmtree(aside, ignore_errors=True)
