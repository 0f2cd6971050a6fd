"""Positions put to a bot over the ordinary protocol, as many at once as its window has room for."""

from collections.abc import Callable, Iterator

from arena.analysis.examination import ExamQuestion, PositionSet
from arena.conformance.play import PlayedSituation, play
from arena.conformance.situation import Situation
from arena.conformance.situations import BYE, HELLO, MATCH, Script, game_start, said, welcome
from arena.matches.time_control import TimeControl
from arena.server.programs.program import Host
from arena.services.conversation import Conversation, Words
from protocol.messages import GameEnd, Last, MatchEnd, Play, Turn


async def examine(
    asked: PositionSet,
    begin: int,
    host: Host,
    *,
    clock: TimeControl,
    patience_s: float,
    take: Callable[[int], object],
) -> PlayedSituation:
    """Put the positions from number `begin` on to a bot; `take` gets the place of each turn it plays, in order.

    To the bot it is a match of many games, each with one turn and then void. What it did wrong ends
    the examination.
    """

    def words(conversation: Conversation) -> Iterator[Words]:
        script, over = Script(asked.game, clock), tuple[GameEnd, ...]()
        yield said(HELLO)
        yield said(welcome(), script.match(games=len(asked.questions) - begin))
        assert conversation.login is not None, "it has logged in"
        window = conversation.login.window
        for first in range(begin, len(asked.questions), window):
            numbers = range(first, min(first + window, len(asked.questions)))
            turns = [
                _turn(script, number - begin + 1, asked, asked.questions[number])
                for number in numbers
            ]
            starts = [game_start(turn.game, starts=turn.turn % 2 == 1) for turn in turns]
            yield said(*over, *starts, *turns)
            for number, turn in zip(numbers, turns, strict=True):
                answer = conversation.answers.pop(turn.game)
                assert isinstance(answer, Play), "a turn is answered with a play"
                take(
                    asked.place_of(asked.questions[number], answer.moves)
                    if answer.choice is None
                    else answer.choice
                )
            over = tuple(_void(turn.game) for turn in turns)
        yield said(*over, MatchEnd(match=MATCH, result="void", score=[0, 0]), BYE)

    situation = Situation(
        name="exam",
        what="answers the positions of an examination",
        section="examination.md",
        connections=(words,),
        game=asked.game,
    )
    return await play(situation, host, patience_s, clock)


def _turn(script: Script, game: int, asked: PositionSet, question: ExamQuestion) -> Turn:
    one = question.of
    last = None if one.last is None else Last(dice=one.last[0], moves=one.last[1])
    plain = asked.game.to_plain(question.position)
    return script.turn(game=game, turn=one.turn, dice=one.dice, plain=plain, last=last)


def _void(game: int) -> GameEnd:
    return GameEnd(
        game=game,
        match=MATCH,
        number=game,
        result="void",
        ending="void",
        clause="",
        monk=False,
        points=0,
        score=(0, 0),
    )
