# SPDX-License-Identifier: Apache-2.0
"""A packed archive opens as the directories it was made of; a hostile one says what is wrong with it."""

from __future__ import annotations

import io
import json
import os
import shutil
import stat
import struct
import subprocess
import sys
import time
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import mindscope
from mindscope.archive.index import read_index
from mindscope.archive.mounts import KIND
from mindscope.archive.range_file import RangeFile
from mindscope.cli.app import app
from mindscope.errors import ArchiveError, RunNotFoundError
from mindscope.kept_directories import cache_directory
from mindscope.reading import Run, export_tensorboard, open_run, open_runs, pack_runs, repair_runs
from mindscope.types import Kind
from tests.event_log import DATA, MINDSPORE_NAME, append, event, scalars, steps, version

NAME = MINDSPORE_NAME.format(1)


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return cache_directory(KIND)


def log(directory: Path, *records: bytes, name: str = NAME) -> Path:
    directory.mkdir(parents=True, exist_ok=True)
    append(directory / name, b"".join(records))
    return directory / name


def everything(run: Run) -> dict[Any, Any]:
    """All values of a run, and what it says of itself."""
    values: dict[Any, Any] = {
        (kind, tag): [(row.step, row.wall_time, repr(row.value)) for row in run.values(kind, tag, overwritten=True)]
        for kind in run.kinds
        if kind is not Kind.SCALAR
        for tag in run.tags(kind)
    }
    for tag in run.tags(Kind.SCALAR):
        columns = run.scalars(tag, overwritten=True)
        values[tag] = [column.tobytes() for column in (columns.step, columns.wall_time, columns.value)]
    return values | {"lineage": run.lineage, "hparams": run.hparams, "graphs": [*run.graphs()], "damages": run.damages}


# ---- opening ---------------------------------------------------------------------------------------------------------


def test_an_archive_has_the_runs_and_values_of_its_directories(tmp_path: Path) -> None:
    directories = [DATA / "tensorboard", DATA / "mindspore" / "custom_loop", DATA / "mindspore" / "landscape"]
    report = pack_runs(directories, tmp_path / "x.mscope")
    want = {id: run for id, run in open_runs(DATA).items() if not id.startswith(("mindspore/lineage", "mindspore/o"))}
    want.pop("mindspore/collector_specified")
    got = open_runs(tmp_path / "x.mscope")
    assert report.problems == ()
    assert set(report.runs) == set(got) == set(want)
    for id, run in want.items():
        assert everything(got[id]) == everything(run)
        assert [facts.size_bytes for facts in got[id].store.files] == [facts.size_bytes for facts in run.store.files]
        assert got[id].store.state(time.time()) == run.store.state(time.time())


def test_event_files_are_read_where_they_are(tmp_path: Path, cache: Path) -> None:
    log(tmp_path / "runs" / "a", version(), *(event(n, {"tag": "t", "scalar_value": 1.0}) for n in range(5_000)))
    (tmp_path / "runs" / "a" / "config.yaml").write_text("lr: 0.25\n")
    pack_runs([tmp_path / "runs"], tmp_path / "x.mscope")
    runs = open_runs(tmp_path / "x.mscope")
    assert len(runs["a"].scalars("t")) == 5_000
    (mirrored,) = cache.rglob(NAME)
    assert mirrored.stat().st_blocks * 512 < mirrored.stat().st_size / 4
    (copied,) = cache.rglob("config.yaml")
    assert copied.read_text() == "lr: 0.25\n"
    assert runs.lineage().to_table().to_pandas()["lr"].tolist() == [0.25]


def test_large_files_are_read_by_several_threads(tmp_path: Path) -> None:
    text = "x" * (1 << 20)
    records = (event(n, {"tag": "t", "text": text}, {"tag": "s", "scalar_value": float(n)}) for n in range(80))
    log(tmp_path / "a", version(), *records)
    log(tmp_path / "b", version(), steps(range(10)))
    pack_runs([tmp_path / "b", tmp_path / "a"], tmp_path / "x.mscope")
    run = open_runs(tmp_path / "x.mscope")["a"]
    assert run.scalars("s").value.tolist() == list(range(80))
    assert [len(value.value[0]) for value in run.texts("t")] == [1 << 20] * 80
    assert run.damages == ()


def test_tensors_are_sliced_in_place(tmp_path: Path) -> None:
    pack_runs([DATA / "mindspore" / "ops"], tmp_path / "x.mscope")
    got, want = open_runs(tmp_path / "x.mscope")["ops"], open_run(DATA / "mindspore" / "ops")
    np.testing.assert_array_equal(
        np.asarray(got.tensor("logits")[3:5, ::2]), np.asarray(want.tensor("logits")[3:5, ::2])
    )


def test_commands_take_an_archive(tmp_path: Path) -> None:
    whole = log(tmp_path / "runs" / "a", version(), steps(range(10)))
    whole.write_bytes(whole.read_bytes()[:-3])
    runner = CliRunner()
    archive, given = str(tmp_path / "x.mscope"), ["pack", str(tmp_path / "runs"), "--out", str(tmp_path / "x.mscope")]
    printed = runner.invoke(app, given)
    assert printed.exit_code == 0, printed.output
    assert "packed 1 run of 1 files" in printed.output
    assert runner.invoke(app, given).exit_code != 0
    assert runner.invoke(app, [*given, "--force"]).exit_code == 0
    (report,) = json.loads(runner.invoke(app, ["inspect", archive, "--json"]).stdout)
    assert report["name"] == "a"
    assert report["tags"][0]["points"] == 9
    assert runner.invoke(app, ["export", archive, "--out", str(tmp_path / "csv")]).exit_code == 0
    assert len((tmp_path / "csv" / "a" / "scalars.csv").read_text().splitlines()) == 10
    export_tensorboard(open_runs(archive), tmp_path / "tb")
    assert len(open_runs(tmp_path / "tb")["a"].scalars("loss")) == 9
    repaired = repair_runs(archive, tmp_path / "whole")
    assert [file.records for file in repaired.files] == [10]
    assert open_runs(tmp_path / "whole")["a"].damages == ()


def test_commands_of_one_run_take_a_run_of_an_archive(tmp_path: Path) -> None:
    pack_runs([DATA / "mindspore" / "ops"], tmp_path / "one.mscope")
    pack_runs([DATA / "mindspore" / "ops", DATA / "mindspore" / "custom_loop"], tmp_path / "two.mscope")
    want = everything(open_run(DATA / "mindspore" / "ops"))
    runner = CliRunner()
    for run in ("one.mscope", "two.mscope/ops"):
        path = str(tmp_path / run)
        assert everything(open_run(path)).keys() == want.keys()
        for command, code in (["graph", path], 0), (["diff", path, path], 0), (["watch", path], 0):
            done = runner.invoke(app, command)
            assert done.exit_code == code, (command, done.output)
        assert "102 operations" in runner.invoke(app, ["graph", path]).output
        for command in ("debug", "profile"):  # which it does not have
            assert "ops" in str(runner.invoke(app, [command, path]).exception)
    with pytest.raises(RunNotFoundError, match=r"two\.mscope holds no event file itself, but 2 runs below it"):
        open_run(tmp_path / "two.mscope")
    with pytest.raises(ArchiveError, match=r"two\.mscope has no directory 'nope': mindscope inspect"):
        open_run(tmp_path / "two.mscope" / "nope")


def test_an_archive_is_packed_again(tmp_path: Path) -> None:
    log(tmp_path / "runs" / "a", version(), steps(range(10)))
    log(tmp_path / "runs" / "b", version(), steps(range(10)))
    pack_runs([tmp_path / "runs"], tmp_path / "x.mscope")
    pack_runs([tmp_path / "x.mscope"], tmp_path / "y.mscope")
    again = open_runs(tmp_path / "y.mscope")
    assert set(again) == {"a", "b"}
    assert again["a"].scalars("loss").step.tolist() == list(range(10))


def test_other_files_with_names_of_event_files_are_copied(tmp_path: Path, cache: Path) -> None:
    log(tmp_path / "runs" / "a", version(), steps(range(3)))
    log(tmp_path / "runs" / "a", b"step,time\n1,2\n", name="step_summary.1.csv")
    pack_runs([tmp_path / "runs"], tmp_path / "x.mscope")
    open_runs(tmp_path / "x.mscope")
    (copied,) = cache.rglob("step_summary.1.csv")
    assert copied.read_bytes() == b"step,time\n1,2\n"


def test_a_cache_that_cant_be_written_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log(tmp_path / "runs" / "a", version(), steps(range(3)))
    pack_runs([tmp_path / "runs"], tmp_path / "x.mscope")
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    with pytest.raises(ArchiveError, match="set XDG_CACHE_HOME"):
        open_runs(tmp_path / "x.mscope")


def test_an_archive_that_is_replaced_is_reported(tmp_path: Path) -> None:
    log(tmp_path / "runs" / "a", version(), *(event(n, {"tag": "t", "text": "old"}) for n in range(3)))
    pack_runs([tmp_path / "runs"], tmp_path / "x.mscope")
    run = open_runs(tmp_path / "x.mscope")["a"]
    log(tmp_path / "runs" / "a", event(3, {"tag": "t", "text": "new"}))
    pack_runs([tmp_path / "runs"], tmp_path / "x.mscope", force=True)
    with pytest.raises(Exception, match="replaced"):
        _ = run.texts("t")[0].value
    assert len(open_runs(tmp_path / "x.mscope")["a"].texts("t")) == 4


def test_directories_of_archives_are_deleted_after_a_month(tmp_path: Path, cache: Path) -> None:
    log(tmp_path / "runs" / "a", version(), steps(range(3)))
    pack_runs([tmp_path / "runs"], tmp_path / "x.mscope")
    for name, days in (("old", 31), ("young", 1)):
        (cache / name).mkdir(parents=True)
        (cache / f"{name}.lock").touch()
        used_at = time.time() - days * 86400
        os.utime(cache / f"{name}.lock", (used_at, used_at))
    open_runs(tmp_path / "x.mscope")
    left = {path.name for path in cache.iterdir() if path.is_dir()}
    assert "old" not in left
    assert "young" in left
    shutil.rmtree(next(path for path in cache.iterdir() if path.name.startswith("x-") and path.is_dir()))
    assert len(open_runs(tmp_path / "x.mscope")["a"].scalars("loss")) == 3


def test_a_range_ends_where_it_ends(tmp_path: Path) -> None:
    start = 5 << 30
    with (tmp_path / "large").open("wb") as file:
        file.seek(start - 1)
        file.write(b"<0123456789>")
    with RangeFile(tmp_path / "large", start, 10) as got:
        assert (got.read(4), got.tell(), got.read(), got.read(1)) == (b"0123", 4, b"456789", b"")
        assert got.seek(-3, os.SEEK_END) == 7
        buffer = bytearray(5)
        assert got.readinto(buffer) == 3
        assert bytes(buffer) == b"789\0\0"
        assert got.seek(20) == 20
        assert got.read() == b""
        with io.BufferedReader(got.again()) as again:
            assert again.read(100) == b"0123456789"
        with pytest.raises(ValueError, match="before"):
            got.seek(-1)


# ---- packing ---------------------------------------------------------------------------------------------------------


def test_ids_count_from_what_the_paths_share(tmp_path: Path) -> None:
    for name in ("runs/a", "runs/deep/b", "other/a"):
        log(tmp_path / name, version(), steps(range(3)))

    def ids(*paths: str) -> set[str]:
        pack_runs([tmp_path / path for path in paths], tmp_path / "x.mscope", force=True)
        return set(open_runs(tmp_path / "x.mscope"))

    assert ids("runs") == {"a", "deep/b"}
    assert ids("runs/a") == {"a"}
    assert ids("runs/a", "runs/deep/b") == {"a", "deep/b"}
    assert ids("runs/a", "runs/a") == {"a"}
    assert ids("runs/a", "other/a") == {"runs/a", "other/a"}
    assert ids("runs", "other") == {"runs/a", "runs/deep/b", "other/a"}


def test_only_what_mindscope_shows_is_packed(tmp_path: Path) -> None:
    log(tmp_path / "runs" / "a", version(), steps(range(3)))
    for name in ("model.ckpt", "train.log", "data.bin", "config.yaml"):
        (tmp_path / "runs" / "a" / name).write_text("lr: 1\n")
    (tmp_path / "runs" / "a" / f"{NAME}2").symlink_to("/etc/passwd")
    report = pack_runs([tmp_path / "runs"], tmp_path / "x.mscope")
    with zipfile.ZipFile(tmp_path / "x.mscope") as archive:
        assert set(archive.namelist()) == {"mscope.json", f"a/{NAME}", "a/train.log", "a/config.yaml"}
        assert archive.testzip() is None
    assert len(report.problems) == 1


def test_kept_files_are_packed_and_checkpoints_when_wanted(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text("lr = 1\n")
    (tmp_path / "model.pt").write_bytes(bytes(1000))
    with mindscope.SummaryRecord(tmp_path / "runs" / "a") as record:
        record.log_file(tmp_path / "train.py")
        record.log_file(tmp_path / "model.pt", step=3)
        record.add_value("scalar", "loss", 1.0)
        record.record(3)
    for wanted, left_out in ((False, "missing"), (True, "")):
        archive = tmp_path / f"{wanted}.mscope"
        assert pack_runs([tmp_path / "runs"], archive, checkpoints=wanted).problems == ()
        files = {file.name: file for file in open_run(archive).files}
        assert (files["train.py"].left_out, files["model.pt"].left_out) == ("", left_out)
        assert (open_run(archive).path / files["train.py"].path).read_text() == "lr = 1\n"
        again = tmp_path / f"{wanted}-again.mscope"
        pack_runs([archive], again, checkpoints=wanted)
        assert open_run(again).files == open_run(archive).files


def test_a_log_that_grows_is_packed_up_to_its_size(tmp_path: Path) -> None:
    path = log(tmp_path / "runs" / "a", version(), steps(range(5)), scalars(5, {"loss": 9.0})[:-2])
    pack_runs([tmp_path / "runs"], tmp_path / "x.mscope")
    append(path, scalars(5, {"loss": 9.0})[-2:])
    run = open_runs(tmp_path / "x.mscope")["a"]
    assert run.scalars("loss").step.tolist() == [0, 1, 2, 3, 4]
    assert run.damages == ()


def test_what_cant_be_packed_is_refused(tmp_path: Path) -> None:
    log(tmp_path / "runs" / "a", version(), steps(range(3)))
    with pytest.raises(ArchiveError, match=r"does not end in \.mscope"):
        pack_runs([tmp_path / "runs"], tmp_path / "x.zip")
    with pytest.raises(RunNotFoundError):
        pack_runs([tmp_path / "nothing"], tmp_path / "x.mscope")
    (tmp_path / "empty").mkdir()
    with pytest.raises(RunNotFoundError, match="holds no run"):
        pack_runs([tmp_path / "runs", tmp_path / "empty"], tmp_path / "x.mscope")
    (tmp_path / "x.mscope").symlink_to(tmp_path / "missing")
    with pytest.raises(ArchiveError, match="exists already"):
        pack_runs([tmp_path / "runs"], tmp_path / "x.mscope")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["empty", "runs", "x.mscope"]


def test_a_killed_pack_leaves_no_half_archive(tmp_path: Path) -> None:
    path = log(tmp_path / "runs" / "a", version(), steps(range(3)))
    os.truncate(path, 100 << 20)
    code = f"import mindscope.reading as r; r.pack_runs([{str(tmp_path / 'runs')!r}], {str(tmp_path / 'x.mscope')!r})"
    with subprocess.Popen([sys.executable, "-c", code]) as process:
        while not list(tmp_path.glob(".x.mscope-*.part")) and process.poll() is None:
            time.sleep(0.001)
        process.kill()
    if (tmp_path / "x.mscope").exists():  # it was faster
        assert set(open_runs(tmp_path / "x.mscope")) == {"a"}
    else:
        assert pack_runs([tmp_path / "runs"], tmp_path / "x.mscope").runs == ("a",)


# ---- hostile archives ------------------------------------------------------------------------------------------------


def made(path: Path, *entries: tuple[zipfile.ZipInfo | str, bytes], compression: int = zipfile.ZIP_STORED) -> Path:
    with zipfile.ZipFile(path, "w", compression) as archive:
        for name, data in entries:
            archive.writestr(name, data)
    return path


def refused(path: Path, why: str) -> None:
    with pytest.raises(ArchiveError, match=why):
        open_runs(path)
    result = CliRunner().invoke(app, ["inspect", str(path)])
    assert result.exit_code != 0
    assert isinstance(result.exception, ArchiveError | SystemExit)


LOG = version() + steps(range(3))


@pytest.mark.parametrize("name", ["../out", "/abs", "a/../../b", "a//b", "./a", "..", "a\\..\\b", "x" * 256])
@pytest.mark.filterwarnings("ignore")
def test_names_that_lead_elsewhere_are_refused(tmp_path: Path, name: str) -> None:
    refused(made(tmp_path / "x.mscope", (f"a/{NAME}", LOG), (name, LOG)), "leads elsewhere")
    assert {path.name for path in tmp_path.iterdir()} <= {"x.mscope", "cache"}


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_other_entries_are_refused(tmp_path: Path) -> None:
    link = zipfile.ZipInfo("a/link")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    refused(made(tmp_path / "1.mscope", (link, b"/etc/passwd")), "link")
    refused(made(tmp_path / "2.mscope", ("a", LOG), ("a", LOG)), "is there twice")
    refused(made(tmp_path / "3.mscope", ("a", LOG), ("a/b", LOG)), "a file and a directory")
    bomb = made(tmp_path / "4.mscope", (f"a/{NAME}", bytes(50 << 20)), compression=zipfile.ZIP_DEFLATED)
    refused(bomb, "is compressed")
    encrypted = made(tmp_path / "5.mscope", (f"a/{NAME}", LOG))
    data = bytearray(encrypted.read_bytes())
    data[data.index(b"PK\x01\x02") + 8] |= 1
    encrypted.write_bytes(data)
    refused(encrypted, "is encrypted")


def test_entries_that_share_bytes_are_refused(tmp_path: Path) -> None:
    path = made(tmp_path / "x.mscope", (f"a/{NAME}", LOG), (f"b/{NAME}", LOG))
    data = bytearray(path.read_bytes())
    second = data.rindex(b"PK\x01\x02")
    data[second + 42 : second + 46] = struct.pack("<I", 0)  # where its bytes begin
    path.write_bytes(data)
    refused(path, "shares bytes")


def test_cut_and_foreign_files_are_refused(tmp_path: Path) -> None:
    whole = made(tmp_path / "whole.mscope", (f"a/{NAME}", LOG), ("a/config.yaml", b"lr: 1")).read_bytes()
    for size in (0, 1, 21, 22, len(whole) // 2, len(whole) - 1):
        (tmp_path / "cut.mscope").write_bytes(whole[:size])
        refused(tmp_path / "cut.mscope", "cut|damaged")
    (tmp_path / "text.mscope").write_text("not an archive at all, but a text")
    refused(tmp_path / "text.mscope", "no archive")
    (tmp_path / "other.mscope").write_bytes(whole.replace(b"lr: 1", b"lr: 2"))
    refused(tmp_path / "other.mscope", "other bytes")
    assert not list((tmp_path / "cache").rglob(".part-*"))


def test_a_huge_index_is_refused_before_it_is_read(tmp_path: Path) -> None:
    path = made(tmp_path / "x.mscope", (f"a/{NAME}", LOG))
    data = path.read_bytes()
    end = data.rindex(b"PK\x05\x06")
    wide = struct.pack("<4sQHHIIQQQQ", b"PK\x06\x06", 44, 45, 45, 0, 0, 1 << 40, 1 << 40, 1 << 46, 0)
    locator = struct.pack("<4sIQI", b"PK\x06\x07", 0, end, 1)
    tail = struct.pack("<4sHHHHIIH", b"PK\x05\x06", 0, 0, 0xFFFF, 0xFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0)
    path.write_bytes(data[:end] + wide + locator + tail)
    refused(path, "pack its runs into several")
    path.write_bytes(data[:end] + tail)
    refused(path, "index of a large archive is missing")


def test_an_archive_of_many_files_has_a_wide_index(tmp_path: Path) -> None:
    entries = [(f"a/profile/{number}", b"") for number in range(66_000)]
    assert len(read_index(made(tmp_path / "x.mscope", *entries))) == 66_000
