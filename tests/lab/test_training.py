"""Training by self-play: repeatable, resumable, and it learns."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from arena.analysis.evaluator import Evaluator, Way, new_evaluator, other_side, points_of
from arena.analysis.files import read_evaluator
from arena.analysis.search import after_answers
from arena.cli import main
from arena.lab import self_play, training
from arena.lab.checkpoint import read_checkpoint, write_checkpoint
from arena.lab.course import Course
from arena.lab.course_folder import Stage
from arena.lab.self_play import Played, returns
from arena.lab.strength import Beginner, duel
from arena.lab.supervision import SIEVE_HIDDEN, look_deeper
from arena.lab.training import LabPlanError, TrainingPlan, plan_of, rulesets_with_options
from tests.fixtures.few_positions import shipped_alone
from tests.fixtures.small_evaluators import afterwards, tables_game

VASA = tables_game("vasa")


@pytest.fixture(autouse=True)
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rounds that take a second."""
    monkeypatch.setattr(training, "BOARDS", 16)
    monkeypatch.setattr(training, "POSITIONS", 600)
    monkeypatch.setattr(self_play, "WEAK_TURNS", 5)
    monkeypatch.setattr("arena.lab.course.PAIRS", 4)
    monkeypatch.setattr("arena.lab.course.LAST_PAIRS", 4)
    monkeypatch.setattr("arena.lab.course.PART", 20)


def plan(ruleset: str = "vasa", **changed: Any) -> TrainingPlan:
    return TrainingPlan(
        **{
            "name": "mine",
            "rulesets": rulesets_with_options(ruleset),
            "games": 40,
            "generations": 1,
            "positions": 60,
            "played_out": 16,
            "hidden": (8, 4),
            **changed,
        }
    )


def weights(evaluator: Evaluator) -> bytes:
    return b"".join(
        array.tobytes() for network in evaluator.networks.values() for array in network.arrays
    )


def test_lambda_returns_by_hand() -> None:
    evaluator = new_evaluator("x", VASA.rules, (8, 4), seed=1)
    states = [after.state for after in afterwards(VASA, 3)]
    thought = evaluator.probabilities(states)
    _, targets = returns(evaluator, [Played(states, Way("jan", monk=False))], 0.75)
    lost = np.zeros(24, dtype=np.float32)
    lost[12 + evaluator.ways.index(Way("jan", monk=False))] = 1
    second = other_side(np.float32(0.75) * lost + np.float32(0.25) * thought[2])
    first = other_side(np.float32(0.75) * second + np.float32(0.25) * thought[1])
    assert targets[2] == pytest.approx(lost)
    assert targets[1] == pytest.approx(second)
    assert targets[0] == pytest.approx(first, abs=1e-6)


def test_one_turn_deeper_is_the_mean_of_the_best_answers() -> None:
    evaluator = new_evaluator("x", VASA.rules, (8, 4), seed=1)
    states = [after.state for after in afterwards(VASA, 60)][-3:]
    states.append(VASA.parse_position("14:15 | opp 12:1").state)
    found = look_deeper(VASA, evaluator, [states])
    assert found.sum(axis=1) == pytest.approx(np.ones(4), abs=1e-5)
    points = found @ points_of(evaluator.ways, VASA.rules)
    assert points == pytest.approx(after_answers(VASA, evaluator, states), abs=1e-4)
    assert found[3, 12 + evaluator.ways.index(Way("bearing_off", monk=False))] == pytest.approx(1)


@pytest.mark.parametrize(
    "ruleset",
    ["vasa", *(pytest.param(one, marks=pytest.mark.soak) for one in ("classic", "backgammon"))],
)
def test_a_training_that_goes_on_from_a_checkpoint_is_the_same(
    ruleset: str, tmp_path: Path
) -> None:
    whole = training.Training(plan(ruleset))
    other = training.Training(plan(ruleset, seed=2))
    whole.play_round()
    other.play_round()
    write_checkpoint(whole, tmp_path / "c")
    resumed = read_checkpoint(plan(ruleset), tmp_path / "c")
    for _ in range(2):
        whole.play_round()
        resumed.play_round()
    assert whole.done == resumed.done
    assert weights(whole.evaluator) == weights(resumed.evaluator)
    assert weights(whole.evaluator) != weights(other.evaluator)
    variants = {
        table.game.name for table in whole.tables if any(board.states for board in table.boards)
    }
    assert len(variants) == min(3, len(whole.tables)), "each round plays the next variant"


@pytest.mark.soak  # the checkpoint above shows it for one place
def test_a_course_that_is_stopped_anywhere_ends_in_the_same_weights(tmp_path: Path) -> None:
    told: list[Stage] = []
    whole = Course(plan(), tmp_path / "whole").run(told.append)
    assert [stage.stage for stage in told][-1] == "done"
    assert told == whole

    class StoppedError(Exception):
        pass

    for stop in range(1, len(told)):
        left = stop

        def tell(_: Stage) -> None:
            nonlocal left
            left -= 1
            if not left:
                raise StoppedError

        folder = tmp_path / f"stopped-{stop}"
        with pytest.raises(StoppedError):
            Course(plan(), folder).run(tell)
        stages = Course(plan(), folder).run(lambda _: None)
        assert stages[-1].sha256 == whole[-1].sha256
        assert [(stage.stage, stage.games) for stage in stages] == [
            (stage.stage, stage.games) for stage in whole
        ]
    again = Course(plan(), tmp_path / "whole")
    assert again.run(lambda _: pytest.fail("it is done")) == whole
    assert read_evaluator(again.weights).sha256 == whole[-1].sha256


@pytest.mark.slow
def test_a_folder_of_another_training_is_left_alone(tmp_path: Path) -> None:
    Course(plan(), tmp_path / "a").run(lambda _: None)
    before = {path.name: path.read_bytes() for path in (tmp_path / "a").iterdir() if path.is_file()}
    for other, words in ((plan(seed=5), "seed 1 instead of 5"), (plan("fiske"), "another ruleset")):
        with pytest.raises(LabPlanError, match=words):
            Course(other, tmp_path / "a")
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "letter.txt").write_text("dear")
    with pytest.raises(LabPlanError, match="is not empty and holds no training"):
        Course(plan(), tmp_path / "b")
    assert {
        path.name: path.read_bytes() for path in (tmp_path / "a").iterdir() if path.is_file()
    } == before
    (tmp_path / "a" / "progress.jsonl").unlink()
    (tmp_path / "a" / "checkpoint").write_bytes(before["checkpoint"][:-900])
    with pytest.raises(LabPlanError, match="is damaged"):
        Course(plan(), tmp_path / "a").run(lambda _: None)
    for content in ("{", "[" * 100_000):
        (tmp_path / "a" / "plan.json").write_text(content)
        with pytest.raises(LabPlanError, match="the plan cannot be read"):
            Course(plan(), tmp_path / "a")
    (tmp_path / "a" / "plan.json").write_bytes(b"\xff")
    with pytest.raises(LabPlanError, match=r"plan\.json cannot be read .*remove it"):
        Course(plan(), tmp_path / "a")


@pytest.mark.slow
def test_a_training_may_go_on_from_weights(tmp_path: Path) -> None:
    begin = new_evaluator("before", VASA.rules, (8, 4), seed=3)
    first = replace(begin, sha256="a" * 64)
    going_on = plan(games=0, begin=first.sha256)
    stages = Course(going_on, tmp_path / "x", first).run(lambda _: None)
    assert [stage.stage for stage in stages if stage.share == 1] == [
        "generation 1",
        "playing out",
        "done",
    ]
    assert stages[-1].games == 0
    states = [after.state for after in afterwards(VASA, 20)]
    wider = training.Training(replace(going_on, hidden=(12, 8)), first).evaluator
    assert wider.points(states) == pytest.approx(first.points(states), abs=0.2)
    assert wider.hidden == (12, 8)
    for ruleset, hidden, told in (
        ("fiske", (8, 4), "inputs first and ways to win last; fiske needs"),
        ("backgammon", (8, 4), "networks for contact, race, which is another kind"),
        ("vasa", (17, 4), "they can be made wider, at most twice, and .17, 4. are asked for"),
        ("vasa", (6, 4), "they can be made wider, at most twice"),
    ):
        with pytest.raises(LabPlanError, match=told):
            training.Training(plan(ruleset, games=0, begin=first.sha256, hidden=hidden), first)


def test_wide_networks_get_a_sieve_in_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arena.lab.course.WIDE", 8)
    first = replace(new_evaluator("before", VASA.rules, (8, 4), seed=3), sha256="a" * 64)
    course = Course(
        plan(games=0, begin=first.sha256, generations=0, played_out=0), tmp_path / "x", first
    )
    stages = course.run(lambda _: None)
    assert [(stage.stage, round(stage.share, 1)) for stage in stages] == [
        *(("sieve", share) for share in (0.2, 0.4, 0.6, 1.0)),
        ("done", 1.0),
    ]
    sieve = read_evaluator(course.weights).sieve
    assert sieve is not None
    assert sieve.hidden == SIEVE_HIDDEN


def test_fewer_positions_than_rulesets_still_make_a_generation(tmp_path: Path) -> None:
    rules = tables_game("classic").rules
    first = replace(new_evaluator("before", rules, (8, 4), seed=3), sha256="a" * 64)
    few = plan("classic", games=0, begin=first.sha256, generations=0, played_out=1)
    assert len(few.rulesets) > 1
    stages = Course(few, tmp_path / "x", first).run(lambda _: None)
    assert [stage.stage for stage in stages if stage.share == 1] == ["playing out", "done"]


def test_plans() -> None:
    assert plan_of(plan().text()) == plan()
    assert len(rulesets_with_options("classic")) == 8
    assert [fields["name"] for fields in rulesets_with_options("backgammon")] == ["backgammon"]
    with pytest.raises(LabPlanError, match="brandubh-1 is none"):
        training.Training(plan("brandubh-1"))


@pytest.mark.slow
def test_it_learns() -> None:
    learning = training.Training(plan(games=100_000, hidden=(16, 8)))
    first = learning.play_round() or learning.done.loss
    for _ in range(5):
        learning.play_round()
    assert learning.done.loss < first


def test_a_duel_of_equals_and_one_that_is_none() -> None:

    class Reversed(Beginner):
        def points(self, states: Any, /) -> Any:
            return -super().points(states)

    beginner = Beginner(VASA.rules)
    assert duel(VASA, beginner, beginner, 3, seed=1) == (0.0, 0.0)
    score = duel(VASA, beginner, Reversed(VASA.rules), 20, seed=1)
    assert score.mean - score.half_width > 1


@pytest.mark.slow
def test_json_has_the_plan_and_every_stage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As the training ends, and again when it is done."""
    monkeypatch.setattr(
        "arena.analysis.examination.SHIPPED", shipped_alone(40, tmp_path / "shipped")
    )
    few = "--games 40 --generations 0 --played-out 0 --hidden 8,4 --quiet --json"
    for _ in range(2):
        result = CliRunner().invoke(
            main, ["train", "vasa", *few.split(), "--out", str(tmp_path / "mine")]
        )
        assert result.stderr == ""
        figures = json.loads(result.stdout)
        stages = [Stage(**stage) for stage in figures["stages"]]
        assert (figures["plan"]["games"], figures["plan"]["hidden"]) == (40, [8, 4])
        assert [stage.stage for stage in stages[-2:]] == ["self-play", "done"]
        assert stages[-1].points is not None
        assert stages[-1].sha256 == read_evaluator(Path(figures["weights"])).sha256
        assert "thousandths of a point a decision" in figures["examination"]


def test_where_games_do_not_end_the_beginner_plays_them_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """A network that goes round for ever, as one for `fiske` did, still comes to the end of its round."""
    learning = training.Training(plan("fiske"))
    asked = []

    def lost(states: Any) -> Any:
        asked.append(len(states))
        return np.array(
            [-(state >> 100 & 15) for state in states], dtype=np.float32
        )  # nobody bears off

    monkeypatch.setattr(Evaluator, "points", lambda _, states: lost(states))
    learning.play_round()
    unusual = len(self_play.WEAK_NOISE) * self_play.WEAK_TURNS
    assert len(asked) - unusual == pytest.approx(
        training.PATIENCE * training.POSITIONS / training.BOARDS, abs=2
    )
    assert learning.done.games > 0


@pytest.mark.parametrize("module", ["lab.course", "tournaments.statistics.intervals"])
def test_numpy_computes_in_one_thread(module: str) -> None:
    """Else the same seed would not give the same weights, and two trainings would wait for each other."""
    program = f"import arena.{module}, os; print(len(os.listdir('/proc/self/task')))"
    counted = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert counted.stdout == "1\n"
