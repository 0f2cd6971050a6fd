"""Shutdown: the run waits for open turns, and begins no match any more."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest
import trio
import trio.testing

from arena.matches.facts import TurnPlayed
from arena.server.run.shutdown import Shutdown
from tests.server.room import TERMS, Room, mover_of, until

PATIENT = type(TERMS)(games=3, delay_ms=100, bank_ms=60_000, rejections=2, turn_limit=1000, startup_ms=5000)


async def test_with_nothing_in_play_the_first_signal_ends_the_run_without_a_word(tmp_path: Path) -> None:
    told: list[object] = []
    shutdown = Shutdown(told.append)
    shutdown.end_if_asked_for()
    with pytest.RaisesGroup(pytest.RaisesExc(KeyboardInterrupt), flatten_subgroups=True):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(shutdown.obey_signals)
            await trio.testing.wait_all_tasks_blocked()
            os.kill(os.getpid(), signal.SIGTERM)
            await trio.sleep_forever()
    assert told == []
    with pytest.raises(KeyboardInterrupt):
        shutdown.end_if_asked_for()


async def test_the_run_waits_for_the_open_turn_and_begins_no_match(room: Room) -> None:
    told: list[object] = []
    begun: list[str] = []
    shutdown = Shutdown(told.append)
    anna, bo, table = await room.meet(terms=PATIENT)
    shutdown.take_in(table)
    mover, _, turn = await mover_of(anna, bo)

    async def next_match() -> None:
        await until(lambda: bool(told))
        await shutdown.before_a_match()
        begun.append("another match")

    with pytest.RaisesGroup(pytest.RaisesExc(KeyboardInterrupt), flatten_subgroups=True):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(shutdown.obey_signals)
            nursery.start_soon(next_match)
            await trio.testing.wait_all_tasks_blocked()
            os.kill(os.getpid(), signal.SIGINT)
            await until(lambda: bool(told))
            await trio.sleep(20)
            await mover.answer(turn)
            await trio.sleep_forever()
    assert told == [1]
    assert begun == []
    assert len(room.recorded_as(TurnPlayed)) == 1
