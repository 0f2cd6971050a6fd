"""The audit of a report: by the one replay that the pages are made of, and as strict as `arena verify`."""

from contextlib import nullcontext

import pytest

from arena.pages.report.building import report_of
from arena.pages.report.matches import GamesWanted
from arena.records.lines import LineReader, RecordError, read_attempts
from arena.records.replay import Replay
from arena.records.snapshot import Snapshot
from arena.records.verify import verify_run
from arena.words import Said
from tests.fixtures.caller import by_these_rules
from tests.fixtures.many_forgeries import KINDS, forgery
from tests.fixtures.small_run import RECORD, small_run


@pytest.mark.parametrize("games", ["all", 0])
def test_every_record_is_read_and_replayed_once(
    games: GamesWanted, monkeypatch: pytest.MonkeyPatch
) -> None:
    """For the pages, for what can be played through, for the conduct of the bots and for the audit."""
    files = small_run()
    records_read, replayed = [], []
    read, check = LineReader.read, Replay.check
    monkeypatch.setattr(
        LineReader,
        "read",
        lambda self, name, data: records_read.append(name) or read(self, name, data),
    )
    monkeypatch.setattr(
        Replay,
        "check",
        lambda self, fact, where: replayed.append(where) or check(self, fact, where),
    )
    assert report_of(files, games=games).figures.audit.state == "in order"
    assert records_read.count(RECORD) == 1
    attempts = read_attempts(RECORD, files[RECORD])
    assert replayed == [where for attempt in attempts for where, _ in attempt.facts]


@pytest.mark.parametrize("seed", range(2 * len(KINDS)))
def test_the_audit_says_what_verification_says(seed: int) -> None:
    """Of a forgery of each kind, whether the games of its records can be played through or not."""
    forged = forgery(seed)
    with by_these_rules(forged.rules) if forged.rules else nullcontext():
        try:
            verify_run(Snapshot(forged.files))
            problem = ""
        except RecordError as error:
            problem = str(error)
        for games in ("all", 0):
            try:
                audit = report_of(forged.files, games=games).figures.audit
            except RecordError:
                assert problem, forged.what
                continue
            assert (audit.state == "in order") == (not problem), forged.what
            if problem and not isinstance(audit.sentence, Said):
                assert audit.sentence == problem, forged.what
