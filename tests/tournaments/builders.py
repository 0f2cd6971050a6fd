"""Short ways to write down games, matches and whole tournaments for the tests of chapter M."""

from functools import cache

from hypothesis import strategies as st

from arena.games.result import Result, Seat
from arena.tournaments.formats.round_robin import round_robin
from arena.tournaments.results import FixtureResult
from arena.tournaments.schedule import Fixture

ENDINGS = {
    "forced-jan": ("forced_jan", 6, False, 1),
    "jan": ("jan", 4, False, 2),
    "crown+": ("single_crown", 3, True, 3),
    "crown": ("single_crown", 2, False, 4),
    "tower": ("tower", 2, False, 4),
    "off+": ("bearing_off", 2, True, 5),
    "off": ("bearing_off", 1, False, 6),
    "forfeit": ("forfeit", 6, False, None),
}
"""B10 in short: how the tests write a won game, and its ending, points, monk and rank."""

FATES = st.sampled_from(["played"] * 8 + ["void", "open"])
"""Of a match that was scheduled."""
DRAWN_GAME = Result(winner=None, points=0, ending="turn_limit", clause="B10.3")


def games(text: str, first: str = "anna", second: str = "bo") -> tuple[Result, ...]:
    """Read "anna jan, bo off+, - " as three games of two entrants; "-" is a game without a winner."""
    seats: dict[str, Seat] = {first: 1, second: 2}
    found = []
    for part in text.split(","):
        if part.strip() == "-":
            found.append(DRAWN_GAME)
            continue
        winner, short = part.split()
        ending, points, monk, rank = ENDINGS[short]
        result = Result(
            winner=seats[winner], ending=ending, clause="B10", points=points, monk=monk, rank=rank
        )
        found.append(result)
    return tuple(found)


def match(text: str, first: str = "anna", second: str = "bo") -> FixtureResult:
    """Make a match of round 1 between two entrants, from its games."""
    return settle(Fixture(round=1, first=first, second=second), games(text, first, second))


def settle(fixture: Fixture, won: tuple[Result, ...]) -> FixtureResult:
    return FixtureResult(
        fixture=fixture.id,
        round=fixture.round,
        first=fixture.first,
        second=fixture.second,
        games=won,
    )


def void(fixture: Fixture) -> FixtureResult:
    return settle(fixture, ())


def tournament(text: str) -> tuple[list[str], list[Fixture], list[FixtureResult]]:
    """Read one match a line, "anna-bo: anna jan, bo off": entrants, schedule and results.

    Every match has a round of its own. "anna-bo: void" is void, and "anna-bo:" was scheduled but
    not played.
    """
    names: dict[str, None] = {}
    schedule, results = [], []
    for number, line in enumerate(filter(str.strip, text.splitlines()), 1):
        table, _, won = line.partition(":")
        first, second = table.strip().split("-")
        names.update({first: None, second: None})
        fixture = Fixture(round=number, first=first, second=second)
        schedule.append(fixture)
        if won.strip() == "void":
            results.append(void(fixture))
        elif won.strip():
            results.append(settle(fixture, games(won, first, second)))
    return list(names), schedule, results


def any_game(first: str, second: str) -> st.SearchStrategy[Result]:
    won = [
        games(f"{winner} {short}", first, second)[0]
        for short in sorted(ENDINGS)
        for winner in (first, second)
    ]
    return st.one_of(st.just(DRAWN_GAME), st.sampled_from(won))


@cache  # to make a strategy takes longer than to draw from it
def any_games(first: str, second: str) -> st.SearchStrategy[tuple[Result, ...]]:
    return st.lists(any_game(first, second), min_size=1, max_size=3).map(tuple)


@st.composite
def any_tournament(draw: st.DrawFn) -> tuple[list[str], list[Fixture], list[FixtureResult]]:
    """Draw a round robin that is played wholly or in part; few games a match, so that ties are common."""
    names = ["anna", "bo", "cia", "dag", "eva", "finn"][: draw(st.integers(2, 6))]
    schedule = list(round_robin(names, draw(st.integers(1, 2))))
    plain = draw(st.booleans())
    results = []
    for fixture in schedule:
        fate = draw(FATES)
        if fate == "void":
            results.append(void(fixture))
        elif fate == "played" and plain:
            results.append(settle(fixture, draw(plain_games(fixture.first, fixture.second))))
        elif fate == "played":
            results.append(settle(fixture, draw(any_games(fixture.first, fixture.second))))
    return names, schedule, results


@cache
def plain_games(first: str, second: str) -> st.SearchStrategy[tuple[Result, ...]]:
    """Games of equal worth, so that whole fields stay level up to the last steps."""
    texts = (f"{first} jan, {second} off", f"{second} jan, {first} off", "-")
    return st.sampled_from([games(text, first, second) for text in texts])
