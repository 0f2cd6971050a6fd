"""`arena stats`: what a run says of each bot's strength and conduct."""

from arena.cli.stats.command import command

__all__ = ["command"]
