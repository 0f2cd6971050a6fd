"""The course of a match: which game is next, who starts it, what its end leads to, who is missing.

`match.py` calls these functions for the second half of an event: each takes the facts so far and
returns the `Step` that the event leads to.

In pairs two games are open at once, and they go on in step:

```
           the other half has come as far                  the other half has called as well
  to call? ---- no choice of dice --------------> held -----------------------------------> roll
     |  a choice (B11.3): call, answered --------->                                           |
     |                                                                                        v
     +<----- both have answered, or one is over <---- held <----- answered, or over ------ to play
```

Between two games, or pairs, bots may rest that have asked for a break. No clock runs then, and
nothing is rolled.

Laws: no turn, roll or end of a game is made known before both halves have come as far. So both
halves roll at the same step, with the same number of turns played. Nothing waits for a half that is
over. Each half has its own clocks, and they stand still while the half is held.
"""

from collections.abc import Sequence
from typing import Final

from msgspec.structs import replace

from arena.games.result import Cause, Result, Seat
from arena.matches import game as games
from arena.matches.facts import (
    BreakEnded,
    GameEnded,
    GameStarted,
    MatchEnded,
    MatchFact,
    MatchVoided,
    Pair,
)
from arena.matches.state import (
    SEATS,
    GameState,
    Held,
    Match,
    MatchStanding,
    Step,
    add,
    changed,
    other,
    put,
    with_game,
)
from arena.words import Said

NEITHER: Final = (False, False)


def next_game(match: Match, facts: list[MatchFact], now_ms: int) -> Step:
    """Begin the next game, or a break before it, or wait for a bot that is gone.

    After all games, end the match (M1).
    """
    match = _without_deadlines(match)
    standing, terms = match.standing, match.setting.terms
    if standing.started == terms.games:
        facts.append(MatchEnded(at_ms=now_ms, score=standing.score, violations=standing.violations))
        return Step(changed(match, phase="over"), facts)
    if not all(standing.present):
        match = changed(match, startup_due_ms=now_ms + terms.startup_ms, hopeless=NEITHER)
    break_ms = max(standing.breaks_ms)
    if not break_ms:
        return begin_or_wait(match, facts, now_ms)
    for seat in SEATS:
        match = rest(match, seat)
    match = changed(match, phase="break", has_left=NEITHER, break_due_ms=now_ms + break_ms)
    return Step(match, facts)


def rest(match: Match, seat: Seat) -> Match:
    """Let a bot rest if it is at the table and has asked for a break."""
    standing = match.standing
    is_resting = standing.present[seat - 1] and standing.breaks_ms[seat - 1] > 0
    return changed(match, resting=put(standing.resting, seat, is_resting))


def leave_in_break(match: Match, seat: Seat, facts: list[MatchFact], now_ms: int) -> Step:
    """Note that a bot has left in a break.

    It may come back for the next game, as after a game in which it was lost. A bot that does not
    come back by itself is started again once.
    """
    standing = match.standing
    due_ms = standing.startup_due_ms
    if due_ms is None:
        due_ms = now_ms + match.setting.terms.startup_ms
    is_hopeless = standing.hopeless[seat - 1] and standing.has_left[seat - 1]
    match = changed(
        match,
        hopeless=put(standing.hopeless, seat, is_hopeless),
        has_left=put(standing.has_left, seat, True),
        startup_due_ms=due_ms,
    )
    return settle_absence(rest(match, seat), facts, now_ms)


def go_on_resting(match: Match, facts: list[MatchFact], now_ms: int) -> Step:
    """Go on with the break, or end it once both bots are at the table and neither rests."""
    if not all(match.standing.present):
        return settle_absence(match, facts, now_ms)
    match = changed(match, startup_due_ms=None)
    if any(match.standing.resting):
        return Step(match, facts)
    return end_break(match, facts, now_ms)


def end_break(match: Match, facts: list[MatchFact], now_ms: int) -> Step:
    """End the break: begin the next game, or wait for a bot that is gone."""
    facts.append(BreakEnded(at_ms=now_ms))
    return begin_or_wait(changed(match, break_due_ms=None, resting=NEITHER), facts, now_ms)


def begin_or_wait(match: Match, facts: list[MatchFact], now_ms: int) -> Step:
    """Begin the next game, or wait for a bot that is gone."""
    if not all(match.standing.present):
        return Step(changed(match, phase="waiting"), facts)
    return _begin(changed(match, phase="playing", startup_due_ms=None), facts, now_ms)


def _begin(match: Match, facts: list[MatchFact], now_ms: int) -> Step:
    """Begin the next game, or the next pair: its second half has the seats swapped."""
    setting, standing = match.setting, match.standing
    starter = _starter_without_throw(match)
    throws: tuple[Pair, ...] = ()
    if starter is None:
        throws = _throws(match, standing.started + 1)
        if not throws:
            return Step(match, facts)  # the dice are not known
        starter = _starter_by_throw(match, throws[-1])
    seats: tuple[Seat, ...] = (starter,)
    if setting.terms.form == "pairs":
        seats = (starter, other(starter))
    swapped_throws = _swapped(throws)
    opened: list[GameState] = []
    for seat in seats:
        number = standing.started + len(opened) + 1
        opened.append(games.open_game(setting, number=number, starter=seat, dealt=2 * len(throws)))
        opening = throws if seat == starter else swapped_throws
        facts.append(GameStarted(at_ms=now_ms, game=number, starter=seat, opening=opening))
    standing = replace(standing, started=opened[-1].number)
    if throws and setting.rules.opening == "higher_starts":  # G2: the throw is the first roll
        rolled = tuple(replace(game, dice=throws[-1]) for game in opened)
        return Step(Match(setting, standing, rolled), facts, [game.number for game in rolled])
    return to_roll(Match(setting, standing, tuple(opened)), facts)


def _swapped(throws: tuple[Pair, ...]) -> tuple[Pair, ...]:
    """Return throws with the seats swapped."""
    return tuple((second, first) for first, second in throws)


def _starter_without_throw(match: Match) -> Seat | None:
    """Return who starts the next game if no throw decides it."""
    opening, standing = match.setting.rules.opening, match.standing
    if opening == "alternate":  # T1: seat 1 has Black in the first game, then they take turns
        return 2 if standing.started % 2 else 1
    if opening == "higher_starts":  # G2: there is a throw before every game
        return None
    if match.setting.terms.form == "pairs":  # pairs have nothing to do with each other
        return None
    return standing.starter  # B2.1, B2.2


def _starter_by_throw(match: Match, throw: Pair) -> Seat:
    """Return who starts after a throw of unequal dice (B2.1, G2)."""
    first, second = throw
    lower: Seat = 1 if first < second else 2
    if match.setting.rules.opening == "lower_starts":
        return lower
    return other(lower)


def _throws(match: Match, number: int) -> tuple[Pair, ...]:
    """Throw for the start of a game until the dice differ (B2.1, G2).

    Returns every throw, or none if one of them is not known.
    """
    dealer = match.standing.dealer
    assert dealer is not None, "both bots have given their entropy"
    throws: list[Pair] = []
    while True:
        throw = dealer.throw(number, len(throws))
        if throw is None:
            return ()
        throws.append(throw)
        first, second = throw
        if first != second:
            return tuple(throws)


def game_over(
    match: Match, game: GameState, result: Result, facts: list[MatchFact], now_ms: int
) -> Step:
    """End a game by a turn, an agreement, a rejection too many or a flag."""
    if len(match.games) > 1:
        game = replace(game, written_ms=None, due_ms=None, calls=())
        return hold(match, game, Held(result=result), facts, now_ms)
    return next_game(_count(match, [(game, result)], facts, now_ms), facts, now_ms)


def hold(match: Match, game: GameState, until: Held, facts: list[MatchFact], now_ms: int) -> Step:
    """Hold one half of a pair until the other has come as far; then both go on."""
    match = with_game(match, replace(game, held=until))
    if any(half.held is None for half in match.games):
        return Step(match, facts)
    is_to_roll = any(half.held and half.held.dice is not None for half in match.games)
    over = _halves_over(match)
    if over:
        match = _count(match, over, facts, now_ms)
    if not match.games:
        return next_game(match, facts, now_ms)
    if is_to_roll:
        return _roll_together(match, facts)
    released = tuple(replace(half, held=None) for half in match.games)
    return to_roll(Match(match.setting, match.standing, released), facts)


def _halves_over(match: Match) -> list[tuple[GameState, Result]]:
    """Return the halves of a pair that are over, with their results."""
    return [
        (half, half.held.result)
        for half in match.games
        if half.held is not None and half.held.result is not None
    ]


def to_roll(match: Match, facts: list[MatchFact]) -> Step:
    """Roll for the side to move, or ask it first how many dice it wants (B11.3).

    Both halves of a pair come here together. Neither is rolled for before the other has called.
    """
    if len(match.games) == 1:
        return to_roll_alone(match, match.games[0], facts)
    rules, questions = match.setting.rules, []
    for half in match.games:
        calls = rules.dice_to_call(half.position)
        if calls:
            match = with_game(match, replace(half, calls=calls))
            questions.append(half.number)
        else:
            dice = rules.dice_to_roll(half.position)
            match = with_game(match, replace(half, held=Held(dice=dice)))
    if not questions:
        return _roll_together(match, facts)
    return Step(match, facts, questions)


def to_roll_alone(
    match: Match, game: GameState, facts: list[MatchFact], called: int | None = None
) -> Step:
    """Roll for the side to move of the one open game, or ask it first for its dice (B11.3).

    `called` is the number of dice that it has called for.
    """
    setting, standing = match.setting, match.standing
    if called is None:
        rules, position = setting.rules, game.position
        calls = rules.dice_to_call(position)
        if calls:
            game = replace(game, calls=calls)
            return Step(Match(setting, standing, (game,)), facts, (game.number,))
        called = rules.dice_to_roll(position)
    game = _roll(standing, game, called)
    match = Match(setting, standing, (game,))
    if game.dice is None:
        return Step(match, facts)
    return Step(match, facts, (game.number,))


def _roll(standing: MatchStanding, game: GameState, dice: int) -> GameState:
    """Return the game with its roll, if the roll is known; without dice it is an empty one."""
    if not dice:
        return replace(game, dice=(), calls=())
    assert standing.dealer is not None, "both bots have given their entropy"
    rolled = standing.dealer.roll(game.number, game.turn, game.dealt, dice)
    return replace(game, dice=rolled, calls=(), dealt=game.dealt + dice)


def _roll_together(match: Match, facts: list[MatchFact]) -> Step:
    """Roll for both halves of a pair, which wait for it, or for the one that is not over."""
    rolled = []
    for half in match.games:
        assert half.held is not None, "it stands before its roll"
        half = _roll(match.standing, half, half.held.dice or 0)
        rolled.append(replace(half, held=None))
    questions = [half.number for half in rolled if half.dice is not None]
    return Step(Match(match.setting, match.standing, tuple(rolled)), facts, questions)


def _count(
    match: Match, over: Sequence[tuple[GameState, Result]], facts: list[MatchFact], now_ms: int
) -> Match:
    """Count games that are over.

    The loser starts the next game; after a draw the other side starts (B2.2).
    """
    score, starter = match.standing.score, match.standing.starter
    numbers = set()
    for game, result in over:
        if result.winner is None:
            starter = other(game.starter)
        else:
            score = add(score, result.winner, result.points)
            starter = other(result.winner)
        numbers.add(game.number)
        facts.append(
            GameEnded(
                at_ms=now_ms, game=game.number, turns=game.turn - 1, result=result, score=score
            )
        )
    open_games = tuple(game for game in match.games if game.number not in numbers)
    standing = replace(match.standing, score=score, starter=starter)
    return Match(match.setting, standing, open_games)


def lose_open_games(match: Match, seat: Seat, facts: list[MatchFact], now_ms: int) -> Step:
    """Let a bot that left and has not come back forfeit its open games.

    If both are gone, the match is void.
    """
    if not any(match.standing.present):
        return void_match(match, Said("void.both_gone"), facts, now_ms)
    match = changed(match, grace_due_ms=put(match.standing.grace_due_ms, seat, None))
    match = _count(match, _forfeited(match, seat, "disconnect"), facts, now_ms)
    return next_game(match, facts, now_ms)


def _forfeited(match: Match, seat: Seat, cause: Cause) -> list[tuple[GameState, Result]]:
    """Return the results of all open games, forfeited by a seat.

    A half that is already decided keeps its result.
    """
    lost = games.forfeit(match.setting.rules, seat, cause)
    forfeited = []
    for game in match.games:
        decided = game.held.result if game.held else None
        forfeited.append((game, decided or lost))
    return forfeited


def settle_absence(match: Match, facts: list[MatchFact], now_ms: int) -> Step:
    """Once every absent bot is known to stay away, let it forfeit all games to come.

    So does one that is there, but has not revealed its entropy in time. No clock runs now.
    """
    standing = match.standing
    for is_present, is_hopeless in zip(standing.present, standing.hopeless, strict=True):
        if not is_present and not is_hopeless:
            return Step(match, facts)
    late = [seat for seat in SEATS if standing.hopeless[seat - 1]]
    if len(late) == 2:
        reason = "void.no_reveal" if any(standing.present) else "void.no_show"
        return void_match(match, Said(reason), facts, now_ms)
    if not late:
        return Step(match, facts)
    [seat] = late
    cause: Cause = "no_reveal" if standing.present[seat - 1] else "no_show"
    return lose_match(match, seat, cause, facts, now_ms)


def lose_match(match: Match, seat: Seat, cause: Cause, facts: list[MatchFact], now_ms: int) -> Step:
    """Let a bot forfeit the open games and all games to come."""
    match = changed(match, violations=add(match.standing.violations, seat, 1))
    match = _count(match, _forfeited(match, seat, cause), facts, now_ms)
    for number in range(match.standing.started + 1, match.setting.terms.games + 1):
        result = games.forfeit(match.setting.rules, seat, cause)
        score = add(match.standing.score, other(seat), result.points)
        match = changed(match, score=score, started=number)
        facts.append(GameEnded(at_ms=now_ms, game=number, turns=0, result=result, score=score))
    return next_game(match, facts, now_ms)


def void_match(match: Match, reason: Said, facts: list[MatchFact], now_ms: int) -> Step:
    """Void the match: it counts for neither side."""
    facts.append(MatchVoided(at_ms=now_ms, reason=reason, violations=match.standing.violations))
    over = changed(_without_deadlines(match), phase="over")
    return Step(Match(over.setting, over.standing), facts)


def _without_deadlines(match: Match) -> Match:
    """Return the match without any deadline for its bots."""
    return changed(
        match, startup_due_ms=None, break_due_ms=None, resting=NEITHER, grace_due_ms=(None, None)
    )
