"""How the Python kit asks a venue for an account."""

import socket
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from protocol.client import JoinError, join
from protocol.greetings import Join, Joined
from protocol.messages import Bye, Error
from tests.fixtures.fake_arena import Door, FakeArena, unix_door
from tests.fixtures.message_samples import HELLO

JOINED = Joined(name="anna", token="open sesame", page="https://arena.example/bots/anna")


@pytest.fixture
def door(tmp_path: Path) -> Iterator[Door]:
    with unix_door(tmp_path) as opened:
        yield opened


def joining(door: Door, arena_part: Callable[[FakeArena], object]) -> Joined:
    """What the kit gives while the arena plays its part."""
    with ThreadPoolExecutor(1) as threads:
        answer = threads.submit(join, door.address, "anna", "5f3c", "Anna Å")
        with door.open() as arena:
            arena.say(HELLO)
            wish = arena.expect(Join)
            assert wish == Join(protocol=1, name="anna", invite="5f3c", display="Anna Å")
            arena_part(arena)
        return answer.result()


def test_a_bot_gets_its_account(door: Door) -> None:
    assert joining(door, lambda arena: arena.say(JOINED)) == JOINED


def test_a_refusal_is_told_with_its_code(door: Door) -> None:
    refusal = Error(code="bad_invite", message="this invite has been used", fatal=True)
    with pytest.raises(JoinError, match="bad_invite: this invite has been used") as refused:
        joining(door, lambda arena: arena.say(refusal))
    assert refused.value.code == "bad_invite"


@pytest.mark.parametrize(
    ("arena_part", "told"),
    [
        (lambda _: None, "hung up"),
        (lambda arena: arena.say(Bye()), "said goodbye"),
    ],
    ids=["hangs up", "bye"],
)
def test_an_arena_that_does_not_answer(
    door: Door, arena_part: Callable[[FakeArena], object], told: str
) -> None:
    with pytest.raises(ConnectionError, match=told):
        joining(door, arena_part)


@pytest.mark.parametrize("hangs_up", [True, False])
def test_an_arena_that_says_nothing_over_tcp_may_speak_tls(
    monkeypatch: pytest.MonkeyPatch, *, hangs_up: bool
) -> None:
    """It waits for a handshake as long as the bot waits for its hello: either may be the first."""
    monkeypatch.setattr("protocol.client.joining.ATTEMPT_S", 30 if hangs_up else 0.1)
    with (
        socket.create_server(("127.0.0.1", 0)) as listener,
        ThreadPoolExecutor(1) as threads,
    ):
        address = f"tcp:127.0.0.1:{listener.getsockname()[1]}"
        answer = threads.submit(join, address, "anna")
        with listener.accept()[0]:
            if not hangs_up:
                answer.exception()
        with pytest.raises(ConnectionError, match="if the arena speaks TLS, give tls:HOST:PORT"):
            answer.result()


def test_a_frame_that_is_none_is_a_fault_of_the_arena(door: Door) -> None:
    with pytest.raises(JoinError) as refused:
        joining(door, lambda arena: arena.stream.sendall(b"\x00\x00\x00\x01\xc0"))
    assert refused.value.code == "not_a_map"


def test_a_text_that_does_not_fit_is_not_sent(door: Door) -> None:
    with ThreadPoolExecutor(1) as threads:
        answer = threads.submit(join, door.address, "a" * 5000)
        with door.open() as arena:
            arena.say(HELLO)
            with pytest.raises(ValueError, match="at most 4096"):
                answer.result()
