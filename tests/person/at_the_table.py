"""The kit's messages as a sitting hears them, without an arena."""

from typing import Any

from arena.games import load_game, ruleset_record
from arena.person.sitting import Sitting
from protocol.client import CallView, GameEnd, GameStart, MatchStart, TurnView
from protocol.messages import Call, ClockTerms, Last, Opponent, Turn, TurnClock

CLOCK = TurnClock(left_ms=60_000, opponent_left_ms=60_000, spent_ms=0, delay_left_ms=1000)


class Table:
    def __init__(
        self, ruleset: str = "vasa", options: tuple[str, ...] = (), *, starts: bool = True
    ) -> None:
        self.game: Any = load_game(ruleset, options)
        self.match = MatchStart(
            match="r1-you-v-it",
            ruleset=ruleset_record(self.game),
            games=3,
            seat=1,
            opponent=Opponent(name="it", version="1"),
            clock=ClockTerms(delay_ms=1000, bank_ms=60_000),
            rejections=3,
            dice_commitment=bytes(32),
        )
        self.start = GameStart(game=0, match=self.match.match, number=1, seat=1, starts=starts)
        self.sitting = Sitting()
        self.sitting.match_started(self.match)
        self.sitting.game_started(self.start)

    def turn(
        self, position: str | Any, dice: tuple[int, ...], number: int = 1, **fields: Any
    ) -> TurnView:
        """It is the person's turn in a position, a literal or a value."""
        at = self.game.parse_position(position) if isinstance(position, str) else position
        message = Turn(
            game=0, turn=number, dice=dice, position=self.game.to_plain(at), clock=CLOCK, **fields
        )
        view = TurnView(message, self.start, self.match)
        self.sitting.asked(view)
        return view

    def call(self, position: str) -> CallView:
        plain = self.game.to_plain(self.game.parse_position(position))
        view = CallView(
            Call(game=0, turn=1, dice=(1, 2), position=plain, clock=CLOCK), self.start, self.match
        )
        self.sitting.asked(view)
        return view

    def game_end(
        self,
        last: Last | None = None,
        ending: str = "jan",
        clause: str = "B9.1",
        *,
        number: int = 1,
    ) -> None:
        """The game is over, and the person has lost it."""
        self.sitting.game_ended(
            GameEnd(
                game=0,
                match=self.match.match,
                number=number,
                result="lost",
                ending=ending,
                clause=clause,
                monk=False,
                points=4,
                score=(0, 4),
                last=last,
            )
        )
