"""Reports opened in a browser."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from arena.pages.page import page_of
from arena.pages.report.building import report_of
from tests.browser import PATIENCE_MS
from tests.fixtures.small_run import Files

_LISTEN = """patience => {
  window.moved = new Promise((done, fail) => {
    addEventListener("hashchange", () => done(), { once: true });
    setTimeout(() => fail(new Error("no link within the page was followed")), patience);
  });
}"""
"""Begins to wait until the page is told of another address: the page heard of it first, and so has
drawn by then."""

Open = Callable[..., "Opened"]


class Opened:
    """A report in a tab of its own, and everything that should not happen there."""

    def __init__(self, page: Any, address: str) -> None:
        self.page = page
        self.address = address
        self.complaints: list[str] = []
        self.requests: list[str] = []
        page.set_default_timeout(PATIENCE_MS)
        page.on("console", lambda message: self.complaints.append(message.text))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("request", lambda request: self.requests.append(request.url))

    def go(self, place: str = "") -> Opened:
        """Open it, or follow a link to a place in it."""
        target = self.address + (f"#{place}" if place else "")
        if place and self.page.url != target and self.page.url.partition("#")[0] == self.address:
            self.move(lambda: self.page.goto(target))
        else:
            self.page.goto(target)
        return self

    def follow(self, link: Any) -> None:
        self.move(link.click)

    def move(self, deed: Callable[[], object]) -> None:
        """Do what leads to another place in the page, and wait until the page is there."""
        self.page.evaluate(_LISTEN, PATIENCE_MS)
        deed()
        self.page.evaluate("window.moved")

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    @property
    def counter(self) -> str:
        """How far the game is played through: `3 / 17`."""
        return str(self.page.locator(".counter").inner_text())

    @property
    def sentence(self) -> str:
        return str(self.page.locator(".sentence").inner_text())

    @property
    def board(self) -> str:
        """The position as a screen reader hears it."""
        return str(self.page.locator(".board").get_attribute("aria-label"))

    def overflow(self) -> int:
        """By how many pixels the page is wider than its window."""
        return int(
            self.page.evaluate(
                "document.documentElement.scrollWidth - document.documentElement.clientWidth"
            )
        )


@cache
def _page(files: tuple[tuple[str, bytes], ...]) -> str:
    return page_of(report_of(dict(files), games="all"))


@pytest.fixture
def opened(browser: Any, tmp_path: Path) -> Iterator[Open]:
    """Opens the report of a run; afterwards nothing may have been complained of or fetched."""
    tabs: list[Opened] = []

    def open_report(
        files: Files, *, width: int = 1200, height: int = 900, **context: Any
    ) -> Opened:
        path = tmp_path / "report.html"
        path.write_text(_page(tuple(files.items())), encoding="utf-8")
        page = browser.new_page(viewport={"width": width, "height": height}, **context)
        tabs.append(Opened(page, path.as_uri()))
        return tabs[-1]

    yield open_report
    for tab in tabs:
        assert tab.complaints == []
        assert [
            address for address in tab.requests if not address.startswith(("file:", "data:"))
        ] == []
        tab.page.close()
