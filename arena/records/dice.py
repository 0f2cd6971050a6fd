"""Verifiable dice: every roll of a fixture follows from a seed that was committed to beforehand (docs/dice.md).

The only module that computes dice; where the seed comes from is the shell's business.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterator
from itertools import count, islice

from arena.matches.facts import Pair
from arena.matches.state import MatchState, pair_of

SEED_BYTES = 32


def commitment(seed: bytes) -> str:
    """SHA-256 of the seed in hexadecimal, made known before either bot gives its entropy."""
    return hashlib.sha256(seed).hexdigest()


def dice_stream(seed: bytes, *, fixture: str, attempt: int, game: int, entropies: tuple[bytes, bytes]) -> Iterator[int]:
    """The endless dice (1..6) of one game: HMAC-SHA256 in counter mode, bytes of 252 and more skipped.

    `attempt` and `game` count from 1; `entropies` are what the bots at seats 1 and 2 gave, 0-32 bytes each.
    """
    return _stream(_keyed(seed), _game_label(fixture, attempt, game, entropies))


def _game_label(fixture: str, attempt: int, game: int, entropies: tuple[bytes, bytes]) -> str:
    one, two = entropies
    return f"brade-dice-1|{fixture}|{attempt}|{game}|{one.hex()}|{two.hex()}|"


def step_stream(
    seed: bytes, *, fixture: str, attempt: int, pair: int, step: int, entropies: tuple[bytes, bytes]
) -> Iterator[int]:
    """The endless dice (1..6) of one step of a pair, the same for both halves.

    `pair` counts from 1; `step` is 0 for the opening throw, then the number of the turn.
    """
    return _stream(_keyed(seed), _step_label(fixture, attempt, pair, step, entropies))


def _step_label(fixture: str, attempt: int, pair: int, step: int, entropies: tuple[bytes, bytes]) -> str:
    one, two = entropies
    return f"brade-dice-pairs-1|{fixture}|{attempt}|{pair}|{step}|{one.hex()}|{two.hex()}|"


def _keyed(seed: bytes) -> hmac.HMAC:
    """HMAC-SHA256 with its key and no message yet: a copy for every block takes half the time of a new one."""
    return hmac.new(seed, digestmod="sha256")


def _digest(keyed: hmac.HMAC, message: str) -> bytes:
    mac = keyed.copy()  # takes a kilobyte, which is not to be kept as long as the dice last
    mac.update(message.encode())
    return mac.digest()


def _stream(keyed: hmac.HMAC, label: str) -> Iterator[int]:
    for block in count():
        for byte in _digest(keyed, f"{label}{block}"):
            if byte < 252:  # 252 = 42 * 6: every face is equally likely below it
                yield byte % 6 + 1


def dealer(state: MatchState, seed: bytes) -> Dealer:
    """Whoever deals the dice of a match: they depend on its form. Both bots must have been ready."""
    return PairDealer(state, seed) if state.opened.terms.form == "pairs" else Dealer(state, seed)


class Dealer:
    """Deals the dice of one attempt at a fixture as the match machine asks for them: a stream for each game."""

    __slots__ = ("_entropies", "_keyed", "_opened", "_streams")

    def __init__(self, state: MatchState, seed: bytes) -> None:
        """Both bots must have been ready: their entropies are part of the dice."""
        one, two = state.ready
        assert one is not None, "dice are rolled after both bots were ready"
        assert two is not None, "dice are rolled after both bots were ready"
        self._entropies = (bytes.fromhex(one.entropy), bytes.fromhex(two.entropy))
        self._opened = state.opened
        self._keyed = _keyed(seed)
        self._streams: dict[int, Iterator[int]] = {}

    def throw(self, game: int) -> Pair:
        """The next throw for the start of a game: a die for each seat (B2.1)."""
        stream = self._streams.get(game) or self._begin(game)
        return next(stream), next(stream)

    def roll(self, game: int, turn: int, dice: int) -> tuple[int, ...]:  # noqa: ARG002 - of interest in pairs only
        """So many dice for the side to move in a game; `turn` is the number of the turn they are for."""
        stream = self._streams.get(game) or self._begin(game)
        return (next(stream), next(stream)) if dice == 2 else tuple(islice(stream, dice))

    def forget(self, game: int) -> None:
        """A game is over."""
        self._streams.pop(game, None)

    def _begin(self, game: int) -> Iterator[int]:
        opened = self._opened
        stream = _stream(self._keyed, _game_label(opened.match, opened.attempt, game, self._entropies))
        self._streams[game] = stream
        return stream


class PairDealer(Dealer):
    """Deals the dice of pairs: a stream for each step, from whose beginning both halves take theirs.

    So how many dice one half takes (B11.3) does not touch what the other is dealt.
    """

    __slots__ = ()

    def throw(self, game: int) -> Pair:
        """The next throw for the start of a pair; `game` is its first half."""
        stream = self._streams.get(game)
        if stream is None:
            self._streams[game] = stream = self._step(game, 0)
        return next(stream), next(stream)

    def roll(self, game: int, turn: int, dice: int) -> tuple[int, ...]:
        """So many dice for the side to move in a half."""
        return tuple(islice(self._step(game, turn), dice))

    def _step(self, game: int, step: int) -> Iterator[int]:
        opened = self._opened
        return _stream(self._keyed, _step_label(opened.match, opened.attempt, pair_of(game), step, self._entropies))
