"""Every test here is run with every sample bot that can be built on this machine."""

import pytest

from tests.fixtures.bot_workshop import BOTS, Sample, build

EACH = [
    pytest.param(
        sample, id=sample.folder, marks=() if sample.has_kit else pytest.mark.slow
    )  # CI has every language
    for sample in BOTS
]


@pytest.fixture(params=EACH)
def sample(request: pytest.FixtureRequest) -> Sample:
    sample: Sample = request.param
    build(sample)
    return sample
