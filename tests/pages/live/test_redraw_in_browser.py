"""Pages of playing by hand are drawn again with every message: what the reader has in hand stays."""

from __future__ import annotations

from typing import Any

import pytest

from arena.games import load_game
from tests.pages.live.hand_matches import Site
from tests.pages.live.hands import Hands

pytestmark = pytest.mark.slow

DRAWN_AGAIN_MS = 400
"""A message that changes nothing is drawn in far less; nothing on the page tells when."""


def draw_again(site: Site, page: Any) -> None:
    site.tell(site.room.changed)
    page.wait_for_timeout(DRAWN_AGAIN_MS)


def has_focus(page: Any, name: str) -> bool:
    return bool(page.evaluate(f"document.activeElement === {name} && {name}.isConnected"))


@pytest.fixture
def page(site: Site) -> Any:
    """A page at whose board the first turn of a match is to be played."""
    page = site.open()
    match = site.begin(load_game("backgammon"), seed=bytes([32]) * 32)
    hands = Hands(page, "pointer")
    hands.turn(match.referee.legal[0].moves)
    hands.look()
    return page


def test_a_name_that_is_being_written_keeps_its_selection(site: Site) -> None:
    page = site.open()
    page.locator("input[name=opponent][value=person]").check()
    field = page.locator("input[name=name-0]")
    field.fill("Annabell")
    field.evaluate("node => { node.focus(); node.setSelectionRange(2, 5); window.field = node; }")
    page.locator("input[name=games][value='5']").evaluate(
        "node => { node.checked = true; node.dispatchEvent(new Event('change')); }"
    )
    page.locator(".lead", has_text="5 games").wait_for()
    assert has_focus(page, "field")
    selected = page.evaluate("[field.selectionStart, field.selectionEnd, field.value]")
    assert selected == [2, 5, "Annabell"]


def test_a_chosen_checker_stays_chosen_and_its_landing_keeps_the_focus(
    site: Site, page: Any
) -> None:
    if page.locator(".spot.selected").count() == 0:  # one that alone can move is chosen already
        page.locator(".can-lift").first.focus()
        page.keyboard.press("Enter")
    page.locator(".can-land").first.focus()
    page.evaluate("window.landing = document.activeElement")
    draw_again(site, page)
    assert has_focus(page, "landing")
    assert page.locator(".spot.selected").count() == 1


def test_the_list_of_turns_keeps_its_place_and_what_is_selected_in_it(
    site: Site, page: Any
) -> None:
    page.evaluate("""() => {
      const log = document.querySelector(".hand-log");
      log.style.height = "20px";
      log.style.overflow = "auto";
      log.scrollTop = 3;
      getSelection().selectAllChildren(log.querySelector("li"));
      window.before = [log.scrollTop, String(getSelection())];
    }""")
    draw_again(site, page)
    before, after = page.evaluate(
        "[before, [document.querySelector('.hand-log').scrollTop, String(getSelection())]]"
    )
    assert after == before
    assert after[1]


def test_a_turn_in_words_and_the_question_of_resigning_keep_the_focus(
    site: Site, page: Any
) -> None:
    page.locator(".as-text summary").click()
    page.locator(".text-move").nth(1).evaluate("node => { node.focus(); window.move = node; }")
    draw_again(site, page)
    assert has_focus(page, "move")
    page.locator(".more-menu summary").click()
    page.locator(".menu .resign").click()
    draw_again(site, page)
    assert page.evaluate("document.activeElement.innerText") == "No, play on"


def test_the_page_begins_when_a_silent_server_answers_again(site: Site) -> None:
    silent = "**/api/choice"
    page = site.browser.new_page(locale="en-GB")
    page.route(silent, lambda route: route.abort())
    site.show(page, site._link_token).get_by_text("The server does not answer.").wait_for()
    page.unroute(silent)
    page.locator(".choice").first.wait_for()
    assert page.get_by_text("The server does not answer.").count() == 0
    site.complaints.clear()  # what the browser says of the silence
