"""Runs with forbidden changes: of bytes, of lines, and false lines whose hashes fit."""

import copy
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from arena.records.dice import dice_stream, game_label
from arena.records.lines import RecordError
from arena.records.verify import verify_run
from tests.records.small_run import Files

LEDGER = "tournament.jsonl"


def bytes_of(files: Files) -> Iterator[tuple[str, int]]:
    """Every byte of a run: file and place."""
    for name, data in files.items():
        for place in range(len(data)):
            yield name, place


def replaced(files: Files, name: str, place: int, old: int, new: bytes) -> Files:
    """The run with `old` bytes at a place of a file replaced by others."""
    data = files[name]
    return files | {name: data[:place] + new + data[place + old :]}


def assert_refused(files: Files, *places: str) -> RecordError:
    """Verification fails with a RecordError, one that names one of the places if any is given."""
    with pytest.raises(RecordError) as caught:
        verify_run(files)
    assert not places or any(place in str(caught.value) for place in places), str(caught.value)
    return caught.value


Line = dict[str, Any]
Change = Callable[[list[Line]], Any]


def nth(found: list[Line], event: str, number: int = 0) -> Line:
    """The line of an event, the first unless another is asked for."""
    return [line for line in found if line["event"] == event][number]


def setting(event: str, number: int = 0, **fields: Any) -> Change:
    """Change fields of one line; `a__b` is field b inside a."""

    def change(found: list[Line]) -> None:
        for name, value in fields.items():
            *path, last = name.split("__")
            inner: Any = nth(found, event, number)
            for step in path:
                inner = inner[int(step) if step.isdigit() else step]
            inner[int(last) if last.isdigit() else last] = value

    return change


def without(event: str, number: int = 0) -> Change:
    """Leave one line out."""
    return lambda found: found.remove(nth(found, event, number))


def twice(event: str, number: int = 0) -> Change:
    """Tell one line twice."""

    def change(found: list[Line]) -> None:
        line = nth(found, event, number)
        found.insert(found.index(line), copy.deepcopy(line))

    return change


def without_field(event: str, name: str, number: int = 0) -> Change:
    """Leave a field out of one line."""
    return lambda found: nth(found, event, number).__delitem__(name)


# Changes of several lines


def of_game(found: list[Line], number: int) -> list[Line]:
    """The lines about a game of the last attempt."""
    begun = max(at for at, one in enumerate(found) if one["event"] == "match_opened")
    return [one for one in found[begun:] if one.get("game") == number]


def another_starts(number: int) -> Change:
    """The other seat starts a game, and every turn of it is the other seat's."""

    def change(found: list[Line]) -> None:
        for one in of_game(found, number):
            for name in {"starter", "seat"} & one.keys():
                one[name] = 3 - one[name]

    return change


def other_throws(change_throws: Callable[[list[list[int]], list[int]], list[list[int]]]) -> Change:
    """A throw more or less for the start, and every roll of the game is dealt from there: other dice, from the seed."""

    def change(found: list[Line]) -> None:
        opened, lines = nth(found, "match_opened", -1), of_game(found, 1)
        seed = bytes.fromhex(nth(found, "dice_revealed", -1)["dice_seed"])
        entropies = [nth(found, "entropy_revealed", -1)["entropy"], ""]
        stream = dice_stream(seed, game_label(opened["match"], opened["attempt"], 1, *entropies))
        dice = [next(stream) for _ in range(100)]
        throws = lines[0]["opening"]
        lines[0]["opening"] = change_throws(throws, dice)
        at = 2 * len(lines[0]["opening"])
        for turn in sorted({one["turn"] for one in lines if "turn" in one}):
            for one in lines:
                if one.get("turn") == turn:
                    one["dice"] = dice[at : at + 2]
            at += 2

    return change


def never_begun(found: list[Line]) -> None:
    """The second game is lost before it begins, and the third is played."""
    *lines, ended = of_game(found, 2)
    for one in lines:
        found.remove(one)
    ended["turns"], ended["result"]["cause"] = 0, "disconnect"


def ahead_of_the_other_half(found: list[Line]) -> None:
    """A half of a pair answers before the other half has come as far."""
    played = [at for at, one in enumerate(found) if one["event"] == "turn_played"]
    at = next(at for at in played if at + 1 in played and found[at]["turn"] < found[at + 1]["turn"])
    found[at], found[at + 1] = found[at + 1], found[at]


def the_second_half_first(found: list[Line]) -> None:
    """Two halves that are over in the same step end in the order of their numbers."""
    one, two = of_game(found, 3)[-1], of_game(found, 4)[-1]
    found.remove(one)
    found.insert(found.index(two) + 1, one)
    one["score"], two["score"] = (
        two["score"],
        [two["score"][0], two["score"][1] - one["result"]["points"]],
    )


def seed_elsewhere(found: list[Line]) -> None:
    """The true seed stands in a line of another event, and another one where it is revealed."""
    opened, revealed = nth(found, "match_opened", -1), nth(found, "dice_revealed", -1)
    away = {"event": "bot_missing", "v": 1, "at_ms": opened["at_ms"], "seat": 1}
    told = away | {
        "attempt": opened["attempt"],
        "reason": ["void.no_show", {}],
        "dice_seed": revealed["dice_seed"],
    }
    found.insert(found.index(opened) + 1, told)
    revealed["dice_seed"] = "00" * 32


def ready_again(found: list[Line]) -> None:
    """A bot that comes back after the dice are settled commits anew."""
    back = nth(found, "bot_returned")
    found[found.index(back)] = nth(found, "bot_ready", back["seat"] - 3) | {"at_ms": back["at_ms"]}


def moved(event: str, number: int, before: str, at: int) -> Change:
    """Put one line in front of another."""

    def change(found: list[Line]) -> None:
        line = nth(found, event, number)
        place = found.index(nth(found, before, at))
        found.remove(line)
        found.insert(place, line)

    return change


def swapped_halves(found: list[Line]) -> None:
    """Give out each half as the other, without its start."""
    for line in found:
        if line["event"] == "turn_played":
            line["game"] = {1: 2, 2: 1}[line["game"]]


def swap_seats(found: list[Line]) -> None:
    drawn = nth(found, "round_drawn")
    drawn["fixtures"] = [
        "r1-bo-v-anna" if each == "r1-anna-v-bo" else "r1-anna-v-bo" for each in drawn["fixtures"]
    ]


def move_up(found: list[Line]) -> None:
    """The second round before the first is over."""
    second = nth(found, "round_drawn", 1)
    found.remove(second)
    found.insert(2, second)


def join(found: list[Line]) -> None:
    added = {
        "event": "entrants_added",
        "v": 1,
        "at_ms": 1,
        "entrants": ["finn"],
        "file_sha256": found[0]["file_sha256"],
    }
    found.insert(1, added)
