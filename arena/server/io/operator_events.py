"""The sentence that people read for each event of the operator's log, made from the event's keys."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Final

from arena.own_programs import module_advice
from arena.server.io.operator_log import Event


def sentence(event: Event) -> str:
    """The event in words."""
    words = SENTENCES[event["event"]]
    text = words(event) if callable(words) else words.format_map(event)
    if "no_more_for_s" in event:
        text += f" (no more of this kind for {event['no_more_for_s']} s)"
    return text


def _waiting(event: Event) -> str:
    told = f"waiting at {event['address']} for {', '.join(event['names'])}"
    made = event["tokens_made"]
    whose = "their tokens" if made == event["names"] else f"the tokens of {', '.join(made)}"
    return f"{told}; {whose} are in {event['tokens_file']}" if made else told


def _unknown(event: Event) -> str:
    return f"a login as {event['claimed']} was refused: bots are expected as {', '.join(event['expected'])}"


def _absent(event: Event) -> str:
    return f"{event['name']} did not come within {event['waited_ms'] / 1000:g} s; it forfeits until it does"


def _program(verb: str) -> Callable[[Event], str]:
    def told(event: Event) -> str:
        words = f"last words: {event['last_words']} (all in {event['output']})"
        said = words if event["last_words"] else "it said nothing on standard error"
        advice = module_advice(event["last_words"])
        return f"{event['name']} {verb}: {event['reason']}; {said}" + (f"; {advice}" if advice else "")

    return told


def _readable(event: Event) -> str:
    return readable_words(event["files"])


def readable_words(files: Sequence[str]) -> str:
    """The warning of secret files that others on this machine can read."""
    return f"others on this machine can read {', '.join(files)}; say: chmod 600 {' '.join(files)}"


def _finished(event: Event) -> str:
    at = datetime.fromtimestamp(event["finished_ms"] / 1000, UTC)
    return (
        f"{event['run']} is finished since {at:%Y-%m-%d %H:%M} UTC; nothing was played. For a new run give another "
        "folder with --out, or leave --out out"
    )


def _stopping(event: Event) -> str:
    turns = "the turn in play is" if event["turns"] == 1 else f"{event['turns']} turns in play are"
    return f"stopping when {turns} answered; Ctrl-C again to stop at once"


SENTENCES: Final[Mapping[str, str | Callable[[Event], str]]] = {
    # The run
    "run_resumed": "going on: {over} of {matches} matches are over, {under_way} under way",
    "run_finished": _finished,
    "key_missing": "this run was begun with --key and goes on without: what follows is signed by nobody, and the run "
    "will not pass for signed; to sign it, press Ctrl-C and give --key again",
    "stopping": _stopping,
    "arena_stopped": "the arena did not run for {seconds} s (stopped, or the machine paused or too busy); no clock ran "
    "meanwhile",
    "worker_lost": "a worker was lost ({reason}); what it had not finished is given to another",
    "arena_failed": "the arena itself failed ({error}); a match it failed in is void and played again. Please report "
    "what operator.jsonl of the run folder says of it",
    # Conditions of the run
    "containment": "{words}",
    "bots_may_read": "{words}",
    "limit_open_files": "this run may need {needed} open files, the system allows {allowed}; lower at_once, or raise "
    "the limit (ulimit -n)",
    "tokens_unencrypted": "insecure = true: tokens are not encrypted on the way to {address}, and everybody who can "
    "reach it may try to log in",
    "secret_files_readable": _readable,
    # Bots
    "waiting_for_bots": _waiting,
    "bot_logged_in": "{name} is here ({number} of {of})",
    "bot_returned": "{name} is back",
    "bot_lost": "{name} has lost its connection: {reason}",
    "bot_absent": _absent,
    "bot_withdrawn": "{name} is withdrawn after {violations} violations",
    "program_did_not_log_in": _program("did not log in"),
    "program_lost": _program("was lost"),
    # The door
    "login_refused": "a login as {name} was refused: {reason}",
    "login_unknown": _unknown,
    "connection_refused": "a connection from {place} was refused: {reason}",
    "accept_failed": "a connection could not be taken: {reason}",
}
"""By the name of the event. A name or a key never changes its meaning."""

OF_THE_MACHINE: Final = frozenset({"containment", "bots_may_read", "limit_open_files"})
"""What every chunk of a worker would say again of the machine it is played on."""
