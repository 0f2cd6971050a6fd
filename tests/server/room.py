"""A playing loop: real sessions, bots and tables; guests speak through a socket, time is trio's mock clock."""

import hashlib
import socket
from collections import deque
from collections.abc import Callable
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any, Literal, TypeVar, get_args

import pytest
import trio
import trio.testing

from arena.games import Game, load_game, ruleset_record
from arena.matches.facts import Fact, MatchOpened, Terms
from arena.matches.match import open_match
from arena.matches.time_control import TimeControl
from arena.records.dice import commitment, deal_from
from arena.records.lines import match_lines
from arena.records.replay import Replay
from arena.server.door.logins import Logins
from arena.server.io.event_loop import EventLoop
from arena.server.io.journal import Journal
from arena.server.io.link import Link
from arena.server.io.poller import Poller
from arena.server.io.tls import TlsLink
from arena.server.play.player import Player
from arena.server.play.session import Session
from arena.server.play.table import Table
from arena.server.programs.bot_command import BotCommand
from arena.server.run.evidence import Evidence
from arena.server.setup.account import Account
from arena.words import Said
from protocol.connection import BotConnection
from protocol.greetings import Hello, Login, Welcome
from protocol.messages import (
    Error,
    FromArena,
    FromBot,
    GameStart,
    MatchEnd,
    MatchEntropy,
    MatchReady,
    MatchReveal,
    MatchStart,
    Play,
    Turn,
)
from tests import certificates

VASA = load_game("vasa")
BRANDUBH = load_game("brandubh-1")
SEED = bytes(range(32))
TERMS = Terms(
    games=3,
    clock=TimeControl(delay_ms=100, bank_ms=1000),
    rejections=2,
    turn_limit=1000,
    startup_ms=5000,
)
GRACE_MS = 2000
BREAK_MS = 60_000
"""For bots that ask for breaks."""
ILLEGAL = [[1, 24], [24, 1]]

M = TypeVar("M")
Pipes = Literal["sockets", "sockets without epoll", "tls"]
"""What the bots are connected by."""
over_every_transport = pytest.mark.parametrize("room", get_args(Pipes), indirect=True)
"""For tests of what a transport can do in its own way: connect, carry pieces, lag, refuse, hang up."""


class HungUpError(Exception):
    """The arena has closed the connection."""


class Guest:
    """A bot's end of a connection, under a test's control."""

    def __init__(
        self,
        stream: trio.abc.Stream,
        clock_ms: Callable[[], int],
        loop_time: Callable[[int], float],
    ) -> None:
        self.stream = stream
        self.name = ""
        """Under which it is logged in."""
        self.wire = BotConnection()
        self.all_heard: list[FromArena] = []
        self.now_ms = clock_ms
        self._loop_time = loop_time
        self._waiting: deque[FromArena] = deque()
        self._entropies: dict[str, bytes] = {}
        """What `take_seat` has committed to, by the match."""

    async def hear_next(self) -> FromArena:
        """The next message, whatever it is; entropy that `take_seat` has committed to is revealed on the way."""
        message = await self._next()
        while isinstance(message, MatchReveal) and message.match in self._entropies:
            await self.say(
                MatchEntropy(match=message.match, entropy=self._entropies.pop(message.match))
            )
            message = await self._next()
        return message

    async def _next(self) -> FromArena:
        while not self._waiting:
            try:
                data = await self.stream.receive_some()
            except (trio.BrokenResourceError, trio.ClosedResourceError):
                data = b""
            if not data:
                raise HungUpError
            heard = self.wire.receive(data)
            assert self.wire.fault is None, self.wire.fault
            self.all_heard += heard
            self._waiting += heard
        return self._waiting.popleft()

    async def hear(self, kind: type[M]) -> M:
        """The next message, which must be of this kind."""
        message = await self.hear_next()
        assert isinstance(message, kind), f"heard {message}"
        return message

    async def wait_for(self, kind: type[M]) -> M:
        """The next message of this kind; others before it are passed over."""
        while not isinstance(message := await self.hear_next(), kind):
            pass
        return message

    async def hears_no(self, kind: type[object], seconds: float) -> None:
        """So long no message of this kind comes; others are passed over."""
        with trio.move_on_after(seconds):
            message = await self.wait_for(kind)
            raise AssertionError(f"heard {message}")

    async def is_cut_off(self) -> None:
        """Nothing more comes, and the arena has closed the connection."""
        try:
            message = await self.hear_next()
        except HungUpError:
            return
        raise AssertionError(f"heard {message}")

    async def hear_out(self) -> None:
        """Everything until the arena hangs up."""
        with suppress(HungUpError):
            while True:
                await self.hear_next()

    async def say(self, *messages: FromBot) -> None:
        """Say some things in one write.

        Raises `HungUpError` if the last word has been said already.
        """
        if self.wire.is_closed:
            raise HungUpError
        await self.stream.send_all(b"".join(self.wire.send(message) for message in messages))

    async def say_bytes(self, data: bytes) -> None:
        """Write what is no message at all."""
        await self.stream.send_all(data)

    async def hang_up(self) -> None:
        """Close the connection without a word."""
        await self.stream.aclose()

    async def log_in(self, name: str, token: str | None = None, **more: Any) -> Welcome:
        """Hello, login, welcome."""
        await self.hear(Hello)
        await self.say(login(name, token, **more))
        self.name = name
        return await self.hear(Welcome)

    async def take_seat(self, entropy: bytes = b"") -> MatchStart:
        """Accept the invitation to a match."""
        start = await self.hear(MatchStart)
        committed = hashlib.sha256(entropy).digest() if entropy else None
        if committed is not None:
            self._entropies[start.match] = entropy
        await self.say(MatchReady(match=start.match, commitment=committed))
        return start

    async def first_turn(self) -> Turn:
        """The next turn, passing over everything before it."""
        return await self.wait_for(Turn)

    async def answer(self, turn: Turn, **answer: Any) -> None:
        """Play, with the first legal turn unless said otherwise."""
        await self.say(
            Play(game=turn.game, turn=turn.turn, **(answer or {"moves": first_legal(turn)}))
        )

    async def play_along(self) -> None:
        """Ready for every match, the first legal turn for every turn, until the arena hangs up."""
        try:
            while True:
                message = await self.hear_next()
                if isinstance(message, MatchStart):
                    await self.say(MatchReady(match=message.match))
                elif isinstance(message, Turn):
                    await self.answer(message)
        except HungUpError:
            pass

    async def at(self, at_ms: int) -> None:
        """Wait for a millisecond of the arena's clock."""
        await trio.sleep_until(self._loop_time(at_ms))

    def heard(self, kind: type[M]) -> list[M]:
        """Every message of this kind so far."""
        return [message for message in self.all_heard if isinstance(message, kind)]


def first_legal(turn: Turn) -> Any:
    """The first legal turn of what a bot is asked, worked out from position and dice."""
    rules = VASA if "points" in turn.position else BRANDUBH
    return rules.legal_turns(rules.from_plain(turn.position), tuple(turn.dice))[0].moves


def token_of(name: str) -> str:
    """The token a bot of these tests has."""
    return f"token-of-{name}"


def login(name: str, token: str | None = None, **more: Any) -> Login:
    return Login(protocol=1, name=name, token=token_of(name) if token is None else token, **more)


class Program:
    """Stands for the program of a launched bot: what it is told, and what is measured of it; it does not end."""

    command = BotCommand(words=("true",), directory=Path("/"))

    def __init__(self) -> None:
        self.calls = 0
        self.is_awaited = True
        self.measured: list[int] | None = None

    def seen(self, lost: Said | None) -> None:
        """Nothing."""

    def when_ended(self, tell: Callable[..., object]) -> None:
        """Never."""

    def call(self) -> None:
        self.calls += 1

    def tell_awaited(self, *, is_awaited: bool) -> None:
        self.is_awaited = is_awaited

    def figures(self) -> list[int] | None:
        return self.measured and [one * 10**6 for one in self.measured]


class Room:
    """A loop with its logins, its bots and its tables."""

    def __init__(self, nursery: trio.Nursery, folder: Path, pipes: Pipes, files: ExitStack) -> None:
        self.nursery = nursery
        self.folder = folder
        self.pipes = pipes
        self.files = files
        self.loop = EventLoop(nursery)
        if pipes == "sockets without epoll":
            self.loop.poller = Poller(self.loop.spawn, has_epoll=False)
        self.loop.poller.linger_seconds = (
            0.001  # no lingering: bots that could answer run in this very thread
        )
        self.logins = Logins()
        self.players: dict[str, Player] = {}
        self.idle_ms = 0
        self.ahead_ms = 0
        """How far the clock of its run is ahead of the loop's."""
        self.break_ms = BREAK_MS
        self._number = 0
        self._ends: list[tuple[Link, Guest]] = []
        self.loop.open()

    async def close(self) -> None:
        """Let go of every connection."""
        with trio.CancelScope(shield=True):
            for link, guest in self._ends:
                link.abort(Said("lost.closed"))
                await trio.aclose_forcefully(guest.stream)

    def expect(self, name: str, *, grace_ms: int = GRACE_MS, program: Any = None) -> Player:
        """Let a bot log in; `program` stands for a `Launched`."""
        account = Account(
            name,
            token_of(name),
            grace_ms=grace_ms,
            idle_ms=self.idle_ms,
            is_launched=program is not None,
        )
        player = Player(account, self.loop, program=program)
        self.players[name] = player
        self.logins.expect(player)
        return player

    def connect(self, *, is_narrow: bool = False) -> Guest:
        """A new connection; a narrow one buffers next to nothing, so that the arena must wait."""
        self._number += 1
        peer = f"guest {self._number}"
        ours, other = socket.socketpair()
        if is_narrow:
            ours.setsockopt(
                socket.SOL_SOCKET, socket.SO_SNDBUF, 1
            )  # the system takes the least it allows
        theirs: trio.abc.Stream = trio.SocketStream(trio.socket.from_stdlib_socket(other))
        if self.pipes == "tls":
            theirs = trio.SSLStream(
                theirs, certificates.client(), server_hostname=certificates.HOST
            )
            link: Link = TlsLink(
                ours, peer, self.loop.spawn, self.loop.poller, certificates.server()
            )
        else:
            link = Link(ours, peer, self.loop.spawn, self.loop.poller)
        session = Session(self.loop, link, f"s{self._number}", "arena test", self.logins.find)
        link.serve(session)
        guest = Guest(theirs, self.loop.clock.now_ms, self.loop.clock.loop_time)
        self._ends.append((link, guest))
        return guest

    async def guest(self, name: str, **more: Any) -> Guest:
        """A bot that is logged in."""
        if name not in self.players:
            self.expect(name)
        guest = self.connect()
        await guest.log_in(name, self.players[name].account.token, **more)
        return guest

    async def refuses(self, name: str, token: str | None = None, **more: Any) -> Error:
        """A login on a connection of its own: what is said before the arena hangs up."""
        guest = self.connect()
        await guest.hear(Hello)
        await guest.say(login(name, token, **more))
        error = await guest.hear(Error)
        await guest.is_cut_off()
        return error

    def open_journal(self, match: str) -> Journal:
        """The record of a match."""
        journal = Journal(self.folder / f"{match}.jsonl")
        self.files.callback(journal.close)
        return journal

    def lay_table(
        self,
        first: str,
        second: str,
        *,
        terms: Terms = TERMS,
        round_number: int = 1,
        rules: Game[Any] = VASA,
    ) -> Table:
        """A match between two expected bots."""
        match = f"r{round_number}-{first}-v-{second}"
        opened = MatchOpened(
            at_ms=self.loop.clock.now_ms() + self.ahead_ms,
            match=match,
            attempt=1,
            ruleset=ruleset_record(rules),
            terms=terms,
            entrants=(first, second),
            dice_commitment=commitment(SEED),
        )
        path = self.folder / f"{match}.jsonl"
        players = (self.players[first], self.players[second])
        evidence = Evidence(self.folder / "evidence", path, rules, opened, players)
        opening = open_match(rules, opened, deal_from(opened, SEED))
        journal, times = (
            self.open_journal(match),
            {"break_ms": self.break_ms, "ahead_ms": self.ahead_ms},
        )
        table = Table(self.loop, opening, SEED, players, journal, evidence.note, **times)
        table.begin()
        self.loop.end_batch()
        return table

    def recorded(self, match: str = "r1-anna-v-bo") -> list[Fact]:
        """What stands in the record of a match by now."""
        path = self.folder / f"{match}.jsonl"
        return [fact for _, fact in match_lines.read(path.name, path.read_bytes())]

    def recorded_as(self, kind: type[M], match: str = "r1-anna-v-bo") -> list[M]:
        """The facts of one kind in the record of a match."""
        return [fact for fact in self.recorded(match) if isinstance(fact, kind)]

    def replay(self, match: str = "r1-anna-v-bo") -> Replay:
        """Play the record so far again, figure for figure.

        Raises `RecordError` at the first difference.
        """
        opened, *facts = self.recorded(match)
        replay = Replay(opened, SEED, match)  # type: ignore[arg-type]
        for fact in facts:
            replay.check(fact, match)  # type: ignore[arg-type]
        return replay

    async def meet(
        self, *, terms: Terms = TERMS, rules: Game[Any] = VASA, **more: Any
    ) -> tuple[Guest, Guest, Table]:
        """Anna and bo at a table, both ready; `more` is said in both logins.

        The match is about to begin.
        """
        anna, bo = await self.guest("anna", **more), await self.guest("bo", **more)
        table = self.lay_table("anna", "bo", terms=terms, rules=rules)
        for guest in (anna, bo):
            await guest.take_seat()
        return anna, bo, table

    async def begin(self, **more: Any) -> tuple[Guest, Guest, Turn]:
        """Anna and bo in a game: the bot to move, the one that waits, and the turn."""
        anna, bo, _ = await self.meet(**more)
        return await mover_of(anna, bo)


async def mover_of(anna: Guest, bo: Guest) -> tuple[Guest, Guest, Turn]:
    """The beginning of a match: the bot to move, the one that waits, and the turn."""
    start = await anna.wait_for(GameStart)
    mover, other = (anna, bo) if start.starts else (bo, anna)
    return mover, other, await mover.first_turn()


async def finish(room: Room, table: Table, *guests: Guest) -> None:
    """Play a match to its end, and report the result like the scheduler."""
    for guest in guests:
        room.nursery.start_soon(guest.play_along)
    await table.over()
    table.tell_result(None)
    room.loop.end_batch()
    for guest in guests:
        await until(lambda guest=guest: bool(guest.heard(MatchEnd)))


async def until(question: Callable[[], bool]) -> None:
    """Let the others go on until a condition holds, a minute at most; costs no time on the mock clock."""
    with trio.fail_after(60):
        while not question():  # noqa: ASYNC110 - on the mock clock it costs nothing to look again
            await trio.sleep(0.001)
