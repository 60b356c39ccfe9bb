# SPDX-License-Identifier: Apache-2.0
"""What the page gets of every run, kind and tag of real logs is what ``open_run`` gives."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import mindscope
from mindscope.analysis.meshes import mesh_name
from mindscope.types import Kind

from .live_viewer import DATA, LiveViewer

RUNS = sorted({str(path.parent.relative_to(DATA)) for path in DATA.rglob("events*")})
MOST_PIXELS = 4096


@pytest.mark.parametrize("run", RUNS)
def test_the_list_has_the_kinds_and_tags_of_the_run(viewer: LiveViewer, run: str):
    opened = mindscope.open_run(DATA / run)
    assert {Kind(kind): count for kind, count in viewer.runs()[run]["tags"].items() if count} == {
        kind: len(opened.tags(kind)) for kind in opened.kinds
    }
    for kind in opened.kinds:
        tags = {mesh_name(tag) for tag in opened.tags(kind)} if kind is Kind.MESH else opened.tags(kind)
        assert sorted(viewer.tags(run, kind=str(kind))) == sorted(tags), kind


@pytest.mark.parametrize("run", [run for run in RUNS if mindscope.open_run(DATA / run).tags("scalar")])
def test_every_point_of_every_curve_is_handed_out(viewer: LiveViewer, run: str):
    opened = mindscope.open_run(DATA / run)
    for tag in opened.tags("scalar"):
        for overwritten in (False, True):
            got = viewer.curves((run, tag), pixels=MOST_PIXELS, overwritten=overwritten)
            want = opened.scalars(tag, overwritten=overwritten)
            assert got.header["series"][0]["points"] == len(want) == got.header["series"][0]["returned"]
            along_axis = np.argsort(want.step, kind="stable")  # a training may go back
            for name in ("step", "wall_time", "value"):
                np.testing.assert_array_equal(got.column(0, name), getattr(want, name)[along_axis], err_msg=tag)


@pytest.mark.parametrize("run", RUNS)
def test_the_steps_of_every_value_are_handed_out(viewer: LiveViewer, run: str):
    opened = mindscope.open_run(DATA / run)
    for kind in opened.kinds:
        for tag in opened.tags(kind) if kind is not Kind.SCALAR else ():
            query = {"run": run, "kind": str(kind), "tag": tag}
            got: dict[str, Any] = viewer.http.get("/api/values", params=query).raise_for_status().json()
            want = opened.values(kind, tag)
            assert got["step"] == want.step.tolist(), (kind, tag)
            assert got["wall_time"] == want.wall_time.tolist(), (kind, tag)
            assert len(set(got["id"])) == len(want), (kind, tag)


def test_damages_are_those_of_python(viewer: LiveViewer):
    runs = viewer.runs()
    for run in RUNS:
        assert runs[run]["damages"] == len(mindscope.open_run(DATA / run).damages), run
