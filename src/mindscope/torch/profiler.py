# SPDX-License-Identifier: Apache-2.0
"""StepCollection what the operators of a training cost."""

from __future__ import annotations

import socket
import time
from os import PathLike, getpid
from pathlib import Path
from types import TracebackType

from torch import profiler

from mindscope.errors import RecorderClosedError
from mindscope.torch.core.arguments import check_choice, check_flag

SUBGRAPHS = ("all", "Default", "Gradients")


class Profiler:
    """Profiles from when it is made, or from ``with`` on, until ``analyse``, by ``torch.profiler``.

    ``analyse`` writes a trace, ``HOST_PID.TIME.pt.trace.json``, into ``output_path``. Profile few steps: a trace grows
    with every operator that runs.

    Args:
        output_path: directory of the trace; it is made.
        is_detail: also note shapes of inputs and memory.
        is_show_op_path: also note where in the source an operator was called.
        subgraph: taken for scripts that say it; all operators are profiled, forward and backward.

    Raises:
        TypeError, ValueError: arguments that can't be used.
        OSError: the directory can't be made.
    """

    def __init__(
        self,
        output_path: str | PathLike[str] = "./data",
        is_detail: bool = True,
        is_show_op_path: bool = False,
        subgraph: str = "all",
    ) -> None:
        check_choice("subgraph", subgraph, SUBGRAPHS)
        is_detailed = check_flag("is_detail", is_detail)
        self._directory = Path(output_path)
        self._directory.mkdir(parents=True, exist_ok=True)
        self._profile: profiler.profile | None = profiler.profile(
            record_shapes=is_detailed,
            profile_memory=is_detailed,
            with_stack=check_flag("is_show_op_path", is_show_op_path),
        )
        self._profile.start()

    def analyse(self) -> Path:
        """Stop, and write the trace; returns its file.

        Raises:
            RecorderClosedError: it was called before.
            OSError: the trace can't be written.
        """
        if self._profile is None:
            raise RecorderClosedError("profiler has written its trace already, make a new Profiler for the next one")
        running, self._profile = self._profile, None
        running.stop()
        file = self._directory / f"{socket.gethostname()}_{getpid()}.{time.time_ns()}.pt.trace.json"
        running.export_chrome_trace(str(file))
        return file

    def __enter__(self) -> Profiler:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._profile is not None:
            self.analyse()
