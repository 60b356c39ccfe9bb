# SPDX-License-Identifier: Apache-2.0
"""The configuration file and the environment of the running data recorder."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from mindscope.debug import EnvironmentConfig, RunningDataSettings, read_config, settings_from_environment
from mindscope.errors import SettingsError


def config(directory: Path, content: Any) -> Path:
    file = directory / "mindspore_config.json"
    file.write_text(json.dumps(content), "utf-8")
    return file


def test_documented_file_is_read(tmp_path: Path) -> None:
    documented = {"rdr": {"enable": True, "mode": 1, "path": "/path/to/rdr/dir"}}
    got = read_config(config(tmp_path, documented))
    assert RunningDataSettings().overridden(got.running_data) == RunningDataSettings(True, 1, Path("/path/to/rdr/dir"))
    for reuse in (True, False):
        assert read_config(config(tmp_path, {"sys": {"mem_reuse": reuse}})) == EnvironmentConfig({}, reuse)


@pytest.mark.parametrize(("content", "named"), [
    ({"rdr": 5}, "rdr in .* is int"), ({"rdr": {"enable": 1, "mode": 2}}, r"rdr.enable .* is 1"),
    ({"rdr": {"mode": 3}}, r"rdr.mode .* is 3"), ({"rdr": {"mode": True}}, "is True"),
    ({"rdr": {"path": "relative"}}, r"rdr.path .* is 'relative'"),
    ({"rdr": {"where": ""}}, "'where'"), ({"sys": {"mem_reuse": "yes"}}, "is 'yes'"),
])  # fmt: skip
def test_an_entry_that_does_not_fit_is_named_and_left_out(
    tmp_path: Path, content: Any, named: str, caplog: pytest.LogCaptureFixture
) -> None:
    got = read_config(config(tmp_path, {**content, "other section": [1]}))
    assert got == EnvironmentConfig({"mode": 2} if content.get("rdr", {}) == {"enable": 1, "mode": 2} else {})
    (text,) = [record.getMessage() for record in caplog.records]
    assert re.search(f"{named}.*want.*it has no effect", text)


def test_entries_of_the_file_go_before_the_environment(tmp_path: Path) -> None:
    environment = settings_from_environment({"MS_RDR_MODE": "2", "MS_RDR_PATH": "/kept", "MS_RDR_ENABLE": "0"})
    got = environment.overridden(read_config(config(tmp_path, {"rdr": {"enable": True}})).running_data)
    assert got == RunningDataSettings(True, 2, Path("/kept"))


def test_file_that_is_not_json_is_named(tmp_path: Path) -> None:
    (tmp_path / "broken.json").write_text("{", "utf-8")
    for name in ("broken.json", "missing.json"):
        with pytest.raises(SettingsError, match=f"{name} can't be read"):
            read_config(tmp_path / name)
    with pytest.raises(SettingsError, match="is list, want an object"):
        read_config(config(tmp_path, []))


def test_environment_says_as_much(tmp_path: Path) -> None:
    variables = {"MS_RDR_ENABLE": "1", "MS_RDR_MODE": "2", "MS_RDR_PATH": str(tmp_path)}
    assert settings_from_environment(variables) == RunningDataSettings(True, 2, tmp_path)
    assert settings_from_environment({}).is_enabled is False
    wrong = {"MS_RDR_ENABLE": "1", "MS_RDR_MODE": "7", "MS_RDR_PATH": "here"}
    assert settings_from_environment(wrong) == RunningDataSettings(True, 1, Path.cwd())
