# SPDX-License-Identifier: Apache-2.0
"""Real logs with broken bytes: whatever stands in a file is read, noted as damage, or refused by an error of ours."""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from pathlib import Path

import pytest

from mindscope.errors import FormatError
from mindscope.formats import dialects
from mindscope.formats.frames import FrameReader, frame
from mindscope.types import DialectName, Kind, Undecodable

from .test_scan import DATA, assert_same

FOLDERS = (
    *("mindspore/collector_specified", "mindspore/custom_loop", "mindspore/landscape", "mindspore/ops"),
    *("mindspore/lineage_sweep/run_01", "tensorboard"),
)
LOGS = sorted({path for folder in FOLDERS for path in (DATA / folder).rglob("*events.out*")})
MUTANTS = int(os.environ.get("MINDSCOPE_FUZZ_MUTANTS", "100"))
"""Of each file and way of breaking it."""
LARGEST = 100_000
"""Bytes of a file that are used: its whole records up to there, so that many mutants take little time."""


def flip(data: bytearray, at: int, random: random.Random) -> None:
    data[at] ^= 1 << random.randrange(8)


def insert(data: bytearray, at: int, random: random.Random) -> None:
    data[at:at] = random.randbytes(random.choice([1, 2, 4, 8, 40]))


def delete(data: bytearray, at: int, random: random.Random) -> None:
    del data[at : at + random.choice([1, 2, 4, 8, 40])]


def overwrite(data: bytearray, at: int, random: random.Random) -> None:
    filler = random.choice([b"\xff", b"\x00", b"\x80", b"\x7f"]) * random.choice([1, 4, 10])
    data[at : at + len(filler)] = filler


def repeat(data: bytearray, at: int, random: random.Random) -> None:
    data[at:at] = data[at : at + random.randrange(1, 200)]


def cut(data: bytearray, at: int, random: random.Random) -> None:
    del data[at:]


WAYS: list[Callable[[bytearray, int, random.Random], None]] = [flip, insert, delete, overwrite, repeat, cut]


def broken(data: bytes, random: random.Random) -> bytes:
    """``data`` broken in one to four places."""
    mutant = bytearray(data)
    for _ in range(random.randint(1, 4)):
        if mutant:
            random.choice(WAYS)(mutant, random.randrange(len(mutant)), random)
    return bytes(mutant)


def payloads_of(data: bytes) -> list[bytes]:
    return [bytes(payload) for _, payload in FrameReader("events").records(data)]


def with_broken_payloads(payloads: list[bytes], random: random.Random) -> bytes:
    """A file whose checksums are right, but not its messages: nothing stops them on the way to the decoders."""
    mutants = list(payloads)
    for index in random.sample(range(len(mutants)), min(len(mutants), 6)):
        mutants[index] = broken(mutants[index], random)
    return b"".join(map(frame, mutants))


def read_all(data: bytes, dialect: DialectName) -> int:
    """Decode every value of a file; returns how many were good."""
    kinds: dict[str, Kind] = {}
    good = 0
    for offset, payload in FrameReader("events").records(data):
        try:
            for value in dialects.locate(dialect, payload, offset, kinds):
                if isinstance(value, Undecodable):
                    continue
                if value.scalar is None:
                    good += is_decoded(dialect, value.kind, data[value.offset : value.offset + value.length])
                else:
                    good += 1
        except FormatError:
            continue
    return good


def is_decoded(dialect: DialectName, kind: Kind, encoded: bytes) -> bool:
    try:
        dialects.decode(dialect, kind, encoded)
    except FormatError:
        return False
    return True


@pytest.mark.parametrize("path", LOGS, ids=[path.relative_to(DATA).as_posix() for path in LOGS])
def test_broken_logs_are_read_as_far_as_they_go(path: Path) -> None:
    payloads: list[bytes] = []
    for payload in payloads_of(path.read_bytes()):
        if sum(map(len, payloads)) + len(payload) <= LARGEST:
            payloads.append(payload)
    data = b"".join(map(frame, payloads))
    dialect = dialects.detect(path.name, payloads[0])
    whole = read_all(data, dialect)
    source = random.Random(path.name)
    for number in range(MUTANTS):
        mutant = broken(data, source)
        assert_same(mutant, dialect, cuts=sorted(source.randint(0, len(mutant)) for _ in range(2)))
        assert read_all(mutant, dialect) <= whole + 400, f"mutant {number} can't hold much more than was written"
        mutant = with_broken_payloads(payloads, source)
        assert_same(mutant, dialect)
        read_all(mutant, dialect)
