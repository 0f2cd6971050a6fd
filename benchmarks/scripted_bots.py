"""Scripted bots that join a venue and play in it: many in one process, each with a connection."""

from __future__ import annotations

import heapq
import selectors
import socket
import time
from collections.abc import Callable, Sequence
from random import Random
from typing import Final

from machine import BenchmarkError

from arena.games import load_game
from protocol.connection import BotConnection
from protocol.fields import PROTOCOL
from protocol.greetings import Hello, Join, Joined, Login, Welcome
from protocol.messages import (
    Error,
    FromArena,
    GameStart,
    MatchEnd,
    MatchReady,
    MatchStart,
    Ping,
    Play,
    Pong,
    Turn,
)

RULES: Final = load_game("vasa")
PATIENCE_SECONDS: Final = 120.0
"""For what must come: a login, the first match of a bot."""
READ_BYTES: Final = 1 << 16
AT_ONCE: Final = 10
"""Bots that join at the same time: each of them is a line that is synced to the disk."""


class Bot:
    """A bot from elsewhere: it answers each turn at random."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.token = ""
        """Empty until it has joined."""
        self.chance = Random(name)
        self.wire: BotConnection
        self.socket: socket.socket
        self.is_in = False
        """True once the arena has welcomed it."""
        self.login_s = 0.0
        """When it has sent its login; 0 before."""
        self.seated_s = 0.0
        """When its first match began; 0 before."""
        self.first_s = 0.0
        """When its first game began, once its opponent was there; 0 before."""
        self.idle_since_s = 0.0
        self.longest_idle_s = 0.0
        """The longest time without a match so far."""
        self.in_play = 0
        self.ended: list[str] = []
        """The matches whose end it was told."""

    def greeting(self) -> Join | Login:
        """Return its answer to the arena's first word: it joins, and later it logs in."""
        if not self.token:
            return Join(protocol=PROTOCOL, name=self.name)
        return Login(protocol=PROTOCOL, name=self.name, token=self.token, fingerprint="scripted")

    def answer(self, turn: Turn) -> bytes:
        """Return the frame of its answer."""
        turns = RULES.legal_turns(RULES.from_plain(turn.position), tuple(turn.dice))
        moves = turns.moves(self.chance.randrange(len(turns)))
        return self.wire.send(Play(game=turn.game, turn=turn.turn, moves=moves))


class Crowd:
    """All bots, read and answered by one loop."""

    def __init__(self, address: str, think_ms: int) -> None:
        host, _, port = address.removeprefix("tcp:").rpartition(":")
        self._where = (host, int(port))
        self._think_s = think_ms / 1000
        self._ready = selectors.DefaultSelector()
        self._thoughts: list[tuple[float, int, Bot, Turn]] = []
        self._number = 0
        self.bots: list[Bot] = []
        self.turns = 0
        self.lost: list[str] = []
        """Why bots were hung up on."""

    def join(self, names: Sequence[str]) -> list[Bot]:
        """Let bots join and log in for the first time, some at once; others play meanwhile."""
        newcomers = [Bot(name) for name in names]
        for place in range(0, len(newcomers), AT_ONCE):
            wave = newcomers[place : place + AT_ONCE]
            for bot in wave:
                self._connect(bot)
            self._expect(lambda wave=wave: all(bot.token for bot in wave), "join")
            self.log_in(wave)
        self.bots += newcomers
        return newcomers

    def log_in(self, bots: Sequence[Bot]) -> None:
        """Let bots log in, all at once."""
        for bot in bots:
            bot.is_in = False
            self._connect(bot)
        self._expect(lambda: all(bot.is_in for bot in bots), "log in")

    def _connect(self, bot: Bot) -> None:
        bot.wire = BotConnection()
        bot.socket = socket.socket()
        bot.socket.setblocking(False)
        bot.socket.connect_ex(self._where)
        self._ready.register(bot.socket, selectors.EVENT_READ, bot)

    def _expect(self, condition: Callable[[], bool], what: str) -> None:
        is_met = self.run(lambda: condition() or bool(self.lost))
        if self.lost or not is_met:
            raise BenchmarkError(f"not all bots could {what}: {self.lost[:1]}")

    def run(self, until: Callable[[], bool], seconds: float = PATIENCE_SECONDS) -> bool:
        """Read and answer until a condition holds, or the time is over; returns whether it holds."""
        end_s = time.monotonic() + seconds
        while not until():
            now_s = time.monotonic()
            if now_s >= end_s:
                return False
            self._answer_due(now_s)
            wait_s = min(0.05, end_s - now_s)
            if self._thoughts:
                wait_s = min(wait_s, max(0.0, self._thoughts[0][0] - now_s))
            for key, _ in self._ready.select(wait_s):
                self._read(key.data)
        return True

    def _answer_due(self, now_s: float) -> None:
        while self._thoughts and self._thoughts[0][0] <= now_s:
            _, _, bot, turn = heapq.heappop(self._thoughts)
            self.turns += 1
            self._send(bot, bot.answer(turn))

    def _send(self, bot: Bot, frame: bytes) -> None:
        try:
            bot.socket.sendall(frame)
        except OSError as error:
            self._lose(bot, str(error))

    def _read(self, bot: Bot) -> None:
        try:
            received = bot.socket.recv(READ_BYTES)
        except BlockingIOError:
            return
        except OSError as error:
            self._lose(bot, str(error))
            return
        if not received:
            self._lose(bot, "hung up")
            return
        for message in bot.wire.receive(received):
            self._hear(bot, message)

    def _lose(self, bot: Bot, why: str) -> None:
        if bot.socket.fileno() >= 0:
            self.lost.append(f"{bot.name}: {why}")
            self._hang_up(bot)

    def _hang_up(self, bot: Bot) -> None:
        self._ready.unregister(bot.socket)
        bot.socket.close()

    def _hear(self, bot: Bot, message: FromArena) -> None:
        now_s = time.monotonic()
        match message:
            case Turn():
                self._number += 1
                thought = (now_s + self._think_s, self._number, bot, message)
                heapq.heappush(self._thoughts, thought)
            case Hello():
                bot.login_s = now_s
                self._send(bot, bot.wire.send(bot.greeting()))
            case Joined():
                bot.token = message.token
                self._hang_up(bot)
            case Welcome():
                bot.is_in = True
                bot.idle_since_s = now_s
            case MatchStart():
                bot.in_play += 1
                bot.seated_s = bot.seated_s or now_s
                bot.longest_idle_s = max(bot.longest_idle_s, now_s - bot.idle_since_s)
                self._send(bot, bot.wire.send(MatchReady(match=message.match)))
            case GameStart():
                bot.first_s = bot.first_s or now_s
            case MatchEnd():
                bot.in_play -= 1
                bot.idle_since_s = now_s
                bot.ended.append(message.match)
            case Ping():
                self._send(bot, bot.wire.send(Pong(data=message.data)))
            case Error():
                self.lost.append(f"{bot.name}: {message.code}: {message.message}")

    def close_waits(self) -> None:
        """Count the waits that have not ended yet."""
        now_s = time.monotonic()
        for bot in self.bots:
            if not bot.in_play:
                bot.longest_idle_s = max(bot.longest_idle_s, now_s - bot.idle_since_s)

    def close(self) -> None:
        """Hang up."""
        for key in list(self._ready.get_map().values()):
            key.data.socket.close()
        self._ready.close()
