"""Who is let in: everybody, and what makes room for it."""

import os
import random
import socket
from collections.abc import AsyncIterator
from contextlib import closing, suppress
from pathlib import Path

import pytest
import trio

from arena.server.io.link import DRAIN_SECONDS
from arena.server.io.operator_log import MOST as MOST_TOLD
from arena.server.io.operator_log import sentence
from arena.server.play.session import LOGIN_SECONDS, LOGINS_A_SECOND
from arena.server.run.tournament import Run, direct
from arena.server.setup.run_folder import RunFolder
from arena.server.setup.tournament_file import parse_plan
from arena.server.venue import entrance
from protocol.codec import encode
from protocol.greetings import Hello, Welcome
from protocol.messages import Bye, Error, Ping, Pong
from tests import certificates
from tests.fixtures.playing_room import Guest, HungUpError, login, until
from tests.server.waiting_arena import PLAN, Arena, waiting_arena

EXPECTED = 3
SMALL = 32


@pytest.fixture
async def arena(nursery: trio.Nursery, tmp_path: Path) -> AsyncIterator[Arena]:
    made = await waiting_arena(nursery, tmp_path)
    try:
        yield made
    finally:
        await made.close()


@pytest.fixture
def small_hall(monkeypatch: pytest.MonkeyPatch) -> None:
    """Room for 32 connections without a login beyond the expected ones."""
    monkeypatch.setattr(entrance, "spare_connections", lambda *_: SMALL)


@pytest.mark.usefixtures("small_hall")
async def test_silent_connections_keep_no_bot_out(arena: Arena) -> None:
    silent = [await arena.connect() for _ in range(EXPECTED + SMALL)]
    for guest in silent:
        await guest.hear(Hello)
    began = trio.current_time()
    assert isinstance(await arena.try_to_log_in("anna", "the-token-of-anna"), Welcome)
    assert trio.current_time() - began < 1
    anna = arena.last
    assert (await silent[0].hear(Error)).code == "too_many_connections"
    await silent[0].is_cut_off()
    await silent[1].hears_no(object, 0.1)
    for _ in range(5 * SMALL):
        await (await arena.connect()).hear(Hello)
    await anna.say(Ping(data=1))
    await anna.hear(Pong)


async def test_a_bot_that_comes_again_and_again_keeps_no_other_out(
    nursery: trio.Nursery, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The connections it has left count as those without a login do, until it has hung up."""
    monkeypatch.setattr(
        entrance, "spare_connections", lambda *_: LOGINS_A_SECOND
    )  # each lingers for two seconds
    arena = await waiting_arena(nursery, tmp_path)
    key = None
    for _ in range(3 * SMALL):
        welcome = await arena.try_to_log_in("anna", "the-token-of-anna", resume=key)
        assert isinstance(welcome, Welcome)
        key = welcome.resume_key
    assert len(arena.told("connection_refused")) == MOST_TOLD
    assert isinstance(await arena.try_to_log_in("bo", "the-token-of-bo"), Welcome)
    await arena.close()


@pytest.mark.usefixtures("small_hall")
async def test_a_connection_that_is_dropped_is_told_with_where_it_came_from_and_why(
    arena: Arena,
) -> None:
    await (await arena.connect()).hang_up()
    rubbish = await arena.connect()
    await rubbish.hear(Hello)
    await rubbish.stream.send_all(b"GET / HTTP/1.1\r\n\r\n")
    await rubbish.hear_out()
    await trio.sleep(DRAIN_SECONDS + 0.01)
    for _ in range(EXPECTED + SMALL + 1):
        await (await arena.connect()).hear(Hello)
    await trio.sleep(LOGIN_SECONDS + DRAIN_SECONDS + 1)
    garbage, *others = arena.told("connection_refused")
    dropped, silent = (
        "newer connections took its place, because no bot had logged in on it",
        "no login within 10 seconds; send login after hello",
    )
    assert {event["transport"] for event in (garbage, *others)} == {"unix"}
    assert garbage["reason"] == rubbish.heard(Error)[0].message
    assert {event["reason"] for event in others} == {dropped, silent}
    assert sentence(garbage).startswith(f"a connection from session {os.getsid(0)} was refused: ")
    assert others[0]["peer"].startswith(f"unix:{arena.path}#")
    assert len(others) == MOST_TOLD - 1


async def test_an_operator_is_warned_of_what_was_allowed(
    nursery: trio.Nursery, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(entrance, "allow_files", lambda _: 10)
    text = PLAN.format(second_login="refuse", socket="").replace(
        'address = "unix:"', 'address = "tcp:127.0.0.1:0"\ninsecure = true'
    )
    arena = await waiting_arena(nursery, tmp_path, text=text, mode=0o644)
    assert [(event["event"], event["level"]) for event in arena.events] == [
        ("limit_open_files", "warning"),
        ("tokens_unencrypted", "warning"),
        ("secret_files_readable", "warning"),
        ("waiting_for_bots", "info"),
    ]
    few, plain, files, _ = map(sentence, arena.events)
    assert "the system allows 10; lower at_once" in few
    assert plain.startswith("insecure = true: tokens are sent unencrypted to tcp:127.0.0.1:0")
    assert files.endswith("can read anna.token and bo.token; run: chmod 600 anna.token bo.token")


async def stream_to_an_arena(
    nursery: trio.Nursery, folder: Path, *, is_tls: bool
) -> tuple[Arena, trio.SocketStream]:
    """A connection by TCP to an arena that speaks TLS, or does not."""
    certificates.write_files(folder)
    files = 'certificate = "arena.pem"\nkey = "arena.key"' if is_tls else ""
    listen = f'address = "tcp:127.0.0.1:0"\n{files}'
    text = PLAN.format(second_login="refuse", socket="").replace('address = "unix:"', listen)
    arena = await waiting_arena(nursery, folder, text=text)
    [waiting] = arena.told("waiting_for_bots")
    _, host, port = waiting["address"].split(":")
    return arena, await trio.open_tcp_stream(host, int(port))


async def test_a_bot_that_waits_where_tls_is_spoken_is_told_of(
    nursery: trio.Nursery, tmp_path: Path
) -> None:
    """A bot that was given `tcp:` waits for a hello and the arena for a handshake: it says what may be wrong."""
    arena, stream = await stream_to_an_arena(nursery, tmp_path, is_tls=True)
    async with stream:
        assert await stream.receive_some() == b""
        await until(lambda: bool(arena.told("connection_refused")))
    [refused] = arena.told("connection_refused")
    assert (
        refused["reason"]
        == "no TLS handshake within 10 seconds: does the bot use tls: in its address?"
    )


@pytest.mark.parametrize("is_tls", [True, False], ids=["plain-on-tls", "tls-on-plain"])
async def test_a_mix_up_of_tls_and_plain_text_is_reported(
    nursery: trio.Nursery, tmp_path: Path, *, is_tls: bool
) -> None:
    """The operator is told, since this is the first thing that goes wrong on a network."""
    arena, stream = await stream_to_an_arena(nursery, tmp_path, is_tls=is_tls)
    said = (
        encode(login("anna", "the-token-of-anna"))
        if is_tls
        else b"\x16\x03\x01\x02\x00\x01" + bytes(100)
    )
    async with stream:
        await stream.send_all(said)
        await until(lambda: bool(arena.told("connection_refused")))
    [refused] = arena.told("connection_refused")
    assert (refused["level"], refused["transport"], refused["place"]) == (
        "warning",
        "tls" if is_tls else "tcp",
        "127.0.0.1",
    )
    assert refused["peer"].startswith("tcp:127.0.0.1:")
    assert (
        "it does not speak TLS" if is_tls else "it speaks TLS, this address does not"
    ) in refused["reason"]
    assert not arena.told("login_refused")


async def test_a_second_login_takes_over_where_the_tournament_says_so(
    nursery: trio.Nursery, tmp_path: Path
) -> None:
    arena = await waiting_arena(nursery, tmp_path, "take_over")
    await arena.try_to_log_in("anna", "the-token-of-anna", fingerprint="build 1")
    first = arena.last
    other = await arena.try_to_log_in("anna", "the-token-of-anna", fingerprint="build 2")
    assert isinstance(other, Error)
    assert (other.code, "fingerprint" in other.message) == ("bad_login", True)
    await first.hears_no(object, 1)
    assert isinstance(
        await arena.try_to_log_in("anna", "the-token-of-anna", fingerprint="build 1"), Welcome
    )
    assert (await first.hear(Error)).code == "already_connected"
    await first.is_cut_off()
    await arena.close()


WORDS = (b"\xff\xff\xff\xff", encode(Bye()), encode(Ping(data=1)), b"\x00\x00")
"""Breaks the protocol, says goodbye, says something else, says half of something."""


@pytest.mark.parametrize("second_login", ["refuse", "take_over"])
@pytest.mark.parametrize("seed", range(12))
async def test_whatever_one_name_does_the_run_goes_on(
    nursery: trio.Nursery, tmp_path: Path, second_login: str, seed: int
) -> None:
    """Anna comes, logs in with her last key and without, talks, leaves and waits; bo is answered all the time."""
    chance = random.Random(seed)
    arena = await waiting_arena(nursery, tmp_path, second_login)
    await arena.try_to_log_in("bo", "the-token-of-bo")
    bo, here, key = arena.last, list[Guest](), None
    for _ in range(40):
        guest = chance.choice(here) if here else None
        fate = chance.random()
        if fate < 0.4 or guest is None:
            here.append(await arena.connect())
            await here[-1].hear(Hello)
            if chance.random() < 0.8:
                with suppress(HungUpError):
                    await here[-1].say(
                        login("anna", "the-token-of-anna", resume=chance.choice((key, None)))
                    )
                    said = await here[-1].hear_next()
                    key = said.resume_key if isinstance(said, Welcome) else key
        elif fate < 0.6:
            with suppress(trio.BrokenResourceError):  # the arena has closed it
                await guest.say_bytes(chance.choice(WORDS))
        elif fate < 0.8:
            here.remove(guest)
            await guest.hang_up()
        else:
            await trio.sleep(
                chance.choice((DRAIN_SECONDS / 2, DRAIN_SECONDS + 0.1, LOGIN_SECONDS + 0.1))
            )
        await bo.say(Ping(data=2))
        await bo.wait_for(Pong)
        assert not arena.told("arena_failed")
    for guest in here:
        await guest.hang_up()
    await trio.sleep(LOGIN_SECONDS + DRAIN_SECONDS)
    assert isinstance(await arena.try_to_log_in("anna", "the-token-of-anna"), Welcome)
    await arena.close()


async def test_when_the_run_is_stopped_every_bot_is_told(tmp_path: Path) -> None:
    async with trio.open_nursery() as nursery:
        arena = await waiting_arena(nursery, tmp_path)
        await arena.try_to_log_in("anna", "the-token-of-anna")
        guests = [arena.last, await arena.connect()]
        await guests[1].hear(Hello)
        nursery.cancel_scope.cancel()
    for guest in guests:
        assert (await guest.hear(Error)).code == "shutting_down"
        await guest.is_cut_off()
    await arena.close()


async def test_of_tokens_the_arena_made_it_is_said_how_to_send_them(
    arena: Arena, tmp_path: Path
) -> None:
    [waiting] = arena.told("waiting_for_bots")
    line = f"the line to send: arena token {tmp_path / 'run'} zoe"
    assert sentence(waiting).endswith(f" for anna, bo and zoe; {line}")
    several = sentence(waiting | {"tokens_made": ["bo", "zoe"]})
    assert several.endswith(f"the line to send to each: arena token {tmp_path / 'run'} NAME")
    assert list(RunFolder(tmp_path / "run").read_secrets().tokens) == ["zoe"]


async def test_no_token_can_be_read_before_somebody_listens(
    nursery: trio.Nursery, tmp_path: Path
) -> None:
    """A bot that waits for the file may connect at once, so the file is not written if listening fails."""
    from arena.server.io.listening import ListenError

    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        text = f'[listen]\naddress = "tcp:127.0.0.1:{port}"\n[[bot]]\nname = "a"\nremote = true\n'
        text += '[[bot]]\nname = "b"\nremote = true\n'
        folder = RunFolder(tmp_path / "run")
        folder.open(text)
        with closing(folder), pytest.RaisesGroup(ListenError, flatten_subgroups=True):
            await direct(
                Run(
                    plan=parse_plan(text),
                    folder=folder,
                    directory=tmp_path,
                    report=lambda _: None,
                    show=lambda _: None,
                )
            )
    assert not (tmp_path / "run" / "secrets.json").exists()


async def test_token_files_are_in_no_output_and_no_record(arena: Arena, tmp_path: Path) -> None:
    await arena.try_to_log_in("the-token-of-anna", "x")
    await arena.try_to_log_in("anna", "the-token-of-anna")
    assert [event["claimed"] for event in arena.told("login_unknown")] == ["***"]
    assert "token-of" not in repr(arena.events)
    files = [path for path in (tmp_path / "run").rglob("*") if path.is_file()]
    assert len(files) >= 3
    assert [path for path in files if b"token-of" in path.read_bytes()] == []
