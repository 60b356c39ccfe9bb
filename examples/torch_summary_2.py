# SPDX-License-Identifier: Apache-2.0
"""Summary operators inside a network, recorded by the collector of the first example.

python examples/torch_summary_2.py --summary-dir summary_dir/summary_02
"""

from __future__ import annotations

import argparse

from torch_lenet import LeNet5
from torch_summary_1 import train

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--summary-dir", default="./summary_dir/summary_02")
    parser.add_argument("--count", type=int, default=1500)
    arguments = parser.parse_args()
    train(arguments.summary_dir, arguments.count, LeNet5(10, is_recorded=True))
