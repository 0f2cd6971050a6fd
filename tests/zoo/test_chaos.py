"""Bots that come and go, play well and badly, at several tables: every match ends, and every record verifies."""

from __future__ import annotations

import hashlib
import random
from contextlib import suppress
from itertools import combinations, cycle
from typing import get_args

import pytest
import trio
from msgspec.structs import replace

from arena.matches.facts import Terms
from arena.matches.time_control import TimeControl
from protocol.messages import (
    Error,
    GameEnd,
    GameStart,
    MatchEntropy,
    MatchReady,
    MatchReveal,
    MatchStart,
    Rejected,
    Turn,
)
from tests.fixtures.playing_room import Guest, Pipes, Room, login
from tests.zoo.faults import GONE, SUDDEN, legal
from tests.zoo.settled import settle

NAMES = ("anna", "bo", "cia", "dag")
TERMS = Terms(
    games=3,
    clock=TimeControl(delay_ms=100, bank_ms=600),
    rejections=1,
    turn_limit=20,
    startup_ms=3000,
)
PAIRS = replace(TERMS, form="pairs", games=4)
FORGIVEN = {"stale_turn", "unknown_game", "unknown_match", "remark_left_out"}
ENTROPY = b"chaos"


class Chaos:
    """A bot without a plan: mostly it plays, sometimes late; now and then it has a fault, or is gone and comes back."""

    def __init__(self, room: Room, name: str, chance: random.Random) -> None:
        self.room = room
        self.name = name
        self.chance = chance
        self.window = chance.randint(1, 3)
        self.open: dict[int, Turn] = {}
        self.games: set[int] = set()

    async def live(self) -> None:
        """Log in again and again, and play as long as the connection lasts."""
        while True:
            guest = self.room.connect()
            with suppress(*GONE):
                await guest.hear_next()
                await guest.say(login(self.name, window=self.window, wants=["legal"]))
                self.open.clear()
                self.games.clear()
                while True:
                    await self.react(guest, await guest.hear_next())
            await trio.sleep(self.chance.choice((0, 0.05, 0.5, 3)))

    async def react(self, guest: Guest, message: object) -> None:
        """One message: usually the right answer.

        What the arena says must fit what it has said before.
        """
        if isinstance(message, Error):
            assert message.code in FORGIVEN or message.fatal, message
        elif isinstance(message, MatchStart) and self.chance.random() < 0.97:
            await guest.say(
                MatchReady(match=message.match, commitment=hashlib.sha256(ENTROPY).digest())
            )
        elif isinstance(message, MatchReveal) and self.chance.random() < 0.97:
            await guest.say(MatchEntropy(match=message.match, entropy=ENTROPY))
        elif isinstance(message, GameStart):
            assert message.game not in self.games
            self.games.add(message.game)
        elif isinstance(message, GameEnd):
            self.games.discard(message.game)
            self.open.pop(message.game, None)
        elif isinstance(message, Turn):
            assert message.game in self.games
            assert message.game not in self.open
            self.open[message.game] = message
            assert len(self.open) <= self.window
            await self.answer(guest, message)
        elif (
            isinstance(message, Rejected)
            and message.left >= 0
            and (turn := self.open.get(message.game)) is not None
        ):
            await self.answer(guest, turn)

    async def answer(self, guest: Guest, turn: Turn) -> None:
        await trio.sleep(self.chance.choice((0, 0, 0, 0.001, 0.02, 0.099, 0.1, 0.101, 0.2)))
        fate = self.chance.random()
        if fate < 0.88:
            self.open.pop(turn.game)
            await guest.say(legal(turn))
        elif fate < 0.98:
            await self.chance.choice(SUDDEN)(guest, turn)
            self.open.pop(turn.game)


SEEDS = [
    pytest.param(
        pipes,
        seed,
        marks=[pytest.mark.slow] if 3 < seed < 12 else [pytest.mark.soak] if seed > 3 else [],
    )
    for seed, pipes in zip(range(64), cycle(get_args(Pipes)), strict=False)
]
"""Seeds on one transport after the other; some for every day."""


@pytest.mark.parametrize(("room", "seed"), SEEDS, indirect=["room"])
async def test_whatever_bots_do_every_match_ends_and_its_record_replays(
    room: Room, seed: int
) -> None:
    chance = random.Random(seed)
    for name in NAMES:
        room.expect(name, grace_ms=chance.choice((0, 50, 2000)))
    async with trio.open_nursery() as nursery:
        for name in NAMES:
            nursery.start_soon(Chaos(room, name, random.Random(chance.random())).live)
        for number, terms in enumerate((TERMS, PAIRS), start=1):
            tables = [
                room.lay_table(*pair, terms=terms, round_number=number)
                for pair in combinations(NAMES, 2)
            ]
            for table in tables:
                await settle(room, table)
        nursery.cancel_scope.cancel()
