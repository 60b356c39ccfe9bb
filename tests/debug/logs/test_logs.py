# SPDX-License-Identifier: Apache-2.0
"""Logs of trainings: heads of lines, messages of several lines, growing files, filters."""

from __future__ import annotations

import logging
import tracemalloc
from datetime import datetime, timezone
from pathlib import Path
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindscope.debug.logs import index as index_module
from mindscope.debug.logs._line_scan import MOST_KINDS, LineScanner
from mindscope.debug.logs.filter import LogFilter, select_messages
from mindscope.debug.logs.index import LogIndex, MessageKind
from mindscope.debug.logs.line_heads import Severity, parse_head
from mindscope.debug.logs.log_files import LogFiles, Selection
from mindscope.debug.logs.saved_index import evict_indexes
from mindscope.errors import DebugDataError
from mindscope.server.jobs.jobs import run_steps

CPP = "[WARNING] DEVICE(1520,7f0a,python):2026-11-23-20:41:31.123.456 [mindspore/ccsrc/a.cc:12] Run] slow"
PYTHON = "[ERROR] ME(1520:140,MainProcess):2026-11-23-20:41:31.512.3 [mindspore/train/model.py:12] failed"


def at(second: int, fraction_ns: int = 0, year: int = 2026) -> int:
    return int(datetime(year, 11, 23, 20, 41, second, tzinfo=timezone.utc).timestamp()) * 10**9 + fraction_ns


@pytest.mark.parametrize(("line", "level", "time_ns", "module", "rank"), [
    (CPP, Severity.WARNING, at(31, 123_456_000), "DEVICE", -1),
    (PYTHON, Severity.ERROR, at(31, 5_123_000), "ME", -1),
    (f"[default3]:{PYTHON}", Severity.ERROR, at(31, 5_123_000), "ME", 3),
    ("[rank7]:[W1123 20:41:31.123456789 socket.cpp:752] [c10d] late", Severity.WARNING, at(31, 123_456_789),
     "socket.cpp", 7),
    ("I1123 20:41:31.000005 4242 torch/_dynamo/utils.py:12] [0/0] x", Severity.INFO, at(31, 5000),
     "torch/_dynamo/utils.py", -1),
    ("V1123 20:41:31.000005 4242 torch/_logging/structured.py:22] {\"a\": 1}", Severity.DEBUG, at(31, 5000),
     "torch/_logging/structured.py", -1),
    ("E20251123 20:41:31.5 17 x.cc:9] gone", Severity.UNKNOWN, None, "", -1),
    ("F20251123 20:41:31.500 17 x.cc:9] gone", Severity.CRITICAL, at(31, 500_000_000, 2025), "x.cc", -1),
    ("2026-11-23 20:41:31,123 - torch.trainer - INFO - epoch 1", Severity.INFO, at(31, 123_000_000),
     "torch.trainer", -1),
    ("2026-11-23 20:41:31,123 WARNING net: odd", Severity.WARNING, at(31, 123_000_000), "net", -1),
    ("[2026-11-23 20:41:31,123][root][ERROR] - bad", Severity.ERROR, at(31, 123_000_000), "root", -1),
    ("[INFO|trainer.py:123] 2026-11-23 20:41:31,123 >> step", Severity.INFO, at(31, 123_000_000), "", -1),
    ("WARNING:root:odd", Severity.WARNING, 0, "root", -1),
    ("[rank0]: plain", Severity.UNKNOWN, 0, "", 0),
    ("slurmstepd: error: *** JOB 7 ON n1 CANCELLED ***", Severity.ERROR, 0, "slurmstepd", -1),
    ("srun: error: n1: task 0: Killed", Severity.ERROR, 0, "srun", -1),
    ("srun: Job step aborted: Waiting up to 32 seconds", Severity.INFO, 0, "srun", -1),
])  # fmt: skip
def test_heads(line: str, level: Severity, time_ns: int | None, module: str, rank: int) -> None:
    head = parse_head(line, 2026)
    if time_ns is None:
        assert head is None
        return
    assert head is not None
    assert (head.level, head.time_ns, head.rank) == (level, time_ns, rank)
    assert head.module == module or not module


@pytest.mark.parametrize(("line", "module", "message"), [
    (CPP, "DEVICE", "[mindspore/ccsrc/a.cc:12] Run] slow"),
    (PYTHON, "ME", "[mindspore/train/model.py:12] failed"),
    ("[rank7]:[W1123 20:41:31.123456789 socket.cpp:752] [c10d] late", "socket.cpp", "socket.cpp:752] [c10d] late"),
    ("[rank0]: plain", "", "plain"),
    ("WARNING:root:odd: 3", "root", "odd: 3"),
    ("2026-11-23 20:41:31,123 INFO Starting to train", "", "Starting to train"),
    ("2026-11-23 20:41:31,123 INFO lenet.lenet-lr0.005: step 1", "lenet.lenet-lr0.005", "step 1"),
    ("2026-11-23 20:41:31,123 - torch.trainer - INFO - epoch 1 - end", "torch.trainer", "epoch 1 - end"),
    ("[2026-11-23 20:41:31,123][root][ERROR] - bad", "root", "bad"),
    ("2026-11-23 20:41:31 | INFO     | pkg.mod:run:12 - text", "pkg.mod", "run:12 - text"),
    ("2026-11-23 20:41:31.123 root [INFO] hi", "root", "hi"),
    ("2026-11-23T20:41:31Z INFO net: a", "net", "a"),
    ("2026-11-23 20:41:31.5+08:00 INFO -1 is odd", "", "-1 is odd"),
    ("2026-11-23 20:41:31,123 INFO pkg.mod no colon", "pkg.mod", "no colon"),
    ("2026-11-23 20:41:31,123 INFO v1.2 loaded", "", "v1.2 loaded"),
    ("2026-11-23 20:41:31,123 INFO [c10d late] again", "", "[c10d late] again"),
    ("2026-11-23 20:41:31,123 only a time", "", "only a time"),
    ("名 2026-11-23 20:41:31,123 WARNING 学习率 = 0", "", "学习率 = 0"),
])  # fmt: skip
def test_what_follows_a_head(line: str, module: str, message: str) -> None:
    head = parse_head(line, 2026)
    assert head is not None
    assert (head.module, line[head.length :]) == (module, message)


@pytest.mark.parametrize(
    "line", ["", "loss: 0.5", "  indented", "[1, 2]", "Iteration 3", "[WARNING] text", "I am", "9999-01-01 00:00:00 x"]
)
def test_lines_without_head(line: str) -> None:
    assert parse_head(line, 2026) is None


@given(st.text(max_size=600))
def test_any_text_has_a_head_or_none(line: str) -> None:
    parse_head(line, 2026)
    parse_head(f"[rank0]:[W1399 99:99:99.{line}", 2026)


def test_lines_of_pythons_own_logging(tmp_path: Path) -> None:
    path = tmp_path / "log"
    handler = logging.FileHandler(path)
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s %(message)s"))
    logger = logging.getLogger("mindscope.tests.own")
    logger.propagate = False
    logger.addHandler(handler)
    logger.warning("first\nand more")
    try:
        raise ValueError("broken")
    except ValueError:
        logger.exception("second")
    logger.removeHandler(handler)
    handler.close()
    index = read(path)
    assert [each.level for each in kinds(index)] == [Severity.WARNING, Severity.UNKNOWN, Severity.ERROR]
    assert kinds(index)[2].module == "mindscope.tests.own"
    assert texts(index)[2].endswith("ValueError: broken")


def read(path: Path) -> LogIndex:
    index = LogIndex(path)
    index.read_more()
    return index


def kinds(index: LogIndex) -> list[MessageKind]:
    return [index.kinds[each] for each in index.kind]


def texts(index: LogIndex) -> list[str]:
    return [each.text for each in index.messages(np.arange(len(index)))]


MESSAGES = [
    CPP, f"{PYTHON}\n\n----\n- C++ Call Stack:\n----\nmindspore/a.cc:3 Run",
    "[INFO] MD(1,2,p):2026-11-23-20:41:32.1.1 [a] b] c",
]  # fmt: skip


def test_lines_without_head_belong_to_the_message_before(tmp_path: Path) -> None:
    path = tmp_path / "rank_3" / "logs" / "mindspore.log"
    path.parent.mkdir(parents=True)
    path.write_text("printed first\n" + "\n".join(MESSAGES) + "\n")
    index = read(path)
    assert texts(index) == ["printed first", *MESSAGES]
    assert [(each.rank, each.module) for each in kinds(index)] == [(3, ""), (3, "DEVICE"), (3, "ME"), (3, "MD")]


def test_printed_lines_are_messages_and_a_traceback_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "out"
    path.write_text("loss 1\nloss 2\n  more\nTraceback (most recent call last):\n  File x\nValueError: a\nloss 3\n")
    assert texts(read(path)) == [
        "loss 1",
        "loss 2\n  more",
        "Traceback (most recent call last):\n  File x\nValueError: a",
        "loss 3",
    ]
    index = read(path)
    assert [index.kinds[kind].level for kind in index.kind.tolist()] == [0, 0, Severity.ERROR, 0]


@pytest.mark.parametrize("seed", range(5))
def test_a_growing_file_gives_the_same_index(tmp_path: Path, seed: int) -> None:
    random = Random(seed)
    whole = (
        "\n".join(["start", *MESSAGES, "x" * 70_000, *MESSAGES, "Traceback (most recent call last):", " a", "E: b"])
        + "\n"
    ).encode()
    path = tmp_path / "log"
    path.write_bytes(b"")
    index = LogIndex(path)
    at = 0
    while at < len(whole):
        at += random.choice([1, 3, 50, 400, 20_000])
        path.write_bytes(whole[:at])
        index.read_more(random.choice([None, 10, 1000]))
    while index.read_more(100):
        pass
    want = read(path)
    assert texts(index) == texts(want)
    np.testing.assert_array_equal(index.start, want.start)
    assert kinds(index) == kinds(want)
    np.testing.assert_array_equal(index.time_ns, want.time_ns)


def test_the_last_line_needs_no_end_and_a_new_file_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_text(f"{CPP}\n{PYTHON}")
    index = read(path)
    assert texts(index) == [CPP, PYTHON]
    assert index.read_more() == 0
    path.write_text("short\n")
    index.read_more()
    assert texts(index) == ["short"]
    write(tmp_path / "other", f"{CPP}\nlonger than before\n").replace(path)
    index.read_more()
    assert texts(index) == [f"{CPP}\nlonger than before"]
    with pytest.raises(FileNotFoundError):
        read(tmp_path / "none")


def write(path: Path, text: str) -> Path:
    path.write_text(text)
    return path


def test_filters(tmp_path: Path) -> None:
    index = read(write(tmp_path / "log", "\n".join(["printed", *MESSAGES * 1000, "Ärger"])))

    def rows(**conditions: object) -> list[int]:
        found = list(select_messages(index, LogFilter(**conditions)))  # pyright: ignore[reportArgumentType]
        return np.concatenate(found).tolist() if found else []

    assert len(rows()) == 3001
    assert rows(least_level=Severity.ERROR)[:2] == [2, 5]
    assert len(rows(modules=["MD", "DEVICE"])) == 2000
    assert rows(ranks=[4]) == []
    assert len(rows(first_ns=at(32))) == 1000
    assert len(rows(last_ns=at(31, 6_000_000))) == 1000
    assert len(rows(text="CALL stack")) == 1000
    assert rows(regex="^printed$|Ä.ger") == [0, 3000]
    assert len(rows(regex="a.cc:[0-9]", least_level=Severity.ERROR)) == 1000
    assert rows(regex="(a*)*b" * 3, text="nothing") == []
    with pytest.raises(DebugDataError, match="no regular expression"):
        rows(regex="(")


def test_damaged_bytes_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_bytes(b"\xff\xfe\0\n" + CPP.encode() + b"\n\x80\n")
    assert texts(read(path)) == ["\ufffd\ufffd\0", f"{CPP}\n\ufffd"]


def test_lines_of_a_rank_belong_together(tmp_path: Path) -> None:
    path = tmp_path / "out"
    traceback = "[rank1]: Traceback (most recent call last):\n[rank1]:   File x\n[rank1]: ValueError: a"
    path.write_text(f"[rank0]: one\n[rank0]:   more\n{traceback}\n[rank1]: two\n")
    assert texts(read(path)) == ["[rank0]: one\n[rank0]:   more", traceback, "[rank1]: two"]


def test_messages_without_time_have_that_of_the_message_before(tmp_path: Path) -> None:
    index = read(write(tmp_path / "out", "first\n2026-11-23 20:41:31,5 INFO net: x\nloss 1\n"))
    assert index.time_ns.tolist() == [0, at(31, 500_000_000), at(31, 500_000_000)]
    assert [each.time_ns for each in index.messages(np.arange(3))] == [0, at(31, 500_000_000), 0]


def test_gb_2312(tmp_path: Path) -> None:
    path = tmp_path / "out"
    path.write_bytes("损失 1\n".encode("gb2312") + "损失 2\n".encode())
    assert texts(read(path)) == ["损失 1", "损失 2"]


def test_a_catastrophic_expression_takes_linear_time(tmp_path: Path) -> None:
    index = read(write(tmp_path / "log", "a" * 200_000 + "\n"))
    assert list(select_messages(index, LogFilter(regex="(a|aa)+$|(a+)+b"))) != []
    assert list(select_messages(index, LogFilter(regex="(a+)+b"))) == []


def test_a_long_line_costs_little_memory(tmp_path: Path) -> None:
    path = tmp_path / "log"
    with path.open("wb") as file:
        file.write(f"{CPP} ".encode())
        for _ in range(100):
            file.write(b"x" * (1 << 20))
        file.write(f"\n{PYTHON} é\n".encode())
    tracemalloc.start()
    index = read(path)
    assert [len(each.text) for each in index.messages(np.arange(2))] == [1 << 20, len(PYTHON) + 2]
    assert [each.tolist() for each in select_messages(index, LogFilter(regex="failed é$"))] == [[1]]
    assert tracemalloc.get_traced_memory()[1] < 40 << 20
    tracemalloc.stop()


LARGE = "".join(f"[INFO] ME(1:1,p):2026-11-23-20:41:31.{each % 1000:03}.000 [a.py:1] {'x' * 200} {each}\n"
                for each in range(40_000))  # fmt: skip


def test_a_saved_index_continues(tmp_path: Path) -> None:
    cache, path = tmp_path / "cache", tmp_path / "log"
    path.write_text(LARGE + "[ERROR] ME(1:1,p):2026-11-23-20:41:32.0.0 [a.py:1] cut")
    LogIndex(path, cache).read_more()
    with path.open("a") as file:
        file.write(f" no more\n{CPP}\n")
    index = LogIndex(path, cache)
    assert 0 < index.read_more() < 300
    want = read(path)
    assert texts(index)[-3:] == texts(want)[-3:]
    np.testing.assert_array_equal(index.start, want.start)
    np.testing.assert_array_equal(index.time_ns, want.time_ns)
    assert kinds(index) == kinds(want)
    damaged = next(cache.glob("*.logindex"))
    damaged.write_text('{"version": 1, "count": 99999999}')
    again = LogIndex(path, cache)
    again.read_more()
    assert len(again) == len(want)


def test_a_file_that_was_cut_and_written_again_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_text(LARGE)
    index = LogIndex(path, tmp_path / "cache")
    index.read_more()
    path.write_text("other\n" * 2_000_000)  # longer, and the same file
    index.read_more()
    assert (len(index), index.generation) == (2_000_000, 1)


def test_the_least_recently_used_indexes_are_deleted(tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    for name in "abc":
        write(tmp_path / name, LARGE)
        LogIndex(tmp_path / name, cache).read_more()
    index = LogIndex(tmp_path / "a", cache)
    evict_indexes(cache, 0, in_use=1)
    assert len(list(cache.iterdir())) == 4
    assert len(texts(index)) == 40_000


def test_many_modules_are_bounded() -> None:
    lines = b"".join(b"2026-11-23 20:41:31 INFO m%d: x\n" % each for each in range(MOST_KINDS + 5000))
    scanner = LineScanner(-1)
    taken, start, _, kind = scanner.scan(memoryview(lines), 0, 2026, False)
    assert (taken, len(start), len(scanner.kinds)) == (len(lines), MOST_KINDS + 5000, MOST_KINDS + 1)
    assert scanner.kinds[kind[-1]] == (Severity.INFO, "", -1, True)


def captured(second: float, text: str, stream: str = "stderr", tag: str = "F") -> str:
    whole, fraction = divmod(second, 1)
    return f"2026-11-23T20:41:{int(whole):02}.{int(fraction * 1e6):06}+08:00 {stream} {tag} {text}\n"


CAPTURED = [
    captured(1, "epoch 1", "stdout"), captured(2, "Traceback (most recent call last):"), captured(2, '  File "a.py"'),
    captured(2, "ValueError: why"), captured(3, PYTHON), captured(3, "  more"), captured(3.5, "later"),
    captured(4, "a long ", "stdout", "P"), captured(4, "line", "stdout"),
    captured(4, "other"), captured(5, "", "stdout"),
]  # fmt: skip


def test_captured_output_has_times_streams_and_whole_messages(tmp_path: Path) -> None:
    path = tmp_path / "output.log"
    path.write_text("".join(CAPTURED))
    index = LogIndex(path)
    index.read_more()
    found = [(each.text, each.module, each.time_ns) for each in index.messages(np.arange(len(index)))]
    assert found == [
        ("epoch 1", "stdout", at(1)),
        ('Traceback (most recent call last):\n  File "a.py"\nValueError: why', "stderr", at(2)),
        (f"{PYTHON}\n  more", "ME", at(3)), ("later", "stderr", at(3, 500_000_000)),
        ("a long line", "stdout", at(4)), ("other", "stderr", at(4)), ("", "stdout", at(5)),
    ]  # fmt: skip
    levels = [index.kinds[kind].level for kind in index.kind.tolist()]
    assert levels == [0, Severity.ERROR, Severity.ERROR, 0, 0, 0, 0]
    for regex, want in {"^epoch": [0], "^  File": [1], "stderr F": [], "why$": [1], "^later$": [3]}.items():
        rows = [row for batch in select_messages(index, LogFilter(regex=regex)) for row in batch.tolist()]
        assert rows == want, regex


def test_captured_output_that_grows_byte_by_byte(tmp_path: Path) -> None:
    path, data = tmp_path / "output.log", "".join(CAPTURED).encode()
    path.write_bytes(data)
    whole, growing = LogIndex(path), LogIndex(path)
    whole.read_more()
    path.write_bytes(b"")
    with path.open("ab", buffering=0) as file:
        for place in range(0, len(data), 7):
            file.write(data[place : place + 7])
            growing.read_more()
    assert growing.start.tolist() == whole.start.tolist()
    assert growing.time_ns.tolist() == whole.time_ns.tolist()


@pytest.mark.parametrize("is_saved", [False, True], ids=["in memory", "saved"])
def test_a_log_that_a_download_fills_is_indexed_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_saved: bool
) -> None:
    """It has its size from the start, and its blocks come in any order."""
    monkeypatch.setattr(index_module, "_SAVED_FROM", 1)
    path, folder = tmp_path / "train.log", tmp_path / "cache" if is_saved else None
    whole = f"{CPP}\n".encode() * 200
    half = len(whole) // 2 // len(f"{CPP}\n") * len(f"{CPP}\n")
    path.write_bytes(bytes(half) + whole[half:])
    index = LogIndex(path, folder)
    index.read_more()
    assert len(index) < 200
    index = LogIndex(path, folder) if is_saved else index
    with path.open("r+b") as file:
        file.write(whole[:half])
    while index.read_more():
        pass
    assert len(index) == 200
    generation = index.generation
    assert index.read_more() == 0
    assert index.generation == generation


def test_a_slow_expression_stops_at_the_deadline_and_goes_on(tmp_path: Path) -> None:
    """Its first search takes as long as it takes, and makes the next one shorter."""
    path = tmp_path / "train.log"
    path.write_text(
        "".join(f"2026-11-23 20:41:31,123 - root - INFO - step {number} {'ab' * 40}\n" for number in range(9000))
    )
    logs = LogFiles([("train.log", path)], None)
    logs.refresh()
    run_steps(logs)
    selection = Selection(logs, LogFilter(regex="(?:a.?b.?){30}7?"))
    steps = 0
    while not selection.is_complete:
        before = selection.searched
        run_steps(selection, 0.0)  # over already: one group each time
        assert selection.searched > before
        steps += 1
    assert steps > 1
    assert len(selection) == 9000


BAR = "\r  0%|      | 0/50 [0:31<8:35:20]\r 22%|##    | 11/50 [110:31<8:35:20, 631.01s/it]"
CANCELLED = "slurmstepd: error: *** JOB 42221 ON node17 CANCELLED AT 2022-04-14T16:20:46 DUE TO TIME LIMIT ***"


@pytest.mark.parametrize("end", ["", "\n", "\r\n", "\nlast line\n"])
@pytest.mark.parametrize("updates", [1, 3000])
def test_a_message_of_slurm_after_a_progress_bar_is_an_error(tmp_path: Path, end: str, updates: int) -> None:
    path = tmp_path / "slurm-42221.out"
    path.write_text(f"first\n{BAR * updates}{CANCELLED}{end}")
    index = LogIndex(path)
    index.read_more()
    messages = list(index.messages(np.arange(len(index))))
    (error,) = [message for message in messages if message.level == Severity.ERROR]
    assert (error.module, error.text) == ("slurmstepd", CANCELLED)
    bar = "\n".join(message.text for message in messages if message.row < error.row)
    assert bar.endswith("22%|##    | 11/50 [110:31<8:35:20, 631.01s/it]")
    assert np.concatenate(list(select_messages(index, LogFilter(regex="^slurmstepd")))).tolist() == [error.row]
    assert "0/50 [0:31" not in bar


@pytest.mark.parametrize("line", ["\r 1% of srun: x\n", "a line about slurmstepd: error\n", "mysrun: error: x\n"])
def test_other_lines_that_name_slurm_start_no_error(tmp_path: Path, line: str) -> None:
    path = tmp_path / "a.log"
    path.write_text(f"first\n{line}")
    index = LogIndex(path)
    index.read_more()
    assert not [message for message in index.messages(np.arange(len(index))) if message.level == Severity.ERROR]


def test_an_index_in_memory_has_room_for_some_messages(tmp_path: Path) -> None:
    path = write(tmp_path / "log", "".join(f"line {number}\n" for number in range(500_000)))
    index = LogIndex(path, most_in_memory=1000)
    for _ in range(2):
        with pytest.raises(OSError, match=r"Only the first .* entries of log are read"):
            index.read_more()
    assert 1000 <= len(index) < 500_000
    assert next(index.messages(np.array([len(index) - 1]))).text == f"line {len(index) - 1}"
    assert len(read(write(tmp_path / "short", "a\n" * 999))) == 999
    index = LogIndex(tmp_path / "short", most_in_memory=999)
    assert (index.read_more(), len(index)) == (1998, 999)


def test_an_index_in_a_folder_has_room_for_many_messages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(index_module, "_SAVED_FROM", 1)
    path = write(tmp_path / "log", "".join(f"line {number}\n" for number in range(500_000)))
    assert len(read_with(path, tmp_path / "index")) == 500_000
    monkeypatch.setattr(index_module, "MOST_SAVED", 1000)
    index = LogIndex(path, tmp_path / "other")
    with pytest.raises(OSError, match=r"Only the first .* entries of log are read"):
        index.read_more()
    index = LogIndex(path, tmp_path / "other")  # continues with what was saved
    with pytest.raises(OSError, match=r"Only the first .* entries of log are read"):
        index.read_more()
    assert 1000 <= len(index) < 500_000


def read_with(path: Path, folder: Path) -> LogIndex:
    index = LogIndex(path, folder, most_in_memory=10)
    index.read_more()
    return index
