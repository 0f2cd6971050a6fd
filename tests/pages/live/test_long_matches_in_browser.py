"""A match that goes on for long: no turn leaves anything in memory, and the end of a game moves nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from arena.games import load_game
from tests.browser import detached_elements, watch_shifts
from tests.pages.live.hand_matches import Begun, Site

pytestmark = pytest.mark.slow
BENCHMARKS = Path(__file__).parents[3] / "benchmarks"
LAST_CHECKER = "24:1 off:14 | opp 13:15"
VASA_START = "1:15 | opp 13:15"
DESKTOP = {"width": 1366, "height": 768}
PHONE = {"width": 390, "height": 844}
WARM_UP = 6
LATER = 18
MOMENTS = 8
"""Turns after which it is counted once more."""
FEW_ELEMENTS = 30
"""Less than two turns would leave."""
BOARD_ELEMENTS = 400
"""A little more than a board has."""

PLACES = """() => [".board-box", ".plate.far", ".plate.near", ".game-line", ".panel"].map((sign) => {
  const { left, top } = document.querySelector(sign).getBoundingClientRect();
  return [left, top];
})"""


@pytest.mark.parametrize("viewport", [DESKTOP, PHONE], ids=["1366", "390"])
def test_the_end_of_a_game_moves_nothing(site: Site, viewport: dict[str, int]) -> None:
    page = site.open(viewport=viewport)
    # the end of a game is told where the buttons stand, which move up for it
    page.evaluate(watch_shifts(may_move=".controls"))
    rules = Begun(load_game("vasa"), [LAST_CHECKER, VASA_START])
    site.begin(rules, dice="1-2 2-1 1-2 2-1 6-5 6-5", games=2)
    page.locator(".can-lift").first.wait_for()
    before = page.evaluate(PLACES)
    page.locator(".spot[data-slot='24'] rect").click(force=True)
    page.get_by_role("button", name="Play the turn").click()
    page.locator(".go-on").wait_for()
    assert page.evaluate(PLACES) == before
    page.locator(".go-on").click()
    page.locator(".go-on").wait_for(state="detached")
    page.locator(".can-lift").first.wait_for()
    assert page.evaluate(PLACES) == before
    assert page.evaluate("window.shift") < 0.01


def test_turns_leave_no_elements_in_memory(browser: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(BENCHMARKS)
    import board  # type: ignore[import-not-found]  # it stands beside the tests

    site, page, match = board.begin(browser, PHONE, 11, 99, board.last_turn)
    try:
        player = board.Player(page, match, board.last_turn)
        player.play(WARM_UP)
        before = detached_elements(page)
        # at any moment the board of a moment ago may be kept, but not those of all turns
        numbers = []
        for more in range(MOMENTS):
            player.play(WARM_UP + LATER + more)
            numbers.append(detached_elements(page))
        assert min(numbers) <= before + FEW_ELEMENTS
        assert max(numbers) <= before + BOARD_ELEMENTS
    finally:
        board.close(site)
