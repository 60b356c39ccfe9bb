# SPDX-License-Identifier: Apache-2.0
"""Whole tensors of dumps over HTTP, and how far two are apart."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from fastapi.testclient import TestClient

from mindscope.ingest import Catalog
from mindscope.server.app import create_app
from mindscope.settings import Settings
from tests.debug.whole_tensor_dumps import write_dumped_run

from .debug_runs import write_run
from .live_viewer import unpack

RELU = "Functional.relu.0.forward"
X = np.arange(-60, 60, dtype=np.float32).reshape(2, 10, 6)
PLACE = (1, 7, 4)


def relu_of(x: np.ndarray, error: float = 0.0) -> np.ndarray:
    found = np.maximum(x, 0)
    found[PLACE] += error
    return found


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    base = tmp_path_factory.mktemp("dumps")
    write_dumped_run(base / "one", {step: {RELU: ([X], [relu_of(X)])} for step in (0, 1)})
    write_dumped_run(base / "other", {step: {RELU: ([X], [relu_of(X, 5.0 * step)])} for step in (0, 1)})
    write_dumped_run(base / "shape", {1: {RELU: ([X[0]], [relu_of(X)[0]])}})
    write_run(base / "recorded")
    settings = Settings(workspace=base / "workspace", summary_base_dir=base)
    catalog = Catalog(settings.summary_base_dir, settings.workspace)
    catalog.refresh()
    with TestClient(create_app(settings, catalog), base_url="http://127.0.0.1:8080") as opened:
        yield opened
    catalog.close()


def get(client: TestClient, path: str = "", **query: Any) -> Any:
    asked = {"run": "one", "source": "dump", "step": 1, "tensor_row": 1, **query}
    return client.get(f"/api/debugger/tensor{path}", params=asked)


def compared(client: TestClient, status: int = 200, **query: Any) -> Any:
    asked = {"run": "one", "source": "dump", "other_run": "other", "other_source": "dump", "step": 1, "row": 1,
             "other_row": 1, **query}  # fmt: skip
    answer = client.post("/api/debugger/compare/tensor", json=asked)
    assert answer.status_code == status, answer.text
    return answer.json()


def test_a_slice_of_a_whole_tensor_is_read(client: TestClient) -> None:
    facts = get(client).json()
    assert (facts["dtype"], facts["shape"], facts["size_bytes"]) == ("float32", [2, 10, 6], 480)
    window = get(client, "/window", slice=["1", "2:8:2", "::-1"], row=2, rows=2, columns=3).json()
    assert window["cells"] == [[str(each) for each in line] for line in relu_of(X)[1, 2:8:2, ::-1][2:4, :3].tolist()]
    statistics = get(client, "/statistics", bins=4).json()
    assert (statistics["count"], statistics["zeros"], statistics["maximum"]) == (120, 61, "59.0")
    heat = unpack(get(client, "/heat", slice=["1", ":", ":"]).content)
    assert heat.header["shape"] == [10, 6]
    np.testing.assert_array_equal(np.load(io.BytesIO(get(client, ".npy").content)), relu_of(X))
    assert get(client, ".json", slice=["0", "0", ":2"]).json() == {
        "run": "one", "source": "dump", "rank": 0, "step": 1, "slice": ["0", "0", ":2"], "dtype": "float32",
        "shape": [2], "values": [0, 0],
    }  # fmt: skip
    assert get(client, ".csv", slice=["1", "9", "4:"]).text == "58.0\r\n59.0\r\n"


def test_what_is_not_there_is_said(client: TestClient) -> None:
    assert get(client, "/window", slice=["7", ":", ":"]).json()["error"]["code"] == "slice_outside"
    assert get(client, tensor_row=9).json()["error"]["code"] == "debug_data_not_found"
    assert get(client, step=7).json()["error"]["code"] == "debug_data_not_found"
    assert get(client, run="recorded", source=".").json()["error"]["code"] == "debug_statistics_only"
    assert get(client, run="nix").json()["error"]["code"] == "run_not_found"


def test_rows_say_whether_their_elements_are_there(client: TestClient) -> None:
    for run, source, has_elements in (("one", "dump", True), ("recorded", ".", False)):
        answer = client.post("/api/debugger/row", json={"run": run, "source": source, "step": 1, "row": 1})
        assert answer.json()["has_elements"] is has_elements


def test_the_difference_of_two_tensors(client: TestClient) -> None:
    found = compared(client)
    elements = found["elements"]
    assert (found["has_elements"], found["level"], found["problems"]) == ([True, True], "warning", ["norm_growth"])
    assert (elements["max_abs"], elements["share_beyond"]) == (5, pytest.approx(1 / 120))
    assert elements["rmse"] == pytest.approx(5 / 120**0.5)
    assert {each["figure"]: each["holds"] for each in elements["guidance"]} == {"cosine": True, "max_abs": False}
    assert sum(each["count"] for each in elements["ulps"]) == 120
    window = elements["window"]
    assert (window["index"], window["row"], window["column"]) == ([1, 7, 4], 4, 3)
    rows, columns = (window[name]["start"] for name in ("rows", "columns"))
    assert window["left"][4][3] == str(float(relu_of(X)[PLACE]))
    assert [[float(each) for each in line] for line in window["right"]] == (
        relu_of(X, 5.0)[1, rows : rows + 7, columns : columns + 5].tolist()
    )
    assert window["difference"][4][3] == "-5.0"
    assert [(each["role"], each["row"], each["other_row"]) for each in found["tensors"]] == [
        ("input", 0, 0), ("output", 1, 1)
    ]  # fmt: skip
    assert (found["left"]["figures"]["max"], found["right"]["figures"]["max"]) == (59, 59)
    assert compared(client, atol=10)["elements"]["share_beyond"] == 0
    assert compared(client, step=0)["elements"]["max_abs"] == 0


def test_the_difference_of_what_does_not_fit(client: TestClient) -> None:
    other = compared(client, other_run="shape")
    assert (other["level"], other["problems"], other["elements"]["count"]) == ("error", ["shape"], 0)
    assert other["elements"]["window"] is None
    statistics = compared(client, run="recorded", source=".", other_run="recorded", other_source=".")
    assert (statistics["has_elements"], statistics["elements"]) == ([False, False], None)
    for wrong in ({"step": 9}, {"row": 9}, {"other_row": 9}):
        assert compared(client, 404, **wrong)["error"]["code"] == "debug_data_not_found"
    compared(client, 422, atol=-1)
