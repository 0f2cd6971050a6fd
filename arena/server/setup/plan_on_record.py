"""The header that a tournament file asks for, and contradictions between a file and a record."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal

import msgspec
from msgspec import UNSET, UnsetType

from arena.games import ruleset_record
from arena.records.facts import TournamentOpened
from arena.server.setup.luck_section import LuckSection, fixed_evaluator
from arena.server.setup.plan_differences import shown
from arena.server.setup.problems import first_problems
from arena.server.setup.tournament_file import Plan, PlanError, parse_plan
from arena.words import Said

IN_OTHER_FIELDS = {
    "terms.rejections": "limits.rejections",
    "terms.turn_limit": "limits.turns",
    "terms.startup_ms": "limits.startup_ms",
    "violations": "limits.violations",
}
"""Names in a tournament file of fields that have another name in the record."""
RULE = "tournament.ruleset."
NOT_IN_THE_FILE = ("event", "v", "at_ms", "format", "run", "file_sha256", "public_key")


def header_of(
    plan: Plan,
    entrants: Sequence[str],
    *,
    at_ms: int,
    file_sha256: str,
    public_key: str | UnsetType = UNSET,
    run: str | UnsetType = UNSET,
) -> TournamentOpened:
    """Return the first line of the record of a tournament with these entrants of its file."""
    rules = plan.game()
    absent: Literal["wait"] | UnsetType = UNSET
    if plan.tournament.absent == "wait":
        absent = "wait"
    return TournamentOpened(
        at_ms=at_ms,
        name=plan.tournament.name,
        schedule=plan.format,
        best_game=plan.best_game,
        violations=plan.limits.violations,
        entrants=entrants,
        names=given_names(plan, entrants),
        ruleset=ruleset_record(rules),
        terms=plan.terms,
        file_sha256=file_sha256,
        luck=fixed_evaluator(plan.luck, rules),
        public_key=public_key,
        run=run,
        absent=absent,
    )


def given_names(plan: Plan, entrants: Sequence[str]) -> dict[str, str] | UnsetType:
    """Return the names on screens of these entrants, without those that are called by their id."""
    all_names = plan.names
    names = {}
    for entrant in entrants:
        if all_names[entrant] != entrant:
            names[entrant] = all_names[entrant]
    return names or UNSET


def contradictions(file: bytes, header: TournamentOpened) -> list[Said]:
    """Say where a file contradicts its record: `tournament.games: 5 in the file, 3 in the record`.

    `header` is the first line of the record, with all entrants that were added later. Of the
    evaluator that was fixed for luck only the name is compared: this arena need not have it.
    """
    try:
        plan = parse_plan(file.decode(), has_evaluator=False)
    except UnicodeDecodeError:
        return [Said("contradicts.not_utf_8")]
    except PlanError as error:
        return [Said("contradicts.unusable", {"problem": problem}) for problem in error.problems]
    evaluator = plan.luck.evaluator
    plan = msgspec.structs.replace(plan, luck=LuckSection())
    header_of_file = header_of(
        plan,
        plan.entrants,
        at_ms=header.at_ms,
        file_sha256=header.file_sha256,
    )
    by_file = _fields_of(header_of_file)
    by_file["luck.evaluator"] = evaluator
    differences = list(_differences(by_file, _fields_of(header)))
    return first_problems(differences)


def _differences(by_file: Mapping[str, Any], by_record: Mapping[str, Any]) -> Iterator[Said]:
    """Yield the fields in which the file contradicts the record."""
    is_same_ruleset = by_file["tournament.ruleset"] == by_record["tournament.ruleset"]
    for field in {**by_file, **by_record}:
        if field.startswith(RULE) and not is_same_ruleset:
            continue  # it follows from the other ruleset
        in_file = by_file.get(field)
        in_record = by_record.get(field)
        if field == "tournament.best_game" and "none" in (in_file, in_record):
            continue  # it follows from games in pairs
        if in_file != in_record:
            values = {
                "field": field,
                "file": shown(in_file),
                "record": shown(in_record),
            }
            yield Said("contradicts.value", values)


def _fields_of(header: TournamentOpened) -> dict[str, Any]:
    """Return the facts of a first line under the names that a tournament file has for them."""
    fields: dict[str, Any] = {}
    for name, fact in msgspec.to_builtins(header).items():
        if name in NOT_IN_THE_FILE:
            continue
        if name == "schedule":
            format_name = fact.pop("name")
            fields |= _prefixed("tournament.", fact)
            fields["tournament.format"] = format_name
        elif name == "terms":
            fields |= _fields_of_terms(fact)
        elif name == "ruleset":
            fields["tournament.ruleset"] = fact["name"]
            fields |= _prefixed(RULE, fact["fields"])
        elif name == "luck":
            fields["luck.evaluator"] = fact["name"]
        elif name in ("entrants", "names"):
            fields[f"bot: {name}"] = fact
        else:
            fields[IN_OTHER_FIELDS.get(name, f"tournament.{name}")] = fact
    return fields


def _fields_of_terms(terms: dict[str, Any]) -> dict[str, Any]:
    """Return the recorded terms as fields of a tournament file."""
    fields: dict[str, Any] = {
        "tournament.pairs": None,
        "tournament.games": None,
    }
    games = terms.pop("games")
    if terms.pop("form") == "pairs":
        fields["tournament.pairs"] = games // 2
    else:
        fields["tournament.games"] = games
    fields |= _prefixed("clock.", terms.pop("clock"))
    for name, term in terms.items():
        fields[IN_OTHER_FIELDS[f"terms.{name}"]] = term
    return fields


def _prefixed(prefix: str, fields: Mapping[str, Any]) -> dict[str, Any]:
    return {f"{prefix}{name}": field for name, field in fields.items()}
