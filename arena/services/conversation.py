"""The arena's end of a connection that tries out a bot: it turns messages to bytes, and judges.

It is a machine without input or output, like those of the protocol. The laws:

1. `say` and `hear` return the bytes to write, each part with a write of its own.
2. A bot never has more unanswered turns than the window of its login; the other turns wait here.
3. Legal turns are listed for a bot that asked for them and for no other.
4. A bot that has committed to entropy for the dice is asked to reveal it, but not when it comes back in mid-game.
5. A message that the bot does not owe is a `DeviationError`, and so is a wrong answer. Its `ping` is
   answered.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import msgspec

from arena.games import Game, GameError
from arena.games.interface import Dice, Illegal
from protocol.codec import HEADER_BYTES
from protocol.connection import BOT_FRAME_BYTES, LOGIN_FRAME_BYTES, ArenaConnection
from protocol.errors import ErrorCode
from protocol.greetings import Hello, Login, Welcome
from protocol.messages import (
    Break,
    Bye,
    Call,
    Called,
    Error,
    FromArena,
    FromBot,
    GameEnd,
    GameReady,
    MatchEntropy,
    MatchReady,
    MatchReveal,
    MatchStart,
    Ping,
    Play,
    Pong,
    Rejected,
    Turn,
)
from protocol.values import LeftOut
from protocol.window import Asked, TurnWindow

SHOWN_BYTES: Final = 256
"""How many bytes of a frame are shown in hexadecimal; of a decoded message, four times as many
characters."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """Messages sent together.

    The next words follow when the bot has answered everything it was asked.
    """

    messages: tuple[FromArena, ...]
    more: Mapping[str, object] = field(default_factory=dict)
    """Unknown fields to add to each of these messages."""
    unknown: Mapping[str, object] | None = None
    """A map that is not a message, sent first."""
    is_in_bytes: bool = False
    """True if every byte is written separately."""
    is_cut: bool = False
    """True if the last frame breaks off in the middle; then no answer is expected."""


class DeviationError(Exception):
    """A bot did not do what it should; says what it did, and what was expected."""

    def __init__(self, found: str, expected: str, frame: bytes = b"") -> None:
        super().__init__(found, expected)
        self.found = found
        """What it did, in words to put after "the bot"."""
        self.expected = expected
        self.frame = frame
        """The frame it sent, with stars for secrets; empty if there was none."""

    def __str__(self) -> str:
        return f"{self.found}; expected: {self.expected}"

    @property
    def hex(self) -> str:
        """The frame in hexadecimal, byte by byte; cut short if it is long."""
        more = f" ... ({len(self.frame)} bytes in all)" if len(self.frame) > SHOWN_BYTES else ""
        return self.frame[:SHOWN_BYTES].hex(" ") + more

    @property
    def decoded(self) -> str:
        """The frame's map as JSON, byte strings as `{"bin": "hex"}`; empty if it cannot be decoded."""
        try:
            value = msgspec.msgpack.decode(self.frame[HEADER_BYTES:], strict=False)
            text = json.dumps(as_json(value), ensure_ascii=False)
        except (msgspec.DecodeError, TypeError, ValueError, RecursionError):
            return ""
        return text if len(text) <= 4 * SHOWN_BYTES else f"{text[: 4 * SHOWN_BYTES]} ..."


def as_json(value: Any) -> Any:
    """A plain value of the wire in the form of JSON."""
    if isinstance(value, bytes):
        return {"bin": value.hex()}
    if isinstance(value, dict):
        return {str(key): as_json(item) for key, item in value.items()}
    return [as_json(item) for item in value] if isinstance(value, list | tuple) else value


class Conversation:
    """One connection, from the arena's side."""

    def __init__(
        self,
        game: Game[Any],
        name: str,
        token: str,
        resume_key: str | None = None,
        *,
        is_judged: bool = True,
    ) -> None:
        """`resume_key` is the key with which the bot must come back; None on its first connection.

        Unless it `is_judged`, an answer to a turn is only kept, for a referee to judge.
        """
        self._game = game
        self._is_judged = is_judged
        self._name = name
        self._token = token
        self._resume_key = resume_key
        self._wire = ArenaConnection()
        self._unread = b""
        self._window = TurnWindow(1)
        self._turns: dict[int, Asked] = {}  # the last turn or call of each game
        self._called: dict[int, int] = {}  # how many dice it called for in a game
        self._others: list[FromArena] = []  # what else is to be answered
        self._commitment = b""
        self.login: Login | None = None
        """The bot's login."""
        self.answers: dict[int, Play | Called] = {}
        """Its last answer to a turn or call in each game."""
        self.spent_ms: dict[int, int] = {}
        """The time of its last answer in each game, as soon as the one who watches the clock has
        told it."""
        self.note = ""
        """What its author should know though nothing is wrong: that a remark of it is not kept;
        empty for nothing."""
        self.next_resume_key = ""
        """The key with which it must come back if this connection is lost."""

    @property
    def owed(self) -> list[FromArena]:
        """The messages that are not answered yet."""
        return [*self._others, *self._window.outstanding()]

    @property
    def limit_ms(self) -> int | None:
        """Time that the slowest of the open turns may take; None if none is open."""
        open_turns = self._window.outstanding()
        return max(map(self.allowed_ms, open_turns), default=None)

    def allowed_ms(self, asked: Asked) -> int:
        """Return how long the answer to a turn or call may take."""
        return asked.clock.delay_left_ms + asked.clock.left_ms

    def say(self, words: Words) -> list[bytes]:
        """The bytes to write for these words."""
        frames = [] if words.unknown is None else [_framed(words.unknown)]
        for message in words.messages:
            for frame in self._frames(message, is_cut=words.is_cut):
                fields = (
                    msgspec.msgpack.decode(frame[HEADER_BYTES:]) | words.more
                    if words.more
                    else None
                )
                frames.append(frame if fields is None else _framed(fields))
        said = b"".join(frames)
        if words.is_cut:
            return [said[: len(said) // 2]]
        return [said[at : at + 1] for at in range(len(said))] if words.is_in_bytes else [said]

    def hear(self, data: bytes) -> list[bytes]:
        """Take bytes that were read; returns the bytes to write now. Raises `DeviationError`."""
        self._unread += data
        writes: list[bytes] = []
        cap = LOGIN_FRAME_BYTES if self.login is None else BOT_FRAME_BYTES
        while len(self._unread) >= HEADER_BYTES:
            size = HEADER_BYTES + int.from_bytes(self._unread[:HEADER_BYTES], "big")
            if len(self._unread) < size <= cap + HEADER_BYTES:
                break
            frame, self._unread = self._unread[:size], self._unread[size:]
            for message in self._wire.receive(frame):
                writes += self._take(message, frame)
            if (fault := self._wire.fault) is not None:
                raise self._deviation(f"breaks the protocol: {fault.message} ({fault.code})", frame)
            if self._wire.is_closed:
                raise self._deviation("ends the conversation", frame)
        return writes

    def ended(self) -> None:
        """The bot has hung up, which is right only after the last word. Raises `DeviationError`."""
        if self._unread:
            raise self._deviation("hangs up in the middle of a frame", self._unread)
        if self.owed or not self._wire.is_closed:
            raise self._deviation("hangs up")

    def silence(self, after_ms: int) -> DeviationError:
        """Return the error for a bot that has not said all it owes in time."""
        limit_ms = self.limit_ms
        clock = ""
        if limit_ms is not None:
            clock = (
                ", all that its clock allows"
                if after_ms >= limit_ms
                else f" (its clock would allow {limit_ms} ms)"
            )
        return self._deviation(f"says nothing more for {after_ms} ms{clock}", self._unread)

    def chatter(self, data: bytes) -> DeviationError:
        """Return the error for a bot that sends something after the last word."""
        return self._deviation("says something after the arena's last word", data)

    def complain(self, deviation: DeviationError) -> list[bytes]:
        """Return the bytes that tell the bot what it did wrong, as the arena would; none after its last word."""
        if self._wire.fault is not None:
            return [self._wire.send(self._wire.fault.to_message())]
        if self._wire.is_closed:
            return []
        code = ErrorCode.BAD_LOGIN if self.login is None else ErrorCode.UNEXPECTED_MESSAGE
        return [self._wire.send(code.to_message(f"the bot {deviation.found}"))]

    def _frames(self, message: FromArena, *, is_cut: bool) -> list[bytes]:
        """The frames of one message, and of turns it releases; none for a turn that has to wait."""
        match message:
            case Turn() | Call() if not is_cut:
                self._window.offer(self._fitted(message))
                return list(map(self._wire.send, self._window.release()))
            case Hello() | MatchStart() | Break() | Ping():
                self._others.append(message)
            case Welcome():
                assert self.login is not None, "a welcome follows a login"
                message = msgspec.structs.replace(
                    message,
                    limits=msgspec.structs.replace(message.limits, window=self.login.window),
                )
                self.next_resume_key = message.resume_key
            case Rejected(left=left) if left >= 0:
                self._window.reopen(self._turns[message.game])
            case GameEnd():
                self._window.drop(message.game)
            case _:
                pass
        return [self._wire.send(message)]

    def _fitted(self, asked: Turn | Call) -> Turn | Call:
        if isinstance(asked, Turn) and asked.game in self._called:
            dice = tuple(asked.dice[: self._called.pop(asked.game)])
            asked = with_dice(self._game, asked, dice)
        wants = () if self.login is None else self.login.wants
        if isinstance(asked, Turn) and "legal" not in wants:
            asked = msgspec.structs.replace(asked, legal=None)
        self._turns[asked.game] = asked
        return asked

    def _take(self, message: FromBot, frame: bytes) -> list[bytes]:
        asked: FromArena | None
        match message:
            case Ping():
                return [self._wire.send(Pong(data=message.data))]
            case Play() | Called():
                return self._take_answer(message, frame)
            case Bye():
                raise self._deviation(f"says bye: {message.reason!r}", frame)
            case Error():
                raise self._deviation(f"says error {message.code}: {message.message!r}", frame)
            case _:
                asked = next((one for one in self._others if answers(message, one)), None)
        if asked is None:
            tag = type(message).__struct_config__.tag
            raise self._deviation(f"says {tag}, which nobody waits for", frame)
        if isinstance(message, Login):
            self._take_login(message, frame)
        if (
            isinstance(message, MatchEntropy)
            and hashlib.sha256(message.entropy).digest() != self._commitment
        ):
            raise self._deviation(
                "reveals entropy with another SHA-256 than it has committed to", frame
            )
        self._others.remove(asked)
        if (
            isinstance(message, MatchReady)
            and message.commitment is not None
            and self._resume_key is None
        ):
            self._commitment, reveal = message.commitment, MatchReveal(match=message.match)
            self._others.append(reveal)
            return [self._wire.send(reveal)]
        return []

    def _take_login(self, login: Login, frame: bytes) -> None:
        if login.name != self._name:
            raise self._deviation(
                "logs in with another name", frame, f"name {self._name!r}, from ARENA_NAME"
            )
        if login.token != self._token:
            raise self._deviation("logs in with another token", frame, "the token from ARENA_TOKEN")
        if self._resume_key is not None and login.resume != self._resume_key:
            expected = (
                f"resume {self._resume_key!r}, the resume_key of the connection that was lost"
            )
            raise self._deviation("comes back without the key", frame, expected)
        self.login = login
        self._window = TurnWindow(login.window)

    def _take_answer(self, answer: Play | Called, frame: bytes) -> list[bytes]:
        asked = next((one for one in self._window.outstanding() if answers(answer, one)), None)
        if asked is None:
            what = (
                f"{type(answer).__struct_config__.tag} for turn {answer.turn} of game {answer.game}"
            )
            raise self._deviation(f"says {what}, which nobody waits for", frame)
        self.answers[answer.game] = answer
        if isinstance(answer, Play) and isinstance(answer.info, LeftOut):
            self.note = f"its remark (info) would not be kept: {answer.info.message}"
        if not self._is_judged:
            pass
        elif isinstance(asked, Turn):
            assert isinstance(answer, Play), "a turn is answered with a play"
            if wrong := verdict(answer, asked, self._game):
                dice = "-".join(map(str, asked.dice))
                rolled = f" with {dice}" if dice else ""
                question = f"turn {asked.turn} of game {asked.game}{rolled} at {asked.position}"
                raise self._deviation(wrong, frame, f"a legal answer to {question}")
        else:
            assert isinstance(answer, Called), "a call is answered with a call"
            if answer.dice not in asked.dice:
                raise self._deviation(
                    f"calls for {answer.dice} dice", frame, f"one of {list(asked.dice)}"
                )
            self._called[answer.game] = answer.dice
        self._window.answer(answer)
        return list(map(self._wire.send, self._window.release()))

    def _deviation(self, found: str, frame: bytes = b"", expected: str = "") -> DeviationError:
        """An error with stars for the token, wherever it occurs."""
        secret = self._token.encode()
        shown = frame.replace(secret, b"*" * len(secret)) if secret else frame
        return DeviationError(found, expected or in_words(self.owed), shown)


def with_dice(game: Game[Any], asked: Turn, dice: Dice) -> Turn:
    """Return the same turn with another roll, and its legal turns."""
    turns = game.legal_turns(game.from_plain(asked.position), dice)
    legal = [turns.moves(index) for index in range(len(turns))]
    return msgspec.structs.replace(asked, dice=dice, legal=legal)


def _framed(fields: Any) -> bytes:
    payload = msgspec.msgpack.encode(fields)
    return len(payload).to_bytes(HEADER_BYTES, "big") + payload


def owed_for(message: FromArena) -> str:
    """The answer a message asks for, in words; empty if it asks for none."""
    match message:
        case Hello():
            return "login"
        case MatchStart():
            return f"match_ready for match {message.match!r}"
        case MatchReveal():
            return (
                f"match_entropy for match {message.match!r}, with the entropy it has committed to"
            )
        case Break():
            return f"game_ready for game {message.number} of match {message.match!r}"
        case Turn():
            return f"play for turn {message.turn} of game {message.game}"
        case Call():
            return f"call for turn {message.turn} of game {message.game}"
        case Ping():
            return f"pong with data {message.data}"
        case _:
            return ""


def in_words(owed: Iterable[FromArena]) -> str:
    """Everything that is owed, as a list in words."""
    return ", ".join(map(owed_for, owed)) or "nothing"


_ANSWERS: Final[Mapping[type[FromArena], tuple[type[FromBot], tuple[str, ...]]]] = {
    Hello: (Login, ()),
    MatchStart: (MatchReady, ("match",)),
    MatchReveal: (MatchEntropy, ("match",)),
    Break: (GameReady, ("match", "number")),
    Turn: (Play, ("game", "turn")),
    Call: (Called, ("game", "turn")),
    Ping: (Pong, ("data",)),
}
"""The message that answers each one that asks for an answer, and the fields in which both must
agree."""


def answers(message: FromBot, asked: FromArena) -> bool:
    """Return whether a message is of the kind that was asked for, and names the same game or match."""
    kind, fields = _ANSWERS[type(asked)]
    return isinstance(message, kind) and all(
        getattr(message, name) == getattr(asked, name) for name in fields
    )


def verdict(play: Play, asked: Turn, game: Game[Any]) -> str:
    """The mistake in an answer to a turn; empty if it is legal."""
    if play.draw is not None and game.agreement is None:
        return f"says draw {play.draw} in a game that knows no agreement"
    if play.draw == "accept":
        return "" if asked.draw_offered else "accepts a draw that nobody has offered"
    if play.choice is not None:
        if asked.legal is None:
            return 'gives a choice, but has not asked for the legal turns with wants ["legal"]'
        if play.choice >= len(asked.legal):
            return f"gives choice {play.choice}; there are {len(asked.legal)} legal turns, counted from 0"
        return ""
    assert play.moves is not None, "a play has moves or a choice"
    try:
        found = game.judge(game.from_plain(asked.position), tuple(asked.dice), play.moves)
    except GameError as error:
        return f"gives moves that are none: {error}"
    return (
        f"gives an illegal turn: {found.message} ({found.code}, {found.clause})"
        if isinstance(found, Illegal)
        else ""
    )
