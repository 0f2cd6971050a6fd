"""`arena torture`: the table of faults and verdicts. The faults themselves are in tests/torture."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from arena.torture import crowd, foreign, zoo
from arena.torture.case import Case, Found, PlayedCase
from arena.torture.crowd import CrowdFound
from tests.cli.conftest import Arena


def case(name: str, expected: str, found: str, took_ms: int | None = None) -> Case:
    """A case that needs no arena."""

    async def play(folder: Path) -> Found:
        assert list(folder.iterdir()) == []
        return Found(verdict=found, took_ms=took_ms)

    return Case(name=name, what="does it", expected=expected, play=play)


GOOD = case("frame-junk", "error bad_msgpack", "error bad_msgpack", 12)
OTHER = case("pace-crash", "forfeit: disconnect", "forfeit: disconnect")
BAD = case("pace-silent", "forfeit: time", "played on; [red]")


@pytest.fixture
def cases(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(zoo, "CASES", (GOOD, OTHER, BAD))


@pytest.mark.usefixtures("cases")
def test_a_verdict_that_differs_is_a_failed_check(arena: Arena) -> None:
    """The table has every fault with both verdicts, standard error the progress; exit status 1."""
    result = arena("torture")
    assert result.exit_code == 1
    rows = [line.split() for line in result.stdout.splitlines()]
    assert ["frame-junk", "does", "it", "error", "bad_msgpack", "the", "same", "12"] in rows
    assert ["pace-crash", "does", "it", "forfeit:", "disconnect", "the", "same", "-"] in rows
    assert ["pace-silent", "does", "it", "forfeit:", "time", "played", "on;", "[red]", "-"] in rows
    assert "2 of 3 faults have the verdict expected." in result.stdout
    assert sorted(result.stderr.splitlines()) == ["DIFF pace-silent", "ok   frame-junk", "ok   pace-crash"]


@pytest.mark.usefixtures("cases")
@pytest.mark.parametrize("only", [("frame-junk", "pace-crash"), ("frame",)])
def test_some_faults_by_name_or_group(arena: Arena, only: tuple[str, ...]) -> None:
    """If all that were run have their verdict, the exit status is 0."""
    result = arena("torture", "--json", *(word for name in only for word in ("--only", name)))
    assert result.exit_code == 0
    found = json.loads(result.stdout)
    assert found["all_expected"] is True
    assert found["faults"][0] == {
        "name": "frame-junk",
        "what": "does it",
        "expected": "error bad_msgpack",
        "verdict": "error bad_msgpack",
        "skipped": "",
        "took_ms": 12,
        "is_expected": True,
    }
    assert len(found["faults"]) == len(only)


def test_the_list_of_faults(arena: Arena) -> None:
    """What there is, without running anything."""
    assert "frame-huge-length" in arena("torture", "--list").stdout
    names = [fault["name"] for fault in json.loads(arena("torture", "--list", "--json").stdout)["faults"]]
    assert names == [case.name for case in zoo.CASES]


def test_an_unknown_fault_is_wrong_use(arena: Arena) -> None:
    """The nearest known one is named."""
    result = arena("torture", "--only", "frame-jnk")
    assert result.exit_code == 2
    assert "did you mean 'frame-junk'?" in result.stderr


@pytest.mark.parametrize(("problems", "status"), [((), 0), (("r1-a-v-b: a was blamed 1 times",), 1)])
def test_a_crowd_ends_with_exit_status_1_only_if_something_is_wrong(
    arena: Arena, monkeypatch: pytest.MonkeyPatch, problems: tuple[str, ...], status: int
) -> None:
    """One sentence, every problem, and the exit status."""

    async def play() -> CrowdFound:
        return CrowdFound(matches=9, at_once=8, honest=3, seconds=1.5, problems=problems)

    monkeypatch.setattr(crowd, "play_crowd", play)
    result = arena("torture", "--crowd")
    assert result.exit_code == status
    assert "9 matches, up to 8 at once" in result.stdout
    assert all(problem in result.stdout for problem in problems)
    assert json.loads(arena("torture", "--crowd", "--json").stdout)["intact"] is (not problems)
    assert arena("torture", "--crowd", "--only", "frame").exit_code == 2


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--token", "anna=x"), "say where with --connect ADDRESS"),
        (("--connect", "tcp:127.0.0.1:1", "--token", "anna=x"), "two different entrants"),
        (("--connect", "tcp:127.0.0.1:1", "--token", "anna=x", "--token", "anna=x"), "two different entrants"),
        (("--connect", "tcp:127.0.0.1:1", "--token", "anna"), "expected NAME=TOKEN or NAME=@FILE"),
        (("--connect", "tcp:127.0.0.1:1", "--token", "anna=@nowhere"), "--token anna=@FILE: the file cannot be read"),
        (("--connect", "tcp:127.0.0.1:1"), "is the address right, and the arena running?"),
        (("--connect", "tcp:127.0.0.1:1", "--crowd"), "leave out --only, --list and --connect"),
    ],
)
def test_an_unreachable_arena_is_wrong_use(arena: Arena, words: tuple[str, ...], said: str) -> None:
    """What was found, what was expected, and nothing of a token."""
    result = arena("torture", *words)
    assert (result.exit_code, result.stdout) == (2, "")
    assert said in result.stderr
    assert "=x" not in result.stderr


def test_cases_that_were_skipped_say_why_and_are_no_failure(arena: Arena, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the table and as JSON; they are counted apart."""

    async def torture(
        _address: str, entrants: list[foreign.Entrant], cases: list[Case], report: object
    ) -> list[PlayedCase]:
        assert [entrant.token for entrant in entrants] == ["x", "y"]
        assert callable(report)
        return [PlayedCase(case=case, found=Found(verdict="", skipped="no time")) for case in cases]

    monkeypatch.setattr(foreign, "torture_foreign", torture)
    words = ("torture", "--connect", "tcp:127.0.0.1:1", "--token", "a=x", "--token", "b=y", "--only", "pace-crash")
    result = arena(*words)
    assert result.exit_code == 0
    assert "skipped: no time" in result.stdout
    assert "0 of 0 faults have the verdict expected; 1 skipped." in result.stdout
    assert json.loads(arena(*words, "--json").stdout)["faults"][0]["skipped"] == "no time"
