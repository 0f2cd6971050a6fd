"""What bots commit to, reveal and sign: receipts of the record, and entropy for the dice."""

import hashlib
from pathlib import Path

import pytest
import trio
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from msgspec.structs import replace

from arena.matches.facts import BotReady, EntropyRevealed, GameEnded, ReceiptDisputed, ReceiptSigned
from arena.records.facts import EntrantsAdded
from arena.server.io.journal import Journal
from arena.server.play.confirmations import CONFIRM_SECONDS, WRONG_SIGNATURE
from arena.server.play.table import Table
from protocol import messages
from protocol.client.receipts import signed_text
from tests.fixtures.playing_room import ILLEGAL, SEED, Guest, Room, mover_of

MATCH = "r1-anna-v-bo"
KEYS = {
    name: Ed25519PrivateKey.from_private_bytes(name.encode().ljust(32)) for name in ("anna", "bo")
}


def public_key(name: str) -> bytes:
    return KEYS[name].public_key().public_bytes_raw()


def signed(name: str, receipt: messages.Receipt) -> messages.Confirm:
    """The answer of a bot that signs its receipt."""
    signature = KEYS[name].sign(signed_text(MATCH, 1, receipt))
    return messages.Confirm(match=MATCH, lines=receipt.lines, signature=signature)


async def meet_with_keys(room: Room) -> tuple[Guest, Guest, Table]:
    """Anna and bo at a table, both ready to sign."""
    anna = await room.guest("anna", public_key=public_key("anna"))
    bo = await room.guest("bo", public_key=public_key("bo"))
    table = room.lay_table("anna", "bo")
    for guest in (anna, bo):
        await guest.take_seat()
    return anna, bo, table


async def lose_a_game(anna: Guest, bo: Guest) -> tuple[messages.Receipt, messages.Receipt]:
    """One game ends by illegal turns; gives the receipts of both bots, anna's first."""
    mover, _, turn = await mover_of(anna, bo)
    for _ in range(3):
        await mover.answer(turn, moves=ILLEGAL)
    ends = [await guest.wait_for(messages.GameEnd) for guest in (anna, bo)]
    assert all(end.receipt is not None for end in ends)
    return ends[0].receipt, ends[1].receipt  # type: ignore[return-value]


async def test_the_receipt_of_a_game_is_of_the_lines_up_to_its_end(room: Room) -> None:
    anna, bo, _ = await room.meet()
    mine, theirs = await lose_a_game(anna, bo)
    assert mine == theirs
    lines = (room.folder / f"{MATCH}.jsonl").read_bytes().splitlines(keepends=True)
    kept = lines[: mine.lines]
    assert b'"event":"game_ended"' in kept[-1]
    assert b'"event":"game_started"' in lines[mine.lines]
    assert hashlib.sha256(b"".join(kept)).digest() == mine.sha256


async def test_a_bot_with_a_key_signs_and_its_signature_is_on_record(room: Room) -> None:
    anna, bo, _ = await meet_with_keys(room)
    receipt, _ = await lose_a_game(anna, bo)
    answer = signed("anna", receipt)
    await anna.say(answer)
    await bo.say(
        messages.Confirm(match=MATCH, lines=receipt.lines, objection="the last turn was legal")
    )
    await anna.say(answer)
    assert (await anna.wait_for(messages.Error)).code == "unknown_match"
    keys = {fact.seat: fact.entrant.public_key for fact in room.recorded_as(BotReady)}
    assert keys == {1: public_key("anna").hex(), 2: public_key("bo").hex()}
    [recorded], [disputed] = room.recorded_as(ReceiptSigned), room.recorded_as(ReceiptDisputed)
    assert answer.signature is not None
    assert (recorded.seat, recorded.lines, recorded.signature) == (
        1,
        receipt.lines,
        answer.signature.hex(),
    )
    assert (disputed.seat, disputed.objection) == (2, "the last turn was legal")


@pytest.mark.parametrize("what", ["rubbish", "of another key", "of another receipt"])
async def test_a_wrong_signature_is_told_to_the_bot_and_stands_as_disputed(
    room: Room, what: str
) -> None:
    """Nobody can put a line on record that makes the record look changed; it is the answer to the receipt."""
    anna, bo, _ = await meet_with_keys(room)
    receipt, _ = await lose_a_game(anna, bo)
    answer = {
        "rubbish": messages.Confirm(match=MATCH, lines=receipt.lines, signature=b"s" * 64),
        "of another key": signed("bo", receipt),
        "of another receipt": replace(
            signed("anna", replace(receipt, lines=receipt.lines + 1)), lines=receipt.lines
        ),
    }[what]
    await anna.say(answer)
    error = await anna.wait_for(messages.Error)
    assert (error.code, error.fatal) == ("bad_signature", False)
    await anna.say(signed("anna", receipt))
    assert (await anna.wait_for(messages.Error)).code == "unknown_match"
    assert room.recorded_as(ReceiptSigned) == []
    [disputed] = room.recorded_as(ReceiptDisputed)
    assert (disputed.seat, disputed.lines, disputed.objection) == (
        1,
        receipt.lines,
        WRONG_SIGNATURE,
    )


async def test_a_bot_without_a_key_may_object_but_not_sign(room: Room) -> None:
    anna, bo, _ = await room.meet()
    receipt, _ = await lose_a_game(anna, bo)
    await anna.say(messages.Confirm(match=MATCH, lines=receipt.lines, signature=bytes(64)))
    error = await anna.wait_for(messages.Error)
    assert (error.code, error.fatal) == ("unknown_match", False)
    await anna.say(messages.Confirm(match=MATCH, lines=receipt.lines, objection="no"))
    await anna.hears_no(messages.Error, 0.1)
    assert [fact.objection for fact in room.recorded_as(ReceiptDisputed)] == ["no"]


async def test_the_record_waits_a_moment_for_the_last_receipts(room: Room) -> None:
    anna, bo, table = await meet_with_keys(room)
    for _ in range(3):
        receipt, _ = await lose_a_game(anna, bo)
    await table.over()
    began = trio.current_time()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(table.await_confirmations)
        for given in [end.receipt for end in anna.heard(messages.GameEnd) if end.receipt]:
            await anna.say(signed("anna", given))
            await bo.say(signed("bo", given))
    assert trio.current_time() - began < CONFIRM_SECONDS
    assert len(room.recorded_as(ReceiptSigned)) == 6
    assert len(room.recorded_as(GameEnded)) == 3
    await anna.say(signed("anna", receipt))
    assert (await anna.wait_for(messages.Error)).code == "unknown_match"


async def test_it_does_not_wait_for_ever(room: Room) -> None:
    anna, bo, table = await meet_with_keys(room)
    for _ in range(3):
        await lose_a_game(anna, bo)
    await table.over()
    began = trio.current_time()
    await table.await_confirmations()
    assert trio.current_time() - began == CONFIRM_SECONDS


def test_a_mark_is_of_all_that_was_written_and_counts_what_stood_there_before(
    tmp_path: Path,
) -> None:
    path = tmp_path / "record"
    path.write_bytes(b"{}\n{}\n")
    journal = Journal(path)
    for number in range(1, 4):
        journal.write(EntrantsAdded(at_ms=number, entrants=["ö"], file_sha256="00" * 32))
        lines, sha256 = journal.mark()
        assert (lines, sha256) == (2 + number, hashlib.sha256(path.read_bytes()).digest())
    assert journal.mark() == (lines, sha256)
    journal.close()


# Commitment and reveal over the wire, and what a bot is told of the other's


MINE, THEIRS = b"m" * 32, b"t" * 32


async def commit(guest: Guest, entropy: bytes) -> messages.MatchStart:
    """Take a seat and commit, without revealing by itself."""
    start = await guest.hear(messages.MatchStart)
    await guest.say(messages.MatchReady(match=MATCH, commitment=hashlib.sha256(entropy).digest()))
    return start


async def at_the_table(room: Room) -> tuple[Guest, Guest, Table]:
    """Two bots that have committed."""
    anna, bo = await room.guest("anna"), await room.guest("bo")
    table = room.lay_table("anna", "bo")
    assert (await commit(anna, MINE)).attempt == 1
    await anna.hears_no(object, 1)
    await commit(bo, THEIRS)
    return anna, bo, table


async def test_each_is_told_what_the_other_has_committed_to_and_only_then_reveals(
    room: Room,
) -> None:
    anna, bo, _ = await at_the_table(room)
    assert (await anna.hear(messages.MatchReveal)).opponent_commitment == hashlib.sha256(
        THEIRS
    ).digest()
    assert (await bo.hear(messages.MatchReveal)).opponent_commitment == hashlib.sha256(
        MINE
    ).digest()
    await bo.say(messages.MatchEntropy(match=MATCH, entropy=THEIRS))
    await bo.hears_no(object, 1)
    await anna.say(messages.MatchEntropy(match=MATCH, entropy=MINE))
    await bo.hear(messages.GameStart)
    assert [fact.entropy for fact in room.recorded_as(EntropyRevealed)] == [
        THEIRS.hex(),
        MINE.hex(),
    ]


async def test_match_end_tells_all_that_the_dice_were_made_of(room: Room) -> None:
    anna, bo, table = await at_the_table(room)
    for guest, entropy in ((anna, MINE), (bo, THEIRS)):
        await guest.hear(messages.MatchReveal)
        await guest.say(messages.MatchEntropy(match=MATCH, entropy=entropy))
    await bo.wait_for(messages.GameStart)
    table.give_up()
    await table.over()
    table.tell_result(None)
    room.loop.end_batch()
    for guest in (anna, bo):
        end = await guest.wait_for(messages.MatchEnd)
        assert (end.dice_seed, list(end.entropies or ())) == (SEED, [MINE, THEIRS])
