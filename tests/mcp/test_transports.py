# SPDX-License-Identifier: Apache-2.0
"""The command over stdin and stdout, and over HTTP: its protocol, its end, what it refuses."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.server.live_viewer import free_port

from .agent import Agent, command, connected
from .conftest import SWEEP

BIG = "SELECT sum(sqrt(a.range * b.range)) FROM range(10000000) a, range(10000000) b"
BEGIN = {
    "jsonrpc": "2.0",
    "id": 0,
    "method": "initialize",
    "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "0"}},
}


def calls(*requests: tuple[str, dict[str, Any]]) -> str:
    """The lines of a client that calls tools one after the other."""
    lines = [BEGIN, {"jsonrpc": "2.0", "method": "notifications/initialized"}]
    for number, (name, arguments) in enumerate(requests, 1):
        params = {"name": name, "arguments": arguments}
        lines.append({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params})
    return "".join(f"{json.dumps(line)}\n" for line in lines)


def started(*flags: str, **environment: str) -> subprocess.Popen[str]:
    arguments = [sys.executable, "-m", "mindscope", "mcp", str(SWEEP), *flags]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen(arguments, text=True, env={**os.environ, **environment}, **pipes)  # type: ignore[call-overload]


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """Of a server over HTTP, which a signal ends."""
    with started("--http", "--port", str(free_port())) as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        yield line.removeprefix("mcp: ").strip()
        process.send_signal(signal.SIGTERM)
        assert process.wait(30) in (0, -signal.SIGTERM)


def test_stdio_answers_as_a_server_in_this_process(sweep: Agent) -> None:
    with connected(command(SWEEP)) as agent:
        assert agent.client.server_info.name == "mindscope"
        assert "list_runs" in (agent.client.instructions or "")
        for tool, arguments in (("list_runs", {}), ("list_alerts", {}), ("best_run", {"metric": "Accuracy"})):
            assert agent(tool, **arguments) == sweep(tool, **arguments)


def test_only_the_protocol_is_on_stdout_and_the_process_ends_with_its_client() -> None:
    with started() as process:
        assert process.stdin is not None
        assert process.stdout is not None
        requests = calls(("list_runs", {}), ("describe_run", {"run": "none"}), ("query_sql", {"statement": "x"}))
        process.stdin.write(requests)
        process.stdin.flush()
        messages = [json.loads(process.stdout.readline()) for _ in range(4)]
        assert {message["jsonrpc"] for message in messages} == {"2.0"}
        assert sorted(message["id"] for message in messages) == [0, 1, 2, 3]
        process.stdin.close()
        assert process.wait(20) == 0
        assert process.stdout.read() == ""


def test_a_client_that_leaves_during_a_long_query_ends_the_process() -> None:
    with started() as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(calls(("query_sql", {"statement": BIG})))
        process.stdin.flush()
        process.stdout.readline()  # of initialize
        time.sleep(1.0)
        began = time.monotonic()
        process.stdin.close()
        assert process.wait(20) == 0
        assert time.monotonic() - began < 10  # the query itself may take 30 s
        assert '"result"' not in process.stdout.read()


def test_http_answers_several_clients(address: str, sweep: Agent) -> None:
    with connected(address) as one, connected(address) as other:
        assert one("list_runs") == other("list_runs") == sweep("list_runs")


def test_http_refuses_other_hosts_and_pages(address: str) -> None:
    headers = {"accept": "application/json, text/event-stream", "content-type": "application/json"}

    def status(**further: str) -> int:
        return httpx.post(address, json=BEGIN, headers={**headers, **further}, timeout=30).status_code

    assert status() == 200
    assert status(host="evil.example") == 421
    assert status(origin="http://evil.example") == 403
    assert address.startswith("http://127.0.0.1:")


def test_a_port_in_use_is_an_error_with_a_remedy(address: str) -> None:
    with started("--http", "--port", address.split(":")[2].split("/")[0]) as done:
        _, errors = done.communicate(timeout=60)
        assert done.returncode == 1
    assert "in use by another program; choose another port with --port" in errors
    assert "Traceback" not in errors


@pytest.mark.parametrize(
    ("flags", "text"),
    [(("--port", "8000"), "--port is of --http"), (("--workspace", "."), "--workspace is of --allow-notes")],
)
def test_flags_that_do_nothing_are_refused(flags: tuple[str, ...], text: str) -> None:
    with started(*flags) as done:
        assert text in done.communicate(timeout=60)[1]
        assert done.returncode == 2


def test_a_base_that_is_missing_is_an_error(tmp_path: Path) -> None:
    arguments = [sys.executable, "-m", "mindscope", "mcp", str(tmp_path / "none")]
    done = subprocess.run(arguments, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
    assert done.returncode == 1
    assert "does not exist" in done.stderr
    assert done.stdout == ""


def test_a_missing_sdk_is_named() -> None:
    program = "import sys; sys.modules['mcp'] = None; from mindscope.cli import main; main()"
    arguments = [sys.executable, "-c", program, "mcp", str(SWEEP)]
    done = subprocess.run(arguments, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr == (
        "mindscope: Agents need the SDK of the Model Context Protocol, which is not installed. "
        "Install it with pip install 'mindscope[mcp]'.\n"
    )


def test_help_imports_no_sdk() -> None:
    program = "import sys; from mindscope.cli import main\ntry: main()\nexcept SystemExit: print('mcp' in sys.modules)"
    for flags in (["--help"], ["mcp", "--help"]):
        done = subprocess.run([sys.executable, "-c", program, *flags], capture_output=True, text=True, check=True)
        assert done.stdout.splitlines()[-1] == "False"
