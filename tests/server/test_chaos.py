"""Everything at once: bots that come and go, play well and badly, at several tables, over real sessions."""

from __future__ import annotations

import hashlib
import random
from itertools import cycle
from typing import get_args

import pytest
import trio
from msgspec.structs import replace

from arena.matches.facts import MatchEnded, Terms
from arena.records.facts import DiceRevealed
from arena.records.reading import read_attempts
from arena.records.verify import verify_attempt
from arena.server.io.journal import Journal
from arena.server.play.table import Table
from protocol.messages import (
    Bye,
    Error,
    GameEnd,
    GameStart,
    MatchEntropy,
    MatchReady,
    MatchReveal,
    MatchStart,
    Ping,
    Play,
    Rejected,
    Turn,
)
from tests.server.room import ILLEGAL, SEED, Guest, HungUpError, Pipes, Room, first_legal, login

NAMES = ("anna", "bo", "cia", "dag")
TERMS = Terms(games=3, delay_ms=100, bank_ms=600, rejections=1, turn_limit=20, startup_ms=3000)
PAIRS = replace(TERMS, form="pairs", games=4)
FORGIVEN = {"stale_turn", "unknown_game", "unknown_match"}
GARBAGE = (b"\xff\xff\xff\xff", b"\x00\x00\x00\x01\xc1", b"\x00\x00\x00\x09half a fr")
BROKEN = (trio.BrokenResourceError, trio.ClosedResourceError, HungUpError)

ENTROPY = b"chaos"


class Chaos:
    """A bot without a plan: mostly it plays, sometimes it does something else. Checks what it is told."""

    def __init__(self, room: Room, name: str, chance: random.Random) -> None:
        self.room = room
        self.name = name
        self.chance = chance
        self.window = chance.randint(1, 3)
        self.open: dict[int, Turn] = {}
        self.games: dict[int, str] = {}

    async def live(self) -> None:
        """Log in again and again, and play as long as the connection lasts."""
        while True:
            guest = self.room.connect()
            try:
                await guest.hear_next()
                await guest.say(login(self.name, window=self.window))
                self.open.clear()
                self.games.clear()
                while True:
                    await self.react(guest, await guest.hear_next())
            except BROKEN:
                await trio.sleep(self.chance.choice((0, 0.05, 0.5, 3)))

    async def react(self, guest: Guest, message: object) -> None:
        """One message: usually the right answer, after a while."""
        if isinstance(message, Error):
            assert message.code in FORGIVEN or message.fatal, message
        elif isinstance(message, MatchStart):
            if self.chance.random() < 0.97:
                await guest.say(MatchReady(match=message.match, commitment=hashlib.sha256(ENTROPY).digest()))
        elif isinstance(message, MatchReveal):
            if self.chance.random() < 0.97:
                await guest.say(MatchEntropy(match=message.match, entropy=ENTROPY))
        elif isinstance(message, GameStart):
            assert message.game not in self.games
            self.games[message.game] = message.match
        elif isinstance(message, GameEnd):
            self.games.pop(message.game, None)
            self.open.pop(message.game, None)
        elif isinstance(message, Turn):
            assert message.game in self.games
            assert message.game not in self.open
            self.open[message.game] = message
            assert len(self.open) <= self.window
            await self.answer(guest, message)
        elif isinstance(message, Rejected):
            turn = self.open.get(message.game) or next(
                turn for turn in reversed(guest.heard(Turn)) if (turn.game, turn.turn) == (message.game, message.turn)
            )
            if message.left >= 0:
                self.open[turn.game] = turn
                await self.answer(guest, turn)

    async def answer(self, guest: Guest, turn: Turn) -> None:
        """Well, badly, late, twice, or not at all."""
        chance = self.chance
        if guest.wire.is_closed:
            raise HungUpError  # goodbye was said by one side or the other
        await trio.sleep(chance.choice((0, 0, 0, 0.001, 0.02, 0.099, 0.1, 0.101, 0.2)))
        fate = chance.random()
        play = Play(game=turn.game, turn=turn.turn, moves=first_legal(turn), info={"fate": str(fate)})
        if fate < 0.85:
            self.open.pop(turn.game, None)
            await guest.say(play)
        elif fate < 0.90:
            self.open.pop(turn.game, None)
            await guest.say(Play(game=turn.game, turn=turn.turn, moves=ILLEGAL))
        elif fate < 0.93:
            self.open.pop(turn.game, None)
            await guest.say(play, play, Play(game=99, turn=1, choice=3), Ping(data=1))
        elif fate < 0.96:
            await guest.hang_up()
        elif fate < 0.97:
            await guest.say_bytes(chance.choice(GARBAGE))
        elif fate < 0.98:
            await guest.say(Bye())


CASES = [
    pytest.param(pipes, seed, marks=[pytest.mark.slow] if seed > 3 else [])
    for seed, pipes in zip(range(64), cycle(get_args(Pipes)), strict=False)
]
"""Seeds on one transport after the other; some for every day."""


@pytest.mark.parametrize(("room", "seed"), CASES, indirect=["room"])
async def test_whatever_bots_do_every_match_ends_and_its_record_replays(room: Room, seed: int) -> None:
    """Six matches at once between four bots, six of pairs: no window is overfilled, nothing crashes, all verifies."""
    await play_chaos(room, random.Random(seed))


async def play_chaos(room: Room, chance: random.Random) -> None:
    graces = [chance.choice((0, 50, 2000)) for _ in NAMES]
    for name, grace_ms in zip(NAMES, graces, strict=True):
        room.expect(name, grace_ms=grace_ms)
    async with trio.open_nursery() as nursery:
        for name in NAMES:
            nursery.start_soon(Chaos(room, name, random.Random(chance.random())).live)
        for round_number, terms in enumerate((TERMS, PAIRS), start=1):
            pairs = [(one, two) for place, one in enumerate(NAMES) for two in NAMES[place + 1 :]]
            tables = [room.lay_table(*pair, terms=terms, round_number=round_number) for pair in pairs]
            for table in tables:
                await see_to_its_end(room, table)
        nursery.cancel_scope.cancel()


async def see_to_its_end(room: Room, table: Table) -> None:
    """What the director does when a match is over; then its record must replay."""
    end = await table.over()
    path = room.folder / f"{table.id}.jsonl"
    journal = Journal(path)
    journal.write(DiceRevealed(at_ms=room.loop.clock.now_ms(), attempt=1, dice_seed=SEED.hex()))
    data = journal.seal()
    journal.close()
    table.tell_result(None)
    room.loop.end_batch()
    [attempt] = read_attempts(path.name, data)
    assert attempt.end == end
    verify_attempt(attempt)
    if isinstance(end, MatchEnded):
        assert len(attempt.games) == attempt.opened.terms.games
        assert sum(end.score) == sum(game.points for game in attempt.games)
