"""Records as they have always been, byte for byte: what is new in records changes no match that does not have it."""

import hashlib
from collections.abc import Callable

import pytest

from tests.fixtures.resumed_match import begin, play_out
from tests.fixtures.sitting import Sitting
from tests.fixtures.small_run import (
    agreed_attempt,
    attempt_record,
    called_attempt,
    pairs_attempt,
    played_attempt,
    starved_attempt,
    voided_attempt,
)

ATTEMPTS: dict[Callable[[], Sitting], str] = {
    voided_attempt: "56fe087b0f4bf4146527cddf0c27aa5b45f69d065d27fabadc366a12ae3a4f80",
    played_attempt: "a6026302e57fc254b52c801641eb45e20034652f745bd98eec0821bf6e4b78d0",
    agreed_attempt: "0074eccf2f4bd69b0f17e8a8722a684dc01061ad30e6e56f5b973af3c9f327c9",
    called_attempt: "1895adc70da2d006be2f5b4441081d45ab303a3c34a924279711f0bf65f93aa7",
    pairs_attempt: "be93af0fb47676770cec3a9f4e26e759830f0d1fcababc671148ee3d7f61b011",
    starved_attempt: "42ab8f782c746ce15380a8fdcf77a16f08249c81c4057455d8c1eea8f7284be4",
}
"""The SHA-256 of the record of each."""
MATCHES = {
    "series": "aabe0bfbc95120cf25d115cb073ad699d85a2306edf35e2aa31b41cad43f4719",
    "calls": "2220bc4004185481bc09ba67458a6bddb04bb1e62046c1fd295ec75884b67a30",
    "backgammon": "438bcaf325216b1e524f36371b41d380f97e9d50429a0e86ab7299a1f4f77f43",
    "brandubh": "82a3c3a530e7c321875f859208af45b29fc70df140ac2f449c4928b2375cd298",
    "pairs": "de62e66467a506c9eaad7c1a7ede7746df3dd283497cda26b098861f0d43e302",
    "pairs with calls": "db1ec1a5a13f79e32ec3d7eadc38c8a1e2c1e8fdad9f570227397fcf3a8bb44a",
    "pairs of brandubh": "bc5bbc70e0a3eeb2375b963db2f623ad9a5bf72280524c44996deefdda571e13",
}
"""The same, of matches that are played to their end."""


@pytest.mark.parametrize(
    ("attempt", "sha256"), ATTEMPTS.items(), ids=lambda value: getattr(value, "__name__", "")
)
def test_an_attempt_is_recorded_as_ever(attempt: Callable[[], Sitting], sha256: str) -> None:
    assert hashlib.sha256(attempt_record(attempt())).hexdigest() == sha256


@pytest.mark.parametrize(("kind", "sha256"), MATCHES.items(), ids=MATCHES.keys())
def test_a_whole_match_is_recorded_as_ever(kind: str, sha256: str) -> None:
    assert hashlib.sha256(attempt_record(play_out(begin(kind)))).hexdigest() == sha256
