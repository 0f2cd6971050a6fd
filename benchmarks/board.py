"""How many actions a turn takes at the board of `arena play`, and how calm the page stays.

    python benchmarks/board.py [--games 3] [--turns 500] [--drag]

A script plays vasa in Chromium as the evaluator would, against the same, by clicks alone: on a
checker or where it lands, and on the dice where another of them has to be used first. With `--drag` a checker is
dragged there instead. Each click or drag is an action; the time that a turn may be taken back runs
faster here. Printed are actions a turn, where the button that plays stands on a phone, layout shift
(Cumulative Layout Shift, web.dev/cls), and the memory of the page while turns go by.
"""

import argparse
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from arena.games import load_game
from arena.person.advice import hints
from arena.person.sitting import Sitting as PersonSitting
from tests.browser import chromium, chromium_path, detached_elements, watch_shifts
from tests.fixtures.sitting import Sitting
from tests.pages.live.hand_matches import Match, Site

PHONE: Final = {"width": 390, "height": 844}
DESKTOP: Final = {"width": 1366, "height": 768}
PATIENCE_MS: Final = 20_000
COLLECTIONS: Final = 3
COLLECTION_MS: Final = 100
"""Nodes are let go of between two garbage collections."""
LONG_ENOUGH: Final = 100_000
"""Far more actions than a measurement needs."""

QUICKER: Final = """() => {
  for (const name of ["arena-forced", "arena-whole-bots"]) localStorage.setItem(name, "on");
  const wait = window.setTimeout;
  window.setTimeout = (act, ms, ...more) => wait(act, ms > 300 ? ms / 40 : ms, ...more);
}"""
"""Turns play themselves, as they do against bots, and what waits before it waits less."""

SHOWN: Final = """([moment, sign]) => {
  const isDrawn = document.querySelector("#main").dataset.drawn.includes(moment);
  return isDrawn && document.querySelector(sign) !== null;
}"""

PLACE: Final = """([start, target]) => {
  const at = (node) => {
    const { left, top, width, height } = node.getBoundingClientRect();
    return { x: left + width / 2, y: top + height / 2 };
  };
  const spot = (slot) => document.querySelector(`.spot[data-slot="${slot}"]`);
  const { goal } = spot(start).dataset;
  const [from, to] = [start, target].map((slot) => at(spot(slot).querySelector("rect")));
  const die = at(document.querySelector(".die"));
  return { from, to, die, isGoal: goal === String(target), isFree: !document.querySelector(".selected") };
}"""


Choose = Callable[[Any, Any, Sequence[int]], Sequence[Any]]
"""Gives the moves of a turn by rules, position and dice."""


class Figures(NamedTuple):
    """Actions and turns of a person so far."""

    actions: int
    turns: int

    @property
    def each(self) -> float:
        """Actions a turn."""
        return self.actions / max(1, self.turns)


class Player:
    """Plays by mouse."""

    def __init__(
        self, page: Any, match: Match, choose: Choose, *, is_dragging: bool = False
    ) -> None:
        self._page, self._match = page, match
        self._choose = choose
        self._is_dragging = is_dragging
        self._question = ""
        self._wanted: list[tuple[int, int]] = []
        self.figures = Figures(0, 0)

    def play(self, turns: int) -> bool:
        """Go on until so many turns are played; returns False once the match is over."""
        for _ in range(LONG_ENOUGH):
            if self.figures.turns >= turns or self._match.referee.is_over:
                break
            self._step()
        return not self._match.referee.is_over

    def _step(self) -> None:
        """Wait for what comes by itself, or do the next thing."""
        page, sitting = self._page, self._match.sitting
        page.wait_for_function("() => !document.querySelector('.counting')")
        if page.locator(".go-on").count():
            page.locator(".go-on").click()
            page.wait_for_function("() => !document.querySelector('.go-on')")
            return
        if sitting.phase != "turn":
            page.wait_for_timeout(5)
            return
        if sitting.question != self._question:
            self._begin(sitting)
        moment = moment_of(sitting)
        if plays_itself(sitting):
            page.wait_for_timeout(5)
            return
        signs = ".can-lift, .can-land, .go-on"
        page.wait_for_function(SHOWN, arg=[moment, signs], timeout=PATIENCE_MS)
        if page.locator(".go-on").count():  # the end of a game is still to be looked at
            return
        self._move(sitting)
        for _ in range(PATIENCE_MS):
            if moment_of(sitting) != moment:
                return
            page.wait_for_timeout(1)

    def _begin(self, sitting: PersonSitting) -> None:
        self._question = sitting.question
        moves = self._choose(sitting.rules, sitting.start, sitting.dice)
        self._wanted = [(int(start), int(target)) for start, target in moves]
        self.figures = self.figures._replace(turns=self.figures.turns + 1)

    def _move(self, sitting: PersonSitting) -> None:
        """Make one of the moves that are wanted; the one that a click makes, if there is one."""
        possible = {(move.start, move.target) for move in sitting.next_moves()}
        left = [move for move in self._wanted if move in possible] or sorted(possible)
        if not left:  # the turn has just played itself
            return
        wanted = list(self._wanted)
        if far := self._by_several_dice(left):
            place = self._page.evaluate(PLACE, list(far))
            if place["isFree"] and self._is_only(sitting, far):
                self._page.mouse.click(**place["to"])
                self.figures = self.figures._replace(actions=self.figures.actions + 1)
                return
            if self._is_dragging:
                self._drag(place)
                return
            self._wanted = wanted
        places = {move: self._page.evaluate(PLACE, list(move)) for move in left}
        by_click = [move for move in left if places[move]["isGoal"]]
        move = (by_click or left)[0]
        if move in self._wanted:
            self._wanted.remove(move)
        place, mouse = places[move], self._page.mouse
        if place["isGoal"]:
            mouse.click(**place["from"])
        elif place["isFree"] and self._is_only(sitting, move):
            mouse.click(**place["to"])
        elif self._is_dragging:
            self._drag(place)
            return
        else:
            mouse.click(**place["die"])
            mouse.click(**place["from"])
            self.figures = self.figures._replace(actions=self.figures.actions + 1)
        self.figures = self.figures._replace(actions=self.figures.actions + 1)

    def _by_several_dice(self, moves: Sequence[tuple[int, int]]) -> tuple[int, int] | None:
        """Return where a checker is wanted that moves more than once, and forget its moves."""
        for start, landing in moves:
            wanted = list(self._wanted)
            target = landing
            while (step := next((move for move in wanted if move[0] == target), None)) is not None:
                wanted.remove(step)
                target = step[1]
            if target != landing and (start, landing) in wanted:
                wanted.remove((start, landing))
                self._wanted = wanted
                return start, target
        return None

    def _drag(self, place: Any) -> None:
        mouse = self._page.mouse
        mouse.move(**place["from"])
        mouse.down()
        mouse.move(**place["to"], steps=4)
        mouse.up()
        self.figures = self.figures._replace(actions=self.figures.actions + 1)

    @staticmethod
    def _is_only(sitting: PersonSitting, move: tuple[int, int]) -> bool:
        """Return whether a click on the point lands this checker: no other can, none is there."""
        _, target = move
        near = {one.start for one in sitting.next_moves() if one.target == target}
        far = {one.start for one in sitting.next_moves(range(2, 5)) if one.target == target}
        starts = near or far
        mine = sitting.rules.to_plain(sitting.position)["points"]
        return len(starts) == 1 and (target > len(mine) or mine[target - 1] <= 0)


def moment_of(sitting: PersonSitting) -> str:
    """Return the question and the moves so far, as the page marks what it has drawn."""
    moves = " ".join(f"{start},{target}" for start, target in sitting.moves)
    return f"|{sitting.question}|{moves}|"


def plays_itself(sitting: PersonSitting) -> bool:
    """Return whether nothing is left to be chosen (`forcedDeed` and `wholeDeed` of clicks.js)."""
    moves, following = sitting.moves, sitting.next_moves()
    if sitting.only is not None or not following:
        return True
    return len(following) == 1 and len(moves) > 0


def best_turn(rules: Any, position: Any, dice: Sequence[int]) -> Sequence[Any]:
    """Return the moves that the evaluator would play; none for a pass."""
    for hint in hints(rules, position, tuple(dice)):
        return hint.moves
    return ()


def last_turn(rules: Any, position: Any, dice: Sequence[int]) -> Sequence[Any]:
    """Return the moves of the last legal turn, which is found at once; none for a pass."""
    *_, turn = rules.legal_turns(position, tuple(dice))
    moves: Sequence[Any] = turn.moves
    return moves


def begin(
    browser: Any, viewport: dict[str, int], seed: int, games: int, choose: Choose
) -> tuple[Site, Any, Match]:
    """Return a site with a match that has begun, and its page; the opponent plays by `choose`."""

    def answer(sitting: Sitting) -> Sequence[Any]:
        game = sitting.game
        return sitting.plays(choose(sitting.rules, game.position, game.dice))

    site = Site(browser, Path(tempfile.mkdtemp()))
    page = site.open(viewport=viewport)
    page.evaluate(QUICKER)
    page.evaluate(watch_shifts())
    match = site.begin(load_game("vasa"), answer, seed=bytes([seed]) * 32, games=games)
    page.wait_for_selector(".hand-table")
    return site, page, match


def actions(browser: Any, games: int, *, is_dragging: bool) -> Figures:
    """Return what so many games take in all."""
    site, page, match = begin(browser, DESKTOP, 7, games, best_turn)
    player = Player(page, match, best_turn, is_dragging=is_dragging)
    try:
        player.play(LONG_ENOUGH)
    finally:
        close(site)
    return player.figures


def memory(page: Any) -> str:
    """Say what a page keeps after garbage collections; what scripts have is their code as well."""
    detached = detached_elements(page)
    session = page.context.new_cdp_session(page)
    for _ in range(COLLECTIONS):
        session.send("HeapProfiler.collectGarbage")
        page.wait_for_timeout(COLLECTION_MS)
    usage = session.send("Runtime.getHeapUsage")
    session.detach()
    scripts, nodes = usage["usedSize"] / 2**20, usage["embedderHeapUsedSize"] / 2**20
    return (
        f"{scripts:.2f} MiB of scripts, {nodes:.2f} MiB of elements, {detached} elements on no page"
    )


def stay(browser: Any, turns: int) -> None:
    """Print where the button stands on a phone, and the memory of its page."""
    site, page, match = begin(browser, PHONE, 11, 99, last_turn)
    player = Player(page, match, last_turn)
    try:
        player.play(2)
        box = page.locator(".hand-buttons [class~=main]").bounding_box()
        print(f"on a phone of 390 x 844 the button stands at y = {box['y']:.0f}")
        for part in range(1, 6):
            player.play(turns * part // 5)
            print(f"{player.figures.turns:5} turns: {memory(page)}", flush=True)
        print(f"layout shift in all: {page.evaluate('window.shift'):.3f}")
    finally:
        close(site)


def close(site: Site) -> None:
    """End the pages; nothing has written a record that the end of a match asks for."""
    site.complaints.clear()
    site.close()


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print; returns 0."""
    parser = argparse.ArgumentParser(description="How many actions a turn takes at the board.")
    parser.add_argument("--games", type=int, default=3)
    parser.add_argument("--turns", type=int, default=500)
    parser.add_argument("--drag", action="store_true")
    options = parser.parse_args(arguments)
    with chromium(chromium_path()) as browser:
        if options.games:
            figures = actions(browser, options.games, is_dragging=options.drag)
            counted = f"{figures.actions} actions in {figures.turns} turns"
            print(f"vasa: {counted}, {figures.each:.2f} a turn", flush=True)
        if options.turns:
            stay(browser, options.turns)
    return 0


if __name__ == "__main__":
    sys.exit(main())
