"""`arena rules count`: counts that check an engine."""

from __future__ import annotations

import click

from arena.cli.shared.output import fail


@click.command()
@click.option("--ruleset", default="vasa", show_default=True, help="Name of the ruleset.")
@click.option("--option", "options", multiple=True, help="An option of the ruleset, such as double_six.")
@click.option("--depth", type=click.IntRange(1, 6), default=2, show_default=True, help="Turns to look ahead.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line.")
def command(ruleset: str, options: tuple[str, ...], depth: int, *, as_json: bool) -> None:
    """Count the tree of all rolls and all distinct results from the start; the rule book has the numbers.

    First the results of every first roll, where there are dice, then for every depth the leaves (transpositions counted
    each time) and the different positions among them. Examples:

    \b
      arena rules count --ruleset classic --depth 3
      arena rules count --ruleset brandubh-1 --depth 4
    """  # noqa: D301 - click's mark for a block that keeps its lines
    import json

    from arena.games import GameError, load_game
    from arena.games.counting import count_first_rolls, count_tree

    try:
        game = load_game(ruleset, options)
    except GameError as error:
        fail(str(error))
    if not as_json:
        first = count_first_rolls(game)
        shown = (f"{'-'.join(map(str, dice))}: {number}" for dice, number in first.items() if dice)
        click.echo("first rolls  " + "  ".join(shown) if any(first) else "no dice")
    for level in count_tree(game, depth):
        if as_json:
            click.echo(json.dumps({"depth": level.depth, "leaves": level.leaves, "distinct": level.distinct}))
        else:
            click.echo(f"depth {level.depth}: {level.leaves:,} leaves, {level.distinct:,} distinct positions")
