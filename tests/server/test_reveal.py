"""Commitment and reveal over the wire, and what a bot is told of the other's."""

from __future__ import annotations

import hashlib

import trio

from arena.matches.facts import EntropyRevealed
from arena.server.play.table import Table
from protocol.messages import Error, GameStart, MatchEnd, MatchEntropy, MatchReady, MatchReveal, MatchStart
from tests.server.room import SEED, Guest, Room

MATCH = "r1-anna-v-bo"
MINE, THEIRS = b"m" * 32, b"t" * 32


async def commit(guest: Guest, entropy: bytes) -> MatchStart:
    """Take a seat and commit, without revealing by itself."""
    start = await guest.hear(MatchStart)
    await guest.say(MatchReady(match=MATCH, commitment=hashlib.sha256(entropy).digest()))
    return start


async def at_the_table(room: Room) -> tuple[Guest, Guest, Table]:
    """Two bots that have committed."""
    anna, bo = await room.guest("anna"), await room.guest("bo")
    table = room.lay_table("anna", "bo")
    assert (await commit(anna, MINE)).attempt == 1
    await anna.hears_nothing(1)
    await commit(bo, THEIRS)
    return anna, bo, table


async def test_each_is_told_what_the_other_has_committed_to_and_only_then_reveals(room: Room) -> None:
    anna, bo, _ = await at_the_table(room)
    assert (await anna.hear(MatchReveal)).opponent_commitment == hashlib.sha256(THEIRS).digest()
    assert (await bo.hear(MatchReveal)).opponent_commitment == hashlib.sha256(MINE).digest()
    await bo.say(MatchEntropy(match=MATCH, entropy=THEIRS))
    await bo.hears_nothing(1)
    await anna.say(MatchEntropy(match=MATCH, entropy=MINE))
    await bo.hear(GameStart)
    assert [fact.entropy for fact in room.recorded_as(EntropyRevealed)] == [THEIRS.hex(), MINE.hex()]


async def test_match_end_tells_all_that_the_dice_were_made_of(room: Room) -> None:
    anna, bo, table = await at_the_table(room)
    for guest, entropy in ((anna, MINE), (bo, THEIRS)):
        await guest.hear(MatchReveal)
        await guest.say(MatchEntropy(match=MATCH, entropy=entropy))
    await bo.wait_for(GameStart)
    table.give_up()
    await table.over()
    table.tell_result(None)
    room.loop.end_batch()
    for guest in (anna, bo):
        end = await guest.wait_for(MatchEnd)
        assert (end.dice_seed, list(end.entropies or ())) == (SEED, [MINE, THEIRS])


async def test_entropy_that_nobody_asked_for_is_an_error(room: Room) -> None:
    anna, bo = await room.guest("anna"), await room.guest("bo")
    room.lay_table("anna", "bo")
    await commit(anna, MINE)
    await anna.say(MatchEntropy(match=MATCH, entropy=MINE), MatchEntropy(match="another", entropy=MINE))
    for _ in range(2):
        error = await anna.hear(Error)
        assert (error.code, error.fatal) == ("unknown_match", False)
    await commit(bo, THEIRS)
    await anna.hear(MatchReveal)
    await anna.say(*[MatchEntropy(match=MATCH, entropy=MINE)] * 2)
    assert (await anna.hear(Error)).code == "unknown_match"


async def test_a_bot_that_comes_back_in_the_middle_is_asked_again(room: Room) -> None:
    anna, bo, _ = await at_the_table(room)
    await anna.hear(MatchReveal)
    await anna.hang_up()
    await bo.hear(MatchReveal)
    await bo.say(MatchEntropy(match=MATCH, entropy=THEIRS))
    await trio.sleep(0.5)
    anna = await room.guest("anna")
    await commit(anna, b"something else")
    assert (await anna.hear(MatchReveal)).opponent_commitment == hashlib.sha256(THEIRS).digest()
    await bo.hears_nothing(0.5)
    await anna.say(MatchEntropy(match=MATCH, entropy=MINE))
    await bo.hear(GameStart)
