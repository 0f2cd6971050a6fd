"""Networks, evaluators and their files; weights by chance serve as well as trained ones."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from arena.analysis import EvaluatorError, evaluate, evaluator_for, evaluator_named, files, read_evaluator, shipped
from arena.analysis.evaluator import new_evaluator
from arena.analysis.files import write_evaluator
from arena.analysis.network import gradients, network_of, new_network
from arena.analysis.outcomes import points_of, ways_of
from arena.analysis.sides import counts_of
from arena.games import load_game
from arena.games.tables.position import from_state
from tests.analysis.positions import afterwards, tables_game

RACE = {"same_way": "13:15 | opp 1:15", "opposite_ways": "6:15 | opp 19:15"}


def test_gradients_are_slopes() -> None:
    """Against differences, weight by weight."""
    chance = np.random.default_rng(1)
    network = network_of([array.astype(np.float64) for array in new_network((5, 4, 3), chance).arrays])
    inputs, targets = chance.normal(size=(6, 5)), chance.dirichlet((1, 1, 1), size=6)
    found, _ = gradients(network, inputs, targets)
    for array, gradient in zip(network.arrays, found, strict=True):
        for place in np.ndindex(array.shape):
            before = array[place]
            losses = []
            for step in (1e-5, -1e-5):
                array[place] = before + step
                losses.append(gradients(network, inputs, targets)[1])
            array[place] = before
            assert gradient[place] == pytest.approx((losses[0] - losses[1]) / 2e-5, abs=1e-4)


@pytest.mark.parametrize("ruleset", ["vasa", "fiske", "backgammon"])
def test_probabilities_add_up_and_points_follow(ruleset: str) -> None:
    """In both phases; a race leaves no way that needs a hit."""
    game = tables_game(ruleset)
    evaluator = new_evaluator("x", game.rules, (8, 4), seed=1)
    states = [after.state for after in afterwards(game, 50)] + [game.parse_position(RACE[game.rules.facing]).state]
    probabilities = evaluator.probabilities(states)
    assert probabilities.sum(axis=1) == pytest.approx(np.ones(len(states)), abs=1e-5)
    assert evaluator.points(states) == pytest.approx(probabilities @ points_of(evaluator.ways, game.rules))
    if ruleset == "vasa":
        left = {evaluator.ways[column % 12].ending for column in np.flatnonzero(probabilities[-1])}
        assert left == {"bearing_off", "single_crown", "double_crown", "staircase", "tower"}


def test_a_batch_is_split_without_a_trace(monkeypatch: pytest.MonkeyPatch) -> None:
    """Positions come back in order, however many there are."""
    game = tables_game("vasa")
    evaluator = new_evaluator("x", game.rules, (8, 4), seed=1)
    states = [after.state for after in afterwards(game, 40)]
    whole = evaluator.points(states)
    monkeypatch.setattr("arena.analysis.evaluator.BATCH", 7)
    assert evaluator.points(states) == pytest.approx(whole, abs=1e-5)
    assert evaluator.points([]).shape == (0,)
    assert evaluate(evaluator, [from_state(states[0], game.rules.layout)]) == pytest.approx(whole[:1], abs=1e-5)


def test_points_follow_from_what_the_ruleset_pays() -> None:
    """The ways of one ruleset, paid by another: a monk may be worth nothing, a gammon one point."""
    vasa, plain = tables_game("vasa").rules, tables_game("backgammon").rules
    assert points_of(ways_of(vasa), vasa)[:12].tolist() == [1, 2, 2, 3, 2, 3, 2, 3, 2, 3, 4, 6]
    assert points_of(ways_of(vasa), replace(vasa, points_monk=0))[:12].tolist() == [1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 4, 6]
    gammons = ways_of(tables_game("backgammon", "gammons").rules)
    assert points_of(gammons, plain).tolist() == [1, 1, 1, -1, -1, -1]
    assert points_of(gammons, replace(plain, gammons=True)).tolist() == [1, 2, 3, -1, -2, -3]


@pytest.fixture
def written(tmp_path: Path) -> Path:
    """A file of weights for `vasa`."""
    rules = tables_game("vasa").rules
    path = tmp_path / "mine.weights"
    write_evaluator(new_evaluator("mine", rules, (8, 4), seed=1), [rules], path)
    return path


def test_a_file_gives_the_same_evaluator(written: Path) -> None:
    """Number by number, for every ruleset that is played alike."""
    game = tables_game("vasa")
    made = new_evaluator("mine", game.rules, (8, 4), seed=1)
    read = read_evaluator(written)
    states = [after.state for after in afterwards(game, 20)]
    assert (read.probabilities(states) == made.probabilities(states)).all()
    assert len(read.sha256) == 64
    house = load_game({"base": "vasa", "name": "house", "points_jan": 5, "points_monk": 0})
    assert read_evaluator(written, house.rules).points(states).shape == (20,)  # type: ignore[attr-defined]
    assert read_evaluator(written, tables_game("swedish-tables").rules).name == "mine"


def test_a_file_that_cannot_be_used_is_refused_with_a_sentence(written: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Missing, damaged, of another version, shape, ruleset, or with somebody else's name."""
    content = written.read_bytes()

    def refused(changed: bytes) -> str:
        written.write_bytes(changed)
        with pytest.raises(EvaluatorError) as caught:
            read_evaluator(written)
        return str(caught.value)

    assert "is damaged" in refused(content[:-4])
    assert "no file of weights" in refused(b"rubbish\n")
    assert "no file of weights" in refused(b"")
    assert "has format 9; this version reads format 1" in refused(content.replace(b'"format":1', b'"format":9'))
    line, _, weights = content.partition(b"\n")
    shorter = line.replace(b"[[370,8]", b"[[369,8]") + b"\n" + weights[32:]
    assert "of another shape" in refused(shorter)
    written.write_bytes(content)
    with pytest.raises(EvaluatorError, match=r"mine was trained for vasa, which is played otherwise than fiske"):
        read_evaluator(written, tables_game("fiske").rules)
    monkeypatch.setattr(files, "PINNED", {"mine": "0" * 64})
    assert "give other weights a name of their own" in refused(content)
    with pytest.raises(EvaluatorError, match="No such file"):
        read_evaluator(written.with_name("other"))


def test_what_ships_is_found_by_ruleset_and_by_name() -> None:
    """Each is what its pinned hash says; games without one are told so."""
    assert shipped().keys() == files.PINNED.keys()
    for name, trained in shipped().items():
        assert evaluator_named(name).sha256 == files.PINNED[name]
        assert evaluator_named(name, trained[-1]).name == name
    assert evaluator_for(load_game("swedish-tables")).name == "brade-vasa-1"
    for game in (load_game("brandubh-1"), load_game({"base": "vasa", "name": "house", "jan": False})):
        with pytest.raises(EvaluatorError, match="there is no evaluator for"):
            evaluator_for(game)
    with pytest.raises(EvaluatorError, match="there is no evaluator 'x'; there are"):
        evaluator_named("x")


def test_all_weights_together_are_small() -> None:
    """At most 5 MB go along with the package."""
    assert sum(path.stat().st_size for path in files.SHIPPED.iterdir()) <= 5_000_000


def test_a_position_is_judged_by_the_network_of_its_phase() -> None:
    """Weights for races change nothing while there is contact."""
    game = tables_game("vasa")
    evaluator = new_evaluator("x", game.rules, (8, 4), seed=1)
    other = replace(evaluator, race=new_evaluator("x", game.rules, (8, 4), seed=2).race)
    start, race = game.start().state, game.parse_position(RACE[game.rules.facing]).state
    assert evaluator.in_contact(counts_of([start, race])).tolist() == [True, False]
    assert evaluator.points([start]) == other.points([start])
    assert evaluator.points([race]) != other.points([race])
