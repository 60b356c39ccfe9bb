# SPDX-License-Identifier: Apache-2.0
"""One event file that grows, breaks, shrinks, is replaced or closed to us."""

from __future__ import annotations

import os
import random
import struct
import tempfile
import time
import tracemalloc
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mindscope.formats.frames import FrameReader, crc32c, frame
from mindscope.ingest import RunLoader, find_run
from mindscope.ingest import stretch as stretch_module
from mindscope.reading import inspect_run, open_run
from mindscope.types import DamageKind, DialectName, Kind
from tests.event_log import (
    DATA,
    LINEAGE_NAME,
    MINDSPORE_NAME,
    TENSORBOARD_NAME,
    append,
    content,
    event,
    histogram,
    lineage,
    load,
    scalar_points,
    scalars,
    steps,
    tensorboard_event,
    tensorboard_version,
    version,
    visible_steps,
)

from .test_discover import without_privileges

NAME = MINDSPORE_NAME.format(7)
STREAM = b"".join(
    [
        version(),
        scalars(1, {"loss": 1.5, "accuracy": 0.25}),
        event(1, histogram("weights", [1, 2, 3])),
        steps([2, 3, 4]),
        event(3, {"tag": "picture", "image": {"height": 1, "width": 1, "colorspace": 3, "encoded_image": b"\x89PNG"}}),
        scalars(4, {"loss": float("nan")}),
        steps([3, 9]),
    ]
)


@pytest.fixture
def directory() -> Iterator[Path]:
    """Not pytest's own, which hypothesis would share between examples and which only its owner may enter."""
    with tempfile.TemporaryDirectory() as path:
        Path(path).chmod(0o755)
        yield Path(path)


def loader_of(directory: Path) -> RunLoader:
    found = find_run(directory)
    assert found is not None
    return RunLoader(found)


def whole_content() -> dict[str, object]:
    with tempfile.TemporaryDirectory() as path:
        append(Path(path) / NAME, STREAM)
        return content(load(Path(path)))


WHOLE = whole_content()


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(0, len(STREAM)), max_size=12).map(sorted), st.integers(20, 400))
def test_a_stream_that_grows_in_any_portions_gives_the_same_store(cuts: list[int], chunk_bytes: int) -> None:
    with tempfile.TemporaryDirectory() as path, pytest.MonkeyPatch.context() as patch:
        patch.setattr(stretch_module, "CHUNK_BYTES", chunk_bytes)
        file = Path(path) / NAME
        file.touch()
        loader = loader_of(Path(path))
        for start, stop in zip([0, *cuts], [*cuts, len(STREAM)], strict=True):
            append(file, STREAM[start:stop])
            loader.read_all()
        assert content(loader.store) == WHOLE


def test_a_file_cut_at_any_byte_is_not_damaged_and_goes_on(directory: Path) -> None:
    file = directory / NAME
    for cut in range(len(STREAM)):
        file.write_bytes(STREAM[:cut])
        loader = loader_of(directory)
        loader.read_all()
        assert loader.store.damages == ()
        append(file, STREAM[cut:])
        loader.read_all()
        assert content(loader.store) == WHOLE


def test_small_budgets_only_take_more_turns(directory: Path) -> None:
    append(directory / NAME, STREAM)
    turns = 0
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(stretch_module, "CHUNK_BYTES", 64)
        patch.setattr(stretch_module, "FEW_RECORDS", 1)
        loader = loader_of(directory)
        while turns == 0 or loader.has_more:
            loader.read(budget_bytes=100)
            turns += 1
    assert turns > 3
    assert content(loader.store) == WHOLE


def test_reading_says_whether_anything_changed(directory: Path) -> None:
    append(directory / NAME, version() + steps([1]))
    loader = loader_of(directory)
    assert loader.read_all()
    assert not loader.read_all()
    append(directory / NAME, steps([2])[:-1])
    loader.read_all()
    assert visible_steps(loader.store) == [1]
    append(directory / NAME, steps([2])[-1:])
    assert loader.read_all()
    assert visible_steps(loader.store) == [1, 2]


def test_an_old_log_that_is_copied_here_is_not_being_trained_until_it_grows(directory: Path) -> None:
    append(directory / NAME, STREAM)
    loader = loader_of(directory)
    loader.read_all()
    assert loader.store.state(time.time()) == "idle"
    append(directory / NAME, steps([20]))
    loader.read_all()
    assert loader.store.state(time.time()) == "live"


def test_facts_of_the_file(directory: Path) -> None:
    append(directory / NAME, STREAM + b"\x01\x02")
    (directory / NAME).chmod(0o400)
    (facts,) = load(directory).files
    assert facts.dialect is DialectName.MINDSPORE
    assert (facts.records, facts.size_bytes, facts.read_bytes) == (9 + 1, len(STREAM) + 2, len(STREAM))
    assert (facts.first_wall_time, facts.last_wall_time, facts.last_step) == (1.0, 9.0, 9)
    assert (facts.mode, facts.creation_number) == (0o400, 7)
    assert facts.modified_at == pytest.approx((directory / NAME).stat().st_mtime)


def test_an_empty_file_is_a_run_without_values(directory: Path) -> None:
    (directory / NAME).touch()
    store = load(directory)
    assert store.series == {}
    assert (store.files[0].dialect, store.damages, store.state(0.0)) == (None, (), "empty")


def test_a_wrong_payload_checksum_costs_that_record(directory: Path) -> None:
    records = [version(), *(steps([step]) for step in range(1, 6))]
    records[3] = bytearray(records[3])
    records[3][20] ^= 1
    append(directory / NAME, b"".join(records))
    store = load(directory)
    assert visible_steps(store) == [1, 2, 4, 5]
    (damage,) = store.damages
    offset = sum(map(len, records[:3]))
    assert (damage.kind, damage.offset, damage.resumed_at) == (
        DamageKind.PAYLOAD_CHECKSUM,
        offset,
        offset + len(records[3]),
    )
    assert damage.file == NAME


def test_a_wrong_length_checksum_costs_what_lies_before_the_next_intact_record(directory: Path) -> None:
    records = [bytearray(record) for record in (version(), *(steps([step]) for step in range(1, 6)))]
    records[3][9] ^= 1
    append(directory / NAME, b"".join(records))
    store = load(directory)
    assert visible_steps(store) == [1, 2, 4, 5]
    (damage,) = store.damages
    offset = sum(map(len, records[:3]))
    assert (damage.kind, damage.offset, damage.resumed_at) == (
        DamageKind.LENGTH_CHECKSUM,
        offset,
        offset + len(records[3]),
    )


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


def masked(data: bytes) -> int:
    crc = crc32c(data)
    return (((crc >> 15) | (crc << 17)) + 0xA282EAD8) & 0xFFFFFFFF


def test_a_lying_length_allocates_nothing(directory: Path) -> None:
    length = struct.pack("<Q", 1 << 40)
    append(directory / NAME, version() + steps([1]) + length + struct.pack("<I", masked(length)) + steps([2]))
    loader = loader_of(directory)
    tracemalloc.start()
    loader.read_all()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1 << 20
    assert visible_steps(loader.store) == [1]


def test_a_record_larger_than_a_chunk_is_read_once_it_is_whole(directory: Path) -> None:
    picture = random.Random(0).randbytes(50_000)
    image = {"height": 1, "width": 1, "colorspace": 3, "encoded_image": picture}
    record = event(2, {"tag": "picture", "image": image})
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(stretch_module, "CHUNK_BYTES", 1000)
        append(directory / NAME, version() + steps([1]) + record[:-10])
        loader = loader_of(directory)
        loader.read_all()
        assert loader.store.references(Kind.IMAGE, "picture") is None
        append(directory / NAME, record[-10:] + steps([3]))
        loader.read_all()
    assert visible_steps(loader.store) == [1, 3]
    series = loader.store.references(Kind.IMAGE, "picture")
    assert series is not None
    assert int(series.visible().length[0]) > len(picture)


def test_a_file_that_became_shorter_is_read_anew(directory: Path) -> None:
    file = directory / NAME
    append(file, version() + steps([1, 2, 3, 4]))
    loader = loader_of(directory)
    loader.read_all()
    file.write_bytes(version() + steps([7], first_value=70.0))
    assert loader.read_all()
    assert scalar_points(loader.store, overwritten=True) == [(7, 70.0)]
    (damage,) = loader.store.damages
    assert (damage.kind, damage.offset, damage.resumed_at) == (DamageKind.SHRUNK, 0, 0)
    assert "became shorter" in damage.detail
    append(file, steps([8]))
    loader.read_all()
    assert visible_steps(loader.store) == [7, 8]


def test_a_file_that_became_empty_loses_its_values(directory: Path) -> None:
    file = directory / NAME
    append(file, version() + steps([1]))
    loader = loader_of(directory)
    loader.read_all()
    file.write_bytes(b"")
    loader.read_all()
    assert loader.store.series == {}
    assert [damage.kind for damage in loader.store.damages] == [DamageKind.SHRUNK]


@pytest.mark.parametrize("extra", [0, 3])
def test_a_file_that_was_written_anew_is_read_anew_even_when_it_is_no_shorter(directory: Path, extra: int) -> None:
    file = directory / NAME
    append(file, version() + steps([1, 2, 3]))
    loader = loader_of(directory)
    loader.read_all()
    file.write_bytes(version() + steps([4, 5, 6, *range(7, 7 + extra)], first_value=9.0))
    os.utime(file, (1_000_000, 1_000_000))
    loader.read_all()
    assert visible_steps(loader.store) == [4, 5, 6, *range(7, 7 + extra)]
    assert "replaced" in loader.store.damages[0].detail


def test_a_copy_that_takes_the_place_of_the_file_is_read_on(directory: Path) -> None:
    """As a synchronising program does: the same bytes and more in a new file of the same name."""
    file, copy = directory / NAME, directory / "copy"
    append(file, version() + steps([1, 2]))
    loader = loader_of(directory)
    loader.read_all()
    copy.write_bytes(file.read_bytes() + steps([3]))
    copy.replace(file)
    loader.read_all()
    assert visible_steps(loader.store) == [1, 2, 3]
    assert loader.store.damages == ()


def test_a_file_closed_to_us_is_reported_and_tried_again(directory: Path) -> None:
    file = directory / NAME
    append(file, version() + steps([1]))
    loader = loader_of(directory)
    loader.read_all()
    append(file, steps([2]))
    file.chmod(0)
    with without_privileges():
        loader.read_all()
        version_then = loader.store.version
        loader.read_all()
    assert loader.store.version == version_then
    assert visible_steps(loader.store) == [1]
    (damage,) = loader.store.damages
    assert (damage.kind, damage.resumed_at) == (DamageKind.UNREADABLE, None)
    assert "Permission denied" in damage.detail
    file.chmod(0o644)
    loader.read_all()
    assert visible_steps(loader.store) == [1, 2]
    assert loader.store.damages == ()


def test_a_file_that_is_closed_or_goes_while_it_is_read_in_turns_ends_the_turns(directory: Path) -> None:
    file = directory / NAME
    append(file, version() + steps(range(100)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(stretch_module, "CHUNK_BYTES", 64)
        loader = loader_of(directory)
        loader.read(budget_bytes=1)
        assert loader.has_more
        file.chmod(0)
        with without_privileges():
            loader.read(budget_bytes=1)
        assert not loader.has_more
        file.chmod(0o644)
        loader.read(budget_bytes=1)
        assert loader.has_more
        file.unlink()
        loader.read(budget_bytes=1)
        assert not loader.has_more


def test_a_file_that_vanishes_between_finding_and_reading_is_no_error(directory: Path) -> None:
    append(directory / NAME, version() + steps([1]))
    loader = loader_of(directory)
    (directory / NAME).unlink()
    assert not loader.read_all()
    assert loader.set_files(())
    assert loader.store.files == ()


def test_dialects_are_told_by_the_version_and_else_by_the_name(directory: Path) -> None:
    append(directory / LINEAGE_NAME.format(1), lineage({"evaluation_lineage": {"metric": "{}"}}))
    append(directory / TENSORBOARD_NAME.format(2), tensorboard_event(1, {"tag": "loss", "simple_value": 2.0}))
    append(directory / MINDSPORE_NAME.format(3), steps([3]))
    misnamed = directory / TENSORBOARD_NAME.format(4)
    append(misnamed, version() + steps([4]))
    store = load(directory)
    assert [facts.dialect for facts in store.files] == [
        DialectName.MINDSPORE_LINEAGE,
        DialectName.TENSORBOARD,
        DialectName.MINDSPORE,
        DialectName.MINDSPORE,
    ]
    assert visible_steps(store) == [1, 3, 4]
    assert store.dialects == (DialectName.MINDSPORE_LINEAGE, DialectName.TENSORBOARD, DialectName.MINDSPORE)


def test_kind_of_a_tag_is_remembered_across_portions_and_files(directory: Path) -> None:
    metadata = {"plugin_data": {"plugin_name": "text"}}
    text = {"dtype": 7, "string_val": [b"hello"]}
    first = directory / TENSORBOARD_NAME.format(1)
    append(first, tensorboard_version() + tensorboard_event(1, {"tag": "note", "metadata": metadata, "tensor": text}))
    loader = loader_of(directory)
    loader.read_all()
    append(first, tensorboard_event(2, {"tag": "note", "tensor": text}))
    append(
        directory / TENSORBOARD_NAME.format(2),
        tensorboard_version() + tensorboard_event(3, {"tag": "note", "tensor": text}),
    )
    found = find_run(directory)
    assert found is not None
    loader.set_files(found.files)
    loader.read_all()
    assert loader.store.tags(Kind.TEXT) == ("note",)
    series = loader.store.references(Kind.TEXT, "note")
    assert series is not None
    assert series.visible().step.tolist() == [1, 2, 3]


def test_restart_examples_over_real_files(directory: Path) -> None:
    first, second = directory / MINDSPORE_NAME.format(1), directory / MINDSPORE_NAME.format(2)
    append(first, version() + steps([*range(2, 10), 1]))
    assert visible_steps(load(directory)) == list(range(1, 10))
    append(second, version() + steps([5, 10]))
    assert visible_steps(load(directory)) == [1, 2, 3, 4, 5, 10]
    append(second, steps([7, 11, 3]))
    store = load(directory)
    assert visible_steps(store) == [1, 2, 3, 5, 7, 10, 11]
    assert [step for step, _ in scalar_points(store, overwritten=True)] == [*range(2, 10), 1, 5, 10, 7, 11, 3]


def test_restart_example_within_one_file(directory: Path) -> None:
    append(directory / NAME, version() + steps([1, 3, 5, 7, 9, 2, 3, 4, 15]))
    assert visible_steps(load(directory)) == [1, 2, 3, 4, 5, 7, 9, 15]


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


@settings(max_examples=80, deadline=None)
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


PORTIONS = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 9_000)), max_size=10)


@settings(max_examples=25, deadline=None)
@given(PORTIONS)
def test_real_logs_read_in_portions_equal_the_same_read_whole(portions: list[tuple[int, int]]) -> None:
    source = DATA / "mindspore" / "lineage_sweep" / "run_11"
    files = sorted(path for path in source.iterdir() if "summary" in path.name)
    rest = [file.read_bytes() for file in files]
    everything = [(number, len(data)) for number, data in enumerate(rest)]
    with tempfile.TemporaryDirectory() as path:
        copies = [Path(path) / file.name for file in files]
        for copy in copies:
            copy.touch()
        loader = loader_of(Path(path))
        for number, count in [*portions, *everything]:
            append(copies[number], rest[number][:count])
            rest[number] = rest[number][count:]
            loader.read_all()
        assert content(loader.store) == content(load(source))
