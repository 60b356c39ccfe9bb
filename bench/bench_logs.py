# SPDX-License-Identifier: Apache-2.0
"""A large log: to index it, to open its index from the cache again, to search all of it; grep for comparison.

The log has lines of MindSpore and of Python's ``logging`` with some tracebacks. Each row of mindscope comes from a
fresh process, with the log in the page cache.

    python bench/bench_logs.py [--megabytes 200 | --size-gb 1] [--json FILE]
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from statistics import median
from typing import Any

from measuring import SPAWNED, machine, memory_mb, report, run_alone, timed

REGEX = r"loss is (nan|inf)|overflow in [a-z]+_[0-9]+"
"""Means the same to RE2 and to ``grep -E``."""
LOCALES = ("C", "C.UTF-8")
ROUNDS = 3
ROWS = {
    "index": "mindscope: index the log, no cache",
    "open": "mindscope: open its index from the cache",
    "search": "mindscope: regular expression over all messages",
}
_BLOCK_LINES = 100_000
_SOURCES = ("ops/matmul", "ops/softmax", "device/stream", "data/pipeline", "comm/all_reduce")
_TRACEBACK = 'Traceback (most recent call last):\n  File "train.py", line {line}, in step\nValueError: bad batch\n'


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--megabytes", type=int, default=200)
    parser.add_argument("--size-gb", type=float, help="Instead of --megabytes.")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    print(machine())
    with tempfile.TemporaryDirectory() as base:
        log = Path(base) / "train.log"
        write_log(log, options.megabytes if options.size_gb is None else round(options.size_gb * 1000))
        figures = {what: [_alone(what, base) for _ in range(ROUNDS)] for what in ROWS}
        figures["grep"] = [measure_grep(log, locale) for locale in LOCALES for _ in range(ROUNDS)]
        print_rows(figures, log.stat().st_size / 1e6)
    if options.json:
        options.json.write_text(json.dumps({"machine": machine(), "figures": figures}, indent=1))


def write_log(log: Path, megabytes: int) -> None:
    """A block of lines, repeated at later times until the file has the size."""
    left = megabytes * 1_000_000
    with log.open("wb") as file:
        for block in range(sys.maxsize):
            start = datetime(2026, 11, 1) + timedelta(hours=block)
            left -= file.write("".join(lines(random.Random(block), start)).encode())
            if left <= 0:
                return


def lines(chance: random.Random, start: datetime) -> Iterator[str]:
    """An hour of a training: nine lines of MindSpore to six of Python, a warning in 100 lines, an error in 1,000."""
    for number in range(_BLOCK_LINES):
        time = start + timedelta(hours=1) * number / _BLOCK_LINES
        level = "ERROR" if number % 1000 == 0 else "WARNING" if number % 100 == 0 else "INFO"
        source = chance.choice(_SOURCES)
        text = text_of(chance, number, source)
        if number % 5 < 3:
            head = f"[{level}] DEBUG(4711,7f00,python):{time:%Y-%m-%d-%H:%M:%S.%f} [{source}.cc:{number % 900}] Run]"
            yield f"{head} {text}\n"
        else:
            head = f"{time:%Y-%m-%d %H:%M:%S},{time.microsecond // 1000:03} - {source.replace('/', '.')}"
            yield f"{head} - {level} - {text}\n"
        if number % 10_000 == 1:
            yield _TRACEBACK.format(line=number % 300)


def text_of(chance: random.Random, number: int, source: str) -> str:
    if number % 20_000 == 7:
        return f"loss is nan at step {number}"
    if number % 5_000 == 8:
        return f"overflow in {source.partition('/')[2]}_{number % 12}"
    return f"step {number}: loss is {chance.random():.4f}, {chance.randrange(900, 1100)} samples/s, queue {number % 16}"


def _alone(what: str, base: str) -> dict[str, Any]:
    found = run_alone(Path(__file__).name, what, base)
    assert found is not None
    return found


def measure(what: str, base: Path) -> None:
    """``index`` leaves its cache for the others."""
    from mindscope.debug.logs.filter import LogFilter, select_messages
    from mindscope.debug.logs.index import LogIndex

    cache, log = base / "cache", base / "train.log"
    if what == "index":
        for file in cache.glob("*"):
            file.unlink()
    before = memory_mb("VmRSS")
    with timed() as opening:
        index = LogIndex(log, cache)
        read = index.read_more()
    assert (read > 0) == (what == "index")
    with timed() as searching:
        found = sum(len(rows) for rows in select_messages(index, LogFilter(regex=REGEX))) if what == "search" else 0
    seconds = searching.seconds if what == "search" else opening.seconds
    report(seconds=seconds, messages=len(index), found=found, before_mb=before)


def measure_grep(log: Path, locale: str) -> dict[str, Any]:
    with timed() as watch:
        command = ["grep", "-cE", REGEX, str(log)]
        done = subprocess.run(command, capture_output=True, check=True, env={**os.environ, "LC_ALL": locale})
    return {"seconds": watch.seconds, "found": int(done.stdout), "locale": locale}


def print_rows(figures: dict[str, list[dict[str, Any]]], megabytes: float) -> None:
    of_search = figures["search"][0]
    print(f"{of_search['messages']:,} messages, {megabytes:,.0f} MB, {of_search['found']:,} found")
    assert {each["found"] for each in figures["grep"]} == {of_search["found"]}
    print(f"{'':<52} {'ms':>8} {'MB/s':>8} {'more MB':>9}")
    for what, name in ROWS.items():
        seconds = median(each["seconds"] for each in figures[what])
        memory = max(each["peak_mb"] - each["before_mb"] for each in figures[what])
        rate = "" if what == "open" else f"{megabytes / seconds:,.0f}"
        print(f"{name:<52} {seconds * 1e3:>8,.1f} {rate:>8} {memory:>9,.0f}")
    for locale in LOCALES:
        seconds = median(each["seconds"] for each in figures["grep"] if each["locale"] == locale)
        print(f"{'grep -cE, ' + locale:<52} {seconds * 1e3:>8,.1f} {megabytes / seconds:>8,.0f}")


if __name__ == "__main__":
    if SPAWNED in os.environ:
        measure(sys.argv[1], Path(sys.argv[2]))
    else:
        main()
