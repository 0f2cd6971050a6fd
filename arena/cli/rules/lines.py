"""JSON lines in, JSON lines out: the part that `arena rules turns` and `judge` share."""

import sys
from collections.abc import Callable, Iterator, Mapping
from typing import Any, BinaryIO, Final

import msgspec

from arena.cli.shared.output import CHECK_FAILED
from arena.cli.shared.streams import binary_output
from arena.games import Dice, Game, GameError, load_game
from arena.games.interface import Ending
from arena.games.position_ids.forms import read_position
from arena.records.lines import UNREADABLE
from arena.words import say


class LineError(Exception):
    """Error of a line that cannot be answered; a stable code and a sentence."""

    def __init__(self, code: str, message: str) -> None:
        self.code = code
        self.message = message
        super().__init__(message)


class RulesQuestion:
    """One line: a game, a position in it, and the other fields of the line."""

    def __init__(self, line: Mapping[str, Any], game: Game[Any]) -> None:
        self.line = line
        self.game = game
        try:
            read = read_position(game, line["position"])
        except GameError as error:
            raise LineError("bad_position", str(error)) from error
        self.position = read.position
        self.rolled = line.get("dice", list(read.dice))
        """The roll of the line, or of its position ID; empty if neither has one."""
        self.left_out = [say(part) for part in read.left_out]

    def after_as_json(self, position: Any, ending: Ending | None) -> dict[str, Any]:
        """Return a position after a turn, and how the game ended with it."""
        entry = {"position": self.game.to_plain(position)}
        if ending is None:
            return entry | {"ending": None, "points": 0}
        return entry | {"ending": ending.name, "points": ending.points}

    def dice(self) -> Dice:
        """Return the roll, or raise `LineError`.

        It must have as many dice as the position asks for, or as may be called (B11.3).
        """
        dice = self.rolled
        number = self.game.dice_to_roll(self.position)
        is_list = isinstance(dice, list) and all(type(die) is int and 1 <= die <= 6 for die in dice)
        if is_list and len(dice) == number:
            return tuple(dice)
        numbers = self.game.dice_to_call(self.position) or (number,)
        if is_list and len(dice) in numbers:
            return tuple(dice)
        expected = "no dice, or an empty list"
        if number:
            choices = " or ".join(map(str, numbers))
            expected = f"a list of {choices} whole numbers from 1 to 6"
        raise LineError("bad_dice", f"dice = {dice!r}; expected {expected}")


LONGEST_LINE_BYTES: Final = 1 << 20
"""Limit of a line: a question has some hundred bytes; a stream may have no line feeds at all."""
GAMES_KEPT: Final = 32
"""Most rulesets of a stream that are kept; each line may have a new one."""


def answer_lines(
    source: BinaryIO,
    answer: Callable[[RulesQuestion], dict[str, Any]],
    needs: tuple[str, ...],
) -> None:
    """Answer every line of a stream, or say what is wrong with it.

    Ends the command with 1 if a line has no answer.
    """
    encoder = msgspec.json.Encoder()
    is_good = True
    write = binary_output().write
    for question in questions(source, needs=needs):
        try:
            if isinstance(question, LineError):
                raise question
            reply = answer(question)
            if question.left_out:
                reply["left_out"] = question.left_out
        except LineError as error:
            is_good = False
            reply = {"error": {"code": error.code, "message": error.message}}
        write(encoder.encode(reply) + b"\n")
    sys.stdout.flush()
    if not is_good:
        raise SystemExit(CHECK_FAILED)


def questions(
    source: BinaryIO,
    *,
    needs: tuple[str, ...],
    may_have: tuple[str, ...] = (),
) -> Iterator[RulesQuestion | LineError]:
    """Yield every line of a stream as a question, or what is wrong with it.

    It keeps nothing in memory but some rulesets.
    """
    games: dict[bytes, Game[Any]] = {}
    while line := source.readline(LONGEST_LINE_BYTES + 1):
        if len(line) > LONGEST_LINE_BYTES:
            long = f"a line has more than {LONGEST_LINE_BYTES:,} bytes; nothing more is read"
            yield LineError("too_long", long)
            return
        if not line.strip():
            continue
        try:
            yield _question(line, needs, may_have, games)
        except LineError as error:
            yield error


def _question(
    line: bytes,
    needs: tuple[str, ...],
    may_have: tuple[str, ...],
    games: dict[bytes, Game[Any]],
) -> RulesQuestion:
    try:
        entry = msgspec.json.decode(line)
    except UNREADABLE as error:
        raise LineError("not_json", f"the line is not JSON: {error}") from error
    if not isinstance(entry, dict):
        raise LineError("not_an_object", f"a line is one JSON object, found {type(entry).__name__}")
    _check_fields(entry, needs, may_have)
    key = msgspec.json.encode([entry["ruleset"], entry.get("options")])
    if key not in games:
        if len(games) >= GAMES_KEPT:
            games.clear()
        games[key] = _game(entry["ruleset"], entry.get("options", []))
    return RulesQuestion(entry, games[key])


def _check_fields(
    entry: Mapping[str, Any],
    needs: tuple[str, ...],
    may_have: tuple[str, ...],
) -> None:
    fields = ("ruleset", "options", "position", *needs, *may_have)
    for name in entry:
        if name not in fields:
            message = f"unknown field {name!r}; known are {', '.join(fields)}"
            raise LineError("unknown_field", message)
    for name in ("ruleset", "position", *needs):
        if name not in entry and name != "dice":  # a position ID may have them
            raise LineError("missing_field", f"the line has no {name!r}")


def _game(ruleset: object, options: object) -> Game[Any]:
    if not isinstance(ruleset, str | dict):
        raise LineError(
            "bad_ruleset", f"ruleset = {ruleset!r}; expected a name or an object of fields"
        )
    if not isinstance(options, list) or not all(isinstance(option, str) for option in options):
        raise LineError("bad_ruleset", f"options = {options!r}; expected a list of names")
    try:
        return load_game(ruleset, options)
    except GameError as error:
        raise LineError("bad_ruleset", str(error)) from error
