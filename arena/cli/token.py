"""`arena token`: the line to send to the author of a remote bot."""

import shlex
from pathlib import Path

import click

from arena.cli.shared.output import echo_json, fail, json_option, run_argument
from arena.records.files import TOURNAMENT_FILE
from arena.services.one_bot import environment_line
from arena.services.plans import given_text


@click.command()
@run_argument
@click.argument("name")
@json_option("Print one JSON object.")
def command(run: Path, name: str, *, as_json: bool) -> None:
    """Print the line to send to the author of a bot: the address, its name and its token.

    NAME is an entrant of the run in the folder RUN that connects from elsewhere. The line is the
    beginning of the command that starts the bot. Send it in a private message: anyone who has the
    token can play under this name (docs/running-a-tournament.md).

    \b
    Examples:
      arena token friday bo
      arena token friday "Åsa Ek, Vasa 1628"
    """
    from arena.server.setup.invitation import HOST, InvitationError, invitation
    from arena.server.setup.run_folder import RunFolder
    from arena.server.setup.tournament_file import PlanError, parse_plan

    if not (run / TOURNAMENT_FILE).is_file():
        advice = "give the folder that `arena run --out` wrote"
        fail(f"{run} is not a run folder: it has no tournament.toml; {advice}")
    try:
        plan = parse_plan(given_text(run))
        seat = invitation(RunFolder(run), plan, name)
    except PlanError as error:
        fail(f"{run} cannot be used: {error}")
    except InvitationError as error:
        fail(str(error))
    if as_json:
        entry = {
            "address": seat.address,
            "name": seat.name,
            "token": seat.token,
            "authority": seat.authority,
        }
        echo_json(entry)
        return
    if seat.authority is not None:
        variable = f"ARENA_CA={Path(seat.authority).name}"
        advice = f"send {seat.authority} too; the bot needs {variable} as well"
        click.echo(f"no authority has signed the certificate: {advice}", err=True)
    if seat.is_free_port:
        click.echo(
            "the arena took a free port; name one in [listen] address, so that it stays", err=True
        )
    if f":{HOST}:" in seat.address:
        click.echo(f"write the name or the address of this machine in place of {HOST}", err=True)
    click.echo(environment_line(seat.address, seat.name, shlex.quote(seat.token)))
