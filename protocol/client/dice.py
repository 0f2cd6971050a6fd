"""The bot's half of verifiable dice (docs/dice.md): it commits, reveals, and checks every roll it saw.

Nothing here comes from the arena's own program: what one side computes the other side checks.
"""

import hashlib
import hmac
import os
from collections.abc import Iterator, Sequence
from itertools import count, islice
from typing import Final

from protocol.messages import (
    GameEnd,
    GameStart,
    MatchEnd,
    MatchEntropy,
    MatchReady,
    MatchReveal,
    MatchStart,
    Turn,
)

_ENTROPY_BYTES: Final = 32


def commitment(entropy: bytes) -> bytes:
    """The SHA-256 of a bot's entropy, or of the arena's seed: what is told before it is revealed."""
    return hashlib.sha256(entropy).digest()


def dice_stream(seed: bytes, label: str, entropies: Sequence[bytes]) -> Iterator[int]:
    """The endless dice (1..6) of a game, or of a step of a pair; `label` is the message up to the entropies."""
    one, two = entropies
    for number in count():
        message = f"{label}|{one.hex()}|{two.hex()}|{number}".encode()
        for byte in hmac.digest(seed, message, "sha256"):
            if byte < 252:  # 252 = 42 * 6: every face is equally likely below it
                yield byte % 6 + 1


class SeenGame:
    """The rolls of a game that a bot has seen."""

    def __init__(self, start: GameStart) -> None:
        self.start = start
        self.rolls: dict[int, tuple[int, ...]] = {}
        """By the number of the turn, both sides counted together."""
        self._last_turn: int | None = None
        """Its last turn that the bot was asked for; none yet for a program that came to a game
        under way."""

    def turn(self, turn: Turn) -> None:
        """A turn of the bot, with the opponent's before it."""
        if turn.last is not None:
            self._keep(turn.turn - 1, turn.last.dice)
        self._keep(turn.turn, turn.dice)
        self._last_turn = turn.turn

    def end(self, end: GameEnd) -> None:
        """The end of the game; the opponent's last turn may come with it.

        The end does not say which turn that was. A program that was not asked for any turn before
        it cannot tell.
        """
        if end.last is not None and self._last_turn is not None:
            self._keep(self._last_turn + 1, end.last.dice)

    def _keep(self, turn: int, dice: Sequence[int]) -> None:
        if dice:
            self.rolls[turn] = tuple(dice)


class SeenMatch:
    """One attempt at a match as a bot has seen it, on however many connections."""

    def __init__(self, start: MatchStart) -> None:
        self.start = start
        self.games: dict[int, SeenGame] = {}
        self._entropy = os.urandom(_ENTROPY_BYTES)
        self._asked: list[MatchReveal] = []
        """Every time it was to reveal: again after a connection was lost."""

    def ready(self) -> MatchReady:
        """Commit to the entropy, if there is any; the same until the next attempt, on whatever connection."""
        if not self._entropy:
            return MatchReady(match=self.start.match)
        return MatchReady(match=self.start.match, commitment=commitment(self._entropy))

    def reveal(self, asked: MatchReveal) -> MatchEntropy:
        """Reveal what was committed to.

        If another program did that, before this one was started, it does not fit.
        """
        self._asked.append(asked)
        return MatchEntropy(match=asked.match, entropy=self._entropy)

    def game_start(self, start: GameStart) -> None:
        """A game begins, or is told of again."""
        self.games.setdefault(start.number, SeenGame(start))

    def check(self, end: MatchEnd) -> list[str]:
        """All that does not fit in what was promised, and in the rolls; empty if everything does.

        An arena that does not tell the seed leaves nothing to check.
        """
        problems: list[str] = []
        seed, entropies = end.dice_seed, end.entropies
        games = [game for game in self.games.values() if game.rolls]
        if seed is None:
            return problems
        if commitment(seed) != self.start.dice_commitment:
            problems.append("the dice seed is not the one that the arena committed to")
        if entropies is None:
            return (
                [*problems, "dice were rolled, but the arena does not tell the entropies"]
                if games
                else problems
            )
        mine, theirs = entropies[self.start.seat - 1], entropies[2 - self.start.seat]
        if self._asked and mine != self._entropy:
            problems.append(
                "the entropy that the dice were made of is not the one this bot has revealed"
            )
        for asked in self._asked:
            if (
                theirs
                if asked.opponent_commitment is None
                else commitment(theirs) != asked.opponent_commitment
            ):
                problems.append("the entropy of the opponent is not the one it had committed to")
                break
        check = self._check_half if self.start.form == "pairs" else self._check_game
        for game in games:
            problems += check(game, seed, entropies)
        return problems

    def _label(self, version: str, *numbers: int) -> str:
        start = self.start
        return "|".join([version, start.match, str(start.attempt), *map(str, numbers)])

    def _check_game(self, game: SeenGame, seed: bytes, entropies: Sequence[bytes]) -> Iterator[str]:
        """A game of a series: one stream has all its dice in their order."""
        number, opening = game.start.number, _opening(self.start)
        stream = dice_stream(seed, self._label("brade-dice-2", number), entropies)
        expected: dict[int, tuple[int, ...]] = {}
        if opening == "higher_starts" or (opening == "lower_starts" and number == 1):
            throw = _thrown(stream)
            yield from _starter_problems(game, throw, opening)
            if opening == "higher_starts":
                expected[1] = throw
        calls = self.start.ruleset["fields"].get("one_die", False)
        for turn in range(len(expected) + 1, max(game.rolls) + 1):
            seen = game.rolls.get(turn)
            if seen is None and calls:
                break  # it may have been one die or two, and all that follow depend on it
            expected[turn] = tuple(islice(stream, 2 if seen is None else len(seen)))
        yield from _roll_problems(game, expected)

    def _check_half(self, game: SeenGame, seed: bytes, entropies: Sequence[bytes]) -> Iterator[str]:
        """A half of a pair: each step has a stream of its own."""
        pair, opening = (game.start.number + 1) // 2, _opening(self.start)
        throw = _thrown(dice_stream(seed, self._label("brade-dice-pairs-2", pair, 0), entropies))
        expected: dict[int, tuple[int, ...]] = {1: throw} if opening == "higher_starts" else {}
        for turn in game.rolls.keys() - expected.keys():
            stream = dice_stream(seed, self._label("brade-dice-pairs-2", pair, turn), entropies)
            expected[turn] = tuple(islice(stream, len(game.rolls[turn])))
        yield from _starter_problems(game, throw, opening)
        yield from _roll_problems(game, expected)


def _opening(start: MatchStart) -> str:
    """Say who starts by the throw, as the ruleset says; empty in a game without."""
    return str(start.ruleset["fields"].get("opening", ""))


def _thrown(stream: Iterator[int]) -> tuple[int, int]:
    """The throw for the start: two dice, and two more as long as they are equal."""
    while True:
        one, two = islice(stream, 2)
        if one != two:
            return one, two


def _starter_problems(game: SeenGame, throw: tuple[int, int], opening: str) -> Iterator[str]:
    is_seat_1 = (throw[0] < throw[1]) == (opening == "lower_starts")
    if opening and game.start.starts != (game.start.seat == (1 if is_seat_1 else 2)):
        yield f"game {game.start.number} was not begun by the side that the throw {throw[0]}-{throw[1]} says"


def _roll_problems(game: SeenGame, expected: dict[int, tuple[int, ...]]) -> Iterator[str]:
    """Yield the first roll that is not as expected; those after it may follow from it."""
    for turn, dice in sorted(game.rolls.items()):
        if turn in expected and dice != expected[turn]:
            saw, made = "-".join(map(str, dice)), "-".join(map(str, expected[turn]))
            yield f"turn {turn} of game {game.start.number} was {saw}, but the seed and the entropies give {made}"
            break
