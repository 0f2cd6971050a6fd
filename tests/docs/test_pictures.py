"""The pictures in docs/pictures are those that their generator draws, and each is shown somewhere."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.browser import chromium_path
from tests.docs.pages import PAGES, ROOT
from tests.generators import make_pictures


def test_the_pictures_are_current(tmp_path: Path) -> None:
    """Otherwise: `python -m tests.generators.make_pictures`."""
    pytest.importorskip("playwright.sync_api", reason="playwright is missing: pip install '.[dev]'")
    if chromium_path() is None:
        pytest.skip("chromium is missing: apt-get install chromium")
    # by itself: only one playwright can run in a process
    subprocess.run([sys.executable, "-m", make_pictures.__name__, tmp_path], check=True, timeout=120, cwd=ROOT)
    assert files_of(tmp_path) == files_of(make_pictures.PICTURES)


def files_of(folder: Path) -> dict[str, str]:
    """Every drawn picture by its name."""
    return {file.name: file.read_text(encoding="utf-8") for file in folder.glob("*.svg")}


def test_every_picture_is_shown() -> None:
    """With words for those who cannot see it."""
    text = "".join(page.read_text(encoding="utf-8") for page in PAGES)
    for name in make_pictures.PICTURE_OF:
        assert f"pictures/{name}.svg)" in text
    assert "![](" not in text
