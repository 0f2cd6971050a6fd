"""A person's match in Chromium, against an arena that runs; what a match can hold is in `test_matches_by_hand.py`."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.browser import FORCED_TURNS_WAIT, PATIENCE_MS
from tests.pages.live.hands import Hands

pytestmark = pytest.mark.slow

READY = "() => document.querySelector('.match-over, .go-on, .can-lift, .can-land, .hand-buttons .main:not([disabled])')"


class Playing:
    def __init__(
        self, browser: Any, folder: Path, *arguments: str, ready: str = "", **context: Any
    ) -> None:
        self.folder = folder / "run"
        self.link = self.start(*arguments, "--out", str(self.folder))
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+/#[0-9a-f]{64}", self.link)
        self.context = browser.new_context(reduced_motion="reduce", locale="en-GB", **context)
        self.context.add_init_script(FORCED_TURNS_WAIT)
        self.complaints: list[str] = []
        self._ready = f"() => document.querySelector({ready!r})" if ready else READY
        self.page = self.open()

    def start(self, *arguments: str) -> str:
        """Start the program; returns the link."""
        words = [sys.executable, "-m", "arena", "play", *arguments, "--no-open"]
        self._process = subprocess.Popen(
            words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=self.folder.parent
        )
        assert self._process.stdout is not None
        return self._process.stdout.readline().strip()

    def kill(self) -> None:
        self._process.kill()
        self._process.communicate()

    def open(self) -> Any:
        page = self.context.new_page()
        page.set_default_timeout(PATIENCE_MS * 2)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.goto(self.link)
        page.wait_for_function(self._ready)
        return page

    def end(self) -> str:
        self.context.close()
        self._process.send_signal(signal.SIGINT)
        _, said = self._process.communicate(timeout=60)
        return said

    def verified(self) -> bool:
        words = [sys.executable, "-m", "arena", "verify", str(self.folder)]
        return subprocess.run(words, capture_output=True, check=False).returncode == 0


@pytest.fixture
def playing(browser: Any, tmp_path: Path) -> Iterator[Callable[..., Playing]]:
    """Starts matches; afterwards no page may have complained."""
    found: list[Playing] = []

    def start(*arguments: str, **context: Any) -> Playing:
        found.append(Playing(browser, tmp_path, *arguments, **context))
        return found[-1]

    yield start
    for one in found:
        if one._process.poll() is None:
            one.end()
        for pipe in (one._process.stdout, one._process.stderr):
            pipe.close()  # type: ignore[union-attr]  # asked for above
        assert one.complaints == []


def test_a_match_by_keyboard_alone(playing: Callable[..., Playing]) -> None:
    """A whole game, and the match is given up in the second one."""
    match = playing("greedy")
    page, hands = match.page, Hands(match.page, "keyboard")
    due = hands.look()
    while not page.locator(".go-on").count():
        hands.do(due)
        due = hands.look()
    hands.do(due)
    hands.look()
    hands.choose(".resign")
    hands.touch(page.get_by_role("button", name="Yes, give up the match"))
    page.locator(".match-over").wait_for()
    assert page.locator("h1").inner_text() == "You have resigned the match"
    page.locator(".check-dice").wait_for()  # the record is complete
    assert page.evaluate("document.activeElement.localName") == "h1"
    page.locator(".check-dice").focus()
    page.keyboard.press("Enter")
    page.locator(".verdict.good").wait_for()
    assert "were fixed before you sat down" in page.locator(".verdict").inner_text()
    assert match.verified()
    assert "go on with" not in match.end()


def test_a_checker_that_was_held_is_dragged(playing: Callable[..., Playing]) -> None:
    page = playing("random", "--ruleset", "backgammon").page
    hands, mouse = Hands(page, "pointer"), page.mouse
    while (due := hands.look())["what"] == "button":
        hands.do(due)
    drawn = page.locator("#main").get_attribute("data-drawn")
    mouse.move(**due["place"])
    mouse.down()
    landing = page.locator(".can-land rect").first
    landing.wait_for()
    box = landing.bounding_box()
    mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2, steps=4)
    assert page.locator(".ghost").count() == 1
    mouse.up()
    page.wait_for_function("(drawn) => main.dataset.drawn !== drawn", arg=drawn)


def test_a_match_is_resigned_after_a_turn_and_another_one_begun(
    playing: Callable[..., Playing],
) -> None:
    match = playing("random", "--ruleset", "backgammon")
    page, hands = match.page, Hands(match.page, "pointer")
    while (due := hands.look())["what"] != "button":
        hands.do(due)
    hands.do(due)
    hands.look()
    hands.choose(".resign")
    page.get_by_role("button", name="Yes, give up the match").click()
    page.locator(".match-over").wait_for()
    assert page.locator("h1").inner_text() == "You have resigned the match"
    page.locator(".check-dice").wait_for(timeout=90_000)
    page.locator(".check-dice").click()
    page.locator(".verdict.good").wait_for()
    page.locator("#costliest:not(:has([role=status]))").wait_for(
        timeout=90_000
    )  # the evaluator has looked at it
    page.get_by_role("button", name="Game 1", exact=True).click()
    assert page.locator("#review .move").count() > 2
    assert match.verified()
    settled = (match.folder / "tournament.jsonl").read_text()
    assert '"winner":"random"' in settled
    page.get_by_role("button", name="Play again").click()
    page.locator(".hand-table").wait_for()  # the review has plates, too
    assert page.locator(".hand-table .plate").count() == 2


def test_a_tab_that_comes_back_has_the_same_turn_and_a_second_one_takes_over(
    playing: Callable[..., Playing],
) -> None:
    match = playing("random")
    first = match.page
    if not first.locator(".can-land").count():
        first.locator(".can-lift rect").first.click()
    first.locator(".can-land rect").first.click()
    first.wait_for_function(
        "() => document.querySelector('.hand-sentence').innerText.includes('/')"
    )
    said = first.locator(".hand-sentence").inner_text()
    first.reload()
    first.wait_for_function(READY)
    assert first.locator(".hand-sentence").inner_text() == said
    second = match.open()
    first.get_by_text("Another tab or window has taken over this seat.").wait_for()
    assert second.locator(".hand-sentence").inner_text() == said
    first.get_by_role("button", name="Play here").click()
    first.wait_for_function(READY)
    second.get_by_text("Another tab or window has taken over this seat.").wait_for()
    assert "go on with: arena play" in match.end()


SHOWN = """() => [".game-line", ".hand-sentence", ".hand-log", ".plate.near", ".plate.far"].map((name) => (
  document.querySelector(name).innerText))"""


def test_after_a_kill_an_open_tab_goes_on_with_the_match(playing: Callable[..., Playing]) -> None:
    """It shows what it showed before: the score, the turns of the game, and the moves of the open turn."""
    match = playing("brandubh-easy", "--ruleset", "brandubh-1")
    page, hands, link_file = match.page, Hands(match.page, "pointer"), match.folder / "page.token"
    due = hands.look()
    while not page.locator(".go-on").count():
        hands.do(due)
        due = hands.look()
    hands.do(due)
    while (due := hands.look())["what"] != "button":
        hands.do(due)
    hands.do(due)
    while (due := hands.look())["what"] != "button":
        hands.do(due)
    shown = page.evaluate(SHOWN)
    assert "game 2 of 3" in shown[0]
    assert link_file.stat().st_mode & 0o777 == 0o600
    match.kill()
    page.get_by_text("The connection is lost; trying again").wait_for()
    assert match.start(str(match.folder)) == match.link
    page.get_by_text("The connection is lost; trying again").wait_for(state="hidden")
    page.locator(".hand-sentence", has_text=shown[1]).wait_for()  # once the bot is there again
    assert page.evaluate(SHOWN) == shown
    while (due := hands.look())["what"] != "button":
        hands.do(due)
    hands.do(due)
    hands.look()  # the opponent has answered the turn
    hands.choose(".resign")
    page.get_by_role("button", name="Yes, give up the match").click()
    page.locator(".check-dice").wait_for(timeout=90_000)
    assert match.verified()
    assert '"cause":"time"' not in (match.folder / "tournament.jsonl").read_text()
    assert not link_file.exists()
    [record] = (match.folder / "matches").iterdir()
    _, _, resumed = record.read_text().partition('"event":"match_resumed"')
    assert '"event":"turn_played"' in resumed


def test_the_choice_and_the_lessons_have_roles_and_names_in_both_languages(
    playing: Callable[..., Playing],
) -> None:
    match = playing(ready=".choice")
    page = match.page
    page.get_by_role("tab", name="Lessons 0 of 17").click()
    for button in page.get_by_role("button").all():
        assert (button.get_attribute("aria-label") or button.inner_text()).strip()
    for radio in page.get_by_role("radio").all():
        assert radio.locator("xpath=ancestor::label").inner_text().strip()
    page.get_by_role("button", name="Single on the first half").click()
    page.locator(".can-lift").first.wait_for()
    names = [spot.get_attribute("aria-label") for spot in page.locator(".spot[role=button]").all()]
    assert "Checker on 3; it can play 3/7" in names
    page.get_by_role("button", name="Try 1/5").press("Enter")  # where no pointer can press the pile
    page.get_by_role("alert").filter(has_text="1/5 puts a second checker on point 5").wait_for()
    assert page.locator(".refusal").inner_text().endswith("(B4.3)")
    page.locator(".lesson.good").wait_for()
    page.get_by_role("button", name="Svenska").click()
    page.get_by_role("heading", name="Ensamma på första halvan").wait_for()
    assert page.get_by_role("button", name="Ångra").count() == 1
    assert page.evaluate("document.documentElement.lang") == "sv"
    page.get_by_role("button", name="Nästa", exact=True).click()
    page.get_by_text("steg 2 av").wait_for()  # until then the board is that of the step before
    page.locator(".spot[data-slot='8'] rect").click(force=True)
    page.locator(".hand-sentence").get_by_text("8/12").wait_for()
    page.locator(".spot[data-slot='10'] rect").click(force=True)
    page.get_by_role("button", name="Spela turen").click()
    page.get_by_role("button", name="Nästa", exact=True).and_(page.locator(".main")).click()
    page.get_by_role("button", name="4", exact=True).click()
    page.get_by_role("button", name="Nästa", exact=True).and_(page.locator(".main")).click()
    page.get_by_text("steg 4 av").wait_for()
    page.locator(".spot[data-slot='6'] rect").click(force=True)
    page.locator(".hand-sentence").get_by_text("6/9").wait_for()
    page.locator(".spot[data-slot='1'] rect").click(force=True)
    page.get_by_role("button", name="Spela turen").click()
    page.get_by_role("button", name="Nästa lektion").and_(page.locator(".main")).wait_for()
    page.get_by_role("button", name="Till foajén").click()
    page.get_by_role("tab", name="Lektioner").click()
    page.get_by_role("button", name="Ensamma på första halvan löst").wait_for()
