"""The analysis in a real browser: curve, marks, the best turn, and the section of the run."""

from __future__ import annotations

import re

import pytest

from tests.fixtures.report_runs import analysed_run, analysis, positions, run, words
from tests.fixtures.sitting import VASA
from tests.fixtures.small_run import FIXTURE
from tests.pages.report.conftest import Open

SIGNS = {"doubtful": "?!", "bad": "?", "blunder": "??"}


def test_marks_stand_in_the_list_of_turns(opened: Open) -> None:
    tab = opened(analysed_run()).go(f"{FIXTURE}/1/0")
    marked = [one for one in analysis().decisions if one.game == 1 and one.mark]
    signs = tab.page.locator(".moves .mark-sign")
    assert signs.count() == len(marked) > 0
    for place, one in enumerate(marked[:5]):
        sign = signs.nth(place)
        points = f"{one.loss / 1000:.2f}" if one.loss >= 995 else f"{one.loss / 1000:.3f}"
        assert sign.locator("[aria-hidden]").inner_text() == SIGNS[one.mark]
        assert sign.get_attribute("title").startswith(f"{one.mark}: costs {points[:3]}")
        assert sign.locator(".unseen").text_content().strip() == sign.get_attribute("title")


def test_the_curve_goes_in_step_with_the_board(opened: Open) -> None:
    tab = opened(analysed_run()).go(f"{FIXTURE}/1/0")
    curve = tab.page.locator(".curve-picture")
    told = curve.get_attribute("aria-label")
    assert told.startswith("The points that anna can expect over the game: ")
    dot = tab.page.locator(".now-dot")
    before = dot.get_attribute("cx")
    tab.press("End")
    assert float(dot.get_attribute("cx")) > float(before) + 100
    assert tab.page.locator(".curve figcaption").inner_text().startswith("Points in the end:")
    curve.click()  # in its middle
    frames = tab.page.locator(".moves li").count() - 1
    assert abs(int(tab.counter.split()[0]) - frames / 2) <= 2
    assert tab.page.locator(".curve figcaption").inner_text().startswith("Expected points:")


def test_the_best_turn_is_drawn_on_demand(opened: Open) -> None:
    tab, rules = opened(analysed_run()), VASA
    one = next(
        one
        for one in analysis().decisions
        if one.game == 1 and one.turn > 2 and one.mark and "/" in one.best
    )
    tab.go(f"{FIXTURE}/1/{one.turn}")
    expected = positions(rules, run())
    details = tab.page.locator(".details").inner_text()
    assert f"The best turn is {one.best}" in details
    assert f"({one.mark})" in tab.sentence
    button = tab.page.get_by_role("button", name="Show the best turn")
    assert (button.get_attribute("aria-pressed"), tab.page.locator(".arrow.best").count()) == (
        "false",
        0,
    )
    button.click()
    assert button.get_attribute("aria-pressed") == "true"
    assert tab.board == words(rules, expected[one.turn - 2])
    moves = re.findall(r"(?:bar|\d+)/(?:off|\d+)\**(?:\((\d)\))?", one.best)
    assert tab.page.locator(".arrow.best").count() == sum(int(times or 1) for times in moves)
    button.click()
    assert tab.board == words(rules, expected[one.turn - 1])
    assert tab.page.locator(".arrow.best").count() == 0
    button.click()
    tab.press("ArrowRight", "ArrowLeft")
    assert tab.page.locator(".arrow.best").count() == 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, pytest.param(1280, marks=pytest.mark.slow)])
def test_nothing_is_wider_than_the_window(opened: Open, width: int, scheme: str) -> None:
    tab = opened(analysed_run(), width=width, color_scheme=scheme).go("play")
    assert tab.overflow() == 0
    tab.go(f"{FIXTURE}/1/17")
    assert tab.overflow() == 0
    tab.page.get_by_role("button", name="Turn the board round").click()
    order = tab.page.evaluate(
        "[...document.querySelectorAll('.replay:not(.embedded) :is(.plate, .board-box, .controls)')]"
        ".sort((a, b) => a.getBoundingClientRect().top - b.getBoundingClientRect().top)"
        ".map(each => each.className.split(' ')[0])"
    )
    assert order == (
        ["plate", "board-box", "plate", "controls"]
        if width == 390
        else ["board-box", "plate", "controls", "plate"]
    )


def test_the_costliest_turns_lead_to_their_places(opened: Open) -> None:
    tab = opened(analysed_run()).go("play")
    assert tab.page.locator("#play > .scroll tbody tr").count() == 2
    assert tab.page.locator("#play .costliest li").count() == 5
    worst = max(analysis().decisions, key=lambda one: one.loss)
    tab.follow(tab.page.locator("#play .costliest a").first)
    tab.page.wait_for_url(re.compile(rf"/{worst.game}/{worst.turn}$"))
    assert tab.sentence.startswith(f"{worst.turn}. {worst.bot} rolls")


def test_without_an_analysis_nothing_is_said_of_it(opened: Open) -> None:
    tab = opened(run()).go(f"{FIXTURE}/1/3")
    assert tab.page.locator(".curve, .mark-sign, .judgement, #play").count() == 0
    assert not tab.page.locator(".show-best").is_visible()


@pytest.mark.slow
def test_in_backgammon_too(opened: Open) -> None:
    """Where both sides go opposite ways."""
    tab = opened(analysed_run("backgammon"))
    one = next(
        one
        for one in analysis("backgammon").decisions
        if one.game == 1 and one.mark and "/" in one.best
    )
    tab.go(f"{FIXTURE}/1/{one.turn}")
    tab.page.get_by_role("button", name="Show the best turn").click()
    assert tab.page.locator(".arrow.best").count() > 0


@pytest.mark.parametrize("width", [390, pytest.param(1280, marks=pytest.mark.slow)])
def test_what_the_dice_gave_is_told_and_drawn(opened: Open, width: int) -> None:
    tab = opened(analysed_run(), width=width).go("play")
    section = tab.page.locator(".without-luck")
    given = sum(one.luck if one.bot == "anna" else -one.luck for one in analysis().rolls)
    lucky = "anna" if given > 0 else "bo"
    points = round(abs(given))
    assert f"The dice gave {lucky} {points} point" in section.locator(".lead").inner_text()
    assert section.locator("tbody tr").count() == 2
    assert "chosen afterwards" in section.inner_text()
    assert tab.page.locator(".scatter").count() == 0, "one match"
    dots = tab.page.evaluate(
        "(() => { const one = { fixture: 'r1-a-v-b', of: 'a', raw: 4, adjusted: 1.5 };"
        " const figure = module_figures.scatter([one, { ...one, raw: -6, adjusted: 0.5 }]); document.body.append(figure);"
        " const dots = [...figure.querySelectorAll('.match-dot')];"
        " return [figure.querySelector('svg').getAttribute('aria-label'), dots.length, dots[0].textContent,"
        " Number(dots[0].getAttribute('cx')) > Number(dots[1].getAttribute('cx'))]; })()"
    )
    assert dots[0].startswith("2 matches, each seen by the entrant that stands higher")
    assert dots[1:] == [2, "r1-a-v-b, seen by a: +4 as played, +1.5 with the luck taken out", True]
    assert tab.overflow() == 0
