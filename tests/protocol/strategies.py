"""Arbitrary messages and plain values, as the wire may carry them; made from the types of the fields."""

from typing import Any

import msgspec
from hypothesis import strategies as st
from msgspec import inspect

from protocol.codec import TO_ARENA, TO_BOT
from protocol.fields import MAX_INT, Move
from protocol.greetings import Hello, Join, Login
from protocol.messages import Bye, Confirm, Error, Play, Turn

PRINTABLE = st.characters(exclude_categories=["C", "Z"], include_characters=" ")
words = st.text(PRINTABLE, max_size=12)
scalars = (
    st.none() | st.booleans() | st.integers(-MAX_INT, MAX_INT) | words | st.binary(max_size=12)
)
FEW = 3
"""Values of an array or a map that may be of any length."""


def plain(levels: int = 4) -> st.SearchStrategy[Any]:
    """A value the wire carries, with at most so many arrays and maps inside each other."""
    if not levels:
        return scalars
    inner = st.deferred(lambda: plain(levels - 1))
    return scalars | st.lists(inner, max_size=FEW) | st.dictionaries(words, inner, max_size=FEW)


def values(kind: inspect.Type) -> st.SearchStrategy[Any]:
    """Whatever a field of this type may hold."""
    match kind:
        case inspect.Metadata():
            return values(kind.type)
        case inspect.IntType():
            least, most = kind.ge, kind.le
            return st.integers(
                -MAX_INT if least is None else least, MAX_INT if most is None else most
            )
        case inspect.StrType():
            return st.text(PRINTABLE, min_size=kind.min_length or 0, max_size=kind.max_length or 12)
        case inspect.BytesType():
            return st.binary(min_size=kind.min_length or 0, max_size=kind.max_length or 32)
        case inspect.BoolType():
            return st.booleans()
        case inspect.NoneType():
            return st.none()
        case inspect.AnyType():
            return plain()
        case inspect.LiteralType():
            return st.sampled_from(kind.values)
        case inspect.UnionType():
            return st.one_of(map(values, kind.types))
        case inspect.ListType():
            return st.lists(
                values(kind.item_type),
                min_size=kind.min_length or 0,
                max_size=kind.max_length or FEW,
            )
        case inspect.DictType():
            return st.dictionaries(values(kind.key_type), values(kind.value_type), max_size=FEW)
        case inspect.StructType():
            return messages(kind.cls)
    raise AssertionError(kind)


def messages(cls: type[Any], **given: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Messages of a class, with these values in these fields."""
    types = {field.name: inspect.type_info(field.type) for field in msgspec.structs.fields(cls)}
    return st.builds(
        cls, **{name: values(kind) for name, kind in types.items() if name not in given} | given
    )


nothing, version = st.none(), st.just(1)
moves = st.lists(values(inspect.type_info(Move)), max_size=6)
offers = nothing | st.just("offer")
plays = (
    messages(Play, moves=moves, choice=nothing, draw=offers)
    | messages(Play, moves=nothing, choice=st.integers(0, MAX_INT), draw=offers)
    | messages(Play, moves=nothing, choice=nothing, draw=st.just("accept"))
)
turns = messages(Turn)
of_their_own = {
    Hello: messages(Hello, protocol=version),
    Join: messages(Join, protocol=version),
    Login: messages(
        Login,
        protocol=version,
        wants=st.sampled_from([(), ("legal",), ("call",), ("legal", "call")]),
    ),
    Play: plays,
    Confirm: messages(
        Confirm, signature=nothing, objection=st.text(PRINTABLE, min_size=1, max_size=200)
    )
    | messages(Confirm, signature=st.binary(min_size=64, max_size=64), objection=st.just("")),
}
"""Messages whose fields depend on each other, or on what the two sides know."""
every_message = {
    cls: of_their_own[cls] if cls in of_their_own else messages(cls)
    for cls in (*TO_ARENA.types.values(), *TO_BOT.types.values())
}
from_bot = st.one_of([every_message[cls] for cls in TO_ARENA.types.values()])
from_arena = st.one_of([every_message[cls] for cls in TO_BOT.types.values()])
open_from_bot = st.one_of(
    [every_message[cls] for cls in TO_ARENA.types.values() if cls not in (Login, Join, Error, Bye)]
)
"""What a bot may say again and again once it is welcome."""
