"""The seat of one person, for one page: the match on the board, the tab that has it, its end."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final, Literal

import trio
from msgspec.structs import replace

from arena.games import game_of_record
from arena.pages.boards import board_of
from arena.pages.by_hand.hand_state import (
    AtTheBoard,
    InTournament,
    MatchOver,
    PageState,
    PlayedMatch,
    Status,
    table_of,
)
from arena.pages.contents import RunPage
from arena.pages.games import follow
from arena.pages.growing_file import GrowingFile
from arena.pages.serving.faults import survived
from arena.person import advice
from arena.person.advice import Hint
from arena.person.lessons import Judgement, Practice
from arena.person.seat import Seat
from arena.person.sitting import Sitting
from arena.person.told import Refusal
from arena.records.analysed import Analysis
from arena.records.files import match_record
from arena.records.lines import read_attempts
from arena.records.snapshot import CLOSING
from arena.sample_opponents import opponent_named
from arena.server.setup.bot_section import BotSection
from arena.words import Said

SETTLE_SECONDS: Final = 90.0
"""For the arena to settle a match that is over, or that the person has left."""
LOOK_SECONDS: Final = 0.2
"""The pause between two looks at a record that is about to be complete."""
A_SECOND: Final = 100
"""Requests that are answered: several times what quick hands do."""


class SeatRoom:
    """The seat that one link leads to. It lives in the task of the server."""

    role: Literal["host", "guest", "entrant"] = "guest"
    invitation = ""
    """The token of the link for a person who is invited to the board."""
    in_tournament: InTournament | None = None
    partner: "SeatRoom | None" = None
    """The seat of the other person, if two play."""

    def __init__(self, me: str) -> None:
        """Make the seat of the person with the name `me`."""
        self.status: Status = "choosing"
        self.failure: Said | str = ""
        self.folder = Path()
        """The run of the match."""
        self.entrant = ""
        self.seat: Seat | None = None
        self.holder = ""
        """The tab that has the board."""
        self.practice: Practice | None = None
        """The lesson at the board."""
        self._me, self._opponent = me, ""
        self._log_in: Callable[[Seat], None] | None = None
        """Takes the seat, once the person is there; and again if it was refused."""
        self._version = 0
        self.more = trio.Event()
        """Set when there is something new."""
        self._token = trio.lowlevel.current_trio_token()
        self._judged: Analysis | None = None
        self._is_judged = self._is_settled = False
        self._second_began_at = 0.0
        self._requests = 0
        """Requests since then."""
        self._pages = 0
        """Pages of the person that are open."""

    def arrive(self, tab: str) -> None:
        """Give the board to this tab, in which the person has opened the link."""
        self.holder = tab
        if self.seat is None or self._may_sit_again:
            self._take_seat()
        self.changed()

    def sit_down(
        self,
        *,
        folder: Path,
        address: str,
        me: BotSection,
        token: str,
        opponent: str,
        is_here: bool = False,
    ) -> None:
        """Go to a table: log in as an entrant, as soon as the person is there or has been there."""
        self._let_go()
        self.folder = folder
        self.entrant = me.entrant
        self._me = me.name
        self._opponent = opponent
        self._log_in = lambda seat: seat.begin(address, me.entrant, token, folder)
        self.status = "playing"
        if self.role == "host" or self.holder or is_here:
            self._take_seat()
        self.changed()

    def _take_seat(self) -> None:
        if self._log_in is not None:
            self.seat = Seat(self._changed_elsewhere)
            self._log_in(self.seat)

    @property
    def _may_sit_again(self) -> bool:
        """True if another try may succeed: the seat was refused, or an entrant has lost it."""
        if self.seat is None:
            return False
        hearing = self.seat.hearing
        if hearing.phase != "left" or hearing.why_left is None:
            return False
        return self.role == "entrant" or not self.seat.was_welcome

    def stand_up(self) -> None:
        """Leave the table: nothing is on the board."""
        self._let_go()
        self.status = "choosing"
        self.changed()

    def _let_go(self) -> None:
        self.seat = None
        self.practice = None
        self._log_in = None
        self._forget_judgement()

    def _forget_judgement(self) -> None:
        self._judged = None
        self._is_judged = False
        self._is_settled = False

    def asks_too_often(self) -> bool:
        """Count a request; true if there are more of them in a second than a person can make."""
        now = trio.current_time()
        if now - self._second_began_at >= 1:
            self._second_began_at = now
            self._requests = 0
        self._requests += 1
        return self._requests > A_SECOND

    @contextmanager
    def page_open(self) -> Iterator[None]:
        """Count an open page of the person; the other person is told who is there."""
        self._count_pages(1)
        try:
            yield
        finally:
            self._count_pages(-1)

    def _count_pages(self, more: int) -> None:
        self._pages += more
        if self.partner is not None:
            self.partner.changed()

    @property
    def is_away(self) -> bool:
        """True if another person plays, and has no page open."""
        return self.partner is not None and not self.partner._pages  # noqa: SLF001 - of one kind

    # What the page shows

    def changed(self) -> None:
        """Tell the pages that there is something new; for the task of the server."""
        self._version += 1
        waiting, self.more = self.more, trio.Event()
        waiting.set()

    def _changed_elsewhere(self) -> None:
        with suppress(trio.RunFinishedError):  # the server of the page has ended
            self._token.run_sync_soon(self.changed, idempotent=True)

    def state(self) -> PageState:
        """Return the whole state of the page."""
        table: AtTheBoard | None = None
        over: MatchOver | None = None
        match_name = ""
        lesson = ""
        step = 0
        judgement: Judgement = "open"
        is_clean = False
        rules: Any = None
        if self.practice is not None:
            table = table_of(self.practice)
            if table is not None and self.practice.step.count is not None:
                table = replace(table, phase="counting", dice=())
            rules = self.practice.rules
            lesson = self.practice.lesson.name
            step = self.practice.place
            judgement = self.practice.judgement
            is_clean = self.practice.is_clean
        elif self.seat is not None:
            with self.seat.at_the_board() as sitting:
                table = self._table_of_match(sitting, self.seat)
                over = self._match_over(sitting)
                rules = sitting.rules
                if sitting.match is not None:
                    match_name = f"{self.folder}/{sitting.match.match}.{sitting.match.attempt}"
        no_hints: Said | str = ""
        if rules is not None:
            no_hints = self._why_no_hints(rules)
        strength = ""
        bot = opponent_named(self._opponent)
        if bot is not None:
            strength = bot.strength
        return PageState(
            version=self._version,
            status=self.status,
            failure=self.failure,
            me=self._me,
            opponent=self._opponent,
            strength=strength,
            table=table,
            over=over,
            no_hints=no_hints,
            lesson=lesson,
            judged=judgement,
            step=step,
            is_clean=is_clean,
            role=self.role,
            invitation=self.invitation,
            is_away=self.is_away,
            in_tournament=self.in_tournament,
            match=match_name,
        )

    def _table_of_match(self, sitting: Sitting, seat: Seat) -> AtTheBoard | None:
        """Return what is on the board, with the time that is left by now."""
        table = table_of(sitting)
        if table is None:
            return table
        now = time.monotonic()
        clocks = table.clocks
        if table.phase == "waiting":
            spent_ms = _ms(seat.answered_at - seat.asked_at)
            mine_ms = min(clocks.mine_ms, clocks.mine_ms + clocks.delay_ms - spent_ms)
            theirs_ms = clocks.theirs_ms - _ms(now - seat.answered_at)
            return replace(table, clocks=replace(clocks, mine_ms=mine_ms, theirs_ms=theirs_ms))
        if table.left_ms is None:
            return table
        return replace(table, left_ms=max(0, table.left_ms - _ms(now - seat.asked_at)))

    def _match_over(self, sitting: Sitting) -> MatchOver | None:
        """Return what the page shows of a match that is over; None before its end."""
        if sitting.phase not in ("over", "left"):
            return None
        ended = "left"
        if sitting.end is not None:
            ended = sitting.end.result
        return MatchOver(
            result=ended,
            why_left=sitting.why_left,
            dice_problems=sitting.dice_problems,
            is_settled=self._is_settled,
            is_judged=self._is_judged,
            costliest=advice.costliest(self._judged, self.entrant),
            folder=str(self.folder),
        )

    @property
    def match_id(self) -> str:
        """The match on the board; empty if there is none."""
        if self.seat is None or self.seat.sitting.match is None:
            return ""
        return self.seat.sitting.match.match

    @property
    def is_playing(self) -> bool:
        """True while a match is not over."""
        return self.seat is not None and self.seat.sitting.phase not in ("over", "left")

    # After a match

    def resign(self) -> None:
        """Give up the match. Raises `Refusal`."""
        self.seated.leave()

    def standings(self) -> RunPage:
        """Return the standings of the tournament that the person plays in.

        Raises `Refusal` if it is a single match.
        """
        raise Refusal(Said("refusal.no_match"))

    def next_match(self) -> None:
        """Leave the match that is over for the next one. Raises `Refusal`."""
        self.seated.go_on()
        self._forget_judgement()

    async def settle(self) -> None:
        """After a match: wait for its record, and look for the costliest turns.

        Runs beside everything else.
        """
        while True:
            with survived("a match is settled"):
                await self._settle_next()

    async def _settle_next(self) -> None:
        """Wait for a match that is over, until it is settled and judged; tell the page of both."""
        more = self.more
        sitting = self._unjudged
        if sitting is None:
            await more.wait()
            return
        is_settled = await self._is_settled_in_time(sitting)
        if not self._is_shown(sitting):
            return
        self._is_settled = is_settled
        self.changed()
        record: Path | None = None
        if is_settled:
            record = self._record_of(sitting)
        analysis = await trio.to_thread.run_sync(
            advice.judged, sitting.rules, record, abandon_on_cancel=True
        )
        if self._is_shown(sitting):
            self._judged = analysis
            self._is_judged = True
            self.changed()

    @property
    def _unjudged(self) -> Sitting | None:
        """The match that is over and not judged yet; None if there is none."""
        if self.seat is None or self._is_judged or self.is_playing:
            return None
        return self.seat.sitting

    async def _is_settled_in_time(self, sitting: Sitting) -> bool:
        """Wait until the record of a match is complete; return whether it is in time."""
        record: GrowingFile | None = None
        if sitting.match is not None:
            record = GrowingFile(self.folder, match_record(sitting.match.match))
        is_settled = False
        with trio.move_on_after(SETTLE_SECONDS):
            while self._is_shown(sitting):
                is_settled = self._is_complete(record)
                if is_settled:
                    break
                await trio.sleep(LOOK_SECONDS)
        return is_settled

    def _is_shown(self, sitting: Sitting) -> bool:
        return self.seat is not None and self.seat.sitting is sitting

    def _record_of(self, sitting: Sitting) -> Path | None:
        if sitting.match is None:
            return None
        return self.folder / match_record(sitting.match.match)

    def _is_complete(self, record: GrowingFile | None) -> bool:
        """Read what is new in the record of the match; return whether it has its closing line."""
        if record is None:
            return False
        for _ in record.read_all():
            pass  # the last line is enough
        return record.last.startswith(CLOSING)

    def record(self) -> bytes:
        """Return the record of the match that is over. Raises `Refusal`."""
        path: Path | None = None
        if self.seat is not None and self._is_settled:
            path = self._record_of(self.seat.sitting)
        if path is None:
            raise Refusal(Said("refusal.no_record"))
        return path.read_bytes()

    def played_match(self) -> PlayedMatch:
        """Return the match that is over, as far as it is judged. Raises `Refusal`."""
        return played(self.record(), self._judged)

    # The turn

    def at_the_board(self, act: Callable[[Sitting], object]) -> None:
        """Do something at the board. Raises `Refusal`."""
        try:
            if self.practice is not None:
                act(self.practice)
            else:
                with self.seated.at_the_board() as sitting:
                    act(sitting)
        finally:  # a lesson may ask for a refusal
            self.changed()

    def confirm(self, question: str, *, offers_draw: bool) -> None:
        """Play the turn on the board, in a match or a lesson. Raises `Refusal`."""
        if self.practice is not None:
            self.practice.play(question)
            self.changed()
            return
        self.seated.answer(lambda sitting: sitting.confirm(question, offers_draw=offers_draw))

    @property
    def practising(self) -> Practice:
        """The lesson at the board. Raises `Refusal` if there is none."""
        if self.practice is None:
            raise Refusal(Said("refusal.no_match"))
        return self.practice

    @property
    def seated(self) -> Seat:
        """The seat of the match. Raises `Refusal` if there is none."""
        if self.practice is not None:
            raise Refusal(Said("refusal.lesson"))
        if self.seat is None:
            raise Refusal(Said("refusal.no_match"))
        return self.seat

    async def hints(self, question: str) -> list[Hint] | int:
        """Return the best turns of a strong bot, or the number of dice that it would call for.

        Raises `Refusal`.
        """
        sitting = self.practice or self.seated.sitting
        rules: Any = sitting.rules
        if sitting.phase not in ("turn", "call") or sitting.question != question:
            raise Refusal(Said("refusal.not_your_turn"))
        if why := self._why_no_hints(rules):
            raise Refusal(why)
        if self.practice is not None:
            self.practice.is_clean = False
            self.changed()
        if sitting.phase == "call":
            return await trio.to_thread.run_sync(advice.dice_to_call, rules, sitting.start)
        return await trio.to_thread.run_sync(advice.hints, rules, sitting.start, sitting.dice)

    def _why_no_hints(self, rules: Any) -> Said | Literal[""]:
        is_alone = self.practice or (self.role == "host" and not self.invitation)
        if not is_alone:
            return Said("no_advice.people")
        return advice.why_no_hints(rules)


def played(record: bytes, analysis: Analysis | None) -> PlayedMatch:
    """Return a match to be played through, as far as it is judged. Raises `RecordError`."""
    attempt = read_attempts("the record of the match", record)[-1]
    return PlayedMatch(
        names=attempt.opened.shown,
        board=board_of(game_of_record(attempt.opened.ruleset)),
        clock=attempt.opened.terms.clock,
        games=follow(attempt, analysis=analysis).games,
    )


def _ms(seconds: float) -> int:
    return round(1000 * seconds)
