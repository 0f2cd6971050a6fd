"""The events of `arena run --json`: every line of the tournament record as it is written, for scripts."""

from __future__ import annotations

import json
from pathlib import Path

import click

from arena.records.facts import TournamentFact
from arena.records.lines import encode_line


def print_begin(folder: Path) -> None:
    """The first event: the folder of the run."""
    click.echo(json.dumps({"event": "run_begun", "folder": str(folder)}))


def print_event(fact: TournamentFact | str) -> None:
    """One JSON object on a line of its own; what is for the operator is an event `message`."""
    if isinstance(fact, str):
        click.echo(json.dumps({"event": "message", "text": fact}))
    else:
        click.echo(encode_line(fact))
