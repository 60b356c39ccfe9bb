# SPDX-License-Identifier: Apache-2.0
"""The OpenAPI is the contract: the server keeps it for any request that it allows, and refuses any other politely."""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from copy import deepcopy
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
import schemathesis
from fastapi import FastAPI
from hypothesis import HealthCheck, settings

from mindscope import server
from mindscope.ingest import Catalog
from mindscope.profile.formats import FORMATS
from mindscope.profile.formats.ascend.cluster import CLUSTER_OUTPUT
from mindscope.server.app import ROUTES, create_app
from mindscope.server.http.lazy_routes import LazyRoutes
from mindscope.server.scalars.schema import CurvesHeader
from mindscope.settings import Settings

from .live_viewer import DATA, LiveViewer, check_header
from .real_names import NAMES_OF, RealNames

LOCAL = {"host": "localhost"}
ROOT = Path(__file__).parents[2]


WORKSPACE = TemporaryDirectory()


def real_logs() -> FastAPI:
    """The API over the real logs; what the requests write is kept apart from them."""
    catalog = Catalog(DATA)
    catalog.refresh()
    return create_app(Settings(summary_base_dir=DATA, workspace=Path(WORKSPACE.name)), catalog)


app = real_logs()
EXAMPLES = int(os.environ.get("MINDSCOPE_FUZZ_EXAMPLES", "15"))
"""Requests of a route; ``make fuzz`` sends more."""
REFUSALS = ["400", "403", "404", "409", "413", "415", "422", "5xx"]
"""Of what the document does not allow: a body may be too large to be read before it has too many items."""
CHECKS = schemathesis.Config.from_dict({"checks": {"negative_data_rejection": {"expected-statuses": REFUSALS}}})
schema = schemathesis.openapi.from_asgi("/api/openapi.json", app, headers=LOCAL, config=CHECKS)


@pytest.fixture(scope="module", autouse=True)
def ended() -> Iterator[None]:
    yield
    app.state.viewer.close()
    WORKSPACE.cleanup()


NAMES = RealNames(app.state.viewer.catalog)


@schema.exclude(path="/api/live").parametrize()
@settings(max_examples=EXAMPLES, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
def test_any_request_is_answered_as_documented(case: schemathesis.Case):
    if case.meta is not None and case.meta.generation.mode is schemathesis.GenerationMode.POSITIVE:
        case.query, case.body = NAMES.put_in(case.path, case.query), NAMES.put_in(case.path, case.body)
    case.call_and_validate(headers=LOCAL)


@pytest.mark.parametrize(
    "path", ["tensor", "tensor/window", "tensor/heat", "tensor.npy", "text", "audio", "audio/data", "image"]
)
def test_the_names_of_the_logs_are_answered(viewer: LiveViewer, path: str):
    run, tag = NAMES_OF[path.split("/")[0].partition(".")[0]]
    asked = {"run": run, "tag": tag, "id": NAMES.newest_value(run, tag)}
    assert viewer.http.get(f"/api/{path}", params=asked).status_code == 200


def test_no_address_is_left_out_of_the_document():
    room = Path(server.__path__[0])
    files = [file for file in room.rglob("*.py") if re.search(r"^router\b.*=", file.read_text("utf-8"), re.MULTILINE)]
    names = [".".join(file.relative_to(room).with_suffix("").parts) for file in files]
    modules = [import_module(f"mindscope.server.{name}") for name in names]
    served = {f"/api{route.path}" for module in modules for route in module.router.routes}
    assert served == {"/api/openapi.json", *(operation.ok().path for operation in schema.get_all_operations())}


def test_the_first_request_of_an_address_mounts_its_routes():
    routes = LazyRoutes("mindscope.server", ROUTES, lambda router: None)
    paths = {f"/api{route.path}": name for name in ROUTES for route in _router(name).routes}
    assert {path: routes.missing_for(path) for path in paths} == paths
    others = ("*", "/", "/api", "/api/", "/server", "/x/server", "/api/nothing", "/api/servers")
    assert [path for path in others if routes.missing_for(path) is not None] == []
    routes.mount("info.routes")
    assert routes.missing_for("/api/server") is None
    assert routes.missing_for("/api/runs/move/below") == "run_files.routes"


def _router(name: str) -> Any:
    return import_module(f"mindscope.server.{name}").router


def test_every_route_and_field_is_documented(viewer: LiveViewer):
    document = viewer.http.get("/api/openapi.json").json()
    operations = [operation for path in document["paths"].values() for operation in path.values()]
    written = (ROOT / "docs" / "http.md").read_text("utf-8")
    assert [path for path in document["paths"] if f"`{path}`" not in written] == []
    assert all(operation["description"] for operation in operations)
    assert all(model["description"] for model in document["components"]["schemas"].values())


def test_every_format_of_profiles_is_documented():
    names = {each.name for each in (*FORMATS.rows, CLUSTER_OUTPUT)}
    written = (ROOT / "docs" / "profiling.md").read_text("utf-8").partition("## Formats")[2].partition("###")[0]
    assert {name for name in names if f"| `{name}` |" not in written} == set()
    assert "(profiling.md#formats)" in (ROOT / "docs" / "http.md").read_text("utf-8")


@pytest.fixture(scope="module")
def printed() -> Any:
    command = [sys.executable, "-m", "mindscope.server.openapi_dump"]
    return json.loads(subprocess.run(command, capture_output=True, check=True).stdout)


def test_the_document_is_printed_without_a_viewer(printed: Any, viewer: LiveViewer):
    assert printed == viewer.http.get("/api/openapi.json").json()


def test_the_clients_copy_is_the_servers(printed: Any):
    assert printed == json.loads((ROOT / "ui" / "openapi.json").read_text()), (
        "write it anew: python -m mindscope.server.openapi_dump > ui/openapi.json"
    )


def contract_digest(document: dict[str, Any]) -> str:
    """The digest of what programs depend on: routes, messages and bounds, without texts."""

    def without_texts(value: Any, is_names: bool = False) -> Any:
        """Leave out descriptions and titles, but not fields of these names."""
        if isinstance(value, list):
            return [without_texts(item) for item in value]
        if not isinstance(value, dict):
            return value
        kept = {key: item for key, item in value.items() if is_names or key not in ("description", "title", "summary")}
        return {key: without_texts(item, key in ("properties", "schemas")) for key, item in kept.items()}

    parts = {key: document[key] for key in ("paths", "components")}
    return hashlib.sha256(json.dumps(without_texts(parts), sort_keys=True).encode()).hexdigest()[:32]


def test_a_change_of_the_api_raises_its_version(printed: Any):
    versions = json.loads((ROOT / "tests/server/api_versions.json").read_text())
    digest = contract_digest(printed)
    assert versions.get(printed["info"]["version"]) == digest, (
        f"routes or messages changed: raise API_VERSION in server/http/api_version.py, and add it with {digest}"
    )
    assert list(versions)[-1] == printed["info"]["version"]
    assert len(set(versions.values())) == len(versions)


@pytest.mark.parametrize(
    ("path", "is_change"),
    [
        (("paths", "/api/runs", "get", "operationId"), True),
        (("components", "schemas", "ServerAnswer", "properties", "description"), True),
        (("components", "schemas", "ServerAnswer", "properties", "pid", "type"), True),
        (("components", "schemas", "ServerAnswer", "description"), False),
        (("info", "version"), False),
    ],
    ids=lambda value: value[-1] if isinstance(value, tuple) else None,
)
def test_a_change_of_routes_or_messages_changes_the_digest(printed: Any, path: tuple[str, ...], is_change: bool):
    changed = deepcopy(printed)
    *parents, last = path
    inner = changed
    for key in parents:
        inner = inner[key]
    inner[last] = {"type": "other"} if last == "description" and "properties" in parents else "other"
    assert (contract_digest(changed) != contract_digest(printed)) is is_change


def test_the_header_of_the_columns_is_as_documented(viewer: LiveViewer):
    curves = viewer.curves(("mindspore/custom_loop", "train/loss"), ("nix", "nix"), smoothing=0.5)
    check_header(CurvesHeader, curves)
