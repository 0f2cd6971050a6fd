"""Answers at the deadline, exact to the millisecond: the real loop, sessions and table, with a clock set by hand.

No real connection is exact to a millisecond, so these cases run in this process, over pipes in memory and under trio's
mock clock, which jumps to the next moment when everybody waits.
"""

from __future__ import annotations

from contextlib import closing
from functools import partial
from pathlib import Path

import trio
import trio.testing

from arena.games import load_game, ruleset_record
from arena.games.result import Result
from arena.matches.facts import MatchOpened, Terms
from arena.matches.match import open_match
from arena.records.dice import commitment, deal_from
from arena.server.door.logins import Logins
from arena.server.io.event_loop import EventLoop
from arena.server.io.journal import Journal
from arena.server.io.link import StreamLink
from arena.server.io.secret_values import dice_seed, new_dice_key, new_token
from arena.server.play.player import Player as Seated
from arena.server.play.session import Session
from arena.server.play.table import Table
from arena.server.run.roster import Roster
from arena.server.setup.account import Account
from arena.torture.case import Case, Found
from arena.torture.player import Moments, Player
from arena.torture.raw_connection import RawConnection, first_legal
from arena.torture.stages import HONEST, ROGUE, bounded
from protocol.messages import Turn

TERMS = Terms(games=1, delay_ms=250, bank_ms=750, rejections=0, turn_limit=20, startup_ms=1000)
LIMIT_MS = TERMS.delay_ms + TERMS.bank_ms
"""The bot's time for its first turn."""
DAY_SECONDS = 24 * 3600.0
"""Seconds of the mock clock; a match that hangs fails at once instead of standing still."""


async def _match(journal: Journal, offset_ms: int) -> Found:
    """Play a game in which the rogue answers its first turn so long after its deadline, and all others at once."""
    rules = load_game("vasa")
    async with trio.open_nursery() as nursery:
        loop = EventLoop(nursery)
        loop.open()
        roster = Roster(Logins())
        honest, rogue = (Seated(Account(name, new_token(), grace_ms=0), loop) for name in (HONEST, ROGUE))
        moments = Moments()

        async def late(connection: RawConnection, turn: Turn) -> None:
            await trio.sleep_until(loop.clock.loop_time(loop.clock.now_ms() + LIMIT_MS + offset_ms))
            await connection.say(first_legal(turn))

        for seated in (honest, rogue):
            account = seated.account
            roster.expect(seated)
            ours, theirs = trio.testing.memory_stream_pair()
            link = StreamLink(ours, account.name, loop.spawn)
            link.serve(Session(loop, link, account.name, "arena torture", roster.find))
            player = Player(RawConnection(theirs), account.name, account.token, moments)
            if account.name == ROGUE:
                player.will(late, at_turn=1)
            nursery.start_soon(player.run)
        match = f"r1-{HONEST}-v-{ROGUE}"
        seed = dice_seed(new_dice_key(), match, attempt=1)
        opened = MatchOpened(
            at_ms=loop.clock.now_ms(),
            match=match,
            attempt=1,
            ruleset=ruleset_record(rules),
            terms=TERMS,
            entrants=(HONEST, ROGUE),
            dice_commitment=commitment(seed),
        )
        opening = open_match(rules, opened, deal_from(opened, seed))
        table = Table(loop, opening, seed, (honest, rogue), journal)
        table.begin()
        loop.end_batch()
        with trio.fail_after(DAY_SECONDS):
            await table.over()
        nursery.cancel_scope.cancel()
    return Found(verdict=_verdict(table.so_far.games[0].result))


def _verdict(game: Result) -> str:
    if game.cause is None:
        return "played on"
    return f"forfeit: {game.cause}" if game.winner == 1 else "an honest bot was blamed"


async def _on_mock_time(offset_ms: int, folder: Path) -> Found:
    """Run the match in a thread of its own, under trio's mock clock."""
    clock = trio.testing.MockClock(autojump_threshold=0)
    with closing(Journal(folder / "match.jsonl")) as journal:
        return await trio.to_thread.run_sync(partial(trio.run, _match, journal, offset_ms, clock=clock))


def _case(name: str, what: str, expected: str, offset_ms: int) -> Case:
    return Case(name=name, what=what, expected=expected, play=bounded(partial(_on_mock_time, offset_ms)))


CASES = (
    _case("deadline-minus-1", "answers 1 ms before its deadline", "played on", -1),
    _case("deadline-0", "answers on the millisecond of its deadline", "played on", 0),
    _case("deadline-plus-1", "answers 1 ms after its deadline", "forfeit: time", 1),
)
