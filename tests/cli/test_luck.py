"""Luck taken out by `arena stats`, `standings`, `verify` and `query`, and what they say where it cannot be."""

import json
import shutil
from pathlib import Path
from typing import Any

import msgspec
import pytest

from arena.analysis import evaluator_named
from arena.records.analysed import decode_analysis, encode_analysis
from arena.records.facts import FixtureSettled
from arena.records.lines import read_tournament
from arena.records.luck import lucky_match
from arena.records.rows import columns_of
from tests.fixtures.asked_pages import write_run
from tests.fixtures.command_line import Arena
from tests.fixtures.fixed_luck import fixed
from tests.fixtures.report_runs import short_run
from tests.fixtures.small_run import RECORD, small_run

KEPT = "analysis/r1-anna-v-bo.jsonl"
VASA = {"name": "brade-vasa-3", "sha256": evaluator_named("brade-vasa-3").sha256}


@pytest.fixture
def fixed_run(here: Path) -> Path:
    """Three games of 12 turns, with the evaluator that ships fixed."""
    return write_run(here / "fixed-run", fixed(short_run(), VASA))


@pytest.fixture
def plain_run(here: Path) -> Path:
    """The same without."""
    return write_run(here / "plain-run", short_run())


def told(text: str) -> str:
    return " ".join(text.split())


def test_a_fixed_evaluator_is_asked_when_the_run_is_over(arena: Arena, fixed_run: Path) -> None:
    found = arena("stats", fixed_run)
    assert found.exit_code == 0
    assert "Points per game and Elo with the luck of the dice taken out" in found.stdout
    assert (
        f"evaluator brade-vasa-3 sha256:{VASA['sha256'][:12]}, fixed before the first game"
        in found.stdout
    )
    assert (fixed_run / KEPT).exists()
    made = (fixed_run / KEPT).stat().st_mtime_ns
    assert arena("stats", fixed_run).stdout == found.stdout
    assert (fixed_run / KEPT).stat().st_mtime_ns == made
    shutil.rmtree(fixed_run / "analysis")
    assert arena("stats", fixed_run).stdout == found.stdout


def test_the_figures_follow_from_the_rolls(arena: Arena, fixed_run: Path) -> None:
    """What the dice gave is the luck of all own rolls less that of the opponent's."""
    whole = json.loads(arena("stats", fixed_run, "--json").stdout)
    analysis = decode_analysis((fixed_run / KEPT).read_bytes())
    given = sum(one.luck if one.seat == 1 else -one.luck for one in analysis.rolls)
    luck = whole["luck"]
    assert (luck["evaluator"], luck["evaluator_sha256"]) == (VASA["name"], VASA["sha256"])
    assert luck["fixed_before_the_first_game"] is True
    by_name = {one["entrant"]: one for one in luck["entrants"]}
    assert by_name["anna"]["given_by_dice"] == pytest.approx(given)
    assert by_name["bo"]["given_by_dice"] == pytest.approx(-given)
    raw = {one["entrant"]: one["points_per_game"] for one in whole["entrants"]}
    assert by_name["anna"]["points_per_game"] == raw["anna"]
    assert by_name["anna"]["adjusted_points_per_game"] == pytest.approx(raw["anna"] - given / 3)
    assert by_name["anna"]["as_sure_as_times_the_games"] is None, (
        "one match says nothing of its scatter"
    )
    assert [
        note
        for note in whole["luck_notes"]
        if note.startswith("no ± for fewer than 8 matches or pairs")
    ]


def test_unasked_nothing_is_looked_for_where_nothing_was_fixed(
    arena: Arena, plain_run: Path
) -> None:
    before = arena("stats", plain_run)
    assert "luck" not in before.stdout
    assert not (plain_run / "analysis").exists()
    asked = arena("stats", plain_run, "--luck-adjusted", "--workers", "1")
    assert asked.stdout.startswith(before.stdout.rstrip("\n"))
    assert "chosen afterwards" in asked.stdout
    assert arena("stats", plain_run).stdout == asked.stdout, "it is known now"


def test_while_bots_may_play_nothing_is_looked_for_unasked(arena: Arena, here: Path) -> None:
    files = fixed(short_run(), VASA)
    lines = files["tournament.jsonl"].splitlines(keepends=True)
    folder = write_run(here / "going-on", files | {"tournament.jsonl": b"".join(lines[:-2])})
    found = arena("stats", folder)
    assert found.exit_code == 0
    assert "Points per game" in found.stdout
    assert (
        "luck is not taken out: 1 of 1 matches are not analysed; --luck-adjusted analyses them now"
        in found.stdout
    )
    assert not (folder / "analysis").exists()
    assert "fixed before the first game" in arena("stats", folder, "--luck-adjusted").stdout


def test_forfeited_games_count_as_they_ended(arena: Arena, here: Path) -> None:
    folder = write_run(here / "my-run", small_run())
    found = arena("stats", folder, "--luck-adjusted")
    note = "2 forfeited games counted as they ended: a forfeit does not come from the board"
    assert note in found.stdout
    analysis = decode_analysis((folder / KEPT).read_bytes())
    facts = read_tournament("tournament.jsonl", small_run()["tournament.jsonl"])
    [settled] = [fact for _, fact in facts if isinstance(fact, FixtureSettled)]
    first, *forfeited = lucky_match(settled, analysis).luck
    assert forfeited == [None, None]
    assert first is not None
    rolls = [one for one in analysis.rolls if (one.attempt, one.game) == (2, 1)]
    assert first.points == pytest.approx(
        sum(one.luck if one.seat == 1 else -one.luck for one in rolls)
    )
    rows = json.loads(
        f"[{','.join(arena('query', folder, 'SELECT * FROM luck_games', '--json').stdout.splitlines())}]"
    )
    assert [list(row) for row in rows] == [[column.name for column in columns_of("luck_games")]] * 6
    for row in rows:
        expected = (
            None
            if row["cause"]
            else pytest.approx(row["points"] - row["luck"] + row["opponent_luck"])
        )
        assert row["adjusted"] == expected
    assert sum(row["cause"] is not None for row in rows) == 4


@pytest.mark.parametrize("asked", [("stats",), ("standings", "--luck-adjusted")])
def test_where_it_cannot_be_a_sentence_says_why(
    arena: Arena,
    here: Path,
    fixed_run: Path,
    asked: tuple[str, ...],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    command, *options = asked
    other = write_run(
        here / "other-run", fixed(short_run(), {"name": "brade-vasa-3", "sha256": "0" * 64})
    )
    found = arena(command, other, *options)
    assert (
        f"luck is not taken out: the run fixed brade-vasa-3 with SHA-256 {'0' * 64}, and the"
        in told(found.stdout)
    )
    unknown = write_run(
        here / "unknown-run", fixed(short_run(), {"name": "nobody-1", "sha256": "0" * 64})
    )
    assert "luck is not taken out: there is no evaluator 'nobody-1'" in told(
        arena(command, unknown, *options).stdout
    )


def test_a_record_that_is_not_in_order_counts_as_it_ended(arena: Arena, here: Path) -> None:
    files = short_run()
    lines = files[RECORD].splitlines(keepends=True)
    broken = b"".join([*lines[:40], b"{}\n", *lines[40:]])
    folder = write_run(here / "broken-run", files | {RECORD: broken})
    found = arena("standings", folder, "--luck-adjusted")
    assert "3 games counted as they ended: their record is not in order" in told(found.stdout)
    assert "analysed up to there" in told(found.stdout)


def test_the_cross_table_without_luck(arena: Arena, fixed_run: Path) -> None:
    plain, asked = arena("standings", fixed_run), arena("standings", fixed_run, "--luck-adjusted")
    assert asked.stdout.startswith(plain.stdout)
    assert (
        "Cross-table, luck taken out (points a game of the row against the column)" in asked.stdout
    )
    whole = json.loads(arena("standings", fixed_run, "--luck-adjusted", "--json").stdout)
    means = whole["luck"]["points_per_game"]
    assert means["anna"]["bo"]["mean"] == pytest.approx(-means["bo"]["anna"]["mean"])


def test_verify_works_fixed_luck_out_again(
    arena: Arena, fixed_run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:

    def claim(*options: str) -> dict[str, Any]:
        claims = json.loads(arena("verify", fixed_run, *options, "--json").stdout)["claims"]
        return next((one for one in claims if one["what"] == "luck taken out"), {})

    found = claim()
    assert found["level"] == "proven"
    assert found["by"].startswith(
        f"brade-vasa-3 sha256:{VASA['sha256'][:12]}, fixed before the first game: luck of "
    )
    assert not (fixed_run / "analysis").exists()
    arena("stats", fixed_run)
    assert claim()["by"].endswith("; as in the analyses kept of 1 of 1 matches")
    monkeypatch.setattr("arena.cli.verify.luck.AT_ONCE_TURNS", 10)
    assert (claim()["level"], claim("--luck")["level"]) == ("claimed", "proven")
    assert "--luck does it" in claim()["by"]
    kept = (fixed_run / KEPT).read_bytes()
    analysis = decode_analysis(kept)
    luckier = [*analysis.rolls[:-1], msgspec.structs.replace(analysis.rolls[-1], luck=5.0)]
    analysis.rolls[:] = luckier
    (fixed_run / KEPT).write_bytes(encode_analysis(analysis))
    refused = arena("verify", fixed_run, "--luck")
    assert refused.exit_code == 1
    assert "is +5.000 there, and" in told(refused.stdout)
    assert "remove the file" in told(refused.stdout)
    (fixed_run / KEPT).write_bytes(kept)


def test_verify_says_nothing_of_luck_where_nobody_asked(arena: Arena, plain_run: Path) -> None:
    assert "luck" not in arena("verify", plain_run).stdout
    assert "chosen afterwards" in told(arena("verify", plain_run, "--luck").stdout)
