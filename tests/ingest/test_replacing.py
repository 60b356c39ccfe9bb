# SPDX-License-Identifier: Apache-2.0
"""One event file that shrinks, is replaced, closed to us or goes."""

from __future__ import annotations

import errno
import os
from io import FileIO
from pathlib import Path
from typing import Any

import pytest

from mindscope.ingest import RunLoader, find_run
from mindscope.ingest import file_segment as segment_module
from mindscope.ingest import file_tailer as tailer_module
from mindscope.ingest import parallel_read as parallel_module
from mindscope.ingest.read_buffers import ReadBufferPool
from mindscope.types import DamageKind
from tests.event_log import (
    append,
    scalar_points,
    steps,
    version,
    visible_steps,
)

from .streams import NAME, loader_of
from .test_discover import without_privileges


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
    assert "It shrank from" in damage.detail
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
        patch.setattr(segment_module, "CHUNK_BYTES", 64)
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


class FailingFile(FileIO):
    """A file of a system that gives its first bytes only, as one does that is no longer reached."""

    GIVEN = 300

    def readinto(self, buffer: Any, /) -> int:
        if self.tell() + len(buffer) > self.GIVEN:
            raise OSError(errno.EIO, "Input/output error")
        return super().readinto(buffer)


@pytest.mark.parametrize("processors", [1, 4])
def test_what_was_read_before_an_error_is_kept_and_read_on(directory: Path, processors: int) -> None:
    append(directory / NAME, version() + steps(range(40)))
    found = find_run(directory)
    assert found is not None
    loader = RunLoader(found, ReadBufferPool(1 << 16, processors))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(segment_module, "CHUNK_BYTES", 64)
        patch.setattr(parallel_module, "MIN_PART_BYTES", 100)
        patch.setattr(tailer_module, "open_file", FailingFile)
        loader.read_all()
        (damage,) = loader.store.damages
        assert (damage.kind, damage.resumed_at) == (DamageKind.UNREADABLE, None)
        shown = visible_steps(loader.store)
        assert 0 < len(shown) < 40
        assert shown == list(range(len(shown)))
        assert damage.offset == loader.store.files[0].read_bytes > 0
    loader.read_all()
    assert visible_steps(loader.store) == list(range(40))
    assert loader.store.damages == ()
