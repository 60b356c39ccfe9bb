# SPDX-License-Identifier: Apache-2.0
"""One lineage table over 10,000 runs with 40 columns: in Python, and as the viewer answers it, cold and warm."""

from __future__ import annotations

import random
import tempfile
from collections.abc import Callable
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

from measuring import machine, run_alone

from mindscope.formats import mindspore_schemas, wire
from mindscope.formats.frames import frame
from mindscope.reading import open_runs

RUNS = 10_000
NAME = "events.out.events.summary.1.0.host_lineage"
REPEATS = 5


def main() -> None:
    """Print the figures."""
    print(machine())
    with tempfile.TemporaryDirectory() as base:
        write_runs(Path(base))
        runs = open_runs(base)
        first = seconds(runs.lineage, repeats=1)
        table = runs.lineage()
        print(f"{len(table):,} runs, {len(table.columns)} columns")
        report("first table, every lineage file read", first)
        report("table again, nothing changed", seconds(runs.lineage))
        (Path(base) / "run_17" / "params.json").write_text('{"late": 1}')
        runs.refresh()
        report("table again, one run with a new column", seconds(runs.lineage, repeats=1))
        table = runs.lineage()
        report('filter: lr < 0.01 and metric["Accuracy"] > 0.9', seconds(
            lambda: table.filter('learning_rate < 0.01 and metric["Accuracy"] > 0.9')))  # fmt: skip
        report("filter: optimizer in [...] and a text in another", seconds(
            lambda: table.filter('optimizer in ["Adam", "SGD"] and "7" in custom["note"]')))  # fmt: skip
        report("sort by two columns", seconds(lambda: table.sort("-Accuracy", "learning_rate")))
        report("sort by a text", seconds(lambda: table.sort("custom/note")))
        report("best run", seconds(lambda: table.best("Accuracy")))
        report("to_arrow", seconds(table.to_arrow))
        print_answers(base)


def print_answers(base: str) -> None:
    """The viewer's answers in two processes one after the other: the second finds the cache of the first."""
    with tempfile.TemporaryDirectory() as workspace:
        cold = run_alone("lineage_answers.py", base, workspace)
        warm = run_alone("lineage_answers.py", base, workspace, "importance")
    assert cold is not None
    assert warm is not None
    print(f"{'answers of a viewer (processor time)':<52} {'cold':>10} {'warm':>10}")
    for name, value in warm.items():
        print(f"{name:<52} {_figure(cold[name]):>10} {_figure(value):>10}")


def _figure(value: float | None) -> str:
    return "" if value is None else f"{value:,.1f}" if isinstance(value, float) else f"{value:,}"


def write_runs(base: Path) -> None:
    """Runs with 7 parameters of MindSpore's, data, results and custom fields, some missing."""
    numbers = random.Random(0)
    for number in range(RUNS):
        path = base / f"run_{number}"
        path.mkdir(parents=True)
        (path / NAME).write_bytes(b"".join(frame(wire.encode(mindspore_schemas.LINEAGE_EVENT, event)) for event in
                                           events(number, numbers)))  # fmt: skip


def events(number: int, numbers: random.Random) -> list[dict[str, Any]]:
    hyper = {
        "optimizer": numbers.choice(["Adam", "SGD", "Momentum"]),
        "learning_rate": 10 ** numbers.uniform(-4, 0),
        "loss_function": "SoftmaxCrossEntropyWithLogits",
        "epoch": numbers.randint(1, 10),
        "parallel_mode": "stand_alone",
        "device_num": 1,
        "batch_size": numbers.choice([16, 32, 64]),
    }
    train = {
        "hyper_parameters": hyper,
        "train_dataset": {"train_dataset_size": 60_000},
        "algorithm": {"network": "LeNet5", "loss": numbers.uniform(0, 3)},
    }
    custom: list[dict[str, dict[str, Any]]] = [
        {"map_double": {f"parameter_{place}": numbers.random()}} for place in range(23)
    ]
    custom.append({"map_str": {"note": f"sweep-{number}"}})
    found: list[dict[str, Any]] = [{"train_lineage": train}, {"user_defined_info": {"user_info": custom}}]
    if numbers.random() < 0.9:
        found.append({"evaluation_lineage": {"metric": f'{{"Accuracy": {numbers.random()}}}'}})
    return [{"wall_time": 1.0 + number, **each} for each in found]


def seconds(run: Callable[[], object], repeats: int = REPEATS) -> float:
    """The median of some calls."""
    times: list[float] = []
    for _ in range(repeats):
        start = perf_counter()
        run()
        times.append(perf_counter() - start)
    return median(times)


def report(what: str, took: float) -> None:
    print(f"{what:<52} {took * 1000:>10.1f} ms")


if __name__ == "__main__":
    main()
