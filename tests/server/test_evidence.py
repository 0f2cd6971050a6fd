"""Evidence for the author of a bot that has forfeited a game or lost its connection, and the frames that it shows."""

import json
import shlex
from collections.abc import Sequence
from typing import Any

import pytest
from msgspec.structs import replace

from arena.matches.facts import BotLeft, BotReturned
from arena.matches.time_control import TimeControl
from arena.server.play.frame_trace import HEX_BYTES, KEPT, Trace
from arena.server.run.evidence import MOST_INCIDENTS
from protocol.codec import encode
from protocol.greetings import Login
from protocol.messages import GameEnd, MatchEntropy, Play, Turn, TurnClock
from tests.fixtures.playing_room import GRACE_MS, ILLEGAL, TERMS, Room, token_of, until


def evidence(room: Room) -> dict[str, dict[str, Any]]:
    """Every file by its name."""
    return {
        path.name: json.loads(path.read_text()) for path in (room.folder / "evidence").glob("*")
    }


async def test_a_flag_leaves_the_turn_its_times_and_the_last_frames(room: Room) -> None:
    mover, other, turn = await room.begin(wants=("legal",))
    await other.wait_for(GameEnd)
    loser = mover.name
    found = evidence(room)
    assert list(found) == [f"r1-anna-v-bo-1-g1-{loser}.json"]
    [one] = found.values()
    flag, end = one["facts"]
    assert (flag["event"], end["result"]["cause"], one["opponent"]) == (
        "flag_fell",
        "time",
        other.name,
    )
    limit_ms = TERMS.clock.limit_ms(TERMS.clock.full[0])
    asked = one["turn"]
    assert asked["deadline_ms"] == asked["written_ms"] + limit_ms == flag["at_ms"] - 1
    assert (asked["turn"], asked["dice"], asked["position"]) == (1, list(turn.dice), turn.position)
    assert one["frames"][-1]["message"]["type"] == "turn"
    assert one["frames"][-1]["message"]["legal"]
    assert one["program"] is None
    record = str(room.folder / "r1-anna-v-bo.jsonl")
    assert shlex.split(one["again"]) == (
        [
            "arena",
            "replay",
            record,
            "--attempt",
            "1",
            "--game",
            "1",
            "--turn",
            "1",
            "--remote",
            loser,
        ]
    )


async def test_a_lost_connection_is_a_violation_and_leaves_evidence_also_without_a_forfeit(
    room: Room,
) -> None:
    mover, other, _ = await room.begin()
    name = other.name
    await other.hang_up()
    await until(lambda: bool(evidence(room)))
    [one] = evidence(room).values()
    [left] = one["facts"]
    assert left["event"] == "bot_left"
    assert left["reason"][0] in ("lost.hung_up", "lost.broken")
    assert one["again"] is None, "it has not had a turn in this game"
    assert [frame["message"]["type"] for frame in one["frames"]] == [
        "match_start",
        "match_ready",
        "game_start",
    ]
    await mover.at(room.loop.clock.now_ms() + GRACE_MS + 10)
    found = evidence(room)
    assert f"r1-anna-v-bo-1-g1-{name}.json" in found


async def test_evidence_of_a_bot_that_reconnects_all_the_time_is_limited(room: Room) -> None:
    _, other, _ = await room.begin(terms=replace(TERMS, clock=TimeControl(delay_ms=60_000)))
    name = other.name
    for number in range(MOST_INCIDENTS + 5):
        await other.hang_up()
        await until(lambda number=number: len(room.recorded_as(BotLeft)) == number + 1)
        other = await room.guest(name)
        await other.take_seat()
        await until(lambda number=number: len(room.recorded_as(BotReturned)) == number + 1)
    [one] = evidence(room).values()
    assert len(one["facts"]) == MOST_INCIDENTS


async def test_a_bot_that_never_sits_down_leaves_evidence_too(room: Room) -> None:
    for name in ("anna", "bo"):
        room.expect(name)
    anna = await room.guest("anna")
    table = room.lay_table("anna", "bo")
    await anna.take_seat()
    await table.over()
    found = evidence(room)
    assert sorted(found) == [f"r1-anna-v-bo-1-g{number}-bo.json" for number in (1, 2, 3)]
    assert {(one["again"], one["turn"], one["frames"] == []) for one in found.values()} == {
        (None, None, True)
    }


async def test_evidence_holds_no_secret(room: Room) -> None:
    """Neither token nor key, though the bot says both once more before it goes wrong."""
    mover, _, turn = await room.begin()
    name = mover.name
    secrets = [token_of(name), room.players[name].account.resume_key]
    await mover.say(Play(game=turn.game, turn=turn.turn, moves=ILLEGAL, info=secrets))
    await mover.say_bytes(b"\x00\x00\x00\xf0\xc1" + " ".join(secrets).encode())
    await mover.hang_up()
    await until(lambda: bool(evidence(room)))
    text = "".join(path.read_text() for path in (room.folder / "evidence").glob("*"))
    for secret in secrets:
        assert secret not in text
        assert secret.encode().hex() not in text


# The last frames of a connection: whole however they were cut, limited in number, and without
# secrets


PLAYS = [Play(game=1, turn=number, choice=0) for number in range(1, 4)]


def read_in(trace: Trace, pieces: Sequence[bytes]) -> None:
    """What a session keeps of a stream that comes in pieces."""
    waiting = b""
    for at_ms, piece in enumerate(pieces):
        trace.keep((at_ms, not waiting, piece))
        waiting += piece
        while len(waiting) >= 4 and len(waiting) >= (
            size := 4 + int.from_bytes(waiting[:4], "big")
        ):
            waiting = waiting[size:]


@pytest.mark.parametrize("length", [1, 2, 3, 5, 7, 36, 50, 1000])
def test_frames_are_shown_whole_however_the_stream_was_cut(length: int) -> None:
    """Every length of pieces that fits the trace gives the same three messages, and nothing else."""
    stream = b"".join(map(encode, PLAYS[:1] if length == 1 else PLAYS))
    trace = Trace()
    read_in(trace, [stream[at : at + length] for at in range(0, len(stream), length)])
    shown = trace.frames()
    assert [frame["message"]["turn"] for frame in shown] == ([1] if length == 1 else [1, 2, 3])
    assert "".join(frame["hex"] for frame in shown) == stream.hex()
    assert {frame["direction"] for frame in shown} == {"to the arena"}


def test_what_is_no_frame_is_shown_with_what_is_wrong_with_it() -> None:
    trace = Trace()
    trace.keep((1, False, b"\x01\x02"))
    trace.keep((2, True, b"\x00\x00\x00\x01\xc1"))
    trace.keep((3, True, b"\xff\xff\xff\xffabc"))
    problems = [(frame["hex"], frame["problem"].split(":")[0]) for frame in trace.frames()]
    assert problems == [
        ("0102", "the rest of a frame whose beginning is not kept any more"),
        ("00000001c1", "bad_msgpack"),
        ("ffffffff616263", "the beginning of a frame that has not come to its end"),
    ]


def test_only_the_last_ones_are_kept() -> None:
    trace = Trace()
    for number in range(1, 1000):
        trace.keep((number, None, encode(Play(game=1, turn=number, choice=0))))
    assert [frame["at_ms"] for frame in trace.frames()] == list(range(1000 - KEPT, 1000))


def test_a_long_frame_is_cut_in_hexadecimal_and_old_legal_turns_are_left_out() -> None:
    """The legal turns of the last turn stay: an answer may be an index in them."""
    trace = Trace()
    clock = TurnClock(left_ms=1, opponent_left_ms=1, spent_ms=0, delay_left_ms=1)
    legal = [[(1, 2), (3, 4)]] * 2000
    for number in (1, 2):
        trace.keep(
            (
                number,
                None,
                encode(
                    Turn(game=1, turn=number, dice=(1, 2), position={}, clock=clock, legal=legal)
                ),
            )
        )
    first, last = trace.frames()
    assert first["message"]["legal"] == "2000 turns, left out here"
    assert len(last["message"]["legal"]) == 2000
    assert len(last["hex"]) == 2 * HEX_BYTES + len("...")


def test_no_secret_is_shown_wherever_it_stands() -> None:
    trace = Trace()
    trace.hide("hunter2", "", "hunter3")
    login = Login(protocol=1, name="anna", token="not-known-to-us")
    for data in (
        encode(login),
        b"\x00\x00\x00\x08\xc1hunter2",
        encode(MatchEntropy(match="hunter3", entropy=b"hunter2")),
        b"\x00\x00\x00\xffhunter2hunter3",
    ):
        trace.keep((0, True, data))
    shown = repr(trace.frames())
    for secret in ("hunter2", "hunter3", "not-known-to-us"):
        assert secret not in shown
        assert secret.encode().hex() not in shown
    assert "a login is not shown" in shown
    assert b"hunter" not in trace.clean(b"my token is hunter2")


def test_a_long_frame_of_the_bot_is_not_decoded() -> None:
    """64 KiB of small values would cost the arena a tenth of a second, for every match the bot was in."""
    trace = Trace()
    long = encode(Play(game=1, turn=1, choice=0, info=[0] * 1000 + ["x" * 3100]))
    assert len(long) > HEX_BYTES + 4
    read_in(trace, [encode(PLAYS[0]), long])
    first, second = trace.frames()
    assert "message" in first
    assert (second["bytes"], "message" in second) == (len(long), False)
    assert second["problem"] == f"longer than {HEX_BYTES} bytes: shown cut short, and not decoded"
    assert second["hex"].startswith(long[:HEX_BYTES].hex())
