"""Verifiable dice: every roll of a fixture follows from a seed that was committed to beforehand (docs/dice.md).

This is the only module that computes dice. The shell provides the seed.
"""

import hashlib
import hmac
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import count
from typing import Final

from arena.matches.facts import (
    FlagFell,
    GameStarted,
    MatchFact,
    MatchOpened,
    Pair,
    TurnPlayed,
    TurnRejected,
)
from arena.matches.state import Deal, Dealer, pair_of

SEED_BYTES: Final = 32

_FACES: Final = bytes(byte % 6 + 1 for byte in range(256))
_SKIPPED: Final = bytes(range(252, 256))
"""252 = 42 * 6: every face is equally likely below it."""


def commitment(seed: bytes) -> str:
    """SHA-256 of the seed in hexadecimal, published before either bot gives its entropy."""
    return hashlib.sha256(seed).hexdigest()


def game_label(fixture: str, attempt: int, game: int, one: str, two: str) -> str:
    """Label of the dice of one game; `one` and `two` are the entropies of both bots, hexadecimal in lower case."""
    return f"brade-dice-2|{fixture}|{attempt}|{game}|{one}|{two}|"


def step_label(fixture: str, attempt: int, pair: int, step: int, one: str, two: str) -> str:
    """Label of the dice of one step of a pair, for both halves: 0 is the opening throw, then come the turns."""
    return f"brade-dice-pairs-2|{fixture}|{attempt}|{pair}|{step}|{one}|{two}|"


def dice_stream(seed: bytes, label: str) -> Iterator[int]:
    """The endless dice (1..6) of a label: HMAC-SHA256 in counter mode, bytes of 252 and more skipped."""
    keyed = hmac.new(seed, digestmod="sha256")
    for number in count():
        yield from _block(keyed, label, number)


def _block(keyed: hmac.HMAC, label: str, number: int) -> bytes:
    """The dice of one block of a stream, at most 32."""
    mac = keyed.copy()  # takes a kilobyte, so do not keep it as long as the dice
    mac.update(f"{label}{number}".encode())
    return mac.digest().translate(_FACES, _SKIPPED)


def deal_from(opened: MatchOpened, seed: bytes) -> Deal:
    """The dice of a match: they follow from its seed, its header and the entropies of both bots."""
    return partial(SeededDealer, opened, seed)


class SeededDealer:
    """Deals the dice that follow from a seed.

    In a series each game takes the next ones of its stream. In pairs each step has a stream, and
    both halves take their dice from its beginning: so the number of dice that one half takes
    (B11.3) does not change the dice of the other.
    """

    __slots__ = (
        "_blocks",
        "_dice",
        "_entropies",
        "_is_of_pairs",
        "_keyed",
        "_label",
        "_of",
        "_opened",
    )

    def __init__(self, opened: MatchOpened, seed: bytes, first: str, second: str) -> None:
        self._opened = opened
        self._is_of_pairs = opened.terms.form == "pairs"
        self._entropies = (first, second)
        self._keyed = hmac.new(seed, digestmod="sha256")
        """No message yet: copying it for every block takes half the time of a new one."""
        self._of: tuple[int, int] = (0, 0)
        """The stream that is loaded: a game and 0, or a pair and a step."""
        self._label = ""
        self._blocks = 0
        self._dice = b""
        """The dice of that stream so far."""

    def throw(self, game: int, number: int) -> Pair:
        """The throw for the start of a game, or of a pair: a die for each seat (B2.1)."""
        self._load((pair_of(game) if self._is_of_pairs else game, 0), 2 * number + 2)
        return self._dice[2 * number], self._dice[2 * number + 1]

    def roll(self, game: int, turn: int, dealt: int, dice: int) -> tuple[int, ...]:
        """Roll `dice` dice for the side to move in a game that was dealt `dealt` dice before."""
        stream = (game, 0)
        if self._is_of_pairs:
            stream, dealt = (pair_of(game), turn), 0
        if stream != self._of or dealt + dice > len(self._dice):
            self._load(stream, dealt + dice)
        return tuple(self._dice[dealt : dealt + dice])

    def _load(self, stream: tuple[int, int], number: int) -> None:
        """Have at least so many dice of a stream at hand."""
        if stream != self._of:
            match, attempt, (number_of, step) = self._opened.match, self._opened.attempt, stream
            if self._is_of_pairs:
                self._label = step_label(match, attempt, number_of, step, *self._entropies)
            else:
                self._label = game_label(match, attempt, number_of, *self._entropies)
            self._of, self._blocks, self._dice = stream, 0, b""
        while number > len(self._dice):
            self._dice += _block(self._keyed, self._label, self._blocks)
            self._blocks += 1


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
        assert rolled is None or len(rolled) == dice, (
            f"{dice} dice are rolled here, the record has {rolled}"
        )
        return rolled
