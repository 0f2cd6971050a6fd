"""The zoo against a running arena: every case has its verdict over the wire, or says why not."""

from __future__ import annotations

import socket
from functools import partial
from pathlib import Path

import msgspec
import pytest
import trio

from arena.server.setup.tournament_file import TournamentSection
from arena.torture.case import PlayedCase
from arena.torture.foreign import Entrant, ForeignError, torture_foreign
from arena.torture.own_arena import PLAN, SHORT_CLOCK, OwnArena, own_arena, remote
from arena.torture.player import Fault, Player
from arena.torture.zoo import CASES
from arena.tournaments.formats.round_robin import RoundRobin
from tests.torture.test_zoo import BY_NAME

FOREIGN_PLAN = msgspec.structs.replace(
    PLAN,
    tournament=TournamentSection(games=3, at_once=1),
    format=RoundRobin(cycles=30),
    clock=SHORT_CLOCK,
    limits=msgspec.structs.replace(PLAN.limits, startup_ms=10_000),
    bot=remote("anna", "bo"),
)
"""The two meet often enough for every case, and the clock is short enough for the flag to be waited for. Who
is away between two cases has time to come back, as by default: else the matches would be over before the cases."""


def entrants_of(arena: OwnArena, **tokens: str) -> list[Entrant]:
    """Both, with their tokens unless others are given."""
    return [Entrant(name=name, token=tokens.get(name, token)) for name, token in arena.tokens.items()]


def ignore(_: PlayedCase) -> None:
    """Nobody looks on."""


def test_a_running_arena_is_tried_over_the_wire(tmp_path: Path) -> None:
    """With a wrong token nothing begins; without entrants only the door is tried; with both all that can be."""
    names = ("door-http", "frame-duplicate-keys", "answer-double", "pace-crash", "deadline-0", "program-2-GiB")
    cases = [BY_NAME[name] for name in names]

    async def ask() -> tuple[ForeignError, list[PlayedCase], list[PlayedCase]]:
        async with own_arena(tmp_path, FOREIGN_PLAN) as arena:
            with pytest.raises(ForeignError) as refused:
                await torture_foreign(arena.address, entrants_of(arena, bo="guessed"), cases, ignore)
            alone = await torture_foreign(arena.address, [], cases, ignore)
            return refused.value, alone, await torture_foreign(arena.address, entrants_of(arena), cases, ignore)

    refused, alone, both = trio.run(ask)
    assert str(refused).endswith("does not let bo in: error bad_login; check its name and its token")
    assert [bool(one.found.skipped) for one in alone] == [False, True, True, True, True, True]
    assert "--token" in alone[3].found.skipped
    assert [(one.case.name, one.found.verdict) for one in both if not one.found.skipped] == [
        ("door-http", "error frame_too_large; closed"),
        ("frame-duplicate-keys", "error duplicate_key; forfeit"),
        ("answer-double", "error stale_turn; played on"),
        ("pace-crash", "forfeit"),
    ]
    assert all(one.is_expected for one in both)
    assert [one.found.took_ms is None for one in both] == [False, False, False, False, True, True]
    assert all("an arena of its own" in one.found.skipped for one in both[4:])


def test_a_connection_that_ends_only_now_costs_no_case(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The arena may hang up for the fault before just as the next one is prepared: the rogue comes back for it."""
    prepared: list[Player] = []
    will = Player.will

    def ends_at_first(player: Player, fault: Fault, at_turn: int) -> None:
        will(player, fault, at_turn)
        prepared.append(player)
        if len(prepared) == 1:
            stream = player.connection._stream
            assert isinstance(stream, trio.SocketStream)
            stream.socket.shutdown(socket.SHUT_RDWR)  # seen as a hang-up of the arena

    monkeypatch.setattr(Player, "will", ends_at_first)
    cases = [BY_NAME["answer-double"]]

    async def ask() -> list[PlayedCase]:
        async with own_arena(tmp_path, FOREIGN_PLAN) as arena:
            return await torture_foreign(arena.address, entrants_of(arena), cases, ignore)

    [result] = trio.run(ask)
    assert result.found.verdict == "error stale_turn; played on"
    assert len(set(prepared)) == len(prepared) == 2


@pytest.mark.slow
def test_every_case_that_can_be_asked_over_the_wire_has_its_verdict(tmp_path: Path) -> None:
    """All that need neither an arena of their own nor a Unix socket."""

    async def ask() -> list[PlayedCase]:
        async with own_arena(tmp_path, FOREIGN_PLAN) as arena:
            return await torture_foreign(arena.address, entrants_of(arena), CASES, ignore)

    results = trio.run(ask)
    assert [(one.case.name, one.found.verdict) for one in results if not one.is_expected] == []
    skipped = {one.case.name for one in results if one.found.skipped}
    assert skipped == {name for name, case in BY_NAME.items() if case.deed is None} | {"pace-never-reads"}


async def serve_bytes(said: bytes) -> None:
    """A program that listens, says something that is not of this protocol, and hangs up; it is taken for an arena."""

    async def say(stream: trio.SocketStream) -> None:
        await stream.send_all(said)
        await stream.send_eof()

    async with trio.open_nursery() as nursery:
        [listener] = await nursery.start(partial(trio.serve_tcp, say, 0, host="127.0.0.1"))
        port = listener.socket.getsockname()[1]
        try:
            await torture_foreign(f"tcp:127.0.0.1:{port}", [], CASES, ignore)
        finally:
            nursery.cancel_scope.cancel()


@pytest.mark.parametrize(
    ("said", "words"),
    [
        (b"SSH-2.0-OpenSSH_9.2\r\n", "is not an arena of protocol 1: frame_too_large"),
        (b"", "it hung up without a word"),
        (b"\x00\x00\x00\x01\xc0", "is not an arena of protocol 1: not_a_map"),
    ],
    ids=["another protocol", "nothing", "a frame without a message"],
)
def test_a_server_that_is_no_arena_is_reported(said: bytes, words: str) -> None:
    """What it said, and what address to give."""
    with pytest.RaisesGroup(pytest.RaisesExc(ForeignError, match=words)):
        trio.run(serve_bytes, said)


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("unix:/nowhere/at/all", "cannot connect to unix:/nowhere/at/all: .*is the address right"),
        ("tcp:127.0.0.1:1", "cannot connect to tcp:127.0.0.1:1: .*refused"),
        ("4711", "expected unix:/path, tcp:host:port or tls:host:port"),
        ("tcp:127.0.0.1:70000", "expected unix:/path, tcp:host:port"),
    ],
)
def test_an_address_where_nobody_listens_is_told(address: str, words: str) -> None:
    """What was found, and what to do."""
    with pytest.raises(ForeignError, match=words):
        trio.run(torture_foreign, address, [], CASES, ignore)
