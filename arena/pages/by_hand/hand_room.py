"""The room in which a person plays: one match after the other, or lessons, and who of the open tabs has the board."""

import shlex
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import trio
from msgspec.structs import replace

from arena.games import game_of_record
from arena.pages.boards import board_of
from arena.pages.by_hand.hand_state import MatchOver, PageState, PlayedMatch, Status, table_of
from arena.pages.games import replay_games
from arena.pages.report.figures import judged_games
from arena.pages.serving.faults import FAILED, survived
from arena.person import advice
from arena.person.advice import Hint, NoAdviceError
from arena.person.arena_run import ArenaRun, RunError, Wanted, free_folder
from arena.person.lessons import LESSONS, Lesson, judged, sitting_for
from arena.person.opponents import opponent_named
from arena.person.seat import Seat
from arena.person.sitting import Sitting
from arena.person.told import Refusal
from arena.records.analysed import Analysis
from arena.records.lines import read_attempts
from arena.tournaments.names import plain_id
from arena.words import Said

SETTLE_SECONDS: Final = 90.0
"""For the arena to settle a match that is over, or that the person has left."""


class Room:
    """The matches and lessons of one person, for one page. It lives in the task of the server."""

    def __init__(self, parent: Path, me: str, out: Path | None = None) -> None:
        """New matches get folders in `parent`, the first one `out` if it is given; the person is called `me`."""
        self.status: Status = "choosing"
        self.failure: Said | str = ""
        self.wanted: Wanted | None = None
        self.run: ArenaRun | None = None
        self.seat: Seat | None = None
        self.lesson: Lesson | None = None
        self._out = out
        self.holder = ""
        """The tab that has the board."""
        self._lesson_sitting: Sitting | None = None
        self._parent, self._me = parent, me
        self._version = 0
        self.more = trio.Event()
        """Set when there is something new."""
        self._token = trio.lowlevel.current_trio_token()
        self._judged: Analysis | None = None
        self._is_judged = self._is_settled = False
        self._opponent = ""

    # What the page shows

    def changed(self) -> None:
        """There is something new; for the task of the server."""
        self._version += 1
        waiting, self.more = self.more, trio.Event()
        waiting.set()

    def _changed_elsewhere(self) -> None:
        with suppress(trio.RunFinishedError):  # the page is served no longer
            self._token.run_sync_soon(self.changed, idempotent=True)

    def state(self) -> PageState:
        """Return the whole state of the page."""
        over: MatchOver | None = None
        if self._lesson_sitting is not None:
            table = table_of(self._lesson_sitting)
            rules = self._lesson_sitting.rules
        elif self.seat is not None:
            with self.seat.at_the_board() as sitting:
                table, rules = table_of(sitting), sitting.rules
                if table is not None and table.left_ms is not None:
                    spent_ms = round(1000 * (time.monotonic() - self.seat.asked_at))
                    table = replace(table, left_ms=max(0, table.left_ms - spent_ms))
                over = self._match_over(self.seat, sitting)
        else:
            table = rules = None
        known = opponent_named(self._opponent)
        return PageState(
            version=self._version,
            status=self.status,
            failure=self.failure,
            me=self._me,
            opponent=self._opponent,
            strength=known.strength if known else "",
            table=table,
            over=over,
            no_hints=advice.why_no_hints(rules) if rules is not None else "",
            lesson=self.lesson.name if self.lesson else "",
            judged=judged(self.lesson, self._lesson_sitting) if self.lesson and self._lesson_sitting else "open",
        )

    def _match_over(self, seat: Seat, sitting: Sitting) -> MatchOver | None:
        if sitting.phase not in ("over", "left"):
            return None
        return MatchOver(
            result=sitting.end.result if sitting.end else "left",
            why_left=sitting.why_left,
            dice_problems=seat.dice_problems,
            is_settled=self._is_settled and self.run is not None and self.run.match_record() is not None,
            is_judged=self._is_judged,
            costliest=advice.costliest(self._judged, self.run.entrant) if self.run else None,
            folder=str(self.run.folder) if self.run else "",
        )

    # Matches

    async def begin(self, wanted: Wanted | None, folder: Path | None = None) -> None:
        """Start a match, or go on with the one in a folder; tells in `failure` why it cannot be played."""
        self._must_be_free(is_starting=self.status == "starting")
        self._let_go()
        self.status, self.failure, self.wanted = "starting", "", wanted or self.wanted
        self._opponent = wanted.opponent if wanted else ""
        self.changed()
        if folder is None:
            folder, self._out = self._out or free_folder(self._parent, plain_id(self._opponent)), None
        try:
            run = await trio.to_thread.run_sync(ArenaRun, folder, wanted)
        except Exception as error:
            self.status, self.failure = "choosing", FAILED
            if isinstance(error, RunError | OSError):
                self.failure = error.said if isinstance(error, RunError) else str(error)
            self.changed()
            if self.failure == FAILED:
                raise
            return
        self.run, self._opponent = run, run.opponent.name
        self._me = run.person.name
        self.seat = Seat(self._changed_elsewhere)
        self.seat.begin(run.address, run.entrant, run.token)
        self.status = "playing"
        self.changed()

    @property
    def is_playing(self) -> bool:
        """True while a match is not over."""
        return self.seat is not None and self.seat.sitting.phase not in ("over", "left")

    def _must_be_free(self, *, is_starting: bool = False) -> None:
        if is_starting or self.is_playing:
            raise Refusal(Said("refusal.playing"))

    async def rematch(self) -> None:
        """The same match once more, in a run of its own."""
        if self.wanted is None and self.run is not None:
            plan, command = self.run.plan, self.run.opponent.command or ""
            self.wanted = Wanted(
                opponent=self.run.opponent.name,
                command=command if isinstance(command, str) else shlex.join(command),
                ruleset=str(plan.tournament.ruleset),
                options=plan.tournament.options,
                games=plan.tournament.games or 3,
                name=self._me,
                clock=plan.clock,
            )
        if self.wanted is None:
            raise Refusal(Said("refusal.not_played"))
        await self.begin(self.wanted)

    async def choose_again(self) -> None:
        """Back to the choice of opponents and lessons."""
        self._must_be_free()
        self._let_go()
        self.status = "choosing"
        self.changed()

    def _let_go(self) -> None:
        self.seat, self.lesson, self._lesson_sitting = None, None, None
        self._judged, self._is_judged, self._is_settled = None, False, False
        if self.run is not None and self.run.is_over:
            self.run.stop()
        self.run = None

    async def settle(self) -> None:
        """After a match: wait for its record, and look for the costliest turns. Runs beside everything else."""
        while True:
            with survived("a match is settled"):
                await self._settle_next()

    async def _settle_next(self) -> None:
        more, seat, run = self.more, self.seat, self.run
        if seat is None or run is None or seat.sitting.phase not in ("over", "left") or self._is_settled:
            await more.wait()
            return
        await trio.to_thread.run_sync(run.wait, SETTLE_SECONDS, abandon_on_cancel=True)
        if self.run is run:
            self._is_settled = run.is_over
            self.changed()
            asked = seat.sitting.rules, run.match_record()
            found = await trio.to_thread.run_sync(advice.judged, *asked, abandon_on_cancel=True)
            if self.run is run:
                self._judged, self._is_judged = found, True
                self.changed()

    def stop(self) -> Path | None:
        """End the arena of a match in play; the folder with which it goes on, None if there is none."""
        run = self.run
        if run is None:
            return None
        was_playing = self.is_playing
        run.stop()
        return run.folder if was_playing else None

    def record(self) -> bytes:
        """The record of the match that is over. Raises `Refusal`."""
        path = self.run.match_record() if self.run and self._is_settled else None
        if path is None:
            raise Refusal(Said("refusal.no_record"))
        return path.read_bytes()

    def played_match(self) -> PlayedMatch:
        """The match that is over, as far as it is judged. Raises `Refusal`."""
        attempt = read_attempts("the record of the match", self.record())[-1]
        games, _ = replay_games(attempt)
        found = judged_games(self._judged, attempt.opened.attempt) if self._judged else {}
        rules = game_of_record(attempt.opened.ruleset)
        return PlayedMatch(
            names=attempt.opened.shown,
            board=board_of(rules),
            clock=attempt.opened.terms.clock,
            games=[replace(game, analysis=found.get(game.number)) for game in games],
        )

    # Lessons

    def learn(self, name: str) -> None:
        """Put a lesson on the board."""
        self._must_be_free()
        lesson = next((one for one in LESSONS if one.name == name), None)
        if lesson is None:
            raise Refusal(Said("refusal.no_lesson", {"name": repr(name[:40])}))
        self._let_go()
        self.status, self.lesson, self._lesson_sitting = "lesson", lesson, sitting_for(lesson)
        self._opponent = ""
        self.changed()

    # The turn

    def at_the_board(self, what: Callable[[Sitting], object]) -> None:
        """Do something at the board. Raises `Refusal`."""
        if self._lesson_sitting is not None:
            what(self._lesson_sitting)
        else:
            with self.seated.at_the_board() as sitting:
                what(sitting)
        self.changed()

    @property
    def seated(self) -> Seat:
        """The seat of the match. Raises `Refusal` if there is none."""
        if self._lesson_sitting is not None:
            raise Refusal(Said("refusal.lesson"))
        if self.seat is None:
            raise Refusal(Said("refusal.no_match"))
        return self.seat

    async def hints(self, question: str) -> list[Hint] | int:
        """Return what a strong bot would play, or how many dice it would call for. Raises `Refusal`."""
        sitting = self._lesson_sitting or self.seated.sitting
        rules: Any = sitting.rules
        if sitting.phase not in ("turn", "call") or sitting.question != question or rules is None:
            raise Refusal(Said("refusal.not_your_turn"))
        try:
            if sitting.phase == "call":
                return await trio.to_thread.run_sync(advice.dice_to_call, rules, sitting.start)
            return await trio.to_thread.run_sync(advice.hints, rules, sitting.start, sitting.dice)
        except NoAdviceError as error:
            raise Refusal(error.said) from error
