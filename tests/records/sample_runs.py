"""Runs as bytes: of every kind of game and format, with withdrawals, newcomers and matches that nobody came to."""

import hashlib
import random
from typing import Any

from msgspec.structs import replace

from arena.games import load_game
from arena.games.tables.game import TablesGame
from arena.matches.facts import Terms
from arena.matches.time_control import TimeControl
from arena.records.facts import (
    FAILED,
    EntrantsAbsent,
    EntrantsAdded,
    EntrantsAwaited,
    TournamentFact,
    TournamentOpened,
)
from arena.records.lines import tournament_lines
from arena.records.lines_of_play import drawn_fact, ended_fact
from arena.records.state import state_of
from arena.tournaments.formats.knockout import Knockout
from arena.tournaments.schedule import Fixture
from arena.words import Said
from tests.matches.caller import Caller
from tests.matches.sitting import Sitting
from tests.records import small_run as small
from tests.records.forgeries import LEDGER
from tests.records.small_run import FIXTURE, TERMS, Files, opened_tournament, run_of


def run_with(sitting: Sitting) -> Files:
    """A finished run with one match."""
    return run_of(
        opened_tournament(sitting.opened.terms, rules=sitting.rules, violations=50), sitting
    )


def failing_run() -> Files:
    """A match in which the arena failed four times, and once could not start a program, before it was played."""
    reasons = [FAILED, FAILED, Said("void.not_started", {"name": "bo"}), FAILED, FAILED]
    sittings = [Sitting(terms=TERMS, attempt=attempt) for attempt in range(1, len(reasons) + 1)]
    for sitting, reason in zip(sittings, reasons, strict=True):
        sitting.void(reason)
    return run_of(opened_tournament(), *sittings, small.played_attempt(len(reasons) + 1))


def no_show(fixture: str, absent: int, *, attempt: int = 1) -> Sitting:
    """A match that one bot, or neither (0), came to."""
    sitting = Sitting(terms=TERMS, fixture=fixture, attempt=attempt)
    if absent:
        sitting.ready(2 if absent == 1 else 1)
    sitting.waits(5000)
    return sitting


def won_by_forfeit(fixture: Fixture, winner: str) -> Sitting:
    """A match to which only the winner came."""
    sitting = Sitting(terms=TERMS, fixture=fixture.id)
    sitting.ready(1 if fixture.first == winner else 2)
    sitting.waits(5000)
    return sitting


def play_on(facts: list[TournamentFact], files: Files, *, rounds: int = 9) -> None:
    """Draw, play and settle whatever the format gives; the name that comes first in the alphabet wins."""
    opened = facts[0]
    assert isinstance(opened, TournamentOpened)
    for _ in range(rounds):
        drawn = state_of(opened, facts).next_round()
        if drawn is not None:
            facts.append(drawn_fact(drawn, opened.at_ms))
        for fixture in state_of(opened, facts).left_to_play():
            sitting = won_by_forfeit(fixture, min(fixture.entrants))
            files[f"matches/{fixture.id}.jsonl"] = record = small.attempt_record(sitting)
            facts += [small.issued(sitting), small.settled(sitting, record)]


def whole_run(header: TournamentOpened) -> Files:
    """A run of any format, played to its end."""
    header = small.with_file(header)
    facts: list[TournamentFact] = [header]
    files: Files = {"tournament.toml": small.file_of(header)}
    play_on(facts, files)
    facts.append(ended_fact(state_of(header, facts).standings(), header.at_ms))
    return files | {LEDGER: small.closed(b"", facts)}


def knockout() -> Files:
    """Five seeds: three byes in the first round, then the semi-finals and the final."""
    header = opened_tournament(entrants=("eva", "dag", "cia", "bo", "anna"), violations=100)
    return whole_run(replace(header, schedule=Knockout()))


def joined() -> Files:
    """A round robin of two that was over when two others joined it."""
    files = whole_run(opened_tournament(violations=100))
    facts = [fact for _, fact in tournament_lines.read(LEDGER, files[LEDGER])]
    before, opened = len(facts), facts[0]
    assert isinstance(opened, TournamentOpened)
    names = ("dag", "cia")
    file = small.file_of(opened, names)
    newcomers = EntrantsAdded(
        at_ms=opened.at_ms, entrants=names, file_sha256=hashlib.sha256(file).hexdigest()
    )
    facts.append(newcomers)
    play_on(facts, files)
    facts.append(ended_fact(state_of(opened, facts).standings(), opened.at_ms))
    return files | {"tournament.toml": file, LEDGER: small.closed(files[LEDGER], facts[before:])}


def strict_run(*, violations: int = 0, is_finished: bool = True) -> Files:
    """Three entrants; one does not come to its first match, is withdrawn, and the other two play theirs."""
    header = opened_tournament(entrants=("anna", "bo", "cia"), violations=violations)
    first, *others = state_of(header, ()).fixtures.values()
    [last] = [fixture for fixture in others if first.second not in (fixture.first, fixture.second)]
    return run_of(header, no_show(first.id, 2), no_show(last.id, 1), is_finished=is_finished)


def shortened_run() -> Files:
    """Three entrants; two leave their match and are withdrawn, so the third has nobody to play against."""
    header = opened_tournament(entrants=("cia", "anna", "bo"), violations=0)
    return run_of(header, small.voided_attempt())


def annulled_run(*, is_finished: bool = True) -> Files:
    """Four entrants; one forfeits its first match and is withdrawn, so the match is annulled, then others draw one."""
    names = ("anna", "bo", "carl", "dora")
    terms = replace(TERMS, games=1)
    header = opened_tournament(terms, names, violations=0)
    forfeited, drawn, *_ = state_of(header, ()).fixtures
    first, second = Sitting(terms=terms, fixture=forfeited), Sitting(terms=terms, fixture=drawn)
    for sitting in (first, second):
        sitting.ready()
        sitting.plays()
    first.plays_illegally()
    first.plays_illegally()
    second.plays()
    return run_of(header, first, second, is_finished=is_finished)


def absent_run() -> Files:
    """Three entrants; one is waited for in vain, so that its matches are void."""
    header = replace(
        opened_tournament(entrants=("anna", "bo", "cia"), violations=100), absent="wait"
    )
    header = small.with_file(header)
    facts: list[TournamentFact] = [header]
    [fixture] = [
        each for each in state_of(header, facts).left_to_play() if "cia" not in each.entrants
    ]
    sitting = won_by_forfeit(fixture, "anna")
    record = small.attempt_record(sitting)
    facts += [small.issued(sitting), small.settled(sitting, record)]
    facts.append(EntrantsAwaited(at_ms=sitting.now_ms, away=["cia"]))
    facts.append(EntrantsAbsent(at_ms=sitting.now_ms, away=["cia"]))
    facts.append(ended_fact(state_of(header, facts).standings(), sitting.now_ms))
    file = small.file_of(header)
    return {
        "tournament.toml": file,
        f"matches/{fixture.id}.jsonl": record,
        LEDGER: small.closed(b"", facts),
    }


def voided_run(times: int) -> Files:
    """The one fixture, to which nobody came so many times."""
    attempts = [no_show(FIXTURE, 0, attempt=number) for number in range(1, times + 1)]
    return run_of(opened_tournament(), *attempts)


class OneDie(Caller):
    """A game in which the side to move may often call for its dice, and is bound to single dice after one (B11.3)."""

    def dice_to_call(self, position: Any) -> tuple[int, ...]:
        """One or two, unless it is bound."""
        return () if self.dice_to_roll(position) == 1 else super().dice_to_call(position)


def _one_die() -> OneDie:
    game = load_game("classic", ["one_die"])
    assert isinstance(game, TablesGame)
    return OneDie(game.rules)


ONE_DIE = _one_die()


def one_die_attempt() -> Sitting:
    """Calls for one die, two and three, single dice after them, a flag, rejections."""
    chance = random.Random(1)
    terms = Terms(
        games=3,
        clock=TimeControl(delay_ms=100, bank_ms=1000),
        rejections=1,
        turn_limit=40,
        startup_ms=1000,
    )
    sitting = Sitting(terms=terms, rules=ONE_DIE)
    sitting.ready(entropy="0a")
    for number in range(1000):
        if sitting.is_over:
            break
        is_fresh = sitting.game.rejections[sitting.game.mover - 1] == 0
        if number in (17, 60):
            sitting.waits(2000)
        elif sitting.game.calls:
            sitting.calls(chance.choice((1, 2, 3) if is_fresh else (1, 2)))
        elif is_fresh and chance.random() < 0.1:
            sitting.plays_illegally()
        else:
            sitting.plays(sitting.legal[chance.randrange(len(sitting.legal))].moves)
    return sitting
