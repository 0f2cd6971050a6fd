"""`arena completion`: completion of commands, options and values in the shell."""

from typing import Final

import click

SHELLS: Final = ("bash", "zsh", "fish")


@click.command()
@click.argument("shell", type=click.Choice(SHELLS))
def command(shell: str) -> None:
    """Print the script with which a shell completes commands and options of the arena.

    The line for your shell's own start-up file is below. The arena must be on the PATH.

    \b
    Examples:
      source <(arena completion bash)        # ~/.bashrc
      source <(arena completion zsh)         # ~/.zshrc, after compinit
      arena completion fish | source         # ~/.config/fish/config.fish
    """
    from click.shell_completion import get_completion_class

    kind = get_completion_class(shell)
    assert kind is not None
    root = click.get_current_context().find_root().command
    completion = kind(root, {}, "arena", "_ARENA_COMPLETE")
    click.echo(completion.source())
