"""An arena that was stopped at any byte: the run goes on, verifies, and no finished game is lost."""

import errno
import json
import os
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
import trio

from arena.records.facts import STOPPED, TournamentOpened
from arena.records.lines import RecordError, tournament_lines
from arena.records.verify import verify_run
from arena.server.io import secret_values
from arena.server.io.clock import RunClock
from arena.server.run.tournament_log import TournamentLog
from arena.server.setup.run_folder import RunFolder, Secrets
from arena.server.setup.tournament_file import parse_plan
from tests.fixtures.sitting import SEED
from tests.fixtures.small_run import FILE, FIXTURE, RECORD, small_run, voided_attempt

LEDGER = "tournament.jsonl"
PLAN = FILE.decode()
SEEDS = {1: SEED, 2: bytes(range(32, 64))}


def written() -> tuple[list[bytes], list[bytes], int]:
    """The lines of both records of a whole run, and how many of the match record's are of the first attempt."""
    record = small_run()[RECORD].splitlines(keepends=True)
    tournament_log = small_run()[LEDGER].splitlines(keepends=True)
    opened = tournament_lines.read_line("here", tournament_log[0].rstrip())
    assert isinstance(opened, TournamentOpened)
    assert opened.terms == parse_plan(PLAN).terms
    first = next(number for number, line in enumerate(record) if b"record_closed" in line) + 1
    return tournament_log, record, first


def states() -> Iterator[tuple[int, int]]:
    """How many lines of both records were on the disk when the arena was stopped, moment by moment."""
    _, record, first = written()
    yield 0, 0
    yield 1, 0
    yield from ((2, number) for number in range(first + 1))
    yield 3, first
    yield from ((4, number) for number in range(first, len(record) + 1))
    yield 5, len(record)
    yield 6, len(record)


@pytest.fixture(autouse=True)
def _known_seeds(monkeypatch: pytest.MonkeyPatch) -> None:
    """The seeds the records of the small run were made with."""
    monkeypatch.setattr(secret_values, "dice_seed", lambda _key, _fixture, attempt: SEEDS[attempt])


def write_run(path: Path, in_ledger: bytes, in_record: bytes) -> None:
    """A folder as the killed arena left it."""
    (path / "matches").mkdir(parents=True)
    (path / "bots").mkdir()
    (path / "tournament.toml").write_text(PLAN)
    (path / LEDGER).write_bytes(in_ledger)
    if in_record:
        (path / RECORD).write_bytes(in_record)
    folder = RunFolder(path)
    folder.write_secrets(Secrets(dice_key="00" * 32))


def resume(path: Path, now: RunClock) -> TournamentLog:
    """Do what `arena run` does first in a folder with a run."""
    folder = RunFolder(path)
    folder.open(PLAN)
    with closing(folder):
        tournament_log = TournamentLog(parse_plan(PLAN), folder, now, lambda _: None)
        with closing(tournament_log):
            trio.run(
                tournament_log.finish
                if tournament_log.state.is_finished
                else tournament_log.settle_leftovers
            )
    return tournament_log


class Later(RunClock):
    """A clock that stands still, after everything in the small run."""

    def __init__(self) -> None:
        self.ahead_ms = 0

    def now_ms(self) -> int:
        """An hour later."""
        return 1_700_003_600_000


class Back(RunClock):
    """A clock that stands still an hour before the small run, unless it is set forward."""

    def __init__(self) -> None:
        self.ahead_ms = 0

    def now_ms(self) -> int:
        """The time it was set to."""
        return 1_699_996_400_000 + self.ahead_ms


@pytest.mark.parametrize(
    ("state", "torn"),
    [(state, 0) for state in states()]
    + [(state, 1 + 39 * (state[1] % 2)) for state in list(states())[::3]],
    ids=lambda value: (
        "-".join(map(str, value)) if isinstance(value, tuple) else f"and {value} bytes"
    ),
)
def test_stopped_between_or_in_any_two_lines_the_run_goes_on_and_verifies(
    tmp_path: Path, state: tuple[int, int], torn: int
) -> None:
    """What was complete is settled, the rest is taken up, and `verify` finds everything in order, twice in a row."""
    tournament_log, record, first = written()
    flag = next(number for number, line in enumerate(record) if b"flag_fell" in line)
    in_ledger, in_record = b"".join(tournament_log[: state[0]]), b"".join(record[: state[1]])
    if torn and state[1] < len(record) and state[0] in (2, 4):
        in_record += record[state[1]][:torn]
    elif torn and state[0] < len(tournament_log):
        in_ledger += tournament_log[state[0]][:torn]
    path = tmp_path / "run"
    write_run(path, in_ledger, in_record)

    resumed = resume(path, Later())
    assert resumed.state.is_finished == (state[0] == 6)

    files = dict(RunFolder(path).files)
    found = verify_run(files)
    resume(path, Later())
    assert dict(RunFolder(path).files) == files
    assert files.get(RECORD, b"").startswith(in_record if not torn else b"")
    facts = [json.loads(line) for line in files[LEDGER].splitlines()]
    open_attempts = [fact for fact in facts if fact["event"] == "fixture_issued"]
    ends = [fact for fact in facts if fact["event"] in ("fixture_settled", "fixture_voided")]
    assert len(open_attempts) == len(ends) + len(resumed.under_way)
    begin = 0 if state[0] == 2 else first
    settled = next(
        number for number in range(begin, len(record)) if b'"game_started"' in record[number]
    )
    is_stopped = (
        state[0] in (2, 4) and state[1] < settled
    )  # before the fact by which the first game begins
    assert [fact["reason"] for fact in ends if fact.get("reason") == [*STOPPED]] == [
        [*STOPPED]
    ] * is_stopped
    assert found.fixtures == int(
        state[0] >= 4 and state[1] > flag
    )  # what follows from it ends the match
    assert found.is_finished == (state[0] == 6)


@pytest.mark.parametrize("kept", ["nothing", "the header", "one reveal", "both reveals"])
def test_who_removes_the_beginning_of_a_match_gets_other_dice_only_by_a_void_attempt(
    tmp_path: Path, kept: str
) -> None:
    tournament_log, record, _ = written()
    reveals = [number for number, line in enumerate(record) if b'"entropy_revealed"' in line]
    lines = {
        "nothing": 0,
        "the header": 1,
        "one reveal": reveals[0] + 1,
        "both reveals": reveals[1] + 1,
    }[kept]
    path = tmp_path / "run"
    write_run(path, b"".join(tournament_log[:2]), b"".join(record[:lines]))
    resumed = resume(path, Later())
    ends = [json.loads(line) for line in (path / LEDGER).read_bytes().splitlines()[2:]]
    if kept == "both reveals":
        assert ([*resumed.under_way], ends) == ([FIXTURE], [])
        return
    assert [(end["event"], end["attempt"], end["reason"]) for end in ends] == [
        ("fixture_voided", 1, [*STOPPED])
    ]
    assert resumed.under_way == {}
    verify_run(dict(RunFolder(path).files))


def test_a_clock_that_was_set_back_meanwhile_is_set_forward_to_the_record(tmp_path: Path) -> None:
    """No line is earlier than the one before it, whatever the system's clock says after a restart."""
    tournament_log, record, first = written()
    write_run(tmp_path / "run", b"".join(tournament_log[:2]), b"".join(record[: first - 4]))
    clock = Back()
    [under_way] = resume(tmp_path / "run", clock).under_way.values()
    assert clock.now_ms() >= under_way.facts[-1].at_ms > Back().now_ms()


def test_without_the_secrets_a_match_under_way_cannot_be_taken_up_and_that_is_said(
    tmp_path: Path,
) -> None:
    tournament_log, record, _ = written()
    path = tmp_path / "run"
    write_run(path, b"".join(tournament_log[:2]), b"".join(record[:4]))
    (path / "secrets.json").unlink()
    with pytest.raises(RecordError, match="secrets"):
        resume(path, Later())


def test_no_match_is_issued_with_a_dice_key_that_could_not_be_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "run"
    folder = RunFolder(path)
    folder.open(PLAN)
    tournament_log = TournamentLog(parse_plan(PLAN), folder, Later(), lambda _: None)
    (fixture,) = tournament_log.state.left_to_play()

    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("arena.server.setup.run_folder.write_inside", full)
    for _ in range(2):
        with pytest.raises(OSError, match="No space left"):
            trio.run(tournament_log.issue, fixture)
    monkeypatch.undo()
    tournament_log.close()
    folder.close()
    assert b"fixture_issued" not in (path / LEDGER).read_bytes()
    assert not resume(path, Later()).under_way


async def test_a_match_is_settled_no_earlier_than_it_ended(tmp_path: Path) -> None:
    """Though the worker that played it has a clock that is ahead of ours."""
    tournament_log, record, first = written()
    write_run(tmp_path / "run", b"".join(tournament_log[:2]), b"".join(record[:first]))
    folder = RunFolder(tmp_path / "run")
    folder.open(PLAN)
    clock = Back()
    with closing(folder), closing(TournamentLog(parse_plan(PLAN), folder, clock, print)) as log:
        await log.settle_leftovers()
    voided = json.loads((tmp_path / "run" / LEDGER).read_bytes().splitlines()[-1])
    end = voided_attempt().end
    assert end is not None
    assert voided["event"] == "fixture_voided"
    assert voided["at_ms"] >= end.at_ms > Back().now_ms()
