"""The link of a person's seat in Chromium: its token is in no address but the link's own, and streams come back."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import pytest

from arena.games import load_game
from arena.server.setup.tournament_file import BotSection
from tests.pages.live.hand_matches import TOKEN, Site
from tests.pages.live.hands import Hands

pytestmark = pytest.mark.slow

OTHER_TOKEN = "a7" * 32
LOST = "The connection is lost; trying again …"
TAKEN = "Another tab or window has taken over this seat."


@pytest.fixture
def sites(browser: Any, tmp_path: Path) -> Iterator[list[Site]]:
    with ExitStack() as stack:
        yield [
            stack.enter_context(closing(Site(browser, tmp_path / token[:2], token)))
            for token in (TOKEN, OTHER_TOKEN)
        ]


def test_the_token_is_in_no_address(sites: list[Site]) -> None:
    site, _ = sites
    page = site.open()
    asked: list[Any] = []
    page.on("request", lambda request: asked.append(request))  # noqa: PLW0108 - Playwright marks what it is given
    page.reload()
    page.locator(".choice").wait_for()
    page.get_by_role("tab", name="Lessons").click()
    page.get_by_role("button", name="Single on the first half").click()
    page.locator(".can-lift").first.wait_for()
    addresses = [one.url.partition("#")[0] for one in asked]
    assert not any(TOKEN in address for address in addresses)
    own = [one for one in asked if "/events" in one.url or "/api/" in one.url]
    assert {one.url.partition("?")[0].rpartition("/")[2] for one in own} == {
        "events",
        "choice",
        "past",
        "act",
    }
    assert all(one.headers["x-seat"] == TOKEN for one in own)
    assert page.context.cookies() == []
    kept = page.evaluate("JSON.stringify([{ ...sessionStorage }, { ...localStorage }])")
    assert TOKEN not in json.dumps(kept)
    page.locator("a.skip").focus()
    page.keyboard.press("Enter")
    assert page.evaluate("location.hash") == f"#{TOKEN}"
    assert page.evaluate("document.activeElement.id") == "main"


def test_two_seats_on_one_machine_do_not_collide(sites: list[Site]) -> None:
    one, two = sites
    first = one.open()
    second = two.open(beside=first)
    for site, page in ((one, first), (two, second)):
        site.begin(load_game("vasa"), dice="21 6543 6543 6543 6543")
        Hands(page, "keyboard").look()
    for page in (first, second, first):
        page.reload()
        Hands(page, "keyboard").look()
        assert page.get_by_text(TAKEN).count() == 0


def test_a_stream_that_is_lost_comes_back_and_takes_nothing_over(sites: list[Site]) -> None:
    site, _ = sites
    first = site.open()
    match = site.begin(load_game("vasa"), dice="21 6543 6543 6543 6543")
    hands = Hands(first, "keyboard")
    hands.look()
    cut(site)
    first.get_by_text(LOST).wait_for()
    first.get_by_text(LOST).wait_for(state="detached")
    hands.turn(match.referee.legal[0].moves)
    hands.look()
    first.route("**/events*", lambda route: route.abort())
    cut(site)
    first.get_by_text(LOST).wait_for()
    second = site.open(ready=".can-lift, .can-land")
    first.unroute("**/events*")
    first.get_by_text(TAKEN).wait_for()
    assert second.get_by_text(TAKEN).count() == 0
    site.complaints[:] = [
        words for words in site.complaints if "net::ERR" not in words
    ]  # the cut connections


def test_a_seat_that_was_refused_says_so(sites: list[Site], tmp_path: Path) -> None:
    site, _ = sites
    page, me = site.open(), BotSection(name="you", person=True)
    site.tell(
        lambda: site.room.sit_down(
            folder=tmp_path, address=f"unix:{tmp_path}/none", me=me, token="token", opponent="it"
        )
    )
    page.get_by_role("heading", name="You are not at the board").wait_for()
    page.get_by_role("alert").filter(
        has_text="The arena cannot be reached: cannot connect to unix:"
    ).wait_for()
    page.get_by_role("button", name="Another opponent").click()
    page.locator(".choice").wait_for()


def cut(site: Site) -> None:
    """Every connection ends, as when a cable is pulled out."""

    def shut() -> None:
        for connection in list(site.connections.open):
            connection.drop()

    site.tell(shut)
