"""Finding submissions: a folder STUDENT/ASSIGNMENT/NOTEBOOK.ipynb, or what Canvas and Moodle hand out.

Only names are looked at here; a submission is read when its turn comes, so that memory stays flat.
Nothing a submission holds can stop the others: what can't be used becomes a Submission with a `problem`.
"""

import hashlib
import os
import re
import stat
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from .errors import BadInput
from .reading import MAX_BYTES, parse_notebook, read_bytes

MAX_MEMBERS = 100_000          # of an archive
MAX_TOTAL_BYTES = 4_000_000_000
MAX_INNER_MEMBERS = 2_000      # of an archive inside an archive: one student's
MAX_INNER_BYTES = 200_000_000
MAX_RATIO = 200                # unpacked to packed; text packs about 10:1
MAX_FOLDERS_DEEP = 12
MAX_NAME_BYTES = 240           # of a student's name, which names folders

# Canvas: studentname_12345_67890_rope.ipynb, with _LATE_ and a counter; Moodle: "Name_12345_assignsubmission_file_".
CANVAS = re.compile(r"^(?P<student>[^_]+)(?:_LATE)?_\d+_\d+_(?P<rest>.+)$")
MOODLE = re.compile(r"^(?P<student>.+?)_\d+_assignsubmission_file_?$")


@dataclass(frozen=True, slots=True)
class Submission:
    """Where one notebook of one student is: `name`, below the folder of submissions.

    problem: why it can't be graded, in one line. Tens of thousands are held at once, so no paths are kept.
    """

    student: str
    assignment: str
    folder: Path
    name: str
    problem: str = ""

    @property
    def path(self) -> Path:
        return self.folder / self.name

    @property
    def where(self) -> str:
        """For messages."""
        return readable(self.name)

    def read(self) -> bytes:
        """The file's bytes. Raises BadInput."""
        if self.problem:
            raise BadInput(self.problem)
        return read_bytes(self.path, where=self.where)


@contextmanager
def opened(path: Path):
    """Yield the folder of submissions that `path` is, or that the zip archive `path` holds; and what was left out of it."""
    path = Path(path)
    if not path.exists():
        raise BadInput(f"{path}: no such folder or archive")
    if path.is_dir():
        yield path, []
        return
    if not zipfile.is_zipfile(path):
        raise BadInput(f"{path}: is not a folder of submissions (STUDENT/ASSIGNMENT/NOTEBOOK.ipynb) nor a zip archive")
    with tempfile.TemporaryDirectory(prefix="submissions-") as folder:
        left_out = unpack(path, Path(folder))
        yield Path(folder), [readable(" ".join(line.split())) for line in left_out]


def unpack(archive: Path, target: Path, depth: int = 0) -> list[str]:
    """Unpack regular files with plain relative names; everything else is refused. Returns what was left out.

    Raises BadInput for an archive that as a whole is a bomb. Zip files inside (Moodle, students) are
    unpacked one level deep, each into a folder of its name.
    """
    left_out = []
    try:
        with zipfile.ZipFile(archive) as source:
            members = source.infolist()
            most, most_bytes = (MAX_INNER_MEMBERS, MAX_INNER_BYTES) if depth else (MAX_MEMBERS, MAX_TOTAL_BYTES)
            if len(members) > most:
                raise BadInput(f"{archive}: holds {len(members)} files; the limit is {most}")
            total = sum(member.file_size for member in members)
            if total > most_bytes or total > MAX_RATIO * max(archive.stat().st_size, 50_000):
                raise BadInput(f"{archive}: would unpack to {total / 1e6:.0f} MB, which looks like a zip bomb")
            for member in members:
                reason = _refused(member)
                if reason:
                    left_out.append(f"{archive.name}: {member.filename!r} left out ({reason})")
                    continue
                if member.is_dir() or not member.filename.endswith((".ipynb", ".zip")):
                    continue
                destination = target.joinpath(*Path(member.filename).parts)
                try:
                    destination.parent.mkdir(parents=True, exist_ok=True)
                    with source.open(member) as file:
                        data = file.read(MAX_BYTES + 1)
                    destination.write_bytes(data)
                except Exception as error:  # of the decompressors, too: zlib.error, LZMAError
                    left_out.append(f"{archive.name}: {member.filename!r} left out ({error})")
                    continue
                if destination.suffix == ".zip" and depth == 0:
                    inner = destination.with_suffix("")
                    try:
                        left_out += unpack(destination, inner, depth + 1)
                    except BadInput as error:
                        left_out.append(str(error).replace(str(target) + os.sep, ""))
                    destination.unlink()
    except BadInput:
        raise
    except Exception as error:  # zipfile raises more than it documents, such as UnicodeDecodeError
        raise BadInput(f"{archive}: is a damaged archive ({error}); download it again") from None
    return left_out


def _refused(member: zipfile.ZipInfo) -> str:
    name, mode = member.filename, member.external_attr >> 16
    parts = Path(name.replace("\\", "/")).parts
    if name.startswith(("/", "\\")) or ".." in parts or (parts and ":" in parts[0]) or "\0" in name:
        return "its path leaves the folder"
    if len(parts) > MAX_FOLDERS_DEEP:
        return "nested too deeply"
    if mode and not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)) and stat.S_IFMT(mode):
        return "a link or a special file"
    if member.file_size > MAX_BYTES:
        return f"{member.file_size / 1e6:.0f} MB; the limit is {MAX_BYTES / 1e6:.0f} MB"
    if member.flag_bits & 1:
        return "encrypted"
    return ""


def find(folder: Path, assignments: dict[str, str]) -> Iterator[Submission]:
    """All submissions below `folder`, one per student and assignment, in a stable order.

    assignments: name -> title. Where a student has several notebooks for an assignment, the one named like it wins, then the newest.
    """
    chosen: dict[tuple[str, str], Submission] = {}
    for path in _notebooks(folder):
        submission = _identify(path, folder, assignments)
        key = (submission.student, submission.assignment)
        if key not in chosen or _preference(submission) > _preference(chosen[key]):
            chosen[key] = submission
    for key in sorted(chosen):
        yield chosen[key]


def _preference(submission: Submission):
    try:
        changed = submission.path.lstat().st_mtime
    except OSError:
        changed = 0.0
    return (not submission.problem, submission.path.stem == submission.assignment, changed, str(submission.path))


def _notebooks(folder: Path) -> Iterator[Path]:
    """Everything below `folder` that is named like a notebook, without following links, not too deep."""
    pending = [(str(folder), 0)]  # texts: a class has tens of thousands of folders
    while pending:
        current, depth = pending.pop()
        try:
            entries = sorted(os.scandir(current), key=lambda entry: entry.name)
        except OSError:
            continue
        for entry in entries:
            if entry.name.startswith((".", "__MACOSX")) or entry.name == "__pycache__":
                continue
            if entry.name.endswith(".ipynb"):
                yield Path(entry.path)
            elif entry.is_dir(follow_symlinks=False) and depth < MAX_FOLDERS_DEEP:
                pending.append((entry.path, depth + 1))


def _identify(path: Path, folder: Path, assignments: dict[str, str]) -> Submission:
    parts = path.relative_to(folder).parts
    canvas = CANVAS.match(parts[-1]) if len(parts) == 1 else None
    if canvas:
        student, hints = canvas["student"], [canvas["rest"]]
    elif len(parts) == 1:
        student, hints = path.stem, [parts[-1]]
    else:
        moodle = MOODLE.match(parts[0])
        student, hints = (moodle["student"] if moodle else parts[0]), [*parts[1:-1], parts[-1]]
    name, student = "/".join(parts), student_name(student)
    assignment = named(hints, assignments) or _recognised(path, assignments)
    if assignment is None:
        unknown = readable(hints[0] if len(hints) > 1 else path.stem)
        problem = f"{readable(name)}: {unknown!r} is no assignment; there are {', '.join(assignments)}"
        return Submission(student, unknown, folder, name, problem)
    return Submission(student, sys.intern(assignment), folder, name)


def readable(name: str) -> str:
    """A file name as text that can be printed, stored and encoded, whatever its bytes were."""
    return "".join(c if c.isprintable() else f"\\x{ord(c):02x}" for c in name)


def student_name(name: str) -> str:
    """A readable name, different for different names, that again fits into a file name: what is too long ends in a hash."""
    text = readable(re.sub(r"\\|^ | $|(?<= ) ", lambda found: f"\\x{ord(found[0]):02x}", name))
    data = text.encode()
    if len(data) <= MAX_NAME_BYTES:
        return text
    return data[: MAX_NAME_BYTES - 20].decode(errors="ignore") + "…" + hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:12]


def named(hints: list[str], assignments: dict[str, str]) -> str | None:
    """The assignment that a folder or file name names: exactly, or as its beginning ("rope (1).ipynb")."""
    for hint in hints:
        stem = hint.removesuffix(".ipynb").strip().lower().replace(" ", "_")
        for name in sorted(assignments, key=len, reverse=True):
            if stem == name or re.match(rf"{re.escape(name)}(?![a-z0-9])", stem.replace("-", "_")) or re.search(
                rf"(?<![a-z0-9]){re.escape(name)}$", stem.replace("-", "_")
            ):
                return name
    return None


def _recognised(path: Path, assignments: dict[str, str]) -> str | None:
    """The assignment whose title is the notebook's first heading, when no file or folder name tells."""
    try:
        notebook = parse_notebook(read_bytes(path), str(path))
    except BadInput:
        return None
    first = next((cell["source"] for cell in notebook["cells"] if cell["cell_type"] == "markdown"), "")
    heading = first.strip().partition("\n")[0].lstrip("# ").strip()
    return next((name for name, title in assignments.items() if title == heading), None)
