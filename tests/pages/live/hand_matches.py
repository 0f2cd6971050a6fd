"""Matches by hand without an arena of their own: a page that is served here, the real referee, and a scripted opponent.

The seat is a `Seat` without a connection: what the person answers goes straight to the machine of
matches, and what it says comes back in the messages of the arena. So the dice, the opponent and
even the first position are the test's.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import trio
from starlette.types import ASGIApp

from arena.games import Game
from arena.pages.by_hand.hand_pages import HandPages
from arena.pages.by_hand.hand_room import HandRoom
from arena.person.arena_run import CLOCK, Wanted
from arena.person.seat import Seat
from arena.records.facts import FixtureSettled
from arena.records.lines import tournament_lines
from arena.server.play import translate
from protocol.client import Reply
from tests.browser import FORCED_TURNS_WAIT
from tests.fixtures.asked_pages import HERE
from tests.fixtures.refereed import Answers, Refereed, first_turn
from tests.fixtures.sitting import SEED
from tests.fixtures.small_run import Files, opened_tournament, run_of
from tests.pages.live.site import Site as PagesSite

TOKEN = "5e" * 32
BREAK_MS = 120_000
MINE = 1
"""The person's seat."""


class Begun:
    """A game that begins with given positions, one for each game of a match; all else is as in its ruleset."""

    def __init__(self, rules: Game[Any], positions: Sequence[str]) -> None:
        self._rules, self._positions = rules, iter(positions)

    def start(self) -> Any:
        return self._rules.parse_position(next(self._positions))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._rules, name)


class Match(Seat):
    def __init__(
        self, room: HandRoom, rules: Any, opponent: Answers = first_turn, **more: Any
    ) -> None:
        super().__init__(room.changed)
        self._wake.close()
        self._woken.close()
        self._room = room
        self._refereed = Refereed(rules, opponent, **more)
        self.sitting = self._refereed.sitting
        self.terms, self.referee = self._refereed.terms, self._refereed.referee

    def sit_down(self) -> None:
        """In the room, as if the arena of the match had started; for the task of the server."""
        room = self._room
        room.folder, room.entrant = Path("runs/it"), "you"
        room.seat, room.status, room._opponent = self, "playing", "it"
        self._refereed.sit_down()
        self._tell()

    def break_ends(self) -> None:
        """Its time is over; for the task of the server."""
        self._refereed.follow(lambda: self.referee.waits(BREAK_MS + 1))
        self._tell()

    def ready(self, question: str) -> None:
        """Take the person's word that they are ready for the next game."""
        self._refereed.ready(question)
        self._tell()

    def flag_falls(self) -> None:
        """The person has thought for too long; for the task of the server."""
        self._refereed.follow(lambda: self.referee.waits(CLOCK.limit_ms(CLOCK.bank_ms) + 1))
        self._tell()

    def answer(self, given: Callable[[Any], Reply | int]) -> None:
        """Take the person's answer by the way of one that comes over a connection."""
        self._refereed.answer(given)
        self._tell()

    def _tell(self) -> None:
        self.asked_at = time.monotonic()
        if self.referee.is_over:
            outcome = translate.outcome(self._winner, MINE)
            self.sitting.match_ended(
                translate.match_end(self.referee.match, outcome, MINE, SEED, None)
            )
        self._room.changed()

    @property
    def files(self) -> Files:
        """The run of the match that is over, as an arena would have written it."""
        return run_of(
            opened_tournament(self.terms, ("you", "it"), rules=self.referee.rules), self.referee
        )

    @property
    def settled(self) -> FixtureSettled:
        """How the match was decided, as it stands in the record of the tournament."""
        facts = tournament_lines.read("tournament.jsonl", self.files["tournament.jsonl"])
        return next(fact for _, fact in facts if isinstance(fact, FixtureSettled))

    @property
    def _winner(self) -> int | None:
        return {"you": MINE, "it": 3 - MINE, None: None}[self.settled.winner]


class Site(PagesSite):
    """A room, its page in a browser, and the thread that serves it."""

    def __init__(self, browser: Any, folder: Path, token: str = TOKEN) -> None:
        self._folder, self._link_token = folder, token
        super().__init__(browser, self._pages_of_room)

    def _pages_of_room(self, nursery: trio.Nursery) -> ASGIApp:
        self.room = HandRoom(self._folder, "you")
        nursery.start_soon(self.room.settle)
        return HandPages({self._link_token: self.room}, Wanted(opponent="", command="")).app(HERE)

    def open(self, beside: Any = None, ready: str = ".choice", **context: Any) -> Any:
        """The page, with nothing on it yet but the choice; in a window of its own, or `beside` another page."""
        told = {"reduced_motion": "reduce", "locale": "en-GB", **context}
        page = beside.context.new_page() if beside else self.browser.new_context(**told).new_page()
        page.add_init_script(FORCED_TURNS_WAIT)
        self.show(page, self._link_token).locator(ready).first.wait_for()
        return page

    def begin(self, rules: Any, opponent: Answers = first_turn, **more: Any) -> Match:

        def begin() -> Match:
            found = Match(self.room, rules, opponent, **more)
            found.sit_down()
            return found

        return self.tell(begin)
