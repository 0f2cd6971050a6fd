"""A comparison of two bots: they play batches until a sequential test says which is stronger."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

import tomli_w

from arena.analysis import EvaluatorError, evaluator_for
from arena.records.facts import FixtureSettled
from arena.records.luck import fixed_in
from arena.server.io.operator_log import Show
from arena.server.run.comparison import ComparisonError, ComparisonProgress, compare, name_of
from arena.server.run.tournament_log import Report
from arena.server.setup.credentials import places_of_run
from arena.server.setup.given_fields import GivenField
from arena.server.setup.tournament_file import DEFAULT_MATCHES_AT_ONCE, Plan
from arena.services.bot_check import check_before_start
from arena.services.crews import NO_CREW, CrewOrder, open_crew
from arena.services.errors import FailedError
from arena.services.luck import NoLuckError, luck_evaluator, luck_looked_for
from arena.services.plans import checked_plan, given_fields
from arena.services.playing import new_folder
from arena.services.progress import Note, Tell, pass_by
from arena.services.sources import tournament_of
from arena.services.stopping import stopping_by_name
from arena.tournaments.statistics.luck import LuckyMatch
from arena.tournaments.statistics.sequential import Hypotheses
from arena.words import Said, quoted

_REFUSED: Final = Said("comparison.refused")


class ComparisonStoppedError(FailedError):
    """The comparison cannot go on, though the arena works."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bots:
    """The two bots, by their names and their ids."""

    new: str
    old: str
    new_id: str
    old_id: str
    evaluator: str
    """The evaluator that takes luck out; empty if luck stays."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparisonOrder:
    """An order for a comparison."""

    new: tuple[str, str]
    """The name of the new bot, and its command."""
    old: tuple[str, str]
    hypotheses: Hypotheses
    fields: Sequence[GivenField] = ()
    """Fields of the tournament file of every batch."""
    matches: int = 2
    """The matches of a batch."""
    most: int
    """The number of batches after which it gives up."""
    out: Path | None = None
    """The folder of the batches; None for a new one below runs/."""
    crew: CrewOrder = NO_CREW
    is_luck_adjusted: bool = False
    is_anyway: bool = False
    """True if it starts even if a bot fails the check."""
    again: Callable[[Path], str] = str
    """Returns the command that resumes it in a folder; by itself, the folder."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """A comparison that is over, or has given up."""

    progress: ComparisonProgress
    """The state after the last batch."""
    bots: Bots
    folder: Path


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparisonAudience:
    """Those who follow a comparison while it is played."""

    report: Report = pass_by
    show: Show = pass_by
    """Both are called for every batch as for a run."""
    tell: Callable[[ComparisonProgress, Bots], object] = pass_by
    """Called with the state after each batch."""
    analysing: Callable[[], AbstractContextManager[Tell]] = lambda: nullcontext(pass_by)
    """Open while a batch is analysed; its value is called with the number of matches analysed."""


def unfollowed(*_: object) -> ComparisonAudience:
    """Follow a comparison by its folder alone."""
    return ComparisonAudience()


def compare_bots(
    order: ComparisonOrder,
    follow: Callable[[Plan, Path], ComparisonAudience] = unfollowed,
    *,
    note: Note = pass_by,
    trying: Callable[[], AbstractContextManager[object]] = nullcontext,
) -> Compared:
    """Play two bots until the test decides, or for `order.most` batches.

    `follow` makes the audience from the plan and the folder. `note` is called with remarks on the
    way; `trying` is open while the bots are tried out. Raises `PlanRefusedError`, `NoLuckError`,
    `CrewError`, `FolderError`, `UnfitBotsError`, `ComparisonStoppedError`, and what
    `stopping_by_name` raises.
    """
    plan = _planned(order, note)
    new_id, old_id = plan.entrants
    bots = Bots(
        new=order.new[0],
        old=order.old[0],
        new_id=new_id,
        old_id=old_id,
        evaluator=plan.luck.evaluator or "",
    )
    folder = order.out or new_folder("compare")[0]
    audience = follow(plan, folder)

    def again() -> str | None:
        if not folder.exists():
            return None
        return order.again(folder)

    luck_in = None
    if order.is_luck_adjusted:
        luck_in = partial(_luck_of_batch, note, audience)
    play_batches = partial(
        compare,
        plan,
        order.hypotheses,
        folder,
        Path.cwd(),
        most=order.most,
        report=audience.report,
        show=audience.show,
        luck_in=luck_in,
        tell=lambda progress: audience.tell(progress, bots),
    )
    try:
        with stopping_by_name(again), open_crew(plan, order.crew) as crew:
            # Workers of Dask may have other programs than this machine.
            if order.crew.dask is None and not folder.exists():
                check_before_start(
                    plan,
                    plan.entrants,
                    [folder],
                    anyway=order.is_anyway,
                    note=note,
                    trying=trying,
                )
            progress = play_batches(crew=crew)
    except ComparisonError as error:
        values = {"reason": quoted(str(error)), "folder": str(folder)}
        raise ComparisonStoppedError(Said("comparison.cannot_go_on", values)) from error
    return Compared(progress=progress, bots=bots, folder=folder)


def _planned(order: ComparisonOrder, note: Note) -> Plan:
    """Return the plan of a batch. Raises `PlanRefusedError` and `NoLuckError`."""
    title = name_of(order.hypotheses, luck_adjusted=order.is_luck_adjusted)
    # keys: what a message names as the origin of the field
    origins = {
        "the hypotheses:": ("tournament.name", title),
        "arena compare:": ("tournament.format", "round_robin"),
        "--batch": ("tournament.cycles", order.matches),
    }
    fields = given_fields((), origins) + list(order.fields)
    at_once = _at_once(fields)
    sections = []
    for name, line in (order.new, order.old):
        sections.append({"name": name, "command": line, "matches_at_once": at_once})
    text = tomli_w.dumps({"tournament": {"at_once": DEFAULT_MATCHES_AT_ONCE}, "bot": sections})
    hidden = places_of_run(order.out, None)
    plan, text = checked_plan(text, fields, _REFUSED, hidden, note=note)
    if order.is_luck_adjusted:
        return _plan_with_luck(plan, text, fields, hidden)
    return plan


def _plan_with_luck(
    plan: Plan,
    text: str,
    fields: Sequence[GivenField],
    hidden: Sequence[Path],
) -> Plan:
    """Return a plan with the evaluator of its game, which takes out luck. Raises `NoLuckError`."""
    try:
        evaluator = evaluator_for(plan.game()).name
    except EvaluatorError as error:
        raise NoLuckError(Said("comparison.no_luck", {"reason": error.said})) from error
    of_luck = given_fields((), {"--luck-adjusted": ("luck.evaluator", evaluator)})
    # without notes: those of this plan were made before
    plan, _ = checked_plan(text, [*fields, *of_luck], _REFUSED, hidden, note=pass_by)
    return plan


def _at_once(fields: Sequence[GivenField]) -> Any:
    """Return how many matches of a batch are played at once."""
    for field in fields:
        if field.path == ("tournament", "at_once"):
            return field.value
    return DEFAULT_MATCHES_AT_ONCE


def _luck_of_batch(
    note: Note,
    audience: ComparisonAudience,
    batch: Path,
    settled: Sequence[FixtureSettled],
) -> Mapping[str, LuckyMatch]:
    """Return the luck in the settled fixtures of a batch. Raises `ComparisonError`."""
    opened, _ = tournament_of(batch)
    try:
        with audience.analysing() as tell:
            evaluator = luck_evaluator(opened, fixed_in(opened))
            luck, warnings = luck_looked_for(batch, settled, evaluator, tell=tell)
    except NoLuckError as error:
        raise ComparisonError(f"luck cannot be taken out: {error}") from error
    for warning in warnings:
        note(Said("warning", {"said": warning}))
    return luck.matches
