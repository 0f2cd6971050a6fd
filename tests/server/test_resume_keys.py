"""A bot with the key of its last connection takes that connection's place."""

from __future__ import annotations

from contextlib import suppress

import pytest
import trio

from arena.matches.facts import BotLeft, BotReturned, GameEnded, TurnRejected
from protocol.greetings import Hello, Welcome
from protocol.messages import Error, GameEnd, MatchReady, Ping, Pong
from tests.server.returning import PATIENT, come_back, names
from tests.server.room import ILLEGAL, HungUpError, Room, login, mover_of, over_every_transport


@over_every_transport
async def test_with_its_resume_key_a_bot_takes_the_place_of_a_connection_it_has_lost(room: Room) -> None:
    anna, bo, _ = await room.meet(terms=PATIENT)
    mover, waiting, turn = await mover_of(anna, bo)
    name, _ = names(mover, anna)
    key = room.players[name].account.resume_key
    await trio.sleep(0.3)
    back, match, game, again = await come_back(room, name, resume=key)
    assert (game.number, again.turn, again.dice) == (1, turn.turn, turn.dice)
    with pytest.raises(HungUpError):
        await mover.wait_for(GameEnd)
    await back.say(MatchReady(match=match.match))
    await back.answer(again)
    await waiting.first_turn()
    assert room.recorded_as(GameEnded) == []
    assert len(room.recorded_as(BotLeft)) == len(room.recorded_as(BotReturned)) == 1


@pytest.mark.parametrize("resume", ["not the key", "", "the other's"])
async def test_without_its_resume_key_nobody_takes_a_bots_place(room: Room, resume: str) -> None:
    anna, bo, _ = await room.meet(terms=PATIENT)
    mover, waiting, turn = await mover_of(anna, bo)
    name, other = names(mover, anna)
    second = room.connect()
    await second.hear(Hello)
    given = room.players[other].account.resume_key if resume == "the other's" else resume
    await second.say(login(name, resume=given))
    assert (await second.hear(Error)).code == "already_connected"
    await second.is_cut_off()
    await mover.answer(turn)
    await waiting.first_turn()
    assert room.recorded_as(BotLeft) == []


async def test_a_resume_key_is_good_for_the_connection_it_was_given_with(room: Room) -> None:
    await room.guest("anna")
    old = room.players["anna"].account.resume_key
    second = await room.guest("anna", resume=old)
    third = room.connect()
    await third.hear(Hello)
    await third.say(login("anna", resume=old))
    assert (await third.hear(Error)).code == "already_connected"
    await second.say(Ping(data=1))
    await second.hear(Pong)


async def test_what_the_replaced_connection_still_sends_is_not_heard(room: Room) -> None:
    anna, bo, _ = await room.meet(terms=PATIENT)
    mover, waiting, turn = await mover_of(anna, bo)
    name, _ = names(mover, anna)
    back = room.connect()
    await back.hear(Hello)
    await back.say(login(name, resume=room.players[name].account.resume_key))
    await back.hear(Welcome)
    with suppress(trio.BrokenResourceError, trio.ClosedResourceError):
        await mover.answer(turn, moves=ILLEGAL)
    await back.take_seat()
    await back.answer(await back.first_turn())
    await waiting.first_turn()
    assert room.recorded_as(TurnRejected) == []
