"""Every test here is run with every sample bot that can be built on this machine."""

import pytest

from tests.sample_bots.workshop import BOTS, Sample, build


@pytest.fixture(params=BOTS, ids=lambda sample: sample.folder)
def sample(request: pytest.FixtureRequest) -> Sample:
    sample: Sample = request.param
    build(sample)
    return sample
