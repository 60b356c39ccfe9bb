# SPDX-License-Identifier: Apache-2.0
"""Records: checksums against the published vectors, files cut and damaged at every place."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindscope.formats import _frames
from mindscope.formats.frames import FRAME_OVERHEAD, FrameReader, crc32c, frame
from mindscope.types import DamageKind

RFC_3720_VECTORS = [
    (bytes(32), 0x8A9136AA),
    (b"\xff" * 32, 0x62A8AB43),
    (bytes(range(32)), 0x46DD794E),
    (bytes(range(31, -1, -1)), 0x113FDB5C),
    (b"123456789", 0xE3069283),
]

PAYLOADS = [b"", b"a", b"second record", bytes(range(256)), b"last"]
FILE = b"".join(frame(payload) for payload in PAYLOADS)


def read_all(data: bytes, reader: FrameReader | None = None) -> tuple[list[bytes], FrameReader]:
    reader = reader or FrameReader("events")
    return [bytes(payload) for _, payload in reader.records(data[reader.position :])], reader


@pytest.mark.parametrize(("data", "want"), RFC_3720_VECTORS)
def test_checksum_agrees_with_rfc_3720(data: bytes, want: int) -> None:
    assert crc32c(data) == want
    assert _frames.crc32c(data, by_table=True) == want


@given(st.binary(max_size=300))
def test_a_checksum_goes_on_behind_another(data: bytes) -> None:
    for cut in {0, len(data) // 3, len(data)}:
        for by_table in (False, True):
            assert crc32c(data[cut:], by_table, crc32c(data[:cut])) == crc32c(data)


@given(st.binary(max_size=200))
def test_table_and_instruction_agree(data: bytes) -> None:
    assert _frames.crc32c(data, by_table=True) == crc32c(data)


@given(st.lists(st.binary(max_size=40), max_size=8))
def test_what_is_framed_is_read(payloads: list[bytes]) -> None:
    got, reader = read_all(b"".join(frame(payload) for payload in payloads))
    assert got == payloads
    assert not reader.damages


def test_offsets_are_those_of_the_payloads_in_the_file() -> None:
    reader = FrameReader("events")
    for offset, payload in reader.records(FILE):
        assert FILE[offset : offset + len(payload)] == payload


@pytest.mark.parametrize("cut", range(len(FILE) + 1))
def test_file_cut_anywhere_is_no_damage_and_goes_on(cut: int) -> None:
    first, reader = read_all(FILE[:cut])
    assert not reader.damages
    assert not reader.is_resyncing
    assert reader.position <= cut
    rest, reader = read_all(FILE, reader)
    assert first + rest == PAYLOADS
    assert reader.position == len(FILE)


@given(st.data())
def test_any_growth_gives_the_same_records(data: st.DataObject) -> None:
    cuts = sorted(data.draw(st.sets(st.integers(0, len(FILE)), max_size=10)))
    reader, got = FrameReader("events"), []
    for cut in [*cuts, len(FILE)]:
        part, reader = read_all(FILE[:cut], reader)
        got += part
    assert got == PAYLOADS


def test_needed_says_how_much_completes_the_record() -> None:
    _, reader = read_all(FILE[: len(FILE) - 1])
    assert reader.needed == len(frame(PAYLOADS[-1]))


def starts() -> list[int]:
    places, at = [], 0
    for payload in PAYLOADS:
        places.append(at)
        at += len(payload) + FRAME_OVERHEAD
    return places


def flip(data: bytes, byte: int, bit: int = 3) -> bytes:
    return data[:byte] + bytes([data[byte] ^ (1 << bit)]) + data[byte + 1 :]


FIELDS = ["length", "length checksum", "payload", "payload checksum"]


@pytest.mark.parametrize(
    ("index", "field"),
    [(i, field) for i in range(len(PAYLOADS)) for field in FIELDS if PAYLOADS[i] or field != "payload"],
)
def test_one_flipped_bit_loses_that_record_only(index: int, field: str) -> None:
    start, size = starts()[index], len(PAYLOADS[index])
    byte = {"length": 0, "length checksum": 9, "payload": 12, "payload checksum": 12 + size}[field]
    got, reader = read_all(flip(FILE, start + byte))
    assert got == PAYLOADS[:index] + PAYLOADS[index + 1 :]
    (damage,) = reader.damages
    assert damage.offset == start
    of_length = field.startswith("length")
    assert damage.kind is (DamageKind.LENGTH_CHECKSUM if of_length else DamageKind.PAYLOAD_CHECKSUM)
    after = start + size + FRAME_OVERHEAD
    is_last_of_file = index == len(PAYLOADS) - 1
    assert damage.resumed_at == (None if of_length and is_last_of_file else after)


@pytest.mark.parametrize("byte", range(len(FILE)))
def test_any_damaged_byte_is_reported_and_harms_no_other_record(byte: int) -> None:
    got, reader = read_all(flip(FILE, byte, byte % 8))
    index = max(i for i, start in enumerate(starts()) if start <= byte)
    assert got == PAYLOADS[:index] + PAYLOADS[index + 1 :]
    assert [damage.offset for damage in reader.damages] == [starts()[index]]


@given(st.data())
def test_damage_in_a_growing_file_is_skipped_the_same_way(data: st.DataObject) -> None:
    damaged = flip(FILE, data.draw(st.integers(0, len(FILE) - 1)))
    want, whole = read_all(damaged)
    cuts = sorted(data.draw(st.sets(st.integers(0, len(FILE)), max_size=10)))
    reader, got = FrameReader("events"), []
    for cut in [*cuts, len(FILE)]:
        part, reader = read_all(damaged[:cut], reader)
        got += part
    assert got == want
    assert reader.damages == whole.damages


@pytest.mark.parametrize("length", [2**31, 2**40, 2**62, 2**64 - 1])
def test_lying_length_with_a_right_checksum_allocates_nothing(length: int) -> None:
    header = length.to_bytes(8, "little")
    crc = crc32c(header)
    masked = (((crc >> 15) | (crc << 17)) + 0xA282EAD8) & 0xFFFFFFFF
    got, reader = read_all(frame(b"before") + header + masked.to_bytes(4, "little") + b"after")
    assert got == [b"before"]
    assert reader.needed == length + FRAME_OVERHEAD
    assert not reader.damages  # it may be a record that is being written


@given(st.binary(max_size=200))
def test_garbage_is_damage_and_never_a_crash(garbage: bytes) -> None:
    got, reader = read_all(garbage + frame(b"intact"))
    assert got == [b"intact"]
    assert [damage.resumed_at for damage in reader.damages] == [len(garbage)] * bool(garbage)


def test_damage_says_where_what_and_how_it_goes_on() -> None:
    _, reader = read_all(flip(FILE, starts()[2]))
    text = str(reader.damages[0])
    assert f"record at byte {starts()[2]} of events: length checksum is 0x" in text
    assert f"skipped to the next intact record at byte {starts()[3]}" in text
