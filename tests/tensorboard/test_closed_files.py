# SPDX-License-Identifier: Apache-2.0
"""A file of TensorBoard's format says that its writer closed it."""

import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import mindscope
from mindscope import SummaryRecord, SummaryWriter
from mindscope.formats import wire
from mindscope.formats.frames import FrameReader
from mindscope.formats.tensorboard_schemas import EVENT


def state(run: Path) -> str:
    return mindscope.open_run(run).store.state(time.time())


def last_event(path: Path) -> dict[str, object]:
    *_, (_, payload) = FrameReader(str(path)).records(path.read_bytes())
    return wire.decode(EVENT, payload)


def in_a_process(code: str, directory: Path) -> int:
    return subprocess.run([sys.executable, "-c", code, str(directory)], check=False, timeout=300).returncode


def test_runs_that_were_closed_are_finished(tmp_path: Path) -> None:
    with SummaryWriter(tmp_path / "writer") as writer:
        writer.add_scalar("loss", 1.0, 1)
        writer.add_scalars("both", {"train": 1.0, "val": 2.0}, 1)
    with mindscope.init(name="tracked", dir=tmp_path) as run:
        run.log({"loss": 1.0})
    with SummaryRecord(tmp_path / "record") as record:
        record.add_value("scalar", "loss", 1.0)
        record.add_value("text", "note", "a text goes into a second file")
        record.record(1)
    for directory in ("writer", "writer/both_train", "writer/both_val", "tracked", "record"):
        assert state(tmp_path / directory) == "finished", directory
    assert mindscope.open_run(tmp_path / "writer").tags() == ("loss",)  # a mark, no value


def test_an_end_without_close_finishes_too(tmp_path: Path) -> None:
    code = "import sys, mindscope\nmindscope.SummaryWriter(sys.argv[1]).add_scalar('loss', 1.0, 1)"
    assert in_a_process(code, tmp_path) == 0
    assert state(tmp_path) == "finished"


def test_a_killed_or_resumed_run_is_not_finished(tmp_path: Path) -> None:
    code = """
import os, signal, sys, mindscope
writer = mindscope.SummaryWriter(sys.argv[1])
writer.add_scalar("loss", 1.0, 1)
writer.flush()
os.kill(os.getpid(), signal.SIGKILL)
"""
    assert in_a_process(code, tmp_path) == -signal.SIGKILL
    assert state(tmp_path) == "live"  # it was written within the last minute
    with SummaryWriter(tmp_path) as writer:
        writer.add_scalar("loss", 2.0, 2)
    assert state(tmp_path) == "finished"
    again = SummaryWriter(tmp_path)
    again.add_scalar("loss", 3.0, 3)
    again.flush()
    assert state(tmp_path) == "live"
    again.close()
    assert state(tmp_path) == "finished"
    again.add_scalar("loss", 4.0, 4)  # a new file
    again.flush()
    assert state(tmp_path) == "live"
    again.close()
    assert mindscope.open_run(tmp_path).scalars("loss").value.tolist() == [1, 2, 3, 4]


def test_a_copy_stays_finished_and_one_that_grew_is_not(tmp_path: Path) -> None:
    with SummaryWriter(tmp_path / "a") as writer:
        writer.add_scalar("loss", 1.0, 1)
    shutil.copytree(tmp_path / "a", tmp_path / "b")
    (path,) = (tmp_path / "b").iterdir()
    path.chmod(0o600)
    assert state(tmp_path / "b") == "finished"
    with path.open("ab") as file:
        file.write(b"\x07")
    run = mindscope.open_run(tmp_path / "b")
    assert run.store.state(time.time()) == "live"
    assert run.damages == ()
    assert run.scalars("loss").value.tolist() == [1]


def test_many_directories_end_with_a_stop(tmp_path: Path) -> None:
    with SummaryWriter(tmp_path) as writer:
        for step in range(2):
            writer.add_scalars("of", {f"number_{each}": 1.0 for each in range(80)}, step)
    directories = [path for path in tmp_path.iterdir() if path.is_dir()]
    assert len(directories) == 80
    for directory in directories:
        (path,) = directory.iterdir()
        assert last_event(path)["session_log"] == {"status": 2}


def test_a_file_that_is_gone_or_full_closes_without_an_error(tmp_path: Path) -> None:
    writer = SummaryWriter(tmp_path / "gone")
    writer.add_scalar("loss", 1.0, 1)
    writer.flush()
    shutil.rmtree(tmp_path / "gone")
    writer.close()
    assert not (tmp_path / "gone").exists()
    code = """
import os, resource, signal, sys, mindscope
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
writer = mindscope.SummaryWriter(sys.argv[1], system_metrics=False)
writer.add_scalar("loss", 1.0, 1)
writer.flush()
size = os.path.getsize(next(os.scandir(sys.argv[1])).path)
resource.setrlimit(resource.RLIMIT_FSIZE, (size + 5, size + 5))
writer.close()
"""
    assert in_a_process(code, tmp_path / "full") == 0
    run = mindscope.open_run(tmp_path / "full")
    assert run.scalars("loss").value.tolist() == [1]
    assert run.damages == ()
    assert run.store.state(time.time()) == "live"
    assert next((tmp_path / "full").iterdir()).stat().st_size == run.store.files[0].read_bytes
