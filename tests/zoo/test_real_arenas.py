"""Arenas as processes: besieged in the middle of a crowd of rogues, and stopped again and again; no honest bot pays."""

from __future__ import annotations

import json
import time
from contextlib import suppress
from itertools import cycle
from pathlib import Path
from signal import SIGCONT, SIGSTOP

import pytest
import trio

from arena.tournaments.schedule import parse_fixture
from tests.fixtures.arena_runs import (
    Run,
    address_told_by,
    assert_verified,
    honest,
    start_arena,
    write_plan,
)
from tests.fixtures.playing_room import Guest
from tests.processes import await_true
from tests.zoo.faults import CASES, GONE, SUDDEN, play
from tests.zoo.test_at_the_door import STRANGERS, Deed

AT_ONCE = 200
GOOD = [f"honest-{number}" for number in range(12)]
ROGUES = {
    f"rogue-{number}": fault
    for number, fault in enumerate(
        [*SUDDEN[::2], CASES["never answers"].fault, CASES["never reads"].fault]
    )
}
NEIGHBOURS = 200
SETTLE_SECONDS = 2.0
"""How long the siege has been going on when the bots come."""
LOGIN_SECONDS = 5.0
"""A bot is let in at once, whatever strangers do; they themselves have twice as long."""


async def connect(address: str) -> Guest:
    host, _, port = address.removeprefix("tcp:").rpartition(":")
    return Guest(await trio.open_tcp_stream(host, int(port)), lambda: 0, lambda _: 0.0)


async def besiege(address: str, deed: Deed) -> None:
    """Do the same on one connection after another, from the place of the bots, as long as somebody listens."""
    with suppress(OSError):
        while True:
            guest = await connect(address)
            async with guest.stream:
                with suppress(*GONE):
                    await guest.hear_next()
                    await deed(guest)
                    await guest.hear_out()
            await trio.sleep(0.05)


async def take_part(address: str, name: str, token: str) -> None:
    """Play all matches of an entrant, as a rogue does if it is one."""
    guest = await connect(address)
    async with guest.stream:
        with trio.fail_after(LOGIN_SECONDS):
            await guest.log_in(name, token, window=256, wants=["legal"])
        await play(guest, ROGUES.get(name), matches=len(GOOD) + len(ROGUES))


@pytest.mark.soak
def test_200_matches_at_once_among_rogues_and_under_siege_leave_every_honest_result_intact(
    tmp_path: Path,
) -> None:
    remote = {"remote": True, "matches_at_once": 256}
    limits = {"turns": 24, "violations": 20, "startup_ms": 5000, "grace_ms": 500, "join_ms": 60_000}
    plan = write_plan(
        tmp_path,
        dict.fromkeys([*GOOD, *ROGUES], remote),
        tournament={"at_once": AT_ONCE},
        limits=limits,
        clock={"delay_ms": 3000},
    )
    run = Run(tmp_path / "run")
    with start_arena("run", plan, "--out", run.folder) as process:
        address = address_told_by(process)
        tokens = json.loads((run.folder / "secrets.json").read_text())["tokens"]

        async def look_on() -> str:
            async with trio.open_nursery() as nursery:
                for _, (deed, _, _) in zip(
                    range(NEIGHBOURS), cycle(STRANGERS.values()), strict=False
                ):
                    nursery.start_soon(besiege, address, deed)
                await trio.sleep(SETTLE_SECONDS)
                for name, token in tokens.items():
                    nursery.start_soon(take_part, address, name, token)
                _, messages = await trio.to_thread.run_sync(process.communicate)
                nursery.cancel_scope.cancel()
            return messages

        messages = trio.run(look_on)
    last = messages.splitlines()[-1]
    assert process.returncode == 0 or ("never came to a match" in last and "honest" not in last), (
        messages[-2000:]
    )
    among_honest = 0
    for name, fact in run.settled().items():
        fixture = parse_fixture(name)
        blamed = dict(zip((fixture.first, fixture.second), fact["violations"], strict=True))
        assert not any(number for entrant, number in blamed.items() if entrant in GOOD), fact
        if blamed.keys() <= set(GOOD):
            among_honest += 1
            assert {game["cause"] for game in fact["games"]} == {None}, fact
    assert among_honest == len(GOOD) * (len(GOOD) - 1) // 2
    under_way, most = 0, 0
    for fact in run.facts():
        under_way += {"fixture_issued": 1, "fixture_settled": -1, "fixture_voided": -1}.get(
            fact["event"], 0
        )
        most = max(most, under_way)
    assert most == AT_ONCE
    assert_verified(run.folder)


@pytest.mark.slow
def test_an_arena_that_is_stopped_again_and_again_makes_nobody_pay(tmp_path: Path) -> None:
    clock = {"delay_ms": 500, "bank_ms": 300}
    bots = {name: honest("--think-ms", 30) for name in ("anna", "bo")}
    plan = write_plan(tmp_path, bots, limits={"turns": 30}, clock=clock)
    run = Run(tmp_path / "run")
    with start_arena("run", plan, "--out", run.folder) as process:
        await_true(
            lambda: bool(run.match("r1-anna-v-bo", "turn_played")) or process.poll() is not None
        )
        for run_seconds, stop_seconds in ((0.31, 1.4), (0.22, 0.9), (0.53, 1.1)):
            time.sleep(run_seconds)
            process.send_signal(SIGSTOP)
            time.sleep(stop_seconds)
            process.send_signal(SIGCONT)
        _, messages = process.communicate(timeout=120)
    assert process.returncode == 0, messages
    assert "the arena did not run for" in messages
    [settled] = run.settled().values()
    assert (settled["violations"], {game["cause"] for game in settled["games"]}) == ([0, 0], {None})
    assert_verified(run.folder)
