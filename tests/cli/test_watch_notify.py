# SPDX-License-Identifier: Apache-2.0
"""``mindscope watch --notify`` in real processes, against servers on the loopback."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

from tests.alerts.made_logs import healthy, losses, write_losses
from tests.alerts.notify.conftest import SECRET, WebhookServer, webhook

from .conftest import CommandLine

__all__ = ["webhook"]

SETTINGS = """
targets: [{{url: "json://ann:$HOOK_PASSWORD@{address}/$HOOK_PATH", name: team}}]
template: "$severity $alert $step"
join_s: 0.1
pause_s: 0.05
attempts: 2
flush_s: 10
"""


@pytest.fixture
def watched(mindscope: CommandLine, webhook: WebhookServer) -> CommandLine:
    for name, values in losses().items():
        write_losses(mindscope.room / "runs" / name, values)
    (mindscope.room / "notify.yaml").write_text(SETTINGS.format(address=webhook.address))
    mindscope.environment |= {"HOOK_PASSWORD": SECRET, "HOOK_PATH": "a path"}
    return mindscope


def test_alerts_of_finished_logs_are_one_message(watched: CommandLine, webhook: WebhookServer):
    done = watched("watch", "runs", "--once", "--fail-on", "nan", "--notify", "notify.yaml", want=3)
    assert len(done.stdout.splitlines()) == 4
    assert done.stderr == ""
    ((path, body),) = webhook.requests
    assert path == "/a%20path"
    assert body["title"] == "mindscope: 4 alerts in 4 runs"
    assert "error nan 401" in body["message"].splitlines()
    assert SECRET not in done.stdout


def test_a_broken_target_changes_nothing(watched: CommandLine, webhook: WebhookServer):
    webhook.answers = [500]
    done = watched("watch", "runs", "--once", "--fail-on", "nan", "--notify", "notify.yaml", want=3)
    assert len(done.stdout.splitlines()) == 4
    assert done.stderr == "mindscope: team does not take notifications (HTTP 500); the watch continues.\n"
    assert len(webhook.requests) == 2


def test_without_alerts_nothing_is_sent(mindscope: CommandLine, webhook: WebhookServer):
    write_losses(mindscope.room / "runs/a", healthy())
    assert mindscope("watch", "runs", "--once", "--notify", f"json://{webhook.address}").stdout == ""
    assert webhook.requests == []


@pytest.mark.parametrize(
    ("target", "want"),
    [
        ("$NO_SUCH", "--notify 1 needs the variable NO_SUCH"),
        (f"json://ann:{SECRET.split('/')[0]}@127.0.0.1", "--notify 1 has a secret in its address"),
        ("no.yaml", "no.yaml: No such file or directory"),
        ("what", "--notify 1 has no address that Apprise knows"),
    ],
    ids=["variable", "secret", "file", "scheme"],
)
def test_a_wrong_target_is_one_line_before_the_watch(watched: CommandLine, target: str, want: str):
    refused = watched("watch", "runs", "--once", "--notify", target, want=2)
    assert refused.stdout == ""
    assert want in refused.stderr
    assert len(refused.stderr.splitlines()) == 1
    assert SECRET.split("/")[0] not in refused.stderr


def test_ctrl_c_sends_what_waits(watched: CommandLine, webhook: WebhookServer):
    """The run is not over, so the watch is not either; its message waits for further alerts."""
    slow = watched.room / "slow.yaml"
    slow.write_text((watched.room / "notify.yaml").read_text().replace("join_s: 0.1", "join_s: 600"))
    (watched.room / "runs/open").mkdir()
    for file in (watched.room / "runs/nan").iterdir():  # a log without its end
        (watched.room / "runs/open" / file.name).write_bytes(file.read_bytes()[:-100])
    command = [sys.executable, "-m", "mindscope", "watch", "runs", "--notify", "slow.yaml"]
    environment = {**watched.environment, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    with subprocess.Popen(
        command, cwd=watched.room, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=30)
    assert process.returncode == 130
    assert said == ""
    webhook.wait_for(1)
