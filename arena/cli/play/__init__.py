"""`arena play`: a person against a bot."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click
import msgspec

from arena.cli.shared.output import A_PATH, arena_again, fail, note
from arena.cli.shared.pages import Serving, open_place, pages_options, tell_address
from arena.cli.shared.playing import name_and_command, set_option
from arena.nearest import meant
from arena.services.one_bot import command_words
from arena.services.plans import given_fields
from arena.words import Said

if TYPE_CHECKING:
    from arena.person.arena_run import Wanted


@click.command()
@click.argument("bot", required=False)
@click.option("--ruleset", default="vasa", help="Name of the ruleset.")
@click.option(
    "--games",
    type=click.Choice(["3", "5", "7"]),
    default="3",
    help="Games of the match.",
)
@click.option("--name", default="you", help="Your name in the record.")
@click.option("--terminal", is_flag=True, help="Play here, by typing moves, and not in a browser.")
@set_option
@click.option("--out", type=A_PATH, help="The run folder.  [default: runs/play-BOT-NUMBER]")
@pages_options("127.0.0.1:0")
def command(
    bot: str | None,
    ruleset: str,
    games: str,
    name: str,
    sets: tuple[str, ...],
    out: Path | None,
    *,
    terminal: bool,
    **serving: Any,
) -> None:
    """Play a match by hand against BOT: in the browser, or with --terminal by typing.

    BOT is the name of a sample bot (random, greedy, lookahead, neural; brandubh-easy and brandubh
    for Brandubh), NAME=COMMAND or the command of your own bot, or the folder of a match that you
    interrupted. With `person` another person plays against you, by a second link that your page
    shows. Without BOT you choose on the page; in the terminal you get the bot for beginners. The
    match is an ordinary run, with verifiable dice, the referee and a record, which marks you as a
    person. You have a day for each game; --set takes the fields of [clock], and
    tournament.options. docs/playing.md explains everything.

    \b
    Examples:
      arena play
      arena play greedy --terminal
      arena play neural --ruleset backgammon
      arena play --ruleset classic --set 'tournament.options=["one_die"]'
      arena play "python my-bot/bot.py"
      arena play person --name Anna
      arena play runs/play-greedy-1
    """
    from arena.person.arena_run import Wanted
    from arena.sample_opponents import default_opponent

    default = Wanted(
        opponent="",
        command="",
        ruleset=ruleset,
        games=cast("Any", int(games)),
        name=name,
    )
    folder = wanted = None
    if bot is not None and (Path(bot) / "tournament.toml").is_file():
        folder = Path(bot)
    else:
        default = _with_fields(default, sets)
        chosen = bot
        if bot is None and terminal:
            chosen = default_opponent(ruleset).name
        if chosen is not None:
            wanted = against(chosen, default)
    if not terminal:
        _serve_page(default, folder, wanted, Serving(**serving), out=out)
        return
    if _is_between_persons(bot, folder):
        fail(Said("play.person_in_terminal"))
    _play_in_terminal(folder or out, wanted)


def _is_between_persons(bot: str | None, folder: Path | None) -> bool:
    from arena.person.arena_run import plan_in
    from arena.sample_opponents import PERSON

    if bot == PERSON:
        return True
    return folder is not None and all(section.person for section in plan_in(folder).bot)


def _play_in_terminal(folder: Path | None, wanted: Wanted | None) -> None:
    from arena.cli.play.terminal import play
    from arena.person.arena_run import free_folder

    if folder is None:
        assert wanted is not None, "the terminal always has an opponent"
        folder = free_folder(Path("runs"), wanted.opponent)
    play(folder, wanted)


def _serve_page(
    default: Wanted,
    folder: Path | None,
    wanted: Wanted | None,
    serving: Serving,
    *,
    out: Path | None,
) -> None:
    from arena.pages.by_hand.hand_pages import play_in_browser
    from arena.pages.by_hand.kept_link import read_link
    from arena.pages.serving.listening import front_of

    kept = None if folder is None else read_link(folder)
    likely_port = 0 if kept is None else kept.port
    with open_place(serving, likely_port) as (place, sock):
        is_same = kept is not None and kept.port == sock.getsockname()[1]

        def ready(token: str) -> None:
            is_opened = serving.is_opened
            if is_same:
                note(Said("play.tab_goes_on"))
                if is_opened is None:
                    is_opened = False
            tell_address(f"{front_of(place, sock)}#{token}", serving._replace(is_opened=is_opened))
            note(Said("play.link_is_seat"))

        unfinished = play_in_browser(
            place,
            sock,
            default=default,
            wanted=wanted,
            folder=folder,
            out=out,
            ready=ready,
        )
    if unfinished is not None:
        note(Said("play.not_over", {"command": arena_again("play", unfinished)}))


def _with_fields(default: Wanted, sets: tuple[str, ...]) -> Wanted:
    from arena.matches.time_control import TimeControl
    from arena.server.setup.tournament_file import PlanError, parse_plan

    fields = given_fields(sets)
    known = ["tournament.options", *(f"clock.{name}" for name in TimeControl.__struct_fields__)]
    for field in fields:
        name = ".".join(field.path)
        if name not in known:
            unknown = {
                "option": field.option,
                "known": ", ".join(known),
                "meant": meant(name, known),
            }
            fail(Said("play.unknown_field", unknown))
    stand_in = msgspec.structs.replace(default, name="you", opponent="bot", command="bot")
    try:
        plan = parse_plan(stand_in.text(), fields)
    except PlanError as error:
        fail(Said("play.refused"), error.problems)
    return msgspec.structs.replace(default, options=plan.tournament.options, clock=plan.clock)


def against(bot: str, default: Wanted) -> Wanted:
    """Return the match against a sample bot, another bot or a person; end the command otherwise."""
    from arena.sample_opponents import PERSON, opponent_named, opponents_for

    if bot == PERSON:
        name = "host" if default.name == "you" else default.name
        return msgspec.structs.replace(default, opponent="guest", command=None, name=name)
    opponents, sample = opponents_for(default.ruleset), opponent_named(bot)
    names = [*(opponent.name for opponent in opponents), PERSON]
    if sample is None:
        name, line = _own_bot(bot, names)
    else:
        if sample not in opponents:
            other_game = {
                "bot": bot,
                "ruleset": default.ruleset,
                "names": ", ".join(names),
            }
            fail(Said("play.other_game", other_game))
        name, line = sample.name, sample.command()
    line.encode()  # refuse a byte that is no text now, not when the page begins the match
    return msgspec.structs.replace(default, opponent=name, command=line)


def _own_bot(bot: str, names: list[str]) -> tuple[str, str]:
    """Return name and command of a bot that is no sample bot; `names` are those of sample bots."""
    name, line = name_and_command(bot)
    if " " not in bot and "=" not in bot and not Path(bot).exists():
        unknown = {
            "bot": repr(bot),
            "names": ", ".join(names),
            "meant": meant(bot, names),
        }
        fail(Said("play.no_bot", unknown))
    if not command_words(line):
        fail(Said("play.no_command", {"bot": repr(bot)}))
    return name or "bot", line
