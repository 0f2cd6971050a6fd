"""A person is marked in the tournament file and in the record."""

import pytest

from arena.records.facts import EntrantsAdded
from arena.records.state import people_of
from arena.server.setup.tournament_file import PlanError, parse_plan
from arena.tournaments.errors import TournamentError


def test_a_person_is_a_remote_entrant() -> None:
    with pytest.raises(PlanError, match="bot a: a person plays from outside the arena; give remote = true"):
        parse_plan('[[bot]]\nname = "a"\ncommand = "x"\nperson = true\n[[bot]]\nname = "b"\ncommand = "x"\n')


def test_only_who_has_entered_is_a_person() -> None:
    fact = EntrantsAdded(at_ms=0, entrants=["a"], people=["a"], file_sha256="00" * 32)
    assert people_of(fact) == {"a"}
    with pytest.raises(TournamentError, match="b did not enter, and cannot be a person"):
        people_of(EntrantsAdded(at_ms=0, entrants=["a"], people=["b"], file_sha256="00" * 32))
