# SPDX-License-Identifier: Apache-2.0
"""The log as the environment sets it up: where lines go, and from which level on."""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

import mindscope
from mindscope.debug.logs.line_heads import Severity, parse_head
from mindscope.errors import SettingsError
from mindscope.log_settings import configure_log, submodule_levels


@pytest.fixture
def logger() -> Iterator[logging.Logger]:
    made = logging.Logger("apart")
    yield made
    for handler in made.handlers:
        handler.close()


def say(logger: logging.Logger) -> None:
    for level in (logging.DEBUG, logging.INFO, logging.WARNING, logging.ERROR):
        logger.log(level, "this is %s", logging.getLevelName(level))


def test_level_decides_what_the_screen_shows(logger: logging.Logger, capsys: pytest.CaptureFixture[str]) -> None:
    configure_log({"GLOG_v": "1"}, logger)
    assert not logger.propagate  # else a program's own handlers would show each line again
    say(logger)
    lines = capsys.readouterr().err.splitlines()
    assert [line.split("]")[0] for line in lines] == ["[INFO", "[WARNING", "[ERROR"]


def test_files_stand_in_a_directory_of_the_rank(
    tmp_path: Path, logger: logging.Logger, capsys: pytest.CaptureFixture[str]
) -> None:
    variables = {"GLOG_v": "0", "GLOG_logtostderr": "0", "GLOG_log_dir": str(tmp_path), "GLOG_stderrthreshold": "3"}
    configure_log({**variables, "RANK_ID": "2"}, logger)
    say(logger)
    file = tmp_path / "rank_2" / "logs" / f"mindscope.log.{os.getpid()}"
    assert len(file.read_text("utf-8").splitlines()) == 4
    assert [line.split("]")[0] for line in capsys.readouterr().err.splitlines()] == ["[ERROR"]


def test_full_file_is_followed_by_a_next_one(tmp_path: Path, logger: logging.Logger) -> None:
    variables = {"GLOG_logtostderr": "0", "GLOG_log_dir": str(tmp_path), "GLOG_stderrthreshold": "4"}
    configure_log({**variables, "logger_maxBytes": "1000", "logger_backupCount": "2"}, logger)
    for number in range(60):
        logger.warning("line %d", number)
    files = sorted((tmp_path / "rank_0" / "logs").iterdir())
    assert [file.suffix for file in files] == [f".{os.getpid()}", ".1", ".2"]
    assert all(file.stat().st_size <= 1000 for file in files)


def test_size_in_megabytes_and_permissions(tmp_path: Path, logger: logging.Logger) -> None:
    variables = {"GLOG_logtostderr": "0", "GLOG_log_dir": str(tmp_path), "GLOG_max_log_size": "1", "GLOG_log_max": "7"}
    configure_log({**variables, "GLOG_logfile_mode": "0600", "OMPI_COMM_WORLD_RANK": "3"}, logger)
    (file,) = (tmp_path / "rank_3" / "logs").iterdir()
    assert file.stat().st_mode & 0o777 == 0o600
    assert [getattr(each, "maxBytes", None) for each in logger.handlers] == [1 << 20, None]


def test_parts_have_levels_of_their_own(logger: logging.Logger, capsys: pytest.CaptureFixture[str]) -> None:
    configure_log({"GLOG_v": "2", "MS_SUBMODULE_LOG_v": "{TORCH:0, SERVER:4,NOTHING:1,DEBUG:9}"}, logger)
    root = Path(mindscope.__file__).parent
    for part in ("torch/dump/dump.py", "server/app.py", "capture/record.py"):
        for level in (logging.DEBUG, logging.ERROR):
            logger.handle(logger.makeRecord("x", level, str(root / part), 1, part, (), None))
    err = capsys.readouterr().err
    assert [line.rsplit(" ", 1)[1] for line in err.splitlines() if ".py:1]" in line] == [
        "torch/dump/dump.py", "torch/dump/dump.py", "capture/record.py",
    ]  # fmt: skip


def test_levels_of_parts_that_are_wrong_are_named() -> None:
    assert submodule_levels("TORCH:0")[0] == {}
    assert "{NAME:LEVEL,...}" in submodule_levels("TORCH:0")[1][0]
    levels, problems = submodule_levels("{TORCH:0,NOTHING:1,DEBUG:9,PARSER:1,GE_ADPT:2}")
    assert levels == {"torch": logging.DEBUG}
    assert [text.split("'")[1] for text in problems] == ["NOTHING:1", "DEBUG:9"]


@pytest.mark.parametrize(("variables", "names"), [
    ({"GLOG_v": "9", "GLOG_logtostderr": "yes"}, ["GLOG_v", "GLOG_logtostderr"]),
    ({"GLOG_logtostderr": "0", "GLOG_log_dir": "a b", "GLOG_v": "0"}, ["GLOG_log_dir"]),
    ({"GLOG_v": "1", "MINDSCOPE_LOG_FORMAT": "json"}, ["MINDSCOPE_LOG_FORMAT"]),
    ({"GLOG_logtostderr": "0", "GLOG_log_dir": "/dev/null/x"}, ["GLOG_log_dir"]),
])  # fmt: skip
def test_a_wrong_variable_costs_only_itself(
    variables: dict[str, str], names: list[str], logger: logging.Logger, capsys: pytest.CaptureFixture[str]
) -> None:
    configure_log(variables, logger)
    assert logger.level == {"1": logging.INFO, "0": logging.DEBUG}.get(variables.get("GLOG_v", ""), logging.WARNING)
    lines = capsys.readouterr().err.splitlines()
    assert [line.split("] ")[2].split(" ")[0] for line in lines] == names


def test_other_settings_of_files_keep_their_defaults(tmp_path: Path, logger: logging.Logger) -> None:
    wrong = {"GLOG_logfile_mode": "rw", "logger_maxBytes": "-1", "GLOG_stderrthreshold": "4"}
    configure_log({"GLOG_logtostderr": "0", "GLOG_log_dir": str(tmp_path), **wrong}, logger)
    (file,) = (tmp_path / "rank_0" / "logs").iterdir()
    assert file.stat().st_mode & 0o777 == 0o640
    assert file.read_text("utf-8").count("it has no effect") == 2


def test_files_without_a_directory_are_an_error(logger: logging.Logger) -> None:
    with pytest.raises(SettingsError, match="GLOG_log_dir is not set"):
        configure_log({"GLOG_logtostderr": "0"}, logger)
    assert not logger.handlers
    configure_log({}, logger)
    assert not logger.handlers


def test_lines_as_mindspore_has_them(logger: logging.Logger, capsys: pytest.CaptureFixture[str]) -> None:
    configure_log({"GLOG_v": "1", "MINDSCOPE_LOG_FORMAT": "mindspore"}, logger)
    path = str(Path(mindscope.__file__).parent / "torch" / "x.py")
    record = logger.makeRecord("x", logging.INFO, path, 7, "step %d", (3,), None)
    record.created = 1_700_000_000.005123
    logger.handle(record)
    line = capsys.readouterr().err
    time = r"\d{4}-\d\d-\d\d-\d\d:\d\d:\d\d\.005\.123"
    assert re.fullmatch(rf"\[INFO\] ME\(\d+:\d+,MainProcess\):{time} \[mindscope/torch/x\.py:7\] step 3\n", line)
    head = parse_head(line.strip(), 2023)
    assert head is not None
    assert (head.level, head.module, head.time_ns % 1_000_000_000) == (Severity.INFO, "ME", 5_123_000)


def test_log_that_a_program_set_up_itself_is_left_alone(logger: logging.Logger) -> None:
    own = logging.NullHandler()
    logger.addHandler(own)
    configure_log({"GLOG_v": "0"}, logger)
    assert logger.handlers == [own]


@pytest.fixture
def unconfigured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The log of the package as in a new process with these variables; gives the directory of its files."""
    logger = logging.getLogger("mindscope")
    before = logger.handlers, logger.level, logger.propagate
    logger.handlers = []
    for name, text in {"GLOG_v": "1", "GLOG_logtostderr": "0", "GLOG_log_dir": str(tmp_path / "logs")}.items():
        monkeypatch.setenv(name, text)
    yield tmp_path / "logs" / "rank_0" / "logs"
    for handler in logger.handlers:
        handler.close()
    logger.handlers, logger.level, logger.propagate = before


def test_a_recorder_sets_it_up(tmp_path: Path, unconfigured: Path) -> None:
    mindscope.SummaryRecord(tmp_path / "run").close()
    assert [file.name for file in unconfigured.iterdir()] == [f"mindscope.log.{os.getpid()}"]
    assert logging.getLogger("mindscope").level == logging.INFO


@pytest.mark.framework
def test_a_collector_sets_it_up(tmp_path: Path, unconfigured: Path) -> None:
    pytest.importorskip("torch")
    import_module("mindscope.torch").SummaryCollector(str(tmp_path / "run"))
    assert len(list(unconfigured.glob("mindscope.log.*"))) == 1
