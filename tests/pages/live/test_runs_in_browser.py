"""The list of runs in a real browser: both themes, both languages, a phone, hostile names, the way to a run and back."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import trio
from starlette.types import ASGIApp

from arena.pages.live.runs import Runs
from arena.pages.live.runs_pages import RunsPages
from arena.pages.serving.app import web_app
from tests.browser import axe_violations
from tests.fixtures.asked_pages import HERE, write_run
from tests.fixtures.report_runs import long_run
from tests.fixtures.small_run import small_run
from tests.pages.live.site import Site

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("cache", "at_once")]
SIZES = [(1366, 768), (390, 844)]


class ClubSite(Site):
    def __init__(self, browser: Any, folder: Path) -> None:
        self.runs = Runs(folder)
        super().__init__(browser, self._pages)

    def _pages(self, nursery: trio.Nursery) -> ASGIApp:
        nursery.start_soon(self.runs.follow)
        return web_app(RunsPages(self.runs).routes(), HERE)

    def open(self, **context: Any) -> Any:
        return self.show(self.browser.new_page(**context))


@pytest.fixture
def start(browser: Any) -> Iterator[Callable[[Path], ClubSite]]:
    sites: list[ClubSite] = []

    def begin(folder: Path) -> ClubSite:
        sites.append(ClubSite(browser, folder))
        return sites[-1]

    yield begin
    for site in sites:
        site.close()
        site.runs.close()


def overflow(page: Any) -> int:
    return int(
        page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    )


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(("language", "heading"), [("en-GB", "Runs"), ("sv-SE", "Körningar")])
def test_the_list_is_readable_everywhere(
    start: Any, club: Path, scheme: str, language: str, heading: str
) -> None:
    """Long and hostile names, and a run that cannot be read, are among the runs."""
    write_run(club / ("long-" * 20), long_run())
    (write_run(club / "broken", small_run()) / "tournament.jsonl").write_bytes(b"nonsense\n")
    site = start(club)
    for width, height in SIZES:
        page = site.open(
            locale=language, color_scheme=scheme, viewport={"width": width, "height": height}
        )
        page.locator(".runs-table tbody tr").nth(4).wait_for()
        assert page.locator("h1").inner_text() == heading
        assert page.locator(".problem").count() == 1
        assert overflow(page) == 0
        assert axe_violations(page) == []


def test_a_run_opens_and_leads_back(start: Any, club: Path) -> None:
    page = start(club).open(locale="en-GB")
    page.get_by_role("searchbox").fill("2026/Så")
    link = page.locator(".runs-table tbody a")
    page.get_by_text("1 run", exact=True).wait_for()
    link.click()
    page.locator("#standings").wait_for()
    assert axe_violations(page) == []
    page.locator(".games-table a").first.click()
    page.locator(".moves li").first.wait_for()
    page.locator(".to-runs").click()
    page.locator(".runs-table").wait_for()


def test_new_runs_appear(start: Any, tmp_path: Path) -> None:
    folder = tmp_path / "club"
    folder.mkdir()
    page = start(folder).open(locale="en-GB")
    page.get_by_text("There is no run in this folder yet.").wait_for()
    write_run(folder / "friday", small_run())
    page.locator(".runs-table tbody a").wait_for()
    assert page.locator(".runs-table tbody tr").count() == 1
