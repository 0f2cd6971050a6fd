"""The lobby in Chromium: what is offered, what it keeps, and that its button is in sight."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.browser import axe_violations
from tests.pages.live.hand_matches import Site
from tests.person.test_past_matches import played

pytestmark = pytest.mark.slow

SIZES = ((1366, 768), (390, 844), (844, 390), (683, 384), (320, 256), (342, 192))


@pytest.fixture
def site(browser: Any, tmp_path: Path) -> Iterator[Site]:
    played(tmp_path / "play-bo-1", is_over=False)
    played(tmp_path / "play-bo-2")
    found = Site(browser, tmp_path)
    yield found
    found.close()


def test_games_opponents_and_options_are_chosen_and_kept(site: Site) -> None:
    page = site.open()
    heading = page.get_by_role("heading", level=1)
    assert [card.inner_text() for card in page.locator(".games-offered strong").all()] == [
        "Bräde",
        "Backgammon",
        "Brandubh",
    ]
    assert page.locator(".faces .face").count() == 5  # four bots, and another person
    page.locator(".games-offered .pick", has_text="Brandubh").click()
    assert heading.inner_text() == "Play Brandubh"
    page.locator(".games-offered .pick", has_text="Bräde").click()
    page.get_by_text("Which rules?").click()
    page.get_by_role("radio", name="The basic rules").check()
    page.get_by_role("checkbox", name="one die only").check()
    page.get_by_role("radio", name="Neural").check(force=True)
    bar = page.locator(".begin-bar .lead")
    assert bar.inner_text() == "You against neural: the basic rules, 3 games."
    page.get_by_role("tab", name="Lessons").click()
    page.get_by_role("button", name="Jan", exact=True).click()
    page.locator(".lesson").wait_for()
    page.get_by_role("button", name="To the lobby").click()
    page.get_by_role("tab", name="Play a match").click()
    assert bar.inner_text() == "You against neural: the basic rules, 3 games."
    assert page.get_by_role("checkbox", name="one die only").is_checked()


def test_a_match_of_before_is_looked_at_and_an_open_one_offered_again(site: Site) -> None:
    page = site.open()
    page.get_by_role("button", name="Go on with your match").wait_for()
    page.get_by_role("tab", name="Your last games").click()
    rows = page.locator(".past-matches li")
    assert sorted(row.locator("button").inner_text() for row in rows.all()) == [
        "Go on",
        "Look at it",
    ]
    page.get_by_role("button", name="Look at it").click()
    page.locator(".past .replay").wait_for()
    page.get_by_role("button", name="← Your last games").click()
    assert rows.count() == 2


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_button_is_in_sight_at_every_size_and_axe_finds_nothing(
    site: Site, scheme: str
) -> None:
    page = site.open(color_scheme=scheme)
    button = page.get_by_role("button", name="Sit down")
    for width, height in SIZES:
        page.set_viewport_size({"width": width, "height": height})
        box = button.bounding_box()
        assert box is not None
        assert box["y"] >= 0, (width, height)
        assert box["y"] + box["height"] <= height, (width, height)
        assert page.evaluate("document.documentElement.scrollWidth") <= width, (width, height)
    page.set_viewport_size({"width": 1366, "height": 768})
    for tab in page.get_by_role("tab").all():
        tab.click()
        assert axe_violations(page) == [], tab.inner_text()


def test_tabs_and_cards_are_chosen_by_keyboard(site: Site) -> None:
    page = site.open()
    page.get_by_role("tab", name="Play a match").focus()
    page.keyboard.press("ArrowLeft")
    assert page.locator("#tab-past").get_attribute("aria-selected") == "true"
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowRight")
    assert page.get_by_role("heading", level=1).inner_text() == "Play backgammon"
    page.keyboard.press("Tab")  # which rules
    page.keyboard.press("Enter")
    assert page.get_by_role("checkbox").first.is_visible()
