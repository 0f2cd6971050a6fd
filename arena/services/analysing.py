"""The analysis of the records of a run, kept in files beside the records."""

from __future__ import annotations

import hashlib
from collections import deque
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from arena.analysis import Evaluator, EvaluatorError, analyse, evaluator_for, read_evaluator
from arena.analysis.processes import new_pool
from arena.games import Game
from arena.games.tables.game import TablesGame
from arena.records.analysed import (
    BEGINNING,
    Analysis,
    AnalysisFileError,
    AnalysisHead,
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

MUCH: Final = 500_000
"""Bytes of records that take longer than starting a process: some 1,500 turns."""


class OtherFileError(RefusedError):
    """Another file is in the place of an analysis."""


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
    """The analysis of all match records of a source; its warnings are complete at its end."""

    source: RecordSource
    evaluator: Evaluator
    plies: int
    workers: int
    keeps_any: bool = False
    """True if an analysis that fits its record stays, made with any evaluator."""
    for_luck: bool = False
    """True if an analysis with another number of turns ahead stays; its luck is the same."""
    only: Container[str] | None = None
    """The records to analyse; None for all."""
    reads: bool = True
    """True if analyses are read from the run folder."""
    writes: bool = True
    """True if new analyses are written there."""
    tell: Tell = pass_by
    """Called with the number of matches that are done."""
    warnings: list[Said] = field(default_factory=list)
    """Problems of records and of the tournament record."""
    names: dict[str, str] = field(default_factory=dict)
    """The display names of entrants, by id."""
    annulled: frozenset[str] = frozenset()
    """The matches that do not count because an entrant was withdrawn (M5)."""

    @property
    def folder(self) -> Path | None:
        """The run folder in which analyses are kept; None for a record by itself."""
        if self.source.path.is_dir():
            return self.source.path
        parent = self.source.path.absolute().parent
        if parent.name == MATCHES.rstrip("/") and self.source.path.suffix == ".jsonl":
            return parent.parent
        return None

    def analyses(self) -> Iterator[Analysis]:
        """Yield the analysis of each match that can be analysed.

        It is read from its file, or made now and, if `writes`, kept. Problems become `warnings`.
        Raises `OtherFileError`, `WorkerEndedError` and `NotWrittenError`.
        """
        names = self._records()
        if self.writes:
            self.refuse_other_files(names)
        settled = self._read_tournament()
        self.tell(Advance(0, len(names)))
        for done, (name, analysis) in enumerate(self._each(names), 1):
            self._warn(name, analysis, settled.get(fixture_of(name)))
            if analysis is not None:
                yield analysis
            self.tell(Advance(done, len(names)))

    def refuse_other_files(self, names: Iterable[str]) -> None:
        """Raise `OtherFileError` if the analysis of one of these records is another file."""
        for name in beside_other_files(self._files, names):
            raise OtherFileError(Said("analysing.stranger", {"file": analysis_file(name)}))

    def _records(self) -> list[str]:
        """Return the names of the records to analyse."""
        names = []
        for name in match_records(self.source.files):
            is_wanted = self.only is None or name in self.only
            if is_wanted and self.source.files[name]:
                names.append(name)
        return names

    def _warn(self, name: str, analysis: Analysis | None, settled: FixtureSettled | None) -> None:
        """Warn of a record that is broken, or is another one than its fixture settled."""
        if analysis is not None and analysis.head.broken:
            reason = quoted(analysis.head.broken)
            self.warnings.append(Said("analysing.broken", {"reason": reason}))
        elif settled is not None:
            sha256 = hashlib.sha256(self.source.files[name]).hexdigest()
            if sha256 != settled.record_sha256:
                self.warnings.append(Said("analysing.changed", {"record": name}))

    def _each(self, names: Sequence[str]) -> Iterator[tuple[str, Analysis | None]]:
        """Yield every record with its analysis, or None if nothing of the record can be read."""
        if self.workers > 1:
            return self._each_in_pool(names)
        return zip(names, map(self.analysed, names), strict=True)

    def analysed(self, name: str) -> Analysis | None:
        """Return the analysis of a record, read or made now; None, and a warning, without one.

        Raises `NotWrittenError`.
        """
        record = self.source.files[name]
        analysis = self._kept(name, record)
        if analysis is None:
            analysis = self._keep(name, make(self.evaluator, name, record, self.plies))
        return analysis

    def _each_in_pool(self, names: Iterable[str]) -> Iterator[tuple[str, Analysis | None]]:
        """Yield every record with its analysis; several processes make those that are missing.

        Only some analyses are made ahead, so that memory stays small. Raises `WorkerEndedError`.
        """
        pool = new_pool(self.workers)
        waiting: deque[tuple[str, Analysis | Future[Made]]] = deque()
        try:
            for name in names:
                record = self.source.files[name]
                kept = self._kept(name, record)
                if kept is not None:
                    waiting.append((name, kept))
                else:
                    work = pool.submit(make, self.evaluator, name, record, self.plies)
                    waiting.append((name, work))
                while len(waiting) > 2 * self.workers:
                    yield self._awaited(*waiting.popleft())
            while waiting:
                yield self._awaited(*waiting.popleft())
        except BrokenProcessPool as error:
            raise WorkerEndedError(Said("analysing.worker_ended")) from error
        finally:
            pool.shutdown(cancel_futures=True)

    def _awaited(self, name: str, work: Analysis | Future[Made]) -> tuple[str, Analysis | None]:
        """Return a record with its analysis, as soon as that is made."""
        if isinstance(work, Analysis):
            return name, work
        return name, self._keep(name, work.result())

    def _kept(self, name: str, record: bytes) -> Analysis | None:
        """Return the analysis from its file, if it is of this record and of the right evaluator."""
        if not self.reads:
            return None
        try:
            analysis = decode_analysis(self._files.get(analysis_file(name), b""))
        except AnalysisFileError:
            return None
        if self._fits(analysis.head) and analysis.head.record_sha256 == sha256_of(record):
            return analysis
        return None

    def _fits(self, head: AnalysisHead) -> bool:
        """Return whether an analysis was made in the way that is asked for."""
        if self.keeps_any:
            return True
        evaluator = self.evaluator.name, self.evaluator.sha256
        if (head.evaluator, head.evaluator_sha256) != evaluator:
            return False
        return self.for_luck or head.plies == self.plies

    @property
    def _files(self) -> Mapping[str, bytes]:
        """The files of the run folder; empty without one."""
        if self.folder is None:
            return {}
        return self.source.files

    def _keep(self, name: str, outcome: Made) -> Analysis | None:
        """Write a new analysis beside its record and return it; note a record without one."""
        if not isinstance(outcome, bytes):
            self.warnings.append(Said("analysing.left_out", {"reason": outcome}))
            return None
        analysis = decode_analysis(outcome)
        if self.folder is not None and self.writes:
            path = self.folder / analysis_file(name)
            try:
                write_inside(self.folder, analysis_file(name), outcome, mode=0o640)
            except OSError as error:
                values = {"file": str(path), "reason": system_reason(error)}
                raise NotWrittenError(Said("analysing.not_written", values)) from error
        return analysis

    def _read_tournament(self) -> Mapping[str, FixtureSettled]:
        """Keep the names of the entrants and the annulled matches; return the settled fixtures.

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
        if not record:
            for name in self._records():
                attempts, _ = read_as_far_as_possible(name, self.source.files[name])
                for attempt in attempts:
                    self.names |= zip(attempt.opened.entrants, attempt.opened.shown, strict=True)
        return settled


def beside_other_files(files: Mapping[str, bytes], names: Iterable[str]) -> Iterator[str]:
    """Yield the records with another file in the place of their analysis."""
    for name in names:
        content = files.get(analysis_file(name), b"")
        if content and not content.startswith(BEGINNING):
            yield name


Made = bytes | Said
"""The file of an analysis, or why there is none."""


def make(evaluator: Evaluator, name: str, record: bytes, plies: int) -> Made:
    """Analyse one record."""
    try:
        return encode_analysis(analyse(name, record, evaluator, plies))
    except (RecordError, EvaluatorError) as error:
        return error.said


def analyse_rest(run: Path, tell: Tell = pass_by) -> list[Said]:
    """Analyse the matches of a run that have no analysis which fits, one turn ahead.

    Returns the warnings. Raises what `analysing` and `Analysing.analyses` raise.
    """
    work = analysing(source_of(run), None, 1, 1)
    work.keeps_any = True
    work.tell = tell
    for _ in work.analyses():
        pass  # they are kept
    return work.warnings


def analysing(
    source: RecordSource,
    weights: Path | None,
    plies: int,
    workers: int | None,
    judge: str | None = None,
) -> Analysing:
    """Get ready to analyse. Raises `NoMatchError`, `NoRecordError` and `EvaluatorError`.

    With a `judge`, which can only be "bgsage", that package judges and no weights do.
    Without `workers` all cores share the matches, if these take longer than starting processes.
    """
    from arena.analysis.second_judge import sage_evaluator

    game = _rules(source)
    if judge is not None:
        evaluator: Evaluator = sage_evaluator(game)
    elif weights is None or not isinstance(game, TablesGame):
        evaluator = evaluator_for(game)
    else:
        evaluator = read_evaluator(weights, game.rules)
    if workers is None:
        size = sum(len(source.files[name]) for name in match_records(source.files))
        workers = CORES if size > MUCH else 1
    return Analysing(source, evaluator, plies, workers)


def _rules(source: RecordSource) -> Game[Any]:
    """Return the game of the first match that can be read.

    Raises `NoRecordError` and `NoMatchError`.
    """
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
