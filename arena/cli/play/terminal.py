"""A match by hand on a terminal: the board as in `arena show`, moves as everywhere else."""

import queue
import select
import sys
import time
from contextlib import closing, suppress
from pathlib import Path
from typing import Any, Final

import click

from arena.cli.shared.boards import board_lines, turn_words
from arena.cli.shared.language import language, told
from arena.cli.shared.output import INTERRUPTED, arena_again
from arena.cli.shared.streams import echo_coloured, rewrite_prompt
from arena.person.advice import costliest, dice_to_call, hints, judged
from arena.person.arena_run import ArenaRun, OwnArena, Wanted
from arena.person.seat import Seat
from arena.person.sitting import Sitting
from arena.person.told import GameOver, Refusal
from arena.records.files import match_record
from arena.words import Said, decimal, joined, word

HELP: Final = (
    "moves",
    "enter",
    "undo",
    "legal",
    "hint",
    "call",
    "draw",
    "board",
    "resign",
    "help",
    "interrupt",
)
"""The lines of the help, by their codes."""
MOST_TURNS: Final = 40
"""Legal turns that `?` shows."""
COMMANDS: Final = {
    "hjälp": "help",
    "ångra": "undo",
    "tips": "hint",
    "en": "one",
    "två": "two",
    "remi": "draw",
    "anta": "accept",
    "bräde": "board",
    "ge upp": "resign",
    "stå över": "pass",
    "ja": "yes",
    "j": "yes",
}
"""What can be typed in Swedish, beside the English."""


def say(english: str, **values: object) -> str:
    """Return the words, with values in place of `{name}`.

    Raises KeyError if the catalogue does not have them.
    """
    return word(english, language(), **values)


def command_of(typed: str) -> str:
    """Return the English of a command; everything else as it was typed, without capitals."""
    lowered = typed.lower()
    return COMMANDS.get(lowered, lowered) if language() == "sv" else lowered


def _read_line() -> str:
    """Return what is typed; it is printed where no terminal shows it. Raises EOFError at the end."""
    line = sys.stdin.readline()
    if not line:
        raise EOFError
    if not sys.stdin.isatty():
        click.echo(line.rstrip("\n"))
    return line.strip()


def play(folder: Path, wanted: Wanted | None) -> None:
    """Play the match in this folder to its end. Raises `RunError` if it cannot be played."""
    click.echo(say("the arena starts, and tries out the opponent ..."), err=True)
    news: queue.SimpleQueue[None] = queue.SimpleQueue()
    seat = Seat(lambda: news.put(None))
    with closing(OwnArena()) as arena:
        run = arena.play(folder, wanted)
        try:
            seat.begin(run.address, run.entrant, run.tokens[run.entrant], folder)
            name = run.opponent.name
            click.echo(
                say("you play against {name}; help shows what you can type", name=name) + "\n"
            )
            _Table(run, seat, news).sit()
        except (KeyboardInterrupt, click.Abort, EOFError):
            if seat.sitting.phase not in ("over", "left"):
                run.stop()
                again = arena_again("play", folder, "--terminal")
                click.echo(
                    "\n" + say("interrupted; go on with: {command}", command=again), err=True
                )
                raise SystemExit(INTERRUPTED) from None
        finally:
            if seat.sitting.phase in ("over", "left"):
                run.wait(60)


class _Table:
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
            if phase == "ready" and self._asked[1] == "break":
                click.echo(say("Waiting for {name} …", name=self._run.opponent.name))
            if (question, phase) != self._asked:
                self._asked = (question, phase)
                if phase in ("turn", "call"):
                    self._ask(phase, question)
                elif phase == "break":
                    self._rest(question)

    def _tell(self, sitting: Sitting) -> None:
        name = self._run.opponent.name
        story = sitting.story[self._told :]
        is_gone_on_with = not self._told
        for number, each in enumerate(story):
            if isinstance(each, GameOver):
                click.echo(self._game_words(each))
            elif is_gone_on_with and any(isinstance(later, GameOver) for later in story[number:]):
                pass  # of games that were over before, their ends are enough
            elif not each.is_mine:
                turn, dice = turn_words(each.text), "-".join(map(str, each.dice))
                rolled = say("{name} rolls {dice}: {turn}", name=name, dice=dice, turn=turn)
                events = self._events(each.hits, each.strikes, sitting)
                click.echo((rolled if dice else f"{name}: {turn}") + events)
        self._told = len(sitting.story)

    def _tell_end(self) -> None:
        sitting = self._seat.sitting
        if sitting.phase == "left":
            why = sitting.why_left or Said("left.lost")
            click.echo(say("the match is over for you: {why}", why=told(why)))
            return
        assert sitting.end is not None
        mine, theirs = sitting.end.score
        name = self._run.opponent.name
        over = say(
            "the match is over: you {mine} : {theirs} {name}", mine=mine, theirs=theirs, name=name
        )
        click.echo(f"\n{over}")
        if sitting.dice_problems:
            problems = told(joined(sitting.dice_problems))
            click.echo(say("the dice were NOT as promised: {problems}", problems=problems))
        else:
            click.echo(
                say(
                    "every roll was checked: the dice were fixed before you sat down (docs/dice.md)"
                )
            )
        self._run.wait(60)
        self._tell_costliest()
        folder = self._run.folder
        look = arena_again("report", folder)
        where = say(
            "the record is in {folder}; look at it with: {command}", folder=folder, command=look
        )
        click.echo(f"\n{where}")

    def _tell_costliest(self) -> None:
        sitting = self._seat.sitting
        assert sitting.match is not None, "it is over"
        record = self._run.folder / match_record(sitting.match.match)
        found = costliest(judged(sitting.rules, record), self._run.entrant) or []
        if found:
            click.echo("\n" + say("your costliest turns, by the evaluator:"))
        for one in found:
            line = say(
                "game {game} turn {turn}, {dice}: {played}; better {best} ({loss} points)",
                game=one.game,
                turn=one.turn,
                dice="-".join(map(str, one.dice)),
                played=turn_words(one.played),
                best=turn_words(one.best),
                loss=decimal(one.loss / 1000, ".2f", language()),
            )
            click.echo(f"  {line}")

    # Between two games

    def _rest(self, question: str) -> None:
        """Count down until the person is ready for the next game, or it begins by itself."""
        is_terminal = sys.stdin.isatty() and sys.stdout.isatty()
        is_told = False
        while True:
            with self._seat.at_the_board() as sitting:
                if sitting.phase != "break" or sitting.question != question:
                    click.echo()
                    return
                prompt = self._break_prompt(sitting)
            if not is_told:
                click.echo(f"{prompt} ", nl=False)
                is_told = True
            elif is_terminal:
                rewrite_prompt(prompt)
            if is_terminal and not select.select([sys.stdin], [], [], 1.0)[0]:
                continue
            line = _read_line()
            is_told = False
            if self._end_break(command_of(line), question):
                return

    def _break_prompt(self, sitting: Sitting) -> str:
        assert sitting.left_ms is not None, "there is a break"
        spent_s = time.monotonic() - self._seat.asked_at
        minutes, seconds = divmod(max(0, round(sitting.left_ms / 1000 - spent_s)), 60)
        left = f"{minutes}:{seconds:02} min" if minutes else f"{seconds} s"
        return say(
            "Enter begins game {number}; it begins by itself in {time}:",
            number=len(sitting.over) + 1,
            time=f"{left:>8}",  # so that every prompt has the same length
        )

    def _end_break(self, command: str, question: str) -> bool:
        """Take what was typed in a break; returns whether the break is over for the person."""
        if command in ("resign", "quit"):
            return self._resigned()
        if command:
            click.echo(say("no: {why}", why=told(Said("not_due.break"))))
            return False
        with suppress(Refusal):  # it has just begun by itself
            self._seat.ready(question)
        return True

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
            click.echo(f"{prompt} ", nl=False)
            if self._take(_read_line(), question):
                return

    def _prompt(self, sitting: Sitting) -> str:
        if sitting.phase == "call":
            return say("one die or two (B11.3)?")
        dice = "-".join(map(str, sitting.dice))
        if sitting.why_pass():
            return say("you roll {dice}: no die can be used, so you pass (B3.5); Enter:", dice=dice)
        turn = turn_words(sitting.text)
        if sitting.is_whole and sitting.ending:
            return say("{turn}, which ends the game; Enter plays it:", turn=turn)
        if sitting.is_whole:
            return say("{turn}; Enter plays it:", turn=turn)
        if sitting.moves:
            return say(
                "{turn}, {dice} left:", turn=turn, dice="-".join(map(str, sitting.dice_left))
            )
        if sitting.is_draw_offered and dice:
            return say("you roll {dice} (a draw is offered; accept takes it):", dice=dice)
        if sitting.is_draw_offered:
            return say("your move (a draw is offered; accept takes it):")
        return say("you roll {dice}:", dice=dice) if dice else say("your move:")

    def _take(self, line: str, question: str) -> bool:
        try:
            with self._seat.at_the_board() as sitting:
                return self._do(sitting, line, question)
        except Refusal as refused:
            clause = f" ({refused.clause})" if refused.clause else ""
            why = told(refused.said)
            click.echo(say("no: {why}", why=f"{why}{clause}"))
            return False

    def _do(self, sitting: Sitting, line: str, question: str) -> bool:
        word = command_of(line)
        if word in ("help", "h"):
            click.echo("\n".join(told(Said(f"help.{line}")) for line in HELP))
        elif word == "board":
            self._draw(sitting)
        elif word in ("resign", "quit"):
            return self._resigned()
        elif word == "hint":
            self._hint(sitting)
        elif sitting.phase == "call":
            return self._call(word, question)
        elif word == "?":
            self._legal(sitting)
        elif word == "undo":
            sitting.undo(question)
            self._draw(sitting)
        elif word == "accept":
            self._seat.answer(lambda sitting: sitting.accept_draw(question))
            return True
        elif word == "draw":
            self._offers_draw = not self._offers_draw
            offered = say("a draw is offered with this turn")
            click.echo(offered if self._offers_draw else say("no draw is offered"))
        elif word == "" or (word == "pass" and sitting.why_pass()):
            if not sitting.moves and not sitting.is_whole:
                move = sitting.next_moves()[0].text
                click.echo(
                    say(
                        "type your moves, such as {move}; ? shows the legal turns, help everything else",
                        move=move,
                    )
                )
                return False
            self._seat.answer(
                lambda sitting: sitting.confirm(question, offers_draw=self._offers_draw)
            )
            return True
        else:
            sitting.typed(question, word if word == "pass" else line)
            self._draw(sitting)
        return False

    def _resigned(self) -> bool:
        click.echo(say("resign the match? yes resigns:") + " ", nl=False)
        if command_of(sys.stdin.readline().strip()) not in ("yes", "y"):
            return False
        self._seat.leave()
        return True

    def _call(self, word: str, question: str) -> bool:
        number = {"one": 1, "1": 1, "two": 2, "2": 2}.get(word)
        if number is None:
            click.echo(
                say("type one or two: some single die would complete a handsome game (B11.3)")
            )
            return False
        self._seat.answer(lambda sitting: sitting.call(question, number))
        return True

    def _draw(self, sitting: Sitting) -> None:
        rules: Any = sitting.rules
        is_turn = sitting.phase == "turn"
        drawn = rules.picture(
            sitting.position, before=sitting.before, dice=sitting.dice if is_turn else ()
        )
        echo_coloured(f"\n{board_lines(drawn, '  ')}\n")

    def _legal(self, sitting: Sitting) -> None:
        rules: Any = sitting.rules
        start = sitting.start
        turns = rules.legal_turns(start, sitting.dice)
        for number, turn in enumerate(turns):
            if number == MOST_TURNS:
                click.echo("  " + say("... {count} in all", count=len(turns)))
                break
            click.echo(f"  {turn_words(rules.format_turn(turn.moves, start, turn.ending))}")
        if sitting.moves:
            so_far, moves = (
                turn_words(sitting.text),
                ", ".join(move.text for move in sitting.next_moves()),
            )
            more = say("after {turn}: {moves}", turn=so_far, moves=moves)
            click.echo(more if moves else say("after {turn}: nothing more", turn=so_far))

    def _hint(self, sitting: Sitting) -> None:
        rules: Any = sitting.rules
        try:
            if sitting.phase == "call":
                one, two = (
                    say("the evaluator would roll one die"),
                    say("the evaluator would roll two dice"),
                )
                click.echo(f"  {one if dice_to_call(rules, sitting.start) == 1 else two}")
                return
            found = hints(rules, sitting.start, sitting.dice)
        except Refusal as error:
            click.echo(told(error.said))
            return
        sure = {"wins": say("wins"), "loses": say("loses")}
        for hint in found:
            worth = sure.get(hint.sure) or decimal(hint.worth, "+.2f", language())
            click.echo(f"  {worth:>5}  {turn_words(hint.text)}")

    # What happened

    def _events(self, hits: int, strikes: int, sitting: Sitting) -> str:
        """Describe what a turn hit, for a person who does not see the stars."""
        taken = (
            "count.captures"
            if sitting.rules is not None and sitting.rules.colours
            else "count.hits"
        )
        counts = ((taken, hits), ("count.strikes", strikes))
        events = ", ".join(told(Said(code, {"count": count})) for code, count in counts if count)
        return f"   ({events})" if events else ""

    def _game_words(self, game: GameOver) -> str:
        ending = Said(f"ending.{game.ending}")
        points = told(Said("count.points", {"count": game.points}))
        how = told(Said("with_monk", {"ending": ending}) if game.monk else ending)
        how += f", {points}" if game.points else ""
        values = {"number": game.number, "how": how, "points": points, "clause": game.clause}
        if game.result == "drawn":
            sentence = say("game {number} is over: nobody wins by {how} ({clause})", **values)
        elif game.ending == "forfeit" and game.result == "won":
            sentence = say(
                "game {number} is over: you win by forfeit, {points} ({clause})", **values
            )
        elif game.ending == "forfeit":
            sentence = say(
                "game {number} is over: you lose by forfeit, {points} ({clause})", **values
            )
        elif game.result == "won":
            sentence = say("game {number} is over: you win by {how} ({clause})", **values)
        else:
            sentence = say("game {number} is over: you lose by {how} ({clause})", **values)
        score = say("score {mine} : {theirs}", mine=game.score[0], theirs=game.score[1])
        return f"\n{sentence}\n  {told(game.why)}\n  {score}\n" if game.why else f"\n{sentence}\n"
