"""Programs that the arena starts: what they print, where they run, that they end, and what is told of their faults."""

import json
import re
import signal
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from arena.server.programs.fork_server import ForkServer
from tests.fixtures import arena_runs as runs
from tests.fixtures.operator import lines_of
from tests.processes import is_running, pids_marked


def test_what_each_bot_prints_is_kept_in_a_file_of_its_own_to_the_last_word(tmp_path: Path) -> None:
    run = runs.play(
        tmp_path, {name: runs.honest("--last-words") for name in ("anna", "bo")}, "--quiet"
    )
    assert "1 of 1 matches" in run.stdout
    assert runs.told(run.stderr) == ["NO SANDBOX for anna, bo: they can do what you can"]
    assert [run.standings()[name]["contained"] for name in ("anna", "bo")] == [["none"], ["none"]]
    assert "launched NOT CONTAINED, without a sandbox: anna, bo" in run.stdout
    for name in ("anna", "bo"):
        assert run.output_of("r1-anna-v-bo", name, "stdout") == b"my last words\n"
        assert run.output_of("r1-anna-v-bo", name, "stderr") == b"and a sigh\n"


def test_two_bots_that_both_crash_at_the_start_leave_the_match_void_after_three_attempts(
    tmp_path: Path,
) -> None:
    run = runs.play(tmp_path, {"anna": runs.rogue("exits"), "bo": runs.rogue("exits")}, status=1)
    known = f"the evidence is in {run.folder / 'evidence'}"
    told = f"void, since neither bot could play: r1-anna-v-bo; {known}"
    assert run.stderr.endswith(f"Error: no match could be played; {told}\n")
    assert list((run.folder / "bots").iterdir()) == []
    assert [fact["is_last"] for fact in run.facts("fixture_voided")] == [False, False, True]
    assert run.settled() == {}
    assert "0 of 1 matches" in run.stdout
    for name in ("anna", "bo"):
        end = "its program ended with exit status 3; it printed nothing on standard error"
        assert run.stderr.splitlines().count(f"[warning] {name} did not log in: {end}") == 3
    runs.assert_verified(run.folder)


HANGS = [sys.executable, "-c", "import time; time.sleep(60)"]


@pytest.mark.slow
def test_programs_that_hang_before_they_log_in_are_told_of(tmp_path: Path) -> None:
    run = runs.play(tmp_path, {"anna": HANGS, "bo": HANGS}, status=1, limits={"startup_ms": 500})
    for name in ("anna", "bo"):
        assert f"[warning] {name} did not log in: it took too long" in run.stderr


@pytest.mark.slow
@pytest.mark.parametrize("workers", [(), ("--workers", 1)], ids=["here", "worker"])
def test_who_stops_the_arena_while_a_program_starts_reads_nothing_bad_of_it(
    tmp_path: Path, workers: tuple[object, ...]
) -> None:
    plan = runs.write_plan(tmp_path, {"anna": runs.honest(), "bo": HANGS})
    run = runs.Run(tmp_path / "run")
    line = ("run", plan, "--out", run.folder, *workers)
    stopped = runs.stop(lambda: run.match("r1-anna-v-bo", "bot_ready"), signal.SIGINT, *line)
    assert stopped.returncode == 130
    assert "did not log in" not in stopped.stderr


def test_the_operator_reads_at_once_how_a_program_failed_and_what_it_said_last(
    tmp_path: Path,
) -> None:
    """One that ended before it logged in, and one in mid-game; what would steer the terminal is shown as its code."""
    never = [sys.executable, "-c", "import sys; sys.exit('oops \\x1b[31m')"]
    run = runs.play(
        tmp_path,
        {"anna": runs.honest(), "bo": never, "cia": runs.rogue("crash")},
        status=1,
        tournament={"format": "gauntlet-1", "challengers": ["anna"]},
    )
    end = "its program ended with exit status 1; last words: oops \\x1b[31m"
    kept = run.folder / "bots" / "r1-anna-v-bo.bo.stderr"
    assert f"bo did not log in: {end} (all in {kept})\n" in run.stderr
    assert (
        run.stderr.count(
            "cia was lost: it hung up; its program ended with exit status 7; last words: fault"
        )
        == 3
    )
    assert "anna did" not in run.stderr
    assert "anna was" not in run.stderr


def test_commands_run_in_the_current_folder_with_the_path_of_the_arena(tmp_path: Path) -> None:
    """A relative path in a command is looked for where `arena run` was called; a bot gets PATH of the environment."""
    python, _ = runs.scripted(
        tmp_path / "bot.py", "return Choice(0, info=[os.environ['PATH'], os.environ.get('KNOWN')])"
    )
    run = runs.play(
        tmp_path,
        {"anna": [python, "bot.py"], "bo": runs.honest()},
        cwd=tmp_path,
        env={"PATH": "/usr/bin:/bin:/made/up", "KNOWN": "to the arena"},
    )
    assert {cause for _, cause in run.forfeits("anna")["r1-anna-v-bo"]} == {None}
    turns = run.match("r1-anna-v-bo", "turn_played")
    assert turns
    assert all(
        turn["info"] == ["/usr/bin:/bin:/made/up", None] for turn in turns if turn["seat"] == 1
    )


@pytest.mark.slow
def test_the_programs_of_the_next_match_start_while_one_is_played(tmp_path: Path) -> None:
    """And each still has a program of its own for each match."""
    [python, file] = runs.scripted(tmp_path / "bot.py", "time.sleep(0.005); return Choice(0)")
    text = Path(file).read_text()
    Path(file).write_text(f"import time\nprint(int(time.time() * 1000), flush=True)\n{text}")
    bots = {name: [python, file] for name in ("anna", "bo")}
    run = runs.play(tmp_path, bots, tournament={"cycles": 3, "at_once": 1})
    matches = ("r1-anna-v-bo", "r2-bo-v-anna", "r3-anna-v-bo")
    over_ms = [run.match(match, "match_ended")[0]["at_ms"] for match in matches]
    for name in bots:
        started_ms = [int(run.output_of(match, name, "stdout")) for match in matches]
        assert started_ms[1] < over_ms[0]
        assert started_ms[2] < over_ms[1]
    assert all(
        cause is None
        for name in bots
        for games in run.forfeits(name).values()
        for _, cause in games
    )


# Why a game was forfeited stands where one looks: in the progress of a run, its summary and its
# standings


@pytest.mark.slow
def test_every_cause_is_told_with_its_figures(tmp_path: Path) -> None:
    bots = {
        "anna": runs.honest(),
        "wild": runs.scripted(tmp_path / "wild.py", "return [[1, 24]]"),
        "late": runs.scripted(tmp_path / "late.py", "import time; time.sleep(9)"),
        "cat": ["cat"],
    }
    clock = {"delay_ms": 400, "bank_ms": 0}
    section = {"format": "gauntlet-1", "challengers": ["anna"]}
    run = runs.play(tmp_path, bots, status=1, clock=clock, tournament=section)
    told = re.search(
        r"FORFEITS: illegal turn: 1/24 [^;]*? \(B[0-9.]+\), 3 games by wild", run.stderr
    )
    assert told, run.stderr
    assert re.search(r"FORFEITS: time: 4\d\d ms of 400 \+ 0, 3 games by late", run.stderr)
    assert "FORFEITS: no show: its program ended with exit status 0, 3 games by cat" in run.stderr
    assert "Error: cat never came to a match; their output is in " in run.stderr
    sentence = re.compile(
        r"late forfeited 3 games by time: 4\d\d ms of 400 \+ 0 \(first in r2-late-v-anna, game 1\)"
    )
    standings = runs.arena("standings", tmp_path / "run").stdout
    for shown in (run.stdout, standings):
        assert sentence.search(shown), shown
        assert "wild forfeited 3 games by illegal turn: 1/24 " in shown
    as_json = json.loads(runs.arena("standings", tmp_path / "run", "--json").stdout)
    assert any(sentence.fullmatch(one) for one in as_json["forfeits"])


# Bots that play several matches at once, on one connection: programs launched for the whole run


def lasting(command: list[str]) -> dict[str, Any]:
    """A bot that is launched once and plays four matches at the same time."""
    return {"command": command, "process": "run", "matches_at_once": 4}


def most_at_once(run: runs.Run, entrant: str) -> int:
    """How many matches of an entrant were under way at the same time, by the times of their first and last turns."""
    spans = []
    for fixture in run.settled():
        if entrant in fixture.split("-"):
            times = [fact["at_ms"] for fact in run.match(fixture) if fact["event"] == "turn_played"]
            spans.append((times[0], times[-1]))
    return max(sum(first <= moment <= last for first, last in spans) for moment, _ in spans)


@pytest.mark.slow
def test_a_bot_launched_for_the_run_is_started_once_and_plays_its_matches_at_once(
    tmp_path: Path,
) -> None:
    pids = tmp_path / "pids"
    pids.mkdir()
    bots = {name: lasting(runs.honest()) for name in ("anna", "bo", "cia")}
    run = runs.play(tmp_path, bots, env={"HOME": str(pids)}, tournament={"cycles": 4, "at_once": 6})
    assert len(list(runs.pids_left(pids))) == 3
    assert not any(map(is_running, runs.pids_left(pids)))
    assert len(run.settled()) == 12
    assert all(
        cause is None
        for name in bots
        for games in run.forfeits(name).values()
        for _, cause in games
    )
    assert {most_at_once(run, name) for name in bots} <= {2, 3, 4}
    runs.assert_verified(run.folder)


def test_a_bot_launched_for_the_run_that_crashes_forfeits_what_was_open_and_is_started_again(
    tmp_path: Path,
) -> None:
    mark = str(tmp_path)
    bots = {
        "anna": lasting(runs.honest()),
        "rogue": lasting(runs.rogue("crash", mark, at_turn=150)),
    }
    run = runs.play(tmp_path, bots, tournament={"cycles": 4, "at_once": 4})
    assert len(run.settled()) == 4
    assert pids_marked(mark) == []
    matches = [[cause for _, cause in games] for games in run.forfeits("rogue").values()]
    assert any(
        None in causes[causes.index("disconnect") :] for causes in matches if "disconnect" in causes
    )
    runs.assert_verified(run.folder)


# What an operator finds in `operator.jsonl` of the run folder, and sees with `--quiet`


def logged(run: runs.Run) -> list[dict[str, Any]]:
    """The lines of the file, without those of a machine too busy to run the arena for a moment."""
    return [
        line for line in lines_of(run.folder / "operator.jsonl") if line["event"] != "arena_stopped"
    ]


def counted(run: runs.Run) -> Counter[str]:
    """How often each event stands in the file."""
    return Counter(line["event"] for line in logged(run))


def test_a_run_in_which_nothing_happens_logs_one_event_however_many_turns_it_has(
    tmp_path: Path,
) -> None:
    run = runs.play(tmp_path, {name: runs.honest() for name in ("anna", "bo", "cia")})
    assert sum(len(run.match(fixture, "turn_played")) for fixture in run.settled()) > 200
    assert counted(run) == {"containment": 1}
    [line] = logged(run)
    assert (line["level"], line["contained_by"]) == ("info", "none")
    (run.folder / "operator.jsonl").unlink()  # it is no record
    runs.assert_verified(run.folder)


def test_quiet_leaves_what_an_operator_has_to_see_to(tmp_path: Path) -> None:
    bots = {"anna": runs.honest(), "bo": runs.honest(), "rogue": runs.rogue("crash", at_turn=2)}
    run = runs.play(tmp_path, bots, "--quiet", limits={"violations": 2})
    first, *said = runs.told(run.stderr)
    assert first == "NO SANDBOX for anna, bo, rogue: they can do what you can"
    assert all(line.startswith("[warning] rogue ") for line in said), said
    assert said.count("[warning] rogue is withdrawn after 3 violations") == 1
    lost = [line for line in logged(run) if line["event"] == "program_lost"]
    assert len(said) == len(lost) + 1
    assert {(line["name"], line["match"]) for line in lost} == {
        ("rogue", next(iter(run.forfeits("rogue"))))
    }
    assert {line["output"] for line in lost} == {
        str(run.folder / "bots" / f"{lost[0]['match']}.rogue.stderr")
    }


@pytest.mark.slow
def test_a_run_that_is_stopped_and_goes_on_says_so_in_the_same_file(tmp_path: Path) -> None:
    run = runs.Run(tmp_path / "run")
    plan = runs.write_plan(
        tmp_path, {name: runs.honest("--think-ms", 50) for name in ("anna", "bo")}
    )
    line = ("run", plan, "--out", run.folder)
    stopped = runs.stop(
        lambda: len(run.match("r1-anna-v-bo", "turn_played")) > 1, signal.SIGINT, *line
    )
    assert stopped.returncode == 130, stopped.stderr
    assert counted(run) == {"containment": 1, "stopping": 1}
    stopped = runs.stop(lambda: counted(run)["containment"] == 2, signal.SIGTERM, "run", run.folder)
    [resumed] = [line for line in logged(run) if line["event"] == "run_resumed"]
    assert (resumed["over"], resumed["matches"], resumed["under_way"]) == (0, 1, 1)
    assert "resuming: 0 of 1 matches are over, 1 under way\n" in stopped.stderr


# Programs that the arena fails to start


def fail_to_start(monkeypatch: pytest.MonkeyPatch, name: str, times: int) -> None:
    """Let the supervisor of a bot's program fail so many times."""
    start, left = ForkServer.start, [times]

    def start_or_fail(
        self: ForkServer, words: Sequence[str], environment: Mapping[str, str], *rest: Any
    ) -> None:
        is_spoiled = environment["ARENA_NAME"] == name and left[0] > 0
        left[0] -= is_spoiled
        start(self, ["no number", *words[1:]] if is_spoiled else words, environment, *rest)

    monkeypatch.setattr(ForkServer, "start", start_or_fail)


@pytest.mark.parametrize(("times", "status"), [(2, 0), (3, 1)])
def test_a_match_whose_program_the_arena_cannot_start_is_void_three_times_and_nobody_forfeits(
    times: int, status: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fail_to_start(monkeypatch, "bo", times)
    run = runs.play(tmp_path, {name: runs.honest() for name in ("anna", "bo")}, status=status)
    voids = run.facts("fixture_voided")
    assert [fact["reason"] for fact in voids] == [["void.not_started", {"name": "bo"}]] * times
    assert [fact["violations"] for fact in voids] == [[0, 0]] * times
    assert all(cause is None for games in run.forfeits("bo").values() for _, cause in games)
    failed = [line for line in logged(run) if line["event"] == "arena_failed"]
    assert len(failed) == times
    assert all("ValueError: invalid literal for int()" in line["exception"] for line in failed)
    if status:
        log = run.folder / "operator.jsonl"
        told = f"the arena could not start the program of bo: r1-anna-v-bo; the traceback is in {log}\n"
        assert run.stderr.endswith(f"Error: no match could be played; void, since {told}")
    runs.assert_verified(run.folder)


def test_the_check_before_the_start_finds_what_the_arena_cannot_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fail_to_start(monkeypatch, "bo", 1)
    plan = runs.write_plan(
        tmp_path, {name: runs.honest() for name in ("anna", "bo")}, limits={"check_bots": "require"}
    )
    result = runs.arena("run", plan, "--out", tmp_path / "run")
    assert result.returncode == 1
    assert (
        "bot bo: its program could not be started: ValueError: invalid literal for int()"
        in result.stderr
    )
    assert "in __init__" in result.stderr, "the place in the arena"
    assert not (tmp_path / "run").exists()
