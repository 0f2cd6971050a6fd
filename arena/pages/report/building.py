"""A report from the records of a run."""

from collections.abc import Sequence
from contextlib import closing

from msgspec.structs import replace

from arena.pages.contents import MatchPage
from arena.pages.findings import Figures, Report
from arena.pages.index import Index, Learnt
from arena.pages.pairings import pairings_page
from arena.pages.report.figures import TIME_LIMITS_MS, audit_of, entrant_summary, superiority
from arena.pages.report.matches import ChosenGames, GamesWanted, Matches, most_remarkable
from arena.pages.run_page import run_page
from arena.records.analysed import analysis_of
from arena.records.confirmations import head_of
from arena.records.facts import RecordClosed, TournamentFact
from arena.records.files import TOURNAMENT_RECORD, Files, match_record
from arena.records.lines import RecordError
from arena.records.luck import LuckFound, fixed_in, luck_statistics
from arena.records.snapshot import Snapshot
from arena.records.state import state_of
from arena.records.statistics import CAUSES, counted_of, kinds_of, statistics_of
from arena.records.verify import Contradictions
from arena.tournaments.crosstable import crosstable

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
    left out. The report names such records, and any others that are not in order. What `arena
    analyse` found is in it, as far as `files` has it and it fits the records. `contradictions` is
    that of `verify_run`.
    """
    snapshot = Snapshot(files)
    opened, facts = snapshot.opened, snapshot.facts
    state = state_of(opened, facts)
    table = state.standings()
    run = run_page(state, table, opened.at_ms)
    names = [row.entrant for row in table.rows]
    choice = ChosenGames(snapshot.settled.values(), games)
    matches = Matches(state.entrants, table.counted, choice, is_audited=is_audited)
    broken: dict[str, RecordError] = {}
    luck = LuckFound(evaluator=fixed_in(opened))
    for fixture in snapshot.fixtures:
        if fixture not in state.fixtures:
            raise RecordError(
                TOURNAMENT_RECORD, f"{fixture} was issued, but is not in the schedule"
            )
        try:
            attempts = snapshot.attempts(fixture)
        except RecordError as error:
            attempts, broken[fixture] = [], error
        analysis = analysis_of(snapshot, match_record(fixture)) if attempts else None
        if analysis is not None and not set(analysis.head.entrants) <= set(names):
            analysis = None  # not made by `arena analyse`
        settled = snapshot.settled.get(fixture)
        matches.take(fixture, attempts, settled, analysis)
        if analysis is not None and settled is not None:
            luck.take(settled, analysis)
    found = statistics_of(opened, facts, matches.conduct, seed=SEED, draws=DRAWS)
    kinds = kinds_of(
        count
        for conduct in found.conduct.values()
        for count in (conduct.won, conduct.drawn, conduct.lost)
    )
    times = [fact.at_ms for fact in facts if not isinstance(fact, RecordClosed)]
    running = [page for page in matches.pages if page.state == "under way"]
    annulled = state.annulled(table)
    with closing(_index_of(facts, matches.pages)) as index:
        bots = [
            index.bot_page(
                row,
                [page.fixture for page in running if row.id in page.entrants],
                annulled=annulled,
            )
            for row in run.entrants
        ]
    return Report(
        run=replace(
            run,
            latest_ms=max(*times, opened.at_ms, matches.latest_ms),
            entrants=[
                entrant_summary(row, found, matches.versions.get(row.id, ""), kinds)
                for row in run.entrants
            ],
            head=[head_of(snapshot[TOURNAMENT_RECORD], facts).sentence]
            if state.is_finished
            else [],
        ),
        bots=bots,
        crosstable=crosstable(table, state.results),
        pairings=pairings_page(state, table),
        matches=matches.pages,
        featured=most_remarkable(matches.pages, run.board),
        figures=Figures(
            unit=found.unit,
            superior=superiority(names, found.fields),
            endings=[kind.said for kind in kinds],
            causes=CAUSES,
            time_limits_ms=TIME_LIMITS_MS,
            incidents=matches.incidents.told,
            incidents_left_out=matches.incidents.left_out,
            audit=audit_of(
                snapshot,
                list(broken.values()),
                matches.replayed if is_audited else None,
                contradictions=contradictions,
            ),
            analysis=matches.play.figures(
                len(snapshot.fixtures), luck_statistics(opened, counted_of(opened, facts), luck)
            ),
        ),
    )


def _index_of(facts: Sequence[TournamentFact], pages: Sequence[MatchPage]) -> Index:
    """The index of the settled matches, for the pages of the bots."""
    index = Index()
    index.add(facts)
    index.learn(
        Learnt(
            fixture=page.fixture,
            attempt=page.attempt,
            versions=page.versions,
            turns={row.game: row.turns for row in page.games if row.turns is not None},
        )
        for page in pages
    )
    return index
