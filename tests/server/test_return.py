"""Bots that lose their connection: back within the grace, too late, or never."""

from contextlib import suppress

import pytest
import trio
from msgspec.structs import replace

from arena.matches import facts
from arena.matches.time_control import TimeControl
from arena.server.play.session import LOGINS_A_SECOND
from arena.server.play.table import Table
from protocol.codec import encode
from protocol.greetings import Hello, Welcome
from protocol.messages import Error, GameEnd, GameStart, MatchReady, MatchStart, Turn
from tests.fixtures.playing_room import (
    GRACE_MS,
    ILLEGAL,
    TERMS,
    Guest,
    HungUpError,
    Program,
    Room,
    login,
    mover_of,
    over_every_transport,
)

PATIENT = replace(TERMS, clock=TimeControl(delay_ms=100))


async def come_back(
    room: Room, name: str, **more: object
) -> tuple[Guest, MatchStart, GameStart, Turn]:
    """Log in again and hear all that is open, in order: the match, the game, the turn."""
    guest = room.connect()
    await guest.log_in(name, **more)
    match = await guest.hear(MatchStart)
    game = await guest.hear(GameStart)
    turn = await guest.hear(Turn)
    return guest, match, game, turn


@over_every_transport
async def test_a_bot_that_is_back_in_time_gets_match_game_and_turn_again_and_plays_on(
    room: Room,
) -> None:
    mover, waiting, turn = await room.begin(terms=PATIENT)
    name = mover.name
    seat = 1 if name == "anna" else 2
    await mover.hang_up()
    await trio.sleep(1.5)
    back, match, game, again = await come_back(room, name)
    assert (match.match, match.seat, game.number, game.seat, game.starts) == (
        "r1-anna-v-bo",
        seat,
        1,
        seat,
        True,
    )
    assert (again.game, again.turn, again.dice, again.position) == (
        game.game,
        turn.turn,
        turn.dice,
        turn.position,
    )
    await back.say(MatchReady(match=match.match, commitment=bytes(32)))
    await back.answer(again)
    await waiting.first_turn()
    [left], [returned] = room.recorded_as(facts.BotLeft), room.recorded_as(facts.BotReturned)
    assert (left.seat, left.grace_ms, returned.seat) == (seat, GRACE_MS, seat)
    assert room.recorded_as(facts.GameEnded) == []


@pytest.mark.parametrize(
    ("away_ms", "delay_left_ms", "left_ms"), [(40, 60, 60_000), (100, 0, 60_000), (101, 0, 59_999)]
)
async def test_a_turn_that_is_sent_again_says_how_much_of_the_delay_is_left(
    room: Room, away_ms: int, delay_left_ms: int, left_ms: int
) -> None:
    """Of 100 ms; together with the bank it is the time there is for the answer."""
    mover, _, turn = await room.begin(terms=PATIENT)
    assert turn.clock.delay_left_ms == 100
    room.players[mover.name].account.login_due_ms = 0  # as if it had logged in long ago
    began_ms = mover.now_ms()
    await mover.hang_up()
    await mover.at(began_ms + away_ms)
    _, _, _, again = await come_back(room, mover.name)
    assert (again.clock.delay_left_ms, again.clock.left_ms) == (delay_left_ms, left_ms)


@pytest.mark.parametrize("first_to_go", ["anna", "bo"])
async def test_a_launched_bot_that_hangs_up_forfeits_at_once_and_is_called_back(
    room: Room, first_to_go: str
) -> None:
    programs = {name: Program() for name in ("anna", "bo")}
    for name, program in programs.items():
        room.expect(name, grace_ms=0, program=program)
    guests = {name: await room.guest(name) for name in ("anna", "bo")}
    table: Table = room.lay_table("anna", "bo", terms=PATIENT)
    for guest in guests.values():
        await guest.take_seat()
    await mover_of(guests["anna"], guests["bo"])
    began_ms = room.loop.clock.now_ms()
    await guests[first_to_go].hang_up()
    other = guests["bo" if first_to_go == "anna" else "anna"]
    assert (await other.wait_for(GameEnd)).result == "won"
    assert room.loop.clock.now_ms() == began_ms
    assert {name for name, program in programs.items() if program.calls} == {first_to_go}
    back = await room.guest(first_to_go)
    await back.take_seat()
    assert (await back.hear(GameStart)).number == 2
    assert table.match.standing.violations == ((1, 0) if first_to_go == "anna" else (0, 1))


# A bot with the key of its last connection takes that connection's place


@over_every_transport
async def test_with_its_resume_key_a_bot_takes_the_place_of_a_connection_it_has_lost(
    room: Room,
) -> None:
    mover, waiting, turn = await room.begin(terms=PATIENT)
    name = mover.name
    key = room.players[name].account.resume_key
    await trio.sleep(0.3)
    back, match, game, again = await come_back(room, name, resume=key)
    assert (game.number, again.turn, again.dice) == (1, turn.turn, turn.dice)
    with pytest.raises(HungUpError):
        await mover.wait_for(GameEnd)
    await back.say(MatchReady(match=match.match))
    await back.answer(again)
    await waiting.first_turn()
    assert room.recorded_as(facts.GameEnded) == []
    assert len(room.recorded_as(facts.BotLeft)) == len(room.recorded_as(facts.BotReturned)) == 1


@pytest.mark.parametrize("resume", ["not the key", "", "the other's"])
async def test_without_its_resume_key_nobody_takes_a_bots_place(room: Room, resume: str) -> None:
    mover, waiting, turn = await room.begin(terms=PATIENT)
    name, other = mover.name, waiting.name
    given = room.players[other].account.resume_key if resume == "the other's" else resume
    assert (await room.refuses(name, resume=given)).code == "already_connected"
    await mover.answer(turn)
    await waiting.first_turn()
    assert room.recorded_as(facts.BotLeft) == []


# A bot that comes and goes


async def test_ten_logins_of_a_bot_are_answered_a_second(room: Room) -> None:
    mover, waiting, _ = await room.begin(terms=replace(PATIENT, clock=TimeControl(delay_ms=60_000)))
    name, guest, began_ms = mover.name, mover, mover.now_ms()
    for _ in range(3 * LOGINS_A_SECOND):
        await guest.hang_up()
        guest = room.connect()
        await guest.log_in(name)
        await guest.take_seat()
    assert guest.now_ms() - began_ms == 3000
    assert len(room.recorded_as(facts.BotLeft)) == 3 * LOGINS_A_SECOND
    assert waiting.heard(GameEnd) == []


async def says_login(room: Room, name: str) -> Guest:
    """A connection whose login has been said and not answered yet."""
    guest = room.connect()
    await guest.hear(Hello)
    await guest.say(login(name))
    return guest


async def test_a_login_that_waits_gives_way_to_a_newer_one(room: Room) -> None:
    mover, _, _ = await room.begin(terms=PATIENT)
    name = mover.name
    await mover.hang_up()
    first, second = await says_login(room, name), await says_login(room, name)
    assert (await first.hear(Error)).code == "already_connected"
    await first.is_cut_off()
    await second.hear(Welcome)
    assert len(room.recorded_as(facts.BotLeft)) == 1


async def test_a_login_that_waits_and_is_gone_is_not_answered(room: Room) -> None:
    mover, _, _ = await room.begin(terms=PATIENT)
    name = mover.name
    await mover.hang_up()
    gone = await says_login(room, name)
    await gone.hang_up()
    await trio.sleep(0.5)
    assert room.recorded_as(facts.BotReturned) == []
    back, *_ = await come_back(room, name)
    assert len(back.heard(Welcome)) == 1


async def test_what_a_bot_says_while_its_login_waits_is_out_of_place(room: Room) -> None:
    """And its login is not answered any more: else it would count as connected, and could not come back."""
    mover, _, _ = await room.begin(terms=PATIENT)
    name = mover.name
    await mover.hang_up()
    hasty = await says_login(room, name)
    await hasty.say_bytes(encode(MatchReady(match="r1-anna-v-bo")))
    assert (await hasty.hear(Error)).code == "unexpected_message"
    await hasty.is_cut_off()
    await trio.sleep(0.5)
    assert room.players[name].account.connection is None


async def test_a_wrong_token_is_refused_at_once_while_a_login_waits(room: Room) -> None:
    mover, _, _ = await room.begin(terms=PATIENT)
    name, began_ms = mover.name, mover.now_ms()
    await mover.hang_up()
    waits = await says_login(room, name)
    assert (await room.refuses(name, "a guess")).code == "bad_login"
    assert room.loop.clock.now_ms() == began_ms
    await waits.hear(Welcome)


async def test_what_the_replaced_connection_still_sends_is_not_heard(room: Room) -> None:
    mover, waiting, turn = await room.begin(terms=PATIENT)
    name = mover.name
    back = room.connect()
    await back.hear(Hello)
    await back.say(login(name, resume=room.players[name].account.resume_key))
    await back.hear(Welcome)
    with suppress(trio.BrokenResourceError, trio.ClosedResourceError):
        await mover.answer(turn, moves=ILLEGAL)
    await back.take_seat()
    await back.answer(await back.first_turn())
    await waiting.first_turn()
    assert room.recorded_as(facts.TurnRejected) == []
