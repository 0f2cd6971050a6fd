"""Every form in which a position may be given, and the forms in which one can be written."""

import json
import re
from collections.abc import Callable
from typing import Any, Final, NamedTuple

from arena.games.interface import Dice, Game, GameError
from arena.games.position_ids import fibs, gnubg, xgid
from arena.games.position_ids.written import NO_GAMMONS, Written, damaged, to_plain, to_written
from arena.games.rulesets import load_game
from arena.words import Said


class _Form(NamedTuple):
    """A form of other programs."""

    title: str
    """Its name in messages."""
    begins: str
    """The beginning of a text that is meant to have this form, as a regular expression."""
    parse: Callable[[str], Written]
    format: Callable[[Written], str]


_FORMS: Final[dict[str, _Form]] = {
    "gnubg": _Form(gnubg.NAME, r"[A-Za-z0-9+/]{14}(:|$)", gnubg.parse_id, gnubg.format_id),
    "xgid": _Form(xgid.NAME, r"(?i:XGID=)|[-A-Pa-p]{26}", xgid.parse_id, xgid.format_id),
    "fibs": _Form(fibs.NAME, r"board:.*:.*:", fibs.parse_board, fibs.format_board),
}


_EXAMPLES: Final = "24:2 13:13 | opp 1:15, 4HPwATDgc/ABMA, XGID=..., board:..."


class ReadPosition(NamedTuple):
    """A position as it was given."""

    position: Any
    """In the form of its game, from the view of the side to move."""
    dice: Dice = ()
    """The roll of an ID; empty if it has none."""
    left_out: tuple[Said, ...] = ()
    """The parts of an ID that the arena does not play."""


def read_position(game: Game[Any], position: object) -> ReadPosition:
    """Read a position: an object as on the wire, a literal, or in backgammon an ID.

    IDs are those of GNU Backgammon (with or without a match ID), XGIDs and boards of FIBS. Raises
    `GameError`.
    """
    if not isinstance(position, str):
        return ReadPosition(game.from_plain(position))
    text = position.strip()
    form = _form_of(text)
    if form is None:
        if "facing" in game.ruleset and re.fullmatch(r"\S{9,}", text):  # longer than any entry
            raise damaged("position", text, _EXAMPLES)
        return ReadPosition(game.parse_position(text))
    if not is_backgammon(game):
        values = {"form": form.title, "ruleset": game.name}
        raise GameError([Said("position_id.other_game", values)])
    written = form.parse(text)
    dice = tuple(written.dice) if any(written.dice) else ()
    if not all(1 <= die <= 6 for die in dice):
        raise damaged(form.title, text, "... 31 ...")
    return ReadPosition(game.from_plain(to_plain(written)), dice, tuple(written.left_out))


def read_typed(game: Game[Any], text: str) -> ReadPosition:
    """Read a position from text, which may also be the JSON of one.

    Raises `ValueError`, as `GameError` is one, and `RecursionError`.
    """
    if text.lstrip().startswith("{"):
        return read_position(game, json.loads(text))
    return read_position(game, text)


def game_of_id(position: object) -> Game[Any] | None:
    """Return the rules of an ID: backgammon, with gammons but in a match to one point.

    None for other forms. Raises `GameError`.
    """
    text = str(position).strip()
    form = _form_of(text)
    if form is None:
        return None
    if form.parse(text).match_points == NO_GAMMONS:
        return load_game("backgammon", ["no_gammons"])
    return load_game("backgammon")


def format_ids(game: Game[Any], position: Any, dice: Dice = ()) -> dict[str, str]:
    """Return a position in every form that can say it, by the name of the form.

    Only backgammon has other forms than the literal.
    """
    ids: dict[str, str] = {"literal": game.format_position(position)}
    if is_backgammon(game):
        written = to_written(game.to_plain(position), dice, gammons=game.ruleset["gammons"])
        for name, form in _FORMS.items():
            ids[name] = form.format(written)
    return ids


def is_backgammon(game: Game[Any]) -> bool:
    """Return whether positions of a game are those of backgammon: its board, nothing besides."""
    is_facing = game.ruleset.get("facing") == "opposite_ways"
    return is_facing and len(game.to_plain(game.start())) == 3


def _form_of(text: str) -> _Form | None:
    for form in _FORMS.values():
        if re.match(form.begins, text):
            return form
    return None
