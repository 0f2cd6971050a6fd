"""A match at the table: what the bots are told, what their answers lead to, and what time it takes."""

from __future__ import annotations

import hashlib

import pytest

from arena.matches.facts import (
    BotReady,
    EntropyRevealed,
    FlagFell,
    GameEnded,
    GameStarted,
    MatchEnded,
    MatchVoided,
    TurnPlayed,
    TurnRejected,
)
from arena.records.reading import read_attempts
from arena.records.replay import Replay
from arena.server.play.translate import INFO_BYTES
from protocol.messages import (
    Error,
    GameEnd,
    GameStart,
    MatchEnd,
    MatchReady,
    MatchStart,
    Ping,
    Play,
    Pong,
    Rejected,
    Turn,
)
from tests.server.room import ILLEGAL, SEED, TERMS, VASA, Room, finish, first_legal, mover_of, over_every_transport


@over_every_transport
async def test_a_whole_match_is_told_to_both_sides_and_recorded(room: Room) -> None:
    """Every game has its start, turns and end on both connections; the record replays with the same dice."""
    anna, bo, table = await room.meet()
    await finish(room, table, anna, bo)
    ends = room.recorded_as(GameEnded)
    for guest, seat in ((anna, 1), (bo, 2)):
        assert [start.number for start in guest.heard(GameStart)] == [1, 2, 3]
        assert [start.seat for start in guest.heard(GameStart)] == [seat] * 3
        assert [end.points for end in guest.heard(GameEnd)] == [fact.points for fact in ends]
        assert [end.result == "won" for end in guest.heard(GameEnd)] == [fact.winner == seat for fact in ends]
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
    """Match, seat, rules, games, clock, rejections, the opponent and the commitment."""
    anna, bo = await room.guest("anna", version="1.2"), await room.guest("bo")
    table = room.lay_table("anna", "bo")
    start = await anna.take_seat()
    assert (start.match, start.games, start.seat, start.rejections) == ("r1-anna-v-bo", 3, 1, 2)
    assert (start.clock.delay_ms, start.clock.bank_ms) == (TERMS.delay_ms, TERMS.bank_ms)
    assert start.ruleset == table.match.setting.opened.ruleset
    assert start.dice_commitment.hex() == table.match.setting.opened.dice_commitment
    assert (await bo.hear(MatchStart)).opponent.name == "anna"


async def test_a_turn_shows_the_position_the_dice_and_what_the_opponent_did(room: Room) -> None:
    """The mover's first turn has no `last`; the opponent's has it, and its position seen from its own side."""
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
    """`legal` lists every distinct turn; a choice is recorded as the moves it stands for."""
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
    """What counts is the length on the disk; its place says how long it was."""
    anna, bo, _ = await room.meet()
    mover, waiting, turn = await mover_of(anna, bo)
    await mover.answer(turn, moves=first_legal(turn), info=info)
    await waiting.first_turn()
    assert [played.info for played in room.recorded_as(TurnPlayed)] == [kept]


async def test_the_opponent_never_sees_the_information_kept_in_the_record(room: Room) -> None:
    """`info` of any plain form is in the record and in nothing the other bot hears."""
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
        {"moves": []},
        {"moves": [[1, 7]] * 9},
        {"moves": [["a", "b"]]},
        {"moves": [[0, 25]]},
        {"moves": [[-5, 2**53]]},
        {"moves": [[1, 2]] * 1000},
        {"choice": 0},
        {"choice": 2**53},
    ],
    ids=lambda answer: str(answer)[:40],
)
async def test_an_illegal_turn_is_rejected_and_the_same_turn_may_be_answered_again(room: Room, answer: dict) -> None:
    """The bot is told why by clause; a legal answer to the same turn is then taken; nothing is forfeited."""
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


async def test_a_choice_beyond_the_list_is_a_rejection(room: Room) -> None:
    """An index that is not in `legal` is an illegal turn, neither a broken protocol nor a forfeit."""
    anna, bo, _ = await room.meet(wants=("legal",))
    mover, waiting, turn = await mover_of(anna, bo)
    assert turn.legal is not None
    await mover.answer(turn, choice=len(turn.legal))
    assert (await mover.hear(Rejected)).left == 1
    await mover.answer(turn, choice=0)
    await waiting.first_turn()


async def test_one_rejection_too_many_forfeits_the_game_and_the_match_goes_on(room: Room) -> None:
    """The last `rejected` has -1 left, in the record as well; game_end follows, and the loser begins the next game."""
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
    """`last` of `game_end` is left out for both, whoever played before."""
    anna, bo, _ = await room.meet()
    mover, waiting, turn = await mover_of(anna, bo)
    await mover.answer(turn)
    await waiting.first_turn()
    for guest in (mover, waiting):
        end = await guest.wait_for(GameEnd)
        assert (end.ending, end.last) == ("forfeit", None)


async def test_an_answer_to_a_game_that_is_over_is_an_error_and_nothing_more(room: Room) -> None:
    """`unknown_game` for the handle of a forfeited game; the next game is not touched."""
    anna, bo, _ = await room.meet()
    mover, _, turn = await mover_of(anna, bo)
    for _ in range(3):
        await mover.answer(turn, moves=ILLEGAL)
    next_turn = await mover.first_turn()
    await mover.answer(turn)
    error = await mover.hear(Error)
    assert (error.code, error.fatal, error.game, error.turn) == ("unknown_game", False, turn.game, turn.turn)
    await mover.answer(next_turn)
    assert len(room.recorded_as(GameEnded)) == 1


# Answers nobody asked for


@pytest.mark.parametrize(
    ("game", "turn", "code"),
    [
        (0, 1, "unknown_game"),
        (99, 1, "unknown_game"),
        (1, 0, "stale_turn"),
        (1, 2, "stale_turn"),
        (1, 2**53, "stale_turn"),
    ],
)
async def test_an_answer_to_another_turn_is_an_error_and_no_forfeit(
    room: Room, game: int, turn: int, code: str
) -> None:
    """The error names game and turn; the turn that is open can still be answered."""
    anna, bo, _ = await room.meet()
    mover, waiting, asked = await mover_of(anna, bo)
    assert asked.game == 1
    await mover.say(Play(game=game, turn=turn, moves=ILLEGAL))
    error = await mover.hear(Error)
    assert (error.code, error.fatal, error.game, error.turn) == (code, False, game, turn)
    await mover.answer(asked)
    await waiting.first_turn()
    assert room.recorded_as(TurnRejected) == []


async def test_the_second_of_two_answers_is_stale(room: Room) -> None:
    """The first counts, whatever the second says, also in one write."""
    anna, bo, _ = await room.meet()
    mover, waiting, turn = await mover_of(anna, bo)
    good = Play(game=turn.game, turn=turn.turn, moves=first_legal(turn))
    await mover.say(good, Play(game=turn.game, turn=turn.turn, moves=ILLEGAL))
    assert (await mover.hear(Error)).code == "stale_turn"
    await waiting.first_turn()
    assert len(room.recorded_as(TurnPlayed)) == 1
    assert room.recorded_as(TurnRejected) == []


async def test_a_bot_that_is_not_to_move_cannot_move(room: Room) -> None:
    """The waiting side's answer is an error; the mover's turn is untouched."""
    anna, bo, _ = await room.meet()
    mover, waiting, turn = await mover_of(anna, bo)
    await waiting.wait_for(GameStart)
    await waiting.say(Play(game=1, turn=1, moves=first_legal(turn)))
    assert (await waiting.hear(Error)).code in ("stale_turn", "unknown_game")
    assert room.recorded_as(TurnPlayed) == []
    await mover.answer(turn)
    await waiting.first_turn()


async def test_readiness_for_a_match_nobody_offered_is_an_error(room: Room) -> None:
    """`unknown_match`, not fatal, also for a match of others."""
    anna = await room.guest("anna")
    await room.guest("bo")
    await room.guest("cia")
    room.lay_table("bo", "cia")
    await anna.say(MatchReady(match="r1-bo-v-cia"), MatchReady(match="x" * 1000))
    for _ in range(2):
        error = await anna.hear(Error)
        assert (error.code, error.fatal) == ("unknown_match", False)


async def test_being_ready_twice_changes_nothing(room: Room) -> None:
    """Only the first commitment counts, and the game does not begin again."""
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


# Time


async def test_an_answer_at_the_very_millisecond_of_the_deadline_is_in_time(room: Room) -> None:
    """Delay and bank used to the last millisecond: the turn is played, with nothing left."""
    anna, bo, _ = await room.meet()
    mover, waiting, turn = await mover_of(anna, bo)
    await mover.at(mover.now_ms() + TERMS.delay_ms + TERMS.bank_ms)
    await mover.answer(turn)
    reply = await waiting.first_turn()
    [played] = room.recorded_as(TurnPlayed)
    assert (played.spent_ms, played.left_ms) == (1100, 0)
    assert (reply.clock.left_ms, reply.clock.opponent_left_ms, reply.clock.spent_ms) == (1000, 0, 0)


async def test_one_millisecond_later_the_flag_falls_by_itself(room: Room) -> None:
    """Nobody has to send anything for it: at the next millisecond the game is forfeited, with one violation."""
    anna, bo, _ = await room.meet()
    mover, waiting, turn = await mover_of(anna, bo)
    began_ms = mover.now_ms()
    end = await waiting.wait_for(GameEnd)
    assert waiting.now_ms() == began_ms + 1101
    assert (end.result, end.ending, end.clause) == ("won", "forfeit", "B10.2")
    [flag] = room.recorded_as(FlagFell)
    assert (flag.spent_ms, flag.turn) == (1101, 1)
    await mover.wait_for(GameEnd)
    await mover.answer(turn)
    assert (await mover.wait_for(Error)).code == "unknown_game"


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


async def test_a_rejected_turn_neither_stops_its_clock_nor_gets_the_delay_again(room: Room) -> None:
    """After a rejection at 500 ms the deadline is still 1,100 ms after the writing."""
    anna, bo, _ = await room.meet()
    mover, waiting, turn = await mover_of(anna, bo)
    began_ms = mover.now_ms()
    await mover.at(began_ms + 500)
    await mover.answer(turn, moves=ILLEGAL)
    await mover.hear(Rejected)
    await waiting.wait_for(GameEnd)
    assert waiting.now_ms() == began_ms + 1101


async def test_a_ping_is_answered_at_once_and_costs_no_time(room: Room) -> None:
    """Pings during a turn leave its clock as it is, and a ping alone is no answer."""
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


async def test_a_bank_lasts_for_the_game_and_is_full_again_in_the_next(room: Room) -> None:
    """After a forfeit on time both sides begin the next game with the whole bank."""
    anna, bo, _ = await room.meet()
    mover, waiting, turn = await mover_of(anna, bo)
    await mover.at(mover.now_ms() + 900)
    await mover.answer(turn)
    await waiting.first_turn()
    await waiting.wait_for(GameEnd)
    again = await waiting.first_turn()
    assert (again.turn, again.clock.left_ms, again.clock.opponent_left_ms, again.clock.spent_ms) == (1, 1000, 1000, 0)


async def test_who_is_not_ready_before_the_start_up_deadline_forfeits_the_match(room: Room) -> None:
    """One strike, every game forfeited as no_show; the other hears of each game and of the match."""
    anna, bo = await room.guest("anna"), await room.guest("bo")
    table = room.lay_table("anna", "bo")
    began_ms = anna.now_ms()
    await anna.take_seat()
    end = await table.outcome.over()
    assert anna.now_ms() == began_ms + TERMS.startup_ms + 1
    assert isinstance(end, MatchEnded)
    assert (end.score, end.violations) == ((18, 0), (0, 1))
    assert [fact.cause for fact in room.recorded_as(GameEnded)] == ["no_show"] * 3
    table.tell_result("anna")
    room.loop.end_batch()
    assert [(await anna.hear(GameEnd)).result for _ in range(3)] == ["won"] * 3
    assert (await anna.hear(MatchEnd)).result == "won"
    assert (await bo.wait_for(MatchEnd)).result == "lost"


async def test_readiness_at_the_very_millisecond_of_the_start_up_deadline_is_in_time(room: Room) -> None:
    """The match begins."""
    anna, bo = await room.guest("anna"), await room.guest("bo")
    table = room.lay_table("anna", "bo")
    await anna.take_seat()
    await bo.at(table.match.setting.opened.at_ms + TERMS.startup_ms)
    await bo.take_seat()
    await mover_of(anna, bo)
    assert room.recorded_as(GameEnded) == []


async def test_when_nobody_is_ready_the_match_is_void(room: Room) -> None:
    """Neither bot wins; both have a match_end that says void."""
    anna, bo = await room.guest("anna"), await room.guest("bo")
    table = room.lay_table("anna", "bo")
    end = await table.outcome.over()
    assert isinstance(end, MatchVoided)
    table.tell_result(None)
    room.loop.end_batch()
    for guest in (anna, bo):
        assert (await guest.wait_for(MatchEnd)).result == "void"


async def test_a_match_can_be_stopped_through_no_bots_fault_and_stays_stopped(room: Room) -> None:
    """`void` ends it; what the bots still send is an error each, and no time limit speaks any more."""
    anna, bo, table = await room.meet()
    mover, _, turn = await mover_of(anna, bo)
    table.void("the roof leaks", room.loop.clock.now_ms())
    table.void("the roof leaks", room.loop.clock.now_ms())
    room.loop.end_batch()
    end = await table.outcome.over()
    assert isinstance(end, MatchVoided)
    assert (end.reason, end.violations) == ("the roof leaks", (0, 0))
    await mover.answer(turn)
    assert (await mover.wait_for(Error)).code in ("unknown_game", "stale_turn")
    before = room.recorded()
    await mover.hears_nothing(3600)
    assert room.recorded() == before
