"""Matches by hand without an arena of their own: a page that is served here, the real referee, and a scripted opponent.

The seat is a `Seat` without a connection: what the person answers goes straight to the machine of matches, and what
it says comes back in the messages of the arena. So the dice, the opponent and even the first position are the test's.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import trio
from starlette.types import ASGIApp

from arena.games import Game
from arena.matches.facts import Fact, GameEnded, GameStarted, Terms
from arena.pages.by_hand.hand_pages import HandPages
from arena.pages.by_hand.hand_room import Room
from arena.pages.serving.app import web_app
from arena.person.arena_run import CLOCK, Wanted
from arena.person.seat import Seat
from arena.records.facts import FixtureSettled
from arena.records.lines import tournament_lines
from arena.server.play import translate
from protocol.client import CallView, GameStart, Reply, TurnView
from protocol.client.bot import to_called, to_play
from protocol.messages import Call, Receipt
from tests.browser import FORCED_TURNS_WAIT
from tests.matches.sitting import SEED, Sitting
from tests.pages.live.conftest import HERE
from tests.pages.live.site import Site as PagesSite
from tests.records.small_run import Files, opened_tournament, run_of

TOKEN = "5e" * 32
FIXTURE = "r1-you-v-it"
MINE = 1
"""The person's seat."""
RECEIPT = Receipt(lines=1, sha256=bytes(32))
Moves = Sequence[Sequence[int | str]]
Answers = Callable[[Sitting], Sequence[Fact]]
"""What the opponent does when it is asked."""


def first_turn(sitting: Sitting) -> Sequence[Fact]:
    return sitting.waives_call() if sitting.game.calls else sitting.plays()


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
        self,
        room: Room,
        rules: Any,
        opponent: Answers = first_turn,
        *,
        dice: str | None = None,
        games: int = 3,
        turn_limit: int = 1000,
        seed: bytes = SEED,
    ) -> None:
        super().__init__(room.changed)
        self._wake.close()
        self._woken.close()
        self.terms = Terms(games=games, clock=CLOCK, rejections=3, turn_limit=turn_limit, startup_ms=1000)
        self.referee = Sitting(terms=self.terms, dice=dice, rules=rules, fixture=FIXTURE, seed=seed)
        self._room, self._opponent = room, opponent
        self._invited = translate.match_start(self.referee.opened, MINE, "1")
        self._start: GameStart | None = None

    def sit_down(self) -> None:
        """In the room, as if the arena of the match had started; for the task of the server."""
        room = self._room
        room.folder, room.entrant = Path("runs/it"), "you"
        room.seat, room.status, room._opponent = self, "playing", "it"
        self.sitting.match_started(self._invited)
        self._follow(self.referee.ready)

    def flag_falls(self) -> None:
        """The person has thought for too long; for the task of the server."""
        self._follow(lambda: self.referee.waits(CLOCK.limit_ms(CLOCK.bank_ms) + 1))

    def answer(self, given: Callable[[Any], Reply | int]) -> None:
        """Take the person's answer by the way of one that comes over a connection."""
        view: Any = self.sitting.view
        answer: Any = given(self.sitting)
        asked, game = view.message, self.referee.game
        said = to_called(asked, answer) if isinstance(asked, Call) else to_play(asked, answer)
        self._follow(lambda: self.referee.happens(translate.answer(said, asked, game.number, self.referee.now_ms, 0)))

    def _follow(self, event: Callable[[], Sequence[Fact]]) -> None:
        """Tell the person what follows, and let the opponent answer until it is the person's turn again."""
        while True:
            before = self.referee.match
            facts = event()
            for fact in facts:
                if isinstance(fact, GameStarted):
                    self._start = translate.game_start(0, self.referee.opened, fact.game, fact.starter, MINE)
                    self.sitting.game_started(self._start)
                elif isinstance(fact, GameEnded):
                    last = translate.last_turn(fact, before, facts)
                    told = None if last is None or last[0] == MINE else last[1]
                    self.sitting.game_ended(translate.game_end(0, FIXTURE, fact, MINE, told, RECEIPT))
            if self.referee.is_over or self.referee.game.mover == MINE:
                break
            event = lambda: self._opponent(self.referee)  # noqa: E731 - the next event
        if self.referee.is_over:
            outcome = translate.outcome(self._winner, MINE)
            self.sitting.match_ended(translate.match_end(self.referee.match, outcome, MINE, SEED, None))
        else:
            assert self._start is not None
            asked = translate.question(
                self.referee.match.setting, 0, self.referee.game, self.referee.now_ms, wants_legal=False
            )
            view = CallView if isinstance(asked, Call) else TurnView
            self.sitting.asked(view(asked, self._start, self._invited))  # type: ignore[arg-type]  # of its own kind
        self._room.changed()

    @property
    def files(self) -> Files:
        """The run of the match that is over, as an arena would have written it."""
        return run_of(opened_tournament(self.terms, ("you", "it"), rules=self.referee.rules), self.referee)

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
        self.room = Room(self._folder, "you")
        nursery.start_soon(self.room.settle)
        return web_app(HandPages({self._link_token: self.room}, Wanted(opponent="", command="")).routes(), HERE)

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
