# SPDX-License-Identifier: Apache-2.0
"""Reading a JSON trace of PyTorch: megabytes per second of processor time, and memory, beside other parsers.

The trace is that of a small transformer on the CPU with shapes, stacks, modules and memory; its events are repeated at
later times until the file has the wanted size. The peers make Python objects of all events; simdjson those of five
fields of each. One row also makes the timeline of the page, one also computes all tables: steps, operators, modules,
memory. ``--size-gb`` is for a trace that no peer has room for: it is read once, and its tables are computed once.

    python bench/bench_traces.py [--megabytes 360 | --size-gb 4] [--only mindscope] [--json FILE]
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from importlib import import_module
from pathlib import Path
from typing import Any

from measuring import SPAWNED, machine, memory_mb, report, run_alone

READERS = (
    "mindscope",
    "mindscope, gzip",
    "mindscope, with timeline",
    "mindscope, with all tables",
    "json",
    "orjson",
    "simdjson, with a loop",
    "msgspec, typed, raw arguments",
)
LARGE_READERS = ("mindscope", "mindscope, with all tables")
ROUNDS = 3


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--megabytes", type=int, default=360)
    parser.add_argument("--size-gb", type=float, help="A large trace: once, without the peers.")
    parser.add_argument("--only", default="", help="Readers whose name begins so.")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    print(machine())
    readers = READERS if options.size_gb is None else LARGE_READERS
    rounds = ROUNDS if options.size_gb is None else 1
    with tempfile.TemporaryDirectory() as base:
        file = Path(base) / "large.pt.trace.json"
        count = write_trace(file, options.megabytes if options.size_gb is None else round(options.size_gb * 1000))
        if "mindscope, gzip" in readers:
            subprocess.run(["gzip", "--keep", "--fast", str(file)], check=True)
        print(f"{count:,} events, {file.stat().st_size / 1e6:,.0f} MB")
        figures = compare([each for each in readers if each.startswith(options.only)], file, count, rounds)
    if options.json:
        options.json.write_text(json.dumps({"machine": machine(), "figures": figures}, indent=1))


def compare(readers: list[str], file: Path, count: int, rounds: int) -> dict[str, Any]:
    """Print a row for each reader, and return all that was measured of it."""
    size = file.stat().st_size / 1e6
    figures: dict[str, Any] = {}
    print(f"{'reader':<34} {'s of processor':>15} {'MB/s':>8} {'peak MB':>10}")
    for reader in readers:
        measured = [run_alone(Path(__file__).name, reader, str(file)) for _ in range(rounds)]
        figures[reader] = found = [each for each in measured if each]
        if not found:
            print(f"{reader:<34} {'not installed':>15}")
            continue
        best = min(each["seconds"] for each in found)
        print(f"{reader:<34} {best:>15,.1f} {size / best:>8,.0f} {found[0]['peak_mb'] - found[0]['before_mb']:>10,.0f}")
        assert {each["events"] for each in found} == {count}
    return figures


def write_trace(file: Path, megabytes: int) -> int:
    """Returns the number of its events."""
    import torch
    from torch import nn
    from torch.profiler import ProfilerActivity, profile

    network = nn.TransformerEncoder(nn.TransformerEncoderLayer(64, 4, 128, batch_first=True), 6)
    optimizer = torch.optim.SGD(network.parameters(), 0.1)
    with profile(
        activities=[ProfilerActivity.CPU], record_shapes=True, with_stack=True, profile_memory=True, with_modules=True
    ) as profiler:
        for _ in range(8):
            network(torch.randn(4, 16, 64)).sum().backward()
            optimizer.step()
            optimizer.zero_grad()
            profiler.step()
    profiler.export_chrome_trace(str(file))
    data = file.read_bytes()
    start = data.index(b"[", data.index(b'"traceEvents"')) + 1
    end = data.rindex(b"],")
    found = json.loads(b"[" + data[start:end] + b"]")
    count = len(found)
    times = [(each["ts"], each["ts"] + each["dur"]) for each in found if each["ph"] == "X" and each["ts"] > 0]
    span = int(max(end for _, end in times) - min(begin for begin, _ in times)) + 1_000_000
    copies = max(1, round(megabytes * 1e6 / len(data)))
    with file.open("wb") as out:
        out.write(data[:start])
        for copy in range(copies):
            out.write((b"," if copy else b"") + _later(data[start:end], copy, span))
        out.write(data[end:])
    return count * copies


def _later(events: bytes, copy: int, span: int) -> bytes:
    """The events ``copy`` times ``span`` microseconds later, with ids of their own."""

    def moved(match: re.Match[bytes]) -> bytes:
        shift = span if match[1] == b"ts" else 1_000_000
        return b'"%s": %d' % (match[1], int(match[2]) + shift * copy if int(match[2]) else 0)

    return re.sub(rb'"(ts|External id|Sequence number|id)": (\d+)', moved, events)


def measure(reader: str, file: Path) -> None:
    before = memory_mb("VmRSS")
    start = time.process_time()
    if reader.startswith("mindscope"):
        from mindscope.profile.timeline.build_timeline import build_timeline
        from mindscope.profile.trace.json_trace import read_json_trace

        start = time.process_time()
        if "tables" in reader:
            from mindscope.profile.model.profile_data import Part
            from mindscope.profile.open import read_profile

            profile = read_profile(file)
            assert not {Part.OPERATORS, Part.MODULES, Part.MEMORY, Part.CALL_TREE} & {*profile.missing}
            assert profile.trace is not None
            report(seconds=time.process_time() - start, events=profile.trace.read, before_mb=before)
            return
        if "timeline" in reader:
            trace = read_json_trace(file)
            build_timeline(trace, file)
            report(seconds=time.process_time() - start, events=trace.read, before_mb=before)
            return
        events = read_json_trace(file.with_name(file.name + ".gz") if "gzip" in reader else file).read
    elif reader == "json":
        events = len(json.loads(file.read_bytes())["traceEvents"])
    elif reader == "orjson":
        orjson: Any = import_module("orjson")
        events = len(orjson.loads(file.read_bytes())["traceEvents"])
    elif reader.startswith("simdjson"):
        simdjson: Any = import_module("simdjson")
        rows = [
            (event["ph"], event["name"], event.get("cat"), event.get("ts"), event.get("dur"))
            for event in simdjson.Parser().parse(file.read_bytes())["traceEvents"]
        ]
        events = len(rows)
    else:
        msgspec: Any = import_module("msgspec")
        texts, numbers = ("ph", "name", "cat"), ("ts", "dur")
        entries = [(name, str, "") for name in texts] + [(name, float, 0.0) for name in numbers]
        others = [(name, Any, None) for name in ("pid", "tid", "id")]
        event: Any = msgspec.defstruct("Event", [*entries, *others, ("args", msgspec.Raw, msgspec.Raw())])
        whole: Any = msgspec.defstruct("File", [("traceEvents", list[event])])
        events = len(msgspec.json.decode(file.read_bytes(), type=whole).traceEvents)
    report(seconds=time.process_time() - start, events=events, before_mb=before)


if __name__ == "__main__":
    if SPAWNED in os.environ:
        measure(sys.argv[1], Path(sys.argv[2]))
    else:
        main()
