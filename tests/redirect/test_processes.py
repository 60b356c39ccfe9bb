# SPDX-License-Identifier: Apache-2.0
"""The process of a script: how it ends, its traceback, its signals and its children."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import mindscope
from tests.redirect.scripts import LIMIT_S, completed, plain_in, run_in, said
from tests.server.live_viewer import free_port

ENDS = """
import os, random, sys
if sys.argv[1:] == ["plain"]:
    def log(row): pass
else:
    import wandb
    wandb.init(name="n")
    log = wandb.log
for step in range(1000):
    log({"loss": random.random()})
def train():
    raise RuntimeError("boom")
print("before", flush=True)
"""
WAYS = {
    "exit": "sys.exit(3)", "text": "sys.exit('sorry')", "error": "train()", "hard": "os._exit(5)",
    "killed": "os.kill(os.getpid(), 9)", "aborted": "os.abort()",
}  # fmt: skip


@pytest.mark.parametrize("way", WAYS)
def test_a_script_ends_as_with_python(tmp_path: Path, way: str) -> None:
    done = run_in(tmp_path, ENDS + WAYS[way])
    plain = plain_in(tmp_path, ENDS + WAYS[way], "plain")
    assert (done.returncode, done.stdout) == (plain.returncode, plain.stdout)
    report = said(done)
    before = done.stderr[: done.stderr.index(report[0])]
    assert before == plain.stderr
    if way not in ("killed", "aborted"):
        assert report[1] == "  runs/n  wandb: 1,000 scalars"
        assert len(mindscope.open_run(tmp_path / "runs" / "n").scalars("loss").value) == 1000
    else:
        assert report[1].startswith("  runs/n  wandb: ")


WAITS = """
import time, wandb
wandb.init(name="n")
wandb.log({"x": 1})
try:
    print("ready", flush=True)
    time.sleep(600)
finally:
    print("cleaned up", flush=True)
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_signals_reach_the_script(tmp_path: Path, number: signal.Signals) -> None:
    (tmp_path / "script.py").write_text(WAITS)
    command = [sys.executable, "-m", "mindscope", "run", "script.py"]
    pipe = subprocess.PIPE
    environment = {**os.environ, "XDG_STATE_HOME": str(tmp_path)}
    with subprocess.Popen(command, cwd=tmp_path, env=environment, stdout=pipe, stderr=pipe, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        process.send_signal(number)
        out, _ = process.communicate(timeout=LIMIT_S)  # waits for the script too, which holds the pipe
    assert process.returncode == -number
    assert out == ("cleaned up\n" if number == signal.SIGINT else "")
    if number != signal.SIGKILL:
        assert mindscope.open_run(tmp_path / "runs" / "n").scalars("x").value.tolist() == [1.0]


TERMINAL = """
import os, pty, sys
pid, terminal = pty.fork()
if pid == 0:
    os.execv(sys.executable, [sys.executable, "-m", "mindscope", "run", "script.py"])
text = b""
while b"ready" not in text:
    text += os.read(terminal, 1000)
os.write(terminal, bytes([3]))
try:
    while part := os.read(terminal, 1000):
        text += part
except OSError:  # the terminal has no process any more
    pass
words = text.decode()
print(words.count("cleaned up"), words.count("KeyboardInterrupt"), words.count("mindscope run: 1 run"))
print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
"""


def test_ctrl_c_in_a_terminal_interrupts_once(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(WAITS)
    done = completed([sys.executable, "-c", TERMINAL], tmp_path)
    assert done.stdout == f"1 1 1\n{-signal.SIGINT}\n", done.stderr


CHILDREN = """
import multiprocessing, subprocess, sys

def work(number):
    import wandb
    run = wandb.init(project="children", name=f"{multiprocessing.current_process().name}")
    run.log({"number": number})

if __name__ == "__main__":
    import sitecustomize
    print(sitecustomize.MINE, any("redirect" in path for path in sys.path), sys.argv)
    for way in ("spawn", "fork", "forkserver"):
        process = multiprocessing.get_context(way).Process(target=work, args=(3,), name=way)
        process.start()
        process.join()
    code = "import trackio; trackio.init(project='children', name='sub'); trackio.log({'number': 4})"
    subprocess.run([sys.executable, "-c", code], check=True)
"""


def test_children_and_the_users_own_start_up_hook(tmp_path: Path) -> None:
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "sitecustomize.py").write_text("MINE = 7")
    before = os.environ.get("PYTHONPATH")
    path = f"{tmp_path / 'site'}{os.pathsep}{before}" if before else str(tmp_path / "site")
    done = run_in(tmp_path, CHILDREN, "--x", PYTHONPATH=path)
    assert done.stdout == "7 False ['script.py', '--x']\n", done.stderr
    lines = said(done)
    assert lines[0] == "mindscope run: 4 runs"
    assert set(lines[1:5]) == {
        *(f"  runs/children/{way}  wandb: 1 scalar" for way in ("spawn", "fork", "forkserver")),
        "  runs/children/sub  trackio: 1 scalar",
    }


def test_modules_and_commands_run(tmp_path: Path) -> None:
    (tmp_path / "package").mkdir()
    (tmp_path / "package" / "__main__.py").write_text(
        "import sys, wandb\nwandb.init(name='m')\nprint(sys.argv[1:], __package__)"
    )
    run = [sys.executable, "-m", "mindscope", "run"]
    done = completed([*run, "--dir", "out", "-m", "package", "-m", "--dir", "-h"], tmp_path)
    assert done.stdout == "['-m', '--dir', '-h'] package\n", done.stderr
    assert said(done)[1] == "  out/m  wandb: no values"
    done = completed([*run, "missing.py"], tmp_path)
    assert done.returncode == 2
    assert done.stderr == "mindscope: script 'missing.py' does not exist; check the path, or give -m for a module\n"


def test_a_running_viewer_is_named(tmp_path: Path) -> None:
    (tmp_path / "runs").mkdir()
    port = str(free_port())
    viewer = [sys.executable, "-m", "mindscope"]
    assert completed([*viewer, "start", "runs", "--port", port, "--workspace", "space"], tmp_path).returncode == 0
    try:
        done = run_in(tmp_path, "import wandb\nprint(wandb.init(project='p', name='n').url)")
    finally:
        completed([*viewer, "stop", "--port", port], tmp_path)
    assert done.stdout == f"http://127.0.0.1:{port}\n", done.stderr
    assert said(done)[-1] == f"  view: http://127.0.0.1:{port}"


def test_values_of_an_earlier_start_do_not_count(tmp_path: Path) -> None:
    script = "import wandb\nwandb.init(id='same')\nfor i in range(3): wandb.log({'x': i})"
    first = run_in(tmp_path, script)
    old = next((tmp_path / "runs" / "same").iterdir())
    old.rename(old.with_name(old.name.replace("tfevents.1", "tfevents.0", 1)))  # as of an earlier time
    second = run_in(tmp_path, script)
    assert said(first)[1] == said(second)[1] == "  runs/same  wandb: 3 scalars"
    assert mindscope.open_run(tmp_path / "runs" / "same").scalars("x").step.tolist() == [0, 1, 2, 3, 4, 5]
