# SPDX-License-Identifier: Apache-2.0
"""Opening profiles: which format a path has, and what is said when it has none."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from mindscope.errors import FormatError, ProfilePartError
from mindscope.profile.open import find_profiles, read_profile
from mindscope.profile.profile import Part

TORCH = {
    "schemaVersion": 1,
    "deviceProperties": [{"id": 0, "name": "Invented 9000", "totalGlobalMem": 4096}],
    "distributedInfo": {"rank": 3},
    "traceEvents": [],
    "traceName": "x",
}


def write(path: Path, content: object) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps(content).encode()
    path.write_bytes(gzip.compress(text) if path.suffix == ".gz" else text)
    return path


@pytest.mark.parametrize("name", ["host_12.1700000000000000000.pt.trace.json", "any.json", "any.json.gz"])
def test_a_schema_version_makes_a_trace_of_torch(tmp_path: Path, name: str) -> None:
    profile = read_profile(write(tmp_path / name, TORCH))
    assert (profile.format, profile.rank) == ("torch_trace", 3)
    assert [(each.name, each.model, each.memory) for each in profile.devices] == [
        ("CPU", "", 0),
        ("GPU 0", "Invented 9000", 4096),
    ]
    assert profile.facts.worker == ("host_12" if name.startswith("host") else "any")


@pytest.mark.parametrize(
    "content", [[{"ph": "X", "ts": 1, "dur": 1, "pid": 1, "tid": 1, "name": "a"}], {"traceEvents": []}]
)
def test_other_lists_of_events_are_generic_traces(tmp_path: Path, content: object) -> None:
    profile = read_profile(write(tmp_path / "a.json", content))
    assert profile.format == "chrome_trace"
    assert profile.trace is not None
    assert profile.missing.keys() == set(Part) - {Part.FURTHER_TABLES}


def test_a_part_that_is_missing_says_why(tmp_path: Path) -> None:
    profile = read_profile(write(tmp_path / "a.json", []))
    with pytest.raises(ProfilePartError, match="profile a has no steps: profiles of this format"):
        profile.steps  # noqa: B018


def test_a_directory_is_searched(tmp_path: Path) -> None:
    one = write(tmp_path / "deep" / "er" / "b.pt.trace.json", TORCH)
    write(tmp_path / "notes.json", {"a": 1})
    assert read_profile(tmp_path).facts.path == str(one)
    two = write(tmp_path / "a.pt.trace.json.gz", TORCH)
    assert [each.path for each in find_profiles(tmp_path)] == [two, one]
    with pytest.raises(FormatError, match=r"holds 2 profiles, choose one: a.pt.trace.json.gz, deep/er/b.pt.trace.json"):
        read_profile(tmp_path)


def test_links_out_of_the_directory_are_not_followed(tmp_path: Path) -> None:
    write(tmp_path / "other" / "a.pt.trace.json", TORCH)
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "link").symlink_to(tmp_path / "other")
    (tmp_path / "own" / "b.pt.trace.json").symlink_to(tmp_path / "other" / "a.pt.trace.json")
    assert not list(find_profiles(tmp_path / "own"))
    found = [each.path.name for each in find_profiles(tmp_path)]
    assert found == ["a.pt.trace.json", "b.pt.trace.json"]


@pytest.mark.parametrize("content", [b"", b"{}", b"\x1f\x8bxx", b"<html>", b'{"a": [1]}'])
def test_what_is_no_profile_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "a.json").write_bytes(content)
    with pytest.raises(FormatError, match=r"a\.json is no profile: want one of PyTorch trace, Chrome trace"):
        read_profile(tmp_path / "a.json")


def test_a_path_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        read_profile(tmp_path / "a.json")
