"""The file of an analysis, and the sums over analyses; no evaluator is needed to read them."""

import re
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from arena.analysis import analyse, evaluator_named
from arena.records.analysed import (
    Analysis,
    AnalysisFileError,
    Losses,
    analysis_of,
    decode_analysis,
    encode_analysis,
)
from arena.records.files import analysis_file
from arena.records.lines import read_attempts
from arena.records.luck import luck_of
from arena.server.setup.run_folder import RunFiles
from arena.shipped import shipped
from arena.tournaments.results import points_for
from tests.fixtures.small_evaluators import small
from tests.fixtures.small_run import RECORD, small_run

FOUND = analyse(RECORD, small_run()[RECORD], small())
HEAD = replace(FOUND.head, void=())
OF_BO: dict[str, Any] = {"attempt": 1, "game": 1, "seat": 2, "bot": "bo", "opponent": "anna"}
DECISION = replace(
    FOUND.decisions[0], **OF_BO, loss=125.0, mark="blunder", forced=False, phase="contact"
)
ROLL = replace(FOUND.rolls[0], **OF_BO, luck=0.375)
WHOLE = Analysis(HEAD, [DECISION, replace(DECISION, forced=True, loss=0.0, mark=None)], [ROLL])


def test_a_file_is_read_as_it_was_written() -> None:
    assert decode_analysis(encode_analysis(WHOLE)) == WHOLE


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: b"",
        lambda data: data[:-5],
        lambda data: data[: data.index(b"\n")],
        lambda data: data.replace(b"brade-analysis-3", b"brade-analysis-2"),
        lambda data: data.replace(b'"event":"roll"', b'"event":"cast"'),
        lambda data: data.replace(b'"seat":2', b'"seat":7'),
        lambda data: data.replace(b'"luck":0.375', b'"luck":"good"'),
        lambda data: data.replace(b'"luck":0.375', b'"luck":\xff'),
        lambda data: data + b"[]\n",
        lambda data: data + b'{"\xff":1}\n',
        lambda data: data + b'{"deep":' + b"[" * 3000 + b"\n",
    ],
)
def test_damage_is_found(damage: Any) -> None:
    data = damage(encode_analysis(WHOLE))
    with pytest.raises(AnalysisFileError):
        decode_analysis(data)
    assert analysis_of({RECORD: small_run()[RECORD], analysis_file(RECORD): data}, RECORD) is None


def test_it_counts_for_the_record_that_it_was_made_from() -> None:
    """And for no other; a last line that is being written makes no difference."""
    record, data = small_run()[RECORD], encode_analysis(WHOLE)
    files = {RECORD: record, analysis_file(RECORD): data}
    assert analysis_of(files, RECORD) == WHOLE
    assert analysis_of(files, "matches/r2-bo-v-anna.jsonl") is None
    assert analysis_of(files | {RECORD: record + b'{"event"'}, RECORD) == WHOLE
    assert (
        analysis_of(files | {RECORD: record.replace(b"anna build", b"anna built")}, RECORD) is None
    )
    assert analysis_of({analysis_file(RECORD): data}, RECORD) is None


def test_an_analysis_that_may_not_be_read_is_none(tmp_path: Path) -> None:
    for name, data in small_run().items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(data)
    (tmp_path / "analysis").symlink_to("matches")
    assert analysis_of(RunFiles(tmp_path), RECORD) is None


def test_sums_leave_out_what_is_forced_and_what_is_void() -> None:
    losses = Losses()
    losses.add(Analysis(replace(HEAD, void=(1,)), WHOLE.decisions, WHOLE.rolls))
    assert losses.ranked() == []
    anna = replace(ROLL, bot="anna", opponent="bo", luck=-1.0)
    losses.add(WHOLE)
    losses.add(Analysis(HEAD, [], [anna, replace(anna, game=2)]))
    [bo, other] = losses.ranked()
    assert (bo.bot, bo.games, bo.decisions["contact"], bo.mean_loss(), bo.luck_per_game) == (
        "bo",
        1,
        1,
        125.0,
        0.375,
    )
    assert (bo.mean_loss("race"), bo.marks["blunder"], bo.marks["bad"]) == (None, 1, 0)
    assert (other.bot, other.games, other.rolls, other.luck, other.mean_loss()) == (
        "anna",
        2,
        2,
        -2.0,
        None,
    )


def test_of_annulled_matches_only_the_games_are_counted() -> None:
    losses = Losses()
    losses.add(
        Analysis(HEAD, WHOLE.decisions, [ROLL, replace(ROLL, game=2), replace(ROLL, turn=9)]),
        is_annulled=True,
    )
    [bo] = losses.ranked()
    assert (bo.bot, bo.annulled, bo.games, bo.rolls, bo.decisions.total(), bo.mean_loss()) == (
        "bo",
        2,
        0,
        0,
        0,
        None,
    )
    losses.add(WHOLE)
    [bo] = losses.ranked()
    assert (bo.annulled, bo.games) == (2, 1)


def test_what_is_annulled_is_not_kept_in_an_analysis() -> None:
    """A later withdrawal may change it, and the record of the match stays as it is."""
    annulled = replace(WHOLE.rolls[0], annulled=True)
    data = encode_analysis(Analysis(WHOLE.head, WHOLE.decisions, [annulled]))
    assert b"annulled" not in data
    assert decode_analysis(data).rolls == [replace(annulled, annulled=False)]


DATA = (Path(__file__).parent / "luck_example.jsonl").read_bytes()
PAGE = (shipped("docs") / "research.md").read_text(encoding="utf-8")


def test_the_game_worked_through_by_hand_is_that_of_the_record() -> None:
    found = analyse("matches/r1-anna-v-bo.jsonl", DATA, evaluator_named("brade-vasa-3"))
    assert found.head.broken == ""
    rows = re.findall(
        r"^\| (\d+) \| (\w+) \| (\d)-(\d) \| (\S+) \| (\S+) \| (\S+) \|$", PAGE, re.MULTILINE
    )
    assert [int(row[0]) for row in rows] == [60, 61] == [one.turn for one in found.rolls[-2:]]
    for (_, bot, *dice, best, mean, luck), roll in zip(rows, found.rolls[-2:], strict=True):
        assert (bot, list(map(int, dice))) == (roll.bot, roll.dice)
        told = [float(best), float(mean), float(luck)]
        assert told == pytest.approx([roll.best_value, roll.mean, roll.luck], abs=2e-3)
    sums = {
        bot: sum(roll.luck for roll in found.rolls if roll.bot == bot) for bot in ("anna", "bo")
    }
    assert f"adds up to {sums['anna']:.3f}, and that of bo's to {sums['bo']:+.3f}" in PAGE
    [game] = read_attempts("matches/r1-anna-v-bo.jsonl", DATA)[0].games
    given = luck_of(found.rolls).points
    assert given == pytest.approx(sums["anna"] - sums["bo"])
    assert f"= {points_for(1, game)} + {-given:.3f} = {points_for(1, game) - given:.3f}*" in PAGE
