"""Bots that are too slow, too fast, or gone."""

from __future__ import annotations

import trio

from arena.server.setup.tournament_file import ClockSection
from arena.torture.case import Case, Plight
from arena.torture.own_arena import PLAN, SHORT_CLOCK
from arena.torture.player import Fault
from arena.torture.raw_connection import ConnectionLostError, RawConnection, first_legal
from arena.torture.stages import at_the_table
from protocol.codec import encode
from protocol.messages import Bye, Ping, Play, Turn

PINGS = encode(Ping(data=2**40)) * 1000
FLOODS = 50
"""Thousands of pings: far more than any bot needs in a game."""
STALE = encode(Play(game=2**31, turn=1, choice=0))
"""A message whose error in reply is six times as long, so that unread replies gather quickly."""
TOLERATED = 1000
"""How many of them are not a flood yet."""


async def is_silent(_connection: RawConnection, _turn: Turn) -> None:
    """Never answer."""


async def crashes(connection: RawConnection, _turn: Turn) -> None:
    """Hang up without a word."""
    await connection.hang_up()


async def says_bye(connection: RawConnection, _turn: Turn) -> None:
    """Leave in good order, in the middle of a game."""
    await connection.say(Bye(reason="I have had enough"))


async def byte_by_byte(connection: RawConnection, turn: Turn) -> None:
    """A good answer, a byte at a time."""
    for byte in encode(first_legal(turn)):
        await connection.write(bytes([byte]))
        await trio.sleep(0.005)


def floods(frames: bytes) -> Fault:
    """Write these frames without end and read every answer; then play on, if still possible."""

    async def fault(connection: RawConnection, turn: Turn) -> None:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(_read_on, connection)
            try:
                for _ in range(FLOODS):
                    await connection.write(frames)
            except ConnectionLostError:
                return  # when the last words are read
            nursery.cancel_scope.cancel()
        await connection.say(first_legal(turn))

    return fault


async def _read_on(connection: RawConnection) -> None:
    while await connection.hear():
        pass


async def never_reads(connection: RawConnection, _turn: Turn) -> None:
    """As many such answers as are no flood, and no complaint is read, until the arena has had enough."""
    try:
        await connection.write(STALE * TOLERATED)
        while True:
            await trio.sleep(0.07)
            await connection.write(STALE)
    except ConnectionLostError:
        await connection.hang_up()


async def unknown_fields(connection: RawConnection, turn: Turn) -> None:
    """A good answer with 200 fields nobody knows: a newer bot may send them."""
    more = {f"field {number}": number for number in range(200)}
    await connection.write_map({"type": "play", "game": turn.game, "turn": turn.turn, "choice": 0} | more)


async def long_remark(connection: RawConnection, turn: Turn) -> None:
    """A good answer with a remark of 60,000 characters."""
    answer = {"type": "play", "game": turn.game, "turn": turn.turn, "choice": 0, "info": "x" * 60_000}
    await connection.write_map(answer)


def _case(name: str, what: str, expected: str, plight: Plight, clock: ClockSection = PLAN.clock) -> Case:
    return Case(name=name, what=what, expected=expected, play=at_the_table(plight, clock=clock), deed=plight)


GONE = "forfeit: disconnect, {}"
FLOODED = GONE.format("it flooded the arena with messages")

CASES = (
    _case(
        "pace-silent",
        "never answers its third turn",
        "forfeit: time",
        Plight(fault=is_silent, waits_for_flag=True),
        SHORT_CLOCK,
    ),
    _case("pace-crash", "hangs up at its third turn", GONE.format("it hung up"), Plight(fault=crashes)),
    _case("pace-bye", "says goodbye in mid-game", GONE.format("it said goodbye"), Plight(fault=says_bye)),
    _case("pace-byte-by-byte", "writes its answer a byte at a time", "played on", Plight(fault=byte_by_byte)),
    _case("pace-long-remark", "adds a remark of 60,000 characters", "played on", Plight(fault=long_remark)),
    _case("pace-unknown-fields", "adds 200 fields nobody knows", "played on", Plight(fault=unknown_fields)),
    _case("pace-ping-flood", f"sends {FLOODS},000 pings", f"error flooding; {FLOODED}", Plight(fault=floods(PINGS))),
    _case(
        "pace-stale-flood",
        f"sends {FLOODS},000 answers to no turn",
        FLOODED,
        Plight(fault=floods(STALE * 1000), is_deaf=True),
    ),
    _case(
        "pace-never-reads",
        f"sends {TOLERATED:,} such answers and reads nothing",
        GONE.format("it does not read: it took nothing for 5 seconds"),
        Plight(fault=never_reads, is_deaf=True, over_unix=True),
    ),
)
