# SPDX-License-Identifier: Apache-2.0
"""Text logs over HTTP: which are found, filters, places, steps, growth, histograms, problems."""

from __future__ import annotations

import csv
import os
import sys
import time
import tracemalloc
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import pytest
from fastapi.testclient import TestClient

from mindscope import SummaryRecord
from mindscope.debug import value_text
from mindscope.debug.logs.print_index import PrintIndex
from mindscope.formats import wire
from mindscope.formats.print_schemas import PRINT
from mindscope.ingest import Catalog
from mindscope.reading.training_logs import TrainingLogs
from mindscope.server.app import create_app
from mindscope.server.logs.tensors import tensors_of
from mindscope.settings import Settings
from mindscope.store import RunStore
from mindscope.types import Kind
from tests.debug.formats.test_print_file import VALUES, write_zeros
from tests.debug.made_sources import Recorded, output, source_of
from tests.debug.recorded_runs import write_run

Ask = Callable[..., Any]
START = 1_790_000_000


def line(second: float, level: str, text: str, module: str = "ME") -> str:
    """As MindSpore writes it, in the zone of this machine."""
    clock = datetime.fromtimestamp(START + second).strftime("%Y-%m-%d-%H:%M:%S.%f")
    return f"[{level}] {module}(7:8,MainProcess):{clock[:-3]}.{clock[-3:]} [mindspore/a.py:1] {text}\n"


def write(path: Path, text: str, mtime: float = START + 1e6 + 700) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    os.utime(path, (mtime, mtime))
    return path


@pytest.fixture
def base(tmp_path: Path) -> Path:
    base = tmp_path / "logs"
    for run in ("first", "second"):
        with SummaryRecord(base / run) as record:
            for step in range(5):
                record.add_value("scalar", "loss", 1.0)
                record.record(step)
    write(base / "first" / "rank_0" / "logs" / "mindspore.log.7", "".join(
        line(each, "INFO" if each % 10 < 9 else "ERROR", f"step {each}\n  more of {each}", ["ME", "DEVICE"][each % 2])
        for each in range(100)
    ))  # fmt: skip
    write(base / "first" / "rank_1" / "logs" / "mindspore.log.8", "".join(
        line(each + 0.5, "WARNING", f"slow {each}") for each in range(100)
    ))  # fmt: skip
    return base


@pytest.fixture
def client(base: Path, tmp_path: Path) -> Iterator[TestClient]:
    settings = Settings(workspace=tmp_path / "workspace", summary_base_dir=base)
    catalog = Catalog(settings.summary_base_dir, settings.workspace)
    catalog.refresh()
    with TestClient(create_app(settings, catalog), base_url="http://127.0.0.1:8080") as opened:
        yield opened
    catalog.close()


@pytest.fixture
def ask(client: TestClient) -> Ask:
    def post(path: str, status: int = 200, run: str = "first", **query: Any) -> Any:
        answer = client.post(f"/api/logs/{path}", json={"run": run, **query})
        assert answer.status_code == status, answer.text
        return answer.json()

    return post


def texts(answer: Any) -> list[str]:
    return [each["text"].split("] ", 2)[2].split("\n")[0] for each in answer["lines"]]


def test_logs_are_found_in_runs_and_beside_them(client: TestClient, base: Path) -> None:
    write(base / "first" / "stdout.log", "x\n")
    write(base / "first" / "events.log.npy", "x\n")
    (base / "first" / "mindspore.ERROR").symlink_to("stdout.log")
    for level in ("INFO", "WARNING", "ERROR"):
        write(base / "second" / f"mindspore.host.me.log.{level}.20261123-204131.7", line(1, "ERROR", "x"))
    write(base / "train.log", "of no run\n")
    found = client.post("/api/logs/files", json={"runs": ["first", "second", "none"]}).json()["logs"]
    assert [(each["run"], [file["name"] for file in each["files"]]) for each in found] == [
        ("first", ["rank_0/logs/mindspore.log.7", "rank_1/logs/mindspore.log.8", "stdout.log"]),
        ("second", ["mindspore.host.me.log.INFO.20261123-204131.7"]),
    ]


def test_logs_beside_a_run_belong_to_it(tmp_path: Path, base: Path) -> None:
    with SummaryRecord(base / "deep" / "summary") as record:
        record.add_value("scalar", "loss", 1.0)
        record.record(1)
    write(base / "deep" / "train.log", "x\n")
    write(base / "deep" / "logs" / "worker.out", "x\n")
    catalog = Catalog(base, None)
    catalog.refresh()
    with TestClient(create_app(Settings(summary_base_dir=base), catalog), base_url="http://127.0.0.1:8080") as client:
        found = client.post("/api/logs/files", json={"runs": ["deep/summary"]}).json()["logs"]
    catalog.close()
    assert [file["name"] for file in found[0]["files"]] == ["../logs/worker.out", "../train.log"]


def test_directories_of_logs_are_runs_and_take_no_log_of_others(tmp_path: Path) -> None:
    with SummaryRecord(tmp_path / "a" / "summary") as record:
        record.add_value("scalar", "loss", 1.0)
        record.record(1)
    for name in ("a/train.log", "a/jobs/x.log", "t/run_0/attempt_0/0/stdout.log", "t/run_0/attempt_0/1/stdout.log"):
        write(tmp_path / name, "loss 0.5\n")
    catalog = Catalog(tmp_path, None)
    catalog.refresh()
    assert list(catalog.runs) == ["a/jobs", "a/summary", "t/run_0"]
    app = create_app(Settings(summary_base_dir=tmp_path), catalog)
    with TestClient(app, base_url="http://127.0.0.1:8080") as client:
        found = client.post("/api/logs/files", json={"runs": list(catalog.runs)}).json()["logs"]
        lines = client.post("/api/logs/lines", json={"run": "t/run_0", "count": 9}).json()["lines"]
    catalog.close()
    assert {each["run"]: [file["name"] for file in each["files"]] for each in found} == {
        "a/jobs": ["x.log"],
        "a/summary": ["../train.log"],
        "t/run_0": ["attempt_0/0/stdout.log", "attempt_0/1/stdout.log"],
    }
    assert [each["text"] for each in lines] == ["loss 0.5", "loss 0.5"]


def test_files_are_one_log_by_time(ask: Ask) -> None:
    answer = ask("lines", count=4)
    assert texts(answer) == ["step 0", "slow 0", "step 1", "slow 1"]
    assert (answer["matching"], answer["total"], answer["is_complete"]) == (200, 200, True)
    assert (answer["modules"], answer["ranks"]) == (["DEVICE", "ME"], [0, 1])
    first = answer["lines"][0]
    assert (first["wall_time"], first["lines"], first["level"], first["rank"]) == (START, 2, "info", 0)
    assert answer["files"][answer["lines"][1]["file"]] == "rank_1/logs/mindspore.log.8"
    assert texts(ask("lines", first=198)) == ["step 99", "slow 99"]
    assert texts(ask("lines", first=10_000)) == []


def test_filters(ask: Ask) -> None:
    def matching(**conditions: Any) -> int:
        return ask("lines", **conditions)["matching"]

    assert matching(least_level="warning") == 110
    assert matching(least_level="critical") == 0
    assert matching(modules=["DEVICE"]) == 50
    assert matching(ranks=[1], least_level="info") == 100
    assert matching(text="MORE OF 7") == 11
    assert matching(regex="(slow|step) 7$") == 2
    assert matching(from_time=START + 90, to_time=START + 91) == 3
    assert matching(files=["rank_0/logs/mindspore.log.7"]) == 100
    assert matching(files=["rank_0/logs/mindspore.log.7"], text="slow") == 0
    assert "regular expression" in str(ask("lines", 400, regex="("))
    assert ask("lines", 404, files=["../second/x"])
    assert ask("lines", 404, run="none")
    assert ask("lines", 404, run="second")
    assert ask("lines", 422, count=100_000)


def test_places_by_time_and_step(ask: Ask, base: Path) -> None:
    around = ask("lines", at_time=START + 50, count=4)
    assert (around["at"], around["first"], texts(around)[2]) == (100, 98, "step 50")
    assert texts(ask("lines", at_time=START + 50, count=1, text="slow")) == ["slow 50"]
    assert ask("lines", at_time=0)["at"] == 0
    assert ask("lines", is_last=True, count=2)["at"] == 199
    assert ask("lines", at_step=3)["at"] == 199  # recorded after all of this was written
    write(base / "second" / "run.log", "no time\n")
    assert ask("lines", run="second", at_step=3)["at"] == 0


def test_a_message_and_its_lines(ask: Ask, base: Path) -> None:
    write(base / "first" / "big.log", line(1000, "ERROR", "x\n" * 2_000_000))
    last = ask("lines", is_last=True, count=1)["lines"][0]
    assert (last["is_cut"], last["text"].count("\n")) == (True, 3)
    whole = ask("message", file=last["file"], row=last["row"])
    assert (len(whole["text"]) > 1_000_000, whole["is_cut"]) == (True, True)
    assert ask("message", 404, file=99, row=0)
    assert ask("message", 404, file=0, row=10_000)


def test_a_log_that_grows_and_is_replaced(ask: Ask, base: Path) -> None:
    path = base / "first" / "rank_0" / "logs" / "mindspore.log.7"
    before = ask("lines", text="step")
    with path.open("a") as file:
        file.write(line(100, "INFO", "step 100"))
    after = ask("lines", text="step", is_last=True, count=1)
    assert (texts(after), after["matching"], after["generation"]) == (["step 100"], 101, before["generation"])
    path.write_text(line(0, "INFO", "step one"))
    replaced = ask("lines", text="step")
    assert (texts(replaced), replaced["generation"] != after["generation"]) == (["step one"], True)
    path.unlink()
    path.parent.rmdir()
    assert ask("lines", text="step")["matching"] == 0


def test_histogram(ask: Ask) -> None:
    answer = ask("histogram", columns=10, least_level="warning")
    assert (answer["start"], answer["end"]) == (START, START + 99.5)
    assert {level: sum(counts) for level, counts in answer["counts"].items()} == {"warning": 100, "error": 10}
    assert all(len(counts) == 10 for counts in answer["counts"].values())
    assert answer["steps"] == []
    narrow = ask("histogram", columns=5, from_time=START + 10, to_time=START + 20)
    assert sum(sum(counts) for counts in narrow["counts"].values()) == 21
    assert ask("histogram", 400, regex="(")


def test_steps_of_the_histogram(ask: Ask, base: Path) -> None:
    now = datetime.now().timestamp() - START
    write(base / "second" / "run.log", line(now - 1000, "INFO", "a") + line(now + 1000, "INFO", "b"))
    answer = ask("histogram", run="second")
    assert [each["step"] for each in answer["steps"]] == [0, 1, 2, 3, 4]
    assert ask("lines", run="second", at_step=3)["at"] == 1
    assert [ask("message", run="second", file=0, row=row)["step"] for row in (0, 1)] == [None, 4]


def test_statistics_of_tensors_alone_have_steps(base: Path) -> None:
    write_run(base / "third", source_of({step: [Recorded(output("fc"), np.ones(2))] for step in range(1, 5)}))
    now = datetime.now().timestamp() - START
    write(base / "third" / "run.log", line(now + 1000, "INFO", "a"))
    catalog = Catalog(base, None)
    catalog.refresh()
    kinds = {kind for kind, _ in catalog.run("third").series}
    with TestClient(create_app(Settings(summary_base_dir=base), catalog), base_url="http://127.0.0.1:8080") as client:
        found = client.post("/api/logs/message", json={"run": "third", "file": 0, "row": 0}).json()
    catalog.close()
    assert (kinds, found["step"]) == ({Kind.TENSOR_STATISTICS}, 4)


def test_messages_are_saved_as_text_and_csv(client: TestClient, base: Path) -> None:
    def saved(status: int = 200, **query: Any) -> str:
        answer = client.post("/api/logs/file", json={"run": "first", **query})
        assert answer.status_code == status
        return answer.text

    errors = saved(least_level="error")
    assert errors.count("[ERROR]") == 10
    assert errors.endswith("step 99\n  more of 99\n")
    assert len(saved().splitlines()) == 300
    write(base / "first" / "odd.log", line(0, "ERROR", "=1+1"))
    rows = list(csv.reader(saved(format="csv", least_level="error", modules=["ME"], files=["odd.log"]).splitlines()))
    assert rows[0] == ["time", "level", "module", "rank", "file", "message"]
    assert [row[1:5] for row in rows[1:]] == [["error", "ME", "", "odd.log"]]
    assert datetime.fromisoformat(rows[1][0]).timestamp() == START
    assert "not_found" in saved(404, files=["none"])
    assert "log_regex_invalid" in saved(400, regex="(")


def test_figures_of_a_large_printed_tensor_take_pieces_of_it(tmp_path: Path) -> None:
    path = tmp_path / "print.pb"
    write_zeros(path, 1 << 25)
    index = PrintIndex(path)
    index.read_more()
    tracemalloc.start()
    try:
        (tensor,) = tensors_of(index, 0, "")
        assert tracemalloc.get_traced_memory()[1] < 1 << 26, "half of the tensor"
    finally:
        tracemalloc.stop()
    assert (tensor.shape, tensor.min, tensor.mean, tensor.non_finite, tensor.is_cut) == ([1 << 15, 1024], 0, 0, 0, True)
    assert (len(tensor.rows), len(tensor.rows[0])) == (100, 50)


def test_a_damaged_file_is_complete_with_the_messages_before(ask: Ask, base: Path) -> None:
    """Saving its messages never ended."""
    path = base / "second" / "rank_3" / "print.pb"
    path.parent.mkdir(parents=True)
    path.write_bytes(wire.encode(PRINT, {"value": VALUES}) + b"\x12\0")
    found = ask("lines", run="second")
    assert found["is_complete"]
    assert [each["file"] for each in found["problems"]] == ["rank_3/print.pb"]


def test_printed_values_are_messages_with_tensors(ask: Ask, base: Path) -> None:
    path = base / "second" / "rank_3" / "print.pb"
    path.parent.mkdir()
    path.write_bytes(wire.encode(PRINT, {"value": VALUES[:2]}))
    write(base / "second" / "run.log", line(0, "INFO", f"x {value_text(np.arange(4).reshape(2, 2), 'Int64')}"))
    found = ask("lines", run="second", text="tensor")
    assert [(each["module"], each["rank"], each["text"][:14]) for each in found["lines"]] == [
        ("ME", None, "[INFO] ME(7:8,"), ("Print", 3, "Tensor(shape=["),
    ]  # fmt: skip
    whole = ask("lines", run="second")
    assert (whole["files"], whole["total"], whole["modules"]) == (["rank_3/print.pb", "run.log"], 3, ["ME", "Print"])
    tensors = [ask("message", run="second", file=file, row=row)["tensors"] for file, row in ((0, 0), (0, 1), (1, 0))]
    assert tensors[0] == []
    assert [(each["dtype"], each["shape"], each["rows"]) for each in (*tensors[1], *tensors[2])] == [
        ("Float32", [2, 3], [["0", "1", "2"], ["3", "4", "5"]]), ("Int64", [2, 2], [["0", "1"], ["2", "3"]]),
    ]  # fmt: skip
    assert (tensors[1][0]["min"], tensors[1][0]["max"], tensors[1][0]["mean"]) == (0, 5, 2.5)
    with path.open("ab") as file:
        file.write(wire.encode(PRINT, {"value": VALUES[2:]}))
    after = ask("lines", run="second", modules=["Print"])
    assert [each["text"].replace("\n", " ") for each in after["lines"]][2:] == [
        "Tensor(shape=[], dtype=Bool, value=True)", "Tensor(shape=[2], dtype=UInt8, value=[1 2])",
        "Tensor(shape=[1], dtype=BFloat16, value=[ 1.0000e+00])", "text",
    ]  # fmt: skip
    path.write_bytes(b"\x12\0")
    assert ask("lines", run="second")["problems"] == []  # it is no print file any more


def test_the_zone_of_another_machine(ask: Ask, base: Path) -> None:
    local = datetime.fromtimestamp(START).astimezone().utcoffset()
    assert local is not None
    other = (local.total_seconds() / 3600 + 5) % 12  # none that this machine has
    ahead = (other - local.total_seconds() / 3600) * 3600
    path = write(base / "second" / "run.log", line(ahead, "INFO", "a"), START + 0.2)
    assert path.stat().st_mtime == START + 0.2
    assert ask("lines", run="second")["lines"][0]["wall_time"] == START


def test_an_empty_log(ask: Ask, base: Path) -> None:
    write(base / "second" / "run.log", "")
    assert ask("lines", run="second")["lines"] == []
    assert ask("histogram", run="second")["start"] is None


def test_times_that_go_back_are_in_the_histogram(ask: Ask, base: Path) -> None:
    write(base / "second" / "run.log", "".join(line(second, "INFO", "a") for second in (20, 0, 10)))
    answer = ask("histogram", run="second", columns=2)
    assert (answer["start"], answer["end"], answer["counts"]) == (START, START + 20, {"info": [2, 1]})


def test_a_progress_bar_shows_its_last_state(ask: Ask, base: Path) -> None:
    bar = "\r".join(f"{each} of 1000" for each in range(1000))
    path = base / "second" / "run.log"
    path.write_bytes(f"{bar}\r\ndone\r\n".encode())
    answer = ask("lines", run="second")
    assert [(each["text"], each["is_cut"]) for each in answer["lines"]] == [("999 of 1000", False), ("done", False)]


def test_errors_are_found_one_after_the_other_in_both_directions(ask: Ask) -> None:
    everything = ask("lines", count=200)["lines"]
    errors = [place for place, each in enumerate(everything) if each["level"] in ("error", "critical")]
    assert len(errors) > 3
    assert ask("lines", error_after=errors[0], count=1)["at"] == errors[1]
    assert ask("lines", error_before=errors[2], count=1)["at"] == errors[1]
    assert ask("lines", error_after=errors[-1], count=1)["at"] is None
    assert ask("lines", error_before=errors[0], count=1)["at"] is None
    assert ask("lines", error_before=2**53, count=1)["lines"][0]["text"] == everything[errors[-1]]["text"]


def test_the_error_that_a_training_ended_with_has_a_place(ask: Ask, base: Path) -> None:
    traceback = 'Traceback (most recent call last):\n  File "train.py", line 7, in <module>\nValueError: bad\n'
    path = base / "second" / "train.log"
    write(path, f"step 1\n{traceback}", time.time())
    found = ask("lines", run="second", at_crash=True, count=1)
    assert (found["at"], found["lines"][0]["text"].splitlines()[-1]) == (1, "ValueError: bad")
    assert ask("lines", run="second", at_crash=True, text="step", count=1)["at"] is None
    write(path, f"step 1\n{traceback}step 2\n", time.time())
    assert ask("lines", run="second", at_crash=True, count=1)["at"] is None


def test_the_matching_line_of_a_message_is_named_with_the_match_in_it(ask: Ask) -> None:
    by_text = ask("lines", text="MORE OF 42", count=1)["lines"][0]["match"]
    assert by_text == {"line": 1, "text": "  more of 42", "begin": 2, "end": 12}
    by_regex = ask("lines", regex="more of 4[2]", count=1)["lines"][0]["match"]
    assert by_regex == by_text
    assert ask("lines", count=1)["lines"][0]["match"] is None


def test_a_match_far_to_the_right_or_over_lines_is_cut_to_its_surroundings(ask: Ask, base: Path) -> None:
    path = base / "first" / "rank_0" / "logs" / "mindspore.log.7"
    with path.open("a") as log:
        log.write(line(2000, "INFO", "é" * 5000 + " needle " + "y" * 5000 + "\n  end"))
    found = ask("lines", text="needle", count=1)["lines"][0]["match"]
    assert found["text"][found["begin"] : found["end"]] == "needle"
    assert len(found["text"]) <= 400
    over_lines = ask("lines", regex=r"y\n  end", count=1)["lines"][0]["match"]
    assert over_lines["text"][over_lines["begin"] : over_lines["end"]] == "y"


def test_logs_of_four_times_as_many_runs_cost_four_times_as_much(tmp_path: Path) -> None:
    write(tmp_path / "group/run7/train.log", line(1, "ERROR", "x"))

    def calls_for(count: int) -> int:
        stores = {id: RunStore(id, tmp_path / id) for id in (f"group/run{number}" for number in range(count))}
        calls = Counter[str]()

        def counted(frame: FrameType, event: str, argument: object) -> None:
            calls[event] += 1

        sys.setprofile(counted)
        try:
            logs = TrainingLogs(stores)
            found = {id: logs.of(store) for id, store in stores.items()}
        finally:
            sys.setprofile(None)
        assert [id for id, paths in found.items() if paths] == ["group/run7"]
        return calls.total()

    assert calls_for(400) < 5 * calls_for(100)
