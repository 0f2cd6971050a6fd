"""A report from the records of a run."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import closing

from msgspec.structs import replace

from arena.pages.contents import BotPage, MatchPage, RunPage
from arena.pages.findings import Figures, Report
from arena.pages.index import Index, Learnt, index_in_memory
from arena.pages.pairings import pairings_page
from arena.pages.report.figures import TIME_LIMITS_MS, audit_of, entrant_summary, superiority
from arena.pages.report.matches import ChosenGames, GamesWanted, Matches, most_remarkable
from arena.pages.run_page import run_page
from arena.records.analysed import Analysis, analysis_of
from arena.records.confirmations import head_of
from arena.records.facts import RecordClosed, TournamentFact
from arena.records.files import TOURNAMENT_RECORD, Files, match_record
from arena.records.lines import Attempt, RecordError
from arena.records.luck import LuckFound, fixed_in, luck_statistics
from arena.records.snapshot import Snapshot
from arena.records.state import TournamentState, state_of
from arena.records.statistics import (
    CAUSES,
    Conduct,
    EndingKind,
    counted_of,
    kinds_of,
    statistics_of,
)
from arena.records.verify import Contradictions
from arena.tournaments.crosstable import crosstable
from arena.words import Said

SEED, DRAWS = 1, 1000
"""Seed of the bootstrap, the same as in `arena stats`, so that both show the same numbers."""


def report_of(
    files: Files,
    *,
    games: GamesWanted,
    is_audited: bool = True,
    contradictions: Contradictions | None = None,
) -> Report:
    """Build the whole report from the records of a run, finished or not.

    `files` holds the bytes of `tournament.toml`, `tournament.jsonl` and every
    `matches/<fixture>.jsonl`. Raises `RecordError` if the tournament record is missing or cannot be
    read. If a match record is missing or cannot be read, its games and the bots' conduct in it are
    left out. The report names such records, and any others that are damaged. It has the
    findings of `arena analyse`, as far as `files` has them and they fit the records.
    `contradictions` is that of `verify_run`.
    """
    snapshot = Snapshot(files)
    opened, facts = snapshot.opened, snapshot.facts
    state = state_of(opened, facts)
    table = state.standings()
    run = run_page(state, table, opened.at_ms)
    choice = ChosenGames(snapshot.settled.values(), games)
    matches = Matches(state.entrants, table, choice, is_audited=is_audited)
    luck = LuckFound(evaluator=fixed_in(opened))
    broken = _go_through(snapshot, state, matches, luck)
    audit = audit_of(
        snapshot,
        broken,
        matches.replayed if is_audited else None,
        contradictions=contradictions,
    )
    analysis = matches.play.figures(
        len(snapshot.fixtures),
        luck_statistics(opened, counted_of(opened, facts), luck),
    )
    statistics = statistics_of(opened, facts, matches.conduct, seed=SEED, draws=DRAWS)
    kinds = _kinds_of_endings(statistics.conduct.values())
    entrants = [
        entrant_summary(row, statistics, matches.versions.get(row.id, ""), kinds)
        for row in run.entrants
    ]
    head: list[Said] = []
    if state.is_finished:
        head = [head_of(snapshot[TOURNAMENT_RECORD], facts).sentence]
    times = [fact.at_ms for fact in facts if not isinstance(fact, RecordClosed)]
    latest_ms = max(*times, opened.at_ms, matches.latest_ms)
    return Report(
        run=replace(run, latest_ms=latest_ms, entrants=entrants, head=head),
        bots=_bot_pages(run, facts, matches.pages, state.annulled(table)),
        crosstable=crosstable(table, state.results),
        pairings=pairings_page(state, table),
        matches=matches.pages,
        featured=most_remarkable(matches.pages, run.board),
        figures=Figures(
            unit=statistics.unit,
            superior=superiority([row.id for row in run.entrants], statistics.fields),
            endings=[kind.said for kind in kinds],
            causes=CAUSES,
            time_limits_ms=TIME_LIMITS_MS,
            incidents=matches.incidents.listed,
            incidents_left_out=matches.incidents.left_out,
            audit=audit,
            analysis=analysis,
        ),
    )


def _go_through(
    snapshot: Snapshot, state: TournamentState, matches: Matches, luck: LuckFound
) -> list[RecordError]:
    """Hand every match with its analysis to `matches` and `luck`; return the unreadable records."""
    broken: list[RecordError] = []
    for fixture in snapshot.fixtures:
        if fixture not in state.fixtures:
            raise RecordError(
                TOURNAMENT_RECORD, f"{fixture} was issued, but is not in the schedule"
            )
        attempts: Sequence[Attempt] = ()
        analysis: Analysis | None = None
        try:
            attempts = snapshot.attempts(fixture)
        except RecordError as error:
            broken.append(error)
        if attempts:
            analysis = analysis_of(snapshot, match_record(fixture))
        if analysis is not None and not set(analysis.head.entrants) <= set(state.entrants):
            analysis = None  # not made by `arena analyse`
        settled = snapshot.settled.get(fixture)
        matches.add(fixture, attempts, settled, analysis)
        if analysis is not None and settled is not None:
            luck.add(settled, analysis)
    return broken


def _kinds_of_endings(conducts: Iterable[Conduct]) -> list[EndingKind]:
    counts: list[Mapping[EndingKind, int]] = []
    for conduct in conducts:
        counts += [conduct.won, conduct.drawn, conduct.lost]
    return kinds_of(counts)


def _bot_pages(
    run: RunPage,
    facts: Sequence[TournamentFact],
    pages: Sequence[MatchPage],
    annulled: Collection[str],
) -> list[BotPage]:
    """Return the page of each bot, in the order of the standings."""
    under_way = [page for page in pages if page.state == "under way"]
    bots = []
    with closing(_index_of(facts, pages)) as index:
        for row in run.entrants:
            running = [page.fixture for page in under_way if row.id in page.entrants]
            bots.append(index.bot_page(row, running, annulled=annulled))
    return bots


def _index_of(facts: Sequence[TournamentFact], pages: Sequence[MatchPage]) -> Index:
    """Return the index of the settled matches, for the pages of the bots."""
    index = index_in_memory()
    index.add(facts)
    index.learn(map(_learnt, pages))
    return index


def _learnt(page: MatchPage) -> Learnt:
    return Learnt(
        fixture=page.fixture,
        attempt=page.attempt,
        versions=page.versions,
        turns={row.game: row.turns for row in page.games if row.turns is not None},
    )
