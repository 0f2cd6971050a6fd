"""A match at the table: what the bots hear, and what their answers lead to."""

from typing import Any

import msgpack
import pytest
import trio
from msgspec.structs import asdict, replace

from arena.matches.facts import (
    DiceCalled,
    DrawAgreed,
    GameEnded,
    MatchEnded,
    TurnPlayed,
    TurnRejected,
)
from arena.matches.time_control import TimeControl
from arena.records.lines import encode_line
from arena.server.play.remarks import REMARK_BYTES
from arena.server.play.session import UNASKED, UNASKED_A_SECOND, UNASKED_AN_ANSWER, Session
from protocol.codec import encode
from protocol.messages import (
    Bye,
    Call,
    Called,
    Error,
    GameEnd,
    GameStart,
    MatchEnd,
    MatchStart,
    Ping,
    Play,
    Turn,
)
from tests.fixtures.caller import CALLER, by_these_rules
from tests.fixtures.playing_room import (
    BRANDUBH,
    ILLEGAL,
    SEED,
    TERMS,
    VASA,
    Guest,
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
        assert [end.result == "won" for end in guest.heard(GameEnd)] == [
            fact.result.winner == seat for fact in ends
        ]
        assert len({start.game for start in guest.heard(GameStart)}) == 3
        [end] = guest.heard(MatchEnd)
        assert end.dice_seed == SEED
        assert tuple(end.score) == (
            table.match.standing.score if seat == 1 else table.match.standing.score[::-1]
        )
    assert len(anna.heard(Turn)) + len(bo.heard(Turn)) == len(room.recorded_as(TurnPlayed))
    assert room.replay().is_complete


async def test_the_invitation_tells_everything_that_was_agreed(room: Room) -> None:
    anna, bo = await room.guest("anna", version="1.2"), await room.guest("bo")
    clock = TimeControl(delay_ms=100, bank_ms=1000, increment_ms=50)
    table = room.lay_table("anna", "bo", terms=replace(TERMS, clock=clock))
    start = await anna.take_seat()
    assert (start.match, start.games, start.seat, start.rejections) == ("r1-anna-v-bo", 3, 1, 2)
    assert TimeControl(**asdict(start.clock)) == clock
    assert start.ruleset == table.match.setting.opened.ruleset
    assert start.dice_commitment.hex() == table.match.setting.opened.dice_commitment
    assert (await bo.hear(MatchStart)).opponent.name == "anna"


async def test_a_bot_that_wants_legal_turns_gets_all_of_them_and_may_answer_with_an_index(
    room: Room,
) -> None:
    mover, waiting, turn = await room.begin(wants=("legal",))
    position = VASA.from_plain(turn.position)
    expected = [
        [list(move) for move in one.moves] for one in VASA.legal_turns(position, tuple(turn.dice))
    ]
    assert turn.legal is not None
    assert [[list(move) for move in one] for one in turn.legal] == expected
    await mover.answer(turn, choice=len(expected) - 1, info={"why": "last"})
    await waiting.first_turn()
    [played] = room.recorded_as(TurnPlayed)
    assert ([list(move) for move in played.moves], played.info) == (expected[-1], {"why": "last"})


@pytest.mark.parametrize(
    ("info", "kept"),
    [
        ("x" * (REMARK_BYTES - 2), "x" * (REMARK_BYTES - 2)),
        ("x" * (REMARK_BYTES - 1), {"left_out_bytes": REMARK_BYTES + 1}),
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


async def say_fields(guest: Guest, **fields: Any) -> None:
    """Say a message that the kit would not send."""
    payload = msgpack.packb(fields)
    await guest.say_bytes(len(payload).to_bytes(4, "big") + payload)


async def test_a_remark_that_the_wire_does_not_carry_costs_the_remark_and_is_told_once(
    room: Room,
) -> None:
    """A chance of winning is a fraction to most programs."""
    anna, bo, table = await room.meet(terms=replace(TERMS, games=1, turn_limit=6))
    mover, waiting, turn = await mover_of(anna, bo)
    for info in ({"win": 0.53}, {"win": [0.5]}, "x" * REMARK_BYTES):
        moves = [list(move) for move in first_legal(turn)]
        await say_fields(mover, type="play", game=turn.game, turn=turn.turn, moves=moves, info=info)
        await waiting.answer(await waiting.first_turn())
        if info != "x" * REMARK_BYTES:
            turn = await mover.first_turn()
    await table.over()
    kept = [played.info for played in room.recorded_as(TurnPlayed)]
    assert kept[::2] == [
        {"left_out": "bad_value"},
        {"left_out": "bad_value"},
        {"left_out_bytes": REMARK_BYTES + 2},
    ]
    [error] = mover.heard(Error)
    assert (error.code, error.fatal, error.turn) == ("remark_left_out", False, 1)
    assert (
        "a number with a fraction; send a whole number, such as thousandths, or text - at `$.info.win`"
        in error.message
    )
    assert "this is said once on a connection" in error.message
    assert waiting.heard(Error) == []
    assert room.replay().is_complete


async def test_a_play_of_floats_is_that_of_the_integers(room: Room) -> None:
    mover, waiting, turn = await room.begin()
    moves = [list(map(float, move)) for move in first_legal(turn)]
    await say_fields(mover, type="play", game=float(turn.game), turn=float(turn.turn), moves=moves)
    await waiting.first_turn()
    [played] = room.recorded_as(TurnPlayed)
    assert b".0" not in encode_line(played)
    assert mover.heard(Error) == []


async def test_the_opponent_never_sees_the_information_kept_in_the_record(room: Room) -> None:
    mover, waiting, turn = await room.begin()
    info = {"secret plan": [1, None, True, b"\x00\xff", {"deep": ["ö"]}]}
    await mover.answer(turn, moves=first_legal(turn), info=info)
    await waiting.first_turn()
    assert "secret plan" not in repr(waiting.all_heard)
    [played] = room.recorded_as(TurnPlayed)
    assert played.info["secret plan"][4] == {"deep": ["ö"]}


# Ends, and answers nobody asked for


@pytest.mark.parametrize(
    ("answers", "seconds", "allowed"),
    [(1, 0, UNASKED_AN_ANSWER), (2, 0, 2 * UNASKED_AN_ANSWER), (0, 1, UNASKED_A_SECOND)],
)
async def test_time_and_awaited_answers_allow_further_unasked_messages(
    room: Room, answers: int, seconds: int, allowed: int
) -> None:
    mover, _, turn = await room.begin(terms=replace(TERMS, clock=TimeControl(delay_ms=60_000)))
    account = room.players[mover.name].account
    session = account.connection
    assert isinstance(session, Session)
    ping = encode(Ping())
    await trio.sleep(1)  # what it said before the game counts no more
    session.received(ping * UNASKED)
    await mover.at(mover.now_ms() + 1000 * seconds)
    rejected = encode(Play(game=turn.game, turn=turn.turn, moves=ILLEGAL))
    session.received(rejected * answers + ping * allowed)
    assert account.connection is session
    session.received(ping)
    assert account.connection is None


async def test_a_game_that_ends_with_the_answer_is_not_asked_for(room: Room) -> None:
    for name in ("anna", "bo"):
        room.expect(name, grace_ms=0)
    anna, bo, table = await room.meet(terms=replace(TERMS, games=1))
    mover, waiting, turn = await mover_of(anna, bo)
    await mover.say(
        Play(game=turn.game, turn=turn.turn, moves=first_legal(turn)), Bye(reason="done")
    )
    end = await waiting.wait_for(GameEnd)
    assert (end.result, end.ending) == ("won", "forfeit")
    assert waiting.heard(Turn) == []
    assert await table.over() == room.recorded_as(MatchEnded)[0]


# Calls for dice (B11.3): what bots are asked, and what their answers lead to


PATIENT = replace(TERMS, clock=TimeControl(delay_ms=100), turn_limit=6)
WANTS = {"wants": ("legal", "call")}


async def asked(room: Room, terms: Any = TERMS, **more: Any) -> tuple[Guest, Guest, Call, str]:
    """Both are ready and want to call: the bot that is asked, the other, the call, and the name of the first."""
    anna, bo, _ = await room.meet(rules=CALLER, terms=terms, **WANTS | more)
    start = await anna.wait_for(GameStart)
    mover, other, name = (anna, bo, "anna") if start.starts else (bo, anna, "bo")
    return mover, other, await mover.wait_for(Call), name


async def call(guest: Guest, message: Call, dice: int) -> None:
    """Answer a call."""
    await guest.say(Called(game=message.game, turn=message.turn, dice=dice))


def verify(room: Room) -> None:
    with by_these_rules(CALLER):
        room.replay()


@pytest.mark.parametrize("dice", [1, 2])
async def test_B11_3_a_bot_is_asked_and_gets_as_many_dice_as_it_calls_for(
    room: Room, dice: int
) -> None:
    mover, other, message, name = await asked(room)
    assert (message.turn, list(message.dice), message.last) == (1, [1, 2], None)
    assert message.position == CALLER.to_plain(CALLER.start())
    assert (message.clock.left_ms, message.clock.opponent_left_ms) == (1000, 1000)
    assert room.recorded_as(TurnPlayed) == []
    await call(mover, message, dice)
    turn = await mover.hear(Turn)
    assert (turn.game, turn.turn, len(turn.dice)) == (message.game, 1, dice)
    assert turn.position == message.position
    assert turn.legal
    await mover.answer(turn)
    next_call = await other.wait_for(Call)
    assert next_call.last is not None
    assert list(next_call.last.dice) == list(turn.dice)
    [fact] = room.recorded_as(DiceCalled)
    assert (fact.seat, fact.dice, fact.turn) == (1 if name == "anna" else 2, dice, 1)
    verify(room)


async def test_B11_3_a_play_in_answer_to_a_call_is_stale_and_so_is_a_call_in_answer_to_a_turn(
    room: Room,
) -> None:
    mover, _, message, _ = await asked(room)
    await mover.say(Play(game=message.game, turn=message.turn, moves=[[1, 7]]))
    error = await mover.hear(Error)
    assert (error.code, error.fatal, error.game, error.turn) == (
        "stale_turn",
        False,
        message.game,
        1,
    )
    assert "awaits the answer to the call for dice of turn 1" in error.message
    await call(mover, message, 2)
    turn = await mover.hear(Turn)
    await call(mover, message, 1)
    error = await mover.hear(Error)
    assert (error.code, error.fatal) == ("stale_turn", False)
    assert "a call for game" in error.message
    await mover.say(Called(game=77, turn=1, dice=1))
    assert (await mover.hear(Error)).code == "unknown_game"
    await mover.answer(turn)
    await until(lambda: bool(room.recorded_as(TurnPlayed)))
    assert room.recorded_as(TurnRejected) == []


async def test_B11_3_an_unanswered_call_takes_a_place_in_the_window(room: Room) -> None:
    anna = await room.guest("anna", **WANTS)
    others = [await room.guest(name) for name in ("bo", "cia")]
    for name in ("bo", "cia"):
        room.lay_table("anna", name, rules=CALLER, terms=PATIENT)
    for other in others:
        room.nursery.start_soon(other.play_along)
        await anna.take_seat()
    seen = []
    while len(seen) < 12:
        message = await anna.hear_next()
        if not isinstance(message, Call | Turn):
            continue
        assert message.clock.left_ms == 60_000
        await anna.hears_no((Call, Turn), 0.04)  # type: ignore[arg-type]
        seen.append((type(message), message.game))
        if isinstance(message, Call):
            await call(anna, message, 1)
        else:
            await anna.answer(message, choice=0)
    assert len({game for _, game in seen}) >= 2
    assert {kind for kind, _ in seen} == {Call, Turn}
    for number, (kind, game) in enumerate(seen[:-3]):
        if kind is Call:
            assert (Turn, game) in seen[number + 1 :], "the turn comes after its call"


# T9 at the table: what bots hear of an offer, and what their answers lead to


async def test_T9_an_offer_is_told_with_the_turn_and_its_acceptance_ends_the_game(
    room: Room,
) -> None:
    anna, bo, table = await room.meet(rules=BRANDUBH, terms=replace(PATIENT, turn_limit=20))
    black, white, turn = await mover_of(anna, bo)
    await black.answer(turn, moves=[["d1", "c1"]], info="drawish", draw="offer")
    asked = await white.first_turn()
    assert asked.draw_offered
    assert asked.last is not None
    await white.answer(asked, draw="accept", info="agreed")
    for guest in (anna, bo):
        end = await guest.wait_for(GameEnd)
        assert (end.result, end.ending, end.clause, end.points) == ("drawn", "agreement", "T9", 0)
        assert (end.last, list(end.score)) == (None, [0, 0])
        assert (await guest.hear(GameStart)).number == 2
    [agreed] = room.recorded_as(DrawAgreed)
    assert (agreed.seat, agreed.turn, agreed.info) == (2, 2, "agreed")
    assert [fact.draw_offered for fact in room.recorded_as(TurnPlayed)] == [True]
    second = await white.first_turn()
    assert not second.draw_offered
    await finish(room, table, anna, bo)
    assert room.replay().is_complete
