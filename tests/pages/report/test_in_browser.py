"""The report in a real browser: played through with keyboard and mouse, in light and dark, on a phone."""

from __future__ import annotations

import re
from typing import Final

import pytest

from tests.browser import axe_violations
from tests.fixtures.report_runs import HOSTILE, games_to_play, positions, run, words
from tests.fixtures.sitting import VASA
from tests.fixtures.small_run import FIXTURE, opened_tournament, run_of, small_run
from tests.pages.report.conftest import Open

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("ruleset", ["vasa", "backgammon", "fiske"])
def test_the_board_is_that_of_the_record(opened: Open, ruleset: str) -> None:
    rules, tab = games_to_play()[ruleset], opened(run(ruleset))
    expected = positions(rules, run(ruleset))
    for turn in (1, 2, 17, len(expected)):
        tab.go(f"{FIXTURE}/1/{turn}")
        assert tab.board == words(rules, expected[turn - 1]), f"after turn {turn}"
        assert tab.page.locator(".board .checker, .board .borne-off").count() == 30


def test_the_board_of_brandubh_is_that_of_the_record(opened: Open) -> None:
    rules, tab = games_to_play()["brandubh-1"], opened(run("brandubh-1"))
    for turn, plain in list(enumerate(positions(rules, run("brandubh-1")), start=1))[::13]:
        tab.go(f"{FIXTURE}/1/{turn}")
        squares = {
            f"{'abcdefg'[file]}{7 - row}": sign
            for row, line in enumerate(plain["board"])
            for file, sign in enumerate(line)
        }
        king = [square for square, sign in squares.items() if sign == "k"]
        white = [square for square, sign in squares.items() if sign == "w"]
        black = [square for square, sign in squares.items() if sign == "b"]
        assert tab.board == (
            f"King on {king[0]}; white warriors on {', '.join(white)}; black warriors on {', '.join(black)}"
        )


def test_keys_walk_through_a_game(opened: Open) -> None:
    tab = opened(run()).go(f"{FIXTURE}/1/0")
    last = tab.page.locator(".moves li").count() - 1
    tab.press("ArrowRight")
    assert (tab.counter, tab.sentence[:3]) == (f"1 / {last}", "1a.")
    assert "B3.1" in tab.page.locator(".details").inner_text()
    tab.press("ArrowRight", "ArrowRight")
    assert tab.sentence.startswith("1. anna rolls ")
    tab.press("ArrowLeft")
    assert tab.sentence.startswith("1b. anna rolls ")
    tab.press("End", "ArrowRight")
    assert (tab.counter, tab.sentence) == (f"{last} / {last}", "Drawn: turn limit")
    tab.page.wait_for_url(re.compile(r"/1/end$"))
    tab.press("Home", "ArrowLeft")
    assert tab.counter == f"0 / {last}"
    tab.page.wait_for_url(re.compile(r"/1/0$"))


def test_a_clause_leads_to_the_rule_and_back(opened: Open) -> None:
    tab = opened(run()).go(f"{FIXTURE}/1/1a")
    page, address = tab.page, tab.page.url
    page.locator(".details").get_by_role("button", name="B3.1").click()
    assert page.locator(".book .looked-up").inner_text().startswith("B3.1 A die moves one checker")
    assert axe_violations(page) == []
    page.locator(".book").get_by_role("link", name="the game in five minutes").first.click()
    page.locator(".book").get_by_role("button", name="Signs on the board").click()
    assert page.locator("#book-signs").is_visible()
    tab.press("Escape")
    assert page.locator(".book").is_hidden()
    assert page.url == address


def test_space_plays_and_stops(opened: Open) -> None:
    tab = opened(run()).go(f"{FIXTURE}/1/0")
    assert tab.page.locator(".sentence").get_attribute("aria-live") == "polite"
    tab.press("Space")
    assert tab.page.locator(".sentence").get_attribute("aria-live") == "off"
    tab.page.locator(".counter", has_text="1 /").wait_for()
    tab.press("Space")
    assert tab.page.get_by_role("button", name="Play (space)").count() == 1
    assert tab.page.locator(".sentence").get_attribute("aria-live") == "polite"


def test_the_mouse_chooses_a_game_and_a_turn(opened: Open) -> None:
    tab = opened(run()).go()
    tab.follow(tab.page.locator("a.game").nth(1))
    assert tab.page.locator("h1").inner_text() == "anna \N{EN DASH} bo \N{MIDDLE DOT} game 2"
    tab.page.locator(".moves a").nth(5).click()
    assert tab.counter.startswith("5 /")
    tab.page.get_by_role("button", name="Forward (right arrow)").click()
    assert tab.counter.startswith("6 /")
    tab.page.locator("input[type=range]").fill("9")
    assert tab.counter.startswith("9 /")
    tab.page.wait_for_url(re.compile(r"/2/9$"))
    tab.move(tab.page.go_back)
    assert tab.page.locator(".overview").is_visible()
    assert tab.page.locator(".replay:not(.embedded)").count() == 0
    tab.move(tab.page.go_forward)
    assert tab.counter.startswith("9 /")


def test_a_link_that_is_followed_just_as_the_address_is_to_be_written_is_followed(
    opened: Open,
) -> None:
    """The address of the turn before is written a little later: not over the one that the reader has chosen since."""
    tab = opened(run()).go(f"{FIXTURE}/1/3")
    tab.page.evaluate("""() => {
      const wait = window.setTimeout;
      window.setTimeout = (write, ms) => (ms === 250 ? (window.write = write, 0) : wait(write, ms));
    }""")
    tab.press("Home")
    assert tab.counter.startswith("0 /")
    tab.move(
        lambda: tab.page.evaluate(
            "place => { location.hash = place; window.write(); }", f"{FIXTURE}/1/9"
        )
    )
    assert tab.sentence.startswith("9. ")
    tab.page.evaluate("window.write()")
    assert tab.page.url.endswith("/1/9")


def test_a_stroke_of_the_finger_turns_the_page(opened: Open) -> None:
    tab = opened(run(), width=360, height=740, has_touch=True, is_mobile=True).go(f"{FIXTURE}/1/5")
    before = int(tab.counter.split()[0])
    for across, down, expected in ((-90, 5, before + 1), (90, 5, before), (-40, 90, before)):
        tab.page.locator(".board-box").evaluate(
            """(box, [across, down]) => {
              const finger = (kind, clientX, clientY) =>
                box.dispatchEvent(new PointerEvent(kind, {pointerType: "touch", clientX, clientY}));
              finger("pointerdown", 200, 200);
              finger("pointerup", 200 + across, 200 + down);
            }""",
            [across, down],
        )
        assert int(tab.counter.split()[0]) == expected


def test_a_link_to_a_game_that_is_not_there_says_so(opened: Open) -> None:
    tab = opened(run()).go(f"{FIXTURE}/7/3")
    assert tab.page.get_by_role("alert").inner_text() == f"Game 7 of {FIXTURE} is not in this page."
    assert tab.page.locator("#match-games").is_visible()
    tab.go("r7-anna-v-bo")
    assert (
        "There is nothing called r7-anna-v-bo in this page."
        in tab.page.get_by_role("alert").inner_text()
    )
    tab.go("%E0%A4%A")
    assert tab.page.locator(".overview").is_visible()
    assert "nothing called %E0%A4%A" in tab.page.get_by_role("alert").inner_text()
    tab.go("no-such-section")
    assert (
        "There is nothing called no-such-section in this page."
        in tab.page.get_by_role("alert").inner_text()
    )
    tab.go(f"{FIXTURE}/1/999")
    assert (
        tab.page.get_by_role("alert").inner_text()
        == f"Game 1 of {FIXTURE} has no turn 999; this is its start."
    )
    assert tab.counter.startswith("0 /")
    tab.go("standings")
    assert not tab.page.get_by_role("alert").is_visible()


def test_hostile_names_are_text(opened: Open) -> None:
    tab = opened(run()).go()
    assert tab.page.locator("h1").first.inner_text() == HOSTILE
    assert HOSTILE in tab.page.locator("#standings").inner_text()
    tab.follow(tab.page.locator("a.game").first)
    tab.press("ArrowRight", "ArrowRight", "ArrowRight")
    assert HOSTILE in tab.page.locator(".plate").first.inner_text()
    assert "onerror=" in tab.page.locator(".details").inner_text()
    assert tab.page.locator("img").count() == 0
    assert tab.page.title() != "taken"


@pytest.mark.parametrize("place", ["", f"{FIXTURE}/1/3", "bot/anna"])
def test_a_phone_never_scrolls_sideways(opened: Open, place: str) -> None:
    """Tables do, each in its box; in Swedish, where words are longer."""
    tab = opened(run(), width=360, height=740, locale="sv-SE").go(place)
    assert tab.overflow() == 0
    if not place:
        widest = tab.page.locator(".scroll").evaluate_all(
            "boxes => Math.max(...boxes.map(box => box.scrollWidth))"
        )
        assert widest > 360


NAME_CELLS: Final = {
    "standings": "#standings .second-is-name td:nth-child(2)",
    "strength": "#standings .numbers:not(.second-is-name) tbody th",
    "cross-table": "#crosstable tbody th",
    "forfeits": "#conduct .numbers tbody th",
}


@pytest.mark.parametrize("cells", NAME_CELLS.values(), ids=NAME_CELLS.keys())
def test_the_longest_name_stays_in_sight_and_leaves_room_for_figures_on_a_phone(
    opened: Open, cells: str
) -> None:
    tab = opened(run(), width=390, height=844).go()
    where = tab.page.evaluate(
        """(cells) => {
            const names = [...document.querySelectorAll(cells)];
            for (const cell of names) cell.textContent = "entrant-with-a-long-name-no-01-x";
            const box = names[0].closest(".scroll");
            names[0].parentElement.lastElementChild.textContent = "6".repeat(100);
            box.scrollLeft = 10_000;
            const [cell, frame] = [names[0].getBoundingClientRect(), box.getBoundingClientRect()];
            return { moved: box.scrollLeft, left: cell.left - frame.left, share: cell.width / frame.width };
        }""",
        cells,
    )
    assert where["moved"] > 100
    assert 0 <= where["left"] < 5
    assert where["share"] < 0.5


@pytest.mark.parametrize("box", ["#standings .scroll", "#crosstable .scroll", "#conduct .scroll"])
def test_a_table_shows_that_there_is_more_beside_it(opened: Open, box: str) -> None:
    tab = opened(run(), width=390, height=844).go()
    found = tab.page.locator(box).first.evaluate(
        "box => getComputedStyle(box).backgroundAttachment"
    )
    assert found.split(", ")[:4] == ["local", "local", "scroll", "scroll"]


def test_the_longest_names_do_not_widen_the_standings_beyond_a_window(opened: Open) -> None:
    tab = opened(run(), width=1280).go()
    width = tab.page.evaluate(
        """() => {
            const box = document.querySelector("#standings .scroll");
            for (const row of box.querySelectorAll("tr")) {
                for (const heading of ["out in round", "note"]) {
                    const cell = row.lastElementChild.cloneNode();
                    cell.textContent = row.parentElement.localName === "thead" ? heading : "withdrawn, results stand";
                    row.append(cell);
                }
            }
            for (const cell of box.querySelectorAll("td:nth-child(2)")) cell.textContent = "Bräde " + "N".repeat(54);
            return box.scrollWidth - box.clientWidth;
        }"""
    )
    assert width == 0


def test_dark_follows_the_system_until_the_reader_chooses(opened: Open) -> None:
    tab = opened(run(), color_scheme="dark").go()
    paper = "getComputedStyle(document.documentElement).backgroundColor"
    dark = tab.page.evaluate(paper)
    tab.page.get_by_role("button", name="☀ Light").click()
    light = tab.page.evaluate(paper)
    assert brightness(dark) < 60
    assert brightness(light) > 200
    tab.page.reload()
    assert tab.page.evaluate(paper) == light


def brightness(colour: str) -> float:
    numbers = [float(number) for number in re.findall(r"[\d.]+", colour)[:3]]
    return sum(numbers) / 3


def test_void_attempts_and_forfeits_are_links(opened: Open) -> None:
    tab = opened(small_run()).go()
    links = tab.page.locator("#conduct a")
    shown = []
    for place in range(links.count()):
        tab.follow(links.nth(place))
        shown.append(tab.sentence)
        tab.go()
    assert ["wins by forfeit" in one for one in shown] == [True] * 2 + [False] * 6
    assert ["is gone" in one for one in shown[2:5]] == [True] * 3
    assert ["rejected" in one for one in shown[5:]] == [True] * 3
    tab.follow(links.first)
    assert tab.sentence == "anna wins by forfeit (illegal turns): 6 points"
    assert (
        "More illegal turns than the tournament forgives in a game (1)"
        in tab.page.locator(".details").inner_text()
    )
    tab.go(f"{FIXTURE}~1/1/0")
    assert "attempt 1" in tab.page.locator(".replay").inner_text()
    assert "void" in tab.page.locator(".replay").inner_text()


def test_the_list_of_matches_can_be_searched(opened: Open) -> None:
    tab = opened(small_run()).go()
    search = tab.page.get_by_label("Find")
    for wanted, told in (
        ("forfeit anna", "2 games of 4"),
        ("tower", "No game is found."),
        ("", "4 games"),
    ):
        search.fill(wanted)
        tab.page.locator(
            "#games [role=status]", has_text=re.compile(f"^{re.escape(told)}$")
        ).wait_for()
    points = tab.page.locator("#games tbody td:nth-child(7)")
    assert points.all_inner_texts() == ["0", "6", "6", "\N{EN DASH}"]
    tab.page.get_by_role("button", name="points").click()
    assert points.all_inner_texts() == ["6", "6", "0", "\N{EN DASH}"]
    tab.page.get_by_role("button", name="points").click()
    assert tab.page.locator("#games th").nth(6).get_attribute("aria-sort") == "ascending"
    assert tab.page.evaluate("document.activeElement.textContent").startswith("points")


def test_the_report_opens_with_a_game(opened: Open) -> None:
    tab = opened(run()).go()
    featured = tab.page.locator("#featured")
    assert (
        "It has the " in featured.inner_text() or "It is the longest game" in featured.inner_text()
    )
    assert tab.page.locator("section").first.get_attribute("id") == "featured"
    assert " wins by " in tab.sentence
    featured.locator("input[type=range]").focus()
    tab.page.locator("#featured .moves").focus()
    tab.press("Home")
    assert tab.counter.startswith("0 /")
    tab.follow(tab.page.locator("#games a.game").first)
    assert tab.page.locator(".replay").count() == 1
    tab.go()
    assert tab.page.locator("#featured .replay").count() == 1


def test_the_opening_game_shows_the_turn_at_which_it_stands(opened: Open) -> None:
    tab = opened(run(), height=600).go()
    assert tab.page.evaluate("document.querySelector('#featured .moves').scrollTop") > 0
    where = "one => one.getBoundingClientRect().bottom"
    marked = tab.page.locator("#featured .moves [aria-current]").evaluate(where)
    assert marked <= tab.page.locator("#featured .moves").evaluate(where) + 1


def test_what_happened_needs_no_scrolling_on_a_phone(opened: Open) -> None:
    """The reason stands below, and not off-screen."""
    tab = opened(small_run(), width=390, height=844).go()
    box = tab.page.locator(".scroll:has(.stacked)")
    assert box.evaluate("box => box.scrollWidth <= box.clientWidth")
    assert tab.page.locator(".stacked .prose").first.bounding_box()["x"] < 60
    assert tab.overflow() == 0


def test_the_column_that_decides_is_in_sight_on_a_phone(opened: Open) -> None:
    tab = opened(run(), width=390, height=844).go()
    edge = tab.page.locator("#standings .scroll").first.bounding_box()
    cell = tab.page.locator("#standings tbody td strong").first.bounding_box()
    assert cell["x"] + cell["width"] < edge["x"] + edge["width"]
    assert "Best games: the points of won games" in tab.page.locator("#standings").inner_text()


def test_names_lead_to_the_page_of_a_bot(opened: Open) -> None:
    tab = opened(run()).go()
    tab.follow(tab.page.locator("#standings a", has_text="anna"))
    assert tab.page.locator("h1").inner_text() == "anna"
    assert HOSTILE in tab.page.locator(".bot").inner_text()
    assert tab.page.locator("#against tbody th").all_inner_texts() == ["bo"]
    tab.follow(tab.page.locator("#matches a", has_text=FIXTURE))
    assert tab.page.locator("#match-games tbody tr").count() == 3


def test_a_run_without_games_is_shown(opened: Open) -> None:
    tab = opened(run_of(opened_tournament(rules=VASA), is_finished=False)).go()
    assert "No game is over yet." in tab.page.locator("#games").inner_text()


def test_everything_has_a_name_and_a_place(opened: Open) -> None:
    tab = opened(run())
    for place in ("", f"{FIXTURE}/1/3"):
        tab.go(place)
        assert tab.page.locator("h1:visible").count() == 1
        for landmark in ("banner", "main", "contentinfo"):
            assert tab.page.get_by_role(landmark).count() == 1
        nameless = tab.page.locator("button, a, input, [role=img], [role=region]").evaluate_all(
            "nodes => nodes.filter(node => !(node.ariaLabel || node.labels?.length || node.textContent.trim())).length"
        )
        assert nameless == 0
