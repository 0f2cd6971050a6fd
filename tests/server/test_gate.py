"""Who is let in: connections from one place and in all, and wrong logins."""

from __future__ import annotations

import errno
import os
import select
import socket
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path
from typing import NoReturn

import pytest
import trio

from arena.server.door.connection_limits import (
    ARRIVALS,
    SPARE,
    SPARE_PLACE,
    SPARE_PROGRAM,
    WRONG_LOGINS,
    ConnectionLimits,
    Place,
)
from arena.server.door.listener import accept_links
from arena.server.io.address import UnixAddress, parse_address
from arena.server.io.event_loop import EventLoop
from arena.server.io.link import DRAIN_SECONDS
from arena.server.io.listening import address_of, open_listener
from arena.server.io.operator_events import sentence
from arena.server.io.operator_log import MOST, Event
from arena.server.io.recent import PLACES, WINDOW_MS
from arena.server.play.session import LOGIN_SECONDS
from arena.server.run import entrance
from arena.server.run.connection_places import NOBODY, place_of
from arena.server.run.tournament import direct
from arena.server.setup.run_folder import RunFolder
from arena.server.setup.tournament_file import parse_plan
from protocol.codec import encode
from protocol.greetings import Hello, Welcome
from protocol.messages import Error
from tests import certificates
from tests.server.operator import Operator
from tests.server.room import Guest, login, until

HOME, AWAY = Place("192.0.2.1"), Place("192.0.2.2")
BOTS = 3


class Time:
    def __init__(self) -> None:
        self.now_ms = 1_000_000

    def now(self) -> int:
        return self.now_ms


@pytest.fixture
def time() -> Time:
    return Time()


@pytest.fixture
def connection_limits(time: Time) -> ConnectionLimits:
    return ConnectionLimits(BOTS, time.now)


def enter_until_refused(connection_limits: ConnectionLimits, place: Place) -> int:
    number = 0
    while connection_limits.refusal(place) is None:
        connection_limits.enter(place)
        number += 1
    return number


def test_every_bot_may_come_from_one_place_and_some_more(connection_limits: ConnectionLimits) -> None:
    """Who leaves makes room; another place is not concerned."""
    assert enter_until_refused(connection_limits, HOME) == BOTS + SPARE_PLACE
    assert "connections are open from where you are" in str(connection_limits.refusal(HOME))
    assert connection_limits.refusal(AWAY) is None
    connection_limits.leave(HOME)
    assert enter_until_refused(connection_limits, HOME) == 1


def test_there_is_a_limit_for_all_places_together(connection_limits: ConnectionLimits) -> None:
    """However many places there are."""
    places = [Place(f"192.0.2.{number}") for number in range(100)]
    total = sum(enter_until_refused(connection_limits, place) for place in places)
    assert total == BOTS + SPARE
    assert "all the connections it can serve" in str(connection_limits.refusal(AWAY))


def test_coming_and_going_without_end_is_refused_for_a_minute(connection_limits: ConnectionLimits, time: Time) -> None:
    """After so many arrivals; a minute later they are forgotten."""
    for _ in range(BOTS + ARRIVALS):
        assert connection_limits.refusal(HOME) is None
        connection_limits.enter(HOME)
        connection_limits.leave(HOME)
    assert "too many new connections" in str(connection_limits.refusal(HOME))
    time.now_ms += WINDOW_MS - 1
    assert connection_limits.refusal(HOME) is not None
    time.now_ms += 1
    assert connection_limits.refusal(HOME) is None


def test_wrong_logins_bar_their_own_place_for_a_minute(connection_limits: ConnectionLimits, time: Time) -> None:
    """From the tenth on, until the first of them is a minute old."""
    for _ in range(WRONG_LOGINS):
        assert not connection_limits.is_barred(HOME)
        connection_limits.wrong_login(HOME)
        time.now_ms += 1000
    assert connection_limits.is_barred(HOME)
    assert not connection_limits.is_barred(AWAY)
    time.now_ms += WINDOW_MS - 1000 * WRONG_LOGINS
    assert not connection_limits.is_barred(HOME)


def test_what_is_remembered_does_not_grow(connection_limits: ConnectionLimits) -> None:
    """Of many more places than anybody has only the last are kept."""
    for number in range(PLACES + 500):
        connection_limits.wrong_login(Place(str(number)))
    assert len(connection_limits._wrong_logins._times_ms) == PLACES


def test_a_place_is_an_address_or_a_network(tmp_path: Path) -> None:
    """IPv4 in either family is one place, and so is a network of IPv6."""

    class Peer:
        family = socket.AF_INET6

        def __init__(self, name: str) -> None:
            self.name = name

        def getpeername(self) -> tuple[str, int, int, int]:
            return self.name, 4711, 0, 0

    names = ["192.0.2.1", "::ffff:192.0.2.1", "2001:db8::1", "2001:db8::ffff:1", "2001:db8:0:1::1", "fe80::1%eth0"]
    places = [place_of(Peer(name)) for name in names]  # type: ignore[arg-type]
    assert [place.name for place in places] == [
        "192.0.2.1",
        "192.0.2.1",
        "2001:db8::",
        "2001:db8::",
        "2001:db8:0:1::",
        "fe80::",
    ]


def programs(number: int) -> list[Place]:
    return [Place(f"program {at}", bots=1) for at in range(number)]


def test_a_launched_program_gets_one_connection_and_a_few_more(connection_limits: ConnectionLimits) -> None:
    """Who has one of them go may have another; another program is not concerned."""
    first, second = programs(2)
    assert enter_until_refused(connection_limits, first) == 1 + SPARE_PROGRAM
    assert "connections are open from where you are" in str(connection_limits.refusal(first))
    assert connection_limits.refusal(second) is None
    connection_limits.leave(first)
    assert enter_until_refused(connection_limits, first) == 1


def test_programs_that_conspire_keep_nobody_out(connection_limits: ConnectionLimits) -> None:
    """Neither who comes from elsewhere nor a program that has no connection yet; what they let go can be had again."""
    many = programs(100)
    beyond = sum(enter_until_refused(connection_limits, place) - 1 for place in many)
    assert beyond == SPARE // 2
    assert enter_until_refused(connection_limits, NOBODY) == 0
    late = Place("program late", bots=1)
    assert enter_until_refused(connection_limits, late) == 1
    for _ in range(1 + SPARE_PROGRAM):
        connection_limits.leave(many[0])
    assert enter_until_refused(connection_limits, late) == SPARE_PROGRAM
    for place in (late, *many[1:]):
        while connection_limits._open[place]:
            connection_limits.leave(place)
    assert (connection_limits._beyond, connection_limits._open.total()) == (0, 0)


def test_a_full_hall_keeps_the_one_connection_of_a_program(connection_limits: ConnectionLimits) -> None:
    """Whoever has filled it."""
    for number in range(100):
        enter_until_refused(connection_limits, Place(f"192.0.2.{number}"))
    assert enter_until_refused(connection_limits, Place("program 1", bots=1)) == 1


def test_processes_that_cannot_be_followed_share_a_few_connections(connection_limits: ConnectionLimits) -> None:
    """And leave the others theirs."""
    assert enter_until_refused(connection_limits, NOBODY) == SPARE_PROGRAM
    assert enter_until_refused(connection_limits, HOME) == BOTS + SPARE_PLACE


# With a whole arena behind it

PLAN = """
[limits]
join_ms = 100000000
second_login = "{second_login}"
[listen]
address = "unix:{socket}"
[[bot]]
name = "anna"
remote = true
token_file = "anna.token"
[[bot]]
name = "bo"
remote = true
token_file = "bo.token"
[[bot]]
name = "zoe"
remote = true
"""
"""Zoe never comes, so that no match begins."""
EXPECTED = 3


class Arena:
    """A run that waits for its remote bots."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self._guests: list[Guest] = []

    async def close(self) -> None:
        """Let go of every connection."""
        with trio.CancelScope(shield=True):
            for guest in self._guests:
                await trio.aclose_forcefully(guest.stream)

    @property
    def path(self) -> str:
        [waiting] = self.told("waiting_for_bots")
        return str(waiting["address"]).removeprefix("unix:")

    def told(self, name: str) -> list[Event]:
        """The events of this name."""
        return [event for event in self.events if event["event"] == name]

    async def connect(self) -> Guest:
        stream = await trio.open_unix_socket(self.path)
        self._guests.append(Guest(stream, lambda: 0, lambda _: 0.0))
        return self._guests[-1]

    async def try_to_log_in(self, name: str, token: str, **more: object) -> Welcome | Error:
        """What is said to a login."""
        guest = await self.connect()
        await guest.hear(Hello)
        await guest.say(login(name, token, **more))
        said = await guest.hear_next()
        assert isinstance(said, Welcome | Error)
        if isinstance(said, Error):
            await guest.is_cut_off()
        return said

    @property
    def last(self) -> Guest:
        """The last connection."""
        return self._guests[-1]


async def waiting_arena(
    nursery: trio.Nursery, tmp_path: Path, second_login: str = "refuse", text: str = "", mode: int = 0o600
) -> Arena:
    for name in ("anna", "bo"):
        (tmp_path / f"{name}.token").write_text(f"token-of-{name}\n")
        (tmp_path / f"{name}.token").chmod(mode)
    text = text or PLAN.format(second_login=second_login, socket=tmp_path / "s")
    folder = RunFolder(tmp_path / "run")
    folder.open(text)
    arena = Arena()

    async def run() -> None:
        with closing(folder):
            await direct(parse_plan(text), folder, tmp_path, lambda _: None, arena.events.append)

    nursery.start_soon(run)
    await until(lambda: bool(arena.told("waiting_for_bots")))
    return arena


@pytest.fixture
async def arena(nursery: trio.Nursery, tmp_path: Path) -> AsyncIterator[Arena]:
    made = await waiting_arena(nursery, tmp_path)
    try:
        yield made
    finally:
        await made.close()


async def test_silent_connections_keep_no_bot_out_once_they_have_timed_out(arena: Arena) -> None:
    """The first one too many is told why and hung up on; ten seconds later, and two to hang up, there is room again."""
    silent = [await arena.connect() for _ in range(EXPECTED + SPARE_PLACE)]
    for guest in silent:
        await guest.hear(Hello)
    refused = await arena.connect()
    assert (await refused.hear(Error)).code == "too_many_connections"
    await refused.is_cut_off()
    for guest in silent:
        assert (await guest.hear(Error)).code == "login_timeout"
    await trio.sleep(DRAIN_SECONDS + 0.01)
    assert isinstance(await arena.try_to_log_in("anna", "token-of-anna"), Welcome)


async def test_a_connection_that_is_refused_is_told_with_where_it_came_from_and_why(arena: Arena) -> None:
    """One too many, one that says what no bot says, and one that says nothing; not one that hangs up again."""
    await (await arena.connect()).hang_up()
    rubbish = await arena.connect()
    await rubbish.hear(Hello)
    await rubbish.stream.send_all(b"GET / HTTP/1.1\r\n\r\n")
    await rubbish.hear_out()
    await trio.sleep(DRAIN_SECONDS + 0.01)
    for _ in range(EXPECTED + SPARE_PLACE):
        await (await arena.connect()).hear(Hello)
    refused = await arena.connect()
    await refused.hear(Error)
    await refused.is_cut_off()
    await trio.sleep(LOGIN_SECONDS + DRAIN_SECONDS + 1)
    garbage, many, *silent = arena.told("connection_refused")
    assert {event["transport"] for event in (garbage, many, *silent)} == {"unix"}
    assert garbage["reason"] == rubbish.heard(Error)[0].message
    assert many["reason"] == "35 connections are open from where you are; close some, or try again later"
    assert {event["reason"] for event in silent} == {"no login within 10 seconds; send login after hello"}
    assert sentence(garbage).startswith(f"a connection from session {os.getsid(0)} was refused: ")
    assert many["peer"].startswith(f"unix:{arena.path}#")
    assert len(silent) == MOST - 2


async def test_an_operator_is_warned_of_what_was_allowed(
    nursery: trio.Nursery, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Tokens without encryption, files of secrets that others can read, too few open files; before anybody comes."""
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
    assert plain.startswith("insecure = true: tokens are not encrypted on the way to tcp:127.0.0.1:0")
    assert files.endswith("can read anna.token, bo.token; say: chmod 600 anna.token bo.token")


async def test_a_connection_that_the_system_cannot_give_is_told(nursery: trio.Nursery, tmp_path: Path) -> None:
    """Another is taken when there are descriptors again; the arena tries ten times a second and says so five times."""

    class Exhausted(socket.socket):
        def accept(self) -> NoReturn:
            raise OSError(errno.EMFILE, "Too many open files")

    operator, loop = Operator(tmp_path), EventLoop(nursery)
    with operator.log() as log, Exhausted(socket.AF_INET) as listener, socket.socket() as client:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        client.connect(listener.getsockname())
        limits = ConnectionLimits(BOTS, lambda: 0)
        with trio.move_on_after(10):
            await accept_links(loop, listener, limits, place_of, lambda *_: None, log)
    assert operator.names == ["accept_failed"] * MOST
    assert operator.heard[0] == "a connection could not be taken: Too many open files"
    assert operator.seen[0]["transport"] == "tcp"


@pytest.mark.parametrize("is_tls", [True, False], ids=["plain-on-tls", "tls-on-plain"])
async def test_who_speaks_the_wrong_one_of_tls_and_plain_text_is_told(
    nursery: trio.Nursery, tmp_path: Path, *, is_tls: bool
) -> None:
    """Nothing of it was ever seen, though it is the first thing that goes wrong on a network."""
    certificates.write_files(tmp_path)
    files = 'certificate = "arena.pem"\nkey = "arena.key"' if is_tls else ""
    listen = f'address = "tcp:127.0.0.1:0"\n{files}'
    text = PLAN.format(second_login="refuse", socket="").replace('address = "unix:"', listen)
    arena = await waiting_arena(nursery, tmp_path, text=text)
    [waiting] = arena.told("waiting_for_bots")
    _, host, port = waiting["address"].split(":")
    stream = await trio.open_tcp_stream(host, int(port))
    said = encode(login("anna", "token-of-anna")) if is_tls else b"\x16\x03\x01\x02\x00\x01" + bytes(100)
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
    assert ("it does not speak TLS" if is_tls else "length bytes 16030102") in refused["reason"]
    assert not arena.told("login_refused")


async def test_guessing_tokens_is_ended_and_a_bot_that_was_here_may_come_back(arena: Arena) -> None:
    """After ten wrong ones the right token is refused as well, in the same words; only a resume_key still helps."""
    welcome = await arena.try_to_log_in("bo", "token-of-bo")
    assert isinstance(welcome, Welcome)
    await arena.last.hang_up()
    codes = []
    for number in range(WRONG_LOGINS + 2):
        said = await arena.try_to_log_in("anna", f"guess {number}")
        assert isinstance(said, Error)
        codes.append(said.code)
    assert codes == ["bad_login"] * WRONG_LOGINS + ["locked_out"] * 2
    right = await arena.try_to_log_in("anna", "token-of-anna")
    assert isinstance(right, Error)
    assert right == said
    assert isinstance(await arena.try_to_log_in("bo", "token-of-bo", resume=welcome.resume_key), Welcome)
    await trio.sleep(WINDOW_MS / 1000)
    assert isinstance(await arena.try_to_log_in("anna", "token-of-anna"), Welcome)


async def test_a_second_login_takes_over_where_the_tournament_says_so(nursery: trio.Nursery, tmp_path: Path) -> None:
    """With the same token and fingerprint; the first connection is told, and another fingerprint disturbs nobody."""
    arena = await waiting_arena(nursery, tmp_path, "take_over")
    await arena.try_to_log_in("anna", "token-of-anna", fingerprint="build 1")
    first = arena.last
    other = await arena.try_to_log_in("anna", "token-of-anna", fingerprint="build 2")
    assert isinstance(other, Error)
    assert (other.code, "fingerprint" in other.message) == ("bad_login", True)
    await first.hears_nothing(1)
    assert isinstance(await arena.try_to_log_in("anna", "token-of-anna", fingerprint="build 1"), Welcome)
    assert (await first.hear(Error)).code == "already_connected"
    await first.is_cut_off()
    await arena.close()


async def test_when_the_run_is_stopped_every_bot_is_told(tmp_path: Path) -> None:
    """`shutting_down`, whether it has logged in or not."""
    async with trio.open_nursery() as nursery:
        arena = await waiting_arena(nursery, tmp_path)
        await arena.try_to_log_in("anna", "token-of-anna")
        guests = [arena.last, await arena.connect()]
        await guests[1].hear(Hello)
        nursery.cancel_scope.cancel()
    for guest in guests:
        assert (await guest.hear(Error)).code == "shutting_down"
        await guest.is_cut_off()
    await arena.close()


async def test_only_tokens_the_arena_made_are_said_to_lie_in_the_run_folder(arena: Arena, tmp_path: Path) -> None:
    """Those of anna and bo come from files of the operator."""
    [waiting] = arena.told("waiting_for_bots")
    assert sentence(waiting).endswith(
        f" for anna, bo, zoe; the tokens of zoe are in {tmp_path / 'run' / 'secrets.json'}"
    )
    assert list(RunFolder(tmp_path / "run").read_secrets().tokens) == ["zoe"]


async def test_no_token_can_be_read_before_somebody_listens(nursery: trio.Nursery, tmp_path: Path) -> None:
    """Whoever waits for the file may connect at once; so it is not there where listening fails."""
    from arena.server.io.address import ListenError

    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        text = f'[listen]\naddress = "tcp:127.0.0.1:{port}"\n[[bot]]\nname = "a"\nremote = true\n'
        text += '[[bot]]\nname = "b"\nremote = true\n'
        folder = RunFolder(tmp_path / "run")
        folder.open(text)
        with closing(folder), pytest.RaisesGroup(ListenError, flatten_subgroups=True):
            await direct(parse_plan(text), folder, tmp_path, lambda _: None, lambda _: None)
    assert not (tmp_path / "run" / "secrets.json").exists()


async def test_token_files_are_in_no_output_and_no_record(arena: Arena, tmp_path: Path) -> None:
    """Neither in what is told to the operator nor in any file of the run."""
    await arena.try_to_log_in("token-of-anna", "x")
    await arena.try_to_log_in("anna", "token-of-anna")
    assert [event["claimed"] for event in arena.told("login_unknown")] == ["***"]
    assert "token-of" not in repr(arena.events)
    files = [path for path in (tmp_path / "run").rglob("*") if path.is_file()]
    assert len(files) >= 3
    assert [path for path in files if b"token-of" in path.read_bytes()] == []


# Where it listens


def test_a_unix_socket_and_its_new_folder_are_for_their_owner(tmp_path: Path) -> None:
    """Mode 0700 for a folder that was not there, 0600 for the socket."""
    path = tmp_path / "new" / "s"
    with open_listener(UnixAddress(path=path)):
        assert (path.parent.stat().st_mode & 0o777, path.stat().st_mode & 0o777) == (0o700, 0o600)


@pytest.mark.parametrize("mode", [0o755, 0o710, 0o777, 0o702])
def test_a_unix_socket_in_a_folder_others_can_enter_is_refused(tmp_path: Path, mode: int) -> None:
    """Unless it is said to be wanted; then whoever can enter may connect."""
    from arena.server.io.address import ListenError

    folder = tmp_path / "open"
    folder.mkdir()
    folder.chmod(mode)
    address = UnixAddress(path=folder / "s")
    with pytest.raises(ListenError, match=rf"others can enter .*mode {mode:04o}.*insecure = true"):
        open_listener(address)
    with open_listener(address, is_insecure=True):
        assert (folder / "s").stat().st_mode & 0o777 == 0o666


def test_a_unix_socket_on_which_somebody_listens_is_not_taken_away(tmp_path: Path) -> None:
    """Only one that was left behind is."""
    from arena.server.io.address import ListenError

    address = UnixAddress(path=tmp_path / "s")
    with open_listener(address) as first:
        with pytest.raises(ListenError, match="another program listens there"):
            open_listener(address)
        with socket.socket(socket.AF_UNIX) as client:
            client.connect(str(tmp_path / "s"))
            assert select.select([first], [], [], 5)[0] == [first]


@pytest.mark.parametrize("text", ["tcp:127.0.0.1:4711", "tls:[::1]:1", "tcp:0.0.0.0:0", "unix:/a/b:c"])
def test_an_address_is_read_as_it_is_written(text: str) -> None:
    """`str` and `parse_address` are inverses."""
    assert str(parse_address(text)) == text


def test_a_listener_with_a_certificate_is_told_as_tls() -> None:
    """The bot kit goes by it."""
    with open_listener(parse_address("tcp:[::1]:0")) as listener:
        assert str(address_of(listener, is_tls=True)).startswith("tls:[::1]:")
