"""The pictures in docs/pictures are those that their generator draws, and each is shown somewhere."""

from __future__ import annotations

import pytest

from tests.docs.pages import PAGES
from tests.generators import make_pictures


def test_the_pictures_are_current() -> None:
    """Otherwise: `python -m tests.generators.make_pictures`."""
    pytest.importorskip("playwright.sync_api", reason="playwright is missing: pip install '.[dev]'")
    if make_pictures.chromium() is None:
        pytest.skip("chromium is missing: apt-get install chromium")
    kept = {file.name: file.read_text(encoding="utf-8") for file in make_pictures.PICTURES.iterdir()}
    assert make_pictures.pictures() == kept


def test_every_picture_is_shown() -> None:
    """With words for those who cannot see it."""
    text = "".join(page.read_text(encoding="utf-8") for page in PAGES)
    for name in make_pictures.PICTURE_OF:
        assert f"pictures/{name}.svg)" in text
    assert "![](" not in text
