"""Frames that are nearly messages: samples of every message with small or large changes, the same for the same seed."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import msgpack
import msgspec

from protocol.codec import HEADER_BYTES
from protocol.messages import Message
from tests.fixtures.message_samples import all_samples
from tests.generators.make_vectors import BAD_PAYLOADS

Pairs = list[tuple[Any, Any]]
"""A map as its pairs, so that a key may stand in it twice."""


def other_bytes(chance: random.Random, data: bytes, *likely: bytes) -> bytes:
    """Some bytes changed, put in, or taken out, mostly near the beginning, and now and then the end cut off."""
    changed = bytearray(data)
    for _ in range(chance.choice((1, 1, 2, 8))):
        place = chance.randrange(chance.choice((len(changed), min(len(changed), 400))) + 1)
        if changed[place:] and chance.random() < 0.25:
            changed[place] ^= 1 << chance.randrange(8)
        else:
            piece = chance.choice((b"", chance.randbytes(chance.randrange(1, 5)), *likely))
            changed[place : place + chance.randrange(5)] = piece
    if chance.random() < 0.2:
        del changed[chance.randrange(len(changed) + 1) :]
    return bytes(changed)


def nested(depth: int) -> Any:
    value: Any = 1
    for _ in range(depth):
        value = [value]
    return value


NUMBERS = (0, -1, 1, 25, 26, 255, 2**31, 2**32, 0.0, 0.5, -1e308, float("inf"), float("nan"))
BORDERS = (2**53, 2**53 + 1, -(2**53), -(2**53) - 1, 2**63, 2**64 - 1, -(2**63))
WORDS = (
    "",
    "x",
    "play",
    "legal",
    "\0",
    "é" * 40,
    "x" * 5000,
    b"",
    b"\xff" * 32,
    bytes(33),
    b"x" * 5000,
)
LISTS = (
    [],
    [[]],
    [[1, 7]],
    [[1, 7, 9]],
    [[0, 25]] * 5,
    [["d1", "c1"]],
    ["1/7"],
    [None],
    list(range(2000)),
)
MAPS = (
    {},
    {"a": 1},
    {1: 2},
    {b"a": 1},
    {"a": {"b": {"c": [{}]}}},
    {str(number): number for number in range(300)},
)
OTHERS = (
    None,
    True,
    False,
    nested(7),
    nested(8),
    nested(20),
    msgpack.ExtType(1, b"x"),
    msgpack.Timestamp(1, 2),
)
ODD_VALUES: tuple[Any, ...] = NUMBERS + BORDERS + WORDS + LISTS + MAPS + OTHERS
ODD_KEYS: tuple[Any, ...] = (
    "type",
    "game",
    "turn",
    "info",
    "draw",
    "x",
    "",
    1,
    None,
    b"type",
    True,
)
ODD_LENGTHS = (0, 1, 4096, 4097, 65_536, 65_537, 262_145, 2**24, 2**31, 2**32 - 1)

BAD = tuple(payload for _, payload, _ in BAD_PAYLOADS)


def framed(payload: bytes) -> bytes:
    return len(payload).to_bytes(HEADER_BYTES, "big") + payload


def packed(pairs: Pairs) -> bytes:
    """A map in msgpack, with every key as often as it stands there."""
    return msgpack.Packer().pack_map_header(len(pairs)) + b"".join(
        msgpack.packb(value) for pair in pairs for value in pair
    )


class Mutator:
    """Makes frames from the samples of one direction."""

    def __init__(self, chance: random.Random, messages: Sequence[Message]) -> None:
        self._chance = chance
        self._maps: list[Pairs] = [
            list(msgspec.to_builtins(message, builtin_types=(bytes,)).items())
            for message in messages
        ]
        self._changes: list[Callable[[Pairs], None]] = [
            self._value,
            self._value,
            self._inner,
            self._drop,
            self._add,
        ]
        self._changes += [self._twice, self._rename, self._shuffle]

    def frame(self) -> bytes:
        """One frame: a sample as it is, with other fields, or with other bytes."""
        chance = self._chance
        fate = chance.random()
        pairs = list(chance.choice(self._maps))
        if fate < 0.3:
            return framed(packed(pairs))
        if fate < 0.75:
            for _ in range(chance.choice((1, 1, 1, 2, 5))):
                chance.choice(self._changes)(pairs)
            return framed(packed(pairs))
        if fate < 0.95:
            payload = other_bytes(self._chance, packed(pairs))
            return (
                framed(payload)
                if self._chance.random() < 0.5
                else framed(packed(pairs))[:HEADER_BYTES] + payload
            )
        if fate < 0.98:
            return framed(chance.choice((*BAD, chance.randbytes(chance.randrange(60)))))
        return chance.choice(ODD_LENGTHS).to_bytes(HEADER_BYTES, "big") + packed(pairs)

    # Other fields

    def _place(self, pairs: Pairs) -> int:
        return self._chance.randrange(len(pairs))

    def _value(self, pairs: Pairs) -> None:
        if pairs:
            place = self._place(pairs)
            pairs[place] = (pairs[place][0], self._chance.choice(ODD_VALUES))

    def _inner(self, pairs: Pairs) -> None:
        places = [
            place
            for place, (_, value) in enumerate(pairs)
            if isinstance(value, dict | list | tuple) and value
        ]
        if places:
            place = self._chance.choice(places)
            key, value = pairs[place]
            odd = self._chance.choice(ODD_VALUES)
            if isinstance(value, dict):
                pairs[place] = (key, value | {self._chance.choice(list(value)): odd})
            else:
                changed = list(value)
                changed[self._chance.randrange(len(changed))] = odd
                pairs[place] = (key, changed)

    def _drop(self, pairs: Pairs) -> None:
        if pairs:
            del pairs[self._place(pairs)]

    def _add(self, pairs: Pairs) -> None:
        pairs.append((self._chance.choice(ODD_KEYS), self._chance.choice(ODD_VALUES)))

    def _twice(self, pairs: Pairs) -> None:
        if pairs:
            pairs.append(pairs[self._place(pairs)])

    def _rename(self, pairs: Pairs) -> None:
        if pairs:
            place = self._place(pairs)
            pairs[place] = (self._chance.choice(ODD_KEYS), pairs[place][1])

    def _shuffle(self, pairs: Pairs) -> None:
        self._chance.shuffle(pairs)


def samples(classes: Iterable[type[Any]]) -> list[Message]:
    wanted = tuple(classes)
    return [message for _, _, message in all_samples() if isinstance(message, wanted)]
