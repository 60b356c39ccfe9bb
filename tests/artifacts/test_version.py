# SPDX-License-Identifier: Apache-2.0
"""Changes of a dump whose version is computed again and again."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from mindscope.artifacts.version import DirectoryVersions
from tests.debug.formats.made_dumps import numbers, save, short_dump

LONG_AGO = 1_700_000_000


@pytest.fixture
def dump(tmp_path: Path) -> Path:
    """Written long ago."""
    root = short_dump(tmp_path / "dump")
    for directory in (root, *root.rglob("*")):
        os.utime(directory, (LONG_AGO, LONG_AGO))
    return root


def test_every_change_gives_another_version(dump: Path) -> None:
    versions = DirectoryVersions()
    net = dump / "rank_0" / "Net" / "0"
    seen = [versions.of(dump)]
    assert versions.of(dump) == DirectoryVersions().of(dump) == seen[0]

    def check() -> None:
        found = versions.of(dump)
        assert found == DirectoryVersions().of(dump)
        assert found not in seen
        seen.append(found)

    save(net / "1", "Add.Add-op9.0.0.7.output.0.NCHW.npy", numbers(9))
    check()
    save(net / "2" / "deep", "a.npy", numbers(9))
    check()
    (net / "2" / "deep" / "a.npy").unlink()
    check()
    (net / "2" / "deep").rmdir()
    check()


def test_a_change_within_the_same_tick_of_the_clock_is_noticed(dump: Path) -> None:
    versions = DirectoryVersions()
    net = dump / "rank_0" / "Net" / "0"
    (net / "2").mkdir()
    before, modified = versions.of(dump), net.stat()
    (net / "3").mkdir()
    for path in (net, net / "2", net / "3"):
        os.utime(path, ns=(modified.st_atime_ns, modified.st_mtime_ns))
    assert versions.of(dump) != before


def test_directories_whose_time_is_the_same_are_not_listed(dump: Path) -> None:
    versions = DirectoryVersions()
    net = dump / "rank_0" / "Net" / "0"
    before = versions.of(dump)
    (net / "2").mkdir()
    for path in (net, net / "2"):
        os.utime(path, (LONG_AGO, LONG_AGO))
    assert versions.of(dump) == before
    assert DirectoryVersions().of(dump) != before


def test_files_links_and_what_is_not_there(dump: Path, tmp_path: Path) -> None:
    versions = DirectoryVersions()
    (dump / "loop").symlink_to(dump)
    os.utime(dump, (LONG_AGO, LONG_AGO))
    file = tmp_path / "log.txt"
    file.write_text("text")
    os.utime(file, (LONG_AGO, LONG_AGO))
    before = versions.of(file), versions.of(dump)
    assert (versions.of(file), versions.of(dump)) == before
    file.touch()
    assert versions.of(file) != before[0]
    file.unlink()
    with pytest.raises(FileNotFoundError):
        versions.of(file)
