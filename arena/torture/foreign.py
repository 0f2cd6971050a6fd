"""The zoo against a running arena, yours or a foreign one: the cases that only need the wire.

Faults at the door need only the address. Faults at the table need two entrants that meet in that arena, with their
names and tokens: both are played from here, and the second has the faults. The wire does not tell why a game was lost,
so of such a verdict only the forfeit is compared.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import trio

from arena.torture.answers import FORGIVEN
from arena.torture.case import Case, Found, PlayedCase, Plight
from arena.torture.player import Moments, Player
from arena.torture.raw_connection import NoArenaError, RawConnection
from arena.torture.stages import in_words, visit
from protocol.greetings import Hello
from protocol.messages import GameEnd

ANSWER_SECONDS: Final = 10.0
"""How long an arena may take to say hello, or to answer a login."""
TURN_SECONDS: Final = 60.0
"""How long to wait for the turn at which a fault is due."""
GAME_SECONDS: Final = 60.0
"""How long the news of a game's end may take after its clock has run out."""
LONGEST_CLOCK_MS: Final = 30_000
"""With a longer clock, cases that wait for a flag are skipped."""
LAST_WORDS_SECONDS: Final = 2.0
TRIES: Final = 2
"""How often a fault is tried: the arena may have ended the first connection already, unknown to this side."""
NEEDS_ITS_OWN: Final = "it needs an arena of its own, to set its clock or to be launched by it"
LOOK_SECONDS: Final = 0.005


class ForeignError(Exception):
    """There is no arena at the address, or it refuses an entrant; says what was found and what to do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entrant:
    """A name and its token, for logging in."""

    name: str
    token: str


async def torture_foreign(
    address: str, entrants: Sequence[Entrant], cases: Sequence[Case], report: Callable[[PlayedCase], object]
) -> list[PlayedCase]:
    """Put cases to the arena at an address, with two entrants or none; gives the results in the same order.

    Raises:
        ForeignError: nobody listens there, the listener is not an arena, or an entrant is refused.
    """
    await _check(address)
    asked = [dataclasses.replace(case, expected=_over_the_wire(case.expected)) for case in cases]
    found: dict[str, Found] = {}

    def note(case: Case, what: Found) -> None:
        found[case.name] = what
        report(PlayedCase(case=case, found=what))

    async def knock(case: Case) -> None:
        assert callable(case.deed), "a case at the door"
        words, took_ms = await visit(case.deed, await _connect(address))
        note(case, Found(verdict="; ".join(words), took_ms=took_ms))

    problem = ""
    try:
        async with trio.open_nursery() as nursery:
            for case in asked:
                if case.deed is None:
                    note(case, Found(verdict="", skipped=NEEDS_ITS_OWN))
                elif not isinstance(case.deed, Plight):
                    nursery.start_soon(knock, case)
        at_the_table = [case for case in asked if isinstance(case.deed, Plight)]
        if not entrants:
            for case in at_the_table:
                note(case, Found(verdict="", skipped="it needs a match: give two entrants with --token"))
        elif at_the_table:
            async with trio.open_nursery() as nursery:
                couple = _Couple(address, entrants[0], entrants[1], nursery)
                await couple.begin()
                for case in at_the_table:
                    note(case, await couple.put(case))
                nursery.cancel_scope.cancel()
    except* NoArenaError as errors:
        problem = f"the server at {address} breaks protocol 1: {_first(errors)}"
    except* ForeignError as errors:
        problem = str(_first(errors))
    if problem:
        raise ForeignError(problem)  # above, Python 3.11.2 would put it into a group
    return [PlayedCase(case=case, found=found[case.name]) for case in asked]


def _first(error: BaseException) -> BaseException:
    """The cause behind a group of exceptions, or behind an error that only says that every attempt failed."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


def _over_the_wire(expected: str) -> str:
    """The part of a verdict that the opponent hears."""
    words, forfeit, _ = expected.partition("forfeit: ")
    return words + ("forfeit" if forfeit else "")


async def _connect(address: str) -> RawConnection:
    """A new connection. Raises `ForeignError`."""
    try:
        with trio.fail_after(ANSWER_SECONDS):
            return await RawConnection.open(address)
    except trio.TooSlowError:
        raise ForeignError(f"nobody answers at {address}; is the address right, and is the arena running?") from None
    except OSError as error:
        why = _first(error.__cause__ or error)
        raise ForeignError(
            f"cannot connect to {address}: {why}; is the address right, and the arena running?"
        ) from None
    except ValueError as error:
        raise ForeignError(str(error)) from None


async def _check(address: str) -> None:
    """Check that an arena is there. Raises `ForeignError`."""
    try:
        connection = await _connect(address)
        try:
            with trio.move_on_after(ANSWER_SECONDS):
                heard = await connection.hear()
                if heard and isinstance(heard[0], Hello):
                    return
                said = f"it said {connection.told[0]!r}" if connection.told else "it hung up without a word"
                raise ForeignError(f"the server at {address} lets nobody in: {said}; try again later")
        finally:
            await connection.hang_up()
    except NoArenaError as error:
        raise ForeignError(
            f"the server at {address} is not an arena of protocol 1: {error}; give the address the arena prints when "
            "it begins (tls: if it has a certificate)"
        ) from None
    raise ForeignError(f"the server at {address} says nothing; an arena of protocol 1 says hello at once")


class _Couple:
    """Two bots at one table of the arena: an honest one, and one with faults, which logs in again after each."""

    def __init__(self, address: str, honest: Entrant, rogue: Entrant, nursery: trio.Nursery) -> None:
        self._address = address
        self._entrants = (honest, rogue)
        self._nursery = nursery
        self._why_over = ""

    async def begin(self) -> None:
        """Log both in. Raises `ForeignError`."""
        self._honest, self._rogue = [await self._log_in(entrant) for entrant in self._entrants]

    async def _log_in(self, entrant: Entrant) -> Player:
        give_up_at = trio.current_time() + ANSWER_SECONDS
        while True:
            player = Player(await _connect(self._address), entrant.name, entrant.token, Moments())
            self._nursery.start_soon(player.run)
            await _wait(lambda: player.welcome is not None or player.has_ended, ANSWER_SECONDS)  # noqa: B023 - awaited here
            if player.welcome is not None:
                return player
            said = ", ".join(player.connection.told) or "it says nothing"
            # a busy arena may not have seen yet that the connection before is gone
            if "already_connected" not in said or trio.current_time() > give_up_at:
                raise ForeignError(
                    f"{self._address} does not let {entrant.name} in: {said}; check its name and its token"
                )
            await trio.sleep(LOOK_SECONDS)

    async def put(self, case: Case) -> Found:
        """Commit a fault in the next game, and wait for the verdict."""
        plight = case.deed
        assert isinstance(plight, Plight), "a case at the table"
        why_not = self._why_over or self._unfit(case, plight)
        if why_not:
            return Found(verdict="", skipped=why_not)
        for _ in range(TRIES):
            try:
                if self._rogue.has_ended:
                    self._rogue = await self._log_in(self._entrants[1])
            except ForeignError as error:
                self._why_over = str(error)
                return Found(verdict="", skipped=self._why_over)
            moments, rogue = Moments(), self._rogue
            self._honest.watch(moments)
            rogue.watch(moments)
            rogue.will(plight.fault, plight.at_turn)
            before = len(rogue.connection.told)
            await _wait(lambda: moments.fault is not None or self._honest.has_ended or rogue.has_ended, TURN_SECONDS)  # noqa: B023 - awaited here
            if moments.fault is not None or not rogue.has_ended:
                break
        if moments.fault is None:
            self._why_over = (
                "no turn came: the two have no match left, or one of them was withdrawn; let them meet more often "
                "(cycles) and forgive more violations"
            )
            return Found(verdict="", skipped=self._why_over)
        await _wait(lambda: moments.end is not None or self._honest.has_ended, GAME_SECONDS + self._clock_ms() / 1000)
        if moments.end is None:
            return Found(verdict="the honest bot was cut off" if self._honest.has_ended else "the game did not end")
        end = moments.end

        def verdict() -> str:
            words = [] if plight.is_deaf else in_words(rogue.connection.told[before:])
            return "; ".join([*words, _outcome(end)])

        # the opponent may have heard of the end before the bot itself was told why
        await _wait(lambda: verdict() == case.expected or rogue.has_ended, LAST_WORDS_SECONDS)
        return Found(verdict=verdict(), took_ms=moments.took_ms(is_forfeit=end.ending == "forfeit"))

    def _unfit(self, case: Case, plight: Plight) -> str:
        """The reason why this arena cannot give the verdict of a case; empty if it can."""
        if plight.over_unix and not self._address.startswith("unix:"):
            return "it needs a Unix socket: too much fits between two programs on TCP"
        if plight.waits_for_flag and self._clock_ms() > LONGEST_CLOCK_MS:
            return f"it waits for a flag, and a clock of {self._clock_ms()} ms is too long for that"
        match = self._honest.match
        if "rejected" in case.expected and match is not None and match.rejections != FORGIVEN:
            return (
                f"it needs an arena that forgives {FORGIVEN} illegal turns a game, this one forgives {match.rejections}"
            )
        return ""

    def _clock_ms(self) -> int:
        """The longest time for one turn, or for the absence of a bot."""
        match, welcome = self._honest.match, self._honest.welcome
        clock_ms = 0 if match is None else match.clock.delay_ms + match.clock.bank_ms
        return max(clock_ms, welcome.limits.grace_ms if welcome else 0)


def _outcome(end: GameEnd) -> str:
    """The outcome of the game with the fault, as its opponent hears it."""
    if end.ending != "forfeit":
        return "played on"
    return "forfeit" if end.result == "won" else "an honest bot was blamed"


async def _wait(question: Callable[[], bool], seconds: float) -> None:
    """Wait until a condition holds, or so many seconds."""
    with trio.move_on_after(seconds):
        while not question():  # noqa: ASYNC110 - the condition changes in many places
            await trio.sleep(LOOK_SECONDS)
