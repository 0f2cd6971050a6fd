"""Every sample bot against the wire protocol, with the arena's end played frame by frame."""

import json
import shlex
import socket
import struct
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import msgpack
import pytest
from msgspec.structs import replace

from protocol.codec import encode, type_name
from protocol.errors import ErrorCode
from protocol.greetings import Hello, Limits, Welcome
from protocol.messages import Bye, Error, MatchEnd, MatchReady, Ping, Play, Pong
from tests.certificates import write_self_made
from tests.fixtures.bot_workshop import Sample, call
from tests.fixtures.fake_arena import CAN_RETURN, Door, tcp_door, tls_door, unix_door
from tests.fixtures.golden_talks import NAMES, Golden, exactly
from tests.fixtures.message_samples import MATCH_START, SESSION, TURN, WELCOME
from tests.sample_bots.process import NAME, TOKEN, started

PIECE_BYTES = 7
"""A frame may come in many reads, its length too."""


@pytest.fixture
def door(tmp_path: Path) -> Iterator[Door]:
    with unix_door(tmp_path) as opened:
        yield opened


def heard_raw(stream: socket.socket) -> dict[str, Any]:
    """The next frame's map as it is; its first key is `type`."""
    body = exactly(stream, *struct.unpack(">I", exactly(stream, 4)))
    message: dict[str, Any] = msgpack.unpackb(body)
    assert next(iter(message)) == "type"
    return message


def recorded() -> Iterator[tuple[bytes, str | None]]:
    """The recorded session: all the arena says at a time, and the type of the answer, None at the end."""
    said = b""
    for sender, message in SESSION:
        if isinstance(
            message, MatchEnd
        ):  # the recorded dice are not made of the entropy of this bot
            said += encode(replace(message, dice_seed=None, entropies=None))
        elif sender == "arena":
            said += encode(message)
        else:
            yield said, type_name(type(message))
            said = b""
    yield said, None


def at_length(value: Any) -> bytes:
    """A value in msgpack's longest forms, which a reader must take for the same; the key `type` comes last."""
    match value:
        case None | bool():
            return bytes(msgpack.packb(value))
        case int():
            return b"\xd3" + struct.pack(">q", value)
        case str():
            return b"\xdb" + struct.pack(">I", len(value.encode())) + value.encode()
        case bytes():
            return b"\xc6" + struct.pack(">I", len(value)) + value
        case list():
            return b"\xdd" + struct.pack(">I", len(value)) + b"".join(map(at_length, value))
        case dict():
            pairs = sorted(value.items(), key=lambda pair: pair[0] == "type")
            packed = b"".join(at_length(key) + at_length(one) for key, one in pairs)
            return b"\xdf" + struct.pack(">I", len(pairs)) + packed
    raise AssertionError(value)


def test_other_encodings_unknown_fields_and_any_pieces_change_nothing(
    sample: Sample, door: Door
) -> None:
    later: dict[str, Any] = {
        "tomorrow": {"a": [1, "two", None, True, {"b": b"\0\xff"}], "é": -(2**53)}
    }
    unknown = {"type": "tomorrow"} | later
    with started(sample, door.address) as bot, door.open() as arena:
        for said, answer in recorded():
            while said:
                (size,) = struct.unpack_from(">I", said)
                message = msgpack.unpackb(said[4 : 4 + size])
                said = said[4 + size :]
                frames = [message | later]
                if not sample.has_kit and message["type"] not in ("hello", "bye"):
                    frames.append(unknown)  # on which the Python kit insists that it is asked for
                for body in map(at_length, frames):
                    frame = struct.pack(">I", len(body)) + body
                    for at in range(0, len(frame), PIECE_BYTES):
                        arena.stream.sendall(frame[at : at + PIECE_BYTES])
            if answer is not None:
                assert heard_raw(arena.stream)["type"] == answer
        assert bot.end()[0] == 0


def test_a_lost_connection_is_made_again_with_the_key(sample: Sample, door: Door) -> None:
    with started(sample, door.address) as bot:
        with door.open() as arena:
            assert arena.greet().resume is None
            arena.say(CAN_RETURN)
            arena.start(1)
            arena.say(TURN)
            arena.expect(Play)
        with door.open() as arena:
            assert arena.greet().resume == "first key"
            arena.say(Error(code=ErrorCode.ALREADY_CONNECTED, message="It is here.", fatal=True))
        with door.open() as arena:
            assert arena.greet().resume == "first key"
            arena.say(Welcome(session="s2", resume_key="second key", limits=CAN_RETURN.limits))
            arena.start(1)
            arena.say(TURN)
            arena.expect(Play)
            arena.stream.sendall(arena.wire.send(TURN)[:-20])
        with door.open() as arena:
            assert arena.greet().resume == "second key"
            arena.say(Welcome(session="s3", resume_key="third key", limits=CAN_RETURN.limits))
            arena.say(Error(code=ErrorCode.INTERNAL, message="It has failed.", fatal=True))
        with door.open() as arena:
            login = arena.greet()
            assert (login.name, login.token, login.resume) == (NAME, TOKEN, "third key")
            arena.say(WELCOME, MATCH_START)
            arena.expect(MatchReady)
            arena.say(Bye())
        code, complaint = bot.end()
    assert code == 0
    assert "key" not in complaint


@pytest.mark.parametrize("grace_ms", [0, 200])
def test_when_the_grace_is_over_the_bot_leaves(
    sample: Sample, tmp_path: Path, grace_ms: int
) -> None:
    with unix_door(tmp_path) as door, started(sample, door.address) as bot:
        with door.open() as arena:
            arena.greet()
            arena.say(
                Welcome(
                    session="s",
                    resume_key="key",
                    limits=Limits(frame_bytes=1, window=1, grace_ms=grace_ms),
                )
            )
            (tmp_path / "arena.sock").unlink()
            arena.say(Ping())
            arena.expect(Pong)
        code, complaint = bot.end()
    if sample.has_kit and grace_ms == 0:
        assert (code, complaint) == (
            0,
            "",
        )  # the Python kit takes the end of the stream for a goodbye
    else:
        assert code == 1
        assert complaint.splitlines()


def test_a_bot_whose_place_is_taken_leaves_it(sample: Sample, door: Door) -> None:
    """`already_connected` on an open connection: coming back would throw out the other one."""
    with started(sample, door.address) as bot, door.open() as arena:
        arena.greet()
        arena.say(
            CAN_RETURN, Error(code=ErrorCode.ALREADY_CONNECTED, message="Another came.", fatal=True)
        )
        code, complaint = bot.end()
    assert code == 1
    assert "already_connected" in complaint


FOREIGN = {
    "another protocol": Hello(protocol=2, server="arena 9", nonce=b""),
    "a web server": b"HTTP/1.1 400 Bad Request\r\n\r\n",
    "no msgpack": b"\0\0\0\x01\xc1",
    "half a map": b"\0\0\0\x02\x81\xa4",
}


@pytest.mark.parametrize("said", FOREIGN)
def test_what_is_no_arena_is_left_with_a_sentence(sample: Sample, door: Door, said: str) -> None:
    first = FOREIGN[said]
    with started(sample, door.address) as bot, door.open() as arena:
        if isinstance(first, bytes):
            arena.stream.sendall(first)
        else:
            arena.say(first)
        code, complaint = bot.end()
    assert (code, len(complaint.splitlines())) == (1, 1), complaint


@pytest.mark.parametrize("host", ["127.0.0.1", "::1"])
def test_tcp_by_either_version_of_ip(sample: Sample, host: str) -> None:
    with ExitStack() as opened:
        try:
            door = opened.enter_context(tcp_door(host))
        except OSError as error:
            pytest.skip(f"{host} is not to be had on this machine: {error}")
        with started(sample, door.address) as bot, door.open() as arena:
            arena.welcome()
            arena.say(Bye())
            assert bot.end()[0] == 0


def test_a_certificate_that_the_operator_made_is_trusted_if_arena_ca_names_it(
    sample: Sample, tmp_path: Path
) -> None:
    """Without it the bot says what to set."""
    if not sample.speaks_tls:
        pytest.skip(f"the sample bot in {sample.language} does not speak TLS")
    certificate, key = write_self_made(tmp_path)
    with tls_door(certificate, key) as door:
        with door.refuse(), started(sample, door.address) as bot:
            code, complaint = bot.end()
        assert (code, len(complaint.splitlines())) == (1, 1), complaint
        assert complaint.endswith("set ARENA_CA=arena.pem\n")
        with started(sample, door.address, ARENA_CA=str(certificate)) as bot, door.open() as arena:
            arena.welcome()
            arena.say(Bye())
            assert bot.end()[0] == 0
        with started(sample, door.address, ARENA_CA=str(tmp_path / "none.pem")) as bot:
            code, complaint = bot.end()
        assert (code, len(complaint.splitlines())) == (1, 1), complaint
        assert f"ARENA_CA={tmp_path}/none.pem" in complaint


def test_started_by_itself_it_says_how_to_start_it(sample: Sample) -> None:
    """A sentence instead of a trace."""
    with started(sample, "", ARENA_NAME="", ARENA_TOKEN="") as bot:
        code, complaint = bot.end()
    assert code in (1, 2)
    assert "arena run" in complaint


@pytest.mark.parametrize(
    "address", ["localhost:4711", "tcp:127.0.0.1:70000", "unix:/nowhere/arena.sock"]
)
def test_an_address_that_leads_nowhere_is_quoted(sample: Sample, address: str) -> None:
    with started(sample, address) as bot:
        code, complaint = bot.end()
    assert (code, len(complaint.splitlines())) == (1, 1), complaint
    assert address in complaint


# Every sample bot answers the golden conversations, and goes well through `arena check`


def checked(command: list[str], ruleset: str = "vasa") -> dict[str, Any]:
    """What became of each situation, by its name; all that is required must go well."""
    done = call(f"arena check --ruleset {ruleset} --json --wait 60 -- {shlex.join(command)}")
    assert done.returncode == 0, done.stdout + done.stderr
    return {one["name"]: one for one in json.loads(done.stdout)["situations"]}


@pytest.mark.soak
def test_a_sample_bot_does_all_that_is_asked(sample: Sample) -> None:
    seen = checked(sample.start_command())
    wrong = {name for name, one in seen.items() if one["result"] != "passed"}
    assert wrong == set(), [seen[name] for name in wrong]


@pytest.mark.soak
@pytest.mark.parametrize(("bot", "unknown"), [("minimal", {"reconnect"}), ("batching", set())])
def test_the_bots_without_the_kit_and_with_many_games_do_what_is_required(
    bot: str, unknown: set[str]
) -> None:
    """The other bots in Python leave the protocol to the kit, as `random` does."""
    seen = checked(["python", f"sample_bots/{bot}/bot.py"])
    assert {name for name, one in seen.items() if one["result"] != "passed"} == unknown


@pytest.mark.slow
def test_the_bot_for_brandubh_does_all_that_is_asked() -> None:
    seen = checked(["python", "sample_bots/brandubh/bot.py", "--depth", "2"], "brandubh-2")
    assert {name for name, one in seen.items() if one["result"] != "passed"} == set()


def test_the_golden_conversations_are_answered(sample: Sample, tmp_path: Path) -> None:
    broken_off = {}
    for name in NAMES:
        golden = Golden(name)
        (tmp_path / name).mkdir()
        with unix_door(tmp_path / name) as door, started(sample, door.address) as bot:
            broken_off[name] = golden.play(door)
            if not broken_off[name]:
                code, complaint = bot.end()
                assert code == (1 if name == "refused" else 0), f"{name}: {complaint}"
                assert ("bad_login" in complaint) == (name == "refused")
                assert ("stale_turn" in complaint) == (name == "stale-answer")
    assert {name for name, reason in broken_off.items() if reason} <= {"break", "call", "window"}
