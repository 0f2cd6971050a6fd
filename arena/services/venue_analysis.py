"""The analysis of the matches of a venue: a process of low priority below `arena serve`.

It looks for settled matches without an analysis, the newest first, and keeps for each what
`arena analyse` would keep. Nothing waits for it. It ends with its standard input. To standard
output it writes what the operator should know.
"""

import os
import sys
import time
from pathlib import Path
from typing import Final

import msgspec

from arena.analysis import EvaluatorError
from arena.records.facts import FixtureSettled
from arena.records.files import TOURNAMENT_RECORD, match_record
from arena.records.lines import whole_lines
from arena.server.io.clock import system_time_ms
from arena.server.io.disk import read_inside
from arena.server.io.failures import reason_of_all
from arena.server.io.line_pipes import LineSender, end_with_input
from arena.server.io.operator_log import Event, Log, operator_log
from arena.server.programs.cpu_share import LOWEST, lower_session
from arena.server.setup.referee_lines import Logged
from arena.server.setup.venue_folder import VenueFolder
from arena.services.analysing import Analysing, NotWrittenError, analysing
from arena.services.sources import source_of
from arena.words import Said, SaidError

CORE_SHARE: Final = 0.5
"""The most that it takes of a core."""
LOOK_SECONDS: Final = 3.0
"""Time between two looks for matches when none waits."""
_SETTLED: Final = b'{"event":"fixture_settled"'


class _Run:
    """A run of the venue, with the settled matches that wait for a look."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.waiting: list[str] = []
        """Their records, the newest last."""
        self.is_left_out = False
        self._changed_ns = 0
        self._read_bytes = 0

    def read_on(self) -> None:
        """Note the matches that were settled since the last look.

        Raises `OSError` and `msgspec.MsgspecError`.
        """
        changed_ns = (self.folder / TOURNAMENT_RECORD).stat().st_mtime_ns
        if changed_ns == self._changed_ns:
            return
        lines = whole_lines(read_inside(self.folder, TOURNAMENT_RECORD))
        for line in lines[self._read_bytes :].splitlines():
            if line.startswith(_SETTLED):
                settled = msgspec.json.decode(line, type=FixtureSettled)
                self.waiting.append(match_record(settled.fixture))
        self._changed_ns = changed_ns
        self._read_bytes = len(lines)


class VenueAnalysis:
    """Analyses one match of a venue after the other."""

    def __init__(self, folder: VenueFolder, log: Log) -> None:
        self._folder = folder
        self._log = log
        self._runs: dict[Path, _Run] = {}
        self._work: tuple[_Run, Analysing] | None = None
        """The run of the last match, with its evaluator."""

    def analyse_next(self) -> bool:
        """Analyse the newest match that waits; return whether there was one."""
        run = self._newest_run()
        if run is None:
            return False
        record = run.waiting.pop()
        try:
            self._analyse(run, record)
        except NotWrittenError as error:
            run.is_left_out = True
            self._tell(run, error.said)
        except (OSError, SaidError) as error:
            self._tell(run, reason_of_all(error))
        return True

    def _newest_run(self) -> _Run | None:
        """Return the run with the latest lines that has matches waiting."""
        changed: list[tuple[float, Path]] = []
        for record in self._folder.runs.glob(f"*/{TOURNAMENT_RECORD}"):
            try:
                changed.append((record.stat().st_mtime, record.parent))
            except FileNotFoundError:
                continue  # the operator has just removed it
        for _, folder in sorted(changed, reverse=True):
            run = self._runs.setdefault(folder, _Run(folder))
            if run.is_left_out:
                continue
            try:
                run.read_on()
            except (OSError, msgspec.MsgspecError) as error:
                run.is_left_out = True
                self._tell(run, Said("analysing.no_record", {"reason": str(error)}))
            if run.waiting and not run.is_left_out:
                return run
        return None

    def _analyse(self, run: _Run, record: str) -> None:
        """Analyse a match, unless that is done.

        A run whose ruleset has no evaluator is left out. Raises `OSError` and `SaidError`.
        """
        if self._work is None or self._work[0] is not run:
            try:
                self._work = (run, analysing(source_of(run.folder), None, 1, 1))
            except EvaluatorError:
                run.is_left_out = True
                return
        _, work = self._work
        work.keeps_any = True
        work.refuse_other_files([record])
        if record in work.source.files:  # else the operator has removed it
            work.analysed(record)
        for warning in work.warnings:
            self._tell(run, warning)
        work.warnings.clear()

    def _tell(self, run: _Run, reason: Said) -> None:
        self._log.warning("not_analysed", run=run.folder.name, reason=reason)


def analyse_all(venue: VenueAnalysis) -> None:
    """Analyse what comes, for ever."""
    while True:
        started = time.process_time()
        seconds = LOOK_SECONDS
        if venue.analyse_next():
            seconds = (time.process_time() - started) * (1 / CORE_SHARE - 1)
        time.sleep(seconds)


def main() -> None:
    """Run as the analysis of a venue; the argument is its folder."""
    [folder] = sys.argv[1:]
    os.nice(LOWEST)
    if os.getsid(0) == os.getpid():  # the parent gives it a session of its own
        lower_session(os.getpid(), LOWEST)
    parent = LineSender(sys.stdout.fileno())
    venue_folder = VenueFolder(Path(folder))

    def show(event: Event) -> None:
        parent.send(Logged(logged=dict(event)))

    with operator_log(venue_folder.operator_log, system_time_ms, show, may_lose=True) as log:
        end_with_input()
        analyse_all(VenueAnalysis(venue_folder, log))


if __name__ == "__main__":
    main()
