"""What people are told of each event of the operator's log: `event.NAME` of the catalogues, with the event's keys."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, Final

from arena.own_programs import module_advice
from arena.server.io.operator_log import Event
from arena.words import DEFAULT, Said, say

OF_THE_MACHINE: Final = frozenset({"containment", "bots_may_read", "limit_open_files"})
"""Events about the machine, which every chunk of a worker would repeat."""


def sentence(event: Event, language: str = DEFAULT) -> str:
    """Return the event in words."""
    said = Said(f"event.{event['event']}", {**event, **_derived(event)})
    if event["event"] == "waiting_for_bots" and event["tokens_made"]:
        said = Said("operator.tokens", {**event, "said": said})
    if advice := module_advice(event.get("last_words", "")):
        said = Said("operator.advice", {"said": said, "advice": advice})
    if "no_more_for_s" in event:
        said = Said("operator.no_more", {**event, "said": said})
    return say(said, language)


def _derived(event: Event) -> dict[str, Any]:
    """Return the values of the sentence that are made from keys of the event."""
    match event["event"]:
        case "bot_absent":
            return {"waited_s": f"{event['waited_ms'] / 1000:g}"}
        case "run_finished":
            return {"at": f"{datetime.fromtimestamp(event['finished_ms'] / 1000, UTC):%Y-%m-%d %H:%M}"}
        case "stopping":
            return {"count": event["turns"]}
        case "secret_files_readable":
            return dict(readable_files(event["files"]).values)
        case "program_did_not_log_in" | "program_lost":
            return {"last": Said("operator.last_words" if event["last_words"] else "operator.silent", event)}
        case _:
            return {}


def readable_files(files: Sequence[str]) -> Said:
    """Return the warning of secret files that others on this machine can read."""
    return Said("event.secret_files_readable", {"files": files, "paths": " ".join(files)})
