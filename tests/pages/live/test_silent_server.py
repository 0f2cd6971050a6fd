"""Pages of a run whose server is silent for a while: they say so, ask again, and then go on."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.fixtures.asked_pages import write_run
from tests.fixtures.report_runs import FORMATS, run_of_format
from tests.fixtures.small_run import FIXTURE, Files, small_run
from tests.pages.live.test_in_browser import RunSite

pytestmark = pytest.mark.slow
SILENCE = "The server does not answer."
SEE = "document.dispatchEvent(new Event('visibilitychange'))"


LOST = "Failed to load resource: net::ERR_FAILED"
"""What the browser complains of for each request that is lost."""


@contextmanager
def serving(browser: Any, folder: Path, files: Files) -> Iterator[RunSite]:
    site = RunSite(browser, write_run(folder, files))
    yield site
    for page in site.pages:
        page.context.close()
    site.complaints = [words for words in site.complaints if words != LOST]
    site.close()
    site.watcher.close()


@pytest.fixture
def site(browser: Any, tmp_path: Path) -> Iterator[RunSite]:
    with serving(browser, tmp_path / "run", small_run()) as found:
        yield found


def silent_page(site: RunSite, place: str, silent: str = "**/api/**") -> Any:
    page = site.browser.new_page(locale="en-GB")
    page.route(silent, lambda route: route.abort())
    site.show(page, place)
    page.get_by_text(SILENCE).first.wait_for()
    return page


@pytest.mark.parametrize(("place", "drawn"), [("bot/anna", "#against table"), (FIXTURE, ".moves")])
def test_a_page_is_drawn_when_the_server_answers_again(
    site: RunSite, place: str, drawn: str
) -> None:
    page = silent_page(site, place)
    page.unroute("**/api/**")
    page.locator(drawn).wait_for()
    assert page.get_by_text(SILENCE).count() == 0


def test_the_games_and_the_cross_table_come_when_the_server_answers_again(site: RunSite) -> None:
    page = silent_page(site, "")
    page.locator("#crosstable .notice").wait_for()
    page.locator("#filter").fill("anna")
    page.locator("#games .notice").wait_for()
    page.unroute("**/api/**")
    page.locator("#crosstable table").wait_for()
    page.locator("#games table").wait_for()
    assert page.get_by_text(SILENCE).count() == 0


def test_the_book_is_filled_when_the_server_answers_again(site: RunSite) -> None:
    page = site.browser.new_page(locale="en-GB")
    page.route("**/book.en.html", lambda route: route.abort())
    site.show(page)
    page.get_by_role("button", name="Glossary").first.click()
    page.locator("dialog").get_by_text(SILENCE).wait_for()
    page.unroute("**/book.en.html")
    page.locator("#book-glossary").wait_for()
    assert page.get_by_text(SILENCE).count() == 0


def test_a_silent_server_is_asked_after_pauses_that_grow(site: RunSite) -> None:
    page = site.browser.new_page(locale="en-GB")
    page.clock.install(time=0)
    page.clock.pause_at(1000)
    asked: list[str] = []

    def refuse(route: Any) -> None:
        asked.append(route.request.url)
        route.abort()

    page.route("**/api/**", refuse)
    site.show(page, "bot/anna")
    page.get_by_text(SILENCE).wait_for()
    for pause_ms in (1000, 2000, 4000):
        before = len(asked)
        page.evaluate("0")  # by now the page has heard of the lost request
        page.clock.run_for(pause_ms - 1)
        assert len(asked) == before
        with page.expect_event("requestfailed"):
            page.clock.run_for(1)
        assert len(asked) == before + 1


def test_a_page_that_is_looked_at_asks_at_once(site: RunSite) -> None:
    page = site.browser.new_page(locale="en-GB")
    page.clock.install(time=0)
    page.clock.pause_at(1000)
    page.route("**/api/**", lambda route: route.abort())
    site.show(page, "bot/anna")
    page.get_by_text(SILENCE).wait_for()
    page.unroute("**/api/**")
    page.evaluate(SEE)
    page.locator("#against table").wait_for()


def test_rounds_come_when_the_server_answers_again(browser: Any, tmp_path: Path) -> None:
    with serving(browser, tmp_path / "run", run_of_format(FORMATS["rounds"])) as site:
        page = silent_page(site, "")
        page.unroute("**/api/**")
        page.locator("#pairings .pairing").first.wait_for()
        page.locator("#crosstable table").wait_for()
        assert page.get_by_text(SILENCE).count() == 0
