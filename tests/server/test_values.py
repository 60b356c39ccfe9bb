# SPDX-License-Identifier: Apache-2.0
"""Texts, sounds, PR curves, hyper-parameters and previews over HTTP, against the logs' own readers."""

from __future__ import annotations

from pathlib import Path
from shutil import copyfile
from typing import Any

import numpy as np
import pytest

import mindscope
from mindscope.ingest import Catalog
from mindscope.reading import Run
from mindscope.server.http.run_cache import RunValueCache
from mindscope.types import Kind
from tests.event_log import append, scalars, version

from .live_viewer import DATA, LiveViewer

TB_ALL = "tensorboard/tb_all/run_a"
SESSION = f"{TB_ALL}/1795227663.2305825"
SWEEP = [f"mindspore/lineage_sweep/run_{number:02}" for number in range(1, 13)]


def listed(live: LiveViewer, kind: str, tag: str, run: str = TB_ALL) -> dict[str, Any]:
    return live.http.get("/api/values", params={"run": run, "kind": kind, "tag": tag}).raise_for_status().json()


def value(live: LiveViewer, what: str, tag: str, id: str, run: str = TB_ALL) -> Any:
    return live.http.get(f"/api/{what}", params={"run": run, "tag": tag, "id": id})


def test_every_text_is_that_of_the_log(viewer: LiveViewer):
    texts = mindscope.open_run(DATA / TB_ALL).texts("note/text_summary")
    answer = listed(viewer, "text", "note/text_summary")
    assert answer["step"] == texts.step.tolist()
    for id, want in zip(answer["id"], texts, strict=True):
        assert value(viewer, "text", "note/text_summary", id).json()["texts"] == list(want.value)


def test_a_sound_is_handed_out_with_what_it_is(viewer: LiveViewer):
    want = mindscope.open_run(DATA / TB_ALL).audio("tone")[0].value
    id = listed(viewer, "audio", "tone")["id"][0]
    facts = value(viewer, "audio", "tone", id).json()
    assert (facts["sample_rate"], facts["channels"], facts["frames"]) == (8000.0, 1, 8000)
    assert (facts["duration_s"], facts["media_type"]) == (1.0, "audio/wav")
    got = value(viewer, "audio/data", "tone", id)
    assert got.content == want.encoded
    assert got.headers["content-type"] == "audio/wav"
    assert "immutable" in got.headers["cache-control"]


@pytest.mark.parametrize("what", ["text", "audio", "audio/data"])
def test_an_unknown_value_is_refused(viewer: LiveViewer, what: str):
    tag = {"text": "note/text_summary"}.get(what, "tone")
    answer = value(viewer, what, tag, "0-0-0")
    assert (answer.status_code, answer.json()["error"]["code"]) == (404, "value_not_found")


def test_fields_are_read_again_when_lineage_comes_and_not_when_scalars_do(tmp_path: Path):
    log = tmp_path / "run" / "events.out.events.summary.1795225259.0.test_MS_lineage"
    log.parent.mkdir()
    scalar_log = tmp_path / "run" / "events.out.events.summary.1795225259.0.test_MS"
    append(scalar_log, version() + scalars(1, {"loss": 1.0}))
    copyfile(next((DATA / SWEEP[0]).glob("*lineage*")), log)
    catalog = Catalog(tmp_path)
    catalog.refresh()
    reads: list[str] = []

    def read(run: Run) -> int:
        reads.append(run.id)
        return len(run.lineage.row())

    known = RunValueCache(read, kinds=(Kind.TRAIN_LINEAGE, Kind.EVAL_LINEAGE))
    found = known.get(catalog.run("run"))
    assert found >= 2
    for step in range(2, 5):
        append(scalar_log, scalars(step, {"loss": 1.0}))
        catalog.refresh()
        assert known.get(catalog.run("run")) == found
    assert len(reads) == 1
    copyfile(next((DATA / SWEEP[1]).glob("*lineage*")), log.with_name(log.name.replace("1795225259", "1795225260")))
    catalog.refresh()
    known.get(catalog.run("run"))
    assert len(reads) == 2


def test_previews_show_graph_pipeline_and_landscape(viewer: LiveViewer):
    run = "mindspore/landscape/unit_step"
    got = viewer.http.get("/api/previews", params={"run": run}).raise_for_status().json()
    opened = mindscope.open_run(DATA / run)
    assert got["graph"]["nodes"] == len(list(opened.graphs().values())[-1].operations)
    assert sum(scope["nodes"] for scope in got["graph"]["scopes"]) == got["graph"]["nodes"]
    assert len({scope["name"] for scope in got["graph"]["scopes"]}) == len(got["graph"]["scopes"])
    count = len(got["graph"]["scopes"])
    assert all(0 <= flow[end] < count for flow in got["graph"]["flows"] for end in ("source", "target"))
    assert [stage["name"] for stage in got["pipeline"]["stages"]] == ["GeneratorDataset", "Batch"]
    landscape = opened.landscapes()[got["landscape"]["tag"]]
    np.testing.assert_allclose(got["landscape"]["losses"], landscape.z, rtol=1e-6)
    np.testing.assert_allclose(got["landscape"]["path_x"], landscape.path_x, rtol=1e-6)


def test_any_landscape_of_a_run_can_be_asked_for(viewer: LiveViewer):
    run = "mindspore/landscape/unit_step"
    ask = {"run": run}
    landscapes = mindscope.open_run(DATA / run).landscapes()
    usual = viewer.http.get("/api/previews", params=ask).json()
    assert len(landscapes) > 1
    assert usual["landscapes"] == list(landscapes)
    for tag, landscape in landscapes.items():
        got = viewer.http.get("/api/previews", params={**ask, "landscape": tag}).raise_for_status().json()
        assert got["landscape"]["tag"] == tag
        np.testing.assert_allclose(got["landscape"]["losses"], landscape.z, rtol=1e-6)
        assert {**got, "landscape": None} == {**usual, "landscape": None}
    refused = viewer.http.get("/api/previews", params={**ask, "landscape": "nix"})
    error = refused.json()["error"]
    assert (refused.status_code, error["code"]) == (404, "tag_not_found")
    assert error["values"] == {"kind": "landscape", "tag": "nix", "run": run}


@pytest.mark.parametrize(
    ("run", "framework"),
    [("mindspore/lineage_sweep/run_01", "mindspore"), ("mindspore/custom_loop", None), (f"{TB_ALL}/multi_a", None)],
)
def test_previews_name_the_framework_of_a_training(viewer: LiveViewer, run: str, framework: str | None):
    got = viewer.http.get("/api/previews", params={"run": run}).raise_for_status().json()
    assert got["framework"] == framework


def test_a_run_without_any_has_no_previews(viewer: LiveViewer):
    got = viewer.http.get("/api/previews", params={"run": f"{TB_ALL}/multi_a"}).json()
    assert (got["graph"], got["pipeline"], got["landscape"], got["problems"]) == (None, None, None, [])
    assert got["landscapes"] == []
    assert viewer.http.get("/api/previews", params={"run": "nix"}).status_code == 404
