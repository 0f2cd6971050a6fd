"""The analysis of a venue's matches in the background: what is analysed, in which order, what is told."""

import errno
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from arena.records.files import analysis_file
from arena.server.setup.referee_lines import Opened, Pulse
from arena.server.setup.venue_folder import VenueFolder
from arena.services import serving
from arena.services.venue_analysis import VenueAnalysis
from arena.words import Said, say
from tests.fixtures.asked_pages import write_run
from tests.fixtures.small_run import RECORD, small_run
from tests.processes import PATIENCE_S, await_true


class Analysed:
    """A venue whose matches are analysed."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.told: list[str] = []
        log: Any = SimpleNamespace(warning=self._hear)
        self._analysis = VenueAnalysis(VenueFolder(folder), log)

    def _hear(self, _event: str, run: str, reason: Said) -> None:
        self.told.append(f"{run}: {say(reason)}")

    def add(self, run: str, second: int) -> Path:
        """Add a run with one settled match, whose record changed last at this second."""
        folder = write_run(self.folder / "runs" / run, small_run())
        os.utime(folder / "tournament.jsonl", (second, second))
        return folder

    def analyse(self) -> list[str]:
        """Analyse until nothing waits; return the runs in the order in which files came."""
        order: list[str] = []
        while self._analysis.analyse_next():
            for file in self.folder.glob(f"runs/*/{analysis_file(RECORD)}"):
                run = file.parent.parent.name
                if run not in order:
                    order.append(run)
        return order


@pytest.fixture
def venue(tmp_path: Path) -> Analysed:
    return Analysed(tmp_path / "venue")


def test_the_newest_match_is_analysed_first_and_each_once(venue: Analysed) -> None:
    venue.add("old", 1)
    venue.add("late", 3)
    venue.add("between", 2)
    assert venue.analyse() == ["late", "between", "old"]
    kept = venue.folder / "runs" / "old" / analysis_file(RECORD)
    made_ns = kept.stat().st_mtime_ns
    again = Analysed(venue.folder)
    again.add("next", 4)
    again.analyse()
    assert (kept.stat().st_mtime_ns, again.told) == (made_ns, [])
    assert (venue.folder / "runs" / "next" / analysis_file(RECORD)).exists()


def test_a_match_that_is_not_settled_is_left_alone(venue: Analysed) -> None:
    folder = venue.add("day", 1)
    record = (folder / "tournament.jsonl").read_bytes()
    before, settled, after = record.partition(b'{"event":"fixture_settled"')
    (folder / "tournament.jsonl").write_bytes(before)
    assert venue.analyse() == []
    (folder / "tournament.jsonl").write_bytes(before + settled + after)
    os.utime(folder / "tournament.jsonl", (2, 2))
    assert venue.analyse() == ["day"]


def test_what_cannot_be_analysed_is_told_once_and_left_out(
    venue: Analysed, monkeypatch: pytest.MonkeyPatch
) -> None:
    damaged = venue.add("damaged", 1)
    (damaged / RECORD).write_text("{}\n")
    strange = venue.add("strange", 2)
    (strange / "analysis").mkdir()
    (strange / analysis_file(RECORD)).write_text("a letter")
    venue.add("removed", 3)
    (venue.folder / "runs" / "removed" / RECORD).unlink()
    assert venue.analyse() == ["strange"]  # by the letter
    assert venue.analyse() == []
    assert [line.partition(":")[0] for line in venue.told] == ["removed", "strange", "damaged"]
    assert "is not an analysis of a match; move it away" in venue.told[1]
    assert (strange / analysis_file(RECORD)).read_text() == "a letter"
    venue.told.clear()
    monkeypatch.setattr("arena.services.analysing.write_inside", _refuse)
    venue.add("full", 4)
    assert venue.analyse() == ["strange"]
    assert len(venue.told) == 1


def _refuse(*_: object, **__: object) -> None:
    raise OSError(errno.ENOSPC, "no space left")


def test_a_ruleset_without_an_evaluator_is_left_out_without_a_word(
    venue: Analysed, monkeypatch: pytest.MonkeyPatch
) -> None:
    from arena.analysis import EvaluatorError

    def refuse(*_: object) -> None:
        raise EvaluatorError(Said("evaluator.none", {"ruleset": "vasa", "known": ""}))

    monkeypatch.setattr("arena.services.analysing.evaluator_for", refuse)
    venue.add("day", 1)
    assert (venue.analyse(), venue.told) == ([], [])


HURRIED = """
import os
os.nice = lambda _: print("nice", flush=True)
from arena.services import venue_analysis
venue_analysis.lower_session = lambda *_: None
venue_analysis.main()
"""
"""The process with its priority as it was: a busy machine would else let it wait for minutes."""


def test_the_process_has_a_low_priority_and_ends_with_its_input(venue: Analysed) -> None:
    folder = venue.add("day", 1)
    with subprocess.Popen(
        [sys.executable, "-c", HURRIED, str(venue.folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as process:
        try:
            await_true((folder / analysis_file(RECORD)).exists, seconds=PATIENCE_S)
            assert process.stdin is not None
            assert process.stdout is not None
            assert process.stdout.readline() == b"nice\n"
            process.stdin.close()
            assert process.wait(PATIENCE_S) == -signal.SIGTERM
        finally:
            process.kill()


class Child:
    """Stands for a process of the venue."""

    def __init__(self, states: list[str]) -> None:
        self._states = states
        self.hear: Callable[[bytes], object] = lambda _: None

    async def keep(self) -> None:
        self._states.append("begun")

    async def end(self, _seconds: float) -> None:
        self._states.append("ended")

    def send_line(self, _line: bytes) -> None:
        pass


@pytest.mark.parametrize("pause", [None, Said("pairing.disk_low", {"free": 4, "least": 5})])
async def test_matches_are_analysed_while_the_file_says_so_and_the_disk_has_room(
    pause: Said | None,
) -> None:
    import msgspec
    import trio

    states: list[str] = []
    parent: Any = serving._Parent(
        Child([]),  # type: ignore[arg-type]
        Child([]),  # type: ignore[arg-type]
        lambda: Child(states),  # type: ignore[arg-type, return-value]
        lambda _: None,
        lambda _: None,
    )
    pulse = Pulse(
        turned_at_s=0,
        matches_in_play=0,
        seats=2,
        matches_finished_total=0,
        bots_connected=0,
        turn_lag_seconds=0,
        disk_free_ratio=1,
        disk_free_bytes=1,
        is_door_open=True,
    )
    stopped = msgspec.structs.replace(pulse, pairing_stopped=pause)
    off = Opened(analyses=pause is not None)
    async with trio.open_nursery() as parent._nursery:
        for message in (pulse, Opened(analyses=True), pulse, pulse, off, stopped, stopped):
            parent._hear(msgspec.json.encode(message))
            await trio.testing.wait_all_tasks_blocked()
        assert states == ["begun", "ended"]
        for message in (Opened(analyses=True), pulse):
            parent._hear(msgspec.json.encode(message))
            await trio.testing.wait_all_tasks_blocked()
        assert states == ["begun", "ended", "begun"]
