"""`[luck]` of a tournament file: the evaluator is fixed before the first game, with its hash, in every first line."""

from __future__ import annotations

import pytest

from arena.analysis import files
from arena.matches.facts import FixedEvaluator
from arena.server.setup.luck_section import fixed_evaluator
from arena.server.setup.plan_text import format_plan
from arena.server.setup.tournament_file import PlanError, parse_plan

BOTS = '[[bot]]\nname = "anna"\ncommand = "true"\n[[bot]]\nname = "bo"\ncommand = "true"\n'
VASA = f'[luck]\nevaluator = "brade-vasa-1"\n{BOTS}'


def problems(text: str) -> str:
    with pytest.raises(PlanError) as caught:
        parse_plan(text, tell_lines=True)
    return str(caught.value)


def test_an_evaluator_that_is_named_is_fixed_by_its_hash() -> None:
    plan = parse_plan(VASA)
    fixed = fixed_evaluator(plan.luck, plan.game())
    assert fixed == FixedEvaluator(name="brade-vasa-1", sha256=files.PINNED["brade-vasa-1"])
    assert parse_plan(format_plan(plan)) == plan
    assert not fixed_evaluator(parse_plan(BOTS).luck, plan.game())


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            '[luck]\nevaluator = "brade-vasa"\n',
            "line 2: [luck] evaluator: there is no evaluator 'brade-vasa'; there are",
        ),
        ('[luck]\nevaluator = "brade-vasa"\n', "did you mean 'brade-vasa-1'?"),
        ('[luck]\nevaluator = "backgammon-1"\n', "which is played otherwise than vasa; name another one, or leave out"),
        ("[luck]\nevaluator = 1\n", "[luck] evaluator = 1 (a whole number): expected text"),
        ('[luck]\nname = "brade-vasa-1"\n', "unknown field in [luck]: 'name'; known are evaluator"),
        (
            '[tournament]\nruleset = "brandubh-1"\n[luck]\nevaluator = "brade-vasa-1"\n',
            "there is no evaluator for brandubh-1: only tables games have one; name another one, or leave out [luck]",
        ),
    ],
)
def test_one_that_cannot_be_fixed_is_refused(text: str, message: str) -> None:
    assert message in problems(text + BOTS)


def test_other_weights_under_the_name_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "PINNED", {"brade-vasa-1": "0" * 64})
    files.evaluator_named.cache_clear()
    assert "is not brade-vasa-1: its SHA-256 is" in problems(VASA)
    files.evaluator_named.cache_clear()
