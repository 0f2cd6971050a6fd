"""Forbidden changes of the lines of a record, drawn by lot; one that finds no line to change changes nothing."""

import random
from collections.abc import Callable
from typing import Any

from tests.matches.sitting import ILLEGAL

Line = dict[str, Any]
Change = Callable[[random.Random, list[Line]], None]
TURNS = ("turn_played", "turn_rejected", "flag_fell")


def some(chance: random.Random, lines: list[Line], is_one: Callable[[Line], Any]) -> Line | None:
    """A line of some kind; None if there is none."""
    found = [one for one in lines if is_one(one)]
    return chance.choice(found) if found else None


def has_dice(one: Line) -> bool:
    """Whether dice of a turn stand in it."""
    return one["event"] in TURNS and bool(one["dice"])


def a_die(chance: random.Random, lines: list[Line]) -> None:
    """Another face, of a roll or of a throw for the start."""
    if one := some(chance, lines, lambda one: has_dice(one) or one.get("opening")):
        dice = chance.choice(one["opening"]) if "opening" in one else one["dice"]
        at = chance.randrange(len(dice))
        dice[at] = chance.choice([face for face in range(1, 7) if face != dice[at]])


def a_die_more_or_less(chance: random.Random, lines: list[Line]) -> None:
    """Of a roll, or a whole throw."""
    if one := some(chance, lines, lambda one: one["event"] in TURNS and "call" not in one):
        if one["dice"] and chance.random() < 0.5:
            one["dice"].pop()
        else:
            one["dice"].append(chance.randint(1, 6))
    if (one := some(chance, lines, lambda one: "opening" in one)) and chance.random() < 0.3:
        one["opening"].insert(0, [3, 3])


def dice_the_other_way_round(chance: random.Random, lines: list[Line]) -> None:
    """2-1 for 1-2."""
    if one := some(chance, lines, lambda one: has_dice(one) and len(set(one["dice"])) > 1):
        one["dice"].reverse()


def chosen_dice(chance: random.Random, lines: list[Line]) -> None:
    """Every roll of a seat becomes 6-6, and the true roll stands in an invented rejected turn before it."""
    seat = chance.choice((1, 2))
    for one in [
        one
        for one in lines
        if one["event"] == "turn_played" and one["seat"] == seat and one["dice"]
    ]:
        kept = {key: one[key] for key in ("game", "turn", "seat", "spent_ms", "dice")}
        verdict = {
            "moves": [],
            "code": "too_few",
            "clause": "B3.3",
            "values": {"legal": "no"},
            "legal_turns": 1,
            "left": 0,
        }
        invented = {"event": "turn_rejected", "v": 1, "at_ms": one["at_ms"], **kept, **verdict}
        lines.insert(lines.index(one), invented)
        one["dice"] = [6] * len(one["dice"])


def a_number(chance: random.Random, lines: list[Line]) -> None:
    """The number of a game or turn, how many turns there were, whose turn it was, or who started."""
    if one := some(chance, lines, lambda one: "game" in one):
        name = chance.choice(
            [name for name in ("game", "turn", "turns", "seat", "starter") if name in one]
        )
        one[name] = (
            3 - one[name] if name in ("seat", "starter") else one[name] + chance.choice((-1, 1, 2))
        )


HARMLESS = (
    *("receipt_signed", "receipt_disputed", "head_signed", "bots_contained"),
    *("match_resumed", "bot_missing", "clock_extended", "entrants_awaited"),
)
"""Lines that may be told twice or left out: what they say has no effect on any other, or may happen
twice."""


def a_line_twice(chance: random.Random, lines: list[Line]) -> None:
    """Told again where it stands."""
    if one := some(chance, lines, lambda one: one["event"] not in HARMLESS):
        lines.insert(lines.index(one), one)


def a_line_left_out(chance: random.Random, lines: list[Line]) -> None:
    """One that games, dice or the order need; not the last of the file, without which the run goes on."""
    optional = {*HARMLESS, "turn_rejected", "dice_called", "bot_left", "bot_returned"}
    optional |= {"entrant_withdrawn", "entrants_absent"}
    events = [one["event"] for one in lines]
    optional |= set() if "game_started" in events else {"bot_ready"}  # nobody played
    from_here = (
        events.index("match_voided") if "match_voided" in events else 0
    )  # its last turn need not be played
    if one := some(chance, lines[from_here:-1], lambda one: one["event"] not in optional):
        lines.remove(one)


def a_bot_that_comes_or_goes(chance: random.Random, lines: list[Line]) -> None:
    """A line about it is left out."""
    if one := some(
        chance, lines, lambda one: one["event"] in ("bot_left", "bot_returned", "match_resumed")
    ):
        lines.remove(one)


def two_lines_swapped(chance: random.Random, lines: list[Line]) -> None:
    """Two lines that follow each other change places."""
    at = chance.randrange(len(lines) - 1)
    lines[at : at + 2] = reversed(lines[at : at + 2])


def a_line_moved(chance: random.Random, lines: list[Line]) -> None:
    """A line of another place, with the time that fits there.

    Where a bot might have left, verify.mjs believes that it has.
    """
    one = dict(chance.choice(lines))
    at = chance.randrange(1, len(lines))
    if "at_ms" in one and "at_ms" in lines[at - 1]:
        one["at_ms"] = lines[at - 1]["at_ms"]
    if one["event"] not in (*HARMLESS, "bot_left"):
        lines.insert(at, one)


def a_hash(chance: random.Random, lines: list[Line]) -> None:
    """A digit of a hash, a commitment, the seed or an entropy."""
    names = ("file_sha256", "dice_commitment", "dice_seed", "entropy", "commitment", "ruleset")
    files = [one for one in lines if "file_sha256" in one]  # only the file of the last is there
    if one := some(
        chance, lines, lambda one: any(one.get(name) for name in names) and one not in files[:-1]
    ):
        name = chance.choice([name for name in names if one.get(name)])
        holder, name = (one["ruleset"], "hash") if name == "ruleset" else (one, name)
        at = chance.randrange(len(holder[name]))
        digit = chance.choice("0123456789abcdef".replace(holder[name][at], ""))
        holder[name] = holder[name][:at] + digit + holder[name][at + 1 :]


def a_header(chance: random.Random, lines: list[Line]) -> None:
    """What match, attempt, entrants, rules or terms it is about."""
    if one := some(chance, lines, lambda one: one["event"] == "match_opened"):
        change: dict[str, Callable[[Any], Any]] = {
            "match": lambda found: f"{found}x",
            "attempt": lambda found: found + 1,
            "entrants": lambda found: found[::-1],
            "format": lambda found: f"{found}0",
            "terms": lambda found: found | {"games": found["games"] + 2},
            "ruleset": lambda found: found | {"name": "mine"},
        }
        name = chance.choice(sorted(change))
        one[name] = change[name](one[name])


EDITED = {
    *(
        "event",
        "v",
        "format",
        "match",
        "attempt",
        "fixture",
        "round",
        "ruleset",
        "terms",
        "luck",
        "is_last",
        "entrant",
    ),
    *("game", "turn", "turns", "seat", "starter", "opening", "dice", "lines"),
    *(
        "signature",
        "public_key",
        "commitment",
        "entropy",
        "dice_seed",
        "dice_commitment",
        "file_sha256",
    ),
}
"""The fields of dice, hashes, signatures and order."""


def an_edit(chance: random.Random, lines: list[Line]) -> None:
    """Anything else of the same kind in a field of dice, hashes, signatures or order."""
    one = chance.choice(
        [
            one
            for one in lines
            if one.keys() & EDITED and one["event"] not in ("bot_left", *HARMLESS)
        ]
    )
    key = chance.choice(sorted(one.keys() & EDITED))
    one[key] = edited(chance, one[key])


def edited(chance: random.Random, value: Any) -> Any:
    """Another value of the same kind."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + chance.choice((-1, 1, 7))
    if isinstance(value, str) and value:
        at = chance.randrange(len(value))
        return value[:at] + ("0" if value[at] != "0" else "1") + value[at + 1 :]
    if isinstance(value, list) and value:
        at = chance.randrange(len(value))
        return [*value[:at], edited(chance, value[at]), *value[at + 1 :]]
    if isinstance(value, dict) and value:
        key = chance.choice(sorted(value))
        return value | {key: edited(chance, value[key])}
    return value


# For `arena verify` alone


def moves(chance: random.Random, lines: list[Line]) -> None:
    """Of a turn that was played: none, or illegal ones."""
    if one := some(chance, lines, lambda one: one["event"] == "turn_played" and one["moves"]):
        one["moves"] = chance.choice(([], ILLEGAL, [*one["moves"], one["moves"][0]]))


def a_clock(chance: random.Random, lines: list[Line]) -> None:
    """What is left in the bank, or a turn that took longer than there was time."""
    if one := some(chance, lines, lambda one: "left_ms" in one):
        if chance.random() < 0.5:
            one["left_ms"] += chance.choice((-1, 1, 50))
        else:
            one["spent_ms"] += 1_000_000


def a_verdict(chance: random.Random, lines: list[Line]) -> None:
    """What was wrong with a rejected turn."""
    if one := some(chance, lines, lambda one: one["event"] == "turn_rejected"):
        name = chance.choice(("code", "clause", "values", "legal_turns"))
        one[name] = one[name] + 1 if name == "legal_turns" else f"{one[name]}x"


def a_result(chance: random.Random, lines: list[Line]) -> None:
    """Who won a game, how, and for how many points; the score; violations."""
    ends = ("game_ended", "match_ended", "fixture_settled")
    if one := some(chance, lines, lambda one: one["event"] in ends):
        name = chance.choice(
            [name for name in ("result", "score", "violations", "games", "decision") if name in one]
        )
        if name in ("score", "violations"):
            one[name] = [one[name][0] + 1, one[name][1]]
        elif name == "decision":
            one[name] = ["decision.luck", {}]
        else:
            result = chance.choice(one[name]) if name == "games" else one[name]
            key = chance.choice(("winner", "points", "clause", "monk"))
            winner = 1 if result["winner"] != 1 else 2
            result[key] = {
                "winner": winner,
                "points": result["points"] + 1,
                "clause": "B1",
                "monk": not result["monk"],
            }[key]


def standings(chance: random.Random, lines: list[Line]) -> None:
    """Places, points, tie-breaks, notes; the winner of a match; who was withdrawn; who meets whom."""
    events = ("tournament_ended", "entrant_withdrawn", "fixture_settled")
    if one := some(chance, lines, lambda one: one["event"] in events):
        if one["event"] == "entrant_withdrawn":
            one["violations"] += 1
        elif one["event"] == "fixture_settled":
            first, _, second = one["fixture"].partition("-")[2].partition("-v-")
            one["winner"] = second if one["winner"] == first else first
        else:
            row = chance.choice(one["standings"])
            change = chance.choice(("points", "match_points", "place", "notes"))
            if change == "notes":
                one["notes"] = [*one["notes"], "all is well"]
            else:
                row[change] = (row[change] or 0) + 1


def a_claim(chance: random.Random, lines: list[Line]) -> None:
    """A remark, a version, a fingerprint: only who has signed the record, or has a receipt, can tell."""
    if one := some(chance, lines, lambda one: one["event"] in ("turn_played", "bot_ready")):
        if one["event"] == "turn_played":
            one["info"] = {"1": chance.random(), "a": [1e-7, 2.5e21, -0.0, "ö\n\u2028"]}
        else:
            one["entrant"][chance.choice(("version", "fingerprint"))] = "another"
