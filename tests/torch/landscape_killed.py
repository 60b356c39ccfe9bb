# SPDX-License-Identifier: Apache-2.0
"""Computes a landscape into a directory, and kills itself after some points: ``DIRECTORY POINTS``, 0 for never."""

from __future__ import annotations

import os
import signal
import sys

import torch
from landscape_closed_forms import Fit, labeled
from torch import nn

from mindscope.landscape.computation import Progress
from mindscope.torch import landscape

DIRECTORY, KILL_AT = sys.argv[1], int(sys.argv[2])
done: list[int] = []


def watch(progress: Progress) -> None:
    done.append(progress.points_done)
    if KILL_AT and progress.points_done >= KILL_AT:
        os.kill(os.getpid(), signal.SIGKILL)


torch.manual_seed(0)
landscape(
    Fit(), nn.CrossEntropyLoss(), labeled(), method="random", size=12, full=True, output=DIRECTORY, on_progress=watch
)
print(done[0])
