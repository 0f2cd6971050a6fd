"""A second implementation of docs/dice.md, in JavaScript, agrees with the arena's on vectors and on real matches."""

import json
import shutil
import signal
import subprocess
from pathlib import Path

import pytest

from tests.end_to_end.runs import Run, arena, assert_verified, await_true, honest, start_arena, write_plan
from tests.records.many_forgeries import originals
from tests.records.small_run import RECORD, forge, small_run

HERE = Path(__file__).parent
FIXTURE = "r1-anna-v-bo"

pytestmark = pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")


def node(*arguments: object) -> subprocess.CompletedProcess[str]:
    """What the other implementation says."""
    line = ["node", str(HERE / "dice.mjs"), *map(str, arguments)]
    return subprocess.run(line, capture_output=True, text=True, timeout=120, check=False)


def test_it_gives_the_dice_of_every_vector() -> None:
    result = node("vectors", HERE / "dice_vectors.json")
    assert (result.returncode, result.stdout, result.stderr) == (0, "10 compared, no difference\n", "")
    result = node("vectors", HERE / "pair_dice_vectors.json")
    assert (result.returncode, result.stdout, result.stderr) == (0, "8 compared, no difference\n", "")


def test_it_finds_a_changed_die(tmp_path: Path) -> None:
    vectors = json.loads((HERE / "dice_vectors.json").read_text())
    vectors[3]["dice"][20] ^= 1
    (tmp_path / "vectors.json").write_text(json.dumps(vectors))
    assert "vector 3: " in node("vectors", tmp_path / "vectors.json").stdout

    def change(found: list[dict[str, object]]) -> None:
        next(line for line in found if line["event"] == "turn_played")["dice"] = [7, 7]

    (tmp_path / "record").write_bytes(forge(small_run(), RECORD, change)[RECORD])
    result = node("record", tmp_path / "record")
    assert (result.returncode, "turn 1: 7,7 must be " in result.stdout) == (1, True)


def test_it_compares_every_line_of_a_turn(tmp_path: Path) -> None:
    """Other dice after a rejected turn with the true ones are found; so is the first turn of a game of backgammon."""
    for name, event in (("small", "flag_fell"), ("small", "turn_rejected"), ("backgammon", "turn_played")):
        record = originals()[name][RECORD]
        lines = [json.loads(line) for line in record.splitlines()]
        first = next(line for line in lines if line["event"] == event and line["dice"])
        invented = {"event": "turn_rejected"} | {key: first[key] for key in ("game", "turn", "seat", "dice")}
        lines.insert(lines.index(first), invented)
        first["dice"] = [6, 6] if first["dice"] != [6, 6] else [5, 5]
        (tmp_path / "record").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
        result = node("record", tmp_path / "record")
        assert (result.returncode, result.stdout.count(" must be ")) == (1, 1), (name, event, result.stdout)


@pytest.mark.parametrize("form", [{"games": 3}, {"games": None, "pairs": 2}], ids=["series", "pairs"])
@pytest.mark.parametrize("ruleset", ["vasa", "backgammon"])
def test_it_checks_a_run_of_real_bots(ruleset: str, form: dict[str, int | None], tmp_path: Path) -> None:
    run = Run(tmp_path / "run")
    bots = {"anna": honest(), "bo": honest()}
    plan = write_plan(tmp_path, bots, tournament={"ruleset": ruleset} | form)
    assert arena("run", plan, "--out", run.folder).returncode == 0
    assert [len(fact["entropy"]) for fact in run.match(FIXTURE, "entropy_revealed")] == [64, 64]

    result = node("record", run.folder / "matches" / f"{FIXTURE}.jsonl")

    assert (result.returncode, result.stderr) == (0, ""), result.stdout
    starts = run.match(FIXTURE, "game_started")
    throws = sum(len(fact["opening"]) for fact in starts)
    turns = len(run.match(FIXTURE, "turn_played"))
    assert result.stdout == f"{3 + throws + turns} compared, no difference\n"


def test_a_match_that_was_interrupted_goes_on_with_the_dice_of_its_one_attempt(tmp_path: Path) -> None:
    run = Run(tmp_path / "run")
    plan = write_plan(tmp_path, {"anna": honest("--think-ms", 3), "bo": honest("--think-ms", 3)})
    with start_arena("run", plan, "--out", run.folder) as process:
        await_true(lambda: len(run.match(FIXTURE, "turn_played")) >= 10 or process.poll() is not None)
        process.send_signal(signal.SIGKILL)
        process.wait(timeout=120)
    assert arena("run", run.folder).returncode == 0

    assert [fact["attempt"] for fact in run.facts("fixture_settled")] == [1]
    assert len(run.match(FIXTURE, "match_opened")) == len(run.match(FIXTURE, "match_resumed")) == 1
    result = node("record", run.folder / "matches" / f"{FIXTURE}.jsonl")
    assert (result.returncode, result.stderr) == (0, ""), result.stdout
    assert_verified(run.folder)
