# SPDX-License-Identifier: Apache-2.0
"""The logs that the gallery pictures, with the same times and at the same place whenever it is taken."""

from __future__ import annotations

import os
import struct
from pathlib import Path
from shutil import copytree

import numpy as np

import mindscope
from mindscope.formats import frames
from tests.browser.pictures.cases import REAL_LOGS, SIZED_LOGS, TOOL_LOGS
from tests.browser.tool_logs import write_tools
from tests.server.live_viewer import DATA

NOW_S = 1_795_262_400.0
"""When the pictures are said to be taken, ten hours after the real logs; the recorded ones are two hours old."""
WALL_TIME = b"\x09"
"""With what the payload of an event begins: the key of its wall time, a double."""


def write_logs(room: Path) -> dict[str, Path]:
    """The base directories below ``room``, by their names."""
    bases = {name: room / name for name in (REAL_LOGS, TOOL_LOGS, *SIZED_LOGS, "empty", "damaged")}
    copytree(DATA, bases[REAL_LOGS])
    for name, (runs, cards) in SIZED_LOGS.items():
        write_cards(bases[name], runs, cards)
    bases["empty"].mkdir()
    write_damaged(bases["damaged"])
    write_tools(bases[TOOL_LOGS])
    for run in ("debugged", "differs"):
        set_times(bases[TOOL_LOGS] / run, NOW_S - 7200)
    for file in (*room.rglob("events*"), *bases[TOOL_LOGS].rglob("*")):
        os.utime(file, (NOW_S - 3600, NOW_S - 3600))
    return bases


def run_count(name: str, base: Path) -> int:
    """Runs with event files, or with profiles only."""
    return len([*base.iterdir()]) if name == TOOL_LOGS else len({path.parent for path in base.rglob("events*")})


def write_cards(base: Path, runs: int, cards: int) -> None:
    """Runs with so many tags of every kind that has cards; where there are many runs, of scalars only."""
    rng = np.random.default_rng(7)
    for number in range(runs):
        directory = base / f"run_{number}"
        with mindscope.SummaryRecord(directory) as record:
            for step in range(0, 30, 3):
                for card in range(cards):
                    weight = rng.normal(step / 30, 1, (8, 8)).astype(np.float32)
                    record.add_value("scalar", f"group_{card % 5}/tag_{card}", float(weight.mean()))
                    if runs == 1:
                        record.add_value("histogram", f"weight_{card}", weight)
                        record.add_value("tensor", f"tensor_{card}", weight)
                        record.add_value("image", f"image_{card}", np.abs(weight[None, None]) / 4)
                record.record(step)
        set_times(directory, NOW_S - 7200 + number)


def set_times(run: Path, begin_s: float) -> None:
    """Rewrite the event files of ``run`` as if they began then and brought an event a second."""
    for path in [*run.glob("events*")]:
        reader = frames.FrameReader(path.name)
        events = [bytes(payload) for _, payload in reader.records(path.read_bytes())]
        assert not reader.damages
        assert all(event.startswith(WALL_TIME) for event in events)
        timed = (WALL_TIME + struct.pack("<d", begin_s + second) + event[9:] for second, event in enumerate(events))
        path.chmod(0o600)
        path.write_bytes(b"".join(map(frames.frame, timed)))
        path.rename(path.with_name("events.out.events.summary.1795255200.0.gallery_MS"))


def write_damaged(base: Path) -> None:
    """Real logs with a byte in the middle of every event file turned over."""
    copytree(DATA / "mindspore" / "custom_loop", base / "custom_loop")
    for path in (base / "custom_loop").glob("events*"):
        content = bytearray(path.read_bytes())
        content[len(content) // 2] ^= 0xFF
        path.write_bytes(bytes(content))
