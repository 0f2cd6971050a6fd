"""`arena show`: a match turn by turn, with boards."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, Final

import click

from arena.cli.shared.language import translate
from arena.cli.shared.output import CHECK_FAILED, fail, json_option, note, read_source
from arena.cli.shared.streams import ascii_json, clear_screen, echo_coloured
from arena.records.files import match_records
from arena.services.sources import attempts_in, run_folder
from arena.words import Said

if TYPE_CHECKING:
    from arena.cli.show.story import Scene
    from arena.records.lines import Attempt

NEXT: Final = {"n", " ", "\r", "\n", "\x1b[C", "\x1b[B", "j"}
BACK: Final = {"p", "b", "\x7f", "\x08", "\x1b[D", "\x1b[A", "k"}
FIRST: Final = {"g", "\x1b[H", "\x1b[1~"}
LAST: Final = {"G", "\x1b[F", "\x1b[4~"}
QUIT: Final = {"q", "Q", "\x1b", "\x04"}


@click.command()
@click.argument("log", type=click.Path(exists=True, path_type=Path))
@click.option("--attempt", "number", type=click.IntRange(1), help="Only this attempt at the match.")
@click.option("--game", type=click.IntRange(1), help="Only this game of the match.")
@click.option(
    "--turn",
    type=click.IntRange(1),
    help="Only this turn of the games shown; with --step the turn to begin at.",
)
@click.option("--no-boards", is_flag=True, help="Only the moves, without boards and reasons.")
@click.option("--id", "ids", is_flag=True, help="The position ID of every turn, with its dice.")
@click.option("--step", is_flag=True, help="Step through it on a terminal: n next, p back, q quit.")
@json_option("The facts of the record with positions, one JSON object a line.")
def command(
    log: Path,
    number: int | None,
    game: int | None,
    turn: int | None,
    *,
    no_boards: bool,
    ids: bool,
    step: bool,
    as_json: bool,
) -> None:
    """Draw a match turn by turn from its record, or list the matches of a run.

    LOG is a file under matches/ of a run folder, or the run folder itself, or a match of another
    program (.mat, .txt, .xg, .bgf). Boards are drawn from
    seat 1's side after every turn (Brandubh has one view), with the numbers of both sides. Moves
    are in the mover's own numbers, which have a > before them. Parentheses mark the moved checkers.
    Every turn comes with its verdict, the reason for it, and the time that remains on the clocks.

    \b
    Examples:
      arena show my-run
      arena show my-run/matches/r1-anna-v-bo.jsonl --game 1
      arena show my-run/matches/r1-anna-v-bo.jsonl --game 1 --step
    """
    from arena.cli.show.story import tell
    from arena.records.lines import RecordError

    if step:
        _check_step(is_one_match=not as_json and not log.is_dir())
    if log.is_dir():
        options_of_match = {
            "--attempt": number,
            "--game": game,
            "--turn": turn,
            "--no-boards": no_boards,
            "--id": ids,
            "--json": as_json,
        }
        _check_none_is_used(options_of_match, log)
        _list_matches(run_folder(log))
        return
    try:
        attempts = _choose_attempts(log, number, game, turn)
        scenes = partial(tell, game=game, boards=not no_boards, ids=ids)
        if step:
            _step(*_pages(attempts, scenes, turn))
            return
        for attempt in attempts:
            if as_json:
                _print_facts(attempt, game, turn)
                continue
            for scene in scenes(attempt, turn=turn):
                echo_coloured(scene.text)
    except RecordError as error:
        fail(Said("show.unreadable", {"reason": error.said}), code=CHECK_FAILED)


def _check_none_is_used(options: Mapping[str, object], run: Path) -> None:
    used = [option for option, setting in options.items() if setting]
    if used:
        of_match = {"options": ", ".join(used), "folder": str(run / "matches")}
        fail(Said("show.of_one_match", of_match))


def _check_step(*, is_one_match: bool) -> None:
    if not is_one_match:
        fail(Said("show.step_match"))
    if not sys.stdin.isatty() or not sys.stdout.isatty():
        fail(Said("show.step_terminal"))


def _choose_attempts(
    log: Path, number: int | None, game: int | None, turn: int | None
) -> list[Attempt]:
    """Return the attempts to show; end the command if one of the numbers does not exist."""
    # One guard per number that may not exist, each with its own message.
    attempts = attempts_in(read_source(log).files)
    if not attempts:
        fail(Said("no_match_yet", {"path": str(log)}), code=CHECK_FAILED)
    chosen = [attempt for attempt in attempts if number in (None, attempt.opened.attempt)]
    missing: dict[str, Any] = {"path": str(log)}
    if not chosen:
        missing["there"] = ", ".join(str(attempt.opened.attempt) for attempt in attempts)
        fail(Said("show.no_attempt", {**missing, "number": number}))
    games, turns = _games_and_turns(chosen, game)
    if game is not None and game not in games:
        missing["there"] = _numbers(games)
        fail(Said("show.no_game", {**missing, "number": game}))
    if turn is not None and turn not in turns:
        missing["there"] = _numbers(turns)
        missing["number"] = turn
        if game is None:
            fail(Said("show.no_turn", missing))
        fail(Said("show.no_turn_in_game", {**missing, "game": game}))
    return chosen


def _games_and_turns(attempts: list[Attempt], game: int | None) -> tuple[set[int], set[int]]:
    """Return the numbers of the games, and of the turns of this game; None for any."""
    from arena.matches.facts import GameEnded, GameStarted, TurnFact

    games, turns = set(), set()
    for attempt in attempts:
        for _, fact in attempt.facts:
            if isinstance(fact, GameStarted | GameEnded):
                games.add(fact.game)
            elif isinstance(fact, TurnFact) and game in (None, fact.game):
                turns.add(fact.turn)
    return games, turns


def _numbers(numbers: set[int]) -> Said:
    if not numbers:
        return Said("show.none")
    return Said("show.from_to", {"first": min(numbers), "last": max(numbers)})


def _step(pages: Sequence[str], number: int) -> None:
    """Show the pages as keys ask for them, beginning at this one."""
    while True:
        clear_screen()
        echo_coloured(pages[number])
        click.echo()
        click.echo(translate(Said("show.keys", {"number": number + 1, "all": len(pages)})))
        try:
            key = click.getchar()
        except (KeyboardInterrupt, EOFError):
            return
        if key in QUIT:
            return
        if key in NEXT:
            number = min(number + 1, len(pages) - 1)
        elif key in BACK:
            number = max(number - 1, 0)
        elif key in FIRST:
            number = 0
        elif key in LAST:
            number = len(pages) - 1


def _pages(
    attempts: list[Attempt],
    scenes: Callable[[Attempt], Iterator[Scene]],
    turn: int | None,
) -> tuple[list[str], int]:
    """Return the pages to step through, and the number of the page to begin at."""
    pages: list[str] = []
    texts: list[str] = []
    begin = None
    for attempt in attempts:
        for scene in scenes(attempt):
            texts.append(scene.text)
            if not scene.is_page:
                continue
            if begin is None and scene.turn is not None and scene.turn == turn:
                begin = len(pages)
            pages.append("\n".join(texts))
            texts.clear()
    if texts or not pages:
        pages.append("\n".join(texts))
    return pages, begin or 0


def _list_matches(run: Path) -> None:
    from arena.cli.show.story import match_words
    from arena.records.lines import RecordError, read_attempts, whole_lines
    from arena.records.tabulate import annulled_in
    from arena.server.setup.run_folder import RunFiles

    files = RunFiles(run)
    lines: dict[str, Said] = {}
    broken: list[RecordError] = []
    annulled: frozenset[str] = frozenset()
    try:
        annulled = annulled_in(files)
    except RecordError as error:
        broken.append(error)
    for name in match_records(files):
        is_annulled = PurePosixPath(name).stem in annulled
        try:
            attempts = read_attempts(name, whole_lines(files[name]))
            lines[name] = match_words(attempts, is_annulled=is_annulled)
        except RecordError as error:
            lines[name] = Said("show.cannot_be_read")
            broken.append(error)
    width = max(map(len, lines), default=0)
    for name, words in lines.items():
        click.echo(f"{run / name}{' ' * (width - len(name))}  {translate(words)}")
    if not lines:
        note(Said("no_match_yet", {"path": str(run)}))
    for damage in broken:
        note(Said("show.broken", {"reason": damage.said}))
    if broken:
        raise SystemExit(CHECK_FAILED)


def _print_facts(attempt: Attempt, game: int | None, turn: int | None) -> None:
    """Print the facts as JSON, with the position after each turn for the side that moves next."""
    from arena.cli.show.story import is_about
    from arena.matches.facts import TurnPlayed
    from arena.records.lines import encode_line
    from arena.records.timeline import Timeline

    echo_coloured(ascii_json(encode_line(attempt.opened).decode()))
    book = Timeline.of(attempt, is_replayed=True)
    for moment in book.tell(attempt.facts):
        if not is_about(moment.fact, game, turn):
            continue
        entry = json.loads(encode_line(moment.fact))
        if isinstance(moment.fact, TurnPlayed):
            entry["position_after"] = book.rules.to_plain(book.rules.flip(moment.after))
        echo_coloured(json.dumps(entry))
