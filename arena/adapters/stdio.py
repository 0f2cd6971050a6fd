"""A bot that is a program on JSON lines (docs/adapters.md)."""

import codecs
import json
import os
import select
import socket
import subprocess
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final, Literal

import msgspec

from arena.adapters.child import AdapterError, Child
from arena.nearest import nearest
from arena.own_programs import with_own_programs
from protocol import client
from protocol.client import CallView, TurnView
from protocol.client.bot import BotBase
from protocol.client.run import SessionOf
from protocol.errors import LocalProtocolError
from protocol.fields import Count, Handle, Move, TurnNumber
from protocol.messages import Called, FromArena, Play
from protocol.values import NotPlainError, plain_fields

LINE_BYTES: Final = 64 * 1024
"""The longest line of an answer, the same as the longest frame of a bot."""
_SHOWN_BYTES: Final = 200
_EXPECTED: Final = (
    'expected one answer a line, such as {"choice": 0} or {"moves": [[1, 7], [7, 9]]}'
)
_ANSWERING: Final = frozenset({"choice", "moves", "dice", "draw"})
"""An answer has at least one of these fields."""
_SHOWN_NAMES: Final = 5
_READ_BYTES: Final = 64 * 1024
_UNREAD_BYTES: Final = 16 * 1024 * 1024
"""Bytes that may wait for a program that does not read: far more than a window full of turns."""
_LAST_SECONDS: Final = 0.5
"""Time that a program may take to end after it closes its output.

Its exit status is reported then.
"""

View = TurnView | CallView


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """An answer of a program: the fields of `play` and of `call`.

    `type`, `game` and `turn` may be left out.
    """

    type: Literal["play", "call"] | None = None
    game: Handle | None = None
    turn: TurnNumber | None = None
    choice: Count | None = None
    moves: Sequence[Move] | None = None
    dice: Count | None = None
    draw: Literal["offer", "accept"] | None = None
    info: Any = None


@dataclass(slots=True)
class Ask:
    """A turn or a call that was put to the program, and is not answered yet."""

    view: View
    is_open: bool = True
    """True while the arena waits for the answer; a later answer is dropped."""


class Asked:
    """The questions that the program has not answered, the oldest first.

    A closed question is kept, else its answer would be taken for that of the next question.
    """

    def __init__(self) -> None:
        self._asks: list[Ask] = []

    def put(self, view: View) -> None:
        """Add a question."""
        self._asks.append(Ask(view))

    def close(self, game: int | None = None) -> View | None:
        """Close the questions of a game that is over, or all when the connection was lost.

        Returns the oldest of them.
        """
        oldest = None
        for ask in self._asks:
            if ask.is_open and game in (None, ask.view.message.game):
                ask.is_open = False
                if oldest is None:
                    oldest = ask.view
        return oldest

    def take(self, answer: Answer) -> Ask:
        """Remove and return the question with its `game` and `turn`, or else the oldest.

        Raises `AdapterError`.
        """
        if (answer.game is None) != (answer.turn is None):
            raise AdapterError(
                "it has one of `game` and `turn`; "
                "give both as in the turn that is answered, or neither"
            )
        if not self._asks:
            raise AdapterError(
                "nothing was asked that is not answered yet; "
                "write one line for each `turn`, no more"
            )
        if answer.game is None:
            return self._asks.pop(0)
        for place, ask in enumerate(self._asks):
            question = ask.view.message
            if (question.game, question.turn) == (answer.game, answer.turn):
                return self._asks.pop(place)
        questions = [ask.view.message for ask in self._asks]
        waiting = ", ".join(f"game {turn.game} turn {turn.turn}" for turn in questions)
        raise AdapterError(
            f"nothing is open in game {answer.game} turn {answer.turn}; "
            f"what waits for an answer: {waiting}"
        )


def format_line(message: FromArena) -> bytes:
    """Return a message as one line of ASCII with its line end.

    `type` comes first; bytes are hexadecimal digits.
    """
    plain = msgspec.to_builtins(message, builtin_types=(bytes,))
    text = json.dumps(plain, separators=(",", ":"), default=bytes.hex)
    return text.encode() + b"\n"


def read_answer(line: bytes) -> Answer:
    """Parse a line that a program has written; fields that an answer does not have are skipped.

    Numbers are those of the wire: `3.0` is 3. Raises `AdapterError`, which does not quote the line.
    """
    fields = _read_object(line)
    unknown = fields.keys() - set(Answer.__struct_fields__)
    if unknown and not fields.keys() & _ANSWERING:
        raise AdapterError(_no_answer(sorted(unknown)))
    for name in unknown:
        del fields[name]
    remark = fields.pop("info", None)
    try:
        plain = plain_fields(fields, Answer.__struct_fields__)
        return msgspec.convert(plain | {"info": remark}, Answer)
    except (NotPlainError, msgspec.ValidationError) as error:
        raise AdapterError(f"{error}; {_EXPECTED}") from error


def _read_object(line: bytes) -> dict[str, Any]:
    try:
        answer = json.loads(line.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise AdapterError(
            f"it is not UTF-8 ({error.reason}); have the program write UTF-8; {_EXPECTED}"
        ) from error
    except json.JSONDecodeError as error:
        raise AdapterError(
            f"it is no JSON ({error.msg} at character {error.pos + 1}); "
            f"what is for people goes to standard error; {_EXPECTED}"
        ) from error
    except (RecursionError, ValueError) as error:  # endless arrays, thousands of digits
        raise AdapterError(f"it cannot be read ({error}); {_EXPECTED}") from error
    if not isinstance(answer, dict):
        raise AdapterError(f"it is JSON, but no object; {_EXPECTED}")
    return answer


def _no_answer(names: Sequence[str]) -> str:
    """Describe a line that has only these fields, which no answer has."""
    fields = ", ".join(f"`{name[:_SHOWN_BYTES]}`" for name in names[:_SHOWN_NAMES])
    meant = nearest(names[0], Answer.__struct_fields__)
    return f"it has no answer, only {fields}{meant}; {_EXPECTED}"


def to_message(answer: Answer, view: View) -> Play | Called:
    """Return the message for the arena with this answer.

    Raises `AdapterError`: it does not answer this question.
    """
    game, turn = view.message.game, view.message.turn
    if isinstance(view, CallView):
        if answer.dice is None or answer.type == "play":
            choices = " or ".join(f'{{"dice": {dice}}}' for dice in view.choices)
            raise AdapterError(f"a `call` was asked; answer it with the number of dice, {choices}")
        return Called(game=game, turn=turn, dice=answer.dice)
    if answer.dice is not None or answer.type == "call":
        raise AdapterError(f"a `turn` was asked, and this answers a `call`; {_EXPECTED}")
    try:
        return Play(
            game=game,
            turn=turn,
            moves=answer.moves,
            choice=answer.choice,
            info=answer.info,
            draw=answer.draw,
        )
    except ValueError as error:
        raise AdapterError(f"{error}; {_EXPECTED}") from error


def shown(line: bytes) -> str:
    """Return the beginning of a line for people, with special characters escaped."""
    text = ascii(line[:_SHOWN_BYTES].decode("utf-8", "replace"))
    more = len(line) - _SHOWN_BYTES
    if more <= 0:
        return text
    return f"{text} and {more} bytes more"


class LineProgram:
    """The program: lines go in, lines come out, and neither waits for the other.

    It shares our standard error.
    """

    def __init__(self, command: Sequence[str]) -> None:
        """Start it; its environment is ours without the token. Raises `AdapterError`."""
        environment = dict(os.environ)
        environment.pop("ARENA_TOKEN", None)
        self._child = Child(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            environment=environment,
        )
        stdin = self._child.process.stdin
        stdout = self._child.process.stdout
        assert stdin is not None, "asked for above"
        assert stdout is not None, "asked for above"
        self._to_program = stdin.fileno()
        self._from_program = stdout.fileno()
        os.set_blocking(self._to_program, False)
        os.set_blocking(self._from_program, False)
        self._unwritten = bytearray()
        self.unread = bytearray()
        """What it has written after its last line end."""
        self.lines_read = 0
        self.end = self._child.end

    def say(self, line: bytes) -> None:
        """Write a line; what the program does not take now waits.

        Raises `AdapterError` if it reads no more.
        """
        self._unwritten += line
        self._write()
        if len(self._unwritten) > _UNREAD_BYTES:
            raise AdapterError(
                "the program does not read its standard input: "
                f"{len(self._unwritten)} bytes wait for it; "
                "have it read every line, also those it does not answer"
            )

    def wait_with(self, stream: socket.socket | None, at_most_s: float | None = None) -> bool:
        """Wait until the program or the stream can be read; returns whether it is the stream."""
        reads = [self._from_program]
        writes = []
        arena = None
        if stream is not None:
            arena = stream.fileno()
            reads.append(arena)
        if self._unwritten:
            writes.append(self._to_program)
        readable, writable, _ = select.select(reads, writes, [], at_most_s)
        if writable:
            self._write()
        if self._from_program in readable:
            self._read()
        return arena in readable

    def lines(self) -> Iterator[bytes]:
        """Yield every complete line written since the last call.

        Empty lines and byte order marks are left out.
        """
        *lines, self.unread = self.unread.split(b"\n")
        for line in lines:
            self.lines_read += 1
            text = bytes(line).removeprefix(codecs.BOM_UTF8)
            if text.strip():
                yield text

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
            written = os.read(self._from_program, _READ_BYTES)
        except BlockingIOError:
            return
        if not written:
            raise AdapterError(self._gone("standard output, so that it can answer no more"))
        self.unread += written
        start_of_line = self.unread.rfind(b"\n") + 1
        if len(self.unread) - start_of_line > LINE_BYTES:
            raise AdapterError(
                f"the program has written a line of more than {LINE_BYTES} bytes, "
                f"{shown(bytes(self.unread))}; "
                "expected one short answer a line, ended by a line end"
            )

    def _gone(self, closed: str) -> str:
        """Describe a program that has ended, or has closed one of its streams."""
        with suppress(BlockingIOError):  # its last words may still be unread
            self.unread += os.read(self._from_program, _READ_BYTES)
        last = ""
        if self.unread:
            last = f", last having written {shown(bytes(self.unread))}"
        if self._child.has_ended(_LAST_SECONDS):
            return (
                f"the program {self._child.how_it_ended()}{last}; "
                "expected it to go on until its standard input ends. "
                "What it wrote to standard error is above"
            )
        return (
            f"the program has closed its {closed}{last}; "
            "have it keep both open until its standard input ends"
        )


class LineBot(client.Bot):
    """Passes the arena's messages to the program as lines; `LineSession` takes its answers."""

    receipts = None  # beside the adapter is no place for them; ARENA_RECEIPTS names one

    def __init__(self, program: LineProgram, *, window: int, wants_calls: bool) -> None:
        self.program = program
        self.asked = Asked()
        self.window = window
        self.wants: tuple[str, ...] = ("legal",)
        if wants_calls:
            self.wants = ("legal", "call")

    def match_start(self, match: client.MatchStart) -> None:
        """Tell the program."""
        self.program.say(format_line(match))

    def game_start(self, start: client.GameStart) -> None:
        """Tell the program."""
        self.program.say(format_line(start))

    def rejected(self, rejected: client.Rejected, asked: View) -> None:
        """Report it on stderr and to the program; the turn is put to it again."""
        super().rejected(rejected, asked)
        self.program.say(format_line(rejected))

    def game_end(self, end: client.GameEnd) -> None:
        """Tell the program; report on stderr if it has not answered a turn."""
        unanswered = self.asked.close(end.game)
        if unanswered is not None:
            half_line = len(self.program.unread)
            hint = "nothing has come"
            if half_line:
                hint = f"{half_line} bytes without a line end have come"
            client.tell(
                f"game {end.number} ended ({end.ending}) "
                f"while turn {unanswered.message.turn} waited for an answer; {hint}. "
                "If the program has answered, have it flush its output after every line"
            )
        self.program.say(format_line(end))

    def match_end(self, end: client.MatchEnd) -> None:
        """Tell the program."""
        self.program.say(format_line(end))


class LineSession(client.ClientSession):
    """A session that listens to the program as well as to the arena."""

    def __init__(self, bot: BotBase, stream: socket.socket, login_s: float | None) -> None:
        assert isinstance(bot, LineBot), "`arena adapter stdio` makes it"
        super().__init__(bot, stream, login_s)
        self._program = bot.program
        self._questions = bot.asked
        self._questions.close()

    def read(self) -> bytes:
        """Wait for the arena, and send answers meanwhile.

        A TLS record is smaller than a read, so that nothing stays unread in the stream.
        """
        is_arena = self.welcome is None
        while not is_arena:
            is_arena = self._program.wait_with(self.stream)
            for line in self._program.lines():
                try:
                    self._pass_on(line)
                except (AdapterError, LocalProtocolError) as error:
                    where = f"the program's line {self._program.lines_read}, {shown(line)}"
                    raise AdapterError(f"{where}: {error}") from error
        return super().read()

    def _pass_on(self, line: bytes) -> None:
        """Send an answer of the program, unless the arena no longer waits for it."""
        answer = read_answer(line)
        ask = self._questions.take(answer)
        if ask.is_open:
            self.send(to_message(answer, ask.view))

    def answer(self) -> None:
        """Put the waiting questions to the program."""
        questions = self.waiting
        self.waiting = []
        for view in questions:
            self._questions.put(view)
            self._program.say(format_line(view.message))


def play_program(
    command: Sequence[str],
    bot_of: Callable[[LineProgram], client.Bot],
    address: str,
    name: str,
    token: str,
    session_of: SessionOf = client.ClientSession,
) -> int:
    """Play a program, as the bot that is made of it, until goodbye; returns the exit code.

    The command may name the arena's own programs (`own_programs.py`).
    Raises `AdapterError` if the program fails.
    """
    program = LineProgram(with_own_programs(command))
    try:
        return client.run(bot_of(program), address, name, token, session_of)
    finally:
        program.end()
