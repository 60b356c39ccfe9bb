# SPDX-License-Identifier: Apache-2.0
"""Runs are found at any depth, under any name, and nowhere outside of the base directory."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from mindscope.ingest import PathKind, find_run, find_runs
from mindscope.ingest.discover import Finder
from mindscope.ingest.file_names import creation_number, is_event_name, readable
from mindscope.reasons import Reason

from .audited import listed_directories

NAME = "events.out.events.summary.5.0.host_MS"
NOBODY = 65534


def make_run(directory: Path, *names: str) -> Path:
    directory.mkdir(parents=True, exist_ok=True)
    for name in names or (NAME,):
        (directory / name).touch()
    return directory


@contextmanager
def without_privileges() -> Iterator[None]:
    """Root may read everything: let go of that for a while."""
    mine = os.geteuid()
    if mine == 0:
        os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(mine)


@pytest.fixture
def open_to_all() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as directory:
        Path(directory).chmod(0o755)
        yield Path(directory)


@pytest.mark.parametrize(
    ("name", "number"),
    [
        ("events.out.events.summary.1795224808.0.vm_MS", 1795224808),
        ("events.out.events.summary.1795224808.0.vm_lineage", 1795224808),
        ("my.prefix.out.events.summary.7.3.host_x", 7),
        ("events.out.tfevents.1795227661.vm.24869.0", 1795227661),
        ("events.out.tfevents.1795227661.vm.profile-empty", 1795227661),
        ("tfevents", 0),
    ],
)
def test_event_names_tell_their_age(name: str, number: int) -> None:
    assert is_event_name(name)
    assert creation_number(name) == number


@pytest.mark.parametrize("name", ["summary", "summary.txt", "model-1_40.ckpt", "graph.pb", "events.out", "summary.٣"])
def test_other_names_are_no_events(name: str) -> None:
    assert not is_event_name(name)


def test_runs_are_found_at_any_depth_with_the_base_itself(tmp_path: Path) -> None:
    for path in (".", "a", "a/b/c/d/e/f/g", "b.c/train", ".hidden/x"):
        make_run(tmp_path / path)
    (tmp_path / "empty" / "deeper").mkdir(parents=True)
    (tmp_path / "a" / "checkpoint.ckpt").touch()
    found = find_runs(tmp_path)
    assert set(found.runs) == {".", "a", "a/b/c/d/e/f/g", "b.c/train", ".hidden/x"}
    assert found.runs["a"].path == tmp_path.resolve() / "a"
    assert found.unreadable == ()


def test_runs_come_in_natural_order(tmp_path: Path) -> None:
    for name in ("run_10", "run_2", "run_1", "a"):
        make_run(tmp_path / name)
    assert list(find_runs(tmp_path).runs) == ["a", "run_1", "run_2", "run_10"]


def test_files_come_from_the_oldest_to_the_newest(tmp_path: Path) -> None:
    names = ["events.out.tfevents.9.host.2", "events.out.tfevents.10.host", "events.out.tfevents.9.host.10"]
    make_run(tmp_path, *names)
    assert [file.name for file in find_runs(tmp_path).runs["."].files] == [names[0], names[2], names[1]]


@pytest.mark.parametrize("name", ["with space", "new\nline", "tab\t", "名前", "-rf", "'\"$(x)`", "%2e%2e", "a\\b", "…"])
def test_hostile_names_survive(tmp_path: Path, name: str) -> None:
    make_run(tmp_path / name)
    run = find_runs(tmp_path).runs[name]
    assert run.path.is_dir()
    assert Path(run.files[0].path).is_file()


def test_names_that_are_no_text_become_text_and_stay_apart(tmp_path: Path) -> None:
    for name in (b"a\xff", b"a\xfe"):
        make_run(tmp_path / os.fsdecode(name), os.fsdecode(b"summary.1\xfd"))
    runs = find_runs(tmp_path).runs
    assert list(runs) == ["a\ufffdfe", "a\ufffdff"]
    for run in runs.values():
        run.id.encode()
        assert run.files[0].name == "summary.1\ufffdfd"
        assert Path(run.files[0].path).is_file()
    assert readable("plain") == "plain"


def test_links_are_not_followed_out_of_the_base(tmp_path: Path) -> None:
    base, outside = tmp_path / "base", make_run(tmp_path / "outside")
    make_run(base / "run")
    (base / "link").symlink_to(outside)
    (base / "run" / "events.out.tfevents.6").symlink_to(outside / NAME)
    (base / "neighbor").symlink_to(tmp_path / "base2")
    make_run(tmp_path / "base2")
    found = find_runs(base)
    assert list(found.runs) == ["run"]
    assert [file.name for file in found.runs["run"].files] == [NAME]
    assert [(Path(place.path).name, place.kind, place.reason.code) for place in found.unreadable] == [
        ("link", PathKind.LINK, "link_outside"),
        ("neighbor", PathKind.LINK, "link_outside"),
        ("events.out.tfevents.6", PathKind.LINK, "link_outside"),
    ]


def test_a_link_to_what_holds_no_runs_is_nothing_to_tell_of(tmp_path: Path) -> None:
    base, outside = tmp_path / "base", tmp_path / "outside"
    make_run(base / "run")
    outside.mkdir()
    (outside / "python").touch()
    (outside / "circle").symlink_to("circle")
    for name in ("python", "circle", "nowhere"):
        (base / "run" / name).symlink_to(outside / name)
    assert find_runs(base).unreadable == ()


def test_links_inside_the_base_make_neither_cycles_nor_second_ids(tmp_path: Path) -> None:
    run = make_run(tmp_path / "a" / "run")
    (run / "up").symlink_to(tmp_path)
    (tmp_path / "a" / "self").symlink_to(tmp_path / "a")
    (tmp_path / "latest").symlink_to(run)
    (tmp_path / "broken").symlink_to(tmp_path / "nowhere")
    found = find_runs(tmp_path)
    assert list(found.runs) == ["a/run"]
    assert found.unreadable == ()


def test_an_event_file_may_be_a_link_inside_the_base(tmp_path: Path) -> None:
    kept = make_run(tmp_path / "kept")
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / NAME).symlink_to(kept / NAME)
    assert set(find_runs(tmp_path).runs) == {"kept", "run"}


def test_the_base_may_be_a_link(tmp_path: Path) -> None:
    make_run(tmp_path / "real" / "run")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    assert list(find_runs(tmp_path / "link").runs) == ["run"]


def test_only_plain_files_are_read_and_what_else_has_their_name_is_told(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", "summary.1", "summary.2")
    os.mkfifo(run / NAME)
    (run / "events.out.tfevents.1").mkdir()
    (run / "tfevents.2").symlink_to("tfevents.3")
    (run / "tfevents.3").symlink_to("tfevents.2")
    (run / "tfevents.4").symlink_to("tfevents.5")
    (run / "loop").symlink_to("loop")
    found = find_runs(tmp_path)
    loop = Reason("symlink_loop", reason="Too many levels of symbolic links")
    assert [file.name for file in found.runs["run"].files] == ["summary.1", "summary.2"]
    assert {Path(place.path).name: (place.kind, place.reason) for place in found.unreadable} == {
        NAME: ("file", Reason("place_no_file")),
        "tfevents.2": ("link", loop),
        "tfevents.3": ("link", loop),
        "tfevents.4": ("link", Reason("dangling_symlink")),
    }
    assert all(place.reason.remedy for place in found.unreadable)


def test_a_directory_whose_path_is_too_long_costs_what_is_below_it_alone(tmp_path: Path) -> None:
    make_run(tmp_path / "run")
    with deep_directory(tmp_path, "d" * 250) as depth:
        found = find_runs(tmp_path)
    assert list(found.runs) == ["run"]
    (place,) = found.unreadable
    assert (place.kind, place.reason.code) == (PathKind.DIRECTORY, "place_too_deep")
    assert (place.reason.values["errno"], place.path.count("d" * 250) <= depth) == ("ENAMETOOLONG", True)


@contextmanager
def deep_directory(base: Path, name: str) -> Iterator[int]:
    """Directories in each other, of which the system can be told only one by one; yields how many."""
    deepest = [os.open(base, os.O_RDONLY)]
    while len(str(base)) + (len(deepest) - 1) * (len(name) + 1) <= os.pathconf(base, "PC_PATH_MAX"):
        os.mkdir(name, dir_fd=deepest[-1])
        deepest.append(os.open(name, os.O_RDONLY, dir_fd=deepest[-1]))
    try:
        yield len(deepest) - 1
    finally:
        os.close(deepest.pop())
        for parent in reversed(deepest):  # for the sake of whoever removes the base
            os.rmdir(name, dir_fd=parent)
            os.close(parent)


def test_what_cannot_be_read_is_told_by_path_in_natural_order(tmp_path: Path) -> None:
    for number in (10, 9):
        make_run(tmp_path / f"run_{number}")
        (tmp_path / f"run_{number}" / "tfevents.1").symlink_to("tfevents.1")
    assert [Path(place.path).parent.name for place in find_runs(tmp_path).unreadable] == ["run_9", "run_10"]


def test_a_link_that_leads_nowhere_is_followed_once_it_leads_somewhere(tmp_path: Path) -> None:
    kept, run = make_run(tmp_path / "kept", "other"), tmp_path / "run"
    run.mkdir()
    (run / NAME).symlink_to(kept / NAME)
    settle(run)
    finder = Finder(tmp_path)
    assert finder.find().runs == {}
    (kept / NAME).touch()
    assert list(finder.find().runs) == ["kept", "run"]
    assert finder.find().unreadable == ()


def test_a_link_through_a_closed_directory_costs_that_link_alone(open_to_all: Path) -> None:
    closed, run = make_run(open_to_all / "closed"), make_run(open_to_all / "run")
    (run / "tfevents.2").symlink_to(closed / NAME)
    closed.chmod(0)
    with without_privileges():
        found = find_runs(open_to_all)
    closed.chmod(0o755)
    assert [file.name for file in found.runs["run"].files] == [NAME]
    assert {(Path(place.path).name, place.kind, place.reason) for place in found.unreadable} == {
        ("closed", PathKind.DIRECTORY, Reason("permission_denied", reason="Permission denied")),
        ("tfevents.2", PathKind.LINK, Reason("permission_denied", reason="Permission denied")),
    }


def test_directories_that_may_not_be_listed_are_reported(open_to_all: Path) -> None:
    closed = make_run(open_to_all / "closed")
    make_run(open_to_all / "open")
    closed.chmod(0)
    with without_privileges():
        found = find_runs(open_to_all)
    closed.chmod(0o755)
    assert list(found.runs) == ["open"]
    (place,) = found.unreadable
    assert str(place) == (
        f"{closed.resolve()}: The system refuses to open it: Permission denied."
        " Allow the user who runs mindscope to read it."
    )


def test_a_missing_base_is_reported(tmp_path: Path) -> None:
    found = find_runs(tmp_path / "nowhere")
    assert found.runs == {}
    assert found.unreadable[0].reason.code == "place_missing"


def test_finding_again_lists_only_directories_that_changed(tmp_path: Path) -> None:
    for number in range(30):
        settle(make_run(tmp_path / f"run_{number}"))
    settle(tmp_path)
    finder = Finder(tmp_path)
    before = finder.find()
    with listed_directories() as listed:
        assert finder.find() == before
        assert listed == []
        make_run(tmp_path / "run_3", "events.out.tfevents.9")
        assert len(finder.find().runs["run_3"].files) == 2
        assert [Path(path).name for path in listed] == ["run_3"]


def test_a_directory_that_changed_just_now_is_listed_again(tmp_path: Path) -> None:
    finder = Finder(tmp_path)
    assert finder.find().runs == {}
    stamp = tmp_path.stat().st_mtime_ns
    make_run(tmp_path)
    # As on a file system with coarse time stamps: a new file, and the same time of change.
    os.utime(tmp_path, ns=(stamp, stamp))
    assert list(finder.find().runs) == ["."]


def test_one_directory_alone(tmp_path: Path) -> None:
    assert find_run(tmp_path) is None
    make_run(tmp_path / "deeper")
    assert find_run(tmp_path) is None
    make_run(tmp_path)
    run = find_run(tmp_path)
    assert run is not None
    assert (run.id, len(run.files)) == (".", 1)


def settle(directory: Path) -> None:
    """Make a directory look as if nothing had changed in it for long."""
    os.utime(directory, (1_000_000, 1_000_000))
