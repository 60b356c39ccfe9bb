# SPDX-License-Identifier: Apache-2.0
"""Scalars read back from the files that a writer just wrote, as JSON."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from os import PathLike
from pathlib import Path

from mindscope.formats import tensorboard
from mindscope.formats.frames import FrameReader
from mindscope.types import Kind, Located


def write_scalars(files: Mapping[str, Path], path: str | PathLike[str]) -> None:
    """Write ``{directory: [[wall time, step, value], ...]}`` of the ``files`` to ``path``.

    NaN and infinities are the texts NaN, Infinity and -Infinity: JSON has no such numbers. Raises OSError.
    """
    series = {directory: list(_points(file)) for directory, file in files.items()}
    Path(path).write_text(json.dumps(series, allow_nan=False), encoding="utf-8")


def _points(file: Path) -> Iterator[list[float | str]]:
    kinds: dict[str, Kind] = {}
    for offset, payload in FrameReader(str(file)).records(file.read_bytes()):
        for each in tensorboard.locate(payload, offset, kinds):
            if isinstance(each, Located) and each.scalar is not None:
                yield [each.wall_time, each.step, _json_number(each.scalar)]


def _json_number(number: float) -> float | str:
    return number if math.isfinite(number) else str(number).replace("inf", "Infinity").replace("nan", "NaN")
