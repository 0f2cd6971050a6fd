"""docs/verify.mjs follows games, turns, throws and the tournament: forgeries that nothing else would show."""

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from arena.records.dice import dice_stream
from arena.records.signatures import head_text
from tests.records.forgeries import LEDGER, Line, nth, setting, twice, without
from tests.records.many_forgeries import ONE_DIE, line, lines_of, originals, refit
from tests.records.signed_run import key_of, public_key_of, with_heads
from tests.records.small_run import RECORD, Files, forge
from tests.records.test_verifier_in_javascript import arena, node, pytestmark, write

__all__ = ["pytestmark"]  # node must be there
Change = Callable[[list[Line]], Any]


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
        both = (bytes.fromhex(entropies[0]), bytes.fromhex(entropies[1]))
        stream = dice_stream(seed, fixture=opened["match"], attempt=opened["attempt"], game=1, entropies=both)
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
    one["score"], two["score"] = two["score"], [two["score"][0], two["score"][1] - one["result"]["points"]]


def seed_elsewhere(found: list[Line]) -> None:
    """The true seed stands in a line of another event, and another one where it is revealed."""
    opened, revealed = nth(found, "match_opened", -1), nth(found, "dice_revealed", -1)
    away = {"event": "bot_missing", "v": 1, "at_ms": opened["at_ms"], "seat": 1}
    told = away | {"attempt": opened["attempt"], "reason": ["void.no_show", {}], "dice_seed": revealed["dice_seed"]}
    found.insert(found.index(opened) + 1, told)
    revealed["dice_seed"] = "00" * 32


def ready_again(found: list[Line]) -> None:
    """A bot that comes back after the dice are settled commits anew."""
    back = nth(found, "bot_returned")
    found[found.index(back)] = nth(found, "bot_ready", back["seat"] - 3) | {"at_ms": back["at_ms"]}


MATCHES: dict[str, tuple[str, Change]] = {
    "who starts the first game": ("small", another_starts(1)),
    "who starts a later game": ("small", another_starts(3)),
    "who starts a game of Brandubh": ("brandubh", another_starts(2)),
    "who starts a half": ("long pairs", another_starts(4)),
    "a throw less": ("small", other_throws(lambda throws, _: throws[:-1])),
    "no throw": ("small", other_throws(lambda *_: [])),
    "a throw more": ("small", other_throws(lambda throws, dice: [*throws, dice[2 * len(throws) :][:2]])),
    "the first roll of backgammon": ("backgammon", setting("turn_played", dice=[6, 6])),
    "a game after one that never began": ("small", never_begun),
    "a half that is ahead": ("long pairs", ahead_of_the_other_half),
    "a call told twice": ("one die", twice("dice_called")),
    "dice under a call that was rejected": (
        "one die",
        lambda found: next(one for one in found if "call" in one)["dice"].append(1),
    ),
    "the second half first": ("pairs", the_second_half_first),
    "a game without a bot": ("resumed", without("bot_returned")),
    "a bot of another name": ("small", setting("bot_ready", -1, entrant__name="zoe")),
    "a bot that is ready again": ("small", ready_again),
    "a bot that is ready twice": ("small", twice("bot_ready", -1)),
    "entropy that was not committed to": ("small", setting("bot_ready", -2, commitment=None)),
    "an objection to no lines": ("small", setting("receipt_disputed", lines=0)),
    "an objection to lines that follow": ("small", setting("receipt_disputed", lines=33)),
    "a signature without a key": ("signed", setting("bot_ready", -1, entrant__public_key=None)),
    "another event with the same fields": (
        "small",
        lambda found: nth(found, "match_opened", -1).update(event="match_begun"),
    ),
    "a seed in another line": ("small", seed_elsewhere),
    "no seed": ("small", setting("dice_revealed", -1, dice_seed=None)),
    "no seed at all": ("small", without("dice_revealed", -1)),
}
TOURNAMENTS: dict[str, tuple[str, Change]] = {
    "another format": ("small", setting("tournament_opened", format="brade-tournament-2")),
    "no fixture": ("small", setting("fixture_issued", 1, fixture="../matches/r1-anna-v-bo")),
    "an entrant twice": ("newcomers", twice("entrants_added")),
    "a round twice": ("knockout", twice("round_drawn", 1)),
    "another number of a round": ("knockout", setting("round_drawn", 1, round=3)),
    "a fixture that was not drawn": ("knockout", lambda found: nth(found, "round_drawn", 1)["fixtures"].pop()),
    "another score": ("small", setting("fixture_settled", score=[11, 0])),
    "another winner of a game": ("small", setting("fixture_settled", games__1__winner=2)),
    "other violations": ("small", setting("fixture_settled", violations=[0, 0])),
    "another reason of a void": ("small", setting("fixture_voided", reason=["rain", {}])),
    "void for good": ("small", setting("fixture_voided", is_last=True)),
    "withdrawn twice": ("withdrawal", twice("entrant_withdrawn")),
    "withdrawn for nothing": ("withdrawal", setting("entrant_withdrawn", violations=2)),
    "withdrawn too late": ("withdrawal", lambda found: found.insert(4, found.pop(3))),
    "a match of the record": (
        "small",
        lambda found: found.insert(-2, dict(nth(found, "fixture_issued"), event="bot_left")),
    ),
}


def refused_by_both(folder: Path, files: Files, rules: Any = None) -> None:
    """Both verifiers refuse a run."""
    is_in_order, why, _ = arena(files, rules)
    found, said = node(write(folder, files))
    assert not is_in_order
    assert not found, f"arena verify: {why}; verify.mjs: {said}"


@pytest.mark.parametrize("name", MATCHES)
def test_a_false_match_is_refused_although_every_hash_fits(name: str, tmp_path: Path) -> None:
    """Dice from the seed do not help where they are not those of this turn, nor numbers that fit each other."""
    run, change = MATCHES[name]
    files = originals()[run]
    lines = lines_of(files[RECORD])
    change(lines)
    rules = ONE_DIE if run == "one die" else None
    refused_by_both(tmp_path, refit(files, RECORD, [line(one) for one in lines]), rules)


@pytest.mark.parametrize("name", TOURNAMENTS)
def test_a_false_tournament_is_refused_although_every_hash_fits(name: str, tmp_path: Path) -> None:
    run, change = TOURNAMENTS[name]
    refused_by_both(tmp_path, forge(originals()[run], LEDGER, change))


def test_a_match_too_many_is_refused(tmp_path: Path) -> None:
    files = originals()["small"]
    for number, name in enumerate(("matches/r2-anna-v-bo.jsonl", "matches/r1-anna-v-bo")):
        refused_by_both(tmp_path / str(number), files | {name: files[RECORD]})


def test_a_second_key_of_the_operator_is_refused(tmp_path: Path) -> None:
    """Each signature fits the key beside it; but a run has one key."""
    files = with_heads(originals()["signed"], heads=1)
    lines = files[LEDGER].splitlines()
    signed = b"".join(one + b"\n" for one in lines[:-2])
    head = {
        "lines": len(lines) - 2,
        "sha256": hashlib.sha256(signed).hexdigest(),
        "public_key": public_key_of("forger"),
    }
    head["signature"] = key_of("forger").sign(head_text(head["lines"], head["sha256"])).hex()
    another = line({"event": "head_signed", "v": 1, "at_ms": lines_of(signed)[-1]["at_ms"]} | head)
    refused_by_both(tmp_path, refit(files, LEDGER, [*lines[:-2], another, *lines[-2:]]))
