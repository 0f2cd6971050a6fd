"""Analysing the records of a run, and keeping what was found beside them."""

from __future__ import annotations

import hashlib
from collections import deque
from collections.abc import Container, Iterable, Iterator, Mapping
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from arena.analysis.processes import new_pool
from arena.games import Game
from arena.records.analysed import (
    BEGINNING,
    Analysis,
    AnalysisFileError,
    decode_analysis,
    encode_analysis,
    sha256_of,
)
from arena.records.facts import EntrantsAdded, FixtureSettled, TournamentOpened
from arena.records.files import MATCHES, TOURNAMENT_RECORD, analysis_file, fixture_of, match_records
from arena.records.lines import (
    RecordError,
    read_as_far_as_possible,
    read_tournament,
    rules_on_record,
    whole_lines,
)
from arena.records.state import names_of
from arena.records.tabulate import annulled_in
from arena.server.io.disk import write_inside
from arena.server.programs.cpu_share import CORES
from arena.services.errors import FailedError, RefusedError
from arena.services.progress import Advance, Tell, pass_by
from arena.services.sources import RecordSource, source_of
from arena.tournaments import TournamentError
from arena.words import Said, quoted
from arena.words.system_errors import system_reason

if TYPE_CHECKING:
    from arena.analysis import Evaluator

MUCH: Final = 500_000
"""Bytes of records that take longer than starting a process: some 1,500 turns."""


class StrangerError(RefusedError):
    """Something else stands where an analysis is to be kept."""


class NoMatchError(RefusedError):
    """There is no match to analyse yet."""


class NoRecordError(FailedError):
    """No record can be read."""


class WorkerEndedError(FailedError):
    """A process that shared the work was ended from outside."""


class NotWrittenError(FailedError):
    """An analysis cannot be written beside its record."""


@dataclass(slots=True)
class Analysing:
    """The analysis of all match records of a source; what it warns of is known when it has gone through them."""

    source: RecordSource
    evaluator: Evaluator
    plies: int
    workers: int
    keeps_any: bool = False
    """Whether an analysis that fits its record stays, with whatever evaluator it was made."""
    for_luck: bool = False
    """Whether one stays that looked at decisions more turns ahead; luck is the same."""
    only: Container[str] | None = None
    """The records to analyse; None for all."""
    reads: bool = True
    """Whether what was kept in the run folder is taken."""
    writes: bool = True
    """Whether what was found is kept there."""
    tell: Tell = pass_by
    """Hears how many matches are over."""
    warnings: list[Said] = field(default_factory=list)
    """Records that are not in order."""
    names: dict[str, str] = field(default_factory=dict)
    """What entrants are called on screens, by id."""
    annulled: frozenset[str] = frozenset()
    """The matches that count for nobody because an entrant was withdrawn (M5)."""

    @property
    def folder(self) -> Path | None:
        """The run folder in which analyses are kept; None for a record by itself."""
        if self.source.path.is_dir():
            return self.source.path
        parent = self.source.path.absolute().parent
        return parent.parent if parent.name == MATCHES.rstrip("/") else None

    def analyses(self) -> Iterator[Analysis]:
        """Yield the analysis of every match, from its file or made now and kept.

        Raises `StrangerError`, `WorkerEndedError` and `NotWrittenError`.
        """
        files = self.source.files
        names = [
            name
            for name in match_records(files)
            if (self.only is None or name in self.only) and files[name]
        ]
        if self.writes and (stranger := next(strangers(self._files, names), None)):
            raise StrangerError(Said("analysing.stranger", {"file": analysis_file(stranger)}))
        settled = self._read_tournament()
        self.tell(Advance(0, len(names)))
        for over, (name, analysis) in enumerate(self._each(names), 1):
            broken = analysis.head.broken if analysis is not None else ""
            if broken:
                self.warnings.append(Said("analysing.broken", {"reason": quoted(broken)}))
            fact = settled.get(fixture_of(name))
            if (
                fact
                and hashlib.sha256(files[name]).hexdigest() != fact.record_sha256
                and not broken
            ):
                self.warnings.append(Said("analysing.changed", {"record": name}))
            if analysis is not None:
                yield analysis
            self.tell(Advance(over, len(names)))

    def _each(self, names: Iterable[str]) -> Iterator[tuple[str, Analysis | None]]:
        """Yield every record with its analysis, or None if nothing of the record can be read."""
        pool = new_pool(self.workers) if self.workers > 1 else None
        waiting: deque[tuple[str, Analysis | Future[Made]]] = deque()
        try:
            for name in names:
                data = self.source.files[name]
                kept = self._kept(name, data)
                if kept is not None:
                    waiting.append((name, kept))
                elif pool is None:
                    yield name, self._keep(name, make(self.evaluator, name, data, self.plies))
                else:
                    waiting.append(
                        (name, pool.submit(make, self.evaluator, name, data, self.plies))
                    )
                while len(waiting) > (2 * self.workers if pool else 0):
                    yield self._awaited(*waiting.popleft())
            while waiting:
                yield self._awaited(*waiting.popleft())
        except BrokenProcessPool as error:
            raise WorkerEndedError(Said("analysing.worker_ended")) from error
        finally:
            if pool is not None:
                pool.shutdown(cancel_futures=True)

    def _awaited(self, name: str, one: Analysis | Future[Made]) -> tuple[str, Analysis | None]:
        return name, one if isinstance(one, Analysis) else self._keep(name, one.result())

    def _kept(self, name: str, data: bytes) -> Analysis | None:
        """Return the analysis from its file, if that is of this record and of a wanted evaluator."""
        if not self.reads:
            return None
        try:
            analysis = decode_analysis(self._files.get(analysis_file(name), b""))
        except AnalysisFileError:
            return None
        head = analysis.head
        wanted = (
            self.evaluator.name,
            self.evaluator.sha256,
            head.plies if self.for_luck else self.plies,
        )
        is_wanted = self.keeps_any or (head.evaluator, head.evaluator_sha256, head.plies) == wanted
        return analysis if is_wanted and head.record_sha256 == sha256_of(data) else None

    @property
    def _files(self) -> Mapping[str, bytes]:
        return {} if self.folder is None else self.source.files

    def _keep(self, name: str, made: Made) -> Analysis | None:
        if not isinstance(made, bytes):
            self.warnings.append(Said("analysing.left_out", {"reason": made}))
            return None
        analysis = decode_analysis(made)
        if self.folder is not None and self.writes:
            path = self.folder / analysis_file(name)
            try:
                write_inside(self.folder, analysis_file(name), made, mode=0o640)
            except OSError as error:
                values = {"file": str(path), "reason": system_reason(error)}
                raise NotWrittenError(Said("analysing.not_written", values)) from error
        return analysis

    def _read_tournament(self) -> Mapping[str, FixtureSettled]:
        """Take the names of the entrants, and what is annulled; returns the settled fixtures.

        There may be no tournament record.
        """
        record = whole_lines(self.source.files.get(TOURNAMENT_RECORD, b""))
        settled = {}
        try:
            for _, fact in read_tournament(TOURNAMENT_RECORD, record):
                if isinstance(fact, TournamentOpened | EntrantsAdded):
                    self.names |= names_of(fact)
                elif isinstance(fact, FixtureSettled):
                    settled[fact.fixture] = fact
            self.annulled = annulled_in(self.source.files)
        except (RecordError, TournamentError) as error:
            self.warnings.append(Said("analysing.no_tournament", {"reason": error.said}))
        return settled


def strangers(files: Mapping[str, bytes], names: Iterable[str]) -> Iterator[str]:
    """Yield the records beside which something else stands in the place of an analysis."""
    for name in names:
        data = files.get(analysis_file(name), b"")
        if data and not data.startswith(BEGINNING):
            yield name


Made = bytes | Said
"""The file of an analysis, or why there is none."""


def make(evaluator: Evaluator, name: str, data: bytes, plies: int) -> Made:
    """Analyse one record."""
    from arena.analysis import EvaluatorError, analyse

    try:
        return encode_analysis(analyse(name, data, evaluator, plies))
    except (RecordError, EvaluatorError) as error:
        return error.said


def analyse_rest(run: Path, tell: Tell = pass_by) -> list[Said]:
    """Analyse the matches of a run that have no analysis which fits, one turn ahead.

    Returns what is not in order. Raises what `analysing` and `Analysing.analyses` raise.
    """
    work = analysing(source_of(run), None, 1, 1)
    work.keeps_any = True
    work.tell = tell
    for _ in work.analyses():
        pass  # they are kept
    return work.warnings


def analysing(
    source: RecordSource, weights: Path | None, plies: int, workers: int | None
) -> Analysing:
    """Get ready to analyse. Raises `NoMatchError`, `NoRecordError` and `EvaluatorError`.

    Without `workers` every core shares the matches, if they are so many that starting processes is
    worth it.
    """
    from arena.analysis import evaluator_for, read_evaluator
    from arena.games.tables.game import TablesGame

    game = _rules(source)
    if weights is None or not isinstance(game, TablesGame):
        evaluator = evaluator_for(game)
    else:
        evaluator = read_evaluator(weights, game.rules)
    if workers is None:
        is_much = sum(len(source.files[name]) for name in match_records(source.files)) > MUCH
        workers = CORES if is_much else 1
    return Analysing(source, evaluator, plies, workers)


def _rules(source: RecordSource) -> Game[Any]:
    problem: Said | None = None
    for name in match_records(source.files):
        try:
            attempts, _ = read_as_far_as_possible(name, source.files[name])
            return rules_on_record(attempts[0].opened.ruleset, attempts[0].where)
        except RecordError as error:
            problem = problem or error.said
    if problem is not None:
        raise NoRecordError(Said("analysing.no_record", {"reason": problem}))
    raise NoMatchError(Said("no_match_yet", {"path": str(source.path)}))
