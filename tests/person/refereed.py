"""A person at a match without an arena: the real referee, a scripted opponent, and the messages between them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from arena.games.result import Seat
from arena.matches.facts import Fact, GameEnded, GameStarted, Terms
from arena.person.arena_run import CLOCK
from arena.person.sitting import Sitting as PersonSitting
from arena.records.lines import Attempt
from arena.server.play import translate
from protocol.client import CallView, GameStart, Reply, TurnView
from protocol.client.bot import to_called, to_play
from protocol.messages import Call, Receipt
from tests.matches.sitting import SEED, Sitting

FIXTURE = "r1-you-v-it"
RECEIPT = Receipt(lines=1, sha256=bytes(32))
Answers = Callable[[Sitting], Sequence[Fact]]
"""What the opponent does when it is asked."""


def first_turn(sitting: Sitting) -> Sequence[Fact]:
    return sitting.waives_call() if sitting.game.calls else sitting.plays()


class Refereed:
    def __init__(
        self,
        rules: Any,
        opponent: Answers = first_turn,
        *,
        dice: str | None = None,
        games: int = 3,
        turn_limit: int = 1000,
        seed: bytes = SEED,
        mine: Seat = 1,
        break_ms: int = 0,
    ) -> None:
        self.terms = Terms(
            games=games, clock=CLOCK, rejections=3, turn_limit=turn_limit, startup_ms=1000
        )
        self.mine = mine
        """The person's seat."""
        self.referee = Sitting(terms=self.terms, dice=dice, rules=rules, fixture=FIXTURE, seed=seed)
        self.referee.breaks_ms = (break_ms, 0) if mine == 1 else (0, break_ms)
        self.sitting = PersonSitting()
        self.invited = translate.match_start(self.referee.opened, mine, "1")
        self._opponent = opponent
        self._start: GameStart | None = None

    def sit_down(self) -> None:
        self.sitting.match_started(self.invited)
        self.follow(self.referee.ready)

    def answer(self, given: Callable[[Any], Reply | int]) -> None:
        """Take the person's answer by the way of one that comes over a connection."""
        view: Any = self.sitting.view
        answer: Any = given(self.sitting)
        asked, game = view.message, self.referee.game
        said = to_called(asked, answer) if isinstance(asked, Call) else to_play(asked, answer)
        self.follow(
            lambda: self.referee.happens(
                translate.answer(said, asked, game.number, self.referee.now_ms, 0)
            )
        )

    def ready(self, question: str) -> None:
        """Take the person's word that they are ready for the next game."""
        self.sitting.ready(question)
        self.follow(lambda: self.referee.rested(self.mine))

    def follow(self, event: Callable[[], Sequence[Fact]]) -> None:
        """Tell the person what follows, and let the opponent answer until it is the person's turn again."""
        while True:
            before = self.referee.match
            facts = event()
            for fact in facts:
                if isinstance(fact, GameStarted):
                    self._start = translate.game_start(
                        0, self.referee.opened, fact.game, fact.starter, self.mine
                    )
                    self.sitting.game_started(self._start)
                elif isinstance(fact, GameEnded):
                    last = translate.last_turn(fact, before, facts)
                    told = None if last is None or last[0] == self.mine else last[1]
                    self.sitting.game_ended(
                        translate.game_end(0, FIXTURE, fact, self.mine, told, RECEIPT)
                    )
            if self.referee.match.standing.phase == "break":
                self.sitting.rests(translate.pause(self.referee.match, self.referee.now_ms))
                return
            if self.referee.is_over or self.referee.game.mover == self.mine:
                break
            event = lambda: self._opponent(self.referee)  # noqa: E731 - the next event
        if not self.referee.is_over:
            self.sitting.asked(self.view())

    def view(self) -> TurnView | CallView:
        """The question to the person, as the kit gives it."""
        assert self._start is not None
        referee = self.referee
        asked = translate.question(
            referee.match.setting, 0, referee.game, referee.now_ms, wants_legal=False
        )
        view: Any = CallView if isinstance(asked, Call) else TurnView
        found: TurnView | CallView = view(asked, self._start, self.invited)
        return found

    @property
    def attempt(self) -> Attempt:
        """What is on record so far."""
        facts: Any = [("", fact) for fact in self.referee.facts[1:]]
        return Attempt(opened=self.referee.opened, facts=facts)
