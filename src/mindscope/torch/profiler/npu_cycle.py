# SPDX-License-Identifier: Apache-2.0
"""A cycle on Ascend uses the profiler of torch_npu instead of PyTorch's, which can't see NPUs."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from mindscope.torch.profiler.cost import Cost
from mindscope.torch.profiler.cycle import METADATA, StepMarks, facts_text
from mindscope.torch.profiler.options import ProfilerOptions
from mindscope.torch.profiler.trace_files import make_directory

_DIRECTORIES = "*_ascend_pt"


def has_npu() -> bool:
    """Return whether torch_npu is installed and has a device."""
    return find_spec("torch_npu") is not None and bool(import_module("torch_npu").npu.is_available())


class NpuCycle:
    """The ``Cycle`` of ``torch_npu.profiler``, which has no separate warm-up, and analyzes what it recorded when it
    stops.
    """

    def __init__(self, options: ProfilerOptions, cost: Cost) -> None:
        self._options, self._cost = options, cost
        make_directory(options.directory)
        self._before = set(options.directory.glob(_DIRECTORIES))
        npu: Any = import_module("torch_npu").profiler
        self._profile = npu.profile(
            activities=[npu.ProfilerActivity.CPU, npu.ProfilerActivity.NPU],
            on_trace_ready=npu.tensorboard_trace_handler(str(options.directory)),
            record_shapes=options.record_shapes,
            profile_memory=options.profile_memory,
            with_stack=options.with_stack,
            with_modules=options.with_modules,
            with_flops=options.with_flops,
        )
        self.is_recording = False
        self.marks = StepMarks()

    def start(self) -> None:
        """Start to record."""
        with self._cost.measured("starting"):
            self._profile.start()
        self.is_recording = True

    def stop(self) -> None:
        """Stop, and have torch_npu write its files."""
        if not self.is_recording:
            return
        self.is_recording = False
        self._profile.add_metadata_json(METADATA, facts_text(self._options, self._cost, self.marks))
        with self._cost.measured("writing"):
            self._profile.stop()

    def write(self) -> Path:
        """Return the new directory. Raises FileNotFoundError if torch_npu wrote none."""
        new = sorted(set(self._options.directory.glob(_DIRECTORIES)) - self._before)
        if not new:
            raise FileNotFoundError(f"torch_npu wrote no {_DIRECTORIES} to {self._options.directory}; see its log")
        return new[-1]
