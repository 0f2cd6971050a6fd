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
    positions: PositionSet,
    begin: int,
    host: Host,
    *,
    clock: TimeControl,
    patience_s: float,
    take: Callable[[int], object],
) -> PlayedSituation:
    """Put the positions from number `begin` on to a bot.

    `take` gets the place of each turn that the bot plays, in order. The bot plays a match of many
    games, each with one turn and then void. A mistake of the bot ends the examination.
    """

    def words(conversation: Conversation) -> Iterator[Words]:
        script = Script(positions.game, clock)
        questions = positions.questions[begin:]
        yield said(HELLO)
        yield said(welcome(), script.match(games=len(questions)))
        assert conversation.login is not None, "it has logged in"
        window = conversation.login.window
        ends: list[GameEnd] = []
        for first in range(0, len(questions), window):
            batch = questions[first : first + window]
            turns = [
                _turn(script, game, positions, question)
                for game, question in enumerate(batch, first + 1)
            ]
            starts = [game_start(turn.game, starts=turn.turn % 2 == 1) for turn in turns]
            yield said(*ends, *starts, *turns)
            for question, turn in zip(batch, turns, strict=True):
                answer = conversation.answers.pop(turn.game)
                assert isinstance(answer, Play), "a turn is answered with a play"
                if answer.choice is None:
                    take(positions.place_of(question, answer.moves))
                else:
                    take(answer.choice)
            ends = [_void(turn.game) for turn in turns]
        yield said(*ends, MatchEnd(match=MATCH, result="void", score=[0, 0]), BYE)

    situation = Situation(
        name="exam",
        what="answers the positions of an examination",
        section="examination.md",
        connections=(words,),
        game=positions.game,
    )
    return await play(situation, host, patience_s, clock)


def _turn(script: Script, game: int, positions: PositionSet, question: ExamQuestion) -> Turn:
    """Return the turn that puts a question to the bot."""
    recorded = question.of
    last = None
    if recorded.last is not None:
        dice, moves = recorded.last
        last = Last(dice=dice, moves=moves)
    plain = positions.game.to_plain(question.position)
    return script.turn(game=game, turn=recorded.turn, dice=recorded.dice, plain=plain, last=last)


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
