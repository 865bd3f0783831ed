"""Writing files so that a reader never sees half of one, whatever kills the writer."""

import contextlib
import json
import os
import shutil
from functools import lru_cache
from json.encoder import encode_basestring
from pathlib import Path


@contextlib.contextmanager
def atomic_writer(path: Path):
    """Yield a text file (UTF-8) beside `path` that takes its place when the block ends well; parents are made."""
    with _replacing(path) as descriptor, open(descriptor, "w", encoding="utf-8", errors="backslashreplace", newline="\n") as file:
        yield file


def write_atomically(path: Path, text: str) -> None:
    """Write the whole text, or nothing."""
    with _replacing(path) as descriptor:
        with open(descriptor, "wb", buffering=0) as file:
            left = memoryview(text.encode("utf-8", "backslashreplace"))
            while left:
                left = left[file.write(left) :]


@contextlib.contextmanager
def _replacing(path: Path):
    """Yield a descriptor, for the block to close, of a new file that becomes `path` when the block ends well."""
    folder, name = os.path.split(path)
    # A name that a later run with this process id uses again, so that killed runs leave few of them. A long name is cut to fit.
    temporary = os.path.join(folder, f".{name[:100]}.{os.getpid()}")
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
    try:
        descriptor = os.open(temporary, flags, 0o600)
    except FileNotFoundError:
        os.makedirs(folder, exist_ok=True)
        descriptor = os.open(temporary, flags, 0o600)
    try:
        yield descriptor
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise


def notebook_text(notebook: dict) -> str:
    """The text of an .ipynb file, as nbformat writes it (indent 1, sorted keys) but without its validation."""
    parts: list[str] = []
    cells = [{**cell, "source": _Source(cell["source"])} for cell in notebook["cells"]]
    _json({**notebook, "cells": cells}, "\n", parts.append)
    parts.append("\n")
    return "".join(parts)


class _Source(str):
    """The source of a cell, which a file holds as a list of lines."""


def _json(value, line: str, put) -> None:
    """json.dumps(value, indent=1, sort_keys=True, ensure_ascii=False), which with an indent is many times slower.

    line: the line break with the indentation of what holds the value. put: takes the pieces of text.
    """
    if type(value) is _Source:
        put(_lines(value, line) if len(value) < 10_000 else _lines.__wrapped__(value, line))
    elif isinstance(value, dict):
        if not value:
            return put("{}")
        inner, start = line + " ", "{"
        for key in sorted(value):
            item = value[key]
            if type(item) is str:
                put(f"{start}{inner}{encode_basestring(key)}: {encode_basestring(item)}")
            elif item is None or type(item) is bool:
                put(f"{start}{inner}{encode_basestring(key)}: {_SIMPLE[item]}")
            elif type(item) is int:
                put(f"{start}{inner}{encode_basestring(key)}: {item}")
            else:
                put(f"{start}{inner}{encode_basestring(key)}: ")
                _json(item, inner, put)
            start = ","
        put(line + "}")
    elif isinstance(value, (list, tuple)):
        if not value:
            return put("[]")
        inner, start = line + " ", "["
        if all(type(item) is str for item in value):  # lines of a source or an output
            put(start + inner + f",{inner}".join(map(encode_basestring, value)))
        else:
            for item in value:
                put(start + inner)
                _json(item, inner, put)
                start = ","
        put(line + "]")
    else:
        put(_SIMPLE[value] if value is None or type(value) is bool else json.dumps(value, ensure_ascii=False))


@lru_cache(maxsize=1000)  # most cells are the same in all submissions
def _lines(source: str, line: str) -> str:
    parts: list[str] = []
    _json(source.splitlines(True), line, parts.append)
    return "".join(parts)


_SIMPLE = {None: "null", True: "true", False: "false"}


def replace_folder(new: Path, old: Path) -> None:
    """Put the folder `new` where `old` is; `old` is there in full until the moment it is replaced."""
    old.parent.mkdir(parents=True, exist_ok=True)
    aside = old.with_name(f".{old.name}.old")
    shutil.rmtree(aside, ignore_errors=True)
    if old.exists():
        old.rename(aside)
    new.rename(old)
    shutil.rmtree(aside, ignore_errors=True)
