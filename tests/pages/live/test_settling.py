"""What the page of a person does when a match is over: it waits for the end of the record."""

import os
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import trio

from arena.games import load_game
from arena.pages.by_hand.hand_seat import SeatRoom
from arena.person import advice
from tests.fixtures.small_run import FIXTURE, RECORD, small_run


async def test_a_record_is_read_once_while_its_end_is_awaited(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, autojump_clock: Any
) -> None:
    whole = small_run()[RECORD]
    closing = whole.rindex(b"\n", 0, -1) + 1
    path = tmp_path / RECORD
    path.parent.mkdir()
    path.write_bytes(whole[:closing])
    pread, bytes_read = os.pread, []

    def counted(file: int, size: int, offset: int) -> bytes:
        data = pread(file, size, offset)
        bytes_read.append(len(data))
        return data

    monkeypatch.setattr(os, "pread", counted)
    monkeypatch.setattr(Path, "read_bytes", lambda _: pytest.fail("the whole record is read"))
    monkeypatch.setattr(advice, "judged", lambda *_: None)
    room: Any = SeatRoom("anna")
    room.folder = tmp_path
    match = SimpleNamespace(match=FIXTURE)
    room.seat = SimpleNamespace(
        sitting=SimpleNamespace(phase="over", match=match, rules=load_game("vasa"))
    )
    async with trio.open_nursery() as nursery:
        nursery.start_soon(room.settle)
        await trio.sleep(10)
        assert not room._is_settled
        with path.open("ab") as record:
            record.write(whole[closing:])
        while not room._is_judged:
            await room.more.wait()
        assert room._is_settled
        nursery.cancel_scope.cancel()
    last = whole.rindex(b"\n", 0, closing - 1) + 1
    assert sum(bytes_read) == len(whole) + closing - last, (
        "each line once, and the last one again when there is more"
    )
