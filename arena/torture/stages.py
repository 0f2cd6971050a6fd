"""Three stages for a case: a stranger at the door, a bot at the table, a program that the arena launches."""

from __future__ import annotations

import sys
from collections.abc import Awaitable, Callable, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from time import monotonic
from types import MappingProxyType

import msgspec
import trio

from arena.matches.facts import BotLeft, BotMissing
from arena.records.facts import FixtureSettled
from arena.records.files import MATCHES, TOURNAMENT_RECORD
from arena.records.lines import RecordError
from arena.records.reading import read_attempts, read_tournament
from arena.records.verify import verify_run
from arena.server.programs.containment import find_containment
from arena.server.setup.run_folder import RunFiles
from arena.server.setup.tournament_file import BotSection, ClockSection, ListenSection
from arena.torture.case import Found, Plight, Stranger
from arena.torture.own_arena import LAUNCHING_PLAN, PLAN, ArenaEndedError, OwnArena, own_arena, remote
from arena.torture.player import Moments, Player
from arena.torture.raw_connection import ConnectionLostError, RawConnection

HONEST, OTHER, ROGUE = "honest", "other", "rogue"
PATIENCE_SECONDS = 120.0
"""No case takes so long, even on a busy machine; an arena that hangs is a verdict of its own."""
OPEN_SECONDS = 15.0
"""A stranger whose connection is open after this has been left alone."""
NEVER_CAME = "never came to a match"
"""What an arena says that ends with 1 for the absence of an entrant."""
LONGEST_LINE = 16_384
"""Bytes of a line of the record, whatever a bot says."""
KEPT_BYTES = 1_048_576
"""How much of each stream of a launched bot is kept, as docs/what-if.md promises,"""
NOTE = b"\n[only the first 1048576 bytes are kept]\n"
"""and the note that is added if there was more."""


def bounded(play: Callable[[Path], Awaitable[Found]]) -> Callable[[Path], Awaitable[Found]]:
    """Limit the time of a case."""

    async def within(folder: Path) -> Found:
        found = Found(verdict=f"no verdict within {PATIENCE_SECONDS:.0f} s")
        try:
            with trio.move_on_after(PATIENCE_SECONDS):
                found = await play(folder)
        except* ArenaEndedError as ended:
            words = "; ".join(map(str, ended.exceptions))
            found = Found(verdict=f"the arena did not begin: {words}")
        return found

    return within


def at_the_door(stranger: Stranger) -> Callable[[Path], Awaitable[Found]]:
    """A connection that is not a bot's; afterwards two honest bots play a match in the same arena."""

    async def play(folder: Path) -> Found:
        plan = msgspec.structs.replace(PLAN, bot=remote(HONEST, OTHER))
        async with own_arena(folder, plan) as arena:
            connection = await arena.connect()
            words, took_ms = await visit(stranger, connection)
            problems = await _play_out(arena, {HONEST: None, OTHER: None}, Moments())
            words += problems
            if not problems and (verdict := verdict_of(arena, None)) != "played on":
                words.append(f"the honest match: {verdict}")
            return Found(verdict="; ".join(words), took_ms=took_ms)

    return bounded(play)


async def visit(stranger: Stranger, connection: RawConnection) -> tuple[list[str], int]:
    """Have a stranger do what it does; gives what it was told and whether it was hung up on, and the milliseconds."""
    began = monotonic()
    end = "left open"
    async with trio.open_nursery() as nursery:
        nursery.start_soon(_act, stranger, connection)
        with trio.move_on_after(OPEN_SECONDS):
            while await connection.hear():
                pass
            end = "closed"
        nursery.cancel_scope.cancel()
    took_ms = round(1000 * (monotonic() - began))
    await connection.hang_up()
    return [*in_words(connection.told), end], took_ms


async def _act(stranger: Stranger, connection: RawConnection) -> None:
    try:
        await stranger(connection)
    except ConnectionLostError:
        return  # the arena has had enough; what it said is read by the other task


def at_the_table(plight: Plight, *, clock: ClockSection = PLAN.clock) -> Callable[[Path], Awaitable[Found]]:
    """A bot with a fault in the middle of its first game, against an honest one; both connect by themselves."""

    async def play(folder: Path) -> Found:
        listen = ListenSection(address=f"unix:{folder / 'arena.sock'}") if plight.over_unix else PLAN.listen
        plan = msgspec.structs.replace(PLAN, bot=remote(HONEST, ROGUE), clock=clock, listen=listen)
        moments = Moments()
        async with own_arena(folder, plan) as arena:
            told: list[str] = []
            problems = await _play_out(arena, {HONEST: None, ROGUE: plight}, moments, told)
            verdict = verdict_of(arena, ROGUE)
        took_ms = moments.took_ms(is_forfeit=verdict.startswith("forfeit"))
        words = [] if plight.is_deaf else in_words(told)
        return Found(verdict="; ".join([*words, verdict, *problems]), took_ms=took_ms)

    return bounded(play)


def launched(
    fault: str,
    *,
    against: str | None = None,
    clock: ClockSection = PLAN.clock,
    limits: Mapping[str, int] = MappingProxyType({}),
    is_confined: bool = True,
    needs_sandbox: bool = False,
) -> Callable[[Path], Awaitable[Found]]:
    """A program that the arena starts (one of `arena.torture.programs`), against an honest bot.

    The honest bot connects by itself, or is another of these programs if `against` names it. `limits` are fields of the
    section of that name. `is_confined` is whether programs run in the sandbox, if there is one. A case that
    `needs_sandbox` is skipped if nothing contains programs.
    """

    def program(name: str, what: str, folder: Path) -> BotSection:
        return BotSection(name=name, command=(sys.executable, "-m", "arena.torture.programs", what, str(folder)))

    async def play(folder: Path) -> Found:
        honest = remote(HONEST) if against is None else (program(HONEST, against, folder),)
        bots = (*honest, program(ROGUE, fault, folder))
        changed = msgspec.structs.replace(LAUNCHING_PLAN.limits, sandbox="auto" if is_confined else "off", **limits)
        plan = msgspec.structs.replace(LAUNCHING_PLAN, bot=bots, clock=clock, limits=changed)
        if needs_sandbox and find_containment(plan, hidden=(), directory=folder).way == "none":
            return Found(verdict="", skipped="nothing contains launched programs here")
        moments = Moments(fault=0.0)
        async with own_arena(folder, plan) as arena:
            problems = await _play_out(arena, dict.fromkeys(arena.tokens), moments)
            verdict = verdict_of(arena, ROGUE)
        stdout, stderr = (_kept(arena, stream) for stream in ("stdout", "stderr"))
        marks = [float(line.split()[-1]) for line in stderr.splitlines() if line.startswith(b"fault at ")]
        moments.fault = marks[0] if marks else None
        for stream, kept in (("output", stdout), ("error", stderr)):
            if kept[KEPT_BYTES:] not in (b"", NOTE):
                problems.append(f"{len(kept)} bytes of standard {stream} are kept")
        left = _left_running(str(folder))
        if left:
            problems.append(f"{left} processes are left")
        took_ms = moments.took_ms(is_forfeit=verdict.startswith("forfeit"))
        return Found(verdict="; ".join([verdict, *problems]), took_ms=took_ms)

    return bounded(play)


async def _play_out(
    arena: OwnArena, bots: dict[str, Plight | None], moments: Moments, told: list[str] | None = None
) -> list[str]:
    """Connect bots and have them play; gives what `play_out` does."""
    players = []
    for name, plight in bots.items():
        line = await arena.connect()
        if plight is not None and told is not None:
            line.told = told
        players.append(Player(line, name, arena.tokens[name], moments))
        if plight is not None:
            players[-1].will(plight.fault, plight.at_turn)
    return await play_out(arena, players)


async def play_out(arena: OwnArena, players: Sequence[Player]) -> list[str]:
    """Have bots play until the arena ends; gives what is wrong with its end, its records or its honest bots."""
    async with trio.open_nursery() as nursery:
        for player in players:
            nursery.start_soon(player.run)
        status = await arena.ended()
        nursery.cancel_scope.cancel()
    if status != 0 and not (status == 1 and NEVER_CAME in arena.last_words):
        return [f"the arena ended with status {status}: {arena.last_words}"]
    try:
        verified = verify_run(RunFiles(arena.run))
    except RecordError as error:
        return [f"the records are not in order: {error}"]
    longest = max(len(line) for data in RunFiles(arena.run).values() for line in data.splitlines())
    if longest > LONGEST_LINE:
        return [f"a line of {longest} bytes is on record"]
    return [] if verified.is_finished else ["the run is not finished"]


def verdict_of(arena: OwnArena, rogue: str | None) -> str:
    """How the one match of a run went: `played on`, or why the rogue forfeited its first game."""
    facts = [fact for _, fact in read_tournament(TOURNAMENT_RECORD, RunFiles(arena.run)[TOURNAMENT_RECORD])]
    settled = [fact for fact in facts if isinstance(fact, FixtureSettled)]
    if len(settled) != 1:
        return "not settled"
    games, violations = settled[0].games, settled[0].violations
    if violations[0] or (rogue is None and violations[1]) or any(game.cause and game.winner == 2 for game in games):
        return "an honest bot was blamed"
    if all(game.cause is None for game in games):
        return "played on"
    if games[0].cause is None:
        return "forfeit: a later game"
    why = _why_it_left(arena) if games[0].cause in ("disconnect", "no_show") else ""
    return ", ".join(filter(None, [f"forfeit: {games[0].cause}", why]))


def _why_it_left(arena: OwnArena) -> str:
    """Why the bot at the second seat first left, as recorded; empty if it never came."""
    files = RunFiles(arena.run)
    [name] = [name for name in files if name.startswith(MATCHES)]
    facts = [fact for attempt in read_attempts(name, files[name]) for _, fact in attempt.facts]
    reasons = [fact.reason for fact in facts if isinstance(fact, BotLeft | BotMissing) and fact.seat == 2]
    return reasons[0] if reasons else ""


def in_words(told: list[str]) -> list[str]:
    """What a bot was told, with repetitions counted."""
    counted = [(what, len(list(group))) for what, group in groupby(told)]
    return [what if number == 1 else f"{what} x{number}" for what, number in counted]


def _kept(arena: OwnArena, stream: str) -> bytes:
    """The part of the rogue's output that the arena kept."""
    files = sorted((arena.run / "bots").glob(f"*.{ROGUE}.{stream}"))
    return b"".join(file.read_bytes() for file in files)


def _left_running(mark: str) -> int:
    """How many processes have this word on their command line; 0 if the system does not tell."""
    number = 0
    for file in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            number += mark.encode() in file.read_bytes().split(b"\0")
        except OSError:
            continue  # it has just ended
    return number
