"""The course of a match: which game is next and who starts it, what the end of a game leads to, who is missing.

`match.py` calls these functions for the second half of an event: each takes the facts so far and
returns the `Step` that the event leads to.

In pairs two games are open at once, and they go on in step:

```
           the other half has come as far                  the other half has called as well
  to call? ---- no choice of dice ----------------> held ------------------------------------> roll
     |  a choice (B11.3): call, answered ----------->                                            |
     |                                                                                           v
     +<----- both have answered, or one is over <------ held <----- answered, or over -------- to play
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

NOBODY: Final = (False, False)


def next_game(match: Match, facts: list[MatchFact], now_ms: int) -> Step:
    """Begin the next game, or a break before it, or wait for a bot that is gone; end the match after all games (M1)."""
    match = _without_deadlines(match)
    standing, terms = match.standing, match.setting.terms
    if standing.started == terms.games:
        facts.append(MatchEnded(at_ms=now_ms, score=standing.score, violations=standing.violations))
        return Step(changed(match, phase="over"), facts)
    if not all(standing.present):
        match = changed(match, startup_due_ms=now_ms + terms.startup_ms, hopeless=NOBODY)
    break_ms = max(standing.breaks_ms)
    if not break_ms:
        return begin_or_wait(match, facts, now_ms)
    for seat in SEATS:
        match = rest(match, seat)
    return Step(
        changed(match, phase="break", has_left=NOBODY, break_due_ms=now_ms + break_ms), facts
    )


def rest(match: Match, seat: Seat) -> Match:
    """A bot rests if it is at the table and has asked for a break."""
    standing = match.standing
    is_resting = standing.present[seat - 1] and standing.breaks_ms[seat - 1] > 0
    return changed(match, resting=put(standing.resting, seat, is_resting))


def leave_in_break(match: Match, seat: Seat, facts: list[MatchFact], now_ms: int) -> Step:
    """A bot has left in a break: it may come back for the next game, as after a game in which it was lost.

    One that nobody brings back is started again once.
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
    """Go on with the break, or end it once both bots are at the table and nobody rests."""
    if not all(match.standing.present):
        return settle_absence(match, facts, now_ms)
    match = changed(match, startup_due_ms=None)
    if any(match.standing.resting):
        return Step(match, facts)
    return end_break(match, facts, now_ms)


def end_break(match: Match, facts: list[MatchFact], now_ms: int) -> Step:
    """The break is over: begin the next game, or wait for a bot that is gone."""
    facts.append(BreakEnded(at_ms=now_ms))
    return begin_or_wait(changed(match, break_due_ms=None, resting=NOBODY), facts, now_ms)


def begin_or_wait(match: Match, facts: list[MatchFact], now_ms: int) -> Step:
    """Begin the next game, or wait for a bot that is gone."""
    if not all(match.standing.present):
        return Step(changed(match, phase="waiting"), facts)
    return _begin(changed(match, phase="playing", startup_due_ms=None), facts, now_ms)


def _begin(match: Match, facts: list[MatchFact], now_ms: int) -> Step:
    """Begin the next game, or the next pair: its second half is the first with the seats swapped."""
    rules, standing = match.setting.rules, match.standing
    is_pair = match.setting.terms.form == "pairs"
    throws: list[Pair] = []
    starter: Seat | None
    if rules.opening == "alternate":
        starter = (
            2 if standing.started % 2 else 1
        )  # T1: seat 1 has Black in the first game, then they take turns
    else:
        # G2: there is a throw before every game; pairs have nothing to do with each other
        starter = (
            None if rules.opening == "higher_starts" or is_pair else standing.starter
        )  # B2.1, B2.2
    if starter is None:
        throw = _throws(match, standing.started + 1, throws)
        if throw is None:
            return Step(match, facts)
        lower: Seat = 1 if throw[0] < throw[1] else 2
        starter = lower if rules.opening == "lower_starts" else other(lower)
    opened: list[GameState] = []
    for seat in (starter, other(starter)) if is_pair else (starter,):
        number = standing.started + len(opened) + 1
        opened.append(
            games.open_game(match.setting, number=number, starter=seat, dealt=2 * len(throws))
        )
        opening = tuple(throws) if seat == starter else tuple((two, one) for one, two in throws)
        facts.append(GameStarted(at_ms=now_ms, game=number, starter=seat, opening=opening))
    match = Match(match.setting, replace(standing, started=opened[-1].number), tuple(opened))
    if throws and rules.opening == "higher_starts":  # G2: the throw is the first roll
        match = Match(
            match.setting,
            match.standing,
            tuple(replace(game, dice=throws[-1]) for game in match.games),
        )
        return Step(match, facts, [game.number for game in match.games])
    return to_roll(match, facts)


def _throws(match: Match, number: int, throws: list[Pair]) -> Pair | None:
    """Throw for the start of a game until the dice differ (B2.1, G2); adds every throw.

    None if one is not known.
    """
    dealer = match.standing.dealer
    assert dealer is not None, "both bots have given their entropy"
    while (throw := dealer.throw(number, len(throws))) is not None:
        throws.append(throw)
        if throw[0] != throw[1]:
            return throw
    return None


def game_over(
    match: Match, game: GameState, result: Result, facts: list[MatchFact], now_ms: int
) -> Step:
    """A game is over by a turn, an agreement, a rejection too many or a flag."""
    if len(match.games) > 1:
        game = replace(game, written_ms=None, due_ms=None, calls=())
        return hold(match, game, Held(result=result), facts, now_ms)
    return next_game(_count(match, [(game, result)], facts, now_ms), facts, now_ms)


def hold(match: Match, game: GameState, held: Held, facts: list[MatchFact], now_ms: int) -> Step:
    """Hold one half of a pair until the other has come as far; then both go on."""
    match = with_game(match, replace(game, held=held))
    halves = [(half, half.held) for half in match.games if half.held is not None]
    if len(halves) < len(match.games):
        return Step(match, facts)
    over = [(half, held.result) for half, held in halves if held.result is not None]
    if len(over) == len(halves):
        return next_game(_count(match, over, facts, now_ms), facts, now_ms)
    if over:
        match = _count(match, over, facts, now_ms)
    if any(held.dice is not None for _, held in halves):
        return _roll_together(match, facts)
    released = tuple(replace(half, held=None) for half in match.games)
    return to_roll(Match(match.setting, match.standing, released), facts)


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
            match = with_game(
                match, replace(half, held=Held(dice=rules.dice_to_roll(half.position)))
            )
    if all(half.held for half in match.games):
        return _roll_together(match, facts)
    return Step(match, facts, questions)


def to_roll_alone(
    match: Match, game: GameState, facts: list[MatchFact], called: int | None = None
) -> Step:
    """Roll for the side to move of the one open game, or ask it first how many dice it wants (B11.3).

    `called` is how many it has called for.
    """
    setting, standing = match.setting, match.standing
    if called is None:
        rules, position = setting.rules, game.position
        calls = rules.dice_to_call(position)
        if calls:
            return Step(
                Match(setting, standing, (replace(game, calls=calls),)), facts, (game.number,)
            )
        called = rules.dice_to_roll(position)
    game = _roll(standing, game, called)
    return Step(
        Match(setting, standing, (game,)), facts, () if game.dice is None else (game.number,)
    )


def _roll(standing: MatchStanding, game: GameState, dice: int) -> GameState:
    """The game with its roll, if the roll is known; a game without dice has an empty one."""
    if not dice:
        return replace(game, dice=(), calls=())
    assert standing.dealer is not None, "both bots have given their entropy"
    rolled = standing.dealer.roll(game.number, game.turn, game.dealt, dice)
    return replace(game, dice=rolled, calls=(), dealt=game.dealt + dice)


def _roll_together(match: Match, facts: list[MatchFact]) -> Step:
    rolled = []
    for half in match.games:
        assert half.held is not None, "it stands before its roll"
        rolled.append(replace(_roll(match.standing, half, half.held.dice or 0), held=None))
    questions = [half.number for half in rolled if half.dice is not None]
    return Step(Match(match.setting, match.standing, tuple(rolled)), facts, questions)


def _count(
    match: Match, over: Sequence[tuple[GameState, Result]], facts: list[MatchFact], now_ms: int
) -> Match:
    """Count games that are over.

    The loser starts the next game; after a draw the other side starts (B2.2).
    """
    score, starter = match.standing.score, match.standing.starter
    for game, result in over:
        if result.winner is not None:
            score = add(score, result.winner, result.points)
        starter = other(game.starter if result.winner is None else result.winner)
        facts.append(
            GameEnded(
                at_ms=now_ms, game=game.number, turns=game.turn - 1, result=result, score=score
            )
        )
    gone = [game.number for game, _ in over]
    left = tuple(game for game in match.games if game.number not in gone)
    return Match(match.setting, replace(match.standing, score=score, starter=starter), left)


def lose_open_games(match: Match, seat: Seat, facts: list[MatchFact], now_ms: int) -> Step:
    """A bot that left has not come back: it forfeits its open games.

    If both are gone, the match is void.
    """
    if not any(match.standing.present):
        return void_match(match, Said("void.both_gone"), facts, now_ms)
    match = changed(match, grace_due_ms=put(match.standing.grace_due_ms, seat, None))
    return next_game(
        _count(match, _forfeited(match, seat, "disconnect"), facts, now_ms), facts, now_ms
    )


def _forfeited(match: Match, seat: Seat, cause: Cause) -> list[tuple[GameState, Result]]:
    """The ends of all open games, forfeited by a seat.

    A half that is already decided keeps its result.
    """
    lost = games.forfeit(match.setting.rules, seat, cause)
    return [(game, (game.held and game.held.result) or lost) for game in match.games]


def settle_absence(match: Match, facts: list[MatchFact], now_ms: int) -> Step:
    """While no clock runs: once every absent bot is known to stay away, it forfeits all games that are left.

    So does one that is there, but has not revealed its entropy in time.
    """
    standing = match.standing
    if any(
        not here and not gone
        for here, gone in zip(standing.present, standing.hopeless, strict=True)
    ):
        return Step(match, facts)
    late = [seat for seat in SEATS if standing.hopeless[seat - 1]]
    if len(late) == 2:
        reason = Said("void.no_reveal" if any(standing.present) else "void.no_show")
        return void_match(match, reason, facts, now_ms)
    if not late:
        return Step(match, facts)
    return lose_match(
        match, late[0], "no_reveal" if standing.present[late[0] - 1] else "no_show", facts, now_ms
    )


def lose_match(match: Match, seat: Seat, cause: Cause, facts: list[MatchFact], now_ms: int) -> Step:
    """A bot forfeits the open games and all that are left."""
    match = changed(match, violations=add(match.standing.violations, seat, 1))
    match = _count(match, _forfeited(match, seat, cause), facts, now_ms)
    for number in range(match.standing.started + 1, match.setting.terms.games + 1):
        result = games.forfeit(match.setting.rules, seat, cause)
        score = add(match.standing.score, other(seat), result.points)
        match = changed(match, score=score, started=number)
        facts.append(GameEnded(at_ms=now_ms, game=number, turns=0, result=result, score=score))
    return next_game(match, facts, now_ms)


def void_match(match: Match, reason: Said, facts: list[MatchFact], now_ms: int) -> Step:
    """The match counts for neither side."""
    facts.append(MatchVoided(at_ms=now_ms, reason=reason, violations=match.standing.violations))
    over = changed(_without_deadlines(match), phase="over")
    return Step(Match(over.setting, over.standing), facts)


def _without_deadlines(match: Match) -> Match:
    """The match while it waits for nobody."""
    return changed(
        match, startup_due_ms=None, break_due_ms=None, resting=NOBODY, grace_due_ms=(None, None)
    )
