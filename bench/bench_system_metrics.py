# SPDX-License-Identifier: Apache-2.0
"""What a sample of system metrics costs, and which share of a core that is at one sample every 10 seconds.

python bench/bench_system_metrics.py
"""

from __future__ import annotations

import statistics
import tempfile
import time
from pathlib import Path

from mindscope.system.sampler import INTERVAL_S
from mindscope.system.sources import open_sources

SAMPLES = 200


def main() -> None:
    """Print the processor time of opening the sources and of a sample."""
    start = time.thread_time()
    sources = open_sources(Path(tempfile.gettempdir()))
    opening_s = time.thread_time() - start
    took_s: list[float] = []
    names: set[str] = set()
    for _ in range(SAMPLES):
        start = time.thread_time()
        for source in sources:
            names |= source.read().keys()
        took_s.append(time.thread_time() - start)
        time.sleep(0.01)
    median = statistics.median(took_s)
    print(
        f"system metrics: opening {1e3 * opening_s:.1f} ms, a sample of {len(names)} metrics {1e3 * median:.2f} ms of"
    )
    print(
        f"processor time (slowest {1e3 * max(took_s):.2f} ms): {100 * median / INTERVAL_S:.4f} % of a core, wanted 0.1"
    )


if __name__ == "__main__":
    main()
