"""Run folders on the disk, and the pages of playing by hand."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from arena.pages.live import runs
from tests.fixtures.asked_pages import Write, write_run
from tests.fixtures.small_run import small_run, unfinished_run

if TYPE_CHECKING:
    from tests.pages.live.hand_matches import Site


@pytest.fixture
def written(tmp_path: Path) -> Write:
    return lambda files: write_run(tmp_path / "run", files)


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "brade-arena"


@pytest.fixture
def club(tmp_path: Path, cache: Path, at_once: None) -> Path:
    """A folder with three runs, at two depths."""
    folder = tmp_path / "club"
    write_run(folder / "friday", small_run())
    write_run(folder / "2026" / "cup", unfinished_run())
    write_run(folder / "2026" / "Så & så #1", small_run())
    return folder


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A run that has changed is read again with the next look."""
    monkeypatch.setattr(runs, "REST", 0)


@pytest.fixture
def site(browser: Any, tmp_path: Path) -> Iterator[Site]:
    """Pages of playing by hand, and what the arena behind them would say."""
    from tests.pages.live.hand_matches import Site  # it needs what is above

    with closing(Site(browser, tmp_path)) as site:
        yield site
