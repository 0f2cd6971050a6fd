"""The end of a run: what it reports, and why."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from arena.records.facts import FAILED, NOT_STARTED, FixtureVoided, TournamentFact
from arena.records.reasons import never_appeared
from arena.records.state import TournamentState, state_of
from arena.server.setup.run_folder import OPERATOR_LOG, RunFiles
from arena.services.sources import tournament_of
from arena.tournaments.names import join_names, shown
from arena.words import Said, joined, say


@dataclass(frozen=True, slots=True, kw_only=True)
class Conclusion:
    """The end of a run, or where it stands."""

    run: Path
    facts: Sequence[TournamentFact]
    state: TournamentState
    void: Said | None
    """Why matches are void for good, while others were played."""
    problem: Said | None
    """The fault of the run: nothing was played, an entrant never came, or it ended early."""


def conclusion_of(run: Path) -> Conclusion:
    """Say how a run ended. Raises what `tournament_of` raises."""
    opened, facts = tournament_of(run)
    state = state_of(opened, facts)
    void = [fact for fact in facts if isinstance(fact, FixtureVoided) and fact.is_last]
    reasons = None
    if void:
        reasons = joined(_why_void(void, run))
    problem = state.early_end()
    if missing := never_appeared(facts, RunFiles(run)):
        names = join_names(shown(state.names, missing))
        problem = Said("run.never_came", {"names": names, "where": where_bots_spoke(run)})
    if reasons is not None and len(void) == len(state.results):
        problem, reasons = Said("run.nothing_played", {"reasons": reasons}), None
    return Conclusion(run=run, facts=facts, state=state, void=reasons, problem=problem)


def _why_void(void: Sequence[FixtureVoided], run: Path) -> list[Said]:
    """Return why matches are void for good, by fault of bots or of the arena, and where to look."""
    causes: dict[str, tuple[Said, Said | str]] = {}
    fixtures: dict[str, list[str]] = {}
    for fact in void:
        why, where = Said("run.neither_could_play"), where_bots_spoke(run)
        if fact.reason.code in (FAILED.code, NOT_STARTED):
            why, where = fact.reason, Said("run.traceback_in", {"file": str(run / OPERATOR_LOG)})
        causes[say(why)] = why, where
        fixtures.setdefault(say(why), []).append(fact.fixture)
    return [
        Said("run.void", {"why": why, "fixtures": ", ".join(fixtures[english]), "where": where})
        for english, (why, where) in causes.items()
    ]


def where_bots_spoke(run: Path) -> Said | str:
    """Return where to see why bots could not play: their output, or else the evidence."""
    for folder, code in (
        (run / "bots", "run.bots_spoke_in"),
        (run / "evidence", "run.evidence_in"),
    ):
        if folder.is_dir() and any(folder.iterdir()):
            return Said(code, {"folder": str(folder)})
    return ""
