"""A recorded match in words: in one line, or turn by turn with boards and reasons."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from arena.cli.shared.boards import board_lines, turn_words
from arena.cli.shared.language import translate
from arena.games import Game
from arena.games.position_ids.forms import format_ids
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
    MatchOpened,
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
from arena.records.reasons import explain_end
from arena.records.timeline import Moment, Timeline
from arena.tournaments.results import PairCount, pair_differences
from arena.words import Said, joined

APART = (GameStarted, BreakEnded, MatchResumed, MatchVoided, MatchEnded)
"""Facts that have an empty line before them."""


def match_words(attempts: Sequence[Attempt], *, is_annulled: bool) -> Said:
    """Return the players, the score of the last attempt, and the fate of earlier attempts."""
    if not attempts:
        return Said("match.nothing")
    last = attempts[-1]
    first, second = last.opened.shown
    mine, theirs = 0, 0
    for _, fact in last.facts:
        if isinstance(fact, GameEnded | MatchEnded):
            mine, theirs = fact.score
    if isinstance(last.end, MatchVoided):
        state = [Said("match.void", {"reason": last.end.reason})]
    elif is_annulled:
        state = [Said("match.annulled")]
    else:
        state = [Said("match.over" if last.end else "match.under_way")]
    if last.opened.terms.form == "pairs":
        state.append(_pairs_words(last))
    if len(attempts) > 1:
        state.append(Said("match.void_before", {"count": len(attempts) - 1}))
    score = {
        "first": first,
        "mine": mine,
        "theirs": theirs,
        "second": second,
    }
    return Said("match.line", {**score, "state": joined(state)})


def _pairs_words(attempt: Attempt) -> Said:
    opened = attempt.opened
    over = len(attempt.games) // 2
    fixture = result_of(opened.match, attempt.games[: 2 * over])
    count = PairCount(differences=pair_differences(fixture, opened.entrants[0]))
    first, second = opened.shown
    pairs = {
        "over": over,
        "count": opened.terms.games // 2,
        "first": first,
        "won": count.won,
        "second": second,
        "lost": count.lost,
        "level": count.level,
    }
    return Said("match.pairs", pairs)


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """One event in a few lines of text."""

    text: str
    turn: int | None = None
    is_page: bool = False
    """True if stepping stops at it: a turn, or the beginning or end of a game."""


def tell(
    attempt: Attempt,
    *,
    game: int | None = None,
    turn: int | None = None,
    boards: bool = True,
    ids: bool = False,
) -> Iterator[Scene]:
    """Yield the scenes of a match, or of one game or turn of it; reasons come with the boards.

    With `ids`, the position and the roll of every turn stand below it, as `arena hint` reads them.

    Raises `RecordError`.
    """
    names = attempt.opened.shown
    is_of_pairs = attempt.opened.terms.form == "pairs"
    book = Timeline.of(attempt, is_replayed=True)
    rules = book.rules
    yield Scene(text=translate(_beginning(rules, attempt)))
    for moment in book.tell(attempt.facts):
        fact = moment.fact
        if not is_about(fact, game, turn):
            continue
        sentence = _sentence(rules, moment, attempt.opened)
        if is_of_pairs and isinstance(fact, TurnFact | ClockExtended):
            sentence = f"{fact.game:>4} |{sentence}"
        lines = [sentence]
        if ids:
            lines += _position_id(rules, moment)
        if boards:
            lines += _reason(rules, moment, attempt)
            if isinstance(fact, TurnPlayed | GameStarted):
                lines.append(_board(rules, moment, fact))
        if isinstance(fact, GameEnded):
            score = Said("story.score", _score(fact, names))
            lines.append(f"  {translate(score)}")
        yield Scene(
            text="\n".join(lines),
            turn=getattr(fact, "turn", None),
            is_page=isinstance(fact, GameStarted | TurnFact | GameEnded),
        )
    if attempt.end is None:
        yield Scene(text=translate(Said("story.not_over")))


def _beginning(rules: Game[Any], attempt: Attempt) -> Said:
    opened, terms = attempt.opened, attempt.opened.terms
    games = Said("count.games", {"count": terms.games})
    if terms.form == "pairs":
        games = Said("count.pairs", {"count": terms.games // 2})
    first, second = opened.shown
    match = {
        "match": opened.match,
        "first": first,
        "second": second,
        "ruleset": rules.name,
        "games": games,
        "clock": terms.clock.said,
    }
    return Said("story.begins_by_colour" if rules.colours else "story.begins", match)


def is_about(fact: MatchFact, game: int | None, turn: int | None) -> bool:
    """Return whether a fact belongs to this game and this turn; None for any.

    A fact that belongs to no turn passes for every turn.
    """
    is_of_game = game is None or getattr(fact, "game", None) == game
    return is_of_game and (turn is None or getattr(fact, "turn", turn) == turn)


def _position_id(rules: Game[Any], moment: Moment) -> Iterator[str]:
    """Write the position and the roll of a turn."""
    if isinstance(moment.fact, TurnPlayed):
        forms = format_ids(rules, moment.before, tuple(moment.fact.dice))
        yield f"     {forms.get('xgid', forms['literal'])}"


def _reason(rules: Game[Any], moment: Moment, attempt: Attempt) -> Iterator[str]:
    terms, names, fact = attempt.opened.terms, attempt.opened.shown, moment.fact
    if moment.why is not None:
        words = explain_end(moment.why)
        if words:
            yield f"     {translate(words)}"
    elif isinstance(fact, TurnPlayed | DrawAgreed | TurnRejected | FlagFell):
        yield f"     {translate(_verdict_reason(rules, moment, fact, terms))}"
        if terms.clock.is_none:
            return
        first_ms, second_ms = moment.left_ms
        first, second = names
        clocks = {
            "first": first,
            "first_ms": first_ms,
            "second": second,
            "second_ms": second_ms,
        }
        words = Said("story.clocks", clocks)
        yield f"     {translate(words)}"


def _verdict_reason(
    rules: Game[Any],
    moment: Moment,
    fact: TurnPlayed | DrawAgreed | TurnRejected | FlagFell,
    terms: Terms,
) -> Said:
    """Return the reason for a verdict: other legal turns, the broken clause, or the time it had."""
    if isinstance(fact, TurnRejected):
        illegal = {
            "clause": fact.clause,
            "code": fact.code,
            "count": fact.legal_turns,
        }
        return Said("judged.illegal", illegal)
    if isinstance(fact, FlagFell):
        left_ms = moment.left_ms[fact.seat - 1]
        late = Said("judged.late", {"delay_ms": terms.clock.delay_ms, "left_ms": left_ms})
        if not isinstance(fact.measured, Measured):
            return late
        used = {"cpu_ms": fact.measured.cpu_ms, "starved_ms": fact.measured.starved_ms}
        return joined([late, Said("judged.used", used)])
    if isinstance(fact, DrawAgreed):
        return Said("judged.draw", {"clause": rules.agreement})
    if not fact.moves:
        return Said("judged.pass")
    number = len(rules.legal_turns(moment.before, tuple(fact.dice)))
    return Said("judged.legal", {"count": number})


def _board(rules: Any, moment: Moment, fact: TurnPlayed | GameStarted) -> str:
    """Draw the board from seat 1's side after this fact, and mark what has just moved."""
    if isinstance(fact, GameStarted):
        start = _turn_to_viewer(rules, moment.before, fact.starter)
        lines = rules.picture(start, is_mine=fact.starter == 1)
    else:
        after = _turn_to_viewer(rules, moment.after, fact.seat)
        before = _turn_to_viewer(rules, moment.before, fact.seat)
        lines = rules.picture(after, before=before, dice=tuple(fact.dice), is_mine=fact.seat == 1)
    return f"{board_lines(lines, '  ')}\n"


def _turn_to_viewer(rules: Game[Any], position: Any, viewer: Seat) -> Any:
    """Return a position of the side at the seat `viewer`, as seat 1 sees it."""
    return position if viewer == 1 else rules.flip(position)


def _score(fact: GameEnded | MatchEnded, names: tuple[str, str]) -> dict[str, Any]:
    mine, theirs = fact.score
    first, second = names
    return {
        "first": first,
        "mine": mine,
        "theirs": theirs,
        "second": second,
    }


def _sentence(rules: Game[Any], moment: Moment, opened: MatchOpened) -> str:
    fact, names = moment.fact, opened.shown
    if isinstance(fact, TurnFact):
        return _turn_sentence(rules, moment, fact, opened)
    if isinstance(fact, ClockExtended):
        extension = {
            "name": names[fact.seat - 1],
            "extended_ms": fact.extended_ms,
            "spent_ms": fact.spent_ms,
        }
        words = translate(Said("story.clock_extended", extension))
        return f"{fact.turn:4}   {words}"
    words = translate(_event(rules, fact, names))
    if isinstance(fact, APART):
        return f"\n{words}"
    return words


def _event(rules: Game[Any], fact: MatchFact, names: tuple[str, str]) -> Said:
    """Return what happened between the turns. A table: one case for each fact."""
    name = names[fact.seat - 1] if hasattr(fact, "seat") else ""
    match fact:
        case GameStarted():
            return _game_begins(rules, fact, names)
        case GameEnded():
            return _game_ends(fact, names)
        case BotReady():
            version = fact.entrant.version or Said("story.no_version")
            return Said("story.ready", {"name": name, "version": version})
        case EntropyRevealed():
            return Said("story.revealed", {"name": name, "count": len(fact.entropy) // 2})
        case ReceiptSigned():
            return Said("story.signs", {"name": name, "count": fact.lines})
        case ReceiptDisputed():
            dispute = {
                "name": name,
                "count": fact.lines,
                "objection": fact.objection,
            }
            return Said("story.disputes", dispute)
        case BotLeft():
            loss = {"name": name, "reason": fact.reason, "grace_ms": fact.grace_ms}
            if not fact.grace_ms:
                return Said("story.gone", loss)
            return Said("story.left", loss)
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
    """Say who starts a game: with which colour, or after which throws."""
    game = {"game": fact.game, "name": names[fact.starter - 1]}
    if rules.colours:
        # the starter has the first colour
        return Said("story.game_by_colour", {**game, "side": _side(rules.colours[0])})
    if not fact.opening:
        return Said("story.game", game)
    throws = ", ".join("-".join(map(str, throw)) for throw in fact.opening)
    return Said("story.game_with_throws", {**game, "throws": throws})


def _side(colour: str) -> Said:
    return Said(f"side.{colour.lower()}", {"text": colour})


def _turn_sentence(rules: Game[Any], moment: Moment, fact: TurnFact, opened: MatchOpened) -> str:
    sign = "OX"[fact.seat - 1]
    if rules.colours:
        sign = translate(_side(rules.colours[(fact.turn - 1) % 2]))
    return f"{fact.turn:4} {sign} {translate(_turn(rules, moment, fact, opened))}"


def _turn(rules: Game[Any], moment: Moment, fact: TurnFact, opened: MatchOpened) -> Said:
    """Return what a side did at its turn, and how long it took."""
    name = opened.shown[fact.seat - 1]
    if isinstance(fact, DiceCalled):
        dice_words = Said("number.dice", {"count": fact.dice})
        return Said(
            "turn.call",
            {
                "name": name,
                "dice": dice_words,
                "ms": fact.spent_ms,
            },
        )
    dice = () if isinstance(fact, DrawAgreed) else fact.dice
    values: dict[str, Any] = {
        "name": name,
        "dice": "-".join(map(str, dice)),
        "ms": fact.spent_ms,
    }
    if isinstance(fact, FlagFell):
        return Said("turn.too_late" if dice else "turn.too_late_without_dice", values)
    if isinstance(fact, TurnRejected):
        values |= _rejection(fact)
        return Said("turn.rejected" if dice else "turn.rejected_without_dice", values)
    values |= {"time": _time(fact, opened.terms), "offer": ""}
    if isinstance(fact, DrawAgreed):
        return Said("turn.accepts", values)
    values["turn"] = turn_words(rules.format_turn(fact.moves, moment.before, moment.ending))
    if fact.draw_offered is True:
        values["offer"] = Said("turn.offers")
    return Said("turn.plays" if dice else "turn.plays_without_dice", values)


def _time(fact: TurnPlayed | DrawAgreed, terms: Terms) -> Said | str:
    if terms.clock.is_none:
        return ""
    time = {"ms": fact.spent_ms, "left_ms": fact.left_ms, "lag": ""}
    if fact.lag_ms:
        time["lag"] = Said("turn.lag", {"lag_ms": fact.lag_ms})
    return Said("turn.time", time)


def _rejection(fact: TurnRejected) -> dict[str, Any]:
    """Return why a turn was rejected, and how many more are forgiven."""
    forgiven = Said("turn.one_too_many")
    if fact.left >= 0:
        forgiven = Said("turn.forgiven", {"count": fact.left})
    return {
        "code": fact.code,
        "clause": fact.clause,
        "forgiven": forgiven,
        "why": fact.said,
    }


def _game_ends(fact: GameEnded, names: tuple[str, str]) -> Said:
    outcome = fact.result
    how = Said(f"ending.{outcome.ending}")
    points = Said("count.points", {"count": outcome.points})
    if outcome.winner is None:
        words = Said("game_over.drawn", {"how": how})
    else:
        winner = names[outcome.winner - 1]
        if outcome.cause:
            cause = Said(f"cause.{outcome.cause}")
            words = Said(
                "game_over.forfeited",
                {
                    "name": winner,
                    "cause": cause,
                    "points": points,
                },
            )
        else:
            words = Said(
                "game_over.won",
                {
                    "name": winner,
                    "how": how,
                    "points": points,
                },
            )
    if outcome.monk:
        words = Said("with_monk", {"ending": words})
    ending = {
        "game": fact.game,
        "count": fact.turns,
        "how": words,
        "clause": outcome.clause,
    }
    return Said("story.game_ends", ending)
