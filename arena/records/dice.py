"""Verifiable dice (docs/dice.md).

Every roll of a fixture follows from a seed, and the arena commits to the seed beforehand. This is
the only module that computes dice. The shell provides the seed.
"""

import hashlib
import hmac
from collections.abc import Iterable, Sequence
from functools import partial
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
from arena.matches.state import (
    Deal,
    Dealer,
    pair_of,
)

SEED_BYTES: Final = 32

_FACES: Final = bytes(byte % 6 + 1 for byte in range(256))
_SKIPPED: Final = bytes(range(252, 256))
"""252 = 42 * 6: every face is equally likely below it."""


def commitment(seed: bytes) -> str:
    """Return the SHA-256 of the seed in hexadecimal.

    It is published before either bot gives its entropy.
    """
    return hashlib.sha256(seed).hexdigest()


def game_label(
    fixture: str,
    attempt: int,
    game: int,
    first: str,
    second: str,
) -> str:
    """Return the label of the dice of one game.

    `first` and `second` are the entropies of both bots, hexadecimal in lower case.
    """
    return f"brade-dice-2|{fixture}|{attempt}|{game}|{first}|{second}|"


def step_label(
    fixture: str,
    attempt: int,
    pair: int,
    step: int,
    first: str,
    second: str,
) -> str:
    """Return the label of the dice of one step of a pair, for both halves.

    Step 0 is the opening throw; the turns follow.
    """
    return f"brade-dice-pairs-2|{fixture}|{attempt}|{pair}|{step}|{first}|{second}|"


def dice_block(keyed: hmac.HMAC, label: str, number: int) -> bytes:
    """Return the dice (1..6) of one block of the endless stream of a label, at most 32.

    They are HMAC-SHA256 in counter mode, `keyed` by the seed; bytes of 252 and more are skipped.
    """
    mac = keyed.copy()  # takes a kilobyte, so do not keep it as long as the dice
    mac.update(f"{label}{number}".encode())
    return mac.digest().translate(_FACES, _SKIPPED)


def deal_from(opened: MatchOpened, seed: bytes) -> Deal:
    """Return the dice of a match, which follow from its seed, its header and both entropies."""
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
        "_opened",
        "_stream",
    )

    def __init__(
        self,
        opened: MatchOpened,
        seed: bytes,
        first: str,
        second: str,
    ) -> None:
        self._opened = opened
        self._is_of_pairs = opened.terms.form == "pairs"
        self._entropies = (first, second)
        self._keyed = hmac.new(seed, digestmod="sha256")
        """No message yet: copying it for every block takes half the time of a new one."""
        self._stream: tuple[int, int] = (0, 0)
        """The stream that is loaded: a game and 0, or a pair and a step."""
        self._label = ""
        self._blocks = 0
        self._dice = b""
        """The dice of that stream so far."""

    def throw(self, game: int, number: int) -> Pair:
        """Throw a die for each seat (B2.1), for the start of a game or of a pair."""
        first = 2 * number
        stream = (game, 0)
        if self._is_of_pairs:
            stream = (pair_of(game), 0)
        self._load(stream, first + 2)
        return self._dice[first], self._dice[first + 1]

    def roll(
        self,
        game: int,
        turn: int,
        dealt: int,
        dice: int,
    ) -> tuple[int, ...]:
        """Roll `dice` dice for the side to move in a game that was dealt `dealt` dice before."""
        stream = (game, 0)
        if self._is_of_pairs:
            stream, dealt = (pair_of(game), turn), 0
        end = dealt + dice
        if stream != self._stream or end > len(self._dice):
            self._load(stream, end)
        return tuple(self._dice[dealt:end])

    def _load(self, stream: tuple[int, int], number: int) -> None:
        """Compute the first `number` dice of a stream, or more."""
        if stream != self._stream:
            opened = self._opened
            game_or_pair, step = stream
            if self._is_of_pairs:
                self._label = step_label(
                    opened.match,
                    opened.attempt,
                    game_or_pair,
                    step,
                    *self._entropies,
                )
            else:
                self._label = game_label(
                    opened.match,
                    opened.attempt,
                    game_or_pair,
                    *self._entropies,
                )
            self._stream = stream
            self._blocks = 0
            self._dice = b""
        while number > len(self._dice):
            self._dice += dice_block(self._keyed, self._label, self._blocks)
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
        """Return the recorded throw; None beyond the end of the record."""
        throws = self._throws.get(game, ())
        if number >= len(throws):
            return None
        first, second = throws[number]
        return first, second

    def roll(
        self,
        game: int,
        turn: int,
        dealt: int,  # noqa: ARG002 - a Dealer
        dice: int,
    ) -> tuple[int, ...] | None:
        """Return the recorded roll; None beyond the end of the record."""
        rolled = self._rolls.get((game, turn))
        assert rolled is None or len(rolled) == dice, (
            f"{dice} dice are rolled here, the record has {rolled}"
        )
        return rolled
