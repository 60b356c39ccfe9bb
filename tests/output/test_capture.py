# SPDX-License-Identifier: Apache-2.0
"""``capture_output`` in real processes: Python, C, children, crashes, full disks, forks, restarts."""

from __future__ import annotations

import os
import pty
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import mindscope

START = "import ctypes, os, resource, signal, subprocess, sys, mindscope\nrun = sys.argv[1]\n"
WITH = START + "with mindscope.capture_output(run):\n"


def train(run: Path, body: str, start: str = WITH, **environment: str) -> subprocess.CompletedProcess[bytes]:
    clean = {name: value for name, value in os.environ.items() if name not in ("RANK", "RANK_ID")}
    program = start + "".join(f"    {line}\n" for line in body.splitlines())
    return subprocess.run(
        [sys.executable, "-c", program, str(run)], capture_output=True, check=False, env={**clean, **environment}
    )


def written(path: Path, stream: str = "") -> list[str]:
    """The texts of a file; of one stream if given."""
    lines = [line.split(" ", 3) for line in path.read_text().splitlines()]
    return [text for _, name, _, text in lines if stream in ("", name)]


def test_python_c_and_children_are_captured_and_still_printed(tmp_path: Path) -> None:
    done = train(tmp_path / "run", """print("from Python")
print("an error", file=sys.stderr)
ctypes.CDLL(None).printf(b"from C\\n")
subprocess.run(["echo", "from a child"])
sys.stderr.write("\\r1%\\r2%\\n")
print("no end", end="")""")  # fmt: skip
    assert done.stdout == b"from Python\nfrom C\nfrom a child\nno end"
    assert done.stderr == b"an error\n\r1%\r2%\n"
    log = tmp_path / "run" / "output.log"
    assert written(log, "stdout") == ["from Python", "from C", "from a child", "no end"]
    assert written(log, "stderr")[-1] == "2%"


def test_output_after_the_end_is_not_captured_and_a_restart_appends(tmp_path: Path) -> None:
    for _ in range(2):
        done = train(tmp_path, 'print("in")\nwith mindscope.capture_output(run): print("twice")\n')
        assert done.stdout == b"in\ntwice\n"
    assert written(tmp_path / "output.log") == ["in", "twice"] * 2
    program = 'capture = mindscope.capture_output(run)\ncapture.start()\nprint("a")\ncapture.stop()\nprint("b")'
    assert train(tmp_path / "two", program, START + "if True:\n").stdout == b"a\nb\n"
    assert written(tmp_path / "two" / "output.log") == ["a"]


@pytest.mark.parametrize(("end", "code"), [
    ("os.kill(os.getpid(), signal.SIGKILL)", -signal.SIGKILL), ("os._exit(3)", 3), ("raise ValueError('why')", 1),
    ("ctypes.string_at(0)", -signal.SIGSEGV),
])  # fmt: skip
def test_the_last_words_of_a_training(tmp_path: Path, end: str, code: int) -> None:
    begin = "import faulthandler; faulthandler.enable()\nos.write(1, b'last words')\n"
    done = train(tmp_path, begin + end)
    assert done.returncode == code
    assert done.stdout == b"last words"  # the tee has closed what it wrote to, so it has written everything
    assert written(tmp_path / "output.log", "stdout") == ["last words"]
    if code == 1:
        assert done.stderr.count(b"ValueError: why") == 1
        assert written(tmp_path / "output.log", "stderr")[-1] == "ValueError: why"
    if code == -signal.SIGSEGV:
        assert any("Fatal Python error: Segmentation fault" in each for each in written(tmp_path / "output.log"))


def test_a_tee_that_is_killed_breaks_nothing(tmp_path: Path) -> None:
    done = train(tmp_path, """import threading
tee = next(each for each in threading.enumerate() if each.name == "mindscope-output")
child = int(subprocess.run(["pgrep", "-P", str(os.getpid()), "-f", "mindscope.output.tee"], capture_output=True).stdout)
os.kill(child, signal.SIGKILL)
sys.stdout.write("x" * 200_000)
tee.join()
print("end")""")  # fmt: skip
    assert (done.returncode, len(done.stdout)) == (0, 200_004)


def test_forks_and_threads_that_print(tmp_path: Path) -> None:
    done = train(tmp_path, """child = os.fork()
if child == 0:
    print("in the child", flush=True)
    sys.exit(0)
os.waitpid(child, 0)
print("in the parent")""")  # fmt: skip
    assert sorted(done.stdout.splitlines()) == [b"in the child", b"in the parent"]
    assert sorted(written(tmp_path / "output.log")) == ["in the child", "in the parent"]


def test_ranks_write_into_their_own_directories(tmp_path: Path) -> None:
    for rank in ("0", "1"):
        train(tmp_path, f"print('rank {rank}')", RANK=rank)
    train(tmp_path / "rank_5", "print('rank 5')", RANK="5")
    assert {path.relative_to(tmp_path).as_posix(): written(path) for path in tmp_path.rglob("output.log")} == {
        "rank_0/output.log": ["rank 0"], "rank_1/output.log": ["rank 1"], "rank_5/output.log": ["rank 5"],
    }  # fmt: skip


def test_a_disk_that_is_full_breaks_nothing(tmp_path: Path) -> None:
    limit = START + "resource.setrlimit(resource.RLIMIT_FSIZE, (300, 300))\nwith mindscope.capture_output(run):\n"
    done = train(tmp_path, "for step in range(100): print('step', step)", limit)
    assert (done.returncode, done.stdout.count(b"\n"), done.stderr) == (0, 100, b"")
    assert 0 < (tmp_path / "output.log").stat().st_size <= 300


def test_a_directory_that_cannot_be_made_is_a_warning(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    done = train(tmp_path / "file" / "run", "print('goes on')")
    assert (done.returncode, done.stdout) == (0, b"goes on\n")
    assert b"output of the training is not captured" in done.stderr


def test_a_terminal_stays_a_terminal(tmp_path: Path) -> None:
    parent, child = pty.openpty()
    program = WITH + "    print(sys.stdout.isatty(), os.get_terminal_size().columns > -1)\n"
    done = subprocess.run([sys.executable, "-c", program, str(tmp_path)], stdout=child, stderr=child, check=False)
    os.close(child)
    assert (done.returncode, b"".join(read_all(parent))) == (0, b"True True\r\n")
    assert written(tmp_path / "output.log") == ["True True"]


def read_all(file: int) -> Iterator[bytes]:
    try:
        while data := os.read(file, 1 << 16):
            yield data
    except OSError:  # EIO: nobody writes any more
        os.close(file)


def test_much_output_is_complete(tmp_path: Path) -> None:
    done = train(tmp_path, "for step in range(50_000): print('step', step)")
    assert done.stdout.count(b"\n") == 50_000
    assert written(tmp_path / "output.log") == [f"step {step}" for step in range(50_000)]


@pytest.mark.parametrize("arguments", [{"max_bytes": 10}, {"backups": -1}])
def test_bounds_are_checked(tmp_path: Path, arguments: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="want at least 65536 and 0"):
        mindscope.capture_output(tmp_path, **arguments)
