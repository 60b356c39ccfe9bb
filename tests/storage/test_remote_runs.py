# SPDX-License-Identifier: Apache-2.0
"""Runs in a remote store open as those of a directory do: in Python, on the command line, and live in a viewer."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from typer.testing import CliRunner

from mindscope.alerts import find_alerts
from mindscope.cli.app import app
from mindscope.errors import RunNotFoundError, StorageError
from mindscope.reading import open_run, open_runs
from mindscope.tracking.viewers import free_port
from tests.event_log import DATA, MINDSPORE_NAME, steps, version
from tests.storage.conftest import Bucket, Fault, Proxy, is_list, is_object, status

NAME = MINDSPORE_NAME.format(1)


def log(values: range) -> bytes:
    return version() + steps(values)


def test_runs_of_a_store_are_those_of_a_directory(bucket: Bucket, proxy: Proxy) -> None:
    bucket.upload(DATA / "mindspore" / "custom_loop", "logs/custom_loop/")
    bucket.put(f"logs/a/{NAME}", log(range(5)))
    bucket.put("logs/a/config.yaml", b"lr: 0.25\n")
    runs = open_runs(f"{bucket.address}/logs")
    assert list(runs) == ["a", "custom_loop"]
    want = open_run(DATA / "mindspore" / "custom_loop")
    assert runs["custom_loop"].kinds == want.kinds
    assert [*runs["custom_loop"].graphs()] == [*want.graphs()]
    assert len(runs["a"].scalars("loss")) == 5
    assert runs.lineage().to_table().to_pandas()["lr"].tolist()[0] == 0.25
    time.sleep(1.0)  # what was read within a second counts as new
    bucket.put(f"logs/a/{NAME}", log(range(8)))
    bucket.put(f"logs/b/{NAME}", log(range(3)))
    assert runs.refresh()
    assert len(runs["a"].scalars("loss")) == 8
    assert runs["a"].damages == ()
    assert len(open_run(f"{bucket.address}/logs/b").scalars("loss")) == 3


def test_what_is_left_out_is_among_the_problems(bucket: Bucket, proxy: Proxy, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MINDSCOPE_REMOTE_FILE_SIZE", "1K")
    bucket.put(f"logs/a/{NAME}", log(range(500)))
    bucket.put("logs/a/x.pt.trace.json", b" " * 2000)
    bucket.put(f"logs/c/{NAME}", log(range(5)))
    proxy.faults.append(Fault(is_object("logs/c"), status(403)))
    runs = open_runs(f"{bucket.address}/logs")
    assert list(runs) == ["a"]
    large, failed = sorted(runs.problems)
    assert f"{bucket.address}/logs/a/x.pt.trace.json" in large
    assert "--remote-file-size" in large
    assert f"{bucket.address}/logs/c/{NAME}" in failed
    monkeypatch.setenv("MINDSCOPE_REMOTE_FILE_SIZE", "1M")


def test_a_store_that_refuses_is_an_error(bucket: Bucket, proxy: Proxy) -> None:
    with pytest.raises(StorageError, match="no-such-bucket"):
        open_runs("s3://no-such-bucket/runs")
    proxy.faults.append(Fault(is_list, status(403), times=99))
    with pytest.raises(StorageError) as refused:
        open_run(f"{bucket.address}/runs")
    assert "c0ffee-secret" not in str(refused.value)
    proxy.clear()
    with pytest.raises(RunNotFoundError, match=f"{bucket.address}/runs"):
        open_run(f"{bucket.address}/runs")


def test_commands_take_an_address(bucket: Bucket, tmp_path: Path) -> None:
    bucket.put(f"logs/a/{NAME}", log(range(10)))
    bucket.upload(DATA / "mindspore" / "custom_loop", "graph/")
    address, runner = f"{bucket.address}/logs", CliRunner()
    (report,) = json.loads(runner.invoke(app, ["inspect", address, "--json"]).stdout)
    assert report["tags"][0]["points"] == 10
    exported = runner.invoke(app, ["export", f"{address}/a", "--out", str(tmp_path / "csv")])
    assert exported.exit_code == 0, exported.output
    assert len((tmp_path / "csv" / "scalars.csv").read_text().splitlines()) == 11
    want = runner.invoke(app, ["graph", str(DATA / "mindspore" / "custom_loop")])
    got = runner.invoke(app, ["graph", f"{bucket.address}/graph"])
    assert (got.exit_code, got.output) == (want.exit_code, want.output)
    packed = runner.invoke(app, ["pack", address, "--out", str(tmp_path / "x.mscope")])
    assert packed.exit_code == 0, packed.output
    assert list(open_runs(tmp_path / "x.mscope")) == ["a"]
    assert find_alerts(address, ()) == []


def test_a_file_has_an_address_too(bucket: Bucket, proxy: Proxy) -> None:
    trace = DATA.parent / "profile" / "data" / "small_cuda.pt.trace.json.gz"
    bucket.put(f"logs/{trace.name}", trace.read_bytes())
    runner = CliRunner()
    got = runner.invoke(app, ["profile", f"{bucket.address}/logs/{trace.name}", "--json"])
    want = runner.invoke(app, ["profile", str(trace), "--json"])
    assert got.exit_code == want.exit_code == 0, got.output
    assert json.loads(got.output).keys() == json.loads(want.output).keys()
    proxy.clear()
    runner.invoke(app, ["profile", f"{bucket.address}/logs/{trace.name}", "--json"])
    assert [each for each in proxy.requests if is_object(trace.name)(each)] == []


def test_runs_of_other_file_systems_open(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fsspec = pytest.importorskip("fsspec")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    files = fsspec.filesystem("memory")
    files.pipe(f"/logs/a/{NAME}", log(range(5)))
    runs = open_runs("memory://logs")
    assert len(runs["a"].scalars("loss")) == 5
    time.sleep(1.0)
    files.pipe(f"/logs/a/{NAME}", log(range(9)))
    runs.refresh()
    assert len(runs["a"].scalars("loss")) == 9
    assert runs["a"].damages == ()
    files.rm("/logs", recursive=True)


def test_runs_of_a_web_server_open(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("aiohttp")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "web" / "logs" / "a").mkdir(parents=True)
    (tmp_path / "web" / "logs" / "a" / NAME).write_bytes(log(range(5)))
    port = free_port("127.0.0.1")
    command = [
        sys.executable,
        "-m",
        "http.server",
        str(port),
        "--bind",
        "127.0.0.1",
        "--directory",
        str(tmp_path / "web"),
    ]
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        until(lambda: httpx.get(f"http://127.0.0.1:{port}/").status_code == 200)
        runs = open_runs(f"http://127.0.0.1:{port}/logs")
        assert len(runs["a"].scalars("loss")) == 5
    finally:
        server.terminate()
        server.wait()


# ---- the viewer ------------------------------------------------------------------------------------------------------


def until(holds: Callable[[], bool], seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while True:
        try:
            if holds():
                return
        except httpx.HTTPError:
            pass
        assert time.monotonic() < deadline
        time.sleep(0.05)


@pytest.fixture
def viewers(tmp_path: Path) -> Iterator[Callable[..., Any]]:
    processes: list[subprocess.Popen[str]] = []

    def start(address: str, *flags: str) -> tuple[subprocess.Popen[str], str]:
        port = free_port("127.0.0.1")
        command = [sys.executable, "-m", "mindscope", "start", address, "--foreground", "--port", str(port)]
        command += ["--workspace", str(tmp_path / "workspace"), "--reload-interval", "0.3", *flags]
        environment = {**os.environ, "XDG_STATE_HOME": str(tmp_path / "state")}
        process = subprocess.Popen(
            command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        processes.append(process)
        return process, f"http://127.0.0.1:{port}/api"

    yield start
    for process in processes:
        process.terminate()
        process.communicate()


def points(api: str, run: str) -> int:
    tags = [entry for entry in httpx.get(f"{api}/runs").json()["runs"] if entry["id"] == run]
    return int(tags[0]["last_step"] or 0) if tags else -1


def test_a_viewer_follows_a_training_that_writes_to_a_store(
    bucket: Bucket, proxy: Proxy, viewers: Callable[..., Any], tmp_path: Path
) -> None:
    bucket.put(f"logs/a/{NAME}", log(range(5)))
    process, api = viewers(f"{bucket.address}/logs")
    until(lambda: points(api, "a") == 4)
    assert httpx.get(f"{api}/server").json()["base_dir"] == f"{bucket.address}/logs"
    bucket.put(f"logs/a/{NAME}", log(range(50)))
    until(lambda: points(api, "a") == 49)
    bucket.put(f"logs/new/{NAME}", log(range(7)))
    until(lambda: points(api, "new") == 6)
    bucket.delete(f"logs/new/{NAME}")
    until(lambda: points(api, "new") == -1)
    whole = [each for each in proxy.requests if is_object(NAME)(each)]
    assert len(whole) == 3, "each byte is read once"
    process.terminate()
    assert process.wait(20) == 0
    assert "c0ffee-secret" not in process.stdout.read()
    assert not any(b"c0ffee-secret" in path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())


def test_a_store_is_beside_a_directory_in_one_viewer(
    bucket: Bucket, viewers: Callable[..., Any], tmp_path: Path
) -> None:
    bucket.put(f"logs/a/{NAME}", log(range(5)))
    (tmp_path / "runs" / "a").mkdir(parents=True)
    (tmp_path / "runs" / "a" / NAME).write_bytes(log(range(9)))
    process, api = viewers(f"mine={tmp_path / 'runs'}", f"team={bucket.address}/logs")
    until(lambda: (points(api, "mine/a"), points(api, "team/a")) == (8, 4))
    bases = httpx.get(f"{api}/server").json()["base_dir"]
    assert bases == f"mine={tmp_path / 'runs'}, team={bucket.address}/logs"
    bucket.put(f"logs/a/{NAME}", log(range(30)))
    until(lambda: points(api, "team/a") == 29)
    process.terminate()
    assert process.wait(20) == 0


def test_a_viewer_of_a_store_that_refuses_says_why(proxy: Proxy, viewers: Callable[..., Any]) -> None:
    process, _ = viewers("s3://no-such-bucket/runs")
    assert process.wait(30) == 1
    assert "s3://no-such-bucket/runs can’t be read" in process.stdout.read()
