"""`arena rules list`: the rulesets and their fields."""

from __future__ import annotations

import click


@click.command()
@click.option("--json", "as_json", is_flag=True, help="One JSON object with every ruleset whole.")
def command(*, as_json: bool) -> None:
    """List every ruleset with its fields and the options it takes.

    Example: arena rules list
    """
    import json

    from arena.games import load_game, option_names, ruleset_names, ruleset_record

    if as_json:
        click.echo(json.dumps({name: ruleset_record(load_game(name)) for name in ruleset_names()}))
        return
    for name in ruleset_names():
        options = ", ".join(option_names(name))
        click.echo(f"{name}" + (f" (options: {options})" if options else ""))
        for field, value in load_game(name).ruleset.items():
            if field != "name":
                click.echo(f"  {field} = {json.dumps(value)}")
