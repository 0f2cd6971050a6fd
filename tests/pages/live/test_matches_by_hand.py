"""Whole matches by hand in Chromium, and every way in which a game ends: under each ruleset, by each of the hands.

The page is served here, the referee is the machine of every arena, and its record says what the
page has to show.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

import pytest

from arena.games import load_game
from arena.games.result import Result
from arena.matches.facts import DiceCalled, DrawAgreed, Fact, Terms
from arena.person.advice import hints
from arena.person.arena_run import CLOCK
from arena.records.reasons import explain_end
from arena.records.timeline import Why
from arena.records.verify import verify_run
from arena.words import say
from tests.browser import HOLD_SLIDES, RELEASE_SLIDES, axe_violations
from tests.fixtures.sitting import Sitting
from tests.pages.live.hand_matches import MINE, Begun, Match, Site
from tests.pages.live.hands import HANDS, PHONE, Hand, Hands

pytestmark = pytest.mark.slow

TITLES = {
    "you": "You have won the match",
    "it": "You have lost the match",
    None: "The match is drawn",
}


def seated(site: Site, hand: Hand, rules: Any, **more: Any) -> tuple[Match, Hands]:
    page = site.open(**(PHONE if hand == "touch" else {}))
    return site.begin(rules, **more), Hands(page, hand)


ON_THE_BAR = re.compile(r"(\d+) on the bar, (\d+) free points?\. ")
"""The numbers of a jan (B9.1)."""


def game_words(number: int, game: Result, terms: Terms) -> list[str]:
    """What a person is to read of a game: who has won, how, for how many points, and why by which clause."""
    how = game.ending.replace("_", " ") + (" with monk" if game.monk else "")
    points = f"{game.points} point{'' if game.points == 1 else 's'}"
    who = "You win" if game.winner == MINE else "You lose"
    said = (
        f"{who} game {number} by {how}: {points}."
        if game.winner
        else f"Game {number} is drawn: {how}."
    )
    why = say(explain_end(Why(result=game, terms=terms)))
    return [said, f"{why[0].upper()}{why[1:]}. ({game.clause})"]


def is_told(match: Match, page: Any) -> None:
    page.locator(".match-over").wait_for()
    settled = match.settled
    assert page.locator("h1").inner_text() == TITLES[settled.winner]
    assert (
        page.locator(".match-over .lead").inner_text()
        == f"you {settled.score[0]} : {settled.score[1]} it"
    )
    page.locator(".games-over li").last.wait_for()
    games = page.locator(".games-over li").all_inner_texts()
    for number, (words, game) in enumerate(zip(games, settled.games, strict=True), 1):
        said, why = re.sub(r"\s*\n\s*", "\n", words).split("\n")
        counted = ON_THE_BAR.match(why)
        assert bool(counted) == game.ending.endswith("jan")
        if counted:
            # the page is not told where a game began that the opponent wins with its first turn
            assert game.winner != MINE or int(counted[1]) > int(counted[2])
            why = why[counted.end() :]
        assert [said, why] == game_words(number, game, match.terms)


# Whole games from the start to the end


@pytest.mark.parametrize(
    ("ruleset", "options", "hand", "seed"),
    [
        ("classic", (), "pointer", 62),
        ("swedish-tables", (), "touch", 85),
        pytest.param("fiske", (), "keyboard", 33, marks=pytest.mark.soak),
        pytest.param("backgammon", (), "pointer", 32, marks=pytest.mark.soak),
        ("brandubh-1", (), "keyboard", 7),
        ("brandubh-1", (), "pointer", 8),
        ("brandubh-2", (), "touch", 9),
    ],
)
def test_a_whole_game(
    site: Site, ruleset: str, options: tuple[str, ...], hand: Hand, seed: int
) -> None:
    """To its end, with the first moves that the page offers; `arena verify` finds its record in order.

    The seeds are those of short games. Matches of many games are below, where every ending is
    reached.
    """
    match, hands = seated(site, hand, load_game(ruleset, options), seed=bytes([seed]) * 32, games=1)
    width = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    assert hands.page.evaluate(width) == 0
    hands.play()
    assert hands.page.evaluate(width) == 0
    is_told(match, hands.page)
    verified = verify_run(match.files)
    assert (verified.games, verified.is_finished) == (1, True)


# The opponent's turn

TOLD = """() => ({
  sentence: document.querySelector(".hand-sentence").innerText,
  announced: document.querySelector("#announcer").textContent,
  plates: [...document.querySelectorAll(".plate")].map((one) => [one.matches(".moving"), one.innerText]),
  buttons: [...document.querySelectorAll(".hand-buttons > button")].map((one) => [one.innerText, one.disabled]),
  moves: document.querySelectorAll(".as-text:not([hidden]), .can-lift, .can-land").length,
  log: document.querySelectorAll(".hand-log li").length,
})"""


def test_the_opponents_checkers_slide_before_the_next_roll_is_told(site: Site) -> None:
    page = site.open(reduced_motion="no-preference")
    match, hands = (
        site.begin(load_game("backgammon"), seed=bytes([32]) * 32),
        Hands(page, "pointer"),
    )
    hands.turn(match.referee.legal[0].moves)
    hands.look()
    page.evaluate(HOLD_SLIDES)
    hands.turn(match.referee.legal[0].moves)
    page.wait_for_function("() => sliding.length")
    meanwhile = page.evaluate(TOLD)
    assert meanwhile["sentence"] == "it plays …"
    assert meanwhile["buttons"] == [["Undo", True], ["Play the turn", True]]
    assert meanwhile["moves"] == 0
    assert [is_moving for is_moving, _ in meanwhile["plates"]] == [True, False]
    page.evaluate(RELEASE_SLIDES)
    hands.look()
    then = page.evaluate(TOLD)
    assert then["sentence"].startswith("You roll ")
    assert then["sentence"] in then["announced"]
    assert then["sentence"] not in meanwhile["announced"]
    assert [is_moving for is_moving, _ in then["plates"]] == [False, True]
    assert then["plates"][0][1] != meanwhile["plates"][0][1]
    assert then["log"] == meanwhile["log"] + 1


# Every ending


class Case(NamedTuple):
    """A game shortly before its end: one winning turn in tables games."""

    ending: str
    position: str
    """From the side of the winner, who begins."""
    dice: str = ""
    moves: Sequence[Sequence[int | str]] = ()
    monk: bool = False


NEARLY = {
    "single_crown": ("18:1 19:1 20:1 21:3 22:3 23:3 24:3", [(18, 20), (19, 20)]),
    "double_crown": ("20:1 21:1 22:3 23:5 24:5", [(20, 22), (21, 22)]),
    "staircase": ("20:1 21:1 22:1 23:5 24:7", [(20, 22), (21, 22)]),
    "tower": ("22:1 23:1 24:13", [(22, 24), (23, 24)]),
    "bearing_off": ("24:1 off:14", [(24, 25)]),
}
MONK = [
    Case(ending, f"{mine} | opp {theirs}", "2-1", moves, "bar" in theirs)
    for ending, (mine, moves) in NEARLY.items()
    for theirs in ("13:15", "13:14 bar:1")
]
"""The four handsome games and bearing off, each without monk and with one (B7.7, B8, B10.1)."""
JAN = Case("jan", "1:13 3:1 20:1 | opp 7:1 8:1 10:1 13:7 14:1 16:1 bar:3", "5-4", [(3, 7)])
FORCED = Case("forced_jan", "bar:3 20:12 | opp 3:2 4:2 5:2 6:2 13:3 bar:4", "6-2", [(0, 6)])
FORCED_CLASSIC = Case(
    "forced_jan", "bar:2 1:3 20:10 | opp 2:2 3:2 4:2 5:2 6:1 13:3 bar:3", "6-5", [(0, 6), (0, 5)]
)
BORNE_OFF = [
    Case(ending, f"1:1 off:14 | opp {theirs}", "2-1", [(24, 25)])
    for ending, theirs in (
        ("bearing_off", "24:14 off:1"),
        ("gammon", "24:15"),
        ("backgammon", "24:14 bar:1"),
    )
]
"""G6, numbered as players of backgammon do."""
TABLES: dict[str, tuple[tuple[str, ...], Hand, list[Case]]] = {
    "vasa": ((), "pointer", [*MONK, JAN, FORCED]),
    "classic": ((), "touch", [*MONK, JAN, FORCED_CLASSIC]),
    "swedish-tables": ((), "keyboard", [*MONK, JAN, FORCED]),
    "fiske": ((), "pointer", MONK),
    "backgammon": ((), "keyboard", BORNE_OFF),
}


@pytest.mark.parametrize("ruleset", TABLES)
def test_every_ending_of_tables_games_won_and_lost(site: Site, ruleset: str) -> None:
    options, hand, cases = TABLES[ruleset]
    games = [case for case in cases for _ in range(2)][:-1]
    rules = load_game(ruleset, options)
    if rules.opening == "higher_starts":  # the throw for the start is played (G2)
        dice = " ".join(case.dice[:: -1 if number % 2 else 1] for number, case in enumerate(games))
    else:  # the loser of a game begins the next (B2.2)
        dice = " ".join(["1-2", *(case.dice for case in games)])
    positions = [case.position for case in games]

    def wins(sitting: Sitting) -> Sequence[Fact]:
        return sitting.plays(games[sitting.game.number - 1].moves)

    match, hands = seated(
        site, hand, Begun(rules, positions), opponent=wins, dice=dice, games=len(games)
    )
    for number, case in enumerate(games, 1):
        if number % 2:
            hands.turn(case.moves)
        hands.do(hands.look())  # on to the next game
    is_told(match, hands.page)
    assert [(game.ending, game.monk) for game in match.settled.games] == [
        (case.ending, case.monk) for case in games
    ]
    assert [game.winner for game in match.settled.games] == [
        2 - number % 2 for number in range(1, len(games) + 1)
    ]


def called(site: Site, hand: Hand) -> tuple[Match, Hands]:
    """A match under `one_die` whose first game a single 1 would win (B11.3)."""
    rules = load_game("classic", ("one_die",))
    short = "19:1 20:2 21:3 22:3 23:3 24:3 | opp 13:15"
    return seated(site, hand, Begun(rules, [short]), dice="1-2 1", games=1)


def test_the_person_is_asked_how_many_dice_to_roll(site: Site) -> None:
    """B11.3: one die is called for, and completes the pattern."""
    match, hands = called(site, "keyboard")
    assert hands.look()["what"] == "button"
    assert "How many dice do you roll (B11.3)?" in hands.page.locator(".hand-sentence").inner_text()
    offered = hands.page.get_by_role("button", name=re.compile("^Roll ")).all_inner_texts()
    assert offered == ["Roll one die", "Roll two dice"]
    hands.do(hands.look())
    hands.turn([(19, 20)])
    hands.do(hands.look())
    is_told(match, hands.page)
    assert [fact.dice for fact in match.referee.of(DiceCalled)] == [1]
    assert match.settled.games[0].ending == "single_crown"


# Brandubh: every ending, and draws by agreement

START = "...b.../...b.../...w.../bbwkwbb/...w.../...b.../...b... black"
TO_AND_FRO = "d1-c1 d3-c3 c1-d1 c3-d3 d1-c1 d3-c3 c1-d1 c3-d3"
BOARDS = {
    "king_escaped": (
        ".....k./......./......./......./......./...b.../....... black",
        "d2-d1 f7-g7",
    ),
    "king_captured": ("......./......./.bk.b../......./......./..w..../....... black", "e5-d5"),
    "repetition": (START, TO_AND_FRO),
    "no_move": ("......./......./......./......./......./.....b./..bkb.. black", "f2-d2"),
    "no_move for Black": (
        "......./......./......./.....k./......./.b.w.../..w.... black",
        "b2-b1 d2-b2",
    ),
}
"""T8, T9: positions with Black to move, and the moves to the end, Black's first."""


@pytest.mark.parametrize(("ruleset", "hand"), [("brandubh-1", "touch"), ("brandubh-2", "keyboard")])
def test_every_ending_of_brandubh_with_both_colours(site: Site, ruleset: str, hand: Hand) -> None:
    """The person has Black in every odd game (T1), and the opponent plays the other half of the moves."""
    games = [BOARDS[name] for name in BOARDS for _ in range(2)]
    rules = load_game(ruleset)
    moves = [rules.parse_turn(words) for _, words in games]

    def answers(sitting: Sitting) -> Sequence[Fact]:
        game = sitting.game
        return sitting.plays([moves[game.number - 1][game.turn - 1]])

    match, hands = seated(
        site, hand, Begun(rules, [board for board, _ in games]), opponent=answers, games=len(games)
    )
    for number, turns in enumerate(moves, 1):
        for turn in turns[1 - number % 2 :: 2]:
            hands.turn([turn])
        hands.do(hands.look())
    is_told(match, hands.page)
    assert [game.ending for game in match.settled.games] == [
        name.split()[0] for name in BOARDS for _ in range(2)
    ]
    assert match.settled.score == (2, 2)


@pytest.mark.parametrize("hand", HANDS)
def test_draws_are_offered_and_accepted(site: Site, hand: Hand) -> None:
    """T9: the person's offer is accepted; the opponent's is; one lapses with the next move, and the match is drawn."""

    def answers(sitting: Sitting) -> Sequence[Fact]:
        return (
            sitting.accepts_draw() if sitting.game.draw_offered else sitting.plays(offers_draw=True)
        )

    match, hands = seated(site, hand, load_game("brandubh-2"), opponent=answers)
    page = hands.page
    hands.look()
    hands.choose("button:has-text('Show me')")
    page.locator(".hint").first.wait_for()
    rules = load_game("brandubh-2")
    expected = [
        f"{one.worth:.1f}".replace("-", "\N{MINUS SIGN}") + f" warriors {one.text}"
        for one in hints(rules, rules.start(), ())
    ]
    assert page.locator(".hint").all_inner_texts() == expected
    hands.touch(page.get_by_label("Offer a draw with it"))
    hands.turn([("d1", "c1")])
    hands.do(hands.look())  # on to game 2, in which the opponent has Black
    page.get_by_role("button", name="Accept the draw").wait_for()
    hands.turn([("d3", "c3")])  # its offer lapses, and it makes another
    hands.look()
    hands.touch(page.get_by_role("button", name="Accept the draw"), is_answer=True)
    hands.do(hands.look())
    hands.turn([("d1", "c1")])
    hands.look()
    hands.touch(page.get_by_role("button", name="Accept the draw"), is_answer=True)
    hands.do(hands.look())
    is_told(match, page)
    assert [fact.seat for fact in match.referee.of(DrawAgreed)] == [2, 1, 1]
    assert (match.settled.winner, match.settled.score) == (None, (0, 0))


# Games that are not decided over the board


def test_forfeits_and_the_limit_of_turns(site: Site) -> None:
    """B10.2, B10.3: a fallen flag on either side, too many illegal turns, too many turns, an opponent that is gone."""

    def answers(sitting: Sitting) -> Sequence[Fact]:
        if sitting.game.number == 1:
            return sitting.waits(CLOCK.limit_ms(CLOCK.bank_ms) + 1)
        if sitting.game.number == 3:
            return sitting.plays_illegally()
        if sitting.game.number == 5:
            return sitting.leaves(3 - MINE, grace_ms=0) + sitting.waits(2000)
        return sitting.plays()

    match, hands = seated(
        site, "pointer", load_game("vasa"), opponent=answers, games=6, turn_limit=4
    )
    while (due := hands.look())["what"] != "over":
        if due["what"] != "button" and match.referee.game.number == 2:
            hands.await_change()
            site.tell(match.flag_falls)
        else:
            hands.do(due)
    is_told(match, hands.page)
    found = [(game.winner, game.ending, game.cause) for game in match.settled.games]
    assert found == [
        (MINE, "forfeit", "time"),
        (3 - MINE, "forfeit", "time"),
        (MINE, "forfeit", "illegal_turns"),
        (None, "turn_limit", None),
        (MINE, "forfeit", "disconnect"),
        (MINE, "forfeit", "no_show"),
    ]


# Accessibility


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_while_a_match_is_played(site: Site, scheme: str) -> None:
    page = site.open(color_scheme=scheme)
    assert axe_violations(page) == [], "the choice"
    page.get_by_role("tab", name="Lessons").click()
    page.get_by_role("button", name="Single on the first half").click()
    page.locator(".spots").wait_for()
    assert axe_violations(page) == [], "a lesson"
    page.get_by_role("button", name="To the lobby").click()
    page.locator(".choice").wait_for()
    mine, moves = NEARLY["single_crown"]
    rules = Begun(load_game("vasa"), [f"{mine} | opp 13:15"])
    match = site.begin(rules, dice="1-2 2-1", games=1)
    hands = Hands(page, "pointer")
    due = hands.look(moves[0])
    page.locator(".as-text summary").click()
    hands.choose("button:has-text('Show me')")
    page.locator(".hint").first.wait_for()
    assert axe_violations(page) == [], "the board"
    hands.do(due)
    hands.do(hands.look(moves[0]))
    hands.look()
    assert axe_violations(page) == [], "the board in the middle of a turn"
    hands.turn(moves[1:])
    hands.look()
    assert axe_violations(page) == [], "the end of the game"
    hands.do(hands.look())
    is_told(match, page)
    assert axe_violations(page) == [], "the end of the match"
