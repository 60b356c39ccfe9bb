# SPDX-License-Identifier: Apache-2.0
"""Logs that are read with a cache, and what a catalog says of them."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from mindscope.ingest import Catalog
from mindscope.ingest import run_loader as load_module
from tests.event_log import (
    MINDSPORE_NAME,
    TENSORBOARD_NAME,
    append,
    content,
    event,
    histogram,
    scalars,
    steps,
    tensorboard_event,
    tensorboard_version,
    version,
)

OLDER, NEWER = MINDSPORE_NAME.format(1), MINDSPORE_NAME.format(2)


@contextmanager
def sealing_at_once() -> Iterator[None]:
    """Every read of a run that changed it is followed by sealing it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(load_module, "SAVE_INTERVAL_S", 0.0)
        yield


@contextmanager
def opened(base: Path, workspace: Path, **more: Any) -> Iterator[Catalog]:
    catalog = Catalog(base, workspace, **more)
    try:
        catalog.refresh()
        catalog.wait_until_saved()
        yield catalog
    finally:
        catalog.close()


def contents(catalog: Catalog) -> dict[str, Any]:
    return {id: content(store) for id, store in catalog.runs.items()}


def fresh(base: Path) -> dict[str, Any]:
    catalog = Catalog(base)
    catalog.refresh()
    return contents(catalog)


def write_logs(base: Path) -> None:
    """A run that was restarted, with values of other kinds and a damaged record, and one of TensorBoard's."""
    old, new, other = base / "a" / OLDER, base / "a" / NEWER, base / "b" / TENSORBOARD_NAME.format(3)
    for path in (old, new, other):
        path.parent.mkdir(parents=True, exist_ok=True)
    damaged = bytearray(scalars(9, {"loss": 1.0}))
    damaged[-6] ^= 1
    append(old, version() + steps(range(8)) + bytes(damaged) + event(8, histogram("weights", [1, 2])))
    append(new, version() + steps(range(4, 12), first_value=100.0) + scalars(3, {"mindscope/dropped": 7.0, "é": 0.5}))
    metadata = {"plugin_data": {"plugin_name": "text"}}
    note = {"tag": "note", "tensor": {"dtype": 7, "string_val": [b"hello"]}}
    append(other, tensorboard_version() + tensorboard_event(1, {"tag": "loss", "simple_value": 1.0}))
    append(other, tensorboard_event(2, note | {"metadata": metadata}) + tensorboard_event(3, note))


def cache_files(workspace: Path) -> list[Path]:
    return sorted(path for path in workspace.glob("cache/*/*") if path.name != "lock")
