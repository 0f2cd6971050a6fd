"""A recorded match in words: in one line, or as a story with boards and the reason for every verdict."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from arena.cli.shared.boards import board_lines, turn_words
from arena.cli.shared.language import told
from arena.games import Game
from arena.games.result import Seat
from arena.matches.facts import (
    BotLeft,
    BotMissing,
    BotReady,
    BotReturned,
    BreakEnded,
    ClockExtended,
    DiceCalled,
    DrawAgreed,
    EntropyRevealed,
    FlagFell,
    GameEnded,
    GameStarted,
    MatchEnded,
    MatchFact,
    MatchResumed,
    MatchVoided,
    Measured,
    ReceiptDisputed,
    ReceiptSigned,
    Terms,
    TurnFact,
    TurnPlayed,
    TurnRejected,
)
from arena.records.facts import result_of
from arena.records.lines import Attempt, event_of
from arena.records.reasons import reason
from arena.records.timeline import Moment, Timeline
from arena.tournaments.results import PairCount, pair_differences
from arena.words import Said, joined

APART = (GameStarted, BreakEnded, MatchResumed, MatchVoided, MatchEnded)
"""What an empty line stands before."""


def match_words(attempts: Sequence[Attempt], *, is_annulled: bool) -> Said:
    """The players, the score of the last attempt, and what happened to those before it."""
    if not attempts:
        return Said("match.nothing")
    last = attempts[-1]
    first, second = last.opened.shown
    scores = [fact.score for _, fact in last.facts if isinstance(fact, GameEnded | MatchEnded)]
    mine, theirs = scores[-1] if scores else (0, 0)
    if isinstance(last.end, MatchVoided):
        state = [Said("match.void", {"reason": last.end.reason})]
    elif is_annulled:
        state = [Said("match.annulled")]
    else:
        state = [Said("match.over" if last.end else "match.under_way")]
    if last.opened.terms.form == "pairs":
        over = len(last.games) // 2
        result = result_of(last.opened.match, last.games[: 2 * over])
        count = PairCount(differences=pair_differences(result, last.opened.entrants[0]))
        won = {
            "first": first,
            "won": count.won,
            "second": second,
            "lost": count.lost,
            "level": count.level,
        }
        state.append(
            Said("match.pairs", {"over": over, "count": last.opened.terms.games // 2, **won})
        )
    if len(attempts) > 1:
        state.append(Said("match.void_before", {"count": len(attempts) - 1}))
    score = {"first": first, "mine": mine, "theirs": theirs, "second": second}
    return Said("match.line", {**score, "state": joined(state)})


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """One event, in some lines of text."""

    text: str
    turn: int | None = None
    is_page: bool = False
    """Whether stepping stops here: at a turn, or the beginning or end of a game."""


def tell(
    attempt: Attempt, *, game: int | None = None, turn: int | None = None, boards: bool = True
) -> Iterator[Scene]:
    """Tell the match, or one game or turn of it; reasons come with the boards.

    Raises `RecordError`.
    """
    opened = attempt.opened
    terms = opened.terms
    names = opened.shown
    book = Timeline.of(attempt, is_replayed=True)
    rules = book.rules
    is_of_pairs = terms.form == "pairs"
    if is_of_pairs:
        games = Said("count.pairs", {"count": terms.games // 2})
    else:
        games = Said("count.games", {"count": terms.games})
    values = {
        "match": opened.match,
        "first": names[0],
        "second": names[1],
        "ruleset": rules.name,
        "games": games,
        "clock": terms.clock.said,
    }
    yield Scene(
        text=told(Said("story.begins_by_colour" if rules.colours else "story.begins", values))
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
            if isinstance(fact, TurnPlayed | GameStarted):
                lines += _board(rules, moment, fact)
        if isinstance(fact, GameEnded):
            score = Said("story.score", _score(fact, names))
            lines.append(f"  {told(score)}")
        yield Scene(
            text="\n".join(lines),
            turn=getattr(fact, "turn", None),
            is_page=isinstance(fact, GameStarted | TurnFact | GameEnded),
        )
    if attempt.end is None:
        yield Scene(text=told(Said("story.not_over")))


def is_about(fact: MatchFact, game: int | None, turn: int | None) -> bool:
    """Return whether a fact belongs to this game and, if it belongs to a turn, to this turn; None for any."""
    is_of_game = game is None or getattr(fact, "game", None) == game
    return is_of_game and (turn is None or getattr(fact, "turn", turn) == turn)


def _reason(rules: Game[Any], moment: Moment, attempt: Attempt) -> Iterator[str]:
    terms, names, fact = attempt.opened.terms, attempt.opened.shown, moment.fact
    if moment.why is not None:
        if words := reason(moment.why):
            yield f"     {told(words)}"
    elif isinstance(fact, TurnPlayed | DrawAgreed | TurnRejected | FlagFell):
        first_ms, second_ms = moment.left_ms
        left = {"first": names[0], "first_ms": first_ms, "second": names[1], "second_ms": second_ms}
        clocks = Said("story.clocks", left)
        yield f"     {told(_why_judged(rules, moment, fact, terms))}"
        yield f"     {told(clocks)}"


def _why_judged(
    rules: Game[Any],
    moment: Moment,
    fact: TurnPlayed | DrawAgreed | TurnRejected | FlagFell,
    terms: Terms,
) -> Said:
    """The verdict on a turn: how many others were legal, which clause it breaks, or how much time it had."""
    if isinstance(fact, TurnRejected):
        return Said(
            "judged.illegal", {"clause": fact.clause, "code": fact.code, "count": fact.legal_turns}
        )
    if isinstance(fact, FlagFell):
        left_ms = moment.left_ms[fact.seat - 1]
        late = Said("judged.late", {"delay_ms": terms.clock.delay_ms, "left_ms": left_ms})
        if isinstance(fact.measured, Measured):
            used = {"cpu_ms": fact.measured.cpu_ms, "starved_ms": fact.measured.starved_ms}
            return joined([late, Said("judged.used", used)])
        return late
    if isinstance(fact, DrawAgreed):
        return Said("judged.draw", {"clause": rules.agreement})
    if not fact.moves:
        return Said("judged.pass")
    number = len(rules.legal_turns(moment.before, tuple(fact.dice)))
    return Said("judged.legal", {"count": number})


def _board(rules: Any, moment: Moment, fact: TurnPlayed | GameStarted) -> Iterator[str]:
    """The board from seat 1's side after this fact, with what has just moved."""
    if isinstance(fact, GameStarted):
        lines = rules.picture(_seen(rules, moment.before, fact.starter), is_mine=fact.starter == 1)
    else:
        after, before = (
            _seen(rules, position, fact.seat) for position in (moment.after, moment.before)
        )
        lines = rules.picture(after, before=before, dice=tuple(fact.dice), is_mine=fact.seat == 1)
    yield f"{board_lines(lines, '  ')}\n"


def _seen(rules: Game[Any], position: Any, viewer: Seat) -> Any:
    """A position that is seen from the side at the seat `viewer`, as seat 1 sees it."""
    return position if viewer == 1 else rules.flip(position)


def _score(fact: GameEnded | MatchEnded, names: tuple[str, str]) -> dict[str, Any]:
    mine, theirs = fact.score
    return {"first": names[0], "mine": mine, "theirs": theirs, "second": names[1]}


def _sentence(rules: Game[Any], moment: Moment, names: tuple[str, str]) -> str:
    fact = moment.fact
    if isinstance(fact, TurnFact):
        return _turn_sentence(rules, moment, fact, names)
    if isinstance(fact, ClockExtended):
        values = {
            "name": names[fact.seat - 1],
            "extended_ms": fact.extended_ms,
            "spent_ms": fact.spent_ms,
        }
        extended = Said("story.clock_extended", values)
        return f"{fact.turn:4}   {told(extended)}"
    words = told(_event(rules, fact, names))
    is_apart = isinstance(fact, APART)
    return f"\n{words}" if is_apart else words


def _event(rules: Game[Any], fact: MatchFact, names: tuple[str, str]) -> Said:
    """Say what happened beside the turns."""
    name = names[fact.seat - 1] if hasattr(fact, "seat") else ""
    match fact:
        case GameStarted():
            return _game_begins(rules, fact, names)
        case GameEnded():
            return _game_ends(fact, names)
        case BotReady():
            return Said(
                "story.ready",
                {"name": name, "version": fact.entrant.version or Said("story.no_version")},
            )
        case EntropyRevealed():
            return Said("story.revealed", {"name": name, "count": len(fact.entropy) // 2})
        case ReceiptSigned():
            return Said("story.signs", {"name": name, "count": fact.lines})
        case ReceiptDisputed():
            return Said(
                "story.disputes", {"name": name, "count": fact.lines, "objection": fact.objection}
            )
        case BotLeft():
            return Said(
                "story.left", {"name": name, "reason": fact.reason, "grace_ms": fact.grace_ms}
            )
        case BotMissing():
            return Said("story.missing", {"name": name, "reason": fact.reason})
        case BotReturned():
            return Said("story.returned", {"name": name})
        case MatchResumed():
            return Said("story.resumed")
        case BreakEnded():
            return Said("story.break_over")
        case MatchVoided():
            return Said("story.void", {"reason": fact.reason})
        case MatchEnded():
            return Said("story.over", _score(fact, names))
    return Said("story.other", {"event": event_of(fact).replace("_", " ")})


def _game_begins(rules: Game[Any], fact: GameStarted, names: tuple[str, str]) -> Said:
    values = {"game": fact.game, "name": names[fact.starter - 1]}
    if rules.colours:
        return Said("story.game_by_colour", {**values, "side": _side(rules.colours[0])})
    if not fact.opening:
        return Said("story.game", values)
    throws = ", ".join("-".join(map(str, throw)) for throw in fact.opening)
    return Said("story.game_with_throws", {**values, "throws": throws})


def _side(colour: str) -> Said:
    return Said(f"side.{colour.lower()}", {"text": colour})


def _turn_sentence(rules: Game[Any], moment: Moment, fact: TurnFact, names: tuple[str, str]) -> str:
    sign = "OX"[fact.seat - 1]
    if rules.colours:
        sign = told(_side(rules.colours[(fact.turn - 1) % 2]))
    return f"{fact.turn:4} {sign} {told(_turn(rules, moment, fact, names[fact.seat - 1]))}"


def _turn(rules: Game[Any], moment: Moment, fact: TurnFact, name: str) -> Said:
    """Say what a side did at its turn, and how long it took."""
    if isinstance(fact, DiceCalled):
        return Said(
            "turn.call",
            {"name": name, "dice": Said("number.dice", {"count": fact.dice}), "ms": fact.spent_ms},
        )
    dice = () if isinstance(fact, DrawAgreed) else fact.dice
    values: dict[str, Any] = {"name": name, "dice": "-".join(map(str, dice)), "ms": fact.spent_ms}
    if isinstance(fact, FlagFell):
        return Said("turn.too_late" if dice else "turn.too_late_without_dice", values)
    if isinstance(fact, TurnRejected):
        forgiven = (
            Said("turn.forgiven", {"count": fact.left})
            if fact.left >= 0
            else Said("turn.one_too_many")
        )
        values |= {"code": fact.code, "clause": fact.clause, "forgiven": forgiven, "why": fact.said}
        return Said("turn.rejected" if dice else "turn.rejected_without_dice", values)
    values["left_ms"] = fact.left_ms
    values["lag"] = Said("turn.lag", {"lag_ms": fact.lag_ms}) if fact.lag_ms else ""
    if isinstance(fact, DrawAgreed):
        return Said("turn.accepts", values)
    values["turn"] = turn_words(rules.format_turn(fact.moves, moment.before, moment.ending))
    values["offer"] = Said("turn.offers") if fact.draw_offered is True else ""
    return Said("turn.plays" if dice else "turn.plays_without_dice", values)


def _game_ends(fact: GameEnded, names: tuple[str, str]) -> Said:
    result = fact.result
    how = Said(f"ending.{result.ending}")
    points = Said("count.points", {"count": result.points})
    if result.winner is None:
        words = Said("game_over.drawn", {"how": how})
    elif result.cause:
        values = {
            "name": names[result.winner - 1],
            "cause": Said(f"cause.{result.cause}"),
            "points": points,
        }
        words = Said("game_over.forfeited", values)
    else:
        words = Said(
            "game_over.won", {"name": names[result.winner - 1], "how": how, "points": points}
        )
    if result.monk:
        words = Said("with_monk", {"ending": words})
    return Said(
        "story.game_ends",
        {"game": fact.game, "count": fact.turns, "how": words, "clause": result.clause},
    )
