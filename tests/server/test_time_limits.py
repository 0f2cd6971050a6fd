"""What a match does when time runs out: flags, banks, and bots that are not ready in time."""

from __future__ import annotations

from arena.matches.facts import GameEnded, MatchEnded, MatchVoided, TurnPlayed
from arena.records.facts import FAILED
from protocol.messages import Error, GameEnd, MatchEnd, Ping, Pong
from tests.server.room import TERMS, Room, mover_of


async def test_only_what_goes_beyond_the_delay_comes_out_of_the_bank(room: Room) -> None:
    """350 ms for a turn with 100 ms delay leave 750 ms; a turn within the delay costs nothing."""
    anna, bo, _ = await room.meet()
    mover, waiting, turn = await mover_of(anna, bo)
    await mover.at(mover.now_ms() + 350)
    await mover.answer(turn)
    reply = await waiting.first_turn()
    await waiting.at(waiting.now_ms() + 100)
    await waiting.answer(reply)
    second = await mover.first_turn()
    assert (second.clock.left_ms, second.clock.opponent_left_ms, second.clock.spent_ms) == (750, 1000, 350)
    await mover.answer(second)
    assert (await waiting.first_turn()).clock.spent_ms == 100


async def test_a_ping_is_answered_at_once_and_costs_no_time(room: Room) -> None:
    anna, bo, _ = await room.meet()
    mover, waiting, turn = await mover_of(anna, bo)
    began_ms = mover.now_ms()
    for number in range(5):
        await mover.at(began_ms + 20 * number)
        await mover.say(Ping(data=number))
        assert (await mover.hear(Pong)).data == number
        assert mover.now_ms() == began_ms + 20 * number
    await mover.answer(turn)
    await waiting.first_turn()
    [played] = room.recorded_as(TurnPlayed)
    assert (played.spent_ms, played.left_ms) == (80, 1000)


async def test_who_is_not_ready_before_the_start_up_deadline_forfeits_the_match(room: Room) -> None:
    anna, bo = await room.guest("anna"), await room.guest("bo")
    table = room.lay_table("anna", "bo")
    began_ms = anna.now_ms()
    await anna.take_seat()
    end = await table.over()
    assert anna.now_ms() == began_ms + TERMS.startup_ms + 1
    assert isinstance(end, MatchEnded)
    assert (end.score, end.violations) == ((18, 0), (0, 1))
    assert [fact.result.cause for fact in room.recorded_as(GameEnded)] == ["no_show"] * 3
    table.tell_result("anna")
    room.loop.end_batch()
    assert [(await anna.hear(GameEnd)).result for _ in range(3)] == ["won"] * 3
    assert (await anna.hear(MatchEnd)).result == "won"
    assert (await bo.wait_for(MatchEnd)).result == "lost"


async def test_a_match_can_be_stopped_through_no_bots_fault_and_stays_stopped(room: Room) -> None:
    anna, bo, table = await room.meet()
    mover, _, turn = await mover_of(anna, bo)
    table.give_up()
    table.give_up()
    room.loop.end_batch()
    end = await table.over()
    assert isinstance(end, MatchVoided)
    assert (end.reason, end.violations) == (FAILED, (0, 0))
    await mover.answer(turn)
    assert (await mover.wait_for(Error)).code in ("unknown_game", "stale_turn")
    before = room.recorded()
    await mover.hears_nothing(3600)
    assert room.recorded() == before
