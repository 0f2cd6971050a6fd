"""The command line: one command per file, loaded only when it is called."""

from typing import Final

import click

from arena.cli.shared.lazy import LazyGroup

COMMANDS: Final = {
    "Play": ("run", "play", "compare", "serve"),
    "Look at a run": (
        "standings",
        "watch",
        "stats",
        "analyse",
        "report",
        "show",
        "log",
        "query",
        "export",
        "verify",
    ),
    "Bots": ("new", "check", "exam", "replay", "token"),
    "Venues": ("join", "admin"),
    "Rules": ("rules", "hint"),
    "Advanced": ("train", "positions", "doctor", "adapter", "key", "completion"),
    "Help": ("help", "docs", "version"),
}
"""Commands by their heading in `arena --help`; each is `command` in the module of its name."""


@click.group(
    cls=LazyGroup,
    headings=COMMANDS,
    context_settings={
        "help_option_names": ["-h", "--help"],
        "max_content_width": 100,
        "show_default": True,
    },
)
@click.version_option(package_name="brade-arena", prog_name="arena", message="%(prog)s %(version)s")
@click.option(
    "--language",
    type=click.Choice(["en", "sv"]),
    help="Language of sentences.  [default: your locale's]",
)
@click.pass_context
def main(context: click.Context, language: str | None) -> None:
    """Referee Bräde (svenskt brädspel): bots play; the arena rolls, judges, ranks and records.

    \b
    Start with:
      arena new python my-bot
      arena run --bot anna="python my-bot/bot.py" --bot bo="python my-bot/bot.py" --out my-run
      arena standings my-run

    Results go to standard output, progress and messages to standard error. A terminal gets colour;
    set NO_COLOR=1 for none. `arena help COMMAND` explains a command, and `arena docs` finds the
    pages that help texts name, such as docs/rules.md.
    """
    context.obj = language
