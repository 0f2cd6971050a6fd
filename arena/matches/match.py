"""A match between two bots: who is at the table, which game is next, how it ends (M1, B2, T1).

```
      both ready, entropies revealed    every game over
  opening ------------> playing --------------------> over
     |                  |  ^  ^ |                       ^
     |   game over, and |  |  | | bot gone              |
     |   a bot asks for |  |  | | (between games),      |
     |   a break        v  |  | | or arena interrupted  |
     |                 break  | |                       |
     |    its end, but  |     | | both at the table     |
     |    a bot is gone v     | v                       |
     |                  waiting                         |
     |                     |                            |
     +---------------------+----------------------------+
                 start-up deadline: forfeit, or void if both are gone
```

`advance` takes a match and an event and returns a `Step`: the match after the event, the facts to
record, and the games whose turn must now be put to a bot. `_POSSIBLE` says which event may come in
which phase; any other event is our own mistake, an `AssertionError`. The dice come from the dealer
that the match was opened with.

Laws:

- A fact is made once and never taken back, not even when the arena is interrupted.
- A bot that left loses by its clock or by its grace, by the one that ends first. The last loss that
  is allowed (`MOST_LOSSES`) ends the match for it.
- Time that ran out before an event can have happened is judged before the event. What ran out first
  is judged first, however late the arena hears of it.
- A match that both bots have left is void, not lost.
- The clock of a question begins when the question is written to the bot.
- In a break no clock runs and nothing is rolled. It ends when every bot at the table that asked for
  it is ready, and both are there; or when its time is over.
- No bot reveals its entropy before both have committed to theirs, and no commitment changes after
  that.
"""

import hashlib
from collections.abc import Callable
from typing import Any, Final

from msgspec import UNSET

from arena.games import Game
from arena.matches import course, events
from arena.matches import game as games
from arena.matches.facts import (
    BotLeft,
    BotMissing,
    BotReady,
    BotReturned,
    DiceCalled,
    EntropyRevealed,
    MatchFact,
    MatchOpened,
    MatchResumed,
    ReceiptDisputed,
    ReceiptSigned,
    TurnPlayed,
)
from arena.matches.state import (
    MOST_LOSSES,
    SEATS,
    Deal,
    GameState,
    Held,
    Match,
    MatchStanding,
    Phase,
    Setting,
    Step,
    add,
    can_go_on,
    changed,
    due_ms,
    put,
    to_reveal,
    with_game,
)


def open_match(rules: Game[Any], opened: MatchOpened, deal: Deal) -> Match:
    """Return a match before a bot has sat down; both have until the start-up deadline.

    `opened` is the first fact.
    """
    setting = Setting(rules=rules, opened=opened, terms=opened.terms, deal=deal)
    return Match(setting, MatchStanding(startup_due_ms=opened.at_ms + opened.terms.startup_ms))


def advance(match: Match, event: events.Event) -> Step:
    """Take an event. Raises `AssertionError` for an event that cannot come now."""
    phase = match.standing.phase
    handler = _POSSIBLE[phase].get(event.__class__)
    assert handler is not None, f"{event.__class__.__name__} cannot come in a match that is {phase}"
    return handler(match, event)


def written(match: Match, number: int, at_ms: int) -> tuple[Match, int | None]:
    """Start the clock of a game whose question was written, or would be to a connected bot.

    Returns the match, and the first millisecond after the time that the question has. Nothing
    changes, and the time is None, if the game is over or its clock runs already.
    """
    if match.standing.phase == "playing":
        for game in match.games:
            if game.number == number and game.written_ms is None and game.held is None:
                game = games.written(game, match.setting.terms.clock, at_ms)
                assert game.due_ms is not None, "its clock runs now"
                return with_game(match, game), game.due_ms + 1
    return match, None


# At the seats


def _at_seat(match: Match, event: events.AtSeat) -> Step:
    """Take an event at a seat; what ran out before it is judged first, and may end the match."""
    step = _caught_up(match, event.at_ms, event.lag_ms)
    if step.match.is_over:
        return step
    return _joined(step, _AT_SEAT[event.__class__](step.match, event))


def _bot_arrived(match: Match, event: events.BotArrived) -> Step:
    """Seat a bot; a game goes on, or begins, when both are there."""
    facts: list[MatchFact] = []
    standing, seat, at_ms = match.standing, event.seat, event.at_ms
    if standing.present[seat - 1]:
        return Step(match)
    lag, break_ms = event.lag_ms or UNSET, event.break_ms or UNSET
    ready, entropies = standing.ready, standing.entropies
    if None in ready:  # no bot has been asked to reveal anything yet
        fact = BotReady(
            at_ms=at_ms,
            seat=seat,
            entrant=event.entrant,
            commitment=event.commitment,
            break_ms=break_ms,
            lag_ms=lag,
        )
        ready = put(ready, seat, fact)
        entropies = put(entropies, seat, "" if event.commitment is None else None)
        facts.append(fact)
    else:
        facts.append(BotReturned(at_ms=at_ms, seat=seat, break_ms=break_ms, lag_ms=lag))
    match = changed(
        match,
        ready=ready,
        entropies=entropies,
        present=put(standing.present, seat, True),
        hopeless=put(standing.hopeless, seat, False),
        grace_due_ms=put(standing.grace_due_ms, seat, None),
        breaks_ms=put(standing.breaks_ms, seat, event.break_ms),
    )
    if standing.phase == "playing":
        return Step(match, facts)
    if standing.phase == "break":
        return course.go_on_resting(course.rest(match, seat), facts, at_ms)
    if None in standing.ready and to_reveal(match):
        # it was the last to commit, and takes no time from the other
        match = changed(match, startup_due_ms=at_ms + match.setting.terms.startup_ms)
    return _with_dice(match, facts, at_ms)


def _ready_for_game(match: Match, event: events.ReadyForGame) -> Step:
    """End the rest of a bot that is ready; if the break was over before, that is judged first."""
    standing = match.standing
    if standing.phase != "break":
        return Step(match)
    match = changed(match, resting=put(standing.resting, event.seat, False))
    return course.go_on_resting(match, [], event.at_ms)


def _entropy_given(match: Match, event: events.EntropyGiven) -> Step:
    """Take the entropy that a bot reveals, if it is the one that it has committed to."""
    seat, at_ms, ready = event.seat, event.at_ms, match.standing.ready[event.seat - 1]
    if seat not in to_reveal(match) or ready is None:
        return Step(match)
    facts: list[MatchFact] = [
        EntropyRevealed(at_ms=at_ms, seat=seat, entropy=event.entropy, lag_ms=event.lag_ms or UNSET)
    ]
    if hashlib.sha256(bytes.fromhex(event.entropy)).hexdigest() != ready.commitment:
        return course.lose_match(match, seat, "no_reveal", facts, at_ms)
    entropies = put(match.standing.entropies, seat, event.entropy)
    return _with_dice(changed(match, entropies=entropies), facts, at_ms)


def _with_dice(match: Match, facts: list[MatchFact], at_ms: int) -> Step:
    """Deal the dice when both bots have revealed, and go on when both are there as well."""
    first, second = match.standing.entropies
    if match.standing.dealer is None and first is not None and second is not None:
        match = changed(match, dealer=match.setting.deal(first, second))
    if match.standing.dealer is None or not all(match.standing.present):
        return course.settle_absence(match, facts, at_ms)
    if not match.games:
        return course.begin_or_wait(match, facts, at_ms)
    # the arena was interrupted in these games
    questions = [game.number for game in match.games if game.held is None]
    return Step(changed(match, phase="playing", startup_due_ms=None), facts, questions)


def _bot_lost(match: Match, event: events.BotLost) -> Step:
    """Note that a bot has lost its connection, or that it will not have one.

    Its clock and its grace run, unless it is known not to come back.
    """
    standing, seat, at_ms = match.standing, event.seat, event.at_ms
    if not standing.present[seat - 1]:
        return _missed(match, event)
    counted = 0 if event.is_blameless else 1
    losses = add(standing.losses, seat, counted)
    is_last_loss = counted == 1 and losses[seat - 1] == MOST_LOSSES
    grace_ms = 0 if is_last_loss else event.grace_ms
    facts: list[MatchFact] = [_bot_left(event, grace_ms)]
    match = changed(
        match,
        present=put(standing.present, seat, False),
        hopeless=put(standing.hopeless, seat, grace_ms == 0),
        violations=add(standing.violations, seat, counted),
        losses=losses,
    )
    if is_last_loss:
        return course.lose_match(match, seat, "disconnect", facts, at_ms)
    if standing.phase == "break":
        return course.leave_in_break(match, seat, facts, at_ms)
    if standing.phase != "playing":
        return course.settle_absence(match, facts, at_ms)
    match = changed(match, grace_due_ms=put(standing.grace_due_ms, seat, at_ms + grace_ms))
    if grace_ms == 0:
        return course.lose_open_games(match, seat, facts, at_ms)
    return Step(match, facts)


def _bot_left(event: events.BotLost, grace_ms: int) -> BotLeft:
    """Return the fact that a bot has lost its connection."""
    return BotLeft(
        at_ms=event.at_ms,
        seat=event.seat,
        reason=event.reason,
        grace_ms=grace_ms,
        blameless=event.is_blameless or UNSET,
        lag_ms=event.lag_ms or UNSET,
    )


def _missed(match: Match, event: events.BotLost) -> Step:
    """Note that a bot that is away will not come, if that is known."""
    standing, seat, at_ms = match.standing, event.seat, event.at_ms
    if event.grace_ms or standing.phase == "playing":
        return Step(match)  # the match knows that it is away; it may still come
    match = changed(match, hopeless=put(standing.hopeless, seat, True))
    lag = event.lag_ms or UNSET
    missing = BotMissing(at_ms=at_ms, seat=seat, reason=event.reason, lag_ms=lag)
    return course.settle_absence(match, [missing], at_ms)


def _resumed(match: Match, event: events.ArenaResumed) -> Step:
    """Go on after the arena was gone: both bots have to come back to the table."""
    standing = match.standing
    assert match.games or standing.phase != "playing", "the throw for the start comes first"
    assert can_go_on(match), "it is played again instead"
    match = Match(match.setting, standing, tuple(games.interrupted(game) for game in match.games))
    break_due_ms = standing.break_due_ms
    if break_due_ms is not None:
        break_due_ms += event.at_ms - event.last_ms
    phase = standing.phase
    if phase == "playing":
        phase = "waiting"
    match = changed(
        match,
        phase=phase,
        present=course.NEITHER,
        hopeless=course.NEITHER,
        resting=course.NEITHER,
        break_due_ms=break_due_ms,
        startup_due_ms=event.at_ms + match.setting.terms.startup_ms,
        grace_due_ms=(None, None),
    )
    return Step(match, [MatchResumed(at_ms=event.at_ms)])


def _stopped(match: Match, event: events.MatchStopped) -> Step:
    """Void the match, as the arena stops it."""
    return course.void_match(match, event.reason, [], event.at_ms)


def _receipt_answered(match: Match, event: events.ReceiptAnswered) -> Step:
    """Note that a bot has signed a receipt, or disputes it, also when the match is over."""
    at_ms, seat, lines = event.at_ms, event.seat, event.lines
    fact: MatchFact
    if event.signature is None:
        fact = ReceiptDisputed(at_ms=at_ms, seat=seat, lines=lines, objection=event.objection)
    else:
        fact = ReceiptSigned(at_ms=at_ms, seat=seat, lines=lines, signature=event.signature)
    return Step(match, [fact])


# Answers


def _answered(match: Match, event: events.Answer) -> Step:
    """Take the answer of the bot to move.

    Time that ran out elsewhere in the match before the answer is judged first.
    """
    game = match.games[0]
    if len(match.games) > 1 or False in match.standing.present:
        game = match.game(event.game)
        if game.held is not None:
            # its time ran out; the end is kept back until the other half has come as far
            return Step(match)
        assert game.written_ms is not None, "a turn or call is written before it is answered"
        # an answer cannot have come before its question
        lag_ms = min(event.lag_ms, event.at_ms - game.written_ms)
        step = _caught_up(match, event.at_ms, lag_ms)
        if step.facts:
            still_open = step.match.find(event.game)
            if still_open is None or still_open.written_ms is None:
                return step
            return _joined(step, _judged(step.match, still_open, event))
    assert game.number == event.game, f"game {event.game} is not open"
    return _judged(match, game, event)


def _judged(match: Match, game: GameState, event: events.Answer) -> Step:
    """Judge an answer, and go on to the next roll, the next game or the end of the match."""
    game, fact, ending = games.answered(match.setting, game, event)
    if ending is None:
        if fact.__class__ is not TurnPlayed and fact.__class__ is not DiceCalled:
            return Step(with_game(match, game), [fact])
        called = fact.dice if isinstance(fact, DiceCalled) else None
        if len(match.games) == 1:
            return course.to_roll_alone(match, game, [fact], called)
        return course.hold(match, game, Held(dice=called), [fact], event.at_ms)
    if ending.cause is not None:
        match = changed(match, violations=add(match.standing.violations, game.mover, 1))
    return course.game_over(match, game, ending, [fact], event.at_ms)


def _call_waived(match: Match, event: events.CallWaived) -> Step:
    """Call the usual dice for a bot that does not want to be asked.

    The call takes no time unless the question was written.
    """
    game = match.game(event.game)
    if game.written_ms is None:
        game = games.written(game, match.setting.terms.clock, event.at_ms)
    dice = match.setting.rules.dice_to_roll(game.position)
    call = events.CallAnswered(at_ms=event.at_ms, game=event.game, dice=dice)
    return _judged(with_game(match, game), game, call)


# Time


def _time_passed(match: Match, event: events.TimePassed) -> Step:
    """Judge what has run out by now."""
    return _caught_up(match, event.at_ms, event.lag_ms)


def _measured(match: Match, event: events.BotMeasured) -> Step:
    """Keep what was measured for a flag that is to fall; it may put the flag off."""
    game, fact = games.measured(match.game(event.game), match.setting.terms.clock, event)
    match = with_game(match, game)
    if fact is None:
        return Step(match)
    return Step(match, [fact])


def _caught_up(match: Match, at_ms: int, lag_ms: int) -> Step:
    """Judge what ran out before an event that may have happened `lag_ms` before it was read."""
    step = Step(match)
    due = due_ms(match)
    while due is not None and due <= at_ms - lag_ms:
        step = _joined(step, _run_out(step.match, due - 1, at_ms))
        due = due_ms(step.match)
    return step


def _run_out(match: Match, limit_ms: int, now_ms: int) -> Step:
    """Judge what ran out after this millisecond: a grace, a clock, a break or the start-up time.

    In the same millisecond a grace comes before a clock, a break before the start-up deadline, and
    the lower seat or game before the higher. A grace is known from the record before it ends, the
    clock of a game only from its next fact: in this order a replay judges alike.
    """
    for seat in SEATS:
        if match.standing.grace_due_ms[seat - 1] == limit_ms:
            return course.lose_open_games(match, seat, [], now_ms)
    for game in match.games:
        if game.due_ms == limit_ms:
            game, fact, forfeited = games.flag(match.setting.rules, game, now_ms)
            match = changed(match, violations=add(match.standing.violations, game.mover, 1))
            return course.game_over(match, game, forfeited, [fact], now_ms)
    if match.standing.break_due_ms == limit_ms:
        return course.end_break(match, [], now_ms)
    present, silent = match.standing.present, to_reveal(match)
    late = tuple(not present[seat - 1] or seat in silent for seat in SEATS)
    return course.settle_absence(changed(match, hopeless=late), [], now_ms)


def _joined(first: Step, second: Step) -> Step:
    """Return two steps as one, with those questions of the first that still wait for an answer."""
    if not first.facts:
        return second
    match, questions = second.match, second.questions
    if match.standing.phase == "playing":
        waiting = {game.number for game in match.games if game.held is None}
        waiting.difference_update(questions)
        earlier = [number for number in first.questions if number in waiting]
        questions = [*earlier, *questions]
    return Step(match, [*first.facts, *second.facts], questions)


def _nothing(match: Match, event: object) -> Step:  # noqa: ARG001 - a handler like the others
    """Leave the match as it is."""
    return Step(match)


_AT_SEAT: Final[dict[type[Any], Callable[[Match, Any], Step]]] = {
    events.BotArrived: _bot_arrived,
    events.EntropyGiven: _entropy_given,
    events.BotLost: _bot_lost,
    events.ReadyForGame: _ready_for_game,
}
_COMING_AND_GOING: Final[dict[type[Any], Callable[[Match, Any], Step]]] = {
    **dict.fromkeys((events.BotArrived, events.EntropyGiven, events.BotLost), _at_seat),
    events.TimePassed: _time_passed,
    events.MatchStopped: _stopped,
    events.ReceiptAnswered: _receipt_answered,
}
_POSSIBLE: Final[dict[Phase, dict[type[Any], Callable[[Match, Any], Step]]]] = {
    "opening": {events.ArenaResumed: _resumed, **_COMING_AND_GOING},
    "playing": {
        events.TurnAnswered: _answered,
        events.BadChoice: _answered,
        events.DrawAccepted: _answered,
        events.CallAnswered: _answered,
        events.CallWaived: _call_waived,
        events.BotMeasured: _measured,
        events.ArenaResumed: _resumed,
        **_COMING_AND_GOING,
    },
    "break": {events.ReadyForGame: _at_seat, events.ArenaResumed: _resumed, **_COMING_AND_GOING},
    "waiting": {events.ArenaResumed: _resumed, **_COMING_AND_GOING},
    "over": {
        **dict.fromkeys(_COMING_AND_GOING, _nothing),
        events.ReceiptAnswered: _receipt_answered,
    },
}
"""Which event may come in which phase, and the function that takes it."""
