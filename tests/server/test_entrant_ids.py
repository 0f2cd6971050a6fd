"""Names of entrants of which no id can be made, or twice the same one."""

from __future__ import annotations

import pytest

from arena.server.setup.entrant_ids import id_problems
from arena.server.setup.tournament_file import PlanError, parse_plan

ASA = ("Åsa Ek, Vasa 1628", "Åsa Ek, Kronan 1676")
"""Two ships, one id."""


def told(*names: str, by_options: bool = False) -> list[str]:
    return [problem for _, problem in id_problems([(name, None) for name in names], by_options=by_options)]


def test_two_names_with_one_id_are_both_named_with_an_id_to_give() -> None:
    (both,) = told(*ASA)
    assert both == (
        "'Åsa Ek, Vasa 1628' and 'Åsa Ek, Kronan 1676' both get the id asa-ek; "
        'give one an id: id = "asa-ek-kronan-1676"'
    )
    assert told("Bo, a", "Bo, a!") == ["'Bo, a' and 'Bo, a!' both get the id bo; give one an id: id = \"bo-a\""]
    assert told("Bo!", "bo") == ["'Bo!' and 'bo' both get the id bo; give one an id: id = \"bo-2\""]
    assert told("x" * 32 + ", a", "x" * 32 + ", b")[0].endswith("; give each entrant a name of its own")


def test_names_that_look_the_same_are_entered_twice() -> None:
    """An id would not tell them apart on screens."""
    assert told("anna", "Anna") == ["'anna' is entered 2 times; give each entrant a name of its own"]


@pytest.mark.parametrize("name", ["李明", "B v", "3-ply!"])
def test_a_name_of_which_no_id_can_be_made_is_told_once(name: str) -> None:
    assert told("anna", name) == [f'no id can be made of the name {name!r}; give one beside it, such as id = "anna"']
    assert len(told(name, name)) == 2


def test_on_the_command_line_the_advice_can_be_followed_there() -> None:
    (both,) = told(*ASA, by_options=True)
    assert both.endswith('made of what stands before a comma: call one "Åsa Ek Kronan 1676"')
    assert told(ASA[0], "Åsa Ek Kronan 1676", by_options=True) == []
    (nameless,) = told("李明", by_options=True)
    assert "id =" not in nameless


def test_a_file_is_told_in_which_line() -> None:
    bots = "".join(f'[[bot]]\nname = "{name}"\ncommand = "true"\n' for name in (*ASA, "李明"))
    with pytest.raises(PlanError) as caught:
        parse_plan(bots, tell_lines=True)
    assert [problem.partition(":")[0] for problem in caught.value.problems] == ["line 5", "line 8"]


def test_what_follows_from_other_problems_comes_last() -> None:
    text = '[tournament]\nruleset = "vasa"\noptions = ["one_die"]\ngamse = 3\n'
    with pytest.raises(PlanError) as caught:
        parse_plan(text, tell_lines=True)
    option, field, entrants = caught.value.problems
    assert option.startswith("line 3: [tournament] options: unknown option 'one_die'; vasa takes none; ")
    assert field.startswith("line 4: unknown field in [tournament]: 'gamse'")
    assert entrants == "round_robin needs at least 2 entrants, found 0"
