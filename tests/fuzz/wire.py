"""Fuzzing of codec and connection: any bytes give messages and at most one `ProtocolError`."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path
from typing import Any

from protocol.codec import HEADER_BYTES, TO_ARENA, TO_BOT, decode
from protocol.connection import ArenaConnection, BotConnection
from protocol.errors import ProtocolError
from tests.fixtures.connection_ends import open_pair, pair_awaiting_login
from tests.fuzz.mutations import Mutator, samples

MOST_FRAMES = 12
"""Of one connection, if it lasts so long."""


class WireFuzz:
    """Feeds frames to both ends of a connection, to each as a whole and again in pieces, and to the codec alone."""

    def __init__(self, seed: int, _folder: Path) -> None:
        self._chance = random.Random(seed)
        self._to_arena = Mutator(self._chance, samples(TO_ARENA.types.values()))
        self._to_bot = Mutator(self._chance, samples(TO_BOT.types.values()))
        self.cases = 0
        self.counts: Counter[str] = Counter()
        """`message` for each message that came through, else the code of the error."""

    def step(self) -> None:
        """One connection with some frames.

        Raises `AssertionError` for a broken law, and whatever should not happen.
        """
        chance = self._chance
        is_arena = chance.random() < 0.7
        mutator = self._to_arena if is_arena else self._to_bot
        frames = [mutator.frame() for _ in range(chance.randint(1, MOST_FRAMES))]
        for frame in frames:
            self._decode(frame, is_arena=is_arena)
        stream = b"".join(frames)
        opened = chance.random() < 0.8
        whole, pieces = (_end(is_arena=is_arena, opened=opened) for _ in range(2))
        messages = self._feed(whole, [stream])
        again = self._feed(pieces, self._cut(stream))
        assert messages == again, "the same bytes in other pieces gave other messages"
        assert str(whole.fault) == str(pieces.fault), (
            "the same bytes in other pieces gave another fault"
        )
        assert whole.state is pieces.state
        assert whole.unread_bytes == pieces.unread_bytes
        self.cases += len(frames)
        self.counts["message"] += len(messages)
        if whole.fault is not None:
            self.counts[whole.fault.code] += 1

    def _decode(self, frame: bytes, *, is_arena: bool) -> None:
        try:
            decode(frame[HEADER_BYTES:], TO_ARENA if is_arena else TO_BOT)
        except ProtocolError as error:
            found = error
        else:
            return
        self.counts[found.code] += 1
        assert len(found.message) < 500, "an error quotes what was received"

    def _feed(self, end: Any, pieces: list[bytes]) -> list[Any]:
        return [message for piece in pieces for message in end.receive(piece)]

    def _cut(self, stream: bytes) -> list[bytes]:
        pieces, place = [], 0
        while place < len(stream):
            end = place + self._chance.choice((1, 2, 3, 7, 50, 1000, 20_000))
            pieces.append(stream[place:end])
            place = end
        return pieces


def _end(*, is_arena: bool, opened: bool) -> ArenaConnection | BotConnection:
    """One end of a connection: after the welcome, or waiting for the first word of the other."""
    if not opened:
        return pair_awaiting_login()[0] if is_arena else BotConnection()
    arena, bot = open_pair()
    return arena if is_arena else bot
