"""The table of a day of a ladder."""

from arena.tournaments.formats.interface import Rated, SoFar
from arena.tournaments.formats.ladder_format import Ladder
from arena.tournaments.standings import FormatAdditions, standings
from arena.words import say


def rated(elo: float, error: float, *, is_anchor: bool = False, is_house: bool = False) -> Rated:
    return Rated(
        elo=elo,
        error=error,
        units=9,
        version=1,
        matches=9,
        forfeits=0,
        is_house=is_house or is_anchor,
        is_anchor=is_anchor,
    )


def test_anchors_stand_apart_whatever_their_errors_are() -> None:
    """On a first day their errors are large, and later they lead: neither says anything of bots."""
    entrants = {
        "greedy-1": rated(100, 30, is_anchor=True),
        "deep-1": rated(300, 5, is_anchor=True),
        "deep-2": rated(310, 30, is_house=True),
        "anna-1": rated(50, 20),
        "bo-1": rated(60, 20),
        "cecil-1": rated(500, 40),
    }
    ladder = Ladder()
    so_far = SoFar(entrants=list(entrants), rated=entrants)
    additions = FormatAdditions(
        columns=ladder.columns(so_far),
        notes=ladder.notes(so_far, {}),
        unplaced=ladder.unplaced(so_far),
    )
    table = standings(so_far.entrants, [], [], additions=additions)
    assert [(row.entrant, row.place) for row in table.rows] == [
        ("bo-1", 1),
        ("anna-1", 2),
        ("cecil-1", None),
        ("deep-2", None),
        ("deep-1", None),
        ("greedy-1", None),
    ]
    assert [say(note) for note in table.notes] == [
        "cecil-1, deep-2 have no place yet: the errors of their ratings are above 25 Elo",
        (
            "deep-1, greedy-1 are anchors: programs of the house without a place, "
            "whose mean rating is fixed"
        ),
        "deep-2 is a program of the house",
    ]
    assert [say(word) for word in ladder.outcome(so_far, table)] == ["bo-1 leads with +60 ± 20 Elo"]
