# SPDX-License-Identifier: Apache-2.0
"""The values of MindSpore's summary operators between their call and the record of the step.

MindSpore hands them to its own recorder in places that are not public, and there is no other way to them. They are
touched here and nowhere else:

* compiled graphs call back into ``mindspore.train.summary.summary_record``, which keeps a dict from ``TAG[:Plugin]`` to
  the newest tensor (``_get_summary_tensor_data`` takes it);
* PyNative calls append ``[operator, tag, tensor]`` to the list ``SUMMARY_TENSOR_CACHE`` of
  ``mindspore.ops.operations.debug_ops``;
* on Ascend values arrive late: ``SummaryRecord._sync_summary_data`` waits for those of a step.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import mindspore
from mindspore.ops.operations import debug_ops
from mindspore.train.summary import summary_record as own_recorder

from mindscope.errors import FrameworkError

KeptValue = tuple[str, str, Any]
"""Plugin, tag and tensor."""

_OPERATOR_SUFFIX = "Summary"


class OperatorValues:
    """The values of summary operators in this process since they were last taken.

    Raises:
        FrameworkError: this MindSpore hands values over in another way.
    """

    def __init__(self) -> None:
        self._take_compiled: Callable[[], dict[str, Any]] = _find(own_recorder, "_get_summary_tensor_data")
        _find(debug_ops, "SUMMARY_TENSOR_CACHE")
        self._steps = itertools.count()  # names what Ascend is waited for with
        self._op_finished_init = True  # what _sync_summary_data looks at

    def take(self) -> list[KeptValue]:
        """Return the values of the step, of each plugin and tag the newest, in the order in which they came."""
        self._wait()
        called: list[list[Any]]
        called, debug_ops.SUMMARY_TENSOR_CACHE = debug_ops.SUMMARY_TENSOR_CACHE, []
        values = {_split(name): value for name, value in self._take_compiled().items()}
        values |= {(_plugin(operator), tag): value for operator, tag, value in called}
        return [(plugin, tag, value) for (plugin, tag), value in values.items()]

    def discard(self) -> None:
        """Discard the values; those that a device still sends come with a later step."""
        debug_ops.SUMMARY_TENSOR_CACHE = []
        self._take_compiled()

    def _wait(self) -> None:
        if mindspore.get_context("device_target") == "Ascend":
            wait: Any = _find(own_recorder.SummaryRecord, "_sync_summary_data")
            wait(self, next(self._steps))


def _find(owner: Any, name: str) -> Any:
    try:
        return getattr(owner, name)
    except AttributeError:
        raise FrameworkError(
            f"mindspore {mindspore.__version__} has no {owner.__name__}.{name}, by which 2.7 to 2.10 hand over the "
            "values of summary operators; use one of these, or record without operators by add_value()"
        ) from None


def _split(name: str) -> tuple[str, str]:
    """Return plugin and tag out of ``TAG[:Plugin]``."""
    tag, _, plugin = name.removesuffix("]").rpartition("[:")
    return plugin.lower(), tag


def _plugin(operator: str) -> str:
    return operator.removesuffix(_OPERATOR_SUFFIX).lower()
