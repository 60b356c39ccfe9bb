# SPDX-License-Identifier: Apache-2.0
"""What tests of all readers of trackers do: read a directory, compare scalars, damage a file."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from mindscope.ingest.catalog import Catalog
from mindscope.store import RunStore
from mindscope.types import Kind

DATA = Path(__file__).parent / "data"

Points = dict[str, list[tuple[int, str]]]


def expected(name: str) -> Any:
    """What the package's own reader finds in ``data/NAME``."""
    return json.loads((DATA / f"{name}.expected.json").read_text())


def runs_below(base: Path) -> dict[str, RunStore]:
    catalog = Catalog(base)
    catalog.refresh()
    return dict(catalog.runs)


def only_run(base: Path) -> RunStore:
    (store,) = runs_below(base).values()
    return store


def points(store: RunStore) -> Points:
    """All scalars with the text of each value, since NaN equals nothing."""
    scalars: Points = {}
    for tag in store.tags(Kind.SCALAR):
        series = store.scalars(tag)
        assert series is not None
        columns = series.all()
        scalars[tag] = [(step, repr(float(value))) for step, value in zip(columns.step, columns.value, strict=True)]
    return scalars


def damaged(content: bytes, seed: int) -> bytes:
    """Bytes cut, flipped, repeated or removed at random."""
    chance, data = random.Random(seed), bytearray(content)
    for _ in range(chance.randint(1, 6)):
        at = chance.randrange(len(data) + 1)
        how = chance.randrange(5)
        if how == 0:
            del data[at:]
        elif how == 1 and data:
            data[at % len(data)] ^= 1 << chance.randrange(8)
        elif how == 2:
            data[at:at] = bytes(chance.randrange(256) for _ in range(chance.randint(1, 40)))
        elif how == 3:
            del data[at : at + chance.randint(1, 200)]
        else:
            data[at:at] = data[at : at + chance.randint(1, 200)]
    return bytes(data)


def read_with_damage(base: Path, file: Path, seeds: range, check: Callable[[RunStore], None]) -> Iterator[int]:
    """Read the runs below ``base`` with ``file`` damaged in another way each time; yields the number of runs."""
    whole = file.read_bytes()
    for seed in seeds:
        file.write_bytes(damaged(whole, seed))
        stores = runs_below(base)
        for store in stores.values():
            check(store)
        yield len(stores)
    file.write_bytes(whole)
