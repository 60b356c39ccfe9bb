# SPDX-License-Identifier: Apache-2.0
"""One event file that breaks: what is lost is told, and the rest is read."""

from __future__ import annotations

import random
import struct
import tempfile
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindscope.formats.frames import FrameReader, frame, masked_crc32c
from mindscope.ingest import file_segment as segment_module
from mindscope.reading import inspect_run, open_run
from mindscope.types import DamageKind
from tests.event_log import (
    DATA,
    append,
    load,
    steps,
    version,
    visible_steps,
)

from .streams import NAME, loader_of


@pytest.mark.parametrize(("place", "kind"), [(20, DamageKind.PAYLOAD_CHECKSUM), (9, DamageKind.LENGTH_CHECKSUM)])
def test_a_wrong_checksum_costs_its_record(directory: Path, place: int, kind: DamageKind) -> None:
    records = [bytearray(record) for record in (version(), *(steps([step]) for step in range(1, 6)))]
    records[3][place] ^= 1
    append(directory / NAME, b"".join(records))
    store = load(directory)
    assert visible_steps(store) == [1, 2, 4, 5]
    (damage,) = store.damages
    offset = sum(map(len, records[:3]))
    assert (damage.kind, damage.offset, damage.resumed_at) == (kind, offset, offset + len(records[3]))
    assert damage.file == NAME


def test_a_record_that_is_no_message_is_named_and_passed_over(directory: Path) -> None:
    before = version() + steps([1])
    odd = frame(b"\x0a\xff\xff\xff\xff\x7f")
    append(directory / NAME, before + odd + steps([2]))
    store = load(directory)
    assert visible_steps(store) == [1, 2]
    (damage,) = store.damages
    assert (damage.kind, damage.offset, damage.resumed_at) == (DamageKind.MESSAGE, len(before), len(before + odd))


def test_damage_comes_by_place_whatever_its_kind(directory: Path) -> None:
    bad = bytearray(steps([2]))
    bad[-1] ^= 1
    append(directory / NAME, version() + frame(b"\xff") + steps([1]) + bytes(bad) + frame(b"\xff") + steps([3]))
    store = load(directory)
    assert [damage.kind for damage in store.damages] == [
        DamageKind.MESSAGE,
        DamageKind.PAYLOAD_CHECKSUM,
        DamageKind.MESSAGE,
    ]
    assert [damage.offset for damage in store.damages] == sorted(damage.offset for damage in store.damages)
    assert visible_steps(store) == [1, 3]


def test_a_lying_length_allocates_nothing(directory: Path) -> None:
    length = struct.pack("<Q", 1 << 40)
    append(directory / NAME, version() + steps([1]) + length + struct.pack("<I", masked_crc32c(length)) + steps([2]))
    loader = loader_of(directory)
    tracemalloc.start()
    loader.read_all()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1 << 20
    assert visible_steps(loader.store) == [1, 2]
    (damage,) = loader.store.damages
    assert (damage.kind, damage.offset) == (DamageKind.TRUNCATED, len(version() + steps([1])))


def test_a_torn_record_hides_no_point_behind_it(directory: Path) -> None:
    """A foreign writer was cut in a record of 1 MB, and another appended: its length reaches beyond the file."""
    torn = frame(bytes(1 << 20))[:40_000]
    append(directory / NAME, version() + steps([1]) + torn + steps(range(2, 2000)))
    store = load(directory)
    assert visible_steps(store) == list(range(1, 2000))
    (damage,) = store.damages
    assert (damage.kind, damage.resumed_at) == (DamageKind.TRUNCATED, damage.offset + len(torn))


@pytest.mark.parametrize("budget_bytes", [1, 100, 1 << 20])
def test_a_torn_record_is_searched_by_any_budget(directory: Path, budget_bytes: int) -> None:
    data = version() + steps([1]) + frame(bytes(5000))[:3000] + steps(range(2, 9)) + frame(bytes(9000))[:700]
    append(directory / NAME, data)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(segment_module, "CHUNK_BYTES", 64)
        patch.setattr(segment_module, "FEW_RECORDS", 1)
        loader = loader_of(directory)
        while loader.read(budget_bytes) or loader.has_more:
            pass
    assert visible_steps(loader.store) == list(range(1, 9))
    assert [damage.kind for damage in loader.store.damages] == [DamageKind.TRUNCATED]
    append(directory / NAME, bytes(9000))
    append(directory / NAME, steps([9]))
    loader.read_all()
    assert visible_steps(loader.store) == list(range(1, 10))


def test_what_is_half_written_is_no_damage_until_its_file_is_closed(directory: Path) -> None:
    file = directory / NAME
    append(file, version() + steps([1]) + steps([2])[:-5])
    loader = loader_of(directory)
    loader.read_all()
    assert loader.store.damages == ()
    file.chmod(0o400)
    loader.read_all()
    (damage,) = loader.store.damages
    place = len(version() + steps([1]))
    assert (damage.kind, damage.offset, damage.resumed_at) == (DamageKind.TRUNCATED, place, None)
    file.chmod(0o600)
    append(file, steps([2])[-5:])
    file.chmod(0o400)
    loader.read_all()
    assert loader.store.damages == ()
    assert visible_steps(loader.store) == [1, 2]


@pytest.mark.parametrize("cut", [1, 11, 12, 20])
def test_a_closed_file_says_that_its_last_record_is_cut(directory: Path, cut: int) -> None:
    append(directory / NAME, version() + steps([1]) + steps([2])[:cut])
    (directory / NAME).chmod(0o400)
    assert [damage.kind for damage in load(directory).damages] == [DamageKind.TRUNCATED]
    assert (
        load(directory).damages[0].detail
        == f"The file was closed after {cut} {'byte' if cut == 1 else 'bytes'} of this record."
    )


SAMPLES = [
    DATA / "mindspore" / "lineage_sweep" / "run_11" / "events.out.events.summary.1795228015.0.vm_MS",
    DATA / "mindspore" / "lineage_sweep" / "run_11" / "events.out.events.summary.1795228015.0.vm_lineage",
    DATA / "tensorboard" / "tb_all" / "run_a" / "1795227663.2305825" / "events.out.tfevents.1795227663.vm.24869.3",
    DATA / "tensorboard" / "tb_all" / "run_a" / "events.out.tfevents.1795227661.vm.24869.0",
]


def mutated(payload: bytes, chance: random.Random) -> bytes:
    """A few bytes near the beginning, where the structure is, changed, taken out or put in."""
    changed = bytearray(payload)
    for _ in range(chance.choice([0, 1, 1, 2, 5])):
        at = chance.randrange(min(len(changed), 300) + 1)
        changed[at : at + chance.choice([0, 1, 1, 2])] = chance.randbytes(chance.choice([0, 1, 1, 2]))
    return bytes(changed)


@given(st.sampled_from(SAMPLES), st.integers(0, 1 << 32))
def test_mutated_messages_never_stop_the_reading(sample: Path, seed: int) -> None:
    chance = random.Random(seed)
    payloads = [bytes(payload) for _, payload in FrameReader("").records(sample.read_bytes())]
    with tempfile.TemporaryDirectory() as path:
        append(Path(path) / sample.name, b"".join(frame(mutated(payload, chance)) for payload in payloads))
        run = open_run(path)
        assert run.store.files[0].records == len(payloads)
        assert {damage.kind for damage in run.damages} <= {DamageKind.MESSAGE}
        inspect_run(run)
