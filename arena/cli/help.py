"""`arena help`: the help text of a command."""

import click

from arena.cli.shared.lazy import LazyGroup


@click.command()
@click.argument("words", metavar="[COMMAND]", nargs=-1)
def command(words: tuple[str, ...]) -> None:
    """Explain a command, or list all commands.

    It prints what `arena COMMAND --help` prints. A command in a group has two words.

    \b
    Examples:
      arena help run
      arena help rules turns
    """
    context = click.get_current_context().find_root()
    for word in words:
        group = context.command
        if not isinstance(group, LazyGroup):
            context.fail(f"{context.command_path!r} has no commands below it, found {word!r}")
        below = group.get_command(context, word) or group.refuse(context, word)
        context = click.Context(below, info_name=word, parent=context)
    click.echo(context.get_help())
