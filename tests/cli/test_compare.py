"""`arena compare`: what it says of two bots and what of the machine; tests/end_to_end/test_compare.py plays."""

import io
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from arena.cli import compare as command
from arena.cli.compare import answer
from arena.server.run.comparison import ComparisonProgress
from arena.services.comparing import Bots
from arena.tournaments.statistics.sequential import Hypotheses, judge, judge_shares
from arena.tournaments.statistics.units import Unit, halves_of

BOTS = Bots(new="New", old="Old", new_id="new", old_id="old", evaluator="")
WIDE = Hypotheses(elo0=0, elo1=100)


def pair(score: float, points: float) -> Unit:
    return Unit(first="new", second="old", games=2, score=score, points=points)


def progress(won: int, level: int, lost: int, hypotheses: Hypotheses = WIDE) -> ComparisonProgress:
    """After so many pairs of three kinds, in two batches."""
    units = (*(pair(2, 4),) * won, *(pair(1, 0),) * level, *(pair(0, -4),) * lost)
    halves = halves_of(units, "new", 2)
    raw = judge(halves, hypotheses)
    return ComparisonProgress(
        batch=2, units=units, adjusted_units=(), halves=halves, forfeits=(0, 0), raw=raw
    )


def printed(
    state: ComparisonProgress, hypotheses: Hypotheses = WIDE, bots: Bots = BOTS
) -> list[str]:
    out = io.StringIO()
    answer.print_answer(Console(file=out, width=40), state, hypotheses, bots)
    return out.getvalue().splitlines()


def test_the_answer_is_in_words_with_the_figures_behind_it() -> None:
    verdict, points, elo, likelihood, games, decision = printed(progress(30, 10, 5))
    assert verdict == "New is stronger than Old"
    assert points == "  points a game  +1.11 (95 % interval +0.69 to +1.53)"
    assert elo == "  Elo            +215 (95 % interval +112 to +317)"
    assert likelihood == "  likelihood     more than 99.9 % that New is stronger"
    assert games == "  games          New won 70 of 90 games (77.8 %), in 45 pairs"
    assert decision.startswith("H1 accepted: the games are ")
    assert (
        " times as likely if New leads by 100 Elo or more than if New leads by 0 Elo or less (LLR +"
        in decision
    )
    assert decision.endswith("); at most 5 % of bots that lead by 0 Elo are accepted")


@pytest.mark.parametrize(
    ("counts", "hypotheses", "verdict", "begin"),
    [
        ((5, 10, 30), WIDE, "Old is very likely stronger than New", "H0 accepted: the games are "),
        (
            (5, 10, 30),
            Hypotheses(elo0=-100, elo1=0),
            "Old is stronger than New",
            "H0 accepted: the games are ",
        ),
        (
            (40, 100, 40),
            WIDE,
            "neither New nor Old is shown to be stronger",
            "H0 accepted: the games are ",
        ),
        (
            (40, 100, 40),
            Hypotheses(elo0=-100, elo1=0),
            "neither New nor Old is shown to be stronger",
            "H1 accepted: ",
        ),
        (
            (4, 2, 4),
            WIDE,
            "neither New nor Old is shown to be stronger",
            "not decided after 2 batches: New leads by 0 ",
        ),
        (
            (60, 10, 1),
            Hypotheses(elo0=300, elo1=320),
            "New is very likely stronger than Old",
            "not decided after 2",
        ),
    ],
)
def test_what_the_test_decides_is_one_thing_and_who_is_stronger_another(
    counts: tuple[int, int, int], hypotheses: Hypotheses, verdict: str, begin: str
) -> None:
    """Each hypothesis may be true although the other bot leads."""
    lines = printed(progress(*counts, hypotheses), hypotheses)
    assert lines[0] == verdict
    assert lines[-1].startswith(begin)


def test_forfeits_stand_beside_the_games() -> None:
    lines = printed(replace(progress(30, 10, 5), forfeits=(1, 4)))
    assert lines[-2].endswith("in 45 pairs; FORFEITS: 1 by New, 4 by Old")


def test_with_one_unit_nothing_has_an_interval() -> None:
    lines = printed(progress(1, 0, 0))
    assert lines[1:3] == [
        "  points a game  +2.00 (no interval: too few units, or all alike)",
        "  Elo            +280 (no interval: too few units)",
    ]


def without_luck(*adjusted: Unit) -> ComparisonProgress:
    state = progress(30, 10, 5)
    trial = judge_shares([unit.score / unit.games for unit in adjusted], WIDE)
    return replace(state, adjusted=trial, adjusted_units=adjusted)


def test_luck_taken_out_stands_beside_what_was_played() -> None:
    bots = replace(BOTS, evaluator="brade-vasa-3")
    lines = printed(without_luck(*[pair(1.2, 0.4), pair(1.4, 0.8)] * 20), bots=bots)
    assert lines[1].startswith("  points a game  +0.30 (95 % interval +0.2")
    assert lines[4] == "  luck           taken out of these figures by brade-vasa-3"
    assert lines[5].startswith("  as played      points a game +1.11 (")


def test_where_somebody_won_more_than_all_games_the_games_as_played_tell() -> None:
    lines = printed(without_luck(*[pair(2.2, 4.4), pair(2.4, 4.8)] * 20))
    assert lines[2] == "  Elo            none, since a score is above 100 %"
    assert lines[3] == "  likelihood     more than 99.9 % that New is stronger"


def test_programs_get_all_of_it_under_names_that_stay() -> None:
    """A name that is missing here was given away."""
    found: dict[str, Any] = json.loads(
        json.dumps(answer.answer_as_json(progress(30, 10, 5), WIDE, BOTS, Path("run")))
    )
    assert list(found) == [
        *("decision", "verdict", "stronger", "new", "old"),
        *(
            "points_per_game",
            "points_interval",
            "elo",
            "elo_interval",
            "likelihood",
            "games",
            "games_won",
        ),
        *(
            "elo0",
            "elo1",
            "alpha",
            "beta",
            "llr",
            "bounds",
            "units",
            "halves",
            "luck_adjusted",
            "raw_llr",
        ),
        *(
            "raw_points_per_game",
            "raw_points_interval",
            "raw_elo",
            "raw_elo_interval",
            "raw_likelihood",
        ),
        *("forfeits", "batches", "folder"),
    ]
    assert (found["decision"], found["stronger"], found["games"], found["games_won"]) == (
        "h1",
        "New",
        90,
        70,
    )
    assert found["points_interval"][0] < found["points_per_game"] < found["points_interval"][1]
    assert found["elo_interval"][0] < found["elo"] < found["elo_interval"][1]


def test_of_the_machine_everything_is_said_once_and_nothing_of_ones_own_two_bots(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, show = command._reporters(tmp_path, ["new", "old"], quiet=False)
    for seconds in (3.0, 4.5):
        show({"event": "arena_stopped", "level": "warning", "seconds": seconds})
    show(
        {
            "event": "bots_may_read",
            "level": "info",
            "name": "/home/me/bots",
            "words": "several bots lie there",
        }
    )
    show({"event": "bots_may_read", "level": "info", "name": "new", "words": "new reads weights"})
    lines = capsys.readouterr().err.splitlines()
    assert [("did not run for 3" in line, "reads weights" in line) for line in lines] == [
        (True, False),
        (False, True),
    ]
