"""One arena for all matches of an `arena play`: a process, one venue, orders and answers."""

from __future__ import annotations

import os
import queue
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest
import trio

from arena.person import arena_process, arena_run
from arena.person.arena_process import MatchRunner
from arena.person.arena_run import ArenaRun, OwnArena, RunError, Wanted
from arena.person.orders import Answer, BeginMatch
from arena.person.seat import Seat
from arena.sample_opponents import opponent_named
from arena.server.setup.run_folder import SECRETS_FILE
from arena.server.venue.venue import Venue, open_venue
from arena.words import say
from arena.words.saying import is_of_pages
from tests.processes import await_end

PATIENCE_S = 60
opened: list[str] | None = None
"""The files that this process opens, while a test looks."""


def note_opened(event: str, arguments: tuple[Any, ...]) -> None:
    if event == "open" and opened is not None:
        opened.append(os.fsdecode(arguments[0]) if not isinstance(arguments[0], int) else "")


sys.addaudithook(note_opened)


def codes_in(value: Any) -> set[str]:
    """Return the codes of a sentence and of the sentences in it."""
    match value:
        case [str(code), dict(values)]:
            return {code}.union(*map(codes_in, values.values()))
        case [*parts]:
            return set().union(*map(codes_in, parts))
        case _:
            return set()


@contextmanager
def opened_files() -> Iterator[list[str]]:
    global opened  # noqa: PLW0603 - a hook of Python stays for good
    opened = []
    try:
        yield opened
    finally:
        opened = None


@pytest.fixture
def arena() -> Iterator[OwnArena]:
    with closing(OwnArena()) as found:
        yield found


def against(name: str, ruleset: str = "vasa") -> Wanted:
    opponent = opponent_named(name)
    assert opponent is not None
    return Wanted(opponent=name, command=opponent.command(), ruleset=ruleset)


def asked(run: ArenaRun) -> Seat:
    """The person sits down, and is asked for a turn."""
    news: queue.SimpleQueue[None] = queue.SimpleQueue()
    seat = Seat(lambda: news.put(None))
    seat.begin(run.address, run.entrant, run.tokens[run.entrant], run.folder)
    while seat.sitting.phase not in ("turn", "call"):
        news.get(timeout=PATIENCE_S)
    return seat


def resigned(seat: Seat) -> None:
    seat.leave()
    assert seat.wait(PATIENCE_S)


def number_of(arena: OwnArena) -> int:
    assert arena._process is not None
    return arena._process.pid


def is_verified(folder: Path) -> bool:
    words = [sys.executable, "-m", "arena", "verify", str(folder)]
    return subprocess.run(words, capture_output=True, check=False).returncode == 0


@pytest.mark.slow
def test_one_match_follows_the_other_in_the_same_process(arena: OwnArena, tmp_path: Path) -> None:
    """At once after the person has resigned, with another ruleset and opponent, and back to the first."""
    matches = [("greedy", "vasa"), ("brandubh-easy", "brandubh-1"), ("greedy", "vasa")]
    numbers, runs = [], []
    for place, (name, ruleset) in enumerate(matches):
        run = arena.play(tmp_path / f"run-{place}", against(name, ruleset))
        seat = asked(run)
        assert str(seat.sitting.rules.name) == ruleset
        resigned(seat)
        numbers.append(number_of(arena))
        runs.append(run)
    assert len(set(numbers)) == 1
    for run in runs:
        assert run.wait(PATIENCE_S)
        assert '"event":"tournament_ended"' in (run.folder / "tournament.jsonl").read_text()
    assert is_verified(runs[1].folder)


def test_tokens_come_by_the_answers_of_the_arena_and_from_no_file(
    arena: OwnArena, tmp_path: Path
) -> None:
    with opened_files() as files:
        run = arena.play(tmp_path / "run", against("random"))
        asked(run)
    secrets = run.folder / SECRETS_FILE
    assert run.tokens[run.entrant] in secrets.read_text()
    assert any(name.endswith("tournament.toml") for name in files), "what is opened is seen"
    assert not [name for name in files if SECRETS_FILE in name]


def test_a_match_that_is_refused_says_why_and_leaves_the_arena_for_the_next(
    arena: OwnArena, tmp_path: Path
) -> None:
    """In codes and values, for the language of the page."""
    begun = tmp_path / "begun"
    run = arena.play(begun, against("random"))
    before = number_of(arena)
    with pytest.raises(RunError) as refused:
        arena.play(begun, against("random"))
    assert refused.value.said.code == "no_run.taken"
    run.stop()
    broken = tmp_path / "broken.py"
    broken.write_text("raise SystemExit('no board here')\n")
    with pytest.raises(RunError) as unfit:
        arena.play(tmp_path / "unfit", Wanted(opponent="broken", command=f"python {broken}"))
    assert say(unfit.value.said).splitlines() == [
        "bot broken failed the check before the match: its program ended with exit status 1; last words: no board here",
        f'see all its output: arena check "python {broken}"',
    ]
    assert "sista orden: no board here" in say(unfit.value.said, "sv")
    lazy = tmp_path / "lazy.py"
    lazy.write_text("print('done')\n")
    with pytest.raises(RunError) as idle:
        arena.play(tmp_path / "idle", Wanted(opponent="lazy", command=f"python {lazy}"))
    assert "rehearsal.never_connected" in codes_in(idle.value.said)
    for error in (refused, unfit, idle):
        assert [code for code in codes_in(error.value.said) if not is_of_pages(code)] == []
    with pytest.raises(RunError) as missing:
        arena.play(tmp_path / "missing", Wanted(opponent="none", command="no-such-program"))
    assert missing.value.said.code == "plan.of_bot"
    strangers = tmp_path / "strangers"
    strangers.mkdir()
    (strangers / "letter.txt").write_text("not a run\n")
    with pytest.raises(RunError) as holds:
        arena.play(strangers, against("random"))
    assert holds.value.said.code == "run_folder.holds_files"
    assert not any(
        (tmp_path / name / "tournament.toml").exists() for name in ("unfit", "missing", "strangers")
    )
    asked(arena.play(tmp_path / "next", against("random")))
    assert number_of(arena) == before


@pytest.mark.slow
def test_a_match_that_was_ended_is_gone_on_with_in_the_same_arena(
    arena: OwnArena, tmp_path: Path
) -> None:
    run = arena.play(tmp_path / "run", against("random"))
    question = asked(run).sitting.question
    before = number_of(arena)
    run.stop()
    assert run.is_over
    again = arena.play(run.folder, None)
    seat = asked(again)
    assert (seat.sitting.question, number_of(arena)) == (question, before)
    resigned(seat)
    assert again.wait(PATIENCE_S)
    with pytest.raises(RunError, match="is over; look at it with arena report"):
        arena.play(run.folder, None)


@pytest.mark.slow
def test_after_a_kill_of_the_arena_the_seat_says_so_and_the_next_match_starts_another(
    arena: OwnArena, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At once, though the system may still count the old process among those that run."""
    run = arena.play(tmp_path / "run", against("random"))
    seat = asked(run)
    before = number_of(arena)
    os.kill(before, signal.SIGKILL)
    assert seat.wait(PATIENCE_S)
    assert seat.sitting.phase == "left"
    assert seat.sitting.why_left is not None
    assert run.wait(PATIENCE_S)
    monkeypatch.setattr(arena._process, "poll", lambda: None)
    asked(arena.play(run.folder, None))
    assert number_of(arena) != before


@pytest.mark.slow
def test_the_arena_ends_in_good_order_when_those_who_play_are_gone(tmp_path: Path) -> None:
    """They are killed: a process of their own stands for them."""
    program = (
        "import sys; from pathlib import Path; from arena.person.arena_run import OwnArena, Wanted;"
        "from arena.sample_opponents import opponent_named;"
        "arena = OwnArena();"
        "arena.play(Path('run'), Wanted(opponent='random', command=opponent_named('random').command()));"
        "print(arena._process.pid, flush=True); sys.stdin.read()"
    )
    pipe = subprocess.PIPE
    with subprocess.Popen(
        [sys.executable, "-c", program], stdin=pipe, stdout=pipe, cwd=tmp_path
    ) as pages:
        assert pages.stdout is not None
        number = int(pages.stdout.readline())
        pages.kill()
    await_end(number)
    with closing(OwnArena()) as arena:
        asked(arena.play(tmp_path / "run", None))  # its folder is free


def test_an_arena_that_stands_still_is_ended(
    arena: OwnArena, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = arena.play(tmp_path / "run", against("random"))
    monkeypatch.setattr(arena_run, "STOP_SECONDS", 0.1)
    assert arena._process is not None
    arena._process.send_signal(signal.SIGSTOP)
    run.stop()
    assert arena._process.wait(PATIENCE_S) == -signal.SIGKILL
    assert run.wait(PATIENCE_S)


# In this process, without programs: two persons play


class Ordered:
    """Orders to a venue, and its answers."""

    def __init__(self, venue: Venue, nursery: trio.Nursery, folder: Path) -> None:
        number, self._answers = os.pipe()
        self._lines = os.fdopen(number, "rb")
        self._folder = folder
        self._runner = MatchRunner(venue, nursery, self._answers)

    async def begin(self, name: str) -> None:
        wanted = Wanted(opponent="Bo", command=None, name="Anna")
        await self._runner.obey(BeginMatch(run=str(self._folder / name), text=wanted.text()))

    async def heard(self) -> Any:
        line = await trio.to_thread.run_sync(self._lines.readline)
        return msgspec.json.decode(line, type=Answer)

    async def close(self) -> None:
        await self._runner.close()
        os.close(self._answers)
        self._lines.close()


@pytest.fixture
async def ordered(nursery: trio.Nursery, tmp_path: Path) -> AsyncIterator[Ordered]:
    async with open_venue(lambda _: None) as venue:
        found = Ordered(venue, nursery, tmp_path)
        yield found
        await found.close()


async def test_a_failure_of_the_arena_ends_one_match_alone(
    ordered: Ordered, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    async def fail(*_: object) -> None:
        raise ZeroDivisionError

    with monkeypatch.context() as patched:
        patched.setattr(arena_process, "play_in", fail)
        await ordered.begin("one")
        assert (await ordered.heard()).why.code == "no_run.failed"
    assert "ZeroDivisionError" in capsys.readouterr().err
    await ordered.begin("two")
    order = await ordered.heard()
    assert [seat.entrant for seat in order.seats] == ["anna", "bo"]


async def test_a_match_that_is_not_settled_in_time_is_ended_before_the_next(
    ordered: Ordered, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both have seats of the same persons, who may be in one place alone."""
    monkeypatch.setattr(arena_process, "SETTLE_SECONDS", 0.01)
    for name in ("one", "two"):
        await ordered.begin(name)
    answers = [await ordered.heard() for _ in range(3)]
    assert [type(answer).__name__ for answer in answers] == [
        "SeatOrder",
        "MatchClosed",
        "SeatOrder",
    ]
    assert answers[1].why is None
    assert Path(answers[1].run).name == "one"
    assert answers[0].seats[0].token != answers[2].seats[0].token
    assert answers[0].seats[0].token not in repr(answers)


def test_nothing_that_serves_a_person_knows_where_secrets_are() -> None:
    """Pages and seats get tokens by a pipe, also in tournaments."""
    package = Path(arena_run.__file__).parents[1]
    for room in ("pages", "person"):
        for path in (package / room).rglob("*.py"):
            text = path.read_text(encoding="utf-8")
            assert not [
                word for word in ("SECRETS_FILE", "secrets.json", "read_secrets") if word in text
            ], path
