# SPDX-License-Identifier: Apache-2.0
"""What the page gets of a profile of each format is what ``read_profile`` gives."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fastapi.testclient import TestClient

from mindscope.ingest import Catalog
from mindscope.profile.formats import FORMATS
from mindscope.profile.model.profile_data import Part
from mindscope.profile.open import read_profile
from mindscope.profile.overview import overview_of
from mindscope.profile.profile import Profile
from mindscope.profile.tables.steps import PARTS
from mindscope.server.app import create_app
from mindscope.settings import Settings
from tests.profile import ascend_databases, nsight_events, xplane_events
from tests.profile.formats.test_format_fuzz import ascend_output, msprof_results, old_mindspore, snapshot
from tests.profile.kineto_events import Events
from tests.server.live_viewer import unpack
from tests.server.test_profile_rows import made

MOST_ROWS = 200


def chrome_trace(directory: Path) -> Path:
    path = directory / "trace.json"
    events = [{"ph": "X", "name": f"work {n}", "pid": 1, "tid": 2, "ts": 10.0 * n, "dur": 5.0} for n in range(20)]
    path.write_text(json.dumps({"traceEvents": events}))
    return path


def torch_trace(directory: Path) -> Path:
    events: Events = made()
    events.write(directory / "made.pt.trace.json")
    return directory / "made.pt.trace.json"


def xplane(directory: Path) -> Path:
    path = directory / "plugins/profile/2027_01_15/vm.xplane.pb"
    return xplane_events.write(path, *xplane_events.on_gpu(), hostnames=["vm"])


MAKERS: dict[str, Callable[[Path], Path]] = {
    "torch_trace": torch_trace,
    "chrome_trace": chrome_trace,
    "ascend_output": ascend_output,
    "mindspore_profile": old_mindspore,
    "msprof": msprof_results,
    "memory_snapshot": snapshot,
    "ascend_database": lambda directory: ascend_databases.training().write(directory / "ascend_pytorch_profiler_3.db"),
    "nsight_export": lambda directory: nsight_events.training().write(directory / "report.sqlite"),
    "xplane": xplane,
}


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("formats")


@pytest.fixture(scope="module")
def profiles(base: Path) -> dict[str, Profile]:
    """One of each format, in a run that has its name."""
    found: dict[str, Profile] = {}
    for name, make in MAKERS.items():
        directory = base / "logs" / name
        directory.mkdir(parents=True)
        found[name] = read_profile(make(directory))
    return found


@pytest.fixture(scope="module")
def client(base: Path, profiles: dict[str, Profile]) -> Iterator[TestClient]:
    settings = Settings(workspace=base / "workspace", summary_base_dir=base / "logs")
    catalog = Catalog(settings.summary_base_dir, settings.workspace)
    catalog.refresh()
    with TestClient(create_app(settings, catalog), base_url="http://127.0.0.1:8080") as opened:
        yield opened
    catalog.close()


@pytest.fixture(params=sorted(MAKERS))
def name(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture
def of(client: TestClient, name: str) -> dict[str, str]:
    """The address of a profile that was read."""
    (listed,) = client.post("/api/profiles", json={"runs": [name]}).json()["profiles"]
    of = {"run": listed["run"], "profile": listed["profile"]}
    deadline = time.monotonic() + 60
    while client.get("/api/profiles/tables", params=of).json()["progress"] is not None:
        assert time.monotonic() < deadline
    return of


def tables(client: TestClient, of: dict[str, str]) -> dict[str, Any]:
    answer = client.get("/api/profiles/tables", params=of).json()
    assert answer["problem"] is None
    return answer["tables"]["summary"]


def test_each_format_is_here(profiles: dict[str, Profile]) -> None:
    assert {name: profile.facts.format for name, profile in profiles.items()} == {
        each.name: each.name for each in FORMATS.rows
    }


def test_the_overview_is_that_of_python(
    client: TestClient, of: dict[str, str], name: str, profiles: dict[str, Profile]
) -> None:
    summary, overview = tables(client, of), overview_of(profiles[name])
    assert (summary["format"], summary["rank"]) == (name, profiles[name].facts.rank)
    for key, want in (
        ("step_ns", overview.step_time),
        ("overlap", overview.overlap),
        ("occupancy", overview.occupancy),
    ):
        assert summary[key] == (want if want is not None and np.isfinite(want) else None), key
    assert {part for part, share in summary["shares"].items() if share} == {
        part for part, share in overview.parts.items() if share > 0
    }


@pytest.mark.parametrize("part", [Part.OPERATORS, Part.KERNELS])
def test_rows_are_those_of_python(
    client: TestClient, of: dict[str, str], name: str, part: Part, profiles: dict[str, Profile]
) -> None:
    query = {**of, "part": part.value, "by": "each", "first": 0, "count": MOST_ROWS}
    answer = client.post("/api/profiles/rows", json=query)
    if part in profiles[name].missing:
        assert answer.status_code == 422
        return
    table: Any = profiles[name].part(part)
    assert 0 < len(table) <= MOST_ROWS
    got = sorted((each["name"], each["time_ns"]) for each in answer.json()["rows"])
    assert got == sorted(zip(list(table.name), table.weight.tolist(), strict=True))


def test_steps_are_those_of_python(
    client: TestClient, of: dict[str, str], name: str, profiles: dict[str, Profile]
) -> None:
    got = unpack(client.get("/api/profiles/steps", params=of).raise_for_status().content)

    def column(place: dict[str, Any]) -> np.ndarray[Any, Any]:
        return np.frombuffer(got.data, place["dtype"], place["length"], place["offset"])

    if Part.STEPS in profiles[name].missing:
        assert got.header["missing"]["code"] == profiles[name].missing[Part.STEPS].code
        return
    steps = profiles[name].steps
    assert (got.header["count"], got.header["warm_up_rows"]) == (len(steps), list(range(steps.warm_up)))
    np.testing.assert_array_equal(column(got.header["number"]), steps.number)
    np.testing.assert_array_equal(np.diff(column(got.header["begin"])), np.diff(steps.start))
    columns = got.header["columns"]
    for title, place in columns.items():
        np.testing.assert_array_equal(column(place), getattr(steps, title), err_msg=title)
    recorded = {name for name in ("duration", *PARTS) if getattr(steps, name) is not None}
    assert columns.keys() >= recorded
