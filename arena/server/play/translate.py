"""Where rules meet the wire: the only module of the shell that knows both positions and messages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, Literal

import msgspec

from arena.games import Game
from arena.matches.events import Answer, BadChoice, CallAnswered, DrawAccepted, TurnAnswered
from arena.matches.facts import GameEnded, MatchFact, MatchOpened, Pair, Seat, TurnPlayed, TurnRejected
from arena.matches.state import GameState, Match, other
from protocol.messages import (
    Call,
    Called,
    ClockTerms,
    GameEnd,
    GameStart,
    Last,
    MatchEnd,
    MatchReveal,
    MatchStart,
    Opponent,
    Play,
    Receipt,
    Rejected,
    Turn,
    TurnClock,
)
from protocol.window import Asked

Outcome = Literal["won", "lost", "drawn", "void"]

INFO_BYTES: Final = 1024
"""The longest `info` that is kept, as JSON: at 64 KiB a turn a bot could fill the organiser's disk."""


def match_start(opened: MatchOpened, seat: Seat, opponent_version: str) -> MatchStart:
    """The invitation to a match."""
    terms = opened.terms
    return MatchStart(
        match=opened.match,
        ruleset=opened.ruleset,
        form=terms.form,
        games=terms.games,
        seat=seat,
        opponent=Opponent(name=opened.entrants[other(seat) - 1], version=opponent_version),
        clock=ClockTerms(delay_ms=terms.delay_ms, bank_ms=terms.bank_ms),
        rejections=terms.rejections,
        dice_commitment=bytes.fromhex(opened.dice_commitment),
        attempt=opened.attempt,
    )


def match_reveal(match: Match, seat: Seat) -> MatchReveal:
    """The question for the entropy that the bot at a seat has committed to, when both bots have."""
    opponent = match.standing.ready[other(seat) - 1]
    assert opponent is not None, "both bots are ready before either is asked to reveal"
    committed = None if opponent.commitment is None else bytes.fromhex(opponent.commitment)
    return MatchReveal(match=match.setting.opened.match, opponent_commitment=committed)


def game_start(handle: int, opened: MatchOpened, number: int, starter: Seat, seat: Seat) -> GameStart:
    """The beginning of a game, told to one seat of the match; in the second half of a pair it has the other one."""
    told = other(seat) if opened.terms.form == "pairs" and number % 2 == 0 else seat
    return GameStart(game=handle, match=opened.match, number=number, seat=told, starts=starter == seat)


def turn(rules: Game[Any], handle: int, game: GameState, left_ms: Pair, *, wants_legal: bool) -> Turn:
    """The turn of the side to move, with its whole position; `left_ms` is what is left of both banks."""
    assert game.dice is not None, "a turn is rolled before it is asked for"
    legal = None
    if wants_legal:
        turns = rules.legal_turns(game.position, game.dice)
        legal = [turns.moves(index) for index in range(len(turns))]
    return Turn(
        game=handle,
        turn=game.turn,
        dice=game.dice,
        position=rules.to_plain(game.position),
        clock=_clock(game, left_ms),
        last=_last(game),
        legal=legal,
        draw_offered=game.draw_offered,
    )


def call(rules: Game[Any], handle: int, game: GameState, left_ms: Pair) -> Call:
    """The choice of dice of the side to move, with its whole position (B11.3)."""
    return Call(
        game=handle,
        turn=game.turn,
        dice=game.calls,
        position=rules.to_plain(game.position),
        clock=_clock(game, left_ms),
        last=_last(game),
    )


def _clock(game: GameState, left_ms: Pair) -> TurnClock:
    """The clocks as the side to move is told of them."""
    mine = game.mover - 1
    return TurnClock(left_ms=left_ms[mine], opponent_left_ms=left_ms[1 - mine], spent_ms=game.spent_ms[mine])


def _last(game: GameState) -> Last | None:
    """The turn before this one."""
    last = game.last
    return None if last is None else Last(dice=last.dice, moves=last.moves)


def answer(play: Play | Called, asked: Asked, number: int, at_ms: int, lag_ms: int) -> Answer:
    """What a bot has answered to what it was asked in a game: moves, an index in `legal`, a draw (T9), dice (B11.3)."""
    if isinstance(play, Called):
        return CallAnswered(at_ms=at_ms, game=number, dice=play.dice, lag_ms=lag_ms)
    assert isinstance(asked, Turn), "the window gives what was answered"
    info = None if play.info is None else remark(play.info)
    if play.draw == "accept":  # in place of a turn; an offer goes with one
        return DrawAccepted(at_ms=at_ms, game=number, info=info, lag_ms=lag_ms)
    offers = play.draw == "offer"
    moves = play.moves
    if moves is None:
        choice = play.choice or 0
        if asked.legal is None or choice >= len(asked.legal):
            return BadChoice(at_ms=at_ms, game=number, choice=choice, offers_draw=offers, lag_ms=lag_ms)
        moves = asked.legal[choice]
    return TurnAnswered(at_ms=at_ms, game=number, moves=moves, info=info, offers_draw=offers, lag_ms=lag_ms)


def last_turn(ended: GameEnded, before: Match, facts: Sequence[MatchFact]) -> tuple[Seat, Last] | None:
    """The turn that ended a game over the board and who played it.

    `facts` are those of the step in which it ended, `before` is the match before it.
    """
    if ended.cause is not None or ended.ending == "agreement":
        return None
    for fact in facts:
        if isinstance(fact, TurnPlayed) and fact.game == ended.game:
            return fact.seat, Last(dice=fact.dice, moves=fact.moves)
    game = before.find(ended.game)
    if game is None or (last := _last(game)) is None:
        return None
    return other(game.mover), last


def remark(info: object) -> object:
    """What is kept in the record of what a bot says beside its answer: all of it, or how long it would have been."""
    size = len(msgspec.json.encode(info))
    return info if size <= INFO_BYTES else {"left_out_bytes": size}


def rejected(handle: int, fact: TurnRejected) -> Rejected:
    """The verdict on an illegal turn."""
    return Rejected(
        game=handle,
        turn=fact.turn,
        code=fact.code,
        clause=fact.clause,
        message=fact.message,
        left=fact.left,
        legal_turns=fact.legal_turns,
    )


def game_end(handle: int, match: str, fact: GameEnded, seat: Seat, last: Last | None, receipt: Receipt) -> GameEnd:
    """The end of a game, told to one seat. `last` is the turn of the opponent that ended it over the board."""
    return GameEnd(
        game=handle,
        match=match,
        number=fact.game,
        result=outcome(fact.winner, seat),
        ending=fact.ending,
        clause=fact.clause,
        monk=fact.monk,
        points=fact.points,
        score=_mine_first(fact.score, seat),
        last=last,
        receipt=receipt,
    )


def game_void(handle: int, match: str, number: int, score: Pair, seat: Seat, receipt: Receipt) -> GameEnd:
    """The end of a game that does not count, told to one seat."""
    return GameEnd(
        game=handle,
        match=match,
        number=number,
        result="void",
        ending="void",
        clause="",
        monk=False,
        points=0,
        score=_mine_first(score, seat),
        receipt=receipt,
    )


def match_end(match: Match, result: Outcome, seat: Seat, seed: bytes, receipt: Receipt | None) -> MatchEnd:
    """The end of a match, told to one seat, with all that its dice were made of."""
    one, two = match.standing.entropies
    known = None if one is None or two is None else (bytes.fromhex(one), bytes.fromhex(two))
    score = _mine_first(match.standing.score, seat)
    return MatchEnd(
        match=match.setting.opened.match,
        result=result,
        score=score,
        dice_seed=seed,
        entropies=known,
        receipt=receipt,
    )


def outcome(winner: Seat | None, seat: Seat) -> Outcome:
    """Won or lost, seen from a seat; drawn without a winner."""
    if winner is None:
        return "drawn"
    return "won" if winner == seat else "lost"


def _mine_first(score: tuple[int, int], seat: Seat) -> tuple[int, int]:
    return score if seat == 1 else (score[1], score[0])
