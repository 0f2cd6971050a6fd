"""Fixtures that wait: the first in the order of play whose entrants are free, however many wait."""

import random

from hypothesis import given
from hypothesis import strategies as st

from arena.tournaments.formats.round_robin import RoundRobin
from arena.tournaments.schedule import Fixture
from arena.tournaments.waiting import WaitingFixtures
from tests.examples import tries

NAMES = [f"bot{number}" for number in range(6)]


class Counted(set[str]):
    """Free entrants that count how often somebody asks for one of them."""

    asked = 0

    def __contains__(self, name: object) -> bool:
        self.asked += 1
        return super().__contains__(name)


def waiting_for(*fixtures: Fixture) -> WaitingFixtures:
    waiting = WaitingFixtures()
    waiting.add(fixtures)
    return waiting


@tries(10)
@given(st.randoms(use_true_random=False))
def test_it_does_what_a_list_looked_through_from_the_front_does(chance: random.Random) -> None:
    fixtures = list(RoundRobin(cycles=2).fixtures(NAMES))
    waiting, plain = waiting_for(*fixtures), list(fixtures)
    taken: list[Fixture] = []
    for _ in range(60):
        free = set(chance.sample(NAMES, chance.randrange(len(NAMES) + 1)))
        expected = next((fixture for fixture in plain if fixture.entrants <= free), None)
        assert waiting.can_be_played(free) == (expected is not None)
        assert waiting.take(free) == expected
        if expected is not None:
            plain.remove(expected)
            taken.append(expected)
        if taken and chance.random() < 0.3:
            fixture = taken.pop(chance.randrange(len(taken)))
            waiting.put_back(fixture)
            plain.insert(0, fixture)
        if chance.random() < 0.1:
            gone = chance.choice(NAMES)
            meant = [fixture for fixture in plain if gone in fixture.entrants]
            assert (
                waiting.take_out_all(lambda fixture, gone=gone: gone in fixture.entrants) == meant
            )
            plain = [fixture for fixture in plain if fixture not in meant]
        assert len(waiting) == len(plain)
        assert {name for name in NAMES if waiting.entrants[name]} == {
            name for each in plain for name in each.entrants
        }
        assert waiting.next_fixtures(2, frozenset()) == plain[:2]


def test_what_comes_next_waits_for_nobody_who_is_away() -> None:
    fixtures = RoundRobin().fixtures(NAMES)
    waiting = waiting_for(*fixtures)
    away = frozenset(fixtures[0].entrants)
    here = [fixture for fixture in fixtures if away.isdisjoint(fixture.entrants)]
    assert waiting.take(set()) is None
    assert waiting.next_fixtures(2, away) == here[:2]


def test_a_look_costs_the_same_however_many_fixtures_wait_for_those_who_play() -> None:
    hub = [Fixture(round=1, first="hub", second=f"bot{number}") for number in range(10_000)]
    waiting = waiting_for(*hub)
    free = Counted(f"bot{number}" for number in range(10_000))
    assert waiting.take(free) is None  # each is looked at once
    free.asked = 0
    for _ in range(3):
        assert waiting.take(free) is None
    assert free.asked <= 3
    free.add("hub")
    assert waiting.take(free) == hub[0]
    free.remove("hub")
    assert waiting.take(free) is None
    assert free.asked <= 20
