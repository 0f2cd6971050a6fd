"""Networks, evaluators and their files; weights by chance serve as well as trained ones."""

from __future__ import annotations

import json
import os
import tracemalloc
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from arena.analysis import (
    EvaluatorError,
    evaluator_for,
    evaluator_named,
    files,
    read_evaluator,
    shipped_rulesets,
)
from arena.analysis.evaluator import new_evaluator, points_of, ways_of
from arena.analysis.files import write_evaluator
from arena.analysis.network import Examples, gradients, is_finite, network_of, new_network
from arena.games import load_game
from tests.fixtures.small_evaluators import afterwards, tables_game

RACE = {"same_way": "13:15 | opp 1:15", "opposite_ways": "6:15 | opp 19:15"}


@pytest.mark.parametrize("with_decisions", [False, True])
def test_gradients_are_slopes(*, with_decisions: bool) -> None:
    chance = np.random.default_rng(1)
    network = network_of(
        [array.astype(np.float64) for array in new_network((5, 4, 3), chance).arrays]
    )
    examples = Examples(
        inputs=chance.normal(size=(6, 5)),
        targets=chance.dirichlet((1, 1, 1), size=6),
        weights=chance.random(6),
        decisions=np.array([0, 1, 1, 1, 2, 2]) if with_decisions else None,
        points=np.array([1.0, -1.0, 2.0]),
    )
    found, _ = gradients(network, examples)
    for array, gradient in zip(network.arrays, found, strict=True):
        for place in np.ndindex(array.shape):
            before = array[place]
            losses = []
            for step in (1e-5, -1e-5):
                array[place] = before + step
                losses.append(gradients(network, examples)[1])
            array[place] = before
            assert gradient[place] == pytest.approx((losses[0] - losses[1]) / 2e-5, abs=1e-4)


@pytest.mark.parametrize("ruleset", ["vasa", "fiske", "backgammon"])
def test_probabilities_add_up_and_points_follow(ruleset: str) -> None:
    game = tables_game(ruleset)
    evaluator = new_evaluator("x", game.rules, (8, 4), seed=1)
    states = [after.state for after in afterwards(game, 50)] + [
        game.parse_position(RACE[game.rules.facing]).state
    ]
    probabilities = evaluator.probabilities(states)
    assert probabilities.sum(axis=1) == pytest.approx(np.ones(len(states)), abs=1e-5)
    assert evaluator.points(states) == pytest.approx(
        probabilities @ points_of(evaluator.ways, game.rules)
    )
    if ruleset == "vasa":
        left = {evaluator.ways[column % 12].ending for column in np.flatnonzero(probabilities[-1])}
        assert left == {"bearing_off", "single_crown", "double_crown", "staircase", "tower"}


def test_a_batch_is_split_without_a_trace(monkeypatch: pytest.MonkeyPatch) -> None:
    game = tables_game("vasa")
    evaluator = new_evaluator("x", game.rules, (8, 4), seed=1)
    states = [after.state for after in afterwards(game, 40)]
    whole = evaluator.points(states)
    monkeypatch.setattr("arena.analysis.evaluator.BATCH", 7)
    assert evaluator.points(states) == pytest.approx(whole, abs=1e-5)
    assert evaluator.points([]).shape == (0,)


def test_points_follow_from_what_the_ruleset_pays() -> None:
    """The ways of one ruleset, paid by another: a monk may be worth nothing, a gammon one point."""
    vasa, plain = tables_game("vasa").rules, tables_game("backgammon", "no_gammons").rules
    assert points_of(ways_of(vasa), vasa)[:12].tolist() == [1, 2, 2, 3, 2, 3, 2, 3, 2, 3, 4, 6]
    assert points_of(ways_of(vasa), replace(vasa, points_monk=0))[:12].tolist() == [
        1,
        1,
        2,
        2,
        2,
        2,
        2,
        2,
        2,
        2,
        4,
        6,
    ]
    gammons = ways_of(tables_game("backgammon").rules)
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
    game = tables_game("vasa")
    made = new_evaluator("mine", game.rules, (8, 4), seed=1)
    read = read_evaluator(written)
    states = [after.state for after in afterwards(game, 20)]
    assert (read.probabilities(states) == made.probabilities(states)).all()
    assert len(read.sha256) == 64
    house = load_game({"base": "vasa", "name": "house", "points_jan": 5, "points_monk": 0})
    assert read_evaluator(written, house.rules).points(states).shape == (20,)  # type: ignore[attr-defined]
    assert read_evaluator(written, tables_game("swedish-tables").rules).name == "mine"


def test_a_sieve_is_told_less_and_is_in_the_same_file(written: Path) -> None:
    game = tables_game("vasa")
    small = new_evaluator("mine", game.rules, (4, 2), seed=2, is_sieve=True)
    made = replace(new_evaluator("mine", game.rules, (8, 4), seed=1), sieve=small)
    assert len(small.networks["contact"].weights[0]) < len(made.networks["contact"].weights[0])
    plain = written.stat().st_size
    write_evaluator(made, [game.rules], written)
    assert plain < written.stat().st_size < 1.6 * plain
    read = read_evaluator(written, tables_game("swedish-tables").rules)
    states = [after.state for after in afterwards(game, 20)]
    assert (read.probabilities(states) == made.probabilities(states)).all()
    assert read.sieve is not None
    assert read.sieve.rules == read.rules
    assert (read.sieve.probabilities(states) == small.probabilities(states)).all()
    rewrite(written, sieve={"contact": [], "race": []})
    with pytest.raises(
        EvaluatorError,
        match=r"shape 0 of its sieve for contact is None; expected \(308, 24\) for vasa",
    ):
        read_evaluator(written)


def test_a_file_that_cannot_be_used_is_refused_with_a_sentence(
    written: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = written.read_bytes()

    def refused(changed: bytes) -> str:
        written.write_bytes(changed)
        with pytest.raises(EvaluatorError) as caught:
            read_evaluator(written)
        return str(caught.value)

    assert "is damaged" in refused(content[:-4])
    assert "no file of weights" in refused(b"rubbish\n")
    assert "no file of weights" in refused(b"")
    assert "has format 9; this version reads format 2" in refused(
        content.replace(b'"format":2', b'"format":9')
    )
    line, _, weights = content.partition(b"\n")
    shorter = line.replace(b"[[376,8]", b"[[375,8]") + b"\n" + weights[32:]
    assert "network for contact is (375, 8); expected (376, 8) for vasa" in refused(shorter)
    written.write_bytes(content)
    with pytest.raises(
        EvaluatorError, match=r"mine was trained for vasa, whose rules differ from those of fiske"
    ):
        read_evaluator(written, tables_game("fiske").rules)
    monkeypatch.setattr(files, "PINNED", {"mine": "0" * 64})
    assert "give other weights a name of their own" in refused(content)
    with pytest.raises(EvaluatorError, match="No such file"):
        read_evaluator(written.with_name("other"))


def rewrite(path: Path, numbers: bytes | None = None, **fields: Any) -> None:
    """Write other fields or numbers into a file of weights."""
    line, _, before = path.read_bytes().partition(b"\n")
    path.write_bytes(
        json.dumps(json.loads(line) | fields).encode()
        + b"\n"
        + (before if numbers is None else numbers)
    )


CONTACT = [[376, 8], [8], [8, 4], [4], [4, 24], [24]]
RACE_NET = [[284, 4], [4], [4, 2], [2], [2, 10], [10]]


def shapes(contact: Any = CONTACT, race: Any = RACE_NET) -> dict[str, Any]:
    return {"networks": {"contact": contact, "race": race}}


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"format": True}, "Expected `int`, got `bool`"),
        ({"name": "x" * 500_000}, "Expected `str` of length <= 80"),
        ({"name": "red\x1b[31m"}, "Expected `str` matching regex"),
        (
            {"rulesets": [{"base": "vasa", "name": "x" * 500_000}]},
            "needs a name of at most 60 printable characters",
        ),
        ({"rulesets": []}, "Expected `array` of length >= 1"),
        ({"rulesets": [{"name": "x"}]}, "missing ruleset fields: facing"),
        ({"rulesets": [{"base": "brandubh-1", "name": "x"}]}, "x is no tables game"),
        (
            {"rulesets": [{"base": "vasa", "name": "x"}, {"base": "fiske", "name": "y"}]},
            "it has 12 ways to win; expected the 10 of y in order",
        ),
        ({"ways": []}, "it has 0 ways to win; expected the 12 of vasa in order"),
        (shapes([]), "shape 0 of its network for contact is None"),
        (
            shapes([*CONTACT, [1]]),
            "shape 6 of its network for contact is (1,); expected None for vasa",
        ),
        (shapes([[], *CONTACT[1:]]), "Expected `array` of length >= 1 - at `$.networks[...][0]`"),
        (shapes([[-376, -8], *CONTACT[1:]]), "Expected `int` >= 1"),
        (shapes([[376, 2**62], [2**62], *CONTACT[2:]]), "Expected `int` <= 2147483648"),
        (
            shapes([[376, 5000], [5000], [5000, 4], *CONTACT[3:]]),
            "expected at most 8, up to 4096 wide",
        ),
        (
            shapes([[376, 8], *[[8], [8, 8]] * 8, [8], [8, 24], [24]]),
            "expected at most 8, up to 4096 wide",
        ),
        (
            shapes(race=[[284, 4], [4]]),
            "shape 2 of its network for race is None; expected (4, 2) for vasa",
        ),
        ({"networks": {"race": RACE_NET}}, "it has networks for race; expected contact, race"),
        ({"networks": {"opening": CONTACT}}, "Invalid enum value 'opening'"),
        ({"another": 1}, "unknown field `another`"),
    ],
)
def test_shapes_and_types_are_checked_before_the_weights(
    written: Path, fields: dict[str, Any], told: str
) -> None:
    rewrite(written, **fields)
    with pytest.raises(EvaluatorError) as caught:
        read_evaluator(written)
    assert told in str(caught.value)
    assert str(written) in str(caught.value)
    assert str(caught.value).endswith("make one with `arena train`")


@pytest.mark.parametrize("number", [np.nan, np.inf, -np.inf, 3e38])
def test_weights_that_cannot_be_computed_with_are_refused(written: Path, number: float) -> None:
    weights = written.read_bytes().partition(b"\n")[2]
    odd = np.float32(number).tobytes()
    for changed in (odd + weights[4:], weights[:-4] + odd):
        rewrite(written, changed)
        with pytest.raises(
            EvaluatorError,
            match=r"mine\.weights is damaged: it has weights that are no numbers, or too large",
        ):
            read_evaluator(written)


def test_a_network_is_finite_if_no_position_can_give_more_than_float32_holds() -> None:
    """The bound follows from the largest input and the sums of the weights."""
    layers = [np.full((2, 2), 1e12, np.float32), np.zeros(2, np.float32)] * 2
    assert is_finite(network_of(layers))  # 1e3 * (2e12) ** 2
    assert not is_finite(network_of(layers * 2))
    assert np.isfinite(network_of(layers).probabilities(np.full((1, 2), 1e3, np.float32))).all()


def test_no_file_costs_more_memory_than_its_weights(written: Path) -> None:
    """A file of 2 GiB, a line without an end, a pipe and a device are refused before they are read."""
    line = written.read_bytes().partition(b"\n")[0]
    pipe = written.with_name("pipe")
    os.mkfifo(pipe)
    tracemalloc.start()
    for beginning, told in (
        (line + b"\n", "is damaged: 2,147,4"),
        (line, "there is no line feed in its first 1,048,577 bytes"),
    ):
        written.write_bytes(beginning)
        os.truncate(written, 2**31)
        with pytest.raises(EvaluatorError, match=told):
            read_evaluator(written)
    for path in (pipe, Path("/dev/zero")):
        with pytest.raises(EvaluatorError, match="is no regular file; expected a file of weights"):
            read_evaluator(path)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 8 * 2**20


def test_a_shipped_file_that_is_damaged_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "x.weights").write_bytes(b"rubbish\n")
    monkeypatch.setattr(files, "SHIPPED", tmp_path)
    shipped_rulesets.cache_clear()
    for look in (shipped_rulesets, lambda: evaluator_for(load_game("vasa"))):
        with pytest.raises(EvaluatorError, match=r"x\.weights is no file of weights"):
            look()
    shipped_rulesets.cache_clear()


def test_what_ships_is_found_by_ruleset_and_by_name() -> None:
    assert shipped_rulesets().keys() == files.PINNED.keys()
    for name, trained in shipped_rulesets().items():
        assert evaluator_named(name).sha256 == files.PINNED[name]
        assert evaluator_named(name, trained[-1]).name == name
    assert evaluator_for(load_game("swedish-tables")).name == "brade-vasa-3"
    for game in (
        load_game("brandubh-1"),
        load_game({"base": "vasa", "name": "house", "jan": False}),
    ):
        with pytest.raises(EvaluatorError, match="there is no evaluator for"):
            evaluator_for(game)
    with pytest.raises(EvaluatorError, match="there is no evaluator 'x'; there are"):
        evaluator_named("x")


def test_a_position_is_judged_by_the_network_of_its_phase() -> None:
    for name in ("vasa", "backgammon"):
        game = tables_game(name)
        evaluator, other = (new_evaluator("x", game.rules, (8, 4), seed=seed) for seed in (1, 2))
        crashed = "24:2 2:6 1:7 | opp 22:8 23:7" if name == "backgammon" else None
        texts = {"crashed": crashed, "race": RACE[game.rules.facing]}
        states = {"contact": game.start().state} | {
            phase: game.parse_position(text).state for phase, text in texts.items() if text
        }
        assert evaluator.networks.keys() == states.keys()
        for phase, network in other.networks.items():
            changed = replace(evaluator, networks={**evaluator.networks, phase: network})
            different = evaluator.points([*states.values()]) != changed.points([*states.values()])
            assert different.tolist() == [one == phase for one in states]
