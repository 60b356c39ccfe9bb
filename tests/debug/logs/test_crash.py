# SPDX-License-Identifier: Apache-2.0
"""The error that a log ends with: programs that fail in every way, and those that went on after an error."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from mindscope.debug.logs.crash import Crash, CrashKind, read_crash
from mindscope.debug.logs.index import LogIndex

TRACEBACK = 'Traceback (most recent call last):\n  File "train.py", line 7, in <module>\n    step()\n'
SUMMARY = """\
E1123 20:41:33.000000 12 torch/distributed/elastic/multiprocessing/api.py:869] failed (exitcode: 1) local_rank: 0
============================================================
train.py FAILED
------------------------------------------------------------
Failures:
  <NO_OTHER_FAILURES>
------------------------------------------------------------
Root Cause (first observed failure):
[0]:
  time      : 2026-11-23_20:41:33
  exitcode  : 1 (pid: 12)
"""


def ended(directory: Path, program: str) -> Crash | None:
    """Runs a program, and reads its output."""
    script, log = directory / "train.py", directory / "train.log"
    script.write_text(program)
    with log.open("wb") as output:
        subprocess.run([sys.executable, str(script)], stdout=output, stderr=output, check=False)
    return read_crash(log)


def written(directory: Path, text: str) -> Crash | None:
    (directory / "train.log").write_text(text)
    return read_crash(directory / "train.log")


def test_a_program_that_fails_names_the_first_cause_and_its_own_line(tmp_path: Path) -> None:
    program = "print('step 1', flush=True)\ndef read():\n    return {}['lr']\ntry:\n    read()\n"
    found = ended(tmp_path, program + "except KeyError as error:\n    raise RuntimeError('no rate') from error\n")
    assert found is not None
    assert (found.kind, found.before, found.start) == (CrashKind.ERROR, ("step 1",), len("step 1\n"))
    assert [each.error for each in found.errors] == ["RuntimeError: no rate", "KeyError: 'lr'"]
    assert found.errors[-1].line == f"{tmp_path / 'train.py'}:3 read: return {{}}['lr']"
    index = LogIndex(found.path)  # the page opens this message
    index.read_more()
    assert found.start in index.start.tolist()


def test_an_error_that_was_caught_and_a_healthy_end_are_no_crash(tmp_path: Path) -> None:
    caught = "import traceback\ntry:\n    1 / 0\nexcept ZeroDivisionError:\n    traceback.print_exc()\n"
    assert ended(tmp_path, caught + "print('step 2')\n") is None
    assert ended(tmp_path, "print('step 1')\nprint('Killed 3 weeds; out of memory was not an issue')\n") is None
    assert written(tmp_path, "") is None
    assert written(tmp_path, "step 1\n2026-11-23 20:41:32,000 ERROR can't reach the disk\n") is None


def test_an_interrupted_and_a_killed_process_are_told_from_an_error(tmp_path: Path) -> None:
    interrupted = ended(tmp_path, "print('step 1', flush=True)\nraise KeyboardInterrupt\n")
    assert interrupted is not None
    assert interrupted.kind is CrashKind.INTERRUPTED
    (tmp_path / "job.sh").write_text("kill -9 $$ & wait\n")
    (tmp_path / "outer.sh").write_text(f"echo step 1\nbash {tmp_path / 'job.sh'}\necho -n\n")
    with (tmp_path / "slurm-1.out").open("wb") as output:
        subprocess.run(["bash", str(tmp_path / "outer.sh")], stdout=output, stderr=output, check=False)
    killed = read_crash(tmp_path / "slurm-1.out")
    assert killed is not None
    assert (killed.kind, killed.before) == (CrashKind.KILLED, ("step 1",))
    fault = "import ctypes, faulthandler\nfaulthandler.enable()\nprint('step 1', flush=True)\nctypes.string_at(0)\n"
    crashed = ended(tmp_path, fault)
    assert crashed is not None
    assert (crashed.kind, crashed.errors[0].error) == (CrashKind.CRASHED, "Fatal Python error: Segmentation fault")


@pytest.mark.parametrize(
    ("error", "is_memory"),
    [
        ("torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 20.00 GiB.", True),
        ("RuntimeError: DefaultCPUAllocator: can't allocate memory: you tried to allocate 4000 bytes.", True),
        ("numpy.core._exceptions._ArrayMemoryError: Unable to allocate 7.28 TiB for an array", True),
        ("ValueError: the memory of step 3 is bad", False),
    ],
)
def test_errors_of_memory_are_marked(error: str, is_memory: bool, tmp_path: Path) -> None:
    found = written(tmp_path, f"step 1\n{TRACEBACK}{error}\n")
    assert found is not None
    assert (found.errors[0].error, found.is_memory) == (error, is_memory)


def test_a_worker_of_a_loader_is_named_as_the_first_cause(tmp_path: Path) -> None:
    frame = '  File "{}", line {}, in {}\n    {}\n'
    text = "Traceback (most recent call last):\n" + frame.format("/t/train.py", 9, "<module>", "for batch in loader:")
    text += frame.format("/v/lib/python3.11/site-packages/torch/_utils.py", 769, "reraise", "raise exception")
    text += (
        "ValueError: Caught ValueError in DataLoader worker process 0.\nOriginal Traceback (most recent call last):\n"
    )
    text += frame.format("/v/lib/python3.11/site-packages/torch/utils/data/fetch.py", 52, "fetch", "data = [...]")
    text += frame.format("/t/data.py", 12, "__getitem__", 'raise ValueError("bad record 17")')
    text += "ValueError: bad record 17\n\n"
    for log in (f"step 1\n{text}", f"step 1\n{text}{SUMMARY}"):
        found = written(tmp_path, log)
        assert found is not None
        assert [each.line.split(": ")[0] for each in found.errors] == [
            "/t/train.py:9 <module>",
            "/t/data.py:12 __getitem__",
        ]
        assert found.errors[-1].error == "ValueError: bad record 17"


def test_lines_of_ranks_and_captured_output_are_read_without_their_heads(tmp_path: Path) -> None:
    text = f"{TRACEBACK}ValueError: loss is nan\n"
    ranks = "".join(f"[rank3]: {line}\n" for line in text.splitlines())
    captured = "".join(f"2026-11-26T20:41:31.123456+08:00 stderr F {line}\n" for line in text.splitlines())
    for log in (f"step 1\n{ranks}", captured):
        found = written(tmp_path, log)
        assert found is not None
        assert found.errors[0] == ("ValueError: loss is nan", "train.py:7 <module>: step()")
    assert read_crash(tmp_path / "train.log") is not None
    assert written(tmp_path, captured + "2026-11-26T20:41:32.123456+08:00 stdout F step 2\n") is None


def test_of_a_large_log_the_end_is_read(tmp_path: Path) -> None:
    lines = "".join(f"step {each}\n" for each in range(200_000))
    found = written(tmp_path, f"{lines}{TRACEBACK}ValueError: bad\n")
    assert found is not None
    assert (found.start, found.before[-1]) == (len(lines), "step 199999")
    with pytest.raises(FileNotFoundError):
        read_crash(tmp_path / "none.log")
    (tmp_path / "odd.log").write_bytes(os.urandom(4096) + b"\nTraceback (most recent call last):")
    read_crash(tmp_path / "odd.log")
