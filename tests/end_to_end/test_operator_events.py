"""What an operator finds in `operator.jsonl` of the run folder, and sees with `--quiet`."""

import signal
from collections import Counter
from pathlib import Path
from typing import Any

from tests.end_to_end import runs
from tests.server.operator import lines_of


def logged(run: runs.Run) -> list[dict[str, Any]]:
    return lines_of(run.folder / "operator.jsonl")


def counted(run: runs.Run) -> Counter[str]:
    """How often each event stands in the file."""
    return Counter(line["event"] for line in logged(run))


def test_a_run_in_which_nothing_happens_logs_one_event_however_many_turns_it_has(tmp_path: Path) -> None:
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
    first, *said = run.stderr.splitlines()
    assert first == "NO SANDBOX for anna, bo, rogue: they can do what you can"
    assert all(line.startswith("[warning] rogue ") for line in said), said
    assert said.count("[warning] rogue is withdrawn after 3 violations") == 1
    lost = [line for line in logged(run) if line["event"] == "program_lost"]
    assert len(said) == len(lost) + 1
    assert {(line["name"], line["match"]) for line in lost} == {("rogue", next(iter(run.forfeits("rogue"))))}
    assert {line["output"] for line in lost} == {str(run.folder / "bots" / f"{lost[0]['match']}.rogue.stderr")}


def test_a_run_that_is_stopped_and_goes_on_says_so_in_the_same_file(tmp_path: Path) -> None:
    run = runs.Run(tmp_path / "run")
    plan = runs.write_plan(tmp_path, {name: runs.honest("--think-ms", 50) for name in ("anna", "bo")})
    line = ("run", plan, "--out", run.folder)
    stopped = runs.stop(lambda: len(run.match("r1-anna-v-bo", "turn_played")) > 1, signal.SIGINT, *line)
    assert stopped.returncode == 130, stopped.stderr
    assert counted(run) == {"containment": 1, "stopping": 1}
    stopped = runs.stop(lambda: counted(run)["containment"] == 2, signal.SIGTERM, "run", run.folder)
    [resumed] = [line for line in logged(run) if line["event"] == "run_resumed"]
    assert (resumed["over"], resumed["matches"], resumed["under_way"]) == (0, 1, 1)
    assert "going on: 0 of 1 matches are over, 1 under way\n" in stopped.stderr
