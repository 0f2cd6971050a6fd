"""Answers by index: a choice that is not on the list is an illegal turn, and its record verifies."""

from __future__ import annotations

import pytest

from arena.matches.facts import TurnRejected
from arena.records.reading import read_attempts
from arena.records.verify import verify_attempt
from protocol.messages import Rejected
from tests.server.room import Room, mover_of, until


@pytest.mark.parametrize("wants", [("legal",), ()], ids=["with a list", "without one"])
async def test_a_choice_beyond_the_list_is_rejected_and_the_record_replays(room: Room, wants: tuple[str, ...]) -> None:
    anna, bo, _ = await room.meet(wants=wants)
    mover, _, turn = await mover_of(anna, bo)
    await mover.answer(turn, choice=100_000)
    rejected = await mover.wait_for(Rejected)
    assert (rejected.code, rejected.left) == ("unreadable_moves", 1)
    assert rejected.message.startswith("choice 100000 names no legal turn; ")
    await mover.answer(turn)
    await until(lambda: len(room.recorded_as(TurnRejected)) == 1)
    [fact] = room.recorded_as(TurnRejected)
    assert (fact.choice, fact.moves) == (100_000, None)
    [attempt] = read_attempts("x", (room.folder / "r1-anna-v-bo.jsonl").read_bytes())
    verify_attempt(attempt)
