"""What the arena says in English has its Swedish, from the templates in its source to what it says in play."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any, Final

import pytest
from hypothesis import given, settings

from arena.games import Game, Illegal, load_game, option_names, ruleset_names
from arena.matches import verdicts
from arena.pages.swedish import sentences as catalogue
from arena.pages.swedish import translated
from arena.tournaments.results import BestGame, decide_match
from arena.tournaments.standings import standings
from tests.games import test_T_verdicts, test_verdicts
from tests.games.boards import board, dice
from tests.games.brandubh_boards import board as brandubh_board
from tests.pages.live.sentences import ROOT, plain, sentences
from tests.pages.live.words import swedish
from tests.tournaments.builders import any_tournament

PLACE: Final = re.compile(r"\{(\w+)\}")
ENGLISH: Final = re.compile(r"\b(?:the|and|is|are|of|with|which|where|that|not|no|must|may|checkers?|points?|turns?)\b")
QUOTED: Final = re.compile(r"\[.*\]|'.*'|`\w+`")
"""What a bot has sent, and names of the protocol, stay as they are."""
PLUMBING: Final = {
    "retry: {}\n\n",
    "left out",
    "could not",
    "ended {} {} {}",
    "breach {}",
    "failed {}",
    "a match is settled",
    "the bot has logged in again on another connection",
    "more than {} messages that nobody waits for, and {} a second; send fewer",
}
"""Literals beside sentences: not said, or said to bots alone."""
BEFOREHAND: Final = "follows from a seed that was committed to beforehand"
PARTS: Final = {
    "{} dice may not be called for here; call for {}.": "3 dice may not be called for here; call for 1 or 2.",
    "{} dice cannot be called for; expected {}": "3 dice cannot be called for; expected 1 or 2",
    ", and the loser has a checker on the bar (monk)": "all 15 checkers of the winner are off, and the loser has a "
    "checker on the bar (monk)",
    "to line {} of {}": "signed to line 3 of 5 by the key abc",
    "signed {} by the key {}; the rest is signed by nobody": "signed to line 3 of 5 by the key abc; "
    "the rest is signed by nobody",
    "in the sandbox of bubblewrap": "launched in the sandbox of bubblewrap: anna",
    "NOT IN A SANDBOX, held by Landlock": "launched NOT IN A SANDBOX, held by Landlock: anna",
    "NOT IN A SANDBOX, held by Landlock and a filter of system calls": (
        "launched NOT IN A SANDBOX, held by Landlock and a filter of system calls: anna"
    ),
    "NOT CONTAINED, without a sandbox": "launched NOT CONTAINED, without a sandbox: anna",
    "launched {}: {}": "launched in the sandbox of bubblewrap: anna, bo",
    "{}: such a result does not come from the board": "1 forfeited game counted as it ended: such a result does not "
    "come from the board",
    "{}: {} record is not in order": "2 games counted as they ended: their record is not in order",
    "{} counted as {} ended": "3 forfeited games counted as they ended: such a result does not come from the board",
    "{}: its record is not in order": "1 game counted as it ended: its record is not in order",
    "settled match": f"Every roll of 1 settled match, 3 games and 1 turn {BEFOREHAND}",
    "settled matches": f"Every roll of 2 settled matches, 1 game and 9 turns {BEFOREHAND}",
    "its program was ended: {}": "its program was ended: more than 64 processes",
    "{} withdrew": "anna withdrew after 1 of 2 matches: at least half, so its results stand",
    "{} has withdrawn": "anna withdrew after 0 of 1 match: fewer than half, so its results are annulled",
    "{} was void: {} survives": "r1-anna-v-bo was void: anna survives the round as the better seed (1 against 4)",
    "{} was drawn: {} survives": "r1-anna-v-bo was drawn: anna survives the round as the better seed (1 against 4)",
    "in the matches among {}": "anna above bo: direct encounter, 2 against 1 in the matches among anna, bo and cia; "
    "they were level on match points (2), game points (5) and best won games",
    "(among {})": "anna and bo share place 2: level on match points (2½), game points (4), best won games, "
    "direct encounter (among anna, bo and cia) and Sonneborn-Berger (3½)",
    "monk": "anna won at 3 points each: second best won game, bearing off with monk (2) against none",
    "rank": "anna won at 1 point each: 11th best won game, jan (4, rank 2) against rank 6",
}
"""Parts of sentences, with one that they are in."""


def test_every_sentence_in_the_source_has_its_swedish() -> None:
    """As it is written, or in the parts between its semicolons."""
    known = {plain(words) for words in (*catalogue(), *swedish())} | {"{}"}
    missing = [
        (module, text)
        for module, text in sentences()
        if text not in PLUMBING | PARTS.keys()
        and plain(text) not in known
        and not all(plain(part) in known for part in plain(text).split("; "))
    ]
    assert missing == []


@pytest.mark.parametrize("sentence", PARTS.values(), ids=PARTS)
def test_a_sentence_of_parts_has_its_swedish(sentence: str) -> None:
    in_swedish(sentence)


def test_no_sentence_is_left_over() -> None:
    """What the arena and the kit do not say any more is not in the catalogue."""
    sources = [path for folder in ("arena", "protocol") for path in (ROOT / folder).rglob("*.py")]
    text = "".join(path.read_text(encoding="utf-8") for path in sources)
    text = re.sub(r'"\s*\n\s*f?"', "", text).replace('\\"', '"').lower() + "".join(PARTS.values()).lower()
    pieces = {piece.strip(): words for words in catalogue() for piece in PLACE.split(words)[::2] if len(piece) > 8}
    assert {words for piece, words in pieces.items() if piece.lower() not in text} == set()


def test_the_values_in_them_are_the_same() -> None:
    """A value of the Swedish is one of the English, and a phrase that has to be found is told."""
    for english, words in catalogue().items():
        assert words.strip()
        assert set(PLACE.findall(words)) <= set(PLACE.findall(english)), english
        assert {name for name in PLACE.findall(english) if name[0].isupper()} <= set(PLACE.findall(words)), english
        assert not english.endswith(".")  # as it is looked up
        assert "; " not in english


def in_swedish(sentence: str) -> str:
    """The sentence in Swedish, which has no English left."""
    words = translated(sentence)
    assert words is not None, sentence
    assert not ENGLISH.search(QUOTED.sub("", words)), (sentence, words)
    return words


def messages_of(game: Game[Any], rng: Random) -> Iterator[str]:
    """What is said of wrong turns in a game at random."""
    position = game.start()
    for _ in range(60):
        roll: Any = tuple(rng.randint(1, 6) for _ in range(game.dice_to_roll(position)))
        turns = game.legal_turns(position, roll)
        if not len(turns):
            return
        turn = rng.choice([*turns])
        moves = [list(move) for move in turn.moves]
        squares = [move[0] for one in list(turns)[:5] for move in one.moves] or [0]
        tries: list[Any] = [
            None,
            [],
            moves[:-1],
            moves[::-1],
            [*moves, *moves],
            [[rng.choice(squares), rng.choice(squares)]],
        ]
        if roll:
            tries += [[[rng.randint(0, 24), rng.randint(0, 26)] for _ in range(len(moves))] for _ in range(4)]
            tries += [[[slot, slot + die] for die in roll] for slot in range(0, 25, 4)]
            tries += [[[slot, 25], *moves[1:]] for slot in rng.sample(range(1, 25), 3)]
        else:
            names = [f"{file}{rank}" for file in "abcdefgh" for rank in range(1, 8)]
            tries += [[[rng.choice(names), rng.choice(names)]] for _ in range(8)]
        for tried in tries:
            verdict = game.judge(position, roll, tried)
            if isinstance(verdict, Illegal):
                yield verdict.message
        if turn.ending is not None:
            return
        position = game.flip(turn.position)


def all_messages(ruleset: str) -> set[str]:
    """What is said under a ruleset and each of its options."""
    games = [load_game(ruleset), *(load_game(ruleset, [option]) for option in option_names(ruleset))]
    found = {message for game in games for seed in range(2) for message in messages_of(game, Random(seed))}
    for game in games:
        position, roll = game.start(), (6, 5)[: game.dice_to_roll(game.start())]
        verdict: Any
        for verdict in (
            verdicts.on_offer(game, position, roll),
            verdicts.on_acceptance(game, position, roll, is_offered=False),
            *(verdicts.on_choice(game, position, roll, choice) for choice in (0, 999)),
            verdicts.on_call((1, 2), 3),
        ):
            if verdict is not None:
                found.add(verdict.message)
    return found


@pytest.mark.parametrize("ruleset", ruleset_names())
def test_no_verdict_falls_through_to_english(ruleset: str) -> None:
    """Of turns at random in every ruleset."""
    if load_game(ruleset).ruleset["family"] not in ("tables", "brandubh"):
        pytest.skip("a game of another package has its own sentences")
    for message in all_messages(ruleset):
        in_swedish(message)


def test_every_code_of_a_verdict_is_said_in_swedish() -> None:
    """In the cases of the rule book's own tests, which have every code."""
    for code, _, game, literal, roll, moves, _ in test_verdicts.CASES:
        verdict = game.judge(board(game, literal), dice(roll), game.parse_turn(moves))
        assert (verdict.code, bool(in_swedish(verdict.message))) == (code, True)
    for case in test_T_verdicts.CASES:
        in_swedish(load_game("brandubh-1").judge(brandubh_board(case.drawing), (), case.moves).message)


@settings(max_examples=40)
@given(field=any_tournament())
def test_no_sentence_about_a_tournament_falls_through_to_english(field: Any) -> None:
    """Decisions of matches, tie-breaks, and notes on withdrawn entrants."""
    names, schedule, results = field
    best: BestGame
    for best in ("value", "none"):
        table = standings(names, schedule, results, withdrawn=names[:1], best_game=best)
        for sentence in (*(tie.sentence for tie in table.tie_breaks), *table.notes):
            in_swedish(sentence)
        for result in results:
            in_swedish(decide_match(result, best).reason)


SHARED = (
    "anna and bo share place 1: level on match points (½), game points (4), best won games and Sonneborn-Berger (¼)."
)


def test_every_step_of_a_tie_is_said_by_itself() -> None:
    """Values in brackets and commas do not hide where a step ends."""
    assert translated(SHARED) == (
        "anna och bo delar plats 1: lika i matchpoäng (½), spelpoäng (4), bästa vunna spel och Sonneborn-Berger (¼)."
    )


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
def test_the_pages_and_the_terminal_say_the_same(tmp_path: Path) -> None:
    """The catalogue is read by two programs."""
    said = sorted(
        all_messages("vasa")
        | all_messages("brandubh-1")
        | set(PARTS.values())
        | {"", ".", "constructor", "x; y", SHARED}
    )
    names = ("swedish.js", "sentences_swedish.js", "words.js")
    scripts = [(ROOT / "arena" / "pages" / "assets" / name).read_text(encoding="utf-8") for name in names]
    ends = f"console.log(JSON.stringify({json.dumps(said)}.map(translated)));"
    given = (
        "const document = { documentElement: {} }, localStorage = null;"
        'Object.defineProperty(globalThis, "navigator", { value: { languages: ["sv"] } });'
    )
    (tmp_path / "said.js").write_text("\n".join([given, *scripts, ends]), encoding="utf-8")
    found = subprocess.run(["node", str(tmp_path / "said.js")], capture_output=True, text=True, timeout=60, check=True)
    assert json.loads(found.stdout) == [translated(sentence) for sentence in said]
