"""The pages of a venue in a real browser: both themes, both languages, phones, keys, the way to a match and back."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import trio
from starlette.types import ASGIApp

from arena.pages.live.venue import Venue
from arena.pages.live.venue_pages import VenuePages
from arena.pages.serving.app import web_app
from arena.records.venue_facts import Announced, BotBanned
from tests.browser import axe_violations, watch_shifts
from tests.fixtures.asked_pages import HERE
from tests.pages.live.site import Site
from tests.pages.live.venues import CUP, DAYS, FIRST_MS, tell, venue_in

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("cache", "at_once")]
SIZES = [(1366, 768), (390, 844), (844, 390)]
PLACES = {
    "": "#leaders",
    "ladders": "#ladder-vasa .ladder-table",
    "join": ".join-steps",
    "ladder/vasa": ".days-table",
    "bot/anna": ".last-matches",
    "cup/saturday": "h1",
    "public": "h1",
    "runs": ".runs-table",
}
"""The pages, each with what is there once it is drawn."""
LATER_MS = FIRST_MS + 9 * 86_400_000


class VenueSite(Site):
    def __init__(self, browser: Any, folder: Path) -> None:
        self.folder = folder
        self.venue = Venue(folder)
        super().__init__(browser, self._pages)

    def _pages(self, nursery: trio.Nursery) -> ASGIApp:
        nursery.start_soon(self.venue.follow)
        return web_app(VenuePages(self.venue).routes(), HERE)

    def open(self, place: str = "", **context: Any) -> Any:
        return self.show(self.browser.new_page(**context), place)


@pytest.fixture
def start(browser: Any, tmp_path: Path) -> Iterator[Callable[[], VenueSite]]:
    sites: list[VenueSite] = []

    def begin() -> VenueSite:
        sites.append(VenueSite(browser, venue_in(tmp_path / "venue")))
        return sites[-1]

    yield begin
    for site in sites:
        site.close()
        site.venue.close()


def overflow(page: Any) -> int:
    return int(
        page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    )


@pytest.mark.parametrize(
    ("language", "scheme"),
    [
        ("en-GB", "light"),
        ("sv-SE", "dark"),
        pytest.param("en-GB", "dark", marks=pytest.mark.soak),
        pytest.param("sv-SE", "light", marks=pytest.mark.soak),
    ],
)
@pytest.mark.parametrize("size", SIZES)
def test_the_pages_are_readable_everywhere(
    start: Any, language: str, scheme: str, size: tuple[int, int]
) -> None:
    site = start()
    viewport = {"width": size[0], "height": size[1]}
    for place, selector in PLACES.items():
        page = site.open(place, locale=language, color_scheme=scheme, viewport=viewport)
        page.locator(selector).first.wait_for()
        assert overflow(page) == 0, place
        assert axe_violations(page) == [], place
        page.context.close()
        site.pages.remove(page)


def top_of(page: Any, selector: str) -> float:
    return float(page.locator(selector).first.bounding_box()["y"])


def test_who_leads_stands_beside_the_boards_or_above_them(start: Any) -> None:
    site = start()
    wide = site.open(locale="en-GB", viewport={"width": 1366, "height": 900})
    wide.locator("#now .card").first.wait_for()
    assert wide.locator("#leaders tbody tr").count() == 8
    assert top_of(wide, "#leaders table") < top_of(wide, "#now .card")
    assert top_of(wide, "#ladder-vasa table") < 900
    boxes = [card.bounding_box() for card in wide.locator("#now .card").all()]
    edge = wide.locator("#leaders").bounding_box()["x"]
    assert edge - max(box["x"] + box["width"] for box in boxes) < 32
    narrow = site.open(locale="en-GB", viewport={"width": 390, "height": 844})
    narrow.locator("#now .card").first.wait_for()
    assert narrow.locator("#leaders tbody tr:visible").count() == 3
    assert top_of(narrow, "#leaders table") < top_of(narrow, "#now .card") < 844 / 2 + 50
    narrow.get_by_role("tab", name="Join").click()
    narrow.get_by_text("arena new python my-bot").wait_for()
    assert narrow.locator("#now .card").first.is_hidden()
    assert narrow.url.endswith("#join")


@pytest.mark.parametrize("size", SIZES)
def test_the_first_page_comes_up_calmly(start: Any, size: tuple[int, int]) -> None:
    site = start()
    page = site.browser.new_page(viewport={"width": size[0], "height": size[1]})
    page.add_init_script(watch_shifts())
    site.show(page)
    page.locator("#now .card .board").first.wait_for()
    assert page.evaluate("window.shift") <= 0.05


def test_a_card_leads_to_its_match_and_back(start: Any) -> None:
    page = start().open(locale="en-GB")
    page.locator("#now .card").first.click()
    page.locator(".moves li").first.wait_for()
    assert f"/runs/{DAYS[-1]}/#" in page.url
    assert page.locator(".to-runs a").all_inner_texts()[:2] == [
        "← Brädklubben i Uppsala",
        "Ladder vasa",
    ]
    assert axe_violations(page) == []
    page.get_by_role("link", name="The day before").click()
    page.locator("#standings").wait_for()
    page.get_by_role("link", name="Ladder vasa").click()
    page.locator(".days-table").wait_for()


def test_a_spectator_finds_the_cup(start: Any) -> None:
    page = start().open(locale="en-GB")
    cups = page.locator("#cups")
    cups.get_by_text("fewer than two bots were connected").wait_for()
    cups.locator(f'a[href="runs/{CUP}/"]').click()
    page.locator("#standings").wait_for()
    assert page.locator(".to-runs").inner_text().endswith("Cup saturday")


def test_what_has_the_focus_keeps_it_while_the_page_changes(start: Any) -> None:
    site = start()
    page = site.open(locale="en-GB")
    page.get_by_role("button", name="Go", exact=True).click()
    page.get_by_text("arena new go my-bot").wait_for()
    copy = page.get_by_role("button", name="Copy: arena join")
    copy.focus()
    tell(site.folder, Announced(at_ms=LATER_MS, text="Fresh news"))
    page.get_by_text("Fresh news").wait_for()
    assert page.evaluate("document.activeElement.className") == "copy"
    assert page.get_by_text("arena new go my-bot").is_visible()
    assert page.locator("#now .card").count() == 3


def test_a_line_is_copied(start: Any) -> None:
    page = start().open(locale="en-GB", permissions=["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Copy: arena join").press("Enter")
    page.get_by_role("button", name="Copy: arena join").get_by_text("Copied").wait_for()
    assert page.evaluate("navigator.clipboard.readText()") == (
        "arena join tcp:127.0.0.1:4711 --invite CODE --name my-bot"
    )


def test_names_and_reasons_of_others_are_text(start: Any) -> None:
    site = start()
    hostile = "<img src=x onerror=alert(1)> (B4.1)"
    tell(
        site.folder,
        Announced(at_ms=LATER_MS, text=hostile),
        BotBanned(at_ms=LATER_MS, bot="anna", why=hostile),
    )
    page = site.open(locale="en-GB")
    page.get_by_text(hostile).wait_for()
    page.get_by_role("link", name="Anna Andersson").first.click()
    page.locator("#view").get_by_text(hostile).wait_for()
    assert page.locator("img").count() == 0
    assert page.locator("#view .clauses").count() == 0


def test_an_unknown_bot_is_told(start: Any) -> None:
    site = start()
    page = site.open("bot/nobody", locale="en-GB")
    page.get_by_text("This venue has no bot called 'nobody'.").wait_for()
    page.get_by_role("link", name="← The venue").click()
    page.locator("#join").wait_for()
    assert all("404" in complaint for complaint in site.complaints)
    site.complaints.clear()
