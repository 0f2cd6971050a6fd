"""The board of the report in a real browser: motion, both views, arrows, files and links."""

from __future__ import annotations

import pytest

from tests.browser import HOLD_SLIDES
from tests.fixtures.report_runs import positions, run, words
from tests.fixtures.sitting import VASA
from tests.fixtures.small_run import FIXTURE, small_run
from tests.pages.report.conftest import Open
from tests.pages.report.test_colours import contrast, linear

pytestmark = pytest.mark.slow

EVERYWHERE = {"tables": "b" + "B" + "." * 22 + "aAbB0000", "brandubh": "bwk" + "." * 46}
"""Positions with checkers in every kind of place."""
DRAWN = """(position) => {
  const { run: { board } } = JSON.parse(document.getElementById("report").textContent);
  const frame = { kind: "start", position, dice: "", mover: 1 };
  const draws = (before) => module_replay.BOARDS[board.kind](board, ["", ""], { ...frame, before }, false);
  const box = document.querySelector(".board").parentNode;
  box.replaceChildren(draws(position), draws(position.replace(/[a-z]/gi, ".")));
  const scale = box.querySelector(".board").getScreenCTM().a;
  const hex = (colour) => "#" + colour.match(/\\d+/g).map((one) => Number(one).toString(16).padStart(2, "0")).join("");
  const drawn = (selector, told) => [...new Set([...box.querySelectorAll(selector)].map(told))];
  return [drawn(".frame, .field, .square, .point", (one) => hex(getComputedStyle(one).fill)),
    drawn(".checker, .borne-off", (one) => {
      const style = getComputedStyle(one.querySelector(".body") ?? one);
      const pixels = parseFloat(style.strokeWidth) * (style.vectorEffect === "non-scaling-stroke" ? 1 : scale);
      return [one.getAttribute("class"), hex(style.fill), hex(pixels >= 2 ? style.stroke : style.fill)].join("; ");
    })];
}"""
"""The colours of what checkers may stand on; of each kind of checker its fill, and its rim if that
is wide enough."""


def test_checkers_slide_to_where_they_go(opened: Open) -> None:
    """Of the turn that is stepped to, and not where the reader wants no motion; the words tell at once what comes."""
    for motion, slides in (("no-preference", True), ("reduce", False)):
        tab = opened(run(), reduced_motion=motion).go(f"{FIXTURE}/1/2")
        tab.page.evaluate(HOLD_SLIDES)  # nothing ever arrives
        tab.press("ArrowRight")
        assert tab.sentence.startswith("3. ")
        assert tab.board == words(VASA, positions(VASA, run())[2])
        assert (tab.page.locator(".arrow").count() == 0) is slides
        tab.press("ArrowLeft")
        assert tab.page.locator(".arrow").count() > 0
        tab.press("ArrowRight", "ArrowRight")  # the second press does not wait for the first
        assert tab.sentence.startswith("4. ")


def test_a_slide_ends_with_the_board_of_the_record(opened: Open) -> None:
    tab = opened(run()).go(f"{FIXTURE}/1/0")
    differing = tab.page.evaluate(
        """async () => {
          const report = JSON.parse(document.getElementById("report").textContent), found = [];
          const { changed, readTables, tablesMoves, withoutVictims } = module_geometry;
          const { framesOf } = module_steps;
          for (const game of report.matches[0].shown) {
            for (const frame of framesOf(game, 0).filter((one) => one.kind === "turn")) {
              let sides = readTables(frame.before, report.run.board.remembers);
              for (const { from, to } of tablesMoves(report.run.board, frame.text)) {
                const lifted = changed(report.run.board, sides, frame.seat, from, -1);
                const landed = changed(report.run.board, lifted, frame.seat, to, 1);
                const [victims, without] = withoutVictims(report.run.board, landed, frame.seat, to);
                sides = changed(report.run.board, without, 3 - frame.seat, 0, victims);
              }
              const [moved, told] = [sides, readTables(frame.position, report.run.board.remembers)].map(JSON.stringify);
              if (moved !== told) found.push(frame.label);
            }
          }
          return found;
        }"""
    )
    assert differing == []


def test_the_board_turns_round(opened: Open) -> None:
    tab = opened(run()).go(f"{FIXTURE}/1/0")
    lowest = """() => {
        const circles = [...document.querySelectorAll(".checker.seat-2 circle")];
        return Math.max(...circles.map((one) => Number(one.getAttribute("cy"))));
    }"""
    before, told = tab.page.evaluate(lowest), tab.board
    tab.page.get_by_role("button", name="Turn the board round").click()
    assert tab.page.evaluate(lowest) > before + 100
    assert tab.board == told
    plates = tab.page.locator(".plate")
    top, bottom = plates.first.bounding_box(), plates.nth(1).bounding_box()
    assert top["y"] > bottom["y"]  # seat 2's plate, the first one, is now below the board
    tab.press("ArrowRight", "ArrowRight", "ArrowRight")
    assert tab.sentence.startswith("1. ")


def test_pips_arrows_and_what_ended_the_game_are_shown(opened: Open) -> None:
    tab = opened(run()).go(f"{FIXTURE}/1/0")
    assert tab.page.locator(".pips").all_inner_texts() == ["360 pips", "360 pips"]
    tab.go(f"{FIXTURE}/1/1")
    moves = tab.page.locator(".move[aria-current] .text").inner_text()
    assert tab.page.locator(".arrow").count() == len(moves.split()) == 2
    tab.page.get_by_role("button", name="Arrows for the last turn").click()
    assert tab.page.locator(".arrow:visible").count() == 0
    tab.go(f"{FIXTURE}/2/end")
    ending = tab.page.locator(".moves .move").nth(-2).inner_text().split(", ")[1].split("\n")[0]
    assert str(tab.page.locator(".banner").text_content()).lower() == f"{ending}!"


def test_a_position_can_be_saved_and_linked_to(opened: Open) -> None:
    tab = opened(run(), accept_downloads=True).go(f"{FIXTURE}/1/3")
    with tab.page.expect_download() as saved:
        tab.page.get_by_role("button", name="SVG").click()
    assert saved.value.suggested_filename == f"{FIXTURE}-game-1-3.svg"
    svg = saved.value.path().read_text(encoding="utf-8")
    assert svg.startswith("<svg")
    assert "var(" not in svg
    assert "class=" not in svg
    with tab.page.expect_download() as saved:
        tab.page.get_by_role("button", name="PNG").click()
    assert saved.value.path().read_bytes().startswith(b"\x89PNG")
    tab.page.evaluate(
        "Object.defineProperty(navigator, 'clipboard', { value: { writeText: (text) => { window.kept = text; } } })"
    )
    tab.page.get_by_role("button", name="Link").click()
    assert tab.page.evaluate("window.kept").endswith(f"#{FIXTURE}/1/3")


SIZES = [(1366, 768), (1920, 1080), (2560, 1440), (1024, 768), (390, 844), (844, 390)]
MEASURED = """() => {
  const { width, height } = document.querySelector(".board-box .board").getBoundingClientRect();
  const buttons = [...document.querySelectorAll(".controls button")].map((one) => one.getBoundingClientRect());
  return [width, height, Math.max(...buttons.map((one) => one.bottom)), Math.max(...buttons.map((one) => one.right))];
}"""


@pytest.mark.parametrize(("width", "height"), SIZES)
def test_the_board_fills_the_window_and_the_buttons_are_in_sight(
    opened: Open, width: int, height: int
) -> None:
    """Its height, or its width on a phone; beside the board a panel of 20rem has its place."""
    tab = opened(small_run(), width=width, height=height).go(f"{FIXTURE}/1/1")
    wide, high, lowest, rightmost = tab.page.evaluate(MEASURED)
    assert lowest <= height
    assert rightmost <= width
    if width < height:
        assert wide > 0.9 * width
    else:
        assert high > 0.85 * height or wide > width - 380


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(("ruleset", "board"), [("vasa", "tables"), ("brandubh-1", "brandubh")])
def test_every_checker_stands_out_from_the_board(
    opened: Open, ruleset: str, board: str, scheme: str
) -> None:
    """At least 3:1 by its fill or its rim, on points, bar and tray, also if it has just moved; on a phone as well."""
    tab, seen = opened(run(ruleset), color_scheme=scheme), set()
    tab.go(f"{FIXTURE}/1/1")
    for width in (1200, 390):
        tab.page.set_viewport_size({"width": width, "height": 844})
        grounds, checkers = tab.page.evaluate(DRAWN, EVERYWHERE[board])
        for kind, *colours in (checker.split("; ") for checker in checkers):
            seen.add(kind)
            for ground in map(linear, grounds):
                assert max(contrast(linear(colour), ground) for colour in colours) >= 3, (
                    width,
                    kind,
                    colours,
                )
    kinds = {f"checker seat-{seat}{moved}" for seat in (1, 2) for moved in ("", " moved")}
    assert seen == kinds | (
        {"borne-off seat-1", "borne-off seat-2"} if board == "tables" else set()
    )
