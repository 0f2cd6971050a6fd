"""Keys of low order fit signatures that anybody can make, so they are refused."""

from __future__ import annotations

import pytest

from arena.records.signatures import key_problem
from arena.server.setup.credentials import is_signed
from tests.records.signed_run import LOW_ORDER, forged_signature, public_key_of

P = 2**255 - 19


@pytest.mark.parametrize("key", LOW_ORDER)
def test_a_key_of_low_order_is_refused_because_anybody_can_sign_with_it(key: str) -> None:
    """A signature that was made without a secret fits in all 14 spellings, for a third of all texts at least."""
    texts = [f"I have lost {number} games".encode() for number in range(30)]
    assert sum(is_signed(key, text, forged_signature(key, text)) for text in texts) >= 10
    assert key_problem(bytes.fromhex(key)) == "of low order, proves nothing"


def test_a_key_has_one_spelling() -> None:
    """A coordinate that is not below the prime of the field is another spelling of a smaller one."""
    keys = [coordinate.to_bytes(32, "little") for coordinate in range(P + 2, 2**255)]
    assert {key_problem(key) for key in keys} == {"not in canonical form, proves nothing"}


def test_the_key_of_a_person_is_not_refused() -> None:
    for name in map(str, range(200)):
        assert not key_problem(bytes.fromhex(public_key_of(name)))
    for coordinate in (2, P - 2, int.from_bytes(bytes.fromhex(LOW_ORDER[-1]), "little") % 2**255 + 1):
        assert not key_problem(coordinate.to_bytes(32, "little"))
