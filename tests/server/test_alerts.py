# SPDX-License-Identifier: Apache-2.0
"""Alerts over HTTP, as they come."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mindscope.debug.model.tensors import DebugTensor, Phase, Role
from mindscope.server.alerts.schema import AlertsAnswer
from tests.debug.made_sources import Recorded, source_of
from tests.debug.recorded_runs import write_run

from .live_viewer import GrowingLog, LiveViewer, eventually, running_viewer
from .test_annotations import put
from .test_live import listening


@pytest.fixture
def live(growing: GrowingLog, tmp_path: Path) -> Iterator[LiveViewer]:
    growing.scalar(1, 0.5)
    with running_viewer(tmp_path / "logs", tmp_path) as viewer:
        eventually(lambda: viewer.runs().get("run", {}).get("last_step") == 1)
        yield viewer


def alerts(viewer: LiveViewer) -> list[dict[str, Any]]:
    answer = viewer.http.get("/api/alerts").raise_for_status().json()
    assert AlertsAnswer.model_validate(answer).model_dump(mode="json") == answer
    return answer["alerts"]


def test_what_goes_wrong_is_told_and_listed(live: LiveViewer, growing: GrowingLog):
    assert alerts(live) == []
    with listening(live) as events:
        events.next()
        growing.scalar(2, float("nan"))
        told = eventually(lambda: next((data for name, data in [events.next()] if name == "alerts"), None))
        (alert,) = alerts(live)
        assert told["version"] >= 1
    assert alert["id"]
    assert {name: alert[name] for name in ("rule", "run", "tag", "step", "value", "value_text", "count")} == {
        "rule": "nan", "run": "run", "tag": "loss", "step": 2, "value": None, "value_text": "NaN", "count": 1
    }  # fmt: skip
    assert alert["active"]
    assert not alert["muted"]


def test_an_alert_says_what_to_zoom_to(live: LiveViewer, growing: GrowingLog):
    for step in range(2, 300):
        growing.scalar(step, float("inf") if step == 150 else 1 / step)
    (alert,) = eventually(lambda: live.runs()["run"]["last_step"] == 299 and alerts(live))
    assert alert["step"] == 150
    want = {"first_step": 102, "last_step": 198, "lowest": pytest.approx(1 / 198), "highest": pytest.approx(1 / 102)}
    assert alert["around"] == want


def test_nothing_is_sent_twice(live: LiveViewer, growing: GrowingLog):
    growing.scalar(2, float("inf"))
    eventually(lambda: alerts(live))
    version = live.http.get("/api/alerts").json()["version"]
    assert live.http.get("/api/alerts", params={"since": version}).json() == {"version": version, "alerts": None}
    assert live.http.get("/api/alerts", params={"since": version + 1}).json()["alerts"]


def test_a_threshold_of_the_page_is_looked_for(live: LiveViewer, growing: GrowingLog):
    put(live, "threshold", "mine", 0, {"tag": "loss", "rule": "value > 2"}).raise_for_status()
    growing.scalar(2, 3.0)
    (alert,) = eventually(lambda: alerts(live))
    assert (alert["rule"], alert["message"], alert["step"], alert["value"]) == ("threshold:mine", "value > 2", 2, 3.0)
    put(live, "threshold", "late", 0, {"tag": "loss", "rule": "value < 1"}).raise_for_status()
    eventually(lambda: {each["rule"] for each in alerts(live)} == {"threshold:mine", "threshold:late"})
    disabled = {"tag": "loss", "rule": "value > 2", "enabled": False}
    version = live.http.get("/api/annotations").json()["thresholds"]["mine"]["version"]
    put(live, "threshold", "mine", version, disabled).raise_for_status()
    eventually(lambda: [each["rule"] for each in alerts(live)] == ["threshold:late"])


def test_an_alert_that_was_dismissed_is_muted_for_everybody(live: LiveViewer, growing: GrowingLog):
    growing.scalar(2, float("nan"))
    (alert,) = eventually(lambda: alerts(live))
    put(live, "mute", "m", 0, {"alert": alert["id"]}).raise_for_status()
    eventually(lambda: alerts(live)[0]["muted"])
    put(live, "mute", "n", 0, {"rule": "spike"}).raise_for_status()
    version = live.http.get("/api/annotations").json()["mutes"]["m"]["version"]
    put(live, "mute", "m", version, {"rule": "nan", "run": "another"}).raise_for_status()
    eventually(lambda: not alerts(live)[0]["muted"])
    version = live.http.get("/api/annotations").json()["mutes"]["m"]["version"]
    put(live, "mute", "m", version, {"rule": "nan", "until": 1.0}).raise_for_status()
    eventually(lambda: not alerts(live)[0]["muted"])


def test_annotations_that_another_process_writes_are_announced(live: LiveViewer):
    from mindscope.annotations import AnnotationChange, Annotations

    with listening(live) as events:
        events.next()
        base = live.http.get("/api/server").json()["base_dir"]
        other = Annotations(live.workspace, base)
        other.write([AnnotationChange("run", "run", 0, {"note": "from elsewhere"})])
        other.close()
        assert eventually(lambda: next((data for name, data in [events.next()] if name == "annotations"), None)) == {
            "revision": 1
        }


def test_parameters_are_settings(growing: GrowingLog, tmp_path: Path):
    growing.scalar(1, float("nan"), tag="nll")
    with running_viewer(tmp_path / "logs", tmp_path, "--alerts", "loss_tags=nll") as viewer:
        assert eventually(lambda: alerts(viewer))[0]["tag"] == "nll"


def test_recommended_watchpoints_hit_in_debugging_data_by_themselves(live: LiveViewer, tmp_path: Path):
    tensor = DebugTensor("head", "aten::log", Phase.FORWARD, Role.OUTPUT, "0", stack=("net.py:49 forward: x.log()",))
    steps = {step: [Recorded(tensor, np.array([np.inf if step in (4, 5) else 1.0]))] for step in range(1, 9)}
    write_run(tmp_path / "logs" / "debugged", source_of(steps))
    (alert,) = eventually(lambda: [each for each in alerts(live) if each["run"] == "debugged" and each["count"] == 2])
    names = ("rule", "tag", "step", "value", "last_step", "count", "active", "around")
    assert {name: alert[name] for name in names} == {
        "rule": "overflow", "tag": "head/aten::log output 0", "step": 4, "value": 1.0, "last_step": 5, "count": 2,
        "active": True, "around": None,
    }  # fmt: skip
    hits = alert["hits"]
    assert hits == {
        "watchpoint": "overflow", "condition": "tensor_overflow", "recommendation": "overflow", "source": ".",
        "rank": 0, "row": 0, "operator": "head/aten::log", "module": "head", "role": "output", "slot": "0",
        "source_line": "net.py:49 forward: x.log()", "parameter": None, "statistic": None, "comparison": None,
        "set_value": None, "ranges": [[4, 5]],
    }  # fmt: skip
    row = {"run": alert["run"], "source": hits["source"], "rank": hits["rank"], "step": alert["step"], "row": 0}
    answer = live.http.post("/api/debugger/row", json=row).raise_for_status().json()
    assert answer["row"]["tensor"]["operator"] == hits["operator"]
    put(live, "mute", "m", 0, {"rule": "overflow"}).raise_for_status()
    eventually(lambda: alerts(live)[0]["muted"])
