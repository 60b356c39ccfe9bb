# SPDX-License-Identifier: Apache-2.0
"""Records that are too long for memory: what they hold is found, and nothing of it is kept in memory."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from mindscope.capture.encoded import nested
from mindscope.formats import frames as frames_module
from mindscope.formats import wire
from mindscope.formats.frames import crc32c, frame_footer, frame_header
from mindscope.formats.mindspore_schemas import EVENT, SCHEMAS, SUMMARY, VALUE
from mindscope.ingest import file_segment as segment_module
from mindscope.ingest import long_records as long_module
from mindscope.types import DamageKind
from tests.event_log import (
    TENSORBOARD_NAME,
    append,
    content,
    event,
    load,
    steps,
    tensorboard_event,
    tensorboard_version,
    version,
    visible_steps,
)

from .streams import NAME, loader_of

IMAGE = SCHEMAS["Image"]
LONG = b"\x89PNG" + bytes(range(1, 251)) * 16
PEAK = """
import sys
from pathlib import Path
from mindscope.ingest import RunLoader, find_run
from mindscope.types import Kind
loader = RunLoader(find_run(sys.argv[1]))
loader.read_all()
store = loader.store
status = Path("/proc/self/status").read_text()
peak_kb = status.split("VmHWM:")[1].split()[0]
print(int(peak_kb) >> 10, store.series[Kind.IMAGE, "picture"].all().step.tolist(),
    [str(damage.kind) for damage in store.damages])
"""


def picture(step: int, encoded: bytes = LONG) -> bytes:
    image = {"height": 1, "width": 1, "colorspace": 3, "encoded_image": encoded}
    return event(step, {"tag": "loss", "scalar_value": step / 7}, {"tag": "picture", "image": image})


def shorten(patch: pytest.MonkeyPatch) -> None:
    """Records of a kilobyte count as long, and no chunk holds one."""
    patch.setattr(segment_module, "CHUNK_BYTES", 64)
    patch.setattr(segment_module, "FEW_RECORDS", 1)
    patch.setattr(segment_module, "LONG_RECORD_BYTES", 1000)
    patch.setattr(long_module, "HEAD_BYTES", 50)


@pytest.fixture
def short_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    shorten(monkeypatch)


def test_values_of_long_records_are_those_of_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "tb").mkdir()
    image = {"height": 1, "width": 1, "colorspace": 3}
    many = [{"tag": f"picture_{number}", "image": {**image, "encoded_image": LONG[number:]}} for number in range(9)]
    many = [value for one in many for value in (one, {"tag": f"{one['tag']}_loss", "scalar_value": 1.5})]
    append(tmp_path / NAME, version() + picture(1) + steps([2]) + picture(3, LONG * 3) + picture(4, LONG[:9]))
    append(tmp_path / NAME, event(5, *many))
    large = {"tag": "picture", "image": {**image, "encoded_image_string": LONG}}
    values = [tensorboard_event(step, large, {"tag": "loss", "simple_value": step / 7}) for step in range(3)]
    append(tmp_path / "tb" / TENSORBOARD_NAME.format(1), tensorboard_version() + b"".join(values))
    directories = (tmp_path, tmp_path / "tb")
    want = [content(load(directory)) for directory in directories]
    shorten(monkeypatch)
    assert [content(load(directory)) for directory in directories] == want


@pytest.mark.usefixtures("short_limits")
@pytest.mark.parametrize("after", [b"", steps([4])], ids=["at the end", "with a record behind it"])
def test_a_long_record_with_a_wrong_checksum_hides_no_other(directory: Path, after: bytes) -> None:
    before = version() + steps([1])
    damaged = bytearray(picture(2))
    damaged[2000] ^= 1
    append(directory / NAME, before + bytes(damaged) + after)
    store = load(directory)
    (damage,) = store.damages
    resumed = len(before + damaged) if after else None
    assert (damage.kind, damage.offset, damage.resumed_at) == (DamageKind.PAYLOAD_CHECKSUM, len(before), resumed)
    checksums = bytes(damaged[-4:]), frame_footer(crc32c(bytes(damaged[12:-4])))
    got, want = (f"{int.from_bytes(checksum, 'little'):#010x}" for checksum in checksums)
    assert damage.detail == f"The checksum of its content is {got}, expected {want}."
    append(directory / NAME, steps([5]))
    assert visible_steps(load(directory)) == ([1, 4, 5] if after else [1, 5])


@pytest.mark.usefixtures("short_limits")
def test_records_behind_a_long_one_that_was_cut_are_read(directory: Path) -> None:
    """A writer was killed in a long record, and others appended so much that its length ends inside the file."""
    before, rest = version() + steps([1]), picture(2)
    append(directory / NAME, before + rest[:2000] + steps(range(3, 200)))
    store = load(directory)
    assert visible_steps(store) == [1, *range(3, 200)]
    (damage,) = store.damages
    assert (damage.kind, damage.resumed_at) == (DamageKind.PAYLOAD_CHECKSUM, len(before) + 2000)


@pytest.mark.usefixtures("short_limits")
def test_a_long_record_that_arrives_in_parts_is_read_once_it_is_whole(directory: Path) -> None:
    file, long = directory / NAME, picture(2)
    append(file, version() + steps([1]) + long[:3000])
    loader = loader_of(directory)
    loader.read_all()
    assert (visible_steps(loader.store), loader.store.damages) == ([1], ())
    append(file, long[3000:] + steps([3]))
    loader.read_all()
    assert visible_steps(loader.store) == [1, 2, 3]
    loader.read_all()
    assert (visible_steps(loader.store), loader.store.damages) == ([1, 2, 3], ())


@pytest.mark.usefixtures("short_limits")
@pytest.mark.parametrize("limit", ["MAX_FIELDS", "MAX_KEPT_BYTES"])
def test_a_long_record_of_too_many_fields_is_damage(
    directory: Path, monkeypatch: pytest.MonkeyPatch, limit: str
) -> None:
    monkeypatch.setattr(long_module, limit, 100)
    values = [{"tag": f"tag_{number}", "scalar_value": 1.5} for number in range(200)]
    append(directory / NAME, version() + steps([1]) + event(2, *values) + steps([3]))
    store = load(directory)
    assert visible_steps(store) == [1, 3]
    assert [damage.kind for damage in store.damages] == [DamageKind.MESSAGE]


def test_a_record_that_no_program_reads_is_damage(directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frames_module, "MAX_RECORD_BYTES", 4000)
    monkeypatch.setattr(segment_module, "CHUNK_BYTES", 64)
    append(directory / NAME, version() + steps([1]) + picture(2) + steps([3]))
    store = load(directory)
    assert visible_steps(store) == [1, 3]
    (damage,) = store.damages
    assert (damage.kind, damage.resumed_at) == (DamageKind.TOO_LONG, len(version() + steps([1]) + picture(2)))
    assert damage.detail == f"Its length is {len(picture(2)) - 16} bytes, at most 4000 are read."


def test_a_record_that_grows_too_long_is_damage(directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frames_module, "MAX_RECORD_BYTES", 4000)
    monkeypatch.setattr(segment_module, "CHUNK_BYTES", 64)
    append(directory / NAME, version() + steps([1]) + picture(2)[:900])
    loader = loader_of(directory)
    loader.read_all()
    assert (visible_steps(loader.store), loader.store.damages) == ([1], ())
    append(directory / NAME, picture(2)[900:] + steps([3]))
    loader.read_all()
    assert visible_steps(loader.store) == [1, 3]
    assert [damage.kind for damage in loader.store.damages] == [DamageKind.TOO_LONG]


def append_hole(file: Path, size: int, fault: int) -> None:
    """Append a picture of ``size`` zeros at step 5, which are a hole of the file; ``fault`` changes the checksum."""
    zeros = memoryview(np.zeros(size, np.uint8))  # takes no memory while nothing writes to it
    image = nested(numbers(IMAGE)["encoded_image"], (zeros,))
    value = (wire.encode(VALUE, {"tag": "picture"}), *nested(numbers(VALUE)["image"], image))
    summary = nested(numbers(EVENT)["summary"], nested(numbers(SUMMARY)["value"], value))
    payload = (wire.encode(EVENT, {"wall_time": 5.0, "step": 5}), *summary)
    checksum = 0
    for part in payload:
        checksum = crc32c(part, before=checksum)
    with file.open("ab") as opened:
        opened.write(frame_header(sum(map(len, payload))))
        for part in payload:
            if part is zeros:
                opened.truncate(opened.seek(0, 2) + size)
            else:
                opened.write(part)
        opened.seek(0, 2)
        opened.write(frame_footer(checksum ^ fault))


def numbers(schema: wire.Schema) -> dict[str, int]:
    return {field.name: field.number for field in schema.fields}


@pytest.mark.parametrize("fault", [0, 1], ids=["intact", "damaged"])
def test_a_record_of_a_gigabyte_takes_little_memory(directory: Path, fault: int) -> None:
    append(directory / NAME, version())
    append_hole(directory / NAME, 1 << 30, fault)
    append(directory / NAME, picture(6))
    command = [sys.executable, "-c", PEAK, str(directory)]
    ended = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)
    peak, steps_and_damages = ended.stdout.split(maxsplit=1)
    assert int(peak) < 400, ended.stdout
    assert steps_and_damages.strip() == ("[6] ['payload_checksum']" if fault else "[5, 6] []")
