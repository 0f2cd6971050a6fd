"""Lessons, the book, arrow keys and dragging, in Chromium."""

from __future__ import annotations

import random
from typing import Any

import pytest

from arena.games import load_game
from arena.person.lessons import lessons
from tests.browser import axe_violations
from tests.pages.live.hand_matches import Site

pytestmark = pytest.mark.slow

CLICKS = 60


def learn(page: Any, lesson: str) -> None:
    """Choose a lesson from the list, wherever it is shown."""
    number = list(lessons().by_name).index(lesson)
    page.evaluate(f"document.querySelectorAll('.lessons button')[{number}].click()")
    page.locator(".lesson .task").wait_for()


def test_random_clicks_on_the_page_solve_no_lesson(site: Site) -> None:
    """Anything that can be pressed on board and panel, but for what leaves the lesson."""
    page = site.open()
    chance = random.Random("clicks")
    place_of = """(roll) => {
      const all = [...document.querySelectorAll(
        '.hand-table button:enabled, .hand-table .spot[role=button] rect, .hand-table .die')]
        .filter((node) => !node.closest('.lesson-foot, details, .switches, .skip'));
      const node = all[Math.floor(roll * all.length)];
      if (!node) return null;
      node.scrollIntoView({ block: 'nearest' });
      const { left, top, width, height } = node.getBoundingClientRect();
      return [left + width / 2, top + height / 2];
    }"""
    for lesson in ("start", "closed", "jan", "door"):
        learn(page, lesson)
        for _ in range(CLICKS):
            place = page.evaluate(place_of, chance.random())
            if place is None:  # the last page
                learn(page, lesson)
                continue
            page.mouse.click(*place)
    kept = page.evaluate("localStorage.getItem('arena-solved') ?? ''")
    assert kept.split() == []
    page.close()  # no answer comes any more
    refusals = [words for words in site.complaints if "status of 409" in words]
    assert refusals, "the clicks try what the referee refuses"
    site.complaints = [words for words in site.complaints if words not in refusals]


def test_a_lesson_tells_a_hint_in_words_and_then_shows_numbers(site: Site) -> None:
    page = site.open()
    learn(page, "staircase")
    hint = page.locator(".lesson").get_by_role("button", name="Hint")
    hint.click()
    page.get_by_text("Compare each point: three, five, seven.").wait_for()
    assert page.get_by_role("button", name="Show me").count() == 0, "a number is asked for"
    page.get_by_role("button", name="0", exact=True).click()
    page.locator(".lesson.bad").get_by_text("Not that.").wait_for()
    page.get_by_role("button", name="1", exact=True).click()
    page.locator(".lesson.good").wait_for()
    page.locator(".lesson").get_by_role("button", name="Next").click()
    page.locator(".lesson").get_by_role("button", name="Hint").click()
    page.locator(".lesson").get_by_role("button", name="Show me").click()
    page.locator(".hint").first.wait_for()
    assert "19/24" in page.locator(".hint").first.inner_text()
    page.locator(".lesson").get_by_role("button", name="Back").click()
    page.get_by_text("step 1 of 4").wait_for()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_last_page_leads_into_a_match(site: Site, scheme: str) -> None:
    page = site.open(color_scheme=scheme)
    learn(page, "monk")
    page.get_by_role("button", name="2", exact=True).click()
    page.locator(".lesson.good").wait_for()
    assert axe_violations(page) == [], "a lesson"
    for step, moves in ((2, ((20, 22), (22, 25))), (3, ((17, 19), (19, 20)))):
        page.locator(".lesson .main").click()
        page.get_by_text(f"step {step} of").wait_for()
        for start, target in moves:
            lift = page.locator(f".spot[data-slot='{start}'] rect")
            lift.drag_to(page.locator(f".spot[data-slot='{target}'] rect"), force=True)
            page.locator(".hand-sentence").get_by_text(str(target % 25 or "off")).wait_for()
        page.get_by_role("button", name="Play the turn").click()
        page.locator(".lesson.good").wait_for()
    page.locator(".lesson-foot", has_text="1 of 17 lessons solved").wait_for()
    page.get_by_role("button", name="To the end").click()
    page.get_by_role("heading", name="You know the game").wait_for()
    assert page.get_by_role("img", name="solved").count() == 1
    assert axe_violations(page) == [], "the last page"
    page.get_by_role("button", name="Back", exact=True).click()
    page.locator(".lesson").wait_for()
    page.get_by_role("button", name="To the end").click()
    page.get_by_role("button", name="Play against greedy").wait_for()


# The book


def test_a_key_opens_the_book_the_way_back_closes_it_and_a_search_finds_a_rule(site: Site) -> None:
    page = site.open(locale="sv-SE")
    address = page.url
    page.keyboard.press("?")
    page.locator("#book-signs").wait_for()
    page.get_by_role("searchbox", name="Sök i boken").fill("SPRÄNGJAN")
    found = page.locator(".book-results button")
    found.filter(has_text="B9.2 En jan är sprängjan").click()
    assert page.locator(".looked-up").inner_text().startswith("B9.2 En jan är")
    assert axe_violations(page) == []
    page.get_by_role("searchbox").fill("xyzzy")
    page.get_by_text("Inget hittades.").wait_for()
    page.go_back()
    page.locator(".book").wait_for(state="hidden")
    page.keyboard.press("?")
    page.locator(".book").wait_for()
    page.get_by_role("searchbox").fill("?")
    assert page.locator(".book").is_visible()
    page.keyboard.press("Escape")  # empties the field in some browsers, and closes the book
    page.keyboard.press("Escape")
    page.locator(".book").wait_for(state="hidden")
    page.wait_for_function("() => !history.state?.book")
    assert page.url == address


@pytest.mark.parametrize("width", [1366, 390, 320])
def test_the_glossary_is_no_wider_than_the_book(site: Site, width: int) -> None:
    page = site.open(viewport={"width": width, "height": 700})
    page.keyboard.press("?")
    page.locator(".book").get_by_role("button", name="Glossary").click()
    page.locator("#book-glossary td").first.wait_for()
    box = "document.querySelector('.chapters')"
    assert page.evaluate(f"{box}.scrollWidth - {box}.clientWidth") == 0
    narrowest = page.evaluate(
        """() => Math.min(...[...document.querySelectorAll('#book-glossary tbody tr')].map(
          (row) => Math.max(...[...row.cells].map((cell) => cell.offsetWidth))))"""
    )
    assert narrowest > 150, "what a word means has room"


# At the board


def test_arrow_keys_go_to_the_place_beside_above_and_below(site: Site) -> None:
    page = site.open()
    site.begin(load_game("backgammon"), seed=bytes([32]) * 32)
    page.locator(".can-lift").first.wait_for()
    places = """() => Object.fromEntries([...document.querySelectorAll('.spot[tabindex]')].map(
      (spot) => [spot.dataset.slot, spot.querySelector('rect').getBoundingClientRect().toJSON()]))"""
    middles = {
        slot: (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        for slot, box in page.evaluate(places).items()
    }
    focused = "document.activeElement.dataset.slot"
    for slot, (x, y) in middles.items():
        row = {other: at[0] - x for other, at in middles.items() if abs(at[1] - y) < 2}
        right = [other for other in row if row[other] > 0]
        left = [other for other in row if row[other] < 0]
        above = [other for other, at in middles.items() if at[1] < y - 2]
        nearest = {
            "ArrowRight": min(right, key=lambda other: row[other], default=slot),
            "ArrowLeft": max(left, key=lambda other: row[other], default=slot),
            "ArrowUp": min(above, key=lambda other: abs(middles[other][0] - x), default=slot),
        }
        for key, expected in nearest.items():
            page.locator(f".spot[data-slot='{slot}']").focus()
            page.keyboard.press(key)
            assert page.evaluate(focused) == expected, (slot, key)


def test_a_dragged_checker_is_off_its_stack_and_nothing_is_marked(site: Site) -> None:
    page = site.open()
    learn(page, "start")
    mouse = page.mouse
    pile = page.locator(".spot[data-slot='1'] rect").bounding_box()
    mouse.move(pile["x"] + pile["width"] / 2, pile["y"] + pile["height"] - 20)
    count = page.locator(".board .count.seat-1")
    assert count.text_content() == "15"
    mouse.down()
    mouse.move(pile["x"] + 200, pile["y"] + 60, steps=4)
    assert page.locator(".ghost").count() == 1
    assert count.text_content() == "14"
    assert page.locator(".board .moved-mark, .board .moved, .board .left-from").count() == 0
    page.keyboard.press("Tab")
    mouse.move(4, 4)
    mouse.up()
    assert page.locator(".ghost").count() == 0
    assert count.text_content() == "15"
