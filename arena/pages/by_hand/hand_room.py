"""The room of the person who has started `arena play`: one match after the other, or lessons, and who is invited."""

import shlex
from pathlib import Path

import trio

from arena.pages.by_hand.hand_seat import SeatRoom
from arena.pages.growing_file import GrowingFile
from arena.pages.serving.faults import FAILED
from arena.person.arena_run import ArenaRun, OwnArena, RunError, Wanted, free_folder
from arena.person.lessons import LESSONS, sitting_for
from arena.person.told import Refusal
from arena.words import Said


class Room(SeatRoom):
    """The seat of a person who chooses matches and lessons."""

    role = "host"

    def __init__(
        self, parent: Path, me: str, out: Path | None = None, guest_token: str = ""
    ) -> None:
        """New matches get folders in `parent`, the first one `out` if it is given; the person is called `me`."""
        super().__init__(me)
        self.guest = SeatRoom("")
        """The seat of another person, to which the link with `guest_token` leads."""
        self.run: ArenaRun | None = None
        self._arena = OwnArena()
        self._parent, self._out = parent, out
        self._guest_token = guest_token

    # Matches

    async def begin(self, wanted: Wanted | None, folder: Path | None = None) -> None:
        """Start a match, or go on with the one in a folder; tells in `failure` why it cannot be played."""
        self._must_be_free(is_starting=self.status == "starting")
        self._let_go()
        self.status, self.failure = "starting", ""
        self._opponent = wanted.opponent if wanted else ""
        self.changed()
        if folder is None:
            folder, self._out = self._out or free_folder(self._parent, self._opponent), None
        try:
            run = await trio.to_thread.run_sync(self._arena.play, folder, wanted)
        except Exception as error:
            self.status, self.failure = "choosing", FAILED
            if isinstance(error, RunError | OSError):
                self.failure = error.said if isinstance(error, RunError) else str(error)
            self.changed()
            if self.failure == FAILED:
                raise
            return
        me, other = run.person, run.opponent
        self.sit_down(run.folder, run.address, me, run.tokens[me.entrant], other.name)
        self.run = run
        if other.person:
            self.invitation = self._guest_token
            self.guest.sit_down(run.folder, run.address, other, run.tokens[other.entrant], me.name)

    def _must_be_free(self, *, is_starting: bool = False) -> None:
        if is_starting or self.is_playing:
            raise Refusal(Said("refusal.playing"))

    async def rematch(self) -> None:
        """The same match once more, in a run of its own."""
        if self.run is None:
            raise Refusal(Said("refusal.no_match"))
        plan, command = self.run.plan, self.run.opponent.command
        wanted = Wanted(
            opponent=self.run.opponent.name,
            command=command if isinstance(command, str | None) else shlex.join(command),
            ruleset=str(plan.tournament.ruleset),
            options=plan.tournament.options,
            games=plan.tournament.games or 3,
            name=self._me,
            clock=plan.clock,
        )
        await self.begin(wanted)

    async def choose_again(self) -> None:
        """Back to the choice of opponents and lessons."""
        if (
            self.run is not None
            and self.invitation
            and self.seat is not None
            and self.seat.sitting.match is None
        ):
            self.seat.leave()  # nobody has come
            await trio.to_thread.run_sync(self.run.stop)
            self.guest.stand_up()
        else:
            self._must_be_free()
        self.stand_up()

    def _let_go(self) -> None:
        super()._let_go()
        self.run, self.invitation = None, ""

    def _is_complete(self, record: GrowingFile | None) -> bool:
        return super()._is_complete(record) and (self.run is None or self.run.is_over)

    @property
    def in_play(self) -> Path | None:
        """The folder of the match in play; None if there is none."""
        return self.run.folder if self.run is not None and self.is_playing else None

    def stop(self) -> None:
        """End the arena, and the match that is open."""
        self._arena.close()

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
