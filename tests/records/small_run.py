"""A whole run as bytes, played by the machine without sockets, with a bit of everything in few turns.

Two entrants, one fixture. Its first attempt is void: both bots leave. In the second the first game
ends by the turn limit after two turns, the second by illegal turns, the third by the flag; one bot
leaves and comes back.
"""

import hashlib
import json
import re
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import msgspec
import tomli_w

from arena.games import Game, load_game, ruleset_record
from arena.matches.events import BotMeasured
from arena.matches.facts import Fact, MatchVoided, Measured, Terms
from arena.matches.time_control import TimeControl
from arena.records.facts import (
    DiceRevealed,
    FixtureIssued,
    FixtureSettled,
    FixtureVoided,
    TournamentFact,
    TournamentOpened,
)
from arena.records.lines import closing_line, encode_line
from arena.records.lines_of_play import ended_fact, settled_fact, voided_fact, withdrawal_facts
from arena.records.state import TournamentState
from arena.tournaments.formats.round_robin import RoundRobin
from tests.matches.caller import CALLER
from tests.matches.sitting import START_MS, VASA, Sitting

TERMS = Terms(
    games=3,
    clock=TimeControl(delay_ms=100, bank_ms=200),
    rejections=1,
    turn_limit=2,
    startup_ms=1000,
)
FIXTURE = "r1-anna-v-bo"
RECORD = f"matches/{FIXTURE}.jsonl"
Files = dict[str, bytes]


def lines(facts: Sequence[msgspec.Struct]) -> bytes:
    """Facts as the lines of a record."""
    return b"".join(encode_line(fact) + b"\n" for fact in facts)


def closed(before: bytes, facts: Sequence[msgspec.Struct]) -> bytes:
    """A record with more facts and its closing line."""
    data = before + lines(facts)
    return data + closing_line(data) + b"\n"


def revealed(sitting: Sitting) -> DiceRevealed:
    """The seed of a match that is over."""
    return DiceRevealed(
        at_ms=sitting.now_ms, attempt=sitting.opened.attempt, dice_seed=sitting.seed.hex()
    )


def attempt_record(sitting: Sitting, before: bytes = b"") -> bytes:
    """The closed record of a match that is over, after the attempts before it."""
    return closed(before, [*sitting.facts, revealed(sitting)])


def voided_attempt() -> Sitting:
    """Attempt 1: both bots leave in mid-game."""
    sitting = Sitting(terms=TERMS)
    sitting.ready(entropy="0a")
    sitting.plays(info={"win": "0.5", "line": [1, 2]})
    sitting.waits(10)
    sitting.leaves(1, grace_ms=20)
    sitting.waits(10)
    sitting.leaves(2, grace_ms=20)
    sitting.waits(200)
    return sitting


def played_attempt(attempt: int = 2, seed: bytes = bytes(range(32, 64))) -> Sitting:
    """Attempt 2: a draw by the turn limit, a forfeit by illegal turns, a forfeit by the flag."""
    sitting = Sitting(terms=TERMS, attempt=attempt, seed=seed, now_ms=START_MS + 10_000)
    sitting.ready(1, entropy="bb" * 16)
    sitting.waits(30)
    sitting.ready(2)
    sitting.plays()
    sitting.waits(150)
    sitting.plays()
    sitting.waits(1)
    sitting.plays_illegally()
    sitting.waits(1)
    sitting.leaves(1)
    sitting.waits(5)
    sitting.ready(1)
    sitting.waits(1)
    sitting.plays()
    sitting.waits(1)
    sitting.plays_illegally()
    sitting.waits(1)
    sitting.plays_illegally()
    sitting.waits(400)
    sitting.answers_receipt(2, len(sitting.facts) - 1, objection="my clock ran slower")
    return sitting


def rested_attempt() -> Sitting:
    """Breaks between games: one that a bot ends, one that ends by itself while the other bot comes and goes."""
    sitting = Sitting(terms=TERMS)
    sitting.breaks_ms = (500, 300)
    sitting.ready(entropy="0d")
    for _ in range(TERMS.turn_limit):
        sitting.plays()
    sitting.waits(20)
    sitting.rested(2)
    sitting.rested(1)
    sitting.plays_illegally()
    sitting.plays_illegally()
    sitting.waits(100)
    sitting.leaves(2)
    sitting.waits(100)
    sitting.ready(2)
    sitting.waits(301)
    sitting.waits(400)
    return sitting


def brandubh_attempt() -> Sitting:
    """A match without dice: a draw by the turn limit, one by repetition (T9), a forfeit by illegal turns.

    Before its first turn the arena loses the connection of a bot.
    """
    terms = Terms(
        games=3,
        clock=TimeControl(delay_ms=100, bank_ms=200),
        rejections=1,
        turn_limit=9,
        startup_ms=1000,
    )
    sitting = Sitting(terms=terms, rules=load_game("brandubh-1"))
    sitting.ready()
    sitting.leaves(1, is_blameless=True)
    sitting.ready(1)
    for _ in range(9):
        sitting.waits(120)
        sitting.plays()
    for move in [["d1", "c1"], ["d3", "c3"], ["c1", "d1"], ["c3", "d3"]] * 2:
        sitting.plays([move], info="to and fro")
    sitting.plays([["d1", "b1"]])
    sitting.plays([["d3", "d2"]])
    sitting.plays([["d3", "d4"]])
    return sitting


def starved_attempt() -> Sitting:
    """A clock that is extended, in its turn and in its bank, in a game that goes on; then its flag falls."""
    sitting = Sitting(terms=msgspec.structs.replace(TERMS, games=1, turn_limit=100))
    sitting.ready()
    sitting.waits(150)
    sitting.plays()
    sitting.waits(10)
    sitting.plays()
    sitting.now_ms += 260
    for starved_ms in (300, 305):
        told = Measured(cpu_ms=20, starved_ms=starved_ms, steal_ms=0, pressure_ms=300)
        sitting.happens(BotMeasured(at_ms=sitting.now_ms, game=1, measured=told))
        sitting.now_ms += 400
    sitting.waits(0)
    return sitting


def agreed_attempt() -> Sitting:
    """A match of draws: one accepted when it was not offered, one that lapsed, two agreed upon (T9)."""
    terms = Terms(
        games=3,
        clock=TimeControl(delay_ms=100, bank_ms=200),
        rejections=1,
        turn_limit=3,
        startup_ms=1000,
    )
    sitting = Sitting(terms=terms, rules=load_game("brandubh-2"))
    sitting.ready()
    sitting.accepts_draw()
    sitting.waits(5)
    sitting.plays([["d1", "c1"]], offers_draw=True)
    sitting.waits(150)
    sitting.plays([["d3", "d2"]], offers_draw=True)
    sitting.accepts_draw(info={"score": -1})
    sitting.plays([["d1", "c1"]], offers_draw=True)
    sitting.plays([["d3", "c3"]])
    sitting.plays([["c1", "d1"]])
    sitting.plays([["d1", "c1"]])
    sitting.plays([["d3", "c3"]], offers_draw=True)
    sitting.waits(7)
    sitting.accepts_draw()
    return sitting


def called_attempt() -> Sitting:
    """A match with a choice of dice (B11.3): calls for one, for two and for three, flags and rejections."""
    terms = Terms(
        games=3,
        clock=TimeControl(delay_ms=100, bank_ms=200),
        rejections=1,
        turn_limit=3,
        startup_ms=1000,
    )
    sitting = Sitting(terms=terms, rules=CALLER)
    sitting.ready()
    sitting.waits(40)
    sitting.calls(1)
    sitting.waits(90)
    sitting.plays()
    sitting.calls(3)
    sitting.waits(10)
    sitting.calls(2)
    sitting.plays_illegally()
    sitting.waits(400)
    sitting.calls(1)
    sitting.waits(301)
    return sitting


def pairs_attempt() -> Sitting:
    """Two pairs: a half goes on alone to the turn limit; two end in one step, by illegal turns and by the flag."""
    terms = Terms(
        form="pairs",
        games=4,
        clock=TimeControl(delay_ms=100, bank_ms=200),
        rejections=1,
        turn_limit=3,
        startup_ms=1000,
    )
    sitting = Sitting(terms=terms)
    sitting.ready(entropy="0a")
    sitting.at(2).plays()
    sitting.waits(120)
    sitting.at(1).plays(info="slow")
    sitting.at(1).plays()
    sitting.at(2).plays_illegally()
    sitting.waits(3)
    sitting.plays_illegally()
    sitting.at(1).plays()
    sitting.at(4).plays_illegally()
    sitting.plays_illegally()
    sitting.waits(301)
    return sitting


def file_of(header: TournamentOpened, newcomers: Sequence[str] = ()) -> bytes:
    """The tournament file of a record that begins with this line, and to which newcomers were added."""
    terms, schedule = header.terms, msgspec.to_builtins(header.schedule)
    ruleset, *options = header.ruleset["name"].split("+")
    tournament = {"name": header.name, "format": schedule.pop("name"), **schedule}
    tournament |= {"ruleset": ruleset, "options": options}
    tournament |= {"pairs": terms.games // 2} if terms.form == "pairs" else {"games": terms.games}
    if header.absent:
        tournament["absent"] = header.absent
    limits = {
        "rejections": terms.rejections,
        "turns": terms.turn_limit,
        "startup_ms": terms.startup_ms,
    }
    bots = [{"name": name, "command": "true"} for name in (*header.entrants, *newcomers)]
    told = {
        "tournament": {name: value for name, value in tournament.items() if value or value == 0},
        "clock": msgspec.to_builtins(terms.clock),
        "limits": limits | {"violations": header.violations},
        "bot": bots,
    }
    if header.luck:
        told["luck"] = {"evaluator": header.luck.name}
    return tomli_w.dumps(told).encode()


def with_file(header: TournamentOpened) -> TournamentOpened:
    """The line with the hash of its tournament file."""
    return msgspec.structs.replace(header, file_sha256=hashlib.sha256(file_of(header)).hexdigest())


def opened_tournament(
    terms: Terms = TERMS,
    entrants: Sequence[str] = ("anna", "bo"),
    violations: int = 5,
    rules: Game[Any] = VASA,
) -> TournamentOpened:
    header = TournamentOpened(
        at_ms=START_MS,
        name="small",
        schedule=RoundRobin(),
        best_game="value" if terms.form == "series" else "none",
        violations=violations,
        entrants=list(entrants),
        ruleset=ruleset_record(rules),
        terms=terms,
        file_sha256="",
    )
    return with_file(header)


FILE = file_of(opened_tournament())


def issued(sitting: Sitting) -> FixtureIssued:
    opened = sitting.opened
    return FixtureIssued(
        at_ms=opened.at_ms,
        fixture=opened.match,
        attempt=opened.attempt,
        dice_commitment=opened.dice_commitment,
    )


def concluded(
    state: TournamentState, sitting: Sitting, record: bytes
) -> FixtureSettled | FixtureVoided:
    """The line that settles or voids a match, by the state of its tournament."""
    opened, end = sitting.opened, sitting.end
    digest = hashlib.sha256(record).hexdigest()
    if isinstance(end, MatchVoided):
        return voided_fact(
            state, opened.match, opened.attempt, end, record_sha256=digest, now_ms=sitting.now_ms
        )
    assert end is not None
    games = [fact.result for fact in sorted(sitting.ended, key=lambda fact: fact.game)]
    return settled_fact(
        state, opened.match, opened.attempt, games, end, record_sha256=digest, now_ms=sitting.now_ms
    )


def settled(sitting: Sitting, record: bytes) -> FixtureSettled:
    """The line that settles a match that was played to its end."""
    header = opened_tournament(sitting.opened.terms, sitting.opened.entrants)
    fact = concluded(TournamentState(header), sitting, record)
    assert isinstance(fact, FixtureSettled)
    return fact


def run_of(header: TournamentOpened, *sittings: Sitting, is_finished: bool = True) -> Files:
    """The bytes of a run in which these matches were played one after the other, withdrawals included."""
    header = with_file(header)
    records: Files = {}
    state, facts = TournamentState(header), list[TournamentFact]([header])

    def write(*told: TournamentFact) -> None:
        for fact in told:
            facts.append(fact)
            state.apply(fact)

    for sitting in sittings:
        name = f"matches/{sitting.opened.match}.jsonl"
        records[name] = record = attempt_record(sitting, records.get(name, b""))
        write(issued(sitting))
        write(concluded(state, sitting, record))
        write(*withdrawal_facts(state, sitting.now_ms))
    if is_finished:
        write(ended_fact(state.standings(), sittings[-1].now_ms))
    tournament_log = closed(b"", facts) if is_finished else lines(facts)
    return {"tournament.toml": file_of(header), "tournament.jsonl": tournament_log} | records


@cache
def _small_run() -> tuple[tuple[str, bytes], ...]:
    return tuple(run_of(opened_tournament(), voided_attempt(), played_attempt()).items())


def small_run() -> Files:
    """The bytes of the finished run, by file."""
    return dict(_small_run())


def unfinished_run() -> Files:
    """The same run as it stood when the second attempt was under way: neither record is closed."""
    files = small_run()
    second = files[RECORD].split(b'{"event":"match_opened"')
    under_way = b'{"event":"match_opened"'.join(second[:3])
    cut = under_way.index(b'{"event":"turn_rejected"', len(second[1]))
    files[RECORD] = under_way[:cut]
    record = files["tournament.jsonl"]
    files["tournament.jsonl"] = record[: record.index(b'{"event":"fixture_settled"')]
    return files


def facts_of(sitting: Sitting) -> list[Fact]:
    """Every fact of a match, and its seed."""
    return [*sitting.facts, revealed(sitting)]


# Forgeries: a line is changed, and every hash that covers it is made to fit again

Change = Callable[[list[dict[str, Any]]], Any]


def lines_of(data: bytes) -> list[dict[str, Any]]:
    """Every line of a record as JSON."""
    return [json.loads(line) for line in data.splitlines()]


def forge(files: Files, name: str, change: Change) -> Files:
    """The run with some lines of one record changed, and all its hashes worked out anew.

    What is left to be found is what the lines say. `change` edits the list of all lines of the
    file.
    """
    found = lines_of(files[name])
    change(found)
    return refit(files, name, [msgspec.json.encode(line) for line in found])


def with_fitting_file(files: Files) -> Files:
    """The run with the tournament file that says what the first line of its record says."""
    opened = msgspec.convert(lines_of(files["tournament.jsonl"])[0], TournamentOpened)
    file = file_of(opened)

    def fit(found: list[dict[str, Any]]) -> None:
        found[0]["file_sha256"] = hashlib.sha256(file).hexdigest()

    return forge(files, "tournament.jsonl", fit) | {"tournament.toml": file}


def refit(files: Files, name: str, lines: list[bytes]) -> Files:
    """The run with other lines in one record, and all hashes made to fit."""
    data, sizes = b"", []
    for one in lines:
        is_closing = one.startswith(b'{"event":"record_closed"')
        data += (closing_line(data) if is_closing else one) + b"\n"
        sizes += [len(data)] if is_closing else []
    files = files | {name: data}
    if name == "tournament.jsonl":
        return files

    def fit(found: re.Match[bytes]) -> bytes:
        attempt = int(found[2])
        whole = data[: sizes[attempt - 1]] if attempt <= len(sizes) else b""
        return found[1] + hashlib.sha256(whole).hexdigest().encode() + b'"'

    fixture = name.removeprefix("matches/").removesuffix(".jsonl").encode()
    pattern = (
        rb'("fixture":"' + fixture + rb'","attempt":(\d+),[^\n]*"record_sha256":")[0-9a-f]{64}"'
    )
    return refit(
        files, "tournament.jsonl", re.sub(pattern, fit, files["tournament.jsonl"]).splitlines()
    )
