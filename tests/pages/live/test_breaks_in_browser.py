"""Between two games: no clock runs before the person is ready, and the page says when the next game begins."""

from __future__ import annotations

import re
from typing import Any

import pytest

from arena.games import load_game
from arena.matches.facts import GameStarted
from tests.browser import axe_violations
from tests.pages.live.hand_matches import BREAK_MS, Begun, Match, Site
from tests.pages.live.hands import HANDS, PHONE, Hand, Hands

pytestmark = pytest.mark.slow


def after_a_game(site: Site, hand: Hand = "pointer", **context: Any) -> tuple[Match, Hands]:
    """The person has won the first game, and has a break."""
    page = site.open(**(PHONE if hand == "touch" else {}), **context)
    rules = Begun(load_game("vasa"), ["24:1 off:14 | opp 13:15", "1:15 | opp 13:15"])
    match = site.begin(rules, dice="1-2 2-1 1-2 2-1 6-5 6-5", games=2, break_ms=BREAK_MS)
    hands = Hands(page, hand)
    hands.turn([(24, 25)])
    page.locator(".go-on").wait_for()
    return match, hands


def started(match: Match) -> list[int]:
    return [fact.game for fact in match.referee.of(GameStarted)]


@pytest.mark.parametrize("hand", HANDS)
def test_the_next_game_begins_with_the_button(site: Site, hand: Hand) -> None:
    match, hands = after_a_game(site, hand)
    page = hands.page
    counting = page.locator(".over .pause")
    words = counting.inner_text()
    assert re.fullmatch(
        r"Game 2 begins when you are ready, and by itself in (2:00|1:\d\d) min\.", words
    )
    page.wait_for_function(
        "words => document.querySelector('.pause').innerText !== words", arg=words
    )
    assert re.fullmatch(r"Game 2 begins .* by itself in 1:\d\d min\.", counting.inner_text())
    assert started(match) == [1]
    hands.do(hands.look())
    page.locator(".game-line", has_text="game 2 of 2").wait_for()
    assert started(match) == [1, 2]
    page.locator(".can-lift").first.wait_for()
    assert page.locator(".pause").count() == 0


def test_a_game_that_has_begun_by_itself_is_told_of_above_the_end_of_the_last_one(
    site: Site,
) -> None:
    match, hands = after_a_game(site)
    page = hands.page
    site.tell(match.break_ends)
    page.get_by_text("Game 2 has begun, and your clock runs: ").wait_for()
    assert page.locator(".over h2").inner_text().startswith("You win game 1")
    page.locator(".go-on").click()
    page.locator(".can-lift").first.wait_for()


def test_who_opens_the_page_in_a_break_finds_it(site: Site) -> None:
    match, hands = after_a_game(site)
    page = hands.page
    page.reload()
    page.locator(".go-on").wait_for()
    assert page.locator(".pause").inner_text().startswith("Game 2 begins when you are ready")
    assert axe_violations(page) == []
    page.locator(".go-on").click()
    page.locator(".can-lift").first.wait_for()
    assert started(match) == [1, 2]


def test_it_is_told_in_swedish(site: Site) -> None:
    _, hands = after_a_game(site, locale="sv-SE")
    assert (
        hands.page.locator(".pause")
        .inner_text()
        .startswith("Spel 2 börjar när du är redo, och av sig själv om ")
    )
