# SPDX-License-Identifier: Apache-2.0
"""What a viewer over real logs answers, against what the writers' own readers find in the same files."""

from __future__ import annotations

import csv
import io
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from .live_viewer import DATA, GrowingLog, LiveViewer, eventually, running_viewer

CUSTOM_LOOP = "mindspore/custom_loop"


def oracle_scalars(run: str) -> dict[str, dict[str, Any]]:
    expected = json.loads((DATA / f"{run}.expected.json").read_text())
    tags = [tag for file in expected["files"].values() for tag in file.get("tags", ())]
    return {tag["tag"]: tag for tag in tags if tag["plugin"] == "scalar_value"}


def oracle_points(tag: dict[str, Any]) -> tuple[list[int], list[np.float32]]:
    """By ascending step, the last of equal ones, as the restart rule has it."""
    last = dict(zip(tag["steps"], tag["values"], strict=True))
    steps = sorted(last)
    return steps, [np.float32(last[step]) for step in steps]


def test_every_directory_with_event_files_is_a_run(viewer: LiveViewer):
    want = {path.parent.relative_to(DATA).as_posix() for path in DATA.rglob("events*")}
    assert set(viewer.runs()) == want


def test_a_run_is_summed_up(viewer: LiveViewer):
    run = viewer.runs()[CUSTOM_LOOP]
    file = next((DATA / CUSTOM_LOOP).glob("events*"))
    assert (run["files"], run["size_bytes"]) == (1, file.stat().st_size)
    assert run["tags"]["scalar"] == len(oracle_scalars(CUSTOM_LOOP))
    assert run["dialects"] == ["mindspore"]
    assert run["damages"] == run["dropped"] == 0


def test_tags_name_the_runs_that_hold_them(viewer: LiveViewer):
    tags = viewer.tags("mindspore/ops", "no such run", "mindspore/lineage_sweep/run_04")
    assert tags["my_loss"]["runs"] == [0]
    assert tags["loss/auto"]["runs"] == [0, 2]
    assert list(tags) == sorted(tags)


def test_tags_of_other_kinds_count_their_values(viewer: LiveViewer):
    tags = viewer.tags(CUSTOM_LOOP, kind="histogram")
    assert tags["fc1.weight"] == {"tag": "fc1.weight", "runs": [0], "points": 6, "last": None}


@pytest.mark.parametrize("run", [CUSTOM_LOOP, "mindspore/collector_specified"])
def test_curves_hold_the_values_of_the_oracle_bit_for_bit(viewer: LiveViewer, run: str):
    oracle = oracle_scalars(run)
    curves = viewer.curves(*((run, tag) for tag in oracle), pixels=8192)
    for index, tag in enumerate(oracle.values()):
        steps, values = oracle_points(tag)
        assert curves.column(index, "step").tolist() == steps
        assert curves.column(index, "value").tobytes() == np.float32(values).tobytes()
        assert curves.column(index, "value").dtype == np.float32


def test_the_last_point_of_a_tag_is_the_oracles(viewer: LiveViewer):
    tags = viewer.tags(CUSTOM_LOOP)
    for name, tag in oracle_scalars(CUSTOM_LOOP).items():
        steps, values = oracle_points(tag)
        assert tags[name]["last"] == {"step": steps[-1], "value": float(values[-1]), "value_text": None}
        assert tags[name]["points"] == len(steps)


def test_csv_has_every_point_exactly(viewer: LiveViewer):
    answer = viewer.http.get("/api/scalars.csv", params={"run": CUSTOM_LOOP, "tag": "train/loss"})
    rows = list(csv.DictReader(io.StringIO(answer.text)))
    steps, values = oracle_points(oracle_scalars(CUSTOM_LOOP)["train/loss"])
    assert [int(row["step"]) for row in rows] == steps
    assert [np.float32(row["value"]) for row in rows] == values
    assert answer.headers["content-type"].startswith("text/csv")
    assert 'filename="mindspore_custom_loop_train_loss.csv"' in answer.headers["content-disposition"]


def test_tensorboard_logs_are_runs_too(viewer: LiveViewer):
    oracle = json.loads((DATA / "tensorboard" / "tb_all.expected.json").read_text())["run_a"]["loss/train"]
    curves = viewer.curves(("tensorboard/tb_all/run_a", "loss/train"), pixels=8192)
    assert curves.column(0, "step").tolist() == oracle["steps"]
    assert curves.column(0, "value").tolist() == oracle["values"]


def test_an_unknown_series_has_an_error_and_the_others_are_answered(viewer: LiveViewer):
    curves = viewer.curves(("nowhere", "loss"), (CUSTOM_LOOP, "no such tag"), (CUSTOM_LOOP, "train/loss"))
    first, second, third = curves.header["series"]
    assert "nowhere" in first["error"]["message"]
    assert "no such tag" in second["error"]["message"]
    assert first["columns"] is second["columns"] is None
    assert third["error"] is None
    assert third["returned"] == 47


def test_the_viewer_tells_of_itself(viewer: LiveViewer):
    answer = viewer.http.get("/api/server").json()
    assert answer["base_dir"] == str(DATA)
    assert answer["pid"] == viewer.process.pid
    assert answer["reload_interval"] == 0


@pytest.fixture(scope="module")
def odd(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveViewer]:
    """A run with values that are no numbers, a restart, many points, and a damaged record."""
    room = tmp_path_factory.mktemp("odd")
    log = GrowingLog(room / "logs" / "run")
    for step, value in enumerate([float("nan"), 1.0, float("inf"), 2.0, float("-inf"), float("nan")]):
        log.scalar(step, value, "odd")
    for step, value in [(1, 1.0), (2, 2.0), (3, 3.0), (2, 20.0)]:
        log.scalar(step, value, "restarted")
    for step in range(5000):
        log.scalar(step, 1000.0 if step == 2222 else step % 7, "long", wall_time=2000.0 + step / 2)
    damage_last_record(log.path)
    with running_viewer(room / "logs", room, "--reload-interval", "0") as live:
        eventually(lambda: live.runs().get("run", {}).get("damages"))
        yield live


def damage_last_record(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[-5] ^= 1
    path.write_bytes(data)


def test_values_that_are_no_numbers_are_kept_and_counted(odd: LiveViewer):
    curves = odd.curves(("run", "odd"), pixels=1)
    facts = curves.header["series"][0]
    assert (facts["nan"], facts["positive_infinity"], facts["negative_infinity"]) == (2, 1, 1)
    np.testing.assert_array_equal(curves.column(0, "value")[[0, 2, -1]], np.float32(["nan", "inf", "nan"]))
    assert odd.tags("run")["odd"]["last"] == {"step": 5, "value": None, "value_text": "NaN"}


def test_overwritten_points_are_shown_when_asked_for(odd: LiveViewer):
    assert odd.curves(("run", "restarted")).column(0, "value").tolist() == [1.0, 20.0, 3.0]
    everything = odd.curves(("run", "restarted"), overwritten=True)
    assert everything.column(0, "step").tolist() == [1, 2, 2, 3]


def test_a_long_curve_is_reduced_and_keeps_its_spike(odd: LiveViewer):
    curves = odd.curves(("run", "long"), pixels=50)
    facts = curves.header["series"][0]
    assert facts["reduced"]
    assert facts["points"] == 4999
    assert facts["returned"] == curves.column(0, "value").size <= 50 * 8 + 2
    assert 1000.0 in curves.column(0, "value")
    assert (facts["first_step"], facts["last_step"]) == (0, 4998)


def test_a_logarithmic_axis_is_reduced_by_its_own_columns(odd: LiveViewer):
    even = odd.curves(("run", "long"), pixels=100)
    log = odd.curves(("run", "long"), pixels=100, log_origin=0)
    assert set(range(20)) <= set(log.column(0, "step").tolist())
    assert not set(range(20)) <= set(even.column(0, "step").tolist())
    assert 1000.0 in log.column(0, "value")
    zoomed = odd.curves(("run", "long"), pixels=10, log_origin=-1, range=[-1, 63])
    assert set(range(8)) <= set(zoomed.column(0, "step").tolist())


def test_a_range_brings_every_point_and_a_neighbor_on_each_side(odd: LiveViewer):
    curves = odd.curves(("run", "long"), pixels=50, range=[100, 120])
    assert curves.column(0, "step").tolist() == list(range(99, 122))
    assert not curves.header["series"][0]["reduced"]
    assert curves.header["series"][0]["points"] == 21


def test_a_range_is_in_units_of_its_axis(odd: LiveViewer):
    relative = odd.curves(("run", "long"), axis="relative", range=[10, 11])
    wall = odd.curves(("run", "long"), axis="wall", range=[2010, 2011])
    assert relative.column(0, "step").tolist() == wall.column(0, "step").tolist() == [19, 20, 21, 22, 23]
    assert relative.header["series"][0]["start_wall_time"] == 2000.0


def test_smoothing_is_over_all_points_whatever_is_drawn(odd: LiveViewer):
    every = odd.curves(("run", "long"), pixels=8192, smoothing=0.9)
    few = odd.curves(("run", "long"), pixels=20, smoothing=0.9)
    rows = few.column(0, "step").astype(int)
    assert rows.size < 300
    assert few.column(0, "smoothed").tobytes() == every.column(0, "smoothed")[rows].tobytes()
    assert few.column(0, "smoothed").dtype == np.float32


def test_smoothing_is_the_debiased_average(odd: LiveViewer):
    curves = odd.curves(("run", "long"), pixels=8192, smoothing=0.6)
    average, want = 0.0, []
    for n, value in enumerate(curves.column(0, "value").tolist(), start=1):
        average = 0.6 * average + 0.4 * value
        want.append(average / (1 - 0.6**n))
    np.testing.assert_allclose(curves.column(0, "smoothed"), want, rtol=1e-6)
    assert odd.curves(("run", "long")).header["series"][0]["columns"]["smoothed"] is None


def test_damages_name_file_and_byte(odd: LiveViewer):
    damage = odd.http.get("/api/damages", params={"run": "run"}).json()["damages"][0]
    assert damage["file"] == "events.out.events.summary.1795225259.0.test_MS"
    assert damage["kind"] == "payload_checksum"
    assert f"byte {damage['offset']} of" in damage["text"]


def test_names_that_are_no_text_and_tags_that_are_markup_come_through(tmp_path: Path):
    base = tmp_path / os.fsdecode(b"b\xffse")
    markup = "<img src=x onerror=alert(1)>\u202e\0"
    GrowingLog(base / os.fsdecode(b"r\xfen")).scalar(1, 1.0, markup)
    with running_viewer(base, tmp_path, "--reload-interval", "0") as live:
        run = eventually(lambda: [run for run in live.runs().values() if run["tags"]])[0]
        assert run["id"] == "r\ufffdfen"
        assert list(live.tags(run["id"])) == [markup]
        assert live.curves((run["id"], markup)).column(0, "value").tolist() == [1.0]
        assert "b\ufffdffse" in live.http.get("/api/server").json()["base_dir"]


@pytest.mark.parametrize("address", ["/api/damages?run=nix", "/api/scalars.csv?run=nix&tag=loss", "/api/nix", "/api"])
def test_what_is_not_there_is_answered_with_a_remedy(viewer: LiveViewer, address: str):
    answer = viewer.http.get(address)
    assert answer.status_code == 404
    assert set(answer.json()["error"]) == {"code", "values", "message", "remedy"}
    assert all(answer.json()["error"].values())


HALF = r'"\ud800"'
SERIES = f'[{{"run": "a", "tag": {HALF}}}]'


@pytest.mark.parametrize(
    ("address", "body"),
    [
        ("curves", f'{{"series": {SERIES}}}'),
        ("histograms", f'{{"series": {SERIES}}}'),
        ("pr_curves", f'{{"series": {SERIES}}}'),
        ("expressions", f'{{"lines": [{{"run": {HALF}, "y": "a"}}]}}'),
        ("groups", f'{{"groups": [{{"key": {HALF}, "y": "a", "runs": []}}]}}'),
        ("tags", f'{{"runs": ["a", {HALF}]}}'),
        ("lineage/pipelines", f'{{"runs": [{HALF}]}}'),
    ],
)
def test_halves_of_surrogate_pairs_are_refused(viewer: LiveViewer, address: str, body: str):
    answer = viewer.http.post(f"/api/{address}", content=body, headers={"content-type": "application/json"})
    assert (answer.status_code, answer.json()["error"]["code"]) == (422, "invalid_request")
    assert "is no Unicode" in answer.json()["error"]["message"]
