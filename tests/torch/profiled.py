# SPDX-License-Identifier: Apache-2.0
"""A training that is profiled and then comes to a bad end; run as a program: HOW DIRECTORY."""

from __future__ import annotations

import os
import resource
import signal
import sys

from digits import batches, make_model

from mindscope.torch import Callback, Profiler, RunContext


class Ends(Callback):
    """Ends the process at step 6, in the second cycle."""

    def __init__(self, how: str) -> None:
        self._how = how

    def step_end(self, run_context: RunContext) -> None:
        if run_context.original_args()["cur_step_num"] != 6:
            return
        if self._how == "killed":
            os.kill(os.getpid(), signal.SIGKILL)
        if self._how == "exits":
            sys.exit(0)


def main(how: str, directory: str) -> None:
    if how == "full":
        resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))  # a write beyond it fails like one on a full disk
    profiler = Profiler(output_path=directory, schedule={"wait": 0, "active": 3, "warmup": 1, "repeat": 2})
    make_model().train(2, batches(), callbacks=[Ends(how)])
    profiler.stop()
    print("trained")


if __name__ == "__main__":
    main(*sys.argv[1:])
