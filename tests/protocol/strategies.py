"""Arbitrary messages and plain values, as the wire may carry them."""

from typing import Any

from hypothesis import strategies as st

from protocol import greetings as g
from protocol import messages as m
from protocol.codec import MAX_INT

ints = st.integers(-MAX_INT, MAX_INT)
counts = st.integers(0, MAX_INT)
words = st.text(st.characters(exclude_categories=["C", "Z"], include_characters=" "), max_size=12)
names = st.text(st.characters(exclude_categories=["C", "Z"], include_characters=" "), min_size=1, max_size=64)
digests = st.binary(min_size=32, max_size=32)
scalars = st.none() | st.booleans() | ints | words | st.binary(max_size=12)


def plain(levels: int = 5) -> st.SearchStrategy[Any]:
    """A value the wire carries, with at most so many arrays and maps inside each other."""
    if not levels:
        return scalars
    inner = st.deferred(lambda: plain(levels - 1))
    return scalars | st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=3)


tables = st.dictionaries(words, plain(4), max_size=4)
places = st.integers(0, 25) | st.sampled_from(["a1", "d4", "g7"])
moves = st.lists(st.lists(places, min_size=2, max_size=2), max_size=6)
dice = st.lists(st.integers(1, 6), max_size=2)
lasts = st.builds(m.Last, dice=dice, moves=moves)
scores = st.lists(counts, min_size=2, max_size=2)
results = st.sampled_from(["won", "lost", "drawn", "void"])

errors = st.builds(m.Error, code=words, message=words, fatal=st.booleans(), game=st.none() | counts)
pings = st.builds(m.Ping, data=ints)
pongs = st.builds(m.Pong, data=ints)
byes = st.builds(m.Bye, reason=words)
logins = st.builds(
    g.Login,
    protocol=st.just(1),
    name=names,
    version=words,
    token=words,
    window=st.integers(1, 256),
    wants=st.sampled_from([(), ("legal",), ("call",), ("legal", "call")]),
    fingerprint=words,
    resume=st.none() | words,
    public_key=st.none() | digests,
)
match_readies = st.builds(m.MatchReady, match=words, commitment=st.none() | digests)
match_entropies = st.builds(m.MatchEntropy, match=words, entropy=st.binary(max_size=32))
line_counts = st.integers(1, MAX_INT)
receipts = st.none() | st.builds(m.Receipt, lines=line_counts, sha256=digests)
confirms = st.builds(
    m.Confirm, match=words, lines=line_counts, signature=st.binary(min_size=64, max_size=64)
) | st.builds(m.Confirm, match=words, lines=line_counts, objection=names)
offers = st.none() | st.just("offer")
plays = (
    st.builds(m.Play, game=counts, turn=counts, moves=moves, info=plain(), draw=offers)
    | st.builds(m.Play, game=counts, turn=counts, choice=counts, info=plain(), draw=offers)
    | st.builds(m.Play, game=counts, turn=counts, info=plain(), draw=st.just("accept"))
)
hellos = st.builds(g.Hello, protocol=st.just(1), server=words, nonce=st.binary(max_size=32))
welcomes = st.builds(
    g.Welcome, session=words, resume_key=words, limits=st.builds(g.Limits, frame_bytes=counts, window=counts)
)
match_starts = st.builds(
    m.MatchStart,
    match=words,
    ruleset=tables,
    games=counts,
    seat=st.sampled_from([1, 2]),
    opponent=st.builds(m.Opponent, name=words, version=words),
    clock=st.builds(m.ClockTerms, delay_ms=counts, bank_ms=counts),
    rejections=counts,
    dice_commitment=digests,
    form=st.sampled_from(["series", "pairs"]),
    attempt=counts,
)
match_reveals = st.builds(m.MatchReveal, match=words, opponent_commitment=st.none() | digests)
game_starts = st.builds(
    m.GameStart, game=counts, match=words, number=counts, seat=st.sampled_from([1, 2]), starts=st.booleans()
)
asked = {
    "game": counts,
    "turn": counts,
    "dice": dice,
    "position": tables,
    "clock": st.builds(m.TurnClock, left_ms=ints, opponent_left_ms=ints, spent_ms=ints, delay_left_ms=ints),
    "last": st.none() | lasts,
}
turns = st.builds(m.Turn, **asked, legal=st.none() | st.lists(moves, max_size=4), draw_offered=st.booleans())
calls = st.builds(m.Call, **asked)
calleds = st.builds(m.Called, game=counts, turn=counts, dice=counts)
rejecteds = st.builds(
    m.Rejected,
    game=counts,
    turn=counts,
    code=words,
    clause=words,
    message=words,
    left=st.integers(-1, 9),
    legal_turns=st.none() | counts,
)
game_ends = st.builds(
    m.GameEnd,
    game=counts,
    match=words,
    number=counts,
    result=results,
    ending=words,
    clause=words,
    monk=st.booleans(),
    points=counts,
    score=scores,
    last=st.none() | lasts,
    receipt=receipts,
)
match_ends = st.builds(
    m.MatchEnd,
    match=words,
    result=results,
    score=scores,
    dice_seed=st.none() | digests,
    entropies=st.none() | st.lists(st.binary(max_size=32), min_size=2, max_size=2),
    receipt=receipts,
)

open_from_bot = match_readies | match_entropies | confirms | calleds | plays | pings | pongs
"""What a bot may say again and again once it is welcome."""

from_bot = open_from_bot | logins | errors | byes
from_arena = st.one_of(
    hellos,
    welcomes,
    match_starts,
    match_reveals,
    game_starts,
    calls,
    turns,
    rejecteds,
    game_ends,
    match_ends,
    errors,
    pings,
    pongs,
    byes,
)
