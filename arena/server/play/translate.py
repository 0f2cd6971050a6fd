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
    """Return the time control of a match as its bots are told."""
    return msgspec.convert(clock, messages.ClockTerms, from_attributes=True)


def invitation(match: Match, seat: Seat) -> messages.MatchStart:
    """Return the invitation to a match; the opponent's version is empty until it has come."""
    opponent = match.standing.ready[other(seat) - 1]
    version = ""
    if opponent is not None:
        version = opponent.entrant.version
    return match_start(match.setting.opened, seat, version)


def match_start(opened: MatchOpened, seat: Seat, opponent_version: str) -> messages.MatchStart:
    """Return the invitation to a match against an opponent of this version."""
    opponent = messages.Opponent(name=opened.entrants[other(seat) - 1], version=opponent_version)
    terms = opened.terms
    return messages.MatchStart(
        match=opened.match,
        ruleset=opened.ruleset,
        form=terms.form,
        games=terms.games,
        seat=seat,
        opponent=opponent,
        clock=clock_terms(terms.clock),
        rejections=terms.rejections,
        dice_commitment=bytes.fromhex(opened.dice_commitment),
        attempt=opened.attempt,
    )


def match_reveal(match: Match, seat: Seat) -> messages.MatchReveal:
    """Return the question for the entropy that the bot at a seat has committed to.

    Both bots have committed to theirs.
    """
    opponent = match.standing.ready[other(seat) - 1]
    assert opponent is not None, "both bots are ready before either is asked to reveal"
    commitment = None
    if opponent.commitment is not None:
        commitment = bytes.fromhex(opponent.commitment)
    return messages.MatchReveal(match=match.setting.opened.match, opponent_commitment=commitment)


def pause(match: Match, now_ms: int) -> messages.Break:
    """Return the message to a resting bot about the break before the next game."""
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
    """Return the beginning of a game for one seat of the match.

    In the second half of a pair its bot has the other seat.
    """
    seat_in_game = seat
    if opened.terms.form == "pairs" and number % 2 == 0:
        seat_in_game = other(seat)
    return messages.GameStart(
        game=handle,
        match=opened.match,
        number=number,
        seat=seat_in_game,
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
    """Return the question to the side to move: its turn, or its call for dice (B11.3).

    It has the clocks as they are now.
    """
    rules = setting.rules
    control = setting.terms.clock
    mine = game.mover - 1
    left_ms = game.left_ms[mine]
    delay_left_ms = control.delay_ms
    if game.written_ms is not None or game.earlier_ms:  # its clock runs, or has run for a call
        spent = spent_ms(game, now_ms)
        left_ms = control.left(left_ms, spent)
        delay_left_ms = control.delay_left(spent)
    clock = messages.TurnClock(
        left_ms=left_ms,
        opponent_left_ms=game.left_ms[1 - mine],
        spent_ms=game.spent_ms[mine],
        delay_left_ms=delay_left_ms,
    )
    previous = game.last
    last = None
    if previous is not None:
        last = messages.Last(dice=previous.dice, moves=previous.moves)
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
    dice = game.dice
    assert dice is not None, "a turn is rolled before it is asked for"
    legal = None
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
    question: Asked,
    number: int,
    at_ms: int,
    lag_ms: int,
) -> Answer:
    """Return an answer as an event: moves, an index in `legal`, a draw (T9), or dice (B11.3)."""
    if isinstance(play, messages.Called):
        return CallAnswered(
            at_ms=at_ms,
            game=number,
            dice=play.dice,
            lag_ms=lag_ms,
        )
    remark = play.info
    if remark is not None:
        remark = recorded(remark)
    if play.draw == "accept":  # in place of a turn; an offer goes with one
        return DrawAccepted(
            at_ms=at_ms,
            game=number,
            info=remark,
            lag_ms=lag_ms,
        )
    offers = play.draw == "offer"
    moves = play.moves
    if moves is None:
        assert isinstance(question, messages.Turn), "the window gives the answered question"
        choice = play.choice or 0
        if question.legal is None or choice >= len(question.legal):
            return BadChoice(
                at_ms=at_ms,
                game=number,
                choice=choice,
                offers_draw=offers,
                lag_ms=lag_ms,
            )
        moves = question.legal[choice]
    return TurnAnswered(
        at_ms=at_ms,
        game=number,
        moves=moves,
        info=remark,
        offers_draw=offers,
        lag_ms=lag_ms,
    )


def last_turn(
    ended: GameEnded,
    match_before: Match,
    facts: Sequence[MatchFact],
) -> tuple[Seat, messages.Last] | None:
    """Return the turn that ended a game over the board, and the seat that played it.

    `facts` are those of the step in which it ended, `match_before` is the match before it.
    """
    if ended.result.cause is not None or ended.result.ending == "agreement":
        return None
    for fact in facts:
        if isinstance(fact, TurnPlayed) and fact.game == ended.game:
            return fact.seat, messages.Last(dice=fact.dice, moves=fact.moves)
    game = match_before.find(ended.game)
    if game is None or game.last is None:
        return None
    seat = other(game.mover)
    return seat, messages.Last(dice=game.last.dice, moves=game.last.moves)


def opponents_last_turn(
    ended: GameEnded,
    match_before: Match,
    facts: Sequence[MatchFact],
    seat: Seat,
) -> messages.Last | None:
    """Return what `last_turn` does, if the opponent of a seat played it."""
    ended_by = last_turn(ended, match_before, facts)
    if ended_by is None:
        return None
    mover, turn = ended_by
    return None if mover == seat else turn


def rejected(handle: int, fact: TurnRejected) -> messages.Rejected:
    """Return the verdict on an illegal turn."""
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
    """Return the end of a game for one seat.

    `last` is the turn of the opponent that ended it over the board.
    """
    ended = fact.result
    return messages.GameEnd(
        game=handle,
        match=match,
        number=fact.game,
        result=outcome(ended.winner, seat),
        ending=ended.ending,
        clause=ended.clause,
        monk=ended.monk,
        points=ended.points,
        score=_mine_first(fact.score, seat),
        cause=ended.cause or "",
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
    """Return the end of a game that does not count for one seat."""
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
    won: Outcome,
    seat: Seat,
    seed: bytes,
    receipt: messages.Receipt | None,
) -> messages.MatchEnd:
    """Return the end of a match for one seat, with all that its dice were made of."""
    first, second = match.standing.entropies
    entropies = None
    if first is not None and second is not None:
        entropies = (bytes.fromhex(first), bytes.fromhex(second))
    return messages.MatchEnd(
        match=match.setting.opened.match,
        result=won,
        score=_mine_first(match.standing.score, seat),
        dice_seed=seed,
        entropies=entropies,
        receipt=receipt,
    )


def match_outcome(match: Match, winner: str | None, seat: Seat) -> Outcome:
    """Return the outcome of a match seen from a seat; drawn without a winner."""
    if winner is None:
        return "drawn"
    first, _ = match.setting.opened.entrants
    winning: Seat = 1 if winner == first else 2
    return outcome(winning, seat)


def outcome(winner: Seat | None, seat: Seat) -> Outcome:
    """Return the outcome seen from a seat; drawn without a winner."""
    if winner is None:
        return "drawn"
    return "won" if winner == seat else "lost"


def _mine_first(score: tuple[int, int], seat: Seat) -> tuple[int, int]:
    if seat == 1:
        return score
    first, second = score
    return second, first
