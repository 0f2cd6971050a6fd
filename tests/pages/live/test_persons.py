"""Persons at the same board: their rooms, their links and an arena that runs."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
import trio

from arena.pages.by_hand.hand_room import Room
from arena.pages.by_hand.hand_seat import SeatRoom
from arena.person.arena_run import Wanted
from arena.person.told import Refusal
from arena.records.verify import verify_run
from arena.server.setup.run_folder import RunFiles

pytestmark = pytest.mark.slow
PATIENCE_S = 60


async def until(rooms: list[Any], holds: Callable[[], bool]) -> None:
    """Play the first move that is offered in every room, until this holds."""
    with trio.fail_after(PATIENCE_S):
        while not holds():
            for room in rooms:
                with suppress(Refusal):  # the arena has said something meanwhile
                    play(room)
            await trio.sleep(0.005)


def play(room: Any) -> None:
    table = room.state().table
    if table is None or table.phase != "turn":
        return
    question = table.question
    if table.is_whole:
        room.seated.answer(lambda sitting: sitting.confirm(question))
    else:
        first = table.next[0]
        room.at_the_board(lambda sitting: sitting.move(question, [(first.start, first.target)]))


async def test_two_persons_play_each_other_by_a_link_each(tmp_path: Path) -> None:
    guest = SeatRoom("")
    room = Room(tmp_path, "you", None, guest, "token")
    wanted = Wanted(opponent="Bo", command=None, name="Anna", ruleset="brandubh-1")
    async with trio.open_nursery() as nursery:
        nursery.start_soon(room.settle)
        nursery.start_soon(guest.settle)
        await room.begin(wanted)
        await room.choose_again()  # nobody has come yet
        assert (room.status, room.invitation, guest.status) == ("choosing", "", "choosing")
        await room.begin(wanted)
        assert (room.invitation, room.state().table, guest.state().opponent) == ("token", None, "Anna")
        guest.arrive("aaaaaaaa")
        sittings = room.seated.sitting, guest.seated.sitting
        await until([], lambda: "turn" in [sitting.phase for sitting in sittings])
        mover = guest if guest.seated.sitting.question else room
        with pytest.raises(Refusal, match="no hints against people"):
            await mover.hints(mover.seated.sitting.question)
        await until(
            [room, guest], lambda: all(one.state().over and one.state().over.is_judged for one in (room, guest))
        )
        for one, names in ((room, ("Anna", "Bo")), (guest, ("Bo", "Anna"))):
            state = one.state()
            assert (state.me, state.opponent, state.over.is_settled, state.over.dice_problems) == (*names, True, [])
        nursery.cancel_scope.cancel()
    room.stop()
    verified = verify_run(RunFiles(room.folder))
    assert (verified.games, verified.is_finished) == (3, True)
    assert '"people":["anna","bo"]' in (room.folder / "tournament.jsonl").read_text()
