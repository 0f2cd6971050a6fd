"""The arena of `arena play`: one venue, in which one match is played after the other.

Orders come on standard input, answers go to standard output (`orders.py`). When standard input
ends, the open match is ended in good order, and the arena with it. So a killed `arena play` leaves
no arena behind that would forfeit the match of an empty seat, or keep the run folder from the next
one.
"""

import sys
import traceback
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from typing import Final

import msgspec
import trio

from arena.person.arena_run import RunError
from arena.person.orders import Answer, AnyOrder, BeginMatch, EndMatch, MatchClosed
from arena.records.files import TOURNAMENT_FILE
from arena.server.io.clock import RunningClock
from arena.server.io.disk import read_inside, write_all
from arena.server.io.failures import reason_of_all
from arena.server.io.line_pipes import follow_input
from arena.server.programs.bot_command import command_of
from arena.server.programs.containment import sandbox_problems
from arena.server.programs.start_problems import program_problems
from arena.server.run.tournament import Run, play_in
from arena.server.setup.credentials import credential_problems, places_of_run
from arena.server.setup.run_folder import RunFolder
from arena.server.setup.seat_order import SeatOrder
from arena.server.setup.tournament_file import Plan, parse_plan
from arena.server.venue.venue import Venue, open_venue
from arena.services.bot_check import BotFinding, check_bots, check_command
from arena.services.progress import pass_by
from arena.words import ProblemsError, Said, SaidError, joined

SETTLE_SECONDS: Final = 10.0
"""For a match that the person has left to be settled; then the next one begins."""


class OpenMatch:
    """A match that is played in the venue, from its order to its answer."""

    def __init__(self, order: BeginMatch, tell: Callable[[Answer], object]) -> None:
        self.run = order.run
        self.is_over = trio.Event()
        self._order = order
        self._tell = tell
        self._has_seats = False
        self._scope = trio.CancelScope()

    async def play(self, venue: Venue) -> None:
        """Play it to its end; an error ends this match alone."""
        why: Said | None = None
        try:
            with self._scope:
                await self._play(venue)
                if not self._has_seats:
                    why = Said("no_run.over", {"folder": self.run})
        except* (OSError, SaidError) as errors:
            why = reason_of_all(errors)
        except* Exception as errors:  # noqa: BLE001 - it is told, and the venue stays
            traceback.print_exception(errors)
            why = Said("no_run.failed")
        self._tell(MatchClosed(run=self.run, why=why))
        self.is_over.set()

    async def _play(self, venue: Venue) -> None:
        directory = Path.cwd()
        folder = RunFolder(Path(self.run))
        text = self._order.text
        if text is None:
            text = read_inside(folder.path, TOURNAMENT_FILE).decode()
        plan = parse_plan(text)
        venue.keep_fork_server()
        await _check(plan, folder, directory)
        with closing(folder):
            folder.open(text)
            folder.remember(directory)
            run = Run(
                plan=plan,
                folder=folder,
                directory=directory,
                report=pass_by,
                show=pass_by,
                tell_seats=self._tell_seats,
            )
            await play_in(venue, run)

    def _tell_seats(self, order: SeatOrder) -> None:
        self._has_seats = True
        self._tell(order)

    async def end(self) -> None:
        """End it now, so that it can be resumed."""
        self._scope.cancel()
        await self.is_over.wait()


async def _check(
    plan: Plan,
    folder: RunFolder,
    directory: Path,
) -> None:
    """Try out the opponent, unless the match was started in this folder.

    Raises an error that says what is wrong.
    """
    hidden = places_of_run(folder.path, None)
    commands = {bot.name: command_of(bot, directory) for bot in plan.bot if not bot.remote}
    problems = [
        *program_problems(commands),
        *credential_problems(plan, directory),
        *sandbox_problems(plan, directory, hidden),
    ]
    elsewhere: list[Said] = []
    if folder.directory not in (None, directory):
        elsewhere.append(Said("no_run.elsewhere", {"folder": str(folder.directory)}))
    if problems:
        raise ProblemsError([*problems, *elsewhere])
    if folder.is_begun and not elsewhere:
        return
    if plan.limits.check_bots == "require":
        for finding in await check_bots(plan, plan.entrants, directory, hidden):
            if finding.problem is not None:
                raise RunError(joined([*_why_unfit(plan, finding), *elsewhere], "list.lines"))


def _why_unfit(plan: Plan, finding: BotFinding) -> list[Said]:
    """Return lines: what a bot did in the check, where its program failed, and what to do."""
    parts = {"name": finding.name, "problem": finding.problem, "last": finding.said_last}
    lines = [Said("no_run.unfit", parts)]
    lines += [Said("no_run.last_line", {"text": line}) for line in finding.last_lines[:-1]]
    if finding.advice is not None:
        lines.append(finding.advice)
    lines.append(Said("no_run.check_alone", {"command": check_command(plan, finding.entrant)}))
    return lines


class MatchRunner:
    """Carries out the orders, one after the other."""

    def __init__(
        self,
        venue: Venue,
        nursery: trio.Nursery,
        answers: int,
    ) -> None:
        self._venue = venue
        self._nursery = nursery
        self._answers = answers
        """The file to which answers go."""
        self._match: OpenMatch | None = None

    async def obey(self, order: AnyOrder) -> None:
        """Carry out an order.

        A match begins when the one before is over: both have the seat of the same person.
        """
        match order:
            case EndMatch():
                if self._match is not None and self._match.run == order.run:
                    await self._match.end()
            case BeginMatch():
                if self._match is not None:
                    with trio.move_on_after(SETTLE_SECONDS):
                        await self._match.is_over.wait()
                await self.close()
                self._match = OpenMatch(order, self._tell)
                self._nursery.start_soon(self._match.play, self._venue)

    async def close(self) -> None:
        """End the open match."""
        if self._match is not None:
            await self._match.end()

    def _tell(self, answer: Answer) -> None:
        # without its reader `arena play` is gone, which the end of standard input tells
        with suppress(BrokenPipeError):
            write_all(self._answers, msgspec.json.encode(answer) + b"\n")


async def serve() -> None:
    """Carry out orders until standard input ends."""
    tell_order, orders = trio.open_memory_channel[AnyOrder](1)
    token = trio.lowlevel.current_trio_token()
    decode = msgspec.json.Decoder(AnyOrder).decode

    def hand_on(line: bytes) -> None:
        trio.from_thread.run(tell_order.send, decode(line), trio_token=token)

    follow_input(hand_on, tell_order.close)
    async with open_venue(pass_by) as venue, trio.open_nursery() as nursery:
        venue.loop.spawn(venue.shutdown.obey_signals)
        runner = MatchRunner(venue, nursery, sys.stdout.fileno())
        async for order in orders:
            await runner.obey(order)
        await runner.close()


if __name__ == "__main__":
    try:
        trio.run(serve, clock=RunningClock())
    except* KeyboardInterrupt:
        pass  # by a signal, which every open match has obeyed
