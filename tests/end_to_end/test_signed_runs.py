"""A run that everybody signs, from the keys to the verification, with real programs."""

import json
import os
import signal
import stat
from pathlib import Path

import pytest

from tests.fixtures.arena_runs import Run, arena, honest, play, stop, write_plan
from tests.fixtures.asked_pages import write_run
from tests.fixtures.signed_run import public_key_of, signed_run, with_heads

FIXTURE = "r1-anna-v-bo"


def new_key(path: Path) -> str:
    """A key, and its public half."""
    result = arena("key", "new", path)
    assert result.returncode == 0, result.stderr
    return result.stdout.strip()


def test_a_run_signed_by_operator_and_bots_is_confirmed_by_all_of_them(tmp_path: Path) -> None:
    operator, bots = new_key(tmp_path / "operator.pem"), new_key(tmp_path / "bots.pem")
    signing = [
        "env",
        f"ARENA_SIGNING_KEY={tmp_path / 'bots.pem'}",
        f"ARENA_RECEIPTS={tmp_path / 'kept.jsonl'}",
    ]
    command = {name: [*signing, *honest()] for name in ("anna", "bo")}
    run = play(tmp_path, command, "--key", tmp_path / "operator.pem")
    assert f"signed by the key {operator}" in run.stdout
    games = len(run.match(FIXTURE, "game_ended"))
    assert len(run.match(FIXTURE, "receipt_signed")) == 2 * games
    assert [fact["public_key"] for fact in run.facts("head_signed")] == [operator] * 2

    assert all(b"DICE" not in path.read_bytes() for path in (run.folder / "bots").glob("*.stderr"))

    result = arena("verify", "--json", run.folder, "--receipt", tmp_path / "kept.jsonl")

    found = {claim["what"]: claim for claim in json.loads(result.stdout)["claims"]}
    told = f"{games} of {games} by signature with the key {bots}; {games} of {games} by receipt"
    assert found["games of anna"] == {"what": "games of anna", "level": "confirmed", "by": told}
    assert found["results, tournament file"]["level"] == "confirmed"
    demands = [("--signed-by", f"anna={bots}"), ("--signed-by", operator.upper())]
    assert all(arena("verify", run.folder, *demand).returncode == 0 for demand in demands)
    others = [
        ("--signed-by", f"anna={operator}"),
        ("--signed-by", f"cia={bots}"),
        ("--signed-by", bots),
    ]
    assert all(arena("verify", run.folder, *demand).returncode == 1 for demand in others)
    assert found["clocks, losses on time, dates"]["level"] == "confirmed"

    again = arena("run", run.folder)
    assert (again.returncode, f"signed by the key {operator}" in again.stdout) == (0, True), (
        again.stderr
    )


def test_a_key_file_is_its_owners_alone_and_never_written_over(tmp_path: Path) -> None:
    path = tmp_path / "operator.pem"
    public = new_key(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert arena("key", "show", path).stdout.strip() == public
    nowhere = arena("key", "new", tmp_path / "nowhere" / "key.pem")
    assert (nowhere.returncode, "cannot be written: No such file" in nowhere.stderr) == (2, True)
    again = arena("key", "new", path)
    assert (again.returncode, "is there already" in again.stderr) == (2, True)


def test_a_key_that_others_can_read_or_that_lies_in_the_run_is_refused(tmp_path: Path) -> None:
    plan = write_plan(tmp_path, {"anna": honest(), "bo": honest()})
    new_key(tmp_path / "operator.pem")
    os.chmod(tmp_path / "operator.pem", 0o644)  # noqa: PTH101 - as an operator would
    result = arena("run", plan, "--out", tmp_path / "run", "--key", tmp_path / "operator.pem")
    assert (result.returncode, "chmod 600" in result.stderr) == (2, True)
    (tmp_path / "run").mkdir(exist_ok=True)
    new_key(tmp_path / "run" / "operator.pem")
    result = arena(
        "run", plan, "--out", tmp_path / "run", "--key", tmp_path / "run" / "operator.pem"
    )
    assert (result.returncode, "is in the run folder" in result.stderr) == (2, True)


def test_a_run_that_went_on_without_its_key_does_not_pass_for_signed(tmp_path: Path) -> None:
    """The head of its first matches is signed, and says nothing of those that follow."""
    key = new_key(tmp_path / "operator.pem")
    run = tmp_path / "run"
    write_run(run, with_heads(signed_run(), heads=1))
    signed = public_key_of("operator")
    demanded = arena("verify", run, "--signed-by", signed)
    told = f"signed to line 3 of 8 by the key {signed}; the other lines are not signed"
    assert (demanded.returncode, told in demanded.stdout) == (1, True), demanded.stdout
    assert "with the key" in arena("verify", run, "--signed-by", key).stdout
    [claim] = [
        claim
        for claim in json.loads(arena("verify", "--json", run).stdout)["claims"]
        if claim["what"] == "results, tournament file"
    ]
    assert (claim["level"], claim["by"]) == ("claimed", told)


@pytest.mark.slow
def test_who_stops_a_signed_run_is_told_to_go_on_with_the_key_and_warned_without_it(
    tmp_path: Path,
) -> None:
    """The first line of the record has the key, so that it is known before a match is decided."""
    key = new_key(tmp_path / "operator.pem")
    run = Run(tmp_path / "run")
    plan = write_plan(tmp_path, {name: honest("--think-ms", 3) for name in ("anna", "bo")})
    signing = ("--key", tmp_path / "operator.pem")
    line = ("run", plan, "--out", run.folder, *signing)
    told = stop(lambda: run.match(FIXTURE, "game_started"), signal.SIGINT, *line).stderr

    assert f"stopped; go on with: arena run {run.folder} --key {tmp_path / 'operator.pem'}" in told
    assert (
        [fact["public_key"] for fact in run.facts("tournament_opened")],
        run.facts("head_signed"),
    ) == ([key], [])
    new_key(tmp_path / "other.pem")
    other = arena("run", run.folder, "--key", tmp_path / "other.pem")
    assert (
        other.returncode,
        f"it is signed with the key {key}; go on with that one" in other.stderr,
    ) == (1, True)
    without = arena("run", run.folder)
    assert (without.returncode, "was started with --key and goes on without" in without.stderr) == (
        0,
        True,
    )
    assert arena("verify", run.folder).returncode == 0
    assert arena("verify", run.folder, "--signed-by", key).returncode == 1
