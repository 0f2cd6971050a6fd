"""The arena's end of a connection that tries out a bot: it turns messages to bytes, and judges.

It is a machine without input or output, like those of the protocol. The laws:

1. `say` and `hear` return the bytes to write, each part with a write of its own.
2. A bot never has more unanswered turns than the window of its login; the other turns wait here.
3. Legal turns are listed for a bot that asked for them and for no other.
4. A bot that has committed to entropy for the dice is asked to reveal it, but not when it comes
   back in mid-game.
5. A message that the bot does not owe is a `DeviationError`, and so is a wrong answer. A `ping` of
   the bot is answered.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

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

    def __init__(self, mistake: str, expected: str, frame: bytes = b"") -> None:
        super().__init__(mistake, expected)
        self.found = mistake
        """The mistake, in words to put after "the bot"."""
        self.expected = expected
        self.frame = frame
        """The frame it sent, with stars for secrets; empty if there was none."""

    def __str__(self) -> str:
        return f"{self.found}; expected: {self.expected}"

    @property
    def hex(self) -> str:
        """The frame in hexadecimal, byte by byte; cut short if it is long."""
        text = self.frame[:SHOWN_BYTES].hex(" ")
        if len(self.frame) > SHOWN_BYTES:
            text += f" ... ({len(self.frame)} bytes in all)"
        return text

    @property
    def decoded(self) -> str:
        """The frame's map as JSON, byte strings as `{"bin": "hex"}`; empty if not decodable."""
        try:
            fields = msgspec.msgpack.decode(self.frame[HEADER_BYTES:], strict=False)
            text = json.dumps(as_json(fields), ensure_ascii=False)
        except (msgspec.DecodeError, TypeError, ValueError, RecursionError):
            return ""
        if len(text) > 4 * SHOWN_BYTES:
            return f"{text[: 4 * SHOWN_BYTES]} ..."
        return text


def as_json(plain: Any) -> Any:
    """Return a plain value of the wire in the form of JSON."""
    if isinstance(plain, bytes):
        return {"bin": plain.hex()}
    if isinstance(plain, dict):
        return {str(key): as_json(field) for key, field in plain.items()}
    if isinstance(plain, list | tuple):
        return [as_json(element) for element in plain]
    return plain


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
        """Begin with a bot that must come back with the `resume_key`; None on its first connection.

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
        """The time of its last answer in each game, written by the owner of the clock."""
        self.note = ""
        """A note for its author though nothing is wrong: a remark of the bot is not kept."""
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

    def allowed_ms(self, question: Asked) -> int:
        """Return how long the answer to a turn or call may take."""
        return question.clock.delay_left_ms + question.clock.left_ms

    def say(self, words: Words) -> list[bytes]:
        """Return the bytes to write for these words."""
        frames: list[bytes] = []
        if words.unknown is not None:
            frames.append(_framed(words.unknown))
        for message in words.messages:
            plain = self._frames(message, is_cut=words.is_cut)
            frames += [_with_fields(frame, words.more) for frame in plain]
        sent = b"".join(frames)
        if words.is_cut:
            return [sent[: len(sent) // 2]]
        if words.is_in_bytes:
            return [sent[place : place + 1] for place in range(len(sent))]
        return [sent]

    def hear(self, received: bytes) -> list[bytes]:
        """Handle bytes that were read; return the bytes to write now. Raises `DeviationError`."""
        self._unread += received
        writes: list[bytes] = []
        cap = LOGIN_FRAME_BYTES if self.login is None else BOT_FRAME_BYTES
        while len(self._unread) >= HEADER_BYTES:
            size = HEADER_BYTES + int.from_bytes(self._unread[:HEADER_BYTES], "big")
            if len(self._unread) < size <= cap + HEADER_BYTES:
                break
            frame, self._unread = self._unread[:size], self._unread[size:]
            for message in self._wire.receive(frame):
                writes += self._handle(message, frame)
            if (fault := self._wire.fault) is not None:
                raise self._deviation(f"breaks the protocol: {fault.message} ({fault.code})", frame)
            if self._wire.is_closed:
                raise self._deviation("ends the conversation", frame)
        return writes

    def ended(self) -> None:
        """Check that all was said when the bot hung up. Raises `DeviationError`."""
        if self._unread:
            raise self._deviation("hangs up in the middle of a frame", self._unread)
        if self.owed or not self._wire.is_closed:
            raise self._deviation("hangs up")

    def silence(self, after_ms: int) -> DeviationError:
        """Return the error for a bot that has not said all it owes in time."""
        limit_ms = self.limit_ms
        if limit_ms is None:
            clock = ""
        elif after_ms >= limit_ms:
            clock = ", all that its clock allows"
        else:
            clock = f" (its clock would allow {limit_ms} ms)"
        return self._deviation(f"says nothing more for {after_ms} ms{clock}", self._unread)

    def chatter(self, received: bytes) -> DeviationError:
        """Return the error for a bot that sends something after the last word."""
        return self._deviation("says something after the arena's last word", received)

    def complain(self, deviation: DeviationError) -> list[bytes]:
        """Return the bytes that tell the bot its mistake, as the arena would.

        There are none after the arena's last word.
        """
        if self._wire.fault is not None:
            return [self._wire.send(self._wire.fault.to_message())]
        if self._wire.is_closed:
            return []
        code = ErrorCode.BAD_LOGIN if self.login is None else ErrorCode.UNEXPECTED_MESSAGE
        return [self._wire.send(code.to_message(f"the bot {deviation.found}"))]

    def _frames(self, message: FromArena, *, is_cut: bool) -> list[bytes]:
        """Return the frames of a message, and of turns it releases; a turn may have to wait."""
        match message:
            case Turn() | Call() if not is_cut:
                self._window.offer(self._fitted(message))
                return list(map(self._wire.send, self._window.release()))
            case Hello() | MatchStart() | Break() | Ping():
                self._others.append(message)
            case Welcome():
                assert self.login is not None, "a welcome follows a login"
                limits = msgspec.structs.replace(message.limits, window=self.login.window)
                message = msgspec.structs.replace(message, limits=limits)
                self.next_resume_key = message.resume_key
            case Rejected(left=left) if left >= 0:
                self._window.reopen(self._turns[message.game])
            case GameEnd():
                self._window.drop(message.game)
            case _:
                pass
        return [self._wire.send(message)]

    def _fitted(self, question: Turn | Call) -> Turn | Call:
        """Return a turn or call as this bot gets it: with the dice it called for, as it wants."""
        if isinstance(question, Turn) and question.game in self._called:
            dice = tuple(question.dice[: self._called.pop(question.game)])
            question = with_dice(self._game, question, dice)
        wants_legal = self.login is not None and "legal" in self.login.wants
        if isinstance(question, Turn) and not wants_legal:
            question = msgspec.structs.replace(question, legal=None)
        self._turns[question.game] = question
        return question

    def _handle(self, message: FromBot, frame: bytes) -> list[bytes]:
        """Handle a message of the bot; return the bytes to write now."""
        match message:
            case Ping():
                return [self._wire.send(Pong(data=message.data))]
            case Play() | Called():
                return self._check_answer(message, frame)
            case Bye():
                raise self._deviation(f"says bye: {message.reason!r}", frame)
            case Error():
                raise self._deviation(f"says error {message.code}: {message.message!r}", frame)
            case _:
                return self._check_reply(message, frame)

    def _check_reply(self, message: FromBot, frame: bytes) -> list[bytes]:
        """Check a reply to anything but a turn or call; return the bytes to write now."""
        question = _question_for(message, self._others)
        if question is None:
            tag = type(message).__struct_config__.tag
            raise self._deviation(f"says {tag}, which the arena does not wait for", frame)
        if isinstance(message, Login):
            self._check_login(message, frame)
        if isinstance(message, MatchEntropy):
            self._check_entropy(message, frame)
        self._others.remove(question)
        if isinstance(message, MatchReady) and self._resume_key is None:
            return self._keep_commitment(message)
        return []

    def _check_entropy(self, message: MatchEntropy, frame: bytes) -> None:
        """Check that the bot reveals the entropy to which it has committed itself."""
        if hashlib.sha256(message.entropy).digest() != self._commitment:
            raise self._deviation(
                "reveals entropy with another SHA-256 than it has committed to",
                frame,
            )

    def _keep_commitment(self, message: MatchReady) -> list[bytes]:
        """Keep the commitment of a bot, if it has made one, and ask to reveal its entropy."""
        if message.commitment is None:
            return []
        self._commitment = message.commitment
        reveal = MatchReveal(match=message.match)
        self._others.append(reveal)
        return [self._wire.send(reveal)]

    def _check_login(self, login: Login, frame: bytes) -> None:
        """Check the name, the token and the key of a login, and keep what it asks for."""
        if login.name != self._name:
            raise self._deviation(
                "logs in with another name",
                frame,
                f"name {self._name!r}, from ARENA_NAME",
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

    def _check_answer(self, answer: Play | Called, frame: bytes) -> list[bytes]:
        """Check an answer to a turn or call; return the bytes to write now."""
        question = _question_for(answer, self._window.outstanding())
        if question is None:
            tag = type(answer).__struct_config__.tag
            place = f"turn {answer.turn} of game {answer.game}"
            raise self._deviation(
                f"says {tag} for {place}, which the arena does not wait for",
                frame,
            )
        self.answers[answer.game] = answer
        if isinstance(answer, Play) and isinstance(answer.info, LeftOut):
            self.note = f"its remark (info) would not be kept: {answer.info.message}"
        if self._is_judged:
            self._judge(answer, question, frame)
        self._window.answer(answer)
        return list(map(self._wire.send, self._window.release()))

    def _judge(self, answer: Play | Called, question: Turn | Call, frame: bytes) -> None:
        """Raise `DeviationError` for an illegal answer; keep the number of dice of a legal call."""
        if isinstance(question, Turn):
            assert isinstance(answer, Play), "a turn is answered with a play"
            mistake = verdict(answer, question, self._game)
            if mistake:
                dice = "-".join(map(str, question.dice))
                rolled = f" with {dice}" if dice else ""
                place = f"turn {question.turn} of game {question.game}"
                expected = f"a legal answer to {place}{rolled} at {question.position}"
                raise self._deviation(mistake, frame, expected)
        else:
            assert isinstance(answer, Called), "a call is answered with a call"
            if answer.dice not in question.dice:
                choices = list(question.dice)
                raise self._deviation(f"calls for {answer.dice} dice", frame, f"one of {choices}")
            self._called[answer.game] = answer.dice

    def _deviation(self, mistake: str, frame: bytes = b"", expected: str = "") -> DeviationError:
        """Return an error with stars for the token, wherever it occurs."""
        secret = self._token.encode()
        if secret:
            frame = frame.replace(secret, b"*" * len(secret))
        return DeviationError(mistake, expected or in_words(self.owed), frame)


def with_dice(game: Game[Any], question: Turn, dice: Dice) -> Turn:
    """Return the same turn with another roll, and its legal turns."""
    turns = game.legal_turns(game.from_plain(question.position), dice)
    legal = [turns.moves(index) for index in range(len(turns))]
    return msgspec.structs.replace(question, dice=dice, legal=legal)


def _with_fields(frame: bytes, fields: Mapping[str, object]) -> bytes:
    """Return a frame with more fields in its map."""
    if not fields:
        return frame
    return _framed(msgspec.msgpack.decode(frame[HEADER_BYTES:]) | fields)


def _framed(fields: Any) -> bytes:
    payload = msgspec.msgpack.encode(fields)
    return len(payload).to_bytes(HEADER_BYTES, "big") + payload


def owed_for(message: FromArena) -> str:
    """Return the answer that a message asks for, in words; empty if it asks for none."""
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
    """Return the answers that are owed, as a list in words."""
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


QuestionOfArena = TypeVar("QuestionOfArena", bound=FromArena)


def _question_for(message: FromBot, questions: Iterable[QuestionOfArena]) -> QuestionOfArena | None:
    """Return the first question that a message answers; None if it answers none."""
    for question in questions:
        if answers(message, question):
            return question
    return None


def answers(message: FromBot, question: FromArena) -> bool:
    """Return whether a message answers a question, in its kind and for the same game or match."""
    kind, fields = _ANSWERS[type(question)]
    if not isinstance(message, kind):
        return False
    return all(getattr(message, name) == getattr(question, name) for name in fields)


def verdict(play: Play, question: Turn, game: Game[Any]) -> str:
    """Return the mistake in an answer to a turn; empty if it is legal."""
    if play.draw is not None and game.agreement is None:
        return f"says draw {play.draw} in a game that knows no agreement"
    if play.draw == "accept":
        if question.draw_offered:
            return ""
        return "accepts a draw that was not offered"
    if play.choice is not None:
        return _mistake_in_choice(play.choice, question)
    assert play.moves is not None, "a play has moves or a choice"
    try:
        position = game.from_plain(question.position)
        judged = game.judge(position, tuple(question.dice), play.moves)
    except GameError as error:
        return f"gives moves that are none: {error}"
    if isinstance(judged, Illegal):
        return f"gives an illegal turn: {judged.message} ({judged.code}, {judged.clause})"
    return ""


def _mistake_in_choice(choice: int, question: Turn) -> str:
    """Return the mistake in the choice of a legal turn; empty if there is none."""
    if question.legal is None:
        return 'gives a choice, but has not asked for the legal turns with wants ["legal"]'
    number = len(question.legal)
    if choice >= number:
        return f"gives choice {choice}; there are {number} legal turns, counted from 0"
    return ""
