"""What several test folders share: the repository's root, the student notebooks and the built website."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def root() -> Path:
    return ROOT


@pytest.fixture(scope="session")
def release(root) -> Path:
    """release/, made when it is not current (which costs nothing when it is)."""
    subprocess.run([sys.executable, "-m", "autograder", "release"], cwd=root, check=True, capture_output=True)
    return root / "release"


@pytest.fixture(scope="session")
def site(root) -> Path:
    """_build/html as `make` leaves it."""
    html = root / "_build" / "html"
    if not (html / "index.html").exists():
        pytest.skip("the website is not built: `make site` builds it")
    return html
