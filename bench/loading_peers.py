# SPDX-License-Identifier: Apache-2.0
"""Measures one reader that is not ours, in this process. See ``bench_loading.py``."""

from __future__ import annotations

import re
import struct
import subprocess
import sys
import time
from pathlib import Path

from measuring import memory_mb, report, started_s, timed

UNITS = {"ns": 1e-9, "µs": 1e-6, "ms": 1e-3, "s": 1.0}
PATIENCE_S = 300.0


def measure_data_server(base: str, *flags: str) -> None:
    """TensorBoard's data server, by the time that it says its first load took; every point kept."""
    import tensorboard_data_server

    command = [
        tensorboard_data_server.server_binary(), "--logdir", base, "--port", "0", "--reload", "once",
        "--samples-per-plugin", "scalars=all", "-v", *flags,
    ]  # fmt: skip
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as server:
        assert server.stderr is not None
        try:
            started = time.monotonic()
            seconds = next(told for line in server.stderr if (told := _told_seconds(line)) is not None)
            rest = time.monotonic() - started - seconds
            report(started=rest, seconds=seconds, server_peak_mb=memory_mb("VmHWM", server.pid))
        finally:
            server.kill()


def _told_seconds(line: str) -> float | None:
    told = re.search(r"Finished load cycle \(([0-9.]+)(\w+)\)", line)
    return float(told[1]) * UNITS[told[2]] if told else None


def measure_accumulator(base: str, runs: str) -> None:
    """TensorBoard's Python reader with every point kept, over the first runs."""
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    started = started_s()
    directories = sorted(path for path in Path(base).iterdir() if path.is_dir())[: int(runs)]
    with timed() as loading:
        readers = [EventAccumulator(str(path), size_guidance={"scalars": 0}).Reload() for path in directories]
        points = sum(len(reader.Scalars(tag)) for reader in readers for tag in reader.Tags()["scalars"])
    report(started=started, seconds=loading.seconds, points=points)


def measure_protobuf(base: str) -> None:
    """A loop over MindSpore's own classes, without checksums: for each tag its steps, times and values."""
    from mindspore.train.summary_pb2 import Event

    started = started_s()
    (path,) = (path for path in Path(base).iterdir() if path.is_file())
    curves: dict[str, list[tuple[int, float, float]]] = {}
    with timed() as loading:
        data = path.read_bytes()
        place = 0
        while place < len(data):
            (length,) = struct.unpack_from("<Q", data, place)
            event = Event.FromString(data[place + 12 : place + 12 + length])
            place += length + 16
            for value in event.summary.value:
                curves.setdefault(value.tag, []).append((event.step, event.wall_time, value.scalar_value))
    report(started=started, seconds=loading.seconds, points=sum(map(len, curves.values())))


MEASURES = {"data_server": measure_data_server, "accumulator": measure_accumulator, "protobuf": measure_protobuf}

if __name__ == "__main__":
    MEASURES[sys.argv[1]](*sys.argv[2:])
