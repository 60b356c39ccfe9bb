# SPDX-License-Identifier: Apache-2.0
"""Starting, listing and stopping viewers in the background."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx
import pytest

from mindscope.server.process.pids import create_time_of
from tests.server.live_viewer import DEADLINE_S, GrowingLog, eventually, free_port

from .conftest import CommandLine


def ask(port: str, address: str = "/api/server") -> Any:
    return httpx.get(f"http://127.0.0.1:{port}{address}", timeout=60).raise_for_status().json()


def has_ended(pid: int) -> bool:
    return create_time_of(pid) is None


def test_start_answers_says_where_and_how_to_stop(mindscope: CommandLine, port: str):
    printed = mindscope("start", "--port", port).stdout
    assert f"http://127.0.0.1:{port}" in printed
    assert str(mindscope.room / "home" / "mindscope") in printed
    assert f"mindscope stop --port {port}" in printed
    assert ask(port)["base_dir"] == str(mindscope.room)


def test_stop_ends_the_process(mindscope: CommandLine, port: str):
    mindscope("start", "--port", port)
    pid = ask(port)["pid"]
    assert f"127.0.0.1:{port}" in mindscope("stop", "--port", port).stdout
    assert has_ended(pid)
    assert not mindscope.records()
    assert f"no viewer is running on port {port}" in mindscope("stop", "--port", port, want=1).stderr


def test_a_viewer_shows_the_runs_below_its_directory(mindscope: CommandLine, port: str):
    log = GrowingLog(mindscope.room / "logs" / "a" / "b")
    log.scalar(7, 0.5)
    mindscope("start", "--port", port, "--summary-base-dir", "logs")
    runs = eventually(lambda: ask(port, "/api/runs")["runs"])
    assert [run["id"] for run in runs] == ["a/b"]


def test_the_directory_may_stand_alone(mindscope: CommandLine, port: str):
    (mindscope.room / "logs").mkdir()
    mindscope("start", "logs", "--port", port)
    assert ask(port)["base_dir"] == str(mindscope.room / "logs")
    mindscope("stop", "--port", port)
    assert "not both" in mindscope("start", "a", "--summary-base-dir", "b", want=2).stderr


def test_status_lists_all_viewers(mindscope: CommandLine, port: str):
    assert "no viewer is running" in mindscope("status").stdout
    other = str(free_port())
    (mindscope.room / "logs").mkdir()
    mindscope("start", "--port", port)
    mindscope("start", "--port", other, "--summary-base-dir", "logs", "--workspace", "elsewhere")
    lines = mindscope("status").stdout.splitlines()
    assert len(lines) == 2
    for number, base in ((port, mindscope.room), (other, mindscope.room / "logs")):
        line = next(line for line in lines if f":{number} " in line)
        assert str(ask(number)["pid"]) in line
        assert line.endswith(str(base))


def test_a_viewer_that_others_reach_says_what_they_can_do(mindscope: CommandLine, port: str):
    said = mindscope("start", "--port", port, "--host", "0.0.0.0", "--allow-delete", "--no-token").stderr
    assert f"warning: clients that reach 0.0.0.0:{port} can read all runs and change notes, pins and views" in said
    assert "and delete and move runs: --no-token asks for no password" in said
    (line,) = mindscope("status").stdout.splitlines()
    assert line.startswith(f"http://127.0.0.1:{port}  open to other machines at 0.0.0.0:{port}  process ")
    mindscope("stop", "--port", port)
    assert mindscope("start", "--port", port).stderr == ""
    assert "open to other machines" not in mindscope("status").stdout


def test_a_second_start_says_who_is_there_and_what_to_do(mindscope: CommandLine, port: str):
    mindscope("start", "--port", port)
    refused = mindscope("start", "--port", port, want=1).stderr
    assert f"already running at http://127.0.0.1:{port} over {mindscope.room}" in refused
    assert f"mindscope stop --port {port}" in refused
    assert "--port" in refused
    assert ask(port)


@pytest.mark.parametrize("flag", [(), ("--foreground",)])
def test_a_port_in_use_is_named_with_the_remedy(mindscope: CommandLine, flag: tuple[str, ...]):
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = str(other.getsockname()[1])
        refused = mindscope("start", "--port", port, *flag, want=1).stderr
    assert refused == (
        f"mindscope: port {port} of 127.0.0.1: in use by another program; choose another port with --port\n"
    )


def test_a_missing_base_directory_is_named(mindscope: CommandLine, port: str):
    refused = mindscope("start", "--port", port, "--summary-base-dir", "nowhere", want=1).stderr
    assert f"{mindscope.room / 'nowhere'} does not exist" in refused
    assert "--summary-base-dir" in refused


def test_without_a_workspace_the_viewer_warns_and_serves_from_memory(mindscope: CommandLine, port: str):
    (mindscope.room / "file").write_text("")
    GrowingLog(mindscope.room / "run").scalar(1, 0.5)
    started = mindscope("start", "--port", port, "--workspace", "file")
    assert f"workspace {mindscope.room / 'file'}: " in started.stderr
    assert "notes, colors and thresholds can't be changed" in started.stderr
    assert "choose another one with --workspace" in started.stderr
    assert f":{port}" in started.stdout
    with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=60) as http:
        eventually(lambda: [run["last_step"] for run in http.get("/api/runs").json()["runs"]] == [1])
        known = http.get("/api/annotations").raise_for_status().json()
        assert not known["is_writable"]
        assert known["problem"]["code"] == "annotations_read_only"
        refused = http.patch("/api/annotations/runs", json={"changes": [{"run": "run", "version": 0, "note": "x"}]})
        assert (refused.status_code, refused.json()["error"]["code"]) == (503, "annotations_read_only")
    mindscope("stop", "--port", port)


def test_on_a_full_disk_the_viewer_warns_and_serves_from_memory(mindscope: CommandLine, port: str):
    """No file may have a byte, which is what a full disk allows."""
    GrowingLog(mindscope.room / "run").scalar(1, 0.5)
    command = [sys.executable, "-m", "mindscope", "start", "--foreground", "--port", port, "--workspace", "w"]
    process = subprocess.Popen(
        ["sh", "-c", 'ulimit -f 0; exec "$@"', "sh", *command],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=mindscope.room, env=mindscope.environment,
    )  # fmt: skip
    assert process.stdout is not None
    try:
        assert process.stdout.readline().startswith("viewer:")
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=60) as http:
            eventually(lambda: [run["last_step"] for run in http.get("/api/runs").json()["runs"]] == [1])
            refused = http.patch("/api/annotations/runs", json={"changes": [{"run": "run", "version": 0, "note": "x"}]})
            assert refused.status_code == 503
    finally:
        process.terminate()
        _, told = process.communicate(timeout=60)
    assert "notes, colors and thresholds can't be changed" in told
    assert "`mindscope stop` don't know this viewer" in told
    assert "Traceback" not in told


def test_a_state_folder_that_can_not_be_written_is_named(mindscope: CommandLine, port: str):
    (mindscope.room / "file").write_text("")
    refused = mindscope("start", "--port", port, want=1, XDG_STATE_HOME=str(mindscope.room / "file")).stderr
    assert refused.startswith(f"mindscope: {mindscope.room / 'file'}")
    assert "set XDG_STATE_HOME to a directory that can be written" in refused


def test_a_file_is_no_base_directory(mindscope: CommandLine, port: str):
    (mindscope.room / "file").write_text("")
    assert "file is not a directory" in mindscope("start", "--port", port, "--summary-base-dir", "file", want=1).stderr


def test_an_address_of_another_machine_is_refused(mindscope: CommandLine, port: str):
    refused = mindscope("start", "--port", port, "--host", "192.0.2.1", want=1).stderr
    assert "choose another one with --host" in refused


def test_a_viewer_that_dies_at_once_leaves_its_reason(mindscope: CommandLine, port: str):
    """Dies in the viewer only, in a way that we know nothing of."""
    dying = (
        "import os, sys\nif '--foreground' in sys.orig_argv:\n    print('out of luck', flush=True)\n    os._exit(3)\n"
    )
    (mindscope.room / "site").mkdir()
    (mindscope.room / "site" / "sitecustomize.py").write_text(dying)
    path = os.pathsep.join([str(mindscope.room / "site"), *filter(None, [os.environ.get("PYTHONPATH")])])
    refused = mindscope("start", "--port", port, want=1, PYTHONPATH=path).stderr
    assert "the viewer did not start" in refused
    assert "out of luck" in refused


@pytest.mark.parametrize("lost", ["log", "log/access.log", "log/mindscope.log"])
def test_a_log_that_can_not_be_written_is_done_without(mindscope: CommandLine, port: str, lost: str):
    blocked = mindscope.room / "w" / lost.replace(".log", f".{port}.log")
    if lost == "log":
        blocked.parent.mkdir()
        blocked.write_text("")
    else:
        blocked.mkdir(parents=True)
    started = mindscope("start", "--port", port, "--workspace", "w")
    assert ("nothing is logged" in started.stderr) == (lost == "log")
    with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=60) as http:
        assert http.get("/api/annotations").json()["is_writable"]
    mindscope("stop", "--port", port)


def test_the_settings_are_variables_of_the_process(mindscope: CommandLine, port: str):
    mindscope("start", "--port", port, "--reload-interval", "0", "--workspace", "w", "--cache-size", "1M")
    listing = Path(f"/proc/{ask(port)['pid']}/environ").read_bytes().decode().split("\0")
    environment = dict(line.split("=", 1) for line in listing if line)
    ours = {name: value for name, value in environment.items() if name.startswith("MINDSCOPE_")}
    assert ours == {
        "MINDSCOPE_PATH_PREFIX": "/",
        "MINDSCOPE_PORT": port,
        "MINDSCOPE_HOST": "127.0.0.1",
        "MINDSCOPE_RELOAD_INTERVAL": "0",
        "MINDSCOPE_CACHE_SIZE": "1048576",
        "MINDSCOPE_READER_MEMORY": "4294967296",
        "MINDSCOPE_FOLLOW_LINKS": "0",
        "MINDSCOPE_ALLOW_DELETE": "0",
        "MINDSCOPE_ALLOW_FRAME": "",
        "MINDSCOPE_ALLOW_HOST": "",
        "MINDSCOPE_ALLOW_SWEEPS": "0",
        "MINDSCOPE_ALERTS": "",
        "MINDSCOPE_NO_TOKEN": "0",
        "MINDSCOPE_READER_TOKEN": "",
        "MINDSCOPE_READ_ONLY": "0",
        "MINDSCOPE_REMOTE_FILE_SIZE": "67108864",
        "MINDSCOPE_REQUIRE_TOKEN": "0",
        "MINDSCOPE_TOKEN": "",
        "MINDSCOPE_TRUST_PROXY": "",
        "MINDSCOPE_USER_HEADER": "x-forwarded-user",
        "MINDSCOPE_WORKSPACE": str(mindscope.room / "w"),
        "MINDSCOPE_SUMMARY_BASE_DIR": str(mindscope.room),
    }


def test_settings_come_from_the_environment_and_a_configuration(mindscope: CommandLine, port: str):
    (mindscope.room / "logs").mkdir()
    (mindscope.room / "settings.py").write_text("SUMMARY_BASE_DIR = 'logs'\nPORT = 1\n")
    mindscope("start", "--config", "file:settings.py", MINDINSIGHT_PORT=port)
    assert ask(port)["base_dir"] == str(mindscope.room / "logs")
    mindscope("stop", MINDSCOPE_PORT=port)
    assert not mindscope.records()


def test_a_list_of_processes_shows_the_viewer(mindscope: CommandLine, port: str):
    mindscope("start", "--port", port)
    command = Path(f"/proc/{ask(port)['pid']}/cmdline").read_bytes().decode().split("\0")
    assert "mindscope" in " ".join(command)
    assert command[command.index("--summary-base-dir") + 1] == str(mindscope.room)


def test_the_process_holds_the_access_log_of_its_workspace(mindscope: CommandLine, port: str):
    mindscope("start", "--port", port, "--workspace", "w")
    open_files = [file.resolve() for file in Path(f"/proc/{ask(port)['pid']}/fd").iterdir()]
    assert mindscope.room / "w" / "log" / f"access.{port}.log" in open_files


def test_a_viewer_survives_the_end_of_its_terminal(mindscope: CommandLine, port: str):
    mindscope("start", "--port", port)
    pid = ask(port)["pid"]
    assert os.getsid(pid) == pid
    assert Path(f"/proc/{pid}/fd/0").resolve() == Path("/dev/null")


def test_files_of_the_current_directory_are_never_imported(mindscope: CommandLine, port: str):
    (mindscope.room / "fastapi.py").write_text("raise RuntimeError('imported')")
    (mindscope.room / "logs").mkdir()
    started = subprocess.run(
        [sys.executable, "-c", "from mindscope.cli import main; main()", "start", "--port", port],
        capture_output=True,
        text=True,
        cwd=mindscope.room,
        env=mindscope.environment | {"PYTHONSAFEPATH": "1"},
    )
    assert started.returncode == 0, started.stderr
    assert ask(port)


def test_another_process_of_the_same_number_is_left_alone(mindscope: CommandLine, port: str):
    mindscope("start", "--port", port)
    record = mindscope.records()[0]
    viewer = json.loads(record.read_text())
    os.kill(viewer["pid"], signal.SIGKILL)
    eventually(lambda: has_ended(viewer["pid"]))
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as stranger:
        record.write_text(json.dumps(viewer | {"pid": stranger.pid}))
        assert "no viewer is running" in mindscope("status").stdout
        assert "no viewer is running" in mindscope("stop", "--port", port, want=1).stderr
        assert stranger.poll() is None
        stranger.communicate(b"\n")
        assert stranger.returncode == 0
    record.unlink()


def test_a_viewer_that_was_killed_is_forgotten_and_its_port_free(mindscope: CommandLine, port: str):
    mindscope("start", "--port", port)
    os.kill(ask(port)["pid"], signal.SIGKILL)
    eventually(lambda: "no viewer is running" in mindscope("status").stdout)
    mindscope("start", "--port", port)
    assert ask(port)


def test_a_viewer_that_hangs_is_stopped_all_the_same(
    mindscope: CommandLine, port: str, monkeypatch: pytest.MonkeyPatch
):
    mindscope("start", "--port", port)
    pid = ask(port)["pid"]
    os.kill(pid, signal.SIGSTOP)
    from mindscope.server.process import pids as processes
    from mindscope.server.process import registry as viewers

    monkeypatch.setattr(processes, "PATIENCE_S", 0.1)
    monkeypatch.setenv("XDG_STATE_HOME", str(mindscope.room / "state"))
    assert viewers.stop_viewer(int(port)).pid == pid
    assert has_ended(pid)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_viewer_in_the_foreground_ends_without_a_trace(mindscope: CommandLine, port: str, number: signal.Signals):
    viewer = subprocess.Popen(
        [sys.executable, "-m", "mindscope", "start", "--foreground", "--port", port],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        cwd=mindscope.room,
        env=mindscope.environment | {"PYTHONUNBUFFERED": "1"},
        start_new_session=True,
    )
    with viewer:
        assert viewer.stdout is not None
        assert f"http://127.0.0.1:{port}" in viewer.stdout.readline()
        assert ask(port)["pid"] == viewer.pid
        os.killpg(viewer.pid, number)  # as a terminal does
        assert "Traceback" not in viewer.stdout.read()
        assert viewer.wait(DEADLINE_S) == 0
    assert not mindscope.records()
