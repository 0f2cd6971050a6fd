"""Play of situations with a bot over real connections."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import Final

import trio

from arena.conformance.game_length import SHARE
from arena.conformance.situation import PACE, Connection, Situation, says_goodbye
from arena.matches.time_control import TimeControl
from arena.server.programs.program import Guest, Host
from arena.services.conversation import Conversation, DeviationError, Words
from arena.words import say
from protocol.messages import Call, Turn

RECEIVE_BYTES: Final = 65_536
LEAVE_SECONDS: Final = 5.0
"""Time for a program to leave if its exit status is checked; a run gives two seconds before
SIGKILL."""
LAST_LINES: Final = 25
"""Lines of standard error that are shown: enough for a traceback of a bot with the Python kit."""
WORDS_SECONDS: Final = 2.0
"""How long to wait for the end of a program that hung up, so that its end can be reported."""
TURNS: Final = 3
"""The least number of timed turns."""


@dataclass(slots=True, kw_only=True)
class PlayedSituation:
    """A situation that was put to the bot, or skipped, and how the bot fared."""

    situation: Situation
    deviation: DeviationError | None = None
    """The mistake of the bot; None if there was none."""
    skipped: str = ""
    """The reason if the situation was not played, else empty."""
    end: str = ""
    """How the program ended if the situation went wrong, in words to put after "its program"."""
    last_words: list[str] = field(default_factory=list)
    """The last lines of its standard error before that."""
    advice: str = ""
    """Advice that follows from what the program printed; empty if there is none."""
    spent_ms: list[int] = field(default_factory=list)
    """The time of the bot for each turn."""
    note: str = ""
    """The measure of the judgement, or a remark to the author of the bot."""

    @property
    def is_passed(self) -> bool:
        """True if the bot did everything it should."""
        return not self.skipped and self.deviation is None

    @property
    def is_good(self) -> bool:
        """True if nothing required went wrong."""
        return self.deviation is None or not self.situation.is_required


async def check(
    situations: Sequence[Situation],
    host: Host,
    *,
    clock: TimeControl,
    turns: int | None,
    patience_s: float,
    report: Callable[[PlayedSituation], object],
) -> list[PlayedSituation]:
    """Play situations one after the other; every result is reported at once.

    `turns` is the number of turns per side in a long game, or None if it was not measured.
    `patience_s` is the time for a connection and for every message, but a bot always has its
    delay. If a basic situation goes wrong, those after it are not played.
    """
    played: list[PlayedSituation] = []
    spent_ms: list[int] = []
    for number, situation in enumerate(situations, 1):
        if situation.name == PACE:
            newest = _check_pace(situation, spent_ms, turns, clock)
        else:
            newest = await play(situation, host, patience_s, clock)
            if situation.is_extra and newest.skipped and len(situations) > 1:
                continue
        played.append(newest)
        spent_ms += newest.spent_ms
        report(newest)
        if situation.is_basic and not newest.is_good:
            why = f"{situation.name} goes wrong"
            return played + _skipped(situations[number:], why)
    return played


def _skipped(situations: Sequence[Situation], why: str) -> list[PlayedSituation]:
    required = [situation for situation in situations if not situation.is_extra]
    return [PlayedSituation(situation=situation, skipped=why) for situation in required]


def _check_pace(
    situation: Situation,
    spent_ms: Sequence[int],
    turns: int | None,
    clock: TimeControl,
) -> PlayedSituation:
    """Return the result of the situation that is judged by the times of all turns."""
    played = PlayedSituation(situation=situation)
    if turns is None:
        played.skipped = f"the length of games of {situation.game.name} was not measured"
    elif len(spent_ms) < TURNS:
        played.skipped = f"fewer than {TURNS} turns were timed; it needs match"
    else:
        most = f"with {clock.pace_ms(turns)} ms a turn the clock lasts for {turns} turns"
        played.note = f"{most}; {SHARE} games between good bots are no longer"
        played.deviation = judge_pace(spent_ms, turns, clock)
    return played


def judge_pace(spent_ms: Sequence[int], turns: int, clock: TimeControl) -> DeviationError | None:
    """Return the error of a bot that is too slow for a clock; None if the clock lasts for `turns`.

    The middle turn counts, since a first one may take longer.
    """
    most_ms = clock.pace_ms(turns)
    middle_ms = round(median(spent_ms))
    if middle_ms <= most_ms:
        return None
    left_ms: int | None = clock.full[0]
    lasts = 0
    while left_ms is not None:
        left_ms = clock.after_turn(left_ms, middle_ms)
        lasts += 1
    return DeviationError(
        f"takes {middle_ms} ms for a turn (the middle one of {len(spent_ms)}), "
        f"and loses on time in its turn {lasts}",
        f"at most {most_ms} ms a turn, "
        f"with which the clock of {say(clock.said)} lasts for {turns} turns a side",
    )


async def play(
    situation: Situation,
    host: Host,
    patience_s: float,
    clock: TimeControl,
) -> PlayedSituation:
    """Play one situation; its words end early if the bot has not asked for what they need."""
    played = PlayedSituation(situation=situation)
    most_s = max(patience_s, clock.delay_ms / 1000)
    async with host() as guest:
        try:
            key = None
            for connection in situation.connections:
                conversation = Conversation(situation.game, guest.name, guest.token, key)
                talk = _Talk(conversation, guest, patience_s, most_s, played)
                await talk.run(connection)
                played.note = played.note or conversation.note
                key = conversation.next_resume_key
                if played.skipped:
                    break
            if situation.leaves_with and guest.is_launched and not played.skipped:
                await _see_off(situation, guest)
        except DeviationError as deviation:
            played.deviation = deviation
    if played.deviation is not None:
        played.last_words = guest.stderr.splitlines()[-LAST_LINES:]
        if guest.advice is not None:
            played.advice = say(guest.advice)
    return played


async def _see_off(situation: Situation, guest: Guest) -> None:
    """Wait for the end of the program. Raises `DeviationError` for another exit status."""
    expected = f"ended with exit status {situation.leaves_with}"
    how = await guest.end(LEAVE_SECONDS)
    if how == expected:
        return
    mistake = f"is still running {LEAVE_SECONDS:g} s after bye"
    if how:
        mistake = f"leaves otherwise: its program {how}"
    raise DeviationError(mistake, f"its program {expected}")


@dataclass(slots=True)
class _Talk:
    """One connection: it writes and reads the bytes of the conversation, and watches the clock."""

    conversation: Conversation
    _guest: Guest
    _patience_s: float
    _most_s: float
    """The longest wait for the answer to a turn whose clock allows more."""
    _played: PlayedSituation
    _written: dict[tuple[int, int], tuple[float, int]] = field(default_factory=dict)
    """The time at which each open turn was written, and the ms that it may take."""
    _is_broken: bool = False

    async def run(self, connection: Connection) -> None:
        """Speak from the beginning to the end. Raises `DeviationError`."""
        async with await self._connected() as stream:
            for words in self._script(connection):
                for part in self.conversation.say(words):
                    await self._write(stream, part)
                await self._hear_all(stream)
                missing = self._missing_wants()
                if missing:  # the situation cannot occur for a bot with this login
                    self._played.skipped = f"it does not ask for {', '.join(missing)}"
                    return
            if says_goodbye(words):
                await self._part(stream)

    def _script(self, connection: Connection) -> Iterable[Words]:
        """Return the words to say on a connection."""
        if callable(connection):
            return connection(self.conversation)
        return connection

    async def _connected(self) -> trio.SocketStream:
        """Wait for the connection of the bot. Raises `DeviationError`."""
        stream: trio.SocketStream | None = None
        with trio.move_on_after(self._patience_s) as waiting:
            stream = await self._guest.connection()
        if stream is not None:
            return stream
        mistake = f"does not connect within {self._patience_s:g} s"
        if not waiting.cancelled_caught:
            mistake = f"does not connect: its program {await self._guest.end(0)}"
        raise DeviationError(mistake, "a connection to the address in ARENA_ADDRESS, and login")

    def _missing_wants(self) -> list[str]:
        """Return the wishes that the situation needs and the login of the bot lacks."""
        wants = self._played.situation.wants
        login = self.conversation.login
        if login is not None:
            wants -= set(login.wants)
        return sorted(wants)

    async def _hear_all(self, stream: trio.SocketStream) -> None:
        """Read until the bot owes no answer. Raises `DeviationError`."""
        while owed := self.conversation.owed:
            now = trio.current_time()
            for question in owed:
                if isinstance(question, Turn | Call):
                    allowed_ms = self.conversation.allowed_ms(question)
                    self._written.setdefault((question.game, question.turn), (now, allowed_ms))
            patience_s = self._patience_now_s()
            received = None
            with trio.move_on_after(patience_s):
                received = await self._read(stream)
            if received is None:
                raise self.conversation.silence(round(1000 * patience_s))
            if not received:
                self._played.end = await self._guest.end(WORDS_SECONDS)
                self.conversation.ended()
            for part in self.conversation.hear(received):
                await self._write(stream, part)
            self._note_answered()

    def _patience_now_s(self) -> float:
        """Return how long to wait for the next bytes."""
        limit_ms = self.conversation.limit_ms
        if limit_ms is None:
            return self._patience_s
        if self._played.situation.is_by_clock:
            return limit_ms / 1000
        return min(limit_ms / 1000, self._most_s)

    def _note_answered(self) -> None:
        """Keep the time of each turn that is answered now.

        Raises `DeviationError` if one took too long.
        """
        answered = set(self._written)
        for question in self.conversation.owed:
            if isinstance(question, Turn | Call):
                answered.discard((question.game, question.turn))
        now = trio.current_time()
        for game, number in answered:
            began, allowed_ms = self._written.pop((game, number))
            spent_ms = int(1000 * (now - began))
            self._played.spent_ms.append(spent_ms)
            self.conversation.spent_ms[game] = spent_ms
            if spent_ms > allowed_ms:
                mistake = f"takes {spent_ms} ms for turn {number} of game {game}"
                raise DeviationError(mistake, f"at most {allowed_ms} ms, by its clock")

    async def _part(self, stream: trio.SocketStream) -> None:
        """Wait until the bot hangs up after the last word. Raises `DeviationError`."""
        try:
            await stream.send_eof()
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            return
        received = None
        with trio.move_on_after(self._patience_s):
            received = await self._read(stream)
        if received is None:
            mistake = f"stays connected for {self._patience_s:g} s"
            raise DeviationError(mistake, "to hang up after the arena's last word")
        if received:
            raise self.conversation.chatter(received)

    async def _write(self, stream: trio.SocketStream, part: bytes) -> None:
        """Write bytes as they are; a bot that has hung up is noticed when reading."""
        if self._is_broken:
            return
        try:
            with trio.fail_after(self._patience_s):
                await stream.send_all(part)
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            self._is_broken = True
        except trio.TooSlowError:
            mistake = f"reads nothing for {self._patience_s:g} s, with {len(part)} bytes on the way"
            raise DeviationError(mistake, "to read all the time") from None

    async def _read(self, stream: trio.SocketStream) -> bytes:
        try:
            return bytes(await stream.receive_some(RECEIVE_BYTES))
        except trio.BrokenResourceError:
            return b""
