# SPDX-License-Identifier: Apache-2.0
"""Records: checksums against the published vectors, files cut and damaged at every place."""

from __future__ import annotations

from collections import deque
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindscope.formats import _frames, frames
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
    assert damage.resumed_at == (None if is_last_of_file else after)


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
    assert f"record at byte {starts()[2]} of events: The checksum of its length is 0x" in text
    assert f"skipped to the next intact record at byte {starts()[3]}" in text


# ---- a search for valid records is the oracle: none that it finds may be lost ---------------------------------------

SENTINELS = [f"sentinel {number}".encode() + bytes(number * 7 % 90) for number in range(40)]


def searched(data: bytes) -> list[bytes]:
    """What a search at every byte finds, each record once."""
    found, at = list[bytes](), 0
    while at + FRAME_OVERHEAD <= len(data):
        length = int.from_bytes(data[at : at + 8], "little")
        stop = at + FRAME_OVERHEAD + length
        payload = data[at + 12 : stop - 4]
        if stop <= len(data) and frame(payload) == data[at:stop]:
            found.append(payload)
            at = stop
        else:
            at += 1
    return found


def break_in_places(data: bytes, random: Random) -> bytes:
    """Flipped, missing and added bytes, and a writer that was cut before another appended."""
    broken = bytearray(data)
    for _ in range(random.choice([1, 1, 2, 4])):
        at = random.randrange(len(broken))
        way = random.randrange(4)
        if way == 0:
            broken[at] ^= 1 << random.randrange(8)
        elif way == 1:
            del broken[at : at + random.choice([1, 1, 7, 100])]
        elif way == 2:
            broken[at:at] = random.randbytes(random.choice([1, 1, 7, 100]))
        else:
            torn = frame(random.randbytes(random.choice([50, 1000, 5000])))
            broken[at:at] = torn[: random.randrange(1, len(torn))]
    return bytes(broken)


@pytest.mark.parametrize("seed", range(60))
def test_no_record_is_lost_that_a_search_finds(seed: int) -> None:
    random = Random(seed)
    data = b"".join(map(frame, SENTINELS))
    for _ in range(5):
        broken = break_in_places(data, random)
        want = searched(broken)
        got, reader = read_all(broken)
        assert got == want
        lost = [damage for damage in reader.damages if damage.resumed_at is None]
        gaps = sum((damage.resumed_at or damage.offset) - damage.offset for damage in reader.damages)
        records = sum(len(payload) + FRAME_OVERHEAD for payload in got)
        assert records + gaps == (lost[0].offset if lost else reader.position), "all bytes are read or reported"
        reader, got = FrameReader("events"), []
        for cut in [*sorted(random.randrange(len(broken)) for _ in range(6)), len(broken)]:
            part, reader = read_all(broken[:cut], reader)
            got += part
        assert got == want, "a file that grows gives the same"


@pytest.mark.parametrize("size", [200, 5000])
@pytest.mark.parametrize("rest", [12, 13, 100])
def test_a_torn_record_hides_none_of_those_appended_to_it(size: int, rest: int) -> None:
    before = frame(b"before")
    data = before + frame(bytes(size))[:rest] + b"".join(map(frame, SENTINELS))
    got, reader = read_all(data)
    assert got == [b"before", *SENTINELS]
    (damage,) = reader.damages
    is_beyond = len(before) + size + FRAME_OVERHEAD > len(data)
    assert damage.kind is (DamageKind.TRUNCATED if is_beyond else DamageKind.PAYLOAD_CHECKSUM)
    assert (damage.offset, damage.resumed_at) == (len(before), len(before) + rest)


def test_a_torn_record_that_claims_to_end_where_an_intact_one_does_is_torn() -> None:
    appended = [bytes([number]) * 20 for number in range(9)]
    torn = frame(bytes(4 * 36 - FRAME_OVERHEAD + 12))[:12]  # cut behind its header: it claims the next four records
    got, _ = read_all(torn + b"".join(map(frame, appended)))
    assert got == appended


def test_records_in_the_payload_of_a_damaged_record_are_none_of_the_file() -> None:
    inner = b"".join(map(frame, SENTINELS[:5]))
    outer = bytearray(frame(inner + b"rest of the payload"))
    outer[-1] ^= 1
    got, reader = read_all(bytes(outer) + frame(b"next"))
    assert got == [b"next"]
    assert reader.damages[0].resumed_at == len(outer)


def test_a_half_written_record_is_searched_once_however_often_the_file_is_looked_at() -> None:
    whole = frame(bytes(100_000)) + frame(b"next")
    reader, read_bytes, got = FrameReader("events"), 0, list[bytes]()
    for end in [*range(1000, 100_000, 1000), len(whole)]:
        reader.rewind(end)
        chunk = whole[reader.ahead : end]
        got += [bytes(payload) for _, payload in reader.records(chunk, end)]
        read_bytes += len(chunk)
    assert got == [bytes(100_000), b"next"]
    assert not reader.damages
    assert read_bytes < 2.5 * len(whole)


def test_a_half_written_record_behind_a_torn_one_is_read_when_it_is_whole() -> None:
    whole = frame(bytes(5000))[:300] + frame(b"appended")
    reader = FrameReader("events")
    for end in (320, len(whole) - 3, len(whole) - 2):
        reader.rewind(end)
        assert not list(reader.records(whole[reader.ahead : end], end))
        assert not reader.damages
    reader.rewind(len(whole))
    assert [bytes(payload) for _, payload in reader.records(whole[reader.ahead :], len(whole))] == [b"appended"]
    assert [damage.kind for damage in reader.damages] == [DamageKind.TRUNCATED]


def test_headers_without_payloads_are_not_read_again_and_again() -> None:
    """Each seems to begin a record of 100 kB that is in the file, and none does."""
    data = frame(bytes(100_000))[:12] * 50_000 + frame(b"intact")
    reader, read_bytes, got = FrameReader("events"), 0, list[bytes]()
    while len(data) - reader.ahead >= reader.needed:
        chunk = data[reader.ahead : reader.ahead + max(reader.needed, 50_000)]
        got += [bytes(payload) for _, payload in reader.records(chunk, len(data))]
        read_bytes += len(chunk)
    assert got == [b"intact"]
    assert read_bytes < 50 * len(data)
    assert len(reader.damages) == 1


def test_much_damage_on_purpose_is_read_a_few_times_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frames, "MAX_WASTED_BYTES", 1 << 20)
    data = (frame(bytes(100_000))[:12] + frame(b"")) * 20_000
    reader, read_bytes = FrameReader("events"), 0
    while len(data) - reader.ahead >= reader.needed:
        chunk = data[reader.ahead : reader.ahead + max(reader.needed, 50_000)]
        deque(reader.records(chunk, len(data)), maxlen=0)
        read_bytes += len(chunk)
    assert read_bytes < 100 * len(data)


def test_lying_lengths_without_end_are_searched_once() -> None:
    header = frame(bytes(1 << 20))[:12]
    got, reader = read_all(header * 2000 + frame(b"intact"))
    assert got == [b"intact"]
    assert len(reader.damages) == 1
