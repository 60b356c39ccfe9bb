# SPDX-License-Identifier: Apache-2.0
"""Looking into logs and exporting them from the command line."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pyarrow.parquet
import pytest

from mindscope import SummaryRecord
from mindscope.cli.logs import printable
from mindscope.reading.export import EXPORTABLE
from tests.server.live_viewer import DATA, GrowingLog

from .conftest import CommandLine

CUSTOM_LOOP = DATA / "mindspore" / "custom_loop"


def test_inspect_prints_what_a_run_holds(mindscope: CommandLine):
    printed = mindscope("inspect", str(CUSTOM_LOOP)).stdout
    assert printed.startswith("custom_loop  (idle, 39,047 bytes in 1 file)")
    row = next(line for line in printed.splitlines() if "train/loss" in line)
    assert "points repeated first step" in " ".join(printed.split())
    assert row.split() == ["scalar", "train/loss", "47", "1", "2", "48", "1.85812"]
    assert "37 operations, 115 edges" in printed


def test_inspect_json_is_the_report_of_every_run(mindscope: CommandLine):
    reports = json.loads(mindscope("inspect", str(DATA), "--json").stdout)
    assert {report["id"] for report in reports} == {
        path.parent.relative_to(DATA).as_posix() for path in DATA.rglob("events*")
    }
    custom_loop = next(report for report in reports if report["id"] == "mindspore/custom_loop")
    assert {tag["tag"]: tag["points"] for tag in custom_loop["tags"]}["train/loss"] == 47


def test_inspect_names_damage(mindscope: CommandLine, tmp_path: Path):
    log = GrowingLog(tmp_path / "run")
    log.scalar(1, 1.0)
    data = bytearray(log.path.read_bytes())
    data[-1] ^= 1
    log.path.write_bytes(data)
    assert "damaged: record at byte" in mindscope("inspect", "run").stdout


def test_inspect_names_what_cannot_be_read_beside_its_report(mindscope: CommandLine, tmp_path: Path):
    log = GrowingLog(tmp_path / "run")
    log.scalar(1, 1.0)
    log.path.with_name("events.out.tfevents.1").symlink_to("events.out.tfevents.1")
    printed = mindscope("inspect", ".", "--json")
    assert [report["id"] for report in json.loads(printed.stdout)] == ["run"]
    assert "run/events.out.tfevents.1: Its symbolic links form a loop. Delete the link" in printed.stderr


def test_a_tag_can_not_steer_the_terminal(mindscope: CommandLine, tmp_path: Path):
    GrowingLog(tmp_path / "run").scalar(1, 1.0, tag="\x1b[31mred\x07 [bold]not bold[/bold]")
    printed = mindscope("inspect", "run").stdout
    assert r"\x1b[31mred\x07 [bold]not bold[/bold]" in printed
    assert "\x1b" not in printed


def test_printable_keeps_what_people_write():
    assert printable("损失 ü/é_1") == "损失 ü/é_1"
    assert printable("a\nb\u202e\u2028") == r"a\nb\u202e\u2028"


@pytest.mark.parametrize("command", [["inspect", "{path}"], ["export", "{path}", "--out", "out"]])
@pytest.mark.parametrize(
    ("path", "reason"), [("nowhere", "does not exist"), ("empty", "no event file, profile, dump or log")]
)
def test_a_path_without_runs_is_named(mindscope: CommandLine, command: list[str], path: str, reason: str):
    (mindscope.room / "empty").mkdir()
    refused = mindscope(*(word.format(path=path) for word in command), want=1).stderr
    assert path in refused
    assert reason in refused
    assert not (mindscope.room / "out").exists()


def test_a_run_of_logs_is_inspected_and_watched(mindscope: CommandLine):
    log = mindscope.room / "jobs" / "1" / "slurm-1.out"
    log.parent.mkdir(parents=True)
    log.write_text("epoch 1 loss 0.5\n")
    assert "\n  log file: slurm-1.out\n" in mindscope("inspect", "jobs").stdout
    assert mindscope("watch", "jobs", "--once").stdout == ""
    with SummaryRecord(mindscope.room / "jobs" / "2") as record:
        record.add_value("scalar", "loss", 1.0)
        record.record(1)
    assert mindscope("watch", "jobs").stdout == ""  # ends with the only run that has event files


def test_export_writes_a_run_into_the_directory_itself(mindscope: CommandLine):
    mindscope("export", str(CUSTOM_LOOP), "--out", "out")
    out = mindscope.room / "out"
    with (out / "scalars.csv").open(newline="") as file:
        assert sum(row["tag"] == "train/loss" for row in csv.DictReader(file)) == 47
    assert {path.name for path in out.iterdir()} == {"scalars.csv", "images", "tensors", "histograms"}


def test_export_writes_only_what_was_asked_for(mindscope: CommandLine):
    mindscope(
        "export", str(CUSTOM_LOOP), "--out", "out", "--kinds", "scalar", "--format", "parquet", "--tags", "train/*"
    )
    out = mindscope.room / "out"
    assert [path.name for path in out.iterdir()] == ["scalars.parquet"]
    assert set(pyarrow.parquet.read_table(out / "scalars.parquet")["tag"].to_pylist()) == {"train/loss", "train/epoch"}


def test_scalars_of_several_runs_are_exported_as_one_dataset(mindscope: CommandLine):
    arguments = ("export", str(DATA / "mindspore"), "--out", "out", "--kinds", "scalar", "--format", "parquet")
    assert "0 are up to date" in mindscope(*arguments).stdout
    assert "wrote 0 files" in mindscope(*arguments).stdout
    paths = list((mindscope.room / "out").rglob("*.parquet"))
    runs = {run for path in paths for run in pyarrow.parquet.read_table(path)["run"].to_pylist()}
    assert "custom_loop" in runs
    assert "holds no scalar of these tags" in mindscope(*arguments, "--tags", "none", want=1).stderr
    assert all(path.exists() for path in paths)


def test_videos_are_inspected_and_exported_as_gif(mindscope: CommandLine):
    with SummaryRecord(str(mindscope.room / "run"), raise_exception=True) as record:
        for step in (1, 2):
            record.add_value("video", "walk/side", np.full((3, 4, 6), step, np.uint8))
            record.record(step)
    inspected = mindscope("inspect", "run").stdout
    row = next(line for line in inspected.splitlines() if "walk/side" in line)
    assert row.split() == ["video", "walk/side", "2", "1", "2"]
    mindscope("export", "run", "--out", "out", "--kinds", "video")
    folder = mindscope.room / "out" / "videos" / "walk%2Fside"
    assert {path.name: path.read_bytes()[:6] for path in folder.iterdir()} == {"1.gif": b"GIF89a", "2.gif": b"GIF89a"}


def test_the_help_names_every_kind_that_can_be_exported(mindscope: CommandLine):
    printed = " ".join(mindscope("export", "--help").stdout.replace("│", " ").split())
    assert f"out of {', '.join(EXPORTABLE)}." in printed


def test_export_makes_a_directory_for_each_of_several_runs(mindscope: CommandLine):
    printed = mindscope("export", str(DATA / "mindspore"), "--out", "out", "--kinds", "scalar").stdout
    tables = list((mindscope.room / "out").glob("*/scalars.csv"))
    assert len(tables) == 17
    assert printed == "wrote 17 files below out\n"


def test_export_replaces_files_only_when_told_to(mindscope: CommandLine):
    arguments = ("export", str(CUSTOM_LOOP), "--out", "out", "--kinds", "scalar")
    mindscope(*arguments)
    assert "scalars.csv" in mindscope(*arguments, want=1).stderr
    mindscope(*arguments, "--overwrite")


@pytest.mark.parametrize("command", [("inspect",), ("export", "--out", "out"), ("watch", "--once")])
def test_links_out_of_the_directory_are_opened_when_asked(mindscope: CommandLine, command: tuple[str, ...]):
    farm = mindscope.room / "farm"
    farm.mkdir()
    (farm / "run").symlink_to(CUSTOM_LOOP)
    name, *arguments = command
    mindscope(name, str(farm), *arguments, want=1)
    mindscope(name, str(farm), *arguments, "--follow-links")


def test_export_says_what_matches_nothing(mindscope: CommandLine):
    arguments = ("export", str(CUSTOM_LOOP), "--out", "out")
    said = mindscope(*arguments, "--tags", "train/*", "--tags", "nope", want=1).stderr
    assert said.startswith("mindscope: no tag matches 'nope'; the tags are ")
    assert "loss" in said
    said = mindscope(*arguments, "--kinds", "video", want=1).stderr
    assert said == f"mindscope: {CUSTOM_LOOP} holds no video; out is not written\n"
    assert not (mindscope.room / "out").exists()


@pytest.mark.parametrize("flags", [("--kinds", "nix"), ("--kinds", "graph"), ("--format", "xml")])
def test_export_names_what_can_be_exported(mindscope: CommandLine, flags: tuple[str, str]):
    refused = mindscope("export", str(CUSTOM_LOOP), "--out", "out", *flags, want=2).stderr
    assert flags[1] in refused
    assert "want" in refused


def test_repair_copies_what_is_intact(mindscope: CommandLine, tmp_path: Path):
    log = GrowingLog(tmp_path / "run")
    for step in range(3):
        log.scalar(step, 1.0)
    data = log.path.read_bytes()
    log.path.write_bytes(data[:-5])
    printed = mindscope("repair", "run", "--out", "whole").stdout.splitlines()
    assert printed[0].startswith(f"whole/{log.path.name}: 3 intact records, without ")
    assert printed[1] == "repaired 1 of 1 copied files below whole"
    assert mindscope("repair", "whole", "--out", "again").stdout == "no damage\n"
    assert "exist already" in mindscope("repair", "run", "--out", "whole", want=1).stderr
