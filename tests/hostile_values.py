# SPDX-License-Identifier: Apache-2.0
"""Values with right checksums and right encoding that no decoder expects."""

from __future__ import annotations

import struct
import zlib
from pathlib import Path
from typing import Any

from tests.event_log import (
    LINEAGE_NAME,
    MINDSPORE_NAME,
    TENSORBOARD_NAME,
    append,
    event,
    lineage,
    steps,
    tensorboard_event,
    tensorboard_version,
    version,
)

NUMBER = {"dims": [1], "data_type": 11, "float_data": [1.0]}
BROKEN_HPARAMS = {"plugin_name": "hparams", "content": b"\xff"}
ODD_METRIC = '{"big": 1' + "0" * 400 + ', "half \\ud800": "\\udfff", "acc": 0.5}'
EMPTY = {"dims": [0], "data_type": 11, "raw_data": b""}


def shape(*sizes: int) -> dict[str, Any]:
    return {"dim": [{"size": size} for size in sizes]}


def scalar_tensor(step: int, sizes: tuple[int, ...], content: bytes = b"", tag: str = "hostile") -> bytes:
    """A scalar in tensor form of any shape."""
    tensor = {"dtype": 1, "tensor_shape": shape(*sizes), "tensor_content": content}
    metadata = {"plugin_data": {"plugin_name": "scalars"}}
    return tensorboard_event(step, {"tag": tag, "tensor": tensor, "metadata": metadata})


def nested_json(depth: int) -> str:
    return '{"a":' * depth + "1" + "}" * depth


def landscape(tag: str, convergence: Any, z: Any = NUMBER) -> bytes:
    points = {"x": NUMBER, "y": NUMBER, "z": NUMBER}
    content: dict[str, Any] = {"landscape": points | {"z": z}, "loss_path": {"intervals": [1], "points": points}}
    if convergence is not None:
        content["convergence_point"] = {"x": convergence, "y": NUMBER, "z": NUMBER}
    return event(1, {"tag": tag, "loss_landscape": content})


def bomb() -> bytes:
    """The head of a PNG with more pixels than Pillow decodes."""
    head = b"IHDR" + struct.pack(">IIBBBBB", 1 << 30, 1 << 30, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + struct.pack(">I", 13) + head + struct.pack(">I", zlib.crc32(head))


PICTURES = {
    "empty": b"",
    "no picture": b"no picture",
    "broken PNG": b"\x89PNG\r\n\x1a\n" + bytes(40),
    "PNG of 2**60 pixels": bomb(),
    "broken GIF": b"GIF89a" + bytes(20),
    "broken JPEG": b"\xff\xd8\xff\xe0" + bytes(20),
    "broken TIFF": b"II*\x00" + bytes(30),
}


def write_hostile_run(directory: Path) -> None:
    """Hostile values of each kind, with good ones before, between and behind them."""
    directory.mkdir(parents=True)
    append(
        directory / TENSORBOARD_NAME.format(1),
        tensorboard_version()
        + tensorboard_event(0, {"tag": "good", "simple_value": 0.5})
        + scalar_tensor(1, (0, 1 << 62, 1 << 62))
        + scalar_tensor(2, (1,) * 65, b"\0\0\0\0")
        + scalar_tensor(3, (1 << 62,) * 100_000, b"\0\0\0\0")
        + scalar_tensor(4, (1,), b"\0\0\0\x3f")
        + tensorboard_event(5, {"tag": "good", "simple_value": 1.5})
        + tensorboard_event(6, {"tag": "hp", "metadata": {"plugin_data": BROKEN_HPARAMS}}),
    )
    append(
        directory / LINEAGE_NAME.format(2),
        lineage({"evaluation_lineage": {"metric": nested_json(5000)}})
        + lineage({"evaluation_lineage": {"metric": nested_json(500)}})
        + lineage({"evaluation_lineage": {"metric": ODD_METRIC}}),
    )
    append(
        directory / MINDSPORE_NAME.format(3),
        version()
        + landscape("no point", EMPTY)
        + landscape("no landscape", None, z={"dims": [3], "data_type": 11, "float_data": [1.0, 2.0, 3.0]})
        + b"".join(
            event(step, {"tag": "picture", "image": {"height": 1, "width": 1, "colorspace": 3, "encoded_image": each}})
            for step, each in enumerate(PICTURES.values())
        )
        + event(9, {"tag": "deep", "tensor": {"dims": [0] + [1 << 62] * 70, "data_type": 11, "raw_data": b""}})
        + event(10, {"tag": "deep", "tensor": NUMBER})
        + steps([1, 2, 3]),
    )


def write_good_run(directory: Path) -> None:
    """A run that must not be harmed."""
    directory.mkdir(parents=True)
    append(directory / MINDSPORE_NAME.format(1), version() + steps(range(5)) + landscape("fine", NUMBER))
    append(directory / LINEAGE_NAME.format(1), lineage({"evaluation_lineage": {"metric": '{"acc": 0.25}'}}))
