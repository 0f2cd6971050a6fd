"""The last frames of a connection: whole however they were cut, limited in number, and without secrets."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from arena.server.play.frame_trace import HEX_BYTES, KEPT, Trace
from protocol.codec import encode
from protocol.greetings import Login
from protocol.messages import MatchEntropy, Play, Turn, TurnClock

PLAYS = [Play(game=1, turn=number, choice=0) for number in range(1, 4)]


def read_in(trace: Trace, pieces: Sequence[bytes]) -> None:
    """What a session keeps of a stream that comes in pieces."""
    waiting = b""
    for at_ms, piece in enumerate(pieces):
        trace.keep((at_ms, not waiting, piece))
        waiting += piece
        while len(waiting) >= 4 and len(waiting) >= (size := 4 + int.from_bytes(waiting[:4], "big")):
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


def test_both_directions_stand_in_the_order_in_which_they_happened() -> None:
    trace = Trace()
    turn = Turn(
        game=1,
        turn=1,
        dice=(1, 2),
        position={},
        clock=TurnClock(left_ms=1, opponent_left_ms=1, spent_ms=0, delay_left_ms=1),
    )
    trace.keep((10, None, encode(turn)))
    trace.keep((12, True, encode(PLAYS[0])))
    shown = trace.frames()
    assert [(one["at_ms"], one["direction"], one["message"]["type"]) for one in shown] == [
        (10, "to a bot", "turn"),
        (12, "to the arena", "play"),
    ]


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
            (number, None, encode(Turn(game=1, turn=number, dice=(1, 2), position={}, clock=clock, legal=legal)))
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


def test_what_comes_later_is_shown_later() -> None:
    trace = Trace()
    for number, play in enumerate(PLAYS, start=1):
        read_in(trace, [encode(play)])
        assert len(trace.frames()) == len(trace.frames()) == number
