"""The time of a turn inside the arena: from the bytes of an answer to the bytes of the next turn, in one process.

    python benchmarks/turns.py                        64 games at once, some thirty seconds
    python benchmarks/turns.py --games 1              one game at a time
    python benchmarks/turns.py --against FOLDER       another checkout, measured in the same rounds

It runs the whole server except its tasks: two sessions whose bots live here and play at random,
tables, judging, records on the disk, one send per batch. It times only `Session.received`, as CPU
time of this thread, so other work on the machine affects little more than the caches. Bots, waiting
for sockets, and the beginning and end of a run are left out: see referee.py and many_games.py for
these.

The floor is the same batches through direct calls of the parts: decode, judge, turn the board,
encode the line, roll, write the position out, encode. Every round is a process of its own. It
prints the quickest tenth and the median of the batches, in microseconds a turn, the best round of
each, and the median as a multiple of the floor of its round.
"""

from __future__ import annotations

import argparse
import os
import socket
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from random import Random
from statistics import median, quantiles
from time import thread_time_ns
from typing import Any

import trio
from machine import CHECKOUT, BenchmarkError, pin, scratch_folder

from arena.games import load_game, ruleset_record
from arena.matches.facts import MatchOpened, Terms, TurnPlayed
from arena.matches.match import open_match
from arena.matches.time_control import TimeControl
from arena.records.dice import commitment, deal_from, game_label
from arena.records.lines import encode_line
from arena.server.io.event_loop import EventLoop
from arena.server.io.journal import Journal
from arena.server.io.link import Link
from arena.server.play.player import Player as Seated
from arena.server.play.session import Session
from arena.server.play.table import Table
from arena.server.setup.account import Account
from protocol.codec import HEADER_BYTES, TO_ARENA, TO_BOT, decode, encode
from protocol.connection import BotConnection
from protocol.fields import PROTOCOL
from protocol.greetings import Hello, Login
from protocol.messages import Last, MatchReady, MatchStart, Play, Turn, TurnClock
from tests.fixtures.dice_streams import dice_stream

BATCHES = 120
WARM_UP = 10
"""The first batches do not count."""
RULES = load_game("vasa")
SEED = bytes(range(32))
TERMS = Terms(
    games=100,
    clock=TimeControl(delay_ms=60_000, bank_ms=0),
    rejections=0,
    turn_limit=1000,
    startup_ms=60_000,
)


class Player:
    """A bot in this process, at the other end of a socket."""

    def __init__(self, loop: EventLoop, name: str, window: int) -> None:
        self.seated = Seated(Account(name, "a token", grace_ms=0), loop)
        self._window = window
        self._chance = Random(name)
        self._wire = BotConnection()
        ours, self._socket = socket.socketpair()
        ours.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 20)
        self._socket.setblocking(False)
        link = Link(ours, loop.spawn, loop.poller)
        self.session = Session(loop, link, name, "benchmark", lambda _: self.seated)
        self.session.begin()

    def answers(self) -> tuple[bytes, int]:
        """The answers to all input, in one piece, and the number of turns in it."""
        try:
            heard = self._wire.receive(self._socket.recv(1 << 20))
        except BlockingIOError:
            return b"", 0
        said = [self._answer(message) for message in heard]
        return b"".join(said), sum(isinstance(message, Turn) for message in heard)

    def answer(self, frame: bytes) -> bytes:
        """The payload of the answer to a frame with a turn."""
        turn = decode(frame[HEADER_BYTES:], TO_BOT)
        assert isinstance(turn, Turn), "no other frame is answered here"
        turns = RULES.legal_turns(RULES.from_plain(turn.position), tuple(turn.dice))
        moves = turns.moves(self._chance.randrange(len(turns)))
        return encode(Play(game=turn.game, turn=turn.turn, moves=moves))[HEADER_BYTES:]

    def _answer(self, message: object) -> bytes:
        match message:
            case Turn():
                turns = RULES.legal_turns(RULES.from_plain(message.position), tuple(message.dice))
                moves = turns.moves(self._chance.randrange(len(turns)))
                return self._wire.send(Play(game=message.game, turn=message.turn, moves=moves))
            case MatchStart():
                return self._wire.send(MatchReady(match=message.match))
            case Hello():
                login = Login(
                    protocol=PROTOCOL,
                    name=self.seated.account.name,
                    token=self.seated.account.token,
                    version="1",
                    fingerprint="f",
                    window=self._window,
                )
                return self._wire.send(login)
        return b""


class Floor:
    """Direct calls of the parts of a turn instead of the arena: the least that a turn can cost.

    One connection without login; for each game a position, its dice and a stream of dice; an ended
    game begins again.
    """

    def __init__(self, loop: EventLoop, games: int) -> None:
        self.players = [Player(loop, name, games) for name in ("anna", "bo")]
        self._streams = [
            dice_stream(SEED, game_label(f"r{number}-anna-v-bo", 1, 1, "", ""))
            for number in range(games)
        ]
        self._games = [(RULES.start(), (next(stream), next(stream))) for stream in self._streams]
        self._lines: list[bytes] = []
        self.begin = [self._turn(number, 1, None) for number in range(games)]

    def received(self, payloads: list[bytes]) -> list[bytes]:
        """One batch of answers to the frames of the next turns: decode, judge, turn the board, a line, dice, encode."""
        frames = []
        for payload in payloads:
            play: Any = decode(payload, TO_ARENA)
            number = play.game - 1
            position, dice = self._games[number]
            verdict: Any = RULES.judge(position, dice, play.moves)
            fact = TurnPlayed(
                at_ms=0,
                game=1,
                turn=play.turn,
                seat=1,
                dice=dice,
                moves=play.moves,
                spent_ms=0,
                left_ms=0,
            )
            self._lines.append(encode_line(fact))
            stream = self._streams[number]
            position = RULES.start() if verdict.ending else RULES.flip(verdict.position)
            self._games[number] = (position, (next(stream), next(stream)))
            frames.append(self._turn(number, play.turn + 1, Last(dice=dice, moves=play.moves)))
        self._lines.clear()
        return frames

    def _turn(self, number: int, turn: int, last: Last | None) -> bytes:
        position, dice = self._games[number]
        clock = TurnClock(left_ms=0, opponent_left_ms=0, spent_ms=0, delay_left_ms=0)
        plain = RULES.to_plain(position)
        return encode(
            Turn(game=number + 1, turn=turn, dice=dice, position=plain, clock=clock, last=last)
        )


async def play_floor(_folder: Path, games: int, times: list[float]) -> None:
    """The same batches as `play`, through direct calls of the parts."""
    async with trio.open_nursery() as nursery:
        floor = Floor(EventLoop(nursery), games)
        frames, (anna, bo) = floor.begin, floor.players
        for batch in range(2 * BATCHES * (1 if games > 1 else 20)):
            player = (anna, bo)[batch % 2]
            payloads = [player.answer(frame) for frame in frames]
            began = thread_time_ns()
            frames = floor.received(payloads)
            if batch >= 2 * WARM_UP:
                times.append((thread_time_ns() - began) / games / 1000)
        nursery.cancel_scope.cancel()


async def play(folder: Path, games: int, times: list[float]) -> None:
    """Play for some batches; adds the microseconds a turn of each to `times`."""
    async with trio.open_nursery() as nursery:
        loop = EventLoop(nursery)
        anna, bo = Player(loop, "anna", games), Player(loop, "bo", games)
        for player in (anna, bo):
            player.session.received(player.answers()[0])
        for number in range(1, games + 1):
            opened = MatchOpened(
                at_ms=loop.clock.now_ms(),
                match=f"r{number}-anna-v-bo",
                attempt=1,
                ruleset=ruleset_record(RULES),
                terms=TERMS,
                entrants=("anna", "bo"),
                dice_commitment=commitment(SEED),
            )
            match = open_match(RULES, opened, deal_from(opened, SEED))
            Table(
                loop,
                match,
                SEED,
                (anna.seated, bo.seated),
                Journal(folder / f"{opened.match}.jsonl"),
            ).begin()
            loop.end_batch()
        for batch in range(BATCHES * (1 if games > 1 else 20)):
            for player in (anna, bo):
                data, turns = player.answers()
                if data:
                    began = thread_time_ns()
                    player.session.received(data)
                    if batch >= WARM_UP and turns > games // 2:
                        times.append((thread_time_ns() - began) / turns / 1000)
        nursery.cancel_scope.cancel()


def measure(games: int, *, is_floor: bool) -> tuple[float, float]:
    """The quickest tenth and the median of one round."""
    times: list[float] = []
    with scratch_folder() as folder:
        trio.run(play_floor if is_floor else play, folder, games, times)
    cuts = quantiles(times, n=10)
    return cuts[0], cuts[4]


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print; returns 0, or 2 if nothing could be measured."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--games", type=int, default=64, help="games at once (default 64)")
    parser.add_argument("--rounds", type=int, default=5, help="interleaved rounds (default 5)")
    parser.add_argument(
        "--against",
        type=Path,
        metavar="FOLDER",
        help="another checkout, measured in the same rounds",
    )
    parser.add_argument(
        "--one-round", action="store_true", help=argparse.SUPPRESS
    )  # what each round's process is told
    parser.add_argument("--floor", action="store_true", help=argparse.SUPPRESS)  # likewise
    options = parser.parse_args(arguments)
    if options.one_round:
        print(*measure(options.games, is_floor=options.floor))
        return 0
    contestants = {"floor": CHECKOUT, "this checkout": CHECKOUT}
    if options.against:
        contestants[options.against.name] = options.against.resolve()
    found: dict[str, list[tuple[float, float]]] = {name: [] for name in contestants}
    where = pin(realtime=False)
    try:
        for _ in range(options.rounds):
            for name, checkout in contestants.items():
                found[name].append(round_of(checkout, options.games, is_floor=name == "floor"))
    except BenchmarkError as error:
        print(f"turns: {error}", file=sys.stderr)
        return 2
    print(
        f"microseconds a turn inside the arena, {options.games} at once, best of {options.rounds} rounds, {where}"
    )
    print(f"{'':24}{'quickest tenth':>16}{'median':>10}{'times the floor':>20}")
    for name, rounds in found.items():
        tenths, medians = zip(*rounds, strict=True)
        # round by round, since what else the machine does changes both alike
        ratios = [a[1] / b[1] for a, b in zip(rounds, found["floor"], strict=True)]
        print(f"{name:24}{min(tenths):16.2f}{min(medians):10.2f}{median(ratios):20.2f}")
    return 0


def round_of(checkout: Path, games: int, *, is_floor: bool) -> tuple[float, float]:
    """One round in a process of its own, with the arena of a checkout."""
    path = os.pathsep.join([str(checkout), str(CHECKOUT / "benchmarks")])
    command = [
        sys.executable,
        "-P",
        str(Path(__file__).resolve()),
        "--one-round",
        "--games",
        str(games),
    ]
    if is_floor:
        command.append("--floor")
    done = subprocess.run(
        command, env=os.environ | {"PYTHONPATH": path}, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise BenchmarkError(f"a round failed:\n{done.stderr}")
    tenth, median = map(float, done.stdout.split())
    return tenth, median


if __name__ == "__main__":
    sys.exit(main())
