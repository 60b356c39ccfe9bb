# SPDX-License-Identifier: Apache-2.0
"""A stream of records of every kind, and what is to be found in it."""

from __future__ import annotations

import tempfile
from pathlib import Path

from mindscope.ingest import RunLoader, find_run
from tests.event_log import MINDSPORE_NAME, append, content, event, histogram, load, scalars, steps, version

NAME = MINDSPORE_NAME.format(7)
STREAM = b"".join(
    [
        version(),
        scalars(1, {"loss": 1.5, "accuracy": 0.25}),
        event(1, histogram("weights", [1, 2, 3])),
        steps([2, 3, 4]),
        event(3, {"tag": "picture", "image": {"height": 1, "width": 1, "colorspace": 3, "encoded_image": b"\x89PNG"}}),
        scalars(4, {"loss": float("nan")}),
        steps([3, 9]),
    ]
)


def loader_of(directory: Path) -> RunLoader:
    found = find_run(directory)
    assert found is not None
    return RunLoader(found)


def whole_content() -> dict[str, object]:
    with tempfile.TemporaryDirectory() as path:
        append(Path(path) / NAME, STREAM)
        return content(load(Path(path)))


WHOLE = whole_content()
