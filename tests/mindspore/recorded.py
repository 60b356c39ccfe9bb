# SPDX-License-Identifier: Apache-2.0
"""What a directory holds, event by event."""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from mindscope.formats import wire
from mindscope.formats.frames import FrameReader
from mindscope.formats.mindspore_schemas import EVENT, LINEAGE_EVENT
from mindscope.formats.mindspore_tensors import decode_tensor

_KINDS = {"scalar_value": "scalar", "image": "image", "tensor": "tensor", "histogram": "histogram"}
_KINDS |= {"loss_landscape": "landscape"}
Key = tuple[str, str]
"""Kind and tag."""


@dataclass
class Step:
    """One summary event: its values in the order of the file; one that the event has twice stands here twice."""

    step: int
    values: list[tuple[Key, Any]] = field(default_factory=list)

    @property
    def keys(self) -> list[Key]:
        return [key for key, _ in self.values]


@dataclass
class Recorded:
    """The files of a directory, from the oldest to the newest."""

    names: list[str] = field(default_factory=list)
    modes: list[int] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)
    graphs: list[Any] = field(default_factory=list)
    lineage: list[tuple[str, Any]] = field(default_factory=list)
    """Kind and message."""


def read(directory: Path) -> Recorded:
    found = Recorded()
    paths = sorted(directory.glob("events.out.events.summary.*"), key=lambda path: int(path.name.split(".")[4]))
    for path in paths:
        found.names.append(path.name)
        found.modes.append(path.stat().st_mode & 0o777)
        for payload in _payloads(path):
            if path.name.endswith("_lineage"):
                message = wire.decode(LINEAGE_EVENT, payload)
                found.lineage += [(kind, each) for kind, each in message.items() if kind not in ("wall_time", "step")]
            else:
                _add(found, wire.decode(EVENT, payload))
    return found


def _payloads(path: Path) -> Iterator[bytes]:
    reader = FrameReader(path.name)
    for _, payload in reader.records(path.read_bytes()):
        yield bytes(payload)
    assert not reader.damages


def _add(found: Recorded, event: Any) -> None:
    if "graph_def" in event:
        found.graphs.append(event["graph_def"])
    if "summary" in event:
        values = [_value(each) for each in event["summary"].get("value", [])]
        found.steps.append(Step(int(event.get("step", 0)), values))


def _value(message: Any) -> tuple[Key, Any]:
    name = next(each for each in _KINDS if each in message)
    return (_KINDS[name], message["tag"]), message[name]


def pixels(message: Any) -> Any:
    """The picture as (H, W, 3) numbers."""
    picture = Image.open(io.BytesIO(message["encoded_image"])).convert("RGB")
    return np.asarray(picture).astype(np.float64)


def array(message: Any) -> Any:
    return decode_tensor(message).value
