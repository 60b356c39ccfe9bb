# SPDX-License-Identifier: Apache-2.0
"""The first bad number over HTTP: what the analysis finds in recorded runs, in requests that continue."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fastapi.testclient import TestClient

from mindscope.debug.first_bad import find_first_bad
from mindscope.debug.model.loaded import LoadedSource
from mindscope.debug.model.step_statistics import StepStatistics
from mindscope.debug.model.tensors import DebugTensor, Phase, Role
from mindscope.errors import FormatError
from mindscope.ingest import Catalog
from mindscope.server.app import create_app
from mindscope.server.debugger.first_bad import FirstBadSearches
from mindscope.server.debugger.sources import OpenSource
from mindscope.settings import Settings
from tests.debug.made_sources import Recorded, output, source_of
from tests.debug.recorded_runs import write_run

BAD_STEP = 808
LINE = "/train/net.py:9 forward: x * x"


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    return tmp_path / "logs"


@pytest.fixture
def client(logs: Path, tmp_path: Path) -> Iterator[TestClient]:
    logs.mkdir()
    settings = Settings(workspace=tmp_path / "workspace", summary_base_dir=logs)
    catalog = Catalog(settings.summary_base_dir, settings.workspace)
    with TestClient(create_app(settings, catalog), base_url="http://127.0.0.1:8080") as opened:
        opened.catalog = catalog  # type: ignore[attr-defined]
        yield opened
    catalog.close()


def growing(last: int = 811, first: int = 800) -> LoadedSource:
    """A number that doubles each step; its square overflows float16 in step 808, and a Linear gets it."""
    steps: dict[int, list[Recorded]] = {}
    facts: dict[str, Any] = {"slot": "0", "dtype": "float16", "shape": (1,), "stack": (LINE,)}
    given = DebugTensor("a", "aten::mul", Phase.FORWARD, Role.INPUT, **facts)
    made = DebugTensor("a", "aten::mul", Phase.FORWARD, Role.OUTPUT, **facts)
    for step in range(first, last + 1):
        value = np.array([2.0 ** (step - 800)], np.float16)
        square = value * value if step < BAD_STEP else np.array([np.inf], np.float16)
        head = DebugTensor("head", "Linear", Phase.FORWARD, Role.INPUT, "0")
        steps[step] = [
            Recorded(given, value, 1),
            Recorded(made, square, 1),
            Recorded(head, square, 2),
            Recorded(output("head"), square + np.float16(1), 2),
        ]
    return source_of(steps)


def search(client: TestClient) -> dict[str, Any]:
    client.catalog.refresh()  # type: ignore[attr-defined]
    answer = client.post("/api/debugger/first_bad", json={"run": "run"})
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


def test_the_answer_is_what_the_analysis_finds(client: TestClient, logs: Path) -> None:
    source = growing()
    write_run(logs / "run", source)
    want = find_first_bad(source)
    assert want is not None
    answer = search(client)
    found = answer["found"]
    assert (answer["is_complete"], answer["steps"], answer["read_steps"]) == (True, 12, 9)
    assert (found["cause"], found["step"], found["rank"], found["phase"]) == ("operator", BAD_STEP, 0, "forward")
    assert found["operator"] == {"kind": "operator", "name": want.operator, "row": want.row}
    assert found["stack"] == [LINE]
    assert found["tensor"]["figures"]["positive_inf"] == 1
    assert [each["tensor"]["role"] for each in found["inputs"] + found["outputs"]] == ["input", "output"]
    assert found["inputs"][0]["figures"]["max"] == 256
    assert [each["name"] for each in found["chain"]] == list(want.chain) == ["a/aten::mul", "head/Linear"]
    (growth,) = found["growth"]
    (fitted,) = want.growth
    assert (growth["since"], growth["last_step"], growth["last"], growth["limit"]) == (800, BAD_STEP, 256, 65504)
    assert growth["factor"] == fitted.factor
    assert growth["tensor"]["operator"] == "a/aten::mul"


def test_a_healthy_training_has_none_until_a_step_is_bad(client: TestClient, logs: Path) -> None:
    write_run(logs / "run", growing(last=806))
    answer = search(client)
    assert (answer["found"], answer["is_complete"], answer["read_steps"]) == (None, True, 7)
    write_run(logs / "run", growing(first=807))
    answer = search(client)
    assert answer["found"]["step"] == BAD_STEP
    assert answer["found"]["growth"][0]["since"] == 800
    assert answer["unfinished"] is None


def test_a_long_search_continues_with_the_next_request(client: TestClient, logs: Path) -> None:
    client.app.state.viewer.shared(FirstBadSearches, lambda: FirstBadSearches(budget_s=-1))  # type: ignore[attr-defined]
    write_run(logs / "run", growing())
    answers = [search(client) for _ in range(18)]
    assert [each["read_steps"] for each in answers] == [*range(1, 10), *[9] * 9]
    assert [each["found"] is None for each in answers] == [*[True] * 8, *[False] * 10]
    assert [each["is_complete"] for each in answers] == [*[False] * 17, True]
    assert answers[-2]["found"]["growth"] == []
    assert answers[-1]["found"]["growth"][0]["since"] == 800


class Damaged(LoadedSource):
    """Debugging data of which a step can't be read."""

    def at(self, step: int, rank: int) -> StepStatistics:
        if step == 803:
            raise FormatError("damaged")
        return super().at(step, rank)


def test_a_damaged_step_is_counted_and_left_out() -> None:
    whole = growing()
    opened = OpenSource(Damaged(whole.tensors, whole.recorded), "1", ("run", "."))
    answer = FirstBadSearches().answer(opened)
    assert answer.found is not None
    assert (answer.found.step, answer.unreadable_steps) == (BAD_STEP, 1)
    assert answer.found.growth[0].since == 800


def test_a_run_without_debugging_data_says_so(client: TestClient) -> None:
    answer = client.post("/api/debugger/first_bad", json={"run": "nix"})
    assert (answer.status_code, answer.json()["error"]["code"]) == (404, "run_not_found")
