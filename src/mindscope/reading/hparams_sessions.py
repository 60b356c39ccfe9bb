# SPDX-License-Identifier: Apache-2.0
"""Sessions and metrics of TensorBoard's hparams plugin."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple, TypeVar

from mindscope.reading.hparams import HparamValue, session_hparams
from mindscope.types import Kind, Message

T = TypeVar("T")

_STATUS = {1: "success", 2: "failure", 3: "running"}


class MetricInfo(NamedTuple):
    """A scalar that an experiment declares as a metric: its tag, in the run itself or in its directory ``group``."""

    group: str
    tag: str


@dataclass(frozen=True, slots=True)
class HparamsData:
    """The plugin's data of one run. ``metrics`` is None if no experiment is described.

    ``start`` and ``end`` are wall times; ``status`` is success, failure or running.
    """

    values: dict[str, HparamValue] = field(default_factory=dict[str, HparamValue])
    metrics: tuple[MetricInfo, ...] | None = None
    has_session: bool = False
    group: str | None = None
    start: float | None = None
    end: float | None = None
    status: str | None = None


def read_hparams(read_all: Callable[[Kind, Callable[[Message], Message]], list[Message]]) -> HparamsData:
    """Return everything that the plugin stored in a run; later values replace earlier ones.

    Hyperparameters have the order of the experiment, then that of their names: a session stores them without an order.
    """
    order: dict[str, int] = {}
    values: dict[str, HparamValue] = {}
    metrics: dict[MetricInfo, None] | None = None
    start: Message = {}
    end: Message = {}
    for message in read_all(Kind.HPARAMS, _as_message):
        values |= session_hparams(message)
        start = message.get("session_start_info", start)
        end = message.get("session_end_info", end)
        if "experiment" in message:
            for info in message["experiment"].get("hparam_infos", []):
                order.setdefault(str(info.get("name", "")), len(order))
            names = (info.get("name", {}) for info in message["experiment"].get("metric_infos", []))
            infos = {MetricInfo(str(name.get("group", "")), str(name.get("tag", ""))): None for name in names}
            metrics = (metrics or {}) | infos
    return HparamsData(
        values={name: values[name] for name in sorted(values, key=lambda name: (order.get(name, len(order)), name))},
        metrics=None if metrics is None else tuple(metrics),
        has_session=bool(start or values),
        group=start.get("group_name") or None,
        start=start.get("start_time_secs"),
        end=end.get("end_time_secs"),
        status=_STATUS.get(end.get("status", 0)),
    )


def _as_message(message: Message) -> Message:
    return message
