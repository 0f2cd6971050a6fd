"""Output of `arena run --json`: every line of the tournament record as it is written, for scripts."""

from __future__ import annotations

import json
from pathlib import Path

import click

from arena.records.facts import TournamentFact
from arena.records.lines import encode_line
from arena.server.io.operator_log import Event, sentence


def print_begin(folder: Path) -> None:
    """The first event: the folder of the run."""
    click.echo(json.dumps({"event": "run_begun", "folder": str(folder)}))


def print_fact(fact: TournamentFact) -> None:
    """A line of the tournament record."""
    click.echo(encode_line(fact).decode())


def print_message(event: Event) -> None:
    """An event of the operator's log, in words; `operator.jsonl` of the run folder has its keys."""
    click.echo(json.dumps({"event": "message", "text": sentence(event)}))
