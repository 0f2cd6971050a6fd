"""What the report says of a run that is analysed, as a value."""

from __future__ import annotations

import pytest

from arena.pages.report.building import report_of
from arena.records.files import analysis_file
from arena.records.lines import encode_line
from arena.words import say
from tests.pages.report.report_runs import analysed_run, analysis, run
from tests.records.small_run import FIXTURE, RECORD


def test_the_course_of_a_game_is_that_of_the_analysis() -> None:
    report = report_of(analysed_run(), games="all")
    for game in report.matches[0].shown:
        decisions = [one for one in analysis().decisions if one.game == game.number]
        first = next(one for one in analysis().rolls if one.game == game.number)
        assert game.analysis.start == pytest.approx(first.mean if first.seat == 1 else -first.mean, abs=1e-3)
        for turn, one in zip(game.analysis.turns, decisions, strict=True):
            assert turn.turn == one.turn
            assert turn.value == pytest.approx(one.value if one.seat == 1 else -one.value, abs=1e-3)
            assert (turn.loss, turn.mark, turn.choices) == (one.loss, one.mark or "", one.choices)
            assert turn.best == ("" if one.best == one.played else one.best)


def test_the_figures_of_the_run_are_those_of_the_analysis() -> None:
    found = report_of(analysed_run(), games="all").figures.analysis
    assert (found.evaluator, found.plies, found.analysed, found.matches) == ("small", [1], 1, 1)
    costs = sorted((one.loss for one in analysis().decisions if one.loss), reverse=True)[:5]
    assert [one.points for one in found.costliest] == pytest.approx([cost / 1000 for cost in costs])
    assert all(one.link == FIXTURE for one in found.costliest)
    assert found.luckiest.points == pytest.approx(max(one.luck for one in analysis().rolls), abs=1e-4)
    assert sum(one.decisions for one in found.losses) == sum(not one.forced for one in analysis().decisions)


def test_what_does_not_fit_is_not_shown() -> None:
    name = analysis_file(RECORD)
    data = analysed_run()[name]
    head = encode_line(analysis().head)
    for other in (
        None,
        data.replace(analysis().head.record_sha256.encode(), b"0" * 64),
        data[:-20],
        data.replace(head, head.replace(b'"anna"', b'"cara"')),
    ):
        files = run() if other is None else {**run(), name: other}
        report = report_of(files, games="all")
        assert report.figures.analysis is None
        assert all(game.analysis is None for game in report.matches[0].shown)


def test_results_without_luck_are_there_if_every_match_is_analysed() -> None:
    found = report_of(analysed_run(), games="all").figures.analysis
    given = sum(one.luck if one.seat == 1 else -one.luck for one in analysis().rolls)
    [(*_, raw, adjusted)] = found.luck.matches
    assert adjusted == pytest.approx(raw - given, abs=1e-3)
    assert say(found.luck.source) == "evaluator small sha256:000000000000, chosen afterwards"
    assert sorted(one.given for one in found.luck.entrants) == pytest.approx(sorted([given, -given]))
