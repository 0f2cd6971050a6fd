"""What is in sight of a tournament: who leads, boards beside it or behind tabs, cards, and calm while it comes up."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from arena.pages.page import page_of
from arena.pages.report.building import report_of
from arena.records.files import TOURNAMENT_RECORD
from tests.browser import axe_violations, watch_shifts
from tests.fixtures.asked_pages import add, joined, lines_of, write_run
from tests.fixtures.small_run import Files
from tests.pages.live.crowded_run import (
    IN_PLAY,
    LONG_NAMES,
    bracket_run,
    crowded_run,
    finished_run,
    next_match,
)
from tests.pages.live.test_by_hand_in_browser import Playing
from tests.pages.live.test_in_browser import RunSite, overflow

pytestmark = pytest.mark.slow
DESKTOP = {"width": 1366, "height": 768}
LARGE = {"width": 1920, "height": 1080}
PHONE = {"width": 390, "height": 844}
SIDEWAYS = {"width": 844, "height": 390}
MOST_SHIFT = 0.1
Show = Callable[..., Any]

ENTRANTS = "async () => (await (await fetch('api/run')).json()).run.entrants.slice(0, 8)"


@pytest.fixture
def crowded(browser: Any, tmp_path: Path) -> Iterator[RunSite]:
    """A run with 24 matches in play, which nobody changes."""
    site = RunSite(browser, write_run(tmp_path / "crowded", crowded_run()))
    yield site
    site.close()
    site.watcher.close()


@pytest.fixture
def show(browser: Any, tmp_path: Path) -> Iterator[Show]:
    """Serves a run, and opens its first page or another place."""
    sites: list[RunSite] = []

    def begin(files: Files, viewport: dict[str, int], place: str = "") -> Any:
        sites.append(RunSite(browser, write_run(tmp_path / f"run-{len(sites)}", files)))
        return sites[-1].open(place, viewport=viewport, locale="en-GB")

    yield begin
    for site in sites:
        site.close()
        site.watcher.close()


def seen(site: RunSite, viewport: dict[str, int], place: str = "", **context: Any) -> Any:
    page = site.browser.new_page(viewport=viewport, **{"locale": "en-GB", **context})
    page.add_init_script(watch_shifts())
    site.show(page, place)
    page.locator(".match .board, .leading").first.wait_for()
    return page


def long_match() -> str:
    """The match between the two long names."""
    names = [name for name in crowded_run() if "e01-v-e02" in name or "e02-v-e01" in name]
    return names[0].removeprefix("matches/").removesuffix(".jsonl")


# Who leads

TOP_OF_THE_TABLE = """() => {
  const box = document.querySelector(".leading")?.getBoundingClientRect();
  return box && box.height > 0 && box.top;
}"""
"""The first eight once they are drawn: news may draw them anew at any moment."""


@pytest.mark.parametrize("viewport", [DESKTOP, LARGE, PHONE], ids=["1366", "1920", "390"])
def test_the_table_begins_within_the_first_screen(
    crowded: RunSite, viewport: dict[str, int]
) -> None:
    page = seen(crowded, viewport)
    assert page.locator(".card").count() == IN_PLAY
    top = page.wait_for_function(TOP_OF_THE_TABLE).json_value()
    assert top + 100 < viewport["height"]
    assert "can still catch" in page.locator("#leaders .news").inner_text()
    assert overflow(page) == 0


def test_five_boards_in_a_row_stand_beside_the_first_eight(crowded: RunSite) -> None:
    page = seen(crowded, LARGE)
    tops = page.locator(".card").evaluate_all(
        "(cards) => cards.map((card) => Math.round(card.getBoundingClientRect().top))"
    )
    assert tops.count(tops[0]) == 5
    rows = page.locator(".leading tbody tr")
    rows.nth(7).wait_for()
    assert rows.count() == 8
    boards, table = page.locator(".cards").bounding_box(), page.locator(".leading").bounding_box()
    assert boards["x"] + boards["width"] <= table["x"]
    assert rows.nth(7).bounding_box()["y"] < LARGE["height"]
    headings = page.locator(".leading thead th").all_inner_texts()
    assert headings[1:] == ["entrant", "played", "match points", "points"]


def test_a_change_of_place_is_shown_and_said(crowded: RunSite) -> None:
    page = seen(crowded, DESKTOP)
    moved = [row["moved"] for row in page.evaluate(ENTRANTS) if row.get("moved")]
    changes = page.locator(".leading .change").all()
    assert len(changes) == len(moved) > 0
    for change, places in zip(changes, moved, strict=True):
        words = f"{'up' if places > 0 else 'down'} by {abs(places)}"
        assert change.get_attribute("title") == words
        assert words in change.text_content()


def test_facts_of_the_run_stay_open_while_it_goes_on(browser: Any, tmp_path: Path) -> None:
    files = crowded_run()
    *log, last = lines_of(files[TOURNAMENT_RECORD])
    files[TOURNAMENT_RECORD] = joined(log)
    site = RunSite(browser, write_run(tmp_path / "run", files))
    page = site.open(viewport=DESKTOP, locale="en-GB")
    facts = page.locator("details.facts")
    facts.wait_for()
    assert "Played from" not in facts.inner_text()
    facts.locator("summary").click()
    assert "Played from" in facts.inner_text()
    page.evaluate("document.querySelector('h1').dataset.old = ''")
    add(site.folder, TOURNAMENT_RECORD, [last])
    page.wait_for_function("() => !('old' in document.querySelector('h1').dataset)")
    assert "Played from" in facts.inner_text()
    site.close()
    site.watcher.close()


# Tabs


def test_a_phone_has_tabs_for_boards_table_and_games(crowded: RunSite) -> None:
    page = seen(crowded, PHONE)
    tabs = page.get_by_role("tab")
    assert tabs.all_inner_texts() == ["Boards", "Table", "Games"]
    assert page.get_by_role("tabpanel").count() == 1
    tabs.nth(0).focus()
    page.keyboard.press("ArrowRight")
    assert tabs.nth(1).get_attribute("aria-selected") == "true"
    assert tabs.nth(1).evaluate("(tab) => tab === document.activeElement && tab.tabIndex === 0")
    assert page.locator("#standings table").is_visible()
    assert not page.locator(".card").first.is_visible()
    assert page.url.endswith("#standings")
    page.keyboard.press("End")
    assert page.locator("#filter").is_visible()
    page.keyboard.press("ArrowRight")
    assert page.locator(".card").first.is_visible()
    assert axe_violations(page) == []


def test_the_tab_is_kept_when_the_reader_comes_back(crowded: RunSite) -> None:
    page = seen(crowded, PHONE)
    page.get_by_role("tab", name="Games").click()
    page.locator(".games-table .game").first.click()
    page.locator(".moves").wait_for()
    page.go_back()
    page.locator("#filter").wait_for()
    assert page.get_by_role("tab", name="Games").get_attribute("aria-selected") == "true"
    assert not page.locator(".card").first.is_visible()


def test_a_wide_window_has_no_tabs(crowded: RunSite) -> None:
    page = seen(crowded, PHONE)
    page.get_by_role("tab", name="Table").click()
    page.set_viewport_size(DESKTOP)
    page.locator(".card").first.wait_for()
    assert page.get_by_role("tab").count() == page.get_by_role("tabpanel").count() == 0
    assert page.locator("#standings table").is_visible()


# Cards and matches


def test_a_card_cuts_names_and_never_the_move(crowded: RunSite) -> None:
    page = seen(crowded, LARGE)
    card = page.locator(f".card[href='#{long_match()}']")
    card.scroll_into_view_if_needed()
    turn = card.locator(".turn-words")
    turn.wait_for()
    for name in card.locator(".name").all():
        assert name.evaluate("({firstChild: own}) => own.scrollWidth > own.clientWidth")
    words, edge = turn.bounding_box(), card.bounding_box()
    assert words["x"] + words["width"] <= edge["x"] + edge["width"]
    assert turn.evaluate("(node) => node.scrollWidth <= node.clientWidth || !node.clientWidth")


def test_a_card_tells_pips_chances_and_checkers_on_the_bar(crowded: RunSite) -> None:
    page = seen(crowded, LARGE)
    chances = page.locator(".card .chances:not(.unknown)").first
    chances.wait_for()
    assert "Chance to win the game: " in chances.get_attribute("aria-label")
    assert page.locator(".card .pips").first.inner_text().startswith("pips ")
    notes = [text for text in page.locator(".card .note").all_inner_texts() if text]
    assert all(text.startswith("bar ") and ", free " in text for text in notes)


def test_the_first_letter_of_each_name_is_in_sight(crowded: RunSite) -> None:
    page = seen(crowded, LARGE)
    page.locator(".card .turn-words").first.wait_for()
    hidden = page.locator(".card .name bdi").evaluate_all("""(names) => names.filter((name) => {
      const range = document.createRange();
      range.setStart(name.firstChild, 0);
      range.setEnd(name.firstChild, 1);
      const [letter, box] = [range, name.parentElement].map((part) => part.getBoundingClientRect());
      return letter.left < box.left - 1 || letter.right > box.right + 1;
    }).length""")
    assert hidden == 0


def test_pips_stand_beside_the_turn(crowded: RunSite) -> None:
    page = seen(crowded, LARGE)
    page.locator(".card .turn-words").first.wait_for()
    heights = page.locator(".card .state").evaluate_all(
        "(states) => states.map((state) => state.offsetHeight)"
    )
    assert max(heights) < 30


def test_a_run_without_an_evaluator_keeps_no_room_for_chances(crowded: RunSite) -> None:
    crowded.watcher.chances.are_possible = False
    page = seen(crowded, DESKTOP)
    page.locator(".card .turn-words").first.wait_for()
    assert page.locator(".card .chances").first.evaluate("(bar) => bar.offsetHeight") == 0


def test_a_low_window_has_the_tabs_in_sight(crowded: RunSite) -> None:
    page = seen(crowded, SIDEWAYS)
    box = page.locator(".tabs").bounding_box()
    assert box["y"] + box["height"] <= SIDEWAYS["height"]


def test_a_match_on_a_phone_has_plates_of_a_line(crowded: RunSite) -> None:
    page = seen(crowded, PHONE, long_match())
    page.locator(".plate").last.wait_for()
    heights = page.locator(".plate").evaluate_all(
        "(plates) => plates.map((plate) => plate.offsetHeight)"
    )
    assert max(heights) < 50


def test_long_names_leave_the_result_of_a_game_in_sight(show: Show) -> None:
    page = show(finished_run(), DESKTOP)
    page.locator(".games-table .game").first.wait_for()
    box = page.locator("#games .scroll")
    assert box.evaluate("(box) => box.scrollWidth <= box.clientWidth")


def test_long_names_leave_the_list_of_turns_its_room(crowded: RunSite) -> None:
    page = seen(crowded, DESKTOP, long_match())
    box = page.locator(".moves").bounding_box()
    assert box["height"] >= 112
    assert box["y"] + box["height"] <= page.locator(".controls").bounding_box()["y"] + 1
    near = page.locator(".plate.near").bounding_box()
    assert near["y"] + near["height"] <= DESKTOP["height"]
    assert near["height"] < 50
    assert page.locator(".match-head").bounding_box()["height"] < 30


def test_one_plate_alone_is_lit(crowded: RunSite) -> None:
    page = seen(crowded, DESKTOP, long_match())
    page.locator(".plate.thinking").wait_for()
    lit = page.locator(".plate").evaluate_all(
        "(plates) => plates.filter((plate) => getComputedStyle(plate).borderTopColor !== 'rgba(0, 0, 0, 0)').length"
    )
    assert lit == 1


def test_a_match_page_says_first_who_won_it(show: Show) -> None:
    page = show(finished_run(), DESKTOP, "r1-e01-v-e24")
    head = page.locator(".match-head .state")
    head.wait_for()
    assert " won on points, " in head.inner_text()


# Calm while it comes up


@pytest.mark.parametrize("viewport", [DESKTOP, PHONE], ids=["1366", "390"])
@pytest.mark.parametrize("is_match", [False, True], ids=["first page", "match"])
def test_nothing_jumps_while_a_page_comes_up(
    crowded: RunSite, viewport: dict[str, int], is_match: bool
) -> None:
    page = seen(crowded, viewport, long_match() if is_match else "")
    page.locator(".board").first.wait_for()
    page.wait_for_timeout(1500)
    assert page.evaluate("window.shift") <= MOST_SHIFT


PLACES_ARE_KEPT = """() => {
  const { setTimeout } = window;
  window.setTimeout = (act, ms) => setTimeout(act, ms < 3000 ? ms : 60000);
}"""
"""A script that has a board whose match is over stay a minute: on a busy machine the next one is late."""


def test_a_match_that_ends_moves_no_other_board(crowded: RunSite) -> None:
    ended, begun, following = next_match(crowded_run())
    page = seen(crowded, DESKTOP)
    place = "document.querySelector('.cards').children[0].dataset.fixture"
    assert page.evaluate(place) == ended
    page.evaluate(PLACES_ARE_KEPT)
    for name, data in following.items():
        add(crowded.folder, name, lines_of(data))
    page.wait_for_function(f"() => {place} === '{begun}'")
    assert page.locator(".cards > li").count() == IN_PLAY


def test_the_first_paint_has_a_header_and_an_empty_board(crowded: RunSite) -> None:
    page = crowded.browser.new_page(viewport=DESKTOP, java_script_enabled=False)
    crowded.show(page)
    assert page.locator("header .home").is_visible()
    assert page.locator("main svg.board").is_visible()
    assert page.locator("footer").bounding_box()["y"] >= DESKTOP["height"] - 60


# A run that is over, its bracket, and paper


def test_a_finished_run_begins_with_the_winner(show: Show) -> None:
    page = show(finished_run(), DESKTOP)
    page.locator("#standings table").wait_for()
    assert page.locator("h1 + .news").inner_text().startswith(LONG_NAMES["e01"])
    assert page.locator("#now").count() == 0
    assert "Now playing" not in page.locator("main").inner_text()


def test_a_printed_cross_table_keeps_all_its_columns(show: Show) -> None:
    page = show(finished_run(), DESKTOP)
    page.locator("#crosstable table").wait_for()
    page.emulate_media(media="print")
    page.set_viewport_size({"width": 718, "height": 1000})  # A4 with its margins
    page.wait_for_function("innerWidth === 718")
    box = page.locator("#crosstable .scroll")
    assert box.locator("tbody tr").first.locator("td").count() == 24
    assert box.evaluate("(box) => box.scrollWidth <= box.clientWidth")
    right = "(row) => row.lastElementChild.getBoundingClientRect().right"
    assert box.locator("tbody tr").first.evaluate(right) <= 718


def test_on_a_phone_the_bracket_is_followed_to_the_final(show: Show) -> None:
    page = show(bracket_run(), PHONE, "pairings")
    final = page.locator(".bracket-round").last
    final.wait_for()
    right = "[...document.querySelectorAll('.bracket-round')].at(-1).getBoundingClientRect().right"
    page.wait_for_function(f"() => {right} > innerWidth")
    page.locator(".rounds-of-bracket button").last.click()
    page.wait_for_function(f"() => {right} <= innerWidth")
    assert final.locator(".side.ahead").inner_text().startswith("e01")
    top = "document.querySelector('.bracket-round:last-child .pairing').getBoundingClientRect().top"
    assert page.evaluate(top) < PHONE["height"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("viewport", [DESKTOP, SIDEWAYS], ids=["1366", "844"])
def test_a_screen_reader_finds_nothing_amiss_beside_the_boards(
    crowded: RunSite, viewport: dict[str, int], scheme: str
) -> None:
    page = seen(crowded, viewport, color_scheme=scheme, locale="sv-SE")
    page.locator(".card .board").first.wait_for()
    assert axe_violations(page) == []
    assert overflow(page) == 0


@pytest.mark.parametrize("viewport", [DESKTOP, PHONE], ids=["1366", "390"])
def test_nothing_jumps_while_a_report_comes_up(
    browser: Any, tmp_path: Path, viewport: dict[str, int]
) -> None:
    report = tmp_path / "report.html"
    report.write_text(page_of(report_of(finished_run(), games="all")), encoding="utf-8")
    page = browser.new_page(viewport=viewport)
    page.add_init_script(watch_shifts())
    page.goto(report.as_uri())
    page.locator("#standings table").first.wait_for()
    page.wait_for_timeout(1000)
    assert page.evaluate("window.shift") <= MOST_SHIFT
    page.close()


@pytest.mark.parametrize("viewport", [DESKTOP, PHONE], ids=["1366", "390"])
def test_nothing_jumps_while_the_page_of_playing_comes_up(
    browser: Any, tmp_path: Path, viewport: dict[str, int]
) -> None:
    playing = Playing(browser, tmp_path, ready=".choice", viewport=viewport)
    page = playing.context.new_page()
    page.add_init_script(watch_shifts())
    page.goto(playing.link)
    page.locator(".choice").wait_for()
    page.wait_for_timeout(1000)
    assert page.evaluate("window.shift") <= MOST_SHIFT
    playing.end()


@pytest.mark.parametrize("viewport", [DESKTOP, LARGE], ids=["1366", "1920"])
def test_the_panel_beside_the_board_of_a_person_has_its_width(
    browser: Any, tmp_path: Path, viewport: dict[str, int]
) -> None:
    playing = Playing(browser, tmp_path, "greedy", viewport=viewport)
    board = playing.page.locator("svg.board").first.bounding_box()
    panel = playing.page.locator(".panel").bounding_box()
    playing.end()
    assert panel["width"] >= 256
    assert board["y"] + board["height"] <= viewport["height"]
