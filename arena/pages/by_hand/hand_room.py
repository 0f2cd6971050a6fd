"""The room of the person who has started `arena play`: matches, lessons, and an invitation."""

import shlex
from pathlib import Path

import trio

from arena.games import game_of_record
from arena.pages.by_hand.hand_seat import SeatRoom, played
from arena.pages.by_hand.hand_state import PastReview
from arena.pages.growing_file import GrowingFile
from arena.pages.serving.faults import FAILED
from arena.person import advice
from arena.person.arena_run import ArenaRun, OwnArena, RunError, Wanted, free_folder
from arena.person.lessons import Practice, lessons
from arena.person.past_matches import PastMatch, past_matches
from arena.person.told import Refusal
from arena.records.lines import read_attempts
from arena.server.io.disk import read_inside
from arena.words import Said


class HandRoom(SeatRoom):
    """The seat of a person who chooses matches and lessons."""

    role = "host"

    def __init__(
        self, parent: Path, me: str, out: Path | None = None, guest_token: str = ""
    ) -> None:
        """Seat the person who is called `me`.

        New matches get folders in `parent`; the first one gets `out` if there is such an argument.
        """
        super().__init__(me)
        self.guest = SeatRoom("")
        """The seat of another person, to which the link with `guest_token` leads."""
        self.run: ArenaRun | None = None
        self._arena = OwnArena()
        self._parent, self._out = parent, out
        self._guest_token = guest_token
        self._begun: set[Path] = set()
        """The folders of the matches of this page, wherever they are."""

    # Matches

    async def begin(self, wanted: Wanted | None, folder: Path | None = None) -> None:
        """Start the wanted match, or resume the one in `folder` (then `wanted` is None).

        If it cannot be played, `failure` says why. Raises `Refusal` while a match is played or
        starts.
        """
        self._must_be_free()
        self._let_go()
        self.status = "starting"
        self.failure = ""
        self._opponent = ""
        if wanted is not None:
            self._opponent = wanted.opponent
        self.changed()
        if folder is None:
            folder = self._out or free_folder(self._parent, self._opponent)
            self._out = None
        self._begun.add(folder)
        try:
            run = await trio.to_thread.run_sync(self._arena.play, folder, wanted)
        except RunError as error:
            self._fail(error.said)
        except OSError as error:
            self._fail(str(error))
        except BaseException:  # a client that goes cancels its request
            self._fail(FAILED)
            raise
        else:
            self._sit_down_at(run)

    def _fail(self, why: Said | str) -> None:
        self.status = "choosing"
        self.failure = why
        self.changed()

    def _sit_down_at(self, run: ArenaRun) -> None:
        """Seat the person, and the guest if the opponent is a person."""
        me, opponent = run.person, run.opponent
        self.sit_down(
            folder=run.folder,
            address=run.address,
            me=me,
            token=run.tokens[me.entrant],
            opponent=opponent.name,
        )
        # `sit_down` forgets the last match: these come after it
        self.run = run
        if opponent.person:
            self.invitation = self._guest_token
            self.partner = self.guest
            self.guest.partner = self
            self.guest.sit_down(
                folder=run.folder,
                address=run.address,
                me=opponent,
                token=run.tokens[opponent.entrant],
                opponent=me.name,
            )

    def _must_be_free(self) -> None:
        """Raise `Refusal` while a match is played or starts."""
        if self.status == "starting" or self.is_playing:
            raise Refusal(Said("refusal.playing"))

    async def rematch(self) -> None:
        """Play the same match once more, in a run of its own."""
        if self.run is None:
            raise Refusal(Said("refusal.no_match"))
        plan, command = self.run.plan, self.run.opponent.command
        if not isinstance(command, str | None):
            command = shlex.join(command)
        wanted = Wanted(
            opponent=self.run.opponent.name,
            command=command,
            ruleset=str(plan.tournament.ruleset),
            options=plan.tournament.options,
            games=plan.tournament.games or 3,
            name=self._me,
            clock=plan.clock,
        )
        await self.begin(wanted)

    async def choose_again(self) -> None:
        """Go back to the choice of opponents and lessons.

        Raises `Refusal` while a match is played or starts. One whose guest is away is stopped; once
        it has started it can be resumed.
        """
        if self.run is not None and self.seat is not None and self._may_be_called_off:
            if self.seat.sitting.match is None:
                self.seat.leave()
            await trio.to_thread.run_sync(self.run.stop)
            self.guest.stand_up()
        else:
            self._must_be_free()
        self.stand_up()

    @property
    def _may_be_called_off(self) -> bool:
        """True while an invited person has not come to the board yet, or is away from it."""
        if not self.invitation or self.seat is None:
            return False
        return self.seat.sitting.match is None or (self.is_playing and self.is_away)

    def _let_go(self) -> None:
        super()._let_go()
        self.run, self.invitation, self.partner = None, "", None

    def _is_complete(self, record: GrowingFile | None) -> bool:
        return super()._is_complete(record) and (self.run is None or self.run.is_over)

    @property
    def in_play(self) -> Path | None:
        """The folder of the match in play; None if there is none."""
        if self.run is None or not self.is_playing:
            return None
        return self.run.folder

    def past(self) -> list[PastMatch]:
        """Return the latest matches of the person, but for the one in play."""
        folders = self._begun.union(self._parent.glob("play-*"))
        if self.in_play is not None:
            folders.discard(self.in_play)
        return past_matches(folders)

    def past_match(self, run: str) -> PastMatch:
        """Return the match in a run folder that is listed. Raises `Refusal`."""
        for match in self.past():
            if match.run == run:
                return match
        raise Refusal(Said("refusal.no_match"))

    def past_review(self, run: str) -> PastReview:
        """Return a match of the list with its judgement. Raises `Refusal` or `RecordError`."""
        past = self.past_match(run)
        folder = Path(past.run)
        record = read_inside(folder, past.record)
        opened = read_attempts(past.record, record)[-1].opened
        analysis = advice.judged(game_of_record(opened.ruleset), folder / past.record)
        return PastReview(
            match=played(record, analysis),
            seat=past.seat,
            costliest=advice.costliest(analysis, past.entrant),
        )

    def stop(self) -> None:
        """End the arena, and the match that is open."""
        self._arena.close()

    # Lessons

    def learn(self, name: str, place: int = 0) -> None:
        """Put a step of a lesson on the board; `place` counts from 0. Raises `Refusal`."""
        self._must_be_free()
        lesson = lessons().by_name.get(name)
        if lesson is None or not 0 <= place < len(lesson.steps):
            raise Refusal(Said("refusal.no_lesson", {"name": repr(name[:40])}))
        practice = Practice(lesson, place, is_clean=place == 0)
        if self.practice is not None:
            practice = self.practice.other_step(lesson, place)
        self._let_go()
        self.status = "lesson"
        self.practice = practice
        self._opponent = ""
        self.changed()
