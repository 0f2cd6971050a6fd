"""What a tournament file says of a tournament as its record says it, and where the two contradict each other."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec
from msgspec import UNSET, UnsetType

from arena.games import ruleset_record
from arena.records.facts import TournamentOpened
from arena.server.setup.luck_section import fixed_evaluator
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
"""Where the file says what the record has under another name."""
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
    return TournamentOpened(
        at_ms=at_ms,
        name=plan.tournament.name,
        schedule=plan.format,
        best_game=plan.best_game,
        violations=plan.limits.violations,
        entrants=entrants,
        names=given_names(plan, entrants),
        people=people(plan, entrants),
        ruleset=ruleset_record(rules),
        terms=plan.terms,
        file_sha256=file_sha256,
        luck=fixed_evaluator(plan.luck, rules),
        public_key=public_key,
        run=run,
        absent="wait" if plan.tournament.absent == "wait" else UNSET,
    )


def people(plan: Plan, entrants: Sequence[str]) -> Sequence[str] | UnsetType:
    """Return those of these entrants whose seat is played by a person; nothing if there are none."""
    return [bot.entrant for bot in plan.bot if bot.person and bot.entrant in entrants] or UNSET


def given_names(plan: Plan, entrants: Sequence[str]) -> dict[str, str] | UnsetType:
    """Return what these entrants are called on screens, as far as that is not their id."""
    names = {name: plan.names[name] for name in entrants if plan.names[name] != name}
    return names or UNSET


def contradictions(file: bytes, recorded: TournamentOpened) -> list[Said]:
    """Say where a file contradicts its record, `tournament.games: 5 in the file, 3 in the record`.

    `recorded` is the first line with all entrants that were added. Of the evaluator that was fixed
    for luck the file has the name alone, and this arena need not have it any more.
    """
    try:
        plan = parse_plan(file.decode(), has_evaluator=False)
    except UnicodeDecodeError:
        return [Said("contradicts.not_utf_8")]
    except PlanError as error:
        return [Said("contradicts.unusable", {"problem": problem}) for problem in error.problems]
    evaluator = plan.luck.evaluator
    plan = msgspec.structs.replace(plan, luck=type(plan.luck)())
    header = header_of(plan, plan.entrants, at_ms=recorded.at_ms, file_sha256=recorded.file_sha256)
    by_file = _values(header) | {"luck.evaluator": evaluator}
    return first_problems([*_differences(by_file, _values(recorded))])


def _differences(by_file: Mapping[str, Any], by_record: Mapping[str, Any]) -> Iterator[Said]:
    is_same_ruleset = by_file["tournament.ruleset"] == by_record["tournament.ruleset"]
    for place in {**by_file, **by_record}:
        if place.startswith(RULE) and not is_same_ruleset:
            continue  # it follows
        said, recorded = by_file.get(place), by_record.get(place)
        if place == "tournament.best_game" and "none" in (said, recorded):
            continue  # that the games are of pairs
        if said != recorded:
            values = {"file": shown(said), "record": shown(recorded)}
            yield Said("contradicts.value", {"field": place, **values})


def _values(header: TournamentOpened) -> dict[str, Any]:
    """Return what a first line says, under the names that the fields have in a tournament file."""
    values: dict[str, Any] = {}
    for field, value in msgspec.to_builtins(header).items():
        if field in NOT_IN_THE_FILE:
            continue
        if field == "schedule":
            values |= {
                f"tournament.{name}": option for name, option in value.items() if name != "name"
            }
            values["tournament.format"] = value["name"]
        elif field == "terms":
            is_of_pairs, games = value.pop("form") == "pairs", value.pop("games")
            values["tournament.pairs"] = games // 2 if is_of_pairs else None
            values["tournament.games"] = None if is_of_pairs else games
            values |= {f"clock.{name}": limit for name, limit in value.pop("clock").items()}
            values |= {IN_OTHER_FIELDS[f"terms.{name}"]: term for name, term in value.items()}
        elif field == "ruleset":
            values["tournament.ruleset"] = value["name"]
            values |= {f"{RULE}{name}": rule for name, rule in value["fields"].items()}
        elif field == "luck":
            values["luck.evaluator"] = value["name"]
        elif field in ("entrants", "names", "people"):
            values[f"bot: {field}"] = value
        else:
            values[IN_OTHER_FIELDS.get(field, f"tournament.{field}")] = value
    return values
