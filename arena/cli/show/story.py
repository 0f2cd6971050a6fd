"""A recorded match in words: in one line, or as a story with boards and the reason for every verdict."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from arena.cli.shared.boards import board_lines
from arena.cli.shared.language import counted, told
from arena.games import Game
from arena.games.result import Seat
from arena.matches import facts
from arena.records.facts import result_of
from arena.records.lines import Attempt, event_of
from arena.records.reasons import reason
from arena.records.timeline import Moment, Timeline
from arena.tournaments.results import PairCount, pair_differences
from arena.words import Said


def match_words(attempts: Sequence[Attempt], *, is_annulled: bool = False) -> str:
    """The players, the score of the last attempt, and what happened to those before it."""
    if not attempts:
        return "nothing in it yet"
    last = attempts[-1]
    first, second = last.opened.shown
    scores = [fact.score for _, fact in last.facts if isinstance(fact, facts.GameEnded | facts.MatchEnded)]
    own, other = scores[-1] if scores else (0, 0)
    state = ["over" if last.end else "under way"]
    if isinstance(last.end, facts.MatchVoided):
        state = [f"void: {told(last.end.reason)}"]
    elif is_annulled:
        state = ["annulled"]
    if last.opened.terms.form == "pairs":
        over = len(last.games) // 2
        result = result_of(last.opened.match, last.games[: 2 * over])
        count = PairCount(differences=pair_differences(result, last.opened.entrants[0]))
        won = f"{first} won {count.won}, {second} {count.lost}, level {count.level}"
        state.append(f"{over} of {last.opened.terms.games // 2} pairs: {won}")
    if len(attempts) > 1:
        state.append(f"{counted(len(attempts) - 1, 'void attempt')} before it")
    return f"{first} {own} : {other} {second}  {'; '.join(state)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """One event, in some lines of text."""

    text: str
    turn: int | None = None
    is_page: bool = False
    """Whether stepping stops here: at a turn, or the beginning or end of a game."""


def tell(attempt: Attempt, *, game: int | None = None, turn: int | None = None, boards: bool = True) -> Iterator[Scene]:
    """Tell the match, or one game or turn of it; reasons come with the boards. Raises `RecordError`."""
    opened = attempt.opened
    terms = opened.terms
    names = opened.shown
    book = Timeline.of(attempt, is_replayed=True)
    rules = book.rules
    signs = ("seat 1", "seat 2") if rules.colours else ("O, seat 1", "X, seat 2")
    is_of_pairs = terms.form == "pairs"
    number_of_games = f"{terms.games // 2} pairs" if is_of_pairs else f"{terms.games} games"
    yield Scene(
        text=f"{opened.match}: {names[0]} ({signs[0]}) against {names[1]} ({signs[1]}), {rules.name}, "
        f"{number_of_games}, {told(terms.clock.said)}"
    )
    for moment in book.tell(attempt.facts):
        fact = moment.fact
        if not is_about(fact, game, turn):
            continue
        number = getattr(fact, "game", None)
        sentence = _sentence(rules, moment, names)
        lines = [f"{number:>4} |{sentence}" if is_of_pairs and hasattr(fact, "turn") else sentence]
        if boards:
            lines += _reason(rules, moment, attempt)
            if isinstance(fact, facts.TurnPlayed | facts.GameStarted):
                lines += _board(rules, moment, fact)
        if isinstance(fact, facts.GameEnded):
            lines.append(f"  score {names[0]} {fact.score[0]} : {fact.score[1]} {names[1]}")
        yield Scene(
            text="\n".join(lines),
            turn=getattr(fact, "turn", None),
            is_page=isinstance(fact, facts.GameStarted | facts.TurnFact | facts.GameEnded),
        )
    if attempt.end is None:
        yield Scene(text="the match is not over")


def is_about(fact: facts.MatchFact, game: int | None, turn: int | None) -> bool:
    """Return whether a fact belongs to this game and, if it belongs to a turn, to this turn; None for any."""
    is_of_game = game is None or getattr(fact, "game", None) == game
    return is_of_game and (turn is None or getattr(fact, "turn", turn) == turn)


def _reason(rules: Game[Any], moment: Moment, attempt: Attempt) -> Iterator[str]:
    terms, names, fact = attempt.opened.terms, attempt.opened.shown, moment.fact
    if moment.why is not None:
        if words := reason(moment.why):
            yield f"     {told(words)}"
    elif isinstance(fact, facts.TurnPlayed | facts.DrawAgreed | facts.TurnRejected | facts.FlagFell):
        yield f"     {_why_judged(rules, moment, fact, terms)}"
        yield f"     clocks: {names[0]} {moment.left_ms[0]} ms, {names[1]} {moment.left_ms[1]} ms"


def _why_judged(
    rules: Game[Any],
    moment: Moment,
    fact: facts.TurnPlayed | facts.DrawAgreed | facts.TurnRejected | facts.FlagFell,
    terms: facts.Terms,
) -> str:
    """The verdict on a turn: how many others were legal, which clause it breaks, or how much time it had."""
    if isinstance(fact, facts.TurnRejected):
        there = "is one legal turn" if fact.legal_turns == 1 else f"are {fact.legal_turns} legal turns"
        return f"illegal by {fact.clause} ({fact.code}); there {there}"
    if isinstance(fact, facts.FlagFell):
        left_ms = moment.left_ms[fact.seat - 1]
        words = f"too late: it had {terms.clock.delay_ms} ms for the turn and {left_ms} ms in the bank"
        if isinstance(fact.measured, facts.Measured):
            used = f"{fact.measured.cpu_ms} ms of CPU time, waited {fact.measured.starved_ms} ms for a processor"
            words = f"{words}; it used {used}"
        return words
    if isinstance(fact, facts.DrawAgreed):
        return f"legal by {rules.agreement}: the turn before offered the draw"
    number = len(rules.legal_turns(moment.before, tuple(fact.dice)))
    if not fact.moves:
        return "legal: no die can be played, the turn is a pass"
    return "legal: the only legal turn" if number == 1 else f"legal: one of {number} legal turns"


def _board(rules: Any, moment: Moment, fact: facts.TurnPlayed | facts.GameStarted) -> Iterator[str]:
    """The board from seat 1's side after this fact, with what has just moved."""
    if isinstance(fact, facts.GameStarted):
        lines = rules.picture(_seen(rules, moment.before, fact.starter), is_mine=fact.starter == 1)
    else:
        after, before = (_seen(rules, position, fact.seat) for position in (moment.after, moment.before))
        lines = rules.picture(after, before=before, dice=tuple(fact.dice), is_mine=fact.seat == 1)
    yield f"{board_lines(lines, '  ')}\n"


def _seen(rules: Game[Any], position: Any, viewer: Seat) -> Any:
    """A position that is seen from the side at the seat `viewer`, as seat 1 sees it."""
    return position if viewer == 1 else rules.flip(position)


def _sentence(rules: Game[Any], moment: Moment, names: tuple[str, str]) -> str:
    if isinstance(moment.fact, facts.TurnFact):
        return _turn_sentence(rules, moment, moment.fact, names)
    match moment.fact:
        case facts.GameStarted() as fact:
            throws = ", ".join("-".join(map(str, throw)) for throw in fact.opening)
            thrown = f" (throws {throws})" if throws else ""
            colour = f" ({rules.colours[0]})" if rules.colours else ""
            return f"\ngame {fact.game}: {names[fact.starter - 1]}{colour} starts{thrown}"
        case facts.ClockExtended() as fact:
            given = f"gets {fact.extended_ms} ms back after {fact.spent_ms} ms: the machine had no processor for it"
            return f"{fact.turn:4}   {names[fact.seat - 1]} {given}"
        case facts.GameEnded() as fact:
            return _game_sentence(fact, names)
        case facts.BotReady() as fact:
            return f"{names[fact.seat - 1]} is ready ({fact.entrant.version or 'no version'})"
        case facts.EntropyRevealed() as fact:
            return f"{names[fact.seat - 1]} has revealed its entropy ({len(fact.entropy) // 2} bytes)"
        case facts.ReceiptSigned() as fact:
            return f"{names[fact.seat - 1]} signs the first {fact.lines} lines"
        case facts.ReceiptDisputed() as fact:
            return f"{names[fact.seat - 1]} does not agree with the first {fact.lines} lines: {fact.objection}"
        case facts.BotLeft() as fact:
            return f"{names[fact.seat - 1]} is gone: {told(fact.reason)} (may come back within {fact.grace_ms} ms)"
        case facts.BotMissing() as fact:
            return f"{names[fact.seat - 1]} does not come: {told(fact.reason)}"
        case facts.BotReturned() as fact:
            return f"{names[fact.seat - 1]} is back"
        case facts.MatchResumed():
            return "\nthe arena was interrupted, and goes on with the match"
        case facts.BreakEnded():
            return "\nthe break is over"
        case facts.MatchVoided() as fact:
            return f"\nthe match is void: {told(fact.reason)}"
        case facts.MatchEnded() as fact:
            return f"\nthe match is over: {names[0]} {fact.score[0]} : {fact.score[1]} {names[1]}"
        case fact:
            return event_of(fact).replace("_", " ")


def _turn_sentence(rules: Game[Any], moment: Moment, fact: facts.TurnFact, names: tuple[str, str]) -> str:
    sign = rules.colours[(fact.turn - 1) % 2] if rules.colours else "OX"[fact.seat - 1]
    side = f"{fact.turn:4} {sign} {names[fact.seat - 1]}"
    if isinstance(fact, facts.DiceCalled):
        return f"{side} calls for {fact.dice} {'die' if fact.dice == 1 else 'dice'}   ({fact.spent_ms} ms)"
    dice = () if isinstance(fact, facts.DrawAgreed) else fact.dice
    rolls = f" rolls {'-'.join(map(str, dice))}" if dice else ""
    if isinstance(fact, facts.FlagFell):
        return f"{side}{rolls}{' and' if rolls else ''} does not answer in time ({fact.spent_ms} ms)"
    if isinstance(fact, facts.TurnRejected):
        left = f"{fact.left} left" if fact.left >= 0 else "one too many"
        return f"{side}{rolls}; REJECTED ({fact.code}, {fact.clause}; {left}): {told(fact.said)}"
    lag = f", the arena's lag of {fact.lag_ms} ms taken off" if fact.lag_ms else ""
    clock = f"({fact.spent_ms} ms, {fact.left_ms} ms left{lag})"
    if isinstance(fact, facts.DrawAgreed):
        return f"{side} accepts the draw   {clock}"
    offers = ", offers a draw" if fact.draw_offered is True else ""
    return f"{side}{rolls}: {rules.format_turn(fact.moves, moment.before, moment.ending)}{offers}   {clock}"


def _game_sentence(fact: facts.GameEnded, names: tuple[str, str]) -> str:
    result = fact.result
    how = Said(f"ending.{result.ending}")
    if result.cause:
        how = Said("ending.by_forfeit", {"cause": Said(f"cause.{result.cause}")})
    words = Said("game_over.drawn", {"how": how})
    if result.winner is not None:
        values = {"name": names[result.winner - 1], "how": how}
        words = Said("game_over.won", {**values, "points": Said("count.points", {"count": result.points})})
    if result.monk:
        words = Said("with_monk", {"ending": words})
    return f"game {fact.game} ends after {fact.turns} turns: {told(words)} ({result.clause})"
