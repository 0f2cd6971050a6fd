"""Evidence for authors of bots: one file for each forfeited game and each lost connection.

It is not a record: nothing is ever computed from it, and it may be deleted.
"""

import json
import shlex
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Final

import msgspec

from arena.games import Game
from arena.games.result import Seat
from arena.matches.facts import (
    BotLeft,
    BotMissing,
    FlagFell,
    GameEnded,
    MatchFact,
    MatchOpened,
    TurnRejected,
)
from arena.matches.state import GameState, Match, other
from arena.server.io.disk import kept_on_disk
from arena.server.play.player import Player
from arena.server.programs.launcher import Launched
from arena.server.programs.program import Ended
from arena.words import say

FORMAT: Final = "brade-evidence-1"
TAIL_BYTES: Final = 4096
"""Bytes shown of the end of a program's standard error."""
MOST_INCIDENTS: Final = 20
"""The most incidents of a game. Further lost connections are not written down: a bot may come back
all the time."""

Incident = TurnRejected | FlagFell | BotLeft | BotMissing | GameEnded


@dataclass(
    slots=True,
    eq=False,
    repr=False,
)
class Evidence:
    """Evidence of the incidents of one attempt at a match, in `evidence/` of the run folder."""

    folder: Path
    """Made when needed."""
    record: Path
    """The match record, as an operator names it."""
    rules: Game[Any]
    opened: MatchOpened
    players: tuple[Player, Player]
    ahead_ms: int = 0
    """The lead of the run's clock over the one by which frames are kept."""
    _incidents: dict[tuple[int, Seat], list[Incident]] = field(default_factory=dict)

    def recall(self, facts: Sequence[MatchFact]) -> None:
        """Keep recorded facts of the match: rejected turns may belong to a later forfeit."""
        for fact in facts:
            if isinstance(fact, TurnRejected | FlagFell):
                self._incidents.setdefault((fact.game, fact.seat), []).append(fact)

    def note(self, fact: MatchFact, match_before: Match) -> None:
        """Keep a fact of the match, and write it down if it is an incident.

        `match_before` is the match before the event that led to the fact.
        """
        self.recall([fact])
        if isinstance(fact, BotLeft | BotMissing):
            numbers = [game.number for game in match_before.games]
            if not numbers:
                next_number = match_before.standing.started + 1
                numbers = [min(next_number, self.opened.terms.games)]
            for number in numbers:
                self._write(fact, number, fact.seat, match_before)
        elif isinstance(fact, GameEnded) and fact.result.cause and fact.result.winner:
            self._write(fact, fact.game, other(fact.result.winner), match_before)

    def _write(
        self,
        fact: Incident,
        number: int,
        seat: Seat,
        match_before: Match,
    ) -> None:
        """Write the evidence of an incident: frames, the turn, and the end of the program."""
        incidents = self._incidents.setdefault((number, seat), [])
        if isinstance(fact, BotLeft) and len(incidents) >= MOST_INCIDENTS:
            return
        incidents.append(fact)
        opened = self.opened
        player = self.players[seat - 1]
        name = opened.entrants[seat - 1]
        program = player.program
        command_again, turn = None, None
        game = match_before.find(number)
        if game is not None:
            command_again = self._again(game, seat, player)
            turn = self._turn(game)
        described_program = None
        if program is not None:
            described_program = {
                "command": program.command.words,
                "end": "it has not ended yet",
                "stderr": "",
            }
        evidence = {
            "format": FORMAT,
            "match": opened.match,
            "attempt": opened.attempt,
            "game": number,
            "bot": name,
            "seat": seat,
            "opponent": opened.entrants[other(seat) - 1],
            "facts": [msgspec.to_builtins(incident) for incident in incidents],
            "again": command_again,
            "turn": turn,
            "program": described_program,
            "frames": self._frames(player),
        }
        path = self.folder / f"{opened.match}-{opened.attempt}-g{number}-{name}.json"
        self._put(path, evidence)
        if program is not None:
            program.when_ended(partial(self._add_end, path, evidence, program, player))

    def _frames(self, player: Player) -> list[dict[str, Any]]:
        """Return the last frames of a bot, with times by the clock of the run."""
        frames = player.trace.frames()
        return [frame | {"at_ms": frame["at_ms"] + self.ahead_ms} for frame in frames]

    def _again(self, game: GameState, seat: Seat, player: Player) -> str | None:
        """Return the command that puts the bot's last turn of this game to it again.

        None if it had no turn.
        """
        turn = game.turn
        if game.mover != seat:
            turn -= 1
        if turn == 0:
            return None
        words = ["arena", "replay", str(self.record), "--attempt", str(self.opened.attempt)]
        words += ["--game", str(game.number), "--turn", str(turn)]
        name = self.opened.entrants[seat - 1]
        if player.program is not None:
            words += ["--bot", f"{name}={shlex.join(player.program.command.words)}"]
        else:
            words += ["--remote", name]
        return shlex.join(words)

    def _turn(self, game: GameState) -> dict[str, Any]:
        return {
            "turn": game.turn,
            "seat": game.mover,
            "dice": game.dice,
            "position": self.rules.to_plain(game.position),
            "left_ms": game.left_ms,
            "written_ms": game.written_ms,
            "deadline_ms": game.due_ms,
        }

    def _add_end(
        self,
        path: Path,
        evidence: dict[str, Any],
        program: Launched,
        player: Player,
        ended: Ended,
    ) -> None:
        """Add to the evidence how the program of the bot has ended, and its last words."""
        evidence["program"] |= {
            "end": f"it {say(ended.reason)}",
            "memory_mib": ended.memory_mib,
            "cpu_ms": ended.cpu_ms,
            "stderr": player.trace.clean(program.last_words(TAIL_BYTES)).decode(errors="replace"),
        }
        self._put(path, evidence)

    def _put(self, path: Path, evidence: dict[str, Any]) -> None:
        text = format_evidence(evidence)
        with kept_on_disk():
            self.folder.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")


def format_evidence(evidence: dict[str, Any]) -> str:
    """Format as JSON with a line for every field, and for every fact and frame."""
    fields = []
    for name, content in evidence.items():
        if name in ("facts", "frames") and content:
            body = "[\n    " + ",\n    ".join(map(_json, content)) + "\n  ]"
        else:
            body = _json(content)
        fields.append(f"  {_json(name)}: {body}")
    return "{\n" + ",\n".join(fields) + "\n}\n"


def _json(content: object) -> str:
    return json.dumps(content, ensure_ascii=False, default=bytes.hex)
