"""How many examples properties try: few in `make test`, twenty times as many in `make soak`."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

PATIENT = "patient"
"""The profile of `make test`."""
EXAMPLES = 50
"""What a property tries in `make test` if it says nothing else."""
TIMES = 20
REPEATABLE = "repeatable"
"""The profile of `.ci/run`: the same number as `make test`, and the same examples every time."""

settings.register_profile(
    PATIENT, deadline=None, suppress_health_check=[HealthCheck.too_slow], max_examples=EXAMPLES
)
settings.register_profile(
    "many", parent=settings.get_profile(PATIENT), max_examples=TIMES * EXAMPLES
)
settings.register_profile(
    REPEATABLE,
    parent=settings.get_profile(PATIENT),
    derandomize=True,
    database=None,
    print_blob=True,
)


def tries(number: int) -> settings:
    """Return the settings of a property that tries so many examples in `make test`."""
    return settings(max_examples=number * settings.default.max_examples // EXAMPLES)
