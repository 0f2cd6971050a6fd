"""The standings that follow from a tournament record."""

from __future__ import annotations

from collections.abc import Sequence
from typing import get_args

from arena.records.facts import (
    TournamentFact,
    TournamentOpened,
    Way,
)
from arena.records.state import TournamentState, state_of
from arena.tournaments.crosstable import Crosstable, crosstable
from arena.tournaments.names import listed, shown
from arena.tournaments.pairs import PairCount, count_pairs
from arena.tournaments.schedule import Fixture
from arena.tournaments.standings import Standings
from arena.words import Said


def containment_of(state: TournamentState) -> list[Said]:
    """Describe how the launched bots were contained, a sentence for every way; a bot may appear in several."""
    found = []
    for way in get_args(Way):
        bots = [state.names[name] for name in state.entrants if way in state.contained.get(name, ())]
        found += [Said(f"contained.{way}", {"bots": listed(bots)})] if bots else []
    return found


def fell_away(state: TournamentState, table: Standings) -> str:
    """Say how many matches do not count because of withdrawals (M5), to put behind a number of matches; else empty."""
    annulled = sum(not result.voided and result.fixture not in table.counted for result in state.results)
    told = [f"{number} {what}" for number, what in ((state.prevented, "not played"), (annulled, "annulled")) if number]
    names = shown(state.names, [name for name in state.entrants if name in state.withdrawn])
    return f" ({', '.join(told)}, because {listed(names, last=' and ')} withdrew)" if told else ""


def schedule_of(opened: TournamentOpened, facts: Sequence[TournamentFact] = ()) -> tuple[Fixture, ...]:
    """Every fixture that is known after these facts, in the order of play (M3)."""
    return tuple(state_of(opened, facts).fixtures.values())


def standings_of(opened: TournamentOpened, facts: Sequence[TournamentFact]) -> Standings:
    """The standings after these facts (M4, M5)."""
    return state_of(opened, facts).standings()


def crosstable_of(state: TournamentState, table: Standings) -> Crosstable:
    """Every meeting with its result, in the order of the standings."""
    return crosstable(table, state.results)


def pairs_of(state: TournamentState, table: Standings) -> dict[str, PairCount]:
    """The pairs of every entrant that has a place, in the order of the standings; empty if none are played."""
    if state.opened.terms.form != "pairs":
        return {}
    counted = [result for result in state.results if result.fixture in table.counted]
    return count_pairs([row.entrant for row in table.rows if row.place is not None], counted)
