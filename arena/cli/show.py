"""`arena show`: a match turn by turn, with boards."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from arena.cli.common import CHECK_FAILED, fail, output, run_folder

if TYPE_CHECKING:
    from arena.games import Game
    from arena.matches.facts import (
        DiceCalled,
        DrawAgreed,
        FlagFell,
        GameEnded,
        GameStarted,
        MatchFact,
        TurnPlayed,
        TurnRejected,
    )
    from arena.records.reading import Attempt
    from arena.records.replay import Replay

    TurnFact = DiceCalled | TurnPlayed | DrawAgreed | TurnRejected | FlagFell


@click.command()
@click.argument("log", type=click.Path(exists=True, path_type=Path))
@click.option("--game", type=click.IntRange(1), help="Only this game of the match.")
@click.option("--turn", type=click.IntRange(1), help="Only this turn of the games shown.")
@click.option("--no-boards", is_flag=True, help="Only the moves.")
@click.option("--json", "as_json", is_flag=True, help="The facts of the record with positions, one JSON object a line.")
def command(log: Path, game: int | None, turn: int | None, *, no_boards: bool, as_json: bool) -> None:
    """Draw a match turn by turn from its record, or list the matches of a run.

    LOG is a file under matches/ of a run folder, or the run folder itself. Boards are drawn from seat 1's side after
    every turn (Brandubh has one view); moves are in the mover's own numbering.

    \b
    Examples:
      arena show my-run
      arena show my-run/matches/r1-anna-v-bo.jsonl --game 1
    """  # noqa: D301 - click's mark for a block that keeps its lines
    from arena.records.lines import RecordError
    from arena.records.reading import read_attempts, whole_lines

    if log.is_dir():
        _list_matches(run_folder(log))
        return
    try:
        attempts = read_attempts(log.name, whole_lines(log.read_bytes()))
        if not attempts:
            fail(f"{log} holds no match yet", code=CHECK_FAILED)
        for attempt in attempts:
            lines = _facts_json(attempt) if as_json else _story(attempt, game, turn, boards=not no_boards)
            for line in lines:
                click.echo(line)
    except RecordError as error:
        fail(f"the record cannot be shown: {error}", code=CHECK_FAILED)


def _list_matches(run: Path) -> None:
    """Every match record of a run with its result so far."""
    from arena.records.reading import read_attempts, whole_lines

    for path in sorted((run / "matches").glob("*.jsonl")):
        attempts = read_attempts(path.name, whole_lines(path.read_bytes()))
        games = attempts[-1].games if attempts else []
        if len(games) > 1 and attempts[-1].opened.terms.form == "pairs":
            summary = _pairs_words(attempts[-1])
        else:
            summary = ", ".join(_ending_words(one.winner, one.ending, one.points, one.cause) for one in games)
        output().print(f"{path}  {summary or 'no game has ended yet'}", markup=False)


def _pairs_words(attempt: Attempt) -> str:
    """The pairs that are over: how many, and how many each entrant has won."""
    from arena.records.facts import result_of
    from arena.tournaments.pairs import PairCount, pair_differences

    first, second = attempt.opened.entrants
    games = attempt.games
    over = len(games) // 2
    result = result_of(attempt.opened.match, games[: 2 * over])
    count = PairCount(differences=pair_differences(result, first))
    return (
        f"{first} {result.points_first} : {result.points_second} {second} after {over} of "
        f"{attempt.opened.terms.games // 2} pairs: {first} won {count.won}, {second} {count.lost}, level {count.level}"
    )


def _replay_of(attempt: Attempt) -> Replay:
    """The match of an attempt before its first fact."""
    from arena.records.replay import Replay

    return Replay(attempt.opened, attempt.seed, attempt.opened.match)


def _facts_json(attempt: Attempt) -> Iterator[str]:
    """The facts, with the position after each turn from the view of the side that is next."""
    import json

    from arena.matches.facts import TurnPlayed
    from arena.records.lines import encode_line

    yield encode_line(attempt.opened).decode()
    replay = _replay_of(attempt)
    for where, fact in attempt.facts:
        replay.take(fact, where)
        plain = json.loads(encode_line(fact))
        if isinstance(fact, TurnPlayed):
            for state in replay.state.games:
                if state.number == fact.game:
                    plain["position_after"] = replay.rules.to_plain(state.position)
        yield json.dumps(plain)


def _story(attempt: Attempt, game: int | None, turn: int | None, *, boards: bool) -> Iterator[str]:
    """The match in words and boards."""
    from arena.matches.facts import GameEnded, GameStarted, TurnPlayed

    opened = attempt.opened
    terms = opened.terms
    names = opened.entrants
    replay = _replay_of(attempt)
    rules = replay.rules
    signs = ("seat 1", "seat 2") if rules.colours else ("O, seat 1", "X, seat 2")
    is_of_pairs = terms.form == "pairs"
    number_of_games = f"{terms.games // 2} pairs" if is_of_pairs else f"{terms.games} games"
    yield (
        f"{opened.match}: {names[0]} ({signs[0]}) against {names[1]} ({signs[1]}), {rules.name}, "
        f"{number_of_games}, {terms.delay_ms} ms a turn + {terms.bank_ms} ms a game"
    )
    for where, fact in attempt.facts:
        replay.take(fact, where)
        number = getattr(fact, "game", None)
        if (game is not None and number != game) or (turn is not None and getattr(fact, "turn", turn) != turn):
            continue
        sentence = _sentence(rules, fact, names)
        yield f"{number:>4} |{sentence}" if is_of_pairs and hasattr(fact, "turn") else sentence
        if boards and isinstance(fact, TurnPlayed | GameStarted):
            yield from _board(replay, fact)
        if isinstance(fact, GameEnded):
            yield f"  score {names[0]} {fact.score[0]} : {fact.score[1]} {names[1]}"
    if attempt.end is None:
        yield "the match is not over"


def _board(replay: Replay, fact: TurnPlayed | GameStarted) -> Iterator[str]:
    """The board from seat 1's side after this fact; nothing once the game is over."""
    rules: Any = replay.rules
    for state in replay.state.games:
        if state.number == fact.game:
            position = state.position if state.mover == 1 else rules.flip(state.position)
            yield "\n".join("    " + line for line in rules.draw(position).splitlines())


def _sentence(rules: Game[Any], fact: MatchFact, names: tuple[str, str]) -> str:
    """What happened, in one line."""
    from arena.matches.facts import (
        BotLeft,
        BotMissing,
        BotReady,
        BotReturned,
        DiceCalled,
        DrawAgreed,
        FlagFell,
        GameEnded,
        GameStarted,
        MatchEnded,
        MatchResumed,
        MatchVoided,
        TurnPlayed,
        TurnRejected,
    )

    if isinstance(fact, GameStarted):
        throws = ", ".join("-".join(map(str, throw)) for throw in fact.opening)
        thrown = f" (throws {throws})" if throws else ""
        colour = f" ({rules.colours[0]})" if rules.colours else ""
        return f"\ngame {fact.game}: {names[fact.starter - 1]}{colour} starts{thrown}"
    if isinstance(fact, DiceCalled | TurnPlayed | DrawAgreed | TurnRejected | FlagFell):
        return _turn_sentence(rules, fact, names)
    if isinstance(fact, GameEnded):
        return _game_sentence(fact, names)
    if isinstance(fact, BotReady):
        return f"{names[fact.seat - 1]} is ready ({fact.entrant.version or 'no version'})"
    if isinstance(fact, BotLeft):
        return f"{names[fact.seat - 1]} is gone: {fact.reason} (may come back within {fact.grace_ms} ms)"
    if isinstance(fact, BotMissing):
        return f"{names[fact.seat - 1]} does not come: {fact.reason}"
    if isinstance(fact, BotReturned):
        return f"{names[fact.seat - 1]} is back"
    if isinstance(fact, MatchResumed):
        return "\nthe arena was interrupted, and goes on with the match"
    if isinstance(fact, MatchVoided):
        return f"\nthe match is void: {fact.reason}"
    if isinstance(fact, MatchEnded):
        return f"\nthe match is over: {names[0]} {fact.score[0]} : {fact.score[1]} {names[1]}"
    return ""


def _turn_sentence(rules: Game[Any], fact: TurnFact, names: tuple[str, str]) -> str:
    from arena.matches.facts import DiceCalled, DrawAgreed, FlagFell, TurnRejected

    sign = rules.colours[(fact.turn - 1) % 2] if rules.colours else "OX"[fact.seat - 1]
    side = f"{fact.turn:4} {sign} {names[fact.seat - 1]}"
    if isinstance(fact, DiceCalled):
        return f"{side} calls for {fact.dice} {'die' if fact.dice == 1 else 'dice'}   ({fact.spent_ms} ms)"
    dice = () if isinstance(fact, DrawAgreed) else fact.dice
    rolls = f" rolls {'-'.join(map(str, dice))}" if dice else ""
    if isinstance(fact, FlagFell):
        return f"{side}{rolls}{' and' if rolls else ''} does not answer in time ({fact.spent_ms} ms)"
    if isinstance(fact, TurnRejected):
        left = f"{fact.left} left" if fact.left >= 0 else "one too many"
        return f"{side}{rolls}; REJECTED ({fact.code}, {fact.clause}; {left}): {fact.message}"
    lag = f", the arena's lag of {fact.lag_ms} ms taken off" if fact.lag_ms else ""
    clock = f"({fact.spent_ms} ms, {fact.left_ms} ms left{lag})"
    if isinstance(fact, DrawAgreed):
        return f"{side} accepts the draw   {clock}"
    offers = ", offers a draw" if fact.draw_offered is True else ""
    return f"{side}{rolls}: {rules.format_turn(fact.moves)}{offers}   {clock}"


def _game_sentence(fact: GameEnded, names: tuple[str, str]) -> str:
    winner = None if fact.winner is None else names[fact.winner - 1]
    words = _ending_words(winner, fact.ending, fact.points, fact.cause)
    monk = " with monk" if fact.monk else ""
    return f"game {fact.game} ends after {fact.turns} turns: {words}{monk} ({fact.clause})"


def _ending_words(winner: str | None, ending: str, points: int, cause: str | None) -> str:
    how = ending.replace("_", " ") + (f" ({cause.replace('_', ' ')})" if cause else "")
    if winner is None:
        return f"drawn, {how}"
    return f"{winner} wins by {how}, {points} {'point' if points == 1 else 'points'}"
