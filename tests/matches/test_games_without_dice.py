"""The machine under rules of another kind: no dice, one seat always begins, games that end drawn."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from arena.games import Ending, Illegal, Legal, LegalTurn
from arena.matches.facts import GameStarted
from tests.matches.sitting import Sitting, tags


@dataclass
class Countdown:
    """Ten counters; a turn takes 1 or 2 of them. Who takes the last one has won; leaving exactly one is a draw."""

    name: str = "countdown"
    opening: Literal["alternate"] = "alternate"
    points_forfeit: int = 9

    @property
    def ruleset(self) -> dict[str, Any]:
        return {"name": self.name}

    def start(self) -> int:
        return 10

    def dice_to_roll(self, position: int) -> int:
        return 0

    def dice_to_call(self, position: int) -> tuple[int, ...]:
        return ()

    def flip(self, position: int) -> int:
        return position

    def judge(self, position: int, dice: tuple[int, ...], moves: Any) -> Legal[int] | Illegal:
        assert dice == ()
        if list(moves) not in ([["take", 1]], [["take", 2]]) or moves[0][1] > position:
            return Illegal(
                code="bad", clause="C1", values={"text": "no such number", "legal": "take 1 or 2"}, legal_turns=2
            )
        left = position - moves[0][1]
        if left == 0:
            return Legal(left, Ending(name="last", points=3, clause="C2"))
        if left == 1:
            return Legal(left, Ending(name="one_left", points=0, clause="C3", is_drawn=True))
        return Legal(left, None)

    def legal_turns(self, position: int, dice: tuple[int, ...]) -> Sequence[LegalTurn[int]]:
        return [LegalTurn([["take", 1]], position - 1, None)]


TAKE_1, TAKE_2 = [["take", 1]], [["take", 2]]


def seated() -> Sitting:
    sitting = Sitting(rules=Countdown())
    sitting.ready()
    return sitting


def test_without_dice_nothing_is_thrown_or_rolled_and_seat_1_begins() -> None:
    sitting = seated()
    [start] = sitting.of(GameStarted)
    assert (start.starter, list(start.opening), sitting.game.dice) == (1, [], ())
    [played] = sitting.plays(TAKE_2)
    assert (played.seat, played.dice, played.moves) == (1, (), TAKE_2)


def test_a_game_drawn_over_the_board_has_no_winner_and_no_points() -> None:
    sitting = seated()
    for moves in (TAKE_2, TAKE_2, TAKE_2, TAKE_2, TAKE_1):
        sitting.plays(moves)
    [ended] = sitting.ended
    result = ended.result
    assert (result.winner, result.points, result.ending, result.clause) == (None, 0, "one_left", "C3")
    assert (result.cause, ended.score) == (None, (0, 0))
    assert sitting.game.starter == 2


def test_a_game_won_over_the_board_pays_what_its_ending_says() -> None:
    sitting = seated()
    for moves in (TAKE_2, TAKE_2, TAKE_2, TAKE_2, TAKE_2):
        sitting.plays(moves)
    [ended] = sitting.ended
    assert (ended.result.winner, ended.result.points, ended.result.ending, ended.turns) == (1, 3, "last", 5)
    assert sitting.game.starter == 2


def test_the_seats_take_turns_to_begin_also_when_who_did_not_begin_has_won() -> None:
    sitting = seated()
    for moves in (TAKE_2, TAKE_2, TAKE_2, TAKE_1, TAKE_1, TAKE_2):
        sitting.plays(moves)
    [ended] = sitting.ended
    assert (ended.result.winner, ended.result.points, ended.turns) == (2, 3, 6)
    assert sitting.game.starter == 2


def test_a_forfeit_pays_what_these_rules_pay() -> None:
    sitting = seated()
    for _ in range(3):
        sitting.plays([["take", 3]])
    assert tags(sitting.last)[:2] == ["turn_rejected", "game_ended"]
    assert sitting.match.standing.score == (0, 9)
