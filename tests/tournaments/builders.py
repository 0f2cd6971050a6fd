"""Short ways to write down games, matches and whole tournaments for the tests of chapter M."""

from __future__ import annotations

from hypothesis import strategies as st

from arena.tournaments.formats.round_robin import round_robin
from arena.tournaments.results import FixtureResult, GameResult
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

DRAWN_GAME = GameResult(winner=None, points=0, ending="turn_limit")


def games(text: str) -> tuple[GameResult, ...]:
    """Read "anna jan, bo off+, - " as three games; "-" is a game without a winner."""
    found = []
    for part in text.split(","):
        if part.strip() == "-":
            found.append(DRAWN_GAME)
            continue
        winner, short = part.split()
        ending, points, monk, rank = ENDINGS[short]
        found.append(GameResult(winner=winner, points=points, ending=ending, monk=monk, rank=rank))
    return tuple(found)


def match(text: str, first: str = "anna", second: str = "bo") -> FixtureResult:
    """Make a match of round 1 between two entrants, from its games."""
    return settle(Fixture(round=1, first=first, second=second), games(text))


def settle(fixture: Fixture, won: tuple[GameResult, ...]) -> FixtureResult:
    return FixtureResult(fixture=fixture.id, round=fixture.round, first=fixture.first, second=fixture.second, games=won)


def void(fixture: Fixture) -> FixtureResult:
    return FixtureResult(
        fixture=fixture.id,
        round=fixture.round,
        first=fixture.first,
        second=fixture.second,
        games=(),
        voided=True,
    )


def tournament(text: str) -> tuple[list[str], list[Fixture], list[FixtureResult]]:
    """Read one match a line, "anna-bo: anna jan, bo off": entrants, schedule and results.

    Every match has a round of its own. "anna-bo: void" is void, and "anna-bo:" was scheduled but not played.
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
            results.append(settle(fixture, games(won)))
    return list(names), schedule, results


def any_game(first: str, second: str) -> st.SearchStrategy[GameResult]:
    won = st.builds(
        lambda winner, short: games(f"{winner} {short}")[0],
        st.sampled_from([first, second]),
        st.sampled_from(sorted(ENDINGS)),
    )
    return st.one_of(st.just(DRAWN_GAME), won)


@st.composite
def any_tournament(draw: st.DrawFn) -> tuple[list[str], list[Fixture], list[FixtureResult]]:
    """Draw a round robin that is played wholly or in part; few games a match, so that ties are common."""
    names = ["anna", "bo", "cia", "dag", "eva", "finn"][: draw(st.integers(2, 6))]
    schedule = list(round_robin(names, draw(st.integers(1, 2))))
    plain = draw(st.booleans())
    results = []
    for fixture in schedule:
        fate = draw(st.sampled_from(["played"] * 8 + ["void", "open"]))
        if fate == "void":
            results.append(void(fixture))
        elif fate == "played" and plain:
            results.append(settle(fixture, draw(st.sampled_from(_plain(fixture)))))
        elif fate == "played":
            some = st.lists(any_game(fixture.first, fixture.second), min_size=1, max_size=3)
            results.append(settle(fixture, tuple(draw(some))))
    return names, schedule, results


def _plain(fixture: Fixture) -> list[tuple[GameResult, ...]]:
    """List matches of equal worth, so that whole fields stay level up to the last steps."""
    first, second = fixture.first, fixture.second
    return [games(f"{first} jan, {second} off"), games(f"{second} jan, {first} off"), (DRAWN_GAME,)]
