"""The panel beside the board of a person: the end of a turn, fast hands, the lobby, clocks, and every size of window."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from arena.games import load_game
from arena.matches.facts import TurnPlayed
from arena.matches.time_control import TimeControl
from tests.browser import axe_violations
from tests.fixtures import refereed
from tests.pages.live.hand_matches import Begun, Match, Site
from tests.pages.live.hands import Hands

pytestmark = pytest.mark.slow
BENCHMARKS = Path(__file__).parents[3] / "benchmarks"
VASA_START = "1:15 | opp 13:15"
MOST_ACTIONS = 2.0
"""At most so many a turn, in a game that a script plays."""
AS_AGAINST_BOTS = "localStorage.setItem('arena-whole-bots', 'on')"


def begun(site: Site, dice: str, rules: str = "vasa", **context: Any) -> tuple[Match, Any, Hands]:
    """A match whose first turn is the person's, with these dice."""
    page = site.open(**context)
    game = load_game(rules)
    if rules == "vasa":
        match = site.begin(Begun(game, [VASA_START] * 9), dice=f"1-2 {dice}", games=9)
    else:
        match = site.begin(game)
    hands = Hands(page, "pointer")
    page.locator(".can-lift").first.wait_for()
    return match, page, hands


def mine(match: Match) -> int:
    """Return the number of turns of the person."""
    return sum(fact.seat == 1 for fact in match.referee.of(TurnPlayed))


def click(page: Any, slot: int | str) -> None:
    page.locator(f".spot[data-slot='{slot}'] rect").click(force=True)


def told(page: Any, words: str) -> None:
    """Wait until the table says it."""
    page.locator(".hand-sentence", has_text=words).wait_for()


# The end of a turn


def test_a_click_on_the_dice_plays_a_whole_turn(site: Site) -> None:
    match, page, _ = begun(site, "6-5 2-1 3-1")
    page.locator(".die").first.click()  # it is not whole yet, so they change places
    click(page, 1)
    told(page, "1/6; 6 left.")
    click(page, 1)
    page.locator(".die.ready").first.click()
    told(page, "You roll 3-1.")
    assert mine(match) == 1
    assert page.locator(".refusal").is_hidden()


def test_a_turn_plays_itself_unless_it_is_taken_back(site: Site) -> None:
    match, page, _ = begun(site, "6-5 2-1 3-1")
    page.locator(".more-menu summary").click()
    page.get_by_label("A turn plays itself when its dice are used up").check()
    page.locator("h1, .game-line").first.click()
    click(page, 1)
    told(page, "1/7; 5 left.")
    click(page, 1)
    page.locator(".counting").wait_for()
    assert "plays itself, unless you undo" in page.locator(".hand-sentence").inner_text()
    page.get_by_role("button", name="Undo").click()
    told(page, "1/7; 5 left.")
    page.wait_for_timeout(2300)
    assert mine(match) == 0
    click(page, 1)
    told(page, "You roll 3-1.")
    assert mine(match) == 1
    page.reload()
    page.locator(".more-menu summary").click()
    assert page.get_by_label("A turn plays itself when its dice are used up").is_checked()


def test_a_turn_of_brandubh_is_played_at_once(site: Site) -> None:
    page = site.open()
    page.evaluate(AS_AGAINST_BOTS)
    match = site.begin(load_game("brandubh-1"))
    page.locator(".can-lift").first.wait_for()
    click(page, "d1")
    click(page, "c1")
    page.locator(".hand-log li").nth(1).wait_for()
    assert mine(match) == 1


def test_against_a_person_a_turn_waits_for_its_button(site: Site) -> None:
    page = site.open()
    page.evaluate("localStorage.removeItem('arena-whole-bots')")
    site.room.invitation = "a" * 64
    site.begin(load_game("vasa"))
    page.locator(".more-menu summary").click()
    assert not page.get_by_label("A turn plays itself when its dice are used up").is_checked()


def test_a_game_of_vasa_takes_at_most_two_actions_a_turn(
    browser: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(BENCHMARKS)
    import board  # type: ignore[import-not-found]  # it stands beside the tests

    site, page, match = board.begin(browser, board.DESKTOP, 7, 1, board.last_turn)
    try:
        player = board.Player(page, match, board.last_turn, is_dragging=True)
        player.play(board.LONG_ENOUGH)
    finally:
        board.close(site)
        sys.modules.pop("board")
    assert 0.5 < player.figures.each <= MOST_ACTIONS


# Fast hands and refusals


def test_a_second_click_on_play_is_no_fault(site: Site) -> None:
    match, page, _ = begun(site, "6-5 2-1 3-1 2-1")
    click(page, 1)
    told(page, "1/7; 5 left.")
    click(page, 1)
    page.locator(".main:not([disabled])").wait_for()
    refused: list[str] = []
    page.on("response", lambda answer: answer.status == 409 and refused.append(answer.text()))
    page.locator(".main").evaluate("(button) => { button.click(); button.click(); }")
    told(page, "You roll 3-1.")
    page.wait_for_timeout(200)
    assert len(refused) == 1
    assert page.locator(".refusal").is_hidden()
    assert mine(match) == 1
    site.complaints.clear()  # what the browser says of the refused click


def test_a_second_click_on_where_a_checker_lands_is_no_fault(site: Site) -> None:
    page = site.open()
    match = site.begin(load_game("brandubh-1"))
    page.locator(".can-lift").first.wait_for()
    click(page, "d1")
    refused: list[str] = []
    page.on("response", lambda answer: answer.status == 409 and refused.append(answer.text()))
    page.locator(".spot[data-slot='c1'] rect").dblclick(force=True)
    page.locator(".main:not([disabled])").wait_for()
    page.wait_for_timeout(200)
    assert refused
    assert page.locator(".refusal").is_hidden()
    assert mine(match) == 0
    site.complaints.clear()


def test_a_refusal_speaks_to_people_and_leads_to_the_rule(site: Site) -> None:
    _, page, _ = begun(site, "6-5 2-1")
    page.locator(".spot[data-slot='1'] rect").click(button="right")
    click(page, 10)
    refusal = page.locator(".refusal")
    refusal.wait_for()
    assert refusal.inner_text().startswith("With 6 and 5 it cannot reach 10; ")
    refusal.get_by_role("button", name="B3.1").click()
    page.locator(".book .looked-up").wait_for()
    site.complaints.clear()


def test_a_click_on_a_free_point_lands_the_only_checker_that_can(site: Site) -> None:
    _, page, _ = begun(site, "6-5 2-1")
    page.keyboard.press("Escape")  # nothing is chosen
    click(page, 6)
    told(page, "1/6; 6 left.")


# The lobby


def test_the_lobby_is_visited_while_a_match_goes_on(site: Site) -> None:
    _, page, hands = begun(site, "6-5 2-1 3-1")
    click(page, 1)
    told(page, "1/7; 5 left.")
    hands.choose("button:has-text('To the lobby')")
    page.locator(".choice").wait_for()
    assert page.get_by_text("Your match against it goes on.").is_visible()
    page.locator(".begin").click()
    told(page, "1/7; 5 left.")
    click(page, 1)
    page.locator(".main:not([disabled])").click()
    told(page, "You roll 3-1.")


# Clocks


def test_a_clock_that_runs_out_warns(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(refereed, "CLOCK", TimeControl(bank_ms=20_000))
    _, page, _ = begun(site, "6-5 2-1 3-1")
    clocks = page.locator(".plate .clock")
    assert clocks.all_inner_texts() == ["20 s", "20 s"]
    assert page.locator(".clock.low").count() == 0
    monkeypatch.setattr(refereed, "CLOCK", TimeControl(bank_ms=20_000))
    page.evaluate("() => { const now = performance.now(); performance.now = () => now + 17000; }")
    page.locator(".near .clock.low").wait_for()
    assert page.locator(".far .clock.low").count() == 0
    assert "left for this game" in page.locator("#announcer").inner_text()


# Sizes

SIZES = {
    "1366": (1366, 768),
    "1920": (1920, 1080),
    "390": (390, 844),
    "844": (844, 390),
    "683": (683, 384),
    "342": (342, 192),
    "320": (320, 256),
}
SHAPES = """() => {
  const box = (node) => {
    const { left, top, right, bottom } = node.getBoundingClientRect();
    return { left, top, right, bottom, width: right - left, height: bottom - top };
  };
  const all = [...document.querySelectorAll(".controls > .hand-buttons > :is(button, details)")];
  const shown = [...document.querySelectorAll(".point-number")].filter((node) => (
    getComputedStyle(node).display !== "none" && getComputedStyle(node).fontWeight === "700"));
  return {
    board: box(document.querySelector("svg.board")), buttons: all.map(box),
    wide: document.documentElement.scrollWidth - innerWidth,
    numbers: [...new Set(shown.map((node) => node.getAttribute("class").match(/seat-\\d/)[0]))],
  };
}"""


@pytest.mark.parametrize("size", SIZES)
def test_board_and_buttons_are_in_sight(site: Site, size: str) -> None:
    width, height = SIZES[size]
    _, page, hands = begun(site, "6-5 2-1 3-1", viewport={"width": width, "height": height})
    shape = page.evaluate(SHAPES)
    board, buttons = shape["board"], shape["buttons"]
    assert shape["wide"] <= 0
    assert shape["numbers"] == ["seat-1"]
    assert board["top"] >= 0
    assert board["bottom"] <= height
    assert board["right"] <= width
    assert len(buttons) == 3
    for place, button in enumerate(buttons):
        assert 0 <= button["left"] < button["right"] <= width
        assert button["bottom"] <= height
        assert min(button["width"], button["height"]) >= 40
        for other in [board, *buttons[place + 1 :]]:
            is_beside = button["right"] <= other["left"] + 1 or other["right"] <= button["left"] + 1
            is_below = button["bottom"] <= other["top"] + 1 or other["bottom"] <= button["top"] + 1
            assert is_beside or is_below
    if width < height:
        assert board["width"] / board["height"] == pytest.approx(1, abs=0.03)
    assert board["width"] * board["height"] >= width * height / 2.7
    page.locator(".more-menu summary").click()
    assert axe_violations(page) == []
    page.keyboard.press("Escape")
    hands.turn([(1, 7), (1, 6)])
    told(page, "You roll 3-1.")
    assert page.evaluate(SHAPES)["numbers"] == ["seat-1"]


def test_a_lesson_fits_a_phone_held_sideways(site: Site) -> None:
    page = site.open(viewport={"width": 844, "height": 390})
    page.get_by_role("tab", name="Lessons").click()
    page.locator(".lessons button").nth(2).click()
    page.locator(".can-lift").first.wait_for()
    for name in (".lesson h1", ".task", ".lesson button >> nth=0", "svg.board"):
        box = page.locator(name).bounding_box()
        assert box["y"] >= 0
        assert box["y"] + box["height"] <= 390
    for button in page.locator(".controls > .hand-buttons > button").all():
        box = button.bounding_box()
        assert box["y"] + box["height"] <= 390
