"""A bot played by a program that reads and writes JSON lines."""

from __future__ import annotations

import os
import select
import socket
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Final

from arena.adapters.child import Child
from arena.adapters.errors import AdapterError
from arena.adapters.lines import LINE_BYTES, Asked, View, format_line, read_answer, shown, to_message
from protocol.client import (
    Bot,
    CallView,
    ClientSession,
    GameEnd,
    GameStart,
    MatchEnd,
    MatchStart,
    Rejected,
    TurnView,
    run,
    tell,
)
from protocol.client.bot import BotBase
from protocol.errors import LocalProtocolError
from protocol.messages import FromArena

_READ_BYTES: Final = 64 * 1024
_UNREAD_BYTES: Final = 16 * 1024 * 1024
"""How many bytes may wait for a program that does not read: far more than a window full of turns."""
_LAST_SECONDS: Final = 0.5
"""How long a program that closes its output may take to end, so that its exit status can be reported."""


class LineProgram:
    """The program: lines go in, lines come out, and neither waits for the other.

    Its standard error goes where ours goes.
    """

    def __init__(self, command: Sequence[str]) -> None:
        """Start it; its environment is ours without the token.

        Raises:
            AdapterError: it cannot be started.
        """
        environment = {name: value for name, value in os.environ.items() if name != "ARENA_TOKEN"}
        self._child = Child(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, environment=environment)
        stdin, stdout = self._child.process.stdin, self._child.process.stdout
        assert stdin is not None, "asked for above"
        assert stdout is not None, "asked for above"
        self._to_program, self._from_program = stdin.fileno(), stdout.fileno()
        os.set_blocking(self._to_program, False)
        os.set_blocking(self._from_program, False)
        self._unwritten = bytearray()
        self._unread = bytearray()
        self._lines = 0

    def say(self, message: FromArena) -> None:
        """Write a message; bytes that the program does not take now wait until it does.

        Raises:
            AdapterError: it has closed its input, or does not read.
        """
        self._unwritten += format_line(message)
        self._write()
        if len(self._unwritten) > _UNREAD_BYTES:
            raise AdapterError(
                f"the program does not read its standard input: {len(self._unwritten)} bytes wait for it; have it read "
                "every line, also those it does not answer"
            )

    def wait_with(self, stream: socket.socket) -> bool:
        """Wait until the program or the stream can be read; returns whether it is the stream."""
        writes = [self._to_program] if self._unwritten else []
        arena = stream.fileno()
        readable, writable, _ = select.select([arena, self._from_program], writes, [])
        if writable:
            self._write()
        if self._from_program in readable:
            self._read()
        return arena in readable

    def lines(self) -> Iterator[bytes]:
        """Every complete line written since the last call, without empty ones."""
        *lines, rest = self._unread.split(b"\n")
        self._unread = rest
        for line in lines:
            self._lines += 1
            if line.strip():
                yield bytes(line)

    @property
    def lines_read(self) -> int:
        """Number of lines it has written."""
        return self._lines

    @property
    def half_line_bytes(self) -> int:
        """Number of bytes it has written after its last line end."""
        return len(self._unread)

    def end(self) -> None:
        """Close its input, and end it if it does not end by itself."""
        self._child.end()

    def _write(self) -> None:
        try:
            while self._unwritten:
                del self._unwritten[: os.write(self._to_program, self._unwritten)]
        except BlockingIOError:
            return
        except BrokenPipeError:
            raise AdapterError(self._gone("standard input, so that it can hear no more")) from None

    def _read(self) -> None:
        try:
            data = os.read(self._from_program, _READ_BYTES)
        except BlockingIOError:
            return
        if not data:
            raise AdapterError(self._gone("standard output, so that it can answer no more"))
        self._unread += data
        if len(self._unread) - (self._unread.rfind(b"\n") + 1) > LINE_BYTES:
            raise AdapterError(
                f"the program has written a line of more than {LINE_BYTES} bytes, {shown(bytes(self._unread))}; "
                "expected one short answer a line, ended by a line end"
            )

    def _gone(self, closed: str) -> str:
        with suppress(BlockingIOError):  # its last words may still be unread
            self._unread += os.read(self._from_program, _READ_BYTES)
        last = f", last having written {shown(bytes(self._unread))}" if self._unread else ""
        if self._child.has_ended(_LAST_SECONDS):
            return (
                f"the program {self._child.how_it_ended()}{last}; expected it to go on until its standard input ends. "
                "What it wrote to standard error is above"
            )
        return f"the program has closed its {closed}{last}; have it keep both open until its standard input ends"


class LineBot(Bot):
    """Passes the arena's messages to the program as lines; `LineSession` takes its answers."""

    receipts = None  # beside the adapter is no place for them; ARENA_RECEIPTS names one

    def __init__(self, program: LineProgram, *, window: int, wants_calls: bool) -> None:
        self.program = program
        self.asked = Asked()
        self.window = window
        self.wants = ("legal", "call") if wants_calls else ("legal",)

    def ask(self, view: View) -> None:
        """Put a turn or a call to the program."""
        self.asked.put(view)
        self.program.say(view.message)

    def match_start(self, match: MatchStart) -> None:
        """Tell the program."""
        self.program.say(match)

    def game_start(self, start: GameStart) -> None:
        """Tell the program."""
        self.program.say(start)

    def rejected(self, rejected: Rejected, asked: TurnView | CallView) -> None:
        """Report it on stderr and to the program; the turn is put to it again."""
        super().rejected(rejected, asked)
        self.program.say(rejected)

    def game_end(self, end: GameEnd) -> None:
        """Tell the program; report on stderr if it left a turn without an answer."""
        left = self.asked.close_game(end.game)
        if left is not None:
            half = self.program.half_line_bytes
            hint = f"{half} bytes without a line end have come" if half else "nothing has come"
            tell(
                f"game {end.number} ended ({end.ending}) while turn {left.message.turn} waited for an answer; {hint}. "
                f"If the program has answered, have it flush its output after every line"
            )
        self.program.say(end)

    def match_end(self, end: MatchEnd) -> None:
        """Tell the program."""
        self.program.say(end)


class LineSession(ClientSession):
    """A session that listens to the program as well as to the arena."""

    def __init__(self, bot: BotBase, stream: socket.socket, login_s: float | None) -> None:
        assert isinstance(bot, LineBot), "made by `play_lines`"
        super().__init__(bot, stream, login_s)
        self._line_bot = bot
        bot.asked.close_all()

    def read(self) -> bytes:
        """Wait for the arena, and send the program's answers meanwhile.

        A TLS record is smaller than one read, so nothing remains in TLS that the socket would not report.
        """
        if self.welcome is None:
            return super().read()
        while True:
            is_arena = self._line_bot.program.wait_with(self.stream)
            self._take_answers()
            if is_arena:
                return super().read()

    def answer(self) -> None:
        """Put the waiting questions to the program."""
        waiting, self.waiting = self.waiting, []
        for view in waiting:
            self._line_bot.ask(view)

    def _take_answers(self) -> None:
        program = self._line_bot.program
        for line in program.lines():
            try:
                answer = read_answer(line)
                ask = self._line_bot.asked.take(answer)
                if ask.is_open:
                    self.send(to_message(answer, ask.view))
            except (AdapterError, LocalProtocolError) as error:
                raise AdapterError(f"the program's line {program.lines_read}, {shown(line)}: {error}") from error


def play_lines(
    command: Sequence[str], address: str, name: str, token: str, *, window: int = 1, wants_calls: bool = False
) -> int:
    """Play a program at an address until the arena says goodbye; returns the exit code of `protocol.client.run`.

    Raises:
        AdapterError: the program cannot be started, has ended, or has written something that is not an answer.
    """
    program = LineProgram(command)
    try:
        return run(LineBot(program, window=window, wants_calls=wants_calls), address, name, token, LineSession)
    finally:
        program.end()
