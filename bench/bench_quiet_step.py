# SPDX-License-Identifier: Apache-2.0
"""What a step that is not collected costs, measured inside of a real training of PyTorch on one thread.

A call is timed where the step has pushed its code and data out of the caches, which a loop of nothing but calls hides.

    python bench/bench_quiet_step.py
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from typing import Any

import torch
from bench_training import FREQ, LeNet5, elements_of, model_of
from torch import nn

from mindscope.torch import Callback, RunContext, SummaryCollector

CASE = "LeNet, batch of 32"
STEPS, WARM_UP = 1500, 100
now_ns = time.perf_counter_ns


class Timed(Callback):
    """Takes the time of another callback's step end at steps that are not collected."""

    def __init__(self, callback: Callback) -> None:
        self._callback = callback
        self.took_ns: list[int] = []

    def on_train_step_end(self, run_context: RunContext) -> None:
        start = now_ns()
        self._callback.on_train_step_end(run_context)
        end = now_ns()
        step = run_context.original_args()["cur_step_num"]
        if step % FREQ and step > WARM_UP:
            self.took_ns.append(end - start)


def in_a_model(directory: str) -> dict[str, list[int]]:
    """The collector and a callback that does nothing."""
    with SummaryCollector(directory) as collector:
        timed, empty = Timed(collector), Timed(Callback())

        class Begin(Callback):
            def on_train_begin(self, run_context: RunContext) -> None:
                collector.on_train_begin(run_context)

        model_of(CASE).train(1, elements_of(CASE, STEPS), callbacks=[Begin(), timed, empty])
    return {"Model: SummaryCollector": timed.took_ns, "Model: any callback": empty.took_ns}


def in_an_own_loop(directory: str) -> dict[str, list[int]]:
    """``collector.step`` with all that it takes."""
    network, loss_fn = LeNet5(), nn.CrossEntropyLoss()
    optimizer = torch.optim.SGD(network.parameters(), lr=0.01, momentum=0.9)
    took_ns: list[int] = []
    with SummaryCollector(directory, collect_freq=FREQ) as collector:
        for step, (images, labels) in enumerate(elements_of(CASE, STEPS), start=1):
            optimizer.zero_grad()
            loss = loss_fn(network(images), labels)
            loss.backward()
            optimizer.step()
            start = now_ns()
            collector.step(loss, network=network, optimizer=optimizer, loss_fn=loss_fn, input_data=images, epoch=1)
            end = now_ns()
            if step % FREQ and step > WARM_UP:
                took_ns.append(end - start)
    return {"own loop: collector.step()": took_ns}


def main() -> None:
    torch.set_num_threads(1)
    measured: list[Callable[[str], dict[str, Any]]] = [in_a_model, in_an_own_loop]
    print(f"{'microseconds at a step not collected':<38}{'p10':>8}{'median':>8}{'p90':>8}")
    for measure in measured:
        with tempfile.TemporaryDirectory() as directory:
            for name, took_ns in measure(directory).items():
                tenth = len(took_ns) // 10
                ordered = sorted(took_ns)
                shown = [ordered[place] / 1e3 for place in (tenth, len(ordered) // 2, -tenth)]
                print(f"{name:<38}" + "".join(f"{each:>8.1f}" for each in shown))


if __name__ == "__main__":
    main()
