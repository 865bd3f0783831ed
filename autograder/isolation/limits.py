"""What one submission may use. The same numbers bind the child (rlimits) and what the grader accepts from it."""

from dataclasses import dataclass

MB = 1 << 20


@dataclass(frozen=True)
class Limits:
    """seconds: per cell; total: per submission; the rest in bytes or counts."""

    seconds: float = 10.0
    total: float = 120.0
    memory: int = 1024 * MB  # address space beyond what the zygote already maps
    scratch: int = 64 * MB  # the child's only writable folder, in memory
    files: int = 64  # open files
    scratch_files: int = 1000
    file_size: int = 32 * MB
    threads: int = 64
    text: int = 20_000  # characters of output kept per cell
    images: int = 10  # per cell
    image_size: int = 1 * MB
    output: int = 30 * MB  # characters of text and pictures kept per submission
    cells: int = 1000  # code cells run
    trust_students: bool = False  # run even without filesystem and network isolation


DEFAULT = Limits()
