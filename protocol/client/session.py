"""One connection of a bot, over a blocking stream: log in, hear, answer."""

import socket
import sys
from collections.abc import Sequence
from typing import Final, NamedTuple

from msgspec.structs import replace

from protocol import messages as wire
from protocol.client.bot import BotBase, CallView, TurnView, to_called, to_play, wishes
from protocol.client.dice import SeenMatch
from protocol.client.receipts import Receipts
from protocol.connection import BotConnection, State
from protocol.errors import LocalProtocolError
from protocol.fields import PROTOCOL
from protocol.greetings import Hello, Login, Welcome
from protocol.messages import Call, FromArena, FromBot, GameEnd, GameStart, MatchEnd, Play, Turn

_READ_BYTES: Final = 64 * 1024
_BATCH_BYTES: Final = 4 * 1024 * 1024
"""The most that is read before the bot is asked: a stream without end must not keep it from
answering."""
_PASSING: Final = (
    "too_many_connections",
    "login_timeout",
    "idle_timeout",
    "slow_reader",
    "internal",
)
"""Fatal errors after which another connection may succeed."""


class End(NamedTuple):
    """End of a connection."""

    code: int
    """The exit code of the program if this was the last connection."""
    reason: str = ""
    """The reason, for people; empty after a good end."""
    may_return: bool = False
    """True if connecting again may help."""
    error: str = ""
    """The code of the arena's fatal error, if there was one."""
    is_mute: bool = False
    """True if the arena hung up without a word."""


class ClientSession:
    """One connection from `hello` to `bye`: the open matches and games, and the waiting turns.

    The next connection is another session: nothing is remembered but the key for reconnecting. A
    subclass can replace `read`, `answer` and `rest`: how to wait, and what to do with the waiting
    turns and in breaks.
    """

    def __init__(self, bot: BotBase, stream: socket.socket, login_s: float | None = None) -> None:
        """`login_s` is how long to wait for each message until the welcome; None sets no limit."""
        if login_s is not None:
            stream.settimeout(login_s)
        self._login_s = login_s
        self._bot = bot
        self.stream = stream
        """The connection itself, for programs that wait for several things at once."""
        self._wire = BotConnection()
        self.seen: dict[str, SeenMatch] = {}
        """The open matches with their dice, also those of the connection that was lost before."""
        self.receipts = Receipts(bot.receipts, bot.signing_key)
        self.distrusted = 0
        """Matches whose dice were not as promised; on all connections so far."""
        self._games: dict[int, GameStart] = {}
        self._asked: dict[int, TurnView | CallView] = {}  # the open turn or call of each game
        self.waiting: list[TurnView | CallView] = []
        """The questions that have not been put to the bot yet."""
        self.breaks: list[wire.Break] = []
        """The breaks that the bot was not told of yet."""
        self._broken = ""
        self._has_told_of_remark = False
        self.welcome: Welcome | None = None
        """The arena's welcome; None before it."""

    def play(self, name: str, token: str, resume_key: str | None = None) -> End:
        """Run the session to its end.

        With the `resume_key` of a connection that was lost it takes the place of that connection.
        """
        self._name = name
        while not self._wire.is_closed:
            received = self.read()
            if not received:
                return self._cut_off()
            for message in self._wire.receive(received):
                if isinstance(message, Hello):
                    self.send(self._login(name, token, resume_key))
                elif isinstance(message, wire.Error):
                    text = f"the arena says {message.code}: {message.message}"
                    if message.fatal:
                        return End(1, text, may_return=message.code in _PASSING, error=message.code)
                    tell(text)
                else:
                    self._hear(message)
            self.answer()
            self.rest()
        fault = self._wire.fault
        if fault is not None:
            self.send(fault.to_message())
            return End(1, f"the arena broke the protocol, {fault}")
        return self._good_end(may_return=False)

    def _good_end(self, *, may_return: bool) -> End:
        """Return a good end, but a bad one if dice were not as promised."""
        if not self.distrusted:
            return End(0, may_return=may_return)
        reason = (
            f"the dice of {self.distrusted} matches were not as promised; "
            "the lines above say what was wrong"
        )
        return End(1, reason, may_return=may_return)

    def _cut_off(self) -> End:
        is_mute = self._wire.state is State.HELLO
        if self._broken:
            return End(1, f"the connection broke: {self._broken}", may_return=True, is_mute=is_mute)
        if self._wire.unread_bytes:
            return End(1, "the arena hung up in the middle of a message", may_return=True)
        if is_mute:
            return End(1, "the arena hung up and said nothing", may_return=True, is_mute=True)
        if self._wire.state is not State.OPEN:
            return End(1, "the arena hung up before it said welcome", may_return=True)
        return self._good_end(may_return=True)

    def _login(self, name: str, token: str, resume_key: str | None) -> Login:
        bot = self._bot
        return Login(
            protocol=PROTOCOL,
            name=name,
            version=bot.version,
            token=token,
            window=bot.window,
            wants=wishes(bot),
            fingerprint=bot.fingerprint,
            resume=resume_key,
            public_key=self.receipts.public_key,
            matches=bot.matches,
            kind=bot.kind,
        )

    def _hear(self, message: FromArena) -> None:
        match message:  # a table of the messages
            case Welcome():
                self.welcome = message
                if self._login_s is not None:
                    self.stream.settimeout(None)  # from now on wait as long as the arena takes
            case wire.MatchStart():
                self._match_started(message)
            case wire.MatchReveal():
                self.send(self.seen[message.match].reveal(message))
            case GameStart():
                self._end_break(message.match)
                self._games[message.game] = message
                self.seen[message.match].game_start(message)
                self._bot.game_start(message)
            case wire.Break():
                self.breaks.append(message)
            case Turn() | Call():
                self._ask(message)
            case wire.Rejected():
                self._rejected(message)
            case GameEnd():
                self._game_ended(message)
            case MatchEnd():
                self._match_ended(message)
            case wire.Ping():
                self.send(wire.Pong(data=message.data))

    def _match_started(self, message: wire.MatchStart) -> None:
        match = self.seen.get(message.match)
        if match is None or match.start.attempt != message.attempt:
            match = SeenMatch(message)
            self.seen[message.match] = match
        self._bot.match_start(message)
        self.send(match.ready())

    def _rejected(self, message: wire.Rejected) -> None:
        view = self._asked[message.game]
        self._bot.rejected(message, view)
        if message.left >= 0:
            self.waiting.append(view)

    def _game_ended(self, message: GameEnd) -> None:
        match = self.seen.get(message.match)
        if match is None:
            return  # the match was over for this connection before it began
        self.waiting = [view for view in self.waiting if view.message.game != message.game]
        self._asked.pop(message.game, None)
        start = self._games.pop(message.game, None)
        if start is not None:
            match.games[start.number].end(message)
        self._bot.game_end(message)
        objection = self._bot.objection(message)
        answer = self.receipts.take(match.start, message, self._name, objection)
        if answer is not None:
            self.send(answer)

    def _match_ended(self, message: MatchEnd) -> None:
        match = self.seen.get(message.match)
        if match is None:
            return  # the match was over for this connection before it began
        self._end_break(message.match)
        self.receipts.take(match.start, message, self._name)
        self._check_dice(message)
        self._bot.match_end(message)

    def _end_break(self, match: str) -> None:
        """Forget a break that was over before the bot could use it."""
        self.breaks = [pause for pause in self.breaks if pause.match != match]

    def _check_dice(self, message: MatchEnd) -> None:
        if message.dice_seed is None:
            tell(
                f"{message.match}: the arena does not tell the seed of the dice, "
                "so that they cannot be checked"
            )
        problems = self.seen.pop(message.match).check(message)
        if problems:
            self.distrusted += 1
            self._bot.dice_distrusted(message, problems)

    def _ask(self, message: Turn | Call) -> None:
        """Queue a question; the bot answers when everything from the same read has been handled."""
        start = self._games[message.game]
        match = self.seen[start.match]
        view: TurnView | CallView
        if isinstance(message, Turn):
            match.games[start.number].turn(message)
            view = TurnView(message, start, match.start)
        else:
            view = CallView(message, start, match.start)
        self._asked[message.game] = view
        self.waiting.append(view)

    def answer(self) -> None:
        """Let the bot answer all waiting questions, calls for dice first.

        Each answer is written as soon as the bot gives it; answers given together are written at
        once.
        """
        waiting, self.waiting = self.waiting, []
        if not waiting or self._wire.is_closed:
            return
        for view in waiting:
            if isinstance(view, CallView):
                self.send(to_called(view.message, self._bot.call(view)))
        turns = [view for view in waiting if isinstance(view, TurnView)]
        if turns:
            self._answer_turns(turns)

    def _answer_turns(self, turns: Sequence[TurnView]) -> None:
        replies = self._bot.play_many(turns)
        plays = (to_play(turn.message, reply) for turn, reply in zip(turns, replies, strict=True))
        if isinstance(replies, list | tuple):
            self.send(*plays)
            return
        for play in plays:
            self.send(play)

    def rest(self) -> None:
        """Let the bot use its breaks, once it has answered everything; then it is ready."""
        breaks, self.breaks = self.breaks, []
        for pause in breaks:
            self._bot.between_games(pause)
            self.send(wire.GameReady(match=pause.match, number=pause.number))

    def read(self) -> bytes:
        """Wait for bytes.

        A bot with a window gets everything that has arrived, so that its batches are complete.
        """
        received = self._receive()
        if self._bot.window > 1:
            timeout = self.stream.gettimeout()
            self.stream.settimeout(0)
            while received and len(received) < _BATCH_BYTES:
                part = self._receive()
                if not part:
                    break
                received += part
            self.stream.settimeout(timeout)
        return received

    def _receive(self) -> bytes:
        """Return some bytes; empty at the end, or if a stream that does not block has none."""
        try:
            return self.stream.recv(_READ_BYTES)
        except (ConnectionError, BlockingIOError):
            # Over TLS a read repeats the broken pipe of an earlier write, from Python 3.13 on.
            return b""
        except OSError as error:
            # The network is gone, or a TLS record was cut short or has not come whole.
            import ssl

            if not isinstance(error, ssl.SSLWantReadError):
                self._broken = str(error)
            return b""

    def send(self, *messages: FromBot) -> None:
        """Write messages with one call."""
        if self._wire.state is State.CLOSED:
            return
        frames = b"".join(map(self._frame, messages))
        try:
            self.stream.sendall(frames)
        except OSError:
            # The connection is gone; the arena's last words may still be readable, and reading ends
            # the session.
            return

    def _frame(self, message: FromBot) -> bytes:
        """Return the frame of a message, without a remark that cannot be sent; tell that once."""
        try:
            return self._wire.send(message)
        except LocalProtocolError as error:
            if not isinstance(message, Play) or message.info is None:
                raise
            frame = self._wire.send(replace(message, info=None))
            if not self._has_told_of_remark:
                self._has_told_of_remark = True
                tell(f"the remark (`info`) is left out of the answer: {error}; this is said once")
            return frame


def tell(reason: str) -> None:
    """Write a line to stderr."""
    sys.stderr.write(f"{reason}\n")
