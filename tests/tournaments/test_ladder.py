"""The pairing of a ladder: the rules by hand, and what holds for every draw."""

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.tournaments.formats import ladder
from arena.tournaments.formats.ladder import (
    MOST_OF_WINDOW,
    UNITS_A_DAY,
    WAIT_MS,
    Chances,
    LadderDay,
    gain,
    is_near_top,
    mean_information,
    opponent_probabilities,
    relax,
    urgency,
)
from arena.tournaments.ladder_players import Edge, Player, unit_edge
from arena.tournaments.statistics import ladder_fit
from arena.tournaments.statistics.ladder_ratings import LadderRatings
from arena.tournaments.statistics.ratings import ELO, expected_score
from tests.examples import tries

HOUSE = [
    Player(entrant=name, bot=name, version=1, is_anchor=True) for name in ("h1", "h2", "h3", "h4")
]
BOTS = [Player(entrant=name, bot=name[:1], version=1) for name in ("a1", "a2", "b", "c", "d", "e")]
BOT_NAMES = [player.entrant for player in BOTS]
NAMES = [player.entrant for player in (*HOUSE, *BOTS)]
EVERYONE = frozenset(NAMES)
STRENGTHS = {"h1": -300, "h2": -100, "h3": 100, "h4": 300}
STRENGTHS |= {"a1": -200, "a2": 0, "b": 0, "c": 50, "d": 200, "e": 500}


@pytest.fixture(autouse=True)
def single_games(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every unit be worth one game, whatever the results say."""
    monkeypatch.setattr(ladder_fit, "LEAST_KAPPA", 1.0)
    monkeypatch.setattr(ladder_fit, "MOST_KAPPA", 1.0)


def edge(first: str, second: str, units: int, won: float) -> Edge:
    numbers = NAMES.index(first), NAMES.index(second)
    if numbers[0] > numbers[1]:
        return Edge(numbers[1], numbers[0], units, units - won, units - won)
    return Edge(*numbers, units, won, won)


def played(units: int = 400, names: list[str] | None = None) -> list[Edge]:
    """Edges of the expected scores between all anchors and the bots of these names."""
    edges = []
    everyone = [*[player.entrant for player in HOUSE], *(BOT_NAMES if names is None else names)]
    for number, first in enumerate(everyone):
        for second in everyone[:number]:
            won = round(units * expected_score(STRENGTHS[first] - STRENGTHS[second]))
            edges.append(edge(first, second, units, won))
    return edges


@dataclass(frozen=True, kw_only=True)
class Draw:
    """A pair that was drawn, by names."""

    bot: str
    opponent: str
    probabilities: dict[str, float]

    @property
    def probability(self) -> float:
        return self.probabilities[self.opponent]


class Day:
    """A day whose players go by their names; all have come."""

    def __init__(self, edges: list[Edge], *, seats: int = 20) -> None:
        self.names = list(NAMES)
        ratings = LadderRatings([*HOUSE, *BOTS], edges)
        self.day = LadderDay(ratings, [*HOUSE, *BOTS], seats=seats)
        for name in NAMES:
            self.arrive(name, 0)

    @property
    def ratings(self) -> LadderRatings:
        return self.day.ratings

    def number(self, name: str) -> int:
        return self.names.index(name)

    def add(self, player: Player) -> None:
        self.names.append(player.entrant)
        self.day.add(player)

    def arrive(self, name: str, at_ms: int) -> None:
        self.day.arrive(self.number(name), at_ms)

    def begin(self, first: str, second: str, at_ms: int) -> None:
        fixture = f"{first}-{second}-{len(self.day.in_play)}"
        self.day.begin(fixture, self.number(first), self.number(second), at_ms)

    def end(self, first: str, second: str, at_ms: int) -> None:
        fixture = next(name for name in self.day.in_play if name.startswith(f"{first}-{second}-"))
        self.day.end(fixture, at_ms)

    def count(self, first: str, second: str, score: float) -> None:
        self.day.count(unit_edge(self.number(first), self.number(second), score))

    def chances(
        self, free: Iterable[str], at_ms: int, recorded: str | None = None
    ) -> Chances | None:
        numbers = [self.number(name) for name in free]
        return self.day.chances(
            numbers, at_ms, recorded=None if recorded is None else self.number(recorded)
        )

    def draw(self, free: Iterable[str], at_ms: int, number: float) -> Draw | None:
        chances = self.chances(free, at_ms)
        if chances is None:
            return None
        opponents = [self.names[opponent] for opponent in chances.opponents.tolist()]
        return Draw(
            bot=self.names[chances.bot],
            opponent=self.names[chances.opponent(number)],
            probabilities=dict(zip(opponents, chances.probabilities.tolist(), strict=True)),
        )

    def agrees(
        self,
        bot: str,
        opponent: str,
        probability: float,
        *,
        free: frozenset[str],
        at_ms: int,
        number: float,
    ) -> bool:
        chances = self.chances(free, at_ms, bot)
        if chances is None or chances.bot != self.number(bot):
            return False
        return chances.agree(self.number(opponent), number, probability)


def test_urgency_is_doubt_wait_and_the_top():
    urgencies = urgency(
        np.array([25.0, 50.0, 10.0, 10.0]),
        np.array([0, 0, WAIT_MS, WAIT_MS / 2]),
        np.array([False, False, False, True]),
    )
    assert urgencies.tolist() == [0, 3, 1, 1]


def test_the_top_are_ten_and_those_within_two_errors():
    elo = np.arange(100.0, 1300, 100)
    errors = np.full(12, 10.0)
    errors[1] = 50
    is_ranked = np.ones(12, dtype=bool)
    assert is_near_top(elo, errors, is_ranked).tolist() == [False] + [True] * 11
    assert is_near_top(elo[:9], errors[:9], is_ranked[:9]).all()


def test_information_is_the_mean_over_what_a_strength_may_be():
    exact = mean_information(0.5, 0.0, np.array([0.5, -0.5]))
    chance = 1 / (1 + math.exp(-1))
    assert exact == pytest.approx([0.25, chance * (1 - chance)])
    points = np.linspace(-8, 8, 20_001)
    density = np.exp(-(points**2) / 2)
    chances = 1 / (1 + np.exp(-(0.3 + 0.8 * points)))
    mean = (density * chances * (1 - chances)).sum() / density.sum()
    assert mean_information(0.3, 0.8, np.array([0.0]))[0] == pytest.approx(mean, abs=1e-4)


def test_gain_is_the_rise_of_the_determinant_of_the_information():
    information = np.array([[3.0, -1.0], [-1.0, 2.0]])
    covariance = np.linalg.inv(information)
    direction = np.array([1.0, -1.0])
    weight = 2.0 * 0.2
    more = information + weight * np.outer(direction, direction)
    rise = math.log(np.linalg.det(more) / np.linalg.det(information))
    variance = direction @ covariance @ direction
    assert gain(2.0, np.array([0.2]), np.array([variance]))[0] == pytest.approx(rise)


def test_opponents_are_drawn_cold_and_some_at_large():
    probabilities = opponent_probabilities(
        np.array([1.0, 0.95, 0.0, 0.2]), np.array([0.0, 500.0, 10.0, 399.0])
    )
    softmax = 1 / (1 + math.exp(-1) + math.exp(-16))
    assert probabilities[0] == pytest.approx(0.9 * softmax + 0.05)
    assert probabilities[1] == pytest.approx(0.9 * softmax * math.exp(-1))
    assert probabilities[2] == 0
    assert probabilities[3] == pytest.approx(0.05, abs=1e-6)


@pytest.mark.parametrize(
    ("repeats", "is_fresh", "expected"),
    [
        ([1, 0.5, 1], [1, 1, 1], [4, 1.5, 0.4]),
        ([0.5, 0.5, 1], [1, 1, 1], [4, 3, 0.4]),
        ([0.5, 0.5, 1], [0, 1, 1], [0, 3, 0.4]),
        ([1, 1, 1], [0, 0, 1], [4, 3, 0.4]),
    ],
    ids=["as they are", "no repeats", "fresh alone", "all"],
)
def test_repeats_are_relaxed_first_then_the_window(repeats, is_fresh, expected):
    information = np.array([0.25, 0.2, 0.02])
    relaxed = relax(
        np.array([4, 3, 0.4]), information, np.array(repeats), np.array(is_fresh, dtype=bool)
    )
    assert relaxed.tolist() == expected


@given(
    st.lists(st.floats(0, 1), min_size=1, max_size=20).filter(any),
    st.floats(0, 1, exclude_max=True),
)
def test_a_number_chooses_the_interval_that_it_is_in(weights, number):
    probabilities = np.array(weights) / sum(weights)
    place = Chances(0, np.arange(len(weights)), probabilities).opponent(number)
    low = probabilities[:place].sum()
    assert probabilities[place] > 0
    assert low - 1e-9 <= number <= low + probabilities[place] + 1e-9


def test_a_newcomer_meets_three_anchors_twice_first():
    names = [name for name in BOT_NAMES if name != "e"]
    day = Day(played(names=names))
    opponents = []
    for number in range(6):
        draw = day.draw(EVERYONE, 0, number / 6)
        assert draw.bot == "e"
        opponents.append(draw.opponent)
        day.count("e", draw.opponent, 1)
    assert sorted(opponents) == ["h1", "h1", "h3", "h3", "h4", "h4"]
    seventh = day.draw(EVERYONE, 0, 0.5)
    assert seventh.bot == "e"
    assert len(seventh.probabilities) == 9


def test_a_newcomer_that_plays_several_at_once_does_not_meet_an_anchor_more_often():
    day = Day(played(names=BOT_NAMES[:-1]))
    free = frozenset({"e", "h1", "h2", "h3", "h4"})
    opponents = []
    for _ in range(6):
        draw = day.draw(free, 0, 0.99)
        opponents.append(draw.opponent)
        day.begin("e", draw.opponent, 0)
    assert sorted(opponents) == ["h1", "h1", "h3", "h3", "h4", "h4"]


def test_a_newcomer_meets_nobody_else_first():
    day = Day(played(names=["a1", "a2", "b"]))
    assert day.draw(frozenset({"d", "e"}), 0, 0.5) is None
    day.arrive("b", -1000 * WAIT_MS)
    assert day.draw(frozenset({"a2", "b", "e"}), 0, 0.5).probabilities.keys() == {"a2"}


def even(first: str, second: str, units: int) -> Edge:
    return edge(first, second, units, units / 2)


def test_an_opponent_whose_lead_is_known_by_a_third_is_not_drawn():
    """Bots b and c have never met, but both have met a1 so often that all is known."""
    edges = [*played(names=[]), even("a1", "h2", 40), even("d", "h2", 40)]
    edges += [even("b", "a1", 4000), even("c", "a1", 4000)]
    day = Day(edges)
    day.arrive("b", -100 * WAIT_MS)
    draw = day.draw(frozenset({"b", "c", "d"}), 0, 0.5)
    assert draw.bot == "b"
    assert draw.probabilities == pytest.approx({"c": 0.05, "d": 0.95}, abs=0.001)


def test_an_opponent_that_was_met_is_drawn_less_often():
    edges = [*played(names=[]), *[even(name, "h2", 400) for name in ("a1", "b", "c", "d")]]
    edges.append(even("b", "c", 8))
    day = Day(edges)
    day.arrive("b", -100 * WAIT_MS)
    draw = day.draw(frozenset({"b", "c", "d"}), 0, 0.5)
    assert draw.bot == "b"
    assert draw.probabilities["c"] < 0.06


def test_no_bot_meets_one_of_the_same_owner():
    day = Day(played())
    assert day.draw(frozenset({"a1", "a2"}), 0, 0.5) is None
    assert day.draw(frozenset({"a1", "a2", "b"}), 0, 0.5).probabilities.keys() in (
        {"b"},
        {"a1", "a2"},
    )


def test_anchors_choose_only_where_no_bot_can_play():
    day = Day(played())
    house = frozenset(player.entrant for player in HOUSE)
    assert day.draw(house | {"b"}, 0, 0.5).bot == "b"
    assert {day.draw(house, 0, 0.5).bot, day.draw(house, 0, 0.5).opponent} <= house


def test_a_settled_bot_plays_fifty_units_a_day():
    day = Day(played())
    for _ in range(UNITS_A_DAY - 1):
        day.count("b", "h1", 1)
    assert day.draw(frozenset({"b", "c"}), 0, 0.5) is not None
    day.begin("b", "h1", 0)  # its last match of the day
    assert day.ratings.error("b") < 25
    assert day.draw(frozenset({"b", "c"}), 0, 0.5) is None
    assert day.draw(frozenset({"b", "c", "d"}), 0, 0.5).probabilities.keys() in ({"c"}, {"d"})


def test_an_opponent_of_a_tenth_of_the_last_hundred_is_left_out(monkeypatch):
    monkeypatch.setattr(ladder, "UNITS_A_DAY", 1000)
    day = Day(played())
    for _ in range(MOST_OF_WINDOW + 1):
        day.count("b", "c", 1)
        day.count("b", "c", 0)
    free = frozenset({"b", "c", "a2", "h2", "h3"})
    assert "c" in day.draw(free, 0, 0.5).probabilities
    day.arrive("b", -WAIT_MS)
    draw = day.draw(free, 0, 0.5)
    assert draw.bot == "b"
    assert draw.probabilities["c"] == 0
    # there is nobody else
    assert day.draw(frozenset({"b", "c"}), 0, 0.5).probability == 1


def test_newcomers_have_half_of_the_seats_while_others_wait():
    day = Day(played(names=["a1", "a2", "b"]), seats=4)
    for name in ("c", "d", "e"):
        draw = day.draw(EVERYONE, 0, 0.5)
        if name == "e":
            assert draw.bot in {"a1", "a2", "b"}
            assert not {"c", "d", "e"} & draw.probabilities.keys()
        else:
            day.begin(draw.bot, draw.opponent, 0)
    newcomers = frozenset({"c", "d", "e", "h1", "h2", "h3", "h4"})
    assert day.draw(newcomers, 0, 0.5).bot in newcomers


def test_a_bot_has_a_tenth_of_the_seats_while_others_wait():
    day = Day(played(), seats=20)
    day.arrive("b", -100 * WAIT_MS)
    for _ in range(2):
        assert day.draw(EVERYONE, 0, 0.5).bot == "b"
        day.begin("b", "h2", -100 * WAIT_MS)
    draw = day.draw(EVERYONE, 0, 0.5)
    assert draw.bot != "b"
    assert "b" not in draw.probabilities
    assert day.draw(frozenset({"b", "h1", "h2"}), 0, 0.5).bot == "b"
    day.end("b", "h2", 0)
    draw = day.draw(EVERYONE, 0, 0.5)
    assert "b" in {draw.bot, *draw.probabilities}


def test_a_bot_that_is_less_urgent_was_not_drawn():
    """Otherwise an operator could choose who plays, if not against whom."""
    day, forged_day = Day(played()), Day(played())
    day.arrive("b", -WAIT_MS)
    forged_day.arrive("c", -WAIT_MS)
    free = frozenset({"b", "c", "d"})
    draw, forged = day.draw(free, 0, 0.5), forged_day.draw(free, 0, 0.5)
    assert (draw.bot, forged.bot) == ("b", "c")
    line = {"free": free, "at_ms": 0, "number": 0.5}
    assert day.agrees("b", draw.opponent, draw.probability, **line)
    assert not day.agrees("c", forged.opponent, forged.probability, **line)
    for bot in {"c", "d"} - {draw.opponent}:
        assert not day.agrees(bot, draw.opponent, draw.probability, **line)


def test_a_newcomer_is_not_used_up_by_fifty_units():
    day = Day(played(names=BOT_NAMES[:-1]))
    for number in range(UNITS_A_DAY):
        day.count("e", "h4", number % 4 > 0)
    assert day.ratings.error("e") > 25
    assert day.draw(frozenset({"d", "e"}), 0, 0.5).bot == "e"


def test_a_match_that_ended_frees_its_seat_and_begins_a_wait():
    day = Day(played(names=["a1", "a2", "b"]), seats=2)
    day.begin("e", "h4", 0)
    newcomers_and_others = frozenset({"a2", "b", "d", "h1", "h2", "h3", "h4"})
    assert day.draw(newcomers_and_others, 0, 0.5).bot != "d"
    day.end("e", "h4", WAIT_MS)
    assert day.draw(newcomers_and_others, WAIT_MS, 0.5).bot == "d"
    day.begin("a1", "b", WAIT_MS)
    day.end("a1", "b", 2 * WAIT_MS)
    assert day.draw(frozenset({"a1", "a2", "h1"}), 2 * WAIT_MS, 0.5).bot == "a2"


DAYS = st.lists(
    st.tuples(st.sampled_from(BOT_NAMES), st.sampled_from([*BOT_NAMES, "h1", "h2", "h3"])).filter(
        lambda pair: pair[0][:1] != pair[1][:1]
    ),
    max_size=60,
)


@given(
    DAYS,
    st.frozensets(st.sampled_from(sorted(EVERYONE))),
    st.floats(0, 1, exclude_max=True),
    st.integers(0, 10**7),
)
@tries(50)
def test_every_draw_can_be_repeated(units, free, number, at_ms):
    day = Day(played(units=5))
    owners = {player.entrant: player.bot for player in BOTS} | dict.fromkeys(NAMES[:4], "house")
    for place, (first, second) in enumerate(units):
        day.count(first, second, place % 3 / 2)
    draw = day.draw(free, at_ms, number)
    assert draw == day.draw(free, at_ms, number)
    if draw is None:
        assert len({owners[name] for name in free} - {"house"}) <= 1
        return
    assert {draw.bot, *draw.probabilities} <= free
    assert draw.bot not in draw.probabilities
    if owners[draw.bot] != "house":
        assert owners[draw.bot] not in {owners[name] for name in draw.probabilities}
    assert sum(draw.probabilities.values()) == pytest.approx(1, abs=1e-12)
    low = 0.0
    for opponent, probability in draw.probabilities.items():
        if opponent == draw.opponent:
            break
        low += probability
    assert low - 1e-12 <= number <= low + draw.probability + 1e-12

    def agrees(**changes) -> bool:
        line = {"bot": draw.bot, "opponent": draw.opponent, "probability": draw.probability}
        line |= {"free": free, "at_ms": at_ms, "number": number, **changes}
        pair = line.pop("bot"), line.pop("opponent"), line.pop("probability")
        return day.agrees(*pair, **line)

    assert agrees()
    assert agrees(probability=draw.probability + 5e-7)
    assert not agrees(probability=draw.probability - 1e-5)
    assert not agrees(free=free - {draw.opponent})
    if low + 1e-5 < number < low + draw.probability - 1e-5:
        for opponent in free - {draw.opponent, draw.bot}:
            assert not agrees(opponent=opponent)
    if low + draw.probability < 0.99:
        assert not agrees(number=low + draw.probability + 1e-5)


def test_the_next_day_goes_on_with_the_edges():
    day = Day(played(units=20))
    third = Player(entrant="a3", bot="a", version=3, parent="a2")
    day.add(third)
    day.arrive("a3", 5)
    for place in range(80):
        draw = day.draw(EVERYONE | {"a3"}, place, (place + 0.5) / 80)
        day.begin(draw.bot, draw.opponent, place)
        day.count(draw.bot, draw.opponent, place % 2)
        day.end(draw.bot, draw.opponent, place)
    day.ratings.fit(is_exact=True)
    players = [*HOUSE, *BOTS, third]
    following = LadderRatings(players, day.ratings.edges())
    for name in day.names:
        assert following.elo(name) == pytest.approx(day.ratings.elo(name), abs=0.01)
        assert following.error(name) == pytest.approx(day.ratings.error(name), abs=0.01)
    assert abs(ELO * following.strengths[following.anchors].mean()) < 1e-6
