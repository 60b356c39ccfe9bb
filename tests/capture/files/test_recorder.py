# SPDX-License-Identifier: Apache-2.0
"""Files that a user logs: copied whole, listed with step, size and hash, equal contents once."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import mindscope
from mindscope.artifacts.recorded_files import (
    DIRECTORY,
    LIST_NAME,
    UNFINISHED,
    RecordedFile,
    open_recorded,
    recorded_files,
)
from mindscope.capture.files.recorder import FileRecorder


class Rejected(list[tuple[str, str]]):
    def __call__(self, name: str, error: Exception) -> None:
        self.append((name, str(error)))


@pytest.fixture
def rejected() -> Rejected:
    return Rejected()


@pytest.fixture
def recorder(tmp_path: Path, rejected: Rejected) -> Iterator[FileRecorder]:
    made = FileRecorder(tmp_path / "run", rejected)
    yield made
    made.close()


def files_of(run: Path) -> dict[tuple[str, int | None], RecordedFile]:
    return {(each.name, each.step): each for each in recorded_files(run)}


def test_a_file_is_copied_and_listed(tmp_path: Path, recorder: FileRecorder, rejected: Rejected) -> None:
    content = os.urandom(9 << 20)
    (tmp_path / "model.pt").write_bytes(content)
    recorder.log(tmp_path / "model.pt", step=7)
    recorder.log(str(tmp_path / "model.pt"), "best/weights.pt")
    recorder.close()
    (tmp_path / "model.pt").write_bytes(b"other")
    files = files_of(recorder.run)
    assert set(files) == {("model.pt", 7), ("best/weights.pt", None)}
    for file in files.values():
        assert (recorder.run / file.path).read_bytes() == content
        assert file.size == len(content)
        assert file.sha256 == hashlib.sha256(content).hexdigest()
        assert (file.kind, file.left_out) == ("checkpoint", "")
    assert rejected == []
    assert list((recorder.run / DIRECTORY / UNFINISHED).iterdir()) == []


def test_equal_contents_take_their_bytes_once_also_after_a_restart(tmp_path: Path, recorder: FileRecorder) -> None:
    source = tmp_path / "a.pt"
    source.write_bytes(b"x" * 100_000)
    recorder.log(source, step=0)
    recorder.log(source, step=1)
    recorder.close()
    again = FileRecorder(recorder.run)
    again.log(source, "b.pt")
    again.close()
    paths = [recorder.run / file.path for file in recorded_files(recorder.run)]
    assert len(paths) == 3
    assert len({path.stat().st_ino for path in paths}) == 1
    assert not source.samefile(paths[0])


def test_a_file_of_the_same_name_and_step_is_replaced_and_its_equals_stay(
    tmp_path: Path, recorder: FileRecorder
) -> None:
    source = tmp_path / "a.pt"
    source.write_bytes(b"old")
    recorder.log(source, step=1)
    recorder.log(source, step=2)
    recorder.flush()
    source.write_bytes(b"new")
    recorder.log(source, step=2)
    recorder.close()
    files = files_of(recorder.run)
    assert (recorder.run / files["a.pt", 1].path).read_bytes() == b"old"
    assert (recorder.run / files["a.pt", 2].path).read_bytes() == b"new"
    assert files["a.pt", 2].sha256 == hashlib.sha256(b"new").hexdigest()


def test_a_directory_is_logged_with_all_of_its_files(tmp_path: Path, recorder: FileRecorder) -> None:
    checkpoint = tmp_path / "checkpoint-10"
    (checkpoint / "sub").mkdir(parents=True)
    (checkpoint / "model.safetensors").write_bytes(b"1")
    (checkpoint / "sub" / "config.json").write_text("{}")
    (checkpoint / "empty").touch()
    (checkpoint / "loop").symlink_to(checkpoint)
    recorder.log(checkpoint, step=10)
    recorder.close()
    names = {name for name, _ in files_of(recorder.run)}
    assert names == {f"checkpoint-10/{name}" for name in ("model.safetensors", "sub/config.json", "empty")}


def test_a_bad_file_of_a_directory_costs_no_other(tmp_path: Path, recorder: FileRecorder, rejected: Rejected) -> None:
    checkpoint = tmp_path / "checkpoint"
    checkpoint.mkdir()
    (checkpoint / "last.pt").symlink_to("deleted.pt")
    os.mkfifo(checkpoint / "pipe")
    for name in ("a.pt", "z.pt"):
        (checkpoint / name).write_bytes(name.encode())
    recorder.log(checkpoint)
    recorder.close()
    files = files_of(recorder.run)
    assert {name: file.left_out for (name, _), file in files.items()} == {
        "checkpoint/a.pt": "", "checkpoint/last.pt": "unreadable", "checkpoint/pipe": "unreadable",
        "checkpoint/z.pt": "",
    }  # fmt: skip
    assert (recorder.run / files["checkpoint/z.pt", None].path).read_bytes() == b"z.pt"
    assert [name for name, _ in rejected] == ["checkpoint/last.pt", "checkpoint/pipe"]


def test_a_file_that_is_deleted_or_replaced_after_the_call_is_kept(tmp_path: Path, recorder: FileRecorder) -> None:
    for number in range(3):
        source = tmp_path / f"{number}.pt"
        source.write_bytes(b"first %d" % number)
        recorder.log(source)
        source.unlink()
        source.write_bytes(b"second")
    recorder.close()
    files = files_of(recorder.run)
    assert [(recorder.run / files[f"{n}.pt", None].path).read_bytes() for n in range(3)] == [
        b"first 0", b"first 1", b"first 2"
    ]  # fmt: skip


OVERWRITTEN = """
import sys
from mindscope.capture.files.recorder import FileRecorder
recorder = FileRecorder(sys.argv[1])
for step in range(12):
    for size, name in ((1 << 20, "small.pt"), (24 << 20, "large.pt")):
        with open(sys.argv[2] + "/" + name, "wb") as file:  # in the same file, as torch.save does
            file.write(bytes([step]) * size)
        recorder.log(sys.argv[2] + "/" + name, step=step)
recorder.close()
"""


def test_a_file_that_is_overwritten_at_each_step_has_the_content_of_its_step_or_is_left_out(tmp_path: Path) -> None:
    command = [sys.executable, "-c", OVERWRITTEN, str(tmp_path / "run"), str(tmp_path)]
    subprocess.run(command, check=True, timeout=120, capture_output=True)
    files = files_of(tmp_path / "run")
    assert len(files) == 24
    for (name, step), file in files.items():
        if file.left_out:
            assert (name, file.left_out) == ("large.pt", "changed")
            assert not (tmp_path / "run" / file.path).exists()
        else:
            assert set((tmp_path / "run" / file.path).read_bytes()) == {step}


def test_links_take_no_bytes_and_are_no_source_of_equal_contents(tmp_path: Path, recorder: FileRecorder) -> None:
    source = tmp_path / "a.pt"
    source.write_bytes(b"1" * 1000)
    recorder.log(source, "linked.pt", is_link=True)
    recorder.log(source, "copied.pt")
    recorder.close()
    files = files_of(recorder.run)
    assert source.samefile(recorder.run / files["linked.pt", None].path)
    assert files["linked.pt", None].is_link
    assert not source.samefile(recorder.run / files["copied.pt", None].path)


@pytest.mark.parametrize(
    "name", ["", "..", "../a", "/etc/x", "a//b", "a/./b", "a/../../b", LIST_NAME, f"{UNFINISHED}/a", "x" * 300]
)
def test_names_that_leave_the_run_are_rejected(
    tmp_path: Path, recorder: FileRecorder, rejected: Rejected, name: str
) -> None:
    (tmp_path / "a.pt").write_bytes(b"1")
    recorder.log(tmp_path / "a.pt", name)
    recorder.close()
    assert len(rejected) == 1
    assert recorded_files(recorder.run) == []
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.pt"]


@pytest.mark.parametrize("path", ["missing.pt", "pipe", "/dev/zero", "empty", 3.5, None, "a\0b", b"\xff\xfe"])
def test_what_is_no_file_is_rejected_at_once(
    tmp_path: Path, recorder: FileRecorder, rejected: Rejected, path: object
) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "empty").mkdir()
    recorder.log(tmp_path / path if isinstance(path, str) and "\0" not in path else path)
    recorder.close()
    assert len(rejected) == 1


def test_odd_names_become_names_that_any_system_shows(tmp_path: Path, recorder: FileRecorder) -> None:
    odd = os.fsdecode(b"a\xff\n<b>.pt")
    (tmp_path / odd).write_bytes(b"1")
    recorder.log(tmp_path / odd, step=-3)
    recorder.close()
    (file,) = recorded_files(recorder.run)
    assert file.name == "a\ufffd_<b>.pt"
    assert file.step == -3
    assert os.read(open_recorded(recorder.run, file), 9) == b"1"


def test_a_full_disk_leaves_the_training_its_room(tmp_path: Path, recorder: FileRecorder, rejected: Rejected) -> None:
    with (tmp_path / "huge.pt").open("wb") as file:
        file.truncate(shutil.disk_usage(tmp_path).free)  # no byte of it is on the disk
    recorder.log(tmp_path / "huge.pt")
    recorder.close()
    assert "too little free space" in rejected[0][1]
    assert [each.left_out for each in recorded_files(recorder.run)] == ["disk_full"]


KILLED = """
import os, sys, signal, threading
from mindscope.capture.files.recorder import FileRecorder
recorder = FileRecorder(sys.argv[1])
recorder.log(sys.argv[2], "small.pt"); recorder.flush()
recorder.log(sys.argv[3], "large.pt")
part = os.path.join(sys.argv[1], "files", ".part")
while not os.listdir(part): pass
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_killed_process_leaves_no_half_file_with_a_name(tmp_path: Path) -> None:
    run = tmp_path / "run"
    (tmp_path / "small").write_bytes(b"1")
    (tmp_path / "large").write_bytes(bytes(200 << 20))
    subprocess.run(
        [sys.executable, "-c", KILLED, str(run), str(tmp_path / "small"), str(tmp_path / "large")], check=False
    )
    assert [file.name for file in recorded_files(run)] == ["small.pt"]
    assert not (run / "files" / "large.pt").exists()
    (left,) = (run / "files" / UNFINISHED).iterdir()
    again = FileRecorder(run)
    os.utime(left)
    again.log(tmp_path / "small", "again.pt")
    again.close()
    assert {file.name for file in recorded_files(run)} == {"small.pt", "again.pt"}


FORKED = """
import os, sys
import mindscope
with mindscope.SummaryRecord(sys.argv[1]) as record:
    record.log_file(sys.argv[2], "parent.pt")
    child = os.fork()
    record.log_file(sys.argv[2], "child.pt" if child == 0 else "parent2.pt")
    if child == 0:
        record.close()
        os._exit(0)
    os.waitpid(child, 0)
"""


def test_a_forked_child_logs_files_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"1")
    command = [sys.executable, "-W", "ignore", "-c", FORKED, str(tmp_path / "run"), str(tmp_path / "a")]
    subprocess.run(command, check=True, timeout=60)
    assert {file.name for file in recorded_files(tmp_path / "run")} == {"parent.pt", "child.pt", "parent2.pt"}


EXIT = """
import sys
import mindscope
record = mindscope.SummaryRecord(sys.argv[1])
record.log_file(sys.argv[2], step=1)
"""


def test_a_process_that_ends_without_close_keeps_its_files(tmp_path: Path) -> None:
    (tmp_path / "a.pt").write_bytes(bytes(50 << 20))
    subprocess.run([sys.executable, "-c", EXIT, str(tmp_path / "run"), str(tmp_path / "a.pt")], check=True, timeout=60)
    (file,) = recorded_files(tmp_path / "run")
    assert file.size == 50 << 20


def test_recorders_log_files_and_reading_lists_them(tmp_path: Path) -> None:
    (tmp_path / "a.ckpt").write_bytes(b"1")
    with mindscope.SummaryRecord(tmp_path / "record") as record:
        record.log_file(tmp_path / "a.ckpt", step=3)
        record.log_file(tmp_path / "missing.ckpt")
        record.add_value("scalar", "loss", 1.0)
        record.record(1)
    record.log_file(tmp_path / "a.ckpt", "late.ckpt")
    with mindscope.SummaryWriter(str(tmp_path / "writer"), system_metrics=False) as writer:
        writer.log_file(tmp_path / "a.ckpt", "b.ckpt")
        writer.add_scalar("loss", 1.0, 1)
    run = mindscope.open_run(tmp_path / "record")
    (file,) = run.files
    assert (file.name, file.step, file.size) == ("a.ckpt", 3, 1)
    assert (run.path / file.path).read_bytes() == b"1"
    assert run.dropped == 1
    assert [file.name for file in mindscope.open_run(tmp_path / "writer").files] == ["b.ckpt"]


def test_a_writer_that_raises_does_not_raise_for_files(tmp_path: Path) -> None:
    (tmp_path / "a.pt").write_bytes(b"1")
    with mindscope.SummaryWriter(str(tmp_path / "run"), system_metrics=False, raise_exception=True) as writer:
        writer.log_file(tmp_path / "missing.pt")
        writer.log_file(tmp_path / "a.pt", "../a.pt")
        (tmp_path / "run" / "files").touch()
        writer.log_file(tmp_path / "a.pt")
        writer.flush()
        (tmp_path / "run" / "files").unlink()
        writer.log_file(tmp_path / "a.pt", step=1)
    assert [file.step for file in recorded_files(tmp_path / "run")] == [1]


def test_what_the_files_are_makes_no_run_of_their_directory(tmp_path: Path) -> None:
    sources = {
        "model.onnx": b"\x08\x07",
        "events.summary.1796000000": b"x",
        "a.pt.trace.json": b"{}",
        "train.log": b"text",
    }
    with mindscope.SummaryRecord(tmp_path / "runs" / "first") as record:
        for name, content in sources.items():
            (tmp_path / name).write_bytes(content)
            record.log_file(tmp_path / name)
            record.log_file(tmp_path / name, step=5)
        record.add_value("scalar", "loss", 1.0)
        record.record(1)
    assert list(mindscope.open_runs(tmp_path / "runs")) == ["first"]
