"""The matches of before, from run folders: what is listed, and what is passed over."""

import os
from pathlib import Path

import pytest

from arena.pages.by_hand.hand_room import HandRoom
from arena.person.arena_run import Wanted
from arena.person.past_matches import MOST, past_matches
from arena.person.told import Refusal
from tests.fixtures.small_run import lines_of, small_run, unfinished_run


def played(
    folder: Path, *, person: str = "anna", is_over: bool = True, by_hand: bool = True
) -> Path:
    """A folder with a match of a person, who has won it as Anna, against Bo."""
    files = small_run() if is_over else unfinished_run()
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    [bot] = {"anna", "bo"} - {person}
    wanted = Wanted(name=person, opponent=bot, command="python bot.py", by_hand=by_hand)
    (folder / "tournament.toml").write_text(wanted.text())
    return folder


@pytest.mark.parametrize(("person", "opponent", "seat"), [("anna", "bo", 1), ("bo", "anna", 2)])
def test_a_match_is_listed_with_its_result_from_the_persons_side(
    tmp_path: Path, person: str, opponent: str, seat: int
) -> None:
    folder = played(tmp_path / "play-it-1", person=person)
    [match] = past_matches([folder])
    assert (match.run, match.opponent, match.seat) == (str(folder), opponent, seat)
    [settled] = [
        line
        for line in lines_of(small_run()["tournament.jsonl"])
        if line["event"] == "fixture_settled"
    ]
    mine, theirs = settled["score"] if seat == 1 else settled["score"][::-1]
    assert tuple(match.score) == (mine, theirs)
    assert match.result == ("won" if settled["winner"] == person else "lost")


def test_the_match_of_an_agent_is_no_persons(tmp_path: Path) -> None:
    assert past_matches([played(tmp_path / "play-it-1", by_hand=False)]) == []


def test_a_match_without_a_result_is_open(tmp_path: Path) -> None:
    [match] = past_matches([played(tmp_path / "play-it-1", is_over=False)])
    assert (match.result, match.score) == ("open", ())


def test_the_latest_come_first_and_older_ones_are_left_out(tmp_path: Path) -> None:
    folders = [played(tmp_path / f"play-it-{number}") for number in range(MOST + 1)]
    for place, folder in enumerate(folders):
        os.utime(folder / "tournament.toml", (place, place))
    listed = [match.run for match in past_matches(folders)]
    assert listed == [str(folder) for folder in reversed(folders[1:])]


@pytest.mark.parametrize("name", ["tournament.toml", "tournament.jsonl"])
def test_a_folder_that_cannot_be_read_is_passed_over(tmp_path: Path, name: str) -> None:
    broken, sound = played(tmp_path / "play-it-1"), played(tmp_path / "play-it-2")
    (broken / name).write_bytes(b"\xff\n")
    found = past_matches([broken, sound, tmp_path / "play-it-3"])
    assert [match.run for match in found] == [str(sound)]


async def test_a_match_is_looked_at_once_more_and_no_other_folder(tmp_path: Path) -> None:
    room = HandRoom(tmp_path / "runs", "you")
    folder = played(tmp_path / "runs" / "play-it-1")
    elsewhere = played(tmp_path / "elsewhere")
    review = room.past_review(str(folder))
    assert len(review.match.games) == 3
    assert review.costliest is not None
    for run in (str(elsewhere), f"{folder}/../play-it-1", ""):
        with pytest.raises(Refusal, match="no match"):
            room.past_review(run)
