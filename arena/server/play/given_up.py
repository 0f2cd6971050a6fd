"""A match that the arena itself has failed over: its end is worked out from its record alone."""

from collections.abc import Sequence

from arena.matches.events import MatchStopped
from arena.matches.facts import GameEnded, MatchFact, MatchOpened
from arena.matches.match import advance
from arena.matches.state import Match
from arena.records.facts import FAILED
from arena.records.lines import read_attempts
from arena.records.replay import Replay
from arena.server.io.journal import Journal
from arena.server.play import translate
from arena.server.play.seat import GameSeat
from protocol.messages import GameEnd, Receipt


def end_of_game(
    match: Match,
    games: Sequence[GameEnded],
    game: GameSeat,
    receipt: Receipt,
) -> GameEnd:
    """Return the end of a game for a bot whose match was given up during the game.

    `games` are the ended games on record.
    """
    name = match.setting.opened.match
    seat = game.seat.number
    for ended in games:
        if ended.game == game.number:
            return translate.game_end(game.handle, name, ended, seat, None, receipt)
    score = match.standing.score
    return translate.game_void(game.handle, name, game.number, score, seat, receipt)


def end_by_record(
    journal: Journal,
    opened: MatchOpened,
    seed: bytes,
    now_ms: int,
) -> tuple[Match, list[MatchFact]]:
    """End an attempt in its record.

    It is void, unless its end is on record or follows from the last fact there. Returns the match,
    replayed, and all its facts. Raises `RecordError` if the record is damaged, and `DiskError`.
    """
    journal.commit()
    attempts = read_attempts(journal.path.name, journal.path.read_bytes())
    has_header = bool(attempts) and attempts[-1].opened.attempt == opened.attempt
    facts: list[MatchFact] = []
    replay = Replay(opened, seed, journal.path.name)
    if has_header:
        for where, fact in attempts[-1].facts:
            replay.check(fact, where)
            facts.append(fact)
    added = replay.missing()
    match = replay.match
    if not match.is_over:
        step = advance(match, MatchStopped(at_ms=now_ms, reason=FAILED))
        added += step.facts
        match = step.match
    if not has_header:
        journal.write(opened)
    for fact in added:
        journal.write(fact)
    journal.commit()
    return match, facts + added
