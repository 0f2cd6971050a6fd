"""Forgeries by the thousand: each seed gives one forbidden change of a run, and says who must refuse it."""

import hashlib
import random
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

import msgspec

from arena.games import Game
from tests.records import forged_lines
from tests.records import small_run as small
from tests.records.forgeries import LEDGER
from tests.records.resumed_match import begin, interrupt, play_out
from tests.records.sample_runs import (
    ONE_DIE,
    absent_run,
    failing_run,
    joined,
    knockout,
    one_die_attempt,
    run_with,
    strict_run,
)
from tests.records.signed_run import (
    LOW_ORDER,
    another_history,
    forged_signature,
    signed_run,
    with_heads,
)
from tests.records.small_run import Files, agreed_attempt, lines_of, pairs_attempt, rested_attempt

Who = Literal["both", "arena", "same", "signers", "nobody"]
"""Who must notice it: both verifiers; `arena verify` alone; verify.mjs if `arena verify` does
(`same`); both, as what a bot that has signed disputes (`signers`); or nobody, where only a
signature could tell and nobody has signed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Forgery:
    """A run that was changed."""

    what: str
    who: Who
    files: Files
    rules: Game[Any] | None
    """The game by which it must be replayed, if no record can name it."""


@cache
def originals() -> dict[str, Files]:
    """Finished runs in order, by what is special about them."""
    series = play_out(begin("series"))
    return {
        "signed": signed_run(),
        "small": small.small_run(),
        "resumed": run_with(play_out(interrupt(series, len(series.facts) // 2))),
        "backgammon": run_with(play_out(begin("backgammon"))),
        "brandubh": run_with(agreed_attempt()),
        "pairs": run_with(pairs_attempt()),
        "long pairs": run_with(play_out(begin("pairs"))),
        "one die": run_with(one_die_attempt()),
        "breaks": run_with(rested_attempt()),
        "knockout": knockout(),
        "newcomers": joined(),
        "withdrawal": strict_run(),
        "absent": absent_run(),
        "failing": failing_run(),
    }


def line(fact: forged_lines.Line) -> bytes:
    """A line in the form of records."""
    return msgspec.json.encode(fact)


def refit(files: Files, name: str, lines: list[bytes]) -> Files:
    """The run with other lines in one record, and all hashes and the operator's signatures made to fit."""
    fitting = small.refit(files, name, lines)
    return with_heads(fitting) if name != LEDGER and b'"head_signed"' in files[LEDGER] else fitting


def _refit_ledger(files: Files, ledger: bytes) -> Files:
    """The run with another tournament record, whose hash and signatures fit."""
    is_signed = b'"head_signed"' in ledger
    fitting = small.refit(files, LEDGER, ledger.splitlines())
    return with_heads(fitting) if is_signed else fitting


# Of the bytes


def another_spelling(chance: random.Random, lines: list[bytes]) -> None:
    """The same line of JSON, written otherwise."""
    at = chance.choice(
        [at for at, one in enumerate(lines) if b'"event":"record_closed"' not in one]
    )
    one = lines[at]
    number = re.search(rb":(\d+)[,}]", one)
    assert number is not None
    spelled = [
        one.replace(b":", b": ", 1),
        one.replace(b",", b" ,", 1),
        b" " + one,
        one + b"\r",
        b"\xef\xbb\xbf" + one,
        one.replace(b'"event"', b'"\\u0065vent"'),
        one.replace(b'"v":1', b'"v":1,"v":1'),
        one.replace(b'"v":1', b'"v":1.0'),
        one.replace(b'"v":1', b'"v":1e0'),
        one.replace(b'"v":1', b'"v":"1"'),
        one.replace(b'"v":1,', b"")[:-1] + b',"v":1}',
        one[:-1] + b',"more":1}',
        one[:-1] + b',"at_ms":1}',
        one[: number.end(1)] + b".0" + one[number.end(1) :],
        one[: number.end(1)] + b"e0" + one[number.end(1) :],
        re.sub(rb'"[0-9a-f]*[a-f][0-9a-f]{20,}"', lambda found: found[0].upper(), one),
        one.replace(b"-v-", b"\\u002dv-"),
    ]
    lines[at] = chance.choice([text for text in spelled if text != one])


def something_after_the_end(chance: random.Random, data: bytes) -> bytes:
    """Nothing may follow the last line of a closed record."""
    whole = data.splitlines(keepends=True)
    return data + chance.choice(
        (b"\n", b" ", b"{", whole[-1], whole[-1][:-1], whole[0], whole[0][:40], whole[-2])
    )


def a_byte(chance: random.Random, data: bytes) -> bytes:
    """One byte of a record is another, and no hash fits."""
    at = chance.randrange(len(data))
    return data[:at] + bytes([data[at] ^ chance.choice((1, 2, 4, 16))]) + data[at + 1 :]


def a_line_less(chance: random.Random, data: bytes) -> bytes:
    """A line is left out or changed places, and no hash fits; or the file ends earlier."""
    lines = data.splitlines(keepends=True)
    one, two = chance.randrange(len(lines)), chance.randrange(len(lines))
    if chance.random() < 0.3:
        return b"".join(lines[: max(1, one)])
    if chance.random() < 0.5:
        lines[one], lines[two] = lines[two], lines[one]
    else:
        del lines[one]
    return b"".join(lines)


# Of the tournament file

FILE_FIELDS = rb"^((?:bank_ms|delay_ms|games|pairs|rejections|startup_ms|turns|violations) = )\d+\n"


def another_file(chance: random.Random, file: bytes) -> bytes:
    """Another value of a field, or its default; another ruleset; another name or id of a bot."""
    number = chance.choice(re.findall(FILE_FIELDS, file, re.MULTILINE))
    changes = [
        (number + rb"\d+\n", number + b"%d\n" % chance.randrange(1, 9)),
        (number + rb"\d+\n", b""),
        (rb"ruleset = .*", b'ruleset = "classic"'),
        (rb'name = "bo"', b'name = "eve"'),
        (rb'name = "bo"', b'name = "bo", id = "eve"'),
        (rb'format = "round_robin"', b'format = "gauntlet-1"'),
    ]
    pattern, text = chance.choice(changes)
    return re.sub(pattern, text, file, count=1)


# Of the signed run


def rolled_back(chance: random.Random, files: Files) -> Files:
    """Both records end earlier, at any byte of the match; or the operator went on without its key."""
    if chance.random() < 0.3:
        return with_heads(files, heads=chance.randrange(3))
    ledger = files[LEDGER].splitlines(keepends=True)
    [name] = [name for name in files if name.startswith("matches/")]
    kept = ledger[: max(1, chance.randrange(len(ledger)))]
    return files | {
        LEDGER: b"".join(kept),
        name: files[name][: chance.randrange(len(files[name]) + 1)],
    }


def two_histories(chance: random.Random, files: Files) -> Files:
    """One record of this history of the tournament, one of another."""
    [name] = [name for name in files if name.startswith("matches/")]
    other = chance.choice((name, LEDGER))
    return files | {other: another_history()[other]}


def a_head(chance: random.Random, files: Files) -> Files:
    """The signature of the operator is another, of other lines, or by a key of low order, which it fits."""
    lines = lines_of(with_heads(files, heads=1)[LEDGER])
    one = forged_lines.some(chance, lines, lambda one: one["event"] == "head_signed")
    assert one is not None
    key = chance.choice(LOW_ORDER)
    fitting = forged_signature(key, f"brade-head-1|{one['lines']}|{one['sha256']}".encode())
    changes = [{"signature": one["signature"][2:] + "00"}, {"lines": one["lines"] - 1}]
    one |= chance.choice(
        [*changes, *([{"public_key": key, "signature": fitting}] * 2 if fitting else [])]
    )
    return refit(files, LEDGER, [line(one) for one in lines])


def a_receipt(chance: random.Random, files: Files) -> Files:
    """The signature of a bot is another, of other lines, or by a key of low order."""
    [name] = [name for name in files if name.startswith("matches/")]
    lines = lines_of(files[name])
    one = forged_lines.some(chance, lines, lambda one: one["event"] == "receipt_signed")
    assert one is not None
    if chance.random() < 0.5:
        key, fitting = LOW_ORDER[2], forged_signature(LOW_ORDER[2], b"any text")
        for told in [told for told in lines if told.get("seat") == one["seat"]]:
            if told["event"] == "bot_ready":
                told["entrant"]["public_key"] = key
            elif told["event"] == "receipt_signed":
                told["signature"] = fitting
    else:
        one |= chance.choice(
            ({"signature": one["signature"][2:] + "00"}, {"lines": one["lines"] - 1})
        )
    return refit(files, name, [line(one) for one in lines])


MATCH, ANY, TOURNAMENT = "match", "any", "tournament"
OF_LINES: dict[str, tuple[str, Who, forged_lines.Change]] = {
    "a die": (MATCH, "both", forged_lines.a_die),
    "a die more or less": (MATCH, "both", forged_lines.a_die_more_or_less),
    "dice the other way round": (MATCH, "both", forged_lines.dice_the_other_way_round),
    "chosen dice": (MATCH, "both", forged_lines.chosen_dice),
    "a number": (MATCH, "both", forged_lines.a_number),
    "a line twice": (ANY, "both", forged_lines.a_line_twice),
    "a line left out": (ANY, "both", forged_lines.a_line_left_out),
    "two lines swapped": (ANY, "same", forged_lines.two_lines_swapped),
    "a line moved": (ANY, "same", forged_lines.a_line_moved),
    "a hash": (ANY, "both", forged_lines.a_hash),
    "a header": (MATCH, "both", forged_lines.a_header),
    "an edit": (ANY, "same", forged_lines.an_edit),
    "a bot that comes or goes": (MATCH, "arena", forged_lines.a_bot_that_comes_or_goes),
    "moves": (MATCH, "arena", forged_lines.moves),
    "a clock": (MATCH, "arena", forged_lines.a_clock),
    "a verdict": (MATCH, "arena", forged_lines.a_verdict),
    "a result": (ANY, "arena", forged_lines.a_result),
    "standings": (TOURNAMENT, "arena", forged_lines.standings),
    "a claim": (MATCH, "signers", forged_lines.a_claim),
}
OF_BYTES: dict[str, tuple[Who, Callable[[random.Random, bytes], bytes]]] = {
    "something after the end": ("both", something_after_the_end),
    "a byte": ("both", a_byte),
    "a line less": ("same", a_line_less),
}
OF_SIGNED: dict[str, tuple[Who, Callable[[random.Random, Files], Files]]] = {
    "rolled back": ("same", rolled_back),
    "two histories": ("both", two_histories),
    "a head": ("both", a_head),
    "a receipt": ("signers", a_receipt),
}
KINDS = [*OF_LINES, *OF_BYTES, *OF_SIGNED, "another spelling", "a tournament file"]


def forgery(seed: int) -> Forgery:
    """The forgery of this seed: the kinds take turns; run, record and line are drawn by lot until one is changed."""
    chance, kind = random.Random(seed), KINDS[seed % len(KINDS)]
    while True:
        run = "signed" if kind in OF_SIGNED else chance.choice(sorted(originals()))
        who, files = _changed(chance, kind, originals()[run])
        if files != originals()[run]:
            break
    if kind == "a claim" and run != "signed":
        who = "nobody"
    return Forgery(
        what=f"{kind}, {run}", who=who, files=files, rules=ONE_DIE if run == "one die" else None
    )


def _changed(chance: random.Random, kind: str, files: Files) -> tuple[Who, Files]:
    matches = [name for name in files if name.startswith("matches/")]
    if kind in OF_SIGNED:
        who, of_run = OF_SIGNED[kind]
        return who, of_run(chance, files)
    if kind in OF_BYTES:
        who, of_bytes = OF_BYTES[kind]
        name = chance.choice([*matches, LEDGER])
        return who, files | {name: of_bytes(chance, files[name])}
    if kind == "a tournament file":
        file = files["tournament.toml"]
        other = another_file(chance, file)
        one, two = (hashlib.sha256(data).hexdigest().encode() for data in (file, other))
        return "same", _refit_ledger(
            files | {"tournament.toml": other}, files[LEDGER].replace(one, two)
        )
    if kind == "another spelling":
        name = chance.choice([*matches, LEDGER] if b"head_signed" not in files[LEDGER] else matches)
        lines = files[name].splitlines()
        another_spelling(chance, lines)
        return "both", refit(files, name, lines)
    of, who, of_lines = OF_LINES[kind]
    name = chance.choice({MATCH: matches, TOURNAMENT: [LEDGER], ANY: [*matches, LEDGER]}[of])
    found = lines_of(files[name])
    of_lines(chance, found)
    return who, refit(files, name, [line(one) for one in found])
