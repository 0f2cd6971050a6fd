"""Receipts: what bots are told of the record, and what they say to it."""

from __future__ import annotations

import hashlib
from pathlib import Path

import trio

from arena.matches.facts import BotReady, GameEnded, ReceiptDisputed, ReceiptSigned
from arena.records.facts import EntrantsAdded
from arena.server.io.journal import Journal
from arena.server.play.table import CONFIRM_SECONDS
from protocol.messages import Confirm, Error, GameEnd, Receipt
from tests.server.room import ILLEGAL, Guest, Room, mover_of

MATCH = "r1-anna-v-bo"
KEY = bytes(range(32))


async def lose_a_game(anna: Guest, bo: Guest) -> tuple[Receipt, Receipt]:
    """One game ends by illegal turns; gives the receipts of both bots, anna's first."""
    mover, _, turn = await mover_of(anna, bo)
    for _ in range(3):
        await mover.answer(turn, moves=ILLEGAL)
    ends = [await guest.wait_for(GameEnd) for guest in (anna, bo)]
    assert all(end.receipt is not None for end in ends)
    return ends[0].receipt, ends[1].receipt  # type: ignore[return-value]


async def test_the_receipt_of_a_game_is_of_the_lines_up_to_its_end(room: Room) -> None:
    """Exactly these: the game that begins in the same step comes after it. Both bots are told the same."""
    anna, bo, _ = await room.meet()
    mine, theirs = await lose_a_game(anna, bo)
    assert mine == theirs
    lines = (room.folder / f"{MATCH}.jsonl").read_bytes().splitlines(keepends=True)
    kept = lines[: mine.lines]
    assert b'"event":"game_ended"' in kept[-1]
    assert b'"event":"game_started"' in lines[mine.lines]
    assert hashlib.sha256(b"".join(kept)).digest() == mine.sha256


async def test_a_bot_with_a_key_signs_and_its_signature_is_on_record(room: Room) -> None:
    """The key stands with its readiness; each receipt is answered once."""
    anna, bo, _ = await room.meet(public_key=KEY)
    receipt, _ = await lose_a_game(anna, bo)
    await anna.say(Confirm(match=MATCH, lines=receipt.lines, signature=b"s" * 64))
    await bo.say(Confirm(match=MATCH, lines=receipt.lines, objection="the last turn was legal"))
    await anna.say(Confirm(match=MATCH, lines=receipt.lines, signature=b"t" * 64))
    assert (await anna.wait_for(Error)).code == "unknown_match"
    assert [fact.entrant.public_key for fact in room.recorded_as(BotReady)] == [KEY.hex()] * 2
    [signed], [disputed] = room.recorded_as(ReceiptSigned), room.recorded_as(ReceiptDisputed)
    assert (signed.seat, signed.lines, signed.signature) == (1, receipt.lines, (b"s" * 64).hex())
    assert (disputed.seat, disputed.objection) == (2, "the last turn was legal")


async def test_a_bot_without_a_key_may_object_but_not_sign(room: Room) -> None:
    """A signature is an error, and costs no game."""
    anna, bo, _ = await room.meet()
    receipt, _ = await lose_a_game(anna, bo)
    await anna.say(Confirm(match=MATCH, lines=receipt.lines, signature=bytes(64)))
    error = await anna.wait_for(Error)
    assert (error.code, error.fatal) == ("unknown_match", False)
    await anna.say(Confirm(match=MATCH, lines=receipt.lines, objection="no"))
    await anna.hears_no(Error, 0.1)
    assert [fact.objection for fact in room.recorded_as(ReceiptDisputed)] == ["no"]


async def test_the_record_waits_a_moment_for_the_last_receipts(room: Room) -> None:
    """For bots that are there and have a key; not longer than a second, and not once all have answered."""
    anna, bo, table = await room.meet(public_key=KEY)
    for _ in range(3):
        receipt, _ = await lose_a_game(anna, bo)
    await table.so_far.over()
    began = trio.current_time()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(table.await_confirmations)
        for lines in [end.receipt.lines for end in anna.heard(GameEnd) if end.receipt]:
            for guest in (anna, bo):
                await guest.say(Confirm(match=MATCH, lines=lines, signature=bytes(64)))
    assert trio.current_time() - began < CONFIRM_SECONDS
    assert len(room.recorded_as(ReceiptSigned)) == 6
    assert len(room.recorded_as(GameEnded)) == 3
    await anna.say(Confirm(match=MATCH, lines=receipt.lines, signature=bytes(64)))
    assert (await anna.wait_for(Error)).code == "unknown_match"


async def test_it_does_not_wait_for_ever(room: Room) -> None:
    """Bots with a key that say nothing delay the result by a second."""
    anna, bo, table = await room.meet(public_key=KEY)
    for _ in range(3):
        await lose_a_game(anna, bo)
    await table.so_far.over()
    began = trio.current_time()
    await table.await_confirmations()
    assert trio.current_time() - began == CONFIRM_SECONDS


def test_a_mark_is_of_all_that_was_written_and_counts_what_stood_there_before(tmp_path: Path) -> None:
    """Also of a file that an earlier arena began; marks do not disturb each other."""
    path = tmp_path / "record"
    path.write_bytes(b"{}\n{}\n")
    journal = Journal(path)
    for number in range(1, 4):
        journal.write(EntrantsAdded(at_ms=number, entrants=["ö"], file_sha256="00" * 32))
        lines, sha256 = journal.mark()
        assert (lines, sha256) == (2 + number, hashlib.sha256(path.read_bytes()).digest())
    assert journal.mark() == (lines, sha256)
    journal.close()
