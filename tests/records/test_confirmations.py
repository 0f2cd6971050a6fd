"""What `verify` can prove, who confirms the rest, and the forgeries that only a signature or a receipt finds."""

import pytest

from arena.records.confirmations import Claim, key_problem, read_receipts
from arena.records.lines import RecordError
from arena.records.verify import Verified, verify_run
from arena.server.setup.credentials import is_signed
from tests.fixtures.forgeries import Change, Line, nth, setting
from tests.fixtures.signed_run import (
    LEDGER,
    LOW_ORDER,
    forged_signature,
    public_key_of,
    receipts_of,
    signed_run,
    with_heads,
)
from tests.fixtures.small_run import RECORD, Files, forge, small_run


def level(found: Verified, what: str) -> tuple[str, str]:
    """A row of the table: the level, and who confirmed it."""
    [claim] = [claim for claim in found.claims if claim.what == what]
    return claim.level, claim.by


def a_loss_on_time(found: list[Line]) -> None:
    """The last game is lost a millisecond later."""
    flag = nth(found, "flag_fell", -1)
    flag["spent_ms"] += 1
    for line in found[found.index(flag) :]:
        if "at_ms" in line:
            line["at_ms"] += 1


def all_dates(found: list[Line]) -> None:
    """A minute later."""
    for line in found:
        if "at_ms" in line:
            line["at_ms"] += 60_000


FORGERIES: list[Change] = [
    a_loss_on_time,
    all_dates,
    setting("turn_played", info="I was cheated"),
    setting("bot_ready", entrant__version="9"),
    setting("bot_ready", entrant__fingerprint="another build"),
]


def rehashed(files: Files, name: str, change: Change) -> Files:
    """A forgery whose hashes all fit, and which the forger has signed with a key of its own."""
    return with_heads(forge(files, name, change), "forger")


@pytest.mark.parametrize("change", FORGERIES)
def test_without_signatures_it_is_only_claimed(change: Change) -> None:
    """No hash makes it true; so `verify` says that nobody confirms it, before and after."""
    for files in (small_run(), forge(small_run(), RECORD, change)):
        found = verify_run(files, is_signed)
        assert level(found, "clocks, losses on time, dates") == (
            "claimed",
            "0 of 3 games by a player, 0 by both",
        )
        assert level(found, "info, versions, fingerprints")[0] == "claimed"
        assert level(found, "results, tournament file")[0] == "claimed"


@pytest.mark.parametrize("change", FORGERIES)
def test_signatures_of_the_bots_find_it(change: Change) -> None:
    """Even if the operator itself signs the forgery: every bot disputes it by name."""
    found = verify_run(rehashed(signed_run(), RECORD, change), is_signed)
    assert found.disputed_by == ["anna", "bo"]
    assert level(found, "clocks, losses on time, dates")[0] == "claimed"
    assert level(found, "games of anna")[0] == "claimed"
    assert "anna" not in found.signers


@pytest.mark.parametrize("change", FORGERIES)
def test_a_receipt_finds_it(change: Change) -> None:
    receipts = read_receipts("mine", receipts_of(small_run()))
    found = verify_run(small_run(), is_signed, receipts)
    assert level(found, "games of anna") == ("confirmed", "3 of 3 by receipt")
    assert level(found, "clocks, losses on time, dates") == (
        "confirmed",
        "3 of 3 games by a player, 0 by both",
    )
    with pytest.raises(RecordError, match="differ from those in the receipt of anna"):
        verify_run(forge(small_run(), RECORD, change), is_signed, receipts)


def the_file(files: Files) -> Files:
    """Another command, and its hash in the record."""
    import hashlib

    changed = files["tournament.toml"].replace(b'"true"', b'"false"')

    fit = setting("tournament_opened", file_sha256=hashlib.sha256(changed).hexdigest())
    return forge(files, LEDGER, fit) | {"tournament.toml": changed}


def test_the_operators_key_finds_another_tournament_file() -> None:
    """Commands and sandbox stay claims of the operator; but it cannot change them after it has signed."""
    verify_run(the_file(small_run()), is_signed)
    with pytest.raises(
        RecordError, match="the signature is about other lines than those before this one"
    ):
        verify_run(the_file(signed_run()), is_signed)


def test_all_that_is_signed_is_confirmed_by_name_and_key() -> None:
    found = verify_run(signed_run(), is_signed)
    anna = f"3 of 3 by signature with the key {public_key_of('anna')}"
    assert level(found, "games of anna") == ("confirmed", anna)
    assert level(found, "clocks, losses on time, dates") == (
        "confirmed",
        "3 of 3 games by a player, 3 by both",
    )
    assert level(found, "results, tournament file")[0] == "confirmed"
    assert public_key_of("operator") in level(found, "results, tournament file")[1]
    assert level(found, "commands, sandbox")[0] == "claimed"
    assert level(found, "dice")[0] == "proven"


def test_an_objection_is_shown() -> None:
    found = verify_run(small_run(), is_signed)
    assert found.disputed_by == ["bo"]
    [objection] = [claim for claim in found.claims if claim.level == "disputed"]
    assert isinstance(objection, Claim)
    assert objection.what == "objection of bo"
    assert objection.by.endswith("my clock ran slower")


def test_a_wrong_signature_spoils_no_record() -> None:
    """The bot that sent it disputes its game by name, and the games that it has signed stay confirmed."""

    change = setting("receipt_signed", -1, signature="00" * 64)
    found = verify_run(rehashed(signed_run(), RECORD, change), is_signed)
    assert found.disputed_by == ["bo"]
    reason = f"r1-anna-v-bo, attempt 2, the first 31 lines: it does not fit them and the key {public_key_of('bo')}"
    assert level(found, "signature of bo") == ("disputed", reason)
    assert level(found, "games of bo") == (
        "claimed",
        f"2 of 3 by signature with the key {public_key_of('bo')}",
    )
    assert level(found, "games of anna")[0] == "confirmed"


@pytest.mark.parametrize("is_checked", [True, False])
def test_a_key_of_low_order_signs_nothing(*, is_checked: bool) -> None:
    [key] = [key for key in LOW_ORDER if key.startswith("01") and key.endswith("00")]
    fitting = forged_signature(key, b"any text")
    assert is_signed(key, b"any other text", fitting)

    def change(found: list[Line]) -> None:
        nth(found, "bot_ready", -2)["entrant"]["public_key"] = key
        for line in found:
            if line["event"] == "receipt_signed" and line["seat"] == 1:
                line["signature"] = fitting

    found = verify_run(rehashed(signed_run(), RECORD, change), is_signed if is_checked else None)
    assert "anna" in found.disputed_by
    told = [claim.by for claim in found.claims if claim.what == "signature of anna"]
    assert len(told) == 3
    assert all(by.endswith("lines: the key is of low order, proves nothing") for by in told)
    assert level(found, "games of anna") == ("claimed", "no signature, no receipt")


def test_an_operator_with_a_key_of_low_order_is_not_in_order() -> None:
    [key] = [key for key in LOW_ORDER if key.startswith("01") and key.endswith("00")]

    def change(found: list[Line]) -> None:
        nth(found, "head_signed", -1).update(
            public_key=key, signature=forged_signature(key, b"any text")
        )

    for checked in (is_signed, None):
        with pytest.raises(RecordError, match="the key beside the signature is of low order"):
            verify_run(forge(signed_run(), LEDGER, change), checked)


def test_signatures_that_are_not_checked_confirm_nothing() -> None:
    """As in a report."""
    found = verify_run(signed_run())
    assert level(found, "games of anna") == ("claimed", "signatures, which were not checked")
    assert level(found, "results, tournament file")[0] == "claimed"


@pytest.mark.parametrize(
    ("name", "change", "told"),
    [
        (LEDGER, setting("head_signed", -1, public_key="3" * 64), "not made with the key"),
        (LEDGER, setting("head_signed", -1, lines=1), "other lines than those before"),
        (RECORD, setting("bot_ready", -2, entrant__public_key=None), "gave no key"),
        (RECORD, setting("receipt_signed", -1, lines=9999), "are not the lines before it"),
        (RECORD, setting("receipt_signed", -1, lines=39), "are not the lines before it"),
        (RECORD, setting("receipt_signed", -1, lines=0), "are not the lines before it"),
        (RECORD, setting("receipt_signed", -1, lines=-1), "are not the lines before it"),
        (RECORD, setting("receipt_disputed", -1, lines=33), "are not the lines before it"),
    ],
)
def test_no_signature_fits_where_it_was_not_made(name: str, change: Change, told: str) -> None:
    with pytest.raises(RecordError, match=told):
        verify_run(
            forge(signed_run(), name, change)
            if name == LEDGER
            else rehashed(signed_run(), name, change),
            is_signed,
        )


def test_no_error_tells_the_hash_that_would_be_right() -> None:
    """Who forges a record is not told how to go on."""
    import re

    for files, name in (
        (small_run(), "tournament.toml"),
        (small_run(), RECORD),
        (small_run(), LEDGER),
    ):
        data = bytearray(files[name])
        data[40] ^= 1
        with pytest.raises(RecordError) as caught:
            verify_run(files | {name: bytes(data)}, is_signed)
        assert not re.search(r"[0-9a-f]{64}", caught.value.message)


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
    for coordinate in (
        2,
        P - 2,
        int.from_bytes(bytes.fromhex(LOW_ORDER[-1]), "little") % 2**255 + 1,
    ):
        assert not key_problem(coordinate.to_bytes(32, "little"))
