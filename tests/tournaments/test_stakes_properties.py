"""What is at stake, compared with every way in which a small tournament can still end."""

from collections import Counter
from dataclasses import replace
from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from arena.tournaments.formats import DEFAULT_FORMAT
from arena.tournaments.formats.interface import SoFar
from arena.tournaments.formats.knockout import Knockout
from arena.tournaments.formats.round_robin import round_robin
from arena.tournaments.standings import standings
from arena.words import say
from tests.fixtures.tournament_builders import DRAWN_GAME, games, settle, void

NAMES = ["anna", "bo", "cia", "dag"]
MOST_OPEN = 3
ENDS = st.sampled_from(["first jan", "first off", "second jan", "second off", "drawn", "void"])


def ended(fixture, end):
    """The result of a match that ended so."""
    if end == "void":
        return void(fixture)
    if end == "drawn":
        return settle(fixture, (DRAWN_GAME,))
    return settle(fixture, games(end, "first", "second"))


@st.composite
def any_late_stage(draw):
    """A round robin of three or four with at most three matches left, one of them perhaps withdrawn."""
    names = NAMES[: draw(st.integers(3, 4))]
    schedule = draw(st.permutations(round_robin(names)))
    number = draw(st.integers(1, min(MOST_OPEN, len(schedule) - 1)))
    withdrawn = draw(st.sampled_from([frozenset(), frozenset(), frozenset({"cia"})]))
    results = [ended(fixture, draw(ENDS)) for fixture in schedule[number:]]
    unplayed = [fixture for fixture in schedule[:number] if fixture.entrants.isdisjoint(withdrawn)]
    return names, schedule, results, withdrawn, unplayed


def every_end(unplayed, *ends):
    """The results of every way in which these matches can end."""
    for chosen in product(ends, repeat=len(unplayed)):
        yield [ended(fixture, end) for fixture, end in zip(unplayed, chosen, strict=True)]


def points_of(table):
    return {row.entrant: row.match_points for row in table.rows}


@given(any_late_stage())
def test_who_can_still_catch_the_leader_is_right_by_every_end(stage) -> None:
    names, schedule, results, withdrawn, unplayed = stage
    table = standings(names, schedule, results, withdrawn=withdrawn)
    counts = Counter(name for fixture in unplayed for name in fixture.entrants)
    so_far = SoFar(entrants=names, results=results, withdrawn=withdrawn)
    [headline] = DEFAULT_FORMAT.outlook(so_far, table, counts)
    ends = [
        standings(names, schedule, [*results, *more], withdrawn=withdrawn)
        for more in every_end(
            unplayed, "first jan", "first off", "drawn", "second off", "second jan"
        )
    ]
    firsts = [{row.entrant for row in end.rows if row.place == 1} for end in ends]
    leaders = {row.entrant for row in table.rows if row.place == 1}
    if headline.code == "stakes.has_won":
        assert firsts == [leaders] * len(ends)
        assert len(leaders) == 1
    elif headline.code == "stakes.open":
        code, values = headline.values["rivals"]
        rivals = set(values.get("names", ()))
        assert (code == "stakes.no_rival") == (not rivals)
        for first in firsts:
            assert first <= leaders | rivals
        for rival in rivals:
            assert any(can_be_level(end, rival, leader) for end in ends for leader in leaders)
        open_matches = headline.values["left"].values["count"]
        assert open_matches == len(unplayed)
    elif headline.code == "stakes.none_counts":
        assert not table.counted
    else:  # all is played: it says who has won
        assert not unplayed
        assert say(headline) == say(DEFAULT_FORMAT.outcome(so_far, table)[0])


def can_be_level(table, rival, leader):
    """True if the rival has as many match points as the leader, or more."""
    points = points_of(table)
    return points[rival] >= points[leader]


@given(st.lists(ENDS, max_size=3), st.sampled_from([frozenset(), frozenset({"bo"})]))
def test_a_knock_out_names_those_who_can_still_win_it(first_ends, withdrawn) -> None:
    """Every entrant it names wins in some end, and no other does."""
    rounds, results, unplayed = played_so_far(list(first_ends), withdrawn)
    so_far = SoFar(entrants=NAMES, rounds=rounds, results=results, withdrawn=withdrawn)
    schedule = [fixture for drawn in rounds for fixture in drawn.fixtures]
    table = standings(NAMES, schedule, results)
    [headline] = Knockout().outlook(so_far, table, Counter())
    named = set(headline.values.get("names", ()))
    if "name" in headline.values:
        named.add(headline.values["name"])
    assert named == set(winners(so_far, unplayed))


def played_so_far(ends, withdrawn):
    """The rounds, results and open fixtures of a knock-out of four, after these ends."""
    rounds, results, unplayed = [], [], []
    while not unplayed:
        so_far = SoFar(entrants=NAMES, rounds=rounds, results=results, withdrawn=withdrawn)
        drawn = Knockout().next_round(so_far)
        if drawn is None:
            break
        rounds.append(drawn)
        for fixture in drawn.fixtures:
            if ends:
                results.append(ended(fixture, ends.pop(0)))
            else:
                unplayed.append(fixture)
    return rounds, results, unplayed


def winners(so_far, unplayed):
    """Every winner of a knock-out, by all ends of the open matches and of those that follow."""
    for more in every_end(unplayed, "first jan", "second jan"):
        after = replace(so_far, results=[*so_far.results, *more])
        drawn = Knockout().next_round(after)
        if drawn is None:
            *_, (winner,) = Knockout().bracket(after)
            yield winner
        else:
            after = replace(after, rounds=[*so_far.rounds, drawn])
            yield from winners(after, drawn.fixtures)
