"""`arena new`: a bot to start from, in a language of your choice."""

from arena.cli.new.command import command

__all__ = ["command"]
