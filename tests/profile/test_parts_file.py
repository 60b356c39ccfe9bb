# SPDX-License-Identifier: Apache-2.0
"""All parts of a profile, saved and opened again."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindscope.errors import ProfilePartError
from mindscope.profile.model.profile_data import Part
from mindscope.profile.open import read_profile
from mindscope.profile.overview import overview_of
from mindscope.profile.parts_file import columns_of, open_parts, save_parts
from mindscope.profile.profile import Profile
from mindscope.profile.tables.further_tables import FurtherTables
from mindscope.profile.tables.stored_texts import StoredTexts
from mindscope.profile.texts import Missing
from mindscope.table.columns import TextColumn
from mindscope.table.table import Table
from tests.profile.formats.test_memory_snapshot import SNAPSHOT
from tests.profile.formats.test_memory_snapshot import write as write_snapshot
from tests.profile.kineto_events import Events
from tests.profile.made_profiles import ascend_output


def assert_same_table(one: Table, other: Table) -> None:
    assert type(one) is type(other)
    assert list(one.columns()) == list(other.columns())
    assert {name: one.schema()[name] for name in one.columns()} == {
        name: other.schema()[name] for name in other.columns()
    }
    for name, column in one.columns().items():
        found = other.columns()[name]
        if isinstance(column, TextColumn):
            assert isinstance(found, TextColumn)
            assert list(found) == list(column)
        else:
            assert isinstance(found, np.ndarray)
            assert found.dtype == column.dtype
            np.testing.assert_array_equal(found, column)


def assert_same(one: Any, other: Any) -> None:
    if isinstance(one, Missing):
        assert other == one
    elif isinstance(one, Table):
        assert_same_table(one, other)
    elif isinstance(one, FurtherTables):
        assert list(one) == list(other)
        for name, table in one.items():
            assert_same_table(table, other[name])
    else:
        for field in fields(one):
            each = getattr(one, field.name)
            if not isinstance(each, Table):
                assert getattr(other, field.name) == each
            else:
                assert_same_table(each, getattr(other, field.name))


def saved(profile: Profile, path: Path) -> Profile:
    save_parts(columns_of(profile, 12), path, "version 1")
    opened = open_parts(path, "version 1")
    assert opened is not None
    assert opened.zero == 12
    return opened.profile


def cuda(directory: Path) -> Profile:
    events = Events()
    for step in range(3):
        begin = 300 * step
        events.step(step, begin, 280)
        events.op("aten::linear \ud800", begin, 100, External_id=2 * step + 1)
        events.launch(begin + 20, 5, 77 + step, External_id=2 * step + 1)
        events.kernel("gemm", begin + 30, 30, 77 + step, External_id=2 * step + 1, grid=[4, 1, 1], block=[128, 1, 1])
    return events.read(directory)


def ascend(directory: Path) -> Profile:
    return read_profile(ascend_output(directory))


def snapshot(directory: Path) -> Profile:
    return read_profile(write_snapshot(directory, SNAPSHOT))


def without_addresses(directory: Path) -> Profile:
    events = Events()
    events.memory(10, 64, 0, 64)
    del events.events[0]["args"]["Addr"], events.events[0]["args"]["Total Allocated"]
    return events.read(directory)


@pytest.mark.parametrize("make", [cuda, ascend, snapshot, without_addresses])
def test_parts_are_the_same_after_saving(tmp_path: Path, make: Any) -> None:
    profile = make(tmp_path)
    opened = saved(profile, tmp_path / "cache.parts")
    for part in Part:
        assert_same(profile.part(part), opened.part(part))
    assert opened.facts.devices == profile.facts.devices
    assert (opened.name, opened.format, opened.rank) == (profile.name, profile.format, profile.rank)
    assert overview_of(opened).to_json() == overview_of(profile).to_json()
    with pytest.raises(ProfilePartError, match="no timeline"):
        opened.timeline()


def test_only_the_texts_that_occur_are_saved(tmp_path: Path) -> None:
    column = TextColumn(np.array([3, 1, 3], np.uint32), ["a", "b", "c", "d"])
    assert (column.compact().values, list(column.compact())) == (["b", "d"], ["d", "b", "d"])


@pytest.mark.parametrize("size", [0, 3, 15, 40, 300])
def test_a_damaged_file_is_no_file(tmp_path: Path, size: int) -> None:
    saved(cuda(tmp_path), tmp_path / "cache.parts")
    whole = (tmp_path / "cache.parts").read_bytes()
    assert open_parts(tmp_path / "cache.parts", "version 2") is None
    (tmp_path / "cache.parts").write_bytes(whole[:size])
    assert open_parts(tmp_path / "cache.parts", "version 1") is None
    assert open_parts(tmp_path / "none.parts", "version 1") is None


def test_a_column_with_a_wrong_byte_is_no_file(tmp_path: Path) -> None:
    saved(cuda(tmp_path), tmp_path / "cache.parts")
    whole = (tmp_path / "cache.parts").read_bytes()
    first = 20 + int.from_bytes(whole[8:16], "little")
    for place in range(first, len(whole), max(64, (len(whole) - first) // 2048 * 64)):
        (tmp_path / "bad.parts").write_bytes(whole[:place] + bytes([whole[place] ^ 0x80]) + whole[place + 1 :])
        assert open_parts(tmp_path / "bad.parts", "version 1") is None


def test_a_part_that_another_version_saved_is_no_part(tmp_path: Path) -> None:
    parts = columns_of(cuda(tmp_path), 0)
    saved_parts: dict[str, Any] = dict(parts.header["parts"])
    others: list[dict[str, Any]] = [
        {"missing": ["unknown_code", {}]},
        {"": {"columns": ["future"], "texts": [], "extra": {}}},
        {"": {"columns": [], "texts": [], "extra": {"future": ["parsec", ["sum", ""], ""]}}},
        {"future": {"columns": [], "texts": [], "extra": {}}},
    ]
    for changed in others:
        header: dict[str, Any] = {**parts.header, "parts": {**saved_parts, "memory": changed}}
        save_parts(parts._replace(header=header), tmp_path / "cache.parts", "1")
        assert open_parts(tmp_path / "cache.parts", "1") is None


def test_a_file_of_a_version_that_was_counted_by_hand_is_made_again(tmp_path: Path) -> None:
    profile, path = cuda(tmp_path), tmp_path / "cache.parts"
    saved(profile, path)
    content = path.read_bytes()
    path.write_bytes(content[:4] + (10).to_bytes(4, "little") + content[8:])
    assert open_parts(path, "version 1") is None
    assert len(saved(profile, path).kernels) == len(profile.kernels)


@given(st.lists(st.text(st.characters(exclude_categories=()))))
def test_stored_texts_are_the_texts(texts: list[str]) -> None:
    stored = StoredTexts.of(texts)
    assert list(stored) == texts
    assert stored[1:] == texts[1:]
    with pytest.raises(IndexError):
        stored[len(texts)]
