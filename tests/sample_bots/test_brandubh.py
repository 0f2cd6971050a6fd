"""The sample bot for Brandubh: what it sees in a position, and how it plays."""

import itertools
import random
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from arena.games import Game, load_game
from tests.fixtures.arena_runs import REPOSITORY, Run, assert_verified, play
from tests.fixtures.bot_workshop import imported

FOLDER = REPOSITORY / "sample_bots" / "brandubh"
VERSIONS = ("brandubh-1", "brandubh-2")
RANDOM = [sys.executable, str(REPOSITORY / "sample_bots" / "random" / "bot.py")]
GAMES = {version: load_game(version) for version in VERSIONS}


def command(*options: object) -> list[str]:
    return [sys.executable, str(FOLDER / "bot.py"), *map(str, options)]


@pytest.fixture(scope="module")
def parts() -> Iterator[SimpleNamespace]:
    with imported("brandubh", "bot", "search", "evaluation", "board") as modules:
        yield modules


def played_at_random(game: Game[Any], *, seed: int, games: int, longest: int = 80) -> Iterator[Any]:
    """Positions of games whose moves are drawn; moves that end the game are mostly left, so that games last."""
    chance = random.Random(seed)
    for _ in range(games):
        position = game.start()
        for _ in range(longest):
            yield position
            turns = list(game.legal_turns(position, ()))
            quiet = [turn for turn in turns if not turn.ending]
            chosen = chance.choice(turns if not quiet or chance.random() < 0.02 else quiet)
            if chosen.ending:
                break
            position = chosen.position


def can_win(game: Game[Any], position: Any) -> bool:
    """Whether the side to move can win with one move, by the engine alone."""
    return any(turn.ending and not turn.ending.is_drawn for turn in game.legal_turns(position, ()))


# Its board says of every position what the arena's engine says

CAPTURES = {
    f"{throne}-{on}-{beside}": {
        "base": "brandubh-1",
        "name": "ours",
        "throne_hostile": throne == "hostile",
        "king_on_throne": on,
        "king_beside_throne": beside,
    }
    for throne, on, beside in itertools.product(
        ("hostile", "harmless"), ("two_opposite", "all_four"), ("two_opposite", "other_three")
    )
}
"""Every combination of the fields on which captures depend (T6, T7); two of them are the two
versions."""


def compare(parts: SimpleNamespace, rules: Any, *, seed: int, games: int) -> int:
    """Hold the board against the engine in every position of some games; the number of positions."""
    game = load_game(rules)
    board = parts.board.Board(game.ruleset)
    number = 0
    for position in played_at_random(game, seed=seed, games=games):
        placement = parts.board.read(game.to_plain(position))
        assert placement == placement_of(position)
        found = {
            tuple(parts.board.named(move)): board.play(placement, move)
            for move in board.moves(placement)
        }
        legal = list(game.legal_turns(position, ()))
        wins = any(turn.ending and not turn.ending.is_drawn for turn in legal)
        drawing = game.draw(position)
        assert found == {tuple(turn.moves[0]): placement_of(turn.position) for turn in legal}, (
            drawing
        )
        assert board.can_win(placement) == wins, drawing
        number += 1
    return number


def placement_of(position: Any) -> tuple[int, int, int, bool]:
    return position.black, position.white, position.king, position.to_move == "white"


@pytest.mark.parametrize("games", [8, pytest.param(200, marks=pytest.mark.soak)])
@pytest.mark.parametrize("version", VERSIONS)
def test_moves_captures_and_wins_are_those_of_the_engine(parts, version, games):
    """T2-T8: over five hundred positions and all their moves, or over 25,000."""
    assert compare(parts, version, seed=1, games=games) > 60 * games


@pytest.mark.parametrize("fields", CAPTURES.values(), ids=CAPTURES.keys())
def test_house_rulesets_are_understood(parts, fields):
    """T6, T7: in every combination of the fields on which captures depend."""
    assert compare(parts, fields, seed=2, games=3) > 150


# What it sees


def chosen(
    parts: SimpleNamespace, game: Game[Any], position: Any, *, depth: int, drawn: Any = ()
) -> Any:
    placement = parts.board.read(game.to_plain(position))
    found = parts.search.Search(parts.board.Board(game.ruleset), drawn).best(placement, depth=depth)
    moves = [parts.board.named(found.move)]
    (turn,) = (
        turn
        for turn in game.legal_turns(position, ())
        if [list(move) for move in turn.moves] == moves
    )
    return found, turn


WINS_IN_THREE = {
    "king-sees-two-corners": (
        VERSIONS,
        "...b.b./......b/.w.wb.b/bbk.w../......./....w../.b..... white",
    ),
    "king-steps-to-the-edge": (
        VERSIONS,
        "...bb../......b/.w.wbbb/bb..w../..k..../...w.../....... white",
    ),
    "king-cannot-get-away": (
        VERSIONS[:1],
        "...b.../..b...b/.bb..wk/......./..b..../..b..w./...w... black",
    ),
    "king-cannot-get-away-from-three": (
        VERSIONS[1:],
        "..b.b../....w.b/.b.b..b/.k...../bw...../......./...bw.. black",
    ),
}
"""Positions in which no move wins at once, but one wins whatever the answer."""


def known(cases: dict[str, tuple[tuple[str, ...], str]]) -> Any:
    return [
        pytest.param(version, text, id=f"{name}-{version}")
        for name, (versions, text) in cases.items()
        for version in versions
    ]


@pytest.mark.parametrize(("version", "text"), known(WINS_IN_THREE))
def test_it_finds_a_win_in_three(parts, version, text):
    game = GAMES[version]
    position = game.parse_position(text)
    assert not can_win(game, position)
    found, turn = chosen(parts, game, position, depth=3)
    assert found.value == parts.search.WIN - 3
    answers = list(game.legal_turns(turn.position, ()))
    assert answers
    assert all(not answer.ending and can_win(game, answer.position) for answer in answers)


@pytest.mark.parametrize("version", VERSIONS)
def test_it_finds_what_looking_at_everything_finds(parts, version):
    """Cutting off branches, the table and the order of moves change nothing about the value."""
    game = GAMES[version]
    board = parts.board.Board(game.ruleset)

    def plain(placement: Any, depth: int, ply: int = 0) -> int:
        if board.can_win(placement):
            return int(parts.search.WIN - ply - 1)
        if not depth:
            worth: int = parts.evaluation.value(placement)
            return worth if placement[3] else -worth
        return max(
            (
                -plain(board.play(placement, move), depth - 1, ply + 1)
                for move in board.moves(placement)
            ),
            default=0,
        )

    for position in itertools.islice(
        played_at_random(game, seed=4, games=8, longest=30), 3, None, 29
    ):
        placement = parts.board.read(game.to_plain(position))
        if board.can_win(placement):
            continue
        exact = {move: -plain(board.play(placement, move), 1, 1) for move in board.moves(placement)}
        most = max(exact.values())
        for slack in (0, 30):
            found = parts.search.Search(board).best(placement, depth=2, slack=slack)
            assert found.value == most, game.draw(position)
            assert min(exact[move] for move in (found.move, *found.near)) >= most - slack
    (position,) = itertools.islice(played_at_random(game, seed=5, games=1), 12, 13)
    placement = parts.board.read(game.to_plain(position))
    assert parts.search.Search(board).best(placement, depth=3).value == plain(placement, 3)


# Draws


@pytest.mark.parametrize("version", VERSIONS)
def test_it_knows_what_draws(parts, version):
    """T9: it leaves no more than a draw where it is better off, and takes one where it is worse off."""
    game = GAMES[version]
    board = parts.board.Board(game.ruleset)
    values = []
    for position in itertools.islice(
        played_at_random(game, seed=6, games=6, longest=30), 4, None, 9
    ):
        placement = parts.board.read(game.to_plain(position))
        after = {board.play(placement, move) for move in board.moves(placement)}
        found, turn = chosen(parts, game, position, depth=3)
        if turn.ending:
            continue
        everything_draws, _ = chosen(parts, game, position, depth=3, drawn=after)
        assert everything_draws.value == parts.search.DRAW
        one = board.play(placement, found.move)
        with_one, _ = chosen(parts, game, position, depth=3, drawn=[one])
        if found.value > parts.search.DRAW:
            assert with_one.move != found.move or with_one.value == parts.search.DRAW
        else:
            assert with_one.value >= parts.search.DRAW
        values.append(found.value)
    assert min(values) < 0 < max(values)


def asked(game: Game[Any], position: Any, number: int, *, draw_offered: bool = False) -> Any:
    return SimpleNamespace(
        ruleset={"name": game.name, "hash": "a hash", "fields": game.ruleset},
        position=game.to_plain(position),
        message=SimpleNamespace(turn=number),
        match=SimpleNamespace(match="r1-anna-v-bo", attempt=1),
        start=SimpleNamespace(number=1),
        clock=SimpleNamespace(delay_left_ms=1000, left_ms=0),
        draw_offered=draw_offered,
    )


def ready(parts: SimpleNamespace, game: Game[Any]) -> Any:
    bot = parts.bot.Brandubh(depth=2, seed=1)
    ruleset = {"name": game.name, "hash": "a hash", "fields": game.ruleset}
    bot.match_start(SimpleNamespace(match="r1-anna-v-bo", attempt=1, ruleset=ruleset))
    return bot


def test_it_remembers_what_has_come_up(parts):
    """T9: what it was asked, what it left and the start; the same turn asked again counts once."""
    game = GAMES["brandubh-1"]
    bot = ready(parts, game)
    position = game.parse_position(WINS_IN_THREE["king-steps-to-the-edge"][1])
    moves = [bot.play(asked(game, position, number)).moves for number in (20, 20, 24)]
    assert moves[0] == moves[1] == moves[2]
    (seen,) = bot.seen.values()
    left = game.judge(position, (), moves[0]).position
    placements = [parts.board.read(game.to_plain(one)) for one in (position, left)]
    assert parts.bot.drawing(seen, 3) == placements
    assert parts.bot.drawing(seen, 2) == [
        parts.board.read(game.to_plain(game.start())),
        *placements,
    ]
    assert parts.bot.drawing(seen, 0) == []
    bot.match_end(SimpleNamespace(match="r1-anna-v-bo"))
    assert not bot.seen


@pytest.mark.parametrize("version", VERSIONS)
def test_a_bot_that_comes_in_the_middle_of_a_game_plays_on(parts, version):
    game = GAMES[version]
    for position in itertools.islice(played_at_random(game, seed=9, games=5), 0, None, 13):
        moves = ready(parts, game).play(asked(game, position, 17)).moves
        assert hasattr(game.judge(position, (), moves), "position")


@pytest.mark.parametrize(
    ("text", "accepts"),
    [
        ("...b.../......./......./k....../......./......b/...b... black", True),
        (WINS_IN_THREE["king-sees-two-corners"][1], False),
    ],
    ids=["the king has two ways", "a win in three"],
)
def test_it_accepts_a_draw_only_where_it_is_worse_off(parts, text, accepts):
    """T9: and it never offers one."""
    game = GAMES["brandubh-1"]
    answer = ready(parts, game).play(asked(game, game.parse_position(text), 30, draw_offered=True))
    assert isinstance(answer, parts.bot.AcceptDraw) is accepts
    assert accepts or not answer.offers_draw


# Time


@pytest.mark.parametrize("version", VERSIONS)
def test_it_stops_at_its_deadline(parts, version, monkeypatch):
    """On a clock that advances by 1 s with every look at it: it looks often, and leaves at once."""
    game = GAMES[version]
    clock = itertools.count()
    monkeypatch.setattr(parts.search, "time", SimpleNamespace(monotonic=lambda: next(clock)))
    search = parts.search.Search(parts.board.Board(game.ruleset))
    found = search.best(parts.board.read(game.to_plain(game.start())), deadline=20)
    assert next(clock) == 21
    assert search.nodes <= 22 * parts.search.LOOKS_AT_CLOCK
    assert found.depth > parts.search.FIRST


# How it plays


def games_of(run: Run, fixture: str) -> list[dict[str, Any]]:
    """The games of a match that was played to its end; nobody forfeited one."""
    games: list[dict[str, Any]] = run.settled()[fixture]["games"]
    assert {game["cause"] for game in games} == {None}
    return games


@pytest.mark.parametrize("version", VERSIONS)
def test_a_match_against_random(tmp_path: Path, version: str) -> None:
    tournament = {"games": None, "pairs": 2, "ruleset": version}
    run = play(tmp_path, {"ahead": command("--depth", 3), "random": RANDOM}, tournament=tournament)
    winners = [game["winner"] for game in games_of(run, "r1-ahead-v-random")]
    assert winners.count(1) >= 3  # a game in a hundred may be drawn or lost
    assert_verified(run.folder)


@pytest.mark.soak
@pytest.mark.parametrize("version", VERSIONS)
def test_it_plays_by_the_clock(tmp_path: Path, version: str) -> None:
    run = play(
        tmp_path,
        {"ahead": command(), "too": command()},
        tournament={"games": None, "pairs": 1, "ruleset": version},
        clock={"delay_ms": 200, "bank_ms": 5000},
    )
    games_of(run, "r1-ahead-v-too")
    assert_verified(run.folder)


@pytest.mark.soak
@pytest.mark.parametrize("version", VERSIONS)
def test_looking_further_ahead_is_stronger(tmp_path: Path, version: str) -> None:
    """Four plies against two, 10 pairs: by docs/bots.md nine points of ten."""
    tournament = {"games": None, "pairs": 10, "ruleset": version}
    run = play(
        tmp_path,
        {"four": command("--depth", 4), "two": command("--depth", 2)},
        tournament=tournament,
    )
    winners = [game["winner"] for game in games_of(run, "r1-four-v-two")]
    assert winners.count(1) > winners.count(2)
