# SPDX-License-Identifier: Apache-2.0
"""Settings of TensorBoard's plugins: hyperparameters and the layout of custom scalars."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from mindscope.formats import wire
from mindscope.formats.kinds.descriptor import KindDescriptor, tensorboard_value
from mindscope.formats.tensorboard_schemas import HPARAMS as HPARAMS_MESSAGE
from mindscope.formats.tensorboard_schemas import LAYOUT
from mindscope.formats.tensorboard_tensors import decode_strings
from mindscope.formats.tensorboard_values import plugin_metadata, text_tensor
from mindscope.types import Kind, Message


def _decode_hparams(value: Message) -> Message:
    return wire.decode(HPARAMS_MESSAGE, value["metadata"]["plugin_data"].get("content", b""))


def _decode_layout(value: Message) -> Message:
    return wire.decode(LAYOUT, decode_strings(value["tensor"])[0])


EXPERIMENT_TAG, START_TAG, END_TAG = (
    f"_hparams_/{name}" for name in ("experiment", "session_start_info", "session_end_info")
)
SUCCESS, FAILURE, RUNNING = 1, 2, 3
"""How a session ended, or that it did not."""
_TEXT, _NUMBER = 1, 3
LAYOUT_TAG = "custom_scalars__config__"


def hparams_to_tensorboard(
    parameters: Mapping[str, str | float], metrics: Iterable[str], domains: Mapping[str, Sequence[str | float]],
    group: str | None = None, start_time_s: float | None = None,
) -> list[Message]:  # fmt: skip
    """Return the Summary.Values of an experiment, of the start of a session and of its end.

    ``metrics`` are the tags of scalars, ``domains`` the values that a parameter can have.
    """
    infos = [_parameter_info(name, value, domains.get(name)) for name, value in parameters.items()]
    return [
        experiment({"hparam_infos": infos, "metric_infos": [{"name": {"tag": tag}} for tag in metrics]}),
        session_start(parameters, group, start_time_s),
        session_end(SUCCESS),
    ]


def experiment(content: Message) -> Message:
    """Return the Summary.Value of an ``Experiment``."""
    return _hparams_value(EXPERIMENT_TAG, {"experiment": content})


def session_start(
    parameters: Mapping[str, str | float], group: str | None = None, start_time_s: float | None = None
) -> Message:
    """Return the Summary.Value of the start of a session, in seconds since 1970."""
    start: Message = {"hparams": {name: _parameter_value(value) for name, value in parameters.items()}}
    if group is not None:
        start["group_name"] = group
    if start_time_s is not None:
        start["start_time_secs"] = start_time_s
    return session(start)


def session(start: Message) -> Message:
    """Return the Summary.Value of a ``SessionStartInfo``."""
    return _hparams_value(START_TAG, {"session_start_info": start})


def session_end(status: int, end_time_s: float | None = None) -> Message:
    """Return the Summary.Value of the end of a session, in seconds since 1970."""
    end: Message = {"status": status}
    if end_time_s is not None:
        end["end_time_secs"] = end_time_s
    return _hparams_value(END_TAG, {"session_end_info": end})


def _hparams_value(tag: str, content: Message) -> Message:
    return {"tag": tag, "metadata": plugin_metadata("hparams", wire.encode(HPARAMS_MESSAGE, content))}


def _parameter_info(name: str, value: str | float, domain: Sequence[str | float] | None) -> Message:
    info: Message = {"name": name, "type": _TEXT if isinstance(value, str) else _NUMBER}
    if domain is not None:
        info["domain_discrete"] = {"values": [_parameter_value(each) for each in domain]}
    return info


def _parameter_value(value: str | float) -> Message:
    if isinstance(value, str):
        return {"string_value": value}
    return {"bool_value": value} if isinstance(value, bool) else {"number_value": float(value)}


def layout_to_tensorboard(layout: Message) -> Message:
    """Return the Summary.Value of a ``Layout`` of charts."""
    tensor = text_tensor([wire.encode(LAYOUT, layout)], ())
    return {"tag": LAYOUT_TAG, "tensor": tensor, "metadata": plugin_metadata("custom_scalars")}


HPARAMS = KindDescriptor(
    Kind.HPARAMS, tensorboard=tensorboard_value(Kind.HPARAMS, _decode_hparams), plugins=("hparams",)
)
CUSTOM_SCALARS = KindDescriptor(
    Kind.CUSTOM_SCALARS,
    tensorboard=tensorboard_value(Kind.CUSTOM_SCALARS, _decode_layout),
    plugins=("custom_scalars",),
)
