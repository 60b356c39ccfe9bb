# SPDX-License-Identifier: Apache-2.0
"""A process with limited memory: messages, errors, memory, deadlines, and what ends it."""

from __future__ import annotations

import os
import select
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mindscope.errors import FormatError
from mindscope.limited_process import is_large, run_limited
from mindscope.reasons import reason_of
from tests.processes_of_readers import fail, take, wait

MEMORY = 64 << 20


def run(function: Callable[..., None], **options: Any) -> list[Any]:
    messages = list[Any]()
    run_limited(function, options.pop("arguments"), file="a.json", on_message=messages.append, **options)
    return messages


def code_of(function: Callable[..., None], arguments: dict[str, Any], **options: Any) -> str:
    with pytest.raises(FormatError) as caught:
        run(function, arguments=arguments, memory_bytes=MEMORY, **options)
    return reason_of(caught.value).code


def is_alive(pid: int) -> bool:
    """Also of a process that nobody has collected."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_messages_arrive_in_order_below_the_limit() -> None:
    size = MEMORY // 4
    assert run(take, arguments={"size": size}, memory_bytes=MEMORY) == [{"first": 1.0}, {"taken": size}]


def test_more_memory_than_the_limit_is_a_problem_that_names_file_and_limit() -> None:
    with pytest.raises(FormatError, match=r"Reading .*a\.json needs more memory than the limit of 64 MiB") as caught:
        run(take, arguments={"size": 2 * MEMORY}, memory_bytes=MEMORY)
    assert "--reader-memory" in str(caught.value)


@pytest.mark.parametrize(
    ("how", "code"),
    [
        ("format", "profile_empty"),
        ("bug", "uncoded"),
        ("memory", "reader_out_of_memory"),
        ("killed", "reader_out_of_memory"),
        ("crash", "reader_ended"),
    ],
)
def test_each_end_has_its_reason(how: str, code: str) -> None:
    assert code_of(fail, {"how": how}) == code


def test_an_error_of_the_system_stays_one() -> None:
    with pytest.raises(FileNotFoundError):
        run(fail, arguments={"how": "system"}, memory_bytes=MEMORY)


def test_a_deadline_ends_it(tmp_path: Path) -> None:
    assert code_of(wait, {"path": str(tmp_path / "pid")}, most_seconds=0) == "reader_too_slow"


def test_what_watches_ends_it(tmp_path: Path) -> None:
    class GoneError(Exception):
        pass

    def watch() -> None:
        if (tmp_path / "pid").exists():
            raise GoneError

    with pytest.raises(GoneError):
        run(wait, arguments={"path": str(tmp_path / "pid")}, memory_bytes=MEMORY, watch=watch)
    assert not is_alive(int((tmp_path / "pid").read_text()))


def test_it_ends_with_the_viewer(tmp_path: Path) -> None:
    program = (
        "from mindscope.limited_process import run_limited\nfrom tests.processes_of_readers import wait\n"
        f"run_limited(wait, {{'path': {str(tmp_path / 'pid')!r}}}, file='a', memory_bytes={MEMORY},"
        " on_message=lambda message: print('there', flush=True))"
    )
    root = Path(__file__).parents[1]
    with subprocess.Popen([sys.executable, "-c", program], cwd=root, stdout=subprocess.PIPE) as parent:
        assert parent.stdout is not None
        assert parent.stdout.readline() == b"there\n"
        reader = int((tmp_path / "pid").read_text())
        ended = os.pidfd_open(reader)
        parent.kill()
        assert select.select([ended], [], [], 30)[0]
        os.close(ended)


def test_files_are_large_by_the_limit() -> None:
    assert is_large(1 << 20, MEMORY)
    assert not is_large((1 << 20) - 1, MEMORY)
    assert is_large(1 << 16, MEMORY, is_dense=True)
    assert not is_large((1 << 16) - 1, MEMORY, is_dense=True)
    assert not is_large(1 << 40, 0)
