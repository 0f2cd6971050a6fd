"""TLS, and where the arena listens without it.

Every other test of the server runs over TLS as well (room.py).
"""

import socket
import ssl
from contextlib import suppress
from pathlib import Path

import pytest
import trio

from arena.server.door.logins import Logins
from arena.server.io.event_loop import EventLoop
from arena.server.io.listening import ListenError, listening_address
from arena.server.io.tls import TlsLink
from arena.server.play.session import LOGIN_SECONDS, Session
from arena.server.setup.credentials import credential_problems, open_secrets
from arena.server.setup.tournament_file import PlanError, parse_plan
from tests import certificates
from tests.english import english
from tests.fixtures.playing_room import until

BOTS = """
[[bot]]
name = "anna"
remote = true
token_file = "anna.token"
[[bot]]
name = "bo"
remote = true
"""


def plain_client(nursery: trio.Nursery) -> tuple[trio.SocketStream, list[str]]:
    """A connection to an arena with TLS, before the handshake, and what the arena will say of it."""
    ours, theirs = socket.socketpair()
    loop = EventLoop(nursery)
    loop.open()
    link = TlsLink(ours, loop.spawn, loop.poller, certificates.server())
    refused: list[str] = []
    link.on_refusal = refused.append
    link.serve(Session(loop, link, "s1", "arena test", Logins().find))
    return trio.SocketStream(trio.socket.from_stdlib_socket(theirs)), refused


@pytest.mark.parametrize(
    "said",
    [b"GET / HTTP/1.1\r\n\r\n", bytes(100), b"\x00\x00\x00\x02\x80\x80"],
    ids=["http", "zeros", "frame"],
)
async def test_a_client_without_tls_is_cut_off_and_gets_nothing_in_the_clear(
    nursery: trio.Nursery, said: bytes
) -> None:
    stream, refused = plain_client(nursery)
    async with stream:
        await stream.send_all(said)
        heard = b""
        with suppress(
            trio.BrokenResourceError
        ):  # reset, if the arena hangs up before it has read everything
            while data := await stream.receive_some():
                heard += data
    assert b"hello" not in heard
    assert len(heard) < 20
    assert refused == ["it does not speak TLS"]


async def test_why_a_handshake_fails_is_told(nursery: trio.Nursery) -> None:
    distrustful = ssl.create_default_context()
    assert await refusal_of(nursery, distrustful) == [
        "the TLS handshake failed: tlsv1 alert unknown ca"
    ]
    stream, refused = plain_client(nursery)
    await stream.send_all(b"\x16\x03\x01")
    await stream.aclose()
    await until(lambda: bool(refused))
    assert refused == ["it hung up in the TLS handshake"]


async def refusal_of(nursery: trio.Nursery, context: ssl.SSLContext) -> list[str]:
    """What the arena says of a client that gives up in the handshake, its alert sent."""
    stream, refused = plain_client(nursery)
    client = TlsClient(stream, context)
    async with stream:
        await client.shake_hands()
        await until(lambda: bool(refused))
    return refused


class TlsClient:
    """A client that can send a part of a record."""

    def __init__(self, stream: trio.SocketStream, context: ssl.SSLContext) -> None:
        self.stream = stream
        self.received, self.sent = ssl.MemoryBIO(), ssl.MemoryBIO()
        self.tls = context.wrap_bio(self.received, self.sent, server_hostname=certificates.HOST)

    async def shake_hands(self) -> None:
        """Go on until the arena says nothing more for a second, or hangs up."""
        is_answered = True
        while is_answered:
            with suppress(ssl.SSLError):
                self.tls.do_handshake()
            await self.stream.send_all(self.sent.read())
            heard = b""
            with trio.move_on_after(1):
                heard = bytes(await self.stream.receive_some())
            self.received.write(heard)
            is_answered = heard != b""


async def test_a_bot_that_is_gone_breaks_no_connection_of_another(nursery: trio.Nursery) -> None:
    """OpenSSL keeps one queue of errors for all connections of a thread."""
    gone, other = [TlsClient(plain_client(nursery)[0], certificates.client()) for _ in range(2)]
    async with gone.stream, other.stream:
        await gone.shake_hands()
        await other.shake_hands()
        assert b"hello" in other.tls.read()
        with suppress(ssl.SSLError):  # the arena has not answered yet
            gone.tls.unwrap()
        await gone.stream.send_all(gone.sent.read())
        await gone.stream.aclose()
        await trio.sleep(1)
        other.tls.write(b"\xff\xff\xff\xff")
        record = other.sent.read()
        await other.stream.send_all(record[:10])
        await trio.sleep(1)
        await other.stream.send_all(record[10:])
        other.received.write(await other.stream.receive_some())
        assert b"frame_too_large" in other.tls.read()


async def test_a_handshake_that_never_comes_has_the_time_of_a_login(nursery: trio.Nursery) -> None:
    stream, _ = plain_client(nursery)
    began = trio.current_time()
    async with stream:
        await stream.send_all(b"\x16\x03\x01")
        assert await stream.receive_some() == b""
    assert trio.current_time() - began == pytest.approx(LOGIN_SECONDS, abs=0.002)


@pytest.mark.parametrize("wrong", ["no certificate", "no key", "garbage", "another key", "swapped"])
def test_files_that_are_no_certificate_and_key_are_told_beforehand(
    tmp_path: Path, wrong: str
) -> None:
    certificate, key, _ = certificates.write_files(tmp_path)
    (tmp_path / "anna.token").write_text("token-of-anna")
    text = certificate.read_text()
    if wrong == "no certificate":
        certificate.unlink()
    elif wrong == "no key":
        key.unlink()
    elif wrong == "garbage":
        certificate.write_text("hello")
    elif wrong == "another key":
        key.write_bytes(certificates.another_key())
    else:
        certificate.write_text(key.read_text())
        key.write_text(text)
    plan = parse_plan(
        f'{BOTS}[listen]\naddress = "tcp:0.0.0.0:0"\ncertificate = "arena.pem"\nkey = "arena.key"\n'
    )
    [problem] = english(credential_problems(plan, tmp_path))
    assert problem.startswith("[listen] certificate: ")
    assert "arena." in problem
    assert "BEGIN" not in problem


@pytest.mark.parametrize(
    ("token", "said"),
    [
        ("", "the file is empty"),
        ("x" * 11, "can be guessed"),
        ("x" * 257, "at most 256"),
        (None, "No such"),
    ],
)
def test_a_token_file_that_cannot_be_used_is_told_beforehand(
    tmp_path: Path, token: str | None, said: str
) -> None:
    if token is not None:
        (tmp_path / "anna.token").write_text(token)
    [problem] = english(credential_problems(parse_plan(BOTS), tmp_path))
    assert said in problem
    assert "xxx" not in problem


def test_secret_files_that_others_can_read_are_found(tmp_path: Path) -> None:
    plan = parse_plan(f'{BOTS}[listen]\ncertificate = "arena.pem"\nkey = "arena.key"\n')
    certificates.write_files(tmp_path)
    (tmp_path / "anna.token").write_text("token-of-anna")
    (tmp_path / "anna.token").chmod(0o640)
    assert open_secrets(plan, tmp_path) == ["anna.token"]
    (tmp_path / "anna.token").chmod(0o600)
    (tmp_path / "arena.key").chmod(0o604)
    assert open_secrets(plan, tmp_path) == ["arena.key"]


@pytest.mark.parametrize("host", ["0.0.0.0", "192.0.2.1", "[::]", "[2001:db8::1]"])
def test_others_can_connect_only_with_tls_or_if_that_is_said_to_be_wanted(host: str) -> None:
    with pytest.raises(
        ListenError, match=r"unencrypted; give a certificate and its key, or set insecure = true"
    ):
        listening_address(f"tcp:{host}:1", has_certificate=False, is_insecure=False)
    insecure = listening_address(f"tcp:{host}:1", has_certificate=False, is_insecure=True)
    secure = listening_address(f"tcp:{host}:1", has_certificate=True, is_insecure=False)
    assert [str(insecure), str(secure)] == [f"tcp:{host}:1", f"tls:{host}:1"]


@pytest.mark.parametrize(
    ("listen", "said"),
    [
        ('address = "tcp:0.0.0.0:1"', "can be reached from other machines"),
        ('address = "tls:127.0.0.1:1"', "needs a certificate and its key"),
        ('certificate = "arena.pem"', "certificate and key go together"),
        ('key = "arena.key"', "certificate and key go together"),
        (
            'address = "unix:/s"\ncertificate = "a"\nkey = "b"',
            "a certificate is for tcp and tls addresses",
        ),
    ],
)
def test_a_tournament_file_that_would_listen_wrongly_is_refused_whole(
    listen: str, said: str
) -> None:
    with pytest.raises(PlanError, match=said):
        parse_plan(f"{BOTS}[listen]\n{listen}\n")
