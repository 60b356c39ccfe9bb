# SPDX-License-Identifier: Apache-2.0
"""Scalars that float32 does not hold, from the bytes of a log to columns, the cache, curves and exports."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mindscope.capture import SummaryRecord
from mindscope.ingest import Catalog
from mindscope.reading import ExportOptions, export_run, open_run
from mindscope.server.scalars.query import pack_curves
from mindscope.server.scalars.schema import CurvesQuery
from mindscope.stats import GrowingCurve
from mindscope.store.chunk import SCALAR_LAYOUT, WIDE_SCALAR_LAYOUT
from tests.event_log import TENSORBOARD_NAME, append, tensorboard_event, tensorboard_version

DOUBLE, INT64 = {"dtype": 2}, {"dtype": 9}
HARD = [1e300, 2.0**24 + 1, -1e-300, 0.1, 2.0**53 - 1, math.inf, -0.0]
SCALARS = {"plugin_data": {"plugin_name": "scalars"}}


def tensor_value(tag: str, number: float, dtype: dict[str, Any] = DOUBLE) -> dict[str, Any]:
    field = {"double_val": [number]} if dtype is DOUBLE else {"int64_val": [int(number)]}
    return {"tag": tag, "metadata": SCALARS, "tensor": {**dtype, "tensor_shape": {}, **field}}


def write(path: Path, first: int, hard: list[float]) -> None:
    """A log whose tag "narrow" is float32 throughout, while "hard" holds ``hard``."""
    for step, number in enumerate(hard, first):
        narrow = {"tag": "narrow", "simple_value": float(np.float32(step / 3))}
        append(path, tensorboard_event(step, narrow, tensor_value("hard", number)))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    run = tmp_path / "logs" / "run"
    run.mkdir(parents=True)
    append(run / TENSORBOARD_NAME.format(1), tensorboard_version())
    return run / TENSORBOARD_NAME.format(1)


def test_float64_and_int64_scalars_are_read_exactly(path: Path) -> None:
    write(path, 0, HARD)
    append(path, tensorboard_event(9, tensor_value("count", 2**53 + 2, INT64)))
    run = open_run(path.parent)
    assert run.scalars("hard").value.tolist() == HARD
    assert run.scalars("count").value.tolist() == [2.0**53 + 2]
    assert [run.scalars(tag).value.dtype for tag in ("hard", "narrow")] == [np.float64, np.float32]


def test_a_series_becomes_wide_when_it_must_and_the_cache_keeps_it(path: Path, tmp_path: Path) -> None:
    easy = [0.5] * 300
    for hard in (easy, HARD, [0.25] * 10):
        with_cache = Catalog(path.parent.parent, tmp_path / "workspace")
        with_cache.refresh()
        known = with_cache.run("run").scalars("hard")
        before = [] if known is None else known.visible().value.tolist()
        write(path, len(before), hard)
        with_cache.refresh()
        series = with_cache.run("run").scalars("hard")
        assert series is not None
        assert series.visible().value.tolist() == [*before, *hard]
        assert [each for part in series.visible_parts().parts for each in part["value"].tolist()] == [*before, *hard]
        with_cache.wait_until_saved()
        assert series.visible().value.tolist() == [*before, *hard]
        with_cache.close()
    restored = Catalog(path.parent.parent, tmp_path / "workspace")
    restored.refresh()
    assert restored.scanned_bytes == 0
    store = restored.run("run")
    for tag, layout in (("hard", WIDE_SCALAR_LAYOUT), ("narrow", SCALAR_LAYOUT)):
        series = store.scalars(tag)
        assert series is not None
        assert {each.chunk.layout["value"] for each in series.points.slices} == {layout["value"]}
    series = store.scalars("hard")
    assert series is not None
    assert series.visible().value.tolist() == [*easy, *HARD, *[0.25] * 10]
    restored.close()


def test_curves_carry_float64_where_the_series_needs_it(path: Path) -> None:
    write(path, 0, HARD)
    catalog = Catalog(path.parent.parent)
    catalog.refresh()
    names = [{"run": "run", "tag": tag} for tag in ("hard", "narrow")]
    query = CurvesQuery.model_validate({"series": names, "smoothing": 0.5})
    body = bytes(pack_curves(catalog, query))
    data = 8 + int.from_bytes(body[4:8], "little")
    hard, narrow = (each["columns"] for each in json.loads(body[8:data])["series"])
    value = hard["value"]
    assert np.frombuffer(body, value["dtype"], value["length"], data + value["offset"]).tolist() == HARD
    assert hard["value"]["dtype"] == hard["smoothed"]["dtype"] == "float64"
    assert narrow["value"]["dtype"] == narrow["smoothed"]["dtype"] == "float32"


def test_a_curve_that_becomes_wide_begins_again(path: Path) -> None:
    write(path, 0, [0.5] * 10)
    catalog = Catalog(path.parent.parent)
    catalog.refresh()
    series = catalog.run("run").scalars("hard")
    assert series is not None
    before = series.visible_parts()
    write(path, 10, HARD)
    catalog.refresh()
    assert series.visible_parts().prefix_id is not before.prefix_id
    assert GrowingCurve(has_pyramids=False).columns[2].dtype == np.float32


def test_exports_have_every_digit(path: Path, tmp_path: Path) -> None:
    pyarrow_parquet = pytest.importorskip("pyarrow.parquet")
    write(path, 0, HARD)
    run = open_run(path.parent)
    export_run(run, tmp_path / "out", ExportOptions(tags=("hard",), scalar_formats=("csv", "parquet")))
    lines = (tmp_path / "out" / "scalars.csv").read_text().splitlines()[1:]
    assert [float(line.rsplit(",", 1)[1].replace("Infinity", "inf")) for line in lines] == HARD
    assert pyarrow_parquet.read_table(tmp_path / "out" / "scalars.parquet")["value"].to_pylist() == HARD


def test_our_recorder_keeps_what_float32_does_not_hold(tmp_path: Path) -> None:
    numbers = [1e300, 2**24 + 1, -(2**53 - 1), 1e-300, 1234567890.125, 0.5, math.nan, -math.inf, 3.5e38]
    with SummaryRecord(tmp_path / "run") as record:
        for step, number in enumerate(numbers):
            record.add_value("scalar", "hard", number)
            record.add_value("scalar", "usual", 0.1 * step)
            if step % 2:
                record.add_value("tensor", "mixed", np.zeros(3))
            record.record(step)
    run = open_run(tmp_path / "run")
    np.testing.assert_array_equal(run.scalars("hard").value, np.array(numbers, np.float64))
    assert run.scalars("usual").value.dtype == np.float32
