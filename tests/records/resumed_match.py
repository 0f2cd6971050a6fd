"""A match of bots that always do the same in the same position, played through, or interrupted after any line."""

from typing import Any

from msgspec.structs import replace

from arena.games import Game, load_game
from arena.matches.events import MatchStopped
from arena.matches.facts import BotReturned, Fact, MatchResumed, Terms
from arena.matches.state import can_go_on
from arena.matches.time_control import TimeControl
from arena.records.facts import STOPPED
from arena.records.replay import Replay
from tests.matches.caller import CALLER, by_these_rules
from tests.matches.sitting import VASA, Sitting

SERIES = Terms(
    games=3,
    clock=TimeControl(delay_ms=100, bank_ms=2000),
    rejections=1,
    turn_limit=9,
    startup_ms=5000,
)
PAIRS = Terms(
    form="pairs",
    games=4,
    clock=TimeControl(delay_ms=100, bank_ms=2000),
    rejections=1,
    turn_limit=9,
    startup_ms=5000,
)
MATCHES: dict[str, tuple[Game[Any], Terms]] = {
    "series": (VASA, SERIES),
    "calls": (CALLER, SERIES),
    "backgammon": (load_game("backgammon"), SERIES),
    "brandubh": (load_game("brandubh-2"), SERIES),
    "breaks": (VASA, SERIES),
    "pairs": (VASA, PAIRS),
    "pairs with breaks": (VASA, PAIRS),
    "pairs with calls": (CALLER, PAIRS),
    "pairs of brandubh": (load_game("brandubh-2"), PAIRS),
}


ONLY_THEN = (MatchResumed, BotReturned)
"""What only an interruption leads to, or an absence that it may cut short."""


def begin(kind: str) -> Sitting:
    """A match before anybody has come."""
    rules, terms = MATCHES[kind]
    sitting = Sitting(rules=rules, terms=terms)
    if "breaks" in kind:
        sitting.breaks_ms = (3000, 0)
    return sitting


def play_out(sitting: Sitting) -> Sitting:
    """Both bots come if they are not there, and play to the end: what they do follows from what they are asked.

    There are illegal turns, one too many, offers of draws, a lost connection, and in a series a
    flag.
    """
    sitting.ready(
        *(seat for seat in (1, 2) if not sitting.match.standing.present[seat - 1]), entropy="0a"
    )
    while not sitting.is_over:
        if sitting.match.standing.phase == "break":
            rest(sitting)
            continue
        game = min(sitting.asked, key=lambda one: (one.turn, -one.number))
        sitting.at(game.number)
        if (game.number, game.turn) >= (2, 3) and sitting.match.standing.violations[0] == 0:
            sitting.leaves(1)
            sitting.ready(1)
        if sitting.opened.terms.form == "series":
            sitting.waits(5000 if (game.number, game.turn) == (3, 5) else game.turn * 37 % 150)
        if sitting.opened.terms.form == "pairs" or game.number < 3 or game.turn != 5:
            answer(sitting)
    return sitting


def rest(sitting: Sitting) -> None:
    """The first break ends when the bot that has asked for it is ready, any other one by itself."""
    if sitting.match.standing.started < 2 or sitting.opened.terms.form == "pairs":
        sitting.waits(500)
        sitting.rested(1)
    else:
        sitting.waits(3001)


def answer(sitting: Sitting) -> None:
    """What the bot to move says in this position."""
    game, rules = sitting.game, sitting.rules
    is_fresh = game.rejections[game.mover - 1] == 0 or (game.number, game.turn) == (1, 5)
    if game.calls:
        sitting.calls(5 if game.turn == 4 and is_fresh else game.calls[game.turn % len(game.calls)])
    elif rules.agreement and game.draw_offered and (game.number + game.turn) % 4 == 0:
        sitting.accepts_draw()
    elif is_fresh and game.turn % 4 == game.number % 4:
        sitting.plays_illegally()
    else:
        moves = sitting.legal[game.turn * 7 % len(sitting.legal)].moves
        sitting.plays(moves, info=game.turn, offers_draw=bool(rules.agreement) and game.turn > 5)


def interrupt(sitting: Sitting, kept: int, *, after_ms: int = 3_600_000) -> Sitting:
    """The same match after the arena was gone, and all of its record but so many facts: as it is resumed later."""
    with by_these_rules(sitting.rules):
        replay = Replay(sitting.opened, sitting.seed, "here")
    facts: list[Fact] = list(sitting.facts[:kept])
    for fact in facts[1:]:
        replay.check(fact, "here")
    again = Sitting(rules=sitting.rules, seed=sitting.seed, opened=sitting.opened)
    again.breaks_ms = sitting.breaks_ms
    again.now_ms = facts[-1].at_ms + after_ms
    again.facts = [*facts, *replay.missing()]
    again.match = replay.match
    if not again.is_over and not can_go_on(again.match):
        again.happens(MatchStopped(at_ms=again.now_ms, reason=STOPPED))
    if not again.is_over:
        again.resumes()
    return again


def told(sitting: Sitting) -> list[Fact]:
    """Every fact of a match without its time, and without what only an interruption leads to."""
    return [replace(fact, at_ms=0) for fact in sitting.facts if not isinstance(fact, ONLY_THEN)]
