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
    """Return what a bot is told of a game that was open when its match was given up; `games` are those on record."""
    name, seat = match.setting.opened.match, game.seat.number
    ended = next((each for each in games if each.game == game.number), None)
    if ended is None:
        return translate.game_void(
            game.handle,
            name,
            game.number,
            match.standing.score,
            seat,
            receipt,
        )
    return translate.game_end(game.handle, name, ended, seat, None, receipt)


def end_by_record(
    journal: Journal,
    opened: MatchOpened,
    seed: bytes,
    now_ms: int,
) -> tuple[Match, list[MatchFact]]:
    """End an attempt in its record: it is void, unless its end is on record or follows from the last fact there.

    Returns the match, replayed, and all its facts. Raises `RecordError` if the record is not in
    order, and `DiskError`.
    """
    journal.commit()
    attempts = read_attempts(journal.path.name, journal.path.read_bytes())
    facts = (
        attempts[-1].facts if attempts and attempts[-1].opened.attempt == opened.attempt else None
    )
    replay = Replay(opened, seed, journal.path.name)
    for where, fact in facts or ():
        replay.take(fact, where)
    added, match = replay.missing(), replay.match
    if not match.is_over:
        step = advance(match, MatchStopped(at_ms=now_ms, reason=FAILED))
        added, match = [*added, *step.facts], step.match
    for line in added if facts is not None else (opened, *added):
        journal.write(line)
    journal.commit()
    return match, [*(fact for _, fact in facts or ()), *added]
