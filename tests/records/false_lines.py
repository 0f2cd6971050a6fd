"""False lines whose hashes fit, by the run and the record in which they stand, each with the words of its refusal."""

import hashlib
from typing import TypeAlias

from tests.fixtures import forgeries as forged
from tests.fixtures.forgeries import Change, nth, setting, twice, without, without_field

FalseLine: TypeAlias = Change | tuple[Change, str]
"""A change of lines; with words that must stand in the refusal."""

MATCHES_FOR_BOTH: dict[str, dict[str, FalseLine]] = {
    "small": {
        "who starts the first game": forged.another_starts(1),
        "who starts a later game": forged.another_starts(3),
        "a throw less": forged.other_throws(lambda throws, _: throws[:-1]),
        "no throw": forged.other_throws(lambda *_: []),
        "a throw more": forged.other_throws(
            lambda throws, dice: [*throws, dice[2 * len(throws) :][:2]]
        ),
        "a game after one that never began": forged.never_begun,
        "a bot of another name": setting("bot_ready", -1, entrant__name="zoe"),
        "a bot that is ready again": forged.ready_again,
        "a bot that is ready twice": twice("bot_ready", -1),
        "entropy that was not committed to": setting("bot_ready", -2, commitment=None),
        "an objection to no lines": setting("receipt_disputed", lines=0),
        "an objection to lines that follow": setting("receipt_disputed", lines=33),
        "another event with the same fields": lambda found: nth(found, "match_opened", -1).update(
            event="match_begun"
        ),
        "a seed in another line": forged.seed_elsewhere,
        "no seed": setting("dice_revealed", -1, dice_seed=None),
        "no seed at all": without("dice_revealed", -1),
    },
    "brandubh": {"who starts a game of Brandubh": forged.another_starts(2)},
    "long pairs": {
        "who starts a half": forged.another_starts(4),
        "a half that is ahead": forged.ahead_of_the_other_half,
    },
    "backgammon": {"the first roll of backgammon": setting("turn_played", dice=[6, 6])},
    "one die": {
        "a call told twice": twice("dice_called"),
        "dice under a call that was rejected": lambda found: next(
            one for one in found if "call" in one
        )["dice"].append(1),
    },
    "pairs": {"the second half first": forged.the_second_half_first},
    "resumed": {"a game without a bot": without("bot_returned")},
    "signed": {"a signature without a key": setting("bot_ready", -1, entrant__public_key=None)},
}
"""In match records, for both verifiers: dice, order, hashes and signatures."""

TOURNAMENTS_FOR_BOTH: dict[str, dict[str, FalseLine]] = {
    "small": {
        "another format": setting("tournament_opened", format="brade-tournament-2"),
        "no fixture": setting("fixture_issued", 1, fixture="../matches/r1-anna-v-bo"),
        "another score": setting("fixture_settled", score=[11, 0]),
        "another winner of a game": setting("fixture_settled", games__1__winner=2),
        "other violations": setting("fixture_settled", violations=[0, 0]),
        "another reason of a void": setting("fixture_voided", reason=["rain", {}]),
        "void for good": setting("fixture_voided", is_last=True),
        "a match of the record": lambda found: found.insert(
            -2, dict(nth(found, "fixture_issued"), event="bot_left")
        ),
    },
    "newcomers": {"an entrant twice": twice("entrants_added")},
    "knockout": {
        "a round twice": twice("round_drawn", 1),
        "another number of a round": setting("round_drawn", 1, round=3),
        "a fixture that was not drawn": lambda found: nth(found, "round_drawn", 1)[
            "fixtures"
        ].pop(),
    },
    "withdrawal": {
        "withdrawn twice": twice("entrant_withdrawn"),
        "withdrawn for nothing": setting("entrant_withdrawn", violations=2),
        "withdrawn too late": lambda found: found.insert(4, found.pop(3)),
    },
    "absent": {
        "a wait where nobody waits": without_field("tournament_opened", "absent"),
        "a stranger waited for": setting("entrants_awaited", away=["dag"]),
        "given up in a match": lambda found: found.insert(
            2, {**nth(found, "entrants_absent"), "away": ["bo"]}
        ),
    },
}

MATCHES: dict[str, dict[str, FalseLine]] = {
    "small": {
        "a die of a roll": setting("turn_played", 1, dice=[5, 6]),
        "the dice of a roll in the other order": setting("turn_played", 1, dice=[6, 4]),
        "the throw for the start": setting("game_started", 0, opening=[[3, 1]]),
        "one throw more for the start": setting("game_started", 0, opening=[[2, 2], [2, 1]]),
        "who starts": setting("game_started", 1, starter=1),
        "who starts a later game": setting("game_started", 2, starter=2),
        "a throw in a later game": setting("game_started", 2, opening=[[1, 2]]),
        "an illegal turn as played": setting("turn_played", 1, moves=[[1, 9], [1, 5]]),
        "a legal turn as rejected": setting("turn_rejected", 0, moves=[[1, 7], [1, 5]]),
        "the code of a rejection": setting("turn_rejected", 0, code="fewer_dice"),
        "the clause of a rejection": setting("turn_rejected", 0, clause="B3.3"),
        "the sentence of a rejection": setting("turn_rejected", 0, message="no."),
        "rejections left": setting("turn_rejected", 0, left=1),
        "legal turns of a rejected roll": setting("turn_rejected", 0, legal_turns=3),
        "whose turn it was": setting("turn_played", 1, seat=1),
        "the number of a turn": setting("turn_played", 1, turn=2),
        "the number of a game": setting("turn_played", 1, game=2),
        "what is left on the clock": setting("turn_played", 2, left_ms=151),
        "the time of a turn": setting("turn_played", 2, spent_ms=120),
        "a turn that took more than there was": setting("turn_played", 2, spent_ms=301),
        "a flag that fell in time": setting("flag_fell", 0, spent_ms=300),
        "the dice under a flag": setting("flag_fell", 0, dice=[1, 5]),
        "who won a game": setting("game_ended", 1, winner=2),
        "a winner of a drawn game": setting("game_ended", 0, winner=1),
        "how a game ended": setting("game_ended", 0, ending="jan"),
        "by which clause": setting("game_ended", 0, clause="B9.1"),
        "the points of a game": setting("game_ended", 1, points=5),
        "the monk": setting("game_ended", 1, monk=True),
        "the rank": setting("game_ended", 1, rank=1),
        "why a game was forfeited": setting("game_ended", 1, cause="time"),
        "the turns of a game": setting("game_ended", 0, turns=3),
        "the score after a game": setting("game_ended", 1, score=[7, 0]),
        "the score of the match": setting("match_ended", 0, score=[13, 0]),
        "the violations of the match": setting("match_ended", 0, violations=[0, 2]),
        "the violations of a void match": setting("match_voided", 0, violations=[1, 0]),
        "a bot's entropy": setting("bot_ready", 0, entropy="0b"),
        "the seed": setting("dice_revealed", 0, dice_seed="00" * 32),
        "the attempt of the seed": setting("dice_revealed", 0, attempt=2),
        "the commitment": setting("match_opened", 0, dice_commitment="00" * 32),
        "seed and commitment": lambda found: (
            setting("dice_revealed", 0, dice_seed="00" * 32)(found),
            setting("match_opened", 0, dice_commitment=hashlib.sha256(bytes(32)).hexdigest())(
                found
            ),
        ),
        "what an entrant is called": setting("match_opened", 0, names=["Anna", "bo"]),
        "a rule": setting("match_opened", 0, ruleset__fields__points_jan=5),
        "the hash of the rules": setting("match_opened", 0, ruleset__hash="00" * 32),
        "the name of the rules": setting("match_opened", 0, ruleset__name="classic"),
        "no rules at all": setting("match_opened", 0, ruleset={}),
        "rules that are no table": setting(
            "match_opened", 0, ruleset={"name": "vasa", "hash": "", "fields": 1}
        ),
        "the clock": setting("match_opened", 0, terms__clock__bank_ms=201),
        "the number of games": setting("match_opened", 0, terms__games=2),
        "the evaluator for luck": setting(
            "match_opened", 0, luck={"name": "other", "sha256": "00" * 32}
        ),
        "the entrants": setting("match_opened", 0, entrants=["bo", "anna"]),
        "the name of the match": setting("match_opened", 0, match="r1-bo-v-anna"),
        "the number of the attempt": setting("match_opened", 0, attempt=2),
        "the version of the format": setting("match_opened", 0, v=2),
        "the version of a line": setting("turn_played", 0, v=2),
        "no attempt of that number": lambda found: found.__delitem__(slice(10, None)),
        "a bot that never left comes back": lambda found: found.insert(
            found.index(nth(found, "turn_played", 1)),
            {"event": "bot_returned", "v": 1, "at_ms": 1_700_000_010_030, "seat": 1},
        ),
        "the seed told twice": twice("dice_revealed", 1),
        "a receipt after the seed": lambda found: found.insert(
            -1, found.pop(found.index(nth(found, "receipt_disputed")))
        ),
        "the end left out": without("match_ended"),
        "the void left out": without("match_voided"),
        "the end told twice": twice("match_ended"),
        "a roll left out": without("turn_played", 1),
        "time that runs backwards": setting("match_ended", 0, at_ms=1_700_000_010_000),
        "readiness after the start-up deadline": lambda found: (
            setting("bot_ready", 3, at_ms=1_700_000_011_001)(found),
            setting("game_started", 1, at_ms=1_700_000_011_001)(found),
        ),
    },
    "calls": {
        "another number of dice": setting("dice_called", 0, dice=2),
        "a number that may not be called for": setting("dice_called", 0, dice=3),
        "no dice": setting("dice_called", 0, dice=0),
        "dice that were not called for": setting("turn_played", 0, dice=[4, 1]),
        "a die less": setting("turn_played", 0, dice=[]),
        "who called": setting("dice_called", 0, seat=2),
        "for which turn": setting("dice_called", 0, turn=2),
        "in which game": setting("dice_called", 0, game=2),
        "a call that took more than the turn": setting("dice_called", 0, spent_ms=131),
        "a call that took all the time there was": setting("dice_called", 0, spent_ms=301),
        "the time of call and turn": setting("turn_played", 0, spent_ms=131),
        "a call left out": without("dice_called"),
        "a call told twice": twice("dice_called"),
        "a good call as rejected": setting("turn_rejected", 0, call=1),
        "a rejected call as an illegal turn": without_field("turn_rejected", "call"),
        "a rejected call as moves": setting("turn_rejected", 0, moves=[[1, 7]]),
        "the code of a rejected call": setting("turn_rejected", 0, code="no_such_die"),
        "an illegal turn as a rejected call": setting("turn_rejected", 1, call=3),
        "dice under a flag that fell before the call": setting("flag_fell", 0, dice=[1]),
        "a flag during the call that fell in time": setting("flag_fell", 0, spent_ms=300),
        "a flag after the call that fell in time": setting("flag_fell", 1, spent_ms=300),
        "the dice under a flag after the call": setting("flag_fell", 1, dice=[]),
    },
    "brandubh": {
        "dice in a game without": setting("turn_played", 0, dice=[6, 1]),
        "another move": setting("turn_played", 9, moves=[["d1", "b1"]]),
        "an illegal move as played": setting("turn_played", 9, moves=[["d1", "d2"]]),
        "who starts": setting("game_started", 1, starter=1),
        "a throw for the start": setting("game_started", 0, opening=[[3, 1]]),
        "a winner of a repetition": setting("game_ended", 1, winner=1),
        "points for a repetition": setting("game_ended", 1, points=1),
        "another reason for the draw": setting("game_ended", 1, ending="no_move"),
        "a rank": setting("game_ended", 2, rank=1),
    },
    "agreed": {
        "an agreement without an offer": without_field("turn_played", "draw_offered"),
        "an offer taken back": setting("turn_played", 0, draw_offered=False),
        "an offer said not to be one": setting("turn_played", 2, draw_offered=False),
        "an acceptance too early": lambda found: found.insert(3, found.pop(6)),
        "an acceptance left out": without("draw_agreed"),
        "an acceptance told twice": twice("draw_agreed"),
        "who accepted": setting("draw_agreed", 0, seat=1),
        "the turn of an acceptance": setting("draw_agreed", 0, turn=1),
        "the game of an acceptance": setting("draw_agreed", 0, game=2),
        "the time of an acceptance": setting("draw_agreed", 0, spent_ms=140),
        "what is left after an acceptance": setting("draw_agreed", 0, left_ms=200),
        "an acceptance that took more than there was": setting("draw_agreed", 0, spent_ms=301),
        "a rejected acceptance as moves": setting("turn_rejected", 0, moves=[["d1", "d2"]]),
        "a rejected acceptance as an offer": setting("turn_rejected", 0, draw="offer"),
        "a rejected acceptance as a turn": without_field("turn_rejected", "draw"),
        "a rejected acceptance as accepted": setting("turn_rejected", 0, code="no_agreement"),
        "the ending": setting("game_ended", 0, ending="repetition"),
        "the clause": setting("game_ended", 0, clause="T8"),
        "a winner of a draw": setting("game_ended", 0, winner=1, points=1),
        "the turns": setting("game_ended", 0, turns=2),
        "an agreement as a limit": setting("game_ended", 2, ending="turn_limit", clause="B10.3"),
    },
    "pairs": {
        "a turn before the other half has come as far": forged.moved(
            "turn_played", 2, "turn_played", 1
        ),
        "an end before the other half has come as far": forged.moved(
            "game_ended", 3, "flag_fell", 0
        ),
        "an end after it was due": forged.moved("turn_played", 3, "game_ended", 0),
        "other dice in the first half": setting("turn_played", 0, dice=[6, 6]),
        "other dice in the second half": setting("turn_played", 1, dice=[6, 6]),
        "dice of the half that went on alone": setting("turn_played", 3, dice=[1, 1]),
        "the throw of the second half not mirrored": lambda found: nth(
            found, "game_started", 1
        ).__setitem__("opening", nth(found, "game_started")["opening"]),
        "the same side starting both halves": lambda found: nth(
            found, "game_started", 1
        ).__setitem__("starter", nth(found, "game_started")["starter"]),
        "only one half started": lambda found: found.remove(nth(found, "game_started", 1)),
        "a half started twice": twice("game_started", 1),
        "the halves taken for each other": forged.swapped_halves,
        "a turn of another game": setting("turn_played", 2, game=2),
        "time taken while it waited": setting("turn_played", 2, spent_ms=1),
        "the cause of an end that was kept back": setting("game_ended", 3, result__cause="time"),
        "an answer in a half that is over": twice("turn_rejected", 3),
        "a series": lambda found: nth(found, "match_opened")["terms"].__setitem__("form", "series"),
        "an odd number of games": lambda found: nth(found, "match_opened")["terms"].__setitem__(
            "games", 3
        ),
    },
}
"""For `arena verify`, which knows the rules."""

TOURNAMENTS: dict[str, dict[str, FalseLine]] = {
    "small": {
        "the points of a game": setting("fixture_settled", games__1__points=5),
        "the cause of a game": setting("fixture_settled", games__1__cause="time"),
        "a game less": setting("fixture_settled", games=[]),
        "the winner": setting("fixture_settled", winner="bo"),
        "the decision": setting("fixture_settled", decision=["decision.points", {}]),
        "the hash of the record": setting("fixture_settled", record_sha256="00" * 32),
        "the attempt": setting("fixture_settled", attempt=1),
        "the violations of the void": setting("fixture_voided", violations=[0, 0]),
        "the hash of the void record": setting("fixture_voided", record_sha256="00" * 32),
        "the commitment": setting("fixture_issued", dice_commitment="00" * 32),
        "the number of an attempt": setting("fixture_issued", 1, attempt=3),
        "a fixture nobody scheduled": setting("fixture_issued", 1, fixture="r2-anna-v-bo"),
        "a fixture that is none": setting("fixture_settled", fixture="anna and bo"),
        "the standings": setting("tournament_ended", standings__0__points=99),
        "the places": setting("tournament_ended", standings__0__place=2),
        "the match points": setting("tournament_ended", standings__0__match_points=0.5),
        "the order": lambda found: nth(found, "tournament_ended")["standings"].reverse(),
        "a row less": lambda found: nth(found, "tournament_ended")["standings"].pop(),
        "a step that was not needed": setting(
            "tournament_ended", tie_breaks=[["standing.by_lot", {}]]
        ),
        "a note": setting("tournament_ended", notes=["bo was ill"]),
        "the entrants": setting("tournament_opened", entrants=["anna", "cia"]),
        "one entrant more": setting("tournament_opened", entrants=["anna", "bo", "cia"]),
        "one entrant alone": setting("tournament_opened", entrants=["anna"]),
        "an entrant that is no name": setting("tournament_opened", entrants=["anna", "B o"]),
        "no cycle": setting("tournament_opened", schedule__cycles=0),
        "the rules": setting("tournament_opened", ruleset__fields__points_jan=5),
        "the clock": setting("tournament_opened", terms__clock__delay_ms=1),
        "the evaluator for luck": setting(
            "tournament_opened", luck={"name": "other", "sha256": "00" * 32}
        ),
        "the tournament file": setting("tournament_opened", file_sha256="00" * 32),
        "the version of the format": setting("tournament_opened", v=2),
        "an attempt never issued": without("fixture_issued", 0),
        "an attempt issued twice": twice("fixture_issued", 1),
        "a match settled twice": twice("fixture_settled"),
        "an attempt void twice": twice("fixture_voided"),
        "opened twice": twice("tournament_opened"),
        "ended twice": twice("tournament_ended"),
        "a match that was played left out": without("fixture_settled"),
        "the end left out": without("tournament_ended"),
        "a withdrawal without violations": lambda found: found.insert(
            -2,
            {
                "event": "entrant_withdrawn",
                "v": 1,
                "at_ms": 1_700_000_010_585,
                "entrant": "bo",
                "violations": 3,
            },
        ),
        "a withdrawal of a stranger": lambda found: found.insert(
            -2,
            {
                "event": "entrant_withdrawn",
                "v": 1,
                "at_ms": 1_700_000_010_585,
                "entrant": "zoe",
                "violations": 6,
            },
        ),
        "a withdrawal that was due left out": setting("tournament_opened", violations=2),
    },
    "absent": {
        "nothing left to play": (
            setting("entrants_awaited", away=["anna", "zoe"]),
            "zoe cannot be away here",
        ),
        "nobody given up, and yet matches left": without("entrants_absent"),
        "another given up": setting("entrants_absent", away=["anna"]),
        "given up twice": twice("entrants_absent"),
        "no note of it": setting("tournament_ended", notes=[]),
    },
    "withdrawal": {
        "the withdrawal left out": without("entrant_withdrawn"),
        "another is withdrawn": setting("entrant_withdrawn", entrant="anna"),
        "the withdrawal told before its reason": lambda found: found.insert(1, found.pop(3)),
        "a limit that was not passed": setting("tournament_opened", violations=1),
    },
    "knockout": {
        "seats swapped": forged.swap_seats,
        "another has the bye": (
            lambda found: nth(found, "round_drawn").update(byes=["bo"]),
            "the round must be",
        ),
        "a bye left out": (
            lambda found: nth(found, "round_drawn")["byes"].pop(),
            "the round must be",
        ),
        "a fixture too many": lambda found: nth(found, "round_drawn")["fixtures"].append(
            "r1-eva-v-dag"
        ),
        "no fixture at all": (
            lambda found: nth(found, "round_drawn")["fixtures"].append("final"),
            "not a fixture",
        ),
        "drawn too early": (forged.move_up, "no round of knockout-1 can be drawn here"),
        "a round left out": without("round_drawn", 2),
        "a knock-out joined": (forged.join, "takes no newcomers"),
        "a stranger contained": (
            lambda found: found.insert(
                1, {"event": "bots_contained", "v": 1, "at_ms": 1, "bots": {"finn": "bubblewrap"}}
            ),
            "finn did not enter",
        ),
        "another format": lambda found: found[0].update(
            schedule={"name": "round_robin", "cycles": 1}
        ),
        "rounds in a knock-out": (
            lambda found: found[0]["schedule"].update(rounds=2),
            "not in the canonical form",
        ),
        "no known format": (
            lambda found: found[0]["schedule"].update(name="knockout-2"),
            "knockout-2",
        ),
    },
    "newcomers": {
        "joined by nobody": lambda found: nth(found, "entrants_added").update(entrants=[]),
        "joined twice": lambda found: nth(found, "entrants_added").update(entrants=["dag", "anna"]),
        "joined in another order": lambda found: nth(found, "entrants_added").update(
            entrants=["cia", "dag"]
        ),
        "with another file": (
            lambda found: nth(found, "entrants_added").update(file_sha256="0" * 64),
            "SHA-256",
        ),
        "not joined, but played": lambda found: found.remove(nth(found, "entrants_added")),
    },
    "brandubh": {
        "games compared by ranks": (
            setting("tournament_opened", best_game="rank"),
            "brandubh-1 have no ranks",
        )
    },
    "pairs": {
        "games compared": (setting("tournament_opened", best_game="value"), "best_game is"),
        "a series without": (
            setting("tournament_opened", best_game="none", terms__form="series"),
            "best_game is",
        ),
    },
}
