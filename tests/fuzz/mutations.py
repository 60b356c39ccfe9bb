# SPDX-License-Identifier: Apache-2.0
"""Ways to break logs: bytes of files, and messages whose checksums are right."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random

from mindscope.formats.frames import frame

Mutation = Callable[[bytearray, int, Random], None]

NUMBERS = [0, 1, 64, 65, 127, 1 << 31, (1 << 31) - 1, 1 << 62, (1 << 63) - 1, 1 << 63, (1 << 64) - 1]
FIXED = [b"\0\0\xc0\x7f", b"\0\0\x80\x7f", b"\0\0\x80\xff", b"\xff" * 8, b"\0" * 6 + b"\xf0\x7f", b"\0" * 8]
TEXTS = [
    *(b"", b"\0", b"\xff\xfe", b"../../x", b"\xed\xa0\x80", b"nan", b"-1", b"9" * 400, b"a/" * 50, b"%s{0}"),
    *(b'{"a":' * 3000, b'{"a":' * 50 + b"1" + b"}" * 50, b'["\\ud800"]', b'{"x": 1e999, "y": -0}', b"{}", b"[]"),
]


def varint(number: int) -> bytes:
    encoded = bytearray()
    while number >= 0x80:
        encoded.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*encoded, number])


def flip(data: bytearray, at: int, random: Random) -> None:
    data[at] ^= 1 << random.randrange(8)


def insert(data: bytearray, at: int, random: Random) -> None:
    data[at:at] = random.randbytes(random.choice([1, 2, 4, 8, 40]))


def delete(data: bytearray, at: int, random: Random) -> None:
    del data[at : at + random.choice([1, 2, 4, 8, 40])]


def overwrite(data: bytearray, at: int, random: Random) -> None:
    filler = random.choice([b"\xff", b"\0", b"\x80", b"\x7f"]) * random.choice([1, 4, 10])
    data[at : at + len(filler)] = filler


def repeat(data: bytearray, at: int, random: Random) -> None:
    data[at:at] = data[at : at + random.randrange(1, 200)]


def cut(data: bytearray, at: int, random: Random) -> None:
    del data[at:]


def tear(data: bytearray, at: int, random: Random) -> None:
    """Half a record of another writer, whose length reaches over what follows."""
    torn = frame(random.randbytes(random.choice([50, 2000, 100_000])))
    data[at:at] = torn[: random.randrange(1, min(len(torn), 3000))]


def put_number(data: bytearray, at: int, random: Random) -> None:
    """Another number, where one may be."""
    data[at : at + 1] = varint(random.choice(NUMBERS))


def put_fixed(data: bytearray, at: int, random: Random) -> None:
    """A float that is none, or the largest number."""
    filler = random.choice(FIXED)
    data[at : at + len(filler)] = filler


FILE_MUTATIONS: list[Mutation] = [flip, insert, delete, overwrite, repeat, cut, tear]
MESSAGE_MUTATIONS: list[Mutation] = [flip, insert, delete, overwrite, repeat, put_number, put_fixed]


def mutate(data: bytes, mutations: Sequence[Mutation], random: Random, most: int = 4) -> bytes:
    """``data`` broken in one to ``most`` places."""
    broken = bytearray(data)
    for _ in range(random.randint(1, most)):
        if broken:
            random.choice(mutations)(broken, random.randrange(len(broken)), random)
    return bytes(broken)


# ---- messages that still are messages: the lengths around a changed field are right -------------------------------

Span = tuple[int, int, int]
"""Where the key of a field begins, where its content does, and where that ends."""


def fields_of(message: bytes) -> list[tuple[int, Span]] | None:
    """Wire type and span of each field; None where the bytes are no message."""
    found: list[tuple[int, Span]] = []
    at = 0
    while at < len(message):
        key_at = at
        key, at = _varint_at(message, at)
        if at < 0 or key >> 3 == 0:
            return None
        start = at
        if key & 7 == 0:
            _, at = _varint_at(message, at)
        elif key & 7 == 2:
            length, start = _varint_at(message, at)
            at = start + length if start >= 0 else -1
        else:
            at += {1: 8, 5: 4}.get(key & 7, 1 << 62)
        if not 0 <= at <= len(message):
            return None
        found.append((key & 7, (key_at, start, at)))
    return found


def _varint_at(message: bytes, at: int) -> tuple[int, int]:
    """A number and the byte behind it; -1 where it does not end."""
    number = 0
    for shift, byte in enumerate(message[at : at + 10]):
        number |= (byte & 0x7F) << 7 * shift
        if byte < 0x80:
            return number, at + shift + 1
    return 0, -1


def change_field(message: bytes, random: Random, depth: int = 0) -> bytes:
    """The message with one field of it, or of a message in it, changed, lost, repeated or moved."""
    fields = fields_of(message)
    if not fields:
        return random.choice(TEXTS)
    wire_type, (key_at, start, end) = random.choice(fields)
    key, content = message[key_at : key_at + len(varint(_varint_at(message, key_at)[0]))], message[start:end]
    before, after, whole = message[:key_at], message[end:], message[key_at:end]
    choice = random.random()
    if choice < 0.08:
        return before + after
    if choice < 0.16:
        return before + whole * random.choice([2, 2, 70, 300]) + after
    if choice < 0.2:
        return before + after + whole
    if wire_type == 0:
        return before + key + varint(random.choice(NUMBERS)) + after
    if wire_type != 2:
        return before + key + (random.choice(FIXED) * 2)[: end - start] + after
    if depth < 12 and random.random() < 0.85 and fields_of(content):
        changed = change_field(content, random, depth + 1)
    else:
        changed = random.choice(TEXTS) if random.random() < 0.6 else mutate(content, MESSAGE_MUTATIONS, random)
    return before + key + varint(len(changed)) + changed + after
