# SPDX-License-Identifier: Apache-2.0
"""Everything that can be read of logs, by each way to read them; only errors of ours may leave."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from fastapi import FastAPI
from starlette.testclient import TestClient

from mindscope.alerts import CHECKS, check_rule, find_alerts
from mindscope.errors import FormatError
from mindscope.ingest import Catalog
from mindscope.reading import ExportOptions, Run, Runs, export_runs, inspect_run, open_runs
from mindscope.server.app import create_app
from mindscope.settings import Settings
from mindscope.types import Kind

BY_ID = {Kind.TENSOR: "/api/tensor", Kind.TEXT: "/api/text", Kind.AUDIO: "/api/audio"}
OF_A_TENSOR = ("", ".csv", ".json", ".npy", "/heat", "/statistics", "/window")
LONGEST_TAG = 100
"""In an expression, which must not be longer than the API takes."""
MOST_VALUES = 4
"""Of a tag, that the routes of single values are asked for."""


def read_in_python(base: Path, out: Path) -> Runs:
    """Every value of every run, reports and exports."""
    runs = open_runs(base)
    for run in runs.values():
        _read_run(run)
        json.dumps(inspect_run(run).to_json())
        list(map(str, run.damages))
    json.dumps([dict(row) for row in runs.lineage()], default=str)
    export_runs(runs, out / "npz")
    export_runs(runs, out / "csv", ExportOptions(histogram_format="csv", overwritten=True, scalar_formats=("parquet",)))
    list(find_alerts(base, [check_rule(name) for name in CHECKS]))
    return runs


def _read_run(run: Run) -> None:
    for kind in run.kinds:
        for tag in run.tags(kind):
            if kind is Kind.SCALAR:
                assert len(run.scalars(tag, overwritten=True)) >= len(run.scalars(tag))
                continue
            for sample in run.values(kind, tag, overwritten=True):
                with suppress(FormatError):
                    _look_at(kind, sample.value)
    run.graphs(), run.dataset_graph, run.landscapes(), run.lineage.row(), run.hparams


def _look_at(kind: Kind, value: Any) -> None:
    for image in value if kind is Kind.IMAGE else ():
        with suppress(FormatError):
            image.pixels()


@contextmanager
def viewer_app(base: Path, workspace: Path) -> Iterator[FastAPI]:
    catalog = Catalog(base)
    catalog.refresh()
    app = create_app(Settings(summary_base_dir=base, workspace=workspace), catalog)
    try:
        yield app
    finally:
        app.state.viewer.close()


def read_by_http(base: Path, workspace: Path) -> None:
    """Every route that reads values of runs; an error that is not ours leaves the client."""
    with viewer_app(base, workspace) as app:
        Asked(TestClient(app, "http://localhost"), app.state.viewer.catalog).ask_all()


class Asked:
    """The routes of a viewer."""

    def __init__(self, client: TestClient, catalog: Catalog) -> None:
        self._client = client
        self._catalog = catalog
        self._runs = list(catalog.runs)

    def ask_all(self) -> None:
        self._lists()
        for run in self._runs:
            for address in ("/api/damages", "/api/previews"):
                self._get(address, want=200, run=run)
            self._values(run)

    def _lists(self) -> None:
        for address in ("/api/runs", "/api/alerts"):
            self._get(address, want=200)
        self._post("/api/lineage", scalars=["*"])
        for kind in Kind:
            self._post("/api/tags", runs=self._runs, kind=kind.value)
        scalars = self._series(Kind.SCALAR)
        self._post("/api/statistics", runs=self._runs, tags=[each["tag"] for each in scalars][:100])
        for axis in ("step", "relative", "wall"):
            self._post("/api/curves", series=scalars, axis=axis, smoothing=0.5)
            self._post("/api/histograms", series=self._series(Kind.HISTOGRAM), axis=axis, rows=5)
        self._post("/api/pr_curves", series=[{**each, "step": "all"} for each in self._series(Kind.PR_CURVE)])
        short = [each for each in scalars if len(each["tag"]) < LONGEST_TAG]
        lines = [{"run": each["run"], "y": f"tag({json.dumps(each['tag'])}) * 2"} for each in short[:20]]
        self._post("/api/expressions", lines=lines)
        groups = [{"key": "all", "y": line["y"], "runs": self._runs} for line in lines[:5]]
        self._post("/api/groups", groups=groups)

    def _series(self, kind: Kind) -> list[dict[str, str]]:
        stores = self._catalog.runs.items()
        return [{"run": run, "tag": tag} for run, store in stores for tag in store.tags(kind)][:500]

    def _values(self, run: str) -> None:
        store = self._catalog.runs[run]
        for tag in store.tags(Kind.SCALAR)[:3]:
            self._get("/api/scalars.csv", run=run, tag=tag)
        for tag in store.tags(Kind.IMAGE):
            for id in self._get("/api/images", want=200, run=run, tag=tag)["id"][-MOST_VALUES:]:
                self._get("/api/image", run=run, tag=tag, id=id)
        for kind, address in BY_ID.items():
            for tag in store.tags(kind):
                answer = self._get("/api/values", want=200, run=run, kind=kind.value, tag=tag)
                for id in answer["id"][-MOST_VALUES:]:
                    for ending in OF_A_TENSOR if kind is Kind.TENSOR else ("",):
                        self._get(address + ending, run=run, tag=tag, id=id)
                    if kind is Kind.AUDIO:
                        self._get("/api/audio/data", run=run, tag=tag, id=id)

    def _get(self, address: str, want: int | None = None, **query: str) -> Any:
        response = self._client.get(address, params=query)
        return self._checked(response, want, f"{address} {query}")

    def _post(self, address: str, **body: Any) -> None:
        self._checked(self._client.post(address, json=body), 200, f"{address} {body}")

    def _checked(self, response: Any, want: int | None, what: str) -> Any:
        assert want is None or response.status_code == want, f"{what}: {response.text[:500]}"
        assert b'"internal"' not in response.content, f"{what}: {response.text[:500]}"
        return response.json() if response.headers.get("content-type") == "application/json" else None
