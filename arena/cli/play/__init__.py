"""`arena play`."""

from arena.cli.play.command import command

__all__ = ["command"]
