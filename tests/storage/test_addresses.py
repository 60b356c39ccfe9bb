# SPDX-License-Identifier: Apache-2.0
"""Addresses of remote stores: what they name, and what is refused without being shown."""

from __future__ import annotations

from pathlib import Path

import pytest

from mindscope.errors import MissingPackageError, SettingsError, StorageError
from mindscope.reading import open_run, open_runs
from mindscope.reasons import reason_of
from mindscope.settings import Settings, load_settings, require_base_dir
from mindscope.storage.addresses import RemoteAddress, local_path, masked, remote_address


@pytest.mark.parametrize(
    ("given", "address", "bucket", "prefix"),
    [
        ("s3://b/runs/", "s3://b/runs", "b", "runs"),
        ("S3://b", "s3://b", "b", ""),
        ("gs://b/a b/ü", "gs://b/a b/ü", "b", "a b/ü"),
        ("abfss://c@account.dfs.core.windows.net/p", None, "c@account.dfs.core.windows.net", "p"),
        ("sftp://me@host:22/p", None, "me@host:22", "p"),
        ("https://host/p", None, "host", "p"),
        ("memory://p", None, "p", ""),
        (Path("s3://b/runs"), "s3://b/runs", "b", "runs"),
    ],
)
def test_addresses_have_a_bucket_and_a_prefix(given: object, address: str | None, bucket: str, prefix: str) -> None:
    found = remote_address(given)
    assert found is not None
    assert (str(found), found.bucket, found.prefix) == (address or given, bucket, prefix)
    assert remote_address(found) == found


@pytest.mark.parametrize("path", ["runs", "/runs", "./s3:x", "C:/runs", "a:b", "file:///runs", "x/s3://b", ""])
def test_paths_are_no_addresses(path: str) -> None:
    assert remote_address(path) is None


@pytest.mark.parametrize(
    ("address", "code"),
    [
        ("s3://key:hunter2@b/runs", "address_with_secret"),
        ("https://host/runs?X-Amz-Signature=hunter2", "address_with_secret"),
        ("az://c/p?sv=1&sig=hunter2", "address_with_secret"),
        ("sftp://me:hunter2@host/p", "address_with_secret"),
        ("ftp://me:hunter2@host/p", "address_not_read"),
        ("s3://", "address_without_bucket"),
        ("swift://c/p", "address_not_read"),
    ],
)
def test_other_addresses_are_refused_without_their_secrets(address: str, code: str) -> None:
    with pytest.raises(StorageError) as refused:
        remote_address(address)
    assert reason_of(refused.value).code == code
    assert "hunter2" not in str(refused.value)
    with pytest.raises(SettingsError, match="--summary-base-dir") as of_settings:
        load_settings({"summary_base_dir": address}, {})
    assert "hunter2" not in str(of_settings.value)
    for open_it in (open_run, open_runs):
        with pytest.raises(StorageError) as of_reader:
            open_it(address)
        assert "hunter2" not in str(of_reader.value)


def test_texts_of_errors_lose_passwords_and_signatures() -> None:
    text = masked("GET https://u:pw@h/p?sig=abc&x=1 failed; https://h/p?a=b too, but not 1:2@3 or why?")
    assert text == "GET https://***@h/p?*** failed; https://h/p?*** too, but not 1:2@3 or why?"


def test_addresses_of_files_are_local_paths(tmp_path: Path) -> None:
    assert local_path("file:///tmp/a%20b") == Path("/tmp/a b")
    assert local_path("~/x") == Path.home() / "x"
    settings = load_settings({"summary_base_dir": tmp_path.as_uri()}, {})
    assert settings.summary_base_dir == tmp_path


def test_a_viewer_keeps_the_address_and_only_reads_it() -> None:
    settings = load_settings({"summary_base_dir": "s3://b/runs/", "remote_file_size": "1G"}, {})
    assert settings.summary_base_dir == "s3://b/runs"
    assert isinstance(settings.summary_base_dir, RemoteAddress)
    assert load_settings({}, settings.environment()) == settings
    assert "s3://b/runs" in settings.flags()
    for flag in ("allow_delete", "allow_sweeps"):
        with pytest.raises(SettingsError, match=flag.replace("_", "-")):
            require_base_dir(load_settings({"summary_base_dir": "s3://b/runs", flag: "1"}, {}))
    with pytest.raises(SettingsError, match="--workspace"):
        load_settings({"workspace": "s3://b/workspace"}, {})


@pytest.mark.parametrize(
    ("address", "module", "extra"), [("s3://b/runs", "obstore", "s3"), ("memory://runs", "fsspec", "remote")]
)
def test_a_missing_package_is_named_with_what_installs_it(
    monkeypatch: pytest.MonkeyPatch, address: str, module: str, extra: str
) -> None:
    for name in (module, f"{module}.core"):
        monkeypatch.setitem(__import__("sys").modules, name, None)
    with pytest.raises(MissingPackageError, match=rf"{module}.*mindscope\[{extra}\]"):
        require_base_dir(Settings(summary_base_dir=remote_address(address) or Path()))
    with pytest.raises(MissingPackageError, match=rf"mindscope\[{extra}\]"):
        open_runs(address)
