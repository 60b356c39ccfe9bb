# SPDX-License-Identifier: Apache-2.0
"""Opening profiles: which format a path has, and what is said when it has none."""

from __future__ import annotations

import bz2
import codecs
import gzip
import json
import lzma
import os
import re
import sqlite3
import tarfile
import zipfile
from contextlib import closing
from pathlib import Path

import pytest

from mindscope.errors import FormatError, ProfilePartError
from mindscope.profile.model.profile_data import Part
from mindscope.profile.open import find_profiles, read_profile

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
    profile = read_profile(write(tmp_path / "a.trace.json", []))
    with pytest.raises(ProfilePartError, match="“a” has no steps: profiles of this format"):
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


@pytest.mark.parametrize("content", [b"notes", b"\x89PNG", b"\x1f\x8b\x08"])
def test_what_is_no_profile_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "a.json").write_bytes(content)
    with pytest.raises(FormatError, match=r"a\.json is no profile: want one of PyTorch trace, Chrome trace"):
        read_profile(tmp_path / "a.json")


TEXT = json.dumps(TORCH).encode()
OTHER: list[tuple[str, bytes, str]] = [
    ("a.json", b"", "is empty"),
    ("a.json", b"{}", "is JSON without traceEvents"),
    ("a.json", b'{"a": [1]}', "is JSON without traceEvents"),
    ("a.json", b"\x1f\x8bxx", "begins as gzip and can't be decompressed"),
    ("a.json", b"<html>", "is a web page"),
    ("a.json", b"version https://git-lfs.github.com/spec/v1\n", "run 'git lfs pull'"),
    ("a.pt.trace.json", codecs.BOM_UTF16_LE + TEXT.decode().encode("utf-16-le"), "'iconv -f UTF-16 -t UTF-8 a.pt.trac"),
    ("a.json", TEXT.decode().encode("utf-16-be"), "is UTF-16 text, want UTF-8"),
    ("a.json", TEXT.decode().encode("utf-32"), "is UTF-32 text, want UTF-8"),
    ("a.json.gz", gzip.compress(TEXT.decode().encode("utf-16"), mtime=0), "-t UTF-8 a.json'"),
    ("a.pt.trace.json.gz", gzip.compress(gzip.compress(TEXT, mtime=0), mtime=0), "is compressed with gzip twice"),
    ("a.json", bz2.compress(TEXT), "is compressed with bzip2: extract it"),
    ("a.json", lzma.compress(TEXT), "is compressed with xz: extract it"),
    ("a.txt", TEXT, "its name ends in none of .json, .json.gz"),
    ("a.pftrace", b"\n\x02\x08\x01", "'traceconv json a.pftrace trace.json'"),
    ("a.trace", b"\n\x04\x08\x01\x10\x02\n\x02\x08\x01", "'traceconv json a.trace trace.json'"),
    ("a.json", b'{"schema": "1.1.1-chakra.0.0.4", "pid": 1, "nodes": [{"id": 1}]}', "is an execution trace of PyTorch"),
    ("a.json.gz", gzip.compress(b"[[10, 12], [[0, 5], [0, 7]]]", mtime=0), "timeline of export_memory_timeline"),
    ("a.raw.json.gz", gzip.compress(b"[[10, 1, 512, 2], [11, 3, 512, null]]", mtime=0), "is a memory timeline"),
    ("stacks.txt", b"<stdin>(3): f 2\n<stdin>(3): f;torch/nn.py(9): mm 17\n", "has stacks of export_stacks"),
    ("a.nsys-rep", b"QDSS", "run 'nsys export --type sqlite a.nsys-rep'"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "content", "text"), OTHER)
def test_what_a_file_is_instead_is_said(tmp_path: Path, name: str, content: bytes, text: str) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(FormatError, match=re.escape(text)):
        read_profile(tmp_path / name)
    with pytest.raises(FormatError, match="is no profile: want one of"):
        read_profile(tmp_path)


def test_a_schema_version_may_follow_the_events(tmp_path: Path) -> None:
    later = {"traceEvents": TORCH["traceEvents"], "deviceProperties": [{"id": 0}], "schemaVersion": 1, "traceName": "a"}
    path = write(tmp_path / "a.json", later)
    assert read_profile(path).format == "torch_trace"
    path = write(tmp_path / "b.json", {"traceEvents": [], "note": "schemaVersion"})
    assert read_profile(path).format == "chrome_trace"


def test_archives_are_to_be_extracted(tmp_path: Path) -> None:
    trace = write(tmp_path / "a.json", TORCH)
    with zipfile.ZipFile(tmp_path / "b.json", "w") as archive:
        archive.write(trace)
    with tarfile.open(tmp_path / "c.json.gz", "w:gz") as packed:
        packed.add(trace)
    for name, kind in (("b.json", "zip"), ("c.json.gz", "tar")):
        with pytest.raises(FormatError, match=f"is a {kind} archive: extract it"):
            read_profile(tmp_path / name)


def test_a_database_whose_tables_are_in_its_journal(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "a.sqlite")) as writer:
        writer.execute("PRAGMA journal_mode = WAL")
        writer.execute("CREATE TABLE bookmarks (url TEXT)")
        writer.commit()
        with pytest.raises(FormatError, match=r"a\.sqlite-wal holds changes of it: end the program that writes it"):
            read_profile(tmp_path / "a.sqlite")
    with pytest.raises(FormatError, match="is a SQLite database without the tables of a profile"):
        read_profile(tmp_path / "a.sqlite")


def test_a_loop_of_links_is_an_error_of_the_path(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    (tmp_path / "own").symlink_to(".")
    with pytest.raises(OSError, match="Too many levels of symbolic links"):
        read_profile(tmp_path / "a")
    assert not list(find_profiles(tmp_path))


@pytest.mark.parametrize("name", ["a.json", "a.pickle", "a.sqlite", "a.xplane.pb"])
def test_a_pipe_is_not_waited_for(tmp_path: Path, name: str) -> None:
    os.mkfifo(tmp_path / name)
    with pytest.raises(FormatError, match="is no profile"):
        read_profile(tmp_path / name)


def test_a_path_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        read_profile(tmp_path / "a.json")
