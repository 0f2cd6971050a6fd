"""The bot's half of verifiable dice (docs/dice.md): it commits, reveals, and checks the rolls.

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
    """Return the SHA-256 of a bot's entropy or of the arena's seed, to tell before the reveal."""
    return hashlib.sha256(entropy).digest()


def dice_stream(seed: bytes, label: str, entropies: Sequence[bytes]) -> Iterator[int]:
    """Yield the endless dice (1..6) of a game, or of a step of a pair.

    `label` is the message up to the entropies.
    """
    first, second = entropies
    for number in count():
        message = f"{label}|{first.hex()}|{second.hex()}|{number}".encode()
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
        """Keep the roll of a turn of the bot, and that of the opponent's before it."""
        if turn.last is not None:
            self._keep(turn.turn - 1, turn.last.dice)
        self._keep(turn.turn, turn.dice)
        self._last_turn = turn.turn

    def end(self, end: GameEnd) -> None:
        """Keep the roll of the opponent's last turn, if it comes with the end of the game.

        The end does not give that turn's number. A program that was not asked for any turn before
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
        self._reveals: list[MatchReveal] = []
        """All requests to reveal: one more after each lost connection."""

    def ready(self) -> MatchReady:
        """Commit to the entropy, if there is any; the same on all connections of this attempt."""
        if not self._entropy:
            return MatchReady(match=self.start.match)
        return MatchReady(match=self.start.match, commitment=commitment(self._entropy))

    def reveal(self, request: MatchReveal) -> MatchEntropy:
        """Reveal the entropy that was committed to.

        If another program did that, before this one was started, the two do not fit.
        """
        self._reveals.append(request)
        return MatchEntropy(match=request.match, entropy=self._entropy)

    def game_start(self, start: GameStart) -> None:
        """Open a game that begins, or is told of again."""
        self.games.setdefault(start.number, SeenGame(start))

    def check(self, end: MatchEnd) -> list[str]:
        """Return where commitments and rolls are not as promised; empty if all are.

        An arena that does not tell the seed leaves nothing to check.
        """
        problems: list[str] = []
        seed = end.dice_seed
        entropies = end.entropies
        if seed is None:
            return problems
        games = [game for game in self.games.values() if game.rolls]
        if commitment(seed) != self.start.dice_commitment:
            problems.append("the dice seed is not the one that the arena committed to")
        if entropies is None:
            if games:
                problems.append("dice were rolled, but the arena does not tell the entropies")
            return problems
        problems += self._entropy_problems(entropies)
        check = self._check_half if self.start.form == "pairs" else self._check_game
        for game in games:
            problems += check(game, seed, entropies)
        return problems

    def _entropy_problems(self, entropies: Sequence[bytes]) -> Iterator[str]:
        mine = entropies[self.start.seat - 1]
        theirs = entropies[2 - self.start.seat]
        if self._reveals and mine != self._entropy:
            yield "the entropy that the dice were made of is not the one this bot has revealed"
        for request in self._reveals:
            if not _is_committed(theirs, request.opponent_commitment):
                yield "the entropy of the opponent is not the one it had committed to"
                break

    def _label(self, version: str, *numbers: int) -> str:
        start = self.start
        return "|".join([version, start.match, str(start.attempt), *map(str, numbers)])

    def _check_game(self, game: SeenGame, seed: bytes, entropies: Sequence[bytes]) -> Iterator[str]:
        """Yield the problems of a game of a series: one stream has all its dice in their order."""
        number = game.start.number
        opening = _opening(self.start)
        stream = dice_stream(seed, self._label("brade-dice-2", number), entropies)
        expected: dict[int, tuple[int, ...]] = {}
        if opening == "higher_starts" or (opening == "lower_starts" and number == 1):
            throw = _thrown(stream)
            yield from _starter_problems(game, throw, opening)
            if opening == "higher_starts":
                expected[1] = throw
        calls = self.start.ruleset["fields"].get("one_die", False)
        for turn in range(len(expected) + 1, max(game.rolls) + 1):
            roll = game.rolls.get(turn)
            if roll is None and calls:
                break  # it may have been one die or two, and all that follow depend on it
            size = 2
            if roll is not None:
                size = len(roll)
            expected[turn] = tuple(islice(stream, size))
        yield from _roll_problems(game, expected)

    def _check_half(self, game: SeenGame, seed: bytes, entropies: Sequence[bytes]) -> Iterator[str]:
        """Yield the problems of a half of a pair: each step has a stream of its own."""
        pair = (game.start.number + 1) // 2
        opening = _opening(self.start)
        throw = _thrown(dice_stream(seed, self._label("brade-dice-pairs-2", pair, 0), entropies))
        expected: dict[int, tuple[int, ...]] = {}
        if opening == "higher_starts":
            expected[1] = throw
        for turn in game.rolls.keys() - expected.keys():
            stream = dice_stream(seed, self._label("brade-dice-pairs-2", pair, turn), entropies)
            expected[turn] = tuple(islice(stream, len(game.rolls[turn])))
        yield from _starter_problems(game, throw, opening)
        yield from _roll_problems(game, expected)


def _is_committed(entropy: bytes, digest: bytes | None) -> bool:
    """Return whether this is the entropy committed to; without a digest there is none."""
    if digest is None:
        return not entropy
    return commitment(entropy) == digest


def _opening(start: MatchStart) -> str:
    """Return who starts by the throw, as the ruleset says; empty in a game without."""
    return str(start.ruleset["fields"].get("opening", ""))


def _thrown(stream: Iterator[int]) -> tuple[int, int]:
    """Return the throw for the start: two dice, and two more as long as they are equal."""
    while True:
        first, second = islice(stream, 2)
        if first != second:
            return first, second


def _starter_problems(game: SeenGame, throw: tuple[int, int], opening: str) -> Iterator[str]:
    first, second = throw
    is_seat_1 = (first < second) == (opening == "lower_starts")
    starter = 1 if is_seat_1 else 2
    starts = game.start.seat == starter
    if opening and game.start.starts != starts:
        yield (
            f"game {game.start.number} was not started by the side "
            f"that the throw {first}-{second} says"
        )


def _roll_problems(game: SeenGame, expected: dict[int, tuple[int, ...]]) -> Iterator[str]:
    """Yield the first roll that is not as expected; those after it may follow from it."""
    for turn, dice in sorted(game.rolls.items()):
        if turn in expected and dice != expected[turn]:
            yield (
                f"turn {turn} of game {game.start.number} was {_format_dice(dice)}, "
                f"but the seed and the entropies give {_format_dice(expected[turn])}"
            )
            break


def _format_dice(dice: Sequence[int]) -> str:
    return "-".join(map(str, dice))
