# SPDX-License-Identifier: Apache-2.0
"""Where settings come from, which source wins, and what a bad value is answered with."""

from __future__ import annotations

import sys
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from typer import main

from mindscope.cli import app
from mindscope.errors import SettingsError, UsageError
from mindscope.settings import Settings, load_settings


def test_without_anything_given_the_defaults_hold(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.chdir(tmp_path)
    assert load_settings({}, {}) == Settings(
        summary_base_dir=tmp_path,
        workspace=Path.home() / "mindscope",
        host="127.0.0.1",
        port=8080,
        reload_interval=3.0,
    )


@pytest.fixture
def config(tmp_path: Path) -> str:
    path = tmp_path / "settings.py"
    path.write_text("import os\nPORT = 1001\nHOST = 'localhost'\nRELOAD_INTERVAL = 7\nport = 'no setting'\n")
    return f"file:{path}"


def test_the_strongest_source_wins(config: str):
    ours, theirs = {"MINDSCOPE_PORT": "1003"}, {"MINDINSIGHT_PORT": "1002"}
    assert load_settings({"config": config}, {}).port == 1001
    assert load_settings({"config": config}, theirs).port == 1002
    assert load_settings({"config": config}, theirs | ours).port == 1003
    assert load_settings({"config": config, "port": "1004"}, theirs | ours).port == 1004


def test_each_setting_is_settled_on_its_own(config: str):
    settings = load_settings({"config": config, "host": "::1"}, {"MINDSCOPE_WORKSPACE": "/w"})
    assert (settings.host, settings.port, settings.reload_interval) == ("::1", 1001, 7.0)
    assert settings.workspace == Path("/w")


def test_the_configuration_itself_may_come_from_the_environment(config: str):
    assert load_settings({}, {"MINDINSIGHT_CONFIG": config}).port == 1001


def test_an_empty_variable_is_not_set():
    assert load_settings({}, {"MINDSCOPE_PORT": ""}).port == 8080


def test_a_module_can_hold_the_configuration(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "training_site").mkdir()
    (tmp_path / "training_site" / "viewer.py").write_text("SUMMARY_BASE_DIR = '/logs'\n")
    monkeypatch.syspath_prepend(tmp_path)
    assert load_settings({"config": "python:training_site.viewer"}, {}).summary_base_dir == Path("/logs")
    for module in ("training_site.viewer", "training_site"):
        sys.modules.pop(module)


def test_directories_become_absolute(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", "/home/somebody")
    settings = load_settings({"summary_base_dir": "logs", "workspace": "~/w"}, {})
    assert settings.summary_base_dir == tmp_path / "logs"
    assert settings.workspace == Path("/home/somebody/w")


@pytest.mark.parametrize(
    ("setting", "value", "want"),
    [
        ("port", "0", "1 to 65535"),
        ("port", "65536", "1 to 65535"),
        ("port", "80.5", "1 to 65535"),
        ("port", "http", "1 to 65535"),
        ("port", True, "1 to 65535"),
        ("reload_interval", "-1", "0 or more"),
        ("reload_interval", "nan", "0 or more"),
        ("reload_interval", "inf", "0 or more"),
        ("reload_interval", "often", "0 or more"),
        ("host", "a host", "host name or an address"),
        ("host", "http://localhost", "host name or an address"),
        ("host", 1, "host name or an address"),
        ("workspace", 3, "a directory"),
        ("summary_base_dir", "a\0b", "a directory"),
        ("allow_delete", "perhaps", "1 or 0"),
        ("follow_links", "perhaps", "1 or 0"),
        ("alerts", 3, "a text such as spike_factor=6"),
        ("config", "settings.py", "file:/path/to/config.py or python:package.module"),
        ("config", "file:", "file:/path/to/config.py or python:package.module"),
    ],
)
def test_a_bad_value_is_named_with_its_source_and_what_is_accepted(setting: str, value: Any, want: str):
    with pytest.raises(SettingsError) as refused:
        load_settings({setting: value}, {})
    message = str(refused.value)
    assert message.startswith(f"--{setting.replace('_', '-')} is {value!r}, want ")
    assert want in message


def test_a_bad_variable_is_named():
    with pytest.raises(SettingsError, match="environment variable MINDINSIGHT_PORT is 'x'"):
        load_settings({}, {"MINDINSIGHT_PORT": "x"})


def test_a_bad_value_of_a_configuration_is_named(tmp_path: Path):
    (tmp_path / "bad.py").write_text("PORT = 'x'\n")
    with pytest.raises(SettingsError, match=r"PORT in .*bad\.py is 'x'"):
        load_settings({"config": f"file:{tmp_path / 'bad.py'}"}, {})


def test_a_configuration_that_ends_the_process_is_named(tmp_path: Path):
    (tmp_path / "ending.py").write_text("import sys\nsys.exit(3)\n")
    with pytest.raises(SettingsError, match=r"ending\.py', which can't be read: SystemExit\(3\)"):
        load_settings({"config": f"file:{tmp_path / 'ending.py'}"}, {})


def test_a_name_of_a_configuration_that_is_no_setting_is_told(tmp_path: Path, caplog: pytest.LogCaptureFixture):
    (tmp_path / "mistyped.py").write_text("PROT = 1001\nHOST = 'localhost'\n_HOME = help = 1\n")
    assert load_settings({"config": f"file:{tmp_path / 'mistyped.py'}"}, {}).port == 8080
    (said,) = caplog.messages
    assert said.startswith("PROT in ")
    assert said.endswith("is no setting and is ignored; did you mean PORT?")


def test_only_a_bad_flag_is_wrong_usage():
    with pytest.raises(UsageError, match="--port is 'x'"):
        load_settings({"port": "x"}, {})
    with pytest.raises(SettingsError) as caught:
        load_settings({}, {"MINDSCOPE_PORT": "x"})
    assert not isinstance(caught.value, UsageError)


@pytest.mark.parametrize("config", ["file:/no/such/file.py", "python:no_such_module_anywhere"])
def test_a_configuration_that_can_not_be_read_is_named(config: str):
    with pytest.raises(SettingsError, match=r"can't be read: .*Error"):
        load_settings({"config": config}, {})


def test_a_child_process_gets_the_same_settings(config: str):
    settings = Settings(
        Path("/logs"),
        Path("/w"),
        "0.0.0.0",
        1234,
        0.5,
        cache_size=5,
        index=Path("/index"),
        reader_memory=6,
        remote_file_size=7,
        follow_links=True,
        allow_host=("a.example", "b.example:8443"),
        path_prefix="/team/",
        allow_frame=("https://a.example",),
        allow_delete=True,
        allow_sweeps=True,
        alerts="spike_factor=6",
        no_token=True,
        read_only=True,
        certificate=Path("/certificate"),
        key=Path("/key"),
        trust_proxy=("10.0.0.0/8", "::1/128"),
        user_header="x-remote-user",
        config=config,
    )
    names = {each.name for each in fields(Settings)} - {"require_token", "token", "reader_token", "token_file"}
    assert all(getattr(settings, name) != getattr(Settings(), name) for name in names)
    assert load_settings({}, settings.environment()) == settings
    parsed = main.get_group(app).commands["start"].make_context("start", settings.flags())
    assert load_settings(parsed.params, {}) == settings


def test_a_child_process_gets_the_tokens_where_ps_shows_none():
    for settings in (
        Settings(Path("/"), token="editor-0123456789", reader_token="reader-0123456789", require_token=True),
        Settings(Path("/"), token_file=Path("/tokens")),
    ):
        assert settings.demands_token
        assert load_settings({}, settings.environment()) == settings
        assert not any("0123456789" in flag for flag in settings.flags())
        assert "0123456789" not in repr(settings)


@pytest.mark.parametrize(
    ("host", "demands"),
    [
        *((host, False) for host in ("127.0.0.1", "127.8.9.1", "localhost", "::1")),
        *((host, True) for host in ("0.0.0.0", "::", "10.0.0.1", "node7", "127.example.org")),
    ],
)
def test_a_host_that_others_reach_demands_a_token(host: str, demands: bool):
    assert Settings(host=host).demands_token == demands
    assert not Settings(host=host, no_token=True).demands_token
    assert (Settings(host=host, no_token=True).exposure is not None) == demands


@pytest.mark.parametrize(
    ("given", "want"),
    [("0", 0), (12, 12), ("1.5k", 1536), ("500M", 500 << 20), ("10 GiB", 10 << 30), (" 2tb ", 2 << 40)],
)
def test_a_size_may_have_a_unit(given: Any, want: int):
    assert load_settings({"cache_size": given}, {}).cache_size == want


@pytest.mark.parametrize("given", ["", "-1", "many", "1X", "1e9", ".", "M", True, "\u0661"])
def test_a_size_that_is_none_is_refused(given: Any):
    with pytest.raises(SettingsError, match=r"--cache-size is .* want a number of bytes such as 500M"):
        load_settings({"cache_size": given}, {})


def test_a_name_may_be_given_several_times(config: str):
    flags = {"allow_host": ["Viewer.example.org", "a.example:8443,[::1]"], "allow_frame": ["vscode-webview:"]}
    settings = load_settings(flags, {"MINDSCOPE_ALLOW_HOST": "ignored.example"})
    assert settings.allow_host == ("viewer.example.org", "a.example:8443", "[::1]")
    assert load_settings({"allow_host": []}, settings.environment()) == settings
    assert "viewer.example.org,a.example:8443,[::1]" in settings.flags()


@pytest.mark.parametrize("name", ["*", "https://a.example", "a b", "", "a.example/x", ".example", "*.example", "a:b"])
def test_what_is_no_name_is_not_allowed(name: str):
    with pytest.raises(UsageError, match=r"--allow-host is .*, want names such as viewer\.example\.org"):
        load_settings({"allow_host": [name]}, {})


@pytest.mark.parametrize(
    "origin", ["*", "https:", "https://*", "http://a; script-src *", "data:", "a.example", "'none'"]
)
def test_not_every_page_may_show_the_viewer(origin: str):
    with pytest.raises(UsageError, match=r"--allow-frame is .*, want origins of pages"):
        load_settings({"allow_frame": [origin]}, {})


@pytest.mark.parametrize(
    ("given", "prefix"), [("/team", "/team/"), ("/a/b/", "/a/b/"), ("/", "/"), ("/a%40b/", "/a%40b/")]
)
def test_a_prefix_has_a_slash_at_both_ends(given: str, prefix: str):
    assert load_settings({"path_prefix": given}, {}).path_prefix == prefix


@pytest.mark.parametrize("path", ["team", "//evil.example/", "/a?b", "/a#b", "/../a", "/a b", "https://a.example/"])
def test_what_is_no_path_is_no_prefix(path: str):
    with pytest.raises(UsageError, match=r"--path-prefix is .*, want a path such as /team/"):
        load_settings({"path_prefix": path}, {})
