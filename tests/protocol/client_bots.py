"""Bots of the Python kit, opposite an arena that follows a script."""

import threading
from collections.abc import Callable

import msgspec

from protocol.client import Bot, Choice, Reply, TurnView
from protocol.messages import GameEnd, GameStart, MatchEnd, MatchStart, Turn
from tests.fixtures.fake_arena import PATIENCE_S
from tests.fixtures.message_samples import TURN


def turn(game: int, number: int = 1) -> Turn:
    return msgspec.structs.replace(TURN, game=game, turn=number)


class First(Bot):
    """Takes the first legal turn and remembers what it was told."""

    name = "first"
    version = "1.2"
    fingerprint = "abc"
    wants = ("legal",)

    def __init__(self) -> None:
        self.told: list[str] = []

    def play(self, turn: TurnView) -> Reply:
        return Choice(0)

    def match_start(self, match: MatchStart) -> None:
        self.told.append("match_start")

    def game_start(self, start: GameStart) -> None:
        self.told.append("game_start")

    def game_end(self, end: GameEnd) -> None:
        self.told.append("game_end")

    def match_end(self, end: MatchEnd) -> None:
        self.told.append("match_end")


class Running:
    """A bot in a thread of its own; `code` is what it would leave the program with."""

    def __init__(self, play: Callable[[], int]) -> None:
        self.code: int | None = None
        self.raised: BaseException | None = None
        self._thread = threading.Thread(target=self._run, args=(play,), daemon=True)
        self._thread.start()

    def _run(self, play: Callable[[], int]) -> None:
        try:
            self.code = play()
        except BaseException as error:  # noqa: BLE001 - handed to the test
            self.raised = error

    def end(self) -> int | None:
        self._thread.join(PATIENCE_S)
        assert not self._thread.is_alive()
        return self.code
