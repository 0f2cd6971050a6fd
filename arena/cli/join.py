"""`arena join`: an account for a new bot at a venue."""

import click

from arena.cli.shared.output import echo_json, json_option, note
from arena.words import Said


@click.command()
@click.argument("address")
@click.option("--name", required=True, help="Its id: 1 to 26 of a-z, 0-9, '-' and '_'.")
@click.option("--invite", help="The code from the operator, if the venue needs one.")
@click.option("--display", help="Its name on screens.  [default: its id]")
@json_option("Print one JSON object.")
def command(
    address: str,
    name: str,
    invite: str | None,
    display: str | None,
    *,
    as_json: bool,
) -> None:
    """Join the venue at ADDRESS with a new bot, and print the line that starts it.

    ADDRESS is tcp:HOST:PORT or tls:HOST:PORT. If the operator has made the certificate, set
    ARENA_CA to its file. The line holds the token of the bot. It is told only here, and anyone who
    has it can play under this name: keep it secret.

    \b
    Examples:
      arena join tls:arena.example.org:4711 --invite 5f3c... --name anna
      arena join tcp:127.0.0.1:4711 --name bo --display "Bo, Vasa 1628"
    """
    from arena.services.joining import join_venue, start_line

    account = join_venue(address, name, invite, display or "")
    if as_json:
        entry = {
            "address": address,
            "name": account.name,
            "token": account.token,
            "page": account.page or None,
        }
        echo_json(entry)
        return
    note(Said("join.joined", {"name": account.name}))
    click.echo(start_line(address, account))
    if account.page:
        note(Said("join.page", {"page": account.page}))
