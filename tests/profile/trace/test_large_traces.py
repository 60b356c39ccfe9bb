# SPDX-License-Identifier: Apache-2.0
"""Memory of traces with many events: their columns are in files, not in memory."""

from __future__ import annotations

import gzip
import subprocess
import sys
from pathlib import Path

import pytest

from mindscope.profile.open import read_profile
from mindscope.profile.parts_file import columns_of
from mindscope.profile.timeline.build_timeline import build_timeline
from mindscope.store import mapped_columns
from tests.profile.kineto_events import DEVICE, HOST, Events

STEP_US = 1000
STEPS = 16_000
CALLS = 10
"""Of each step, with a frame around each, a launch, an arrow and a kernel: 60 events with the step."""
MOST_MB = 135
"""Above that of the process before; in memory the columns and what is computed of them take 180."""

OPERATORS = 60
"""Of each step of a trace without anything else."""
MOST_OPERATORS_MB = 195
"""Above that of the process before: it takes 177, and 215 if times of all operators are in memory at once."""

READ = """
import re, sys
from pathlib import Path
from mindscope.profile.timeline.build_timeline import build_timeline
from mindscope.profile.tables.kernels import Kernels
from mindscope.profile.open import read_profile
from mindscope.profile.parts_file import columns_of, open_parts, save_parts
from mindscope.profile.model.profile_data import Part
from mindscope.profile.timeline.timeline_file import open_timeline, save_timeline

def peak():
    return int(re.search(r"VmHWM:\\s*(\\d+)", Path("/proc/self/status").read_text())[1]) / 1024

before, file = peak(), Path(sys.argv[1])
profile = read_profile(file)
saved = file.with_suffix(".timeline"), file.with_suffix(".parts")
save_timeline(build_timeline(profile.trace, file), saved[0], "")
save_parts(columns_of(profile, 0), saved[1], "")
opened = open_timeline(saved[0], ""), open_parts(saved[1], "")
kernels = profile.part(Part.KERNELS)
count = int(kernels.count.sum()) if isinstance(kernels, Kernels) else 0
print(profile.trace.read, len(profile.steps), count, round(peak() - before))
"""


@pytest.mark.scale
def test_memory_of_a_million_events_with_all_parts(tmp_path: Path) -> None:
    file = tmp_path / "large.pt.trace.json.gz"
    with gzip.open(file, "wt", compresslevel=1) as out:
        out.write('{"schemaVersion": 1, "baseTimeNanoseconds": 1000000000, "traceEvents": [')
        for step in range(STEPS):
            out.write(("," if step else "") + ",\n".join(_step(step)))
        out.write("]}")
    found = subprocess.run([sys.executable, "-c", READ, str(file)], capture_output=True, text=True, check=True)
    events, steps, kernels, grown_mb = map(int, found.stdout.split())
    assert (events, steps, kernels) == (STEPS * (6 * CALLS + 1), STEPS, STEPS * CALLS)
    assert grown_mb < MOST_MB


@pytest.mark.scale
def test_memory_of_a_million_operators_of_the_host(tmp_path: Path) -> None:
    """Without Python frames and devices, so that steps and phases follow from operators."""
    file = tmp_path / "operators.pt.trace.json.gz"
    with gzip.open(file, "wt", compresslevel=1) as out:
        out.write('{"schemaVersion": 1, "baseTimeNanoseconds": 1000000000, "traceEvents": [')
        for step in range(STEPS):
            out.write(("," if step else "") + ",\n".join(_operators(step)))
        out.write("]}")
    found = subprocess.run([sys.executable, "-c", READ, str(file)], capture_output=True, text=True, check=True)
    events, steps, _, grown_mb = map(int, found.stdout.split())
    assert (events, steps) == (STEPS * (OPERATORS + 1), STEPS)
    assert grown_mb < MOST_OPERATORS_MB


def _operators(step: int) -> list[str]:
    begin, process = step * STEP_US, f'"pid":{HOST},"tid":{HOST}'
    found = [f'{{"ph":"X","cat":"user_annotation","name":"ProfilerStep#{step}",{process},"ts":{begin},"dur":990}}']
    for call in range(OPERATORS):
        number, is_backward = step * OPERATORS + call, int(call >= OPERATORS // 2)
        arguments = f'"Sequence number":{step},"Fwd thread id":{is_backward},"Ev Idx":{number}'
        times = f'"ts":{begin + 15 * call},"dur":{12 - is_backward}'
        found.append(f'{{"ph":"X","cat":"cpu_op","name":"aten::{call % 3}",{process},{times},"args":{{{arguments}}}}}')
    return found


def _step(step: int) -> list[str]:
    begin = step * STEP_US

    def event(phase: str, cat: str, name: str, ts: int, rest: str, pid: int = HOST, tid: int = HOST) -> str:
        return f'{{"ph":"{phase}","cat":"{cat}","name":"{name}","pid":{pid},"tid":{tid},"ts":{begin + ts},{rest}}}'

    found = [event("X", "user_annotation", f"ProfilerStep#{step}", 0, '"dur":990,"args":{}')]
    for call in range(CALLS):
        number, at = 1 + step * CALLS + call, 90 * call
        arguments = f'"External id":{number},"correlation":{number}'
        found += [
            event("X", "python_function", f"model.py({call}): run", at, f'"dur":80,"args":{{"Python id":{number}}}'),
            event("X", "cpu_op", f"aten::{call % 3}", at + 1, f'"dur":70,"args":{{{arguments},"Input Dims":[[8,8]]}}'),
            event("X", "cuda_runtime", "cudaLaunchKernel", at + 2, f'"dur":5,"args":{{{arguments}}}'),
            event("s", "ac2g", "ac2g", at + 2, f'"id":{number}'),
            event("X", "kernel", f"gemm_{call % 3}", at + 9, f'"dur":60,"args":{{{arguments},"stream":7}}', DEVICE, 7),
            event("f", "ac2g", "ac2g", at + 9, f'"id":{number},"bp":"e"', DEVICE, 7),
        ]
    return found


def test_columns_in_files_give_the_same_tables_and_timeline(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = Events()
    for step in range(3):
        made.step(step, 100 * step, 95)
        made.op("aten::mm", 100 * step + 5, 40, External_id=step + 1, Input_Dims=[[8, 8], [8, 8]])
        made.launch(100 * step + 6, 4, step + 1, External_id=step + 1)
        made.kernel("gemm", 100 * step + 20, 30, step + 1)
        made.memory(100 * step + 7, 64, 4096, 64, device=0)
        made.memory(100 * step + 40, -64, 4096, 0, device=0)
    file = made.write(tmp_path / "small.pt.trace.json")
    want = _all_columns(file)
    monkeypatch.setattr(mapped_columns, "FEWEST_BYTES", 1)
    got = _all_columns(file)
    assert got == want


def _all_columns(file: Path) -> tuple[dict[str, list[object]], dict[str, list[object]]]:
    profile = read_profile(file)
    assert profile.trace is not None
    timeline = build_timeline(profile.trace, file)
    names = ("start", "duration", "own", "before", "name", "category", "parent", "args_offset", "args_size")
    parts = {name: column.tolist() for name, column in columns_of(profile, 0).columns.items()}
    return parts, {name: getattr(timeline, name).tolist() for name in names}
