"""From facts and positions to messages, and back: the only module of the shell that knows both."""

from collections.abc import Sequence

import msgspec

from arena.games.result import Seat
from arena.matches.events import Answer, BadChoice, CallAnswered, DrawAccepted, TurnAnswered
from arena.matches.facts import GameEnded, MatchFact, MatchOpened, Pair, TurnPlayed, TurnRejected
from arena.matches.game import spent_ms
from arena.matches.state import GameState, Match, Setting, other
from arena.matches.time_control import TimeControl
from arena.server.play.remarks import recorded
from protocol import messages
from protocol.fields import Outcome
from protocol.window import Asked


def clock_terms(clock: TimeControl) -> messages.ClockTerms:
    """The time control of a match as its bots are told."""
    return msgspec.convert(clock, messages.ClockTerms, from_attributes=True)


def match_start(opened: MatchOpened, seat: Seat, opponent_version: str) -> messages.MatchStart:
    """The invitation to a match."""
    terms = opened.terms
    return messages.MatchStart(
        match=opened.match,
        ruleset=opened.ruleset,
        form=terms.form,
        games=terms.games,
        seat=seat,
        opponent=messages.Opponent(name=opened.entrants[other(seat) - 1], version=opponent_version),
        clock=clock_terms(terms.clock),
        rejections=terms.rejections,
        dice_commitment=bytes.fromhex(opened.dice_commitment),
        attempt=opened.attempt,
    )


def match_reveal(match: Match, seat: Seat) -> messages.MatchReveal:
    """The question for the entropy that the bot at a seat has committed to, when both bots have."""
    opponent = match.standing.ready[other(seat) - 1]
    assert opponent is not None, "both bots are ready before either is asked to reveal"
    committed = None if opponent.commitment is None else bytes.fromhex(opponent.commitment)
    return messages.MatchReveal(match=match.setting.opened.match, opponent_commitment=committed)


def pause(match: Match, now_ms: int) -> messages.Break:
    """The break before the next game, as a bot is told of it that rests."""
    standing = match.standing
    assert standing.break_due_ms is not None, "there is a break"
    left_ms = max(0, standing.break_due_ms - now_ms)
    return messages.Break(
        match=match.setting.opened.match,
        number=standing.started + 1,
        left_ms=left_ms,
    )


def game_start(
    handle: int,
    opened: MatchOpened,
    number: int,
    starter: Seat,
    seat: Seat,
) -> messages.GameStart:
    """The beginning of a game, told to one seat of the match; in the second half of a pair it has the other one."""
    told = other(seat) if opened.terms.form == "pairs" and number % 2 == 0 else seat
    return messages.GameStart(
        game=handle,
        match=opened.match,
        number=number,
        seat=told,
        starts=starter == seat,
    )


def question(
    setting: Setting,
    handle: int,
    game: GameState,
    now_ms: int,
    *,
    wants_legal: bool,
) -> Asked:
    """The question to the side to move, with the clocks as they are now: its turn, or its call for dice (B11.3)."""
    rules, control, mine, before = setting.rules, setting.terms.clock, game.mover - 1, game.last
    left_ms, delay_left_ms = game.left_ms[mine], control.delay_ms
    if game.written_ms is not None or game.earlier_ms:  # its clock runs, or has run for a call
        spent = spent_ms(game, now_ms)
        left_ms, delay_left_ms = control.left(left_ms, spent), control.delay_left(spent)
    clock = messages.TurnClock(
        left_ms=left_ms,
        opponent_left_ms=game.left_ms[1 - mine],
        spent_ms=game.spent_ms[mine],
        delay_left_ms=delay_left_ms,
    )
    last = None if before is None else messages.Last(dice=before.dice, moves=before.moves)
    position = rules.to_plain(game.position)
    if game.calls:
        return messages.Call(
            game=handle,
            turn=game.turn,
            dice=game.calls,
            position=position,
            clock=clock,
            last=last,
        )
    dice, legal = game.dice, None
    assert dice is not None, "a turn is rolled before it is asked for"
    if wants_legal:
        turns = rules.legal_turns(game.position, dice)
        legal = [turns.moves(index) for index in range(len(turns))]
    return messages.Turn(
        game=handle,
        turn=game.turn,
        dice=dice,
        position=position,
        clock=clock,
        last=last,
        legal=legal,
        draw_offered=game.draw_offered,
    )


def answer(
    play: messages.Play | messages.Called,
    asked: Asked,
    number: int,
    at_ms: int,
    lag_ms: int,
) -> Answer:
    """The answer of a bot as an event: moves, an index in `legal`, a draw (T9), or dice (B11.3)."""
    if isinstance(play, messages.Called):
        return CallAnswered(at_ms=at_ms, game=number, dice=play.dice, lag_ms=lag_ms)
    moves, draw = play.moves, play.draw
    info = None if play.info is None else recorded(play.info)
    if draw == "accept":  # in place of a turn; an offer goes with one
        return DrawAccepted(at_ms=at_ms, game=number, info=info, lag_ms=lag_ms)
    offers = draw == "offer"
    if moves is None:
        assert isinstance(asked, messages.Turn), "the window gives what was answered"
        choice = play.choice or 0
        if asked.legal is None or choice >= len(asked.legal):
            return BadChoice(
                at_ms=at_ms,
                game=number,
                choice=choice,
                offers_draw=offers,
                lag_ms=lag_ms,
            )
        moves = asked.legal[choice]
    return TurnAnswered(
        at_ms=at_ms,
        game=number,
        moves=moves,
        info=info,
        offers_draw=offers,
        lag_ms=lag_ms,
    )


def last_turn(
    ended: GameEnded,
    before: Match,
    facts: Sequence[MatchFact],
) -> tuple[Seat, messages.Last] | None:
    """The turn that ended a game over the board and who played it.

    `facts` are those of the step in which it ended, `before` is the match before it.
    """
    if ended.result.cause is not None or ended.result.ending == "agreement":
        return None
    for fact in facts:
        if isinstance(fact, TurnPlayed) and fact.game == ended.game:
            return fact.seat, messages.Last(dice=fact.dice, moves=fact.moves)
    game = before.find(ended.game)
    if game is None or game.last is None:
        return None
    return other(game.mover), messages.Last(dice=game.last.dice, moves=game.last.moves)


def rejected(handle: int, fact: TurnRejected) -> messages.Rejected:
    """The verdict on an illegal turn."""
    return messages.Rejected(
        game=handle,
        turn=fact.turn,
        code=fact.code,
        clause=fact.clause,
        message=fact.message,
        values=fact.values,
        left=fact.left,
        legal_turns=fact.legal_turns,
    )


def game_end(
    handle: int,
    match: str,
    fact: GameEnded,
    seat: Seat,
    last: messages.Last | None,
    receipt: messages.Receipt,
) -> messages.GameEnd:
    """The end of a game, told to one seat.

    `last` is the turn of the opponent that ended it over the board.
    """
    result = fact.result
    return messages.GameEnd(
        game=handle,
        match=match,
        number=fact.game,
        result=outcome(result.winner, seat),
        ending=result.ending,
        clause=result.clause,
        monk=result.monk,
        points=result.points,
        score=_mine_first(fact.score, seat),
        cause=result.cause or "",
        last=last,
        receipt=receipt,
    )


def game_void(
    handle: int,
    match: str,
    number: int,
    score: Pair,
    seat: Seat,
    receipt: messages.Receipt,
) -> messages.GameEnd:
    """The end of a game that does not count, told to one seat."""
    return messages.GameEnd(
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


def match_end(
    match: Match,
    result: Outcome,
    seat: Seat,
    seed: bytes,
    receipt: messages.Receipt | None,
) -> messages.MatchEnd:
    """The end of a match, told to one seat, with all that its dice were made of."""
    one, two = match.standing.entropies
    known = None if one is None or two is None else (bytes.fromhex(one), bytes.fromhex(two))
    score = _mine_first(match.standing.score, seat)
    return messages.MatchEnd(
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
