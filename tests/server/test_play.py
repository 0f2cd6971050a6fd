"""A match at the table: what the bots hear, and what their answers lead to."""

from __future__ import annotations

import hashlib

import pytest
from msgspec.structs import replace

from arena.matches.facts import BotReady, EntropyRevealed, GameEnded, GameStarted, MatchEnded, TurnPlayed, TurnRejected
from arena.records.reading import read_attempts
from arena.records.replay import Replay
from arena.records.verify import verify_attempt
from arena.server.play.translate import INFO_BYTES
from protocol.messages import Bye, Error, GameEnd, GameStart, MatchEnd, MatchReady, MatchStart, Play, Rejected, Turn
from tests.server.room import (
    ILLEGAL,
    SEED,
    TERMS,
    VASA,
    Room,
    finish,
    first_legal,
    mover_of,
    over_every_transport,
    until,
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
    [attempt] = read_attempts("x", (room.folder / "r1-anna-v-bo.jsonl").read_bytes())
    replay = Replay(attempt.opened, SEED, "x")
    for where, fact in attempt.facts:
        replay.take(fact, where)
    assert replay.is_complete


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
    anna, bo, _ = await room.meet(wants=("legal",))
    mover, waiting, turn = await mover_of(anna, bo)
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
    anna, bo, _ = await room.meet()
    mover, waiting, turn = await mover_of(anna, bo)
    await mover.answer(turn, moves=first_legal(turn), info=info)
    await waiting.first_turn()
    assert [played.info for played in room.recorded_as(TurnPlayed)] == [kept]


async def test_the_opponent_never_sees_the_information_kept_in_the_record(room: Room) -> None:
    anna, bo, _ = await room.meet()
    mover, waiting, turn = await mover_of(anna, bo)
    info = {"secret plan": [1, None, True, b"\x00\xff", {"deep": ["ö"]}]}
    await mover.answer(turn, moves=first_legal(turn), info=info)
    await waiting.first_turn()
    assert "secret plan" not in repr(waiting.all_heard)
    [played] = room.recorded_as(TurnPlayed)
    assert played.info["secret plan"][4] == {"deep": ["ö"]}


# Illegal turns


@pytest.mark.parametrize(
    "answer",
    [
        {"moves": ILLEGAL},
        {"moves": [["a", "b"]]},
        {"moves": [[1, 2]] * 1000},
        {"choice": 2**53},
    ],
    ids=lambda answer: str(answer)[:40],
)
async def test_an_illegal_turn_is_rejected_and_the_same_turn_may_be_answered_again(room: Room, answer: dict) -> None:
    anna, bo, _ = await room.meet()
    mover, waiting, turn = await mover_of(anna, bo)
    await mover.answer(turn, **answer)
    rejected = await mover.hear(Rejected)
    assert (rejected.game, rejected.turn, rejected.left) == (turn.game, turn.turn, 1)
    assert rejected.code
    assert rejected.clause
    assert rejected.message
    await mover.answer(turn)
    await waiting.first_turn()
    assert len(room.recorded_as(TurnRejected)) == 1
    assert room.recorded_as(GameEnded) == []


async def test_one_rejection_too_many_forfeits_the_game_and_the_match_goes_on(room: Room) -> None:
    anna, bo, _ = await room.meet()
    mover, waiting, turn = await mover_of(anna, bo)
    for left in (1, 0, -1):
        await mover.answer(turn, moves=ILLEGAL)
        assert (await mover.hear(Rejected)).left == left
    recorded = room.recorded_as(TurnRejected)
    assert [fact.left for fact in recorded] == [1, 0, -1]
    assert all(fact.moves == ILLEGAL and fact.code and fact.clause and fact.message for fact in recorded)
    lost, won = await mover.hear(GameEnd), await waiting.wait_for(GameEnd)
    assert (lost.result, won.result, lost.ending, won.points) == ("lost", "won", "forfeit", 6)
    start = await mover.hear(GameStart)
    assert (start.number, start.starts) == (2, True)
    assert (await mover.hear(Turn)).game == start.game


async def test_a_forfeited_game_was_ended_by_no_turn(room: Room) -> None:
    anna, bo, _ = await room.meet()
    mover, waiting, turn = await mover_of(anna, bo)
    await mover.answer(turn)
    await waiting.first_turn()
    for guest in (mover, waiting):
        end = await guest.wait_for(GameEnd)
        assert (end.ending, end.last) == ("forfeit", None)


# Answers nobody asked for


@pytest.mark.parametrize(
    ("game", "turn", "code"),
    [(99, 1, "unknown_game"), (1, 2**53, "stale_turn")],
)
async def test_an_answer_to_another_turn_is_an_error_and_no_forfeit(
    room: Room, game: int, turn: int, code: str
) -> None:
    anna, bo, _ = await room.meet()
    mover, waiting, asked = await mover_of(anna, bo)
    assert asked.game == 1
    await mover.say(Play(game=game, turn=turn, moves=ILLEGAL))
    error = await mover.hear(Error)
    assert (error.code, error.fatal, error.game, error.turn) == (code, False, game, turn)
    await mover.answer(asked)
    await waiting.first_turn()
    assert room.recorded_as(TurnRejected) == []


async def test_readiness_for_a_match_nobody_offered_is_an_error(room: Room) -> None:
    anna = await room.guest("anna")
    await room.guest("bo")
    await room.guest("cia")
    room.lay_table("bo", "cia")
    await anna.say(MatchReady(match="r1-bo-v-cia"), MatchReady(match="x" * 1000))
    for _ in range(2):
        error = await anna.hear(Error)
        assert (error.code, error.fatal) == ("unknown_match", False)


async def test_being_ready_twice_changes_nothing(room: Room) -> None:
    anna, bo = await room.guest("anna"), await room.guest("bo")
    room.lay_table("anna", "bo")
    start = await anna.take_seat(b"one")
    await anna.say(MatchReady(match=start.match, commitment=bytes(32)))
    await bo.take_seat()
    mover, waiting, turn = await mover_of(anna, bo)
    await anna.say(MatchReady(match=start.match))
    await mover.answer(turn)
    await waiting.first_turn()
    assert [ready.commitment for ready in room.recorded_as(BotReady)] == [hashlib.sha256(b"one").hexdigest(), None]
    assert [given.entropy for given in room.recorded_as(EntropyRevealed)] == [b"one".hex()]
    assert len(room.recorded_as(GameStarted)) == 1


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


# Answers by index: a choice that is not on the list is an illegal turn, and its record verifies


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
