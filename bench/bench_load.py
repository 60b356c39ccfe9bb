# SPDX-License-Identifier: Apache-2.0
"""Measures a viewer under load: many clients at once, one very large question, and connections that send slowly.

Everything stays on the loopback of this machine and ends by itself, after ``--seconds`` for each part.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import json
import os
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from loading_server import Viewer, viewer_of
from measuring import machine, memory_mb
from scalar_logs import torch_tag, write_torch_log

RUNS, TAGS, STEPS = 100, 20, 1000
SHOWN_RUNS = 10
CHARTS = 8
MOST_CLIENTS = 200
LARGE_COPIES, LARGE_PIXELS = 5000, 5000
Times = dict[str, list[float]]


def main() -> None:
    options = _options()
    print(machine())
    log = write_torch_log(options.logs, RUNS, TAGS, STEPS)
    with tempfile.TemporaryDirectory() as room, viewer_of(log, Path(room)) as viewer:
        runs = _wait(viewer)
        _many_clients(viewer, runs, options.clients, options.seconds)
        _large_question(viewer, runs)
        _slow_connections(viewer, MOST_CLIENTS, options.seconds)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--logs", type=Path, default=Path(__file__).with_name("logs"))
    parser.add_argument("--clients", type=int, default=50, choices=range(1, MOST_CLIENTS + 1), metavar="1..200")
    parser.add_argument("--seconds", type=float, default=10.0)
    return parser.parse_args()


def _wait(viewer: Viewer) -> list[str]:
    """The runs, once all of their points can be asked for."""
    while len(runs := viewer.runs()) < RUNS or viewer.points(runs) < RUNS * TAGS * STEPS:
        time.sleep(0.05)
    return runs


def _many_clients(viewer: Viewer, runs: list[str], clients: int, seconds: float) -> None:
    """Each client asks what a page of eight charts asks, without a pause between an answer and the next question."""
    before = _processor_seconds(viewer.pid)
    times = asyncio.run(_load(viewer.port, runs, clients, seconds))
    used = _processor_seconds(viewer.pid) - before
    everything = [each for of_path in times.values() for each in of_path]
    each = 1000 * used / len(everything)
    print(f"\n{clients} clients, {len(everything) / seconds:.0f} answers a second, {each:.1f} ms of processor each")
    for path, of_path in [*sorted(times.items()), ("all", everything)]:
        print(f"  {path:14} {_quantiles(of_path)}")


def _processor_seconds(pid: int) -> float:
    """What a process used so far, by /proc."""
    user, system = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def _quantiles(times: list[float]) -> str:
    p50, p99, most = np.percentile(times, [50, 99, 100])
    return f"{len(times):6} answers, p50 {p50:.3f} s, p99 {p99:.3f} s, slowest {most:.3f} s"


async def _load(port: int, runs: list[str], clients: int, seconds: float) -> Times:
    times: Times = defaultdict(list)
    end = time.monotonic() + seconds
    await asyncio.gather(*(_client(port, _page(runs, number), end, times) for number in range(clients)))
    return times


def _page(runs: list[str], number: int) -> Iterator[tuple[str, bytes]]:
    """What a page asks: the viewer and its lists once a round, then the curves of each chart."""
    shown = [runs[(number + each) % len(runs)] for each in range(SHOWN_RUNS)]
    for turn in itertools.count():
        yield "/api/server", b""
        yield "/api/runs", b""
        yield "/api/tags", json.dumps({"runs": shown, "kind": "scalar"}).encode()
        for chart in range(CHARTS):
            series = [{"run": run, "tag": torch_tag((number + turn + chart) % TAGS)} for run in shown]
            yield "/api/curves", json.dumps({"series": series, "pixels": 600, "smoothing": 0.6}).encode()


async def _client(port: int, questions: Iterator[tuple[str, bytes]], end: float, times: Times) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    for path, body in itertools.takewhile(lambda _: time.monotonic() < end, questions):
        start = time.perf_counter()
        writer.write(_request(path, body))
        status, _ = await _answer(reader)
        if status != 200:
            raise SystemExit(f"{path} is answered with {status}")
        times[path].append(time.perf_counter() - start)
    writer.close()
    await writer.wait_closed()


def _request(path: str, body: bytes) -> bytes:
    head = f"{'POST' if body else 'GET'} {path} HTTP/1.1\r\nhost: 127.0.0.1\r\n"
    length = f"content-type: application/json\r\ncontent-length: {len(body)}\r\n" if body else ""
    return f"{head}{length}\r\n".encode() + body


async def _answer(reader: asyncio.StreamReader) -> tuple[int, int]:
    """Status and size of an answer."""
    head = (await reader.readuntil(b"\r\n\r\n")).lower()
    status, size = int(head.split(maxsplit=2)[1]), 0
    if b"transfer-encoding: chunked" not in head:
        size = int(head.partition(b"content-length: ")[2].partition(b"\r\n")[0])
        await reader.readexactly(size)
        return status, size
    while length := int(await reader.readline(), 16):
        size += length
        await reader.readexactly(length + 2)
    await reader.readexactly(2)
    return status, size


def _large_question(viewer: Viewer, runs: list[str]) -> None:
    """One question for many copies of a series; how long another client waits for little, and what memory stays."""
    before = memory_mb("VmRSS", viewer.pid)
    done, waits = asyncio.run(_ask_beside(viewer.port, runs))
    print(f"\n{LARGE_COPIES} copies of a series at {LARGE_PIXELS} pixels: {done}")
    print(f"  /api/server beside it: {_quantiles(waits)}")
    peak, after = memory_mb("VmHWM", viewer.pid), memory_mb("VmRSS", viewer.pid)
    print(f"  memory: {before:.0f} MB before, {peak:.0f} at most, {after:.0f} after")


async def _ask_beside(port: int, runs: list[str]) -> tuple[str, list[float]]:
    waits: Times = defaultdict(list)
    large = asyncio.create_task(_ask_large(port, runs))
    while not large.done():
        await _client(port, iter([("/api/server", b"")]), time.monotonic() + 1, waits)
    return await large, waits["/api/server"]


async def _ask_large(port: int, runs: list[str]) -> str:
    names = [{"run": runs[0], "tag": torch_tag(0)}] * LARGE_COPIES
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    start = time.perf_counter()
    writer.write(_request("/api/curves", json.dumps({"series": names, "pixels": LARGE_PIXELS}).encode()))
    status, size = await _answer(reader)
    writer.close()
    return f"{status}, {size / 1e6:.1f} MB in {time.perf_counter() - start:.2f} s"


def _slow_connections(viewer: Viewer, count: int, seconds: float) -> None:
    """Connections that send the head of a request byte by byte, and how many of them the viewer still holds."""
    print(f"\n{count} connections that send a byte a second: {asyncio.run(_held(viewer.port, count, seconds))}")


async def _held(port: int, count: int, seconds: float) -> str:
    start = time.monotonic()
    ends = await asyncio.gather(*(_slow(port, start + 6 * seconds) for _ in range(count)))
    held = [end for end in ends if end is None]
    ended = [end - start for end in ends if end is not None]
    return (
        f"{len(held)} held after {6 * seconds:.0f} s; the last of the others ended after {max(ended, default=0):.1f} s"
    )


async def _slow(port: int, end: float) -> float | None:
    """When the server closed the connection; None when it held it until ``end``."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        for letter in itertools.cycle(b"GET / HTTP/1.1\r\nx: " + b"y" * 1000):
            if time.monotonic() >= end:
                return None
            writer.write(bytes([letter]))
            await writer.drain()
            try:
                if not await asyncio.wait_for(reader.read(1000), 1):
                    return time.monotonic()
            except asyncio.TimeoutError:
                continue
    except ConnectionError:
        return time.monotonic()
    finally:
        writer.close()


if __name__ == "__main__":
    main()
