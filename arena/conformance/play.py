"""Plays situations to a bot over real connections, and returns the result of each."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import Final

import trio

from arena.conformance.game_length import SHARE
from arena.conformance.situation import PACE, Connection, Situation, says_goodbye
from arena.matches.time_control import TimeControl
from arena.server.programs.program import Guest, Host
from arena.services.conversation import Conversation, DeviationError
from arena.words import say
from protocol.messages import Call, Turn

RECEIVE_BYTES: Final = 65_536
LEAVE_SECONDS: Final = 5.0
"""How long a program may take to leave if its exit status is checked; a run gives it two seconds
before SIGKILL."""
LAST_LINES: Final = 25
"""How much of standard error is shown: room for the traceback of a bot with the Python kit."""
WORDS_SECONDS: Final = 2.0
"""How long to wait for the end of a program that hung up, so that its end can be reported."""
TURNS: Final = 3
"""How many turns have to be timed."""


@dataclass(slots=True, kw_only=True)
class PlayedSituation:
    """A situation that was put to the bot, or skipped, and what it did."""

    situation: Situation
    deviation: DeviationError | None = None
    """What the bot did wrong; None if nothing."""
    skipped: str = ""
    """The reason if the situation was not played, else empty."""
    end: str = ""
    """How the program ended if the situation went wrong, in words to put after "its program"."""
    last_words: list[str] = field(default_factory=list)
    """The last lines of its standard error before that."""
    advice: str = ""
    """What to do after what the program printed; empty if nothing is known."""
    spent_ms: list[int] = field(default_factory=list)
    """How long the bot took for each turn."""
    note: str = ""
    """What it was judged by, where the situation does not say so, or what its author should know."""

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

    `turns` is what a long game takes each side, None if nobody knows. `patience_s` is how long the
    bot may take to connect and for every message, but it always has its delay. If a basic situation
    goes wrong, those after it are not played.
    """
    results: list[PlayedSituation] = []
    for situation in situations:
        if situation.name == PACE:
            result = PlayedSituation(situation=situation)
            spent_ms = [spent for one in results for spent in one.spent_ms]
            if turns is None:
                result.skipped = f"nobody has measured how long games of {situation.game.name} are"
            elif len(spent_ms) < TURNS:
                result.skipped = f"fewer than {TURNS} turns were timed; it needs match"
            else:
                most = f"with {clock.pace_ms(turns)} ms a turn the clock lasts for {turns} turns"
                result.note = f"{most}; {SHARE} games between good bots are no longer"
                result.deviation = judge_pace(spent_ms, turns, clock)
        else:
            result = await play(situation, host, patience_s, clock)
            if situation.is_extra and result.skipped and len(situations) > 1:
                continue
        results.append(result)
        report(result)
        if situation.is_basic and not result.is_good:
            why = f"{situation.name} goes wrong"
            left = [one for one in situations[len(results) :] if not one.is_extra]
            return results + [PlayedSituation(situation=one, skipped=why) for one in left]
    return results


def judge_pace(spent_ms: Sequence[int], turns: int, clock: TimeControl) -> DeviationError | None:
    """Return what is wrong with the time a bot took for its turns; None if its clock lasts for so many of them.

    The middle turn counts, since a first one may take longer.
    """
    most_ms = clock.pace_ms(turns)
    middle_ms = round(median(spent_ms))
    if middle_ms <= most_ms:
        return None
    left_ms: int | None = clock.full[0]
    lasts = 0
    while left_ms is not None:
        left_ms, lasts = clock.after_turn(left_ms, middle_ms), lasts + 1
    return DeviationError(
        f"takes {middle_ms} ms for a turn (the middle one of {len(spent_ms)}), and loses on time in its turn {lasts}",
        f"at most {most_ms} ms a turn, with which the clock of {say(clock.said)} lasts for {turns} turns a side",
    )


async def play(
    situation: Situation, host: Host, patience_s: float, clock: TimeControl
) -> PlayedSituation:
    """Play one situation; its words end early if the bot has not asked for what they need."""
    result = PlayedSituation(situation=situation)
    async with host() as guest:
        try:
            key = None
            for connection in situation.connections:
                conversation = Conversation(situation.game, guest.name, guest.token, key)
                talk = _Talk(
                    conversation, guest, patience_s, max(patience_s, clock.delay_ms / 1000), result
                )
                await talk.run(connection)
                result.note = result.note or talk.conversation.note
                key = talk.conversation.next_resume_key
                if result.skipped:
                    break
            if situation.leaves_with and guest.is_launched and not result.skipped:
                await _see_off(situation, guest)
        except DeviationError as deviation:
            result.deviation = deviation
    if result.deviation is not None:
        result.last_words = guest.stderr.splitlines()[-LAST_LINES:]
        result.advice = "" if guest.advice is None else say(guest.advice)
    return result


async def _see_off(situation: Situation, guest: Guest) -> None:
    how, expected = (
        await guest.end(LEAVE_SECONDS),
        f"ended with exit status {situation.leaves_with}",
    )
    if how != expected:
        found = (
            f"leaves otherwise: its program {how}"
            if how
            else f"is still running {LEAVE_SECONDS:g} s after bye"
        )
        raise DeviationError(found, f"its program {expected}")


@dataclass(slots=True)
class _Talk:
    """One connection: writes the bytes of the conversation, lets it judge the bot's, and watches the clock."""

    conversation: Conversation
    _guest: Guest
    _patience_s: float
    _most_s: float
    """How long to wait for the answer to a turn whose clock allows more."""
    _result: PlayedSituation
    _written: dict[tuple[int, int], tuple[float, int]] = field(default_factory=dict)
    """When the open turns were written, and how long each may take in ms."""
    _is_broken: bool = False

    async def run(self, connection: Connection) -> None:
        """Speak from the beginning to the end. Raises `DeviationError`."""
        stream: trio.SocketStream | None = None
        with trio.move_on_after(self._patience_s) as waiting:
            stream = await self._guest.connection()
        if stream is None:
            late = f"does not connect within {self._patience_s:g} s"
            found = (
                late
                if waiting.cancelled_caught
                else f"does not connect: its program {await self._guest.end(0)}"
            )
            raise DeviationError(found, "a connection to the address in ARENA_ADDRESS, and login")
        async with stream:
            for words in connection(self.conversation) if callable(connection) else connection:
                for part in self.conversation.say(words):
                    await self._write(stream, part)
                await self._hear_all(stream)
                login = self.conversation.login
                missing = self._result.situation.wants - set(() if login is None else login.wants)
                if missing:  # the situation cannot occur for a bot with this login
                    self._result.skipped = f"it does not ask for {', '.join(sorted(missing))}"
                    return
            if says_goodbye(words):
                await self._part(stream)

    async def _hear_all(self, stream: trio.SocketStream) -> None:
        while owed := self.conversation.owed:
            now = trio.current_time()
            for asked in owed:
                if isinstance(asked, Turn | Call):
                    self._written.setdefault(
                        (asked.game, asked.turn), (now, self.conversation.allowed_ms(asked))
                    )
            limit_ms = self.conversation.limit_ms
            most_s = math.inf if self._result.situation.is_by_clock else self._most_s
            patience_s = self._patience_s if limit_ms is None else min(limit_ms / 1000, most_s)
            data = None
            with trio.move_on_after(patience_s):
                data = await self._read(stream)
            if data is None:
                raise self.conversation.silence(round(1000 * patience_s))
            if not data:
                self._result.end = await self._guest.end(WORDS_SECONDS)
                self.conversation.ended()
            for part in self.conversation.hear(data):
                await self._write(stream, part)
            self._note_answered()

    def _note_answered(self) -> None:
        """Keep the time of each turn that is answered now.

        Raises `DeviationError` if one took too long.
        """
        still = {
            (asked.game, asked.turn)
            for asked in self.conversation.owed
            if isinstance(asked, Turn | Call)
        }
        now = trio.current_time()
        for game, number in self._written.keys() - still:
            began, allowed_ms = self._written.pop((game, number))
            spent_ms = int(1000 * (now - began))
            self._result.spent_ms.append(spent_ms)
            self.conversation.spent_ms[game] = spent_ms
            if spent_ms > allowed_ms:
                found = f"takes {spent_ms} ms for turn {number} of game {game}"
                raise DeviationError(found, f"at most {allowed_ms} ms, by its clock")

    async def _part(self, stream: trio.SocketStream) -> None:
        """After the last word the bot may only hang up. Raises `DeviationError`."""
        try:
            await stream.send_eof()
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            return
        data = None
        with trio.move_on_after(self._patience_s):
            data = await self._read(stream)
        if data is None:
            found = f"stays connected for {self._patience_s:g} s"
            raise DeviationError(found, "to hang up after the arena's last word")
        if data:
            raise self.conversation.chatter(data)

    async def _write(self, stream: trio.SocketStream, data: bytes) -> None:
        """Write bytes as they are; a bot that has hung up is noticed when reading."""
        if self._is_broken:
            return
        try:
            with trio.fail_after(self._patience_s):
                await stream.send_all(data)
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            self._is_broken = True
        except trio.TooSlowError:
            found = f"reads nothing for {self._patience_s:g} s, with {len(data)} bytes on the way"
            raise DeviationError(found, "to read all the time") from None

    async def _read(self, stream: trio.SocketStream) -> bytes:
        try:
            return bytes(await stream.receive_some(RECEIVE_BYTES))
        except trio.BrokenResourceError:
            return b""
