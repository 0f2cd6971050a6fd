"""A match at the table: what the bots hear, and what their answers lead to."""

import pytest
from msgspec.structs import replace

from arena.matches.facts import GameEnded, MatchEnded, TurnPlayed
from arena.server.play.translate import INFO_BYTES
from protocol.messages import Bye, GameEnd, GameStart, MatchEnd, MatchStart, Play, Turn
from tests.server.room import (
    SEED,
    TERMS,
    VASA,
    Room,
    finish,
    first_legal,
    mover_of,
    over_every_transport,
)


@over_every_transport
async def test_a_whole_match_is_told_to_both_sides_and_recorded(room: Room) -> None:
    anna, bo, table = await room.meet()
    await finish(room, table, anna, bo)
    ends = room.recorded_as(GameEnded)
    for guest, seat in ((anna, 1), (bo, 2)):
        assert [start.number for start in guest.heard(GameStart)] == [1, 2, 3]
        assert [start.seat for start in guest.heard(GameStart)] == [seat] * 3
        assert [end.points for end in guest.heard(GameEnd)] == [fact.result.points for fact in ends]
        assert [end.result == "won" for end in guest.heard(GameEnd)] == [fact.result.winner == seat for fact in ends]
        assert len({start.game for start in guest.heard(GameStart)}) == 3
        [end] = guest.heard(MatchEnd)
        assert end.dice_seed == SEED
        assert tuple(end.score) == (table.match.standing.score if seat == 1 else table.match.standing.score[::-1])
    assert len(anna.heard(Turn)) + len(bo.heard(Turn)) == len(room.recorded_as(TurnPlayed))
    assert room.replay().is_complete


async def test_the_invitation_tells_everything_that_was_agreed(room: Room) -> None:
    anna, bo = await room.guest("anna", version="1.2"), await room.guest("bo")
    table = room.lay_table("anna", "bo")
    start = await anna.take_seat()
    assert (start.match, start.games, start.seat, start.rejections) == ("r1-anna-v-bo", 3, 1, 2)
    assert (start.clock.delay_ms, start.clock.bank_ms) == (TERMS.delay_ms, TERMS.bank_ms)
    assert start.ruleset == table.match.setting.opened.ruleset
    assert start.dice_commitment.hex() == table.match.setting.opened.dice_commitment
    assert (await bo.hear(MatchStart)).opponent.name == "anna"


async def test_a_turn_shows_the_position_the_dice_and_what_the_opponent_did(room: Room) -> None:
    anna, bo, table = await room.meet()
    mover, waiting, turn = await mover_of(anna, bo)
    assert (turn.turn, turn.last, turn.legal) == (1, None, None)
    assert turn.position == VASA.to_plain(VASA.start())
    moves = [list(move) for move in first_legal(turn)]
    await mover.answer(turn)
    reply = await waiting.first_turn()
    assert reply.turn == 2
    assert reply.last is not None
    assert (list(reply.last.dice), list(map(list, reply.last.moves))) == (list(turn.dice), moves)
    assert reply.position == VASA.to_plain(table.match.games[0].position)


async def test_a_bot_that_wants_legal_turns_gets_all_of_them_and_may_answer_with_an_index(room: Room) -> None:
    mover, waiting, turn = await room.begin(wants=("legal",))
    position = VASA.from_plain(turn.position)
    expected = [[list(move) for move in one.moves] for one in VASA.legal_turns(position, tuple(turn.dice))]
    assert turn.legal is not None
    assert [[list(move) for move in one] for one in turn.legal] == expected
    await mover.answer(turn, choice=len(expected) - 1, info={"why": "last"})
    await waiting.first_turn()
    [played] = room.recorded_as(TurnPlayed)
    assert ([list(move) for move in played.moves], played.info) == (expected[-1], {"why": "last"})


@pytest.mark.parametrize(
    ("info", "kept"),
    [
        ("x" * (INFO_BYTES - 2), "x" * (INFO_BYTES - 2)),
        ("x" * (INFO_BYTES - 1), {"left_out_bytes": INFO_BYTES + 1}),
        (["ö" * 100] * 100, {"left_out_bytes": 100 * 203 + 1}),
        (bytes(60_000), {"left_out_bytes": 80_002}),
    ],
    ids=["just short enough", "a byte too long", "nested", "bytes as base64"],
)
async def test_a_long_remark_is_left_out_of_the_record_and_the_turn_counts(
    room: Room, info: object, kept: object
) -> None:
    mover, waiting, turn = await room.begin()
    await mover.answer(turn, moves=first_legal(turn), info=info)
    await waiting.first_turn()
    assert [played.info for played in room.recorded_as(TurnPlayed)] == [kept]


async def test_the_opponent_never_sees_the_information_kept_in_the_record(room: Room) -> None:
    mover, waiting, turn = await room.begin()
    info = {"secret plan": [1, None, True, b"\x00\xff", {"deep": ["ö"]}]}
    await mover.answer(turn, moves=first_legal(turn), info=info)
    await waiting.first_turn()
    assert "secret plan" not in repr(waiting.all_heard)
    [played] = room.recorded_as(TurnPlayed)
    assert played.info["secret plan"][4] == {"deep": ["ö"]}


# Ends, and answers nobody asked for


async def test_a_game_that_ends_with_the_answer_is_not_asked_for(room: Room) -> None:
    for name in ("anna", "bo"):
        room.expect(name, grace_ms=0)
    anna, bo, table = await room.meet(terms=replace(TERMS, games=1))
    mover, waiting, turn = await mover_of(anna, bo)
    await mover.say(Play(game=turn.game, turn=turn.turn, moves=first_legal(turn)), Bye(reason="done"))
    end = await waiting.wait_for(GameEnd)
    assert (end.result, end.ending) == ("won", "forfeit")
    assert waiting.heard(Turn) == []
    assert await table.over() == room.recorded_as(MatchEnded)[0]
