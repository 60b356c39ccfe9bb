# SPDX-License-Identifier: Apache-2.0
"""Where two trainings part, over HTTP: real PyTorch trainings with a planted difference, pages, pairs made by hand."""

from __future__ import annotations

import tarfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fastapi.testclient import TestClient

import mindscope
from mindscope.annotations.operator_pairs import change_operator_pair
from mindscope.debug.model.loaded import LoadedSource
from mindscope.debug.model.step_statistics import StepStatistics
from mindscope.errors import FormatError
from mindscope.ingest import Catalog
from mindscope.server.annotations.store import annotations_of
from mindscope.server.app import create_app
from mindscope.server.debugger.compare.comparisons import Comparisons
from mindscope.server.debugger.sources import OpenSource
from mindscope.settings import Settings
from tests.debug.recorded_runs import write_run
from tests.debug.test_compare import training

from .live_viewer import DATA, Columns, unpack

BOTH = {"run": "one", "other_run": "other"}
FAULT = 4


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    (tmp_path / "logs").mkdir()
    return tmp_path / "logs"


@pytest.fixture
def client(logs: Path, tmp_path: Path) -> Iterator[TestClient]:
    settings = Settings(workspace=tmp_path / "workspace", summary_base_dir=logs)
    catalog = Catalog(settings.summary_base_dir, settings.workspace)
    with TestClient(create_app(settings, catalog), base_url="http://127.0.0.1:8080") as opened:
        opened.catalog = catalog  # type: ignore[attr-defined]
        yield opened
    catalog.close()


def compared(client: TestClient, **query: Any) -> Columns:
    client.catalog.refresh()  # type: ignore[attr-defined]
    answer = client.post("/api/debugger/compare", json={**BOTH, **query})
    assert answer.status_code == 200, answer.text
    return unpack(answer.content)


def column(found: Columns, name: str) -> list[float]:
    place = found.header[name]
    return np.frombuffer(found.data, place["dtype"], place["length"], place["offset"]).tolist()


def ask(client: TestClient, path: str, **query: Any) -> Any:
    client.catalog.refresh()  # type: ignore[attr-defined]
    answer = client.post(f"/api/debugger/compare/{path}", json={**BOTH, **query})
    assert answer.status_code == 200, answer.text
    return answer.json()


def pair(client: TestClient, left: str, right: str, *, is_paired: bool = True, want: int = 200, **runs: str) -> Any:
    change = {**BOTH, **runs, "left": left, "right": right, "is_paired": is_paired}
    answer = client.put("/api/debugger/compare/pairs", json=change)
    assert answer.status_code == want, answer.text
    return answer.json()


def renumbered(source: LoadedSource, first: int, scale: float = 1) -> LoadedSource:
    """The steps of a source, which begin at 1, from another number on, with other values."""
    steps = [StepStatistics(each.step - 1 + first, 0, each.tensor, each.order, each.values * scale, each.digest)
             for each in source.recorded]  # fmt: skip
    return LoadedSource(source.tensors, steps, "made", "torch")


def write_both(logs: Path, left: LoadedSource, right: LoadedSource) -> None:
    write_run(logs / "one", left)
    write_run(logs / "other", right)


def test_the_answer_names_the_planted_operator_and_its_error(client: TestClient, logs: Path) -> None:
    write_both(logs, training(noise=1e-7), training(differs=(3, "act")))
    found = compared(client)
    header = found.header
    assert (header["steps"], header["read_steps"], header["cause"]) == (5, 5, "operator")
    first = header["first"]
    assert (first["step"], first["left"], first["right"], first["phase"]) == (3, "act/ReLU", "act/ReLU", "forward")
    assert (first["role"], first["slot"], first["row"], first["other_row"]) == ("output", "0", 4, 4)
    assert first["inherited"] < 1e-6
    assert first["added"] == pytest.approx(1e-2, rel=0.02)
    assert (header["operators"], header["matched"], header["unmatched_left"]) == (4, 4, 0)
    assert column(found, "step") == [1, 2, 3, 4, 5]
    assert [error > 1e-3 for error in column(found, "error")] == [False, False, True, False, False]
    assert column(found, "differing") == [0, 0, 3, 0, 0]
    assert column(found, "unbounded") == [0] * 5


def test_operators_are_paged_filtered_and_sorted(client: TestClient, logs: Path) -> None:
    write_both(logs, training(), training(differs=(3, "act")))
    compared(client)
    answer = ask(client, "operators")
    names = [each["difference"]["left"] for each in answer["operators"]]
    assert (answer["step"], answer["total"], answer["differing"], answer["matching"]) == (3, 4, 2, 4)
    assert names == ["fc1.weight", "fc1/Linear", "act/ReLU", "fc2/Linear"]
    assert answer["operators"][3]["difference"]["inherited"] == pytest.approx(1e-2, rel=0.02)
    assert ask(client, "operators", only_differing=True)["matching"] == 2
    assert ask(client, "operators", words=["FC", "linear"])["matching"] == 2
    by_error = ask(client, "operators", sort="added", is_descending=True, count=1)["operators"]
    assert [each["difference"]["left"] for each in by_error] == ["act/ReLU"]
    assert [each["level"] for each in ask(client, "operators", sort="level")["operators"]][-1] == "warning"
    assert by_error[0]["problems"] == ["norm_growth"]
    assert ask(client, "operators", step=1, rank=0)["differing"] == 0
    assert client.post("/api/debugger/compare/operators", json={**BOTH, "step": 77}).status_code == 404


def test_a_pair_made_by_hand_is_remembered_by_server_python_and_command_line(
    client: TestClient, logs: Path, tmp_path: Path
) -> None:
    left = training(names=("a", "b", "c"), types=("Conv1", "Conv2", "Conv3"))
    right = training(names=("x", "y", "z"), types=("Dense1", "Dense2", "Dense3"), differs=(2, "y"))
    write_both(logs, left, right)
    header = compared(client).header
    assert (header["unmatched_left"], header["unmatched_right"], header["cause"]) == (3, 3, "none")
    unmatched = ask(client, "unmatched", side="left")
    assert [each["name"] for each in unmatched["operators"]] == ["a/Conv1", "b/Conv2", "c/Conv3"]
    assert unmatched["operators"][0] == {"name": "a/Conv1", "phase": "forward", "type": "Conv1", "shape": [4, 6]}
    assert ask(client, "unmatched", side="right", words=["y/"])["matching"] == 1

    assert pair(client, "b/Conv2", "x/Dense1")["by_hand"] == [{"left": "b/Conv2", "right": "x/Dense1"}]
    assert pair(client, "b/Conv2", "y/Dense2")["by_hand"] == [{"left": "b/Conv2", "right": "y/Dense2"}]
    header = compared(client).header
    assert (header["cause"], header["first"]["left"], header["unmatched_left"]) == ("operator", "b/Conv2", 2)
    assert [each["is_by_hand"] for each in ask(client, "operators")["operators"]] == [False, True]
    swapped = compared(client, run="other", other_run="one").header
    assert swapped["by_hand"] == [{"left": "y/Dense2", "right": "b/Conv2"}]

    one, other = (mindscope.open_run(logs / name).debug for name in BOTH.values())
    workspace = tmp_path / "workspace"
    assert one.compare(other, workspace=workspace).matching.unmatched[0] == ("a/Conv1", "c/Conv3")
    assert one.compare(other, workspace=tmp_path).matching.unmatched[0] == ("a/Conv1", "b/Conv2", "c/Conv3")
    found = one.compare(other, workspace=workspace, by_hand={"a/Conv1": "y/Dense2"})
    assert found.matching.unmatched[0] == ("b/Conv2", "c/Conv3")

    assert pair(client, "b/Conv2", "y/Dense2", is_paired=False)["by_hand"] == []
    assert compared(client).header["cause"] == "none"
    assert pair(client, "b/Conv2", "nix", want=404)["error"]["code"] == "debug_data_not_found"


def test_a_remembered_pair_of_an_operator_that_is_gone_does_no_harm(client: TestClient, logs: Path) -> None:
    write_both(logs, training(names=("a", "b", "c")), training(names=("x", "y", "z")))
    annotations = annotations_of(client.app.state.viewer)  # type: ignore[attr-defined]
    for pair in (("nix", "z/Linear"), ("a/Linear", "z/Linear"), ("b/ReLU", "nix")):
        change_operator_pair(annotations, "one", "other", pair, is_paired=True)
    header = compared(client).header
    assert (header["by_hand"], header["steps"]) == ([{"left": "a/Linear", "right": "z/Linear"}], 5)


def test_a_long_comparison_continues_and_takes_up_new_steps(client: TestClient, logs: Path) -> None:
    client.app.state.viewer.shared(Comparisons, lambda: Comparisons(budget_s=-1))  # type: ignore[attr-defined]
    write_both(logs, training(), training(differs=(3, "act")))
    headers = [compared(client).header for _ in range(6)]
    assert [each["read_steps"] for each in headers] == [1, 2, 3, 4, 5, 5]
    assert [each["first"] is None for each in headers] == [True, True, *[False] * 4]


def test_trainings_without_a_common_step_say_so(client: TestClient, logs: Path) -> None:
    write_both(logs, training(2), renumbered(training(2), 9, scale=3))
    header = compared(client).header
    assert (header["steps"], header["cause"], header["matched"]) == (0, "none", 4)
    assert client.post("/api/debugger/compare/operators", json=BOTH).status_code == 404


def test_steps_that_count_from_another_number_are_aligned(client: TestClient, logs: Path) -> None:
    write_both(logs, training(), renumbered(training(differs=(3, "act")), 0))
    found = compared(client)
    header = found.header
    assert (header["step_offset"], header["is_offset_found"], header["is_comparable"]) == (-1, True, True)
    assert (header["steps"], header["cause"], header["first"]["left"]) == (5, "operator", "act/ReLU")
    assert (header["first"]["step"], header["first"]["other_step"]) == (3, 2)
    operators = ask(client, "operators")
    assert (operators["step"], operators["other_step"], operators["differing"]) == (3, 2, 2)
    by_number = compared(client, step_offset=0).header
    assert (by_number["step_offset"], by_number["is_offset_found"], by_number["steps"]) == (0, False, 4)
    assert by_number["cause"] == "batch"
    assert compared(client).header["step_offset"] == -1


def test_trainings_without_equal_operators_are_not_comparable(client: TestClient, logs: Path) -> None:
    write_both(logs, training(), training(names=("x", "y", "z"), types=("A", "B", "C")))
    header = compared(client).header
    assert (header["is_comparable"], header["cause"]) == (False, "none")


def test_what_is_missing_is_named(client: TestClient, logs: Path) -> None:
    write_run(logs / "one", training())
    client.catalog.refresh()  # type: ignore[attr-defined]
    for query, code in (
        ({"run": "one", "other_run": "nix"}, "run_not_found"),
        ({"run": "nix", "other_run": "one"}, "run_not_found"),
        ({"run": "one", "other_run": "one", "other_source": "nix"}, "debug_source_not_found"),
    ):
        answer = client.post("/api/debugger/compare", json=query)
        assert (answer.status_code, answer.json()["error"]["code"]) == (404, code)
    assert compared(client, other_run="one").header["cause"] == "none"


class Damaged(LoadedSource):
    """Debugging data of which a step can't be read."""

    def at(self, step: int, rank: int) -> StepStatistics:
        if step == 3:
            raise FormatError("damaged")
        return super().at(step, rank)


def test_a_damaged_step_is_counted_and_left_out() -> None:
    whole, other = training(), training(differs=(4, "act"))
    left = OpenSource(Damaged(whole.tensors, whole.recorded), "1", ("one", "."))
    comparisons = Comparisons()
    opened = comparisons.look(left, OpenSource(other, "1", ("other", ".")), {}, lambda opened: opened)
    comparisons.run_steps(opened)
    assert opened.unreadable == {3}
    assert opened.comparison.first is not None
    assert opened.comparison.first.step == 4
    assert np.isnan(opened.comparison.differences[2].error)


def test_a_dump_of_mindspore_is_compared_with_itself_and_with_a_run(client: TestClient, logs: Path) -> None:
    write_run(logs / "one", training())
    write_run(logs / "other", training())
    with tarfile.open(DATA / "mindspore" / "dump_e2e.tar.xz") as archive:
        archive.extractall(logs / "one", filter="data")
    client.catalog.refresh()  # type: ignore[attr-defined]
    sources = client.post("/api/debugger/sources", json={"runs": ["one"]}).json()["sources"]
    dump = next(each["source"] for each in sources if each["source"] != ".")
    same = compared(client, source=dump, other_run="one", other_source=dump).header
    assert (same["cause"], same["matched"] == same["operators"] > 0, same["steps"] > 0) == ("none", True, True)
    mixed = compared(client, source=dump, other_run="one", other_source=".").header
    assert mixed["matched"] + mixed["unmatched_left"] == mixed["operators"]


@pytest.mark.framework
@pytest.mark.parametrize("fault", ["batch", "kernel", "weight"])
def test_real_trainings_part_where_the_fault_is_planted(client: TestClient, logs: Path, fault: str) -> None:
    import torch
    from torch import nn
    from torch.nn import functional as F

    from mindscope.torch import Debugger
    from tests.torch.small_trainings import STEPS, classes, numbers

    class Scaled(nn.Module):
        scale = 1.0

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return F.gelu(x) * self.scale

    def train(directory: Path, plant: Callable[[Any, int], int]) -> None:
        torch.manual_seed(5)
        batches = [(numbers(step, 8, 4), classes(step, 8)) for step in range(STEPS + 1)]
        network = nn.Sequential(nn.Linear(4, 16), Scaled(), nn.Linear(16, 3))
        optimizer = torch.optim.SGD(network.parameters(), lr=0.1)
        with Debugger(directory, network, level="operator") as debugger:
            for step in range(1, STEPS + 1):
                x, y = batches[plant(network, step)]
                loss = F.cross_entropy(network(x), y)
                loss.backward()
                optimizer.step()
                optimizer.zero_grad()
                debugger.step(loss.detach())

    def plant(network: Any, step: int) -> int:
        if step == FAULT and fault == "kernel":
            network[1].scale = 1.01
        if step == FAULT and fault == "weight":
            with torch.no_grad():
                network[2].weight[0, 0] += 1
        return 0 if step == FAULT and fault == "batch" else step

    train(logs / "one", lambda network, step: step)
    train(logs / "other", plant)
    header = compared(client).header
    want = {"batch": "batch", "kernel": "operator", "weight": "parameters"}[fault]
    assert (header["cause"], header["first"]["step"]) == (want, FAULT)
    assert header["matched"] / header["operators"] > 0.95
    if fault == "kernel":
        assert "aten::mul" in header["first"]["left"] or "Scaled" in header["first"]["left"]
        assert "test_debugger_compare.py" in header["first"]["source_line"]
    if fault == "weight":
        assert header["first"]["left"] == "2.weight"
    assert ask(client, "operators", only_differing=True, sort="error", is_descending=True)["differing"] > 0
