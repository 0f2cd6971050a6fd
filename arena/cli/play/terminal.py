"""A match by hand on a terminal: the board as in `arena show`, moves as everywhere else."""

from __future__ import annotations

import queue
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from arena.cli.shared.boards import board_lines
from arena.cli.shared.output import INTERRUPTED, printable
from arena.cli.shared.streams import echo_coloured

if TYPE_CHECKING:
    from arena.person.arena_run import ArenaRun, Wanted
    from arena.person.seat import Seat
    from arena.person.sitting import Sitting
    from arena.person.told import GameOver

HELP: Final = """\
  1/7 12/15     moves, in the order played (bar/5, 20/off; d1-c1 in Brandubh); all of a turn, or one at a time
  Enter         plays the turn once it is whole; a pass, too
  undo          takes back the last move
  ?             shows the legal turns
  hint          shows what the evaluator would play (needs the extra analysis)
  one, two      how many dice to roll, where the rules leave it to you (B11.3)
  draw, accept  offers a draw with the turn, or accepts one (where the rules have it)
  board         draws the board again
  resign        leaves the match; the games that are left go to the opponent
  help          shows this
Ctrl-C interrupts the match; `arena play FOLDER` goes on with it."""
MOST_TURNS: Final = 40
"""Legal turns that `?` shows."""


def play(folder: Path, wanted: Wanted | None) -> None:
    """Play the match in this folder to its end. Raises `RunError` if it cannot be played."""
    from arena.person.arena_run import ArenaRun
    from arena.person.seat import Seat

    click.echo("the arena starts, and tries out the opponent ...", err=True)
    news: queue.SimpleQueue[None] = queue.SimpleQueue()
    run = ArenaRun(folder, wanted)
    seat = Seat(lambda: news.put(None))
    try:
        seat.begin(run.address, run.entrant, run.token)
        click.echo(f"you play against {printable(run.opponent.name)}; help shows what you can type\n")
        _Table(run, seat, news).sit()
    except (KeyboardInterrupt, click.Abort, EOFError):
        if seat.sitting.phase not in ("over", "left"):
            run.stop()
            click.echo(f"\ninterrupted; go on with: arena play {folder} --terminal", err=True)
            raise SystemExit(INTERRUPTED) from None
    finally:
        _finish(run, seat)


def _finish(run: ArenaRun, seat: Seat) -> None:
    if seat.sitting.phase in ("over", "left"):
        run.wait(60)
    run.stop()


class _Table:
    """The conversation at the board."""

    def __init__(self, run: ArenaRun, seat: Seat, news: queue.SimpleQueue[None]) -> None:
        self._run, self._seat, self._news = run, seat, news
        self._told = 0
        """How much of the story of the match was told."""
        self._asked = ("", "")
        self._offers_draw = False

    def sit(self) -> None:
        """Until the match is over, or the person has left."""
        while True:
            self._news.get()
            with self._seat.at_the_board() as sitting:
                phase, question = sitting.phase, sitting.question
                self._tell(sitting)
            if phase in ("over", "left"):
                self._tell_end()
                return
            if phase in ("turn", "call") and (question, phase) != self._asked:
                self._asked = (question, phase)
                self._ask(phase, question)

    def _tell(self, sitting: Sitting) -> None:
        """What has happened since: the opponent's turns, games that are over."""
        from arena.person.told import GameOver

        name = printable(self._run.opponent.name)
        for told in sitting.story[self._told :]:
            if isinstance(told, GameOver):
                click.echo(_game_words(told))
            elif not told.is_mine:
                rolled = f" rolls {'-'.join(map(str, told.dice))}:" if told.dice else ":"
                click.echo(f"{name}{rolled} {told.text}{_events(told.hits, told.strikes, sitting)}")
        self._told = len(sitting.story)

    def _tell_end(self) -> None:
        sitting = self._seat.sitting
        if sitting.phase == "left":
            click.echo(f"the match is over for you: {sitting.why_left or 'the connection was lost'}")
            return
        assert sitting.end is not None
        mine, theirs = sitting.end.score
        click.echo(f"\nthe match is over: you {mine} : {theirs} {printable(self._run.opponent.name)}")
        if self._seat.dice_problems:
            click.echo("the dice were NOT as promised: " + "; ".join(self._seat.dice_problems))
        else:
            click.echo("every roll was checked: the dice were fixed before you sat down (docs/dice.md)")
        self._run.wait(60)
        self._tell_costliest()
        click.echo(f"\nthe record is in {self._run.folder}; look at it with: arena report {self._run.folder}")

    def _tell_costliest(self) -> None:
        from arena.person.advice import NoAdviceError, advisor_for

        rules, record = self._seat.sitting.rules, self._run.match_record()
        if rules is None or record is None:
            return
        try:
            found = advisor_for(rules).costliest(record, self._run.entrant)
        except NoAdviceError:
            return
        if found:
            click.echo("\nyour costliest turns, by the evaluator:")
        for one in found:
            dice = "-".join(map(str, one.dice))
            better = f"better {one.best} ({one.loss / 1000:.2f} points)"
            click.echo(f"  game {one.game} turn {one.turn}, {dice}: {one.played}; {better}")

    # A question

    def _ask(self, phase: str, question: str) -> None:
        self._offers_draw = False
        with self._seat.at_the_board() as sitting:
            self._draw(sitting)
        while True:
            with self._seat.at_the_board() as sitting:
                if sitting.phase != phase or sitting.question != question:
                    return  # the flag has fallen, or the arena is gone
                prompt = self._prompt(sitting)
            click.echo(prompt, nl=False)
            line = sys.stdin.readline()
            if not line:
                raise EOFError
            if not sys.stdin.isatty():
                click.echo(line.rstrip("\n"))
            if self._take(line.strip(), question):
                return

    def _prompt(self, sitting: Sitting) -> str:
        if sitting.phase == "call":
            return "one die or two (B11.3)? "
        dice = "-".join(map(str, sitting.dice))
        if sitting.why_pass():
            return f"you roll {dice}: no die can be used, so you pass (B3.5); Enter: "
        if sitting.is_whole:
            ending = f", which ends the game: {sitting.ending.name.replace('_', ' ')}" if sitting.ending else ""
            return f"{sitting.text}{ending}; Enter plays it: "
        if sitting.moves:
            left = "-".join(map(str, sitting.dice_left))
            return f"{sitting.text}, {left} left: "
        offer = " (a draw is offered; accept takes it)" if sitting.is_draw_offered else ""
        return f"you roll {dice}{offer}: " if dice else f"your move{offer}: "

    def _take(self, line: str, question: str) -> bool:
        """Do what was typed; whether the question is answered."""
        from arena.person.told import Refusal

        try:
            with self._seat.at_the_board() as sitting:
                return self._do(sitting, line, question)
        except Refusal as refused:
            clause = f" ({refused.clause})" if refused.clause else ""
            click.echo(f"no: {printable(str(refused)).rstrip('.')}{clause}")
            return False

    def _do(self, sitting: Sitting, line: str, question: str) -> bool:
        word = line.lower()
        if word in ("help", "h"):
            click.echo(HELP)
        elif word == "board":
            self._draw(sitting)
        elif word in ("resign", "quit"):
            click.echo("resign the match? yes resigns: ", nl=False)
            if sys.stdin.readline().strip().lower() in ("yes", "y"):
                self._seat.leave()
                return True
        elif sitting.phase == "call":
            return self._call(sitting, word, question)
        elif word == "?":
            self._legal(sitting)
        elif word == "hint":
            self._hint(sitting)
        elif word == "undo":
            sitting.undo(question)
            self._draw(sitting)
        elif word == "accept":
            self._seat.accept_draw(question)
            return True
        elif word == "draw":
            self._offers_draw = not self._offers_draw
            click.echo("a draw is offered with this turn" if self._offers_draw else "no draw is offered")
        elif word == "" or (word == "pass" and sitting.why_pass()):
            if not sitting.moves and not sitting.is_whole:
                click.echo(
                    "type your moves, such as "
                    f"{sitting.next_moves()[0].text}; ? shows the legal turns, help everything else"
                )
                return False
            self._seat.confirm(question, offers_draw=self._offers_draw)
            return True
        else:
            sitting.typed(question, line)
            self._draw(sitting)
        return False

    def _call(self, sitting: Sitting, word: str, question: str) -> bool:
        if word == "hint":
            self._hint(sitting)
            return False
        number = {"one": 1, "1": 1, "two": 2, "2": 2}.get(word)
        if number is None:
            click.echo("type one or two: some single die would complete a handsome game (B11.3)")
            return False
        self._seat.call(question, number)
        return True

    def _draw(self, sitting: Sitting) -> None:
        rules: Any = sitting.rules
        is_turn = sitting.phase == "turn"
        lines = rules.picture(sitting.position, before=sitting.before, dice=sitting.dice if is_turn else ())
        echo_coloured(f"\n{board_lines(lines, '  ')}\n")

    def _legal(self, sitting: Sitting) -> None:
        rules: Any = sitting.rules
        start = sitting.start
        turns = rules.legal_turns(start, sitting.dice)
        for number, turn in enumerate(turns):
            if number == MOST_TURNS:
                click.echo(f"  ... {len(turns)} in all")
                break
            click.echo(f"  {rules.format_turn(turn.moves, start, turn.ending)}")
        if sitting.moves:
            click.echo(
                f"after {sitting.text}: {', '.join(move.text for move in sitting.next_moves()) or 'nothing more'}"
            )

    def _hint(self, sitting: Sitting) -> None:
        from arena.person.advice import NoAdviceError, advisor_for

        rules: Any = sitting.rules
        try:
            advisor = advisor_for(rules)
        except NoAdviceError as error:
            click.echo(str(error))
            return
        if sitting.phase == "call":
            click.echo(f"  the evaluator would roll {'one die' if advisor.dice(sitting.start) == 1 else 'two dice'}")
            return
        for hint in advisor.turns(sitting.start, sitting.dice):
            click.echo(f"  {hint.points:+.2f}  {hint.text}")


def _events(hits: int, strikes: int, sitting: Sitting) -> str:
    """What a turn hit, in words, for who does not see the stars."""
    if sitting.rules is not None and sitting.rules.colours:
        return f"   ({hits} captured)" if hits else ""
    told = [
        f"{number} {word}{'s' if number > 1 else ''}" for number, word in ((hits, "hit"), (strikes, "strike")) if number
    ]
    return f"   ({', '.join(told)})" if told else ""


def _game_words(game: GameOver) -> str:
    from arena.records.reasons import ENDINGS

    won = {"won": "you win", "lost": "you lose", "drawn": "nobody wins"}[game.result]
    how = game.ending.replace("_", " ") + (" with monk" if game.monk else "")
    why = ENDINGS.get(game.ending, "")
    points = f", {game.points} {'point' if game.points == 1 else 'points'}" if game.points else ""
    told = f"\ngame {game.number} is over: {won} by {how}{points} ({game.clause})"
    return f"{told}\n  {why}\n  score {game.score[0]} : {game.score[1]}\n" if why else f"{told}\n"
