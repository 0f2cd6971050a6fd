"""Going back in the live pages returns to where the reader was, although they are drawn when their contents come."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.fixtures.asked_pages import write_run
from tests.fixtures.report_runs import FORMATS, run_of_format
from tests.pages.live.test_in_browser import RunSite

pytestmark = pytest.mark.slow
PLACE = "Math.round(window.scrollY)"
IS_AT = "(place) => Math.abs(window.scrollY - place) <= 1"


@pytest.fixture
def page(browser: Any, tmp_path: Path) -> Iterator[Any]:
    site = RunSite(browser, write_run(tmp_path / "run", run_of_format(FORMATS["rounds"])))
    yield site.open("standings", locale="en-GB", viewport={"width": 1200, "height": 500})
    site.close()
    site.watcher.close()


def scrolled_to_a_game(page: Any) -> int:
    """Scroll to the list of games, and rest there; return the place."""
    page.locator("#crosstable table").wait_for()
    page.locator("#pairings .pairing").first.wait_for()
    page.locator("#games a.game").first.hover()
    page.wait_for_function("() => history.state?.scrolled === Math.round(window.scrollY)")
    place = int(page.evaluate(PLACE))
    assert place > 500
    return place


def test_going_back_returns_to_the_place(page: Any) -> None:
    place = scrolled_to_a_game(page)
    page.locator("#games a.game").first.click()
    page.locator(".moves").wait_for()
    page.wait_for_function(IS_AT, arg=0)
    page.go_back()
    page.locator("#games table").wait_for()
    page.wait_for_function(IS_AT, arg=place)


def test_a_page_that_is_loaded_again_is_where_it_was(page: Any) -> None:
    place = scrolled_to_a_game(page)
    page.reload()
    page.locator("#games table").wait_for()
    page.wait_for_function(IS_AT, arg=place)


def test_a_link_to_a_section_goes_there_and_back(page: Any) -> None:
    place = scrolled_to_a_game(page)
    page.evaluate("location.hash = '#crosstable'")
    page.wait_for_function(
        "() => Math.abs(document.getElementById('crosstable').getBoundingClientRect().top) < 100"
    )
    page.go_back()
    page.wait_for_function(IS_AT, arg=place)


def test_who_scrolls_while_the_page_grows_stays_there(page: Any) -> None:
    place = scrolled_to_a_game(page)
    page.locator("#games a.game").first.click()
    page.locator(".moves").wait_for()
    page.go_back()
    page.locator("#games table").wait_for()
    page.wait_for_function(IS_AT, arg=place)
    page.mouse.wheel(0, -10_000)
    page.wait_for_function(IS_AT, arg=0)
    page.evaluate("document.querySelector('#view').append(document.createElement('hr'))")
    page.wait_for_function("() => history.state.scrolled === 0")
    assert page.evaluate(PLACE) == 0
