"""The bot kit in breaks: a bot that overrides `between_games` asks for them, and is ready when that returns."""

from typing import Any

from protocol.client import Break, Choice, TurnView
from protocol.client.bot import wishes
from protocol.messages import GameReady, GameStart, MatchEnd, Ping, Play, Pong
from tests.fixtures.message_samples import GAME_END, MATCH_START
from tests.protocol.client_bots import First, turn

PAUSE = Break(match=MATCH_START.match, number=2, left_ms=120_000)


class Resting(First):
    def __init__(self) -> None:
        super().__init__()
        self.used: list[object] = []

    def play(self, turn: TurnView) -> Choice:
        self.used.append(turn.start.number)
        return super().play(turn)

    def between_games(self, pause: Break) -> None:
        self.used.append(pause)


def test_only_a_bot_with_something_to_do_in_breaks_asks_for_them() -> None:
    assert "break" not in wishes(First())
    assert wishes(Resting()) == (*First.wants, "break")

    class Asking(Resting):
        wants = ("break", "legal")

    assert wishes(Asking()) == ("break", "legal")


def test_it_is_ready_when_the_method_returns(table: Any) -> None:
    bot = Resting()
    arena, _ = table(bot)
    assert arena.welcome().wants == ("legal", "break")
    arena.start(1)
    arena.say(turn(1))
    arena.expect(Play)
    arena.say(GAME_END, PAUSE)
    assert arena.expect(GameReady) == GameReady(match=PAUSE.match, number=2)
    assert bot.used == [1, PAUSE]


def test_turns_of_other_matches_that_wait_are_answered_first(table: Any) -> None:
    bot = Resting()
    arena, _ = table(bot)
    arena.welcome()
    arena.start(1)
    pause = Break(match="r2-anna-v-cia", number=3, left_ms=1)
    arena.say(pause, turn(1))
    assert [type(arena.hear()) for _ in range(2)] == [Play, GameReady]
    assert bot.used == [1, pause]


def test_a_break_that_is_over_before_the_bot_could_use_it_is_none(table: Any) -> None:
    """Its time was over, or the opponent has given up the match, while the bot was busy."""
    bot = Resting()
    arena, _ = table(bot)
    arena.welcome()
    arena.start(1)
    start = GameStart(game=2, match=PAUSE.match, number=2, seat=1, starts=True)
    arena.say(GAME_END, PAUSE, start, turn(2))
    assert isinstance(arena.hear(), Play)
    end: Any = MatchEnd(match=PAUSE.match, result="won", score=[6, 0])
    arena.say(PAUSE, end, Ping(data=1))
    assert arena.hear() == Pong(data=1)
    assert bot.used == [2]
