"""A run that is analysed, by an evaluator that thinks anything; what the page must say follows from its files."""

from __future__ import annotations

from functools import cache

from arena.records.analysed import Analysis, decode_analysis, encode_analysis
from arena.records.files import analysis_file
from tests.pages.report.told_boards import run
from tests.records.small_run import RECORD, Files


@cache
def _analysed(ruleset: str) -> bytes:
    from arena.analysis import analyse
    from tests.analysis.small_evaluators import small

    return encode_analysis(analyse(RECORD, run(ruleset)[RECORD], small(ruleset)))


def analysed_run(ruleset: str = "vasa") -> Files:
    """The run of `told_boards` with its analysis."""
    return {**run(ruleset), analysis_file(RECORD): _analysed(ruleset)}


def analysis(ruleset: str = "vasa") -> Analysis:
    """What the analysis says."""
    return decode_analysis(_analysed(ruleset))
