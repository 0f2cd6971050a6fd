"""Verifiable dice: every roll of a fixture follows from a seed that was committed to beforehand (docs/dice.md).

This is the only module that computes dice. The shell provides the seed.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterable, Iterator, Sequence
from itertools import count
from typing import Final

from arena.matches.facts import FlagFell, GameStarted, MatchFact, MatchOpened, Pair, TurnPlayed, TurnRejected
from arena.matches.state import Deal, Dealer, pair_of

SEED_BYTES: Final = 32

_FACES: Final = bytes(byte % 6 + 1 for byte in range(256))
_SKIPPED: Final = bytes(range(252, 256))
"""252 = 42 * 6: every face is equally likely below it."""


def commitment(seed: bytes) -> str:
    """SHA-256 of the seed in hexadecimal, published before either bot gives its entropy."""
    return hashlib.sha256(seed).hexdigest()


def dice_stream(seed: bytes, *, fixture: str, attempt: int, game: int, entropies: tuple[bytes, bytes]) -> Iterator[int]:
    """The endless dice (1..6) of one game: HMAC-SHA256 in counter mode, bytes of 252 and more skipped.

    `attempt` and `game` count from 1; `entropies` are what the bots at seats 1 and 2 gave, 0-32 bytes each.
    """
    return _stream(_keyed(seed), _game_label(fixture, attempt, game, entropies))


def _game_label(fixture: str, attempt: int, game: int, entropies: tuple[bytes, bytes]) -> str:
    one, two = entropies
    return f"brade-dice-2|{fixture}|{attempt}|{game}|{one.hex()}|{two.hex()}|"


def step_stream(
    seed: bytes, *, fixture: str, attempt: int, pair: int, step: int, entropies: tuple[bytes, bytes]
) -> Iterator[int]:
    """The endless dice (1..6) of one step of a pair, the same for both halves.

    `pair` counts from 1; `step` is 0 for the opening throw, then the number of the turn.
    """
    return _stream(_keyed(seed), _step_label(fixture, attempt, pair, step, entropies))


def _step_label(fixture: str, attempt: int, pair: int, step: int, entropies: tuple[bytes, bytes]) -> str:
    one, two = entropies
    return f"brade-dice-pairs-2|{fixture}|{attempt}|{pair}|{step}|{one.hex()}|{two.hex()}|"


def _keyed(seed: bytes) -> hmac.HMAC:
    """HMAC-SHA256 with its key and no message yet: copying it for every block takes half the time of a new one."""
    return hmac.new(seed, digestmod="sha256")


def _block(keyed: hmac.HMAC, label: str, number: int) -> bytes:
    """The dice of one block of a stream, at most 32."""
    mac = keyed.copy()  # takes a kilobyte, so do not keep it as long as the dice
    mac.update(f"{label}{number}".encode())
    return mac.digest().translate(_FACES, _SKIPPED)


def _stream(keyed: hmac.HMAC, label: str) -> Iterator[int]:
    for number in count():
        yield from _block(keyed, label, number)


def deal_from(opened: MatchOpened, seed: bytes) -> Deal:
    """The dice of a match: they follow from its seed, its header and the entropies of both bots."""

    def deal(first: str, second: str) -> Dealer:
        entropies = (bytes.fromhex(first), bytes.fromhex(second))
        return (PairDealer if opened.terms.form == "pairs" else SeriesDealer)(opened, seed, entropies)

    return deal


class SeriesDealer:
    """Deals the dice of games that are played one after the other: each game takes the next ones of its stream."""

    __slots__ = ("_blocks", "_dice", "_entropies", "_keyed", "_label", "_of", "_opened")

    def __init__(self, opened: MatchOpened, seed: bytes, entropies: tuple[bytes, bytes]) -> None:
        self._opened = opened
        self._entropies = entropies
        self._keyed = _keyed(seed)
        self._of: tuple[int, int] = (0, 0)
        """The game and step whose stream is loaded."""
        self._label = ""
        self._blocks = 0
        self._dice = b""
        """The dice of that stream that were computed so far, and from how many blocks."""

    def throw(self, game: int, number: int) -> Pair:
        """The throw for the start of a game: a die for each seat (B2.1)."""
        one, two = self._take((game, 0), 2 * number, 2)
        return one, two

    def roll(self, game: int, turn: int, dealt: int, dice: int) -> tuple[int, ...]:  # noqa: ARG002 - of interest in pairs
        """Roll `dice` dice for the side to move in a game that was dealt `dealt` dice before."""
        if game == self._of[0] and dealt + dice <= len(self._dice):
            return tuple(self._dice[dealt : dealt + dice])
        return self._take((game, 0), dealt, dice)

    def _take(self, stream: tuple[int, int], start: int, number: int) -> tuple[int, ...]:
        if stream != self._of:
            self._of, self._label, self._blocks, self._dice = stream, self._label_of(*stream), 0, b""
        while start + number > len(self._dice):
            self._dice += _block(self._keyed, self._label, self._blocks)
            self._blocks += 1
        return tuple(self._dice[start : start + number])

    def _label_of(self, game: int, _step: int) -> str:
        return _game_label(self._opened.match, self._opened.attempt, game, self._entropies)


class PairDealer(SeriesDealer):
    """Deals the dice of pairs: each step has a stream, and both halves take their dice from its beginning.

    So the number of dice that one half takes (B11.3) does not change the dice of the other.
    """

    __slots__ = ()

    def throw(self, game: int, number: int) -> Pair:
        """The throw for the start of a pair; `game` is its first half."""
        one, two = self._take((pair_of(game), 0), 2 * number, 2)
        return one, two

    def roll(self, game: int, turn: int, dealt: int, dice: int) -> tuple[int, ...]:  # noqa: ARG002 - of interest in series
        """Roll `dice` dice for the side to move in a half."""
        return self._take((pair_of(game), turn), 0, dice)

    def _label_of(self, pair: int, step: int) -> str:
        return _step_label(self._opened.match, self._opened.attempt, pair, step, self._entropies)


class RecordedDealer:
    """Deals the dice of a record, as far as it goes: for a match whose seed is still secret."""

    def __init__(self, facts: Iterable[MatchFact]) -> None:
        self._throws: dict[int, Sequence[Sequence[int]]] = {}
        self._rolls: dict[tuple[int, int], tuple[int, ...]] = {}
        for fact in facts:
            if isinstance(fact, GameStarted):
                self._throws[fact.game] = fact.opening
            elif isinstance(fact, TurnPlayed | TurnRejected | FlagFell) and fact.dice:
                self._rolls[fact.game, fact.turn] = tuple(fact.dice)

    def deal(self, _first: str, _second: str) -> Dealer:
        """Return itself: the dice do not depend on the entropies."""
        return self

    def throw(self, game: int, number: int) -> Pair | None:
        """The recorded throw."""
        throws = self._throws.get(game, ())
        if number >= len(throws):
            return None
        one, two = throws[number]
        return one, two

    def roll(self, game: int, turn: int, dealt: int, dice: int) -> tuple[int, ...] | None:  # noqa: ARG002 - a Dealer
        """The recorded roll."""
        rolled = self._rolls.get((game, turn))
        assert rolled is None or len(rolled) == dice, f"{dice} dice are rolled here, the record has {rolled}"
        return rolled
