"""A run: plan its order, try its bots, open its folder, and play it."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from arena.records.facts import EntrantsAdded, TournamentEnded, TournamentFact, TournamentOpened
from arena.records.files import TOURNAMENT_FILE, TOURNAMENT_RECORD, match_records
from arena.records.lines import RecordError, read_tournament, whole_lines
from arena.server.io.failures import causes
from arena.server.io.listening import ListenError
from arena.server.io.operator_log import Show
from arena.server.run.seat_pages import SeatPages
from arena.server.run.tournament import Run, run_tournament
from arena.server.run.tournament_log import Report
from arena.server.setup.credentials import Signer, places_of_run
from arena.server.setup.given_fields import GivenField
from arena.server.setup.run_folder import RunFiles, RunFolder
from arena.server.setup.tournament_file import Plan
from arena.services.bot_check import check_before_start
from arena.services.crews import NO_CREW, CrewOrder, open_crew
from arena.services.plans import PlanRefusedError, checked_plan, given_text, hint_at_folder
from arena.services.progress import Note, pass_by
from arena.services.stopping import stopping_by_name
from arena.tournaments.names import plain_id
from arena.words import Said


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOrder:
    """An order for a run: a tournament file, the text of one, or the folder of a run to resume."""

    tournament: Path | None = None
    """The file, or the folder of a run."""
    text: str = ""
    """The text of a tournament file, if no file is given."""
    fields: Sequence[GivenField] = ()
    """Fields of the file that are given beside it."""
    out: Path | None = None
    """The run folder; None for that of `tournament`, or else for a new one below runs/."""
    key_file: Path | None = None
    """The operator's key, with which the record is signed."""
    crew: CrewOrder = NO_CREW
    is_anyway: bool = False
    """True if the run starts even if a bot fails the check."""
    again: Callable[[Path], str] = str
    """Returns the command that resumes the run in a folder; by itself, the folder."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedRun:
    """A run that can be played as far as its tournament file tells."""

    order: RunOrder
    plan: Plan
    text: str
    """The tournament file with all fields in it."""
    out: Path | None
    hint: Said | None
    """Why the programs or files of bots may not be there."""

    @property
    def hidden(self) -> list[Path]:
        """The places that no bot may see."""
        return places_of_run(self.out, self.order.key_file)


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenedRun:
    """A run whose bots are tried and whose folder is open; play begins now."""

    planned: PlannedRun
    folder: RunFolder
    facts: Sequence[TournamentFact]
    """The lines of an earlier run of the folder."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Audience:
    """Listeners to a run while it is played."""

    report: Report = pass_by
    """Called with every line of the tournament record, and with progress."""
    show: Show = pass_by
    """Called with what the operator should know."""
    pages: SeatPages | None = None
    """Serve the seats of those who play by hand, if there are any."""


Follow = Callable[[OpenedRun], AbstractContextManager[Audience]]
"""Makes the audience of a run; it is open as long as that is played."""


@contextmanager
def unfollowed(_: OpenedRun) -> Iterator[Audience]:
    """Follow a run by its folder alone."""
    yield Audience()


def plan_run(order: RunOrder, note: Note = pass_by) -> PlannedRun:
    """Read the tournament file of a run, and check that it can be played.

    Raises `TournamentFileError` and `PlanRefusedError`.
    """
    tournament, out, text = order.tournament, order.out, order.text
    if tournament is not None:
        text = given_text(tournament)
        if out is None and tournament.is_dir():
            out = tournament
    last_folder = None
    if out is not None:
        last_folder = RunFolder(out).directory
    hint = hint_at_folder(tournament, last_folder)
    hidden = places_of_run(out, order.key_file)
    is_file = tournament is not None
    plan, text = checked_plan(
        text,
        order.fields,
        Said("run.refused"),
        hidden,
        is_file=is_file,
        hint=hint,
        note=note,
    )
    if plan.format.needs_venue:
        raise PlanRefusedError(Said("ladder.by_serve"))
    return PlannedRun(order=order, plan=plan, text=text, out=out, hint=hint)


def play(
    planned: PlannedRun,
    follow: Follow = unfollowed,
    *,
    note: Note = pass_by,
    trying: Callable[[], AbstractContextManager[object]] = nullcontext,
) -> Path:
    """Play a run to its end, from where an earlier run of its folder stopped; return the folder.

    `note` is called for bots that play though they fail the check; `trying` is open while they are
    tried. Raises `SigningKeyError`, `FolderError`, `CrewError`, `UnfitBotsError`, and what
    `stopping_by_name` raises.
    """
    order, plan = planned.order, planned.plan
    folder = RunFolder(planned.out or _folder_for(planned, note))
    signer = None
    if order.key_file is not None:
        signer = Signer(order.key_file, folder.path)

    def again() -> str | None:
        if not folder.is_begun:
            return None
        return order.again(folder.path)

    try:
        with stopping_by_name(again), _taken_back(folder), open_crew(plan, order.crew) as crew:
            opened = _open(planned, folder, note, trying)
            with follow(opened) as audience:
                run = Run(
                    plan=plan,
                    folder=folder,
                    directory=Path.cwd(),
                    report=audience.report,
                    show=audience.show,
                    crew=crew,
                    signer=signer,
                    pages=audience.pages,
                )
                run_tournament(run)
    finally:
        folder.close()
    return folder.path


def _open(
    planned: PlannedRun,
    folder: RunFolder,
    note: Note,
    trying: Callable[[], AbstractContextManager[object]],
) -> OpenedRun:
    """Try out the bots of a run, and open its folder."""
    order, plan = planned.order, planned.plan
    folder.refuse_other_files()
    record = b""
    if folder.tournament_record.exists():
        record = whole_lines(folder.files[TOURNAMENT_RECORD])
    facts = [fact for _, fact in read_tournament(TOURNAMENT_RECORD, record)]
    if order.crew.dask is None:  # whose workers may have other programs than this machine
        check_before_start(
            plan,
            _to_try(plan, facts, folder, Path.cwd()),
            places_of_run(folder.path, order.key_file),
            anyway=order.is_anyway,
            hint=planned.hint,
            note=note,
            trying=trying,
        )
    folder.open(planned.text)
    folder.remember(Path.cwd(), order.key_file)
    return OpenedRun(planned=planned, folder=folder, facts=facts)


@contextmanager
def _taken_back(folder: RunFolder) -> Iterator[None]:
    """Remove the run again if it cannot begin because the arena cannot listen."""
    try:
        yield
    except (ListenError, BaseExceptionGroup) as error:
        if all(isinstance(cause, ListenError) for cause in causes(error)):
            folder.remove_unplayed()
        raise


def _to_try(
    plan: Plan,
    facts: Sequence[TournamentFact],
    folder: RunFolder,
    directory: Path,
) -> list[str]:
    """Return the launched bots to try: newcomers, or all if the run goes on in another folder.

    Commands may not work in another folder.
    """
    is_opened = _has(facts, TournamentOpened)
    if not is_opened and (facts or any(match_records(folder.files))):
        return []  # opening the folder reports the missing file
    entered: set[str] = set()
    is_elsewhere = folder.directory not in (None, directory)
    if not is_elsewhere or _has(facts, TournamentEnded):
        entered = _entered(facts)
    launched = [bot.entrant for bot in plan.bot if not bot.remote]
    return [entrant for entrant in launched if entrant not in entered]


def _entered(facts: Sequence[TournamentFact]) -> set[str]:
    """Return all entrants of a tournament so far."""
    entrants: set[str] = set()
    for fact in facts:
        if isinstance(fact, TournamentOpened | EntrantsAdded):
            entrants.update(fact.entrants)
    return entrants


def _has(facts: Sequence[TournamentFact], kind: type[TournamentFact]) -> bool:
    return any(isinstance(fact, kind) for fact in facts)


def _folder_for(planned: PlannedRun, note: Note) -> Path:
    """Return a new folder for a run.

    Notes the last one if it is of the same tournament and not finished.
    """
    folder, last_folder = new_folder(planned.plan.tournament.name)
    if last_folder is not None and _is_unfinished(last_folder, planned.text):
        command = planned.order.again(last_folder)
        note(Said("run.unfinished", {"folder": str(last_folder), "command": command}))
    return folder


def new_folder(name: str) -> tuple[Path, Path | None]:
    """Return the first free folder runs/<name>-<number>, and the one before, None for the first."""
    slug = plain_id(name.replace(",", " ")) or "run"  # `plain_id` would cut the name at a comma
    last_folder = None
    for number in count(1):
        folder = Path("runs") / f"{slug}-{number}"
        if not folder.exists():
            break
        last_folder = folder
    return folder, last_folder


def _is_unfinished(run: Path, text: str) -> bool:
    """Return whether a folder has a run of this tournament file that is not over."""
    files: Mapping[str, bytes] = RunFiles(run)
    try:
        is_same = files.get(TOURNAMENT_FILE) == text.encode()
        record = files.get(TOURNAMENT_RECORD)
    except RecordError:  # not a run folder of the arena
        return False
    return is_same and record is not None and b'"event":"tournament_ended"' not in record
