"""The rules as a library: every example of its page, and a game that another package brings."""

import doctest
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import arena.games
from arena.games import (
    GameError,
    IllegalTurnError,
    apply,
    load_game,
    rolls,
    ruleset_names,
    rulesets,
)

ROOT = Path(__file__).parents[2]
THIRD_PARTY = ROOT / "tests" / "third_party"


def test_the_examples_of_the_page_are_right():
    """docs/rules-library.md, run as it stands."""
    page = str(ROOT / "docs" / "rules-library.md")
    failed, tried = doctest.testfile(page, module_relative=False, encoding="utf-8")
    assert tried > 30
    assert not failed


def test_the_example_of_the_package_is_right():
    assert doctest.testmod(arena.games) == (0, 4)


def test_apply_raises_the_verdict():
    vasa = load_game("vasa")
    with pytest.raises(IllegalTurnError, match=r"B3\.1") as caught:
        apply(vasa, vasa.start(), (6, 5), [(1, 3), (3, 7)])
    assert caught.value.verdict.code == "no_such_die"


@pytest.mark.parametrize(("number", "count"), [(0, 1), (1, 6), (2, 21)])
def test_rolls_are_all_there_with_their_chances(number, count):
    assert len(rolls(number)) == count
    assert sum(rolls(number).values()) == pytest.approx(1)
    assert all(len(roll) == number for roll in rolls(number))


def test_no_game_rolls_three_dice():
    """The order of the dice would matter."""
    with pytest.raises(ValueError, match="3 dice"):
        rolls(3)


# A game from another package


@pytest.fixture
def found_anew():
    """The entry points are looked for again, and forgotten afterwards."""
    rulesets.all_families.cache_clear()
    yield
    rulesets.all_families.cache_clear()


@pytest.fixture
def nim(monkeypatch, found_anew):
    """The example package beside the arena."""
    monkeypatch.syspath_prepend(str(THIRD_PARTY))
    return load_game("nim")


def test_a_game_of_another_package_is_known_by_name(nim):
    assert ruleset_names()[-1] == "nim"
    assert nim.start() == 21
    assert load_game("nim", ["long"]).start() == 100
    assert load_game({"base": "nim", "name": "little-nim", "heap": 5}).start() == 5
    with pytest.raises(
        GameError, match="heep'; known are name, family, heap, most, points; did you mean 'heap'"
    ):
        load_game({"base": "nim", "name": "little-nim", "heep": 5})
    with pytest.raises(GameError, match="expected 1 or more"):
        load_game({"base": "nim", "name": "no-nim", "heap": 0})


def test_what_it_gives_does_what_the_interface_says(nim):
    assert apply(nim, 3, (), [["take", 3]]).ending.name == "last_counter"
    assert nim.judge(3, (), [["take", 4]]).legal_turns == 3
    assert nim.unreadable(3, (), [["seize", 1]]) == nim.judge(3, (), [["seize", 1]])
    assert nim.parse_turn(nim.format_turn([["take", 2]])) == [["take", 2]]


def package(folder: Path, name: str, module: str, source: str) -> Path:
    (folder / f"{module}.py").write_text(source)
    info = folder / f"{module}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {module}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[arena.games]\n{name} = {module}:FAMILY\n")
    return folder


OWN = "from dataclasses import replace\nfrom arena.games.tables.game import FAMILY\n"


@pytest.mark.parametrize(
    ("name", "source", "said"),
    [
        ("odd", "import there_is_no_such_module", "cannot be loaded: ModuleNotFoundError"),
        ("odd", "FAMILY = 'nim'", "is 'nim'; expected an arena.games.Family"),
        ("odd", OWN, "has a family named 'tables'; the two names must be the same"),
        (
            "odd",
            f"{OWN}FAMILY = replace(FAMILY, name='odd')",
            "brings the rulesets vasa, classic, swedish-tables,",
        ),
        (
            "tables",
            f"{OWN}FAMILY = replace(FAMILY, rulesets={{}})",
            "brings a family 'tables', already known here",
        ),
    ],
    ids=["not importable", "no family", "another name", "rulesets taken", "family taken"],
)
def test_a_package_that_brings_no_game_is_named(
    tmp_path, monkeypatch, found_anew, name, source, said
):
    """The message says which package to mend or uninstall; our own rulesets go on."""
    module = f"odd_{tmp_path.name}"
    monkeypatch.syspath_prepend(str(package(tmp_path, name, module, source)))
    with pytest.raises(GameError) as caught:
        load_game("no-such-ruleset")
    found = str(caught.value)
    assert found.startswith(f"the entry point {name} = {module}:FAMILY of the package {module} ")
    assert said in found
    assert found.endswith("repair or uninstall the package")
    assert load_game("vasa").name == "vasa"


def arena_command(*arguments: str, given: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "arena", *arguments],
        input=given,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(THIRD_PARTY), str(ROOT)])},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_the_arena_referees_a_game_of_another_package(tmp_path):
    """Two bots that know no rules play nim, and the record verifies."""
    bot = f"{sys.executable} {ROOT / 'sample_bots' / 'minimal' / 'bot.py'}"
    run = tmp_path / "run"
    played = arena_command(
        *("run", "--quiet", "--out", str(run), "--games", "3", "--ruleset", "nim"),
        *("--bot", f"anna={bot}", "--bot", f"bo={bot}"),
    )
    assert played.returncode == 0, played.stdout + played.stderr
    assert arena_command("verify", str(run)).returncode == 0
    shown = arena_command("show", str(next((run / "matches").iterdir())))
    assert "anna: takes " in shown.stdout
    line = {"ruleset": "nim", "position": {"heap": 2}, "moves": [["take", 2]]}
    answer = json.loads(arena_command("rules", "judge", given=json.dumps(line)).stdout)
    assert answer == {"legal": True, "position": {"heap": 0}, "ending": "last_counter", "points": 1}
