"""A match by hand on a terminal, with the board of `arena show`."""

import queue
import select
import sys
import time
from contextlib import closing, suppress
from pathlib import Path
from typing import Any, Final

import click

from arena.cli.shared.boards import board_lines, turn_words
from arena.cli.shared.language import language, translate
from arena.cli.shared.output import INTERRUPTED, arena_again
from arena.cli.shared.streams import echo_coloured, rewrite_prompt
from arena.person.advice import costliest, dice_to_call, hints, judged
from arena.person.arena_run import ArenaRun, OwnArena, Wanted
from arena.person.seat import Seat
from arena.person.sitting import Sitting
from arena.person.told import GameOver, PlayedTurn, Refusal
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
"""Codes of the lines of the help."""
MOST_TURNS: Final = 40
"""Most legal turns that `?` shows."""
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
"""Swedish commands, which can be typed beside the English ones."""


def say(english: str, **values: object) -> str:
    """Return words of this module in the language of the terminal, with values for `{name}`.

    Raises KeyError if the catalogue does not have them.
    """
    return word(english, language(), **values)


def command_of(typed: str) -> str:
    """Return the English of a command; return other text without capitals."""
    lowered = typed.lower()
    if language() == "sv":
        return COMMANDS.get(lowered, lowered)
    return lowered


def _read_line() -> str:
    """Return what is typed; print it if no terminal shows it. Raises EOFError at the end."""
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
            welcome = say("you play against {name}; help shows what you can type", name=name)
            click.echo(welcome + "\n")
            _Table(run, seat, news).sit()
        except (KeyboardInterrupt, click.Abort, EOFError):
            if not _is_over(seat):
                run.stop()
                again = arena_again("play", folder, "--terminal")
                interrupted = say("interrupted; go on with: {command}", command=again)
                click.echo("\n" + interrupted, err=True)
                raise SystemExit(INTERRUPTED) from None
        finally:
            if _is_over(seat):
                run.wait(60)


def _is_over(seat: Seat) -> bool:
    return seat.sitting.phase in ("over", "left")


class _Table:
    def __init__(self, run: ArenaRun, seat: Seat, news: queue.SimpleQueue[None]) -> None:
        self._run, self._seat, self._news = run, seat, news
        self._events_shown = 0
        """Number of events of the match that were printed."""
        self._prompted = ("", "")
        """The question and the phase of the last prompt."""
        self._offers_draw = False

    def sit(self) -> None:
        """Play until the match is over, or the person has left."""
        while True:
            self._news.get()
            with self._seat.at_the_board() as sitting:
                phase, question = sitting.phase, sitting.question
                self._tell(sitting)
            if phase in ("over", "left"):
                self._tell_end()
                return
            _, last_phase = self._prompted
            if phase == "ready" and last_phase == "break":
                click.echo(say("Waiting for {name} …", name=self._run.opponent.name))
            if (question, phase) == self._prompted:
                continue
            self._prompted = (question, phase)
            if phase in ("turn", "call"):
                self._ask(phase, question)
            elif phase == "break":
                self._rest(question)

    def _tell(self, sitting: Sitting) -> None:
        """Print what has happened since the last time; of games from before, only their ends."""
        story = sitting.story[self._events_shown :]
        first = 0
        if not self._events_shown:
            for number, event in enumerate(story):
                if isinstance(event, GameOver):
                    first = number
        for number, event in enumerate(story):
            if isinstance(event, GameOver):
                click.echo(self._game_words(event))
            elif number >= first and not event.is_mine:
                click.echo(self._turn_words(event, sitting))
        self._events_shown = len(sitting.story)

    def _turn_words(self, event: PlayedTurn, sitting: Sitting) -> str:
        name, turn = self._run.opponent.name, turn_words(event.text)
        words = f"{name}: {turn}"
        if event.dice:
            dice = "-".join(map(str, event.dice))
            words = say("{name} rolls {dice}: {turn}", name=name, dice=dice, turn=turn)
        return words + self._events(event.hits, event.strikes, sitting)

    def _tell_end(self) -> None:
        sitting = self._seat.sitting
        if sitting.phase == "left":
            why = sitting.why_left or Said("left.lost")
            click.echo(say("the match is over for you: {why}", why=translate(why)))
            return
        assert sitting.end is not None
        mine, theirs = sitting.end.score
        name = self._run.opponent.name
        over = say(
            "the match is over: you {mine} : {theirs} {name}",
            mine=mine,
            theirs=theirs,
            name=name,
        )
        click.echo(f"\n{over}")
        dice = say("every roll was checked: the dice were fixed before you sat down (docs/dice.md)")
        if sitting.dice_problems:
            problems = translate(joined(sitting.dice_problems))
            dice = say("the dice were NOT as promised: {problems}", problems=problems)
        click.echo(dice)
        self._run.wait(60)
        self._tell_costliest()
        folder = self._run.folder
        look = arena_again("report", folder)
        where = say(
            "the record is in {folder}; look at it with: {command}",
            folder=folder,
            command=look,
        )
        click.echo(f"\n{where}")

    def _tell_costliest(self) -> None:
        sitting = self._seat.sitting
        assert sitting.match is not None, "it is over"
        record = self._run.folder / match_record(sitting.match.match)
        turns = costliest(judged(sitting.rules, record), self._run.entrant)
        if not turns:
            return
        click.echo("\n" + say("your costliest turns, by the evaluator:"))
        for turn in turns:
            line = say(
                "game {game} turn {turn}, {dice}: {played}; better {best} ({loss} points)",
                game=turn.game,
                turn=turn.turn,
                dice="-".join(map(str, turn.dice)),
                played=turn_words(turn.played),
                best=turn_words(turn.best),
                loss=decimal(turn.loss / 1000, ".2f", language()),
            )
            click.echo(f"  {line}")

    # Between two games

    def _rest(self, question: str) -> None:
        """Count down until the person is ready for the next game, or it begins by itself."""
        is_terminal = sys.stdin.isatty() and sys.stdout.isatty()
        is_prompted = False
        while True:
            with self._seat.at_the_board() as sitting:
                if sitting.phase != "break" or sitting.question != question:
                    click.echo()
                    return
                prompt = self._break_prompt(sitting)
            if not is_prompted:
                click.echo(f"{prompt} ", nl=False)
                is_prompted = True
            elif is_terminal:
                rewrite_prompt(prompt)
            if is_terminal:
                readable, _, _ = select.select([sys.stdin], [], [], 1.0)
                if not readable:
                    continue
            line = _read_line()
            is_prompted = False
            if self._handle_break_command(command_of(line), question):
                return

    def _break_prompt(self, sitting: Sitting) -> str:
        assert sitting.left_ms is not None, "there is a break"
        spent_s = time.monotonic() - self._seat.asked_at
        minutes, seconds = divmod(max(0, round(sitting.left_ms / 1000 - spent_s)), 60)
        remaining = f"{minutes}:{seconds:02} min" if minutes else f"{seconds} s"
        return say(
            "Enter begins game {number}; it begins by itself in {time}:",
            number=len(sitting.over) + 1,
            time=f"{remaining:>8}",  # so that every prompt has the same length
        )

    def _handle_break_command(self, command: str, question: str) -> bool:
        """Handle what was typed in a break (empty: ready); return whether the break is over."""
        if command in ("resign", "quit"):
            return self._resign()
        if command:
            click.echo(say("no: {why}", why=translate(Said("not_due.break"))))
            return False
        with suppress(Refusal):  # the game has just started by itself
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
            unused = "-".join(map(str, sitting.dice_left))
            return say("{turn}, {dice} left:", turn=turn, dice=unused)
        return self._first_prompt(dice, is_draw_offered=sitting.is_draw_offered)

    @staticmethod
    def _first_prompt(dice: str, *, is_draw_offered: bool) -> str:
        if is_draw_offered and dice:
            return say("you roll {dice} (a draw is offered; accept takes it):", dice=dice)
        if is_draw_offered:
            return say("your move (a draw is offered; accept takes it):")
        if dice:
            return say("you roll {dice}:", dice=dice)
        return say("your move:")

    def _take(self, line: str, question: str) -> bool:
        """Do what was typed; return whether the question is answered."""
        try:
            with self._seat.at_the_board() as sitting:
                return self._do(sitting, line, question)
        except Refusal as refused:
            why = translate(refused.said)
            if refused.clause:
                why += f" ({refused.clause})"
            click.echo(say("no: {why}", why=why))
            return False

    # a table of the commands: one case each
    def _do(self, sitting: Sitting, line: str, question: str) -> bool:
        word = command_of(line)
        if word in ("help", "h"):
            click.echo("\n".join(translate(Said(f"help.{code}")) for code in HELP))
        elif word == "board":
            self._draw(sitting)
        elif word in ("resign", "quit"):
            return self._resign()
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
            self._toggle_draw()
        elif word == "" or (word == "pass" and sitting.why_pass()):
            return self._confirm(sitting, question)
        else:
            sitting.typed(question, word if word == "pass" else line)
            self._draw(sitting)
        return False

    def _toggle_draw(self) -> None:
        self._offers_draw = not self._offers_draw
        if self._offers_draw:
            click.echo(say("a draw is offered with this turn"))
        else:
            click.echo(say("no draw is offered"))

    def _confirm(self, sitting: Sitting, question: str) -> bool:
        """Play the turn that was typed; return False if there is none."""
        if not sitting.moves and not sitting.is_whole:
            advice = say(
                "type your moves, such as {move}; ? shows the legal turns, help everything else",
                move=sitting.next_moves()[0].text,
            )
            click.echo(advice)
            return False
        offers_draw = self._offers_draw
        self._seat.answer(lambda sitting: sitting.confirm(question, offers_draw=offers_draw))
        return True

    def _resign(self) -> bool:
        click.echo(say("resign the match? yes resigns:") + " ", nl=False)
        if command_of(sys.stdin.readline().strip()) not in ("yes", "y"):
            return False
        self._seat.leave()
        return True

    def _call(self, word: str, question: str) -> bool:
        number = {
            "one": 1,
            "1": 1,
            "two": 2,
            "2": 2,
        }.get(word)
        if number is None:
            click.echo(
                say("type one or two: some single die would complete a handsome game (B11.3)")
            )
            return False
        self._seat.answer(lambda sitting: sitting.call(question, number))
        return True

    def _draw(self, sitting: Sitting) -> None:
        rules: Any = sitting.rules
        dice = sitting.dice if sitting.phase == "turn" else ()
        drawn = rules.picture(sitting.position, before=sitting.before, dice=dice)
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
        if not sitting.moves:
            return
        so_far = turn_words(sitting.text)
        moves = ", ".join(move.text for move in sitting.next_moves())
        if moves:
            click.echo(say("after {turn}: {moves}", turn=so_far, moves=moves))
        else:
            click.echo(say("after {turn}: nothing more", turn=so_far))

    def _hint(self, sitting: Sitting) -> None:
        rules: Any = sitting.rules
        try:
            if sitting.phase == "call":
                words = say("the evaluator would roll two dice")
                if dice_to_call(rules, sitting.start) == 1:
                    words = say("the evaluator would roll one die")
                click.echo(f"  {words}")
                return
            best = hints(rules, sitting.start, sitting.dice)
        except Refusal as error:
            click.echo(translate(error.said))
            return
        sure = {"wins": say("wins"), "loses": say("loses")}
        for hint in best:
            worth = sure.get(hint.sure) or decimal(hint.worth, "+.2f", language())
            click.echo(f"  {worth:>5}  {turn_words(hint.text)}")

    # What happened

    def _events(self, hits: int, strikes: int, sitting: Sitting) -> str:
        """Return what a turn hit in words; a person does not see the marks of the record."""
        hits_code = "count.hits"
        if sitting.rules is not None and sitting.rules.colours:
            hits_code = "count.captures"
        events = []
        if hits:
            events.append(translate(Said(hits_code, {"count": hits})))
        if strikes:
            events.append(translate(Said("count.strikes", {"count": strikes})))
        return f"   ({', '.join(events)})" if events else ""

    def _game_words(self, game: GameOver) -> str:
        sentence = self._outcome_words(game)
        score = say("score {mine} : {theirs}", mine=game.score[0], theirs=game.score[1])
        if not game.why:
            return f"\n{sentence}\n"
        return f"\n{sentence}\n  {translate(game.why)}\n  {score}\n"

    @staticmethod
    def _outcome_words(game: GameOver) -> str:
        ending = Said(f"ending.{game.ending}")
        if game.monk:
            ending = Said("with_monk", {"ending": ending})
        points = translate(Said("count.points", {"count": game.points}))
        how = translate(ending)
        if game.points:
            how += f", {points}"
        values = {
            "number": game.number,
            "how": how,
            "points": points,
            "clause": game.clause,
        }
        if game.result == "drawn":
            return say("game {number} is over: it is drawn by {how} ({clause})", **values)
        if game.ending == "forfeit" and game.result == "won":
            return say("game {number} is over: you win by forfeit, {points} ({clause})", **values)
        if game.ending == "forfeit":
            return say("game {number} is over: you lose by forfeit, {points} ({clause})", **values)
        if game.result == "won":
            return say("game {number} is over: you win by {how} ({clause})", **values)
        return say("game {number} is over: you lose by {how} ({clause})", **values)
